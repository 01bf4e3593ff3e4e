#!/usr/bin/env python3
"""read_while_written.py GROWING CARDIAC READS RATE [READER ...]: a result is read while it is written.

GROWING (tests/support/growing_output.c) writes RATE frames a second, 0 = as many as it can; each reader opens the
file READS times, in a process of its own each time, and compares all that it sees with what was written. Readers:
info, compare and python (CARDIAC's own), h5py, vtk (>= 9.3), xdmf (VTK's, of the sidecar); those that Python lacks are
left out. A line a reader: reads that were right, that ended with an error, that were silently wrong, that crashed.
Exit 1 if one was wrong or crashed, if one of CARDIAC's own ended with an error, or of the others one that was tried again
five times, or, of a hundred reads and more, more than one in a hundred."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

RIGHT, ERROR, WRONG = 0, 3, 4
OWN = "info", "compare", "python"
TRIES = 6


class Wrong(Exception):
    pass


def want(condition, text):
    if not condition:
        raise Wrong(text)


def want_frame(values, k, factor, text):
    want(len(values) > 100 and all(values == factor * k + np.arange(len(values))), "%s of frame %d" % (text, k))


def some_frames(count):
    """The last two, the first and two others"""
    return sorted({count - 1, max(count - 2, 0), 0, random.randrange(count), random.randrange(count)})


def read_h5py(path):
    with h5py.File(path, "r") as file:
        root = file["VTKHDF"]
        steps, times = root["Steps"].attrs["NSteps"], root["Steps/Values"][:]
        want(len(times) == steps, "%d steps, %d times" % (steps, len(times)))
        want(all(times == 0.5 * np.arange(steps)), "times")
        nodes = root["NumberOfPoints"][0]
        for k in some_frames(steps) if steps else []:
            for name, factor in ("V", 1000), ("Cai", 2000):
                first = root["Steps/PointDataOffsets/" + name][k]
                want_frame(root["PointData/" + name][first:first + nodes], k, factor, name)
                want_frame(file["views/%s/%06d" % (name, k)][:], k, factor, "view of " + name)


def read_steps(reader):
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    steps = pipeline.TIME_STEPS()
    times = np.array(information.Get(steps) if information.Has(steps) else [])
    want(all(times == 0.5 * np.arange(len(times))), "times")
    for k in some_frames(len(times)) if len(times) else []:
        reader.UpdateTimeStep(times[k])
        grid = reader.GetOutputDataObject(0)
        if not grid.IsA("vtkUnstructuredGrid"):
            walk = grid.NewIterator()
            walk.InitTraversal()
            grid = walk.GetCurrentDataObject()
        if heard:
            raise RuntimeError(heard[0])
        for name, factor in ("V", 1000), ("Cai", 2000):
            want_frame(vtk_to_numpy(grid.GetPointData().GetArray(name)), k, factor, name)
    if heard:
        raise RuntimeError(heard[0])


heard = []


class Listener:
    def __call__(self, _, event, text="error"):
        heard.append(text)

    CallDataType = "string0"


def read_vtk(path):
    reader = vtkHDFReader()
    reader.AddObserver("ErrorEvent", Listener())
    reader.SetFileName(path)
    read_steps(reader)


def read_xdmf(path):
    reader = vtkXdmfReader()
    reader.AddObserver("ErrorEvent", Listener())
    reader.SetFileName(path.rsplit(".", 1)[0] + ".xdmf")
    read_steps(reader)


def run(arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode < 0:
        os.kill(os.getpid(), -done.returncode)
    if done.returncode:
        raise RuntimeError(done.stdout.strip().splitlines()[-1])
    return done.stdout


def read_info(path):
    lines = run([program, "info", path]).splitlines()
    frames = [line for line in lines if line.startswith("frames")]
    want(len(frames) == 1, "frames of info")
    count = int(frames[0].split()[1].rstrip(",")) if "none" not in frames[0] else 0
    fields = [line.split() for line in lines if "in time" in line]
    want(len(fields) == 2, "fields of info")
    for name, _, _, low, _, high, *_ in fields if count else []:
        factor = 1000 if name == "V" else 2000
        k = round(float(high) / factor)
        want(float(low) == 0 and abs(k - (count - 1)) <= 1 + 1e-5 * count, "range of %s: %s of %d frames" % (name, high, count))


def read_compare(path):
    """The second time that it is opened it may have more frames; those that both have are the same."""
    done = subprocess.run([program, "compare", path, path, "--field", "V"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    lines = done.stdout.splitlines()
    if done.returncode not in (0, 1):
        raise RuntimeError(lines[-1] if lines else done.returncode)
    want(all(" max 0 " in line for line in lines if " max " in line), "compare")


def read_package(path):
    result = cardiac.read(path)
    want(all(result.times == 0.5 * np.arange(len(result.times))), "times")
    for k in some_frames(len(result.times)) if len(result.times) else []:
        want_frame(result.V[k], k, 1000, "V")
        want_frame(result.Cai[k], k, 2000, "Cai")


def one_read(read, path):
    try:
        read(path)
    except Wrong as text:
        return WRONG, str(text)
    except Exception as text:
        return ERROR, "%s: %s" % (type(text).__name__, text)
    return RIGHT, ""


def in_a_process(read, path, said):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # one that never ends counts as a crash
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        random.seed(time.time_ns())
        result, text = one_read(read, path)
        if text:
            with open(said, "a") as file:
                file.write(text[:300].replace("\n", " ") + "\n")
        os._exit(result)
    return os.waitpid(child, 0)[1]


def count_reads(name, read, directory, reads, rate):
    path, said = os.path.join(directory, name + ".vtkhdf"), os.path.join(directory, name + ".said")
    open(said, "w").close()
    tally = {"right": 0, "error": 0, "wrong": 0, "crash": 0}
    own, failed = name in OWN, 0

    def start():
        writer = subprocess.Popen([growing, path, "100000000", rate], stdout=subprocess.DEVNULL)
        while not os.path.exists(path[:-6] + "xdmf") and writer.poll() is None:
            time.sleep(0.01)
        return writer

    writer, begun, at = start(), time.time(), 0
    try:
        for n in range(reads):
            # from the beginning again, where a file changes most; an XDMF reader takes minutes for 50,000 frames
            if n == at + 100 or time.time() > begun + 5:
                writer.kill()
                writer.wait()
                os.unlink(path[:-6] + "xdmf")
                writer, begun, at = start(), time.time(), n
            for _ in range(1 if own else TRIES):
                status = in_a_process(read, path, said)
                kind = "crash" if os.WIFSIGNALED(status) else {RIGHT: "right", WRONG: "wrong"}.get(os.WEXITSTATUS(status), "error")
                tally[kind] += 1
                if kind != "error":
                    break
            failed += kind == "error"
        want(writer.poll() is None, "the writer ended")
    except KeyboardInterrupt:
        reads = sum(tally.values())
    finally:
        writer.kill()
        writer.wait()
    print("%-8s %d reads: %s" % (name, reads, ", ".join("%d %s" % (tally[kind], kind) for kind in tally)), flush=True)
    lines = []
    if os.path.exists(said):
        with open(said) as file:
            lines = file.read().splitlines()
    for text in sorted(set(lines), key=lines.count)[:-6:-1]:
        print("   %4d x %s" % (lines.count(text), text))
    return not tally["wrong"] and not tally["crash"] and not failed and (reads < 100 or tally["error"] <= reads / 100)


growing, program, reads, rate = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
readers = {"info": read_info, "compare": read_compare}
try:
    import numpy as np
    import h5py
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app", "python"))
    import cardiac
    readers.update(python=read_package, h5py=read_h5py)
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader
    if (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion()) >= (9, 3):
        readers["vtk"] = read_vtk
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
    readers["xdmf"] = read_xdmf
except ImportError as missing:
    print(missing)

good = True
with tempfile.TemporaryDirectory() as directory:
    for name in sys.argv[5:] or readers:
        if name in readers:
            good &= count_reads(name, readers[name], directory, reads, rate)
sys.exit(not good)
