#!/usr/bin/env python3
"""test_own_file.py CARDIAC GROWING SOURCE: what stands at a name before a script writes there, of every kind, is claimed or refused, and never
followed, waited for or changed; every function that writes does it through this door; what fails leaves the old file, and says which."""
import errno
import os
import resource
import signal
import stat
import subprocess
import sys
from unittest import mock

from support import Case, cardiac_program, h5py, main, needs, np, source

import cardiac
from cardiac import InputError, RunError, own_file
from cardiac.own_file import claim, open_plain, write_own, writing

MARK = "ours,"
MAY = {"none": "mark none any", "empty": "mark none any", "ours": "mark any", "zeros": "mark any", "stranger": "any", "hard": "any",
       "link": "", "dangling": "", "folder": "", "pipe": ""}


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def get(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def set_up(kind, path):
    """What the kind says at `path`; beside it victim, of a stranger, and the name missing, which a dangling link has."""
    for name in (path, "victim", "missing"):
        remove(name)
    put("victim", "notes")
    texts = {"empty": "", "ours": "ours,1\n", "zeros": "\0" * 8, "stranger": "notes"}
    if kind in texts:
        put(path, texts[kind])
    elif kind == "hard":
        os.link("victim", path)
    elif kind in ("link", "dangling"):
        os.symlink("victim" if kind == "link" else "missing", path)
    elif kind == "folder":
        os.mkdir(path)
    elif kind == "pipe":
        os.mkfifo(path)


def kind_of(path):
    return stat.S_IFMT(os.lstat(path).st_mode) if os.path.lexists(path) else 0


class OwnFiles(Case):
    def unharmed(self, path, before, what):
        self.assertEqual(get("victim"), "notes", what)
        self.assertFalse(os.path.lexists("missing"), what)
        self.assertEqual(kind_of(path), before, what)

    def test_every_kind_is_claimed_or_refused(self):
        for name, mark in {"mark": MARK, "none": None, "any": ""}.items():
            for kind, may in MAY.items():
                set_up(kind, "x")
                before, what = kind_of("x"), "%s, %s" % (name, kind)
                if name in may.split():
                    claim("x", mark if mark is None else mark.encode())
                    write_own("x", "ours,2\n", mark)
                    self.assertEqual(get("x"), "ours,2\n", what)
                    before = stat.S_IFREG
                else:
                    self.assertRaisesRegex(InputError, "^x .*; go$", claim, "x", mark if mark is None else mark.encode(), "go")
                    self.assertRaises(InputError, write_own, "x", "ours,2\n", mark)
                self.unharmed("x", before, what)
                self.assertFalse(os.path.lexists("x.tmp"), what)

    def test_statuses(self):
        """A path that cannot be is wrong input, what else the system says a failure, whoever it says it to"""
        for number, kind, status in ((errno.EACCES, InputError, 2), (errno.ENOTDIR, InputError, 2), (errno.ELOOP, InputError, 2), (errno.EIO, RunError, 3), (errno.EMFILE, RunError, 3)):
            fault = OSError(number, os.strerror(number))
            for name, call in (("lstat", lambda: claim("x", None)), ("open", lambda: open_plain("x", os.O_RDONLY)), ("open", lambda: write_own("x", "", None))):
                with mock.patch.object(own_file.os, name, side_effect=fault), self.assertRaises(kind) as failed:
                    call()
                self.assertEqual(failed.exception.status, status)
                self.assertRegex(failed.exception.text, "^x: (%s|a symbolic link, which may point)" % os.strerror(number))
        with self.assertRaisesRegex(RunError, "^x: Input/output error") as failed, own_file.failing("x"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self.assertEqual(failed.exception.status, 3)

    def test_another_file_beside_is_kept(self):
        for kind in MAY:
            set_up(kind, "y.tmp")
            left = kind in ("none", "empty", "ours", "zeros")
            before = 0 if left else kind_of("y.tmp")
            write_own("y", "ours,2\n", MARK)
            self.assertEqual(get("y"), "ours,2\n")
            self.unharmed("y.tmp", before, kind)
        remove("y.tmp")
        with writing("y", b"ours,") as one, writing("y", b"ours,") as other:
            self.assertEqual((one.name, other.name), ("y.tmp", "y.tmp-2"))
            one.write(b"ours,one")
            other.write(b"ours,other")
        self.assertEqual(get("y"), "ours,one")  # which ended last
        self.assertFalse([name for name in os.listdir(".") if name.startswith("y.tmp")])
        for k in range(1, 100):
            put("y.tmp" + "-%d" % k * (k > 1), "another's")
        with writing("y", b"ours,") as out:
            self.assertEqual(out.name, "y.tmp-100")
        put("y.tmp-100", "another's")
        self.assertRaisesRegex(RunError, "y.tmp and 99 more names are taken", write_own, "y", "ours,3\n", MARK)

    def test_a_failure_leaves_the_old_file(self):
        put("z", "ours,1\n")
        os.chmod("z", 0o600)
        write_own("z", "ours,1\n", MARK)
        self.assertEqual(os.stat("z").st_mode & 0o777, 0o600)
        with self.assertRaises(ZeroDivisionError), writing("z", b"ours,") as out:
            out.write(b"half")
            1 / 0
        code = "import sys, resource, signal; sys.path.insert(0, %r)\nfrom cardiac.own_file import write_own\nfrom cardiac import RunError\n" \
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))\n" \
            "for size in 100, 100000:\n    try: write_own('z', 'x' * size, 'ours,')\n    except RunError as error: print(error, error.status)"
        done = subprocess.run([sys.executable, "-c", code % os.path.join(source, "app", "python")], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, 2 * "z: File too large 3\n")
        self.assertEqual(get("z"), "ours,1\n")
        self.assertFalse(os.path.lexists("z.tmp"))
        self.assertRaisesRegex(InputError, "none/z: No such file", write_own, "none/z", "", "")

    def test_a_file_that_grows(self):
        for kind in MAY:
            set_up(kind, "g")
            if kind in ("link", "dangling", "folder", "pipe"):
                with self.assertRaises(InputError) as refused:
                    open_plain("g", os.O_RDWR | os.O_CREAT)
                self.assertEqual("a symbolic link" in refused.exception.text, kind in ("link", "dangling"))
            else:
                os.close(open_plain("g", os.O_RDWR | os.O_CREAT))
            self.assertEqual(get("victim"), "notes")
            self.assertFalse(os.path.lexists("missing"))

    def test_a_full_disk_and_a_simulation(self):
        """Simulation.write says why, keeps the old file, and the program goes on."""
        code = "import os, resource, signal, sys; sys.path.insert(0, %r)\nimport cardiac\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" \
            "with cardiac.Simulation('a.yaml') as sim:\n    fields = {'x': (sim.points[:, 0], 'mm')}\n    sim.write('o.vtkhdf', fields)\n" \
            "    for limit in range(200, 9000, 400):\n        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))\n" \
            "        try: sim.write('o.vtkhdf', fields)\n        except cardiac.RunError as error: assert 'File too large' in str(error) and error.status == 3, error\n" \
            "        assert sorted(os.listdir('.')) == ['a.yaml', 'o.vtkhdf'], os.listdir('.')\nprint('closed')"
        done = subprocess.run([sys.executable, "-c", code % os.path.join(source, "app", "python")], stdout=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "closed\n"))
        self.shell("info", "o.vtkhdf")

    @needs("h5py")
    def test_all_that_write(self):
        """Each function of the package that writes a file refuses a stranger's of every kind, and replaces its own."""
        result = cardiac.run("a.yaml", {"time.end": "2 ms", "output.fields": ["V"]}, output="w", progress=False)
        corners, points = [[0, 1], [1, 2]], [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
        with cardiac.Simulation("a.yaml") as sim:
            fields = {"x": (sim.points[:, 0], "mm")}
            for path, write in {"m.vtkhdf": lambda: cardiac.mesh(points, corners, path="m.vtkhdf"), "v.igb": lambda: result.V.to_igb("v.igb"),
                                "s.vtkhdf": lambda: sim.write("s.vtkhdf", fields)}.items():
                for kind in ("stranger", "hard", "link", "dangling", "folder", "pipe"):
                    set_up(kind, path)
                    before = kind_of(path)
                    self.assertRaises(InputError, write)
                    self.unharmed(path, before, "%s, %s" % (path, kind))
                remove(path)
                write()
                write()
            before = get("a.yaml")
            self.assertRaisesRegex(InputError, "would replace the config", sim.write, "a.yaml", fields)
            self.assertEqual(get("a.yaml"), before)
            with h5py.File("other.h5", "w") as file:
                file["data"] = np.arange(9)
            for path in ("other.h5", "w/run.vtkhdf", "/dev/full"):
                self.assertRaises(InputError, sim.write, path, fields)
            self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.assertEqual(len(cardiac.read("s.vtkhdf").points), len(result.points))


if __name__ == "__main__":
    main()
