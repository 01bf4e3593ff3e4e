"""The one way in which scripts write files, the counterpart of app/util/own_file.c: finished ones as NAME.tmp, then renamed; never through a link."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import contextmanager, suppress
from typing import IO, Iterator, Optional, Tuple

from .program import Error, InputError, RunError

RENAME = "remove it, or name another file"
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
# A path that cannot exist, or is forbidden, is wrong input; another error is one of the system.
OF_PATHS = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.ENXIO,
)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL


@contextmanager
def failing(path: str) -> Iterator[None]:
    """Errors of the system as RunError."""
    try:
        yield
    except OSError as error:
        raise RunError("%s: %s" % (path, error.strerror or error), 3) from None


def _refusal(path: str, error: OSError, text: str = "") -> Error:
    message = "%s: %s" % (path, text or error.strerror)
    return InputError(message, 2) if error.errno in OF_PATHS else RunError(message, 3)


def _begins(file: int, mark: bytes) -> bool:
    return os.pread(file, len(mark), 0) in (mark, bytes(len(mark)))  # zeros: of a power failure


def claim(path: str, mark: Optional[bytes], instead: str = RENAME) -> None:
    """InputError where something stands at `path` that is no file of this program's: empty, or beginning with `mark`.

    mark: b"" = any regular file may be replaced, since the user said so; None = none that is not empty.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _refusal(path, error) from None
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a device")
        raise InputError("%s is %s, not a regular file; %s" % (path, kind, instead), 2)
    ours = not found.st_size or mark == b""
    if not ours and mark is not None:
        with suppress(OSError, Error):
            file = open_plain(path, os.O_RDONLY)
            ours = _begins(file, mark)
            os.close(file)
    if not ours:
        raise InputError("%s exists and is no file of this program's; %s" % (path, instead), 2)


def open_plain(path: str, flags: int) -> int:
    """The descriptor of one of the program's own files that grows: never of a link, a device or a pipe."""
    try:
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        link = (
            "a symbolic link, which may point outside this directory: not opened"
            if error.errno == errno.ELOOP
            else ""
        )
        raise _refusal(path, error, link) from None
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise InputError("%s: not a plain file" % path, 2)


def _is_left(beside: str, mark: Optional[bytes]) -> bool:
    """Whether a process that was killed has left the file: it is empty, or has the mark, and nobody writes it."""
    with suppress(OSError, Error):
        file = open_plain(beside, os.O_RDONLY)
        try:
            found = os.fstat(file)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if found.st_nlink == 1 and (not found.st_size or (mark and _begins(file, mark))):
                os.unlink(beside)
                return True
        finally:
            os.close(file)
    return False


def _open_beside(path: str, mark: Optional[bytes]) -> Tuple[str, int]:
    """NAME.tmp, or NAME.tmp-2 where another's file has that name, locked"""
    for k in range(1, 101):
        beside = path + ".tmp" + ("-%d" % k if k > 1 else "")
        for _ in range(2):
            try:
                file = os.open(beside, _NEW | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
            except FileExistsError:
                if not _is_left(beside, mark):
                    break
                continue
            with suppress(BlockingIOError):  # else another process took it for a file that was left
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(file).st_nlink:
                    return beside, file
            os.close(file)
    raise OSError(errno.EEXIST, "%s.tmp and 99 more names are taken" % path)


def sync_name(path: str) -> None:
    """The name of a file is on the disk."""
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def writing(path: str, mark: Optional[bytes], instead: str = RENAME) -> Iterator[IO[bytes]]:
    """A file to be written within the block, at whose end it has its name: the old file or the whole new one is there, whatever happens.

    InputError as of `claim`, and for a folder that is not there; RunError where the system fails.
    """
    claim(path, mark, instead)
    try:
        beside, file = _open_beside(path, mark)
    except OSError as error:
        raise _refusal(path, error) from None
    with failing(path):
        try:
            with suppress(OSError):
                os.chmod(file, os.lstat(path).st_mode & 0o777)  # of the old file
            with open(beside, "w+b", opener=lambda *_: file) as out:
                yield out
                out.flush()
                os.fsync(file)
                os.rename(beside, path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(beside)
            raise
        sync_name(path)


def write_own(path: str, text: str, mark: Optional[str], instead: str = RENAME) -> None:
    """Writes a text that begins with `mark`, of this program's file or of none before (`claim`)."""
    with writing(path, None if mark is None else mark.encode(), instead) as out:
        out.write(text.encode("utf-8", "surrogateescape"))


def make_folder(folder: str) -> None:
    """A folder and those above it, unless they are there; InputError where they cannot be made."""
    try:
        os.makedirs(folder or ".", exist_ok=True)
    except OSError as error:
        raise InputError("%s: %s" % (folder, error.strerror), 2) from None
