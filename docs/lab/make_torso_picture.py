#!/usr/bin/env python3
"""make_torso_picture.py THORAX.msh TORSO UNBOUNDED PICTURE.png: a section through a thorax, and leads in it and without bounds.

The picture in docs/user/maps-and-ecg.md, of the study on geo1 that stands there (needs the package of app/python and matplotlib):
python3 docs/lab/make_torso_picture.py thorax.msh out/torso out/unbounded docs/user/torso.png
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "app/python"))
import cardiac  # noqa: E402

LEADS = ["I", "II", "aVF", "V1", "V2", "V4", "V5", "V6"]
REGIONS = {1: ("heart", "#b5423c"), 2: ("blood", "#e9a39b"), 3: ("lungs", "#a9c8e8"), 4: ("body", "#f3e6d3")}

with tempfile.TemporaryDirectory() as folder:
    subprocess.run(["cardiac", "mesh", "convert", sys.argv[1], folder + "/a.vtkhdf", "--scale", "1mm"], check=True, stdout=subprocess.DEVNULL)
    with h5py.File(folder + "/a.vtkhdf") as file:
        grid = file["VTKHDF"]
        points, cells = grid["Points"][:], grid["Connectivity"][:].reshape(-1, 4)
        tags = next(grid["CellData"][name][:] for name in grid["CellData"])
torso, unbounded = (cardiac.read(folder) for folder in sys.argv[2:4])
places = {name: np.array([float(x) for x in re.findall(r"-?[\d.e+-]+(?= mm|,|])", values)][:3])
          for name, values in re.findall(r"(\w+): \[([^]]*)\]", torso.config.split("electrodes:")[1])}

# The chest's axes: to the left, to the head, and to the back; the section passes between V1 and V6
left = places["LA"] - places["RA"]
left /= np.linalg.norm(left)
head = np.cross(left, np.cross((places["RA"] + places["LA"]) / 2 - places["LL"], left))
head /= np.linalg.norm(head)
back = np.cross(head, left)
level = (places["V1"] + places["V6"]) @ head / 2
height = points @ head - level
plane = np.stack([points @ left, -(points @ back)], 1)

figure = Figure((10, 4), layout="constrained")
section, curves = figure.subfigures(1, 2, width_ratios=(1, 1.5))
ax = section.subplots()
for tag, (name, color) in REGIONS.items():
    polygons = []
    for cell in cells[(tags == tag) & (height[cells].min(1) < 0) & (height[cells].max(1) > 0)]:
        cut = [plane[i] + (plane[j] - plane[i]) * height[i] / (height[i] - height[j])
               for i in cell[height[cell] < 0] for j in cell[height[cell] >= 0]]
        polygons.append([cut[k] for k in ((0, 1, 3, 2) if len(cut) == 4 else (0, 1, 2))])
    ax.add_collection(PolyCollection(polygons, facecolors=color, edgecolors=color, linewidths=0.3, label=name))
for name in ("V1", "V2", "V3", "V4", "V5", "V6"):
    x, y = places[name] @ left, -(places[name] @ back)
    ax.plot(x, y, "k.", markersize=5)
    ax.annotate(name, (x, y), (4, 4), textcoords="offset points", fontsize=7)
ax.set_aspect("equal")
ax.autoscale_view()
ax.axis("off")
ax.legend(loc="lower center", ncols=4, fontsize=7, frameon=False, bbox_to_anchor=(0.5, -0.08))
for ax, name in zip(curves.subplots(2, 4, sharex=True).flat, LEADS):
    for result, style in ((unbounded, {"color": "#999999", "label": "unbounded"}), (torso, {"color": "black", "label": "thorax"})):
        times, names, _, values = result.table("ecg")
        ax.plot(times, values[:, list(names).index(name)], linewidth=1, **style)
    ax.set_title(name, fontsize=8)
    ax.tick_params(labelsize=6)
    ax.grid(True, linewidth=0.3)
curves.supxlabel("ms", fontsize=8)
curves.supylabel("mV", fontsize=8)
ax.legend(fontsize=6)
figure.savefig(sys.argv[4], dpi=110)
