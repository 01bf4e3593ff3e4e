#!/usr/bin/env python3
"""model_costs.py [--check]: model_costs.csv -> a table of models.md, of what a node and step of every text costs; --check: status 1 if
the page holds another one.

model_costs.py read DEVICE JSON...: model_costs.csv, of what `cardiac-bench ionic kernels/models/TEXT.mmt --json` says of each text on a DEVICE."""
import csv
import json
import sys
from pathlib import Path

from pages import LAB, replaced

PAGE = LAB / "models.md"
STORED = LAB / "model_costs.csv"
WAYS = ("double", "mixed", "mixed, tables")
BEAT, STEP, NODES = 1000, 0.02, 1e6  # ms, ms


def read(device, paths):
    """V alike in 64 neighbours, as in tissue, where it is measured"""
    out = csv.DictWriter(STORED.open("w"), ["text", *WAYS, "device"], lineterminator="\n")
    out.writeheader()
    for path in sorted(paths, key=lambda path: Path(path).name):
        found = {}
        for row in json.loads(Path(path).read_text())["rows"]:
            if row["bench"] == "ionic":
                text, way = row["variant"].split(", ", 1)
                found[way] = f'{row["ns/cell"]:.3g}'
        out.writerow({"text": text, "device": device} | {way: found.get(way, "") for way in WAYS})


def table():
    rows = list(csv.DictReader(STORED.open()))
    head = ["text", *(f"{way}, ns" for way in WAYS), "a beat of a million nodes in the fastest, s"]
    lines = [" | ".join(head)]
    for row in rows:
        times = [row[way] for way in WAYS]
        beat = min(float(t) for t in times if t) * 1e-9 * NODES * BEAT / STEP
        lines.append(" | ".join([f'`{row["text"]}`', *(t or "-" for t in times), f"{beat:.2g}"]))
    text = [f"| {line} |" for line in lines]
    text.insert(1, "|" + "---|" * len(head))
    return "\n".join([*text, "", f"On one {rows[0]['device']}."])


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:
        read(sys.argv[2], sys.argv[3:])
    page = PAGE.read_text()
    made = replaced(page, "gpu_costs", table())
    if sys.argv[1:] == ["--check"]:
        sys.exit(made != page)
    PAGE.write_text(made)
