#!/usr/bin/env python3
"""test_mesh.py CARDIAC GROWING SOURCE: a mesh from arrays is what the program reads: places, tags, fibres and further arrays."""
from support import Case, h5py, main, np

import cardiac
from cardiac.mesh import surface

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.5]], float)
CELLS = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])


class Meshes(Case):
    def test_read(self):
        fibers = np.array([[1, 0, 0], [0, 0.6, 0.8]])
        path = cardiac.mesh(POINTS, CELLS, [7, 9], fibers=fibers, arrays={"scar": [True, False], "depth": [0, 1, 2, 3, 4.5]})
        said = self.shell("mesh", "info", str(path))
        for words in ("5\n", "2 tetrahedra", "tag 7: 1 tetrahedra", "tag 9: 1 tetrahedra", "fibres     one per element",
                      "scar, at elements", "depth, at nodes"):
            self.assertIn(words, said)
        r = cardiac.read(path)
        self.assertTrue(np.array_equal(r.points, POINTS) and np.array_equal(r.cells, CELLS) and list(r.tags) == [7, 9])
        self.assertEqual((len(r.times), r.fields, list(r.maps)), (0, {}, ["depth"]))
        with h5py.File(path, "r+") as file:  # as results have them where that is exact
            del file["VTKHDF/Points"]
            file["VTKHDF/Points"] = POINTS.astype(np.float32)
        r = cardiac.read(path)
        self.assertTrue(r.points.dtype == float and np.array_equal(r.points, POINTS))
        self.shell("mesh", "convert", str(path), "m.pts")
        self.assertTrue(np.array_equal(np.loadtxt("m.pts", skiprows=1), 1000 * POINTS))
        self.assertTrue(np.array_equal(np.loadtxt("m.lon", skiprows=1)[:, :3], fibers))
        with open("m.elem") as file:
            self.assertEqual(file.read().split("\n")[1:3], ["Tt 0 1 2 3 7", "Tt 1 2 3 4 9"])

    def test_surface(self):
        """Faces of one tetrahedron alone; lines, and triangles next to tetrahedra, are left out."""
        first, second = ([[0, 2, 1], [0, 1, 3], [0, 3, 2]], [[1, 2, 4], [2, 3, 4], [1, 4, 3]])
        self.assertEqual(surface(CELLS).tolist(), first + second)
        self.assertEqual(surface(np.array([[0, 1, 2, 3], [0, 1, 4, 4], [3, 4, 4, 4]])).tolist(), [*first[:2], [1, 2, 3], first[2]])
        self.assertEqual(surface(np.array([[0, 1, 2], [2, 3, 3]])).tolist(), [[0, 1, 2]])

    def test_kinds(self):
        for cells, word in ([[0, 1], [1, 2], [2, 3], [3, 4]], "4 lines"), ([[0, 1, 2], [1, 2, 3], [2, 3, 4]], "3 triangles"):
            path = cardiac.mesh(POINTS, cells)
            self.assertIn(word, self.shell("mesh", "info", str(path)))
            self.assertEqual(cardiac.read(path).cells.tolist(), cells)

    def test_faults(self):
        faults = (((POINTS[:, :2], CELLS), {}, "points have shape"), ((POINTS, CELLS[:, 0]), {}, "cells are whole numbers"),
                  ((POINTS, CELLS * 1.0), {}, "cells are whole numbers"), ((POINTS, CELLS, [1.5, 2]), {}, "tags are whole numbers"),
                  ((POINTS, CELLS, [1, 2, 3]), {}, "region have shape"), ((POINTS, CELLS), {"fibers": np.ones((3, 3))}, "fiber have shape"),
                  ((POINTS, CELLS), {"arrays": {"name": ["a", "b"]}}, "name are no numbers"),
                  ((np.where(POINTS == 1.5, np.nan, POINTS), CELLS), {}, r"points\[4, 2\] is nan"),
                  ((POINTS, CELLS - 1), {}, r"cells\[0, 0\] is -1, not a node from 0 to 4"),
                  ((POINTS, CELLS + 1), {}, r"cells\[1, 3\] is 5"), ((POINTS, CELLS), {"path": "m.vtk"}, "the file is a .vtkhdf"))
        for arguments, options, words in faults:
            with self.assertRaisesRegex(ValueError, words):
                cardiac.mesh(*arguments, **options)


main()
