/* advance.c: a tissue goes on, frame by frame of steps for which the host asks nothing. */
#include "kernels/base/clock.h"
#include "solver/step/monodomain_internal.h"

/* Steps that are replayed as one; a multiple of what brings all vectors back, so that few graphs do */
enum { TOGETHER = 12 };

/* All that tells steps of a tissue from its others */
struct step_key {
    struct rotation vectors;
    int32_t expected, timed;
    int64_t steps;
};

static void place_steps(struct monodomain *sim, int64_t steps)
{
    for (int64_t done = 0, length; done < steps; done += length) {
        length = steps - done < TOGETHER ? 1 : TOGETHER;
        struct step_key key = {sim->vectors, sim->diffusion.expected, sim->profile.on, length};
        if (sim->queue->backend->graph_replay(sim->queue, &key, sizeof key)) {
            rotation_turn(&sim->vectors, length);
            continue;
        }
        sim->queue->backend->graph_begin(sim->queue, &key, sizeof key);
        for (int64_t k = 0; k < length; k++)
            monodomain_place_step(sim);
        sim->queue->backend->graph_end(sim->queue);
    }
}

/* All steps of a frame. On a GPU the last may stand alone to be timed: behind the others, so that its first
 * part does not wait for the host. */
static enum status run_steps(struct monodomain *sim, int64_t steps, struct error *error)
{
    int64_t alone = profile_is_due(&sim->profile) ? 1 : 0;
    place_steps(sim, steps - alone);
    if (!alone)
        return STATUS_OK;
    sim->profile.on = true;
    place_steps(sim, 1);
    sim->profile.on = false;
    enum status status = sim->queue->backend->wait(sim->queue, error);
    if (!status)
        profile_collect(&sim->profile);
    return status;
}

/* Whether the last step only had too few sweeps placed: on GPUs of several ranks, where no kernel goes on by
 * itself. It has changed neither V nor a state since its cells were stepped. */
static bool wants_sweeps(const struct monodomain *sim)
{
    return sim->control.failure == FAILURE_SWEEPS && !sim->queue->backend->immediate && sim->halo &&
           sim->control.sweep < sim->diffusion.max_sweeps / 2 * 2 &&
           sim->control.sweep < SWEEPS_EXPECTED_MOST;
}

/* That step again from its diffusion on, with more sweeps, and those behind it */
static enum status sweep_on(struct monodomain *sim, const struct rotation *begun, int64_t steps,
                            struct error *error)
{
    struct control *control = &sim->control;
    int64_t done = control->step - control->first;
    sim->vectors = *begun;
    rotation_turn(&sim->vectors, done);
    diffusion_expect(&sim->diffusion, 2 * control->sweep, 0);
    control->sweeps -= control->sweep;
    control->sweep = control->failure = 0;
    enum status status = device_upload(sim->queue, sim->diffusion.control, control, sizeof *control, error);
    if (status)
        return status;
    monodomain_place_diffusion(sim);
    place_steps(sim, steps - done - 1);
    return device_download(sim->queue, control, sim->diffusion.control, sizeof *control, error);
}

/* Up to TISSUE_FRAME steps; the host hears of a failure at their end. */
static enum status advance_frame(struct monodomain *sim, int64_t steps, struct error *error)
{
    struct control *control = sim->diffusion.control;
    const struct rotation begun = sim->vectors;
    int64_t first = sim->control.step;
    double began = clock_seconds();
    diffusion_expect(&sim->diffusion, sim->control.recent, first - sim->control.first);
    sim->control.first = first;
    sim->control.recent = 0;
    enum status status = tissue_prepare(&sim->tissue, first, steps, sim->params.step, error);
    AND(device_upload(sim->queue, control, &sim->control, sizeof sim->control, error));
    AND(run_steps(sim, steps, error));
    AND(device_download(sim->queue, &sim->control, control, sizeof sim->control, error));
    while (!status && wants_sweeps(sim))
        status = sweep_on(sim, &begun, steps, error);
    if (status)
        sim->failure =
            (struct failure){.kind = FAILURE_DEVICE, .node = -1, .time = (double)first * sim->params.step};
    control_finish_step(&sim->control);
    profile_advanced(&sim->profile, began);
    if (status || !sim->control.failure)
        return status;
    /* The vectors have turned with every step that was placed; only those before the failure count. */
    sim->vectors = begun;
    rotation_turn(&sim->vectors, sim->control.step - first);
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
