#!/bin/bash
# shared_gpu.sh CARDIAC LIBRARY: ranks that share what GPUs there are, one at least, by shared_gpu.c: slow, with the bits of one rank.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
mpi_is_here || { echo "no MPI: skipped"; exit 77; }
"$cardiac" info | grep -q "^cuda:0" || { echo "needs a GPU: skipped"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
sed "s/spacing: 0.3 mm/spacing: 0.15 mm/; s/every: 1 ms/every: 0.5 ms/g" "$source/tests/cli/ranks.yaml" > a.yaml
for way in "2 rkl2 double" "4 jacobi double" "3 chebyshev mixed"; do
    read -r n method precision <<< "$way"
    set="--device cuda --set time.end=1ms --set solver.method=$method --set solver.precision=$precision"
    expect 0 "" "$cardiac" run a.yaml $set --output $method-1
    timeout -k 5 40 mpirun --oversubscribe --bind-to none -n $n -x LD_PRELOAD="$2" "$cardiac" run a.yaml $set --output $method-$n > said 2>&1 || {
        grep -q "this build has no NCCL" said && { echo "built without NCCL: skipped"; exit 77; }
        cat said; fail "$n ranks of $method"; }
    grep "^exchange: by stores" $method-$n/run.log || { cat said; fail "not by stores"; }
    same $method-1/run.vtkhdf $method-$n/run.vtkhdf
    same $method-1/checkpoint-50.h5 $method-$n/checkpoint-50.h5
    for table in probes ecg beats; do cmp $method-1/$table.csv $method-$n/$table.csv || fail "$table.csv of $n ranks"; done
done
# a V beyond its limit within a step, on either rank, in mixed precision without an entry in fp32 in sweeps: the failure of one rank
for of in "jacobi godunov" "rkl2 staggered"; do
    read -r method splitting <<< "$of"
    for corner in "0 0 0" "3.9 1.8 0.9"; do
        echo "$corner 0" > there.txt
        set="--device cuda --quiet --overwrite --output f --set solver.method=$method --set solver.splitting=$splitting --set solver.precision_budget=1e-12mV"
        there="stimuli=[{delays: there.txt, duration: 1 ms, current: 1e5 uA/uF}]"
        expect 3 "blow-up in step" "$cardiac" run a.yaml $set --set "$there"
        grep "^cardiac: [^w]" said > alone
        timeout -k 5 40 mpirun --oversubscribe --bind-to none -n 2 -x LD_PRELOAD="$2" "$cardiac" run a.yaml $set --set "$there" > said 2>&1 && { cat said; fail "two ranks go on"; }
        [ "$(cat alone)" = "$(grep "^cardiac: [^w]" said)" ] || { cat alone said; fail "another failure: $of"; }
    done
done
