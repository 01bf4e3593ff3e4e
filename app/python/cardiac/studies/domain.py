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

    def directions(self, _: Array) -> List[Array]:
        return [np.ones(1)]


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
        self.nodes, numbers = np.unique(faces, return_inverse=True)
        self.points = points[self.nodes]
        corners = numbers.reshape(faces.shape)
        self._faces = corners if faces.shape[1] == 3 else corners[:, [0, 1, 1]]  # of a cable: lines
        self._around: List[NDArray[np.int64]] = _faces_around(self._faces, len(self.nodes))
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        self._centre, self.side = (low + high) / 2, float((high - low).max())
        self._share = np.add.accumulate(self._areas())
        self.normals = self._normals()
        self.names = ["%s.%s (mm)" % (key, axis) for axis in "xyz"]
        nearest = self.nearest(np.array(start))
        far = math.sqrt(float(_dots(nearest - start, nearest - start)))
        if far > AWAY:
            raise InputError(
                "the search starts from the config's value, which is %.3g mm from the nearest tissue of '%s'"
                % (far, condition),
                2,
            )
        self.start = self.inwards(nearest)

    def _areas(self) -> Array:
        a, b, c = (self.points[self._faces[:, k]] for k in range(3))
        u, v = b - a, c - a
        if not (c != b).any():
            return np.sqrt(_dots(u, u))
        return np.sqrt(np.maximum(_dots(u, u) * _dots(v, v) - _dots(u, v) * _dots(u, v), 0))

    def _normals(self) -> Array:
        """Of the nodes, outwards on the boundary of a volume; 0 on a cable"""
        a, b, c = (self.points[self._faces[:, k]] for k in range(3))
        found, of = np.zeros_like(self.points), np.cross(b - a, c - a)
        for k in range(3):
            np.add.at(found, self._faces[:, k], of)
        return np.asarray(found / np.maximum(np.sqrt(_dots(found, found)), 1e-300)[:, None])

    def normal(self, point: Array) -> Array:
        """Of the nearest node"""
        d = self.points - point
        found: Array = self.normals[int(np.argmin(_dots(d, d)))]
        return found

    def millimetres(self, u: Array) -> Array:
        found: Array = (u - 0.5) * self.side + self._centre
        return found

    def inwards(self, point: Array) -> Array:
        inwards: Array = (point - self._centre) / self.side + 0.5
        return inwards

    def nearest(self, point: Array) -> Array:
        """The nearest point of the faces around the nearest node, mm"""
        d = self.points - point
        node = int(np.argmin(_dots(d, d)))
        candidates = _nearest_of_faces(point, self.points[self._faces[self._around[node]]])
        apart = candidates - point
        best: Array = candidates[int(np.argmin(_dots(apart, apart)))]
        return best

    def repair(self, u: Array) -> Array:
        return self.inwards(self.nearest(self.millimetres(u)))

    def values(self, u: Array) -> List[float]:
        return [round(float(x), 6) for x in self.millimetres(u)]

    def override(self, values: Sequence[float]) -> Any:
        return ["%s mm" % number(x) for x in values]

    def draw(self, random: Random) -> Array:
        """A point of the faces, all of whose areas count alike"""
        face = int(np.searchsorted(self._share, random.uniform() * self._share[-1]))
        s, t = random.uniform(), random.uniform()
        s, t = (s, t) if s + t < 1 else (1 - s, 1 - t)
        a, b, c = self.points[self._faces[min(face, len(self._faces) - 1)]]
        return self.inwards(a + s * (b - a) + t * (c - a))

    def directions(self, u: Array) -> List[Array]:
        """Along the faces"""
        d = self.points - self.millimetres(u)
        faces = self._faces[self._around[int(np.argmin(_dots(d, d)))]]
        a, b, c = (self.points[faces[:, k]] for k in range(3))
        normal = _sum_alike(np.cross(b - a, c - a))
        if not normal.any():
            return [_unit(_sum_alike(b - a))]
        axis = np.zeros(3)
        axis[int(np.argmin(np.abs(normal)))] = 1
        first = _unit(np.cross(normal, axis))
        return [first, _unit(np.cross(normal, first))]


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
    """All of them, side by side in one vector; `relative`: parts, times of which only the differences count: the least is its lower bound."""

    def __init__(self, parts: Sequence["Range | Place"], relative: Sequence[int] = ()) -> None:
        self.parts, self.relative = list(parts), list(relative)
        ends = np.add.accumulate([part.size for part in parts])
        self._slices = [slice(int(end) - part.size, int(end)) for part, end in zip(parts, ends)]
        self.names = [name for part in parts for name in part.names]
        self.start: Array = np.concatenate([part.start for part in parts])

    def own(self, u: Array, k: int) -> Array:
        """The numbers of part k"""
        return u[self._slices[k]]

    def replace(self, u: Array, values: Dict[int, Array]) -> Array:
        """With other numbers of some parts"""
        return np.concatenate([values.get(k, self.own(u, k)) for k in range(len(self.parts))])

    def directions(self, u: Array) -> List[Array]:
        """In which a vector of the domain can go, each of one part and of length 1"""
        found = []
        for k, part in enumerate(self.parts):
            for own in part.directions(self.own(u, k)):
                found.append(self.replace(np.zeros(len(u)), {k: own}))
        return found

    def repair(self, u: Array) -> Array:
        """The nearest vector of the domain"""
        if self.relative:
            widths = {
                k: part.high - part.low
                for k, part in enumerate(self.parts)
                if k in self.relative and isinstance(part, Range)
            }
            above = min(float(self.own(u, k)[0]) * width for k, width in widths.items())
            room = min((1 - float(self.own(u, k)[0])) * width for k, width in widths.items())
            above = max(above, -max(room, 0.0))
            u = self.replace(u, {k: self.own(u, k) - above / width for k, width in widths.items()})
        return np.concatenate([p.repair(u[at]) for p, at in zip(self.parts, self._slices)])

    def values(self, u: Array) -> List[float]:
        """Of a repaired vector, in the units of the names"""
        return [x for p, at in zip(self.parts, self._slices) for x in p.values(u[at])]

    def at_bound(self, values: Sequence[float]) -> List[str]:
        """The names of those that are the lower or the upper bound of their range; not of the least of relative ones"""
        found = []
        for k, (part, at) in enumerate(zip(self.parts, self._slices)):
            ends = ([] if k in self.relative else [0.0]) + [1.0]
            if isinstance(part, Range) and values[at][0] in [
                x for end in ends for x in part.values(np.full(1, end))
            ]:
                found.append(part.names[0])
        return found

    def overrides(self, values: Sequence[float]) -> Dict[str, Any]:
        return {p.key: p.override(values[at]) for p, at in zip(self.parts, self._slices)}

    def draw(self, random: Random) -> Array:
        return np.concatenate([part.draw(random) for part in self.parts])
