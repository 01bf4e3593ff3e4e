#!/usr/bin/env python3
"""make_heart_picture.py CARDIAC PICTURE.png [--edge LENGTH] [--end TIME]: runs a re-entry in the ventricles of meshes/ and draws it, lit, at
four times over a strip of its ECG.

The picture in README.md (needs the package of app/python, matplotlib and pyvista; minutes):
python3 docs/lab/make_heart_picture.py build/cardiac docs/user/hearts.png
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib import colormaps, colors
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "app/python"))
import cardiac  # noqa: E402
from cardiac import film, plot  # noqa: E402

VIEW = (-72, 24)  # azimuth and elevation
LIMITS = (-80, 20)  # mV
SPEED, GAIN = 50, 40  # mm/s and mm/mV of the strip
HEIGHT = 18  # mm of it
# A phase that turns around a line from the front to the back starts a rotor on either wall.
CONFIG = """version: 1
title: re-entry in two ventricles
mesh: {file: %s, surfaces: {base: 1, epi: 2, lv: 3, rv: 4}}
tissue:
  surface_to_volume: 1400 /cm
  capacitance: 1 uF/cm^2
  fibers: {rule: ldrb}
  regions:
    - model: mitchell-schaeffer
      parameters: {tau_open: 60 ms, tau_close: 30 ms}
      conductivity: {intra: {longitudinal: 0.12 S/m, transverse: 0.07 S/m}, extra: {longitudinal: 0.5 S/m, transverse: 0.28 S/m}}
      initial: {pace: 10, period: 90 ms, phase: "atan((z + 5 mm) / (x + 3 mm)) / 6.283185 + if(x < -3 mm, 0.5, 0)"}
stimuli: []
time: {end: %s, step: 0.1 ms}
activation: {threshold: -30 mV}
output: {every: 10 ms}
"""


def strip(ax, result, lead):
    """The last of a lead, on millimetre paper"""
    times, names, _, values = result.table("ecg")
    width = (times[-1] - times[0]) * SPEED / 1000
    plot._paper(ax, np.array([width, HEIGHT]))
    volts = values[:, names.index(lead)]
    settled = volts[len(volts) // 3:]
    ax.plot((times - times[0]) * SPEED / 1000, HEIGHT / 2 + GAIN * (volts - (settled.min() + settled.max()) / 2), color="#111111", linewidth=1.2)
    ax.text(1, HEIGHT - 1, f"{lead}   {SPEED} mm/s, {GAIN} mm/mV", va="top", fontsize=8, color=plot.INK)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cardiac")
    parser.add_argument("picture")
    parser.add_argument("--edge", default="0.4mm")
    parser.add_argument("--end", default="2000 ms")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([given.cardiac, "mesh", "refine", ROOT / "meshes/heart.msh.gz", folder / "fine.vtkhdf", "--scale", "1mm", "--edge", given.edge],
                       check=True)
        text = (ROOT / "configs/ventricle.yaml").read_text()
        (folder / "turns.yaml").write_text(CONFIG % (folder / "fine.vtkhdf", given.end) + text[text.index("ecg:"):])
        turns = cardiac.run(folder / "turns.yaml", output=str(folder / "turns"), program=given.cardiac)
        end = float(turns.times[-1])
        stage = film.Stage(turns, LIMITS, VIEW, (760, 760), clear=True)
        images = [(t, stage.at(t)) for t in (end - 100, end - 70, end - 40, end - 10)]  # most of a turn
        figure = Figure((10, 4.1), layout="constrained", facecolor="white")
        top, bottom = figure.subfigures(2, 1, height_ratios=(2.5, 1))
        axes = top.subplots(1, len(images))
        for ax, (t, image) in zip(axes, images):
            ax.imshow(image)
            ax.set_title("%g ms" % t, fontsize=10)
            ax.axis("off")
        shades = ScalarMappable(colors.Normalize(*LIMITS), colormaps[film.COLORS])
        top.colorbar(shades, ax=list(axes), orientation="vertical", shrink=0.75, pad=0.01, label="V, mV").ax.tick_params(labelsize=8)
        strip(bottom.subplots(), turns, "II")
        figure.savefig(given.picture, dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
