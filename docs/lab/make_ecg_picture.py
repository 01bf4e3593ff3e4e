#!/usr/bin/env python3
"""make_ecg_picture.py DIR PICTURE.png: activation and APD90 of a heart's surface, and its ECG.

The picture in docs/user/maps-and-ecg.md, of the run that stands there (needs h5py, numpy, matplotlib):
python3 docs/lab/make_ecg_picture.py out/ecg docs/user/maps-and-ecg.png
"""
import csv
import sys
from collections import Counter

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # noqa: E402

LEADS = ["I", "II", "III", "aVR", "aVL", "aVF", "V1", "V4", "V6"]


def surface(cells):
    """Triangles that belong to one tetrahedron alone."""
    faces = np.concatenate([cells[:, [1, 2, 3]], cells[:, [0, 2, 3]], cells[:, [0, 1, 3]], cells[:, [0, 1, 2]]])
    keys = [tuple(sorted(face)) for face in faces.tolist()]
    count = Counter(keys)
    return np.array([face for face, key in zip(faces, keys) if count[key] == 1])


def draw(axes, points, faces, values, title):
    """The half that looks towards the reader, each triangle in the colour of its corners' mean."""
    triangles, of = points[faces], values[faces].mean(axis=1)
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    light = np.abs(normal[:, 1]) / np.maximum(np.linalg.norm(normal, axis=1), 1e-12)
    low, high = np.nanpercentile(values, [0.5, 99.5])
    colours = plt.cm.viridis(np.clip((of - low) / (high - low), 0, 1))
    colours[:, :3] *= (0.6 + 0.4 * light)[:, None]
    axes.add_collection3d(Poly3DCollection(triangles, facecolors=colours))
    axes.set_box_aspect(np.ptp(points, axis=0), zoom=1.4)
    for set_limits, axis in ((axes.set_xlim, 0), (axes.set_ylim, 1), (axes.set_zlim, 2)):
        set_limits(points[:, axis].min(), points[:, axis].max())
    axes.view_init(elev=12, azim=-75)
    axes.set_axis_off()
    axes.set_title(title, fontsize=9, y=1.06)
    scale = plt.cm.ScalarMappable(plt.Normalize(low, high), "viridis")
    plt.colorbar(scale, ax=axes, orientation="horizontal", shrink=0.6, pad=0.02).ax.tick_params(labelsize=7)


directory, picture = sys.argv[1:3]
with h5py.File(directory + "/run.vtkhdf", "r", locking=False) as file:
    root = file["VTKHDF"]
    points, cells = root["Points"][:], root["Connectivity"][:].reshape(-1, 4)
    maps = {name: root["PointData/" + name][:] for name in ("activation_time", "apd90")}
with open(directory + "/ecg.csv", newline="") as file:
    rows = list(csv.reader(file))
names = [name.split(" ")[0] for name in rows[0]]
table = np.array(rows[1:], dtype=float)

figure = plt.figure(figsize=(10, 4), dpi=110)
grid = figure.add_gridspec(3, 5, width_ratios=[1.5, 1.5, 1, 1, 1], wspace=0.25, hspace=0.45, left=0.01, right=0.99)
faces = surface(cells)
draw(figure.add_subplot(grid[:, 0], projection="3d"), points, faces, maps["activation_time"], "activation_time (ms)")
draw(figure.add_subplot(grid[:, 1], projection="3d"), points, faces, maps["apd90"], "apd90 (ms)")
for k, lead in enumerate(LEADS):
    axes = figure.add_subplot(grid[k % 3, 2 + k // 3])
    axes.plot(table[:, 0], table[:, names.index(lead)], linewidth=1, color="black")
    axes.axhline(0, linewidth=0.5, color="grey")
    axes.set_title(lead, fontsize=9, pad=2)
    axes.tick_params(labelsize=6)
    if k % 3 == 2:
        axes.set_xlabel("ms", fontsize=7)
    if k == 0:
        axes.set_ylabel("mV", fontsize=7)
figure.savefig(picture)
