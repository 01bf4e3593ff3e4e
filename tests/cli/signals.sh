#!/bin/bash
# signals.sh CARDIAC: each signal that asks a run to end leaves a checkpoint from which it goes on to the same bits, status 128 and
# its number; one in the set-up has none to leave, status 3; none ends a run that ignores it, nor does a closed pipe.
. "$(dirname "$0")/../support/run_helpers.sh"
set -m # else a shell that is not asked has INT ignored in what it puts into the background
default="env --default-signal" # as it is where all of this was put there, or under nohup
$default true 2> /dev/null || default=

cat > a.yaml <<'EOS'
version: 1
mesh: {cable: {length: 12 mm, spacing: 0.2 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: tp06-epi, conductivity: 0.133 S/m}]}
stimuli: [{box: {min: [0, 0, 0], max: [1 mm, 0, 0]}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 1000 s, step: 0.02 ms}
solver: {precision: double}
output: {every: 20 ms, probes: {far: [12 mm, 0, 0]}}
EOS
catches() { # catches PID NUMBER: the process is the program, and no shell any more, and has a handler for that signal
    local mask; [ "/proc/$1/exe" -ef "$cardiac" ] && mask=$(sed -n 's/^SigCgt:\t*//p' "/proc/$1/status") && [ $((0x$mask >> ($2 - 1) & 1)) = 1 ]
}

for name in $([ $sanitized ] || echo INT HUP USR1 USR2) TERM XCPU; do
    number=$(kill -l $name)
    $default "$cardiac" run a.yaml --output $name > said 2>&1 & pid=$!
    wait_for "first steps" grep -qs "^20" $name/probes.csv
    kill -$name $pid; wait $pid; got=$?
    [ $got = $((128 + number)) ] || { cat said; fail "status $got after SIG$name, want $((128 + number))"; }
    file=$(sed -n 's/^interrupted: \(checkpoint-[0-9]*[.]h5\) written; go on with --resume$/\1/p' said)
    [ -s "$name/$file" ] || { cat said; fail "no checkpoint after SIG$name"; }
    step=${file//[!0-9]/}
    step=${step%5} # of h5
done
expect 0 "resumed from XCPU/checkpoint-$step.h5" "$cardiac" run a.yaml --output XCPU --resume --set time.end="$((step / 50 + 20)) ms" --set checkpoint.every="1 ms"
expect 0 "" "$cardiac" run a.yaml --output straight --set time.end="$((step / 50 + 20)) ms" --set checkpoint.every="1 ms"
same straight/run.vtkhdf XCPU/run.vtkhdf
same straight/checkpoint-$(((step / 50 + 20) * 50)).h5 XCPU/checkpoint-$(((step / 50 + 20) * 50)).h5

# In the set-up (which waits for its config here) there is nothing to keep
mkfifo slow.yaml
for name in TERM USR1; do
    "$cardiac" run slow.yaml --output none > said 2>&1 & pid=$!
    wait_for "handler" catches $pid "$(kill -l $name)"
    kill -$name $pid; wait $pid; got=$?
    [ $got = 3 ] || { cat said; fail "status $got after SIG$name in the set-up, want 3"; }
    grep -q "before the first step: no checkpoint was written" said || { cat said; fail "no word on the checkpoint"; }
    [ ! -e none ] || fail "it made its directory"
done

# A fault: a word before the end, which blames no library of which nothing is known
env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT "$cardiac" run slow.yaml --output none > said 2>&1 & pid=$!
wait_for "handler" catches $pid 15
[ "$(cat /proc/$pid/comm)" = cardiac ] || fail "others see it as $(cat /proc/$pid/comm)"
kill -SEGV $pid; wait $pid 2> /dev/null; got=$?
[ $got = 3 ] || grep -q __asan_init "$cardiac" || fail "status $got after a fault"
grep -q "ended by a fault in the program or a library" said || grep -q __asan_init "$cardiac" || { cat said; fail "no word on a fault"; }
grep -q HDF5 said && { cat said; fail "HDF5 is blamed"; }

# What was ignored before stays so, and a reader that went away takes nothing with it
(trap '' HUP USR1; exec "$cardiac" run a.yaml --output nohup --set time.end="400 ms" > said 2>&1) & pid=$!
wait_for "first steps" grep -qs "^20" nohup/probes.csv
kill -HUP $pid; kill -USR1 $pid; wait $pid; got=$?
[ $got = 0 ] || { cat said; fail "status $got after an ignored SIGHUP"; }
("$cardiac" run a.yaml --output pipe --set time.end="400 ms"; echo $? > status) | true
wait_for "end" test -s status
[ "$(cat status)" = 0 ] || fail "status $(cat status) where nobody reads"
rm status
same nohup/run.vtkhdf pipe/run.vtkhdf
("$cardiac" run a.yaml --output both --set time.end="1 ms" 2>&1; echo $? > status) | head -1 > first
wait_for "end" test -s status
[ "$(cat status)" = 0 ] || fail "status $(cat status) where nobody reads either stream"
# nor where nobody reads the lines of a sweep, whose table has them
for more in "" "2>&1" --json; do
    (eval "\"\$cardiac\" sweep a.yaml --output swept --overwrite --set time.end=1ms --set 'sweep={activation.threshold: [-40 mV, -30 mV, -20 mV]}' $more"; echo $? > status) 2> said | head -1 > first
    wait_for "end" test -s status
    [ "$(cat status)" = 0 ] || { cat said; fail "status $(cat status) where nobody reads a sweep $more"; }
    [ "$(wc -l < swept/table.csv)" = 4 ] || fail "$(cat swept/table.csv)"
    rm status
done
# the words of a run are in its log, those of --dry-run nowhere else
expect 0 "" sh -c "exec '$cardiac' run a.yaml --output full --set time.end=1ms > /dev/full"
expect 3 "standard output cannot be written" sh -c "exec '$cardiac' run a.yaml --dry-run > /dev/full"
echo "signals: passed"
