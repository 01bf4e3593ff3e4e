"""The page of `cardiac induce`: from where re-entry is sustained, what each one looks like, and which lesions prevent it."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure

from .. import plot
from ..report import beside, document, image, table
from ..result import Array, Result, read, split_units
from ..text import escape
from .branches import FAILED, NON_SUSTAINED, OUTCOMES, SUSTAINED, Branch
from .study_page import draw_outcomes

LASTING = "Re-entry is sustained if it goes on for %s after the last stimulus."
S2 = "S2 %g ms means that S2 came %g ms after the last S1; S3 is counted from S2."
OF_LEADS = "Leads begin where that time has passed."
OF_TURNS = "Maps of a turn show when each place was activated in it: the wave runs from dark to bright, and turns where all colours meet."
OF_TIPS = "White circles are tips, the inner ends of waves that turn freely."
OF_GREY = "Grey was not activated in that turn: scar, refractory or resting tissue."
ALIKE = 0.02  # of a cycle length: turns that need no word
RESTING = 0.02  # of what a lead has shown since the stimulus


@dataclass
class Core:
    """The core of the wave."""

    text: str
    tips: Array  # (rows, 3) mm, of the tips that last a turn


class Table:
    """The leads in the form that plot.ecg expects of a result."""

    summary: Dict[str, object] = {}

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            self.names, units = split_units(file.readline().strip().split(",")[1:])
        rows = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
        self.rows = rows[:, 0] - rows[0, 0], self.names, list(units.values()), rows[:, 1:]

    def table(self, _: str) -> Tuple[Array, List[str], List[str], Array]:
        return self.rows


def rate(cycle: float) -> str:
    """A cycle length, ms, and its rate.

    >>> rate(150)
    '150 ms (400 per minute)'
    """
    return "%.0f ms (%.0f per minute)" % (cycle, 60000 / cycle) if math.isfinite(cycle) else ""


def protocol(intervals: Sequence[float]) -> str:
    """The extra stimuli of a branch, ms.

    >>> protocol([110, 90])
    'S2 110, S3 90 ms'
    """
    return (
        ", ".join("S%d %g" % (k, x) for k, x in enumerate(intervals, 2)) + " ms"
        if intervals
        else "S1 alone"
    )


def name_position(result: Result, position: Sequence[float], segments: Sequence[str]) -> str:
    """Its segment, or where it is in the mesh."""
    if "aha" not in result.maps:
        return "(%.0f, %.0f, %.0f) mm" % tuple(position)
    label = int(result.maps["aha"][result.node(position)])
    return "segment %d, %s" % (label, segments[label - 1]) if label else "in the right ventricle"


def has_ended(leads: Table, cycle: float) -> bool:
    """Whether all leads are at rest in their last cycle."""
    times, _, _, values = leads.rows
    last = values[times >= times[-1] - cycle]
    return bool((np.ptp(last, axis=0) <= RESTING * np.ptp(values, axis=0)).all())


def find_core(path: str, cycle: float, result: Result, segments: Sequence[str]) -> Core:
    """Of the tracks of tips.csv that last a turn; in no segment: near the first place that the wave reached again."""
    none = np.empty((0, 3))
    if not os.path.exists(path):
        return Core("unknown: the mesh has no surface", none)
    with open(path, encoding="utf-8") as file:
        rows = np.array([line.split(",") for line in file.readlines()[1:]], float).reshape(-1, 6)
    tracks = (rows[rows[:, 1] == k] for k in np.unique(rows[:, 1]))
    kept = [own for own in tracks if np.ptp(own[:, 0]) >= 0.9 * cycle]
    if not kept:
        return Core(
            "no tip on the surface lasts a turn: the wave turns around tissue that does not conduct"
            + ", or within the wall" * (result.cells.shape[1] == 4),
            none,
        )
    tips = np.concatenate(kept)[:, 2:5]
    longest = max(kept, key=len)[:, 2:5]
    position = [float(x) for x in longest.mean(0)]
    text = "%d tip%s on the surface; the longest within %.0f mm of one place: %s" % (
        len(kept),
        "s" * (len(kept) > 1),
        np.linalg.norm(longest - longest.mean(0), axis=1).max(),
        name_position(result, position, segments),
    )
    return Core(text, tips)


def draw_turn(result: Result, core: Core) -> Figure:
    """The activation map of the last turn, with the tips that can be seen."""
    figure = plot.map(result, "last_turn", width=7)
    if not len(core.tips):
        return figure
    faces = plot.surface_of(result)
    normals = plot.node_normals(result.points.astype(float), faces)
    near = np.array([result.node(tip) for tip in core.tips], int)
    for ax, view in zip(figure.axes, plot.views(result)):
        axes = np.eye(3) if plot.is_flat(result) else plot._axes(view)
        seen = (
            normals[near] @ axes[2] > 0
            if len(near) and not plot.is_flat(result)
            else np.ones(len(near), bool)
        )
        at = core.tips[seen] @ axes.T
        ax.plot(
            at[:, 0],
            at[:, 1],
            "o",
            color="none",
            markeredgecolor="white",
            markersize=5,
            markeredgewidth=1,
        )
    return figure


def _describe_turn(result: Result, cycle: float) -> str:
    """How long the turn of the map `last_turn` lasted, where that is not the cycle length of the branch."""
    again = np.where(
        np.isfinite(result.maps["cycle_length"]), result.maps["activation_time"], -np.inf
    )
    turn = float(result.maps["cycle_length"][int(np.argmax(again))])
    said = "Activation in the last turn, ms"
    if abs(turn - cycle) > ALIKE * cycle:
        said += ". It took %.0f ms where it ended; the cycle length, %.0f ms, is the median of all places"
        said %= (turn, cycle)
    return said


def _reentry(
    branch: Branch, path: str, name: str, segments: Sequence[str]
) -> Tuple[List[str], List[str]]:
    """Its part of the page, and how to read it."""
    stem, result = os.path.splitext(path)[0], read(path)
    cycle = branch.numbers["cycle_length"]
    core = find_core(stem + "-tips.csv", cycle, result, segments)
    lesion = ", with lesion %s" % branch.lesion if branch.lesion else ""
    parts, reading = ["<h2>%s%s</h2>" % (escape(name), escape(lesion))], []
    where = tuple(branch.numbers[k] for k in ("earliest_x", "earliest_y", "earliest_z"))
    leads = Table(stem + "-ecg.csv") if os.path.exists(stem + "-ecg.csv") else None
    facts = [
        ("stimuli", protocol(branch.intervals)),
        (
            "cycle length",
            (
                "%s; %.0f per minute" % (branch.cycle_text(), 60000 / cycle)
                if math.isfinite(cycle)
                else ""
            ),
        ),
        ("core", core.text),
        ("came back first", name_position(result, where, segments)),
    ]
    if leads and has_ended(leads, cycle):
        facts.append(("later", "it ended by itself: the leads are at rest"))
    parts.append(table([*facts, ("file", os.path.basename(path))], kind="facts"))
    if leads:
        reading.append(OF_LEADS)
        parts.append(beside([image(plot.ecg(leads, ahead=0), "Leads during the turns that follow", kind="wide")]))  # type: ignore[arg-type]
    if "last_turn" in result.maps:
        reading += [OF_TURNS, *[OF_TIPS] * bool(len(core.tips)), OF_GREY]
        parts.append(beside([image(draw_turn(result, core), _describe_turn(result, cycle))]))
    return parts, reading


def page(
    config_title: str,
    lasting: str,
    sites: Sequence[str],
    lesions: Sequence[str],
    branches: Sequence[Branch],
    maps: Dict[int, str],
    vulnerability: str,
    segments: Sequence[str],
) -> str:
    """The page of a study.

    Parameters
    ----------
    config_title, lasting : str
        The config's title, and how long re-entry lasts that is sustained, "500 ms".
    sites, lesions : sequence of str
        Their names.
    branches : sequence of Branch
    maps : dict
        Files of branches, by their number.
    vulnerability : str
        The file of the sites.
    segments : sequence of str
        Names of the segments of the left ventricle.
    """

    def of(site: int, lesion: str) -> List[int]:
        return [k for k, b in enumerate(branches) if b.site == site and b.lesion == lesion]

    def worst(site: int, lesion: str) -> Optional[Branch]:
        own = [branches[k] for k in of(site, lesion) if branches[k].outcome in OUTCOMES[:5]]
        return max(own, key=lambda b: OUTCOMES.index(b.outcome), default=None)

    tested = [k for k in range(len(sites)) if of(k, "")]
    sustained = [k for k in tested if (worst(k, "") or branches[0]).outcome == SUSTAINED]
    said = "Sites with sustained re-entry: %d of %d." % (len(sustained), len(tested))
    rows, head = [], [
        "site",
        "outcome",
        "stimuli",
        "cycle length",
        *("with lesion " + name for name in lesions),
    ]
    for k in tested:
        first = worst(k, "")
        shown = first is not None and first.outcome in (SUSTAINED, NON_SUSTAINED)
        after = [worst(k, name) for name in lesions]
        rows.append(
            [
                sites[k],
                first.outcome if first else "failed",
                protocol(first.intervals) if first and shown else "",
                rate(first.numbers["cycle_length"]) if first and shown else "",
                *(b.outcome if b else "" for b in after),
            ]
        )
    for name in lesions:
        ends = [worst(k, name) for k in sustained]
        prevented = sum(b is not None and b.outcome != SUSTAINED for b in ends)
        said += " Lesion %s prevents it from %d of these %d." % (name, prevented, len(sustained))
    failed = sum(b.outcome == FAILED for b in branches)
    said += " %d of %d branches failed." % (failed, len(branches)) if failed else ""
    parts = [
        "<h1>%s: can re-entry be induced?</h1>" % escape(config_title),
        '<div class="verdict %s"><p>%s</p></div>'
        % ("bad" if sustained else "look" if failed else "", escape(said)),
        _text_table(rows, head),
        *draw_outcomes([(sites[b.site], b.intervals, b.outcome) for b in branches if not b.lesion]),
    ]
    intervals = [b.intervals[0] for k in sustained for b in [worst(k, "")] if b]
    intervals += [b.intervals[0] for b in branches if b.intervals]
    reading = [LASTING % lasting, *[S2 % (s2, s2) for s2 in intervals[:1]]]
    reentries: List[str] = []
    for lesion in ("", *lesions):
        for k in sustained:
            induced = [n for n in of(k, lesion) if branches[n].outcome == SUSTAINED and n in maps]
            if induced:
                own, how = _reentry(branches[induced[0]], maps[induced[0]], sites[k], segments)
                reentries += own
                reading += how
    parts.append("<p>%s</p>" % escape(" ".join(dict.fromkeys(reading))))
    result = read(vulnerability)
    if np.isfinite(result.maps["vulnerability"]).any() and result.cells.shape[1] > 2:
        parts.append(
            beside(
                [
                    image(
                        _vulnerability(result),
                        "Sites: red sustained, orange not sustained, blue none; grey: no site",
                    )
                ]
            )
        )
    return document(config_title, parts + reentries)


def _vulnerability(result: Result) -> Figure:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap

    color = ScalarMappable(
        BoundaryNorm([-0.5, 0.5, 1.5, 2.5], 3), ListedColormap(["#4c72b0", "#e69500", "#b00020"])
    )
    return plot.map(result, "vulnerability", width=7, color=color, bar=False)  # the caption says it


def _text_table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    cells = ["<tr>%s</tr>" % "".join("<th>%s</th>" % escape(name) for name in head)]
    cells += ["<tr>%s</tr>" % "".join("<td>%s</td>" % escape(text) for text in row) for row in rows]
    return '<div class="scroll"><table>%s</table></div>' % "".join(cells)
