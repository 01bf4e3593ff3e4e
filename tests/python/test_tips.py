#!/usr/bin/env python3
"""test_tips.py CARDIAC GROWING SOURCE: phase singularities of rotating phases whose core is known, on a plane and on a sphere; of a spiral of the
program, and of a wave round a scar, which has none."""
from types import SimpleNamespace
from unittest import mock

from support import Case, main, np, source, warm

warm()

import cardiac
from cardiac import tips

TURN = 40.0  # ms


def plane(edge, size=20.0):
    """Points and triangles of a square, seen from above"""
    n = round(size / edge) + 1
    x, y = np.meshgrid(edge * np.arange(n), edge * np.arange(n), indexing="ij")
    k = np.arange(n * n).reshape(n, n)
    a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
    return np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1), np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def rotating(points, cores, times):
    """V of phases that turn once about each core (x, y, charge), mV; small near a core, as there no wave goes round"""
    z = np.ones(len(points), complex)
    for x, y, charge in cores:
        off = (points[:, 0] - x) + 1j * (points[:, 1] - y)
        z *= (off if charge > 0 else np.conj(off)) / np.sqrt(np.abs(off) ** 2 + 4)
    return 50 * np.real(z[None] * np.exp(-2j * np.pi * times[:, None] / TURN)) - 30


class Tips(Case):
    def test_core(self):
        """One core, at rest: to a small part of an edge in each frame, of one track, turning as it does."""
        points, faces = plane(0.5)
        times = 2.0 * np.arange(80)
        for charge in (1, -1):
            found = tips.find(points, faces, times, rotating(points, [(8.3, 11.6, charge)], times))
            self.assertEqual([tip.time for tip in found], list(times[5:]))  # a quarter of 40 ms
            self.assertEqual({(tip.number, tip.charge) for tip in found}, {(1, charge)})
            self.assertLess(max(np.hypot(tip.point[0] - 8.3, tip.point[1] - 11.6) for tip in found), 0.05)

    def test_pair(self):
        points, faces = plane(0.5)
        times = 2.0 * np.arange(60)
        found = tips.find(points, faces, times, rotating(points, [(5.2, 9.9, 1), (15.1, 9.9, -1)], times), delay=12)
        self.assertEqual({tip.charge for tip in found}, {1, -1})
        self.assertEqual(len(found), 2 * 54)
        for tip in found:
            self.assertLess(np.hypot(tip.point[0] - (5.2 if tip.charge > 0 else 15.1), tip.point[1] - 9.9), 0.1)

    def test_moving(self):
        """A core that drifts 0.1 mm/ms: one track that follows it."""
        points, faces = plane(0.5)
        times = 2.0 * np.arange(40)
        values = np.array([rotating(points, [(5 + 0.1 * t, 10, 1)], np.array([t]))[0] for t in times])
        found = [tip for tip in tips.find(points, faces, times, values, delay=4) if tip.time > 10]
        self.assertEqual(len({tip.number for tip in found}), 1)
        self.assertLess(max(abs(tip.point[0] - (5 + 0.1 * (tip.time - 2))) for tip in found), 0.5)

    def test_one_ends(self):
        """Of two tips of one sense, one has gone in the second half: the other keeps its number."""
        points, faces = plane(0.5)
        times, cores = 2.0 * np.arange(60), [(5.2, 9.9, 1), (15.1, 9.9, 1)]
        values = np.concatenate([rotating(points, cores, times[:30]), rotating(points, cores[1:], times[30:])])
        found = tips.find(points, faces, times, values, delay=12)
        right = {tip.number for tip in found if abs(tip.point[0] - 15.1) < 1 and not 60 <= tip.time < 74}
        self.assertEqual(len(right), 1)
        self.assertEqual(len({(tip.time, tip.number) for tip in found}), len(found))

    def test_period(self):
        """The largest power: of 3 mV of one node in four, not of 1 mV of all"""
        times = 2.0 * np.arange(80)
        values = np.sin(2 * np.pi * times / 20)[:, None] + np.array([3, 0, 0, 0]) * np.sin(2 * np.pi * times / 32)[:, None]
        self.assertAlmostEqual(tips.period_of(times, values), 32)
        values = np.sin(2 * np.pi * times / 20)[:, None] + np.array([1.9, 0, 0, 0]) * np.sin(2 * np.pi * times / 32)[:, None]
        self.assertAlmostEqual(tips.period_of(times + 7, values), 20)

    def test_triangles(self):
        """Of triangles at random, those with z = 0 inside: where it is, and 1 where z turns counterclockwise"""
        rng = np.random.default_rng(5)
        points, z, faces = rng.normal(size=(900, 3)), rng.normal(size=900) + 1j * rng.normal(size=900), np.arange(900).reshape(300, 3)
        expected = []
        for p, corner in zip(points[faces], z[faces]):
            share = np.linalg.solve([corner.real, corner.imag, np.ones(3)], [0, 0, 1])  # of the corners, where z is 0
            if share.min() > 0:
                expected.append((*(share @ p), np.sign(np.imag(np.conj(corner[1] - corner[0]) * (corner[2] - corner[0])))))
        found, charges = tips._singular(points, faces, z)
        np.testing.assert_allclose(np.column_stack([found, charges]), expected, atol=1e-9)
        self.assertTrue(len(expected) > 50 and {-1, 1} == set(charges))

    def numbered(self, frames, times):
        """The number of each tip, of the frames from the second on, whose tips are at x mm, with the charges 1 or -1"""
        def singular(points, faces, z):
            own = frames.pop(0)
            return np.array([[x, 0.0, 0] for x, _ in own]).reshape(-1, 3), np.array([charge for _, charge in own], int)
        with mock.patch.object(tips, "_singular", singular):
            found = tips.find(np.zeros((3, 3)), np.array([[0, 1, 2]]), times, np.cumsum(np.ones((len(times), 3)), axis=0), delay=times[1] - times[0])
        return [[(tip.number, tip.charge, tip.point[0]) for tip in found if tip.time == time] for time in times[1:]]

    def test_numbers(self):
        """A tip goes on with the number of the nearest one with its charge, as far as 1 mm/ms; another begins a number of its own."""
        times = 50 + 2.0 * np.arange(7)
        frames = [[(0, 1), (10, 1), (5, -1)], [(2, 1), (12.001, 1), (5.5, 1), (5, -1)], [(3, 1), (2.5, 1), (5.1, -1)], [(2.8, 1)], [], [(2.8, 1)]]
        numbers = [[1, 2, 3], [1, 4, 5, 3], [6, 1, 3], [6], [], [7]]
        self.assertEqual(self.numbered([*frames], times), [[(n, charge, x) for n, (x, charge) in zip(own, frame)] for own, frame in zip(numbers, frames)])
        # of two that are as near to one, or one that is to two, the first
        self.assertEqual([[n for n, *_ in own] for own in self.numbered([[(0, 1), (2, 1)], [(1, 1)], [(0, 1), (2, 1)]], 5 + 2.0 * np.arange(4))], [[1, 2], [1], [1, 3]])

    def test_delay(self):
        """z at a node, of its mean V and of V some frames before; nodes that change less than a fiftieth of the most are left out with their triangles."""
        times, phases = 30 + 5.0 * np.arange(40), []
        values = np.cos(2 * np.pi * (times[:, None] - np.arange(4)) / 40) * np.array([100, 100, 2.0, 1.99])
        values[[0, 4]] = np.array([[1], [-1]]) * [100, 100, 2.0, 1.99]  # ranges of 200 to 3.98
        with mock.patch.object(tips, "_singular", lambda points, faces, z: phases.append((faces.tolist(), z)) or (np.empty((0, 3)), np.empty(0, int))):
            for delay, shift, width in ((None, 2, 4), (12.4, 2, 3.97), (13, 3, 4), (1, 1, 4.001)):
                phases.clear()
                values[4, 2] = 2 - width
                self.assertEqual(tips.find(np.zeros((4, 3)), np.array([[0, 1, 2], [1, 0, 3], [0, 0, 1]]), times, values, delay), [])
                self.assertEqual(len(phases), 40 - shift)
                for k, (faces, z) in enumerate(phases, shift):
                    self.assertEqual(faces, [[0, 1, 2], [0, 0, 1]] if width > 4 else [[0, 0, 1]])
                    np.testing.assert_allclose(z, values[k - shift] - values.mean(0) + 1j * (values[k] - values.mean(0)), atol=1e-12)

    def test_results(self):
        """Of a result: V of the nodes of its surface; what it refuses"""
        body = SimpleNamespace(path="r", cells=np.array([[0, 1, 2, 4]]), points=np.arange(15).reshape(5, 3), times=100 + 2.0 * np.arange(4), fields={"V": np.arange(20.0).reshape(4, 5)})
        with mock.patch.object(tips, "read", lambda path: body), mock.patch.object(tips, "find", lambda *given: given):
            points, faces, times, values, delay = tips.of_result("r", 7.0)
            self.assertEqual((points.tolist(), faces.tolist(), delay), ([[0, 1, 2], [3, 4, 5], [6, 7, 8], [12, 13, 14]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], 7))
            self.assertEqual((values.tolist(), times is body.times), (body.fields["V"][:, [0, 1, 2, 4]].tolist(), True))
            body.times[3] += 1.9e-6
            tips.of_result("r")
            for name, wrong, said in (("times", np.array([100, 102, 104, 106 + 2.1e-6]), "four frames or more, at equal intervals"), ("times", 2.0 * np.arange(3), "four frames or more"),
                                      ("cells", np.array([[0, 1]]), "lines alone"), ("cells", np.array([[0, 1, 1]]), "lines alone"), ("fields", {"W": 1}, "V is not among the stored")):
                was = getattr(body, name)
                setattr(body, name, wrong)
                with self.assertRaisesRegex(cardiac.InputError, "^r: .*" + said) as refused:
                    tips.of_result("r")
                self.assertEqual(refused.exception.status, 2)
                setattr(body, name, was)
        self.assertEqual(tips.table([tips.Tip(1234.56789012, 7, np.array([1.23456789, 2, 3]), -1)]), "time (ms),tip,x (mm),y (mm),z (mm),charge\n1234.56789,7,1.23457,2,3,-1\n")

    def test_quiet(self):
        points, faces = plane(1.0)
        times = 2.0 * np.arange(40)
        values = rotating(points, [(8.3, 11.6, 1)], times)
        values[:, np.hypot(points[:, 0] - 8.3, points[:, 1] - 11.6) < 4] = -80 + 1e-9 * np.random.default_rng(1).random((40, 1))
        self.assertEqual(tips.find(points, faces, times, values), [])  # round a hole there is no tip

    def test_spiral(self):
        """The spiral of an excitable medium: one tip that stays, near the middle, from when it has formed; the command, and what it refuses."""
        sheet = {"mesh": {"sheet": {"size": [30, 30], "spacing": 0.6}}, "tissue": {"surface_to_volume": "1400 /cm", "regions": [
            {"model": "mitchell-schaeffer", "parameters": {"tau_open": "30 ms", "tau_close": "15 ms"}, "conductivity": "0.1 S/m"}]},
            "stimuli": [{"where": "x < 1 mm", "duration": "2 ms", "current": "50 uA/uF"},
                        {"where": "x < 15 mm and y < 15 mm", "start": "75 ms", "duration": "2 ms", "current": "50 uA/uF"}],
            "time": {"end": "500 ms", "step": "0.1 ms"}, "output": {"every": "4 ms"}}
        cardiac.run(sheet, output="spiral", overwrite=True)
        said = self.shell("tips", "spiral")
        self.assertRegex(said, r"spiral/tips.csv: \d+ tips in \d+ frames, \d+ tracks\n")
        rows = np.loadtxt("spiral/tips.csv", delimiter=",", skiprows=1)
        late = rows[rows[:, 0] > 200]
        frames, counts = np.unique(late[:, 0], return_counts=True)
        self.assertEqual((len(frames), set(counts)), (75, {1}), said)
        self.assertEqual(len(set(late[:, 1])), 1)
        self.assertLess(np.ptp(late[:, 2:4], axis=0).max(), 12)
        self.assertTrue(set(rows[:, 5]) <= {-1, 1})
        self.windings(late)
        self.shell("run", "a.yaml", "--quiet", "--set", "output.fields=[h]", "--output", "other")
        self.refused("other", "V is not among the stored fields")
        self.shell("run", "a.yaml", "--quiet", "--set", "output.every=6 ms", "--output", "few")
        self.refused("few", "tips require four frames or more")
        self.shell("tips", "spiral")  # its own file is replaced, another's is not
        with open("mine.csv", "w") as file:
            file.write("a table of mine\n")
        self.refused("spiral", "mine.csv exists and is no file of this program's", "mine.csv")
        self.refused("spiral", "/dev/full is a device, not a regular file", "/dev/full")

    def windings(self, rows):
        """Each row's tip: the one square of the lattice round which the phase of the stored V turns, and the sense of the turn."""
        result = cardiac.read("spiral")
        v, times = np.array(result.V, float), result.times
        order = np.lexsort(result.points[:, :2].T)
        side = round(result.nodes**0.5)
        v = (v - v.mean(0))[:, order].reshape(-1, side, side)
        quarter = round(tips.period_of(times, np.array(result.V, float)) / 4 / (times[1] - times[0]))
        for time, _, x, y, z, charge in rows:
            k = int(np.searchsorted(times, time))
            phase = np.arctan2(v[k], v[k - quarter])
            turn = np.zeros((side - 1, side - 1))
            round_it = [phase[:-1, :-1], phase[:-1, 1:], phase[1:, 1:], phase[1:, :-1], phase[:-1, :-1]]
            for one, other in zip(round_it, round_it[1:]):
                turn += (other - one + np.pi) % (2 * np.pi) - np.pi
            turn = np.rint(turn / (2 * np.pi))
            row, column = np.argwhere(turn != 0)[0]
            self.assertEqual((np.count_nonzero(turn), turn[row, column], z), (1, charge, 0))
            self.assertLess(max(abs(x - 0.6 * column - 0.3), abs(y - 0.6 * row - 0.3)), 0.9)

    def refused(self, result, text, *to):
        import subprocess
        from support import cardiac_program
        done = subprocess.run([cardiac_program, "tips", result, *to], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(text, done.stdout)


main()
