/* helix.c: the fibres that a config's `rule: ldrb` lays by default through the wall of an ellipsoid. By
 * symmetry its axes are those of the surface of revolution: around, up along the wall and outwards. A point
 * between the ellipsoids of half axes (a, c) and (a + w, c + w) lies at the depth k with (rho / (a + k w))^2
 * + (z / (c + k w))^2 = 1: on the surfaces the rule's own depth is 0 and 1 as well. Angles in between depend
 * on Laplace's solution, and are fitted by a parabola in k; its ends are held to the angles of the paper
 * (Bayer et al. 2012): fibres 40 and -50 degrees, sheets -65 and 25. */
#include <math.h>
#include <stdio.h>

#include "app/verify/study.h"

static const double radius = 7, depth = 17, wall = 4; /* mm */
static const double degrees = 57.29577951308232;

static const char config_text[] = "version: 1\n"
                                  "mesh: {ellipsoid: {size: [7 mm, 17 mm, 4 mm], edge: 0.8 mm}}\n"
                                  "tissue:\n"
                                  "  surface_to_volume: 1400 /cm\n"
                                  "  fibers: {rule: ldrb}\n"
                                  "  regions: [{model: passive, conductivity: {longitudinal: 0.2 S/m, "
                                  "transverse: 0.1 S/m, normal: 0.05 S/m}}]\n"
                                  "stimuli: [{where: z < 0 mm, duration: 1 ms, current: 1 uA/uF}]\n"
                                  "time: {end: 1 ms, step: 0.02 ms}\n";

/* Sums of the parabola's normal equations */
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

/* The parabola at k, by Cramer's rule */
static double parabola_at(const struct parabola *p, double k)
{
    double m[3][4], result[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            m[i][j] = p->power[i + j];
        m[i][3] = p->value[i];
    }
    double determinant[4];
    for (int c = 0; c < 4; c++) { /* column c - 1 replaced by the right side; 0 = none */
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

/* Where rho, z lie between the ellipsoids, by halving */
static double depth_at(double rho, double z)
{
    double low = -0.5, high = 1.5;
    for (int round = 0; round < 50; round++) {
        double k = (low + high) / 2, a = radius + k * wall, c = depth + k * wall;
        *(rho * rho / (a * a) + z * z / (c * c) > 1 ? &low : &high) = k;
    }
    return (low + high) / 2;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* of[2] += the angles of fibre and sheet in an element of the middle of the wall's height */
static void add_element(struct parabola of[2], const struct mesh *mesh, int64_t e)
{
    double x[3] = {0, 0, 0};
    for (int c = 0; c < 4; c++)
        for (int d = 0; d < 3; d++)
            x[d] += mesh->point[3 * (int64_t)mesh->vertex[4 * e + c] + d] / 4;
    double rho = hypot(x[0], x[1]), z = x[2], k = depth_at(rho, z);
    if (fabs(z + depth / 4) > depth / 8)
        return;
    double a = radius + k * wall, c = depth + k * wall, steep = z / (c * c), wide = rho / (a * a);
    double length = hypot(steep, wide), cosine = x[0] / rho, sine = x[1] / rho;
    double around[3] = {-sine, cosine, 0};
    double out[3] = {wide / length * cosine, wide / length * sine, steep / length};
    double up[3] = {-steep / length * cosine, -steep / length * sine, wide / length};
    const double *fiber = mesh->fiber + 3 * e, *sheet = mesh->sheet + 3 * e;
    double across[3];
    double angle = atan2(dot(fiber, up), dot(fiber, around));
    angle -= angle > 1.5707963267948966 ? 3.141592653589793 : 0;
    angle += angle < -1.5707963267948966 ? 3.141592653589793 : 0;
    for (int d = 0; d < 3; d++)
        across[d] = cos(angle) * up[d] - sin(angle) * around[d];
    add_point(&of[0], k, angle * degrees);
    add_point(&of[1], k, atan(dot(sheet, across) / dot(sheet, out)) * degrees);
}

enum status verify_helix(struct verify *verify, const char *name, struct error *error)
{
    /* degrees on the endocardium and on the epicardium; the planted error turns all by 5 % */
    static const double want[2][2] = {{40, -50}, {-65, 25}};
    static const char planted[] =
        "tissue.fibers={rule: ldrb, fiber: [42 deg, -52.5 deg], sheet: [-68.25 deg, 26.25 deg]}";
    struct verify_study study;
    struct parabola of[2] = {0};
    (void)name;
    enum status status = verify_study_make(&study, config_text, verify->inject ? planted : NULL, error);
    for (int64_t e = 0; !status && e < study.problem.mesh.elements; e++)
        add_element(of, &study.problem.mesh, e);
    for (int which = 0; which < 2 && !status; which++) {
        verify_case(verify, "%s of an ellipsoid's wall, %g elements", which ? "sheets" : "fibres",
                    of[which].power[0]);
        for (int side = 0; side < 2; side++) {
            char what[80];
            double sought = want[which][side];
            snprintf(what, sizeof what, "degrees on the %s, less %g", side ? "epicardium" : "endocardium",
                     sought);
            verify_interval(verify, what, parabola_at(&of[which], side) - sought, -1, 1);
        }
    }
    verify_study_free(&study);
    return status;
}
