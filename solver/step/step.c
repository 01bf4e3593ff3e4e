/* step.c: one step of a tissue. Nothing in it waits for the device. */
#include "kernels/device/cpu.h"
#include "solver/step/monodomain_internal.h"

/* The end of a diffusion step (x), of a time step (v), or of both, with V in u */
static struct step_end end_of(const struct monodomain *sim, double *u, double *x, const double *v)
{
    const struct monodomain_params *p = &sim->params;
    return (struct step_end){.u = u,
                             .x = x,
                             .predictor_weight = sim->diffusion.predictor_weight,
                             .b = sim->diffusion.b,
                             .inverse = sim->diffusion.inverse,
                             .v = v,
                             .dt = p->step,
                             .limit = p->voltage_limit,
                             .observers = 1,
                             .observer = {sim->beats.observer},
                             .points = sim->beats.points.points ? &sim->beats.points : NULL,
                             .halo = sim->halo,
                             .control = sim->diffusion.control};
}

/* Godunov: I(dt) D(dt). Strang: I(dt/2) D(dt) I(dt/2). The stimulus is a current of the cells. */
void monodomain_place_step(struct monodomain *sim)
{
    const struct monodomain_params *p = &sim->params;
    double part = p->splitting == SPLITTING_STRANG ? p->step / 2 : p->step;
    profile_begin(&sim->profile);
    tissue_step(&sim->tissue, 0, part, p->ionic_substeps, sim->vectors.v, sim->vectors.u,
                sim->diffusion.control);
    profile_end(&sim->profile, PROFILE_IONIC);
    monodomain_place_diffusion(sim);
}

void monodomain_place_diffusion(struct monodomain *sim)
{
    const struct monodomain_params *p = &sim->params;
    const struct rotation *vectors = &sim->vectors;
    const struct control *control = sim->diffusion.control;
    struct profile *profile = &sim->profile;
    bool strang = p->splitting == SPLITTING_STRANG;
    double part = strang ? p->step / 2 : p->step;
    bool within = params_explicit(p) && !strang; /* the last sums of the diffusion end the step */
    struct step_end end = vectors->whole ? end_of(sim, vectors->x, NULL, vectors->v)
                                         : end_of(sim, vectors->u, vectors->x, strang ? NULL : vectors->v);
    diffusion_rhs(&sim->diffusion, vectors, within ? &end : NULL);
    profile_end(profile, PROFILE_RHS);
    diffusion_solve(&sim->diffusion, vectors->x, within ? &end : NULL);
    profile_end(profile, PROFILE_SWEEPS);
    if (!within)
        sim->queue->backend->step_end(sim->queue, sim->layout.rows, &end);
    profile_end(profile, PROFILE_REST);
    if (strang) {
        tissue_step(&sim->tissue, 1, part, p->ionic_substeps, vectors->u, vectors->u, control);
        profile_end(profile, PROFILE_IONIC);
        end = end_of(sim, vectors->u, NULL, vectors->v);
        sim->queue->backend->step_end(sim->queue, sim->layout.rows, &end);
        profile_end(profile, PROFILE_REST);
    }
    rotation_turn(&sim->vectors, 1);
    if (!sim->queue->backend->immediate)
        return;
    profile_collect(profile);
    if (sim->cpu_threads)
        cpu_set_threads(sim->queue, thread_tuner_step(&sim->tuner, profile->last));
}
