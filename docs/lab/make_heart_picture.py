#!/usr/bin/env python3
"""make_heart_picture.py CARDIAC PICTURE.png: runs a beat of two ventricles and a re-entry in them, and draws both with lead II.

The picture in README.md (needs the package of app/python and matplotlib):
python3 docs/lab/make_heart_picture.py build/cardiac docs/user/hearts.png
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from matplotlib import colormaps, colors
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "app/python"))
import cardiac  # noqa: E402
from cardiac import plot  # noqa: E402

VIEW = (-75, 15)
FRAMES = (800, 830, 860, 890)  # ms of the re-entry: most of a turn
MESH = "mesh: {file: %s, surfaces: {base: 1, epi: 2, lv: 3, rv: 4}}"
# A phase that turns around a line from the front to the back starts a rotor on either wall.
PHASE = '{pace: 10, period: 90 ms, phase: "atan((z + 5 mm) / (x + 3 mm)) / 6.283185 + if(x < -3 mm, 0.5, 0)"}'
# First activated: the septum from the left, and 5 ms later the wall of the right ventricle
SITES = """stimuli:
  - {where: "distance_to(lv) < 1 mm and ball([7 mm, 0 mm, -4 mm], 5 mm)", duration: 2 ms, current: 52 uA/uF}
  - {where: "distance_to(rv) < 1 mm and ball([15 mm, 0 mm, -2 mm], 4 mm)", start: 5 ms, duration: 2 ms, current: 52 uA/uF}
"""


def paced(text):
    """The config with these sites"""
    return text[:text.index("stimuli:")] + SITES + text[text.index("time:"):]


def reentry(text):
    """The config of two ventricles with cells of a short action potential, and no stimulus"""
    head, rest = text.split("tissue:")
    electrodes = rest[rest.index("ecg:"):]
    return head + """tissue:
  surface_to_volume: 1400 /cm
  capacitance: 1 uF/cm^2
  fibers: {rule: ldrb}
  regions:
    - model: mitchell-schaeffer
      parameters: {tau_open: 60 ms, tau_close: 30 ms}
      conductivity: {intra: {longitudinal: 0.12 S/m, transverse: 0.07 S/m}, extra: {longitudinal: 0.5 S/m, transverse: 0.28 S/m}}
      initial: %s
stimuli: []
time: {end: 1000 ms, step: 0.1 ms}
activation: {threshold: -30 mV}
output: {every: 10 ms}
""" % PHASE + electrodes


def run(program, folder, name, text):
    """The result of a config, on a mesh twice as fine as the one of meshes/"""
    begin, end = text.index("mesh:\n"), text.index("tissue:")
    path = folder / (name + ".yaml")
    path.write_text(text[:begin] + MESH % (folder / "fine.vtkhdf") + "\n" + text[end:])
    return cardiac.run(path, output=str(folder / name), program=program)


program, picture = sys.argv[1:3]
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    subprocess.run([program, "mesh", "refine", ROOT / "meshes/heart.msh.gz", folder / "fine.vtkhdf", "--scale", "1mm", "--edge", "0.8mm"], check=True)
    config = (ROOT / "configs/ventricle.yaml").read_text()
    beat, turns = run(program, folder, "beat", paced(config)), run(program, folder, "turns", reentry(config))
    figure = Figure((10, 4), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=(1.9, 1))
    shades = ScalarMappable(colors.Normalize(*plot.spread(turns)), colormaps["RdYlBu_r"])
    axes = top.subplots(1, 1 + len(FRAMES))
    first = beat.activation.reshape(beat.nodes, -1)[:, 0]
    bands = plot.bands(first, "activation_time")
    plot.paint(axes[0], beat, first, bands, VIEW)
    axes[0].set_title("a beat: activation, ms", fontsize=9)
    top.colorbar(bands, ax=axes[0], orientation="horizontal", fraction=0.06, pad=0.02).ax.tick_params(labelsize=7)
    for ax, t in zip(axes[1:], FRAMES):
        plot.paint(ax, turns, turns.V.at(t), shades, VIEW)
        ax.set_title("re-entry: V at %g ms, mV" % t, fontsize=9)
        top.colorbar(shades, ax=ax, orientation="horizontal", fraction=0.06, pad=0.02).ax.tick_params(labelsize=7)
    for ax, result, title in zip(bottom.subplots(1, 2, width_ratios=(1, 2)), (beat, turns), ("lead II of the beat, mV", "lead II of the re-entry, mV")):
        times, names, _, values = result.table("ecg")
        ax.plot(times, values[:, names.index("II")], color="black", linewidth=1)
        ax.set_title(title, fontsize=9)
        ax.set_xlabel("ms", fontsize=8)
        ax.grid(color=plot.GRID)
        ax.tick_params(labelsize=7)
    figure.savefig(picture, dpi=100, metadata={"Software": None})
