"""The search of `cardiac fit`: Levenberg and Marquardt's descents on the differences from what was measured, with Broyden's updates of the
slopes, and between them moves of one value or place to somewhere else, which are judged by the differences that are left once all others
have followed."""

from __future__ import annotations

import math
from typing import Callable, Dict, Generator, Iterator, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

import numpy as np

from .domain import Domain
from .exact import Array, Random, combine, dot, solve

STEP = 0.02  # of the bounds: of derivatives by differences
LONGEST = 0.15  # of the bounds: of a step in one value
DAMPING, DAMPINGS = 0.03, (0.25, 1.0, 8.0)  # at first, and those that are tried at once
ENOUGH, LITTLE = 3e-3, 0.1  # of the misfit: a step that gains less ends a descent, or needs a new slope
SMOOTH = (8, 4, 0)  # ms, of the first descent
FIRST, AFTER, LAST = 20, 5, 12  # steps of descents: the first ones, after a move, and of the best move
NEEDLESS, MOVES, FEW = 2, 40, 4  # places that are needed least, moves of each of them, and of the others
NEAR, NEARBY = 0.12, 3  # of the bounds: around a place, and moves to there
TRIED, PATIENCE = 3, 4  # moves that are followed, and how often none may be better
GAIN = 0.03  # of the misfit, by which a move is accepted
RACE, KEPT = 5, 3  # beginnings at most, and those that go on to the next widths; the best goes on with moves
RANK = 4  # ms, by which moves are compared
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
T = TypeVar("T")
Runs = Generator[List[Array], List[Point], T]  # yields vectors, gets their points, and returns what was found


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

    def _together(self, tasks: Sequence[Runs[T]]) -> List[T]:
        """What the tasks find, which make their runs beside each other"""
        found: Dict[int, T] = {}
        asked = {k: next(task) for k, task in enumerate(tasks)}
        while asked:
            points = iter(self._points([u for vectors in asked.values() for u in vectors]))
            for k, vectors in list(asked.items()):
                try:
                    asked[k] = tasks[k].send([next(points) for _ in vectors])
                except StopIteration as end:
                    found[k] = end.value
                    del asked[k]
        return [found[k] for k in range(len(tasks))]

    def _slope(self, at: Point, known: Optional[Slope] = None, parts: Sequence[int] = ()) -> Runs[Tuple[Slope, List[Point]]]:
        """By differences, and the runs that were made for them; of a slope that is known, of these parts alone"""
        directions, made, vectors = self.domain.directions(at.u), [], []
        old = known.at(directions).columns if known else []
        for k, d in enumerate(directions):
            if not known or self.domain.moves(d, parts):
                ahead, behind = (self.domain.repair(at.u + sign * STEP * d) for sign in (1, -1))
                vectors.append(ahead if dot(ahead - at.u, d) > -dot(behind - at.u, d) / 2 else behind)
                made.append(k)
        points, found = (yield vectors), dict(enumerate(old))
        for k, point in zip(made, points):
            far = dot(point.u - at.u, directions[k])
            found.pop(k, None)
            if abs(far) > STEP / 10 and math.isfinite(point.misfit):
                found[k] = (point.r - at.r) / far
        return Slope([directions[k] for k in sorted(found)], [found[k] for k in sorted(found)]), points

    def _least(self, points: Sequence[Point], width: float) -> Tuple[float, Point]:
        return min(((length(self.smooth(p.r, width)) if math.isfinite(p.misfit) else math.inf, k, p)
                    for k, p in enumerate(points)), key=lambda item: item[:2])[::2]

    def _descend(self, at: Point, steps: int, width: float = 0, slope: Optional[Slope] = None) -> Runs[End]:
        """So many steps by a slope, which their ends correct and which is found anew when a step gains little; and the last slope"""
        damping = DAMPING
        for _ in range(steps):
            if not math.isfinite(at.misfit):
                break
            points: List[Point] = []
            fresh = slope is None
            if slope is None:
                slope, points = yield from self._slope(at)
            r, ends = self.smooth(at.r, width), []
            before = length(r)
            if slope.columns:
                normal = Normal([self.smooth(column, width) for column in slope.columns])
                tried = [damping * factor for factor in DAMPINGS]
                ends = yield [at.u + combine(shorten(normal.step(r, d)), slope.directions) for d in tried]
                found, best = self._least(ends, width)
                damping = max(1e-4, tried[[e is best for e in ends].index(True)] / 2) if found < before else 8 * damping
            after, new = self._least([at, *ends, *points], width)
            gain = 1 - after / before if before > 0 else 0
            if fresh and gain < ENOUGH:
                return new, slope
            if gain < LITTLE or not slope.columns:
                slope = None
            else:
                slope = slope.at(self.domain.directions(new.u))
                for end in [e for e in ends if e is not new] + [at]:
                    slope = slope.updated(end.u - new.u, end.r - new.r)
            at = new
        return at, slope

    def _moves(self, at: Point, needless: Sequence[int]) -> Iterator[Tuple[Array, List[int]]]:
        """Vectors in which one part is elsewhere or two places are exchanged, and which parts these are"""
        domain = self.domain
        for k, part in enumerate(domain.parts):
            near = NEARBY if part.size > 1 else 0
            values = [domain.own(at.u + NEAR * self.random.normals(len(at.u)), k) for _ in range(near)]
            for value in [*values, *part.scatter(self.random, MOVES if k in needless else FEW)]:
                yield domain.replace(at.u, {k: value}), [k]
        for i, j in domain.alike:
            yield domain.replace(at.u, {i: domain.own(at.u, j), j: domain.own(at.u, i)}), [i, j]

    def _rank(self, slope: Slope, normal: Normal, moves: Sequence[Tuple[Array, List[int]]]) -> List[Tuple[float, int, List[int], Array]]:
        """What is left of the differences when the other parts have followed a move, the least first"""
        ranked: List[Tuple[float, int, List[int], Array]] = []
        for (_, parts), point in zip(moves, self._points([u for u, _ in moves])):
            if not math.isfinite(point.misfit):
                continue
            kept = [k for k, d in enumerate(slope.directions) if not self.domain.moves(d, parts)]
            r = self.smooth(point.r, RANK)
            step = normal.step(r, FOLLOW, kept)
            left = length(r + combine(step, [normal.columns[k] for k in kept])) if kept else length(r)
            u = point.u + combine(shorten(step), [slope.directions[k] for k in kept]) if kept else point.u
            ranked.append((left, len(ranked), parts, u))
        return sorted(ranked, key=lambda item: item[:2])

    def _removals(self, at: Point) -> Iterator[Tuple[Array, List[int]]]:
        """Each place moved to the nearest other one, where it adds nothing if both are active at once"""
        own = {k: self.domain.own(at.u, k) for pair in self.domain.alike for k in pair}
        for k, u in own.items():
            apart = {j: v - u for j, v in own.items() if (min(j, k), max(j, k)) in self.domain.alike}
            yield self.domain.replace(at.u, {k: own[min(apart, key=lambda j: dot(apart[j], apart[j]))]}), [k]

    def _follow(self, u: Array, parts: Sequence[int], slope: Slope) -> Runs[End]:
        end = (yield [u])[0]
        own = (yield from self._slope(end, slope, parts))[0] if math.isfinite(end.misfit) else None
        end, own = yield from self._descend(end, AFTER, RANK, own)
        return (yield from self._descend(end, AFTER, 0, own))

    def _move(self, at: Point, slope: Optional[Slope]) -> End:
        """The best of the moves, descended"""
        if slope is None:
            slope = self._together([self._slope(at)])[0][0]
        if not slope.columns:
            return at, slope
        normal = Normal([self.smooth(column, RANK) for column in slope.columns])
        removed = self._rank(slope, normal, list(self._removals(at)))
        needless = [item[2][0] for item in removed[:NEEDLESS]] or range(len(self.domain.parts))
        ranked = self._rank(slope, normal, list(self._moves(at, needless)))
        ends = self._together([self._follow(u, parts, slope) for _, _, parts, u in ranked[:TRIED]])
        return min([(at, slope), *ends], key=lambda end: end[0].misfit)

    def _again(self) -> Array:
        """Near the start, with other numbers"""
        domain, jitter = self.domain, JITTER * self.random.normals(len(self.domain.start))
        drawn = {k: part.draw(self.random) for k, part in enumerate(domain.parts) if part.size == 1}
        return domain.replace(domain.start + jitter, drawn)

    def _start(self, u: Array) -> Runs[End]:
        at = (yield [u])[0]
        while not math.isfinite(at.misfit):
            at = (yield [self.domain.draw(self.random)])[0]
        return (yield from self._descend(at, FIRST, SMOOTH[0]))

    def _begin(self, first: Sequence[Array]) -> End:
        """The best of several beginnings, of which few go down as far as they can"""
        places = sum(part.size > 1 for part in self.domain.parts)
        race = min(RACE, 1 + places) if places else RACE
        ends = self._together([self._start(u) for u in [*first, *(self._again() for _ in range(race - len(first)))]])
        ends = sorted(ends, key=lambda end: length(self.smooth(end[0].r, SMOOTH[0])))[:KEPT]
        for width in SMOOTH[1:]:
            ends = self._together([self._descend(at, FIRST, width, slope) for at, slope in ends])
        return min(ends, key=lambda end: end[0].misfit)

    def run(self) -> None:
        """Until no more runs are allowed: from the start, and wherever no move is better, from near it again"""
        first = [self.domain.start]
        while True:
            at, slope = self._begin(first)
            first, failed = [], 0
            while failed < PATIENCE:
                moved = self._move(at, slope)
                failed += 1
                if moved[0].misfit < at.misfit * (1 - GAIN):
                    at, slope = self._together([self._descend(moved[0], LAST, 0, moved[1])])[0]
                    failed = 0
