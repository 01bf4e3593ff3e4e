"""Processes that do parts of a search beside each other: each has its own copy of an object, and calls methods of it."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import warnings
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Callable, List, Sequence

from ..program import ONE_THREAD, RunError
from .paced import end_with_parent

LOOK = 0.2  # seconds between two looks whether to stop
COPIES = 4e9  # bytes of all copies
BEGIN = (  # no module of the current folder
    "import sys; sys.path[:] = [sys.argv[1], *filter(None, sys.path)]; "
    "from cardiac.studies.crew import serve; serve()"
)


class Crew:
    """At most `count` processes with `what`, fewer where copies of it are large; `check` raises when it is time to stop. What they return does
    not depend on their number: calls must not depend on earlier ones."""

    def __init__(self, what: Any, count: int, check: Callable[[], None]) -> None:
        folder = str(Path(__file__).resolve().parents[2])
        self.check = check
        self._free: "SimpleQueue[Any]" = SimpleQueue()
        environment = {**os.environ, **ONE_THREAD, "OMP_NUM_THREADS": "1"}  # each on its own core
        self._all: "List[subprocess.Popen[bytes]]" = []
        first = pickle.dumps(what)
        try:
            for _ in range(max(1, min(count, int(COPIES / len(first))))):
                member = subprocess.Popen(
                    [sys.executable, "-c", BEGIN, folder, str(os.getpid())],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=environment,
                    start_new_session=True,  # signals are for the process that has begun it
                )
                self._all.append(member)
                self._free.put((member, first))
        except OSError as error:
            self.end()
            raise RunError(
                "a process of the search cannot be started: %s" % error.strerror, 3
            ) from None

    def _call(self, name: str, given: Sequence[Any]) -> Any:
        member, first = self._free.get()
        try:
            member.stdin.write(first)
            member.stdin.write(pickle.dumps((name, given)))
            member.stdin.flush()
            found = pickle.load(member.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise RunError("a process of the search has ended", 3) from None
        finally:
            self._free.put((member, b""))
        if isinstance(found, Exception):
            raise found
        return found

    def map(self, name: str, calls: Sequence[Sequence[Any]]) -> List[Any]:
        """What the method of this name returns for each call's arguments"""
        with ThreadPoolExecutor(len(self._all)) as pool:
            made = [pool.submit(self._call, name, given) for given in calls]
            try:
                left = set(made)
                while left:
                    done, left = wait(left, LOOK, FIRST_EXCEPTION)
                    for one in done:
                        one.result()
                    self.check()
                return [one.result() for one in made]
            except BaseException:
                self.end()
                raise

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        for member in self._all:
            member.kill()
        for member in self._all:
            member.wait()
            for pipe in (member.stdin, member.stdout):
                if pipe:
                    try:
                        pipe.close()
                    except OSError:  # what it had not read
                        pass


def serve() -> None:
    """What a process of a crew does until it is ended, at the latest with the one that has begun it"""
    end_with_parent()
    if os.getppid() != int(sys.argv[2]):  # it has ended before
        return
    warnings.simplefilter("ignore")  # as in that one
    source, out = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(EOFError):
        what = pickle.load(source)
        while True:
            name, given = pickle.load(source)
            try:
                found = getattr(what, name)(*given)
            except Exception as error:
                found = error
            out.write(pickle.dumps(found))
            out.flush()
