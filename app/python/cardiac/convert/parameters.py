"""An openCARP parameter file: a list of assignments, such as `stim[0].pulse.strength = 60`, and the shapes that they give."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Union

from ..program import InputError

ITEMS_MOST = 1000
SPHERE, BLOCK, CYLINDER = 1, 2, 3  # as openCARP numbers shapes

# Names that have no effect here if the value matches: counts of lists, labels, what always holds, names of openCARP's own files
NO_EFFECT = [
    (r"num_.*|.*\.num_ID[sS]|.*\.(name|ID_name|units|bogus)|.*\.dump.*|.*\.dump_vtx_file", ""),
    (
        r"timedt|gridout_.*|output_level|log_.*|ellip_.*|pstrat.*|parab_use_.*|phie_recovery_file|phie_rec_meth.*",
        "",
    ),
    (r"bidomain|experiment|extracell_monodomain_stim|.*\.pulse\.shape|.*\.vtx_fcn", "0"),
    (r"operator_splitting|bidm_eqv_mono", "1"),
    (r"phys_region\[\d+\]\.ptype", "[01]"),
    (r"phys_region\[\d+\]\.ID.*", ""),
]

# Why a name has no counterpart, and what does the same here
REASONS = [
    (
        r".*\.im_sv_init",
        "openCARP's state files are not read; `initial: {pace: 100, period: 1000 ms}` of a region paces its cells",
    ),
    (r".*\.im_sv_dumps", "`output.fields` writes states and currents"),
    (
        r"external_imp\[.*",
        "a library of a model cannot be loaded; `model: {file: my.mmt}` reads its equations",
    ),
    (r"tsav.*", "checkpoints are evenly spaced: `checkpoint.every`"),
    (
        r"start_statef.*",
        "`initial: {file: checkpoint-<step>.h5}` starts from a checkpoint of this program",
    ),
    (
        r".*\.pulse\.file",
        "write the shape as times in ms and fractions of the current: `stimuli[].pulse`",
    ),
    (r".*\.elemfile", "give these elements a tag in the mesh"),
    (r"cg_.*", "sweeps stop by `solver.tolerance`, in mV"),
    (r"bidomain", "only the monodomain equation is solved"),
    (r".*\.g_bath", "a bath is not simulated"),
]


@dataclass(eq=False)
class Entry:
    """An assignment; `reason`: why it is refused, as if it were not there; `words`: the same of parts of its value."""

    name: str
    value: str
    line: int
    reason: str = ""
    used: bool = False
    words: Dict[str, str] = field(default_factory=dict)
    left_out: Dict[str, str] = field(default_factory=dict)  # in this attempt: words, with reasons


class Value(NamedTuple):
    """A value and the entry that it comes from; None: it is a default."""

    value: Any
    entry: Optional[Entry] = None

    def __str__(self) -> str:
        return number_text(self.value) if isinstance(self.value, float) else str(self.value)


class WordOf(NamedTuple):
    """A word of an entry's value."""

    entry: Entry
    word: str


Source = Union[Entry, Value, WordOf, None]


def entry_of(source: Source) -> Optional[Entry]:
    """The line of the file that a value comes from, if there is one."""
    return source if isinstance(source, Entry) or source is None else source.entry


def plain(name: str) -> str:
    """The letters and digits after the last dot, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].lower())


def number_text(value: float) -> str:
    """A number in a config.

    >>> number_text(0.1 + 0.2)
    '0.3'
    """
    return "%.15g" % value


def quoted(text: str) -> str:
    """Text in YAML: in quotes unless it is a plain word."""
    simple = re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_./-]*", text) and text.lower() not in (
        "null",
        "true",
        "false",
    )
    return text if simple else json.dumps(text, ensure_ascii=False)


def with_ending(name: str, ending: str) -> str:
    """A name in YAML, with an ending unless it has it.

    >>> with_ending("mesh", ".elem")
    'mesh.elem'
    """
    return quoted(name if len(name) > len(ending) and name.endswith(ending) else name + ending)


def finite(text: str) -> Optional[float]:
    """The number that the text is; None: it is none, or not finite."""
    try:
        number = float(text) if "_" not in text else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def list_words(text: str) -> List[str]:
    """The words of `{1, 2 3}`."""
    return re.sub(r"[,{}\[\]]", " ", text).split()


def read_entries(path: str) -> List[Entry]:
    """The assignments of a parameter file, one a line. InputError: a line that is none."""
    entries = []
    try:
        text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise InputError("%s: %s" % (path, error.strerror), 2) from None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, rest = (part.strip() for part in line.partition("="))
        name = name[1:] if name.startswith("-") else name
        match = re.fullmatch(
            r"\"([^\"]*)(\"\s*(#.*)?)?|'([^']*)('\s*(#.*)?)?|([^\"'#][^#]*)?(#.*)?", rest
        )
        if not equals or not re.fullmatch(r"\S+", name) or not match:
            raise InputError("%s:%d: expected NAME = VALUE" % (path, number), 2)
        value = next((part for part in match.group(1, 4, 7) if part is not None), "")
        entries.append(Entry(name, value.strip(), number))
    return entries


def has_no_effect(entry: Entry) -> bool:
    """Whether nothing is lost with it, by NO_EFFECT."""
    of_name = [value for name, value in NO_EFFECT if re.fullmatch(name, entry.name)]
    return not entry.reason and any(not v or re.fullmatch(v, entry.value) for v in of_name)


class Point(NamedTuple):
    """[x um, y um, z um]"""

    x: float
    y: float
    z: float

    def __str__(self) -> str:
        return "[%s]" % ", ".join(number_text(x) + " um" for x in self)


@dataclass
class Shape:
    """A sphere, block or cylinder (p0 and p1: the ends of its axis), in um."""

    kind: int
    p0: Point
    p1: Point
    radius: Value
    sources: List[Source]

    def where(self) -> str:
        """The shape as a condition on x, y and z."""
        if self.kind != CYLINDER:
            ball, box = f"ball({self.p0}, {self.radius} um)", f"box({self.p0}, {self.p1})"
            return ball if self.kind == SPHERE else box
        length = math.dist(self.p0, self.p1)
        axis = [(b - a) / length if length > 0 else 0.0 for a, b in zip(self.p0, self.p1)]
        from_p0 = [f"({x} - ({number_text(a)} um))" for x, a in zip("xyz", self.p0)]
        along = " + ".join(f"{x} * ({number_text(a)})" for x, a in zip(from_p0, axis))
        square = " + ".join(x + "^2" for x in from_p0)
        # 0 <= t <= length and |x - p0|^2 - t^2 <= radius^2 for t = (x - p0) . axis
        bounds = f"0 um <= {along} <= {number_text(length)} um"
        return f"{bounds} and {square} - ({along})^2 <= ({self.radius} um)^2"
