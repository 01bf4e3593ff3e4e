/* fibers.c: fibres that turn through a wall. */
#include "solver/mesh/fibers.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"
#include "solver/mesh/nearest.h"

enum status mesh_turn_fibers(struct mesh *mesh, int across, const double degrees[2], struct error *error)
{
    const double radians = 0x1.1df46a2529d39p-6; /* pi / 180 */
    int corners = mesh->dimension + 1, b = (across + 1) % 3, c = (across + 2) % 3;
    double low = mesh->point[across], high = low;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        low = fmin(low, mesh->point[3 * i + across]);
        high = fmax(high, mesh->point[3 * i + across]);
    }
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
        double sum = 0;
        for (int k = 0; k < corners; k++)
            sum += mesh->point[3 * (int64_t)mesh->vertex[e * corners + k] + across] - low;
        double place = sum / corners / (high - low);
        double angle = (degrees[0] + place * (degrees[1] - degrees[0])) * radians;
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

static bool has_fiber(const struct mesh *mesh, int64_t i)
{
    const double *fiber = mesh->fiber + 3 * i;
    return fiber[0] != 0 || fiber[1] != 0 || fiber[2] != 0;
}

/* place[][3] <- the nodes, or the elements' centres */
static void put_places(double *place, const struct mesh *mesh)
{
    int corners = mesh->dimension + 1;
    if (mesh->fiber_location == LOCATION_NODE) {
        memcpy(place, mesh->point, 3 * (size_t)mesh->nodes * sizeof *place);
        return;
    }
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int d = 0; d < 3; d++) {
            place[3 * e + d] = 0;
            for (int c = 0; c < corners; c++)
                place[3 * e + d] += mesh->point[3 * (int64_t)mesh->vertex[e * corners + c] + d] / corners;
        }
}

enum status mesh_fill_fibers(struct mesh *mesh, int64_t *filled, struct error *error)
{
    struct nearest nearest = {0};
    enum status status = STATUS_OK;
    int64_t rows = mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements, known = 0;
    *filled = 0;
    if (!mesh->fiber)
        return error_set(error, STATUS_INPUT, "the mesh has no fibres");
    double *place = array_new(3 * rows, sizeof *place, "the fibres", &status, error);
    int32_t *item = array_new(rows, sizeof *item, "the fibres", &status, error);
    if (status)
        goto done;
    put_places(place, mesh);
    for (int64_t i = 0; i < rows; i++)
        if (has_fiber(mesh, i))
            item[known++] = (int32_t)i;
    if (known == 0)
        status = error_set(error, STATUS_INPUT, "every fibre of the mesh is zero");
    TRY(nearest_create(&nearest, place, item, 1, known, error));
    for (int64_t i = 0, k = 0; i < rows && !status; i++) {
        if (k < known && item[k] == i) { /* known before, not just filled */
            k++;
            continue;
        }
        int64_t from = item[nearest_find(&nearest, place + 3 * i, -1, NULL)];
        memcpy(mesh->fiber + 3 * i, mesh->fiber + 3 * from, 3 * sizeof *mesh->fiber);
        if (mesh->sheet)
            memcpy(mesh->sheet + 3 * i, mesh->sheet + 3 * from, 3 * sizeof *mesh->sheet);
        ++*filled;
    }
    nearest_free(&nearest);
done:
    free(place);
    free(item);
    return status;
}
