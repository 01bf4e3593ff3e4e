/* repair.h: mend a mesh: join nodes, collapse short edges, remove elements given twice and nodes of no
 * element.
 *
 * Nodes are taken in ascending order and the lowest of those that become one stays where it is, so that the
 * result is the same on any machine, and repairing it again changes nothing. Nodes are never joined whose
 * elements have different tags or, by `merge`, that an element joins, unless `across`: two layers at one
 * place, or a cut in the tissue, are meant. */
#ifndef CARDIAC_SOLVER_MESH_REPAIR_H
#define CARDIAC_SOLVER_MESH_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

struct mesh_repair {
    double merge;    /* mm: nodes at most so far from a lower one become that one; 0 = none */
    double collapse; /* mm: edges below it become a node, if no element around is folded; then elements of no
                        length, area or volume go; 0 = none */
    bool across, duplicates, loose;
};

/* What was done, and what was left, with the first node of it (of the given mesh; -1 = none) */
struct mesh_repaired {
    int64_t merged;                 /* nodes that became another one */
    int64_t apart, apart_node;      /* nodes near another one, left for their tags or an element */
    int64_t collapsed;              /* edges */
    int64_t short_edges, edge_node; /* left: an element would be folded, or tags differ */
    int64_t repeated;               /* elements removed since two of their nodes became or were one, */
    int64_t flat, duplicates;       /* and others */
    int64_t loose;                  /* nodes of no element removed */
    int64_t orphans;                /* nodes removed with their last element */
    int32_t *place;                 /* [nodes of the given mesh] their numbers now, -1 of those removed */
};

/* *mesh <- mended, with all that it has at nodes, elements and faces, and, where anything changed, with their
 * old numbers in the arrays old_node and old_element unless it has those. Its vertices are in range and its
 * numbers finite (mesh_check). STATUS_RUN without memory, STATUS_INPUT if nothing would be left. */
enum status mesh_repair(struct mesh *mesh, const struct mesh_repair *wanted, struct mesh_repaired *done,
                        struct error *error);
void mesh_repaired_free(struct mesh_repaired *done);

#endif
