"""Random numbers, sums and eigenvalues whose bits are the same on every machine: numpy's and the C library's logarithms, sums and
eigenvalues differ in their last digit from one processor to the next."""

from __future__ import annotations

import math
import random
from decimal import Context, Decimal
from typing import Iterable, Tuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_DIGITS = Context(prec=25)


def log(x: float) -> float:
    return float(_DIGITS.ln(Decimal(x)))


def exp(x: float) -> float:
    return float(_DIGITS.exp(Decimal(x)))


def total(values: Iterable[float]) -> float:
    """The sum, rounded once."""
    return math.fsum(values)


def dot(a: Array, b: Array) -> float:
    return math.fsum(a * b)


def times(matrix: Array, vector: Array) -> Array:
    return np.array([dot(row, vector) for row in matrix])


class Random:
    """Uniform numbers of Python's generator, whose sequence is fixed for a seed, and normal ones made from them."""

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


def eigen(matrix: Array) -> Tuple[Array, Array]:
    """Eigenvalues, and eigenvectors as columns, of a symmetric matrix, by Jacobi's rotations in the order of rows."""
    a, vectors = matrix.copy(), np.eye(len(matrix))
    for _ in range(30):
        off = a - np.diag(np.diag(a))
        if not (np.abs(off) > 1e-15 * np.abs(np.diag(a)).max()).any():
            break
        for p in range(len(a) - 1):
            for q in range(p + 1, len(a)):
                if a[p, q] != 0:
                    _rotate(a, vectors, p, q)
    return np.diag(a).copy(), vectors


def _rotate(a: Array, vectors: Array, p: int, q: int) -> None:
    """a[p, q] <- 0 (Golub and Van Loan, Matrix Computations, 8.5)"""
    ratio = float((a[q, q] - a[p, p]) / (2 * a[p, q]))
    t = math.copysign(1, ratio) / (abs(ratio) + math.sqrt(1 + ratio * ratio))
    c = 1 / math.sqrt(1 + t * t)
    s = t * c
    for m in (a, vectors):
        m[:, p], m[:, q] = c * m[:, p] - s * m[:, q], s * m[:, p] + c * m[:, q]
    a[p], a[q] = c * a[p] - s * a[q], s * a[p] + c * a[q]
    a[p, q] = a[q, p] = 0
