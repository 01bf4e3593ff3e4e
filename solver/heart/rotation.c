/* rotation.c: a harmonic angle about the long axis, its range in the septum, and the coordinates from both.
 */
#include "solver/heart/rotation.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/check.h"

enum { BINS = 1440 }; /* bins per revolution, for finding the septum */
enum wall { WALL_FREE, WALL_SEPTUM, WALL_RIGHT };
static const char what[] = "the rotational coordinate";

/* The long axis, from apex, the left cavity's end, to apex + length up, the centre of its rim at the base */
struct axis {
    double apex[3], up[3], length;
    double side[2][3]; /* right-handed with -up */
};

static double along(const double *direction, const double *from, const double *point)
{
    double to[3];
    vec3_between(to, from, point);
    return vec3_dot(direction, to);
}

/* Finds the axis; false if there is no rim: left endocardium that touches the base */
static bool find_axis(struct axis *axis, const struct mesh *mesh, const uint8_t *on)
{
    const unsigned lv = 1u << HEART_LV, rim = lv | 1u << HEART_BASE;
    double centre[3] = {0, 0, 0}, farthest = 0;
    int64_t nodes = 0, apex = -1;
    for (int64_t i = 0; i < mesh->nodes; i++)
        nodes += (on[i] & rim) == rim;
    for (int64_t i = 0; i < mesh->nodes; i++)
        for (int d = 0; d < 3 && (on[i] & rim) == rim; d++)
            centre[d] += mesh->point[3 * i + d] / (double)nodes;
    for (int64_t i = 0; nodes && i < mesh->nodes; i++) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (mesh->point[3 * i + d] - centre[d]) * (mesh->point[3 * i + d] - centre[d]);
        if (on[i] & lv && square > farthest) {
            farthest = square;
            apex = i;
        }
    }
    if (apex < 0)
        return false;
    int least = 0;
    memcpy(axis->apex, mesh->point + 3 * apex, sizeof axis->apex);
    vec3_between(axis->up, axis->apex, centre);
    axis->length = sqrt(farthest);
    if (!(vec3_normalise(axis->up) > 0))
        return false;
    for (int d = 0; d < 3; d++)
        if (fabs(axis->up[d]) < fabs(axis->up[least]))
            least = d;
    const double other[3] = {least == 0, least == 1, least == 2};
    vec3_cross(axis->side[0], axis->up, other);
    vec3_normalise(axis->side[0]);
    vec3_cross(axis->side[1], axis->side[0], axis->up);
    return true;
}

void rotation_unwrap(double *value, int corners)
{
    for (int c = 1; c < corners; c++)
        value[c] -= floor(value[c] - value[0] + 0.5);
}

double rotation_wrap(double value)
{
    const double wrapped = value - floor(value);
    return wrapped < 1 ? wrapped : 0;
}

/* The change of the angle phi from the point (p[0], p[1]) to q, the shorter way round */
static double change(const double p[2], const double q[2])
{
    return atan2(p[0] * q[1] - p[1] * q[0], p[0] * q[0] + p[1] * q[1]);
}

/* load[] <- -sum_j k_ij d_ij, which adds up to 0 */
static void make_load(double *load, const double *off, const struct laplace *laplace)
{
    const struct csr *k = &laplace->k;
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t q = 0; q < k->rows; q++) {
        const int32_t i = laplace->node[q];
        double sum = 0;
        for (int64_t n = k->start[q]; n < k->start[q + 1]; n++) {
            const int32_t j = laplace->node[k->column[n]];
            sum -=
                k->value[n] * (i < j ? change(off + 2 * i, off + 2 * j) : -change(off + 2 * j, off + 2 * i));
        }
        load[i] = sum;
    }
}

/* theta[nodes] <- angle in revolutions, in [0, 1) */
static enum status solve_angle(double *theta, struct laplace *laplace, const struct axis *axis,
                               const struct mesh *mesh, struct error *error)
{
    const double revolution = 2 * acos(-1.0), first[2] = {1, 0};
    enum status status = STATUS_OK;
    double *off = array_new(2 * mesh->nodes, sizeof *off, what, &status, error);
    double *load = array_new(mesh->nodes, sizeof *load, what, &status, error);
    TRY_DONE(status);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        for (int s = 0; s < 2; s++)
            off[2 * i + s] = along(axis->side[s], axis->apex, mesh->point + 3 * i);
    make_load(load, off, laplace);
    TRY_DONE(laplace_solve_load(laplace, theta, load, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        theta[i] = rotation_wrap((theta[i] + change(first, off + 2 * i)) / revolution);
done:
    free(off);
    free(load);
    return status;
}

/* The mean at an element's corners; if periodic, of a coordinate with period 1, in [0, 1) */
static double mean_of(const double *value, const struct mesh *mesh, int64_t e, bool periodic)
{
    const int corners = mesh_corners(mesh, e);
    double corner[4] = {0}, sum = 0;
    for (int c = 0; c < corners; c++)
        corner[c] = value[mesh->vertex[e * (mesh->dimension + 1) + c]];
    if (periodic)
        rotation_unwrap(corner, corners);
    for (int c = 0; c < corners; c++)
        sum += corner[c];
    return periodic ? rotation_wrap(sum / corners) : sum / corners;
}

/* Points of the right ventricle's wall are nearer to the right cavity, and nearer to the epicardium than
 * to the left cavity; those of the septum are nearer to the right cavity than to the epicardium. */
static enum wall wall_at(double interventricular, double epi, double lv, double rv)
{
    return interventricular > 0.5 && epi < lv ? WALL_RIGHT : rv < epi ? WALL_SEPTUM : WALL_FREE;
}

static enum wall wall_of(const struct coordinates *from, const struct mesh *mesh, int64_t e)
{
    return wall_at(
        mean_of(from->interventricular, mesh, e, false), mean_of(from->distance[HEART_EPI], mesh, e, false),
        mean_of(from->distance[HEART_LV], mesh, e, false), mean_of(from->distance[HEART_RV], mesh, e, false));
}

/* Height as a fraction of the cavity's length, from its end at the apex; negative beyond it */
static double height_of(const struct axis *axis, const struct mesh *mesh, int64_t e)
{
    const int corners = mesh_corners(mesh, e);
    double sum = 0;
    for (int c = 0; c < corners; c++)
        sum += along(axis->up, axis->apex,
                     mesh->point + 3 * (int64_t)mesh->vertex[e * (mesh->dimension + 1) + c]);
    return sum / corners / axis->length;
}

/* *begin, *length <- in revolutions: the arc whose bins have the largest sum, with its ends in the middle
 * of the empty bins around it; false if there is none */
static bool best_arc(double *begin, double *length, const double bin[BINS])
{
    double best = 0;
    int from = 0, count = 0;
    for (int k = 0; k < BINS; k++) {
        double sum = 0;
        for (int n = 1; n < BINS; n++) {
            sum += bin[(k + n - 1) % BINS];
            if (sum > best) {
                best = sum;
                from = k;
                count = n;
            }
        }
    }
    int before = 0, after = 0;
    while (count && before < BINS && bin[(from - 1 - before + 2 * BINS) % BINS] == 0)
        before++;
    while (count && after < BINS && bin[(from + count + after) % BINS] == 0)
        after++;
    *begin = (from - before / 2.0) / BINS;
    *length = (count + (before + after) / 2.0) / BINS;
    return count > 0 && *length < 1;
}

/* The septum's arc of theta; false if there is none */
static bool find_septum(double *begin, double *length, const double *theta, const struct coordinates *from,
                        const struct axis *axis, const struct mesh *mesh)
{
    double bin[BINS] = {0};
    for (int64_t e = 0; e < mesh->elements; e++) {
        const double height = height_of(axis, mesh, e);
        const enum wall wall = wall_of(from, mesh, e);
        if (mesh_corners(mesh, e) <= mesh->dimension || height < 1.0 / 3 || wall == WALL_RIGHT)
            continue;
        bin[(int)(mean_of(theta, mesh, e, true) * BINS) % BINS] +=
            (wall == WALL_SEPTUM ? 1 : -1) * fabs(mesh_measure(mesh, e));
    }
    return best_arc(begin, length, bin);
}

static bool is_one_piece(const struct laplace *laplace)
{
    for (int64_t i = 0; i < laplace->k.rows; i++)
        if (laplace->component[i] != laplace->component[0])
            return false;
    return true;
}

enum status rotation_make(struct coordinates *to, const struct mesh *mesh, const uint8_t *on,
                          struct error *error)
{
    const double free_wall = 2.0 / 3;
    enum status status = STATUS_OK;
    struct axis axis;
    double begin, septum;
    const double *const *distance = (const double *const *)to->distance;
    if (to->rotational || !to->interventricular || !distance[HEART_EPI] || !distance[HEART_LV] ||
        !distance[HEART_RV] || mesh->dimension < 3 || !find_axis(&axis, mesh, on) ||
        !is_one_piece(&to->laplace))
        return STATUS_OK;
    double *theta = array_new(mesh->nodes, sizeof *theta, what, &status, error);
    TRY(status);
    TRY_DONE(solve_angle(theta, &to->laplace, &axis, mesh, error));
    if (!find_septum(&begin, &septum, theta, to, &axis, mesh))
        goto done;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++) {
        const double from = rotation_wrap(theta[i] - begin); /* the anterior junction */
        const double r = from < septum ? free_wall + from / septum * (1 - free_wall)
                                       : (from - septum) / (1 - septum) * free_wall;
        theta[i] = rotation_wrap(r);
    }
    to->rotational = theta;
    theta = NULL;
done:
    free(theta);
    return status;
}

/* 0 = none */
static int segment_at(double height, double rotational, enum wall wall)
{
    enum { BASAL = 6, APICAL = 4 };
    const double revolution =
        rotational + 2.0 / 3; /* angle in a bull's eye from its right side, inferior at 3/4 */
    if (wall == WALL_RIGHT)
        return 0;
    if (height < 0)
        return 17;
    if (height < 1.0 / 3)
        return 13 + (int)floor((revolution - 1.0 / 8) * APICAL) % APICAL;
    return (height < 2.0 / 3 ? 7 : 1) + (int)floor((revolution - 1.0 / 6) * BASAL) % BASAL;
}

enum status rotation_segments(double *segment, const struct coordinates *from, const struct mesh *mesh,
                              const uint8_t *on, enum location location, struct error *error)
{
    const double *const *distance = (const double *const *)from->distance;
    struct axis axis;
    if (!find_axis(&axis, mesh, on))
        return error_set(error, STATUS_INPUT, "the surface lv does not meet the base");
    if (location == LOCATION_NODE) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            segment[i] =
                segment_at(along(axis.up, axis.apex, mesh->point + 3 * i) / axis.length, from->rotational[i],
                           wall_at(from->interventricular[i], distance[HEART_EPI][i], distance[HEART_LV][i],
                                   distance[HEART_RV][i]));
        return STATUS_OK;
    }
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++)
        segment[e] = segment_at(height_of(&axis, mesh, e), mean_of(from->rotational, mesh, e, true),
                                wall_of(from, mesh, e));
    return STATUS_OK;
}
