#!/bin/bash
# converge.sh PROGRAM: differences of `cardiac converge` are those of runs of their own; the limit that it gives holds a run with a
# much shorter step; it claims none where the mesh converges with another order; a mesh from a file with its node lists; what comes
# after a front breaks is not compared; it goes on where it was interrupted; what it refuses.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
cat > line.yaml <<'END'
version: 1
mesh: {cable: {length: 8 mm, spacing: 0.2 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: mitchell-schaeffer, conductivity: 0.2 S/m}]
stimuli: [{where: x < 1.05 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 30 ms, step: 0.02 ms}
solver: {splitting: godunov, method: jacobi}
output: {maps: [dvdt_max], probes: {end: [8 mm, 0 mm, 0 mm], near: [3 mm, 0 mm, 0 mm]}}
END
warm_python
converge() { expect "$1" "$2" "$cardiac" converge line.yaml --device cpu --threads 1 --output "${@:3}"; }
converge 0 "21 times the work of run 1 alone, and 4 times its memory" none --levels 3 --dry-run
[ ! -e none ] || fail "--dry-run made files"
full || without_pages # strangers.sh has one
converge 0 "map dvdt_max, edge/2: median change" two
grep -q "These are differences between two levels, no bars" said || fail "$(cat said)"
grep -q "largest contributor, in the .*: the [ms]" said || fail "$(cat said)"
diff <(sed -n '/^This run/,$p' said) two/converge.txt || fail "converge.txt"
without_pages
converge 0 '"name": "activation_first[end]"' two --json
number() { # number NAME KIND: difference of a quantity, of the last line
    tail -1 said | python3 -c "import json, sys; print(*[repr(q['$2']['difference']) for q in json.load(sys.stdin)['quantities'] if q['name'] == '$1'])"
}
mesh=$(number "activation_first[end]" mesh) step=$(number "activation_first[end]" step)
arrival() { # arrival SET...: at the end, of a run of its own
    expect 0 "" "$cardiac" run line.yaml --quiet --device cpu --threads 1 --overwrite --output alone "$@"
    awk -F, '$1 == "end" { print $3 }' alone/beats.csv
}
own=$(arrival) half=$(arrival --set time.step=0.01ms) both=$(arrival --set time.step=0.01ms --set mesh.cable.spacing=0.1mm)
awk -v o="$own" -v h="$half" -v b="$both" -v m="$mesh" -v s="$step" 'BEGIN { d = h - o - s; e = b - h - m; exit !(d * d < 1e-16 && e * e < 1e-16) }' ||
    fail "step $step, not $half - $own; mesh $mesh, not $both - $half"
# a run that ends before its front does: the last activation is that of the end in all runs, and says nothing of the error
if full; then
    converge 0 "A front was still running at the end" early --set time.end=10ms
    grep -Eq "^last activation .* - " said && grep -Eq "^activation of near .*[+-][0-9]" said || fail "$(cat said)"
fi
# three levels: the step's limit holds a run with a step that is 64 times shorter; the mesh, on which the same volume is stimulated
# at each level, converges with order 2, and a coarse one has no limit
if full; then
    converge 0 "" three --levels 3
    grep -q "^2 of the mesh and 1 of the step:" said && grep -q "^activation of end .* +- .* orders: mesh 2\.00, step 0\.99$" said || fail "$(cat said)"
    converge 0 "2 of the mesh and 2 of the step:" second --levels 3 --set solver.splitting=staggered
    grep -q "^activation of end .* +- .* orders: mesh 2\.00, step 1\.[6-9]" said || fail "$(cat said)"
    converge 0 "not in the asymptotic range" coarse --levels 3 --set mesh.cable.spacing=1mm
    limit=$(converge 0 "" fixed --levels 3 --fixed-mesh; sed -n 's/^activation of end  *\([0-9.]*\) +- \([0-9.]*\) ms .*orders: step.*/\1 \2/p' said)
    fine=$(arrival --set time.step=0.0003125ms)
    echo "$limit" | awk -v f="$fine" '{ exit !(NF == 2 && ($1 - f) ^ 2 < ($2 + 5e-5) ^ 2 && $2 < 0.03) }' || fail "the limit $limit does not hold $fine"
fi
# an interruption, a killed program, another config
converge 4 "time is up" cut --stop-after 0.000001s
converge 0 "" cut --quiet
cmp two/table.csv cut/table.csv || fail "an interruption changes the table"
head -c -200 two/table.csv > short && cp short two/table.csv
converge 0 "runs are in two/table.csv" two
cmp two/table.csv cut/table.csv || fail "a table that was cut"
# asked to end, it passes that on, and leaves a study that goes on; killed, it leaves no run behind
long() { CARDIAC_PYTHON=$cold "$cardiac" converge line.yaml --device cpu --threads 1 --fixed-mesh --output long --set time.end=300s > said 2>&1 & wait_for "a run" stepping; }
stepping() { ls long/*/run.log > /dev/null 2>&1; }
long; kill -TERM $!; wait $!; got=$?
[ $got = 143 ] && grep -q "interrupted after 0 of 4 runs: the same command goes on" said || { cat said; fail "status $got"; }
if full; then
    long; kill -KILL $!; wait $! 2> /dev/null
    sleep 0.1; flock -n long/table.csv true || fail "a run goes on"
fi
"$cardiac" converge line.yaml --device cpu --threads 1 --output two 2> said | head -1 > first
[ ${PIPESTATUS[0]} = 0 ] && ! grep -qv "converge.html is not written: it needs matplotlib" said || { cat said; fail "nobody reads the report"; }
converge 2 "does not belong to this study" two --set tissue.regions[0].conductivity=0.3S/m
# tetrahedra of a file: tags, a stimulus by a list, a surface by another one
cat > block.yaml <<'END'
version: 1
mesh: {file: block.vtu, scale: 1 mm}
tissue:
  surface_to_volume: 1400 /cm
  fibers: [1, 0, 0]
  regions: [{model: mitchell-schaeffer, conductivity: {longitudinal: 0.2 S/m, transverse: 0.1 S/m}}]
stimuli: [{name: left, nodes: left.txt, duration: 2 ms, current: 50 uA/uF}]
time: {end: 6 ms, step: 0.05 ms}
solver: {precision: double}
END
expect 0 "" "$cardiac" mesh slab block.vtu --size 4mm,2mm,2mm --spacing 0.5mm
awk 'BEGIN { for (k = 0; k < 9 * 25; k++) if (k % 9 < 3) print k }' > left.txt # x up to 1 mm
expect 0 "Stimulus left: the nodes of its list, and those in the middle" "$cardiac" converge block.yaml --device cpu --output block
grep -q "Split elements keep the outline" said && grep -q "rounding: none, all is in double precision" said || fail "$(cat said)"
list=$(ls block/stimulus-0-half-*.txt) mesh=$(ls block/mesh-half-*.vtkhdf)
[ "$(wc -l < "$list")" = $((5 * 9 * 9)) ] || fail "$(wc -l < "$list") of 405 nodes with x <= 1 mm on the finer mesh"
expect 0 "nodes      1377" "$cardiac" mesh info "$mesh"
# the same as the slab that the program makes with half the spacing, whose nodes are those of x <= 1 mm: a random condition is one on nodes
if full; then
    expect 0 "" "$cardiac" converge block.yaml --device cpu --output slab --set 'mesh={slab: {size: [4 mm, 2 mm, 2 mm], spacing: 0.5 mm}}' --set 'stimuli=[{where: "x < 1.01 mm and random(1, 1)", duration: 2 ms, current: 50 uA/uF}]'
    for k in 1 3; do
        [ "$(awk -F, -v k=$k '$1 == k' slab/table.csv | grep -o ',0,6,1,1,[0-9.,]*' | cut -d, -f5-8)" = "$(awk -F, -v k=$k '$1 == k' block/table.csv | grep -o ',0,6,1,1,[0-9.,]*' | cut -d, -f5-8)" ] ||
            fail "run $k: $(cat slab/table.csv block/table.csv)"
    done
fi
# what it refuses
CARDIAC_PYTHON=$cold PYTHONPROFILEIMPORTTIME=1 expect 2 "--levels is 2 or 3, not 4" "$cardiac" converge line.yaml --levels 4
! grep -q "numpy\|h5py" said || fail "a refusal imports numpy"
expect 0 "" "$cardiac" run line.yaml --quiet --device cpu --overwrite --output alone --set time.end=1ms --set checkpoint.every=1ms
converge 2 "initial.file: is a checkpoint" refused --set initial.file=alone/checkpoint-50.h5
[ ! -e refused ] || fail "it began"
expect 0 "These are differences" "$cardiac" converge line.yaml --device cpu --output start --set initial.file=alone/checkpoint-50.h5 --fixed-mesh --set time.end=20ms
expect 2 "sweep: this config describes several runs" "$cardiac" converge line.yaml --set 'sweep={time.end: [1 ms, 2 ms]}'
full || exit 0
# what has the name of a finer mesh or list, or of one that is being made, is never replaced
mkdir mine && for name in "$(basename "$mesh")" "$(basename "$mesh" .vtkhdf)-new.vtkhdf" "$(basename "$list")" "$(basename "$list")-new"; do echo notes > mine/"$name"; done
sha256sum mine/* > before
expect 3 "run 3 (3 of 3): failed" "$cardiac" converge block.yaml --device cpu --output mine
sha256sum --status -c before || fail "a file of somebody else was replaced"
grep -q "^Run 3 (edge/2) failed and is not compared" mine/converge.txt || fail "$(cat mine/converge.txt)"
# a folder whose name means something in YAML
expect 0 "" "$cardiac" converge block.yaml --device cpu --output "blo'ck #1: {" --set time.end=0.1ms
# a front that breaks: S2 at the tail of S1, in a half of the sheet
cat > sheet.yaml <<'END'
version: 1
mesh: {sheet: {size: [20 mm, 12 mm], spacing: 0.5 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: mitchell-schaeffer, parameters: {tau_open: 60 ms, tau_close: 20 ms}, conductivity: 0.15 S/m}]
stimuli:
  - {where: x < 1 mm, duration: 2 ms, current: 50 uA/uF}
  - {where: x < 14 mm and y < 6 mm, start: 86 ms, duration: 2 ms, current: 50 uA/uF}
time: {end: 130 ms, step: 0.1 ms}
activation: {threshold: -30 mV, beats: 3}
END
expect 0 "A front breaks at 8" "$cardiac" converge sheet.yaml --device cpu --output sheet
grep -q "map activation_time, edge/2: median change .* values are later than the break" said && grep -Eq "^last activation .*[+-][0-9]" said || fail "$(cat said)"
grep -Eq "^APD90 in the first beat +[0-9.]+ ms( +-){3}$" said || fail "an APD that ends after the break: $(cat said)"
exit 0
