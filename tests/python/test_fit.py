#!/usr/bin/env python3
"""test_fit.py CARDIAC GROWING SOURCE: `cardiac fit` finds values that were planted in a cable, and two sites in a sheet, the same to the byte
after a kill and with another zero of time and amplitude; every column of its table is that of its run; the search reaches the least values
of known functions, and its intervals hold the planted values as often as they say; lag and gain are solved for, and slopes of superposed
waves are those of their differences; misfits of a measurement that is a shifted and scaled computation are known; wrong files and bounds
are refused with their places, before a run."""
import functools
import json
import math
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import time
import zlib
from argparse import Namespace
from unittest import mock

from support import FULL, Case, cardiac_program, cold, full, main, needs, np, os, warm

warm()

import cardiac
from cardiac import target
from cardiac.studies import dictionary, exact, fit, forest
from cardiac.studies.crew import Crew
from cardiac.studies.domain import Domain, Faces, Place, Range, _nearest_of_faces
from cardiac.studies.fit import MAGIC, Fit as Study
from cardiac.studies.forest import BEFORE, Around, Forest as Superposed, Grid, Leads, Level, Parts, Spot, Surface, Templates, Unsuited, layout, meeting, soft_minimum
from cardiac.studies.insertion import Insertion
from cardiac.studies import insertion as insertion_
from cardiac.studies.measured import Measured
from cardiac.studies.study import Watch
from cardiac.studies.search import Search, Spent, length
from cardiac.studies.sets import Set, Sets
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
            Insertion(None, search, "", 1.05, None)._finish(search.points([np.array([0.95, 0.75])])[0])
            self.assertLess(len(made), most)
            self.assertEqual(search.ends[0][0].misfit < 1.0001, not floor)
            self.assertEqual(bool(search.converged), not floor)  # of what is left nobody knows how much better it could be

    def test_ends_that_are_followed(self):
        """Ends of beginnings far above the noise are followed by runs after two rounds, others at once, if they are near the best."""
        search = Insertion.__new__(Insertion)
        search.fits, search.rounds, search.forest, search.search = 1.0, 0, Namespace(sites=1), Namespace(ends=[])
        rounds, followed = [[2.5, 2.6], [1.9, 2.1], [2.05, 2.3]] + 9 * [[]], []

        def ends():
            search.rounds += 1
            return [Set(np.zeros(1), (0,), misfit) for misfit in rounds[search.rounds - 1]]

        search._round, search._is_new, search._follow = ends, lambda _: True, lambda end: followed.append((search.rounds, end.misfit))
        search.run()
        self.assertEqual(followed, [(2, 1.9), (3, 2.05)])

    def test_crew(self):
        """What processes return does not depend on their number; it is time to stop; one has ended."""
        part, calls = Range("a", (1.0, 3.0), None, "ms"), [(np.array([k / 8]),) for k in range(9)]
        expected = [part.values(*given) for given in calls]
        for count in (1, 3):
            with Crew(part, count, lambda: None) as crew:
                self.assertEqual([crew.map("values", calls), crew.map("values", calls[:2])], [expected, expected[:2]])
                members = crew._all
            self.assertEqual([member.poll() for member in members], [-signal.SIGKILL] * count)
        with Crew(part, 1, mock.Mock(side_effect=KeyboardInterrupt)) as crew, self.assertRaises(KeyboardInterrupt):
            crew.map("values", calls)
        with Crew(part, 1, lambda: None) as crew, self.assertRaisesRegex(cardiac.RunError, "a process of the search has ended"):
            crew._all[0].kill()
            crew.map("values", calls)
        with Crew(part, 1, lambda: None) as crew, self.assertRaisesRegex(TypeError, "values"):  # of a call itself
            crew.map("values", [()])
        with mock.patch("cardiac.studies.crew.COPIES", 1), Crew(part, 3, lambda: None) as crew:  # memory for one copy
            self.assertEqual((len(crew._all), crew.map("values", calls)), (1, expected))
        started = [mock.Mock(), OSError(11, "Resource temporarily unavailable")]
        with mock.patch("subprocess.Popen", side_effect=started), self.assertRaisesRegex(cardiac.RunError, "cannot be started: Resource temp"):
            Crew(part, 2, lambda: None)
        started[0].kill.assert_called_once()

    def test_orphan(self):
        """A process of a crew ends with the one that has begun it, while it computes and before."""
        end, other = os.pipe()
        began = os.fork()
        if began == 0:
            try:
                os.dup2(other, 2)
                Crew(functools.partial(time.sleep, 1000), 1, lambda: os.write(2, b".")).map("__call__", [()])
            finally:
                os._exit(1)
        os.close(other)
        os.read(end, 1)
        os.kill(began, signal.SIGKILL)
        os.waitpid(began, 0)
        while True:
            self.assertTrue(select.select([end], [], [], 60)[0], "it goes on")
            if not os.read(end, 1000):  # nobody has the other end
                break
        os.close(end)

    def test_put(self):
        """A site elsewhere: the first of the options that is better by 1.5 % after a descent, or the same set; the shift is of this call alone."""
        sets = Sets(Namespace(shift=0.0))
        shifts, at = [], Set(np.zeros(2), (0, 1), 1.0)

        def options(rest, site, count, width, random, pool):
            shifts.append((sets.forest.shift, rest.on, site, random.uniform()))
            return [Set(np.array([site, k]), (0, 1), x) for k, x in enumerate((1.2, 0.99, 0.75, 0.5)[: 4 - 2 * site])]

        sets._options, sets.descend = options, lambda at, steps, width: at._replace(misfit=at.misfit - (steps == 20))
        found = [sets.put("a", at, site, 7.0, []) for site in (0, 1)]
        self.assertEqual((found[0].u.tolist(), found[0].misfit), ([0, 2], -0.25))
        self.assertIs(found[1], at)
        draw = exact.Random("a").uniform()
        self.assertEqual((shifts, sets.forest.shift), ([(7.0, (1,), 0, draw), (7.0, (0,), 1, draw)], 0.0))

    def test_intervals(self):
        """90 % intervals of 150 planted values (in full, 300) hold 85 to 95 % of them, of known noise, and of unknown one with a gain that is solved for."""
        x = np.linspace(0, 4, 60)
        truth = np.array([0.35, 0.6, 0.5])

        def curve(u):
            return np.exp(-((x - 4 * u[0]) / (0.3 + u[1])) ** 2) + 0.4 * u[2] * x

        seeds = range(0 if FULL else 50, 100)
        for known in (True, False) if FULL else (False,):
            held = 0
            for seed in seeds:
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
            self.assertTrue(0.85 <= held / (3 * len(seeds)) <= 0.95, held)

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


class Sheet(dict):
    """Of a simulation its mesh, and where a condition holds"""
    def __init__(self, points, cells, **fields):
        super().__init__({"where/x": np.ones(len(points)), **fields})
        self.points, self.cells, self.nodes = np.array(points, float), np.array(cells), len(points)


class Drawn:
    """Given numbers in place of random ones"""
    def __init__(self, *numbers):
        self.uniform = iter(numbers).__next__


class Defined(Case):
    """Numbers of a fit by their definitions, without a run"""

    def test_exact(self):
        rng = random.Random(3)
        for n in (1, 2, 5):
            A = np.array([[rng.uniform(-1, 1) for _ in range(n)] for _ in range(n + 2)])
            H, b = A.T @ A + 0.1 * np.eye(n), [rng.uniform(-1, 1) for _ in range(n)]
            np.testing.assert_allclose(exact.solve(H, b), np.linalg.solve(H, b), rtol=1e-11)
        self.assertEqual((exact.total([1e100, 1, -1e100]), exact.dot(np.array([1e100, 1, -1e100]), np.ones(3))), (1, 1))
        self.assertEqual(exact.combine([2, -1], [np.array([1.0, 2]), np.array([3.0, 5])]).tolist(), [-1, -1])
        for x in (0.1, 0.7, 2.0, 30.0):
            self.assertLessEqual(max(abs(exact.log(x) / math.log(x) - 1), abs(exact.exp(x) / math.exp(x) - 1)), 3e-16)
        uniform, drawn = random.Random("a").random, exact.Random("a").normals(50)
        for normal in drawn:  # of the polar method: a point in the circle, as far out as its square says
            square = 1.0
            while not 0 < square < 1:
                x, y = (2 * uniform() - 1 for _ in range(2))
                square = x**2 + y**2
            self.assertAlmostEqual(normal, x * (-2 * math.log(square) / square) ** 0.5, 12)

    def test_range(self):
        own = Range("k", (2.0, 10.0), 4.0, "mV")
        self.assertEqual((own.names, own.start.tolist(), own.values(np.array([0.75])), own.size), (["k (mV)"], [0.25], [8], 1))
        self.assertEqual((own.override([1 / 3]), own.directions(None)[0].tolist(), own.draw(Drawn(0.3)).tolist()), ("0.333333333333 mV", [1], [0.3]))
        self.assertEqual(own.values(np.array([1 / 24])), [float("%.12g" % (2 + 1 / 3))])
        other = Range("k", (2.0, 10.0), None, "")
        self.assertEqual((other.names, other.start.tolist(), other.override([4.0])), (["k"], [0.5], "4"))

    def test_faces(self):
        """Of two triangles, a tilted one and a cable: nodes, box, areas, normals, tangents, points at random and nearest ones"""
        corners = [[0, 0, 0], [4, 0, 0], [4, 2, 0], [0, 2, 0], [9, 9, 9]]
        faces = Faces(Sheet(corners, [[0, 1, 2], [0, 2, 3]]), "x")
        self.assertEqual((faces.nodes.tolist(), faces.points.tolist(), faces.centre.tolist(), faces.side), ([0, 1, 2, 3], np.array(corners[:4]).tolist(), [2, 1, 0], 4))
        self.assertEqual(faces.normals.tolist(), [[0, 0, 1]] * 4)
        self.assertEqual([around.tolist() for around in faces._around], [[0, 1], [0], [0, 1], [1]])
        for numbers, point in (((0.25, 0.5, 0.25), (3, 0.5, 0)), ((0.75, 0.5, 0.25), (2, 1.5, 0)), ((0.25, 0.75, 0.5), (3, 1, 0)), ((0.5, 0, 0), (0, 0, 0)), ((0.51, 0, 0.5), (0, 1, 0)), ((0.999, 0.25, 0.75), (3, 2, 0))):
            np.testing.assert_allclose(faces.draw(Drawn(*numbers)), point, atol=1e-12, err_msg=str(numbers))
        rng = np.random.default_rng(1)
        for p in rng.uniform(-3, 7, (30, 3)):
            np.testing.assert_allclose(faces.nearest(p[None])[0], [*np.clip(p[:2], 0, [4, 2]), 0], atol=1e-12)
            self.assertEqual(faces.nearest_node(p), int(np.argmin(np.linalg.norm(faces.points - p, axis=1))))
        some = rng.uniform(-3, 7, (7, 3))
        np.testing.assert_allclose(faces.nearest(some), [faces.nearest(p[None])[0] for p in some], atol=1e-12)
        half = Faces(Sheet(corners, [[0, 1, 2], [0, 2, 3]], **{"where/x": np.array([1, 1, 1, 0.5, 1])}), "x")
        self.assertEqual((half.nodes.tolist(), half._faces.tolist()), ([0, 1, 2], [[0, 1, 2]]))
        with self.assertRaisesRegex(cardiac.InputError, "'x' selects no face of the mesh's surface") as refused:
            Faces(Sheet(corners, [[0, 1, 2]], **{"where/x": np.zeros(5)}), "x")
        self.assertEqual(refused.exception.status, 2)
        tilted = Faces(Sheet([[0, 0, 0], [2, 0, 1], [0, 1, 0], [2, 1, 1]], [[0, 1, 2], [1, 3, 2]]), "x")
        normal = np.array([-1, 0, 2]) / 5**0.5
        np.testing.assert_allclose(tilted.normals, [normal] * 4, atol=1e-12)
        np.testing.assert_allclose(np.array(tilted.tangents(np.array([1.9, 0, 1]))) @ np.transpose([*tilted.tangents(np.array([1.9, 0, 1])), normal]), [[1, 0, 0], [0, 1, 0]], atol=1e-12)
        np.testing.assert_allclose(tilted._areas(), [5**0.5] * 2)
        cable = Faces(Sheet([[0, 0, 0], [1, 0, 0], [1, 3, 0]], [[0, 1], [1, 2]]), "x")
        self.assertEqual((cable._areas().tolist(), cable.normals.tolist(), cable.side), ([1, 3], [[0, 0, 0]] * 3, 3))
        self.assertEqual([along.tolist() for along in cable.tangents(np.array([1, 2.9, 0]))], [[0, 1, 0]])
        for numbers, point in (((0.2, 0.5, 0.25), (0.75, 0, 0)), ((0.3, 0.25, 0.25), (1, 1.5, 0))):
            np.testing.assert_allclose(cable.draw(Drawn(*numbers)), point)
        np.testing.assert_allclose(cable.nearest(np.array([[1.5, 1.6, 1], [0.4, 0.1, 0]])), [[1, 1.6, 0], [0.4, 0, 0]], atol=1e-12)

    def test_places(self):
        """A point on faces in shares of the longest side of their box, with the rest of a domain"""
        faces = Faces(Sheet([[0, 0, 0], [4, 0, 0], [4, 2, 0], [0, 2, 0]], [[0, 1, 2], [0, 2, 3]]), "x")
        place = Place("s", faces, [3.0, 1.0, 10.0])
        self.assertEqual((place.names, place.start.tolist(), place.unit), (["s.x (mm)", "s.y (mm)", "s.z (mm)"], [0.75, 0.5, 0.5], "mm"))
        with self.assertRaisesRegex(cardiac.InputError, "starts from the config's value, which is 10 mm from the nearest tissue of 'x'") as refused:
            Place("s", faces, [3.0, 1.0, 10.001])
        self.assertEqual(refused.exception.status, 2)
        self.assertEqual((place.values(np.array([0.75, 0.5, 0.5 + 1e-8])), place.override([1 / 3, 2, 0])), ([3, 1, 0], ["0.333333333333 mm", "2 mm", "0 mm"]))
        self.assertEqual((place.draw(Drawn(0.25, 0.5, 0.25)).tolist(), len(place.directions(place.start))), ([0.75, 0.375, 0.5], 2))
        domain = Domain([Range("a", (0.0, 10.0), 3.0, "ms"), place, Range("b", (5.0, 25.0), 9.0, "ms")])
        u = np.array([0.3, 0.75, 0.5, 0.5, 0.2])
        self.assertEqual((domain.start.tolist(), domain.names), (u.tolist(), ["a (ms)", "s.x (mm)", "s.y (mm)", "s.z (mm)", "b (ms)"]))
        self.assertEqual([domain.own(u, k).tolist() for k in range(3)], [[0.3], [0.75, 0.5, 0.5], [0.2]])
        self.assertEqual(domain.replace(u, {2: np.array([0.9]), 0: np.array([0.1])}).tolist(), [0.1, 0.75, 0.5, 0.5, 0.9])
        self.assertEqual((domain.values(u), domain.overrides(domain.values(u))), ([3, 3, 1, 0, 9], {"a": "3 ms", "s": ["3 mm", "1 mm", "0 mm"], "b": "9 ms"}))
        np.testing.assert_allclose(np.abs(domain.directions(u)), [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1]], atol=1e-12)
        self.assertEqual(domain.draw(Drawn(0.1, 0.25, 0.5, 0.25, 0.9)).tolist(), [0.1, 0.75, 0.375, 0.5, 0.9])
        np.testing.assert_allclose(domain.repair(np.array([-1, 2, 0.5, 0.9, 1.5])), [0, 1, 0.5, 0.5, 1], atol=1e-12)

    def measured(self, **more):
        """Leads I and II at 0, 2, .. 10 ms of a run of 20 ms, activation at three nodes, and a configuration with `more`"""
        at = np.arange(0, 11, 2.0)
        self.leads = np.stack([np.sin(at), np.cos(at / 3)], 1)
        leads_file("m.csv", at, ["I", "II"], self.leads.T)
        write("lat.csv", "node,activation (ms)\n0,3\n4,7.5\n2,6\n")
        config = {"time": {"end": "20 ms"}, "ecg": {"target": "m.csv", "every": "1 ms"}, "activation": {"target": "lat.csv"}}
        for key, value in more.items():
            section, _, name = key.partition("_")
            config[section][name] = value
        sim = Namespace(fields={"leads": {"names": ["III", "II", "I"]}}, points=np.arange(15.0).reshape(5, 3))
        return Measured(config, sim)

    def test_measured(self):
        """Factors, differences and misfits of leads and times, each against sums made here"""
        self.assertRaisesRegex(cardiac.InputError, "ecg.target or activation.target is missing: what was measured", self.measured, ecg_target=None, activation_target=None)
        own = self.measured(ecg_noise="0.1 mV", activation_noise="2 ms")
        self.assertEqual((own.count, own.knows_noise, own.solved, own.clock_is_unknown, own.end, own.every), (15, True, [], False, 20, 1))
        self.assertEqual((own.lead_times.tolist(), own._times().tolist()), (list(range(11)), list(range(21))))
        for values in (4, 14, 15, 40):
            free = max(1, 15 - values)
            self.assertAlmostEqual(own.fits(values), math.sqrt(free / 15 * (1 + 3 * (2 / free) ** 0.5)), 12)
        computed, apart = np.stack([np.cos(np.arange(11.0)), np.arange(11.0) / 9], 1), np.array([1.0, -2, 4])
        expected = np.concatenate([((computed[::2] - self.leads) / (0.1 * 15**0.5)).ravel(), apart / (2 * 15**0.5)])
        found = own.compare_values(computed, apart)
        np.testing.assert_allclose(found.differences, expected, rtol=1e-12)
        np.testing.assert_allclose(own.of_many(np.array([computed, 2 * computed]), np.array([apart, apart]))[0], expected, rtol=1e-12)
        self.assertEqual(own.of_many(np.array([computed]), None).shape, (1, 12))
        self.assertEqual((found.lag, found.solved, found.leads.values.tolist()), (0, target.Solved(), computed[::2].tolist()))

        # of a run: its leads each ms, its activation at the end, where a node is never reached
        class Run(dict):
            nodes, at = 5, 0.0

            def advance(self, to, progress):
                self.at = to
                self.asked.append(to)

            def __getitem__(self, name):
                return np.array([7.0, np.arange(11.0)[min(int(self.at), 10)] / 9, np.cos(self.at)]) if name == "leads" else np.array([[4.0, 1], [0, 0], [10, 0], [0, 0], [np.nan, 0]])
        run, stops = Run(), []
        run.asked = []
        misfit, differences = own.compare(run, Namespace(check=lambda: stops.append(run.at)))
        lat = np.array([1.0, 12.5, 4])
        np.testing.assert_allclose(differences, np.concatenate([expected[:12], lat / (2 * 15**0.5)]), rtol=1e-12)
        self.assertEqual((run.asked, stops), ([*map(float, range(1, 21)), 20], [1, 17, 20]))
        self.assertAlmostEqual(misfit.relative, float(np.linalg.norm(differences)), 12)
        self.assertAlmostEqual(misfit.ecg_rms, float(np.sqrt(((computed[::2] - self.leads) ** 2).mean())), 12)
        self.assertAlmostEqual(misfit.lat_rms, float(np.sqrt((lat**2).mean())), 12)
        self.assertTrue(math.isnan(misfit.ecg_lag) and math.isnan(misfit.ecg_gain) and math.isnan(misfit.lat_lag))

        # what is solved for
        own = self.measured(ecg_lag="fitted", ecg_gain="fitted", activation_lag="fitted")
        self.assertEqual((own.solved, own.clock_is_unknown, len(own.lead_times), own.fits(3)), (["ecg_lag", "ecg_gain", "lat_lag"], True, 21, 0))
        self.assertAlmostEqual(own.compare_values(None, apart).lag, -1)
        np.testing.assert_allclose(own.of_apart(np.array([apart, 2 * apart])), np.array([apart - 1, 2 * apart - 2]) * own.time_factor, rtol=1e-12)
        for more, known in (({"ecg_lag": "fitted"}, False), ({"activation_lag": "fitted"}, False), ({"ecg_lag": "fitted", "activation_target": None}, True), ({"activation_lag": "fitted", "ecg_target": None}, True),
                            ({"ecg_gain": "fitted", "activation_target": None}, False)):
            self.assertEqual(self.measured(**more).clock_is_unknown, known, more)
        misfit, _ = own.compare(run, Namespace(check=lambda: None))
        self.assertEqual([math.isnan(x) for x in misfit], [False] * 7)
        self.assertAlmostEqual(misfit.lat_lag, -float(lat.mean()), 12)
        self.assertAlmostEqual(misfit.lat_rms, float(np.sqrt(((lat - lat.mean()) ** 2).mean())), 12)

    def test_smoothed(self):
        """Three means over time, of which rows beyond the ends are those at the ends; activation stays as it is"""
        own, rng = self.measured(), np.random.default_rng(2)
        rows = rng.normal(size=(15, 4))
        for width, half in ((0, 0), (0.9, 0), (1.1, 1), (2, 1), (4, 2)):
            expected = rows[:12].reshape(6, 2, 4)
            for _ in range(3):
                wide = np.concatenate([expected[:1]] * half + [expected] + [expected[-1:]] * half)
                expected = np.array([wide[k : k + 2 * half + 1].mean(0) for k in range(6)])
            np.testing.assert_allclose(own.smooth(rows, width), np.concatenate([expected.reshape(12, 4), rows[12:]]), rtol=1e-12)
        np.testing.assert_allclose(own.smooth(rows[:, 0], 4), own.smooth(rows, 4)[:, 0], rtol=1e-12)
        self.assertIs(self.measured(ecg_target=None).smooth(rows, 4), rows)

    def test_projected(self):
        """Columns are those of the differences less what a lag and a gain take up: none of it is left along these"""
        for more in ({}, {"ecg_gain": "fitted"}, {"activation_lag": "fitted"}, {"ecg_lag": "fitted", "ecg_gain": "fitted", "activation_lag": "fitted"}):
            own, rng = self.measured(**more), np.random.default_rng(2)
            count = len(own.lead_times)
            leads, by = np.cumsum(rng.normal(size=(count, 2)), 0), rng.normal(size=(3, count, 2))
            times = rng.normal(size=(3, 3))
            at = own.compare_values(leads, np.array([1.0, 2, 4]))
            of = target.Leads(own.lead_times, ["I", "II"], leads)
            J = np.concatenate([np.stack([target.apply(at.solved, own.leads.times, own.lead_times, one).ravel() * own.lead_factor for one in by], 1), times.T * own.time_factor])
            taken = [np.append(one.ravel(), np.zeros(3)) for one in target.derivatives(own.leads, of, at.solved, own.unknown)] + [np.append(np.zeros(12), np.ones(3))] * own.unknown_lag
            if taken:
                A = np.array([one for one in taken if one.any()]).T
                J = J - A @ np.linalg.lstsq(A, J, rcond=None)[0]
            np.testing.assert_allclose(own.slopes(at, by, times), J, atol=1e-10)

    def test_concluded(self):
        """Intervals of linear differences, by least squares; what is at a bound, not converged or not determined; which ends are other sets"""
        parts = [Range("a", (0.0, 2.0), 0.5, "mV"), Range("b", (1.0, 5.0), 2.0, "ms"), Range("c", (0.0, 1.0), 0.5, "")]
        domain, rng = Domain(parts), np.random.default_rng(7)
        columns, r = rng.normal(size=(3, 12)), 0.2 * rng.normal(size=12)
        r -= columns.T @ np.linalg.lstsq(columns.T, r, rcond=None)[0]  # at the least

        def verdict(u=(0.25, 0.5, 0.75), fits=0.0, known=False, solved=0, columns=columns, ends=(), converged=(), r=r):
            best = Namespace(u=np.array(u), r=r, misfit=float(np.linalg.norm(r)))
            search = Namespace(best=best, fits=fits, ends=[(Namespace(u=np.array(v), misfit=m), None) for v, m in ends], converged=[best] * len(converged))
            by_runs = Namespace(slope=lambda at: (Namespace(directions=list(np.eye(3)), columns=list(columns)), None))
            return conclude(domain, search, by_runs, 12, known, solved), best

        def intervals(free, variance, columns=columns):
            spread = np.sqrt(np.diag(np.linalg.inv(columns @ columns.T)) * variance) * [2, 4, 1][-len(columns):]
            return [(value - quantile(0.9, free) * d, value + quantile(0.9, free) * d) for value, d in zip((0.5, 3, 0.75)[-len(columns):], spread)]
        square = float(r @ r)
        for known, solved, free, variance in ((False, 0, 9, square / 9), (False, 2, 7, square / 7), (False, 20, 1, square), (True, 0, 9, max(square / 9, 1 / 12))):
            found, best = verdict(known=known, solved=solved)
            self.assertEqual([(v.name, v.first, v.best, v.note) for v in found.values], [("a (mV)", 0.5, 0.5, ""), ("b (ms)", 2, 3, ""), ("c", 0.5, 0.75, "")])
            np.testing.assert_allclose([v.interval for v in found.values], intervals(free, variance), rtol=1e-9)
            self.assertEqual((found.converged, found.others, found.misfit), (True, [], best.misfit))
        loud, _ = verdict(known=True, r=10 * r)
        np.testing.assert_allclose([v.interval for v in loud.values], intervals(9, 100 * square / 9), rtol=1e-9)
        # at a bound: it is left out of the slopes; the earliest of relative ones is none
        for edge, note in ((0.0, "at its bound"), (1e-6, "at its bound"), (1.1e-6, ""), (1 - 1.1e-6, ""), (1 - 1e-6, "at its bound"), (1.0, "at its bound")):
            found, _ = verdict(u=(edge, 0.5, 0.75))
            self.assertEqual([v.note for v in found.values], [note, "", ""], edge)
        np.testing.assert_allclose([v.interval for v in verdict(u=(0, 0.5, 0.75))[0].values[1:]], intervals(10, square / 10, columns[1:]), rtol=1e-9)
        domain.relative = [0, 1]
        self.assertEqual([verdict(u=u)[0].values[0].note for u in ((0, 0.5, 0.75), (1, 0.5, 0.75))], ["the earliest: others are relative to it", "at its bound"])
        domain.relative = []
        nothing, _ = verdict(columns=np.array([columns[0], 0 * columns[1], columns[2]]))
        self.assertEqual([v.note for v in nothing.values], ["", "not determined", ""])
        # a step of all slopes that is longer than 0.3 deviations, unless the search has seen the end
        alone, edge = np.array([columns[0], 0 * columns[1], 0 * columns[2]]), 0.3 * (square / 7 / (1 - 0.3**2 / 7)) ** 0.5
        for far, converged in ((0.995, True), (1.005, False)):
            off = r + far * edge * columns[0] / np.linalg.norm(columns[0])
            for seen in ((), (1,)):
                found, _ = verdict(columns=alone, r=off, converged=seen, solved=2)
                self.assertEqual(found.converged, converged or bool(seen), far)
                self.assertEqual(found.values[0].note, "" if found.converged else "not converged")
        # other ends that fit as well, each once
        least = float(np.linalg.norm(r))
        ends = [((0.25, 0.5, 0.75), least), ((0.25, 0.5, 0.769), least), ((0.6, 0.5, 0.75), 1.02 * least), ((0.61, 0.5, 0.75), least), ((0.9, 0.5, 0.75), 1.04 * least)]
        found, _ = verdict(ends=ends)
        self.assertEqual(found.others, [(1.02 * least, [1.2, 3, 0.75])])
        found, _ = verdict(ends=ends, fits=2 * least)
        self.assertEqual([values for _, values in found.others], [[1.2, 3, 0.75], [1.8, 3, 0.75]])

    def test_words(self):
        """What a verdict says, whole"""
        from cardiac.studies.verdict import Value, Verdict
        values = [Value("a (mV)", 0.5, 0.123456, (0.1, 0.2)), Value("b", 1, 2, None, "at its bound")]
        self.assertEqual(Verdict(1.5, 1.5, True, values, []).lines(), ["within the noise", "a (mV): 0.12346, from 0.5; 90 % between 0.1 and 0.2", "b: 2, from 1; at its bound"])
        self.assertEqual(Verdict(1.6, 1.5, False, [], [(1.55, [1.0, 2.5])]).lines(), ["does not fit: the misfit is 1.6 times the noise", "not converged: no intervals", "not unique: 1 other set fits as well", "misfit 1.55 as well: 1, 2.5"])
        self.assertEqual(Verdict(0.1, 0, True, [], [(0.1, [1.0])] * 2).words(), ["the noise is not given (ecg.noise, activation.noise): intervals take the misfit for it", "not unique: 2 other sets fit as well"])


    def study(self, **own):
        """A fit without simulations"""
        study = Study.__new__(Study)
        vars(study).update({"_made": [], "rows": {}, "given": Namespace(quiet=False, config="c/a.yaml", overwrite=False), "path": "t.csv", "folder": "o", "fit": {"evaluations": 4, "seed": 1}, "_blocked": [], "_fixed": {}, "_said": 0.0, "sets": ["k=1"], **own})
        return study

    def insertion(self, fits=1.0, size=100.0, ends=()):
        """Of sites at three places of a vector each, without waves"""
        own = Insertion.__new__(Insertion)
        point = lambda u, misfit: Namespace(u=np.array(u, float), misfit=misfit, r=np.array([misfit]))
        own.fits, own.pool, own.tried, own.rounds, own.sets = fits, [], [], 9, Namespace()
        own.search = Namespace(ends=[(point(u, misfit), slope) for u, misfit, slope in ends], size=size, domain=Namespace(own=lambda u, k: u[3 * k : 3 * k + 3]))
        own.forest = Namespace(layout=Namespace(places=[0, 1]), measured=Namespace(leads=True), shift=0.0, sites=2, differences=lambda u, on: np.zeros(1))
        return own, point

    def test_ends_of_searches(self):
        """Which ends are the same, are done, are followed by slopes of runs or are left, at each side of each bound"""
        here = [0.0, 0, 0, 1, 1, 1]
        own, point = self.insertion()
        for other, far in ((here, 0), ([0, 0, 0.3, 1, 1, 1], 0.3), ([1, 1, 1, 0, 0, 0.2], 0.2), ([0, 0, 0, 0, 0, 0.1], 2.81**0.5)):  # of a site of one to the nearest of the other
            self.assertAlmostEqual(own.distance(np.array(here), np.array(other, float)), far)
        own.tried = [np.array(here)]
        self.assertEqual([own._is_new(np.array([0, 0, x, 1, 1, 1])) for x in (0.019, 0.021)], [False, True])
        for fits, ends, done in ((1.0, [], False), (1.0, [(here, 1.001, None)], False), (1.0, [(here, 3, None), (here, 1.0, None)], True), (0.0, [(here, 5.0, None)], False), (0.0, [(here, 5.0, None), (here, 5.14, None)], True),
                                 (0.0, [(here, 5.0, None), (here, 5.16, None)], False), (0.0, [(here, 5.0, None), ([0, 0, 0.019, 1, 1, 1], 5.0, None)], True), (0.0, [(here, 5.0, None), ([0, 0, 0.021, 1, 1, 1], 5.0, None)], False)):
            self.assertEqual(self.insertion(fits, ends=ends)[0]._done(), done, (fits, ends))
        for fits, size, ends, finished in ((0.0, 1, [(here, 9, None)], True), (1.0, 1, [], True), (1.0, 1, [(here, 2.0, None)], False), (1.0, 1, [(here, 2.001, None)], True), (1.0, 1, [(here, 1.5, "slope")], True), (1.0, 100, [(here, 7.0, None)], False),
                                           (1.0, 100, [(here, 7.001, None)], True), (1.0, 100, [(here, 1.0, None), (here, 9, "slope")], False)):
            self.assertEqual(self.insertion(fits, size, ends)[0]._finished(), finished, (fits, size, ends))
        own = self.insertion(ends=[(here, 3.0, None), (here, 2.0, None)])[0]
        self.assertEqual((own._least(), own.best().misfit, self.insertion()[0]._least()), (2, 2, math.inf))
        # known noise: beyond 1.25 of it an end is kept as it is; else what is near enough is finished by slopes of runs
        for fits, size, ends, misfit, to in ((1.0, 1.0, [], 1.25, "finish"), (1.0, 1.0, [], 1.2501, "kept"), (1.0, 1.0, [], math.inf, ""), (0.0, 100.0, [], 6.99, "finish"), (0.0, 100.0, [(here, 4.0, None)], 7.001, "kept"), (0.0, 10.0, [(here, 4.0, None)], 4.99, "finish"),
                                             (0.0, 10.0, [(here, 4.0, None)], 5.0, "kept"), (0.0, 10.0, [(here, 4.0, None)], math.inf, "")):
            own, point = self.insertion(fits, size, ends)
            end, found = point(here, misfit), []
            own._polish, own._finish = lambda at: end, lambda at: found.append("finish")
            own._follow(Namespace(u=np.array(here)))
            self.assertEqual((found, len(own.search.ends) - len(ends), len(own.tried)), (["finish"] * (to == "finish"), int(to == "kept"), 1), (fits, size, misfit))
        # a set above the noise is left where a step gains little
        for misfit, after, calls in ((0.9, 0.5, [{"slope": None}]), (1.5, 1.1, [{"enough": 0.03}]), (1.5, 1.0, [{"enough": 0.03}, {"slope": "s"}])):
            own, point = self.insertion()
            made, end = [], point(here, after)
            own.search.descend = lambda at, **how: made.append(how) or (end, "s")
            own._finish(point(here, misfit))
            self.assertEqual((made, own.search.ends), (calls, [(end, "s")]))

    def test_descended(self):
        """Damped steps on superposed waves: the damping falls to a quarter with each that is better, and rises six times where none is; no step is longer than a tenth"""
        rng = np.random.default_rng(8)
        A, target_ = rng.normal(size=(7, 3)), np.array([0.55, 0.48, 0.5])
        asked, worse, rest = [], 0, 0.05 * np.linalg.qr(A, mode="complete")[0][:, 6]

        def differences(u, on):
            asked.append(u)
            return A @ (u - target_) + rest + (9.0 if len(asked) <= worse else 0.0)
        domain = Domain([Range(k, (0.0, 1.0), 0.5, "") for k in "abc"])
        own = Sets(Namespace(slopes=lambda u, on: (A @ (u - target_) + rest, np.eye(3), A), differences=differences, measured=Namespace(smooth=lambda r, width: r), domain=domain))
        H = A.T @ A

        def steps(u, dampings):
            for damping, moves in dampings:
                step = -np.linalg.solve(H + np.diag(damping * (np.diag(H) + 1e-3 * np.diag(H).max()) + 1e-14), H @ (u - target_))
                yield u + step * min(1, 0.1 / abs(step).max())
                u = u + step * min(1, 0.1 / abs(step).max()) if moves else u
        start = np.full(3, 0.5)
        at = own.descend(Set(start, (0,)), 3, 0.0, 0.0)
        np.testing.assert_allclose(asked[:3], list(steps(start, [(0.05, True), (0.0125, True), (0.003125, True)])), rtol=1e-9)
        self.assertAlmostEqual(at.misfit, float(np.linalg.norm(A @ (asked[2] - target_) + rest)), 12)
        asked.clear()
        worse = 2
        own.descend(Set(start, (0,)), 2, 0.0, 0.0)
        np.testing.assert_allclose(asked[:4], list(steps(start, [(0.05, False), (0.3, False), (1.8, True), (0.45, True)])), rtol=1e-9)
        asked.clear()
        worse = 99
        self.assertEqual(own.descend(Set(start, (0,)), 9, 0.0).u.tolist(), start.tolist())
        self.assertEqual(len(asked), 4)
        worse = 0
        for least, count in ((2e-3, None), (0.99, 1)):  # a step that gains less is the last
            asked.clear()
            own.descend(Set(start, (0,)), 9, 0.0, *([] if count is None else [least]))
            misfits = [float(np.linalg.norm(A @ (u - target_) + rest)) for u in [start, *asked]]
            gains = [1 - b / a for a, b in zip(misfits, misfits[1:])]
            self.assertEqual(len(asked), next((k for k, gain in enumerate(gains, 1) if gain < least), 9))
        far = np.array([0.1, 0.9, 0.5])
        asked.clear()
        own.descend(Set(far, (0,)), 1, 0.0)
        self.assertAlmostEqual(abs(asked[0] - far).max(), 0.1)

    def test_polished(self):
        """Runs from one end after the other: three that are no better, misfits within the noise, a step that is none, or seven runs end it"""
        here = np.zeros(6)
        for misfits, moves, runs, best in (([5, 4, 3, 2, 1.5, 1.4, 1.3, 1.2], 1.0, 7, 1.3), ([5, 6, 7, 1], 1.0, 3, 5), ([5, 6, 4, 6, 6, 1], 1.0, 5, 4), ([5, 0.979, 0.5], 1.0, 2, 0.979), ([5, 0.981, 0.5], 1.0, 3, 0.5), ([5, math.inf, 1], 1.0, 2, 5), ([math.inf], 1.0, 1, math.inf),
                                           ([5, 4, 3], 4.9e-4, 1, 5), ([5, 4, 3, 9, 9, 9, 9], 5.1e-4, 4, 3)):
            own, point = self.insertion()
            left, asked = list(misfits), []
            own._run = lambda u: point(u, left.pop(0))
            own.sets.descend = lambda at, steps, width, least: asked.append((steps, width, least, float(np.sum(own.forest.shift)))) or at._replace(u=at.u + moves)
            found = own._polish(Set(here, (0, 1)))
            self.assertEqual((len(misfits) - len(left), found.misfit, own.forest.shift), (runs, best, 0.0), misfits)
            end, least = [], math.inf
            for k, misfit in enumerate(misfits[: len(asked)]):
                worse = misfit > 1.5 * least
                least = min(least, misfit)
                end.append((6 if worse else 12, 3.0 if k < 3 else 0.0, 1e-4, least if worse else misfit))
            self.assertEqual(asked, end, misfits)

    def test_rounds(self):
        """Ends within 15 % of the least are followed once; exchanges go on from the best run while they gain 3 %; twelve rounds at most"""
        here = [0.0, 0, 0, 1, 1, 1]
        other = lambda x: np.array([0, 0, x, 1, 1, 1.0])
        own, point = self.insertion(ends=[])
        followed, rounds = [], []
        own._round = lambda: rounds.append(1) or [Set(other(0.1 * k), (0, 1), misfit) for k, misfit in enumerate((2.0, 2.29, 2.31, 1.9))]
        own._follow, own._done = lambda end: (followed.append(end.misfit), own.tried.append(end.u)), lambda: False
        own.run()
        self.assertEqual((followed, len(rounds)), ([2.0, 2.29, 1.9], 12))
        own, point = self.insertion(0.0)  # of unknown noise each end is followed in each round, as two of them have to agree
        followed.clear(), rounds.clear()
        own._round = lambda: rounds.append(1) or [Set(other(0), (0, 1), 2.0)]
        own._follow, own._done = lambda end: followed.append(end.misfit), lambda: len(followed) == 3
        own.run()
        self.assertEqual((followed, len(rounds)), ([2.0] * 3, 3))
        for gains, count in (([1.9, 1.8, 1.7, 1.6], 3), ([1.95, 1.9], 0), ([1.93, 1.95], 1), ([None], 0)):
            own, point = self.insertion(ends=[(here, 2.0, None)])
            followed.clear()
            left, places = list(gains), iter(range(1, 9))
            own._round, own._finished, own._done = lambda: [], lambda: True, lambda: len(followed) == count and count < 3 and not left
            own._exchange = lambda at, shift: at._replace(misfit=at.misfit - (left[0] is not None)) if left else at
            own.sets.descend = lambda at, steps, width: Set(other(0.1 * next(places)), (0, 1), left.pop(0) or 0.0)
            own._follow = lambda end: (followed.append(end.misfit), own.tried.append(end.u))
            with mock.patch.object(insertion_, "ROUNDS", 1):
                own.run()
            self.assertEqual(followed, gains[:count], gains)
        own, point = self.insertion(ends=[(here, 1.5, None)])
        finished = []
        own._round, own._exchange, own.sets.descend = lambda: [], lambda at, shift: at, lambda at, steps, width: at
        own._finish, own._finished, own._done = lambda at: finished.append(at.misfit), lambda: len(finished) > 1, lambda: False
        own.run()
        self.assertEqual(finished, [1.5, 1.5])
        # exchanges: the site that is needed least first, and a gain of 1.5 % or more
        for misfits, taken, better in (([0.984], "0", True), ([0.986, 0.986, 0.984], "1", True), ([0.986] * 9, None, False)):
            left, order = list(misfits), []
            own = Sets(Namespace(measured=Namespace(smooth=lambda r, width: r), differences=lambda u, on: np.array([{(1,): 3.0, (0,): 5.0}[on]])))
            own._options = lambda at, site, count, width, random, pool: order.append((site, at.on, count)) or [at._replace(misfit=0.5)] * 2
            own.descend = lambda at, steps, width: at._replace(misfit=left.pop(0) if steps == 10 else 0.1)
            found, gained = own.exchange(Set(np.zeros(6), (0, 1), 1.0), 3.0, None, [])
            self.assertEqual((gained, found.misfit), (better, 0.1 if better else 1.0))
            self.assertEqual(order, [(0, (1,), 60), (1, (0,), 60)][: 1 if taken == "0" else 2])

    def test_options(self):
        """A site more, at places at random and before the others come, or at those of earlier ends: the three that leave least once the others have followed by damped steps"""
        from cardiac.studies.forest import soft_minimum
        rng = np.random.default_rng(9)
        J, nodes = rng.normal(size=(8, 2)), rng.uniform(0, 30, (2, 8))
        points = np.arange(30.0).reshape(10, 3)
        numbers, made = [], []

        def uniform():
            numbers.append(rng.uniform())
            return numbers[-1]
        waves = Namespace(m=2.0, surface=Namespace(of=[None, np.array([4, 7, 8, 9])], points=points), layout=Namespace(starts=[None, 1]), measured=Namespace(leads=None))
        waves.with_site = lambda u, site, point, start, of=None: made.append((site, point.tolist(), start, of)) or np.array([u[0], point[0] / 30, start / 40])
        waves.slopes = lambda u, on: (None, np.eye(3)[:2], J)
        waves.start = lambda u, k: 40 * u[2] if k == 1 else 10 * u[0]
        waves.arrivals = lambda u, on: (nodes[0] if on == (0,) else nodes[1] + 40 * u[2],)
        waves.first_at_sites = lambda u, on: np.arange(10.0) + 30
        waves.times_alone = lambda u, sites: np.array([nodes[1] + site for site in sites])
        waves.place = lambda u, k: (np.array([0.0, 0, 0]),)
        given = []
        waves.of_times = lambda T, u: given.append(T) or T - 20
        waves.differences = lambda u, on: np.array([u[1], u[2], 0.1])
        own, random_ = Sets(waves), Namespace(uniform=uniform)
        waves.measured.smooth, waves.domain = lambda r, width: r, Namespace(repair=lambda u, kept: np.clip(u, 0, 1), parts=[None, Range("t", (4.0, 12.0), 5.0, "ms")])
        pool = [(1, np.array([6.1, 0, 0]), 7.0), (0, np.array([5.9, 0, 0]), 8.0)] + []
        found = own._options(Set(np.array([0.5, 0, 0]), (0,)), 1, 5, 3.0, random_, pool)
        chosen = sorted({int(4 * x) for x in numbers[:5]})
        indices, later = [int([4, 7, 8, 9][k]) for k in chosen], iter(numbers[5:])
        tries = [(1, points[k].tolist(), 30 + k - early - 5 * next(later), None) for k in indices for early in (5.0, 14.0, 26.0)] + [(1, [6.1, 0, 0], 7.0, 1)]
        self.assertEqual([(site, point, round(start, 9), of) for site, point, start, of in made], [(site, point, round(start, 9), of) for site, point, start, of in tries])
        alone = [nodes[1] + k for k in indices for _ in range(3)] + [nodes[1]]
        T = np.array([soft_minimum(np.array([nodes[0], start + times]), 2.0) for (_, _, start, _), times in zip(tries, alone)])
        np.testing.assert_allclose(given[0], T)
        H, r = J.T @ J, (T - 20).T
        steps = -np.linalg.inv(H + np.diag(0.1 * (np.diag(H) + 0.01 * np.diag(H).max()) + 1e-14)) @ J.T @ r
        steps *= np.minimum(1, 0.1 / abs(steps).max(axis=0))
        left = np.linalg.norm(r + J @ steps, axis=0)
        self.assertEqual(len(found), 3)
        for one, k in zip(found, np.argsort(left)[:3]):
            u = np.array([0.5, tries[k][1][0] / 30, tries[k][2] / 40]) + np.append(steps[:, k], 0)
            np.testing.assert_allclose(one.u, np.clip(u, 0, 1))
            self.assertEqual((one.on, round(one.misfit, 9)), ((0, 1), round(float(left[k]), 9)))
        # the first site, at a time within its bounds
        made.clear(), numbers.clear()
        found = own._options(Set(np.array([0.5, 0, 0]), ()), 1, 3, 0.0, random_, pool)
        chosen = sorted({int(4 * x) for x in numbers[:3]})
        self.assertEqual([(point, round(start, 9)) for _, point, start, _ in made], [(points[[4, 7, 8, 9][k]].tolist(), round(4 + 8 * x, 9)) for k, x in zip(chosen, numbers[3:])])
        misfits = sorted(float(np.linalg.norm([point[0] / 30, start / 40, 0.1])) for _, point, start, _ in made)
        self.assertEqual([(one.on, round(one.misfit, 9)) for one in found], [((1,), round(x, 9)) for x in misfits[:3]])
        waves.layout.starts[1] = None
        self.assertEqual(own._drawn_start(1, random_), 0)

    def test_beginnings(self):
        """Twelve beginnings, each site in turn from a random order; the four best go on, with less and less smoothing, until two exchanges in turn gain nothing"""
        for leads, widths in ((True, (6.0, 3.0, 0.0)), (None, (0.0,))):
            own, calls, misfits = Insertion.__new__(Insertion), [], [5.0, 2.0, 4.0, 3.0, 6.0, 7.0, 1.0, 9.0, 9.0, 9.0, 9.0, 8.0]
            own.forest = Namespace(measured=Namespace(leads=leads), place=lambda u, k: (np.array([k, 0, 0]), None), start=lambda u, k: 10.0 * k)
            own.seed, own.pool, own.rounds = "s", [], 3

            def made(name, given):
                calls.append((name, given))
                return [Set(np.zeros(1), (0, 1), misfit) for misfit in misfits] if name == "begin" else [at._replace(misfit=at.misfit + 9 * (at.misfit == 2)) for _, at, _, _ in given]
            own.crew = Namespace(map=made)
            found = own._round()
            self.assertEqual(calls[0], ("begin", [("s round 3 beginning %d" % k, widths[0], []) for k in range(12)]))
            self.assertEqual((calls[1][0], [(name, at.misfit, *more) for name, at, *more in calls[1][1]]), ("improve", [("s round 3 end %d" % k, k + 1.0, widths, []) for k in range(4)]))
            self.assertEqual((own.rounds, [at.misfit for at in found]), (4, [1, 3, 4, 11]))
            self.assertEqual([(k, point.tolist(), start) for k, point, start in own.pool], [(0, [0, 0, 0], 0), (1, [1, 0, 0], 10)] * 4)
            own.crew.map = lambda name, given: calls.append((name, given)) or [at._replace(misfit=x) for (_, at, *_), x in zip(given, (2.0, 1.5))]
            own.tried, own.pool = [None] * 7, [5] * 30
            self.assertEqual(own._exchange(found[0], 0.5).misfit, 1.5)
            self.assertEqual(calls[2], ("put", [("s exchange 7 %d" % k, found[0], k, 0.5, [5] * 24) for k in (0, 1)]))

            sets, log, gains = Sets(Namespace(rough=False, sites=2, domain=Namespace(draw=lambda random: np.zeros(1)))), [], [True, False, True, False, False]
            sets.descend = lambda at, steps, width: log.append((steps, width, sets.forest.rough)) or at
            sets.exchange = lambda at, width, random, pool: log.append(("exchange", width, pool)) or (at, gains.pop(0))
            sets.improve("n", found[0], widths, [1])
            first, second = widths[0], widths[min(1, len(widths) - 1)]
            self.assertEqual(log, [(20, first, True), (20, second, True), *[("exchange", second, [1])] * 5, (25, 0, False)])
            log.clear()
            sets._options = lambda at, site, count, width, random, pool: log.append((at.on, site, count, width)) or [Set(at.u, (*at.on, site)), None]
            draw = exact.Random("n").uniform
            order = tuple(sorted((0, 1), key=lambda _: draw()))
            self.assertEqual((sets.begin("n", 4.0, []).on, sets.forest.rough), (order, False))
            self.assertEqual(log, [((), order[0], 20, 4.0), (8, 4.0, True), (order[:1], order[1], 20, 4.0), (8, 4.0, True)])

    def test_waves_of_sites(self):
        """A wave is followed until it has come everywhere, or nowhere for 40 ms; V after it comes, between the steps; each look asks whether to stop"""
        first = np.array([5.2, 30.0, 62.3, np.nan])
        checks = []

        class Sim(dict):
            step, nodes, time = 0.3, 4, 0.0

            def reopen(self, own):
                log.append(own)

            def move(self, *words):
                log.append(words)

            def advance(self, to, progress):
                self.time = to
                log.append(round(to, 9))

            def __getitem__(self, name):
                return np.stack([np.where(first <= self.time, first, np.nan), np.zeros(4)], 1) if name == "activation_time" else (self.time - np.array([5.2, 30.0, 62.3, 0])) * [1, 2, 3, 4]
        log, stop = [], Namespace(check=lambda: checks.append(1))
        wave = dictionary.Wave({"k": 1}, [[1.0, 2, 1 / 3]], ["p0", "p1"], ["A", "B"])
        found = dictionary.activation(Sim(), wave, stop)
        at = ["1 mm", "2 mm", "0.333333333 mm"]
        look = 0.9 * 11  # ms: whole steps of about 1 ms, looks of about 10 ms
        self.assertEqual(log, [{"k": 1, "p0": at, "p1": at}, ("B", None), *(round(look * k, 9) for k in range(1, 12))])  # until more than 40 ms after the last
        np.testing.assert_array_equal(found, first)
        self.assertEqual(len(checks), 11)
        for late, looks in ((np.full(4, np.nan), 5), (np.array([1.0, 2, 3, 9.89]), 1), (np.array([1.0, 2, 3, 9.91]), 2)):
            first = late
            log.clear()
            dictionary.activation(Sim(), wave, stop)
            self.assertEqual(len(log) - 2, looks)
        first, slope, began = np.array([5.2, 30.0, 62.3, np.nan]), np.array([1, 2, 3]), np.array([5.2, 30.0, 62.3])
        log.clear()
        sums, known = dictionary.rows_after_activation(Sim(), wave, 40, stop)
        self.assertEqual((sums.shape, sums.dtype, known.dtype), ((40, 4), np.float32, bool))
        last = log[-1]
        self.assertEqual(round(last / 0.9) % 1, 0)
        self.assertTrue(108 <= last <= 108 + 0.9, last)  # no activation for 40 ms: it ends at a look of ten steps
        u = np.arange(40.0)[:, None] - BEFORE
        there = (began + u >= 0) & (began + u <= last)
        np.testing.assert_array_equal(known[:, :3], there)
        np.testing.assert_allclose(sums[:, :3], np.where(there, u * slope, 0), atol=1e-3)
        self.assertFalse(known[:, 3].any())
        first = np.array([5.2, 30.0, 62.3, 40.0])
        log.clear()
        _, known = dictionary.rows_after_activation(Sim(), wave, 60, stop)
        self.assertEqual(log[-1], 117.0)  # the first look, each of 9 ms, at or after 62.3 + 60 - 12 = 110.3 ms
        self.assertEqual(known.sum(0).tolist(), [53, 60, 60, 60])

    def test_means_of_waves(self):
        """Of what was seen of each node; what was not goes on like the mean of those that were seen whole, or of all"""
        rng = np.random.default_rng(6)
        rows, known = rng.normal(size=(3, 8, 4)), np.ones((3, 8, 4), bool)
        known[:, :2, 1], known[:, 6:, 1], known[0, :, 2], known[:, :, 3] = False, False, False, False
        rows = np.where(known, rows, 0)
        found = dictionary.mean_rows(zip(rows, known))
        whole = [rows[:, :, 0].mean(0), rows[1:, :, 2].mean(0)]
        common = np.mean(whole, axis=0)
        np.testing.assert_allclose(found[:, [0, 2]].T, whole)
        own = rows[:, :, 1].mean(0)
        np.testing.assert_allclose(found[:, 1], [own[2] + common[0] - common[2], own[2] + common[1] - common[2], *own[2:6], own[5] + common[6] - common[5], own[5] + common[7] - common[5]])
        np.testing.assert_allclose(found[:, 3], common)
        known[:, 0, :3] = False
        rows = np.where(known, rows, 0)
        found = dictionary.mean_rows(zip(rows, known))
        count = known.sum(0)
        mean = rows.sum(0) / np.maximum(count, 1)
        common = [mean[k][count[k] > 0].mean() if (count[k] > 0).any() else 0 for k in range(8)]
        np.testing.assert_allclose(found[:, 3], common)
        np.testing.assert_allclose(found[0, 0], mean[1, 0] + common[0] - common[1])
        V = np.zeros((BEFORE + 60, 3))
        self.assertEqual(dictionary.shortest(V), math.inf)
        V[BEFORE + 20 + 9 :, 1], V[BEFORE + 20 + 7, 2], V[: BEFORE + 20, 0] = -40.1, -40.0, -80
        self.assertEqual(dictionary.shortest(V), 29)
        V[BEFORE + 20 :, 0] = -40.01
        self.assertEqual(dictionary.shortest(V), 20)

    def test_records_of_waves(self):
        """Records that are whole are read again, in their order; from one that is not, all are made anew; another part of the same fit is another file"""
        os.environ["XDG_CACHE_HOME"] = os.path.abspath("records")
        self.addCleanup(os.environ.pop, "XDG_CACHE_HOME")
        said = []
        each = lambda work, runs: (work(None, run) for run in runs)
        with mock.patch.object(dictionary, "activation", lambda sim, run, stop: np.full(3, run / 3)):
            def waves(count, runs=None):
                said.clear()
                with dictionary.Dictionary("fit", 3, said.append) as book:
                    found = book.waves(each, [float(k) for k in range(count)], None)
                np.testing.assert_allclose(found, [[k / 3] * 3 for k in range(count)], rtol=1e-6)
                return book
            self.assertEqual((waves(4).made, said), (4, ["waves of single sites: %d of 4" % k for k in (1, 2, 3, 4)]))
            self.assertEqual([waves(count).made for count in (4, 2, 6, 6)], [0, 0, 2, 0])
            book = waves(6)
            size = os.path.getsize(book.path)
            self.assertEqual(size, len(dictionary.MAGIC) + 6 * 16)
            for place, made in ((size - 1, 1), (len(dictionary.MAGIC) + 2 * 16 + 3, 4)):
                with open(book.path, "r+b") as file:
                    file.seek(place)
                    byte = file.read(1)[0]
                    file.seek(place)
                    file.write(bytes([byte ^ 1]))
                self.assertEqual((waves(6).made, os.path.getsize(book.path)), (made, size))
            os.truncate(book.path, size - 1)
            self.assertEqual(waves(6).made, 1)
            with open(book.path, "r+b") as file:
                file.write(b"x")
            self.assertEqual(waves(6).made, 6)
        with mock.patch.object(dictionary, "mean_rows", lambda found: np.arange(6.0).reshape(2, 3) / 3):
            rounded = (np.arange(6) / 3).astype(np.float32).reshape(2, 3).tolist()
            for made in (5, 0):  # the same bits, made and read
                with dictionary.Dictionary("fit", 3, said.append, "V 2") as other:
                    found = other.mean(each, [1] * 5, 2, None)
                self.assertEqual((other.made, found.tolist(), found.dtype), (made, rounded, float))
        names = [os.path.basename(one.path) for one in (book, other)]
        self.assertEqual((names[0][:48] == names[1][:48], names[0] == names[1], len(names[0])), (True, False, 70))
        for given, found in ((os.path.abspath("x"), os.path.abspath("x/cardiac")), ("relative", os.path.expanduser("~/.cache/cardiac")), ("", os.path.expanduser("~/.cache/cardiac"))):
            os.environ["XDG_CACHE_HOME"] = given
            self.assertEqual(dictionary.folder(), found)

    def test_slopes_of_sets(self):
        """Columns by each site's two tangents, its start and the velocity, where waves go straight, against their differences; sets that begin elsewhere"""
        faces = Faces(Sheet([[0, 0, 0], [4, 0, 0], [4, 2, 0], [0, 2, 0]], [[0, 1, 2], [0, 2, 3]]), "x")
        places = [Place("stimuli[%d].sphere.centre" % k, faces, [1.0 + k, 1.0, 0]) for k in (0, 1)]
        own = Superposed.__new__(Superposed)
        own.domain = Domain([*places, Range("stimuli[1].start", (2.0, 7.0), 4.0, "ms"), Range("tissue.velocity", (0.5, 2.5), 1.2, "m/s")])
        own.layout, own.m = Namespace(places=[0, 1], starts=[None, 2], fixed=[1.5, 0.0], axes=[3]), 2.0
        own.levels, own.measured, own._spots, own.shift, own.count, own.rough = [None, Namespace(leads=None, measured=np.array([0, 4, 2]))], self.measured(ecg_target=None), {}, np.array([1.0, 2, 3]), 0, False
        X = np.array([[0.3, 0.2, 0], [3.1, 1.7, 0], [2.2, 0.4, 0], [1, 1.9, 0], [3.7, 0.3, 0]])

        def arrivals(u, on):
            v = own.velocities(u)[0]
            way = np.array([np.linalg.norm(X - own.domain.parts[k].millimetres(own.domain.own(u, k)), axis=1) / v for k in on])
            by = np.array([own.start(u, k) for k in on])[:, None] + way
            return soft_minimum(by, 2.0), by, way

        def by(u, on, parts):
            found = np.ones((4, len(parts.nodes)))
            for n, (node, site) in enumerate(zip(parts.nodes, parts.sites)):
                spot = own.place(u, on[site])
                apart = X[node] - spot.point
                found[:2, n] = -spot.tangents @ apart / np.linalg.norm(apart) / own.velocities(u)[0]
                found[3, n] = -np.linalg.norm(apart) / own.velocities(u)[0]
            return found
        own.arrivals, own._by = arrivals, by
        for on, count in (((0, 1), 6), ((1,), 4), ((0,), 3)):
            u = own.domain.start.copy()
            values, ways, columns = own.slopes(u, on)
            np.testing.assert_allclose(values, own.differences(u, on))
            self.assertEqual((len(ways), columns.shape), (count, (3, count)))
            for way, column in zip(ways, columns.T):
                self.assertAlmostEqual(float(np.linalg.norm(way)), 1)
                np.testing.assert_allclose((own.differences(u + 1e-5 * way, on) - own.differences(u - 1e-5 * way, on)) / 2e-5, column, rtol=1e-5, atol=1e-7)
        self.assertEqual(own.count, 3 + 3 + 12 + 8 + 6)
        own.of_times(np.zeros((7, 5)), u)
        own.of_times(np.zeros(5), u)
        self.assertEqual(own.count, 32 + 8)
        np.testing.assert_allclose(own.of_times(np.zeros(5), u), (0 - own.measured.activation.times) * own.measured.time_factor + [1, 2, 3])
        self.assertEqual((own.start(u, 0), own.start(u, 1), own.sites, own._width(2)), (1.5, 4, 2, 5))
        factors, slopes = own.factors(u)
        np.testing.assert_allclose(factors, [1, 1.44])
        np.testing.assert_allclose(slopes, [[0, 2.88]])
        moved = own.with_site(u, 1, np.array([3.0, 0.5, 0]), 6.0)
        np.testing.assert_allclose(own.domain.values(moved), [1, 1, 0, 3, 0.5, 0, 6, 1.2])
        np.testing.assert_allclose(own.domain.values(own.with_site(u, 0, np.array([3.0, 0.5, 0]), 99.0)), [3, 0.5, 0, 2, 1, 0, 4, 1.2])
        self.assertEqual(own.domain.values(own.with_site(u, 1, np.array([3.0, 0.5, 0]), 99.0))[6], 7)
        spot = own.place(u, 0)
        self.assertEqual((spot.point.tolist(), spot.side, spot.normal.round(12).tolist()), ([1, 1, 0], 4, [0, 0, 1]))
        own.rough = True
        self.assertIsNone(own.level)

    def test_steps_of_runs(self):
        """The first vectors of a search: slopes by a fiftieth of the bounds, then three dampings at once, of which the best is halved, or eight times as large where none is better"""
        from cardiac.studies.search import Slope, shorten
        A, least = np.array([[1.0, 0.2], [0.3, 2], [0.5, -1]]), np.array([0.52, 0.46])
        rest, made = np.array([1.0, 0, 0]) - A @ np.linalg.lstsq(A, np.array([1.0, 0, 0]), rcond=None)[0], []
        wrong = False

        def evaluate(vectors):
            made.extend(vectors)
            return [A @ (u - least) + rest + (9.0 if wrong and 1 < len(made) <= 4 else 0.0) for u in vectors]
        H = A.T @ A
        step = lambda u, damping: u - np.linalg.solve(H + np.diag(damping * (np.diag(H) + 1e-3 * np.diag(H).max()) + 1e-14), A.T @ (A @ (u - least)))
        start, slopes = np.full(2, 0.5), [[0.52, 0.5], [0.5, 0.52]]
        tried = lambda u, damping: [step(u, damping * k) for k in (0.25, 1, 8)]
        for wrong, expected in ((False, [start, *slopes, *tried(start, 0.03), *tried(step(start, 0.0075), 0.00375)]), (True, [start, *tried(start, 0.03), *slopes, *tried(start, 0.24)])):
            made.clear()
            search = Search(Domain([Range(k, (0.0, 1.0), 0.5, "") for k in "ab"]), exact.Random("1"), evaluate, lambda r, _: r)
            search.descend(search.points([start])[0], 2, slope=Slope(list(np.eye(2)), list(A.T)) if wrong else None)
            np.testing.assert_allclose(made, expected, atol=1e-9)
        np.testing.assert_allclose(shorten([0.3, -0.1]), [0.15, -0.05])
        self.assertEqual((shorten([0.15, 0.1]), shorten([])), ([0.15, 0.1], []))
        slope = Slope([np.array([1.0, 0, 0]), np.array([0, 1.0, 0])], [np.array([1.0, 2]), np.array([3.0, 4])])
        self.assertEqual(slope.along(np.array([2.0, -1, 9])).tolist(), [-1, 0])
        new = slope.updated(np.array([2.0, 1, 0]), np.array([7.0, 10]))
        np.testing.assert_allclose(new.along(np.array([2.0, 1, 0])), [7, 10])
        np.testing.assert_allclose(new.along(np.array([1.0, -2, 0])), slope.along(np.array([1.0, -2, 0])))
        self.assertIs(slope.updated(np.array([0.0, 0, 5]), np.ones(2)), slope)
        self.assertIs(slope.updated(np.array([1.0, 0, 0]), np.array([np.inf, 0])), slope)

    def test_values(self):
        """Values of keys, their numbers and units; differences with their sum of checks"""
        config = {"stimuli": [{"start": "5 ms"}, {"sphere": {"centre": ["1 mm", "2 mm"]}}], "a": {"b": 3}}
        for key, value in (("stimuli[0].start", "5 ms"), ("stimuli[1].sphere.centre", ["1 mm", "2 mm"]), ("stimuli[1].sphere.centre[1]", "2 mm"), ("a.b", 3), ("a.c", None), ("stimuli[2].start", None), ("a.b.c", None)):
            self.assertEqual(fit.look_up(config, key), value)
        self.assertEqual([fit.quantity(x) for x in ("0.5 S/m", "3", 2, "1e-3 uA/cm^2 x")], [(0.5, "S/m"), (3, ""), (2, ""), (1e-3, "uA/cm^2 x")])
        data = fit.checked(np.array([1.5, -2.0]))
        self.assertEqual(data, struct.pack("<dd", 1.5, -2.0) + struct.pack("<I", zlib.crc32(struct.pack("<dd", 1.5, -2.0))))

    def test_rows_of_runs(self):
        """A run as a row of the table and a record of the file beside it, read again; a record that was changed or is none is made anew"""
        domain = Domain([Range("a", (0.0, 2.0), 1.0, "mV"), Range("b", (0.0, 4.0), 1.0, "")])
        rows, measured = [], Namespace(count=3)
        study = self.study(domain=domain, measured=measured, quantities={"misfit": "relative", "ecg_r": "ecg_r"}, id="0123456789abcdef", append=rows.append, beside="d.bin", reason=lambda: "changed")
        write("d.bin", "")
        made = [fit.Evaluation(k, [0.5 * k, 4.0], fit.Misfit(float(np.linalg.norm([k, 2, 3])), ecg_r=1 / 3), "", np.array([k, 2.0, 3])) for k in (1, 2)] + [fit.Evaluation(3, [1 / 3, 1], fit.FAILED, "blow-up, says it")]
        with open("d.bin", "r+b") as study.file:
            study.file.write(MAGIC)
            for row in made[::-1]:
                study._store(row)
            self.assertEqual(os.path.getsize("d.bin"), len(MAGIC) + 3 * 28)
            self.assertEqual(rows, [["0123456789abcdef", "3", "0.333333333333", "1", "", "", "", "blow-up, says it"], ["0123456789abcdef", "2", "1", "4", "4.1231056256176606", "0.33333333333333331", "b", ""],
                                    ["0123456789abcdef", "1", "0.5", "4", "3.7416573867739413", "0.33333333333333331", "b", ""]])
            self.assertEqual(study.columns(), ["id", "run", "a (mV)", "b", "misfit", "ecg_r", "at_bound", "message"])
            from cardiac.studies.table import format_line
            write("t.csv", format_line(study.columns()) + "".join(map(format_line, rows)))
            study.rows = {}
            for cells in read("t.csv")[1]:
                study.recall(cells)
            self.assertEqual([(row.values, row.misfit, row.message) for _, row in sorted(study.rows.items())], [([0.5, 4], study.rows[1].misfit, ""), ([1, 4], study.rows[2].misfit, ""), ([0.333333333333, 1], fit.FAILED, "blow-up, says it")])
            self.assertEqual([(study.rows[k].misfit.relative, study.rows[k].misfit.ecg_r) for k in (1, 2)], [(made[k].misfit.relative, 1 / 3) for k in (0, 1)])
            for k in (0, 1):
                self.assertEqual(study._recall(made[k]).tolist(), made[k].differences.tolist())
            self.assertIsNone(study._recall(made[0]._replace(misfit=fit.Misfit(3.7))))
            self.assertIsNone(study._recall(made[0]._replace(number=4)))
            study.file.seek(len(MAGIC) + 3)
            study.file.write(b"x")
            self.assertIsNone(study._recall(made[0]))
            for cells, said in ((["fedcba9876543210", *rows[0][1:]], "t.csv:2:1: id 'fedcba9876543210' does not belong to this fit: changed; --overwrite"), ([*rows[0][:1], "x", *rows[0][2:]], "t.csv:2:18: this is no row of a fit"),
                                ([*rows[0][:2], "x", *rows[0][3:]], "t.csv:2:18: this is no row")):
                write("t.csv", format_line(study.columns()) + format_line(cells))
                self.assertRaisesRegex(cardiac.InputError, said, study.recall, read("t.csv")[1][0])

    def test_runs(self):
        """Runs that are made: as many as are left, those of the table as they are; what fails, and velocities that a mesh cannot carry"""
        domain = Domain([Range("tissue.velocity", (0.0, 2.0), 1.0, "m/s"), Range("b", (0.0, 4.0), 1.0, "")])
        asked, stored = [], []

        class Sim:
            def reopen(self, own):
                asked.append(own)
                if fault:
                    raise fault
        misfit = fit.Misfit(2.0)
        study = self.study(domain=domain, stop=Namespace(check=lambda: None), measured=Namespace(compare=lambda sim, stop: (misfit, np.array([2.0]))), sims=[Sim()], watch=Namespace(now=lambda text: told.append(text)))
        study._store = lambda row: (stored.append(row), study.rows.update({row.number: row}))
        fault, told, vectors = None, [], [np.array([0.5, 0.25 * k]) for k in range(6)]
        self.assertEqual([row.tolist() for row in study._differences(vectors[:3])], [[2]] * 3)
        self.assertEqual((asked, told[-1]), ([{"tissue.velocity": "1 m/s", "b": "%g" % k} for k in range(3)], "3 of at most 4 runs, least misfit 2"))
        study._fixed = {"b": "7", "stimuli[0].start": "2 ms"}  # what waves had otherwise
        study._evaluate(study.sims[0], stored[0])
        self.assertEqual(asked[3], {"b": "0", "stimuli[0].start": "2 ms", "tissue.velocity": "1 m/s"})
        study._fixed = {}
        self.assertEqual((len(study._differences(vectors[3:])), [row.number for row in stored]), (1, [1, 2, 3, 4]))
        study._made, kept = [], dict(study.rows)
        asked.clear()
        study.rows[2] = kept[2]._replace(differences=None)
        study._recall, study._keep = lambda row: np.array([7.0]), None
        self.assertEqual([row.tolist() for row in study._differences(vectors[:3])], [[2], [7], [2]])
        self.assertEqual(asked, [])  # all are in the table
        study._made, study._recall, study._keep = [], lambda row: None, lambda row: asked.append(row.number)
        study.rows[2] = kept[2]._replace(differences=None)
        self.assertEqual(([row.tolist() for row in study._differences(vectors[:2])], asked[1:]), ([[2], [2]], [2]))
        study._made = []
        with self.assertRaisesRegex(cardiac.InputError, "t.csv: row 1 has other values than this fit draws; --overwrite") as refused:
            study.make_runs([vectors[1]])
        self.assertEqual(refused.exception.status, 2)
        # failures are rows, errors of the machine end the fit
        row = fit.Evaluation(9, [0.5, 1.0], fit.FAILED)
        for error, message in ((cardiac.RunError("y" * 400, 3), "y" * 290), (cardiac.InputError("bad", 2), "bad"), (cardiac.RunError("full", 4), None)):
            fault = error
            if message is None:
                self.assertRaises(cardiac.RunError, study._evaluate, Sim(), row)
            else:
                self.assertEqual(study._evaluate(Sim(), row), row._replace(message=message))
        fault = cardiac.RunError("the mesh cannot carry it", 3)
        study._evaluate(Sim(), row)
        asked.clear()
        for velocity, said in ((0.5, "the mesh cannot carry it"), (0.4, "the mesh cannot carry it"), (0.51, "")):
            fault = None
            self.assertEqual(study._evaluate(Sim(), row._replace(values=[velocity, 3.0])).message, said)
        self.assertEqual(len(asked), 1)
        study._made, study.rows, study.fit = [], {}, {"evaluations": 30}
        study._evaluate = lambda sim, row: row._replace(message="first of %d" % row.number)
        study.make_runs([vectors[0]] * 9)
        with self.assertRaisesRegex(cardiac.InputError, "c/a.yaml: fit.parameters: the first 10 runs failed, so that the bounds may hold no valid run: first of 1") as refused:
            study.make_runs([vectors[0]])
        self.assertEqual(refused.exception.status, 2)

    def test_said(self):
        """The words of a misfit, of a forecast and of the end; which starts are relative"""
        from cardiac.studies.verdict import Value, Verdict
        misfit = fit.Misfit(0.123456, 0.0234567, 0.987654321, 3.45678)
        both = Namespace(leads=1, activation=1)
        study = self.study(measured=both, devices=["cpu", "cpu"], domain=Domain([Range("tissue.velocity", (0.0, 2.0), 1.0, "m/s")]))
        self.assertEqual(study._words(misfit), "misfit 0.1235, ecg_rms 0.02346 mV, ecg_r 0.98765, lat_rms 3.457 ms")
        more = misfit._replace(ecg_lag=12.3456789, ecg_gain=1.23456, lat_lag=-7.0)
        self.assertEqual(study._words(more)[68:], "leads measured 12.3457 ms later, leads 1.235 times as large, activation measured -7 ms later")
        both.leads = both.activation = None
        self.assertEqual(study._words(misfit), "misfit 0.1235")
        times = iter([10.0, 12.0])
        study.sims, study.stop, both.compare = [Namespace(reopen=lambda own: told.append(own))], None, lambda sim, stop: (misfit, None)
        told, study.fit = [], {"evaluations": 130}
        with mock.patch.object(fit.time, "monotonic", lambda: next(times)):
            self.assertEqual(study.describe(), "1 numbers are varied; the first guess: misfit 0.1235\nat most 130 runs: about 2:10, as the first took 2 s, after the fronts of the velocities\n")
        self.assertEqual(told, [{"tissue.velocity": "1 m/s"}])
        study._made = [fit.Evaluation(1, [0.5], misfit), fit.Evaluation(2, [0.7], fit.Misfit(0.1))]
        with mock.patch.object(fit, "say") as say:
            study._report(Verdict(0.1, 0.2, True, [Value("v", 1, 0.7, None)], []))
            study.given.quiet = True
            study._report(None)
        self.assertEqual([call.args[0] for call in say.call_args_list], ["the best of 2 runs: misfit 0.1\n", "within the noise\n", "v: 0.7, from 1\n", "results: o\n"])
        study.fit, study.config = {"parameters": {"a": 1, "stimuli[1].start": 1, "stimuli[0].start": 1}}, {"stimuli": [{}, {}]}
        for unknown, stimuli, found in ((True, 2, [2, 1]), (False, 2, []), (True, 3, [])):
            both.clock_is_unknown, study.config["stimuli"] = unknown, [{}] * stimuli
            self.assertEqual(study._relative(), found)
        study.domain = Domain([Range("s", (1.0, 9.0), 2.0, "ms")])
        self.assertEqual(study._starts(Namespace(starts=[None, 0], fixed=[4.0, 5.0])), [(4, 4), (1, 9)])

    def test_simulations_at_once(self):
        """The simulations beside the first of each device, each with an equal share of the cores, or as the config says"""
        cores = len(os.sched_getaffinity(0))
        for given, others, threads in ((0, ["cpu", "cuda"], max(1, cores // 3)), (5, ["cpu", "cuda"], 5), (0, [], None)):
            asked = []
            first = Namespace(reopen=asked.append)
            study = self.study(sims=[first], config={"threads": given}, _others=lambda: others, _open=lambda device, threads: (device, threads))
            study._open_others()
            self.assertEqual((study.sims, asked), ([first, *((device, threads) for device in others)], [{"threads": threads}] if others else []))

    def test_cells(self):
        """Points in cells of a grid, at least eight in ten of the number that is asked for; means of each cell"""
        rng = np.random.default_rng(5)
        points = rng.uniform(0, 1, (500, 3)) * [30, 20, 5]
        for most in (20, 100):
            cells = fit.thinned(points, most)
            count = cells.max() + 1
            self.assertTrue(0.8 * most <= count <= 1.6 * most and set(cells) == set(range(count)), (most, count))
        rows = rng.normal(size=(2, 500))
        shares = 1.0 + np.arange(len(cells)) % 3
        expected = [[np.average(row[cells == k], weights=shares[cells == k]) for k in range(count)] for row in rows]
        np.testing.assert_allclose(fit.means(rows, cells, shares), expected, rtol=1e-5)

    @needs("matplotlib")
    def test_page_of_a_fit(self):
        """Each number of the page, and the points of its figures"""
        from cardiac import report
        from cardiac.studies import fit_page
        from cardiac.studies.verdict import Value, Verdict
        ax = fit_page.convergence([3.0, math.inf, 2.0, 2.5, 1.0], True).axes[0]
        self.assertEqual([line.get_xydata().tolist() for line in ax.lines], [[[1, 3], [3, 2], [4, 2.5], [5, 1]], [[1, 3], [2, 3], [3, 2], [4, 2], [5, 1]]])
        self.assertEqual((ax.get_yscale(), ax.get_xlabel(), ax.get_ylabel(), [text.get_text() for text in ax.get_legend().get_texts()]), ("log", "run", "misfit / noise", ["runs", "least so far"]))
        self.assertEqual(fit_page.convergence([1.0], False).axes[0].get_ylabel(), "misfit")
        measured, computed = np.array([1.0, 2, 4, 9]), np.array([0.5, 3, 4, 7])
        ax = fit_page.against(measured, computed, "ms", "x").axes[0]
        self.assertEqual([line.get_xydata().tolist() for line in ax.lines], [[[0.5, 0.5], [9, 9]], np.stack([measured, computed], 1).tolist()])
        self.assertEqual((ax.get_title(), ax.get_xlabel(), ax.get_ylabel()), ("x: r %.4f, slope %.3f" % (np.corrcoef(measured, computed)[0, 1], np.polyfit(measured, computed, 1)[0]), "measured (ms)", "computed (ms)"))
        low, high = fit_page.against(100 + 1e-3 * measured, 100 + 1e-3 * computed, "ms", "x").axes[0].lines[0].get_xdata()
        self.assertAlmostEqual(high - low, 0.02 * 100.009, 6)
        points = np.array([[0, 0, 5.0], [10, 0, 5], [0, 4, 5], [10, 4, 5]])
        figure = fit_page.maps(points, measured, computed)
        self.assertEqual([ax.get_title() for ax in figure.axes[:2]], ["measured", "computed"])
        for ax, values in zip(figure.axes, (measured, computed)):
            shown = ax.collections[0]
            self.assertEqual((shown.get_array().tolist(), shown.get_clim()), (values.tolist(), (0.5, 9)))
            np.testing.assert_allclose(np.abs(shown.get_offsets()), [[5, 2]] * 4, atol=1e-9)
        self.assertEqual(figure.axes[2].get_ylabel(), "activation (ms)")

        result = Namespace(summary={}, points=np.arange(15.0).reshape(5, 3))
        lat = target.Activation(np.array([0, 2, 3, 4]), np.array([1.0, 2, 3, 4])), np.array([1.5, 9, np.nan, 2, 6]), 0
        lead = target.Leads(np.arange(2.0), ["I"], np.array([[1.0], [3]]))
        found, seen = {}, []
        draw = {name: (lambda name: lambda *given: (found.update({name: given}), name)[1])(name) for name in ("maps", "against", "convergence")}
        values = [Value("tissue.a (mV)", 1 / 3, 2 / 3, (0.1234567, 1)), Value("b", 1, 2, None, "at its bound")]
        image = lambda figure, caption="", vector=False, seen="": "[%s: %s%s]" % (figure, caption, seen)
        for verdict, both, times, kind, said in ((Verdict(0.5, 0.5, True, values, []), (lead, lead), lat, "", "within the noise"), (Verdict(0.5, 0.5, False, values, []), None, lat, " look", "within the noise; not converged: no intervals"),
                                                 (Verdict(0.6, 0.5, True, values, [(0.55, [1.0, 2.123456])]), (lead, lead), None, " look", "does not fit: the misfit is 0.6 times the noise; not unique: 1 other set fits as well")):
            with mock.patch.multiple(target, activation_of=lambda result: times, leads_of=lambda result: both), mock.patch.multiple(report, image=image, times_misfit=lambda result: ["<p>times</p>"], ecg=lambda result: ["<p>ecg</p>"]), \
                    mock.patch.multiple(fit_page, **draw):
                page = fit_page.page("n<", result, verdict, [3.0, 0.5])
            self.assertIn('<h1>n&lt;: fit</h1>\n<div class="verdict%s"><p>the best of 2 runs: misfit %.4g; %s</p></div>' % (kind, verdict.misfit, said), page)
            self.assertEqual(re.findall("<t[dh].*?>(.*?)</t[dh]>", page), ["", "first guess", "best", "90 % between", "and", "tissue.<wbr>a (mV)", "0.333333", "0.666667", "0.123457", "1", "b", "1", "2", "at its bound", ""])
            self.assertEqual("<p>misfit 0.55 as well: 1, 2.1235</p>" in page, bool(verdict.others))
            figures = ["[against: Activation]"] * bool(times) + ["[against: Leads]"] * bool(both)
            self.assertIn('<p>times</p>\n<div class="beside">%s</div>\n<p>ecg</p>\n<h2>Search</h2>\n[convergence: Misfit of each run, and the least so far]' % "\n".join(figures), page)
            self.assertEqual("<h2>Activation</h2>\n[maps: Along the two longest axes of the measured points]" in page, bool(times))
        self.assertEqual([x.tolist() for x in found["maps"]], [result.points[[0, 3, 4]].tolist(), [1, 3, 4], [1.5, 2, 6]])
        self.assertEqual(found["convergence"], ([3.0, 0.5], True))
        self.assertEqual([x.tolist() for x in found["against"][:2]] + [*found["against"][2:]], [[1, 3], [1, 3], "mV", "leads"])
        result.summary["warnings"] = ["w&"]
        few = lat[0], np.array([1.5, 9, np.nan, np.nan, 6]), 0
        with mock.patch.multiple(target, activation_of=lambda result: few, leads_of=lambda result: None), mock.patch.multiple(report, image=image, times_misfit=lambda result: [], ecg=lambda result: []), mock.patch.multiple(fit_page, **draw):
            page = fit_page.page("n", result, Verdict(0.5, 0.5, True, values, []), [0.5])
        self.assertIn('<div class="verdict look"><p>the best of 1 runs: misfit 0.5; within the noise; w&amp;</p></div>', page)
        self.assertNotIn("<h2>Activation", page)


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

    def fit_map(self):
        self.plant()
        said = self.run_fit("whole", "", "target: lat.csv, noise: 0.5 ms")
        self.assertRegex(said, r"waves of single sites are in .*; [1-9]\d* are new")
        self.check(said)
        recompute(self, "fit.yaml", table_of("whole")[-1])

    def test_two_sites(self):
        self.fit_map()

    @full
    def test_two_sites_in_leads(self):
        self.plant()
        self.assertRegex(self.fit_leads(), r"waves of single sites are in .*; [1-9]\d* are new")

    @full
    def test_two_sites_in_maps(self):
        """From a map, and from one with another zero: the same sites, velocity and difference of starts."""
        self.fit_map()
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

    @full
    def test_starts_of_the_config(self):
        """Starts that do not vary are those of the config in all runs, also after those of waves; leads and a map together."""
        self.plant()
        self.fit = self.fit.replace(', "stimuli[0].start": {from: 0 ms, to: 20 ms}', "").replace(', "stimuli[1].start": {from: 0 ms, to: 20 ms}', "")
        sheet = SHEET % ("12 mm, 12 mm, 0 mm", "0", "14 mm, 12 mm, 0 mm", "7", ", target: planted/ecg.csv, noise: 0.05 mV", "target: lat.csv, noise: 0.5 ms")
        write("fit.yaml", sheet + self.fit)
        said = self.shell("fit", "fit.yaml", "--device", "cpu", "--output", "fixed")
        self.assertIn("within the noise", said)
        recompute(self, "fit.yaml", table_of("fixed")[-1])

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
        study._check_waves(of, np.zeros((2, 3)), None)
        for tau, V, why in (
            (np.zeros((2, 3)), mean, "more than the shortest action potential, 55 ms"),
            (np.array([[0.0, np.nan, 0, 0]]), None, "do not reach all measured nodes"),
            (np.array([[0.0, 0, np.nan, np.nan, np.nan]]), None, "do not reach all measured nodes"),
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
        late = np.concatenate([T, T[:5] / 2])  # and those of a map
        more = Parts(*(np.concatenate([of, of[:5]]) for of in parts))
        more.nodes[80:] = range(40, 45)
        self.assertEqual(leads.compute(np.array([late, late]), factors).tolist(), 2 * [leads.compute(T, factors).tolist()])
        for own, of in zip(leads.slopes(late, more, np.concatenate([dT, dT[:, :5]], axis=1), factors, dfactors, 3), (value, by_site, by_axis)):
            self.assertEqual(own.tolist(), of.tolist())

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
        with mock.patch.multiple(forest, SITES=(16, 40), RUNS=90, COARSE=10):  # 36 sites, of which 18 are coarse
            surface = Surface(Namespace(parts=[place]), Namespace(places=[0]), 2.0, 4)
        self.assertEqual((len(surface.points), surface.coarse, surface.of[0].tolist()), (36, 18, list(range(18))))
        square = ((surface.points - [20, 33, 0]) ** 2) @ [2.0, 1, 0]
        tangents = np.array([[1.0, 0, 0], [0, 1.0, 0]])
        spots = [Spot(np.array(p), np.array([0, 0, 1.0]), tangents, 1.0) for p in ([26.0, 21, 0], [33.0, 38, 0])]
        near, w, dw = surface.around(spots, True)
        self.assertEqual((near.tolist(), w.tolist()), tuple(of.tolist() for of in surface.around(spots, False)[:2]))
        rng = np.random.default_rng(3)
        with mock.patch.object(surface, "normals", [0, 0, 1] + 0.3 * rng.normal(size=(36, 3))):  # the same bits alone and among others
            many = [spots[k % 2]._replace(normal=normal) for k, normal in enumerate([0, 0, 1] + 0.3 * rng.normal(size=(5, 3)))]
            for k, spot in enumerate(many):
                for of, own in zip(surface.around(many, True), surface.around([spot], True)):
                    self.assertEqual(of[k].tobytes(), own[0].tobytes())
        for k, (p, _, _, _) in enumerate(spots):
            d = p - [20, 33, 0]
            tau = (d**2 @ [2, 1, 0]) ** 0.5  # ms, where sites are 10 mm apart
            for half, far in ((slice(0, 14), 1), (slice(14, 28), 3)):  # of all sites, and of the coarse ones
                own = near[k, half]
                self.assertTrue((own < 18).all() or far == 1)
                self.assertLess(abs((w[k, half] @ square[own]) ** 0.5 - tau), 0.5 * far)
                self.assertLess(abs(dw[k][:, half] @ square[own] / (2 * tau) - (d * [2, 1, 0])[:2] / tau).max(), 0.1 * far)

    def test_grid_of_few_sites(self):
        """Waves of all sites in the middle of the grid and of some at its other nodes give those of sites between, and their derivatives."""
        rng, step = np.random.default_rng(5), 1e-4
        waves = Superposed.__new__(Superposed)
        waves.grid = Grid(Namespace(parts=[Range("a", (0.6, 1.1), 0.8, "m/s"), Range("b", (0.4, 0.7), 0.5, "m/s")]), Namespace(axes=[0, 1], uniform=True))
        waves.surface, grid = Namespace(points=np.zeros((20, 3)), coarse=16), len(waves.grid.nodes)
        self.assertEqual(grid, 4)
        tau = rng.uniform(10, 30, (20, 1, 5)) * (1 + 0.1 * np.arange(4)[:, None] + 0.02 * rng.normal(size=(20, 4, 5)))
        runs = np.concatenate([tau[:, 2], np.delete(tau[:16], 2, axis=1).reshape(48, 5)])
        waves.levels, waves.rough, waves.m = [Level.of(runs, runs[:, :0], waves.surface)], False, 0.05
        waves.start, waves.velocities = lambda u, k: 3.0, lambda u: u
        for half in (14, 6):  # of few sites all are near
            near = np.concatenate([rng.permutation(20)[:half], rng.permutation(16)[:half]])[None]
            w, dw = rng.uniform(0, 2 / half, (1, 2 * half)), rng.normal(size=(1, 2, 2 * half)) / 50
            waves.around = lambda u, on, slopes, found=Around(near, w, dw): found

            def expected(v, w):
                s, c, _, _ = waves.grid.at(v)
                square = tau**2
                more = np.tensordot(w[half:], square[near[0, half:]] - square[near[0, half:], 2][:, None], 1)
                return s * np.sqrt(w[:half] @ square[near[0, :half], 2] + c @ more)

            v = np.array([0.9, 0.5])
            waves._last = (b"",)
            np.testing.assert_allclose(waves.arrivals(v, (0,))[0], 3 + expected(v, w[0]), rtol=1e-5)
            s, c, _, _ = waves.grid.at(v)
            np.testing.assert_allclose(waves.times_alone(v, [4, 9]), s * np.sqrt(np.tensordot(c, tau[[4, 9]] ** 2, (0, 1))), rtol=1e-5)
            by = waves._by(v, (0,), Parts(np.arange(5), np.zeros(5, int), np.ones(5)))
            for kind, own in enumerate(dw[0]):
                apart = (expected(v, w[0] + step * own) - expected(v, w[0] - step * own)) / (2 * step)
                np.testing.assert_allclose(by[kind], apart, rtol=1e-3, atol=1e-3)
            for kind, dv in ((3, v * [1, 0]), (4, v * [0, 1])):
                apart = (expected(v + step * dv, w[0]) - expected(v - step * dv, w[0])) / (2 * step)
                np.testing.assert_allclose(by[kind], apart, rtol=1e-3, atol=1e-3)

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
        """Of many nodes those of a cell with weights of one sign count as one, so that leads are right to the first order of times in it; of
        few each counts."""
        rng = np.random.default_rng(4)
        points, times = rng.uniform(0, 10, (800, 3)), np.arange(0.0, 60)
        sim = Namespace(points=points, nodes=800, fields={"leads": {"names": ["II", "I", "V1"]}}, reopen=lambda _: None)
        weights = np.outer(rng.normal(size=800), [1, 3, 2]) + 0.1 * rng.normal(size=(800, 3))
        study, V = Study.__new__(Study), np.tanh((np.arange(-BEFORE, 60.0)[:, None] - 3) / rng.uniform(3, 6, 800))
        study.sims = [mock.MagicMock(**vars(sim), __getitem__=lambda _, name: {"lead_weights": weights}[name])]
        study.domain, study.measured = None, Namespace(activation=None, leads=Namespace(names=["I", "V1"]), lead_times=times)
        of, grid = Namespace(starts=[None, None], fixed=[0.0, 5.0], axes=[], places=[0, 1]), Namespace(uniform=False)
        tau = np.linalg.norm(points - np.array([[0.0, 0, 0], [10, 0, 0], [0, 9, 9]])[:, None], axis=2).astype(np.float32)
        tau[1, 7] = np.nan  # not reached
        reached = np.delete(np.arange(800), 7)
        with mock.patch.object(fit, "NODES", (60, 6000)):
            rough, exact_ = study._levels(of, grid, Namespace(points=points[:3], coarse=3), tau, V, [{}])
        np.testing.assert_allclose(exact_.Q, tau[:, reached] ** 2, rtol=1e-6)
        cells, sign = fit.thinned(points[reached], 60), weights[reached, 0] > 0
        found, shares = fit.opposite(cells, weights[reached][:, 1:])
        self.assertEqual(rough.Q.shape, (3, found.max() + 1))
        for k in range(found.max() + 1):
            own = found == k
            self.assertEqual((len(set(cells[own])), len(set(sign[own]) if abs(weights[reached, 0][own]).min() > 0.3 else [0])), (1, 1))
            mean = (shares[own] * tau[:, reached[own]]).sum(axis=1) / shares[own].sum()
            np.testing.assert_allclose(rough.Q[:, k], mean**2, rtol=1e-5)
        at = (np.sqrt(rough.Q[0]), np.sqrt(exact_.Q[0]))
        near, whole = (level.leads.compute(T.astype(float) + 20, np.ones(1)) for level, T in zip((rough, exact_), at))
        self.assertLess(abs(near - whole).max(), 0.03 * abs(whole).max())

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
        for lag, at in ((23.3, np.arange(40.07, 153.08)), (23.3, np.arange(10.3, 150))):  # between the first two lags that are looked at, where the last sample is the run's, and as far on as half of the samples allow
            measured = target.Leads(at, ["I", "II"], wave(at - lag))
            self.assertLess(abs(target.solve(measured, computed, ["lag"]).lag - lag), 0.02)
        whole = target.Leads(np.arange(0.0, 101), ["I", "II"], wave(np.arange(0.0, 101) - 49.9))  # up to half of the measured time, 50 ms
        self.assertLess(abs(target.solve(whole, computed, ["lag"]).lag - 49.9), 0.02)
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

    def test_bounds_of_files(self):
        """Of each limit a file that has it, and one that is beyond it"""
        points = np.array([[0.0, 0, 0], [3, 0, 0], [0, 40, 0]])
        rows = lambda *own: "".join("%s\n" % ",".join(map(repr, row)) for row in own)
        leads = lambda *own: (target.read_leads, "time (ms),I\n" + rows(*own))
        nodes = lambda *own, lag=False: (lambda path: target.read_activation(path, points, lag), "node,activation (ms)\n" + rows(*own))
        places = lambda *own: (lambda path: target.read_activation(path, points), "x,y,z,activation\n" + rows(*own))
        for good, bad, said in (
            (leads((0, 1), (1, 50.0)), leads((0, 1), (1, 50.01)), "3:3: I: 50.01 mV is more than a heart gives"), (leads((0, 1), (1, -50.0)), leads((0, 1), (1, -50.01)), "3:3: I: -50.01 mV"),
            (leads((0, 1), (0.05, 2)), leads((0, 1), (0.0499, 2)), "2:1: time: samples are 0.0499 ms apart, expected 0.05 to 50 ms"), (leads((0, 1), (50, 2)), leads((0, 1), (50.1, 2)), "2:1: time: samples are 50.1 ms"),
            (leads((0, 1), (1, 2), (2, 1), (3.5, 2)), leads((0, 1), (1, 2), (2, 1), (3.501, 2)), "5:1: time: a gap of 1.501 ms; other samples are 1 ms apart"),
            (leads((0, 1), (1e-9 + 1, 2)), leads((0, 1), (0, 2)), "3:1: time: 0 ms is not after 0 ms"), (leads((0, 1), (1, 2)), leads((0, 1)), "bad.csv: expected at least two rows of numbers"),
            (places((8, 0, 0, 1), (3, 4, 3, 2)), places((8, 0, 0, 1), (3, 4, 3.01, 2)), "3:1: this place is 5.01 mm from the nearest node"), (nodes((0, 0), (2, 2)), nodes((0, -0.001), (2, 2)), "2:3: activation: -0.001 ms is before the run begins"),
            (nodes((0, 0), (2, 2)), nodes((-1, 0), (2, 2)), "2:1: node: -1 is not a node; they are 0 to 2"), (nodes((0, 0), (2, 2)), nodes((0, 0), (1.5, 2)), "3:1: node: 1.5 is not a node"),
            (nodes((0, 0), (2, 0.4)), nodes((0, 0), (2, 0.399)), "3:3: activation: all times lie within 0.399 ms, over 40 mm of tissue"), (nodes((0, 1), (2, 1)), nodes((0, 0.5), (2, 0.501)), "3:3: activation: all times lie"),
            (nodes((0, -9999.0), (2, -9999.0 + 4999.5), lag=True), nodes((0, -9999.0), (2, -9999.0 + 4999.6), lag=True), "2:3: activation: -9999 ms is no time"),
            (nodes((0, -9998.0), (2, 7), lag=True), nodes((0, -9999.0), (2, 7), lag=True), "2:3: activation: -9999 ms is no time"),
        ):
            write("good.csv", good[1])
            good[0]("good.csv")
            self.refused(*bad, "bad.csv:" * (said[0] != "b") + said)
        write("lat.csv", "node,activation\n0,1\n2,1\n")
        self.assertRaisesRegex(cardiac.InputError, "lat.csv: all activation times are equal", target.activation_to_fit, "lat.csv", points)

    def test_units(self):
        """Each unit by its factor, beside a name in round or square brackets or below it; names of archives"""
        for unit, factor in (("ms", 1), ("S", 1000), ("us", 1e-3), ("msec", 1), ("sec", 1000), ("seconds", 1000), ("Milliseconds", 1)):
            for head in ("time (%s),I\n", "Times [%s],I\n", "t,I\n'%s',mV\n"):
                write("m.csv", head % unit + "0,1\n%r,2\n" % (10 / factor))
                self.assertAlmostEqual(target.read_leads("m.csv").times[1], 10)
        for unit, factor in (("mV", 1), ("uV", 1e-3), ("V", 1000)):
            write("m.csv", "time,lead_V1 (%s)\n0,%r\n1,%r\n" % (unit, 1 / factor, 2 / factor))
            self.assertEqual((target.read_leads("m.csv").values.ravel().round(12).tolist(), target.read_leads("m.csv").names), ([1, 2], ["V1"]))
        for unit, factor in (("mm", 1), ("cm", 10), ("um", 1e-3), ("m", 1000)):
            write("m.csv", "x (%s),Y,z,activation_time\n%r,0,0,1\n0,0,0,2\n" % (unit, 3 / factor))
            self.assertEqual(target.read_activation("m.csv", np.array([[0.0, 0, 0], [3, 0, 0]])).nodes.tolist(), [1, 0])
        write("m.csv", "time,I\nms,\n0,1\n1,2\n")
        self.assertEqual(target.read_leads("m.csv").values.ravel().tolist(), [1, 2])
        write("m.csv", "time,I\n,\n0,1\n1,2\n")
        self.refused(target.read_leads, "time,I\n,\n0,1\n1,2\n", "bad.csv:2:1: time: no value: a gap")
        self.refused(target.read_leads, "time (ms),I (s)\n0,1\n1,2\n", "bad.csv:1:11: I is in s; expected mV or uV or V")
        self.refused(lambda path: target.read_activation(path, np.zeros((1, 3))), "node (ms),activation\n0,1\n1,2\n", "bad.csv:1:1: node is in ms; expected no unit")

    def test_between_rows(self):
        """Values between rows, linear and by cubics through four, with their slopes; beyond the ends those at the ends"""
        rng = np.random.default_rng(3)
        times, values = 2 + 0.5 * np.arange(12), rng.normal(size=(12, 2))
        at = rng.uniform(2, 7.5, 40)
        np.testing.assert_allclose(target.interpolate(at, times, values), np.stack([np.interp(at, times, column) for column in values.T], 1), atol=1e-12)
        np.testing.assert_allclose(target.interpolate(at, times, values[:, 0]), np.interp(at, times, values[:, 0]), atol=1e-12)
        np.testing.assert_allclose(target.interpolate(np.array([1.0, 8.5]), times, values), [3 * values[0] - 2 * values[1], 3 * values[-1] - 2 * values[-2]])

        def cubic(x):  # Catmull and Rom's: with the tangents of the neighbours, the end rows standing for those beyond
            i = min(int((x - 2) / 0.5), 10)
            rows = [values[min(max(i + k, 0), 11)] for k in (-1, 0, 1, 2)]
            s, m0, m1 = (x - 2) / 0.5 - i, (rows[2] - rows[0]) / 2, (rows[3] - rows[1]) / 2
            return (2 * s**3 - 3 * s**2 + 1) * rows[1] + (s**3 - 2 * s**2 + s) * m0 + (3 * s**2 - 2 * s**3) * rows[2] + (s**3 - s**2) * m1
        for lag in (0.0, 0.7, -1.3):
            found, slopes = target._at(lag, at + lag, times, values)
            np.testing.assert_allclose(found, [cubic(x) for x in at], atol=1e-12)
            np.testing.assert_allclose(slopes, [(cubic(x + 1e-6) - cubic(x - 1e-6)) / 2e-6 for x in at], atol=1e-5)
        found, slopes = target._at(1.0, np.array([2.0, 3.0, 8.5, 99]), times, values)
        np.testing.assert_allclose(found, values[[0, 0, -1, -1]])
        np.testing.assert_allclose(slopes[[0, 1]], 0)
        found, slopes = target._at(None, at, times, values)
        self.assertEqual((found.tolist(), abs(slopes).max()), (target.interpolate(at, times, values).tolist(), 0))
        np.testing.assert_allclose(target.apply(target.Solved(0.7, 3.0), at + 0.7, times, values), [3 * cubic(x) for x in at], atol=1e-12)
        computed, measured = target.Leads(times, ["a", "b"], values), target.Leads(at + 0.7, ["a", "b"], np.zeros((40, 2)))
        for unknown, kinds in (((), 0), (("lag",), 1), (("gain",), 1), (("lag", "gain"), 2)):
            by = target.derivatives(measured, computed, target.Solved(0.7, 3.0), unknown)
            self.assertEqual(len(by), kinds)
            if "lag" in unknown:
                np.testing.assert_allclose(by[0], [-3 * (cubic(x + 1e-6) - cubic(x - 1e-6)) / 2e-6 for x in at], atol=1e-4)
            if "gain" in unknown:
                np.testing.assert_allclose(by[-1], [cubic(x) for x in at], atol=1e-12)

    def test_misfits(self):
        """rms, Pearson's r, and the lag at which leads are most alike, the least of equal ones, with half of the samples in common, or 100 ms"""
        rng = np.random.default_rng(4)
        a, b = rng.normal(size=(2, 30))
        self.assertAlmostEqual(target.rms(a.reshape(5, 6)), float(np.sqrt((a**2).mean())), 12)
        self.assertAlmostEqual(target.correlation(a, b), float(np.corrcoef(a, b)[0, 1]), 12)
        self.assertEqual((target.correlation(a, np.ones(30)), target.correlation(np.ones(30), a)), (0, 0))
        for every, shift, found in ((2.0, 5, 10.0), (2.0, -5, -10.0), (2.0, 15, 30.0), (2.0, 16, None), (40.0, 2, 80.0), (40.0, 3, None)):
            wave = np.exp(-((np.arange(90.0) - 45) / 3) ** 2)
            measured, computed = (target.Leads(every * np.arange(30.0), ["I"], wave[30 - k : 60 - k, None]) for k in (shift, 0))
            r, lag = target._at_best_lag(measured, computed)
            if found is None:
                self.assertLess(r, 0.999)
            else:
                self.assertEqual((round(r, 9), lag), (1, found))
        flat = target.Leads(np.arange(10.0), ["I", "II"], np.zeros((10, 2)))
        self.assertEqual(target._at_best_lag(flat, flat), (0, 0))
        two = [target.Leads(np.arange(30.0), ["I", "II"], rng.normal(size=(30, 2))) for _ in range(2)]
        mean = lambda k: np.mean([np.corrcoef(x[max(k, 0) : 30 + min(k, 0)], y[max(-k, 0) : 30 - max(k, 0)])[0, 1] for x, y in zip(two[0].values.T, two[1].values.T)])
        self.assertAlmostEqual(target.ecg_r(*two), max(mean(k) for k in range(-15, 16)), 12)
        self.assertEqual(target._at_best_lag(*two)[1], max(range(-15, 16), key=mean))
        self.assertAlmostEqual(target.ecg_rms(*two), float(np.sqrt(((two[0].values - two[1].values) ** 2).mean())), 12)
        self.assertEqual([target.activation_lag(np.array([1.0, 2, 6]), unknown) for unknown in (False, True)], [0, 3])
        self.assertEqual([len(target.sample_times(end, 0.1)) for end in (0.3, 0.29999, 0.7)], [4, 3, 8])
        self.assertEqual(target.sample_times(1.0, 0.25).tolist(), [0, 0.25, 0.5, 0.75, 1])

    def test_pairs(self):
        """Samples within the computed time, of the measured leads in their order; an unknown lag leaves all samples"""
        times = np.arange(5.0, 26.0)
        computed = target.Leads(times, ["a", "b"], np.stack([times, times**2], 1))
        of = lambda *at: target.Leads(np.array(at), ["b"], np.zeros((len(at), 1)))
        measured, own = target.pair(of(4.9, 5, 6.5, 25, 25.1), computed)
        self.assertEqual((measured.times.tolist(), own.times.tolist(), own.names, own.values.ravel().tolist()), ([5, 6.5, 25], [5, 6.5, 25], ["b"], [25, 42.5, 625]))
        for at in ((4.9, 5), (25, 26), (30, 40)):
            with self.assertRaisesRegex(cardiac.InputError, "no two samples between 5 and 25 ms") as refused:
                target.pair(of(*at), computed)
            self.assertEqual(refused.exception.status, 2)
        self.assertEqual(len(target.pair(of(100.0, 120.0), computed, ["lag"])[0].times), 2)
        self.assertRaisesRegex(cardiac.InputError, "these last 20.1 ms, the run 20 ms", target.pair, of(100.0, 120.1), computed, ["lag"])
        scaled = target.pair(target.Leads(np.array([6.0, 7]), ["b"], np.array([[72.0], [98]])), computed, ["gain"])[1]
        np.testing.assert_allclose(scaled.values.ravel(), [72, 98])
        self.assertEqual(target.solve(target.Leads(np.array([6.0, 7]), ["b"], -np.ones((2, 1))), computed._replace(names=["b"], values=computed.values[:, 1:]), ["gain"]).gain, 0)  # never of another sign
        error = cardiac.InputError("fault", 2)
        for path, text in (("m.csv", "m.csv: fault"), ("m.csv", "m.csv: fault")):
            with self.assertRaises(cardiac.InputError):
                target.name_file(error, path)
            self.assertEqual((error.text, str(error)), (text, text))

    def test_result(self):
        """What of a result is compared: by the entries of its config, on the clock of the run"""
        config = 'ecg:\n  every: 1 ms\n  target: "m \\"1\\".csv"\n  lag: fitted\n  gain: 2\nactivation:\n  target: lat.csv\noutput:\n  target: x\n'
        self.assertEqual((target.path_in(config, "ecg"), target.path_in(config, "activation"), target.path_in(config, "tissue"), target.unknown_in(config, "ecg"), target.unknown_in(config, "activation")),
                         ('m "1".csv', "lat.csv", None, ["lag"], []))
        times = np.arange(0.0, 60)
        waves = np.stack([np.exp(-((times - 30) / 6) ** 2), np.exp(-((times - 26) / 9) ** 2)], 1)
        leads_file("m.csv", times[10:50] + 107, ["II", "I"], 2 * waves[10:50, ::-1].T)
        write("lat.csv", "node,activation\n2,-1\n0,5\n1,9\n")
        result = Namespace(config="ecg:\n  target: m.csv\n  lag: fitted\n  gain: fitted\nactivation:\n  target: lat.csv\n  lag: fitted\n", nodes=3, points=np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0]]), summary={"time": 60.0},
                           maps={"activation_time": 0}, activation=np.array([[10.0, 99], [np.nan, 99], [4, 99]]), has=lambda name: name == "ecg", table=lambda _: (times, ["I", "II"], {}, waves))
        measured, computed = target.leads_of(result)
        self.assertEqual((measured.names, computed.names), (["II", "I"],) * 2)
        np.testing.assert_allclose(measured.values, computed.values, atol=1e-4)
        solved = target.solved_of(result, measured)
        np.testing.assert_allclose((solved.lag, solved.gain), (107, 2), atol=1e-3)
        lat, first, later = target.activation_of(result)
        lag = (5 - 10 + 9 - 60 - 1 - 4) / 3  # a node that is never activated counts as activated at the end
        np.testing.assert_allclose((later, *lat.times), (lag, -1 - lag, 5 - lag, 9 - lag))
        np.testing.assert_array_equal(first, [10, np.nan, 4])
        found = target.misfits(result)
        self.assertEqual(list(found), ["ecg_rms", "ecg_r", "leads", "lat_rms"])
        self.assertAlmostEqual(found["lat_rms"], float(np.sqrt(np.mean((np.array([5 - 10, 9 - 60, -1 - 4]) - lag) ** 2))), 9)
        self.assertEqual(list(target.misfits(result, False)), ["lat_rms"])
        result.summary = {}
        self.assertAlmostEqual(target.activation_of(result)[2], (5 - 10 + 9 - 10 - 1 - 4) / 3)
        result.maps, result.has = {}, lambda name: False
        self.assertEqual((target.misfits(result), target.activation_of(result), target.leads_of(result)), ({}, None, None))

    def test_check(self):
        """Faults of both targets, a line each, with their keys"""
        leads_file("m.csv", [0, 1, 2], ["I"], [[0, 1, 2]])
        write("lat.csv", "node,activation\n0,-3\n1,2\n")
        words = ["m.csv", "lat.csv", "2", "1", "", "", "I", "II"]
        points = Namespace(buffer=Namespace(read=lambda: np.arange(6.0).tobytes()))
        for changes, status, said in (({}, 1, "activation.target\tlat.csv:2:3: activation: -3 ms is before"), ({5: "lag"}, 0, ""), ({0: "none.csv", 5: "lag"}, 1, "ecg.target\tnone.csv: No such file"), ({0: "", 1: ""}, 0, ""),
                                      ({2: "0.5", 1: ""}, 1, "ecg.target\tm.csv: no two samples between 0 and 0 ms"), ({2: "1", 4: "lag", 1: ""}, 1, "these last 2 ms, the run 1 ms"), ({6: "V1", 1: ""}, 1, "lead I is not computed; computed are V1, II")):
            own = [changes.get(k, word) for k, word in enumerate(words)]
            with mock.patch.object(target.sys, "stdin", points), mock.patch.object(target.os, "write", lambda to, text: told.append(text.decode()) if to == 1 else None):
                told = []
                self.assertEqual(target.check(own), status, changes)
            self.assertIn(said, told[0])
            self.assertEqual(told[0].count("\n"), status)

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

    def kill(self, folder, rows, *more, by=signal.SIGKILL, device="cpu"):
        """The fit, until its table has so many rows."""
        process = subprocess.Popen([cardiac_program, "fit", "fit.yaml", "--device", device, "--quiet", "--output", folder, *more], env=cold())
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
        if FULL:  # more runs go on where those before ended
            self.fit("--output", "whole", "--set", "fit.evaluations=260", said="best of")

    def test_goes_on(self):
        """Killed twice and stopped once, with several simulations at once in the end: the files of a fit that was not"""
        more = [] if FULL else ["--set", "fit.evaluations=40"]
        self.fit("--output", "whole", *more, pages=FULL, said="the best of [0-9]* runs: misfit")
        first = 25 if FULL else 12
        self.kill("cut", first, *more)
        os.truncate("cut/differences.bin", os.path.getsize("cut/differences.bin") - 3)
        with open("cut/differences.bin", "r+b") as file:  # another sign leaves the misfit as it is
            file.seek(len(MAGIC) + 8 * (first - 5) + 7)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 0x80]))
        self.kill("cut", 60 if FULL else 25, *more, by=signal.SIGTERM, device="cpu,cpu")
        self.fit("--output", "cut", "--device", "cpu,cpu", *more, pages=FULL, said="runs are in cut/table.csv")
        self.assertEqual(self.content("whole"), self.content("cut"))
        # a foreign file beside the table is refused before the table is begun anew
        os.rename("cut/differences.bin", "kept.bin")
        write("cut/differences.bin", "mine")
        self.fit("--output", "cut", "--overwrite", *more, status=2, said="differences.bin exists and is no file of this program's; remove it")
        os.replace("kept.bin", "cut/differences.bin")
        self.assertEqual(self.content("whole"), self.content("cut"))
        # another seed or bound does not go on
        self.fit("--output", "whole", *more, "--set", "fit.seed=2", status=2, said=r"whole/table.csv:2:1: id .* does not belong to this fit: its config has changed; --overwrite")
        self.fit("--output", "whole", "--set", "fit.parameters={\"stimuli[0].start\": {from: 0 ms, to: 9 ms}}", status=2, said="other columns")
        with open("m.csv", "a") as file:
            file.write("\n")
        self.fit("--output", "whole", *more, status=2, said="does not belong to this fit: since then these files have changed: m.csv; --overwrite")

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
        from cardiac.report import report

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
            report(cardiac.read("out/best"))
            with open("out/best/report.html", encoding="utf-8") as file:
                self.assertIn(said, file.read())
            if os.path.exists("m.csv"):
                os.remove("m.csv")


main()
