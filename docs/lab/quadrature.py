#!/usr/bin/env python3
"""quadrature.py [--check]: quadrature.csv -> a table of accuracy.md: the velocity of plane fronts by mass matrix and by where the ionic
current is evaluated; --check: status 1 if the page holds another one.

quadrature.py measure PROGRAM: makes quadrature.csv anew, by `cardiac check` and `cardiac tune` on cables, and by a prototype (with numpy) of
what the program lacks: the cells of Luo and Rudy 1991 (doi 10.1161/01.RES.68.6.1501) on a cable, Godunov's splitting, backward Euler. It takes
about five minutes."""
import csv
import json
import re
import subprocess
import sys
import tempfile
from math import floor, log10
from pathlib import Path

from pages import LAB, replaced

PAGE, STORED = LAB / "accuracy.md", LAB / "quadrature.csv"
COLUMNS = ["model", "scheme", "axis", "edge_mm", "value"]  # m/s, 0 where the front blocks; "tuned": S/m
SIGMA = {"along": 0.1334, "across": 0.0176}  # S/m
EDGES = (0.2, 0.4, 0.8, 1.2)
STEP = 0.02  # ms
HUMAN, GUINEA_PIG = "tp06-epi", "luo-rudy-1991"
MASSES = {"1": "lumped", "0.5": "1/2", "0": "consistent"}
ROWS = [(HUMAN, f"nodes {f}", f"{HUMAN}, nodes, {name}") for f, name in MASSES.items()]
ROWS += [(GUINEA_PIG, f"nodes {f}", f"{GUINEA_PIG}, nodes, {name}") for f, name in MASSES.items()]
ROWS += [(GUINEA_PIG, "load", "prototype, nodes, lumped mass, consistent load")]
ROWS += [(GUINEA_PIG, f"svi {f}", f"prototype, SVI, {name}") for f, name in MASSES.items()]
ROWS += [(GUINEA_PIG, "svi 0, 5 points", "prototype, SVI, consistent, 5 Gauss points an edge")]


# What the program measures

def said(program, command, model, tissue, edge, lumping, folder):
    config = {"version": 1, "mesh": {"cable": {"length": "48 mm", "spacing": f"{edge} mm"}},
              "tissue": {"surface_to_volume": "1400 /cm", "capacitance": "1 uF/cm^2", "regions": [{"model": model, **tissue}]},
              "stimuli": [{"where": "x < 2 mm", "duration": "2 ms", "current": "50 uA/uF"}],
              "time": {"end": "10 ms", "step": f"{STEP} ms"}, "solver": {"mass_lumping": float(lumping)}}
    Path(folder, "config.json").write_text(json.dumps(config))  # YAML reads JSON
    return subprocess.run([program, command, "config.json"], cwd=folder, capture_output=True, text=True, check=True).stdout


def of_program(program):
    """Velocities on a fine mesh (edge 0) and on cables; the human cell's conductivity for the fine velocity, by `velocity:`"""
    with tempfile.TemporaryDirectory() as folder:
        for model in (HUMAN, GUINEA_PIG):
            for axis, sigma in SIGMA.items():
                for f in MASSES:
                    for edge in EDGES:
                        text = said(program, "check", model, {"conductivity": f"{sigma} S/m"}, edge, f, folder)
                        fine, here = re.search(r"every direction: ([0-9.]+) m/s[,;] (?:on this mesh it (blocks)|[0-9.]+ m/s)", text).groups()
                        here = "0" if here else re.search(r"([0-9.]+) m/s on this mesh", text)[1]
                        if edge == EDGES[0]:
                            yield [model, f"nodes {f}", axis, "0", fine]
                        yield [model, f"nodes {f}", axis, str(edge), here]
                        if model == HUMAN:
                            text = said(program, "tune", model, {"velocity": f"{fine} m/s"}, edge, f, folder)
                            yield [model, f"tuned {f}", axis, str(edge), re.search(r"conductivity: ([0-9.]+) S/m", text)[1]]


# The prototype: V and states at nodes; load, the integral of the current times a node's test function, by one of these rules

NODES, LOAD, SVI = "nodes", "load", "svi"
GAUSS2 = [(0.5 - 12 ** -0.5, 0.5), (0.5 + 12 ** -0.5, 0.5)]
GAUSS5 = [(0.5 + s * x / 2, w / 2) for x, w in ((0.5384693101056831, 0.47862867049936647), (0.9061798459386640, 0.23692688505618908)) for s in (-1, 1)]
GAUSS5 += [(0.5, 64 / 225)]


def tetrahedra():
    """Points and weights over an edge, of the rule of degree 2 with four points in the six tetrahedra of a cube of a lattice: where V depends
    on x alone, two of them have 1, two have 2 and two have 3 corners at its far end"""
    a, b = 0.5854101966249685, 0.1381966011250105
    return [rule for n in (1, 2, 3) for rule in ((a + (n - 1) * b, n / 12), (n * b, (4 - n) / 12))]


def gates(V, np):
    """alpha, beta of m, h, j, d, f, x"""
    E, low = np.exp, V < -40
    u = V + 47.13
    u = np.where(abs(u) < 1e-7, 1e-7, u)
    L = np.where(low, V, -40.0)
    return ((0.32 * u / -np.expm1(-0.1 * u), 0.08 * E(-V / 11)),
            (np.where(low, 0.135 * E(-(L + 80) / 6.8), 0),
             np.where(low, 3.56 * E(0.079 * L) + 3.1e5 * E(0.35 * L), 1 / (0.13 * (1 + E(-(V + 10.66) / 11.1))))),
            (np.where(low, (-1.2714e5 * E(0.2444 * L) - 3.474e-5 * E(-0.04391 * L)) * (L + 37.78) / (1 + E(0.311 * (L + 79.23))), 0),
             np.where(low, 0.1212 * E(-0.01052 * L) / (1 + E(-0.1378 * (L + 40.14))), 0.3 * E(-2.535e-7 * V) / (1 + E(-0.1 * (V + 32))))),
            (0.095 * E(-0.01 * (V - 5)) / (1 + E(-0.072 * (V - 5))), 0.07 * E(-0.017 * (V + 44)) / (1 + E(0.05 * (V + 44)))),
            (0.012 * E(-0.008 * (V + 28)) / (1 + E(0.15 * (V + 28))), 0.0065 * E(-0.02 * (V + 30)) / (1 + E(-0.2 * (V + 30)))),
            (0.0005 * E(0.083 * (V + 50)) / (1 + E(0.057 * (V + 50))), 0.0013 * E(-0.06 * (V + 20)) / (1 + E(-0.04 * (V + 20)))))


def currents(V, w, np):
    """Iion and its slow inward part, uA/uF; w: m, h, j, d, f, x, Ca_i"""
    E, RTF = np.exp, 26.71
    m, h, j, d, f, x, Ca = w
    E_K1 = RTF * np.log(5.4 / 145)
    Isi = 0.09 * d * f * (V - 7.7 + 13.0287 * np.log(Ca))
    v = np.where(abs(V + 77) < 1e-7, 1e-7, V + 77)
    bend = np.where(V > -100, 2.837 * np.expm1(0.04 * v) / (v * E(0.04 * (V + 35))), 1)
    u = V - E_K1
    a = 1.02 / (1 + E(0.2385 * (u - 59.215)))
    b = (0.49124 * E(0.08032 * (u + 5.476)) + E(0.06175 * (u - 594.31))) / (1 + E(-0.5143 * (u + 4.753)))
    return (23 * m * m * m * h * j * (V - RTF * np.log(140 / 18)) + Isi
            + 0.282 * x * bend * (V - RTF * np.log((5.4 + 0.01833 * 140) / (145 + 0.01833 * 18)))
            + 0.6047 * a / (a + b) * u + 0.0183 / (1 + E((7.488 - V) / 5.98)) * u + 0.03921 * (V + 59.87)), Isi


def speed(D, edge, load, f, rule, nodes=60, excited=8, step=STEP):
    """m/s of a front along a cable, D in mm^2/ms, timed over its second half; 0 where it stops"""
    import numpy as np
    neighbours = np.eye(nodes, k=1) + np.eye(nodes, k=-1)
    count = neighbours.sum(axis=1)
    lumped, consistent = np.diag(count * edge / 2), (np.diag(2 * count) + neighbours) * edge / 6
    M = f * lumped + (1 - f) * consistent
    inverse = np.linalg.inv(M + step * D / edge * (np.diag(count) - neighbours))
    of_nodes = consistent if load == LOAD else M
    V = np.full(nodes, -84.53)
    V[:excited] = 20
    w = np.array([0.00168, 0.98309, 0.98918, 0.00302, 0.99998, 0.00566, 0.00018])[:, None] * np.ones(nodes)
    at, weight = (np.array(column)[:, None] for column in zip(*rule)) if rule else (None, None)
    seen, reached, last, t = np.full(nodes, np.nan), excited, 0.0, 0.0
    while reached < nodes - 5:
        at_nodes, Isi = currents(V, w, np)
        if load == SVI:
            mix = [x[..., :-1] * (1 - at) + x[..., 1:] * at for x in (V, *w)]
            here = edge * weight * currents(mix[0], mix[1:], np)[0]
            b = np.zeros(nodes)
            b[:-1] += ((1 - at) * here).sum(axis=0)
            b[1:] += (at * here).sum(axis=0)
        else:
            b = of_nodes @ at_nodes
        new = inverse @ (M @ V - step * b)
        for k, (alpha, beta) in enumerate(gates(V, np)):
            limit = alpha / (alpha + beta)
            w[k] = limit + (w[k] - limit) * np.exp(-step * (alpha + beta))
        w[6] += step * (-1e-4 * Isi + 0.07 * (1e-4 - w[6]))
        first = np.isnan(seen) & (V < -40) & (new >= -40)
        seen[first] = t + step * ((-40 - V) / np.where(first, new - V, 1))[first]
        V, t = new, t + step
        if first[reached:].any():
            reached, last = int(np.flatnonzero(first).max()) + 1, t
        if t - last > max(10, 40 * edge / D ** 0.5):
            return 0.0
    return float(edge * (nodes - 10 - nodes // 2) / (seen[nodes - 10] - seen[nodes // 2]))


def of_prototype():
    D = {axis: sigma / 1.4 for axis, sigma in SIGMA.items()}  # S/m / (1400 /cm 1 uF/cm^2) = 1 / 1.4 mm^2/ms
    schemes = [(f"prototype {f}", NODES, float(f), None) for f in MASSES] + [("load", LOAD, 1.0, None)]
    schemes += [(f"svi {f}", SVI, float(f), tetrahedra()) for f in MASSES]
    schemes += [("svi 0, 2 points", SVI, 0.0, GAUSS2), ("svi 0, 5 points", SVI, 0.0, GAUSS5)]
    far, near = (speed(D["along"], h * D["along"] / 0.6, NODES, 1.0, None, nodes=120, excited=30) for h in (0.4, 0.2))
    for axis in SIGMA:
        yield [GUINEA_PIG, "prototype 1", axis, "0", "%.4g" % ((4 * near - far) / 3 * (D[axis] / D["along"]) ** 0.5)]
    for name, *scheme in schemes:
        for axis in SIGMA:
            for edge in EDGES:
                yield [GUINEA_PIG, name, axis, str(edge), "%.4g" % speed(D[axis], edge, *scheme)]
        if name in ("prototype 1", "prototype 0", "svi 0"):
            yield [GUINEA_PIG, name + ", 0.2 ms", "along", "0.8", "%.4g" % speed(D["along"], 0.8, *scheme, step=0.2)]


def measure(program):
    with STORED.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for source in (of_program(program), of_prototype()):
            for row in source:
                out.writerow(row)
                file.flush()


# The table

def printed(change):
    """A relative change in percent, of velocities with three digits"""
    return f"{change:+.0f}" if abs(change) >= 9.95 else f"{change:+.1f}".replace("-0.0", "0.0")


def table():
    value = {(r["model"], r["scheme"], r["axis"], float(r["edge_mm"])): float(r["value"]) for r in csv.DictReader(STORED.open())}
    cases = [(axis, edge) for axis in SIGMA for edge in EDGES]
    text = ["| change of velocity, % | " + " | ".join(f"{axis}, {edge} mm" for axis, edge in cases) + " |", "|" + "---|" * (1 + len(cases))]

    def row(name, cells):
        text.append("| " + " | ".join([name, *cells]) + " |")

    for model, scheme, name in ROWS:
        here, fine = [value[model, scheme, *case] for case in cases], [value[model, "nodes 1", axis, 0] for axis, _ in cases]
        row(name, [printed(100 * (c / c0 - 1)) if c else "blocks" for c, c0 in zip(here, fine)])
    for f, name in MASSES.items():
        row(f"conductivity by `velocity:`, {HUMAN}, {name}", [f"x {value[HUMAN, f'tuned {f}', axis, edge] / SIGMA[axis]:.2f}" for axis, edge in cases])

    pairs = [(c, value[model, scheme.replace("nodes", "prototype"), *case]) for (model, scheme, *case), c in value.items()
             if (model, scheme.replace("nodes", "prototype"), *case) in value and scheme.startswith("nodes")]
    same = all(bool(a) == bool(b) for a, b in pairs)
    beyond = max(abs(b - a) / a - 0.5 * 10 ** (floor(log10(a)) - 2) / a for a, b in pairs if a and b)
    fine = "; ".join(f"{m} {value[m, 'nodes 1', 'along', 0]:g} and {value[m, 'nodes 1', 'across', 0]:g} m/s" for m in (HUMAN, GUINEA_PIG))
    text += ["", f"On short edges, along and across: {fine}.", "With currents at nodes the prototype differs from `cardiac check` by "
             f"{100 * max(beyond, 0):.1f} % at most beyond the rounding of", f"printed velocities, and {'the same' if same else 'other'} fronts block."]
    return "\n".join(text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(str(Path(sys.argv[2]).resolve()))
    page = PAGE.read_text()
    made = replaced(page, "quadrature", table())
    if sys.argv[1:] == ["--check"]:
        sys.exit(made != page)
    PAGE.write_text(made)
