"""Activation and leads of any set of sites, times and velocities, superposed from waves of single sites.

Waves annihilate, so a node is activated by the first that comes, and leads are linear in V:

    T(x) = min_i (t_i + s tau_i(x; q)),    lead_l(t) = sum_x w_l(x) U_x(t - T(x))

tau_i: activation by site i alone, computed by the full model at nodes of a grid of q; s: slowness of all velocities together; q: logarithms
of their ratios, or of the velocities themselves where others are fixed. U_x: V of node x after its activation, the same for every site.
tau^2 is interpolated between sites by moving least squares, quadratic in the tangent plane, and in q by Lagrange's polynomials.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from .domain import Domain, Place, Range
from .exact import Array
from .measured import Measured

NEAR = 14  # sites between which one is interpolated
AXES = 2  # of the grid of velocities
SITES, RUNS = (40, 240), 720  # of a dictionary: sites, and runs in all
SHAPES = 4  # components of V over time
BEFORE = 12  # ms, for which V is known before activation
NODES = 6000  # with more, those of a cell count as one
PLACES = 256  # of which what lies around is remembered


class Unsuited(Exception):
    """Why waves cannot be superposed."""


class Layout(NamedTuple):
    """Which parts of a domain are what."""

    places: List[int]  # parts: the places of the sites
    starts: List[Optional[int]]  # parts: their starts; None = not varied
    fixed: List[float]  # ms, the config's starts
    stimuli: List[int]
    axes: List[int]  # parts: velocities
    uniform: bool  # they are all velocities of the tissue


def _number(text: Any) -> float:
    return float(str(text).split()[0])


def layout(domain: Domain, config: Dict[str, Any]) -> Layout:
    """Unsuited, with the reason, where the parts are not places, starts and velocities of single pulses."""
    places: Dict[int, int] = {}
    starts: Dict[int, int] = {}
    axes: List[int] = []
    for k, part in enumerate(domain.parts):
        found = re.fullmatch(r"stimuli\[(\d+)\]\.(?:\w+\.centre|start)", part.key)
        if found:
            (places if isinstance(part, Place) else starts)[int(found[1])] = k
        elif re.fullmatch(r"tissue\.regions\[\d+\]\.velocity(\.\w+)?", part.key):
            axes.append(k)
        else:
            raise Unsuited("%s is neither a place, a start nor a velocity" % part.key)
    stimuli: List[Dict[str, Any]] = config.get("stimuli", [])
    if len(places) < 2:
        raise Unsuited("one site is varied" if places else "no place is varied")
    shapes = []
    for i, stimulus in enumerate(stimuli):
        if i not in places:
            raise Unsuited("the place of stimulus %s is not varied" % stimulus.get("name", i))
        if stimulus.get("count", 1) != 1 or "protocol" in stimulus:
            raise Unsuited("stimulus %s has more than one pulse" % stimulus.get("name", i))
        form = {key: value for key, value in stimulus.items() if key not in ("name", "start")}
        kind = domain.parts[places[i]].key.split(".")[1]
        form[kind] = {key: value for key, value in form[kind].items() if key != "centre"}
        shapes.append(form)
    if any(shape != shapes[0] for shape in shapes):
        raise Unsuited("the stimuli have different shapes or currents")
    if len(axes) > AXES + 1:
        raise Unsuited("more than %d velocities are varied" % (AXES + 1))
    named = []
    for r, region in enumerate(config["tissue"]["regions"]):
        velocity = region.get("velocity")
        entries = (
            [""]
            if not isinstance(velocity, dict)
            else ["." + key for key in velocity if key != "on"]
        )
        named += [
            "tissue.regions[%d].velocity%s" % (r, entry) if velocity else "" for entry in entries
        ]
    uniform = bool(axes) and set(named) == {domain.parts[k].key for k in axes}
    if len(axes) - uniform > AXES:
        raise Unsuited("%d velocities are varied, and others are not" % len(axes))
    own = sorted(places)
    return Layout(
        [places[i] for i in own],
        [starts.get(i) for i in own],
        [_number(stimuli[i].get("start", "0 ms")) for i in own],
        own,
        axes,
        uniform,
    )


class Grid:
    """Nodes of q at which the dictionary has waves, and polynomials between them."""

    def __init__(self, domain: Domain, of: Layout) -> None:
        self.ranges = [domain.parts[k] for k in of.axes]
        self.uniform = of.uniform
        low = np.log([float(p.low) for p in self.ranges if isinstance(p, Range)])
        high = np.log([float(p.high) for p in self.ranges if isinstance(p, Range)])
        self.middle = (low + high) / 2
        bounds = [(low[k], high[k]) for k in range(len(low))]
        if self.uniform:
            bounds = [(low[k] - high[0], high[k] - low[0]) for k in range(1, len(low))]
        self.points: List[Array] = []
        for a, b in bounds:
            count = 3 if b - a < math.log(2.2) else 4 if b - a < math.log(4) else 5
            self.points.append(
                (a + b) / 2 - (b - a) / 2 * np.cos(np.pi * np.arange(count) / (count - 1))
            )
        self.nodes = [np.array(q) for q in itertools.product(*self.points)]

    def velocities(self, node: int) -> Array:
        """Of a node, at slowness 1"""
        q = self.nodes[node]
        if not self.uniform:
            return np.asarray(np.exp(q))
        z = np.concatenate([[0.0], q])
        return np.asarray(np.exp(z - z.mean() + self.middle.mean()))

    def at(self, velocities: Array) -> Tuple[float, Array, Array, Array]:
        """Slowness, weights of the nodes, and of both the derivatives by the logarithms of the velocities"""
        z = np.log(velocities)
        count = len(z)
        s, q, by = 1.0, z, np.eye(count)  # q by z
        if self.uniform:
            s = float(math.exp(self.middle.mean() - z.mean()))
            q = z[1:] - z[0]
            by = np.concatenate([-np.ones((count - 1, 1)), np.eye(count - 1)], axis=1)
        ds = np.full(count, -s / count) if self.uniform else np.zeros(count)
        values, slopes = [], []
        for x, points in zip(q, self.points):
            c, d = np.ones(len(points)), np.zeros(len(points))
            for i, p in enumerate(points):
                rest = np.delete(points, i)
                c[i] = np.prod((x - rest) / (p - rest))
                for m in range(len(rest)):
                    others = np.delete(rest, m)
                    d[i] += np.prod((x - others) / (p - others)) / (p - rest[m])
            values.append(c)
            slopes.append(d)

        def outer(rows: Sequence[Array]) -> Array:
            found = np.ones(1)
            for row in rows:
                found = np.outer(found, row).ravel()
            return found

        dc = np.zeros((count, len(self.nodes)))
        for a in range(len(q)):
            dc += np.outer(by[a], outer([*values[:a], slopes[a], *values[a + 1 :]]))
        return s, outer(values), ds, dc


def spread_out(points: Array, groups: NDArray[np.int64], most: int, apart: float) -> List[int]:
    """Points in nested order, each the farthest from those before, until they are so near to each other."""
    found = [0]
    far = np.linalg.norm(points - points[0], axis=1) + 1e3 * (groups != groups[0])
    while len(found) < min(most, len(points)) and far.max() > apart:
        k = int(np.argmax(far))
        found.append(k)
        far = np.minimum(
            far, np.linalg.norm(points - points[k], axis=1) + 1e3 * (groups != groups[k])
        )
    return found


Around = Tuple[NDArray[np.int64], Array, List[Array]]


class Surface:
    """The nodes on which sites may be, with normals; `of`[k]: those of place k, as sites of the dictionary."""

    def __init__(self, domain: Domain, of: Layout, edge: float, most: int) -> None:
        parts = [domain.parts[k] for k in of.places]
        nodes = np.unique(np.concatenate([p.nodes for p in parts if isinstance(p, Place)]))
        normals, points = np.zeros((len(nodes), 3)), np.zeros((len(nodes), 3))
        number: Dict[str, int] = {}
        for p in parts:
            if isinstance(p, Place) and p.condition not in number:
                number[p.condition] = len(number)
                at = np.searchsorted(nodes, p.nodes)
                normals[at], points[at] = p.normals, p.points
        flags = np.array([np.isin(nodes, p.nodes) for p in parts if isinstance(p, Place)])
        order = spread_out(points, flags.T @ (1 << np.arange(len(flags))), most, 2 * edge)
        self.points, self.normals, self.nodes = points[order], normals[order], nodes[order]
        self.of = [np.flatnonzero(flag[order]) for flag in flags]

    def around(self, p: Array, normal: Array, tangents: Sequence[Array], slopes: bool) -> Around:
        """Sites, and their weights in the value at p; and the derivatives of these along tangents, if slopes"""
        far = np.linalg.norm(self.points - p, axis=1)
        alike = self.normals @ normal
        far = np.where((alike > 0) | (not normal.any()), far, far + 1e3)
        order = np.argsort(far, kind="stable")[: NEAR + 1]
        near, radius = order[:NEAR], 1.05 * float(far[order[-1]]) + 1e-3
        X, lean = self.points[near], np.clip(0.3 + alike[near], 0.02, 1.0)

        def weights(q: Array) -> Array:
            D = (X - q) / radius
            uv = [D @ t for t in tangents]
            w = np.clip(1 - np.linalg.norm(D, axis=1), 0, 1)
            w = w * w * w * (4 - 3 * w) * lean + 1e-7
            rows = [
                np.ones(len(X)),
                *uv,
                *(a * b for a, b in itertools.combinations_with_replacement(uv, 2)),
            ]
            B = np.array(rows)
            ridge = np.array([0.0, *[1e-5] * len(uv), *[1e-3] * (len(rows) - 1 - len(uv))])
            A = (B * w) @ B.T + np.diag(ridge) * w.sum()
            found: Array = (np.linalg.solve(A, np.eye(len(rows))[0]) @ B) * w
            return found

        own, step = weights(p), 0.05
        return near, own, [(weights(p + step * t) - own) / step for t in tangents] if slopes else []


class Templates(NamedTuple):
    """V after activation: sum over q of rows[q, u] times share[q, x], u in ms from -BEFORE."""

    rows: Array
    share: Array

    @staticmethod
    def of(V: Array) -> Templates:
        """From V of each node, (times, nodes)"""
        whole = V - V[0].mean()
        values, vectors = np.linalg.eigh(whole @ whole.T)
        rows = vectors[:, ::-1][:, :SHAPES].T
        return Templates(rows, rows @ whole)


class Leads:
    """Leads of an activation, by histograms of weights over time."""

    def __init__(self, weights: Array, templates: Templates, times: Array) -> None:
        """weights: (kinds, nodes, leads), whose factors follow from the velocities"""
        kinds, nodes, self.leads = weights.shape
        self.shapes = len(templates.rows)
        self.W = (
            np.einsum("knl,qn->knql", weights, templates.share)
            .reshape(kinds, nodes, -1)
            .astype(np.float32)
        )
        self.first = math.floor(times[0]) - templates.rows.shape[1]
        self.bins = math.ceil(times[-1]) + BEFORE - self.first + 2
        u = times[:, None] - (self.first + np.arange(self.bins))[None]
        A = np.stack(
            [
                np.interp(u, np.arange(templates.rows.shape[1]) - BEFORE, row)
                for row in templates.rows
            ],
            axis=2,
        )
        self.A = A.reshape(len(times), -1).astype(np.float32)

    def _sum(
        self,
        keys: NDArray[np.int64],
        order: NDArray[np.int64],
        W: Array,
        columns: Sequence[Array],
        groups: int,
    ) -> List[Array]:
        """Sums of W times each column over the nodes of each key, (groups, bins, shapes * leads)"""
        sorted_keys = keys[order]
        begin = np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]]))
        found = []
        for column in columns:
            H = np.zeros((groups * self.bins, W.shape[1]), np.float32)
            H[sorted_keys[begin]] = np.add.reduceat(
                W * column[order, None].astype(np.float32), begin, axis=0
            )
            found.append(H.reshape(groups, self.bins, -1))
        return found

    def _leads(self, H: Array) -> Array:
        """(columns, bins, shapes * leads) -> (columns, times, leads)"""
        X = (
            H.reshape(len(H), self.bins * self.shapes, self.leads)
            .transpose(1, 0, 2)
            .reshape(self.bins * self.shapes, -1)
        )
        found: Array = (
            (self.A @ X).reshape(len(self.A), len(H), self.leads).transpose(1, 0, 2).astype(float)
        )
        return found

    def compute(
        self,
        T: Array,
        owner: NDArray[np.int64],
        dT: Sequence[Array],
        factors: Array,
        dfactors: Array,
        sites: int,
    ) -> Tuple[Array, Optional[Array], Optional[Array]]:
        """Leads (times, leads); by each of dT for the nodes of each site (len(dT), sites, times, leads); by the factors of the weights"""
        x = np.clip(T - self.first, 0, self.bins - 1.001)
        late = T - self.first >= self.bins - 1.001
        b = x.astype(np.int64)
        f = x - b
        keys = owner * self.bins + b if len(dT) else b
        order = np.argsort(keys, kind="stable")
        groups = sites if len(dT) else 1
        W = np.tensordot(factors.astype(np.float32), self.W, 1)[order]
        low, high, *moved = self._sum(
            keys, order, W, [1 - f, f, *(np.where(late, 0, d) for d in dT)], groups
        )

        def placed(low: Array, high: Array) -> Array:
            found = low.copy()
            found[:, 1:] += high[:, :-1]
            return found

        value = self._leads(placed(low, high).sum(axis=0)[None])[0]
        if not len(dT):
            return value, None, None
        stacked = np.stack([placed(-m, m) for m in moved]).reshape(
            len(moved) * sites, self.bins, -1
        )
        by_time = self._leads(stacked).reshape(len(moved), sites, *value.shape)
        kinds = []
        for row in dfactors:
            if row.any():
                pair = self._sum(
                    keys,
                    order,
                    np.tensordot(row.astype(np.float32), self.W, 1)[order],
                    [1 - f, f],
                    groups,
                )
                kinds.append(self._leads(placed(*pair).sum(axis=0)[None])[0])
            else:
                kinds.append(np.zeros_like(value))
        return value, by_time, np.array(kinds)


class Target(NamedTuple):
    """What superposed values are compared with"""

    nodes: NDArray[np.int64]  # of the forest, of measured activation
    leads: Optional[Leads]
    measured: Measured

    def apart(self, T: Array) -> Optional[Array]:
        """ms"""
        return T[self.nodes] - self.measured.activation.times if self.measured.activation else None


class Forest:
    """Differences from a target, and their slopes, at vectors of a domain; `on`: the sites that are there."""

    def __init__(
        self,
        domain: Domain,
        of: Layout,
        grid: Grid,
        surface: Surface,
        tau: Array,
        between: Array,
        target: Target,
    ) -> None:
        """tau: (nodes of the grid, sites, nodes), ms; between: the same at the sites"""
        self.domain, self.layout, self.grid, self.surface, self.target = (
            domain,
            of,
            grid,
            surface,
            target,
        )
        self.Q, self.between = (
            np.ascontiguousarray(t.astype(np.float32) ** 2) for t in (tau, between)
        )
        self.shift: "float | Array" = (
            0.0  # of the differences, where a run of the full model is known
        )
        self.count = 0  # of sets that were superposed
        self._places: Dict[Tuple[int, bytes], Tuple[Array, Array, List[Array], float]] = {}
        self._around: Dict[Tuple[int, bytes, bool], Around] = {}

    def _range(self, k: int) -> Range:
        part = self.domain.parts[k]
        assert isinstance(part, Range)
        return part

    def _width(self, k: int) -> float:
        return self._range(k).high - self._range(k).low

    @property
    def sites(self) -> int:
        return len(self.layout.places)

    def place(self, u: Array, k: int) -> Tuple[Array, Array, List[Array], float]:
        """mm, normal, tangents, and the length of the box of site k"""
        part = self.domain.parts[self.layout.places[k]]
        assert isinstance(part, Place)
        own = self.domain.own(u, self.layout.places[k])
        key = (k, own.tobytes())
        if key in self._places:
            return self._places[key]
        point, tangents = part.millimetres(own), part.directions(own)
        normal = np.cross(tangents[0], tangents[1]) if len(tangents) == 2 else np.zeros(3)
        if normal.any() and normal @ part.normal(point) < 0:
            normal = -normal
        if len(self._places) >= PLACES:
            self._places.clear()
        self._places[key] = point, normal, tangents, part.side
        return self._places[key]

    def around(self, u: Array, k: int, slopes: bool) -> Around:
        """Sites of the dictionary around site k"""
        key = (k, self.domain.own(u, self.layout.places[k]).tobytes(), slopes)
        if key not in self._around:
            if len(self._around) >= PLACES:
                self._around.clear()
            point, normal, tangents, _ = self.place(u, k)
            self._around[key] = self.surface.around(point, normal, tangents, slopes)
        return self._around[key]

    def start(self, u: Array, k: int) -> float:
        part = self.layout.starts[k]
        return (
            self.layout.fixed[k]
            if part is None
            else self.domain.parts[part].values(self.domain.own(u, part))[0]
        )

    def with_site(self, u: Array, k: int, point: Array, start: float) -> Array:
        """u with site k elsewhere, at a time within its bounds"""
        place, time = self.layout.places[k], self.layout.starts[k]
        part = self.domain.parts[place]
        assert isinstance(part, Place)
        values = {place: part.inwards(point)}
        if time is not None:
            values[time] = np.array([(start - self._range(time).low) / self._width(time)])
        return self.domain.repair(self.domain.replace(u, values))

    def velocities(self, u: Array) -> Array:
        return np.array(
            [self.domain.parts[k].values(self.domain.own(u, k))[0] for k in self.layout.axes]
        )

    def site_times(self, c: Array, s: float, start: float, site: int) -> Array:
        """T by a site of the dictionary alone"""
        found: Array = start + s * np.sqrt(np.maximum(np.tensordot(c, self.Q[:, site], 1), 0.25))
        return found

    def first_at_sites(self, u: Array, on: Sequence[int]) -> Array:
        """T at the sites of the dictionary"""
        s, c, _, _ = self.grid.at(self.velocities(u))
        found = np.full(self.between.shape[2], np.inf)
        for k in on:
            near, w, _ = self.around(u, k, False)
            tau2 = np.outer(c, w).ravel().astype(np.float32) @ self.between[:, near].reshape(
                -1, len(found)
            )
            found = np.minimum(found, self.start(u, k) + s * np.sqrt(np.maximum(tau2, 0.25)))
        return found

    def arrivals(
        self, u: Array, on: Sequence[int], slopes: bool
    ) -> Tuple[Array, NDArray[np.int64], List[Array]]:
        """T and the first site at each node; T by its site's two tangents (mm), its start, and each velocity's logarithm"""
        s, c, ds, dc = self.grid.at(self.velocities(u))
        n = self.Q.shape[2]
        T, owner = np.full(n, np.inf), np.zeros(n, np.int64)
        known = []
        for number, k in enumerate(on):
            near, w, dw = self.around(u, k, slopes)
            tau2 = np.outer(c, w).ravel().astype(np.float32) @ self.Q[:, near].reshape(-1, n)
            tau = np.sqrt(np.maximum(tau2, 0.25))
            mine = self.start(u, k) + s * tau
            owner[mine < T] = number
            T = np.minimum(T, mine)
            known.append((near, w, dw, tau))
        if not slopes:
            return T, owner, []
        axes = len(self.layout.axes)
        dT = [np.zeros(n), np.zeros(n), np.ones(n), *(np.zeros(n) for _ in range(axes))]
        for number, (near, w, dw, tau) in enumerate(known):
            own = np.flatnonzero(owner == number)
            Q = self.Q[:, near][:, :, own].reshape(len(c) * len(near), len(own))
            half, of_tau = s / (2 * tau[own]), tau[own]
            for m, d in enumerate(dw):
                dT[m][own] = half * (np.outer(c, d).ravel().astype(np.float32) @ Q)
            for a in range(axes):
                dT[3 + a][own] = ds[a] * of_tau + half * (
                    np.outer(dc[a], w).ravel().astype(np.float32) @ Q
                )
        return T, owner, dT

    def factors(self, u: Array) -> Tuple[Array, Array]:
        """Of the kinds of weights: 1 for what does not vary, and squares of velocities; and their derivatives by logarithms"""
        square = self.velocities(u) ** 2
        factors = np.concatenate([[1.0], square])
        return factors, np.concatenate([np.zeros((len(square), 1)), np.diag(2 * square)], axis=1)

    def of_times(self, T: Array, u: Array) -> Array:
        """Differences of an activation"""
        self.count += 1
        to, value = self.target, None
        if to.leads:
            factors, by = self.factors(u)
            value = to.leads.compute(T, np.zeros(len(T), np.int64), [], factors, by, 1)[0]
        found: Array = to.measured.compare_values(value, to.apart(T)).differences + self.shift
        return found

    def differences(self, u: Array, on: Sequence[int]) -> Array:
        return self.of_times(self.arrivals(u, on, False)[0], u)

    def slopes(self, u: Array, on: Sequence[int]) -> Tuple[Array, List[Array], Array]:
        """Differences, directions of length 1 in the domain, and columns by them"""
        T, owner, dT = self.arrivals(u, on, True)
        self.count += 1
        to, domain, of = self.target, self.domain, self.layout
        value, by_time, by_factor = None, None, None
        if to.leads:
            factors, by = self.factors(u)
            value, by_time, by_factor = to.leads.compute(T, owner, dT, factors, by, len(on))
        found = to.measured.compare_values(value, to.apart(T))
        directions, of_leads, of_times = [], [], []

        def add(part: int, own: Array, factor: float, kind: int, number: Optional[int]) -> None:
            """By factor dT[kind] at the nodes of a site, or at all"""
            directions.append(domain.replace(np.zeros(len(u)), {part: own}))
            leads = None
            if by_time is not None:
                leads = by_time[kind].sum(axis=0) if number is None else by_time[kind, number]
                if kind > 2 and by_factor is not None:
                    leads = leads + by_factor[kind - 3]
                leads = factor * leads
            of_leads.append(leads)
            of_times.append(
                factor * dT[kind][to.nodes] * (1 if number is None else owner[to.nodes] == number)
            )

        for number, k in enumerate(on):
            _, _, tangents, side = self.place(u, k)
            for m, tangent in enumerate(tangents):
                add(of.places[k], tangent, side, m, number)
            start = of.starts[k]
            if start is not None:
                add(start, np.ones(1), self._width(start), 2, number)
        for a, v in enumerate(self.velocities(u)):
            add(of.axes[a], np.ones(1), self._width(of.axes[a]) / v, 3 + a, None)
        return (
            found.differences + self.shift,
            directions,
            to.measured.slopes(found, of_leads, of_times),
        )
