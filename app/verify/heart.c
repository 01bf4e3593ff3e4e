/* heart.c: coordinates and fibres by rule, on a piece of a spherical shell and on an ellipsoid.
 *
 * verify_heart: a piece of a spherical shell, with the exact solution
 *   ri <= r <= ro, t1 <= t <= t2 from the pole, a wedge of longitude: apex at t1, base at t2
 *   transmural  (1/ri - 1/r) / (1/ri - 1/ro), a function of r;  a = ln tan(t / 2), a function of t, so that
 *   apicobasal  (cos t1 - cos t) / (cos t1 - cos t2), the fraction of the volume
 *   fibre       at the rule's angle from the direction of increasing longitude towards that of increasing t
 * verify_helix: the default angles of `rule: ldrb` through the wall of an ellipsoid. By symmetry the local axes are
 * those of a surface of revolution: around, up along the wall, outwards. A point between the ellipsoids with
 * semi-axes (a, c) and (a + w, c + w) is at depth k, (rho / (a + k w))^2 + (z / (c + k w))^2 = 1. The rule's own
 * depth is 0 and 1 on the same surfaces, but depends on Laplace's solution between them; therefore a parabola in k
 * is fitted to the angles, and its end values must be those of the paper (Bayer et al. 2012): fibres 40 and -50
 * degrees, sheets -65 and 25. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/verify/tissue.h"
#include "kernels/base/array.h"
#include "kernels/base/vec3.h"
#include "solver/heart/coordinates.h"
#include "solver/heart/ldrb.h"
#include "solver/mesh/generate.h"

static const double degrees = 57.29577951308232;                              /* per radian */
static const double inner = 8, outer = 12, from = 0.8, to = 1.7, wedge = 0.6; /* mm, radians */
static const struct ldrb rule = {{60, -60}, {-30, 20}};

struct errors {
    double transmural, apicobasal; /* RMS error at the nodes */
    double fiber, sheet;           /* RMS angle over the elements, degrees */
};

struct shell {
    struct mesh mesh;
    uint8_t *on;
};

/* cells: number through the wall. Planted error: wall and height 1 % larger than in the exact solution. */
static enum status shell_make(struct shell *shell, int cells, bool inject, struct error *error)
{
    double more = inject ? 1.01 : 1;
    const double size[3] = {cells, 2 * cells, 1.5 * cells};
    enum status status = STATUS_OK;
    TRY(mesh_slab(&shell->mesh, size, 1, error));
    shell->on = array_zeroed(shell->mesh.nodes, 1, "the surfaces", &status, error);
    if (status)
        return status;
    for (int64_t i = 0; i < shell->mesh.nodes; i++) {
        double *x = shell->mesh.point + 3 * i, s[3] = {x[0] / size[0], x[1] / size[1], x[2] / size[2]};
        double r = inner + (outer - inner) * s[0] * more, t = from + (to - from) * s[1] * more;
        shell->on[i] = (uint8_t)((s[0] == 0) << HEART_LV | (s[0] == 1) << HEART_EPI |
                                 (s[1] == 0) << HEART_APEX | (s[1] == 1) << HEART_BASE);
        x[0] = r * sin(t) * cos(wedge * s[2]);
        x[1] = r * sin(t) * sin(wedge * s[2]);
        x[2] = -r * cos(t); /* the pole is at the bottom, like an apex */
    }
    return STATUS_OK;
}

static void shell_free(struct shell *shell)
{
    mesh_free(&shell->mesh);
    free(shell->on);
}

/* Not hypot(), which would require glibc 2.35 */
static double length2(double a, double b)
{
    return sqrt(a * a + b * b);
}

static double transmural(double r)
{
    return (1 / inner - 1 / r) / (1 / inner - 1 / outer);
}

/* fiber, sheet <- the exact axes at x. around: direction of increasing longitude; up: of increasing t */
static void shell_axes(const double x[3], double fiber[3], double sheet[3])
{
    double rho = length2(x[0], x[1]), r = length2(rho, x[2]), c = x[0] / rho, s = x[1] / rho;
    double out[3] = {x[0] / r, x[1] / r, x[2] / r}, around[3] = {-s, c, 0};
    double up[3] = {-x[2] / r * c, -x[2] / r * s, rho / r}, p = transmural(r);
    double a = (rule.fiber[0] * (1 - p) + rule.fiber[1] * p) / degrees;
    double b = (rule.sheet[0] * (1 - p) + rule.sheet[1] * p) / degrees;
    for (int d = 0; d < 3; d++) {
        fiber[d] = cos(a) * around[d] + sin(a) * up[d];
        sheet[d] = cos(b) * out[d] + sin(b) * (cos(a) * up[d] - sin(a) * around[d]);
    }
}

static double square_of_angle(const double *a, const double b[3])
{
    double cosine = fmin(fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]), 1);
    double angle = acos(cosine) * degrees;
    return angle * angle;
}

static void measure_fibers(const struct mesh *mesh, struct errors *errors)
{
    double fiber[3], sheet[3];
    errors->fiber = errors->sheet = 0;
    for (int64_t e = 0; e < mesh->elements; e++) {
        double centre[3];
        mesh_centre(centre, mesh, e);
        shell_axes(centre, fiber, sheet);
        errors->fiber += square_of_angle(mesh->fiber + 3 * e, fiber);
        errors->sheet += square_of_angle(mesh->sheet + 3 * e, sheet);
    }
    errors->fiber = sqrt(errors->fiber / (double)mesh->elements);
    errors->sheet = sqrt(errors->sheet / (double)mesh->elements);
}

static enum status measure_shell(struct verify *verify, int cells, struct errors *errors, struct error *error)
{
    struct shell shell = {0};
    struct coordinates coordinates = {0};
    struct ldrb angles = rule;
    enum status status;
    TRY_DONE(shell_make(&shell, cells, verify->inject, error));
    TRY_DONE(coordinates_make(&coordinates, &shell.mesh, shell.on, COORDINATES_ALL, error));
    errors->transmural = errors->apicobasal = 0;
    for (int64_t i = 0; i < shell.mesh.nodes; i++) {
        const double *x = shell.mesh.point + 3 * i;
        double r = vec3_length(x);
        double fraction = (cos(from) + x[2] / r) / (cos(from) - cos(to));
        double across = coordinates.transmural[i] - transmural(r), up = coordinates.apicobasal[i] - fraction;
        errors->transmural += across * across / (double)shell.mesh.nodes;
        errors->apicobasal += up * up / (double)shell.mesh.nodes;
    }
    errors->transmural = sqrt(errors->transmural);
    errors->apicobasal = sqrt(errors->apicobasal);
    if (verify->inject) {
        angles.fiber[0] *= 1.05;
        angles.sheet[0] *= 1.05;
    }
    TRY_DONE(ldrb_fibers(&shell.mesh, shell.on, &coordinates, &angles, error));
    measure_fibers(&shell.mesh, errors);
done:
    coordinates_free(&coordinates);
    shell_free(&shell);
    return status;
}

static void check_order(struct verify *verify, const char *what, double coarse, double fine, double most,
                        double low, double high)
{
    verify_case(verify, "%s: error %.3g, with half the edge %.3g", what, coarse, fine);
    verify_interval(verify, "error with half the edge", fine, 0, most);
    verify_interval(verify, "order", verify_order(coarse, fine), low, high);
}

enum status verify_heart(struct verify *verify, struct error *error)
{
    struct errors coarse, fine;
    int cells = verify->extent == EXTENT_QUICK ? 6 : 12;
    TRY(measure_shell(verify, cells, &coarse, error));
    TRY(measure_shell(verify, 2 * cells, &fine, error));
    check_order(verify, "transmural", coarse.transmural, fine.transmural, 2e-4, 1.8, 2.3);
    check_order(verify, "apicobasal", coarse.apicobasal, fine.apicobasal, 1e-4, 1.8, 2.3);
    check_order(verify, "fibres, degrees", coarse.fiber, fine.fiber, 0.6, 0.9, 1.1);
    check_order(verify, "sheets, degrees", coarse.sheet, fine.sheet, 0.9, 0.9, 1.1);
    return STATUS_OK;
}

static const double radius = 7, depth = 17, wall = 4; /* mm */

static const char config_text[] = "version: 1\n"
                                  "mesh: {ellipsoid: {size: [7 mm, 17 mm, 4 mm], edge: 0.8 mm}}\n"
                                  "tissue:\n"
                                  "  surface_to_volume: 1400 /cm\n"
                                  "  fibers: {rule: ldrb}\n"
                                  "  regions: [{model: passive, conductivity: {longitudinal: 0.2 S/m, "
                                  "transverse: 0.1 S/m, normal: 0.05 S/m}}]\n"
                                  "stimuli: [{where: z < 0 mm, duration: 1 ms, current: 1 uA/uF}]\n"
                                  "time: {end: 1 ms, step: 0.02 ms}\n";

/* Sums of the normal equations of a parabola's fit */
struct parabola {
    double power[5], value[3];
};

static void add_point(struct parabola *p, double k, double value)
{
    double x[5] = {1, k, k * k, k * k * k, k * k * k * k};
    for (int i = 0; i < 5; i++)
        p->power[i] += x[i];
    for (int i = 0; i < 3; i++)
        p->value[i] += value * x[i];
}

/* The fitted parabola at k, by Cramer's rule */
static double parabola_at(const struct parabola *p, double k)
{
    double m[3][4], result[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[i][j] = p->power[i + j];
        m[i][3] = p->value[i];
    }
    double determinant[4];
    for (int c = 0; c < 4; c++) { /* column c - 1 replaced by the right-hand side; c = 0: none */
        double a[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a[i][j] = m[i][j == c - 1 ? 3 : j];
        determinant[c] = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    }
    for (int i = 0; i < 3; i++)
        result[i] = determinant[i + 1] / determinant[0];
    return result[0] + k * (result[1] + k * result[2]);
}

/* The depth k of (rho, z) between the ellipsoids, by bisection */
static double depth_at(double rho, double z)
{
    double low = -0.5, high = 1.5;
    for (int round = 0; round < 50; round++) {
        double k = (low + high) / 2, a = radius + k * wall, c = depth + k * wall;
        *(rho * rho / (a * a) + z * z / (c * c) > 1 ? &low : &high) = k;
    }
    return (low + high) / 2;
}

/* Adds an element's fibre and sheet angles to the fits of[2]; only near mid-height of the wall. */
static void add_element(struct parabola of[2], const struct mesh *mesh, int64_t e)
{
    double x[3];
    mesh_centre(x, mesh, e);
    double rho = length2(x[0], x[1]), z = x[2], k = depth_at(rho, z);
    if (fabs(z + depth / 4) > depth / 8)
        return;
    double a = radius + k * wall, c = depth + k * wall, steep = z / (c * c), wide = rho / (a * a);
    double length = length2(steep, wide), cosine = x[0] / rho, sine = x[1] / rho;
    double around[3] = {-sine, cosine, 0};
    double out[3] = {wide / length * cosine, wide / length * sine, steep / length};
    double up[3] = {-steep / length * cosine, -steep / length * sine, wide / length};
    const double *fiber = mesh->fiber + 3 * e, *sheet = mesh->sheet + 3 * e;
    double across[3];
    double angle = atan2(vec3_dot(fiber, up), vec3_dot(fiber, around));
    angle -= angle > 1.5707963267948966 ? 3.141592653589793 : 0;
    angle += angle < -1.5707963267948966 ? 3.141592653589793 : 0;
    for (int d = 0; d < 3; d++)
        across[d] = cos(angle) * up[d] - sin(angle) * around[d];
    add_point(&of[0], k, angle * degrees);
    add_point(&of[1], k, atan(vec3_dot(sheet, across) / vec3_dot(sheet, out)) * degrees);
}

enum status verify_helix(struct verify *verify, struct error *error)
{
    /* degrees on endocardium and epicardium, fibres and sheets; planted error: angles larger by 5 % */
    static const double want[2][2] = {{40, -50}, {-65, 25}};
    static const char planted[] =
        "tissue.fibers={rule: ldrb, fiber: [42 deg, -52.5 deg], sheet: [-68.25 deg, 26.25 deg]}";
    struct verify_study study;
    struct parabola of[2] = {0};
    enum status status;
    TRY_DONE(verify_study_make(&study, config_text, verify->inject ? planted : NULL, error));
    for (int64_t e = 0; e < study.problem.mesh.elements; e++)
        add_element(of, &study.problem.mesh, e);
    for (int which = 0; which < 2; which++) {
        verify_case(verify, "%s of an ellipsoid's wall, %g elements", which ? "sheets" : "fibres",
                    of[which].power[0]);
        for (int side = 0; side < 2; side++) {
            char what[80];
            double expected = want[which][side];
            snprintf(what, sizeof what, "degrees on the %s, less %g", side ? "epicardium" : "endocardium",
                     expected);
            verify_interval(verify, what, parabola_at(&of[which], side) - expected, -1, 1);
        }
    }
done:
    verify_study_free(&study);
    return status;
}
