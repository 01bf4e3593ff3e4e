"""What a fit varies: keys between two values, and points on a part of the mesh's surface, as numbers from 0 to 1."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from ..mesh import surface
from ..program import InputError
from ..simulation import Simulation
from .exact import Array, Random
from .table import number


AWAY = 10.0  # mm from the config's point to the surface on which the search moves it


class Range:
    """A key between two values of one unit; `start`: the config's own, or None."""

    size = 1

    def __init__(
        self, key: str, bounds: Tuple[float, float], start: "float | None", unit: str
    ) -> None:
        self.key, self.unit, (self.low, self.high) = key, unit, bounds
        middle = (self.low + self.high) / 2
        self.start = np.array(
            [((middle if start is None else start) - self.low) / (self.high - self.low)]
        )
        self.names = ["%s (%s)" % (key, unit) if unit else key]

    def repair(self, u: Array) -> Array:
        return np.clip(u, 0.0, 1.0)

    def values(self, u: Array) -> List[float]:
        return [float("%.12g" % (self.low + float(u[0]) * (self.high - self.low)))]

    def override(self, values: Sequence[float]) -> Any:
        return ("%.12g %s" % (values[0], self.unit)).strip()

    def draw(self, random: Random) -> Array:
        return np.array([random.uniform()])

    def scatter(self, random: Random, count: int) -> List[Array]:
        """So many places are spread like a sixth as many numbers"""
        count = max(3, count // 6)
        return [np.array([(k + random.uniform()) / count]) for k in range(count)]

    def directions(self, _: Array) -> List[Array]:
        return [np.ones(1)]

    def holds(self, u: Array) -> bool:
        return bool(0 <= u[0] <= 1)


class Place:
    """A point on the faces whose nodes a condition selects; its numbers are shares of the longest side of their box."""

    size = 3

    def __init__(self, key: str, sim: Simulation, condition: str, start: Sequence[float]) -> None:
        points, cells = sim.points, sim.cells
        faces = surface(cells)
        inside = sim["where/" + condition] > 0.5
        faces = faces[inside[faces].all(axis=1)]
        if not len(faces):
            raise InputError("'%s' selects no face of the mesh's surface" % condition, 2)
        self.key, self.unit, self.condition = key, "mm", condition
        self._nodes, numbers = np.unique(faces, return_inverse=True)
        self._points = points[self._nodes]
        corners = numbers.reshape(faces.shape)
        self._faces = corners if faces.shape[1] == 3 else corners[:, [0, 1, 1]]  # of a cable: lines
        self._around: List[NDArray[np.int64]] = _faces_around(self._faces, len(self._nodes))
        low, high = self._points.min(axis=0), self._points.max(axis=0)
        self._centre, self._side = (low + high) / 2, float((high - low).max())
        self._share = np.add.accumulate(self._areas())
        self.names = ["%s.%s (mm)" % (key, axis) for axis in "xyz"]
        nearest = self.nearest(np.array(start))
        far = math.sqrt(float(_dots(nearest - start, nearest - start)))
        if far > AWAY:
            raise InputError("the search starts from the config's value, which is %.3g mm from the nearest tissue of '%s'" % (far, condition), 2)
        self.start = self._inwards(nearest)

    def _areas(self) -> Array:
        a, b, c = (self._points[self._faces[:, k]] for k in range(3))
        u, v = b - a, c - a
        if not (c != b).any():
            return np.sqrt(_dots(u, u))
        return np.sqrt(np.maximum(_dots(u, u) * _dots(v, v) - _dots(u, v) * _dots(u, v), 0))

    def _inwards(self, point: Array) -> Array:
        inwards: Array = (point - self._centre) / self._side + 0.5
        return inwards

    def nearest(self, point: Array) -> Array:
        """The nearest point of the faces around the nearest node, mm"""
        d = self._points - point
        node = int(np.argmin(_dots(d, d)))
        candidates = _nearest_of_faces(point, self._points[self._faces[self._around[node]]])
        apart = candidates - point
        best: Array = candidates[int(np.argmin(_dots(apart, apart)))]
        return best

    def repair(self, u: Array) -> Array:
        return self._inwards(self.nearest((u - 0.5) * self._side + self._centre))

    def values(self, u: Array) -> List[float]:
        return [round(float(x), 6) for x in (u - 0.5) * self._side + self._centre]

    def override(self, values: Sequence[float]) -> Any:
        return ["%s mm" % number(x) for x in values]

    def draw(self, random: Random) -> Array:
        """A point of the faces, all of whose areas count alike"""
        face = int(np.searchsorted(self._share, random.uniform() * self._share[-1]))
        s, t = random.uniform(), random.uniform()
        s, t = (s, t) if s + t < 1 else (1 - s, 1 - t)
        a, b, c = self._points[self._faces[min(face, len(self._faces) - 1)]]
        return self._inwards(a + s * (b - a) + t * (c - a))

    def scatter(self, random: Random, count: int) -> List[Array]:
        """Far apart: of many drawn, each time the one that is farthest from those before"""
        drawn = np.array([self.draw(random) for _ in range(4 * count)])
        found, far = [0], _dots(drawn - drawn[0], drawn - drawn[0])
        while len(found) < count:
            found.append(int(np.argmax(far)))
            far = np.minimum(far, _dots(drawn - drawn[found[-1]], drawn - drawn[found[-1]]))
        return list(drawn[found])

    def directions(self, u: Array) -> List[Array]:
        """Along the faces"""
        point = (u - 0.5) * self._side + self._centre
        d = self._points - point
        faces = self._faces[self._around[int(np.argmin(_dots(d, d)))]]
        a, b, c = (self._points[faces[:, k]] for k in range(3))
        normal = _sum_alike(np.cross(b - a, c - a))
        if not normal.any():
            return [_unit(_sum_alike(b - a))]
        axis = np.zeros(3)
        axis[int(np.argmin(np.abs(normal)))] = 1
        first = _unit(np.cross(normal, axis))
        return [first, _unit(np.cross(normal, first))]

    def holds(self, u: Array) -> bool:
        return True  # what leaves the faces is repaired


def _dots(a: Array, b: Array) -> Array:
    """Products of rows of three, summed in that order on every machine"""
    found: Array = a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]
    return found


def _unit(a: Array) -> Array:
    unit: Array = a / math.sqrt(float(_dots(a, a)))
    return unit


def _sum_alike(rows: Array) -> Array:
    """The sum of vectors, turned to the side of the first"""
    found = np.zeros(3)
    for row in rows:
        found = found + (row if _dots(row, rows[0]) >= 0 else -row)
    return found


def _faces_around(faces: NDArray[np.int64], nodes: int) -> List[NDArray[np.int64]]:
    order = np.argsort(faces.ravel(), kind="stable")
    ends = np.searchsorted(faces.ravel()[order], np.arange(1, nodes))
    return [part // faces.shape[1] for part in np.split(order, ends)]


def _nearest_of_faces(p: Array, corners: Array) -> Array:
    """The nearest point to p of each triangle (n, 3, 3): within it, or on one of its sides"""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    sides = []
    for first, second in ((a, b), (b, c), (c, a)):
        along = second - first
        share = _dots(p - first, along) / np.maximum(_dots(along, along), 1e-300)
        sides.append(first + np.clip(share, 0, 1)[:, None] * along)
    u, v, w = b - a, c - a, p - a
    uu, uv, vv, wu, wv = _dots(u, u), _dots(u, v), _dots(v, v), _dots(w, u), _dots(w, v)
    area = uu * vv - uv * uv
    flat = np.where(area > 0, area, 1)
    s, t = (vv * wu - uv * wv) / flat, (uu * wv - uv * wu) / flat
    inside = (area > 0) & (s >= 0) & (t >= 0) & (s + t <= 1)
    within = a + s[:, None] * u + t[:, None] * v
    within[~inside] = sides[0][~inside]
    return np.concatenate([within, *sides])


class Domain:
    """All of them, side by side in one vector."""

    def __init__(self, parts: Sequence["Range | Place"]) -> None:
        self.parts = list(parts)
        ends = np.add.accumulate([part.size for part in parts])
        self._slices = [slice(int(end) - part.size, int(end)) for part, end in zip(parts, ends)]
        self.names = [name for part in parts for name in part.names]
        self.start: Array = np.concatenate([part.start for part in parts])
        places = [k for k, part in enumerate(parts) if isinstance(part, Place)]
        self.alike = [
            (i, j)
            for i in places
            for j in places
            if i < j and parts[i].condition == parts[j].condition  # type: ignore[union-attr]
        ]

    def own(self, u: Array, k: int) -> Array:
        """The numbers of part k"""
        return u[self._slices[k]]

    def replace(self, u: Array, values: Dict[int, Array]) -> Array:
        """With other numbers of some parts"""
        return np.concatenate([values.get(k, self.own(u, k)) for k in range(len(self.parts))])

    def moves(self, direction: Array, parts: Sequence[int]) -> bool:
        return any(self.own(direction, k).any() for k in parts)

    def directions(self, u: Array) -> List[Array]:
        """In which a vector of the domain can go, each of one part and of length 1"""
        found = []
        for k, part in enumerate(self.parts):
            for own in part.directions(self.own(u, k)):
                found.append(self.replace(np.zeros(len(u)), {k: own}))
        return found

    def repair(self, u: Array) -> Array:
        """The nearest vector of the domain"""
        return np.concatenate([p.repair(u[at]) for p, at in zip(self.parts, self._slices)])

    def values(self, u: Array) -> List[float]:
        """Of a repaired vector, in the units of the names"""
        return [x for p, at in zip(self.parts, self._slices) for x in p.values(u[at])]

    def at_bound(self, values: Sequence[float]) -> List[str]:
        """The names of those that are the lower or the upper bound of their range"""
        own = [(part.names[0], part, values[at][0]) for part, at in zip(self.parts, self._slices) if isinstance(part, Range)]
        return [name for name, part, value in own if value in (*part.values(np.zeros(1)), *part.values(np.ones(1)))]

    def overrides(self, values: Sequence[float]) -> Dict[str, Any]:
        return {p.key: p.override(values[at]) for p, at in zip(self.parts, self._slices)}

    def draw(self, random: Random) -> Array:
        return np.concatenate([part.draw(random) for part in self.parts])

    def holds(self, u: Array) -> bool:
        return all(p.holds(u[at]) for p, at in zip(self.parts, self._slices))


def span(values: Sequence[float], weights: Sequence[float], share: float) -> Tuple[float, float]:
    """The middle `share` of weighted values"""
    order = sorted(range(len(values)), key=lambda k: values[k])
    whole, below, found = math.fsum(weights), 0.0, []
    for bound in ((1 - share) / 2, (1 + share) / 2):
        below, at = 0.0, order[-1]
        for k in order:
            below += weights[k]
            if below >= bound * whole:
                at = k
                break
        found.append(values[at])
    return found[0], found[1]
