#!/usr/bin/env python3
"""test_result.py CARDIAC GROWING SOURCE: a result read by the package is what the flat arrays and tables of its files hold,
also while it is written."""
import csv
import fcntl
import os
import subprocess
import time

from support import Case, growing, h5py, main, needs, np

import cardiac
from cardiac.text import time_text


class Reading(Case):
    def setUp(self):
        super().setUp()
        self.shell("run", "a.yaml", "--quiet", "--set", "output.maps=[activation_time, apd90, beats]", "--set", "activation.beats=2",
                   "--set", "ecg.electrodes={near: [1 mm, 5 mm, 0 mm], far: [9 mm, 0 mm, 0 mm]}")
        self.result = cardiac.read("out")

    def test_fields(self):
        r = self.result
        with h5py.File("out/run.vtkhdf", "r", locking=False) as file:
            root = file["VTKHDF"]
            times, nodes = root["Steps/Values"][:], root["NumberOfPoints"][0]
            self.assertTrue(np.array_equal(r.times, times) and len(times) == 7)
            self.assertEqual(set(r.fields), {"V", "h"})
            for name in "V", "h":
                first = root["Steps/PointDataOffsets/" + name][:]
                frames = np.array([root["PointData/" + name][o:o + nodes] for o in first])
                field = r.fields[name]
                self.assertTrue(np.array_equal(field[3], frames[3]))
                self.assertTrue(np.array_equal(field[-1], frames[6]))
                self.assertTrue(np.array_equal(field[1:6:2], frames[[1, 3, 5]]))
                self.assertTrue(np.array_equal(field[::-1], frames[::-1]))
                self.assertTrue(np.array_equal(field.at(4), frames[4]))
                self.assertTrue(np.array_equal(getattr(r.at(4), name), frames[4]))
                self.assertTrue(np.array_equal(field.trace(nodes - 1), frames[:, -1]))
                self.assertTrue(np.array_equal(field.trace([2.95, 1.1, 0.62]), frames[:, -1]))
                self.assertGreater(np.ptp(frames), 0)
            self.assertEqual(field[4:4].shape, (0, nodes))
            self.assertTrue(np.array_equal(r.activation, root["PointData/activation_time"][:], equal_nan=True))
            self.assertEqual((r.activation.shape, r.maps["beats"].shape), ((nodes, 2), (nodes,)))
            self.assertTrue(np.array_equal(r.cells.ravel(), root["Connectivity"][:]) and r.cells.shape[1] == 4)
        self.assertEqual(set(r.maps), {"activation_time", "apd90", "beats"})
        self.assertEqual((r.V.unit, r.maps.units["apd90"]), ("mV", "ms"))
        self.assertIn("mitchell-schaeffer", r.config)
        self.assertEqual(r.numbers["steps"], 120)

    def test_igb_read(self):
        r = cardiac.read("out")
        r.V.to_igb("vm.igb")
        igb = cardiac.Igb("vm.igb")
        self.assertEqual((len(igb), igb.unit, list(igb.times)), (len(r.times), "mV", list(r.times)))
        for ms in r.times:
            self.assertTrue(np.array_equal(igb.at(ms), r.V.at(ms)))
        with self.assertRaisesRegex(KeyError, "no frame at 2.5 ms; the nearest is at"):
            igb.at(2.5)
        with open("vm.igb", "rb") as file:
            whole = file.read()
        big = np.frombuffer(whole[1024:], "<f4").astype(">i2").tobytes()  # as other machines and types write it
        with open("big.igb", "wb") as file:
            file.write(whole[:1024].replace(b"type:float systeme:little_endian", b"type:short systeme:big_endian facteur:2 zero:1")[:1024] + big)
        self.assertTrue(np.array_equal(cardiac.Igb("big.igb")[0], 2 * np.trunc(r.V[0]) + 1))
        with open("cut.igb", "wb") as file:
            file.write(whole[:-8])
        with self.assertRaisesRegex(cardiac.InputError, "cut.igb: 7 frames in the header, 6 in the file"):
            cardiac.Igb("cut.igb")
        with self.assertRaisesRegex(cardiac.InputError, "a.yaml: no IGB file"):
            cardiac.Igb("a.yaml")

    def test_igb(self):
        """By what the format's public descriptions require: words in lines of at most 80 bytes, FF, and frames of floats."""
        r = self.result
        r.h.to_igb("h.igb")
        r.V.to_igb("vm.igb")
        with open("vm.igb", "rb") as file:
            head, body = file.read(1024), file.read()
        self.assertTrue(head.endswith(b"\r\n\f") and max(map(len, head.split(b"\n"))) < 80)
        words = dict(word.split(":") for word in head[:-1].decode("ascii").split())
        self.assertEqual(words, {"x": str(r.nodes), "y": "1", "z": "1", "t": "7", "type": "float", "systeme": "little_endian",
                                 "org_t": "0", "dim_t": "6", "inc_t": "1", "unites_t": "ms", "unites": "mV"})
        self.assertTrue(np.array_equal(np.frombuffer(body, "<f4").reshape(7, r.nodes), r.V[:].astype(np.float32)))
        self.assertEqual(os.path.getsize("h.igb"), os.path.getsize("vm.igb"))
        r.times[-1] += 0.5
        with self.assertRaisesRegex(ValueError, "frames at equal intervals; choose"):
            r.V.to_igb("no.igb")
        self.assertFalse(os.path.exists("no.igb"))

    def test_notebook(self):
        self.assertEqual(repr(self.result), "out/run.vtkhdf: %d nodes, %d cells, 7 frames, 0 to 6 ms of V, h; maps: activation_time, apd90, beats" % (self.result.nodes, len(self.result.cells)))
        shown = self.result._repr_html_()
        nodes, done = self.result.nodes, self.result.summary
        for row in ("<caption>a front along a &lt;small&gt; slab</caption>", "<th>nodes</th><td>%d</td>" % nodes,
                    "<th>elements</th><td>%d tetrahedra</td>" % len(self.result.cells), "<td>7 frames, 0 to 6 ms</td>", "<td>V (mV), h (1)</td>",
                    "activation_time (ms)", "<td>%d of %d nodes</td>" % (done["activated"], nodes), "<td>%s ms</td>" % time_text(done["total_activation_time"])):
            self.assertIn(row, shown)
        self.result.summary["warnings"].append("<b>&\x1b is not a unit")
        self.assertIn("<th>warning</th><td>&lt;b&gt;&amp;\ufffd is not a unit</td>", self.result._repr_html_())
        self.shell("mesh", "slab", "m.vtkhdf", "--size", "1mm,1mm,1mm", "--spacing", "1mm")
        self.assertIn("<td>no frame</td>", cardiac.read("m.vtkhdf")._repr_html_())

    def test_faults(self):
        r = self.result
        with self.assertRaisesRegex(ValueError, "no frame at 4.5 ms; the nearest is at [45] ms"):
            r.at(4.5)
        with self.assertRaisesRegex(AttributeError, "no field W; there are V, h|h, V"):
            r.W
        with self.assertRaisesRegex(KeyError, "no map apd50; there are"):
            r.maps["apd50"]
        with self.assertRaises(IndexError):
            r.V[7]
        with self.assertRaises(FileNotFoundError):
            cardiac.read("nowhere")

    @needs("pandas")
    def test_tables(self):
        for name, file in ("probes", "out/probes.csv"), ("ecg", "out/ecg.csv"):
            table = getattr(self.result, name)
            with open(file, newline="") as lines:
                rows = list(csv.reader(lines))
            self.assertEqual([c if u == "1" else "%s (%s)" % (c, u) for c, u in table.attrs["units"].items()], rows[0][1:])
            self.assertEqual(list(table.columns), list(table.attrs["units"]))
            self.assertTrue(np.array_equal(table.index, [float(row[0]) for row in rows[1:]]))
            self.assertTrue(np.array_equal(table.values, np.array([row[1:] for row in rows[1:]], float)))
        self.shell("run", "a.yaml", "--quiet", "--output", "paced", *(word for option in (
            "activation.beats=2", "stimuli[0].count=2", "stimuli[0].period=100 ms", "time.end=110 ms", "output.every=110 ms",
            "tissue.regions[0].parameters={tau_open: 40 ms, tau_close: 20 ms}") for word in ("--set", option)))
        paced = cardiac.read("paced")
        beats = paced.beats
        self.assertEqual(list(zip(beats["probe"], beats["beat"])), [("near", 1), ("near", 2), ("far", 1), ("far", 2)])
        np.testing.assert_allclose(beats["activation_time"], paced.activation[[0, -1]].ravel(), rtol=1e-7)  # stored as float32
        self.assertGreater(paced.activation[:, 1].min(), 100)
        with open("paced/beats.csv", newline="") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual(list(beats["probe"]), [row["probe"] for row in rows])
        self.assertEqual(list(beats["activation_time"]), [float(row["activation_time (ms)"]) for row in rows])
        self.assertEqual(beats.attrs["units"]["activation_time"], "ms")

    @needs("xarray", "h5netcdf")
    def test_xarray(self):
        with self.result.to_xarray() as data:
            self.assertEqual(data["V"].dims, ("time", "node"))
            self.assertTrue(np.array_equal(data["V"].sel(time=3), self.result.V.at(3)))

    def test_open_elsewhere(self):
        """A reader in this process that locks the file, as xarray does, keeps no other from it."""
        import h5py
        with h5py.File(self.result.path, "r"):
            self.assertTrue(np.array_equal(cardiac.read(self.result.path).V.at(3), self.result.V.at(3)))

    @needs("pyvista")
    def test_grid(self):
        grid = self.result.grid(3)
        self.assertEqual((grid.n_points, grid.n_cells), (self.result.nodes, len(self.result.cells)))
        self.assertTrue(np.array_equal(grid.point_data["V"], self.result.V.at(3)))
        self.assertTrue(np.array_equal(grid.cells.reshape(-1, 5)[:, 1:], self.result.cells))
        self.assertAlmostEqual(grid.volume, 3 * 1.2 * 0.6, 9)

    def test_while_written(self):
        """Frames that are there are right, and later there are more of them."""
        writer = subprocess.Popen([growing, os.path.abspath("g.vtkhdf"), "100000000", "200"], stdout=subprocess.DEVNULL)
        try:
            until, seen, reads = time.monotonic() + 120, set(), 0
            while time.monotonic() < until and (len(seen) < 3 or reads < 10):
                try:
                    r = cardiac.read("g.vtkhdf")
                except (OSError, KeyError):  # not there yet
                    time.sleep(0.05)
                    continue
                self.assertTrue(np.array_equal(r.times, 0.5 * np.arange(len(r.times))))
                for k in {0, len(r.times) // 2, len(r.times) - 1} if len(r.times) else ():
                    self.assertTrue(np.array_equal(r.V[k], 1000 * k + np.arange(r.nodes)), k)
                    reads += 1
                seen.add(len(r.times))
                time.sleep(0.2)
        finally:
            writer.kill()
            writer.wait()
        self.assertGreaterEqual(len(seen), 3)

    def test_updates_wait(self):
        """A writer replaces nothing while a result is read; what changes all the same is read again, and half an update refused."""
        commits = [b"cardiac result".ljust(32, b"\0") + bytes([n]) + bytes(7) for n in (1, 2)]
        path, journal, calls = "out/run.vtkhdf", "out/run.vtkhdf.journal", []
        with open(path, "r+b") as file, open(journal, "wb") as log:
            def commit(n):
                file.seek(0)
                file.write(commits[n])
                file.flush()

            def get(file):
                calls.append(len(file))
                with self.assertRaises(BlockingIOError):
                    fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
                commit(1)
                return len(calls)

            commit(0)
            self.assertEqual(self.result._open(get), 2)
            log.write(bytes(40) + commits[0])
            log.flush()
            with self.assertRaisesRegex(OSError, "ended in an update"):
                cardiac.read("out")
            commit(0)
            cardiac.read("out")


main()
