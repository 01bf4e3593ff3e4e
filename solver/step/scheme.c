/* scheme.c: bounds from rows, forecasts, and the choice between sweeps and stages. */
#include "solver/step/scheme.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "solver/diffusion/rkl2.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/spectrum.h"
#include "solver/ranks/subdomain.h"
#include "solver/step/stiffest.h"

/* report.bounds <- what the bits of results depend on in addition to the config: the clusters, and what
 * the bounds on the spectrum determine about a step */
static void describe_bounds(struct monodomain_report *r)
{
    const struct scheme *scheme = &r->scheme;
    const struct scheme_length *of = scheme->length;
    const long long clusters = r->clusters.clusters;
    if (scheme->method == METHOD_RKL2)
        snprintf(r->bounds, sizeof r->bounds, "%lld clusters, %d stages%s", clusters, of->stages,
                 scheme->source ? ", with the source" : "");
    else if (scheme->method == METHOD_JACOBI)
        snprintf(r->bounds, sizeof r->bounds, "%lld clusters, jacobi, factor %.17g", clusters, of->beta);
    else
        snprintf(r->bounds, sizeof r->bounds, "%lld clusters, [%.17g, %.17g], factor %.17g", clusters,
                 of->low, of->high, of->beta);
}

/* Passes over the matrix per time dt (scheme.h), from those of a step of dt and of the longest step, of dt
 * 2^longest */
static double scheme_passes(double step, double quiet, int longest)
{
    const double front = 0.25;
    return longest > 0 ? front * step + (1 - front) * ldexp(quiet, -longest) : step;
}

/* d_i times the factor by which one sweep reduces the error near a front at row i: for an error that is
 * equal in all rows sum_j |e_ij|, minus `decays` m_i, the decay of the front's waves by diffusion in a
 * step. If diffusion between neighbours, with this rate (/ms), is slower than a front, errors are those of
 * single rows, which a sweep spreads over all rows that read them: the root of the sum of squares. */
static double front_factor_of(const struct assembly *assembly, const struct scheme_length *of, int64_t i,
                              double rate, double time, double decays)
{
    const struct system *system = &assembly->system;
    const double whole = fmax(0, assembly->rows.offdiag_abs_sum[i] - decays * system->lumped[i]),
                 wide = 1 / (1 + pow(rate * time, -2));
    double squares = 0;
    if (cluster_slot(system->clusters, i) >= 0)
        return whole;
    for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
        const double e = system_sweep(system, of, k);
        squares += e * e;
    }
    return wide * whole + (1 - wide) * sqrt(squares);
}

/* report <- the error of a step's guess at a front, and its factor per sweep. Diffusion changes V there by
 * at most 150 mV/ms, less if edges are too long, and this rate changes within 0.12 ms; waves decay by 1.5
 * /ms by diffusion. The guess extrapolates over three steps (docs/theory/numerics.md, section 4). */
static enum status find_front(struct monodomain_report *r, const struct assembly *assembly,
                              struct error *error)
{
    const struct scheme_length *of = r->scheme.length;
    const double change = 150, time = 0.12, decay = 1.5, share = 0.9;
    const struct system *system = &assembly->system;
    enum status status = STATUS_OK;
    double *rate = array_new(system->k.rows, sizeof *rate, "the rows' rates", &status, error);
    double *factor = array_new(system->k.rows, sizeof *factor, "the rows' rates", &status, error);
    TRY_DONE(comm_agree(system->comm ? system->comm : comm_alone(), COMM_STEPS, status, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < system->k.rows; i++) {
        rate[i] = 0;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++)
            rate[i] -= system->k.value[k];
        factor[i] = front_factor_of(assembly, of, i, rate[i] / system->lumped[i], time, decay * of->theta_dt);
    }
    const double steps = of->step / time, joins = rows_quantile(system, rate, system->lumped, share) * time;
    r->front_factor = rows_quantile(system, factor, assembly->rows.diagonal, share);
    r->front_guess = change * of->step / (1 + pow(steps, -3)) * joins / sqrt(1 + joins * joins);
done:
    free(rate);
    free(factor);
    return status;
}

/* Bounds without the worst rows, which may be few */
static enum status find_typical(struct monodomain_report *r, const struct assembly *assembly,
                                struct error *error)
{
    const struct scheme_length *of = r->scheme.length;
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
    mass *= of->lumping + (1 - of->lumping) / (system->dimension + 2);
    r->typical_low = fmax(1 - reach, mass);
    r->typical_high = fmin(1 + reach, of->high);
    r->typical_stages = rkl2_stages(of->step, 2 / rows_quantile(system, rate, system->lumped, share));
    free(rate);
    return STATUS_OK;
}

/* report <- spectral bounds of sweeps, their error factor, the limit of explicit steps and the forecast of
 * sweeps */
static enum status find_bounds(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    struct monodomain_report *r = &sim->report;
    struct scheme_length *of = r->scheme.length;
    const struct element_spectrum *elements = &assembly->found.elements;
    struct perron *perron = &assembly->perron;
    TRY(perron_bounds(perron, &assembly->system, of, &assembly->rows, &assembly->ghosts, NULL, error));
    struct interval from_rows = rows_interval(&assembly->rows, &assembly->system, of->lumping, perron->reach);
    r->element_low = elements->jacobi.low;
    r->element_high = elements->jacobi.high;
    r->row_low = from_rows.low;
    r->row_high = from_rows.high;
    of->low = fmax(elements->jacobi.low, from_rows.low);
    of->high = fmin(elements->jacobi.high, from_rows.high);
    r->explicit_limit = 2 / fmin(elements->rate, perron->rate);
    for (int d = 0; d < 4; d++)
        r->limit_of[d] = 2 / elements->rate_of[d];
    r->stiffest_resistor = elements->resistor;
    r->beta_is_bound = perron->factor > 0;
    of->beta = r->beta_is_bound ? perron->factor : 1 / elements->lowest_mass;
    return find_front(r, assembly, error);
}

/* *longer <- the bounds of sweeps for this length, from rows only; beta is 0 if no factor is proved */
static enum status find_length(struct monodomain *sim, const struct assembly *assembly,
                               struct scheme_length *longer, struct error *error)
{
    const struct system *system = &assembly->system;
    struct rows rows = {0};
    struct perron perron = {0};
    enum status status = rows_make(&rows, system, longer, error);
    TRY_DONE(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
    TRY_DONE(perron_bounds(&perron, system, longer, &rows, &assembly->ghosts, &assembly->perron, error));
    const struct interval interval = rows_interval(&rows, system, longer->lumping, perron.reach);
    longer->low = interval.low;
    longer->high = interval.high;
    longer->beta = perron.factor;
done:
    rows_free(&rows);
    return status;
}

/* The bounds of longer steps with sweeps; lengths from the first without a proved factor on are not used */
static enum status find_lengths(struct monodomain *sim, const struct assembly *assembly, struct error *error)
{
    struct scheme *scheme = &sim->report.scheme;
    for (int k = 1; k < scheme->lengths; k++) {
        TRY(find_length(sim, assembly, &scheme->length[k], error));
        if (!(scheme->length[k].beta > 0)) /* its reach is 1 or more */
            scheme->lengths = k;
    }
    return STATUS_OK;
}

/* Makes the rows of A for steps of dt, with those of `clusters` (NULL = none) in place of those of their
 * nodes */
static enum status make_rows(struct assembly *assembly, const struct scheme *scheme,
                             const struct clusters *clusters, struct error *error)
{
    struct system *system = &assembly->system;
    rows_free(&assembly->rows);
    if (system->clusters != clusters) {
        TRY(clusters_restore(system, error));
        if (clusters)
            TRY(clusters_expand(system, clusters, error));
    }
    return rows_make(&assembly->rows, system, scheme->length, error);
}

static enum status use_clusters(struct monodomain *sim, struct assembly *assembly,
                                const struct scheme *scheme, const struct clusters *clusters,
                                struct error *error)
{
    /* of the whole mesh: this rank may have none of them */
    const struct clusters *used = clusters && clusters->counts.clusters > 0 ? clusters : NULL;
    return comm_agree(sim->partition.comm, COMM_STEPS, make_rows(assembly, scheme, used, error), error);
}

/* Stages of rkl2 */
struct staging {
    struct scheme scheme;
    const struct clusters *clusters; /* held clusters; NULL = none */
    double limit;                    /* limit of explicit steps, ms */
};

static double passes_of_staging(const struct scheme *staged)
{
    const struct scheme_length *step = staged->length, *quiet = &staged->length[staged->lengths - 1];
    const int products = staged->source ? 2 : 1;
    return step->stages == 0 ? INFINITY
                             : scheme_passes(step->stages - 1 + products, quiet->stages - 1 + products,
                                             staged->lengths - 1);
}

/* Sets the number of stages of steps of dt 2^k with this limit; lengths from the first with too many
 * stages on are not used */
static void set_stages(struct scheme *staged, int k, double limit)
{
    staged->length[k].stages = rkl2_stages(staged->length[k].step, limit);
    if (staged->length[k].stages == 0)
        staged->lengths = k > 0 ? k : 1;
}

/* The stages without clusters: the limit is the same for all lengths */
static struct staging plain_staging(const struct monodomain_params *p, double limit)
{
    struct staging staging = {.scheme = scheme_of(p, METHOD_RKL2), .limit = limit};
    for (int k = 0; k < staging.scheme.lengths; k++)
        set_stages(&staging.scheme, k, limit);
    return staging;
}

/* *staging <- the stages with held clusters, whose modes are held at a rate that depends on the length */
static enum status held_staging(struct monodomain *sim, struct assembly *assembly, struct staging *staging,
                                struct error *error)
{
    struct scheme *scheme = &staging->scheme;
    *staging =
        (struct staging){.scheme = scheme_of(&sim->params, METHOD_RKL2), .clusters = &assembly->found.held};
    TRY(use_clusters(sim, assembly, scheme, staging->clusters, error));
    for (int k = 0; k < scheme->lengths; k++) {
        const struct scheme_length *of = &scheme->length[k];
        struct rows rows = {0};
        double rate = 0;
        enum status status = rows_make(&rows, &assembly->system, of, error);
        TRY_DONE(comm_agree(sim->partition.comm, COMM_STEPS, status, error));
        TRY_DONE(perron_rate(&rate, &assembly->system, &rows, of, &assembly->ghosts, error));
    done:
        rows_free(&rows);
        TRY(status);
        staging->limit = k == 0 ? 2 / rate : staging->limit;
        set_stages(scheme, k, 2 / rate);
    }
    return STATUS_OK;
}

/* *staging <- the stages with the fewest passes over the matrix; clusters are used only if they save some */
static enum status find_staging(struct monodomain *sim, struct assembly *assembly, struct staging *staging,
                                struct error *error)
{
    const int lengths = sim->params.doublings + 1;
    struct staging held;
    *staging = plain_staging(&sim->params, sim->report.explicit_limit);
    const bool least = staging->scheme.lengths == lengths && staging->scheme.length[lengths - 1].stages == 2;
    if (assembly->found.held.counts.clusters == 0 || least)
        return STATUS_OK;
    TRY(held_staging(sim, assembly, &held, error));
    if (passes_of_staging(&held.scheme) < passes_of_staging(&staging->scheme))
        *staging = held;
    return STATUS_OK;
}

/* The method of sweeps: plain Jacobi, unless chebyshev needs half as many sweeps or Jacobi may diverge */
static enum method cheaper_sweeps(const struct monodomain_report *r)
{
    const double plain = report_forecast(r, METHOD_JACOBI), other = report_forecast(r, METHOD_CHEBYSHEV);
    return plain > 2 * other || !(r->scheme.length[0].high < 2) ? METHOD_CHEBYSHEV : METHOD_JACOBI;
}

/* report <- the stages; its scheme retains the bounds of sweeps of dt */
static void adopt_staging(struct monodomain_report *r, const struct staging *staging)
{
    const struct scheme_length of = r->scheme.length[0];
    r->scheme = staging->scheme;
    r->explicit_limit = staging->limit;
    for (int k = 0; k < r->scheme.lengths; k++) {
        r->scheme.length[k].low = of.low;
        r->scheme.length[k].high = of.high;
        r->scheme.length[k].beta = of.beta;
    }
    if (r->typical_stages == 0 || r->typical_stages > r->scheme.length[0].stages)
        r->typical_stages = r->scheme.length[0].stages; /* clusters can save more than the worst 1 % of
                                                           the rows cost */
}

/* Chooses the method, the clusters and the lengths of steps. Bounds and forecasts are for sweeps, even if
 * rkl2 is requested. */
static enum status choose_scheme(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    struct monodomain_report *r = &sim->report;
    struct scheme *scheme = &r->scheme;
    struct staging staging = {0};
    const bool may = scheme_may(p, METHOD_RKL2), named = p->method == METHOD_RKL2;
    *scheme = scheme_of(p, p->method == METHOD_CHEBYSHEV ? METHOD_CHEBYSHEV : METHOD_JACOBI);
    TRY(use_clusters(sim, assembly, scheme, &assembly->found.solved, error));
    TRY(find_bounds(sim, assembly, error));
    r->sweeping = cheaper_sweeps(r);
    if (p->method == METHOD_AUTO)
        scheme->method = r->sweeping;
    if (named)
        scheme->lengths = 1; /* the bounds of others are not needed */
    else
        TRY(find_lengths(sim, assembly, error));
    TRY(find_typical(r, assembly, error));
    staging = plain_staging(p, r->explicit_limit);
    if (may)
        TRY(find_staging(sim, assembly, &staging, error));
    scheme->length[0].stages = staging.scheme.length[0].stages;
    r->sweeps = report_forecast(r, r->sweeping);
    r->passes_of_sweeps = scheme_passes(r->sweeps + 1, r->sweeps + 1, scheme->lengths - 1);
    r->passes_of_stages = passes_of_staging(&staging.scheme);
    if (named || (may && r->passes_of_stages <= r->passes_of_sweeps)) {
        adopt_staging(r, &staging);
        return use_clusters(sim, assembly, scheme, staging.clusters, error);
    }
    return assembly->system.clusters == &assembly->found.held /* held clusters were tried */
               ? use_clusters(sim, assembly, scheme, &assembly->found.solved, error)
               : STATUS_OK;
}

/* Repeats the scheme decided when this matrix was first made */
static enum status repeat_scheme(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct clusters_found *found = &assembly->found;
    const struct scheme *scheme = &sim->report.scheme;
    sim->report = found->report;
    return use_clusters(sim, assembly, scheme,
                        found->report.clusters.clusters == 0 ? NULL
                        : scheme->method == METHOD_RKL2      ? &found->held
                                                             : &found->solved,
                        error);
}

enum status scheme_decide(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    struct monodomain_report *r = &sim->report;
    const struct system *system = &assembly->system;
    const bool decided = assembly->found.decided;
    TRY(decided ? repeat_scheme(sim, assembly, error) : choose_scheme(sim, assembly, error));
    r->scheme.update = p->update != UPDATE_BY_DEVICE    ? p->update
                       : sim->queue->backend->immediate ? UPDATE_HYBRID
                                                        : UPDATE_FUSED;
    if (decided)
        return STATUS_OK;
    r->clusters =
        r->scheme.method == METHOD_RKL2 ? assembly->found.held.counts : assembly->found.solved.counts;
    if (!system->clusters)
        r->clusters.clusters = r->clusters.nodes = r->clusters.largest = r->clusters.refused = 0;
    r->largest_rate = rows_largest_rate(&assembly->rows, system);
    r->entries = comm_sum(sim->partition.comm, system->k.start[system->k.rows]);
    describe_bounds(r);
    stiffest_find(&r->stiffest, &assembly->rows, system, assembly->tensors.mesh, &sim->partition);
    return STATUS_OK;
}

enum status scheme_assemble(struct monodomain *sim, struct assembly *assembly, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    struct clusters_found *found = &assembly->found;
    TRY(tensors_check(&assembly->tensors, error));
    TRY(system_assemble(&assembly->system, &assembly->tensors, p->mass_lumping < 1, &sim->partition, error));
    TRY(halo_nodes_make(&assembly->ghosts, &sim->partition, &assembly->system.k, error));
    const struct clusters_found *all = p->found ? p->found : p->subdomain ? &p->subdomain->found : NULL;
    sim->params.found = NULL; /* valid during the set-up only */
    if (!all)
        return clusters_find(found, &assembly->tensors, p, error);
    found->elements = all->elements;
    found->decided = all->decided;
    found->report = all->report;
    found->order = p->subdomain ? NULL : all->order;
    TRY(clusters_select(&found->solved, &all->solved, &sim->partition, error));
    return clusters_select(&found->held, &all->held, &sim->partition, error);
}

void scheme_free(struct assembly *assembly)
{
    halo_nodes_free(&assembly->ghosts);
    rows_free(&assembly->rows);
    system_free(&assembly->system);
    clusters_found_free(&assembly->found);
}
