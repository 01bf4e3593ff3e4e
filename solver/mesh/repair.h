/* repair.h: repairs a mesh: merges nodes, collapses short edges, removes duplicate elements and nodes of
 * no element.
 *
 * Nodes are visited in ascending order, and the lowest of merged nodes keeps its position, so the result
 * is the same on any machine, and a second repair changes nothing. Unless `across` is set, two nodes are
 * not merged if their elements have different tags, nor by `merge` if an element contains both: two layers
 * at one position, or a cut in the tissue, are intended. */
#ifndef CARDIAC_SOLVER_MESH_REPAIR_H
#define CARDIAC_SOLVER_MESH_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

struct mesh_repair {
    double merge;    /* mm: nodes within this distance of a lower one are merged with it; 0 = none */
    double collapse; /* mm: shorter edges are collapsed to a node unless this inverts an element; then
                        elements of zero length, area or volume are removed; 0 = none */
    bool across, duplicates, loose;
};

/* Counts of what was done and not done, each with its first node (of the original mesh; -1 = none) */
struct mesh_repaired {
    int64_t merged;                 /* nodes merged into another one */
    int64_t apart, apart_node;      /* nodes within the distance of another one, not merged because of
                                       their tags or a common element */
    int64_t collapsed;              /* edges collapsed */
    int64_t short_edges, edge_node; /* edges not collapsed, because an element would be inverted or tags
                                       differ */
    int64_t repeated;               /* elements removed because two of their nodes were merged or equal */
    int64_t flat, duplicates;       /* elements removed: of zero measure, and duplicates */
    int64_t loose;                  /* nodes of no element, removed */
    int64_t orphans;                /* nodes removed because their last element was */
    int32_t *new_index;             /* [nodes of the original mesh] new numbers, -1 if removed */
};

/* Repairs *mesh, with all arrays at nodes, elements and faces. If anything changed, the arrays old_node
 * and old_element hold the original numbers, unless the mesh already has arrays of these names. Vertices
 * must be in range and coordinates finite (mesh_check). STATUS_RUN if out of memory, STATUS_INPUT if
 * nothing would be left. */
enum status mesh_repair(struct mesh *mesh, const struct mesh_repair *wanted, struct mesh_repaired *done,
                        struct error *error);
void mesh_repaired_free(struct mesh_repaired *done);

#endif
