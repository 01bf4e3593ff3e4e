"""Activation and leads of any set of sites, times and velocities, superposed from waves of single sites.

Waves annihilate, so a node is activated by the first that comes, and leads are linear in V:

    T(x) = softmin_i (t_i + s tau_i(x; q)),    lead_l(t) = sum_x w_l(x) U_x(t - T(x)),    softmin_i T_i = -m log sum_i exp(-T_i / m)

tau_i: activation by site i alone, computed by the full model at nodes of a grid of q; s: slowness of all velocities together; q: logarithms
of their ratios, or of the velocities themselves where others are fixed. U_x: V of node x after its activation, the same for every site.
tau^2 is interpolated between sites by moving least squares, quadratic in the tangent plane, and in q by Lagrange's polynomials. m: fronts
that meet excite the tissue between them earlier than each alone; it is measured on the mesh by runs of two sites.
"""

from __future__ import annotations

import hashlib
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
SITES, RUNS = (40, 400), 720  # of a dictionary: sites, and runs in all
COARSE = 80  # sites at least, with all nodes of the grid of velocities
APART = (
    2.0,
    1.2,
)  # edges, from one site to the next: of maps, and of leads, which waves have to match better
SHAPES, ROUGH = 4, 2  # components of V over time, and those with which sets are sought
BEFORE = 12  # ms, for which V is known before activation
LEAST = 1e-9  # of the largest: weights that count
NODES = (
    1800,
    9000,
)  # of the rough and of the exact leads: of more, those of a cell count as one or two
MEETING = (0.05, 10.0)  # ms, of which m is
SHARE = 0.01  # of a node: sites that have less of it count for nothing in slopes
PLACES = 256  # of which what lies around is remembered
STEP = 0.05  # mm, of the slopes of weights


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
        self._powers = [  # of Lagrange's polynomials around the middle of the points
            np.linalg.inv(np.vander(points - points.mean(), increasing=True)).T
            for points in self.points
        ]

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
        for x, points, powers in zip(q, self.points, self._powers):
            k = np.arange(len(points))
            way = float(x - points.mean())
            values.append(powers @ way**k)
            slopes.append(powers @ (k * way ** np.maximum(k - 1, 0)))

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


class Around(NamedTuple):
    """Sites of the dictionary between which some places are, with their weights, and the derivatives of these along the tangents"""

    near: NDArray[np.int64]  # (places, sites)
    weights: Array  # (places, sites)
    slopes: Array  # (places, 2, sites), or (places, 0, sites) where they are not asked for


class Spot(NamedTuple):
    """A place of a site: mm, along two tangents, of which the second is 0 on a cable"""

    point: Array
    normal: Array
    tangents: Array
    side: float  # of the box of its part


class Surface:
    """The nodes on which sites may be, with normals; of the first `coarse` of them the dictionary has waves at all `nodes` of the grid of
    velocities; `of`[k]: those of place k among these; `id`: of all nodes, from which the sites follow in their order.
    """

    def __init__(self, domain: Domain, of: Layout, apart: float, grid: int) -> None:
        parts = [domain.parts[k] for k in of.places]
        faces = [part.faces for part in parts if isinstance(part, Place)]
        nodes = np.unique(np.concatenate([own.nodes for own in faces]))
        normals, points = np.zeros((len(nodes), 3)), np.zeros((len(nodes), 3))
        for own in faces:
            at = np.searchsorted(nodes, own.nodes)
            normals[at], points[at] = own.normals, own.points
        flags = np.array([np.isin(nodes, own.nodes) for own in faces])
        groups = flags.T @ (1 << np.arange(len(flags)))
        most = max(SITES[0], min(SITES[1], RUNS - COARSE * (grid - 1)))
        order = spread_out(points, groups, most, apart)
        left = (RUNS - len(order)) // (grid - 1) if grid > 1 else len(order)
        self.coarse = min(len(order), max(SITES[0], left))
        self.id = hashlib.sha256(points.tobytes() + groups.astype("<i8").tobytes()).hexdigest()
        self.points, self.normals, self.nodes = points[order], normals[order], nodes[order]
        self.of = [np.flatnonzero(flag[order][: self.coarse]) for flag in flags]

    def around(self, spots: Sequence[Spot], slopes: bool) -> Around:
        """Among all sites, then among the coarse ones"""
        found = [self._among(count, spots, slopes) for count in (len(self.points), self.coarse)]
        return Around(*(np.concatenate(own, axis=-1) for own in zip(*found)))

    def _among(self, count: int, spots: Sequence[Spot], slopes: bool) -> Around:
        p, normals, tangents = (np.array([spot[k] for spot in spots]) for k in range(3))
        points = self.points[:count]
        far = np.sqrt(((points - p[:, None]) ** 2).sum(axis=2))
        # not by BLAS, which rounds differently for one place and for several
        alike = (normals[:, None] * self.normals[:count]).sum(axis=2)
        far = np.where((alike > 0) | (normals == 0).all(axis=1, keepdims=True), far, far + 1e3)
        order = np.argsort(far, axis=1, kind="stable")[:, : NEAR + 1]
        near, radius = order[:, :NEAR], 1.05 * np.take_along_axis(far, order[:, -1:], 1) + 1e-3
        lean = np.minimum(np.maximum(0.3 + np.take_along_axis(alike, near, 1), 0.02), 1)
        at = p[:, None]
        if slopes:
            at = np.concatenate([at, at + STEP * tangents], axis=1)
        D = (points[near][:, None] - at[:, :, None]) / radius[:, None, None]
        u, v = np.moveaxis(D @ tangents.transpose(0, 2, 1)[:, None], 3, 0)
        w = np.maximum(1 - np.sqrt((D * D).sum(axis=3)), 0)
        w = w * w * w * (4 - 3 * w) * lean[:, None] + 1e-7
        B = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=2)
        A = (B * w[:, :, None]) @ B.swapaxes(2, 3)
        A += np.diag([0, 1e-5, 1e-5, 1e-3, 1e-3, 1e-3]) * w.sum(axis=2)[..., None, None]
        factors = np.linalg.solve(A, np.broadcast_to(np.eye(6)[:, :1], (*A.shape[:2], 6, 1)))
        found = (B * factors).sum(axis=2) * w
        return Around(near, found[:, 0], (found[:, 1:] - found[:, :1]) / STEP)


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

    def spread(self, deviation: float) -> Templates:
        """The mean of nodes whose activations differ by so many ms"""
        u = np.arange(self.rows.shape[1])
        K = np.exp(-0.5 * ((u[:, None] - u) / max(deviation, 1e-3)) ** 2)
        return self._replace(rows=self.rows @ (K / K.sum(axis=0)))


class Leads:
    """Leads of an activation, by histograms of weights over time; `shapes`: how many components of V."""

    def __init__(
        self,
        weights: Array,
        templates: Templates,
        times: Array,
        shapes: int = SHAPES,
        cells: Optional[NDArray[np.int64]] = None,
        earliest: float = -math.inf,
    ) -> None:
        """weights: (kinds, nodes, leads), whose factors follow from the velocities; `cells`: the number of each node's, where they count as one;
        earliest: ms, of T"""
        kinds, nodes, leads = weights.shape
        rows, share = templates.rows[:shapes], templates.share[:shapes]
        _, size, basis = np.linalg.svd(np.linalg.qr(weights.reshape(-1, leads), mode="r"))
        self.basis = basis[size > LEAST * size[0]]  # twelve leads are sums of eight
        self.kinds = np.flatnonzero(
            [abs(own).max() > LEAST * abs(weights).max() for own in weights]
        )
        of = Groups(cells, int(cells.max()) + 1) if cells is not None else None
        self.W = np.empty(
            (len(self.kinds), of.count if of else nodes, len(share) * len(self.basis)), np.float32
        )
        for own, kind in zip(self.W, self.kinds):  # (nodes, shapes, leads of the basis)
            by_shape = own.reshape(len(own), len(share), -1)
            for q, of_shape in enumerate(share):
                W = (weights[kind] @ self.basis.T) * of_shape[:, None]
                by_shape[:, q] = of.sums(W[of.order]) if of else W
        self._whole: Tuple[bytes, Array] = b"", self.W[0]
        self.first = math.floor(max(times[0] - rows.shape[1], earliest))
        self.bins = math.ceil(times[-1]) + BEFORE - self.first + 2
        u = times[:, None] - (self.first + np.arange(self.bins))[None]
        A = np.stack([np.interp(u, np.arange(rows.shape[1]) - BEFORE, row) for row in rows], axis=2)
        self.A = A.reshape(len(times), -1).astype(np.float32)

    def _weights(self, factors: Array) -> Array:
        key = factors.tobytes()
        if self._whole[0] != key:
            own = factors[self.kinds].astype(np.float32)
            self._whole = key, np.tensordot(own, self.W, 1)
        return self._whole[1]

    def _leads(self, H: Array) -> Array:
        """(columns, bins, shapes * basis) -> (columns, times, leads)"""
        rank = len(self.basis)
        X = H.reshape(len(H), -1, rank).transpose(1, 0, 2).reshape(self.A.shape[1], -1)
        parts = (self.A @ X).reshape(len(self.A), len(H), rank).transpose(1, 0, 2).astype(float)
        found: Array = parts @ self.basis
        return found

    def _bins(self, T: Array) -> Tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The bin before each time, and how far it is passed; V does not change in the last two"""
        x = np.minimum(np.maximum(T - self.first, 0), self.bins - 1.001)
        b = x.astype(np.int64)
        return b, (x - b).astype(np.float32)

    def compute(self, T: Array, factors: Array) -> Array:
        """(.., times, leads) of (.., nodes), of which those beyond the nodes of the weights are not of leads"""
        W = self._weights(factors)
        T = T[..., : len(W)]
        H = np.empty((T.size // T.shape[-1], self.bins, W.shape[1]), np.float32)
        for own, at in zip(H, T.reshape(len(H), -1)):
            b, f = self._bins(at)
            of = Groups(b, self.bins)
            sorted_W = W[of.order]
            own[:] = _shared(of.sums(sorted_W), of.sums(sorted_W * f[of.order, None]))
        found = self._leads(H)
        return found.reshape(*T.shape[:-1], *found.shape[1:])

    def slopes(
        self,
        T: Array,
        parts: Parts,
        dT: Array,
        factors: Array,
        dfactors: Array,
        sites: int,
    ) -> Tuple[Array, Array, Array]:
        """Leads; by each of the first three of dT (.., parts) for each site, (3, sites, times, leads), the third being 1; by the others, and by
        the factors of the weights, for all sites"""
        mine = np.flatnonzero(parts.nodes < self.W.shape[1])
        parts = Parts(parts.nodes[mine], parts.sites[mine], parts.shares[mine])
        dT = dT[:, mine]
        b, f = self._bins(T[parts.nodes])
        of = Groups(parts.sites * self.bins + b, sites * self.bins)
        d = dT.astype(np.float32)[:, of.order, None]
        W, f = self.W[:, parts.nodes[of.order]], f[of.order, None]
        W = W * parts.shares[of.order, None].astype(np.float32)
        shape = (len(self.kinds), sites, self.bins, -1)
        one = np.array([of.sums(own) for own in W]).reshape(shape)
        part = np.array([of.sums(own * f) for own in W]).reshape(shape).sum(axis=1)
        kinds = self._leads(_shared(one.sum(axis=1), part))
        own = factors[self.kinds].astype(np.float32)
        whole = np.tensordot(own, W, 1)
        by_start = np.tensordot(own, one, 1)
        along = [of.sums(whole * row).reshape(shape[1:]) for row in d[:2]]
        others = [of.sums(whole * row).reshape(shape[1:]).sum(axis=0) for row in d[3:]]
        moved = np.concatenate(
            [*along, by_start, np.array(others).reshape(-1, *by_start.shape[1:])]
        )
        by_time = self._leads(_shared(0.0, moved))
        value = np.tensordot(factors[self.kinds], kinds, 1)
        count = 3 * sites
        return (
            value,
            by_time[:count].reshape(3, sites, *value.shape),
            by_time[count:] + np.tensordot(dfactors[:, self.kinds], kinds, 1),
        )


class Parts(NamedTuple):
    """Of nodes, each a site's: a node is of all sites whose waves come to it at about the first time, with shares whose sum is 1."""

    nodes: NDArray[np.int64]
    sites: NDArray[np.int64]
    shares: Array


class Groups:
    """Nodes by their numbers, from 0 to `count`."""

    def __init__(self, numbers: NDArray[np.int64], count: int) -> None:
        short = numbers.astype(np.int16) if count < 1 << 15 else numbers  # sorted by digits
        self.order, self.count = np.argsort(short, kind="stable"), count
        own = numbers[self.order]
        self._begin = np.flatnonzero(np.concatenate([[True], own[1:] != own[:-1]]))
        self._own = own[self._begin]

    def sums(self, rows: Array) -> Array:
        """Of rows in their order, (count, ...)"""
        found = np.zeros((self.count, *rows.shape[1:]), rows.dtype)
        found[self._own] = np.add.reduceat(rows, self._begin, axis=0)
        return found


def _shared(whole: "float | Array", part: Array) -> Array:
    """Sums (.., bins, columns) of which a part goes to the next bin"""
    found: Array = whole - part
    found[..., 1:, :] += part[..., :-1, :]
    return found


class Level(NamedTuple):
    """How exactly waves are superposed: squares of the waves, which nodes have a measured activation, and the leads"""

    Q: NDArray[np.float32]  # of `squares`
    measured: NDArray[np.int64]
    leads: Optional[Leads]

    @staticmethod
    def of(tau: Array, measured: Array, surface: Surface, leads: Optional[Leads] = None) -> Level:
        """tau, and that of the measured nodes: (runs, nodes), ms"""
        both = np.concatenate([tau, measured], axis=1)
        return Level(squares(both, surface), np.arange(tau.shape[1], both.shape[1]), leads)


def squares(tau: Array, surface: Surface) -> NDArray[np.float32]:
    """tau^2 of the sites in the middle of the grid of velocities, then what that of each coarse site is more at each other node; tau: of these
    runs"""
    square = np.asarray(tau, np.float32) ** 2
    more = square[len(surface.points) :].reshape(surface.coarse, -1, square.shape[1])
    more -= square[: surface.coarse, None]
    return square


def soft_minimum(T: Array, m: float) -> Array:
    """Of rows"""
    least = T.min(axis=0)
    found: Array = least - m * np.log(np.exp((least - T) / m).sum(axis=0))
    return found


def meeting(alone: Array, both: Array) -> float:
    """m, with which the soft minima of pairs of waves alone (pairs, 2, nodes) are nearest to those that meet (pairs, nodes), ms"""
    known = ~(np.isnan(alone).any(axis=1) | np.isnan(both))
    first, late, of = (
        x[known] for x in (alone.min(axis=1), alone.max(axis=1) - alone.min(axis=1), both)
    )
    tried = np.linspace(*MEETING, 200)
    if not len(of):
        return MEETING[0]
    left = [((first - m * np.log1p(np.exp(-late / m)) - of) ** 2).sum() for m in tried]
    return float(tried[int(np.argmin(left))])


class Forest:
    """Differences from a target, and their slopes, at vectors of a domain; `on`: the sites that are there; `rough`: whether the first of the
    levels is used, and not the last."""

    def __init__(
        self,
        domain: Domain,
        of: Layout,
        grid: Grid,
        surface: Surface,
        levels: Sequence[Level],
        between: Array,
        measured: Measured,
        m: float,
    ) -> None:
        """between: waves at the coarse sites, (runs, coarse sites), ms; m: ms"""
        self.domain, self.layout, self.grid, self.surface = domain, of, grid, surface
        self.levels, self.measured, self.m = levels, measured, m
        self.between = squares(between, surface)
        self.shift: "float | Array" = (
            0.0  # of the differences, where a run of the full model is known
        )
        self.rough = False
        self.count = 0  # of sets that were superposed
        self._spots: Dict[Tuple[int, bytes], Spot] = {}
        self._around: Dict[Tuple[int, bytes], Around] = {}
        self._last: Tuple[Any, ...] = (b"",)

    def _range(self, k: int) -> Range:
        part = self.domain.parts[k]
        assert isinstance(part, Range)
        return part

    def _width(self, k: int) -> float:
        return self._range(k).high - self._range(k).low

    @property
    def sites(self) -> int:
        return len(self.layout.places)

    @property
    def level(self) -> Level:
        return self.levels[0 if self.rough else -1]

    def place(self, u: Array, k: int) -> Spot:
        """Of site k"""
        part = self.domain.parts[self.layout.places[k]]
        assert isinstance(part, Place)
        own = self.domain.own(u, self.layout.places[k])
        key = (k, own.tobytes())
        if key not in self._spots:
            faces, point = part.faces, part.millimetres(own)
            tangents, normal = np.zeros((2, 3)), np.zeros(3)
            along = faces.tangents(point)
            tangents[: len(along)] = along
            if len(along) == 2:
                normal = np.cross(along[0], along[1])
                normal *= math.copysign(1, normal @ faces.normals[faces.nearest_node(point)])
            if len(self._spots) >= PLACES:
                self._spots.clear()
            self._spots[key] = Spot(point, normal, tangents, faces.side)
        return self._spots[key]

    def around(self, u: Array, on: Sequence[int], slopes: bool) -> Around:
        """Sites of the dictionary around those of a set"""
        keys = [(k, self.domain.own(u, self.layout.places[k]).tobytes()) for k in on]
        lacking = []
        for key, k in zip(keys, on):
            known = self._around.get(key)
            if known is None or (slopes and not known.slopes.size):
                lacking.append((key, k))
        if len(self._around) + len(lacking) > PLACES:
            self._around.clear()
            lacking = list(zip(keys, on))
        if lacking:
            found = self.surface.around([self.place(u, k) for _, k in lacking], slopes)
            for n, (key, _) in enumerate(lacking):
                self._around[key] = Around(*(of[n] for of in found))
        own = [self._around[key] for key in keys]
        return Around(
            np.array([of.near for of in own]),
            np.array([of.weights for of in own]),
            np.array([of.slopes for of in own]) if slopes else np.zeros((len(on), 0, 2 * NEAR)),
        )

    def start(self, u: Array, k: int) -> float:
        part = self.layout.starts[k]
        if part is None:
            return self.layout.fixed[k]
        return self._range(part).low + float(self.domain.own(u, part)[0]) * self._width(part)

    def with_site(
        self, u: Array, k: int, point: Array, start: float, of: Optional[int] = None
    ) -> Array:
        """u with site k elsewhere, at a time within its bounds; `of`: the site on whose faces the point is, if it is another one"""
        place, time = self.layout.places[k], self.layout.starts[k]
        part = self.domain.parts[place]
        other = part if of is None else self.domain.parts[self.layout.places[of]]
        assert isinstance(part, Place) and isinstance(other, Place)
        if other.faces is not part.faces:
            point = part.faces.nearest(point[None])[0]
        values = {place: part.inwards(point)}
        if time is not None:
            values[time] = np.array([(start - self._range(time).low) / self._width(time)])
        found = self.domain.replace(u, values)
        return self.domain.repair(found, found)

    def velocities(self, u: Array) -> Array:
        return np.array(
            [self.domain.parts[k].values(self.domain.own(u, k))[0] for k in self.layout.axes]
        )

    def _rows(self, middle: NDArray[np.int64], coarse: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which squares count of some sites, (places, sites): of one half those in the middle of the grid, of the other what is more elsewhere"""
        others = len(self.grid.nodes) - 1
        more = len(self.surface.points) + coarse[..., None] * others + np.arange(others)
        return np.concatenate([middle, more.reshape(*coarse.shape[:-1], -1)], axis=-1)

    @staticmethod
    def _shares(weights: Array, c: Array) -> Array:
        """How much they count, by the weights of sites, and of nodes of the grid"""
        middle, coarse = np.split(weights, 2, axis=-1)
        more = coarse[..., None] * np.delete(c, len(c) // 2)
        return np.concatenate([middle, more.reshape(*coarse.shape[:-1], -1)], axis=-1)

    def times_alone(self, u: Array, sites: Sequence[int]) -> Array:
        """ms after its start, by each of these coarse sites of the dictionary alone"""
        s, c, _, _ = self.grid.at(self.velocities(u))
        own = np.array(sites)[:, None]
        shares = self._shares(np.ones((len(own), 2)), c).astype(np.float32)
        tau2 = np.einsum("kr,krx->kx", shares, self.level.Q[self._rows(own, own)])
        found: Array = s * np.sqrt(np.maximum(tau2, 0.25)).astype(float)
        return found

    def first_at_sites(self, u: Array, on: Sequence[int]) -> Array:
        """T at the sites of the dictionary"""
        found: Array = self._times(self.between, u, on, self.around(u, on, False))[0].min(axis=0)
        return found

    def _times(
        self, Q: NDArray[np.float32], u: Array, on: Sequence[int], of: Around
    ) -> Tuple[Array, Array]:
        """T by each site, and its tau"""
        s, c, _, _ = self.grid.at(self.velocities(u))
        starts = np.array([self.start(u, k) for k in on])
        w = self._shares(of.weights, c).astype(np.float32)[:, None]
        tau2 = (w @ Q[self._rows(*np.split(of.near, 2, axis=1))])[:, 0]
        tau = np.sqrt(np.maximum(tau2, 0.25)).astype(float)
        return starts[:, None] + s * tau, tau

    def arrivals(self, u: Array, on: Sequence[int]) -> Tuple[Array, Array, Array]:
        """T at each node, and T and tau by each site"""
        key = (u.tobytes(), tuple(on), self.rough)
        if self._last[:3] != key:
            T, tau = self._times(self.level.Q, u, on, self.around(u, on, False))
            self._last = *key, (soft_minimum(T, self.m), T, tau)
        found: Tuple[Array, Array, Array] = self._last[3]
        return found

    def _parts(self, u: Array, on: Sequence[int]) -> Parts:
        """exp(-(T_i - T) / m) of each site"""
        T, by, _ = self.arrivals(u, on)
        shares = np.exp((T - by) / self.m)
        sites, nodes = np.nonzero(shares > SHARE)
        own = shares[sites, nodes]
        return Parts(nodes, sites, own / np.bincount(nodes, own, len(T))[nodes])

    def _by(self, u: Array, on: Sequence[int], parts: Parts) -> Array:
        """T of parts by their site's two tangents (mm), its start, and each velocity's logarithm"""
        tau = self.arrivals(u, on)[2]
        near, w, dw = self.around(u, on, True)
        s, c, ds, dc = self.grid.at(self.velocities(u))
        rows = self._rows(*np.split(near, 2, axis=1))
        found = np.ones((3 + len(dc), len(parts.nodes)))
        for number in range(len(on)):
            mine = np.flatnonzero(parts.sites == number)
            own = parts.nodes[mine]
            by = [self._shares(d, c) for d in dw[number]]
            coarse = w[number] * (np.arange(w.shape[1]) >= w.shape[1] // 2)
            by += [self._shares(coarse, d) for d in dc]
            moved = np.array(by, np.float32) @ self.level.Q[rows[number][:, None], own]
            moved = s / (2 * tau[number, own]) * moved
            found[:2, mine] = moved[:2]
            found[3:, mine] = moved[2:] + np.outer(ds, tau[number, own])
        return found

    def factors(self, u: Array) -> Tuple[Array, Array]:
        """Of the kinds of weights: 1 for what does not vary, and squares of velocities; and their derivatives by logarithms"""
        square = self.velocities(u) ** 2
        factors = np.concatenate([[1.0], square])
        return factors, np.concatenate([np.zeros((len(square), 1)), np.diag(2 * square)], axis=1)

    def of_times(self, T: Array, u: Array) -> Array:
        """Differences of an activation, or of many (sets, nodes) with the velocities of u, (.., differences)"""
        leads, of = self.level.leads, self.measured
        if T.ndim > 1 and leads and of.unknown:
            return np.array([self.of_times(own, u) for own in T])
        self.count += len(T) if T.ndim > 1 else 1
        apart = T[..., self.level.measured] - of.activation.times if of.activation else None
        if leads is None and apart is not None:
            return of.of_apart(apart) + self.shift
        value = leads.compute(T, self.factors(u)[0]) if leads else None
        if value is not None and T.ndim > 1:
            return of.of_many(value, apart) + self.shift
        found: Array = of.compare_values(value, apart).differences + self.shift
        return found

    def differences(self, u: Array, on: Sequence[int]) -> Array:
        return self.of_times(self.arrivals(u, on)[0], u)

    def slopes(self, u: Array, on: Sequence[int]) -> Tuple[Array, Array, Array]:
        """Differences, directions of length 1 in the domain, and columns by them"""
        T, parts = self.arrivals(u, on)[0], self._parts(u, on)
        dT = self._by(u, on, parts)
        self.count += 1
        level, of = self.level, self.layout
        directions: List[Tuple[int, Array, float, int, Optional[int]]] = []  # .., dT, site or all
        for number, k in enumerate(on):
            _, _, tangents, side = self.place(u, k)
            for m, tangent in enumerate(tangents):
                if tangent.any():
                    directions.append((of.places[k], tangent, side, m, number))
            start = of.starts[k]
            if start is not None:
                directions.append((start, np.ones(1), self._width(start), 2, number))
        for a, v in enumerate(self.velocities(u)):
            part = of.axes[a]
            directions.append((part, np.ones(1), self._width(part) / v, 3 + a, None))
        value, by_leads = None, None
        if level.leads:
            factors, by = self.factors(u)
            value, by_site, by_axis = level.leads.slopes(T, parts, dT, factors, by, len(on))
            by_leads = [
                factor * (by_axis[kind - 3] if number is None else by_site[kind, number])
                for _, _, factor, kind, number in directions
            ]
        apart, by_times = None, []
        if self.measured.activation:
            apart = T[level.measured] - self.measured.activation.times
            moved = np.zeros((len(dT), len(on), len(T)))
            moved[:, parts.sites, parts.nodes] = parts.shares * dT
            moved = moved[:, :, level.measured]
            by_times = [
                factor * (moved[kind].sum(axis=0) if number is None else moved[kind, number])
                for _, _, factor, kind, number in directions
            ]
        found = self.measured.compare_values(value, apart)
        ways = np.zeros((len(directions), len(u)))
        for way, (part, along, _, _, _) in zip(ways, directions):
            self.domain.own(way, part)[:] = along
        columns = self.measured.slopes(found, by_leads, by_times)
        return found.differences + self.shift, ways, columns
