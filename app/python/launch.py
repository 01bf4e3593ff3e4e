"""launch.py PROGRAM PYTHONS COMMAND ...: one of cardiac's commands that are scripts, by the first of the
interpreters PYTHONS ("a:b") that is recent enough and has numpy and h5py. Python 3.6 can read this file.
"""

import glob
import importlib
import importlib.util
import os
import sys

LACKS = """cardiac: `cardiac %s` needs Python 3.9 or later with numpy and h5py; %s lacks %s. Install them:
  sudo apt-get install python3-numpy python3-h5py     or     %s -m pip install numpy h5py
"""


def missing():
    """What this interpreter lacks; "" if nothing."""
    if sys.version_info < (3, 9):
        return "3.9 (it is %d.%d)" % sys.version_info[:2]
    return " and ".join(name for name in ("numpy", "h5py") if not importlib.util.find_spec(name))


def load_package(here, folder):
    """The package `cardiac` of this program's tree, beside this file or, from a wheel, in the environment of
    the program; no other of that name (PyPI has one)."""
    installed = glob.glob(os.path.join(folder, "..", "lib", "python3*", "site-packages"))
    for candidate in [here] + installed:
        start = os.path.join(candidate, "cardiac", "__init__.py")
        if os.path.exists(start):
            parts = [os.path.dirname(start)]
            spec = importlib.util.spec_from_file_location(
                "cardiac", start, submodule_search_locations=parts
            )
            # not executed: a command imports the modules that it needs, not the whole API with numpy
            sys.modules["cardiac"] = importlib.util.module_from_spec(spec)
            return True
    return False


def main():
    program, pythons, rest = sys.argv[1], sys.argv[2].split(os.pathsep), sys.argv[3:]
    lacks = missing()
    if lacks and pythons[1:]:
        following = [pythons[1], os.path.abspath(__file__), program, os.pathsep.join(pythons[1:])]
        os.execv(pythons[1], following + rest)
    if lacks:
        sys.stderr.write(LACKS % (rest[0], pythons[0], lacks, pythons[0]))
        return 2
    os.environ["CARDIAC"] = program
    sys.argv = ["cardiac"] + rest
    if not load_package(os.path.dirname(os.path.abspath(__file__)), os.path.dirname(program)):
        sys.stderr.write("cardiac: the Python package of %s is not installed\n" % program)
        return 2
    return importlib.import_module("cardiac.__main__").main()


if __name__ == "__main__":
    sys.exit(main())
