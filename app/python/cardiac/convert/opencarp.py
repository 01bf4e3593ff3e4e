"""A config from an openCARP parameter file, by the names of its manual: `cardiac import PARAMETERS.par`.

A parameter file is a list of assignments, `stim[0].pulse.strength = 60`. Each line of the config records the assignments that it was
made from. The program checks the config; the assignments behind a line that it refuses are left out, with its reason, and the config
is written again until nothing is refused. So every assignment is in the config, or without effect, or listed.
"""

from __future__ import annotations

import math
import re
import subprocess
import tempfile
from pathlib import Path
from typing import List, Tuple

from ..program import InputError, find
from .attempt import Attempt
from .outputs import write_activation, write_electrodes, write_output
from .parameters import quoted, read_entries, with_ending
from .stimuli import write_stimuli
from .tissue import write_tissue


def write(attempt: Attempt) -> None:
    """All lines of the config."""
    dt, mesh = attempt.number("dt", 10), attempt.text("meshname")
    if not mesh.value:
        add = "add the line `meshname = MESH` for MESH.elem, as openCARP's -meshname does"
        raise InputError(f"{attempt.path}: no meshname: {add}", 2)
    if dt.entry and not 0.5 <= dt.value <= 1000:
        where = f"{attempt.path}:{dt.entry.line}: dt = {dt.entry.value} us"
        unit = "openCARP's dt is in microseconds (20 for 0.02 ms)"
        raise InputError(f"{where} is not a plausible time step; {unit}", 2)
    attempt.step = dt.value / 1000
    attempt.put("version: 1")
    attempt.put("mesh: {file: %s}", with_ending(mesh.value, ".elem"), by=[mesh])
    at = len(attempt.lines) - 1
    write_tissue(attempt)
    if attempt.arrays:
        inner = ", ".join(f"{name}: {file}" for name, (file, _) in attempt.arrays.items())
        attempt.lines[at] = attempt.lines[at][:-1] + ", arrays: {%s}}" % inner
        attempt.made[at] += [source for _, made in attempt.arrays.values() for source in made]
    pulses = write_stimuli(attempt)
    attempt.put("time:")
    attempt.put("  end: %s ms", attempt.whole_steps("tend", 100))
    attempt.put("  step: %s us", dt)
    write_solver(attempt)
    falls = write_activation(attempt, pulses)
    write_output(attempt, falls)
    write_electrodes(attempt)


def write_solver(attempt: Attempt) -> None:
    """parab_solve and mass_lumping"""
    solve, lumping = attempt.number("parab_solve", -1), attempt.number("mass_lumping", math.nan)
    if solve.value == 0 or lumping.entry:
        attempt.put("solver:")
    if solve.value == 0:
        said = "stages of explicit steps, for those of parab_solve = 0, which are not available"
        attempt.put("  method: rkl2  # %s", said, by=[solve])
    elif solve.value == 1:  # Crank-Nicolson, the default
        attempt.use(solve)
    if lumping.entry:
        attempt.put("  mass_lumping: %s", lumping)


def check(text: str) -> List[Tuple[int, str]]:
    """Line, from 0, and reason of each fault that the program finds in a config."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config").write_text(text, encoding="utf-8", errors="surrogateescape")
        command = [find(), "check", "config", "--syntax"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    faults = re.findall(r"^(?:cardiac: )?config:(\d+):\d+: (.*)$", done.stderr, re.M)
    if done.returncode != 0 and (done.returncode != 2 or not faults):
        raise InputError(f"the config that was written cannot be checked: {done.stderr.strip()}", 2)
    most = text.count("\n") - 1
    return [(min(int(line) - 1, most), why) for line, why in faults] if done.returncode else []


def convert(path: str) -> Tuple[str, List[str]]:
    """The config of a parameter file, and notes: warnings, each line that is not in the config, lines without effect.

    Raises InputError for a file that cannot be read, has no mesh, or a time step in the wrong unit.
    """
    entries = read_entries(path)
    while True:
        attempt = Attempt(path, entries)
        write(attempt)
        text = "\n".join(attempt.lines) + "\n"
        faults = check(text) if not attempt.changed else []
        if faults:
            attempt.refuse_faults(faults)
        if not attempt.changed:
            for line, name in attempt.missing.items():
                attempt.lines[line] = f"    - model: {quoted(name)}"
            return "\n".join(attempt.lines) + "\n", attempt.warnings + attempt.listed()
