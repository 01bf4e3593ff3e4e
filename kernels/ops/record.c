/* record.c: the end of a step on the CPU. */
#include "kernels/ops/record.h"

#include <math.h>

#include "kernels/base/host_device.h"

/* Notes an activation by threshold, or a steeper slope than any before, of row i. */
HOST_DEVICE void note_activation(const struct record *record, int64_t rows, int64_t i, int64_t step, double v,
                                 double u)
{
    if (record->by_slope) {
        double slope = (u - v) / record->dt;
        if (slope > record->slope[i]) {
            record->slope[i] = slope;
            record->activation[i] = ((double)step + 0.5) * record->dt;
            record->activations[i] = 1;
        }
    } else {
        record_note(record, rows, i, step, v, u);
    }
}

/* Whether the diffusion step left what a record may be made of; latches the failure otherwise. */
static int usable(const struct record *record)
{
    struct control *control = record->control;
    if (record->x && !control->converged && !control->failure)
        control->failure = FAILURE_SWEEPS;
    return !control->failure;
}

void CLONE_NAME(record_cpu)(struct queue *queue, int64_t rows, const struct record *record)
{
    struct control *control = record->control;
    if (!usable(record))
        return;
    int beyond = 0;
#pragma omp parallel for num_threads(queue_threads(queue)) schedule(static) reduction(| : beyond)
    for (int64_t i = 0; i < rows; i++) {
        double u = record->u[i];
        if (record->x) {
            double x = record->x[i];
            if (record->voltage_form)
                record->x[i] = x - u;
            else if (record->share != 0)
                record->x[i] = x - record->share * (record->b[i] * record->inverse[i]);
            u = record->voltage_form ? x : u + x;
            record->u[i] = u;
        }
        beyond |= !(fabs(u) <= record->limit);
    }
    if (beyond)
        control->failure = FAILURE_VOLTAGE;
    if (beyond || !record->v)
        return;
#pragma omp parallel for num_threads(queue_threads(queue)) schedule(static)
    for (int64_t i = 0; i < rows; i++)
        note_activation(record, rows, i, control->step, record->v[i], record->u[i]);
    control->step++;
    control->most = control->sweep > control->most ? control->sweep : control->most;
    control->recent = control->sweep > control->recent ? control->sweep : control->recent;
}
