#!/bin/bash
# fault_loop.sh CARDIAC INTERPOSE [FAULTS [FIRST]]: one system call or allocation of a run fails, each in its turn, with an errno of several;
# then all of its kind that follow, too. The run goes well, or ends with a status and a word; never by a signal, never late, never well
# with a file that differs. What it leaves is resumed without faults to the same bits.
. "$(dirname "$0")/../support/run_helpers.sh"
interpose=$2 faults=${3:-40} first=${4:-1}
export OMP_NUM_THREADS=1
[ -w /dev/shm ] && { rm -rf "$dir"; dir=$(mktemp -d -p /dev/shm crash.XXXXXX); cd "$dir" || exit 1; }
cat > a.yaml <<'EOT'
version: 1
device: cpu
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 1 ms, step: 0.02 ms}
solver: {precision: double}
output: {directory: ref, every: 0.1 ms, fields: [V], probes: {end: [5 mm, 0 mm, 0 mm]}}
checkpoint: {every: 0.5 ms, keep: 3}
EOT
run="$cardiac run a.yaml"
unchanged() { # unchanged WHEN: the files are those of a run without faults
    same ref/run.vtkhdf k/run.vtkhdf
    same ref/checkpoint-50.h5 k/checkpoint-50.h5
    cmp ref/probes.csv k/probes.csv || fail "$1: probes.csv"
}
expect 0 "" $run
CRASH_DIRECTORY=k CRASH_COUNT=count LD_PRELOAD=$interpose $run --output k > /dev/null || fail "a run that is counted"
read -r _ calls < count
echo "$calls calls and allocations"
[ "$calls" -gt 500 ] || fail "hardly a call is seen"
well=0 ended=0
errors=(5 28 12 4) # EIO ENOSPC ENOMEM EINTR
for k in $(seq "$first" $((first + faults - 1))); do
    rm -rf k
    at=$(((k * 7919) % calls + 1)) lasts=$((k / 4 % 2)) error=${errors[$((k % 4))]}
    [ $error != 4 ] || lasts=0 # a signal does not come for ever
    { CRASH_DIRECTORY=k CRASH_FAIL=$at CRASH_ERRNO=$error CRASH_LASTS=$lasts LD_PRELOAD=$interpose timeout 60 $run --output k > said 2>&1; } 2> /dev/null; got=$?
    what="call $at, errno $error, lasts $lasts"
    case $got in
        0) well=$((well + 1)); unchanged "$what" ;;
        1) grep -q "^libgomp: \|^cardiac: " said || { cat said; fail "$what: status 1 without a word"; } ;; # of OpenMP's own
        2 | 3) grep -q "^cardiac: ..*" said || { cat said; fail "$what: status $got without a word"; }
            grep -q "^cardiac: ended by a fault" said && [ $error != 12 ] && { cat said; fail "$what: a fault"; } ;; # without memory: of HDF5's own
        *) cat said; fail "$what: status $got" ;;
    esac
    [ $got = 0 ] || ended=$((ended + 1))
    expect 0 "" $run --output k --resume
    unchanged "$what, resumed"
    [ $((k % 100)) != 0 ] || echo "$k: $well went well, $ended ended with a word, all resumed equal"
done
echo "$faults faults: $well runs went well with the same bits, $ended ended with a word; all resumed equal"
