#!/usr/bin/env python3
"""side_by_side.py [--check]: niederer.csv, niederer_others.csv, side_by_side.csv and niederer_converge.txt -> the figure niederer.svg, and
parts of side_by_side.md and docs/user/confidence.md; --check: status 1 if they are others.

side_by_side.py run CARDIAC [DEVICE]: niederer.csv and niederer_converge.txt anew, by `cardiac sweep` and `cardiac converge` of
configs/niederer.yaml; on a GPU a minute, on a CPU an hour. Needs the standard library only.

side_by_side.py beside CARDIAC FOLDER [--edge 0.5] [--step 0.02] [--end 62] [--lumped-end 150] [--device cpu] [--only TEXT]
[--torchcor PYTHON] [--fenicsx PYTHON]: rows of beside.csv anew, each program in one thread on one mesh in FOLDER; PYTHON is that of an environment which has torchcor, or fenicsx-beat and
myokit."""
import argparse
import csv
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import LAB, replaced
from plot_accuracy import Series, grid, load, table, text_at

CORNERS = {"P1": (0, 0, 0), "P2": (0, 7, 0), "P3": (20, 0, 0), "P4": (20, 7, 0), "P5": (0, 0, 3), "P6": (0, 7, 3), "P7": (20, 0, 3),
           "P8": (20, 7, 3), "P9": (10, 3.5, 1.5)}
PIECES = 20  # of the diagonal
DIAGONAL = {"D%02d" % k: tuple(x * k / PIECES for x in (20, 7, 3)) for k in range(PIECES + 1)}
LENGTH = (20 ** 2 + 7 ** 2 + 3 ** 2) ** 0.5
CODES = (42.53, 43.18)  # ms: P8 of codes with 0.05 mm and 0.001 ms
COLOURS = {0.5: "#c03028", 0.2: "#2060a8", 0.1: "#308048"}
COMPARED = 10  # ms
CONFIG = LAB.parent.parent / "configs" / "niederer.yaml"
KEPT = ("last activation", "velocity along", "velocity across", "activation of P8", "activation of P9")  # lines of the report


def run(cardiac, device):
    """niederer.csv and niederer_converge.txt <- of that program"""
    with tempfile.TemporaryDirectory() as place:
        rows = [(edge, step, lumping, 150 if edge == 0.5 else 60) for lumping in (1, 0.5) for edge in (0.5, 0.2, 0.1)
                for step in (0.05, 0.01, 0.005)]
        with open(f"{place}/runs.csv", "w") as file:
            file.write("mesh.slab.spacing,time.step,solver.mass_lumping,time.end\n")
            file.writelines("%g mm,%g ms,%g,%g ms\n" % row for row in rows)
        probes = ", ".join("%s: [%g mm, %g mm, %g mm]" % ((name, *point)) for name, point in (CORNERS | DIAGONAL).items())
        subprocess.run([cardiac, "sweep", CONFIG, "--table", f"{place}/runs.csv", "--output", f"{place}/runs", "--device", device, "--set",
                        "output.probes={%s}" % probes, "--set", "solver.precision=double", "--set", "solver.method=jacobi"], check=True)
        with open(f"{place}/runs/table.csv", newline="") as file, (LAB / "niederer.csv").open("w", newline="") as to:
            out = csv.writer(to, lineterminator="\n")
            out.writerow(["edge_mm", "step_ms", "mass_lumping"] + [f"{name}_ms" for name in CORNERS | DIAGONAL])
            for r in csv.DictReader(file):
                out.writerow([r["mesh.slab.spacing"].split()[0], r["time.step"].split()[0], r["solver.mass_lumping"]] +
                             ["%.6g" % float(r[f"activation_first[{name}] (ms)"]) for name in CORNERS | DIAGONAL])
        subprocess.run([cardiac, "converge", CONFIG, "--levels", "3", "--output", f"{place}/converge", "--device", device], check=True)
        (LAB / "niederer_converge.txt").write_text(Path(f"{place}/converge/converge.txt").read_text())


SETTINGS = {  # of cardiac: every key that the table speaks of, whatever the default
    "godunov, theta 1, lumped mass": "splitting=godunov mass_lumping=1 method=jacobi",
    "staggered, theta 1/2, lumped mass": "splitting=staggered mass_lumping=1 method=jacobi",
    "staggered, theta 1/2, half-lumped mass": "splitting=staggered mass_lumping=0.5 method=jacobi",
    "staggered, theta 1/2, consistent mass": "splitting=staggered mass_lumping=0 method=chebyshev",
}
OTHERS = {"torchcor": (("float32, 1e-5, theta 1/2, consistent mass", ()), ("float32, 1e-5, theta 1/2, lumped mass", ("--lumped",))),
          "fenicsx": (("LU, theta 1/2, consistent mass", ("--direct",)), ("CG 1e-5, theta 1/2, consistent mass", ()))}
NAMES = {"torchcor": "TorchCor", "fenicsx": "fenicsx-beat"}


def ours(given, keys):
    """One row of cardiac: ms a step as its log has them, CPU time by two runs of different length, P1 and P8, and the largest difference of V
    after 10 ms between the default tolerance in mixed precision and a tight one in double"""
    def run(name, end, *more):
        out = f"{given.folder}/{name}"
        sets = [f"solver.{key}" for key in (*keys.split(), *more)]
        sets += [f"mesh.slab.spacing={given.edge}mm", f"time.step={given.step}ms", f"time.end={end}ms", f"output.every={end}ms"]
        command = [given.cardiac, "run", str(CONFIG), "--output", out, "--overwrite", "--verbose", "--device", given.device]
        command += ["--threads", "1"] * (given.device == "cpu") + [word for value in sets for word in ("--set", value)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        log = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return log, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def found(pattern, log):
        match = re.search(pattern, log)
        return float(match.group(1)) if match else None

    end = given.end if "mass_lumping=0 " in keys else given.lumped_end
    (log, cpu), (_, less), _ = run("whole", end), run("short", COMPARED), run("tight", COMPARED, "tolerance=1e-9 mV", "precision=double")
    lines = subprocess.run([given.cardiac, "compare", f"{given.folder}/short/run.vtkhdf", f"{given.folder}/tight/run.vtkhdf", "--field", "V", "--json"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    version = subprocess.run([given.cardiac, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    return {"version": version, "nodes": int(found(r"mesh: (\d+) nodes", log)), "ms": found(r"time a step: ([\d.e-]+) ms", log),
            "cpu_ms": 1e3 * (cpu - less) * given.step / (end - COMPARED), "P1": found(r" P1 ([\d.]+)", log), "P8": found(r" P8 ([\d.]+)", log),
            "error": max(json.loads(line).get("max") or 0 for line in lines)}


def beside(words):
    """Rows of beside.csv of one mesh, step and device; those of others stay"""
    parser = argparse.ArgumentParser()
    parser.add_argument("cardiac")
    parser.add_argument("folder")
    for name, default in (("edge", 0.5), ("step", 0.02), ("end", 62.0), ("lumped-end", 150.0)):
        parser.add_argument("--" + name, type=float, default=default)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--processor", default="CPU, one thread")
    parser.add_argument("--torchcor", default="")
    parser.add_argument("--fenicsx", default="")
    parser.add_argument("--only", default="", help="settings that contain this text")
    given = parser.parse_args(words)
    Path(given.folder).mkdir(parents=True, exist_ok=True)
    slab = f"{given.folder}/slab.pts"
    subprocess.run([given.cardiac, "mesh", "slab", slab, "--size", "20mm,7mm,3mm", "--spacing", f"{given.edge}mm", "--overwrite"], check=True,
                   stdout=subprocess.DEVNULL)
    made = [("cardiac", what, ours(given, keys)) for what, keys in SETTINGS.items() if given.only in what]
    for name, settings in OTHERS.items():
        if not getattr(given, name):
            continue
        for what, options in [row for row in settings if given.only in row[0]]:
            text = [str(LAB.parents[1] / "kernels/models/tp06.mmt")] if name == "fenicsx" else []
            command = [*shlex.split(getattr(given, name)), str(LAB / f"side_by_side_{name}.py"), slab, *text, str(given.step),
                       str(given.lumped_end if "--lumped" in options else given.end), *options]
            command += ["--device", given.device] * (name == "torchcor")
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
            made.append((NAMES[name], what, json.loads(done.stdout.splitlines()[-1])))
    table_of = LAB / "beside.csv"
    kept = [r for r in load_rows(table_of) if (r["edge_mm"], r["step_ms"], r["processor"]) != (f"{given.edge:g}", f"{given.step:g}", given.processor)
            or (r["program"].split()[0], r["settings"]) not in {(name, what) for name, what, _ in made}]
    for name, what, r in made:
        kept.append({"program": f"{name} {r['version']}", "settings": what, "processor": given.processor, "edge_mm": f"{given.edge:g}",
                     "nodes": r["nodes"], "step_ms": f"{given.step:g}", "ms_per_step": f"{r['ms']:.3g}",
                     "cpu_ns_per_node_step": f"{1e6 * r['cpu_ms'] / r['nodes']:.4g}", "error_mV": f"{r['error']:.2g}",
                     "P1_ms": f"{r['P1']:.2f}", "P8_ms": "" if r["P8"] is None else f"{r['P8']:.2f}"})
    with table_of.open("w", newline="") as file:
        out = csv.DictWriter(file, kept[0], lineterminator="\n")
        out.writeheader()
        out.writerows(kept)


def load_rows(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class Axis:
    def __init__(self, low, high, first, last, ticks):
        self.low, self.high, self.first, self.last, self.ticks = low, high, first, last, ticks

    def place(self, value):
        return self.low + (self.high - self.low) * (value - self.first) / (self.last - self.first)


def curve(points, x, y, colour, dashed=False, marks=False):
    places = [(x.place(a), y.place(b)) for a, b in points]
    way = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    body = [f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"{" stroke-dasharray=&quot;4 3&quot;" if dashed else ""}/>']
    body = [line.replace("&quot;", '"') for line in body]
    if marks:
        body += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{"white" if dashed else colour}" stroke="{colour}"/>' for a, b in places]
    return body


def diagonal(rows):
    """Left: activation from P1 to P8 at the shortest step"""
    x, y = Axis(60, 350, 0, 22, (0, 5, 10, 15, 20)), Axis(420, 40, 0, 130, range(0, 131, 20))
    body = grid(x, y, "mm from P1 to P8, dt = 0.005 ms", "activation, ms", 36)
    for r in rows:
        if r["step_ms"] == 0.005:
            points = [(LENGTH * k / PIECES, r["D%02d_ms" % k]) for k in range(PIECES + 1)]
            body += curve(points, x, y, COLOURS[r["edge_mm"]], dashed=r["mass_lumping"] < 1)
    for k, (edge, colour) in enumerate(COLOURS.items()):
        body.append(text_at(70, 60 + 16 * k, f"{edge:g} mm", "start", f' fill="{colour}"'))
    body.append(text_at(70, 108, "full: f = 1; dashed: f = 1/2", "start"))
    return body


def corner(rows, others):
    """Right: P8 over the edge, with other programs"""
    x, y = Axis(420, 700, 0, 0.55, (0.1, 0.2, 0.5)), Axis(420, 40, 30, 130, range(30, 131, 20))
    body = grid(x, y, "edge, mm", "P8, ms", 36)
    low, high = y.place(CODES[0]), y.place(CODES[1])
    body.append(f'<rect x="{x.low}" width="{x.high - x.low}" y="{high:.1f}" height="{low - high:.1f}" fill="#f0c040" fill-opacity="0.6"/>')
    for k, (lumping, name) in enumerate(((1, "cardiac, f = 1"), (0.5, "cardiac, f = 1/2 (dashed)"))):
        points = [(r["edge_mm"], r["P8_ms"]) for r in rows if r["step_ms"] == 0.005 and r["mass_lumping"] == lumping]
        body += curve(points, x, y, "#2060a8", dashed=lumping < 1, marks=True)
        body.append(text_at(430, 60 + 16 * k, name, "start", ' fill="#2060a8"'))
    names = list(dict.fromkeys(r["program"] for r in others))
    for k, (name, colour) in enumerate(zip(names, ("#c03028", "#308048"))):
        body += curve([(r["edge_mm"], r["P8_ms"]) for r in others if r["program"] == name], x, y, colour, marks=True)
        body.append(text_at(430, 92 + 16 * k, name, "start", f' fill="{colour}"'))
    body.append(text_at(430, 124, f"band: codes at 0.05 mm, {CODES[0]:g} to {CODES[1]:g} ms", "start", ' fill="#907000"'))
    return body


def figure(rows, others):
    body = diagonal(rows) + corner(rows, others)
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="720" height="470" font-family="sans-serif" font-size="11">\n'
            '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n")


def times_table(rows):
    return table(["program", "method", "nodes or cells", "ms a step", "its own error", "source"],
                 [[r["program"], r["what"], f"{r['nodes']:,.0f}", f"{r['ms_per_step']:g}", r["error"], f"[{r['source']:.0f}]"] for r in rows])


def mass(row):
    return row["settings"].rsplit(", ", 1)[1]


def price(row):
    """What is compared: CPU time of a node and step, in ns, or wall time of a step on a GPU, in ms"""
    return float(row["cpu_ns_per_node_step" if row["processor"].startswith("CPU") else "ms_per_step"])


def alike(rows):
    """[rows of one mesh, processor and mass matrix, this program first] where another program ran with them, all with theta 1/2; the consistent
    matrix first, then GPUs, then fine meshes"""
    groups = {}
    for r in rows:
        if "theta 1/2" in r["settings"]:
            groups.setdefault((mass(r), r["processor"], -int(r["nodes"])), []).append(r)
    order = sorted(groups, key=lambda key: (key[0] != "consistent mass", key[1].startswith("CPU"), key[2]))
    found = [sorted(groups[key], key=lambda r: not r["program"].startswith("cardiac")) for key in order]
    return [group for group in found if len({r["program"] for r in group}) > 1]


def alike_part(rows):
    """A sentence of the consistent matrix, and the table"""
    said, body = [], []
    for group in alike(rows):
        ours, *others = group
        unit = "ns" if ours["processor"].startswith("CPU") else "ms"
        if mass(ours) == "consistent mass":
            said.append(f"{int(ours['nodes']):,} nodes on {ours['processor']}: " + ", ".join(
                f"{price(r) / price(ours):.2g} ({r['program'].split()[0]}, {r['settings'].split(', theta')[0]})" for r in others))
        for r in group:
            body.append([mass(r).split()[0], f"{int(r['nodes']):,}", r["processor"], r["program"], r["settings"].split(", theta")[0],
                         f"{price(r):g} {unit}", f"{price(r) / price(ours):.2g}", r["error_mV"], r["P8_ms"]])
    return ("Time of the others divided by that of `cardiac`, consistent mass matrix: " + "; ".join(said) + ".\n\n" +
            table(["mass", "nodes", "on", "program", "settings", "time", "ratio", "error of its solver, mV", "P8, ms"], body))


def own_table(rows, beside_rows):
    """This program's methods on 0.1 mm at 0.02 ms on the card: a step's time, and of P8 the errors of step and mesh. Of staggered sweeps those
    with theta 1/2, as the program steps."""
    series = Series(rows)
    runs = [(r["splitting"], r["method"], r["f"], r["ms_per_step"], r["P8_ms"]) for r in rows
            if r["section"] == "steps" and (r["dx_mm"], r["dt_ms"]) == (0.1, 0.02) and "H200" in r["device"] and
            (r["splitting"], r["method"], r["theta"]) != ("staggered", "jacobi", 1)]
    runs += [("staggered", "chebyshev", 0, float(r["ms_per_step"]), float(r["P8_ms"])) for r in beside_rows
             if r["edge_mm"] == "0.1" and r["settings"] == "staggered, theta 1/2, consistent mass"]
    body = []
    for splitting, method, f, ms, p8 in sorted(runs, key=lambda run: (-run[2], run[3])):
        short = series.short_steps(0.1, f)[0]
        body.append([f"{f:g}", splitting, method, f"{ms:g}", f"{p8:.2f}", f"{p8 - short:+.2f}", f"{short - series.converged():+.2f}"])
    return table(["f", "splitting", "method", "ms a step", "P8, ms", "error of the step", "error of the mesh"], body)


def corners_table(rows, others):
    body = [[f"cardiac, f = {r['mass_lumping']:g}", f"{r['edge_mm']:g} mm", f"{r['step_ms']:g} ms", f"{r['P1_ms']:.2f}", f"{r['P8_ms']:.2f}", "[5]"]
            for r in rows]
    body += [[r["program"], f"{r['edge_mm']:g} mm", f"{r['step_ms']:g} ms", f"{r['P1_ms']:.2f}", f"{r['P8_ms']:.2f}", f"[{r['source']:.0f}]"]
             for r in others]
    return table(["program", "edge", "step", "P1, ms", "P8, ms", "source"], body)


def limit(report):
    """What `converge` says of P8, and whether its bar holds what is known"""
    line = next(line for line in report.splitlines() if line.startswith("activation of P8") and "+-" in line)
    value, bar = (float(line.split()[k]) for k in (3, 5))
    known = round(Series(load("accuracy.csv")).converged(), 2)
    held = [f"{v:g} ms: {'inside' if abs(v - value) <= bar else 'outside'}" for v in (known, *CODES)]
    return (f"`cardiac converge configs/niederer.yaml --levels 3` (edges of 0.2, 0.1 and 0.05 mm) gives P8 = **{value:g} +- {bar:g} ms**. Known "
            f"are {known:g} ms (the limit of [accuracy.md](accuracy.md)) and {CODES[0]:g} to {CODES[1]:g} ms (three codes at 0.05 mm and "
            f"0.001 ms [6]): {'; '.join(held)}.")


def excerpt(report):
    """The report's lines of the whole tissue and two probes, as a block"""
    lines = [line.rstrip() for line in report.splitlines()]
    kept = [line for line in lines if line.startswith(KEPT) or not line or "this run  " in line or "This run" in line or
            line.startswith(("The largest", "map activation_time, edge", "map activation_time, step"))]
    tidy = [line for k, line in enumerate(kept) if line or (k and kept[k - 1])]
    return "\n".join(["```text", *tidy, "```"])


def main():
    if sys.argv[1:2] == ["beside"]:
        beside(sys.argv[2:])
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "auto")
    rows, others, times = load("niederer.csv"), load("niederer_others.csv"), load("side_by_side.csv")
    report = (LAB / "niederer_converge.txt").read_text()
    page, user = LAB / "side_by_side.md", LAB.parent / "user" / "confidence.md"
    text = page.read_text()
    for marker, part in (("beside", alike_part(load_rows(LAB / "beside.csv"))), ("own", own_table(load("accuracy.csv"), load_rows(LAB / "beside.csv"))),
                         ("times", times_table(times)), ("corners", corners_table(rows, others)),
                         ("limit", limit(report))):
        text = replaced(text, marker, part)
    made = {page: text, user: replaced(user.read_text(), "niederer", excerpt(report)), LAB / "niederer.svg": figure(rows, others)}
    stale = [path for path, words in made.items() if not path.exists() or path.read_text() != words]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.name} is not what the files of docs/lab say: run docs/lab/side_by_side.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
