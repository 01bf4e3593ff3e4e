#!/usr/bin/env python3
"""test_table.py CARDIAC GROWING SOURCE: a study's table has whole rows whatever ends its program, continues where it was cut, takes no
stranger's file for its own, and reads what people write with the place of each mistake."""
import fcntl
import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from argparse import Namespace
from contextlib import ExitStack, redirect_stderr
from io import StringIO
from unittest import mock

from support import Case, cardiac_program, main, source

from cardiac import InputError, RunError
from cardiac.own_file import claim
from cardiac.studies import study as studies, table as tables
from cardiac.studies.study import Study, Watch
from cardiac.studies.table import Table, format_cell, is_own_id, number, part_of, read, table_path

NAMES = ["run", "time (ms)", "a, \"b\"", "message"]


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


def fill(path, rows, **how):
    with Table(path, NAMES, **how) as table:
        for row in rows:
            table.append(row)
        return table.rows


class Tables(Case):
    def test_any_text_is_a_cell(self):
        random.seed(1)
        texts = ["".join(random.choices("a,\"'= +-@1. \t;#é→", k=random.randint(0, 9))) for _ in range(400)]
        texts = [text for text in texts if not text or text[0] not in "=@+-"]
        fill("t.csv", [[text, "1", "x", text] for text in texts])
        back = read("t.csv")[1]
        self.assertEqual([[row[0], row[3]] for row in back], [[text.replace("\t", "\\x09")] * 2 for text in texts])
        self.assertEqual([format_cell(t) for t in ("=1", "-85 mV", "+x", "+", "@a", "a\nb", " a", "a\x1b")],
                         ["'=1", "-85 mV", "'+x", "+", "'@a", "a b", '" a"', "a\\x1b"])

    def test_a_torn_line_is_cut_wherever_it_is(self):
        rows = [["1", "0.5", "x", "good"], ["2", "1", "a, b", "also \"good\""]]
        fill("t.csv", rows)
        with open("t.csv", "rb") as file:
            whole = file.read()
        ends = [k + 1 for k in range(len(whole)) if whole[k] == 10]
        for size in range(len(whole) + 1):
            with open("t.csv", "wb") as file:
                file.write(whole[:size])
            kept = max(0, sum(end <= size for end in ends) - 1)
            self.assertEqual(fill("t.csv", rows[kept:]), rows[:kept])
            with open("t.csv", "rb") as file:
                self.assertEqual(file.read(), whole)

    def test_strangers_and_links(self):
        for text in (b"my notes\nand figures", b"run,time (ms)\n1,2\n", b"run", b"x"):
            with open("t.csv", "wb") as file:
                file.write(text)
            if text != b"run":  # the start of the names, as of a program that was killed
                self.assertRaisesRegex(InputError, "t.csv:1:1: the table of another study", fill, "t.csv", [])
                with open("t.csv", "rb") as file:
                    self.assertEqual(file.read(), text)
        fill("t.csv", [], overwrite=True)
        os.symlink("a.yaml", "link.csv")
        self.assertRaisesRegex(InputError, "link.csv: a symbolic link", fill, "link.csv", [])
        os.mkfifo("pipe.csv")
        self.assertRaisesRegex(InputError, "pipe.csv: not a plain file", fill, "pipe.csv", [])
        self.assertRaisesRegex(InputError, "a.yaml/x: Not a directory", fill, "a.yaml/x/t.csv", [])
        with Table("t.csv", NAMES):
            self.assertRaisesRegex(InputError, "another study is writing there", fill, "t.csv", [])
        claim("none", b"This run", "")
        claim("t.csv", b"run,", "")
        self.assertRaisesRegex(InputError, "a.yaml exists and is no file of this program's; go", claim, "a.yaml", b"This run", "go")

    def test_a_full_disk_leaves_whole_rows(self):
        code = "import sys, resource; sys.path.insert(0, %r)\n" \
            "from cardiac.studies.table import Table\nfrom cardiac import RunError\n" \
            "for limit in range(100, 123, 3):\n    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))\n" \
            "    table = Table('%%d.csv' %% limit, ['a', 'b'])\n" \
            "    try:\n        for k in range(99): table.append([str(k), 'x' * 20])\n" \
            "    except RunError as error: print(error)"
        done = subprocess.run([sys.executable, "-c", code % os.path.join(source, "app", "python")], stdout=subprocess.PIPE, text=True, check=True)
        said = done.stdout.splitlines()
        self.assertEqual(len(said), 8)
        for limit, line in zip(range(100, 123, 3), said):
            self.assertRegex(line, "%d.csv: (No space left on device|File too large)" % limit)
            with open("%d.csv" % limit) as file:
                lines = file.read().split("\n")
            self.assertEqual(lines[-1], "")
            self.assertEqual(lines[1:-1], ["%d,%s" % (k, "x" * 20) for k in range(len(lines) - 2)])

    def test_killed_at_random(self):
        random.seed(2)
        known = 0
        for _ in range(8):
            here, there = os.pipe()
            process = os.fork()
            if process == 0:
                with Table("t.csv", ["k", "square"]) as table, open(there, "w") as out:
                    print(len(table.rows), file=out, flush=True)
                    for k in range(len(table.rows), 100000):
                        table.append([str(k), str(k * k)])
                        print(k + 1, file=out, flush=True)
                os._exit(0)
            os.close(there)
            with open(here) as said:
                begun = int(said.readline())
                self.assertGreaterEqual(begun, known)  # what a call said to be there is there
                for _ in range(random.randint(0, 40)):
                    known = int(said.readline())
                os.kill(process, signal.SIGKILL)
                known = int((said.read().split("\n")[:-1] or [str(known)])[-1])
            os.waitpid(process, 0)
        rows = fill_square()
        self.assertEqual(rows, [[str(k), str(k * k)] for k in range(len(rows))])

    def test_places_of_mistakes(self):
        for text, message in ((b"a\n1\n", None), (b"\xef\xbb\xbfa\n1\n", None), (b"", "expected a line of column names"), (b"\n \n", "1:1: expected a line of column names"),
                              (b"a,b\n1\n", ":2:1: 1 cells, but there are 2 names"), (b"a,a\n", "1:3: column 'a' appears twice"),
                              (b"a,\n", ":1:3: column 2 has no name"), (b"a, \"b\n", ":1:4: a cell that begins with a double quote"),
                              (b"a,\"b\"c\n", ":1:3: a cell that begins"), (b"a\n\xff\n", ":2:1: not UTF-8"), (b"a\n\0\n", ":2:1: a zero byte")):
            with open("t.csv", "wb") as file:
                file.write(text)
            if message:
                self.assertRaisesRegex(InputError, message, read, "t.csv")
            else:
                self.assertEqual(read("t.csv"), (["a"], [["1"]]))
        self.assertRaisesRegex(InputError, "none.csv: No such file", read, "none.csv")
        with gzip.open("t.csv.gz", "wb") as file:
            file.write(b"\xef\xbb\xbf a ,\"b\"\r\n\r\n\"x,y\", 2 \r\n")
        names, rows = read("t.csv.gz")
        self.assertEqual((names, rows), (["a", "b"], [["x,y", "2"]]))
        self.assertEqual([(cell.line, cell.column) for cell in rows[0]], [(3, 2), (3, 8)])

    def test_ids_of_another_study_or_version(self):
        rows = fill("ids.csv", [["0123456789ab", "", "", ""], ["0123456789abcdef", "", "", ""]]) or read("ids.csv")[1]
        self.assertEqual([is_own_id("ids.csv", rows[1][0], own) for own in ("0123456789abcdef", "fedcba9876543210")], [True, False])
        with self.assertRaisesRegex(InputError, "ids.csv:2:1: id '0123456789ab' was made by an earlier version"):
            is_own_id("ids.csv", rows[0][0], "fedcba9876543210")

    def test_parts_and_numbers(self):
        self.assertEqual((part_of(None), part_of("3/64"), table_path("d", (3, 64)), table_path("d")),
                         (None, (3, 64), "d/table-3-of-64.csv", "d/table.csv"))
        for wrong in ("4/3", "0/1", "1", "1/", "1/2x"):
            self.assertRaisesRegex(InputError, "--part: '%s' is not a part" % wrong, part_of, wrong)
        self.assertEqual([number(x) for x in (None, float("nan"), float("inf"), 0.1 + 0.2, 1e-7, 100.0)], ["", "", "", "0.3", "1e-07", "100"])


    def test_single_bytes(self):
        """The end of the last whole line, wherever it is; a descriptor is closed once, 0 as well; a pipe is refused at once; numbers and cells"""
        table = Table.__new__(Table)
        for content, whole in ((b"", 0), (b"x", 0), (b"\n", 1), (b"\nxxx", 1), (b"x" * 4096, 0), (b"a\n" + b"x" * 4095, 2), (b"a\n" + b"x" * 4096, 2), (b"\n" + b"x" * 4095, 1), (b"ab\n" + b"x" * 9000 + b"\n" + b"y" * 4100, 9004)):
            write("t", content)
            with open("t", "rb") as file:
                table._file = file.fileno()
                self.assertEqual(table._whole(), whole, content[:5])
        closed = []
        with mock.patch.object(tables.os, "close", closed.append):
            for descriptor in (0, 7):
                table._file = descriptor
                table.close()
                table.close()
        self.assertEqual((closed, table._file), ([0, 7], -1))
        os.mkfifo("p")
        self.assertRaisesRegex(InputError, "p: this is not a regular file", tables.content, "p")
        with open("t", "wb") as file:
            file.write(gzip.compress(b"a\n1\n")[:-5])
        self.assertRaisesRegex(InputError, "^t: ", tables.content, "t")
        self.assertEqual([number(x, 3) for x in (1.2345, None, float("nan"), 0.0)], ["1.23", "", "", "0"])
        cell = tables.Cell("2.5")
        self.assertEqual((tables.read_number("t", cell), str(tables.read_number("t", tables.Cell(""))), tables.read_numbers("t", tables.Cell("1 2.5"))), (2.5, "nan", [1, 2.5]))
        for part, good in (("1/1", True), ("999999999/999999999", True), ("2/1", False), ("0/3", False), ("1234567890/1234567891", False)):
            (self.assertEqual if good else lambda *_: self.assertRaises(InputError, part_of, part))(part_of(part) if good else 0, tuple(map(int, part.split("/"))))
        for line, cells in ((b'a , "b ""c""" ,,d', [("a", 1), ('b "c"', 6), ("", 16), ("d", 17)]), (b" x", [("x", 2)]), (b'"",y\r', [("", 2), ("y", 4)])):
            found = tables._cut("t", line, 3, 0)
            self.assertEqual([(str(cell), cell.column, cell.line) for cell in found], [(*cell, 3) for cell in cells])
        table = Table("own.csv", ["a"])
        table._write(b"x\n")
        with mock.patch.object(tables.os, "write", lambda file, line: len(line) - 1), self.assertRaisesRegex(RunError, "own.csv: No space left"):
            table.append(["y"])
        table.close()
        self.assertEqual(content_of("own.csv"), b"a\nx\n")
        row = read("own.csv")[1][0]
        table.path = "own.csv"
        table.check_file(row, "own.csv", "this run")
        with self.assertRaisesRegex(InputError, "own.csv:2:1: none is missing: this run was made without --results; delete its line to repeat it, or --overwrite"):
            table.check_file(row, "none", "this run")


class BothTables(Case):
    """The table of `cardiac sweep`, in C, and that of scripts have the same rules."""

    def outcome(self, content, kind="file"):
        """(refused, why, what is there) of `cardiac sweep` and of Table, on the same table"""
        found = []
        for call in (self.sweep, self.script):
            shutil.rmtree("both", ignore_errors=True)
            os.makedirs("both")
            if kind == "file":
                write("both/table.csv", content)
            elif kind == "link":
                write("both/other", content)
                os.symlink("other", "both/table.csv")
            elif kind == "folder":
                os.makedirs("both/table.csv")
            elif kind == "pipe":
                os.mkfifo("both/table.csv")
            with ExitStack() as held:
                if kind == "locked":
                    write("both/table.csv", content)
                    fcntl.flock(held.enter_context(open("both/table.csv", "rb")), fcntl.LOCK_EX)
                status, said = call()
            found.append((status, said, content_of("both/table.csv") if os.path.isfile("both/table.csv") else None))
        return found

    def sweep(self):
        done = subprocess.run([cardiac_program, "sweep", "a.yaml", "--table", "rows.csv", "--output", "both", "--quiet"], capture_output=True, text=True, timeout=60)
        lines = [line for line in done.stderr.splitlines() if "warning: " not in line]
        return done.returncode, "\n".join(lines).replace("cardiac: ", "", 1)

    def script(self):
        """As a study does: rows that the table has stay, the others are appended."""
        lines = self.whole.decode().splitlines()
        try:
            with Table("both/table.csv", lines[0].split(",")) as table:
                for line in lines[1 + len(table.rows):]:
                    table._write(line.encode() + b"\n")
        except (InputError, RunError) as error:
            return error.status, error.text
        return 0, ""

    def test_same_rules(self):
        write("rows.csv", b"time.end\n1 ms\n1.5 ms\n")
        shutil.rmtree("both", ignore_errors=True)
        self.assertEqual(self.sweep(), (0, ""))
        self.whole = whole = content_of("both/table.csv")
        ends = [k + 1 for k in range(len(whole)) if whole[k] == 10]
        first = whole[: ends[0]]
        cases = {"empty": b"", "whole": whole, "names": first, "torn names": first[:9], "a row": whole[: ends[1]], "a torn row": whole[: ends[1] + 12],
                 "torn before its end": whole[:-1], "blank lines": first + b"\n\n" + whole[ends[0]:], "CRLF": whole.replace(b"\n", b"\r\n"),
                 "notes": b"my notes\nand figures", "a word": b"x", "other columns": b"run,time (ms)\n1,2\n", "one column more": first[:-1] + b",more\n",
                 "zeros": bytes(64), "a NUL": first + b"1,\0" + whole[ends[0] + 2:], "too few cells": first + b"1,2\n", "a quote": first + b'1,"2\n',
                 "no UTF-8": first + whole[ends[0]:ends[1]].replace(b"1 ms", b"\xff\xfe")}
        for name, content in cases.items():
            (status, said, left), other = self.outcome(content)
            self.assertEqual((status, said, left), other, name)
            self.assertEqual(left, content if status or name in ("blank lines", "CRLF") else whole, name)
            self.assertEqual(status, 2 if list(cases).index(name) > list(cases).index("CRLF") else 0, name)
        for kind in ("locked", "link", "folder", "pipe"):
            (status, said, left), other = self.outcome(whole, kind)
            self.assertEqual((status, said, left), other, kind)
            self.assertEqual(status, 2, (kind, said))


class Squares(Study):
    noun = "squares"

    def __init__(self, **given):
        super().__init__(Namespace(**{"config": "heart/a.yaml", "stop_after": None, "overwrite": False, "quiet": True, "part": None, **given}))
        self.place("squares")
        self.known = {}

    def columns(self):
        return ["k", "square"]

    def recall(self, cells):
        self.known[int(cells[0])] = int(cells[1])

    def make(self, count):
        with self.watch, self.open_table():
            for k in self.own(count):
                if k not in self.known:
                    self.stop.check()
                    self.append([str(k), str(k * k)])


class Studies(Case):
    def test_parts_are_the_whole(self):
        Squares().make(9)
        for part in ("1/4", "2/4", "3/4", "4/4"):
            Squares(part=part).make(9)
        parts = [row for k in range(1, 5) for row in read("squares/table-%d-of-4.csv" % k)[1]]
        self.assertEqual(parts, read("squares/table.csv")[1])

    def test_a_stopped_study_goes_on(self):
        for _ in range(3):
            with self.assertRaisesRegex(RunError, "time is up") as stopped:
                Squares(stop_after="0.000001s").make(4)
            self.assertEqual(stopped.exception.status, 4)
        study = Squares()
        study.make(2)
        study = Squares()
        study.make(4)
        self.assertEqual((study.known, len(read("squares/table.csv")[1])), ({0: 0, 1: 1}, 4))

    def test_changed_files_are_named(self):
        study = Squares()
        self.assertEqual(study.reason(), "its config or files have changed")
        study.inputs = {"heart/epi.txt": "1" * 64, "/fibres.lon": "2" * 64}
        study.make(1)
        self.assertEqual(study.reason(), "its config has changed")
        study.inputs = {"heart/epi.txt": "3" * 64, "/fibres.lon": "2" * 64, "new": "4" * 64}
        self.assertEqual(study.reason(), "since then these files have changed: heart/epi.txt")

    def test_stops(self):
        """A signal is noted, a second one a second later ends the process, but for that of the CPU's time; time is up after what was asked for"""
        ended, now = [], [100.0]
        with mock.patch.object(studies.os, "_exit", ended.append), mock.patch.object(studies.time, "monotonic", lambda: now[0]), mock.patch.object(studies, "catch_signals"):
            stop = studies.Stop("5s")
            for now[0], up in ((105.0, False), (105.01, True)):
                if up:
                    with self.assertRaisesRegex(RunError, "time is up: the same command goes on") as stopped:
                        stop.check()
                    self.assertEqual(stopped.exception.status, 4)
                else:
                    stop.check()
            for now[0], number, exits in ((200.0, 15, []), (200.99, 2, []), (201.0, signal.SIGXCPU, []), (201.0, 2, [130]), (300.0, 15, [130, 143])):
                stop._catch(number, None)
                self.assertEqual(ended, exits)
            self.assertEqual((stop.caught, stop.caught_at), (15, 200))
            with self.assertRaisesRegex(RunError, "interrupted: the same command goes on") as stopped:
                stop.check()
            self.assertEqual(stopped.exception.status, 143)
            now[0] = 1e9
            studies.Stop(None).check()

    def test_parts_and_lists(self):
        """Units of work of a part, all of them once; the list of the files beside the table; what is said"""
        for count in (0, 1, 7, 12):
            for parts in (1, 3, 5):
                own = [list(Squares(part="%d/%d" % (k, parts)).own(count)) for k in range(1, parts + 1)]
                self.assertEqual(sum(own, []), list(range(count)))
                self.assertLessEqual(max(map(len, own)) - min(map(len, own)), 1)
        self.assertEqual(list(Squares().own(4)), [0, 1, 2, 3])
        study = Squares(part="2/3", quiet=False)
        self.assertEqual((study.path, study._list, study.talks, Squares(json=True, quiet=False).talks, Squares().talks), ("squares/table-2-of-3.csv", "squares/table-2-of-3.inputs", True, False, False))
        study.inputs = {"heart/epi.txt": "1" * 64, "/fibres.lon": "2" * 64, "heartless": "3" * 64}
        said = []
        with mock.patch.object(studies, "say", said.append):
            study.make(6)
            study.given.overwrite = False
            study.make(6)
        study.watch.end()
        self.assertEqual(said, ["2 squares are in squares/table-2-of-3.csv\n"])
        self.assertEqual(content_of("squares/table-2-of-3.inputs").decode().splitlines()[1:], ["1" * 64 + "  epi.txt", "2" * 64 + "  /fibres.lon", "3" * 64 + "  heartless"])
        now = [10.0]
        with mock.patch.object(studies.time, "monotonic", lambda: now[0]):
            watch = Watch("x", shown=False, every=7)
            self.assertEqual((watch._since, watch._next), (10, 17))
            now[0] = 12.0
            watch.printed()
            self.assertEqual((watch._since, watch._next), (10, 19))

    def test_silence_ends(self):
        out = StringIO()
        with redirect_stderr(out), Watch("setting up", every=0.05) as watch:
            time.sleep(0.4)
            watch.now(lambda: "at 3 ms")
            time.sleep(0.4)
        lines = out.getvalue().splitlines()
        self.assertEqual((lines[0], lines[-1]), ("setting up (0 s)", "at 3 ms (0 s)"))
        with redirect_stderr(StringIO()) as out, Watch("setting up", shown=False, every=0.01):
            time.sleep(0.1)
        self.assertEqual(out.getvalue(), "")


def fill_square():
    with Table("t.csv", ["k", "square"]) as table:
        return table.rows


main()
