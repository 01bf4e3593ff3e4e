"""Records a re-entry: a few turns after the end of a branch of `cardiac induce`, with leads and tips."""

from __future__ import annotations

import math
import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ..arrays import Array
from ..mesh import surface
from ..own_file import write_own
from ..simulation import Simulation
from ..tips import find, table
from .branches import Branch, Tree
from .table import ELSEWHERE

TURNS, FRAMES = 3.0, 32  # so many, of so many frames each
SHORTEST, LONGEST = 600.0, 2000.0  # ms of all turns
LEADS_EVERY = 2.0  # ms


def stem_of(path: str) -> str:
    """The name of a branch's file without its ending.

    >>> stem_of("out/site-1-110.vtkhdf")
    'out/site-1-110'
    """
    return os.path.splitext(path)[0]


def last_turn(latest: Array, cycle: Array) -> Array:
    """ms since the last turn began, which is one whole turn: the last cycle of the node activated last of all that have one. NaN where a
    node was not activated in it."""
    again = np.where(np.isfinite(cycle), latest, -np.inf)
    last = int(np.argmax(again))
    since: Array = latest - (latest[last] - cycle[last])
    since[~(since >= 0)] = np.nan
    return since


MARK = "time (ms),"  # how the tables beside the maps begin


class Recorder:
    """Writes the maps, leads and tips of re-entry of the tissue of a tree, beside each other."""

    def __init__(self, sim: Simulation, labels: Optional[Array]) -> None:
        self.sim, self.labels = sim, labels
        faces = surface(sim.cells)
        self.faces = faces if len(faces) and faces.shape[1] == 3 else np.empty((0, 3), int)
        self.nodes, own = np.unique(self.faces, return_inverse=True)
        self.own, self.points = own.reshape(-1, 3), sim.points[self.nodes]

    def write_maps(self, path: str) -> None:
        latest, cycle = self.sim["last_activation"], self.sim["last_cycle"]
        fields: Dict[str, Tuple[Array, str]] = {
            "activation_time": (latest, "ms"),
            "cycle_length": (cycle, "ms"),
        }
        if np.isfinite(cycle).any():
            fields["last_turn"] = (last_turn(latest, cycle), "ms")
        if self.labels is not None:
            fields["aha"] = (self.labels, "1")
        self.sim.write(path, fields)

    def follow(self, tree: Tree, branch: Branch, path: str) -> None:
        """Some more turns, from the end of the branch."""
        cycle = branch.numbers["cycle_length"]
        sim, begin, step = self.sim, self.sim.time, max(self.sim.step, tree.paced.step)
        length = float(np.clip(TURNS * cycle, SHORTEST, LONGEST))
        each = max(1, round(LEADS_EVERY / step))
        frame = each * max(1, round(cycle / FRAMES / (each * step)))
        names: List[str] = sim.fields.get("leads", {}).get("names", [])
        times: List[float] = []
        leads: List[Any] = []
        frames: List[float] = []
        values: List[Array] = []
        for k in range(0, math.floor(length / step), each):
            tree.go_on(begin + k * step)
            if names:
                times.append(sim.time)
                leads.append(sim["leads"])
            if k % frame == 0 and len(self.faces):
                frames.append(sim.time)
                values.append(sim["V"][self.nodes])
        if names:
            rows = [
                "%.10g,%s\n" % (t, ",".join("%.8g" % x for x in row))
                for t, row in zip(times, leads)
            ]
            text = "time (ms),%s\n" % ",".join("%s (mV)" % n for n in names) + "".join(rows)
            write_own(stem_of(path) + "-ecg.csv", text, MARK, ELSEWHERE)
        if len(frames) > 4:
            found = find(self.points, self.own, np.array(frames), np.stack(values), cycle / 4)
            write_own(stem_of(path) + "-tips.csv", table(found), MARK, ELSEWHERE)
