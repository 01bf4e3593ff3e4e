/* test_ordering.c: reverse Cuthill-McKee at a hub: the order that its definition gives, and not in the square
 * of the hub's degree. */
#include "solver/ordering.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/check.h"

/* Node 0 touches all others; the others up to `ring` also touch the next of them, in a circle. Degrees fall
 * with the number: the worst case of an insertion sort. */
static void make_hub(struct system *system, int32_t leaves, int32_t ring)
{
    int64_t filled = 0, n = (int64_t)leaves + 1;
    *system = (struct system){.rows = n};
    system->start = calloc((size_t)n + 1, sizeof *system->start);
    system->column = calloc(4 * (size_t)n, sizeof *system->column);
    CHECK(system->start && system->column, "no memory");
    for (int32_t j = 1; j <= leaves; j++)
        system->column[filled++] = j;
    system->start[1] = filled;
    for (int32_t i = 1; i <= leaves; i++) {
        int32_t before = i == 1 ? ring : i - 1, after = i == ring ? 1 : i + 1;
        system->column[filled++] = 0;
        if (i <= ring) {
            system->column[filled++] = before < after ? before : after;
            system->column[filled++] = before < after ? after : before;
        }
        system->start[i + 1] = filled;
    }
}

static void free_hub(struct system *system)
{
    free(system->start);
    free(system->column);
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
    struct system system;
    struct error error = {0};
    make_hub(&system, leaves, ring);
    int32_t *order = malloc(((size_t)leaves + 1) * sizeof *order);
    CHECK(order, "no memory");
    double begin = seconds_used();
    CHECK_OK(ordering_make(ORDERING_RCM, &system, NULL, order, &error), error);
    double taken = seconds_used() - begin;
    int64_t k = leaves;
    CHECK(order[k--] == ring + 2, "the order begins with %d", order[leaves]);
    CHECK(order[k--] == 0, "the hub is not second");
    for (int32_t i = ring + 1; i <= leaves; i += i == ring + 1 ? 2 : 1, k--)
        CHECK(order[k] == i, "place %lld holds %d, not leaf %d", (long long)k, order[k], i);
    for (int32_t i = 1; i <= ring; i++, k--)
        CHECK(order[k] == i, "place %lld holds %d, not node %d of the ring", (long long)k, order[k], i);
    CHECK(k == -1, "%lld places are left", (long long)k + 1);
    CHECK(taken < 2, "%d leaves took %g s", leaves, taken);
    printf("hub of %d: %.3f s\n", leaves, taken);
    free(order);
    free_hub(&system);
}

/* Without METIS the order is refused, and says what to do; with it the tests of packing and of reproducible
 * bits take it like any other. */
static void test_missing_metis(void)
{
    struct system system;
    struct error error = {0};
    int32_t order[21];
    make_hub(&system, 20, 7);
    enum status status = ordering_make(ORDERING_METIS, &system, NULL, order, &error);
    if (ordering_available(ORDERING_METIS))
        CHECK_OK(status, error);
    else
        CHECK(status == STATUS_INPUT && strstr(error.text, "this build has no METIS"), "status %d: %s",
              status, error.text);
    free_hub(&system);
}

int main(void)
{
    test_missing_metis();
    test_hub(12, 5); /* by insertion */
    test_hub(97, 41);
    test_hub(200000, 100000);
    return 0;
}
