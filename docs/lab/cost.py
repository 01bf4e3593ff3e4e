#!/usr/bin/env python3
"""cost.py OLD NEW: what commands cost by two programs, old and new in turn: a table of pairs. A row is a function of ROWS, which
prepares its folder with NEW and returns the arguments of the command that is measured, or a figure of each program."""
import argparse
import os
import pathlib
import subprocess
import tempfile

SLAB = """version: 1
mesh: {slab: {size: [20 mm, 14 mm, 12 mm], spacing: 0.4 mm}}
tissue: {surface_to_volume: 1400 /cm, fibers: [1, 0, 0], regions: [{model: aliev-panfilov-1996, conductivity: {longitudinal: 0.13 S/m, transverse: 0.02 S/m}}]}
stimuli: [{name: S1, where: x < 1.5 mm, duration: 2 ms, current: 50000 uA/cm^3}]
time: {end: 20 ms, step: 0.02 ms}
output: {every: 0.5 ms}
"""


def run(program, folder, *more):
    """A result of the slab in folder."""
    pathlib.Path("slab.yaml").write_text(SLAB, encoding="utf-8")
    subprocess.run([program, "run", "slab.yaml", "--device", "cpu", "--quiet", "--overwrite", "--output", folder, *more], check=True,
                   stderr=subprocess.DEVNULL)
    return folder + "/run.vtkhdf"


def measured(program, *arguments):
    """MB that a command reads, and its peak of memory in MB."""
    said = subprocess.run(["sh", "-c", '"$@" > /dev/null; cat /proc/$$/io', "sh", program, *arguments], check=True, capture_output=True, text=True)
    read = int(said.stdout.split()[1])
    child = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL)
    return read / 1e6, os.wait4(child.pid, 0)[2].ru_maxrss / 1e3


def size(old, new):
    """Bytes of a result, as the program's defaults have it, MB"""
    return [os.path.getsize(run(program, "size")) / 1e6 for program in (old, new)]


def info_reads(old, new):
    """Read by `info` of an uncompressed result, MB"""
    result = run(new, "result", "--set", "output.compress=0")
    return [measured(program, "info", result)[0] for program in (old, new)]


def info_memory(old, new):
    """Memory of `info`, MB"""
    return [measured(program, "info", "result/run.vtkhdf")[1] for program in (old, new)]


def compare_memory(old, new):
    """Memory of `compare`, MB"""
    return [measured(program, "compare", "result/run.vtkhdf", "result/run.vtkhdf")[1] for program in (old, new)]


ROWS = [size, info_reads, info_memory, compare_memory]

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    given = parser.parse_args()
    programs = [os.path.abspath(given.old), os.path.abspath(given.new)]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        print(f"{'':60} {'old':>10} {'new':>10} {'new / old':>10}")
        for row in ROWS:
            before, after = row(*programs)
            print(f"{row.__doc__.strip():60} {before:10.4g} {after:10.4g} {after / before:10.3g}")
        os.chdir("/")
