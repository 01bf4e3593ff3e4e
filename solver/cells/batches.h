/* batches.h: groups cells into batches, each stepped by one launch, and assigns their storage.
 *
 * A batch holds the groups of nodes (solver/ranks/subdomain.h) whose models have the same code. In a batch
 * with several parameter sets the cells of each set are divided into runs of at most IONIC_RUN cells: full
 * runs first, then the remainders, both in the order of their first rows, so that runs stepped at the same
 * time read V near each other. */
#ifndef CARDIAC_SOLVER_CELLS_BATCHES_H
#define CARDIAC_SOLVER_CELLS_BATCHES_H

#include "kernels/ionic/ionic.h"

/* The properties of a group that determine its batch */
struct batch_group {
    const struct ionic_model *model;
    const double *parameter;  /* [model->parameters] */
    const void *table;        /* values of its table in V; NULL = none */
    int batch, parameter_set; /* set by batches_find */
};

/* Sets batch and parameter_set of each group; returns the number of batches. Groups with equal parameters
 * share a parameter set. */
int batches_find(struct batch_group *group, int groups);

/* The cells of one model, adjacent; in a batch with runs, spans start at multiples of IONIC_RUN, so there
 * are gaps */
struct batch_span {
    const struct ionic_model *model;
    int64_t first, cells;
    int run, runs; /* its runs: run[run .. run + runs - 1] of the batch; 0 with one parameter set */
};

struct batch {
    int parameter_sets;
    int64_t cells;  /* gaps included */
    int32_t *row;   /* [cells] packed row of each; 0 in gaps; NULL = cell i is row i, padding rows included */
    int32_t *group; /* [cells] group of each; in gaps and padding rows the batch's first */
    struct ionic_run *run; /* [runs]; NULL with one parameter set */
    int runs;
    struct batch_span *span; /* [spans] one per model, in the order of groups */
    int spans;
};

/* batch[batches] <- the cells of the rows; of_row[rows]: the group of each row, -1 = padding. Errors:
 * STATUS_RUN if out of memory; call batches_free even then. */
enum status batches_make(struct batch *batch, int batches, const struct batch_group *group, int groups,
                         const int32_t *of_row, int64_t rows, struct error *error);
void batches_free(struct batch *batch, int batches);

#endif
