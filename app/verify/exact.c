/* exact.c: the coupled system against its exact solution (pathmanathan.h) in 1, 2 and 3
 * dimensions: with h = 0.1 k and dt = 0.1 k^2 the error in L2 falls as k^2, and each error is as large as it
 * was found to be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/verify/pathmanathan.h"
#include "app/verify/verify.h"

struct errors {
    double v;     /* largest over the time steps */
    double state; /* of u1 at t = 1 */
};

enum { LEVELS = 5 };

/* Printed by `cardiac verify exact --full --update` */
static const struct errors stored[3][LEVELS] = {
    {{2.1007e-03, 1.4098e-02},
     {7.3844e-04, 3.0674e-03},
     {1.9782e-04, 7.6783e-04},
     {5.0276e-05, 1.9244e-04},
     {1.2620e-05, 4.8146e-05}},
    {{5.2094e-02, 5.9705e-02}, {1.4012e-02, 1.6206e-02}, {3.5615e-03, 4.1325e-03}, {8.9385e-04, 1.0381e-03}},
    {{8.1003e-02, 7.2092e-02}, {2.1628e-02, 1.9885e-02}, {5.4738e-03, 5.0799e-03}, {1.3719e-03, 1.2761e-03}},
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
    AND(pathmanathan_state_error(&tissue, mass, &errors->state, error));
done:
    free(mass);
    verify_tissue_free(&tissue);
    return status;
}

static void check_error(struct verify *verify, const char *what, int level, double error, double want)
{
    const double within = 0.005;
    char line[80];
    snprintf(line, sizeof line, "%s, h = %g", what, 0.1 / (1 << level));
    verify_interval(verify, line, error, want * (1 - within), want * (1 + within));
}

static enum status dimension_case(struct verify *verify, int dimension, int levels, struct error *error)
{
    struct errors found[LEVELS];
    for (int level = 0; level < levels; level++) {
        enum status status = run(verify, dimension, 1 << level, found + level, error);
        if (status)
            return status;
    }
    if (verify->update) {
        for (int level = 0; level < levels; level++)
            printf("%s{%.4e, %.4e}%s", level ? " " : "    {", found[level].v, found[level].state,
                   level + 1 < levels ? "," : "},\n");
        return STATUS_OK;
    }
    verify_case(verify, "%d-D, h from 0.1 to %g, dt = 10 h^2", dimension, 0.1 / (1 << (levels - 1)));
    for (int level = 0; level < levels; level++) {
        const struct errors *want = &stored[dimension - 1][level];
        check_error(verify, "error of V in Linf(L2)", level, found[level].v, want->v);
        check_error(verify, "error of u1 at t = 1 in L2", level, found[level].state, want->state);
    }
    const struct errors *last = found + levels - 2, *now = found + levels - 1;
    verify_interval(verify, "order of V, from the last two meshes", verify_order(last->v, now->v), 1.9, 2.2);
    verify_interval(verify, "order of the state u1 at t = 1", verify_order(last->state, now->state), 1.9,
                    2.2);
    return STATUS_OK;
}

enum status verify_exact(struct verify *verify, const char *name, struct error *error)
{
    enum extent extent = verify->extent;
    (void)name;
    enum status status = dimension_case(verify, 1, 5, error);
    AND(dimension_case(verify, 2, extent == EXTENT_QUICK ? 3 : 4, error));
    AND(dimension_case(verify, 3, extent == EXTENT_FULL ? 4 : 3, error));
    return status;
}
