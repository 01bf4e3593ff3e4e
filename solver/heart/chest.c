/* chest.c: the heart's axes in the mesh and in the chest, and the turn from one to the other. */
#include "solver/heart/chest.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/base/vec3.h"
#include "solver/heart/surfaces.h"

/* In the chest x points to the left, y to the back, z to the head, from the heart's centre. mm for a heart
 * whose apex is `apex_depth` from the middle of its left endocardium. */
static const struct chest_electrode chest[CHEST_ELECTRODES] = {
    {"RA", {-180, 0, 160}}, {"LA", {150, 0, 160}},  {"LL", {60, 0, -350}},
    {"V1", {-45, -75, 15}}, {"V2", {5, -80, 15}},   {"V3", {33, -74, -2}},
    {"V4", {62, -62, -20}}, {"V5", {95, -28, -20}}, {"V6", {115, 18, -20}}};
static const double apex_depth = 55;
static const double apex_in_chest[3] = {0.57, -0.45, -0.69}; /* from the left endocardium's middle */
static const double right_in_chest[3] = {-0.7, -0.7, -0.13}; /* from there to the right one's, about */

/* axis[0] along a, [1] along what b has across it, [2] across both; the length of a, 0 where there is none
 */
static double make_axes(double axis[3][3], const double a[3], const double b[3])
{
    double length = sqrt(vec3_dot(a, a)), along = vec3_dot(a, b) / (length * length);
    for (int d = 0; d < 3; d++)
        axis[1][d] = b[d] - along * a[d];
    double across = sqrt(vec3_dot(axis[1], axis[1]));
    if (!(length > 0 && across > 1e-6 * length))
        return 0;
    for (int d = 0; d < 3; d++) {
        axis[0][d] = a[d] / length;
        axis[1][d] /= across;
    }
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        axis[2][d] = axis[0][e] * axis[1][f] - axis[0][f] * axis[1][e];
    }
    return length;
}

/* mean[3] <- of the nodes that have one of the bits; false where none has */
static bool find_middle(double mean[3], const struct mesh *mesh, const uint8_t *on, unsigned bits)
{
    int64_t count = 0;
    memset(mean, 0, 3 * sizeof *mean);
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (bits == 0 || on[i] & bits) {
            count++;
            for (int d = 0; d < 3; d++)
                mean[d] += mesh->point[3 * i + d];
        }
    for (int d = 0; d < 3; d++)
        mean[d] /= (double)count;
    return count > 0;
}

int chest_place(struct chest_electrode electrode[CHEST_ELECTRODES], const struct mesh *mesh,
                const uint8_t *on)
{
    double apex[3], left[3], right[3], centre[3], here[3][3], there[3][3];
    if (!find_middle(apex, mesh, on, 1U << HEART_APEX) || !find_middle(left, mesh, on, 1U << HEART_LV) ||
        !find_middle(right, mesh, on, 1U << HEART_RV) || !find_middle(centre, mesh, on, 0))
        return 0;
    for (int d = 0; d < 3; d++) {
        apex[d] -= left[d];
        right[d] -= left[d];
    }
    double size = make_axes(here, apex, right) / apex_depth;
    if (!(size > 0))
        return 0;
    make_axes(there, apex_in_chest, right_in_chest);
    for (int e = 0; e < CHEST_ELECTRODES; e++) {
        electrode[e] = chest[e];
        for (int d = 0; d < 3; d++) {
            electrode[e].point[d] = centre[d];
            for (int k = 0; k < 3; k++)
                electrode[e].point[d] += size * vec3_dot(there[k], chest[e].point) * here[k][d];
        }
    }
    return CHEST_ELECTRODES;
}
