/* state_copy.h: the state of a tissue kept in memory, to go on from it again.
 *
 * What goes on from it has the bits of what went on the first time. */
#ifndef CARDIAC_SOLVER_STATE_COPY_H
#define CARDIAC_SOLVER_STATE_COPY_H

#include "solver/step/monodomain.h"

struct state_copy {
    double **value; /* [monodomain_variables] [nodes * width], where a node has it */
    int variables, history;
    int64_t step;
};

/* Room for it. Errors: STATUS_RUN without memory; *copy is to be freed in any case. */
enum status state_copy_create(struct state_copy *copy, const struct monodomain *sim, int64_t nodes,
                              struct error *error);
void state_copy_free(struct state_copy *copy);

/* copy <- the present state; and the tissue <- that again. Errors: STATUS_RUN. */
enum status state_copy_take(struct state_copy *copy, struct monodomain *sim, struct error *error);
enum status state_copy_restore(const struct state_copy *copy, struct monodomain *sim, struct error *error);

#endif
