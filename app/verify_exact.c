/* verify_exact.c: the coupled system against its exact solution (verify_pathmanathan.h) in 1, 2 and 3
 * dimensions: with h = 0.1 k and dt = 0.1 k^2 the error in L2 falls as k^2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/verify.h"
#include "app/verify_pathmanathan.h"

struct errors {
    double v;     /* largest over the time steps */
    double state; /* of u1 at t = 1 */
};

static enum status run(struct verify *verify, int dimension, int fine, struct errors *errors,
                       struct error *error)
{
    struct verify_tissue tissue;
    double *mass = NULL;
    int64_t steps = 10 * fine * fine;
    enum status status = pathmanathan_make(&tissue, dimension, 0.1 / fine, error);
    errors->v = 0;
    if (status)
        goto done;
    tissue.params.step = 0.1 / (fine * fine);
    mass = verify_tissue_mass(&tissue, error);
    status = mass ? pathmanathan_start(verify, &tissue, error) : STATUS_RUN;
    for (int64_t n = 0; n < steps && !status; n++) {
        status = verify_tissue_advance(&tissue, 1, error);
        if (!status)
            errors->v = fmax(errors->v, pathmanathan_error(&tissue, mass));
    }
    if (!status)
        status = pathmanathan_state_error(&tissue, mass, &errors->state, error);
done:
    free(mass);
    verify_tissue_free(&tissue);
    return status;
}

static enum status dimension_case(struct verify *verify, int dimension, int levels, struct error *error)
{
    struct errors last = {0, 0}, now = {0, 0};
    char list[200] = "";
    size_t used = 0;
    for (int level = 0; level < levels; level++) {
        last = now;
        enum status status = run(verify, dimension, 1 << level, &now, error);
        if (status)
            return status;
        used += (size_t)snprintf(list + used, sizeof list - used, " %.4g", now.v);
    }
    verify_case(verify, "%d-D, h from 0.1 to %g, dt = 10 h^2: error of V in Linf(L2)%s", dimension,
                0.1 / (1 << (levels - 1)), list);
    verify_interval(verify, "order of V, from the last two meshes", verify_order(last.v, now.v), 1.9, 2.2);
    verify_interval(verify, "order of the state u1 at t = 1", verify_order(last.state, now.state), 1.9, 2.2);
    return STATUS_OK;
}

enum status verify_exact(struct verify *verify, const char *name, struct error *error)
{
    enum extent extent = verify->extent;
    (void)name;
    enum status status = dimension_case(verify, 1, 5, error);
    if (!status)
        status = dimension_case(verify, 2, extent == EXTENT_QUICK ? 3 : 4, error);
    if (!status)
        status = dimension_case(verify, 3, extent == EXTENT_FULL ? 4 : 3, error);
    return status;
}
