/* edges.c: a counting sort by the lower node, then a short sort for each node. O(elements) memory; O(log
 * n) time per edge, n the edges of a node. */
#include "solver/mesh/edges.h"

#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"

/* Visits each edge of each element; with other = NULL only counts into first[lower + 1]. */
static void visit(const struct mesh *mesh, int64_t *first, int32_t *other)
{
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int corners = mesh_corners(mesh, e);
        const int32_t *vertex = mesh->vertex + (mesh->dimension + 1) * e;
        for (int i = 0; i < corners; i++)
            for (int j = i + 1; j < corners; j++) {
                int32_t a = vertex[i], b = vertex[j];
                int32_t low = a < b ? a : b, high = a < b ? b : a;
                if (other)
                    other[first[low]++] = high;
                else
                    first[low + 1]++;
            }
    }
}

/* Sorts each node's list, removes duplicates and closes the gaps; on entry first[a] is the end of list a. */
static int64_t compact(int64_t nodes, int64_t *first, int32_t *other)
{
    int64_t begin = 0, kept = 0;
    for (int64_t a = 0; a < nodes; a++) {
        int64_t end = first[a];
        qsort(other + begin, (size_t)(end - begin), sizeof *other, compare_int32);
        first[a] = kept;
        for (int64_t k = begin; k < end; k++)
            if (k == begin || other[k] != other[k - 1])
                other[kept++] = other[k];
        begin = end;
    }
    first[nodes] = kept;
    return kept;
}

enum status mesh_edges_create(struct mesh_edges *edges, const struct mesh *mesh, struct error *error)
{
    int64_t all = mesh->elements * mesh->dimension * (mesh->dimension + 1) / 2;
    enum status status = STATUS_OK;
    const char *what = "the edges of the mesh";
    edges->first = array_zeroed(mesh->nodes + 1, sizeof *edges->first, what, &status, error);
    edges->other = array_new(all, sizeof *edges->other, what, &status, error);
    if (status) {
        mesh_edges_free(edges);
        return status;
    }
    visit(mesh, edges->first, NULL);
    for (int64_t a = 0; a < mesh->nodes; a++)
        edges->first[a + 1] += edges->first[a];
    visit(mesh, edges->first, edges->other);
    edges->count = compact(mesh->nodes, edges->first, edges->other);
    return STATUS_OK;
}

void mesh_edges_free(struct mesh_edges *edges)
{
    free(edges->first);
    free(edges->other);
    *edges = (struct mesh_edges){0};
}

int64_t mesh_edges_find(const struct mesh_edges *edges, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    int64_t from = edges->first[low], to = edges->first[low + 1];
    if (from == to)
        return -1;
    while (to - from > 1) {
        int64_t middle = from + (to - from) / 2;
        if (edges->other[middle] <= high)
            from = middle;
        else
            to = middle;
    }
    return edges->other[from] == high ? from : -1;
}
