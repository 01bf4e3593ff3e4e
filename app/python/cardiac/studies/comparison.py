"""The runs of `converge` compared: each quantity and map with half the step, the edge, a tenth of the tolerance, and in double precision."""

from __future__ import annotations

import itertools
import json
import math
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from ..program import RunError
from ..result import Result, read as read_result
from . import table
from .refinement import KINDS, Plan, Run

Array = NDArray[np.float64]

SLOWEST = 0.05  # mm/ms: no front is slower
LATENCY = 20.0  # ms until a neighbour of a stimulus rises
SAFETY = 1.25  # of the grid convergence index of three levels
ORDERS_APART = 0.3
HEADS = dict(zip(KINDS, ("edge/2", "step/2", "tolerance/10", "in double")))
WORDS = dict(zip(KINDS, ("the mesh", "the step", "the tolerance", "rounding")))
EVENTS = ("pulses", "captured", "activated", "eads", "not_repolarised")
NAMES = dict(line.split(" = ") for line in """\
first_activation = first activation
last_activation = last activation
total_activation = total activation
activation = activation of
apd90 = APD90
velocity_along = velocity along fibres
velocity_across = velocity across fibres
qrs = QRS
qt = QT
ecg_peak = largest deflection of the ECG""".splitlines())
HAPPENED = "This run: %.4g %% of the tissue activated; %.0f of %.0f stimuli captured."
DIFFERS = "With %s %s is %.6g%s, not %.6g: these runs differ in what happens, not only in when."
BREAKS = """A front breaks at %.6g ms at (%.4g, %.4g, %.4g) mm: what comes later depends on the smallest
change, and is not compared."""
CUT = """A front was still running at the end: the last activation is that of the end, and is not compared; set a
later time.end."""
TWO = """These are differences between two levels, no bars: the error that is left with half the %s is unknown.
--levels 3 estimates it."""
THREE = """
The limit of three levels, with a bar (the grid convergence index) where all orders are within 30 %% of those expected,
%s%d of the step:"""
FAILED = "Run %d (%s) failed and is not compared: table.csv has its message."


# ---- the comparison ----


class Levels(NamedTuple):
    """Changes from level to level, d1 and d2 (NaN: not compared), and what follows from three levels."""

    difference: float
    second: float
    order: float
    expected: float
    asymptotic: bool
    rest: float  # from the finest level to the limit
    bar: float  # of the limit


def judge(first: float, second: float, expected: float) -> Levels:
    """The limit of f1, f2 and f3 at h, h/2 and h/4 from d1 = f2 - f1 and d2 = f3 - f2.

    The observed order is log2(d1/d2). Where d1/d2 > 0 and it is within 30 % of the expected one, p is the smaller of
    both, the limit is f3 + d2/(2^p - 1), and its bar the grid convergence index with a safety factor of 1.25,
    1.25 |d2| / (2^p - 1) (Roache, J. Fluids Eng. 116:405, 1994; Oberkampf and Roy, Verification and Validation in
    Scientific Computing, 2010, section 8.4: never an order beyond the formal one).
    """
    order = math.log2(first / second) if second and first / second > 0 else math.nan
    if not abs(order - expected) <= ORDERS_APART * expected:
        return Levels(first, second, order, expected, False, math.nan, math.nan)
    rest = second / (2 ** min(order, expected) - 1)
    return Levels(first, second, order, expected, True, rest, SAFETY * abs(rest))


class Quantity(NamedTuple):
    """A number of each run (NaN: none); an event is a count of what happened, without an error."""

    name: str
    unit: str
    value: List[float]

    @property
    def event(self) -> bool:
        return self.name.partition("[")[0] in EVENTS

    def begins(self, *starts: str) -> bool:
        return self.name.startswith(starts)


class Spread(NamedTuple):
    """Differences of a map between two runs, sorted; left_out: values of a later time than a front's break."""

    name: str
    unit: str
    kind: str
    apart: Array
    left_out: int

    def at(self, percent: int) -> float:
        return (
            float(self.apart[(len(self.apart) - 1) * percent // 100])
            if len(self.apart)
            else math.nan
        )


class Break(NamedTuple):
    """Where and when a run parts from the others."""

    time: float  # ms; infinite: none
    place: Tuple[float, float, float]  # mm


def match_nodes(points: Array, base: Array) -> NDArray[np.int64]:
    """(base nodes): which of `points` (nodes, 3) the points `base` (base nodes, 3) are, in mm; -1: none within 5 nm."""
    found = np.full(len(base), -1)
    for shift in (
        0.5,
        0.75,
        1.0,
        1.25,
    ):  # each coordinate is near the border of a cell in one at most
        if (found >= 0).all():
            break
        cells = [np.floor(p * 1e5 + shift).astype(np.int64) for p in (points, base)]
        inverse = np.unique(np.concatenate(cells), axis=0, return_inverse=True)[1].ravel()
        place = np.full(len(inverse), -1)
        place[inverse[: len(points)]] = np.arange(len(points))
        found = np.where(found < 0, place[inverse[len(points) :]], found)
    return found


class Sampled:
    """The maps of a run at the nodes of the config's mesh: (nodes, beats)."""

    def __init__(self, path: str, beats: int, base: Optional[Result]) -> None:
        try:
            self.result, self.beats = read_result(path), beats
        except (OSError, KeyError) as error:
            raise RunError("%s: cannot be read: %s" % (path, error), 3) from None
        points = self.result.points
        same = base is None or len(base.points) == len(points)
        self.node = slice(None) if base is None or same else match_nodes(points, base.points)
        if not isinstance(self.node, slice) and (self.node < 0).any():
            lost = "its mesh has no node of the config's node %d" % np.argmin(self.node)
            raise RunError("%s: %s" % (path, lost), 3)
        self.activation = self.get("activation_time")
        if not len(self.activation):
            raise RunError("%s: has no activation times" % path, 3)

    def get(self, name: str) -> Array:
        """A map; (0) where the run has none of that name and shape."""
        values = self.result.maps[name] if name in self.result.maps else np.empty(0)
        whole = values.size == len(self.result.points) * self.beats
        return (
            values.reshape(-1, self.beats).astype(np.float64)[self.node] if whole else np.empty(0)
        )


def find_break(base: Result, activation: Array, others: Array, end: float) -> Break:
    """Where first a node is activated, and a neighbour that can be is not, for longer than any front takes.

    activation, others : (nodes, beats), ms, of a run and of the one that it is compared with
    """
    pairs = list(itertools.permutations(range(base.cells.shape[1]), 2))
    able = ~(np.isnan(activation[:, 0]) & np.isnan(others[:, 0]))
    found: List[Tuple[float, int, int]] = []  # time, element, pair: the first of equal times
    for p, (a, b) in enumerate(pairs):
        i, j = base.cells[:, a], base.cells[:, b]
        wait = LATENCY + np.linalg.norm(base.points[i] - base.points[j], axis=1)[:, None] / SLOWEST
        here, there = activation[i], activation[j]
        late = np.where(np.isnan(there), here < end - wait, there > here + wait)
        first = np.where(late & (able[j] & (i != j))[:, None], here, np.inf).min(axis=1)
        found.append((float(first.min()), int(first.argmin()), p))
    first_time, element, p = min(found)
    x, y, z = base.points[base.cells[element, pairs[p][0]]]
    return Break(first_time, (x, y, z))


def other_beat(name: str) -> str:
    """Of the first beat's name that of the last one's, and the other way round; "" for a quantity of no beat."""
    of = re.match(r"(.*)_(first|last)(\[.*)?$", name)
    return "%s_%s%s" % (of[1], "last" if of[2] == "first" else "first", of[3] or "") if of else ""


def is_of_last(name: str) -> bool:
    """Whether a quantity is of the last beat."""
    return name.split("[")[0].endswith("_last")


def settle(name: str, at: Array, also_at: Array, x: Array, y: Array) -> Array:
    """ms from which on the values x and y of a map are settled; at, also_at: their activation times."""
    if name == "repolarization_time":
        return np.asarray(np.fmax(x, y))
    late = np.fmax(at + x, also_at + y) if name.startswith("apd") else np.fmax(at, also_at)
    return np.asarray(late)


class Comparison:
    """The numbers and maps of all runs, compared: quantities, their levels `of` each kind, maps and breaks."""

    def __init__(self, plan: Plan) -> None:
        self.plan, path = plan, table.table_path(plan.folder)
        names, rows = table.read(path)
        place = {str(name): c for c, name in enumerate(names)}
        self.row = {int(row[0]) - 1: row for row in rows if row[place["status"]] == "0"}
        if 0 not in self.row:
            message = rows[0][place["message"]] if rows else "no run"
            raise RunError("the config itself failed: %s" % message, 3)
        self.time = self._values(place["time (ms)"])
        self.quantities: Dict[str, Quantity] = {}
        for c in range(place["status"] + 1, place["message"]):
            name, unit = re.fullmatch(r"(.+?)(?: \(([^()]*)\))?", names[c]).groups("")  # type: ignore
            q, first = Quantity(name, unit, self._values(c)), self.quantities.get(other_beat(name))
            same = first and np.array_equal(first.value, q.value, equal_nan=True)
            if name not in ("time", "sweeps") and not (is_of_last(name) and same):
                self.quantities[name] = q
        self.maps: List[Spread] = []
        self._compare_maps()
        self.of = {name: self._levels(q) for name, q in self.quantities.items()}

    def _values(self, column: int) -> List[float]:
        cells = [self.row[k][column] if k in self.row else "" for k in range(len(self.plan.runs))]
        return [float(cell or "nan") for cell in cells]

    def value(self, name: str, run: int) -> float:
        return self.quantities[name].value[run] if name in self.quantities else math.nan

    def is_cut(self, run: int) -> bool:
        """Whether a front was still running at the end, so that the last activation is only that of the end."""
        late = self.value("last_activation", run) > self.time[run] - 5
        return late and self.value("activated", run) < 100

    def settled(self, q: Quantity, run: int) -> float:
        """ms of the run from which on a quantity is settled."""
        last = self.value("last_activation", run)
        if q.begins("first_activation", "activation_first["):
            return q.value[run]
        if q.begins("apd90_first"):
            return last + q.value[run]
        if q.begins("qt_first"):
            return self.value("first_activation", run) + q.value[run]
        return self.time[run] if q.event or q.begins("ecg_peak") or is_of_last(q.name) else last

    def difference(self, q: Quantity, run: Optional[int]) -> float:
        """Run less its reference; NaN where one failed, or a front broke before both were settled, or was still running."""
        of = 0 if run is None else self.plan.reference(run)
        if run is None:
            return math.nan
        of_end = q.begins("last_activation", "total_activation")
        if of_end and (self.is_cut(run) or self.is_cut(of)):
            return math.nan
        late = np.fmax(self.settled(q, run), self.settled(q, of)) > self.breaks[run].time
        return math.nan if late else q.value[run] - q.value[of]

    def _levels(self, q: Quantity) -> Dict[str, Levels]:
        expected, plan = {"mesh": 2.0, "step": float(self.plan.order_in_time)}, self.plan
        apart = {k: [self.difference(q, plan.run_of(k, n)) for n in (0, 1)] for k in plan.kinds()}
        return {k: judge(*of, expected.get(k, math.nan)) for k, of in apart.items()}  # type: ignore

    def _open(self, run: int, base: Optional[Result] = None) -> Sampled:
        path = os.path.join(self.plan.folder, self.row[run][1], "run.vtkhdf")
        return Sampled(path, self.plan.config["activation"]["beats"], base)

    def _compare_maps(self) -> None:
        own, plan, order = self._open(0), self.plan, self.plan.config["output"]["maps"]
        whole = find_break(own.result, own.activation, own.activation, self.time[0])
        self.breaks = [whole] * len(plan.runs)
        for k in range(1, len(plan.runs)):
            of = plan.reference(k)
            if k in self.row and of in self.row:
                a, b = self._open(of, own.result), self._open(k, own.result)
                one = find_break(own.result, a.activation, b.activation, self.time[of])
                other = find_break(own.result, b.activation, a.activation, self.time[k])
                self.breaks[k] = min(one, other, key=lambda found: found.time)
                first = plan.run_of(plan.runs[k].kind, 0) == k
                self._compare(a, b, k, [name for name in order if first])
        self.maps.sort(key=lambda m: (order.index(m.name), KINDS.index(m.kind)))

    def _compare(self, a: Sampled, b: Sampled, run: int, names: Sequence[str]) -> None:
        for name in names:
            x, y, apart, late = a.get(name), b.get(name), np.empty(0), np.zeros(0, bool)
            if len(x) and len(y):
                at = settle(name, a.activation, b.activation, x, y)
                both = ~np.isnan(x) & ~np.isnan(y)
                late = both & (at > self.breaks[run].time)
                apart = np.sort(np.abs(x - y)[both & ~late])
            unit, kind = a.result.maps.units.get(name, ""), self.plan.runs[run].kind
            self.maps.append(Spread(name, unit, kind, apart, int(late.sum())))


# ---- the report ----


def words_of(name: str, c: Comparison) -> str:
    """ "APD90 region 1" for apd90_first[1], and with " in the first beat" where there are others."""
    stem, _, rest = name.rstrip("]").partition("[")
    beat = ""
    if stem.endswith("_last"):
        stem, beat = stem[:-5], " in the last beat"
    elif stem.endswith("_first"):
        stem, beat = stem[:-6], " in the first beat" * (other_beat(name) in c.quantities)
    region = " region" * (bool(rest) and stem != "activation")
    return NAMES.get(stem, stem) + region + " " * bool(rest) + rest + beat


def level_of(run: Run) -> str:
    """The column of a run's differences: how often its step or edge is halved."""
    if run.kind == "mesh":
        return "half the edge and step" if run.edge == 1 else "a quarter of the edge"
    half = "half the step" if run.step == 1 else "a quarter of the step"
    return half if run.kind == "step" else HEADS[run.kind]


def events(c: Comparison) -> List[str]:
    """What happened: events that differ from run to run matter more than any number."""
    lines = [HAPPENED % tuple(c.value(name, 0) for name in ("activated", "captured", "pulses"))]
    for q in filter(lambda q: q.event, c.quantities.values()):
        for run, value in list(zip(c.plan.runs, q.value))[1:]:
            if abs(value - q.value[0]) > 0.05 * abs(q.value[0]) * (q.unit == "%"):
                of = (level_of(run), q.name, value, q.unit and " " + q.unit, q.value[0])
                lines.append(DIFFERS % of)
    first = min(c.breaks, key=lambda found: found.time)
    lines += [BREAKS % (first.time, *first.place)] if first.time < math.inf else []
    return lines + [CUT] * any(c.is_cut(k) for k in c.row)


def shown(c: Comparison) -> List[Quantity]:
    """The quantities that are reported, in their order."""
    return [q for q in c.quantities.values() if not q.event and not math.isnan(q.value[0])]


def differences(c: Comparison) -> List[str]:
    """The table of differences."""
    heads = "".join(" %14s" % HEADS[kind] for kind in c.plan.kinds())
    lines = ["", "%-30s %12s%s" % ("", "this run", heads)]
    for q in shown(c):
        of = [levels.difference for levels in c.of[q.name].values()]
        texts = ["-" if math.isnan(d) else "%+.3g" % d if d else "0" for d in of]
        row = (words_of(q.name, c), q.value[0], q.unit, "".join(" %14s" % text for text in texts))
        lines.append("%-30s %7.5g %-4s%s" % row)
    for m in filter(lambda m: len(m.apart) + m.left_out, c.maps):
        text = "median change %.3g %s, 95 %% within %.3g, largest %.3g"
        text = text % (m.at(50), m.unit, m.at(95), m.at(100)) if len(m.apart) else "not compared"
        if m.left_out:
            share = 100.0 * m.left_out / (len(m.apart) + m.left_out)
            text += " (%.3g %% of the values are later than the break)" % share
        lines.append("map %s, %s: %s" % (m.name, HEADS[m.kind], text))
    return lines


def contributors(c: Comparison) -> List[str]:
    """ "the mesh: -4.1 ms of 61; the step: 0.3; rounding: 1e-05", of the quantity that changes most, relative to itself:
    of the tissue as a whole, else of its parts."""
    changes: Dict[str, Dict[str, float]] = {}
    for name in (q.name for q in shown(c) if q.name != "first_activation" and q.value[0]):
        of = {kind: levels.difference for kind, levels in c.of[name].items()}
        changes[name] = {kind: d for kind, d in of.items() if not math.isnan(d)}
    names = [name for name in changes if changes[name]]
    names = [name for name in names if "[" not in name] or names
    if not names:
        return []
    size = {n: max(map(abs, changes[n].values())) / abs(c.value(n, 0)) for n in names}
    worst = c.quantities[max(names, key=lambda name: size[name])]
    of = changes[worst.name]
    most = max(of, key=lambda kind: abs(of[kind]))
    text = "%s: %+.3g %s of %.5g" % (WORDS[most], of[most], worst.unit, worst.value[0])
    for kind in (kind for kind in of if kind != most):
        text += "; %s: " % WORDS[kind] + ("%+.2g" % of[kind] if of[kind] else "0")
    text += "; rounding: none, all is in double precision" * ("rounding" not in c.plan.kinds())
    return ["", "The largest contributor, in the %s: %s." % (words_of(worst.name, c), text)]


def bar_of(c: Comparison, q: Quantity) -> Tuple[float, float]:
    """The limit of three levels, and its bar; NaN where an order is not as expected."""
    of = [levels for kind, levels in c.of[q.name].items() if kind in ("mesh", "step")]
    value = q.value[0] + sum(s.difference + s.second + s.rest for s in of)
    return value, sum(s.bar for s in of)


def limit(c: Comparison, q: Quantity) -> str:
    """Of three levels."""
    of = {kind: levels for kind, levels in c.of[q.name].items() if kind in ("mesh", "step")}
    name, text = words_of(q.name, c), "not in the asymptotic range"
    if any(math.isnan(s.difference + s.second) for s in of.values()):
        return "%-30s not compared" % name
    value, bar = bar_of(c, q)
    if not math.isnan(value):
        text = "%.5g +- %.2g %s (this run: %+.3g)" % (value, bar, q.unit, q.value[0] - value)
    orders = []
    for kind, s in of.items():
        order = "%.2f" % s.order if s.order == s.order else "%+.2g, then %+.2g" % s[:2]
        orders.append(kind + " " + order)
    return "%-30s %-40s orders: %s" % (name, text, ", ".join(orders))


def report(c: Comparison) -> str:
    """The text of the comparison."""
    lines, of_mesh = events(c) + differences(c) + contributors(c), "mesh" in c.plan.kinds()
    if c.plan.levels == 2:
        lines.append(TWO % ("edge and step" if of_mesh else "step"))
    else:
        lines.append(THREE % ("2 of the mesh and " * of_mesh, c.plan.order_in_time))
        lines += [limit(c, q) for q in shown(c)]
    lines += c.plan.notes()
    for k, run in enumerate(c.plan.runs):
        lines += [FAILED % (k + 1, HEADS[run.kind])] if k not in c.row else []
    return "\n".join(lines) + "\n"


def for_json(value: Any) -> Any:
    """NaN and infinity as null, whole numbers without a point."""
    if isinstance(value, dict):
        return {key: for_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [for_json(item) for item in value]
    if not isinstance(value, float):
        return value
    return None if not math.isfinite(value) else int(value) if value == int(value) else value


def report_json(c: Comparison) -> str:
    """The comparison as a line of JSON."""
    quantities, maps = [], {
        name: {"name": name, "unit": ""} for name in c.plan.config["output"]["maps"]
    }
    for q in c.quantities.values():
        item: Dict[str, Any] = {"name": q.name, "unit": q.unit, "value": q.value[0]}
        for kind, of in c.of[q.name].items():
            whole = c.plan.levels > 2 and kind in ("mesh", "step")
            item[kind] = of._asdict() if whole else {"difference": of.difference}
        quantities.append(item)
    for m in c.maps:
        spread: Any = {"compared": len(m.apart), "left_out": m.left_out}
        spread.update({"median": m.at(50), "p95": m.at(95), "largest": m.at(100)})
        maps[m.name].update({"unit": m.unit, m.kind: spread})
    line = {"levels": c.plan.levels, "broken": min(found.time for found in c.breaks)}
    text = json.dumps(
        for_json({**line, "quantities": quantities, "maps": list(maps.values())}),
        ensure_ascii=False,
    )
    return re.sub(r"(?<=\d)e-0(?=\d[,}])", "e-", text) + "\n"
