/* simulation.h: start, step, copy and restore a tissue in memory. */
#ifndef CARDIAC_APP_RUN_SIMULATION_H
#define CARDIAC_APP_RUN_SIMULATION_H

#include "app/run/setup.h"

/* Sets the config's initial state: rest, paced cells or initial.file. Errors: STATUS_INPUT if the file does not fit the
 * tissue. */
enum status simulation_start(const struct setup *setup, struct error *error);

/* Warns about the rounding error of rows in fp32, which is proportional to `passed` (mV, monodomain_passed() over all
 * ranks). Warns again only once that has doubled, or when the run has ended. */
void simulation_warn_of_rounding(struct setup *setup, double passed, bool ended);

/* Takes the steps up to step `to`, if any; collective. Errors: STATUS_RUN, with the position of the node that
 * diverged. */
enum status simulation_advance(struct setup *setup, int64_t to, struct error *error);

/* A copy of the state and of the records at points; single rank only */
struct simulation_copy {
    struct state_copy state;
    double *followed; /* [monodomain_followed_values] */
};
/* Errors: STATUS_RUN if out of memory; free *copy even then. */
enum status simulation_copy_create(struct simulation_copy *copy, const struct setup *setup,
                                   struct error *error);
enum status simulation_copy_take(struct simulation_copy *copy, const struct setup *setup,
                                 struct error *error);
enum status simulation_copy_restore(const struct simulation_copy *copy, const struct setup *setup,
                                    struct error *error);
void simulation_copy_free(struct simulation_copy *copy);

#endif
