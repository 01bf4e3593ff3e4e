"""What a config writes: activation times, fields, checkpoints, an ECG."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import List, Optional

from .attempt import Attempt
from .models import model
from .parameters import Point, plain, quoted

ELECTRODES_MOST = 1000


def write_activation(attempt: Attempt, pulses: float) -> bool:
    """activation: of the first lats[] of rising V; returns whether one is of falling V.

    One of which a line is refused is left out as a whole."""
    written = falls = False
    for k in range(attempt.count("num_LATs", 0)):
        prefix = f"lats[{k}]."
        if any(e.reason for name, e in attempt.last.items() if name.startswith(prefix)):
            continue
        kind = [attempt.number(prefix + name, 0) for name in ("measurand", "mode")]
        method, label = attempt.number(prefix + "method", 1), attempt.text(prefix + "ID")
        fall = kind[1].value == 1
        if kind[0].value != 0 or (written and not fall):
            continue  # not of V, or a second one: all its lines are listed
        attempt.use(*kind, method, label)
        if fall:
            falls = True
            attempt.warn(f"lats[{k}]: falling crossings become the times of 90 % repolarisation")
            continue
        written = True
        if method.value != 1:
            attempt.warn(
                f"lats[{k}]: the steepest rise becomes the upward crossing of each model's threshold"
            )
            continue
        threshold, every = attempt.number(prefix + "threshold", 0), attempt.number(
            prefix + "all", 1
        )
        beats = int(min(max(pulses, 1), 1000)) if every.value != 0 else 1
        line = "activation: {threshold: %s mV, beats: %d}"
        attempt.put(line, threshold, beats, by=[*kind, method, every])
    return falls


def write_output(attempt: Attempt, falls: bool) -> None:
    """The directory, the times and the fields of the output; `falls`: whether activation is where V falls."""
    attempt.put("output:")
    directory = attempt.text("simID")
    if directory.value:
        attempt.put("  directory: %s", quoted(directory.value), by=[directory])
    attempt.put("  every: %s ms", attempt.whole_steps("spacedt", 1))
    attempt.put("  fields:")
    attempt.put("    - V")
    written: List[str] = []
    regions = range(max(attempt.count("num_imp_regions", 1), 1))
    for k in range(attempt.count("num_gvecs", 0)):
        for name in [f"gvec[{k}].ID"] + [f"gvec[{k}].ID[{r}]" for r in regions]:
            value = attempt.text(name)
            found = field_name(attempt, value.value) if value.entry else None
            if found in written:
                attempt.use(value)
            elif found:
                written.append(found)
                attempt.put("    - %s", quoted(found), by=[value])
    if falls:
        attempt.put("  maps: [activation_time, repolarization_time]")
    intervals = attempt.whole_steps("chkpt_intv", 0)
    attempt.use(intervals)
    if intervals.value != 0:
        attempt.put("checkpoint: {every: %s ms}", intervals)


def field_name(attempt: Attempt, text: str) -> Optional[str]:
    """The state or current of a model in use that is named so, or so but for signs and capitals."""
    used = [model(name) for name in dict.fromkeys(attempt.models)]
    names = [item["name"] for m in used for item in m["states"] + m["currents"]]
    return next((n for n in names if n == text), None) or next(
        (n for n in names if plain(n) == plain(text)), None
    )


def write_electrodes(attempt: Attempt) -> None:
    """ecg: of the points of a .pts file; if it cannot be read, the line is refused."""
    entry = attempt.find("phie_rec_ptf")
    if not entry:
        return
    path = os.path.join(os.path.dirname(attempt.path), entry.value + ".pts")
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
        attempt.refuse(entry, f"{path}: {why}")
        return
    attempt.put("ecg:", by=[entry])
    attempt.put("  electrodes:")
    for k in range(len(numbers) // 3):
        attempt.put("    E%d: %s", k, Point(*numbers[3 * k : 3 * k + 3]), by=[entry])
