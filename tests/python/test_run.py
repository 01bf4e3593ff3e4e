#!/usr/bin/env python3
"""test_run.py CARDIAC GROWING SOURCE: runs from Python are those from a shell, to the last bit; errors are the program's own; a
batch goes on where it ended."""
import json
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from support import Case, cardiac_program, h5py, main, needs, np, source

import cardiac

batch = sys.modules["cardiac.batch"]  # of which the package has the function


def fields(path):
    with h5py.File(path, "r", locking=False) as file:
        return {name: file["fields/" + name][:] for name in file["fields"]}


def rows(path):
    """How many rows of a table are there"""
    if not os.path.exists(path):
        return 0
    with open(path) as file:
        return max(len(file.readlines()) - 1, 0)


def refused(_):
    cardiac.run("a.yaml", {"time.end": "1 mV"}, output="refused", progress=False)


class Running(Case):
    def test_errors_of_a_pool(self):
        """What a process of a pool raises arrives in the parent as it was."""
        with multiprocessing.get_context("fork").Pool(1) as pool:
            with self.assertRaisesRegex(cardiac.InputError, "time.end") as caught:
                pool.map_async(refused, [0]).get(60)
        self.assertEqual(caught.exception.status, 2)
        same = pickle.loads(pickle.dumps(cardiac.RunError("full", 3)))
        self.assertEqual((type(same), same.text, same.status, str(same)), (cardiac.RunError, "full", 3, "full"))

    def test_folder_of_arrays(self):
        """Arrays of a mapping are written to the folder of the output, wherever it is given."""
        class Written(Exception):
            pass
        for own, key, output, folder in (({}, None, None, "out"), ({"output": {"directory": "own"}}, None, None, "own"), ({"output": {"directory": "own"}}, "set", None, "set"),
                                         ({"output": {"directory": "own"}}, "set", "given", "given"), ({"output": 5}, None, "given", "given")):
            with mock.patch("cardiac.batch.as_files", side_effect=Written) as files, self.assertRaises(Written):
                cardiac.run(own, key and {"output.directory": key}, output=output)
            self.assertEqual(files.call_args.args, (own, folder))

    def test_as_from_a_shell(self):
        cases = [{"time.end": end, "output.fields": ["V"], "stimuli[0].duration": "%g ms" % duration, "solver.splitting": splitting}
                 for end in ("2 ms", "3 ms") for duration in (1, 3) for splitting in ("staggered", "godunov")]
        for k, case in enumerate(cases):
            result = cardiac.run("a.yaml", case, output="p%d" % k, progress=False)
            sets = [word for key, value in case.items()
                    for word in ("--set", "%s=%s" % (key, "[V]" if key == "output.fields" else value))]
            self.shell("run", "a.yaml", "--quiet", "--output", "s%d" % k, *sets)
            one, other = fields("p%d/run.vtkhdf" % k), fields("s%d/run.vtkhdf" % k)
            self.assertEqual(set(one), set(other))
            for name in one:
                self.assertTrue(np.array_equal(one[name], other[name], equal_nan=True), name)
            self.assertEqual(result.summary["nodes"], result.nodes)
            self.assertEqual(result.summary["activated"], np.isfinite(result.activation).sum())
            self.assertEqual(result.summary["steps"], result.numbers["steps"])
        self.assertFalse(np.array_equal(cardiac.read("p0").V[-1], cardiac.read("p4").V[-1]))  # or nothing was seen

    def test_lists_and_mappings(self):
        r = cardiac.run("a.yaml", {"output.probes": {"µ x": ["1 mm", 0, np.float64(0.2)]}, "solver.tolerance": 1e-5, "time.end": "1 ms",
                                    "activation.beats": np.int64(2)},
                        progress=False)
        self.assertEqual(r.table("probes")[1], ["µ x", "µ x.h"])
        self.assertIn("tolerance: 1e-05 mV", r.config)
        self.assertEqual(r.activation.shape[1], 2)

    def test_arrays(self):
        """A mapping with numpy arrays is the run of files of them, and the same again goes on with them."""
        x = np.linspace(0, 5, 21)
        config = {"mesh": {"cable": {"length": 5, "spacing": 0.25}, "arrays": {"scar": 1.0 * (x > 4)}}, "time": {"end": 3, "step": 0.05},
                  "tissue": {"surface_to_volume": "140 /mm", "regions": [
                      {"where": x > 4.5, "model": "passive", "conductivity": "0.1 S/m"},
                      {"model": "mitchell-schaeffer", "conductivity": "0.1 S/m", "scale": 1 - 0.5 * (x > 3), "parameters": {"tau_in": 0.3 + 0.01 * x}}]},
                  "stimuli": [{"nodes": np.arange(3), "duration": 1, "current": "50 uA/uF"}],
                  "output": {"every": 1, "probes": {"near": np.array([1.0, 0, 0])}}}
        r = cardiac.run(config, output="own", progress=False)
        self.assertEqual(cardiac.run(config, {"time.end": 4}, output="own", resume=True, progress=False).times[-1], 4)
        for name, values in (("scar", 1.0 * (x > 4)), ("end", 1.0 * (x > 4.5)), ("scale", 1 - 0.5 * (x > 3)), ("tau", 0.3 + 0.01 * x), ("s1", np.arange(3))):
            np.savetxt(name + ".dat", values, fmt="%.17g" if values.dtype.kind == "f" else "%d")
        with open("files.yaml", "w") as file:
            file.write("""version: 1
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}, arrays: {end: end.dat, scale: scale.dat, tau: tau.dat}}
tissue:
  surface_to_volume: 140 /mm
  regions:
    - {where: end > 0.5, model: passive, conductivity: 0.1 S/m}
    - {model: mitchell-schaeffer, conductivity: 0.1 S/m, scale: scale, parameters: {tau_in: {field: tau}}}
stimuli: [{nodes: s1.dat, duration: 1 ms, current: 50 uA/uF}]
time: {end: 3 ms, step: 0.05 ms}
output: {every: 1 ms}
""")
        self.assertTrue(np.array_equal(r.V[:4], cardiac.run("files.yaml", output="files", progress=False).V[:]))
        self.assertGreater(np.ptp(r.V[3]), 50)
        for key, values, said in (("mesh", 5, "mesh: "), ("mesh", {**config["mesh"], "arrays": 5}, "mesh.arrays"),
                                  ("mesh", {**config["mesh"], "arrays": {"array_2": "scar.dat"}}, r"mesh.arrays.array_2: .*this name"),
                                  ("initial", {"V": x}, "initial.file"), ("tissue", {**config["tissue"], "fibers": np.ones((21, 3))}, "cardiac.mesh")):
            with self.assertRaisesRegex(cardiac.InputError, said):
                cardiac.run({**config, key: values}, output="no", progress=False)

    def test_a_kill_leaves_no_config(self):
        code = "import sys; sys.path.insert(0, %r)\nimport cardiac\n" % os.path.join(source, "app", "python")
        code += "cardiac.run({'mesh': {'cable': {'length': '5 mm', 'spacing': '0.25 mm'}}, 'time': {'end': '1000 s', 'step': 0.05}, " \
            "'tissue': {'surface_to_volume': '140 /mm', 'regions': [{'model': 'passive', 'conductivity': '0.1 S/m'}]}, 'output': {'directory': 'k'}})"
        running = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        while not os.path.exists("k/run.log"):
            self.assertIsNone(running.poll())
            time.sleep(0.02)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        self.assertEqual(sorted(os.listdir(".")), ["a.yaml", "k"])

    def test_errors(self):
        with self.assertRaises(cardiac.InputError) as caught:
            cardiac.run("a.yaml", {"time.ende": "3 ms"}, progress=False)
        self.assertEqual(caught.exception.status, 2)
        self.assertRegex(str(caught.exception), "time.ende: unknown key .did you mean 'end'")
        with self.assertRaisesRegex(ValueError, "nowhere.yaml"):
            cardiac.run("nowhere.yaml")
        for name in "--help", "-h", "-":
            with self.assertRaisesRegex(cardiac.InputError, r"\./%s: .*No such file" % name):
                cardiac.run(name)
        self.assertEqual(str(cardiac.run("a.yaml", {"time.end": "1 ms"}, output="--x", progress=False).path), "--x/run.vtkhdf")
        cardiac.run("a.yaml", {"time.end": "1 ms"}, progress=False)
        with self.assertRaisesRegex(cardiac.InputError, "--overwrite replaces it"):
            cardiac.run("a.yaml", {"time.end": "1 ms"}, progress=False)
        cardiac.run("a.yaml", {"time.end": "1 ms"}, progress=False, overwrite=True)
        with self.assertRaises(cardiac.RunError) as caught:
            cardiac.run("a.yaml", {"solver.method": "jacobi", "solver.tolerance": 1e-13, "tissue.regions[0].conductivity": 500}, output="f", progress=False)
        self.assertEqual(caught.exception.status, 3)
        self.assertRegex(str(caught.exception), "^step 0 .*1000 sweeps left an error")
        with self.assertRaisesRegex(FileNotFoundError, "no such program"):
            cardiac.run("a.yaml", program="./nowhere")

    def test_programs_of_others(self):
        """build/cardiac of the folder where Python runs is not started, unless the imported package is part of that tree."""
        for folder in ("site", "tree/app/python"):
            shutil.copytree(os.path.join(source, "app", "python", "cardiac"), os.path.join(folder, "cardiac"))
        for folder in ("build", "tree/build"):
            os.mkdir(folder)
            with open(os.path.join(folder, "cardiac"), "w") as file:
                file.write("#!/bin/sh\n")
            os.chmod(os.path.join(folder, "cardiac"), 0o755)
        env = {**os.environ, "PATH": "/nowhere"}
        env.pop("CARDIAC")
        for package, found in (("site", "no cardiac on the PATH"), ("tree/app/python", os.path.realpath("tree/build/cardiac"))):
            done = subprocess.run([sys.executable, "-B", "-c", "from cardiac import program; print(program.find())"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**env, "PYTHONPATH": os.path.abspath(package)})
            self.assertIn(found, done.stdout)

    def test_interrupted(self):
        """Who interrupts Python gets the program's checkpoint, and resume=True goes on from it."""
        code = "import sys; sys.path.insert(0, %r); import cardiac; cardiac.run('a.yaml', {'time.end': '1000 s'}, progress=False)"
        python = subprocess.Popen([sys.executable, "-B", "-c", code % os.path.join(source, "app", "python")], stderr=subprocess.PIPE,
                                  text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        until = time.monotonic() + 120
        while python.poll() is None and time.monotonic() < until and not rows("out/probes.csv"):
            time.sleep(0.05)
        python.send_signal(signal.SIGINT)
        self.assertIn("KeyboardInterrupt", python.communicate(timeout=120)[1])
        (name,) = (name for name in os.listdir("out") if name.startswith("checkpoint-"))
        reached = int(name[len("checkpoint-"):-len(".h5")]) * 0.05
        end = round(reached) + 2.0
        r = cardiac.run("a.yaml", {"time.end": "%g ms" % end}, resume=True, progress=False)
        self.assertEqual(r.times[-1], end)
        self.assertEqual(len(r.times), end + 1)

    def test_table_of(self):
        """The rows of a batch: all combinations of lists, or those of a table; what is written once, and put back where it fails"""
        self.assertEqual(batch._table_of({"a": [1, 2], "b": ("x", "y")}), (["a", "b"], [(1, "x"), (1, "y"), (2, "x"), (2, "y")]))
        for wrong, said in (({"a": "x"}, r"runs: a: expected a list of values, such as \['x'\], not 'x'"), ({"a": 5}, "runs: a: expected a list"), ({"a": {"b": 1}}, "runs: a: expected"), ("x", "pandas.DataFrame whose columns are keys, not 'x'")):
            with self.assertRaisesRegex(cardiac.InputError, said) as refused:
                batch._table_of(wrong)
            self.assertEqual(refused.exception.status, 2)
        frame = SimpleNamespace(columns=("a", "b"), notna=lambda: "known", astype=lambda kind: SimpleNamespace(where=lambda known, other: SimpleNamespace(values=SimpleNamespace(tolist=lambda: [[1, other], [kind, known]]))))
        self.assertEqual(batch._table_of(frame), (["a", "b"], [[1, None], [object, "known"]]))
        path, folder = Path("o/runs.csv"), Path("o")
        for k, (overwrite, rows, text) in enumerate(((False, [(1, "x,y"), (None, [0, "1 mm"])], 'a,b\r\n1,"x,y"\r\n,"[0, ""1 mm""]"\r\n'), (True, [(2, "z")], "a,b\r\n2,z\r\n"), (False, [(2, "z")], "a,b\r\n2,z\r\n"))):
            folder.mkdir(exist_ok=True)
            batch._write(path, ["a", "b"], rows, overwrite)
            self.assertEqual(path.read_bytes().decode(), text)
        with self.assertRaisesRegex(cardiac.InputError, "o/runs.csv: the table of another study; overwrite=True starts again") as refused:
            batch._write(path, ["a", "b"], [(3, "z")], False)
        self.assertEqual(refused.exception.status, 2)
        batch._undo(folder, b"before", False)
        self.assertEqual(path.read_bytes(), b"before")
        batch._undo(folder, b"before", True)
        batch._undo(folder, None, False)
        self.assertEqual((path.exists(), folder.exists()), (False, True))
        path.write_text("new")
        batch._undo(folder, None, True)
        self.assertFalse(folder.exists())

    def test_parts(self):
        """The commands of a batch in one process and in several, its errors, and the files of runs"""
        asked, frame = [], type("Frame", (dict,), {"__len__": lambda self: count})({"id": ["x", "y"]})
        fault, count, written = None, 2, ["table.csv"]

        def lines(arguments, program):
            asked.append((arguments, program))
            for name in written:
                Path("b", name).touch()
            yield from [1, 2]
            if fault:
                raise fault
        with mock.patch.multiple(batch, lines=lines, import_module=lambda name: asked.append(name), _read=lambda paths, keys: read.append(([str(path) for path in paths], keys)) or frame):
            read = []
            runs = {"k": [1, 2]}
            common = ["sweep", "a.yaml", "--table=b/runs.csv", "--output=b", "--json"]
            self.assertIs(cardiac.batch("a.yaml", runs, output="b", program="p"), frame)
            self.assertEqual((asked, read), (["pandas", (common, "p")], [(["b/table.csv"], ["k"])]))
            self.assertEqual(Path("b/runs.csv").read_bytes(), b"k\r\n1\r\n2\r\n")
            asked.clear(), read.clear()
            written[:] = ["table-1-of-3.csv", "table-3-of-3.csv"]
            table = cardiac.batch("a.yaml", runs, output="b", jobs=3, results=True, overwrite=True)
            self.assertEqual(sorted(words for words, _ in asked[1:]), [[*common, "--results", "--overwrite", "--threads=1", "--part=%d/3" % k] for k in (1, 2, 3)])
            self.assertEqual((read, table["result"]), ([(["b/table-1-of-3.csv", "b/table-3-of-3.csv"], ["k"])], ["b/x", "b/y"]))
            fault = cardiac.RunError("one failed", 3)
            cardiac.batch("a.yaml", runs, output="b")  # its row says so
            count = 1
            self.assertRaisesRegex(cardiac.RunError, "one failed", cardiac.batch, "a.yaml", runs, output="b")
            fault, before = cardiac.InputError("bad key", 2), Path("b/runs.csv").read_bytes()
            self.assertRaisesRegex(cardiac.InputError, "bad key", cardiac.batch, "a.yaml", {"k": [7]}, output="b", overwrite=True)
            self.assertEqual(Path("b/runs.csv").read_bytes(), before)
            written.clear()
            self.assertRaisesRegex(cardiac.InputError, "bad key", cardiac.batch, "a.yaml", runs, output="new")
            self.assertFalse(os.path.exists("new"))

    def test_doses(self):
        """What a concentration leaves of each current, and wrong ones"""
        made = []
        table = SimpleNamespace(insert=lambda *words: made.append(words))
        with mock.patch.dict(sys.modules, pandas=SimpleNamespace(DataFrame=dict)), mock.patch.object(batch, "batch", lambda *words, **more: made.append((words, more)) or table):
            self.assertIs(cardiac.drug("a.yaml", {"a": 2, "b": (4, 2)}, [0, 2, 4], output="d", jobs=3), table)
            self.assertEqual(made, [(("a.yaml", {"tissue.parameters.a": ["x1", "x0.5", "x0.333333333"], "tissue.parameters.b": ["x1", "x0.8", "x0.5"]}), {"output": "d", "jobs": 3}), (0, "concentration", [0, 2, 4])])
            for ic50, doses in (({}, [1]), ({"a": 0}, [1]), ({"a": -1}, [1]), ({"a": (1, 0)}, [1]), ({"a": (1, 2, 3)}, [1]), ({"a": [1]}, [1]), ({"a": 1}, [-0.1])):
                with self.assertRaisesRegex(cardiac.InputError, "drug: expected") as refused:
                    cardiac.drug("a.yaml", ic50, doses, output="d")
                self.assertEqual(refused.exception.status, 2)

    def test_program(self):
        """Words for the program and of it: values, options, paths, errors by their status, and the bar"""
        from cardiac import program
        self.assertEqual([program.value(x) for x in ("x", [0, "1 mm"], np.float32(0.05), np.arange(2), {"a": Path("b")}, True)], ["x", '[0, "1 mm"]', "0.05", "[0, 1]", '{"a": "b"}', "true"])
        self.assertEqual([program.plain(x) for x in (np.float32(0.1), np.int64(3), np.array(0.5), np.arange(2), Path("a"), "x", None)], [0.1, 3, 0.5, [0, 1], "a", "x", None])
        self.assertEqual([program.argument(path) for path in ("a", "-a", Path("-b/c"))], ["a", "./-a", "./-b/c"])
        self.assertEqual((program.sets({"a": 1, "b": "x y"}), program.sets(None)), (["--set=a=1", "--set=b=x y"], []))
        self.assertEqual((json.loads(program.text_of({"a": np.arange(2)})), json.loads(program.text_of({"version": 2}))), ({"version": 1, "a": [0, 1]}, {"version": 2}))
        for wrong in ({"a": float("nan")}, {"a": object()}):
            self.assertRaisesRegex(cardiac.InputError, "^config: ", program.text_of, wrong)
        for status, said, kind, text in ((2, "cardiac: a.yaml:1: x\ncardiac: warning: w\nmore\n", cardiac.InputError, "a.yaml:1: x\nmore"), (3, "", cardiac.RunError, "ended with status 3"), (4, "cardiac: late", cardiac.RunError, "late")):
            error = program.failure(status, said)
            self.assertEqual((type(error), error.text, error.status, str(error)), (kind, text, status, text))
            self.assertEqual(error.__reduce__(), (kind, (text, status)))
        error = program.failure(-9, "x")
        self.assertEqual((type(error), error.status, error.text), (cardiac.RunError, 3, "cardiac was ended by SIGKILL, as where memory runs out"))
        self.assertEqual([program._bar(at) for at in ({"time": 5, "end": 20}, {"time": 0, "end": 0, "seconds_left": None}, {"time": 19.9, "end": 20.0, "seconds_left": 125.4})],
                         ["[%-30s] 5 of 20 ms" % ("#" * 7), "[%s] 0 of 0 ms" % ("#" * 30), "[%-30s] 19.9 of 20 ms, 2:05 left" % ("#" * 29)])
        for requested, terminal, notebook, shown in ((None, True, False, True), (None, False, False, False), (None, False, True, True), (False, True, True, False), (True, False, False, True)):
            stream = StringIO()
            stream.isatty = lambda: terminal
            with mock.patch.object(sys, "stderr", stream), mock.patch.dict(sys.modules, {"ipykernel": None} if notebook else {}):
                bar = program.Progress(requested)
                bar.show({"time": 1, "end": 2})
                bar.end()
            self.assertEqual(stream.getvalue(), ("\r[%-30s] 1 of 2 ms" % ("#" * 15) + 8 * " " + "\n") * shown)

    def test_batch_without_pandas(self):
        """What a batch needs is missed before its runs are made."""
        code = "import sys; sys.modules['pandas'] = None; import cardiac; cardiac.batch('a.yaml', {'time.end': ['1 ms']}, output='n')"
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                               env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertIn("pandas", ended.stderr)
        self.assertNotEqual(ended.returncode, 0)
        self.assertFalse(os.path.exists("n/table.csv"))

    @needs("pandas")
    def test_batch_keeps_runs_csv(self):
        os.makedirs("k", exist_ok=True)
        with open("k/runs.csv", "w", encoding="utf-8") as file:
            file.write("mine")
        with self.assertRaises(cardiac.InputError) as wrong:
            cardiac.batch("a.yaml", {"time.end": ["1 ms"]}, output="k")
        self.assertRegex(wrong.exception.text, "k.runs.csv: the table of another study")
        with open("k/runs.csv", encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    @needs("pandas")
    def test_drug(self):
        table = cardiac.drug("a.yaml", {"tau_open": (2, 1.5), "tau_in": 3}, [0, 2, 6], output="d")
        self.assertEqual((table.columns[0], table["concentration"].tolist()), ("concentration", [0, 2, 6]))
        self.assertEqual(table["tissue.parameters.tau_open"].tolist(), ["x1", "x0.5", "x%.9g" % (1 / (1 + 3**1.5))])
        self.assertEqual(table["tissue.parameters.tau_in"].tolist(), ["x1", "x0.6", "x0.333333333"])
        self.assertEqual(table["status"].tolist(), [0, 0, 0])
        for ic50, dose in (({}, [1]), ({"tau_open": 0}, [1]), ({"tau_open": (1, 2, 3)}, [1]), ({"tau_open": 1}, [-1])):
            with self.assertRaises(cardiac.InputError):
                cardiac.drug("a.yaml", ic50, dose, output="d")

    @needs("pandas")
    def test_batch(self):
        grid = {"time.end": ["1.5 ms", "2 ms"], "stimuli[0].current": ["50 uA/uF", "1e7 uA/uF", "0 uA/uF"]}
        table = cardiac.batch("a.yaml", grid, output="b", jobs=2, results=True)
        self.assertEqual(list(table["time.end"]), ["1.5 ms"] * 3 + ["2 ms"] * 3)
        self.assertEqual(list(table["status"]), [0, 3, 0, 0, 3, 0])
        self.assertEqual(list(table["activated"] > 0), [True, False, False, True, False, False])
        self.assertRegex(table["message"][1], "blow-up")
        self.assertEqual(table.attrs["units"]["activated"], "%")
        self.assertEqual(cardiac.read(table["result"][3]).config.count("end: 2 ms"), 1)
        written = os.stat("b/table-1-of-2.csv").st_mtime_ns
        again = cardiac.batch("a.yaml", grid, output="b", jobs=2, results=True)
        self.assertEqual(json.loads(again.to_json()), json.loads(table.to_json()))
        self.assertEqual(os.stat("b/table-1-of-2.csv").st_mtime_ns, written)  # nothing was left to do
        import pandas
        rows = pandas.DataFrame({"time.end": ["1 ms", None, "2 ms"], "solver.mass_lumping": [1, 0.5, None],
                                 "output.probes": [None, {"a": [1, 0, 0]}, None]})
        one = cardiac.batch("a.yaml", rows, output="c")
        self.assertEqual(list(one["time"]), [1, 6, 2])
        with self.assertRaises(cardiac.InputError) as wrong:
            cardiac.batch("a.yaml", {"time.end": ["1 ms", "1 mm"]}, output="d")
        self.assertRegex(wrong.exception.text, r"runs.csv:3:1: time.end: '1 mm' is not a time")
        self.assertFalse(os.path.exists("d"))
        with open("c/runs.csv", encoding="utf-8") as file:
            before = file.read()
        for runs, said in (({"time.end": ["1 mm"]}, "is not a time"), ({"time.end": "1 ms"}, r"expected a list of values, such as \['1 ms'\]"),
                           ("time.end", "expected {")):
            with self.assertRaisesRegex(cardiac.InputError, said):
                cardiac.batch("a.yaml", runs, output="c", overwrite=True)
        with open("c/runs.csv", encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        with self.assertRaises(cardiac.InputError) as other:  # the runs of b are of this config
            cardiac.batch("a.yaml", {**grid, "solver.mass_lumping": [0.5]}, output="b", jobs=2)
        self.assertRegex(other.exception.text, "table of another study")
        listed = {"time.end": ["1 ms"], "stimuli": [[{"nodes": "list.txt", "duration": "2 ms", "current": "50 uA/uF"}]]}
        for text in ("0\n1\n", "0\n2\n"):
            with open("list.txt", "w", encoding="utf-8") as file:
                file.write(text)
            if text == "0\n1\n":
                cardiac.batch("a.yaml", listed, output="e")
        with self.assertRaisesRegex(cardiac.InputError, "since then these files have changed: list.txt; "):
            cardiac.batch("a.yaml", listed, output="e")


main()
