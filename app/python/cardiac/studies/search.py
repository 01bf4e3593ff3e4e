"""The search of `cardiac fit`: Levenberg and Marquardt's descents on the differences from what was measured, and between them moves of one
value or place to somewhere else, which are judged by the differences that are left once all others have followed."""

from __future__ import annotations

import math
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .domain import Domain
from .exact import Array, Random, combine, dot, solve

STEP = 0.02  # of the bounds: of derivatives by differences
LONGEST = 0.15  # of the bounds: of a step in one value
DAMPING, DAMPINGS = 0.03, (0.25, 1.0, 8.0)  # at first, and those that are tried at once
ENOUGH = 3e-3  # of the misfit: a descent that gains less in a step has ended
SMOOTH = (8, 4, 0)  # ms, of the first descent
FIRST, AFTER, LAST = 12, 3, 8  # steps of descents: the first ones, after a move, and of the best move
MOVES, TRIED = 30, 3  # of a place, and those that are followed
GAIN = 0.03  # of the misfit, by which a move is accepted
RACE = 3  # beginnings, the best of which goes on with moves
FOLLOW = 0.05  # damping with which the others follow a move
JITTER = 0.2  # of the bounds: of places, where no move is better

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
    """Differences by each direction."""

    directions: List[Array]
    columns: List[Array]


def length(r: Array) -> float:
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

    def step(self, r: Array, damping: float, kept: Optional[Sequence[int]] = None) -> List[float]:
        """The factors of the directions that make r small, of those that are kept"""
        own = list(range(len(self.columns)) if kept is None else kept)
        if not own:
            return []
        H = self.H[np.ix_(own, own)]
        diagonal = np.diag(H)
        add = damping * (diagonal + 1e-3 * float(diagonal.max())) + 1e-14
        return solve(H + np.diag(add), [-dot(self.columns[k], r) for k in own])


def shorten(step: Sequence[float]) -> List[float]:
    most = max((abs(s) for s in step), default=0.0)
    return [s * LONGEST / most for s in step] if most > LONGEST else list(step)


class Search:
    """Over a domain, by runs: `evaluate` raises Spent when there are no more of them; `smooth`: differences with less detail in time."""

    def __init__(self, domain: Domain, random: Random, evaluate: Evaluate, smooth: Callable[[Array, float], Array]) -> None:
        self.domain, self.random, self.evaluate, self.smooth = domain, random, evaluate, smooth

    def _points(self, vectors: Sequence[Array]) -> List[Point]:
        vectors = [self.domain.repair(u) for u in vectors]
        failed = np.array([math.inf])
        return [Point(u, failed if r is None else r) for u, r in zip(vectors, self.evaluate(vectors))]

    def _slope(self, at: Point, width: float) -> Tuple[Slope, List[Point]]:
        """By differences, and the runs that were made for them"""
        directions, vectors = self.domain.directions(at.u), []
        for d in directions:
            ahead, behind = (self.domain.repair(at.u + sign * STEP * d) for sign in (1, -1))
            vectors.append(ahead if dot(ahead - at.u, d) > -dot(behind - at.u, d) / 2 else behind)
        points = self._points(vectors)
        base, columns, kept = self.smooth(at.r, width), [], []
        for d, point in zip(directions, points):
            far = dot(point.u - at.u, d)
            if abs(far) > STEP / 10 and math.isfinite(point.misfit):
                kept.append(d)
                columns.append((self.smooth(point.r, width) - base) / far)
        return Slope(kept, columns), points

    def _least(self, points: Sequence[Point], width: float) -> Tuple[float, Point]:
        return min(((length(self.smooth(p.r, width)) if math.isfinite(p.misfit) else math.inf, k, p)
                    for k, p in enumerate(points)), key=lambda item: item[:2])[::2]

    def _descend(self, at: Point, steps: int, width: float = 0) -> Point:
        damping = DAMPING
        for _ in range(steps):
            if not math.isfinite(at.misfit):
                return at
            slope, points = self._slope(at, width)
            before, r = length(self.smooth(at.r, width)), self.smooth(at.r, width)
            if slope.columns:
                normal = Normal(slope.columns)
                tried = [damping * factor for factor in DAMPINGS]
                steps_of = [shorten(normal.step(r, d)) for d in tried]
                ends = self._points([at.u + combine(s, slope.directions) for s in steps_of])
                found, best = self._least(ends, width)
                damping = max(1e-4, tried[[e is best for e in ends].index(True)] / 2) if found < before else 8 * damping
                points = [*ends, *points]
            after, at = self._least([at, *points], width)
            if not after < before * (1 - ENOUGH):
                break
        return at

    def _moves(self, at: Point) -> Iterator[Tuple[Array, List[int]]]:
        """Vectors in which one part is elsewhere or two places are exchanged, and which parts these are"""
        domain = self.domain
        for k, part in enumerate(domain.parts):
            for value in part.scatter(self.random, MOVES):
                yield domain.replace(at.u, {k: value}), [k]
        for i, j in domain.alike:
            yield domain.replace(at.u, {i: domain.own(at.u, j), j: domain.own(at.u, i)}), [i, j]

    def _move(self, at: Point) -> Point:
        """The best of the moves, descended"""
        slope, points = self._slope(at, 4)
        if not slope.columns:
            return at
        normal, moves = Normal(slope.columns), list(self._moves(at))
        ranked: List[Tuple[float, int, Array]] = []
        for (_, parts), point in zip(moves, self._points([u for u, _ in moves])):
            if not math.isfinite(point.misfit):
                continue
            kept = [k for k, d in enumerate(slope.directions) if not self.domain.moves(d, parts)]
            r = self.smooth(point.r, 4)
            step = normal.step(r, FOLLOW, kept)
            left = length(r + combine(step, [slope.columns[k] for k in kept])) if kept else length(r)
            ranked.append((left, len(ranked), point.u + combine(shorten(step), [slope.directions[k] for k in kept]) if kept else point.u))
        best = at
        for _, _, u in sorted(ranked, key=lambda item: item[:2])[:TRIED]:
            end = self._descend(self._descend(self._points([u])[0], AFTER, 4), AFTER)
            best = end if end.misfit < best.misfit else best
            if best.misfit < 0.9 * at.misfit:
                break
        return best

    def _again(self) -> Array:
        """Near the start, with other numbers"""
        domain, jitter = self.domain, JITTER * self.random.normals(len(self.domain.start))
        drawn = {k: part.draw(self.random) for k, part in enumerate(domain.parts) if part.size == 1}
        return domain.replace(domain.start + jitter, drawn)

    def _first(self, start: Array) -> Point:
        at = self._points([start])[0]
        while not math.isfinite(at.misfit):
            at = self._points([self.domain.draw(self.random)])[0]
        for width in SMOOTH:
            at = self._descend(at, FIRST, width)
        return at

    def run(self) -> None:
        """Until no more runs are allowed: from the start, and wherever no move is better, from near it again"""
        start = self.domain.start
        while True:
            at = min((self._first(u) for u in [start, *(self._again() for _ in range(RACE - 1))]), key=lambda point: point.misfit)
            while True:
                moved = self._move(at)
                if not moved.misfit < at.misfit * (1 - GAIN):
                    break
                at = self._descend(moved, LAST)
            start = self._again()
