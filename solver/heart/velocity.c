/* velocity.c: one pass over the elements, in their order. */
#include "solver/heart/velocity.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "solver/matrix/simplex.h"

/* sum[4] of each corner += |e| {grad t, 1} */
static void add_element(const struct mesh *mesh, int64_t e, const double *time, int64_t stride, double *sum)
{
    int corners = mesh->dimension + 1;
    const int32_t *vertex = mesh->vertex + e * corners;
    double gradient[4][3], of[4] = {0};
    double volume = simplex_gradients(mesh, e, gradient);
    for (int a = 1; a < corners; a++) /* differences: of equal times the gradient is 0 to the last bit */
        for (int x = 0; x < 3; x++)
            of[x] += volume * gradient[a][x] * (time[vertex[a] * stride] - time[vertex[0] * stride]);
    of[3] = volume;
    if (!isfinite(of[0] + of[1] + of[2]))
        return;
    for (int a = 0; a < corners; a++)
        for (int x = 0; x < 4; x++)
            sum[4 * (int64_t)vertex[a] + x] += of[x];
}

enum status velocity_of_times(const struct mesh *mesh, double *time, int64_t stride, struct error *error)
{
    enum status status = STATUS_OK;
    double *sum = array_zeroed(4 * mesh->nodes, sizeof *sum, "the velocities", &status, error);
    TRY(status);
    for (int64_t e = 0; e < mesh->elements; e++)
        add_element(mesh, e, time, stride, sum);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        const double *g = sum + 4 * i;
        double slowness = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / g[3];
        time[i * stride] = isnan(time[i * stride]) || !(slowness > 0) ? NAN : 1 / slowness;
    }
    free(sum);
    return STATUS_OK;
}
