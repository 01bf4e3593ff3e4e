#!/usr/bin/env python3
"""make_ecg_picture.py DIR PICTURE.png: activation and APD90 of a heart's surface, and its ECG.

The picture in docs/user/maps-and-ecg.md, of the run that stands there (needs the package of app/python and matplotlib):
python3 docs/lab/make_ecg_picture.py out/ecg docs/user/maps-and-ecg.png
"""
import sys
from pathlib import Path

from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "app/python"))
import cardiac  # noqa: E402
from cardiac import plot  # noqa: E402

LEADS = ["I", "II", "III", "aVR", "aVL", "aVF", "V1", "V4", "V6"]

result = cardiac.read(sys.argv[1])
figure = Figure((10, 3.6), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(3, 2))
for ax, name in zip(left.subplots(1, 2), ("activation_time", "apd90")):
    color = plot.bands(result.maps[name], name)
    plot.paint(ax, result, result.maps[name], color, (-75, 15))
    left.colorbar(color, ax=ax, orientation="horizontal", fraction=0.06, pad=0.02, label=plot.words(name) + ", ms")
times, names, _, values = result.table("ecg")
for ax, lead in zip(right.subplots(3, 3, sharex=True, sharey=True).flat, LEADS):
    ax.plot(times, values[:, names.index(lead)], color="black", linewidth=1)
    ax.set_title(lead, fontsize=9)
    ax.grid(color=plot.GRID)
    ax.tick_params(labelsize=7)
right.supxlabel("ms", fontsize=9)
right.supylabel("mV", fontsize=9)
figure.savefig(sys.argv[2], dpi=110, metadata={"Software": None})
