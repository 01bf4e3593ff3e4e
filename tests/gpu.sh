#!/bin/sh
# gpu.sh OUT [BUILD]: everything that only a machine with a GPU can show, in one call and with no package registry:
# builds into BUILD (default OUT/build), runs the tests labelled cuda, of which none may be skipped, a small run under
# each tool of compute-sanitizer, and measures kernels and whole steps beside the driver's copy and cuSPARSE by cardiac bench.
#   YAML_ROOT   where libyaml lies unpacked, if the machine has no package of it (default: .carry/libyaml, if there)
#   HEART       a config whose mesh is measured, too, split once and twice
#   STEPS       other steps to profile, one a line: the slab's spacing, then settings of the config without blanks
# Logs in OUT; status 1 when anything failed.
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
build=${2:-$out/build}
yaml=${YAML_ROOT:-$root/.carry/libyaml}
[ -d "$yaml" ] || yaml=
failed=0

# check NAME COMMAND...: runs it with its output in OUT/NAME.log
check() {
    name=$1
    shift
    if "$@" >"$out/$name.log" 2>&1; then
        echo "passed: $name"
    else
        echo "FAILED: $name ($*)" && tail -15 "$out/$name.log"
        failed=1
    fi
}

check configure cmake -S "$root" -B "$build" -DCMAKE_CUDA_ARCHITECTURES=native -DYAML_ROOT="$yaml"
check build cmake --build "$build" -j "$(nproc)"
[ -x "$build/cardiac" ] || exit 1

check tests ctest --test-dir "$build" -L cuda --output-on-failure
ran=$(grep -c ' Passed \|\*\*\*Failed' "$out/tests.log")
skipped=$(grep -c '\*\*\*Skipped' "$out/tests.log")
echo "tests labelled cuda: $ran executed, $skipped skipped"
if [ "$skipped" -ne 0 ] || [ "$ran" -eq 0 ]; then failed=1; fi

cat >"$out/small.yaml" <<'EOF'
version: 1
title: A small run for the sanitizers, with more sweeps than are laid out at first
mesh: {slab: {size: [3 mm, 2 mm, 1 mm], spacing: 0.25 mm}}
tissue:
  surface_to_volume: 1400 /cm
  capacitance: 1 uF/cm^2
  fibers: [1, 0, 0]
  regions:
    - {tags: all, model: tp06-epi, conductivity: {longitudinal: 0.133417722 S/m, transverse: 0.017606178 S/m}}
stimuli:
  - {name: S1, box: {min: [0 mm, 0 mm, 0 mm], max: [1.5 mm, 1.5 mm, 1 mm]}, duration: 2 ms, current: 50000 uA/cm^3}
time: {end: 0.6 ms, step: 0.02 ms}
solver: {tolerance: 1e-9 mV, precision: double}
output: {every: 0.2 ms}
EOF
for tool in memcheck racecheck synccheck initcheck; do
    check "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/cardiac" run "$out/small.yaml" \
        --device cuda --output "$out/small" --overwrite --quiet
done
# Two ranks on one GPU (tests/cli/shared_gpu.c)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
for tool in memcheck racecheck synccheck; do
    command -v mpirun >/dev/null && [ -e "$build/libcardiac_comm.so" ] || break
    check "$tool-2-ranks" mpirun --oversubscribe --bind-to none -n 2 -x LD_PRELOAD="$(find "$build" -name 'libshared_gpu.so')" \
        compute-sanitizer --tool "$tool" --error-exitcode 9 --target-processes all "$build/cardiac" run "$out/small.yaml" \
        --device cuda --output "$out/small-2" --overwrite --quiet
done
unset OMP_NUM_THREADS

# A debug build records every step anew and compares it with the graph that it would replay (kernels/device/graph.h).
check configure_debug cmake -S "$root" -B "$build-debug" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CUDA_ARCHITECTURES=native -DYAML_ROOT="$yaml"
check build_debug cmake --build "$build-debug" -j "$(nproc)" --target cardiac
for method in jacobi chebyshev rkl2; do
    check "graphs-$method" "$build-debug/cardiac" run "$root/tests/cli/ranks.yaml" --device cuda --output "$out/graphs" --overwrite --quiet \
        --set time.step=0.005ms --set time.end=5ms --set "solver.method=$method"
done

# profile SPACING SETTING...: a step of Niederer's slab and its parts
profile() {
    spacing=$1
    shift
    settings=
    for setting; do settings="$settings --set $setting"; done
    # shellcheck disable=SC2086 # words without blanks
    check "step-$spacing$(printf -- '-%s' "$@")" "$build/cardiac" bench step --profile --device cuda \
        --config "$root/configs/niederer.yaml" --set "mesh.slab.spacing=$spacing" $settings
}

check bench_quick "$build/cardiac" bench all --quick --vendor --device cuda
check ionic "$build/cardiac" bench ionic --device cuda
for spacing in 0.1mm 0.05mm; do
    check "sweeps-$spacing" "$build/cardiac" bench jacobi --section layouts,against_vendor --vendor --device cuda \
        --config "$root/configs/niederer.yaml" --set "mesh.slab.spacing=$spacing"
done
for refine in ${HEART:+1 2}; do
    check "sweeps-heart-$refine" "$build/cardiac" bench jacobi --section layouts,against_vendor --vendor --device cuda \
        --config "$HEART" --refine "$refine"
done
while read -r settings; do
    # shellcheck disable=SC2086 # words without blanks
    [ -z "$settings" ] || profile $settings </dev/null
done <<EOF
${STEPS:-0.5mm ionic.state=mixed
0.2mm solver.tolerance=1e-3mV ionic.state=mixed
0.1mm solver.tolerance=1e-3mV ionic.state=mixed
0.1mm ionic.state=mixed
0.1mm solver.tolerance=1e-6mV ionic.state=mixed
0.1mm ionic.state=double
0.1mm solver.precision=double
0.1mm solver.tolerance=1e-3mV solver.method=chebyshev ionic.state=mixed
0.05mm solver.tolerance=1e-3mV ionic.state=mixed}
EOF
cat "$out"/ionic.log "$out"/sweeps-*.log "$out"/step-*.log
exit $failed
