"""The regions of a config: tags, models with their parameters, conductivities, initial states."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Dict, Iterable, List, Set, Tuple

from .attempt import Attempt
from .models import (
    CHECKED_INSTEAD,
    FACTORS,
    LAYERS,
    PARAMETERS,
    layers_of,
    parameter_of,
    translate,
    unit_fault,
)
from .parameters import (
    BLOCK,
    CYLINDER,
    SPHERE,
    Entry,
    Shape,
    Source,
    WordOf,
    finite,
    list_words,
    number_text,
    plain,
    quoted,
    with_ending,
)

TAGS_MOST = 20000


def write_tissue(attempt: Attempt) -> None:
    """Regions with their models, conductivities and parameters."""
    attempt.put("tissue:")
    ratio = attempt.number("imp_region[0].cellSurfVolRatio", 0.14)
    attempt.put("  surface_to_volume: %s /um", ratio)
    cells = max(attempt.count("num_imp_regions", 1), 1)
    conductors = max(attempt.count("num_gregions", 1), 1)
    region: Dict[int, List[int]] = {}  # tag -> its regions of the cells, of the conductivities
    sources: Dict[int, List[Source]] = {}
    listed = [False, False]  # whether the first of each names its tags
    for side, (name, count) in enumerate((("imp_region", cells), ("gregion", conductors))):
        for r in range(count):
            tags, made = region_tags(attempt, f"{name}[{r}]")
            listed[side] = listed[side] or (r == 0 and bool(tags))
            for tag in tags:
                region.setdefault(tag, [0, 0])[side] = r
                sources.setdefault(tag, []).extend(made)
    muscle = find_muscle(attempt)
    present = attempt.mesh_tags()
    retags = read_retags(attempt)
    retagged = {tag for _, tag, _ in retags}
    absent = [
        t for t in {**region, **muscle} if present is not None and t not in present | retagged
    ]
    for tag in absent:
        attempt.warn(
            f"no element of the mesh has tag {tag}: what the regions say of it is left out"
        )
        attempt.use(*sources.pop(tag, []), *muscle.pop(tag, []))
        region.pop(tag, None)
    for tag in muscle:
        region.setdefault(tag, [0, 0])
        sources.setdefault(tag, []).extend(muscle[tag])
    attempt.put("  regions:", by=[source for made in sources.values() for source in made])
    for number, tag, shape in retags:
        write_model(attempt, region.get(tag, [0, 0])[0])
        named = [attempt.text(f"tagreg[{number}].{part}") for part in ("tag", "type")]
        attempt.put("      where: %s", shape.where(), by=named + shape.sources)
        write_rest(attempt, region.get(tag, [0, 0])[1])
    apart = {tag for _, tag, _ in retags} | (
        {tag for tag in region if tag not in muscle} if muscle else set()
    )
    for c, g in [(c, g) for c in reversed(range(cells)) for g in reversed(range(conductors))]:
        own = [tag for tag in region if region[tag] == [c, g] and tag not in apart]
        # Elements of no list belong to the first region of each.
        rest = c == g == 0 and not muscle and not all(listed)
        if own or rest:
            write_model(attempt, c)
            if not rest:
                made = [source for tag in own for source in sources[tag]]
                attempt.put("      tags: [%s]", ", ".join(map(str, own)), by=made)
            write_rest(attempt, g)
    refuse_adjustments(attempt)


def add_tags(attempt: Attempt, name: str, tags: List[int], sources: List[Source]) -> None:
    """Adds the tags that a list has; one that is none is refused."""
    entry = attempt.find(name)
    if entry:
        words = list_words(entry.value)
        numbers = [n for n in map(finite, words) if n is not None and n == math.floor(n)]
        whole = [int(n) for n in numbers if abs(n) < 2**31]
        if len(whole) < len(words) or len(tags) + len(whole) > TAGS_MOST:
            attempt.refuse(entry, f"expected a list of at most {TAGS_MOST} whole numbers")
        else:
            tags.extend(whole)
            sources.append(entry)


def region_tags(attempt: Attempt, name: str) -> Tuple[List[int], List[Source]]:
    """All of ID, or ID[0] to ID[num_IDs - 1], of a region."""
    tags: List[int] = []
    sources: List[Source] = []
    add_tags(attempt, name + ".ID", tags, sources)
    most, k = attempt.number(name + ".num_IDs", TAGS_MOST).value, 0
    while len(tags) == k and k < most and attempt.find(f"{name}.ID[{k}]"):
        add_tags(attempt, f"{name}.ID[{k}]", tags, sources)
        k += 1
    return tags, sources


def find_muscle(attempt: Attempt) -> Dict[int, List[Source]]:
    """The tags of the intracellular domain, if it is listed, each with its sources.

    The rest of the extracellular domain is a bath."""
    inside: Dict[int, List[Source]] = {}
    outside: Set[int] = set()
    for k in range(attempt.count("num_phys_regions", 0)):
        name = f"phys_region[{k}]"
        kind, (tags, sources) = attempt.number(name + ".ptype", 0), region_tags(attempt, name)
        if kind.value == 0:
            inside.update((tag, sources + [kind]) for tag in tags)
        else:
            outside.update(tags)
    bath = ", ".join(map(str, sorted(outside - set(inside)))) if inside else ""
    if bath:
        kept = ",".join(map(str, sorted(inside)))
        mesh = attempt.text("meshname").value
        extract = f"cardiac mesh extract {mesh}.elem muscle.elem --regions {kept}"
        attempt.warn(
            f"elements with tag {bath} are a bath, which is not simulated; take them out of the "
            f"mesh: {extract}, and set mesh: {{file: muscle.elem}}"
        )
    return inside


def read_retags(attempt: Attempt) -> List[Tuple[int, int, Shape]]:
    """Number, tag and shape of each tagreg[]: the highest tag, which wins in openCARP, first."""
    found = []
    for k in range(attempt.count("num_tagreg", 0)):
        tag = attempt.number(f"tagreg[{k}].tag", math.nan).value
        kind = attempt.number(f"tagreg[{k}].type", BLOCK).value
        if not abs(tag) < 2**31 or tag != math.floor(tag):
            attempt.warn(f"tagreg[{k}] is left out: it has no tag")
        elif kind not in (SPHERE, BLOCK, CYLINDER):
            known = "only spheres, blocks and cylinders (types 1 to 3) are supported"
            attempt.warn(f"tagreg[{k}] is left out: {known}")
        else:
            found.append((k, int(tag), attempt.shape(f"tagreg[{k}]", int(kind))))
    if found:
        centre = "an element belongs to a shape that its centre lies in, not one of its nodes"
        attempt.warn("tagreg: " + centre)
    return sorted(found, key=lambda item: (-item[1], -item[0]))


def write_model(attempt: Attempt, r: int) -> None:
    """model: and parameters: of imp_region r."""
    named, settings = attempt.find(f"imp_region[{r}].im"), attempt.text(f"imp_region[{r}].im_param")
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
            attempt.use(settings)
        else:
            attempt.leave_out(settings, word, "no equivalent of this layer")
    if layers:
        attempt.models.append(here)
    else:
        attempt.missing[len(attempt.lines)] = there
        why = "this model is not here; write one of `cardiac models`, or a text: model: {file: my.mmt}"
        attempt.warn(f"{there}: {why}", named)
    attempt.put("    - model: %s", here, by=[named])
    lines: List[Tuple[str, List[Source]]] = []
    varied = list(adjustments(attempt, here, there, names)) if layers else []
    lines += [(f"{parameter}: {value}", made) for parameter, value, made in varied]
    for word in [word for word in words if not (word.startswith("flags=") and layers)]:
        missing = ("", "its model is not here")
        line, why = translate(here, word, names) if layers else missing
        assert settings.entry
        if line.partition(":")[0] in [parameter for parameter, _, _ in varied]:
            line, why = "", "an adjustment replaces it"
        if not line or word in settings.entry.words:
            attempt.leave_out(settings, word, why or settings.entry.words[word])
        else:
            lines.append((line, [WordOf(settings.entry, word)]))
    if lines:
        attempt.put("      parameters:")
    for line, made in lines:
        attempt.put("        %s", line, by=made)


def adjustments(
    attempt: Attempt, here: str, there: str, names: Dict[str, str]
) -> Iterable[Tuple[str, str, List[Source]]]:
    """Parameter, its value in the config, and sources, of each adjustment[] of a parameter of a model."""
    for k in range(attempt.count("num_adjustments", 0)):
        variable, file = attempt.find(f"adjustment[{k}].variable"), attempt.find(
            f"adjustment[{k}].file"
        )
        of = variable.value.rpartition(".")[0] if variable else ""
        if not variable or not file or (of and layers_of(of) != layers_of(there)):
            continue
        parameter = parameter_of(here, variable.value, names)
        why = adjustment_fault(attempt, here, parameter, variable, file) if parameter else ""
        if why:
            attempt.refuse(file, why)
        if parameter and not why:
            name, form = f"adjustment_{k}", (
                "factor" if plain(variable.value) in FACTORS else "field"
            )
            sources: List[Source] = [variable, file]
            attempt.arrays[name] = with_ending(file.value, ".adj"), sources
            yield parameter, "{%s: %s}" % (form, name), sources


def adjustment_fault(
    attempt: Attempt, here: str, parameter: str, variable: Entry, file: Entry
) -> str:
    """Why the values of a file are not taken; "" = they are."""
    folder, mesh = os.path.dirname(attempt.path), attempt.text("meshname").value
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
        with open(
            os.path.join(folder, mesh.replace(".elem", "") + ".pts"), encoding="utf-8"
        ) as points:
            nodes = int(points.readline())
    except (OSError, ValueError):
        nodes = len(values)
    if len(values) != nodes:
        return f"{path}: {len(values)} values for {nodes} nodes; add the others, as arrays have a value at each"
    median = sorted(map(abs, values))[len(values) // 2]
    return "" if plain(variable.value) in FACTORS else unit_fault(here, parameter, median)


def refuse_adjustments(attempt: Attempt) -> None:
    """Those of what is no parameter of a model in use, such as of states."""
    for k in range(attempt.count("num_adjustments", 0)):
        entry = attempt.find(f"adjustment[{k}].variable")
        if entry and not entry.used and attempt.find(f"adjustment[{k}].file"):
            attempt.refuse(
                entry, "no parameter here; initial.file starts from states that vary in space"
            )


def write_rest(attempt: Attempt, g: int) -> None:
    """conductivity: of gregion g, across the sheet where that is given; and initial:."""
    defaults = {"i": (0.174, 0.0193, 0.0193), "e": (0.625, 0.236, 0.236)}
    mono = attempt.number("bidm_eqv_mono", 1)
    sides = {"i": "intra", "e": "extra"} if mono.value != 0 else {"i": "intra"}
    sheets = any(attempt.find(f"gregion[{g}].g_{side}n") for side in sides)
    attempt.put("      conductivity:", by=[mono])
    times, values = attempt.number(f"gregion[{g}].g_mult", 1), {}
    for side in sides:
        values[side] = [
            attempt.number(f"gregion[{g}].g_{side}{axis}", defaults[side][k])
            for k, axis in enumerate("ltn"[: 2 + sheets])
        ]
    isotropic = {side: len({v.value for v in own}) == 1 for side, own in values.items()}
    if isotropic["i"] and not any(v.entry for v in values.get("e", [])) and "e" in values:
        isotropic["e"] = True
        only = "the extracellular conductivity is not given, and the intracellular one is isotropic"
        value = f"{number_text(defaults['e'][0])} S/m in every direction"
        attempt.warn(
            f"gregion[{g}]: {only}; the config has {value}, openCARP less across the fibres"
        )
    for side, name in sides.items():
        own, indent = values[side], " " * (8 if mono.value == 0 else 10)
        products = [number_text(times.value * value.value) for value in own]
        if all(isotropic.values()):
            attempt.lines[-1] += f" {products[0]} S/m" if mono.value == 0 else ""
            attempt.made[-1] += [v for v in [times, *own] if v.entry] if mono.value == 0 else []
            attempt.use(times, *own)
            if mono.value != 0:
                attempt.put("        %s: %s S/m", name, products[0], by=[times, *own])
            continue
        if mono.value != 0:
            attempt.put("        %s:", name)
        for axis, product, factor in zip(("longitudinal", "transverse", "normal"), products, own):
            attempt.put("%s%s: %s S/m", indent, axis, product, by=[times, factor])
    beats, period = attempt.number("prepacing_beats", 0), attempt.number("prepacing_bcl", 0)
    if beats.value != 0 and period.value != 0:
        times = attempt.text("prepacing_lats")
        file = ", times: " + quoted(times.value) if times.value else ""
        attempt.put("      initial: {pace: %s, period: %s ms%s}", beats, period, file, by=[times])
