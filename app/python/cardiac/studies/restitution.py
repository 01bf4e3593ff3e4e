"""`cardiac restitution`: action potentials and speeds of a tissue after shorter and shorter intervals. S1 is stepped once: at each
interval the tissue is copied, S2 is followed, and the copy put back."""

from __future__ import annotations

import argparse
import math
import os
from typing import TYPE_CHECKING, Any, List, NamedTuple

from ..own_file import claim, write_own
from ..program import InputError, RunError
from ..text import time_text
from .paced import Paced, check_output, number_of, read_time
from .study import Watch
from .table import format_cell, number

if TYPE_CHECKING:
    from ..arrays import Array
    from ..simulation import Simulation

FOLLOW_MOST, LOOK_EVERY = 1000, 10  # ms
INTERVALS_MOST = 10000
NAMES = "S2 (ms),probe,activation (ms),DI (ms),APD90 (ms),CV (m/s),captured\n"


class Response(NamedTuple):
    """Of S2 at a probe, ms and m/s; NaN: it did not come, or not within a second."""

    activation: float
    rested: float
    apd90: float
    velocity: float


def read_steps(time: float, step: float) -> int:
    """The whole steps of a time; InputError where it lies between two. Both in ms.

    >>> read_steps(5.0, 0.1)
    50
    """
    count, whole = time / step, round(time / step)
    if abs(count - whole) > 1e-6:
        nearest = "the nearest is %.12g ms" % (whole * step)
        text = "--s2: %g ms is not a multiple of the step (%g ms); %s" % (time, step, nearest)
        raise InputError(text, 2)
    return whole


def read_intervals(text: str, step: float, shortest: float) -> List[float]:
    """The intervals of --s2.

    Parameters
    ----------
    text : str
        FROM:TO:BY
    step, shortest : float
        ms: intervals are multiples of one and no shorter than the other.

    Returns
    -------
    list of float
        ms, each as the decimal that a config would have.

    Raises
    ------
    InputError
        With what would be right.

    Examples
    --------
    >>> read_intervals("300:280:10ms", 0.1, 2.0)
    [300.0, 290.0, 280.0]
    """
    parts = text.split(":")
    if len(parts) != 3:
        raise InputError("--s2: '%.60s' is not FROM:TO:BY, such as 500:250:10ms" % text, 2)
    first, last, by = (read_steps(read_time("--s2", part), step) for part in parts)
    if by < 1:
        raise InputError("--s2: the increment must be at least one step, %g ms" % step, 2)
    least = min(first, last) * step
    if least < shortest:
        raise InputError("--s2: %g ms is shorter than the stimulus (%g ms)" % (least, shortest), 2)
    count = abs(first - last) // by + 1
    if count > INTERVALS_MOST:
        raise InputError("--s2: more than %d intervals" % INTERVALS_MOST, 2)
    sign = -1 if last < first else 1
    return [float("%.12g" % ((first + sign * k * by) * step)) for k in range(count)]


class Responses:
    """A tissue on its way through the intervals.

    Parameters
    ----------
    paced : Paced
    sim : Simulation
        With one extra stimulus, S2.
    """

    def __init__(self, paced: Paced, sim: Simulation) -> None:
        self.paced, self.sim, self.s2 = paced, sim, paced.pulses
        points = paced.config["output"]["probes"].values()
        self.probes = [sim.node([number_of(x) for x in point]) for point in points]
        self.last = float(sim.waves["stimuli"][0]["pulses"][paced.pulses - 1])

    def _check_room(self, s2: float) -> None:
        """Checks that each node has room for the beat of S2."""
        last = self.sim["activation_time"][:, -1]
        full = (last == last).nonzero()[0]
        if full.size:
            text = "%s: node %d is activated more than %d times before S2 at %.10g ms, the number of S1 pulses: "
            text %= (self.paced.path, full[0], self.paced.pulses, s2)
            raise RunError(text + "something other than S1 activates the tissue", 3)

    def _beat(self, times: Array, node: int) -> int:
        """The beat of a node that the wave of S2 began."""
        return int((self.sim["activation_time"][node] == times[node]).nonzero()[0][0])

    def _is_over(self) -> bool:
        """The tissue is at rest, and every probe that the wave of S2 came to has repolarised."""
        if self.sim.waves["excited"]:
            return False
        times, apd90 = self.sim["wave/%s/%d" % (self.paced.name, self.s2)], self.sim["apd90"]
        reached = [node for node in self.probes if not math.isnan(times[node])]
        return not any(math.isnan(apd90[node, self._beat(times, node)]) for node in reached)

    def _measure(self, s2: float) -> List[Response]:
        times = self.sim["wave/%s/%d" % (self.paced.name, self.s2)]
        velocity = self.sim["velocity/%s/%d" % (self.paced.name, self.s2)]
        apd90, rested = self.sim["apd90"], self.sim["diastolic_interval"]
        row = [Response(*[math.nan] * 4) for _ in self.probes]
        for k, node in enumerate(self.probes):
            if not math.isnan(times[node]):
                at = node, self._beat(times, node)
                row[k] = Response(times[node] - s2, rested[at], apd90[at], velocity[node])
        return row

    def respond(self, interval: float) -> List[Response]:
        """The response to S2 at each probe."""
        s2 = self.last + interval
        self.paced.advance(self.sim, s2)
        self.sim.waves
        self._check_room(s2)
        state = self.sim.copy()
        self.sim.move(self.paced.name, s2, self.s2)
        begin, end, looks, over = s2 + self.paced.duration, s2 + FOLLOW_MOST, 0, False
        while not over and begin + LOOK_EVERY * looks < end:
            looks += 1
            self.paced.advance(self.sim, min(begin + LOOK_EVERY * looks, end))
            over = self._is_over()
        row = self._measure(s2)
        self.sim.restore(state)
        return row


def format_rows(interval: float, names: List[str], row: List[Response]) -> str:
    r"""The rows of an interval: one for each probe, by name.

    >>> format_rows(300, ["far"], [Response(12.5, 80, 200, 0.5)])
    '300,far,12.5,80,200,0.5,yes\n'
    """
    return "".join(
        "%s,%s,%s,%s\n"
        % (
            number(interval),
            format_cell(name),
            ",".join(number(value, 10) for value in response),
            "no" if math.isnan(response.activation) else "yes",
        )
        for name, response in zip(names, row)
    )


def run(given: argparse.Namespace) -> str:
    """The table; "" where it is written to --output."""
    if given.s2 is None:
        raise InputError("--s2 is missing, such as --s2 500:250:10ms", 2)
    paced = Paced(
        given, ["output.fields=[]", "output.every=1e9 ms"], 1
    )  # no frames, at a multiple of every step
    probes: Any = paced.config["output"].get("probes")
    if not probes:
        text = "%s: output.probes is missing: S2 responses are measured at probes"
        raise InputError(text % given.config, 2)
    intervals = read_intervals(given.s2, paced.step, paced.duration)
    if given.output:
        claim(given.output, NAMES.encode(), "choose another --output")
        check_output(given.output, given.config, paced.config)
        folder = os.path.dirname(given.output) or "."
        if not os.access(folder, os.W_OK):  # before the work
            raise InputError(
                "%s: the folder %s is not there, or cannot be written" % (given.output, folder), 2
            )
    ordered = sorted(intervals)
    own = {
        "activation.beats": paced.pulses + 1,
        "output.maps": ["apd90", "diastolic_interval"],
    }
    with Watch("setting up the tissue") as watch, paced.open(**own) as sim:
        study, rows = Responses(paced, sim), {}
        for k in ordered:
            watch.now("S2 after %s ms" % time_text(k))
            rows[k] = study.respond(k)
    text = NAMES + "".join(format_rows(k, list(probes), rows[k]) for k in intervals)
    if not given.output:
        return text
    write_own(given.output, text, NAMES)
    return ""
