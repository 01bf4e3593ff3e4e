"""bench_findings.py: what docs/lab/findings.csv and performance.md ask of the results of `cardiac bench`, for docs/lab/plot_bench.py.

FINDINGS: every claim of the three notes that the project began with, in their order, as (note, claim, question);
question(results) -> (our figure, whether the claim holds), or None where it was not measured. WORDS: what no bench can
decide, and why. TARGETS: (what, at least, question) of the sweep of a run over the others'. `results` is one machine's,
see Results in plot_bench.py.
"""
import re

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


def times(bench, section, slow, fast, holds=lambda x: x > 1.01, text="{:.2f} x", **where):
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
    return (f"{min(each):.2f} to {max(each):.2f} x", min(each) >= .93 and max(each) >= 1.3) if each else None


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
    "it. Vectors are padded beyond a slice (FORMAT_SLACK)",
    "unroll in groups of 4 to fill VLIW lanes": "today's cards issue scalars; what kernels/ops/row_sums.cuh "
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

# --- targets: (what, at least, question) from the section of that name, slab and heart ---------------------------

def best_target(r, variant, numbers=""):
    """The fastest of those rows in those numbers, so that ours is compared with the others' best order"""
    times = [x["us"] for x in r.find("jacobi", "against the vendor", variant)
             if x.get("us") and (numbers in x["variant"] if numbers else "fp32" not in x["variant"])]
    return min(times) if times else None


def over_best(variant, numbers=""):
    return lambda r: (lambda a, b: a / b if a and b else None)(best_target(r, variant, numbers), best_target(r, "mixed"))


def of_copy(update):
    """Of the fastest order, not of the one whose columns take the most bytes"""
    def question(r):
        rows = [x for x in r.find("jacobi", "against the vendor", f"mixed {update}") if x.get("us")]
        return min(rows, key=lambda x: x["us"])["of copy"] if rows else None
    return question


TARGETS = [
    ("`fused`: share of the copy ceiling, stopping test on", .9, of_copy("fused")),
    ("`hybrid`: the same", None, of_copy("hybrid")),
    ("over cuSPARSE CSR fp64 + update", 2.5, over_best("cuSPARSE CSR")),
    ("over cuSPARSE CSR with fp32 values + update", None, over_best("cuSPARSE CSR", "values fp32")),
    ("over cuSPARSE CSR all in fp32 + update", None, over_best("cuSPARSE CSR", "all fp32")),
    ("over our own fp64 with the same offsets", 1.3, over_best("our fp64")),
    ("over CSR vector fp64", 3, over_best("CSR vector")),
]
