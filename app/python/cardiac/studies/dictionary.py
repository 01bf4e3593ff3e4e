"""Waves of single sites by the full model, kept in the cache by the id of mesh, tissue and stimulus: of the sites in nested order the
activation at each node, and V after activation, the mean of some."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import math
import os
import zlib
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

import numpy as np
from numpy.typing import NDArray

from ..own_file import failing, make_folder, open_plain
from ..simulation import Simulation
from .study import Stop
from .exact import Array
from .forest import BEFORE

MAGIC = b"cardiac: waves of single sites\n"
CHECK = 4  # bytes after each record
MOST = 4e9  # bytes of the waves of all fits in the cache
SHARED = 48  # digits with which the names of all files of one fit begin
MEAN = 20  # runs of which the mean of V is
LOOK = 10.0  # ms between two looks whether all is activated
QUIET = 40.0  # ms without an activation: what is not activated then is not reached
LONGEST = 2000.0  # ms of a wave
RECOVERED = -40.0  # mV, below which an action potential has ended

Each = Callable[[Callable[[Simulation, Any], Any], Iterable[Any]], Iterator[Any]]


class Wave(NamedTuple):
    """A run: overrides of keys, its sites, the places of the stimuli, and their names; those beyond its sites are never active"""

    overrides: Dict[str, Any]
    points: Sequence[Sequence[float]]  # mm
    places: Sequence[str]
    names: Sequence[str]


def folder() -> str:
    """That of the program's cache"""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(
        given if given.startswith("/") else os.path.expanduser("~/.cache"), "cardiac"
    )


def make_room(own: str, more: int) -> None:
    """Removes waves of other fits, those first that were not used for longest, until all and `more` bytes are at most MOST. What belongs to
    the same fit as `own` stays, however large."""
    entries, fit = [], os.path.basename(own)[:SHARED]
    for entry in os.scandir(folder()):
        with contextlib.suppress(OSError):  # another fit has removed it
            if entry.name.endswith(".waves") and entry.is_file(follow_symlinks=False):
                found = entry.stat(follow_symlinks=False)
                entries.append((found.st_mtime_ns, found.st_size, entry.path))
    left = sum(size for _, size, _ in entries) + more
    for _, size, path in sorted(entries):
        if left <= MOST:
            break
        if os.path.basename(path)[:SHARED] != fit:
            with contextlib.suppress(OSError):  # another fit has removed it
                os.unlink(path)
            left -= size


def _begin(sim: Simulation, wave: Wave) -> float:
    """The step of looks, ms, on the grid of the simulation"""
    at = [["%.9g mm" % x for x in point] for point in wave.points]
    at += at[:1] * (len(wave.places) - len(at))
    sim.reopen({**wave.overrides, **dict(zip(wave.places, at))})
    for name in wave.names[len(wave.points) :]:
        sim.move(name, None)
    return sim.step * max(1, round(1.0 / sim.step))


def activation(sim: Simulation, wave: Wave, stop: Stop) -> Array:
    """ms at each node, NaN where the wave does not come"""
    step = _begin(sim, wave)
    look = step * max(1, round(LOOK / step))
    for k in range(1, math.ceil(LONGEST / look)):
        stop.check()
        sim.advance(k * look, progress=False)
        found = np.array(sim["activation_time"]).reshape(sim.nodes, -1)[:, 0]
        if not np.isnan(found).any() or k * look - np.nanmax(found, initial=0.0) > QUIET:
            break
    return found


def rows_after_activation(
    sim: Simulation, wave: Wave, window: int, stop: Stop
) -> Tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """V (window, nodes) from BEFORE ms before the activation of each node, summed where it is known, and whether it is; ms"""
    step = _begin(sim, wave)
    rows, at = [np.array(sim["V"], np.float32)], [0.0]
    last = math.inf
    for k in range(1, math.ceil((LONGEST + window) / step)):
        stop.check()
        sim.advance(k * step, progress=False)
        rows.append(np.array(sim["V"], np.float32))
        at.append(k * step)
        if k % 10 == 0:
            found = np.array(sim["activation_time"]).reshape(sim.nodes, -1)[:, 0]
            if not np.isnan(found).any() or k * step - np.nanmax(found, initial=0.0) > QUIET:
                last = float(np.nanmax(found, initial=0.0)) + window - BEFORE
            if k * step >= last:
                break
    V, first, nodes = np.array(rows), np.where(np.isnan(found), 1e9, found), np.arange(sim.nodes)
    sums, known = np.zeros((window, sim.nodes), np.float32), np.zeros((window, sim.nodes), bool)
    for u in range(window):
        x = (first + u - BEFORE) / step
        i = np.clip(x.astype(np.int64), 0, len(V) - 2)
        f = (x - i).astype(np.float32)
        known[u] = (x >= 0) & (x <= len(V) - 1)
        sums[u] = np.where(known[u], (1 - f) * V[i, nodes] + f * V[i + 1, nodes], 0)
    return sums.astype(np.float32, copy=False), known.astype(np.bool_, copy=False)


def mean_rows(found: Iterable[Tuple[NDArray[np.float32], NDArray[np.bool_]]]) -> Array:
    """Their means; what was not seen of a node goes on like the mean of all nodes"""
    sums: Any = None
    count: Any = None
    for rows, known in found:
        sums = rows if sums is None else sums + rows
        count = known.astype(np.int32) if count is None else count + known
    assert sums is not None and count is not None
    mean: Array = sums / np.maximum(count, 1)
    whole = (count > 0).all(axis=0)
    common = (
        mean[:, whole].mean(axis=1)
        if whole.any()
        else np.where(count > 0, mean, 0).sum(1) / np.maximum((count > 0).sum(1), 1)
    )
    for x in np.flatnonzero(~whole):
        seen = np.flatnonzero(count[:, x])
        if not len(seen):
            mean[:, x] = common
            continue
        a, b = seen[0], seen[-1]
        mean[:a, x] = mean[a, x] + common[:a] - common[a]
        mean[b + 1 :, x] = mean[b, x] + common[b + 1 :] - common[b]
    return mean


def shortest(mean: Array) -> float:
    """ms from activation to the end of the shortest action potential, infinite where none ends in the window"""
    below = mean[BEFORE + 20 :] < RECOVERED
    ended = below.any(axis=0)
    return float(below.argmax(axis=0)[ended].min()) + 20 if ended.any() else math.inf


class Dictionary:
    """Opened, with what earlier fits have stored of the same `ids` and `part`; `say`: progress."""

    def __init__(self, ids: str, nodes: int, say: Callable[[str], None], part: str = "") -> None:
        of_ids, of_part = (hashlib.sha256(text.encode()).hexdigest() for text in (ids, part))
        name = of_ids[:SHARED] + of_part[SHARED:] + ".waves"
        self.nodes, self.say, self.path = nodes, say, os.path.join(folder(), name)
        make_folder(folder())
        self.file = self._open()
        self.made = 0

    def _open(self) -> BinaryIO:
        with failing(self.path):
            file = open(open_plain(self.path, os.O_RDWR | os.O_CREAT), "r+b")
            fcntl.flock(file, fcntl.LOCK_EX)  # another fit makes the same
            if file.read(len(MAGIC)) != MAGIC:
                file.truncate(0)
                file.seek(0)
                file.write(MAGIC)
            os.utime(file.fileno())  # it is used
            return file

    def __enter__(self) -> Dictionary:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def _read(self, rows: int) -> Optional[Array]:
        """The next record of float32 (rows, nodes); None, and cut there, where it is not whole"""
        begin, size = self.file.tell(), 4 * rows * self.nodes
        data = self.file.read(size + CHECK)
        if (
            len(data) == size + CHECK
            and zlib.crc32(data[:size]).to_bytes(CHECK, "little") == data[size:]
        ):
            return np.frombuffer(data[:size], "<f4").reshape(rows, self.nodes)
        self.file.seek(begin)
        self.file.truncate(begin)
        return None

    def _write(self, rows: Array) -> None:
        data = rows.astype("<f4").tobytes()
        with failing(self.path):
            self.file.write(data + zlib.crc32(data).to_bytes(CHECK, "little"))
            self.file.flush()

    def waves(self, each: Each, runs: Sequence[Wave], stop: Stop) -> Array:
        """(runs, nodes) ms"""
        found: List[Array] = []
        while len(found) < len(runs):
            row = self._read(1)
            if row is None:
                break
            found.append(row[0])
        make_room(self.path, (len(runs) - len(found)) * (4 * self.nodes + CHECK))
        new = each(lambda sim, wave: activation(sim, wave, stop), runs[len(found) :])
        for row in new:
            self._write(row[None])
            found.append(row.astype(np.float32))
            self.made += 1
            self.say("waves of single sites: %d of %d" % (len(found), len(runs)))
        return np.array(found)

    def mean(self, each: Each, runs: Sequence[Wave], window: int, stop: Stop) -> Array:
        """V after activation, (window, nodes) mV"""
        found = self._read(window)
        if found is None:
            self.say("V after activation")
            make_room(self.path, 4 * window * self.nodes + CHECK)
            mean = mean_rows(
                each(lambda sim, wave: rows_after_activation(sim, wave, window, stop), runs)
            )
            found = mean.astype(np.float32)  # the bits that later fits read
            self.made += len(runs)
            self._write(found)
        return found.astype(float)
