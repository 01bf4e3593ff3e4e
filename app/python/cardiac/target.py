"""Measured data, and differences of computed leads and activation times from them: the files of `ecg.target` and `activation.target`."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    NoReturn,
    Optional,
    Protocol,
    Sequence,
    Tuple,
)

import numpy as np
from numpy.typing import NDArray

from .program import InputError
from .studies import table

Array = NDArray[np.float64]
LARGEST = 50.0  # mV of a lead
FARTHEST = 5.0  # mm from a measured point to its node
FASTEST = 100.0  # mm/ms: 25 times a front of Purkinje fibres, where several fronts begin at once
SAMPLING = (0.05, 50.0)  # ms between two samples
NO_TIME = (
    -9999.0
)  # ms, or less, and half as long before the last: what mapping systems write where they have none
LAG = 100.0  # ms, the largest that is looked for
NOTHING = 1e-12  # of the sum of squares of a run's leads, in what is compared: rounding errors of tissue at rest, which no gain makes a signal
LAG_STEPS, LAG_SLOPE = (
    40,
    1e-10,
)  # of the search for a fitted lag, and the part of the first slopes at which it ends

# Units of a column, in any case, by its unit here; their factors
UNITS: Dict[str, Dict[str, float]] = {
    "ms": {
        "ms": 1,
        "s": 1000,
        "us": 1e-3,
        "msec": 1,
        "sec": 1000,
        "seconds": 1000,
        "milliseconds": 1,
    },
    "mV": {"mV": 1, "uV": 1e-3, "\u00b5V": 1e-3, "\u03bcV": 1e-3, "V": 1000},
    "mm": {"mm": 1, "cm": 10, "um": 1e-3, "m": 1000},
    "": {"": 1},
}
NAMED = 3  # units of each that messages name
# What archives and spreadsheets call a column, in any case, and its name here; leads also as "Lead II" or AVR
ALIASES = {
    "t": "time",
    "times": "time",
    "elapsed time": "time",
    "lat": "activation",
    "activation time": "activation",
}
ALIASES.update(
    {
        "activation_time": "activation",
        "index": "node",
        "node id": "node",
        "x": "x",
        "y": "y",
        "z": "z",
    }
)
LEADS = {name.lower(): name for name in "I II III aVR aVL aVF V1 V2 V3 V4 V5 V6".split()}


class Leads(NamedTuple):
    """Leads over time: ms, names, and mV (samples, leads)."""

    times: Array
    names: List[str]
    values: Array


class Activation(NamedTuple):
    """Activation times, ms, at nodes."""

    nodes: NDArray[np.int64]
    times: Array


class Result(Protocol):
    """What is read here of a result (result.py, which imports this module)."""

    @property
    def config(self) -> str: ...

    @property
    def summary(self) -> Dict[str, Any]: ...

    @property
    def nodes(self) -> int: ...

    @property
    def points(self) -> Array: ...

    @property
    def maps(self) -> Mapping[str, Array]: ...

    @property
    def activation(self) -> Array: ...

    def has(self, name: str) -> bool: ...

    def table(self, name: str) -> Tuple[Array, List[str], Dict[str, str], Array]: ...


class Solved(NamedTuple):
    """What lies between leads that were measured and those of a run: measured(t) = gain computed(t - lag)."""

    lag: Optional[float] = None  # ms; None: both have one clock
    gain: float = 1.0


# ---- files ----


def _unit(text: str, expected: str) -> Optional[float]:
    """How many of the unit expected it is; None if it is another."""
    known = {name.lower(): factor for name, factor in UNITS[expected].items()}
    return known.get(text.strip(" '").lower())


def _names(
    path: str, head: Sequence[table.Cell], units: Dict[str, str]
) -> Tuple[List[str], List[Optional[float]]]:
    """The names of columns "V1 (mV)", "V1 [uV]" or 'V1' without their units, and how many of the unit expected theirs is; None: it has none.

    "" stands for the unit of other names."""
    names: List[str] = []
    factors: List[Optional[float]] = []
    for cell in head:
        found = re.fullmatch(r"(.*?)\s*(?:\(([^()]*)\)|\[([^][]*)\])", cell.strip("'"))
        name, unit = (found[1], found[2] or found[3] or "") if found else (cell.strip("'"), None)
        short = re.sub(r"(?i)^lead[ _-]?(?=.)", "", name) if "" in units else name
        known = ALIASES.get(name.lower(), LEADS.get(short.lower(), name.lower()))
        name = known if known in units or known in LEADS.values() else name
        expected = units.get(name, units.get(""))
        if expected is None:
            table.refuse(path, cell, "column '%.40s' is none of %s" % (name, ", ".join(units)))
        factor = None if unit is None else _unit(unit, expected)
        if unit is not None and factor is None:
            some = (
                " or ".join([known for known in UNITS[expected] if known.isascii()][:NAMED])
                or "no unit"
            )
            table.refuse(path, cell, "%.40s is in %.20s; expected %s" % (name, unit, some))
        if name in names:
            table.refuse(path, cell, "a second column %.40s" % name)
        names.append(name)
        factors.append(factor)
    return names, factors


def _second_head(
    row: table.Row, names: List[str], factors: List[Optional[float]], units: Dict[str, str]
) -> bool:
    """Whether a row has units below the names, which factors are then of: 'seconds','mV'"""
    found = [_unit(cell, units.get(name, units.get("", ""))) for cell, name in zip(row, names)]
    if not all(factor is not None for cell, factor in zip(row, found) if cell) or not any(row):
        return False
    factors[:] = found
    return True


def _number(path: str, cell: table.Cell, name: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        what = "'%.40s' is not a number" % cell if cell else "no value: a gap"
        comma = "; decimals follow a point, not a comma" * bool(re.fullmatch(r"-?\d+,\d+", cell))
        table.refuse(path, cell, "%.40s: %s%s" % (name, what, comma))
    return value


def _read(path: str, units: Dict[str, str]) -> Tuple[List[str], List[table.Row], Array]:
    """Names, cells and numbers of a file of at least two rows."""
    first = table.content(path).partition(b"\n")[0]
    if b"," not in first and re.search(b"[;\t]", first):
        by = "semicolons" if b";" in first else "tabs"
        text = (
            "%s:1:1: the columns are separated by %s; separate them by commas, decimals by points"
        )
        raise InputError(text % (path, by), 2)
    if first.startswith((b"#", b"%")):
        raise InputError("%s:1:1: a comment; the first line has the names of the columns" % path, 2)
    head, rows = table.read(path)
    names, factors = _names(path, head, units)
    if rows and _second_head(rows[0], names, factors, units):
        del rows[0]
    if len(rows) < 2:
        raise InputError("%s: expected at least two rows of numbers" % path, 2)
    values = [[_number(path, cell, name) for cell, name in zip(row, names)] for row in rows]
    return (
        names,
        rows,
        np.array(values) * np.array([1.0 if factor is None else factor for factor in factors]),
    )


def _check_times(path: str, rows: List[table.Row], column: int, times: Array) -> None:
    apart = np.diff(times)
    middle = float(np.sort(apart)[len(apart) // 2])
    for k, d in enumerate(apart):
        cell = rows[k + 1][column]
        if d <= 0:
            table.refuse(path, cell, "time: %g ms is not after %g ms" % (times[k + 1], times[k]))
        if d > 1.5 * middle:
            table.refuse(
                path, cell, "time: a gap of %g ms; other samples are %g ms apart" % (d, middle)
            )
    if not SAMPLING[0] <= middle <= SAMPLING[1]:
        text = "time: samples are %g ms apart, expected %g to %g ms; are these ms?"
        table.refuse(path, rows[0][column], text % (middle, *SAMPLING))


def read_leads(path: str) -> Leads:
    """Measured leads. InputError with the place where the file has another unit, a gap or no values."""
    names, rows, values = _read(path, {"time": "ms", "": "mV"})
    if "time" not in names or len(names) < 2:
        raise InputError("%s:1:1: expected a column time (ms) and one for each lead" % path, 2)
    column = names.index("time")
    leads = [k for k in range(len(names)) if k != column]
    _check_times(path, rows, column, values[:, column])
    for k in leads:
        peak = int(np.argmax(np.abs(values[:, k])))
        if abs(values[peak, k]) > LARGEST:
            text = "%.40s: %g mV is more than a heart gives; are these uV?"
            table.refuse(path, rows[peak][k], text % (names[k], values[peak, k]))
        if not np.ptp(values[:, k]) > 0:
            table.refuse(path, rows[0][k], "%.40s: the lead is flat" % names[k])
    return Leads(values[:, column], [names[k] for k in leads], values[:, leads])


def read_activation(path: str, points: Array, lag: bool = False) -> Activation:
    """Measured activation times at nodes, or at the nodes nearest to places; `points`: of the nodes, mm; `lag`: their zero is unknown."""
    units = {"node": "", "x": "mm", "y": "mm", "z": "mm", "activation": "ms"}
    names, rows, values = _read(path, units)
    given = set(names) - {"activation"}
    if "activation" not in names or given not in ({"node"}, {"x", "y", "z"}):
        text = "%s:1:1: expected columns node, activation (ms), or x (mm), y (mm), z (mm), activation (ms)"
        raise InputError(text % path, 2)
    column = {name: values[:, k] for k, name in enumerate(names)}
    nodes: List[int] = []
    for k, row in enumerate(rows):
        cell = row[names.index("node" if "node" in given else "x")]
        if "node" in given:
            node = column["node"][k]
            if node != int(node) or not 0 <= node < len(points):
                table.refuse(
                    path,
                    cell,
                    "node: %g is not a node; they are 0 to %d" % (node, len(points) - 1),
                )
            nodes.append(int(node))
            continue
        d = points - np.array([column[axis][k] for axis in "xyz"])
        square = d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + d[:, 2] * d[:, 2]
        nodes.append(int(np.argmin(square)))
        if square[nodes[-1]] > FARTHEST * FARTHEST:
            far = math.sqrt(square[nodes[-1]])
            table.refuse(
                path, cell, "this place is %.3g mm from the nearest node; are these mm?" % far
            )
    _check_activation(
        path, rows, names.index("activation"), column["activation"], points[nodes], lag
    )
    return Activation(np.array(nodes), column["activation"])


def _check_activation(
    path: str, rows: List[table.Row], column: int, times: Array, points: Array, lag: bool
) -> None:
    early, late = int(np.argmin(times)), int(np.argmax(times))
    if times[early] <= NO_TIME and times[late] - times[early] > -NO_TIME / 2:
        table.refuse(
            path,
            rows[early][column],
            "activation: %g ms is no time: leave such rows out" % times[early],
        )
    if times[early] < 0 and not lag:
        unknown = "; if the zero of these times is unknown, set activation.lag to fitted"
        table.refuse(
            path,
            rows[early][column],
            "activation: %g ms is before the run begins%s" % (times[early], unknown),
        )
    size, apart = float(np.ptp(points, axis=0).max()), float(times[late] - times[early])
    if 0 < apart < size / FASTEST:
        text = "activation: all times lie within %.3g ms, over %.3g mm of tissue; are these ms?"
        table.refuse(path, rows[late][column], text % (apart, size))


def sample_times(end: float, every: float) -> Array:
    """ms, at which a run of `end` ms stores its leads.

    >>> sample_times(1.0, 0.5)
    array([0. , 0.5, 1. ])
    """
    return np.array([k * every for k in range(math.floor(end / every * (1 + 1e-12)) + 1)])


def leads_to_fit(path: str, names: Sequence[str], times: Array, lag: bool = False) -> Leads:
    """Measured leads within the computed times, all of them with a lag; InputError where one is none of the computed ones, by `names`."""
    return pair_of(
        path, Leads(times, list(names), np.zeros((len(times), len(names)))), ("lag",) * lag
    )[0]


def activation_to_fit(path: str, points: Array, lag: bool = False) -> Activation:
    """Measured activation times, as of :func:`read_activation`; InputError where all are equal."""
    measured = read_activation(path, points, lag)
    if not np.ptp(measured.times) > 0:
        raise InputError("%s: all activation times are equal" % path, 2)
    return measured


def check(words: Sequence[str]) -> int:
    """For `cardiac check`: prints a line "key<tab>fault" of each target that `cardiac fit` would refuse; 1 if there is one.

    Parameters
    ----------
    words : sequence of str
        The files of ecg.target and activation.target ("": none), time.end and ecg.every (ms), "lag" or "" of ecg and of activation,
        and the names of the leads. Standard input: the nodes' points, fp64.
    """
    leads, activation, end, every, leads_lag, activation_lag, *names = words
    points = np.frombuffer(sys.stdin.buffer.read()).reshape(-1, 3)
    calls: Dict[str, Callable[[], object]] = {}
    if leads:
        calls["ecg.target"] = lambda: leads_to_fit(
            leads, names, sample_times(float(end), float(every)), bool(leads_lag)
        )
    if activation:
        calls["activation.target"] = lambda: activation_to_fit(
            activation, points, bool(activation_lag)
        )
    faults = ""
    for key, call in calls.items():
        try:
            call()
        except InputError as error:
            faults += "%s\t%s\n" % (key, error.text)
    os.write(1, faults.encode("utf-8", "surrogateescape"))
    return int(bool(faults))


# ---- quantities ----


def interpolate(at: Array, times: Array, values: Array) -> Array:
    """Values (times, ...) between rows, with the same bits everywhere.

    >>> interpolate(np.array([0.5]), np.array([0.0, 1.0]), np.array([10.0, 20.0]))
    array([15.])
    """
    right = np.clip(np.searchsorted(times, at), 1, len(times) - 1)
    share = (at - times[right - 1]) / (times[right] - times[right - 1])
    share = share.reshape((-1,) + (1,) * (values.ndim - 1))
    between: Array = values[right - 1] * (1 - share) + values[right] * share
    return between


def rms(differences: Array) -> float:
    """The root mean square.

    >>> rms(np.array([3.0, -3.0]))
    3.0
    """
    return math.sqrt(math.fsum((differences * differences).ravel()) / differences.size)


def correlation(a: Array, b: Array) -> float:
    """Pearson's; 0 where one is constant.

    >>> correlation(np.array([1.0, 2, 3]), np.array([2.0, 4, 6]))
    1.0
    """
    a, b = a - math.fsum(a) / len(a), b - math.fsum(b) / len(b)
    product = math.sqrt(math.fsum(a * a) * math.fsum(b * b))
    return math.fsum(a * b) / product if product > 0 else 0.0


def _at(lag: Optional[float], at: Array, times: Array, values: Array) -> Tuple[Array, Array]:
    """values(at - lag), at rest before the first row, by Catmull and Rom's cubics, and their derivative by time"""
    if lag is None:
        return interpolate(at, times, values), np.zeros((len(at), *values.shape[1:]))
    every, last = times[1] - times[0], len(times) - 1
    place = np.clip((at - lag - times[0]) / every, 0, last)
    row = np.minimum(np.floor(place).astype(np.int64), last - 1)
    s = (place - row).reshape((-1,) + (1,) * (values.ndim - 1))
    a, b, c, d = (
        values[np.maximum(row - 1, 0)],
        values[row],
        values[row + 1],
        values[np.minimum(row + 2, last)],
    )
    p, q, r = c - a, 2 * a - 5 * b + 4 * c - d, 3 * (b - c) + d - a
    slope = (p + 2 * s * q + 3 * s * s * r) / (2 * every)
    moves = (place > 0).reshape(s.shape)
    return b + s / 2 * (p + s * (q + s * r)), np.where(moves, slope, 0.0)


def _of_lags(measured: Leads, computed: Leads) -> Tuple[Array, Array, Array]:
    """Lags, an interval of the computed samples apart, that leave the last measured sample within the run; of each the sums of measured
    times computed values, and of squares of computed ones"""
    every, last = computed.times[1] - computed.times[0], len(computed.times) - 1
    first = measured.times[-1] - computed.times[-1]
    at = (measured.times - first - computed.times[0]) / every
    row = np.minimum(np.floor(at).astype(np.int64), last - 1)
    share, low = (at - row)[:, None], int(row.min())
    ahead = last - low  # of the run: rows at rest
    values = np.concatenate([np.repeat(computed.values[:1], ahead, axis=0), computed.values])
    count = last + 1 - low

    def spread(left: Array, right: Array) -> Array:
        found = np.zeros((count, left.shape[1]))
        np.add.at(found, row - low, left)
        np.add.at(found, row - low + 1, right)
        return found

    def sums(
        rows: Array, weights: Array
    ) -> Array:  # over rows k of weights[k] rows[k + low + ahead - j], j = 0 and up
        found: Array = sum(
            (np.correlate(a, b) for a, b in zip(rows.T, weights.T)), np.zeros(last + 1)
        )
        return found[::-1]

    products = sums(values, spread((1 - share) * measured.values, share * measured.values))
    near = np.concatenate([(values[1:] * values[:-1]).sum(axis=1), [0.0]])
    squares = sums((values * values).sum(axis=1)[:, None], spread((1 - share) ** 2, share**2))
    squares = squares + sums(near[:, None], spread(2 * share * (1 - share), np.zeros_like(share)))
    return first + every * np.arange(last + 1), products, squares


def solve(measured: Leads, computed: Leads, unknown: Sequence[str]) -> Solved:
    """The lag and the gain with the least sum of squares of gain computed(t - lag) - measured(t), of those that are unknown. The lag
    leaves the last measured sample within the run, whose samples are equally far apart, and at least half of the measured time, which is
    no longer than the run: before it the tissue is at rest, and a few samples of a wave are like many others.
    """
    M, times, values = measured.values, computed.times, computed.values

    least = NOTHING * math.fsum((values * values).ravel())

    def gain(products: float, squares: float) -> float:
        return max(products / squares, 0.0) if "gain" in unknown and squares > least else 1.0

    def gain_at(lag: Optional[float]) -> Tuple[float, float]:
        """And half the derivative of the sum of squares by the lag"""
        C, slope = _at(lag, measured.times, times, values)
        g = gain(math.fsum((C * M).ravel()), math.fsum((C * C).ravel()))
        return g, -g * math.fsum(((g * C - M) * slope).ravel())

    if "lag" not in unknown:
        return Solved(None, gain_at(None)[0])
    lags, products, squares = _of_lags(measured, computed)
    most = (measured.times[0] + measured.times[-1]) / 2 - times[0]
    within = lags <= most + 1e-9 * abs(most)
    lags, products, squares = lags[within], products[within], squares[within]
    g = np.array([gain(p, s) for p, s in zip(products, squares)])
    best = int(np.argmin(g * g * squares - 2 * g * products))
    low, high = float(lags[max(best - 1, 0)]), float(lags[min(best + 1, len(lags) - 1)])
    left, right, lag = gain_at(low)[1], gain_at(high)[1], float(lags[best])
    enough, side = LAG_SLOPE * (right - left), 0
    for _ in range(LAG_STEPS if left < 0 < right else 0):  # Illinois' method
        lag = high - right * (high - low) / (right - left)
        slope = gain_at(lag)[1]
        if abs(slope) <= enough:
            break
        if slope < 0:
            low, left, right, side = lag, slope, right / (2 if side < 0 else 1), -1
        else:
            high, right, left, side = lag, slope, left / (2 if side > 0 else 1), 1
    return Solved(lag, gain_at(lag)[0])


def apply(solved: Solved, at: Array, times: Array, values: Array) -> Array:
    """gain values(at - lag)"""
    found: Array = _at(solved.lag, at, times, values)[0]
    return found if solved.gain == 1 else found * solved.gain


def derivatives(
    measured: Leads, computed: Leads, solved: Solved, unknown: Sequence[str]
) -> List[Array]:
    """Of gain computed(t - lag) by what is unknown, (samples, leads)"""
    C, slope = _at(solved.lag, measured.times, computed.times, computed.values)
    return [-solved.gain * slope] * ("lag" in unknown) + [C] * ("gain" in unknown)


def pair(target: Leads, computed: Leads, unknown: Sequence[str] = ()) -> Tuple[Leads, Leads]:
    """Both at the measured samples within the computed time, of the measured leads; with an unknown lag at all samples. What is unknown
    is solved for. InputError where there is no such lead or sample, or where samples with an unknown lag last longer than the run.
    """
    for name in target.names:
        if name not in computed.names:
            text = "lead %.40s is not computed; computed are %s"
            raise InputError(text % (name, ", ".join(computed.names)), 2)
    end = computed.times[-1]
    within = (target.times >= computed.times[0]) & (target.times <= end * (1 + 1e-12))
    if "lag" in unknown:
        within[:] = True
        lasts, most = target.times[-1] - target.times[0], end - computed.times[0]
        if lasts > most * (1 + 1e-12):
            text = "with ecg.lag the samples last no longer than the run: these last %g ms, the run %g ms"
            raise InputError(text % (lasts, most), 2)
    if within.sum() < 2:
        raise InputError("no two samples between %g and %g ms" % (computed.times[0], end), 2)
    measured = Leads(target.times[within], target.names, target.values[within])
    own = Leads(
        computed.times,
        target.names,
        computed.values[:, [computed.names.index(name) for name in target.names]],
    )
    solved = solve(measured, own, unknown) if unknown else Solved()
    return measured, own._replace(
        times=measured.times, values=apply(solved, measured.times, own.times, own.values)
    )


def ecg_rms(measured: Leads, computed: Leads) -> float:
    """mV, over all leads and samples"""
    return rms(measured.values - computed.values)


def ecg_r(measured: Leads, computed: Leads) -> float:
    """The mean correlation of the leads, at the one lag at which it is largest"""
    return _at_best_lag(measured, computed)[0]


def _at_best_lag(measured: Leads, computed: Leads) -> Tuple[float, float]:
    """The largest mean correlation of leads, and by how many ms they were then measured later, with half of the samples or more in common."""
    a, b = measured.values, computed.values
    interval = float(measured.times[1] - measured.times[0])
    most = min(int(LAG / interval), len(a) // 2)

    def alike(k: int) -> float:
        both = zip(a[max(k, 0) : len(a) + min(k, 0)].T, b[max(-k, 0) : len(b) - max(k, 0)].T)
        return math.fsum(correlation(of, to) for of, to in both) / len(measured.names)

    best = max(range(-most, most + 1), key=lambda k: (alike(k), -abs(k)))
    return alike(best), best * interval


def lead_misfits(measured: Leads, computed: Leads) -> Dict[str, Dict[str, float]]:
    """Of each lead: rms (mV), and the lag (ms) by which it was measured later, with its correlation r at that lag."""
    found = {}
    for k, name in enumerate(measured.names):
        own = (Leads(of.times, [name], of.values[:, k : k + 1]) for of in (measured, computed))
        r, later = _at_best_lag(*own)
        found[name] = {
            "rms": rms(measured.values[:, k] - computed.values[:, k]),
            "r": r,
            "lag": later,
        }
    return found


def lat_differences(measured: Activation, computed: Array, end: float) -> Array:
    """ms at the measured nodes; a node that is never activated counts as activated at the end, ms."""
    found = computed[measured.nodes]
    differences: Array = measured.times - np.where(np.isnan(found), end, found)
    return differences


def lat_rms(measured: Activation, computed: Array, end: float) -> float:
    """ms"""
    return rms(lat_differences(measured, computed, end))


def activation_lag(differences: Array, unknown: bool) -> float:
    """ms, by which activation was measured later than computed: 0, or where it is unknown the mean"""
    return math.fsum(differences) / len(differences) if unknown else 0.0


# ---- of a result ----


def _entry(config: str, section: str, name: str) -> Optional[str]:
    """The value of SECTION.NAME in the text of a resolved config."""
    found = re.search(r"(?m)^%s:\n(?:  .*\n)*?  %s: (.*)$" % (section, name), config)
    if not found:
        return None
    return str(json.loads(found[1])) if found[1].startswith('"') else found[1]


def path_in(config: str, section: str) -> Optional[str]:
    """The file that SECTION.target names in the text of a resolved config."""
    return _entry(config, section, "target")


def unknown_in(config: str, section: str) -> List[str]:
    """What of "lag" and "gain" is `fitted` there"""
    return [name for name in ("lag", "gain") if _entry(config, section, name) == "fitted"]


def leads_of(result: Result) -> Optional[Tuple[Leads, Leads]]:
    """Measured and computed leads of a result at the same samples, these with the lag and the gain of those; None without a target."""
    path = path_in(result.config, "ecg")
    if path is None or not result.has("ecg"):
        return None
    times, names, _, values = result.table("ecg")
    return pair_of(path, Leads(times, names, values), unknown_in(result.config, "ecg"))


def solved_of(result: Result, measured: Leads) -> Solved:
    """The lag and the gain between leads that leads_of returns and the result"""
    times, names, _, values = result.table("ecg")
    own = values[:, [names.index(name) for name in measured.names]]
    return solve(measured, Leads(times, measured.names, own), unknown_in(result.config, "ecg"))


def activation_of(result: Result) -> Optional[Tuple[Activation, Array, float]]:
    """What was measured, on the clock of the run, the first activation of all nodes, NaN where there is none, and the lag; None without
    a target."""
    path = path_in(result.config, "activation")
    if path is None or "activation_time" not in result.maps:
        return None
    lag = bool(unknown_in(result.config, "activation"))
    measured = read_activation(path, result.points.astype(float), lag)
    first = result.activation.reshape(result.nodes, -1)[:, 0].astype(float)
    later = activation_lag(lat_differences(measured, first, _end(result, first)), lag)
    return measured._replace(times=measured.times - later), first, later


def _end(result: Result, first: Array) -> float:
    """ms"""
    return float(result.summary.get("time") or np.nanmax(first))


def pair_of(path: str, computed: Leads, unknown: Sequence[str] = ()) -> Tuple[Leads, Leads]:
    """Measured leads of a file and computed ones, as of :func:`pair`; errors have the file."""
    try:
        return pair(read_leads(path), computed, unknown)
    except InputError as error:
        name_file(error, path)


def name_file(error: InputError, path: str) -> NoReturn:
    """The error with the file in its text."""
    if not error.text.startswith(path):
        error.text = "%s: %s" % (path, error.text)
        error.args = (error.text,)
    raise error


def misfits(result: Result, leads: bool = True) -> Dict[str, Any]:
    """ecg_rms (mV), ecg_r and leads, lat_rms (ms), as far as the result's config names targets."""
    found: Dict[str, Any] = {}
    both, times = leads_of(result) if leads else None, activation_of(result)
    if both:
        found = {"ecg_rms": ecg_rms(*both), "ecg_r": ecg_r(*both), "leads": lead_misfits(*both)}
    if times:
        measured, first, _ = times
        found["lat_rms"] = lat_rms(measured, first, _end(result, first))
    return found
