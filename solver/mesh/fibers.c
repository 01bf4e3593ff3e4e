/* fibers.c: fibres that turn through a wall. */
#include "solver/mesh/fibers.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"

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
