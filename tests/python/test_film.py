#!/usr/bin/env python3
"""test_film.py CARDIAC GROWING SOURCE: a film has the frames of its result in their order, and in the lane full
each the colours of V on the whole surface."""
import contextlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from support import Case, cardiac_program, full, main, needs, np, os, source

import cardiac


class Film(Case):
    @needs("pyvista", "PIL")
    def test_frames(self):
        from PIL import Image
        from cardiac.film import film

        self.shell("run", "a.yaml", "--quiet")
        self.assertEqual(self.shell("film", "out", "v.gif"), "v.gif\n")
        with self.assertRaisesRegex(cardiac.InputError, "v.gif exists"):
            film("out", "v.gif")
        with Image.open("v.gif") as images:
            self.assertEqual(images.n_frames, len(cardiac.read("out").times))
            first = np.asarray(images.convert("RGB")).astype(int)
            images.seek(images.n_frames - 1)
            last = np.asarray(images.convert("RGB")).astype(int)
        self.assertGreater(np.abs(first - last).max(), 100)  # rest is blue, the plateau red

    @full
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

    @needs("matplotlib", "PIL")
    def test_chosen(self):
        """Which frames of a result a film has, how long each is shown, and what it refuses, with pictures in the place of a lit surface"""
        from PIL import Image
        from cardiac import film
        made = []

        class Stage:
            def __init__(self, result, limits, view, pixels, bar=False):
                made.append((limits, view, pixels, bar))
                self.plotter = SimpleNamespace(add_text=lambda text, **how: SimpleNamespace(set_text=lambda place, text: made.append((place, text))), close=lambda: made.append("closed"))

            def at(self, ms):
                return np.full((8, 8, 3), int(ms), np.uint8)
        result = cardiac.result.Result.__new__(cardiac.result.Result)
        vars(result).update(times=np.arange(0.0, 200, 0.5), fields={"V": 1}, cells=np.zeros((1, 3)), path="r", points=np.zeros((3, 3)))
        with mock.patch.multiple(film, Stage=Stage), mock.patch.multiple(film.plot, spread=lambda r: (-80, 20), is_flat=lambda r: flat):
            for seconds, count, view, flat, seen in ((12.0, 300, None, True, (-90, 90)), (0.4, 10, None, False, film.plot.VIEWS[0]), (99, 400, (1, 2), False, (1, 2))):
                made.clear()
                self.assertEqual(film.film(result, "v%g.gif" % seconds, seconds=seconds, view=view), Path("v%g.gif" % seconds))
                chosen = [np.floor(k * 399 / (count - 1) + 1e-9) / 2 for k in range(count)]
                self.assertEqual(made[0], ((-80, 20), seen, (960, 720), True))
                self.assertEqual(made[1:], [("upper_left", "%g ms" % t) for t in chosen] + ["closed"])
            with Image.open("v0.4.gif") as found:
                self.assertEqual((found.n_frames, found.info["duration"], found.info["loop"]), (10, 40, 0))
                shown = []
                for k in range(10):
                    found.seek(k)
                    shown.append(int(np.asarray(found.convert("RGB"))[0, 0, 0]))
            self.assertEqual(shown, [int(np.floor(k * 399 / 9) / 2) for k in range(10)])
            self.assertRaisesRegex(cardiac.InputError, "v0.4.gif exists", film.film, result, "v0.4.gif")
            self.assertRaisesRegex(cardiac.InputError, "v.avi: a film ends in .mp4 or .gif", film.film, result, "v.avi")
            frames = []
            writer = contextlib.nullcontext(SimpleNamespace(append_data=lambda image: frames.append(image[0, 0, 0])))
            imageio = SimpleNamespace(get_writer=lambda path, **how: Path(path).write_bytes(b"film") and made.append(how) or writer)
            with mock.patch.dict(sys.modules, imageio=imageio):
                film.film(result, "v.mp4", seconds=0.2)
            self.assertEqual((made[-1], frames, Path("v.mp4").read_bytes()), ({"fps": 25, "macro_block_size": 8}, [int(np.floor(k * 399 / 4) / 2) for k in range(5)], b"film"))
            for name, wrong in (("fields", {"h": 1}), ("times", np.array([])), ("cells", np.zeros((1, 2)))):
                was = getattr(result, name)
                setattr(result, name, wrong)
                self.assertRaisesRegex(cardiac.InputError, "^r: a film needs frames of V on triangles or tetrahedra", film.film, result, "w.gif")
                setattr(result, name, was)

    @needs("matplotlib")
    def test_stage(self):
        """The camera looks at the middle of what is seen from its side, so that all of it is in the picture; V is that of the surface's nodes"""
        from cardiac import film, plot
        points = np.array([[0.0, 0, 0], [10, 0, 0], [0, 4, 0], [0, 0, 2], [9, 3, 1]])
        asked, own = {}, np.array([4, 0, 2])

        class Plotter:
            def __init__(self, **how):
                asked["plotter"], self.camera = how, SimpleNamespace()

            def add_mesh(self, surface, **how):
                asked["mesh"] = how
                return SimpleNamespace(mapper=SimpleNamespace(dataset=SimpleNamespace(point_data={"V": np.zeros(3)})))

            def screenshot(self, return_img):
                return "picture" if return_img else None
            enable_parallel_projection = render = lambda self: None
            enable_anti_aliasing = lambda self, kind: None
        surface = SimpleNamespace(points=points, length=11.0, point_data={"vtkOriginalPointIds": own}, compute_normals=lambda **how: asked.update(normals=how) or surface)
        result = SimpleNamespace(times=np.array([3.0, 4]), cells=np.zeros((1, 4)), grid=lambda ms: asked.update(grid=ms) or SimpleNamespace(extract_surface=lambda **_: surface), V=SimpleNamespace(at=lambda ms: ms + np.arange(5.0)))
        with mock.patch.dict(sys.modules, pyvista=SimpleNamespace(vtk_verbosity=lambda level: None, Plotter=Plotter)):
            for view, pixels, corners in (((-60, 25), (200, 150), 4), ((0, 0), (960, 100), 3)):
                asked.clear()
                result.cells = np.zeros((1, corners))
                stage = film.Stage(result, (-80, 20), view, pixels)
                self.assertEqual((asked["plotter"]["window_size"], asked["grid"], asked["mesh"]["clim"], asked["mesh"]["scalars"]), (pixels, 3.0, (-80, 20), "V"))
                self.assertEqual((asked["mesh"]["smooth_shading"], asked["mesh"]["lighting"], "normals" in asked), (corners == 4,) * 3)
                right, up, towards = plot._axes(view)
                across, along = points @ right, points @ up
                place, focus, upright = stage.plotter.camera_position
                np.testing.assert_allclose([focus @ right, focus @ up, focus @ towards], [(x.min() + x.max()) / 2 for x in (across, along, points @ towards)], atol=1e-12)
                np.testing.assert_allclose(place - focus, 44 * towards, atol=1e-12)
                np.testing.assert_allclose(upright, up)
                self.assertAlmostEqual(stage.plotter.camera.parallel_scale, 1.35 / 2 * max(np.ptp(along), np.ptp(across) * pixels[1] / pixels[0]))
        self.assertEqual((stage.at(7.0), stage.drawn.point_data["V"].tolist()), ("picture", [11, 7, 9]))

    @needs("pyvista", "matplotlib")
    def test_wrong_ending(self):
        self.shell("run", "a.yaml", "--quiet")
        from cardiac.film import film

        with self.assertRaisesRegex(cardiac.InputError, "v.avi: a film ends in .mp4 or .gif"):
            film("out", "v.avi")

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
