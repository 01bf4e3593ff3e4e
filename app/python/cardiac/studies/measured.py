"""What a fit compares its runs with, and how far a run is from it."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .. import target
from ..program import InputError
from ..simulation import Simulation
from .exact import Array
from .paced import number_of
from .search import length
from .study import Stop


class Misfit(NamedTuple):
    """How far a run is from what was measured, NaN where that has no target; infinite: it failed."""

    relative: float  # to the noise or, where that is not given, to what was measured
    ecg_rms: float = math.nan  # mV
    ecg_r: float = math.nan
    lat_rms: float = math.nan  # ms
    ecg_lag: float = (
        math.nan
    )  # ms, by which leads were measured later than computed, where it is solved for
    ecg_gain: float = math.nan
    lat_lag: float = math.nan  # ms


FAILED = Misfit(math.inf)


class Compared(NamedTuple):
    """Differences times their factors, and what was solved for"""

    differences: Array
    leads: Optional[target.Leads]  # computed, at the measured samples
    solved: target.Solved
    lag: float  # ms, of activation
    computed: Optional[target.Leads]  # of the run


class Measured:
    """The targets of a config, and how far a simulation is from them. A lag of activation, a lag of leads and their gain are solved for
    where the config has them `fitted`: they are those with the least differences."""

    def __init__(self, config: Dict[str, Any], sim: Simulation) -> None:
        self.end, paths = number_of(config["time"]["end"]), {}
        for section in ("ecg", "activation"):
            paths[section] = config.get(section, {}).get("target")
        if not any(paths.values()):
            raise InputError("ecg.target or activation.target is missing: what was measured", 2)
        self.leads: Optional[target.Leads] = None
        self.activation: Optional[target.Activation] = None
        self.unknown = [
            name for name in ("lag", "gain") if paths["ecg"] and config["ecg"].get(name) == "fitted"
        ]  # of leads
        self.unknown_lag = bool(paths["activation"]) and config["activation"].get("lag") == "fitted"
        if paths["ecg"]:
            self.every = number_of(config["ecg"].get("every", "1 ms"))
            self._names = sim.fields["leads"]["names"]
            self.leads = target.leads_to_fit(
                paths["ecg"], self._names, self._times(), "lag" in self.unknown
            )
        if paths["activation"]:
            self.activation = target.activation_to_fit(
                paths["activation"], sim.points, self.unknown_lag
            )
        self._scale(
            [
                config.get(section, {}).get("noise")
                for section in ("ecg", "activation")
                if paths[section]
            ]
        )

    def _scale(self, noises: Sequence[Optional[str]]) -> None:
        """The factors of differences, whose squares add up to that of the misfit: 1 = the noise, or where it is unknown, no signal"""
        own = []  # rms of the signal, and values
        if self.leads:
            own.append((target.rms(self.leads.values), self.leads.values.size))
        if self.activation:
            of = self.activation.times
            own.append((target.rms(of - math.fsum(of) / len(of)), len(of)))
        self.knows_noise = all(noise is not None and number_of(noise) > 0 for noise in noises)
        if self.knows_noise:
            units = [number_of(str(noise)) * math.sqrt(self.count) for noise in noises]
        else:
            units = [size * math.sqrt(count * len(own)) for size, count in own]
        self.size = math.sqrt(
            math.fsum(count * (size / unit) ** 2 for (size, count), unit in zip(own, units))
        )
        factors = [1 / unit for unit in units]
        self.lead_factor = factors[0] if self.leads else 0.0
        self.time_factor = factors[-1] if self.activation else 0.0

    def fits(self, values: int) -> float:
        """The misfit up to which so many values fit within the noise, by chi^2 and three of its standard deviations; 0 = unknown"""
        free = max(1, self.count - values - len(self.solved))
        return (
            math.sqrt(free / self.count * (1 + 3 * math.sqrt(2 / free)))
            if self.knows_noise
            else 0.0
        )

    def _times(self) -> Array:
        return target.sample_times(self.end, self.every)

    @property
    def solved(self) -> List[str]:
        """What is solved for: fields of a Misfit"""
        return ["ecg_" + name for name in self.unknown] + ["lat_lag"] * self.unknown_lag

    @property
    def clock_is_unknown(self) -> bool:
        """Whether no target has the clock of the run"""
        return (not self.leads or "lag" in self.unknown) and (
            not self.activation or self.unknown_lag
        )

    @cached_property
    def lead_times(self) -> Array:
        """ms, of a run, at which leads are compared or lie between those that are"""
        times = self._times()
        assert self.leads is not None
        return (
            times
            if "lag" in self.unknown
            else times[: int(np.searchsorted(times, self.leads.times[-1])) + 1]
        )

    def compare_values(self, leads: Optional[Array], apart: Optional[Array]) -> Compared:
        """`leads`: computed at lead_times, mV; `apart`: computed activation less the measured one, ms"""
        parts, both, solved, lag, computed = [], None, target.Solved(), 0.0, None
        if self.leads and leads is not None:
            computed = target.Leads(self.lead_times, self.leads.names, leads)
            if self.unknown:
                solved = target.solve(self.leads, computed, self.unknown)
            values = target.apply(solved, self.leads.times, computed.times, leads)
            both = self.leads._replace(values=values)
            parts.append((values - self.leads.values).ravel() * self.lead_factor)
        if self.activation and apart is not None:
            lag = target.activation_lag(-apart, self.unknown_lag)
            parts.append((apart + lag) * self.time_factor)
        return Compared(np.concatenate(parts), both, solved, lag, computed)

    def of_many(self, leads: Array, apart: Optional[Array]) -> Array:
        """Differences of (sets, times, leads) and (sets, nodes), where no lag or gain of leads is solved for"""
        assert self.leads is not None
        at = target.apply(
            target.Solved(), self.leads.times, self.lead_times, np.moveaxis(leads, 0, 2)
        )
        found = np.moveaxis(at - self.leads.values[:, :, None], 2, 0) * self.lead_factor
        parts = [found.reshape(len(leads), -1)]
        return np.concatenate(parts + ([] if apart is None else [self.of_apart(apart)]), axis=1)

    def of_apart(self, apart: Array) -> Array:
        """Differences of computed activation less the measured one (.., nodes), ms, without leads"""
        late = apart.mean(axis=-1, keepdims=True) if self.unknown_lag else 0.0
        found: Array = (apart - late) * self.time_factor
        return found

    def slopes(
        self, at: Compared, leads: Optional[Sequence[Array]], times: Sequence[Array]
    ) -> Array:
        """Columns of differences by derivatives of computed leads and activation, where what is solved for follows: their parts along it
        count for nothing (variable projection)"""
        parts, free = [], []
        if self.leads and leads is not None:
            own = np.moveaxis(np.asarray(leads), 0, 2)
            own = target.apply(at.solved, self.leads.times, self.lead_times, own)
            parts.append((own * self.lead_factor).reshape(-1, own.shape[2]))
        if self.activation:
            parts.append(np.asarray(times).T * self.time_factor)
        J = np.concatenate(parts)
        count = self.leads.values.size if self.leads else 0
        if self.leads and at.computed:
            for own in target.derivatives(self.leads, at.computed, at.solved, self.unknown):
                free.append(np.concatenate([own.ravel(), np.zeros(self.count - count)]))
        if self.unknown_lag:
            free.append(np.concatenate([np.zeros(count), np.ones(self.count - count)]))
        free = [x for x in free if x.any()]
        if free:
            Q = np.linalg.qr(np.array(free).T)[0]
            J = J - Q @ (Q.T @ J)
        return np.asarray(J)

    def _run_leads(self, sim: Simulation, stop: Stop) -> Array:
        times, rows = self._times(), [sim["leads"]]
        for k, at in enumerate(times[1:]):
            sim.advance(at, progress=False)
            rows.append(sim["leads"])
            if k % 16 == 0:
                stop.check()
        assert self.leads is not None
        return np.array(rows)[
            : len(self.lead_times), [self._names.index(name) for name in self.leads.names]
        ]

    def compare(self, sim: Simulation, stop: Stop) -> Tuple[Misfit, Array]:
        """Of the run to its end, and its differences times their factors."""
        leads, apart = self._run_leads(sim, stop) if self.leads else None, None
        if self.activation:
            stop.check()
            sim.advance(self.end, progress=False)
            first = sim["activation_time"].reshape(sim.nodes, -1)[:, 0]
            apart = -target.lat_differences(self.activation, first, self.end)
        found = self.compare_values(leads, apart)
        misfit = Misfit(length(found.differences))
        if self.leads and found.leads:
            misfit = misfit._replace(
                ecg_rms=target.ecg_rms(self.leads, found.leads),
                ecg_r=target.ecg_r(self.leads, found.leads),
            )
        if apart is not None:
            misfit = misfit._replace(lat_rms=target.rms(apart + found.lag))
        values = {
            "ecg_lag": found.solved.lag or 0.0,
            "ecg_gain": found.solved.gain,
            "lat_lag": found.lag,
        }
        return misfit._replace(**{name: values[name] for name in self.solved}), found.differences

    @property
    def count(self) -> int:
        """Of differences"""
        leads = self.leads.values.size if self.leads else 0
        return leads + (len(self.activation.times) if self.activation else 0)

    def smooth(self, differences: Array, width: float) -> Array:
        """Those of the leads (differences, ..) by three means over time, whose standard deviation is `width` ms"""
        if not self.leads or not width:
            return differences
        times, values = self.leads.times, self.leads.values
        rows = differences[: values.size].reshape(*values.shape, *differences.shape[1:])
        half = round(
            width / float(np.median(np.diff(times)))
        )  # three means of 2 half + 1: variance half (half + 1)
        for _ in range(3 if half else 0):
            ends = [rows[:1]] * (half + 1), [rows[-1:]] * half
            sums = np.add.accumulate(np.concatenate([*ends[0], rows, *ends[1]]), axis=0)
            rows = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
        rows = rows.reshape(values.size, *differences.shape[1:])
        return np.concatenate([rows, differences[values.size :]])
