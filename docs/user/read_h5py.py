"""What a result holds, by h5py alone; in the folder of a run of configs/niederer.yaml."""
import h5py
import numpy as np

with h5py.File("run.vtkhdf", "r", locking=False) as f:
    times = f["VTKHDF/Steps/Values"][:]              # ms
    points = f["VTKHDF/Points"][:]                   # (nodes, 3), mm
    v = f["views/V/000003"][:]                       # V of every node in the fourth frame, mV
    at = f["VTKHDF/PointData/activation_time"][:]    # ms, NaN = never
    print(times[-1], np.nanmin(v), np.nanmax(at), f["VTKHDF/PointData/V"].attrs["unit"].decode())
