/* ldrb.c: axes from gradients, rotated, and blended as quaternions; several elements are processed
 * together, because the angles of a single one would be a chain of dependent operations. */
#include "solver/heart/ldrb.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"
#include "kernels/base/vec3.h"
#include "solver/matrix/simplex.h"

/* Laplace's solutions: apex to base; 1 on one surface and 0 on the other two */
enum { UP, EPI, LV, RV, SOLUTIONS };

enum { TASK = 1024, LANES = 8 }; /* elements per task; elements processed together */

/* The columns of a rotation: around the wall (or fibre), upwards (or sheet normal), across it (or sheet) */
struct axes {
    double e[3][3]; /* e[k] is column k */
    bool defined;
};

struct ldrb ldrb_default(void)
{
    return (struct ldrb){.fiber = {40, -50}, .sheet = {-65, 25}};
}

static bool normalise(double a[3])
{
    const double length = vec3_normalise(a);
    return length > 0 && isfinite(length);
}

/* e1 = up / |up|, e2 = the component of `across` normal to it, e0 = e1 x e2; undefined if the two are
 * parallel, as in an element with three corners on two surfaces, where all three have prescribed values in
 * each solution */
static struct axes axes_of(const double up[3], const double across[3], double side)
{
    const double parallel = 1e-6;
    struct axes axes;
    for (int d = 0; d < 3; d++)
        axes.e[1][d] = up[d];
    axes.defined = normalise(axes.e[1]);
    double along = vec3_dot(axes.e[1], across);
    for (int d = 0; d < 3; d++)
        axes.e[2][d] = side * (across[d] - along * axes.e[1][d]);
    const bool crosses = vec3_dot(axes.e[2], axes.e[2]) > parallel * parallel * vec3_dot(across, across);
    axes.defined = normalise(axes.e[2]) && crosses && axes.defined;
    vec3_cross(axes.e[0], axes.e[1], axes.e[2]);
    return axes;
}

/* Rotates: a <- cosine a + sine b, b <- cosine b - sine a */
static void rotate(double a[3], double b[3], double cosine, double sine)
{
    for (int d = 0; d < 3; d++) {
        double x = a[d], y = b[d];
        a[d] = cosine * x + sine * y;
        b[d] = cosine * y - sine * x;
    }
}

/* Cosine and sine of the angles a about e2 and b about the fibre */
struct turn {
    double a[2], b[2];
};

/* turn[] <- by a and b in radians */
static void turns_by(struct turn turn[LANES], const double a[LANES], const double b[LANES])
{
    double of[4][LANES];
    for (int l = 0; l < LANES; l++) {
        of[0][l] = real_cos_double(a[l]);
        of[1][l] = real_sin_double(a[l]);
        of[2][l] = real_cos_double(b[l]);
        of[3][l] = real_sin_double(b[l]);
    }
    for (int l = 0; l < LANES; l++)
        turn[l] = (struct turn){{of[0][l], of[1][l]}, {of[2][l], of[3][l]}};
}

/* Rotates the axes about e2, then about the fibre */
static void orient(struct axes *axes, const struct turn *turn)
{
    rotate(axes->e[0], axes->e[1], turn->a[0], turn->a[1]);
    rotate(axes->e[2], axes->e[1], turn->b[0], turn->b[1]);
}

/* q <- the rotation's quaternion (w, x, y, z), computed from the largest component, to avoid the root of a
 * small number */
static void quaternion(double q[4], const struct axes *axes)
{
    const double(*e)[3] = axes->e; /* R[row][column] = e[column][row] */
    double square[4] = {1 + e[0][0] + e[1][1] + e[2][2], 1 + e[0][0] - e[1][1] - e[2][2],
                        1 - e[0][0] + e[1][1] - e[2][2], 1 - e[0][0] - e[1][1] + e[2][2]};
    double product[4][4];
    product[0][1] = e[1][2] - e[2][1];
    product[0][2] = e[2][0] - e[0][2];
    product[0][3] = e[0][1] - e[1][0];
    product[1][2] = e[0][1] + e[1][0];
    product[1][3] = e[2][0] + e[0][2];
    product[2][3] = e[1][2] + e[2][1];
    int largest = 0;
    for (int k = 1; k < 4; k++)
        if (square[k] > square[largest])
            largest = k;
    double root = sqrt(square[largest]);
    for (int k = 0; k < 4; k++)
        q[k] =
            k == largest ? root / 2 : (k < largest ? product[k][largest] : product[largest][k]) / (2 * root);
}

static void axes_from(struct axes *axes, const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double e[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            axes->e[k][d] = e[k][d];
    axes->defined = true;
}

/* angle[] <- acos of these cosines, which are not near 1, in [0, pi / 2], by Newton's method, whose bits,
 * unlike libm's, are the same everywhere. Once converged, a further step changes nothing. */
static void angles_of(double angle[LANES], const double cosine[LANES])
{
    for (int l = 0; l < LANES; l++)
        angle[l] = sqrt(2 * (1 - cosine[l]));
    for (int k = 0; k < 6; k++)
        for (int l = 0; l < LANES; l++)
            angle[l] += (real_cos_double(angle[l]) - cosine[l]) / real_sin_double(angle[l]);
}

/* from <- the quaternion p, turned by the half turn about one of its own axes, or none, that brings it
 * nearest to q, because fibre, sheet and normal have no sign; returns the cosine between them */
static double turn_nearest(double from[4], const double p[4], const double q[4])
{
    double best = -1;
    const double turned[4][4] = {{p[0], p[1], p[2], p[3]},
                                 {-p[1], p[0], p[3], -p[2]},
                                 {-p[2], -p[3], p[0], p[1]},
                                 {-p[3], p[2], -p[1], p[0]}}; /* p, p i, p j, p k */
    for (int k = 0; k < 4; k++) {
        double cosine = 0;
        for (int c = 0; c < 4; c++)
            cosine += turned[k][c] * q[c];
        if (fabs(cosine) > best) {
            best = fabs(cosine);
            for (int c = 0; c < 4; c++)
                from[c] = cosine < 0 ? -turned[k][c] : turned[k][c];
        }
    }
    return best;
}

/* a[] <- interpolation from a (t = 0) to b (t = 1) on the great circle between the quaternions (Shoemake
 * 1985) */
static void blend(struct axes a[LANES], const struct axes b[LANES], const double t[LANES])
{
    double from[LANES][4] = {{0}}, to[LANES][4], cosine[LANES], angle[LANES], r[LANES], s[LANES];
    for (int l = 0; l < LANES; l++) {
        double p[4];
        quaternion(p, &a[l]);
        quaternion(to[l], &b[l]);
        cosine[l] = turn_nearest(from[l], p, to[l]);
    }
    angles_of(angle, cosine);
    for (int l = 0; l < LANES; l++) {
        angle[l] = cosine[l] < 0.9999 ? angle[l] : 0;
        r[l] = angle[l] > 0 ? real_sin_double((1 - t[l]) * angle[l]) : 1 - t[l];
        s[l] = angle[l] > 0 ? real_sin_double(t[l] * angle[l]) : t[l];
    }
    for (int l = 0; l < LANES; l++) {
        double length = 0;
        if (!a[l].defined || !b[l].defined) {
            a[l] = a[l].defined ? a[l] : b[l];
            continue;
        }
        for (int c = 0; c < 4; c++) {
            from[l][c] = r[l] * from[l][c] + s[l] * to[l][c];
            length += from[l][c] * from[l][c];
        }
        for (int c = 0; c < 4; c++)
            from[l][c] /= sqrt(length);
        axes_from(&a[l], from[l]);
    }
}

static double mix(const double degrees[2], double p)
{
    const double radians = 0x1.1df46a2529d39p-6; /* pi / 180 */
    return (degrees[0] * (1 - p) + degrees[1] * p) * radians;
}

/* value[], slope[][3] <- value and gradient of each solution at the element's centroid */
static void interpolate(const struct mesh *mesh, const double *const u[SOLUTIONS], int64_t e,
                        double value[SOLUTIONS], double slope[SOLUTIONS][3])
{
    double gradient[4][3];
    int corners = mesh->dimension + 1;
    simplex_gradients(mesh, e, gradient);
    for (int k = 0; k < SOLUTIONS; k++) {
        value[k] = slope[k][0] = slope[k][1] = slope[k][2] = 0;
        for (int c = 0; c < corners && u[k]; c++) {
            double at = u[k][mesh->vertex[e * corners + c]];
            value[k] += at / corners;
            for (int d = 0; d < 3; d++)
                slope[k][d] += at * gradient[c][d];
        }
    }
}

/* axes[] <- the axes at the centroids of the elements e[] */
static void axes_at(struct axes axes[LANES], const struct mesh *mesh, const double *const u[SOLUTIONS],
                    const int64_t e[LANES], const struct ldrb *angles)
{
    struct axes rv[LANES], epi[LANES];
    struct turn inner[LANES], outer[LANES];
    double p[LANES], d[LANES], a[2][LANES], b[2][LANES];
    for (int l = 0; l < LANES; l++) {
        double value[SOLUTIONS], slope[SOLUTIONS][3];
        interpolate(mesh, u, e[l], value, slope);
        const double left = fmax(value[LV], 0), right = fmax(value[RV], 0);
        p[l] = fmin(fmax(value[EPI], 0), 1);
        d[l] = left + right > 0 ? right / (left + right) : 0;
        a[0][l] = mix(angles->fiber, p[l]);
        b[0][l] = mix(angles->sheet, p[l]);
        a[1][l] = a[0][l] * (1 - 2 * d[l]);
        b[1][l] = b[0][l] * (1 - 2 * d[l]);
        axes[l] = axes_of(slope[UP], slope[LV], -1);
        rv[l] = axes_of(slope[UP], slope[RV], 1);
        epi[l] = axes_of(slope[UP], slope[EPI], 1);
    }
    turns_by(outer, a[0], b[0]);
    turns_by(inner, a[1], b[1]);
    for (int l = 0; l < LANES; l++) {
        orient(&axes[l], &inner[l]);
        orient(&rv[l], &inner[l]);
        orient(&epi[l], &outer[l]);
    }
    blend(axes, rv, d);
    blend(axes, epi, p);
}

/* Compiled with the processor's fma, with the same bits as libm's; sanitizers see all of it in one of the two */
#if defined CARDIAC_CLONES_X86 && !defined __SANITIZE_ADDRESS__
#define CLONES __attribute__((flatten, target_clones("fma", "default")))
#else
#define CLONES
#endif

/* fiber[][3], sheet[][3] <- directions of elements [first, last) where they are defined */
CLONES static void lay(double *fiber, double *sheet, const struct mesh *mesh,
                       const double *const u[SOLUTIONS], const struct ldrb *angles, int64_t first,
                       int64_t last)
{
    for (int64_t begin = first; begin < last; begin += LANES) {
        struct axes axes[LANES];
        int64_t e[LANES];
        for (int l = 0; l < LANES; l++)
            e[l] = begin + l < last ? begin + l : last - 1;
        axes_at(axes, mesh, u, e, angles);
        for (int l = 0; l < LANES; l++)
            for (int d = 0; d < 3 && axes[l].defined; d++) {
                fiber[3 * e[l] + d] = axes[l].e[0][d];
                sheet[3 * e[l] + d] = axes[l].e[2][d];
            }
    }
}

static enum status check_surfaces(const struct mesh *mesh, const uint8_t *on, struct error *error)
{
    for (int s = HEART_BASE; s <= HEART_LV; s++)
        if (heart_surfaces_count(on, mesh->nodes, (enum heart_surface)s) == 0)
            return error_set(error, STATUS_INPUT, "fibres by rule need the surface %s",
                             heart_surface_name((enum heart_surface)s));
    return mesh->dimension == 3 ? STATUS_OK
                                : error_set(error, STATUS_INPUT, "fibres by rule need tetrahedra");
}

/* u[] <- the solutions between surfaces, which are coordinates; *left[] <- the one for a single
 * endocardium, to be freed by the caller */
static enum status solve(const double *u[SOLUTIONS], double **left, const struct mesh *mesh, uint8_t *on,
                         struct coordinates *to, struct error *error)
{
    enum status status = STATUS_OK;
    TRY(coordinates_make(to, mesh, on, LDRB_COORDINATES, error));
    u[UP] = to->upward;
    u[EPI] = to->transmural;
    u[LV] = to->endocardium[0];
    u[RV] = to->endocardium[1];
    if (u[LV])
        return STATUS_OK;
    *left = array_new(mesh->nodes, sizeof **left, "the fibres", &status, error);
    for (int64_t i = 0; !status && i < mesh->nodes; i++)
        (*left)[i] = 1 - to->transmural[i];
    u[LV] = *left;
    return status;
}

enum status ldrb_fibers(struct mesh *mesh, uint8_t *on, struct coordinates *coordinates,
                        const struct ldrb *angles, struct error *error)
{
    const double *u[SOLUTIONS] = {0};
    double *left = NULL;
    TRY(check_surfaces(mesh, on, error));
    enum status status = STATUS_OK;
    double *fiber = array_zeroed(3 * mesh->elements, sizeof *fiber, "the fibres", &status, error);
    double *sheet = array_zeroed(3 * mesh->elements, sizeof *sheet, "the fibres", &status, error);
    TRY_DONE(status);
    TRY_DONE(solve(u, &left, mesh, on, coordinates, error));
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < mesh->elements; first += TASK)
        lay(fiber, sheet, mesh, u, angles, first,
            first + TASK < mesh->elements ? first + TASK : mesh->elements);
    free(mesh->fiber);
    free(mesh->sheet);
    mesh->fiber = fiber;
    mesh->sheet = sheet;
    mesh->fiber_location = LOCATION_ELEMENT;
    fiber = sheet = NULL;
done:
    free(fiber);
    free(sheet);
    free(left);
    return status;
}
