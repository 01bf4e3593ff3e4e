/* test_bounds_cache.c: clusters and bounds of a matrix come from the cache as they were found, give the same
 * matrix, and those of another do not. */
#include "app/problem/bounds_cache.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/bits.h"
#include "solver/mesh/generate.h"
#include "tests/support/case.h"

static const char one[SHA256_HEX] = "1", other[SHA256_HEX] = "2";

static void check_same(const struct clusters_found *a, const struct clusters_found *b)
{
    const struct clusters *x = &a->clusters, *y = &b->clusters;
    CHECK(memcmp(&a->elements, &b->elements, sizeof a->elements) == 0, "other bounds");
    CHECK(x->count == y->count && x->nodes == y->nodes && x->counts.nodes == y->counts.nodes, "other counts");
    CHECK(memcmp(x->begin, y->begin, (size_t)(x->count + 1) * sizeof *x->begin) == 0 &&
              memcmp(x->node, y->node, (size_t)x->nodes * sizeof *x->node) == 0 &&
              memcmp(x->inside, y->inside, (size_t)x->count * sizeof *x->inside) == 0,
          "other clusters");
}

/* What was found once, or, if it is NULL, is found anew, gives this tissue. */
static struct monodomain_report report_of(struct test_case *c, const struct clusters_found *found)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend_find("cpu", NULL), 2);
    struct monodomain *sim;
    struct monodomain_params params = c->params;
    params.found = found;
    CHECK_OK(monodomain_create(&sim, &c->mesh, &params, queue, &error), error);
    const struct monodomain_report report = *monodomain_report(sim);
    monodomain_free(sim);
    queue_free(queue);
    return report;
}

int main(void)
{
    static const double size[3] = {9, 3, 3};
    char home[] = "/tmp/test_bounds_cache.XXXXXX", command[100];
    struct error error = {0};
    struct test_case c = {0};
    struct bounds_cache found, read, none;
    CHECK(mkdtemp(home), "no folder");
    setenv("XDG_CACHE_HOME", home, 1);
    CHECK_OK(mesh_slab(&c.mesh, size, 1 / 3.0, &error), error);
    for (int k = 0; k < 4; k++) { /* nodes near their neighbours */
        double *point = c.mesh.point + 3 * (c.mesh.nodes / 2 + 100 * k);
        point[0] += 0.99 / 3;
    }
    case_furnish(&c, "passive", 0);
    c.params.step = 0.05;
    CHECK(bounds_cache_find(&found, one, &c.mesh, &c.params) && !found.entry, "not found");
    CHECK(found.found.clusters.count > 0, "no clusters");
    CHECK(bounds_cache_find(&read, one, &c.mesh, &c.params) && read.entry, "not read");
    check_same(&found.found, &read.found);
    CHECK(bounds_cache_find(&none, other, &c.mesh, &c.params) && !none.entry, "read for another matrix");
    const struct monodomain_report anew = report_of(&c, NULL), again = report_of(&c, &read.found);
    CHECK(anew.clusters.clusters == again.clusters.clusters && bits_of(anew.low) == bits_of(again.low) &&
              bits_of(anew.high) == bits_of(again.high) && strcmp(anew.bounds, again.bounds) == 0,
          "another tissue: %s, not %s", again.bounds, anew.bounds);
    bounds_cache_free(&found);
    bounds_cache_free(&read);
    bounds_cache_free(&none);
    case_free(&c);
    snprintf(command, sizeof command, "rm -r %s", home);
    return system(command) != 0;
}
