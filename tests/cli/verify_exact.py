#!/usr/bin/env python3
"""The errors that `cardiac verify exact` holds the 1-D problem to, from a second program: differences on a line.

usage: verify_exact.py CARDIAC

On a line, linear elements with lumped mass are central differences. The same scheme (Heun's step of the cells, then
backward Euler, directly solved) from the equations of Pathmanathan and Gray, 2014, must have the same errors.
"""
import re
import subprocess
import sys
from math import cos, pi, sqrt

CHI, CM, BETA, SIGMA = 3, 2, -1.1, 1.1 / pi**2


def rates(v, u1, u2):
    ion = -CM / 2 * (u1 - v) * u2**2 * v + BETA * v / CHI
    return -ion / CM, (u1 - v)**2 * u2**2 + (u1 - v) * u2**2 * v / 2, -(u1 - v) * u2**3


def heun(cell, dt):
    first = rates(*cell)
    second = rates(*[y + dt * k for y, k in zip(cell, first)])
    return [y + dt / 2 * (a + b) for y, a, b in zip(cell, first, second)]


def diffuse(v, mass, r):
    """(mass + r K) v_new = mass v, K = tridiag(-1, 2, -1) with ends of 1"""
    n = len(v) - 1
    diagonal = [mass[i] + r * ((i > 0) + (i < n)) for i in range(n + 1)]
    right = [m * value for m, value in zip(mass, v)]
    for i in range(1, n + 1):
        diagonal[i] -= r * r / diagonal[i - 1]
        right[i] += r / diagonal[i - 1] * right[i - 1]
    right[n] /= diagonal[n]
    for i in range(n - 1, -1, -1):
        right[i] = (right[i] + r * right[i + 1]) / diagonal[i]
    return right


def errors(level):
    """(largest L2 error of V over the steps, L2 error of u1 at t = 1) with h = 0.1 / 2^level, dt = 10 h^2"""
    n, steps = 10 * 2**level, 10 * 4**level
    f = [cos(pi * i / n) for i in range(n + 1)]
    g = [1 + i / n for i in range(n + 1)]
    mass = [(1 if 0 < i < n else 0.5) / n for i in range(n + 1)]
    cells = [[f[i], g[i] + f[i], 1 / sqrt(g[i])] for i in range(n + 1)]
    worst = 0
    for step in range(1, steps + 1):
        cells = [heun(cell, 1 / steps) for cell in cells]
        for cell, v in zip(cells, diffuse([cell[0] for cell in cells], mass, SIGMA / (CHI * CM) * n / steps)):
            cell[0] = v
        scale = sqrt(1 + step / steps)
        worst = max(worst, sqrt(sum(m * (c[0] - scale * a)**2 for m, c, a in zip(mass, cells, f))))
    return worst, sqrt(sum(m * (c[1] - 2 * b - sqrt(2) * a)**2 for m, c, a, b in zip(mass, cells, f, g)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    command = [sys.argv[1], "verify", "exact", "--quick", "--threads", "1", "--device", "cpu"]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.split("2-D")[0]
    found = re.findall(r"h = \S+ +(\S+) +in \[(\S+), (\S+)\]", printed)
    assert len(found) == 10, printed
    for level in range(4):  # the last takes eight times as long again
        for want, figures in zip(errors(level), found[2 * level:2 * level + 2]):
            value, low, high = map(float, figures)
            print(f"level {level}: {want:.6e}, cardiac {value:.6e}, held to {(low + high) / 2:.6e}")
            assert abs(value / want - 1) < 2e-4 and abs((low + high) / 2 / want - 1) < 2e-4
