"""The page of a fit: what was found and whether it fits, the best run over what was measured, and how the search came there."""

from __future__ import annotations

import math
from typing import List, Sequence

import numpy as np
from matplotlib.figure import Figure

from .. import plot, report, target
from ..result import Result
from ..text import escape
from .exact import Array
from .verdict import SHARE, Verdict


def convergence(misfits: Sequence[float], noise: bool) -> Figure:
    """The misfit of each run, and the least so far; `noise`: in units of the noise."""
    figure = Figure((6, 3), layout="constrained")
    ax, least = figure.subplots(), math.inf
    own = [(k + 1, misfit) for k, misfit in enumerate(misfits) if math.isfinite(misfit)]
    ax.plot(*zip(*own), ".", markersize=2.5, color="#9aa7b5", label="runs")
    line = [least := min(least, misfit) for misfit in misfits]
    ax.plot(range(1, len(misfits) + 1), line, color="#111111", linewidth=1.2, label="least so far")
    ax.set_yscale("log")
    ax.set_xlabel("run")
    ax.set_ylabel("misfit / noise" if noise else "misfit")
    ax.grid(color=plot.GRID, linewidth=0.6)
    ax.legend(frameon=False, fontsize=8)
    return figure


def against(measured: Array, computed: Array, unit: str, what: str) -> Figure:
    """A point for each measurement, with the line of equal values, Pearson's r and the slope of computed over measured"""
    figure = Figure((4.4, 4.4), layout="constrained")
    ax = figure.subplots()
    low, high = min(measured.min(), computed.min()), max(measured.max(), computed.max())
    low, high = plot.at_least(float(low), float(high), plot.SPAN * max(abs(low), abs(high)))
    ax.plot((low, high), (low, high), color="#9aa7b5", linewidth=1)
    ax.plot(measured, computed, ".", markersize=2.5, color="#111111")
    a, b = measured - measured.mean(), computed - computed.mean()
    r, slope = a @ b / math.sqrt((a @ a) * (b @ b)), a @ b / (a @ a)
    ax.set_title("%s: r %.4f, slope %.3f" % (what, r, slope), fontsize=9)
    ax.set_xlabel("measured (%s)" % unit)
    ax.set_ylabel("computed (%s)" % unit)
    return figure


def maps(points: Array, measured: Array, computed: Array) -> Figure:
    """Measured and computed activation beside each other, along the two longest axes of the points"""
    middle = points - points.mean(axis=0)
    x, y = (middle @ np.linalg.svd(middle, full_matrices=False)[2][:2].T).T
    figure = Figure((6.4, 3), layout="constrained")
    low, high = min(measured.min(), computed.min()), max(measured.max(), computed.max())
    for ax, values, title in zip(
        figure.subplots(1, 2), (measured, computed), ("measured", "computed")
    ):
        drawn = ax.scatter(x, y, c=values, s=9, vmin=low, vmax=high, cmap="viridis")
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_title(title, fontsize=9)
    figure.colorbar(drawn, ax=figure.axes, label="activation (ms)")
    return figure


def page(name: str, result: Result, verdict: Verdict, misfits: Sequence[float]) -> str:
    """`result`: of the best run."""
    head = ["", "first guess", "best", "%g %% between" % (100 * SHARE), "and"]
    body = [
        [
            key,
            "%.6g" % first,
            "%.6g" % best,
            *(("%.6g" % x for x in interval) if interval else (note, "")),
        ]
        for key, first, best, interval, note in verdict.values
    ]
    look = (
        verdict.misfit > verdict.fits
        or not verdict.converged
        or verdict.others
        or result.summary.get("warnings")
    )
    best = "the best of %d runs: misfit %.4g" % (len(misfits), verdict.misfit)
    said = [best, *verdict.words(), *result.summary.get("warnings", ())]
    parts = [
        "<h1>%s: fit</h1>" % escape(name),
        '<div class="verdict%s"><p>%s</p></div>'
        % (" look" * bool(look), "; ".join(map(escape, said))),
    ]
    parts += ["<h2>Values</h2>", report.table(body, head, "keys")]
    for misfit, values in verdict.others:
        parts.append(
            "<p>misfit %.4g as well: %s</p>" % (misfit, ", ".join("%.5g" % x for x in values))
        )
    figures: List[str] = []
    times, both = target.activation_of(result), target.leads_of(result)
    if times:
        measured, first = times[0], times[1][times[0].nodes]
        seen = ~np.isnan(first)
        if seen.sum() > 2:
            parts.append("<h2>Activation</h2>")
            both_maps = maps(
                result.points.astype(float)[measured.nodes[seen]], measured.times[seen], first[seen]
            )
            parts.append(
                report.image(
                    both_maps, "Along the two longest axes of the measured points", vector=True
                )
            )
            figures.append(
                report.image(
                    against(measured.times[seen], first[seen], "ms", "activation"),
                    seen="Activation",
                    vector=True,
                )
            )
    if both:
        figures.append(
            report.image(
                against(both[0].values.ravel(), both[1].values.ravel(), "mV", "leads"),
                seen="Leads",
                vector=True,
            )
        )
    parts += [*report.times_misfit(result), report.beside(figures, "beside"), *report.ecg(result)]
    caption = "Misfit of each run, and the least so far"
    parts += [
        "<h2>Search</h2>",
        report.image(convergence(misfits, verdict.fits > 0), caption, vector=True),
    ]
    return report.document("%s: fit" % name, parts)
