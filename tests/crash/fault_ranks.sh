#!/bin/bash
# fault_ranks.sh FAULTY INTERPOSE START COMM [CALLS [DEVICE [FETCHES]]]: of a run of two ranks one call of one rank fails: the run goes well, with
# the bits of one without faults, or both end together, with one message and its status, and neither waits for the other for ever; then it
# is resumed. Every CALLS-th system call or allocation of each rank fails once, every DEVICE-th call of its device, and every FETCHES-th of
# those that fetch frames. The tissue gives no reason to warn. FAULTY is the program with a device that can fail; START and COMM are ranks without MPI (tests/support).
. "$(dirname "$0")/../support/run_helpers.sh"
interpose=$2 each_call=${5:-1} each_device=${6:-1} each_fetch=${7:-1}
export OMP_NUM_THREADS=1 LOCAL_RANKS_PATIENCE=${LOCAL_RANKS_PATIENCE:-20}
local_ranks "$3" "$4"
cat > a.yaml <<'EOT'
version: 1
device: cpu
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 6 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 1 ms, step: 0.02 ms}
stop_when: {quiescent: 50 ms}
solver: {precision: double}
output: {directory: ref, every: 0.1 ms, fields: [V], maps: [activation_time, conduction_velocity, apd90], probes: {end: [5 mm, 0 mm, 0 mm]}}
ecg: {every: 0.5 ms, electrodes: {left: [-5 mm, 0 mm, 9 mm]}}
checkpoint: {every: 0.5 ms, keep: 3}
EOT
# one_of RANK VARIABLE=VALUE...: two ranks, that one with those variables
one_of() {
    local rank=$1; shift
    "$start" 2 sh -c "[ \$OMPI_COMM_WORLD_RANK != $rank ] || export $*; exec $local run a.yaml --quiet --output k"
}
faults=0 well=0 failed=0
# attempt WHAT RANK VARIABLE=VALUE...: the run in which that fails, and what is made of it
attempt() {
    local what=$1 got; shift
    rm -rf k
    one_of "$@" > said 2>&1; got=$?
    faults=$((faults + 1))
    case $got in
        0) well=$((well + 1)); same ref/run.vtkhdf k/run.vtkhdf ;;
        2 | 3) [ "$(grep "^cardiac: ..*" said | grep -vc "^cardiac: warning: ")" = 1 ] || { cat said; fail "$what: not one message"; } ;;
        *) cat said; echo "FAILED: $what: status $got"; failed=$((failed + 1)); return ;;
    esac
    [ $got = 0 ] || expect 0 "" "$cardiac" run a.yaml --output k --resume
    same ref/checkpoint-50.h5 k/checkpoint-50.h5
    cmp ref/probes.csv k/probes.csv || fail "$what: probes.csv"
}
# which EVERY MOST RANK: the calls that fail, others on each rank
which() { seq $(($3 * $1 / 2 % $1 + 1)) "$1" "$2"; }
expect 0 "" "$cardiac" run a.yaml
for rank in 0 1; do
    rm -rf k
    harm="CRASH_DIRECTORY=k LD_PRELOAD=$interpose"
    expect 0 "" one_of $rank "$harm" CRASH_COUNT=count
    read -r _ calls < count
    rm -rf k
    expect 0 "" one_of $rank DEVICE_COUNT=device
    read -r device fetches < device
    [ "$calls" -gt 200 ] && [ "$device" -gt 50 ] && [ "$fetches" -gt 20 ] || fail "hardly a call of rank $rank is seen: $calls, $device of its device"
    for at in $(which "$each_fetch" "$fetches" $rank); do
        attempt "rank $rank, fetch $at of $fetches" $rank FETCH_FAIL="$at"
    done
    for at in $(which "$each_device" "$device" $rank); do
        attempt "rank $rank, call $at of $device of its device" $rank DEVICE_FAIL="$at"
    done
    for at in $(which "$each_call" "$calls" $rank); do
        error=12
        [ $((at % 3)) != 0 ] || error=5
        attempt "rank $rank, call $at of $calls, errno $error" $rank "$harm" CRASH_FAIL="$at" CRASH_ERRNO=$error
    done
done
[ $failed = 0 ] || fail "$failed of $faults faults"
echo "$faults faults: $well runs went well with the same bits, the others ended with one message; all resumed equal"
