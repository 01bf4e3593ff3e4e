/* as_run.h: the sweeps of a run on a matrix of the bench, placed as a step places them: in pairs, x and y
 * changing places, the second under test, the whole step against the reference. */
#ifndef CARDIAC_APP_BENCH_AS_RUN_H
#define CARDIAC_APP_BENCH_AS_RUN_H

#include "app/bench/packed.h"

struct as_run_order {
    const char *name;
    const int32_t *order; /* [rows] mesh number of each row */
    int64_t window;       /* sorted by length inside it */
};

struct as_run_update {
    const char *title;
    enum packed_update update;
};

/* A row for each update; classes[rows]: what the rows are read in (solver/matrix/packing.h), mesh order; c: a
 * sweep in mesh order. */
enum status as_run_sweeps(struct bench *bench, const struct bench_case *c, const uint8_t *classes,
                          const struct as_run_order *order, const struct as_run_update *update, int updates,
                          struct error *error);

#endif
