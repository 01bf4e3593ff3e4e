/* monodomain.c: the set-up of a tissue: matrix, bounds, method, cells, vectors, halo. */
#include "solver/step/monodomain_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/device/cpu.h"
#include "solver/matrix/clusters.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/perron.h"
#include "solver/matrix/spectrum.h"
#include "solver/diffusion/rkl2.h"
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

/* What a matrix is made from and judged by, in mesh order */
struct assembly {
    struct tensors tensors;
    struct system system;
    struct rows rows;
    struct halo_nodes ghosts;
    struct clusters clusters;
    struct element_spectrum elements;
    struct perron perron; /* of a step, */
    bool bounded, held;   /* once it is found, and whether clusters were held then */
    bool staged;          /* auto has chosen rkl2: theta and the clusters of sweeps are given up */
};

/* What `auto` stands for, by the bounds and stages in the report alone, so that it is the same on all devices
 * and ranks and after a resume */
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

/* report.bounds <- those that the bits of results depend on, unless the sums of rows and the elements by
 * measure give the same: a checkpoint without them was written with these. */
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

/* d_i times what a sweep leaves of the error around a front at row i: sum_j |e_ij|, which errors have that
 * are the same everywhere, less `decays` m_i, what diffusion makes of the front's own waves in a step. Where
 * diffusion between neighbours, of this rate (/ms), takes longer than a front, its error is that of single
 * rows, which a sweep spreads over all that read them: the root of the sum of squares. */
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

/* The error of a step's guess at a front and what a sweep leaves of it -> report. Diffusion changes V by 150
 * mV/ms there at most, less where edges are too long, and this rate changes within 0.12 ms; its waves decay
 * by 1.5 /ms, by diffusion alone. The guess extrapolates over three steps (docs/theory/numerics.md, section
 * 4). */
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

/* What the bounds would be without the worst rows, however few they are */
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
    r->clusters = assembly->system.clusters ? assembly->clusters.counts : (struct cluster_counts){0};
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

/* *bounds <- those of steps dt 2^k, by rows alone; *usable: whether such steps may be taken */
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
    if (!params_explicit(&longer) || system->clusters) { /* the others need no more than the explicit limit */
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

/* report.longer[] <- the bounds of longer steps, up to the first whose bound fails */
static enum status find_levels(struct monodomain *sim, const struct assembly *assembly, struct error *error)
{
    struct monodomain_report *r = &sim->report;
    bool usable = true;
    for (r->lengths = 0; usable && r->lengths < sim->params.doublings; r->lengths += usable)
        TRY(find_level(sim, r->lengths + 1, assembly, &r->longer[r->lengths], &usable, error));
    return STATUS_OK;
}

/* The rounding allowed in sweeps and in the product. All errors of a row grow as the step, so that those of
 * the longest one are held to the budget by dividing it. */
static struct rounding rounding_of(const struct monodomain *sim)
{
    const struct monodomain_params *p = &sim->params;
    const struct monodomain_report *r = &sim->report;
    const struct coefficients coefficients = diffusion_coefficients(p);
    struct rounding rounding = {.bound = p->precision_bound,
                                .budget = ldexp(p->precision_budget, -r->lengths)};
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
    sim->params.found = NULL; /* it ends with the set-up */
    return clusters_select(&assembly->clusters, clusters, &sim->partition, error);
}

static enum status join_clusters(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    TRY(clusters_expand(&assembly->system, &assembly->clusters, error));
    return make_rows(sim, assembly, error);
}

/* Clusters that explicit steps gain nothing by are given up: report, the one without them, is restored. */
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

/* The rows, with clusters where they help, and the bounds */
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

/* The method that was chosen in place of auto, if that is what the params have */
static void adopt_method(struct monodomain *sim)
{
    sim->params.method = sim->report.method;
    if (params_explicit(&sim->params))
        sim->params.theta = 1;
}

/* The bounds, the method and the packed matrix. The system in mesh order is freed here. */
static enum status create_matrix(struct monodomain *sim, const struct mesh *mesh, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    struct assembly assembly = {.tensors = {mesh, p->region, p->element_region, p->fiber}};
    uint8_t *classes = NULL;
    double begin = clock_seconds();
    enum status status = assemble(sim, &assembly, error);
    TRY_DONE(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
    TRY_DONE(judge_rows(sim, &assembly, error));
    adopt_method(sim);
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

static enum status find_local_indices(struct monodomain *sim, struct error *error)
{
    const struct partition *p = &sim->partition;
    const struct layout *layout = &sim->layout;
    int64_t held = partition_held(p);
    enum status status = STATUS_OK;
    sim->local = layout->node;
    if (held == p->here)
        return STATUS_OK;
    sim->local = array_new(layout->rows, sizeof *sim->local, "the ranks' rows", &status, error);
    if (status)
        return status;
    for (int64_t row = 0; row < layout->rows; row++)
        sim->local[row] =
            layout->node[row] < 0 || held < p->nodes ? -1 : (int32_t)partition_number(p, layout->node[row]);
    for (int64_t n = 0; n < held && held < p->nodes; n++)
        sim->local[layout->row[p->of.node[p->of.begin[p->comm->rank] + n]]] = (int32_t)n;
    return STATUS_OK;
}

/* V at rest, empty maps */
static enum status create_vectors(struct monodomain *sim, struct error *error)
{
    int64_t n = sim->layout.rows;
    size_t bytes = (size_t)n * sizeof(double);
    enum status status = rotation_create(&sim->vectors, diffusion_depth(&sim->params), n + sim->layout.ghosts,
                                         sim->queue, error);
    if ((params_field(&sim->params) || params_holds(&sim->params)) && !status)
        sim->vectors.field =
            device_array(sim->queue, n + sim->layout.ghosts, sizeof(double), "the voltages", &status, error);
    sim->vectors.whole = sim->params.method == METHOD_EXPLICIT && sim->params.splitting != SPLITTING_STRANG;
    sim->staging = array_new(n, sizeof *sim->staging, "the voltages", &status, error);
    double *by_row =
        sim->tissue.level ? array_new(2 * n, sizeof *by_row, "the thresholds", &status, error) : NULL;
    TRY(status);
    if (by_row)
        tissue_levels(&sim->tissue, &sim->layout, by_row);
    status = beats_create(&sim->beats, &sim->params, n, by_row, sim->queue, error);
    free(by_row);
    TRY(status);
    tissue_rest(&sim->tissue, &sim->layout, sim->staging);
    TRY(device_upload(sim->queue, sim->vectors.v, sim->staging, bytes, error));
    TRY(device_upload(sim->queue, sim->vectors.u, sim->staging, bytes, error));
    return monodomain_create_lengths(sim, error);
}

/* Of the thresholds of each row, if those of the regions differ */
static double levels_bytes(const struct monodomain_params *params, double rows)
{
    for (int r = 1; r < params->regions && params->activation_level; r++)
        if (params->activation_level[r][0] != params->activation_level[0][0] ||
            params->activation_level[r][1] != params->activation_level[0][1])
            return 2 * rows * (double)sizeof(double);
    return 0;
}

struct monodomain_memory monodomain_bytes(const struct mesh *mesh, const struct monodomain_params *params)
{
    const int height = 32; /* no backend has higher ones */
    double n = (double)mesh->nodes, entries = system_entries(mesh), maps = (double)beats_values(params);
    bool mixed = params->precision == PRECISION_MIXED;
    /* classes: fp64, fp32, each also with 32 bits, which saves more than its padding costs */
    double rows = layout_rows(n, height, layout_window(height), mixed ? 3 : 1);
    double diffusion = diffusion_bytes(params, rows, entries);
    double vectors = rows * (8 * (2 + maps) + 5) + levels_bytes(params, rows);
    double packing = rows * (8 + 8 + 8) + 1.5 * diffusion; /* sums of the rows, order; small arrays */
    if (params->doublings > 0)                             /* the copy to return to */
        vectors += rows * (8 * (2 + maps) + 5) + tissue_bytes(params, rows);
    return (struct monodomain_memory){
        .device = diffusion + tissue_bytes(params, rows) + vectors,
        .host = layout_bytes(rows) + tissue_host_bytes(params, rows) + 8 * rows,
        .set_up = system_bytes(mesh, params->mass_lumping < 1) + fmax(system_workspace(mesh), packing),
    };
}

/* Nodes and borders of the ranks -> report, the same on all */
static void report_ranks(struct monodomain *sim)
{
    const struct comm *comm = sim->partition.comm;
    const int64_t *begin = sim->partition.of.begin;
    uint64_t own =
        begin ? (uint64_t)(begin[comm->rank + 1] - begin[comm->rank]) : (uint64_t)sim->layout.nodes;
    uint64_t most[] = {own, ~own, sim->halo ? (uint64_t)sim->halo->border : 0};
    comm->engine->largest(comm, COMM_STEPS, most, 3);
    sim->report.ranks = comm->size;
    sim->report.nodes_most = (int64_t)most[0];
    sim->report.nodes_least = (int64_t)~most[1];
    sim->report.border_most = (int64_t)most[2];
}

/* The cells, stimuli and vectors of this rank */
static enum status create_cells(struct monodomain *sim, const struct mesh *mesh, struct error *error)
{
    TRY(tissue_create(&sim->tissue, mesh, &sim->params, &sim->layout, sim->queue, error));
    return create_vectors(sim, error);
}

/* The matrix, the cells and the vectors of this rank */
static enum status create_components(struct monodomain *sim, const struct mesh *mesh, struct error *error)
{
    TRY(create_matrix(sim, mesh, error));
    TRY(find_local_indices(sim, error));
    return create_cells(sim, mesh, error);
}

/* sim->params <- the params, and what they leave open */
static void set_params(struct monodomain *sim, const struct monodomain_params *params)
{
    sim->params = *params;
    if (params_explicit(params))
        sim->params.theta = 1;
    if (sim->params.precision_bound == 0)
        sim->params.precision_bound = params_bound(params->step);
    if (params->update == UPDATE_BY_DEVICE)
        sim->params.update = sim->queue->backend->immediate ? UPDATE_HYBRID : UPDATE_FUSED;
}

static enum status open_halo(struct monodomain *sim, struct error *error)
{
    TRY(sim->queue->backend->halo_open(sim->queue, sim->halo, sim->vectors.v, error));
    return sim->queue->backend->wait(sim->queue, error);
}

enum status monodomain_create(struct monodomain **out, const struct mesh *mesh,
                              const struct monodomain_params *params, struct queue *queue,
                              struct error *error)
{
    *out = NULL;
    enum status status = STATUS_OK;
    const struct comm *comm = params->subdomain ? params->subdomain->partition.comm : comm_alone();
    struct monodomain *sim = array_zeroed(1, sizeof *sim, "the simulation", &status, error);
    status = comm_agree(comm, COMM_STEPS, status, error);
    if (status) {
        free(sim);
        return status;
    }
    sim->queue = queue;
    set_params(sim, params);
    sim->partition = params->subdomain
                         ? params->subdomain->partition
                         : (struct partition){.comm = comm, .nodes = mesh->nodes, .here = mesh->nodes};
    profile_start(&sim->profile, queue);
    TRY_DONE(comm_agree(comm, COMM_STEPS, create_components(sim, mesh, error), error));
    report_ranks(sim);
    TRY_DONE(comm_agree(comm, COMM_STEPS, open_halo(sim, error), error));
    TRY_DONE(comm_agree(comm, COMM_STEPS, monodomain_list_variables(sim, error), error));
    sim->report.update = sim->diffusion.update;
    sim->report.uses_stores = sim->halo && sim->halo->stores;
    if (sim->halo) {
        sim->report.by_nccl = sim->halo->by_nccl;
        sim->report.by_stores = sim->halo->by_stores;
        *sim->halo->seconds = 0; /* from the first step on */
    }
    *out = sim;
    return STATUS_OK;
done:
    monodomain_free(sim);
    return status;
}

void monodomain_tune_threads(struct monodomain *sim, int threads)
{
    if (!sim->queue->backend->immediate)
        return;
    sim->cpu_threads = cpu_threads(sim->queue);
    thread_tuner_start(&sim->tuner, threads < sim->cpu_threads ? threads : sim->cpu_threads);
    cpu_set_threads(sim->queue, sim->tuner.threads);
}

const struct thread_tuner *monodomain_thread_tuner(const struct monodomain *sim)
{
    return &sim->tuner;
}

void monodomain_unload(struct monodomain *sim)
{
    if (sim->cpu_threads)
        cpu_set_threads(sim->queue, sim->cpu_threads);
    sim->queue->backend->graph_drop(sim->queue);
    lengths_free(&sim->lengths, sim->queue);
    rotation_free(&sim->vectors, sim->queue);
    beats_free(&sim->beats, sim->queue);
    tissue_free(&sim->tissue);
    free(sim->variable);
    free(sim->staging);
    *sim = (struct monodomain){.queue = sim->queue,
                               .report = sim->report,
                               .partition = sim->partition,
                               .layout = sim->layout,
                               .local = sim->local,
                               .halo = sim->halo,
                               .diffusion = sim->diffusion};
    sim->report.assembly_seconds = sim->report.ordering_seconds = sim->report.packing_seconds = 0;
}

enum status monodomain_reload(struct monodomain *sim, const struct mesh *mesh,
                              const struct monodomain_params *params, struct error *error)
{
    set_params(sim, params);
    adopt_method(sim);
    profile_start(&sim->profile, sim->queue);
    TRY(diffusion_restart(&sim->diffusion, &sim->layout, error));
    TRY(create_cells(sim, mesh, error));
    return monodomain_list_variables(sim, error);
}

void monodomain_free(struct monodomain *sim)
{
    if (!sim)
        return;
    monodomain_unload(sim);
    diffusion_free(&sim->diffusion);
    halo_free(sim->halo, sim->queue);
    if (sim->local != sim->layout.node)
        free(sim->local);
    layout_free(&sim->layout);
    free(sim);
}

int64_t monodomain_step(const struct monodomain *sim)
{
    return sim->control.step;
}

double monodomain_time(const struct monodomain *sim)
{
    return (double)sim->control.step * sim->params.step;
}

const struct monodomain_report *monodomain_report(const struct monodomain *sim)
{
    return &sim->report;
}

struct monodomain_work monodomain_work(const struct monodomain *sim)
{
    struct monodomain_work work = sim->work;
    double seconds[PROFILE_PHASES];
    work.split = profile_split(&sim->profile, seconds);
    work.seconds = sim->profile.advancing;
    work.ionic_seconds = seconds[PROFILE_IONIC];
    work.product_seconds = seconds[PROFILE_RHS];
    work.sweep_seconds = seconds[PROFILE_SWEEPS];
    work.rest_seconds = seconds[PROFILE_REST];
    work.exchange_seconds = sim->halo ? *sim->halo->seconds : 0;
    return work;
}

double monodomain_passed(const struct monodomain *sim)
{
    return bits_to_real(sim->control.passed);
}

const struct failure *monodomain_failure(const struct monodomain *sim)
{
    return &sim->failure;
}
