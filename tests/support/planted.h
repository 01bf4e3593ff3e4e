/* planted.h: cases with needles, knots, flat elements and short chains. */
#ifndef CARDIAC_TESTS_PLANTED_H
#define CARDIAC_TESTS_PLANTED_H

#include "tests/support/case.h"

enum planted { PLANTED_PAIRS, PLANTED_KNOTS, PLANTED_CHAINS, PLANTED_FLATS, PLANTED_KINDS };

/* Node i <- all but `gap` mm of the way to the point */
static inline void planted_move(struct mesh *mesh, int64_t i, const double to[3], double gap)
{
    double way[3], length = 0;
    for (int k = 0; k < 3; k++) {
        way[k] = mesh->point[3 * i + k] - to[k];
        length += way[k] * way[k];
    }
    for (int k = 0; k < 3; k++)
        mesh->point[3 * i + k] = to[k] + way[k] * (gap / sqrt(length));
}

/* In every so-manieth element: a node next to another; two or three next to it and to each other; one next
 * to the middle of the opposite edge */
static inline void planted_add(struct mesh *mesh, enum planted kind, int64_t every, double gap)
{
    const int corners = mesh->dimension + 1;
    for (int64_t e = every / 2; e < mesh->elements; e += every) {
        const int32_t *vertex = mesh->vertex + e * corners;
        double to[3];
        memcpy(to, mesh->point + 3 * (int64_t)vertex[1], sizeof to);
        if (kind == PLANTED_FLATS && corners > 2) {
            for (int k = 0; k < 3; k++)
                to[k] = (to[k] + mesh->point[3 * (int64_t)vertex[2] + k]) / 2;
            planted_move(mesh, vertex[0], to, 3 * gap);
            continue;
        }
        planted_move(mesh, vertex[0], to, gap);
        if (kind == PLANTED_KNOTS && corners > 2)
            planted_move(mesh, vertex[2], to, gap);
        if (kind == PLANTED_CHAINS && corners > 2)
            planted_move(mesh, vertex[2], mesh->point + 3 * (int64_t)vertex[0], gap);
    }
}

/* Knots and pairs in any mesh */
static inline void planted_few(struct mesh *mesh)
{
    planted_add(mesh, PLANTED_KNOTS, mesh->elements / 5, 0.002);
    planted_add(mesh, PLANTED_PAIRS, mesh->elements / 7, 0.004);
}

/* That this many clusters are in use */
static inline void planted_check(const struct test_case *c, int64_t least)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend_find("cpu", NULL), 1);
    struct monodomain *sim;
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    CHECK(monodomain_report(sim)->clusters.clusters >= least, "%lld clusters: nothing would be tested",
          (long long)monodomain_report(sim)->clusters.clusters);
    monodomain_free(sim);
    queue_free(queue);
}

#endif
