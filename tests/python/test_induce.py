#!/usr/bin/env python3
"""test_induce.py CARDIAC GROWING SOURCE: the numbers that a study of re-entry prints, of tissues whose answers are known: what a branch
measures, the table of sites, the map of vulnerability, segments, the last turn, leads, the forecast and the page."""
import json
import math
import os
import re
import warnings
from types import SimpleNamespace
from unittest import mock

from support import Case, main, needs, np

from cardiac.program import InputError, RunError
from cardiac.studies import induce, reentry, sites, table
from cardiac.studies.branches import FAILED, NO_CAPTURE, NON_SUSTAINED, NUMBERS, QUIET, SUSTAINED, Branch, Findings, Tree


def branch(site, intervals, outcome, captured=1, **numbers):
    return Branch(site, intervals, captured, outcome, {**dict.fromkeys(NUMBERS, math.nan), **numbers})


BRANCHES = [branch(0, [], QUIET), branch(0, [120.0], QUIET), branch(0, [110.0], SUSTAINED, cycle_length=150.0, first_cycle_length=140.0, cycle_change=1.5),
            branch(0, [100.0], NO_CAPTURE, 0), branch(0, [110.0, 90.0], NON_SUSTAINED, 2), branch(1, [], QUIET), branch(1, [120.0], NON_SUSTAINED, cycle_length=125.0),
            branch(1, [95.0], FAILED), branch(2, [], "active after S1"), branch(3, [], QUIET, cycle_length=99.0), branch(3, [120.0], QUIET)]


def bare(**own):
    """A study without a tissue"""
    study = induce.Induction.__new__(induce.Induction)
    vars(study).update({"branches": [], "lesion": "", "lesions": {}, "path": "t.csv", **own})
    return study


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
        for sim.time in (700.0, 820.0, 840.0):  # a turn is over 140 ms after the last one
            tree._find_turn(turning, 400.0)
            sim.update(last_activation=np.array([850.0, 840, 860, 690, np.nan, 845]), last_cycle=np.array([150.0, 140, 130, 90, np.nan, 500]))
        self.assertEqual((turning.turns, turning.turned), ([140.0], 840.0))

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
        for hours, said in ((3599, "59:59 on"), (3600, "1:00:00 on"), (3599.1, "1:00:00 on")):
            facts["step_seconds"] = hours / (2 * time / 0.1)
            with mock.patch.object(induce, "describe", lambda *given, **named: facts):
                self.assertIn("duration: at most about " + said, study.describe())
        for protocol, each in (("burst", 2 * 200 + 1000), ("peerp", 200 * (1 + math.ceil(math.log2(101)) + 2) + 1000)):
            study.config["protocol"] = protocol
            branches = 11 if protocol == "burst" else 2
            with mock.patch.object(induce, "describe", lambda *given, **named: facts):
                self.assertIn("at most %d branches and %.6g ms each" % (2 * (1 + branches), 2 * (1305 + branches * each)), study.describe())

    def test_protocols(self):
        """The branches that each protocol makes where the last stimulus has a known answer, how many of their stimuli are the trunk's, and ms before the
        others at which a copy is left"""
        def made(protocol, answers, **own):
            study, asked = bare(extra=2, longest=120.0, shortest=100.0, by=10.0, given=SimpleNamespace(json=False, quiet=True), config={"protocol": protocol}, **own), []
            study._watch = lambda branch: None

            def make(site, intervals, extra, anchor):
                asked.append((*intervals, extra, anchor))
                return branch(site, intervals, answers.get(intervals[-1], QUIET) if intervals else answers.get(0, QUIET))
            study._make = make
            study._pace(3)
            return asked[1:] if asked[0] == (0, 0) else asked
        first = [(120, 0, 70), (110, 0, 70), (100, 0, 70)]
        self.assertEqual(made("burst", {}), [(s2, s2, 0, 70) for s2 in (120, 110, 100)])
        self.assertEqual(made("programmed", {100: NO_CAPTURE}), [*first, (110, 120, 1, 70), (110, 110, 1, 70), (110, 100, 1, 70)])
        self.assertEqual(made("programmed", {100: FAILED})[3:], [(110, 120, 1, 70), (110, 110, 1, 70), (110, 100, 1, 70)])
        self.assertEqual(made("programmed", {110: SUSTAINED}), first)
        self.assertEqual(made("programmed", {120: NO_CAPTURE}), first[:1])
        self.assertEqual(made("programmed", {0: "active after S1"}), [])
        ends = lambda site, before: [115.0, 104.0][len(before)]
        self.assertEqual(made("peerp", {115: NON_SUSTAINED}, _find_refractory_end=ends), [(115, 0, 0), (115, 104, 1, 0)])
        for outcome in SUSTAINED, NO_CAPTURE:
            self.assertEqual(made("peerp", {115: outcome}, _find_refractory_end=ends), [(115, 0, 0)])

    def test_failures(self):
        """What the tissue does ends a branch, what the machine does the study."""
        def end(*_):
            raise RunError("V is not finite", status)
        for status, tissue, stored in ((3, True, [FAILED]), (3, False, None), (4, True, None)):
            study, found = bare(extra=2, _find_refractory_end=end, tree=SimpleNamespace(has_failed=lambda: tissue), _watch=lambda branch: None), []
            study._store = lambda branch: found.append(branch.outcome)
            if stored:
                study._pace_peerp(0)
                self.assertEqual(found, stored)
            else:
                self.assertRaises(RunError, study._pace_peerp, 0)

    def test_refractory_end(self):
        """The shortest interval that captures, to 1 ms, and the longest where none does; copies are left at intervals that do not."""
        for least, found in ((0, 100.5), (100.5, 100.5), (100.6, 101.5), (101.5, 101.5), (101.6, 102.5), (113.2, 113.5), (120.5, 120.5), (999, 120.5)):
            def captures(n, interval, low):
                self.assertTrue((n, low) == (2, 100.5) or low < least, (n, low))
                return interval >= least
            grown = []
            study = bare(longest=120.5, shortest=100.5, sites=[SimpleNamespace(s1="s1")], tree=SimpleNamespace(captures=captures, grow=lambda *given: grown.append(given)))
            self.assertEqual((study._find_refractory_end(0, [110.0]), grown), (found, [(0, "s1", [110], 1)]))

    def test_rows(self):
        """A branch as a row of the table, under its heads, as JSON and in words; the row read again is the branch."""
        site, rows = sites.Site("s", np.array([1.5, 2.5, 3.5]), {"name": "S1"}, np.zeros(1)), []
        study = bare(sites=[site, site], lesions={"a": "x", "b": "y"}, lesion="b", id="0", folder="o", given=SimpleNamespace(json=True, quiet=False, results=False), config={"protocol": "burst"})
        study.append, study.say = rows.append, rows.append
        numbers = dict(zip(NUMBERS, range(21, 30)))
        own = Branch(1, [110.0, 90.5], 2, SUSTAINED, {**numbers, "cycle_length": 150.25}, "", "b")
        with mock.patch.object(induce, "say") as say:
            study._store(own)
        self.assertEqual(json.loads(say.call_args.args[0]), {"site": "s", "intervals": [110, 90.5], "captured": 2, "outcome": "sustained", "duration": 21, "cycle_length": 150.25,
            "last_activation": 23, "earliest": [24, 25, 26], "time": 27, "first_cycle_length": 28, "cycle_change": 29, "lesion": "b", "message": None})
        cells = dict(zip(induce.NAMES, rows[0], strict=True))
        self.assertEqual({name: cells[name] for name in induce.NAMES[1:]}, {
            "site": "s", "x (mm)": "1.5", "y (mm)": "2.5", "z (mm)": "3.5", "protocol": "burst", "intervals (ms)": "110 90.5", "captured": "2", "outcome": "sustained",
            "duration (ms)": "21", "cycle_length (ms)": "150.25", "last_activation (ms)": "23", "earliest_x (mm)": "24", "earliest_y (mm)": "25", "earliest_z (mm)": "26",
            "time (ms)": "27", "first_cycle_length (ms)": "28", "cycle_change (%)": "29", "lesion": "b", "message": ""})
        with open("t.csv", "w") as file:
            file.write(table.format_line(induce.NAMES) + table.format_line(rows[0]))
        study.sites[0] = sites.Site("r", site.point, {}, site.nodes)
        study.branches.clear()
        study.recall(table.read("t.csv")[1][0])
        self.assertEqual(study.branches, [own])
        self.assertEqual(study._map_path(own), "o/lesion-2-site-2-110-90.5.vtkhdf")
        self.assertEqual([study._id(k, lesion) == rows[0][0] for k, lesion in ((1, "b"), (1, "a"), (0, "b"))], [True, False, False])
        study.given.json = False
        study._store(own)
        study._store(branch(0, [], QUIET, cycle_length=99.0))
        self.assertEqual(rows[2::2], ["branch of lesion b, site s, 110 90.5 ms: sustained, cycle length 150.25 ms\n", "branch of site r, S1 alone: quiet\n"])
        with mock.patch.object(induce, "say") as say:
            induce.say_json({"a": 5.0, "b": [0.1, math.nan], "c": np.array([1e15, 2e14]), "d": None})
        self.assertEqual(say.call_args.args, ('{"a": 5, "b": [0.1, null], "c": [1000000000000000.0, 200000000000000], "d": null}\n',))

    def test_page_written(self):
        """What the page of a study is made of, where it goes, and when that is said"""
        from cardiac.studies import branches as tree
        for quiet, as_json, said in ((False, False, ["page: o/report.html\n"]), (True, False, []), (False, True, []), (True, True, [])):
            open("there.vtkhdf", "w").close()
            study = bare(branches=BRANCHES[:2], sites=[SimpleNamespace(name="s")], lesions={"a": "x"}, paced=SimpleNamespace(config={"title": "t"}), config={"sustained": "1 s"}, summary="v", page="o/report.html", given=SimpleNamespace(quiet=quiet, json=as_json))
            study._map_path = lambda own: "there.vtkhdf" if own is BRANCHES[1] else "none"
            given = []
            page = SimpleNamespace(page=lambda *words: given.append(words) or "<page>")
            with mock.patch.dict("sys.modules", {"cardiac.studies.reentry_page": page}), mock.patch.object(induce, "write_own") as write, mock.patch.object(induce, "say") as say:
                study._write_page()
                study.paced.config = {}
                study._write_page()
            self.assertEqual(given, [(title, "1 s", ["s"], ["a"], BRANCHES[:2], {1: "there.vtkhdf"}, "v", sites.SEGMENTS) for title in ("t", "Induction")])
            self.assertEqual((write.call_args.args[:2], [call.args[0] for call in say.call_args_list]), (("o/report.html", "<page>"), 2 * said))
        self.assertEqual(tree.OUTCOMES[-1], FAILED)

    def test_names_of_spreadsheets(self):
        """A name that a spreadsheet would compute has a mark in the table, without which it is read again"""
        study = bare(sites=[sites.Site(name, np.zeros(3), {}, np.zeros(1)) for name in ("=a", "'b", "c")], lesions={"@x": "1", "y": "2"}, given=SimpleNamespace(results=False), id="0", reason=lambda: "changed", config={"protocol": "burst"})
        for site, lesion in ((0, ""), (1, "@x"), (2, "y"), (0, "@x")):
            rows = []
            study.append, study.given.json, study.given.quiet, study.lesion = rows.append, False, True, lesion
            study._store(Branch(site, [90.0], 1, QUIET, dict.fromkeys(NUMBERS, 1.0), "", lesion))
            with open("t.csv", "w") as file:
                file.write(table.format_line(induce.NAMES) + table.format_line(rows[0]))
            study.branches = []
            study.recall(table.read("t.csv")[1][0])
            self.assertEqual([(own.site, own.lesion) for own in study.branches], [(site, lesion)])
        for column, cell, said in ((1, "d", "site 'd' does not belong to this study: changed"), (len(induce.NAMES) - 2, "z", "lesion 'z' does not belong to this study: changed; delete the lines of this lesion to test it again, or"), (0, "f" * 16, "id '%s' does not belong" % ("f" * 16)),
                                   (8, "odd", "outcome 'odd' does not belong to this study: changed; --overwrite")):
            row = [*rows[0][:column], cell, *rows[0][column + 1:]]
            with open("t.csv", "w") as file:
                file.write(table.format_line(induce.NAMES) + table.format_line(row))
            with self.assertRaisesRegex(InputError, said) as refused:
                study.recall(table.read("t.csv")[1][0])
            self.assertEqual(refused.exception.status, 2)

    @needs("matplotlib")
    def test_cores(self):
        """Tracks that last nine tenths of a turn or more; the longest within the farthest of its tips from their middle; messages are cut"""
        from cardiac.studies import reentry_page
        rows = ["%g,%d,%g,%g,%g,1\n" % (10 * k, tip, *place(k)) for tip, last, place in ((3, 9, lambda k: (k, 0, 0)), (7, 8, lambda k: (50, k, 0)), (4, 12, lambda k: (10 + (6 if k == 12 else 0), 20 - (6 if k == 12 else 0), 3))) for k in range(last + 1)]
        with open("tips.csv", "w") as file:
            file.write("time (ms),tip,x (mm),y (mm),z (mm),charge\n" + "".join(rows))
        core = reentry_page.find_core("tips.csv", 100, SimpleNamespace(maps={}), [])  # 90, 80 and 120 ms long
        apart = 6 * 12 / 13 * 2**0.5
        self.assertEqual(core.text, "2 tips on the surface; the longest within %.0f mm of one place: (10, 20, 3) mm" % apart)
        self.assertEqual((round(apart), len(core.tips), core.tips[:10].tolist()), (8, 23, [[k, 0, 0] for k in range(10)]))
        own, study = Branch(0, []), bare(tree=SimpleNamespace(has_failed=lambda: True))
        study._fail(own, RunError("x" * 400, 3))
        self.assertEqual((own.outcome, own.message), (FAILED, "x" * 290))

    def test_whole(self):
        """The last lines of a study, and its status where branches failed"""
        for branches, failed in ((BRANCHES, "1 of 11 branches failed; t.csv has their messages"), ([b for b in BRANCHES if b.outcome != FAILED], "")):
            branches = [Branch(b.site, b.intervals, b.captured, b.outcome, {**b.numbers, "time": 100.04}) for b in branches]
            study = bare(branches=branches, chosen=range(4), sites=[None] * 4, talks=True, given=SimpleNamespace(results=False), paced=SimpleNamespace(step=0.1), sim=None, stop=None)
            for name in ("_check_memory", "open_table", "_pace", "_write_vulnerability", "_label_segments"):
                setattr(study, name, mock.MagicMock())
            with mock.patch.object(induce, "say") as say, mock.patch.object(induce.tree, "Tree", lambda *_: SimpleNamespace(steps=77)), mock.patch.object(induce, "Recorder"):
                if failed:
                    with self.assertRaisesRegex(RunError, failed):
                        study.make()
                else:
                    study.make()
            self.assertEqual(say.call_args.args[0], "sites with sustained re-entry: 1 of 4; %d branches: t.csv; 77 steps, %d in runs of their own\n" % (len(branches), 1000 * len(branches)))
            self.assertEqual([call.args for call in study._pace.call_args_list], [(0,), (1,), (2,), (3,)])

    def test_other_stimuli(self):
        """None comes after the last S1; one that ends with it may."""
        study = bare(paced=SimpleNamespace(path="a.yaml", pulses=2), sim=SimpleNamespace(waves={"stimuli": [{"pulses": [5, 405, 805]}, {"name": "X", "end": 405}]}))
        study._check_stimuli()
        for end in 406, None:
            study.sim.waves["stimuli"][1]["end"] = end
            with self.assertRaisesRegex(InputError, "a.yaml: stimulus X comes after the last S1 \\(405 ms\\)"):
                study._check_stimuli()

    def test_followed(self):
        """Looks of 20 ms after a stimulus at 1000 ms, until the branch is decided; re-entry has to last 100 ms."""
        tree = Tree.__new__(Tree)
        tree.sustained, tree.paced, tree._find_turn, tree._measure, tree._classify = 100.0, SimpleNamespace(duration=2.0, pulses=1, name="S1"), *[lambda *_: None] * 3

        def looks(intervals, find):
            ends = []
            tree._go_on = lambda found, stimuli, start, end: (ends.append(end), vars(found).update(find(end)))
            tree._follow(Branch(0, intervals), 1000.0)
            return ends
        every = lambda last: list(range(1020, last + 1, 20))
        for intervals, find, last in (([90.0], lambda t: {"quiet": t >= 1060, "captured": True}, 1060), ([], lambda t: {"quiet": True}, 1020),
                                      ([], lambda t: {"quiet": True, "captured": True}, 1100), ([90.0], lambda t: {"captured": True}, 1200),
                                      ([90.0], lambda t: {}, 1100), ([90.0], lambda t: {"captured": True, "last": t - 10}, 1120)):
            self.assertEqual(looks(intervals, find), every(last))
        tree.sustained = 50.0
        self.assertEqual(looks([90.0], lambda t: {"captured": True}), [*every(1080), 1100])

        # a wave that comes back to a node, or begins without a stimulus, after the last one
        wave = lambda **own: {"stimulus": "S1", "start": 900, "last": 1080, "again": 0, "last_again": None, **own}
        for waves, found in (([wave()], None), ([wave(again=1, last_again=1000)], 0), ([wave(again=1, last_again=999)], None), ([wave(stimulus=None)], None),
                             ([wave(stimulus=None, start=1001)], 0), ([wave(stimulus=None, start=1001, last=999)], None),
                             ([wave(again=1, last_again=1050), wave(again=1, last_again=1060, last=1090), wave(again=2, last_again=1060, last=1070)], 1)):
            tree.told, findings = {"waves": waves}, Findings()
            tree._find_reentry(findings, 1000)
            self.assertEqual((findings.wave, findings.last), (None, -math.inf) if found is None else (waves[found], waves[found]["last"]), waves)

        # quiet: nothing is excited, and nothing was activated since the stimulus ended
        del tree._go_on
        for end, after, excited, quiet in ((1002, 5, False, True), (1001, 5, False, False), (1002, 6, False, False), (1002, 5, True, False)):
            tree.told = {"activations": 5}
            later = {"activations": after, "excited": excited, "waves": [], "stimuli": [{"name": "S1", "ends": ["captured", "nothing", "captured"]}]}
            tree._go_to = lambda end: setattr(tree, "told", later)
            findings = Findings()
            tree._go_on(findings, 2, 1000, end)
            self.assertEqual((findings.quiet, findings.captured), (quiet, True))
            tree._go_on(findings, 1, 1000, end)
            self.assertFalse(findings.captured)

    def test_copies(self):
        """A tissue on its way: the trunk is at the shortest interval after its last stimulus; a branch goes on from the nearest copy before it."""
        class Sim:
            time, waves = 0.0, {"stimuli": [{"pulses": [100.0]}]}

            def copy(self):
                log.append("copy %g" % self.time)
                return self.time

            def restore(self, state):
                log.append("back to %g" % state)
                self.time = state

            def move(self, name, start, k):
                log.append("%s %d at %g" % (name, k, start))
        log = []
        paced = SimpleNamespace(config={"induction": {"sustained": "100 ms", "to": "80 ms", "protocol": "burst"}}, name="S1", pulses=1, step=0.5, duration=2.0,
                                advance=lambda sim, to: setattr(sim, "time", to), reopen=lambda sim, s1, own: (log.append("open"), setattr(sim, "time", 0.0)))
        tree = Tree(paced, Sim(), SimpleNamespace(check=lambda: None))
        tree._follow = lambda branch, start: log.append("follow %g from %g" % (start, tree.sim.time))
        for intervals, extra, anchor, expected in (
                ([120.0], 0, 30, ["open", "copy 180", "back to 180", "copy 190", "S1 1 at 220", "follow 220 from 220"]), ([110.0], 0, 30, ["back to 190", "S1 1 at 210", "follow 210 from 210"]),
                ([90.0], 0, 0, ["back to 190", "S1 1 at 190", "follow 190 from 190"]), ([85.0], 0, 30, ["back to 180", "S1 1 at 185", "follow 185 from 185"]),
                ([95.0, 90.0], 1, 0, ["back to 180", "S1 1 at 195", "copy 275", "back to 275", "copy 285", "S1 2 at 285", "follow 285 from 285"]),
                ([95.0, 81.0, 90.0], 1, 0, ["back to 275", "copy 276", "S1 2 at 276", "S1 3 at 366", "follow 366 from 366"])):
            log.clear()
            tree.step(Branch(0, intervals), None, extra, anchor)
            self.assertEqual(log, expected)
        self.assertEqual((tree.burst, tree.sustained, tree.time), (True, 100, 366))
        # whether a stimulus captures: looks of 20 ms until it does, for as long as re-entry has to last; the trunk's last one is at 195 ms
        for last, captured in ((375, True), (9999, False)):
            before, looks = tree.steps, []
            tree._go_on = lambda findings, n, start, end: (looks.append((n, start, end)), setattr(findings, "captured", end == last))
            log.clear()
            self.assertEqual(tree.captures(2, 120.0, 85.0), captured)
            self.assertEqual((log[:3], looks), (["back to 276", "copy 280", "S1 2 at 315"] if captured else ["back to 280", "S1 2 at 315"],
                                                [(2, 315, end) for end in range(335, min(last, 415) + 1, 20)]))
            self.assertEqual(tree.steps - before, 2 * (315 - (276 if captured else 280)))

    def test_records(self):
        """Turns after a branch: leads every 2 ms, 32 frames a turn, for three turns of at least 600 ms together and at most 2 s."""
        for cycle, step, until, frame in ((100.0, 0.5, 600, 4), (300.0, 0.5, 900, 10), (900.0, 0.3, 2000, 28.5)):
            sim = Tissue(leads=[0.125, -1], V=np.arange(6.0))
            sim.step, sim.fields, begin = step, {"leads": {"names": ["I", "II"]}}, sim.time
            recorder = reentry.Recorder.__new__(reentry.Recorder)
            recorder.sim, recorder.nodes, recorder.faces, recorder.own, recorder.points = sim, [1, 3], np.zeros((1, 3)), None, None
            tree = SimpleNamespace(paced=SimpleNamespace(step=0.1), go_on=lambda to: setattr(sim, "time", to))
            with mock.patch.object(reentry, "write_own") as write, mock.patch.object(reentry, "find") as find, mock.patch.object(reentry, "table", return_value="tips"):
                recorder.follow(tree, branch(0, [], SUSTAINED, cycle_length=cycle), "o/site-1.vtkhdf")
            (leads, text, *_), (tips, drawn, *_) = (call.args for call in write.call_args_list)
            self.assertEqual((leads, tips, drawn), ("o/site-1-ecg.csv", "o/site-1-tips.csv", "tips"))
            head, *rows = text.splitlines()
            every = round(2 / step) * step
            times = [float(row.split(",")[0]) for row in rows]
            self.assertEqual((head, rows[0]), ("time (ms),I (mV),II (mV)", "700,0.125,-1"))
            np.testing.assert_allclose(times, begin + np.arange(0, until - step / 2, every), rtol=1e-9)
            _, _, frames, values, delay = find.call_args.args
            np.testing.assert_allclose(np.diff(frames), frame if step == 0.5 else every * round(900 / 32 / every), rtol=1e-9)
            self.assertEqual((values[0].tolist(), delay), ([1, 3], cycle / 4))

        # fewer than five frames show no tips
        for cycle, files in ((13000.0, 2), (17000.0, 1)):
            with mock.patch.object(reentry, "write_own") as write, mock.patch.object(reentry, "find", return_value=[]):
                recorder.follow(tree, branch(0, [], SUSTAINED, cycle_length=cycle), "o/site-1.vtkhdf")
            self.assertEqual(write.call_count, files)

    def test_found_sites(self):
        """The place of S1, a condition, a list, and nodes of a condition with a distance between them: names, places, stimuli and nodes of each"""
        class Sim(Tissue):
            def reopen(self, own):
                told.extend(own["stimuli"])
                if fault:
                    raise InputError(fault, 2)
                self.update({"stimulus/site %d" % k: share for k in range(len(own["stimuli"]))})
        paced = SimpleNamespace(path="a.yaml", name="S1", config={}, s1=lambda **shape: {"name": "S1", **shape})
        share, fault = np.array([0, 1, 0.5, 0.25, 0, 0.75]), ""
        ball = lambda x, y: {"sphere": {"centre": ["%d mm" % x, "%d mm" % y, "0 mm"], "radius": "1.5 mm"}}
        for own, found in (({}, {"S1": ({}, [8 / 3, 2 / 3, 0])}), ({"where": "x > 1"}, {"where": ({"where": "x > 1"}, [8 / 3, 2 / 3, 0])}),
                           ({"radius": "1.5 mm", "sites": {"a": ["2 mm", "3 mm", "0 mm"], "b": ["4 mm", "5 mm", "0 mm"]}}, {"a": (ball(2, 3), [2, 3, 0]), "b": (ball(4, 5), [4, 5, 0])}),
                           ({"radius": "1.5 mm", "where": "x > 1", "spacing": "2 mm"}, {"node 1": (ball(1, 1), [1, 1, 0]), "node 3": (ball(3, 1), [3, 1, 0]), "node 5": (ball(5, 1), [5, 1, 0])})):
            sim, told, paced.config["induction"] = Sim({"where/x > 1": np.array([0, 1, 1, 1, 1, 1])}), [], own
            self.assertEqual({site.name: (site.s1, site.point.round(12).tolist()) for site in sites.find_sites(paced, sim)},
                             {name: ({"name": "S1", **shape}, np.round(point, 12).tolist()) for name, (shape, point) in found.items()})
            self.assertEqual([stimulus["name"] for stimulus in told], ["site %d" % k for k in range(len(found))])
        self.assertEqual([site.nodes.tolist() for site in sites.find_sites(paced, sim)], [[1, 2, 5]] * 3)
        share = share / 2.5  # where no node has half of the current, those with the largest share
        self.assertEqual(sites.find_sites(paced, sim)[0].nodes.tolist(), [1])
        fault, words = "overrides: stimuli[1].sphere: it selects no node (12 characters into it)", "induction.sites: node 3: it selects no node$"
        for own, words in ((own, words), ({"where": "x > 1"}, "induction.where: it selects no node$"), ({}, "overrides: ")):
            paced.config["induction"] = own
            fault = fault if "spacing" in own else fault.replace("[1]", "[0]")
            self.assertRaisesRegex(InputError, words, sites.find_sites, paced, sim)
        sim["where/x > 1"][:] = 0
        paced.config["induction"] = {"where": "x > 1", "spacing": "2 mm", "radius": "1 mm"}
        self.assertRaisesRegex(InputError, "it selects no node of the mesh", sites.find_sites, paced, sim)

    def test_times(self):
        """Times and durations in each unit, and what is none"""
        from cardiac.studies.paced import number_of, read_duration, read_time
        self.assertEqual([read_time("--s2", text) for text in ("5", "5ms", " 5 ms", "0.5 s", "1e3us", "2.5us", "0", ".1")], [5, 5, 5, 500, 1, 0.0025, 0, 0.1])
        for text, said in (("x", "--s2: 'x' is not a time .ms, s or us."), ("-1", "--s2: '-1' is negative"), ("inf", "is negative"), ("nan s", "is negative"), ("5 m", "is not a time"), ("", "is not a time")):
            with self.assertRaisesRegex(InputError, said) as refused:
                read_time("--s2", text)
            self.assertEqual(refused.exception.status, 2)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.assertEqual([read_duration(text) for text in ("1d", "2h", "3m", "4s", "600", "1d2h3m4s", "1.5h", "60", "0.5s")], [86400, 7200, 180, 4, 600, 93784, 5400, 60, 0.5])
            self.assertEqual(said, [])
            self.assertEqual([read_duration(text) for text in ("59", "0.25")], [59, 0.25])
        self.assertEqual([str(w.message) for w in said], ["--stop-after %s is %s s; minutes are written %sm, hours %sh" % ((text,) * 4) for text in ("59", "0.25")])
        for text in ("", "0", "x", "1m2h", "1h1h", "1.2.3s", "-1s", "1 h"):
            with self.assertRaisesRegex(InputError, "--stop-after: '%s' is not a duration, such as 3h50m, 90s or 600" % text) as refused:
                read_duration(text)
            self.assertEqual(refused.exception.status, 2)
        self.assertEqual([number_of(text) for text in ("5 ms", "1e-3 S/m", "7")], [5, 1e-3, 7])

    def test_files_kept(self):
        """An output replaces neither the config nor a file that it names, nor another of its mesh"""
        from cardiac.studies import paced
        resolved = {"mesh": {"file": os.path.abspath("m.pts"), "scale": 1}, "stimuli": [{"nodes": "n.txt"}, {"name": "o.csv"}], "output": {"directory": "d.csv"}, "initial": {"file": "i.csv"}, "a": {"b": ["x", {"c": "deep.csv"}]}}
        self.assertEqual(list(paced._inputs(resolved)), [("mesh.file", os.path.abspath("m.pts")), ("stimuli[0].nodes", "n.txt"), ("stimuli[1].name", "o.csv"), ("a.b[0]", "x"), ("a.b[1].c", "deep.csv")])
        for name in ("m.pts", "m.csv", "m.lon", "n.txt", "d.csv", "i.csv", "deep.csv", "other.csv"):
            open(name, "w").close()
        for path, said in (("a.yaml", "the output would replace the config a.yaml; choose another --output"), ("m.pts", "mesh.file: the output would replace m.pts"), ("m.csv", "mesh.file: the output would replace m.csv"), ("m.lon", "mesh.file: "), ("n.txt", r"stimuli\[0\].nodes: the output would replace n.txt"),
                           ("deep.csv", r"a.b\[1\].c: ")):
            with self.assertRaisesRegex(InputError, said) as refused:
                paced.check_output(path, "a.yaml", resolved)
            self.assertEqual(refused.exception.status, 2)
        for path in ("d.csv", "i.csv", "other.csv", "none.csv"):
            paced.check_output(path, "a.yaml", resolved)

    def paced(self, given=None, extra=None, **own):
        from cardiac.studies import paced
        stimulus = {"name": "S1", "where": "x", "start": "5 ms", "duration": "2 ms", "current": "c", **own.pop("s1", {})}
        config = {"stimuli": [stimulus, {"name": "X"}], "tissue": {"regions": [{}]}, "induction": {"extra": 2}, "time": {"step": "0.1 ms"}, "threads": 3, **own}
        facts = {"config": config, "s1_duration": 2.0}
        options = SimpleNamespace(config="a.yaml", set=["k=1"], device=None, threads=None)
        vars(options).update(given or {})
        with mock.patch.object(paced, "describe", lambda *words: asked.append(words) or facts):
            asked = self.asked = []
            return paced.Paced(options, ["own=2"], extra)

    def test_paced(self):
        """S1 and its extra pulses, at its own place and at another; trains, warnings and refusals; the options that are passed on"""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            one = self.paced()
            self.paced(initial={"file": "x"}), self.paced(tissue={"regions": [{}, {"initial": "pace"}]}), self.paced(s1={"count": 2})
        self.assertEqual([str(w.message)[:60] for w in said], ["a.yaml: S1, stimulus S1, comes once, so S2 meets a tissue th"])
        self.assertEqual((one.pulses, one.extra, one.name, one.step, one.duration, one.sets, self.asked), (1, 2, "S1", 0.1, 2, ["k=1", "own=2"], [("a.yaml", ["k=1", "own=2"])]))
        after = {"after": "2.1 ms"}  # a step more than it lasts
        self.assertEqual(one.s1(), {"name": "S1", "where": "x", "start": "5 ms", "duration": "2 ms", "current": "c", "protocol": [{}, after, after]})
        two = self.paced(extra=1, s1={"count": 3, "period": "9 ms", "delays": "d", "tags": [1]})
        self.assertEqual((two.pulses, two.extra, two.s1(sphere="b")), (3, 1, {"name": "S1", "start": "5 ms", "duration": "2 ms", "current": "c", "sphere": "b", "protocol": [{"count": 3, "period": "9 ms"}, after]}))
        three = self.paced(s1={"protocol": [{"count": 2}, {"after": "5 ms"}, {"count": 4}]}, given={"device": "cuda:1", "threads": "5", "set": ["k=1", "threads=2"]})
        self.assertEqual((three.pulses, three.s1()["protocol"]), (7, [{"count": 2}, {"after": "5 ms"}, {"count": 4}, after, after]))
        self.assertEqual(self.asked, [("a.yaml", ["k=1", "threads=2"]), ("a.yaml", ["k=1", "threads=2", "own=2", "device=cuda:1", "threads=5"])])
        for s1, words in (({"count": 1000}, "comes more than 999 times"), ({"count": 0}, "comes for ever"), ({"protocol": [{"count": 500}, {"count": 500}]}, "comes more than 999 times")):
            with self.assertRaisesRegex(InputError, "a.yaml: S1, stimulus S1, " + words) as refused:
                self.paced(s1=s1)
            self.assertEqual(refused.exception.status, 2)
        for s1 in ({"count": 999}, {"protocol": [{"count": 500}, {"count": 499}]}):
            self.assertEqual(self.paced(s1=s1).pulses, 999)
        self.assertRaisesRegex(InputError, "a.yaml: stimuli is missing: the first stimulus is S1", self.paced, stimuli=[])

        # steps of three steps each: those that end at or before a time, but for rounding
        moved, ends = [], []
        sim = SimpleNamespace(step=0.3, time=0.0, move=lambda *words: moved.append(words), advance=lambda to, progress: ends.append(round(to, 9)), reopen=lambda own: moved.append(own))
        one.doubling = 3
        for time, to in ((0.3, 0.3), (0.59, 0.3), (0.6 - 1e-8, 0.6), (0.6 - 2e-7, 0.3), (84.9, 84.9), (0.29, None)):
            ends.clear()
            one.advance(sim, time)
            self.assertEqual(ends, [] if to is None else [to])
        sim.time = 0.6
        ends.clear()
        one.advance(sim, 0.65), one.advance(sim, 0.9)
        self.assertEqual(ends, [0.9])
        one.reopen(sim, {"name": "S1", "a": 1}, {"b": 2})
        self.assertEqual(moved, [{"stimuli": [{"name": "S1", "a": 1}, {"name": "X"}], "b": 2}, ("S1", None, 1), ("S1", None, 2)])
        moved.clear()
        from cardiac import simulation
        with mock.patch.object(simulation, "Simulation", lambda path, over: moved.append((path, over)) or sim):
            self.assertIs(one.open(ecg={"a": 1}), sim)
        path, over = moved[0]
        self.assertEqual((path, [line.partition(": ")[::2] for line in over.splitlines()]), ("a.yaml", [('"k"', "1"), ('"own"', "2"), ('"threads"', "3"), ('"stimuli"', json.dumps([one.s1(), {"name": "X"}])), ('"ecg"', '{"a": 1}')]))
        self.assertEqual((one.doubling, moved[1:]), (3, [("S1", None, 1), ("S1", None, 2)]))
        with mock.patch.object(simulation, "Simulation", side_effect=InputError("overrides: stimuli[0]: bad", 2)):
            with self.assertRaises(InputError) as refused:
                one.open()
            self.assertEqual(refused.exception.text, "a.yaml: stimuli[0]: bad")

    def test_said_by_check(self):
        """What `check` prints, its errors and its warnings, which the library is not to say again; signals; standard output"""
        import signal
        from cardiac.studies import paced
        done = SimpleNamespace(returncode=0, stdout=b'{"a": 1}', stderr=b"cardiac: warning: a.yaml:1:2: odd (x)\ncardiac: warning: plain\n")
        for whole in (False, True):
            with mock.patch.object(paced.subprocess, "run", return_value=done) as run, mock.patch.object(paced, "find", return_value="p"), mock.patch.object(paced.sys, "stderr") as err, warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                self.assertEqual(paced.describe("-a.yaml", ["k=1"], whole), {"a": 1})
                for text in ("tissue: odd (x)", "plain", "other"):
                    warnings.warn(text)
            self.assertEqual(run.call_args.args[0], ["p", "check", "./-a.yaml", "--json", "--set=k=1"] + ["--syntax"] * (not whole))
            self.assertEqual((err.write.call_args.args[0], [str(w.message) for w in seen]), ("" if whole else done.stderr.decode(), ["other"]))
        done.returncode, done.stderr = 2, b"cardiac: bad"
        with mock.patch.object(paced.subprocess, "run", return_value=done):
            self.assertRaisesRegex(InputError, "^bad$", paced.describe, "a.yaml", [])
        made, held = {}, {signal.SIGHUP: signal.SIG_IGN}
        with mock.patch.object(paced.signal, "signal", made.__setitem__), mock.patch.object(paced.signal, "getsignal", lambda number: held.get(number)):
            paced.catch_signals(len)
        self.assertEqual(made, dict.fromkeys((signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU), len))
        written = []
        with mock.patch.object(paced.os, "write", lambda to, text: written.append((to, text[:3])) or len(text[:3])):
            paced.say("abc\x1bdé")
        self.assertEqual((b"".join(text for _, text in written), {to for to, _ in written}), ("abc\\x1bdé".encode(), {1}))
        with mock.patch.object(paced.os, "write", side_effect=OSError(28, "No space left")):
            with self.assertRaisesRegex(RunError, "standard output cannot be written: No space left") as refused:
                paced.say("x")
            self.assertEqual(refused.exception.status, 3)
        self.assertEqual(paced.overrides_of([" a =1", "b=x=y"], {"a": [2], "c": "z"}), '"b": x=y\n"a": [2]\n"c": z\n')

    def test_room(self):
        """Memory that is free, in kB, against 32 bytes an activation; a part without sites"""
        study = bare(paced=SimpleNamespace(pulses=3), extra=2, config={"sustained": "500 ms"}, sim=SimpleNamespace(nodes=1024))
        need = 32 * (3 * 5 + 2 * 500 / 100) * 1024
        self.assertEqual(study._forest_bytes(), need)
        for free, enough in ((need / 1024, True), (need / 1024 - 1, False)):
            with mock.patch("builtins.open", mock.mock_open(read_data="MemTotal: 1 kB\nMemAvailable:  %d kB\n" % free)):
                if enough:
                    study._check_memory()
                else:
                    with self.assertRaisesRegex(RunError, "the waves need up to 0.000819 GB of memory, and 0.000818 GB are free; use a shorter induction.sustained") as refused:
                        study._check_memory()
                    self.assertEqual(refused.exception.status, 3)
        with mock.patch("builtins.open", side_effect=OSError):
            study._check_memory()
        for part, words in (((3, 4), "part 3 of 4 has no site: there are 2\n"), (None, "part 1 of 1 has no site: there are 0\n")):
            study.chosen, study.part, study.sites = [], part, [1] * (2 if part else 0)
            self.assertEqual(study.describe(), words)
        study.chosen, study.part, study.lesions, study.by = [0], None, {}, 10.0
        study.paced, study.sim = SimpleNamespace(path="a", sets=[], pulses=1, step=1.0), Tissue()
        study.sim.waves, study.sim.fields = {"stimuli": [{"pulses": [5]}]}, {}
        for longest, shortest, tests in ((164.0, 101.0, 8), (165.0, 101.0, 9), (101.0, 101.0, 2)):  # of bisections, log2 of the intervals to 1 ms, and two more
            study.longest, study.shortest, study.config = longest, shortest, {"protocol": "peerp", "sustained": "100 ms"}
            with mock.patch.object(induce, "describe", lambda *_, **__: {"memory_bytes": 1, "step_seconds": 1, "device_bytes": 0}):
                self.assertIn("at most 3 branches and %.6g ms each" % (5 + 100 + 2 * (longest * (1 + tests) + 200)), study.describe())

    def test_maps_removed(self):
        """With --overwrite all maps of a study go with the tables beside them, of a part those of its own sites; without it they are refused"""
        names = ["site-1-.vtkhdf", "site-2-110-90.vtkhdf", "lesion-1-site-3-110.vtkhdf", "site-12-5.vtkhdf", "site-x-.vtkhdf", "other.vtkhdf", "site-2-110-90-ecg.csv", "site-2-110-90-tips.csv", "vulnerability.vtkhdf"]
        for part, chosen, gone in ((None, range(12), [0, 1, 2, 3, 6, 7, 8]), ((1, 2), [0, 1], [0, 1, 6, 7, 8]), ((2, 2), [2, 11], [2, 3, 8])):
            os.makedirs("o", exist_ok=True)
            for name in names:
                with open("o/" + name, "w") as file:
                    file.write("x")
            study = bare(folder="o", summary="o/vulnerability.vtkhdf", part=part, chosen=chosen, given=SimpleNamespace(overwrite=False))
            with self.assertRaisesRegex(InputError, "o/.* exists and is no file of this program's"):
                study._clear_maps()
            self.assertEqual(sorted(os.listdir("o")), sorted(names))
            study.given.overwrite = True
            study._clear_maps()
            self.assertEqual(sorted(os.listdir("o")), sorted(name for k, name in enumerate(names) if k not in gone))

    def test_lesions(self):
        """Each lesion is set up once: what selects nothing, or all, is a fault with its place; warnings name the regions of the config"""
        faults = {"x": None, "y": InputError("overrides: tissue.regions[0].where: it selects no node", 2), "z": None}
        opened, config = [], {"tissue": {"regions": [{"a": 1}], "parameters": 5, "fibers": "f"}}

        class Sim(SimpleNamespace):
            def advance(self, to, progress):
                asked.append(to)
                self.results = {"excitable": 0 if where == "z" else 9}
        asked = []

        def reopen(sim, s1, own):
            nonlocal where
            opened.append((s1, own))
            where = own["tissue"]["regions"][0].get("where")
            if faults.get(where):
                raise faults[where]
            if where == "x":
                warnings.warn("tissue.regions[2].velocity: odd; tissue.regions[0] too")
        where = ""
        paced = SimpleNamespace(config=config, facts={"places": {"induction.lesions[%d].where" % k: "a.yaml:%d:1" % k for k in range(3)}}, reopen=reopen, s1=lambda: "own")
        study = bare(lesions={"one": "x"}, paced=paced, sim=Sim(time=5.0, step=0.5), sites=[SimpleNamespace(s1="s1")], watch=SimpleNamespace(now=lambda text: asked.append(text)))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            study._check_lesions()
        block = {"where": "x", "model": "passive", "conductivity": {"intra": "0 S/m", "extra": "0.2 S/m"}}
        self.assertEqual(opened, [("s1", {"tissue": {"fibers": "f", "regions": [block, {"a": 1}]}}), ("own", {"tissue": config["tissue"]})])
        self.assertEqual((asked, [str(w.message) for w in said]), (["setting up the tissue with lesion one", 5.5], ["tissue.regions[1].velocity: odd; tissue.regions[0] too"]))
        study.lesions = {"one": "x", "two": "y", "three\t": "z"}
        with self.assertRaises(InputError) as refused, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            study._check_lesions()
        self.assertEqual((refused.exception.status, refused.exception.text), (2, "a.yaml:1:1: lesion two: it selects no node\na.yaml:2:1: lesion three\\x09: it leaves no excitable tissue"))
        study.lesions = {}
        opened.clear()
        study._check_lesions()
        self.assertEqual(opened, [])

    def test_looks_at_turns(self):
        """A turn is the middle one of the cycles of nodes activated since the last, of five the third; a failure is the tissue's or the machine's"""
        sim = Tissue(last_activation=np.array([850.0, 840, 860, 830, 845, 700]), last_cycle=np.array([110.0, 120, 130, 140, 150, 50]))
        tree = Tree.__new__(Tree)
        tree.sim, found = sim, Findings(wave={"last_again": 800.0}, turned=720.0)
        for sim.time, turns in ((849.9, []), (850.0, [130]), (851.0, [130])):
            tree._find_turn(found, 400.0)
            self.assertEqual(found.turns, turns)
        for wave in (None, {"last_again": None}):
            idle = Findings(wave=wave)
            tree._find_turn(idle, 400.0)
            self.assertTrue(math.isnan(idle.turned))
        late = Findings(wave={"last_again": 800.0}, turned=700.0)
        sim.time = 900.0
        tree._find_turn(late, 715.0)  # cycles that began before the stimulus do not count: 720, 730 and 740 ms remain
        self.assertEqual(late.turns, [120])
        for waves, failed in (({"failure": "voltage"}, True), ({"failure": "sweeps"}, True), ({"failure": None}, False), ({"failure": "memory"}, False)):
            tree.sim = SimpleNamespace(waves=waves)
            self.assertEqual(tree.has_failed(), failed)
        tree.sim = mock.Mock(spec=[])
        type(tree.sim).waves = mock.PropertyMock(side_effect=RunError("closed", 3))
        self.assertFalse(tree.has_failed())

    def test_recorded(self):
        """Maps of a branch, with the segments of sites where these are; leads at each step where steps are long, frames of a surface alone"""
        sim = Tissue(last_activation=np.array([1.0, 2, 3, 4, 5, 6]), last_cycle=np.full(6, np.nan), leads=[1.0], V=np.arange(6.0))
        sim.cells, sim.points = np.array([[0, 1, 2, 4]]), np.arange(18.0).reshape(6, 3)
        recorder = reentry.Recorder(sim, None)
        self.assertEqual((recorder.nodes.tolist(), recorder.own.tolist(), recorder.points.tolist()), ([0, 1, 2, 4], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], sim.points[[0, 1, 2, 4]].tolist()))
        recorder.write_maps("o")
        self.assertEqual(list(Tissue.written), ["activation_time", "cycle_length"])
        sim["last_cycle"] = np.array([1.0, np.nan, 1, 1, 1, 2])
        reentry.Recorder(sim, np.arange(6.0)).write_maps("o")
        self.assertEqual(({name: values.tolist() for name, values in Tissue.written.items()}["aha"], Tissue.written["last_turn"].tolist()[3:]), ([0, 1, 2, 3, 4, 5], [0, 1, 2]))
        for cells in (np.array([[0, 1], [1, 2]]), np.array([[0, 1, 1]])):
            sim.cells = cells
            self.assertEqual((reentry.Recorder(sim, None).faces.shape, reentry.Recorder(sim, None).own.shape), ((0, 3), (0, 3)))
        sim.step, sim.fields, sim.time = 5.0, {"leads": {"names": ["I"]}}, 100.0
        tree = SimpleNamespace(paced=SimpleNamespace(step=0.1), go_on=lambda to: setattr(sim, "time", to))
        with mock.patch.object(reentry, "write_own") as write, mock.patch.object(reentry, "find") as find:
            reentry.Recorder(sim, None).follow(tree, branch(0, [], SUSTAINED, cycle_length=100.0), "o/s.vtkhdf")
        self.assertFalse(find.called)
        self.assertEqual([float(row.split(",")[0]) for row in write.call_args.args[1].splitlines()[1:]], [100 + 5.0 * k for k in range(120)])

    @needs("matplotlib")
    def test_reentry_words(self):
        """A turn that is 2 % longer than the cycle needs no word; colours of sites; one re-entry of each site, without and with each lesion"""
        from cardiac.studies import reentry_page
        turned = SimpleNamespace(maps={"activation_time": np.array([700.0, 710]), "cycle_length": np.array([90.0, 102.0])})
        self.assertEqual([reentry_page._describe_turn(turned, cycle).count("It took 102 ms where it ended; the cycle length, %.0f ms" % cycle) for cycle in (100.0, 99.99, 104.0, 104.1)], [0, 1, 0, 1])
        with mock.patch.object(reentry_page.plot, "map", lambda result, name, **how: how["color"]):
            color = reentry_page._vulnerability(None)
        self.assertEqual([tuple(color.to_rgba(x, bytes=True)[:3]) for x in (0, 1, 2)], [(0x4c, 0x72, 0xb0), (0xe6, 0x95, 0x00), (0xb0, 0x00, 0x20)])
        told = []
        branches = [branch(0, [], QUIET), branch(0, [120.0], SUSTAINED), branch(0, [110.0], SUSTAINED), branch(1, [], QUIET), branch(1, [100.0], SUSTAINED)] + [Branch(0, [90.0], outcome=SUSTAINED, lesion="a"), Branch(1, [80.0], outcome=FAILED, lesion="a")]
        vulnerability = SimpleNamespace(maps={"vulnerability": np.array([0.0, 2])}, cells=np.zeros((1, 3)))
        with mock.patch.multiple(reentry_page, read=lambda path: vulnerability, draw_outcomes=lambda rows: ["<p>drawn %d</p>" % len(rows)], _vulnerability=lambda result: None, image=lambda figure, caption: "[%s]" % caption,
                                 _reentry=lambda own, path, name, segments: told.append((own.intervals, path, name)) or (["<p>%s</p>" % name], ["how to read it"])):
            page = reentry_page.page("t", "400 ms", ["s0", "s1"], ["a"], branches, {2: "two", 1: "one", 4: "four", 5: "five"}, "v", [])
        self.assertEqual(told, [([120], "one", "s0"), ([100], "four", "s1"), ([90], "five", "s0")])
        self.assertIn("Sites with sustained re-entry: 2 of 2. Lesion a prevents it from 0 of these 2. 1 of 7 branches failed.", page)
        self.assertEqual([words in page for words in ('<div class="verdict bad">', "<p>drawn 5</p>", "S2 120 ms means that S2 came 120 ms after the last S1", "how to read it</p>", "[Sites: red sustained, orange not sustained, blue none; grey: no site]")], [True] * 5)
        for cells, corners in ((2, False), (3, True)):
            vulnerability.cells = np.zeros((1, cells))
            with mock.patch.multiple(reentry_page, read=lambda path: vulnerability, draw_outcomes=lambda rows: [], _vulnerability=lambda result: None, image=lambda figure, caption: "[picture]"):
                page = reentry_page.page("t", "1 s", ["s0"], [], [branch(0, [], QUIET), branch(0, [90.0], FAILED)], {}, "v", [])
            self.assertEqual(("[picture]" in page, '<div class="verdict look">' in page), (corners, True))
        flat = SimpleNamespace(points=np.array([[0, 0, 0], [4, 0, 0], [0, 3, 0]]), node=lambda tip: 0)
        ax = SimpleNamespace(plot=lambda x, y, *_, **__: told.append((list(x), list(y))))
        told.clear()
        with mock.patch.multiple(reentry_page.plot, map=lambda *_, **__: SimpleNamespace(axes=[ax]), is_flat=lambda result: True, surface_of=lambda result: np.array([[0, 1, 2]]), views=lambda result: [(0, 0)]):
            reentry_page.draw_turn(flat, reentry_page.Core("", np.array([[1.0, 2, 0], [3, 1, 0]])))
        self.assertEqual(told, [([1, 3], [2, 1])])

    @needs("matplotlib")
    def test_reentry(self):
        """What the page says of a re-entry"""
        from cardiac.studies import reentry_page
        own = branch(0, [110.0, 90.0], SUSTAINED, 2, cycle_length=150.0, first_cycle_length=140.0, cycle_change=1.5, earliest_x=1.0, earliest_y=2.0, earliest_z=3.0)
        own.lesion = "<b>"
        result = SimpleNamespace(maps={"last_turn": 0}, cells=np.zeros((1, 3)))
        with open("x-ecg.csv", "w") as file:
            file.write("time (ms),I (mV)\n" + "".join("%g,%g\n" % (50 * k, k < 5 and k % 2) for k in range(12)))
        with open("x-tips.csv", "w") as file:
            file.write("time (ms),tip,x (mm),y (mm),z (mm),charge\n700,1,2.125,3.125,4.125,1\n")
        drawn = mock.patch.multiple(reentry_page, read=lambda path: result, image=lambda figure, said, **_: said, draw_turn=lambda result, core: "turn", _describe_turn=lambda *_: "the turn")
        with drawn, mock.patch.object(reentry_page.plot, "ecg", lambda leads, ahead: "leads"):
            (head, facts, *figures), reading = reentry_page._reentry(own, "x.vtkhdf", "s&", [])
        self.assertEqual(head, "<h2>s&amp;, with lesion &lt;b&gt;</h2>")
        rows = [re.findall("<td>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", facts)]
        self.assertEqual(rows, [["stimuli", "S2 110, S3 90 ms"], ["cycle length", "140 -&gt; 150 ms, settled (1.5 % over the last three turns); 400 per minute"],
                                ["core", "no tip on the surface lasts a turn: the wave turns around tissue that does not conduct"], ["came back first", "(1, 2, 3) mm"],
                                ["later", "it ended by itself: the leads are at rest"], ["file", "x.vtkhdf"]])
        self.assertEqual([re.sub("<.*?>", "", figure) for figure in figures], ["Leads during the turns that follow", "the turn"])
        self.assertEqual(reading, [reentry_page.OF_LEADS, reentry_page.OF_TURNS, reentry_page.OF_GREY])
        self.assertEqual(reentry_page.find_core("none.csv", 100, result, []).text, "unknown: the mesh has no surface")

        # tips that face the viewer of a body, in the plane that is drawn
        from cardiac import mesh, plot
        body = reentry_page.read(mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], [[0, 1, 2, 3]], [1], arrays={"last_turn": [0.0, 10, 20, 30]}, path="b.vtkhdf"))
        tips = np.array([[0.0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]])
        figure = reentry_page.draw_turn(body, reentry_page.Core("", tips))
        self.assertEqual(figure.get_figwidth(), 7)
        normals = [(-1, -1, -1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]  # of the nodes
        for ax, view in zip(figure.axes, plot.VIEWS):
            axes = plot._axes(view)
            np.testing.assert_allclose(ax.lines[0].get_xydata(), [(axes @ tip)[:2] for tip, normal in zip(tips, normals) if normal @ axes[2] > 0], atol=1e-12)
        self.assertFalse(any(ax.lines for ax in reentry_page.draw_turn(body, reentry_page.Core("", tips[:0])).axes))

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
        tips = ["%g,%d,%g,0,0,1\n" % (10 * k, tip, x) for tip, x, last in ((3, 12, 15), (7, 5, 5), (4, 9, 7)) for k in range(last + 1)]
        with open("tips.csv", "w") as file:
            file.write("time (ms),tip,x (mm),y (mm),z (mm),charge\n" + "".join(tips))
        self.assertIn("sustained if it goes on for 400 ms after the last stimulus. S2 110 ms means that S2 came 110 ms after the last S1; S3 is counted from S2.</p>", page)
        core = reentry_page.find_core("tips.csv", 150, SimpleNamespace(maps={}), [])
        self.assertEqual((core.text, len(core.tips)), ("1 tip on the surface; the longest within 0 mm of one place: (12, 0, 0) mm", 16))
        self.assertEqual(core.tips.tolist(), [[12, 0, 0]] * 16)
        for corners, end in ((3, "not conduct"), (4, "within the wall")):
            self.assertTrue(reentry_page.find_core("tips.csv", 1500, SimpleNamespace(cells=np.zeros((1, corners))), []).text.endswith(end))
        turned = SimpleNamespace(maps={"activation_time": np.array([700.0, 690, 710]), "cycle_length": np.array([190.0, 120, np.nan])})
        self.assertEqual(reentry_page._describe_turn(turned, 190.5), "Activation in the last turn, ms")
        self.assertEqual(reentry_page._describe_turn(turned, 120),
                         "Activation in the last turn, ms. It took 190 ms where it ended; the cycle length, 120 ms, is the median of all places")


main()
