"""`cardiac fit`: values of keys with which a config gives the leads or activation times that were measured.

Sets of sites are sought among superposed waves of single ones, other keys by runs alone. Each run is a row of a table, and its differences
from what was measured a record of a file beside it; what is drawn depends on the seed and on the runs before alone, so that a fit that goes
on reads them in place of making the runs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import os
import re
import subprocess
import sys
import threading
import time
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

import numpy as np
from numpy.typing import NDArray

from ..batch import run
from ..own_file import claim, failing, open_plain, sync_name, write_own, writing
from ..program import InputError, RunError, argument, failure, find
from ..program import value as value_text
from ..result import Result
from ..simulation import Simulation
from ..text import say as say_line
from .dictionary import Dictionary, MEAN, Wave, shortest
from .domain import Domain, Faces, Place, Range
from .exact import Array, Random
from .forest import (
    APART,
    BEFORE,
    NODES,
    ROUGH,
    SHAPES,
    Forest,
    Grid,
    Layout,
    MEETING,
    Leads,
    Level,
    Surface,
    Templates,
    Unsuited,
    layout,
    meeting,
)
from .crew import Crew
from .insertion import BEGINNINGS, Insertion
from .measured import FAILED, Measured, Misfit
from .paced import check_output, describe, number_of, overrides_of, say
from .search import SMOOTH, Search, Spent, length
from .sets import Sets
from .study import Study
from .verdict import Verdict, conclude
from .table import ELSEWHERE, PAGE, Row, is_own_id, number, refuse

MAGIC, CHECK = b"cardiac: differences of the runs of a fit\n", 4  # bytes after each run's
EACH, EACH_NODES = 16, 2_000_000  # simulations on a card, and their nodes in all
PAIRS = 8  # sites that meet in runs of two
WINDOWS = 50  # ms, of which V after activation is a multiple
FAILURES = 10  # runs at first, all of which fail: there is no valid one
QUANTITIES = {
    "misfit": "relative",
    "ecg_rms (mV)": "ecg_rms",
    "ecg_r": "ecg_r",
    "lat_rms (ms)": "lat_rms",
}  # columns and fields of a Misfit
SOLVED = {
    "ecg_lag (ms)": "ecg_lag",
    "ecg_gain": "ecg_gain",
    "lat_lag (ms)": "lat_lag",
}  # those of what is solved for


class Evaluation(NamedTuple):
    """A run, number 1 and up."""

    number: int
    values: List[float]
    misfit: Misfit
    message: str = ""
    differences: Optional[Array] = None  # relative to what was measured; their length is the misfit


def look_up(config: Any, key: str) -> Any:
    """The value of "stimuli[0].start" in a resolved config; None where it has none."""
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key):
        try:
            config = config[int(index)] if index else config[name]
        except (KeyError, IndexError, TypeError):
            return None
    return config


def quantity(value: Any) -> Tuple[float, str]:
    """The number and the unit of a value such as "0.5 S/m\" """
    first, _, unit = str(value).partition(" ")
    return float(first), unit


def checked(differences: Array) -> bytes:
    """The numbers and their CRC-32"""
    data = differences.astype("<f8").tobytes()
    return data + zlib.crc32(data).to_bytes(CHECK, "little")


class Fit(Study):
    """The simulations, the domain, the targets and the table; `given`: what was typed, with the devices after the first as `others`;
    `sets`, `facts`: of describe_given."""

    noun = "runs"

    def __init__(self, given: argparse.Namespace, sets: List[str], facts: Dict[str, Any]) -> None:
        super().__init__(given)
        self.sets = sets
        self.config: Dict[str, Any] = facts["config"]
        self.fit, self.id, self.inputs = self.config["fit"], facts["ids"]["fit"], facts["inputs"]
        self._places: Dict[str, str] = facts["places"]
        if not self.fit.get("parameters"):
            text = "%s: fit.parameters is missing: the keys that are varied, with their bounds"
            raise InputError(text % given.config, 2)
        self.place(given.output or self.config["output"]["directory"])
        self.beside = os.path.join(self.folder, "differences.bin")
        for name in ("table.csv", "differences.bin", "fitted.yaml", "fit.html"):
            check_output(os.path.join(self.folder, name), given.config, self.config)
        self.devices = self._devices(
            [given.device or self.config["device"], *given.others], facts.get("gpus", 0)
        )
        self.sims = [self._open(self.devices[0], 0)]
        with ThreadPoolExecutor(len(self.devices)) as pool:
            self.sims += pool.map(
                lambda device: self._open(device, 0), list(dict.fromkeys(self.devices))[1:]
            )
        warnings.simplefilter("ignore")  # of other values, which the table has
        self._faces: Dict[str, Faces] = {}  # by their condition
        parts = [self._part(key) for key in self.fit["parameters"]]
        self.measured = Measured(self.config, self.sims[0])
        self.quantities = {
            **QUANTITIES,
            **{column: field for column, field in SOLVED.items() if field in self.measured.solved},
        }
        self.domain = Domain(parts, self._relative())
        self.rows: Dict[int, Evaluation] = {}
        self._fixed: Dict[str, Any] = {}  # starts of the config, where waves had others
        self._blocked: List[Tuple[List[float], str]] = []  # velocities that the mesh cannot carry
        self._said = 0.0

    @staticmethod
    def _devices(names: List[str], gpus: int) -> List[str]:
        """`auto` is all GPUs of the machine, if it has any."""
        return ["cuda:%d" % k for k in range(gpus)] if names == ["auto"] and gpus else names

    def _others(self) -> List[str]:
        """The devices of simulations beside the first of each; where each is named once, a card has as many simulations as keep it busy
        while the host sets others up."""
        names = self.devices
        others = [name for k, name in enumerate(names) if name in names[:k]]
        if not others:
            each = min(
                EACH, len(os.sched_getaffinity(0)) // len(names), EACH_NODES // self.sims[0].nodes
            )
            others = [name for name in names if name.startswith("cuda")] * (each - 1)
        return others

    def _open_others(self) -> None:
        """Beside each other, by what the first has stored"""
        others = self._others()
        count = len(self.sims) + len(others)
        if count > 1:
            threads = self.config["threads"] or max(1, len(os.sched_getaffinity(0)) // count)
            for sim in self.sims:
                sim.reopen({"threads": threads})
            with ThreadPoolExecutor(count) as pool:
                self.sims += pool.map(lambda device: self._open(device, threads), others)

    def _open(self, device: str, threads: int) -> Simulation:
        end = self.config["time"]["end"]
        own: Dict[str, Any] = {"output.every": end, "output.maps": ["activation_time"]}
        own.update({"activation.beats": 1, "stop_when": "never", "device": device})
        own["threads"] = self.config["threads"] or threads
        if self.config.get("ecg", {}).get("target"):
            own["ecg.every"] = end  # leads are read between steps
        return Simulation(self.given.config, overrides_of(self.sets, own))

    def _relative(self) -> List[int]:
        """The parameters that are starts, where all stimuli have one and no target has the clock of the run"""
        keys, own = list(self.fit["parameters"]), [
            "stimuli[%d].start" % k for k in range(len(self.config.get("stimuli", [])))
        ]
        return (
            [keys.index(key) for key in own]
            if self.measured.clock_is_unknown and set(own) <= set(keys)
            else []
        )

    def _part(self, key: str) -> "Range | Place":
        bounds, start = self.fit["parameters"][key], look_up(self.config, key)
        if "on" in bounds:
            try:
                if start is None:
                    raise InputError("is missing: the search starts from the config's value", 2)
                faces = self._faces.get(bounds["on"]) or Faces(self.sims[0], bounds["on"])
                self._faces[bounds["on"]] = faces
                return Place(key, faces, [number_of(x) for x in start])
            except InputError as error:
                raise InputError("%s: %s: %s" % (self._places[key], key, error), 2) from None
        values = []
        for bound in ("from", "to"):
            sets = [*self.sets, "%s=%s" % (key, bounds[bound])]
            with contextlib.redirect_stderr(io.StringIO()):
                values.append(quantity(look_up(describe(self.given.config, sets)["config"], key)))
        (low, unit), (high, _) = values
        first = None if start is None else quantity(start)[0]
        if first is not None and not low <= first <= high:
            text = "%s: %s: the search starts from the config's value, %s, which is not between %s and %s"
            text %= (self._places[key], key, start, bounds["from"], bounds["to"])
            raise InputError(text, 2)
        return Range(key, (low, high), first, unit)

    # ---- the table ----

    def columns(self) -> List[str]:
        return ["id", "run", *self.domain.names, *self.quantities, "at_bound", "message"]

    def recall(self, cells: Row) -> None:
        if not is_own_id(self.path, cells[0], self.id):
            text = "id '%.40s' does not belong to this fit: %s; %s"
            refuse(self.path, cells[0], text % (cells[0], self.reason(), ELSEWHERE))
        count = len(self.domain.names)
        try:
            values = [float(x) for x in cells[2 : 2 + count]]
            numbers = [float(x) if x else math.nan for x in cells[2 + count : -2]]
            misfit = (
                FAILED
                if math.isnan(numbers[0])
                else Misfit(**dict(zip(self.quantities.values(), numbers)))
            )
            row = Evaluation(int(cells[1]), values, misfit, str(cells[-1]))
        except ValueError:
            refuse(self.path, cells[1], "this is no row of a fit; " + ELSEWHERE)
        self.rows[row.number] = row

    def _recall(self, row: Evaluation) -> Optional[Array]:
        """The differences of a row of the table, None where the file beside it does not have them"""
        size = 8 * self.measured.count + CHECK
        self.file.seek(len(MAGIC) + (row.number - 1) * size)
        data = self.file.read(size)
        found = np.frombuffer(data[:-CHECK] if len(data) == size else b"", "<f8")
        return found if data == checked(found) and length(found) == row.misfit.relative else None

    def _keep(self, row: Evaluation) -> None:
        differences = row.differences
        if differences is None:
            differences = np.full(self.measured.count, math.nan)
        with failing(self.beside):
            self.file.seek(len(MAGIC) + (row.number - 1) * (8 * len(differences) + CHECK))
            self.file.write(checked(differences))
            self.file.flush()

    def _store(self, row: Evaluation) -> None:
        self._keep(row)
        values = [number(x) for x in row.values]
        quantities = [number(getattr(row.misfit, field), 17) for field in self.quantities.values()]
        self.append(
            [
                self.id,
                str(row.number),
                *values,
                *quantities,
                " ".join(self.domain.at_bound(row.values)),
                row.message,
            ]
        )
        self.rows[row.number] = row

    # ---- runs ----

    def _evaluate(self, sim: Simulation, row: Evaluation) -> Evaluation:
        self.stop.check()
        own = [
            x
            for part, x in zip((p for p in self.domain.parts for _ in p.names), row.values)
            if ".velocity" in part.key
        ]
        for slow, text in self._blocked if own else ():
            if all(a <= b for a, b in zip(own, slow)):
                return row._replace(message=text)
        try:
            sim.reopen({**self._fixed, **self.domain.overrides(row.values)})
            misfit, differences = self.measured.compare(sim, self.stop)
            return row._replace(misfit=misfit, differences=differences)
        except (InputError, RunError) as error:
            if error.status not in (2, 3):
                raise
            if own and "cannot carry" in error.text:
                self._blocked.append((own, error.text[:290]))
            return row._replace(message=error.text[:290])

    def _each(self, work: Callable[[Simulation, Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """What the simulations make of the items, in their order, each when those before it have ended; a stop or an error comes after them."""
        if len(self.sims) == 1:
            yield from (work(self.sims[0], item) for item in items)
            return
        left, lock = list(enumerate(items))[::-1], threading.Lock()
        ended: "SimpleQueue[Optional[Tuple[int, Any]]]" = SimpleQueue()

        def run_all(sim: Simulation) -> None:
            try:
                while True:
                    with lock:
                        if not left:
                            return
                        k, item = left.pop()
                    ended.put((k, work(sim, item)))
            except BaseException:
                with lock:
                    left.clear()
                raise
            finally:
                ended.put(None)

        with ThreadPoolExecutor(len(self.sims)) as pool:
            workers = [pool.submit(run_all, sim) for sim in self.sims]
            made: Dict[int, Any] = {}
            first, working = 0, len(workers)
            try:
                while working:
                    found = ended.get()
                    if found is None:
                        working -= 1
                        continue
                    made[found[0]] = found[1]
                    while first in made:
                        yield made.pop(first)
                        first += 1
            finally:
                with lock:
                    left.clear()
            for worker in workers:
                worker.result()

    def make_runs(self, vectors: Sequence[Array]) -> List[Evaluation]:
        """Of repaired vectors, from the table as far as it has them"""
        rows = [
            Evaluation(k, self.domain.values(u), FAILED)
            for k, u in enumerate(vectors, len(self._made) + 1)
        ]
        known = [self.rows.get(row.number) for row in rows]
        for row, old in zip(rows, known):
            if old and [number(x) for x in old.values] != [number(x) for x in row.values]:
                text = "%s: row %d has other values than this fit draws; %s"
                raise InputError(text % (self.path, row.number, ELSEWHERE), 2)
        self._made += [old for old in known if old]
        for row in self._each(self._evaluate, [row for row, old in zip(rows, known) if not old]):
            self._store(row)
            self._made.append(row)
            self._show()
        if len(self._made) >= FAILURES and all(row.misfit == FAILED for row in self._made):
            text = "%s: fit.parameters: the first %d runs failed, so that the bounds may hold no valid run: %s"
            raise InputError(text % (self.given.config, len(self._made), self._made[0].message), 2)
        return [self.rows[row.number] for row in rows]

    def _show(self) -> None:
        least = self.best().misfit.relative
        self._say(
            "%d of at most %d runs, least misfit %.4g"
            % (len(self._made), self.fit["evaluations"], least)
        )

    def _say(self, text: str) -> None:
        """A line that is rewritten in a terminal"""
        now = time.monotonic()
        self.watch.now(text)
        if not self.given.quiet and sys.stderr.isatty() and now - self._said >= 0.2:
            self._said = now
            sys.stderr.write("\r%s \r" % text)
            sys.stderr.flush()

    def best(self) -> Evaluation:
        return min(self._made, key=lambda row: row.misfit.relative)

    # ---- the fit ----

    def _differences(self, vectors: Sequence[Array]) -> List[Optional[Array]]:
        """Of the runs of the search, as many as are left"""
        left = int(self.fit["evaluations"]) - len(self._made)
        rows = self.make_runs(vectors[:left])
        found = []
        for row in rows:
            if row.differences is None and row.misfit != FAILED:
                own = self._recall(row)
                if own is None:
                    row = self._evaluate(self.sims[0], row)
                    self._keep(row)
                    own = row.differences
                row = self.rows[row.number] = row._replace(differences=own)
            found.append(row.differences)
        return found

    def _velocities(self) -> List[Range]:
        return [
            part
            for part in self.domain.parts
            if isinstance(part, Range) and ".velocity" in part.key
        ]

    def _single(self, of: Layout) -> Tuple[str, List[str]]:
        """The id of waves of single sites, which no target, output or lead changes, and the names of the stimuli"""
        stimuli = self.config["stimuli"]
        activation = {
            key: value
            for key, value in self.config.get("activation", {}).items()
            if key not in ("target", "noise", "lag")
        }
        own = {key: value for key, value in stimuli[0].items() if key not in ("name", "start")}
        place = self.domain.parts[of.places[0]].key
        sets = [
            *self.sets,
            "stimuli=%s" % json.dumps([{**own, "name": "site"}]),
            "%s=[0 mm, 0 mm, 0 mm]" % place.replace("[%d]" % of.stimuli[0], "[0]"),
            "fit={}",
            "ecg={}",
            "activation=%s" % json.dumps(activation),
            "output={directory: out}",
            "time.end=1000 ms",
        ]
        for k in of.axes:
            part = self.domain.parts[k]
            sets.append("%s=%s" % (part.key, part.override(part.values(np.array([0.0])))))
        with contextlib.redirect_stderr(io.StringIO()):  # warnings of the config, which are known
            ids = describe(self.given.config, sets)["ids"]
        return str(ids["results"]), [str(stimulus["name"]) for stimulus in stimuli]

    def _forest(self) -> Forest:
        """Waves of single sites, from the cache as far as it has them; Unsuited where sets of them cannot be superposed"""
        of, sim = layout(self.domain, self.config), self.sims[0]
        for k in of.stimuli:
            self._fixed["stimuli[%d].start" % k] = self.config["stimuli"][k].get("start", "0 ms")
        grid, points, cells = Grid(self.domain, of), sim.points, sim.cells
        edge = float(np.linalg.norm(points[cells[:, 0]] - points[cells[:, 1]], axis=1).mean())
        apart = APART[1 if self.measured.leads else 0] * edge
        surface = Surface(self.domain, of, apart, len(grid.nodes))
        key, names = self._single(of)
        velocities = [
            [self.domain.parts[k].override([v]) for k, v in zip(of.axes, grid.velocities(n))]
            for n in range(len(grid.nodes))
        ]
        nodes = [
            {self.domain.parts[k].key: text for k, text in zip(of.axes, own)} for own in velocities
        ]
        places = [self.domain.parts[k].key for k in of.places]
        for own in nodes:
            own.update({"stimuli[%d].start" % k: "0 ms" for k in of.stimuli})
        sites = surface.points.tolist()
        middle = nodes[len(nodes) // 2]
        others = [own for own in nodes if own is not middle]
        runs = [Wave(middle, [p], places, names) for p in sites]
        more = [Wave(own, [p], places, names) for p in sites[: surface.coarse] for own in others]
        count = min(PAIRS, surface.coarse // 2 * 2)
        pairs = [Wave(middle, sites[k : k + 2], places, names) for k in range(0, count, 2)]
        window = 0
        if self.measured.leads:  # ms; few lengths, as other targets use the same
            window = BEFORE + WINDOWS * math.ceil((self.measured.lead_times[-1] + 2) / WINDOWS)
        ids = json.dumps([key, velocities, surface.id])
        tau: Any = np.empty((len(runs) + len(more), sim.nodes), np.float32)
        made, begin = 0, 0
        for part, waves in (("middle", runs), ("grid", more)):
            with Dictionary(ids, sim.nodes, self._say, part) as book:
                rows = book.waves(self._each, waves, self.stop)
                tau[begin : begin + len(waves)] = rows.reshape(len(waves), sim.nodes)
                made, begin = made + book.made, begin + len(waves)
        if not self.given.quiet:
            text = "%d waves of single sites are in %s; %d are new\n"
            say(text % (len(tau), os.path.dirname(book.path), made))
        with Dictionary(ids, sim.nodes, self._say, "pairs") as book:
            both = book.waves(self._each, pairs, self.stop).reshape(len(pairs), sim.nodes)
        m = meeting(tau[:count].reshape(len(pairs), 2, sim.nodes), both)
        mean = None
        if window:
            with Dictionary(ids, sim.nodes, self._say, "V %d" % window) as book:
                mean = book.mean(self._each, runs[:MEAN], window, self.stop)
        self._check_waves(of, tau, mean)
        levels = self._levels(of, grid, surface, tau, mean, nodes)
        between = np.nan_to_num(tau[:, surface.nodes[: surface.coarse]], nan=1e4)
        return Forest(self.domain, of, grid, surface, levels, between, self.measured, m)

    def _starts(self, of: Layout) -> List[Tuple[float, float]]:
        """Between which times each site starts, ms"""
        parts = [
            fixed if k is None else self.domain.parts[k] for k, fixed in zip(of.starts, of.fixed)
        ]
        return [
            (x.low, x.high) if isinstance(x, Range) else (x, x)
            for x in parts
            if not isinstance(x, Place)
        ]

    def _check_waves(self, of: Layout, tau: Array, mean: Optional[Array]) -> None:
        if mean is not None:
            ends, least = self._starts(of), shortest(mean)
            if max(high for _, high in ends) - min(low for low, _ in ends) > least:
                raise Unsuited(
                    "starts may differ by more than the shortest action potential, %.3g ms" % least
                )
        lacking: NDArray[np.bool_] = np.asarray(np.isnan(tau).any(axis=0))
        measured = self.measured.activation
        if lacking.mean() > 0.5 or (measured and lacking[measured.nodes].any()):
            raise Unsuited(
                "waves of single sites do not reach all %s"
                % ("measured nodes" if measured else "tissue")
            )

    def _levels(
        self,
        of: Layout,
        grid: Grid,
        surface: Surface,
        tau: Array,
        mean: Optional[Array],
        nodes: Sequence[Dict[str, Any]],
    ) -> List[Level]:
        measured, sim = self.measured, self.sims[0]
        known = tau[:, measured.activation.nodes if measured.activation else []]
        if measured.leads is None or mean is None:
            return [Level.of(tau[:, :0], known, surface)]
        columns = [sim.fields["leads"]["names"].index(name) for name in measured.leads.names]
        weights, factors = [], []
        for k, own in enumerate(nodes):
            sim.reopen(own)
            weights.append(sim["lead_weights"].reshape(sim.nodes, -1)[:, columns])
            square = grid.velocities(k) ** 2 if of.axes else np.zeros(0)
            factors.append([0.0 if grid.uniform else 1.0, *square])
        kinds = np.linalg.lstsq(
            np.array(factors), np.array(weights).reshape(len(nodes), -1), rcond=None
        )[0].reshape(-1, *weights[0].shape)
        reached = np.flatnonzero(~np.isnan(tau).any(axis=0))
        templates, own_kinds = Templates.of(mean[:, reached]), np.asarray(kinds[:, reached], float)
        found: List[Level] = []
        least = min(low for low, _ in self._starts(of)) - MEETING[1] * math.log(len(of.places))
        middle = weights[len(nodes) // 2][reached]
        for most, shapes in zip(NODES, (ROUGH, SHAPES)):
            shape, cells = templates, None
            if len(reached) <= most:
                waves = tau[:, reached]
            else:  # of one run after the other, as all are as large as the heart
                cells, shares = opposite(thinned(sim.points[reached], most), middle)
                waves = means((row[reached] for row in tau), cells, shares)
                apart = [
                    (row[reached] - own[cells]) ** 2 @ shares
                    for row, own in zip(tau, waves[: surface.coarse])
                ]
                shape = templates.spread(math.sqrt(sum(apart) / len(apart) / shares.sum()))
            leads = Leads(own_kinds, shape, measured.lead_times, shapes, cells, least)
            found.append(Level.of(waves, known, surface, leads))
        return found

    def _search(self) -> Search:
        seed = "search %d" % self.fit["seed"]
        fits, size = self.measured.fits(len(self.domain.names)), self.measured.size
        widths = SMOOTH if self.measured.leads else (0,)
        own = (self.domain, Random(seed), self._differences, self.measured.smooth)
        search = Search(*own, fits, size, widths)
        try:
            forest: Optional[Forest] = self._forest()
        except Unsuited as why:
            forest = None
            if not self.given.quiet:
                say("search by runs alone: %s\n" % why)
        try:
            if forest:
                self._say("sets of sites on superposed waves")
                count = int(self.config["threads"] or len(os.sched_getaffinity(0)))
                with Crew(Sets(forest), min(count, BEGINNINGS), self.stop.check) as crew:
                    Insertion(forest, search, seed, fits, crew).run()
            else:
                search.run()
            self.spent = False
        except Spent:
            self.spent = True
        return search

    def _more(self, vectors: Sequence[Array]) -> List[Optional[Array]]:
        """Differences of runs that no table has"""
        rows = [Evaluation(0, self.domain.values(u), FAILED) for u in vectors]
        return [row.differences for row in self._each(self._evaluate, rows)]

    def _conclude(self, search: Search) -> Verdict:
        by_runs = Search(self.domain, search.random, self._more, self.measured.smooth)
        return conclude(
            self.domain,
            search,
            by_runs,
            self.measured.count,
            self.measured.knows_noise,
            len(self.measured.solved),
        )

    def make(self) -> None:
        """All runs that the table does not have, and then the results."""
        self._made: List[Evaluation] = []
        fitted, page, best = (
            os.path.join(self.folder, name) for name in ("fitted.yaml", "fit.html", "best")
        )
        if not self.given.overwrite and not os.path.exists(self.path):
            for path in (fitted, page, self.beside):
                claim(path, None, ELSEWHERE)
            if os.path.lexists(best):
                raise InputError(
                    "%s exists and is no result of this fit; %s" % (best, ELSEWHERE), 2
                )
        claim(self.beside, MAGIC)
        claim(fitted, b"")
        claim(page, b"" if self.given.overwrite else PAGE.encode())
        with self.open_table(), self._open_beside() as self.file:
            self._open_others()
            search = self._search()
            verdict = self._conclude(search)
        self._write_config(fitted)
        result = run(fitted, output=best, overwrite=True, progress=False)
        self._write_page(page, result, verdict)
        self._report(verdict)

    def _open_beside(self) -> BinaryIO:
        with failing(self.beside):
            file = open(open_plain(self.beside, os.O_RDWR | os.O_CREAT), "r+b")
            if self.given.overwrite or not file.read(1):
                file.truncate(0)
                file.seek(0)
                file.write(MAGIC)
                file.flush()
                sync_name(self.beside)
            return file

    def _write_config(self, path: str) -> None:
        values = self.domain.overrides(self.best().values)
        sets = [
            *self.sets,
            "stop_when=never",
            *("%s=%s" % (key, value_text(value)) for key, value in values.items()),
        ]
        call = [find(), "check", argument(self.given.config), "--resolved", "--syntax"]
        call += ["--set=" + text for text in sets]
        done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise failure(done.returncode, done.stderr.decode(errors="replace"))
        with writing(path, b"") as file:
            file.write(done.stdout)

    def _write_page(self, path: str, result: Result, verdict: Verdict) -> None:
        try:
            from .fit_page import page
        except ModuleNotFoundError as error:
            say_line("cardiac: fit.html is not written: it needs %s" % error.name)
            return
        rows = [row.misfit.relative for row in self._made]
        name = self.config.get("title") or os.path.splitext(os.path.basename(self.given.config))[0]
        write_own(path, page(name, result, verdict, rows), "")

    def _words(self, misfit: Misfit) -> str:
        parts = ["misfit %.4g" % misfit.relative]
        if self.measured.leads:
            parts.append("ecg_rms %.4g mV, ecg_r %.5g" % (misfit.ecg_rms, misfit.ecg_r))
        if self.measured.activation:
            parts.append("lat_rms %.4g ms" % misfit.lat_rms)
        for value, text in (
            (misfit.ecg_lag, "leads measured %.6g ms later"),
            (misfit.ecg_gain, "leads %.4g times as large"),
            (misfit.lat_lag, "activation measured %.6g ms later"),
        ):
            parts += [text % value] if not math.isnan(value) else []
        return ", ".join(parts)

    def describe(self) -> str:
        """What the first guess gives, and how long all runs take"""
        began = time.monotonic()
        try:
            self.sims[0].reopen(
                self.domain.overrides(self.domain.values(self.domain.repair(self.domain.start)))
            )
            misfit, _ = self.measured.compare(self.sims[0], self.stop)
        except (InputError, RunError) as error:  # as that of a run
            error.text = "the first guess: " + error.text
            raise
        seconds, runs = time.monotonic() - began, self.fit["evaluations"]
        minutes, rest = divmod(math.ceil(seconds * runs / len(self.devices)), 60)
        text = "%d numbers are varied; the first guess: %s\nat most %d runs: about %d:%02d, as the first took %.3g s"
        text += ", after the fronts of the velocities\n" if self._velocities() else "\n"
        return text % (len(self.domain.names), self._words(misfit), runs, minutes, rest, seconds)

    def _report(self, verdict: Verdict) -> None:
        if self.given.quiet:
            return
        say("the best of %d runs: %s\n" % (len(self._made), self._words(self.best().misfit)))
        for line in verdict.lines():
            say(line + "\n")
        say("results: %s\n" % self.folder)


def thinned(points: Array, most: int) -> NDArray[np.int64]:
    """The number of each point's cell of a grid with about so many"""
    low, high = points.min(axis=0), points.max(axis=0)
    edge = float((np.prod(np.maximum(high - low, 1e-3)) / most) ** (1 / 3))
    while True:
        cells = np.floor((points - low) / edge).astype(np.int64)
        kept, groups = np.unique(cells @ np.array([1, 1 << 20, 1 << 40]), return_inverse=True)
        if len(kept) >= 0.8 * most:
            return groups.ravel().astype(np.int64)
        edge *= 0.9


def opposite(cells: NDArray[np.int64], weights: Array) -> Tuple[NDArray[np.int64], Array]:
    """Cells of which each is split by the signs of its nodes' weights (nodes, leads) along the direction in which these are largest, and the
    sizes along it: means by these sizes are right to the first order of times within a cell, and nodes with weights of two signs, as on two
    sides of a layer, would make a dipole of no length"""
    count, leads = int(cells.max()) + 1, weights.shape[1]
    squares = np.zeros((count, leads, leads))
    for i in range(leads):
        for j in range(i + 1):
            own = np.bincount(cells, weights[:, i] * weights[:, j], count)
            squares[:, i, j] = squares[:, j, i] = own
    largest = np.linalg.eigh(squares)[1][:, :, -1]
    along = np.einsum("xl,xl->x", weights, largest[cells])
    size = abs(along)
    groups = np.unique(2 * cells + (along > 0), return_inverse=True)[1]
    return groups.ravel().astype(np.int64), size + 1e-6 * size.max()


def means(rows: Iterable[Array], cells: NDArray[np.int64], shares: Array) -> Array:
    """Of (rows, nodes), those of the nodes of each cell, which count by their shares"""
    count = np.bincount(cells, shares)
    return np.array([np.bincount(cells, shares * row) / count for row in rows], np.float32)


def run_fit(given: argparse.Namespace, sets: List[str], facts: Dict[str, Any]) -> str:
    """`cardiac fit`: the study, or with --dry-run its forecast, as text."""
    study = Fit(given, sets, facts)
    try:
        if given.dry_run:
            return study.describe()
        study.make()
    finally:
        study.watch.end()
        for sim in study.sims:
            sim.close()
    return ""
