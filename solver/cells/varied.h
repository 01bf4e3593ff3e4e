/* varied.h: the parameters of a batch's cells that differ from cell to cell, and the constants of the step that
 * follow from them (kernels/base/model.h: varied, own). */
#ifndef CARDIAC_SOLVER_CELLS_VARIED_H
#define CARDIAC_SOLVER_CELLS_VARIED_H

#include "solver/cells/batches.h"
#include "solver/matrix/packing.h"
#include "solver/params.h"

/* [model->varies][cells of the batch], on the host */
struct varied {
    double *value;  /* NULL = no parameter varies */
    double *config; /* as the params have them; NULL = the same */
    bool *set;      /* [model->varies] another value than in the params */
};

/* *varied <- of the batch, whose cells <- their constants for the params' steps. group: of the tissue; region: of
 * each of them. Errors: STATUS_RUN without memory; varied_free either way. */
enum status varied_create(struct varied *varied, struct ionic_cells *cells, const struct batch *batch,
                          const struct batch_group *group, const int *region,
                          const struct monodomain_params *params, const struct layout *layout,
                          struct queue *queue, struct error *error);
void varied_free(struct varied *varied);

/* The cells' own constants <- of the values, for sub-steps of dt. Errors: STATUS_RUN without memory. */
enum status varied_fill(const struct varied *varied, struct ionic_cells *cells, const struct batch *batch,
                        const struct batch_group *group, double dt, struct queue *queue, struct error *error);

/* Prepares for other values of parameter k: keeps the params' ones. Errors: STATUS_RUN without memory. */
enum status varied_begin(struct varied *varied, const struct ionic_model *model, int k, int64_t cells,
                         struct error *error);

#endif
