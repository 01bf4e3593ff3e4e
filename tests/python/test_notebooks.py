#!/usr/bin/env python3
"""test_notebooks.py CARDIAC GROWING SOURCE: the notebooks run in their own folder, from their first cell to the last, and each cell shows what
is stored with it; one of them here, the others in the lane full, since an interpreter of each takes seconds."""
import shutil
import subprocess
import sys

from support import FULL, Case, main, needs, os, source


@needs("nbclient", "ipykernel", "matplotlib", "pandas")
class Notebooks(Case):
    def test_notebooks(self):
        for folder in ("configs", "meshes", "docs/user/notebooks", "docs/lab", "app/python"):
            shutil.copytree(os.path.join(source, folder), folder, ignore=shutil.ignore_patterns("out"))
        names = [] if FULL else ["drug"]
        done = subprocess.run([sys.executable, "-B", "docs/lab/notebooks.py", "--check", *names], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


main()
