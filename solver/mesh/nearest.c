/* nearest.c: a binary tree over the items' centres, bisected along the longest side of their bounding box.
 * Leaf l of the tree contains the items [l items / leaves, (l + 1) items / leaves) of its order. */
#include "solver/mesh/nearest.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "kernels/base/vec3.h"

enum { LEAF_ITEMS = 6, TASK_LEAVES = 256 };

static const double *corner(const struct nearest *nearest, int64_t item, int c)
{
    return nearest->point + 3 * (int64_t)nearest->node[item * nearest->corners + c];
}

/* The point of the triangle abc nearest to the origin is a + s (b - a) + t (c - a); returns its squared
 * distance, and weight[3] <- its weights of a, b, c unless NULL. */
static double triangle_square(const double a[3], const double b[3], const double c[3], double *weight)
{
    double u[3], v[3], best = HUGE_VAL;
    const double *end[4] = {a, b, c, a};
    vec3_between(u, a, b);
    vec3_between(v, a, c);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v), au = vec3_dot(a, u),
           av = vec3_dot(a, v);
    double area = uu * vv - uv * uv, s = (uv * av - vv * au) / area, t = (uv * au - uu * av) / area;
    if (area > 0 && s >= 0 && t >= 0 && s + t <= 1) {
        double foot[3];
        for (int d = 0; d < 3; d++)
            foot[d] = a[d] + s * u[d] + t * v[d];
        if (weight)
            memcpy(weight, (const double[3]){1 - s - t, s, t}, 3 * sizeof *weight);
        return vec3_dot(foot, foot);
    }
    for (int k = 0; k < 3; k++) { /* else on a side */
        double side[3], foot[3];
        vec3_between(side, end[k], end[k + 1]);
        double length = vec3_dot(side, side), along = length > 0 ? -vec3_dot(end[k], side) / length : 0;
        along = along < 0 ? 0 : along > 1 ? 1 : along;
        for (int d = 0; d < 3; d++)
            foot[d] = end[k][d] + along * side[d];
        double square = vec3_dot(foot, foot);
        if (weight && square < best) {
            weight[k] = 1 - along;
            weight[(k + 1) % 3] = along;
            weight[(k + 2) % 3] = 0;
        }
        best = fmin(best, square);
    }
    return best;
}

static double determinant(const double a[3], const double b[3], const double c[3])
{
    double product[3];
    vec3_cross(product, b, c);
    return vec3_dot(a, product);
}

static const int side[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

/* share[4] <- barycentric coordinates of the origin in a positively oriented tetrahedron, times its
 * volume; true if inside */
static bool weigh_inside(double at[4][3], double share[4])
{
    bool inside = true;
    for (int k = 0; k < 4; k++) {
        share[k] = (k % 2 ? -1 : 1) * determinant(at[side[k][0]], at[side[k][1]], at[side[k][2]]);
        inside = inside && share[k] >= 0;
    }
    return inside;
}

/* The squared distance of a tetrahedron from the origin: 0 inside, else to the nearest point of a face */
static double tetrahedron_square(double at[4][3], double *weight)
{
    double share[4], best = HUGE_VAL;
    if (weigh_inside(at, share)) {
        for (int k = 0; k < 4 && weight; k++)
            weight[k] = share[k] / (share[0] + share[1] + share[2] + share[3]);
        return 0;
    }
    for (int k = 0; k < 4; k++) {
        double of[3];
        double square = triangle_square(at[side[k][0]], at[side[k][1]], at[side[k][2]], weight ? of : NULL);
        if (weight && square < best) {
            weight[k] = 0;
            for (int c = 0; c < 3; c++)
                weight[side[k][c]] = of[c];
        }
        best = fmin(best, square);
    }
    return best;
}

static void put_corners(double at[4][3], const struct nearest *nearest, int64_t item, const double x[3])
{
    for (int c = 0; c < nearest->corners; c++)
        vec3_between(at[c], x, corner(nearest, item, c));
}

/* weight[corners] <- unless NULL */
static double item_square(const struct nearest *nearest, int64_t item, const double x[3], double *weight)
{
    double at[4][3];
    put_corners(at, nearest, item, x);
    if (nearest->corners == 1 && weight)
        weight[0] = 1;
    return nearest->corners == 1   ? vec3_dot(at[0], at[0])
           : nearest->corners == 3 ? triangle_square(at[0], at[1], at[2], weight)
                                   : tetrahedron_square(at, weight);
}

/* Whether x is inside a tetrahedron; true for other items */
static bool may_hold(const struct nearest *nearest, int64_t item, const double x[3])
{
    double at[4][3], share[4];
    if (nearest->corners < 4)
        return true;
    put_corners(at, nearest, item, x);
    return weigh_inside(at, share);
}

/* Bounding disc of the triangle at position i of the order */
static void put_disc(const struct nearest *nearest, int64_t i)
{
    double *disc = nearest->disc + 7 * i, u[3], v[3], square = 0;
    const double *p[3];
    for (int c = 0; c < 3; c++)
        p[c] = corner(nearest, nearest->order[i], c);
    for (int d = 0; d < 3; d++)
        disc[d] = (p[0][d] + p[1][d] + p[2][d]) / 3;
    vec3_between(u, p[0], p[1]);
    vec3_between(v, p[0], p[2]);
    vec3_cross(disc + 3, u, v);
    const double length = vec3_normalise(disc + 3);
    for (int c = 0; c < 3; c++) {
        double to[3];
        vec3_between(to, disc, p[c]);
        square = fmax(square, vec3_dot(to, to));
    }
    disc[6] = length > 1e-3 * square ? sqrt(square) : INFINITY;
}

/* Whether the disc, and so the triangle in it, is farther than sqrt(square), even with rounding errors */
static bool is_beyond(const double disc[7], const double x[3], double square)
{
    double to[3], r = disc[6];
    vec3_between(to, disc, x);
    double height = vec3_dot(disc + 3, to), across = vec3_dot(to, to) - height * height;
    double out = across > r * r ? sqrt(across) - r : 0;
    return height * height + out * out > square + 1e-9 * (square + r * r);
}

static double box_square(const double *box, const double x[3])
{
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        double below = box[d] - x[d], above = x[d] - box[3 + d], out = below > above ? below : above;
        sum += out > 0 ? out * out : 0;
    }
    return sum;
}

static void bounding_box(const struct nearest *nearest, int64_t begin, int64_t end, double box[6])
{
    for (int d = 0; d < 3; d++) {
        box[d] = HUGE_VAL;
        box[3 + d] = -HUGE_VAL;
    }
    for (int64_t i = begin; i < end; i++)
        for (int c = 0; c < nearest->corners; c++)
            for (int d = 0; d < 3; d++) {
                double x = corner(nearest, nearest->order[i], c)[d];
                box[d] = x < box[d] ? x : box[d];
                box[3 + d] = x > box[3 + d] ? x : box[3 + d];
            }
}

/* Orders [begin, end) so that the item at `middle` is the one that sorting by the centres' coordinate
 * would put there (Hoare 1961). */
static void halve(struct nearest *nearest, const double *centre, int64_t begin, int64_t end, int64_t middle,
                  int axis)
{
    int32_t *order = nearest->order;
    while (end - begin > 1) {
        double pivot = centre[3 * (int64_t)order[begin + (end - begin) / 2] + axis];
        int64_t i = begin, j = end - 1;
        while (i <= j) {
            while (centre[3 * (int64_t)order[i] + axis] < pivot)
                i++;
            while (centre[3 * (int64_t)order[j] + axis] > pivot)
                j--;
            if (i <= j) {
                int32_t swapped = order[i];
                order[i++] = order[j];
                order[j--] = swapped;
            }
        }
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
}

static int64_t leaf_begin(const struct nearest *nearest, int64_t leaf)
{
    return leaf * nearest->items / nearest->leaves;
}

/* The axis along which the centres of [begin, end) have the largest extent */
static int longest_axis(const struct nearest *nearest, const double *centre, int64_t begin, int64_t end)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int64_t i = begin; i < end; i++)
        for (int d = 0; d < 3; d++) {
            double x = centre[3 * (int64_t)nearest->order[i] + d];
            low[d] = x < low[d] ? x : low[d];
            high[d] = x > high[d] ? x : high[d];
        }
    int axis = 0;
    for (int d = 1; d < 3; d++)
        if (high[d] - low[d] > high[axis] - low[axis])
            axis = d;
    return axis;
}

/* Node k of the tree, whose leaves are [leaf, leaf + width) */
static void build(struct nearest *nearest, const double *centre, int64_t k, int64_t leaf, int64_t width)
{
    int64_t begin = leaf_begin(nearest, leaf), end = leaf_begin(nearest, leaf + width);
    double *box = nearest->box + 6 * k;
    const double *left = nearest->box + 12 * k, *right = left + 6;
    if (width == 1) {
        bounding_box(nearest, begin, end, box);
        return;
    }
    halve(nearest, centre, begin, end, leaf_begin(nearest, leaf + width / 2),
          longest_axis(nearest, centre, begin, end));
#pragma omp task if (width > TASK_LEAVES)
    build(nearest, centre, 2 * k, leaf, width / 2);
    build(nearest, centre, 2 * k + 1, leaf + width / 2, width / 2);
#pragma omp taskwait
    for (int d = 0; d < 3; d++) {
        box[d] = left[d] < right[d] ? left[d] : right[d];
        box[3 + d] = left[3 + d] > right[3 + d] ? left[3 + d] : right[3 + d];
    }
}

enum status nearest_create(struct nearest *nearest, const double *point, const int32_t *node, int corners,
                           int64_t items, struct error *error)
{
    enum status status = STATUS_OK;
    *nearest =
        (struct nearest){.point = point, .corners = corners, .node = node, .items = items, .leaves = 1};
    while (nearest->leaves * LEAF_ITEMS < items)
        nearest->leaves *= 2;
    nearest->order = array_new(items, sizeof *nearest->order, "a search tree", &status, error);
    nearest->box = array_new(12 * nearest->leaves, sizeof *nearest->box, "a search tree", &status, error);
    double *centre = array_new(3 * items, sizeof *centre, "a search tree", &status, error);
    if (corners == 3)
        nearest->disc = array_new(7 * items, sizeof *nearest->disc, "a search tree", &status, error);
    if (status) {
        nearest_free(nearest);
        free(centre);
        return status;
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < items; i++) {
        nearest->order[i] = (int32_t)i;
        for (int d = 0; d < 3; d++) {
            centre[3 * i + d] = 0;
            for (int c = 0; c < corners; c++)
                centre[3 * i + d] += corner(nearest, i, c)[d];
        }
    }
#pragma omp parallel
#pragma omp single
    build(nearest, centre, 1, 0, nearest->leaves);
    free(centre);
    if (nearest->disc) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < items; i++)
            put_disc(nearest, i);
    }
    return STATUS_OK;
}

void nearest_free(struct nearest *nearest)
{
    free(nearest->order);
    free(nearest->box);
    free(nearest->disc);
    *nearest = (struct nearest){0};
}

struct found {
    int64_t item;
    double square;
};

/* Searches from node k of the tree, whose box is at this distance */
static void search(const struct nearest *nearest, int64_t k, double box, const double x[3],
                   struct found *found)
{
    if (box > found->square)
        return;
    if (k >= nearest->leaves) {
        int64_t leaf = k - nearest->leaves;
        for (int64_t i = leaf_begin(nearest, leaf); i < leaf_begin(nearest, leaf + 1); i++) {
            if (nearest->disc && is_beyond(nearest->disc + 7 * i, x, found->square))
                continue;
            if (found->square == 0 && !may_hold(nearest, nearest->order[i], x))
                continue;
            double square = item_square(nearest, nearest->order[i], x, NULL);
            if (square < found->square || (square == found->square && nearest->order[i] < found->item))
                *found = (struct found){nearest->order[i], square};
        }
        return;
    }
    double left = box_square(nearest->box + 12 * k, x), right = box_square(nearest->box + 12 * k + 6, x);
    bool swap = left > right;
    search(nearest, 2 * k + swap, swap ? right : left, x, found);
    search(nearest, 2 * k + !swap, swap ? left : right, x, found);
}

int64_t nearest_find(const struct nearest *nearest, const double x[3], int64_t guess, double *distance)
{
    struct found found = {-1, HUGE_VAL};
    if (guess >= 0)
        found = (struct found){guess, item_square(nearest, guess, x, NULL)};
    if (nearest->items)
        search(nearest, 1, 0, x, &found);
    if (nearest->items && found.item < 0)
        found.item = 0; /* all are so far that their squared distances overflow */
    if (distance)
        *distance = sqrt(found.square);
    return found.item;
}

double nearest_weights(const struct nearest *nearest, int64_t item, const double x[3], double *weight)
{
    return sqrt(item_square(nearest, item, x, weight));
}

/* A squared distance such that items with smaller ones are within `distance` */
static double square_with_rounding(double distance)
{
    return distance * distance * (1 + 1e-9) + DBL_MIN;
}

struct listing {
    int32_t **list;
    int64_t *room, *count;
    double square;
};

static enum status list_from(const struct nearest *nearest, int64_t k, const double x[3],
                             const struct listing *to, struct error *error)
{
    if (k >= nearest->leaves) {
        const int64_t leaf = k - nearest->leaves;
        for (int64_t i = leaf_begin(nearest, leaf); i < leaf_begin(nearest, leaf + 1); i++) {
            if (item_square(nearest, nearest->order[i], x, NULL) >= to->square)
                continue;
            TRY(array_grow((void **)to->list, to->room, *to->count, sizeof **to->list, "a search", error));
            (*to->list)[(*to->count)++] = nearest->order[i];
        }
        return STATUS_OK;
    }
    for (int half = 0; half < 2; half++)
        if (box_square(nearest->box + 12 * k + 6 * half, x) < to->square)
            TRY(list_from(nearest, 2 * k + half, x, to, error));
    return STATUS_OK;
}

enum status nearest_list(const struct nearest *nearest, const double x[3], double distance, int32_t **list,
                         int64_t *room, int64_t *count, struct error *error)
{
    *count = 0;
    if (!nearest->items)
        return STATUS_OK;
    TRY(list_from(nearest, 1, x, &(struct listing){list, room, count, square_with_rounding(distance)},
                  error));
    if (*count)
        qsort(*list, (size_t)*count, sizeof **list, compare_int32);
    return STATUS_OK;
}

bool nearest_within(const struct nearest *nearest, const double x[3], double distance)
{
    struct found found = {-1, square_with_rounding(distance)};
    if (nearest->items)
        search(nearest, 1, 0, x, &found);
    return found.item >= 0;
}
