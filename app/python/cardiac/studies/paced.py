"""A tissue paced by S1, the first stimulus of its config, and then by extra stimuli, which are moved to their times."""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import re
import signal
import subprocess
import sys
import warnings
from decimal import Decimal, InvalidOperation
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

from ..program import InputError, RunError, argument, failure, find
from ..text import terminal

if TYPE_CHECKING:
    from ..simulation import Simulation

PULSES_MOST = 999
ROUNDING = 1e-6  # steps: 84.8 / 0.1 is less than 848
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "": 1}
_TIMES = ("count", "period", "protocol")
_SHAPES = ("where", "box", "sphere", "tags", "nodes", "delays")
Stimulus = Dict[str, Any]
INDUCTION = (  # of `cardiac induce`: what no branch depends on costs nothing; 1e9 ms are a multiple of every step
    "activation.beats=2",
    "output.maps=[activation_time]",
    "stop_when=never",
    "time.end=1e9 ms",
    "output.every=1e9 ms",
)


def describe(config: str, sets: Sequence[str], whole: bool = False) -> Dict[str, Any]:
    """What `cardiac check --json` says of a config, by default without its mesh; errors and warnings are its own."""
    options = ["--set=" + text for text in sets] + ["--syntax"] * (not whole)
    call = [find(), "check", argument(config), "--json", *options]
    done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode(errors="replace")
    if done.returncode:
        raise failure(done.returncode, said)
    sys.stderr.write("" if whole else said)
    for text in re.findall("(?m)^cardiac: warning: (?:.*?: )?(.*)$", said):
        warnings.filterwarnings("ignore", ".*" + re.escape(text))  # as said by the library
    return dict(json.loads(done.stdout))


def overrides_of(sets: Sequence[str], own: Mapping[str, Any]) -> str:
    """The options --set, and values over them, as a text of overrides: the last of a key counts.

    >>> print(overrides_of(["time.end=5 ms", "time.step=0.1"], {"time.end": "9 ms"}), end="")
    "time.step": 0.1
    "time.end": 9 ms
    """
    texts: Dict[str, str] = {}
    for key, value in [*(text.split("=", 1) for text in sets), *own.items()]:
        texts.pop(key.strip(" "), None)
        texts[key.strip(" ")] = value if isinstance(value, str) else json.dumps(value)
    return "".join("%s: %s\n" % (json.dumps(key), text) for key, text in texts.items())


def say(text: str) -> None:
    """Prints to standard output, unbuffered; RunError if it cannot be written."""
    rest = terminal(text).encode("utf-8", "surrogateescape")
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except OSError as error:
        raise RunError("standard output cannot be written: %s" % error.strerror, 3) from None


def number_of(value: str) -> float:
    """The number of a value of the resolved config.

    >>> number_of("5 ms")
    5.0
    """
    return float(value.split()[0])


def read_time(name: str, text: str) -> float:
    """ms of a time with or without a unit; InputError with `name`, the option's, for other text.

    >>> read_time("--s2", "0.5 s")
    500.0
    """
    for unit, shift in (("ms", 0), ("us", -3), ("s", 3), ("", 0)):
        if text.endswith(unit):
            break
    try:
        value = float(Decimal(text[: len(text) - len(unit)].strip()).scaleb(shift))
    except InvalidOperation:
        raise InputError("%s: '%.60s' is not a time (ms, s or us)" % (name, text), 2) from None
    if not value >= 0 or math.isinf(value):
        raise InputError("%s: '%.60s' is negative" % (name, text), 2)
    return value


def read_duration(text: str) -> float:
    """Seconds of --stop-after; InputError for other text.

    >>> read_duration("3h50m")
    13800.0
    """
    words = re.findall(r"(\d[\d.]*)([dhms]?)", text)
    units = [_UNITS[unit] for _, unit in words]
    whole = "".join(map("".join, words)) == text and units == sorted(set(units))[::-1]
    try:
        seconds = sum(float(number) * _UNITS[unit] for number, unit in words)
    except ValueError:
        seconds = 0.0
    if not whole or not seconds > 0:
        said = "--stop-after: '%.40s' is not a duration, such as 3h50m, 90s or 600 (seconds)"
        raise InputError(said % text, 2)
    if seconds < 60 and not words[-1][1]:
        said = "--stop-after %s is %s s; minutes are written %sm, hours %sh"
        warnings.warn(said % (text, text, text, text))
    return seconds


def catch_signals(handler: Callable[[int, Any], None]) -> None:
    """The signals that ask a study to stop, unless the program ignores them (nohup)."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU"):
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def end_with_parent() -> None:
    """This process ends when the one that has begun it is killed (Linux)."""
    ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG


def _inputs(value: Any, key: str = "") -> Iterator[Tuple[str, str]]:
    """(key, path) of each text of a config that may name a file."""
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value) if isinstance(value, list) else ()
    )
    for name, part in parts:
        yield from _inputs(
            part, "%s[%d]" % (key, name) if isinstance(name, int) else (key and key + ".") + name
        )
    if isinstance(value, str) and key not in ("output.directory", "initial.file"):
        yield key, value


def check_output(path: str, config: str, resolved: Mapping[str, Any]) -> None:
    """InputError where a file that is to be written is the config, or one that it names, or another file of its mesh."""

    def is_output(other: str) -> bool:
        return os.path.exists(other) and os.path.samefile(other, path)

    if not os.path.exists(path):
        return
    if is_output(config):
        raise InputError(
            "the output would replace the config %s; choose another --output" % path, 2
        )
    stem, _ = os.path.splitext(path)
    for key, name in _inputs(resolved):
        sibling = key == "mesh.file" and os.path.splitext(name)[0] + os.path.splitext(path)[1]
        if is_output(name) or (sibling and is_output(sibling)):
            raise InputError(
                "%s: the output would replace %s; choose another --output" % (key, path), 2
            )


def _trains(config: str, s1: Stimulus) -> List[Dict[str, Any]]:
    """The trains of S1's protocol, checked."""
    one = {key: s1[key] for key in ("count", "period") if key in s1}
    trains: List[Dict[str, Any]] = s1.get("protocol") or [one]
    for train in trains:
        if not 0 < train.get("count", 1) <= PULSES_MOST:
            comes = "more than 999 times" if train["count"] else "for ever"
            raise InputError("%s: S1, stimulus %s, comes %s" % (config, s1["name"], comes), 2)
    if sum(train.get("count", 1) for train in trains) > PULSES_MOST:
        raise InputError("%s: S1, stimulus %s, comes more than 999 times" % (config, s1["name"]), 2)
    return trains


def describe_given(
    given: argparse.Namespace, own: Sequence[str] = ()
) -> Tuple[List[str], Dict[str, Any]]:
    """The user's options --set, overridden by those of the study, and the result of `describe`."""
    options = {k: getattr(given, k) for k in ("device", "threads") if getattr(given, k)}
    sets = [*given.set, *own, *map("=".join, options.items())]
    if any(text.split("=")[0].strip() in options for text in given.set):
        describe(given.config, given.set)  # what an option replaces is looked at as well
    try:
        return sets, describe(given.config, sets)
    except InputError as error:
        for key in options:
            error.text = error.text.replace("--set %s:" % key, "--%s:" % key)
        raise


class Paced:
    """The tissue of a config at its start.

    Parameters
    ----------
    given : argparse.Namespace
        config, set, device and threads, as typed.
    own : sequence of str
        Options --set of the study, over those of the user.
    extra : int, optional
        Stimuli after S1; by default induction.extra.

    Attributes
    ----------
    facts, config : dict
        What `cardiac check --json` says, and the resolved config of that.
    pulses : int
        Of S1; extra stimulus k is pulse number pulses + k.
    step, duration : float
        ms, time.step and the duration of a pulse
    """

    def __init__(
        self, given: argparse.Namespace, own: Sequence[str], extra: Optional[int] = None
    ) -> None:
        self.path = given.config
        self.sets, self.facts = describe_given(given, own)
        self.config: Dict[str, Any] = self.facts["config"]
        if not self.config.get("stimuli"):
            raise InputError("%s: stimuli is missing: the first stimulus is S1" % given.config, 2)
        self.extra: int = self.config["induction"]["extra"] if extra is None else extra
        self.name: str = self.config["stimuli"][0]["name"]
        self._trains = _trains(given.config, self.config["stimuli"][0])
        self.pulses = sum(train.get("count", 1) for train in self._trains)
        states = [self.config, *self.config["tissue"]["regions"]]
        if self.pulses == 1 and not any(of.get("initial") for of in states):
            text = "%s: S1, stimulus %s, comes once, so S2 meets a tissue that was not paced; pace it with `count` and `period`"
            warnings.warn(text % (given.config, self.name))
        self.step = number_of(self.config["time"]["step"])
        self.duration = float(self.facts["s1_duration"])

    def s1(self, **shape: Any) -> Stimulus:
        """S1 with its extra pulses, at its own place, or at that of `shape`."""
        own = {k: v for k, v in self.config["stimuli"][0].items() if k not in _TIMES}
        if shape:
            own = {k: v for k, v in own.items() if k not in _SHAPES}
        after = {"after": "%.12g ms" % (math.ceil(self.duration / self.step + 1) * self.step)}
        return {**own, **shape, "protocol": self._trains + [after] * self.extra}

    def open(self, **own: Any) -> Simulation:
        """Opens the simulation, without its extra stimuli; `own`: other keys."""
        from ..simulation import Simulation  # with numpy, once the config is known to be good

        values = {"threads": self.config["threads"], "stimuli": self._stimuli(self.s1()), "ecg": {}}
        try:
            sim = Simulation(self.path, overrides_of(self.sets, {**values, **own}))
        except InputError as error:
            error.text = re.sub("^overrides: (?=stimuli)", self.path + ": ", error.text)
            raise
        self.doubling = round(sim.step / self.step)
        self._hold(sim)
        return sim

    def reopen(self, sim: Simulation, s1: Stimulus, own: Mapping[str, Any]) -> None:
        """Reopens it at its start, with another S1; `own`: other keys."""
        sim.reopen({"stimuli": self._stimuli(s1), **own})
        self._hold(sim)

    def _stimuli(self, s1: Stimulus) -> List[Stimulus]:
        return [s1, *self.config["stimuli"][1:]]

    def _hold(self, sim: Simulation) -> None:
        for k in range(self.extra):
            sim.move(self.name, None, self.pulses + k)

    def advance(self, sim: Simulation, time: float) -> None:
        """Takes all steps, with time.longest blocks of steps, that end at or before `time` ms."""
        to = math.floor((time / self.step + ROUNDING) / self.doubling) * sim.step
        if to > sim.time:
            sim.advance(to, progress=False)
