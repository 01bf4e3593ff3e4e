#!/usr/bin/env python3
"""test_fit.py CARDIAC GROWING SOURCE: `cardiac fit` finds values that were planted in a cable, and two sites in a sheet, the same to the byte
after a kill and with another zero of time and amplitude; every column of its table is that of its run; the search reaches the least values
of known functions, and its intervals hold the planted values as often as they say; lag and gain are solved for, and slopes of superposed
waves are those of their differences; misfits of a measurement that is a shifted and scaled computation are known; wrong files and bounds
are refused with their places, before a run."""
import json
import math
import random
import re
import shutil
import signal
import subprocess
import time
from argparse import Namespace
from unittest import mock

from support import FULL, Case, cardiac_program, full, main, needs, np, os

import cardiac
from cardiac import target
from cardiac.studies import dictionary, exact, fit
from cardiac.studies.domain import Domain, Faces, Place, Range, _nearest_of_faces
from cardiac.studies.fit import MAGIC, Fit as Study
from cardiac.studies.forest import BEFORE, Forest as Superposed, Grid, Leads, Parts, Spot, Surface, Templates, Unsuited, layout, meeting, soft_minimum
from cardiac.studies.insertion import Insertion
from cardiac.studies.measured import Measured
from cardiac.studies.study import Watch
from cardiac.studies.search import Search, Spent, length
from cardiac.studies.table import read
from cardiac.studies.verdict import conclude, deviations, differ, quantile

CABLE = """version: 1
mesh: {cable: {length: 20 mm, spacing: 0.5 mm}}
tissue:
  surface_to_volume: 140 /mm
  regions: [{model: mitchell-schaeffer, conductivity: %s S/m}]
stimuli: [{sphere: {centre: [%s mm, 0 mm, 0 mm], radius: 1.5 mm}, start: %s ms, duration: 2 ms, current: 50 uA/uF}]
time: {end: 50 ms, step: 0.1 ms}
solver: {precision: double}
ecg: {electrodes: {A: [0 mm, 10 mm, 0 mm], B: [20 mm, 10 mm, 0 mm]}%s}
output: {directory: out, every: 50 ms}
"""
FIT = """fit:
  evaluations: 250
  parameters:
    tissue.regions[0].conductivity: {from: 0.1 S/m, to: 0.6 S/m}
    stimuli[0].start: {from: 0 ms, to: 10 ms}
    stimuli[0].sphere.centre: {on: x < 20 mm}
"""


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def without_pages():
    """The environment of a fit that draws no page, which takes as long as all else"""
    os.makedirs("none", exist_ok=True)
    write("none/matplotlib.py", "raise ModuleNotFoundError(name='matplotlib')\n")
    return {**os.environ, "PYTHONPATH": os.path.abspath("none")}


def table_of(folder):
    """Rows by the names of the columns"""
    names, rows = read(folder + "/table.csv")
    return [dict(zip(names, row)) for row in rows]


def recompute(test, config, row):
    """Every column of a row of a fit, from the fields of its run"""
    with cardiac.Simulation(config, {"threads": 1}) as sim:
        resolved, places = sim.config, {}
        for name, text in row.items():
            key, unit = re.fullmatch(r"(.*?)(?: \((.*)\))?", name).groups()
            if key.endswith((".x", ".y", ".z")):
                places.setdefault(key[:-2], []).append(text + " mm")
            elif "[" in key:
                places[key] = "%s %s" % (text, unit)
        sim.reopen({**places, "stop_when": "never"})
        end, leads = float(resolved["time"]["end"].split()[0]), [sim["leads"]]
        for t in range(1, int(end) + 1):
            sim.advance(t, progress=False)
            leads.append(sim["leads"])
        leads, first, names = np.array(leads), sim["activation_time"].reshape(sim.nodes, -1)[:, 0], sim.fields["leads"]["names"]
    parts, noises, expected = [], [], {}
    if resolved["ecg"].get("target"):
        measured, unknown = target.read_leads(resolved["ecg"]["target"]), [key for key in ("lag", "gain") if resolved["ecg"].get(key) == "fitted"]
        M, own, at = measured.values, leads[:, [names.index(name) for name in measured.names]], measured.times
        lags = np.arange(at[-1] - end, at[-1], 0.05) if "lag" in unknown else [0.0]

        def compared(lag):
            x = np.clip(at - lag, 0, len(own) - 1)
            k = np.minimum(x.astype(int), len(own) - 2)
            s = (x - k)[:, None]
            shares = (-s + 2 * s**2 - s**3) / 2, 1 - (5 * s**2 - 3 * s**3) / 2, (s + 4 * s**2 - 3 * s**3) / 2, (s**3 - s**2) / 2  # Catmull and Rom's
            C = sum(share * own[np.clip(k + j - 1, 0, len(own) - 1)] for j, share in enumerate(shares))
            gain = (C * M).sum() / (C * C).sum() if "gain" in unknown and C.any() else 1.0
            return ((gain * C - M) ** 2).mean(), lag, gain, C

        best = min(map(compared, lags), key=lambda x: x[0])
        if "lag" in unknown:
            best = min(map(compared, best[1] + np.arange(-0.05, 0.05, 0.002)), key=lambda x: x[0])
        square, lag, gain, C = best
        expected["ecg_rms (mV)"] = square**0.5
        for key, value in (("lag", lag), ("gain", gain)):
            if key in unknown:
                test.assertLess(abs(float(row["ecg_lag (ms)" if key == "lag" else "ecg_gain"]) - value), 0.05 if key == "lag" else 0.01 * value)
        half = len(at) // 2
        most = min(half, int(100 / (at[1] - at[0])))
        shifted = [[np.corrcoef(a[max(k, 0) : len(a) + min(k, 0)], b[max(-k, 0) : len(b) - max(k, 0)])[0, 1] for a, b in zip(M.T, C.T)]
                   for k in range(-most, most + 1)]
        expected["ecg_r"] = max(np.mean(of) for of in shifted)
        parts.append(square), noises.append((resolved["ecg"]["noise"], (M * M).mean() ** 0.5, M.size))
    if resolved["activation"].get("target"):
        with open(resolved["activation"]["target"]) as file:
            nodes, measured = np.array([line.split(",") for line in file.read().split("\n")[1:-1]], float).T
        apart = measured - np.where(np.isnan(first), end, first)[nodes.astype(int)]
        if resolved["activation"].get("lag") == "fitted":
            expected["lat_lag (ms)"] = apart.mean()
            apart = apart - apart.mean()
        expected["lat_rms (ms)"] = (apart**2).mean() ** 0.5
        parts.append((apart**2).mean()), noises.append((resolved["activation"]["noise"], measured.std(), len(measured)))
    known = all(float(noise.split()[0]) > 0 for noise, _, _ in noises)
    if known:
        whole = sum(count for _, _, count in noises)
        expected["misfit"] = math.sqrt(sum(square * count / float(noise.split()[0]) ** 2 for square, (noise, _, count) in zip(parts, noises)) / whole)
    else:
        expected["misfit"] = math.sqrt(sum(square / size**2 for square, (_, size, _) in zip(parts, noises)) / len(parts))
    for name, value in expected.items():
        test.assertLess(abs(float(row[name]) / value - 1), 1e-3 if "ecg_lag (ms)" in row else 1e-6, (name, row[name], value))
    test.assertEqual((row["message"], row["id"]), ("", json.loads(test.shell("check", config, "--syntax", "--json", "--set", "device=cpu"))["ids"]["fit"]))
    test.assertLessEqual({name for name, cell in row.items() if cell and "[" not in name}, {*expected, "id", "run", "at_bound", "message", "ecg_lag (ms)", "ecg_gain"})


def leads_file(name, times, names, columns):
    rows = [",".join("%.17g" % x for x in row) for row in zip(times, *columns)]
    write(name, "\n".join([",".join(["time (ms)", *("%s (mV)" % n for n in names)]), *rows]) + "\n")


class Numbers(Case):
    def test_sums_and_solutions(self):
        rng = random.Random(1)
        a = np.array([rng.uniform(-1, 1) * 10.0 ** rng.randint(-8, 8) for _ in range(50)])
        order = list(range(50))
        rng.shuffle(order)
        self.assertEqual(exact.dot(a, a), exact.dot(a[order], a[order]))
        for x in (1e-300, 0.3, 1.0, 2.5, 1e200):
            self.assertLessEqual(abs(exact.log(x) - math.log(x)), math.ulp(math.log(x)))
        self.assertLessEqual(abs(exact.exp(1.5) - math.exp(1.5)), math.ulp(math.exp(1.5)))
        matrix = np.array([[rng.gauss(0, 1) for _ in range(8)] for _ in range(8)])
        matrix = matrix @ matrix.T
        right = matrix @ np.arange(8.0)
        self.assertLess(abs(np.array(exact.solve(matrix, list(right))) - np.arange(8)).max(), 1e-8)
        normal = np.array([exact.Random("a").normal(), *exact.Random("b").normals(2000)])
        self.assertLess(abs(normal.mean()) + abs(normal.std() - 1), 0.1)

    def search(self, residuals, starts, most, good, widths=(8, 4, 0)):
        """The vector that a search finds within so many runs, which is good; one with more runs begins with the same. The runs."""
        parts = [Range(str(k), (0.0, 1.0), x, "") for k, x in enumerate(starts)]

        def run(left):
            made = []

            def evaluate(vectors):
                made.extend(vectors[: left - len(made)])
                if len(made) == left:
                    return []
                return [residuals(u) for u in vectors]

            try:
                Search(Domain(parts), exact.Random("1"), evaluate, lambda r, _: r, widths=widths).run()
            except Spent:
                pass
            return made

        made = run(most)
        self.assertTrue(np.array_equal(made, run(most + 7)[: len(made)]))
        best = min(made, key=lambda u: length(residuals(u)) if residuals(u) is not None else math.inf)
        self.assertTrue(good(best), best)
        return made

    def test_search(self):
        def curved(u):  # Rosenbrock's, least at x = y = 1
            x, y = 3 * u - 1
            return np.array([1 - x, 10 * (y - x * x)])

        made = self.search(curved, [0.1, 0.9], 150, lambda u: length(curved(u)) < 1e-6)
        self.assertLess(len(made) - min(k for k, u in enumerate(made) if length(curved(u)) < 1e-9), 4)  # of the same step

        def bent(u):  # of maps no width is smoothed, so that one descent is enough
            return np.array([u[0] - 0.3, u[1] ** 2 - 0.2, 0.1 * u[0] * u[1], 0.2])

        runs = [len(self.search(bent, [0.9, 0.9], 80, lambda u: abs(u[0] - 0.3) < 0.01, widths)) for widths in ((8, 4, 0), (0,))]
        self.assertLess(runs[1], runs[0] - 8)

        def wavy(u):  # the first value has four other minima
            return np.array([np.sin(5 * np.pi * (u[0] - 0.37)), 0.3 * (u[0] - 0.37), u[1] - 0.6, 0.5 * (u[1] * u[0] - 0.222)])

        self.search(wavy, [0.9, 0.1], 300, lambda u: length(wavy(u)) < 1e-3)

        def holed(u):  # the start fails, and so do others
            return None if u[0] > 0.5 else u - 0.3

        self.search(holed, [0.8, 0.8], 60, lambda u: abs(u - 0.3).max() < 1e-3)

    def test_false_set(self):
        """A set that cannot come within the noise is left after few runs, one that can is followed to its end."""
        for floor, most in ((2.0, 32), (0.0, 60)):
            made = []

            def evaluate(vectors):  # a bent valley
                made.extend(vectors)
                return [np.array([floor, 1, 1.5 * (1 - 3 * u[0]), 3 * (3 * u[1] - 1 - (3 * u[0] - 1) ** 2)]) for u in vectors]

            search = Search(Domain([Range(k, (0.0, 1.0), 0.5, "") for k in "ab"]), exact.Random("1"), evaluate, lambda r, _: r, 1.05)
            Insertion(None, search, search.random, 1.05)._finish(search.points([np.array([0.95, 0.75])])[0])
            self.assertLess(len(made), most)
            self.assertEqual(search.ends[0][0].misfit < 1.0001, not floor)
            self.assertEqual(bool(search.converged), not floor)  # of what is left nobody knows how much better it could be

    def test_intervals(self):
        """90 % intervals of 300 planted values hold 85 to 95 % of them, of known noise, and of unknown one with a gain that is solved for."""
        x = np.linspace(0, 4, 60)
        truth = np.array([0.35, 0.6, 0.5])

        def curve(u):
            return np.exp(-((x - 4 * u[0]) / (0.3 + u[1])) ** 2) + 0.4 * u[2] * x

        for known in (True, False) if FULL else (False,):
            held = 0
            for seed in range(100):
                measured = (1 if known else 1.7) * curve(truth) + 0.05 * exact.Random("noise %d" % seed).normals(len(x))
                unit = (0.05 if known else float(np.linalg.norm(measured)) / len(x) ** 0.5) * len(x) ** 0.5
                domain = Domain([Range(k, (0.0, 1.0), 0.45, "") for k in "abc"])

                def evaluate(vectors):
                    gains = [1 if known else curve(u) @ measured / (curve(u) @ curve(u)) for u in vectors]
                    return [(gain * curve(u) - measured) / unit for gain, u in zip(gains, vectors)]

                search = Search(domain, exact.Random(str(seed)), evaluate, lambda r, _: r, 1.3 if known else 0)
                search.run()
                verdict = conclude(domain, search, search, len(x), known, int(not known))
                held += sum(v.interval[0] <= t <= v.interval[1] for v, t in zip(verdict.values, truth) if v.interval)
            self.assertTrue(255 <= held <= 285, held)

    def test_quantile(self):
        """Of Student's distribution to the next term of its expansion, (3 z^7 + 19 z^5 + 17 z^3 - 15 z) / (384 n^3); of the tables of it"""
        for share, free, z, known in ((0.9, 20, 1.6448536, 1.7247182), (0.9, 30, 1.6448536, 1.6972609), (0.95, 30, 1.9599640, 2.0422725)):
            more = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
            self.assertAlmostEqual(quantile(share, free) + more, known, delta=1e-5)

    def test_verdict(self):
        """Values that do not count, at a bound, and other sets that fit as well."""
        domain = Domain([Range(k, (0.0, 1.0), x, "") for k, x in (("a", 0.7), ("b", 0.5), ("c", 0.5))])

        def evaluate(vectors):  # a or 1 - a; b beyond its bound; c counts for nothing
            return [np.array([(u[0] - 0.5) ** 2 - 0.04, 0.1 * (u[1] - 1.2), 0.0, 0.0]) for u in vectors]

        search = Search(domain, exact.Random("1"), evaluate, lambda r, _: r)
        for start in (0.9, 0.1):
            search.ends.append(search.descend(search.points([np.array([start, 0.5, 0.5])])[0]))
        verdict = conclude(domain, search, search, 4, False)
        self.assertEqual([v.note for v in verdict.values], ["", "at its bound", "not determined"])
        wide = {free: np.diff(conclude(domain, search, search, 10, False, 8 - free).values[0].interval)[0] for free in (8, 7)}  # two inner values
        self.assertAlmostEqual(wide[7] / wide[8], quantile(0.9, 7) / quantile(0.9, 8) * math.sqrt(8 / 7), delta=1e-9)
        self.assertEqual(len(verdict.others), 1)
        self.assertIn("not unique: 1 other set", " ".join(verdict.words()))
        self.assertIn("; 90 % between ", " ".join(verdict.lines()))

    def test_deviations(self):
        """Of differences that are linear in each value, in its unit; a place is another beyond a fiftieth of the box, whichever of the sites it is of."""
        domain = Domain([Range("a", (10.0, 30.0), 20, ""), Range("b", (0.0, 0.5), 0.2, ""), Range("c", (0.0, 1.0), 0.2, "")])
        spread, own = deviations(domain, np.full(3, 0.5), list(np.eye(3)), np.array([[0.0, 2], [4, 0], [0, 0]]), 0.25)
        np.testing.assert_allclose(spread, [20 * 0.5 / 2, 0.5 * 0.5 / 4, math.nan])
        np.testing.assert_allclose(own, [0.5, 0.5])
        self.assertEqual([differ(domain, np.zeros(3), np.array([0, 0, x])) for x in (0.019, -0.021)], [False, True])
        places = Namespace(parts=[None, None], own=lambda u, k: u[3 * k : 3 * k + 3])
        there = np.array([0.0, 0, 0, 1, 1, 1])
        for other, apart in (([1, 1, 1, 0, 0, 0], False), ([0.019, 0, 0, 1, 1, 1], False), ([0, 0, 0, 1, 1, 1.021], True), ([1, 1, 1, 0, 0.021, 0], True)):
            self.assertEqual(differ(places, there, np.array(other, float)), apart, other)

    def test_scale(self):
        """What differences are divided by: the noise, or the signal, so that their squares add up to that of the misfit; the misfit of no wave"""
        own, leads, times = Measured.__new__(Measured), np.array([[3.0, 4], [0, 0]]), np.array([1.0, 5, 9])
        own.leads, own.activation = Namespace(values=leads), Namespace(times=times)
        own._scale(["0.5 mV", "2 ms"])
        np.testing.assert_allclose((own.lead_factor, own.time_factor, own.size), (1 / (0.5 * 7**0.5), 1 / (2 * 7**0.5), ((25 / 0.25 + 32 / 4) / 7) ** 0.5))
        for noises in ["0.5 mV", None], ["0.5 mV", "0 ms"]:
            own._scale(noises)
            np.testing.assert_allclose((own.lead_factor, own.time_factor, own.size), (1 / 50**0.5, 1 / 64**0.5, 1))
            self.assertFalse(own.knows_noise)
        own.leads = None
        own._scale(["2 ms"])
        np.testing.assert_allclose((own.lead_factor, own.time_factor), (0, 1 / (2 * 3**0.5)))

    def test_nearest(self):
        """Of triangles the nearest point, against a fine grid of each; times that are relative begin with the least of them."""
        rng = np.random.default_rng(3)
        corners, p = rng.normal(size=(60, 3, 3)), 2 * rng.normal(size=(60, 3))
        s, t = (x.ravel() for x in np.meshgrid(*[np.linspace(0, 1, 101)] * 2))
        shares = np.stack([1 - s - t, s, t], 1)[s + t <= 1 + 1e-9]
        near = np.linalg.norm(shares @ corners - p[:, None], axis=2).min(1)
        best = np.linalg.norm(_nearest_of_faces(p, corners) - p, axis=2).min(0)
        self.assertTrue((best <= near + 1e-12).all() and (best >= near - 0.02).all())
        domain = Domain([Range("a", (0.0, 10.0), 2, "ms"), Range("b", (5.0, 25.0), 9, "ms"), Range("v", (0.0, 1.0), 0.3, "")], [0, 1])
        for u, found in (((0.3, 0.2, 0.5), (0, 0.05, 0.5)), ((-0.2, 0.5, 0.5), (0, 0.6, 0.5)), ((0.5, 1.4, 0.5), (0, 1, 0.5)), ((-0.5, 0.9, 1.5), (0, 1, 1))):
            np.testing.assert_allclose(domain.repair(np.array(u)), found, atol=1e-12)
        self.assertEqual([domain.at_bound(domain.values(np.array(u))) for u in ((0.0, 1, 0), (1.0, 0, 1))], [["b (ms)", "v"], ["a (ms)", "v"]])

    def test_devices(self):
        """Runs at once beside the first of each device: a GPU that is named once has several, within cores and nodes."""
        study = Study.__new__(Study)
        cores = len(os.sched_getaffinity(0))
        for names, gpus, all_of_them in ((["auto"], 3, ["cuda:0", "cuda:1", "cuda:2"]), (["auto"], 0, ["auto"]), (["cuda"], 3, ["cuda"])):
            self.assertEqual(study._devices(names, gpus), all_of_them)
        for devices, nodes, others in (
            (["cuda:0"], 1000, ["cuda:0"] * (min(16, cores) - 1)),
            (["cuda:0"], 10**7, []),
            (["cuda:0", "cpu"], 1000, ["cuda:0"] * (min(16, cores // 2) - 1)),
            (["cpu", "cuda:0"], 10**6, ["cuda:0"] * (min(2, cores // 2) - 1)),
            (["cuda:0", "cuda:0"], 1000, ["cuda:0"]),
            (["cpu", "cpu", "cpu"], 1000, ["cpu", "cpu"]),
        ):
            study.devices, study.sims = devices, [Namespace(nodes=nodes)]
            self.assertEqual(study._others(), others)

    def test_stopped_run(self):
        """Of several simulations, all runs before the one that a stop interrupts are stored, in their order."""
        study, stored = Study.__new__(Study), []
        study.watch = Watch("", shown=False)
        study.sims, study.rows, study._made, study.given = [None] * 3, {}, [], Namespace(quiet=True)
        study.domain = Namespace(parts=[Range("v", (0.0, 1.0), 0.5, "")], values=lambda u: [u])
        study.fit, study._said, study._store = {"evaluations": 30}, 0.0, stored.append

        def evaluate(_, row):
            if row.number == 8:
                raise cardiac.RunError("time is up", 4)
            time.sleep(0.01 * (row.number % 3))
            return row

        def stopped():
            raise cardiac.RunError("time is up", 4)

        study._evaluate, study.stop = evaluate, Namespace(check=stopped)
        with self.assertRaisesRegex(cardiac.RunError, "time is up"):
            study.make_runs(list(range(30)))
        self.assertEqual([row.number for row in stored], list(range(1, 8)))

    def test_place(self):
        config = {"mesh": {"ellipsoid": {"size": [10, 20, 4], "edge": 3}}, "time": {"step": 0.1},
                  "tissue": {"surface_to_volume": "140 /mm", "regions": [{"model": "mitchell-schaeffer", "conductivity": "0.2 S/m"}]}}
        with cardiac.Simulation(config) as sim:
            outside = Faces(sim, "surface(epi)")
            place = Place("k", outside, [0, 0, -30])
            alone = Domain([place])
            rng = exact.Random("1")
            outer = sim.points[sim["where/surface(epi)"] > 0.5]
            for _ in range(20):
                wild = np.array([rng.uniform() for _ in range(3)])
                u = alone.repair(wild)
                self.assertLess(abs(alone.repair(u) - u).max(), 1e-12)
                at = np.array(place.values(wild))
                nearest = np.linalg.norm(outer - at, axis=1).min()
                self.assertLessEqual(np.linalg.norm(place.values(u) - at), nearest + 1e-5)
                self.assertGreater(np.linalg.norm(place.values(u) - at), nearest - 3)
                axes = place.directions(u)
                self.assertEqual(len(axes), 2)
                self.assertLess(abs(np.array(axes) @ np.array(axes).T - np.eye(2)).max(), 1e-12)
                for axis in axes:  # along the wall, or at its edge not beyond it
                    ends = [alone.repair(u + sign * 0.02 * axis) for sign in (-1, 1)]
                    self.assertGreater(max(abs((end - u) @ axis) for end in ends), 0.015)
            drawn = np.array([place.values(place.draw(rng)) for _ in range(400)])
            self.assertLess(abs(drawn[:, :2].mean(axis=0)).max(), 2)
            with self.assertRaisesRegex(cardiac.InputError, "selects no face"):
                Faces(sim, "x > 1 m")
            with self.assertRaisesRegex(cardiac.InputError, r"config's value, which is \d\d(\.\d)? mm from the nearest tissue of 'surface\(epi\)'"):
                Place("k", outside, [0, 0, -60])
            bounded = Domain([Range("a", (0.1, 0.7), 0.5, "mV"), place, Range("b", (-1.0, 2.0), None, "")])
            for u, names in ((0.0, ["a (mV)", "b"]), (0.5, []), (1.0, ["a (mV)", "b"])):
                self.assertEqual(bounded.at_bound(bounded.values(bounded.repair(np.full(5, u)))), names)
            # several places at once as one by one; with another vector of the domain, only those that have moved since
            both = Domain([place, Place("l", Faces(sim, "surface(lv)"), [0, 0, -30]), Place("m", outside, [0, 0, -30])])
            wild = np.array([rng.uniform() for _ in range(9)])
            u, sought = both.repair(wild), []
            self.assertEqual(u.tolist(), [x for k in range(3) for x in Domain([both.parts[k]]).repair(wild[3 * k : 3 * k + 3])])
            nearest, moved = outside.nearest, u + np.array([0.0] * 6 + [0.05] * 3)
            outside.nearest = lambda points: sought.append(len(points)) or nearest(points)
            self.assertEqual(both.repair(moved, u).tolist(), [*u[:6], *alone.repair(moved[6:])])
            self.assertEqual(sought, [1, 1])
            outside.nearest = nearest
            # a site at the place of one on other faces is on its own
            waves = Superposed.__new__(Superposed)
            waves.domain, waves.layout = both, Namespace(places=[0, 1, 2], starts=[None] * 3)
            point = outside.points[7]
            self.assertEqual(both.own(waves.with_site(u, 1, point, 0, 0), 1).tolist(), both.parts[1].inwards(both.parts[1].faces.nearest(point[None])[0]).tolist())
            self.assertEqual(both.own(waves.with_site(u, 2, point, 0, 0), 2).tolist(), place.inwards(point).tolist())


SHEET = """version: 1
mesh: {sheet: {size: [24 mm, 24 mm], spacing: 2 mm}}
tissue:
  surface_to_volume: 140 /mm
  regions: [{model: mitchell-schaeffer, velocity: 0.6 m/s}]
stimuli:
  - {sphere: {centre: [%s], radius: 2.5 mm}, start: %s ms, duration: 2 ms, current: 80 uA/uF}
  - {sphere: {centre: [%s], radius: 2.5 mm}, start: %s ms, duration: 2 ms, current: 80 uA/uF}
time: {end: 60 ms, step: 0.1 ms}
solver: {precision: double}
ecg: {electrodes: {A: [0 mm, 0 mm, 9 mm], B: [24 mm, 3 mm, 9 mm], C: [2 mm, 24 mm, 9 mm], D: [24 mm, 24 mm, 9 mm]}%s}
activation: {%s}
output: {directory: out, every: 60 ms, maps: [activation_time]}
"""


class Forest(Case):
    """Two sites, their times and a velocity in a sheet"""

    def plant(self):
        os.environ["XDG_CACHE_HOME"] = os.path.abspath("cache")
        self.addCleanup(os.environ.pop, "XDG_CACHE_HOME")
        write("planted.yaml", SHEET.replace("0.6 m/s", "0.66 m/s") % ("6 mm, 18 mm, 0 mm", "0", "19 mm, 5 mm, 0 mm", "7", "", "beats: 1"))
        result = cardiac.run("planted.yaml", output="planted")
        times, names, _, values = result.table("ecg")
        noise = exact.Random("noise").normals(values.size).reshape(values.shape)
        leads_file("late.csv", times[:50] + 141.3, names, 2.5 * (values + 0.02 * noise).T[:, :50])
        first = result.activation.ravel()[::4]
        first = first + 0.5 * exact.Random("times").normals(len(first))
        for name, lag in (("lat.csv", 0), ("late_lat.csv", -35)):
            write(name, "node,activation (ms)\n" + "".join("%d,%.6f\n" % (4 * k, t + lag) for k, t in enumerate(first)))
        self.fit = "fit: {evaluations: 150, parameters: {" + ", ".join(
            '"stimuli[%d].sphere.centre": {on: x < 30 mm}, "stimuli[%d].start": {from: 0 ms, to: 20 ms}' % (k, k) for k in (0, 1)) \
            + ', "tissue.regions[0].velocity": {from: 0.5 m/s, to: 0.75 m/s}}}\n'

    def run_fit(self, folder, leads, activation, more=()):
        write("fit.yaml", SHEET % ("12 mm, 12 mm, 0 mm", "0", "12 mm, 12 mm, 0 mm", "0", leads, activation) + self.fit)
        done = subprocess.run([cardiac_program, "fit", "fit.yaml", "--device", "cpu", "--output", folder, *more],
                              env=without_pages(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, said):
        best = {name: float(x) for name, x in re.findall(r"(?m)^(\S+).*?: ([-\d.e]+), from", said)}
        found = sorted((best["stimuli[%d].sphere.centre.x" % k], best["stimuli[%d].sphere.centre.y" % k], best["stimuli[%d].start" % k]) for k in (0, 1))
        for site, planted in zip(found, ((6, 18, 0), (19, 5, 7))):
            self.assertLess(math.dist(site[:2], planted[:2]), 1.5, said)
            self.assertLess(abs(site[2] - planted[2]), 1.5, said)
        self.assertLess(abs(best["tissue.regions[0].velocity"] / 0.66 - 1), 0.03)
        self.assertIn("within the noise", said)

    def fit_leads(self):
        """To leads with another zero and amplitude"""
        said = self.run_fit("leads", ", target: late.csv, noise: 0.05 mV, lag: fitted, gain: fitted", "beats: 1")
        self.check(said)
        self.assertLess(abs(float(re.search(r"leads measured (\S+) ms later", said)[1]) - 141.3), 0.5)
        self.assertLess(abs(float(re.search(r"leads (\S+) times as large", said)[1]) / 2.5 - 1), 0.05)
        recompute(self, "fit.yaml", table_of("leads")[-1])
        return said

    def test_two_sites(self):
        self.plant()
        self.assertRegex(self.fit_leads(), r"waves of single sites are in .*; [1-9]\d* are new")

    @full
    def test_two_sites_in_maps(self):
        """From a map, and from one with another zero: the same sites, velocity and difference of starts."""
        self.plant()
        said = self.run_fit("whole", "", "target: lat.csv, noise: 0.5 ms")
        self.assertRegex(said, r"waves of single sites are in .*; [1-9]\d* are new")
        self.check(said)
        rows = table_of("whole")
        ends = {"stimuli[0].start (ms)": ("0", "20"), "stimuli[1].start (ms)": ("0", "20"), "tissue.regions[0].velocity (m/s)": ("0.5", "0.75")}
        for row in rows:
            self.assertEqual(row["at_bound"], " ".join(name for name in ends if row[name] in ends[name]))
        with cardiac.Simulation("whole/fitted.yaml", {"threads": 1}) as sim:  # the same conductivity for the velocity, and the same run
            misfit, _ = Measured(sim.config, sim).compare(sim, Namespace(check=lambda: None))
        self.assertEqual(misfit.relative, min(float(row["misfit"]) for row in rows if row["misfit"]))
        shutil.copytree("whole", "again")
        with open("again/table.csv", "r+") as file:
            lines = file.readlines()
            file.seek(0)
            file.truncate()
            file.writelines(lines[: len(lines) // 2])
        again = self.run_fit("again", "", "target: lat.csv, noise: 0.5 ms", ["--device", "cpu,cpu"])
        self.assertIn("; 0 are new", again)
        with open("whole/table.csv") as one, open("again/table.csv") as other:
            self.assertEqual(one.read(), other.read())

        said = self.run_fit("times", "", "target: late_lat.csv, noise: 0.5 ms, lag: fitted")
        self.check(said)
        self.assertIn("; 0 are new", said)  # for another target, and then for leads
        self.shell("check", "fit.yaml")
        self.assertLess(abs(float(re.search(r"activation measured (\S+) ms later", said)[1]) + 35), 0.5)
        self.assertRegex(said, r"start \(ms\): 0, from 0; the earliest")
        recompute(self, "fit.yaml", table_of("times")[-1])
        self.assertIn("; 0 are new", self.fit_leads())

    def test_refused(self):
        """What cannot be superposed, with the reason"""

        def place(k):
            found = Place.__new__(Place)
            found.key = "stimuli[%d].sphere.centre" % k
            return found

        def ranges(*keys):
            return [Range(key, (0.5, 1.0), 0.7, "") for key in keys]

        stimuli = [{"name": name, "sphere": {"centre": [name], "radius": "2 mm"}, "start": "0 ms", "duration": "2 ms"} for name in ("A", "B")]
        tissue = {"regions": [{"velocity": {"longitudinal": "1", "transverse": "1"}}, {"velocity": {"longitudinal": "1", "transverse": "1"}}]}
        sites = [place(0), place(1)]
        names = ["tissue.regions[%d].velocity.%s" % (r, way) for r in (0, 1) for way in ("longitudinal", "transverse")]
        for parts, more, why in (
            (sites, {"count": 2}, "stimulus B has more than one pulse"),
            (sites, {"protocol": []}, "stimulus B has more than one pulse"),
            (sites, {"duration": "3 ms"}, "have different shapes or currents"),
            (sites, {"sphere": {"centre": ["B"], "radius": "3 mm"}}, "have different shapes or currents"),
            ([place(0)], {}, "one site is varied"),
            (ranges("stimuli[0].start"), {}, "no place is varied"),
            ([*sites, *ranges("tissue.regions[0].conductivity")], {}, "conductivity is neither a place, a start nor a velocity"),
            ([place(0), place(2)], {}, "the place of stimulus B is not varied"),
            ([*sites, *ranges(*names)], {}, "more than 3 velocities are varied"),
            ([*sites, *ranges(*names[:3])], {}, "3 velocities are varied, and others are not"),
        ):
            with self.assertRaisesRegex(Unsuited, why):
                layout(Namespace(parts=parts), {"stimuli": [stimuli[0], {**stimuli[1], **more}], "tissue": tissue})
        of = layout(Namespace(parts=[*sites, *ranges("stimuli[1].start", *names[2:])]), {"stimuli": stimuli, "tissue": tissue})
        self.assertEqual((of.places, of.starts, of.fixed, of.axes, of.uniform), ([0, 1], [None, 2], [0.0, 0.0], [3, 4], False))
        study = Study.__new__(Study)
        study.domain, study.measured = Namespace(parts=[Range("s", (0.0, 90.0), 0.0, "ms")]), Namespace(activation=Namespace(nodes=[1]))
        of = of._replace(places=[], starts=[0, None])
        mean = np.full((BEFORE + 60, 3), 0.0)
        mean[-5:] = -80.0
        study._check_waves(of, np.zeros((1, 2, 3)), None)
        for tau, V, why in (
            (np.zeros((1, 2, 3)), mean, "more than the shortest action potential, 55 ms"),
            (np.array([[[0.0, np.nan, 0, 0]]]), None, "do not reach all measured nodes"),
            (np.array([[[0.0, 0, np.nan, np.nan, np.nan]]]), None, "do not reach all measured nodes"),
        ):
            with self.assertRaisesRegex(Unsuited, why):
                study._check_waves(of, tau, V)


class Waves(Case):
    """Superposed waves and their slopes, against sums over nodes and differences"""

    def test_leads(self):
        rng = np.random.default_rng(1)
        u = np.arange(-BEFORE, 60.0)
        V = np.tanh((u[:, None] - 3) / rng.uniform(3, 6, 40)) - np.maximum(u[:, None] - 20, 0) / rng.uniform(30, 60, 40)
        templates, weights = Templates.of(V), rng.normal(size=(3, 40, 3))
        weights[:, :, 2] = weights[:, :, 0] - weights[:, :, 1]  # as aVF of I and II
        weights[0] = 0
        times, factors = np.arange(0.0, 50), np.array([1, 0.7, 0.4])
        leads = Leads(weights, templates, times)
        self.assertEqual((len(leads.kinds), len(leads.basis)), (2, 2))
        T = rng.uniform(2, 40, 40)
        T = np.floor(T) + 0.2 + 0.6 * (T % 1)  # V is linear between ms
        share = rng.uniform(0.1, 0.9, 40)  # of a node's first site, the rest of another
        parts = Parts(np.tile(np.arange(40), 2), (rng.integers(0, 3, 40) + np.array([[0], [1]])).ravel() % 3, np.concatenate([share, 1 - share]))
        dT = np.concatenate([rng.normal(size=(2, 80)), np.ones((1, 80)), rng.normal(size=(2, 80))])
        dfactors = np.array([[0, 1.4, 0], [0, 0, 0.8]])

        def summed(T, factors):
            return sum((factors @ weights[:, x]) * (templates.share[:, x] @ [np.interp(times - T[x], u, row) for row in templates.rows])[:, None] for x in range(40))

        whole = abs(summed(T, factors)).max()
        self.assertLess(abs(leads.compute(T, factors) - summed(T, factors)).max(), 1e-5 * whole)
        both = np.array([T, T[::-1]])
        self.assertEqual(leads.compute(both, factors).tolist(), [leads.compute(one, factors).tolist() for one in both])
        cells = rng.integers(0, 12, 40)  # nodes that count as one
        rough, first = Leads(weights, templates, times, cells=cells), np.arange(12) + 3.3
        self.assertLess(abs(rough.compute(first, factors) - summed(first[cells], factors)).max(), 1e-5 * whole)
        value, by_site, by_axis = leads.slopes(T, parts, dT, factors, dfactors, 3)
        self.assertLess(abs(value - summed(T, factors)).max(), 1e-5 * whole)
        for kind, found in enumerate([*by_site, *by_axis]):
            for site in range(3) if kind < 3 else [None]:
                step = 0.05 * np.bincount(parts.nodes, parts.shares * dT[kind] * (1 if site is None else parts.sites == site))
                df = 0.05 * dfactors[kind - 3] if site is None else 0
                apart = (summed(T + step, factors + df) - summed(T - step, factors - df)) / 0.1
                self.assertLess(abs((found if site is None else found[site]) - apart).max(), 0.02 * whole, (kind, site))

    def test_grid(self):
        """Weights of nodes give polynomials of velocities, and their derivatives, with others fixed or not."""
        parts = [Range("a", (0.6, 1.1), 0.8, "m/s"), Range("b", (0.4, 0.7), 0.5, "m/s")]
        for uniform in (True, False):
            grid = Grid(Namespace(parts=parts), Namespace(axes=[0, 1], uniform=uniform))
            nodes = np.array([grid.velocities(n) for n in range(len(grid.nodes))])
            for n, own in enumerate(nodes):
                self.assertLess(abs(grid.at(own)[1] - np.eye(len(nodes))[n]).max(), 1e-9)

            def tau(z):  # of velocities, their logarithms: as of a wave, if both go on alike
                ratio = z[..., 1] - z[..., 0]
                return np.exp(-z.mean(axis=-1)) * (2 + ratio + 0.3 * ratio**2) if uniform else 1 + (z[..., 0] - 1) ** 2 * (2 + z[..., 1])

            z, step = np.log([0.75, 0.52]), 1e-5
            s, c, ds, dc = grid.at(np.exp(z))
            of = tau(np.log(nodes))
            self.assertLess(abs(s * (c @ of) / tau(z) - 1), 1e-9)
            apart = [(tau(z + d) - tau(z - d)) / (2 * step) for d in step * np.eye(2)]
            self.assertLess(abs(ds * (c @ of) + s * (dc @ of) - apart).max(), 1e-6)

    def test_between_sites(self):
        """A wave's square between sites, and its derivatives along the tangents, of a quadratic form in the place"""
        x = np.array([[a, b, 0.0] for a in range(0, 60, 10) for b in range(0, 60, 10)])
        faces = Namespace(nodes=np.arange(len(x)), points=x, normals=np.tile([0.0, 0, 1], (len(x), 1)))
        place = Place.__new__(Place)
        place.faces = faces
        surface = Surface(Namespace(parts=[place]), Namespace(places=[0]), 2.0, 40)
        square = ((surface.points - [20, 33, 0]) ** 2) @ [2.0, 1, 0]
        tangents = np.array([[1.0, 0, 0], [0, 1.0, 0]])
        spots = [Spot(np.array(p), np.array([0, 0, 1.0]), tangents, 1.0) for p in ([26.0, 21, 0], [33.0, 38, 0])]
        near, w, dw = surface.around(spots, True)
        self.assertEqual((near.tolist(), w.tolist()), tuple(of.tolist() for of in surface.around(spots, False)[:2]))
        for k, (p, _, _, _) in enumerate(spots):
            d = p - [20, 33, 0]
            tau = (d**2 @ [2, 1, 0]) ** 0.5  # ms, where sites are 10 mm apart
            self.assertLess(abs((w[k] @ square[near[k]]) ** 0.5 - tau), 0.5)
            self.assertLess(abs(dw[k] @ square[near[k]] / (2 * tau) - (d * [2, 1, 0])[:2] / tau).max(), 0.1)


    def test_meeting(self):
        """Where waves meet, m is that of runs of two, and shares are the slopes of the soft minimum."""
        rng = np.random.default_rng(2)
        alone = rng.uniform(0, 40, (3, 2, 200))
        both = np.array([soft_minimum(pair, 3.7) for pair in alone])
        both[0, :5], alone[1, 1, :5] = np.nan, np.nan  # not reached
        self.assertLess(abs(meeting(alone, both) - 3.7), 0.05)
        self.assertEqual(meeting(alone, alone.min(axis=1)), 0.05)
        self.assertEqual(meeting(alone, np.full((3, 200), np.nan)), 0.05)
        waves = Superposed.__new__(Superposed)
        T = rng.uniform(0, 15, (3, 50))
        waves.m, waves.arrivals = 3.7, lambda u, on: (soft_minimum(T, 3.7), T, None)
        parts = waves._parts(None, (0, 1, 2))
        shares = np.zeros((3, 50))
        shares[parts.sites, parts.nodes] = parts.shares
        self.assertLess(abs(shares.sum(axis=0) - 1).max(), 1e-12)
        for site, step in enumerate(0.01 * np.eye(3)):
            apart = (soft_minimum(T + step[:, None], 3.7) - soft_minimum(T - step[:, None], 3.7)) / 0.02
            self.assertLess(abs(shares[site] - apart).max(), 0.03)

    def test_levels(self):
        """Of many nodes those of a cell count as one, with the mean of their times; of few each counts."""
        rng = np.random.default_rng(4)
        points, times = rng.uniform(0, 10, (400, 3)), np.arange(0.0, 60)
        sim = Namespace(points=points, nodes=400, fields={"leads": {"names": ["II", "I"]}}, reopen=lambda _: None)
        weights = rng.normal(size=(400, 2))
        study, V = Study.__new__(Study), np.tanh((np.arange(-BEFORE, 60.0)[:, None] - 3) / rng.uniform(3, 6, 400))
        study.sims = [mock.MagicMock(**vars(sim), __getitem__=lambda _, name: {"lead_weights": weights}[name])]
        study.domain, study.measured = None, Namespace(activation=None, leads=Namespace(names=["I"]), lead_times=times)
        of, grid = Namespace(starts=[None, None], fixed=[0.0, 5.0], axes=[], places=[0, 1]), Namespace(uniform=False)
        tau = np.linalg.norm(points - np.array([[0.0, 0, 0], [10, 0, 0], [0, 9, 9]])[:, None], axis=2)[None].astype(np.float32)
        tau[0, 1, 7] = np.nan  # not reached
        reached = np.delete(np.arange(400), 7)
        with mock.patch.object(fit, "NODES", (60, 6000)):
            rough, exact_ = study._levels(of, grid, tau, V, [{}])
        np.testing.assert_allclose(exact_.Q[:, 0], tau[0, :, reached].T ** 2, rtol=1e-6)
        cells = fit.thinned(points[reached], 60)
        self.assertTrue(48 <= cells.max() + 1 <= 120 and rough.Q.shape == (3, 1, cells.max() + 1))
        for k in range(cells.max() + 1):
            np.testing.assert_allclose(rough.Q[:, 0, k], tau[0][:, reached[cells == k]].mean(axis=1) ** 2, rtol=1e-5)
        at = (np.sqrt(rough.Q[0, 0]), np.sqrt(exact_.Q[0, 0]))
        near, whole = (level.leads.compute(T.astype(float) + 20, np.ones(1)) for level, T in zip((rough, exact_), at))
        self.assertLess(abs(near - whole).max(), 0.05 * abs(whole).max())

    def test_room(self):
        """Waves of other fits go, those first that were not used for longest."""
        os.environ["XDG_CACHE_HOME"] = os.path.abspath("room")
        self.addCleanup(os.environ.pop, "XDG_CACHE_HOME")
        self.addCleanup(setattr, dictionary, "MOST", dictionary.MOST)

        def waves(name, runs, part=""):
            with dictionary.Dictionary(name, 100, lambda _: None, part) as book:
                found = book.waves(lambda _, runs: (np.full(100, float(run)) for run in runs), range(runs), None)
            self.assertEqual(found[:, 5].tolist(), list(range(runs)))
            return book

        first, second = waves("first", 10), waves("second", 10)
        for age, book in ((200, first), (300, second)):
            os.utime(book.path, (time.time() - age,) * 2)
        self.assertEqual(waves("first", 10).made, 0)  # used again
        dictionary.MOST = 10000.0
        waves("third", 10)
        self.assertEqual([os.path.exists(book.path) for book in (first, second)], [True, False])
        self.assertEqual(waves("first", 25).made, 15)  # alone it may be larger
        self.assertEqual(len(os.listdir(os.path.dirname(first.path))), 1)
        pairs = waves("first", 4, "pairs")  # of the same fit: what it has made stays
        self.assertEqual([os.path.exists(book.path) for book in (first, pairs)], [True, True])
        for book in first, pairs:
            self.assertRegex(os.path.basename(book.path), "^[0-9a-f]{64}[.]waves$")  # as all files of the cache
        gone = Namespace(name="0.waves", path="gone", is_file=lambda **_: True, stat=mock.Mock(side_effect=FileNotFoundError))
        with mock.patch.object(dictionary.os, "scandir", return_value=[gone]):
            dictionary.make_room(first.path, 0)  # which another fit has removed in the meantime


class Targets(Case):
    def test_quantities(self):
        times = np.arange(0.0, 101.0)
        computed = target.Leads(times, ["I", "II"], np.stack([np.exp(-((times - 40) / 8) ** 2), times / 100], axis=1))
        at = np.arange(0.0, 100.0, 2)
        late = np.exp(-((at - 46) / 8) ** 2) * 2 + 0.5
        leads_file("m.csv", at, ["I"], [late])
        both = target.pair(target.read_leads("m.csv"), computed)
        of = target.lead_misfits(*both)["I"]
        self.assertEqual(of["lag"], 6)
        self.assertAlmostEqual(of["rms"], float(np.sqrt(((late - np.exp(-((at - 40) / 8) ** 2)) ** 2).mean())), 12)
        self.assertAlmostEqual(of["r"], 1, 9)  # at that lag
        self.assertAlmostEqual(target.ecg_r(*both), 1, 9)
        points = np.array([[0.0, 0, 0], [3, 0, 0], [6, 0, 0]])
        write("lat.csv", "x (mm),y,z,activation (ms)\n2.5,0,1,10\n6.4,0,0,20\n")
        measured = target.read_activation("lat.csv", points)
        self.assertEqual(measured.nodes.tolist(), [1, 2])
        self.assertAlmostEqual(target.lat_rms(measured, np.array([1, 13, math.nan]), 24.0), math.sqrt((9 + 16) / 2), 12)

    def test_lag_and_gain(self):
        """Solved for from any clock, sampling and amplitude; and slopes where they follow are those of their differences."""

        def wave(t):
            return np.stack([np.exp(-(((t - 50) / 9) ** 2)) - 0.4 * np.exp(-(((t - 70) / 7) ** 2)), 0.3 * np.exp(-(((t - 60) / 12) ** 2))], axis=1)

        times = np.arange(0.0, 131.0)
        computed = target.Leads(times, ["I", "II"], wave(times))
        for lag, gain, at in ((23.37, 1.7, np.arange(0.0, 130)), (-20.2, 0.6, np.arange(0.0, 108, 2)), (500.1, 1.0, np.arange(505.0, 600, 0.7))):
            measured = target.Leads(at, ["I", "II"], gain * wave(at - lag))
            found = target.solve(measured, computed, ["lag", "gain"])
            self.assertLess(abs(found.lag - lag) + abs(found.gain / gain - 1), 2e-3)
            self.assertLess(abs(target.solve(measured, computed, ["lag"]).lag - lag), 0.1)
        resting = computed._replace(values=1e-17 * np.cos(times)[:, None] - wave(times - 60) * (times > 30)[:, None])
        found = target.solve(target.Leads(times[:30], ["I", "II"], wave(times[:30] + 40)), resting, ["lag", "gain"])
        self.assertLess(found.gain, 100)  # rounding errors of tissue at rest are no signal
        end = target.Leads(times[:101], ["I", "II"], np.concatenate([np.zeros((98, 2)), 2 * wave(times[[34, 37, 41]])]))
        for unknown in (["lag"], ["lag", "gain"]):  # half of the samples lie within the run, though 24 would do better, 5,300 times as large
            self.assertLessEqual(target.solve(end, computed, unknown).lag, 50.0)
        with self.assertRaisesRegex(cardiac.InputError, "these last 140 ms, the run 130 ms"):
            target.pair(target.Leads(np.arange(141.0), ["I", "II"], np.zeros((141, 2))), computed, ["lag"])

        study = Measured.__new__(Measured)
        study.end, study.every, study.lead_factor, study.time_factor = 130.0, 1.0, 0.3, 0.02
        study.unknown, study.unknown_lag = ["lag", "gain"], True
        study.leads = target.Leads(times[:100] + 40, ["I", "II"], 2 * wave(times[:100] + 0.03 * times[:100] - 3))
        study.activation = target.Activation(np.arange(5), np.array([1.0, 4, 9, 7, 3]))

        def compared(s):  # waves that s makes narrower and later, and times
            return study.compare_values(wave(times * (1 + 0.1 * s) - 4 * s), 30 + s * np.array([1.0, -2, 5, 0, 3]) + np.arange(5))

        step, at = 1e-4, compared(0.2)
        of_leads = (wave(times * (1 + 0.1 * (0.2 + step)) - 4 * (0.2 + step)) - wave(times * (1 + 0.1 * (0.2 - step)) - 4 * (0.2 - step))) / (2 * step)
        own = study.slopes(at, [of_leads], [np.array([1.0, -2, 5, 0, 3])])[:, 0]
        whole = (compared(0.2 + step).differences - compared(0.2 - step).differences) / (2 * step)
        self.assertLess(abs(own - whole).max(), 0.05 * abs(whole).max())
        self.assertLess(abs(own @ at.differences - whole @ at.differences), 1e-3 * abs(whole @ at.differences))  # half the square's slope
        self.assertLess(abs(at.differences[-5:].sum()), 1e-12)

    def test_units_and_names(self):
        """As archives and spreadsheets write them"""
        write("m.csv", "\ufeffTime [s],I (\u00b5V),II\r\n0,100,1\r\n0.001,200,2\r\n")
        leads = target.read_leads("m.csv")
        self.assertEqual((leads.times.tolist(), leads.names, leads.values.tolist()), ([0, 1], ["I", "II"], [[0.1, 1], [0.2, 2]]))
        write("m.csv", "'Elapsed time','Lead I','avr','LEAD V1'\n'seconds','mV','uV','mV'\n0,1,1,0\n0.001,2,100,1\n")
        leads = target.read_leads("m.csv")
        self.assertEqual((leads.times.tolist(), leads.names, leads.values.tolist()), ([0, 1], ["I", "aVR", "V1"], [[1, 0.001, 0], [2, 0.1, 1]]))
        write("lat.csv", "X (cm),Y (cm),Z (cm),LAT (s)\n0.3,0,0,0.01\n0.6,0,0,0.02\n")
        measured = target.read_activation("lat.csv", np.array([[0.0, 0, 0], [3, 0, 0], [6, 0, 0]]))
        self.assertEqual((measured.nodes.tolist(), measured.times.tolist()), ([1, 2], [10, 20]))

    def refused(self, read, text, said):
        write("bad.csv", text)
        with self.assertRaisesRegex(cardiac.InputError, said):
            read("bad.csv")

    def test_bad_files(self):
        for text, said in (
            ("time (ms),I (mA)\n0,1\n1,2\n", r"bad.csv:1:11: I is in mA; expected mV or uV"),
            ('time (ms),I\n0,"0,1"\n1,"0,2"\n', r"bad.csv:2:4: I: '0,1' is not a number; decimals follow a point, not a comma"),
            ("# 12 leads\ntime,I\n0,1\n1,2\n", r"bad.csv:1:1: a comment; the first line has the names"),
            ("time (ms);I\n0;0,1\n1;0,2\n", r"bad.csv:1:1: the columns are separated by semicolons"),
            ("time (ms)\tI\n0\t1\n1\t2\n", r"bad.csv:1:1: the columns are separated by tabs"),
            ("time (ms),I,t\n0,1,0\n1,2,1\n", r"bad.csv:1:13: a second column time"),
            ("time (ms),I\n0,1\n1,1000\n2,3\n", r"bad.csv:3:3: I: 1000 mV is more than a heart gives; are these uV\?"),
            ("time (ms),I\n0,1\n1,\n2,3\n", r"bad.csv:3:3: I: no value: a gap"),
            ("time (ms),I\n0,1\n1,nan\n2,3\n", r"bad.csv:3:3: I: 'nan' is not a number"),
            ("time (ms),I\n0,1\n1,2\n2,3\n9,1\n10,2\n", r"bad.csv:5:1: time: a gap of 7 ms; other samples are 1 ms apart"),
            ("time (ms),I\n0,1\n1,2\n1,3\n", r"bad.csv:4:1: time: 1 ms is not after 1 ms"),
            ("time (min),I\n0,1\n1,2\n", r"bad.csv:1:1: time is in min; expected ms or s"),
            ("time,I\n0,1\n0.001,2\n0.002,1\n", r"bad.csv:2:1: time: samples are 0.001 ms apart.*are these ms\?"),
            ("time (ms),I\n0,1\n1,1\n", r"bad.csv:2:3: I: the lead is flat"),
            ("I,II\n0,1\n1,1\n", r"bad.csv:1:1: expected a column time"),
        ):
            self.refused(target.read_leads, text, said)
        points = np.array([[0.0, 0, 0], [0, 0, 0], [30, 0, 0]])
        for text, said in (
            ("node,activation\n3,1\n1,2\n", r"bad.csv:2:1: node: 3 is not a node; they are 0 to 2"),
            ("x,y,z,activation\n0,0,0,1\n0,70,0,2\n", r"bad.csv:3:1: this place is 70 mm from the nearest node; are these mm\?"),
            ("node,activation\n0,1\n1,-2\n", r"bad.csv:3:3: activation: -2 ms is before the run begins; .*set activation.lag to fitted"),
            ("node,activation\n0,-12000\n1,-11980\n", r"bad.csv:2:3: activation: -12000 ms is before the run begins; .*activation.lag"),
            ("node,activation\n0,1\n1,-10000\n", r"bad.csv:3:3: activation: -10000 ms is no time: leave such rows out"),
            ("node,activation\n0,0.01\n2,0.05\n", r"bad.csv:3:3: activation: all times lie within 0.04 ms, over 30 mm of tissue; are these ms\?"),
            ("x,activation\n0,1\n0,2\n", r"bad.csv:1:1: expected columns node, activation"),
            ("node,V1\n3,1\n1,2\n", r"bad.csv:1:6: column 'V1' is none of node, x, y, z, activation"),
        ):
            self.refused(lambda path: target.read_activation(path, points), text, said)
        for first, second in (("-2", "1"), ("-12000.5", "-11980")):  # on clocks of their own, which may begin anywhere
            write("bad.csv", "node,activation\n0,%s\n1,%s\n" % (first, second))
            self.assertEqual(target.read_activation("bad.csv", points, True).times.tolist(), [float(first), float(second)])
        none = "node,activation\n0,1\n1,-10000\n", "bad.csv:3:3: activation: -10000 ms is no time"
        self.refused(lambda path: target.read_activation(path, points, True), *none)
        leads_file("m.csv", [0, 1, 2], ["V7"], [[0, 1, 2]])
        with self.assertRaisesRegex(cardiac.InputError, "m.csv: lead V7 is not computed; computed are A, B"):
            target.pair_of("m.csv", target.Leads(np.arange(3.0), ["A", "B"], np.zeros((3, 2))))


class Fit(Case):
    def setUp(self):
        super().setUp()
        write("planted.yaml", CABLE % ("0.3", "0", "3", ""))
        result = cardiac.run("planted.yaml", output="planted")
        times, names, _, values = result.table("ecg")
        noise = exact.Random("noise").normals(values.size).reshape(values.shape)
        leads_file("m.csv", times, names, (values + 0.01 * abs(values).max() * noise).T)
        write("fit.yaml", CABLE % ("0.18", "8", "5", ", target: m.csv") + FIT)

    def fit(self, *arguments, status=0, said=".", pages=False):
        done = subprocess.run([cardiac_program, "fit", "fit.yaml", "--device", "cpu", *arguments],
                              env=None if pages else without_pages(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stdout + done.stderr, said)
        return done.stdout

    def content(self, folder):
        names = ["table.csv", "fitted.yaml"] + ["fit.html"] * os.path.exists(folder + "/fit.html")
        found = []
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                found.append(file.read().replace(folder.encode(), b"FOLDER"))
        return found

    def lines(self, path):
        if not os.path.exists(path):
            return 0
        with open(path, "rb") as file:
            return file.read().count(b"\n")

    def kill(self, folder, rows, by=signal.SIGKILL, device="cpu"):
        """The fit, until its table has so many rows."""
        process = subprocess.Popen([cardiac_program, "fit", "fit.yaml", "--device", device, "--quiet", "--output", folder])
        path = folder + "/table.csv"
        while process.poll() is None and self.lines(path) <= rows:
            time.sleep(0.005)
        process.send_signal(by)
        process.wait()

    def test_planted_values(self):
        said = self.fit("--output", "whole", pages=FULL, said="the best of [0-9]* runs: misfit 0.0[12]")
        best = {name: float(x) for name, x in re.findall(r"(?m)^(\S+).*?: ([-\d.e]+), from", said)}
        self.assertLess(abs(best["tissue.regions[0].conductivity"] / 0.3 - 1), 0.05)
        self.assertLess(abs(best["stimuli[0].start"] - 3), 0.5)
        self.assertLess(best["stimuli[0].sphere.centre.x"], 1)
        low, high = map(float, re.search("conductivity.* between (.*) and (.*)", said).groups())
        self.assertTrue(0.1 <= low < 0.3 < high <= 0.6, said)
        self.assertLess(cardiac.read("whole/best").misfits["ecg_rms"], 0.001)
        again = cardiac.run("whole/fitted.yaml", output="again")
        self.assertEqual(again.misfits, cardiac.read("whole/best").misfits)
        # killed twice and stopped once, and gone on with several simulations at once
        self.kill("cut", 25)
        os.truncate("cut/differences.bin", os.path.getsize("cut/differences.bin") - 3)
        with open("cut/differences.bin", "r+b") as file:  # another sign leaves the misfit as it is
            file.seek(len(MAGIC) + 8 * 20 + 7)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 0x80]))
        self.kill("cut", 60, signal.SIGTERM, "cpu,cpu")
        self.fit("--output", "cut", "--device", "cpu,cpu", pages=FULL, said="runs are in cut/table.csv")
        self.assertEqual(self.content("whole"), self.content("cut"))
        # a foreign file beside the table is refused before the table is begun anew
        os.rename("cut/differences.bin", "kept.bin")
        write("cut/differences.bin", "mine")
        self.fit("--output", "cut", "--overwrite", status=2, said="differences.bin exists and is no file of this program's; remove it")
        os.replace("kept.bin", "cut/differences.bin")
        self.assertEqual(self.content("whole"), self.content("cut"))
        # more runs go on where those before ended, and another seed or bound does not
        if FULL:
            self.fit("--output", "whole", "--set", "fit.evaluations=260", said="best of")
        self.fit("--output", "whole", "--set", "fit.seed=2", status=2, said=r"whole/table.csv:2:1: id .* does not belong to this fit: its config has changed; --overwrite")
        self.fit("--output", "whole", "--set", "fit.parameters={\"stimuli[0].start\": {from: 0 ms, to: 9 ms}}", status=2, said="other columns")
        with open("m.csv", "a") as file:
            file.write("\n")
        self.fit("--output", "whole", status=2, said="does not belong to this fit: since then these files have changed: m.csv; --overwrite")

    def test_refusals(self):
        place = r"fit.yaml:1\d:5: "
        self.fit("--set", "ecg.target=none.csv", status=2, said="none.csv: No such file")
        text = CABLE % ("0.18", "8", "5", ", target: m.csv") + FIT
        for before, after, said in (
            ("from: 0 ms, to: 10 ms", "from: 6 ms, to: 10 ms", place + "stimuli.0..start: the search starts"),
            ("start: {from: 0 ms, to: 10 ms}", "stat: {from: 0 ms, to: 10 ms}", place + "stimuli.0..stat: unknown key"),
            ("from: 0 ms, to: 10 ms", "on: x < 3 mm", r"fit.yaml:1\d:23: stimuli.0..start: expected one value, not a list"),
            ("0.1 S/m, to: 0.6", "-1 S/m, to: 0.6", r"fit.yaml:1\d:\d+: tissue.regions.0..conductivity: '-1 S/m' must be 0 or more"),
            ("from: 0 ms, to: 10 ms", "from: 0 ms, to: 9 mm", r"fit.yaml:1\d:23: .* are not in the same unit"),
            ("from: 0 ms, to: 10 ms", "from: 0 mm, to: 9 mm", r"fit.yaml:1\d:\d+: stimuli.0..start: '0 mm' is not a time"),
            ("on: x < 20 mm", "on: x > 1 m", place + "stimuli.0..sphere.centre: 'x > 1 m' selects no face"),
            (", target: m.csv", "", "ecg.target or activation.target is missing"),
            (FIT, "", "fit.parameters is missing"),
        ):
            write("fit.yaml", text.replace(before, after))
            self.fit(status=2, said=said)
        write("fit.yaml", text)
        for device in ("cuda:4095", "gpu"):
            self.fit("--device", "cpu," + device, "--dry-run", status=2, said="device.*" + device)
        self.assertFalse(os.path.exists("out"))
        self.fit("--device", "cpu", "--dry-run", "--set", "stimuli[0].current=1e7 uA/uF", status=3, said="cardiac: the first guess: .*blow-up")
        self.assertFalse(os.path.exists("out"))
        for device, gpus in (("auto", int), ("cpu", type(None))):
            facts = json.loads(self.shell("check", "fit.yaml", "--syntax", "--json", "--set", "device=" + device))
            self.assertIs(type(facts.get("gpus")), gpus)
        for devices in ("cpu", "cpu,cpu"):
            self.fit("--device", devices, "--dry-run", said="at most 250 runs: about .* as the first took .* s\n")
        self.fit("--dry-run", "--set", "tissue.regions[0]={model: mitchell-schaeffer, velocity: 0.5 m/s}",
                 "--set", "fit.parameters={\"tissue.regions[0].velocity\": {from: 0.4 m/s, to: 0.6 m/s}}", said="after the fronts of the velocities")

    @needs("matplotlib")
    def test_pages(self):
        from cardiac import plot

        times = cardiac.read("planted").activation.ravel()
        write("lat.csv", "node,activation (ms)\n" + "".join("%d,%.6f\n" % (k, times[k]) for k in range(0, 41, 4)))
        write("fit.yaml", CABLE % ("0.18", "8", "5", ", target: m.csv") + FIT + "activation: {target: lat.csv}\n")
        os.makedirs("mine/best")
        self.fit("--output", "mine", status=2, said="mine/best exists and is no result of this fit")
        self.fit("--set", "fit.evaluations=30", said="ecg_rms .* mV, ecg_r .*, lat_rms .* ms", pages=True)
        rows = table_of("out")
        self.assertEqual([row["run"] for row in rows], [str(k + 1) for k in range(len(rows))])
        recompute(self, "fit.yaml", rows[7])
        self.assertIn("lat_rms", cardiac.read("out/best").misfits)
        with open("out/fit.html", encoding="utf-8") as file:
            page = file.read()
        self.assertIn("the noise is not given", page)
        self.assertEqual(re.findall("<h1>(.*?)</h1>", page), ["fit: fit"])  # fit.yaml has no title
        self.assertEqual(re.findall("<th.*?>(.*?)</th>", page)[:5], ["", "first guess", "best", "90 % between", "and"])
        self.assertIn("<p>the best of %d runs: misfit %.4g; the noise" % (len(rows), min(float(row["misfit"]) for row in rows)), page)
        self.assertIn("stimuli[0].<wbr>", page)
        least = min(rows, key=lambda row: float(row["misfit"]))  # among the last runs, after which no more were allowed
        self.assertIn(">%.6g</td>" % float(least["tissue.regions[0].conductivity (S/m)"]), page)
        self.assertIn("measured later by", page)
        result = cardiac.read("out/best")
        measured, _ = target.leads_of(result)
        figure = plot.ecg(result, measured)
        over = [line for line in figure.axes[0].lines if line.get_color() == plot.MEASURED]
        self.assertEqual([len(line.get_xdata()) for line in over], [len(measured.times)] * 2)
        computed = [line for line in figure.axes[0].lines if len(line.get_xdata()) == len(result.table("ecg")[0]) and line not in over]
        self.assertTrue(computed and all(a.get_linewidth() > 2 * b.get_linewidth() for a, b in zip(over, computed)))  # both are seen where they are equal
        self.assertTrue({"measured", "computed"} <= {text.get_text() for text in figure.axes[0].texts})
        for said in ("against 51 samples", "Nothing is compared"):
            self.shell("report", "out/best")
            with open("out/best/report.html", encoding="utf-8") as file:
                self.assertIn(said, file.read())
            if os.path.exists("m.csv"):
                os.remove("m.csv")


main()
