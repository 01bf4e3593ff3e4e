#!/bin/sh
# bench_gpu.sh CARDIAC OUT [CONFIG [REFINE]]: the full benches on this machine's GPU, or without one on its CPU, as
# JSON files in OUT, which docs/lab/plot_bench.py reads: the slab with every bench; then, where a config of a heart is
# given, its matrix (split REFINE times) by every section of spmv and jacobi, and its step. Not a test: minutes. Ends
# with the first status that is not 0.
#   DEVICE    auto, cpu, cuda
#   SLAB      which benches of the slab
#   HEART     which sections of the heart; one word is measured in one go, so commas save its assembly
#   SPACING   of the slab
#   EXPLICIT  sections of spmv on the heart
cardiac=$1
out=$2
config=$3
refine=${4:-0}
mkdir -p "$out" || exit 3
device=${DEVICE:-auto}
slab=${SLAB-step gemm ionic spmv jacobi}
heart=${HEART-against_vendor,formats,precision,updates,mixed_refinement permutations}
explicit=${EXPLICIT-formats,updates}
failed=0

# measure NAME ARGUMENT...
measure() {
    name=$1
    shift
    echo "$name: cardiac bench $*"
    begin=$(date +%s)
    "$cardiac" bench "$@" --device "$device" --progress --json >"$out/$name.json" 2>"$out/$name.log" ||
        { failed=$? && echo "$name failed: $failed" && tail -3 "$out/$name.log"; }
    echo "  $(($(date +%s) - begin)) s"
}

"$cardiac" info >"$out/info.txt"
"$cardiac" bench all --quick --device "$device" >"$out/quick.txt" || exit
for bench in $slab; do
    measure "slab-$bench" "$bench" ${SPACING:+--spacing "$SPACING"}
    # few enough rows for their starts to fit into constant memory
    [ "$bench" = spmv ] && measure small-spmv spmv --section formats --spacing "0.5 mm"
done
if [ -n "$config" ]; then
    for section in $heart; do
        measure "heart-jacobi-${section%%,*}" jacobi --section "$section" --config "$config" --refine "$refine"
    done
    [ -n "$explicit" ] && measure heart-spmv spmv --section "$explicit" --config "$config" --refine "$refine"
    [ -n "$heart" ] && measure heart-step step --config "$config" --refine "$refine"
fi
exit $failed
