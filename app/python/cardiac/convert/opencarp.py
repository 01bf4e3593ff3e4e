"""A config from an openCARP parameter file, by the names of its manual: `cardiac import PARAMETERS.par`.

A parameter file is a list of assignments, `stim[0].pulse.strength = 60`. Each line of the config records the assignments that it was
made from. The program checks the config; the assignments behind a line that it refuses are left out, with its reason, and the config
is written again until nothing is refused. So every assignment is in the config, or without effect, or listed.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple, Union

from ..program import InputError, find, lines

ITEMS_MOST, TAGS_MOST, ELECTRODES_MOST = 1000, 20000, 1000
SPHERE, BLOCK, CYLINDER = 1, 2, 3  # as openCARP numbers shapes
CHECKED_INSTEAD = "tp06-epi"  # of a model that is not here, when the rest of its config is checked
UNIT_APART = 50  # times the default, or less than one of so many parts: a value in another unit

# Models of both: names in openCARP and older CARPs, without signs and capitals; names here of the layers of the wall, the default first.
MODELS: List[Tuple[Tuple[str, ...], Tuple[str, ...]]] = [
    (("tentusscherpanfilov", "tt2", "tt2cai"), ("tp06-epi", "tp06-endo", "tp06-m")),
    (("ohara", "ohararudy", "ord"), ("ohara-endo", "ohara-epi", "ohara-m")),
    (("tomek", "torord", "tororddyncl"), ("tor-ord-endo", "tor-ord-epi", "tor-ord-m")),
    (("grandi", "gpb"), ("grandi-epi", "grandi-endo")),
    (("mitchellschaeffer", "ms"), ("mitchell-schaeffer",)),
    (("mms",), ("modified-mitchell-schaeffer",)),
    (("alievpanfilov",), ("aliev-panfilov-1996",)),
    (("courtemanche", "courtemancheramireznattel", "crn"), ("courtemanche-ra",)),
    (("luorudy91", "lr91", "lr1"), ("luo-rudy-1991",)),
    (("maleckar",), ("maleckar",)),
    (("stewart",), ("stewart",)),
    (("fabbri",), ("fabbri",)),
]
# Parameters whose names differ in more than signs and capitals: of models by the first of their names here, or of all (""). Names there
# without signs and capitals; the current that is proportional to each is in tests/python/test_import.py.
PARAMETERS: Dict[str, Dict[str, str]] = {
    "courtemanche-ra": {
        "factorgkur": "ikur.g_Kur",
        "blfikur": "ikur.g_Kur",
        "maxinaca": "inaca.I_max",
        "maxinak": "inak.I_max",
        "maxipca": "ipca.I_max",
        "maxiup": "calcium.V_max",
    },
    "tp06-epi": {"knaca": "K_NaCa", "knak": "P_NaK", "n": "gamma"},
    "stewart": {"maxinaca": "inaca.K_NaCa", "maxinak": "inak.P_NaK", "knak": "inak.P_NaK"},
    "grandi-epi": {"ibarncx": "inaca.I_max", "ibarnak": "inak.I_max", "ibarslcap": "ipca.I_max"},
    "maleckar": {"inakmax": "inak.I_max", "icapmax": "icap.I_max"},
    "fabbri": {"inakmax": "inak.I_max", "knaca": "inaca.I_max"},
    "mitchell-schaeffer": {"vgate": "u_gate"},
}
FACTORS = ("factorgkur", "blfikur")  # their value multiplies a parameter of this program
LAYERS = {"EPI": "-epi", "ENDO": "-endo", "MCELL": "-m"}

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

STIMULUS_TYPES = {
    1: "an extracellular current",
    2: "an extracellular voltage",
    3: "a ground electrode",
    4: "an intracellular current",
    5: "an extracellular voltage",
    8: "a prescribed activation time (`delays` of a current does this)",
    9: "a voltage clamp",
}
# What follows stimulus[i]. (the older form) and stim[i].; anything else leaves the stimulus out
STIMULUS_NAMES = (
    re.compile(
        r"name|stimtype|strength|duration|start|npls|bcl|vtx_file|geometry|ctr_def|[xyz][0d]|dump_vtx_file"
    ),
    re.compile(
        r"name|crct\.type|pulse\.(strength|name)|ptcl\.(start|duration|npls|bcl|name)"
        r"|elec\.(vtx_file|geomID|geom_type|p[01](\[[012]\])?|radius|dump_vtx_file)"
    ),
)


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
    return source if isinstance(source, Entry) or source is None else source.entry


def plain(name: str) -> str:
    """The letters and digits after the last dot, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].lower())


def number_text(value: float) -> str:
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


@functools.lru_cache(maxsize=None)
def tags_of(path: str) -> Optional[Set[int]]:
    """The tags of an .elem file; None: it is not there or has none."""
    try:
        with open(path, encoding="utf-8") as file:
            return {int(line.split()[-1]) for line in itertools.islice(file, 1, None) if line.strip()}
    except (OSError, ValueError):
        return None


@functools.lru_cache(maxsize=None)
def model(name: str) -> Dict[str, Any]:
    """States, currents and parameters of a model, as `cardiac models NAME --json` prints them."""
    return next(lines(["models", name, "--json"]))


def layers_of(there: str) -> Tuple[str, ...]:
    """The models here of the layers of a wall, of openCARP's name; () = none."""
    return next((here for names, here in MODELS if plain(there) in names), ())


def parameter_of(name: str, there: str, names: Dict[str, str]) -> str:
    """The parameter of a model that openCARP's model calls `there`; "" = none, or several."""
    known = [p["name"] for p in model(name)["parameters"]]
    found = [p for p in known if p == names.get(plain(there))] or [
        p for p in known if plain(p) == plain(there)
    ]
    return found[0] if len(found) == 1 else ""


def unit_fault(name: str, parameter: str, number: float) -> str:
    """Why a value of a parameter is not taken: far from the default; "" = it is taken."""
    known = next(p for p in model(name)["parameters"] if p["name"] == parameter)
    otherwise = float(known["value"])
    apart = abs(number / otherwise) if otherwise else 1.0
    if not apart or 1 / UNIT_APART < apart < UNIT_APART:
        return ""
    default = f"{number_text(otherwise)} {known['unit']}"
    return f"not of the order of {parameter}, {default}: is it in another unit?"


def translate(name: str, word: str, names: Dict[str, str]) -> Tuple[str, str]:
    """A word of im_param for a model: ("g_Na: x0.5", "") of "GNa*0.5"; or ("", reason)."""
    match = re.fullmatch(r"([^*/=+-]+)([*/=+-])([^%]+)(%?)", word)
    number = finite(match[3]) if match else None
    if not match or number is None or (match[2] in "+-") != bool(match[4]) or word.endswith("/0"):
        return "", "expected NAME=VALUE, NAME*FACTOR, NAME/FACTOR, NAME+N% or NAME-N%"
    there, here = plain(match[1]), parameter_of(name, match[1], names)
    if not here or (match[2] == "/" and number == 0):
        return "", f"no parameter of {name} is equivalent"
    if match[2] == "=" and there not in FACTORS:
        why = unit_fault(name, here, number)
        return ("", why) if why else (f"{here}: {number_text(number)}", "")
    percent = 1 + (number if match[2] == "+" else -number) / 100
    factor = number if match[2] in "*=" else 1 / number if match[2] == "/" else percent
    return f"{here}: x{number_text(factor)}", ""


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


class Conversion:
    """One attempt: a config without what is refused so far."""

    def __init__(self, path: str, entries: List[Entry]) -> None:
        self.path, self.entries = path, entries
        self.last = {entry.name: entry for entry in entries}  # the last value of a name counts
        self.lines: List[str] = []
        self.made: List[List[Source]] = []  # [lines] what each was made from
        self.warnings: List[str] = []
        self.models: List[str] = []
        self.arrays: Dict[str, Tuple[str, List[Source]]] = {}  # of the mesh: files in quotes, sources
        self.changed = False
        self.missing: Dict[int, str] = {}  # models that are not here, by their lines
        for entry in entries:
            entry.used = False
            entry.left_out = {}

    def put(self, text: str, *values: Any, by: Iterable[Source] = ()) -> None:
        """A line of the config, text % values, made from the values and from what else it is `by`."""
        self.lines.append(text % values if values else text)
        sources = [value for value in values if isinstance(value, Value)] + list(by)
        self.made.append([source for source in sources if entry_of(source)])
        self.use(*sources)

    def use(self, *sources: Source) -> None:
        for entry in filter(None, map(entry_of, sources)):
            entry.used = True

    def warn(self, text: str, entry: Optional[Entry] = None) -> None:
        place = f"{self.path}:{entry.line}" if entry else self.path
        line = f"cardiac: warning: {place}: {text}"
        if line not in self.warnings:  # once for all regions of a model
            self.warnings.append(line)

    def refuse(self, source: Source, reason: str) -> None:
        """From the next attempt on, the entry or the word is not there."""
        entry = entry_of(source)
        assert entry
        if isinstance(source, WordOf):
            entry.words.setdefault(source.word, reason)
        else:
            entry.reason = entry.reason or reason
        self.changed = True

    def find(self, name: str) -> Optional[Entry]:
        entry = self.last.get(name)
        return entry if entry and not entry.reason else None

    def text(self, name: str) -> Value:
        entry = self.find(name)
        return Value(entry.value, entry) if entry else Value("")

    def number(self, name: str, otherwise: float) -> Value:
        entry = self.find(name)
        number = finite(entry.value) if entry else None
        if entry and number is None:
            self.refuse(entry, "this is not a number")
        return Value(float(otherwise)) if number is None else Value(number, entry)

    def count(self, name: str, otherwise: int) -> int:
        return int(min(max(self.number(name, otherwise).value, 0), ITEMS_MOST))

    def point(self, name: str, sources: List[Source]) -> Point:
        """`NAME = 1 2 3`, or NAME[0] .., in um."""
        entry, p = self.find(name), [0.0, 0.0, 0.0]
        if entry:
            numbers = [n for n in map(finite, list_words(entry.value)) if n is not None]
            if len(numbers) == len(list_words(entry.value)) == 3:
                p = numbers
                sources.append(entry)
            else:
                self.refuse(entry, "expected three numbers")
        values = [self.number(f"{name}[{k}]", p[k]) for k in range(3)]
        sources.extend(values)
        return Point(*(value.value for value in values))

    def shape(self, prefix: str, kind: int) -> Shape:
        sources: List[Source] = []
        p0 = self.point(prefix + ".p0", sources)
        p1 = self.point(prefix + ".p1", sources) if kind != SPHERE else p0
        radius = self.number(prefix + ".radius", 0) if kind != BLOCK else Value(0.0)
        return Shape(kind, p0, p1, radius, sources + [radius])

    def whole_steps(self, name: str, otherwise: float) -> Value:
        """A time in ms that is a whole number of steps, at least one unless it is 0."""
        time = self.number(name, otherwise)
        steps = round(min(time.value / self.step, 1e300)) if math.isfinite(time.value) else 0
        whole = max(steps, 1 if time.value > 0 else steps) * self.step
        if abs(whole - time.value) <= 1e-9 * abs(time.value) or not math.isfinite(whole):
            return time
        steps_of = f"a whole number of steps of {number_text(self.step)} ms"
        self.warn(f"{name} becomes {number_text(whole)} ms, {steps_of}")
        return Value(whole, time.entry)

    # The parts of a config

    def write(self) -> None:
        dt, mesh = self.number("dt", 10), self.text("meshname")
        if not mesh.value:
            add = "add the line `meshname = MESH` for MESH.elem, as openCARP's -meshname does"
            raise InputError(f"{self.path}: no meshname: {add}", 2)
        if dt.entry and not 0.5 <= dt.value <= 1000:
            where = f"{self.path}:{dt.entry.line}: dt = {dt.entry.value} us"
            unit = "openCARP's dt is in microseconds (20 for 0.02 ms)"
            raise InputError(f"{where} is not a plausible time step; {unit}", 2)
        self.step = dt.value / 1000
        self.put("version: 1")
        self.put("mesh: {file: %s}", with_ending(mesh.value, ".elem"), by=[mesh])
        at = len(self.lines) - 1
        self.write_tissue()
        if self.arrays:
            inner = ", ".join(f"{name}: {file}" for name, (file, _) in self.arrays.items())
            self.lines[at] = self.lines[at][:-1] + ", arrays: {%s}}" % inner
            self.made[at] += [source for _, made in self.arrays.values() for source in made]
        pulses = self.write_stimuli()
        self.put("time:")
        self.put("  end: %s ms", self.whole_steps("tend", 100))
        self.put("  step: %s us", dt)
        self.write_solver()
        falls = self.write_activation(pulses)
        self.write_output(falls)
        self.write_electrodes()

    def mesh_tags(self) -> Optional[Set[int]]:
        mesh = self.text("meshname").value
        path = mesh if mesh.endswith(".elem") else mesh + ".elem"
        return tags_of(os.path.join(os.path.dirname(self.path), path))

    def add_tags(self, name: str, tags: List[int], sources: List[Source]) -> None:
        entry = self.find(name)
        if entry:
            words = list_words(entry.value)
            numbers = [n for n in map(finite, words) if n is not None and n == math.floor(n)]
            whole = [int(n) for n in numbers if abs(n) < 2**31]
            if len(whole) < len(words) or len(tags) + len(whole) > TAGS_MOST:
                self.refuse(entry, f"expected a list of at most {TAGS_MOST} whole numbers")
            else:
                tags.extend(whole)
                sources.append(entry)

    def tags(self, name: str) -> Tuple[List[int], List[Source]]:
        """All of ID, or ID[0] to ID[num_IDs - 1], of a region."""
        tags: List[int] = []
        sources: List[Source] = []
        self.add_tags(name + ".ID", tags, sources)
        most, k = self.number(name + ".num_IDs", TAGS_MOST).value, 0
        while len(tags) == k and k < most and self.find(f"{name}.ID[{k}]"):
            self.add_tags(f"{name}.ID[{k}]", tags, sources)
            k += 1
        return tags, sources

    def muscle(self) -> Dict[int, List[Source]]:
        """The tags of the intracellular domain, if it is listed, each with its sources.

        The rest of the extracellular domain is a bath."""
        inside: Dict[int, List[Source]] = {}
        outside: Set[int] = set()
        for k in range(self.count("num_phys_regions", 0)):
            name = f"phys_region[{k}]"
            kind, (tags, sources) = self.number(name + ".ptype", 0), self.tags(name)
            if kind.value == 0:
                inside.update((tag, sources + [kind]) for tag in tags)
            else:
                outside.update(tags)
        bath = ", ".join(map(str, sorted(outside - set(inside)))) if inside else ""
        if bath:
            kept = ",".join(map(str, sorted(inside)))
            mesh = self.text("meshname").value
            extract = f"cardiac mesh extract {mesh}.elem muscle.elem --regions {kept}"
            self.warn(
                f"elements with tag {bath} are a bath, which is not simulated; take them out of the "
                f"mesh: {extract}, and set mesh: {{file: muscle.elem}}"
            )
        return inside

    def write_tissue(self) -> None:
        self.put("tissue:")
        ratio = self.number("imp_region[0].cellSurfVolRatio", 0.14)
        self.put("  surface_to_volume: %s /um", ratio)
        cells = max(self.count("num_imp_regions", 1), 1)
        conductors = max(self.count("num_gregions", 1), 1)
        region: Dict[int, List[int]] = {}  # tag -> its regions of the cells, of the conductivities
        sources: Dict[int, List[Source]] = {}
        listed = [False, False]  # whether the first of each names its tags
        for side, (name, count) in enumerate((("imp_region", cells), ("gregion", conductors))):
            for r in range(count):
                tags, made = self.tags(f"{name}[{r}]")
                listed[side] = listed[side] or (r == 0 and bool(tags))
                for tag in tags:
                    region.setdefault(tag, [0, 0])[side] = r
                    sources.setdefault(tag, []).extend(made)
        muscle = self.muscle()
        present = self.mesh_tags()
        retags = self.read_retags()
        retagged = {tag for _, tag, _ in retags}
        absent = [t for t in {**region, **muscle} if present is not None and t not in present | retagged]
        for tag in absent:
            self.warn(f"no element of the mesh has tag {tag}: what the regions say of it is left out")
            self.use(*sources.pop(tag, []), *muscle.pop(tag, []))
            region.pop(tag, None)
        for tag in muscle:
            region.setdefault(tag, [0, 0])
            sources.setdefault(tag, []).extend(muscle[tag])
        self.put("  regions:", by=[source for made in sources.values() for source in made])
        for number, tag, shape in retags:
            self.write_model(region.get(tag, [0, 0])[0])
            named = [self.text(f"tagreg[{number}].{part}") for part in ("tag", "type")]
            self.put("      where: %s", shape.where(), by=named + shape.sources)
            self.write_rest(region.get(tag, [0, 0])[1])
        apart = {tag for _, tag, _ in retags} | (
            {tag for tag in region if tag not in muscle} if muscle else set()
        )
        for c, g in [(c, g) for c in reversed(range(cells)) for g in reversed(range(conductors))]:
            own = [tag for tag in region if region[tag] == [c, g] and tag not in apart]
            # Elements of no list belong to the first region of each.
            rest = c == g == 0 and not muscle and not all(listed)
            if own or rest:
                self.write_model(c)
                if not rest:
                    made = [source for tag in own for source in sources[tag]]
                    self.put("      tags: [%s]", ", ".join(map(str, own)), by=made)
                self.write_rest(g)
        self.refuse_adjustments()

    def adjustments(self, here: str, there: str, names: Dict[str, str]) -> Iterable[Tuple[str, str, List[Source]]]:
        """Parameter, its value in the config, and sources, of each adjustment[] of a parameter of a model."""
        for k in range(self.count("num_adjustments", 0)):
            variable, file = self.find(f"adjustment[{k}].variable"), self.find(f"adjustment[{k}].file")
            of = variable.value.rpartition(".")[0] if variable else ""
            if not variable or not file or (of and layers_of(of) != layers_of(there)):
                continue
            parameter = parameter_of(here, variable.value, names)
            why = self.adjustment_fault(here, parameter, variable, file) if parameter else ""
            if why:
                self.refuse(file, why)
            if parameter and not why:
                name, form = f"adjustment_{k}", "factor" if plain(variable.value) in FACTORS else "field"
                sources: List[Source] = [variable, file]
                self.arrays[name] = with_ending(file.value, ".adj"), sources
                yield parameter, "{%s: %s}" % (form, name), sources

    def adjustment_fault(self, here: str, parameter: str, variable: Entry, file: Entry) -> str:
        """Why the values of a file are not taken; "" = they are."""
        folder, mesh = os.path.dirname(self.path), self.text("meshname").value
        path = os.path.join(folder, file.value + ".adj" * (not file.value.endswith(".adj")))
        try:
            words = Path(path).read_text(encoding="utf-8").split()
            values = list(map(float, words[3::2]))
            if len(words) != 2 + 2 * int(words[0]) or not values:
                raise ValueError
        except (OSError, ValueError, IndexError) as error:
            need = "expected the number of nodes, intra or extra, then a node and its value a line"
            return f"{path}: {error.strerror if isinstance(error, OSError) else need}"
        try:
            with open(os.path.join(folder, mesh.replace(".elem", "") + ".pts"), encoding="utf-8") as points:
                nodes = int(points.readline())
        except (OSError, ValueError):
            nodes = len(values)
        if len(values) != nodes:
            return f"{path}: {len(values)} values for {nodes} nodes; add the others, as arrays have a value at each"
        median = sorted(map(abs, values))[len(values) // 2]
        return "" if plain(variable.value) in FACTORS else unit_fault(here, parameter, median)

    def read_retags(self) -> List[Tuple[int, int, Shape]]:
        """Number, tag and shape of each tagreg[]: the highest tag, which wins in openCARP, first."""
        found = []
        for k in range(self.count("num_tagreg", 0)):
            tag = self.number(f"tagreg[{k}].tag", math.nan).value
            kind = self.number(f"tagreg[{k}].type", BLOCK).value
            if not abs(tag) < 2**31 or tag != math.floor(tag):
                self.warn(f"tagreg[{k}] is left out: it has no tag")
            elif kind not in (SPHERE, BLOCK, CYLINDER):
                known = "only spheres, blocks and cylinders (types 1 to 3) are supported"
                self.warn(f"tagreg[{k}] is left out: {known}")
            else:
                found.append((k, int(tag), self.shape(f"tagreg[{k}]", int(kind))))
        if found:
            centre = "an element belongs to a shape that its centre lies in, not one of its nodes"
            self.warn("tagreg: " + centre)
        return sorted(found, key=lambda item: (-item[1], -item[0]))

    def write_model(self, r: int) -> None:
        """model: and parameters: of imp_region r."""
        named, settings = self.find(f"imp_region[{r}].im"), self.text(f"imp_region[{r}].im_param")
        there = named.value if named else "DrouhardRoberge"  # openCARP's default
        layers = layers_of(there)
        here = layers[0] if layers else CHECKED_INSTEAD
        names = PARAMETERS.get(here, {}) if layers else {}
        words = re.findall(r"[^,\s]+", re.sub(r"\s*([*/=+-])\s*", r"\1", settings.value))
        for word in [word for word in words if word.startswith("flags=") and layers]:
            ending = LAYERS.get(word[6:], "-")
            found = [name for name in layers if name.endswith(ending)]
            here = found[0] if found else here
            if found:
                self.use(settings)
            else:
                self.leave_out(settings, word, "no equivalent of this layer")
        if layers:
            self.models.append(here)
        else:
            self.missing[len(self.lines)] = there
            why = "this model is not here; write one of `cardiac models`, or a text: model: {file: my.mmt}"
            self.warn(f"{there}: {why}", named)
        self.put("    - model: %s", here, by=[named])
        lines: List[Tuple[str, List[Source]]] = []
        varied = list(self.adjustments(here, there, names)) if layers else []
        lines += [(f"{parameter}: {value}", made) for parameter, value, made in varied]
        for word in [word for word in words if not (word.startswith("flags=") and layers)]:
            missing = ("", "its model is not here")
            line, why = translate(here, word, names) if layers else missing
            assert settings.entry
            if line.partition(":")[0] in [parameter for parameter, _, _ in varied]:
                line, why = "", "an adjustment replaces it"
            if not line or word in settings.entry.words:
                self.leave_out(settings, word, why or settings.entry.words[word])
            else:
                lines.append((line, [WordOf(settings.entry, word)]))
        if lines:
            self.put("      parameters:")
        for line, made in lines:
            self.put("        %s", line, by=made)

    def leave_out(self, value: Value, word: str, why: str) -> None:
        """A word of a value, of which others may be converted."""
        assert value.entry
        value.entry.left_out[word] = why

    def write_rest(self, g: int) -> None:
        """conductivity: of gregion g, across the sheet where that is given; and initial:."""
        defaults = {"i": (0.174, 0.0193, 0.0193), "e": (0.625, 0.236, 0.236)}
        mono = self.number("bidm_eqv_mono", 1)
        sides = {"i": "intra", "e": "extra"} if mono.value != 0 else {"i": "intra"}
        sheets = any(self.find(f"gregion[{g}].g_{side}n") for side in sides)
        self.put("      conductivity:", by=[mono])
        times, values = self.number(f"gregion[{g}].g_mult", 1), {}
        for side in sides:
            values[side] = [
                self.number(f"gregion[{g}].g_{side}{axis}", defaults[side][k])
                for k, axis in enumerate("ltn"[: 2 + sheets])
            ]
        isotropic = {side: len({v.value for v in own}) == 1 for side, own in values.items()}
        if isotropic["i"] and not any(v.entry for v in values.get("e", [])) and "e" in values:
            isotropic["e"] = True
            only = "the extracellular conductivity is not given, and the intracellular one is isotropic"
            value = f"{number_text(defaults['e'][0])} S/m in every direction"
            self.warn(f"gregion[{g}]: {only}; the config has {value}, openCARP less across the fibres")
        for side, name in sides.items():
            own, indent = values[side], " " * (8 if mono.value == 0 else 10)
            products = [number_text(times.value * value.value) for value in own]
            if all(isotropic.values()):
                self.lines[-1] += f" {products[0]} S/m" if mono.value == 0 else ""
                self.made[-1] += [v for v in [times, *own] if v.entry] if mono.value == 0 else []
                self.use(times, *own)
                if mono.value != 0:
                    self.put("        %s: %s S/m", name, products[0], by=[times, *own])
                continue
            if mono.value != 0:
                self.put("        %s:", name)
            for axis, product, factor in zip(("longitudinal", "transverse", "normal"), products, own):
                self.put("%s%s: %s S/m", indent, axis, product, by=[times, factor])
        beats, period = self.number("prepacing_beats", 0), self.number("prepacing_bcl", 0)
        if beats.value != 0 and period.value != 0:
            times = self.text("prepacing_lats")
            file = ", times: " + quoted(times.value) if times.value else ""
            self.put("      initial: {pace: %s, period: %s ms%s}", beats, period, file, by=[times])

    def refuse_adjustments(self) -> None:
        """Those of what is no parameter of a model in use, such as of states."""
        for k in range(self.count("num_adjustments", 0)):
            entry = self.find(f"adjustment[{k}].variable")
            if entry and not entry.used and self.find(f"adjustment[{k}].file"):
                self.refuse(entry, "no parameter here; initial.file starts from states that vary in space")

    def write_stimuli(self) -> float:
        """Returns the largest number of pulses.

        A stimulus of which a line is refused or unknown is left out as a whole: with a default in
        its place it would be another stimulus."""
        pulses, head = 1.0, True
        for s in range(self.count("num_stim", 2)):
            older = any(name.startswith(f"stimulus[{s}].") for name in self.last)
            prefix = f"stimulus[{s}]." if older else f"stim[{s}]."
            if self.has_stimulus(s, prefix, older):
                if head:
                    self.put("stimuli:")
                head = False
                pulses = max(pulses, self.write_stimulus(s, prefix, older))
        if head:
            self.put("stimuli: []")
        return pulses

    def has_stimulus(self, s: int, prefix: str, older: bool) -> bool:
        own = [entry for name, entry in self.last.items() if name.startswith(prefix)]
        names = STIMULUS_NAMES[0 if older else 1]
        refused = [e for e in own if e.reason and e.name != prefix + "name"]
        unknown = [
            e for e in own if not names.fullmatch(e.name[len(prefix) :]) and not has_no_effect(e)
        ]
        kind = self.number(prefix + ("stimtype" if older else "crct.type"), 0)
        shape = self.number(prefix + "elec.geom_type", BLOCK)
        placed = older or self.find(prefix + "elec.vtx_file")
        tag = self.number(prefix + ("geometry" if older else "elec.geomID"), -1)
        present = self.mesh_tags()
        why, entry = "", None
        if refused:
            why, entry = "because this line is refused", refused[0]
        elif kind.value != 0:
            known = STIMULUS_TYPES.get(kind.value, "unknown")
            why = f"its type {kind} is {known}; only transmembrane currents (type 0) are supported"
        elif unknown:
            why, entry = "because this line is unknown", unknown[0]
        elif not self.find(prefix + ("strength" if older else "pulse.strength")):
            why = "it has no strength"
        elif not self.find(prefix + "vtx_file") and not self.find(prefix + "elec.vtx_file") and (
            present is not None and tag.value >= 0 and tag.value not in present
        ):
            why = f"no element of the mesh has tag {tag}"
        elif not placed and shape.value not in (SPHERE, BLOCK, CYLINDER):
            why = f"its shape ({shape}) is not supported"
        if why and own:
            colon = "" if entry else ":"
            self.warn(f"stimulus {s} is left out{colon} {why}", entry)
        return not why

    def write_stimulus(self, s: int, prefix: str, older: bool) -> float:
        def named(older_name: str, newer: str, otherwise: float) -> Value:
            return self.number(prefix + (older_name if older else newer), otherwise)

        name = self.text(prefix + "name")
        self.put("  - name: %s", quoted(name.value or f"S{s + 1}"), by=[name])
        self.write_place(prefix, older)
        self.put("    start: %s ms", named("start", "ptcl.start", 0))
        self.put("    duration: %s ms", named("duration", "ptcl.duration", 1))
        beats, period = named("npls", "ptcl.npls", 1), named("bcl", "ptcl.bcl", math.nan)
        self.use(beats)
        if beats.value != 1:
            self.put("    count: %s", beats)
        if beats.value != 1 and period.entry:  # the program refuses a train without one
            self.put("    period: %s ms", period)
        kind = named("stimtype", "crct.type", 0)
        self.put("    current: %s uA/cm^2", named("strength", "pulse.strength", 0), by=[kind])
        return float(beats.value)

    def write_place(self, prefix: str, older: bool) -> None:
        """nodes:, tags:, box:, sphere: or where: of a stimulus."""
        file = self.text(prefix + ("vtx_file" if older else "elec.vtx_file"))
        tag = self.number(prefix + ("geometry" if older else "elec.geomID"), -1)
        if file.value:
            self.put("    nodes: %s", with_ending(file.value, ".vtx"), by=[file])
            return
        if tag.value >= 0:
            self.put("    tags: [%s]", tag)
            return
        kind = Value(float(BLOCK)) if older else self.number(prefix + "elec.geom_type", BLOCK)
        if older:
            centred = self.number(prefix + "ctr_def", 0)
            at = [self.number(f"{prefix}{x}0", 0) for x in "xyz"]
            width = [self.number(f"{prefix}{x}d", 0) for x in "xyz"]
            half = 0.5 if centred.value != 0 else 0.0
            low = Point(*(a.value - half * w.value for a, w in zip(at, width)))
            high = Point(*(a + w.value for a, w in zip(low, width)))
            shape = Shape(BLOCK, low, high, Value(0.0), [centred, *at, *width])
        else:
            shape = self.shape(prefix + "elec", int(kind.value))
        by = [tag, kind] + shape.sources
        if shape.kind == SPHERE:
            self.put("    sphere: {centre: %s, radius: %s um}", shape.p0, shape.radius, by=by)
        elif shape.kind == BLOCK:
            self.put("    box: {min: %s, max: %s}", shape.p0, shape.p1, by=by)
        else:
            self.put("    where: %s", shape.where(), by=by)

    def write_solver(self) -> None:
        solve, lumping = self.number("parab_solve", -1), self.number("mass_lumping", math.nan)
        if solve.value == 0 or lumping.entry:
            self.put("solver:")
        if solve.value == 0:
            said = "stages of explicit steps, for those of parab_solve = 0, which are not available"
            self.put("  method: rkl2  # %s", said, by=[solve])
        elif solve.value == 1:  # Crank-Nicolson, the default
            self.use(solve)
        if lumping.entry:
            self.put("  mass_lumping: %s", lumping)

    def write_activation(self, pulses: float) -> bool:
        """activation: of the first lats[] of rising V; returns whether one is of falling V.

        One of which a line is refused is left out as a whole."""
        written = falls = False
        for k in range(self.count("num_LATs", 0)):
            prefix = f"lats[{k}]."
            if any(e.reason for name, e in self.last.items() if name.startswith(prefix)):
                continue
            kind = [self.number(prefix + name, 0) for name in ("measurand", "mode")]
            method, label = self.number(prefix + "method", 1), self.text(prefix + "ID")
            fall = kind[1].value == 1
            if kind[0].value != 0 or (written and not fall):
                continue  # not of V, or a second one: all its lines are listed
            self.use(*kind, method, label)
            if fall:
                falls = True
                self.warn(f"lats[{k}]: falling crossings become the times of 90 % repolarisation")
                continue
            written = True
            if method.value != 1:
                self.warn(f"lats[{k}]: the steepest rise becomes the upward crossing of each model's threshold")
                continue
            threshold, every = self.number(prefix + "threshold", 0), self.number(prefix + "all", 1)
            beats = int(min(max(pulses, 1), 1000)) if every.value != 0 else 1
            line = "activation: {threshold: %s mV, beats: %d}"
            self.put(line, threshold, beats, by=[*kind, method, every])
        return falls

    def field_name(self, text: str) -> Optional[str]:
        """The state or current of a model in use that is named so, or so but for signs and capitals."""
        used = [model(name) for name in dict.fromkeys(self.models)]
        names = [item["name"] for m in used for item in m["states"] + m["currents"]]
        return next((n for n in names if n == text), None) or next(
            (n for n in names if plain(n) == plain(text)), None
        )

    def write_output(self, falls: bool) -> None:
        self.put("output:")
        directory = self.text("simID")
        if directory.value:
            self.put("  directory: %s", quoted(directory.value), by=[directory])
        self.put("  every: %s ms", self.whole_steps("spacedt", 1))
        self.put("  fields:")
        self.put("    - V")
        written: List[str] = []
        regions = range(max(self.count("num_imp_regions", 1), 1))
        for k in range(self.count("num_gvecs", 0)):
            for name in [f"gvec[{k}].ID"] + [f"gvec[{k}].ID[{r}]" for r in regions]:
                value = self.text(name)
                found = self.field_name(value.value) if value.entry else None
                if found in written:
                    self.use(value)
                elif found:
                    written.append(found)
                    self.put("    - %s", quoted(found), by=[value])
        if falls:
            self.put("  maps: [activation_time, repolarization_time]")
        intervals = self.whole_steps("chkpt_intv", 0)
        self.use(intervals)
        if intervals.value != 0:
            self.put("checkpoint: {every: %s ms}", intervals)

    def write_electrodes(self) -> None:
        """ecg: of the points of a .pts file; if it cannot be read, the line is refused."""
        entry = self.find("phie_rec_ptf")
        if not entry:
            return
        path = os.path.join(os.path.dirname(self.path), entry.value + ".pts")
        try:
            words = Path(path).read_text(encoding="utf-8").split()
            numbers = list(map(float, words[1 : 1 + 3 * int(words[0])]))
            if not 3 <= len(numbers) == 3 * int(words[0]) or not all(map(math.isfinite, numbers)):
                raise ValueError
            if int(words[0]) > ELECTRODES_MOST:
                raise ValueError
        except (OSError, ValueError, IndexError) as error:
            need = f"expected the number of points, 1 to {ELECTRODES_MOST}, then their coordinates"
            why = error.strerror if isinstance(error, OSError) else need
            self.refuse(entry, f"{path}: {why}")
            return
        self.put("ecg:", by=[entry])
        self.put("  electrodes:")
        for k in range(len(numbers) // 3):
            self.put("    E%d: %s", k, Point(*numbers[3 * k : 3 * k + 3]), by=[entry])

    # What the program refuses

    def refuse_faults(self, faults: List[Tuple[int, str]]) -> None:
        """Refuses what the lines with faults were made from.

        Where these were made from nothing, all faults follow from something else: then the first
        refuses what the smallest block around it was made from."""
        found = [(source, why) for line, why in faults for source in self.made[line]]
        line, why = faults[0]
        for source, reason in found or [(source, why) for source in self.around(line)]:
            self.refuse(source, reason)
        if not self.changed:
            raise InputError(f"{self.path}: its config is refused: {why}", 2)

    def around(self, line: int) -> List[Source]:
        """Sources of the smallest block around a line that has some; of the whole config otherwise."""
        indent = [len(text) - len(text.lstrip()) for text in self.lines]
        first: Optional[int] = line
        while first is not None:
            inner = [k for k in range(first + 1, len(indent)) if indent[k] <= indent[first]]
            block = self.made[first : inner[0] if inner else None]
            found = [source for made in block for source in made]
            if found:
                return found
            first = next((k for k in reversed(range(first)) if indent[k] < indent[first]), None)
        return [source for made in self.made for source in made]

    def listed(self) -> List[str]:
        """Each line that is left out, with the reason; then the numbers of lines without effect."""
        idle = [entry for entry in self.entries if not entry.used or entry.left_out]
        lost = [entry for entry in idle if not has_no_effect(entry)]
        silent = [str(entry.line) for entry in idle if has_no_effect(entry)]
        colon = ":" if lost else ""
        notes = [f"{len(lost)} of {len(self.entries)} lines were not converted{colon}"]
        for entry in lost:
            known = [why for name, why in REASONS if re.fullmatch(name, entry.name)]
            words = [f"{word} is left out: {why}" for word, why in entry.left_out.items()]
            reason = entry.reason or "; ".join(words) or "".join(known[:1])
            if self.last[entry.name] is not entry and not entry.reason:
                reason = f"line {self.last[entry.name].line} replaces it"
            why = f" ({reason})" if reason else ""
            notes.append(f"{self.path}:{entry.line}: {entry.name} = {entry.value}{why}")
        return notes + (["lines without effect here: " + ", ".join(silent)] if silent else [])


def has_no_effect(entry: Entry) -> bool:
    """Whether nothing is lost with it, by NO_EFFECT."""
    of_name = [value for name, value in NO_EFFECT if re.fullmatch(name, entry.name)]
    return not entry.reason and any(not v or re.fullmatch(v, entry.value) for v in of_name)


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
        attempt = Conversion(path, entries)
        attempt.write()
        text = "\n".join(attempt.lines) + "\n"
        faults = check(text) if not attempt.changed else []
        if faults:
            attempt.refuse_faults(faults)
        if not attempt.changed:
            for line, name in attempt.missing.items():
                attempt.lines[line] = f"    - model: {quoted(name)}"
            return "\n".join(attempt.lines) + "\n", attempt.warnings + attempt.listed()
