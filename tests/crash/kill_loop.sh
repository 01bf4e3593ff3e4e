#!/bin/bash
# kill_loop.sh CARDIAC INTERPOSE [KILLS [DEVICE]]: a run is killed by SIGKILL before a call that changes a file (write, fsync, rename, ...),
# each in its turn, or at a random moment, killed once more while it is resumed, and resumed to its end: the same bits in every file.
# With a device that is not cpu it is killed at random moments alone: other threads than its own are on the way there.
. "$(dirname "$0")/../support/run_helpers.sh"
interpose=$2 kills=${3:-30} device=${4:-cpu}
export OMP_NUM_THREADS=1
[ -w /dev/shm ] && { rm -rf "$dir"; dir=$(mktemp -d -p /dev/shm crash.XXXXXX); cd "$dir" || exit 1; }
cat > a.yaml <<'EOT'
version: 1
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: tp06-epi, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 6 ms, step: 0.02 ms}
solver: {precision: double}
output: {directory: ref, every: 0.1 ms, fields: [V], probes: {end: [5 mm, 0 mm, 0 mm]}}
checkpoint: {every: 1 ms, keep: 3}
EOT
run="$cardiac run a.yaml --device $device"
expect 0 "" $run
arrays() { "$cardiac" info "$1" --json | sed 's/.*"arrays"//; s/"numbers".*//'; } # with their ranges, stored or not
arrays ref/run.vtkhdf > arrays
grep -q '"low"' arrays || fail "no ranges: $(cat arrays)"
CRASH_DIRECTORY=k CRASH_COUNT=count LD_PRELOAD=$interpose $run --output k > /dev/null || fail "a run that is counted"
read -r calls _ < count
began=$(date +%s%N); $run --output k --overwrite > /dev/null; took=$((($(date +%s%N) - began) / 1000))
echo "$calls calls change files; a run takes $((took / 1000)) ms"
[ "$calls" -gt 100 ] || fail "hardly a call is seen"
equal=0 killed=0
for k in $(seq 1 "$kills"); do
    rm -rf k
    for go in "" --resume; do
        if [ "$device" = cpu ] && [ $((k % 4)) != 0 ]; then
            at=$(((k * 7919 + ${#go}) % calls + 1)) # every one of them, when there are enough rounds
            { CRASH_DIRECTORY=k CRASH_KILL=$at LD_PRELOAD=$interpose $run --output k $go > said 2>&1; } 2> /dev/null; got=$?
        else
            pause=$(((RANDOM * 32768 + RANDOM) % (took + took / 10)))
            { # waited for itself: its files are closed one by one, and those that are last, after its locks, hold the journal's
                $run --output k $go > said 2>&1 &
                sleep "$((pause / 1000000)).$(printf %06d $((pause % 1000000)))"
                kill -KILL $!; wait $!
            } 2> /dev/null; got=$?
        fi
        case $got in
            137) killed=$((killed + 1)) ;;
            0) ;;
            *) cat said; fail "kill $k: status $got" ;;
        esac
    done
    expect 0 "" $run --output k --resume
    same ref/run.vtkhdf k/run.vtkhdf
    arrays k/run.vtkhdf | cmp - arrays || fail "kill $k: ranges $(arrays k/run.vtkhdf)"
    same ref/checkpoint-300.h5 k/checkpoint-300.h5
    cmp ref/probes.csv k/probes.csv || fail "kill $k: probes.csv"
    [ ! -e k/run.vtkhdf.journal ] && [ ! -e k/run.vtkhdf.broken ] || fail "kill $k: $(ls k)"
    equal=$((equal + 1))
    [ $((k % 100)) != 0 ] || echo "$k: $killed kills, $equal resumed equal"
done
echo "$killed kills in $kills runs: $equal resumed equal"
[ "$killed" -gt $((kills / 2)) ] || fail "only $killed kills"
