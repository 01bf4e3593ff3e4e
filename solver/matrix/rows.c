/* rows.c: sums over rows. */
#include "solver/matrix/rows.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"

/* Replaces the rows of clusters */
static void put_clusters(struct rows *rows, const struct system *system)
{
    const struct clusters *c = system->clusters;
    for (int64_t s = 0; s < c->nodes; s++) {
        const int64_t i = c->node[s], first = rows->clustered.first[s];
        double around = 0;
        for (int64_t k = 0; k < system->k.start[i + 1] - system->k.start[i]; k++)
            around += fabs(rows->clustered.sweep[first + k]);
        rows->diagonal[i] = rows->clustered.diagonal[s];
        rows->offdiag_abs_sum[i] = around;
    }
}

enum status rows_make(struct rows *rows, const struct system *system, const struct scheme_length *of,
                      struct error *error)
{
    const double lumping = of->lumping, theta_dt = of->theta_dt;
    enum status status = STATUS_OK;
    *rows = (struct rows){0};
    rows->diagonal = array_new(system->k.rows, sizeof *rows->diagonal, "the rows' sums", &status, error);
    rows->offdiag_abs_sum =
        array_new(system->k.rows, sizeof *rows->offdiag_abs_sum, "the rows' sums", &status, error);
    if (status) {
        rows_free(rows);
        return status;
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < system->k.rows; i++) {
        double around = 0, stiffness = 0;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
            around += fabs(system_sweep(system, of, k));
            stiffness += theta_dt * system->k.value[k];
        }
        double mass = system->lumped[i];
        double consistent = system->consistent ? system->consistent[i] : 2 * mass / (system->dimension + 2);
        rows->diagonal[i] = (lumping == 1 ? mass : lumping * mass + (1 - lumping) * consistent) - stiffness;
        rows->offdiag_abs_sum[i] = around;
    }
    status = cluster_rows_make(&rows->clustered, system, of, rows->diagonal, error);
    if (status)
        rows_free(rows);
    else if (system->clusters && !system->clusters->held)
        put_clusters(rows, system);
    return status;
}

void rows_free(struct rows *rows)
{
    free(rows->diagonal);
    free(rows->offdiag_abs_sum);
    cluster_rows_free(&rows->clustered);
    rows->diagonal = rows->offdiag_abs_sum = NULL;
}

struct interval rows_interval(const struct rows *rows, const struct system *system, double lumping,
                              double reach)
{
    double mass = INFINITY;
    const struct clusters *joined =
        system->clusters && !system->clusters->held ? system->clusters : NULL; /* clusters have their own
                                                                                  bounds */
    for (int64_t i = 0; i < system->k.rows; i++)
        if (system_has(system, i) && cluster_slot(joined, i) < 0)
            mass = fmin(mass, system->lumped[i] / rows->diagonal[i]);
    mass *= lumping + (1 - lumping) / (system->dimension + 2);
    mass = -system_most(system, -(joined ? fmin(mass, rows->clustered.low) : mass));
    /* for an M-matrix both lower bounds are equal up to rounding: then the reach's is used */
    return (struct interval){fmax(1 - reach, mass - 1e-12), 1 + reach};
}

double rows_largest_rate(const struct rows *rows, const struct system *system)
{
    double rate = 0;
    for (int64_t i = 0; i < system->k.rows; i++)
        if (system_has(system, i) && cluster_slot(system->clusters, i) < 0)
            rate = fmax(rate, rows->offdiag_abs_sum[i] / system->lumped[i]);
    return system_most(system, rate);
}

double rows_quantile(const struct system *system, const double *above, const double *below, double share)
{
    enum { BITS = 19, SHIFT = 63 - BITS };
    const struct comm *comm = system->comm ? system->comm : comm_alone();
    const int64_t n = system->k.rows;
    int64_t all = 0;
    uint64_t found = 0;
    for (int64_t i = 0; i < n; i++)
        all += system_has(system, i);
    all = comm_sum(comm, all);
    for (int bit = BITS - 1; bit >= 0; bit--) {
        const uint64_t next = found | (uint64_t)1 << bit;
        int64_t beyond = 0;
#pragma omp parallel for schedule(static) reduction(+ : beyond)
        for (int64_t i = 0; i < n; i++)
            beyond += system_has(system, i) && bits_of(above[i] / below[i]) >> SHIFT >= next;
        if ((double)comm_sum(comm, beyond) > (1 - share) * (double)all)
            found = next;
    }
    return bits_to_real((found + 1) << SHIFT);
}

bool rows_may_round(double rate, double bound, double beta, double budget)
{
    return 0x1p-23 * rate * bound * beta <= budget;
}

/* Bound on sum_j |e_ij - stored| of row i with 32-bit integers: half a quantum per entry */
static double whole32_error(const struct system *system, const struct scheme_length *of, int64_t i)
{
    double entries = (double)(system->k.start[i + 1] - system->k.start[i]);
    return (1 + 0x1p-20) * entries / 2 * packed_quantum32(packing_quantum(of, system, i));
}

static uint8_t classify(const struct rows *rows, const struct system *system, const struct scheme_length *of,
                        const struct rounding *rounding, int64_t i)
{
    double mass = system->lumped[i], rate = rows->offdiag_abs_sum[i] / mass;
    if (cluster_slot(system->clusters, i) >= 0)
        return PACKING_CLUSTER;
    double left = rounding->budget - 0x1p-23 * rate * rounding->bound * rounding->factor;
    bool single = rows_may_round(rate, rounding->bound, rounding->factor, rounding->budget);
    double whole = rounding->product > 0 ? whole32_error(system, of, i) / mass : INFINITY;
    if (rounding->shared && whole * rounding->product > left)
        single = false; /* fp64 only takes less memory than both */
    if (!single)
        return whole * (rounding->product + rounding->sweeps) <= rounding->budget ? PACKING_WHOLE32 : 0;
    uint8_t classes = PACKING_FP32;
    if (whole * rounding->product <= left) {
        classes |= PACKING_WHOLE32;
        classes |= rounding->shared ? PACKING_SHARED : 0;
    }
    return classes;
}

int64_t rows_classify(const struct rows *rows, const struct system *system, const struct scheme_length *of,
                      const struct rounding *rounding, uint8_t *classes)
{
    int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (int64_t i = 0; i < system->k.rows; i++) {
        classes[i] = system_has(system, i) ? classify(rows, system, of, rounding, i) : 0;
        count += classes[i] & PACKING_FP32;
    }
    return count;
}
