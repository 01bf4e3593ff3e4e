#!/usr/bin/env python3
"""test_text.py CARDIAC GROWING SOURCE: no command that is a script prints a control character of the user's,
and none cuts a line; an exception that is no message for the user is a fault of the program."""
import ast
import contextlib
import io
import os
import pathlib
import re
import socket
import subprocess
import sys
import warnings
from types import SimpleNamespace
from unittest import mock

from support import Case, cardiac_program, h5py, main, needs, source, warm

warm()

from cardiac import __main__
from cardiac.__main__ import report_fault
from cardiac.program import InputError, RunError
from cardiac.text import shown, terminal

ODD = b"a\x1b[31m\x07\xc2\x9b2J\xff"


class Text(Case):
    def test_terminal(self):
        self.assertEqual(terminal("é\t\n\u200b\x7f\x1b\x9b\udcff"), "é\t\n\u200b\\x7f\\x1b\\xc2\\x9b\\xff")
        self.assertEqual((shown("é\t\n\x07", "\t"), shown("é\t")), ("é\t\ufffd\ufffd", "é\ufffd"))

    def test_fault(self):
        for cause, status, said in ((lambda: {}["duration"], 3, "a fault of cardiac induce: KeyError: 'duration' (test_text.py:"),
                                    (lambda: h5py.File("one.h5", "w")["two"], 2, "an HDF5 file is damaged, or not what cardiac induce needs")):
            with contextlib.redirect_stderr(io.StringIO()) as text:
                try:
                    cause()
                except KeyError as error:
                    self.assertEqual(report_fault("induce", error), status)
            self.assertIn("cardiac: " + said, text.getvalue())

    def command(self, *words, call=None):
        """Status, standard output and errors of a command line whose command does `call`"""
        out, errors, made = [], io.StringIO(), []

        def write(to, text):
            made.append(to)
            if isinstance(self.full, OSError):
                raise self.full
            out.append(text[:7])
            return len(text[:7])

        def called(given):
            self.given = given
            if isinstance(call, BaseException):
                raise call
            return call
        commands = {name: (called, *own[1:]) for name, own in __main__.COMMANDS.items()} if call is not None else __main__.COMMANDS
        with mock.patch.object(__main__, "COMMANDS", commands), mock.patch.object(sys, "argv", ["cardiac", *words]), contextlib.redirect_stderr(errors), contextlib.redirect_stdout(errors), mock.patch.object(__main__.os, "write", write), \
                mock.patch.object(warnings, "showwarning"), warnings.catch_warnings():
            try:
                status = __main__.main()
            except SystemExit as ended:
                status = ended.code
        self.assertLessEqual(set(made), {1})
        return status, b"".join(out).decode(), errors.getvalue()

    full = None

    def test_words(self):
        """Command lines: what is taken, help, and what is wrong with what would be right"""
        self.assertEqual(self.command("tips", "r", call="text of it\n"), (0, "text of it\n", ""))
        self.assertEqual((self.given.result, self.given.file, self.given.delay), ("r", None, None))
        self.command("tips", "r", "f.csv", "--delay", "20ms", call="")
        self.assertEqual((self.given.file, self.given.delay), ("f.csv", "20ms"))
        self.command("induce", "c", "--set", "a=1", "--set=b=2", "--results", "--json", call="")
        self.assertEqual((self.given.config, self.given.set, self.given.results, self.given.json, self.given.overwrite, self.given.part), ("c", ["a=1", "b=2"], True, True, False, None))
        self.command("import", "x.par", call="")
        self.assertEqual(self.given.parameters, "x.par")
        self.assertEqual(self.command("tips", "--help"), (0, "", """Usage: cardiac tips RESULT [FILE.csv] [options]

Writes the phase singularities of the stored frames of V on the surface of the mesh: a row for each tip of a
spiral wave in each frame, with its place and the direction in which it turns. FILE.csv is tips.csv beside the result.

  --delay TIME             between the two V that give a phase, such as 20ms (a quarter of the period)
  --help                   show this
"""))
        self.assertTrue(self.command("import", "-h")[2].startswith("Usage: cardiac import PARAMETERS.par\n\n"))
        self.assertTrue(self.command("restitution", "--help")[2].startswith("Usage: cardiac restitution CONFIG --s2 FROM:TO:BY [options]\n\n"))
        for words, said in ((("tips", "r", "--dela", "3"), "unknown option '--dela' (did you mean '--delay'?)"), (("tips", "r", "--what=3"), "unknown option '--what'; see cardiac tips --help"), (("tips", "r", "f", "g"), "too many arguments; see cardiac tips --help"),
                            (("tips",), "the following arguments are required: RESULT; see cardiac tips --help"), (("induce", "c", "--part"), "argument --part: expected one argument; see cardiac induce --help")):
            self.assertEqual(self.command(*words, call=""), (2, "", "cardiac: %s\n" % said))

    def test_ends(self):
        """The status and the words of each end of a command"""
        missing = ModuleNotFoundError("x")
        for name, words in (("matplotlib", "sudo apt-get install python3-matplotlib     or     "), ("pyvista", "")):
            missing.name = name
            self.assertEqual(self.command("film", "r", "f.gif", call=missing), (2, "", "cardiac: film needs %s, which %s lacks. Install it:\n  %s%s -m pip install %s\n" % (name, sys.executable, words, sys.executable, name)))
        for error, status, said in ((InputError("a\nb", 2), 2, "cardiac: a\ncardiac: b\n"), (RunError("late", 4), 4, "cardiac: late\n"), (KeyboardInterrupt(), 130, ""), (ValueError("bad"), 2, "cardiac: bad\n"), (ImportError("old"), 2, "cardiac: old\n"),
                                    (FileNotFoundError(2, "No such file", "f"), 2, "cardiac: f: No such file\n"), (OSError(28, "No space left"), 3, "cardiac: No space left\n"), (OSError("odd"), 2, "cardiac: odd\n")):
            self.assertEqual(self.command("film", "r", "f.gif", call=error), (status, "", said))
        status, _, said = self.command("film", "r", "f.gif", call=ZeroDivisionError("division"))
        self.assertEqual((status, re.sub(r":\d+\)", ":N)", said)), (3, "cardiac: a fault of cardiac film: ZeroDivisionError: division (__main__.py:N)\n"))
        for self.full, status, said in ((BrokenPipeError(), 0, ""), (OSError(28, "No space left"), 3, "cardiac: standard output cannot be written: No space left\n")):
            self.assertEqual(self.command("film", "r", "f.gif", call="x"), (status, "", said))
        self.full = None
        __main__.say_warning.cache_clear()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            for text in ("one", "two", "one"):
                __main__.warn(UserWarning(text), UserWarning, "f", 1)
        self.assertEqual(said.getvalue(), "cardiac: warning: one\ncardiac: warning: two\n")
        with mock.patch("cardiac.target.check", lambda words: len(words)), mock.patch.object(sys, "argv", ["cardiac", "check", "a", "b"]):
            self.assertEqual(__main__.main(), 2)

    def test_calls(self):
        """What each command gives to its module"""
        from cardiac import tips
        given = SimpleNamespace(status=0, parameters="p.par", config="c", result="r", file=None, delay=None, device="cpu,cuda:1")
        with mock.patch("cardiac.convert.opencarp.convert", lambda path: ("text of " + path, ["one", "two"])), contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual((__main__.convert(given), said.getvalue()), ("text of p.par", "one\ntwo\n"))
        with mock.patch("cardiac.studies.converge.converge", lambda given: (3, "compared")):
            self.assertEqual((__main__.converge(given), given.status), ("compared", 3))
        with mock.patch("cardiac.studies.restitution.run", lambda given: "table"):
            self.assertEqual(__main__.restitution(given), "table")
        with mock.patch("cardiac.studies.paced.Paced", lambda *words: words), mock.patch("cardiac.studies.induce.run", lambda given, paced: paced[1][0]):
            self.assertEqual(__main__.induce(given), "activation.beats=2")
        with mock.patch("cardiac.studies.paced.describe_given", lambda given: (["sets"], {"facts": 1})), mock.patch("cardiac.studies.fit.run_fit", lambda given, sets, facts: (given.device, given.others, sets, facts)):
            with mock.patch.dict(os.environ):
                self.assertEqual(__main__.fit(given), ("cpu", ["cuda:1"], ["sets"], {"facts": 1}))
                self.assertEqual([os.environ[name + "_NUM_THREADS"] for name in ("BLIS", "MKL", "OPENBLAS")], 3 * ["1"])
            given.device = None
            self.assertEqual(__main__.fit(given)[:2], ("", []))
        os.makedirs("study"), os.makedirs("both")
        for name in ("study/table.csv", "both/table.csv", "both/run.vtkhdf"):
            open(name, "w").close()
        modules = {"cardiac.studies.table_page": SimpleNamespace(write=lambda path, to: f"page of {path} {to}"), "cardiac.report": SimpleNamespace(report=lambda found, to: f"report of {found} {to}"), "cardiac.film": SimpleNamespace(film=lambda found, to: f"film of {found} {to}")}
        with mock.patch.dict(sys.modules, modules), mock.patch("cardiac.result.read", lambda path: f"<{path}>"):
            for result, file, words in (("study", None, "page of study/table.csv None\n"), ("x.csv", "p\x1b", "page of x.csv p\\x1b\n"), ("both", None, "report of <both> None\n"), ("r", "f", "report of <r> f\n")):
                given.result, given.file = result, file
                self.assertEqual(__main__.report(given), words)
            self.assertEqual(__main__.film(given), "film of <r> f\n")
        found = [tips.Tip(float(t), number, [1.0, 2, 3], 1) for t, number in ((10, 1), (10, 2), (20, 1), (30, 3), (30, 1))]
        asked = []
        with mock.patch("cardiac.result.read", lambda path: SimpleNamespace(path=pathlib.Path("study/run.vtkhdf"))), mock.patch("cardiac.tips.of_result", lambda result, delay: asked.append(delay) or found):
            for given.file, given.delay, path in ((None, None, "study/tips.csv"), ("t.csv", "0.02 s", "t.csv")):
                self.assertEqual(__main__.tips(given), path + ": 5 tips in 3 frames, 3 tracks\n")
                with open(path) as file:
                    self.assertEqual(file.read(), tips.table(found))
        self.assertEqual(asked, [None, 20])

    def test_statuses(self):
        """Wrong input ends with 2 wherever it is found, a run that failed with another."""
        for path in pathlib.Path(source, "app", "python").rglob("*.py"):
            calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call) and len(node.args) == 2]
            for call in calls:
                name, status = ast.unparse(call.func), ast.unparse(call.args[1])
                self.assertTrue({"InputError": status == "2", "RunError": status in ("3", "4", "128 + self.caught")}.get(name, True), (path, call.lineno))

    def refused(self, status, *arguments):
        done = subprocess.run([cardiac_program, *arguments], capture_output=True)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, said)
        self.assertIn(rb"a\x1b[31m\x07\xc2\x9b2J\xff", said)
        self.assertFalse(re.search(rb"[\x00-\x09\x0b-\x1f\x7f\xff]|\xc2[\x80-\x9f]", said), said)

    def test_commands(self):
        self.refused(2, "report", ODD)
        self.refused(2, "report", "out", "page.html", b"--" + ODD)
        self.refused(2, "import", ODD)
        os.mkdir(ODD)
        self.refused(2, "report", ODD)
        with open(ODD + b"/f.par", "wb") as file:
            file.write(b"meshname = m\nwhat." + ODD + b" = 1\nexperiment = " + ODD + b"\n")
        self.refused(0, "import", ODD + b"/f.par")

    @needs("matplotlib")
    def test_report(self):
        self.shell("run", "a.yaml", "--quiet", "--set", "time.end=1 ms")
        self.refused(0, "report", "out", ODD + b".html")

    def test_lines(self):
        """Where both streams of a command end in one log, each line is one write, so that none is cut by another's."""
        for arguments in (["run", "a.yaml", "--set", "activation.threshold=60 mV"], ["check", "a.yaml", "--set", "stimuli=[]"], ["run", "no.yaml"]):
            here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # which tells writes apart
            with here, there:
                subprocess.run([cardiac_program, *arguments], stdout=there, stderr=there)
                there.close()
                writes = list(iter(lambda: here.recv(1 << 16), b""))
            self.assertTrue(any(line.startswith(b"cardiac: ") for line in writes), writes)
            self.assertEqual([line for line in writes if line.count(b"\n") != 1 or not line.endswith(b"\n")], [])


main()
