"""The search for sites, times and velocities on superposed waves: insertion and exchange of sites, and runs of the full model that finish
the best sets."""

from __future__ import annotations

import math
from typing import List

import numpy as np

from .exact import Array
from .crew import Crew
from .forest import Forest
from .search import Point, Search, length
from .sets import Earlier, Set, Sets

BEGINNINGS, KEPT = 12, 4  # of a round, and those that go on to exchanges
CLOSE, AGAIN = (
    1.15,
    0.02,
)  # of the least differences: ends that are followed by runs; of the box: ends that are the same
POLISH = 7  # runs by the slopes of superposed waves
NEAR = 1.25  # of the noise: slopes of runs are made at once; further away exchanges come first
FALSE = 0.03  # of the differences: a set above the noise is left when a step by slopes of runs gains less
HOPE = 2.0  # of the noise: ends with more are followed after so many rounds
ROUNDS, FIRST = 12, 2
SMOOTH = (6.0, 3.0, 0.0)  # ms


class Insertion:
    """`fits`: the misfit of the noise, 0 = unknown; `crew`: with the sets of the forest; `seed`: of random numbers."""

    def __init__(self, forest: Forest, search: Search, seed: str, fits: float, crew: Crew) -> None:
        self.forest, self.search, self.seed, self.fits, self.crew = forest, search, seed, fits, crew
        self.sets, self.rounds = Sets(forest), 0
        self.pool: List[Earlier] = []
        self.tried: List[Array] = []

    def _round(self) -> List[Set]:
        """Ends of exchanges, the best first"""
        widths = SMOOTH if self.forest.measured.leads else (0.0,)
        name, pool = "%s round %d" % (self.seed, self.rounds), self.pool[-24:]
        self.rounds += 1
        calls = [("%s beginning %d" % (name, k), widths[0], pool) for k in range(BEGINNINGS)]
        begun = sorted(self.crew.map("begin", calls), key=lambda at: at.misfit)[:KEPT]
        more = [("%s end %d" % (name, k), at, widths, pool) for k, at in enumerate(begun)]
        found = self.crew.map("improve", more)
        for at in found:
            for k in at.on:
                self.pool.append((k, self.forest.place(at.u, k)[0], self.forest.start(at.u, k)))
        return sorted(found, key=lambda at: at.misfit)

    def _exchange(self, at: Set, shift: "float | Array") -> Set:
        """The best of those with one site elsewhere, on exact waves"""
        name = "%s exchange %d" % (self.seed, len(self.tried))
        calls = [("%s %d" % (name, k), at, k, shift, self.pool[-24:]) for k in at.on]
        found: List[Set] = self.crew.map("put", calls)
        return min(found, key=lambda one: one.misfit)

    # ---- by the full model ----

    def _run(self, u: Array) -> Point:
        return self.search.points([u])[0]

    def _polish(self, at: Set) -> Point:
        """Runs, each from the end of a descent on superposed waves that are right at the last one"""
        forest, best, failed = self.forest, None, 0
        for k in range(POLISH):
            end = self._run(at.u)
            if not math.isfinite(end.misfit):
                break
            worse = best is not None and end.misfit > 1.5 * best.misfit
            if best is None or end.misfit < best.misfit:
                best, failed = end, 0
            else:
                failed += 1
            if failed >= 2 or best.misfit < 0.98 * self.fits:
                break
            base = best if worse else end
            forest.shift = 0.0
            forest.shift = base.r - forest.differences(base.u, at.on)
            new = self.sets.descend(
                at._replace(u=base.u),
                6 if worse else 12,
                3.0 if forest.measured.leads and k < 3 else 0.0,
                1e-4,
            )
            forest.shift = 0.0
            if abs(new.u - end.u).max() < 5e-4:
                break
            at = new
        return best if best is not None else Point(at.u, np.array([math.inf]))

    def _finish(self, at: Point) -> None:
        """By slopes of runs"""
        slope = None
        if at.misfit > self.fits > 0:  # a false set, unless a step gains much
            at, slope = self.search.descend(at, enough=FALSE)
            if at.misfit > self.fits:
                self.search.ends.append((at, slope))
                return
        self.search.ends.append(self.search.descend(at, slope=slope))

    def _is_new(self, u: Array) -> bool:
        return all(self.distance(u, other) > AGAIN for other in self.tried)

    def distance(self, u: Array, other: Array) -> float:
        """The farthest way of a site of u to the nearest of the other, of the box"""
        own = [
            [self.search.domain.own(x, k) for k in self.forest.layout.places] for x in (u, other)
        ]
        return max(min(length(a - b) for b in own[1]) for a in own[0])

    def _follow(self, at: Set) -> None:
        self.tried.append(at.u)
        end = self._polish(at)
        if self.fits > 0 and end.misfit > NEAR * self.fits:
            if math.isfinite(end.misfit):
                self.search.ends.append((end, None))
        elif end.misfit < max(2 * self.fits, 1.25 * self._least(), 0.07 * self.search.size):
            self._finish(end)
        elif math.isfinite(end.misfit):
            self.search.ends.append((end, None))

    def _least(self) -> float:
        return min((end[0].misfit for end in self.search.ends), default=math.inf)

    def best(self) -> Point:
        return min((end[0] for end in self.search.ends), key=lambda point: point.misfit)

    def _done(self) -> bool:
        """Within the noise, or without a known noise, found from two beginnings"""
        if not self.search.ends:
            return False
        best = self.best()
        if self.fits > 0:
            return best.misfit <= self.fits
        alike = [
            e
            for e in self.search.ends
            if e[0].misfit < 1.03 * best.misfit and self.distance(e[0].u, best.u) < AGAIN
        ]
        return len(alike) > 1

    def _finished(self) -> bool:
        """Whether slopes of runs were made for the best end, or it is too far from the noise"""
        if not self.fits > 0 or not self.search.ends:
            return True
        best, slope = min(self.search.ends, key=lambda end: end[0].misfit)
        return slope is not None or best.misfit > max(2 * self.fits, 0.07 * self.search.size)

    def run(self) -> None:
        """Rounds of beginnings, whose best ends are followed by runs until one is within the noise; Spent without runs"""
        least = math.inf
        on = tuple(range(self.forest.sites))
        for _ in range(ROUNDS):
            for end in self._round():
                least = min(least, end.misfit)
                if self.rounds <= FIRST and end.misfit > HOPE * self.fits > 0:
                    continue
                if end.misfit < CLOSE * least and (self._is_new(end.u) or not self.fits > 0):
                    self._follow(end)
                if self._done():
                    return
            for _ in range(3):  # exchanges on waves that are right at the best run
                if not self.search.ends:
                    break
                best = self.best()
                self.forest.shift = 0.0
                self.forest.shift = best.r - self.forest.differences(best.u, on)
                at = self._exchange(Set(best.u, on, best.misfit), self.forest.shift)
                better = at.misfit < best.misfit
                at = self.sets.descend(at, 15, 0.0)
                self.forest.shift = 0.0
                if not better or at.misfit > 0.97 * best.misfit or not self._is_new(at.u):
                    break
                self._follow(at)
                if self._done():
                    return
            if not self._finished():
                self._finish(self.best())
                if self._done():
                    return
