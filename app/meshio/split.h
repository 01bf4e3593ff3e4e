/* split.h: splits quadrangles into triangles, and hexahedra, wedges and pyramids into tetrahedra.
 *
 * A cell is the cone from its lowest node over the faces without that node, and a quadrangle is split from its
 * lowest node; so two cells split their common face alike, whatever the order of their nodes
 * (Dompierre, Labbe, Vallet and Camarero 1999, "How to subdivide pyramids, prisms and hexahedra into
 * tetrahedra", 8th International Meshing Roundtable). */
#ifndef CARDIAC_APP_MESHIO_SPLIT_H
#define CARDIAC_APP_MESHIO_SPLIT_H

#include <stdint.h>

enum { SPLIT_MOST = 6, SPLIT_NODES = 8 };

/* VTK's numbers of cell types */
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

/* Nodes and dimension of a type; nodes is 0 if it is not supported */
struct split_shape {
    int nodes, dimension;
    const char *name; /* "hexahedra" */
};
struct split_shape split_shape(int type);

/* simplex[] <- the simplices of a cell, dimension + 1 nodes each, with the cell's orientation; returns their number, 1
 * for a simplex */
int split(int type, const int32_t *node, int32_t simplex[SPLIT_MOST][4]);

#endif
