#!/bin/sh
# layers_bite.sh SOURCE: each rule of layers.sh catches a line that breaks it, and the tree as it is passes.
rules=$1/tests/tree/layers.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cp -r "$1/app" "$1/solver" "$1/kernels" "$scratch"
sh "$rules" "$scratch" >/dev/null || { echo "the tree itself breaks a rule" && exit 1; }

failed=0
# plant FILE LINE: with the line in the file a rule is broken. All are planted, then searched for in what the rules print.
plant() {
    [ -e "$scratch/$1" ] || { echo "there is no $1" && failed=1; }
    printf '%s\n' "$2" >>"$scratch/$1"
    printf '%s\n%s\n' "$1" "$2" >>"$scratch/planted"
}

plant kernels/ops/solve.c '#include "solver/mesh/mesh.h"'
plant kernels/ops/solve.cu '#include "solver/mesh/mesh.h"'
plant kernels/ops/row_sums.cuh '#include "app/config/units.h"'
plant kernels/ops/solve.cu '    printf("%d", 1);'
plant kernels/models/passive.h '#include "app/config/units.h"'
plant kernels/compiler/model_compiler.c '#include "app/models/bundled.h"'
plant kernels/compiler/emit/emit.h '#include "kernels/ionic/ionic.h"'
plant kernels/compiler/language/cell.h '#include "kernels/compiler/algebra/sums.h"'
plant kernels/compiler/algebra/sums.c '#include "kernels/compiler/emit/emit.h"'
plant solver/mesh/mesh.c '#  include "../app/config/units.h"'
plant solver/step/advance.c '    bool staged = sim->params.method == METHOD_RKL2;'
plant solver/diffusion/diffusion.c '    return p->splitting == SPLITTING_STAGGERED;'
plant solver/mesh/mesh.h '#include <hdf5.h>'
plant kernels/ops/solve.h '#include <zlib.h>'
plant kernels/ops/halo.c '#include <mpi.h>'
plant app/run/run.c '#include <nccl.h>'
plant solver/mesh/mesh.c '    printf("%d", 1);'
plant kernels/ops/solve.c '    vfprintf (stderr, format, arguments);'
plant solver/mesh/mesh.c '    FILE *file = fopen(name, "r");'
plant app/config/units.c '    exit(1);'
plant solver/mesh/mesh.c '    abort();'
plant app/config/units.c '    clock_gettime(CLOCK_MONOTONIC, &t);'

sh "$rules" "$scratch" >"$scratch/caught" && echo "the status of a broken rule is 0" && exit 1
while IFS= read -r file && IFS= read -r line; do
    grep "^$file:" "$scratch/caught" | grep -qF -- ":$line" || { echo "not caught in $file: $line" && failed=1; }
done <"$scratch/planted"
exit $failed
