#!/bin/bash
# phases.sh CARDIAC: nodes start at phases of a paced cell: a uniform phase is that moment of the cell, a phase map makes a spiral.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
cat > cable.yaml <<'END'
version: 1
mesh: {cable: {length: 0.9 mm, spacing: 0.3 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {where: x < 0.4 mm, model: tp06-epi, conductivity: 0.1 S/m, initial: &start {pace: 2, period: 300 ms, phase: 0.3}}
    - {model: tp06-epi, conductivity: 0.1 S/m, initial: *start}
time: {end: 10 ms, step: 0.02 ms}
output: {directory: cable, every: 10 ms, fields: [V, h, Ca_i], probes: {a: [0 mm, 0 mm, 0 mm]}, probes_every: 1 ms}
checkpoint: {every: 10 ms}
solver: {splitting: godunov} # has no history, so that a start is a cell that goes on
END
expect 0 "after 2 beats of 300 ms, at phase 0.3" "$cardiac" run cable.yaml
# a cell is stimulated at 10 and 310 ms; 0.3 of 300 ms later it is 400 ms
"$cardiac" cell tp06-epi --splitting godunov --beats 2 --period 300ms --variables h,Ca_i --output cell.csv 2> said || fail "$(cat said)"
awk -F, 'NR == FNR { if ($1 >= 400) cell[$1 - 400] = $2; next }
    FNR > 1 { d = cell[$1] - $2; if (!($1 in cell) || d * d > 1e-18) exit 1; n++ } END { exit n != 11 }' cell.csv cable/probes.csv ||
    { head -3 cable/probes.csv; sed -n 403,405p cell.csv; fail "not the cell at that moment"; }
# the state at the start is that of a cell with the steps of ionic.step
expect 0 "" "$cardiac" run cable.yaml --output half --set ionic.step=0.01ms --set time.end=1ms --set output.every=1ms --set checkpoint.every=0ms
"$cardiac" cell tp06-epi --splitting godunov --beats 2 --period 300ms --dt 0.01ms --output half.csv 2> said || fail "$(cat said)"
awk -F, 'NR == FNR { if ($1 == 400) cell = $2; next } FNR == 2 { d = cell - $2; exit !(cell != "" && d * d < 1e-18) }' half.csv half/probes.csv ||
    fail "not the cell of half steps: $(head -2 half/probes.csv) $(grep ^400, half.csv)"
# a time of 210 ms in a period of 300 ms is that phase; whole phases are the end of the beats, as without phases
printf '210\n210\n210\n210\n' > times.dat
expect 0 "at times of times.dat" "$cardiac" run cable.yaml --output times --set "tissue.regions[0].initial={pace: 2, period: 300 ms, times: times.dat}"
expect 0 equal "$cardiac" compare cable/checkpoint-500.h5 times/checkpoint-500.h5 --tolerance 0
for phase in 0 "x / 0.1 mm"; do
    expect 0 "" "$cardiac" run cable.yaml --overwrite --output whole --set "tissue.regions[0].initial.phase='$phase'" --set "tissue.regions[1].initial.phase=1"
    [ -d end ] || expect 0 "" "$cardiac" run cable.yaml --output end --set "tissue.regions[0].initial={pace: 2, period: 300 ms}" \
        --set "tissue.regions[1].initial={pace: 2, period: 300 ms}"
    expect 0 equal "$cardiac" compare end/checkpoint-500.h5 whole/checkpoint-500.h5 --tolerance 0
done
# what a checkpoint began from counts
expect 2 "resume refused" "$cardiac" run cable.yaml --resume --set time.end=20ms --set "tissue.regions[0].initial.phase=0.4"

wrong() { expect 2 "$1" "$cardiac" check cable.yaml --set "tissue.regions[0].initial={pace: 2, period: 300 ms, $2}"; }
wrong "phase and times exclude each other" "phase: 0.1, times: times.dat"
wrong "unknown key 'fase'; the keys are pace and period, and phase or times" "fase: 0.1"
wrong "phase: inf at node 0; expected a finite number" "phase: 1 / (0 * x / 1 mm)"
wrong "phase: no variable is named 'lat'" "phase: lat"
printf '1\n2\n3\n' > few.dat
wrong "few.dat: holds fewer than 4 numbers" "times: few.dat"
printf '1\n2\n3\n4\n5\n' > many.dat
wrong "many.dat: holds more than 4 numbers" "times: many.dat"
printf '1\n2 3\n' > pairs.dat
wrong "pairs.dat:2:3" "times: pairs.dat"
wrong "none.dat" "times: none.dat"

# phases that turn once around a point make a spiral around it, with no stimulus
cat > spiral.yaml <<'END'
version: 1
mesh: {sheet: {size: [60 mm, 60 mm], spacing: 1 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - model: mitchell-schaeffer
      parameters: {tau_open: 80 ms, tau_close: 40 ms}
      conductivity: 0.28 S/m
      initial: {pace: 3, period: 150 ms, phase: "atan((y - 30.5 mm) / (x - 30.5 mm)) / 6.283185 + if(x < 30.5 mm, 0.5, 0)"}
time: {end: 600 ms, step: 0.2 ms}
activation: {threshold: -30 mV, beats: 6}
output: {directory: spiral, every: 600 ms, probes: {south: [30 mm, 5 mm, 0 mm], west: [5 mm, 30 mm, 0 mm], north: [30 mm, 55 mm, 0 mm]}}
END
expect 0 "no stimulus: the tissue was activated by itself, or by its initial state" "$cardiac" run spiral.yaml
awk -F, '$2 >= 2 && $2 <= 4 { time[$1, $2] = $3; n++; if ($4 < 115 || $4 > 155) exit 1 }
    END { if (n != 9) exit 1
        for (b = 2; b <= 4; b++) if (!(time["south", b] < time["west", b] && time["west", b] < time["north", b])) exit 1 }' spiral/beats.csv ||
    { cat spiral/beats.csv; fail "no spiral that turns clockwise"; }
exit 0
