#!/bin/bash
# beats.sh PROGRAM: one action potential has one rest, peak and duration: of tissue without gradients in a cell, a map, a probe, the log
# and after S1 and S2; whatever frames are stored, on 1 and 2 threads, resumed in the middle of a beat, in fp64 and in mixed state.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
cat > a.yaml <<'EOC'
version: 1
mesh: {cable: {length: 1 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: tp06-epi, conductivity: 0.2 S/m}]}
stimuli: [{where: x >= 0 mm, start: 10 ms, duration: 1 ms, current: 52 uA/uF, count: 2, period: 350 ms}]
time: {end: 1000 ms, step: 0.02 ms}
activation: {beats: 2}
checkpoint: {every: 500 ms, keep: 9}
device: cpu
threads: 1
output: {directory: every1, precision: float64, probes: {here: [0.5 mm, 0 mm, 0 mm], there: [1 mm, 0 mm, 0 mm]}}
EOC
maps="output.maps=[activation_time, apd90, apd50, apd30, dvdt_max, peak, rest]"
run() { expect 0 "" "$cardiac" run a.yaml --quiet --output "$@"; }

# what is printed of beats does not depend on what is stored
lines() { grep "^activated\|^probes activated\|^APD90 at" $1/run.log; }
run every1 --set "$maps"
[ "$(lines every1 | wc -l)" = 3 ] || fail "$(cat every1/run.log)"
for every in $(full && echo 10 100) 500; do
    run every$every --set "$maps" --set output.every=${every}ms
    cmp every1/beats.csv every$every/beats.csv || fail "beats.csv with frames each $every ms"
    [ "$(lines every1)" = "$(lines every$every)" ] || fail "the log with frames each $every ms"
    "$cardiac" compare every1/run.vtkhdf every$every/run.vtkhdf --tolerance 0 > said 2>&1 # they have other frames
    [ "$(grep -c "^\(activation_time\|apd..\|dvdt_max\|peak\|rest\)  *max 0 " said)" = 7 ] || { cat said; fail "maps with frames each $every ms"; }
done
# nor on maps, which beats.csv also lists, nor on threads, nor on a resume between the peak and the end of a beat
run bare --set output.every=500ms --set threads=2
cut -d, -f1-8 every1/beats.csv | cmp bare/beats.csv - || fail "beats.csv without maps"
[ "$(lines every1)" = "$(lines bare)" ] || fail "the log without maps"
cp bare/beats.csv whole.csv; rm bare/checkpoint-50000.h5
expect 0 "resumed from bare/checkpoint-25000.h5" "$cardiac" run a.yaml --output bare --set output.every=500ms --resume
cmp whole.csv bare/beats.csv || { cat bare/beats.csv; fail "beats.csv of a resumed run"; }
rm bare/checkpoint-50000.h5
expect 2 "another number of output.probes" "$cardiac" run a.yaml --output bare --set output.every=500ms --resume \
    --set 'output.probes={here: [0.5 mm, 0 mm, 0 mm]}'
run none --set output.every=500ms --set 'output.probes={}'
rm none/checkpoint-50000.h5
expect 2 "another number of output.probes" "$cardiac" run a.yaml --output none --set output.every=500ms --resume

# a probe in passive cells has no beat, as their maps have none
cat > passive.yaml <<'EOC'
version: 1
mesh: {cable: {length: 10 mm, spacing: 0.25 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{where: x > 6 mm, model: passive, conductivity: 0.2 S/m}, {model: mitchell-schaeffer, conductivity: 0.2 S/m}]
stimuli: [{where: x < 1 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 30 ms, step: 0.1 ms}
activation: {threshold: -60 mV}
output: {every: 30 ms, probes: {in: [3 mm, 0 mm, 0 mm], behind: [6.25 mm, 0 mm, 0 mm]}}
EOC
expect 0 "behind never" "$cardiac" run passive.yaml --device cpu --output passive
[ "$(cut -d, -f1 passive/beats.csv | tail -n +2)" = in ] || fail "$(cat passive/beats.csv)"
# QRS and QT are those of the first beat, whatever S2 adds to the leads: as steep as S1's, from the other end, or half of the cable at once
cat > ecg.yaml <<'EOC'
version: 1
mesh: {cable: {length: 20 mm, spacing: 0.25 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {where: x < 10 mm, model: mitchell-schaeffer, parameters: {tau_close: 60 ms}, conductivity: 0.2 S/m}
    - {model: mitchell-schaeffer, parameters: {tau_close: 50 ms}, conductivity: 0.2 S/m}
stimuli: [{name: S1, where: x < 1 mm, start: 10 ms, duration: 2 ms, current: 50 uA/uF}]
time: {end: 500 ms, step: 0.1 ms}
output: {every: 100 ms}
ecg: {electrodes: {e: [22 mm, 2 mm, 0 mm]}}
EOC
leads() { expect 0 "" "$cardiac" run ecg.yaml --device cpu --overwrite --output leads "$@"; grep "ECG: " leads/run.log; }
first=$(leads)
echo "$first" | grep -q "warning: ECG: 1[0-9] ms, not a QRS: the tissue was activated for 4[0-9.]* ms, QT 1[0-9.]* ms" || fail "$first"
full && places=("x < 1 mm" "x > 12 mm" "x > 19 mm") || places=("x > 19 mm")
for where in "${places[@]}"; do
    both=$(leads --set time.end=900ms --set "stimuli[1]={name: S2, where: $where, start: 500 ms, duration: 2 ms, current: 50 uA/uF}")
    [ "$first" = "$both" ] || fail "S2 at $where: $both; without it $first"
done

# a cell: every digit that beats.csv has
row() { awk -F, -v n=$1 'NR == 1 { for (c = 1; c <= NF; c++) { sub(/ .*/, "", $c); at[$c] = c } }
    $1 == "here" && $2 == n { print $at["rest"], $at["peak"], $at["dvdt_max"], $at["apd30"], $at["apd50"], $at["apd90"] }' $2/beats.csv; }
numbers() { sed -n "$1s/.*\"rest\":\(.*\),\"peak\":\(.*\),\"dvdt_max\":\(.*\),\"apd30\":\(.*\),\"apd50\":\(.*\),\"apd90\":\([-0-9.e]*\).*/\1 \2 \3 \4 \5 \6/p" cell |
    awk '{ for (c = 1; c <= NF; c++) printf "%.10g%s", $c, c < NF ? " " : "\n" }'; }
for state in double $(full && echo mixed); do
    run $state --set "$maps" --set output.every=500ms --set ionic.state=$state
    "$cardiac" cell tp06-epi --beats 2 --period 350 --duration 1000 --state $state --json | tr -d ' ' > cell
    for n in 1 2; do
        [ -n "$(row $n $state)" ] && [ "$(row $n $state)" = "$(numbers $n)" ] ||
            fail "beat $n of $state state: $(row $n $state) in the tissue, $(numbers $n) in a cell: $(cat cell)"
    done
done
# S2 is that second beat, in the tissue and in a cell
expect 0 "" "$cardiac" restitution a.yaml --s2 350:350:1 --set stimuli[0].count=1 --output tissue.csv
"$cardiac" cell tp06-epi --s1 1x350ms --s2 350:350:1 --output cell.csv 2> said || fail "$(cat said)"
awk -F, 'FNR == 1 { f++ } f == 1 && $2 == 2 && $1 == "here" { want = $5 " " $6 } f == 2 && $2 == "here" { tissue = $4 " " $5 }
    f == 3 && FNR == 2 { cell = sprintf("%.10g %.10g", $2, $3) } END { exit want == "" || tissue != want || cell != want }' whole.csv tissue.csv cell.csv ||
    { cat whole.csv tissue.csv cell.csv; fail "S2 is no second beat"; }
# a level that V does not reach is named
expect 0 "no action potential: V never rose through 70 mV" "$cardiac" cell tp06-epi --duration 400 --threshold 70mV --every 400
expect 2 "--threshold" "$cardiac" cell tp06-epi --threshold 1ms
echo "one action potential, one duration"
