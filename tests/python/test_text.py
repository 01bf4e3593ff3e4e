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

from support import Case, cardiac_program, h5py, main, needs, source, warm

warm()

from cardiac.__main__ import report_fault
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
