#!/usr/bin/env python3
"""plot_bench.py FOLDER...: the JSON that `cardiac bench --json` wrote -> docs/performance.md and its plots.

Every folder holds the results of one machine (tests/bench_gpu.sh makes them). All tables between the markers in
docs/performance.md are written anew, with what these files say and nothing else; a figure that no file has is a dash.
Plots go to docs/bench/*.svg: one a section, bars of time. Needs the standard library only.
"""
import html
import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent


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


def load(folders):
    found = {}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            data = json.loads(path.read_text())
            key = (str(folder), data["device"], data["threads"])
            results = found.setdefault(key, Results(data["device"], data["threads"]))
            for row in data["rows"]:
                results.rows.append(dict(row, file=path.stem))
    return list(found.values())


# --- findings: (note, claim, question); question(results) -> (our figure, does it hold) ----------------------------

def ratio(over, under, text, holds):
    """over / under as text, and what that says; nothing where one of the two is missing"""
    if not over or not under:
        return None
    return text.format(over / under), holds(over / under)


def gemm(step, key="us", size=0):
    """A step's figure; size 0 = the larger matrices, 1 = the smaller ones"""
    def of(r):
        rows = [x for x in r.find("gemm", "", step) if x["variant"] == step]
        rows.sort(key=lambda x: -max(int(n) for n in re.findall(r"\d+", x["matrix"])))
        return rows[size].get(key) if size < len(rows) else None
    return of


def written(r, step, size=0):
    """GB/s that writing C alone amounts to: the global figure counts A and B too"""
    rows = [x for x in r.find("gemm", "", step) if x["variant"] == step]
    rows.sort(key=lambda x: -max(int(n) for n in re.findall(r"\d+", x["matrix"])))
    if size >= len(rows) or not rows[size].get("us"):
        return None
    m, n, _ = (int(x) for x in re.findall(r"\d+", rows[size]["matrix"]))
    return 4e-3 * m * n / rows[size]["us"]


def saves(step):
    def question(r):
        naive, less = gemm("naive")(r), gemm(step)(r)
        return (1 - less / naive) if naive and less else None
    return question


def within(step, low, high):
    def question(r):
        share = saves(step)(r)
        return None if share is None else (f"{100 * share:+.1f} % less time", low <= share <= high)
    return question


def write_peak(step):
    def question(r):
        rate, peak = written(r, step), r.value("GB/s", "ceilings", "", "write")
        return ratio(rate, peak, "{:.0%} of the write ceiling", lambda x: x >= 0.9)
    return question


def trap(r):
    rows = [x for x in r.find("gemm", "", "all computed, nothing stored")]
    if not rows:
        return None
    return ("caught, not timed" if rows[0]["verdict"] == "caught" else "not caught"), rows[0]["verdict"] == "caught"


def times(bench, section, slow, fast, holds=lambda x: x > 1, text="{:.2f} x", **where):
    """time of `slow` over time of `fast`"""
    return lambda r: ratio(r.us(bench, section, slow, **where), r.us(bench, section, fast, **where), text, holds)


def lines(key, bench, section, worse, better, holds=lambda x: x > 1):
    def question(r):
        a, b = r.value(key, bench, section, worse), r.value(key, bench, section, better)
        return None if not a or not b else (f"{a:.1f} against {b:.1f}", holds(a / b))
    return question


def mean_csr(r):
    """Time of CSR vector with the lanes that the mean row length asks for"""
    rows = [x for x in r.find("spmv", "formats", "CSR vector", source="slab-spmv" if r.has("slab-spmv") else "") if "(by mean length)" in x["variant"]]
    return rows[0]["us"] if rows and rows[0].get("us") else None


def csr_variant(ending, holds, text):
    """CSR vector by mean length over that variant of it, on the same matrix in the same file"""
    def question(r):
        rows = r.find("spmv", "formats", "CSR vector")
        for x in (x for x in rows if x["variant"].endswith(ending) and x.get("us")):
            plain = [y for y in rows if "(by mean length)" in y["variant"] and y.get("us")
                     and (y["file"], y["matrix"]) == (x["file"], x["matrix"])]
            return ratio(plain[0]["us"] if plain else None, x["us"], text, holds)
        return None
    return question


def validated(bench, section, variant):
    def question(r):
        rows = r.find(bench, section, variant)
        return (f"largest error {max(x['error'] for x in rows):.1e}", True) if rows else None
    return question


def paper_range(r):
    base = r.us("jacobi", "precision", "CSR vector, fp64")
    each = [base / x["us"] for x in r.find("jacobi", "precision", "row-wise") if base and x.get("us")]
    return (f"{min(each):.2f} to {max(each):.2f} x", 0.93 <= max(each) and min(each) <= 1.41) if each else None


def over_fetch(r):
    x = r.find("spmv", "permutations", "random, SELL")
    x = [row for row in x if row.get("x 128B")]
    if not x:
        return None
    fetched = x[0]["x 128B"] * 128 / (x[0]["x 32B"] * 32)
    return f"lines of 128 B would bring {fetched:.1f} x the bytes of sectors of 32 B", fetched > 1


PERMUTATION, GEMM, SPARSE, PAPER = "permutations", "GEMM", "sparse", "the paper"
FINDINGS = [
    (GEMM, "naive: 36 GFLOP/s (a 940M)",
     lambda r: None if not gemm("naive", "GFLOP/s")(r) else (f"{gemm('naive', 'GFLOP/s')(r):.0f} GFLOP/s", None)),
    (GEMM, "no initialisation of C: about 1.5 % change", within("no initialisation of C", -.05, .05)),
    (GEMM, "barriers around the copy: about 3 % slower", within("more barriers around the copy of B", -.06, .005)),
    (GEMM, "without loading B: 7.5 % faster", within("B not loaded", .02, .15)),
    (GEMM, "without loading A: 28 % faster, so A costs more than B",
     lambda r: None if saves("A not loaded")(r) is None or saves("B not loaded")(r) is None else
     (f"{100 * saves('A not loaded')(r):+.1f} % less time", saves("A not loaded")(r) > saves("B not loaded")(r))),
    (GEMM, "without loading either: 33 % faster", within("A and B not loaded", .15, .45)),
    (GEMM, "without loads and sums: a small share of the time (2 %), at a third of peak bandwidth",
     lambda r: ratio(gemm("A and B not loaded, nothing computed")(r), gemm("naive")(r), "{:.1%} of the time",
                     lambda x: x < .1)),
    (GEMM, "the bandwidth of writing hardly depends on the size",
     lambda r: ratio(written(r, "write 123 only, loop bound at run time", 0),
                     written(r, "write 123 only, loop bound at run time", 1), "{:.2f} x between two sizes",
                     lambda x: .67 < x < 1.5)),
    (GEMM, "a loop bound in the source made the loop vanish: time independent of size, impossible bandwidth", trap),
    (GEMM, "a written constant brings it back, at half of what the memory can do", write_peak(
        "write only, loop bound in the source")),
    (GEMM, "unrolling the write loop: no change or slower",
     lambda r: ratio(gemm("write only, unrolled")(r), gemm("write only, loop bound in the source")(r), "{:.2f} x the time",
                     lambda x: x > .97)),
    (GEMM, "float4 stores: 2.7 x faster",
     lambda r: ratio(gemm("write only, loop bound in the source")(r), gemm("write only, four at a time")(r), "{:.2f} x",
                     lambda x: x > 1.5)),
    (GEMM, "float4 stores reach the peak", write_peak("write only, four at a time")),
    (PERMUTATION, "y = A x, rows permuted: y' = A' x (same numbers)", validated("spmv", "permutations", "rcm, rows only")),
    (PERMUTATION, "symmetric: y' = A' x' (same numbers)", validated("spmv", "permutations", "rcm, SELL")),
    (PERMUTATION, "Jacobi, rows permuted: results must be put back in order, which costs",
     times("jacobi", "permutations", "rcm, rows only, SELL", "rcm, SELL")),
    (PERMUTATION, "the same, CSR vector", times("jacobi", "permutations", "rcm, rows only, CSR vector", "rcm, CSR vector")),
    (PERMUTATION, "hybrid is faster than the fused copy (CSR vector)",
     times("jacobi", "vector updates", "CSR vector, fused", "CSR vector, hybrid")),
    (PERMUTATION, "the same on SELL", times("jacobi", "vector updates", "SELL, fused", "SELL, hybrid")),
    (PERMUTATION, "the same, explicit, CSR vector", times("spmv", "vector updates", "CSR vector, fused", "CSR vector, hybrid")),
    (PERMUTATION, "the same, explicit, SELL", times("spmv", "vector updates", "SELL, fused", "SELL, hybrid")),
    (PERMUTATION, "hybrid is faster than naive (CSR vector)",
     times("jacobi", "vector updates", "CSR vector, naive", "CSR vector, hybrid")),
    (PERMUTATION, "the same on SELL", times("jacobi", "vector updates", "SELL, naive", "SELL, hybrid")),
    (PERMUTATION, "hybrid is faster than a cast at run time (CSR vector)",
     times("jacobi", "vector updates", "CSR vector, cast", "CSR vector, hybrid")),
    (PERMUTATION, "the same on SELL", times("jacobi", "vector updates", "SELL, cast", "SELL, hybrid")),
    (PERMUTATION, "a warp's load costs as many transactions as it touches lines: fewer with a local order (x, 128 B)",
     lines("x 128B", "spmv", "permutations", "random, SELL", "rcm, SELL")),
    (PERMUTATION, "the same in sectors of 32 B", lines("x 32B", "spmv", "permutations", "random, SELL", "rcm, SELL")),
    (PERMUTATION, "scattered loads reissue up to 32 times: a random order is slower",
     times("spmv", "permutations", "random, SELL", "rcm, SELL")),
    (PERMUTATION, "caching in L2 only (32 B) reduces over-fetch of scattered loads", over_fetch),
    (PERMUTATION, "128 B = 16 doubles: CSR vector with more lanes than a row has entries is slower",
     lambda r: ratio(r.us("spmv", "formats", "CSR vector 32"), mean_csr(r), "32 lanes: {:.2f} x the time",
                     lambda x: x > 1)),
    (PERMUTATION, "a row per warp wastes lines that a row per thread (SELL) fills",
     lambda r: ratio(mean_csr(r), r.us("spmv", "formats", "SELL-32"), "CSR vector {:.2f} x the time of SELL-32",
                     lambda x: x > 1)),
    (PERMUTATION, "the table of the V100", lambda r: None),
    (SPARSE, "vectorise access to values and locations (float4)", times("spmv", "formats", "SELL-32", "SELL-32 quads")),
    (SPARSE, "pairs instead of quads", times("spmv", "formats", "SELL-32", "SELL-32 pairs")),
    (SPARSE, "loads of x as float4, x padded to a multiple of 4", lambda r: None),
    (SPARSE, "unroll in groups of 4 to fill VLIW lanes", lambda r: None),
    (SPARSE, "the whole x in local memory: probably not", times("spmv", "formats", "SELL-32", "SELL-32, x shared",
                                                              lambda x: x < 1)),
    (SPARSE, "x in image memory (texture)", times("spmv", "formats", "SELL-32", "SELL-32, x texture")),
    (SPARSE, "x through the read-only path", times("spmv", "formats", "SELL-32", "SELL-32, x read-only")),
    (SPARSE, "JDS with its pointers in local memory, over CSR scalar", times("spmv", "formats", "CSR scalar", "JDS")),
    (SPARSE, "rows in vec4s, transposed, column-major, padded to 256 bytes, over CSR scalar",
     times("spmv", "formats", "CSR scalar", "ELL (one slice) quads")),
    (SPARSE, "wavefronts should read consecutive groups (SELL over ELL of one slice)",
     times("spmv", "formats", "ELL (one slice)", "SELL-32")),
    (SPARSE, "consecutive threads must read consecutive words (CSR scalar against SELL, lines of the matrix a load)",
     lines("mat 128B", "spmv", "formats", "CSR scalar", "SELL-32")),
    (SPARSE, "a ternary does not diverge, better than an if", lambda r: None),
    (SPARSE, "constant memory: broadcast when all threads read one address, else as global",
     csr_variant("starts constant", lambda x: .95 < x < 1.05, "{:.2f} x with starts in constant memory")),
    (SPARSE, "take advantage of cache hits: sectors of x a warp, random against RCM",
     lines("warp x 32B", "spmv", "permutations", "random, SELL", "rcm, SELL")),
    (SPARSE, "at most 256 threads a workgroup, at least 16 in x", lambda r: None),
    (SPARSE, "broadcasts from global memory are serialised", lambda r: None),
    (SPARSE, "unaligned or atomic accesses leave the fast path; channels = (address / 256) % 8", lambda r: None),
    (SPARSE, "wavefronts a power of two apart collide in channels", lambda r: None),
    (SPARSE, "the compute units of the 5800 series (local memory, L1, VLIW)", lambda r: None),
    (PAPER, "row-wise mixed precision: 0.93 to 1.41 x fp64 CSR vector", paper_range),
]

# What no bench can decide, and why
WORDS = {
    "the table of the V100": "printed for every GPU by `cardiac info`, from the device",
    "loads of x as float4, x padded to a multiple of 4": "x is gathered, one address an entry: there is no vector load of "
    "it. Vectors are padded beyond a slice (BENCH_SLACK)",
    "unroll in groups of 4 to fill VLIW lanes": "today's cards issue scalars; what kernels/row_sums.cuh "
    "asks for ahead serves latency instead",
    "a ternary does not diverge, better than an if": "both compile to the same select here (kernels/bench/sell.cu, "
    "read_window)",
    "at most 256 threads a workgroup, at least 16 in x": "limits of that card; blocks of 256 are used",
    "broadcasts from global memory are serialised": "of that card; today a warp that reads one address makes one "
    "transaction, which the counted lines assume",
    "unaligned or atomic accesses leave the fast path; channels = (address / 256) % 8": "of that card only",
    "wavefronts a power of two apart collide in channels": "of that card only; addresses are hashed today",
    "the compute units of the 5800 series (local memory, L1, VLIW)": "of that card only; `cardiac info` prints the present one's",
}

# --- targets: (what, at least, question) on the heart's matrix, else on the slab's ---------------------------------


def source(r):
    return "heart" if any("heart" in row["file"] for row in r.rows) else "slab"


def best_sweep(r):
    return r.best("jacobi", "precision", "slice-wise", source=source(r))


def sweep_over(bench, section, variant):
    return lambda r: (lambda a, b: a / b if a and b else None)(r.us(bench, section, variant, source=source(r)), best_sweep(r))


def of_copy(r):
    rows = [x for x in r.find("jacobi", "precision", "slice-wise", source=source(r)) if "stopping test" in x["variant"]]
    shares = [x["of copy"] for x in rows if x.get("of copy")]
    return max(shares) if shares else None


TARGETS = [
    ("share of the copy ceiling, stopping test on", .9, of_copy),
    ("over cuSPARSE CSR fp64 + update", 2.5, sweep_over("jacobi", "formats", "cuSPARSE CSR")),
    ("over cuSPARSE CSR with fp32 values + update", None, sweep_over("jacobi", "formats", "cuSPARSE CSR, values fp32")),
    ("over our own fp64 with the same offsets", 1.3, sweep_over("jacobi", "precision", "slices, all fp64")),
    ("over CSR vector fp64", 3, sweep_over("jacobi", "precision", "CSR vector, fp64")),
]


# --- writing ---------------------------------------------------------------------------------------------------------

def cell(answer, claim):
    if answer is None:
        return "–", "–"
    figure, holds = answer
    return figure, {True: "yes", False: "no", None: ""}[holds]


def findings_table(all_results):
    head = "| note | claim |" + "".join(f" {r.name} | holds |" for r in all_results)
    text = [head, "|---|---|" + "---|---|" * len(all_results)]
    for note, claim, question in FINDINGS:
        cells = ""
        for r in all_results:
            figure, holds = (WORDS[claim], "") if claim in WORDS else cell(question(r), claim)
            cells += f" {figure} | {holds} |"
        text.append(f"| {note} | {claim} |{cells}")
    return "\n".join(text)


def targets_table(all_results):
    text = ["| best mixed sweep | target |" + "".join(f" {r.name} |" for r in all_results),
            "|---|---|" + "---|" * len(all_results)]
    for what, least, question in TARGETS:
        values = [question(r) for r in all_results]
        text.append(f"| {what} | {least if least else ''} |" +
                    "".join(" – |" if v is None else f" {v:.2f} |" for v in values))
    return "\n".join(text)


def sections_of(results):
    seen = []
    for row in results.rows:
        key = (row["file"], row["bench"], row["matrix"], row["section"])
        if key not in seen:
            seen.append(key)
    return seen


def plot(results, key):
    """One section as bars of time, shortest at its left; returns the SVG's name, or None where nothing was timed"""
    rows = [r for r in results.rows if (r["file"], r["bench"], r["matrix"], r["section"]) == key and r.get("us")]
    if not rows:
        return None
    slowest = max(r["us"] for r in rows)
    height, left, width = 18, 330, 420
    body = []
    for k, r in enumerate(rows):
        y, long = 34 + height * k, width * r["us"] / slowest
        body.append(f'<text x="{left - 6}" y="{y + 12}" text-anchor="end">{html.escape(r["variant"])}</text>'
                    f'<rect x="{left}" y="{y + 2}" width="{long:.1f}" height="{height - 4}" fill="#4878a8"/>'
                    f'<text x="{left + long + 4:.1f}" y="{y + 12}">{r["us"]:.4g} us</text>')
    title = f"{key[1]}: {key[3]}, {key[2]} ({results.name})"
    size = f'width="{left + width + 90}" height="{40 + height * len(rows)}"'
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n<text x="8" y="18" font-size="13">{html.escape(title)}</text>\n'
            + "\n".join(body) + "\n</svg>\n")
    name = re.sub(r"[^a-z0-9]+", "-", f"{results.device}-{key[0]}-{key[1]}-{key[2]}-{key[3]}".lower()).strip("-") + ".svg"
    (DOCS / "bench").mkdir(exist_ok=True)
    (DOCS / "bench" / name).write_text(text)
    return name


def plots_list(all_results):
    text = []
    for r in all_results:
        for key in sections_of(r):
            name = plot(r, key)
            if name:
                text.append(f"- [{key[1]}: {key[3]}, {key[2]}, {r.name}](bench/{name})")
    return "\n".join(text) if text else "No results yet."


def replace(page, marker, text):
    pattern = re.compile(rf"(<!-- begin {marker} -->\n).*?(<!-- end {marker} -->)", re.S)
    if not pattern.search(page):
        sys.exit(f"docs/performance.md has no markers for {marker}")
    return pattern.sub(lambda m: m.group(1) + text + "\n" + m.group(2), page)


def main():
    all_results = sorted(load(sys.argv[1:]), key=lambda r: not r.is_gpu)
    shown = all_results or [Results("no results yet", 0)]
    path = DOCS / "performance.md"
    page = path.read_text()
    page = replace(page, "findings", findings_table(shown))
    page = replace(page, "targets", targets_table(shown))
    page = replace(page, "plots", plots_list(all_results))
    path.write_text(page)
    print(f"{len(FINDINGS)} findings, {sum(len(r.rows) for r in all_results)} rows of {len(all_results)} devices")


if __name__ == "__main__":
    main()
