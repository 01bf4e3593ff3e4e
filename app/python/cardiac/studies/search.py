"""The search of `cardiac fit` by runs alone: Levenberg and Marquardt's descents on the differences from what was measured, with Broyden's
updates of the slopes, from one beginning after the other."""

from __future__ import annotations

import math
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .domain import Domain
from .exact import Array, Random, combine, dot, solve

STEP = 0.02  # of the bounds: of derivatives by differences
LONGEST = 0.15  # of the bounds: of a step in one value
DAMPING, DAMPINGS = 0.03, (0.25, 1.0, 8.0)  # at first, and those that are tried at once
ENOUGH = 3e-3  # of the misfit: a step by a new slope that gains less ends a descent
LITTLE, STALE = (
    0.1,
    0.5,
)  # of the misfit, and of the gain that a slope promises: a step that gains less needs a new slope
LEAST = 2e-4  # the same of the last descent, and of all that have converged
SMOOTH = (8, 4, 0)  # ms, of the descents of a beginning, where leads are compared
FIRST, LAST = 40, 24  # steps of descents
EXACT = 1e-9  # a misfit of no noise
ALIKE = 0.01  # of the misfit and of the bounds: ends that are the same

Evaluate = Callable[[Sequence[Array]], List[Optional[Array]]]


class Spent(Exception):
    """No more runs are allowed."""


class Point(NamedTuple):
    """A vector of the domain, and its differences from what was measured, whose length is the misfit; NaN: the run failed."""

    u: Array
    r: Array

    @property
    def misfit(self) -> float:
        return length(self.r)


class Slope(NamedTuple):
    """Differences by each direction, which have length 1 and are perpendicular."""

    directions: List[Array]
    columns: List[Array]

    def at(self, directions: Sequence[Array]) -> Slope:
        """By other directions, as those of a place when it has moved along its surface"""
        return Slope(list(directions), [self.along(d) for d in directions])

    def along(self, step: Array) -> Array:
        return combine([dot(d, step) for d in self.directions], self.columns)

    def updated(self, step: Array, change: Array) -> Slope:
        """Broyden's: the slope next to this one that gives the change of a step"""
        shares = [dot(d, step) for d in self.directions]
        square = math.fsum(x * x for x in shares)
        if not square > 0 or not math.isfinite(length(change)):
            return self
        miss = (change - self.along(step)) / square
        return Slope(self.directions, [c + x * miss for c, x in zip(self.columns, shares)])


End = Tuple[Point, Optional[Slope]]


def length(r: Array) -> float:
    """The root of the sum of squares; infinite where one is no number."""
    square = dot(r, r)
    return math.sqrt(square) if math.isfinite(square) else math.inf


class Normal:
    """Normal equations of a slope, and their damped solutions."""

    def __init__(self, columns: Sequence[Array]) -> None:
        self.columns = list(columns)
        n = len(self.columns)
        self.H = np.zeros((n, n))
        for i in range(n):
            for j in range(i + 1):
                self.H[i, j] = self.H[j, i] = dot(self.columns[i], self.columns[j])

    def step(self, r: Array, damping: float) -> List[float]:
        """The factors of the directions that make r small"""
        diagonal = np.diag(self.H)
        add = damping * (diagonal + 1e-3 * float(diagonal.max())) + 1e-14
        return solve(self.H + np.diag(add), [-dot(column, r) for column in self.columns])


def shorten(step: Sequence[float]) -> List[float]:
    """A step that is at most LONGEST in each direction."""
    most = max((abs(s) for s in step), default=0.0)
    return [s * LONGEST / most for s in step] if most > LONGEST else list(step)


class Search:
    """Over a domain, by runs: `evaluate` returns fewer than it is given when no more are allowed; `smooth`: differences with less detail in time;
    `fits`: the misfit of the noise, 0 = unknown; `size`: that of no signal; `widths`: of the descents of a beginning, ms.
    """

    def __init__(
        self,
        domain: Domain,
        random: Random,
        evaluate: Evaluate,
        smooth: Callable[[Array, float], Array],
        fits: float = 0,
        size: float = 1,
        widths: Sequence[float] = SMOOTH,
    ) -> None:
        self.domain, self.random, self.evaluate, self.smooth = domain, random, evaluate, smooth
        self.fits, self.size, self.widths = fits, size, widths
        self.ends: List[End] = []
        self.best: Optional[Point] = None
        self.converged: List[Point] = []  # ends of descents that a fresh slope makes no better

    def points(self, vectors: Sequence[Array]) -> List[Point]:
        vectors = [self.domain.repair(u) for u in vectors]
        failed = np.array([math.inf])
        found = [
            Point(u, failed if r is None else r) for u, r in zip(vectors, self.evaluate(vectors))
        ]
        known = found if self.best is None else [self.best, *found]
        self.best = min(known, key=lambda point: point.misfit, default=None)
        if len(found) < len(vectors):
            raise Spent
        return found

    def slope(self, at: Point) -> Tuple[Slope, List[Point]]:
        """By differences, and the runs that were made for them"""
        directions, vectors, columns = self.domain.directions(at.u), [], {}
        for d in directions:
            ahead, behind = (self.domain.repair(at.u + sign * STEP * d) for sign in (1, -1))
            vectors.append(ahead if dot(ahead - at.u, d) > -dot(behind - at.u, d) / 2 else behind)
        moved = [k for k, u in enumerate(vectors) if abs(dot(u - at.u, directions[k])) > 1e-9]
        points = self.points([vectors[k] for k in moved])
        for k, point in zip(moved, points):
            far = dot(point.u - at.u, directions[k])
            if abs(far) > STEP / 10 and math.isfinite(point.misfit):
                columns[k] = (point.r - at.r) / far
        return Slope([directions[k] for k in columns], list(columns.values())), points

    def _least(self, points: Sequence[Point], width: float) -> Tuple[float, Point]:
        return min(
            (
                (length(self.smooth(p.r, width)) if math.isfinite(p.misfit) else math.inf, k, p)
                for k, p in enumerate(points)
            ),
            key=lambda item: item[:2],
        )[::2]

    def descend(
        self,
        at: Point,
        steps: int = LAST,
        width: float = 0,
        slope: Optional[Slope] = None,
        enough: float = LEAST,
    ) -> End:
        """So many steps by a slope, which their ends correct and which is found anew when a step gains little; and the last slope"""
        damping = DAMPING
        for _ in range(steps):
            if at.misfit <= EXACT:
                self.converged.append(at)
            if not EXACT < at.misfit < math.inf:
                break
            points: List[Point] = []
            fresh = slope is None
            if slope is None:
                slope, points = self.slope(at)
            r, ends = self.smooth(at.r, width), []
            before, promised = length(r), 0.0
            if slope.columns:
                normal = Normal([self.smooth(column, width) for column in slope.columns])
                tried = [damping * factor for factor in DAMPINGS]
                ends = self.points(
                    [at.u + combine(shorten(normal.step(r, d)), slope.directions) for d in tried]
                )
                found, best = self._least(ends, width)
                along = slope.along(best.u - at.u)
                promised = before - length(self.smooth(at.r + along, width))
                damping = (
                    max(1e-4, tried[[e is best for e in ends].index(True)] / 2)
                    if found < before
                    else 8 * damping
                )
            after, new = self._least([at, *ends, *points], width)
            gain = 1 - after / before if before > 0 else 0
            if fresh and gain < enough:
                if gain < LEAST:
                    self.converged.append(new)
                return new, slope
            if gain < max(enough, min(LITTLE, STALE * promised / before)) or not slope.columns:
                slope = None
            else:
                slope = slope.at(self.domain.directions(new.u))
                for end in [e for e in ends if e is not new] + [at]:
                    slope = slope.updated(end.u - new.u, end.r - new.r)
            at = new
        return at, slope

    def _start(self, u: Array) -> End:
        """The end of descents with more and more detail"""
        at = self.points([u])[0]
        while not math.isfinite(at.misfit):
            at = self.points([self.domain.draw(self.random)])[0]
        slope: Optional[Slope] = None
        for k, width in enumerate(self.widths, 1):
            at, slope = self.descend(
                at, FIRST, width, slope, LEAST if k == len(self.widths) else ENOUGH
            )
        return at, slope

    def _done(self) -> bool:
        """Within the noise; or, if that is unknown, the same from two beginnings"""
        best = min((end[0] for end in self.ends), key=lambda point: point.misfit)
        if self.fits > 0 or best.misfit < EXACT:
            return best.misfit <= max(self.fits, EXACT)
        near = [
            e
            for e, _ in self.ends
            if e.misfit <= best.misfit * (1 + ALIKE) + 1e-9 and abs(e.u - best.u).max() < ALIKE
        ]
        return len(near) > 1

    def run(self) -> None:
        """From the start, then from vectors drawn of the domain; Spent without more runs"""
        u = self.domain.start
        while True:
            self.ends.append(self._start(u))
            if self._done():
                return
            u = self.domain.draw(self.random)
