/* monodomain_failure.c: which node is to blame, for what, when. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/step/monodomain_internal.h"

#include "kernels/base/array.h"

/* The lowest mesh node whose V in a vector is beyond the limit or no number; -1 if there is none */
static int64_t find_culprit(struct monodomain *sim, const double *vector, double *value)
{
    const struct layout *layout = &sim->layout;
    const struct partition *partition = &sim->partition;
    struct error ignored;
    bool there = !device_download(sim->queue, sim->staging, vector,
                                  (size_t)layout->rows * sizeof *sim->staging, &ignored);
    uint64_t own = 0, above; /* ~ the lowest, 0 = none */
    for (int64_t k = 0; k < layout->rows && there; k++)
        if (layout->node[k] >= 0 && !(fabs(sim->staging[k]) <= sim->params.voltage_limit) &&
            ~(uint64_t)partition_number(partition, layout->node[k]) > own) {
            own = ~(uint64_t)partition_number(partition, layout->node[k]);
            *value = sim->staging[k];
        }
    above = own;
    partition->comm->engine->largest(partition->comm, COMM_STEPS, &above, 1);
    uint64_t root = own == above ? (uint64_t)partition->comm->rank : 0;
    partition->comm->engine->largest(partition->comm, COMM_STEPS, &root, 1);
    partition->comm->engine->broadcast(partition->comm, COMM_STEPS, (int)root, value, sizeof *value);
    return above == 0 ? -1 : (int64_t)~above;
}

/* 2^-23 max_i(sum_j |e_ij| / m_i) max|x|, mV: what rounding to fp32 may leave of the residual, whatever the
 * number of sweeps; x is the last iterate of the step that failed. 0 when nothing is read in fp32. */
static double rounding_floor(struct monodomain *sim)
{
    const struct comm *comm = sim->partition.comm;
    uint64_t top = 0;
    struct error ignored;
    if (sim->report.fp32_share == 0)
        return 0;
    bool there = !device_download(sim->queue, sim->staging, sim->vectors.x,
                                  (size_t)sim->layout.rows * sizeof *sim->staging, &ignored);
    for (int64_t k = 0; k < sim->layout.rows && there; k++)
        if (sim->layout.node[k] >= 0 && !isnan(sim->staging[k]) && bits_of(fabs(sim->staging[k])) > top)
            top = bits_of(fabs(sim->staging[k]));
    comm->engine->largest(comm, COMM_STEPS, &top, 1);
    return 0x1p-23 * sim->report.largest_rate * bits_to_real(top);
}

/* The step's sweeps did not reach the tolerance. */
static enum status explain_sweeps(struct monodomain *sim, struct error *error)
{
    const struct control *control = &sim->control;
    char hint[160] = "";
    double floor = rounding_floor(sim);
    if (floor > 0)
        snprintf(hint, sizeof hint,
                 " (rounding of fp32 rows alone leaves about %.2g mV; solver.precision: double has none)",
                 floor);
    return error_set(error, STATUS_RUN,
                     "step %lld (t = %.10g ms): %d sweeps left an error of %.3g mV, the tolerance is %g mV; "
                     "raise solver.max_sweeps or solver.tolerance%s",
                     (long long)control->step, sim->failure.time, control->sweep, control->tested,
                     sim->params.tolerance, hint);
}

/* Whether a row that went from v to u in the failed step has noted that as its last activation */
static bool noted_now(const struct monodomain *sim, double v, double u, double last)
{
    double threshold = sim->params.activation_threshold;
    return v < threshold && u >= threshold &&
           last == observer_crossing(threshold, v, u, sim->control.step, sim->params.step);
}

/* Takes from the map by threshold what the failed step, from V to u, has left there: on a GPU a row notes its
 * crossings before another is seen to blow up. Rows that the step has rearmed stay so: no run continues from
 * there. False if that could not be done. */
static bool withdraw_activations(struct monodomain *sim)
{
    size_t rows = (size_t)sim->layout.rows, bytes = rows * sizeof(double);
    const double *after = sim->vectors.whole ? sim->vectors.x : sim->vectors.u;
    struct error ignored;
    enum status status = STATUS_OK;
    double *v = array_new(sim->layout.rows, sizeof *v, "V", &status, &ignored), *map = sim->staging;
    double *u = array_new(sim->layout.rows, sizeof *u, "V", &status, &ignored);
    int32_t *count = array_new(sim->layout.rows, sizeof *count, "the activation map", &status, &ignored);
    uint8_t *waits = array_new(sim->layout.rows, sizeof *waits, "the activation map", &status, &ignored);
    const struct observer *o = &sim->beats.observer;
    bool good = !status && !device_download(sim->queue, v, sim->vectors.v, bytes, &ignored) &&
                !device_download(sim->queue, u, after, bytes, &ignored) &&
                !device_download(sim->queue, count, o->count, rows * sizeof *count, &ignored) &&
                !device_download(sim->queue, waits, o->waits, rows * sizeof *waits, &ignored);
    for (int32_t beat = 0; beat < sim->params.activation_beats && good; beat++) {
        double *column = o->time + (size_t)beat * rows;
        good = !device_download(sim->queue, map, column, bytes, &ignored);
        for (size_t i = 0; i < rows && good; i++)
            if (count[i] == beat + 1 && noted_now(sim, v[i], u[i], map[i])) {
                map[i] = NAN;
                count[i] = beat;
                waits[i] = 0;
            }
        good = good && !device_upload(sim->queue, column, map, bytes, &ignored);
    }
    good = good && !device_upload(sim->queue, o->count, count, rows * sizeof *count, &ignored) &&
           !device_upload(sim->queue, o->waits, waits, rows * sizeof *waits, &ignored);
    free(v);
    free(u);
    free(count);
    free(waits);
    return good;
}

enum status monodomain_explain(struct monodomain *sim, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    const struct control *control = &sim->control;
    struct failure *failure = &sim->failure;
    const char *late = "";
    bool noted = !sim->queue->backend->immediate && observer_can_withdraw(&sim->beats.observer);
    if (noted && (control->failure == FAILURE_VOLTAGE || control->failure == FAILURE_BOUND) &&
        !withdraw_activations(sim))
        late = "; the activation map may hold times of this step";
    *failure = (struct failure){.node = -1, .time = (double)control->step * p->step, .variable = "V"};
    switch (control->failure) {
    case FAILURE_SWEEPS:
        failure->kind = FAILURE_SWEEPS;
        failure->value = control->tested;
        return explain_sweeps(sim, error);
    case FAILURE_BOUND:
        failure->kind = FAILURE_BOUND;
        failure->value = p->precision_bound;
        return error_set(
            error, STATUS_RUN,
            "step %lld (t = %.10g ms): a value read in fp32 passed solver.precision_bound = %g mV, so the "
            "error budget no longer holds; shorten time.step, raise the bound or use solver.precision: "
            "double%s",
            (long long)control->step, failure->time, p->precision_bound, late);
    default:
        failure->kind = FAILURE_VOLTAGE;
        failure->value = NAN;
        failure->node = find_culprit(sim, sim->vectors.u, &failure->value);
        if (failure->node < 0 && sim->vectors.whole) /* not yet between cells and diffusion */
            failure->node = find_culprit(sim, sim->vectors.x, &failure->value);
        return error_set(error, STATUS_RUN, "blow-up in step %lld (t = %.10g ms): V = %g mV at node %lld%s",
                         (long long)control->step, failure->time, failure->value, (long long)failure->node,
                         late);
    }
}
