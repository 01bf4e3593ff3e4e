#!/bin/bash
# stiff_texts.sh PROGRAM [TEXTS]: the recommended step of a text that steps of 0.005 ms cannot follow; of a published text in TEXTS
# also its occupancies, V and APD90 in that step against the trace beside it.
texts=${2:-}
. "$(dirname "$0")/../support/run_helpers.sh"
export XDG_CACHE_HOME=$dir/cache
mkdir cache
command -v "${CC:-cc}" > /dev/null || { echo "no C compiler here: skipped"; exit 77; }

# V alone falls by 500 /ms
cat > fast.mmt <<'END'
[[model]]
m.V = -80
[m]
dot(V) = 500 [1/ms] * (-80 [mV] - V) + pace * 3000 [mV/ms]
    in [mV]
    label membrane_potential
time = 0 [ms] in [ms] bind time
pace = 0 bind pace
[[protocol]]
1 5 1 1000 0
END
expect 2 "beyond 0.00125 ms V overshoots" "$cardiac" cell fast.mmt --duration 10 --dt 0.005
expect 0 "" "$cardiac" cell fast.mmt --duration 10 --dt 0.00125 --output fast.csv
awk -F, 'NR > 1 && ($2 < -81 || $2 > -70) { exit 1 }' fast.csv || fail "V of fast.mmt leaves its range"

[ -n "$texts" ] || exit 0
[ -f "$texts/traces/iyer-2004.csv" ] || exit 77
occupancies=ryr.C1,ryr.O1,ryr.O2,ryr.C2
expect 2 "occupancies leave their range" "$cardiac" cell "$texts/iyer-2004.mmt" --duration 400 --dt 0.02
step=$(sed -n 's/.*; use \([0-9.e-]*\) ms.*/\1/p' said)
expect 0 "" "$cardiac" cell "$texts/iyer-2004.mmt" --duration 400 --dt "$step" --variables V,$occupancies --output iyer.csv
# APD90 from the stimulus at 50 ms, by lines between whole ms; V within 0.5 mV and the sum within 1e-9 at each
awk -F, 'function apd(v, low, high, t) {
             low = v[0]; high = low
             for (t = 0; t <= 400; t++) if (v[t] > high) { high = v[t]; peak = t }
             low = high - 0.9 * (high - low)
             for (t = peak; t < 400; t++) if (v[t + 1] < low) return t - 50 + (v[t] - low) / (v[t] - v[t + 1])
         }
         FNR == 1 { next }
         NR == FNR { trace[$1 + 0] = $2; next }
         { t = $1 + 0; got[t] = $2; far = $2 > trace[t] ? $2 - trace[t] : trace[t] - $2; if (far > most) most = far
           sum = $3 + $4 + $5 + $6; if (FNR == 2) first = sum
           off = sum - first; if (off < 0) off = -off; if (off > lost) lost = off; lines++ }
         END { a = apd(got); b = apd(trace)
               printf "steps of '"$step"' ms: V within %.3f mV, APD90 %.2f ms, not %.2f, occupancies keep their sum within %.1e\n", most, a, b, lost
               exit !(lines == 401 && most < 0.5 && a - b < 0.5 && b - a < 0.5 && lost < 1e-9) }' \
    "$texts/traces/iyer-2004.csv" iyer.csv || fail "iyer-2004 is not its trace"
