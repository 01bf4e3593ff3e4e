#!/usr/bin/env python3
"""make_study_picture.py DIR PICTURE.png: of a heart's beat: activation, APD90, V at three times, and the twelve leads.

The picture in docs/user/heart.md, of geo1.yaml beside it (needs the package of app/python and matplotlib):
python3 docs/lab/make_study_picture.py out/study docs/user/heart.png
"""
import sys
from pathlib import Path

from matplotlib import colormaps, colors
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "app/python"))
import cardiac  # noqa: E402
from cardiac import plot  # noqa: E402

LEADS = ["I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"]
VIEW = (60, 15)  # the front of the heart, the left ventricle to the right

result = cardiac.read(sys.argv[1])
figure = Figure((10, 6), layout="constrained")
top, bottom = figure.subfigures(2, 1, height_ratios=(1, 1.1))
shades = ScalarMappable(colors.Normalize(*plot.spread(result)), colormaps["RdYlBu_r"])
panels = [(plot.words(name) + ", ms", result.maps[name], plot.bands(result.maps[name], name)) for name in ("activation_time", "apd90")]
panels += [("V at %g ms, mV" % t, result.V.at(t), shades) for t in (20, 40, 300)]
for ax, (words, values, color) in zip(top.subplots(1, len(panels)), panels):
    plot.paint(ax, result, values, color, VIEW)
    ax.set_title(words, fontsize=9)
    top.colorbar(color, ax=ax, orientation="horizontal", fraction=0.06, pad=0.02).ax.tick_params(labelsize=7)
times, names, _, values = result.table("ecg")
for ax, lead in zip(bottom.subplots(2, 6, sharex=True).flat, LEADS):
    ax.plot(times, values[:, names.index(lead)], color="black", linewidth=1)
    ax.set_title(lead, fontsize=9)
    ax.set_ylim((-1, 1) if lead[0] != "V" else (-7, 7))
    ax.grid(color=plot.GRID)
    ax.tick_params(labelsize=7)
bottom.supxlabel("ms", fontsize=9)
bottom.supylabel("mV", fontsize=9)
figure.savefig(sys.argv[2], dpi=100, metadata={"Software": None})
