"""The tissue of one site of `cardiac induce`: S1 is stepped once, and branches go on from copies of it. What activated what is said by
libcardiac (cardiac_waves); here it becomes an outcome."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

import numpy as np

from ..program import RunError
from ..simulation import Simulation, State
from ..text import time_text
from .paced import Paced, Stimulus, number_of
from .study import Stop

LOOK_EVERY = 20.0  # ms, less than between two beats of a node
NO_CAPTURE, QUIET, NON_SUSTAINED, SUSTAINED, ACTIVE, FAILED = OUTCOMES = (
    "no capture",  # the last stimulus evoked nothing
    "quiet",  # it did, and each node followed once at most
    "non-sustained",  # a node was activated more often than stimuli captured
    "sustained",  # and activity went on for `induction.sustained`
    "active after S1",  # that after S1 alone: the site is not tested
    "failed",
)

NUMBERS = (  # of a branch: ms, and mm where the last beat of re-entry began; NaN = there is none
    "duration",  # from the last stimulus to the last activation
    "cycle_length",  # the median over the nodes, of re-entry
    "last_activation",
    "earliest_x",
    "earliest_y",
    "earliest_z",
    "time",  # at which the branch ended
    "first_cycle_length",  # of the first turn
    "cycle_change",  # %, from the shortest to the longest of the last three turns; NaN: there are fewer
)
SETTLED, TURNS = 2.0, 3  # % of change over so many turns


@dataclass
class Branch:
    """S1 at a site, then so many extra stimuli, each so many ms after the one before: a row of the table."""

    site: int
    intervals: List[float]
    captured: int = 0
    outcome: str = QUIET
    numbers: Dict[str, float] = field(default_factory=lambda: dict.fromkeys(NUMBERS, math.nan))
    message: str = ""
    lesion: str = ""  # with which it is stepped

    def cycle_text(self) -> str:
        """How the cycle length went on: 129 -> 181 ms, settled (0.3 % over the last three turns)."""
        first, last, change = (
            self.numbers[k] for k in ("first_cycle_length", "cycle_length", "cycle_change")
        )
        lengths = time_text(last) + " ms"
        if math.isfinite(first) and round(first) != round(last):
            lengths = "%s -> %s" % (time_text(first), lengths)
        if not math.isfinite(change):
            return lengths + ", not settled (fewer than three turns)"
        return lengths + ", %ssettled (%.2g %% over the last three turns)" % (
            "not " * (change > SETTLED),
            change,
        )


@dataclass
class Findings:
    """What has happened since the last stimulus of a branch."""

    quiet: bool = False  # neither a front nor an action potential is left
    captured: bool = False  # the last stimulus
    wave: Optional[Dict[str, Any]] = None  # of re-entry, or without a stimulus, activated last
    last: float = -math.inf  # ms of that activation
    turns: List[float] = field(default_factory=list)  # ms, cycle lengths, one a turn
    turned: float = math.nan  # ms, when the last of these was over


class Tree:
    """The tissue of a site.

    Attributes
    ----------
    sim : Simulation
    site : int
        That is stepped, -1 = none.
    told : dict
        What activated what, as of the last look.
    steps : int
        Taken at all sites.
    time : float
        ms, as of the last look
    """

    def __init__(self, paced: Paced, sim: Simulation, stop: Stop) -> None:
        self.paced, self.sim, self.stop = paced, sim, stop
        induction = paced.config["induction"]
        self.sustained, self.to = number_of(induction["sustained"]), number_of(induction["to"])
        self.burst = induction["protocol"] == "burst"
        self.site, self.steps, self.told, self.time = -1, 0, sim.waves, 0.0
        self.tissue: Dict[str, Any] = {}  # keys that are other than in the config
        self._trunk: Optional[State] = (
            None  # after S1 and so many extra stimuli, the last one at `start` ms
        )
        self._near: Optional[State] = None  # a later time, without more stimuli
        self._trunk_time = self._near_time = self._start = math.nan
        self._extra = 0

    # ---- the way through time ----

    def _go_to(self, until: float) -> None:
        to = self.sim.time
        while to < until:
            to = min(to + LOOK_EVERY, until)
            self.stop.check()
            before = self.sim.time
            self.paced.advance(self.sim, to)
            self.steps += round((self.sim.time - before) / self.paced.step)
            self.told, self.time = self.sim.waves, self.sim.time

    def _return_to(self, until: float, anchor: float = -math.inf) -> None:
        """The tissue at `until` ms after the trunk's stimuli, from the nearest copy; a copy is left at `anchor` on the way."""
        near = self._near if self._near_time <= until else None
        origin = self._near_time if near else self._trunk_time
        if not near:
            self._near, self._near_time = None, math.nan
        assert self._trunk
        self.sim.restore(near or self._trunk)
        self.told = self.sim.waves
        if anchor > origin:
            self._go_to(anchor)
            self._near = None  # before there are two
            self._near, self._near_time = self.sim.copy(), self.sim.time
        self._go_to(until)

    def _set_trunk(self, extra: int, start: float) -> None:
        """The trunk is the tissue at the shortest interval after its last stimulus."""
        self._go_to(start + self.to)
        self._trunk = self._near = None
        self._trunk, self._trunk_time, self._near_time = self.sim.copy(), self.sim.time, math.nan
        self._extra, self._start = extra, start

    def _begin(self, site: int, s1: Stimulus) -> None:
        """The tissue of a site at its start."""
        self.site, self._trunk, self._near = -1, None, None
        self.paced.reopen(self.sim, s1, self.tissue)
        self.site, self.told = site, self.sim.waves

    def change(self, tissue: Dict[str, Any]) -> None:
        """The tissue of the next site is another."""
        self.site, self.tissue = -1, tissue

    def grow(self, site: int, s1: Stimulus, intervals: List[float], extra: int) -> None:
        """The trunk is S1 at that site and the first `extra` of the intervals, of which it has some."""
        if self.site != site:
            self._begin(site, s1)
            self._set_trunk(0, self.told["stimuli"][0]["pulses"][self.paced.pulses - 1])
        while self._extra < extra:
            start = self._start + intervals[self._extra]
            self._return_to(start)
            self._move(self._extra, start)
            self._set_trunk(self._extra + 1, start)

    def _move(self, k: int, start: float) -> None:
        self.sim.move(self.paced.name, start, self.paced.pulses + k)

    def go_on(self, until: float) -> None:
        """The same without a look at what happens."""
        before = self.sim.time
        self.stop.check()
        self.paced.advance(self.sim, until)
        self.steps += round((self.sim.time - before) / self.paced.step)

    # ---- what happened ----

    def _has_captured(self, k: int) -> bool:
        """Extra stimulus k, or the last S1 (-1), has captured."""
        ends = next(s["ends"] for s in self.told["stimuli"] if s["name"] == self.paced.name)
        return bool(ends[self.paced.pulses + k] == "captured")

    def _find_reentry(self, found: Findings, start: float) -> None:
        """A wave that has come to a node again since `start`, or has begun without a stimulus."""
        found.wave, found.last = None, -math.inf
        for wave in self.told["waves"]:
            if wave["last"] < max(start, found.last):
                continue
            again = wave["again"] > 0 and wave["last_again"] >= start
            if again or (wave["stimulus"] is None and wave["start"] > start):
                found.wave, found.last = wave, wave["last"]

    def _find_turn(self, found: Findings, start: float) -> None:
        """Adds the cycle length of the nodes activated since the last turn, once that is a cycle ago."""
        if not found.wave or found.wave["last_again"] is None:
            return
        if math.isnan(found.turned):
            found.turned = self.sim.time
        latest, cycle = self.sim["last_activation"], self.sim["last_cycle"]
        lengths = np.sort(cycle[(latest - cycle >= start) & (latest > found.turned)])
        if len(lengths) and self.sim.time - found.turned >= lengths[len(lengths) // 2]:
            found.turns.append(float(lengths[len(lengths) // 2]))
            found.turned = self.sim.time

    def _go_on(self, found: Findings, stimuli: int, start: float, end: float) -> None:
        before = self.told["activations"]
        self._go_to(end)
        silent = self.told["activations"] == before and end >= start + self.paced.duration
        found.quiet = silent and not self.told["excited"]
        found.captured = self._has_captured(stimuli - 1)
        self._find_reentry(found, start)

    def _classify(self, branch: Branch, found: Findings, enough: float) -> None:
        """Of a response that is over, or was followed until `enough` ms or later."""
        branch.outcome = SUSTAINED if found.last >= enough else NON_SUSTAINED
        if not found.wave:
            branch.outcome = QUIET
        lasts = not found.quiet and branch.numbers["last_activation"] >= enough
        if not branch.intervals and (found.wave or lasts):
            branch.outcome = ACTIVE
            cause = "a pacemaker, or re-entry that S1 induces"
            branch.message = "the tissue is active after S1 alone: " + cause
            return
        if not found.captured and not (self.burst and branch.captured > 0):
            branch.outcome = NO_CAPTURE
        if branch.outcome != SUSTAINED and not found.quiet:
            branch.message = "V was still above activation.rearm at the end"

    def _measure(self, branch: Branch, found: Findings, start: float) -> None:
        last = -math.inf if self.told["last"] is None else self.told["last"]
        branch.captured = sum(map(self._has_captured, range(len(branch.intervals))))
        branch.numbers.update(time=self.sim.time, last_activation=last)
        branch.numbers["duration"] = last - start if last > start else math.nan
        if found.wave:
            branch.numbers.update(zip(NUMBERS[3:6], found.wave["place"]))
            latest, cycle = self.sim["last_activation"], self.sim["last_cycle"]
            lengths = np.sort(cycle[latest - cycle >= start])
            if len(lengths):
                branch.numbers["cycle_length"] = float(lengths[len(lengths) // 2])
        if found.turns:
            last = found.turns[-TURNS:]
            branch.numbers["first_cycle_length"] = found.turns[0]
            if len(last) == TURNS:
                branch.numbers["cycle_change"] = 100 * (max(last) / min(last) - 1)

    def _follow(self, branch: Branch, start: float) -> None:
        """Go on after the last stimulus, at `start` ms, until the branch is decided. S1 alone is followed for as long as re-entry
        has to last, so that a pacemaker is found."""
        enough = start + self.sustained
        most = 2 * enough - start
        found, end, looks = Findings(), start, 0
        while end < most:
            looks += 1
            end = min(start + LOOK_EVERY * looks, most)
            self._go_on(found, len(branch.intervals), start, end)
            self._find_turn(found, start)
            if found.quiet and (branch.intervals or not found.captured or end >= enough):
                break
            lost = found.last >= enough or not found.captured
            if not found.quiet and end >= enough and lost:
                break
        self._measure(branch, found, start)
        self._classify(branch, found, enough)

    def step(self, branch: Branch, s1: Stimulus, extra: int, anchor: float) -> None:
        """Step a branch, whose first `extra` intervals are the trunk's; `anchor`: ms before its first other stimulus at which to
        leave a copy."""
        self.grow(branch.site, s1, branch.intervals, extra)
        start = self._start
        if extra == len(branch.intervals):
            self._return_to(start)
        for k in range(extra, len(branch.intervals)):
            start += branch.intervals[k]
            if k == extra:
                self._return_to(start, start - anchor)
            else:
                self._go_to(start)
            self._move(k, start)
        self._follow(branch, start)

    def captures(self, n: int, interval: float, low: float) -> bool:
        """Whether stimulus n captures at that interval after the trunk's. A copy is left at `low` ms, an interval that does not."""
        start = self._start + interval
        enough, found, looks = start + self.sustained, Findings(), 0
        self._return_to(start, self._start + low)
        self._move(n - 1, start)
        while not found.quiet and not found.captured and start + LOOK_EVERY * looks < enough:
            looks += 1
            self._go_on(found, n, start, start + LOOK_EVERY * looks)
        return found.captured

    def has_failed(self) -> bool:
        """The last steps ended by what the tissue or its numbers did, and not the machine."""
        try:
            return self.sim.waves["failure"] in ("voltage", "sweeps")
        except RunError:
            return False
