"""`cardiac converge`: a config, with half the step, the edge, a tenth of the tolerance and in double precision, by `cardiac sweep`."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import time
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Optional, Sequence, Tuple

from ..own_file import claim, failing, make_folder, write_own
from ..program import InputError, RunError, argument, failure, find
from ..text import say
from . import table
from .paced import catch_signals, end_with_parent, read_duration
from .refinement import Plan

if TYPE_CHECKING:
    from .comparison import Comparison

REPLACES = "the output would replace %s, which the config names; choose another --output"

BEGAN = time.monotonic()


def seconds_left(text: str) -> str:
    """--stop-after less the time that this process has taken."""
    return "%.9fs" % max(1e-6, read_duration(text) - (time.monotonic() - BEGAN))


def sweep(plan: Plan, given: argparse.Namespace, extra: Sequence[str], out: Optional[int]) -> int:
    """`cardiac sweep` of the runs, to which signals are passed on; its exit status."""
    words = ["sweep", argument(given.config), "--results", "--output=" + folder_of(plan, given)]
    words += ["--halvings=" + ",".join(str(run.edge) for run in plan.runs), *extra]
    words += ["--set=" + key for key in plan.sets]
    stop = None if given.stop_after is None else seconds_left(given.stop_after)
    options = {"--device": given.device, "--threads": given.threads, "--stop-after": stop}
    words += ["%s=%s" % (name, value) for name, value in options.items() if value is not None]
    with NamedTemporaryFile(
        "w", prefix="cardiac-", encoding="utf-8", errors="surrogateescape"
    ) as runs:
        with failing(runs.name):
            runs.write("".join(map(table.format_line, plan.rows())))
            runs.flush()
        words = [find(), *words, "--table=" + runs.name]
        process = subprocess.Popen(words, stdout=out, preexec_fn=end_with_parent)
        catch_signals(lambda came, _: process.send_signal(came))
        status = process.wait()
    if status < 0:
        raise failure(status, "")
    return status


def folder_of(plan: Plan, given: argparse.Namespace) -> str:
    """Where the runs go: --output, or output.directory."""
    own = os.path.join(plan.config["output"]["directory"], "converge")
    return str(own if given.output is None else given.output)


def check_report(plan: Plan, path: str, fresh: bool) -> None:
    """InputError where the report would replace an input, or a file that is none of the program's."""
    named = re.findall(r'"(/[^"]*)"', json.dumps(plan.config, ensure_ascii=False))
    for file in (plan.path, *named):
        if os.path.exists(path) and os.path.exists(file) and os.path.samefile(file, path):
            raise InputError(REPLACES % path, 2)
    claim(path, None if fresh else b"", table.ELSEWHERE)


def write_page(c: Comparison, path: str, text: str) -> None:
    """The page, if matplotlib is installed."""
    try:
        from .comparison import HEADS, bar_of, shown, words_of
        from .study_page import converge_page
    except ModuleNotFoundError as error:
        say("cardiac: %s is not written: it needs %s" % (path, error.name))
        return
    found = []
    for q in (q for q in shown(c) if q.name != "first_activation" and q.value[0]):
        percent, (value, bar) = 100 / abs(q.value[0]), bar_of(c, q)
        of = {HEADS[kind]: levels.difference * percent for kind, levels in c.of[q.name].items()}
        found.append((words_of(q.name, c), of, (value - q.value[0]) * percent, bar * percent))
    name = c.plan.config.get("title") or os.path.splitext(os.path.basename(c.plan.path))[0]
    write_own(path, converge_page(name, found, text), "")


def compare(plan: Plan, path: str, given: argparse.Namespace) -> str:
    """The comparison, as text or JSON; written to `path`, with its page."""
    from .comparison import (
        Comparison,
        report,
        report_json,
    )  # with numpy, once there is something to compare

    c = Comparison(plan)
    text = report(c)
    write_own(path, text, "")
    write_page(c, path[: -len(".txt")] + ".html", text)
    return report_json(c) if given.json else "" if given.quiet else "\n" + text


def converge(given: argparse.Namespace) -> Tuple[int, str]:
    """Make the runs that are missing and compare all: the exit status, and what is to be printed."""
    if given.levels not in (None, "2", "3"):
        raise InputError("--levels is 2 or 3, not %s" % given.levels, 2)
    plan = Plan(given.config, given.set or [], int(given.levels or 2), not given.fixed_mesh)
    folder = folder_of(plan, given)
    plan.folder, path = os.path.join(os.getcwd(), folder), os.path.join(folder, "converge.txt")
    fresh = given.overwrite or not os.path.exists(table.table_path(folder))
    if not given.dry_run:
        for file in (path, path[: -len(".txt")] + ".html"):
            check_report(plan, file, fresh and not given.overwrite)
    if given.dry_run or fresh:
        silent = given.quiet or given.json
        status = sweep(plan, given, ["--dry-run"], subprocess.DEVNULL if silent else None)
        if status or given.dry_run:
            return status, ""
    make_folder(folder)
    plan.write_meshes()
    flags = ["--" + name for name in ("overwrite", "quiet", "json") if getattr(given, name)]
    status = sweep(plan, given, flags, None)
    try:
        return status, compare(plan, path, given) if status in (0, 3) else ""
    except RunError:
        if status:
            return status, ""
        raise
