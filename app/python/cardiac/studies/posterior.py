"""Values that fit about as well as the best: approximate Bayesian computation by a population of samples whose distances fall, the scheme
of Lenormand, Jabot and Deffuant (Computational Statistics 28:2777, 2013) with a normal kernel for each coordinate.
"""

from __future__ import annotations

import math
from typing import Callable, List, Sequence

import numpy as np

from .domain import Domain
from .exact import Array, Random, exp

KEPT = 0.5  # alpha: of a population
LEAST = 0.03  # of new samples that come closer; with fewer it ends
Distances = Callable[[Sequence[Array]], List[float]]


class Population:
    """Samples of the domain, with weights, and distances of at most `tolerance`."""

    def __init__(self, domain: Domain, random: Random, size: int) -> None:
        self.domain, self.random, self.size = domain, random, size
        self.samples: List[Array] = []
        self.weights: List[float] = []
        self.distances: List[float] = []
        self.tolerance = math.inf

    def _spread(self) -> Array:
        """Twice the weighted variance of each coordinate"""
        whole, columns = math.fsum(self.weights), np.array(self.samples).T
        means = [math.fsum(c * self.weights) / whole for c in columns]
        spread = [
            math.fsum((c - m) * (c - m) * self.weights) / whole for c, m in zip(columns, means)
        ]
        return 2 * np.array(spread)

    def _choose(self, below: Array) -> Array:
        at = int(np.searchsorted(below, self.random.uniform() * below[-1]))
        return self.samples[min(at, len(self.samples) - 1)]

    def draw(self) -> List[Array]:
        """New samples: of the domain at first, then near those of the population"""
        if not self.samples:
            return [self.domain.draw(self.random) for _ in range(self.size)]
        width, below = np.sqrt(self._spread()), np.add.accumulate(self.weights)
        found: List[Array] = []
        while len(found) < self.size - len(self.samples):
            near = self._choose(below) + width * self.random.normals(len(width))
            if self.domain.holds(near):
                found.append(self.domain.repair(near))
        return found

    def _weight(self, sample: Array, spread: Array) -> float:
        """One over the density from which it was drawn; where all samples agree, no coordinate counts"""
        apart = np.array(self.samples) - sample
        squares = apart * apart / np.where(spread > 0, spread, math.inf)
        return 1 / math.fsum(w * exp(-math.fsum(row) / 2) for w, row in zip(self.weights, squares))

    def add(self, samples: Sequence[Array], distances: Sequence[float]) -> float:
        """Keep the closest of all; the share of the new ones that came closer than the tolerance before"""
        spread = self._spread() if self.samples else None
        new = [1.0 if spread is None else self._weight(s, spread) for s in samples]
        closer = sum(d < self.tolerance for d in distances) / len(samples)
        samples = [*self.samples, *samples]
        weights, all_distances = [*self.weights, *new], [*self.distances, *distances]
        kept = sorted(range(len(samples)), key=lambda k: all_distances[k])
        kept = kept[: int(KEPT * self.size)]
        self.samples = [samples[k] for k in kept]
        self.weights = [weights[k] for k in kept]
        self.distances = [all_distances[k] for k in kept]
        self.tolerance = self.distances[-1]
        return closer


def sample(domain: Domain, random: Random, most: int, distances: Distances) -> Population:
    """A population from at most so many distances"""
    population = Population(domain, random, max(20, most // 5))
    while most > 0:
        drawn = population.draw()[:most]
        most -= len(drawn)
        if population.add(drawn, distances(drawn)) < LEAST:
            break
    return population
