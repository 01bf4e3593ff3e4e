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
from cardiac.studies import comparison, converge, refinement
from cardiac.studies.converge import seconds_left
from cardiac.studies.refinement import Plan, Run, halved


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

    def test_json(self):
        """Of 21 sorted differences and one infinite number"""
        apart = Spread("activation_time", "ms", "step", np.arange(21.0) ** 2, 4)
        plan = SimpleNamespace(config={"output": {"maps": ["activation_time"]}}, levels=2)
        text = report_json(SimpleNamespace(plan=plan, quantities={}, of={}, maps=[apart], breaks=[Break(math.inf, (0, 0, 0)), Break(12.5, (0, 0, 0))]))
        spread = {"compared": 21, "left_out": 4, "median": 100, "p95": 361, "largest": 400}
        self.assertEqual(json.loads(text), {"levels": 2, "broken": 12.5, "quantities": [], "maps": [{"name": "activation_time", "unit": "ms", "step": spread}]})

    def test_breaks(self):
        base = SimpleNamespace(points=np.array([[0.5 * k, 0, 0] for k in range(4)]), cells=np.array([[k, k + 1] for k in range(3)]))
        whole = np.array([[1.0], [2.0], [3.0], [4.0]])
        self.assertEqual(find_break(base, whole, whole, 100).time, math.inf)
        late = np.array([[1.0], [2.0], [2.0 + 20 + 0.5 / 0.05 + 0.1], [40.0]])
        self.assertEqual(find_break(base, late, late, 100), (2.0, (0.5, 0.0, 0.0)))
        never = np.array([[1.0], [2.0], [math.nan], [math.nan]])
        self.assertEqual(find_break(base, never, whole, 100).time, 2.0)  # it can be: the other run activates it
        self.assertEqual(find_break(base, never, never, 100).time, math.inf)
        self.assertEqual(find_break(base, never, whole, 30).time, math.inf)  # it still may

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

    def test_events(self):
        """Counts that differ from this run's at all, and percents by more than a twentieth; the end of waves"""
        quantities = {name: Quantity(name, unit, values) for name, unit, values in (
            ("activated", "%", [100.0, 96, 94]), ("captured", "", [3.0, 3, 3]), ("pulses", "", [4.0, 4, 4]), ("eads", "", [100.0, 101, 100]), ("qrs_first", "ms", [50.0, 60, 70]))}
        c = SimpleNamespace(quantities=quantities, value=lambda name, k: quantities[name].value[k], row=[0, 1, 2], is_cut=lambda k: False,
                            plan=SimpleNamespace(runs=[Run(""), Run("step", 0, 1), Run("mesh", 1, 1)]), breaks=[Break(math.inf, (0, 0, 0))])
        happened, *lines = events(c)
        self.assertEqual(happened, "This run: 100 % of the tissue activated; 3 of 4 stimuli captured.")
        self.assertEqual([re.findall("activated|eads|half the step|half the edge|[0-9]+(?: %)?", line) for line in lines],
                         [["half the edge", "activated", "94 %", "100"], ["half the step", "eads", "101", "100"]], lines)

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
