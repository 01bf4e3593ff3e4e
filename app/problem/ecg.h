/* ecg.h: the leads of an ECG from the electrodes of a config.
 *
 * Where RA, LA and LL are there: I = LA - RA, II = LL - RA, III = LL - LA, aVR = RA - (LA + LL) / 2 and so
 * on, and V1 .. V6 against their mean, Wilson's terminal. Every other electrode by its name. */
#ifndef CARDIAC_APP_PROBLEM_ECG_H
#define CARDIAC_APP_PROBLEM_ECG_H

#include "app/problem/problem.h"
#include "app/util/progress.h"
#include "kernels/base/sha256.h"
#include "solver/heart/electrodes.h"
#include "solver/step/leads.h"

struct ecg {
    struct leads *leads; /* of the electrodes; NULL = there are none */
    int electrodes, columns;
    char (*name)[64];  /* [columns] */
    double *share;     /* [columns][electrodes] of each electrode in each lead */
    double *potential; /* [electrodes] mV */
    bool relative;     /* amplitudes */
};

/* Weights of the nodes for electrodes without a torso or a file, for the next run on the same tissue */
struct ecg_fields {
    char made_from[SHA256_HEX]; /* "" = not made */
    double *weight;             /* [electrodes][nodes] */
    struct electrode *electrode;
};
void ecg_fields_free(struct ecg_fields *fields);

/* The names and shares of the leads alone; ecg_free in any case. Errors: STATUS_RUN without memory. */
enum status ecg_list(struct ecg *ecg, const struct config *config, struct error *error);

/* Does nothing without electrodes; logs the leads. kept: used again if it has the same matrix, of that digest, and the same
 * electrodes, else replaced; NULL = electrodes of a large mesh are in the cache. matrix: NULL = unknown: none is used again.
 * Errors: STATUS_INPUT when a file of lead fields is not of this mesh; STATUS_RUN without memory. */
enum status ecg_create(struct ecg *ecg, const struct config *config, const struct problem *problem,
                       struct monodomain *sim, struct ecg_fields *kept, const char *matrix,
                       struct progress *progress, struct error *error);
void ecg_free(struct ecg *ecg);

/* value[columns] <- the leads at the present step, mV. Errors: STATUS_RUN. */
enum status ecg_read(struct ecg *ecg, double *value, struct error *error);

/* weight[nodes][columns] <- with which V of the nodes adds up to each lead. Errors: STATUS_RUN. */
enum status ecg_weights(const struct ecg *ecg, double *weight, int64_t nodes, struct error *error);

/* Bytes of the host while it is made */
double ecg_set_up_bytes(const struct problem *problem, int electrodes);

#endif
