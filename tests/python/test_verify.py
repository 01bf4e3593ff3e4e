#!/usr/bin/env python3
"""test_verify.py CARDIAC GROWING SOURCE: three problems of `cardiac verify` (eigenmode, exact, niederer) a second time, by meshes,
matrices, cells and steps that are written here in numpy: the program has their V at each node.

  Linear elements: K_ij = sum_e |e| grad phi_i . D grad phi_j, M = f M_lumped + (1 - f) M_consistent
  A step: the cells by Godunov's splitting, then (M + theta dt K) (V' - V) = -dt K V

Each bound is what the sweeps of a step may leave (solver.tolerance), times the steps, times the growth of such an error."""
import itertools
import json
import math
import warnings

from support import Case, main, np

import cardiac

TOLERANCE = 1e-11  # mV, of a step
VARIANTS = [  # method, theta (1/2: staggered steps, 1: Godunov's), f
    ("jacobi", 1, 1), ("jacobi", 0.5, 1), ("chebyshev", 0.5, 0.5), ("chebyshev", 1, 0)]


def lattice(size, spacing):
    """Points (n, 3) in mm, x first, and elements (m, d + 1) of Kuhn's subdivision: in a cube, the paths along its axes."""
    count = [round(length / spacing) + 1 for length in size]
    index = np.arange(math.prod(count)).reshape(count, order="F")
    points = np.zeros((index.size, 3))
    points[:, :len(size)] = np.stack(np.unravel_index(np.arange(index.size), count, order="F"), 1) * spacing
    cells = []
    for order in itertools.permutations(range(len(size))):
        corners = np.cumsum([np.zeros(len(size), int)] + [np.eye(len(size), dtype=int)[axis] for axis in order], axis=0)
        cells.append(np.stack([index[tuple(slice(a, n - 1 + a) for a, n in zip(at, count))].ravel() for at in corners], 1))
    return points, np.concatenate(cells)


class Matrices:
    """K and the consistent mass as sums of entries of elements; volumes (m); the lumped mass (n). tensor: D (d, d), mm^2/ms"""

    def __init__(self, points, cells, tensor):
        d = cells.shape[1] - 1
        edges = (points[cells[:, 1:]] - points[cells[:, :1]])[..., :d]
        inverse = np.linalg.inv(edges).transpose(0, 2, 1)
        gradients = np.concatenate([-inverse.sum(1, keepdims=True), inverse], 1)
        self.n, self.volumes = len(points), np.abs(np.linalg.det(edges)) / math.factorial(d)
        self.row, self.column = np.repeat(cells, d + 1, axis=1).ravel(), np.tile(cells, d + 1).ravel()
        self.stiffness = (self.volumes[:, None, None] * (gradients @ tensor @ gradients.transpose(0, 2, 1))).ravel()
        self.consistent = (self.volumes[:, None, None] * (1 + np.eye(d + 1)) / ((d + 1) * (d + 2))).ravel()
        self.lumped = np.bincount(cells.ravel(), np.repeat(self.volumes, d + 1) / (d + 1))

    def dense(self, entries):
        return np.bincount(self.row * self.n + self.column, entries, self.n**2).reshape(self.n, self.n)

    def product(self):
        """x -> K x, each entry summed once"""
        key, place = np.unique(self.row * self.n + self.column, return_inverse=True)
        values, start = np.bincount(place.ravel(), self.stiffness), np.searchsorted(key, np.arange(self.n) * self.n)
        column = key % self.n
        return lambda x: np.add.reduceat(values * x[column], start)

    def diffusion(self, dt):
        """V -> V after a step: theta and f 1, conjugate gradients until the residual is far below the tolerance"""
        times = self.product()
        diagonal = self.lumped + dt * np.bincount(self.row, self.stiffness * (self.row == self.column))

        def step(v):
            x, r = np.zeros(self.n), -dt * times(v)
            z = p = r / diagonal
            while np.abs(z).max() > TOLERANCE / 100:
                image = self.lumped * p + dt * times(p)
                length = (r @ z) / (p @ image)
                before, x, r = r @ z, x + length * p, r - length * image
                z = r / diagonal
                p = z + (r @ z) / before * p
            return v + x
        return step


def config(mesh, model, conductivity, fibers, step, method="jacobi", theta=1, lumping=1, stimuli=(), parameters=None):
    """chi Cm = 1400 uF/cm^3: a conductivity of 1.4 D S/m for D in mm^2/ms"""
    region = {"model": model, "conductivity": conductivity, "parameters": parameters or {}}
    return {"version": 1, "mesh": mesh, "time": {"step": step}, "threads": 1, "device": "cpu", "stimuli": list(stimuli),
            "tissue": {"surface_to_volume": "1400 /cm", "capacitance": "1 uF/cm^2", "fibers": fibers, "regions": [region]},
            "solver": {"splitting": "godunov" if theta == 1 else "staggered", "method": method, "mass_lumping": lumping, "tolerance": TOLERANCE, "precision": "double"}}


def write_gmsh(path, points, cells):
    """Triangles or tetrahedra, types 2 and 4 of Gmsh's format 2.2"""
    kind = {3: 2, 4: 4}[cells.shape[1]]
    nodes = ["%d %r %r %r" % (i + 1, *map(float, p)) for i, p in enumerate(points)]
    elements = ["%d %d 2 1 1 " % (i + 1, kind) + " ".join(map(str, c + 1)) for i, c in enumerate(cells)]
    with open(path, "w") as file:
        print("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes", len(nodes), *nodes, "$EndNodes", sep="\n", file=file)
        print("$Elements", len(elements), *elements, "$EndElements", sep="\n", file=file)


class Verify(Case):
    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore")  # of coarse meshes and of tissue without a stimulus

    def near(self, what, found, wanted, bound):
        self.assertLessEqual(np.abs(found - wanted).max(), bound, "%s: the largest difference of a node" % what)

    def mode_left(self, points, cells, fiber, waves, size, method, theta, lumping):
        """After 20 steps of the program from 50 mV times a mode of the matrices here: its V, the mode, lambda, the part that should
        be left"""
        along, across, step, d = 0.1, 0.03, 0.05, len(size)
        unit = np.array(fiber[:d]) / np.linalg.norm(fiber[:d])
        matrices = Matrices(points, cells, across * np.eye(d) + (along - across) * np.outer(unit, unit))
        mass = lumping * np.diag(matrices.lumped) + (1 - lumping) * matrices.dense(matrices.consistent)
        root = np.linalg.cholesky(mass)
        inverse = np.linalg.inv(root)
        rates, modes = np.linalg.eigh(inverse @ matrices.dense(matrices.stiffness) @ inverse.T)
        k = np.argmax(np.abs(modes.T @ (root.T @ np.cos(points[:, :d] * np.array(waves) * np.pi / size).prod(1))))
        mode, x = inverse.T @ modes[:, k], rates[k] * step
        mode /= mode[np.argmax(np.abs(mode))]
        write_gmsh("mode.msh", points, cells)
        tissue = config({"file": "mode.msh", "scale": "1 mm"}, "passive", {"longitudinal": 1.4 * along, "transverse": 1.4 * across},
                        fiber[:d] + [0] * (3 - d), step, method, theta, lumping, parameters={"g": 0})
        with cardiac.Simulation(tissue) as sim:
            sim["V"] = 50 * mode
            sim.advance(20 * step)
            left = (1 - (1 - theta) * x) / (1 + theta * x)
            first = left if theta == 1 else (1 + x / 2) ** -2  # two halves by backward Euler
            return sim["V"], mode, rates[k], first * left**19

    def test_eigenmode(self):
        """Bent elements, fibres along no axis: a mode is left with the scheme's factor, whatever the mesh."""
        for size, variant in itertools.product(([1.4, 0.8], [1, 0.5, 0.4]), VARIANTS):
            points, cells = lattice(size, 0.1)
            points[:, :len(size)] += 0.01 * np.random.default_rng(1).uniform(-1, 1, (len(points), len(size)))
            v, mode, _, left = self.mode_left(points, cells, [0.9, 0.4, 0.2], [1] + [0] * (len(size) - 1), size, *variant)
            self.near("%d-D, %s" % (len(size), variant), v, 50 * left * mode, 2 * 20 * TOLERANCE)

    def test_eigenvalue(self):
        """The program decays at the rate lambda, whose distance from pi^2 sum D_i (k_i / L_i)^2 falls as h^2. 4e-10 mV of the 2.5 mV
        that are left are 2e-10 /ms of the rate."""
        size, waves, error = np.array([1.2, 0.8]), np.array([2, 1]), []
        exact = np.pi**2 * (np.array([0.1, 0.03]) * (waves / size) ** 2).sum()
        for h in 0.1, 0.05:
            v, mode, rate, _ = self.mode_left(*lattice(size, h), [1, 0, 0], waves, size, "jacobi", 1, 1)
            decay = ((mode @ mode) * 50 / (mode @ v)) ** (1 / 20)
            self.assertAlmostEqual((decay - 1) / 0.05, rate, delta=2e-10)
            error.append((decay - 1) / 0.05 - exact)
        self.assertTrue(1.9 < math.log2(error[0] / error[1]) < 2.1, error)

    def test_exact(self):
        """Pathmanathan and Gray 2014: V = sqrt(1 + t) F, u1 = (1 + t) G + V. The program's V and u1, and the errors that `verify
        exact` prints, whose tolerance is 1e-9 mV. A V that began 1e-6 higher everywhere ends 6.8e-6 higher: a growth of 10 is enough."""
        lines = map(json.loads, self.shell("verify", "exact", "--quick", "--json", "--threads", "1").splitlines())
        printed = {(line["case"][0], line["figure"]): line["value"] for line in lines if "figure" in line}
        sigma = np.array([1.1, 1.2, 0.3]) / np.pi**2 / 6
        for d, fine in itertools.product((2, 3), (1, 2)):
            points, cells = lattice([1] * d, 0.1 / fine)
            f = np.cos(points[:, :d] * np.arange(1, d + 1) * np.pi).prod(1)
            g = 1 + (points[:, :d] ** np.arange(1, d + 1)).prod(1)
            matrices, dt, leak = Matrices(points, cells, np.diag(sigma[:d])), 0.1 / fine**2, {2: -5.9, 3: -8.6}[d] / 6

            def rates(v, a, b):
                gap = a - v
                return np.stack([gap * b**2 * v / 2 - leak * v, gap**2 * b**2 + gap * b**2 * v / 2, -gap * b**3])

            step, steps, y, error = matrices.diffusion(dt), 10 * fine**2, np.stack([f, g + f, g**-0.5]), 0
            for n in range(steps):
                first = rates(*y)
                y = y + dt * (first + rates(*(y + dt * first))) / 2  # Heun
                y[0] = step(y[0])
                error = max(error, math.sqrt(matrices.lumped @ (y[0] - math.sqrt(1 + dt * (n + 1)) * f) ** 2))
            axes = {name: np.tile(np.eye(3)[k], (len(cells), 1)) for k, name in enumerate(("fibers", "sheets"))}
            mesh = {"sheet slab".split()[d - 2]: {"size": [1] * d, "spacing": 0.1 / fine}, "sheets": axes["sheets"]}
            conductivity = dict(zip(("longitudinal", "transverse", "normal"), map(float, 1.4 * sigma)))
            with cardiac.Simulation(config(mesh, "pathmanathan-gray", conductivity, axes["fibers"], dt, parameters={
                    "beta": 6 * leak, "chi": 3, "Cm": 2})) as sim:
                self.near("points", sim.points, points, 1e-15)
                for name, value in ("V", f), ("u1", g + f), ("u2", g**-0.5):
                    sim[name] = value
                sim.advance(1)
                for name, value in ("V", y[0]), ("u1", y[1]):
                    self.near("%d-D, %s" % (d, name), sim[name], value, 10 * steps * TOLERANCE)
            state = math.sqrt(matrices.lumped @ (y[1] - 2 * g - math.sqrt(2) * f) ** 2)
            for figure, value in ("error of V in Linf(L2)", error), ("error of u1 at t = 1 in L2", state):
                there = printed[str(d), "%s, h = %g" % (figure, 0.1 / fine)]
                self.assertAlmostEqual(there, value, delta=10 * steps * 1e-9)

    def test_niederer(self):
        """The benchmark's slab, tensor and stimulus with another model, Mitchell and Schaeffer's: V, h and activations of 10 ms. Cells
        let an error grow at the rate max(2 u - 3 u^2) / tau_in = 1 / 0.9 ms at most; diffusion does not, as M + dt K has no positive
        entry off the diagonal."""
        size, h, dt, end = [20, 7, 3], 0.5, 0.05, 10
        bound = TOLERANCE * 0.9 / dt * math.exp(end / 0.9)  # the sum of TOLERANCE e^((end - t) / 0.9) over the steps
        points, cells = lattice(size, h)
        intra, extra = np.array([0.17, 0.019]), np.array([0.62, 0.24])
        along, across = intra * extra / (intra + extra) / 1.4
        matrices = Matrices(points, cells, np.diag([along, across, across]))
        inside = (points[cells].mean(1) < 1.5).all(1) * matrices.volumes  # the box is whole elements
        share = np.bincount(cells.ravel(), np.repeat(inside, 4)) / np.bincount(cells.ravel(), np.repeat(matrices.volumes, 4))
        current = 50000 / 1400 * np.round(256 * share) / 256  # uA/uF: a node has its share in steps of 1/256
        v, gate, active = np.full(len(points), -80.0), np.ones(len(points)), np.full(len(points), np.nan)
        step, slope = matrices.diffusion(dt), np.inf
        for n in range(round(end / dt)):
            before, u = v, (v + 80) / 100
            v = v + dt * (current * (n < round(2 / dt)) + 100 * (gate * u**2 * (1 - u) / 0.3 - u / 6))
            gate = np.where(u < 0.13, 1 - (1 - gate) * math.exp(-dt / 120), gate * math.exp(-dt / 150))
            v = step(v)
            crossed = np.isnan(active) & (before < 0) & (v >= 0)
            active[crossed] = dt * (n - before[crossed] / (v - before)[crossed])
            slope = min(slope, (v - before)[crossed].min(initial=np.inf) / dt)
        slab = {"slab": {"size": size, "spacing": h}}
        box = {"name": "S1", "box": {"min": [0, 0, 0], "max": [1.5, 1.5, 1.5]}, "duration": 2, "current": "50000 uA/cm^3"}
        both = {name: {"longitudinal": s[0], "transverse": s[1]} for name, s in (("intra", intra), ("extra", extra))}
        tissue = {**config(slab, "mitchell-schaeffer", both, [1, 0, 0], dt, stimuli=[box]), "activation": {"threshold": "0 mV"}}
        with cardiac.Simulation(tissue) as sim:
            sim.advance(end)
            self.near("V", sim["V"], v, bound)
            self.near("gate", sim["h"], gate, 1e-13)
            there = np.isfinite(active)
            self.assertTrue(np.array_equal(there, np.isfinite(sim["activation_time"])) and there.sum() > 100)
            self.near("activation", sim["activation_time"][there], active[there], bound / slope)


if __name__ == "__main__":
    main()
