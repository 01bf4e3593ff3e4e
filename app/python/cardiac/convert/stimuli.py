"""The stimuli of a config."""

from __future__ import annotations

import math
import re

from .attempt import Attempt
from .parameters import (
    BLOCK,
    CYLINDER,
    SPHERE,
    Point,
    Shape,
    Value,
    has_no_effect,
    quoted,
    with_ending,
)

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


def write_stimuli(attempt: Attempt) -> float:
    """Returns the largest number of pulses.

    A stimulus of which a line is refused or unknown is left out as a whole: with a default in
    its place it would be another stimulus."""
    pulses, head = 1.0, True
    for s in range(attempt.count("num_stim", 2)):
        older = any(name.startswith(f"stimulus[{s}].") for name in attempt.last)
        prefix = f"stimulus[{s}]." if older else f"stim[{s}]."
        if has_stimulus(attempt, s, prefix, older):
            if head:
                attempt.put("stimuli:")
            head = False
            pulses = max(pulses, write_stimulus(attempt, s, prefix, older))
    if head:
        attempt.put("stimuli: []")
    return pulses


def has_stimulus(attempt: Attempt, s: int, prefix: str, older: bool) -> bool:
    """Whether stimulus `s` can be kept; a warning says why not."""
    own = [entry for name, entry in attempt.last.items() if name.startswith(prefix)]
    names = STIMULUS_NAMES[0 if older else 1]
    refused = [e for e in own if e.reason and e.name != prefix + "name"]
    unknown = [
        e for e in own if not names.fullmatch(e.name[len(prefix) :]) and not has_no_effect(e)
    ]
    kind = attempt.number(prefix + ("stimtype" if older else "crct.type"), 0)
    shape = attempt.number(prefix + "elec.geom_type", BLOCK)
    placed = older or attempt.find(prefix + "elec.vtx_file")
    tag = attempt.number(prefix + ("geometry" if older else "elec.geomID"), -1)
    present = attempt.mesh_tags()
    why, entry = "", None
    if refused:
        why, entry = "because this line is refused", refused[0]
    elif kind.value != 0:
        known = STIMULUS_TYPES.get(kind.value, "unknown")
        why = f"its type {kind} is {known}; only transmembrane currents (type 0) are supported"
    elif unknown:
        why, entry = "because this line is unknown", unknown[0]
    elif not attempt.find(prefix + ("strength" if older else "pulse.strength")):
        why = "it has no strength"
    elif (
        not attempt.find(prefix + "vtx_file")
        and not attempt.find(prefix + "elec.vtx_file")
        and (present is not None and tag.value >= 0 and tag.value not in present)
    ):
        why = f"no element of the mesh has tag {tag}"
    elif not placed and shape.value not in (SPHERE, BLOCK, CYLINDER):
        why = f"its shape ({shape}) is not supported"
    if why and own:
        colon = "" if entry else ":"
        attempt.warn(f"stimulus {s} is left out{colon} {why}", entry)
    return not why


def write_stimulus(attempt: Attempt, s: int, prefix: str, older: bool) -> float:
    """A stimulus, whose pulses are returned."""

    def named(older_name: str, newer: str, otherwise: float) -> Value:
        return attempt.number(prefix + (older_name if older else newer), otherwise)

    name = attempt.text(prefix + "name")
    attempt.put("  - name: %s", quoted(name.value or f"S{s + 1}"), by=[name])
    write_place(attempt, prefix, older)
    attempt.put("    start: %s ms", named("start", "ptcl.start", 0))
    attempt.put("    duration: %s ms", named("duration", "ptcl.duration", 1))
    beats, period = named("npls", "ptcl.npls", 1), named("bcl", "ptcl.bcl", math.nan)
    attempt.use(beats)
    if beats.value != 1:
        attempt.put("    count: %s", beats)
    if beats.value != 1 and period.entry:  # the program refuses a train without one
        attempt.put("    period: %s ms", period)
    kind = named("stimtype", "crct.type", 0)
    attempt.put("    current: %s uA/cm^2", named("strength", "pulse.strength", 0), by=[kind])
    return float(beats.value)


def write_place(attempt: Attempt, prefix: str, older: bool) -> None:
    """nodes:, tags:, box:, sphere: or where: of a stimulus."""
    file = attempt.text(prefix + ("vtx_file" if older else "elec.vtx_file"))
    tag = attempt.number(prefix + ("geometry" if older else "elec.geomID"), -1)
    if file.value:
        attempt.put("    nodes: %s", with_ending(file.value, ".vtx"), by=[file])
        return
    if tag.value >= 0:
        attempt.put("    tags: [%s]", tag)
        return
    kind = Value(float(BLOCK)) if older else attempt.number(prefix + "elec.geom_type", BLOCK)
    if older:
        centred = attempt.number(prefix + "ctr_def", 0)
        at = [attempt.number(f"{prefix}{x}0", 0) for x in "xyz"]
        width = [attempt.number(f"{prefix}{x}d", 0) for x in "xyz"]
        half = 0.5 if centred.value != 0 else 0.0
        low = Point(*(a.value - half * w.value for a, w in zip(at, width)))
        high = Point(*(a + w.value for a, w in zip(low, width)))
        shape = Shape(BLOCK, low, high, Value(0.0), [centred, *at, *width])
    else:
        shape = attempt.shape(prefix + "elec", int(kind.value))
    by = [tag, kind] + shape.sources
    if shape.kind == SPHERE:
        attempt.put("    sphere: {centre: %s, radius: %s um}", shape.p0, shape.radius, by=by)
    elif shape.kind == BLOCK:
        attempt.put("    box: {min: %s, max: %s}", shape.p0, shape.p1, by=by)
    else:
        attempt.put("    where: %s", shape.where(), by=by)
