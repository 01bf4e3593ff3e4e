"""What a fit varies: keys between two values, and points on a part of the mesh's surface, as numbers from 0 to 1."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

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

    def values(self, u: Array) -> List[float]:
        return [float("%.12g" % (self.low + float(u[0]) * (self.high - self.low)))]

    def override(self, values: Sequence[float]) -> Any:
        return ("%.12g %s" % (values[0], self.unit)).strip()

    def draw(self, random: Random) -> Array:
        return np.array([random.uniform()])

    def directions(self, _: Array) -> List[Array]:
        return [np.ones(1)]


class Faces:
    """The faces of the mesh's surface whose nodes a condition selects: of those nodes the points and the outward normals."""

    def __init__(self, sim: Simulation, condition: str) -> None:
        points, faces = sim.points, surface(sim.cells)
        inside = sim["where/" + condition] > 0.5
        faces = faces[inside[faces].all(axis=1)]
        if not len(faces):
            raise InputError("'%s' selects no face of the mesh's surface" % condition, 2)
        self.condition = condition
        self.nodes, numbers = np.unique(faces, return_inverse=True)
        self.points = points[self.nodes]
        corners = numbers.reshape(faces.shape)
        self._faces = corners if faces.shape[1] == 3 else corners[:, [0, 1, 1]]  # of a cable: lines
        self._around: List[NDArray[np.int64]] = _faces_around(self._faces, len(self.nodes))
        self._axes = np.ascontiguousarray(self.points.T)
        self._corners = self.points[self._faces]
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        self.centre, self.side = (low + high) / 2, float((high - low).max())
        self._share = np.add.accumulate(self._areas())
        self.normals = self._normals()
        self._tangents: Dict[int, List[Array]] = {}

    def _areas(self) -> Array:
        a, b, c = (self._corners[:, k] for k in range(3))
        u, v = b - a, c - a
        if not (c != b).any():
            return np.sqrt(_dots(u, u))
        return np.sqrt(np.maximum(_dots(u, u) * _dots(v, v) - _dots(u, v) * _dots(u, v), 0))

    def _normals(self) -> Array:
        """Of the nodes, outwards on the boundary of a volume; 0 on a cable"""
        a, b, c = (self._corners[:, k] for k in range(3))
        found, of = np.zeros_like(self.points), np.cross(b - a, c - a)
        for k in range(3):
            np.add.at(found, self._faces[:, k], of)
        return np.asarray(found / np.maximum(np.sqrt(_dots(found, found)), 1e-300)[:, None])

    def nearest_node(self, point: Array) -> int:
        x, y, z = (axis - at for axis, at in zip(self._axes, point))
        return int(np.argmin(x * x + y * y + z * z))

    def nearest(self, points: Array) -> Array:
        """Of each point the nearest one of the faces around its nearest node, mm"""
        around = [self._around[self.nearest_node(point)] for point in points]
        ends = np.add.accumulate([len(own) for own in around])
        own = np.repeat(points, [len(faces) for faces in around], axis=0)
        candidates = _nearest_of_faces(own, self._corners[np.concatenate(around)])
        apart = candidates - own
        square, found = _dots(apart, apart), np.empty_like(points)
        for k, end in enumerate(ends):
            mine = slice(int(end) - len(around[k]), int(end))
            which = divmod(int(np.argmin(square[:, mine])), len(around[k]))
            found[k] = candidates[which[0], mine][which[1]]
        return found

    def tangents(self, point: Array) -> List[Array]:
        """Along the faces around the nearest node: two, or the one of a cable"""
        node = self.nearest_node(point)
        if node not in self._tangents:
            a, b, c = (self._corners[self._around[node], k] for k in range(3))
            normal = _sum_alike(np.cross(b - a, c - a))
            if normal.any():
                axis = np.zeros(3)
                axis[int(np.argmin(np.abs(normal)))] = 1
                first = _unit(np.cross(normal, axis))
                self._tangents[node] = [first, _unit(np.cross(normal, first))]
            else:
                self._tangents[node] = [_unit(_sum_alike(b - a))]
        return self._tangents[node]

    def draw(self, random: Random) -> Array:
        """A point, mm; all areas count alike"""
        face = int(np.searchsorted(self._share, random.uniform() * self._share[-1]))
        s, t = random.uniform(), random.uniform()
        s, t = (s, t) if s + t < 1 else (1 - s, 1 - t)
        a, b, c = self._corners[min(face, len(self._faces) - 1)]
        found: Array = a + s * (b - a) + t * (c - a)
        return found


class Place:
    """A point on faces; its numbers are shares of the longest side of their box."""

    size = 3

    def __init__(self, key: str, faces: Faces, start: Sequence[float]) -> None:
        self.key, self.unit, self.faces = key, "mm", faces
        self.names = ["%s.%s (mm)" % (key, axis) for axis in "xyz"]
        nearest = faces.nearest(np.array([start], float))[0]
        far = math.sqrt(float(_dots(nearest - start, nearest - start)))
        if far > AWAY:
            raise InputError(
                "the search starts from the config's value, which is %.3g mm from the nearest tissue of '%s'"
                % (far, faces.condition),
                2,
            )
        self.start = self.inwards(nearest)

    def millimetres(self, u: Array) -> Array:
        found: Array = (u - 0.5) * self.faces.side + self.faces.centre
        return found

    def inwards(self, point: Array) -> Array:
        inwards: Array = (point - self.faces.centre) / self.faces.side + 0.5
        return inwards

    def values(self, u: Array) -> List[float]:
        return [round(float(x), 6) for x in self.millimetres(u)]

    def override(self, values: Sequence[float]) -> Any:
        return ["%s mm" % number(x) for x in values]

    def draw(self, random: Random) -> Array:
        return self.inwards(self.faces.draw(random))

    def directions(self, u: Array) -> List[Array]:
        """Along the faces"""
        return self.faces.tangents(self.millimetres(u))


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
    """Of each point the nearest one of its triangle (n, 3, 3), (4, n, 3): within it, or on one of its sides, whichever is nearest"""
    along = corners[:, [1, 2, 0]] - corners
    share = _dots(p[:, None] - corners, along) / np.maximum(_dots(along, along), 1e-300)
    sides = corners + np.minimum(np.maximum(share, 0), 1)[..., None] * along
    a, u, w = corners[:, 0], along[:, 0], p - corners[:, 0]
    v = corners[:, 2] - a
    uu, uv, vv, wu, wv = _dots(u, u), _dots(u, v), _dots(v, v), _dots(w, u), _dots(w, v)
    area = uu * vv - uv * uv
    flat = np.where(area > 0, area, 1)
    s, t = (vv * wu - uv * wv) / flat, (uu * wv - uv * wu) / flat
    inside = (area > 0) & (s >= 0) & (t >= 0) & (s + t <= 1)
    within = np.where(inside[:, None], a + s[:, None] * u + t[:, None] * v, sides[:, 0])
    return np.concatenate([within[None], sides.transpose(1, 0, 2)])


class Domain:
    """All of them, side by side in one vector; `relative`: parts, times of which only the differences count: the least is its lower bound."""

    def __init__(self, parts: Sequence["Range | Place"], relative: Sequence[int] = ()) -> None:
        self.parts, self.relative = list(parts), list(relative)
        ends = np.add.accumulate([part.size for part in parts])
        self._slices = [slice(int(end) - part.size, int(end)) for part, end in zip(parts, ends)]
        self._ranges = np.array(
            [int(end) - 1 for part, end in zip(parts, ends) if isinstance(part, Range)], np.int64
        )
        self._faces: Dict[int, List[int]] = {}  # parts that are places on the same faces
        for k, part in enumerate(parts):
            if isinstance(part, Place):
                self._faces.setdefault(id(part.faces), []).append(k)
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

    def repair(self, u: Array, kept: Optional[Array] = None) -> Array:
        """The nearest vector of the domain; `kept`: another vector of it, whose places stay where u has the same"""
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
        found = np.array(u)
        found[self._ranges] = np.minimum(np.maximum(u[self._ranges], 0.0), 1.0)
        for parts in self._faces.values():
            moved = [
                k for k in parts if kept is None or (self.own(u, k) != self.own(kept, k)).any()
            ]
            place = self.parts[parts[0]]
            if moved and isinstance(place, Place):
                at = place.millimetres(np.array([self.own(u, k) for k in moved]))
                for k, own in zip(moved, place.inwards(place.faces.nearest(at))):
                    found[self._slices[k]] = own
        return found

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
