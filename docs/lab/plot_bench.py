#!/usr/bin/env python3
"""plot_bench.py FOLDER...: the JSON that `cardiac bench --json` wrote -> docs/lab/performance.md and its plots.

Every folder holds the results of one machine (tests/bench/bench_gpu.sh makes them). The table between the markers in
docs/lab/performance.md and docs/lab/findings.csv are written anew from these files alone; a figure that no file has is
a dash. Every time goes to docs/lab/performance.csv, and the sections in SHOWN to docs/lab/bench/*.svg, bars of time drawn from that table
(plot_bench.py --plots draws them alone). Needs the standard library only.
"""
import csv
import html
import json
import pathlib
import sys

from bench_findings import FINDINGS, TARGETS, WORDS
from pages import LAB, replaced



class Results:
    """The rows of one device, from all its files."""

    def __init__(self, device, threads):
        self.device, self.threads, self.rows = device, threads, []

    @property
    def name(self):
        return f"{self.device}, {self.threads} threads" if self.threads else self.device

    @property
    def is_gpu(self):
        return self.device.startswith("cuda")

    def views(self):
        """(name, the results of that mesh alone): the bench's slab, and the heart where there is one"""
        found = []
        for name in ("slab", "heart"):
            view = Results(self.device, self.threads)
            view.rows = [r for r in self.rows if r["file"].startswith("heart") == (name == "heart")]
            if view.rows:
                found.append((name, view))
        return found

    def find(self, bench, section, variant, source="", matrix=""):
        """The rows whose bench and section are these, whose variant begins with `variant`."""
        return [r for r in self.rows
                if r["bench"] == bench and section in r["section"] and r["variant"].startswith(variant)
                and source in r["file"] and matrix in r["matrix"] and r["verdict"] in ("ok", "caught")]

    def value(self, key, bench, section, variant, **where):
        """That figure of the variant with exactly this name, else of the first that begins with it."""
        rows = self.find(bench, section, variant, **where)
        rows.sort(key=lambda r: r["variant"] != variant)
        return next((r[key] for r in rows if r.get(key) is not None), None)

    def us(self, bench, section, variant, **where):
        return self.value("us", bench, section, variant, **where)

    def has(self, source):
        return any(source in row["file"] for row in self.rows)

    def best(self, bench, section, variant, **where):
        times = [r["us"] for r in self.find(bench, section, variant, **where) if r.get("us")]
        return min(times) if times else None


def read(path):
    """A file of results; of a bench that was stopped, the sections that it had finished"""
    text = path.read_text()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(text.rstrip().rstrip(",") + "]}") if text.strip() else {"device": "", "threads": 0, "rows": []}


def load(folders):
    found = {}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            data = read(path)
            if not data["rows"]:
                continue
            key = (str(folder), data["device"], data["threads"])
            results = found.setdefault(key, Results(data["device"], data["threads"]))
            for row in data["rows"]:
                results.rows.append(dict(row, file=path.stem))
    return list(found.values())


# --- writing ---------------------------------------------------------------------------------------------------------

SAYS = {True: "yes", False: "no", None: ""}


def cell(results, question):
    """Our figure and whether the claim holds, on the slab and on the heart where both were measured"""
    answers = [(name, answer) for name, view in results.views() if (answer := question(view))]
    if not answers:
        return ("–" if results.is_gpu else "nothing of a CPU"), ""
    if len(answers) == 1 or answers[0][1][0] == answers[1][1][0]:
        name, (figure, holds) = answers[0]
        return (figure if name == "slab" else f"{figure} ({name})"), SAYS[holds]
    says = [SAYS[holds] for _, (_, holds) in answers]
    return ("; ".join(f"{name} {figure}" for name, (figure, _) in answers),
            says[0] if says[0] == says[1] else "; ".join(f"{name} {said}" for (name, _), said in zip(answers, says)))


def write_findings(all_results):
    with open(LAB / "findings.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["note", "claim"] + [name for r in all_results for name in (r.name, "holds")])
        for note, claim, question in FINDINGS:
            row = [note, claim]
            for r in all_results:
                words = WORDS.get(claim, "") if r is all_results[0] else ""
                row += (words, "") if claim in WORDS else cell(r, question)
            table.writerow(row)


def targets_table(all_results):
    columns = [(f"{r.name}, {name}", view) for r in all_results for name, view in r.views()
               if view.find("jacobi", "against the vendor", "mixed")]
    text = ["| best mixed sweep | target |" + "".join(f" {name} |" for name, _ in columns),
            "|---|---|" + "---|" * len(columns)]
    for what, least, question in TARGETS:
        values = [question(view) for _, view in columns]
        text.append(f"| {what} | {least if least else ''} |" +
                    "".join(" |" if v is None else f" {v:.2f} |" for v in values))
    return "\n".join(text)


COLUMNS = ["device", "threads", "file", "bench", "matrix", "section", "variant", "us"]
# name of the plot: (device, mesh that the file is named after, bench, matrix, section)
SHOWN = {
    "against-the-vendor": ("cuda", "heart", "jacobi", "heart.yaml implicit", "against the vendor"),
    "formats": ("cuda", "heart", "jacobi", "heart.yaml implicit", "formats"),
    "permutations": ("cuda", "heart", "jacobi", "heart.yaml implicit", "permutations"),
    "updates": ("cuda", "slab", "jacobi", "slab implicit", "vector updates"),
    "gemm": ("cuda", "slab", "gemm", "4096 x 8192 x 4224", "C = A B in fp32"),
    "ablation": ("cuda", "slab", "step", "slab implicit", "ablation"),
}


def write_times(all_results):
    with open(LAB / "performance.csv", "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        for r in all_results:
            for row in r.rows:
                if row.get("us"):
                    table.writerow(dict(row, device=r.device, threads=r.threads or "", us=f"{row['us']:.4g}"))


def plot(name, key, rows):
    """The rows of one section as bars of time"""
    device, mesh, bench, matrix, section = key
    rows = [r for r in rows if r["device"].startswith(device) and r["file"].startswith(mesh) and r["bench"] == bench
            and r["matrix"] == matrix and r["section"] == section]
    if not rows:
        sys.exit(f"performance.csv has no rows for the plot '{name}'")
    slowest = max(float(r["us"]) for r in rows)
    height, left, width = 18, 330, 420
    body = []
    for k, r in enumerate(rows):
        y, long = 34 + height * k, width * float(r["us"]) / slowest
        body.append(f'<text x="{left - 6}" y="{y + 12}" text-anchor="end">{html.escape(r["variant"])}</text>'
                    f'<rect x="{left}" y="{y + 2}" width="{long:.1f}" height="{height - 4}" fill="#4878a8"/>'
                    f'<text x="{left + long + 4:.1f}" y="{y + 12}">{r["us"]} us</text>')
    title = f"{bench}: {section}, {matrix} ({device})"
    size = f'width="{left + width + 90}" height="{40 + height * len(rows)}"'
    (LAB / "bench" / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n<text x="8" y="18" font-size="13">{html.escape(title)}</text>\n'
        + "\n".join(body) + "\n</svg>\n")


def draw_plots():
    (LAB / "bench").mkdir(exist_ok=True)
    rows = list(csv.DictReader(open(LAB / "performance.csv")))
    for name, key in SHOWN.items():
        plot(name, key, rows)


def main():
    folders = sys.argv[1:]
    if folders == ["--plots"]:
        return draw_plots()
    empty = [folder for folder in folders if not any(pathlib.Path(folder).glob("*.json"))]
    if not folders or empty:
        sys.exit(f"no results in {', '.join(empty)}: the page stays as it is" if empty else __doc__)
    all_results = shown = sorted(load(folders), key=lambda r: not r.is_gpu)
    path = LAB / "performance.md"
    path.write_text(replaced(path.read_text(), "targets", targets_table(shown)))
    write_findings(shown)
    write_times(all_results)
    draw_plots()
    print(f"{len(FINDINGS)} findings, {sum(len(r.rows) for r in all_results)} rows of {len(all_results)} devices")


if __name__ == "__main__":
    main()
