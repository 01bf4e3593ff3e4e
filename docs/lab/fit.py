#!/usr/bin/env python3
"""fit.py [--check]: fit.csv -> the table of docs/theory/fit.md, of fits of planted truth; --check: status 1 if the page holds another one.

fit.py run MESH KIND SITES SEEDS [TRUTH]: plants by the full model sites on the endocardium, at least 20 mm apart, their times from 10 to 30 ms and
two velocities, and fits them by `cardiac fit`, no first guess, in a folder fit-KIND-SITES-SEED: KIND is map (200 endocardial points with 2 ms) or
leads (twelve, each with noise of 1 % of its peak). MESH.ele, .node and .fib are a heart with both ventricles, such as crtdemo of openCARP's examples.
SEEDS: 1-10. TRUTH: how the heart that is measured differs from the one that is fitted: finer (edges half as long), electrodes (V1 to V6 are 5 mm
elsewhere) or scar (conductivity is a twentieth within 12 mm of a point of the endocardium). Adds rows to fit.csv; PYTHONPATH names app/python.
Rows of geo1 are those of a finer heart on a GPU, whose cpu is the time on the wall, of maps with all waves."""
import csv
import itertools
import os
import resource
import statistics
import subprocess
import sys
import warnings

from pages import LAB, replaced

PAGE, TABLE = LAB.parent / "theory" / "fit.md", LAB / "fit.csv"
COLUMNS = ("kind", "sites", "truth", "seed", "runs", "cpu", "misfit", "mm", "ms", "percent")
ELECTRODES = {"RA": (-145, 37.9, 101), "LA": (192, -74.9, 151), "LL": (155, -123, -408), "V1": (-18.2, -107, -25), "V2": (31.1, -129, -16.8),
              "V3": (63.6, -136, -31.4), "V4": (99.4, -136, -47.6), "V5": (145, -113, -46.4), "V6": (182, -72.5, -48.4)}  # mm
CONFIG = """version: 1
mesh: {file: %s.ele, scale: 1 mm}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: mitchell-schaeffer, velocity: {longitudinal: 0.8 m/s, transverse: 0.5 m/s, on: fine}}]
stimuli:
%s
time: {end: %d ms, step: 0.1 ms}
output: {directory: out, every: %d ms, maps: [activation_time]}
ecg: {electrodes: {%s}%s}
%s"""
SITE = "  - {name: s%d, sphere: {centre: [46.8 mm, -51.9 mm, -30.9 mm], radius: 5 mm}, start: 0 ms, duration: 2 ms, current: 100 uA/uF}"
PLACE = "    stimuli[%d].sphere.centre: {on: surface(lv) or surface(rv)}\n    stimuli[%d].start: {from: 0 ms, to: 45 ms}\n"
REGION = "tissue.regions[0].velocity"
TRUTHS = ("as fitted", "finer", "electrodes", "scar")
VELOCITIES = "    %s.longitudinal: {from: 0.65 m/s, to: 1.1 m/s}\n    %s.transverse: {from: 0.42 m/s, to: 0.72 m/s}\n" % (REGION, REGION)


def config(mesh, sites, end, more="", target="", positions=ELECTRODES):
    electrodes = ", ".join("%s: [%g mm, %g mm, %g mm]" % (name, *at) for name, at in positions.items())
    return CONFIG % (mesh, "\n".join(SITE % k for k in range(sites)), end, end, electrodes, target, more)


def moved(rng):
    """The electrodes, those of the chest 5 mm elsewhere"""
    found = {}
    for name, at in ELECTRODES.items():
        way = rng.standard_normal(3)
        found[name] = [x + 5 * w / (way @ way) ** 0.5 * name.startswith("V") for x, w in zip(at, way)]
    return found


def plant(mesh, kind, sites, seed, truth):
    """The planted values, and fit.yaml with its target, in the folder"""
    import numpy as np

    import cardiac

    warnings.simplefilter("ignore")
    rng, own = np.random.default_rng(1000 * sites + seed), mesh
    if truth == "finer":
        own = os.path.abspath("finer")
        subprocess.run([os.environ["CARDIAC"], "mesh", "refine", mesh + ".ele", own + ".ele", "--scale=1mm", "--overwrite"], check=True, stdout=subprocess.DEVNULL)
    with open("truth.yaml", "w") as file:
        file.write(config(own, sites, 300, positions=moved(np.random.default_rng(seed)) if truth == "electrodes" else ELECTRODES))
    with open(mesh + ".node") as file:
        coarse = int(file.readline().split()[0])  # these nodes are also the first of a refined mesh
    with cardiac.Simulation("truth.yaml", {"threads": 1}) as sim:
        points = sim.points
        inner = np.flatnonzero((sim["where/surface(lv)"] > 0.5) | (sim["where/surface(rv)"] > 0.5))
        inner = inner[inner < coarse]
        while True:
            at = rng.choice(inner, sites, replace=False)
            if (np.linalg.norm(points[at][:, None] - points[at][None], axis=2) + 99 * np.eye(sites)).min() > 20:
                break
        times = np.r_[10, rng.uniform(10, 30, sites - 1)]
        along, across = rng.uniform(0.72, 0.92), rng.uniform(0.47, 0.58)
        values = {REGION + ".longitudinal": "%g m/s" % along, REGION + ".transverse": "%g m/s" % across}
        for k in range(sites):
            values["stimuli[%d].sphere.centre" % k] = [float(x) for x in points[at[k]]]
            values["stimuli[%d].start" % k] = "%.6f ms" % times[k]
        if truth == "scar":
            far = np.linalg.norm(points[inner][:, None] - points[at][None], axis=2).min(axis=1)
            centre = ", ".join("%g mm" % x for x in points[rng.choice(inner[far > 25])])
            values["tissue.regions[0].scale"] = "if(ball([%s], 12 mm), 0.05, 1)" % centre
        sim.reopen(values)
        rows = [sim["leads"]]
        for t in range(1, 300):
            sim.advance(t, progress=False)
            rows.append(sim["leads"])
        first, names = np.array(sim["activation_time"]).reshape(sim.nodes, -1)[:, 0], sim.fields["leads"]["names"]
    fit = "fit:\n  evaluations: 400\n  parameters:\n" + "".join(PLACE % (k, k) for k in range(sites)) + VELOCITIES
    end = int(np.nanpercentile(first, 99.9) + 8)
    if kind == "map":
        nodes = rng.choice(inner[~np.isnan(first[inner])], 200, replace=False)
        table = zip(nodes, first[nodes] + 2 * rng.standard_normal(200))
        head, target = "node,activation (ms)", ""
        fit += "activation: {target: measured.csv, noise: 2 ms}\n"
    else:
        leads = np.array(rows)[: end + 1]
        sigma = 0.01 * abs(leads).max(axis=0)
        leads = leads + sigma * rng.standard_normal(leads.shape)
        table, head = ((t, *row) for t, row in enumerate(leads)), "time (ms)," + ",".join(names)
        target = ", target: measured.csv, noise: %.6g mV" % np.sqrt((sigma**2).mean())
    with open("measured.csv", "w") as file:
        file.write(head + "\n" + "".join(",".join("%.8g" % x for x in row) + "\n" for row in table))
    with open("fit.yaml", "w") as file:
        file.write(config(mesh, sites, end, fit, target))
    return points[at], times, (along, across)


def errors(planted, sites):
    """Runs, misfit, and the farthest site (mm), time (ms) and velocity (%)"""
    import numpy as np

    places, times, velocities = planted
    with open("out/table.csv") as file:
        rows = list(csv.DictReader(file))
    best = min((row for row in rows if row["misfit"]), key=lambda row: float(row["misfit"]))
    p = np.array([[float(best["stimuli[%d].sphere.centre.%s (mm)" % (k, axis)]) for axis in "xyz"] for k in range(sites)])
    t = np.array([float(best["stimuli[%d].start (ms)" % k]) for k in range(sites)])
    order = min(itertools.permutations(range(sites)), key=lambda o: np.linalg.norm(p[list(o)] - places, axis=1).sum())
    v = [float(best["%s.%s (m/s)" % (REGION, way)]) for way in ("longitudinal", "transverse")]
    apart = np.linalg.norm(p[list(order)] - places, axis=1).max(), abs(t[list(order)] - times).max(), 100 * abs(np.array(v) / velocities - 1).max()
    return [len(rows), float(best["misfit"]), *apart]


def run(mesh, kind, sites, seeds, truth=TRUTHS[0]):
    mesh, low, high = os.path.abspath(mesh), *map(int, seeds.split("-"))
    if truth not in TRUTHS:
        sys.exit("%s: expected one of %s" % (truth, ", ".join(TRUTHS)))
    for seed in range(low, high + 1):
        folder = "fit-%s-%d-%d" % (kind, sites, seed) + ("" if truth == TRUTHS[0] else "-" + truth)
        os.makedirs(folder, exist_ok=True)
        os.chdir(folder)
        planted = plant(mesh, kind, sites, seed, truth)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "cardiac", "fit", "fit.yaml", "--threads", "1", "--overwrite", "--quiet"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs, *found = errors(planted, sites)
        os.chdir("..")
        with TABLE.open("a") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([COLUMNS] * (file.tell() == 0))
            writer.writerow([kind, sites, truth, seed, runs, round(after.ru_utime - before.ru_utime), *("%.4g" % x for x in found)])


def table(rows):
    text = ["| target | sites | truth | found | misfit | runs, median (most) | worst site, median (most) | worst start | worst velocity |", "|---|---|---|---|---|---|---|---|---|"]
    for key in dict.fromkeys((row["kind"], row["sites"], row["truth"]) for row in rows):
        own = [row for row in rows if (row["kind"], row["sites"], row["truth"]) == key]
        mm, runs = [float(row["mm"]) for row in own], [int(row["runs"]) for row in own]
        found = sum(float(row["mm"]) < 5 and float(row["ms"]) < 3 for row in own)
        misfit, late, worst = (max(float(row[name]) for row in own) for name in ("misfit", "ms", "percent"))
        line = (*key, found, len(own), misfit, statistics.median(runs), max(runs), statistics.median(mm), max(mm), late, worst)
        text.append("| %s | %s | %s | %d of %d | %.3g | %d (%d) | %.2g (%.2g) mm | %.2g ms | %.2g %% |" % line)
    return "\n".join(text)


def main():
    if sys.argv[1:2] == ["run"]:
        return run(sys.argv[2], sys.argv[3], int(sys.argv[4]), *sys.argv[5:7])
    page = PAGE.read_text()
    with TABLE.open() as file:
        new = replaced(page, "fit", table(list(csv.DictReader(file))))
    if "--check" in sys.argv and new != page:
        sys.exit("%s differs from %s: run docs/lab/fit.py" % (PAGE.name, TABLE.name))
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
