"""What the tests of this folder share: the program and the package, runs of a second, a test runner that can skip."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

cardiac_program, growing, source = (os.path.abspath(path) for path in sys.argv[1:4])
sys.path.insert(0, os.path.join(source, "app", "python"))
os.environ["CARDIAC"] = cardiac_program
FULL = os.environ.get("CARDIAC_TESTS") == "full"

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)

CONFIG = """version: 1
title: "a front along a <small> slab"
mesh: {slab: {size: [3 mm, 1.2 mm, 0.6 mm], spacing: 0.3 mm}}
tissue:
  surface_to_volume: 1400 /cm
  capacitance: 1 uF/cm^2
  fibers: [1, 0, 0]
  regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]
stimuli: [{name: S1, box: {min: [0 mm, 0 mm, 0 mm], max: [0.6 mm, 9 mm, 9 mm]}, duration: 2 ms, current: 50 uA/uF}]
time: {end: 6 ms, step: 0.05 ms}
solver: {precision: double}
output: {directory: out, every: 1 ms, fields: [V, h], probes: {near: [0 mm, 0 mm, 0 mm], far: [3 mm, 1.2 mm, 0.6 mm]}}
"""


class Case(unittest.TestCase):
    """Each in an empty folder with a.yaml."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        with open("a.yaml", "w") as file:
            file.write(CONFIG)

    def shell(self, *arguments):
        """What the program prints; its status must be 0."""
        done = subprocess.run([cardiac_program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


def warm():
    """From here on scripts of the program are forks of this process as it is now (support/warm_python.py): a start takes longer than most of
    what they do here. Not where the longer proofs are made. A call for which that does not hold has `cold()` as its environment."""
    if not FULL:
        sys.path.insert(0, os.path.join(source, "tests", "support"))
        import warm_python

        folder = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, folder)
        os.environ["CARDIAC_PYTHON"] = os.path.join(folder, "python3")
        if os.fork() == 0:
            atexit.unregister(shutil.rmtree)
            warm_python.serve(os.environ["CARDIAC_PYTHON"], [])
        while not os.path.exists(os.environ["CARDIAC_PYTHON"]):
            time.sleep(0.001)


def cold():
    """The environment of a call of another interpreter"""
    return {**os.environ, "CARDIAC_PYTHON": ""}


def full(test):
    """A longer proof of what another test shows in small: of the configuration `full` (test_full in tests/CMakeLists.txt)"""
    return test if FULL else None


def needs(*modules):
    for name in modules:
        try:
            __import__(name)
        except ImportError:
            return unittest.skip("no %s here" % name)
    return lambda test: test


def main():
    """All tests, or those named behind the third argument; 77 where none could be made."""
    done = unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2, exit=False).result
    sys.exit(77 if done.testsRun == len(done.skipped) else not done.wasSuccessful())
