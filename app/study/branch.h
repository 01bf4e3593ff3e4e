/* branch.h: a tissue that is paced, copied in memory, and continued from the copy with other extra stimuli.
 *
 * S1 is the config's first stimulus. Extra stimuli follow it as trains of one pulse of the same nodes, which
 * the problem has from the beginning and which begin at infinity until they are moved: a branch has the bits
 * of a run whose protocol ends with its extra stimuli. */
#ifndef CARDIAC_APP_STUDY_BRANCH_H
#define CARDIAC_APP_STUDY_BRANCH_H

#include "app/run/forest.h"
#include "app/run/simulation.h"

/* Pulses of S1. STATUS_INPUT where there is no stimulus, one that comes for ever or more than 999 times. */
enum status branch_pulses(int64_t *pulses, const struct config *config, struct error *error);

struct branches {
    struct setup *setup;
    int extra;            /* stimuli that may follow S1 */
    double *v;            /* [nodes] work */
    struct forest forest; /* as of the last look */
};

/* The tissue of setup->config at its start, at rest or from initial.file, with `extra` stimuli that do not
 * come. setup->options say what is printed. Free *branches, then *setup in any case. */
enum status branch_open(struct branches *branches, struct setup *setup, int extra, struct error *error);
void branch_free(struct branches *branches);

/* ms of the last S1 */
double branch_last(const struct branches *branches);
/* The train of extra stimulus k, from 0; of -1, the last of S1 */
int branch_train(const struct branches *branches, int k);
/* Extra stimulus k begins at `start` ms, for the next steps only; INFINITY = never. */
void branch_move(struct branches *branches, int k, double start);

/* Take the steps, with time.longest the blocks of steps, that end at or before `time` ms. Errors: STATUS_RUN.
 */
enum status branch_advance(struct branches *branches, double time, struct error *error);
/* *excited <- whether V is above activation.rearm at a node: a front may still be on its way, or begin */
enum status branch_is_excited(bool *excited, struct branches *branches, struct error *error);

/* The forest <- with what the tissue has recorded; empty: all but the last beat of each node is then removed
 * from the record if it is full. Errors: STATUS_RUN. */
enum status branch_look(struct branches *branches, bool empty, struct error *error);

/* The tissue <- of the copy. The forest ends where the copy does: up to there it must be the copy's. Errors:
 * STATUS_RUN. */
enum status branch_restore(struct branches *branches, const struct simulation_copy *copy,
                           struct error *error);

#endif
