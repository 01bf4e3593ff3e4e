/* volume.c: integrate hat functions over the elements and pieces of elements in which a condition holds. */
#include "app/problem/volume.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/weights.h"
#include "kernels/base/array.h"
#include "kernels/base/compare.h"
#include "solver/cells/stimulus.h"
#include "solver/heart/rotation.h"
#include "solver/mesh/check.h"

/* Cut elements are evaluated in groups of GROUP, to bound the memory of their pieces. If at most FEW are cut, the
 * covered volume is measured with edges divided FINER times as often. */
enum { CORNERS = 4, FEW = 200, FINER = 2, GROUP = 64 };

static const char what[] = "the volume of a stimulus";

const char *volume_unit(int dimension)
{
    static const char *const units[CORNERS] = {"", "mm", "mm^2", "mm^3"};
    return units[dimension];
}

/* The equal pieces of a simplex of each dimension */
struct pieces {
    int count[CORNERS];
    double (*centroid[CORNERS])[CORNERS]; /* [dimension][count] barycentric coordinates */
    double sum[CORNERS][CORNERS];         /* of them */
};

/* centroid[] <- of the n^d pieces of the simplex 1 > x_1 > .. > x_d > 0. A piece is a path through one of n^d
 * cubes from corner to corner, along the axes in some order (solver/mesh/generate.h). */
static void list_pieces(struct pieces *pieces, int d, int n)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int cubes = pieces->count[d];
    int found = 0;
    for (int k = 0; k < 6 * cubes; k++) {
        const int *axis = order[k % 6];
        double x[CORNERS + 1] = {1};
        bool inside = true;
        for (int c = d; c < 3; c++)
            inside = inside && axis[c] == c;
        for (int c = 0; c < d && inside; c++)
            x[1 + axis[c]] = (double)(d - c) / (d + 1);
        for (int c = 0, rest = k / 6; c < d; c++, rest /= n)
            x[1 + c] = (x[1 + c] + rest % n) / n;
        for (int c = 0; c < d; c++)
            inside = inside && x[c] > x[c + 1];
        for (int c = 0; c <= d && inside; c++) {
            pieces->centroid[d][found][c] = x[c] - x[c + 1];
            pieces->sum[d][c] += x[c] - x[c + 1];
        }
        found += inside;
    }
}

static enum status make_pieces(struct pieces *pieces, int finer, struct error *error)
{
    static const int divisions[CORNERS] = {0, 64, 8, 8};
    enum status status = STATUS_OK;
    *pieces = (struct pieces){0};
    for (int d = 1; d < CORNERS; d++) {
        const int n = divisions[d] * finer;
        pieces->count[d] = d == 1 ? n : d == 2 ? n * n : n * n * n;
        pieces->centroid[d] = array_new(pieces->count[d], sizeof **pieces->centroid, what, &status, error);
        if (!status)
            list_pieces(pieces, d, n);
    }
    return status;
}

static void free_pieces(struct pieces *pieces)
{
    for (int d = 1; d < CORNERS; d++)
        free(pieces->centroid[d]);
}

/* corner[] <- the nodes of an element, ascending, so that its pieces do not depend on its orientation and those of a
 * slab follow the planes of its lattice. Returns their number. */
static int find_corners(const struct mesh *mesh, int64_t element, int32_t corner[CORNERS])
{
    const int corners = mesh_corners(mesh, element);
    memcpy(corner, mesh->vertex + element * (mesh->dimension + 1), (size_t)corners * sizeof *corner);
    compare_sort_few(corner, corners);
    return corners;
}

static bool is_periodic(const struct environment_view *view, int k)
{
    return k >= 0 && view->array[k].periodic;
}

/* value[] <- leaf k at the corners of an element; returns their number, or 1 if it is constant in the element */
static int corner_values(const struct environment_view *view, int k, int64_t element, double value[CORNERS])
{
    const struct mesh *mesh = view->mesh;
    const struct where_leaf *leaf = k < 0 ? NULL : view->where->leaf + k;
    const bool by_position = !leaf || leaf->kind == WHERE_COORDINATE;
    if (!by_position && view->array[k].location == LOCATION_ELEMENT) {
        value[0] = view->array[k].value[element];
        return 1;
    }
    int32_t vertex[CORNERS];
    const int corners = find_corners(mesh, element, vertex), axis = leaf ? (int)leaf->number : -1 - k;
    for (int c = 0; c < corners; c++)
        value[c] = by_position ? mesh->point[3 * (int64_t)vertex[c] + axis] : view->array[k].value[vertex[c]];
    if (is_periodic(view, k))
        rotation_unwrap(value, corners);
    return corners;
}

/* The elements in which a condition holds, entirely or in part */
struct cut {
    const struct environment_view *view;
    const struct pieces *pieces;
    int each; /* points evaluated in an element; cycles through its pieces if it has fewer */
    int64_t some, count;
    int32_t *list;    /* [some] elements in which it holds at all, ascending */
    uint8_t *extent;  /* [some] enum where_extent */
    int32_t *element; /* [count] those of the list in which it holds only in part */
};

/* Callback (struct where_ranges).range for element `at` of the list */
static void find_range(const void *data, int k, int64_t at, double range[2])
{
    const struct cut *cut = data;
    const struct environment_view *view = cut->view;
    const struct mesh *mesh = view->mesh;
    const int64_t element = cut->list[at];
    const struct where_leaf *leaf = k < 0 ? NULL : view->where->leaf + k;
    const bool by_position = !leaf || leaf->kind == WHERE_COORDINATE;
    const bool one = !by_position && view->array[k].location == LOCATION_ELEMENT;
    const int32_t *vertex = mesh->vertex + element * (mesh->dimension + 1);
    const int corners = one ? 1 : mesh_corners(mesh, element), axis = leaf ? (int)leaf->number : -1 - k;
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int c = 0; c < corners; c++) {
        const double value = by_position ? mesh->point[3 * (int64_t)vertex[c] + axis]
                                         : view->array[k].value[one ? element : vertex[c]];
        range[0] = isnan(value) ? -INFINITY : value < range[0] ? value : range[0];
        range[1] = isnan(value) ? INFINITY : value > range[1] ? value : range[1];
    }
    if (is_periodic(view, k) && (range[0] < 0 || range[1] >= 1)) {
        range[0] = 0;
        range[1] = 1;
    }
}

/* Callback (struct where_values).values; item i is piece i % each of cut element i / each */
static void piece_values(const void *data, int k, int64_t first, int count, double *out)
{
    const struct cut *cut = data;
    for (int i = 0; i < count;) {
        const int64_t item = (first + i) / cut->each;
        int piece = (int)((first + i) % cut->each);
        const int64_t element = cut->element[item];
        const int d = mesh_corners(cut->view->mesh, element) - 1, pieces = cut->pieces->count[d];
        double value[CORNERS];
        const int corners = corner_values(cut->view, k, element, value);
        for (; piece < cut->each && i < count; piece++, i++) {
            const double *share = cut->pieces->centroid[d][piece % pieces];
            double sum = value[0];
            for (int c = 1; c < corners; c++)
                sum += share[c] * (value[c] - value[0]);
            out[i] = is_periodic(cut->view, k) ? rotation_wrap(sum) : sum;
        }
    }
}

/* Sums over elements, in ascending order */
struct totals {
    const uint8_t *dimension; /* [nodes] the highest of its elements; only these elements count */
    double *inside;           /* [nodes] int_shape phi_i; NULL = not requested */
    double covered;           /* mm^dimension */
};

/* int phi_i over an element; *d <- its dimension */
static double hat_integral(const struct mesh *mesh, int64_t e, int *d)
{
    static const double factorial[CORNERS] = {1, 1, 2, 6};
    *d = mesh_corners(mesh, e) - 1;
    return fabs(mesh_measure(mesh, e)) / (factorial[*d] * (*d + 1));
}

/* Adds one element. holds[pieces]: whether the condition holds in each piece; NULL = in all */
static void add_element(struct totals *sums, const struct mesh *mesh, int64_t e, const double *holds,
                        const struct pieces *pieces)
{
    int32_t vertex[CORNERS];
    int d;
    const double integral = hat_integral(mesh, e, &d);
    double share[CORNERS] = {0};
    find_corners(mesh, e, vertex);
    for (int c = 0; c <= d; c++)
        share[c] = holds ? 0 : 1;
    for (int k = 0; k < pieces->count[d] && holds; k++)
        for (int c = 0; c <= d && holds[k] != 0; c++)
            share[c] += pieces->centroid[d][k][c];
    for (int c = 0; c <= d; c++) {
        share[c] = holds ? share[c] / pieces->sum[d][c] : share[c];
        sums->covered += d == mesh->dimension ? integral * share[c] : 0;
        if (sums->inside && sums->dimension[vertex[c]] == d)
            sums->inside[vertex[c]] += integral * share[c];
    }
}

/* *list <- the elements with chosen[element] != 0, ascending; the caller frees it even after an error */
static enum status list_chosen(int32_t **list, int64_t *count, const uint8_t *chosen, int64_t elements,
                               struct error *error)
{
    enum status status = STATUS_OK;
    int64_t *first = array_zeroed(omp_get_max_threads() + 1, sizeof *first, what, &status, error);
    *list = NULL;
    *count = 0;
    TRY(status);
#pragma omp parallel
    {
        const int64_t threads = omp_get_num_threads(), t = omp_get_thread_num();
        const int64_t low = elements * t / threads, high = elements * (t + 1) / threads;
        int64_t own = 0;
        for (int64_t e = low; e < high; e++)
            own += chosen[e] != 0;
        first[t + 1] = own;
#pragma omp barrier
#pragma omp single
        {
            for (int64_t k = 0; k < threads; k++)
                first[k + 1] += first[k];
            *count = first[threads];
            *list = array_new(*count, sizeof **list, what, &status, error);
        }
        for (int64_t e = low, at = first[t]; e < high && *list && at < first[t + 1]; e++)
            if (chosen[e] != 0)
                (*list)[at++] = (int32_t)e;
    }
    free(first);
    return status;
}

/* all[nodes] <- int phi_i where the weight is not 0; scratch[elements], of_node[nodes] */
static enum status add_volumes(double *all, const double *weight, const uint8_t *dimension, uint8_t *scratch,
                               uint8_t *of_node, const struct mesh *mesh, struct error *error)
{
    const int width = mesh->dimension + 1;
    int32_t *list;
    int64_t count;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            of_node[i] = weight[i] > 0;
#pragma omp for schedule(static)
        for (int64_t e = 0; e < mesh->elements; e++) {
            scratch[e] = 0;
            for (int c = 0; c < width; c++) /* elements with fewer corners repeat the last */
                scratch[e] |= of_node[mesh->vertex[e * width + c]];
        }
    }
    enum status status = list_chosen(&list, &count, scratch, mesh->elements, error);
    for (int64_t k = 0; k < count && !status; k++) {
        int d;
        const double integral = hat_integral(mesh, list[k], &d);
        for (int c = 0; c <= d; c++) {
            const int32_t node = mesh->vertex[(int64_t)list[k] * width + c];
            if (dimension[node] == d)
                all[node] += integral;
        }
    }
    free(list);
    return status;
}

/* *sums <- over the list's elements, with edges divided `finer` times as often. Other elements would add 0. */
static enum status integrate(struct totals *sums, struct cut *cut, int finer, struct error *error)
{
    const struct mesh *mesh = cut->view->mesh;
    const struct where_values values = {cut, cut->view->slack, piece_values};
    struct pieces pieces;
    enum status status = make_pieces(&pieces, finer, error);
    sums->covered = 0;
    cut->pieces = &pieces;
    cut->each = pieces.count[mesh->dimension];
    for (int d = 1; d < mesh->dimension; d++)
        cut->each = cut->each < pieces.count[d] ? pieces.count[d] : cut->each;
    const int64_t most = cut->count < GROUP ? cut->count : GROUP;
    double *holds = array_new(most * cut->each, sizeof *holds, what, &status, error);
    for (int64_t k = 0, at = 0; k < cut->some && !status; k++) {
        const int32_t e = cut->list[k];
        const bool perhaps = cut->extent[k] == WHERE_PERHAPS;
        if (perhaps && at % GROUP == 0) {
            const int64_t left = cut->count - at < GROUP ? cut->count - at : GROUP;
            status =
                where_evaluate(cut->view->where, &values, at * cut->each, left * cut->each, holds, error);
        }
        if (!status)
            add_element(sums, mesh, e, perhaps ? holds + cut->each * (at % GROUP) : NULL, &pieces);
        at += perhaps;
    }
    free(holds);
    free_pieces(&pieces);
    return status;
}

/* A bit for each side of the box beyond which the point lies */
static uint8_t sides_of(const double point[3], double box[2][3])
{
    int sides = 0;
    for (int c = 0; c < 3; c++)
        sides |= (point[c] < box[0][c]) << (2 * c) | (point[c] > box[1][c]) << (2 * c + 1);
    return (uint8_t)sides;
}

/* near[elements] <- 0 if all corners lie beyond the same side of the box; of_node[nodes]: scratch */
static void find_near(uint8_t *near, uint8_t *of_node, const struct mesh *mesh, double box[2][3])
{
    const int width = mesh->dimension + 1;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < mesh->nodes; i++)
            of_node[i] = sides_of(mesh->point + 3 * i, box);
#pragma omp for schedule(static)
        for (int64_t e = 0; e < mesh->elements; e++) {
            uint8_t beyond = 0xff;
            for (int c = 0; c < width; c++) /* elements with fewer corners repeat the last */
                beyond &= of_node[mesh->vertex[e * width + c]];
            near[e] = beyond == 0;
        }
    }
}

/* Fills the lists of *cut; only elements near the shapes that the condition requires are tested. The caller frees the
 * lists even after an error. Scratch: near[elements], of_node[nodes] */
static enum status find_cut(uint8_t *near, uint8_t *of_node, struct cut *cut, struct error *error)
{
    const struct environment_view *view = cut->view;
    const struct where_ranges ranges = {cut, view->slack, find_range};
    enum status status = STATUS_OK;
    double box[2][3];
    int64_t count;
    TRY(where_box(view->where, view->slack, box, error));
    find_near(near, of_node, view->mesh, box);
    TRY(list_chosen(&cut->list, &count, near, view->mesh->elements, error));
    cut->extent = array_new(count, sizeof *cut->extent, what, &status, error);
    TRY(status);
    TRY(where_extents(view->where, &ranges, 0, count, cut->extent, error));
    cut->some = cut->count = 0;
    for (int64_t k = 0; k < count; k++)
        if (cut->extent[k] != WHERE_NOWHERE) {
            cut->list[cut->some] = cut->list[k];
            cut->extent[cut->some++] = cut->extent[k];
            cut->count += cut->extent[k] == WHERE_PERHAPS;
        }
    cut->element = array_new(cut->count, sizeof *cut->element, what, &status, error);
    for (int64_t k = 0, at = 0; k < cut->some && !status; k++)
        if (cut->extent[k] == WHERE_PERHAPS)
            cut->element[at++] = cut->list[k];
    return status;
}

/* dimension[nodes] <- the highest dimension of the node's elements; 0 = no element */
static void find_dimensions(uint8_t *dimension, const struct mesh *mesh)
{
    memset(dimension, 0, (size_t)mesh->nodes);
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        const int corners = mesh_corners(mesh, e);
        const uint8_t own = (uint8_t)(corners - 1);
        for (int c = 0; c < corners; c++) {
            uint8_t *to = &dimension[vertex[c]], now = __atomic_load_n(to, __ATOMIC_RELAXED);
            while (now < own &&
                   !__atomic_compare_exchange_n(to, &now, own, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                ;
        }
    }
}

bool volume_names_nodes(const struct where *where)
{
    bool names = false;
    for (int k = 0; k < where->leaves; k++) {
        const enum where_leaf_kind kind = where->leaf[k].kind;
        names = names || kind == WHERE_SURFACE || kind == WHERE_NODES || kind == WHERE_RANDOM;
    }
    return names;
}

/* whole[nodes] <- 1 at nodes to which the condition applies as a whole: nodes without elements, nodes of lines only in
 * a mesh of higher dimension, and nodes of lower-dimensional elements with one of the condition's tags. Returns their
 * number. */
static int64_t mark_whole(uint8_t *whole, const struct environment_view *view, const uint8_t *dimension)
{
    const struct mesh *mesh = view->mesh;
    int64_t marked = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        whole[i] = dimension[i] == 0 || (dimension[i] == 1 && mesh->dimension > 1);
    for (int k = 0; k < view->where->leaves; k++)
        for (int64_t e = 0; e < mesh->elements && view->where->leaf[k].kind == WHERE_TAG; e++) {
            const int corners = mesh_corners(mesh, e);
            for (int c = 0; c < corners && corners <= mesh->dimension && view->array[k].value[e] != 0; c++)
                whole[mesh->vertex[e * (mesh->dimension + 1) + c]] = 1;
        }
#pragma omp parallel for schedule(static) reduction(+ : marked)
    for (int64_t i = 0; i < mesh->nodes; i++)
        marked += whole[i];
    return marked;
}

/* weight[nodes] <- w_i, and *volume, as for volume_find(). *by_node <- whether some weights come from the condition at nodes */
static enum status find_weights(double *weight, struct volume *volume, bool *by_node,
                                struct environment *environment, const struct environment_view *view, int *at,
                                struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    struct cut cut = {.view = view};
    struct totals sums = {0}, finer = {0};
    uint8_t *whole = NULL, *dimension = NULL, *near = NULL, *near_node = NULL;
    double *all = NULL, *inside = NULL;
    enum status status = STATUS_OK;
    whole = array_new(mesh->nodes, sizeof *whole, what, &status, error);
    dimension = array_new(mesh->nodes, sizeof *dimension, what, &status, error);
    near = array_new(mesh->elements, sizeof *near, what, &status, error);
    near_node = array_new(mesh->nodes, sizeof *near_node, what, &status, error);
    all = array_zeroed(mesh->nodes, sizeof *all, what, &status, error);
    inside = array_zeroed(mesh->nodes, sizeof *inside, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_cut(near, near_node, &cut, error));
    find_dimensions(dimension, mesh);
    sums = (struct totals){dimension, inside, 0};
    TRY_DONE(integrate(&sums, &cut, 1, error));
    finer.covered = sums.covered;
    if (cut.count <= FEW)
        TRY_DONE(integrate(&finer, &cut, FINER, error));
    *volume = (struct volume){finer.covered, 0};
    bool flat = finer.covered == 0;
    if (flat)
        memset(whole, 1, (size_t)mesh->nodes);
    *by_node = flat || mark_whole(whole, view, dimension) > 0;
    if (*by_node)
        TRY_DONE(environment_values(environment, view->where, LOCATION_NODE, weight, at, error));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (!whole[i])
            weight[i] = inside[i];
    TRY_DONE(add_volumes(all, weight, dimension, near, near_node, mesh, error));
    for (int64_t i = 0; i < mesh->nodes; i++) {
        if (!whole[i] && weight[i] > 0)
            weight[i] = floor(weight[i] / all[i] * STIMULUS_WEIGHTS + 0.5) / STIMULUS_WEIGHTS;
        volume->given += dimension[i] == mesh->dimension ? weight[i] * all[i] : 0;
    }
done:
    free(whole);
    free(dimension);
    free(near);
    free(near_node);
    free(cut.list);
    free(cut.extent);
    free(cut.element);
    free(all);
    free(inside);
    return status;
}

enum status volume_find(const struct environment_weights **found, struct environment *environment,
                        const struct where *where, int *at, struct error *error)
{
    struct environment_view view = {0};
    struct weights_key key;
    struct volume volume;
    bool by_node = false;
    double *weight = NULL;
    enum status status = STATUS_OK;
    weights_key_make(&key, where);
    *at = 0;
    *found = weights_known(environment, &key);
    if (*found)
        return STATUS_OK;
    view.where = where;
    TRY_DONE(environment_view_make(&view, environment, where, LOCATION_ELEMENT, at, error));
    weights_key_read(&key, &view, &environment->cache);
    *found = weights_read(environment, &key);
    if (*found)
        goto done;
    weight = array_new(environment->mesh->nodes, sizeof *weight, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(find_weights(weight, &volume, &by_node, environment, &view, at, error));
    TRY_DONE(weights_keep(found, environment, &key, weight, &volume, error));
    if (!by_node) /* else they depend on more than key.read covers */
        weights_store(*found, &key);
done:
    environment_view_free(&view);
    free(weight);
    return status;
}
