/* monodomain_matrix.c: precision and the packed matrix of a tissue, whose scheme is decided in scheme.c. */
#include "solver/step/monodomain_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "solver/diffusion/rkl2.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/spectrum.h"
#include "solver/step/scheme.h"
#include "solver/step/stiffest.h"

/* Checks by the bounds in the report that the chosen method converges; the error names one that does. */
static enum status check_method(const struct monodomain *sim, const struct tensors *tensors,
                                struct error *error)
{
    const struct monodomain_report *r = &sim->report;
    const struct scheme_length *of = r->scheme.length;
    char blame[STIFFEST_TEXT];
    const char *between = *stiffest_blame(blame, &r->stiffest) ? "; " : "";
    if (r->scheme.method == METHOD_RKL2 && of->stages == 0) {
        double rate, reach = fmax(rkl2_reach(RKL2_STAGES_MOST), rkl2_reach(RKL2_STAGES_MOST - 1));
        int64_t stiffest = spectrum_stiffest(tensors, &rate, sim->partition.comm);
        return error_set(
            error, STATUS_INPUT,
            "time.step %g ms requires more than %d stages of rkl2; the limit is %.6g ms. The "
            "stiffest element "
            "of the mesh is %lld (counted from 0), with 2/L = %.3g ms; use solver.method: auto%s%s",
            of->step, RKL2_STAGES_MOST, reach * r->explicit_limit, (long long)stiffest, 2 / rate, between,
            blame);
    }
    if (r->scheme.method == METHOD_JACOBI && !(of->high < 2))
        return error_set(
            error, STATUS_INPUT,
            "plain jacobi may diverge here: the spectrum of D^-1 A reaches up to %.4f and must stay below 2; "
            "use solver.method: chebyshev",
            of->high);
    return STATUS_OK;
}

/* The rounding error allowed in sweeps and in the product. All errors of a row are proportional to the
 * length of a step, and so is the budget, which is per time. If x is bounded by DIFFUSION_CHANGE, as in
 * longer steps, the condition for dt covers theirs. */
static struct rounding rounding_of(const struct scheme *scheme)
{
    const bool staged = scheme->method == METHOD_RKL2;
    struct rounding rounding = {.bound = scheme->bound, .budget = scheme->budget};
    double beta = 0, all = 0;
    for (int k = 0; k < scheme->lengths; k++) {
        beta = fmax(beta, scheme->length[k].beta);
        all = fmax(all, staged ? rkl2_amplification(scheme->length[k].stages) : 0);
    }
    double arrives = staged ? 1 : beta; /* factor from an error of b to one of V */
    if (staged) {
        /* stages round e_ij, x_j, x_i and x_j - x_i: 3 times 2^-23 sum_j |e_ij| bound / m_i at most */
        rounding.factor = 3 * all;
        rounding.sweeps = 2 * all * rounding.bound;
        rounding.shared = true;
    } else {
        rounding.factor = beta;
        rounding.sweeps = beta * rounding.bound;
    }
    if (isfinite(scheme->limit))
        rounding.product = fabs(diffusion_scale(scheme)) * 2 * scheme->limit * arrives;
    return rounding;
}

/* classes[nodes] <- the precision class of each row; scheme.fp32_share <- the fraction swept in fp32 */
static void choose_precision(struct monodomain *sim, const struct system *system, const struct rows *rows,
                             uint8_t *classes)
{
    struct scheme *scheme = &sim->report.scheme;
    const struct rounding rounding = rounding_of(scheme);
    int64_t count = 0;
    memset(classes, 0, (size_t)system->k.rows);
    for (int64_t s = 0; system->clusters && s < system->clusters->nodes; s++)
        classes[system->clusters->node[s]] = PACKING_CLUSTER;
    if (scheme->mixed)
        count =
            comm_sum(sim->partition.comm, rows_classify(rows, system, scheme->length, &rounding, classes));
    scheme->fp32_share = (double)count / (double)sim->partition.nodes;
}

/* order -> layout -> packed matrix and vectors on the device */
static enum status pack_system(struct monodomain *sim, const struct assembly *assembly,
                               const uint8_t *classes, struct error *error)
{
    const struct system *system = &assembly->system;
    const struct clusters_found *found = &assembly->found;
    double begin = clock_seconds();
    struct layout_order of = {0};
    enum status status = STATUS_OK;
    int32_t *own =
        found->order ? NULL : array_new(system->k.rows, sizeof *own, "the ordering", &status, error);
    int32_t *order = found->order ? found->order : own;
    TRY_DONE(status);
    if (!found->order || !found->decided)
        TRY_DONE(ordering_make(&system->k, order, error));
    TRY_DONE(halo_order(&of, &sim->partition, &system->k, order, error));
    sim->report.ordering_seconds = clock_seconds() - begin;
    begin = clock_seconds();
    int height = sim->queue->backend->slice_height;
    TRY_DONE(layout_make_subdomain(&sim->layout, system, of, classes, height, layout_window(height), error));
    TRY_DONE(halo_make(&sim->halo, &assembly->ghosts, &sim->layout, sim->queue, error));
    TRY_DONE(diffusion_create(&sim->diffusion, &sim->report.scheme, system, &assembly->rows, &sim->layout,
                              sim->halo, sim->queue, error));
    const struct packing *packing = &sim->diffusion.packing;
    sim->report.padding = (double)packing->stored / fmax(1, (double)packing->entries);
    sim->report.index32_share = (double)packing->index32_slices / (double)packing->matrix.slices;
    sim->report.whole32_share = (double)packing->whole32_slices / (double)packing->matrix.slices;
    sim->report.packing_seconds = clock_seconds() - begin;
done:
    free(own);
    return status;
}

enum status monodomain_create_matrix(struct monodomain *sim, const struct mesh *mesh, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    struct assembly assembly = {.tensors = {mesh, p->region, p->element_region, p->fiber}};
    uint8_t *classes = NULL;
    double begin = clock_seconds();
    enum status status = scheme_assemble(sim, &assembly, error);
    TRY_DONE(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
    TRY_DONE(scheme_decide(sim, &assembly, error));
    classes = array_new(mesh->nodes, sizeof *classes, "the rows' classes", &status, error);
    TRY_DONE(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
    choose_precision(sim, &assembly.system, &assembly.rows, classes);
    sim->report.assembly_seconds = clock_seconds() - begin;
    TRY_DONE(check_method(sim, &assembly.tensors, error));
    status = pack_system(sim, &assembly, classes, error);
done:
    free(classes);
    scheme_free(&assembly);
    return status;
}
