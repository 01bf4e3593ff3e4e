#!/bin/bash
# kill_ranks.sh CARDIAC START COMM [KILLS]: of a run of three ranks one is killed at a random moment: the launcher ends the others within ten
# seconds with a status that is not 0, and two ranks that resume it come to the bits of one that was never killed, in every file.
. "$(dirname "$0")/../support/run_helpers.sh"
kills=${4:-5}
local_ranks "$2" "$3"
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
if mpi_is_here; then
    launch="mpirun --oversubscribe --bind-to none -n" parallel=$cardiac
else
    echo "a launcher of MPI: skipped"
    launch=$start parallel=$local
fi
cat > a.yaml <<'EOT'
version: 1
mesh: {cable: {length: 8 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: tp06-epi, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 20 ms, step: 0.02 ms}
solver: {precision: double}
device: cpu
output: {directory: ref, every: 0.1 ms, fields: [V], probes: {end: [8 mm, 0 mm, 0 mm]}}
checkpoint: {every: 1 ms, keep: 3}
EOT
expect 0 "" "$cardiac" run a.yaml
killed=0
for k in $(seq 1 $((10 * kills))); do # a run that ends before its kill is tried again
    [ "$killed" -lt "$kills" ] || break
    rm -rf k
    $launch 3 "$parallel" run a.yaml --output k > said 2>&1 &
    job=$! until=$((RANDOM % 150 + 2)) # rows of probes.csv, of 201
    while kill -0 $job 2> /dev/null && { [ ! -e k/probes.csv ] || [ "$(wc -l < k/probes.csv)" -lt "$until" ]; }; do sleep 0.002; done
    read -ra children < /proc/$job/task/$job/children
    rank=${children[RANDOM % 3]:-}
    began=$SECONDS
    if [ -n "$rank" ] && kill -KILL "$rank" 2> /dev/null; then
        if wait $job; then # it had just ended
            same ref/run.vtkhdf k/run.vtkhdf
            continue
        fi
        killed=$((killed + 1))
        [ $((SECONDS - began)) -le 10 ] || fail "kill $k: the others took $((SECONDS - began)) s to end"
    fi
    wait $job
    [ ! -d k ] || flock k true
    expect 0 "" here 2 "$local" run a.yaml --output k --resume
    same ref/run.vtkhdf k/run.vtkhdf
    same ref/checkpoint-1000.h5 k/checkpoint-1000.h5
    cmp ref/probes.csv k/probes.csv || fail "kill $k: probes.csv"
    [ ! -e k/run.vtkhdf.journal ] && [ ! -e k/run.vtkhdf.broken ] || fail "kill $k: $(ls k)"
done
echo "$killed kills of a rank: all resumed equal"
[ "$killed" = "$kills" ] || fail "only $killed kills"
