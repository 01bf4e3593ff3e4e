#!/bin/bash
# test_resume.sh CARDIAC: where a run may go on or start from, and what then stands in its files: no frame beyond the end that the
# config says, none twice; node lists are part of what must not change; a frame of a result as the initial state. All bit for bit.
. "$(dirname "$0")/../support/run_helpers.sh"

cat > a.yaml <<'EOF'
version: 1
mesh: {slab: {size: [3 mm, 1.2 mm, 0.6 mm], spacing: 0.3 mm}}
tissue:
  surface_to_volume: 1400 /cm
  fibers: [1, 0.2, 0]
  regions:
    - {tags: all, model: tp06-epi, conductivity: {longitudinal: 0.133 S/m, transverse: 0.0176 S/m}}
stimuli:
  - {nodes: first.txt, duration: 1 ms, current: 50 uA/uF}
time: {end: 8 ms, step: 0.02 ms}
solver: {precision: double}
output: {directory: a, every: 1 ms, probes_every: 0.5 ms, fields: [V, Ca_i], probes: {far: [3 mm, 1.2 mm, 0.6 mm]}}
ecg: {every: 0.5 ms, electrodes: {RA: [-5 mm, 0 mm, 9 mm], LA: [8 mm, 0 mm, 9 mm], LL: [2 mm, 1 mm, -20 mm], V2: [9 mm, 2 mm, 0 mm], inside: [1.5 mm, 0.6 mm, 0.31 mm]}}
checkpoint: {every: 1 ms, keep: 9}
EOF
for row in $(seq 0 14); do echo $((11 * row)) $((11 * row + 1)) $((11 * row + 2)); done > first.txt # x up to 0.6 mm
cp first.txt kept.txt
expect 0 "ecg: I, II, III, aVR, aVL, aVF, V2, inside every 0.5 ms; conductivity around the tissue 0.2 S/m; amplitudes are relative" "$cardiac" run a.yaml
grep -q "ecg: electrode inside is in the tissue, 0.01 mm from a node" said || { cat said; fail "the electrode in the tissue"; }
[ "$(head -1 a/ecg.csv)" = "time (ms),I (mV),II (mV),III (mV),aVR (mV),aVL (mV),aVF (mV),V2 (mV),inside (mV)" ] || fail "header of ecg.csv"
[ "$(wc -l < a/ecg.csv)" = 18 ] || fail "ecg.csv has $(wc -l < a/ecg.csv) lines"
# the wave runs along x: towards LA and V2, away from RA; I + III = II and the augmented leads add up to 0, to rounding
awk -F, 'NR > 1 { if (NR < 13 && NR > 4 && !($2 > 0 && $8 > 0)) bad = 1; d = $2 + $4 - $3; e = $5 + $6 + $7; if (d * d > 1e-30 || e * e > 1e-30) bad = 1 }
    END { exit bad || NR != 18 }' a/ecg.csv || { cat a/ecg.csv; fail "leads"; }
for way in $(full && echo --threads=1 output.every=0.5ms) --threads=3; do
    expect 0 "" "$cardiac" run a.yaml --output w --overwrite $(case $way in --*) echo "${way/=/ }" ;; *) echo "--set $way" ;; esac)
    cmp w/ecg.csv a/ecg.csv || fail "ecg.csv with $way"
done
rm -r w

# consistent DIR FRESH: the result, its views, its sidecar, the probes and the newest checkpoint are those of a run that went straight
consistent() {
    same "$2/run.vtkhdf" "$1/run.vtkhdf"
    for table in probes ecg; do cmp "$1/$table.csv" "$2/$table.csv" || fail "$table.csv of $1"; done
    cmp "$1/run.xdmf" "$2/run.xdmf" || fail "run.xdmf of $1"
    [ "$(cd "$1" && ls)" = "$(cd "$2" && ls)" ] || fail "files of $1: $(ls "$1")"
    [ ! -e "$1/run.vtkhdf.journal" ] || fail "a journal is left in $1"
}

# A run of 8 ms whose newest checkpoint is at 3 ms, resumed to 5 ms, to 8 ms, beyond, and to where the checkpoint stands
rest="--set checkpoint.every=1ms"
for end in 3 $([ $sanitized ] || echo 5 8) 9; do
    cp -r a r$end; cp a/checkpoint-50.h5 r$end/checkpoint-77.h5.tmp # which a killed run was writing
    rm r$end/checkpoint-{200,250,300,350,400}.h5
    expect 0 "resumed from r$end/checkpoint-150.h5 at 3 ms" "$cardiac" run a.yaml --output r$end --resume --set time.end=${end}ms
    grep -q "frames after the checkpoint: $((end < 8 ? end - 3 : 5)) computed again and equal, 0 replaced, $((end < 8 ? 8 - end : 0)) dropped" said ||
        { cat said; fail "what became of the frames up to 8 ms"; }
    expect 0 "" "$cardiac" run a.yaml --output f$end --set time.end=${end}ms
    consistent r$end f$end
    same r$end/checkpoint-$((end * 50)).h5 f$end/checkpoint-$((end * 50)).h5
done

# What a file held when the checkpoint was written is there, or the resume is refused before it changes anything
whole() { # whole DIR WHAT: refused, and DIR is as it was but for its log
    cp -r "$1" before
    expect 2 "$2" "$cardiac" run a.yaml --output "$1" --resume
    grep -q "resume refused (put the newer file back" said || { cat said; fail "not said what to do"; }
    rm -f "$1/run.log" before/run.log; diff -r "$1" before || fail "a refused resume changed $1"
    rm -r before
}
cp -r a m; rm m/checkpoint-{350,400}.h5
cp f3/run.vtkhdf m/
whole m "m/run.vtkhdf: it holds 4 frames up to 6 ms; when m/checkpoint-300.h5 was written it held 7; resume refused"
whole m "remove the checkpoints after 3 ms to continue from an earlier one"
expect 0 "" "$cardiac" run a.yaml --output g --set output.probes_every=1ms
cp g/run.vtkhdf m/
whole m "m/run.vtkhdf: it holds 7 rows of the probes up to 6 ms; when m/checkpoint-300.h5 was written it held 13"
expect 2 "ecg.conductivity was 0.2 S/m and is 0.3 S/m" "$cardiac" run a.yaml --output m --resume --set ecg.conductivity=0.3
cp f3/run.vtkhdf m/; rm m/checkpoint-{200,250,300}.h5 # as it says
sed -i 5d m/ecg.csv; rm m/probes.csv                         # and the tables are made again from the result
expect 0 "resumed from m/checkpoint-150.h5 at 3 ms" "$cardiac" run a.yaml --output m --resume
consistent m a
rm m/checkpoint-400.h5; mv m/run.vtkhdf old.vtkhdf # or this
expect 0 "m/run.vtkhdf does not exist: a new one begins at 7 ms" "$cardiac" run a.yaml --output m --resume
cmp a/ecg.csv m/ecg.csv.old && cmp <(sed '2,15d' a/ecg.csv) m/ecg.csv || { cat m/ecg.csv; fail "the tables of a result that is gone"; }
cp a/checkpoint-350.h5 m/; rm m/checkpoint-400.h5
whole m "m/run.vtkhdf: it holds 1 frames up to 7 ms"
rm -r m g old.vtkhdf

# Resumed with frames at other times: those after the checkpoint are the new ones
cp -r a r; rm r/checkpoint-{200,250,300,350,400}.h5
expect 0 "" "$cardiac" run a.yaml --output r --resume --set output.every=2.5ms
times=$(sed -n 's/.*<Time Value="\([^"]*\)".*/\1/p' r/run.xdmf | tr '\n' ' ')
[ "$times" = "0 1 2 3 5 7.5 " ] || fail "frames at $times, want 0 1 2 3 5 7.5"
same a/checkpoint-400.h5 r/checkpoint-400.h5

# A frame and a row that are due where the checkpoint stands, by new intervals alone, are not left out
expect 0 "" "$cardiac" run a.yaml --output t --set time.end=3ms --set output.every=2ms --set output.probes_every=2ms
expect 0 "" "$cardiac" run a.yaml --output t --resume --set output.every=1.5ms --set output.probes_every=1.5ms
times=$(sed -n 's/.*<Time Value="\([^"]*\)".*/\1/p' t/run.xdmf | tr '\n' ' ')
[ "$times" = "0 2 3 4.5 6 7.5 " ] || fail "frames at $times, want 0 2 3 4.5 6 7.5"
[ "$(cut -d, -f1 t/probes.csv | tr '\n' ' ')" = "time (ms) 0 2 3 4.5 6 7.5 " ] || { cat t/probes.csv; fail "rows of the probes"; }
same a/checkpoint-400.h5 t/checkpoint-400.h5

# A probe of the same name at another place
expect 2 "t/run.vtkhdf: probe far reads node 164 there and 0 in this run" "$cardiac" run a.yaml --output t --resume --set time.end=9ms \
    --set 'output.probes={far: [0 mm, 0 mm, 0 mm]}'

# A stop condition that is met earlier than where the earlier run ended
stop="--set stop_when=activated --set output.every=0.5ms"
expect 0 "" "$cardiac" run a.yaml --output q $stop --set stop_when=never
expect 0 "all nodes are activated at" "$cardiac" run a.yaml --output p $stop
newest=$(ls p | sed -n 's/^checkpoint-\(.*\)[.]h5$/\1/p' | sort -n | tail -1)
[ "$newest" -lt 400 ] || fail "the activated tissue was not stopped: checkpoint $newest"
for step in $(seq "$newest" 50 400); do rm "q/checkpoint-$step.h5"; done
expect 0 "all nodes are activated at" "$cardiac" run a.yaml --output q $stop --resume
consistent q p
# One that is met where the checkpoint stands, while the last frame is missing: a signal can come between the two
stop="--set stop_when=activated --set output.every=8ms"
expect 0 "" "$cardiac" run a.yaml --output v $stop
end=$("$cardiac" info v/run.vtkhdf | sed -n 's/^frames  *2, 0 to \([0-9]*\) ms$/\1/p')
[ -n "$end" ] || { "$cardiac" info v/run.vtkhdf; fail "the tissue was not activated at a whole millisecond"; }
expect 0 "" "$cardiac" run a.yaml --output w $stop --set time.end=${end}ms --set stop_when=never
expect 0 "all nodes are activated at $end ms" "$cardiac" run a.yaml --output w $stop --resume
consistent w v

# The contents of a list are part of a run: written anew it goes on, with others it does not
rm first.txt && cp kept.txt first.txt
expect 0 "no steps remain" "$cardiac" run a.yaml --output a --resume
sed 1d kept.txt > first.txt
expect 2 "stimuli[0].nodes: the file has other contents; resume refused" "$cardiac" run a.yaml --output a --resume
rm first.txt
expect 2 "first.txt" "$cardiac" run a.yaml --output a --resume
mv kept.txt first.txt
expect 0 "no steps remain" "$cardiac" run a.yaml --output a --resume

# A frame of a result with V and every state as the initial state: what a checkpoint at that time gives
states=$("$cardiac" models tp06-epi | sed -n '/^States/,/^$/p' | awk 'NR > 1 && NF { printf ", %s", $1 }')
expect 0 "" "$cardiac" run a.yaml --output s --set "output.fields=[V$states]" --set output.precision=float64
expect 0 "" "$cardiac" run a.yaml --output c --set initial.file=s/checkpoint-200.h5 --set time.end=2ms
expect 0 "" "$cardiac" run a.yaml --output i --set initial.file=s/run.vtkhdf --set initial.time=4ms --set time.end=2ms
same c/checkpoint-100.h5 i/checkpoint-100.h5
expect 1 "" "$cardiac" compare c/checkpoint-50.h5 a/checkpoint-50.h5 --tolerance 1e-6
expect 0 "" "$cardiac" run a.yaml --output l --set initial.file=s/run.vtkhdf --set time.end=1ms
expect 0 "" "$cardiac" run a.yaml --output m --set initial.file=s/checkpoint-400.h5 --set time.end=1ms
same l/checkpoint-50.h5 m/checkpoint-50.h5
# the same from names with the model before them
expect 0 "" "$cardiac" run a.yaml --output n --set "output.fields=[V${states//, /, tp06-epi/}]" --set output.precision=float64 --set time.end=4ms
expect 0 "" "$cardiac" run a.yaml --output o --set initial.file=n/run.vtkhdf --set initial.time=4ms --set time.end=2ms
same c/checkpoint-100.h5 o/checkpoint-100.h5

# What stands in initial.file is part of a run, and not where: a case may be moved, and loses nothing with the file
mkdir case && cp a.yaml first.txt case && cp s/checkpoint-200.h5 case/start.h5
begin="--set initial.file=start.h5 --output case/out"
expect 0 "" "$cardiac" run case/a.yaml $begin --set time.end=1ms
mv case moved && begin=${begin//case/moved}
expect 0 "resumed from moved/out/checkpoint-50.h5" "$cardiac" run moved/a.yaml $begin --resume --set time.end=2ms
same c/checkpoint-100.h5 moved/out/checkpoint-100.h5
expect 2 "that run started from an initial.file, this one starts at rest; resume refused" "$cardiac" run moved/a.yaml --output moved/out --resume
cp s/checkpoint-250.h5 moved/start.h5
expect 2 "this one starts from another one; resume refused" "$cardiac" run moved/a.yaml $begin --resume
rm moved/start.h5
expect 0 "moved/start.h5: No such file or directory; whether this run began" "$cardiac" run moved/a.yaml $begin --resume --set time.end=3ms
cp s/checkpoint-200.h5 moved/start.h5
expect 0 "resumed from moved/out/checkpoint-150.h5" "$cardiac" run moved/a.yaml $begin --resume --set time.end=4ms
expect 0 "" "$cardiac" run moved/a.yaml --set initial.file=start.h5 --output straight --set time.end=4ms
consistent moved/out straight
expect 2 "that run started at rest, this one starts from an initial.file" "$cardiac" run a.yaml --output a --resume --set initial.file=moved/start.h5

# Names of states alone do not make an initial state of another model's
expect 2 "s/run.vtkhdf: node 0 is tp06-epi there and tp06-endo here" "$cardiac" run a.yaml --output z --set initial.file=s/run.vtkhdf \
    --set tissue.regions[0].model=tp06-endo

# What is missing is listed; so is what cannot be
expect 2 "a/run.vtkhdf: it cannot be the initial state: tp06-epi/Xr1, tp06-epi/Xr2" "$cardiac" run a.yaml --output z --set initial.file=a/run.vtkhdf
grep -q "tp06-epi/K_i" said && ! grep -q "tp06-epi/Ca_i" said || { cat said; fail "the list of what is missing"; }
expect 2 "it has no frame at 4.4 ms; the nearest is at 4 ms" "$cardiac" run a.yaml --output z --set initial.file=s/run.vtkhdf --set initial.time=4.4ms
expect 2 "is a checkpoint, which holds a single time" "$cardiac" check a.yaml --set initial.file=s/checkpoint-200.h5 --set initial.time=4ms
expect 2 "nosuch.h5: No such file" "$cardiac" check a.yaml --set initial.file=nosuch.h5
expect 2 "nosuch.h5: No such file" "$cardiac" run a.yaml --output z --dry-run --set initial.file=nosuch.h5
expect 2 "it cannot be the initial state: mitchell-schaeffer/h" "$cardiac" run a.yaml --output z --set initial.file=a/run.vtkhdf --set tissue.regions[0].model=mitchell-schaeffer \
    --set output.fields=[V]

# A result goes on with its own fields: of one that came to an end a reader cannot determine where its frames are
fields() { "$cardiac" run a.yaml --output fields --set output.probes={} --set "output.fields=[$1]" "${@:2}"; }
expect 0 "" fields "V, Ca_i" --set time.end=1ms
cp fields/run.vtkhdf before.vtkhdf
expect 2 "the result has a field Ca_i that this run does not write, so it cannot be continued" fields V --resume --set time.end=2ms
expect 2 "the result has no field Na_i, so this run cannot continue it" fields "V, Ca_i, Na_i" --resume --set time.end=2ms
same fields/run.vtkhdf before.vtkhdf
expect 0 "resumed" fields "Ca_i, V" --resume --set time.end=2ms
expect 0 "" fields "V, Ca_i" --overwrite --set time.end=2ms --output whole
same fields/run.vtkhdf whole/run.vtkhdf

# ... and a map that it no longer makes is reported
expect 0 "" "$cardiac" run a.yaml --output fewer --set activation.beats=2 --set 'output.maps=[activation_time, peak, rest]' --set time.end=1ms
expect 0 "warning: fewer/run.vtkhdf: peak, rest: no longer among output.maps" "$cardiac" run a.yaml --output fewer --resume --set activation.beats=2 --set 'output.maps=[activation_time]' --set time.end=2ms

# A run that replaces another leaves none of its tables
cp -r a replaced
expect 0 "" "$cardiac" run a.yaml --output replaced --overwrite --set output.probes={} --set ecg={} --set time.end=1ms
[ "$(ls replaced)" = "$(printf '%s\n' checkpoint-50.h5 run.lock run.log run.vtkhdf run.xdmf)" ] || fail "left behind: $(ls replaced)"
# Staggered steps: gates are half a step behind in a checkpoint, and of now in fields and where a run starts from one
staggered="--set output.fields=[V,Ca_i,INa]"
# shellcheck disable=SC2086
expect 0 "" "$cardiac" run a.yaml --output half $staggered
cp -r half again; rm again/checkpoint-{200,250,300,350,400}.h5
# shellcheck disable=SC2086
expect 0 "resumed from again/checkpoint-150.h5 at 3 ms" "$cardiac" run a.yaml --output again --resume $staggered
consistent again half
same again/checkpoint-400.h5 half/checkpoint-400.h5
expect 2 "solver.splitting was staggered and is godunov" "$cardiac" run a.yaml --output again --resume --set "output.fields=[V,Ca_i,INa]" --set solver.splitting=godunov
for splitting in godunov staggered; do
    expect 0 "" "$cardiac" run a.yaml --output other --overwrite --set initial.file=half/checkpoint-150.h5 --set stimuli=[] --set solver.splitting=$splitting
done
rm -r half again other
[ ! $sanitized ] || exit 0 # by the code above
# What auto chose, rkl2 here, is the same in a resumed run
auto="--set mesh.slab.spacing=0.15mm --set time.step=0.125ms --set output.probes_every=1ms --set ecg={}"
seq 0 8 60 > first.txt
# shellcheck disable=SC2086
expect 0 "" "$cardiac" run a.yaml --output auto $auto
grep -q "method: rkl2, [0-9]* stages a step; jacobi would take about" auto/run.log || fail "$(cat auto/run.log)"
cp -r auto again; rm again/checkpoint-{32,40,48,56,64}.h5
# shellcheck disable=SC2086
expect 0 "resumed from again/checkpoint-24.h5 at 3 ms" "$cardiac" run a.yaml --output again --resume $auto
same again/run.vtkhdf auto/run.vtkhdf
same again/checkpoint-64.h5 auto/checkpoint-64.h5
echo "test_resume: passed"
