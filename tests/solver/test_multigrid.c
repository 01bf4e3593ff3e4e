/* test_multigrid.c: the coarser matrix is P^T A P, P keeps constants, and the cycle is symmetric, positive
 * and near the inverse, with left-out rows, and for a second matrix with rows coupled by positive entries. */
#include "solver/matrix/multigrid.h"

#include <omp.h>

#include "tests/support/mesh_sample.h"

static double *vector(int64_t rows, uint64_t seed)
{
    double *x = calloc((size_t)rows + 1, sizeof *x);
    for (int64_t i = 0; i < rows; i++)
        x[i] = bits_random(seed * 1000003 + (uint64_t)i) - 0.5;
    return x;
}

static double dot(const double *x, const double *y, int64_t rows)
{
    double sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y = A x in the rows that are not left out */
static double *multiply(const struct aggregation_matrix *a, const double *x)
{
    double *y = calloc((size_t)a->off.rows + 1, sizeof *y);
    for (int64_t i = 0; i < a->off.rows; i++) {
        y[i] = a->diagonal[i] * x[i];
        for (int64_t k = a->off.start[i]; k < a->off.start[i + 1] && a->diagonal[i] > 0; k++)
            if (a->diagonal[a->off.column[k]] > 0)
                y[i] += a->off.value[k] * x[a->off.column[k]];
    }
    return y;
}

static double *multiply_rows(const struct csr *a, const double *x)
{
    double *y = calloc((size_t)a->rows + 1, sizeof *y);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            y[i] += a->value[k] * x[a->column[k]];
    return y;
}

/* Seven-point rows of a lattice, row sums 0, and `tie` for one neighbour; the face x = 0 left out */
static struct aggregation_matrix lattice(const int n[3], double tie)
{
    int64_t rows = (int64_t)n[0] * n[1] * n[2], entries = 0;
    const int64_t stride[3] = {1, n[0], (int64_t)n[0] * n[1]};
    struct aggregation_matrix a = {.off = {.rows = rows, .columns = rows}};
    a.off.start = calloc((size_t)rows + 1, sizeof *a.off.start);
    a.off.column = calloc((size_t)rows * 6, sizeof *a.off.column);
    a.off.value = calloc((size_t)rows * 6, sizeof *a.off.value);
    a.diagonal = calloc((size_t)rows, sizeof *a.diagonal);
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int side = -3; side <= 3; side++) {
            int d = side < 0 ? -side - 1 : side - 1;
            int64_t at = side ? i / stride[d] % n[d] + (side < 0 ? -1 : 1) : -1;
            if (at < 0 || at >= n[d])
                continue;
            a.off.column[entries] = (int32_t)(i + (side < 0 ? -stride[d] : stride[d]));
            a.off.value[entries] = d == 1 ? tie : -1 - 0.3 * d;
            sum -= a.off.value[entries++];
        }
        a.off.start[i + 1] = entries;
        a.diagonal[i] = i % n[0] == 0 ? 0 : tie > 0 ? sum + 4 * tie : sum;
    }
    return a;
}

static void test_coarse(const struct aggregation_matrix *a, bool constants)
{
    struct error error = {0};
    struct aggregation to;
    CHECK_OK(aggregation_create(&to, a, 0.04, &error), error);
    int64_t coarse = to.coarse.off.rows, rows = a->off.rows;
    CHECK(coarse > 10 && coarse < rows / 4, "%lld rows of %lld", (long long)coarse, (long long)rows);
    double *x = vector(coarse, 1), *fine = multiply_rows(&to.to_fine, x), *image = multiply(a, fine);
    double *want = multiply_rows(&to.to_coarse, image), *got = multiply(&to.coarse, x);
    for (int64_t j = 0; j < coarse; j++)
        CHECK(fabs(got[j] - want[j]) <= 1e-13, "P^T A P: row %lld is %g, not %g", (long long)j, got[j],
              want[j]);
    int64_t kept = 0;
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0, defect = a->diagonal[i];
        for (int64_t k = to.to_fine.start[i]; k < to.to_fine.start[i + 1]; k++)
            sum += to.to_fine.value[k];
        for (int64_t k = a->off.start[i]; k < a->off.start[i + 1]; k++)
            defect += a->diagonal[a->off.column[k]] > 0 ? a->off.value[k] : 0;
        if (a->diagonal[i] == 0)
            CHECK(sum == 0, "row %lld, left out, has %g", (long long)i, sum);
        else if (fabs(defect) < 1e-12)
            kept += fabs(sum - 1) < 1e-14;
    }
    CHECK(!constants || kept > rows / 2, "P keeps constants in %lld rows of %lld", (long long)kept,
          (long long)rows);
    aggregation_free(&to);
    free(x);
    free(fine);
    free(image);
    free(want);
    free(got);
}

/* Bits of B r under 1 to 5 threads, symmetry, and the extremes of x.ABAx / x.Ax */
static void test_cycle(const struct aggregation_matrix *a, double least)
{
    struct error error = {0};
    struct multigrid multigrid;
    int64_t rows = a->off.rows;
    double *x = vector(rows, 2), *y = vector(rows, 3);
    double *bx = calloc((size_t)rows, sizeof *bx), *by = calloc((size_t)rows, sizeof *by);
    for (int threads = 1; threads <= 5; threads++) {
        omp_set_num_threads(threads);
        CHECK_OK(multigrid_create(&multigrid, a, &error), error);
        CHECK(multigrid.levels >= 2 && multigrid.factor, "%d levels", multigrid.levels);
        multigrid_apply(&multigrid, x, threads == 1 ? bx : by);
        CHECK(threads == 1 || memcmp(bx, by, (size_t)rows * sizeof *bx) == 0, "%d threads change a bit",
              threads);
        if (threads < 5)
            multigrid_free(&multigrid);
    }
    multigrid_apply(&multigrid, y, by);
    CHECK_CLOSE(dot(y, bx, rows), dot(x, by, rows), 1e-12);
    double low = HUGE_VAL, high = 0;
    for (uint64_t k = 0; k < 8; k++) {
        double *v = vector(rows, 10 + k);
        for (int64_t i = 0; i < rows; i++) /* a wave of k + 1 nodes' length and noise */
            v[i] = a->diagonal[i] > 0 ? sin((double)i / (double)(k + 1)) + v[i] : 0;
        double *av = multiply(a, v);
        multigrid_apply(&multigrid, av, by);
        double share = dot(av, by, rows) / dot(av, v, rows);
        low = fmin(low, share);
        high = fmax(high, share);
        free(v);
        free(av);
    }
    CHECK(low >= least && high <= 1 + 1e-12, "B A between %g and %g", low, high);
    printf("%lld rows, %d levels, B A seen between %.2f and %.2f\n", (long long)rows, multigrid.levels, low,
           high);
    multigrid_free(&multigrid);
    free(x);
    free(y);
    free(bx);
    free(by);
}

static void test_matrix(const int n[3], double tie, double least)
{
    struct aggregation_matrix a = lattice(n, tie);
    test_coarse(&a, tie < 0);
    test_cycle(&a, least);
    aggregation_matrix_free(&a);
}

/* Rows that stand elsewhere, with the order that they had, give the same bits. */
static void test_order(const struct aggregation_matrix *a)
{
    struct error error = {0};
    struct multigrid multigrid;
    int64_t rows = a->off.rows, entries = a->off.start[rows], at = 0;
    struct aggregation_matrix moved = {.off = {.rows = rows, .columns = rows}};
    int32_t *row = calloc((size_t)rows, sizeof *row);
    double *x = vector(rows, 4), *y = calloc((size_t)rows, sizeof *y), *z = calloc((size_t)rows, sizeof *z);
    moved.off.start = calloc((size_t)rows + 1, sizeof *moved.off.start);
    moved.off.column = calloc((size_t)entries, sizeof *moved.off.column);
    moved.off.value = calloc((size_t)entries, sizeof *moved.off.value);
    moved.diagonal = calloc((size_t)rows, sizeof *moved.diagonal);
    const int64_t step = 7; /* no divisor of the rows: the node of row q is q step mod rows */
    CHECK(rows % step != 0, "%lld rows", (long long)rows);
    for (int64_t q = 0; q < rows; q++)
        row[q * step % rows] = (int32_t)q;
    for (int64_t q = 0; q < rows; q++) {
        int64_t i = q * step % rows;
        moved.diagonal[q] = a->diagonal[i];
        for (int64_t k = a->off.start[i]; k < a->off.start[i + 1]; k++) {
            moved.off.column[at] = row[a->off.column[k]];
            moved.off.value[at++] = a->off.value[k];
        }
        moved.off.start[q + 1] = at;
    }
    moved.order = row;
    CHECK_OK(multigrid_create(&multigrid, a, &error), error);
    multigrid_apply(&multigrid, x, y);
    multigrid_free(&multigrid);
    double *turned = calloc((size_t)rows, sizeof *turned);
    for (int64_t i = 0; i < rows; i++)
        turned[row[i]] = x[i];
    CHECK_OK(multigrid_create(&multigrid, &moved, &error), error);
    multigrid_apply(&multigrid, turned, z);
    multigrid_free(&multigrid);
    for (int64_t i = 0; i < rows; i++)
        CHECK(memcmp(&y[i], &z[row[i]], sizeof *y) == 0, "row %lld moved: %.17g is %.17g", (long long)i, y[i],
              z[row[i]]);
    aggregation_matrix_free(&moved);
    free(row);
    free(x);
    free(y);
    free(z);
    free(turned);
}

int main(void)
{
    test_matrix((int[3]){23, 17, 13}, -1.3, 0.8);
    test_matrix((int[3]){9, 31, 12}, 0.4, 0.5);
    struct aggregation_matrix a = lattice((int[3]){19, 16, 13}, -1.3);
    test_order(&a);
    aggregation_matrix_free(&a);
    return 0;
}
