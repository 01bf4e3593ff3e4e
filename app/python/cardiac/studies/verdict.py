"""What a search has found: values with their intervals, and whether they fit, are the only ones and are the end of a descent."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import List, NamedTuple, Optional, Tuple

import numpy as np

from .domain import Domain, Range
from .exact import Array
from .search import Point, Search, length

SHARE = 0.9  # of true values, that intervals hold
STEP = 0.3  # standard deviations: a longer step of all slopes is not the end
ALIKE = 0.02  # of the bounds: other sets
CLOSE = 1.03  # of the least misfit, where the noise is unknown: sets that fit as well


class Value(NamedTuple):
    """A fitted number, in the unit of its bounds."""

    name: str
    first: float  # the config's
    best: float
    interval: Optional[Tuple[float, float]]
    note: str = ""  # why there is no interval


class Verdict(NamedTuple):
    """What a fit found, and whether to believe it."""

    misfit: float
    fits: float  # the misfit of the noise; 0 = unknown
    converged: bool
    values: List[Value]
    others: List[Tuple[float, List[float]]]  # misfits and values of other sets that fit as well

    def words(self) -> List[str]:
        found = []
        if self.fits > 0:
            found.append(
                "within the noise"
                if self.misfit <= self.fits
                else "does not fit: the misfit is %.3g times the noise" % self.misfit
            )
        else:
            found.append(
                "the noise is not given (ecg.noise, activation.noise): intervals take the misfit for it"
            )
        if not self.converged:
            found.append("not converged: no intervals")
        if self.others:
            found.append(
                "not unique: %d other %s as well"
                % (len(self.others), "set fits" if len(self.others) == 1 else "sets fit")
            )
        return found

    def lines(self) -> List[str]:
        found = list(self.words())
        for name, first, best, interval, note in self.values:
            text = "%s: %.5g, from %.5g" % (name, best, first)
            if interval:
                text += "; %g %% between %.5g and %.5g" % (100 * SHARE, *interval)
            found.append(text + ("; " + note if note else ""))
        for misfit, values in self.others:
            found.append(
                "misfit %.4g as well: %s" % (misfit, ", ".join("%.5g" % x for x in values))
            )
        return found


def quantile(share: float, free: int) -> float:
    """Of Student's distribution, by Cornish and Fisher's expansion"""
    z = NormalDist().inv_cdf((1 + share) / 2)
    return z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)


def deviations(
    domain: Domain, u: Array, directions: List[Array], columns: Array, variance: float
) -> Tuple[Array, Array]:
    """Standard deviations of all values, NaN where nothing depends on them; and the step to the least in deviations of the directions"""
    size = np.sqrt((columns * columns).sum(axis=1))
    found = np.full(len(u), math.nan)
    kept = size > 1e-9 * size.max(initial=0)
    J = columns[kept] / size[kept, None]
    H = J @ J.T
    if not kept.any() or np.linalg.cond(H) > 1e12:
        return found, np.zeros(0)
    inverse = np.linalg.inv(H) * variance
    D = np.array(directions)[kept] / size[kept, None]
    spread = np.sqrt(np.maximum(np.einsum("ki,kl,li->i", D, inverse, D), 0))
    lengths = np.concatenate(
        [
            [part.high - part.low] if isinstance(part, Range) else [part.faces.side] * 3
            for part in domain.parts
        ]
    )
    found = spread * lengths
    for d in np.array(directions)[~kept]:
        found[d != 0] = math.nan
    return found, np.sqrt(np.diag(inverse))


def differ(domain: Domain, u: Array, v: Array) -> bool:
    """Whether a place of one is none of the other's; without places, whether a value is another"""
    places = [
        [domain.own(x, k) for k, part in enumerate(domain.parts) if not isinstance(part, Range)]
        for x in (u, v)
    ]
    if not places[0]:
        return bool(abs(u - v).max() > ALIKE)
    return any(min(length(a - b) for b in places[1]) > ALIKE for a in places[0])


def conclude(
    domain: Domain, search: Search, by_runs: Search, samples: int, known: bool, solved: int = 0
) -> Verdict:
    """`by_runs`: for slopes at the best end; `samples`: the number of differences; `known`: their length is relative to the noise;
    `solved`: numbers that each run's differences are least for."""
    best = search.best
    assert best is not None
    first, values = domain.values(domain.repair(domain.start)), domain.values(best.u)
    slope, _ = by_runs.slope(best)
    bound = {
        k
        for k, part in enumerate(domain.parts)
        if isinstance(part, Range) and not 1e-6 < domain.own(best.u, k)[0] < 1 - 1e-6
    }
    inner = [
        k for k, d in enumerate(slope.directions) if not any(domain.own(d, p).any() for p in bound)
    ]
    directions, columns = [slope.directions[k] for k in inner], np.array(
        [slope.columns[k] for k in inner]
    ).reshape(len(inner), -1)
    free = max(1, samples - len(inner) - solved)
    variance = length(best.r) ** 2 / free
    if known:
        variance = max(variance, 1 / samples)
    spread, own = deviations(domain, best.u, directions, columns, variance)
    converged = bool(len(own)) or not inner
    if len(own):
        size = np.sqrt((columns * columns).sum(axis=1))
        kept = size > 1e-9 * size.max(initial=0)
        J = columns[kept] / size[kept, None]
        step = np.linalg.solve(J @ J.T, J @ best.r)
        converged = bool((abs(step) < STEP * own).all()) or any(
            point is best for point in search.converged
        )
    wide = quantile(SHARE, free)
    found, at = [], 0
    for k, part in enumerate(domain.parts):
        for name in part.names:
            value, interval, note = values[at], None, ""
            if k in bound:
                least = k in domain.relative and domain.own(best.u, k)[0] < 0.5
                note = "the earliest: others are relative to it" if least else "at its bound"
            elif not converged:
                note = "not converged"
            elif math.isnan(spread[at]):
                note = "not determined"
            else:
                interval = (value - wide * float(spread[at]), value + wide * float(spread[at]))
            found.append(Value(name, first[at], value, interval, note))
            at += 1
    limit = search.fits if search.fits > 0 else CLOSE * best.misfit
    others: List[Point] = []
    for end, _ in search.ends:
        if end.misfit <= limit and all(differ(domain, end.u, point.u) for point in [best, *others]):
            others.append(end)
    return Verdict(
        best.misfit,
        search.fits,
        converged,
        found,
        [(end.misfit, domain.values(end.u)) for end in others],
    )
