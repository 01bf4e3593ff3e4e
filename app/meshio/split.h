/* split.h: splits quadrangles into triangles, and hexahedra, wedges and pyramids into tetrahedra.
 *
 * A cell is the cone from its lowest node over the faces that do not have it, and a quadrangle is parted from
 * its own lowest node; so two cells part the face between them alike, whatever order their nodes come in
 * (Dompierre, Labbe, Vallet and Camarero 1999, "How to subdivide pyramids, prisms and hexahedra into
 * tetrahedra", 8th International Meshing Roundtable). */
#ifndef CARDIAC_APP_MESHIO_SPLIT_H
#define CARDIAC_APP_MESHIO_SPLIT_H

#include <stdint.h>

enum { SPLIT_MOST = 6, SPLIT_NODES = 8 };

/* Numbers of cell types as VTK's files have them */
enum split_cell {
    SPLIT_VERTEX = 1,
    SPLIT_LINE = 3,
    SPLIT_TRIANGLE = 5,
    SPLIT_PIXEL = 8,
    SPLIT_QUAD = 9,
    SPLIT_TETRA = 10,
    SPLIT_VOXEL = 11,
    SPLIT_HEXAHEDRON = 12,
    SPLIT_WEDGE = 13,
    SPLIT_PYRAMID = 14,
    SPLIT_TYPES = 15
};

/* Nodes and dimension of that type; nodes is 0 for one that cannot be used */
struct split_shape {
    int nodes, dimension;
    const char *name; /* "hexahedra" */
};
struct split_shape split_shape(int type);

/* simplex[] <- its simplices, dimension + 1 nodes each, positive where the cell is; returns how many: 1 for a
 * simplex itself */
int split(int type, const int32_t *node, int32_t simplex[SPLIT_MOST][4]);

#endif
