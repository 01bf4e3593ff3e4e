"""`cardiac fit`: values of keys with which a config gives the leads or activation times that were measured.

A search for the best values, then a population of all that fit about as well. Each run is a row of a table, and its differences from what
was measured a record of a file beside it; what is drawn depends on the seed and on the runs before alone, so that a fit that goes on reads
them in place of making the runs.
"""

from __future__ import annotations

import argparse
import functools
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
from typing import Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import target
from ..own_file import claim, failing, open_plain, sync_name, write_own, writing
from ..program import InputError, RunError, argument, failure, find, run
from ..program import value as value_text
from ..result import Result
from ..simulation import Simulation
from ..text import say as say_line
from . import posterior
from .domain import Domain, Place, Range, span
from .exact import Array, Random
from .paced import check_output, describe, describe_given, number_of, overrides_of, say
from .search import Search, Spent, length
from .study import Stop, Study
from .table import ELSEWHERE, PAGE, Row, check_id, number, refuse

MAGIC, CHECK = b"cardiac: differences of the runs of a fit\n", 4  # bytes after each run's
EACH, EACH_NODES = 16, 2_000_000  # simulations on a card, and their nodes in all
AHEAD = 4  # runs of each simulation, that may end before an earlier one
FAILURES = 10  # runs at first, all of which fail: there is no valid one
STAGES = SEARCH, POSTERIOR = ("search", "posterior")
QUANTITIES = ["misfit", "ecg_rms (mV)", "ecg_r", "lat_rms (ms)"]
REGION = 0.9  # share of the posterior that is reported


Value = Tuple[str, float, float, Optional[Tuple[float, float]]]  # name, first, best, posterior


class Misfit(NamedTuple):
    """How far a run is from what was measured, NaN where that has no target; infinite: it failed."""

    relative: float
    ecg_rms: float = math.nan  # mV
    ecg_r: float = math.nan
    lat_rms: float = math.nan  # ms


FAILED = Misfit(math.inf)


class Evaluation(NamedTuple):
    """A run, number 1 and up of its stage."""

    stage: str
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


def choose(left: List[int], keys: List[List[float]], held: Sequence[Optional[List[float]]], own: int) -> int:
    """The next run of simulation `own`: one whose values but places it has, and so its matrix, or else those that fewest have."""
    near = [k for k in left if k < left[0] + AHEAD * len(held)]
    return min(near, key=lambda k: (keys[k] != held[own], held.count(keys[k]), k))


def checked(differences: Array) -> bytes:
    """The numbers and their CRC-32"""
    data = differences.astype("<f8").tobytes()
    return data + zlib.crc32(data).to_bytes(CHECK, "little")


class Measured:
    """The targets of a config, and how far a simulation is from them."""

    def __init__(self, config: Dict[str, Any], sim: Simulation) -> None:
        self.end, paths = number_of(config["time"]["end"]), {}
        for section in ("ecg", "activation"):
            paths[section] = config.get(section, {}).get("target")
        if not any(paths.values()):
            raise InputError("ecg.target or activation.target is missing: what was measured", 2)
        self.leads: Optional[target.Leads] = None
        self.activation: Optional[target.Activation] = None
        if paths["ecg"]:
            self.every = number_of(config["ecg"].get("every", "1 ms"))
            self.leads = target.read_leads(paths["ecg"])
            self._names = sim.fields["leads"]["names"]
            times = self._times()
            computed = target.Leads(times, self._names, np.zeros((len(times), len(self._names))))
            self.leads = target.pair_of(paths["ecg"], computed)[0]
            self._size = target.rms(self.leads.values) * math.sqrt(self.leads.values.size)
        if paths["activation"]:
            self.activation = target.read_activation(paths["activation"], sim.points)
            of = self.activation.times
            self._spread = target.rms(of - math.fsum(of) / len(of)) * math.sqrt(len(of))
            if not self._spread > 0:
                raise InputError("%s: all activation times are equal" % paths["activation"], 2)

    def _times(self) -> Array:
        count = math.floor(self.end / self.every * (1 + 1e-12)) + 1
        return np.array([k * self.every for k in range(count)])

    def _compare_leads(
        self, leads: target.Leads, sim: Simulation, stop: Stop
    ) -> Tuple[target.Leads, target.Leads]:
        times, rows = self._times(), [sim["leads"]]
        for k, at in enumerate(times[1:]):
            sim.advance(at, progress=False)
            rows.append(sim["leads"])
            if k % 16 == 0:
                stop.check()
        return target.pair(leads, target.Leads(times, self._names, np.array(rows)))

    def compare(self, sim: Simulation, stop: Stop) -> Tuple[Misfit, Array]:
        """Of the run to its end, and its differences: relative to what was measured, so that both targets count alike."""
        parts, of_leads, lat_rms = [], (math.nan, math.nan), math.nan
        if self.leads:
            both = self._compare_leads(self.leads, sim, stop)
            of_leads = target.ecg_rms(*both), target.ecg_r(*both)
            parts.append((both[1].values - both[0].values).ravel() / self._size)
        if self.activation:
            stop.check()
            sim.advance(self.end, progress=False)
            first = sim["activation_time"].reshape(sim.nodes, -1)[:, 0]
            apart = target.lat_differences(self.activation, first, self.end)
            lat_rms = target.rms(apart)
            parts.append(-apart / self._spread)
        differences = np.concatenate(parts) / math.sqrt(len(parts))
        return Misfit(length(differences), *of_leads, lat_rms), differences

    @property
    def count(self) -> int:
        """Of differences"""
        leads = self.leads.values.size if self.leads else 0
        return leads + (len(self.activation.times) if self.activation else 0)

    def smooth(self, differences: Array, width: float) -> Array:
        """Those of the leads by three means over time, whose standard deviation is `width` ms"""
        if not self.leads or not width:
            return differences
        times, values = self.leads.times, self.leads.values
        rows = differences[: values.size].reshape(values.shape)
        half = round(width / float(np.median(np.diff(times))))  # three means of 2 half + 1: variance half (half + 1)
        for _ in range(3 if half else 0):
            ends = [rows[:1]] * (half + 1), [rows[-1:]] * half
            sums = np.add.accumulate(np.concatenate([*ends[0], rows, *ends[1]]), axis=0)
            rows = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
        return np.concatenate([rows.ravel(), differences[values.size :]])


class Fit(Study):
    """The simulations, the domain, the targets and the table; `given`: what was typed."""

    noun = "runs"

    def __init__(self, given: argparse.Namespace) -> None:
        super().__init__(given)
        named = (given.device or "").split(",")
        given.device = named[0] or None
        self.sets, facts = describe_given(given)
        self.config: Dict[str, Any] = facts["config"]
        self.fit, self.id = self.config["fit"], facts["ids"]["fit"]
        self._places: Dict[str, str] = facts["places"]
        if not self.fit.get("parameters"):
            text = "%s: fit.parameters is missing: the keys that are varied, with their bounds"
            raise InputError(text % given.config, 2)
        self.place(given.output or self.config["output"]["directory"])
        self.beside = os.path.join(self.folder, "differences.bin")
        for name in ("table.csv", "differences.bin", "fitted.yaml", "fit.html"):
            check_output(os.path.join(self.folder, name), given.config, self.config)
        self.devices = [given.device or self.config["device"], *named[1:]]
        self.sims = [self._open(device, 0) for device in dict.fromkeys(self.devices)]
        warnings.simplefilter("ignore")  # of other values, which the table has
        self.domain = Domain([self._part(key) for key in self.fit["parameters"]])
        self.measured = Measured(self.config, self.sims[0])
        self.rows: Dict[Tuple[str, int], Evaluation] = {}
        self._said = 0.0

    def _others(self) -> List[str]:
        """The devices of simulations beside the first of each; where each is named once, a card has as many simulations as keep it busy
        while the host sets others up."""
        names = self.devices
        others = [name for k, name in enumerate(names) if name in names[:k]]
        if not others:
            each = min(EACH, len(os.sched_getaffinity(0)) // len(names), EACH_NODES // self.sims[0].nodes)
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

    def _part(self, key: str) -> "Range | Place":
        bounds, start = self.fit["parameters"][key], look_up(self.config, key)
        if "on" in bounds:
            try:
                if start is None:
                    raise InputError("is missing: the search starts from the config's value", 2)
                return Place(key, self.sims[0], bounds["on"], [number_of(x) for x in start])
            except InputError as error:
                raise InputError("%s: %s: %s" % (self._places[key], key, error), 2) from None
        values = []
        for bound in ("from", "to"):
            sets = [*self.sets, "%s=%s" % (key, bounds[bound])]
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
        return ["id", "stage", "run", *self.domain.names, *QUANTITIES, "at_bound", "message"]

    def recall(self, cells: Row) -> None:
        foreign = "is of a fit with another config, bounds, seed or files"
        check_id(self.path, cells[0], self.id, foreign)
        count = len(self.domain.names)
        try:
            values = [float(x) for x in cells[3 : 3 + count]]
            numbers = [float(x) if x else math.nan for x in cells[3 + count : -2]]
            misfit = FAILED if math.isnan(numbers[0]) else Misfit(*numbers)
            row = Evaluation(str(cells[1]), int(cells[2]), values, misfit, str(cells[-1]))
        except ValueError:
            row = Evaluation("", 0, [], FAILED)
        if row.stage not in STAGES:
            refuse(self.path, cells[1], "this is no row of a fit; " + ELSEWHERE)
        self.rows[row.stage, row.number] = row

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
        if row.stage == SEARCH:
            self._keep(row)
        values = [number(x) for x in row.values]
        quantities = [number(x, 17) for x in row.misfit]
        self.append([self.id, row.stage, str(row.number), *values, *quantities, " ".join(self.domain.at_bound(row.values)), row.message])
        self.rows[row.stage, row.number] = row

    # ---- runs ----

    def _evaluate(self, sim: Simulation, row: Evaluation) -> Evaluation:
        self.stop.check()
        try:
            sim.reopen(self.domain.overrides(row.values))
            misfit, differences = self.measured.compare(sim, self.stop)
            return row._replace(misfit=misfit, differences=differences)
        except (InputError, RunError) as error:
            if error.status not in (2, 3):
                raise
            return row._replace(message=error.text[:290])

    def _run(self, rows: Sequence[Evaluation]) -> Iterator[Evaluation]:
        """The rows with their misfits, in their order, each when those before it have ended; a stop or an error comes after them."""
        if len(self.sims) == 1:
            yield from map(functools.partial(self._evaluate, self.sims[0]), rows)
            return
        ranges = [k for k, part in enumerate(p for p in self.domain.parts for _ in p.names) if isinstance(part, Range)]
        keys = [[row.values[k] for k in ranges] for row in rows]
        held: List[Optional[List[float]]] = [None] * len(self.sims)
        left, lock = list(range(len(rows))), threading.Lock()
        ended: "SimpleQueue[Optional[Tuple[int, Evaluation]]]" = SimpleQueue()

        def work(own: int) -> None:
            try:
                while True:
                    with lock:
                        if not left:
                            return
                        k = choose(left, keys, held, own)
                        left.remove(k)
                        held[own] = keys[k]
                    ended.put((k, self._evaluate(self.sims[own], rows[k])))
            except BaseException:
                with lock:
                    left.clear()
                raise
            finally:
                ended.put(None)

        with ThreadPoolExecutor(len(self.sims)) as pool:
            workers = [pool.submit(work, own) for own in range(len(self.sims))]
            made: Dict[int, Evaluation] = {}
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

    def make_runs(self, stage: str, vectors: Sequence[Array]) -> List[Evaluation]:
        """Of repaired vectors, from the table as far as it has them"""
        first = sum(row.stage == stage for row in self._made)
        values = map(self.domain.values, vectors)
        rows = [Evaluation(stage, first + k, own, FAILED) for k, own in enumerate(values, 1)]
        known = [self.rows.get((stage, row.number)) for row in rows]
        for row, old in zip(rows, known):
            if old and [number(x) for x in old.values] != [number(x) for x in row.values]:
                text = "%s: row %d of the %s has other values than this fit draws; %s"
                raise InputError(text % (self.path, row.number, stage, ELSEWHERE), 2)
        new = [row for row, old in zip(rows, known) if not old]
        self._made += [old for old in known if old]
        for row in self._run(new):
            self._store(row)
            self._made.append(row)
            self._show(stage)
        if len(self._made) >= FAILURES and all(row.misfit == FAILED for row in self._made):
            text = "%s: fit.parameters: the first %d runs failed, so that the bounds may hold no valid run: %s"
            raise InputError(text % (self.given.config, len(self._made), self._made[0].message), 2)
        return [self.rows[stage, row.number] for row in rows]

    def _show(self, stage: str) -> None:
        done = sum(row.stage == stage for row in self._made)
        most = self.fit["evaluations" if stage == SEARCH else "posterior"]
        least = self.best().misfit.relative
        self._say("%s: %d of %d runs, least misfit %.4g" % (stage, done, most, least))

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
        rows = self.make_runs(SEARCH, vectors[:left])
        if len(vectors) > left:
            raise Spent
        found = []
        for row in rows:
            if row.differences is None and row.misfit != FAILED:
                own = self._recall(row)
                if own is None:
                    row = self._evaluate(self.sims[0], row)
                    self._keep(row)
                    own = row.differences
                row = self.rows[SEARCH, row.number] = row._replace(differences=own)
            found.append(row.differences)
        return found

    def _velocities(self) -> List[Range]:
        return [part for part in self.domain.parts if isinstance(part, Range) and ".velocity" in part.key]

    def _search(self) -> None:
        random = Random("search %d" % self.fit["seed"])
        try:
            Search(self.domain, random, self._differences, self.measured.smooth).run()
        except Spent:
            pass

    def _sample(self) -> Optional[posterior.Population]:
        if not self.fit["posterior"]:
            return None
        random = Random("posterior %d" % self.fit["seed"])

        def distances(samples: Sequence[Array]) -> List[float]:
            return [row.misfit.relative for row in self.make_runs(POSTERIOR, samples)]

        return posterior.sample(self.domain, random, int(self.fit["posterior"]), distances)

    def values(self, population: Optional[posterior.Population]) -> List[Value]:
        """Name, first, best, and between which the middle of the posterior lies."""
        first, best = self.domain.values(self.domain.repair(self.domain.start)), self.best().values
        regions: List[Optional[Tuple[float, float]]] = [None] * len(best)
        if population:
            rows = [self.domain.values(u) for u in population.samples]
            regions = [span(column, population.weights, REGION) for column in zip(*rows)]
        return list(zip(self.domain.names, first, best, regions))

    def make(self) -> None:
        """All runs that the table does not have, and then the results."""
        self._made: List[Evaluation] = []
        fitted, page, best = (os.path.join(self.folder, name) for name in ("fitted.yaml", "fit.html", "best"))
        if not self.given.overwrite and not os.path.exists(self.path):
            for path in (fitted, page, self.beside):
                claim(path, None, ELSEWHERE)
            if os.path.lexists(best):
                raise InputError("%s exists and is no result of this fit; %s" % (best, ELSEWHERE), 2)
        claim(self.beside, MAGIC)
        claim(fitted, b"")
        claim(page, b"" if self.given.overwrite else PAGE.encode())
        with self.open_table(), self._open_beside() as self.file:
            self._open_others()
            self._search()
            population = self._sample()
        self._write_config(fitted)
        values = self.values(population)
        result = run(fitted, output=best, overwrite=True, progress=False)
        self._write_page(page, result, values, population)
        self._report(values)

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
        sets = [*self.sets, "stop_when=never", *("%s=%s" % (key, value_text(value)) for key, value in values.items())]
        call = [find(), "check", argument(self.given.config), "--resolved", "--syntax"]
        call += ["--set=" + text for text in sets]
        done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise failure(done.returncode, done.stderr.decode(errors="replace"))
        with writing(path, b"") as file:
            file.write(done.stdout)

    def _write_page(
        self,
        path: str,
        result: Result,
        values: List[Value],
        population: Optional[posterior.Population],
    ) -> None:
        try:
            from .fit_page import page
        except ModuleNotFoundError as error:
            say_line("cardiac: fit.html is not written: it needs %s" % error.name)
            return
        rows = [(row.stage, row.misfit.relative) for row in self._made]
        name = self.config.get("title") or os.path.splitext(os.path.basename(self.given.config))[0]
        write_own(path, page(name, result, values, rows, population), "")

    def _words(self, misfit: Misfit) -> str:
        parts = ["misfit %.4g" % misfit.relative]
        if self.measured.leads:
            parts.append("ecg_rms %.4g mV, ecg_r %.5g" % (misfit.ecg_rms, misfit.ecg_r))
        if self.measured.activation:
            parts.append("lat_rms %.4g ms" % misfit.lat_rms)
        return ", ".join(parts)

    def describe(self) -> str:
        """What the first guess gives, and how long all runs take"""
        began = time.monotonic()
        values = self.domain.values(self.domain.repair(self.domain.start))
        row = self._evaluate(self.sims[0], Evaluation(SEARCH, 1, values, FAILED))
        seconds, runs = time.monotonic() - began, self.fit["evaluations"] + self.fit["posterior"]
        minutes, rest = divmod(math.ceil(seconds * runs / len(self.devices)), 60)
        text = "%d numbers are varied; the first guess: %s\n%d runs: about %d:%02d, as the first took %.3g s"
        text += ", after the fronts of the velocities\n" if self._velocities() else "\n"
        said = row.message or self._words(row.misfit)
        return text % (len(self.domain.names), said, runs, minutes, rest, seconds)

    def _report(self, values: List[Value]) -> None:
        if self.given.quiet:
            return
        say("the best of %d runs: %s\n" % (len(self._made), self._words(self.best().misfit)))
        at_bound = self.domain.at_bound(self.best().values)
        for name, first, value, region in values:
            text = "%s: %.5g, from %.5g" % (name, value, first)
            text += "; at its bound" * (name in at_bound)
            text += "; %g %% between %.5g and %.5g" % (100 * REGION, *region) if region else ""
            say(text + "\n")
        say("results: %s\n" % self.folder)


def run_fit(given: argparse.Namespace) -> str:
    study = Fit(given)
    try:
        if given.dry_run:
            return study.describe()
        study.make()
    finally:
        study.watch.end()
        for sim in study.sims:
            sim.close()
    return ""
