#!/bin/sh
# layers.sh SOURCE: the rules of the layers app -> solver -> kernels. Prints every line that breaks one; status 1 then.
cd "$1" || exit 1
failed=0

# forbid RULE PATTERN FILE...: no line of the files matches the extended regular expression
forbid() {
    rule=$1
    pattern=$2
    shift 2
    if grep -nE "$pattern" /dev/null "$@"; then
        echo "  breaks the rule: $rule"
        failed=1
    fi
}

# sources FOLDER...: all that is compiled
sources() { find "$@" \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) ! -path app/util/program.c; }

compiler=kernels/compiler/model_compiler.c # a program of the build: it reads and writes files
lower=$(sources kernels solver | grep -v "^$compiler\$")
[ -n "$lower" ] || { echo "no sources in $1" && exit 1; }
# stop.c: a second signal ends at once; cc.c: a process that it forks ends
all=$(sources app solver kernels | grep -Ev '^app/(run/stop|models/cc)[.]c$')
timed=$(sources app solver kernels | grep -v '^kernels/base/clock[.]c$')
# what decides, and front.c, which changes the params of a cable
choices=$(sources solver | grep '[.]c$' | grep -Ev '^solver/step/(scheme|front)[.]c$')
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]'
# shellcheck disable=SC2046,SC2086 # names of sources hold no blanks
{
    forbid "kernels/ includes nothing of solver/ and app/" "$include([.]*/)*(solver|app)/" $(sources kernels)
    forbid "the model compiler includes kernels/base/ alone" "${include}kernels/(device|ops|ionic|models|bench)/" $(sources kernels/compiler)
    forbid "kernels/compiler/language/ includes nothing of algebra/ and emit/" "${include}kernels/compiler/(algebra|emit)/" $(sources kernels/compiler/language)
    forbid "kernels/compiler/algebra/ includes nothing of emit/" "${include}kernels/compiler/emit/" $(sources kernels/compiler/algebra)
    forbid "solver/ includes nothing of app/" "$include([.]*/)*app/" $(sources solver)
    forbid "solver/ asks the scheme, not the params, for method, splitting and update" '(params|[^_[:alnum:]]p)(->|[.])(method|splitting|update)([^_[:alnum:]]|$)|SPLITTING_' $choices
    forbid "only app/ includes yaml.h, hdf5.h, zlib.h" "$include(yaml|hdf5|H5.*|zlib)[.]h" $lower
    forbid "only kernels/device/comm/ includes mpi.h and nccl.h" "$include(mpi|nccl)[.]h" $(sources app solver kernels | grep -v '^kernels/device/comm/')
    forbid "kernels/ and solver/ do not print" '(^|[^_[:alnum:]])((f|d|v|vf|vd)?printf|f?puts|f?putc|putchar|perror|fwrite) *\(' $lower
    forbid "kernels/ and solver/ open no file" '(^|[^_[:alnum:]])(fopen|fdopen|freopen|open|openat|creat|mmap) *\(' $lower
    forbid "only main ends the program" '(^|[^_[:alnum:]])(_?exit|_Exit|quick_exit|abort) *\(' $all
    forbid "only kernels/base/clock.c reads a clock" '(^|[^_[:alnum:]])(clock_gettime|timespec_get|gettimeofday|clock|omp_get_wtime) *\(' $timed
}
exit $failed
