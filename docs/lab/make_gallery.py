#!/usr/bin/env python3
"""make_gallery.py times CARDIAC DEVICE: runs every config of configs/ and stores the seconds it took in docs/user/gallery/times.csv.
DEVICE: cpu (two threads), cuda.
make_gallery.py pictures CARDIAC [NAME ...]: runs them (or those named) and draws docs/user/gallery/NAME.png; needs the package of
app/python and matplotlib.
make_gallery.py page: docs/user/gallery.md from the configs, the pictures and the times that are there."""
import csv
import re
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "docs/user/gallery"
TIMES = PLACE / "times.csv"
PATH = ["quickstart", "cable", "niederer", "wedge", "heart", "ventricle", "reentry", "restitution", "induction"]  # from a sheet to a study; then all others
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"), key=lambda config: (PATH.index(config.stem) if config.stem in PATH else len(PATH), config.stem))


def read_times():
    if not TIMES.exists():
        return {}
    with open(TIMES, newline="") as file:
        return {(row["config"], row["device"]): row["seconds"] for row in csv.DictReader(file)}


def take_times(cardiac, device):
    PLACE.mkdir(exist_ok=True)
    for config in CONFIGS:
        with tempfile.TemporaryDirectory() as folder:
            threads = ["--threads", "2"] if device == "cpu" else []
            begin = time.monotonic()
            subprocess.run([cardiac, "run", config, "--quiet", "--output", folder + "/out", "--device", device, *threads], check=True)
            taken = time.monotonic() - begin
        times = {**read_times(), (config.stem, device): "%.3g" % taken}
        with open(TIMES, "w", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["config", "device", "seconds"])
            rows.writerows([*key, seconds] for key, seconds in sorted(times.items()))
        print(config.stem, device, "%.3g s" % taken, flush=True)


def panels(figure, r):
    """Activation, V while the first front runs and when most goes on behind it, V at the probes: what there is of these."""
    import numpy as np
    from cardiac import plot
    from matplotlib import colormaps, colors
    from matplotlib.cm import ScalarMappable
    first = r.activation.reshape(r.nodes, -1)[:, 0] if "activation_time" in r.maps else np.full(r.nodes, np.nan)
    end = np.nanmax(first, initial=0)
    early = plot.some_times(r)[1]
    after = max(end if early < end < 0.8 * r.times[-1] else early, 0.3 * r.times[-1])
    late = max((t for t in r.times if t > after), key=lambda t: r.V.at(t).std())
    low, high = plot.spread(r)
    shades = ScalarMappable(colors.Normalize(low, high), colormaps["RdYlBu_r"])
    maps = [("V at %g ms" % t, r.V.at(t), shades) for t in (early, late)]
    if np.isfinite(first).any():
        maps.insert(0, ("activation, ms", first, plot.bands(first, "activation_time")))
    axes = figure.subplots(1, len(maps) + r.has("probes"), squeeze=False)[0]
    for ax, (name, values, color) in zip(axes, maps):
        plot.paint(ax, r, values, color)
        ax.set_title(name, fontsize=9)
        if r.cells.shape[1] > 2:
            figure.colorbar(color, ax=ax, orientation="horizontal", fraction=0.06, pad=0.02).ax.tick_params(labelsize=7)
        elif color is shades:
            ax.set_ylim(low - 3, high + 3)
    if r.has("probes"):
        at, names, _, values = r.table("probes")
        for name, column in zip(names, values.T):
            if not any(name.endswith("." + field) for field in r.fields):
                axes[-1].plot(at, column, linewidth=0.9)
        axes[-1].set_title("V at the probes, mV", fontsize=9)
        axes[-1].set_xlabel("ms", fontsize=8)
    for ax in axes:
        ax.tick_params(labelsize=7)


def draw(cardiac, chosen):
    sys.path.insert(0, str(ROOT / "app/python"))
    import cardiac as package
    from matplotlib.figure import Figure
    PLACE.mkdir(exist_ok=True)
    for config in CONFIGS:
        if chosen and config.stem not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            figure = Figure((10, 2.6), layout="constrained")
            panels(figure, package.run(config, output=folder + "/out", program=cardiac))
            figure.savefig(PLACE / (config.stem + ".png"), dpi=100, metadata={"Software": None})
            print(config.stem, "drawn", flush=True)


def seconds(text):
    return "%.0f min" % (float(text) / 60) if float(text) >= 90 else text + " s"


def page():
    times = read_times()
    parts = ["# Gallery", "", "The examples of `configs/`, from a sheet to a study, each with the time of `build/cardiac run`, set-up and files included. CPU:",
             "two threads of a server with AVX2; GPU: an H200. Each config begins with what it shows in full.", ""]
    for config in CONFIGS:
        name, text = config.stem, config.read_text()
        title = re.search(r"^title: (.*)$", text, re.M).group(1)
        comment = " ".join(line.lstrip("# ") for line in text.split("version:")[0].splitlines() if "yaml-language-server" not in line)
        said = textwrap.fill(" ".join(re.split(r"(?<=[.]) (?=[A-Z])", comment)[:2]), 130, break_on_hyphens=False)  # the config has the rest
        took = ["%s on %s" % (seconds(times[name, device]), words) for device, words in (("cpu", "two cores"), ("cuda", "one GPU"))
                if (name, device) in times]
        parts += ["## " + title, "", said, "", "`configs/%s.yaml`%s" % (name, ": " + " and ".join(took) if took else ""), ""]
        if (PLACE / (name + ".png")).exists():
            parts += ["![%s](gallery/%s.png)" % (title, name), ""]
    (ROOT / "docs/user/gallery.md").write_text("\n".join(parts).rstrip() + "\n")


if sys.argv[1:2] == ["times"] and len(sys.argv) == 4:
    take_times(*sys.argv[2:])
elif sys.argv[1:2] == ["pictures"] and len(sys.argv) > 2:
    draw(sys.argv[2], sys.argv[3:])
elif sys.argv[1:] == ["page"]:
    page()
else:
    sys.exit(__doc__)
