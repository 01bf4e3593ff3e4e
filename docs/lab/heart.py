#!/usr/bin/env python3
"""heart.py [--check]: heart.csv -> a table of accuracy.md, of docs/user/geo1.yaml on meshes refined once and twice; --check: status 1
if the page holds another one.

heart.py row INFO ECG EDGE SECONDS: a row of heart.csv, of what `cardiac info DIR/run.vtkhdf --json` says of a result of that study, its
ecg.csv, the mesh's edges in mm, and what the run took in all."""
import csv
import json
import sys
from pathlib import Path

from pages import LAB, replaced

PAGE = LAB / "accuracy.md"
WAVES = ("I", "II", "aVR", "V1", "V5", "V6")  # leads of the table


def leads(path):
    """times, {lead: mV}"""
    head, *rows = csv.reader(path.open())
    rows = [[float(x) for x in row] for row in rows]
    return [row[0] for row in rows], {name.split()[0]: [row[c] for row in rows] for c, name in enumerate(head) if c}


def beat(time, lead):
    """What a reader of the traces would note: ms and mV"""
    qrs = [k for k, t in enumerate(time) if t < 130]
    size = [sum(lead[name][k] ** 2 for name in ("I", "aVF", "V2", "V5", "V6")) for k in qrs]
    wave = [k for k, t in enumerate(time) if t > 180]
    found = {"qrs": max(time[k] for k in qrs if size[k] > 0.0025 * max(size))}
    for name, v in lead.items():
        found["R " + name] = max(v[k] for k in qrs)
        found["S " + name] = -min(v[k] for k in qrs)
        found["T " + name] = max((v[k] for k in wave), key=abs)
    found["qt"] = max(time[k] for k in wave if lead["II"][k] > found["T II"] / 20)
    return found


def row(info, ecg, edge, seconds):
    result = json.loads(Path(info).read_text())
    maps, numbers = {a["name"]: a for a in result["arrays"]}, result["numbers"]
    values = {"nodes": result["nodes"], "elements": result["elements"], "edge": edge, "seconds": seconds,
              "set_up": f'{float(seconds) - numbers["loop_seconds"]:.3g}', "step_ms": f'{1e3 * numbers["step_seconds"] / numbers["steps"]:.3g}',
              "steps": numbers["steps"], "activated": f'{maps["activation_time"]["high"]:.3g}', "apd90": f'{maps["apd90"]["mean"]:.4g}',
              "apd90_low": f'{maps["apd90"]["low"]:.4g}', "apd90_high": f'{maps["apd90"]["high"]:.4g}', "device": result["device"]}
    values |= {k: f"{v:.3g}" for k, v in beat(*leads(Path(ecg))).items()}
    out = csv.DictWriter(sys.stdout, values, lineterminator="\n")
    out.writeheader()
    out.writerow(values)


def table():
    rows = list(csv.DictReader((LAB / "heart.csv").open()))
    lines = [("", lambda r: f'{int(r["nodes"]):,} nodes, {float(r["edge"]):g} mm'), ("in all, s", lambda r: r["seconds"]),
             ("of that before and behind the steps, s", lambda r: r["set_up"]), ("a step, ms", lambda r: r["step_ms"]), ("all activated within, ms", lambda r: r["activated"]),
             ("QRS, QT, ms", lambda r: f'{r["qrs"]}, {r["qt"]}'),
             ("APD90, ms", lambda r: f'{r["apd90"]} ({r["apd90_low"]} to {r["apd90_high"]})')]
    lines += [(f"R, S, T in {name}, mV", lambda r, name=name: ", ".join(r[f"{wave} {name}"] for wave in "RST")) for name in WAVES]
    text = ["| " + " | ".join([name] + [value(r) for r in rows]) + " |" for name, value in lines]
    text.insert(1, "|" + "---|" * (len(rows) + 1))
    return "\n".join(text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["row"]:
        row(*sys.argv[2:])
    else:
        page = PAGE.read_text()
        made = replaced(page, "refined", table())
        if sys.argv[1:] == ["--check"]:
            sys.exit(made != page)
        PAGE.write_text(made)
