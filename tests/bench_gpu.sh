#!/bin/sh
# bench_gpu.sh CARDIAC OUT [CONFIG [REFINE]]: the full benches on this machine's GPU, or without one on its CPU, as
# JSON files in OUT, which docs/plot_bench.py reads: the slab with every bench; then, where a config of a heart is
# given, its matrix (split REFINE times) by formats, permutations, precision and updates, and its step. Not a test:
# minutes. Ends with the first status that is not 0.
cardiac=$1
out=$2
config=$3
refine=${4:-0}
mkdir -p "$out" || exit 3
device=${DEVICE:-auto}
slab=${SLAB-step gemm ionic spmv jacobi} # which benches, and ...
heart=${HEART-formats precision updates stages permutations} # ... which sections: to spread them over several calls
failed=0

# measure NAME ARGUMENT...
measure() {
    name=$1
    shift
    echo "$name: cardiac bench $*"
    "$cardiac" bench "$@" --device "$device" --json >"$out/$name.json" || { failed=$?; echo "$name failed: $failed"; }
}

"$cardiac" info >"$out/info.txt"
"$cardiac" bench all --quick --device "$device" >"$out/quick.txt" || exit
for bench in $slab; do
    measure "slab-$bench" "$bench"
    # few enough rows for their starts to fit into constant memory
    [ "$bench" = spmv ] && measure small-spmv spmv --section formats --spacing "0.5 mm"
done
if [ -n "$config" ]; then
    measure heart-step step --config "$config" --refine "$refine"
    for section in $heart; do
        measure "heart-jacobi-$section" jacobi --section "$section" --config "$config" --refine "$refine"
    done
fi
exit $failed
