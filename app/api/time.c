/* time.c: advance a simulation in time. */
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
    enum status status = handle_check_owner(sim);
    if (status)
        return (int)status;
    if (ms && __atomic_load_n(&sim->stepping, __ATOMIC_ACQUIRE)) {
        __atomic_load(&sim->reached, ms, __ATOMIC_RELAXED);
        return STATUS_OK;
    }
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

/* *step <- the number of the step that ends at `until` ms */
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

/* Publishes the time reached, for cardiac_time() in other threads. */
static void tell_time(struct cardiac *sim, bool stepping)
{
    double now = monodomain_time(sim->setup.sim);
    __atomic_store(&sim->reached, &now, __ATOMIC_RELAXED);
    __atomic_store_n(&sim->stepping, stepping, __ATOMIC_RELEASE);
}

/* Takes the steps up to `to` in pieces of about 0.05 s, between which it can be stopped. */
static enum status advance_in_pieces(struct cardiac *sim, int64_t to, struct error *error)
{
    const double piece = 0.05; /* seconds */
    struct monodomain *tissue = sim->setup.sim;
    const int64_t block = (int64_t)1 << sim->setup.config.physics.doublings;
    int64_t length = block;
    for (int64_t now; (now = monodomain_step(tissue)) < to;) {
        const double began = clock_seconds();
        TRY(simulation_advance(&sim->setup, to - now < length ? to : now + length, error));
        tell_time(sim, true);
        if (monodomain_step(tissue) < to && __atomic_load_n(&sim->stop, __ATOMIC_RELAXED))
            return error_set(error, STATUS_STOPPED, "stopped at %.10g ms; another cardiac_advance continues",
                             monodomain_time(tissue));
        const double fits = piece / fmax(clock_seconds() - began, 1e-9);
        length = (int64_t)(fmin(4, fits) * (double)(length / block));
        length = length > 1 ? length * block : block;
    }
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
    tell_time(sim, true);
    enum status status = advance_in_pieces(sim, step, error);
    tell_time(sim, false);
    sim->failed = status && status != STATUS_STOPPED;
    sim->run.loop_seconds += clock_seconds() - began;
    return status;
}

int cardiac_advance(struct cardiac *sim, double until)
{
    return handle_call(sim, HANDLE_SOUND, advance, &(struct time_call){sim, NULL, until});
}
