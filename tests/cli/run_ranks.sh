#!/bin/bash
# run_ranks.sh CARDIAC START COMM: runs of several ranks: the files of one rank, bit for bit; resumed by other numbers of them; faults of the
# input, the tissue and the disk end all with one message and the status of one; asked to stop, they write one checkpoint.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
export ASAN_OPTIONS=detect_leaks=0 # of MPI itself
local_ranks "$2" "$3" # MPI itself, where it is, starts three of the cases below
if mpi_is_here; then
    launch="mpirun --oversubscribe --bind-to none -n" parallel=$cardiac
else
    echo "ranks that MPI starts: skipped"
    launch=$start parallel=$local
fi
mkdir bin

cp "$source/tests/cli/ranks.yaml" a.yaml
expect 0 "" "$cardiac" run a.yaml
! grep "other ranks" a/run.log || fail "one rank exchanges nothing"

# whole DIR: the files of the run of one rank
whole() {
    same a/run.vtkhdf "$1/run.vtkhdf"
    same a/checkpoint-300.h5 "$1/checkpoint-300.h5"
    for table in probes ecg beats; do cmp "a/$table.csv" "$1/$table.csv" || fail "$table.csv of $1"; done
    [ "$(cd "$1" && ls)" = "$(cd a && ls)" ] || fail "files of $1: $(ls "$1")"
}
expect 0 "ranks: 3, 3 of them on this machine" timeout -k 5 240 $launch 3 "$parallel" run a.yaml --output b3
[ "$(grep -c "^results: " said)" = 1 ] || { cat said; fail "not one rank speaks"; }
sed -n 's/^time a step: \([^ ]*\) ms.*/\1/p; s/^exchange with other ranks: \(.*\) to \(.*\) ms a step (\(.*\) to \(.*\) %), waits .*/\1 \2 \3 \4/p' b3/run.log |
    awk 'NR == 1 { step = $1 } # a percentage is of the steps of its own rank
        NR == 2 { ok = 0 < $1 && $1 <= $2 && $2 <= 1.5 * step && 0 < $3 && $3 <= $4 && $4 <= 100
            for (k = 1; k <= 2; k++) ok = ok && 50 * $k < step * $(k + 2) && step * $(k + 2) < 200 * $k }
        END { exit !ok }' || { cat b3/run.log; fail "what exchanging took"; }
lines() { grep "stimulus .* at \|stimulus .* pulses\|^activated\|not activated\|the wave of\|^APD90\|^ECG" "$1/run.log"; }
[ "$(lines a)" = "$(lines b3)" ] && lines a | grep -q stimulus || { lines a; lines b3; fail "what the tissue did"; }
expect 0 "$(grep "^nodes of a rank: " b3/run.log)" "$cardiac" check a.yaml --ranks 3
whole b3
expect 2 "--ranks 0: must be at least 1" "$cardiac" check a.yaml --ranks 0
expect 2 "1000 ranks for 392 nodes: each rank requires a node; start fewer" "$cardiac" check a.yaml --ranks 1000
# Velocities are measured on any number of ranks, also where neither the ECG nor a map needs the whole mesh
for n in 1 2 3; do
    [ $n = 1 ] && many=() || many=(here $n)
    expect 0 "" "${many[@]}" "$local" run a.yaml --output v$n --set "output.maps=[activation_time]" --set "ecg={}"
    grep "^velocity" v$n/run.log > v$n.said || { cat v$n/run.log; fail "no velocity on $n ranks"; }
    cmp v1.said v$n.said || fail "velocities on $n ranks"
    same v1/run.vtkhdf v$n/run.vtkhdf
done
rm -r v[123] b3
# What auto chooses
auto="--set mesh.slab.spacing=0.15mm --set time.step=0.125ms --set checkpoint.every=6ms --set ecg={}"
# shellcheck disable=SC2086
expect 0 "" "$cardiac" run a.yaml --output r1 $auto
# shellcheck disable=SC2086
expect 0 "" here 3 "$local" run a.yaml --output r3 $auto
grep -q "method: rkl2, [0-9]* stages a step" r3/run.log || fail "$(cat r3/run.log)"
same r1/run.vtkhdf r3/run.vtkhdf
same r1/checkpoint-48.h5 r3/checkpoint-48.h5
rm -r r1 r3
# and what a run says of edges and fronts
cat > front.yaml <<'EOF'
version: 1
device: cpu
mesh: {sheet: {size: [8 mm, 3 mm], spacing: 0.1 mm}}
tissue: {surface_to_volume: 1400 /cm, fibers: [1, 0, 0], regions: [{model: tp06-epi, conductivity: {longitudinal: 0.6 S/m, transverse: 0.02 S/m}}]}
stimuli: [{where: x < 1 mm, duration: 1 ms, current: 50 uA/uF}]
time: {end: 400 ms, step: 0.1 ms}
output: {directory: front, every: 400 ms}
EOF
for n in 1 2; do
    [ $n = 1 ] && many=() || many=(here $n)
    expect 0 "mm are long for a front across the fibres" "${many[@]}" "$local" run front.yaml --dry-run
    grep "a front" said > f$n.said
done
cmp f1.said f2.said || { cat f1.said f2.said; fail "fronts on two ranks"; }

# A wave that is blocked: the same times, nodes and causes on three ranks, which read the elements back
cat > waves.yaml <<'EOC'
version: 1
mesh: {sheet: {size: [20 mm, 10 mm], spacing: 0.5 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {where: x < 8 mm, model: mitchell-schaeffer, parameters: {tau_open: 40 ms, tau_close: 20 ms}, conductivity: 0.2 S/m}
    - {model: mitchell-schaeffer, parameters: {tau_open: 40 ms, tau_close: 60 ms}, conductivity: 0.2 S/m}
stimuli:
  - {name: S1, where: x < 1 mm, duration: 2 ms, current: 50 uA/uF}
  - {name: S2, where: x < 1 mm, start: 100 ms, duration: 2 ms, current: 50 uA/uF}
  - {name: S3, where: x < 1 mm and y < 5 mm, start: 400 ms, duration: 2 ms, current: 50 uA/uF}
time: {end: 500 ms, step: 0.1 ms}
output: {every: 100 ms, maps: [activation_time]}
EOC
if full; then until=500 ranks=3; else until=250 ranks=2; fi
expect 0 "the wave of S2 at 100 ms was blocked" "$cardiac" run waves.yaml --device cpu --output w1 --set time.end=${until}ms
expect 0 "the wave of S2 at 100 ms was blocked" here $ranks "$local" run waves.yaml --device cpu --output w3 --set time.end=${until}ms
[ "$(lines w1)" = "$(lines w3)" ] || { lines w1; lines w3; fail "what the waves did"; }
rm -r w1 w3

# Where rank 0 needs all elements for nothing else, the others hand over theirs for the result.
sed -e '/^ecg:/d' -e 's/, conduction_velocity//' -e 's/^  fibers: .*/  fibers: {across: z, from: 60 deg, to: -60 deg}/' \
    -e 's/directory: a/directory: p/' a.yaml > parts.yaml
expect 0 "" "$cardiac" run parts.yaml --set time.end=1ms
expect 0 "" here 3 "$local" run parts.yaml --set time.end=1ms --output p3
same p/run.vtkhdf p3/run.vtkhdf
for result in p p3; do expect 0 "" "$cardiac" mesh convert $result/run.vtkhdf $result.vtk --scale 1mm; done
cmp p.vtk p3.vtk || fail "another mesh in the result of three ranks"
expect 0 "" here 3 "$local" run a.yaml --output r --set time.end=2ms
expect 0 "resumed from r/checkpoint-100.h5 at 2 ms" here 2 "$local" run a.yaml --output r --resume --set time.end=4ms
expect 0 "resumed from r/checkpoint-200.h5 at 4 ms" here 4 "$local" run a.yaml --output r --resume
whole r

# A result that is gone begins anew on all ranks.
expect 0 "" here 2 "$local" run a.yaml --output g --set time.end=2ms
rm g/run.vtkhdf
cp -r g g2
expect 0 "a new one begins at 2 ms" "$cardiac" run a.yaml --output g --resume
expect 0 "a new one begins at 2 ms" here 2 "$local" run a.yaml --output g2 --resume
same g/run.vtkhdf g2/run.vtkhdf
for folder in g g2; do
    sed -n '/a new one begins/,$p' $folder/run.log > resumed.log
    if grep -q QRS resumed.log; then fail "$folder: intervals of leads that begin within a beat"; fi
done

# Steps as long as V allows: the same lengths and repeated blocks, whatever the number of ranks, also when another number goes on.
cat > long.yaml <<'EOC'
version: 1
mesh: {sheet: {size: [6 mm, 2.4 mm], spacing: 0.4 mm}}
tissue:
  surface_to_volume: 1400 /cm
  fibers: [1, 0.2, 0]
  regions:
    - {where: x < 3 mm, model: tp06-epi, conductivity: 20 S/m} # 1000 sweeps are too few for the longest steps
    - {model: tp06-endo, conductivity: {longitudinal: 0.2 S/m, transverse: 0.03 S/m}}
stimuli:
  - {where: x < 1 mm, start: 3.33 ms, duration: 2 ms, current: 50 uA/uF}
time: {end: 80 ms, step: 0.05 ms, longest: 0.4 ms}
solver: {tolerance: 1e-9 mV, method: jacobi, precision: double}
output: {directory: l, every: 8 ms, maps: [activation_time, peak], probes: {far: [6 mm, 2.4 mm, 0 mm]}}
checkpoint: {every: 40 ms, keep: 9}
device: cpu
threads: 1
EOC
expect 0 "" "$cardiac" run long.yaml
taken=$(grep "^steps taken: " l/run.log)
echo "$taken" | awk '{ exit !($8 > 100 && $12 > 100 && $16 > 30 && $20 > 100 && $24 > 9) }' || fail "which steps were taken: $taken"
# long DIR RANKS MS: by as many ranks, with blocks that are repeated, and on by one
long() {
    expect 0 "" here "$2" "$local" run long.yaml --output "$1" --set time.end="$3 ms" --set checkpoint.every="$3 ms"
    grep -q "[1-9][0-9]* of 0.2 ms, .* blocks of 0.4 ms repeated" "$1/run.log" || fail "$(grep "^steps taken" "$1/run.log")"
    expect 0 "resumed from $1/checkpoint-$(($3 * 20)).h5 at $3 ms" "$cardiac" run long.yaml --output "$1" --resume
    same l/run.vtkhdf "$1/run.vtkhdf"
    for step in 800 1600; do same l/checkpoint-$step.h5 "$1/checkpoint-$step.h5"; done
    cmp l/beats.csv "$1/beats.csv" || fail "beats.csv of $2 ranks with longer steps"
}
if full; then
    long l3 3 16
    long l2 2 40
    expect 0 "" here 3 "$local" run long.yaml --output l3 --overwrite
    [ "$(grep "^steps taken: " l3/run.log)" = "$taken" ] || fail "other steps of three ranks: $(grep "^steps taken" l3/run.log)"
    same l/run.vtkhdf l3/run.vtkhdf
fi
sed -i 's/^solver:.*/solver: {splitting: staggered, mass_lumping: 0.5}/' long.yaml
expect 0 "" "$cardiac" run long.yaml --output s
expect 0 "" here 3 "$local" run long.yaml --output s3 --set time.end=40ms
expect 0 "resumed from s3/checkpoint-800.h5 at 40 ms" here 2 "$local" run long.yaml --output s3 --resume
same s/run.vtkhdf s3/run.vtkhdf
[ "$(grep "^steps taken: " s/run.log | awk '{ print ($8 > 100 && $20 > 100) }')" = 1 ] || fail "$(grep "^steps taken" s/run.log)"

# All that rank 0 finds out of a mesh and hands out: parameters by nodes, paced cells, factors, velocities, trains, delays and pulses;
# fibres at nodes; and what other nodes began as.
cat > kinds.yaml <<'EOC'
version: 1
mesh: {slab: {size: [3.9 mm, 1.8 mm, 0.9 mm], spacing: 0.3 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {where: x < 1.6 mm, model: tp06-epi, conductivity: 0.1 S/m, parameters: {g_Ks: {factor: 1 - y / 10 mm}}, initial: {pace: 1, period: 300 ms, phase: 0.1 + y / 20 mm}}
    - {where: x >= 1.6 mm, model: mitchell-schaeffer, velocity: 0.6 m/s, scale: 1 - z / 5 mm, parameters: {tau_open: {factor: 1 + z / 10 mm}, tau_close: 90 ms}}
stimuli:
  - {box: {min: [0 mm, 0 mm, 0 mm], max: [0.7 mm, 2 mm, 1 mm]}, duration: 0.3 ms, current: 50 uA/uF, protocol: [{count: 2, period: 0.5 ms}, {after: 1 ms}]}
  - {delays: late.txt, start: 0.2 ms, duration: 0.6 ms, current: 40 uA/uF}
  - {sphere: {centre: [3 mm, 1 mm, 0 mm], radius: 0.5 mm}, pulse: pulse.txt, current: 30 uA/uF}
time: {end: 2 ms, step: 0.02 ms}
device: cpu
output: {directory: k, every: 0.5 ms, fields: [V, h, Ca_i], maps: [activation_time], probes: {far: [3.9 mm, 1.8 mm, 0.9 mm]}}
checkpoint: {every: 1 ms}
EOC
printf '0 0\n5 0.1\n17 0.3\n200 0.02\n' > late.txt
printf '0 0\n0.2 1\n0.4 0\n' > pulse.txt
expect 0 "" "$cardiac" run kinds.yaml
for n in $(full && echo 2) 3; do
    expect 0 "" here $n "$local" run kinds.yaml --output k$n
    same k/run.vtkhdf k$n/run.vtkhdf
    same k/checkpoint-100.h5 k$n/checkpoint-100.h5
    cmp k/probes.csv k$n/probes.csv || fail "probes of $n ranks"
done
if full; then
    expect 0 "resumed from k3/checkpoint-100.h5" here 2 "$local" run kinds.yaml --output k3 --resume --set time.end=3ms
    expect 0 "resumed from k/checkpoint-100.h5" "$cardiac" run kinds.yaml --output k --resume --set time.end=3ms
    same k/run.vtkhdf k3/run.vtkhdf
fi
begun() { # begun NAME ARGUMENT...: begins so with one rank and three
    expect 0 "" "$cardiac" run kinds.yaml --output "$1" "${@:2}" --set time.end=0.6ms
    expect 0 "" here 3 "$local" run kinds.yaml --output "$1-3" "${@:2}" --set time.end=0.6ms
    same "$1/run.vtkhdf" "$1-3/run.vtkhdf"
}
full && begun same --set initial.file="$dir/k/checkpoint-100.h5"
one=(--set "tissue.regions=[{model: mitchell-schaeffer, conductivity: 0.1 S/m}]" --set "output.fields=[V, h]")
begun coarse "${one[@]}"
begun fine "${one[@]}" --set "initial={file: $dir/coarse/run.vtkhdf}" --set mesh.slab.spacing=0.15mm
# fibres, parameters and a stimulus by a Laplace field, whose ends are lists of nodes
awk 'BEGIN { for (k = 0; k < 28; k++) { print k * 14 > "left.txt"; print k * 14 + 13 > "right.txt" } }'
laplace=(--set 'mesh={slab: {size: [3.9 mm, 1.8 mm, 0.9 mm], spacing: 0.3 mm}, surfaces: {left: ./left.txt, right: ./right.txt}, laplace: {along: {from: left, to: right}}}'
    --set 'tissue.fibers={rule: field, field: along}' --set 'stimuli=[{where: along < 0.2, duration: 0.3 ms, current: 50 uA/uF}]' --set 'output.fields=[V, h]'
    --set 'tissue.regions=[{model: mitchell-schaeffer, conductivity: {longitudinal: 0.2 S/m, transverse: 0.05 S/m}, parameters: {tau_open: {factor: 1 + along}}}]')
begun laplace "${laplace[@]}"
expect 0 "" here 2 "$local" run kinds.yaml --output laplace-2 "${laplace[@]}" --set time.end=0.6ms
same laplace/run.vtkhdf laplace-2/run.vtkhdf
expect 0 "" "$cardiac" run kinds.yaml --output uniform "${laplace[@]}" --set time.end=0.6ms --set 'tissue.fibers=[1, 0, 0]'
expect 0 "" "$cardiac" compare laplace/run.vtkhdf uniform/run.vtkhdf --tolerance 1e-12

# once TEXT STATUS COMMAND...: what the program says once, and the launcher's status
once() {
    expect "$2" "$1" "${@:3}"
    [ "$(grep -c "^cardiac: [^w]" said)" = 1 ] || { cat said; fail "more than one message"; }
}
once "unknown key" 2 here 3 "$local" run a.yaml --set solver.methd=jacobi
once "a/run.vtkhdf exists" 2 here 3 "$local" run a.yaml
once "they have different configs" 2 here 2 bash -c "exec $local run a.yaml --output side\$OMPI_COMM_WORLD_RANK"
once "gives 4.919e+08 nodes and 2.94e+09 elements; at most 2147483647 of each" 2 here 2 "$local" run a.yaml --output c \
    --set "mesh={slab: {size: [10 mm, 7 mm, 7 mm], spacing: 0.01 mm}}"
once "blow-up in step" 3 here 3 "$local" run a.yaml --output c --overwrite --quiet --set solver.voltage_limit=86mV
cp said together
once "blow-up in step" 3 "$cardiac" run a.yaml --output c --overwrite --quiet --set solver.voltage_limit=86mV
[ "$(grep "^cardiac: " together)" = "$(grep "^cardiac: " said)" ] || { cat together said; fail "another blow-up"; }
# wherever the node is that blows up, on whichever rank, it is named as one rank names it
for corner in "0, 0, 0" "1.8, 0.9, 0.3" "3.6, 1.5, 0.6"; do
    echo "$corner, 0" | tr -d , > there.txt
    there="stimuli=[{delays: there.txt, duration: 1 ms, current: -50 uA/uF}]"
    once "blow-up in step" 3 here 3 "$local" run a.yaml --output c --overwrite --quiet --set solver.voltage_limit=87mV --set "$there"
    cp said together
    once "($corner mm)" 3 "$cardiac" run a.yaml --output c --overwrite --quiet --set solver.voltage_limit=87mV --set "$there"
    [ "$(grep "^cardiac: " together)" = "$(grep "^cardiac: " said)" ] || { cat together said; fail "another blow-up at $corner"; }
done
once "4 ranks for 3 nodes: each rank requires a node; start fewer" 2 here 4 "$local" run a.yaml --output c --overwrite --quiet \
    --set "mesh={cable: {length: 0.6 mm, spacing: 0.3 mm}}" --set "output={}" --set "ecg={}" --set "tissue.regions=[{model: tp06-epi, conductivity: 0.1 S/m}]"
for command in "cell tp06-epi" "check a.yaml" "mesh info a.msh" "verify constant"; do
    once "a launcher has started 3 ranks, but cardiac ${command%% *} runs in one process" 2 here 3 "$local" $command
done
expect 0 "t (ms),V (mV)" env OMPI_COMM_WORLD_SIZE=2 $(sed -n 's/.*begin with: \(env .*\) cardiac .*/\1/p' said) "$local" cell tp06-epi --beats 1
once "File too large" 3 here 3 bash -c "[ \$OMPI_COMM_WORLD_RANK = 0 ] && ulimit -f 400
    exec $local run a.yaml --output d --quiet --set output.every=0.02ms"

# As Slurm starts them: its own variables, those of PMIx, none of mpirun; without MPI support
cat > bin/srun <<'EOS'
#!/bin/bash
said=$*
while [[ $1 = --* ]]; do shift; done
alone="env -u OMPI_COMM_WORLD_SIZE SLURM_STEP_NUM_TASKS=3"
case $said in
*--mpi=pmix*--cpus-per-task=2*) exec mpirun --oversubscribe --bind-to none -n 3 $alone "$@" ;;
esac
exec "$START" 3 $alone "$@" # without PMIx: strangers to each other
EOS
chmod +x bin/srun
sed 's/directory: a,/directory: slurm,/; s/end: 6 ms/end: 1 ms/' a.yaml > slurm.yaml
if full && [ "$parallel" = "$cardiac" ]; then
    expect 0 "" "$cardiac" run slurm.yaml --output alone
    PATH=$dir/bin:$(dirname "$cardiac"):$PATH SLURM_CPUS_PER_TASK=2 expect 0 "ranks: 3, 3 of them on this machine" bash "$source/configs/cluster/slurm.sh" slurm.yaml
    for file in run.vtkhdf checkpoint-50.h5; do same alone/$file slurm/$file; done
fi
START=$start PATH=$dir/bin:$PATH expect 2 "slurm: another run is writing there; srun --mpi=pmix joins the" srun "$cardiac" run slurm.yaml --overwrite --set time.end=200ms

# Asked to stop, they write one checkpoint.
full || { launch=$start parallel=$local; }
$launch 2 "$parallel" run a.yaml --output stopped --quiet --set time.end=1000s > said 2>&1 &
job=$!
stored() { ls stopped/checkpoint-*.h5 > /dev/null 2>&1; } # the first is soon replaced
wait_for "checkpoint" stored
read -ra children < /proc/$job/task/$job/children # not every mpirun hands it on
kill -USR1 "${children[1]}"
wait $job
[ $? = 138 ] || { cat said; fail "interrupted with another status"; }
grep -q "interrupted: checkpoint-[0-9]*.h5 written" stopped/run.log || { cat stopped/run.log; fail "no checkpoint when asked to stop"; }
exit 0
