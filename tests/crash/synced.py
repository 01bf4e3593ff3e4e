#!/usr/bin/env python3
"""synced.py CARDIAC INTERPOSE: the calls of commands that write files, as interpose.c records them: no file of theirs has its name before its bytes
are on the disk, and the folder is synced after the last name, so that a power failure loses nothing that a command has announced. After each of
the calls that replace a mesh of several files there is the old mesh, the new one, or none that can be read."""
import os
import struct
import subprocess
import sys
import tempfile

CREATE, WRITE, LENGTH, SYNC, RENAME, UNLINK = range(6)
HEAD = struct.Struct("=IIQqQd")
cardiac, interpose = (os.path.abspath(path) for path in sys.argv[1:3])

CONFIG = """version: 1
mesh: {cable: {length: 2 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 4 ms, step: 0.05 ms}
output: {directory: a, every: 1 ms, probes: {end: [2 mm, 0 mm, 0 mm]}}
checkpoint: {every: 2 ms}
"""
COMMANDS = {  # and the files that they announce
    "sweep a.yaml --table rows.csv --output D": ["table.csv"],
    "sweep a.yaml --table rows.csv --maps --output D": ["table.csv", "maps.vtkhdf", "maps.xdmf"],
    "run a.yaml --output D": ["run.vtkhdf", "run.xdmf", "beats.csv", "checkpoint-80.h5"],
    "bundle a D": ["config.yaml", "about.txt", "results.csv", "run.log", "beats.csv", "SHA256SUMS"],
    "cell mitchell-schaeffer --beats 1 --output D/t.csv --save D/s.yaml": ["t.csv", "t-beats.csv", "s.yaml"],
    "mesh slab D/m.msh --size 1mm,1mm,1mm --spacing 0.5mm": ["m.msh"],
    "mesh slab D/m.vtkhdf --size 1mm,1mm,1mm --spacing 0.5mm": ["m.vtkhdf"],
}


def records(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, to, file, _, size, _ = HEAD.unpack_from(data, at)
        at += HEAD.size
        text = data[at:at + size]
        other = data[at + size:at + size + to].rstrip(b"\0").decode()
        at += size + to
        yield kind, file, text.rstrip(b"\0").decode() if kind in (CREATE, RENAME, UNLINK) else "", other


def recorded(command, folder):
    """The calls of a command whose folder D is that one"""
    words = [word.replace("D", folder, 1) if word.startswith("D") else word for word in command.split()]
    # HDF5's own driver writes as the C library does inside, so a file that it closes is known by its name alone
    done = subprocess.run([cardiac, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "LD_PRELOAD": interpose, "CRASH_RECORD": "record", "CRASH_DIRECTORY": folder})
    assert done.returncode == 0, (command, done.stdout)
    return records("record")


def check(command, files):
    folder = os.path.abspath("d")
    os.makedirs(folder)
    inode, fresh, names = {}, set(), set()  # name -> inode; files and names that are not on the disk
    for kind, file, path, to in recorded(command, folder):
        name = os.path.basename(path)
        if kind == CREATE:
            inode[name] = file
            fresh.discard(file)
            names.add(name)
        elif kind in (WRITE, LENGTH):
            fresh.add(file)
        elif kind == SYNC and file in inode.values():
            fresh.discard(file)
        elif kind == SYNC:
            names.clear()
        elif kind == RENAME:
            inode[os.path.basename(to)] = inode.pop(name)
            known = inode[os.path.basename(to)] not in fresh or to.endswith(".journal")  # which is of the result before
            assert known, "%s: %s is renamed before its bytes are on the disk" % (command, name)
            names.discard(name)
            names.add(os.path.basename(to))
        elif kind == UNLINK:
            inode.pop(name, None)
            names.discard(name)
    for name in files:
        assert name in inode, "%s: %s was not made" % (command, name)
        assert inode[name] not in fresh, "%s: %s ends before its bytes are on the disk" % (command, name)
        assert name not in names, "%s: the name %s is not on the disk" % (command, name)
    subprocess.run(["rm", "-r", folder], check=True)


def replace(first, before, after):
    """first: the file without which the others are no mesh"""
    folder = os.path.abspath("d")
    os.makedirs(folder)
    for _ in recorded(before, folder):
        pass
    old = set(os.listdir(folder))
    there, states = dict.fromkeys(old, "old"), []
    for kind, _, path, to in recorded(after, folder):
        if kind == RENAME:
            there[os.path.basename(to)] = "new"
        elif kind == UNLINK:
            there.pop(os.path.basename(path), None)
        states.append(dict(there))
    new = set(os.listdir(folder))
    assert len(old) > 1 and len(new) > 1 and there == dict.fromkeys(new, "new"), (after, old, new, there)
    wholes = [dict.fromkeys(old, "old"), dict.fromkeys(new, "new")]
    for state in states:
        assert state in wholes or not {first, first + ".gz"} & set(state), "%s: in between there is %s" % (after, state)
    subprocess.run(["rm", "-r", folder], check=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("a.yaml", "w", encoding="utf-8") as file:
            file.write(CONFIG)
        with open("rows.csv", "w", encoding="utf-8") as file:
            file.write("time.step\n0.05 ms\n")
        subprocess.run([cardiac, "run", "a.yaml", "--quiet"], check=True)
        for command, files in COMMANDS.items():
            check(command, files)
        slab, sheet = "mesh slab D/m.%s --size 1mm,1mm,1mm --spacing 0.5mm", "mesh sheet D/m.%s --size 1mm,1mm --spacing 0.5mm"
        for ending in "pts", "node":
            for other in ending, ending + ".gz":
                replace("m." + ending, slab % ending, sheet % other + " --overwrite")
                replace("m." + ending, sheet % other, slab % ending + " --overwrite")
        os.chdir("/")


main()
