"""One page that shows a result: HTML that needs no other file."""
from __future__ import annotations

import base64
import csv
import io
import re
from pathlib import Path
from typing import Any, Dict, Iterable, Optional, Sequence, Union

import numpy as np

from . import plot
from .result import KINDS, Result, escape, read, title

STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; color: #222; margin: 0 auto; max-width: 1180px; padding: 16px; }
h1 { font-size: 1.6em; margin: 0.2em 0; } h2 { font-size: 1.15em; margin: 1.6em 0 0.4em; border-bottom: 1px solid #ccc; }
.row { display: flex; max-width: 100%; flex-wrap: wrap; gap: 12px 20px; align-items: flex-start; }
figure { margin: 0; flex: 1 1 420px; max-width: 560px; min-width: 0; }
.grid { display: grid; gap: 12px; grid-template-columns: repeat(auto-fill, minmax(max(160px, 30%), 1fr)); }
figure.wide { max-width: 100%; overflow-x: auto; }
figure.wide img { min-width: 640px; }
img { width: 100%; height: auto; display: block; } figcaption { color: #555; font-size: 0.9em; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.92em; }
td, th { text-align: left; padding: 2px 14px 2px 0; vertical-align: top; } tr + tr td { border-top: 1px solid #eee; }
td.n { text-align: right; font-variant-numeric: tabular-nums; } th { color: #555; font-weight: 600; vertical-align: bottom; }
.facts td { overflow-wrap: anywhere; } .facts td:first-child { white-space: nowrap; } .scroll + .scroll { margin-top: 0.8em; }
pre { overflow-x: auto; background: #f6f6f6; padding: 10px; font-size: 0.8em; } summary { cursor: pointer; margin: 1em 0 0.3em; }
"""


def _image(figure: Any, caption: str = "", kind: str = "", vector: bool = False) -> str:
    data = io.BytesIO()
    form, mime = ("svg", "svg+xml") if vector else ("png", "png")
    figure.savefig(data, format=form, dpi=150, metadata={"Date": None} if vector else {"Software": None})
    text = base64.b64encode(data.getvalue()).decode()
    said = escape(caption)
    return '<figure class="%s"><img alt="%s" src="data:image/%s;base64,%s">%s</figure>' % (
        kind, said, mime, text, "<figcaption>%s</figcaption>" % said if caption else "")


def _row(figures: Iterable[str], kind: str = "row") -> str:
    return '<div class="%s">%s</div>' % (kind, "\n".join(figures))


def _number(text: str) -> str:
    try:
        return "%.6g" % float(text)
    except ValueError:
        return text


def _table(rows: Sequence[Sequence[str]], head: Optional[Sequence[str]] = None, kind: str = "") -> str:
    def cell(text: str, column: int) -> str:
        number = head is not None and column > 0
        return '<td%s>%s</td>' % (' class="n"' if number else "", escape(_number(text) if number else text))

    top = "<tr>%s</tr>" % "".join("<th>%s</th>" % escape(name) for name in head) if head else ""
    body = "".join("<tr>%s</tr>" % "".join(cell(text, k) for k, text in enumerate(row)) for row in rows)
    return '<div class="scroll"><table class="%s">%s%s</table></div>' % (kind, top, body)


def _of_tissue(line: str) -> bool:
    """Whether a line of the log reports what the tissue did."""
    return line.startswith(("activated: ", "no stimulus: ", "ECG: ", "largest V: ", "stimulus ", "stimuli: ", "warning: stimulus ")) or "were not activated" in line


def _facts(result: Result, log: Sequence[str]) -> str:
    low, high = result.points.min(0), result.points.max(0)
    rows = [("mesh", "%d nodes, %d %s, %s mm" % (result.nodes, len(result.cells), KINDS[result.cells.shape[1]],
                                                 " x ".join("%.4g" % x for x in high - low if x > 0))),
            ("time", "%d frames, %g to %g ms" % (len(result.times), result.times[0], result.times[-1]) if len(result.times) else "no frame"),
            ("program", "%s on %s" % (result.info.get("program", "?"), result.info.get("device", "?")))]
    for line in log:
        word, colon, rest = line.partition(": ")
        if (word in ("warning", "failed") and not _of_tissue(line)) or line.startswith("region "):
            rows.append((word, rest))
        elif rest == "stopped":
            rows.append(("ended", word))
    return _table(rows, kind="facts")


def _quartiles(found: Dict[str, Any], unit: str = "") -> str:
    """`0.6 m/s (0.55 to 0.64)`"""
    if found.get("median") is None:
        return ""
    return "%.3g%s (%.3g to %.3g)" % (found["median"], unit and " " + unit, found["low"], found["high"])


def _filled(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """A table of the columns in which something stands."""
    shown = [c for c in range(len(head)) if any(row[c] for row in rows)]
    return _table([[row[c] for c in shown] for row in rows], [head[c] for c in shown])


def _stimuli(summary: Dict[str, Any]) -> Iterable[str]:
    rows = []
    for stimulus in summary.get("stimuli", ()):
        pulses = stimulus["pulses"]
        lost = ["%s at %g ms" % (pulse["end"], pulse["start"]) for pulse in pulses if pulse["end"] != "captured"]
        late = [pulse["latency"] for pulse in pulses if pulse["latency"] is not None]
        rows.append([stimulus["name"], "%g" % pulses[0]["start"] if pulses else "", "%d of %d" % (stimulus["captured"], len(pulses)),
                     "%.3g" % late[0] if late else "", ", ".join(lost[:4]) + (" ..." if len(lost) > 4 else "")])
    if rows:
        yield _filled(rows, ["stimulus", "start, ms", "pulses captured", "after, ms", "what failed"])


def _regions(summary: Dict[str, Any]) -> Iterable[str]:
    rows = []
    for k, region in enumerate(summary.get("regions", ())):
        velocity, nodes = region["velocity"], max(region["nodes"], 1)
        asked = [velocity[way]["asked"] for way in ("along", "across") if velocity[way]["asked"] is not None]
        apd = region["apd90"]
        rows.append(["%d %s" % (k, region["model"]), "%d" % region["nodes"],
                     "%.4g %%" % (100 * region["activated"][0] / nodes) if region["excitable"] else "passive",
                     _quartiles(velocity["along"]), _quartiles(velocity["across"]), ", ".join("%g" % x for x in asked),
                     "; ".join(_quartiles(beat) for beat in apd[:3]) + ("; ..." if len(apd) > 3 else "")])
    if rows:
        yield _filled(rows, ["region", "nodes", "activated", "velocity along, m/s", "velocity across, m/s", "asked for, m/s", "APD90 of each beat, ms"])


def _tissue(result: Result, log: Sequence[str]) -> Iterable[str]:
    """What the tissue did, from what the run reported of it."""
    if result.summary:
        lines = [line.partition(": ") for line in log if _of_tissue(line)]
        yield "<h2>What the tissue did</h2>"
        yield _table([(word, rest) for word, colon, rest in lines], kind="facts")
        yield from _stimuli(result.summary)
        yield from _regions(result.summary)


def _ecg(result: Result, log: Sequence[str]) -> Iterable[str]:
    if not result.has("ecg"):
        return
    found = result.summary.get("ecg") or {}
    parts = ["%s %.0f %s" % (name, found[key], unit) for name, key, unit in
             (("QRS", "qrs", "ms"), ("QT", "qt", "ms"), ("axis", "axis", "degrees")) if found.get(key) is not None]
    measured = ", ".join(parts) + ". " if parts else ""
    fields, torso = (re.search("^  %s:" % key, result.config, re.M) for key in ("lead_fields", "conductor"))
    kind = "From lead fields." if fields else "In the config's conductor." if torso else "An ECG in an unbounded conductor, without a torso."
    relative = " Amplitudes are relative." if any("amplitudes are relative" in line for line in log) else ""
    yield "<h2>ECG</h2>"
    yield _image(plot.ecg(result), measured + kind + relative, "wide", vector=True)


def _maps(result: Result) -> Iterable[str]:
    first = [name for name in ("activation_time", "repolarization_time") if name in result.maps]
    apd = sorted((name for name in result.maps if name.startswith("apd")), reverse=True)
    names = [*first, *apd, *(name for name in result.maps if name not in (*first, *apd, "beats"))]
    figures = []
    for name in names:
        values = result.maps[name].reshape(result.nodes, -1)
        shown = [b for b in range(1, values.shape[1] + 1) if np.isfinite(values[:, b - 1]).any()]
        figures += [_image(plot.map(result, name, beat=b), "beat %d" % b if values.shape[1] > 1 else "") for b in shown[:3]]
    if figures:
        yield "<h2>Maps</h2>"
        yield _row(figures)


def _frames(result: Result) -> Iterable[str]:
    if "V" not in result.fields or not len(result.times):
        return
    limits = plot.spread(result)
    yield "<h2>V</h2>"
    yield _row((_image(plot.frame(result, t, limits=limits, width=2.8), "%g ms" % t) for t in plot.some_times(result)), "grid")


def _beats(result: Result) -> Iterable[str]:
    if result.has("beats"):
        with open(result.path.with_name("beats.csv"), newline="") as file:
            rows = list(csv.reader(file))
        if len(rows) > 1:
            yield "<h2>Beats at the probes</h2>"
            yield _table(rows[1:], [name.replace("_", " ") for name in rows[0]])


def page(result: Result) -> str:
    log = result.log.splitlines()
    parts = ["<h1>%s</h1>" % escape(title(result)), *_tissue(result, log), "<h2>The run</h2>", _facts(result, log), *_maps(result), *_frames(result)]
    if result.has("probes"):
        shown = [name for name in result.fields if name == "V" or any(n.endswith("." + name) for n in result.table("probes")[1])]
        parts += ["<h2>Probes</h2>", _row(_image(plot.probes(result, name), vector=True) for name in sorted(shown, key=lambda n: n != "V"))]
    parts += _beats(result)
    parts += _ecg(result, log)
    if result.numbers:
        parts += ["<h2>Where the time went</h2>", _row([_image(plot.speed(result), vector=True)])]
    for name, text in ("What the run logged", result.log), ("The config, with all defaults", result.config):
        if text:
            parts.append("<details><summary>%s</summary><pre>%s</pre></details>" % (name, escape(text)))
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
            "<title>%s</title><style>%s</style></head>\n<body>\n%s\n</body></html>\n" % (escape(title(result)), STYLE, "\n".join(parts)))


def report(result: Union[Result, str, Path], path: Union[str, Path, None] = None) -> Path:
    """Writes report.html beside the result, or where `path` says."""
    found = result if isinstance(result, Result) else read(result)
    to = Path(path) if path else found.path.with_name("report.html")
    to.write_text(page(found), encoding="utf-8")
    return to
