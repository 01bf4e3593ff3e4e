"""Random numbers, sums and solutions of equations whose bits are the same on every machine: numpy's and the C library's logarithms, sums
and solutions differ in their last digit from one processor to the next."""

from __future__ import annotations

import math
import random
from decimal import Context, Decimal
from typing import Iterable, List, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_DIGITS = Context(prec=25)


def log(x: float) -> float:
    """The natural logarithm, rounded once.

    >>> log(2.0)
    0.6931471805599453
    """
    return float(_DIGITS.ln(Decimal(x)))


def exp(x: float) -> float:
    """e^x, rounded once.

    >>> exp(1.0)
    2.718281828459045
    """
    return float(_DIGITS.exp(Decimal(x)))


def total(values: Iterable[float]) -> float:
    """The sum, rounded once.

    >>> total([0.1] * 10)
    1.0
    """
    return math.fsum(values)


def dot(a: Array, b: Array) -> float:
    """The sum of products, rounded once.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return math.fsum(a * b)


def combine(factors: Sequence[float], rows: Sequence[Array]) -> Array:
    """The sum of factors times rows, in their order"""
    found = np.zeros_like(rows[0])
    for factor, row in zip(factors, rows):
        found = found + factor * row
    return found


def solve(matrix: Array, right: Sequence[float]) -> List[float]:
    """The solution for a symmetric and positive definite matrix, by Cholesky's factors.

    >>> solve(np.array([[4.0, 2.0], [2.0, 2.0]]), [2.0, 0.0])
    [1.0, -1.0]
    """
    n = len(matrix)
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = float(matrix[i][j]) - total(low[i][k] * low[j][k] for k in range(j))
            low[i][j] = math.sqrt(rest) if i == j else rest / low[j][j]
    y: List[float] = []
    for i in range(n):
        y.append((right[i] - total(low[i][k] * y[k] for k in range(i))) / low[i][i])
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (y[i] - total(low[k][i] * x[k] for k in range(i + 1, n))) / low[i][i]
    return x


class Random:
    """Uniform numbers of Python's generator, whose sequence is fixed for a seed, and normal ones made from them.

    >>> Random("a").uniform() == Random("a").uniform()
    True
    """

    def __init__(self, seed: str) -> None:
        self.uniform = random.Random(seed).random

    def normal(self) -> float:
        """Marsaglia and Bray's polar method (SIAM Review 6:260, 1964)."""
        while True:
            x, y = 2 * self.uniform() - 1, 2 * self.uniform() - 1
            square = x * x + y * y
            if 0 < square < 1:
                return x * math.sqrt(-2 * log(square) / square)

    def normals(self, count: int) -> Array:
        return np.array([self.normal() for _ in range(count)])
