#!/usr/bin/env python3
"""test_restitution.py CARDIAC GROWING SOURCE: a leak of g = 1 /ms under I = 100 mV/ms for 2 ms rises through 45 mV a time of
ln(100 / 55) ms after a stimulus begins, and has forgotten it 30 ms later: when S2 after a train of S1 activates, how long the tissue
had rested, and its APD90 are known, on the tissue's own clock."""
import contextlib
import math
import os
from types import SimpleNamespace
from unittest import mock

from support import Case, cardiac_program, main, np, warm

warm()

from cardiac.program import InputError, RunError
from cardiac.studies import restitution
from cardiac.studies.restitution import NAMES, Response, Responses, format_rows, read_intervals, read_steps

import subprocess

CABLE = """version: 1
mesh: {cable: {length: 1 mm, spacing: 0.5 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: passive, conductivity: 0.1 S/m, parameters: {g: 1, E: -85}}]
stimuli: [{where: x >= 0 mm, start: 3 ms, duration: 2 ms, current: 100 uA/uF, %s}]
activation: {threshold: -40 mV, rearm: -60 mV}
time: {end: 640 ms, step: 0.05 ms}
solver: {precision: double}
output: {probes: {middle: [0.5 mm, 0, 0]}}
"""


class Restitution(Case):
    def test_known_times(self):
        latency = math.log(100 / 55)
        apd = 2 + math.log(10) - latency  # from rest to a tenth of the peak
        for train in ("count: 3, period: 100 ms", "protocol: [{count: 3, period: 90 ms, to: 80 ms}, {after: 100 ms, count: 2, period: 60 ms}]"):
            with open("leak.yaml", "w") as file:
                file.write(CABLE % train)
            rows = self.shell("restitution", "leak.yaml", "--s2", "0.09s:120:30 ms").splitlines()[1:]
            for row, interval in zip(rows, (90, 120)):
                got = [float(x) for x in row.split(",")[2:5]]
                self.assertLess(np.abs(np.subtract(got, (latency, interval - apd, apd))).max(), 5e-4, row)
                self.assertEqual(row.split(",")[:2], [str(interval), "middle"])
            self.assertEqual(len(rows), 2)

    def test_looks(self):
        """S2 is followed until the tissue is at rest, looked at every 10 ms from its end on, or for a second."""
        for over, expected in ((4, [12, 22, 32]), (1000, [*range(12, 1000, 10), 1000])):
            times, study = [], Responses.__new__(Responses)
            study.paced, study.last, study.s2, study.sim = SimpleNamespace(advance=lambda _, until: times.append(until), duration=2.0, name="S1"), 100.0, 1, mock.MagicMock()
            study._check_room = study._measure = lambda s2: s2
            study._is_over = lambda: len(times) >= over
            self.assertEqual(study.respond(150.0), 250)
            self.assertEqual(times, [250, *(250.0 + t for t in expected)])

    def test_room(self):
        """A node that something else than S1 activates ends the study."""
        study = Responses.__new__(Responses)
        study.paced, study.sim = SimpleNamespace(path="a.yaml", pulses=2), {"activation_time": np.array([[1.0, 2, np.nan], [1, 2, np.nan]])}
        study._check_room(150.0)
        study.sim["activation_time"][1, 2] = 3
        with self.assertRaisesRegex(RunError, "a.yaml: node 1 is activated more than 2 times before S2 at 150 ms, the number of S1 pulses: something other") as refused:
            study._check_room(150.0)
        self.assertEqual(refused.exception.status, 3)

    def test_intervals(self):
        """Each interval from one end to the other, as decimals; at and beyond each bound"""
        self.assertEqual(read_intervals("0.3s:280:10 ms", 0.1, 280.0), [300, 290, 280])
        self.assertEqual(read_intervals("280:305:10", 0.1, 2.0), [280, 290, 300])
        self.assertEqual(read_intervals("0.3:0.1:0.1", 0.1, 0.1), [0.3, 0.2, 0.1])
        self.assertEqual(len(read_intervals("10000:1:1", 1.0, 1.0)), 10000)
        for text, shortest, said in (("10001:1:1", 1.0, "more than 10000 intervals"), ("5:4:1", 4.1, "4 ms is shorter than the stimulus .4.1 ms"), ("4:5:1", 4.1, "4 ms is shorter"),
                                     ("5:4:0", 1.0, "at least one step, 1 ms"), ("5:4", 1.0, "'5:4' is not FROM:TO:BY"), ("5:4:1:1", 1.0, "is not FROM:TO:BY")):
            with self.assertRaisesRegex(InputError, "--s2: .*" + said) as refused:
                read_intervals(text, 1.0, shortest)
            self.assertEqual(refused.exception.status, 2)
        self.assertEqual([read_steps(time, 1.0) for time in (1e-6, 7.0)], [0, 7])  # rounding of a step in a million
        self.assertRaisesRegex(InputError, "--s2: 2.99 ms is not a multiple of the step .0.1 ms.; the nearest is 3 ms", read_steps, 2.99, 0.1)

    def test_measure(self):
        """Of a wave that comes as a node's second beat, to a probe that it does not reach, and to one that has not repolarised; over once all have"""
        nan = math.nan
        wave = np.array([300.0, 260, nan, 250])
        sim = {"wave/S1/2": wave, "velocity/S1/2": np.array([0.1, 0.2, 0.3, 0.4]), "activation_time": np.array([[10, 300.0], [5, 260], [7, nan], [250, nan]]),
               "apd90": np.array([[100, 110.0], [120, 130], [140, nan], [nan, 160]]), "diastolic_interval": np.array([[nan, 21.0], [nan, 22], [nan, nan], [24, nan]])}
        study = Responses.__new__(Responses)
        study.paced, study.s2, study.sim, study.probes = SimpleNamespace(name="S1"), 2, type("Sim", (dict,), {"waves": {"excited": False}})(sim), [1, 0, 2]
        known = [Response(30, 22, 130, 0.2), Response(70, 21, 110, 0.1)]
        found = study._measure(230.0)
        self.assertEqual(found[:2], known)
        self.assertTrue(all(map(math.isnan, found[2])))
        self.assertTrue(study._is_over())
        study.sim.waves = {"excited": True}
        self.assertFalse(study._is_over())
        study.sim.waves, study.probes = {"excited": False}, [1, 3]
        self.assertFalse(study._is_over())  # node 3 has not repolarised in the beat that begins with the wave
        self.assertEqual(format_rows(300, ["a,b", "c"], found[1:]), '300,"a,b",70,21,110,0.1,yes\n300,c,,,,,no\n')
        self.assertEqual(format_rows(1 / 3, ["a"], [Response(1e3 / 3, 2, 3, 1e4 / 3)]), "0.333333333333,a,333.3333333,2,3,3333.333333,yes\n")
        paced = SimpleNamespace(pulses=2, config={"output": {"probes": {"a": ["1 mm", "2 mm", "3 mm"], "b": ["4 mm", "5 mm", "6 mm"]}}})
        made = Responses(paced, SimpleNamespace(node=tuple, waves={"stimuli": [{"pulses": [5, 405, 705]}]}))
        self.assertEqual((made.probes, made.last, made.s2), ([(1, 2, 3), (4, 5, 6)], 405, 2))

    def test_table(self):
        """What the study asks for, in which order it makes the intervals, and where the table goes"""
        given = SimpleNamespace(s2="100:80:20", output=None, config="a.yaml")
        asked, made = [], []
        probes = {"near": 0, "far": 0}
        paced = SimpleNamespace(step=0.1, duration=2.0, pulses=3, config={"output": {"probes": probes}}, open=lambda **own: asked.append(own) or contextlib.nullcontext("sim"))
        study = SimpleNamespace(respond=lambda interval: made.append(interval) or [Response(interval / 10, 1, 2, 3), Response(*[math.nan] * 4)])
        table = NAMES + "100,near,10,1,2,3,yes\n100,far,,,,,no\n80,near,8,1,2,3,yes\n80,far,,,,,no\n"
        with mock.patch.object(restitution, "Paced", lambda *words: asked.append(words) or paced), mock.patch.object(restitution, "Responses", lambda *own: study):
            self.assertEqual(restitution.run(given), table)
            self.assertEqual((made, asked), ([80, 100], [(given, ["output.fields=[]", "output.every=1e9 ms"], 1), {"activation.beats": 4, "output.maps": ["apd90", "diastolic_interval"]}]))
            os.mkdir("o")
            for path in "r.csv", "o/r.csv":
                given.output = path
                for _ in range(2):  # its own table is replaced
                    self.assertEqual(restitution.run(given), "")
                with open(path) as file:
                    self.assertEqual(file.read(), table)
            with open("mine.csv", "w") as file:
                file.write("S2 (ms),mine\n")
            for path, said in (("mine.csv", "mine.csv exists and is no file of this program's; choose another --output"), ("none/r.csv", "none/r.csv: the folder none is not there, or cannot be written"),
                               ("a.yaml", "a.yaml exists")):
                given.output = path
                with self.assertRaisesRegex(InputError, said) as refused:
                    restitution.run(given)
                self.assertEqual(refused.exception.status, 2)
            probes.clear()
            self.assertRaisesRegex(InputError, "a.yaml: output.probes is missing: S2 responses are measured at probes", restitution.run, given)
            given.s2 = None
            self.assertRaisesRegex(InputError, "--s2 is missing, such as --s2 500:250:10ms", restitution.run, given)

    def test_refusals(self):
        with open("leak.yaml", "w") as file:
            file.write(CABLE % "count: 3, period: 100 ms")
        for s2, said in (("90:120", "is not FROM:TO:BY"), ("90:120:0", "at least one step"), ("90.03:120:1", "the nearest is 90.05 ms"),
                         ("9x:120:1", "'9x' is not a time"), ("0.1us:120:1", "not a multiple"), ("1:120:1", "shorter than the stimulus"),
                         ("1e9:3:0.1", "more than 10000 intervals"), ("nan:3:1", "nan")):
            done = subprocess.run([cardiac_program, "restitution", "leak.yaml", "--s2", s2], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


main()
