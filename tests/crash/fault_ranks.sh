#!/bin/bash
# fault_ranks.sh CARDIAC INTERPOSE [FAULTS [FIRST]]: of a run of three ranks one system call or allocation of one rank fails: the run goes
# well, with the bits of one without faults, or all ranks end soon, with one message and its status; then it is resumed.
command -v mpirun >/dev/null || { echo "no mpirun here: skipped"; exit 77; }
. "$(dirname "$0")/../support/run_helpers.sh"
[ -e "$(dirname "$cardiac")/libcardiac_comm.so" ] || { echo "built without MPI: skipped"; exit 77; }
interpose=$2 faults=${3:-40} first=${4:-1}
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
cat > a.yaml <<'EOT'
version: 1
device: cpu
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 1 ms, step: 0.02 ms}
stop_when: {quiescent: 50 ms}
solver: {precision: double}
output: {directory: ref, every: 0.1 ms, fields: [V], maps: [activation_time, conduction_velocity, apd90], probes: {end: [5 mm, 0 mm, 0 mm]}}
ecg: {every: 0.5 ms, electrodes: {left: [-5 mm, 0 mm, 9 mm]}}
checkpoint: {every: 0.5 ms, keep: 3}
EOT
# one_of RANK VARIABLE=VALUE...: three ranks, that one with those variables and the harm behind them
one_of() {
    local rank=$1; shift
    timeout -k 5 60 mpirun --oversubscribe --bind-to none -n 3 \
        bash -c "[ \$OMPI_COMM_WORLD_RANK != $rank ] || export CRASH_DIRECTORY=k LD_PRELOAD=$interpose $*; exec $cardiac run a.yaml --quiet --output k"
}
expect 0 "" "$cardiac" run a.yaml
for rank in 0 1; do
    rm -rf k
    expect 0 "" one_of $rank CRASH_COUNT=count
    read -r _ calls[rank] < count
    [ "${calls[rank]}" -gt 200 ] || fail "hardly a call of rank $rank is seen"
done
well=0
for k in $(seq "$first" $((first + faults - 1))); do
    rank=$((k % 2)) error=12
    [ $((k % 6)) != 0 ] || error=5
    at=$(((k * 7919) % calls[rank] + 1)) what="rank $((k % 2)), call $(((k * 7919) % calls[k % 2] + 1)), errno $error"
    rm -rf k
    began=$SECONDS
    one_of $rank CRASH_FAIL=$at CRASH_ERRNO=$error > said 2>&1; got=$?
    [ $((SECONDS - began)) -le 30 ] || { cat said; fail "$what: $((SECONDS - began)) s"; }
    case $got in
        0) well=$((well + 1)); same ref/run.vtkhdf k/run.vtkhdf ;;
        2 | 3) [ "$(grep -c "^cardiac: ..*" said)" = 1 ] || { cat said; fail "$what: not one message"; } ;;
        *) cat said; fail "$what: status $got" ;;
    esac
    [ $got = 0 ] || expect 0 "" "$cardiac" run a.yaml --output k --resume
    same ref/checkpoint-50.h5 k/checkpoint-50.h5
    cmp ref/probes.csv k/probes.csv || fail "$what: probes.csv"
done
echo "$faults faults: $well runs went well with the same bits, the others ended with one message; all resumed equal"
