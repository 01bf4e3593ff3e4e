#!/bin/bash
# restitution.sh PROGRAM: what `cardiac restitution` says of an S2 is what a run of its own says of it, to every digit; what S2 does not
# evoke is empty; a pre-paced tissue; what it refuses.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
cat > cable.yaml <<'END'
version: 1
mesh: {cable: {length: 10 mm, spacing: 0.25 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: mitchell-schaeffer, parameters: {tau_open: 40 ms, tau_close: 20 ms}, conductivity: 0.2 S/m}]
stimuli:
  - {box: {min: [0 mm, 0 mm, 0 mm], max: [1 mm, 0 mm, 0 mm]}, start: 5 ms, duration: 2 ms, current: 50 uA/uF, count: 3, period: 150 ms}
time: {end: 700 ms, step: 0.1 ms}
output: {probes: {near: [3 mm, 0 mm, 0 mm], far: [8 mm, 0 mm, 0 mm]}}
END
warm_python
run() { expect 0 "" "$cardiac" restitution cable.yaml --device cpu --threads 1 "$@"; }
run --s2 140:60:10ms --output falling.csv
run --s2 60:140:40ms --output rising.csv
[ "$(head -1 falling.csv)" = "S2 (ms),probe,activation (ms),DI (ms),APD90 (ms),CV (m/s),captured" ] || fail "$(head -1 falling.csv)"
grep -E '^(S2|140|100|60)[ ,]' falling.csv | sort > a; sort rising.csv | cmp - a || fail "the order of intervals changes a number"
[ "$(sed -n 2p falling.csv | cut -d, -f1,2)" = 140,near ] || fail "$(cat falling.csv)"
grep -qx '60,far,,,,,no' falling.csv || fail "60 ms: $(tail -2 falling.csv)"
# a pulse whose shape is in a file has its duration
printf '0 1\n2 1\n' > pulse.txt
run --s2 140:60:40ms --output shape.csv --set 'stimuli[0]={box: {min: [0 mm, 0 mm, 0 mm], max: [1 mm, 0 mm, 0 mm]}, start: 5 ms, pulse: pulse.txt, current: 50 uA/uF, count: 3, period: 150 ms}'
grep -E '^(S2|140|100|60)[ ,]' falling.csv | cmp - shape.csv || fail "a pulse of 2 ms from a file: $(cat shape.csv)"
# a response that leaves its site late, and grows on its way: the config's own
if full; then
    expect 0 "" "$cardiac" restitution "$source/configs/restitution.yaml" --device cpu --s2 340:300:5ms --output late.csv
    awk -F, '$1 >= 310 && $2 == "near" { n++; if ($7 != "yes" || $3 < last) exit 1; last = $3; if (n == 1) first = last } $1 <= 305 && $7 != "no" { exit 1 } END { exit n != 7 || last < 1.5 * first }' late.csv ||
        fail "$(cat late.csv)"
fi
# alone: a run with S2 behind the train
longer=(--set time.longest=0.8ms --set output.every=8ms --set output.probes_every=0.8ms --set 'stop_when=never')
run --s2 90:130:40ms --output longer.csv "${longer[@]}"
for s2 in 130 $(full && echo 90) longer; do
    table=falling.csv more=()
    [ $s2 = longer ] && table=longer.csv s2=130 more=("${longer[@]}")
    expect 0 "" "$cardiac" run cable.yaml --quiet --device cpu --threads 2 --overwrite --output alone --set 'output.maps=[apd90, conduction_velocity]' \
        --set activation.beats=4 --set "stimuli[0]={box: {min: [0 mm, 0 mm, 0 mm], max: [1 mm, 0 mm, 0 mm]}, start: 5 ms, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 3, period: 150 ms}, {after: $s2 ms}]}" "${more[@]}"
    for probe in near far; do
        alone=$(awk -F, -v p=$probe -v s2=$s2 '$1 == p && $2 == 4 { printf "%s,%s,%.5f,%s,%s,%s,yes", s2, p, $3 - 305 - s2, $5, $6, $9 }' alone/beats.csv)
        here=$(awk -F, -v p=$probe -v s2=$s2 '$1 == s2 && $2 == p { printf "%s,%s,%.5f,%s,%s,%s,%s", $1, $2, $3, $4, $5, $6, $7 }' $table)
        [ -n "$here" ] && [ "$here" = "$alone" ] || fail "$table $here, in a run $alone"
    done
done
[ "$(grep ^130 longer.csv)" != "$(grep ^130 falling.csv)" ] || fail "longer steps change nothing"
# where the last wave of S1 comes to a probe behind S2, it is not what S2 evokes
if full; then
    late=("mesh={cable: {length: 60 mm, spacing: 0.5 mm}}" "output.probes={near: [3 mm, 0 mm, 0 mm], far: [58 mm, 0 mm, 0 mm]}")
    set=(); for key in "${late[@]}"; do set+=(--set "$key"); done
    run --s2 170:110:30ms --output late.csv "${set[@]}"
    expect 0 "" "$cardiac" run cable.yaml --quiet --device cpu --overwrite --output alone --set 'output.maps=[apd90, conduction_velocity]' --set activation.beats=4 "${set[@]}" \
        --set "stimuli[0]={box: {min: [0 mm, 0 mm, 0 mm], max: [1 mm, 0 mm, 0 mm]}, start: 5 ms, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 3, period: 150 ms}, {after: 110 ms}]}"
    awk -F, '$1 == "far" && $2 == 3 { exit !($3 > 305 + 110) }' alone/beats.csv || fail "S1 is not behind S2: $(cat alone/beats.csv)"
    alone=$(awk -F, '$1 == "far" && $2 == 4 { printf "%.6f,%s,%s", $3 - 305 - 110, $5, $6 }' alone/beats.csv)
    here=$(awk -F, '$1 == 110 && $2 == "far" { printf "%.6f,%s,%s", $3, $4, $5 }' late.csv)
    [ -n "$here" ] && [ "$here" = "$alone" ] || fail "here $here, in a run $alone"
fi
# from a tissue that was paced before: one beat of S1 behind it
if full; then
    expect 0 "" "$cardiac" run cable.yaml --quiet --device cpu --overwrite --output paced --set time.end=455 --set checkpoint.every=455
    run --s2 130:130:1 --output one.csv --set initial.file=paced/checkpoint-4550.h5 --set 'stimuli[0].count=1'
    awk -F, 'NR == FNR { if ($1 == 130) apd[$2] = $5; next } $1 == 130 { n++; d = $5 - apd[$2]; if (d * d > 0.01) exit 1 } END { exit n != 2 }' falling.csv one.csv ||
        fail "$(cat one.csv)"
fi
# a stimulated node has no velocity
run --s2 130:130:1 --output one.csv --set 'output.probes={in: [0.5 mm, 0 mm, 0 mm], near: [3 mm, 0 mm, 0 mm]}'
awk -F, '$2 == "in" && $6 == "" && $5 > 40 { n++ } $2 == "near" && $6 > 0.3 { n++ } END { exit n != 2 }' one.csv || fail "$(cat one.csv)"
refuses() { expect 2 "$1" "$cardiac" restitution cable.yaml "${@:2}"; }
CARDIAC_PYTHON=$cold PYTHONPROFILEIMPORTTIME=1 refuses "--s2 is missing"
! grep -q "numpy\|h5py" said || fail "a refusal imports numpy"
refuses "such as 500:250:10ms" --s2 130
refuses "is shorter than the stimulus" --s2 130:1:1
refuses "comes for ever" --s2 130:90:10 --set 'stimuli[0].count=0'
refuses "output.probes is missing" --s2 130:90:10 --set 'output.probes={}'
refuses "the first stimulus is S1" --s2 130:90:10 --set 'stimuli=[]'
refuses "more than 999 times" --s2 130:90:10 --set 'stimuli[0].count=1000'
# beats of another stimulus would take the place of S2's
expect 3 "something other than S1 activates the tissue" "$cardiac" restitution cable.yaml --s2 130:130:1 --set 'stimuli[0].count=1' \
    --set 'stimuli[1]={where: x < 1 mm, start: 70 ms, duration: 2 ms, current: 50 uA/uF, count: 2, period: 31 ms}' --set 'tissue.regions[0].parameters={tau_open: 10 ms, tau_close: 5 ms}'
echo "restitution is that of runs of their own"
