/* test_order.c: Hilbert's curve goes by steps to neighbours; METIS cuts a lattice into squares. */
#include "app/bench/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/matrix/ordering.h"
#include "tests/support/check.h"

/* Along Hilbert's curve through a lattice of 8 x 8 x 8 every step leads to a neighbour. */
static void test_curve(void)
{
    enum { SIDE = 8, NODES = SIDE * SIDE * SIDE };
    static double point[3 * NODES];
    static int32_t order[NODES], seen[NODES];
    struct error error = {0};
    for (int i = 0; i < NODES; i++) {
        point[3 * i] = -3 + 0.5 * (i % SIDE);
        point[3 * i + 1] = 2 + 0.5 * (i / SIDE % SIDE);
        point[3 * i + 2] = 0.5 * (i / SIDE / SIDE);
    }
    struct mesh mesh = {.dimension = 3, .nodes = NODES, .point = point};
    CHECK_OK(order_hilbert(&mesh, order, &error), error);
    for (int k = 0; k < NODES; k++) {
        CHECK(order[k] >= 0 && order[k] < NODES && !seen[order[k]]++, "place %d holds %d", k, order[k]);
        double apart = 0;
        for (int d = 0; d < 3 && k > 0; d++)
            apart += fabs(point[3 * order[k] + d] - point[3 * order[k - 1] + d]);
        CHECK(k == 0 || apart == 0.5, "step %d leads %g mm away", k, apart);
    }
}

/* Edges of a square lattice between windows of `window` places */
static int64_t edges_cut(const struct csr *pattern, const int32_t *order, int64_t window)
{
    int64_t cut = 0, *new_index = malloc((size_t)pattern->rows * sizeof *new_index);
    CHECK(new_index, "no memory");
    for (int64_t i = 0; i < pattern->rows; i++)
        new_index[i] = -1;
    for (int64_t k = 0; k < pattern->rows; k++) {
        CHECK(order[k] >= 0 && order[k] < pattern->rows && new_index[order[k]] < 0, "place %lld holds %d",
              (long long)k, order[k]);
        new_index[order[k]] = k;
    }
    for (int64_t i = 0; i < pattern->rows; i++)
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; k++)
            cut += new_index[i] / window < new_index[pattern->column[k]] / window;
    free(new_index);
    return cut;
}

/* METIS cuts a lattice into squares, reverse Cuthill-McKee into strips, which have more border. */
static void test_parts(void)
{
    enum { SIDE = 256, NODES = SIDE * SIDE };
    static int64_t start[NODES + 1];
    static int32_t column[4 * NODES], order[NODES];
    struct csr pattern = {.rows = NODES, .start = start, .column = column};
    struct error error = {0};
    for (int i = 0; i < NODES; i++) {
        const int neighbour[4] = {i - SIDE, i % SIDE ? i - 1 : -1, (i + 1) % SIDE ? i + 1 : -1, i + SIDE};
        start[i + 1] = start[i];
        for (int k = 0; k < 4; k++)
            if (neighbour[k] >= 0 && neighbour[k] < NODES)
                column[start[i + 1]++] = (int32_t)neighbour[k];
    }
    CHECK_OK(ordering_make(&pattern, order, &error), error);
    int64_t strips = edges_cut(&pattern, order, 1024);
    CHECK_OK(order_by_parts(&pattern, order, &error), error);
    int64_t squares = edges_cut(&pattern, order, 1024);
    printf("edges between windows of 1024: %lld by RCM, %lld by METIS\n", (long long)strips,
           (long long)squares);
    CHECK(squares < strips / 2, "%lld edges are cut, by RCM %lld", (long long)squares, (long long)strips);
}

int main(void)
{
    test_curve();
    if (order_has_metis())
        test_parts();
    return 0;
}
