/* parts.c: union-find by all threads at once. */
#include "solver/mesh/parts.h"

#include <stdbool.h>

static int32_t parent_of(const int32_t *parent, int32_t i)
{
    return __atomic_load_n(&parent[i], __ATOMIC_RELAXED);
}

/* Union-find: the root of i, its path halved on the way. What other threads write meanwhile is an ancestor,
 * too: a parent is never higher than its child. */
static int32_t root_of(int32_t *parent, int32_t i)
{
    for (int32_t up; (up = parent_of(parent, i)) != i; i = up) {
        up = parent_of(parent, up);
        __atomic_store_n(&parent[i], up, __ATOMIC_RELAXED);
    }
    return i;
}

/* The lower root becomes the other's parent, if that is a root still */
static void unite(int32_t *parent, int32_t a, int32_t b)
{
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        int32_t low = a < b ? a : b, high = a < b ? b : a;
        if (a == b || __atomic_compare_exchange_n(&parent[high], &(int32_t){high}, low, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
    }
}

void mesh_parts(int32_t *part, const struct mesh *mesh)
{
    int corners = mesh->dimension + 1;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            part[i] = -1;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->elements * corners; i++)
            __atomic_store_n(&part[mesh->vertex[i]], mesh->vertex[i], __ATOMIC_RELAXED);
#pragma omp for schedule(static)
        for (int64_t e = 0; e < mesh->elements; e++)
            for (int c = 1; c < corners; c++)
                unite(part, mesh->vertex[e * corners], mesh->vertex[e * corners + c]);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            if (part[i] >= 0)
                __atomic_store_n(&part[i], root_of(part, (int32_t)i), __ATOMIC_RELAXED);
    }
}
