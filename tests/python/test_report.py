#!/usr/bin/env python3
"""test_report.py CARDIAC GROWING SOURCE: the surface that is painted is the mesh's boundary; the report is one well-formed page that
needs no other file, has a figure for all that the run stored, and says text of users as text."""
import base64
import contextlib
import csv
import json
import math
import re
import subprocess
import sys
import tempfile
import warnings
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from support import FULL, Case, full, main, needs, np, os, source, warm

try:  # of the pages that the program's scripts draw, too
    import matplotlib.pyplot
except ImportError:
    pass
warm()

import cardiac
from cardiac.text import time_text

LEADS = "{RA: [9 mm, 0 mm, 9 mm], LA: [-9 mm, 0 mm, 9 mm], LL: [-3 mm, 0 mm, -9 mm], %s}" % ", ".join(
    "V%d: [%d mm, -9 mm, 0 mm]" % (k, k) for k in range(1, 7))
EMPTY = {"img", "meta", "br", "input"}


def read_csv(path):
    """Its head and its rows"""
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    return head, rows


def not_drawn(figure, caption="", **_):
    """In place of report.image"""
    return '<img alt="" src="data:image/png;base64,">' + caption


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.figures, self.headings, self.wrong, self.tables = [], 0, [], [], []
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        if tag not in EMPTY:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        for name, value in attributes:
            if name in ("src", "href") and not value.startswith("data:image/"):
                self.wrong.append(value)
        self.figures += tag == "img"

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)
        elif self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data


@needs("matplotlib")
class Reports(Case):
    def test_surface(self):
        from cardiac import plot
        self.shell("run", "a.yaml", "--quiet", "--set", "time.end=1ms")
        r = cardiac.read("out")
        faces = plot.surface(r.cells)
        p = r.points[faces]
        normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]) / 2
        self.assertAlmostEqual(np.linalg.norm(normal, axis=1).sum(), 2 * (3 * 1.2 + 3 * 0.6 + 1.2 * 0.6), 9)
        self.assertAlmostEqual((normal * p.mean(1)).sum() / 3, 3 * 1.2 * 0.6, 9)  # outwards: the divergence theorem

    def test_whose(self):
        """A page of its own is replaced, another's file is not."""
        self.shell("run", "a.yaml", "--quiet", "--set", "time.end=1ms", "--set", "output.probes={}", "--set", "output.fields=[V]")
        self.assertEqual(self.shell("report", "out"), "out/report.html\n")
        with mock.patch("cardiac.report.image", not_drawn):
            self.assertEqual(self.command("out"), (0, "out/report.html"))
        with open("mine.html", "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html>\n<p>mine\n")
        for to, status, said in ("mine.html", 2, "exists and is no file of this program's"), ("/dev/full", 2, "/dev/full is a device, not a regular file"):
            found, words = self.command("out", to)
            self.assertEqual(found, status, words)
            self.assertIn(said, words)

    def test_raster(self):
        """At each pixel the nearest of some triangles, and a linear function of the place between its corners."""
        from cardiac.plot import _raster
        corners = np.random.default_rng(1).uniform(0, 10, (30, 3, 3)) * [1, 0.6, 1]
        corners[:20] = corners[:20, :1] + 0.2 * (corners[:20] - corners[:20, :1])  # small ones among large ones
        face, share, (left, right, bottom, top) = _raster(corners, 60)
        rows, columns = face.shape
        self.assertEqual(max(rows, columns), 60)
        x, y = left + (np.arange(columns) + 0.5) * (right - left) / columns, bottom + (np.arange(rows) + 0.5) * (top - bottom) / rows
        at = np.stack([np.tile(x, rows), np.repeat(y, columns)])
        best, height = np.full(rows * columns, -1), np.full(rows * columns, -np.inf)
        for f, (p, q, s) in enumerate(corners):
            second, third = np.linalg.solve(np.array([q - p, s - p])[:, :2].T, at - p[:2, None])
            z = p[2] + second * (q - p)[2] + third * (s - p)[2]
            seen = (np.minimum(np.minimum(second, third), 1 - second - third) >= -1e-9) & (z > height)
            best[seen], height[seen] = f, z[seen]
        np.testing.assert_array_equal(face.ravel(), best)
        seen = best >= 0
        places = np.einsum("kp,pkd->pd", share.reshape(3, -1)[:, seen], corners[best[seen]])
        np.testing.assert_allclose(places, np.stack([*at, height], 1)[seen], atol=1e-9)
        self.assertGreater((face >= 0).sum(), 500)
        low, high = corners[:, :, :2].min((0, 1)), corners[:, :, :2].max((0, 1))
        pixel = (high - low).max() / 59  # between the centres of those at the ends
        np.testing.assert_allclose((left, bottom), low - pixel / 2)
        np.testing.assert_allclose((right - left, top - bottom), pixel * np.array([columns, rows]))
        self.assertEqual((columns, rows), tuple(np.ceil((high - low) / pixel - 1e-6) + 1))

    def test_map(self):
        """Values of the user's own are painted, or refused."""
        from cardiac import plot
        self.shell("run", "a.yaml", "--quiet", "--overwrite", "--set", "time.end=1ms")
        r = cardiac.read("out")
        self.assertEqual(len(plot.map(r, r.points[:, 0]).axes), 3)
        with self.assertRaisesRegex(ValueError, "5 values, the mesh has %d nodes" % r.nodes):
            plot.map(r, np.zeros(5))

    def command(self, *words):
        """Status and words of the report's command, in this process: another would take longer to begin than to make a page"""
        from cardiac.__main__ import main as command

        sys.stdout.flush()
        kept = os.dup(1), os.dup(2)
        with tempfile.TemporaryFile() as said, mock.patch.object(sys, "argv", ["cardiac", "report", *words]), warnings.catch_warnings():
            try:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                status = command()
                sys.stderr.flush()
            finally:
                for number, was in enumerate(kept, 1):
                    os.dup2(was, number)
                    os.close(was)
            said.seek(0)
            return status, said.read().decode().strip()

    def page(self, *options, write=None, drawn=True):
        """The page of a run; not drawn: where words alone matter, which take a tenth of the time"""
        from cardiac.report import report
        self.shell("run", "a.yaml", "--quiet", "--overwrite", *(word for option in options for word in ("--set", option)))
        with contextlib.nullcontext() if drawn else mock.patch("cardiac.report.image", not_drawn):
            self.assertEqual((write or (lambda result: (0, str(report(result)))))("out"), (0, "out/report.html"))
        with open("out/report.html", encoding="utf-8") as file:
            text = file.read()
        page = Page(text)
        self.assertEqual(page.wrong, [])
        self.assertFalse(re.search(r"https?://(?!www.w3.org)", re.sub(r"base64,[^\"]*", "", text)))
        return page, text

    def test_palette(self):
        """A picture in a page has at most 256 colours, near to those drawn, rare ones too, and half of the bytes."""
        import io
        from matplotlib import image
        from cardiac import plot, report
        self.shell("run", "a.yaml", "--quiet", "--overwrite")
        figure, drawn = plot.frame(cardiac.read("out"), 2), io.BytesIO()
        figure.savefig(drawn, format="png", dpi=plot.DPI)
        stored = report._in_palette(drawn.getvalue())
        was, now = (np.round(255 * image.imread(io.BytesIO(data), format="png")[:, :, :3]) for data in (drawn.getvalue(), stored))
        self.assertLessEqual(len(np.unique(now.reshape(-1, 3), axis=0)), 256)
        self.assertLessEqual(abs(was - now).max(), 16)
        self.assertLess(len(stored), 0.5 * len(drawn.getvalue()))

    def test_bands(self):
        from cardiac.plot import bands
        fast = np.concatenate([np.linspace(0.4, 0.7, 90), np.full(10, 1e5)])  # ten in a hundred are of a stimulus
        self.assertLess(bands(fast, "conduction_velocity").norm.vmax, 2)
        self.assertEqual(bands(np.linspace(0, 40, 100), "activation_time").norm.vmax, 40)
        rounding = bands(300 + 0.01 * np.linspace(0, 1, 100), "apd90").norm
        self.assertTrue(rounding.vmax - rounding.vmin >= 6 and rounding.vmin < 300 < rounding.vmax)
        late = bands(5000 + np.linspace(0, 1, 100), "activation_time").norm  # times count from the start of the run
        self.assertLess(late.vmax - late.vmin, 2)
        self.assertGreaterEqual(bands(np.append(np.full(60, 3.0), np.linspace(3, 9, 40)), "x").norm.vmax, 9)

    def test_all(self):
        page, text = self.page("output.every=0.2 ms", "output.maps=[activation_time, apd90]", "ecg.electrodes=" + LEADS, write=self.command)
        self.assertEqual(page.headings[0], "a front along a <small> slab")
        self.assertEqual(page.headings[1:], ["ECG", "What the tissue did", "Maps", "V", "Probes", "Beats at the probes", "The run", "Where the time went"])
        # activation, no APD in 6 ms, six frames of V, V and h at the probes, the ECG, the time
        self.assertEqual(page.figures, 1 + 6 + 2 + 1 + 1)
        self.assertRegex(text, r'<div class="verdict [a-z]*"><p>1 of 1 stimulus captured; [0-9.]* % of the tissue was activated')
        head = re.findall("<th.*?>(.*?)</th>", text[text.index("without a torso."):])  # the first table after the ECG
        self.assertEqual(head[:5], ["region", "nodes", "activated", "first at, ms", "last at, ms"])
        row = re.findall("<td.*?>(.*?)</td>", text[text.index("<th>region</th>"):])[:5]
        summary = cardiac.read("out").summary
        self.assertEqual(row, ["all", "%d" % summary["nodes"], "%.4g %%" % (100 * summary["activated"] / summary["excitable"]),
                               *(time_text(summary[key]) for key in ("first_activation", "last_activation"))])
        self.assertGreater(text.index("<h2>Where the time went</h2>"), text.rindex("<details>"))
        self.scene(text)

    def test_rest(self):
        """Before a trace that begins with the run, 100 ms of rest are drawn as such; the trace itself stays as it is."""
        from cardiac import plot
        self.shell("run", "a.yaml", "--quiet", "--overwrite", "--set", "time.end=8ms", "--set", "ecg.electrodes={A: [0 mm, 9 mm, 0 mm], B: [9 mm, 0 mm, 0 mm]}")
        r = cardiac.read("out")
        def curves(style, **how):
            return [line.get_xydata() for line in plot.ecg(r, **how).axes[0].lines if line.get_linestyle() == style and len(line.get_xdata()) != 6]
        rest, traces = curves(":"), [xy for xy in curves("-") if len(xy) == len(r.table("ecg")[0])]
        self.assertEqual((len(rest), len(traces)), (2, 2))
        for before, trace in zip(rest, traces):
            np.testing.assert_allclose(before, trace[0] - [[2.5, 0], [0, 0]], rtol=1e-12)
        self.assertEqual(curves(":", ahead=0), [])

    def scene(self, text):
        """The surface that turns has the mesh's faces, and V of its frames within half a shade."""
        from cardiac import plot
        data = json.loads(re.search(r'id="scene-data">(.*?)</script>', text).group(1))
        raw = {name: base64.b64decode(data[name]) for name in ("points", "faces", "values")}
        r = cardiac.read("out")
        faces = np.frombuffer(raw["faces"], "<u4").reshape(-1, 3)
        points = np.frombuffer(raw["points"], "<u2").reshape(-1, 3) * (np.ptp(r.points, axis=0).max() / 65535)
        wanted = plot.surface(r.cells)
        np.testing.assert_allclose(points[faces], r.points[wanted] - r.points.min(0), atol=1e-4)
        low, high = plot.spread(r)
        level = np.frombuffer(raw["values"], "u1").reshape(len(data["times"]), -1)
        for time, shades in zip(data["times"], level):
            np.testing.assert_allclose(low + shades[faces] * ((high - low) / 255), r.V.at(time)[wanted], atol=0.51 * (high - low) / 255)

    @full
    def test_picture(self):
        """README's picture: two maps and the leads"""
        from matplotlib.image import imread
        self.shell("run", "a.yaml", "--quiet", "--set", "output.maps=[activation_time, apd90]", "--set", "ecg.electrodes=" + LEADS)
        subprocess.run([sys.executable, "-B", source + "/docs/lab/make_picture.py", "out", "p.png"], check=True)
        picture = imread("p.png")
        self.assertEqual(picture.shape[0], 540)
        for part in picture[:270, :540], picture[270:, :540], picture[:, -400:]:
            self.assertGreater(len(np.unique(part.reshape(-1, part.shape[2]), axis=0)), 20)

    def test_later_beats(self):
        """Activation of a second beat counts from its own stimulus; that of a beat which no stimulus evoked from the start."""
        _, text = self.page("stimuli[0].count=2", "stimuli[0].period=400 ms", "time.end=420 ms", "output.every=420 ms", "activation.beats=2",
                            "solver.precision=mixed", drawn=False)
        self.assertIn("beat 2, from stimulus S1 at 400 ms", text)
        self.assertIn("2 stimuli captured", text)
        with open("out/beats.csv") as file:
            rows = [line.split(",")[:2] for line in file][1:]
        self.assertEqual(rows, [["near", "1"], ["near", "2"], ["far", "1"], ["far", "2"]])
        self.assertEqual([list(row) for row in re.findall('<tr><td>(near|far)</td><td class="n">([0-9])</td>', text)], rows)
        from cardiac import report
        r = cardiac.read("out")
        r.summary["stimuli"][0]["pulses"].pop()
        self.assertNotIn("from stimulus", report._since(r, "activation_time", 2)[1])

    def test_without_bar(self):
        """Sites of an induction: three colours that the caption explains, in a body seen from two sides."""
        from cardiac import plot, report
        from cardiac.studies.reentry_page import _vulnerability
        points = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]]
        body = cardiac.read(cardiac.mesh(points, [[0, 1, 2, 3]], [1], arrays={"vulnerability": [0, 1, 2, 2]}))
        figure = _vulnerability(body)
        self.assertEqual((len(figure.axes), figure.get_figwidth()), (2, 7))
        self.assertIn("<img", report.image(figure))
        red = np.array([[0x4c, 0x72, 0xb0], [0xe6, 0x95, 0x00], [0xb0, 0x00, 0x20]])  # and what comes before it
        normals = {(0, 1, 2): (0, 0, -1), (0, 1, 3): (0, -1, 0), (0, 2, 3): (-1, 0, 0), (1, 2, 3): np.ones(3) / 3**0.5}
        for ax, (azimuth, elevation) in zip(figure.axes, np.radians(plot.VIEWS)):
            eye = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
            (there, nodes, share, light, extent), = (seen for (view, _), seen in body._seen.items() if view == tuple(np.degrees([azimuth, elevation]).round()))
            shown = np.array([normals[tuple(sorted(corners))] for corners in nodes]) @ eye
            self.assertGreater(shown.min(), 0)
            np.testing.assert_allclose(light, 0.62 + 0.38 * shown, rtol=1e-9)
            value = (np.array([0, 1, 2, 2])[nodes].T * share).sum(0)
            image, clear = np.asarray(ax.images[0].get_array()), abs(abs(value - 1) - 0.5) > 1e-9
            self.assertLessEqual(abs(image[there][:, :3] - red[np.digitize(value, [0.5, 1.5])] * light[:, None])[clear].max(), 1)
            self.assertEqual(set(image[~there].ravel()), {0})
            self.assertEqual(tuple(ax.images[0].get_extent()), extent)
            self.assertGreater(max(there.shape), 1.4 * plot.DPI * 3.5)  # about two pixels to each of the page
        *views, bar = plot.map(body, "vulnerability", width=4).axes
        self.assertEqual((len(views), bar.get_xlabel(), bar.xaxis.get_major_locator()._nbins), (2, "vulnerability", 5))
        self.assertEqual(plot.frame.__kwdefaults__, {"limits": None, "view": plot.VIEWS[0], "width": 5, "bar": True})
        self.assertEqual({key: plot.map.__kwdefaults__[key] for key in ("beat", "width", "bar")}, {"beat": 1, "width": 5, "bar": True})

    def test_refused_resume(self):
        """The page shows what the run that made the result has logged, not a later run that was refused."""
        from cardiac.report import page
        def words():
            with mock.patch("cardiac.report.image", not_drawn):
                return re.sub(r'src="data:[^"]*"', "", page(cardiac.read("out")))
        def run(*more):  # few figures: this is about the words
            return subprocess.run([os.environ["CARDIAC"], "run", "a.yaml", "--quiet", "--set", "checkpoint.every=1 ms", "--set", "output.every=6 ms",
                                   "--set", "output.probes={}", "--set", "activation.threshold=60 mV", *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(run().returncode, 0)
        before = words()
        refused = run("--resume", "--set", "stimuli[0].current=0.1 uA/uF")
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("resume refused", refused.stdout)
        self.assertEqual(words(), before)
        self.assertIn("S1", before)

    def test_meshes(self):
        cable = "mesh={cable: {length: 5 mm, spacing: 0.25 mm}}"
        sheet = "mesh={sheet: {size: [5 mm, 3 mm], spacing: 0.25 mm}}"
        for mesh, maps in (cable, "activation_time"), (sheet, "dvdt_max"):  # of two beats, with and without their times
            page, _ = self.page(mesh, "output.probes={}", "activation.beats=2", "output.every=3 ms", "output.maps=[%s]" % maps, "output.fields=[V]", drawn=FULL)
            self.assertEqual(page.headings[1:], ["What the tissue did", "Maps", "V", "The run", "Where the time went"])
            self.assertGreaterEqual(page.figures, 5)

    def test_interrupted(self):
        """A run that was interrupted has neither failed nor done all that was asked, whatever it activated."""
        from cardiac.report import _verdict
        cardiac_run = [os.environ["CARDIAC"], "run", "a.yaml", "--quiet", "--overwrite", "--stop-after", "0.000001s"]
        self.assertEqual(subprocess.run(cardiac_run, stderr=subprocess.DEVNULL).returncode, 4)
        found = cardiac.read("out")
        for status in 4, 130:
            found.summary.update(status=status, activated=found.summary["excitable"])
            self.assertIn('<div class="verdict bad"><p>The run was interrupted at ', _verdict(found))
            self.assertNotIn("No warnings", _verdict(found))
        found.summary.update(status=3)
        self.assertIn('<div class="verdict bad"><p>The run failed', _verdict(found))

    def test_nothing_activated(self):
        page, text = self.page("activation.threshold=60 mV", "time.end=1 ms", "output.every=0.5 ms", drawn=False)
        self.assertRegex(text, '<div class="verdict look"><p>Stimulus S1 at .*; 0 of 1 stimulus captured; 0 % of the tissue')
        from cardiac.report import _verdict

        found = cardiac.read("out")
        found.summary["facts"].append({"name": "reentry", "sentence": "re-entry: the wave of S2", "severity": "note"})
        self.assertIn("<p>Re-entry: the wave of S2; 0 of 1", _verdict(found))
        self.assertEqual(page.headings[1:], ["What the tissue did", "V", "Probes", "The run", "Where the time went"])

    def test_leads_at_rest(self):
        """The page of an induction says that a re-entry ended before the last cycle of its leads."""
        from cardiac.studies import reentry_page

        for quiet, ended in ((700, False), (300, True)):
            with open("leads.csv", "w") as file:
                file.write("time (ms),I (mV),V1 (mV)\n")
                for t in range(0, 602, 2):
                    file.write("%d,%.5g,1.5\n" % (1000 + t, 0.5 * np.sin(t / 30) if t < quiet else 0.1))
            self.assertEqual(reentry_page.has_ended(reentry_page.Table("leads.csv"), 200.0), ended)

    def test_last_turn(self):
        """The map of a turn begins with the last cycle of the node activated last, and is one whole turn of it."""
        from cardiac.studies.reentry import last_turn

        latest, cycle = np.array([300.0, 350, 400, 180, 410]), np.array([180.0, 90, 170, 90, np.nan])
        self.assertTrue(np.array_equal(last_turn(latest, cycle), [70, 120, 170, np.nan, 180], equal_nan=True))

    @needs("pandas")
    def test_names(self):
        """Names that mean something to matplotlib, a terminal, HTML or a spreadsheet are shown as they are."""
        from cardiac import plot
        names = [r"a$\foo$", "_hidden", "<b>", "\a\x1bcm", "@SUM"]
        probes = "output.probes={%s}" % ", ".join('%s: [%g mm, 0, 0]' % (json.dumps(name), k * 0.3) for k, name in enumerate(names))
        self.page(probes, 'title="\\e[2J\\a"', "time.end=1 ms")
        r = cardiac.read("out")
        legend = [text.get_text() for text in plot.probes(r).axes[0].get_legend().get_texts()]
        self.assertEqual(legend, [r"a\$\foo\$", " _hidden", "<b>", "\ufffd\ufffdcm", "@SUM"])
        with open("out/run.log", newline="") as file:
            log = file.read()
        self.assertFalse(re.search(r"[\x00-\x08\x0b-\x1f\x7f]", log))
        self.assertIn(r"\x1b[2J\x07", log)
        with open("out/probes.csv", newline="") as file:
            self.assertIn(",'@SUM (mV)", file.readline())

    def test_titles(self):
        from cardiac import report
        for title, shown in ("plain", "plain"), (r'"a\tb \\x41 \"c\""', 'a\tb \\x41 "c"'), (r'"\x01é"', "\x01é"), ("'12'", "12"):
            self.shell("run", "a.yaml", "--quiet", "--overwrite", "--set", "title=" + title, "--set", "time.end=1ms")
            self.assertEqual(report.title(cardiac.read("out")), shown)

    def study(self):
        """The page that the command makes of a table"""
        self.assertEqual(self.command("study"), (0, "study/table.html"))
        with open("study/table.html", encoding="utf-8") as file:
            page = Page(file.read())
        self.assertEqual(page.wrong, [])
        return page

    def test_sweep(self):
        """Results against each key that varies: what is drawn is what the table has."""
        from cardiac import report
        from cardiac.studies import study_page, table
        self.shell("sweep", "a.yaml", "--quiet", "--output", "study", "--set", "time.end=9 ms", "--set",
                   "sweep={tissue.parameters.tau_in: [x1, x1.2, x0.9], time.step: [0.05 ms, 0.1 ms], solver.precision: [double]}")
        page = self.study()
        self.assertEqual(page.headings, ["study: sweep", "tissue.parameters.tau_in", "time.step", "Runs"])
        names, rows = table.read("study/table.csv")
        column = names.index("velocity_along_first (m/s)")
        axis = study_page.Axis("tau_in", [row[2] for row in rows])
        self.assertEqual((axis.label, list(axis.values)), ("tau_in, factor", [1, 1, 1.2, 1.2, 0.9, 0.9]))
        series = study_page._series(names[2:5], [row[2:5] for row in rows], 0)
        self.assertEqual(series, [("step 0.05 ms, precision double", [0, 2, 4]), ("step 0.1 ms, precision double", [1, 3, 5])])
        velocity = study_page._groups(Path("table.csv"), names[6:], [row[6:] for row in rows])["velocity along fibres, m/s"]
        lines = study_page.curve(axis, series, "v", velocity).axes[0].lines
        self.assertEqual([list(line.get_xdata()) for line in lines], [[0.9, 1, 1.2]] * 2)
        flat = study_page.curve(axis, series, "v", {"": np.array([300, 300.01, 300, 300.02, 300, 300.0])}).axes[0].get_ylim()
        self.assertTrue(5.9 < flat[1] - flat[0] < 6.1 and flat[0] < 300 < flat[1], flat)
        for first, line in enumerate(lines):
            self.assertEqual(list(line.get_ydata()), [float(rows[k + first][column]) for k in (4, 0, 2)])
        names, rows = ["run", "id", "time.end", "status", "activated (%)", "message"], [["1", "a", "1 ms", "0", "5", "short"], ["2", "b", "2 ms", "0", "6", "short"]]
        shared = study_page.sweep(Path("table.csv"), names, rows)
        self.assertIn("In all 2 rows: short", shared[0])
        self.assertNotIn("short", "".join(shared[1:]))
        rows[1][-1] = "long"
        own = study_page.sweep(Path("table.csv"), names, rows)
        self.assertNotIn("In all", own[0])
        self.assertIn("long", own[-1])
        self.assertIn('alt="activated, % against time.end"', "".join(own))
        rows[1][3:5] = "3", ""
        failed = study_page.sweep(Path("table.csv"), names, rows)
        self.assertEqual(failed[:2], ['<div class="verdict bad"><p>2 runs, 1 of them failed and are not drawn.</p></div>', "<h2>Runs</h2>"])
        rows = [["1", "a", "1 ms", "0", "5", ""], ["2", "b", "2 ms", "0", "5", ""], ["3", "c", "", "0", "5", ""]]
        equal = study_page.sweep(Path("table.csv"), names, rows)
        self.assertEqual(equal[:4], ['<div class="verdict "><p>3 runs.</p></div>', "<h2>time.end</h2>", '<div class="beside"></div>',
                                     "<p>1 runs have the value of the config, and are not drawn.</p>"])
        names = ["run", "id", "time.end", "status", "captured", "total_activation (ms)", "qt_first (ms)", "message"]
        rows = [["1", "a", "1 ms", "0", "2", "7", "300", ""], ["2", "b", "2 ms", "0", "2", "8", "310", "short"]]
        self.assertEqual(study_page._listed(names, rows, 1), ["<p>Equal in all runs: status 0; captured 2.</p>", report.table(
            [["1", "1 ms", "300", "7"], ["2", "2 ms", "310", "8"]], ["run", "time.end", "qt_first (ms)", "total_activation (ms)"]), "<p>Run 2: short</p>"])
        mixed = study_page.Axis("a", ["1 ms", "1 s", "", "1 ms"])
        self.assertEqual((mixed.names, list(mixed.values[[0, 1, 3]]), mixed.count), (["1 ms", "1 s"], [0, 1, 0], 2))

    def test_induction(self):
        """The worst outcome of all branches that begin with an S2; a failed one hides no other."""
        from matplotlib.colors import to_hex

        from cardiac.studies import study_page
        found = [("b", [], "quiet"), ("b", [90.0], "quiet"), ("b", [80.0], "no capture"), ("b", [90.0, 70.0], "sustained"), ("b", [90.0, 60.0], "failed"),
                 ("a", [90.0], "non-sustained"), ("a", [90.0, 80.0], "quiet")]
        ax = study_page.outcomes(found).axes[0]
        ranks = [[study_page.RANKS[int(x)] if x == x else "" for x in row] for row in np.ma.filled(ax.images[0].get_array(), np.nan)]
        self.assertEqual(ranks, [["no capture", "sustained"], ["", "non-sustained"]])
        shown = ax.images[0]
        self.assertEqual([to_hex(shown.cmap(shown.norm(k))) for k in range(len(study_page.RANKS))], [study_page.COLORS[name] for name in study_page.RANKS])
        self.assertEqual([label.get_text() for label in ax.get_xticklabels()], ["80", "90"])
        self.assertEqual([label.get_text() for label in ax.get_yticklabels()], ["b", "a"])
        self.assertEqual([(text.get_text(), to_hex(patch.get_facecolor())) for text, patch in zip(ax.get_legend().get_texts(), ax.get_legend().get_patches())],
                         [(name, study_page.COLORS[name]) for name in ("no capture", "non-sustained", "sustained")])
        self.assertEqual((ax.get_xlabel(), tuple(ax.figure.get_size_inches().round(9))), ("S2 after the last S1, ms", (7, 1.82)))
        self.assertEqual([ticks.tolist() for ticks in (ax.get_xticks(minor=True), ax.get_yticks(minor=True))], [[-0.5, 0.5]] * 2)
        for count, shown_ticks in ((40, 20), (39, 39)):
            wide = study_page.outcomes([("s", [100.0 + k], "quiet") for k in range(count)])
            self.assertEqual((len(wide.axes[0].get_xticks()), round(wide.get_figwidth(), 9)), (shown_ticks, round(2.4 + 0.42 * count, 9)))
        for own, end in ((found, "where S2 alone did not. White: not tested.</fig"), (found[1:3], "each site.</fig")):
            self.assertIn(end, study_page.draw_outcomes(own)[0])
        self.assertEqual([(text.get_text(), *text.get_position()) for text in ax.texts], [("S3", 1, 0)])
        os.mkdir("study")
        with open("study/table.csv", "w") as file:
            file.write("site,intervals (ms),outcome,lesion\n" + "".join("%s,%s,%s,\n" % (s, " ".join(map(str, i)), o) for s, i, o in found))
        self.assertEqual((self.study().figures, self.study().headings), (1, ["study: induction", "Outcomes"]))

    def test_cell(self):
        """The page of a cell: its beats as the program measured them; currents without those of the upstroke, whose peaks are named."""
        from cardiac import report
        from cardiac.studies import cell_page
        self.shell("cell", "mitchell-schaeffer", "--beats", "3", "--period", "350", "--output", "c.csv")
        self.assertEqual(self.command("c.csv"), (0, "c.html"))
        with open("c.html", encoding="utf-8") as file:
            page = Page(file.read())
        self.assertEqual((page.wrong, page.headings), ([], ["c: cell", "Beats", "Restitution", "V", "The last beat, from 710 ms"]))
        head, rows = read_csv("c-beats.csv")
        self.assertEqual(page.tables[0], [[name.replace("_", " ") for name in head], *([row[0], *(report._number(cell) for cell in row[1:])] for row in rows)])
        apd = [float(row[7]) for row in rows]
        self.assertLess(apd[1], apd[0] - 1)
        with open("c.html", encoding="utf-8") as file:
            self.assertIn('<div class="verdict"><p>3 beats; APD90 %.4g to %.4g ms; early afterdepolarisations: none.' % (min(apd), max(apd)), file.read())
        said = cell_page._verdict(Path("c.csv"), [["1", "", "2"], ["2", "300", "0"]], ["beat", "apd90 (ms)", "eads"])
        self.assertIn('"verdict look"><p>2 beats; APD90 300 ms; early afterdepolarisations: 2 in beat 1; no APD90 in beat 1.', said)
        figures = []
        with mock.patch("cardiac.report.image", lambda figure, caption="", **_: figures.append((figure.axes[0], caption)) or ""):
            t = np.arange(1000.0)
            of = {"I%d" % k: k * np.sin(t / 100) for k in range(1, 10)}
            cell_page._currents(t, {**of, "INa": np.where(t == 5, -200.0, 0.0)}, "A/F")
            cell_page._restitution(Path("c.csv"), [("100", "200"), ("", "300"), ("50", "150")])
        ax, caption = figures[0]
        self.assertEqual([line.get_label() for line in ax.lines], ["I%d" % k for k in range(9, 1, -1)])
        self.assertTrue(-11 < ax.get_ylim()[0] < -8 and caption == "The largest of 10 currents. Beyond the axis: INa to -200 A/F.", caption)
        self.assertEqual(figures[1][0].lines[0].get_xydata().tolist(), [[50, 150], [100, 200]])
        for row, fault in (("0,x\n", ":2:3: 'x' is not a number"), ("", ": no rows")):
            with open("bad.csv", "w") as file:
                file.write("t (ms),V (mV)\n" + row)
            self.assertEqual(self.command("bad.csv"), (2, "cardiac: bad.csv" + fault))
        self.shell("cell", "mitchell-schaeffer", "--s1", "2x500ms", "--s2", "400:300:50ms", "--output", "s2.csv")
        self.assertEqual(self.command("s2.csv"), (0, "s2.html"))
        with open("s2.html", encoding="utf-8") as file:
            page = Page(file.read())
        self.assertEqual(page.headings, ["s2: cell", "Restitution", "Beats", "Responses to S2"])

    def test_other_studies(self):
        os.mkdir("study")
        with open("study/table.csv", "w") as file:
            file.write("s2 (ms),apd90 (ms)\n300,250\n")
        status, said = self.command("study")
        self.assertEqual(status, 2)
        self.assertRegex(said, "^cardiac: study/table.csv: this table has no page; there are pages of results")
        for name in ("converge.html", "fit.html"):
            Path("study", name).touch()
            self.assertEqual(self.command("study"), (2, "cardiac: study/table.csv: this table has no page; study/%s shows this study" % name))
        from cardiac.studies import table_page
        sweep, induction, s2 = "run,id,a,status,V (mV),message\n1,a,1,0,", "site,intervals (ms),outcome,lesion\nb,", "S2 (ms),DI (ms),APD90 (ms)\n400,1,"
        for text, fault in ((sweep + "1,\n2,a,2,0,x1,\n", "3:9: 'x1' is not a number"), (induction + "90 8O,quiet,\n", "2:3: '90 8O' are not numbers"),
                            (induction + "90,quite,\n", "2:6: 'quite' is no outcome"), (s2 + "2\n300,2,2..5\n", "3:7: '2..5' is not a number"),
                            ("run,id,a,status\n1,a,1..2.3,0\n", " this table has no page")):
            with open("bad.csv", "w") as file:
                file.write(text)
            with self.assertRaisesRegex(cardiac.InputError, "bad.csv:%s" % fault):
                table_page.page(Path("bad.csv"))

    def strip(self, fibers):
        """A front along x, whose second stimulus comes too early: the facts, and the same from the stored V alone."""
        self.shell("run", "a.yaml", "--quiet", "--overwrite", *(word for option in (
            "mesh.slab={size: [6 mm, 0.4 mm, 0.4 mm], spacing: 0.2 mm}", "tissue.fibers=%s" % fibers, "time.end=420 ms",
            "tissue.regions=[{tags: all, model: mitchell-schaeffer, conductivity: {longitudinal: 0.2 S/m, transverse: 0.1 S/m}}]", "activation={threshold: -40 mV, beats: 2}", "time.step=0.1 ms",
            "stimuli=[%s]" % ", ".join("{name: S%d, box: {min: [0, 0, 0], max: [0.3 mm, 9 mm, 9 mm]}, start: %d ms, duration: 2 ms, current: 50 uA/uF}" % pulse
                                       for pulse in ((1, 1), (2, 150))),
            "output={directory: out, every: 0.5 ms, fields: [V], maps: [activation_time, apd90, beats], probes: {far: [6 mm, 0.4 mm, 0.4 mm]}}",
            "ecg={every: 1 ms, electrodes: %s}" % LEADS) for word in ("--set", option)))
        r = cardiac.read("out")
        times, *_, leads = r.table("ecg")
        v, t, x = np.array(r.V, float), r.times, r.points[:, 0]

        def crossing(node, level, frames, rises):
            passed = (v[frames, node] < level) & (v[frames + 1, node] >= level) if rises else (v[frames, node] > level) & (v[frames + 1, node] <= level)
            k = frames[np.flatnonzero(passed)[0]]
            return t[k] + (level - v[k, node]) / (v[k + 1, node] - v[k, node]) * (t[k + 1] - t[k])
        rising = np.array([crossing(node, -40, np.arange(len(t) - 1), True) for node in range(r.nodes)])
        level = v[0] + 0.1 * (v[t < 150].max(0) - v[0])
        falling = np.array([crossing(node, level[node], np.flatnonzero(t[:-1] > 160), False) for node in range(r.nodes)])
        inner = (x > 1.5) & (x < 4.5)
        expected = {"time": t[-1], "pulses": 2, "captured": 1, "activated": 100, "first_activation": rising.min(), "last_activation": rising.max(),
                    "total_activation": np.ptp(rising), "apd90": np.median(falling - rising), "activation": rising[np.argmax(r.points.sum(1))],
                    "velocity": 1 / np.polyfit(x[inner], rising[inner], 1)[0],
                    "ecg_peak": np.abs(leads[times < 150]).max()}
        return r, {fact["name"]: fact for fact in r.summary["facts"] if "value" in fact}, expected, rising, falling - rising

    def test_facts(self):
        """Each value of the table of facts against one computed from V, and the page's and the JSON's numbers against the facts."""
        near = {"velocity": 0.02, "apd90": 0.5, "ecg_peak": 1e-6}
        for fibers, way, other in (("[1, 0, 0]", "along", "across"), ("[0, 1, 0]", "across", "along")):
            r, facts, expected, rising, apd90 = self.strip(fibers)
            expected["velocity_" + way] = expected.pop("velocity")
            for name, value in expected.items():
                found = facts[name]["value"][0] if isinstance(facts[name]["value"], list) else facts[name]["value"]
                self.assertLess(abs(found - value), near.get(name.partition("_a")[0] if "velocity" in name else name, 0.3), name)
            self.assertEqual(facts["velocity_" + other]["value"], [None, None])
            self.assertEqual(np.ravel(r.maps["beats"]).tolist(), [1] * r.nodes)
            self.assertEqual(r.activation.shape, (r.nodes, 2))
            region, ecg = r.summary["regions"][0], r.summary["ecg"]
            for name, value in (("velocity_" + way, region["velocity"][way]["median"]), ("apd90", region["apd90"][0]["median"]), ("qrs", ecg["qrs"]),
                                ("first_activation", r.summary["first_activation"]), ("last_activation", r.summary["last_activation"])):
                self.assertEqual(np.ravel(facts[name]["value"])[0], value, name)
            self.assertLess(abs(ecg["qrs"] - expected["total_activation"]), 6)
            self.assertLess(abs(r.activation[:, 0] - rising).max(), 0.3)
            self.summed_up(r.summary, way, r.points[:, 0] > 0.25, rising, np.sort(apd90))
            self.measured(r, way, r.points[:, 0] < 0.25)

    def measured(self, r, way, own):
        """Velocities of the elements by the gradient of their activation times, the axis by the leads, and what is next to the stimulated nodes
        `own`, against the summary and the page"""
        from cardiac import report
        head, whole, first = Page(report._physiology(r.summary)).tables[0]
        page = {name: cell or last for name, cell, last in zip(head, whole, first)}
        t, corners = np.where(own, np.nan, r.activation[:, 0].astype(float)), r.points[r.cells].astype(float)
        edges, sums = corners[:, 1:] - corners[:, :1], np.zeros((r.nodes, 4))
        slowness = np.linalg.solve(edges, (t[r.cells][:, 1:] - t[r.cells][:, :1])[:, :, None])[:, :, 0]
        volume, known = abs(np.linalg.det(edges)), np.isfinite(slowness[:, 0])
        for corner in r.cells[known].T:
            np.add.at(sums, corner, np.column_stack([slowness * volume[:, None], volume])[known])
        sums[own] = np.nan
        g = (sums[:, :3] / sums[:, 3:])[r.cells].mean(axis=1)
        size, fibre = np.linalg.norm(g, axis=1), {"along": 0, "across": 1}[way]
        cosine = abs(g[:, fibre]) / size
        chosen = np.sort(1 / size[cosine >= np.cos(np.radians(15)) if way == "along" else cosine <= np.sin(np.radians(10))])
        quartiles = [chosen[int(share * (len(chosen) - 1))] for share in (0.25, 0.5, 0.75)]
        np.testing.assert_allclose([r.summary["regions"][0]["velocity"][way][name] for name in ("low", "median", "high")], quartiles, rtol=1e-3)
        shown = next(cell for name, cell in page.items() if name.startswith("velocity") and cell)
        np.testing.assert_allclose([float(x) for x in re.findall(r"[\d.]+", shown)], [quartiles[k] for k in (1, 0, 2)], rtol=6e-3)

        times, names, _, leads = r.table("ecg")
        begin, qrs = r.summary["ecg"]["begin"], r.summary["ecg"]["qrs"]
        within = leads[(times >= begin) & (times <= begin + qrs)]
        across, down = ((within - within[0]).max(0) + (within - within[0]).min(0))[[names.index("I"), names.index("aVF")]]
        axis = np.degrees(np.arctan2(2 / 3**0.5 * down, across))
        self.assertLess(max(abs(r.summary["ecg"]["axis"] - axis), abs(float(page["axis, degrees"]) - axis)), 0.01)
        self.assertEqual(page["QRS, ms"], time_text(qrs))

        touching = np.unique(r.cells[own[r.cells].any(axis=1)])
        (s1,), (s2,) = (stimulus["pulses"] for stimulus in r.summary["stimuli"])
        self.assertEqual([(pulse["around"], pulse["held"]) for pulse in (s1, s2)], [((~own[touching]).sum(), 0)] * 2)
        self.assertTrue(5.8 <= s1["reach"] <= np.hypot(5.8, 0.4 * 2**0.5) and s2["reach"] is None, s1)  # from the last stimulated nodes, x = 0.2 mm, to the end
        self.assertLess(abs(r.summary["fastest"] / (quartiles[1] * {"along": 1, "across": 2**0.5}[way]) - 1), 0.02)  # along the fibres, where conductivity is twice as large

    def summed_up(self, summary, way, outside, rising, apd90):
        """Counts, quartiles and times of the summary against those of each node, and the sentences of the log against the summary"""
        region, (s1, s2), nodes = summary["regions"][0], summary["stimuli"], len(rising)
        self.assertEqual([region[name] for name in ("nodes", "activated", "followed")], [nodes, [nodes, 0], nodes])
        spread = region["apd90"][0]
        for name, k in (("low", (nodes - 1) // 4), ("median", (nodes - 1) // 2), ("high", 3 * (nodes - 1) // 4)):
            self.assertLess(abs(spread[name] - apd90[k]), 0.5, name)
        pulse = s1["pulses"][0]
        self.assertEqual((pulse["nodes"], s1["nodes"], s2["pulses"][0]["why"], s2["pulses"][0]["nodes"]), (sum(outside), sum(~outside), "refractory", 0))
        self.assertLess(abs(pulse["latency"] - (rising[outside].min() - 1)), 0.3)
        self.assertLess(abs(pulse["last"] - (rising[outside].max() - 1)), 0.3)
        wave, = summary["waves"]
        self.assertEqual([wave[name] for name in ("stimulus", "start", "activations", "outside", "again", "running")], ["S1", 1, nodes, sum(outside), 0, False])
        self.assertLess(max(abs(wave["first"] - rising.min()), abs(wave["last"] - rising.max())), 0.3)
        said, speed = [fact["sentence"] for fact in summary["facts"] if "sentence" in fact], region["velocity"][way]
        probes, rows = read_csv("out/beats.csv")
        for sentence in ("stimulus S1 at 1 ms: captured: %d nodes followed, %.2f to %.2f ms after it" % (pulse["nodes"], pulse["latency"], pulse["last"]),
                         "activated: %d of %d nodes, the first at %.2f ms, the last at %.2f ms (within %.2f ms)" % (
                             nodes, nodes, summary["first_activation"], summary["last_activation"], summary["last_activation"] - summary["first_activation"]),
                         "velocity: %.3g m/s %s (quartiles %.3g to %.3g)" % (speed["median"], "along the fibres" if way == "along" else "across the fibres", speed["low"], speed["high"]),
                         "APD90: %.2f ms (quartiles %.2f to %.2f)" % (spread["median"], spread["low"], spread["high"]),
                         *("%s, ms: far %.2f" % (what, float(rows[0][probes.index(name)])) for what, name in (
                             ("probes activated at", "activation_time (ms)"), ("APD90 at the probes", "apd90 (ms)")))):
            self.assertTrue(any(one.startswith(sentence) for one in said), (sentence, said))

    def test_beats(self):
        """Two beats of a cable, the second of tissue that has not recovered: beats.csv and both values of each fact against stored V alone."""
        self.shell("run", "a.yaml", "--quiet", "--overwrite", *(word for option in (
            "mesh={cable: {length: 8 mm, spacing: 0.25 mm}}", "tissue.fibers=[1, 0, 0]", "time={end: 340 ms, step: 0.1 ms}", "activation={threshold: -40 mV, beats: 2}",
            "tissue.regions=[{tags: all, model: mitchell-schaeffer, parameters: {tau_open: 80 ms, tau_close: 60 ms}, conductivity: 0.2 S/m}]",
            "stimuli=[%s]" % ", ".join("{name: S%d, where: x < %g mm, start: %d ms, duration: 2 ms, current: 50 uA/uF}" % pulse for pulse in ((1, 0.6, 10), (2, 1.1, 200))),
            "output={directory: out, every: 0.5 ms, precision: float64, maps: [apd90], probes: {near: [1.5 mm, 0, 0], far: [8 mm, 0, 0]}}",
            "threads=1", "ecg={every: 1 ms, electrodes: %s}" % LEADS) for word in ("--set", option)))
        r = cardiac.read("out")
        times, *_, leads = r.table("ecg")
        v, t, facts, second = np.array(r.V, float), r.times, {}, 195.0
        for fact in r.summary["facts"]:
            facts.setdefault(fact["name"], []).append(fact.get("value"))
        said, = [fact["sentence"] for fact in r.summary["facts"] if fact["name"] == "apd90" and "sentence" in fact]
        self.assertRegex(said, "^APD90: beat 1 ")

        def crossings(level, rises, begin):
            """ms, of each node the first after `begin` at which V crosses its level"""
            above = v >= level
            k = np.argmax((above[1:] != above[:-1]) & (above[1:] == rises) & (t[1:, None] > begin), axis=0)
            n = np.arange(r.nodes)
            return t[k] + (level - v[k, n]) / (v[k + 1, n] - v[k, n]) * (t[k + 1] - t[k])
        beats = [v[t < second], v[t >= second]]
        begin = np.array([crossings(np.full(r.nodes, -40.0), True, start) for start in (0, second)])
        rest = np.array([v[0], v[np.searchsorted(t, 200.0)]])
        peak = np.array([beat.max(0) for beat in beats])
        over = np.array([crossings(rest[b] + 0.1 * (peak[b] - rest[b]), False, begin[b].max() + 5) for b in range(2)])
        columns = np.stack([begin, [begin[0] * np.nan, begin[1] - begin[0]], [begin[0] * np.nan, begin[1] - over[0]], over - begin, peak, rest], axis=2)
        names, rows = read_csv("out/beats.csv")
        self.assertEqual(names, ["probe", "beat", "activation_time (ms)", "cycle_length (ms)", "diastolic_interval (ms)", "apd90 (ms)", "peak (mV)", "rest (mV)"])
        self.assertEqual([row[:2] for row in rows], [["near", "1"], ["near", "2"], ["far", "1"], ["far", "2"]])
        nodes = [int(np.argmin(abs(r.points[:, 0] - x))) for x in (1.5, 8)]
        for k, row in enumerate(rows):
            wrong = abs(np.array([float(cell or "nan") for cell in row[2:]]) - columns[k % 2, nodes[k // 2]])
            self.assertTrue(np.array_equal(np.isnan(wrong), [False, k % 2 == 0, k % 2 == 0, False, False, False]), row)
            self.assertLess(np.nanmax(wrong), 0.05, row)
        for b in range(2):
            for k, node in enumerate(nodes):
                self.assertLess(abs(facts["activation"][k][b] - begin[b, node]), 0.05)
            self.assertLess(abs(facts["apd90"][0][b] - np.median(over[b] - begin[b])), 0.05)
            x = r.points[:, 0]
            inner = (x > 2.4) & (x < 6.1)
            self.assertLess(abs(facts["velocity_along"][0][b] * np.polyfit(x[inner], begin[b, inner], 1)[0] - 1), 0.02)
            during = (times >= (0, second)[b]) & (times < (second, 400)[b])
            self.assertLess(abs(facts["ecg_peak"][0][b] / abs(leads[during] - leads[during][0]).max() - 1), 1e-3)
            self.assertLess(abs(facts["qrs"][0][b] - np.ptp(begin[b])), 4)
            self.assertIn("beat %d %s ms (" % (b + 1, time_text(facts["apd90"][0][b])), said)
            self.assertLess(abs(facts["qt"][0][b] - (over[b].max() - begin[b].min())), 6)
        self.assertEqual([(s["name"], s["nodes"], s["captured"], [p["start"] for p in s["pulses"]]) for s in r.summary["stimuli"]], [("S1", 3, 1, [10]), ("S2", 5, 1, [200])])

    def drawn(self):
        """A cable of 5 nodes in 101 frames of 1 ms, by values of which no two are equal"""
        class Field(list):
            unit = "mV"

            def at(self, ms):
                return self[int(ms)]

        class Maps(dict):
            units = {"activation_time": "ms", "peak": "mV"}

        class Drawn:
            cells, nodes, times, _surface, _seen, _surveys = np.stack([np.arange(4), np.arange(1, 5)], 1), 5, np.arange(101.0), None, {}, {}
            points = np.array([[3.0, 0, 0], [0, 0, 0], [1, 0, 0], [4, 0, 0], [2, 0, 0]])
            fields = {"V": Field(k - np.array([80, 82.0, 84, 86, 88]) for k in range(101)), "h": Field()}
            activation = np.array([[7, 57.0], [1, 51], [3, 53], [9, 59], [5, 55]])
            maps = Maps(activation_time=activation, peak=np.arange(5.0))
            summary = {"ecg": {"begin": 40, "qrs": 20, "qt": 35, "doubted": False}}
            numbers = {"sweep_seconds": 3.0, "ionic_seconds": 2.0, "steps": 9, "rest_seconds": 0.0}
            tables = {"probes": (np.arange(3.0), ["a", "a.h", "b", "b.h"], ["mV", "1", "mV", "1"], np.arange(12.0).reshape(3, 4)),
                      "ecg": (np.arange(101.0), ["I", "II"], ["mV", "mV"],
                              np.stack([np.where(np.arange(101) < 50, 0, 0.5), np.where(np.arange(101) < 50, 0, -4)], 1))}

            def table(self, name):
                return self.tables[name]
        return Drawn()

    def test_curves(self):
        """What is drawn of a cable, of probes and of the run's time, by the values behind it."""
        from cardiac import plot
        r = self.drawn()
        for beat, first in ((1, 0), (2, 50)):
            ax = plot.map(r, beat=beat).axes[0]
            self.assertEqual(np.array(ax.collections[0].get_segments())[:, 0].tolist(), [[x, first + 1 + 2 * x] for x in range(4)])
            self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("x, mm", "Activation, ms"))
        self.assertEqual(plot.bands(r.activation[:, 0], "activation_time").cmap.name, "viridis")
        self.assertEqual(plot.bands(r.maps["peak"], "peak").cmap.name, "plasma")
        self.assertEqual(plot.spread(r), (-88, 20))
        ax = plot.frame(r, 30).axes[0]
        self.assertEqual(np.array(ax.collections[0].get_segments())[:, 0].tolist(), [[0, -52], [1, -54], [2, -58], [3, -50]])
        self.assertEqual((ax.get_ylim(), ax.get_ylabel()), ((-88, 20), "V, mV"))
        for name, columns, label in (("V", (0, 2), "V, mV"), ("h", (1, 3), "h, 1")):
            ax = plot.probes(r, name).axes[0]
            self.assertEqual([line.get_xydata().tolist() for line in ax.lines], [[[k, 4.0 * k + c] for k in range(3)] for c in columns])
            self.assertEqual(([line.get_label() for line in ax.lines], ax.get_ylabel(), ax.get_xlabel()), (["a", "b"], label, "ms"))
        r.tables["probes"][3][:, 1] = 300 + 1e-9 * np.arange(3)
        low, high = plot.probes(r, "h").axes[0].get_ylim()
        self.assertGreaterEqual(high - low, 6)  # an axis does not show rounding
        ax = plot.speed(r).axes[0]
        self.assertEqual([(label.get_text(), bar.get_width()) for label, bar in zip(ax.get_yticklabels(), ax.patches)], [("cells", 2), ("sweeps", 3)])

    def test_chosen_times(self):
        """Three frames while the front runs and three while V differs most after it; evenly while the front takes most of the run, and where
        nothing was activated"""
        from cardiac import plot
        r = self.drawn()
        for k, frame in enumerate(r.fields["V"]):
            frame *= 1 if 60 <= k <= 80 else 0.1
        self.assertEqual(plot.some_times(r), [3, 5, 7, 65, 70, 74])
        r.fields["V"] = [np.full(5, float(k)) for k in range(101)]
        r._surveys.clear()
        self.assertEqual(plot.some_times(r)[3:], [40, 60, 80])  # V differs nowhere: evenly, from a tenth after the front
        r.activation = 10 + 10 * r.activation[:, :1]
        self.assertEqual(plot.some_times(r), [20, 36, 52, 68, 84, 100])
        r.maps = {}
        self.assertEqual(plot.some_times(r), [17, 33, 50, 67, 83, 100])

    def test_paper(self):
        """Leads on millimetre paper: 25 mm/s, 10 mm/mV, a lead that does not fit with its own gain; marks of QRS and QT over II."""
        from cardiac import plot
        ax = plot.ecg(self.drawn(), ahead=0).axes[0]
        traces = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 101]
        for trace, step in zip(traces, (5, -20)):  # 0.5 mV at 10 mm/mV; 4 mV at 5, with 10 more than the 23 mm of a row
            self.assertTrue(np.allclose(np.diff(trace[:, 0]), 0.025) and np.allclose(np.diff(trace[:, 1])[49], step) and np.count_nonzero(np.diff(trace[:, 1])) == 1)
        texts = {text.get_text(): text.get_position() for text in ax.texts}
        self.assertTrue({"I", "II", "1 mV", "5 mm/mV", "25 mm/s, 10 mm/mV", "QRS 20 ms", "QT 35 ms"} <= set(texts), texts)
        self.assertEqual({text: tuple(np.round(at, 9)) for text, at in texts.items()}, {
            "1 mV": (6, 43.2), "I": (15, 66), "II": (15, 36), "5 mm/mV": (20.2, 35.7), "QRS 20 ms": (17.1, 31), "QT 35 ms": (17.475, 28.5), "25 mm/s, 10 mm/mV": (6, 1.6)})
        self.assertEqual((ax.get_xlim(), ax.get_ylim()), ((0, 40), (0, 72)))
        self.assertEqual([[segment[0].tolist() for segment in grid.get_segments()] for grid in ax.collections],
                         [[*([x, 0] for x in range(0, 40, step)), *([0, y] for y in range(0, 72, step))] for step in (1, 5)])
        for trace, middle in zip(traces, (49, 19)):  # the middle of a lead is that of its row, 2 mm lower
            self.assertAlmostEqual((trace[:, 1].max() + trace[:, 1].min()) / 2, middle)
        self.assertEqual([trace[0, 0] for trace in traces], [15, 15])
        self.assertEqual(plot._gains([0.05, np.nan]), (200, [200, 200]))
        marks = [line.get_xydata() for line in ax.lines if len(line.get_xdata()) == 6]
        self.assertEqual(sorted(round(float(np.ptp(mark[:, 1])), 9) for mark in marks), [1.2, 1.2, 10, 10])
        self.assertEqual([mark.tolist() for mark in marks if np.ptp(mark[:, 1]) > 2], [[[x, foot + y] for x, y in zip((6, 7, 7, 10, 10, 11), (0, 0, 10, 10, 0, 0))] for foot in (44, 14)])
        begin = traces[1][0, 0]
        for mark in marks:
            if np.ptp(mark[:, 1]) < 2:
                self.assertEqual([np.flatnonzero(mark[:, 0] == x).tolist() for x in (mark[0, 0], mark[-1, 0])], [[0, 1, 2], [3, 4, 5]])
                self.assertEqual((mark[:, 1] - mark[2, 1]).round(9).tolist(), [-0.6, 0.6, 0, 0, -0.6, 0.6])
        late = self.drawn()
        late.tables["ecg"] = (late.tables["ecg"][0] + 3000, *late.tables["ecg"][1:])  # 100 ms as before
        for figure in (ax.figure, plot.ecg(late, ahead=0)):
            paper = np.array([figure.axes[0].get_xlim()[1], figure.axes[0].get_ylim()[1]])
            self.assertEqual(paper[0], ax.get_xlim()[1])
            np.testing.assert_allclose(figure.get_size_inches() * 25.4, paper * min(210 / paper[0], 4))
            self.assertEqual([len(line.get_xdata()) for line in figure.axes[0].lines].count(101), 2)
        spans = [(mark[:, 0] - begin).round(9)[[0, -1]].tolist() for mark in marks if np.ptp(mark[:, 1]) < 2]
        self.assertEqual(spans, [[1, 1.5], [1, 1.875]])  # 40 ms to 60 and to 75 ms

    def test_long_leads(self):
        """Twelve leads of 12 s: the last 10 s, each column goes on where the one before it ends, and II again below; measured leads behind computed ones."""
        from cardiac import plot, target
        names, t = [name for row in zip(*plot.LEADS) for name in row], np.arange(0, 12001.0, 50)
        values = np.sin(t[:, None] / 300) * (1 + np.arange(12) / 20)
        r = SimpleNamespace(summary={"ecg": {"begin": 5000, "qrs": 90, "qt": 400, "doubted": False}}, table=lambda _: (t, names, ["mV"] * 12, values))
        measured = target.Leads(t[:200], ["V1"], values[:200, [names.index("V1")]] / 2)
        ax = plot.ecg(r, measured).axes[0]
        drawn = [(line.get_color(), line.get_xdata()[[0, -1]].tolist()) for line in ax.lines if len(line.get_xdata()) > 20]
        columns = [[x, x + 62.5] for x in (15, 80.5, 146, 211.5)]  # of 2.5 s each, 3 mm apart
        self.assertEqual([at for color, at in drawn if color == plot.INK], 3 * columns + [[15, 265]])
        self.assertEqual([(k, color, at[0]) for k, (color, at) in enumerate(drawn) if color != plot.INK], [(2, plot.MEASURED, columns[2][0])])
        self.assertEqual([(text.get_text(), text.get_position()) for text in ax.texts if text.get_text() in ("computed", "measured")],
                         [("measured", (ax.get_xlim()[1] - 6, 1.6)), ("computed", (ax.get_xlim()[1] - 6, 4.6))])
        self.assertEqual([text.get_text() for text in ax.texts if "ms" in text.get_text()], ["QRS 90 ms", "QT 400 ms"])  # over the strip, where they are all of it
        self.assertEqual(plot._layout(["a", "b"], False), [["a"], ["b"]])
        self.assertEqual((plot._layout(list("abc"), False), plot._layout(list("abcdefghi"), True)), ([["a", "b"], ["c"]], [list("abc"), list("def"), list("ghi")]))

    def test_intervals_drawn(self):
        """QRS and QT are drawn where they lie within the trace, from its first to its last time"""
        from matplotlib.figure import Figure
        from cardiac import plot
        for begin, qrs, qt, doubted, names in ((100, 50, 200, False, ["QRS 50 ms", "QT 200 ms"]), (100, 50, 201, False, ["QRS 50 ms"]), (99, 50, 60, False, []), (None, 50, 60, False, []),
                                               (100, None, 60, False, ["QT 60 ms"]), (120, 50, 60, True, ["QT 60 ms"])):
            ax = Figure().subplots()
            plot._intervals(ax, SimpleNamespace(summary={"ecg": {"begin": begin, "qrs": qrs, "qt": qt, "doubted": doubted}}), 40.0, 70.0, 100.0, 200.0)
            self.assertEqual([text.get_text() for text in ax.texts], names)
            for line, text in zip(ax.lines, ax.texts):
                left, right = (40 + (t - 100) * 0.025 for t in (begin, begin + int(text.get_text().split()[1])))
                y = 70 - 2.5 * (text.get_text()[1] == "T" and not doubted)
                np.testing.assert_allclose(line.get_xydata(), [(left, y - 0.6), (left, y + 0.6), (left, y), (right, y), (right, y - 0.6), (right, y + 0.6)])
                np.testing.assert_allclose(text.get_position(), (right + 0.6, y))
        plot._intervals(ax, SimpleNamespace(summary={}), 40.0, 70.0, 100.0, 200.0)
        self.assertEqual(len(ax.texts), 1)

    def test_whole_page(self):
        """The parts of a page in their order, and what each shows"""
        from cardiac import plot, report
        r, shown = self.drawn(), []
        r.config, r.log, r.path, r.info = "title: a<b\n", "log&", Path("out/run.vtkhdf"), {}
        r.has = lambda name: name == "probes"
        image = lambda figure, caption="", *_, seen="", **how: shown.append((figure, how)) or "[%s|%s]" % (caption, seen)
        with mock.patch.multiple(report, image=image, _verdict=lambda r: "VERDICT", ecg=lambda r: ["ECG"], _tissue=lambda r: ["TISSUE"], _maps=lambda r: ["MAPS"], _frames=lambda r: ["FRAMES"], _facts=lambda r: "FACTS"), \
                mock.patch.multiple(plot, probes=lambda r, name: "probes of " + name, speed=lambda r: "speed"):
            r.fields = {"h": 1, "W": 2, "V": 3}
            text = report.page(r)
            self.assertEqual(text[text.index("<body>"):], """<body>
<h1>a&lt;b</h1>
VERDICT
ECG
TISSUE
MAPS
FRAMES
<h2>Probes</h2>
<div class="row">[|V at the probes in time]
[|h at the probes in time]</div>
<h2>The run</h2>
FACTS
<details><summary>What the run logged</summary><pre>log&amp;</pre></details>
<details><summary>The config, with all defaults</summary><pre>title: a&lt;b
</pre></details>
<h2>Where the time went</h2>
<div class="row">[|Seconds of each part]</div>
</body></html>
""")
            self.assertEqual(shown, [(figure, {"vector": True}) for figure in ("probes of V", "probes of h", "speed")])
            self.assertIn("<title>a&lt;b</title>", text)
            r.has, r.log, r.numbers = (lambda name: False), "", {}
            text = report.page(r)
            self.assertEqual(re.findall("<h2>(.*?)</h2>|<summary>(.*?)</summary>", text[text.index("<body>"):]), [("The run", ""), ("", "The config, with all defaults")])

    def test_small_parts(self):
        """Words and colours of single parts"""
        from cardiac import plot, report
        self.assertEqual([report._share(*parts, "stimuli captured") for parts in ((2, 2), (1, 1), (1, 2), (0, 2))], ["all 2 stimuli captured", "1 of 1 stimuli captured", "1 of 2 stimuli captured", "0 of 2 stimuli captured"])
        self.assertEqual([report._share_of(*parts) for parts in ((1, 3), (0, 0), (0, 2))], ["33.33 %", "passive", "0 %"])
        summary = {"time": 12.0, "stimuli": [], "excitable": 0, "activated": 0, "message": None}
        for status, words in ((128, "The run failed."), (129, "The run was interrupted at 12 ms; --resume continues it."), (4, "The run was interrupted"), (3, "The run failed."), (0, ". No warnings.")):
            self.assertIn("<p>" + words, report._verdict(SimpleNamespace(summary={**summary, "status": status})))
        self.assertEqual([report._number(text) for text in ("0.12345678", "1e7", "a")], ["0.123457", "1e+07", "a"])
        self.assertEqual(report.table([["a.b", "1.23456789"]], ["k", "n"], "keys"), '<div class="scroll"><table class="keys"><tr><th>k</th><th class="n">n</th></tr><tr><td>a.<wbr>b</td><td class="n">1.23457</td></tr></table></div>')
        self.assertEqual(report.table([["a.b", "1.23456789"]]), '<div class="scroll"><table class=""><tr><td>a.b</td><td>1.23456789</td></tr></table></div>')
        self.assertEqual([report._quartiles({"median": m, "low": 1, "high": 3}, unit) for m, unit in ((2.3456, ""), (2.0, "ms"), (None, ""))], ["2.35 (1 to 3)", "2 ms (1 to 3)", ""])
        self.assertEqual(plot.words("apd50") + plot.words("apd90") + plot.words("x"), "APD50APD90x")
        flat = self.drawn()
        flat.fields["V"] = [np.full(5, 7.0)] * 101
        self.assertEqual(plot.spread(flat), (7, 8))
        for name, width in (("probes", 6), ("speed", 6)):
            self.assertEqual(getattr(plot, name).__kwdefaults__, {"width": width})
        self.assertEqual(plot.ecg.__defaults__, (None, 100))
        r, seen = self.drawn(), []
        r.maps["rest"] = np.arange(5.0)
        with mock.patch.object(plot, "map", lambda *_, **how: how), mock.patch.object(report, "image", lambda figure, caption="", seen="", **_: (figure, caption, seen)):
            self.assertEqual(list(report._beats_of(r, "rest")), [({}, "", "Rest")])
            r.maps["rest"] = np.full(5, np.nan)
            self.assertEqual(list(report._beats_of(r, "rest")), [])
        # where there is no value a body is grey, darker where it is turned away
        body = cardiac.read(cardiac.mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], [[0, 1, 2, 3]], [1], path="b.vtkhdf"))
        figure = plot.map(body, np.full(4, np.nan))
        ((there, _, _, light, _),) = (seen for (view, _), seen in body._seen.items() if view == plot.VIEWS[0])
        pixels = np.asarray(figure.axes[0].images[0].get_array())[there]
        np.testing.assert_array_equal(pixels, np.column_stack([np.floor(209 * light)] * 3 + [np.full(len(light), 255)]))

    def test_gains(self):
        """10 mm/mV, or the largest of 1, 2 and 5 times a power of ten at which all fit where they would be lower than 3 mm; of a lead that does not fit, the same"""
        from cardiac import plot
        for heights, common, own in (([0.3], 10, [10]), ([0.299], 50, [50]), ([0.0], 10, [10]), ([2.3], 10, [10]), ([2.31], 10, [5]), ([0.29, 0.01], 50, [50, 50]), ([1e-4, np.nan], 2e5, [2e5, 2e5]), ([23.0, 46, 47, 1], 10, [1, 0.5, 0.2, 10]), ([], 10, [])):
            found = plot._gains(heights)
            np.testing.assert_allclose(found[0], common, err_msg=str(heights))
            np.testing.assert_allclose(found[1], own, err_msg=str(heights))

    def test_twelve_leads(self):
        """Three rows of four on paper: each lead from its place on, the rest before it, its name and its own gain; measured ones behind those that have them"""
        from cardiac import plot, target
        names = ["V6", *(name for row in plot.LEADS for name in row if name != "V6")]
        t = 40 + np.arange(0.0, 401, 2)
        values = np.sin(t[:, None] / 60) * (0.5 + np.arange(12) / 20)
        values[:, names.index("aVL")] *= 5
        measured = target.Leads(t[50:150], ["V2"], 3 * values[50:150, [names.index("V2")]])
        r = SimpleNamespace(summary={}, table=lambda _: (t, names, ["uV"] * 12, values))
        ax = plot.ecg(r, measured).axes[0]
        self.assertEqual(ax.get_position().bounds, (0, 0, 1, 1))
        size, left, top = (6 + 5 + 4 + 2.5 + 4 * (16 + 5.5) + 6, 3 * 30 + 12), lambda c: 17.5 + 21.5 * c, lambda r: 96 - 30.0 * r
        self.assertEqual((ax.get_xlim(), ax.get_ylim()), ((0, size[0]), (0, size[1])))
        np.testing.assert_allclose(ax.figure.get_size_inches(), np.array(size) / 25.4 * min(210 / size[0], 4))
        expected, texts = [], {("1 uV", 6.0, top(0) - 15 - 2 - 5 - 0.8), ("25 mm/s, 10 mm/uV", 6.0, 1.6), ("measured", size[0] - 6, 1.6), ("computed", size[0] - 6, 4.6)}
        for row, leads in enumerate(plot.LEADS):
            foot = top(row) - 22
            expected.append([(6 + x, foot + y) for x, y in zip((0, 1, 1, 4, 4, 5), (0, 0, 10, 10, 0, 0))])
            for c, name in enumerate(leads):
                column = values[:, names.index(name)]
                both = np.concatenate([column, measured.values.ravel()]) if name == "V2" else column
                gain = next(g for g in (10, 5, 2, 1) if g * np.ptp(both) <= 23)
                y = lambda curve: top(row) - 17 + gain * (curve - (both.max() + both.min()) / 2)
                if name == "V2":
                    expected.append(np.stack([left(c) + (measured.times - 40) / 40, y(measured.values.ravel())], 1))
                expected.append(np.stack([left(c) + (t - 40) / 40, y(column)], 1))
                level = y(column[0])
                expected += [[(left(c) - 2.5, level), (left(c), level)], [(left(c), level - 1.5), (left(c), level + 1.5)]]
                texts.add((name, left(c) - 2.5, top(row)))
                if gain != 10:
                    texts.add(("%g mm/uV" % gain, left(c) - 2.5 + 2 + 1.6 * len(name), top(row) - 0.3))
                if name == "II":
                    texts.add(("0 ms", left(c), level - 1.8))
        self.assertEqual(len(ax.lines), len(expected))
        for line, points in zip(ax.lines, expected):
            np.testing.assert_allclose(line.get_xydata(), points, atol=1e-9)
        self.assertEqual({(text.get_text(), *np.round(text.get_position(), 6)) for text in ax.texts}, {(words, round(float(x), 6), round(float(y), 6)) for words, x, y in texts})
        self.assertEqual({text.get_text() for text in ax.texts if text.get_color() == "#b00020"}, {words for words, _, _ in texts if words.endswith("mm/uV") and "/s" not in words})

    def test_cables_and_lines(self):
        """Colours along a cable, at the middle of each of its parts; styles of many curves; pages of a cable have no scene"""
        from cardiac import plot, report
        from matplotlib.figure import Figure
        r, ax = self.drawn(), Figure().subplots()
        color = plot.bands(np.arange(5.0) ** 2, "x")
        plot.paint(ax, r, np.arange(5.0) ** 2, color)
        along = (np.arange(5.0) ** 2)[[1, 2, 4, 0, 3]]  # in the order of their x
        np.testing.assert_allclose(ax.collections[0].get_colors(), color.to_rgba((along[1:] + along[:-1]) / 2))
        lines = plot._curves(np.arange(2.0), ["n%d" % k for k in range(31)], np.zeros((31, 2)), "l", 6).axes[0].lines
        self.assertEqual([line.get_linestyle() for line in lines], ["-"] * 10 + ["--"] * 10 + [":"] * 10 + ["-"])
        with mock.patch.object(report, "image", lambda figure, caption, **_: caption), mock.patch.object(plot, "frame", lambda *_, **__: None):
            self.assertEqual(list(report._frames(r)), ["<h2>V</h2>", '<div class="grid">%s</div>' % "\n".join("%g ms" % t for t in plot.some_times(r))])
            r.times = r.times[:0]
            self.assertEqual(list(report._frames(r)), [])
        with self.assertRaisesRegex(ValueError, "2 x 5 values, the mesh has 5 nodes"):
            plot.map(r, np.zeros((2, 5)))
        self.assertRaisesRegex(KeyError, "no probe has W; there are a, a.h, b, b.h", plot.probes, r, "W")

    def test_bodies(self):
        """Of a body what faces the viewer, in the middle of two views beside each other, with a bar below; normals of sharp edges are the faces' own"""
        from cardiac import plot
        points = np.array([[0.0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 3]])
        body = cardiac.read(cardiac.mesh(points, [[0, 1, 2, 3]], [1], arrays={"apd90": [200.0, 210, 220, 230]}))
        figure = plot.map(body, "apd90")
        self.assertEqual(([ax.get_xlabel() for ax in figure.axes], figure.get_figwidth(), len(plot.views(body))), (["", "", "APD90"], 5, 2))
        tall = {view: np.ptp(points @ plot._axes(view)[1]) / np.ptp(points @ plot._axes(view)[0]) for view in plot.VIEWS}
        self.assertAlmostEqual(figure.get_figheight(), 2.5 * tall[plot.VIEWS[0]] + 0.6 + 0.2)
        faces = plot.surface_of(body)
        own, corner = plot._normals(points, faces)
        outward = np.array([np.cross(points[b] - points[a], points[c] - points[a]) for a, b, c in faces])
        outward = outward / np.linalg.norm(outward, axis=1)[:, None]
        np.testing.assert_allclose(own, outward)
        mean = np.zeros((4, 3))
        for (a, b, c), area in zip(faces, [np.cross(points[b] - points[a], points[c] - points[a]) for a, b, c in faces]):
            for node in (a, b, c):
                mean[node] += area
        mean /= np.linalg.norm(mean, axis=1)[:, None]
        for face, normals, flat in zip(faces, corner, outward):
            for node, normal in zip(face, normals):
                np.testing.assert_allclose(normal, mean[node] if mean[node] @ flat >= 0.8 else flat)
        np.testing.assert_allclose(plot.node_normals(points, faces), mean)
        body.times, body.fields = np.array([3.0]), {"V": type("Field", (list,), {"unit": "mV", "at": lambda self, ms: np.arange(4.0)})([np.arange(4.0)])}
        frame = plot.frame(body, 3, width=4, view=plot.VIEWS[1])
        self.assertEqual([ax.get_xlabel() for ax in frame.axes], ["", "V, mV"])
        np.testing.assert_allclose(frame.get_size_inches(), (4, 4 * tall[plot.VIEWS[1]] + 0.6))
        self.assertEqual(len(plot.frame(body, 3, bar=False).axes), 1)
        colors = plot.frame(body, 3, limits=(-1, 5)).axes[1]
        self.assertEqual((colors.get_xlim()), (-1, 5))

    def test_scene_of_values(self):
        """The surface that turns: its nodes in steps of its longest side, normals, faces, and V of each frame between the ends"""
        from cardiac.scene import scene
        rng = np.random.default_rng(1)
        r = SimpleNamespace(points=np.array([[0.0, 0, 0], [7, 1, 1], [3, 4, 1], [1, 1, 2], [5, 1, 1]]), times=np.array([0.0, 1 / 3, 2]), V=rng.uniform(-90, 30, (3, 5)))
        faces, normals = np.array([[1, 2, 4], [4, 2, 3]]), np.round(rng.uniform(-1, 1, (5, 3)), 2)
        text = scene(r, faces, normals, (-80.0, 20.0), rng.integers(0, 256, (256, 3)), (-60, 25))
        data = json.loads(re.search(r'id="scene-data">(.*?)</script>', text).group(1))
        raw = lambda name, kind, columns: np.frombuffer(base64.b64decode(data[name]), kind).reshape(-1, columns)
        nodes = [1, 2, 3, 4]
        self.assertEqual(raw("points", "<u2", 3).tolist(), np.round((r.points[nodes] - [1, 1, 1]) / 6 * 65535).astype(int).tolist())
        self.assertEqual(raw("normals", "i1", 3).tolist(), np.round(127 * normals[nodes]).astype(int).tolist())
        self.assertEqual(raw("faces", "<u4", 3).tolist(), [[0, 1, 3], [3, 1, 2]])
        self.assertEqual(raw("values", "u1", 4).tolist(), np.round(255 * np.clip((r.V[:, nodes] + 80) / 100, 0, 1)).astype(int).tolist())
        self.assertEqual((data["nodes"], data["times"], data["middle"], data["view"]), (4, [0, 0.333333, 2], [0.5, 0.25, 1 / 12], [-60, 25]))
        self.assertAlmostEqual(data["reach"], math.sqrt(36 + 9 + 1) / 6)
        self.assertIn('max="2" value="0"', text)
        r.times = r.times[:0]
        self.assertEqual(scene(r, faces, normals, (-80.0, 20.0), np.zeros((256, 3)), (-60, 25)), "")

    def test_sizes(self):
        """Inches and axes of figures, colours and legends of curves, of a sheet, a cable and a body"""
        from cardiac import plot
        r = self.drawn()
        self.assertEqual(plot._shape(r, plot.VIEWS[0], 5), (5, 3))
        self.assertEqual(tuple(plot.map(r).get_size_inches()), (3.5, 2.1 + 0.2))
        survey = plot.survey(r)
        self.assertEqual((len(survey), survey[0].tolist(), survey[-1, :3].tolist()), (40, [0, -88, -80, np.sqrt(8)], [100, 12, 20]))
        r.cells, r.points = np.array([[0, 1, 2], [1, 2, 3]]), np.array([[0.0, 0, 0], [4, 0, 0], [0, 3, 0], [4, 3, 0]])
        self.assertEqual((plot._shape(r, plot.VIEWS[0], 5), plot.is_flat(r), len(plot.views(r))), ((5, 3.75 + 0.6), True, 1))
        r.points[:, 1] *= 3
        self.assertEqual(plot._shape(r, plot.VIEWS[0], 5), (5, 6.5 + 0.6))
        r.points[:, 1] /= 90
        self.assertEqual(plot._shape(r, plot.VIEWS[0], 5), (5, 1.5 + 0.6))
        r.points[3, 2] = 1
        self.assertEqual((plot.is_flat(r), plot.views(r)), (False, plot.VIEWS))
        right, up, eye = plot._axes((-60, 25))
        np.testing.assert_allclose(eye, [np.cos(np.radians(25)) / 2, -np.cos(np.radians(25)) * 3**0.5 / 2, np.sin(np.radians(25))])
        np.testing.assert_allclose((right, up), ([3**0.5 / 2, 0.5, 0], np.cross(eye, right)), atol=1e-15)
        figure = plot._curves(np.arange(3.0), ["n%d" % k for k in range(12)], np.arange(36.0).reshape(12, 3), "l", 6)
        ax = figure.axes[0]
        self.assertEqual((tuple(figure.get_size_inches()), ax.get_xlabel(), ax.get_ylabel()), ((6, 3), "ms", "l"))
        self.assertEqual([line.get_linestyle() for line in ax.lines], ["-"] * 10 + ["--"] * 2)
        self.assertEqual(([line.get_color() for line in ax.lines[:2]], len({line.get_color() for line in ax.lines})), ([ax.lines[k].get_color() for k in (10, 11)], 10))
        self.assertEqual((len(ax.get_legend().get_texts()), ax.get_legend()._ncols), (12, 2))
        self.assertIsNone(plot._curves(np.arange(3.0), ["n"] * 13, np.zeros((13, 3)), "l", 6).axes[0].get_legend())
        for names, columns in ((5, 1), (6, 2)):
            self.assertEqual(plot._curves(np.arange(3.0), ["n"] * names, np.zeros((names, 3)), "l", 6).axes[0].get_legend()._ncols, columns)
        speed = plot.speed(r)
        self.assertEqual(tuple(speed.get_size_inches().round(9)), (6, 2 * 0.28 + 0.7))
        self.assertGreater(*speed.axes[0].get_ylim())  # the first part is above
        self.assertEqual(plot.at_least(1, 3, 1), (1, 3))
        self.assertEqual(plot.at_least(1, 3, 5), (-0.5, 4.5))

    def test_colours(self):
        """Ends of the colours: all values, but for those far beyond the middle half, on either side"""
        from cardiac.plot import bands
        middle, alike = np.linspace(40, 60, 101), np.repeat([4.0, 5, 6], [5, 90, 5])  # quartiles 45 and 55: at most 15 and 85; 99 in 100 from 4 to 6
        for values, more, low, high, extend in ((middle, [], 40, 60, "neither"), (middle, [16], 15, 60, "neither"), (middle, [14], 10, 60, "min"), (middle, [84], 40, 85, "neither"),
                                                (middle, [86], 40, 90, "max"), (middle, [0, 120], 8, 88, "both"), (alike, [6.5], 4, 6.5, "neither"), (alike, [6.7], 4, 6, "max"),
                                                (alike, [3.5], 3.5, 6, "neither"), (alike, [3.3], 4, 6, "min")):
            norm = bands(np.concatenate([values, more]), "x").norm
            self.assertEqual(norm.extend, extend, more)
            np.testing.assert_allclose((norm.vmin, norm.vmax), (low, high), err_msg=str(more))
        self.assertEqual(bands(np.linspace(0, 40, 101), "activation_time").norm.boundaries.tolist(), list(range(0, 41, 4)))
        self.assertEqual(bands(np.array([np.nan, np.inf]), "x").norm.boundaries.round(9).tolist(), [k / 10 for k in range(11)])
        self.assertEqual(bands(np.zeros(5), "x").norm.boundaries[[0, -1]].tolist(), [-0.5, 0.5])

    def test_parts(self):
        """Order, captions, colours and ends of the parts of a page"""
        from cardiac import plot, report, target
        r, shown = self.drawn(), []
        r.cells, r.points = np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), np.array([[0.0, 0, 0], [4, 0, 0], [0, 3, 0], [0, 0, 2], [4, 3, 2]])
        stimuli = [{"name": "S%d" % k, "pulses": [{"start": start, "end": "captured"}]} for k, start in ((1, 0), (2, 50))]
        r.summary, r.V, r.config, r.info = {"stimuli": stimuli}, r.fields["V"], "title: a\n", {"program": "p", "device": "d"}

        def image(figure, caption="", *_, seen="", **__):
            shown.append((figure, caption, seen))
            return "<img>"
        maps = mock.patch.object(plot, "map", lambda result, name, values=None, color=None: (name, values, color))
        frames = mock.patch.object(plot, "frame", lambda result, t, **how: (t, how))
        with mock.patch.object(report, "image", image), maps, frames:
            report._beats_of(r, "activation_time")
            self.assertEqual([(seen, caption) for _, caption, seen in shown], [("Activation, " + caption, caption) for caption in ("beat 1", "beat 2, from stimulus S2 at 50 ms")])
            self.assertEqual([values.tolist() for (_, values, _), *_ in shown], [[7, 1, 3, 9, 5]] * 2)
            (_, _, first), (_, _, second) = (figure for figure, *_ in shown)
            self.assertTrue(first is second and [round(x, 9) for x in (first.norm.vmin, first.norm.vmax)] == [0.8, 9.6])
            shown.clear()
            stimuli.pop()
            report._beats_of(r, "activation_time")
            self.assertEqual([(caption, figure[2]) for figure, caption, _ in shown], [("beat 1", None), ("beat 2", None)])
            shown.clear()
            r.maps["peak"] = np.arange(20.0).reshape(5, 4)
            r.maps["peak"][:, 1] = np.nan
            report._beats_of(r, "peak")
            self.assertEqual([(caption, figure[2].norm.vmax) for figure, caption, _ in shown], [("beat %d" % b, 20) for b in (1, 3, 4)])
            shown.clear()
            for name in ("beats", "apd50", "apd90", "repolarization_time", "rest"):
                r.maps[name] = np.arange(5.0)
            r.maps["dvdt_max"] = np.full(5, np.nan)
            with mock.patch.object(report, "times_misfit", lambda result: ["times"]):
                self.assertEqual([part[:14] for part in report._maps(r)], ["<h2>Maps</h2>", '<div class="ro', "times"])
            self.assertEqual([seen.partition(",")[0] for _, _, seen in shown], ["Activation"] * 2 + ["Repolarization", "APD90", "APD50"] + ["Peak"] * 3 + ["Rest"])
            for flat, view in ((False, [-60, 25]), (True, [-90, 90])):
                shown.clear()
                if flat:
                    r.cells, r._surface = np.array([[0, 1, 2]]), None
                    r.points[:, 2] = 0
                head, bar, body = report._frames(r)
                self.assertRegex(bar, r'^<p class="bar">-88 mV<i style="background: linear-gradient\(to right, rgb\(49 54 149\), .*, rgb\(165 0 38\)\)"></i>20 mV</p>$')
                self.assertEqual(bar.count("rgb"), 18)
                data = json.loads(re.search(r'id="scene-data">(.*?)</script>', body).group(1))
                self.assertEqual((data["view"], data["nodes"], data["times"][::39]), (view, 3 if flat else 5, [0, 100]))
                colours = np.frombuffer(base64.b64decode(data["colors"]), "u1").reshape(256, 3)
                self.assertEqual(colours[[0, -1]].tolist(), [[49, 54, 149], [165, 0, 38]])
                self.assertGreater(len(np.unique(colours, axis=0)), 240)
                np.testing.assert_allclose([*data["middle"], data["reach"]], [0.5, 0.375, 0.0 if flat else 0.25, 1.25 if flat else 29**0.5 / 4])
                self.assertIn('max="39" value="6"', body)
                self.assertEqual([(figure, caption, seen) for figure, caption, seen in shown],
                                 [((t, {"limits": (-88, 20), "width": 2.8, "bar": False}), "%g ms" % t, "V at %g ms" % t) for t in plot.some_times(r)])
        rows = Page(report._facts(r)).tables[0]
        self.assertEqual(rows, [["mesh", "5 nodes, 1 triangles, 4 x 3 mm"], ["time", "101 frames, 0 to 100 ms"], ["program", "p on d"]])
        r.summary.update(regions=[{"model": "m", "nodes": 3}, {"model": "n", "nodes": 2}], ended="at rest")
        self.assertEqual(Page(report._facts(r)).tables[0][3:], [["region 0", "m, 3 nodes"], ["region 1", "n, 2 nodes"], ["ended", "at rest"]])

        # the leads' caption, and measured ones on the clock of the run
        r.has, measured = lambda name: name == "ecg", target.Leads(np.arange(3.0) + 7, ["I"], np.full((3, 1), 3.0))
        numbers = {"qrs": 91.4, "qt": 402.4, "axis": -33.4, "doubted": False}
        outside = "An ECG in an unbounded conductor, without a torso."
        for ecg, config, both, said in (({}, "", None, outside), (numbers, "", None, "QRS 91 ms, QT 402 ms, axis -33 degrees. " + outside),
                                        ({**numbers, "doubted": True}, "  lead_fields: x\n", None, "not a QRS: 91 ms, QT 402 ms, axis -33 degrees. From lead fields."),
                                        ({"relative": True}, "  conductor: x\n", None, "In the config's conductor. Amplitudes are relative."),
                                        ({}, "", target.Solved(2.5, 2.0), outside + " Measured leads are drawn 2.5 ms earlier and divided by 2."), ({}, "", target.Solved(), outside)):
            r.summary["ecg"], r.config, told = ecg, config, []
            with mock.patch.multiple(target, leads_of=lambda result: both and (measured, measured), solved_of=lambda *_: both), mock.patch.object(
                    report, "image", lambda figure, caption, *_, **__: told.append(caption) or ""), mock.patch.object(plot, "ecg", lambda result, leads: told.append(leads)), mock.patch.object(
                    report, "misfits", lambda both: "table"):
                self.assertEqual(list(report.ecg(r)), ["<h2>ECG</h2>", "", *["table"] * bool(both)])
            self.assertEqual(told[1], said)
            if both:
                self.assertEqual((told[0].times.tolist(), told[0].values.tolist()), ([4.5, 5.5, 6.5], [[1.5]] * 3) if both.lag else ([7, 8, 9], [[3]] * 3))
        for found, times, said in (({}, None, []), ({"lat_rms": 3.25}, (0, 0, 0.0), ["<p>Against the measured activation times: rms 3.25 ms.</p>"]),
                                   ({"lat_rms": 3.25}, (0, 0, -2.5), ["<p>Against the measured activation times: rms 3.25 ms. They were measured -2.5 ms later.</p>"])):
            with mock.patch.multiple(target, misfits=lambda result, leads: found, activation_of=lambda result: times):
                self.assertEqual(list(report.times_misfit(r)), said)

    def test_numbers(self):
        """Where each number of a summary stands on the page: all of them differ."""
        from cardiac import report, target
        quartiles = lambda k: {"low": k + 0.1, "median": k + 0.2, "high": k + 0.3}
        region = {"model": "m", "nodes": 40, "excitable": True, "activated": [30], "apd90": [quartiles(271), quartiles(201)],
                  "velocity": {"along": dict(quartiles(3), asked=0.7), "across": dict(quartiles(1), asked=0.4)}}
        pulse = lambda start, end: {"start": start, "end": end}
        stimuli = [{"name": "S1", "pulses": [pulse(0, "captured"), pulse(600, "nothing")], "captured": 1},
                   {"name": "S2", "pulses": [pulse(300, "captured")], "captured": 1}]
        summary = {"nodes": 50, "excitable": 40, "activated": 30, "first_activation": 1.5, "last_activation": 88.25, "regions": [region],
                   "stimuli": stimuli, "ecg": {"qrs": 91, "qt": 402, "axis": 33, "doubted": False}, "status": 0, "message": None, "facts": []}

        class Result:
            pass
        Result.summary = summary
        verdict = re.sub("<[^>]*>", "", report._verdict(Result))
        self.assertEqual(verdict, "2 of 3 stimuli captured; 75 % of the tissue was activated; QRS 91 ms; QT 402 ms. No warnings.")
        for warnings, said in (([], ""), (["a"], "<details open><summary>1 warning</summary>"), (["a"] * 3, "<details open><summary>3 warnings</summary>"),
                               (["a"] * 4, "<details><summary>4 warnings</summary>")):
            page = report._verdict(SimpleNamespace(summary={**summary, "warnings": warnings}))
            self.assertIn(said, page)
            self.assertEqual("No warnings." in page, not warnings)
        for status, said in ((4, "The run was interrupted at 12 ms; --resume continues it"), (129, "The run was interrupted at 12 ms; --resume continues it"),
                             (3, "The run failed"), (None, "The run has not ended, or was ended")):
            page = report._verdict(SimpleNamespace(summary={**summary, "status": status, "time": 12.0}))
            self.assertIn("<p>%s; 2 of 3" % said, page)
            self.assertNotIn("No warnings.", page) if status else None
        head, whole, first = Page(report._physiology(summary)).tables[0]
        self.assertEqual({name: cell for name, cell in zip(head, whole) if cell}, {
            "region": "all", "nodes": "50", "activated": "75 %", "first at, ms": "1.5", "last at, ms": "88.25", "QRS, ms": "91", "QT, ms": "402",
            "axis, degrees": "33"})
        self.assertEqual({name: cell for name, cell in zip(head, first) if cell}, {
            "region": "0 m", "nodes": "40", "activated": "75 %", "APD90 of each beat, ms": "271 (271 to 271); 201 (201 to 201)",
            "velocity along, m/s": "3.2 (3.1 to 3.3)", "velocity across, m/s": "1.2 (1.1 to 1.3)", "asked for, m/s": "0.7, 0.4"})
        for beats, said in ((3, "271 (271 to 271); " * 2 + "271 (271 to 271)"), (4, "271 (271 to 271); " * 3 + "...")):
            head, _, cells = Page(report._physiology({**summary, "regions": [{**region, "apd90": [quartiles(271)] * beats}]})).tables[0]
            self.assertEqual(cells[head.index("APD90 of each beat, ms")], said)
        self.assertEqual(report._evoked(Result, np.array([320.0, 305])), ("S2", 300))
        self.assertEqual(report._evoked(Result, np.array([620.0, 299])), ("S1", 0))
        t = np.arange(0, 200.0)
        wave = lambda middle: np.exp(-((t - middle) / 10)**2)[:, None]
        lead = lambda middle: target.Leads(t, ["V1"], wave(middle))
        rows = Page(report.misfits((lead(107), lead(100)))).tables[0]
        self.assertEqual(rows[0][1:], ["rms", "correlation", "measured later by"])
        rms = np.sqrt(np.mean((wave(107) - wave(100))**2))
        self.assertEqual(rows[-1], ["V1", "%.3g mV" % rms, "1", "+7 ms"])

    def test_changes(self):
        """Of each quantity a row, from the top: the changes, and the limit with its bar"""
        from cardiac.studies import study_page
        found = [("x", {"edge/2": 1.0, "step/2": np.nan}, 2.0, 0.5), ("y", {"edge/2": -1.0, "step/2": 3.0}, np.nan, np.nan)]
        figure = study_page.changes(found)
        ax = figure.axes[0]
        self.assertEqual(tuple(figure.get_size_inches().round(9)), (7, 1.8))
        self.assertEqual([line.get_xydata().tolist() for line in ax.lines[:1]], [[[1, 0], [-1, 1]]])
        np.testing.assert_array_equal(ax.lines[1].get_xydata(), [[np.nan, 0], [3, 1]])
        self.assertEqual(len({(line.get_marker(), line.get_color()) for line in ax.lines[:2]}), 2)
        self.assertEqual([path.tolist() for path in ax.collections[0].get_segments()], [[[1.5, 0], [2.5, 0]]])
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["edge/2", "step/2", "limit, with its bar"])
        self.assertEqual(([label.get_text() for label in ax.get_yticklabels()], ax.get_yticks().tolist(), ax.get_ylim()), (["x", "y"], [0, 1], (1.5, -0.5)))
        self.assertEqual((ax.get_xlabel(), [line.get_xdata() for line in ax.lines if list(line.get_xdata()) == [0, 0]]), ("change from this run, %", [[0, 0]]))
        low, high = study_page.changes([("x", {"edge/2": 1e-4}, np.nan, np.nan)]).axes[0].get_xlim()
        self.assertGreaterEqual(high - low, 2)
        with mock.patch("cardiac.report.image", not_drawn):
            for own, figures in ((found, 1), ([], 0)):
                page = Page(study_page.converge_page("<t>", own, "a < b"))
                self.assertEqual((page.headings, page.figures, page.wrong), (["<t>: convergence"], figures, []))

    def test_study_curves(self):
        """Curves of a sweep: which are lines, their names, colours and axes"""
        from cardiac.studies import study_page
        axis = lambda *cells: study_page.Axis("k", cells)
        def curve(at, series, columns):
            return study_page.curve(at, series, "w", {name: np.array(column, float) for name, column in columns.items()}).axes[0]
        names = lambda ax: [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []
        ax = curve(axis("30", "1", "10"), [("a 1", [0, 1, 2])], {"": [3, 1, 2]})
        self.assertEqual((ax.lines[0].get_xydata().tolist(), ax.get_xscale(), names(ax)), ([[1, 1], [10, 2], [30, 3]], "linear", ["a 1"]))
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel(), tuple(ax.figure.get_size_inches())), ("k", "w", (5, 3.4)))
        self.assertEqual([curve(axis(*cells), [("", [0, 1])], {"": [3, 1]}).get_xscale() for cells in (("1", "30.1"), ("0", "31"), ("1 ms", "31 s"))], ["log", "linear", "linear"])
        self.assertEqual([label.get_text() for label in curve(axis("b", "a", "b"), [("", [0, 1, 2])], {"": [3, 1, 2]}).get_xticklabels()], ["b", "a"])
        self.assertEqual(names(curve(axis("1", "2"), [("", [0, 1])], {"": [3, 1]})), [])
        both = curve(axis("1", "2", "1", "2"), [("a 1", [0, 1]), ("a 2", [2, 3])], {"region 0": [1, 2, 3, 4], "region 1": [5, 6, 7, 8]})
        self.assertEqual([(line.get_ydata().tolist(), line.get_label(), line.get_linestyle()) for line in both.lines],
                         [([1, 2], "region 0, a 1", "-"), ([5, 6], "region 1, a 1", "-"), ([3, 4], "region 0, a 2", "--"), ([7, 8], "region 1, a 2", "--")])
        self.assertEqual([line.get_color() == both.lines[0].get_color() for line in both.lines], [True, False, True, False])
        for count, columns, few in ((10, 1, True), (11, 1, False), (4, 2, True), (5, 2, False), (1, 10, True), (1, 11, False)):
            ax = curve(axis("1", "2"), [("s%d" % k, [0, 1]) for k in range(count)], {"c%d" % k: [1, 2] for k in range(columns)})
            self.assertEqual((len(names(ax)), {line.get_marker() for line in ax.lines}, ax.lines[0].get_linestyle()), (count * columns, {"o"}, "-") if few else (0, {"."}, "None"))
            if columns == 1:
                self.assertEqual(len({line.get_color() for line in ax.lines}), 10)
        self.assertEqual(study_page._series(["a.b", "c.b"], [["1", ""], ["2", "x"]], 0), [("", [0]), ("c.b x", [1])])
        groups = study_page._groups(Path("t"), ["apd90_first[1] (ms)", "apd90_last[1] (ms)", "qt_first (ms)", "activation_first[p] (ms)", "sweeps", "x_last", "x_first", "empty"],
                                    [["1", "1", "5", "7", "9", "1", "1", ""], ["2", "2", "6", "8", "9", "2", "3", ""]])
        self.assertEqual({name: {part: column.tolist() for part, column in columns.items()} for name, columns in groups.items()},
                         {"APD90, ms": {"region 1": [1, 2]}, "QT, ms": {"": [5, 6]}, "activation, ms": {"p": [7, 8]}, "x, last beat": {"": [1, 2]}, "x": {"": [1, 3]}})
        self.assertEqual(list(groups)[:2], ["APD90, ms", "QT, ms"])

    def parts(self, call, *given):
        """What a page of a table has, with what its figures show in the place of their pictures"""
        from matplotlib.colors import to_hex
        figures = []

        def image(figure, caption="", kind="", vector=False, seen=""):
            ax = figure.axes[0]
            figures.append([(line.get_label() if not line.get_label().startswith("_") else "", to_hex(line.get_color()), line.get_xydata().tolist()) for line in ax.lines])
            return "[%s %s%s|%s|%s]" % (ax.get_xlabel(), ax.get_ylabel(), " wide" * (kind == "wide"), caption, seen)
        with mock.patch("cardiac.report.image", image):
            return call(*given), figures

    def test_whole_sweep(self):
        """The whole page of a table of five runs, two keys and a failure, and each curve of it"""
        from cardiac.studies import study_page
        names = ["run", "id", "a.step", "b", "status", "time (ms)", "activated (%)", "qt_first (ms)", "apd90_first[0] (ms)", "apd90_first[1] (ms)", "message"]
        row = lambda *cells: [study_page.table.Cell(cell) for cell in cells]
        rows = [row("1", "i", "0.1 ms", "x", "0", "9", "100", "300", "200", "210", ""), row("2", "j", "0.2 ms", "x", "0", "9", "100", "310", "201", "", "slow"), row("3", "k", "0.1 ms", "y", "0", "9", "100", "320", "202", "212", "slow"),
                row("4", "l", "0.2 ms", "y", "3", "", "", "", "", "", "blow-up <here>"), row("5", "m", "", "y", "0", "9", "100", "330", "203", "213", "")]
        parts, figures = self.parts(study_page.sweep, Path("t.csv"), names, rows)
        table = lambda head, *rows: study_page.report.table(rows, head)
        self.assertEqual(parts, [
            '<div class="verdict bad"><p>5 runs, 1 of them failed and are not drawn.</p></div>', "<h2>a.step</h2>",
            '<div class="beside">[a.step, ms QT, ms||QT, ms against a.step]\n[a.step, ms APD90, ms||APD90, ms against a.step]</div>', "<p>1 runs have the value of the config, and are not drawn.</p>", "<h2>b</h2>",
            '<div class="beside">[b QT, ms||QT, ms against b]\n[b APD90, ms||APD90, ms against b]</div>', "<h2>Runs</h2>",
            table(["run", "a.step", "b", "qt_first (ms)", "apd90_first[0] (ms)", "apd90_first[1] (ms)", "status", "time (ms)", "activated (%)"], ["1", "0.1 ms", "x", "300", "200", "210", "0", "9", "100"],
                  ["2", "0.2 ms", "x", "310", "201", "", "0", "9", "100"], ["3", "0.1 ms", "y", "320", "202", "212", "0", "9", "100"], ["4", "0.2 ms", "y", "", "", "", "3", "", ""], ["5", "", "y", "330", "203", "213", "0", "9", "100"]),
            "<p>Runs 2, 3: slow</p>", "<p>Run 4: blow-up &lt;here&gt;</p>"])
        nan, blue, orange = math.nan, "#1f77b4", "#ff7f0e"
        same = lambda found, expected: [self.assertEqual(str(a), str(b)) for a, b in zip(found, expected, strict=True)]
        same(figures, [[("b x", blue, [[0.1, 300.0], [0.2, 310.0]]), ("b y", orange, [[0.1, 320.0], [nan, 330.0]])],
                       [("region 0, b x", blue, [[0.1, 200.0], [0.2, 201.0]]), ("region 1, b x", orange, [[0.1, 210.0], [0.2, nan]]), ("region 0, b y", blue, [[0.1, 202.0], [nan, 203.0]]), ("region 1, b y", orange, [[0.1, 212.0], [nan, 213.0]])],
                       [("step 0.1 ms", blue, [[0.0, 300.0], [1.0, 320.0]]), ("step 0.2 ms", orange, [[0.0, 310.0]]), ("", "#2ca02c", [[1.0, 330.0]])],
                       [("region 0, step 0.1 ms", blue, [[0.0, 200.0], [1.0, 202.0]]), ("region 1, step 0.1 ms", orange, [[0.0, 210.0], [1.0, 212.0]]), ("region 0, step 0.2 ms", blue, [[0.0, 201.0]]), ("region 1, step 0.2 ms", orange, [[0.0, nan]]),
                        ("region 0", blue, [[1.0, 203.0]]), ("region 1", orange, [[1.0, 213.0]])]])
        parts, figures = self.parts(study_page.sweep, Path("t.csv"), names, rows[:1])
        self.assertEqual((parts[0], parts[1], len(parts), figures), ('<div class="verdict "><p>1 runs.</p></div>', "<h2>Runs</h2>", 3, []))
        parts, _ = self.parts(study_page.sweep, Path("t.csv"), names, [rows[1], rows[2]])
        self.assertEqual(parts[0], '<div class="verdict look"><p>2 runs. In all 2 rows: slow</p></div>')
        self.assertIn("<p>Equal in all runs: status 0; time (ms) 9; activated (%) 100.</p>", parts)

    def test_curves_drawn(self):
        """Colours in their order, again from the eleventh; the legend is above the axes, with the names of what has one"""
        from matplotlib.colors import to_hex
        from matplotlib import colormaps
        from cardiac.studies import study_page
        axis = study_page.Axis("k", ["1", "2"])
        draw = lambda series, columns: study_page.curve(axis, series, "w", {name: np.array([1.0, 2]) for name in columns}).axes[0]
        ten = [to_hex(colormaps["tab10"](k)) for k in range(10)]
        for ax, colours in ((draw([("s%d" % k, [0, 1]) for k in range(12)], [""]), ten + ten[:2]), (draw([("s", [0, 1])], ["c%d" % k for k in range(12)]), ten + ten[:2]),
                            (draw([("s", [0, 1]), ("t", [0, 1])], ["a", "b"]), [ten[0], ten[1]] * 2)):
            self.assertEqual([to_hex(line.get_color()) for line in ax.lines], colours)
        ax = draw([("", [0, 1]), ("t", [0, 1])], [""])
        self.assertEqual([line.get_label().startswith("_") for line in ax.lines], [True, False])
        for ax in (ax, study_page.outcomes([("s", [90.0], "quiet")]).axes[0], study_page.changes([("x", {"e": 1.0}, 2.0, 0.5)]).axes[0]):
            np.testing.assert_allclose(ax.transAxes.inverted().transform(ax.get_legend().get_bbox_to_anchor().p0), (0, 1), atol=1e-9)
        grid = study_page.outcomes([("s", [90.0], "quiet"), ("r", [80.0], "quiet")]).axes[0]
        self.assertTrue(all(tick.gridline.get_visible() and tick.gridline.get_linewidth() > 0 for tick in grid.xaxis.get_minor_ticks()))
        self.assertEqual([study_page.Axis("k", cells).count for cells in (["1", "1", ""], ["1", "2", "1"], ["a", "b", "a"], ["", ""])], [1, 2, 2, 0])
        for cells, label, values in ((["x0.5", "x2"], "k, factor", [0.5, 2]), (["-1e-3 mV", "+.5 mV"], "k, mV", [-1e-3, 0.5]), (["3", "4."], "k", [3, 4]), (["x2", "2"], "k", [0, 1]), (["1 ms", "soon"], "k", [0, 1]), (["1", "", "2"], "k", [1, np.nan, 2])):
            own = study_page.Axis("k", cells)
            self.assertEqual(own.label, label)
            np.testing.assert_array_equal(own.values, values)

    def test_whole_cell(self):
        """The whole page of a trace of three beats with currents of two units, gates and other states, and each curve of it"""
        from cardiac.studies import cell_page
        cell = cell_page.table.Cell
        row = lambda cells: [cell(text) for text in cells]
        t = np.arange(0.0, 301, 10)
        gates = ["g%d" % k for k in range(9)]
        of = {"t (ms)": t, "V (mV)": np.sin(t), "INa (uA/uF)": np.where(t == 210, -50, t / 1e3), "IK (uA/uF)": 1 + t / 300, "Iion (uA/uF)": t, "x.stimulus (uA/uF)": t, "J (pA/pF)": -t, "Ca (mM)": 1 + t, "n (1)": 2 + t / 300, **{name + " (1)": t / 300 for name in gates}, "g0 (1)": 1.0 * (t > 250)}  # from 0 to 1
        with open("c-beats.csv", "w") as file:
            file.write("beat,activation_time (ms),diastolic_interval (ms),apd90 (ms),eads\n1,0,,30,0\n2,100,70,28.5,2\n3,200,71.5,,0\n")
        rows = [row("%.9g" % column[k] for column in of.values()) for k in range(len(t))]
        parts, figures = self.parts(cell_page.parts, Path("c.csv"), list(of), rows)
        beats = cell_page.report.table([["1", "0", "", "30", "0"], ["2", "100", "70", "28.5", "2"], ["3", "200", "71.5", "", "0"]], ["beat", "activation time (ms)", "diastolic interval (ms)", "apd90 (ms)", "eads"])
        self.assertEqual(parts, ['<div class="verdict look"><p>3 beats; APD90 28.5 to 30 ms; early afterdepolarisations: 2 in beat 2; no APD90 in beat 3.</p></div>', "<h2>Beats</h2>", beats,
                                 "<h2>V</h2>", "[ms V, mV||V in time, all beats]", "<h2>The last beat, from 200 ms</h2>",
                                 '<div class="beside">' + "\n".join(["[ms V, mV||V in time]", "[ms currents, uA/uF|Beyond the axis: INa to -50 uA/uF.|Currents of the membrane]", "[ms currents, pA/pF||Currents of the membrane]",
                                                                     "[ms gates||Gates: %s]" % ", ".join(gates[:8]), "[ms gates||Gates: g8]", "[ms Ca, mM||Ca in time]", "[ms n, 1||n in time]"]) + "</div>"])
        late = t >= 198  # a fiftieth of the beat before its stimulus
        self.assertEqual([len(figure[0][2]) for figure in figures], [len(t)] + [int(late.sum())] * 7)
        self.assertEqual([[name for name, _, _ in figure] for figure in figures], [["V"], ["V"], ["INa", "IK"], ["J"], gates[:8], ["g8"], ["Ca"], ["n"]])
        np.testing.assert_allclose(figures[2][1][2], np.stack([t, 1 + t / 300], 1)[late], rtol=1e-6)
        with open("c-beats.csv", "w") as file:
            file.write("beat,activation_time (ms),diastolic_interval (ms),apd90 (ms),eads\n1,0,,30,0\n2,0,70,28.5,\n3,0,71.5,30,0\n")
        parts, figures = self.parts(cell_page.parts, Path("c.csv"), list(of)[:2], [own[:2] for own in rows])
        self.assertEqual((parts[0], parts[3:]), ('<div class="verdict"><p>3 beats; APD90 28.5 to 30 ms; early afterdepolarisations: none.</p></div>',
                                                 ["<h2>Restitution</h2>", '<div class="beside">[diastolic interval, ms APD90, ms||APD90 against the diastolic interval]</div>', "<h2>In time</h2>", '<div class="beside">[ms V, mV||V in time]</div>']))
        self.assertEqual(figures[0][0][2], [[70, 28.5], [71.5, 30]])
        self.assertEqual(len(figures[1][0][2]), len(t))
        os.remove("c-beats.csv")
        self.assertEqual(self.parts(cell_page.parts, Path("c.csv"), list(of)[:2], [own[:2] for own in rows])[0], ["<h2>In time</h2>", '<div class="beside">[ms V, mV||V in time]</div>'])
        names = ["S2 (ms)", "DI (ms)", "APD90 (ms)"]
        own = [row(("400", "100", "200")), row(("350", "", "")), row(("300", "50", "150"))]
        parts, figures = self.parts(cell_page.parts, Path("s.csv"), names, own)
        self.assertEqual((parts[0], parts[2:], figures[0][0][2]), ("<h2>Restitution</h2>", ["<h2>Responses to S2</h2>", cell_page.report.table(own, names)], [[50, 150], [100, 200]]))
        self.assertEqual(self.parts(cell_page._restitution, Path("s.csv"), [(cell("1"), cell("2")), (cell("1"), cell("3"))])[0], [])

    def test_currents(self):
        """The largest eight by the middle 96 % of their values, which the axis spans with a twentieth more; what goes beyond it, with its peak"""
        from cardiac.studies import cell_page
        t, figures = np.arange(1001.0), []
        with mock.patch("cardiac.report.image", lambda figure, caption="", **_: figures.append((figure.axes[0], caption)) or ""):
            ramps = {"I%d" % k: (k if k % 2 else -k) * t / 1000 for k in range(1, 10)}
            cell_page._currents(t, ramps, "A/F")
            cell_page._currents(t, {"a": t / 1000, "b": np.where(t == 7, 1.03, 0)}, "A/F")
            cell_page._currents(t, {"a": t / 1000, "b": np.where(t == 7, 1.02, 0)}, "A/F")
        (ax, caption), (_, beyond), (_, within) = figures
        self.assertEqual([line.get_label() for line in ax.lines], ["I%d" % k for k in range(9, 1, -1)])
        low, high = -8 * 0.98, 9 * 0.98
        np.testing.assert_allclose(ax.get_ylim(), (low - 0.05 * (high - low), high + 0.05 * (high - low)))
        self.assertEqual((caption, beyond, within), ("The largest of 9 currents. ", "Beyond the axis: b to 1.03 A/F.", ""))

    def test_kinds_of_tables(self):
        """Which study a table is of, by its columns; the head of its page, and where it goes"""
        from cardiac.studies import table_page
        os.mkdir("own")
        with mock.patch.multiple(table_page.cell_page, parts=lambda *_: ["CELL"]), mock.patch.multiple(table_page.study_page, induction=lambda *_: ["INDUCTION"], sweep=lambda *_: ["SWEEP"]):
            for head, said in (("t (ms),V (mV),x", "table: cell</h1>\nCELL"), ("S2 (ms),DI (ms),APD90 (ms)", "table: cell</h1>\nCELL"), ("a,lesion,outcome,intervals (ms),site", "own: induction</h1>\nINDUCTION"), ("run,id,a,status,message", "own: sweep</h1>\nSWEEP"),
                               ("S2 (ms),DI (ms),x", None), ("site,intervals (ms),outcome", None), ("run,id,a,message", None), ("run,id,status,x", None), ("id,run,status,message", None)):
                with open("own/table.csv", "w") as file:
                    file.write(head + "\n")
                if said:
                    self.assertIn("<h1>" + said, table_page.page(Path("own/table.csv")))
                else:
                    self.assertRaisesRegex(cardiac.InputError, "own/table.csv: this table has no page; there are pages", table_page.page, Path("own/table.csv"))
            with open("own/table.csv", "w") as file:
                file.write("t (ms),V (mV)\n")
            self.assertEqual((str(table_page.write(Path("own/table.csv"))), str(table_page.write(Path("own/table.csv"), "p.html"))), ("own/table.html", "p.html"))
            for path in ("own/table.html", "p.html"):
                with open(path, encoding="utf-8") as file:
                    self.assertIn("<title>table: cell</title>", file.read())

    def test_faults(self):
        status, said = self.command("nowhere")
        self.assertEqual(status, 2)
        self.assertRegex(said, "^cardiac: nowhere: no result there")


main()
