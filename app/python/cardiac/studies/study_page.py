"""Pages of tables: curves of a sweep against its keys, outcomes of `induce` by site and S2, changes and bars of `converge`."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from .. import plot, report
from ..result import Array
from ..text import escape
from . import table
from .branches import ACTIVE, FAILED, NO_CAPTURE, NON_SUSTAINED, OUTCOMES, QUIET, SUSTAINED
from .comparison import NAMES

Rows = Sequence[table.Row]
LAST = ", last beat"
UNDRAWN = ("time", "pulses", "captured", "first_activation", "last_activation", "sweeps", "message")
FIRST = ("QT", "APD90")  # drawn and listed before other results
SERIES = 10  # lines of a figure; of more there are dots alone
STYLES = ("-", "--", ":", "-.")
COLORS = {NO_CAPTURE: "#d5d9de", QUIET: "#4c72b0", NON_SUSTAINED: "#e69500", SUSTAINED: "#b00020"}
COLORS.update({ACTIVE: "#7b4fa3", FAILED: "#222222"})
RANKS = (FAILED, *(name for name in OUTCOMES if name != FAILED))  # a failed branch hides no other


# ---- a sweep ----


class Axis:
    """A swept key: its values as numbers where all have one unit, else one after the other.

    Examples
    --------
    >>> axis = Axis("time.step", ["0.1 ms", "0.05 ms"])
    >>> axis.label, axis.values.tolist()
    ('time.step, ms', [0.1, 0.05])
    """

    def __init__(self, key: str, cells: Sequence[str]) -> None:
        found = [
            re.fullmatch(r"(x?)([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?) *(.*)", cell)
            for cell in cells
        ]
        units = {(of[1], of[3]) for of in found if of}
        self.names: List[str] = []
        self.values = np.full(len(cells), math.nan)
        if len(units) == 1 and all(of or not cell for of, cell in zip(found, cells)):
            factor, unit = units.pop()
            self.label = key + (", factor" if factor else ", " + unit if unit else "")
            self.values[:] = [float(of[2]) if of else math.nan for of in found]
        else:
            self.label, self.names = key, list(dict.fromkeys(cell for cell in cells if cell))
            self.values[:] = [self.names.index(cell) if cell else math.nan for cell in cells]

    @property
    def count(self) -> int:
        return len(np.unique(self.values[np.isfinite(self.values)]))


def _series(keys: Sequence[str], rows: Rows, of: int) -> List[Tuple[str, List[int]]]:
    """Rows with the same values of all other keys, and these values, named by the last parts of their keys where these differ."""
    short = [key.rpartition(".")[2] for key in keys]
    names = short if len(set(short)) == len(keys) else keys
    found: Dict[str, List[int]] = {}
    for k, row in enumerate(rows):
        others = ["%s %s" % (names[c], row[c]) for c in range(len(keys)) if c != of and row[c]]
        found.setdefault(", ".join(others), []).append(k)
    return list(found.items())


def curve(
    axis: Axis, series: Sequence[Tuple[str, List[int]]], what: str, columns: Dict[str, Array]
) -> Figure:
    """`columns`: of each region or probe."""
    figure = Figure((5, 3.4), layout="constrained")
    ax, palette, alone = figure.subplots(), colormaps["tab10"], len(columns) == 1
    few = len(series) <= (SERIES if alone else len(STYLES)) and len(columns) <= SERIES
    for n, (others, own) in enumerate(series):
        for m, (part, column) in enumerate(columns.items()):
            order = [own[k] for k in np.argsort(axis.values[own], kind="stable")]
            label = ", ".join(filter(None, (part, others)))
            style = "" if not few else "-" if alone else STYLES[n]
            ax.plot(
                axis.values[order],
                column[order],
                label=plot.plain(label) if few and label else None,
                marker="o" if few else ".",
                linestyle=style,
                markersize=4,
                linewidth=1.2,
                color=palette((n if alone else m) % 10),
            )
    if axis.names:
        ax.set_xticks(
            range(len(axis.names)),
            [plot.plain(name) for name in axis.names],
            rotation=30,
            ha="right",
        )
    known = axis.values[np.isfinite(axis.values)]
    if not axis.names and known.min() > 0 and known.max() > 30 * known.min():
        ax.set_xscale("log")
    plot.widen(ax)
    ax.set_xlabel(plot.plain(axis.label))
    ax.set_ylabel(plot.plain(what))
    ax.grid(color=plot.GRID, linewidth=0.6)
    if few and ax.get_legend_handles_labels()[1]:
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=7)
    return figure


def _groups(path: Path, names: Sequence[str], rows: Rows) -> Dict[str, Dict[str, Array]]:
    """Columns of results that have values, those of all regions or probes together; the last beat's where they differ from the first's."""
    groups: Dict[str, Dict[str, Array]] = {}
    for c, name in enumerate(names):
        found = re.fullmatch(r"(\w+?)(?:\[(.*)\])?(?: \((.*)\))?", name)
        if found and found[1] not in UNDRAWN:
            column = np.array([table.read_number(str(path), row[c]) for row in rows])
            if np.isfinite(column).any():
                stem, part, unit = found[1], found[2] or "", ", " + found[3] if found[3] else ""
                name = re.sub("_(first|last)$", "", stem)
                words = NAMES[name] if name in NAMES and name != "activation" else name
                groups.setdefault(words + LAST * stem.endswith("_last") + unit, {})[
                    "region " * part.isdigit() + part
                ] = column
    for words in [words for words in groups if LAST in words]:
        first = groups.get(words.replace(LAST, ""), {})
        if all(
            part in first and np.array_equal(first[part], of, equal_nan=True)
            for part, of in groups[words].items()
        ):
            del groups[words]
    return dict(sorted(groups.items(), key=lambda group: not group[0].startswith(FIRST)))


def _listed(names: Sequence[str], rows: Rows, keys: int) -> List[str]:
    """The table of runs: the keys, QT and APD90, then what differs between runs; a sentence for what does not. Messages, which are long, are
    a list of their own."""
    head = [names[0], *names[2:]]
    rows = [[row[0], *row[2:]] for row in rows]
    order = sorted(range(keys + 1, len(head)), key=lambda c: not head[c].upper().startswith(FIRST))
    said: Dict[str, List[str]] = {}
    for row in rows:
        said.setdefault(row[head.index("message")], []).append(row[0])
    order.remove(head.index("message"))
    same = [c for c in order if len(rows) > 1 and len({row[c] for row in rows}) == 1]
    shown = [*range(keys + 1), *[c for c in order if c not in same]]
    equal = ["%s %s" % (head[c], rows[0][c]) for c in same if rows[0][c]]
    return ["<p>Equal in all runs: %s.</p>" % escape("; ".join(equal))] * bool(equal) + [
        report.table([[row[c] for c in shown] for row in rows], [head[c] for c in shown]),
        *(
            "<p>Run%s %s: %s</p>" % ("s" * (len(runs) > 1), ", ".join(runs), escape(text))
            for text, runs in said.items()
            if text
        ),
    ]


def sweep(path: Path, names: Sequence[str], rows: Rows) -> List[str]:
    """The parts of the page of a sweep, whose table has these columns and rows."""
    end = names.index("status")
    keys, good = names[2:end], [row for row in rows if row[end] == "0"]
    axes = [Axis(key, [row[2 + k] for row in good]) for k, key in enumerate(keys)]
    groups, parts = _groups(path, names[end + 1 :], [row[end + 1 :] for row in good]), []
    failed, warned = len(rows) - len(good), any(row[-1] for row in rows)
    said = "%d runs" % len(rows) + (
        ", %d of them failed and are not drawn." % failed if failed else "."
    )
    same = [
        words
        for words, columns in groups.items()
        if all(np.ptp(column) == 0 for column in columns.values())
    ]
    shared = rows[0][-1] if len(rows) > 1 and len({row[-1] for row in rows}) == 1 else ""
    if shared:
        said += " In all %d rows: %s" % (len(rows), shared)
        rows = [[*row[:-1], table.Cell("")] for row in rows]
    for k, axis in enumerate(axes):
        if axis.count > 1:
            left = int(np.isnan(axis.values).sum())
            series = _series(keys, [row[2:end] for row in good], k)
            figures = [
                report.image(
                    curve(axis, series, words, columns),
                    vector=True,
                    seen="%s against %s" % (words, keys[k]),
                )
                for words, columns in groups.items()
                if words not in same
            ]
            parts += ["<h2>%s</h2>" % escape(keys[k]), report.beside(figures, "beside")]
            parts += [
                "<p>%d runs have the value of the config, and are not drawn.</p>" % left
            ] * bool(left)
    kind = "bad" if failed else "look" if warned else ""
    return [
        '<div class="verdict %s"><p>%s</p></div>' % (kind, escape(said)),
        *parts,
        "<h2>Runs</h2>",
        *_listed(names, rows, len(keys)),
    ]


# ---- an induction ----


def outcomes(branches: Sequence[Tuple[str, Sequence[float], str]]) -> Figure:
    """`branches`: site, intervals and outcome of each. The worst outcome of those that begin with an S2, at each site; S3 and later are
    named where that took more stimuli. Short intervals, which induce re-entry, come first: a narrow screen shows the left of it.
    """
    branches = [branch for branch in branches if branch[1]]
    sites, intervals = list(dict.fromkeys(b[0] for b in branches)), sorted(
        {b[1][0] for b in branches}
    )
    level = np.full((len(sites), len(intervals)), math.nan)
    most = {}
    for site, own, outcome in sorted(branches, key=lambda b: len(b[1])):
        at = sites.index(site), intervals.index(own[0])
        if not RANKS.index(outcome) <= level[at]:
            level[at], most[at] = RANKS.index(outcome), len(own)
    figure = Figure(
        (max(7.0, 2.4 + 0.42 * len(intervals)), 1.3 + 0.26 * len(sites)), layout="constrained"
    )
    ax = figure.subplots()
    norm = BoundaryNorm(np.arange(len(RANKS) + 1) - 0.5, len(RANKS))
    ax.imshow(
        level, cmap=ListedColormap([COLORS[name] for name in RANKS]), norm=norm, aspect="auto"
    )
    for (row, column), count in most.items():
        if count > 1:
            ax.text(
                column,
                row,
                "S%d" % (count + 1),
                ha="center",
                va="center",
                fontsize=7,
                color="white",
            )
    ax.set_yticks(range(len(sites)), [plot.plain(site) for site in sites], fontsize=8)
    every = range(0, len(intervals), 1 + len(intervals) // 40)
    ax.set_xticks(list(every), ["%g" % intervals[k] for k in every], fontsize=8)
    ax.set_xticks(np.arange(len(intervals)) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(sites)) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1)
    ax.tick_params(which="both", length=0)
    ax.set_xlabel("S2 after the last S1, ms")
    shown = [name for k, name in enumerate(RANKS) if (level == k).any()]
    ax.legend(
        handles=[Patch(color=COLORS[name], label=name) for name in shown],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=3,
        frameon=False,
        fontsize=8,
    )
    for side in ax.spines.values():
        side.set_visible(False)
    return figure


def draw_outcomes(branches: Sequence[Tuple[str, Sequence[float], str]]) -> List[str]:
    """The figure of `outcomes` for a page, if a branch has extra stimuli."""
    tested = {(site, intervals[0]) for site, intervals, _ in branches if intervals}
    if not tested:
        return []
    figure = outcomes(branches)
    ax = figure.axes[0]
    seen = "Outcome of each S2 at each site."
    if ax.texts:
        seen += " S3 and later: the stimulus that led to it, where S2 alone did not."
    if len(tested) < len({site for site, _ in tested}) * len({s2 for _, s2 in tested}):
        seen += " White: not tested."
    return [report.beside([report.image(figure, seen, kind="wide", vector=True)])]


def induction(path: Path, names: Sequence[str], rows: Rows) -> List[str]:
    """The parts of the page of an induction, whose table has these columns and rows."""
    site, at, outcome, lesion = (
        names.index(name) for name in ("site", "intervals (ms)", "outcome", "lesion")
    )
    parts = []
    for row in rows:
        if row[outcome] not in RANKS:
            table.refuse(str(path), row[outcome], "'%.40s' is no outcome" % row[outcome])
    for name in dict.fromkeys(row[lesion] for row in rows):
        own = [
            (row[site], table.read_numbers(str(path), row[at]), row[outcome])
            for row in rows
            if row[lesion] == name
        ]
        parts += [
            "<h2>%s</h2>" % escape("With lesion " + name if name else "Outcomes"),
            *draw_outcomes(own),
        ]
    return parts


# ---- a convergence ----


def changes(found: Sequence[Tuple[str, Dict[str, float], float, float]]) -> Figure:
    """Of each quantity, in % of this run's value: the change of each kind (NaN: not compared), the limit and its bar (NaN: none)."""
    figure = Figure((7, 1.2 + 0.3 * len(found)), layout="constrained")
    ax, palette = figure.subplots(), colormaps["tab10"]
    y = list(range(len(found)))
    for k, kind in enumerate(dict.fromkeys(kind for _, of, _, _ in found for kind in of)):
        ax.plot(
            [of.get(kind, math.nan) for _, of, _, _ in found],
            y,
            "os^Dv"[k % 5],
            color=palette(k),
            markersize=5,
            label=kind,
        )
    known = [k for k in y if math.isfinite(found[k][2])]
    if known:
        ax.errorbar(
            [found[k][2] for k in known],
            known,
            xerr=[found[k][3] for k in known],
            fmt="|",
            color="#111111",
            capsize=4,
            label="limit, with its bar",
        )
    ax.axvline(0, color="#111111", linewidth=0.8)
    ax.set_xlim(plot.at_least(*ax.get_xlim(), 100 * plot.SPAN))
    ax.set_yticks(y, [plot.plain(name) for name, _, _, _ in found], fontsize=8)
    ax.set_ylim(len(found) - 0.5, -0.5)
    ax.set_xlabel("change from this run, %")
    ax.grid(axis="x", color=plot.GRID, linewidth=0.6)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=5, frameon=False, fontsize=8)
    return figure


def converge_page(
    name: str, found: Sequence[Tuple[str, Dict[str, float], float, float]], text: str
) -> str:
    """The page of a convergence; `text`: as it is printed."""
    head = "%s: convergence" % name
    drawn = (
        [
            report.beside(
                [
                    report.image(
                        changes(found),
                        vector=True,
                        kind="wide",
                        seen="Changes of each quantity, as listed below",
                    )
                ]
            )
        ]
        if found
        else []
    )
    return report.document(
        head, ["<h1>%s</h1>" % escape(head), *drawn, "<pre>%s</pre>" % escape(text)]
    )
