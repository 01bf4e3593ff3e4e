#!/usr/bin/env python3
"""wheel.py TREE OUT: a wheel of an installed tree (`cmake --install build-package --prefix TREE --strip`) and an sdist, in the folder OUT.

The wheel holds the Python package with libcardiac, and the program, examples, pages for users, manual page and completions as scripts and data, which pip
puts into bin/ and share/ of an environment. Its platform is manylinux_2_N for the newest glibc 2.N that program and library ask for. Nothing
but Python is needed, and libgomp for the library. The sdist is the Python package alone: without a wheel for its platform, pip installs what finds
a program that is already there. Prints the path of each."""
import base64
import gzip
import hashlib
import io
import platform
import re
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DAY = (2020, 1, 1, 0, 0, 0)  # one tree always gives the same bytes


def metadata(text, page):
    """Of pyproject.toml and a page: name in paths, version and what `pip` reads of them"""
    def one(key):
        return re.search(r'^%s = "(.*)"$' % key, text, re.M).group(1)

    def many(key):
        return re.findall(r'"([^"]*)"', re.search(r'^%s = \[(.*)\]$' % key, text, re.M).group(1))

    name, version = one("name"), one("version")
    lines = ["Metadata-Version: 2.1", "Name: " + name, "Version: " + version, "Summary: " + one("description"), "License: BSD-3-Clause",
             "Description-Content-Type: text/markdown", "Requires-Python: " + one("requires-python")]
    lines += ["Requires-Dist: " + need for need in many("dependencies")]
    lines += ["Provides-Extra: all"] + ["Requires-Dist: %s; extra == 'all'" % need for need in many("all")]
    return name.replace("-", "_"), version, "\n".join(lines) + "\n\n" + page


def glibc(*files):
    """The newest minor version of glibc 2 among the files' symbols"""
    return max(int(minor) for file in files for minor in re.findall(rb"GLIBC_2\.(\d+)", file.read_bytes()))


def library(tree):
    return next(tree.glob("lib*/**/libcardiac.so"))


def package():
    """Path and file of the Python package"""
    for path in sorted((ROOT / "app/python/cardiac").rglob("*")):
        if path.suffix in (".py", ".typed"):
            yield path.relative_to(ROOT / "app/python").as_posix(), path


def contents(tree, name, version):
    """Path in the wheel and file, of all that is packed but its metadata"""
    data = "%s-%s.data/" % (name, version)
    yield from package()
    yield "cardiac/libcardiac.so", library(tree)
    yield data + "scripts/cardiac", tree / "bin/cardiac"
    for path in sorted((tree / "share").rglob("*")):
        inside = path.relative_to(tree).as_posix()
        page = inside.startswith("share/doc/cardiac/docs")  # of these, the text of those for users
        packed = inside.startswith("share/cardiac/python") and path.name != "launch.py"
        user = path.parent.name == "user" and path.suffix in (".md", ".json", ".yaml", ".mmt", ".c", ".py")
        if path.is_file() and not packed and (not page or user):
            yield data + "data/" + inside, path


def write_sdist(out, name, version, words):
    """name-version.tar.gz: what `pip` builds the Python package from, with the same bytes each time"""
    path, packed = out / ("%s-%s.tar.gz" % (name, version)), io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        def put(inside, data):
            entry = tarfile.TarInfo("%s-%s/%s" % (name, version, inside))
            entry.size, entry.mtime = len(data), 1577836800  # DAY
            archive.addfile(entry, io.BytesIO(data))

        put("PKG-INFO", words.encode())
        for inside in ("pyproject.toml", "PYPI.md"):
            put(inside, (ROOT / "app/python" / inside).read_bytes())
        put("LICENSE", (ROOT / "LICENSE").read_bytes())
        for inside, file in package():
            put(inside, file.read_bytes())
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return path


def main(tree, out):
    name, version, words = metadata((ROOT / "app/python/pyproject.toml").read_text(), (ROOT / "app/python/PYPI.md").read_text())
    tag = "py3-none-manylinux_2_%d_%s" % (glibc(tree / "bin/cardiac", library(tree)), platform.machine())
    info, record = "%s-%s.dist-info/" % (name, version), []
    wheel = out / ("%s-%s-%s.whl" % (name, version, tag))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def put(path, data, executable=False):
            entry = zipfile.ZipInfo(path, DAY)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append("%s,sha256=%s,%d" % (path, digest, len(data)))

        for path, file in contents(tree, name, version):
            put(path, file.read_bytes(), executable="/scripts/" in path)
        put(info + "METADATA", words.encode())
        put(info + "WHEEL", ("Wheel-Version: 1.0\nGenerator: cardiac\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode())
        put(info + "LICENSE", (ROOT / "LICENSE").read_bytes())
        archive.writestr(zipfile.ZipInfo(info + "RECORD", DAY), "\n".join(record + [info + "RECORD,,"]) + "\n")
    print(wheel)
    print(write_sdist(out, name, version, words))


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(Path(sys.argv[1]), Path(sys.argv[2]))
