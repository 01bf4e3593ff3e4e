#!/bin/bash
# protocols.sh PROGRAM: trains one behind the other are the stimuli that they stand for, bit for bit; delays, pulses and surfaces; what
# ends a run, resumed too.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"

# config 'STIMULUS' ['KEY: VALUE'...]: a cable of fast cells
config() {
    cat <<END
version: 1
mesh: {cable: {length: 10 mm, spacing: 0.25 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: mitchell-schaeffer, parameters: {tau_open: 40 ms, tau_close: 20 ms}, conductivity: 0.2 S/m}]
stimuli:
END
    for stimulus in "$1"; do echo "$stimulus"; done
    shift
    cat <<END
time: {end: 600 ms, step: 0.1 ms}
solver: {precision: double}
activation: {beats: 9}
output: {every: 50 ms, precision: float64, fields: [V, h], probes: {near: [3 mm, 0 mm, 0 mm], far: [8 mm, 0 mm, 0 mm]}}
END
    for line; do echo "$line"; done
}
box='box: {min: [0 mm, 0 mm, 0 mm], max: [1 mm, 0 mm, 0 mm]}'
run() { expect 0 "" "$cardiac" run "$1.yaml" --device cpu --threads 1 --overwrite --output "$1" "${@:2}"; }
beats() { grep -c "^$2," "$1/beats.csv"; }

# trains, and one stimulus for each pulse: the ramp's intervals are 120, 100 and 80 ms
config "  - {$box, start: 5 ms, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 2, period: 130 ms}, {after: 90.25 ms}, {count: 3, period: 120 ms, to: 80 ms}]}" > trains.yaml
config "$(for at in 5 135 225.25 345.25 445.25 525.25; do echo "  - {$box, start: $at ms, duration: 2 ms, current: 50 uA/uF}"; done)" > single.yaml
run trains; run single
same trains/run.vtkhdf single/run.vtkhdf
[ "$(beats trains far)" = 6 ] || fail "6 pulses, $(beats trains far) beats"

# a pulse of constant strength is a duration; a share and an inverse part are felt
config "  - {$box, duration: 2 ms, current: 50 uA/uF}" > plain.yaml
config "  - {$box, pulse: flat.txt, current: 50 uA/uF}" > flat.yaml
config "  - {$box, pulse: weak.txt, current: 50 uA/uF}" > weak.yaml
printf '0 1\n2 1\n' > flat.txt
printf '# ms, share\n0 1\n0.1 1\n0.1 -1\n0.2 -1\n' > weak.txt
run plain; run flat; run weak
expect 0 "" "$cardiac" compare plain/run.vtkhdf flat/run.vtkhdf --tolerance 1e-9
expect 0 "too weak or too short" cat weak/run.log
for bad in '0 1' '1 1\n0 1' '0 1\n2 x' '0 1\n2 1 1' '-1 1\n2 1' '0 1\n0 1'; do
    printf -- "$bad\n" > flat.txt
    expect 2 flat.txt "$cardiac" run flat.yaml --output bad
done

# a pulse that lasts into the next one is refused, as a duration is
printf '0 1\n9 0\n' > flat.txt
for when in 'count: 2, period: 8 ms' 'protocol: [{count: 3, period: 20 ms, to: 5 ms}]' 'protocol: [{}, {after: 8.5 ms}]'; do
    config "  - {$box, pulse: flat.txt, current: 50 uA/uF, $when}" > long.yaml
    expect 2 "stimuli[0].pulse: flat.txt: the pulse lasts 9 ms, longer than an interval" "$cardiac" run long.yaml --output bad
done

# a wave's own times as delays of all nodes: none is late, and another pulse 300 ms behind follows them as well
config "  - {delays: times.txt, start: 1 ms, duration: 1 ms, current: 60 uA/uF, protocol: [{}, {after: 300 ms}]}" > delays.yaml
awk 'BEGIN { for (i = 40; i >= 0; i--) print i, 0.3 * (40 - i) + 0.04 }' > times.txt
run delays
awk -F, '$2 == 1 && $1 == "near" { n = $3 } $2 == 1 && $1 == "far" { f = $3 }
    $2 == 2 && ($4 < 299 || $4 > 301) { bad = 1 }
    END { exit !(n > 9.4 && n < 11 && f > 3.4 && f < 5 && !bad) }' delays/beats.csv || { cat delays/beats.csv; fail "delays"; }
# places are their nearest nodes, of two at one node the earlier
sed 's/times.txt/places.txt/' delays.yaml > places.yaml
awk '{ printf "%g 0.02 -0.01 %s\n%g 0 0 %s\n", 0.25 * $1 + 0.1, $2 + $1 % 2, 0.25 * $1 - 0.05, $2 + 1 - $1 % 2 }' times.txt > places.txt
run places
expect 0 "" "$cardiac" compare delays/run.vtkhdf places/run.vtkhdf --tolerance 0
echo '3 0.2 0.2 7 # 0.28 mm away' > places.txt
expect 2 "places.txt:1:10: this position is outside the mesh: the nearest node, at (3, 0, 0) mm, is 0.282843 mm away" "$cardiac" run places.yaml --output bad
for bad in '41 3' '3' '3 x' '3 1\n3 2' '3 -7' '3 nan' '' '3 0 0' '3 0 x 1' '3 0 0 inf' '3 nan 0 1' '3 0 0 1 2' '3 0 0 -7' '3 0 0 1\n12 2'; do
    printf -- "$bad\n" > times.txt
    expect 2 "" "$cardiac" run delays.yaml --output bad
    grep -q 'stimuli\[0\].delays' said || { cat said; fail "times: '$bad'"; }
done

# what ends a run: at the look after it, and no earlier, in one run or two
ends() { # ends NAME 'STOP' TEXT
    config "  - {$box, duration: 2 ms, current: 50 uA/uF, count: 3, period: 100 ms}" "stop_when: $2" 'checkpoint: {every: 6 ms, keep: 99}' > $1.yaml
    run $1
    expect 0 "$3" cat $1/run.log
    mkdir -p again
    rm -f again/*; cp $1/run.vtkhdf $1/*.csv $1/checkpoint-*.h5 again
    for last in $(ls again/checkpoint-*.h5 | sort -t- -k2 -n | tail -2); do rm "$last"; done
    expect 0 "resumed" "$cardiac" run $1.yaml --device cpu --threads 1 --resume --output again
    same $1/run.vtkhdf again/run.vtkhdf
}
ends probe '{activated: far}' "far is activated at"
ends beats '{beats: 2}' "all nodes are activated 2 times at"
ends quiet 'quiescent' "the tissue is quiescent at"
ends still '{quiescent: 90 ms}' "the tissue is quiescent at"
at() { sed -n 's/.* at \([0-9.]*\) ms: stopped/\1/p' $1/run.log; }
awk -v a="$(at quiet)" -v b="$(at still)" 'BEGIN { exit !(b - a > 89.9 && b - a < 90.1) }' || fail "quiescent at $(at quiet), still at $(at still)"
# activations that are not recorded are reported
config "  - {$box, duration: 2 ms, current: 50 uA/uF, count: 3, period: 100 ms}" > dropped.yaml
run dropped --set activation.beats=2
grep -q "warning: 41 nodes were activated more often than the 2 times that activation.beats keeps" said || { cat said; fail "beats dropped in silence"; }
run dropped --set activation.beats=3
! grep "in no map" said || fail "none was dropped"
# of several beats, that of an APD90 is named, also where the first alone is kept
run dropped --set activation.beats=1
grep -q "^APD90: beat 1 " dropped/run.log || { cat dropped/run.log; fail "an APD90 of one beat of three"; }
run dropped --set activation.beats=1 --set time.end=90ms
grep -q "^APD90: [0-9.]* ms" dropped/run.log || { cat dropped/run.log; fail "an APD90 of the only beat"; }

# a surface of a heart
nodes() { "$cardiac" check "$source/configs/heart.yaml" --set "stimuli[0]={$1, duration: 2 ms, current: 50 uA/uF}" 2> /dev/null | sed -n 's/^stimulus \([^,]*\),.*/\1/p'; }
[ "$(nodes 'where: surface(lv)')" = "$(nodes 'where: distance_to(lv) < 1 nm')" ] || fail "the surface is not where it is 0 away"
[ -n "$(nodes 'where: surface(apex)')" ] || fail "no apex"
expect 2 "did you mean 'epi'" "$cardiac" check "$source/configs/heart.yaml" --set 'stimuli[0]={where: surface(epy), duration: 2 ms, current: 50 uA/uF}'
expect 2 'this mesh has no surface rv' "$cardiac" check "$source/configs/heart.yaml" --set 'stimuli[0]={where: surface(rv), duration: 2 ms, current: 50 uA/uF}' --set 'mesh.surfaces={epi: 2, base: 1, lv: 3}'
echo "trains, pulses, delays, surfaces and the ends of runs hold"
