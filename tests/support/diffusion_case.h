/* diffusion_case.h: the diffusion step of a case on a backend, with the system that it was made from. */
#ifndef CARDIAC_TESTS_DIFFUSION_CASE_H
#define CARDIAC_TESTS_DIFFUSION_CASE_H

#include "solver/diffusion/diffusion.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/perron.h"
#include "solver/diffusion/rkl2.h"
#include "tests/support/case.h"

struct diffusion_case {
    struct queue *queue;
    struct system system;
    struct clusters clusters; /* for its method */
    struct rows rows;
    struct layout layout;
    struct scheme scheme;
    double limit; /* ms, of explicit steps */
    struct diffusion diffusion;
    struct rotation vectors; /* u is V */
    double *staging;         /* [packed rows] (host) */
};

/* single[nodes]: which rows sweeps read in fp32, or NULL for none; stages: of rkl2, 0 = by its bound */
static inline void diffusion_case_make_stages(struct diffusion_case *d, const struct test_case *c,
                                              const uint8_t *single, int stages,
                                              const struct backend *backend)
{
    struct error error = {0};
    const struct monodomain_params *p = &c->params;
    struct tensors tensors = {&c->mesh, p->region, c->element_region, NULL};
    *d = (struct diffusion_case){.queue = test_queue(backend, 2), .scheme = scheme_of(p, p->method)};
    struct scheme_length *of = d->scheme.length;
    double f = of->lumping;
    CHECK_OK(system_assemble(&d->system, &tensors, f < 1, NULL, &error), error);
    struct clusters_found found;
    CHECK_OK(clusters_find(&found, &tensors, p, &error), error);
    const struct element_spectrum elements = found.elements;
    d->clusters = p->method == METHOD_RKL2 ? found.held : found.solved;
    clusters_free(p->method == METHOD_RKL2 ? &found.solved : &found.held);
    if (d->clusters.count > 0)
        CHECK_OK(clusters_expand(&d->system, &d->clusters, &error), error);
    CHECK_OK(rows_make(&d->rows, &d->system, of, &error), error);
    struct perron perron;
    CHECK_OK(perron_bounds(&perron, &d->system, of, &d->rows, NULL, NULL, &error), error);
    struct interval from_rows = rows_interval(&d->rows, &d->system, f, perron.reach);
    bool held = d->clusters.count > 0 && d->clusters.held;
    d->limit = 2 / (held ? perron.rate : fmin(elements.rate, perron.rate));
    of->low = fmax(elements.jacobi.low, from_rows.low);
    of->high = fmin(elements.jacobi.high, from_rows.high);
    of->beta = perron.factor > 0 ? perron.factor : 1 / elements.lowest_mass;
    of->stages = stages ? stages : rkl2_stages(p->step, d->limit);
    d->scheme.lengths = 1;
    d->scheme.fp32_share = single ? 0.5 : 0;
    int32_t *order = calloc((size_t)c->mesh.nodes, sizeof *order);
    uint8_t *none = calloc((size_t)c->mesh.nodes, sizeof *none);
    CHECK(order && none, "no memory");
    for (int64_t s = 0; s < d->clusters.nodes; s++)
        none[d->clusters.node[s]] = PACKING_CLUSTER;
    CHECK_OK(ordering_make(&d->system.k, order, &error), error);
    int height = backend->slice_height;
    CHECK_OK(layout_make(&d->layout, &d->system, order, single ? single : none, height, layout_window(height),
                         &error),
             error);
    CHECK_OK(
        diffusion_create(&d->diffusion, &d->scheme, &d->system, &d->rows, &d->layout, NULL, d->queue, &error),
        error);
    CHECK_OK(rotation_create(&d->vectors, diffusion_depth(&d->scheme), d->layout.rows, d->queue, &error),
             error);
    d->staging = calloc((size_t)d->layout.rows, sizeof *d->staging);
    CHECK(d->staging, "no memory");
    free(order);
    free(none);
}

static inline void diffusion_case_make(struct diffusion_case *d, const struct test_case *c,
                                       const uint8_t *single, const struct backend *backend)
{
    diffusion_case_make_stages(d, c, single, 0, backend);
}

static inline void diffusion_case_free(struct diffusion_case *d)
{
    rotation_free(&d->vectors, d->queue);
    diffusion_free(&d->diffusion);
    layout_free(&d->layout);
    rows_free(&d->rows);
    system_free(&d->system);
    clusters_free(&d->clusters);
    free(d->staging);
    queue_free(d->queue);
}

/* device[packed rows] <- value[nodes] */
static inline void diffusion_case_set(struct diffusion_case *d, double *device, const double *value)
{
    struct error error = {0};
    for (int64_t k = 0; k < d->layout.rows; k++)
        d->staging[k] = d->layout.node[k] < 0 ? 0 : value[d->layout.node[k]];
    CHECK_OK(device_upload(d->queue, device, d->staging, (size_t)d->layout.rows * sizeof *device, &error),
             error);
}

/* value[nodes] <- device[packed rows] */
static inline void diffusion_case_get(struct diffusion_case *d, const double *device, double *value)
{
    struct error error = {0};
    CHECK_OK(device_download(d->queue, d->staging, device, (size_t)d->layout.rows * sizeof *device, &error),
             error);
    for (int64_t i = 0; i < d->layout.nodes; i++)
        value[i] = d->staging[d->layout.row[i]];
}

static inline void diffusion_case_control(struct diffusion_case *d, struct control control)
{
    struct error error = {0};
    CHECK_OK(device_upload(d->queue, d->diffusion.control, &control, sizeof control, &error), error);
}

static inline struct control diffusion_case_outcome(struct diffusion_case *d)
{
    struct error error = {0};
    struct control control;
    CHECK_OK(device_download(d->queue, &control, d->diffusion.control, sizeof control, &error), error);
    return control;
}

/* v[nodes] <- V after one step of diffusion, which must succeed */
static inline void diffusion_case_step(struct diffusion_case *d, double *v)
{
    double *x = calloc((size_t)d->layout.nodes, sizeof *x);
    CHECK(x, "no memory");
    diffusion_case_control(d, (struct control){0});
    diffusion_case_set(d, d->vectors.u, v);
    diffusion_rhs(&d->diffusion, &d->vectors, NULL);
    diffusion_solve(&d->diffusion, d->vectors.x, NULL);
    struct control control = diffusion_case_outcome(d);
    CHECK(!control.failure && control.converged, "failure %d", control.failure);
    diffusion_case_get(d, d->vectors.x, x);
    for (int64_t i = 0; i < d->layout.nodes; i++)
        v[i] += x[i];
    free(x);
}

#endif
