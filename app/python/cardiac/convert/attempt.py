"""One attempt at a config: its lines, each with the assignments that it was made from, without what is refused so far."""

from __future__ import annotations

import functools
import itertools
import math
import os
import re
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from ..program import InputError
from .parameters import (
    BLOCK,
    ITEMS_MOST,
    REASONS,
    SPHERE,
    Entry,
    Point,
    Shape,
    Source,
    Value,
    WordOf,
    entry_of,
    finite,
    has_no_effect,
    list_words,
    number_text,
)


@functools.lru_cache(maxsize=None)
def tags_of(path: str) -> Optional[Set[int]]:
    """The tags of an .elem file; None: it is not there or has none."""
    try:
        with open(path, encoding="utf-8") as file:
            return {
                int(line.split()[-1]) for line in itertools.islice(file, 1, None) if line.strip()
            }
    except (OSError, ValueError):
        return None


class Attempt:
    """Reads values, notes what was used, and writes lines."""

    def __init__(self, path: str, entries: List[Entry]) -> None:
        self.path, self.entries = path, entries
        self.last = {entry.name: entry for entry in entries}  # the last value of a name counts
        self.lines: List[str] = []
        self.made: List[List[Source]] = []  # [lines] what each was made from
        self.warnings: List[str] = []
        self.models: List[str] = []
        self.arrays: Dict[str, Tuple[str, List[Source]]] = (
            {}
        )  # of the mesh: files in quotes, sources
        self.changed = False
        self.step = math.nan  # ms, once `time` is read
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

    def leave_out(self, value: Value, word: str, why: str) -> None:
        """A word of a value, of which others may be converted."""
        assert value.entry
        value.entry.left_out[word] = why

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

    def mesh_tags(self) -> Optional[Set[int]]:
        mesh = self.text("meshname").value
        path = mesh if mesh.endswith(".elem") else mesh + ".elem"
        return tags_of(os.path.join(os.path.dirname(self.path), path))

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
