/* stiffest.c: finds the row, measures the elements of its node, and compares it with the median. */
#include "solver/step/stiffest.h"

#include <math.h>
#include <stdio.h>

#include "solver/mesh/stats.h"

static const double FAR_FROM_TYPICAL = 20, STIFF = 100;

/* The shortest edge and the smallest angle at a node */
static void measure_node(struct stiffest_node *stiffest, const struct mesh *mesh, int64_t node)
{
    const int corners = mesh->dimension + 1;
    const double *at = mesh->point + 3 * node;
    stiffest->edge = HUGE_VAL;
    stiffest->angle = HUGE_VAL;
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + corners * e;
        bool has = false;
        for (int c = 0; c < corners; c++)
            has = has || vertex[c] == node;
        if (!has)
            continue;
        stiffest->angle = fmin(stiffest->angle, mesh_smallest_angle(mesh, e));
        for (int c = 0; c < corners; c++)
            if (vertex[c] != node)
                stiffest->edge =
                    fmin(stiffest->edge, mesh_distance(at, mesh->point + 3 * (int64_t)vertex[c]));
    }
    for (int d = 0; d < 3; d++)
        stiffest->point[d] = at[d];
}

void stiffest_find(struct stiffest_node *stiffest, const struct rows *rows, const struct system *system,
                   const struct mesh *mesh, const struct partition *partition)
{
    const struct comm *comm = partition->comm;
    uint64_t first = 0, root = 0; /* ~ the node's number, 0 = none */
    double most = 0;
    for (int64_t i = 0; i < system->k.rows; i++)
        if (system_has(system, i))
            most = fmax(most, rows->diagonal[i] / system->lumped[i]);
    most = system_most(system, most);
    for (int64_t i = system->k.rows - 1; i >= 0; i--)
        if (system_has(system, i) && rows->diagonal[i] / system->lumped[i] == most)
            first = ~(uint64_t)partition_number(partition, i);
    const uint64_t own = first;
    comm->engine->largest(comm, COMM_STEPS, &first, 1);
    root = own == first ? (uint64_t)comm->rank : 0;
    comm->engine->largest(comm, COMM_STEPS, &root, 1);
    *stiffest = (struct stiffest_node){.node = first ? (int64_t)~first : -1, .rate = most - 1};
    if ((uint64_t)comm->rank == root && first)
        measure_node(stiffest, mesh, partition_find(partition, stiffest->node));
    comm->engine->broadcast(comm, COMM_STEPS, (int)root, stiffest, sizeof *stiffest);
    stiffest->typical = rows_quantile(system, rows->diagonal, system->lumped, 0.5) - 1;
}

const char *stiffest_blame(char text[STIFFEST_TEXT], const struct stiffest_node *s)
{
    text[0] = 0;
    if (s->node >= 0 && s->rate > FAR_FROM_TYPICAL * fmax(s->typical, 1))
        snprintf(text, STIFFEST_TEXT,
                 "node %lld at (%.6g, %.6g, %.6g) mm is the cause: its shortest edge is %.3g mm and the "
                 "smallest angle of its "
                 "elements %.3g degrees, which makes it %.2g times as stiff as most; `cardiac mesh repair IN "
                 "OUT --collapse "
                 "LENGTH` removes short edges",
                 (long long)s->node, s->point[0], s->point[1], s->point[2], s->edge, s->angle,
                 s->rate / fmax(s->typical, 1e-300));
    else if (s->typical > STIFF)
        snprintf(text, STIFFEST_TEXT,
                 "most nodes are as stiff: in one step the conductivity reaches over %.2g edges, such as "
                 "those of %.3g mm at node "
                 "%lld; are mesh.scale, the conductivities and time.step right?",
                 sqrt(s->typical), s->edge, (long long)s->node);
    return text;
}
