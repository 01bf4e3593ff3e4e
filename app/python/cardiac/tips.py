"""Phase singularities of V on a surface: the tips of spiral waves, and the ends of scroll waves."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from .mesh import surface
from .program import InputError
from .result import Array, Result, read

__all__ = ["Tip", "find", "of_result", "period_of", "table"]

FASTEST = 1.0  # mm/ms, of a tip from one frame to the next
QUIET = 0.02  # of the largest range of V: a node below it, as in a scar, has no phase
HEAD = "time (ms),tip,x (mm),y (mm),z (mm),charge\n"


@dataclass
class Tip:
    """A tip at one time: `number` is that of the same tip in other frames, `charge` 1 where the wave turns counterclockwise, seen from outside.

    Parameters
    ----------
    time : float
        ms
    number : int
    point : (3) array
        mm
    charge : int
        1 or -1

    Examples
    --------
    >>> from cardiac import tips
    >>> tips.Tip(10.0, 1, np.array([1.0, 2, 3]), -1).charge
    -1
    """

    time: float
    number: int
    point: Array
    charge: int


def period_of(times: Array, values: Array) -> float:
    """The dominant period, ms: that of the largest amplitude in the mean spectrum of V.

    Parameters
    ----------
    times : (frames) array
        ms, at equal intervals
    values : (frames, nodes) array
        mV

    Examples
    --------
    >>> from cardiac import tips
    >>> t = np.arange(0, 1000, 10.0)
    >>> tips.period_of(t, np.sin(2 * np.pi * t / 200)[:, None])
    200.0
    """
    power = (np.abs(np.fft.rfft(values - values.mean(0), axis=0)) ** 2).mean(1)
    return float((times[1] - times[0]) * len(times) / (1 + int(np.argmax(power[1:]))))


def _singular(points: Array, faces: Array, z: Array) -> Tuple[Array, Array]:
    """Points and charges of the triangles round whose corners the phase of z turns once: those with z = 0 inside, for z linear there."""
    phase = np.angle(z)[faces]
    turn = np.diff(phase, axis=1, append=phase[:, :1])
    charge = np.rint((turn - 2 * np.pi * np.rint(turn / (2 * np.pi))).sum(1) / (2 * np.pi)).astype(
        int
    )
    found = np.flatnonzero(charge)
    corner = z[faces[found]]
    cross = np.imag(
        np.conj(np.roll(corner, -1, axis=1)) * np.roll(corner, -2, axis=1)
    )  # twice the areas opposite to each
    share = cross / cross.sum(1, keepdims=True)
    return (share[:, :, None] * points[faces[found]]).sum(1), charge[found]


def find(
    points: Array, faces: Array, times: Array, values: Array, delay: Optional[float] = None
) -> List[Tip]:
    """Tips on triangles, in every frame from `delay` on.

    The phase of a node is that of z = V(t - delay) - m + i (V(t) - m), m being its mean V over the frames (Gray et al., Nature
    392:75, 1998); a tip is a triangle round which it turns once (Iyer and Gray, Ann. Biomed. Eng. 29:47, 2001), and lies where z
    is 0 in it. Nodes whose V hardly changes are left out, with their triangles. A tip is that of the frame before with the same charge
    that is nearest, unless it would have moved faster than 1 mm/ms.

    Parameters
    ----------
    points : (nodes, 3) array
        mm
    faces : (triangles, 3) array of int
    times : (frames) array
        ms, at equal intervals
    values : (frames, nodes) array
        mV
    delay : float, optional
        ms, rounded to frames; by default a quarter of the dominant period

    Examples
    --------
    A wave that turns round the middle of four triangles, once in 40 ms:

    >>> from cardiac import tips
    >>> points = np.array([[1.0, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0], [0.1, 0, 0]])
    >>> faces = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    >>> t = np.arange(0, 200, 5.0)
    >>> angle = np.arctan2(points[:, 1], points[:, 0] - 0.5)
    >>> found = tips.find(points, faces, t, np.cos(2 * np.pi * t[:, None] / 40 - angle))
    >>> found[0].time, found[0].charge, {tip.number for tip in found}
    (10.0, 1, {1})
    """
    each = float(times[1] - times[0])
    shift = max(1, round((period_of(times, values) / 4 if delay is None else delay) / each))
    change = np.ptp(values, axis=0)
    faces = faces[(change[faces] > QUIET * change.max()).all(1)]
    z, count = values - values.mean(0), 0
    tips: List[Tip] = []
    last: List[Tip] = []
    for k in range(shift, len(times)):
        positions, charges = _singular(points, faces, z[k - shift] + 1j * z[k])
        now: List[Tip] = []
        pairs = [
            (float(np.linalg.norm(position - tip.point)), p, tip)
            for p, position in enumerate(positions)
            for tip in last
            if tip.charge == charges[p]
        ]
        number: Dict[int, int] = {}
        for far, p, tip in sorted(pairs, key=lambda pair: pair[:2]):
            if far <= FASTEST * each and p not in number and tip.number not in number.values():
                number[p] = tip.number
        for p, position in enumerate(positions):
            if p not in number:
                number[p], count = count + 1, count + 1
            now.append(Tip(float(times[k]), number[p], position, int(charges[p])))
        tips += now
        last = now
    return tips


def of_result(
    result: Union[Result, str, "os.PathLike[str]"], delay: Optional[float] = None
) -> List[Tip]:
    """Tips in the stored frames of V, on the surface of the mesh.

    Parameters
    ----------
    result : Result, str or path
    delay : float, optional
        As of :func:`find`.

    Raises
    ------
    InputError
        Where V is not stored, at four equal intervals or more, on triangles or tetrahedra.

    Examples
    --------
    >>> from cardiac import tips
    >>> tips.of_result("out/heart")             # a front that passes has none
    []
    """
    found = result if isinstance(result, Result) else read(result)
    faces, times = surface(found.cells), found.times
    if "V" not in found.fields:
        raise InputError("%s: V is not among the stored fields" % found.path, 2)
    if faces.shape[1] != 3 or not len(faces):
        raise InputError("%s: tips lie on triangles, and this mesh has lines alone" % found.path, 2)
    if len(times) < 4 or abs(np.diff(times) - (times[1] - times[0])).max() > 1e-6 * (
        times[1] - times[0]
    ):
        raise InputError(
            "%s: tips require four frames or more, at equal intervals (output.every)" % found.path,
            2,
        )
    nodes, own = np.unique(faces, return_inverse=True)
    values = np.stack([found.fields["V"][k][nodes] for k in range(len(times))]).astype(float)
    return find(found.points[nodes].astype(float), own.reshape(-1, 3), times, values, delay)


def table(tips: Sequence[Tip]) -> str:
    """Tips as CSV, as `cardiac tips` prints them.

    Parameters
    ----------
    tips : sequence of Tip

    Examples
    --------
    >>> from cardiac import tips
    >>> print(tips.table([tips.Tip(10.0, 1, np.array([1.0, 2, 3]), -1)]), end="")
    time (ms),tip,x (mm),y (mm),z (mm),charge
    10,1,1,2,3,-1
    """
    return HEAD + "".join(
        "%.10g,%d,%.6g,%.6g,%.6g,%d\n" % (tip.time, tip.number, *tip.point, tip.charge)
        for tip in tips
    )
