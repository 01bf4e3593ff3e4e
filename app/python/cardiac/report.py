"""One page that shows a result: HTML that needs no other file."""

from __future__ import annotations

import base64
import csv
import io
import re
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
from matplotlib import colormaps, rc_context
from PIL import Image  # of matplotlib

from . import plot, target
from .own_file import writing
from .program import InputError
from .result import KINDS, Array, Result, read, title
from .scene import scene
from .studies.table import PAGE
from .text import escape, time_text

__all__ = ["report"]

STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; color: #222; margin: 0 auto; max-width: 1360px; padding: 16px; }
h1 { font-size: 1.6em; margin: 0.2em 0; } h2 { font-size: 1.15em; margin: 1.6em 0 0.4em; border-bottom: 1px solid #ccc; }
.row { display: flex; max-width: 100%; flex-wrap: wrap; gap: 12px 20px; align-items: flex-start; }
figure { margin: 0; flex: 1 1 380px; max-width: 560px; min-width: 0; } .row.maps { align-items: flex-end; }
.beside { display: grid; gap: 12px 20px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); align-items: center; }
.grid { display: grid; gap: 12px; grid-template-columns: repeat(auto-fill, minmax(max(140px, 30%), 1fr)); }
.bar { display: flex; max-width: 640px; gap: 8px; align-items: center; margin: 4px 0; font-size: 0.9em; color: #555; } .bar i { flex: 1; height: 10px; }
figure.wide { max-width: min(100%, 960px); overflow-x: auto; }
figure.wide img { min-width: 640px; }
img { width: 100%; height: auto; display: block; } figcaption { color: #555; font-size: 0.9em; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.92em; }
td, th { text-align: left; padding: 2px 14px 2px 0; vertical-align: top; } tr + tr td { border-top: 1px solid #eee; }
td.n, th.n { text-align: right; } td.n { font-variant-numeric: tabular-nums; white-space: nowrap; } th { color: #555; font-weight: 600; vertical-align: bottom; }
.facts td { overflow-wrap: anywhere; } .facts td:first-child { overflow-wrap: normal; }
@media (min-width: 600px) { .facts td:first-child { white-space: nowrap; } }
.keys td:first-child { overflow-wrap: anywhere; min-width: 6em; } .scroll + .scroll { margin-top: 0.8em; }
.verdict { border-left: 6px solid #2e7d32; background: #f3f8f3; padding: 8px 14px; margin: 0.8em 0; overflow-wrap: anywhere; }
.verdict p { margin: 0.2em 0; font-size: 1.08em; } .verdict ul { margin: 0.4em 0; padding-left: 1.2em; font-size: 0.92em; }
.verdict summary { margin: 0; }
.verdict.look { border-color: #e69500; background: #fdf8ee; } .verdict.bad { border-color: #b00020; background: #fdf1f2; }
#scene { max-width: 640px; } #scene canvas { width: 100%; aspect-ratio: 4 / 3; touch-action: none; cursor: grab; display: block; }
#scene div { display: flex; gap: 10px; align-items: center; } #scene input { flex: 1; min-width: 0; } #scene span { min-width: 5em; text-align: right; }
pre { overflow-x: auto; background: #f6f6f6; padding: 10px; font-size: 0.8em; } summary { cursor: pointer; margin: 1em 0 0.3em; }
"""


def _in_palette(png: bytes) -> bytes:
    """The picture in 256 colours, chosen so that none is far from its own: less than half of the bytes."""
    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256, method=1, dither=0).save(
        out, "png", optimize=True
    )
    return out.getvalue()


def image(
    figure: Any, caption: str = "", kind: str = "", vector: bool = False, seen: str = ""
) -> str:
    """A figure as HTML; `seen`: the text for readers who do not see it, if the caption is not enough."""
    data = io.BytesIO()
    form, mime = ("svg", "svg+xml") if vector else ("png", "png")
    with rc_context({"svg.hashsalt": "cardiac"}):  # the same names within it each time
        figure.savefig(
            data,
            format=form,
            dpi=plot.DPI,
            metadata={"Date": None} if vector else {"Software": None},
        )
    text = base64.b64encode(data.getvalue() if vector else _in_palette(data.getvalue())).decode()
    said = escape(caption)
    return '<figure class="%s"><img alt="%s" src="data:image/%s;base64,%s">%s</figure>' % (
        kind,
        escape(seen) or said,
        mime,
        text,
        "<figcaption>%s</figcaption>" % said if caption else "",
    )


def beside(figures: Iterable[str], kind: str = "row") -> str:
    """Figures in a row."""
    return '<div class="%s">%s</div>' % (kind, "\n".join(figures))


def _number(text: str) -> str:
    try:
        return "%.6g" % float(text)
    except ValueError:
        return text


def table(
    rows: Sequence[Sequence[str]], head: Optional[Sequence[str]] = None, kind: str = ""
) -> str:
    """Cells as HTML; with `head` those after the first are numbers, to six digits; of kind "keys" the first are keys, which break after dots."""

    def cell(text: str, column: int) -> str:
        number = head is not None and column > 0
        shown = escape(_number(text) if number else text)
        if kind == "keys" and not column:
            shown = shown.replace(".", ".<wbr>")
        return "<td%s>%s</td>" % (' class="n"' * number, shown)

    names = enumerate(head or ())
    heads = ["<th%s>%s</th>" % (' class="n"' * (k > 0), escape(name)) for k, name in names]
    top = "<tr>%s</tr>" % "".join(heads) if heads else ""
    body = "".join(
        "<tr>%s</tr>" % "".join(cell(text, k) for k, text in enumerate(row)) for row in rows
    )
    return '<div class="scroll"><table class="%s">%s%s</table></div>' % (kind, top, body)


# Facts with a sentence: first what went otherwise than a healthy beat, of which the page begins with the first
UNHEALTHY = ("reentry", "eads", "not_repolarised", "blocked", "stimulus")
TOLD = (
    *UNHEALTHY,
    "stimuli",
    "activation",
    "not_activated",
    "unknown_cause",
    "not_recorded",
    "largest_v",
)


def _told(result: Result, names: Sequence[str]) -> List[Dict[str, Any]]:
    """The facts of these names that have a sentence, in the order of the run."""
    return [
        fact
        for fact in result.summary.get("facts", ())
        if fact["name"] in names and "sentence" in fact
    ]


def _share(part: int, whole: int, what: str) -> str:
    return (
        "all %d %s" % (whole, what)
        if part == whole and whole > 1
        else "%d of %d %s" % (part, whole, what)
    )


def _outcome(result: Result) -> List[str]:
    """The first thing that went otherwise than a healthy beat."""
    found = [
        fact["sentence"]
        for name in UNHEALTHY
        for fact in _told(result, (name,))
        if fact["severity"] == "warning" or name == "reentry"
    ]
    return found[:1]


def _verdict(result: Result) -> str:
    """The verdict: what happened, whether the run did what was requested, and all warnings."""
    found = result.summary
    against = found.get("warnings", []) + [found["message"]] * bool(found.get("message"))
    kind, said = "look" if against else "", []
    ended = found.get("status")
    if ended == 4 or (ended or 0) > 128:  # time was up, or a signal came
        kind, said = "bad", [
            "the run was interrupted at %s ms; --resume continues it" % time_text(found["time"])
        ]
    elif ended:
        kind, said = "bad", ["the run failed"]
    elif ended is None:
        kind, said = "bad", ["the run has not ended, or was ended"]
    if found:
        said += _outcome(result)
        pulses = [stimulus for stimulus in found.get("stimuli", ()) if stimulus["pulses"]]
        given = sum(len(stimulus["pulses"]) for stimulus in pulses)
        captured = sum(stimulus["captured"] for stimulus in pulses)
        said += (
            [_share(captured, given, "stimuli captured" if given > 1 else "stimulus captured")]
            if given
            else []
        )
        if found["excitable"]:
            said.append(
                "%.4g %% of the tissue was activated"
                % (100 * found["activated"] / found["excitable"])
            )
        ecg = found.get("ecg") or {}
        intervals = (("QRS", "qrs"), ("QT", "qt"))[bool(ecg.get("doubted")) :]
        said += [
            "%s %.0f ms" % (name, ecg[key]) for name, key in intervals if ecg.get(key) is not None
        ]
        if captured < given or found["activated"] < found["excitable"]:
            kind = kind or "look"
    words = "; ".join(said)
    words = words[:1].upper() + words[1:] + ("." if against or ended else ". No warnings.")
    rows = "".join("<li>%s</li>" % escape(text) for text in against)
    more = (
        "<details%s><summary>%d warning%s</summary><ul>%s</ul></details>"
        % (" open" * (len(against) < 4), len(against), "s" * (len(against) > 1), rows)
        if against
        else ""
    )
    return '<div class="verdict %s"><p>%s</p>%s</div>' % (kind, escape(words), more)


def _facts(result: Result) -> str:
    low, high = result.points.min(0), result.points.max(0)
    rows = [
        (
            "mesh",
            "%d nodes, %d %s, %s mm"
            % (
                result.nodes,
                len(result.cells),
                KINDS[result.cells.shape[1]],
                " x ".join("%.4g" % x for x in high - low if x > 0),
            ),
        ),
        (
            "time",
            (
                "%d frames, %g to %g ms" % (len(result.times), result.times[0], result.times[-1])
                if len(result.times)
                else "no frame"
            ),
        ),
        ("program", "%s on %s" % (result.info.get("program", "?"), result.info.get("device", "?"))),
    ]
    for k, region in enumerate(result.summary.get("regions", ())):
        rows.append(("region %d" % k, "%s, %d nodes" % (region["model"], region["nodes"])))
    if result.summary.get("ended"):
        rows.append(("ended", result.summary["ended"]))
    return table(rows, kind="facts")


def _quartiles(found: Dict[str, Any], unit: str = "") -> str:
    """`0.6 m/s (0.55 to 0.64)`"""
    if found.get("median") is None:
        return ""
    return "%.3g%s (%.3g to %.3g)" % (
        found["median"],
        unit and " " + unit,
        found["low"],
        found["high"],
    )


def _filled(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """A table of the columns that are not empty."""
    shown = [c for c in range(len(head)) if any(row[c] for row in rows)]
    return table([[row[c] for c in shown] for row in rows], [head[c] for c in shown])


def _share_of(part: int, whole: int) -> str:
    return "%.4g %%" % (100 * part / whole) if whole else "passive"


def _physiology(summary: Dict[str, Any]) -> str:
    """Intervals of the ECG and activation, then what each region did."""
    found, regions = summary.get("ecg") or {}, summary.get("regions", ())
    times = [
        summary.get("first_activation"),
        summary.get("last_activation"),
        found.get("qrs"),
        found.get("qt"),
        found.get("axis"),
    ]
    first, last, qrs, qt, axis = ("" if ms is None else time_text(ms) for ms in times)
    qrs += " (not a QRS)" * bool(found.get("doubted"))
    rows = [
        [
            "all",
            "%d" % summary["nodes"],
            _share_of(summary["activated"], summary["excitable"]),
            first,
            last,
            qrs,
            qt,
            axis,
            "",
            "",
            "",
            "",
        ]
    ]
    for k, region in enumerate(regions):
        velocity, apd = region["velocity"], region["apd90"]
        asked = [
            velocity[way]["asked"]
            for way in ("along", "across")
            if velocity[way]["asked"] is not None
        ]
        activated = (
            _share_of(region["activated"][0], region["nodes"]) if region["excitable"] else "passive"
        )
        rows.append(
            [
                "%d %s" % (k, region["model"]),
                "%d" % region["nodes"],
                activated,
                "",
                "",
                "",
                "",
                "",
                "; ".join(_quartiles(beat) for beat in apd[:3]) + ("; ..." if len(apd) > 3 else ""),
                _quartiles(velocity["along"]),
                _quartiles(velocity["across"]),
                ", ".join("%g" % x for x in asked),
            ]
        )
    along = " along" * any(region["velocity"]["across"]["median"] is not None for region in regions)
    return _filled(
        rows,
        [
            "region",
            "nodes",
            "activated",
            "first at, ms",
            "last at, ms",
            "QRS, ms",
            "QT, ms",
            "axis, degrees",
            "APD90 of each beat, ms",
            "velocity%s, m/s" % along,
            "velocity across, m/s",
            "asked for, m/s",
        ],
    )


def _tissue(result: Result) -> Iterable[str]:
    """What the tissue did, from the run's own report."""
    if result.summary:
        lines = [fact["sentence"].partition(": ") for fact in _told(result, TOLD)]
        yield "<h2>What the tissue did</h2>"
        yield _physiology(result.summary)
        yield table([(word, rest) for word, colon, rest in lines], kind="facts")


def ecg(result: Result) -> Iterable[str]:
    """The part of the page with the leads."""
    if not result.has("ecg"):
        return
    found = result.summary.get("ecg") or {}
    parts = [
        "%s %.0f %s" % (name, found[key], unit)
        for name, key, unit in (
            ("not a QRS:" if found.get("doubted") else "QRS", "qrs", "ms"),
            ("QT", "qt", "ms"),
            ("axis", "axis", "degrees"),
        )
        if found.get(key) is not None
    ]
    measured = ", ".join(parts) + ". " if parts else ""
    fields, torso = (
        re.search("^  %s:" % key, result.config, re.M) for key in ("lead_fields", "conductor")
    )
    kind = (
        "From lead fields."
        if fields
        else (
            "In the config's conductor."
            if torso
            else "An ECG in an unbounded conductor, without a torso."
        )
    )
    relative = " Amplitudes are relative." if found.get("relative") else ""
    yield "<h2>ECG</h2>"
    try:
        both = target.leads_of(result)
    except InputError as error:
        both, relative = None, "%s Nothing is compared: %s." % (relative, error)
    drawn = None
    if both:  # as measured, on the clock and with the amplitude of the run
        later, gain = target.solved_of(result, both[0])
        drawn = both[0]._replace(
            times=both[0].times - (later or 0), values=both[0].values / (gain or 1)
        )
        words = [] if later is None else ["%.6g ms earlier" % later]
        words += ["divided by %.4g" % gain] * (gain != 1)
        relative += " Measured leads are drawn %s." % " and ".join(words) if words else ""
    yield image(plot.ecg(result, drawn), measured + kind + relative, "wide", vector=True)
    if both:
        yield misfits(both)


def misfits(both: Tuple[target.Leads, target.Leads]) -> str:
    """Of leads that were measured"""
    whole = "%.3g mV" % target.ecg_rms(*both), "%.4f" % target.ecg_r(*both), ""
    rows = [["all leads", *whole]]
    for name, of in target.lead_misfits(*both).items():
        rows.append([name, "%.3g mV" % of["rms"], "%.4f" % of["r"], "%+.3g ms" % of["lag"]])
    return table(
        rows, ["against %d samples" % len(both[0].times), "rms", "correlation", "measured later by"]
    )


def times_misfit(result: Result) -> Iterable[str]:
    """Measured activation times against computed ones, as parts of the page."""
    try:
        found, times = target.misfits(result, leads=False).get("lat_rms"), target.activation_of(
            result
        )
        said = found is not None and "Against the measured activation times: rms %.3g ms." % found
        if said and times and times[2]:
            said += " They were measured %.6g ms later." % times[2]
    except InputError as error:
        said = "No activation times are compared: %s." % error
    if said:
        yield "<p>%s</p>" % escape(said)


def _evoked(result: Result, times: Array) -> Optional[Tuple[str, float]]:
    """The captured pulse before these activations, and when it began."""
    pulses = [
        (pulse["start"], stimulus["name"])
        for stimulus in result.summary.get("stimuli", ())
        for pulse in stimulus["pulses"]
        if pulse["end"] == "captured" and pulse["start"] <= np.nanmin(times)
    ]
    return (max(pulses)[1], max(pulses)[0]) if pulses else None


def _since(result: Result, name: str, b: int) -> Tuple[Array, str]:
    """A map's beat and its name; times of later beats count from the pulse that evoked them, if each of the beats has one of its
    own."""
    values, caption = result.maps[name].reshape(result.nodes, -1)[:, b - 1], "beat %d" % b
    if (
        b == 1
        or name not in ("activation_time", "repolarization_time")
        or "activation_time" not in result.maps
    ):
        return values, caption
    beats = result.activation.reshape(result.nodes, -1)
    evoked = [
        _evoked(result, beats[:, k]) for k in (b - 2, b - 1) if np.isfinite(beats[:, k]).any()
    ]
    if len(evoked) == 2 and evoked[0] != evoked[1] and evoked[1]:
        values, caption = values - evoked[1][1], "beat %d, from stimulus %s at %s ms" % (
            b,
            evoked[1][0],
            time_text(evoked[1][1]),
        )
    return values, caption


def _beats_of(result: Result, name: str) -> Iterable[str]:
    """Figures of a map's first beats, with the colours of all of them where they count from their own stimuli or are no times."""
    values = result.maps[name].reshape(result.nodes, -1)
    if values.shape[1] == 1:
        return (
            [image(plot.map(result, name), seen=plot.words(name))]
            if np.isfinite(values).any()
            else []
        )
    shown = [
        _since(result, name, b)
        for b in range(1, values.shape[1] + 1)
        if np.isfinite(values[:, b - 1]).any()
    ][:3]
    alike = name not in ("activation_time", "repolarization_time") or all(
        "from stimulus" in caption for _, caption in shown[1:]
    )
    color = (
        plot.bands(np.concatenate([beat for beat, _ in shown]), name) if shown and alike else None
    )
    return [
        image(
            plot.map(result, name, values=beat, color=color),
            caption,
            seen="%s, %s" % (plot.words(name), caption),
        )
        for beat, caption in shown
    ]


def _maps(result: Result) -> Iterable[str]:
    first = [name for name in ("activation_time", "repolarization_time") if name in result.maps]
    apd = sorted((name for name in result.maps if name.startswith("apd")), reverse=True)
    names = [*first, *apd, *(name for name in result.maps if name not in (*first, *apd, "beats"))]
    figures = [figure for name in names for figure in _beats_of(result, name)]
    if figures:
        yield "<h2>Maps</h2>"
        yield beside(figures, "row maps")
        yield from times_misfit(result)


def _frames(result: Result) -> Iterable[str]:
    if "V" not in result.fields or not len(result.times):
        return
    limits, turning = plot.spread(result), ""
    yield "<h2>V</h2>"
    shades = (255 * colormaps["RdYlBu_r"](np.linspace(0, 1, 256))[:, :3]).round()
    if result.cells.shape[1] > 2:
        faces = plot.surface_of(result)
        ramp = ", ".join("rgb(%d %d %d)" % tuple(shade) for shade in shades[::15])
        yield '<p class="bar">%.4g mV<i style="background: linear-gradient(to right, %s)"></i>%.4g mV</p>' % (
            limits[0],
            ramp,
            limits[1],
        )
        turning = scene(
            result,
            faces,
            plot.node_normals(result.points.astype(float), faces),
            limits,
            shades,
            (-90, 90) if plot.is_flat(result) else plot.VIEWS[0],
        )
    figures = (
        (plot.frame(result, t, limits=limits, width=2.8, bar=False), "%g ms" % t)
        for t in plot.some_times(result)
    )
    stills = beside((image(figure, time, seen="V at " + time) for figure, time in figures), "grid")
    yield '<div class="beside">%s%s</div>' % (turning, stills) if turning else stills


def _beats(result: Result) -> Iterable[str]:
    if result.has("beats"):
        with open(result.path.with_name("beats.csv"), newline="") as file:
            rows = list(csv.reader(file))
        if len(rows) > 1:
            yield "<h2>Beats at the probes</h2>"
            yield table(rows[1:], [name.replace("_", " ") for name in rows[0]])


def document(name: str, parts: Iterable[str]) -> str:
    """A whole page: `name` is its title, `parts` its body."""
    return (
        PAGE + '<meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
        "<title>%s</title><style>%s</style></head>\n<body>\n%s\n</body></html>\n"
        % (escape(name), STYLE, "\n".join(parts))
    )


def page(result: Result) -> str:
    """The page of a result."""
    parts = [
        "<h1>%s</h1>" % escape(title(result)),
        _verdict(result),
        *ecg(result),
        *_tissue(result),
        *_maps(result),
        *_frames(result),
    ]
    if result.has("probes"):
        shown = [
            name
            for name in result.fields
            if name == "V" or any(n.endswith("." + name) for n in result.table("probes")[1])
        ]
        parts += [
            "<h2>Probes</h2>",
            beside(
                image(plot.probes(result, name), vector=True, seen=name + " at the probes in time")
                for name in sorted(shown, key=lambda n: n != "V")
            ),
        ]
    parts += [*_beats(result), "<h2>The run</h2>", _facts(result)]
    for name, text in ("What the run logged", result.log), (
        "The config, with all defaults",
        result.config,
    ):
        if text:
            parts.append(
                "<details><summary>%s</summary><pre>%s</pre></details>" % (name, escape(text))
            )
    if result.numbers:
        parts += [
            "<h2>Where the time went</h2>",
            beside([image(plot.speed(result), vector=True, seen="Seconds of each part")]),
        ]
    return document(title(result), parts)


def report(result: Union[Result, str, Path], path: Union[str, Path, None] = None) -> Path:
    """Write the page of a result, as `cardiac report` does.

    Parameters
    ----------
    result : Result, str or path
    path : str or path, optional
        By default report.html next to the result.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    InputError
        Where something else than such a page stands there.

    Examples
    --------
    >>> from cardiac.report import report
    >>> report("out/heart", "page.html").stat().st_size > 100000
    True
    """
    found = result if isinstance(result, Result) else read(result)
    to = Path(path) if path else found.path.with_name("report.html")
    with writing(str(to), PAGE.encode()) as out:  # refused before the pictures are drawn
        out.write(page(found).encode("utf-8", "surrogateescape"))
    return to
