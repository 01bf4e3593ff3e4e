/* batches.h: which cells one launch steps, and where they are stored.
 *
 * A batch holds the groups of nodes (solver/ranks/subdomain.h) whose models have the same code. Of a batch
 * with different parameters the cells of each parameter set come in runs of at most IONIC_RUN: full runs
 * first, then the rests, both in the order of their first rows, so that runs that are stepped at the same
 * time read V near each other. */
#ifndef CARDIAC_SOLVER_CELLS_BATCHES_H
#define CARDIAC_SOLVER_CELLS_BATCHES_H

#include "kernels/ionic/ionic.h"

/* The properties of a group that decide on its batch */
struct batch_group {
    const struct ionic_model *model;
    const double *parameter;  /* [model->parameters] */
    const void *table;        /* value of its table in V; NULL = none */
    int batch, parameter_set; /* found by batches_find */
};

/* batch, parameter set of each <- ; returns the number of batches. Groups of equal parameters share a
 * parameter set. */
int batches_find(struct batch_group *group, int groups);

/* Adjacent cells of one model; where there are runs, with gaps between spans */
struct batch_span {
    const struct ionic_model *model;
    int64_t first, cells;
    int run, runs; /* of the batch's, 0 with one parameter set */
};

struct batch {
    int parameter_sets;
    int64_t cells;  /* with gaps */
    int32_t *row;   /* [cells] packed row of each; 0 in gaps; NULL = cell i is row i, filling rows included */
    int32_t *group; /* [cells] of each; in gaps and filling rows the first of the batch */
    struct ionic_run *run; /* [runs]; NULL with one parameter set */
    int runs;
    struct batch_span *span; /* [spans] one for each of its models, in the order of groups */
    int spans;
};

/* batch[0 .. batches - 1] <- those of the rows; of_row[rows]: the group of each, -1 = a filling row. Errors:
 * STATUS_RUN without memory; batches_free either way. */
enum status batches_make(struct batch *batch, int batches, const struct batch_group *group, int groups,
                         const int32_t *of_row, int64_t rows, struct error *error);
void batches_free(struct batch *batch, int batches);

#endif
