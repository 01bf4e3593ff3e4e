/* test_bounds_cache.c: clusters and bounds of a matrix come from the cache as they were found, give the same
 * matrix, and those of another do not. */
#include "app/problem/bounds_cache.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/bits.h"
#include "solver/mesh/generate.h"
#include "tests/support/case.h"

static const char one[SHA256_HEX] = "1", other[SHA256_HEX] = "2", third[SHA256_HEX] = "3",
                  fourth[SHA256_HEX] = "4";

static void check_lists(const struct clusters *x, const struct clusters *y)
{
    CHECK(x->count == y->count && x->nodes == y->nodes && x->counts.nodes == y->counts.nodes, "other counts");
    if (x->count == 0)
        return;
    CHECK(memcmp(x->begin, y->begin, (size_t)(x->count + 1) * sizeof *x->begin) == 0 &&
              memcmp(x->node, y->node, (size_t)x->nodes * sizeof *x->node) == 0 &&
              (x->held || memcmp(x->inside, y->inside, (size_t)x->count * sizeof *x->inside) == 0),
          "other clusters");
}

static void check_same(const struct clusters_found *a, const struct clusters_found *b, int64_t nodes)
{
    CHECK(memcmp(a->order, b->order, (size_t)nodes * sizeof *a->order) == 0, "another order");
    CHECK(memcmp(&a->elements, &b->elements, sizeof a->elements) == 0, "other bounds");
    check_lists(&a->solved, &b->solved);
    check_lists(&a->held, &b->held);
}

/* All variables after some steps with what was found; *report <- of the tissue */
static double *run_found(struct test_case *c, const struct clusters_found *found, int64_t *length,
                         struct monodomain_report *report)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend_find("cpu", NULL), 2);
    struct monodomain *sim;
    struct monodomain_params params = c->params;
    params.found = found;
    CHECK_OK(monodomain_create(&sim, &c->mesh, &params, queue, &error), error);
    *report = *monodomain_report(sim);
    CHECK_OK(monodomain_advance(sim, 32, &error), error);
    double *state = case_state(sim, c->mesh.nodes, length);
    monodomain_free(sim);
    queue_free(queue);
    return state;
}

/* The tissue is the same by what was found, by what was stored with its scheme, and with neither. */
static void test_method(struct test_case *c, enum method method, const char *matrix)
{
    struct bounds_cache found, read;
    struct monodomain_report anew, first, again;
    int64_t length;
    c->params.method = method;
    double *want = run_found(c, NULL, &length, &anew);
    CHECK(bounds_cache_find(&found, matrix, &c->mesh, &c->params) && !found.entry, "not found");
    CHECK(anew.clusters.clusters > 0, "no clusters");
    double *by_found = run_found(c, &found.found, &length, &first);
    bounds_cache_store(&found, matrix, &first);
    CHECK(bounds_cache_find(&read, matrix, &c->mesh, &c->params) && read.entry && read.found.decided,
          "not read");
    check_same(&found.found, &read.found, c->mesh.nodes);
    double *by_read = run_found(c, &read.found, &length, &again);
    CHECK(again.padding == anew.padding, "another layout");
    for (int64_t i = 0; i < c->mesh.nodes; i++)
        read.found.order[i] = (int32_t)(c->mesh.nodes - 1 - i);
    double *by_other = run_found(c, &read.found, &length, &first);
    CHECK(read.found.order[0] == c->mesh.nodes - 1, "an order that is known is found again");
    CHECK(anew.clusters.clusters == again.clusters.clusters && anew.scheme.method == again.scheme.method &&
              anew.scheme.lengths == again.scheme.lengths &&
              memcmp(anew.scheme.length, again.scheme.length,
                     (size_t)anew.scheme.lengths * sizeof *anew.scheme.length) == 0 &&
              anew.scheme.fp32_share == again.scheme.fp32_share && strcmp(anew.bounds, again.bounds) == 0,
          "another tissue: %s, not %s", again.bounds, anew.bounds);
    CHECK(first_difference(want, by_found, length) < 0 && first_difference(want, by_read, length) < 0 &&
              first_difference(want, by_other, length) < 0,
          "method %d: other bits", (int)method);
    free(by_other);
    free(want);
    free(by_found);
    free(by_read);
    bounds_cache_free(&found);
    bounds_cache_free(&read);
}

int main(void)
{
    static const double size[3] = {9, 3, 3};
    char home[] = "/tmp/test_bounds_cache.XXXXXX", command[100];
    struct error error = {0};
    struct test_case c = {0};
    struct bounds_cache none;
    CHECK(mkdtemp(home), "no folder");
    setenv("XDG_CACHE_HOME", home, 1);
    CHECK_OK(mesh_slab(&c.mesh, size, 1 / 3.0, &error), error);
    for (int k = 0; k < 4; k++) { /* nodes near their neighbours */
        double *point = c.mesh.point + 3 * (c.mesh.nodes / 2 + 100 * k);
        point[0] += 0.99 / 3;
    }
    case_furnish(&c, "passive", 0);
    c.params.step = 0.05;
    c.params.doublings = 2;
    c.params.splitting = SPLITTING_STAGGERED;
    test_method(&c, METHOD_AUTO, one);
    test_method(&c, METHOD_RKL2, other);
    test_method(&c, METHOD_CHEBYSHEV, third);
    CHECK(bounds_cache_find(&none, fourth, &c.mesh, &c.params) && !none.entry, "read for another matrix");
    bounds_cache_free(&none);
    case_free(&c);
    snprintf(command, sizeof command, "rm -r %s", home);
    return system(command) != 0;
}
