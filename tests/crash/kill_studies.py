#!/usr/bin/env python3
"""kill_studies.py CARDIAC KILLS [SEED]: sweep, converge, induce, fit and restitution are killed by SIGKILL at random moments, so often each, and begun
again by the same command: after every kill the table has whole rows, the first of an undisturbed study, and at the end all of them; a file that is
written in one go is whole or not there."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

cardiac, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2])
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)

CONFIG = """version: 1
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 40 ms, step: 0.05 ms}
solver: {precision: double}
device: cpu
threads: 1
ecg: {electrodes: {A: [0 mm, 5 mm, 0 mm], B: [5 mm, 5 mm, 0 mm]}%s}
induction: {sites: {first: [0 mm, 0 mm, 0 mm], last: [5 mm, 0 mm, 0 mm]}, from: 400 ms, to: 300 ms, by: 10 ms, extra: 1, sustained: 100 ms}
output: {directory: run, every: 10 ms, maps: [activation_time], probes: {end: [5 mm, 0 mm, 0 mm]}}
"""
FIT = 'fit: {evaluations: 40, parameters: {"tissue.regions[0].conductivity": {from: 0.1 S/m, to: 0.2 S/m}, "stimuli[0].start": {from: 0 ms, to: 5 ms}}}\n'
STUDIES = {  # and the file that grows by rows, or is written in one go
    "sweep": (["sweep", "a.yaml", "--table", "rows.csv", "--maps", "--output", "k"], "k/table.csv"),
    "converge": (["converge", "a.yaml", "--output", "k"], "k/table.csv"),
    "induce": (["induce", "a.yaml", "--output", "k"], "k/table.csv"),
    "fit": (["fit", "fit.yaml", "--output", "k"], "k/table.csv"),
    "restitution": (["restitution", "a.yaml", "--s2", "500:300:10", "--output", "k/out.csv"], "k/out.csv"),
}


def content(path):
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def begin(words):
    os.makedirs("k", exist_ok=True)
    return subprocess.Popen([cardiac, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)


def end(process, name):
    said = process.communicate()[1]
    if process.returncode:
        sys.exit("FAILED: %s ended with %d: %s" % (name, process.returncode, said))


def check(name, words, path):
    shutil.rmtree("k", ignore_errors=True)
    began = time.monotonic()
    end(begin(words), name)
    took, whole = time.monotonic() - began, content(path)
    shutil.rmtree("k")
    killed = within = 0
    while killed < kills:
        process = begin(words)
        try:
            process.wait(random.uniform(0, 1.1 * took))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        found = content(path)
        if process.returncode not in (0, -signal.SIGKILL):
            sys.exit("FAILED: %s ended with %d" % (name, process.returncode))
        if not whole.startswith(found) or found[-1:] not in (b"", b"\n") or (name == "restitution" and found not in (b"", whole)):
            sys.exit("FAILED: %s, kill %d: the table is no part of the undisturbed one:\n%s" % (name, killed + 1, found.decode(errors="replace")))
        killed += process.returncode != 0
        within += process.returncode != 0 and b"" != found != whole
        if process.returncode == 0 or found == whole:
            end(begin(words), name)
            shutil.rmtree("k")
    end(begin(words), name)
    if content(path) != whole:
        sys.exit("FAILED: %s goes on to another table" % name)
    print("%s: %d kills, %d of them with some of %d rows; %.1f s undisturbed" % (name, killed, within, whole.count(b"\n") - 1, took), flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (("a.yaml", CONFIG % ""), ("fit.yaml", CONFIG % ", target: run/ecg.csv" + FIT)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        with open("rows.csv", "w", encoding="utf-8") as file:
            file.write("stimuli[0].current\n" + "".join("%d uA/uF\n" % (40 + k) for k in range(30)))
        subprocess.run([cardiac, "run", "a.yaml", "--quiet", "--set", "tissue.regions[0].conductivity=0.16 S/m"], check=True, stderr=subprocess.DEVNULL)
        for name, (words, path) in STUDIES.items():
            check(name, words, path)
        os.chdir("/")


main()
