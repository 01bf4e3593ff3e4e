"""The base of a study whose runs are made in this process: a table that goes on where it was interrupted, in parts, with a signal or a
time at which it stops, and a line at least every ten seconds."""

from __future__ import annotations

import argparse
import math
import os
import signal
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from ..own_file import claim, write_own
from ..program import RunError
from ..text import say as say_error
from .paced import catch_signals, read_duration, say
from .table import ELSEWHERE, Row, Table, part_of, table_path

# How the list of a study's files begins, which app/study/study_inputs.c writes, too
MARK = "# cardiac: "
HEAD = MARK + "sha256sum --check compares these files, in the folder of the study's config\n"


class Stop:
    """When a study is to stop: a signal, or --stop-after."""

    def __init__(self, after: Optional[str]) -> None:
        self.began, self.caught, self.caught_at = time.monotonic(), 0, 0.0
        self.after = math.inf if after is None else read_duration(after)
        catch_signals(self._catch)

    def _catch(self, number: int, _: Any) -> None:
        now = time.monotonic()
        if not self.caught:
            self.caught, self.caught_at = number, now
        elif now - self.caught_at >= 1 and number != signal.SIGXCPU:
            os._exit(128 + number)

    def check(self) -> None:
        if self.caught:
            raise RunError("interrupted: the same command goes on", 128 + self.caught)
        if time.monotonic() - self.began > self.after:
            raise RunError("time is up: the same command goes on", 4)


class Watch:
    """Prints to standard error what is being done, and for how long, whenever nothing else was printed for `every` seconds.

    Parameters
    ----------
    doing : str or callable
        What is done first, see `now`.
    shown : bool
        False: nothing is printed.

    Attributes
    ----------
    doing : str or callable
        What is done; a change of it is no line, and `now` delays the next one.
    """

    def __init__(
        self, doing: Union[str, Callable[[], str]], shown: bool = True, every: float = 10.0
    ) -> None:
        self._every, self._shown, self._ended = every, shown, threading.Event()
        self.now(doing)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        if shown:
            self._thread.start()

    def now(self, doing: Union[str, Callable[[], str]]) -> None:
        """What is done from now on: a text, or what returns it when it is needed."""
        self.doing, self._since = doing, time.monotonic()
        self.printed()

    def printed(self) -> None:
        """Something else was printed."""
        self._next = time.monotonic() + self._every

    def _watch(self) -> None:
        while not self._ended.wait(max(0.01, self._next - time.monotonic())):
            if time.monotonic() >= self._next:
                doing = self.doing if isinstance(self.doing, str) else self.doing()
                say_error("%s (%d s)" % (doing, time.monotonic() - self._since))
                self.printed()

    def __enter__(self) -> Watch:
        return self

    def end(self) -> None:
        self._ended.set()
        if self._shown:
            self._thread.join()

    def __exit__(self, *_: object) -> None:
        self.end()


class Study:
    """A table of rows, of which those that it lacks are made.

    Parameters
    ----------
    given : argparse.Namespace
        What was typed: stop_after, overwrite, quiet; part, json where the command has them.

    Attributes
    ----------
    part : (int, int) or None
        K, N of --part
    talks : bool
        Whether lines for people are printed.
    inputs : dict
        SHA-256 of the config's files by path, as `cardiac check --json` lists them.
    """

    noun = "rows"  # what they are
    path: str  # of the table
    table: Table
    inputs: Dict[str, str]

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.part = given, part_of(getattr(given, "part", None))
        self.talks = not given.quiet and not getattr(given, "json", False)
        self.inputs = {}
        self.stop = Stop(given.stop_after)
        self.watch = Watch("setting up the tissue", not given.quiet)

    def columns(self) -> List[str]:
        raise NotImplementedError

    def recall(self, cells: Row) -> None:
        """Takes over a row of an earlier call; InputError where it belongs to another study."""
        raise NotImplementedError

    def place(self, folder: str) -> None:
        self.folder, self.path = folder, table_path(folder, self.part)
        self._list = os.path.splitext(self.path)[0] + ".inputs"

    def own(self, count: int) -> range:
        """Of so many units of work those of this part: consecutive ones."""
        part, parts = self.part or (1, 1)
        return range(count * (part - 1) // parts, count * part // parts)

    def open_table(self) -> Table:
        """Opens and locks the table, recalls its rows, and lists the files that they depend on; to be closed."""
        claim(self._list, MARK.encode(), ELSEWHERE)
        self.table = Table(self.path, self.columns(), self.given.overwrite)
        try:
            for cells in self.table.rows:
                self.recall(cells)
            lines = (
                "%s  %s\n" % (digest, self._in_folder(path)) for path, digest in self.inputs.items()
            )
            write_own(self._list, HEAD + "".join(lines), MARK, ELSEWHERE)
        except BaseException:
            self.table.close()
            raise
        if self.table.rows and self.talks:
            self.say("%d %s are in %s\n" % (len(self.table.rows), self.noun, self.path))
        return self.table

    def _in_folder(self, path: str) -> str:
        """A path in the folder of the config: a copy of both has the same list."""
        folder = os.path.join(os.path.dirname(self.given.config), "")
        return path[len(folder) :] if path.startswith(folder) else path

    def reason(self) -> str:
        """Why a row is of another study: the files that have changed since they were listed, or else the rest"""
        try:
            with open(self._list, encoding="utf-8", errors="surrogateescape") as file:
                then = {line[66:-1]: line[:64] for line in file}
        except OSError:
            return "its config or files have changed"
        changed = [
            path
            for path, digest in self.inputs.items()
            if then.get(self._in_folder(path), digest) != digest
        ]
        return (
            "since then these files have changed: " + ", ".join(changed)
            if changed
            else "its config has changed"
        )

    def append(self, cells: Sequence[str]) -> None:
        """A row that is on the disk when the call returns."""
        self.table.append(cells)

    def say(self, text: str) -> None:
        """Prints to standard output."""
        say(text)
        self.watch.printed()
