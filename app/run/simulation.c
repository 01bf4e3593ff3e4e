/* simulation.c: the start, the steps and the copies of a tissue in memory. */
#include "app/run/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/problem/initial.h"
#include "app/problem/problem.h"
#include "kernels/base/array.h"

/* Adds initial.file to the record of inputs; an error if it has changed since. */
static enum status list_initial(const struct config *config, struct error *error)
{
    char hex[SHA256_HEX];
    if (!config->initial.file)
        return STATUS_OK;
    TRY(inputs_digest(config->inputs, config->initial.file, hex, error));
    return inputs_check(config->inputs, error);
}

enum status simulation_start(const struct setup *setup, struct error *error)
{
    const struct config *config = &setup->config;
    char doubt[INITIAL_DOUBT] = "";
    if (!config->initial.file && setup->problem.paced.row)
        return paced_start(setup->sim, &setup->problem, error);
    TRY(list_initial(config, error));
    enum status status =
        initial_start(setup->sim, &setup->problem.mesh, config, setup->head.mesh_sha256, doubt, error);
    if (!status)
        status = list_initial(config, error);
    if (*doubt)
        progress_warn(setup->progress, "%s", doubt);
    return status;
}

void simulation_warn_of_rounding(struct setup *setup, double passed, bool ended)
{
    const struct scheme *scheme = &monodomain_report(setup->sim)->scheme;
    if (passed <= (ended ? 1 : 2) * setup->passed || !isfinite(passed)) /* not finite: the run fails anyway */
        return;
    setup->passed = passed;
    progress_warn(setup->progress,
                  "V changed by %.3g mV by diffusion in a step; rows are rounded for %g mV, so rounding may "
                  "have moved V by %.2g mV, more than the %g mV that are allowed; solver.precision: "
                  "double avoids it",
                  passed, scheme->bound, scheme->budget * passed / scheme->bound, scheme->budget);
}

enum status simulation_advance(struct setup *setup, int64_t to, struct error *error)
{
    const struct failure *failure = monodomain_failure(setup->sim);
    int64_t now = monodomain_step(setup->sim);
    enum status status = to > now ? monodomain_advance(setup->sim, to - now, error) : STATUS_OK;
    if (setup->comm->size == 1) /* ranks may end differently: they exchange it at the end of the run */
        simulation_warn_of_rounding(setup, monodomain_passed(setup->sim), false);
    if (!status || failure->kind != FAILURE_VOLTAGE || failure->node < 0) /* the same on all ranks */
        return status;
    struct error inner = *error;
    double p[3];
    setup_point(setup, failure->node, p);
    return error_set(error, status, "%.700s (%.6g, %.6g, %.6g mm)", inner.text, p[0], p[1], p[2]);
}

enum status simulation_copy_create(struct simulation_copy *copy, const struct setup *setup,
                                   struct error *error)
{
    enum status status = STATUS_OK;
    copy->followed = array_zeroed(monodomain_followed_values(setup->sim), sizeof *copy->followed,
                                  "the records at points", &status, error);
    TRY(status);
    return state_copy_create(&copy->state, setup->sim, setup->problem.mesh.nodes, error);
}

enum status simulation_copy_take(struct simulation_copy *copy, const struct setup *setup, struct error *error)
{
    TRY(monodomain_followed(setup->sim, copy->followed, error));
    return state_copy_take(&copy->state, setup->sim, error);
}

enum status simulation_copy_restore(const struct simulation_copy *copy, const struct setup *setup,
                                    struct error *error)
{
    if (monodomain_followed_values(setup->sim) > 0)
        TRY(monodomain_set_followed(setup->sim, copy->followed, error));
    return state_copy_restore(&copy->state, setup->sim, error);
}

void simulation_copy_free(struct simulation_copy *copy)
{
    state_copy_free(&copy->state);
    free(copy->followed);
    *copy = (struct simulation_copy){0};
}
