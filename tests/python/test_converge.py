#!/usr/bin/env python3
"""test_converge.py CARDIAC GROWING SOURCE: the limit and the bar of three levels whose error is known, and sequences from which there is
neither; nodes of a mesh are found in a finer one; where a front breaks; the runs of a plan, and its words."""
import json
import math
import os
import re
from types import SimpleNamespace
from unittest import mock

from support import Case, main, needs, np

from cardiac.program import InputError, RunError
from cardiac.studies.comparison import Break, Levels, Quantity, Spread, events, find_break, judge, match_nodes, other_beat, report_json
from cardiac.studies import comparison, converge, refinement, table
from cardiac.studies.converge import seconds_left
from cardiac.studies.refinement import Plan, Run, halved


RUNS = [Run(""), Run("tolerance"), Run("rounding"), Run("step", 0, 1), Run("step", 0, 2), Run("mesh", 1, 1), Run("mesh", 2, 1)]
HEADS = ["run", "id", "time.step", "status", "time (ms)", "sweeps", "pulses", "captured", "activated (%)", "first_activation (ms)", "last_activation (ms)",
         "activation_first[P] (ms)", "activation_last[P] (ms)", "apd90_first[1] (ms)", "apd90_last[1] (ms)", "qrs_first (ms)", "ecg_peak (mV)", "message"]

REPORT = """This run: 99 % of the tissue activated; 2 of 2 stimuli captured.
With a quarter of the step captured is 1, not 2: these runs differ in what happens, not only in when.
With half the edge and step activated is 94 %, not 99: these runs differ in what happens, not only in when.

                                   this run         edge/2         step/2   tolerance/10      in double
first activation                     5 ms                0              0              0              0
last activation                     80 ms              -12             -2          +0.03              0
activation of P in the first beat      38 ms                0             -4              0              0
activation of P in the last beat     146 ms               -6             -4              0              0
APD90 region 1                     200 ms               +1           +0.5              0              0
largest deflection of the ECG        2 mV             +0.5              0              0         +0.001
map activation_time, edge/2: median change 0 ms, 95 % within 0, largest 0
map activation_time, step/2: median change 0.5 ms, 95 % within 1, largest 1
map activation_time, tolerance/10: median change 0 ms, 95 % within 0, largest 0
map activation_time, in double: median change 0 ms, 95 % within 0, largest 0
map apd90, edge/2: median change 2 ms, 95 % within 4, largest 4
map apd90, step/2: median change 3 ms, 95 % within 6, largest 6
map apd90, tolerance/10: median change 1 ms, 95 % within 2, largest 2
map apd90, in double: median change 2 ms, 95 % within 4, largest 4
map repolarization_time, edge/2: median change 2 ms, 95 % within 4, largest 4
map repolarization_time, step/2: median change 2.5 ms, 95 % within 5, largest 5
map repolarization_time, tolerance/10: median change 1 ms, 95 % within 2, largest 2
map repolarization_time, in double: median change 2 ms, 95 % within 4, largest 4

The largest contributor, in the largest deflection of the ECG: the mesh: +0.5 mV of 2; the step: 0; the tolerance: 0; rounding: +0.001.

The limit of three levels, with a bar (the grid convergence index) where all orders are within 30 % of those expected,
2 of the mesh and 1 of the step:
first activation               not in the asymptotic range              orders: mesh +0, then +0, step +0, then +0
last activation                60 +- 2.5 ms (this run: +20)             orders: mesh 2.00, step 1.00
activation of P in the first beat not in the asymptotic range              orders: mesh +0, then +0, step 1.00
activation of P in the last beat 130 +- 3.1 ms (this run: +16)            orders: mesh 2.00, step 1.00
APD90 region 1                 not in the asymptotic range              orders: mesh +1, then -0.25, step 1.00
largest deflection of the ECG  not compared
"""
# Its lines that change where a front breaks on the first half step
BROKEN = """A front breaks at 29.5 ms at (1, 0, 0) mm: what comes later depends on the smallest
change, and is not compared.
last activation                     80 ms                -              -          +0.03              0
activation of P in the first beat      38 ms                -              -              0              0
activation of P in the last beat     146 ms                -              -              0              0
APD90 region 1                     200 ms                -              -              0              0
largest deflection of the ECG        2 mV                -              -              0         +0.001
map activation_time, edge/2: median change 0 ms, 95 % within 0, largest 0 (66.7 % of the values are later than the break)
map activation_time, step/2: median change 0 ms, 95 % within 0, largest 0 (83.3 % of the values are later than the break)
map apd90, edge/2: not compared (100 % of the values are later than the break)
map apd90, step/2: not compared (100 % of the values are later than the break)
map repolarization_time, edge/2: not compared (100 % of the values are later than the break)
map repolarization_time, step/2: not compared (100 % of the values are later than the break)
The largest contributor, in the largest deflection of the ECG: rounding: +0.001 mV of 2; the tolerance: 0.
last activation                not compared
activation of P in the first beat not compared
activation of P in the last beat not compared
APD90 region 1                 not compared
"""


def planted(limit, mesh, step, other=(0, 0)):
    """A quantity of each of RUNS, of second order in the edge and first in the step, with what the tolerance and rounding change"""
    return [limit + mesh / 4**run.edge + step / 2**run.step + (0, *other, 0, 0, 0, 0)[k] for k, run in enumerate(RUNS)]


class Study:
    """A table of RUNS with results on a cable of 3 nodes 1 mm apart, whose finer meshes have their nodes in the opposite order: beats at node k
    begin 25 k ms after 5 and 105 ms, less half a ms times k on the first half step, as on all finer meshes"""
    def __init__(self, folder, chosen=range(7)):
        ones, self.chosen = lambda x: [x] * 7, chosen
        self.columns = {"time": ones(300), "sweeps": range(7), "pulses": ones(2), "captured": [2, 2, 2, 2, 1, 2, 2], "activated": [99, 99, 99, 99, 99, 94, 95], "first_activation": ones(5),
                        "last_activation": planted(60, 16, 4, (0.03, 0)), "activation_first[P]": planted(30, 0, 8), "activation_last[P]": planted(130, 8, 8),
                        "apd90_first[1]": [200, 200, 200, 200.5, 200.75, 201.5, 201.25], "apd90_last[1]": [200, 200, 200, 200.5, 200.75, 201.5, 201.25],
                        "qrs_first": ["", 1, 1, 1, 1, 1, 1], "ecg_peak": [2, 2, 2.001, 2, 2, 2.5, ""]}
        self.activation = [np.array([[5.0, 105], [30, 130], [55, 155]]) - (np.array([[0], [0.5], [1]]) if k > 2 else 0) for k in range(7)]
        self.plan = Plan.__new__(Plan)
        vars(self.plan).update(folder=folder, runs=[RUNS[k] for k in chosen], levels=3 if len(chosen) > 3 else 2, order_in_time=1, finer=True, by_file=False, path="a.yaml", _notes=[],
                               config={"output": {"maps": ["peak", "activation_time", "apd90", "repolarization_time"]}, "activation": {"beats": 2}, "stimuli": [], "tissue": {"regions": []}})

    def result(self, path):
        k = int(os.path.basename(os.path.dirname(path)))
        count = 3 if k < 5 else 5 if k == 5 else 9
        points = np.zeros((count, 3))
        points[:, 0] = np.linspace(0, 2, count)[:: 1 if k < 5 else -1]
        begins = np.full((count, 2), np.nan)
        begins[:: 1 if k < 5 else -1][:: (count - 1) // 2] = self.activation[k]
        apd = np.array([[100.0, 90]]) + k * points[:, :1]
        maps = {"activation_time": begins, "apd90": apd, "repolarization_time": begins + apd, "peak": np.zeros(count)}
        named = type("Maps", (dict,), {"units": {"activation_time": "ms", "apd90": "ms", "repolarization_time": "ms"}})(maps)
        return SimpleNamespace(points=points, cells=np.array([[n, n + 1] for n in range(count - 1)]), maps=named)

    def compare(self, failed=()):
        with open("table.csv", "w") as file:
            file.write(table.format_line(HEADS))
            for number, k in enumerate(self.chosen, 1):
                values = ["%.12g" % column[k] if column[k] != "" else "" for column in self.columns.values()]
                values = ["3", *[""] * len(values), "V is not finite"] if k in failed else ["0", *values, ""]
                file.write(table.format_line([str(number), str(k), "", *values]))
        with mock.patch.object(comparison, "read_result", self.result):
            return comparison.Comparison(self.plan)


class Converge(Case):
    def judge(self, limit, error, more, order, expected):
        """Of limit + error (h^order + more h^(2 order)) at h, h/2 and h/4"""
        f = [limit + error * (2.0 ** (-k * order) + more * 4.0 ** (-k * order)) for k in range(3)]
        of = judge(f[1] - f[0], f[2] - f[1], expected)
        if of.asymptotic:
            self.assertLessEqual(abs(f[2] + of.rest - limit), of.bar)
        return of

    def test_known_errors(self):
        for order in (1, 2):
            for error in (-3, 3):
                of = self.judge(60, error, 0, order, order)
                self.assertTrue(of.asymptotic)
                self.assertAlmostEqual(of.order, order, delta=1e-9)
                self.assertAlmostEqual(of.rest, -error / 4**order, delta=1e-9)
                self.assertAlmostEqual(of.bar, 1.25 * abs(of.rest), delta=1e-12)
                self.assertTrue(self.judge(60, error, 0.3, order, order).asymptotic)  # a higher order
                self.assertFalse(self.judge(60, error, 0, order / 2, order).asymptotic)
                self.assertFalse(self.judge(60, error, 0, order * 1.4, order).asymptotic)

    def test_no_limit(self):
        nan = math.nan
        for first, second in ((1, -0.25), (-1, 0.25), (1, 0), (0, 0), (0, 1), (1, nan), (nan, 1), (0.25, 1)):
            of = judge(first, second, 2)
            self.assertTrue(not of.asymptotic and math.isnan(of.bar) and math.isnan(of.rest), (first, second))

    def test_nodes_in_a_finer_mesh(self):
        random = np.random.default_rng(1)
        base = np.round(random.uniform(-20, 20, (500, 3)), 6)
        noise = random.uniform(-1e-12, 1e-12, (500, 3))
        order = random.permutation(1500)
        points = np.empty((1500, 3))
        points[order[:500]], points[order[500:]] = base + noise, random.uniform(-20, 20, (1000, 3))
        self.assertEqual(match_nodes(points, base).tolist(), order[:500].tolist())
        self.assertEqual(match_nodes(points, base + 0.01).tolist(), [-1] * 500)
        borders = np.array([[0.25e-5, 0, 0.75e-5], [0.5e-5, 2, 0]])  # the first is near a border of cells with all shifts but the first
        self.assertEqual(match_nodes(borders - 1e-12, borders).tolist(), [0, 1])

    def test_percentiles(self):
        """Of 101 sorted differences, the squares of 0 to 100: 50^2, 95^2 and 100^2, in words and as JSON"""
        apart = Spread("activation_time", "ms", "step", np.arange(101.0) ** 2, 899)
        plan = SimpleNamespace(config={"output": {"maps": ["activation_time"]}}, levels=2, kinds=lambda: [])
        c = SimpleNamespace(plan=plan, quantities={}, of={}, maps=[apart], breaks=[Break(math.inf, (0, 0, 0)), Break(12.5, (0, 0, 0))])
        spread = {"compared": 101, "left_out": 899, "median": 2500, "p95": 9025, "largest": 10000}
        self.assertEqual(json.loads(report_json(c)), {"levels": 2, "broken": 12.5, "quantities": [], "maps": [{"name": "activation_time", "unit": "ms", "step": spread}]})
        self.assertEqual(comparison.differences(c)[2:], ["map activation_time, step/2: median change 2.5e+03 ms, 95 % within 9.02e+03, largest 1e+04 (89.9 % of the values are later than the break)"])
        self.assertEqual(comparison.for_json({"a": [1.0, 1e-7, math.inf, 2.5, "x", 3]}), {"a": [1, 1e-7, None, 2.5, "x", 3]})

    def test_breaks(self):
        base = SimpleNamespace(points=np.array([[0.5 * k, 0, 0] for k in range(4)]), cells=np.array([[k, k + 1] for k in range(3)]))
        whole = np.array([[1.0], [2.0], [3.0], [4.0]])
        self.assertEqual(find_break(base, whole, whole, 100).time, math.inf)
        late = np.array([[1.0], [2.0], [2.0 + 20 + 0.5 / 0.05 + 0.1], [40.0]])
        self.assertEqual(find_break(base, late, late, 100), (2.0, (0.5, 0.0, 0.0)))
        never = np.array([[1.0], [2.0], [math.nan], [math.nan]])
        self.assertEqual(find_break(base, never, whole, 100).time, 2.0)  # it can be: the other run activates it
        self.assertEqual(find_break(base, never, never, 100).time, math.inf)
        for end, time in ((32, math.inf), (32.001, 2.0)):  # it still may, up to 20 ms and 0.5 mm at 0.05 mm/ms later
            self.assertEqual(find_break(base, never, whole, end).time, time)

    def test_plan(self):
        plan = Plan("a.yaml", ["solver.precision=mixed", "solver.tolerance=0.001mV"], 3, True)
        # auto chooses rkl2, which has no error of sweeps
        self.assertEqual(plan.runs, [Run(""), Run("rounding"), Run("step", 0, 1), Run("step", 0, 2), Run("mesh", 1, 1), Run("mesh", 2, 1)])
        self.assertEqual([plan.reference(k) for k in range(6)], [0, 0, 0, 2, 2, 4])
        names, *rows = plan.rows()
        self.assertEqual(names, ["time.step", "solver.precision", "solver.precision_budget", "solver.method", "mesh.slab.spacing"])
        self.assertEqual(rows[1], ["", "double", "1e-05 mV", "rkl2", ""])
        self.assertEqual(rows[5], ["0.025 ms", "", "", "rkl2", "0.075 mm"])
        sweeps = Plan("a.yaml", ["solver.method=jacobi", "solver.precision=mixed", "solver.tolerance=0.001mV"], 2, True)
        self.assertEqual(sweeps.runs, [Run(""), Run("tolerance"), Run("rounding"), Run("step", 0, 1), Run("mesh", 1, 1)])
        names, *rows = sweeps.rows()
        self.assertEqual(dict(zip(names, rows[1])), {"time.step": "", "solver.tolerance": "0.0001 mV", "solver.precision": "",
                                                     "solver.precision_budget": "", "mesh.slab.spacing": ""})

        # jacobi may diverge on a finer mesh
        with mock.patch.object(Plan, "_find_method", return_value="jacobi"):
            chosen = Plan("a.yaml", ["solver.tolerance=0.001mV"], 2, True)
            names, *rows = chosen.rows()
            self.assertEqual([(run.kind, dict(zip(names, row))["solver.method"]) for run, row in zip(chosen.runs, rows)],
                             [("", "jacobi"), ("tolerance", "jacobi"), ("step", "jacobi"), ("mesh", "chebyshev")])

        # lists of nodes are those of the finer mesh; what moves in another way is noted
        for name in ("a.txt", "b.txt"):
            with open(name, "w") as file:
                file.write("0\n1\n")
        here = os.getcwd()
        listed = Plan("a.yaml", ["stimuli=[{name: S1, nodes: %s/a.txt, duration: 2 ms, current: 50 uA/uF}, {name: S2, nodes: %s/b.txt, duration: 2 ms, current: 50 uA/uF}]" % (here, here),
                                 "solver.method=jacobi"], 2, True)
        names, *rows = listed.rows()
        made = dict(zip(names, rows[-1]))
        self.assertEqual([name for name in names if name.startswith("stimuli")], ["stimuli[0].nodes", "stimuli[1].nodes"])
        for k in range(2):
            self.assertRegex(made["stimuli[%d].nodes" % k], "^'stimulus-%d-half-.*[.]txt'$" % k)
        self.assertEqual([note.partition(":")[0] for note in listed.notes()[1:]], ["Stimulus S1", "Stimulus S2"])
        slow = "tissue.regions=[{tags: all, model: mitchell-schaeffer, velocity: {longitudinal: 0.6 m/s, transverse: 0.3 m/s, on: %s}}]"
        for on, noted in (("fine", 0), ("mesh", 1)):
            self.assertEqual(sum("`velocity`" in note for note in Plan("a.yaml", [slow % on, "solver.method=jacobi"], 2, True).notes()), noted)

        # the fields of a mesh are those of the finer one
        heart = "mesh={ellipsoid: {size: [7 mm, 17 mm, 3 mm], edge: 1 mm}, laplace: {wall: {from: lv, to: [epi, base]}}}"
        names, *rows = Plan("a.yaml", [heart, "solver.method=jacobi"], 2, True).rows()
        made = dict(zip(names, rows[-1]))["mesh"]
        self.assertTrue(made.endswith(', laplace: {"wall": {"from": ["lv"], "to": ["epi", "base"]}}}'), made)

    def test_calls(self):
        """What `sweep` is told: first a dry run, of which nothing is seen where nothing is to be printed, then the runs; a study that goes on makes the
        first one no more."""
        given = SimpleNamespace(config="a.yaml", set=None, levels=None, fixed_mesh=True, overwrite=False, dry_run=False, quiet=False, json=False, output="o")
        made = mock.Mock(return_value=0)
        with mock.patch.object(converge, "sweep", made), mock.patch.object(converge, "compare", return_value="compared"):
            for changes, said, expected in (({"dry_run": True}, "", [(2, ["--dry-run"], None)]), ({"dry_run": True, "quiet": True, "levels": "3"}, "", [(3, ["--dry-run"], -3)]),
                                            ({"json": True}, "compared", [(2, ["--dry-run"], -3), (2, ["--json"], None)]), ({}, "compared", [(2, [], None)]),
                                            ({"overwrite": True, "levels": "3"}, "compared", [(3, ["--dry-run"], None), (3, ["--overwrite"], None)])):
                made.reset_mock()
                self.assertEqual(converge.converge(SimpleNamespace(**{**vars(given), **changes})), (0, said))
                self.assertEqual([(call.args[0].levels, *call.args[2:]) for call in made.call_args_list], expected, changes)
                if changes.get("json"):
                    open("o/table.csv", "w").close()  # the runs' table: the study is under way
            for status, said in ((3, "compared"), (4, ""), (2, "")):
                made.return_value = status
                self.assertEqual(converge.converge(given), (status, said))
            os.link("a.yaml", "o/converge.html")
            self.assertRaisesRegex(InputError, "the output would replace o/converge.html, which the config names", converge.converge, given)
            given.levels = "4"
            self.assertRaisesRegex(InputError, "--levels is 2 or 3, not 4", converge.converge, given)

    def test_sweep(self):
        """How `sweep` is called, and its status; one that was killed is an error."""
        given = SimpleNamespace(config="a.yaml", output="o", device="cpu", threads=None, stop_after=None)
        plan = SimpleNamespace(runs=[Run(""), Run("mesh", 1, 1)], sets=["k=1"], rows=lambda: [["a"], ["b"]], config={"output": {"directory": "d"}})
        with mock.patch.object(converge.subprocess, "Popen") as made, mock.patch.object(converge, "catch_signals"), mock.patch.object(converge, "find", return_value="p"):
            for status in 0, 3:
                made.return_value.wait.return_value = status
                self.assertEqual(converge.sweep(plan, given, ["--json"], None), status)
            *words, runs = made.call_args.args[0]
            self.assertEqual(words, ["p", "sweep", "a.yaml", "--results", "--output=o", "--halvings=0,1", "--json", "--set=k=1", "--device=cpu"])
            self.assertEqual(runs[:8], "--table=")
            made.return_value.wait.return_value = -9
            self.assertRaises(RunError, converge.sweep, plan, given, [], None)

    def test_comparison(self):
        """Quantities and maps whose errors are planted: the whole report, and each number of its JSON by differences, orders and limits computed here"""
        study = Study(os.getcwd())
        found = study.compare()
        self.assertEqual(comparison.report(found), REPORT)
        line = json.loads(report_json(found))
        self.assertEqual((line["levels"], line["broken"]), (3, None))
        pairs = {"mesh": ((5, 3), (6, 5)), "step": ((3, 0), (4, 3)), "tolerance": ((1, 0),), "rounding": ((2, 0),)}
        self.assertEqual([q["name"] for q in line["quantities"]], [name for name in study.columns if name not in ("time", "sweeps", "apd90_last[1]")])
        for q in line["quantities"]:
            values = [float(x) if x != "" else math.nan for x in study.columns[q["name"]]]
            self.assertEqual((q["value"], q["unit"]), (values[0] if values[0] == values[0] else None, "mV" if "ecg" in q["name"] else "%" if q["name"] == "activated" else "" if q["name"] in ("pulses", "captured") else "ms"))
            for kind, (one, *two) in pairs.items():
                d1, *d2 = (values[k] - values[of] for k, of in (one, *two))
                expected = {"difference": d1}
                if d2:
                    order = math.log2(d1 / d2[0]) if d2[0] and d1 / d2[0] > 0 else math.nan
                    good = {"mesh": 2, "step": 1}[kind] == order
                    rest = d2[0] / (2**order - 1) if good else math.nan
                    expected.update(second=d2[0], order=order, expected={"mesh": 2, "step": 1}[kind], asymptotic=good, rest=rest, bar=1.25 * abs(rest))
                for key, number in expected.items():
                    self.assertEqual(None if q[kind][key] is None else round(q[kind][key], 9), None if number != number else round(number, 9), (q["name"], kind, key))
                self.assertEqual(list(q[kind]), list(expected))
        self.assertEqual([m["name"] for m in line["maps"]], ["peak", "activation_time", "apd90", "repolarization_time"])
        node = np.arange(3.0)[:, None] * np.ones(2)
        begins, apd = [node / 2 * (k > 2) for k in range(7)], [k * node for k in range(7)]
        for m, at in zip(line["maps"], (None, begins, apd, [a - t for a, t in zip(apd, begins)])):
            for kind, ((k, of), *_) in pairs.items():
                apart = np.sort(abs(at[k] - at[of]).ravel()) if at else []
                self.assertEqual(m[kind], {"compared": 6, "left_out": 0, "median": apart[2], "p95": apart[4], "largest": apart[5]} if at else
                                 {"compared": 0, "left_out": 0, "median": None, "p95": None, "largest": None}, (m["name"], kind))

        # the first half step has a front that waits; the finer step is compared with it, and so is the finer mesh
        study.activation[3][2] = [95, 195]
        found = study.compare()
        self.assertEqual([(b.time, b.place) for b in found.breaks], [(math.inf, (0, 0, 0))] * 3 + [(29.5, (1, 0, 0))] * 3 + [(math.inf, (0, 0, 0))])
        self.assertEqual([line for line in comparison.report(found).splitlines() if line not in REPORT.splitlines()], BROKEN.splitlines())
        for name, kind, compared in (("activation_time", "step", 1), ("activation_time", "mesh", 2), ("apd90", "step", 0), ("repolarization_time", "mesh", 0), ("apd90", "tolerance", 6)):
            self.assertEqual([(len(m.apart), m.left_out) for m in found.maps if (m.name, m.kind) == (name, kind)], [(compared, 6 - compared)])

        # of two levels there are differences alone
        for chosen, what, text in (
                ((0, 3, 5), "edge and step", "in the largest deflection of the ECG: the mesh: +0.5 mV of 2; the step: 0; rounding: none, all is in double precision."),
                ((0, 2, 3), "step", "in the last activation: the step: -2 ms of 80; rounding: 0.")):
            found = Study(os.getcwd(), chosen).compare()
            self.assertEqual(comparison.report(found).splitlines()[-3:], ["The largest contributor, " + text, "These are differences between two levels, no bars: the error that is left with half the "
                                                                          + what + " is unknown.", "--levels 3 estimates it."])
            kinds = [RUNS[k].kind for k in chosen[1:]]
            for q in json.loads(report_json(found))["quantities"]:
                self.assertEqual({key: list(value) for key, value in q.items() if key in kinds}, dict.fromkeys(kinds, ["difference"]))

        # runs that failed are named, and what refers to them is not compared
        found = Study(os.getcwd()).compare(failed=(1, 5))
        self.assertEqual(comparison.report(found).splitlines()[-2:], ["Run 2 (tolerance/10) failed and is not compared: table.csv has its message.",
                                                                      "Run 6 (edge/2) failed and is not compared: table.csv has its message."])
        self.assertEqual(["-" if of.difference != of.difference else round(of.difference, 9) for of in found.of["last_activation"].values()], ["-", -2, "-", 0])
        with self.assertRaisesRegex(RunError, "the config itself failed: V is not finite") as refused:
            study.compare(failed=(0,))
        self.assertEqual(refused.exception.status, 3)

    def test_settled(self):
        """From when on each quantity is settled: with a break just then it is compared, with an earlier one not; ends of fronts that still run never"""
        c = comparison.Comparison.__new__(comparison.Comparison)
        c.plan, c.row, c.time = SimpleNamespace(reference=lambda run: 0, runs=RUNS[:2]), {0: [], 1: []}, [300.0, 310.0]
        values = {"last_activation": [80.0, 82], "first_activation": [5.0, 4], "activated": [100.0, 100], "activation_first[P]": [30.0, 29], "activation_last[P]": [130.0, 131], "apd90_first[1]": [200.0, 203],
                  "apd90_last": [190.0, 191], "qt_first": [250.0, 248], "qrs_first": [50.0, 51], "ecg_peak": [2.0, 1], "captured": [2.0, 2], "total_activation": [75.0, 78], "velocity_along_first": [0.6, 0.5]}
        c.quantities = {name: Quantity(name, "", value) for name, value in values.items()}
        last = {"first_activation": 5, "activation_first[P]": 30, "apd90_first[1]": 82 + 203, "qt_first": 5 + 250, "activation_last[P]": 310, "apd90_last": 310, "ecg_peak": 310, "captured": 310, "activated": 310}
        for name, q in c.quantities.items():
            for time, known in ((last.get(name, 82) - 1e-6, False), (last.get(name, 82), True)):
                c.breaks = [None, Break(time, (0, 0, 0))]
                found = c.difference(q, 1)
                self.assertEqual(found, q.value[1] - q.value[0] if known else math.nan) if known else self.assertTrue(math.isnan(found), name)
        self.assertTrue(math.isnan(c.difference(q, None)))
        at, other, x, y = np.array([10.0, 20, np.nan]), np.array([12.0, 18, 30]), np.array([200.0, 210, 220]), np.array([190.0, np.nan, 230])
        for name, times in (("apd90", [210, 230, 260]), ("apd50", [210, 230, 260]), ("repolarization_time", [200, 210, 230]), ("activation_time", [12, 20, 30]), ("peak", [12, 20, 30])):
            self.assertEqual(comparison.settle(name, at, other, x, y).tolist(), times)
        c.breaks = [Break(math.inf, (0, 0, 0))] * 2
        for ends, activated, cut in (((295.0, 305.0), 99, False), ((295.001, 300.0), 99.5, True), ((200.0, 305.001), 99.5, True), ((296.0, 306.0), 100, False)):
            c.quantities["last_activation"], c.quantities["activated"] = Quantity("last_activation", "", list(ends)), Quantity("activated", "", [activated] * 2)
            self.assertEqual((any(map(c.is_cut, (0, 1))), math.isnan(c.difference(c.quantities["total_activation"], 1))), (cut, cut))
            self.assertFalse(math.isnan(c.difference(c.quantities["qrs_first"], 1)))
            self.assertEqual([line == comparison.CUT for line in events(c)][-1], cut)

    def test_events(self):
        """Counts that differ from this run's at all, and percents by more than a twentieth; the end of waves"""
        quantities = {name: Quantity(name, unit, values) for name, unit, values in (
            ("activated", "%", [80.0, 76, 75.99]), ("captured", "", [3.0, 3, 3]), ("pulses", "", [4.0, 4, 4]), ("eads", "", [100.0, 101, 100]), ("qrs_first", "ms", [50.0, 60, 70]))}
        c = SimpleNamespace(quantities=quantities, value=lambda name, k: quantities[name].value[k], row=[0, 1, 2], is_cut=lambda k: False,
                            plan=SimpleNamespace(runs=[Run(""), Run("step", 0, 1), Run("mesh", 1, 1)]), breaks=[Break(math.inf, (0, 0, 0))])
        happened, *lines = events(c)
        self.assertEqual(happened, "This run: 80 % of the tissue activated; 3 of 4 stimuli captured.")
        self.assertEqual([re.findall("activated|eads|half the step|half the edge|[0-9]+[.0-9]*(?: %)?", line) for line in lines],
                         [["half the edge", "activated", "75.99 %", "80"], ["half the step", "eads", "101", "100"]], lines)

    @needs("matplotlib")
    def test_page(self):
        """Changes, limit and bar as percents of this run's value; a value of 0 has none, and the first activation is not drawn."""
        from cardiac.studies import study_page
        levels = Levels(-2.0, -0.5, 2.0, 2.0, True, -0.25, 0.5)
        quantities = {name: Quantity(name, "ms", values) for name, values in (("last_activation", [50.0]), ("first_activation", [9.0]), ("qrs_first", [0.0]))}
        c = SimpleNamespace(quantities=quantities, of=dict.fromkeys(quantities, {"step": levels}), plan=SimpleNamespace(config={}, path="x/a.b.yaml"))
        with mock.patch.object(study_page, "converge_page", return_value="page") as made, mock.patch.object(converge, "write_own"):
            converge.write_page(c, "converge.html", "text")
            c.plan.config = {"title": "t"}
            converge.write_page(c, "converge.html", "text")
        self.assertEqual([call.args[0] for call in made.call_args_list], ["a.b", "t"])
        self.assertEqual(made.call_args.args[1:], ([("last activation", {"step/2": -4.0}, -5.5, 1.0)], "text"))

    def plan(self, levels=2, finer=True, **own):
        """Of a config of which `own` is other than here"""
        config = {"output": {"maps": ["apd90", "peak"]}, "time": {"end": "6 ms", "step": "0.04 ms"}, "mesh": {"cable": {"length": "4 mm", "spacing": "0.5 mm"}}, "stimuli": [], "tissue": {"regions": []},
                  "solver": {"precision": "double", "method": "jacobi", "tolerance": "0.001 mV", "mass_lumping": 1}, "ionic": {"state": "double", "tables": "off", "step": "0.02 ms"}, **own}
        facts = lambda _, sets: (asked.append(sets), {"several_runs": "", "bound_to_mesh": "", "config": json.loads(json.dumps(config)), "ids": {"mesh": "m1", "results": "r1"}, "order_in_time": 1})[1]
        asked = []
        with mock.patch.object(refinement, "describe", facts):
            plan = Plan("a.yaml", ["k=1"], levels, finer)
        self.assertEqual(asked, [["k=1"], plan.sets])
        plan.folder = "o"
        return plan

    def rows(self, *given, **own):
        """What each run of a plan changes, by its kind"""
        plan = self.plan(*given, **own)
        names, *rows = plan.rows()
        return [(run.kind, {name: cell for name, cell in zip(names, row) if cell}) for run, row in zip(plan.runs, rows)]

    def test_changes(self):
        """The keys of each run, by the config: whole tables"""
        step = {"time.step": "0.02 ms", "ionic.step": "0.01 ms"}
        tighter = ("tolerance", {"solver.tolerance": "0.0001 mV"})
        self.assertEqual(self.rows(), [("", {}), tighter, ("step", step), ("mesh", {**step, "mesh.cable.spacing": "0.25 mm"})])
        quarter = {"time.step": "0.01 ms", "ionic.step": "0.005 ms"}
        self.assertEqual(self.rows(3)[2:], [("step", step), ("step", quarter), ("mesh", {**step, "mesh.cable.spacing": "0.25 mm"}), ("mesh", {**step, "mesh.cable.spacing": "0.125 mm"})])
        self.assertEqual(self.rows(3, False)[1:], [tighter, ("step", step), ("step", quarter)])
        self.assertEqual([self.rows(2, False, time={"end": "6 ms", "step": time, "longest": "0.2 ms"})[2][1] for time in ("0.03 ms", "0.0301 ms")],
                         [{"time.step": "0.015 ms", "time.longest": "0.1 ms"}, {"time.step": "0.01505 ms", "time.longest": "0.1 ms", "ionic.step": "0.01 ms"}])
        whole = {"solver.precision": "double", "solver.precision_budget": "1e-05 mV", "ionic.state": "double", "ionic.tables": "off"}
        for precision, state, tables, names in (("mixed", "mixed", "on", whole), ("double", "mixed", "off", ["ionic.state"]), ("mixed", "double", "off", ["solver.precision", "solver.precision_budget"]),
                                                ("double", "double", "on", ["ionic.tables"])):
            made = self.rows(solver={"precision": precision, "method": "jacobi", "tolerance": "2e-08 mV", "mass_lumping": 1}, ionic={"state": state, "tables": tables, "step": "0.02 ms"})
            self.assertEqual(made[1:3], [("tolerance", {"solver.tolerance": "2e-09 mV"}), ("rounding", {name: whole[name] for name in names})])

        # what auto chooses is looked up where it may be rkl2: with lumped masses
        for method, lumped, said, kinds in (("auto", 1, "x\nmethod: rkl2, 5 stages\n", ["", "step"]), ("auto", 1, "method: jacobi", ["", "tolerance", "step"]), ("auto", 0.5, None, ["", "tolerance", "step"]),
                                            ("rkl2", 1, None, ["", "step"]), ("chebyshev", 1, None, ["", "tolerance", "step"])):
            with mock.patch.object(refinement, "program", return_value=said) as asked:
                made = self.rows(2, False, solver={"precision": "double", "method": method, "tolerance": "0.001 mV", "mass_lumping": lumped})
            self.assertEqual([kind for kind, _ in made], kinds)
            self.assertEqual([call.args[:2] for call in asked.call_args_list], [("run", "a.yaml")] * bool(said))
            self.assertEqual([changes.get("solver.method") for _, changes in made], [re.findall("method: ([a-z0-9]+)", said)[0] if said else None] * len(kinds))

        # outputs that the comparison needs
        self.assertEqual(self.plan().sets, ["k=1", "output.maps=[apd90, peak, activation_time, conduction_velocity]", "output.every=6 ms"])
        self.assertEqual(self.plan(output={"probes": {"a": []}}).sets[1:], ["output.maps=[activation_time, conduction_velocity, apd90]", "output.every=6 ms", "output.probes_every=6 ms"])

    def test_lists_and_meshes(self):
        """Finer meshes and the lists of their nodes: how they are named, made once, and told to the runs; what moves in another way is said."""
        size = {"size": ["4 mm", "3 mm"], "spacing": "0.5 mm"}
        surfaces = {"epi": "/x/e.txt", "lv": 3, "base": "where"}
        stimuli = [{"name": "S1"}, {"name": "S2", "nodes": "/x/s.txt"}, {"name": "a\tb", "delays": "/x/d.txt"}, {"name": "S4", "where": "surface(epi)"}, {"name": "S5", "where": "x < 1"}]
        one = lambda mesh, stimuli=[], **own: self.plan(3, mesh=mesh, stimuli=stimuli, **own)
        self.assertEqual([one(mesh, stimuli).by_file for mesh, stimuli in (({"sheet": size}, []), ({"sheet": size}, [{"nodes": "all"}]), ({"slab": size}, [{"delays": 1}]), ({"sheet": size, "surfaces": surfaces}, []),
                                                                           ({"file": "/x/m.vtk"}, []), ({"ellipsoid": {}}, []))], [False, True, True, True, True, True])
        plan = one({"sheet": size, "surfaces": surfaces, "laplace": {"a": {}}}, stimuli, ecg={"conductor": {}}, initial={"file": "x"},
                   tissue={"regions": [{"velocity": {"on": "fine"}}, {"velocity": {}}]})
        self.assertEqual(plan.lists(), {"stimulus-1": "/x/s.txt", "epi": "/x/e.txt"})
        names = {(what, edge): "o/%s-%s-%s" % (what, "half" if edge == 1 else "quarter", "m1.vtkhdf" if what == "mesh" else "r1.txt") for what in ("mesh", "epi", "stimulus-1") for edge in (1, 2)}
        for run, (kind, changes) in zip(plan.runs, self.rows(3, mesh=plan.config["mesh"], stimuli=stimuli)):
            made = {key: text for key, text in changes.items() if key.startswith(("mesh", "stimuli"))}
            path = lambda what: names[what, run.edge]
            self.assertEqual(made, {} if kind != "mesh" else {"mesh": "{file: '%s', surfaces: {epi: '%s', lv: 3, base: 'where'}, laplace: {\"a\": {}}}" % (path("mesh"), path("epi")),
                                                              "stimuli[1].nodes": "'%s'" % path("stimulus-1")})
        notes = refinement._NOTES
        self.assertEqual(plan.notes(), [notes["outline"], notes["velocity"], notes["list"] % "S2", notes["places"] % "a\\x09b", notes["places"] % "S4", notes["conductor"], notes["initial"]])
        self.assertEqual([self.plan().notes(), self.plan(2, False, mesh={"file": "/x/m"}).notes(), one({"file": "/x/m"}, tissue={"regions": [{}, {"velocity": {"on": "fine"}}]}).notes()], [[], [], [notes["outline"]]])

        # the program makes a mesh with its lists, which get their names one by one
        os.mkdir("o")
        calls = []
        def program(*words):
            calls.append([re.sub("o/new-[^/]*", "NEW", word) for word in words])
            if words[1] == "refine":
                self.assertEqual([os.readlink(word[8:]) for word in words if word.startswith("--lists=")], ["/x/s.txt", "/x/e.txt"])
                for name in ("fine.vtkhdf", "fine_stimulus-1.txt", "fine_epi.txt"):
                    with open(os.path.join(os.path.dirname(words[3]), name), "w") as file:
                        file.write("%s %s" % (name, words[4]))
        options = ["--lists=NEW/stimulus-1.txt", "--lists=NEW/epi.txt"]
        coarse = ["mesh", "sheet", "NEW/coarse.vtkhdf", "--size=4 mm,3 mm", "--spacing=0.5 mm"]
        with mock.patch.object(refinement, "program", program):
            plan.write_meshes()
            self.assertEqual(calls, [coarse, ["mesh", "refine", "NEW/coarse.vtkhdf", "NEW/fine.vtkhdf", "--times=1", *options], coarse, ["mesh", "refine", "NEW/coarse.vtkhdf", "NEW/fine.vtkhdf", "--times=2", *options]])
            self.assertEqual(sorted(os.listdir("o")), sorted(os.path.basename(name) for name in names.values()))
            for (what, edge), name in names.items():
                with open(name) as file:
                    self.assertEqual(file.read(), "fine%s --times=%d" % (".vtkhdf" if what == "mesh" else "_%s.txt" % what, edge))
            os.unlink(names["epi", 2])
            with open(names["mesh", 2], "w") as file:
                file.write("mine")
            plan.write_meshes()  # what is there stays
            self.assertEqual(len(calls), 6)
            with open(names["mesh", 2]) as file:
                self.assertEqual((file.read(), os.path.exists(names["epi", 2])), ("mine", True))
            plan.write_meshes()
            for other in (self.plan(), self.plan(2, False, mesh={"file": "/x/m"})):
                other.folder = "none"
                other.write_meshes()
            self.assertEqual(len(calls), 6)
            for mesh, made, call in (({"cable": {"length": "9 mm", "spacing": "1 mm"}}, ["c"], ["mesh", "cable", "c", "--size=9 mm", "--spacing=1 mm"]),
                                     ({"ellipsoid": {"size": ["1 mm", "2 mm", "3 mm"], "edge": "4 mm"}}, ["c"], ["mesh", "ellipsoid", "c", "--size=1 mm,2 mm,3 mm", "--edge=4 mm"]),
                                     ({"file": "m.vtk", "tags": "t", "fibers": "f", "scale": 2}, ["m.vtk", "--tags=t", "--fibers=f", "--scale=2"], None)):
                calls.clear()
                self.assertEqual((self.plan(mesh=mesh)._coarse("c"), calls), (made, [call] if call else []))

    def test_bound(self):
        """Each fault of a plan whose mesh cannot be refined says what to do."""
        facts = {"several_runs": "", "bound_to_mesh": "a.yaml:3:1: mesh.arrays: x\na.yaml:9:1: initial.file: y"}
        with mock.patch.object(refinement, "describe", return_value=facts), self.assertRaises(InputError) as refused:
            Plan("a.yaml", [], 2, True)
        self.assertEqual([line.count("; a result") + 2 * line.count(": on a finer mesh there is nothing like it; --fixed-mesh") for line in refused.exception.text.split("\n")], [2, 3])

    def test_printed(self):
        """The report, JSON in its place, or nothing"""
        with mock.patch.multiple(converge, write_own=mock.DEFAULT, write_page=mock.DEFAULT) as made, mock.patch.multiple(
                comparison, Comparison=mock.DEFAULT, report=mock.Mock(return_value="text"), report_json=mock.Mock(return_value="json")):
            for flags, said in (((False, False), "\ntext"), ((False, True), ""), ((True, False), "json"), ((True, True), "json")):
                self.assertEqual(converge.compare(None, "o/converge.txt", SimpleNamespace(json=flags[0], quiet=flags[1])), said)
            self.assertEqual((made["write_own"].call_args.args[:2], made["write_page"].call_args.args[1:]), (("o/converge.txt", "text"), ("o/converge.html", "text")))

    def test_words(self):
        self.assertEqual((halved("0.3 mm", 1), halved("8e-05 ms", 2), halved("4 ms", 1)), ("0.15 mm", "2e-05 ms", "2 ms"))
        self.assertEqual([other_beat(name) for name in ("apd90_first[1]", "qrs_last", "activation_first[a_last]", "time")],
                         ["apd90_last[1]", "qrs_first", "activation_last[a_last]", ""])
        left = seconds_left("1h2m30s")
        self.assertTrue(left.endswith("s") and 3740 < float(left[:-1]) < 3750, left)
        self.assertGreater(float(seconds_left("3d")[:-1]), 2.9 * 86400)
        for text in ("", "x", "1m2h", "0"):
            self.assertRaises(InputError, seconds_left, text)


main()
