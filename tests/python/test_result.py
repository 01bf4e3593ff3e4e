#!/usr/bin/env python3
"""test_result.py CARDIAC GROWING SOURCE: a result read by the package is what the flat arrays and tables of its files hold,
also while it is written."""
import contextlib
import csv
import fcntl
import itertools
import os
import subprocess
import time
from types import SimpleNamespace
from unittest import mock

from support import Case, growing, h5py, main, needs, np

import cardiac
from cardiac import result
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

    def test_retries(self):
        """What fails while a file changes is tried again for two seconds, what fails otherwise is said; a file that is open with locks is opened so"""
        r, path, calls, opened = self.result, str(self.result.path), [], []

        def opens(name, mode, **how):
            opened.append((str(name), mode, how))
            if errors:
                raise errors.pop(0)
            return contextlib.nullcontext("file")

        def tried(faults, marks=(b"a",), journal=False, times=(0.0,), get=lambda file: file):
            opened.clear(), slept.clear()
            errors[:], marked, clock = faults, itertools.chain(marks, itertools.repeat(marks[-1])), itertools.chain(times, itertools.repeat(times[-1]))
            with mock.patch.object(h5py, "File", opens), mock.patch.object(result, "_mark", lambda path: next(marked)), mock.patch.object(result.time, "monotonic", lambda: next(clock)), \
                    mock.patch.object(result.time, "sleep", slept.append), mock.patch.object(r, "_hold", lambda *_: None), mock.patch.object(r, "_journal", SimpleNamespace(exists=lambda: journal)):
                return r._open(get)
        errors, slept = [], []
        plain = [(path, "r", {"locking": False})]
        self.assertEqual((tried([]), opened, slept), ("file", plain, []))
        locks = OSError("file locking flag values don't match")
        self.assertEqual((tried([locks]), opened, slept), ("file", [*plain, (path, "r", {})], []))
        self.assertRaisesRegex(OSError, "flag values", tried, [locks, locks])
        # it has another mark than before, or a journal: again, after a twentieth of a second
        for fault in OSError(path + ": half"), KeyError("half"), RuntimeError("half"):
            self.assertEqual((tried([fault], [b"a", b"b"]), opened, slept), ("file", 2 * plain, [0.05]))
            self.assertEqual((tried([fault], journal=True), opened, slept), ("file", 2 * plain, [0.05]))
            self.assertRaises(type(fault), tried, [fault])
            self.assertEqual((len(opened), slept), (1, []))
        self.assertEqual((tried([], [b"a", b"b", b"c", b"d", b"e", b"f", b"g"]), len(opened)), ("file", 3))  # it changed under a reader, twice
        self.assertRaisesRegex(OSError, "it changes while it is read", tried, [], [bytes([k]) for k in range(99)], False, [0.0, 1.0, 2.1])
        self.assertEqual(len(opened), 2)
        self.assertEqual((tried([KeyError("half")], journal=True, times=[5.0, 7.0]), len(opened)), ("file", 2))
        self.assertRaises(KeyError, tried, [KeyError("half")], [b"a"], True, [5.0, 7.01])
        for error, said in ((OSError("Unable to synchronously open file (truncated file)"), "^%s: cannot be read as HDF5: truncated file$"), (OSError("disk"), "^%s: disk$"), (OSError(path + ": mine"), "^%s: mine$"),
                            (OSError(2, "No such file", "other"), r"^\[Errno 2\] No such file: 'other'$")):
            with self.assertRaisesRegex(OSError, said % path if "%s" in said else said):
                tried([error])

    def test_held(self):
        """A journal is held while one reads; an update that was ended in it is refused, one that is whole is not; a file system without locks is no fault"""
        r, mark = self.result, b"m" * 40
        def held(content, mark=mark, lock=None):
            with open(r._journal, "wb") as file:
                file.write(content)
            asked = []
            with contextlib.ExitStack() as stack, mock.patch.object(result.fcntl, "flock", lambda file, kind: asked.append(kind) or (_ for _ in ()).throw(lock) if lock else asked.append(kind)):
                r._hold(stack, mark)
            self.assertEqual(asked, [fcntl.LOCK_SH | fcntl.LOCK_NB])
        for content in (b"", bytes(40), bytes(40) + mark[:-1], bytes(40) + mark, bytes(40) + mark + b"more"):
            held(content)
        held(bytes(40) + b"n" * 40, b"")
        held(bytes(40) + mark, lock=OSError("no locks"))
        self.assertRaises(BlockingIOError, held, b"", mark, BlockingIOError())
        self.assertRaisesRegex(OSError, "a run was ended in an update of it", held, bytes(40) + b"n" * 40)
        os.remove(r._journal)
        r._hold(contextlib.ExitStack(), mark)
        for content, found in ((b"cardiac result" + bytes(30), b"cardiac result" + bytes(26)), (b"cardiac resul!" + bytes(30), b"")):
            with open("x", "wb") as file:
                file.write(content)
            self.assertEqual(result._mark("x"), found)

    def test_cells_of_kinds(self):
        """Lines and triangles beside tetrahedra have their last node again; titles, units, frames and nodes"""
        points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        path = cardiac.mesh(points, [[0, 1, 2, 3]], path="mixed.vtkhdf")
        with h5py.File(path, "r+") as file:
            root = file["VTKHDF"]
            for name, values in (("Types", np.array([3, 10, 5], np.uint8)), ("Offsets", np.array([0, 2, 6, 9])), ("Connectivity", np.array([1, 3, 0, 1, 2, 3, 2, 0, 1])), ("NumberOfCells", np.array([3])), ("NumberOfConnectivityIds", np.array([9]))):
                if name in root:
                    del root[name]
                root[name] = values
            if "CellData" in root:
                del root["CellData"]
        r = cardiac.read(path)
        self.assertEqual((r.cells.tolist(), r.cell_types.tolist(), r.nodes), ([[1, 3, 3, 3], [0, 1, 2, 3], [2, 0, 1, 1]], [3, 10, 5], 4))
        for config, title in ((r'title: "a\"b\\c \x41\x07\té"', 'a"b\\c A\x07\té'), ("title: plain: b", "plain: b"), ("a: 1\ntitle: x\n", "x"), ("", os.path.basename(os.getcwd()))):
            r.config = config
            r.path = r.path.absolute()
            self.assertEqual(result.title(r), title)
        self.assertEqual(result.split_units(["V (mV)", "a", "b (m/s) (x)"]), (["V", "a", "b"], {"V": "mV", "b": "m/s) (x"}))
        self.assertEqual((result.column(["a", "b"], "b"), [r.node(k) for k in (0, -1, np.int64(2))], r.node([0.1, 0.9, 0.2])), (1, [0, 3, 2], 2))
        self.assertRaisesRegex(KeyError, "no column c; there are a, b", result.column, ["a", "b"], "c")
        self.assertRaises(IndexError, r.node, 4)
        self.assertRaisesRegex(ValueError, "has no frame$", r.frame, 0)
        r.times = np.array([0.0, 1000, 2000])
        self.assertEqual([r.frame(ms) for ms in (0, 1e-9, 1000 + 1e-6, 2000)], [0, 0, 1, 2])
        for ms, near in ((2e-9, 0), (1000 + 1.1e-6, 1000), (1600, 2000)):
            self.assertRaisesRegex(ValueError, "no frame at .*; the nearest is at %g ms" % near, r.frame, ms)

    def test_igb_of_values(self):
        """Headers with and without their parts; times, scales and kinds of numbers; frames at equal intervals alone are written"""
        def igb(head, data):
            with open("x.igb", "wb") as file:
                file.write(head.encode().ljust(1024) + data)
            return cardiac.Igb("x.igb")
        one = igb("x:2 y:3 z:2 t:3 type:int org_t:10 dim_t:8 unites:mV", np.arange(36).astype("<i4").tobytes())
        self.assertEqual((len(one), one.unit, one.times.tolist(), one[1].tolist(), one.at(14)[0], one.at(18)[0]), (3, "mV", [10, 14, 18], list(range(12, 24)), 12, 24))
        self.assertEqual(igb("x:2 t:1 type:byte dim_t:8", b"ab").times.tolist(), [0])
        two = igb("x:1 t:2 type:short systeme:big_endian inc_t:0.5 facteur:0.5 zero:-3", np.array([4, 7]).astype(">i2").tobytes())
        self.assertEqual((two[:].ravel().tolist(), two.times.tolist(), two.unit), ([-1, 0.5], [0, 0.5], ""))
        self.assertRaises(KeyError, two.at, 0.5 + 2e-6)
        self.assertEqual(two.at(0.5 + 1e-7)[0], 0.5)
        self.assertEqual(len(igb("x:1 t:2 type:double", np.arange(3.0).tobytes())), 2)
        for head, data in (("x:1 t:2 type:double", np.arange(2.0).tobytes()[:-1]), ("t:2 type:double", b""), ("x:1 t:2 type:odd", b""), ("x:a t:2 type:int", b""), ("x:1 type:int", b"")):
            self.assertRaises(cardiac.InputError, igb, head, data)
        for times, good in ((np.array([7.0]), True), (np.array([0.0, 2, 4 + 1.9e-6]), True), (np.array([0.0, 2, 4 + 6.1e-6]), False), (np.array([]), False), (np.array([3.0, 5, 7]), True)):
            self.result.times = times
            with mock.patch.object(cardiac.result.Field, "__getitem__", lambda self, k: np.full(self.result.nodes, float(k))):
                if good:
                    self.result.V.to_igb("y.igb")
                    self.assertEqual((len(cardiac.Igb("y.igb")), cardiac.Igb("y.igb").times[0]), (len(times), times[0]))
                    with open("y.igb", "rb") as file:
                        words = dict(word.split(":") for word in file.read(1023).decode().split())
                    self.assertEqual((words["org_t"], words["dim_t"], words["inc_t"]), ("%g" % times[0], "%.10g" % np.ptp(times), "%.10g" % ((np.ptp(times) / (len(times) - 1)) if len(times) > 1 else 1)))
                else:
                    self.assertRaisesRegex(ValueError, "IGB requires frames at equal intervals", self.result.V.to_igb, "y.igb")

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
