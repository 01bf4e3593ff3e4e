/* volume.c: integrate hat functions over the elements and pieces of elements in which a condition holds. */
#include "app/problem/volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"
#include "solver/heart/rotation.h"
#include "solver/mesh/check.h"

/* Elements are gone through in blocks, and the cut ones among them in groups, to bound the memory of their
 * pieces. Where few are cut, the volume asked is measured with edges divided FINER times as often. */
enum { CORNERS = 4, BLOCK = 8192, FEW = 1000, FINER = 2, GROUP = 64 };

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

/* corner[] <- the nodes of an element, ascending: its pieces do not depend on its orientation, and those of a
 * slab are cut along the planes of its lattice. Returns how many there are. */
static int find_corners(const struct mesh *mesh, int64_t element, int32_t corner[CORNERS])
{
    const int corners = mesh_corners(mesh, element);
    for (int c = 0; c < corners; c++) {
        int at = c;
        for (; at > 0 && corner[at - 1] > mesh->vertex[element * (mesh->dimension + 1) + c]; at--)
            corner[at] = corner[at - 1];
        corner[at] = mesh->vertex[element * (mesh->dimension + 1) + c];
    }
    return corners;
}

static bool is_periodic(const struct environment_view *view, int k)
{
    return k >= 0 && view->array[k].periodic;
}

/* What leaf k is at the corners of an element; returns their number, 1 if it is the same in all of it */
static int corner_values(const struct environment_view *view, int k, int64_t element, double value[CORNERS])
{
    const struct mesh *mesh = view->mesh;
    const struct where_leaf *leaf = k < 0 ? NULL : view->where->leaf + k;
    const bool place = !leaf || leaf->kind == WHERE_COORDINATE;
    if (!place && view->array[k].location == LOCATION_ELEMENT) {
        value[0] = view->array[k].value[element];
        return 1;
    }
    int32_t vertex[CORNERS];
    const int corners = find_corners(mesh, element, vertex), axis = leaf ? (int)leaf->number : -1 - k;
    for (int c = 0; c < corners; c++)
        value[c] = place ? mesh->point[3 * (int64_t)vertex[c] + axis] : view->array[k].value[vertex[c]];
    if (is_periodic(view, k))
        rotation_unwrap(value, corners);
    return corners;
}

/* (struct where_ranges).range */
static void find_range(const void *data, int k, int64_t element, double range[2])
{
    double value[CORNERS];
    const int corners = corner_values(data, k, element, value);
    range[0] = range[1] = value[0];
    for (int c = 0; c < corners; c++) {
        range[0] = isnan(value[c]) ? -INFINITY : fmin(range[0], value[c]);
        range[1] = isnan(value[c]) ? INFINITY : fmax(range[1], value[c]);
    }
    if (is_periodic(data, k) && (range[0] < 0 || range[1] >= 1)) {
        range[0] = 0;
        range[1] = 1;
    }
}

/* Some of the elements first .. first + BLOCK - 1 */
struct cut {
    const struct environment_view *view;
    const struct pieces *pieces;
    int64_t first;
    int count, each;        /* so many elements, of so many pieces, or of fewer, in a circle */
    int32_t element[BLOCK]; /* ascending, from `first` on */
};

/* (struct where_values).values: of piece i % each of cut element i / each */
static void piece_values(const void *data, int k, int64_t first, int count, double *out)
{
    const struct cut *cut = data;
    for (int i = 0; i < count;) {
        const int64_t item = (first + i) / cut->each;
        int piece = (int)((first + i) % cut->each);
        const int64_t element = cut->first + cut->element[item];
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
    const uint8_t *dimension; /* [nodes] the highest of its elements: only those count */
    double *inside, *all;     /* [nodes] of the integrals of hat functions; NULL = not asked for */
    double covered;           /* mm^dimension */
    int64_t cuts;
};

/* Adds one element; holds[pieces]: where it holds; NULL = in all of the element, or nowhere */
static void add_element(struct totals *sums, const struct mesh *mesh, int64_t e, bool everywhere,
                        const double *holds, const struct pieces *pieces)
{
    static const double factorial[CORNERS] = {1, 1, 2, 6};
    int32_t vertex[CORNERS];
    const int d = find_corners(mesh, e, vertex) - 1;
    const double part = fabs(mesh_measure(mesh, e)) / (factorial[d] * (d + 1));
    double share[CORNERS] = {0};
    for (int c = 0; c <= d; c++)
        share[c] = everywhere ? 1 : 0;
    for (int k = 0; k < pieces->count[d] && holds; k++)
        for (int c = 0; c <= d && holds[k] != 0; c++)
            share[c] += pieces->centroid[d][k][c];
    for (int c = 0; c <= d; c++) {
        share[c] = holds ? share[c] / pieces->sum[d][c] : share[c];
        sums->covered += d == mesh->dimension ? part * share[c] : 0;
        if (sums->all && sums->dimension[vertex[c]] == d) {
            sums->all[vertex[c]] += part;
            sums->inside[vertex[c]] += part * share[c];
        }
    }
}

static enum status add_block(struct totals *sums, struct cut *cut, const uint8_t *extent, int count,
                             struct error *error)
{
    const struct mesh *mesh = cut->view->mesh;
    const struct where_values values = {cut, cut->view->slack, piece_values};
    enum status status = STATUS_OK;
    cut->count = 0;
    for (int k = 0; k < count; k++)
        if (extent[k] == WHERE_PERHAPS)
            cut->element[cut->count++] = k;
    sums->cuts += cut->count;
    const int most = cut->count < GROUP ? cut->count : GROUP;
    double *holds = array_new((int64_t)most * cut->each, sizeof *holds, what, &status, error);
    for (int k = 0, at = 0; k < count && !status; k++) {
        const bool perhaps = extent[k] == WHERE_PERHAPS;
        if (perhaps && at % GROUP == 0) {
            const int left = cut->count - at < GROUP ? cut->count - at : GROUP;
            status = where_evaluate(cut->view->where, &values, (int64_t)at * cut->each,
                                    (int64_t)left * cut->each, holds, error);
        }
        if (!status)
            add_element(sums, mesh, cut->first + k, extent[k] == WHERE_EVERYWHERE,
                        perhaps ? holds + (int64_t)cut->each * (at % GROUP) : NULL, cut->pieces);
        at += perhaps;
    }
    free(holds);
    return status;
}

/* Over all elements, edges divided `finer` times as often */
static enum status integrate(struct totals *sums, const struct environment_view *view, int finer,
                             struct error *error)
{
    const struct where_ranges ranges = {view, view->slack, find_range};
    const int64_t elements = view->mesh->elements;
    enum status status = STATUS_OK;
    struct pieces pieces;
    uint8_t *extent = array_new(BLOCK, sizeof *extent, what, &status, error);
    struct cut *cut = array_new(1, sizeof *cut, what, &status, error);
    sums->covered = 0;
    sums->cuts = 0;
    enum status made = make_pieces(&pieces, finer, error);
    status = status ? status : made;
    for (int64_t first = 0; first < elements && !status; first += BLOCK) {
        const int count = elements - first < BLOCK ? (int)(elements - first) : BLOCK;
        cut->view = view;
        cut->pieces = &pieces;
        cut->first = first;
        cut->each = pieces.count[view->mesh->dimension];
        for (int d = 1; d < view->mesh->dimension; d++)
            cut->each = cut->each < pieces.count[d] ? pieces.count[d] : cut->each;
        status = where_extents(view->where, &ranges, first, count, extent, error);
        if (!status)
            status = add_block(sums, cut, extent, count, error);
    }
    free_pieces(&pieces);
    free(cut);
    free(extent);
    return status;
}

/* dimension[nodes] <- the highest of the node's elements, 0 = it has none */
static void find_dimensions(uint8_t *dimension, const struct mesh *mesh)
{
    memset(dimension, 0, (size_t)mesh->nodes);
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int32_t *vertex = mesh->vertex + e * (mesh->dimension + 1);
        const int corners = mesh_corners(mesh, e);
        for (int c = 0; c < corners; c++)
            if (dimension[vertex[c]] < corners - 1)
                dimension[vertex[c]] = (uint8_t)(corners - 1);
    }
}

/* Whether the condition depends on the node, not on a place */
static bool names_nodes(const struct where *where)
{
    bool names = false;
    for (int k = 0; k < where->leaves; k++) {
        const enum where_leaf_kind kind = where->leaf[k].kind;
        names = names || kind == WHERE_SURFACE || kind == WHERE_NODES || kind == WHERE_RANDOM;
    }
    return names;
}

/* whole[nodes] <- 1 at those that have no volume of their own: of no element or of lines in a mesh of higher
 * dimension, and those of lower elements that have one of the condition's tags; returns how many there are */
static int64_t mark_whole(uint8_t *whole, const struct environment_view *view, const uint8_t *dimension)
{
    const struct mesh *mesh = view->mesh;
    int64_t marked = 0;
    for (int64_t i = 0; i < mesh->nodes; i++)
        whole[i] = dimension[i] == 0 || (dimension[i] == 1 && mesh->dimension > 1);
    for (int k = 0; k < view->where->leaves; k++)
        for (int64_t e = 0; e < mesh->elements && view->where->leaf[k].kind == WHERE_TAG; e++) {
            const int corners = mesh_corners(mesh, e);
            for (int c = 0; c < corners && corners <= mesh->dimension && view->array[k].value[e] != 0; c++)
                whole[mesh->vertex[e * (mesh->dimension + 1) + c]] = 1;
        }
    for (int64_t i = 0; i < mesh->nodes; i++)
        marked += whole[i];
    return marked;
}

enum status volume_weights(double *weight, struct volume *volume, struct environment *environment,
                           const struct where *where, int *at, struct error *error)
{
    const struct mesh *mesh = environment->mesh;
    struct environment_view view = {0};
    struct totals sums = {0}, finer = {0};
    uint8_t *whole = NULL, *dimension = NULL;
    double *all = NULL, *inside = NULL;
    enum status status = STATUS_OK;
    *volume = (struct volume){NAN, NAN};
    if (names_nodes(where))
        return environment_values(environment, where, LOCATION_NODE, weight, at, error);
    view.where = where;
    TRY_DONE(environment_view_make(&view, environment, where, LOCATION_ELEMENT, at, error));
    whole = array_new(mesh->nodes, sizeof *whole, what, &status, error);
    dimension = array_new(mesh->nodes, sizeof *dimension, what, &status, error);
    all = array_zeroed(mesh->nodes, sizeof *all, what, &status, error);
    inside = array_zeroed(mesh->nodes, sizeof *inside, what, &status, error);
    TRY_DONE(status);
    find_dimensions(dimension, mesh);
    sums = (struct totals){dimension, inside, all, 0, 0};
    TRY_DONE(integrate(&sums, &view, 1, error));
    finer.covered = sums.covered;
    if (sums.cuts <= FEW)
        TRY_DONE(integrate(&finer, &view, FINER, error));
    *volume = (struct volume){finer.covered, 0};
    bool flat = finer.covered == 0;
    if (flat)
        memset(whole, 1, (size_t)mesh->nodes);
    if (flat || mark_whole(whole, &view, dimension) > 0)
        TRY_DONE(environment_values(environment, where, LOCATION_NODE, weight, at, error));
    for (int64_t i = 0; i < mesh->nodes; i++) {
        if (!whole[i])
            weight[i] = floor(inside[i] / all[i] * STIMULUS_WEIGHTS + 0.5) / STIMULUS_WEIGHTS;
        volume->given += dimension[i] == mesh->dimension ? weight[i] * all[i] : 0;
    }
done:
    environment_view_free(&view);
    free(whole);
    free(dimension);
    free(all);
    free(inside);
    return status;
}
