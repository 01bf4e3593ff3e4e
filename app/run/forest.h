/* forest.h: the waves of a tissue that is being run (solver/cells/waves.h), from what it records. */
#ifndef CARDIAC_APP_RUN_FOREST_H
#define CARDIAC_APP_RUN_FOREST_H

#include "app/run/setup.h"
#include "solver/cells/waves.h"

/* When a cell rises by itself, as far as it has been stepped */
struct forest_alone {
    struct waves_alone found;
    double until; /* ms */
};

/* Of setup->problem.params.activation_slots times a node */
struct forest {
    struct waves waves; /* of rank 0 */
    struct csr neighbours;
    uint8_t *excitable, *up, *dropped;
    const struct setup *setup;
    struct forest_alone *alone;    /* [regions] */
    double *time, *over, *scratch; /* [held * slots] as read last; scratch: of as many */
    int64_t slots;                 /* 0: none of any node */
};

/* The slots of a node for a config's pulses: what fits a tenth of the run's memory, or 10 MB, and at least
 * `more` than its beats */
int64_t forest_slots(const struct problem *problem, const struct config *config, int more);
/* Without activations yet; any: whether there will be one. On all ranks, once the tissue is made; of several,
 * rank 0 must have forest_set_mesh before forest_grow. Errors: STATUS_RUN without memory; free *forest in any
 * case. */
enum status forest_create(struct forest *forest, const struct setup *setup, bool any, struct error *error);
/* The whole mesh, whose points must outlive the forest; its elements may be left out if there will be no
 * activation.
 */
enum status forest_set_mesh(struct forest *forest, const struct setup *setup, const struct mesh *mesh,
                            struct error *error);
void forest_free(struct forest *forest);
/* time[], over[] and dropped[] <- what the tissue has recorded, by all ranks. Errors: STATUS_RUN. */
enum status forest_read(struct forest *forest, const struct setup *setup, struct error *error);
/* The record <- time[] and over[], on one rank. Errors: STATUS_RUN. */
enum status forest_write(struct forest *forest, const struct setup *setup, struct error *error);
/* On rank 0: the waves <- with what was read, up to the present time. Errors: STATUS_RUN without memory. */
enum status forest_grow(struct forest *forest, const struct setup *setup, struct error *error);

#endif
