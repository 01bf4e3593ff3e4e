#!/usr/bin/env python3
"""test_film.py CARDIAC GROWING SOURCE: a film has the frames of its result in their order, and each the colours of V on the whole surface."""
import subprocess
import sys

from support import Case, cardiac_program, main, needs, np, os, source

import cardiac


class Film(Case):
    @needs("pyvista", "PIL")
    def test_frames(self):
        from PIL import Image

        self.shell("run", "a.yaml", "--quiet")
        self.assertEqual(self.shell("film", "out", "v.gif"), "v.gif\n")
        done = subprocess.run([cardiac_program, "film", "out", "v.gif"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("v.gif exists", done.stderr)
        with Image.open("v.gif") as film:
            self.assertEqual(film.n_frames, len(cardiac.read("out").times))
            first = np.asarray(film.convert("RGB")).astype(int)
            film.seek(film.n_frames - 1)
            last = np.asarray(film.convert("RGB")).astype(int)
        self.assertGreater(np.abs(first - last).max(), 100)  # rest is blue, the plateau red

    @needs("pyvista", "matplotlib")
    def test_colours(self):
        from cardiac import film

        self.shell("run", "a.yaml", "--quiet")
        result = cardiac.read("out")
        stage = film.Stage(result, (-80, 20), (-60, 25), (200, 150))
        for ms, redder in ((0, False), (6, True)):
            image = stage.at(ms).astype(int)
            there = (image < 250).any(2)
            seen = image[there]
            self.assertGreater(len(seen), 1000)
            self.assertEqual(bool(np.median(seen[:, 0] - seen[:, 2]) > 0), redder)
            rows, columns = (np.flatnonzero(there.any(axis)) for axis in (1, 0))
            self.assertTrue(0 < rows[0] and rows[-1] < 149 and 0 < columns[0] and columns[-1] < 199, "the rim is cut")
            self.assertGreater(np.ptp(columns), 150)

    @needs("pyvista", "matplotlib")
    def test_wrong_ending(self):
        self.shell("run", "a.yaml", "--quiet")
        done = subprocess.run([cardiac_program, "film", "out", "v.avi"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("v.avi: a film ends in .mp4 or .gif", done.stderr)

    @needs("matplotlib")
    def test_without_pyvista(self):
        os.makedirs("none/pyvista")
        with open("none/pyvista/__init__.py", "w") as file:
            file.write("raise ModuleNotFoundError('No module', name='pyvista')\n")
        self.shell("run", "a.yaml", "--quiet")
        done = subprocess.run([cardiac_program, "film", "out", "v.gif"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.path.abspath("none")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("-m pip install pyvista", done.stderr)
        self.assertNotIn("python3-pyvista", done.stderr)  # Debian has none


main()
