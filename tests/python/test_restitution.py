#!/usr/bin/env python3
"""test_restitution.py CARDIAC GROWING SOURCE: a leak of g = 1 /ms under I = 100 mV/ms for 2 ms rises through 45 mV a time of
ln(100 / 55) ms after a stimulus begins, and has forgotten it 30 ms later: when S2 after a train of S1 activates, how long the tissue
had rested, and its APD90 are known, on the tissue's own clock."""
import math
from types import SimpleNamespace
from unittest import mock

from support import Case, cardiac_program, main, np

from cardiac.program import RunError
from cardiac.studies.restitution import Responses

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
