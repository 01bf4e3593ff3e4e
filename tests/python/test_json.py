#!/usr/bin/env python3
"""test_json.py CARDIAC GROWING SOURCE: --json of every command is JSON a line, and says what the words and the files say."""
import json
import re
import subprocess

from support import Case, cardiac_program, h5py, main, np


class Facts(Case):
    def lines(self, *arguments, status=0):
        done = subprocess.run([cardiac_program, *arguments, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.said = done.stderr
        return [json.loads(line, parse_constant=self.fail) for line in done.stdout.splitlines()]

    def words(self, *arguments):
        done = subprocess.run([cardiac_program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout

    def test_run(self):
        *steps, last = self.lines("run", "a.yaml", "--set", "activation.threshold=-50 mV")
        self.assertTrue(steps and all(set(line) == {"time", "end", "step", "seconds", "seconds_left"} for line in steps))
        self.assertEqual((steps[-1]["time"], steps[-1]["step"], last["status"], last["result"]), (6, 120, 0, "out/run.vtkhdf"))
        with h5py.File("out/run.vtkhdf", "r", locking=False) as file:
            at = file["VTKHDF/PointData/activation_time"][:]
            self.assertEqual((last["nodes"], last["activated"]), (len(at), np.isfinite(at).sum()))
            self.assertEqual((np.float32(last["last_activation"]), np.float32(last["first_activation"])), (np.nanmax(at), np.nanmin(at)))
            self.assertEqual(last["total_activation_time"], last["last_activation"] - last["first_activation"])
            for name, value in file["run/numbers"].attrs.items():
                self.assertEqual(last[name], value, name)
        with open("out/run.log") as file:
            log = file.read().splitlines()
        self.assertTrue(any(line.startswith("results: out/run.vtkhdf") for line in log))
        told = [("warning: " if fact["severity"] == "warning" else "") + fact["sentence"] for fact in last["facts"] if "sentence" in fact]
        self.assertTrue(told and set(told) <= set(log), told)
        self.assertEqual(last["warnings"], [line.partition(": ")[2] for line in log if line.startswith("warning: ")])
        values = {fact["name"]: fact["value"] for fact in last["facts"] if "value" in fact and "region" not in fact}
        self.assertEqual((values["time"], values["last_activation"], values["pulses"]), (6, last["last_activation"], 1))
        self.assertEqual((last["message"], last["ended"]), (None, None))
        self.assertEqual(self.lines("run", "a.yaml", status=2), [])
        self.assertIn("--overwrite replaces it", self.said)
        *_, last = self.lines("run", "a.yaml", "--overwrite", "--set", "activation.threshold=60 mV", "--set", "time.end=1 ms")
        self.assertEqual((last["activated"], last["first_activation"]), (0, None))
        for other in "--quiet", "--dry-run":
            self.lines("run", "a.yaml", other, status=2)

    def test_check(self):
        self.maxDiff = None
        (found,) = self.lines("check", "a.yaml")
        words = self.words("check", "a.yaml")
        self.assertIn("nodes      %d\n" % found["nodes"], words)
        self.assertIn("elements   %d tetrahedra\n" % found["elements"], words)
        self.assertIn("region 0: %(model)s, %(elements)d elements" % found["regions"][0], words)
        self.assertIn("stimulus %(name)s: %(nodes)d nodes, %(volume).5g mm^3 (shape: %(shape_volume).5g mm^3), %(current)g uA/uF" % found["stimuli"][0], words)
        for probe in found["probes"]:
            self.assertIn("probe %(name)s: node %(node)d, %(distance).3g mm away" % probe, words)
        self.assertIn("memory: at most about %.1f MB" % (found["memory_bytes"] / 1e6), words)
        self.assertIn("disk: about %.4g MB" % (found["disk_bytes"] / 1e6), words)
        self.assertEqual((found["steps"], found["end"], len(found["probes"])), (120, 6, 2))
        self.assertGreater(found["run_seconds"], 0)
        (other,) = self.lines("check", "a.yaml", "--syntax", "--set", "induction.from=0.3 s")
        self.assertEqual((found["config"]["time"], other["config"]["induction"]["from"]), ({"end": "6 ms", "step": "0.05 ms"}, "300 ms"))
        self.assertEqual([found["ids"][part] == other["ids"][part] for part in ("mesh", "results", "induction")], [True, True, False])
        self.assertEqual(self.lines("check", "a.yaml", "--set", "time.end=7.01 ms", "--set", "time.step=x", status=2), [])
        self.assertIn("time.step", self.said)
        self.lines("check", "a.yaml", "--resolved", status=2)
        with open("same.yaml", "w") as file:  # the config is one, of the same results
            json.dump(found["config"], file)
        (same,) = self.lines("check", "--syntax", "same.yaml")
        self.assertEqual((same["config"], same["ids"]), (found["config"], found["ids"]))
        (other,) = self.lines("check", "--syntax", "same.yaml", "--set", "solver.splitting=godunov")
        self.assertEqual([other["ids"][part] == same["ids"][part] for part in ("mesh", "results")], [True, False])
        for key, fault in (("initial.file=x.h5", "bound_to_mesh"), ("sweep={time.end: [1 ms]}", "several_runs")):
            (bound,) = self.lines("check", "--syntax", "a.yaml", "--set", key)
            self.assertRegex(bound[fault], "^--set %s: " % key.split("=")[0])

    def test_info(self):
        self.shell("run", "a.yaml", "--quiet", "--set", "checkpoint={every: 3 ms, keep: 1}")
        (found,) = self.lines("info", "out/run.vtkhdf")
        words = self.words("info", "out/run.vtkhdf")
        self.assertEqual((found["times"], found["growing"]), (list(range(7)), False))
        self.assertIn("%(nodes)d nodes, %(elements)d tetrahedra, (%(b)s) to" % {**found, "b": ", ".join("%g" % x for x in found["box"][:3])}, words)
        for array in found["arrays"]:
            line = next(line for line in words.splitlines() if line.startswith("  %-20s" % array["name"]))
            if array["low"] is not None:
                self.assertIn("%.6g to %.6g" % (array["low"], array["high"]), line)
        self.assertEqual(found["numbers"]["steps"], 120)
        (found,) = self.lines("info", "out/checkpoint-120.h5")
        words = self.words("info", "out/checkpoint-120.h5")
        self.assertEqual((found["step"], found["time"]), (120, 6))
        for array in found["arrays"]:
            self.assertRegex(words, r"  %s +%s +%d" % (re.escape(array["name"]), array["type"], array["values"]))
        self.lines("info", status=2)

    def test_models(self):
        found = self.lines("models")
        words = [re.sub(r" +[0-9]+ ns  ", "  ", line) for line in self.words("models").splitlines()]  # measured each time
        self.assertEqual(["%-20s %2d states%s  %s" % (line["name"], line["states"], " ~" if line["forecast"] else "", line["title"])
                          for line in found], words)
        self.assertTrue(all(0 < line["step_ns"] < 1e5 for line in found))
        of = {line["name"]: line for line in found}
        self.assertTrue(of["tor-ord-endo"]["forecast"] and not of["tp06-epi"]["forecast"])
        self.assertGreater(of["tor-ord-endo"]["step_ns"], of["tp06-epi"]["step_ns"])
        (model,) = self.lines("models", "tp06-epi")
        words = self.words("models", "tp06-epi")
        self.assertIn("V starts at %g mV" % model["v_initial"], words)
        for state in model["states"]:
            self.assertIn("  %(name)-10s %(value)12.8g %(unit)-12s %(meaning)s" % state, words)
        self.assertIn("Iion", [current["name"] for current in model["currents"]])
        self.lines("models", "tp06-epi", "--mmt", status=2)

    def test_cell(self):
        arguments = ["cell", "mitchell-schaeffer", "--beats", "2", "--period", "400ms", "--stimulus", "80pA/pF"]
        found = self.lines(*arguments)
        rows = [line.split() for line in self.words(*arguments, "--output", "t.csv").splitlines()[1:]]
        self.assertEqual([["%d" % b["beat"], "%.5g" % b["start"], "%.3f" % b["rest"], "%.3f" % b["peak"]] for b in found],
                         [row[:4] for row in rows])
        self.assertEqual(["%.3f" % b["apd90"] for b in found], [row[7] for row in rows])
        self.lines(*arguments, "--output", "j.csv")
        with open("t.csv") as one, open("j.csv") as other:
            self.assertEqual(one.read(), other.read())
        *_, last = self.lines("cell", "mitchell-schaeffer", "--s1", "2x400ms", "--s2", "380:300:40ms", "--stimulus", "80pA/pF")
        self.assertEqual((last["s2"], last["captured"]), (300, last["apd90"] is not None))

    def test_compare(self):
        for name, step in ("a", "0.05 ms"), ("b", "0.025 ms"):
            self.shell("run", "a.yaml", "--quiet", "--output", name, "--set", "time.step=" + step)
        *rows, last = self.lines("compare", "a/run.vtkhdf", "b/run.vtkhdf", "--tolerance", "1e-9", status=1)
        v = [cardiac_v(name) for name in "ab"]
        found = [row for row in rows if row["array"] == "V"]
        self.assertEqual([row["time"] for row in found], list(range(7)))
        for k, row in enumerate(found):
            self.assertEqual(row["max"], abs(v[0][k].astype(float) - v[1][k]).max())
        self.assertEqual((last["equal"], last["compared"], last["apart"]), (False, len(rows), sum(not row["within"] for row in rows)))
        self.assertRegex(self.said, "differ: %d of %d" % (last["apart"], last["compared"]))
        *_, last = self.lines("compare", "a/run.vtkhdf", "a/run.vtkhdf")
        self.assertEqual((last["equal"], last["apart"]), (True, 0))

    def test_verify(self):
        *rows, last = self.lines("verify", "stimulus", "--quick", "--threads", "1", "--device", "cpu")
        self.assertTrue(rows and all(row["low"] <= row["value"] <= row["high"] and row["within"] for row in rows))
        self.assertEqual((last["problem"], last["wrong"], last["passed"]), ("stimulus", 0, True))
        *rows, last = self.lines("verify", "stimulus", "--quick", "--inject", "--threads", "1", "--device", "cpu")
        self.assertTrue(any(not row["within"] for row in rows) and last["passed"])


def cardiac_v(name):
    with h5py.File(name + "/run.vtkhdf", "r", locking=False) as file:
        return file["fields/V"][:]


main()
