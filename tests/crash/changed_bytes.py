#!/usr/bin/env python3
"""changed_bytes.py CARDIAC CHANGES: results, checkpoints and meshes of which one byte was changed: read, or refused in words, never
ended by a signal. A fault inside HDF5 ends with status 3 and one line; around the attributes of a result there is none."""
import os
import random
import subprocess
import sys
import tempfile

CONFIG = """version: 1
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 8 ms, step: 0.02 ms}
output: {directory: r, every: 0.5 ms, fields: [V], probes: {end: [5 mm, 0 mm, 0 mm]}}
checkpoint: {every: 8 ms}
"""
CASES = [("r/run.vtkhdf", ["info", "FILE"], 4), ("r/run.vtkhdf", ["info", "FILE", "--json"], 1),
         ("r/run.vtkhdf", ["compare", "r/run.vtkhdf", "FILE"], 4), ("r/run.vtkhdf", ["mesh", "info", "FILE"], 2),
         ("m.vtkhdf", ["mesh", "info", "FILE"], 5), ("r/checkpoint-400.h5", ["info", "FILE"], 2),
         ("r/checkpoint-400.h5", ["compare", "r/checkpoint-400.h5", "FILE"], 2),
         ("m.vtu", ["mesh", "info", "FILE"], 1), ("m.vtk", ["mesh", "info", "FILE"], 1), ("m.msh", ["mesh", "info", "FILE", "--scale", "1mm"], 1)]


def make(*arguments):
    subprocess.run([cardiac, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def changed(path, command, at, value):
    """1 for a fault of a library, told in words, else 0."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    what = "%s, byte %d: %d -> %d" % (path, at, data[at], value)
    data[at] = value
    name = "changed" + os.path.splitext(path)[1]
    with open(name, "wb") as file:
        file.write(data)
    done = subprocess.run([cardiac] + [name if part == "FILE" else part for part in command], capture_output=True, timeout=300)
    fault = done.returncode == 3 and b"cardiac: ended by a fault in the program or a library" in done.stderr
    if done.returncode not in (0, 1, 2) and not fault:
        sys.exit("FAILED: %s: status %d\n%s" % (what, done.returncode, done.stderr.decode(errors="replace")))
    if done.returncode and not done.stderr and not done.stdout:
        sys.exit("FAILED: %s: status %d without a word" % (what, done.returncode))
    return fault


cardiac, changes = os.path.abspath(sys.argv[1]), int(sys.argv[2])
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("a.yaml", "w", encoding="utf-8") as config:
        config.write(CONFIG)
    make("run", "a.yaml")
    make("mesh", "slab", "m.vtkhdf", "--size", "1mm,1mm,1mm", "--spacing", "0.5mm")
    for end in "vtu", "vtk", "msh":
        make("mesh", "convert", "m.vtkhdf", "m." + end)
    with open("r/run.vtkhdf", "rb") as result:
        start = result.read().index(b"product_seconds") - 16
    for position in range(start, start + 56):
        for new in 0, 255:
            if changed("r/run.vtkhdf", ["info", "FILE"], position, new):
                sys.exit("FAILED: info: a fault by byte %d" % position)
    draw, faults = random.Random(1), 0
    for _ in range(changes):
        file_name, arguments, _ = draw.choices(CASES, [case[2] for case in CASES])[0]
        with open(file_name, "rb") as original:
            content = original.read()
        position = draw.randrange(len(content))
        while content[position] == 0 and draw.random() < 0.9:  # most zeros are values or unused
            position = draw.randrange(len(content))
        faults += changed(file_name, arguments, position, draw.choice([0, 255, content[position] ^ 1 << draw.randrange(8), draw.randrange(256)]))
    print("%d changes, %d of them a fault in a library" % (changes, faults))
    os.chdir("/")
