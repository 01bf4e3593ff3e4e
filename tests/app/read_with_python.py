#!/usr/bin/env python3
"""read_with_python.py FILE.vtkhdf: a result as xarray (with h5netcdf, and netCDF4 where it is) and, from the sidecar,
meshio see it: dimensions and coordinates by name, and the values that h5py reads from the flat arrays. Exit 77
without xarray, h5netcdf or meshio."""
import sys

try:
    import h5py
    import meshio
    import numpy as np
    import xarray
    import h5netcdf
except ImportError as missing:
    print(missing)
    sys.exit(77)

engines = ["h5netcdf"]
try:
    import netCDF4
    engines.append("netcdf4")
except ImportError:
    pass


def want(condition, text):
    if not condition:
        print("wrong:", text)
        sys.exit(1)


def check_xarray(path, engine, root):
    with xarray.open_dataset(path, engine=engine, group="fields") as data:
        times, nodes = root["Steps/Values"][:], root["NumberOfPoints"][0]
        want(np.array_equal(data.time, times) and data.sizes["node"] == nodes, "dimensions with " + engine)
        for name in root["Steps/PointDataOffsets"]:
            want(data[name].dims == ("time", "node"), "dimensions of " + name)
            for k, time in enumerate(times):
                first = root["Steps/PointDataOffsets/" + name][k]
                flat = root["PointData/" + name][first:first + nodes]
                want(np.array_equal(data[name].sel(time=time), flat), "%s at %g ms" % (name, time))
        want(data["activation_time"].dims == ("node",) and data["beats"].dims == ("node", "beat"), "maps")
        want(np.array_equal(data["activation_time"], root["PointData/activation_time"], equal_nan=True), "a map")
        want(data["V"].attrs["units"] == "mV", "units")
        print("xarray with %s: %d times, %d nodes" % (engine, len(times), nodes))


def check_meshio(path, root):
    with meshio.xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        want(np.array_equal(points, root["Points"]), "points")
        want(np.array_equal(cells[0].data.ravel(), root["Connectivity"]), "cells")
        want(reader.num_steps == len(root["Steps/Values"]), "steps")
        for k in range(reader.num_steps):
            time, point_data, _ = reader.read_data(k)
            first = root["Steps/PointDataOffsets/V"][k]
            want(time == root["Steps/Values"][k], "time %d" % k)
            want(np.array_equal(point_data["V"], root["PointData/V"][first:first + len(points)]), "V of step %d" % k)
        print("meshio: %d steps" % reader.num_steps)


with h5py.File(sys.argv[1], "r") as file:
    for engine in engines:
        check_xarray(sys.argv[1], engine, file["VTKHDF"])
    check_meshio(sys.argv[1].rsplit(".", 1)[0] + ".xdmf", file["VTKHDF"])
