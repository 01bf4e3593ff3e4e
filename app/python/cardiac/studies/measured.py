"""What a fit compares its runs with, and how far a run is from it."""

from __future__ import annotations

import math
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

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


FAILED = Misfit(math.inf)


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
            self._names = sim.fields["leads"]["names"]
            self.leads = target.leads_to_fit(paths["ecg"], self._names, self._times())
        if paths["activation"]:
            self.activation = target.activation_to_fit(paths["activation"], sim.points)
        self._scale([config.get(section, {}).get("noise") for section in ("ecg", "activation") if paths[section]])

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
        self.size = math.sqrt(math.fsum(count * (size / unit) ** 2 for (size, count), unit in zip(own, units)))
        factors = [1 / unit for unit in units]
        self.lead_factor = factors[0] if self.leads else 0.0
        self.time_factor = factors[-1] if self.activation else 0.0

    def fits(self, values: int) -> float:
        """The misfit up to which so many values fit within the noise, by chi^2 and three of its standard deviations; 0 = unknown"""
        free = max(1, self.count - values)
        return math.sqrt(free / self.count * (1 + 3 * math.sqrt(2 / free))) if self.knows_noise else 0.0

    def _times(self) -> Array:
        return target.sample_times(self.end, self.every)

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
        """Of the run to its end, and its differences times their factors."""
        parts, of_leads, lat_rms = [], (math.nan, math.nan), math.nan
        if self.leads:
            both = self._compare_leads(self.leads, sim, stop)
            of_leads = target.ecg_rms(*both), target.ecg_r(*both)
            parts.append((both[1].values - both[0].values).ravel() * self.lead_factor)
        if self.activation:
            stop.check()
            sim.advance(self.end, progress=False)
            first = sim["activation_time"].reshape(sim.nodes, -1)[:, 0]
            apart = target.lat_differences(self.activation, first, self.end)
            lat_rms = target.rms(apart)
            parts.append(-apart * self.time_factor)
        differences = np.concatenate(parts)
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
