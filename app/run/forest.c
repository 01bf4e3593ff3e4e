/* forest.c: read the record of a tissue and find its waves. */
#include "app/run/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/pacing.h"
#include "kernels/base/array.h"
#include "kernels/ops/observer.h"
#include "solver/mesh/neighbours.h"

static const char what[] = "the waves";

int64_t forest_slots(const struct problem *problem, const struct config *config, int more)
{
    const double share = 0.1, always = 10e6, own = 2 * sizeof(double); /* bytes of a slot */
    const struct monodomain_params *params = &problem->params;
    int64_t least = params->activation_beats + more;
    double pulses = 0;
    for (int s = 0; s < config->stimuli; s++)
        for (int k = 0; k < (config->stimulus[s].phases ? config->stimulus[s].phases : 1); k++) {
            int64_t count =
                config->stimulus[s].phases ? config->stimulus[s].phase[k].count : config->stimulus[s].count;
            pulses += count > 0 ? (double)count : HUGE_VAL;
        }
    double bytes = fmax(share * monodomain_bytes(&problem->mesh, params).device, always);
    double slots = fmin(pulses + 2, floor(bytes / (own * (double)problem->mesh.nodes)));
    return slots > (double)least ? (int64_t)slots : least;
}

/* *alone <- the times up to `until` ms at which a cell of region r, from the tissue's initial state, depolarises
 * spontaneously; never, if that cannot be computed */
static void find_alone(struct forest_alone *alone, const struct setup *setup, int r, double until)
{
    const struct config *config = &setup->config;
    const struct region *region = &setup->problem.region[r];
    const struct pacing_cell cell = {.model = region->model,
                                     .parameter = region->parameter,
                                     .way = config_way(config),
                                     .step = params_cell_step(&config->physics)};
    struct error unknown = {0};
    double rise[2];
    if (pacing_alone(rise, &cell, region->initial, setup->problem.thresholds[r], until, &unknown))
        rise[0] = rise[1] = HUGE_VAL;
    alone->until = until;
    alone->found = (struct waves_alone){config->initial.file ? (double)NAN : rise[0],
                                        rise[1] < HUGE_VAL ? rise[1] - rise[0] : HUGE_VAL};
}

/* Callback `alone` of struct waves. A spontaneous time matters only if it is nearer to an activation than the start is,
 * so up to twice the current time. When needed, a cell is simulated again from the start, up to twice that, which at
 * most doubles the total number of its steps. */
static struct waves_alone alone_of(void *cells, int32_t node)
{
    struct forest *forest = cells;
    const struct setup *setup = forest->setup;
    const int32_t r = setup->cells.region[node];
    const double present = monodomain_time(setup->sim);
    if (r >= setup->cells.regions || setup->problem.region[r].fields > 0)
        return (struct waves_alone){HUGE_VAL, HUGE_VAL};
    struct forest_alone *alone = &forest->alone[r];
    if (alone->found.cycle == HUGE_VAL && alone->until < 2 * present)
        find_alone(alone, setup, r, alone->until > 0 ? 4 * present : 2 * present);
    return alone->found;
}

enum status forest_set_mesh(struct forest *forest, const struct setup *setup, const struct mesh *mesh,
                            struct error *error)
{
    const struct problem *problem = &setup->problem;
    enum status status = STATUS_OK;
    TRY(mesh_neighbours_use(&forest->neighbours, mesh, error));
    TRY(waves_create(&forest->waves, &forest->neighbours, mesh->point, problem->stimulus, problem->stimuli,
                     setup->fastest, error));
    forest->excitable = array_new(mesh->nodes, sizeof *forest->excitable, what, &status, error);
    forest->up = array_zeroed(mesh->nodes, sizeof *forest->up, what, &status, error);
    forest->alone = array_zeroed(setup->cells.regions, sizeof *forest->alone, what, &status, error);
    TRY(status);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++) {
        const int32_t r = setup->cells.region[i];
        forest->excitable[i] = sites_excitable(&setup->cells, i);
        if (r < setup->cells.regions && !setup->config.initial.file) {
            const struct region *region = &problem->region[r];
            forest->up[i] = (region->initial ? region->initial[0] : region->model->v_initial) >=
                            problem_threshold(problem, r);
        }
    }
    for (int r = 0; r < setup->cells.regions; r++)
        forest->alone[r].found = (struct waves_alone){HUGE_VAL, HUGE_VAL};
    forest->setup = setup;
    forest->waves.excitable = forest->excitable;
    forest->waves.up = forest->up;
    forest->waves.alone = alone_of;
    forest->waves.cells = forest;
    return STATUS_OK;
}

enum status forest_create(struct forest *forest, const struct setup *setup, bool any, struct error *error)
{
    const int64_t held = any ? monodomain_held(setup->sim) : 0;
    enum status status = STATUS_OK;
    *forest = (struct forest){.slots = any ? setup->problem.params.activation_slots : 0};
    const int64_t values = held * forest->slots;
    forest->time = array_new(values, sizeof *forest->time, what, &status, error);
    forest->over = array_new(values, sizeof *forest->over, what, &status, error);
    forest->scratch = array_new(values, sizeof *forest->scratch, what, &status, error);
    forest->dropped = array_new(held, sizeof *forest->dropped, what, &status, error);
    TRY(status);
    return setup->comm->size == 1 ? forest_set_mesh(forest, setup, &setup->problem.mesh, error) : STATUS_OK;
}

void forest_free(struct forest *forest)
{
    waves_free(&forest->waves);
    csr_free(&forest->neighbours);
    free(forest->excitable);
    free(forest->up);
    free(forest->alone);
    free(forest->dropped);
    free(forest->time);
    free(forest->over);
    free(forest->scratch);
    *forest = (struct forest){0};
}

/* Copies a variable to the columns of `to` from *first on, or back with `store`; *first <- the next free column */
static enum status move_columns(double *to, int64_t *first, struct forest *forest, const struct setup *setup,
                                const char *name, bool store, struct error *error)
{
    int k = monodomain_find(setup->sim, name);
    if (k < 0)
        return STATUS_OK;
    const int64_t width = monodomain_variable(setup->sim, k)->width, held = monodomain_held(setup->sim);
    if (!store)
        TRY(monodomain_get(setup->sim, k, forest->scratch, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < held; i++)
        for (int64_t b = 0; b < width; b++) {
            double *column = &to[i * forest->slots + *first + b], *value = &forest->scratch[i * width + b];
            *(store ? value : column) = *(store ? column : value);
        }
    *first += width;
    return store ? monodomain_set(setup->sim, k, forest->scratch, error) : STATUS_OK;
}

static enum status move_record(struct forest *forest, const struct setup *setup, bool store,
                               struct error *error)
{
    int64_t first = 0;
    TRY(move_columns(forest->time, &first, forest, setup, "activation_time", store, error));
    TRY(move_columns(forest->time, &first, forest, setup, "activation_after", store, error));
    first = 0;
    return move_columns(forest->over, &first, forest, setup, "activation_over", store, error);
}

enum status forest_write(struct forest *forest, const struct setup *setup, struct error *error)
{
    return move_record(forest, setup, true, error);
}

enum status forest_read(struct forest *forest, const struct setup *setup, struct error *error)
{
    TRY(move_record(forest, setup, false, error));
    TRY(monodomain_get(setup->sim, monodomain_find(setup->sim, "activation_waits"), forest->scratch, error));
    for (int64_t i = 0; i < monodomain_held(setup->sim); i++)
        forest->dropped[i] = ((int)forest->scratch[i] & OBSERVER_DROPPED) != 0;
    return STATUS_OK;
}

enum status forest_grow(struct forest *forest, const struct setup *setup, struct error *error)
{
    const struct waves_record record = {forest->time, forest->over, forest->slots, forest->dropped};
    return waves_add(&forest->waves, &record, monodomain_time(setup->sim), error);
}
