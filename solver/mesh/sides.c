/* sides.c: simplices are listed at their lowest node; each element looks through the lists of its nodes. */
#include "solver/mesh/sides.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static int32_t lowest(const int32_t *node, int corners)
{
    int32_t low = node[0];
    for (int c = 1; c < corners; c++)
        low = node[c] < low ? node[c] : low;
    return low;
}

/* first[nodes + 2], list[] <- the simplices of each lowest node: list[first[a]] .. list[first[a + 1] - 1] */
static void list_sides(int64_t *first, int64_t *list, int64_t nodes, const int32_t *side, int corners,
                       int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        first[lowest(side + i * corners, corners) + 2]++;
    for (int64_t a = 0; a < nodes; a++)
        first[a + 2] += first[a + 1];
    for (int64_t i = 0; i < count; i++)
        list[first[lowest(side + i * corners, corners) + 1]++] = i;
}

static bool has_all(const int32_t *vertex, int vertices, const int32_t *node, int corners)
{
    for (int c = 0; c < corners; c++) {
        bool has = false;
        for (int v = 0; v < vertices; v++)
            has = has || vertex[v] == node[c];
        if (!has)
            return false;
    }
    return true;
}

enum status mesh_sides_find(uint8_t *on, const struct mesh *mesh, const int32_t *side, int corners,
                            int64_t count, struct error *error)
{
    int vertices = mesh->dimension + 1;
    enum status status = STATUS_OK;
    int64_t *first = array_zeroed(mesh->nodes + 2, sizeof *first, "the sides of elements", &status, error);
    int64_t *list = array_new(count, sizeof *list, "the sides of elements", &status, error);
    TRY_DONE(status);
    memset(on, 0, (size_t)count);
    list_sides(first, list, mesh->nodes, side, corners, count);
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * vertices;
        for (int v = 0; v < vertices; v++)
            for (int64_t k = first[vertex[v]]; k < first[vertex[v] + 1]; k++)
                if (has_all(vertex, vertices, side + list[k] * corners, corners))
#pragma omp atomic write
                    on[list[k]] = 1;
    }
done:
    free(first);
    free(list);
    return status;
}
