"""`cardiac induce`: whether a tissue can be brought to re-entry: sites times a pacing protocol, as a tree of branches.

At each site S1 is stepped once; each branch goes on from a copy of the tissue, with the bits of a run of its own, until the tissue is
quiet or re-entry is sustained, and becomes a row of a table."""

from __future__ import annotations

import argparse
import glob
import hashlib
import json
import math
import os
import re
import warnings
from dataclasses import dataclass
from typing import Any, Dict, List, NoReturn, Optional

import numpy as np
from numpy.typing import NDArray

from ..own_file import claim, write_own
from ..program import InputError, RunError
from ..text import say as say_error
from ..text import time_text, visible
from . import branches as tree
from .reentry import Recorder, stem_of
from .branches import FAILED, NON_SUSTAINED, NUMBERS, OUTCOMES, QUIET, SUSTAINED, Branch
from .paced import Paced, check_output, describe, number_of, say
from .sites import SEGMENTS, find_sites
from .study import Study
from .table import ELSEWHERE, PAGE, Row, Table, is_own_id, number, read_number, read_numbers, refuse

BLOCK = {
    "intra": "0 S/m",
    "extra": "0.2 S/m",
}  # of a lesion: its bath conducts, as around a heart in a torso
RESOLUTION = 1.0  # ms, of the end of the refractory period in `peerp`
NEAR = 7  # intervals that follow from one copy near them
PULSES_MOST = 32
NAMES = [
    "id",
    "site",
    "x (mm)",
    "y (mm)",
    "z (mm)",
    "protocol",
    "intervals (ms)",
    "captured",
    "outcome",
]
NAMES += [
    "%s (%s)" % (name, "mm" if "_" == name[-2] else "%" if name == "cycle_change" else "ms")
    for name in NUMBERS
]
NAMES += ["lesion", "message"]
_REGION = re.compile(r"(tissue\.regions\[)([1-9]\d*)")


FORECAST = """\
memory: at most about %.1f MB (%.0f bytes a node), %.1f MB of it on the device
sites: %d; at most %.0f branches and %.6g ms each; copies of the tissue and its waves: %.4g MB of the host's memory
duration: at most about %s:%02d on this machine, as the first steps took %.3g ms each
"""


@dataclass
class Result:
    """Of all branches of a site."""

    branches: int
    failed: int
    sustained: int
    tested: bool  # by a stimulus after S1, in a branch that did not fail
    first: Optional[Branch]  # with the worst outcome of those that did not fail
    shortest: float  # ms, the shortest S2 that captured


def sum_up(branches: List[Branch]) -> Result:
    """The outcome of a site."""
    sound = [b for b in branches if b.outcome != FAILED]
    captured = [b.intervals[0] for b in sound if len(b.intervals) == 1 and b.captured == 1]
    return Result(
        len(branches),
        len(branches) - len(sound),
        sum(b.outcome == SUSTAINED for b in branches),
        any(b.intervals for b in sound),
        max(sound, key=lambda b: OUTCOMES.index(b.outcome), default=None),
        min(captured, default=math.nan),
    )


def join_intervals(intervals: List[float], by: str = " ") -> str:
    """Intervals, ms, as text.

    >>> join_intervals([110.0, 90.5])
    '110 90.5'
    """
    return by.join("%.12g" % x for x in intervals)


def say_json(values: Dict[str, Any]) -> None:
    """A line of JSON with the shortest decimals, null for missing values."""

    def plain(value: Any) -> Any:
        if isinstance(value, (list, np.ndarray)):
            return [plain(item) for item in value]
        if isinstance(value, float):
            exact = int(value) if value.is_integer() and abs(value) < 1e15 else value
            return exact if math.isfinite(value) else None
        return value

    line = json.dumps({key: plain(value) for key, value in values.items()}, ensure_ascii=False)
    say(line + "\n")


# ---- the study ----


class Induction(Study):
    """All sites, the protocol, and the table; `given`: what was typed; `paced`: with the options INDUCTION."""

    noun = "branches"

    def __init__(self, given: argparse.Namespace, paced: Paced) -> None:
        super().__init__(given)
        self.paced = paced
        self.config: Dict[str, Any] = self.paced.config["induction"]
        if "induction" not in self.paced.facts["places"]:
            text = "%s: induction: is not given: S2 at the site of S1 alone, from %s to %s by %s, at most %s extra stimuli"
            warnings.warn(
                text % (given.config, *(self.config[key] for key in ("from", "to", "by", "extra")))
            )
        self.id, self.inputs = self.paced.facts["ids"]["induction"], self.paced.facts["inputs"]
        self.extra = int(self.config["extra"])
        self.longest, self.shortest, self.by = (
            number_of(self.config[key]) for key in ("from", "to", "by")
        )
        self._check_protocol()
        self.place(given.output or self.paced.config["output"]["directory"])
        suffix = "-%d-of-%d" % self.part if self.part else ""
        self.summary = os.path.join(self.folder, "vulnerability%s.vtkhdf" % suffix)
        self.page = os.path.join(self.folder, "report%s.html" % suffix)
        check_output(self.path, given.config, self.paced.config)
        ecg = self.paced.config.get("ecg", {}) if given.results else {}
        self.sim = self.paced.open(**{"activation.beats": 1, "ecg": ecg})
        self._check_stimuli()
        self.sites = find_sites(self.paced, self.sim)
        self.chosen = self.own(len(self.sites))
        self.branches: List[Branch] = []
        lesions: List[Dict[str, str]] = self.config.get("lesions", [])
        self.lesions = {lesion["name"]: lesion["where"] for lesion in lesions}
        self.lesion = ""  # that is tested
        self._check_lesions()

    def _check_lesions(self) -> None:
        """Sets up the tissue with each lesion once, so that one that selects nothing, or all, is found before the first branch."""
        faults, places = [], self.paced.facts["places"]
        for k, (name, where) in enumerate(self.lesions.items()):
            self.watch.now("setting up the tissue with lesion %s" % name)
            text = ""
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                try:
                    self.paced.reopen(self.sim, self.sites[0].s1, self._change_tissue(where))
                    self.sim.advance(
                        self.sim.time + self.sim.step, progress=False
                    )  # nodes are counted by the first step
                    text = "" if self.sim.results["excitable"] else "it leaves no excitable tissue"
                except InputError as error:
                    text = re.sub(r"^overrides: (tissue\.regions\[0\]\.where: )?", "", error.text)
            if text:
                faults.append(
                    "%s: lesion %s: %s"
                    % (places["induction.lesions[%d].where" % k], visible(name), text)
                )
            for warning in found if not text else ():  # of regions by their numbers in the config
                warnings.warn(
                    _REGION.sub(lambda of: of[1] + str(int(of[2]) - 1), str(warning.message))
                )
        if faults:
            raise InputError("\n".join(faults), 2)
        if self.lesions:
            self.paced.reopen(self.sim, self.paced.s1(), {"tissue": self.paced.config["tissue"]})

    def _change_tissue(self, where: str) -> Dict[str, Any]:
        """The keys of the tissue with a lesion"""
        tissue = {k: v for k, v in self.paced.config["tissue"].items() if k != "parameters"}
        block = {"where": where, "model": "passive", "conductivity": BLOCK}
        return {"tissue": {**tissue, "regions": [block, *tissue["regions"]]}}

    def _id(self, site: int, lesion: str) -> str:
        """Of the branches of a site: neither other sites nor other lesions change it."""
        facts = [self.id, self.sites[site].s1, self.lesions.get(lesion)]
        return hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogateescape")).hexdigest()[:16]

    def _check_protocol(self) -> None:
        """Checks that the record has room for the pulses of S1, and that no interval is shorter than a stimulus."""
        paced = self.paced
        if paced.pulses + self.extra > PULSES_MOST:
            most = PULSES_MOST - self.extra
            said = paced.path, paced.name, paced.pulses, self.extra, most
            text = "%s: S1, stimulus %s, comes %d times; with %d extra stimuli at most %d are supported; "
            raise InputError(text % said + "start from a paced tissue (initial.file)", 2)
        if paced.facts["short_interval"]:
            raise InputError(paced.facts["short_interval"], 2)

    def _check_stimuli(self) -> None:
        """Checks that no other stimulus comes after the last S1."""
        s1, *others = self.sim.waves["stimuli"]
        last = s1["pulses"][self.paced.pulses - 1]
        for other in others:
            if other["end"] is None or other["end"] > last:
                text = "%s: stimulus %s comes after the last S1 (%g ms), and its response would count as re-entry; remove it"
                raise InputError(text % (self.paced.path, other["name"], last), 2)

    def count_intervals(self) -> int:
        return math.floor((self.longest - self.shortest) / self.by * (1 + 1e-12) + 1e-9) + 1

    def interval_at(self, k: int) -> float:
        """ms: those that fall from `from` to `to`, as decimals that a config would have"""
        return float("%.12g" % (self.longest - k * self.by))

    # ---- files ----

    def _map_path(self, branch: Branch) -> str:
        name = "site-%d-%s.vtkhdf" % (branch.site + 1, join_intervals(branch.intervals, "-"))
        if branch.lesion:
            name = "lesion-%d-%s" % (1 + list(self.lesions).index(branch.lesion), name)
        return os.path.join(self.folder, name)

    def _clear_maps(self) -> None:
        """With --overwrite the maps of an earlier study are removed; else they are refused where no table is that they could
        belong to. A part has those of its own sites."""
        folder = glob.escape(self.folder)
        found = [self.summary] if os.path.lexists(self.summary) else []
        for path in glob.glob(os.path.join(folder, "*site-[0-9]*-*.vtkhdf")):
            site = os.path.basename(path).split("site-")[1].split("-")[0]
            if not self.part or (site.isdigit() and int(site) - 1 in self.chosen):
                found.append(path)
        for path in found:
            if self.given.overwrite:
                for one in (path, stem_of(path) + "-ecg.csv", stem_of(path) + "-tips.csv"):
                    if os.path.lexists(one):
                        os.unlink(one)
            else:
                claim(path, None, ELSEWHERE)

    def columns(self) -> List[str]:
        return NAMES

    def recall(self, cells: Row) -> None:
        names, name = [site.name for site in self.sites], str(cells[1])
        lesion, message = map(str, cells[9 + len(NUMBERS) :])

        def foreign(column: int) -> NoReturn:
            text = "%s '%.40s' does not belong to this study: %s; %s"
            again = "delete the lines of this lesion to test it again, or " * bool(
                lesion and column in (0, 9 + len(NUMBERS))
            )
            refuse(
                self.path,
                cells[column],
                text % (NAMES[column], cells[column], self.reason(), again + ELSEWHERE),
            )

        if name not in names and name[:1] == "'":  # as no formula of a spreadsheet
            name = name[1:]
        if lesion and lesion not in self.lesions and lesion[:1] == "'":
            lesion = lesion[1:]
        if name not in names:
            foreign(1)
        if lesion and lesion not in self.lesions:
            foreign(9 + len(NUMBERS))
        site = names.index(name)
        if not is_own_id(self.path, cells[0], self._id(site, lesion)):
            foreign(0)
        if cells[8] not in OUTCOMES:
            foreign(8)
        intervals = read_numbers(self.path, cells[6])
        captured = read_number(self.path, cells[7])
        found = [read_number(self.path, cell) for cell in cells[9 : 9 + len(NUMBERS)]]
        if captured not in range(1 + len(intervals)):
            foreign(7)
        numbers = dict(zip(NUMBERS, found))
        branch = Branch(site, intervals, int(captured), str(cells[8]), numbers, message, lesion)
        if self.given.results and branch.outcome in (SUSTAINED, NON_SUSTAINED):
            self.table.check_file(cells, self._map_path(branch), "this branch")
        self.branches.append(branch)

    def open_table(self) -> Table:
        if self.given.results:
            claim(self.page, PAGE.encode(), ELSEWHERE)
        if not self.given.overwrite and not os.path.exists(self.path):
            self._clear_maps()
        table = super().open_table()
        if self.given.overwrite:
            self._clear_maps()
        return table

    def _store(self, branch: Branch) -> None:
        site, numbers = self.sites[branch.site], branch.numbers
        position, intervals = map(number, site.point), join_intervals(branch.intervals)
        cells = [
            self._id(branch.site, branch.lesion),
            site.name,
            *position,
            self.config["protocol"],
            intervals,
        ]
        cells += [str(branch.captured), branch.outcome, *map(number, numbers.values())]
        self.append([*cells, branch.lesion, branch.message])
        self.branches.append(branch)
        if self.given.json:
            line = {"site": site.name, "intervals": branch.intervals, "captured": branch.captured}
            line.update(outcome=branch.outcome, **{name: numbers[name] for name in NUMBERS[:3]})
            line.update(earliest=[numbers[name] for name in NUMBERS[3:6]], time=numbers["time"])
            line.update({name: numbers[name] for name in NUMBERS[7:]})
            if branch.lesion:
                line["lesion"] = branch.lesion
            say_json({**line, "message": branch.message or None})
        elif not self.given.quiet:
            self._say_branch(branch)

    def _label(self, branch: Branch) -> str:
        """ "lesion line, site below, 100 90 ms" """
        lesion = "lesion %s, " % visible(branch.lesion) if branch.lesion else ""
        intervals = join_intervals(branch.intervals) + " ms" if branch.intervals else "S1 alone"
        return "%ssite %s, %s" % (lesion, visible(self.sites[branch.site].name), intervals)

    def _say_branch(self, branch: Branch) -> None:
        text = "branch of %s: %s" % (self._label(branch), branch.outcome)
        if branch.intervals and math.isfinite(branch.numbers["cycle_length"]):
            text += ", cycle length " + time_text(branch.numbers["cycle_length"]) + " ms"
        self.say(text + "\n")

    def _label_segments(self) -> Optional[NDArray[np.float64]]:
        """At each node the segment of the left ventricle, 0 in the right one; None: sites are no segments."""
        if self.config.get("sites") != "aha17":
            return None
        label = np.zeros(self.sim.nodes)
        for k in range(1, len(SEGMENTS) + 1):
            label[self.sim["where/aha(%d)" % k] == 1] = k
        return label

    # ---- branches ----

    def _fail(self, branch: Branch, error: RunError) -> None:
        """The branch as failed, where that is the tissue's; errors of the system stop the study."""
        if error.status != 3 or not self.tree.has_failed():
            raise error
        branch.outcome, branch.message = FAILED, error.text[:290]

    def _watch(self, branch: Branch) -> None:
        label = self._label(branch)
        self.watch.now(lambda: "%s: at %s ms" % (label, time_text(self.tree.time)))

    def _make(self, site: int, intervals: List[float], extra: int, anchor: float) -> Branch:
        """The branch, from the table, or stepped and stored there. Its first `extra` intervals are the trunk's."""
        for branch in self._branches(site):
            if branch.intervals == intervals:
                return branch
        branch = Branch(site, intervals, lesion=self.lesion)
        self._watch(branch)
        try:
            self.tree.step(branch, self.sites[site].s1, extra, anchor)
        except RunError as error:
            self._fail(branch, error)
        if self.given.results and branch.outcome in (SUSTAINED, NON_SUSTAINED):
            path = self._map_path(branch)
            self.recorder.write_maps(path)
            if branch.outcome == SUSTAINED:
                self.recorder.follow(self.tree, branch, path)
        self._store(branch)
        return branch

    def _pace_programmed(self, site: int) -> None:
        """Intervals of extra stimulus n fall until one does not capture; it then stays at the shortest that did, and the next one is
        added, unless re-entry was sustained."""
        before: List[float] = []
        for n in range(self.extra):
            shortest, induced = math.nan, False
            for k in range(self.count_intervals()):
                interval = self.interval_at(k)
                branch = self._make(site, before + [interval], n, NEAR * self.by)
                induced |= branch.outcome == SUSTAINED
                if branch.outcome == tree.NO_CAPTURE:
                    break
                if branch.outcome != FAILED:
                    shortest = interval
            if induced or math.isnan(shortest):
                return
            before.append(shortest)

    def _pace_burst(self, site: int) -> None:
        """Trains of `extra` stimuli at falling cycle lengths."""
        for k in range(self.count_intervals()):
            self._make(site, [self.interval_at(k)] * self.extra, 0, NEAR * self.by)

    def _find_refractory_end(self, site: int, before: List[float]) -> float:
        """The shortest interval that captures, to 1 ms, by bisection: those that capture are taken to be longer than those that do
        not. The longest where none does."""

        def at(k: int) -> float:
            return float("%.12g" % (self.shortest + k * RESOLUTION))

        def captures(k: int, low: int) -> bool:
            interval = self.shortest if k == 0 else at(k)
            return self.tree.captures(n, interval, self.shortest + low * RESOLUTION)

        n, low = len(before) + 1, 0
        high = math.floor((self.longest - self.shortest) / RESOLUTION + 1e-9)
        self.tree.grow(site, self.sites[site].s1, before, n - 1)
        if not captures(high, 0):
            return at(high)
        if captures(0, 0):
            high = 0
        while high - low > 1:
            middle = (low + high) // 2
            if captures(middle, low):
                high = middle
            else:
                low = middle
        return at(high)

    def _pace_peerp(self, site: int) -> None:
        """Each extra stimulus at the end of the refractory period, until re-entry is sustained: Azzolin et al. 2021,
        doi 10.3389/fphys.2021.656411."""
        before: List[float] = []
        for n in range(1, self.extra + 1):
            own = (b for b in self._branches(site) if len(b.intervals) == n)
            branch = next(
                (b for b in own if b.intervals[:-1] == before),
                Branch(site, [*before, 0.0], lesion=self.lesion),
            )
            if branch not in self.branches:
                self._watch(branch)
                try:
                    end = self._find_refractory_end(site, before)
                    branch = self._make(site, [*before, end], n - 1, 0)
                except RunError as error:
                    self._fail(branch, error)
                    self._store(branch)
            if branch.outcome not in (QUIET, NON_SUSTAINED):
                return
            before = list(branch.intervals)

    def _pace(self, site: int) -> None:
        if self._make(site, [], 0, 0).outcome == QUIET:
            getattr(self, "_pace_" + self.config["protocol"])(site)
        if self.given.json:
            self._say_site_json(site, self._result(site))
        elif not self.given.quiet:
            self._say_site(site, self._result(site))

    # ---- results ----

    def _branches(self, site: int) -> List[Branch]:
        """Title of the site, with the lesion under test"""
        return [b for b in self.branches if b.site == site and b.lesion == self.lesion]

    def _result(self, site: int) -> Result:
        return sum_up(self._branches(site))

    def _say_site(self, site: int, result: Result) -> None:
        first = result.first
        text = "lesion %s, " % visible(self.lesion) if self.lesion else ""
        text += "site %s: %s" % (visible(self.sites[site].name), first.outcome if first else FAILED)
        if first and first.intervals and first.outcome in (NON_SUSTAINED, SUSTAINED, tree.ACTIVE):
            text += " after %s ms, cycle length %s" % (
                join_intervals(first.intervals),
                first.cycle_text(),
            )
        if result.shortest > 0:
            text += "; S2 captures from %s ms" % time_text(result.shortest)
        branches = "%d branch%s" % (result.branches, "es" * (result.branches != 1))
        text += "; %s, %d sustained" % (branches, result.sustained)
        say(text + (", %d failed" % result.failed if result.failed else "") + "\n")

    def _say_site_json(self, site: int, result: Result) -> None:
        own, first = self.sites[site], result.first
        line = {"site": own.name, "point": own.point, "branches": result.branches}
        if self.lesion:
            line["lesion"] = self.lesion
        line.update(failed=result.failed, sustained=result.sustained)
        line.update(outcome=first.outcome if first else None)
        line.update(intervals=first.intervals if first else [], shortest_capture=result.shortest)
        say_json({**line, "cycle_length": first.numbers["cycle_length"] if first else math.nan})

    def _write_vulnerability(self) -> None:
        """At the stimulated nodes of sites that were tested 0, 1 with re-entry that was not sustained, 2 where it was."""
        value = np.full(self.sim.nodes, np.nan)
        for k, site in enumerate(self.sites):
            result = self._result(k)
            worst = result.first.outcome if result.first else QUIET
            level = 2.0 if result.sustained else float(worst == NON_SUSTAINED)
            if result.tested:
                value[site.nodes] = np.fmax(value[site.nodes], level)
        self.sim.write(self.summary, {"vulnerability": (value, "1")})

    def make(self) -> None:
        """Steps all branches that are not in the table."""
        talks = self.talks
        self._check_memory()
        with self.open_table():
            self.tree = tree.Tree(self.paced, self.sim, self.stop)
            self.recorder = Recorder(self.sim, self._label_segments())
            for site in self.chosen:
                self._pace(site)
            self._write_vulnerability()
            results = [self._result(site) for site in range(len(self.sites))]
            with warnings.catch_warnings():
                warnings.filterwarnings(
                    "ignore", r"tissue\.regions\["
                )  # were printed when the lesions were checked
                self._test_lesions([site for site in self.chosen if results[site].sustained], talks)
        if self.given.results:
            self._write_page()
        failed = sum(branch.outcome == FAILED for branch in self.branches)
        ends = [branch.numbers["time"] for branch in self.branches]
        alone = sum(math.floor(end / self.paced.step + 0.5) for end in ends if math.isfinite(end))
        if talks:
            vulnerable = sum(result.sustained > 0 for result in results)
            tested = sum(result.branches > 0 for result in results)
            text = "sites with sustained re-entry: %d of %d; %d branches: %s; %d steps, %d in runs of their own\n"
            say(text % (vulnerable, tested, len(ends), self.path, self.tree.steps, alone))
        if failed:
            text = "%d of %d branches failed; %s has their messages"
            raise RunError(text % (failed, len(self.branches), self.path), 3)

    def _write_page(self) -> None:
        """Writes the page of the study, if matplotlib is installed."""
        try:
            from .reentry_page import page
        except ModuleNotFoundError as error:
            say_error("warning: %s is not written: it needs %s" % (self.page, error.name))
            return
        paths = {k: self._map_path(branch) for k, branch in enumerate(self.branches)}
        maps = {k: path for k, path in paths.items() if os.path.exists(path)}
        names, title = [site.name for site in self.sites], self.paced.config.get(
            "title"
        ) or "Induction"
        sustained = self.config["sustained"]
        text = page(
            title, sustained, names, list(self.lesions), self.branches, maps, self.summary, SEGMENTS
        )
        write_own(self.page, text, PAGE, ELSEWHERE)
        if not self.given.quiet and not self.given.json:
            say("page: %s\n" % self.page)

    def _test_lesions(self, sites: List[int], talks: bool) -> None:
        """The sites from which re-entry was sustained again, with each lesion."""
        for name, where in self.lesions.items():
            self.lesion = name
            self.tree.change(self._change_tissue(where))
            for site in sites:
                self._pace(site)
            if talks and sites:
                left = sum(self._result(site).sustained > 0 for site in sites)
                text = "lesion %s: sites with sustained re-entry: %d of %d\n"
                say(text % (visible(name), left, len(sites)))
        self.lesion = ""

    # ---- forecast ----

    def _forest_bytes(self) -> float:
        """At most, of the waves: 32 bytes an activation, up to the last stimulus in the tissue and two copies, then at a cycle of 100 ms."""
        paced, later = self.paced.pulses + self.extra, 2 * number_of(self.config["sustained"]) / 100
        return float(32 * (3 * paced + later) * self.sim.nodes)

    def _check_memory(self) -> None:
        try:
            with open("/proc/meminfo", encoding="ascii") as file:
                rows = dict(line.split(":") for line in file)
            free = float(rows["MemAvailable"].split()[0]) * 1024
        except (OSError, KeyError):
            return
        if self._forest_bytes() > free:
            text = "the waves need up to %.3g GB of memory, and %.3g GB are free; use a shorter induction.sustained"
            raise RunError(text % (self._forest_bytes() / 1e9, free / 1e9), 3)

    def describe(self) -> str:
        """The most that the study can need: sites, branches, time, memory."""
        if not self.chosen:
            part, parts = self.part or (1, 1)
            return "part %d of %d has no site: there are %d\n" % (part, parts, len(self.sites))
        peerp, burst = self.config["protocol"] == "peerp", self.config["protocol"] == "burst"
        count = 1 if peerp else self.count_intervals()
        branches = count if burst else count * self.extra
        most = (self.longest - self.shortest) / RESOLUTION + 1
        tests = math.ceil(math.log2(most)) + 2 if peerp else 0
        sustained = number_of(self.config["sustained"])
        each = self.longest * (self.extra if burst else 1 + tests) + 2 * sustained
        last = self.sim.waves["stimuli"][0]["pulses"][self.paced.pulses - 1]
        time = last + sustained + branches * each
        facts = describe(self.paced.path, self.paced.sets, whole=True)
        memory, step = facts["memory_bytes"], facts["step_seconds"]
        kept = (f for f in self.sim.fields.values() if f["writable"] or f["unit"] == "ms")
        states = sum(f["width"] for f in kept)
        again = 1 + len(self.lesions)
        copies = (2 * 8 * states * self.sim.nodes + self._forest_bytes()) / 1e6
        minutes, seconds = divmod(
            math.ceil(again * len(self.chosen) * time / self.paced.step * step), 60
        )
        clock = "%d:%02d" % divmod(minutes, 60) if minutes >= 60 else str(minutes)
        memories = memory / 1e6, memory / self.sim.nodes, facts["device_bytes"] / 1e6
        tree_size = len(self.chosen), again * (1 + branches), again * time, copies
        return FORECAST % (*memories, *tree_size, clock, seconds, 1e3 * step)


def run(given: argparse.Namespace, paced: Paced) -> str:
    """`cardiac induce`: the study, or with --dry-run its forecast, as text."""
    study = Induction(given, paced)
    with study.watch, study.sim:
        if given.dry_run:
            return study.describe()
        study.make()
    return ""
