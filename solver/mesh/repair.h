/* repair.h: repairs a mesh: merges nodes, collapses short edges, removes elements given twice and nodes of no
 * element.
 *
 * Nodes are visited in ascending order, and the lowest of merged nodes keeps its position, so that the
 * result is the same on any machine, and a second repair changes nothing. Unless `across`, nodes are never
 * merged whose elements have different tags or, by `merge`, that an element joins: two layers at one
 * position, or a cut in the tissue, are intended. */
#ifndef CARDIAC_SOLVER_MESH_REPAIR_H
#define CARDIAC_SOLVER_MESH_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

struct mesh_repair {
    double merge;    /* mm: nodes within this distance of a lower one become that one; 0 = none */
    double collapse; /* mm: shorter edges become a node, if no element around is inverted; then elements
                      * without length, area or volume are removed; 0 = none */
    bool across, duplicates, loose;
};

/* Counts of what was done and not done, each with its first node (of the given mesh; -1 = none) */
struct mesh_repaired {
    int64_t merged;                 /* nodes merged into another one */
    int64_t apart, apart_node;      /* nodes near another one, not merged because of their tags or an
                                     * element */
    int64_t collapsed;              /* edges */
    int64_t short_edges, edge_node; /* not collapsed: an element would be inverted, or tags differ */
    int64_t repeated;               /* elements removed because two of their nodes were merged or equal, */
    int64_t flat, duplicates;       /* and others */
    int64_t loose;                  /* removed nodes of no element */
    int64_t orphans;                /* nodes removed with their last element */
    int32_t *new_index;             /* [nodes of the given mesh] new numbers, -1 if removed */
};

/* *mesh <- repaired, with all arrays at nodes, elements and faces; if anything changed, the old numbers
 * are in the arrays old_node and old_element unless it has those. Its vertices must be in range and its
 * numbers finite (mesh_check). STATUS_RUN without memory, STATUS_INPUT if nothing would be left. */
enum status mesh_repair(struct mesh *mesh, const struct mesh_repair *wanted, struct mesh_repaired *done,
                        struct error *error);
void mesh_repaired_free(struct mesh_repaired *done);

#endif
