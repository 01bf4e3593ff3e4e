/* ecg.h: the leads of an ECG from the electrodes of a config.
 *
 * With RA, LA and LL: I = LA - RA, II = LL - RA, III = LL - LA, aVR = RA - (LA + LL) / 2 and so on, and V1 .. V6
 * relative to their mean, Wilson's terminal. Every other electrode is a lead by its own name. */
#ifndef CARDIAC_APP_PROBLEM_ECG_H
#define CARDIAC_APP_PROBLEM_ECG_H

#include "app/problem/problem.h"
#include "app/util/progress.h"
#include "kernels/base/sha256.h"
#include "solver/heart/electrodes.h"
#include "solver/step/leads.h"

struct ecg {
    struct leads *leads; /* one for each electrode; NULL = no electrodes */
    int electrodes, columns;
    char (*name)[64];  /* [columns] */
    double *share;     /* [columns][electrodes] weight of each electrode in each lead */
    double *potential; /* [electrodes] mV */
    bool relative;     /* amplitudes have no absolute scale */
};

/* Node weights of electrodes without a torso or a lead-field file, for reuse by the next run on the same tissue */
struct ecg_fields {
    char made_from[SHA256_HEX]; /* digest of what they depend on; "" = not computed, or unknown */
    double *weight;             /* [electrodes][nodes] */
    struct electrode *electrode;
};
void ecg_fields_free(struct ecg_fields *fields);

/* ecg->name[] and share[] only. Errors: STATUS_RUN if out of memory. Call ecg_free() even then. */
enum status ecg_list(struct ecg *ecg, const struct config *config, struct error *error);

/* Creates and logs the leads; without electrodes it does nothing. matrix: digest of the matrix; NULL = unknown, no
 * weights are reused. kept: weights of an earlier run, reused if matrix and electrodes are equal, else replaced;
 * NULL: the cache is used instead, for large meshes. Errors: STATUS_INPUT if a lead-field file does not fit this
 * mesh; STATUS_RUN if out of memory. */
enum status ecg_create(struct ecg *ecg, const struct config *config, const struct problem *problem,
                       struct monodomain *sim, struct ecg_fields *kept, const char *matrix,
                       struct progress *progress, struct error *error);
void ecg_free(struct ecg *ecg);

/* value[columns] <- the leads at the current step, mV. Errors: STATUS_RUN. */
enum status ecg_read(struct ecg *ecg, double *value, struct error *error);

/* weight[nodes][columns] <- the weights w of the leads, lead_c = sum_i w_ic V_i. Errors: STATUS_RUN. */
enum status ecg_weights(const struct ecg *ecg, double *weight, int64_t nodes, struct error *error);

/* Bytes on the host while ecg_create() runs */
double ecg_set_up_bytes(const struct problem *problem, int electrodes);

#endif
