/* split.c: the faces of each cell type, and cones over them. */
#include "app/meshio/split.h"

#include <string.h>

enum { FACES = 6 };

static const struct split_shape shapes[SPLIT_TYPES] = {
    [SPLIT_VERTEX] = {1, 0, "points"},      [SPLIT_LINE] = {2, 1, "lines"},
    [SPLIT_TRIANGLE] = {3, 2, "triangles"}, [SPLIT_PIXEL] = {4, 2, "quadrangles"},
    [SPLIT_QUAD] = {4, 2, "quadrangles"},   [SPLIT_TETRA] = {4, 3, "tetrahedra"},
    [SPLIT_VOXEL] = {8, 3, "hexahedra"},    [SPLIT_HEXAHEDRON] = {8, 3, "hexahedra"},
    [SPLIT_WEDGE] = {6, 3, "wedges"},       [SPLIT_PYRAMID] = {5, 3, "pyramids"}};

/* Corners of each face as seen from outside, counterclockwise; -1 = no more */
static const int hexahedron[FACES][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
static const int wedge[FACES][4] = {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1},
                                    {1, 4, 5, 2},  {2, 5, 3, 0},  {-1, -1, -1, -1}};
static const int pyramid[FACES][4] = {{0, 3, 2, 1},  {0, 1, 4, -1}, {1, 2, 4, -1},
                                      {2, 3, 4, -1}, {3, 0, 4, -1}, {-1, -1, -1, -1}};

struct split_shape split_shape(int type)
{
    return type > 0 && type < SPLIT_TYPES ? shapes[type] : (struct split_shape){0};
}

/* triangle[] <- a face of 3 or 4 nodes, split from its lowest; returns how many */
static int divide_face(const int32_t *node, int corners, int32_t triangle[2][4])
{
    int low = 0;
    for (int c = 1; c < corners; c++)
        low = node[c] < node[low] ? c : low;
    for (int t = 0; t < corners - 2; t++) {
        triangle[t][0] = node[low];
        triangle[t][1] = node[(low + t + 1) % corners];
        triangle[t][2] = node[(low + t + 2) % corners];
    }
    return corners - 2;
}

/* out[] <- the nodes of a face; returns how many, 0 if the apex is one of them */
static int away_from(const int face[4], const int32_t *node, int32_t apex, int32_t out[4])
{
    int corners = 0;
    while (corners < 4 && face[corners] >= 0) {
        out[corners] = node[face[corners]];
        if (out[corners++] == apex)
            return 0;
    }
    return corners;
}

static int split_cone(const int faces[FACES][4], const int32_t *node, int corners,
                      int32_t simplex[SPLIT_MOST][4])
{
    int count = 0;
    int32_t apex = node[0];
    for (int c = 1; c < corners; c++)
        apex = node[c] < apex ? node[c] : apex;
    for (int f = 0; f < FACES; f++) {
        int32_t own[4], triangle[2][4];
        int size = away_from(faces[f], node, apex, own);
        int triangles = size ? divide_face(own, size, triangle) : 0;
        for (int t = 0; t < triangles && count < SPLIT_MOST; t++, count++) {
            simplex[count][0] = apex;
            memcpy(&simplex[count][1], triangle[t], 3 * sizeof **triangle);
        }
    }
    return count;
}

int split(int type, const int32_t *node, int32_t simplex[SPLIT_MOST][4])
{
    const int32_t pixel[4] = {node[0], node[1], type == SPLIT_PIXEL ? node[3] : 0,
                              type == SPLIT_PIXEL ? node[2] : 0};
    switch (type) {
    case SPLIT_QUAD:
        return divide_face(node, 4, simplex);
    case SPLIT_PIXEL:
        return divide_face(pixel, 4, simplex);
    case SPLIT_HEXAHEDRON:
        return split_cone(hexahedron, node, 8, simplex);
    case SPLIT_VOXEL:
        return split_cone(
            hexahedron,
            (const int32_t[]){node[0], node[1], node[3], node[2], node[4], node[5], node[7], node[6]}, 8,
            simplex);
    case SPLIT_WEDGE:
        return split_cone(wedge, node, 6, simplex);
    case SPLIT_PYRAMID:
        return split_cone(pyramid, node, 5, simplex);
    default:
        memcpy(simplex[0], node, (size_t)shapes[type].nodes * sizeof *node);
        return 1;
    }
}
