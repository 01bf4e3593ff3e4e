#!/usr/bin/env python3
"""test_bad_inputs.py CARDIAC GROWING SOURCE: what users mistype, and the word that the message must have: the rows of
tests/app/bad_inputs/table.csv whose command is a script, in this process. `python`: a line with the simulation `sim`."""
import csv
import os
import re
import shlex
import sys
import warnings
from unittest import mock

from support import Case, main, source

import cardiac
from cardiac import __main__ as program

FOLDER = os.path.join(source, "tests", "app", "bad_inputs")
BYTES = {"n": b"\n", "t": b"\t", "r": b"\r"}


def bytes_of(text):
    """\\n, \\t, \\r and \\xHH stand for bytes."""
    parts = re.split(r"\\(x[0-9a-f]{2}|.)", text)
    return b"".join(part.encode() if k % 2 == 0 else bytes.fromhex(part[1:]) if len(part) == 3 else BYTES.get(part, part.encode())
                    for k, part in enumerate(parts))


class BadInputs(Case):
    def line(self, text):
        """A line of Python with `sim`; its status and what is printed."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            try:
                with cardiac.Simulation("cable.yaml") as sim:
                    exec(text, {"cardiac": cardiac, "sim": sim})
            except Exception as error:
                return 2, str(error)
            return 0, "\n".join(str(warning.message) for warning in found)

    def command(self, words):
        """A script of the program; its status and what it prints."""
        program.say_warning.cache_clear()
        with open("said", "w+b") as said, mock.patch.object(sys, "argv", ["cardiac", *words]), warnings.catch_warnings():
            streams = [os.dup(number) for number in (1, 2)]
            try:
                sys.stderr.flush()
                for number in (1, 2):
                    os.dup2(said.fileno(), number)
                status = program.main()
            except SystemExit as ended:
                status = ended.code
            finally:
                sys.stderr.flush()
                for number, stream in zip((1, 2), streams):
                    os.dup2(stream, number)
                    os.close(stream)
            said.seek(0)
            return status, said.read().decode(errors="replace")

    def test_table(self):
        rows = 0
        for name in ("cable.yaml", "block.yaml"):
            os.symlink(os.path.join(FOLDER, name), name)
        with open(os.path.join(FOLDER, "table.csv"), newline="") as file:
            for row in csv.DictReader(file):
                words = shlex.split(row["command"])
                if words[0] != "python" and words[0] not in program.COMMANDS:
                    continue
                rows += 1
                for name in re.findall(r"\binput\.\w+", row["command"]):
                    with open(name, "wb") as made:
                        made.write(bytes_of(row["input"]))
                with self.subTest(row["command"] + row["input"]):
                    status, said = self.line(row["input"]) if words[0] == "python" else self.command(words)
                    self.assertEqual(status, int(row["status"]), said)
                    self.assertIn(row["has"], said)
                    if row["without"]:
                        self.assertNotIn(row["without"], said)
        self.assertGreater(rows, 0)


main()
