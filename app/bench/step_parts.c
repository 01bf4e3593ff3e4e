/* step_parts.c: the arrays of a step, and the step itself. Every step begins at the same V, so that
 * whatever an ablated one computes does not reach the next. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/solve.h"
#include "app/bench/step.h"
#include "app/config/keys.h"
#include "kernels/ops/rhs.h"
#include "kernels/ops/step_end.h"
#include "solver/matrix/rows.h"

static void run_rhs(const struct step_parts *p)
{
    const struct bench *bench = p->bench;
    struct rhs rhs = {.v = p->u,
                      .scale = -1,
                      .start = START_QUADRATIC,
                      .history = {p->change[0], p->change[1], p->change[2]},
                      .predictor_weight = 1,
                      .inverse = p->packed.inverse,
                      .b = p->b,
                      .x64 = p->packed.x64,
                      .x32 = p->packed.x32,
                      .bound = INFINITY,
                      .limit = INFINITY,
                      .control = p->packed.control};
    bench->queue->backend->rhs(bench->queue, &p->packed.packing.matrix, &rhs);
}

/* Sweep k of the step with something left out */
static void run_ablated(const struct step_parts *p, int k)
{
    const struct bench *bench = p->bench;
    const struct bench_packed *m = &p->packed;
    bool back = k % 2;
    struct ablation sweep = {.what = p->what,
                             .matrix = &m->packing.matrix,
                             .b = p->b,
                             .inverse = m->inverse,
                             .x64 = back ? m->y64 : m->x64,
                             .x32 = back ? m->y32 : m->x32,
                             .y64 = p->what == ABLATION_WRITES ? p->totals
                                    : back                     ? m->x64
                                                               : m->y64,
                             .y32 = p->what == ABLATION_WRITES ? NULL
                                    : back                     ? m->x32
                                                               : m->y32};
    bench->device->ablation(bench->queue, &sweep);
}

/* With a control of its own: the step end insists on sweeps that have converged, and ablated ones never do.
 */
static void run_step_end(const struct step_parts *p)
{
    const struct bench *bench = p->bench;
    struct step_end end = {
        .u = p->u,
        .x = p->packed.x64,
        .predictor_weight = 1,
        .b = p->b,
        .inverse = p->packed.inverse,
        .v = p->v,
        .dt = p->dt,
        .limit = INFINITY,
        .observers = 1,
        .observer = {{.beats = 1, .time = p->activation, .count = p->activations, .waits = p->waits}},
        .control = p->converged};
    bench->queue->backend->step_end(bench->queue, p->packed.layout.rows, &end);
}

static void run_ionic(const struct step_parts *p)
{
    const struct bench *bench = p->bench;
    struct ionic_drive drive = {.dt = p->dt, .substeps = 1, .v_in = p->start, .v_out = p->u};
    bench->queue->backend->ionic_step(bench->queue, &p->cells, &drive);
}

/* As a step lays them out; the ablated ones, which nothing judges, one by one */
static void run_sweeps(const struct step_parts *p)
{
    bool ablated = p->what != ABLATION_NOTHING || p->ablated;
    if (!ablated)
        bench_solve(p->bench, &p->packed, p->b, p->sweeps);
    for (int k = 0; k < p->sweeps && ablated; k++)
        run_ablated(p, k);
}

void step_run(void *argument)
{
    struct step_parts *p = argument;
    const struct bench *bench = p->bench;
    if (p->parts & STEP_IONIC)
        run_ionic(p);
    else if (!p->alone)
        bench->device->copy(bench->queue, p->packed.layout.rows, p->start, p->u, NULL);
    if (p->parts & STEP_RHS)
        run_rhs(p);
    if (p->parts & STEP_SWEEPS)
        run_sweeps(p);
    if (p->parts & STEP_END)
        run_step_end(p);
}

/* States of every packed row at rest, and their parameters */
static enum status make_cells(struct step_parts *p, const struct ionic_model *model, const double *parameter,
                              struct error *error)
{
    struct bench *bench = p->bench;
    int64_t n = p->packed.layout.rows;
    enum status status = STATUS_OK;
    double *state = malloc(8 * (size_t)(n * model->states + 1));
    p->parameter = malloc(((size_t)model->parameters + 1) * sizeof *p->parameter);
    if (!state || !p->parameter) {
        free(state);
        return error_memory(error, "the cells", 8.0 * (double)n * model->states);
    }
    for (int k = 0; k < model->parameters; k++)
        p->parameter[k] = parameter ? parameter[k] : model->parameter[k].value;
    ionic_initial(state, NULL, model, false, n, n);
    p->cells = (struct ionic_cells){.model = model, .cells = n, .stride = n, .parameter = p->parameter};
    p->cells.state64 = bench_upload(bench->queue, state, n * model->states, 8, &status, error);
    free(state);
    return status;
}

/* device[rows] <- middle + spread random */
static double *place_random(struct step_parts *p, double middle, double spread, uint64_t seed,
                            enum status *status, struct error *error)
{
    int64_t n = p->packed.layout.rows;
    double *host = malloc(8 * (size_t)(n + 1));
    if (!host) {
        *status = *status ? *status : error_memory(error, "the vectors", 8.0 * (double)n);
        return NULL;
    }
    for (int64_t i = 0; i < n; i++)
        host[i] = middle + spread * bench_random(seed + (uint64_t)i);
    double *device = bench_upload(p->bench->queue, host, n, 8, status, error);
    free(host);
    return device;
}

/* Classes and order as the problem's own parameters ask for them */
static enum status make_matrix(struct step_parts *p, const struct bench_problem *problem,
                               const struct bench_matrix *matrix, struct error *error)
{
    const struct monodomain_params *params = &problem->problem.params;
    int height = p->bench->queue->backend->slice_height;
    int32_t *order = malloc(((size_t)matrix->rows + 1) * sizeof *order);
    uint8_t *single = malloc((size_t)matrix->rows + 1);
    const char *why_not;
    enum status status =
        order && single ? STATUS_OK : error_memory(error, "the ordering", 5.0 * (double)matrix->rows);
    AND(bench_order(matrix, "rcm", order, &why_not, error));
    for (int64_t i = 0; i < matrix->rows && !status; i++)
        single[i] = params->precision == PRECISION_MIXED &&
                    rows_may_round(matrix->rate[i], matrix->bound, matrix->beta, params->precision_budget);
    AND(bench_packed_make(&p->packed, p->bench, &p->c, single, order, layout_window(height), error));
    free(order);
    free(single);
    return status;
}

enum status step_parts_make(struct step_parts *p, struct bench *bench, const struct bench_problem *problem,
                            const struct bench_matrix *matrix, struct error *error)
{
    const struct region *region = &problem->problem.params.region[0];
    const struct control converged = {.converged = 1};
    int sweeps = p->sweeps;
    memset(p, 0, sizeof *p);
    p->bench = bench;
    p->sweeps = sweeps;
    p->dt = problem->problem.params.step;
    p->parts = STEP_ALL;
    enum status status = bench_case_make(&p->c, bench, matrix, true, NULL, PERMUTED_SYMMETRIC, error);
    AND(make_matrix(p, problem, matrix, error));
    AND(make_cells(p, region->model, region->parameter, error));
    int64_t n = p->packed.layout.rows;
    p->start = place_random(p, region->model->v_initial, 5, 1, &status, error);
    p->u = place_random(p, region->model->v_initial, 5, 2, &status, error);
    p->v = place_random(p, region->model->v_initial, 5, 3, &status, error);
    for (int k = 0; k < RHS_HISTORY; k++)
        p->change[k] = place_random(p, 0, 0.1, 4 + (uint64_t)k, &status, error);
    p->b = place_random(p, 0, 1e-6, 7, &status, error);
    p->activation = bench_upload(bench->queue, NULL, n, 8, &status, error);
    p->activations = bench_upload(bench->queue, NULL, n, 4, &status, error);
    p->waits = bench_upload(bench->queue, NULL, n, 1, &status, error);
    p->converged = bench_upload(bench->queue, &converged, 1, sizeof converged, &status, error);
    p->totals = bench_upload(bench->queue, NULL, n, 8, &status, error);
    if (status)
        step_parts_free(p, bench);
    return status;
}

void step_parts_free(struct step_parts *p, struct bench *bench)
{
    void *memory[] = {
        p->start,      p->u,           p->v,     p->change[0], p->change[1],     p->change[2], p->b,
        p->activation, p->activations, p->waits, p->totals,    p->cells.state64, p->converged};
    if (!p->bench)
        return;
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        device_release(bench->queue, memory[k]);
    free(p->parameter);
    bench_packed_free(&p->packed, bench);
    bench_case_free(&p->c, bench);
    memset(p, 0, sizeof *p);
}
