#!/bin/bash
# run_gpus.sh CARDIAC [cpu]: runs of 2, 4 and 8 ranks, as far as there are GPUs: the bits of one GPU and of the CPU; a rank that is
# killed, a blow-up, Ctrl-C; ranks that see their own GPU alone. With cpu the same by two ranks of the CPU.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
mpi_is_here || { echo "no MPI: skipped"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
device=${2:-cuda} gpus=$("$cardiac" info | grep -c "^cuda:[0-9]")
if [ "$device" = cpu ]; then
    export OMPI_MCA_mpi_yield_when_idle=1
    gpus=2
    ranks() { mpirun -n "$1" --oversubscribe --bind-to none "$cardiac" run "${@:2}" --device cpu; }
else
    ranks() { "$cardiac" run "${@:2}" --gpus "$1"; }
fi
# What is still there at the end, ranks above all, which would go on stepping: all that has this folder as its own
end_all() {
    kill $(jobs -p)
    for entry in /proc/[0-9]*; do
        [ "${entry#/proc/}" = $$ ] || [ "$(readlink "$entry/cwd")" != "$dir" ] || kill -KILL "${entry#/proc/}"
    done
    cd / && rm -rf "$dir"
} 2> /dev/null
trap end_all EXIT
trap 'exit 1' TERM INT HUP
[ "$gpus" -gt 1 ] || { echo "needs two GPUs: skipped"; exit 77; }

sed "s/spacing: 0.3 mm/spacing: 0.15 mm/" "$source/tests/cli/ranks.yaml" > a.yaml

# whole WANT GOT: files and counts
whole() {
    same "$1/run.vtkhdf" "$2/run.vtkhdf"
    for n in 100 200; do same "$1/checkpoint-$n.h5" "$2/checkpoint-$n.h5"; done
    cmp "$1/probes.csv" "$2/probes.csv" || fail "probes.csv of $2"
    [ "$(sed -n 's/^\(sweeps: [^;]*\);.*/\1/p' "$1/run.log")" = "$(sed -n 's/^\(sweeps: [^;]*\);.*/\1/p' "$2/run.log")" ] ||
        fail "other sweep counts: $(grep ^sweeps: "$1/run.log" "$2/run.log")"
}
for precision in double mixed; do
    for method in rkl2 jacobi chebyshev; do
        set="--quiet --set solver.method=$method --set solver.precision=$precision --set solver.precision_budget=1e-3mV"
        [ $precision = mixed ] || set=${set%--set*}
        of=$method-$precision
        expect 0 "" "$cardiac" run a.yaml $set --device "$device" --output $of-1
        [ $precision = mixed ] || [ "$device" = cpu ] || { expect 0 "" "$cardiac" run a.yaml $set --output $of-cpu && whole $of-cpu $of-1; }
        for n in 2 4 8; do
            [ $n -le "$gpus" ] || continue
            expect 0 "" ranks $n a.yaml $set --output $of-$n
            grep -q "^device $device" $of-$n/run.log || { cat $of-$n/run.log; fail "another device"; }
            grep "^exchange: by" $of-$n/run.log
            whole $of-1 $of-$n
        done
    done
done
echo "identity: $(ls -d ./*-double-[248] ./*-mixed-[248] | wc -l) runs equal"

# A failure is that of one: the step, the node, the words, once.
for of in "rkl2 stimuli[0].current=1e5uA/uF" "rkl2 solver.voltage_limit=90mV" "jacobi solver.voltage_limit=90mV"; do
    set="--quiet --overwrite --output b --set solver.method=${of% *} --set ${of#* } --set solver.precision_budget=1e-3mV"
    [[ $of == *current* ]] || set="$set --set stimuli[0].current=-50uA/uF"
    expect 3 "" ranks 2 a.yaml $set
    grep "^cardiac: [^w]" said > together
    expect 3 "" "$cardiac" run a.yaml $set --device "$device"
    [ "$(cat together)" = "$(grep "^cardiac: [^w]" said)" ] || { cat together said; fail "another failure: $of"; }
    cat together
done

# Killed and asked to stop, then resumed, each comes to the end of one that was not.
long="--quiet --set time.end=200ms --set checkpoint.every=10ms --set output.every=10ms"
expect 0 "" "$cardiac" run a.yaml $long --device "$device" --output long
ranks 2 a.yaml $long --output k > said 2>&1 &
job=$!
wait_for "checkpoint" test -e k/checkpoint-1500.h5
rank=
for pid in $(pgrep -f "cardiac run .*--output k"); do # a rank, no launcher
    [ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && ! tr '\0' ' ' < "/proc/$pid/cmdline" | grep -q -e "--gpus\|mpirun" && rank=$pid
done
began=$(date +%s%N)
kill -KILL "$rank" || fail "no rank to kill"
wait $job && fail "the status of a killed run is 0"
took=$((($(date +%s%N) - began) / 1000000))
echo "kill of a rank: the others ended within $took ms"
[ "$(grep -c "^cardiac: [^w]" said)" -le 1 ] || { cat said; fail "more than one message"; }
grep "^cardiac: \|signal" said
[ $took -le 10000 ] || fail "they took too long"
expect 0 "resumed from" ranks 2 a.yaml ${long#--quiet} --output k --resume
same long/checkpoint-10000.h5 k/checkpoint-10000.h5
same long/run.vtkhdf k/run.vtkhdf
if [ "$device" = cuda ]; then
    env --default-signal=INT "$cardiac" run a.yaml ${long/200ms/1000s} --output s --gpus 2 > said 2>&1 &
    job=$!
    wait_for "checkpoint" test -e s/checkpoint-1500.h5
    kill -INT $job
    for k in $(seq 100); do kill -0 $job 2> /dev/null || break; sleep 0.1; done
    kill -0 $job 2> /dev/null && { grep -H "^Sig[BIC]" "/proc/$job/status" /proc/"$(pgrep -P $job)"/status; cat said; fail "asked to stop it goes on"; }
    wait $job
    got=$?
    [ $got = 130 ] || { cat said; fail "interrupted with status $got"; }
    step=$(sed -n 's/.*interrupted: checkpoint-\([0-9]*\).h5 written.*/\1/p' s/run.log)
    [ -n "$step" ] || { cat s/run.log; fail "no checkpoint when asked to stop"; }
    end="$(awk "BEGIN { print $step / 50 }")ms"
    expect 0 "" "$cardiac" run a.yaml --quiet --device cuda --set time.end="$end" --set checkpoint.every="$end" --output t
    same "t/checkpoint-$step.h5" "s/checkpoint-$step.h5"
    echo "interrupted at step $step"
    own="CUDA_VISIBLE_DEVICES=\$OMPI_COMM_WORLD_LOCAL_RANK exec $cardiac run a.yaml --set solver.method=rkl2 --set solver.precision=double"
    expect 0 "ranks: 2" mpirun -n 2 --oversubscribe --bind-to none bash -c "$own --device cuda --output v"
    grep "^exchange: by" v/run.log
    whole rkl2-double-1 v
    expect 2 "2 ranks were started on this machine, but only 1 GPUs are visible" env CUDA_VISIBLE_DEVICES=0 mpirun -n 2 --oversubscribe --bind-to none "$cardiac" run a.yaml --device cuda --output w
fi
exit 0
