"""The search for sites, times and velocities on superposed waves: insertion and exchange of sites, and runs of the full model that finish
the best sets."""

from __future__ import annotations

import math
from typing import List, NamedTuple, Tuple

import numpy as np

from .exact import Array, Random
from .forest import Forest, soft_minimum
from .search import Point, Search, length

BEGINNINGS, KEPT = 6, 2  # of a round, and those that go on to exchanges
FEW, MANY = (
    20,
    60,
)  # places of the dictionary that are tried for a site of a beginning, and of an exchange
EARLY = (5.0, 14.0, 26.0)  # ms before its place is activated by the others, a site is tried
TRIED = 3  # of these, descended
GAIN = 0.015  # of the differences, by which an exchange is accepted
DAMPING, LONGEST = 0.05, 0.1
CLOSE, AGAIN = (
    1.15,
    0.02,
)  # of the least differences: ends that are followed by runs; of the box: ends that are the same
POLISH = 7  # runs by the slopes of superposed waves
NEAR = 1.25  # of the noise: slopes of runs are made at once; further away exchanges come first
FALSE = 0.03  # of the differences: a set above the noise is left when a step by slopes of runs gains less
ROUNDS = 12
SMOOTH = (6.0, 3.0, 0.0)  # ms


def norm(r: Array) -> float:
    """The length of a vector; `search.length` has the same bits everywhere."""
    return float(np.sqrt(r @ r))


class Set(NamedTuple):
    """A vector, which sites of it are there, and the length of its differences."""

    u: Array
    on: Tuple[int, ...]
    misfit: float = math.inf


class Insertion:
    """`fits`: whether a misfit is within the noise; `near`: of misfits for which slopes by runs are worth while."""

    def __init__(self, forest: Forest, search: Search, random: Random, fits: float) -> None:
        self.forest, self.search, self.random, self.fits = forest, search, random, fits
        # of earlier ends: sites, with their points and starts
        self.pool: List[Tuple[int, Array, float]] = []
        self.tried: List[Array] = []

    # ---- on superposed waves ----

    def _descend(self, at: Set, steps: int, width: float, least: float = 2e-3) -> Set:
        """Levenberg and Marquardt's method"""
        forest, smooth, damping = self.forest, self.search.smooth, DAMPING
        for _ in range(steps):
            r, directions, J = forest.slopes(at.u, at.on)
            r, J = smooth(r, width), smooth(J, width)
            at = at._replace(misfit=norm(r))
            H, g = J.T @ J, J.T @ r
            diagonal, new = np.diag(H), at
            free = np.ones(len(g), bool)
            for _ in range(4):
                step = np.zeros(len(g))
                A = H + np.diag(damping * (diagonal + 1e-3 * diagonal.max()) + 1e-14)
                for _ in range(2):  # what would leave the bounds stays there
                    step[:] = 0
                    step[free] = -np.linalg.solve(A[np.ix_(free, free)], g[free])
                    step *= min(1.0, LONGEST / (abs(step).max() + 1e-30))
                    u = self.search.domain.repair(at.u + step @ directions, at.u)
                    free = abs(directions @ (u - at.u)) >= 0.02 * abs(step)
                    if free.all() or not free.any():
                        break
                new = Set(u, at.on, norm(smooth(forest.differences(u, at.on), width)))
                if new.misfit < at.misfit:
                    break
                damping *= 6
            if not new.misfit < at.misfit:
                break
            gain, at, damping = 1 - new.misfit / at.misfit, new, max(1e-4, damping / 4)
            if gain < least:
                break
        return at

    def _options(self, at: Set, site: int, count: int, width: float) -> List[Set]:
        """`at` with one site more, where least is left once the others have followed, the best TRIED"""
        forest, smooth, domain = self.forest, self.search.smooth, self.search.domain
        sites = forest.surface.of[site]
        chosen = sorted({int(self.random.uniform() * len(sites)) for _ in range(count)})
        indices, points = [int(sites[k]) for k in chosen], forest.surface.points
        on = tuple(sorted((*at.on, site)))
        vectors: List[Array] = []
        if not at.on:
            for index in indices:
                vectors.append(forest.with_site(at.u, site, points[index], self._drawn_start(site)))
            left = [norm(smooth(forest.differences(u, on), width)) for u in vectors]
            return [Set(vectors[k], on, left[k]) for k in np.argsort(left, kind="stable")[:TRIED]]
        _, directions, J = forest.slopes(at.u, at.on)
        J = smooth(J, width)
        H = J.T @ J
        follow = (
            np.linalg.inv(H + np.diag(0.1 * (np.diag(H) + 1e-2 * np.diag(H).max()) + 1e-14)) @ J.T
        )
        T, first_at = forest.arrivals(at.u, at.on)[0], forest.first_at_sites(at.u, at.on)
        times: List[Array] = []

        def add(u: Array, alone: Array) -> None:
            moved = forest.start(u, at.on[0]) - forest.start(at.u, at.on[0])  # relative starts
            vectors.append(u)
            both = np.array([T + moved, forest.start(u, site) + alone])
            times.append(soft_minimum(both, forest.m))

        for index, alone in zip(indices, forest.times_alone(at.u, indices)):
            for early in EARLY:
                start = float(first_at[index]) - early - 5 * self.random.uniform()
                add(forest.with_site(at.u, site, points[index], start), alone)
        for of, point, start in self.pool[-24:]:
            if min(np.linalg.norm(forest.place(at.u, k)[0] - point) for k in at.on) > 6:
                u = forest.with_site(at.u, site, point, start, of)
                add(u, forest.arrivals(u, (site,))[0] - forest.start(u, site))
        r = smooth(forest.of_times(np.array(times), at.u).T, width)
        steps = -follow @ r
        steps *= np.minimum(1.0, LONGEST / (abs(steps).max(axis=0) + 1e-30))
        left = np.sqrt(((r + J @ steps) ** 2).sum(axis=0))
        return [
            Set(
                domain.repair(vectors[k] + steps[:, k] @ directions, vectors[k]), on, float(left[k])
            )
            for k in np.argsort(left, kind="stable")[:TRIED]
        ]

    def _drawn_start(self, site: int) -> float:
        part = self.forest.layout.starts[site]
        if part is None:
            return 0.0
        own = self.search.domain.parts[part]
        return float(own.values(own.draw(self.random))[0])

    def _exchange(self, at: Set, width: float) -> Tuple[Set, bool]:
        """Each site taken out and put elsewhere, the least needed first"""
        rest = [at._replace(on=tuple(k for k in at.on if k != site)) for site in at.on]
        left = [
            norm(self.search.smooth(self.forest.differences(x.u, x.on), width)) if x.on else 0.0
            for x in rest
        ]
        for n in sorted(range(len(rest)), key=lambda n: left[n]):
            for option in self._options(rest[n], at.on[n], MANY, width):
                new = self._descend(option, 10, width)
                if new.misfit < at.misfit * (1 - GAIN):
                    return self._descend(new, 20, width), True
        return at, False

    def _begin(self, width: float) -> Set:
        at = Set(self.search.domain.draw(self.random), ())
        order = sorted(range(self.forest.sites), key=lambda _: self.random.uniform())
        for site in order:
            at = self._descend(self._options(at, site, FEW, width)[0], 8, width)
        return at

    def _round(self) -> List[Set]:
        """Ends of exchanges, the best first"""
        widths = SMOOTH if self.forest.measured.leads else (0.0,)
        self.forest.rough = True
        begun = sorted((self._begin(widths[0]) for _ in range(BEGINNINGS)), key=lambda x: x.misfit)
        found = []
        for at in begun[:KEPT]:
            width, failed = widths[min(1, len(widths) - 1)], 0
            at = self._descend(self._descend(at, 20, widths[0]), 20, width)
            while failed < 2:
                at, better = self._exchange(at, width)
                failed = 0 if better else failed + 1
            self.forest.rough = False
            at = self._descend(at, 25, 0)
            self.forest.rough = True
            found.append(at)
            for k in at.on:
                self.pool.append((k, self.forest.place(at.u, k)[0], self.forest.start(at.u, k)))
        self.forest.rough = False
        return sorted(found, key=lambda x: x.misfit)

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
            new = self._descend(
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
                at, better = self._exchange(Set(best.u, on, best.misfit), 0.0)
                at = self._descend(at, 15, 0.0)
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
