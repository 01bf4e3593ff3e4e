/* fibers.c: fibres that turn through a wall. */
#include "solver/mesh/fibers.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"
#include "solver/mesh/nearest.h"

enum status mesh_turn_fibers(struct mesh *mesh, int across, const double degrees[2], struct error *error)
{
    const double radians = 0x1.1df46a2529d39p-6; /* pi / 180 */
    const int b = (across + 1) % 3, c = (across + 2) % 3;
    double lows[3], highs[3];
    mesh_box(lows, highs, mesh);
    const double low = lows[across], high = highs[across];
    if (!(high > low))
        return error_set(error, STATUS_INPUT, "fibres cannot turn along %c: the mesh has no extent there",
                         "xyz"[across]);
    enum status status = STATUS_OK;
    double *fiber = array_zeroed(3 * mesh->elements, sizeof *fiber, "the fibres", &status, error);
    double *sheet = array_zeroed(3 * mesh->elements, sizeof *sheet, "the fibres", &status, error);
    if (status) {
        free(fiber);
        return status;
    }
    for (int64_t e = 0; e < mesh->elements; e++) {
        const int corners = mesh_corners(mesh, e);
        double sum = 0;
        for (int k = 0; k < corners; k++)
            sum += mesh->point[3 * (int64_t)mesh->vertex[e * (mesh->dimension + 1) + k] + across] - low;
        double depth = sum / corners / (high - low);
        double angle = (degrees[0] + depth * (degrees[1] - degrees[0])) * radians;
        fiber[3 * e + b] = real_cos_double(angle);
        fiber[3 * e + c] = real_sin_double(angle);
        sheet[3 * e + across] = 1;
    }
    free(mesh->fiber);
    free(mesh->sheet);
    mesh->fiber = fiber;
    mesh->sheet = sheet;
    mesh->fiber_location = LOCATION_ELEMENT;
    return STATUS_OK;
}

static const char what[] = "the fibres";

static bool has_fiber(const struct mesh *mesh, int64_t i)
{
    const double *fiber = mesh->fiber + 3 * i;
    return fiber[0] != 0 || fiber[1] != 0 || fiber[2] != 0;
}

/* position[][3] <- positions of nodes, or of elements' centres */
static void put_positions(double *position, const struct mesh *mesh)
{
    if (mesh->fiber_location == LOCATION_NODE) {
        memcpy(position, mesh->point, 3 * (size_t)mesh->nodes * sizeof *position);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < mesh->elements; e++)
        mesh_centre(position + 3 * e, mesh, e);
}

/* item[] <- the candidates for the nearest item to one that lacks a fibre: those no farther from it than
 * all of every SAMPLE-th of the items. Returns their number, which is small if few items lack fibres. */
static enum status keep_near(int32_t *item, int64_t *items, const double *position, const int32_t *lacking,
                             int64_t count, struct error *error)
{
    enum { SAMPLE = 64 };
    enum status status = STATUS_OK;
    struct nearest some = {0}, all = {0};
    double farthest = 0;
    int64_t kept = 0, samples = (*items + SAMPLE - 1) / SAMPLE;
    int32_t *sample = array_new(samples, sizeof *sample, what, &status, error);
    uint8_t *near = array_new(*items, sizeof *near, what, &status, error);
    TRY_DONE(status);
    for (int64_t k = 0; k < samples; k++)
        sample[k] = item[k * SAMPLE];
    TRY_DONE(nearest_create(&some, position, sample, 1, samples, error));
    TRY_DONE(nearest_create(&all, position, lacking, 1, count, error));
#pragma omp parallel for schedule(dynamic, 256) reduction(max : farthest)
    for (int64_t k = 0; k < count; k++) {
        double distance;
        nearest_find(&some, position + 3 * (int64_t)lacking[k], -1, &distance);
        farthest = fmax(farthest, distance);
    }
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t k = 0; k < *items; k++)
        near[k] = nearest_within(&all, position + 3 * (int64_t)item[k], farthest);
    for (int64_t k = 0; k < *items; k++)
        if (near[k])
            item[kept++] = item[k];
    *items = kept;
done:
    nearest_free(&some);
    nearest_free(&all);
    free(sample);
    free(near);
    return status;
}

/* item[] <- the items with fibres, lacking[] <- those without, both ascending: the list of each thread
 * follows those of the threads before it. *known, *count <- their numbers; first[threads + 1] is workspace */
static void part_rows(int32_t *item, int32_t *lacking, int64_t *known, int64_t *count, int64_t *first,
                      const struct mesh *mesh, int64_t rows)
{
#pragma omp parallel
    {
        const int64_t threads = omp_get_num_threads(), t = omp_get_thread_num();
        const int64_t low = rows * t / threads, high = rows * (t + 1) / threads;
        int64_t own = 0;
        for (int64_t i = low; i < high; i++)
            own += has_fiber(mesh, i);
        first[t + 1] = own;
#pragma omp barrier
#pragma omp single
        {
            first[0] = 0;
            for (int64_t k = 0; k < threads; k++)
                first[k + 1] += first[k];
            *known = first[threads];
            *count = rows - *known;
        }
        const int64_t end = *count == 0 ? low : high; /* the lists are not needed if none lacks a fibre */
        for (int64_t i = low, to = first[t], off = low - first[t]; i < end; i++)
            if (has_fiber(mesh, i))
                item[to++] = (int32_t)i;
            else
                lacking[off++] = (int32_t)i;
    }
}

enum status mesh_fill_fibers(struct mesh *mesh, int64_t *filled, struct error *error)
{
    struct nearest nearest = {0};
    enum status status = STATUS_OK;
    int64_t rows = mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements, known = 0, count = 0;
    double *position = NULL;
    *filled = 0;
    if (!mesh->fiber)
        return error_set(error, STATUS_INPUT, "the mesh has no fibres");
    int32_t *item = array_new(rows, sizeof *item, what, &status, error);
    int32_t *lacking = array_new(rows, sizeof *lacking, what, &status, error);
    int64_t *first = array_new(omp_get_max_threads() + 1, sizeof *first, what, &status, error);
    TRY_DONE(status);
    part_rows(item, lacking, &known, &count, first, mesh, rows);
    if (known == 0)
        status = error_set(error, STATUS_INPUT, "every fibre of the mesh is zero");
    if (known == 0 || count == 0)
        goto done;
    position = array_new(3 * rows, sizeof *position, what, &status, error);
    TRY_DONE(status);
    put_positions(position, mesh);
    TRY_DONE(keep_near(item, &known, position, lacking, count, error));
    TRY_DONE(nearest_create(&nearest, position, item, 1, known, error));
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t k = 0; k < count; k++) {
        int64_t i = lacking[k], from = item[nearest_find(&nearest, position + 3 * i, -1, NULL)];
        memcpy(mesh->fiber + 3 * i, mesh->fiber + 3 * from, 3 * sizeof *mesh->fiber);
        if (mesh->sheet)
            memcpy(mesh->sheet + 3 * i, mesh->sheet + 3 * from, 3 * sizeof *mesh->sheet);
    }
    *filled = count;
done:
    nearest_free(&nearest);
    free(position);
    free(first);
    free(item);
    free(lacking);
    return status;
}
