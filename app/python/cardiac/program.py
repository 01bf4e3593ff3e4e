"""The program itself: started, watched, its errors as exceptions."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from .text import say

PathLike = Union[str, "os.PathLike[str]"]

# Set before numpy is imported: the bits of a product of matrices depend on the number of threads
ONE_THREAD = {name + "_NUM_THREADS": "1" for name in ("BLIS", "MKL", "OPENBLAS")}


class Error(Exception):
    """The program's messages, and its exit status.

    Attributes
    ----------
    text : str
    status : int

    Examples
    --------
    >>> try:
    ...     cardiac.Simulation("heart.yaml", {"time.stop": "1 ms"})
    ... except cardiac.Error as error:
    ...     print(error.status, error.text)
    2 overrides: time.stop: unknown key (did you mean 'step'?)
    """

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.text, self.status = text, status

    def __reduce__(self) -> Tuple[type, Tuple[str, int]]:
        return type(self), (self.text, self.status)


class InputError(Error, ValueError):
    """Status 2: the input is wrong; nothing was computed. Also a ValueError."""


class RunError(Error, RuntimeError):
    """Any other status: the run failed, or was ended. Also a RuntimeError."""


def find(program: Optional[PathLike] = None) -> str:
    """The program: as given, else $CARDIAC, else on the PATH, in this Python's environment, or build/cardiac of the source tree that this
    package is part of: never one of the folder where Python happens to run."""
    named, tree = program or os.environ.get("CARDIAC"), Path(__file__).resolve().parents[3]
    built = (
        [str(tree / "build" / "cardiac")]
        if (tree / "app" / "python" / "cardiac" / "program.py").exists()
        else []
    )
    candidates = (
        [os.fspath(named)]
        if named
        else ["cardiac", os.path.join(sys.prefix, "bin", "cardiac"), *built]
    )
    found = next(filter(None, (shutil.which(candidate) for candidate in candidates)), None)
    if not found:
        raise FileNotFoundError(
            "%s: no such program; set CARDIAC to where cardiac is" % named
            if named
            else "no cardiac on the PATH; set CARDIAC to where it is"
        )
    return found


def plain(item: Any) -> Any:
    """A number or array of numpy, or a path, as JSON has it; a float32 by its own digits: 0.05, not 0.05000000074505806."""
    if getattr(item, "shape", None) == () and item.dtype.kind == "f":
        return float(str(item))
    return (
        item.tolist()
        if hasattr(item, "tolist")
        else os.fspath(item) if isinstance(item, os.PathLike) else item
    )


def _encode(item: Any) -> Any:
    if not hasattr(item, "tolist"):
        return os.fspath(item)
    return plain(item)


def value(item: Any) -> str:
    """As a config would write it: {"near": [0, "1 mm"]} -> {"near": [0, "1 mm"]}; texts stay as they are."""
    return item if isinstance(item, str) else json.dumps(item, default=_encode, ensure_ascii=False)


def argument(path: PathLike) -> str:
    """A path as an argument of the program, which takes words that begin with '-' for options."""
    name = os.fspath(path)
    return os.path.join(".", name) if name.startswith("-") else name


def sets(overrides: Optional[Mapping[str, Any]]) -> List[str]:
    """Overrides as options.

    >>> sets({"time.end": "80 ms", "activation.beats": 2})
    ['--set=time.end=80 ms', '--set=activation.beats=2']
    """
    return ["--set=%s=%s" % (key, value(item)) for key, item in (overrides or {}).items()]


def failure(status: int, said: str) -> Error:
    """The error of a program that has ended with that status, negative for a signal, and with these messages."""
    if status < 0:
        return RunError(
            "%s was ended by %s, as where memory runs out"
            % (Path(find()).name, signal.Signals(-status).name),
            3,
        )
    lines = [
        line[len("cardiac: ") :] if line.startswith("cardiac: ") else line
        for line in said.splitlines()
    ]
    text = (
        "\n".join(line for line in lines if not line.startswith("warning: "))
        or "ended with status %d" % status
    )
    return (InputError if status == 2 else RunError)(text, status)


STDIN = "/dev/stdin"  # as a config: its paths are relative to the working directory


def lines(
    arguments: List[str], program: Optional[PathLike] = None, config: str = ""
) -> Iterator[Dict[str, Any]]:
    """The lines of JSON of a command as they come. Warnings go to standard error, errors are raised; `config`: its standard input, which
    messages call "config"."""
    said: List[str] = []
    process = subprocess.Popen(
        [find(program), *arguments],
        stdin=subprocess.PIPE if config else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout and process.stderr
    errors = process.stderr

    def listen() -> None:
        for line in errors:
            line = line.replace(STDIN, "config")
            said.append(line)
            if line.startswith("cardiac: warning: "):
                say(line.rstrip("\n"))

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        if process.stdin:
            with suppress(BrokenPipeError), process.stdin:
                process.stdin.write(config)
        for line in process.stdout:
            yield json.loads(line)
        status = process.wait()
    except (
        BaseException
    ):  # KeyboardInterrupt, or who reads went away: the program writes its checkpoint
        process.send_signal(signal.SIGINT)
        process.wait()
        raise
    finally:
        process.stdout.close()
        listener.join()
        errors.close()
    if status:
        raise failure(status, "".join(said))


def _bar(at: Dict[str, Any]) -> str:
    share = at["time"] / at["end"] if at["end"] else 1.0
    left = at.get("seconds_left")
    rest = "" if left is None else ", %d:%02d left" % divmod(round(left), 60)
    return "[%-30s] %g of %g ms%s" % ("#" * int(30 * share), at["time"], at["end"], rest)


class Progress:
    """A line that is rewritten in a terminal and in a notebook; elsewhere nothing is printed."""

    def __init__(self, requested: Optional[bool]) -> None:
        self.notebook = "ipykernel" in sys.modules
        self.shown = (self.notebook or sys.stderr.isatty()) if requested is None else requested

    def show(self, at: Dict[str, Any]) -> None:
        if self.shown:
            sys.stderr.write("\r" + _bar(at) + " " * 8)
            sys.stderr.flush()

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\n")


def text_of(config: Mapping[str, Any]) -> str:
    """A mapping as the text of a config; version is 1 unless it is given."""
    try:
        return json.dumps(
            {"version": 1, **config}, default=_encode, ensure_ascii=False, allow_nan=False
        )
    except (TypeError, ValueError) as wrong:
        raise InputError("config: %s" % wrong, 2) from None
