/* solve.c: what the solver of a run would be asked for. */
#include "app/bench/solve.h"

#include <math.h>

#include "kernels/ops/solve.h"

void bench_solve(const struct bench *bench, const struct bench_packed *p, const double *b, int sweeps)
{
    struct sweeps all = {
        .kind = SWEEP_PLAIN,
        .scheme = p->update == PACKED_FUSED ? SWEEP_FUSED : SWEEP_HYBRID,
        .x = p->x64,
        .y = p->y64,
        .x32 = p->update == PACKED_ALONE ? NULL : p->x32,
        .y32 = p->y32,
        .b = b,
        .inverse = p->inverse,
        .weight = p->weight,
        .beta = 1,
        .tolerance = -1,
        .bound = INFINITY,
        .max_sweeps = sweeps,
        .expected = sweeps,
        .untested = !p->test,
        .control = p->control,
    };
    bench->queue->backend->solve(bench->queue, &p->packing.matrix, &all);
}
