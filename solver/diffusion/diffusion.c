/* diffusion.c: set-up of the methods, and a diffusion step by operations of the backend. */
#include "solver/diffusion/diffusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/ops/halo.h"
#include "solver/diffusion/rkl2.h"

/* Expected sweeps in the first frame; steps after which fewer are expected */
enum { EXPECTED_FIRST = 8, EXPECTED_STEPS = 400 };

double diffusion_scale(const struct scheme *scheme)
{
    return -1 / scheme->theta;
}

/* a and c of sweep k = 0, 1, ... of Chebyshev's semi-iteration on [low, high] (G. H. Golub and
 * R. S. Varga, Numer. Math. 3 (1961) 147): a = rho_k gamma, c = rho_k - 1, rho_0 = 1, rho_1 = 1 / (1 - s^2 /
 * 2), rho_k = 1 / (1 - s^2 rho_{k-1} / 4), gamma = 2 / (low + high), s = (high - low) / (high + low). */
static void make_coefficients(const struct scheme_length *length, int sweeps, double *coefficient)
{
    double gamma = 2 / (length->low + length->high), rho = 1;
    double s = (length->high - length->low) / (length->high + length->low);
    for (int k = 0; k < sweeps; k++) {
        if (k > 0)
            rho = 1 / (1 - s * s * (k == 1 ? 0.5 : rho / 4));
        coefficient[2 * k] = rho * gamma;
        coefficient[2 * k + 1] = rho - 1;
    }
}

int diffusion_depth(const struct scheme *scheme)
{
    return scheme->method == METHOD_RKL2 ? 0 : RHS_HISTORY;
}

/* The first sweep's a, which is the predictor's weight of b / d */
static double first_weight(const struct scheme *scheme, const struct scheme_length *length)
{
    return scheme->method == METHOD_CHEBYSHEV ? 2 / (length->low + length->high) : 1;
}

/* 1 / d_i or w / m_i (kernels/ops/solve.h) */
static double inverse_of(const struct diffusion *d, const struct diffusion_level *level, double diagonal,
                         double mass)
{
    return d->scheme->method == METHOD_RKL2 ? rkl2_weight(level->max_sweeps + 1) / mass : 1 / diagonal;
}

/* inverse and weight of a level in packed order; padding rows solve 1 x = 0 */
static enum status upload_rows(struct diffusion *d, int level, const struct system *system,
                               const struct rows *rows, const struct layout *layout, struct error *error)
{
    const struct diffusion_level *of = &d->level[level];
    int64_t n = layout->rows;
    enum status status = STATUS_OK;
    double *value = array_new(n, sizeof *value, "the solver's rows", &status, error);
    float *weight = array_new(n, sizeof *weight, "the solver's rows", &status, error);
    TRY_DONE(status);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) {
        int32_t i = layout->node[k];
        double diagonal = i < 0 ? 1 : rows->diagonal[i], mass = i < 0 ? 1 : system->lumped[i];
        value[k] = ldexp(inverse_of(d, of, diagonal, mass), level);
        weight[k] = i < 0 ? 0 : nextafterf((float)(diagonal / mass), INFINITY);
    }
    TRY_DONE(device_upload(d->queue, of->inverse, value, (size_t)n * sizeof *value, error));
    status = device_upload(d->queue, of->weight, weight, (size_t)n * sizeof *weight, error);
done:
    free(value);
    free(weight);
    return status;
}

static int64_t coefficient_count(const struct scheme *scheme, int sweeps)
{
    return (scheme->method == METHOD_RKL2 ? RKL2_COEFFICIENTS : 2) * (int64_t)sweeps;
}

static enum status upload_coefficients(struct diffusion *d, const struct diffusion_level *level,
                                       const struct scheme_length *length, struct error *error)
{
    int64_t count = coefficient_count(d->scheme, level->max_sweeps);
    enum status status = STATUS_OK;
    double *coefficient = array_new(count, sizeof *coefficient, "the sweeps' coefficients", &status, error);
    TRY(status);
    if (d->scheme->method == METHOD_RKL2)
        rkl2_coefficients(length->stages, d->scheme->source, coefficient);
    else
        make_coefficients(length, level->max_sweeps, coefficient);
    status =
        device_upload(d->queue, level->coefficient, coefficient, (size_t)count * sizeof *coefficient, error);
    free(coefficient);
    return status;
}

/* Creates level k, which depends on the length of a step, from the rows for that length */
static enum status create_level(struct diffusion *d, int k, const struct system *system,
                                const struct rows *rows, const struct layout *layout, struct error *error)
{
    static const char what[] = "the solver's vectors";
    struct diffusion_level *level = &d->level[k];
    const struct scheme *scheme = d->scheme;
    const struct scheme_length *length = &scheme->length[k];
    const bool staged = scheme->method == METHOD_RKL2;
    enum status status = STATUS_OK;
    if (!staged)
        level->predictor_weight = first_weight(scheme, length);
    level->max_sweeps = staged ? length->stages - 1 : scheme->max_sweeps;
    level->expected = staged ? level->max_sweeps : EXPECTED_FIRST;
    level->beta = length->beta;
    level->inverse = device_array(d->queue, layout->rows, sizeof *level->inverse, what, &status, error);
    level->weight = device_array(d->queue, layout->rows, sizeof *level->weight, what, &status, error);
    level->coefficient = device_array(d->queue, coefficient_count(scheme, level->max_sweeps),
                                      sizeof *level->coefficient, what, &status, error);
    TRY(status);
    TRY(upload_coefficients(d, level, length, error));
    return upload_rows(d, k, system, rows, layout, error);
}

/* The vectors of a step and its counters, zeroed */
static enum status create_vectors(struct diffusion *d, const struct layout *layout, struct error *error)
{
    int64_t n = layout->rows, with_ghosts = n + layout->ghosts;
    const char *what = "the solver's vectors";
    enum status status = STATUS_OK;
    d->b = device_array(d->queue, n, sizeof *d->b, what, &status, error);
    d->control = device_array(d->queue, 1, sizeof *d->control, what, &status, error);
    if (d->scheme->source)
        d->b2 = device_array(d->queue, n, sizeof *d->b2, what, &status, error);
    d->y = device_array(d->queue, with_ghosts, sizeof *d->y, what, &status, error);
    if (d->scheme->fp32_share > 0)
        d->x32 = device_array(d->queue, with_ghosts, sizeof *d->x32, what, &status, error);
    if (d->x32 && d->scheme->update == UPDATE_FUSED)
        d->y32 = device_array(d->queue, with_ghosts, sizeof *d->y32, what, &status, error);
    return status;
}

static void free_vectors(struct diffusion *d)
{
    void *memory[] = {d->b, d->b2, d->y, d->x32, d->y32, d->control};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        device_release(d->queue, memory[k]);
    d->b = d->b2 = d->y = NULL;
    d->x32 = d->y32 = NULL;
    d->control = NULL;
}

enum status diffusion_restart(struct diffusion *d, const struct layout *layout, struct error *error)
{
    free_vectors(d);
    d->at = &d->level[0];
    return create_vectors(d, layout, error);
}

/* Creates level k > 0 from its own rows, and moves those of clusters to *clustered */
static enum status create_longer(struct diffusion *d, int k, struct cluster_rows *clustered,
                                 const struct system *system, const struct layout *layout,
                                 struct error *error)
{
    struct rows rows;
    TRY(rows_make(&rows, system, &d->scheme->length[k], error));
    enum status status = create_level(d, k, system, &rows, layout, error);
    *clustered = rows.clustered;
    rows.clustered = (struct cluster_rows){0};
    rows_free(&rows);
    return status;
}

enum status diffusion_create(struct diffusion *d, const struct scheme *scheme, const struct system *system,
                             const struct rows *rows, const struct layout *layout, const struct halo *halo,
                             struct queue *queue, struct error *error)
{
    memset(d, 0, sizeof *d);
    d->queue = queue;
    d->halo = halo;
    d->scheme = scheme;
    d->at = d->level;
    d->scale = diffusion_scale(scheme);

    struct cluster_rows clustered[PARAMS_DOUBLINGS + 1] = {rows->clustered};
    enum status status = create_level(d, 0, system, rows, layout, error);
    for (int k = 1; k < scheme->lengths && !status; k++)
        status = create_longer(d, k, &clustered[k], system, layout, error);
    if (!status)
        status = packing_make(&d->packing, system, layout, scheme->length, clustered, scheme->lengths,
                              queue->backend->slice_height, queue, error);
    for (int k = 1; k < scheme->lengths; k++)
        cluster_rows_free(&clustered[k]);
    TRY_DONE(status);
    TRY_DONE(create_vectors(d, layout, error));
done:
    if (status)
        diffusion_free(d);
    return status;
}

void diffusion_forget(struct diffusion *d, const double *finite, int64_t rows)
{
    d->queue->backend->copy(d->queue, d->y, finite, (size_t)rows * sizeof *d->y);
}

static double bytes_of(const struct scheme *scheme, double rows, double entries)
{
    const bool staged = scheme->method == METHOD_RKL2, rounds = scheme->mixed;
    int doubles = 2 + scheme->lengths + (scheme->ahead || scheme->holds) + scheme->source +
                  diffusion_depth(scheme) + 1; /* b, x; 1/d; field; b2; history, y */
    int floats =
        scheme->lengths + rounds + (rounds && scheme->update != UPDATE_HYBRID); /* weight; rounded iterates */
    int most = staged ? RKL2_STAGES_MOST - 1 : scheme->max_sweeps;
    double words = (double)scheme->lengths * (double)coefficient_count(scheme, most);
    return packing_bytes(scheme->length, rows, entries, rounds && !staged) +
           rows * (8 * doubles + 4 * floats) + 8 * words + (double)sizeof(struct control);
}

double diffusion_bytes(const struct monodomain_params *params, double rows, double entries)
{
    double most = 0;
    for (int method = 0; method < METHOD_AUTO; method++) {
        const struct scheme scheme = scheme_of(params, (enum method)method);
        if (scheme_may(params, scheme.method))
            most = fmax(most, bytes_of(&scheme, rows, entries));
    }
    return most;
}

void diffusion_free(struct diffusion *d)
{
    if (!d->queue)
        return;
    packing_free(&d->packing, d->queue);
    free_vectors(d);
    for (int k = 0; k < d->scheme->lengths; k++) {
        device_release(d->queue, d->level[k].inverse);
        device_release(d->queue, d->level[k].weight);
        device_release(d->queue, d->level[k].coefficient);
    }
    memset(d, 0, sizeof *d);
}

/* Whether the first stage is in y, so that the last one is in x */
static bool begins_in_y(const struct diffusion *d)
{
    return d->scheme->method == METHOD_RKL2 && d->at->max_sweeps % 2;
}

/* The matrix for the steps being enqueued: cluster rows depend on the length, and the mass of long steps
 * is lumped */
static struct packed matrix_of(const struct diffusion *d)
{
    struct packed matrix = d->packing.matrix;
    matrix.slice = d->packing.level[d->at - d->level];
    if (d->at != d->level)
        matrix.value = matrix.product;
    return matrix;
}

/* mV, bound on |x| for rows that read fp32 */
static double bound_of(const struct diffusion *d)
{
    const double bound = d->scheme->bound;
    return !d->x32 ? INFINITY : d->at == d->level ? bound : fmin(bound, DIFFUSION_CHANGE);
}

static const double FIRST_STAGE = 1.0 / 3; /* factor of w b / m in the first stage */

/* Whether the first of two stages is stored in fp32 only, and recomputed from b by the few rows that read
 * fp64 */
static bool recomputes_first(const struct diffusion *d, const struct step_end *end)
{
    const struct scheme *scheme = d->scheme;
    return end && scheme->method == METHOD_RKL2 && d->at->max_sweeps == 1 && scheme->fp32_share > 0.9 &&
           !d->halo;
}

/* b2 <- -dt K u, where u is V plus the change by the cells */
static void product_after(struct diffusion *d, double *u)
{
    const struct packed matrix = matrix_of(d);
    const struct rhs rhs = {.v = u,
                            .scale = d->scale,
                            .start = START_ZERO,
                            .b = d->b2,
                            .bound = INFINITY,
                            .limit = d->scheme->limit,
                            .halo = d->halo,
                            .control = d->control};
    d->queue->backend->exchange(d->queue, d->halo, u, NULL);
    d->queue->backend->rhs(d->queue, &matrix, &rhs);
}

void diffusion_rhs(struct diffusion *d, const struct rotation *vectors, const struct step_end *end)
{
    const bool half = d->span != DIFFUSION_WHOLE,
               ahead = d->scheme->ahead && d->span != DIFFUSION_SECOND_HALF;
    double *with = vectors->field && (ahead || d->at != d->level) ? vectors->field : vectors->u;
    double *field = d->scheme->source ? vectors->v : with;
    const enum start start[] = {START_ZERO, START_PREVIOUS, START_LINEAR, START_QUADRATIC};
    struct rhs rhs = {
        .v = field,
        .scale = half ? -1 : d->scale,
        .start = start[half ? 0 : vectors->count],
        .predictor_weight = d->scheme->method == METHOD_RKL2 ? FIRST_STAGE : d->at->predictor_weight,
        .inverse = d->at->inverse,
        .b = d->b,
        .x64 = recomputes_first(d, end) ? NULL
               : begins_in_y(d)         ? d->y
                                        : vectors->x,
        .x32 = d->x32,
        .bound = bound_of(d),
        .limit = d->scheme->limit, /* even if no row here is rounded: all ranks test together */
        .halo = d->halo,
        .control = d->control,
    };
    memcpy(rhs.history, vectors->history, sizeof rhs.history);
    if (d->scheme->source)
        product_after(d, with);
    d->queue->backend->exchange(d->queue, d->halo, field, NULL);
    const struct packed matrix = matrix_of(d);
    d->queue->backend->rhs(d->queue, &matrix, &rhs);
    d->queue->backend->exchange(d->queue, d->halo, rhs.x64, rhs.x32);
}

void diffusion_solve(struct diffusion *d, double *x, const struct step_end *end)
{
    static const enum sweep_kind kinds[] = {
        [METHOD_JACOBI] = SWEEP_PLAIN, [METHOD_CHEBYSHEV] = SWEEP_MOMENTUM, [METHOD_RKL2] = SWEEP_STAGE};
    struct sweeps sweeps = {
        .kind = kinds[d->scheme->method],
        .fused = d->scheme->update == UPDATE_FUSED,
        .x = recomputes_first(d, end) ? NULL
             : begins_in_y(d)         ? d->y
                                      : x,
        .y = begins_in_y(d) ? x : d->y,
        .x32 = d->x32,
        .y32 = d->y32,
        .b = d->b,
        .b2 = d->b2,
        .inverse = d->at->inverse,
        .weight = d->at->weight,
        .coefficient = d->at->coefficient,
        .beta = d->at->beta,
        .tolerance = d->scheme->tolerance,
        .share = FIRST_STAGE,
        .bound = bound_of(d),
        .max_sweeps = d->at->max_sweeps,
        .expected = d->span == DIFFUSION_WHOLE ? d->at->expected : SWEEPS_EXPECTED_MOST, /* no repeats */
        .end = d->scheme->method == METHOD_RKL2 ? end : NULL,
        .halo = d->halo,
        .control = d->control,
    };
    const struct packed matrix = matrix_of(d);
    d->queue->backend->solve(d->queue, &matrix, &sweeps);
}

void diffusion_expect(struct diffusion *d, int sweeps, int64_t steps)
{
    struct diffusion_level *at = d->at;
    if (sweeps == 0)
        return;
    sweeps = sweeps < SWEEPS_EXPECTED_MOST ? sweeps : SWEEPS_EXPECTED_MOST;
    at->expected_next = sweeps > at->expected_next ? sweeps : at->expected_next;
    at->expected = sweeps > at->expected ? sweeps : at->expected;
    at->expected_steps -= steps;
    if (at->expected_steps > 0)
        return;
    at->expected = at->expected_next;
    at->expected_next = 0;
    at->expected_steps = EXPECTED_STEPS;
}

/* After this many advances every vector is back in its role: 2 and depth + 1 = 1 .. 4 divide it. */
enum { PERIOD = 12 };

enum status rotation_create(struct rotation *r, int depth, int64_t rows, struct queue *queue,
                            struct error *error)
{
    const char *what = "the voltages";
    enum status status = STATUS_OK;
    memset(r, 0, sizeof *r);
    r->depth = depth;
    r->v = device_array(queue, rows, sizeof *r->v, what, &status, error);
    r->u = device_array(queue, rows, sizeof *r->u, what, &status, error);
    r->x = device_array(queue, rows, sizeof *r->x, what, &status, error);
    for (int k = 0; k < depth; k++)
        r->history[k] = device_array(queue, rows, sizeof *r->history[k], what, &status, error);
    return status;
}

void rotation_free(struct rotation *r, struct queue *queue)
{
    device_release(queue, r->v);
    device_release(queue, r->u);
    device_release(queue, r->x);
    device_release(queue, r->field);
    for (int k = 0; k < r->depth; k++)
        device_release(queue, r->history[k]);
    memset(r, 0, sizeof *r);
}

static void rotate_once(struct rotation *r)
{
    double *before = r->v, *fresh = r->x;
    r->v = r->u;
    r->u = before;
    for (int k = 0; k < r->depth; k++) {
        double *older = r->history[k];
        r->history[k] = fresh;
        fresh = older;
    }
    r->x = fresh;
}

void rotation_advance(struct rotation *r, int64_t steps)
{
    for (int64_t k = 0; k < steps % PERIOD; k++)
        rotate_once(r);
    r->count = steps < r->depth - r->count ? r->count + (int32_t)steps : r->depth;
}
