/* uniform.c: tissue with uniform V and states behaves as a single cell.
 *
 * Tissue and cell make the same ionic steps with the same stimulus; diffusion adds only differences of equal
 * numbers. So V and all states of every node equal those of the cell bit for bit, on any mesh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verify/tissue.h"
#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

struct variant {
    const char *title, *model;
    int dimension;
    enum method method;
    enum splitting splitting;
    double lumping;
    int substeps;
};

static const struct variant variants[] = {
    {"cable, tp06-epi, Godunov", "tp06-epi", 1, METHOD_JACOBI, SPLITTING_GODUNOV, 1, 1},
    {"slab, tp06-endo, Godunov, 2 ionic steps in a step", "tp06-endo", 3, METHOD_JACOBI, SPLITTING_GODUNOV, 1,
     2},
    {"slab, tp06-epi, rkl2, Godunov", "tp06-epi", 3, METHOD_RKL2, SPLITTING_GODUNOV, 1, 1},
    {"cable, ohara-endo, staggered", "ohara-endo", 1, METHOD_JACOBI, SPLITTING_STAGGERED, 1, 1},
    {"sheet, tp06-epi, staggered, 3 ionic steps in a step", "tp06-epi", 2, METHOD_CHEBYSHEV,
     SPLITTING_STAGGERED, 0.5, 3},
    {"slab, courtemanche-ra, rkl2, staggered", "courtemanche-ra", 3, METHOD_RKL2, SPLITTING_STAGGERED, 1, 1},
    {"slab, mitchell-schaeffer, rkl2, staggered", "mitchell-schaeffer", 3, METHOD_RKL2, SPLITTING_STAGGERED,
     1, 1},
};

enum { STEPS = 250, STATES_MAX = 64 };

struct lone_cell {
    struct verify_single single;
    struct stimulus_plan plan;
};

static enum status lone_cell_make(struct lone_cell *cell, const struct verify *verify,
                                  const struct verify_tissue *tissue, struct error *error)
{
    uint16_t of_node;
    int32_t node = 0;
    struct stimulus stimulus = tissue->params.stimulus[0];
    stimulus.node = &node;
    stimulus.nodes = 1;
    memset(cell, 0, sizeof *cell);
    enum status status =
        verify_single_make(&cell->single, verify, tissue->region.model, tissue->parameter, error);
    cell->single.staggered = tissue->params.splitting == SPLITTING_STAGGERED;
    return status ? status : stimulus_plan(&cell->plan, &stimulus, 1, 1, &of_node, error);
}

static void lone_cell_free(struct lone_cell *cell)
{
    verify_single_free(&cell->single);
    stimulus_plan_free(&cell->plan);
}

/* One ionic step from t0 to t0 + dt, in `substeps` substeps */
static enum status lone_cell_step(struct lone_cell *cell, double t0, double dt, int substeps,
                                  struct error *error)
{
    double current[2];
    stimulus_currents(&cell->plan, t0, t0 + dt, current);
    return verify_single_step(&cell->single, dt / substeps, substeps, current[1], error);
}

/* The n-th time step of the tissue, without diffusion */
static enum status lone_cell_advance(struct lone_cell *cell, const struct verify_tissue *tissue, int64_t n,
                                     struct error *error)
{
    const struct monodomain_params *p = &tissue->params;
    return lone_cell_step(cell, (double)n * p->step, p->step, p->ionic_substeps, error);
}

/* *different += the number of V and states in the tissue that differ from the cell's in any bit */
static enum status compare_bits(struct verify_tissue *tissue, struct lone_cell *cell, double *different,
                                struct error *error)
{
    int64_t nodes = tissue->mesh.nodes;
    const struct ionic_model *model = tissue->region.model;
    enum status status = STATUS_OK;
    double v, state[STATES_MAX], *value = array_new(nodes, sizeof *value, "the states", &status, error);
    if (status)
        goto done;
    TRY_DONE(verify_single_get(&cell->single, &v, state, error));
    for (int64_t i = 0; i < nodes; i++)
        *different += memcmp(&tissue->v[i], &v, sizeof v) != 0;
    for (int s = 0; s < model->states; s++) {
        TRY_DONE(verify_tissue_get(tissue, model->state[s].name, value, error));
        for (int64_t i = 0; i < nodes; i++)
            *different += memcmp(&value[i], &state[s], sizeof *state) != 0;
    }
done:
    free(value);
    return status;
}

static enum status make_tissue(struct verify_tissue *tissue, const struct variant *variant,
                               struct stimulus *stimulus, int32_t **everywhere, struct error *error)
{
    const double size[3] = {1.0, 0.7, 0.5};
    enum status status = verify_tissue_make_oblique(tissue, variant->dimension, size, variant->model, error);
    TRY(status);
    int64_t nodes = tissue->mesh.nodes;
    *everywhere = array_new(nodes, sizeof **everywhere, "a stimulus", &status, error);
    TRY(status);
    for (int64_t i = 0; i < nodes; i++)
        (*everywhere)[i] = (int32_t)i;
    *stimulus = (struct stimulus){
        .node = *everywhere, .nodes = nodes, .current = 50, .start = 0.033, .duration = 1.01, .count = 1};
    struct monodomain_params *p = &tissue->params;
    p->step = 0.02;
    p->method = variant->method;
    p->splitting = variant->splitting;
    p->mass_lumping = variant->lumping;
    p->ionic_substeps = variant->substeps;
    p->tolerance = 1e-10;
    p->stimulus = stimulus;
    p->stimuli = 1;
    return STATUS_OK;
}

static enum status uniform_case(struct verify *verify, const struct variant *variant, struct error *error)
{
    struct verify_tissue tissue;
    struct lone_cell cell = {0};
    struct stimulus stimulus;
    int32_t *everywhere = NULL;
    double different = 0;
    enum status status;
    TRY_DONE(make_tissue(&tissue, variant, &stimulus, &everywhere, error));
    TRY_DONE(lone_cell_make(&cell, verify, &tissue, error));
    if (verify->inject)
        tissue.v[tissue.mesh.nodes / 3] = nextafter(tissue.v[tissue.mesh.nodes / 3], 0);
    TRY_DONE(verify_tissue_start(verify, &tissue, error));
    for (int64_t n = 0; n < STEPS; n++) {
        TRY_DONE(lone_cell_advance(&cell, &tissue, n, error));
        TRY_DONE(verify_tissue_advance(&tissue, 1, error));
        if (n % 10 == 0 || n == STEPS - 1)
            TRY_DONE(compare_bits(&tissue, &cell, &different, error));
    }
    verify_case(verify, "%s: %d steps with a stimulus everywhere", variant->title, STEPS);
    verify_interval(verify, "values of V and states that differ in a bit", different, 0, 0);
done:
    lone_cell_free(&cell);
    free(everywhere);
    verify_tissue_free(&tissue);
    return status;
}

enum status verify_uniform(struct verify *verify, struct error *error)
{
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++)
        TRY(uniform_case(verify, variants + k, error));
    return STATUS_OK;
}
