#!/usr/bin/env python3
"""meshes_of_vtk.py CARDIAC: meshes that VTK writes, in every variant of its files, read by `cardiac mesh convert`
and, as .vtk and .vtu, read back by VTK: the same points, cells, tags and arrays to the last bit. Exit 77 without
VTK >= 9.1 or numpy."""
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import vtkmodules.vtkCommonDataModel as model
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkPoints, vtkVersion
    from vtkmodules.vtkFiltersVerdict import vtkMeshQuality
    from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader, vtkUnstructuredGridWriter
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader, vtkXMLUnstructuredGridWriter
except ImportError as missing:
    print(missing)
    sys.exit(77)

if (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion()) < (9, 1):
    sys.exit(77)

cardiac, folder = sys.argv[1], tempfile.mkdtemp()
tetra, triangle, voxel, hexa, wedge, pyramid = 10, 5, 11, 12, 13, 14


def want(condition, text):
    if not condition:
        print("wrong:", text)
        sys.exit(1)


def grid_of(points, cells, point_arrays, cell_arrays):
    grid, held = model.vtkUnstructuredGrid(), vtkPoints()
    held.SetData(numpy_to_vtk(points, deep=True))
    grid.SetPoints(held)
    for kind, nodes in cells:
        grid.InsertNextCell(kind, len(nodes), nodes)
    for data, arrays in ((grid.GetPointData(), point_arrays), (grid.GetCellData(), cell_arrays)):
        for name, value in arrays.items():
            array = numpy_to_vtk(value, deep=True)
            array.SetName(name)
            data.AddArray(array)
    return grid


def read(path):
    reader = vtkXMLUnstructuredGridReader() if path.endswith(".vtu") else vtkUnstructuredGridReader()
    reader.SetFileName(path)
    if path.endswith(".vtk"):
        reader.ReadAllScalarsOn()
        reader.ReadAllVectorsOn()
        reader.ReadAllFieldsOn()
    reader.Update()
    return reader.GetOutput()


def convert(path, to, *options, command="convert"):
    run = subprocess.run([cardiac, "mesh", command, path, to, "--scale", "1mm", "--overwrite", *options],
                         capture_output=True, text=True)
    want(run.returncode == 0, "%s: %s" % (path, run.stderr))
    return run.stdout


def same(a, b, name, path):
    want(b is not None, "%s: no array %s" % (path, name))
    a, b = vtk_to_numpy(a), vtk_to_numpy(b)
    want(a.shape == b.shape and np.array_equal(a.astype(float), b.astype(float), equal_nan=True),
         "%s: %s differs" % (path, name))


def variants(grid, exact):
    """Files of the grid; those that hold its numbers to the last bit, or also text"""
    count = 0
    for binary in (True, False):
        for version in (42, 51):
            writer = vtkUnstructuredGridWriter()
            writer.SetFileVersion(version)
            writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
            count += 1
            if binary or not exact:
                yield writer, "%s/v%d.vtk" % (folder, count)
    for mode in range(3):
        for zipped in (True, False):
            for wide in (True, False):
                for big in (True, False):
                    for encoded in ((True, False) if mode == 2 else (True,)):
                        writer = vtkXMLUnstructuredGridWriter()
                        writer.SetDataMode(mode)
                        if not zipped:
                            writer.SetCompressorTypeToNone()
                        writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
                        writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
                        writer.SetEncodeAppendedData(encoded)
                        writer.SetBlockSize(256)
                        count += 1
                        if mode > 0 or not exact:
                            yield writer, "%s/v%d.vtu" % (folder, count)


def volume(grid):
    total = 0.0
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        if cell.GetCellType() == tetra:
            total += vtkMeshQuality.TetVolume(cell)
    return total


random = np.random.default_rng(7)
n = 60
# Each four points of this helix in a row are a tetrahedron on a face of the one before it (Boerdijk 1952).
turned = np.arange(n) * np.arccos(-2 / 3)
radius, rise = 3 * np.sqrt(3) / 10, 1 / np.sqrt(10)
points = np.stack([radius * np.cos(turned), radius * np.sin(turned), rise * np.arange(n)], 1) + 0.02 * random.standard_normal((n, 3))
tets = []
for i in range(n - 3):
    turn = np.linalg.det(points[i + 1:i + 4] - points[i]) < 0
    tets.append((tetra, [i, i + 2, i + 1, i + 3] if turn else [i, i + 1, i + 2, i + 3]))
faces = [(triangle, [i, i + 1, i + 2]) for i in range(0, n - 3, 5)]
m = len(tets) + len(faces)
number = np.arange(m)
tags = np.where(number < len(tets), number % 5 - 2, 7 + number % 2).astype(np.int64)
simple = grid_of(points, tets + faces, {"a b": random.standard_normal(n), "f32": points.astype(np.float32)},
                 {"elemTag": tags, "f0": random.standard_normal((m, 3)), "t": random.standard_normal((m, 9)),
                  "short": (number * 3).astype(np.int16), "unused": (number % 3).astype(np.uint8)})
made = 0
for exact in (True, False):
    for writer, path in variants(simple, exact):
        writer.SetInputData(simple)
        writer.SetFileName(path)
        want(writer.Write() == 1, "VTK cannot write " + path)
        for extension in (".vtu", ".vtk"):
            out = folder + "/out" + extension
            convert(path, out, "--fibers", "f0")
            got = read(out)
            want(got.GetNumberOfCells() == m, "%s: %d cells" % (path, got.GetNumberOfCells()))
            if exact:
                same(simple.GetPoints().GetData(), got.GetPoints().GetData(), "points", path)
            same(simple.GetCells().GetConnectivityArray(), got.GetCells().GetConnectivityArray(), "nodes", path)
            same(simple.GetCells().GetOffsetsArray(), got.GetCells().GetOffsetsArray(), "offsets", path)
            same(simple.GetCellData().GetArray("elemTag"), got.GetCellData().GetArray("region"), "tags", path)
            if exact:
                same(simple.GetPointData().GetArray("a b"), got.GetPointData().GetArray("a b"), "a b", path)
            for name in ("f0", "t", "short"):
                a = vtk_to_numpy(simple.GetCellData().GetArray(name)).astype(float)[:len(tets)]
                b = got.GetCellData().GetArray("fiber" if name == "f0" else name)
                want(b is not None, "%s: no array %s" % (path, name))
                b = vtk_to_numpy(b)[:len(tets)]
                want(a.shape == b.shape and np.allclose(a, b, rtol=0 if exact else 1e-5), "%s: %s" % (path, name))
        made += 1

# Cells of other shapes fill the same space without overlap: a slab of bent hexahedra, wedges and pyramids whose
# nodes are numbered at random, so that the diagonals of their faces go every way.
side = 4
order = random.permutation((side + 1) ** 3 + side ** 3)
place = np.array([[i, j, k] for k in range(side + 1) for j in range(side + 1) for i in range(side + 1)], float)
centre = np.array([[i + .5, j + .5, k + .5] for k in range(side) for j in range(side) for i in range(side)])
points = np.zeros((len(order), 3))
points[order] = np.concatenate((place, centre))
cells, used = [], set()
for k in range(side):
    for j in range(side):
        for i in range(side):
            a = [order[x + (side + 1) * (y + (side + 1) * z)] for z in (k, k + 1) for y in (j, j + 1) for x in (i, i + 1)]
            h = [a[c] for c in (0, 1, 3, 2, 4, 5, 7, 6)]
            c = order[len(place) + i + side * (j + side * k)]
            way = 2 if (i + j) % 3 == 2 else (0, 1, 3)[(i + j + k) % 3]  # wedges stand on each other
            if way == 0:
                cells.append((hexa, h))
            elif way == 1:
                cells.append((voxel, a))
            elif way == 2:
                cells += [(wedge, [h[0], h[3], h[1], h[4], h[7], h[5]]), (wedge, [h[1], h[3], h[2], h[5], h[7], h[6]])]
            else:
                for face in ((0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)):
                    cells.append((pyramid, [h[f] for f in face] + [c]))
            used.update(h + ([c] if way == 3 else []))
mixed = grid_of(points, cells, {}, {"region": np.arange(len(cells)).astype(np.int32)})
writer = vtkXMLUnstructuredGridWriter()
writer.SetInputData(mixed)
writer.SetFileName(folder + "/mixed.vtu")
writer.Write()
said = convert(folder + "/mixed.vtu", folder + "/split.vtu", "--drop-loose", command="repair")
want("turned" not in said, said)
got = read(folder + "/split.vtu")
want(abs(volume(got) - side ** 3) < 1e-9, "the parts fill %g of %d" % (volume(got), side ** 3))
shared = {}
for i in range(got.GetNumberOfCells()):
    nodes = sorted(got.GetCell(i).GetPointId(c) for c in range(4))
    for left in range(4):
        key = tuple(nodes[:left] + nodes[left + 1:])
        shared[key] = shared.get(key, 0) + 1
once = sum(1 for times in shared.values() if times == 1)
want(max(shared.values()) == 2 and once == 12 * side ** 2, "%d faces on the boundary" % once)
region = vtk_to_numpy(got.GetCellData().GetArray("region"))
want(set(region) == set(range(len(cells))), "every part has its cell's tag")
print(made, "variants;", len(cells), "cells in", got.GetNumberOfCells(), "tetrahedra")
subprocess.run(["rm", "-r", folder])
