/* test_ordering.c: reverse Cuthill-McKee by its definition, at a hub, in less time than the square of its
 * degree, and on several paths. */
#include "solver/matrix/ordering.h"

#include <omp.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/support/check.h"

/* Node 0 touches all others; the others up to `ring` also touch the next of them, in a circle. Degrees fall
 * with the number: the worst case of an insertion sort. */
static void make_hub(struct csr *pattern, int32_t leaves, int32_t ring)
{
    int64_t filled = 0, n = (int64_t)leaves + 1;
    *pattern = (struct csr){.rows = n};
    pattern->start = calloc((size_t)n + 1, sizeof *pattern->start);
    pattern->column = calloc(4 * (size_t)n, sizeof *pattern->column);
    CHECK(pattern->start && pattern->column, "no memory");
    for (int32_t j = 1; j <= leaves; j++)
        pattern->column[filled++] = j;
    pattern->start[1] = filled;
    for (int32_t i = 1; i <= leaves; i++) {
        int32_t before = i == 1 ? ring : i - 1, after = i == ring ? 1 : i + 1;
        pattern->column[filled++] = 0;
        if (i <= ring) {
            pattern->column[filled++] = before < after ? before : after;
            pattern->column[filled++] = before < after ? after : before;
        }
        pattern->start[i + 1] = filled;
    }
}

static void free_hub(struct csr *pattern)
{
    free(pattern->start);
    free(pattern->column);
}

static double seconds_used(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

/* The search for a far end goes from the hub to the first leaf of degree 1 and from there to the second,
 * which no third one outdoes. So that leaf begins, the hub follows, then the hub's other neighbours by degree
 * and number; all of it reversed. */
static void test_hub(int32_t leaves, int32_t ring)
{
    struct csr pattern;
    struct error error = {0};
    make_hub(&pattern, leaves, ring);
    int32_t *order = malloc(((size_t)leaves + 1) * sizeof *order);
    CHECK(order, "no memory");
    double begin = seconds_used();
    CHECK_OK(ordering_make(&pattern, order, &error), error);
    double seconds = seconds_used() - begin;
    int64_t k = leaves;
    CHECK(order[k--] == ring + 2, "the order begins with %d", order[leaves]);
    CHECK(order[k--] == 0, "the hub is not second");
    for (int32_t i = ring + 1; i <= leaves; i += i == ring + 1 ? 2 : 1, k--)
        CHECK(order[k] == i, "place %lld holds %d, not leaf %d", (long long)k, order[k], i);
    for (int32_t i = 1; i <= ring; i++, k--)
        CHECK(order[k] == i, "place %lld holds %d, not node %d of the ring", (long long)k, order[k], i);
    CHECK(k == -1, "%lld places are left", (long long)k + 1);
    CHECK(seconds < 2, "%d leaves took %g s", leaves, seconds);
    printf("hub of %d: %.3f s\n", leaves, seconds);
    free(order);
    free_hub(&pattern);
}

/* Paths of unequal lengths and nodes alone, numbered at random: each path must come out end to end, in one
 * piece. */
static void test_paths(void)
{
    enum { NODES = 31 };
    const int end[] = {0, 5, 6, 15, 29, 30, NODES}; /* 6 components: their nodes in `name` */
    int32_t name[NODES], order[NODES], new_index[NODES], column[2 * NODES];
    int64_t start[NODES + 1];
    int component[NODES], before[NODES], after[NODES];
    struct error error = {0};
    for (int k = 0; k < NODES; k++)
        name[k] = (int32_t)((k * 12 + 7) % NODES);
    for (int c = 0; c < 6; c++)
        for (int k = end[c]; k < end[c + 1]; k++) {
            component[name[k]] = c;
            before[name[k]] = k > end[c] ? name[k - 1] : -1;
            after[name[k]] = k + 1 < end[c + 1] ? name[k + 1] : -1;
        }
    start[0] = 0;
    for (int i = 0; i < NODES; i++) {
        int low = before[i] < after[i] ? before[i] : after[i],
            high = before[i] < after[i] ? after[i] : before[i];
        start[i + 1] = start[i];
        if (low >= 0)
            column[start[i + 1]++] = low;
        if (high >= 0)
            column[start[i + 1]++] = high;
    }
    struct csr pattern = {.rows = NODES, .start = start, .column = column};
    CHECK_OK(ordering_make(&pattern, order, &error), error);
    for (int i = 0; i < NODES; i++)
        new_index[i] = -1;
    for (int k = 0; k < NODES; k++) {
        CHECK(order[k] >= 0 && order[k] < NODES && new_index[order[k]] < 0, "place %d holds %d", k, order[k]);
        new_index[order[k]] = k;
    }
    for (int i = 0; i < NODES; i++)
        CHECK(after[i] < 0 || abs(new_index[i] - new_index[after[i]]) == 1,
              "neighbours %d and %d of path %d stand at %d and %d", i, after[i], component[i], new_index[i],
              new_index[after[i]]);
}

/* Node i touches i + step[g], and i - step[g], around a ring, but for a share of the edges; as far apart as
 * such steps go, the levels of a search have thousands of nodes, of unlike degrees and reached by several. */
static void make_wide(struct csr *pattern, int32_t nodes)
{
    enum { STEPS = 4 };
    const int32_t step[STEPS] = {1, 37, 1409, 30011};
    *pattern = (struct csr){.rows = nodes};
    pattern->start = calloc((size_t)nodes + 1, sizeof *pattern->start);
    pattern->column = calloc(2 * STEPS * (size_t)nodes, sizeof *pattern->column);
    CHECK(pattern->start && pattern->column, "no memory");
    for (int32_t i = 0; i < nodes; i++) {
        int64_t first = pattern->start[i], end = first;
        for (int k = 0; k < 2 * STEPS; k++) {
            int32_t up = step[k / 2], from = k % 2 ? (i + nodes - up) % nodes : i;
            if ((from * 7 + k / 2) % 5 == 0)
                continue;
            int32_t j = k % 2 ? from : (i + up) % nodes;
            int64_t at = end++;
            for (; at > first && pattern->column[at - 1] > j; at--)
                pattern->column[at] = pattern->column[at - 1];
            pattern->column[at] = j;
        }
        pattern->start[i + 1] = end;
    }
}

/* Levels that all threads find together come out as one thread finds them. */
static void test_threads(void)
{
    enum { NODES = 120011 };
    static int32_t alone[NODES], together[NODES];
    struct csr pattern;
    struct error error = {0};
    make_wide(&pattern, NODES);
    omp_set_num_threads(1);
    CHECK_OK(ordering_make(&pattern, alone, &error), error);
    for (int threads = 2; threads <= 5; threads++) {
        omp_set_num_threads(threads);
        CHECK_OK(ordering_make(&pattern, together, &error), error);
        for (int64_t k = 0; k < NODES; k++)
            CHECK(together[k] == alone[k], "%d threads: place %lld holds %d, not %d", threads, (long long)k,
                  together[k], alone[k]);
    }
    free_hub(&pattern);
}

int main(void)
{
    test_paths();
    test_hub(12, 5); /* by insertion */
    test_hub(97, 41);
    test_hub(200000, 100000);
    test_threads();
    return 0;
}
