/* septum.h: an ellipsoid's wall with a septum, of which each place around it is known. */
#ifndef CARDIAC_TESTS_SUPPORT_SEPTUM_H
#define CARDIAC_TESTS_SUPPORT_SEPTUM_H

#include <math.h>

#include "solver/mesh/generate.h"
#include "tests/support/check.h"

/* Marks of its faces towards the right ventricle, and of those around them, which are on no surface: as wide
 * as the wall is thick, as if the wall of the right ventricle were attached there */
enum { SEPTUM_RV = 4, SEPTUM_GROOVE };

/* A left ventricle (7 mm, 17 mm, 3 mm) whose septum is within 60 degrees of -x */
static inline void make_septum(struct mesh *mesh, double edge)
{
    struct error error = {0};
    CHECK_OK(mesh_ellipsoid(mesh, (double[3]){7, 17, 3}, edge, &error), error);
    for (int64_t f = 0; f < mesh->faces; f++) {
        double x[3] = {0};
        for (int k = 0; k < 9; k++)
            x[k % 3] += mesh->point[3 * (int64_t)mesh->face[3 * f + k / 3] + k % 3] / 3;
        const double off = acos(-x[0] / sqrt(x[0] * x[0] + x[1] * x[1])) * 180 / acos(-1.0);
        if (mesh->mark[f] == MESH_EPI && off < 84 && x[2] > -14)
            mesh->mark[f] = off < 36 && x[2] > -10 ? SEPTUM_RV : SEPTUM_GROOVE;
    }
}

/* The rotational coordinate there. Seen from the apex with the septum at the left, the front is above: at -y.
 */
static inline double septum_rotational(const double *point)
{
    const double turn = -atan2(point[1], point[0]) / (2 * acos(-1.0)) - 2.0 / 3;
    return turn - floor(turn);
}

/* The segment, whose border around is *away turns off, and that above or below *off of the cavity's length */
static inline int septum_segment(const double *point, double *away, double *off)
{
    const double height = (point[2] + 17) / (1.25 * 17);
    const int segments = height < 1.0 / 3 ? 4 : 6, first = height < 1.0 / 3 ? 13 : height < 2.0 / 3 ? 7 : 1;
    const double from = (septum_rotational(point) + (segments == 4 ? 13.0 / 24 : 0.5)) * segments;
    *away = fabs(from - round(from)) / segments;
    *off = fabs(height - round(3 * height) / 3);
    return height < 0 ? 17 : first + (int)floor(from) % segments;
}

#endif
