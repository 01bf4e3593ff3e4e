#!/usr/bin/env python3
"""test_induce.py CARDIAC GROWING SOURCE: the numbers that a study of re-entry prints, of tissues whose answers are known: what a branch
measures, the table of sites, the map of vulnerability, segments, the last turn, leads, the forecast and the page."""
import json
import math
import re
from types import SimpleNamespace
from unittest import mock

from support import Case, main, needs, np

from cardiac.program import InputError
from cardiac.studies import induce, reentry, sites, table
from cardiac.studies.branches import FAILED, NO_CAPTURE, NON_SUSTAINED, NUMBERS, QUIET, SUSTAINED, Branch, Findings, Tree


def branch(site, intervals, outcome, captured=1, **numbers):
    return Branch(site, intervals, captured, outcome, {**dict.fromkeys(NUMBERS, math.nan), **numbers})


BRANCHES = [branch(0, [], QUIET), branch(0, [120.0], QUIET), branch(0, [110.0], SUSTAINED, cycle_length=150.0, first_cycle_length=140.0, cycle_change=1.5),
            branch(0, [100.0], NO_CAPTURE, 0), branch(0, [110.0, 90.0], NON_SUSTAINED, 2), branch(1, [], QUIET), branch(1, [120.0], NON_SUSTAINED, cycle_length=125.0),
            branch(1, [95.0], FAILED), branch(2, [], "active after S1"), branch(3, [], QUIET, cycle_length=99.0), branch(3, [120.0], QUIET)]


class Tissue(dict):
    """A simulation whose values are set, at `time`"""
    time, step, nodes = 700.0, 0.1, 6
    points = np.array([[float(k), k % 2, 0] for k in range(6)])
    fields = {}
    written = None

    def write(self, path, fields):
        Tissue.written = {name: value for name, (value, unit) in fields.items()}


class Induction(Case):
    def test_branch(self):
        sim = Tissue(last_activation=np.array([650.0, 610, 640, 300, np.nan, 630]), last_cycle=np.array([150.0, 140, 130, 90, np.nan, 400]))
        tree = Tree.__new__(Tree)
        tree.paced, tree.sim, tree.burst, tree.sustained = SimpleNamespace(name="S1", pulses=2, step=0.1), sim, False, 100
        tree.told = {"last": 655.5, "stimuli": [{"name": "S0", "ends": ["nothing"] * 5}, {"name": "S1", "ends": ["captured"] * 2 + ["nothing", "captured", "captured"]}]}
        own, found = Branch(0, [200.0, 150.0]), Findings(captured=True, wave={"place": (1.5, 2.5, 3.5)}, last=655.5, turns=[180.0, 160.0, 155.0, 162.75])
        tree._measure(own, found, 400.0)
        self.assertEqual(own.captured, 1)
        expected = {"duration": 255.5, "cycle_length": 140, "last_activation": 655.5, "earliest_x": 1.5, "earliest_y": 2.5, "earliest_z": 3.5, "time": 700,
                    "first_cycle_length": 180, "cycle_change": 5}
        self.assertEqual({name: round(value, 9) for name, value in own.numbers.items()}, expected)
        self.assertEqual(own.cycle_text(), "180 -> 140 ms, not settled (5 % over the last three turns)")
        for last, outcome in ((655.5, SUSTAINED), (500.0, SUSTAINED), (499.9, NON_SUSTAINED)):
            found.last = last
            tree._classify(own, found, 500.0)
            self.assertEqual(own.outcome, outcome)

        turning = Findings(wave={"last_again": 640.0})
        for sim.time in (700.0, 820.0, 900.0):  # a turn is over 140 ms after the last one
            tree._find_turn(turning, 400.0)
            sim.update(last_activation=np.array([850.0, 840, 860, 690, np.nan, 845]), last_cycle=np.array([150.0, 140, 130, 90, np.nan, 500]))
        self.assertEqual((turning.turns, turning.turned), ([140.0], 900.0))

    def test_turn(self):
        """Of a turn of 100 ms that ends at 500 ms; the third node was activated before it, the last two have no turn."""
        latest, cycle = np.array([430.0, 500, 390, 480, 520]), np.array([90.0, 100, 100, np.nan, np.nan])
        np.testing.assert_array_equal(reentry.last_turn(latest, cycle), [30, 100, np.nan, 80, 120])

    def test_sites(self):
        """Lines of each site, in words and JSON; shortest interval of an S2 that captured"""
        study = induce.Induction.__new__(induce.Induction)
        study.branches, study.lesion, study.sim, study.summary = BRANCHES, "", Tissue(), "v"
        study.sites = [sites.Site("s%d" % k, np.array([k, 1.5, 2]), {}, np.array(own)) for k, own in enumerate(([0, 1], [1, 2], [3], [2, 4]))]
        with mock.patch.object(induce, "say") as say:
            for k in range(4):
                study._say_site(k, study._result(k))
                study._say_site_json(k, study._result(k))
            lines = [call.args[0] for call in say.call_args_list]
        self.assertEqual([line[:-1] for line in lines[::2]], [
            "site s0: sustained after 110 ms, cycle length 140 -> 150 ms, settled (1.5 % over the last three turns); S2 captures from 110 ms; 5 branches, 1 sustained",
            "site s1: non-sustained after 120 ms, cycle length 125 ms, not settled (fewer than three turns); S2 captures from 120 ms; 3 branches, 0 sustained, 1 failed",
            "site s2: active after S1; 1 branch, 0 sustained", "site s3: quiet; S2 captures from 120 ms; 2 branches, 0 sustained"])
        self.assertEqual(json.loads(lines[1]), {"site": "s0", "point": [0, 1.5, 2], "branches": 5, "failed": 0, "sustained": 1, "outcome": "sustained",
                                                "intervals": [110], "shortest_capture": 110, "cycle_length": 150})
        study._write_vulnerability()
        np.testing.assert_array_equal(Tissue.written["vulnerability"], [2, 2, 1, np.nan, 0, np.nan])

    def test_bad_cells(self):
        """A row that somebody has changed is refused with the place of its cell."""
        study = induce.Induction.__new__(induce.Induction)
        study.path, study.lesions, study.branches, study.given = "table.csv", {}, [], SimpleNamespace(results=False)
        study.sites, study.reason = [sites.Site("s", np.zeros(3), {}, np.zeros(1))], lambda: "changed"
        for place, cell, fault in ((6, "110 9O", "2:13: '110 9O' are not numbers"), (7, "x", "2:20: 'x' is not a number"), (7, "3", "2:20: captured '3' does not belong"),
                                   (9, "1,2", "2:29: '1,2' is not a number"), (None, "", None)):
            row = ["i", "s", "0", "0", "0", "p", "110 90", "2", "quiet", *["5"] * len(NUMBERS), "", ""]
            if fault:
                row[place] = cell
            with open("table.csv", "w") as file:
                file.write(table.format_line(induce.NAMES) + table.format_line(row))
            cells = table.read("table.csv")[1][0]
            with mock.patch.object(induce, "is_own_id", lambda *_: True), mock.patch.object(study, "_id", lambda *_: "i"):
                if fault:
                    with self.assertRaisesRegex(InputError, "table.csv:" + fault):
                        study.recall(cells)
                else:
                    study.recall(cells)
        self.assertEqual([(b.intervals, b.captured, b.numbers["cycle_length"]) for b in study.branches], [([110, 90], 2, 5)])

    def test_protocol(self):
        """A branch has room for 32 stimuli, extra ones among them."""
        study = induce.Induction.__new__(induce.Induction)
        for pulses, extra in ((30, 2), (31, 2)):
            study.extra, study.paced = extra, SimpleNamespace(path="a.yaml", name="S1", pulses=pulses, facts={"short_interval": ""})
            if pulses == 30:
                study._check_protocol()
        self.assertRaisesRegex(InputError, "S1, stimulus S1, comes 31 times; with 2 extra stimuli at most 30 are supported", study._check_protocol)
        study.longest, study.shortest, study.by = 200.0, 100.0, 12.5
        self.assertEqual([study.interval_at(k) for k in range(study.count_intervals())], [200, 187.5, 175, 162.5, 150, 137.5, 125, 112.5, 100])
        study.shortest = 101.0
        self.assertEqual(study.count_intervals(), 8)

    def test_segments(self):
        """The node of the endocardium nearest to a segment's centre; of the apex, which has none, the nearest of all"""
        sim = Tissue({"where/aha(%d)" % k: np.isin(np.arange(6), [2, 3, 4] if k < 17 else [5]).astype(float) for k in range(1, 18)})
        sim["where/surface(lv)"] = np.array([1.0, 0, 1, 0, 1, 0])
        sim.points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4.5, 0, 0], [9, 0, 0]])
        found = sites.find_segments("a.yaml", sim)
        self.assertEqual(list(found), ["%d %s" % (k, name) for k, name in enumerate(sites.SEGMENTS, 1)])
        study = induce.Induction.__new__(induce.Induction)
        study.sim, study.config = Tissue({"where/aha(%d)" % k: (np.arange(18) == k).astype(float) for k in range(1, 18)}), {"sites": "aha17"}
        study.sim.nodes = 18
        self.assertEqual(study._label_segments().tolist(), list(range(18)))
        self.assertEqual([point[0] for point in found.values()], [2] * 16 + [4.5])  # of (2 + 3 + 4.5) / 3 and 9

    def test_forecast(self):
        """Of 2 sites, programmed with 11 intervals and 2 stimuli, one lesion: 23 branches a site and tissue"""
        study = induce.Induction.__new__(induce.Induction)
        study.chosen, study.part, study.lesions, study.sim = [0, 1], None, {"line": "x"}, Tissue()
        study.extra, study.longest, study.shortest, study.by = 2, 200.0, 100.0, 10.0
        study.config = {"protocol": "programmed", "sustained": "500 ms"}
        study.paced = SimpleNamespace(path="a.yaml", sets=[], pulses=3, step=0.1)
        study.sim.waves, study.sim.fields = {"stimuli": [{"pulses": [5, 405, 805]}]}, {"V": {"writable": True, "unit": "mV", "width": 4}}
        facts = {"memory_bytes": 6e6, "step_seconds": 0.002, "device_bytes": 3e6}
        with mock.patch.object(induce, "describe", lambda *given, **named: facts):
            said = study.describe()
        time = 2 * (805 + 500 + 22 * (200 + 2 * 500))  # of a site: without a lesion and with it
        seconds = math.ceil(2 * time / 0.1 * 0.002)
        copies = (2 * 8 * 4 * 6 + 32 * (3 * 5 + 2 * 500 / 100) * 6) / 1e6
        self.assertEqual(said, "memory: at most about 6.0 MB (1000000 bytes a node), 3.0 MB of it on the device\nsites: 2; at most 46 branches and %.6g ms each; "
                         "copies of the tissue and its waves: %.4g MB of the host's memory\nduration: at most about %d:%02d on this machine, as the first "
                         "steps took 2 ms each\n" % (time, copies, *divmod(seconds, 60)))
        for protocol, each in (("burst", 2 * 200 + 1000), ("peerp", 200 * (1 + math.ceil(math.log2(101)) + 2) + 1000)):
            study.config["protocol"] = protocol
            branches = 11 if protocol == "burst" else 2
            with mock.patch.object(induce, "describe", lambda *given, **named: facts):
                self.assertIn("at most %d branches and %.6g ms each" % (2 * (1 + branches), 2 * (1305 + branches * each)), study.describe())

    @needs("matplotlib")
    def test_page(self):
        from cardiac.studies import reentry_page
        self.assertEqual([reentry_page.rate(ms) for ms in (150, 1, math.nan)], ["150 ms (400 per minute)", "1 ms (60000 per minute)", ""])
        self.assertEqual((reentry_page.protocol([110, 90]), reentry_page.protocol([])), ("S2 110, S3 90 ms", "S1 alone"))
        vulnerability = SimpleNamespace(maps={"vulnerability": np.full(6, np.nan)})
        lesions = [Branch(0, [], outcome=QUIET, lesion="a"), Branch(0, [], outcome=SUSTAINED, lesion="b")]
        with mock.patch.object(reentry_page, "read", lambda path: vulnerability), mock.patch.object(reentry_page, "draw_outcomes", lambda rows: []):
            page = reentry_page.page("t", "400 ms", ["s0", "s1", "s2", "s3"], ["a", "b"], BRANCHES + lesions, {}, "v", [])
        self.assertIn("Sites with sustained re-entry: 1 of 4. Lesion a prevents it from 1 of these 1. Lesion b prevents it from 0 of these 1.", page)
        rows = [re.findall("<t[dh]>(.*?)</t[dh]>", row) for row in re.findall("<tr>(.*?)</tr>", page)]
        self.assertEqual(rows[:5], [
            ["site", "outcome", "stimuli", "cycle length", "with lesion a", "with lesion b"], ["s0", "sustained", "S2 110 ms", "150 ms (400 per minute)", "quiet", "sustained"],
            ["s1", "non-sustained", "S2 120 ms", "125 ms (480 per minute)", "", ""], ["s2", "active after S1", "", "", "", ""], ["s3", "quiet", "", "", "", ""]])
        here = SimpleNamespace(maps={"aha": np.array([0, 2])}, node=lambda position: int(position[0]))
        self.assertEqual(reentry_page.name_position(here, (1, 0, 0), ["one", "two"]), "segment 2, two")
        self.assertEqual(reentry_page.name_position(here, (0, 0, 0), ["one", "two"]), "in the right ventricle")
        with open("leads.csv", "w") as file:
            file.write("time (ms),I (mV),II (mV)\n" + "".join("%g,%g,%g\n" % (1000 + 50 * k, k < 4 and k % 2, 0) for k in range(9)))
        leads = reentry_page.Table("leads.csv")
        self.assertEqual((leads.rows[0].tolist(), leads.names), ([50.0 * k for k in range(9)], ["I", "II"]))
        self.assertTrue(reentry_page.has_ended(leads, 200))
        self.assertFalse(reentry_page.has_ended(leads, 250))  # 150 ms is in it
        with open("one.csv", "w") as file:
            file.write("time (ms),I (mV)\n7,0.5\n")
        self.assertEqual([column.tolist() for column in reentry_page.Table("one.csv").rows[::3]], [[0], [[0.5]]])
        tips = ["%g,%d,%g,0,0,1\n" % (10 * k, tip, x) for tip, x, last in ((0, 2, 15), (1, 7, 5), (2, 9, 7)) for k in range(last + 1)]
        with open("tips.csv", "w") as file:
            file.write("time (ms),tip,x (mm),y (mm),z (mm),turns\n" + "".join(tips))
        self.assertIn("sustained if it goes on for 400 ms after the last stimulus. S2 110 ms means that S2 came 110 ms after the last S1; S3 is counted from S2.</p>", page)
        core = reentry_page.find_core("tips.csv", 150, SimpleNamespace(maps={}), [])
        self.assertEqual((core.text, len(core.tips)), ("1 tip on the surface; the longest within 0 mm of one place: (2, 0, 0) mm", 16))
        for corners, end in ((3, "not conduct"), (4, "within the wall")):
            self.assertTrue(reentry_page.find_core("tips.csv", 1500, SimpleNamespace(cells=np.zeros((1, corners))), []).text.endswith(end))
        turned = SimpleNamespace(maps={"activation_time": np.array([700.0, 690, 710]), "cycle_length": np.array([190.0, 120, np.nan])})
        self.assertEqual(reentry_page._describe_turn(turned, 190.5), "Activation in the last turn, ms")
        self.assertEqual(reentry_page._describe_turn(turned, 120),
                         "Activation in the last turn, ms. It took 190 ms where it ended; the cycle length, 120 ms, is the median of all places")


main()
