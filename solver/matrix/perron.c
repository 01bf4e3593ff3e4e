/* perron.c: iterations x <- |B| x, and the bound from each x. */
#include "solver/matrix/perron.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"

enum { ROUNDS = 16, FACTOR_ROUNDS = 48 };
/* Iterations end when two of them, or four for a factor, each lowered a bound by less than the fraction
 * round_gain; the bound for x = 1 is used unless all iterations together lowered it by least_gain. */
static const double round_gain = 1.0 / 512, least_gain = 1.0 / 128;

/* |B|_ij = |e_ij| / divisor_i, and |B|_ii = -sum_j e_ij / divisor_i or 0; in rows of clusters e_ij = scale
 * own_ij */
struct matrix {
    const struct system *system;
    const struct scheme_length *of;
    const struct cluster_rows *clustered; /* NULL = no clusters */
    const double *own;
    double scale;
    const double *divisor;
    bool diagonal;
    const struct halo_nodes *ghosts;
};

/* Rotates three vectors: scratch[0] is the best so far, scratch[1] the current one, scratch[2] the next */
static void next_round(double *scratch[3], bool best)
{
    double *present = scratch[1];
    scratch[1] = scratch[2];
    scratch[2] = best ? scratch[0] : present;
    if (best)
        scratch[0] = present;
}

/* Bound on the relative error of row i's sums of positive terms, and of quotients */
static double rounding(const struct matrix *b, int64_t i)
{
    const int64_t *start = b->system->k.start;
    const int32_t slot = b->clustered ? cluster_slot(b->clustered->clusters, i) : -1;
    return (double)(start[i + 1] - start[i] + 4) * 0x1p-52 + (slot < 0 ? 0 : b->clustered->rounding[slot]);
}

/* divisor_i (|B| x)_i; *own_error <- bound on the rounding error of |B|_ii, whose terms may cancel */
static double image_of(const struct matrix *b, const double *x, int64_t i, double *own_error)
{
    const struct csr *k = &b->system->k;
    const double *of_cluster = b->clustered ? cluster_row(b->clustered, b->own, i) : NULL;
    double sum = 0, own = 0, terms = 0;
    for (int64_t entry = k->start[i]; entry < k->start[i + 1]; entry++) {
        double e =
            of_cluster ? b->scale * of_cluster[entry - k->start[i]] : system_sweep(b->system, b->of, entry);
        sum += fabs(e) * x[k->column[entry]];
        own -= e;
        terms += fabs(e);
    }
    *own_error = b->diagonal ? terms * rounding(b, i) : 0;
    return b->diagonal ? fabs(own) * x[i] + sum : sum;
}

/* Returns max_i (|B| x)_i / x_i, rounded up. y <- |B| x, plus half of that times x where B has no diagonal
 * (the graph of a cable is bipartite: |B| x alone would oscillate), scaled by a power of two. */
static double quotient_round(const struct matrix *b, const double *x, double *y)
{
    const struct system *system = b->system;
    double quotient = 0, largest = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(max : quotient, largest)
    for (int64_t i = 0; i < system->k.rows; i++) {
        if (!system_has(system, i))
            continue;
        double own_error;
        y[i] = image_of(b, x, i, &own_error) / b->divisor[i];
        quotient = fmax(quotient, y[i] / x[i] * (1 + rounding(b, i)) + own_error / b->divisor[i]);
        largest = fmax(largest, y[i]);
    }
    quotient = system_most(system, quotient);
    largest = system_most(system, largest);
    double scale = isfinite(largest) && largest > 0 ? ldexp(1, -ilogb(largest)) : 1;
    double shift = b->diagonal ? 0 : quotient / 2;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < system->k.rows; i++)
        if (system_has(system, i))
            y[i] = fmax((y[i] + shift * x[i]) * scale, 0x1p-500); /* every x > 0 gives a bound */
    if (b->ghosts)
        halo_nodes_exchange(b->ghosts, y);
    return quotient;
}

static void set_all(double *x, int64_t n, double value)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        x[i] = value;
}

/* The least quotient of all iterations from x = 1; scratch[0] <- the x that gives it */
static double least_quotient(const struct matrix *b, double *scratch[3])
{
    int64_t n = b->system->k.rows;
    double first = INFINITY, least = INFINITY;
    set_all(scratch[1], n, 1);
    for (int round = 0, idle = 0; round < ROUNDS && idle < 2; round++) {
        double found = quotient_round(b, scratch[1], scratch[2]);
        idle = found < (1 - round_gain) * least ? 0 : idle + 1;
        next_round(scratch, found < least);
        first = round == 0 ? found : first;
        least = fmin(least, found);
    }
    if (least < (1 - least_gain) * first)
        return least;
    set_all(scratch[0], n, 1);
    return first;
}

/* Returns max x / min s, rounded up, with s_i = (d_i x_i - sum_j |e_ij| x_j) / m_i; infinity unless all s_i >
 * 0. y <- D^-1 (m + |E| x), for which s = 1 in the limit. */
static double factor_round(const struct matrix *b, const double *mass, const double *x, double *y)
{
    const struct system *system = b->system;
    double below = INFINITY, largest = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(min : below) reduction(max : largest)
    for (int64_t i = 0; i < system->k.rows; i++) {
        if (!system_has(system, i))
            continue;
        double none, around = image_of(b, x, i, &none), own = b->divisor[i] * x[i];
        below = fmin(below, (own - around - rounding(b, i) * own) / mass[i]);
        largest = fmax(largest, x[i]);
        y[i] = (mass[i] + around) / b->divisor[i];
    }
    if (b->ghosts)
        halo_nodes_exchange(b->ghosts, y);
    below = -system_most(system, -below);
    largest = system_most(system, largest);
    return below > 0 ? largest / below * (1 + 0x1p-50) : INFINITY;
}

/* The least factor of all iterations, or if there is none that of scratch[0], whose reach is below 1. The
 * x converge to <A>^-1 m, the best x, like powers of the reach: if all rows are dominant from above,
 * because the first x has s >= 1, and decrease; else from 1. */
static double least_factor(const struct matrix *b, const double *mass, double *scratch[3])
{
    int64_t n = b->system->k.rows;
    set_all(scratch[1], n, 1);
    double first = factor_round(b, mass, scratch[1], scratch[2]), best = first;
    set_all(scratch[1], n, isinf(first) ? 1 : first);
    for (int round = 0, idle = 0; round < FACTOR_ROUNDS && idle < 4; round++) {
        double found = factor_round(b, mass, scratch[1], scratch[2]);
        idle = isinf(found) || found < (1 - round_gain) * best ? 0 : idle + 1;
        best = fmin(best, found);
        next_round(scratch, false);
    }
    if (isinf(best))
        best = factor_round(b, mass, scratch[0], scratch[2]);
    if (isinf(best))
        return 0;
    return best < (1 - least_gain) * first ? best : first;
}

/* Whether A has no positive off-diagonal entry: with lumped mass M^-1 A then has a nonnegative inverse
 * with unit row sums. */
static bool is_monotone(const struct system *system)
{
    double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int64_t k = 0; k < system->k.start[system->k.rows]; k++)
        most = fmax(most, system->k.value[k]);
    return system_most(system, most) == 0;
}

static const char what[] = "the bounds of the spectrum";

static enum status scratch_new(double *scratch[3], int64_t n, const struct halo_nodes *ghosts,
                               struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < 3; k++)
        scratch[k] = array_new(n, sizeof *scratch[k], what, &status, error);
    return comm_agree(ghosts ? ghosts->comm : comm_alone(), COMM_STEPS, status, error);
}

static void scratch_free(double *scratch[3])
{
    for (int k = 0; k < 3; k++)
        free(scratch[k]);
}

enum status perron_rate(double *rate, const struct system *system, const struct rows *rows,
                        const struct scheme_length *of, const struct halo_nodes *ghosts, struct error *error)
{
    const struct scheme_length stiffness = {.lumping = 1, .theta_dt = 1};
    const bool held = system->clusters && system->clusters->held;
    const struct matrix matrix = {.system = system,
                                  .of = &stiffness,
                                  .clustered = held ? &rows->clustered : NULL,
                                  .own = rows->clustered.product,
                                  .scale = 1 / of->theta_dt,
                                  .divisor = system->lumped,
                                  .diagonal = true,
                                  .ghosts = ghosts};
    double *scratch[3];
    enum status status = scratch_new(scratch, system->k.rows, ghosts, error);
    if (!status)
        *rate = least_quotient(&matrix, scratch);
    scratch_free(scratch);
    return status;
}

enum status perron_bounds(struct perron *perron, const struct system *system, const struct scheme_length *of,
                          const struct rows *rows, const struct halo_nodes *ghosts,
                          const struct perron *before, struct error *error)
{
    const bool held = system->clusters && system->clusters->held;
    const struct matrix jacobi = {.system = system,
                                  .of = of,
                                  .clustered = held ? NULL : &rows->clustered,
                                  .own = rows->clustered.sweep,
                                  .scale = 1,
                                  .divisor = rows->diagonal,
                                  .ghosts = ghosts};
    double *scratch[3], rate = before ? before->rate : 0;
    if (!before)
        TRY(perron_rate(&rate, system, rows, of, ghosts, error));
    enum status status = scratch_new(scratch, system->k.rows, ghosts, error);
    TRY_DONE(status);
    *perron = (struct perron){.rate = rate};
    perron->reach = least_quotient(&jacobi, scratch);
    perron->factor = of->lumping == 1 && is_monotone(system) ? 1 : 0;
    if (perron->factor == 0 && perron->reach < 1)
        perron->factor = least_factor(&jacobi, system->lumped, scratch);
done:
    scratch_free(scratch);
    return status;
}
