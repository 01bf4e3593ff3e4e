#!/bin/sh
# cell_command.sh PROGRAM: `cardiac cell` and `cardiac models`: the table, the measured beats, the exit statuses.
set -eu
cardiac=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "cell_command: $*" >&2
    exit 1
}

# refuses 'part of the message' arguments ...: exit status 2 and the message
refuses() {
    message=$1
    shift
    if "$cardiac" "$@" >out 2>err; then fail "accepted: $*"; else status=$?; fi
    [ "$status" = 2 ] || fail "$*: exit status $status"
    grep -qF -- "$message" err || fail "$*: says $(cat err)"
}

"$cardiac" models >models
[ "$(wc -l <models)" -ge 6 ] || fail "$(cat models)"
"$cardiac" models --all >all
[ "$(grep -c "(verification)$" all)" = 3 ] && [ "$(wc -l <all)" = $(($(wc -l <models) + 3)) ] || fail "$(cat models all)"
awk "NR % 8 == 4 { print \$1 }" models >some # one of them is bundled, and compiled for it
while read -r name; do "$cardiac" models "$name" | grep -q "^$name: " || fail "models $name"; done <some

"$cardiac" cell tp06-epi --duration 400 --variables Ca_i,INa --output trace.csv 2>beats
head -1 trace.csv | grep -qx 't (ms),V (mV),Ca_i (mM),INa (uA/uF)' || fail "header $(head -1 trace.csv)"
[ "$(wc -l <trace.csv)" = 402 ] || fail "$(wc -l <trace.csv) lines"
# rest near -85 mV, an upstroke of 366 mV/ms in the limit of small steps, APD90 near 290 ms; calcium as in the table
awk 'NR == 2 && $3 < -84 && $3 > -86 && $4 > 35 && $4 < 45 && $5 > 330 && $5 < 400 && $8 > 280 && $8 < 300 { good = 1 }
     END { exit !good }' beats || fail "$(cat beats)"

awk 'NR == FNR { split($0, c, ","); next }
     FNR == 2 { good = c[1] == $1 && c[2] == $2 && (c[3] - $3) ^ 2 + (c[6] - $6) ^ 2 + (c[8] - $8) ^ 2 < 1e-5 && c[9] == "" && c[10] == 0 && (c[13] - $12) ^ 2 < 1e-3 }
     END { exit !good }' trace-beats.csv beats || fail "$(cat trace-beats.csv beats)"
head -1 trace-beats.csv | grep -qx 'beat,start (ms),rest (mV),peak (mV),dvdt_max (mV/ms),apd30 (ms),apd50 (ms),apd90 (ms),diastolic_interval (ms),eads,calcium_rest (mM),calcium_peak (mM),calcium_time (ms)' ||
    fail "$(head -1 trace-beats.csv)"
"$cardiac" cell tp06-epi --duration 1 2>/dev/null | head -1 >head # states and currents, no other quantities
grep -q '^t (ms),V (mV),Xr1 (),.*,K_i (mM),Iion (uA/uF),.*,IKr (uA/uF),.*,IbCa (uA/uF)$' head && ! grep -q 'from_K\|Xr1.tau' head || fail "$(cat head)"
refuses "are the same file" cell tp06-epi --output a.csv --save a-beats.csv
echo "of somebody else" >kept-beats.csv
refuses "kept-beats.csv" cell tp06-epi --duration 1 --output kept.csv

awk 'NR == FNR { split($0, c, ","); if (c[1] == 10) rest = c[3]; if (c[3] + 0 > top) { top = c[3] + 0; at = c[1] } next }
     FNR == 2 { apart = $8 - $6 - $9; amplitude = ($11 - rest) / $10 - 1; late = $12 + 10 - at
                good = $6 < $7 && $7 < $8 && apart ^ 2 < 1e-5 && $11 >= top * (1 - 1e-5) && $11 < top * 1.001 &&
                       amplitude ^ 2 < 1e-8 && late ^ 2 <= 1 }
     END { exit !good }' trace.csv beats || fail "$(cat beats)"
# a staggered step of 0.05 ms is within 0.05 ms of APD90, Godunov's is not
for way in "staggered 0.05" "staggered 0.01" "godunov 0.05"; do
    "$cardiac" cell tp06-epi --duration 400 --splitting "${way% *}" --dt "${way#* }" --output trace2.csv 2>beats2
    awk 'NR == 2 { print $8 }' beats2
done >apd
awk 'NR == 1 { coarse = $1 } NR == 2 { fine = $1 } NR == 3 { old = $1 }
     END { exit !((coarse - fine) ^ 2 < 0.05 ^ 2 && (old - fine) ^ 2 > 0.3 ^ 2) }' apd || fail "$(cat apd)"
if ! grep -q __asan_init "$cardiac"; then # long runs of models that are compiled without sanitizers
    # unhealthy beats: early afterdepolarisations, and cells that stay depolarised
    "$cardiac" cell ohara-endo --parameter ikr.g_Kr=x0.05 --period 4000 --dt 0.05 --beats 3 --json >beats 2>said
    [ "$(grep -o '"eads": [0-9]*' beats | tr -dc '0-9\n' | tr '\n' ' ')" = "6 0 3 " ] && grep -q 'beat 3: 3 early after' said || fail "$(cat beats said)"
    "$cardiac" cell ohara-m --parameter ikr.g_Kr=x0.1 --dt 0.05 --beats 2 2>said >/dev/null
    grep -q 'warning: beat 1: the cell had not repolarised 99[0-9.]* ms after its upstroke' said || fail "$(cat said)"
    for model in ohara-epi tp06-m courtemanche-ra; do # healthy ones, with notches
        "$cardiac" cell $model --dt 0.05 --json 2>said | grep -q '"eads": 0' && ! [ -s said ] || fail "$model: $(cat said)"
    done
fi
refuses "'strang' is neither godunov nor staggered" cell tp06-epi --splitting strang
"$cardiac" cell mitchell-schaeffer --duration 20 2>&1 >/dev/null | grep -q amplitude && fail "a calcium where there is none"

# units are units: the same bits, and the table of mixed state starts with the same line
"$cardiac" cell tp06-epi --duration 0.4s --variables Ca_i,INa --dt 20us --stimulus 52uA/uF 2>/dev/null |
    cmp - trace.csv || fail "units change the table"
"$cardiac" cell tp06-epi --duration 5 --state mixed --variables V 2>/dev/null >mixed.csv
[ "$(sed -n 2p mixed.csv)" = "0,-85.23" ] || fail "mixed starts at $(sed -n 2p mixed.csv)"
# a parameter reaches the model: without fast sodium there is no upstroke
"$cardiac" cell tp06-epi --duration 20 --parameter g_Na=0 2>beats >/dev/null
awk 'NR == 2 && $5 > 150 { exit 1 }' beats || fail "g_Na = 0: $(cat beats)"
"$cardiac" cell mitchell-schaeffer --beats 3 --period 600 2>beats >/dev/null
[ "$(wc -l <beats)" = 4 ] || fail "three beats: $(cat beats)"
# a factor is its product with the default
"$cardiac" cell tp06-epi --duration 20 --parameter g_Na=x0.5 2>/dev/null >half.csv
"$cardiac" cell tp06-epi --duration 20 --parameter g_Na=7.419 2>/dev/null | cmp - half.csv || fail "g_Na=x0.5"

# tables in V: near the exact trace, and not the same
"$cardiac" cell tp06-epi --duration 400 --variables V --tables 2>/dev/null |
    awk -F, 'NR == FNR { v[FNR] = $2; next } FNR > 1 { d = $2 - v[FNR]; d = d < 0 ? -d : d; most = d > most ? d : most }
             END { exit !(FNR == 402 && most > 1e-6 && most < 0.01) }' trace.csv - || fail "--tables strays"
refuses "mitchell-schaeffer has no tables in V: it has too few functions of V for them" \
    cell mitchell-schaeffer --tables
# restitution: shorter the less time there was to rest, until nothing is captured; the beats before are those of a plain train
"$cardiac" cell tp06-epi --s1 2x600ms --s2 440:280:40ms --output s2.csv 2>beats
"$cardiac" cell tp06-epi --beats 2 --period 600ms --variables V 2>train >/dev/null
cmp beats train || fail "$(cat beats train)"
head -1 s2.csv | grep -qx 'S2 (ms),DI (ms),APD90 (ms),captured' || fail "header $(head -1 s2.csv)"
awk -F, 'NR > 1 && NR < 6 { if ($4 != "yes" || $3 < 120 || (last && $3 > last - 5) || $1 != 520 - 40 * NR) exit 1; last = $3 }
         NR == 6 && ($0 !~ /^280,,,no$/) { exit 1 } END { exit NR != 6 }' s2.csv || fail "$(cat s2.csv)"
refuses "--s1 and --s2: both are needed" cell tp06-epi --s1 2x600ms
refuses "--beats 0: must be at least 1" cell tp06-epi --beats 0
refuses "such as 8x600ms" cell tp06-epi --s1 600ms --s2 400:300:10
refuses "such as 500:250:10ms" cell tp06-epi --s1 2x600 --s2 400:300
refuses "not a multiple of the step" cell tp06-epi --s1 2x600 --s2 400:300:0.03
refuses "at least one step" cell tp06-epi --s1 2x600 --s2 400:300:0
refuses "is shorter than the stimulus" cell tp06-epi --s1 2x600 --s2 400:0.5:0.5
refuses "more than 10000 intervals" cell tp06-epi --s1 2x600 --s2 590:20:0.02
refuses "it gives the number of beats" cell tp06-epi --s1 2x600 --s2 400:300:10 --beats 2
refuses "no table in time" cell tp06-epi --s1 2x600 --s2 400:300:10 --variables V
refuses "a state of its own" cell tp06-epi --s1 2x600 --s2 400:300:10 --save x.yaml

# a stimulus and a period that never come
"$cardiac" cell tp06-epi --duration 1 --stim-start 1e300 --period 1e300 --beats 2 >never 2>&1 || fail "$(cat never)"
[ "$(wc -l <never)" = 4 ] || fail "$(cat never)"

refuses "did you mean 'tp06-epi'" cell tp06-ep
refuses "is not a factor of the default" cell tp06-epi --parameter g_Na=x
refuses "did you mean 'g_Na'" cell tp06-epi --parameter g_na=1
refuses "not NAME=VALUE" cell tp06-epi --parameter g_Na
refuses "nS/pF" cell tp06-epi --parameter g_Na=1mm
refuses "must be 0 or more" cell tp06-epi --parameter g_Na=-1
refuses "did you mean 'Ca_SR'" cell tp06-epi --variables Ca_sr
refuses "nearest is 0.99 ms" cell tp06-epi --dt 0.03 --duration 1
refuses "must be positive" cell tp06-epi --dt 0
refuses "beyond 0.2 ms V overshoots" cell tp06-epi --dt 0.5 --duration 2
refuses "beyond 1 ms V overshoots" cell fitzhugh-nagumo --dt 20 --duration 40
"$cardiac" cell tp06-epi --dt 0.2 --duration 2 2>&1 >/dev/null | grep -q "warning: --dt: .* beyond 0.1 ms" || fail "0.2 ms is no warning"
"$cardiac" cell tp06-epi --dt 0.1 --duration 2 2>&1 >/dev/null | grep -q warning && fail "0.1 ms is a warning"
"$cardiac" cell tp06-epi --dt 0.1 --duration 2 --splitting godunov 2>&1 >/dev/null | grep -q "beyond 0.05 ms" || fail "0.1 ms of Godunov is no warning"
refuses "per capacitance" cell tp06-epi --stimulus 50000uA/cm^3
refuses "neither double nor mixed" cell tp06-epi --state single
refuses "at least one step" cell tp06-epi --every 0
refuses "is shorter than the stimulus" cell tp06-epi --beats 2 --period 0.5
refuses "No such file" cell tp06-epi --output none/there.csv
refuses "too many steps" cell tp06-epi --dt 1e-9 --duration 1e9
