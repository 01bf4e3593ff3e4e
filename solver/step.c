/* step.c: the steps of a tissue in time. A step is placed on the queue without asking the host, so
 * that a backend may record and replay it (kernels/ops/program.h). */

#include "kernels/base/clock.h"
#include "kernels/device/cpu.h"
#include "solver/monodomain_internal.h"

/* The end of a diffusion step (x), of a time step (v), or of both */
static void end_step(struct monodomain *sim, double *x, const double *v)
{
    const struct monodomain_params *p = &sim->params;
    struct step_end end = {.u = sim->u,
                           .x = x,
                           .voltage_form = sim->diffusion.voltage_form,
                           .predictor_weight = sim->diffusion.predictor_weight,
                           .b = sim->diffusion.b,
                           .inverse = sim->diffusion.inverse,
                           .v = v,
                           .dt = p->step,
                           .limit = p->voltage_limit,
                           .by_slope = sim->slope != NULL,
                           .threshold = p->activation_threshold,
                           .rearm = p->activation_rearm,
                           .beats = p->activation_beats,
                           .activation = sim->activation,
                           .activations = sim->activations,
                           .slope = sim->slope,
                           .control = sim->diffusion.control};
    sim->backend->step_end(sim->queue, sim->layout.rows, &end);
}

/* What was V within the step becomes V. */
static void swap_voltages(struct monodomain *sim)
{
    double *old = sim->v;
    sim->v = sim->u;
    sim->u = old;
    sim->swapped = !sim->swapped;
}

/* One step. Godunov: I(dt) D(dt). Strang: I(dt/2) D(dt) I(dt/2). */
static void place_step(void *argument)
{
    struct monodomain *sim = argument;
    const struct monodomain_params *p = &sim->params;
    const struct control *control = sim->diffusion.control;
    struct profile *profile = &sim->profile;
    bool strang = p->splitting == SPLITTING_STRANG;
    double part = strang ? p->step / 2 : p->step;
    profile_begin(profile);
    tissue_step(&sim->tissue, 0, part, p->ionic_substeps, sim->v, sim->u, control);
    profile_end(profile, PROFILE_IONIC);
    diffusion_rhs(&sim->diffusion, sim->u);
    profile_end(profile, PROFILE_RHS);
    diffusion_sweeps(&sim->diffusion);
    profile_end(profile, PROFILE_SWEEPS);
    end_step(sim, sim->diffusion.x, strang ? NULL : sim->v);
    diffusion_accept(&sim->diffusion);
    profile_end(profile, PROFILE_REST);
    if (strang) {
        tissue_step(&sim->tissue, 1, part, p->ionic_substeps, sim->u, sim->u, control);
        profile_end(profile, PROFILE_IONIC);
        end_step(sim, NULL, sim->v);
        profile_end(profile, PROFILE_REST);
    }
    swap_voltages(sim);
    if (!sim->backend->immediate)
        return;
    profile_collect(profile);
    if (sim->cpu_threads)
        cpu_set_threads(sim->queue, watch_step(&sim->watch, profile->last));
}

static void skip_steps(void *argument, int64_t steps)
{
    struct monodomain *sim = argument;
    diffusion_skip(&sim->diffusion, steps);
    if (steps % 2)
        swap_voltages(sim);
}

/* All of the host's state that a step depends on; conjugate gradients ask the host in every iteration */
static int step_shape(const void *argument)
{
    const struct monodomain *sim = argument;
    const struct diffusion *d = &sim->diffusion;
    int vectors = (d->history_depth + 1) * d->history_count + d->rotation;
    return d->method == METHOD_CG ? -1 : 64 * d->expected + 4 * vectors + 2 * sim->swapped + sim->profile.on;
}

void monodomain_program(struct monodomain *sim)
{
    int vectors =
        sim->diffusion.history_depth + 1; /* that change places in a circle, while V does so with another */
    sim->program =
        (struct program){place_step, skip_steps, step_shape, vectors % 2 ? 2 * vectors : vectors, sim, NULL};
}

/* All steps of a frame. On a GPU the last may stand alone to be timed: behind the others, so that its first
 * part does not wait for the host. */
static enum status run_steps(struct monodomain *sim, int64_t steps, struct error *error)
{
    const struct backend *backend = sim->backend;
    struct control *control = sim->diffusion.control;
    int64_t alone = profile_is_due(&sim->profile) ? 1 : 0;
    enum status status = STATUS_OK;
    if (steps > alone)
        status = backend->run(sim->queue, control, steps - alone, &sim->program, error);
    if (status || !alone)
        return status;
    sim->profile.on = true;
    status = backend->run(sim->queue, control, 1, &sim->program, error);
    sim->profile.on = false;
    if (!status)
        status = backend->wait(sim->queue, error);
    if (!status)
        profile_collect(&sim->profile);
    return status;
}

/* Up to TISSUE_FRAME steps; the host hears of a failure at their end. */
static enum status advance_frame(struct monodomain *sim, int64_t steps, struct error *error)
{
    const struct backend *backend = sim->backend;
    struct control *control = sim->diffusion.control;
    int64_t first = sim->control.step;
    double began = clock_seconds();
    diffusion_expect(&sim->diffusion, sim->control.recent);
    sim->control.first = first;
    sim->control.recent = 0;
    enum status status = tissue_prepare(&sim->tissue, first, steps, sim->params.step, error);
    if (!status)
        status = backend->upload(sim->queue, control, &sim->control, sizeof sim->control, error);
    if (!status)
        status = run_steps(sim, steps, error);
    if (!status)
        status = backend->download(sim->queue, &sim->control, control, sizeof sim->control, error);
    if (status)
        sim->failure =
            (struct failure){.kind = FAILURE_DEVICE, .node = -1, .time = (double)first * sim->params.step};
    control_finish_step(&sim->control);
    profile_advanced(&sim->profile, began);
    if (status || !sim->control.failure)
        return status;
    /* The vectors have changed places with every step that was placed; only those up to the failure count,
     * and the failed one's V is none. */
    int64_t done = sim->control.step - first, placed = backend->immediate ? done + 1 : steps;
    if (!backend->immediate)
        diffusion_skip(&sim->diffusion, sim->diffusion.history_depth * steps + done + 1);
    if ((placed - done) % 2)
        swap_voltages(sim);
    return monodomain_explain(sim, error);
}

enum status monodomain_advance(struct monodomain *sim, int64_t steps, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t left = steps; left > 0 && !status; left -= TISSUE_FRAME)
        status = advance_frame(sim, left < TISSUE_FRAME ? left : TISSUE_FRAME, error);
    sim->work.steps = sim->control.step - sim->origin;
    sim->work.sweeps = sim->control.sweeps;
    sim->work.sweeps_max = sim->control.most;
    return status;
}
