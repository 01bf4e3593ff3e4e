/* openings.c: boundary edges joined at their nodes. */
#include "solver/mesh/openings.h"

#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/union_find.h"
#include "kernels/base/vec3.h"
#include "solver/mesh/surface.h"

static const char what[] = "the openings";

static int compare_openings(const void *a, const void *b)
{
    const struct opening *x = a, *y = b;
    if (x->closed != y->closed)
        return x->closed ? -1 : 1;
    if (x->perimeter != y->perimeter)
        return x->perimeter > y->perimeter ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

/* of[] <- the lowest node of each node's rim, -1 for nodes on no rim; degree[] <- number of boundary edges
 * at each node, at most 3. Returns the number of rims. */
static int join_edges(int32_t *of, uint8_t *degree, const struct mesh_surface *edges, int64_t nodes)
{
    int rims = 0;
    for (int64_t i = 0; i < nodes; i++)
        of[i] = (int32_t)i;
    for (int64_t f = 0; f < edges->faces; f++) {
        union_find_join(of, edges->face[2 * f], edges->face[2 * f + 1]);
        for (int c = 0; c < 2; c++)
            if (degree[edges->face[2 * f + c]] < 3)
                degree[edges->face[2 * f + c]]++;
    }
    for (int64_t i = 0; i < nodes; i++) {
        of[i] = degree[i] ? union_find_root(of, (int32_t)i) : -1;
        rims += of[i] == i;
    }
    return rims;
}

/* openings->item[] <- the sorted rims; of[] <- their indices instead of their lowest nodes */
static void measure_rims(struct openings *openings, const uint8_t *degree, const struct mesh_surface *edges,
                         const struct mesh *mesh, int32_t *place)
{
    struct opening *item = openings->item;
    int32_t *of = openings->of;
    int count = 0;
    for (int32_t i = 0; i < (int32_t)mesh->nodes; i++)
        if (of[i] == i) {
            place[i] = count;
            item[count++] = (struct opening){.first = i, .closed = true};
        }
    for (int64_t f = 0; f < edges->faces; f++) {
        const double *a = mesh->point + 3 * (int64_t)edges->face[2 * f],
                     *b = mesh->point + 3 * (int64_t)edges->face[2 * f + 1], length = mesh_distance(a, b);
        struct opening *rim = &item[place[of[edges->face[2 * f]]]];
        rim->perimeter += length;
        for (int d = 0; d < 3; d++)
            rim->centre[d] += length * (a[d] + b[d]) / 2;
    }
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (of[i] >= 0) {
            item[place[of[i]]].nodes++;
            item[place[of[i]]].closed = item[place[of[i]]].closed && degree[i] == 2;
        }
    for (int k = 0; k < count; k++)
        for (int d = 0; d < 3; d++)
            item[k].centre[d] /= item[k].perimeter;
    qsort(item, (size_t)count, sizeof *item, compare_openings);
    for (int k = 0; k < count; k++) {
        openings->closed += item[k].closed;
        place[item[k].first] = k;
    }
    for (int64_t i = 0; i < mesh->nodes; i++)
        of[i] = of[i] < 0 ? -1 : place[of[i]];
}

enum status openings_find(struct openings *openings, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    struct mesh_surface edges = {0};
    uint8_t *degree = NULL;
    int32_t *place = NULL;
    *openings = (struct openings){0};
    if (mesh->dimension != 2)
        return error_set(
            error, STATUS_INPUT,
            "openings are rims of a shell of triangles, and this mesh has %s; name marked faces or a list "
            "of nodes instead",
            mesh->dimension == 3 ? "tetrahedra" : "lines alone");
    TRY_DONE(mesh_surface_create(&edges, mesh, NULL, error));
    degree = array_zeroed(mesh->nodes, sizeof *degree, what, &status, error);
    place = array_new(mesh->nodes, sizeof *place, what, &status, error);
    openings->of = array_new(mesh->nodes, sizeof *openings->of, what, &status, error);
    TRY_DONE(status);
    openings->all = join_edges(openings->of, degree, &edges, mesh->nodes);
    openings->item = array_new(openings->all, sizeof *openings->item, what, &status, error);
    if (!status)
        measure_rims(openings, degree, &edges, mesh, place);
done:
    mesh_surface_free(&edges);
    free(degree);
    free(place);
    return status;
}

void openings_free(struct openings *openings)
{
    free(openings->item);
    free(openings->of);
    *openings = (struct openings){0};
}

/* text <- "1 at [0 mm, 2 mm, 1 mm], 12.6 mm long, ..." of the first ones */
static const char *list_rims(char *text, size_t size, const struct openings *openings)
{
    enum { MOST = 8 };
    text[0] = 0;
    for (int k = 0; k < openings->all && k < MOST; k++) {
        const struct opening *rim = &openings->item[k];
        char rank[16];
        snprintf(rank, sizeof rank, "%d", k + 1);
        printed_add(text, size, "%s%s at [%.4g mm, %.4g mm, %.4g mm], %.4g mm long", k ? "; " : "",
                    rim->closed ? rank : "not closed:", rim->centre[0], rim->centre[1], rim->centre[2],
                    rim->perimeter);
    }
    return openings->all > MOST ? printed_add(text, size, "; ..."), text : openings->all ? text : "none";
}

/* Relative difference up to which lengths are considered equal */
static const double same = 1e-6;

enum status openings_ranked(int *which, const struct openings *openings, int64_t rank, struct error *error)
{
    char list[800];
    *which = (int)rank - 1;
    if (rank < 1 || rank > openings->closed)
        return error_set(error, STATUS_INPUT, "the mesh has no opening %lld; its rims: %s", (long long)rank,
                         list_rims(list, sizeof list, openings));
    for (int k = *which - 1; k <= *which + 1; k += 2)
        if (k >= 0 && k < openings->closed &&
            fabs(openings->item[k].perimeter - openings->item[*which].perimeter) <=
                same * openings->item[*which].perimeter)
            return error_set(
                error, STATUS_INPUT,
                "openings %d and %d are equally long; name one by the position of its centre: %s",
                k < *which ? k + 1 : *which + 1, k < *which ? *which + 1 : k + 1,
                list_rims(list, sizeof list, openings));
    return STATUS_OK;
}

enum status openings_nearest(int *which, const struct openings *openings, const double point[3],
                             struct error *error)
{
    double least = HUGE_VAL, next = HUGE_VAL;
    char list[800];
    *which = -1;
    for (int k = 0; k < openings->all; k++) {
        const double distance = mesh_distance(point, openings->item[k].centre);
        if (distance < least)
            *which = k;
        next = fmin(next, fmax(least, distance));
        least = fmin(least, distance);
    }
    list_rims(list, sizeof list, openings);
    if (*which < 0)
        return error_set(error, STATUS_INPUT, "the mesh has no opening: the shell is closed");
    if (!openings->item[*which].closed)
        return error_set(
            error, STATUS_INPUT,
            "the nearest rim is not closed: at a node of it other than two boundary edges meet; its "
            "rims: %s",
            list);
    return next - least <= same * openings->item[*which].perimeter
               ? error_set(error, STATUS_INPUT, "two rims are equally near; its rims: %s", list)
               : STATUS_OK;
}
