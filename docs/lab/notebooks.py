"""notebooks.py [--check]: runs the notebooks of docs/user where they lie and stores what they show in them; --check compares with what is stored instead.

Numbers may differ by a thousandth; of figures only their presence is compared. It needs nbclient, ipykernel, matplotlib and pandas."""
import os
import re
import sys
from pathlib import Path

import nbclient
import nbformat

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")  # not those within a word: of an id, 4e43718 is no number


def run(path):
    """The notebook with what its cells showed"""
    book = nbformat.read(path, 4)
    os.environ["PYTHONPATH"] = str(ROOT / "app/python")
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    for cell in book.cells:
        cell.metadata = {}
        if cell.cell_type == "code":  # without bars of progress
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr" and output.get("text", "x").strip()]
    book.metadata = {"kernelspec": book.metadata.kernelspec, "language_info": {"name": "python"}}
    return book


def shown(cell):
    """The text of a cell's outputs, and how many figures"""
    data = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
    figures = sum("image/png" in kinds for kinds in data)
    return " ".join(" ".join(kinds.get("text/plain", "") for kinds in data if "image/png" not in kinds).split()), figures


def alike(one, two):
    """Whether two texts differ in numbers alone, by a thousandth at most"""
    if NUMBER.sub("#", one) != NUMBER.sub("#", two):
        return False
    pairs = zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(two)))
    return all(abs(a - b) <= 1e-3 * max(abs(a), abs(b)) for a, b in pairs)


def main(check):
    wrong = 0
    for path in sorted((ROOT / "docs/user/notebooks").glob("*.ipynb")):
        book = run(path)
        if not check:
            nbformat.write(book, path)
            continue
        for cell, stored in zip(book.cells, nbformat.read(path, 4).cells):
            if cell.cell_type == "code" and not (alike(shown(cell)[0], shown(stored)[0]) and shown(cell)[1] == shown(stored)[1] and any(shown(cell))):
                print("%s: shows\n%s\nstored is\n%s\nby\n%s" % (path.name, shown(cell), shown(stored), cell.source))
                wrong += 1
    return wrong > 0


sys.exit(main(sys.argv[1:] == ["--check"]))
