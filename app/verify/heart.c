/* heart.c: coordinates and fibres by rule on a piece of a spherical shell, where they are known.
 *
 *   ri <= r <= ro, t1 <= t <= t2 from the pole, a wedge of longitude: apex at t1, base at t2
 *   transmural  (1/ri - 1/r) / (1/ri - 1/ro), of r alone;  a = ln tan(t / 2), of t alone, so that
 *   apicobasal  (cos t1 - cos t) / (cos t1 - cos t2), the part of the volume
 *   fibre       at the rule's angle between the directions of longitude and of growing t */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/verify/tissue.h"
#include "app/verify/verify.h"
#include "kernels/base/array.h"
#include "solver/heart/coordinates.h"
#include "solver/heart/ldrb.h"
#include "solver/mesh/generate.h"

static const double inner = 8, outer = 12, from = 0.8, to = 1.7, wedge = 0.6; /* mm, radians */
static const struct ldrb rule = {{60, -60}, {-30, 20}};

struct errors {
    double transmural, apicobasal; /* root of the mean square at the nodes */
    double fiber, sheet;           /* root of the mean square of the angle over the volume, degrees */
};

struct shell {
    struct mesh mesh;
    uint8_t *on;
};

/* cells: through the wall; the planted error is a wall and a height larger by 1 % than the solution's */
static enum status shell_make(struct shell *shell, int cells, bool inject, struct error *error)
{
    double more = inject ? 1.01 : 1;
    const double size[3] = {cells, 2 * cells, 1.5 * cells};
    enum status status = mesh_slab(&shell->mesh, size, 1, error);
    shell->on = array_zeroed(shell->mesh.nodes, 1, "the surfaces", &status, error);
    for (int64_t i = 0; i < shell->mesh.nodes && !status; i++) {
        double *x = shell->mesh.point + 3 * i, s[3] = {x[0] / size[0], x[1] / size[1], x[2] / size[2]};
        double r = inner + (outer - inner) * s[0] * more, t = from + (to - from) * s[1] * more;
        shell->on[i] = (uint8_t)((s[0] == 0) << HEART_LV | (s[0] == 1) << HEART_EPI |
                                 (s[1] == 0) << HEART_APEX | (s[1] == 1) << HEART_BASE);
        x[0] = r * sin(t) * cos(wedge * s[2]);
        x[1] = r * sin(t) * sin(wedge * s[2]);
        x[2] = -r * cos(t); /* the pole is below, as an apex */
    }
    return status;
}

static void shell_free(struct shell *shell)
{
    mesh_free(&shell->mesh);
    free(shell->on);
}

static double transmural(double r)
{
    return (1 / inner - 1 / r) / (1 / inner - 1 / outer);
}

/* fiber, sheet <- at a point: around is (-sin, cos) of the longitude, up that of growing t */
static void axes_at(const double x[3], double fiber[3], double sheet[3])
{
    double rho = hypot(x[0], x[1]), r = hypot(rho, x[2]), c = x[0] / rho, s = x[1] / rho;
    double out[3] = {x[0] / r, x[1] / r, x[2] / r}, around[3] = {-s, c, 0};
    double up[3] = {-x[2] / r * c, -x[2] / r * s, rho / r}, p = transmural(r);
    double a = (rule.fiber[0] * (1 - p) + rule.fiber[1] * p) / 57.29577951308232;
    double b = (rule.sheet[0] * (1 - p) + rule.sheet[1] * p) / 57.29577951308232;
    for (int d = 0; d < 3; d++) {
        fiber[d] = cos(a) * around[d] + sin(a) * up[d];
        sheet[d] = cos(b) * out[d] + sin(b) * (cos(a) * up[d] - sin(a) * around[d]);
    }
}

static double square_of_angle(const double *a, const double b[3])
{
    double cosine = fmin(fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]), 1);
    double angle = acos(cosine) * 57.29577951308232;
    return angle * angle;
}

static void measure_fibers(const struct mesh *mesh, struct errors *errors)
{
    double fiber[3], sheet[3];
    errors->fiber = errors->sheet = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        double centre[3] = {0, 0, 0};
        for (int c = 0; c < 4; c++)
            for (int d = 0; d < 3; d++)
                centre[d] += mesh->point[3 * (int64_t)mesh->vertex[4 * e + c] + d] / 4;
        axes_at(centre, fiber, sheet);
        errors->fiber += square_of_angle(mesh->fiber + 3 * e, fiber);
        errors->sheet += square_of_angle(mesh->sheet + 3 * e, sheet);
    }
    errors->fiber = sqrt(errors->fiber / (double)mesh->elements);
    errors->sheet = sqrt(errors->sheet / (double)mesh->elements);
}

static enum status measure(struct verify *verify, int cells, struct errors *errors, struct error *error)
{
    struct shell shell = {0};
    struct coordinates coordinates = {0};
    struct ldrb angles = rule;
    enum status status = shell_make(&shell, cells, verify->inject, error);
    AND(coordinates_make(&coordinates, &shell.mesh, shell.on, COORDINATES_ALL, error));
    errors->transmural = errors->apicobasal = 0;
    for (int64_t i = 0; i < shell.mesh.nodes && !status; i++) {
        const double *x = shell.mesh.point + 3 * i;
        double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        double part = (cos(from) + x[2] / r) / (cos(from) - cos(to));
        double across = coordinates.transmural[i] - transmural(r), up = coordinates.apicobasal[i] - part;
        errors->transmural += across * across / (double)shell.mesh.nodes;
        errors->apicobasal += up * up / (double)shell.mesh.nodes;
    }
    errors->transmural = sqrt(errors->transmural);
    errors->apicobasal = sqrt(errors->apicobasal);
    if (verify->inject) {
        angles.fiber[0] *= 1.05;
        angles.sheet[0] *= 1.05;
    }
    AND(ldrb_fibers(&shell.mesh, shell.on, &coordinates, &angles, error));
    if (!status)
        measure_fibers(&shell.mesh, errors);
    coordinates_free(&coordinates);
    shell_free(&shell);
    return status;
}

static void check(struct verify *verify, const char *what, double coarse, double fine, double most,
                  double low, double high)
{
    verify_case(verify, "%s: error %.3g, with half the edge %.3g", what, coarse, fine);
    verify_interval(verify, "error with half the edge", fine, 0, most);
    verify_interval(verify, "order", verify_order(coarse, fine), low, high);
}

enum status verify_heart(struct verify *verify, const char *name, struct error *error)
{
    struct errors coarse, fine;
    int cells = verify->extent == EXTENT_QUICK ? 6 : 12;
    (void)name;
    enum status status = measure(verify, cells, &coarse, error);
    AND(measure(verify, 2 * cells, &fine, error));
    if (status)
        return status;
    check(verify, "transmural", coarse.transmural, fine.transmural, 2e-4, 1.8, 2.3);
    check(verify, "apicobasal", coarse.apicobasal, fine.apicobasal, 1e-4, 1.8, 2.3);
    check(verify, "fibres, degrees", coarse.fiber, fine.fiber, 0.6, 0.9, 1.1);
    check(verify, "sheets, degrees", coarse.sheet, fine.sheet, 0.9, 0.9, 1.1);
    return STATUS_OK;
}
