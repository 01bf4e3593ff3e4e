#!/usr/bin/env python3
"""accuracy.py CARDIAC OUT [options]: how accurate the Niederer slab is, and how fast, case by case.

Runs configs/niederer.yaml with other edges, steps, mass matrices, tolerances and precisions. Each case appends a
row to OUT/accuracy.csv (sections of the series) or OUT/profile.csv as soon as it has ended; a case that stands there
already is passed over, so an interrupted series goes on. docs/lab/plot_accuracy.py makes figures and tables of them. All of
it takes minutes on a GPU; a CPU should keep to --only 'h=0.5'. With --same-as, P8 must be that of a table made before, on
whatever device. Needs the standard library only.
"""
import argparse
import csv
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWITCHES = {"method": "jacobi", "tolerance_mV": 1e-4, "precision": "mixed", "budget_mV": 1e-5, "state": "double", "tables": "off",
            "splitting": "godunov", "theta": 1, "ionic_step_ms": ""}
COLUMNS = (["section", "dx_mm", "dt_ms", "f"] + list(SWITCHES)[:6] + ["update"] + list(SWITCHES)[6:] +
           ["end_ms", "nodes", "P1_ms", "P8_ms", "loop_s", "ms_per_step", "ionic_ms", "product_ms", "sweeps_ms", "rest_ms",
            "sweeps_per_step", "most_sweeps", "whole_s", "repeats", "device", "program"])
FASTEST_CELLS = {"state": "mixed", "tables": "on"}
P8_BAR = 1e-3  # ms, of --same-as
LATE = "1000 ms"  # after every end: the loop is then steps alone, no frame and no row


def case(section, dx, dt, f, end, **switches):
    # Plain Jacobi may diverge with the consistent mass matrix of tetrahedra.
    switches.setdefault("method", "jacobi" if f > 0 else "chebyshev")
    return {"section": section, "dx_mm": dx, "dt_ms": dt, "f": f, **SWITCHES, **switches, "end_ms": end}


def series():
    """P8 over edges and steps for three mass matrices, the finest last"""
    ends = {0.5: 140, 0.2: 60, 0.1: 50, 0.05: 47}
    for dx, steps in ((0.5, (0.05, 0.02, 0.01, 0.005)), (0.2, (0.05, 0.02, 0.01, 0.005)),
                      (0.1, (0.05, 0.02, 0.01, 0.005)), (0.05, (0.02, 0.01, 0.005))):
        for f in (1, 0.5, 0):
            for dt in steps:
                yield case("series", dx, dt, f, ends[dx])


def variants():
    """What tolerance, precision and the scheme in time change at one mesh"""
    for f in (1, 0.5):
        for tolerance in (1e-1, 1e-2, 1e-3, 1e-6):
            yield case("tolerance", 0.1, 0.02, f, 50, tolerance_mV=tolerance)
    yield case("precision", 0.1, 0.02, 0.5, 50, precision="double")
    yield case("precision", 0.1, 0.02, 0.5, 50, **FASTEST_CELLS)
    for dx, end in ((0.2, 60), (0.1, 50)):
        for dt in (0.05, 0.02, 0.01):
            yield case("scheme", dx, dt, 0.5, end, splitting="staggered", theta=0.5)
        yield case("scheme", dx, 0.02, 0.5, end, ionic_step_ms=0.005)
        yield case("scheme", dx, 0.05, 0.5, end, ionic_step_ms=0.01)


def finest():
    """Up to 27 million nodes, in the scheme whose P8 depends least on the step; its speed is not the point"""
    quick = {"splitting": "staggered", "theta": 0.5, "method": "chebyshev", "tolerance_mV": 1e-3, **FASTEST_CELLS}
    for f, edges in ((1, (0.05,)), (0.5, (0.05,)), (0.75, (0.2, 0.1, 0.05))):
        for dx in edges:
            for dt in (0.02, 0.01):
                yield case("finest", dx, dt, f, 60 if dx > 0.1 else 47, **quick)
    for f in (1, 0.5):
        yield case("finest", 0.025, 0.02, f, 44, **quick)
    yield case("finest", 0.05, 0.001, 1, 44, **FASTEST_CELLS)


def timing():
    """40 ms in steps of 0.02 ms, lumped mass"""
    tolerances = (1e-3, 1e-4, 1e-6)
    for tolerance in tolerances:
        yield case("timing", 0.1, 0.02, 1, 40, tolerance_mV=tolerance)
        yield case("timing", 0.1, 0.02, 1, 40, tolerance_mV=tolerance, precision="double")
        yield case("timing", 0.1, 0.02, 1, 40, tolerance_mV=tolerance, **FASTEST_CELLS)
        yield case("timing", 0.1, 0.02, 1, 40, tolerance_mV=tolerance, method="chebyshev", **FASTEST_CELLS)
    for dx in (0.5, 0.2, 0.05):
        for tolerance in tolerances:
            yield case("timing", dx, 0.02, 1, 40, tolerance_mV=tolerance, **FASTEST_CELLS)
        yield case("timing", dx, 0.02, 1, 40)
        yield case("timing", dx, 0.02, 1, 40, precision="double")
    yield case("timing", 0.05, 0.02, 1, 40, method="chebyshev", tolerance_mV=1e-3, **FASTEST_CELLS)
    for dx, method in ((0.2, "rkl2"), (0.1, "rkl2"), (0.05, "rkl2"), (0.05, "jacobi")):
        yield case("timing", dx, 0.02, 1, 40, method=method, tolerance_mV=1e-3, **FASTEST_CELLS)
    for dx, method, raised in ((0.1, "rkl2", 1e-3), (0.1, "jacobi", 1e-3), (0.1, "jacobi", 1e-4), (0.05, "rkl2", 1e-3)):
        yield case("timing", dx, 0.02, 1, 40, method=method, tolerance_mV=raised, budget_mV=raised, **FASTEST_CELLS)


def steps():
    """What the step alone changes, by splitting, theta, mass and method; a CPU does 0.5 and 0.2 mm in half an hour"""
    schemes = [("godunov", 1, "jacobi"), ("staggered", 0.5, "jacobi"),
               ("godunov", 1, "rkl2"), ("staggered", 1, "rkl2")]
    for dx, ends in ((0.5, {1: 140, 0.5: 100}), (0.2, {1: 60, 0.5: 54})):
        for dt in (0.1, 0.05, 0.02):
            for f in (1, 0.5):
                for splitting, theta, method in schemes:
                    if f == 1 or method == "jacobi":
                        yield case("steps", dx, dt, f, ends[f], splitting=splitting, theta=theta, method=method)
    for dx, f, end, some in ((0.1, 1, 50, ("godunov", "staggered")), (0.1, 0.5, 50, ("godunov", "staggered")), (0.05, 0.5, 47, ("staggered",)),
                             (0.05, 1, 47, ("staggered",))):
        for dt in (0.1, 0.05, 0.02):
            for splitting, theta, method in schemes:
                if splitting in some and (f == 1 or method == "jacobi") and (dx > 0.05 or theta == 0.5 or method == "rkl2"):
                    yield case("steps", dx, dt, f, end, splitting=splitting, theta=theta, method=method)


SECTIONS = {"timing": timing, "series": series, "variants": variants, "finest": finest, "steps": steps}


def label(row):
    """The case as one word for --only, which names what differs from the default"""
    text = f"{row['section']}:h={row['dx_mm']}:dt={row['dt_ms']}:f={row['f']}"
    return text + "".join(f":{key.split('_m')[0]}={row[key]}" for key, usual in SWITCHES.items() if row[key] != usual)


def command(cardiac, row, folder, device):
    sets = {"mesh.slab.spacing": f"{row['dx_mm']} mm", "time.step": f"{row['dt_ms']} ms", "time.end": f"{row['end_ms']} ms",
            "solver.mass_lumping": row["f"], "solver.method": row["method"], "solver.tolerance": f"{row['tolerance_mV']} mV",
            "solver.precision": row["precision"], "solver.precision_budget": f"{row['budget_mV']} mV",
            "solver.splitting": row["splitting"],
            "ionic.state": row["state"], "ionic.tables": row["tables"],
            "output.every": LATE, "output.probes_every": LATE, "checkpoint.every": "0 ms"}
    if row["ionic_step_ms"] != "":
        sets["ionic.step"] = f"{row['ionic_step_ms']} ms"
    arguments = [str(cardiac), "run", str(ROOT / "configs" / "niederer.yaml"), "--device", device, "--output", str(folder),
                 "--overwrite", "--verbose"]
    for key, value in sets.items():
        arguments += ["--set", f"{key}={value}"]
    return arguments


def find(pattern, text, what):
    found = re.search(pattern, text, re.M)
    if not found:
        raise ValueError(f"no {what} in what the run said")
    return found


def measure(arguments, folder, limit):
    """What one run says of itself: a dict of columns"""
    begin = time.monotonic()
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=limit)
        beats = pathlib.Path(folder, "beats.csv").read_text() if done.returncode == 0 else ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if done.returncode != 0:
        raise ValueError(f"status {done.returncode}: {done.stderr.strip()}")
    whole, said = time.monotonic() - begin, done.stdout
    at = {name: "%.7g" % float(time) for name, beat, time, *_ in (row.split(",") for row in beats.splitlines()[1:]) if beat == "1"}
    split = re.search(r"^time a step: .* = ionic (\S+) \+ K V (\S+) \+ sweeps (\S+) \+ rest (\S+) ms", said, re.M)
    parts = split.groups() if split and any(float(x) for x in split.groups()) else ("", "", "", "")
    sweeps = find(r"^sweeps: (\S+) a step, at most (\d+)", said, "sweeps")
    return {"nodes": find(r"^mesh: (\d+) nodes", said, "mesh").group(1),
            "update": find(r", update (\w+)$", said, "update").group(1), "P1_ms": at["P1"], "P8_ms": at["P8"],
            "ms_per_step": float(re.findall(r", (\S+) ms/step", said)[-1]),
            **dict(zip(("ionic_ms", "product_ms", "sweeps_ms", "rest_ms"), parts)),
            "sweeps_per_step": sweeps.group(1), "most_sweeps": sweeps.group(2), "whole_s": f"{whole:.2f}",
            "device": find(r"^device ([^;]+);", said, "device").group(1),
            "program": find(r"^(cardiac \S+):", said, "version").group(1)}


def run_case(cardiac, row, options, hardware):
    """The row with its figures: the run with the median time of a step"""
    folder = pathlib.Path(options.scratch or options.out) / "run"
    repeats = options.repeats if row["section"] == "timing" and row["dx_mm"] >= 0.1 else 1
    runs = [measure(command(cardiac, row, folder, options.device), folder, options.limit) for _ in range(repeats)]
    runs.sort(key=lambda run: run["ms_per_step"])
    row = {**row, **runs[len(runs) // 2], "repeats": repeats}
    row["ms_per_step"] = statistics.median(run["ms_per_step"] for run in runs)
    row["loop_s"] = f"{1e-3 * row['ms_per_step'] * round(row['end_ms'] / row['dt_ms']):.4g}"
    row["device"] = hardware.get(row["device"].split("-")[0], row["device"])
    return row


def machine(cardiac):
    """Names of what this machine computes with, by the first part of a device's name"""
    said = subprocess.run([str(cardiac), "info"], capture_output=True, text=True, check=True).stdout
    names = {}
    for key, pattern in (("cuda", r"^cuda:0\s+(.*)$"), ("cpu", r"^  processor\s+(.*)$")):
        found = re.search(pattern, said, re.M)
        if found:
            names[key] = found.group(1).strip()
    return names


def same(row, other):
    """Whether a row of a file is that case"""
    return all(str(row[key]) == other[key] for key in ["section", "dx_mm", "dt_ms", "f", *SWITCHES])


def append(path, row):
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerow(row)


def stored(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def compare(row, rows):
    """0 where P8 is that of the same case among rows"""
    known = [float(other["P8_ms"]) for other in rows if same(row, other)]
    apart = abs(float(row["P8_ms"]) - known[0]) if known else math.nan
    print(f"{label(row)}: P8 {row['P8_ms']} ms is {apart:.2g} ms from what is stored", flush=True)
    return not apart <= P8_BAR


def arguments_read():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cardiac", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--device", default="auto", help="as for cardiac run")
    parser.add_argument("--section", action="append", choices=list(SECTIONS), help="may be repeated; default: all")
    parser.add_argument("--only", default="", metavar="REGEX", help="cases whose names match, see --list")
    parser.add_argument("--list", action="store_true", help="name the cases, run none")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each timed case, of which the median counts")
    parser.add_argument("--limit", type=float, metavar="S", help="give up a run after so many seconds")
    parser.add_argument("--budget", type=float, default=1e9, metavar="S", help="begin no case after so many seconds")
    parser.add_argument("--same-as", type=pathlib.Path, metavar="CSV", help=f"fail where P8 is more than {P8_BAR} ms from that table's")
    parser.add_argument("--scratch", help="where results are written and deleted; default: OUT")
    return parser.parse_args()


def main():
    options, begin, failed = arguments_read(), time.monotonic(), 0
    cases = [row for section in options.section or SECTIONS for row in SECTIONS[section]()]
    cases = [row for row in cases if re.search(options.only, label(row))]
    if not cases:
        print("no case has such a name: see --list")
        return 1
    if options.list:
        print("\n".join(label(row) for row in cases))
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    hardware = machine(options.cardiac)
    for row in cases:
        path = options.out / ("profile.csv" if row["section"] == "timing" else "accuracy.csv")
        if any(same(row, other) for other in stored(path)):
            continue
        if time.monotonic() - begin > options.budget:
            print(f"{label(row)}: not begun, the time is up")
            failed = 1
            continue
        try:
            row = run_case(options.cardiac, row, options, hardware)
            append(path, row)
            print(f"{label(row)}: P8 {row['P8_ms']} ms, {row['ms_per_step']:.4g} ms a step, {row['sweeps_per_step']} sweeps, "
                  f"{row['whole_s']} s in all", flush=True)
            failed |= bool(options.same_as) and compare(row, stored(options.same_as))
        except (ValueError, subprocess.TimeoutExpired) as error:
            print(f"{label(row)}: {error}", flush=True)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
