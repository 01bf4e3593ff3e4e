"""The page of `cardiac cell`: its beats, V, currents and gates over the last one, and restitution."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import numpy as np

from .. import plot, report
from ..program import InputError
from ..result import Array, split_units
from ..text import escape, time_text
from . import table
from .study_page import Axis, curve

TRACE, S2 = ["t (ms)", "V (mV)"], ["S2 (ms)", "DI (ms)", "APD90 (ms)"]  # how the tables begin
CURRENTS = ("uA/uF", "A/F", "pA/pF", "uA/cm^2")
MAIN = 8  # currents, those that are largest outside the upstroke
ALONE = 8  # curves of a figure
BRIEF = 2  # % of the time at either end of the values, which an axis of currents leaves out
AHEAD = 0.02  # of the beat, before its stimulus


def _columns(path: Path, names: Sequence[str], rows: Sequence[table.Row]) -> Dict[str, Array]:
    if not rows:
        raise InputError("%s: no rows" % path, 2)
    values = [[table.read_number(str(path), cell) for cell in row] for row in rows]
    return dict(zip(names, np.array(values).T))


def _figure(
    times: Array,
    of: Dict[str, Array],
    label: str,
    seen: str,
    caption: str = "",
    inner: Tuple[float, float] = (0, 0),
) -> str:
    figure = plot._curves(times, list(of), list(of.values()), label, 6)
    if inner[1] > inner[0]:
        figure.axes[0].set_ylim(inner)
    return report.image(figure, caption, vector=True, seen=seen)


def _currents(times: Array, of: Dict[str, Array], unit: str) -> List[str]:
    """The largest ones. The axis leaves out what lasts less than BRIEF of the time, such as the peak of INa, which the caption has."""
    reach = {name: np.percentile(values, (BRIEF, 100 - BRIEF)) for name, values in of.items()}
    main = sorted(of, key=lambda name: -float(np.abs(reach[name]).max()))[:MAIN]
    low, high = (
        float(end)
        for end in (min(reach[name][0] for name in main), max(reach[name][1] for name in main))
    )
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    beyond = [
        "%s to %.4g" % (name, values[np.abs(values).argmax()])
        for name, values in of.items()
        if values.min() < low or values.max() > high
    ]
    caption = "The largest of %d currents. " % len(of) * (len(of) > MAIN) + (
        "Beyond the axis: %s %s." % (", ".join(beyond), unit) if beyond else ""
    )
    return [
        _figure(
            times,
            {name: of[name] for name in main},
            "currents, " + unit,
            "Currents of the membrane",
            caption,
            (low, high),
        )
    ]


def _beat(columns: Dict[str, Array], units: Dict[str, str]) -> List[str]:
    """V, currents, gates and other states in time."""
    times, *rest = columns.items()
    t, of = times[1], dict(rest)
    parts = [_figure(t, {"V": of.pop("V")}, "V, mV", "V in time")]
    total = [
        name
        for name in of
        if units[name] in CURRENTS and name.rpartition(".")[2] in ("Iion", "stimulus")
    ]
    currents = {name: of.pop(name) for name in list(of) if units[name] in CURRENTS}
    currents = {name: values for name, values in currents.items() if name not in total}
    for unit in dict.fromkeys(units[name] for name in currents):
        parts += _currents(
            t, {name: values for name, values in currents.items() if units[name] == unit}, unit
        )
    gates = [
        name
        for name in of
        if units[name] in ("", "1") and of[name].min() >= 0 and of[name].max() <= 1
    ]
    for k in range(0, len(gates), ALONE):
        shown = gates[k : k + ALONE]
        parts.append(
            _figure(
                t, {name: of.pop(name) for name in shown}, "gates", "Gates: " + ", ".join(shown)
            )
        )
    for name, values in of.items():
        label = ", ".join(filter(None, (name, units[name])))
        parts.append(_figure(t, {name: values}, plot.plain(label), name + " in time"))
    return parts


def _restitution(path: Path, cells: Sequence[Tuple[table.Cell, table.Cell]]) -> List[str]:
    """APD90 against the diastolic interval, of those that have both."""
    known = [(di, apd) for di, apd in cells if di and apd]
    if len({di for di, _ in known}) < 2:
        return []
    axis, apd = Axis("diastolic interval", [di + " ms" for di, _ in known]), np.array(
        [table.read_number(str(path), apd) for _, apd in known]
    )
    drawn = curve(axis, [("", list(range(len(known))))], "APD90, ms", {"": apd})
    return [
        "<h2>Restitution</h2>",
        report.beside(
            [report.image(drawn, vector=True, seen="APD90 against the diastolic interval")],
            "beside",
        ),
    ]


def _verdict(path: Path, beats: Sequence[table.Row], names: Sequence[str]) -> str:
    of = {name: [row[k] for row in beats] for k, name in enumerate(names)}
    apd, eads = of["apd90 (ms)"], of["eads"]
    failed = [str(k + 1) for k, cell in enumerate(apd) if not cell]
    early = [
        "%s in beat %d" % (cell, k + 1) for k, cell in enumerate(eads) if cell not in ("", "0")
    ]
    said = "%d beat%s" % (len(beats), "s" * (len(beats) > 1))
    known = [table.read_number(str(path), cell) for cell in apd if cell]
    said += (
        "; APD90 %s" % " to ".join(dict.fromkeys("%.4g" % x for x in (min(known), max(known))))
        + " ms"
        if known
        else ""
    )
    said += "; early afterdepolarisations: %s" % (", ".join(early) or "none")
    said += (
        "; no APD90 in beat%s %s" % ("s" * (len(failed) > 1), ", ".join(failed)) if failed else ""
    )
    return '<div class="verdict%s"><p>%s.</p></div>' % (
        " look" * bool(early or failed),
        escape(said),
    )


def parts(path: Path, names: Sequence[str], rows: Sequence[table.Row]) -> List[str]:
    """`names`, `rows`: of the table of `cardiac cell --output`, next to which its beats are."""
    beside, found, start = path.with_name(path.stem + "-beats.csv"), [], 0.0
    if os.path.exists(beside):
        heads, beats = table.read(str(beside))
        found = (
            [
                _verdict(beside, beats, heads),
                "<h2>Beats</h2>",
                report.table(beats, [name.replace("_", " ") for name in heads]),
            ]
            if beats
            else []
        )
        start = table.read_number(str(beside), beats[-1][1]) if beats else 0.0
        if list(names[:2]) == TRACE:
            measured = [dict(zip(map(str, heads), row)) for row in beats]
            found += _restitution(
                beside,
                [(row["diastolic_interval (ms)"], row["apd90 (ms)"]) for row in measured],
            )
    if list(names[:3]) == S2:
        return [
            *found[:1],
            *_restitution(path, [(row[1], row[2]) for row in rows]),
            *found[1:],
            "<h2>Responses to S2</h2>",
            report.table(rows, names),
        ]
    columns = _columns(path, names, rows)
    short, units = split_units(list(names))
    times = columns["t (ms)"]
    begin = start - AHEAD * (float(times[-1]) - start)
    if start > 0 and (times < begin).any():
        found += [
            "<h2>V</h2>",
            _figure(times, {"V": columns["V (mV)"]}, "V, mV", "V in time, all beats"),
        ]
    last = {name: values[times >= begin] for name, values in zip(short, columns.values())}
    head = "The last beat, from %s ms" % time_text(start) if start > 0 else "In time"
    return [*found, "<h2>%s</h2>" % head, report.beside(_beat(last, units), "beside")]
