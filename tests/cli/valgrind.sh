#!/bin/sh
# valgrind.sh CARDIAC SOURCE: a short run with output, probes and checkpoints touches no memory that is not
# its own, reads none that was never written and loses none. The slack of valgrind's own: no AVX-512, one thread. What the run measures of
# its mesh, which takes as long as all else, is in the cache; `full` measures it under valgrind, too, and resumes the run.
cardiac=$1
config=$2/configs/cable.yaml
command -v valgrind >/dev/null || { echo "no valgrind here" && exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

export XDG_CACHE_HOME="$scratch/cache" OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0
# watched END OPTION...: the run up to END ms by $watch; 99 is valgrind's own verdict
watched() {
    end=$1
    shift
    $watch "$cardiac" run "$config" \
        --output "$scratch" --threads 1 --device cpu --quiet --set mesh.cable.spacing=0.5mm --set mesh.cable.length=10mm \
        --set "time.end=$end" --set output.every=0.1ms --set checkpoint.every=0.2ms \
        --set 'output.probes={far: [10 mm, 0 mm, 0 mm]}' --set 'output.fields=[V, Ca_i, IKr]' --set stimuli[0].start=0ms --set activation.threshold=-40mV "$@" \
        2>"$scratch/log" || { cat "$scratch/log" && exit 1; }
}
watch=
[ "${CARDIAC_TESTS:-}" = full ] || watched 0.4ms --dry-run
watch="valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect"
watched 0.4ms
[ "${CARDIAC_TESTS:-}" != full ] || watched 0.6ms --resume
grep -q . "$scratch/probes.csv" || { echo "the run wrote no probes" && exit 1; }
