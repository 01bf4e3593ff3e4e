"""A simulation in this process: libcardiac by ctypes, arrays by numpy."""

from __future__ import annotations

import ctypes
import inspect
import json
import os
import threading
import time
import warnings
from ctypes import (
    CFUNCTYPE,
    POINTER,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_void_p,
    py_object,
)
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, Arrays, read_number, read_numbers, read_whole
from .program import InputError, Progress, RunError, find, text_of

Config = Union[Mapping[str, Any], str, "os.PathLike[str]"]

LOOK = 0.1  # seconds between two looks at a running call
_LINE = CFUNCTYPE(None, py_object, c_char_p)
_KEEP = _LINE(
    list.append
)  # runs no Python, in which ctrl-C could be raised and lost, nor the line kept
_SIGNATURES: Dict[str, List[Any]] = {
    "open": [POINTER(c_void_p), c_char_p, c_char_p, c_char_p],
    "open_file": [POINTER(c_void_p), c_char_p, c_char_p],
    "array": [c_void_p, c_char_p, c_void_p, c_int64, c_int],
    "reopen": [c_void_p, c_char_p, c_char_p],
    "log": [c_void_p, _LINE, py_object],
    "time": [c_void_p, POINTER(c_double)],
    "step_length": [c_void_p, POINTER(c_double)],
    "advance": [c_void_p, c_double],
    "stop": [c_void_p],
    "nodes": [c_void_p, POINTER(c_int64)],
    "elements": [c_void_p, POINTER(c_int64), POINTER(c_int)],
    "points": [c_void_p, c_void_p, c_int64],
    "cells": [c_void_p, c_void_p, c_int64],
    "get": [c_void_p, c_char_p, c_void_p, c_int64],
    "set": [c_void_p, c_char_p, c_void_p, c_int64],
    "move": [c_void_p, c_char_p, c_int64, c_double],
    "current": [c_void_p, c_void_p, c_int64, c_void_p],
    "copy": [c_void_p, POINTER(c_void_p)],
    "restore": [c_void_p, c_void_p],
    "write": [c_void_p, c_char_p, c_int, POINTER(c_char_p), POINTER(c_char_p), c_void_p],
}
_LONG = ("reopen", "advance")  # calls that ctrl-C ends
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
    path = next(
        (candidate for candidate in _candidates() if os.path.exists(candidate)),
        os.environ.get("CARDIAC_LIBRARY", "libcardiac.so"),
    )
    try:
        library = ctypes.CDLL(path)
    except OSError as missing:
        what = (
            "install libgomp1 or libgomp"
            if "libgomp" in str(missing)
            else "set CARDIAC_LIBRARY to where libcardiac.so is"
        )
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


def _text(text: Any, what: str) -> bytes:
    """A text for C, which ends it at a NUL."""
    encoded = (
        os.fsencode(text)
        if isinstance(text, (bytes, os.PathLike))
        else str(text).encode("utf-8", "surrogateescape")
    )
    if b"\0" in encoded:
        raise InputError("%s: %r has a NUL character" % (what, text), 2)
    return encoded


def _outside() -> int:
    """The stacklevel of the first caller that is not in this file."""
    level, frame = 1, inspect.currentframe()
    while frame and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    return level - 1


class State:
    """A copy of the state of a simulation, made by :meth:`Simulation.copy` for :meth:`Simulation.restore`, in this process.

    Examples
    --------
    >>> sim = cardiac.Simulation("heart.yaml")
    >>> state = sim.copy()                      # as often as memory allows
    >>> sim.restore(state)
    """

    def __init__(self, handle: c_void_p, current: Array) -> None:
        self._handle, self._current, self._free = handle, current, _lib().cardiac_state_free

    def __reduce__(self) -> Any:
        raise TypeError(
            "a cardiac.State belongs to this process and is not copied: restore it as often as you like"
        )

    def __del__(self) -> None:
        self._free(self.__dict__.pop("_handle", None))


class Current:
    """A current at each node, uA/uF, until it is changed; positive values depolarise. ``sim.current`` is one.

    Attributes
    ----------
    values : (nodes) array
        What was set; change it by ``sim.current[nodes] = value`` alone.

    Raises
    ------
    InputError
        Where a node does not exist, or a value is not a finite number.

    Examples
    --------
    >>> sim = cardiac.Simulation("heart.yaml")
    >>> sim.current[[0, 7]] = 20
    >>> sim.current[sim.points[:, 0] > 2.5] = 30
    >>> print(sim.current.values.max())
    30.0
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim, self.values = sim, np.zeros(sim.nodes)

    def __reduce__(self) -> Any:
        raise TypeError(
            "the currents of a simulation are not copied; current.values.copy() is an array of them"
        )

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __setitem__(self, index: Any, value: ArrayLike) -> None:
        try:
            nodes = np.atleast_1d(np.arange(len(self.values), dtype=np.int64)[index]).ravel()
            values = np.ascontiguousarray(
                np.broadcast_to(read_numbers(value, "current"), nodes.shape)
            )
        except (IndexError, ValueError) as wrong:
            raise InputError("current: %s" % wrong, 2) from None
        if self._sim.current is not self:
            raise InputError("current: of before a reopen; use sim.current", 2)
        self._sim._call("current", _address(nodes), len(nodes), _address(values))
        self.values[nodes] = values


class Simulation:
    """A simulation in this process, at the start of its config.

    Parameters
    ----------
    config : mapping, str or path
        A config (docs/user/config.md) as a mapping, as YAML text of several lines, or as a path. In a mapping, numpy arrays may
        stand for fibres (nodes or elements, 3), parameters, scale, where (true or false) and initial values ("V", "model/state"),
        in ``mesh.arrays`` for variables of expressions, and a list of nodes for ``nodes`` of a stimulus. Without ``time.end`` the simulation has no end.
    overrides : mapping or str, optional
        Values over those of the config: ``{"time.step": "0.02 ms"}``, or a YAML text of them.

    Attributes
    ----------
    nodes : int
    fields : dict
        By name what ``sim[name]`` reads: its ``unit``, ``where`` ("nodes", "leads"), ``width`` (beats), and whether it is ``writable``.
    current : Current
        uA/uF at each node

    Raises
    ------
    InputError, RunError
        What is wrong with the config, or failed, in the words of the program. All methods raise them.

    Examples
    --------
    >>> with cardiac.Simulation("heart.yaml", {"time.step": "0.05 ms"}) as sim:
    ...     sim.advance(until=4)
    ...     v = sim["V"]                        # (nodes), mV
    ...     apex = sim.node([3, 0, 0])
    ...     sim.current[apex] = 50
    >>> sim.nodes, sim.fields["V"]["unit"], v.shape
    (165, 'mV', (165,))
    """

    def __init__(
        self, config: Config, overrides: Union[Mapping[str, Any], str, None] = None
    ) -> None:
        self._handle: Optional[c_void_p] = None
        self._lock = threading.RLock()  # from a call until its message is read
        self._lines: List[bytes] = []  # of the log; the library adds to it
        initial: Dict[str, Any] = {}
        over = self._overrides(overrides)
        try:
            if isinstance(config, Mapping):
                initial = self._open_mapping(config, over)
            elif isinstance(config, str) and "\n" in config:
                self._open("open", _text(config, "config"), None, over)
            elif isinstance(config, (str, bytes, os.PathLike)):
                self._open("open_file", _text(config, "config"), over)
            else:
                raise InputError(
                    "config: expected a mapping, a text or a path, not %s" % type(config).__name__,
                    2,
                )
            self._start()
            for name, item in initial.items():
                self[name] = item
        except BaseException:
            self.close()
            raise

    def _open(self, name: str, *arguments: Any) -> None:
        handle, logged = c_void_p(), [False]
        self._handle = handle

        def look() -> None:
            if handle and not logged[0]:  # the library has made it, and goes on
                logged[0] = True
                _lib().cardiac_log(handle, _KEEP, self._lines)

        self._watch(getattr(_lib(), "cardiac_" + name), [byref(handle), *arguments], look)

    def _open_mapping(self, config: Mapping[str, Any], over: bytes) -> Dict[str, Any]:
        """Opens it; the initial values that are arrays, to be set."""
        arrays = Arrays()
        taken = arrays.take(config)
        if isinstance(taken.get("time", {}), dict):
            taken["time"] = {"end": 1e6, **taken.get("time", {})}
        text = _text(text_of(taken), "config")
        self._open("open", None, None, None)
        if arrays.nodes:  # a mask has as many values as there are nodes
            plain = {**taken, "stimuli": []}
            self._call("reopen", _text(text_of(plain), "config"), over)
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
        return arrays.initial

    @staticmethod
    def _overrides(overrides: Union[Mapping[str, Any], str, None]) -> bytes:
        if isinstance(overrides, str):
            return _text(overrides, "overrides")
        plain = Arrays()
        taken = plain.take(dict(overrides or {}), ("overrides",))
        if plain.named or plain.nodes:
            raise InputError("overrides: arrays belong into the config", 2)
        try:
            return json.dumps(taken, ensure_ascii=False, allow_nan=False).encode(
                "utf-8", "surrogateescape"
            )
        except (TypeError, ValueError) as wrong:
            raise InputError("overrides: %s" % wrong, 2) from None

    def _start(self) -> None:
        """What depends on the config that was opened."""
        elements, corners = c_int64(), c_int()
        self._call("log", _KEEP, self._lines)
        self._call("elements", byref(elements), byref(corners))
        self._shape = elements.value, corners.value
        self.nodes: int = self._count()
        self.fields: Dict[str, Dict[str, Any]] = {
            field["name"]: field for field in self._json("fields")
        }
        self.current = Current(self)

    def _count(self) -> int:
        count = c_int64()
        self._call("nodes", byref(count))
        return count.value

    def _warn(self) -> None:
        """Passes on the warnings among the lines that have come."""
        while self._lines:
            line = self._lines.pop(0).decode(errors="replace")
            if line.startswith("warning: "):
                warnings.warn(line[len("warning: ") :], stacklevel=_outside())

    def _check(self, status: int) -> None:
        """What a call came to; its words are read before another call."""
        text = (
            (_lib().cardiac_error(self._handle) or b"").decode(errors="replace") if status else ""
        )
        self._warn()
        if status:
            raise (InputError if status == 2 else RunError)(text, status)

    def _watch(
        self, function: Callable[..., int], arguments: List[Any], look: Optional[Callable[[], None]]
    ) -> None:
        """A long call in a thread of its own, so that ctrl-C reaches this one, which then ends the call."""
        status: List[int] = []
        done, gate = threading.Event(), threading.Lock()
        left: List[bool] = []  # whether the call was left out; empty until that is known

        def call() -> None:
            with gate:
                if left:  # ctrl-C came before it began
                    return
                left.append(False)
            try:
                status.append(function(*arguments))
            finally:
                done.set()

        failed: Optional[Warning] = None
        thread = threading.Thread(target=call, daemon=True)
        try:
            thread.start()
            while not done.wait(LOOK):
                if look:
                    look()
                try:
                    self._warn()
                except (
                    Warning
                ) as error:  # by a filter of the user; the call ends as if it came afterwards
                    failed = failed or error
            thread.join()
        except BaseException:
            self._end(done, gate, left)
            raise
        self._check(status[0])
        if failed:
            raise failed

    def _end(self, done: threading.Event, gate: threading.Lock, left: List[bool]) -> None:
        """Ends a call that runs; further interrupts do not hasten it."""
        while not done.is_set():
            try:
                with gate:
                    if not left:
                        left.append(True)
                        return
                if self._handle:
                    _lib().cardiac_stop(self._handle)
                done.wait(LOOK)
            except KeyboardInterrupt:
                pass

    def _call(self, name: str, *arguments: Any, look: Optional[Callable[[], None]] = None) -> None:
        function = getattr(_lib(), "cardiac_" + name)
        with self._lock:
            if not self._handle:
                raise InputError("the simulation is closed", 2)
            if name in _LONG:
                self._watch(function, [self._handle, *arguments], look)
            else:
                self._check(function(self._handle, *arguments))

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
        """Free its memory. Every later call raises InputError. Not while another thread uses it.

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.close()
        >>> sim
        <cardiac.Simulation: closed>
        """
        with self._lock:
            handle, self._handle = self._handle, None
            if handle:
                _lib().cardiac_close(handle)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a cardiac.Simulation is not copied: open another one, and restore() a state of copy() in it"
        )

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self) -> str:
        return (
            "<cardiac.Simulation: %d nodes at %.10g ms>" % (self.nodes, self.time)
            if self._handle
            else "<cardiac.Simulation: closed>"
        )

    @property
    def time(self) -> float:
        """ms: where the simulation is.

        Examples
        --------
        >>> cardiac.Simulation("heart.yaml").time
        0.0
        """
        return self._value("time")

    @property
    def step(self) -> float:
        """ms: the grid on which :meth:`advance` may end, time.step or time.longest.

        Examples
        --------
        >>> cardiac.Simulation("heart.yaml").step
        0.1
        """
        return self._value("step_length")

    @property
    def points(self) -> Array:
        """(nodes, 3), mm: where the nodes are.

        Examples
        --------
        >>> cardiac.Simulation("heart.yaml").points.max(axis=0)
        array([3. , 1.2, 0.6])
        """
        points = np.empty((self.nodes, 3))
        self._call("points", _address(points), points.size)
        return points

    @property
    def cells(self) -> NDArray[np.int64]:
        """(elements, corners): the nodes of each element.

        Examples
        --------
        >>> cardiac.Simulation("heart.yaml").cells.shape
        (480, 4)
        """
        cells = np.empty(self._shape, np.int64)
        self._call("cells", _address(cells), cells.size)
        return cells

    @property
    def config(self) -> Dict[str, Any]:
        """The config with all its values, each with its unit.

        Examples
        --------
        >>> cardiac.Simulation("heart.yaml").config["time"]["step"]
        '0.1 ms'
        """
        return dict(self._json("config"))

    @property
    def results(self) -> Dict[str, Any]:
        """What happened so far, as the last line of ``cardiac run --json`` (docs/user/output.schema.json).

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.advance(4)
        >>> sim.results["activated"], sim.results["stimuli"][0]["name"]
        (75, 'S1')
        """
        return dict(self._json("report"))

    @property
    def leads(self) -> Dict[str, float]:
        """mV, of each lead and electrode by name; none without `ecg`.

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.advance(4)
        >>> sorted(sim.leads)
        ['I', 'II', 'III', 'aVF', 'aVL', 'aVR']
        """
        names = self.fields["leads"]["names"] if "leads" in self.fields else []
        return dict(zip(names, self["leads"].tolist())) if names else {}

    @property
    def waves(self) -> Dict[str, Any]:
        """What activated what so far, whether the tissue is excited, when the pulses of the stimuli begin and how they ended: cardiac_waves in
        cardiac.h. ``sim["wave/S1/3"]`` is when the wave of pulse 3 of S1 reached each node, ms.

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.advance(20)
        >>> print(sim.waves["stimuli"][0]["ends"], sim["wave/S1/0"].max().round(1))
        ['captured'] 7.9
        """
        return dict(self._json("waves"))

    def node(self, point: ArrayLike) -> int:
        """The node nearest to a point.

        Parameters
        ----------
        point : (3) array_like
            mm

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.points[sim.node([2.9, 0.1, 0])]
        array([3., 0., 0.])
        """
        return int(np.argmin(((self.points - read_numbers(point, "point")) ** 2).sum(axis=1)))

    def advance(self, until: float, *, progress: Optional[bool] = None) -> None:
        """Take the steps up to a time.

        Ctrl-C ends it between two steps within a second; called again, it goes on with the bits of an uninterrupted call.

        Parameters
        ----------
        until : float
            ms, a multiple of :attr:`step`
        progress : bool, optional
            A bar on standard error; by default in a terminal or a notebook, once it takes a second.

        Raises
        ------
        InputError
            Where `until` is no multiple of the step, or before :attr:`time`.
        RunError
            Where a step fails, as where V leaves its bounds.

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.advance(until=4)
        >>> print(sim.time, (sim["V"] > -40).sum())
        4.0 75
        """
        target, bar = read_number(until, "advance"), Progress(progress)
        if not bar.shown:
            self._call("advance", target)
            return
        began, start, now = time.perf_counter(), self.time, c_double()

        def look() -> None:
            passed = time.perf_counter() - began
            if (
                passed > 1
                and _lib().cardiac_time(self._handle, byref(now)) == 0
                and now.value > start
            ):
                left = passed * (target - now.value) / (now.value - start)
                bar.show({"time": now.value, "end": target, "seconds_left": left})

        try:
            self._call("advance", target, look=look)
        finally:
            bar.end()

    def __getitem__(self, field: str) -> Array:
        """A field: "V", a state or current of a model, a map of the config, "leads": (nodes) or (nodes, beats), a copy."""
        known = self.fields.get(field, {"width": 1, "where": "nodes"})
        width = int(known["width"])
        value = np.empty(
            width if known["where"] == "leads" else (self.nodes, width) if width > 1 else self.nodes
        )
        self._call("get", _text(field, "field"), _address(value), value.size)
        value.flags.writeable = False  # what is written there would change nothing
        return value

    def __setitem__(self, field: str, values: ArrayLike) -> None:
        """V, a state or a parameter that varies, at all nodes, or one number for all; equal values change no bit."""
        numbers = read_numbers(values, field)
        if numbers.shape not in ((), (self.nodes,)):
            raise InputError(
                "%s: an array of shape %s; (%d,) or a number are needed"
                % (field, numbers.shape, self.nodes),
                2,
            )
        numbers = np.full(self.nodes, numbers) if numbers.ndim == 0 else numbers
        self._call("set", _text(field, "field"), _address(numbers), numbers.size)

    def write(
        self, path: "str | os.PathLike[str]", fields: Mapping[str, Tuple[ArrayLike, str]]
    ) -> None:
        """Write a .vtkhdf file of the mesh for ParaView, with fields of its nodes.

        Parameters
        ----------
        path : str or path
        fields : mapping
            name -> (values (nodes), unit)

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.write("distance.vtkhdf", {"distance": (sim.points[:, 0], "mm")})
        >>> print(cardiac.read("distance.vtkhdf").maps["distance"].max())
        3.0
        """
        arrays = [read_numbers(value, name) for name, (value, _) in fields.items()]
        if any(array.shape != (self.nodes,) for array in arrays):
            raise InputError("write: a field has a value for each node", 2)
        values, texts = np.array(arrays), c_char_p * len(fields)
        names = texts(*(_text(name, "write") for name in fields))
        units = texts(*(_text(unit, "write") for _, unit in fields.values()))
        self._call(
            "write", _text(os.fspath(path), "write"), len(fields), names, units, _address(values)
        )

    def move(self, stimulus: str, start: Optional[float], pulse: int = 0) -> None:
        """Let a pulse of a stimulus begin at another time.

        Parameters
        ----------
        stimulus : str
            Its name.
        start : float or None
            ms, not before :attr:`time`; None: never.
        pulse : int
            Its number, from 0.

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.move("S1", 10)
        >>> sim.advance(30)
        >>> print(sim["activation_time"].min().round(2))
        10.72
        """
        number = read_whole(pulse, "move")
        if number.ndim:
            raise InputError("move: expected one pulse", 2)
        self._call(
            "move",
            _text(stimulus, "move"),
            int(number),
            float("inf") if start is None else read_number(start, "move"),
        )

    def copy(self) -> State:
        """A copy of the state, with maps, moved pulses and currents.

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> start = sim.copy()
        >>> sim.advance(4)
        >>> sim.restore(start)
        >>> sim.time
        0.0
        """
        handle = c_void_p()
        self._call("copy", byref(handle))
        return State(handle, self.current.values.copy())

    def restore(self, state: State) -> None:
        """Go on from a copy; steps after it have the bits of those after :meth:`copy`.

        Parameters
        ----------
        state : State
            Of this simulation, or of another one of the same config.

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.advance(4)
        >>> early, v = sim.copy(), sim["V"]
        >>> sim.advance(20)
        >>> sim.restore(early)
        >>> np.array_equal(sim["V"], v)
        True
        """
        self._call("restore", state._handle if isinstance(state, State) else None)
        self.current.values[:] = state._current

    def reopen(self, overrides: Optional[Mapping[str, Any]] = None) -> None:
        """The start again, with other values of keys; what they do not affect, such as mesh and matrix, is kept.

        A file of the config that has changed since it was first read is an error: open a new simulation.
        Ctrl-C ends it within a second; nothing is open then until another `reopen`.

        Parameters
        ----------
        overrides : mapping, optional
            ``{"time.step": "0.02 ms"}``, in addition to those of earlier calls.

        Examples
        --------
        >>> sim = cardiac.Simulation("heart.yaml")
        >>> sim.reopen({"time.step": "0.05 ms"})
        >>> sim.step
        0.05
        """
        self._call("reopen", None, self._overrides(overrides))
        self._start()
