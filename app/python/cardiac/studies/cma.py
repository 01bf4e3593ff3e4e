"""CMA-ES, which searches the least value of a function by ranking samples of a normal distribution that it adapts. Names and equations are
those of Hansen's tutorial (arXiv 1604.00772), with its default constants."""

from __future__ import annotations

import math
from typing import List, Sequence

import numpy as np

from .exact import Array, Random, dot, eigen, exp, log, times, total


class Search:
    """A search from `mean` with steps of `sigma` in each coordinate.

    Attributes
    ----------
    size : int
        Samples of a generation, lambda.
    spread : float
        The largest standard deviation in any direction.
    """

    def __init__(self, mean: Array, sigma: float, random: Random, size: int = 0) -> None:
        self.m, self.sigma, self.random = mean.copy(), sigma, random
        self.n = n = len(mean)
        self.size = size or 4 + int(3 * log(n))
        self._set_weights()
        self.c_sigma = (self.mu_eff + 2) / (n + self.mu_eff + 5)
        self.damping = 1 + 2 * max(0.0, math.sqrt((self.mu_eff - 1) / (n + 1)) - 1) + self.c_sigma
        self.c_c = (4 + self.mu_eff / n) / (n + 4 + 2 * self.mu_eff / n)
        self.expected = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # of |N(0, I)|
        self.p_sigma, self.p_c, self.C = np.zeros(n), np.zeros(n), np.eye(n)
        self.faded = 1.0  # (1 - c_sigma)^(2 (g + 1)), of generation g
        self._decompose()

    def _set_weights(self) -> None:
        """Tutorial, equations 49 to 53 and 57 to 59"""
        n = self.n
        w = np.array([log((self.size + 1) / 2) - log(i + 1) for i in range(self.size)])
        self.mu = self.size // 2
        better, worse = w[: self.mu], w[self.mu :]
        self.mu_eff = total(better) ** 2 / dot(better, better)
        mu_worse = total(worse) ** 2 / dot(worse, worse)
        self.c_1 = 2 / ((n + 1.3) * (n + 1.3) + self.mu_eff)
        rank_mu = 2 * (0.25 + self.mu_eff + 1 / self.mu_eff - 2) / ((n + 2) * (n + 2) + self.mu_eff)
        self.c_mu = min(1 - self.c_1, rank_mu)
        least = min(
            1 + self.c_1 / self.c_mu,
            1 + 2 * mu_worse / (self.mu_eff + 2),
            (1 - self.c_1 - self.c_mu) / (n * self.c_mu),
        )
        scale = np.where(w >= 0, 1 / total(better), -least / total(worse))
        self.w = w * scale

    def _decompose(self) -> None:
        squares, self.B = eigen(self.C)
        self.D = np.sqrt(np.maximum(squares, 1e-20))
        self.spread = float(self.sigma * self.D.max())

    def _whiten(self, y: Array) -> Array:
        """C^-1/2 y"""
        return times(self.B, times(self.B.T, y) / self.D)

    def ask(self) -> List[Array]:
        """A generation of samples."""
        samples = []
        for _ in range(self.size):
            z = self.random.normals(self.n)
            samples.append(self.m + self.sigma * times(self.B, self.D * z))
        return samples

    def tell(self, samples: Sequence[Array], values: Sequence[float]) -> None:
        """The function's values at the samples, of which only the order counts."""
        order = sorted(range(self.size), key=lambda k: values[k])
        y = [(samples[k] - self.m) / self.sigma for k in order]
        step = np.array([total(w * s for w, s in zip(self.w[: self.mu], row)) for row in zip(*y)])
        self.m = self.m + self.sigma * step
        c_s, c_c = self.c_sigma, self.c_c
        self.p_sigma = (1 - c_s) * self.p_sigma + math.sqrt(
            c_s * (2 - c_s) * self.mu_eff
        ) * self._whiten(step)
        length = math.sqrt(dot(self.p_sigma, self.p_sigma))
        self.faded *= (1 - c_s) * (1 - c_s)
        slow = length / math.sqrt(1 - self.faded) < (1.4 + 2 / (self.n + 1)) * self.expected
        self.p_c = (1 - c_c) * self.p_c + slow * math.sqrt(c_c * (2 - c_c) * self.mu_eff) * step
        self._update_covariance(y, slow)
        self.sigma *= exp(c_s / self.damping * (length / self.expected - 1))
        self._decompose()

    def _update_covariance(self, y: Sequence[Array], slow: bool) -> None:
        """Tutorial, equations 46 and 47"""
        rest = (1 - slow) * self.c_c * (2 - self.c_c)
        C = (1 + self.c_1 * rest - self.c_1 - self.c_mu * total(self.w)) * self.C
        C = C + self.c_1 * np.multiply.outer(self.p_c, self.p_c)
        for w, y_i in zip(self.w, y):
            if w < 0:
                white = self._whiten(y_i)
                w = w * self.n / max(dot(white, white), 1e-300)
            C = C + self.c_mu * w * np.multiply.outer(y_i, y_i)
        self.C = (C + C.T) / 2
