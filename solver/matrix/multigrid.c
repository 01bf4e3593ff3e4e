/* multigrid.c: the levels, their smoothing, and the cycle. */
#include "solver/matrix/multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

enum {
    DIRECT = 400,    /* largest matrix factorised directly (Cholesky) */
    PARALLEL = 4000, /* rows from which on work is divided among threads */
    ROWS = 256       /* rows per task; small, because rows with distant neighbours, as after a refinement,
                        cost more */
};

static const char what[] = "the coarser matrices";
static const double strong = 0.04; /* theta on the finest level, halved on each coarser one */

/* (A z)_i */
static double product(const struct aggregation_matrix *a, const double *z, int64_t i)
{
    double sum = a->diagonal[i] * z[i];
    for (int64_t k = a->off.start[i]; k < a->off.start[i + 1]; k++)
        sum += a->off.value[k] * z[a->off.column[k]];
    return sum;
}

/* (P e)_i, and (P^T r)_i with the transpose */
static double sum_row(const struct csr *p, const double *e, int64_t i)
{
    double sum = 0;
    for (int64_t k = p->start[i]; k < p->start[i + 1]; k++)
        sum += p->value[k] * e[p->column[k]];
    return sum;
}

static enum status level_create(struct multigrid_level *level, const struct aggregation_matrix *matrix,
                                struct error *error)
{
    enum status status = STATUS_OK;
    int64_t rows = matrix->off.rows;
    *level = (struct multigrid_level){.matrix = matrix};
    level->inverse = array_new(rows, sizeof *level->inverse, what, &status, error);
    level->x = array_new(rows, sizeof *level->x, what, &status, error);
    level->r = array_new(rows, sizeof *level->r, what, &status, error);
    level->z[0] = array_new(rows, sizeof *level->z[0], what, &status, error);
    level->z[1] = array_new(rows, sizeof *level->z[1], what, &status, error);
    TRY(status);
#pragma omp parallel for schedule(static) if (rows > PARALLEL)
    for (int64_t i = 0; i < rows; i++) {
        double sum = matrix->diagonal[i];
        for (int64_t k = matrix->off.start[i]; k < matrix->off.start[i + 1]; k++)
            if (matrix->diagonal[matrix->off.column[k]] > 0)
                sum += fabs(matrix->off.value[k]);
        level->inverse[i] = matrix->diagonal[i] > 0 ? 1 / sum : 0;
    }
    return STATUS_OK;
}

/* L L^T = A, row by row, with 1 / l_ii on the diagonal, 0 in rows left out. If rounding leaves no positive
 * pivot, a_ii is used: B is then less accurate but still positive definite. The last row of a floating
 * matrix is left out, which sets x = 0 there and selects one of the solutions that differ by a constant. */
static void factorise(double *l, const struct aggregation_matrix *a, bool floating)
{
    int64_t n = a->off.rows;
    for (int64_t i = 0; i < n; i++) {
        double *row = l + i * n, pivot = a->diagonal[i];
        memset(row, 0, (size_t)n * sizeof *row);
        for (int64_t k = a->off.start[i]; k < a->off.start[i + 1]; k++)
            if (a->off.column[k] < i)
                row[a->off.column[k]] = a->off.value[k];
        for (int64_t j = 0; j < i; j++) {
            for (int64_t k = 0; k < j; k++)
                row[j] -= row[k] * l[j * n + k];
            row[j] *= l[j * n + j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > 1e-14 * a->diagonal[i]))
            pivot = a->diagonal[i];
        row[i] = pivot > 0 && !(floating && i == n - 1) ? 1 / sqrt(pivot) : 0;
    }
}

static void substitute(const double *l, int64_t n, const double *r, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = r[i];
        for (int64_t k = 0; k < i; k++)
            x[i] -= l[i * n + k] * x[k];
        x[i] *= l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] *= l[i * n + i];
        for (int64_t k = 0; k < i; k++)
            x[k] -= l[i * n + k] * x[i];
    }
}

enum status multigrid_create(struct multigrid *multigrid, const struct aggregation_matrix *matrix,
                             struct error *error)
{
    *multigrid = (struct multigrid){0};
    enum status status = STATUS_OK;
    multigrid->levels = 1;
    TRY(level_create(&multigrid->level[0], matrix, error));
    const bool floating = matrix->floating;
    double theta = strong;
    while (multigrid->levels < MULTIGRID_LEVELS) {
        struct multigrid_level *last = multigrid->level + multigrid->levels - 1;
        int64_t rows = last->matrix->off.rows;
        if (rows <= DIRECT)
            break;
        TRY(aggregation_create(&last->next, last->matrix, theta, error));
        theta /= 2;
        int64_t coarse = last->next.coarse.off.rows;
        if (coarse == 0 || coarse > rows - rows / 4) {
            aggregation_free(&last->next);
            break;
        }
        multigrid->levels++;
        TRY(level_create(last + 1, &last->next.coarse, error));
    }
    matrix = multigrid->level[multigrid->levels - 1].matrix;
    if (matrix->off.rows > DIRECT)
        return STATUS_OK;
    multigrid->factor =
        array_new(matrix->off.rows * matrix->off.rows, sizeof *multigrid->factor, what, &status, error);
    TRY(status);
    factorise(multigrid->factor, matrix, floating);
    return STATUS_OK;
}

void multigrid_free(struct multigrid *multigrid)
{
    for (int l = 0; l < multigrid->levels; l++) {
        struct multigrid_level *level = multigrid->level + l;
        aggregation_free(&level->next);
        free(level->inverse);
        free(level->x);
        free(level->r);
        free(level->z[0]);
        free(level->z[1]);
    }
    free(multigrid->factor);
    *multigrid = (struct multigrid){0};
}

/* to <- from */
static void copy(double *to, const double *from, int64_t rows)
{
#pragma omp parallel for schedule(static) if (rows > PARALLEL)
    for (int64_t i = 0; i < rows; i++)
        to[i] = from[i];
}

/* z_1 = 4/3 D^-1 r, x += z_1; r -= A z_1; z_2 = 1/5 z_1 + 12/5 D^-1 r, x += z_2; r -= A z_2 is left to the
 * caller */
static void smooth(const struct multigrid_level *level)
{
    const struct aggregation_matrix *a = level->matrix;
    const double *inverse = level->inverse, *z = level->z[0];
    double *x = level->x, *r = level->r, *next = level->z[1];
#pragma omp parallel for schedule(static) if (a->off.rows > PARALLEL)
    for (int64_t i = 0; i < a->off.rows; i++)
        x[i] += level->z[0][i] = 4.0 / 3 * inverse[i] * r[i];
#pragma omp parallel for schedule(dynamic, ROWS) if (a->off.rows > PARALLEL)
    for (int64_t i = 0; i < a->off.rows; i++) {
        r[i] -= product(a, z, i);
        next[i] = z[i] / 5 + 12.0 / 5 * inverse[i] * r[i];
        x[i] += next[i];
    }
}

/* r -= A z */
static void subtract_product(const struct multigrid_level *level, const double *z)
{
#pragma omp parallel for schedule(dynamic, ROWS) if (level->matrix->off.rows > PARALLEL)
    for (int64_t i = 0; i < level->matrix->off.rows; i++)
        level->r[i] -= product(level->matrix, z, i);
}

/* x = B r on this level and the coarser ones; overwrites r */
static void cycle(const struct multigrid *multigrid, int l)
{
    const struct multigrid_level *level = multigrid->level + l, *next = level + 1;
    int64_t rows = level->matrix->off.rows;
    if (l == multigrid->levels - 1 && multigrid->factor) {
        substitute(multigrid->factor, rows, level->r, level->x);
        return;
    }
#pragma omp parallel for schedule(static) if (rows > PARALLEL)
    for (int64_t i = 0; i < rows; i++)
        level->x[i] = 0;
    smooth(level);
    if (l == multigrid->levels - 1)
        return;
    subtract_product(level, level->z[1]);
    int64_t coarse = next->matrix->off.rows;
#pragma omp parallel for schedule(dynamic, ROWS) if (coarse > PARALLEL)
    for (int64_t j = 0; j < coarse; j++)
        next->r[j] = sum_row(&level->next.to_coarse, level->r, j);
    cycle(multigrid, l + 1);
#pragma omp parallel for schedule(dynamic, ROWS) if (rows > PARALLEL)
    for (int64_t i = 0; i < rows; i++) {
        level->z[0][i] = sum_row(&level->next.to_fine, next->x, i);
        level->x[i] += level->z[0][i];
    }
    subtract_product(level, level->z[0]);
    smooth(level);
}

void multigrid_apply(const struct multigrid *multigrid, const double *r, double *z)
{
    const struct multigrid_level *finest = multigrid->level;
    copy(finest->r, r, finest->matrix->off.rows);
    cycle(multigrid, 0);
    copy(z, finest->x, finest->matrix->off.rows);
}
