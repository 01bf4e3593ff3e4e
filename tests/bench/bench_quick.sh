#!/bin/sh
# bench_quick.sh CARDIAC [FILE.mmt]: every variant of every bench is right, and JSON has a row with a verdict for each. With a text
# it is the one model that is stepped.
cardiac=$1
rows=$(mktemp) || exit 1
trap 'rm -f "$rows"' EXIT
"$cardiac" bench all ${2:+"$2"} --quick --device cpu --threads 2 --json >"$rows" || exit 1
command -v python3 >/dev/null || { echo "the verdicts in JSON, no python3: skipped"; exit 0; }
python3 - "$rows" <<'END'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert {r["bench"] for r in rows} >= {"ceilings", "spmv", "jacobi", "ionic", "gemm", "step"}, "a bench is missing"
timed = [r for r in rows if "us" in r]
assert len(timed) > 250 and all(r["us"] > 0 for r in timed), "rows without a time"
assert all(r["verdict"] in ("ok", "caught", "-") for r in rows), "a variant is wrong"
assert any(r["verdict"] == "caught" and r["variant"].startswith("all computed") for r in rows), "the trap was not caught"
END
