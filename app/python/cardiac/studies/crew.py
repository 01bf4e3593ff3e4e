"""Processes that do parts of a search beside each other: each has its own copy of an object, and calls methods of it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Callable, List, Sequence

from ..program import RunError

LOOK = 0.2  # seconds between two looks whether to stop
BEGIN = (
    "import sys; sys.path.insert(0, sys.argv[1]); from cardiac.studies.crew import serve; serve()"
)
ALONE = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")  # each on its own core


class Crew:
    """So many processes with `what`; `check` raises when it is time to stop. What they return does not depend on their number: calls must not
    depend on earlier ones."""

    def __init__(self, what: Any, count: int, check: Callable[[], None]) -> None:
        folder = str(Path(__file__).resolve().parents[2])
        self.check = check
        self._free: "SimpleQueue[Any]" = SimpleQueue()
        environment = {**os.environ, **{name: "1" for name in ALONE}}
        self._all = [
            subprocess.Popen(
                [sys.executable, "-c", BEGIN, folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,  # signals are for the process that has begun it
            )
            for _ in range(count)
        ]
        self._first = pickle.dumps(what)
        for member in self._all:
            self._free.put((member, self._first))

    def _call(self, name: str, given: Sequence[Any]) -> Any:
        member, first = self._free.get()
        try:
            member.stdin.write(first + pickle.dumps((name, given)))
            member.stdin.flush()
            found = pickle.load(member.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise RunError("a process of the search has ended", 3) from None
        finally:
            self._free.put((member, b""))
        return found

    def map(self, name: str, calls: Sequence[Sequence[Any]]) -> List[Any]:
        """What the method of this name returns for each call's arguments"""
        with ThreadPoolExecutor(len(self._all)) as pool:
            made = [pool.submit(self._call, name, given) for given in calls]
            try:
                while wait(made, LOOK).not_done:
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
    """What a process of a crew does until it is ended"""
    source, out = sys.stdin.buffer, sys.stdout.buffer
    what = pickle.load(source)
    while True:
        try:
            name, given = pickle.load(source)
        except EOFError:
            return
        out.write(pickle.dumps(getattr(what, name)(*given)))
        out.flush()
