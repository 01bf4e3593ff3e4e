/* monodomain_matrix.c: bounds, method, precision and the packed matrix of a tissue. */
#include "solver/step/monodomain_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "solver/diffusion/rkl2.h"
#include "solver/matrix/clusters.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/perron.h"
#include "solver/matrix/spectrum.h"
#include "solver/ranks/subdomain.h"
#include "solver/step/stiffest.h"

/* Whether the chosen method converges, by the bounds in the report; the error names one that does. */
static enum status check_method(const struct monodomain *sim, const struct tensors *tensors,
                                struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    const struct monodomain_report *r = &sim->report;
    char blame[STIFFEST_TEXT];
    const char *between = *stiffest_blame(blame, &r->stiffest) ? "; " : "";
    if (p->method == METHOD_EXPLICIT && !(p->step <= r->explicit_limit))
        return error_set(
            error, STATUS_INPUT,
            "time.step %g ms is too long for explicit diffusion on this mesh; the limit is %.6g ms%s%s",
            p->step, r->explicit_limit, between, blame);
    if (p->method == METHOD_RKL2 && r->stages == 0) {
        double rate, reach = fmax(rkl2_reach(RKL2_STAGES_MOST), rkl2_reach(RKL2_STAGES_MOST - 1));
        int64_t stiffest = spectrum_stiffest(tensors, &rate, sim->partition.comm);
        return error_set(
            error, STATUS_INPUT,
            "time.step %g ms requires more than %d stages of rkl2; the limit is %.6g ms. The "
            "stiffest element "
            "of the mesh is %lld (counted from 0), with 2/L = %.3g ms; use solver.method: auto%s%s",
            p->step, RKL2_STAGES_MOST, reach * r->explicit_limit, (long long)stiffest, 2 / rate, between,
            blame);
    }
    if (p->method == METHOD_JACOBI && !(r->high < 2))
        return error_set(
            error, STATUS_INPUT,
            "plain jacobi may diverge here: the spectrum of D^-1 A reaches up to %.4f and must stay below 2; "
            "use solver.method: chebyshev",
            r->high);
    return STATUS_OK;
}

/* The parts of a matrix and what its bounds are found from, in mesh order */
struct assembly {
    struct tensors tensors;
    struct system system;
    struct rows rows;
    struct halo_nodes ghosts;
    struct clusters clusters;
    struct element_spectrum elements;
    struct perron perron; /* of a step, */
    bool bounded, held;   /* once found, and whether clusters were held then */
    bool staged;          /* auto has chosen rkl2, without theta and the clusters of sweeps */
};

/* The method chosen by `auto`, from the bounds and stages in the report only, so that it is the same on all
 * devices and ranks and after a resume */
static enum method chosen_method(const struct monodomain_params *p, const struct monodomain_report *r)
{
    if (p->method != METHOD_AUTO)
        return p->method;
    const double plain = report_forecast(r, METHOD_JACOBI, p->tolerance);
    const double other = report_forecast(r, METHOD_CHEBYSHEV, p->tolerance);
    if (params_may_stage(p) && r->stages > 0 && plain > 3 * r->stages && other > r->stages)
        return METHOD_RKL2;
    return plain > 2 * other || !(r->high < 2) ? METHOD_CHEBYSHEV : METHOD_JACOBI;
}

/* report.bounds <- the bounds on which the bits of results depend, unless the sums of rows and the elements
 * by measure give the same: a checkpoint without this text was written with the latter. */
static void describe_bounds(struct monodomain_report *r, const struct monodomain_params *p,
                            const struct assembly *assembly, const struct perron *perron)
{
    const struct element_spectrum *elements = &assembly->elements;
    struct interval of_rows =
        rows_interval(&assembly->rows, &assembly->system, p->mass_lumping, perron->rows.reach);
    double low = fmax(elements->by_measure.low, of_rows.low);
    double high = fmin(elements->by_measure.high, of_rows.high);
    int stages = rkl2_stages(p->step, 2 / fmin(elements->rate, perron->rows.rate));
    double beta = perron->rows.factor > 0 ? perron->rows.factor : 1 / elements->lowest_mass;
    const bool joined = r->clusters.clusters > 0, chosen = p->method == METHOD_AUTO;
    const bool same = (!chosen || r->method == (high < 2 ? METHOD_JACOBI : METHOD_CHEBYSHEV)) && !joined;
    char *text = r->bounds;
    size_t size = sizeof r->bounds;
    text[0] = 0;
    if (joined) {
        int length = snprintf(text, size, "%lld clusters, ", (long long)r->clusters.clusters);
        text += length;
        size -= (size_t)length;
    }
    if (r->method == METHOD_EXPLICIT && joined)
        snprintf(text, size, "held");
    const bool source = p->splitting == SPLITTING_STAGGERED; /* inside the stages, which they did not have */
    if (r->method == METHOD_RKL2 && (stages != r->stages || joined || chosen || source))
        snprintf(text, size, "%d stages%s", r->stages, source ? ", with the source" : "");
    if (r->method == METHOD_JACOBI && !(same && bits_of(beta) == bits_of(r->beta)))
        snprintf(text, size, "jacobi, factor %.17g", r->beta);
    if (r->method == METHOD_CHEBYSHEV &&
        !(same && bits_of(beta) == bits_of(r->beta) && bits_of(low) == bits_of(r->low) &&
          bits_of(high) == bits_of(r->high)))
        snprintf(text, size, "[%.17g, %.17g], factor %.17g", r->low, r->high, r->beta);
}

/* d_i times the factor of the error around a front at row i in a sweep: for an error that is the same in all
 * rows sum_j |e_ij|, less `decays` m_i, the decay of the front's waves by diffusion in a step. Where
 * diffusion between neighbours, of this rate (/ms), is slower than a front, errors are those of single rows,
 * which a sweep spreads over all rows that read them: the root of the sum of squares. */
static double front_factor_of(const struct assembly *assembly, const struct coefficients *c, int64_t i,
                              double rate, double time, double decays)
{
    const struct system *system = &assembly->system;
    const double whole = fmax(0, assembly->rows.offdiag_abs_sum[i] - decays * system->lumped[i]),
                 wide = 1 / (1 + pow(rate * time, -2));
    double squares = 0;
    if (cluster_slot(system->clusters, i) >= 0)
        return whole;
    for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
        const double e = coefficient_sweep(c, system, k);
        squares += e * e;
    }
    return wide * whole + (1 - wide) * sqrt(squares);
}

/* The error of a step's guess at a front, and its factor in a sweep -> report. Diffusion changes V there by
 * 150 mV/ms at most, less if edges are too long, and this rate changes within 0.12 ms; waves decay by 1.5 /ms
 * by diffusion. The guess extrapolates over three steps (docs/theory/numerics.md, section 4). */
static enum status find_front(struct monodomain_report *r, const struct monodomain_params *p,
                              const struct assembly *assembly, struct error *error)
{
    const double change = 150, time = 0.12, decay = 1.5, share = 0.9;
    const struct system *system = &assembly->system;
    const struct coefficients coefficients = diffusion_coefficients(p);
    enum status status = STATUS_OK;
    double *rate = array_new(system->k.rows, sizeof *rate, "the rows' rates", &status, error);
    double *factor = array_new(system->k.rows, sizeof *factor, "the rows' rates", &status, error);
    TRY_DONE(comm_agree(system->comm ? system->comm : comm_alone(), COMM_STEPS, status, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < system->k.rows; i++) {
        rate[i] = 0;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++)
            rate[i] -= system->k.value[k];
        factor[i] = front_factor_of(assembly, &coefficients, i, rate[i] / system->lumped[i], time,
                                    decay * p->theta * p->step);
    }
    const double steps = p->step / time, joins = rows_quantile(system, rate, system->lumped, share) * time;
    r->front_factor = rows_quantile(system, factor, assembly->rows.diagonal, share);
    r->front_guess = change * p->step / (1 + pow(steps, -3)) * joins / sqrt(1 + joins * joins);
done:
    free(rate);
    free(factor);
    return status;
}

/* Bounds without the worst rows, which may be few */
static enum status find_typical(struct monodomain_report *r, const struct monodomain_params *p,
                                const struct assembly *assembly, struct error *error)
{
    static const double share = 0.99;
    const struct system *system = &assembly->system;
    enum status status = STATUS_OK;
    double *rate = array_zeroed(system->k.rows, sizeof *rate, "the rows' rates", &status, error);
    TRY(comm_agree(system->comm ? system->comm : comm_alone(), COMM_STEPS, status, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < system->k.rows; i++) {
        double own = 0;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
            own -= system->k.value[k];
            rate[i] += fabs(system->k.value[k]);
        }
        rate[i] += fabs(own);
    }
    double reach = rows_quantile(system, assembly->rows.offdiag_abs_sum, assembly->rows.diagonal, share);
    double mass = 1 / rows_quantile(system, assembly->rows.diagonal, system->lumped, share);
    mass *= p->mass_lumping + (1 - p->mass_lumping) / (system->dimension + 2);
    r->typical_low = fmax(1 - reach, mass);
    r->typical_high = fmin(1 + reach, r->high);
    r->typical_stages = rkl2_stages(p->step, 2 / rows_quantile(system, rate, system->lumped, share));
    free(rate);
    return STATUS_OK;
}

/* Spectral bounds, the error factor, the explicit limit, the stages of rkl2 and the method -> report */
static enum status find_bounds(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    struct monodomain_report *r = &sim->report;
    const struct element_spectrum *elements = &assembly->elements;
    const bool held = assembly->system.clusters && assembly->system.clusters->held;
    struct coefficients coefficients = diffusion_coefficients(p);
    const struct perron before = assembly->perron, *perron = &assembly->perron;
    TRY(perron_bounds(&assembly->perron, &assembly->system, &coefficients, &assembly->rows, p->mass_lumping,
                      &assembly->ghosts, assembly->bounded && assembly->held == held ? &before : NULL,
                      error));
    assembly->bounded = true;
    assembly->held = held;
    struct interval from_rows =
        rows_interval(&assembly->rows, &assembly->system, p->mass_lumping, perron->reach);
    r->element_low = elements->jacobi.low;
    r->element_high = elements->jacobi.high;
    r->row_low = from_rows.low;
    r->row_high = from_rows.high;
    r->low = fmax(elements->jacobi.low, from_rows.low);
    r->high = fmin(elements->jacobi.high, from_rows.high);
    r->explicit_limit = 2 / (held ? perron->rate : fmin(elements->rate, perron->rate));
    for (int d = 0; d < 4; d++)
        r->limit_of[d] = 2 / elements->rate_of[d];
    r->stiffest_resistor = elements->resistor;
    r->stages = rkl2_stages(p->step, r->explicit_limit);
    r->beta = perron->factor;
    r->beta_is_bound = r->beta > 0;
    if (!r->beta_is_bound)
        r->beta = 1 / elements->lowest_mass;
    r->largest_rate = rows_largest_rate(&assembly->rows, &assembly->system);
    r->clusters = assembly->clusters.counts;
    if (!assembly->system.clusters)
        r->clusters.clusters = r->clusters.nodes = r->clusters.largest = r->clusters.refused = 0;
    TRY(find_front(r, p, assembly, error));
    r->method = assembly->staged ? METHOD_RKL2 : chosen_method(p, r);
    describe_bounds(r, p, assembly, perron);
    r->entries = comm_sum(sim->partition.comm, COMM_STEPS, assembly->system.k.start[assembly->system.k.rows]);
    return STATUS_OK;
}

/* Whether steps of dt 2^k are stable, or their sweeps converge by a proved bound */
static bool is_usable(const struct monodomain_params *longer, const struct monodomain_report *r,
                      const struct level_bounds *bounds, double limit)
{
    switch (r->method) {
    case METHOD_EXPLICIT:
        return longer->step <= limit;
    case METHOD_RKL2:
        return bounds->stages > 0;
    default:
        return bounds->beta > 0; /* the reach is below 1 */
    }
}

/* *bounds <- those of steps dt 2^k, from rows only; *usable: whether such steps may be taken */
static enum status find_level(struct monodomain *sim, int k, const struct assembly *assembly,
                              struct level_bounds *bounds, bool *usable, struct error *error)
{
    const struct system *system = &assembly->system;
    const struct monodomain_params longer = diffusion_params(&sim->params, k);
    const struct coefficients coefficients = diffusion_coefficients(&longer);
    const struct monodomain_report *r = &sim->report;
    struct rows rows = {0};
    struct perron perron = {0};
    *bounds = report_bounds(r, 0);
    bounds->stages = rkl2_stages(longer.step, r->explicit_limit);
    double limit = r->explicit_limit;
    enum status status = STATUS_OK;
    if (!params_explicit(&longer) || system->clusters) { /* others need the explicit limit only */
        status =
            rows_make(&rows, system, &coefficients, longer.mass_lumping, longer.theta * longer.step, error);
        TRY_DONE(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
        TRY_DONE(perron_bounds(&perron, system, &coefficients, &rows, longer.mass_lumping, &assembly->ghosts,
                               system->clusters && system->clusters->held ? NULL : &assembly->perron, error));
    }
    if (!params_explicit(&longer)) {
        struct interval interval = rows_interval(&rows, system, longer.mass_lumping, perron.reach);
        *bounds = (struct level_bounds){interval.low, interval.high, perron.factor, bounds->stages};
    } else if (system->clusters) {
        limit = 2 / perron.rate;
        bounds->stages = rkl2_stages(longer.step, limit);
    }
    *usable = is_usable(&longer, r, bounds, limit);
done:
    rows_free(&rows);
    return status;
}

/* report.longer[] <- the bounds of longer steps, up to the first that may not be taken */
static enum status find_levels(struct monodomain *sim, const struct assembly *assembly, struct error *error)
{
    struct monodomain_report *r = &sim->report;
    bool usable = true;
    for (r->lengths = 0; usable && r->lengths < sim->params.doublings; r->lengths += usable)
        TRY(find_level(sim, r->lengths + 1, assembly, &r->longer[r->lengths], &usable, error));
    return STATUS_OK;
}

/* The rounding allowed in sweeps and in the product. All errors of a row are proportional to the length of a
 * step, and so is the budget: it is one of time. Where x is bounded by DIFFUSION_CHANGE, as in longer steps, the
 * condition for dt includes theirs. Stages have no error of sweeps: they may round by as much. */
static struct rounding rounding_of(const struct monodomain *sim)
{
    const struct monodomain_params *p = &sim->params;
    const struct monodomain_report *r = &sim->report;
    const struct coefficients coefficients = diffusion_coefficients(p);
    struct rounding rounding = {.bound = p->precision_bound, .budget = r->rounding_budget};
    double beta = 0, all = 0;
    for (int k = 0; k <= r->lengths; k++) {
        const struct level_bounds bounds = report_bounds(r, k);
        beta = fmax(beta, bounds.beta);
        all = fmax(all, p->method == METHOD_RKL2 ? rkl2_amplification(bounds.stages) : 0);
    }
    double arrives = params_explicit(p) ? 1 : beta; /* of an error of b */
    if (p->method == METHOD_RKL2) {
        /* stages round e_ij, x_j, x_i and x_j - x_i: 3 times 2^-23 sum_j |e_ij| bound / m_i at most */
        rounding.factor = 3 * all;
        rounding.sweeps = 2 * all * rounding.bound;
        rounding.shared = true;
    } else if (p->method != METHOD_EXPLICIT) {
        rounding.factor = beta;
        rounding.sweeps = beta * rounding.bound;
    }
    if (p->precision == PRECISION_MIXED && coefficients_agree(&coefficients))
        rounding.product = fabs(diffusion_scale(p)) * 2 * p->voltage_limit * arrives;
    return rounding;
}

/* classes[nodes] <- the precision class of each row; report->fp32_share <- the fraction swept in fp32 */
static void choose_precision(struct monodomain *sim, const struct system *system, const struct rows *rows,
                             uint8_t *classes)
{
    const struct monodomain_params *p = &sim->params;
    const struct coefficients coefficients = diffusion_coefficients(p);
    sim->report.rounding_budget =
        p->method == METHOD_RKL2 ? fmax(p->precision_budget, p->tolerance) : p->precision_budget;
    const struct rounding rounding = rounding_of(sim);
    int64_t count = 0;
    bool sweeps = p->method != METHOD_EXPLICIT;
    memset(classes, 0, (size_t)system->k.rows);
    for (int64_t s = 0; system->clusters && s < system->clusters->nodes; s++)
        classes[system->clusters->node[s]] = PACKING_CLUSTER;
    if (p->precision == PRECISION_MIXED && (sweeps || rounding.product > 0))
        count = comm_sum(sim->partition.comm, COMM_STEPS,
                         rows_classify(rows, system, &coefficients, &rounding, classes));
    sim->report.fp32_share = sweeps ? (double)count / (double)sim->partition.nodes : 0;
}

/* order -> layout -> packed matrix and vectors on the device */
static enum status pack_system(struct monodomain *sim, const struct system *system, const struct rows *rows,
                               const uint8_t *classes, const struct halo_nodes *ghosts, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    double begin = clock_seconds();
    struct layout_order of = {0};
    enum status status = STATUS_OK;
    int32_t *order = array_new(system->k.rows, sizeof *order, "the ordering", &status, error);
    TRY_DONE(status);
    TRY_DONE(ordering_make(&system->k, order, error));
    TRY_DONE(halo_order(&of, &sim->partition, &system->k, order, error));
    sim->report.ordering_seconds = clock_seconds() - begin;
    begin = clock_seconds();
    int height = sim->queue->backend->slice_height;
    TRY_DONE(layout_make_subdomain(&sim->layout, system, of, classes, height, layout_window(height), error));
    TRY_DONE(halo_make(&sim->halo, ghosts, &sim->layout, sim->queue, error));
    TRY_DONE(diffusion_create(&sim->diffusion, p, system, rows, &sim->layout, sim->halo, &sim->report,
                              sim->queue, error));
    const struct packing *packing = &sim->diffusion.packing;
    sim->report.padding = (double)packing->stored / fmax(1, (double)packing->entries);
    sim->report.index32_share = (double)packing->index32_slices / (double)packing->matrix.slices;
    sim->report.whole32_share = (double)packing->whole32_slices / (double)packing->matrix.slices;
    sim->report.packing_seconds = clock_seconds() - begin;
done:
    free(order);
    return status;
}

static enum status make_rows(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    struct coefficients coefficients = diffusion_coefficients(p);
    rows_free(&assembly->rows);
    return rows_make(&assembly->rows, &assembly->system, &coefficients, p->mass_lumping, p->theta * p->step,
                     error);
}

/* The system of this rank and its exchange, the bounds by elements and the clusters */
static enum status assemble(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    TRY(tensors_check(&assembly->tensors, error));
    TRY(system_assemble(&assembly->system, &assembly->tensors, p->mass_lumping < 1, &sim->partition, error));
    TRY(halo_nodes_make(&assembly->ghosts, &sim->partition, &assembly->system.k, error));
    if (!p->subdomain && !p->found)
        return clusters_bound(&assembly->clusters, &assembly->elements, &assembly->tensors, p, error);
    assembly->elements = p->found ? p->found->elements : p->subdomain->elements;
    const struct clusters *clusters = p->found ? &p->found->clusters : &p->subdomain->clusters;
    sim->params.found = NULL; /* valid during the set-up only */
    return clusters_select(&assembly->clusters, clusters, &sim->partition, error);
}

static enum status join_clusters(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    TRY(clusters_expand(&assembly->system, &assembly->clusters, error));
    return make_rows(sim, assembly, error);
}

/* Clusters by which explicit steps gain nothing are dropped, and the report without them is restored. */
static enum status try_held(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct comm *comm = sim->partition.comm;
    const struct monodomain_report before = sim->report;
    const struct monodomain_report *r = &sim->report;
    TRY(comm_agree(comm, COMM_STEPS, join_clusters(sim, assembly, error), error));
    TRY(find_bounds(sim, assembly, error));
    const bool gains = r->method == METHOD_EXPLICIT
                           ? sim->params.step > before.explicit_limit && sim->params.step <= r->explicit_limit
                           : r->stages > 0 && (before.stages == 0 || r->stages < before.stages);
    if (gains)
        return STATUS_OK;
    assembly->system.clusters = NULL;
    sim->report = before;
    return comm_agree(comm, COMM_STEPS, make_rows(sim, assembly, error), error);
}

/* The rows, with clusters if they help, and the bounds */
static enum status judge_rows(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct comm *comm = sim->partition.comm;
    const bool any = assembly->clusters.counts.clusters > 0, held = assembly->clusters.held > 0;
    enum status status = any && !held ? join_clusters(sim, assembly, error) : make_rows(sim, assembly, error);
    TRY(comm_agree(comm, COMM_STEPS, status, error));
    TRY(find_bounds(sim, assembly, error));
    if (any && held)
        TRY(try_held(sim, assembly, error));
    assembly->staged = sim->params.method == METHOD_AUTO && sim->report.method == METHOD_RKL2 &&
                       (any || sim->params.theta < 1);
    if (assembly->staged) {
        assembly->system.clusters = NULL;
        sim->params.theta = 1;
        TRY(comm_agree(comm, COMM_STEPS, make_rows(sim, assembly, error), error));
        TRY(find_bounds(sim, assembly, error));
    }
    TRY(find_typical(&sim->report, &sim->params, assembly, error));
    stiffest_find(&sim->report.stiffest, &assembly->rows, &assembly->system, assembly->tensors.mesh,
                  &sim->partition);
    return STATUS_OK;
}

void monodomain_adopt_method(struct monodomain *sim)
{
    sim->params.method = sim->report.method;
    if (params_explicit(&sim->params))
        sim->params.theta = 1;
}

enum status monodomain_create_matrix(struct monodomain *sim, const struct mesh *mesh, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    struct assembly assembly = {.tensors = {mesh, p->region, p->element_region, p->fiber}};
    uint8_t *classes = NULL;
    double begin = clock_seconds();
    enum status status = assemble(sim, &assembly, error);
    TRY_DONE(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
    TRY_DONE(judge_rows(sim, &assembly, error));
    monodomain_adopt_method(sim);
    TRY_DONE(find_levels(sim, &assembly, error));
    classes = array_new(mesh->nodes, sizeof *classes, "the rows' classes", &status, error);
    TRY_DONE(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
    choose_precision(sim, &assembly.system, &assembly.rows, classes);
    sim->report.assembly_seconds = clock_seconds() - begin;
    TRY_DONE(check_method(sim, &assembly.tensors, error));
    status = pack_system(sim, &assembly.system, &assembly.rows, classes, &assembly.ghosts, error);
done:
    free(classes);
    halo_nodes_free(&assembly.ghosts);
    rows_free(&assembly.rows);
    system_free(&assembly.system);
    clusters_free(&assembly.clusters);
    return status;
}
