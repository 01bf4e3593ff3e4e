/* forest.h: find the waves of a running tissue (solver/cells/waves.h) from its record of activations. */
#ifndef CARDIAC_APP_RUN_FOREST_H
#define CARDIAC_APP_RUN_FOREST_H

#include "app/run/setup.h"
#include "solver/cells/waves.h"

/* When an isolated cell depolarises spontaneously, as far as it has been simulated */
struct forest_alone {
    struct waves_alone found;
    double until; /* ms */
};

/* Uses the setup->problem.params.activation_slots activation times recorded for each node */
struct forest {
    struct waves waves; /* rank 0 only */
    struct csr neighbours;
    uint8_t *excitable, *up, *dropped;
    const struct setup *setup;
    struct forest_alone *alone;    /* [regions] */
    double *time, *over, *scratch; /* [held * slots] time, over: the record as last read */
    int64_t slots;                 /* recorded activations a node; 0: none */
};

/* The number of slots a node for a config's pulses: limited to a tenth of the run's memory or 10 MB, whichever is
 * larger, but at least its beats + more */
int64_t forest_slots(const struct problem *problem, const struct config *config, int more);
/* Creates an empty forest, on all ranks, once the tissue exists; any: whether there will be any activation. With
 * several ranks, rank 0 must call forest_set_mesh() before forest_grow(). Errors: STATUS_RUN if out of memory. Free
 * *forest even then. */
enum status forest_create(struct forest *forest, const struct setup *setup, bool any, struct error *error);
/* Sets the whole mesh. Its points must outlive the forest; its elements may be missing if there will be no
 * activation. */
enum status forest_set_mesh(struct forest *forest, const struct setup *setup, const struct mesh *mesh,
                            struct error *error);
void forest_free(struct forest *forest);
/* time[], over[] and dropped[] <- the tissue's record; collective. Errors: STATUS_RUN. */
enum status forest_read(struct forest *forest, const struct setup *setup, struct error *error);
/* The tissue's record <- time[] and over[]; single rank only. Errors: STATUS_RUN. */
enum status forest_write(struct forest *forest, const struct setup *setup, struct error *error);
/* On rank 0: adds the activations that were read to the waves, up to the current time. Errors: STATUS_RUN if out of
 * memory. */
enum status forest_grow(struct forest *forest, const struct setup *setup, struct error *error);

#endif
