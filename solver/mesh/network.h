/* network.h: joins lines, such as a Purkinje tree, to a mesh of tissue.
 *
 * The joined mesh has the nodes and elements of the tissue, then those of the lines, then the junctions:
 * lines from an end, their first vertex, to nodes of the tissue. */
#ifndef CARDIAC_SOLVER_MESH_NETWORK_H
#define CARDIAC_SOLVER_MESH_NETWORK_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

struct network {
    struct mesh lines; /* of dimension 1; its node 0 is the root, which is not joined */
    int32_t tag;       /* of its lines, */
    int32_t junction;  /* and of junctions, to all nodes of the tissue within radius; 0 = none */
    bool fused;        /* an end becomes the nearest of these nodes instead */
    double radius;     /* mm */
};

/* The result of joining */
struct network_report {
    int64_t trees, loose; /* connected parts of lines; those without any junction */
    int64_t ends, free;   /* ends to be joined; those without tissue in reach */
    int64_t junctions;    /* lines that were added */
    int64_t doubles;      /* nodes of lines at the position of another line's node, but not the same */
    double farthest;      /* mm, from a free end to the nearest node of the tissue; 0 = no free end */
    double least, most;   /* mm, from an end to the nearest node that it is joined to */
};

/* *mesh <- joined with the lines; no vertex of `lines` and no tag of the tissue changes. *report <- of
 * these lines. Errors: STATUS_INPUT if `lines` has other elements; STATUS_RUN without memory. */
enum status mesh_join_network(struct mesh *mesh, const struct network *network, struct network_report *report,
                              struct error *error);

#endif
