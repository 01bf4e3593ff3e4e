#!/usr/bin/env python3
"""test_types.py CARDIAC GROWING SOURCE: the package's types hold (mypy --strict, where it is installed)."""
import subprocess
import sys

from support import Case, main, needs, os, source

CACHE = os.path.join(os.getcwd(), "mypy")  # of this build: most of the time goes into numpy's own types


@needs("mypy", "matplotlib")
class Types(Case):
    def test_types(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", CACHE, "--config-file", "pyproject.toml", "cardiac"],
                              cwd=os.path.join(source, "app", "python"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


main()
