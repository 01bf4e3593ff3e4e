"""Sets of sites on superposed waves: descents, the insertion of a site, and its exchange."""

from __future__ import annotations

import math
from typing import List, NamedTuple, Sequence, Tuple

import numpy as np

from .exact import Array, Random
from .forest import Forest, soft_minimum

FEW, MANY = (
    20,
    60,
)  # places of the dictionary that are tried for a site of a beginning, and of an exchange
EARLY = (5.0, 14.0, 26.0)  # ms before its place is activated by the others, a site is tried
TRIED = 3  # of these, descended
GAIN = 0.015  # of the differences, by which an exchange is accepted
DAMPING, LONGEST = 0.05, 0.1

Earlier = Tuple[int, Array, float]  # a site of an earlier end, its point and start


def norm(r: Array) -> float:
    """The length of a vector; `search.length` has the same bits everywhere."""
    return float(np.sqrt(r @ r))


class Set(NamedTuple):
    """A vector, which sites of it are there, and the length of its differences."""

    u: Array
    on: Tuple[int, ...]
    misfit: float = math.inf


class Sets:
    """Of a forest"""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest

    def descend(self, at: Set, steps: int, width: float, least: float = 2e-3) -> Set:
        """Levenberg and Marquardt's method"""
        forest, smooth, damping = self.forest, self.forest.measured.smooth, DAMPING
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
                    u = self.forest.domain.repair(at.u + step @ directions, at.u)
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

    def _options(
        self, at: Set, site: int, count: int, width: float, random: Random, pool: Sequence[Earlier]
    ) -> List[Set]:
        """`at` with one site more, where least is left once the others have followed, the best TRIED"""
        forest, smooth, domain = self.forest, self.forest.measured.smooth, self.forest.domain
        sites = forest.surface.of[site]
        chosen = sorted({int(random.uniform() * len(sites)) for _ in range(count)})
        indices, points = [int(sites[k]) for k in chosen], forest.surface.points
        on = tuple(sorted((*at.on, site)))
        vectors: List[Array] = []
        if not at.on:
            for index in indices:
                vectors.append(
                    forest.with_site(at.u, site, points[index], self._drawn_start(site, random))
                )
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
                start = float(first_at[index]) - early - 5 * random.uniform()
                add(forest.with_site(at.u, site, points[index], start), alone)
        for of, point, start in pool:
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

    def _drawn_start(self, site: int, random: Random) -> float:
        part = self.forest.layout.starts[site]
        if part is None:
            return 0.0
        own = self.forest.domain.parts[part]
        return float(own.values(own.draw(random))[0])

    def exchange(
        self, at: Set, width: float, random: Random, pool: Sequence[Earlier]
    ) -> Tuple[Set, bool]:
        """Each site taken out and put elsewhere, the least needed first"""
        rest = [at._replace(on=tuple(k for k in at.on if k != site)) for site in at.on]
        smooth = self.forest.measured.smooth
        left = [
            norm(smooth(self.forest.differences(x.u, x.on), width)) if x.on else 0.0 for x in rest
        ]
        for n in sorted(range(len(rest)), key=lambda n: left[n]):
            new = self._put(at, at.on[n], width, random, pool)
            if new is not at:
                return new, True
        return at, False

    def _put(
        self, at: Set, site: int, width: float, random: Random, pool: Sequence[Earlier]
    ) -> Set:
        """With a site elsewhere, if that is better, else the same"""
        rest = at._replace(on=tuple(k for k in at.on if k != site))
        for option in self._options(rest, site, MANY, width, random, pool):
            new = self.descend(option, 10, width)
            if new.misfit < at.misfit * (1 - GAIN):
                return self.descend(new, 20, width)
        return at

    def put(
        self, name: str, at: Set, site: int, shift: "float | Array", pool: Sequence[Earlier]
    ) -> Set:
        """The same on exact waves with a shift of their differences; `name`: of the random numbers"""
        self.forest.shift = shift
        found = self._put(at, site, 0.0, Random(name), pool)
        self.forest.shift = 0.0
        return found

    def begin(self, name: str, width: float, pool: Sequence[Earlier]) -> Set:
        """A set of all sites, inserted one after the other in an order that is drawn, on rough waves; `name`: of the random numbers"""
        random, self.forest.rough = Random(name), True
        at = Set(self.forest.domain.draw(random), ())
        order = sorted(range(self.forest.sites), key=lambda _: random.uniform())
        for site in order:
            at = self.descend(self._options(at, site, FEW, width, random, pool)[0], 8, width)
        self.forest.rough = False
        return at

    def improve(self, name: str, at: Set, widths: Sequence[float], pool: Sequence[Earlier]) -> Set:
        """The end of exchanges of a set on rough waves, and of a descent on exact ones"""
        random, self.forest.rough = Random(name), True
        width, failed = widths[min(1, len(widths) - 1)], 0
        at = self.descend(self.descend(at, 20, widths[0]), 20, width)
        while failed < 2:
            at, better = self.exchange(at, width, random, pool)
            failed = 0 if better else failed + 1
        self.forest.rough = False
        return self.descend(at, 25, 0)
