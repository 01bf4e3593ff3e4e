#!/usr/bin/env python3
"""read_with_vtk.py FILE.vtkhdf: a result as VTK and h5py see it.

VTK's own VTKHDF reader must give every step, point, cell and array with the values that h5py reads from the
flat arrays, and the XDMF reader, where this VTK has one, the same from the sidecar. Exit 77 without VTK >= 9.3,
h5py or numpy."""
import sys

try:
    import h5py
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError as missing:
    print(missing)
    sys.exit(77)

if (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion()) < (9, 3):
    print("VTK", vtkVersion.GetVTKVersion())
    sys.exit(77)


def want(condition, text):
    if not condition:
        print("wrong:", text)
        sys.exit(1)


def same(got, expected, text):
    want(got.shape == expected.shape, "%s has shape %s, not %s" % (text, got.shape, expected.shape))
    want(np.array_equal(got, expected, equal_nan=True), text)


def leaf(data):
    """The one grid of a composite dataset, or the grid itself."""
    if data.IsA("vtkUnstructuredGrid"):
        return data
    walk = data.NewIterator()
    walk.InitTraversal()
    return leaf(walk.GetCurrentDataObject())


def check_grid(grid, root, k, in_time, static, by_column):
    points, cells = root["NumberOfPoints"][0], root["NumberOfCells"][0]
    want(grid.GetNumberOfPoints() == points and grid.GetNumberOfCells() == cells, "counts of step %d" % k)
    want(grid.GetCellType(0) == root["Types"][0], "type of cells")
    same(vtk_to_numpy(grid.GetPoints().GetData()), root["Points"][:], "points")
    same(vtk_to_numpy(grid.GetCells().GetConnectivityArray()), root["Connectivity"][:], "connectivity")
    for name in in_time:
        first = root["Steps/PointDataOffsets/" + name][k]
        array = grid.GetPointData().GetArray(name)
        want(array is not None, "no array %s in step %d" % (name, k))
        same(vtk_to_numpy(array), root["PointData/" + name][first:first + points], "%s in step %d" % (name, k))
    for place, name in static:
        data = grid.GetPointData() if place == "PointData" else grid.GetCellData()
        if by_column and root[place + "/" + name].ndim == 2 and name not in ("fiber", "sheet"):
            for w in range(root[place + "/" + name].shape[1]):
                array = data.GetArray("%s_%d" % (name, w + 1))
                want(array is not None, "no array %s_%d" % (name, w + 1))
                same(vtk_to_numpy(array), root[place + "/" + name][:, w], name)
            continue
        want(data.GetArray(name) is not None, "no array %s" % name)
        same(vtk_to_numpy(data.GetArray(name)), root[place + "/" + name][:], name)


def check_reader(reader, times, root, in_time, static, by_column):
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
    reader.UpdateInformation()
    steps = reader.GetOutputInformation(0).Get(pipeline.TIME_STEPS())
    want(list(steps) == list(times), "times %s" % (steps,))
    for k, time in enumerate(times):
        reader.UpdateTimeStep(time)
        check_grid(leaf(reader.GetOutputDataObject(0)), root, k, in_time, static, by_column)


def main(path):
    with h5py.File(path, "r", locking=False) as file:
        root = file["VTKHDF"]
        times = root["Steps/Values"][:]
        in_time = list(root["Steps/PointDataOffsets"])
        static = [(place, name) for place in ("PointData", "CellData") for name in root[place]
                  if name not in in_time]
        want(len(times) > 1 and "V" in in_time and ("CellData", "region") in static, "arrays of the file")
        for name in in_time:
            for k in range(len(times)):
                first = root["Steps/PointDataOffsets/" + name][k]
                same(file["views/%s/%06d" % (name, k)][:],
                     root["PointData/" + name][first:first + root["NumberOfPoints"][0]], "view of " + name)
        reader = vtkHDFReader()
        reader.SetFileName(path)
        check_reader(reader, times, root, in_time, static, False)
        print("VTK %s: %d steps, %s" % (vtkVersion.GetVTKVersion(), len(times), in_time + static))
        try:
            from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
        except ImportError:
            print("this VTK has no XDMF reader")
            return
        reader = vtkXdmfReader()
        reader.SetFileName(path.rsplit(".", 1)[0] + ".xdmf")
        check_reader(reader, times, root, in_time, static, True)
        print("the same from the sidecar")


main(sys.argv[1])
