/* mesh.c: the arrays of a mesh. */
#include "solver/mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

void mesh_free(struct mesh *mesh)
{
    free(mesh->point);
    free(mesh->vertex);
    free(mesh->tag);
    free(mesh->fiber);
    free(mesh->sheet);
    memset(mesh, 0, sizeof *mesh);
}

enum status mesh_allocate(struct mesh *mesh, int with_sheet, struct error *error)
{
    if (mesh->nodes > INT32_MAX)
        return error_set(error, STATUS_INPUT, "the mesh has %lld nodes; at most %d are possible",
                         (long long)mesh->nodes, INT32_MAX);
    size_t nodes = (size_t)mesh->nodes, elements = (size_t)mesh->elements;
    size_t corners = (size_t)mesh->dimension + 1;
    size_t directions = mesh->fiber_location == LOCATION_NODE      ? nodes
                        : mesh->fiber_location == LOCATION_ELEMENT ? elements
                                                                   : 0;
    mesh->point = calloc(nodes * 3 + 1, sizeof *mesh->point);
    mesh->vertex = calloc(elements * corners + 1, sizeof *mesh->vertex);
    mesh->tag = calloc(elements + 1, sizeof *mesh->tag);
    mesh->fiber = directions ? calloc(directions * 3, sizeof *mesh->fiber) : NULL;
    mesh->sheet = directions && with_sheet ? calloc(directions * 3, sizeof *mesh->sheet) : NULL;
    if (mesh->point && mesh->vertex && mesh->tag && (!directions || mesh->fiber) &&
        (!directions || !with_sheet || mesh->sheet))
        return STATUS_OK;
    mesh_free(mesh);
    return error_memory(error, "the mesh", 24.0 * (double)nodes + 4.0 * (double)(elements * (corners + 1)));
}

double mesh_counts_bytes(int dimension, double nodes, double elements)
{
    return nodes * 3 * sizeof(double) + elements * (dimension + 2) * (double)sizeof(int32_t);
}

double mesh_bytes(const struct mesh *mesh)
{
    double nodes = (double)mesh->nodes, elements = (double)mesh->elements;
    double directions = mesh->fiber_location == LOCATION_NODE ? nodes : elements;
    return mesh_counts_bytes(mesh->dimension, nodes, elements) +
           24 * directions * ((mesh->fiber != NULL) + (mesh->sheet != NULL));
}
