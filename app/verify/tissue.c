/* tissue.c: create and step tissues, studies and single cells. */
#include "app/verify/tissue.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/cores.h"
#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "solver/matrix/simplex.h"
#include "solver/mesh/generate.h"

static enum status make_mesh(struct mesh *mesh, int dimension, const double size[3], double spacing,
                             struct error *error)
{
    switch (dimension) {
    case 1:
        return mesh_cable(mesh, size[0], spacing, error);
    case 2:
        return mesh_sheet(mesh, size, spacing, error);
    default:
        return mesh_slab(mesh, size, spacing, error);
    }
}

enum status verify_tissue_make(struct verify_tissue *tissue, int dimension, const double size[3],
                               double spacing, const char *model, struct error *error)
{
    memset(tissue, 0, sizeof *tissue);
    enum status status = STATUS_OK;
    TRY(make_mesh(&tissue->mesh, dimension, size, spacing, error));
    const struct mesh *mesh = &tissue->mesh;
    const char *what = "a verification problem";
    tissue->element_region =
        array_zeroed(mesh->elements, sizeof *tissue->element_region, what, &status, error);
    tissue->v = array_new(mesh->nodes, sizeof *tissue->v, what, &status, error);
    tissue->mass = array_zeroed(mesh->nodes, sizeof *tissue->mass, what, &status, error);
    if (status)
        return status;
    tissue->region.model = ionic_find(model);
    assert(tissue->region.model && tissue->region.model->parameters <= VERIFY_PARAMETERS_MAX);
    for (int k = 0; k < tissue->region.model->parameters; k++)
        tissue->parameter[k] = tissue->region.model->parameter[k].value;
    for (int k = 0; k < 3; k++)
        tissue->region.diffusion[k] = 0.1;
    tissue->region.isotropic = 1;
    tissue->diffusion_factor = 1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        tissue->v[i] = tissue->region.model->v_initial;
    tissue->params = monodomain_params_default();
    tissue->params.splitting = SPLITTING_GODUNOV; /* unless the problem sets another */
    tissue->params.step = 0.02;
    tissue->params.method = METHOD_JACOBI;
    tissue->params.max_sweeps = 10000;
    tissue->params.tolerance = 1e-11;
    tissue->params.precision = PRECISION_DOUBLE;
    tissue->params.regions = 1;
    return STATUS_OK;
}

void verify_tissue_free(struct verify_tissue *tissue)
{
    monodomain_free(tissue->sim);
    mesh_free(&tissue->mesh);
    free(tissue->element_region);
    free(tissue->v);
    free(tissue->mass);
    memset(tissue, 0, sizeof *tissue);
}

void verify_tissue_bend(struct verify_tissue *tissue, double amount)
{
    struct mesh *mesh = &tissue->mesh;
    for (int64_t i = 0; i < mesh->nodes; i++)
        for (int d = 0; d < mesh->dimension; d++)
            mesh->point[3 * i + d] += amount * bits_random_signed((uint64_t)(3 * i + d));
}

void verify_tissue_fiber(struct verify_tissue *tissue, double along, double across, double x, double y,
                         double z)
{
    tissue->region.isotropic = 0;
    tissue->region.diffusion[0] = along;
    tissue->region.diffusion[1] = tissue->region.diffusion[2] = across;
    tissue->fiber[0] = x;
    tissue->fiber[1] = y;
    tissue->fiber[2] = z;
}

enum status verify_tissue_make_oblique(struct verify_tissue *tissue, int dimension, const double size[3],
                                       const char *model, struct error *error)
{
    TRY(verify_tissue_make(tissue, dimension, size, 0.1, model, error));
    verify_tissue_bend(tissue, 0.02);
    verify_tissue_fiber(tissue, 0.1, 0.02, 0.8, 0.5, 0.3);
    return STATUS_OK;
}

void verify_tissue_parameter(struct verify_tissue *tissue, const char *name, double value)
{
    const struct ionic_model *model = tissue->region.model;
    int k = ionic_find_value(model->parameter, model->parameters, name);
    assert(k >= 0);
    tissue->parameter[k] = value;
}

static void sum_masses(struct verify_tissue *tissue)
{
    const struct mesh *mesh = &tissue->mesh;
    const int corners = mesh->dimension + 1;
    for (int64_t e = 0; e < mesh->elements; e++) {
        double gradient[4][3], share = simplex_gradients(mesh, e, gradient) / corners;
        for (int a = 0; a < corners; a++)
            tissue->mass[mesh->vertex[e * corners + a]] += share;
    }
}

enum status verify_tissue_start(struct verify *verify, struct verify_tissue *tissue, struct error *error)
{
    struct region planted = tissue->region;
    planted.parameter = tissue->parameter;
    for (int k = 0; k < 3; k++)
        planted.diffusion[k] *= tissue->diffusion_factor;
    tissue->params.region = &planted;
    tissue->params.element_region = tissue->element_region;
    if (!tissue->mesh.fiber_location && !planted.isotropic)
        tissue->params.fiber = tissue->fiber;
    enum status status =
        monodomain_create(&tissue->sim, &tissue->mesh, &tissue->params, verify->queue, error);
    tissue->params.region = &tissue->region;
    TRY(status);
    sum_masses(tissue);
    monodomain_tune_threads(tissue->sim, cores_threads(0, tissue->mesh.nodes));
    return monodomain_set(tissue->sim, 0, tissue->v, error);
}

static int find_state(const struct verify_tissue *tissue, const char *state)
{
    char name[64];
    snprintf(name, sizeof name, "%s/%s", tissue->region.model->name, state);
    int k = monodomain_find(tissue->sim, name);
    assert(k >= 0);
    return k;
}

enum status verify_tissue_set(struct verify_tissue *tissue, const char *state, const double *value,
                              struct error *error)
{
    return monodomain_set(tissue->sim, find_state(tissue, state), value, error);
}

enum status verify_tissue_get(struct verify_tissue *tissue, const char *state, double *value,
                              struct error *error)
{
    return monodomain_get(tissue->sim, find_state(tissue, state), value, error);
}

enum status verify_tissue_advance(struct verify_tissue *tissue, int64_t steps, struct error *error)
{
    TRY(monodomain_advance(tissue->sim, steps, error));
    return monodomain_voltage(tissue->sim, tissue->v, error);
}

double verify_order(double coarse, double fine)
{
    return log2(coarse / fine);
}

enum status verify_study_make(struct verify_study *study, const char *text, const char *set,
                              struct error *error)
{
    *study = (struct verify_study){0};
    TRY(config_parse(&study->config, "verify.yaml", "", text, strlen(text), &set, set != NULL, error));
    return problem_create(&study->problem, &study->config, NULL, error);
}

enum status verify_study_start(const struct verify *verify, struct verify_study *study, struct error *error)
{
    return monodomain_create(&study->sim, &study->problem.mesh, &study->problem.params, verify->queue, error);
}

void verify_study_free(struct verify_study *study)
{
    monodomain_free(study->sim);
    problem_free(&study->problem);
    config_free(&study->config);
    *study = (struct verify_study){0};
}

enum status verify_single_make(struct verify_single *single, const struct verify *verify,
                               const struct ionic_model *model, const double *parameter, struct error *error)
{
    enum { STATES_MAX = 64 };
    const uint16_t one = 1;
    double state[STATES_MAX];
    *single = (struct verify_single){.queue = verify->queue, .stimulus = NAN};
    struct queue *queue = single->queue;
    enum status status = STATUS_OK;
    single->class = device_array(queue, 1, sizeof *single->class, "a cell", &status, error);
    single->current = device_array(queue, 2, sizeof *single->current, "a cell", &status, error);
    single->v = device_array(queue, 1, sizeof *single->v, "a cell", &status, error);
    single->u = device_array(queue, 1, sizeof *single->u, "a cell", &status, error);
    if (status)
        return status;
    single->cells = (struct ionic_cells){.model = model, .cells = 1, .stride = 1, .parameter = parameter};
    single->cells.state64 = device_array(queue, STATES_MAX, sizeof *state, "a cell", &status, error);
    if (status)
        return status;
    ionic_initial(state, NULL, model, false, 1, 1);
    TRY(device_upload(queue, single->class, &one, sizeof one, error));
    TRY(device_upload(queue, single->v, &model->v_initial, sizeof *single->v, error));
    return device_upload(queue, single->cells.state64, state, (size_t)model->states * sizeof *state, error);
}

void verify_single_free(struct verify_single *single)
{
    if (!single->queue)
        return;
    device_release(single->queue, single->class);
    device_release(single->queue, single->current);
    device_release(single->queue, single->v);
    device_release(single->queue, single->u);
    device_release(single->queue, single->cells.state64);
}

enum status verify_single_step(struct verify_single *single, double dt, int substeps, double stimulus,
                               struct error *error)
{
    const double current[2] = {0, stimulus};
    if (single->stimulus != stimulus)
        TRY(device_upload(single->queue, single->current, current, sizeof current, error));
    single->stimulus = stimulus;
    struct ionic_drive drive = {.dt = dt,
                                .substeps = substeps,
                                .stimulus_class = single->class,
                                .stimulus_current = single->current,
                                .v_in = single->v,
                                .v_out = single->u,
                                .v_before = single->staggered ? single->u : NULL,
                                .extrapolation = single->last > 0 ? dt / (2 * single->last) : 0,
                                .subset = single->last > 0 ? IONIC_BOTH : IONIC_REST};
    const struct ionic_drive gates = {.dt = dt / 2,
                                      .substeps = 1,
                                      .v_in = single->v,
                                      .v_out = single->v,
                                      .v_before = single->u,
                                      .subset = IONIC_GATES};
    if (single->staggered && single->last == 0)
        single->queue->backend->ionic_step(single->queue, &single->cells, &gates);
    single->queue->backend->ionic_step(single->queue, &single->cells, &drive);
    single->u = single->v;
    single->v = drive.v_out;
    single->last = dt * substeps;
    return STATUS_OK;
}

enum status verify_single_get(const struct verify_single *single, double *v, double *state,
                              struct error *error)
{
    TRY(device_download(single->queue, v, single->v, sizeof *v, error));
    if (state)
        TRY(device_download(single->queue, state, single->cells.state64,
                            (size_t)single->cells.model->states * sizeof *state, error));
    return STATUS_OK;
}
