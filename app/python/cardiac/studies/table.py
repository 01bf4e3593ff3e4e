"""The CSV table of a study: each row is on the disk as soon as it is known, and the next call continues after the last row."""

from __future__ import annotations

import errno
import fcntl
import gzip
import math
import os
import re
import stat
import zlib
from typing import List, NoReturn, Optional, Sequence, Tuple

from ..own_file import failing, make_folder, open_plain, sync_name
from ..program import InputError
from ..text import visible

ELSEWHERE = "--overwrite starts again, --output chooses another place"
PAGE = '<!DOCTYPE html>\n<html lang="en"><head><meta name="generator" content="cardiac">'  # how pages begin
_CELL = re.compile(
    rb'[ \t]*(?![ \t])(?:"(?P<quoted>(?:[^"]|"")*)"[ \t\r]*|(?P<plain>(?!")[^,]*))(?=,|\Z)'
)


class Cell(str):
    """The text of a cell, with its position in the file: `line` and `column` (bytes), from 1."""

    line: int
    column: int


Row = List[Cell]


def refuse(path: str, cell: Cell, text: str) -> NoReturn:
    """InputError with the file, line and column of a cell."""
    raise InputError("%s:%d:%d: %s" % (path, cell.line, cell.column, text), 2)


def read_number(path: str, cell: Cell) -> float:
    """The number in a cell; NaN for an empty one. InputError for other text."""
    try:
        return float(cell or "nan")
    except ValueError:
        refuse(path, cell, "'%.40s' is not a number" % cell)


def read_numbers(path: str, cell: Cell) -> List[float]:
    """Numbers between spaces, such as 300 250.5"""
    try:
        return [float(text) for text in cell.split()]
    except ValueError:
        refuse(path, cell, "'%.40s' are not numbers" % cell)


def number(value: Optional[float], digits: int = 12) -> str:
    """The value as a cell; empty for None, NaN and infinity.

    >>> number(0.1 + 0.2), number(None)
    ('0.3', '')
    """
    return "" if value is None or not math.isfinite(value) else "%.*g" % (digits, value)


def format_cell(text: str) -> str:
    """The text as a cell on one line, with ' before text that a spreadsheet would compute.

    >>> print(format_cell("a, b"), format_cell("=1+1"))
    "a, b" '=1+1
    """
    line = text.replace("\n", " ").replace("\r", " ")
    quote = '"' * bool(re.search('[,"]', line) or line != line.strip(" \t"))
    guard = "'" * bool(re.match("[=@]|[+-][^0-9.]", line))
    return quote + guard + visible(line).replace('"', '""') + quote


def format_line(cells: Sequence[str]) -> str:
    r"""A row with the end of its line.

    >>> format_line(["a", "b"])
    'a,b\n'
    """
    return ",".join(map(format_cell, cells)) + "\n"


def content(path: str) -> bytes:
    """The bytes of a file, plain or gzipped."""
    try:
        with open(path, "rb", opener=lambda p, f: os.open(p, f | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError("%s: this is not a regular file" % path, 2)
            content = file.read()
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError, zlib.error) as error:
        raise InputError("%s: %s" % (path, getattr(error, "strerror", 0) or error), 2) from None


def _cut(path: str, line: bytes, line_number: int, start: int) -> Row:
    """The cells of a line, which begin at byte `start`."""
    cells, at = [], start
    while True:
        found = _CELL.match(line, at)
        begin = Cell()
        begin.line, begin.column = (
            line_number,
            at + len(line[at:]) - len(line[at:].lstrip(b" \t")) + 1,
        )
        if not found:
            ends = "ends with one, before a comma or the end of the line"
            refuse(path, begin, "a cell that begins with a double quote " + ends)
        quoted, plain = found["quoted"], found["plain"] or b""
        text = plain.rstrip(b" \t\r") if quoted is None else quoted.replace(b'""', b'"')
        try:
            cell = Cell(text.decode())
        except UnicodeDecodeError:
            refuse(path, begin, "not UTF-8 text")
        cell.line, cell.column = line_number, begin.column + (quoted is not None)
        cells.append(cell)
        if found.end() == len(line):
            return cells
        at = found.end() + 1


def read(path: str) -> Tuple[Row, List[Row]]:
    """The names and the rows of a CSV file, plain or gzipped.

    Raises
    ------
    InputError
        With file, line and column, where it is no table, a name is missing or appears twice, or a row has more
        or fewer cells than there are names.
    """
    names: Row = []
    rows: List[Row] = []
    for line_number, line in enumerate(content(path).split(b"\n"), 1):
        start = 3 * (line_number == 1 and line.startswith(b"\xef\xbb\xbf"))  # a byte order mark
        if b"\0" in line:
            raise InputError(
                "%s:%d:1: a zero byte: binary data where text is expected" % (path, line_number), 2
            )
        if not line[start:].strip(b" \t\r"):
            continue
        cells = _cut(path, line, line_number, start)
        if names and len(cells) != len(names):
            count = "%d cells, but there are %d names" % (len(cells), len(names))
            raise InputError("%s:%d:1: %s in the first line" % (path, line_number, count), 2)
        for k, name in enumerate([] if names else cells):
            if not name:
                refuse(path, name, "column %d has no name" % (k + 1))
            if name in cells[:k]:
                refuse(path, name, "column '%s' appears twice" % name)
        if names:
            rows.append(cells)
        names = names or cells
    if not names:
        raise InputError("%s:1:1: expected a line of column names" % path, 2)
    return names, rows


def part_of(text: Optional[str]) -> Optional[Tuple[int, int]]:
    """K and N of --part K/N; None for None. InputError for other text.

    >>> part_of("3/64")
    (3, 64)
    """
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError("--part: '%.40s' is not a part such as 3/64, from 1/64 on" % text, 2)
    return int(found[1]), int(found[2])


def table_path(folder: str, part: Optional[Tuple[int, int]] = None) -> str:
    """The file of a study's table in its folder, or that of a part.

    >>> table_path("out", (3, 64))
    'out/table-3-of-64.csv'
    """
    return os.path.join(folder, "table-%d-of-%d.csv" % part if part else "table.csv")


def is_own_id(path: str, cell: Cell, own: str) -> bool:
    """Whether a row has the study's id; InputError for one of an earlier version, whose ids had 12 digits."""
    if re.fullmatch("[0-9a-f]{12}", cell):
        old = "was made by an earlier version, whose ids do not depend on the contents of files"
        refuse(
            path,
            cell,
            "id '%s' %s: whether they have changed is unknown; %s" % (cell, old, ELSEWHERE),
        )
    return cell == own


class Table:
    """A table that is open and locked.

    Parameters
    ----------
    path : str
        Its file; folders are made.
    names : sequence of str
        Its columns. A file with others belongs to another study and is refused.
    overwrite : bool
        Without the rows that it has.

    Attributes
    ----------
    rows : list of Row
        Those of earlier calls. One that was cut off when its program was killed is removed.
    """

    def __init__(self, path: str, names: Sequence[str], overwrite: bool = False) -> None:
        self.path = path
        self.rows: List[Row] = []
        make_folder(os.path.dirname(path))
        self._file = open_plain(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            with failing(path):
                self._open(format_line(names).encode(), overwrite)
        except BaseException:
            self.close()
            raise

    def _open(self, first: bytes, overwrite: bool) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("%s: another study is writing there" % self.path, 2) from None
        if overwrite:
            os.ftruncate(self._file, 0)
        whole = self._whole()
        own = whole == os.fstat(self._file).st_size or first.startswith(
            os.pread(self._file, len(first), 0)
        )
        if own:
            os.ftruncate(self._file, whole)
        if own and not whole:
            self._write(first)
            sync_name(self.path)
        elif own:
            names, self.rows = read(self.path)
            own = format_line(names).encode() == first
        if not own:
            other = "the table of another study, with other columns"
            raise InputError("%s:1:1: %s; %s" % (self.path, other, ELSEWHERE), 2)

    def _whole(self) -> int:
        """Bytes up to the end of the last whole line."""
        end, piece = os.fstat(self._file).st_size, 4096
        while end > 0:
            begin = max(0, end - piece)
            at = os.pread(self._file, end - begin, begin).rfind(b"\n")
            if at >= 0:
                return begin + at + 1
            end = begin
        return 0

    def _write(self, line: bytes) -> None:
        size = os.fstat(self._file).st_size
        if os.write(self._file, line) < len(line):
            os.ftruncate(self._file, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(self._file)

    def append(self, cells: Sequence[str]) -> None:
        """Appends a row, which is on the disk when the call returns. RunError if it cannot be written."""
        with failing(self.path):
            self._write(format_line(cells).encode("utf-8", "surrogateescape"))

    def check_file(self, row: Row, path: str, made: str) -> None:
        """InputError where a file that belongs to a row of an earlier call is missing; `made`: "this run"."""
        if not os.path.lexists(path):
            why = "%s is missing: %s was made without --results" % (path, made)
            refuse(self.path, row[0], "%s; delete its line to repeat it, or %s" % (why, ELSEWHERE))

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
