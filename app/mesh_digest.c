/* mesh_digest.c: the bytes of a mesh, array by array, in a machine's own (little-endian) order. */
#include "app/mesh_digest.h"

void mesh_digest(const struct mesh *mesh, char hex[SHA256_HEX])
{
    struct sha256 sha;
    size_t nodes = (size_t)mesh->nodes, elements = (size_t)mesh->elements;
    size_t directions = mesh->fiber_place == PLACE_NODE      ? nodes
                        : mesh->fiber_place == PLACE_ELEMENT ? elements
                                                             : 0;
    int64_t head[5] = {mesh->dimension, mesh->nodes, mesh->elements, mesh->fiber_place,
                       directions && mesh->sheet != NULL};
    sha256_start(&sha);
    sha256_add(&sha, head, sizeof head);
    sha256_add(&sha, mesh->point, nodes * 3 * sizeof *mesh->point);
    sha256_add(&sha, mesh->vertex, elements * ((size_t)mesh->dimension + 1) * sizeof *mesh->vertex);
    sha256_add(&sha, mesh->tag, elements * sizeof *mesh->tag);
    if (directions)
        sha256_add(&sha, mesh->fiber, directions * 3 * sizeof *mesh->fiber);
    if (directions && mesh->sheet)
        sha256_add(&sha, mesh->sheet, directions * 3 * sizeof *mesh->sheet);
    sha256_end(&sha, hex);
}
