"""notebooks.py [--check] [NAME ...]: runs the notebooks of docs/user, or those named, where they lie and stores what they show in them; --check
compares with what is stored instead.

Numbers may differ by a thousandth; of figures only their presence is compared. It needs nbclient, ipykernel, matplotlib and pandas."""
import os
import re
import sys
from pathlib import Path

import nbclient
import nbformat
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")  # not those within a word: of an id, 4e43718 is no number


def run(path, kernel):
    """The notebook with what its cells showed, in a kernel that has imported what those before it have, and forgotten their names"""
    book = nbformat.read(path, 4)
    book.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    nbclient.NotebookClient(book, km=kernel, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    del book.cells[0]
    count = 0
    for cell in book.cells:
        cell.metadata = {}
        if cell.cell_type == "code":  # without bars of progress
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count
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


def main(check, names):
    wrong = 0
    os.environ["PYTHONPATH"] = str(ROOT / "app/python")
    kernel = KernelManager(kernel_name="python3")
    for path in sorted((ROOT / "docs/user/notebooks").glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        book = run(path, kernel)
        if not check:
            nbformat.write(book, path)
            continue
        for cell, stored in zip(book.cells, nbformat.read(path, 4).cells):
            if cell.cell_type == "code" and not (alike(shown(cell)[0], shown(stored)[0]) and shown(cell)[1] == shown(stored)[1] and any(shown(cell))):
                print("%s: shows\n%s\nstored is\n%s\nby\n%s" % (path.name, shown(cell), shown(stored), cell.source))
                wrong += 1
    kernel.shutdown_kernel(now=True)
    return wrong > 0


sys.exit(main("--check" in sys.argv[1:], [name for name in sys.argv[1:] if name != "--check"]))
