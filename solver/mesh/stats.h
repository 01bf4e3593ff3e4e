/* stats.h: statistics of a mesh: size, edges, quality and smallest angles of elements, regions.
 *
 * Quality is the mean ratio (Liu and Joe 1994, "Relationship between tetrahedron shape measures", BIT 34):
 * 12 (3 V)^(2/3) / sum of squared edges for a tetrahedron, 4 sqrt(3) A / sum of squared edges for a triangle;
 * 1 for the regular one, 0 for a flat one. A line has quality 1. */
#ifndef CARDIAC_SOLVER_MESH_STATS_H
#define CARDIAC_SOLVER_MESH_STATS_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* The elements of one tag and one dimension */
struct tag_stats {
    int32_t tag;
    int dimension;
    int64_t elements;
    double measure; /* length, area or volume: mm, mm^2, mm^3 */
};

struct mesh_stats {
    double low[3], high[3]; /* bounding box, mm */
    int64_t edges;
    double edge_min, edge_median, edge_max; /* mm */
    int64_t short_edges;                    /* below a tenth of the median */
    int32_t shortest;                       /* the lower node of the shortest edge */
    double quality_min, quality_median;
    double measure; /* total length, area or volume of the elements of the highest dimension */
    int tags;
    struct tag_stats *tag; /* [tags] ascending by tag, then by dimension */
};

/* Statistics of a mesh that has passed mesh_check. STATUS_RUN if out of memory. */
enum status mesh_stats_create(struct mesh_stats *stats, const struct mesh *mesh, struct error *error);
void mesh_stats_free(struct mesh_stats *stats);
/* *mean <- mean length of all edges, mm. STATUS_RUN if out of memory. */
enum status mesh_mean_edge(const struct mesh *mesh, double *mean, struct error *error);
/* Mean ratio of one element. */
double mesh_quality(const struct mesh *mesh, int64_t element);

enum { MESH_SHAPE_BOUNDS = 4, MESH_SHAPE_WORST = 3 };

extern const double mesh_shape_bound[MESH_SHAPE_BOUNDS]; /* degrees */

struct mesh_shape {
    double least, percent, median;    /* smallest angle of an element, degrees: the minimum, the first
                                         percentile and the median */
    int64_t under[MESH_SHAPE_BOUNDS]; /* elements with a smaller angle than mesh_shape_bound[] */
    int worsts;                       /* number of worst[], ascending by angle */
    struct {
        int64_t element;
        double degrees, quality, centre[3]; /* mm */
    } worst[MESH_SHAPE_WORST];
};

/* The smallest angle between two faces of a tetrahedron, or between two edges of a triangle, in degrees;
 * 60 for a line. Regular ones have 70.5 and 60. */
double mesh_smallest_angle(const struct mesh *mesh, int64_t element);

/* Of a mesh that mesh_check found good. STATUS_RUN if out of memory. */
enum status mesh_shape_create(struct mesh_shape *shape, const struct mesh *mesh, struct error *error);

#endif
