/* solve.c: what the solver of a run would be asked for. */
#include "app/bench/solve.h"

#include <math.h>

#include "kernels/ops/solve.h"

void bench_solve(const struct bench *bench, const struct bench_packed *p, const double *b, int sweeps)
{
    static const enum sweep_scheme scheme[] = {[PACKED_FUSED] = SWEEP_FUSED,
                                               [PACKED_HYBRID] = SWEEP_HYBRID,
                                               [PACKED_CAST] = SWEEP_CAST,
                                               [PACKED_ALONE] = SWEEP_CAST,
                                               [PACKED_NAIVE] = SWEEP_NAIVE};
    struct sweeps all = {
        .kind = SWEEP_PLAIN,
        .scheme = scheme[p->update],
        .x = p->x64,
        .y = p->y64,
        .x32 = p->update == PACKED_NAIVE && p->entries[1] == 0 ? NULL : p->x32,
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
