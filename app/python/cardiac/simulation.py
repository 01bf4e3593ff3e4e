"""A simulation in this process: libcardiac by ctypes, arrays by numpy."""
from __future__ import annotations

import ctypes
import inspect
import json
import os
import time
import warnings
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .program import InputError, Progress, RunError, find, text_of

Array = NDArray[np.float64]
Config = Union[Mapping[str, Any], str, "os.PathLike[str]"]

SLICE = 0.05  # seconds of one call, so that ctrl-C is noticed
_LINE = CFUNCTYPE(None, c_void_p, c_char_p)
_SIGNATURES: Dict[str, List[Any]] = {
    "open": [POINTER(c_void_p), c_char_p, c_char_p, c_char_p], "open_file": [POINTER(c_void_p), c_char_p, c_char_p],
    "array": [c_void_p, c_char_p, c_void_p, c_int64, c_int], "reopen": [c_void_p, c_char_p, c_char_p],
    "log": [c_void_p, _LINE, c_void_p], "time": [c_void_p, POINTER(c_double)], "step_length": [c_void_p, POINTER(c_double)],
    "advance": [c_void_p, c_double], "nodes": [c_void_p, POINTER(c_int64)],
    "elements": [c_void_p, POINTER(c_int64), POINTER(c_int)], "points": [c_void_p, c_void_p, c_int64],
    "cells": [c_void_p, c_void_p, c_int64], "get": [c_void_p, c_char_p, c_void_p, c_int64],
    "fronts": [c_void_p, c_char_p, c_char_p, c_double, POINTER(c_int64)], "set": [c_void_p, c_char_p, c_void_p, c_int64], "move": [c_void_p, c_char_p, c_int64, c_double],
    "current": [c_void_p, c_void_p, c_int64, c_void_p], "copy": [c_void_p, POINTER(c_void_p)], "restore": [c_void_p, c_void_p],
    "write": [c_void_p, c_char_p, c_int, POINTER(c_char_p), POINTER(c_char_p), c_void_p]}
_TEXTS = ("fields", "report", "config", "waves")  # each of a simulation, as JSON


def _candidates() -> Iterator[str]:
    """Where the library may be: as named by $CARDIAC_LIBRARY, in this package, beside the program, with the system's."""
    named = os.environ.get("CARDIAC_LIBRARY")
    if named:
        yield named
        return
    yield os.path.join(os.path.dirname(__file__), "libcardiac.so")
    try:
        program = Path(find()).resolve().parent
        yield str(program / "libcardiac.so")
        for library in sorted(program.parent.glob("lib*/**/libcardiac.so")):
            yield str(library)
    except FileNotFoundError:
        pass


def _load() -> ctypes.CDLL:
    path = next((candidate for candidate in _candidates() if os.path.exists(candidate)), os.environ.get("CARDIAC_LIBRARY", "libcardiac.so"))
    try:
        library = ctypes.CDLL(path)
    except OSError as missing:
        what = "install libgomp1 or libgomp" if "libgomp" in str(missing) else "set CARDIAC_LIBRARY to where libcardiac.so is"
        raise FileNotFoundError("%s; %s" % (missing, what)) from None
    for name, types in _SIGNATURES.items():
        getattr(library, "cardiac_" + name).argtypes = types
    for name in _TEXTS:
        getattr(library, "cardiac_" + name).argtypes = [c_void_p, POINTER(c_void_p)]
    for name in ("close", "state_free", "free", "error"):
        getattr(library, "cardiac_" + name).argtypes = [c_void_p]
        getattr(library, "cardiac_" + name).restype = None
    library.cardiac_error.restype = c_char_p
    return library


_library: List[ctypes.CDLL] = []


def _lib() -> ctypes.CDLL:
    if not _library:
        _library.append(_load())
    return _library[0]


def _address(array: NDArray[Any]) -> c_void_p:
    return array.ctypes.data_as(c_void_p)


def _numbers(values: ArrayLike, what: str) -> Array:
    try:
        return np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError("%s: not an array of numbers" % what, 2) from None


def _number(value: Any, what: str) -> float:
    number = _numbers(value, what)
    if number.ndim:
        raise InputError("%s: expected a number" % what, 2)
    return float(number)


def _outside() -> int:
    """The stacklevel of the first caller that is not in this file."""
    level, frame = 1, inspect.currentframe()
    while frame and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    return level - 1


class _Arrays:
    """Arrays of a config: each becomes one of the library's, and its place in the config the name of that."""

    def __init__(self) -> None:
        self.named: Dict[str, Array] = {}
        self.initial: Dict[str, Any] = {}
        self.nodes: Dict[str, NDArray[np.int64]] = {}  # masks, once the number of nodes is known

    def name(self, values: Any, what: str) -> str:
        name = "array_%d" % (len(self.named) + len(self.nodes) + 1)
        self.named[name] = _numbers(values, what)
        return name

    def take(self, value: Any, path: Tuple[Any, ...] = ()) -> Any:
        """The value as a config would have it."""
        key = path[-1] if path else ""
        what = ".".join(map(str, path))
        if isinstance(value, Mapping):
            if key == "initial" and len(path) == 1 and any(np.ndim(item) for item in value.values()):
                self.initial.update(value)
                return {}
            taken = {str(k): self.take(item, (*path, k)) for k, item in value.items()}
            fibers = taken.get("tissue", {}).get("fibers") if not path and isinstance(taken.get("tissue"), dict) else None
            if isinstance(fibers, str) and fibers in self.named:
                taken["tissue"]["fibers"] = "from mesh"
                taken["mesh"] = {**taken.get("mesh", {}), "fibers": fibers}
            if "nodes" in taken and taken["nodes"] in self.named:  # of a stimulus
                name = taken.pop("nodes")
                self.nodes[name] = self.named.pop(name).astype(np.int64)
                taken["where"] = "%s > 0.5" % name
            return taken
        if isinstance(value, np.ndarray) and value.ndim and not (key == "fibers" and value.shape == (3,)):
            name = self.name(value, what)
            if key == "where":
                return "%s > 0.5" % name
            return {"field": name} if len(path) > 1 and path[-2] == "parameters" else name
        if isinstance(value, (list, tuple)):
            return [self.take(item, (*path, k)) for k, item in enumerate(value)]
        if isinstance(value, (np.generic, np.ndarray)):
            return value.tolist()
        return os.fspath(value) if isinstance(value, os.PathLike) else value


class State:
    """A copy of the state of a simulation: what :meth:`Simulation.copy` returns and :meth:`Simulation.restore` takes."""

    def __init__(self, handle: c_void_p, current: Array) -> None:
        self._handle, self._current, self._free = handle, current, _lib().cardiac_state_free

    def __del__(self) -> None:
        if self._handle:
            self._free(self._handle)
            self._handle = c_void_p()


class Current:
    """Currents at the nodes, uA/uF, until they are changed: ``sim.current[nodes] = 20``; positive depolarises."""

    def __init__(self, sim: Simulation) -> None:
        self._sim, self.values = sim, np.zeros(sim.nodes)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __setitem__(self, index: Any, value: ArrayLike) -> None:
        try:
            nodes = np.atleast_1d(np.arange(len(self.values), dtype=np.int64)[index]).ravel()
            values = np.ascontiguousarray(np.broadcast_to(_numbers(value, "current"), nodes.shape))
        except (IndexError, ValueError) as wrong:
            raise InputError("current: %s" % wrong, 2) from None
        self._sim._call("current", _address(nodes), len(nodes), _address(values))
        self.values[nodes] = values


class Simulation:
    """A simulation in this process, at the start of its config.

    Parameters
    ----------
    config : mapping, str or path
        A config (docs/user/config.md) as a mapping, as YAML text of several lines, or as a path. In a mapping, numpy arrays may
        stand for fibres (nodes or elements, 3), parameters, scale, where (true or false) and initial values ("V", "model/state"),
        and a list of nodes for ``nodes`` of a stimulus. Without ``time.end`` the simulation has no end.
    overrides : mapping or str, optional
        Values over those of the config: ``{"time.step": "0.02 ms"}``, or a YAML text of them.

    Raises
    ------
    InputError, RunError
        What is wrong with the config, or failed, in the words of the program.

    Examples
    --------
    >>> with cardiac.Simulation("heart.yaml") as sim:
    ...     sim.advance(until=100)
    ...     v = sim["V"]
    """

    def __init__(self, config: Config, overrides: Union[Mapping[str, Any], str, None] = None) -> None:
        lib = _lib()
        handle = c_void_p()
        self._handle: Optional[c_void_p] = handle
        self._lines: List[str] = []
        self._said = _LINE(lambda _, line: self._lines.append(line.decode(errors="replace")))
        over = self._overrides(overrides)
        try:
            if isinstance(config, Mapping):
                self._open_mapping(handle, config, over)
            elif isinstance(config, str) and "\n" in config:
                self._check(lib.cardiac_open(byref(handle), config.encode(), None, over))
            else:
                self._check(lib.cardiac_open_file(byref(handle), os.fsencode(config), over))
            self._start()
        except BaseException:
            self.close()
            raise

    def _open_mapping(self, handle: c_void_p, config: Mapping[str, Any], over: bytes) -> None:
        arrays = _Arrays()
        taken = arrays.take(config)
        if isinstance(taken.get("time", {}), dict):
            taken["time"] = {"end": 1e6, **taken.get("time", {})}
        text = text_of(taken).encode()
        self._check(_lib().cardiac_open(byref(handle), None, None, None))
        if arrays.nodes:  # a mask has as many values as there are nodes
            plain = {**taken, "stimuli": []}
            self._call("reopen", text_of(plain).encode(), over)
            nodes = self._count()
            for name, index in arrays.nodes.items():
                mask = np.zeros(nodes)
                if index.size and (index.min() < 0 or index.max() >= nodes):
                    raise InputError("stimuli: nodes are 0 to %d" % (nodes - 1), 2)
                mask[index] = 1
                arrays.named[name] = mask
        for name, values in arrays.named.items():
            components = 3 if values.ndim == 2 else 1
            self._call("array", name.encode(), _address(values), values.size, components)
        self._call("reopen", text, over)
        for name, item in arrays.initial.items():
            self[name] = item

    @staticmethod
    def _overrides(overrides: Union[Mapping[str, Any], str, None]) -> bytes:
        if isinstance(overrides, str):
            return overrides.encode("utf-8", "surrogateescape")
        plain = _Arrays()
        taken = plain.take(dict(overrides or {}), ("overrides",))
        if plain.named or plain.nodes:
            raise InputError("overrides: arrays belong into the config", 2)
        try:
            return json.dumps(taken, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as wrong:
            raise InputError("overrides: %s" % wrong, 2) from None

    def _start(self) -> None:
        """What depends on the config that was opened."""
        elements, corners = c_int64(), c_int()
        self._call("log", self._said, None)
        self._call("elements", byref(elements), byref(corners))
        self._shape = elements.value, corners.value
        self.nodes: int = self._count()
        self.fields: Dict[str, Dict[str, Any]] = {field["name"]: field for field in self._json("fields")}
        self.current = Current(self)

    def _count(self) -> int:
        count = c_int64()
        self._call("nodes", byref(count))
        return count.value

    def _check(self, status: int) -> None:
        lines, self._lines[:] = list(self._lines), []
        for line in lines:
            if line.startswith("warning: "):
                warnings.warn(line[len("warning: "):], stacklevel=_outside())
        if status:
            text = (_lib().cardiac_error(self._handle) or b"").decode(errors="replace")
            raise (InputError if status == 2 else RunError)(text, status)

    def _call(self, name: str, *arguments: Any) -> None:
        if not self._handle:
            raise InputError("the simulation is closed", 2)
        self._check(getattr(_lib(), "cardiac_" + name)(self._handle, *arguments))

    def _json(self, name: str) -> Any:
        text = c_void_p()
        self._call(name, byref(text))
        try:
            return json.loads(ctypes.string_at(text.value or 0).decode())
        finally:
            _lib().cardiac_free(text)

    def _value(self, name: str) -> float:
        value = c_double()
        self._call(name, byref(value))
        return value.value

    def close(self) -> None:
        """Free it; nothing but `close` can be called then."""
        if self._handle:
            _lib().cardiac_close(self._handle)
        self._handle = None

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self) -> str:
        return "<cardiac.Simulation: %d nodes at %.10g ms>" % (self.nodes, self.time) if self._handle else "<cardiac.Simulation: closed>"

    @property
    def time(self) -> float:
        """ms"""
        return self._value("time")

    @property
    def step(self) -> float:
        """ms: the grid on which :meth:`advance` may end, time.step or time.longest."""
        return self._value("step_length")

    @property
    def points(self) -> Array:
        """(nodes, 3), mm"""
        points = np.empty((self.nodes, 3))
        self._call("points", _address(points), points.size)
        return points

    @property
    def cells(self) -> NDArray[np.int64]:
        """(elements, corners): the nodes of each element."""
        cells = np.empty(self._shape, np.int64)
        self._call("cells", _address(cells), cells.size)
        return cells

    @property
    def config(self) -> Dict[str, Any]:
        """The config with all its values, each with its unit."""
        return dict(self._json("config"))

    @property
    def results(self) -> Dict[str, Any]:
        """What happened so far, as the last line of ``cardiac run --json`` (docs/user/json.md)."""
        return dict(self._json("report"))

    @property
    def waves(self) -> Dict[str, Any]:
        """What activated what so far, whether the tissue is excited, when the pulses of the stimuli begin and how they ended: cardiac_waves in
        cardiac.h. ``sim["wave/S1/3"]`` is when the wave of pulse 3 of S1 came to each node."""
        return dict(self._json("waves"))

    def node(self, point: ArrayLike) -> int:
        """The node nearest to a point in mm."""
        return int(np.argmin(((self.points - _numbers(point, "point")) ** 2).sum(axis=1)))

    def advance(self, until: float, *, progress: Optional[bool] = None) -> None:
        """Take the steps up to `until` ms, a multiple of :attr:`step`.

        Ctrl-C ends it between two steps; called again, it goes on with the bits of an uninterrupted call.

        Parameters
        ----------
        until : float
        progress : bool, optional
            A bar on standard error; by default in a terminal or a notebook, once it takes a second.
        """
        target = _number(until, "advance")
        grid, began, start = self.step, time.perf_counter(), self.time
        last, step = round(target / grid) if np.isfinite(target) else 0, round(start / grid)
        if last <= step or abs(last * grid - target) > 1e-9 * abs(target):
            self._call("advance", target)
            return
        bar, count = Progress(progress), 1
        while step < last:
            step = min(step + count, last)
            call = time.perf_counter()
            self._call("advance", target if step == last else step * grid)
            now = time.perf_counter()
            count = max(1, min(4 * count, int(count * SLICE / max(now - call, 1e-9))))
            if now - began > 1:
                left = (now - began) * (last - step) / (step - round(start / grid))
                bar.show({"time": step * grid, "end": target, "seconds_left": left})
        bar.end()

    def __getitem__(self, field: str) -> Array:
        """A field: "V", a state or current of a model, a map of the config, "leads": (nodes) or (nodes, beats), a copy."""
        known = self.fields.get(field, {"width": 1, "where": "nodes"})
        width = int(known["width"])
        value = np.empty(width if known["where"] == "leads" else (self.nodes, width) if width > 1 else self.nodes)
        self._call("get", str(field).encode(), _address(value), value.size)
        value.flags.writeable = False  # what is written there would change nothing
        return value

    def __setitem__(self, field: str, values: ArrayLike) -> None:
        """V or a state of all nodes, or one number for all."""
        numbers = _numbers(values, field)
        numbers = np.full(self.nodes, numbers) if numbers.ndim == 0 else numbers
        self._call("set", str(field).encode(), _address(numbers), numbers.size)

    def write(self, path: "str | os.PathLike[str]", fields: Mapping[str, Tuple[ArrayLike, str]]) -> None:
        """A .vtkhdf file of the mesh for ParaView, with fields of its nodes: name -> (values, unit)."""
        values = np.array([_numbers(value, name) for name, (value, _) in fields.items()])
        if values.shape != (len(fields), self.nodes):
            raise InputError("write: a field has a value for each node", 2)
        texts = c_char_p * len(fields)
        names, units = texts(*(name.encode() for name in fields)), texts(*(unit.encode() for _, unit in fields.values()))
        self._call("write", os.fsencode(path), len(fields), names, units, _address(values))

    def move(self, stimulus: str, start: Optional[float], pulse: int = 0) -> None:
        """Pulse number `pulse` of a stimulus begins at `start` ms; None = never."""
        self._call("move", str(stimulus).encode(), int(pulse), float("inf") if start is None else _number(start, "move"))

    def copy(self) -> State:
        """A copy of the state, with moved pulses and currents."""
        handle = c_void_p()
        self._call("copy", byref(handle))
        return State(handle, self.current.values.copy())

    def restore(self, state: State) -> None:
        """Go on from a copy; steps after it have the bits of those after :meth:`copy`."""
        self._call("restore", state._handle if isinstance(state, State) else None)
        self.current.values[:] = state._current

    def reopen(self, overrides: Optional[Mapping[str, Any]] = None) -> None:
        """The start again, with other values of keys; what they do not affect, such as mesh and matrix, is kept."""
        self._call("reopen", None, self._overrides(overrides))
        self._start()

    def measure_fronts(self, low: Mapping[str, Any], high: Mapping[str, Any], seconds: float) -> int:
        """Measures fronts for velocities between those of two sets of overrides, by `threads` or all cores; returns how many are left."""
        left = c_int64()
        self._call("fronts", self._overrides(low), self._overrides(high), seconds, byref(left))
        return left.value
