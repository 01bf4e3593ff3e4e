#!/bin/sh
# layers_bite.sh SOURCE: each rule of layers.sh catches a line that breaks it, and the tree as it is passes.
rules=$1/tests/tree/layers.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cp -r "$1/app" "$1/solver" "$1/kernels" "$scratch"
sh "$rules" "$scratch" >/dev/null || { echo "the tree itself breaks a rule" && exit 1; }

failed=0
# plant FILE LINE: with the line in the file a rule is broken
plant() {
    cp "$scratch/$1" "$scratch/kept"
    printf '%s\n' "$2" >>"$scratch/$1"
    if sh "$rules" "$scratch" >/dev/null; then
        echo "not caught in $1: $2"
        failed=1
    fi
    mv "$scratch/kept" "$scratch/$1"
}

plant kernels/ops/jacobi.c '#include "solver/mesh/mesh.h"'
plant kernels/ops/jacobi.cu '#include "solver/mesh/mesh.h"'
plant kernels/ops/row_sums.cuh '#include "app/config/units.h"'
plant kernels/ops/jacobi.cu '    printf("%d", 1);'
plant kernels/models/passive.h '#include "app/config/units.h"'
plant kernels/compiler/emit/emit.h '#include "kernels/ionic/ionic.h"'
plant kernels/compiler/language/cell.h '#include "kernels/compiler/algebra/sums.h"'
plant kernels/compiler/algebra/sums.c '#include "kernels/compiler/emit/emit.h"'
plant solver/mesh/mesh.c '#  include "../app/config/units.h"'
plant solver/mesh/mesh.h '#include <hdf5.h>'
plant kernels/ops/jacobi.h '#include <zlib.h>'
plant kernels/ops/halo.c '#include <mpi.h>'
plant app/run/run.c '#include <nccl.h>'
plant solver/mesh/mesh.c '    printf("%d", 1);'
plant kernels/ops/jacobi.c '    vfprintf (stderr, format, arguments);'
plant solver/mesh/mesh.c '    FILE *file = fopen(name, "r");'
plant app/config/units.c '    exit(1);'
plant solver/mesh/mesh.c '    abort();'
plant app/config/units.c '    clock_gettime(CLOCK_MONOTONIC, &t);'
exit $failed
