#!/usr/bin/env python3
"""plot_accuracy.py [--check]: accuracy.csv and timing.csv -> tables in accuracy.md and steps.md, accuracy.svg.

The two files are what tests/accuracy.py measured. Everything between the markers of the pages, and the figure, is
written anew from them and from nothing else; --check only tells whether the pages are what the files say (status 1 if
not). Needs the standard library only.
"""
import csv
import functools
import math
import sys

from pages import LAB, replaced

TISSUE_MS = 50  # of which a run's price is quoted
NAMES = {1: "lumped", 0.75: "3/4", 0.5: "1/2", 0: "consistent"}
COLOURS = {1: "#c03028", 0.75: "#b08820", 0.5: "#2060a8", 0: "#308048"}


def load(name):
    path = LAB / name
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(file)]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head)] + rows)


def three(value):
    """Three digits, or all of a larger number"""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def fixed(value, digits):
    return "–" if value is None else f"{value:.{digits}f}"


# --- the limit of short steps, and of small elements ---------------------------------------------------------------

class Series:
    """P8 by edge, f, scheme and step; its limits"""

    def __init__(self, rows):
        self.rows = [r for r in rows if r["section"] in ("series", "scheme", "finest") and isinstance(r["P8_ms"], float)]
        self.edges = sorted({r["dx_mm"] for r in self.rows}, reverse=True)
        self.blends = sorted({r["f"] for r in self.rows}, reverse=True)
        self.groups = {}  # (edge, f, scheme) -> step -> run
        for r in self.rows:
            self.groups.setdefault((r["dx_mm"], r["f"], scheme_of(r)), {}).setdefault(r["dt_ms"], r)

    def runs(self, dx, f, scheme):
        """Runs of that scheme, the shortest step first; of several at one step the one stated first"""
        found = self.groups.get((dx, f, scheme), {})
        return [found[dt] for dt in sorted(found)]

    def value(self, dx, f, dt):
        """P8 of the default scheme, or None"""
        return next((r["P8_ms"] for r in self.runs(dx, f, GODUNOV) if r["dt_ms"] == dt), None)

    def slope(self, dx, f, scheme):
        """How P8 grows with a short step; on the finest mesh, with one step only, as on the next coarser one"""
        runs = self.runs(dx, f, scheme)
        if len(runs) > 1:
            return (runs[1]["P8_ms"] - runs[0]["P8_ms"]) / (runs[1]["dt_ms"] - runs[0]["dt_ms"])
        coarser = [e for e in self.edges if e > dx and len(self.runs(e, f, scheme)) > 1]
        return self.slope(min(coarser), f, scheme) if runs and coarser else None

    @functools.cache
    def short_steps(self, dx, f):
        """(P8 for dt -> 0, the correction), from the scheme that needs the smallest correction; or None"""
        found = []
        for scheme in {scheme_of(r) for r in self.rows}:
            slope = self.slope(dx, f, scheme)
            if slope is not None:
                first = self.runs(dx, f, scheme)[0]
                found.append((first["P8_ms"] - slope * first["dt_ms"], slope * first["dt_ms"]))
        return min(found, key=lambda pair: abs(pair[1])) if found else None

    def limits(self, f):
        """[(edge, P8 for dt -> 0)], coarse first"""
        found = [(dx, self.short_steps(dx, f)) for dx in self.edges]
        return [(dx, pair[0]) for dx, pair in found if pair]

    def converged(self):
        """The reference: order 2 from the two finest lumped meshes"""
        return richardson(self.limits(1)[-2:])


def scheme_of(row):
    return (row["splitting"], row["theta"], row["ionic_step_ms"])


GODUNOV, STRANG = ("godunov", 1.0, ""), ("strang", 0.5, "")


def richardson(pairs, order=2):
    """The limit h -> 0 of two values (h, value), coarse first"""
    (h1, v1), (h2, v2) = pairs
    return v2 - (v1 - v2) / ((h1 / h2) ** order - 1)


def observed_order(pairs):
    """From three values on meshes halved twice; None where they do not tend one way, ever slower"""
    (h1, v1), (h2, v2), (h3, v3) = pairs
    if abs(h1 / h2 - h2 / h3) > 1e-9 or (v1 - v2) * (v2 - v3) <= 0 or abs(v1 - v2) <= abs(v2 - v3):
        return None
    return math.log((v1 - v2) / (v2 - v3)) / math.log(h1 / h2)


# --- tables --------------------------------------------------------------------------------------------------------

def runs_table(series):
    """P8 as the runs gave it, in the default scheme"""
    rows = []
    blends = [f for f in series.blends if any(series.runs(dx, f, GODUNOV) for dx in series.edges)]
    steps = sorted({(-r["dx_mm"], -r["dt_ms"]) for r in series.rows if scheme_of(r) == GODUNOV})
    for dx, dt in ((-a, -b) for a, b in steps):
        rows.append([f"{dx:g} mm", f"{dt:g} ms"] + [fixed(series.value(dx, f, dt), 2) for f in blends])
    return table(["h", "dt"] + [NAMES[f] for f in blends], rows)


def limits_table(series):
    """P8 for dt -> 0, then extrapolated"""
    rows = []
    for dx in series.edges:
        pairs = [series.short_steps(dx, f) for f in series.blends]
        rows.append([f"{dx:g} mm"] + [f"{p[0]:.2f} ({-p[1]:+.2f})" if p else "–" for p in pairs])
    tails = [series.limits(f) for f in series.blends]
    rows.append(["order seen"] + [fixed(observed_order(t[-3:]) if len(t) > 2 else None, 2) for t in tails])
    rows.append(["h -> 0, order 2"] + [fixed(richardson(t[-2:]), 2) if len(t) > 1 else "–" for t in tails])
    return table(["h"] + [NAMES[f] for f in series.blends], rows)


def joint_sentence(series):
    """The lumped series in which dt falls with h"""
    pairs = [(dx, dt, series.value(dx, 1, dt)) for dx, dt in ((0.2, 0.02), (0.1, 0.01), (0.05, 0.005))]
    if any(value is None for _, _, value in pairs):
        return ""
    values = [(dx, value) for dx, _, value in pairs]
    order = observed_order(values)
    words = ", ".join(f"{value:.2f} ({dx:g} mm, {dt:g} ms)" for dx, dt, value in pairs)
    return (f"With dt falling like h the lumped series is {words} ms; extrapolated with its order, {order:.2f}, it tends to "
            f"**{richardson(values[-2:], order):.2f} ms**, with order 2 to {richardson(values[-2:]):.2f} ms.")


def turning_sentence(series):
    """How the other blends come up again"""
    words = []
    for f in series.blends:
        tail = series.limits(f)
        low = min(tail, key=lambda pair: pair[1])
        after = [f"{value:.2f} at {dx:g} mm" for dx, value in tail if dx < low[0]]
        if after:
            words.append(f"with f = {f:g} P8 falls to {low[1]:.2f} ms at {low[0]:g} mm and rises again: {', '.join(after)}")
    return ("For dt -> 0, " + "; ".join(words) + ".") if words else ""


def fine_sentence(series, dx=0.05, dt=0.001):
    """Where other codes' finest runs stand: between the shortest step and its limit"""
    if not series.runs(dx, 1, GODUNOV):
        return ""
    shortest = series.runs(dx, 1, GODUNOV)[0]
    value = shortest["P8_ms"] - series.slope(dx, 1, GODUNOV) * (shortest["dt_ms"] - dt)
    return (f"At {dx:g} mm and {dt:g} ms, where three codes of the benchmark have 42.53, 42.76 and 43.18 ms, the lumped runs "
            f"here lead to {value:.2f} ms (linear in dt).")


def price(row):
    """Seconds of the loop for TISSUE_MS"""
    return 1e-3 * row["ms_per_step"] * TISSUE_MS / row["dt_ms"]


def tolerances_table(rows):
    """What the tolerance does to P8, beside the default's row"""
    out = []
    for f in (1, 0.5):
        group = [r for r in rows if r["section"] == "tolerance" and r["f"] == f]
        group += [r for r in rows if group and r["section"] == "series" and
                  (r["f"], r["dx_mm"], r["dt_ms"]) == (f, group[0]["dx_mm"], group[0]["dt_ms"])]
        group.sort(key=lambda r: -r["tolerance_mV"])
        for r in group:
            change = r["P8_ms"] - group[-1]["P8_ms"]
            out.append([NAMES[f], f"{r['tolerance_mV']:g} mV", f"{r['P8_ms']:.5f}", f"{1e3 * change:+.2f} us",
                        f"{r['sweeps_per_step']:.1f}", f"{r['ms_per_step']:.3g}"])
    return table(["mass", "tolerance", "P8, ms", "change by it", "sweeps a step", "ms a step"], out)


def parts(series, row):
    """(error of the mesh, error of the step) of a run"""
    limit = series.short_steps(row["dx_mm"], row["f"])[0]
    return limit - series.converged(), row["P8_ms"] - limit


def total(series, row):
    return sum(abs(part) for part in parts(series, row))


def is_plain(row):
    """Of the default method, tolerance and cells"""
    return row["section"] in ("series", "scheme")


# --- the timings ---------------------------------------------------------------------------------------------------

SPLIT = {"ionic_ms": "cells, us", "product_ms": "K V, us", "sweeps_ms": "sweeps, us", "rest_ms": "rest, us"}


def cells_name(row):
    return row["state"] if row["tables"] == "off" else f"{row['state']}, tables"


def rows_name(row):
    return row["precision"] if row["precision"] == "double" else f"{row['precision']}, {row['budget_mV']:g} mV"


def timing_table(rows):
    split = {key: name for key, name in SPLIT.items() if any(r[key] != "" for r in rows)}
    out = []
    for r in sorted(rows, key=lambda r: r["nodes"]):
        out.append([f"{r['dx_mm']:g} mm, {r['nodes']:.0f}", f"{r['tolerance_mV']:g}", r["method"], rows_name(r), cells_name(r),
                    r["update"], f"{r['ms_per_step']:.3g}"] +
                   [three(1e3 * r[key]) if r[key] != "" else "–" for key in split] +
                   [f"{r['sweeps_per_step']:.1f}", f"{1e6 * r['ms_per_step'] / r['nodes']:.2f}"])
    return table(["h, nodes", "tolerance, mV", "method", "rows", "cells", "update", "ms a step", *split.values(), "sweeps a step",
                  "ns a node and step"], out)


def differences(rows):
    """Runs that differ in the tolerance alone: what they have in common, the ms of a sweep, and of what comes once a step"""
    groups = {}
    for r in (r for r in rows if r["budget_mV"] == 1e-5):
        groups.setdefault((r["nodes"], r["dx_mm"], r["method"], r["precision"], cells_name(r), r["update"]), []).append(r)
    for same, group in sorted(groups.items()):
        group.sort(key=lambda r: r["sweeps_per_step"])
        sweeps = group[-1]["sweeps_per_step"] - group[0]["sweeps_per_step"]
        if sweeps >= 2:
            each = (group[-1]["ms_per_step"] - group[0]["ms_per_step"]) / sweeps
            yield same, each, group[0]["ms_per_step"] - each * group[0]["sweeps_per_step"]


# --- the figure ----------------------------------------------------------------------------------------------------

class Axis:
    """A logarithmic axis over a range in pixels, from one round number to another"""

    def __init__(self, values, low, high, rounds=tuple(digit * 10.0 ** k for k in range(-6, 7) for digit in (1, 2, 5))):
        first = max(r for r in rounds if r <= min(values))
        last = min(r for r in rounds if r >= max(values))
        self.ticks = [r for r in rounds if first <= r <= last]
        self.low, self.high = low, high

    def place(self, value):
        return self.low + (self.high - self.low) * math.log(value / self.ticks[0]) / math.log(self.ticks[-1] / self.ticks[0])


def text_at(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{words}</text>'


def grid(x, y, across, up, beside=52):
    """Lines and labels of both axes; the upright label stands `beside` the left one"""
    body = []
    for t in x.ticks:
        body.append(f'<line x1="{x.place(t):.1f}" x2="{x.place(t):.1f}" y1="{y.low}" y2="{y.high}" stroke="#ddd"/>')
        body.append(text_at(x.place(t), y.low + 16, f"{t:g}"))
    for t in y.ticks:
        body.append(f'<line x1="{x.low}" x2="{x.high}" y1="{y.place(t):.1f}" y2="{y.place(t):.1f}" stroke="#ddd"/>')
        body.append(text_at(x.low - 6, y.place(t) + 4, f"{t:g}", "end"))
    body.append(text_at((x.low + x.high) / 2, y.low + 34, across))
    middle = (y.low + y.high) / 2
    body.append(text_at(x.low - beside, middle, up, extra=f' transform="rotate(-90 {x.low - beside} {middle})"'))
    return body


def drawing(title, body):
    return ('<svg xmlns="http://www.w3.org/2000/svg" width="720" height="470" font-family="sans-serif" font-size="11">\n'
            '<rect width="100%" height="100%" fill="white"/>\n'
            f'{text_at(70, 22, title, "start")}\n' + "\n".join(body) + "\n</svg>\n")


def line(series, runs, x, y, dashed):
    points = [(x.place(price(r)), y.place(total(series, r))) for r in runs]
    colour, r = COLOURS[runs[0]["f"]], runs[0]
    style = ' stroke-dasharray="4 3"' if dashed else ""
    way = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    body = [f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"{style}/>']
    body += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{"white" if dashed else colour}" stroke="{colour}"/>' for a, b in points]
    if not dashed:  # beside the line, where those of the other blends do not stand
        (a, b), aside = (min(points), -6) if r["f"] == 0.5 else (max(points), 6)
        body.append(text_at(a + aside, b + {1: -2, 0.5: 4, 0: 11}.get(r["f"], 4), f"{r['dx_mm']:g} mm",
                            "end" if aside < 0 else "start", f' fill="{colour}"'))
    return body


def figure(series):
    runs = [r for r in series.rows if is_plain(r) and scheme_of(r) in (GODUNOV, STRANG)]
    x, y = Axis([price(r) for r in runs], 70, 640), Axis([total(series, r) for r in runs], 420, 40)
    body = grid(x, y, f"machine seconds for {TISSUE_MS} ms of tissue", "|error of the mesh| + |error of the step| at P8, ms")
    blends = [f for f in series.blends if any(r["f"] == f for r in runs)]
    for f in blends:
        for dx in series.edges:
            for scheme in (GODUNOV, STRANG):
                chosen = [r for r in series.runs(dx, f, scheme) if r in runs]
                if chosen:
                    body += line(series, chosen, x, y, scheme == STRANG)
    for k, f in enumerate(blends):
        body.append(text_at(632, 58 + 16 * k, f"f = {NAMES[f]}", "end", f' fill="{COLOURS[f]}"'))
    body.append(text_at(632, 58 + 16 * len(blends), "dashed: Strang, Crank-Nicolson", "end"))
    return drawing(f"Niederer slab, tolerance 1e-4 mV, dt falling to the right ({runs[0]['device']})", body)


# --- pages ---------------------------------------------------------------------------------------------------------

def device(rows):
    return ", ".join(sorted({f"{r['device']} ({r['program']})" for r in rows}))


def accuracies(rows):
    series = Series(rows)
    reference = series.converged()
    others = [f"{richardson(series.limits(f)[-2:]):.2f} (f = {f:g})" for f in series.blends if f < 1]
    text = [f"Measured on: {device(rows)}.", "", "P8 in ms as the runs gave it:", "", runs_table(series), "", joint_sentence(series), "",
            fine_sentence(series), "",
            "P8 for dt -> 0, in brackets what the extrapolation from the two shortest steps added; on each mesh by the scheme that "
            "needs least of it, where only one step was run with the slope of the next coarser mesh:", "",
            limits_table(series), "", turning_sentence(series), "",
            f"The errors below are against **{reference:.2f} ms**, order 2 from the two finest lumped meshes; the others give "
            f"{', '.join(others)}.", "",
            "Tolerances, at 0.1 mm and 0.02 ms:", "", tolerances_table(rows)]
    return "\n".join(text)


def limit_of_steps(of):
    """P8 for dt -> 0 by the two shortest of three steps, if they fall like those of order 2 (their changes then are as 3.6 to 1)"""
    (_, first), (middle, second), (short, third) = sorted(of.items(), reverse=True)
    seen = (first - second) / (second - third) if second != third else 0
    return third + (third - second) * short ** 2 / (middle ** 2 - short ** 2) if 2.6 < seen < 4.6 else None


def same_error_table(rows):
    """What 1 % of P8 takes on one mesh: the step by the power law through the two steps next to it"""
    said, wanted = [], 0.01
    for name, f, scheme in (("Godunov, theta = 1", 1, ("godunov", 1, "jacobi")), ("staggered, theta = 1/2, jacobi", 1, ("staggered", 0.5, "jacobi")),
                            ("staggered, `rkl2`", 1, ("staggered", 1, "rkl2"))):
        group = [r for r in rows if (r["dx_mm"], r["f"]) == (0.2, f)]
        at = {of: {r["dt_ms"]: r for r in group if (r["splitting"], r["theta"], r["method"]) == of} for of in (scheme, ("staggered", 0.5, "jacobi"))}
        limit = limit_of_steps({dt: r["P8_ms"] for dt, r in at["staggered", 0.5, "jacobi"].items()})
        late = {dt: r["P8_ms"] / limit - 1 for dt, r in at[scheme].items()}
        short, long = min(zip(sorted(late), sorted(late)[1:]), key=lambda pair: max(late[pair[0]] - wanted, wanted - late[pair[1]]))
        power = math.log(late[long] / late[short]) / math.log(long / short)
        dt = short * (wanted / late[short]) ** (1 / power)
        share = min(max((dt - short) / (long - short), 0), 1)
        sweeps = (1 - share) * at[scheme][short]["sweeps_per_step"] + share * at[scheme][long]["sweeps_per_step"]
        steps = limit / dt
        said.append([name, f"{dt:.3f}", f"{steps:.0f}", f"{(sweeps + 1 + (scheme[2] == 'rkl2')) * steps:.0f}"])
    return table(["", "step, ms", "steps to P8", "products with the matrix"], said)


def steps_table(rows):
    said, lengths = [], sorted({r["dt_ms"] for r in rows}, reverse=True)
    for dx, f in ((0.2, 1), (0.1, 1)):
        group, schemes = [r for r in rows if (r["dx_mm"], r["f"]) == (dx, f)], {}
        for r in group:
            schemes.setdefault((r["splitting"], r["theta"], r["method"]), {})[r["dt_ms"]] = (r["P8_ms"], r["sweeps_per_step"])
        schemes = {name: at for name, at in schemes.items() if len(at) == len(lengths)}
        limit = limit_of_steps({dt: at[0] for dt, at in schemes["staggered", 0.5, "jacobi"].items()})
        for (splitting, theta, method), at in schemes.items():
            late = ", ".join(f"{100 * (at[dt][0] / limit - 1):+.2f}" for dt in lengths) if limit else "–"
            name = splitting + (", rkl2" if method == "rkl2" else ", 1/2" if theta < 1 else "")
            said.append([f"{dx:g} mm", name, ", ".join(f"{at[dt][0]:.2f}" for dt in lengths), late,
                         ", ".join(f"{at[dt][1]:.1f}" for dt in lengths)])
    return table(["h", "scheme", f"P8 at {', '.join(f'{dt:g}' for dt in lengths)} ms", "late by, %", "sweeps a step"], said)


def timings(rows):
    shown = [r for r in rows if r["budget_mV"] == 1e-5 and r["method"] != "explicit" and (r["tolerance_mV"] == 1e-4 or r["method"] == "rkl2")
             and (r["tables"] == "on" or r["precision"] == "double")]
    text = [f"Measured on: {device(rows)}; medians of up to {max(r['repeats'] for r in rows):.0f} runs. All rows: [timing.csv](timing.csv).", "", timing_table(shown)]
    return "\n".join(text)


def main():
    accuracy, timing = load("accuracy.csv"), load("timing.csv")
    steps = [row for row in accuracy if row["section"] == "steps" and (row["splitting"], row["theta"], row["method"]) in
             (("godunov", 1, "jacobi"), ("godunov", 1, "rkl2"), ("staggered", 0.5, "jacobi"), ("staggered", 1, "rkl2"))]
    accuracy = [row for row in accuracy if row["section"] != "steps"]
    made = {}
    if accuracy:
        made["accuracy.md"] = replaced((LAB / "accuracy.md").read_text(), "accuracy", accuracies(accuracy))
        made["accuracy.svg"] = figure(Series(accuracy))
    if timing:
        made["steps.md"] = replaced((LAB / "steps.md").read_text(), "timing", timings(timing))
    if timing and steps:
        made["steps.md"] = replaced(replaced(made["steps.md"], "steps", steps_table(steps)), "same", same_error_table(steps))
    stale = [name for name, text in made.items() if not (LAB / name).exists() or (LAB / name).read_text() != text]
    if "--check" in sys.argv[1:]:
        for name in stale:
            print(f"docs/lab/{name} is not what docs/lab/accuracy.csv and docs/lab/timing.csv say: run docs/lab/plot_accuracy.py")
        return 1 if stale or not made else 0
    for name in stale:
        (LAB / name).write_text(made[name])
    print(f"{len(accuracy)} and {len(timing)} rows; written: {', '.join(stale) or 'nothing new'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
