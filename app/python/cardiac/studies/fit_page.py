"""The page of a fit: the best run over what was measured, the values found, how the search came there, and what else fits."""

from __future__ import annotations

import math
from typing import List, Sequence, Tuple

import numpy as np
from matplotlib.figure import Figure

from .. import plot, report
from ..result import Result
from ..text import escape
from .posterior import Population

Rows = Sequence[Tuple[str, float]]  # stage and misfit of each run, in their order
Value = Tuple[str, float, float, "Tuple[float, float] | None"]  # name, first, best, region


def convergence(rows: Rows) -> Figure:
    figure = Figure((6, 3), layout="constrained")
    ax, least = figure.subplots(), math.inf
    for stage, color in (("search", "#9aa7b5"), ("posterior", "#d9b38c")):
        own = [
            (k + 1, misfit)
            for k, (of, misfit) in enumerate(rows)
            if of == stage and math.isfinite(misfit)
        ]
        if own:
            ax.plot(*zip(*own), ".", markersize=2.5, color=color, label=stage)
    line = [least := min(least, misfit) for _, misfit in rows]
    ax.plot(range(1, len(rows) + 1), line, color="#111111", linewidth=1.2, label="least so far")
    ax.set_yscale("log")
    ax.set_xlabel("run")
    ax.set_ylabel("misfit")
    ax.grid(color=plot.GRID, linewidth=0.6)
    ax.legend(frameon=False, fontsize=8)
    return figure


def histogram(name: str, samples: Sequence[float], weights: Sequence[float], best: float) -> Figure:
    figure = Figure((3, 2.2), layout="constrained")
    ax = figure.subplots()
    ax.hist(samples, bins=20, weights=list(weights), color="#d9b38c")
    ax.axvline(best, color="#111111", linewidth=1.2)
    ax.set_xlabel(plot.plain(name), fontsize=8)
    ax.set_yticks([])
    return figure


def page(
    name: str,
    result: Result,
    values: Sequence[Value],
    rows: Rows,
    population: "Population | None",
) -> str:
    """`result`: of the best run."""
    parts = [
        "<h1>%s: fit</h1>" % escape(name),
        *report.ecg(result),
        *report.times_misfit(result),
    ]
    head = ["", "first guess", "best", "90 % from", "to"]
    body = [
        [key, "%.6g" % first, "%.6g" % best, *("%.6g" % x for x in region or (best, best))]
        for key, first, best, region in values
    ]
    parts += [
        "<h2>Values</h2>",
        report.table(
            [row if population else row[:3] for row in body], head if population else head[:3]
        ),
    ]
    caption = "Misfit of each run relative to what was measured, and the least so far; the black line of a value is the best"
    parts += ["<h2>Search</h2>", report.image(convergence(rows), caption, vector=True)]
    if population:
        columns = np.array([population.domain.values(u) for u in population.samples]).T
        figures: List[str] = []
        for (key, _, best, _), column in zip(values, columns):
            if np.ptp(column) > 0:
                figures.append(
                    report.image(
                        histogram(key, column, population.weights, best),
                        seen="Posterior of " + key,
                    )
                )
        said = "%d samples with a misfit of at most %.3g" % (
            len(population.samples),
            population.tolerance,
        )
        parts += ["<h2>Posterior</h2>", "<p>%s</p>" % said, report.beside(figures, "grid")]
    return report.document("%s: fit" % name, parts)
