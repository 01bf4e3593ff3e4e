/* diffusion_choose.c: which update scheme is the fastest on this device and this matrix, by trying all four.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/base/clock.h"
#include "solver/diffusion.h"

/* b and x <- numbers without a pattern: zeros would be timed too well */
static enum status fill_vectors(struct diffusion *d, double *x, struct error *error)
{
    int64_t n = d->packing.matrix.rows;
    double *value = malloc(((size_t)n + 1) * sizeof *value);
    if (!value)
        return error_memory(error, "the timing of the update schemes", 8.0 * (double)n);
    for (int64_t i = 0; i < n; i++)
        value[i] = (double)((uint64_t)i * 2654435761u % 1000) / 1000 - 0.5;
    enum status status = device_upload(d->queue, x, value, (size_t)n * sizeof *value, error);
    TRY(device_upload(d->queue, d->b, value, (size_t)n * sizeof *value, error));
    free(value);
    return status;
}

/* Seconds of the sweeps of one step by the present scheme, as a run executes them */
static enum status time_sweeps(struct diffusion *d, double *x, double *seconds, struct error *error)
{
    struct control zero = {0}, found;
    enum status status = STATUS_OK;
    *seconds = INFINITY;
    for (int round = 0; round < 6 && !status; round++) { /* in the first it is recorded */
        status = device_upload(d->queue, d->control, &zero, sizeof zero, error);
        double begin = clock_seconds();
        if (!status && !d->queue->backend->graph_replay(d->queue, &d->update, sizeof d->update)) {
            d->queue->backend->graph_begin(d->queue, &d->update, sizeof d->update);
            diffusion_solve(d, x, NULL);
            d->queue->backend->graph_end(d->queue);
        }
        TRY(d->queue->backend->wait(d->queue, error));
        if (round > 0)
            *seconds = fmin(*seconds, clock_seconds() - begin);
        TRY(device_download(d->queue, &found, d->control, sizeof found, error));
        assert(status || (!found.failure && found.sweep == d->max_sweeps));
    }
    return status;
}

enum status diffusion_choose_update(struct diffusion *d, double *x, struct error *error)
{
    const enum update schemes[] = {UPDATE_HYBRID, UPDATE_NAIVE, UPDATE_CAST, UPDATE_FUSED};
    const int pairs = 4;
    double tolerance = d->tolerance, bound = d->bound, fastest = INFINITY;
    enum update best = UPDATE_HYBRID;
    int most = d->max_sweeps;
    struct control zero = {0};
    enum status status = fill_vectors(d, x, error);
    d->tolerance = -1; /* no sweep converges while they are timed, and none fails */
    d->bound = INFINITY;
    d->max_sweeps = 2 * pairs < most ? 2 * pairs : most;
    for (int k = 0; k < 4 && !status; k++) {
        double taken;
        d->update = schemes[k];
        status = time_sweeps(d, x, &taken, error);
        if (taken < fastest) {
            fastest = taken;
            best = schemes[k];
        }
    }
    d->queue->backend->graph_drop(d->queue);
    d->update = best;
    d->tolerance = tolerance;
    d->bound = bound;
    d->max_sweeps = most;
    return status ? status : device_upload(d->queue, d->control, &zero, sizeof zero, error);
}
