#!/usr/bin/env python3
"""test_simulation.py CARDIAC GROWING SOURCE: a simulation in this process has the bits of the program's runs, takes arrays without
files, raises the program's errors, and can be interrupted; processes, threads and HDF5 of others do not disturb it."""
import copy
import ctypes
import gc
import json
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from support import CONFIG, Case, cardiac_program, h5py, main, np, source

import cardiac
from cardiac import arrays, simulation
from cardiac.arrays import Arrays, as_files, read_number, read_numbers, read_whole

library = os.path.join(os.path.dirname(cardiac_program), "libcardiac.so")
SHEET = {"mesh": {"sheet": {"size": [4, 4], "spacing": 0.4}}, "tissue": {"surface_to_volume": "140 /mm", "regions": [
    {"model": "tp06-epi", "conductivity": {"longitudinal": 0.3, "transverse": 0.1}}], "fibers": [1, 0, 0]},
    "stimuli": [{"name": "S1", "where": "x < 0.5 mm", "duration": 2, "current": "50 uA/uF"}], "time": {"end": 10, "step": 0.05}}


def changed(**parts):
    """SHEET with other parts"""
    return {**json.loads(json.dumps(SHEET)), **parts}


def use_child(_):
    with cardiac.Simulation(CONFIG) as sim:
        sim.advance(2)
        return float(sim["V"].sum())


class Simulations(Case):
    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore")

    def same(self, sim, result):
        """V and a state of the last frame, stored as float64"""
        for name in ("V", "mitchell-schaeffer/h"):
            self.assertTrue(np.array_equal(sim[name], result.at(sim.time)[name.split("/")[-1]]), name)
        self.assertTrue(np.array_equal(sim["activation_time"].astype(result.activation.dtype), result.activation, equal_nan=True))

    def test_parameters_that_vary(self):
        def sheet(value):
            return changed(tissue={"surface_to_volume": "140 /mm", "regions": [
                {"model": "mitchell-schaeffer", "conductivity": 0.1, "parameters": {"tau_close": {"field": value}, "tau_in": 0.31}}]})

        with cardiac.Simulation(sheet("150 * (1 + x / (10 mm))")) as sim:
            x, name = sim.points[:, 0], "mitchell-schaeffer/tau_close"
            own, other = sim[name], 200 + sim.points[:, 1]
            self.assertTrue(np.allclose(own, 150 * (1 + x / 10)) and sim.fields[name]["writable"] and np.array_equal(sim["tau_close"], own))
            start = sim.copy()
            sim.advance(4)
            want = sim["V"]
            sim.restore(start)
            sim.advance(2)
            for field in ("V", "h", "tau_close"):  # gates are half a step behind V: to be set, they are brought to its time
                sim[field] = sim[field]
            sim.advance(4)
            self.assertTrue(np.array_equal(sim["V"], want), "values set to themselves change V")
            sim.restore(start)
            sim["tau_close"] = other
            between = sim.copy()
            sim.advance(4)
            late = sim["V"]
            self.assertFalse(np.array_equal(late, want))
            sim["tau_close"] = 100
            sim.restore(between)
            self.assertTrue(np.array_equal(sim["tau_close"], other), "a copy loses what was set")
            sim.advance(4)
            self.assertTrue(np.array_equal(sim["V"], late))
            sim.restore(start)
            self.assertTrue(np.array_equal(sim["tau_close"], own), "a copy of the config's values keeps what was set later")
            sim.advance(4)
            self.assertTrue(np.array_equal(sim["V"], want))
            for value, text in ((np.nan, "node 0 is not finite"), (other[1:], "121")):
                with self.assertRaisesRegex(cardiac.InputError, text):
                    sim["tau_close"] = value
            with self.assertRaisesRegex(cardiac.InputError, "tau_in has one value in each region; .*parameters: {tau_in: {factor: 1}}"):
                sim["tau_in"]
            sim["tau_close"] = other
            with self.assertRaises(cardiac.InputError):
                sim.reopen({"time.step": "3 ms"})
            self.assertTrue(np.array_equal(sim["tau_close"], other), "a reopen that fails loses what was set")
            sim.reopen()
            self.assertTrue(np.array_equal(sim["tau_close"], own), "a reopen keeps what was set")
        with cardiac.Simulation(sheet(other)) as sim:
            sim.advance(4)
            self.assertTrue(np.array_equal(sim["V"], late), "values set are not values of the config")

    def test_bits_of_a_run(self):
        result = cardiac.run("a.yaml", {"output.precision": "float64", "threads": 1}, progress=False)
        for slices in (1, 7, 120):
            with cardiac.Simulation("a.yaml") as sim:
                for k in range(slices):
                    sim.advance(round(120 * (k + 1) / slices) * 0.05)
                    if k % 3 == 1:
                        state = sim.copy()
                        sim["V"] = -20
                        sim.current[3:5] = 7
                        sim.advance(sim.time + 0.1)
                        sim.restore(state)
                        self.assertEqual(sim.current[3], 0)
                self.same(sim, result)
                self.assertEqual(sim.results["activated"], result.summary["activated"])
                self.assertEqual(sim.results["stimuli"], result.summary["stimuli"])
                told = [[fact.get("sentence") for fact in of["facts"]] for of in (sim.results, result.summary)]
                self.assertEqual(*([text for text in own if text and not text.startswith("ECG")] for own in told))

    def test_configs(self):
        with cardiac.Simulation(CONFIG) as text, cardiac.Simulation("a.yaml", {"time.step": "0.025 ms"}) as path:
            text.advance(1)
            path.advance(1)
            self.assertFalse(np.array_equal(text["V"], path["V"]))
            self.assertEqual(path.step, 0.025)
            self.assertEqual(text.leads, {})
            path.reopen({"time.step": np.float32(0.05)})
            path.advance(np.float32(0.05))
            path.reopen()
            self.assertEqual(path.time, 0)
            path.advance(1)
            self.assertTrue(np.array_equal(text["V"], path["V"]))
            self.assertEqual(path.points.shape, (path.nodes, 3))
            self.assertEqual(path.cells.shape[1], 4)
            self.assertEqual(path.config["time"]["step"], "0.05 ms")
            self.assertEqual(path.fields["V"]["unit"], "mV")
            self.assertNotIn("", [field["unit"] for field in path.fields.values()])
            self.assertIn("nodes at 1 ms", repr(path))
        self.assertIn("closed", repr(path))

    def test_a_run_of_a_mapping(self):
        r = cardiac.run({**SHEET, "output": {"directory": "m", "every": 5}}, progress=False)
        self.assertEqual((len(r.V), r.V.shape), (3, (3, 121)))
        self.assertEqual(sorted(os.listdir(".")), ["a.yaml", "m"])
        with self.assertRaisesRegex(cardiac.InputError, "^config:1:[0-9]*: time.ende"):
            cardiac.run(changed(time={"ende": 3}), progress=False)

    def test_arrays(self):
        end = {}
        uniform = cardiac.Simulation(SHEET)
        nodes, cells, points = uniform.nodes, uniform.cells, uniform.points
        g = 0.2 - 0.02 * points[:, 0]
        region = {"model": "tp06-epi", "conductivity": {"longitudinal": 0.3, "transverse": 0.1}}
        tissue = {"surface_to_volume": "140 /mm", "regions": [{**region, "parameters": {"g_Ks": {"field": "0.2 - 0.02 * x / 1 mm"}}}], "fibers": [1, 0, 0]}
        along = np.tile([2.0, 0, 0], (len(cells), 1))
        first = np.flatnonzero(points[:, 0] < 0.5)
        cases = {
            "uniform": SHEET, "fibres": changed(tissue={**SHEET["tissue"], "fibers": along}),
            "list": changed(stimuli=[{"name": "S1", "nodes": first, "duration": 2, "current": "50 uA/uF"}]),
            "mask": changed(stimuli=[{"name": "S1", "where": points[:, 0] < 0.5, "duration": 2, "current": "50 uA/uF"}]),
            "expression": changed(tissue=tissue),
            "parameter": changed(tissue={**tissue, "regions": [{**region, "parameters": {"g_Ks": g}}]}),
            "named": changed(mesh={**SHEET["mesh"], "arrays": {"gks": g}}, tissue={**tissue, "regions": [{**region, "parameters": {"g_Ks": {"field": "gks + 0"}}}]}),
            "scale": changed(tissue={**SHEET["tissue"], "regions": [{**region, "scale": np.ones(len(cells))}]}),
            "initial": changed(initial={"V": np.full(nodes, -80.0), "tp06-epi/Ca_i": np.full(nodes, 2e-4)}),
        }
        for name, config in cases.items():
            with cardiac.Simulation(config) as sim:
                if name == "initial":
                    self.assertEqual((sim["V"][7], sim["Ca_i"][9]), (-80, 2e-4))
                sim.advance(10)
                end[name] = sim["V"]
        for name in ("fibres", "scale"):
            self.assertTrue(np.array_equal(end[name], end["uniform"]), name)
        self.assertTrue(np.array_equal(end["list"], end["mask"]))
        self.assertTrue(np.array_equal(end["parameter"], end["expression"]))
        self.assertTrue(np.array_equal(end["parameter"], end["named"]))
        self.assertFalse(np.array_equal(end["parameter"], end["uniform"]))
        self.assertFalse(np.array_equal(end["initial"], end["uniform"]))
        uniform.close()
        with cardiac.Simulation(SHEET) as sim:
            sim.advance(5)
            np.savez("a.npz", **{f: sim[f] for f in sim.fields if sim.fields[f]["writable"]})
            sim.advance(10)
            later = sim["V"]
        with cardiac.Simulation(changed(initial=dict(np.load("a.npz")))) as sim:
            sim.move("S1", None)
            sim.advance(5)
            self.assertLess(abs(sim["V"] - later).max(), 0.01)  # mV, where a front rises by several in a step

    def test_waves(self):
        """All activations, however few are recorded of a node; looks change nothing, and copies have their waves."""
        cable = {"mesh": {"cable": {"length": "6 mm", "spacing": "0.3 mm"}}, "activation": {"beats": 2}, "time": {"step": 0.05},
                 "tissue": {"surface_to_volume": "140 /mm", "regions": [{"model": "mitchell-schaeffer", "parameters": {
                     "tau_open": 30, "tau_close": 15}, "conductivity": 0.2}]},
                 "stimuli": [{"name": "a/b", "where": "x < 0.7 mm", "start": 5, "duration": 2, "current": "50 uA/uF", "count": 2, "period": 150}]}

        def beat(sim, k, looks):
            """Beat k of a current at the right end"""
            sim.current[-3:] = 50
            sim.advance(sim.time + 2)
            sim.current[-3:] = 0
            sim.advance(300 + 120 * (k + 1))
            if looks:
                self.assertEqual(len(sim.waves["waves"]), 3 + k)

        with cardiac.Simulation(cable) as sim, cardiac.Simulation(cable) as blind:
            self.assertEqual(sim.waves["stimuli"], [{"name": "a/b", "pulses": [5, 155], "ends": ["not applied"] * 2, "end": 157}])
            share = sim["stimulus/a/b"]
            self.assertTrue(np.array_equal(share[:2], [1, 1]) and share[2] > 0.5 > share[3] > 0 and not share[4:].any())
            sim.advance(40)
            self.assertTrue(sim.waves["excited"])
            sim.advance(300)
            blind.advance(300)
            told = sim.waves
            self.assertFalse(told["excited"])
            self.assertEqual([(w["stimulus"], w["pulse"], w["activations"], w["again"]) for w in told["waves"]], [("a/b", 0, 21, 0), ("a/b", 1, 21, 0)])
            for k in range(2):
                self.assertTrue(np.array_equal(sim["wave/a/b/%d" % k], sim["activation_time"][:, k]))
            self.assertTrue(np.array_equal(sim["last_cycle"], np.diff(sim["activation_time"])[:, 0]))
            self.assertTrue(np.allclose(sim["velocity/a/b/1"][8:-2], 0.3 * 2 / (sim["wave/a/b/1"][9:-1] - sim["wave/a/b/1"][7:-3])))
            for name in ("wave/a/b/2", "wave/a/b", "wave/c/0", "stimulus/b"):
                self.assertRaises(cardiac.InputError, sim.__getitem__, name)
            for k in range(4):
                beat(sim, k, True)
                beat(blind, k, False)
            state, told = sim.copy(), sim.waves
            self.assertEqual([w["stimulus"] for w in told["waves"]], ["a/b"] * 2 + [None] * 4)
            self.assertEqual(told["activations"], 6 * 21)
            self.assertLess(blind.waves["activations"], 6 * 21)  # five of a node are recorded, and there are six
            for name in ("V", "activation_time"):
                self.assertTrue(np.array_equal(sim[name], blind[name]))
            self.assertEqual(sim.results["activated"], 21)
            beat(sim, 4, True)
            sim.move("a/b", 925, 1)  # which makes two trains of one
            last = sim["last_activation"]
            sim.restore(state)
            self.assertEqual(sim.waves, told)
            beat(sim, 4, True)
            self.assertTrue(np.array_equal(sim["last_activation"], last))
            with cardiac.Simulation(cable) as other:
                other.restore(state)
                self.assertEqual(other.waves, told)
        self.assertEqual(told["stimuli"][0]["ends"], ["captured"] * 2)
        with cardiac.Simulation(cable, {"tissue.regions[0].parameters.V_max": "600 mV", "solver.voltage_limit": "400 mV"}) as sim:
            self.assertIsNone(sim.waves["failure"])
            self.assertRaisesRegex(cardiac.RunError, "blow-up", sim.advance, 100)
            self.assertEqual(sim.waves["failure"], "voltage")

    def test_conditions_and_files(self):
        with cardiac.Simulation(SHEET) as sim:
            x = sim.points[:, 0]
            self.assertTrue(np.array_equal(sim["where/x < 1 mm and not (x < 0.3 mm)"], (x < 1) & (x >= 0.3)))
            self.assertRaisesRegex(cardiac.InputError, "x <", sim.__getitem__, "where/x <")
            sim.write("w.vtkhdf", {"x": (x, "mm"), "late": (np.full(sim.nodes, np.nan), "ms")})
            with h5py.File("w.vtkhdf") as file:
                group = file["VTKHDF/PointData"]
                self.assertTrue(np.array_equal(group["x"][()], x) and np.isnan(group["late"][()]).all())
            self.assertIn("late", self.shell("info", "w.vtkhdf"))
            self.assertRaises(cardiac.InputError, sim.write, "w.vtkhdf", {"x": (x[1:], "mm")})
            self.assertRaisesRegex(cardiac.InputError, "none/w.vtkhdf", sim.write, "none/w.vtkhdf", {"x": (x, "mm")})

    def test_leads_after_reopen(self):
        """The weights of leads are those of the electrodes and conductivities of now, whatever is kept from before."""
        config = {"version": 1, "mesh": {"slab": {"size": [2, 2, 2], "spacing": 0.5}}, "time": {"step": 0.05, "end": 4}, "output": {"directory": "o"},
                  "tissue": {"fibers": [1, 0, 0], "surface_to_volume": "140 /mm", "capacitance": "0.01 uF/mm^2",
                             "regions": [{"model": "tp06-epi", "conductivity": {"intra": {"longitudinal": "0.17 S/m", "transverse": "0.02 S/m"}, "extra": {"longitudinal": "0.6 S/m", "transverse": "0.2 S/m"}}}]},
                  "stimuli": [{"sphere": {"centre": [0, 0, 0], "radius": 1}, "duration": 2, "current": "50 uA/uF"}],
                  "ecg": {"electrodes": {"A": [9, 1, 1], "B": [1, 9, 1]}}}
        changes = [{"stimuli[0].sphere.centre": [2, 2, 2]}, {"ecg.electrodes.A": [8, 1, 1]}, {"ecg.conductivity": 0.3}, {"stimuli[0].start": 1},
                   {"tissue.regions[0].conductivity.intra.longitudinal": "0.2 S/m"}, {"tissue.fibers": [0, 1, 0]}]
        with cardiac.Simulation(config) as sim:
            made = {}
            for change in changes:
                made.update(change)
                sim.reopen(change)
                with cardiac.Simulation(config, made) as fresh:
                    for one in (sim, fresh):
                        one.advance(3)
                    self.assertGreater(abs(fresh["leads"]).max(), 0)
                    self.assertEqual(list(sim.leads.values()), sim["leads"].tolist())
                    self.assertEqual(set(sim.leads), {"A", "B"})
                    self.assertTrue(np.array_equal(sim["leads"], fresh["leads"]), change)

    def test_errors(self):
        """Each is the program's, with its status; none is a traceback of this package's own."""
        with cardiac.Simulation(CONFIG) as sim:
            before = sim.current
            sim.reopen()
            state = sim.copy()
            cases = [(lambda: cardiac.Simulation("nowhere.yaml"), "nowhere.yaml"), (lambda: cardiac.Simulation("a: 1\nb: 2\n"), "config:1:1"),
                     (lambda: cardiac.Simulation({"mesh": {"slab": 1}}), "mesh.slab"), (lambda: cardiac.Simulation({"mesh": {1, 2}}), "config"),
                     (lambda: cardiac.Simulation("a.yaml", {"time.step": object()}), "overrides"),
                     (lambda: cardiac.Simulation("a.yaml", {"time.step": float("nan")}), "overrides"),
                     (lambda: sim.advance("soon"), "not an array"), (lambda: sim.advance(float("nan")), "not a time"),
                     (lambda: sim.advance(-1), "past"), (lambda: sim.advance(0.07), "nearest is 0.05 ms"), (lambda: sim["W"], "neither V"),
                     (lambda: sim.__setitem__("V", np.zeros(3)), "are needed"), (lambda: sim.__setitem__("V", ["a"]), "not an array"),
                     (lambda: sim.__setitem__("V", float("nan")), "not finite"), (lambda: sim.current.__setitem__(10**6, 1), "current"),
                     (lambda: sim.current.__setitem__(slice(0, 3), [1, 2]), "current"), (lambda: sim.move("S2", 1), "no stimulus"),
                     (lambda: sim.move("S1", "x"), "not an array"), (lambda: sim.restore(3), "NULL"),
                     (lambda: sim.reopen({"solver.tolerance": "1 mm"}), "tolerance"),
                     (lambda: cardiac.Simulation(3), "not int"), (lambda: sim["V\0junk"], "NUL"), (lambda: sim.move("S1\0", 1), "NUL"),
                     (lambda: cardiac.Simulation("a.yaml\0"), "NUL"), (lambda: sim.move("S1", 1, 2**63), "2\\*\\*53"), (lambda: sim.move("S1", 1, 2**64), "not an array"),
                     (lambda: sim.move("S1", 1, 0.5), "whole"), (lambda: sim.advance(1e300), "steps"),
                     (lambda: sim.__setitem__("V", np.full(sim.nodes, 1j)), "complex"), (lambda: sim.advance(1j), "complex"),
                     (lambda: sim.__setitem__("V", np.full((sim.nodes, 1), -80.0)), "shape"),
                     (lambda: sim.__setitem__("V", np.ma.masked_less(np.arange(sim.nodes), 3)), "masked"),
                     (lambda: sim.__setitem__("V", ["1"] * sim.nodes), "not an array"), (lambda: before.__setitem__(0, 1), "reopen"),
                     (lambda: sim.write("n", {"a/b": (np.zeros(sim.nodes), "mV")}), "'a/b'"),
                     (lambda: sim.write("n", {"a\0": (np.zeros(sim.nodes), "mV")}), "NUL"),
                     (lambda: cardiac.Simulation(changed(tissue={**SHEET["tissue"], "fibers": np.zeros((3, 200))})), "shape"),
                     (lambda: cardiac.Simulation(changed(stimuli=[{**SHEET["stimuli"][0], "where": np.zeros((121, 2))}])), "shape"),
                     (lambda: cardiac.Simulation(changed(stimuli=[{"name": "S1", "nodes": np.array([1.5]), "duration": 2, "current": "50 uA/uF"}])), "whole")]
            for call, words in cases:
                with self.assertRaisesRegex(cardiac.InputError, words) as caught:
                    call()
                self.assertEqual(caught.exception.status, 2)
            with self.assertRaises(ValueError):
                sim["V"][3] = 0  # a copy
            sim.current[7] = 1e5
            with self.assertRaises(cardiac.RunError) as caught:
                sim.advance(4)
            self.assertEqual(caught.exception.status, 3)
            sim.restore(state)
            sim.advance(1)
        for call in (lambda: sim.advance(2), lambda: sim["V"], lambda: sim.time):
            with self.assertRaisesRegex(cardiac.InputError, "closed"):
                call()

    def test_numbers(self):
        """Which numbers are taken: up to the last that all bits of a float64 count, of any type, of any shape; one number, whole numbers"""
        for values in ([1, 2.5], np.array([True, False]), [[2**53], [-(2**53)]], np.array([], int), np.float32(0.5), np.ma.array([1, 2], mask=[False, False]), np.array([2**53], np.uint64)):
            found = read_numbers(values, "x")
            self.assertTrue(np.array_equal(found, np.asarray(values, float)) and found.dtype == np.float64 and found.flags.c_contiguous)
        for values, said in ([[2**53 + 1], "x: whole numbers beyond"], [[0, -(2**53) - 1], "beyond 2..53"], [["a"], "x: not an array of numbers"], [[[1], [2, 3]], "x: not an array of numbers"],
                             [[1j], "x: an array of complex numbers"], [np.ma.array([1, 2], mask=[False, True]), "x: an array with masked values; fill them"]):
            self.assertRaisesRegex(cardiac.InputError, said, read_numbers, values, "x")
        self.assertEqual([read_number(x, "x") for x in (np.float32(0.1), 3, np.array(2.5))], [0.1, 3, 2.5])
        self.assertRaisesRegex(cardiac.InputError, "x: expected a number", read_number, [1], "x")
        self.assertEqual(read_whole([3.0, -2], "x").tolist(), [3, -2])
        for values in ([0.5], [np.inf], [1, np.nan]):
            self.assertRaisesRegex(cardiac.InputError, "x: expected whole numbers", read_whole, values, "x")

    def test_taken(self):
        """What stands in a config for each array, by its place: a name, a condition, a list"""
        n, way = np.arange(4.0), np.arange(12.0).reshape(4, 3)
        name, numbers = "array_1", n.tolist()
        for config, taken, named in (
            ({"tissue": {"fibers": way}}, {"tissue": {"fibers": "from mesh"}, "mesh": {"fibers": name}}, way), ({"tissue": {"fibers": np.arange(3.0)}}, {"tissue": {"fibers": [0, 1, 2]}}, None),
            ({"tissue": {"fibers": way}, "mesh": {"file": "m"}}, {"tissue": {"fibers": "from mesh"}, "mesh": {"file": "m", "fibers": name}}, way),
            ({"a": {"tissue": {"fibers": way}}}, {"a": {"tissue": {"fibers": name}}}, way), ({"tissue": {"sheets": way}}, {"tissue": {"sheets": name}}, way), ({"tissue": 5, "b": n}, {"tissue": 5, "b": numbers}, None),
            ({"tissue": {"fibers": "from mesh"}}, {"tissue": {"fibers": "from mesh"}}, None), ({"mesh": {"arrays": {name: n, "b": "b.dat"}}}, {"mesh": {"arrays": {"b": "b.dat"}}}, n),
            ({"mesh": {"arrays": {name: n}}}, {"mesh": {}}, n), ({"mesh": {"arrays": {}}}, {"mesh": {}}, None), ({"other": {"arrays": {}}}, {"other": {"arrays": {}}}, None), ({"mesh": {"tags": n}}, {"mesh": {"tags": name}}, n),
            ({"x": {"tags": n}}, {"x": {"tags": numbers}}, None), ({"parameters": {"g": n}}, {"parameters": {"g": {"field": name}}}, n), ({"parameters": n}, {"parameters": numbers}, None),
            ({"tissue": {"regions": [{"parameters": {"g": {"factor": n}}}]}}, {"tissue": {"regions": [{"parameters": {"g": {"factor": name}}}]}}, n), ({"regions": [{"where": n, "g": 1}]}, {"regions": [{"where": name + " > 0.5", "g": 1}]}, n),
            ({"stimuli": [{"pulse": n, "scale": np.array(2.5)}]}, {"stimuli": [{"pulse": numbers, "scale": 2.5}]}, None), ({"scale": n}, {"scale": name}, n), ({"field": numbers, "x": (1, np.float32(0.1))}, {"field": numbers, "x": [1, 0.1]}, None),
            ({"a": {"nodes": {"b": 1}}}, {"a": {"nodes": {"b": 1}}}, None), ({"initial": {"file": "x"}}, {"initial": {"file": "x"}}, None), ({"a": {"initial": {"V": n}}}, {"a": {"initial": {"V": numbers}}}, None), ({"output": {"directory": Path("a/b")}}, {"output": {"directory": "a/b"}}, None),
        ):
            own = Arrays()
            self.assertEqual(own.take(config), taken, config)
            self.assertEqual({key: values.tolist() for key, values in own.named.items()}, {} if named is None else {name: named.tolist()}, config)
            self.assertEqual((own.initial, own.nodes), ({}, {}))
        own = Arrays()
        self.assertEqual(own.take({"initial": {"V": n, "h": 0.5}, "time": {}}), {"initial": {}, "time": {}})
        self.assertEqual((own.initial["V"].tolist(), own.initial["h"]), (numbers, 0.5))
        own = Arrays()
        taken = own.take({"mesh": {"arrays": {"array_2": n}}, "stimuli": [{"nodes": np.array([2, 0])}, {"nodes": "a.txt"}, {"nodes": [1]}], "scale": n})
        self.assertEqual(taken, {"mesh": {}, "stimuli": [{"where": "array_3 > 0.5"}, {"nodes": "a.txt"}, {"where": "array_4 > 0.5"}], "scale": "array_5"})
        self.assertEqual({key: values.tolist() for key, values in own.nodes.items()}, {"array_3": [2, 0], "array_4": [1]})
        self.assertEqual(set(own.named), {"array_2", "array_5"})
        self.assertRaisesRegex(cardiac.InputError, "x: this name is taken; choose another one", own.name, n, "x", "array_2")
        for wrong in (np.zeros((4, 2)), np.zeros((4, 3, 1)), np.array(1.0)):
            self.assertRaisesRegex(cardiac.InputError, r"expected \(n\) or, of directions, \(n, 3\)", Arrays().name, wrong, "x")

    def test_files_of_arrays(self):
        """A run's arrays as files, named by their bytes; what a run cannot have"""
        third = np.array([1 / 3, 2])
        config = {"mesh": {"file": "m", "arrays": {"b": "b.dat", "a c": third}}, "stimuli": [{"nodes": "a.txt"}, {"nodes": np.array([7, 8])}], "scale": third}
        with mock.patch.object(arrays.hashlib, "sha256", lambda text: SimpleNamespace(hexdigest=lambda: "%064d" % len(text))):
            taken = as_files(config, "o/own")
        own = {"a c": "o/own/a_c-000000000000.dat", "array_3": "o/own/array_3-000000000000.dat"}
        self.assertEqual(taken, {"mesh": {"file": "m", "arrays": {"b": "b.dat", **own}}, "stimuli": [{"nodes": "a.txt"}, {"nodes": "o/own/array_2-000000000000.dat"}], "scale": "array_3"})
        for name, text in (("a_c", "0.33333333333333331\n2\n"), ("array_2", "7\n8\n"), ("array_3", "0.33333333333333331\n2\n")):
            with open("o/own/%s-000000000000.dat" % name) as file:
                self.assertEqual(file.read(), text)
        path = as_files({"scale": third, "mesh": {}}, "p")["mesh"]["arrays"]["array_1"]
        self.assertRegex(path, "^p/array_1-[0-9a-f]{12}[.]dat$")
        os.chmod(path, 0o400)
        was = os.stat(path)
        self.assertEqual(as_files({"scale": third, "mesh": {}}, "p")["mesh"]["arrays"]["array_1"], path)
        self.assertEqual(os.stat(path).st_ino, was.st_ino)  # it is there
        for wrong, said in (({"initial": {"V": third}}, "initial: arrays can be set in a cardiac.Simulation alone"), ({"tissue": {"fibers": np.zeros((4, 3))}}, "tissue.fibers: a run takes directions"),
                            ({"mesh": {"arrays": {"array_1": "x"}}, "scale": third}, "mesh.arrays.array_1: an array of the mapping has this name")):
            self.assertRaisesRegex(cardiac.InputError, said, as_files, wrong, "o")
        for other in ({"mesh": 5, "scale": third}, {"mesh": {"arrays": 5}, "scale": third}, {"stimuli": 5}, {"stimuli": ["x"], "mesh": {}}):  # the program refuses them
            self.assertEqual({key: item for key, item in as_files(other, "o").items() if key != "scale"}, {key: item for key, item in other.items() if key != "scale"})

    def test_bar(self):
        """What is shown of a step of some seconds: the time, its end, and the seconds that are left at the speed so far"""
        class Stepped(cardiac.Simulation):
            time, _handle = 10.0, None

            def __init__(self):
                pass

            def _call(self, name, target, look=None):
                asked.append((name, target))
                for looked in looks if look else ():
                    now[:] = looked
                    look()

        asked, shown, now = [], [], [0.0, 0.0, 0]
        looks = [(6.0, 20.0, 0), (6.5, 10.0, 0), (6.5, 20.0, 1), (6.5, 20.0, 0), (9.0, 45.0, 0)]

        def time_of(handle, to):
            to._obj.value = now[1]
            return now[2]
        bar = SimpleNamespace(shown=True, show=shown.append, end=lambda: shown.append("end"))
        with mock.patch.object(simulation, "Progress", lambda requested: bar), mock.patch.object(simulation, "_lib", lambda: SimpleNamespace(cardiac_time=time_of)), \
                mock.patch.object(simulation.time, "perf_counter", lambda: now[0] or 5.0):
            Stepped().advance(50)
            self.assertEqual(shown, [{"time": 20, "end": 50, "seconds_left": 4.5}, {"time": 45, "end": 50, "seconds_left": 4 * 5 / 35}, "end"])
            bar.shown = False
            Stepped().advance(50)
        self.assertEqual((asked, len(shown)), ([("advance", 50.0)] * 2, 3))

    def test_messages(self):
        """A warning of the library is one of the line that called the package; an error has its words and its status"""
        class Said(cardiac.Simulation):
            _handle = None

            def __init__(self, *lines):
                self._lines = list(lines)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            here = sys._getframe().f_lineno + 1
            Said(b"note: x", b"warning: a\xff", b"warning: b")._warn()
        self.assertEqual([(str(w.message), w.filename, w.lineno) for w in said], [("a\ufffd", __file__, here), ("b", __file__, here)])
        for text in (b"it is so\xff", None):
            with mock.patch.object(simulation, "_lib", lambda: SimpleNamespace(cardiac_error=lambda handle: text)):
                Said()._check(0)
                for status, kind in ((2, cardiac.InputError), (3, cardiac.RunError), (4, cardiac.RunError)):
                    with self.assertRaises(kind) as failed:
                        Said()._check(status)
                    self.assertEqual((failed.exception.status, failed.exception.text), (status, "it is so\ufffd" if text else ""))

    def test_library(self):
        """Where the library is looked for, in which order"""
        os.makedirs("i/bin"), os.makedirs("i/lib64/x")
        Path("i/lib64/x/libcardiac.so").touch()
        own = os.path.join(os.path.dirname(simulation.__file__), "libcardiac.so")
        with mock.patch.dict(os.environ), mock.patch.object(simulation, "find", lambda: "i/bin/cardiac"):
            os.environ["CARDIAC_LIBRARY"] = "named.so"
            self.assertEqual(list(simulation._candidates()), ["named.so"])
            del os.environ["CARDIAC_LIBRARY"]
            here = os.path.realpath("i")
            self.assertEqual(list(simulation._candidates()), [own, here + "/bin/libcardiac.so", here + "/lib64/x/libcardiac.so"])
        with mock.patch.dict(os.environ), mock.patch.object(simulation, "find", side_effect=FileNotFoundError):
            del os.environ["CARDIAC_LIBRARY"]
            self.assertEqual(list(simulation._candidates()), [own])
        for fault, said in (("libgomp.so.1: cannot open", "install libgomp1"), ("x.so: cannot open", "set CARDIAC_LIBRARY to where libcardiac.so is")):
            with mock.patch.object(simulation.ctypes, "CDLL", side_effect=OSError(fault)):
                self.assertRaisesRegex(FileNotFoundError, fault + ".*; " + said, simulation._load)

    def test_nodes(self):
        """The node nearest to a point; lists of nodes from the first to the last"""
        with cardiac.Simulation(SHEET) as sim:
            last, rng = sim.nodes - 1, np.random.default_rng(1)
            for point in rng.uniform(-2, 6, (20, 3)):
                self.assertEqual(sim.node(point), int(np.argmin(np.linalg.norm(sim.points - point, axis=1))))
            self.assertEqual((sim["V"].shape, sim["activation_time"].shape, sim.leads), ((sim.nodes,), (sim.nodes,), {}))
        for nodes, good in (([0, last], True), ([], True), ([last + 1], False), ([-1, 0], False), ([0, last + 1], False)):
            config = changed(stimuli=[{"name": "S1", "nodes": np.array(nodes, int), "duration": 2, "current": "50 uA/uF"}])
            if good and nodes:
                with cardiac.Simulation(config) as sim:
                    self.assertEqual(sorted(np.argsort(-sim["stimulus/S1"], kind="stable")[:2].tolist()), nodes)
            elif not good:
                self.assertRaisesRegex(cardiac.InputError, "stimuli: nodes are 0 to %d" % last, cardiac.Simulation, config)

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cardiac.Simulation("a.yaml", {"tissue.surface_to_volume": "140 /cm"}).close()
        self.assertTrue(any("140 /mm was meant" in str(w.message) and w.filename == __file__ for w in caught), caught)
        with warnings.catch_warnings():  # a program may do without stimuli
            warnings.simplefilter("error")
            cardiac.Simulation("a.yaml", {"stimuli": []}).close()

    def interrupt(self, call, after=0.3):
        """Seconds from ctrl-C to the end of a call that it ends."""
        sent = []

        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(after, send)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            call()
            timer.join()
        timer.join()
        return time.perf_counter() - sent[0]

    def test_interrupted(self):
        """KeyboardInterrupt within a second: in an open, in a reopen, after which nothing is open, and between steps, which go on with
        the bits of an uninterrupted simulation."""
        config = changed(mesh={"sheet": {"size": [40, 40], "spacing": 0.4}})
        with cardiac.Simulation(config) as sim, cardiac.Simulation(config) as other:
            self.assertLess(self.interrupt(lambda: sim.advance(1e5, progress=False), 0.7), 1)
            at = sim.time
            self.assertAlmostEqual(at / sim.step, round(at / sim.step), 6)
            self.assertTrue(0 < at < 1e5)
            sim.advance(at + 1)
            other.advance(at + 1)
            self.assertTrue(np.array_equal(sim["V"], other["V"]))
            long = {"tissue.regions[0].initial": {"pace": 50000, "period": 1000}}
            self.assertLess(self.interrupt(lambda: sim.reopen(long)), 1)
            self.assertRaisesRegex(cardiac.InputError, "is not open", lambda: sim["V"])
            sim.reopen()
            sim.advance(at + 1)
            self.assertTrue(np.array_equal(sim["V"], other["V"]))
            self.assertLess(self.interrupt(lambda: cardiac.Simulation(config, long)), 1)

    def test_warnings_of_a_running_call(self):
        """They come while it runs; one that a filter makes an error does not end it."""
        came = []

        def stop(*_, **__):
            came.append(threading.current_thread() is threading.main_thread())
            os.kill(os.getpid(), signal.SIGINT)

        with cardiac.Simulation(SHEET) as sim:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertRaisesRegex(UserWarning, "140 /mm was meant", sim.reopen, {"tissue.surface_to_volume": "140 /cm"})
            sim.advance(0.1)
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.showwarning = stop
                with self.assertRaises(KeyboardInterrupt):  # or its fronts take minutes
                    sim.reopen({"tissue.surface_to_volume": "141 /cm", "time.step": 2e-5})
        self.assertTrue(came and all(came), came)

    def test_copies(self):
        """A simulation is closed once, whoever closes it."""
        sim = cardiac.Simulation(CONFIG)
        state, currents = sim.copy(), sim.current
        for item in (sim, state, currents):
            for make in (copy.copy, copy.deepcopy, pickle.dumps):
                self.assertRaises(TypeError, make, item)
        stepping = threading.Thread(target=lambda: sim.advance(20))
        closing = [threading.Thread(target=sim.close) for _ in range(8)]
        for thread in (stepping, *closing):
            thread.start()
        for thread in (stepping, *closing):
            thread.join()
        self.assertRaisesRegex(cardiac.InputError, "closed", lambda: sim.time)
        state.__del__()
        state.__del__()

    def test_processes(self):
        want = use_child(0)
        with cardiac.Simulation(CONFIG) as sim:
            sim.advance(1)
            began = time.perf_counter()
            pid = os.fork()
            if pid == 0:
                try:
                    sim.advance(2)
                except cardiac.InputError as error:
                    os._exit(0 if "fork" in str(error) else 2)
                os._exit(3)
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
            self.assertLess(time.perf_counter() - began, 1)
            for method in ("fork", "spawn"):
                with multiprocessing.get_context(method).Pool(2) as pool:
                    self.assertEqual(pool.map_async(use_child, range(2)).get(100), [want, want], method)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun here")
    def test_ranks(self):
        """Ranks of a launcher are simulations of their own."""
        script = "import cardiac, sys; sim = cardiac.Simulation('a.yaml'); sim.advance(1); print('%.17g' % sim['V'].sum())"
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-W", "ignore", "-c", script],
                              env={**os.environ, "PYTHONPATH": os.path.join(source, "app/python")}, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            self.skipTest("mpirun does not start here")
        self.assertEqual(len(set(done.stdout.split())), 1, done.stdout)

    def test_threads_and_hdf5(self):
        """Two simulations from HDF5 meshes in two threads, two runs that write results, and h5py in a third."""
        self.shell("mesh", "slab", "m.vtkhdf", "--size", "3mm,1.2mm,0.6mm", "--spacing", "0.3mm")
        mesh = {"mesh": {"file": "m.vtkhdf", "scale": "1 mm"}}
        config = {**mesh, "tissue": {"surface_to_volume": "140 /mm", "regions": [{"model": "mitchell-schaeffer", "conductivity": 0.1}]},
                  "stimuli": [{"name": "S1", "where": "x < 1 mm", "duration": 2, "current": "50 uA/uF"}], "time": {"end": 4, "step": 0.05}}
        found, failures, over = {}, [], threading.Event()

        def simulate(name):
            try:
                with cardiac.Simulation(config) as sim:
                    for k in range(5):
                        sim.reopen({"solver.splitting": "godunov" if k % 2 else "staggered"})
                        sim.advance(4)
                    found[name] = sim["V"].sum()
                r = cardiac.run(config, output=name, progress=False)
                found[name + " run"] = r.V[-1].sum()
            except Exception as error:
                failures.append(error)

        def read():
            while not over.is_set():
                with h5py.File("other.h5", "w") as file:
                    file["x"] = np.arange(1000)
                with h5py.File("m.vtkhdf", "r", locking=False) as file:
                    file["VTKHDF/Points"][:]

        threads = [threading.Thread(target=simulate, args=(name,)) for name in "ab"] + [threading.Thread(target=read)]
        for thread in threads:
            thread.start()
        for thread in threads[:2]:
            thread.join()
        over.set()
        threads[2].join()
        self.assertEqual(failures, [])
        self.assertEqual((found["a"], found["a run"]), (found["b"], found["b run"]))

    def test_load_orders(self):
        for first, second in (("h5py", "cardiac"), ("cardiac", "h5py")):
            script = ("import %s, %s, numpy, cardiac, h5py; sim = cardiac.Simulation('a.yaml'); sim.advance(1); "
                      "r = cardiac.run('a.yaml', output='%s', progress=False); print(r.V.shape[1] == sim.nodes)" % (first, second, first))
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], env={**os.environ, "PYTHONPATH": os.path.join(source, "app/python")},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.stdout.strip(), "True", done.stderr)

    def test_velocity_of_a_fit(self):
        """The same velocity has the same conductivity with and without `fit`."""
        config = changed(mesh={"sheet": {"size": [12, 12], "spacing": 0.6}})
        name, region = "tissue.regions[0].velocity", config["tissue"]["regions"][0]
        region.pop("conductivity", None)
        region["velocity"] = "0.63 m/s"
        found = []
        for parameters in ({}, {name: {"from": "0.4 m/s", "to": "0.9 m/s"}}):
            with cardiac.Simulation({**config, "fit": {"parameters": parameters}} if parameters else config) as sim:
                sim.advance(5)
                found.append(sim["V"])
        self.assertTrue(np.array_equal(*found))

    def test_lead_weights(self):
        """A lead is the sum of the weighted V of all nodes."""
        with cardiac.Simulation(changed(ecg={"electrodes": {"A": [0, 0, 5], "B": [3, 1, 9]}})) as sim:
            sim.advance(2)
            weights = sim["lead_weights"]
            self.assertEqual(weights.shape, (sim.nodes, 2))
            self.assertLess(abs(sim["V"] @ weights - sim["leads"]).max(), 1e-12 * abs(sim["V"] @ abs(weights)).max())

    def test_cache_of_another_library(self):
        """What one build of the library has stored is not believed by another."""
        config = json.loads(json.dumps(SHEET))
        config["tissue"]["regions"][0]["initial"] = {"pace": 1, "period": 50}
        other, cache = os.path.abspath("other.so"), os.path.abspath("cache")
        with open(library, "rb") as file:
            built = file.read()
        note = b"\x14\0\0\0\x03\0\0\0GNU\0"  # of 20 bytes: the build id
        at = built.index(note) + len(note)
        with open(other, "wb") as file:
            file.write(built[:at] + bytes([built[at] ^ 1]) + built[at + 1 :])
        os.mkdir(cache)
        for path, stored in ((library, 1), (library, 1), (other, 2)):
            env = {**os.environ, "CARDIAC_LIBRARY": path, "XDG_CACHE_HOME": cache, "PYTHONPATH": os.path.join(source, "app/python")}
            script = "import json, sys, cardiac; cardiac.Simulation(json.loads(sys.argv[1]))"
            subprocess.run([sys.executable, "-W", "ignore", "-c", script, json.dumps(config)], env=env, check=True)
            names = [name for name in os.listdir(os.path.join(cache, "cardiac")) if name.endswith(".states")]
            self.assertEqual(len(names), stored)

    @unittest.skipUnless(hasattr(ctypes.CDLL(None), "mallinfo2"), "no mallinfo2 in this C library")
    def test_memory(self):
        """Simulations and copies that are dropped are freed: bytes in use, which threads' arenas do not change as they do the process's size."""
        class Use(ctypes.Structure):  # struct mallinfo2
            _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

        ask = ctypes.CDLL(None).mallinfo2
        ask.restype = Use
        config = changed(mesh={"sheet": {"size": [40, 40], "spacing": 0.4}})
        used = []
        for _ in range(6):
            sim = cardiac.Simulation(config)
            states = [sim.copy() for _ in range(10)]
            sim.advance(0.1)
            held = ask()
            del sim, states
            gc.collect()
            used.append(ask().uordblks + ask().hblkhd)
        self.assertGreater(held.uordblks + held.hblkhd - used[-1], 10e6)  # else the library's bytes are not counted here
        self.assertLess(used[-1] - used[1], 1e6)  # a copy has 2.7 MB


if __name__ == "__main__":  # else it is a process of test_processes
    if not os.path.exists(library):
        print("no libcardiac.so beside the program: skipped")
        sys.exit(77)
    os.environ["CARDIAC_LIBRARY"] = library
    main()
