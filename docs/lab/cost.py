#!/usr/bin/env python3
"""cost.py OLD NEW: what commands cost by two programs, old and new in turn: a table of pairs. A row is a function of ROWS, which
prepares its folder with NEW and returns the arguments of the command that is measured, or a figure of each program."""
import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

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
    result = run(new, "result", "--set", "output.every=0.4 ms")
    return [measured(program, "info", result)[0] for program in (old, new)]


def info_memory(old, new):
    """Memory of `info`, MB"""
    return [measured(program, "info", "result/run.vtkhdf")[1] for program in (old, new)]


def compare_memory(old, new):
    """Memory of `compare`, MB"""
    return [measured(program, "compare", "result/run.vtkhdf", "result/run.vtkhdf")[1] for program in (old, new)]


HEART = """version: 1
mesh: {file: heart.vtkhdf}
tissue:
  surface_to_volume: 1400 /cm
  regions: [LINES{tags: all, model: tp06-epi, conductivity: 0.1 S/m}]
stimuli: [STIMULI]
time: {end: 0.04 ms, step: 0.02 ms}
activation: {threshold: -80 mV}
output: {maps: [activation_time], every: 1 ms}
ecg: {electrodes: {RA: [98 mm, 63 mm, 198 mm], LA: [-119 mm, 206 mm, -8 mm]}}
"""
LINES = "{tags: [900], model: tp06-epi, conductivity: 1 S/m, radius: 0.05 mm}, {tags: [901], conductance: 1 uS}, "
STIMULUS = '{where: "distance_to(epi) < %g mm and ball([%g mm, 0 mm, -8 mm], 7 mm)", duration: 1 ms, current: 60 uA/uF}'


def heart(program, stimuli=5, mesh="{file: heart.vtkhdf}"):
    """heart.yaml: two ventricles with edges of 0.4 mm, with stimuli by conditions"""
    if not os.path.exists("heart.vtkhdf"):
        subprocess.run([program, "mesh", "refine", str(ROOT / "meshes/heart.msh.gz"), "heart.vtkhdf", "--scale", "1mm", "--edge", "0.4mm"], check=True,
                       stdout=subprocess.DEVNULL)
    text = HEART.replace("STIMULI", ", ".join(STIMULUS % (1 + 0.1 * k, k - 9) for k in range(stimuli)))
    text = text.replace("{file: heart.vtkhdf}", mesh).replace("LINES", LINES if "network" in mesh else "")
    pathlib.Path("heart.yaml").write_text(text, encoding="utf-8")


def seconds(*command, **environment):
    """Of a processor, the least of three; with a cache of its own"""
    own = {**os.environ, "XDG_CACHE_HOME": os.getcwd(), "OMP_NUM_THREADS": "1", **environment}
    found = []
    for _ in range(3):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=own)
        _, status, used = os.wait4(child.pid, 0)
        found.append(used.ru_utime + used.ru_stime if status == 0 else math.nan)
    return min(found)


def start(program, *more, threads=1, **environment):
    return seconds(program, "run", "heart.yaml", "--dry-run", "--quiet", "--threads", str(threads), *more, **environment)


def set_up(old, new):
    """Set-up of a heart with five conditional stimuli, s of a processor"""
    heart(new)
    return [start(program) for program in (old, new)]


def cold_set_up(old, new):
    """The same with nothing cached, in steps of 0.1 ms, on 16 threads, s"""
    heart(new)
    return [start(program, "--set", "time.step=0.1 ms", "--set", "time.end=0.2 ms", threads=16, XDG_CACHE_HOME="/dev/null", TMPDIR="/dev/null",
                  OMP_NUM_THREADS="16", OMP_WAIT_POLICY="passive") for program in (old, new)]


def network_ends(old, new):
    """10,000 ends of a network joined to it, s of a processor"""
    heart(new, 1)
    bare = [start(program) for program in (old, new)]
    points = [f"{9 * math.cos(k):.6f} {9 * math.sin(k):.6f} {-0.0015 * k:.6f}" for k in range(10001)]
    lines = [f"2 0 {k}" for k in range(1, 10001)]
    pathlib.Path("net.vtk").write_text("\n".join(["# vtk DataFile Version 3.0", "ends", "ASCII", "DATASET UNSTRUCTURED_GRID", "POINTS 10001 double", *points,
                                                  "CELLS 10000 30000", *lines, "CELL_TYPES 10000", *["3"] * 10000, ""]), encoding="utf-8")
    heart(new, 1, "{file: heart.vtkhdf, network: [{file: net.vtk, scale: 1 mm, tag: 900, junction_tag: 901, radius: 0.3 mm}]}")
    return [start(program) - without for program, without in zip((old, new), bare)]


def end(old, new):
    """Two steps and what comes after them, s of a processor"""
    heart(new)
    return [seconds(program, "run", "heart.yaml", "--quiet", "--threads", "1", "--overwrite", "--output", "end") - start(program)
            for program in (old, new)]


def reopen(old, new):
    """Reopening it with other times, s of a processor"""
    heart(new)
    script = "import sys, cardiac; s = cardiac.Simulation('heart.yaml'); [s.reopen({'time.end': '%d ms' % (k + 1)}) for k in range(int(sys.argv[1]))]"
    found = []
    for program in (old, new):
        library = pathlib.Path(program).parent / "libcardiac.so"
        once, often = (seconds(sys.executable, "-c", script, count, CARDIAC_LIBRARY=str(library), PYTHONPATH=str(ROOT / "app/python"))
                       for count in ("0", "10"))
        found.append((often - once) / 10)
    return found


ROWS = [set_up, cold_set_up, reopen, network_ends, end, size, info_reads, info_memory, compare_memory]

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
