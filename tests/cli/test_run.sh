#!/bin/bash
# test_run.sh CARDIAC: the program as a user sees it: what a run leaves behind, and that frames, threads, units, kills and
# resumes never change a bit of it. Compares checkpoints: V and all states in fp64.
. "$(dirname "$0")/../support/run_helpers.sh"

cat > a.yaml <<'EOF'
version: 1
title: a front along a small slab
mesh: {slab: {size: [6 mm, 2.4 mm, 1.2 mm], spacing: 0.3 mm}}
tissue:
  surface_to_volume: 1400 /cm
  capacitance: 1 uF/cm^2
  fibers: [1, 0.2, 0]
  regions:
    - {tags: all, model: tp06-epi, conductivity: {longitudinal: 0.133 S/m, transverse: 0.0176 S/m}}
stimuli:
  - {name: S1, box: {min: [0 mm, 0 mm, 0 mm], max: [1.5 mm, 1.5 mm, 1.5 mm]}, duration: 1 ms, current: 50 uA/uF}
time: {end: 8 ms, step: 0.02 ms}
solver: {precision: double}
output: {directory: a, every: 1 ms, fields: [V, Ca_i], probes: {far: [6 mm, 2.4 mm, 1.2 mm]}}
checkpoint: {every: 1 ms, keep: 9}
EOF
# Where the time went: the stages add up to the whole, which is the process within 0.1 s; a busy machine adds to what lies between
adds_up() {
    awk -v wall="$(date +%s.%N)" -v began="$began" '/^wall: /{n++; for (i = 5; i <= NF; i++) if ($i ~ /^[0-9.]+$/) sum += $i; all = $2}
        / [=+] steps [0-9]/{s = 1} END{d = wall - began - all; exit !(n == 1 && s && sum - all < 1e-9 && all - sum < 1e-9 && d >= 0 && d < 0.1 + all / 10)}' a/run.log
}
for again in "" --overwrite --overwrite --overwrite; do
    began=$(date +%s.%N)
    expect 0 "results: a/run.vtkhdf" "$cardiac" run a.yaml $again
    adds_up && began= && break
done
[ -z "$began" ] || { grep "^wall" a/run.log; fail "the line of the wall time"; }
for file in run.vtkhdf run.xdmf run.log probes.csv beats.csv checkpoint-400.h5; do [ -s a/$file ] || fail "no $file"; done
[ "$(wc -l < a/probes.csv)" = 10 ] || fail "probes.csv has $(wc -l < a/probes.csv) lines, want 10"
grep -q '^time (ms),far (mV),far.Ca_i (mM)$' a/probes.csv || fail "header of probes.csv"

# Frames are compressed where they are 25 steps apart a field, and not where they come more often
size() { stat -c %s "$1/run.vtkhdf"; }
brief="--quiet --set time.end=2ms --set checkpoint.every=0"
expect 0 "" "$cardiac" run a.yaml --output cz $brief
expect 0 "" "$cardiac" run a.yaml --output cy $brief --set output.every=0.5ms
[ "$(size cz)" -lt $(($(size cy) - 2 * 2 * 4 * 945 + 1000)) ] || fail "frames at 50 steps are compressed as those at 25: $(size cz), $(size cy) bytes"

# A method that takes three times what another takes; auto does not
stiff="--dry-run --set mesh.slab.spacing=0.15mm --set time.step=0.1ms --set solver.splitting=godunov"
slow="solver.method: jacobi takes about .* sweeps a step, .* times the [0-9.]* stages of rkl2"
for command in run check; do
    "$cardiac" $command a.yaml ${stiff/#--dry-run/$([ $command = run ] && echo --dry-run)} --set solver.method=jacobi > said 2>&1 || fail "$(cat said)"
    grep -q "warning: $slow" said || { cat said; fail "$command does not warn of jacobi"; }
done
"$cardiac" run a.yaml $stiff > said 2>&1 && ! grep "solver.method:" said || fail "auto is slow"

# The log's activation times are where V of probes.csv, a row each step, crosses -40 mV, interpolated in time
expect 0 "" "$cardiac" run a.yaml --output p --set output.probes_every=0.02ms --set time.end=2ms \
    --set 'output.probes={near: [0 mm, 0 mm, 0 mm], far: [6 mm, 2.4 mm, 1.2 mm]}' --set 'output.fields=[V]'
crossing=$(awk -F, 'NR > 2 && $2 >= -40 && v < -40 { printf "%.6f", t - (v + 40) * ($1 - t) / ($2 - v) } { t = $1; v = $2 }' p/probes.csv)
grep -q "^probes activated at, ms: near $(awk -v t="$crossing" 'BEGIN { print int(100 * t + 0.5) / 100 }'), far never$" p/run.log ||
    { cat p/run.log; fail "activation of the probes, want near $crossing"; }

# The log says first what became of the tissue, then how fast; of the matrix only when asked
awk '/^activated: /{a = NR} /^probes activated/{p = NR} /^APD90 at the probes/{d = NR}
    /^time a step/{t = NR} END{exit !(a && p > a && d > p && t > d)}' a/run.log || { cat a/run.log; fail "order of the log"; }
grep -q "^activated: [56][0-9][0-9] of 945 nodes, the first at 0[.][78][0-9]* ms, the last at \(7[.]9[0-9]*\|8\) ms (within 7[.]2[0-9]* ms)$" a/run.log || { cat a/run.log; fail "the nodes"; }
grep -q "^spectrum\|^matrix\|^explicit steps\|^set-up" a/run.log && fail "the log speaks of the matrix unasked"
expect 0 "explicit steps would be stable" "$cardiac" run a.yaml --output verbose --set time.end=1ms --verbose
grep -q "^matrix: " verbose/run.log && grep -q "^spectrum of" verbose/run.log && grep -q "^end: .* rest [0-9.]*$" verbose/run.log ||
    fail "the log of --verbose"
# the probes as a table; an action potential is that of V of every step, whatever rows there are, resumed or not
whole="--set tissue.regions[0].model=mitchell-schaeffer --set output.fields=[V] --set mesh.slab.spacing=0.6mm --set output.every=2ms
    --set time.step=0.05ms"
short="$whole --set tissue.regions[0].parameters={\"tau_close\":50} --set time.end=160ms --set checkpoint.every=40ms"
expect 0 "" "$cardiac" run a.yaml --output apd $short
expect 0 "" "$cardiac" run a.yaml --output fine $short --set output.probes_every=0.05ms
cmp apd/beats.csv fine/beats.csv || fail "beats.csv depends on output.probes_every"
read -r beat at apd peak base <<< "$(sed -n 's/^far,//p' apd/beats.csv | tr , ' ')"
awk -F, -v at="$at" -v apd="$apd" -v peak="$peak" -v base="$base" 'NR == 2 { rest = $2 } NR > 1 && $1 > at { if ($2 > top || top == "") top = $2
    level = top - 0.9 * (top - rest); if (last > level && $2 <= level && !end) end = t + ($1 - t) * (last - level) / (last - $2) } { t = $1; last = $2 }
    END { d = end - at - apd; e = top - peak; exit !(apd > 100 && d * d < 1e-12 && e * e < 1e-12 && base == rest) }' fine/probes.csv || { cat apd/beats.csv; fail "APD of the probe"; }
grep -q "^APD90 at the probes, ms: far $(awk -v t="$apd" 'BEGIN { print int(100 * t + 0.5) / 100 }')$" apd/run.log || { cat apd/run.log; fail "APD in the log"; }
cp apd/beats.csv whole.csv; rm apd/checkpoint-3200.h5 apd/beats.csv
expect 0 "resumed from" "$cardiac" run a.yaml --output apd $short --resume
cmp apd/beats.csv whole.csv || fail "beats.csv of a resumed run"

# Maps of beats: a probe has the same without them; resumed in the middle of a beat to the last bit; the maps of one beat
# alone are the first of those of two, and a map that is not there in a checkpoint is missed
if [ ! $sanitized ]; then # longer runs; test_observer has the maps
    paced="$whole --set time.end=400ms --set checkpoint.every=100ms --set activation.beats=2
        --set stimuli[0].period=330ms --set stimuli[0].count=2"
    maps=activation_time,repolarization_time,apd90,apd50,diastolic_interval,cycle_length,dvdt_max,peak,rest,conduction_velocity,beats
    expect 0 "" "$cardiac" run a.yaml --output rows $paced
    expect 0 "" "$cardiac" run a.yaml --output maps $paced --set output.maps=[$maps]
    head -1 maps/beats.csv | grep -q "^probe,beat,activation_time (ms),cycle_length (ms),diastolic_interval (ms),apd90 (ms),peak (mV),rest (mV),repolarization_time (ms),apd50 (ms),dvdt_max (mV/ms),conduction_velocity (m/s)$" ||
        { cat maps/beats.csv; fail "header of beats.csv"; }
    cut -d, -f1-8 maps/beats.csv | cmp rows/beats.csv - || { cat rows/beats.csv maps/beats.csv; fail "beats with maps and without"; }
    rm -r maps/checkpoint-{6000,8000}.h5; cp maps/beats.csv whole.csv; cp maps/run.vtkhdf whole.vtkhdf
    expect 0 "resumed from maps/checkpoint-4000.h5" "$cardiac" run a.yaml --output maps $paced --set output.maps=[$maps] --resume
    cmp maps/beats.csv whole.csv || fail "beats.csv of a resumed run with maps"
    same maps/run.vtkhdf whole.vtkhdf
    rm rows/checkpoint-8000.h5
    expect 2 "activation.rearm was not given and is -50 mV" "$cardiac" run a.yaml --output maps $paced --set output.maps=[$maps] --set activation.rearm=-50 --resume
    expect 2 "the checkpoint has no low, rest, peak, level_90, repolarization_90" "$cardiac" run a.yaml --output rows $paced --set output.maps=[apd90] --resume
fi

# A stimulus that captured nothing, and a threshold that nothing reaches
weak='stimuli=[{name: S1, box: {min: [0, 0, 0], max: [1.5, 3, 3]}, duration: 1 ms, current: 50 uA/uF},
    {name: weak, box: {min: [5, 0, 0], max: [6, 3, 3]}, start: 1 ms, duration: 1 ms, current: 1 uA/uF}]'
expect 0 "" "$cardiac" run a.yaml --output weak --set "$weak" --set mesh.slab.size='[60 mm, 2.4 mm, 1.2 mm]' --set mesh.slab.spacing=0.6mm \
    --set output.probes={} --set time.end=22ms --set stimuli[1].box='{min: [50, 0, 0], max: [60, 3, 3]}'
grep -q "warning: stimulus weak at 1 ms: captured nothing, too weak or too short: it raised none of its 255 nodes" said || { cat said; fail "no warning"; }
[ "$(grep -c "captured nothing" said)" = 1 ] || { cat said; fail "S1 is said to capture nothing"; }
[ ! -e weak/beats.csv ] || fail "a table without probes"
expect 0 "it raised none of its 160 nodes through the threshold" "$cardiac" run a.yaml --output never --set activation.threshold=60mV --set time.end=21ms
[ "$(grep -c "captured" said)" = 1 ] || { cat said; fail "said twice"; }
expect 0 "warning: stimulus S1 at 0 ms: captured nothing, too weak or too short: it raised none of its 160 nodes through the threshold (activation.threshold, 60 mV) in the 1 ms until" "$cardiac" run a.yaml --output short --set activation.threshold=60mV --set time.end=1ms

# One direction for all fibres is cell data of the result, and goes with its mesh into other formats
grep -q 'Name="fiber" AttributeType="Vector" Center="Cell"' a/run.xdmf || fail "no fibres in run.xdmf"
expect 0 "3840 tetrahedra" "$cardiac" mesh convert a/run.vtkhdf a.pts
[ "$(sed 1d a.lon | LC_ALL=C sort | uniq -c | sed 's/^ *//')" = "3840 0.9805806875228882 0.1961161345243454 0" ] ||
    fail "fibres of a.lon: $(head -3 a.lon)"

# Existing results
expect 2 "--overwrite replaces it" "$cardiac" run a.yaml
expect 0 "" "$cardiac" run a.yaml --overwrite --quiet
grep -qv "^cardiac: warning: " said && { cat said; fail "--quiet printed more than warnings"; }

# Tables in V: other bits than without, the same for any number of threads, near the exact run
if [ ! $sanitized ]; then # whose time goes into the loops over cells, and those of cpu-plain; test_tables and test_ionic have them
    expect 0 "" "$cardiac" run a.yaml --output t1 --set ionic.tables=on --set checkpoint.every=8ms
    expect 0 "" "$cardiac" run a.yaml --output t3 --set ionic.tables=on --set checkpoint.every=8ms --threads 3
    same t1/checkpoint-400.h5 t3/checkpoint-400.h5
    expect 1 "" "$cardiac" compare a/checkpoint-400.h5 t1/checkpoint-400.h5 --tolerance 1e-9
    expect 0 "" "$cardiac" compare a/run.vtkhdf t1/run.vtkhdf --field V --tolerance 0.01
    expect 0 "" "$cardiac" run a.yaml --output d --device cpu-plain --threads 3 --set time.end=2ms
    same a/checkpoint-100.h5 d/checkpoint-100.h5
fi
expect 2 "none.h5: No such file" "$cardiac" compare a/checkpoint-400.h5 none.h5
expect 2 "ionic.tables: passive has no tables in V: it has too few functions of V for them" \
    "$cardiac" check a.yaml --set ionic.tables=on --set 'tissue.regions[0].model=passive' --set 'output.fields=[V]'

# Output intervals, threads, units, device tables
expect 0 "" "$cardiac" run a.yaml --output b --set output.every=2ms --set output.probes_every=0.5ms
same a/checkpoint-400.h5 b/checkpoint-400.h5
expect 0 "" "$cardiac" run a.yaml --output c --set output.every=0.1ms --set checkpoint.every=8ms --threads 1
same a/checkpoint-400.h5 c/checkpoint-400.h5
sed -e 's/\[6 mm, 2.4 mm, 1.2 mm\], spacing: 0.3 mm/[0.6 cm, 2400 um, 1.2e-3 m], spacing: 300um/' -e 's/1400 \/cm/140 \/mm/' \
    -e 's/1 uF\/cm^2/0.01 uF\/mm^2/' -e 's/0.133 S\/m/1.33 mS\/cm/' -e 's/0.0176 S\/m/17.6 mS\/m/' -e 's/step: 0.02 ms/step: 20 us/' \
    -e 's/50 uA\/uF/50 V\/s/' -e 's/end: 8 ms/end: 0.008 s/' a.yaml > units.yaml
grep -q '0.02 ms\|1400' units.yaml && fail "the units were not replaced"
expect 0 "" "$cardiac" run units.yaml --output u
same a/checkpoint-400.h5 u/checkpoint-400.h5

# Killed, at one moment or three, then resumed: the same checkpoint, frames and probes
rows() { [ "$(wc -l < "$1/probes.csv")" -ge "$2" ]; } 2> /dev/null # rows DIR N: its probes have so many lines
for row in $(full && echo 1 7) 4; do
    rm -rf k
    "$cardiac" run a.yaml --output k --quiet & pid=$!
    wait_for "row $row of the probes" rows k $row
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
    expect 0 "" "$cardiac" run a.yaml --output k --resume
    same a/checkpoint-400.h5 k/checkpoint-400.h5
    same a/run.vtkhdf k/run.vtkhdf
    cmp a/probes.csv k/probes.csv || fail "probes.csv after a kill at row $row"
done

# Stopped by the clock: status 4
expect 4 "go on with --resume" "$cardiac" run a.yaml --output s --stop-after 0.005 --set time.end=8ms
expect 0 "resumed from s/checkpoint-" "$cardiac" run a.yaml --output s --resume
same a/run.vtkhdf s/run.vtkhdf
"$cardiac" run a.yaml --output i --set time.end=1000s > said 2>&1 & pid=$!
wait_for "first rows" rows i 3
# while one run writes there, no other does
expect 2 "i: another run is writing there" "$cardiac" run a.yaml --output i --overwrite
expect 2 "i: another run is writing there" "$cardiac" run a.yaml --output i --resume
kill -TERM $pid; wait $pid; got=$?
[ $got = 143 ] || { cat said; fail "status $got after SIGTERM, want 143"; }

# Nothing of an earlier run goes unasked, neither frames nor checkpoints
cp -r a o; rm o/run.vtkhdf o/probes.csv
expect 2 "o/checkpoint-400.h5 exists" "$cardiac" run a.yaml --output o
expect 2 "o/checkpoint-400.h5 lies in the output directory" \
    "$cardiac" run a.yaml --output o --overwrite --set initial.file="$dir/o/checkpoint-400.h5"
same a/checkpoint-400.h5 o/checkpoint-400.h5

# Resumed where the result is gone, at the end, and past it
rm o/checkpoint-400.h5
expect 0 "o/run.vtkhdf does not exist: a new one begins at 7 ms" "$cardiac" run a.yaml --output o --resume
same a/checkpoint-400.h5 o/checkpoint-400.h5
[ "$("$cardiac" info o/run.vtkhdf | grep -c '^  steps  *400$')" = 1 ] || fail "steps of a resumed run"
[ "$(wc -l < o/probes.csv)" = 3 ] || fail "probes.csv of a resumed run"
expect 0 "no steps remain" "$cardiac" run a.yaml --output o --resume
same a/run.vtkhdf a/run.vtkhdf
expect 2 "past time.end (5 ms)" "$cardiac" run a.yaml --output o --resume --set time.end=5ms

# Stop conditions: quiet only when no stimulus is to come; all activated, and again when resumed
quiet="--set mesh.slab.spacing=0.6mm --set tissue.regions[0].model=passive --set output.fields=[V] --set output.every=10ms
    --set activation.threshold=-80mV --set stimuli[0].period=30ms --set stimuli[0].count=2"
expect 0 "the tissue is quiescent at 4" "$cardiac" run a.yaml --output w $quiet --set 'tissue.regions[0].parameters={g: 1}' \
    --set checkpoint.every=0 --set time.end=90ms --set stop_when=quiescent
# and from any checkpoint on at the same time: between two looks at the tissue, at one, and at the last
end=$(sed -n 's/^the tissue is quiescent at \([0-9]*\) ms: stopped/\1/p' w/run.log)
quiet="$quiet --set tissue.regions[0].parameters={g: 1} --set stop_when=quiescent"
for at in $((end - 1)).5 $(full && echo $((end - 1)) $end); do
    readarray -t args < <(sed "s,  *--set ,\n,g; s,^--set ,," <<< "$quiet" | sed "/^$/d; s,^,--set=,")
    expect 0 "" "$cardiac" run a.yaml --output w$at "${args[@]}" --set checkpoint.every=${at}ms --set time.end=${at}ms --set output.every=0.5ms
    expect 0 "the tissue is quiescent at $end ms" "$cardiac" run a.yaml --output w$at "${args[@]}" --resume --set checkpoint.every=0 --set time.end=90ms --set output.every=0.5ms
done
stop="--set stop_when=activated --set checkpoint.every=1ms --set tissue.regions[0].model=mitchell-schaeffer --set output.fields=[V]"
expect 0 "all nodes are activated at" "$cardiac" run a.yaml --output v $stop --set time.end=40ms
grep -q "^activated: 945 of 945 nodes" v/run.log || { cat v/run.log; fail "not all nodes"; }
"$cardiac" info v/run.vtkhdf > before
expect 0 "all nodes are activated at" "$cardiac" run a.yaml --output v $stop --set time.end=40ms --resume
"$cardiac" info v/run.vtkhdf | diff before - || fail "resuming a finished run changed its result"

# Whoever starts it without input, output and errors: their numbers are not those of the result's files
"$cardiac" run a.yaml --output closed --set solver.precision_budget=1e-6mV <&- >&- 2>&-
same a/run.vtkhdf closed/run.vtkhdf
cmp a/probes.csv closed/probes.csv || fail "probes.csv of a run with closed standard files"

# Frames each step, thousands of them on their way, and no room for the last: those before stand, and a resumed run has all
often="--set output.every=0.02ms --set output.probes_every=0.1ms"
expect 0 "" "$cardiac" run a.yaml --output full $often
(ulimit -f 2000; exec "$cardiac" run a.yaml --output part $often) > said 2>&1; got=$?
[ $got = 3 ] || { cat said; fail "status $got where a file cannot grow, want 3"; }
grep -q "failed: part/run.vtkhdf: .*; the last good checkpoint is " part/run.log || { cat part/run.log; fail "the log of a full disk"; }
frames=$("$cardiac" info part/run.vtkhdf | sed -n 's/^frames  *\([0-9]*\),.*/\1/p')
[ "${frames:-0}" -gt 100 ] || fail "$frames frames before the disk was full"
expect 0 "resumed from" "$cardiac" run a.yaml --output part --resume $often
same full/run.vtkhdf part/run.vtkhdf
cmp full/probes.csv part/probes.csv || fail "probes.csv after a full disk"

# Options that stand for a key are texts, not YAML, and errors name them
expect 0 "results: a: {b #1/run.vtkhdf" "$cardiac" run a.yaml --output 'a: {b #1' --set time.end=1ms
expect 0 "results: null/run.vtkhdf" "$cardiac" run a.yaml --output null --set time.end=1ms --threads=2 --device cpu
expect 2 "cardiac: --threads: 'x' is not a whole number" "$cardiac" run a.yaml --threads x
expect 2 "cardiac: --device: 'gpu' is not one of auto, cpu" "$cardiac" run a.yaml --device gpu
expect 2 "cardiac: --output: not UTF-8 text" "$cardiac" run a.yaml --output $'l\xe9'

# Where the working folder's name is no UTF-8, the config that goes with a result can be read all the same
mkdir $'l\xe9' && seq 0 20 > $'l\xe9/n.txt' && sed 's/box: {.*}, dur/nodes: n.txt, dur/' a.yaml > $'l\xe9/a.yaml'
(cd $'l\xe9' && expect 0 "" "$cardiac" run a.yaml --output a --set time.end=1ms && "$cardiac" info --config a/run.vtkhdf > b.yaml) || exit 1
grep -q 'nodes: "/.*/l\\xe9/n.txt"' $'l\xe9/b.yaml' || { cat $'l\xe9/b.yaml'; fail "the path in a folder that is no UTF-8"; }
expect 2 "n.txt: No such file" "$cardiac" check $'l\xe9/b.yaml'

# What does not belong together is refused
expect 2 "s/checkpoint-400.h5: solver.splitting was staggered and is godunov; resume refused (initial.file: s/checkpoint-400.h5 with another --output" \
    "$cardiac" run a.yaml --output s --resume --set solver.splitting=godunov
expect 2 "tissue.fibers[1] was 0.2 and is 0, tissue.regions[0].parameters was not given and is of another form, stimuli[0].duration was 1 ms and is 2 ms" \
    "$cardiac" run a.yaml --output s --resume --set 'tissue.fibers=[1, 0, 0]' --set 'tissue.regions[0].parameters={g_Na: 15}' --set 'stimuli[0].duration=2 ms'
expect 2 "" "$cardiac" run a.yaml --output s --resume --set mesh.slab.spacing=0.6mm
expect 0 "starting from the beginning" "$cardiac" run a.yaml --output fresh --resume --set time.end=1ms

# Another run's state as the initial one: V and every state
expect 0 "" "$cardiac" run a.yaml --output j --set initial.file=a/checkpoint-400.h5 --set time.end=1ms
expect 2 "" "$cardiac" run a.yaml --output j2 --set initial.file=a/run.vtkhdf --set time.end=1ms

# Failures of a run: status 3, the node and its place, what is left
expect 3 "blow-up in step 100 (t = 2 ms): V = " "$cardiac" run a.yaml --output x \
    --set 'stimuli[0]={sphere: {centre: [3.6, 1.5, 0.6], radius: 0.1 mm}, start: 2 ms, duration: 1 ms, current: 1e6 uA/uF}'
grep -qF "last good checkpoint is checkpoint-100.h5" said || { cat said; fail "no way back is named"; }
grep -q "node $(((2 * 9 + 5) * 21 + 12)) (3.6, 1.5, 0.6 mm)" said || { cat said; fail "the node is not named with its place"; }
same x/run.vtkhdf x/run.vtkhdf
# every frame before it was written, and is the one of a run that stops there
blow="--set stimuli[0].start=2ms --set output.every=0.02ms --set checkpoint.every=0"
expect 3 "blow-up in step" "$cardiac" run a.yaml --output x2 $blow --set 'stimuli[0].current=1e6 uA/uF'
last=$(sed -n 's/.*blow-up in step \([0-9]*\).*/\1/p' said)
[ "$("$cardiac" info x2/run.vtkhdf | sed -n 's/^frames  *\([0-9]*\),.*/\1/p')" = $((last + 1)) ] ||
    { cat said; "$cardiac" info x2/run.vtkhdf; fail "frames before the blow-up"; }
# what a failed run advises is possible: the limits of a step change none that is finished
tight="--set checkpoint.every=0.1ms --set time.end=3ms --set stimuli[0].start=1ms --set stimuli[0].current=-50uA/uF"
expect 3 "blow-up in step" "$cardiac" run a.yaml --output limits $tight --set solver.voltage_limit=90mV
grep -q "the last good checkpoint is checkpoint-50.h5: --resume continues from it with a larger solver.voltage_limit" said || { cat said; fail "the advice"; }
expect 0 "resumed from limits/checkpoint-50.h5" "$cardiac" run a.yaml --output limits $tight --resume --set solver.voltage_limit=900mV
expect 0 "" "$cardiac" run a.yaml --output unlimited $tight
same unlimited/checkpoint-150.h5 limits/checkpoint-150.h5
same unlimited/run.vtkhdf limits/run.vtkhdf
stiff="--set solver.method=jacobi --set solver.tolerance=1e-12mV --set tissue.regions[0].conductivity=120S/m --set checkpoint.every=0.1ms"
expect 3 "sweeps left an error" "$cardiac" run a.yaml --output y $stiff --set stimuli[0].start=1ms
grep -q "raise solver.tolerance or shorten time.step; the last good checkpoint is checkpoint-50.h5: to continue from it with other keys" said || { cat said; fail "the advice"; }
expect 3 "rounding of fp32 rows alone leaves about" "$cardiac" run a.yaml --output y2 $stiff --set solver.precision=mixed --set solver.precision_budget=1mV
expect 2 "beyond 0.2 ms V overshoots" "$cardiac" run a.yaml --output f --set time.step=0.5ms
echo "test_run: passed"
