/* network.h: joins lines, such as a Purkinje tree, to a mesh of tissue.
 *
 * The joined mesh contains the nodes and elements of the tissue, then those of the lines, then the
 * junctions: lines whose first vertex is an end of the network and whose second is a node of the tissue. */
#ifndef CARDIAC_SOLVER_MESH_NETWORK_H
#define CARDIAC_SOLVER_MESH_NETWORK_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

struct network {
    struct mesh lines; /* of dimension 1; its node 0 is the root, which is not joined */
    int32_t tag;       /* tag of the lines */
    int32_t junction;  /* tag of the junctions, from each end to all tissue nodes within radius; 0 = none */
    bool fused;        /* no junctions: each end is merged with the nearest of these nodes */
    double radius;     /* mm */
};

/* The result of joining */
struct network_report {
    int64_t trees, loose; /* connected components of the lines; those without a joined end */
    int64_t ends, free;   /* ends of lines except the root; those with no tissue node within radius */
    int64_t junctions;    /* lines added */
    int64_t doubles;      /* line nodes at the position of an earlier line node */
    double farthest;      /* mm, largest distance from a free end to the nearest tissue node; 0 = no free
                             end */
    double least, most;   /* mm, least and largest distance from a joined end to the nearest node that it
                             is joined to */
};

/* *mesh <- the joined mesh; the vertices of `lines` and the tags of the tissue do not change. *report <-
 * what was joined. Errors: STATUS_INPUT if `lines` has other elements than lines; STATUS_RUN if out of
 * memory. */
enum status mesh_join_network(struct mesh *mesh, const struct network *network, struct network_report *report,
                              struct error *error);

#endif
