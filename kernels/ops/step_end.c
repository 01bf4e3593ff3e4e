/* step_end.c: the end of a step on the CPU. */
#include "kernels/ops/step_end.h"

#include <math.h>

/* Whether the diffusion step converged; sets the failure if not */
static int usable(const struct step_end *end)
{
    struct control *control = end->control;
    if (end->x && !control->converged && !control->failure)
        control->failure = FAILURE_SWEEPS;
    return !control->failure;
}

void CLONE_NAME(step_end_cpu)(struct queue *queue, int64_t rows, const struct step_end *end)
{
    struct control *control = end->control;
    if (!usable(end))
        return;
    int beyond = 0;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static) reduction(| : beyond)
    for (int64_t i = 0; i < rows; i++) {
        double u = end->u[i];
        if (end->x) {
            double x = end->x[i];
            if (end->predictor_weight != 0)
                end->x[i] = x - end->predictor_weight * (end->b[i] * end->inverse[i]);
            u = u + x;
            end->u[i] = u;
        }
        beyond |= !(fabs(u) <= end->limit);
    }
    uint64_t anywhere = (uint64_t)beyond;
    halo_largest_cpu(queue, end->halo, &anywhere, 1);
    if (anywhere)
        control->failure = FAILURE_VOLTAGE;
    if (anywhere || !end->v)
        return;
    const int64_t observed = end->observer.count ? rows : 0;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t i = 0; i < observed; i++)
        observer_note(&end->observer, rows, i, control->step, end->dt, end->v[i], end->u[i]);
    for (int64_t p = 0; end->points && p < end->points->points; p++)
        observer_note_point(end->points, p, control->step, end->dt, end->v, end->u);
    control->step++;
    control->most = control->sweep > control->most ? control->sweep : control->most;
    control->recent = control->sweep > control->recent ? control->sweep : control->recent;
}
