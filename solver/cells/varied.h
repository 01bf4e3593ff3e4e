/* varied.h: the parameters that differ from cell to cell in a batch, and the constants of the step
 * computed from them (kernels/base/model.h: varied, own). */
#ifndef CARDIAC_SOLVER_CELLS_VARIED_H
#define CARDIAC_SOLVER_CELLS_VARIED_H

#include "solver/cells/batches.h"
#include "solver/matrix/packing.h"
#include "solver/params.h"

/* [model->varies][cells of the batch], on the host */
struct varied {
    double *value;  /* NULL = no parameter varies */
    double *config; /* values according to the params; NULL = value[] */
    bool *set;      /* [model->varies] value[] differs from the params */
};

/* *varied <- the varying parameters of a batch; *cells <- their constants for the params' sub-steps.
 * group: the tissue's groups; region[groups]: the region of each. Errors: STATUS_RUN if out of memory;
 * call varied_free even then. */
enum status varied_create(struct varied *varied, struct ionic_cells *cells, const struct batch *batch,
                          const struct batch_group *group, const int *region,
                          const struct monodomain_params *params, const struct layout *layout,
                          struct queue *queue, struct error *error);
void varied_free(struct varied *varied);

/* Recomputes the cells' own constants from the values, for sub-steps of dt. Errors: STATUS_RUN if out of
 * memory. */
enum status varied_fill(const struct varied *varied, struct ionic_cells *cells, const struct batch *batch,
                        const struct batch_group *group, double dt, struct queue *queue, struct error *error);

/* Prepares for changing the values of parameter k: saves those of the params. Errors: STATUS_RUN if out of
 * memory. */
enum status varied_begin(struct varied *varied, const struct ionic_model *model, int k, int64_t cells,
                         struct error *error);

#endif
