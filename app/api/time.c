/* time.c: the time of a simulation, and its steps. */
#include <math.h>

#include "app/api/handle.h"
#include "kernels/base/clock.h"

struct time_call {
    struct cardiac *sim;
    double *ms;
    double until;
};

static enum status read_time(void *argument, struct error *error)
{
    const struct time_call *call = argument;
    TRY(handle_check_pointer(call->ms, "the result", error));
    *call->ms = monodomain_time(call->sim->setup.sim);
    return STATUS_OK;
}

int cardiac_time(struct cardiac *sim, double *ms)
{
    return handle_call(sim, HANDLE_OPEN, read_time, &(struct time_call){sim, ms, 0});
}

static double grid(const struct cardiac *sim)
{
    const struct monodomain_params *physics = &sim->setup.config.physics;
    return ldexp(physics->step, physics->doublings);
}

static enum status read_step_length(void *argument, struct error *error)
{
    const struct time_call *call = argument;
    TRY(handle_check_pointer(call->ms, "the result", error));
    *call->ms = grid(call->sim);
    return STATUS_OK;
}

int cardiac_step_length(struct cardiac *sim, double *ms)
{
    return handle_call(sim, HANDLE_OPEN, read_step_length, &(struct time_call){sim, ms, 0});
}

/* *step <- the one that ends at `until` ms */
static enum status find_step(const struct cardiac *sim, double until, int64_t *step, struct error *error)
{
    const int doublings = sim->setup.config.physics.doublings;
    const double now = monodomain_time(sim->setup.sim), length = grid(sim);
    const double count = floor(until / length + 0.5), slack = 1e-9 * fabs(until);
    if (!isfinite(until))
        return error_set(error, STATUS_INPUT, "advance: %g ms is not a time", until);
    if (until < now - slack)
        return error_set(error, STATUS_INPUT, "advance: %.10g ms is in the past; it is %.10g ms", until, now);
    if (ldexp(count, doublings) > 1e15)
        return error_set(error, STATUS_INPUT, "advance: %.10g ms is more than 1e15 steps", until);
    if (fabs(until - count * length) > slack)
        return error_set(error, STATUS_INPUT,
                         "advance: %.10g ms is not a multiple of %s (%.10g ms); the nearest is %.10g ms",
                         until, doublings ? "time.longest" : "time.step", length,
                         fmax(count, ceil(now / length)) * length);
    *step = (int64_t)count << doublings;
    return STATUS_OK;
}

static enum status advance(void *argument, struct error *error)
{
    const struct time_call *call = argument;
    struct cardiac *sim = call->sim;
    int64_t step = 0;
    TRY(find_step(sim, call->until, &step, error));
    double began = clock_seconds();
    sim->started = true;
    enum status status = simulation_advance(&sim->setup, step, error);
    sim->failed = status != STATUS_OK;
    sim->run.loop_seconds += clock_seconds() - began;
    return status;
}

int cardiac_advance(struct cardiac *sim, double until)
{
    return handle_call(sim, HANDLE_SOUND, advance, &(struct time_call){sim, NULL, until});
}
