/* leads.h: weighted sums of V over all nodes, such as the potentials of electrodes
 * (solver/heart/electrodes.h), computed on the device with the same bits everywhere
 * (kernels/ops/weighted_sum.h). */
#ifndef CARDIAC_SOLVER_LEADS_H
#define CARDIAC_SOLVER_LEADS_H

#include "solver/step/monodomain.h"

struct leads;

/* weight[count][nodes] in mesh order; with several ranks only rank 0 reads it and computes the sums.
 * Errors: STATUS_RUN if out of memory. */
enum status leads_create(struct leads **out, struct monodomain *sim, const double *weight, int count,
                         struct error *error);
void leads_free(struct leads *leads); /* before its tissue; NULL is accepted */
/* Bytes on the device */
double leads_bytes(double nodes, int count);

/* weight[count][nodes] <- the weights passed to leads_create. Errors: STATUS_RUN. */
enum status leads_weights(const struct leads *leads, double *weight, struct error *error);

/* value[count] <- sum_i weight_i V_i, in mV times the unit of the weights. Errors: STATUS_RUN. */
enum status leads_read(struct leads *leads, double *value, struct error *error);

#endif
