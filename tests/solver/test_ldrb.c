/* test_ldrb.c: fibres by rule: on a block the angles are the given ones, linear across the wall; on a
 * ventricle the axes are orthonormal, along the walls, and mirrored with the mesh; the bits do not depend on
 * threads. */
#include "solver/heart/ldrb.h"

#include <omp.h>

#include "solver/heart/coordinates.h"
#include "solver/mesh/generate.h"
#include "tests/support/mesh_sample.h"

static const double DEGREES = 57.29577951308232;

static void put(uint8_t *on, enum heart_surface surface)
{
    *on |= (uint8_t)(1 << surface);
}

static void check_orthonormal(const struct mesh *mesh)
{
    for (int64_t e = 0; e < mesh->elements; e++) {
        const double *f = mesh->fiber + 3 * e, *s = mesh->sheet + 3 * e;
        CHECK(fabs(f[0] * f[0] + f[1] * f[1] + f[2] * f[2] - 1) < 1e-14, "fibre %lld", (long long)e);
        CHECK(fabs(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 1) < 1e-14, "sheet %lld", (long long)e);
        CHECK(fabs(f[0] * s[0] + f[1] * s[1] + f[2] * s[2]) < 1e-14, "angle at %lld", (long long)e);
    }
}

static enum status lay(struct mesh *mesh, uint8_t *on, const struct ldrb *angles, struct error *error)
{
    struct coordinates coordinates = {0};
    enum status status = ldrb_fibers(mesh, on, &coordinates, angles, error);
    coordinates_free(&coordinates);
    return status;
}

/* A wall between x = 0 (lv) and x = 2 (epi), or rv beyond it; up is z; so around is z cross x = y */
static struct mesh wall(uint8_t **on, enum heart_surface beyond)
{
    struct error error = {0};
    struct mesh mesh;
    CHECK_OK(mesh_slab(&mesh, (double[3]){2, 1.5, 1.25}, 0.25, &error), error);
    *on = calloc((size_t)mesh.nodes, 1);
    for (int64_t i = 0; i < mesh.nodes; i++) {
        const double *x = mesh.point + 3 * i;
        if (x[0] == 0)
            put(*on + i, HEART_LV);
        if (x[0] == 2)
            put(*on + i, beyond);
        if (x[2] == 0)
            put(*on + i, HEART_APEX);
        if (x[2] == 1.25)
            put(*on + i, HEART_BASE);
    }
    return mesh;
}

static double centre(const struct mesh *mesh, int64_t e, int axis)
{
    double sum = 0;
    for (int c = 0; c < 4; c++)
        sum += mesh->point[3 * (int64_t)mesh->vertex[4 * e + c] + axis] / 4;
    return sum;
}

static void test_wall(const struct ldrb *angles)
{
    struct error error = {0};
    uint8_t *on;
    struct mesh mesh = wall(&on, HEART_EPI);
    CHECK_OK(lay(&mesh, on, angles, &error), error);
    check_orthonormal(&mesh);
    for (int64_t e = 0; e < mesh.elements; e++) {
        const double *f = mesh.fiber + 3 * e, *s = mesh.sheet + 3 * e;
        double p = centre(&mesh, e, 0) / 2;
        double want = angles->fiber[0] * (1 - p) + angles->fiber[1] * p;
        double turned = angles->sheet[0] * (1 - p) + angles->sheet[1] * p;
        double helix = atan(f[2] / f[1]) * DEGREES, across = acos(fmin(fabs(s[0]), 1)) * DEGREES;
        CHECK(fabs(f[0]) < 1e-8, "fibre %lld leaves the wall: %g", (long long)e, f[0]);
        CHECK(fabs(helix - want) < 1e-6, "element %lld: %.10g instead of %.10g deg", (long long)e, helix,
              want);
        CHECK(fabs(across - fabs(turned)) < 1e-5, "sheet of %lld: %.10g instead of %.10g deg", (long long)e,
              across, turned);
    }
    mesh_free(&mesh);
    free(on);
}

/* Between the ventricles it turns from a on the left to -a on the right, by axes that point from left to
 * right. A few epicardial nodes far from the middle make the septum one: the rule requires an epicardium. */
static void test_septum(void)
{
    struct error error = {0};
    const struct ldrb angles = {{60, -50}, {0, 0}};
    uint8_t *on;
    struct mesh mesh = wall(&on, HEART_RV);
    CHECK(lay(&mesh, on, &angles, &error) == STATUS_INPUT && strstr(error.text, "epi"), "%s", error.text);
    CHECK(!mesh.fiber, "fibres after a refusal");
    for (int64_t i = 0; i < mesh.nodes; i++)
        if (mesh.point[3 * i + 1] == 0 && on[i] < 1 << HEART_APEX && !(on[i] & 15))
            put(on + i, HEART_EPI);
    CHECK_OK(lay(&mesh, on, &angles, &error), error);
    check_orthonormal(&mesh);
    for (int64_t e = 0; e < mesh.elements; e++) {
        const double *f = mesh.fiber + 3 * e;
        if (centre(&mesh, e, 1) < 1.2) /* where the epicardium is far */
            continue;
        double d = centre(&mesh, e, 0) / 2, helix = atan(f[2] / f[1]) * DEGREES;
        CHECK(fabs(helix - 60 * (1 - 2 * d)) < 12, "element %lld at %g: %g deg", (long long)e, d, helix);
    }
    mesh_free(&mesh);
    free(on);
}

/* A ventricle, its fibres and, in order, the cosines of the angle to the wall's normal */
static struct mesh ventricle(double mirror, const struct ldrb *angles)
{
    struct error error = {0};
    struct mesh mesh;
    CHECK_OK(mesh_ellipsoid(&mesh, (double[3]){7, 17, 3}, 1.4, &error), error);
    for (int64_t i = 0; i < mesh.nodes; i++)
        mesh.point[3 * i] *= mirror;
    for (int64_t e = 0; mirror < 0 && e < mesh.elements; e++) {
        int32_t swapped = mesh.vertex[4 * e];
        mesh.vertex[4 * e] = mesh.vertex[4 * e + 1];
        mesh.vertex[4 * e + 1] = swapped;
    }
    uint8_t *on = calloc((size_t)mesh.nodes, 1);
    CHECK_OK(heart_surfaces_find(on, &mesh, &error), error);
    CHECK_OK(lay(&mesh, on, angles, &error), error);
    free(on);
    return mesh;
}

/* Mirrored, with angles of the other sign, the fibres are the mirror's, up to their sign. Where axes are
 * undefined, at the apex, there are none. */
static void test_mirror(void)
{
    const struct ldrb angles = {{60, -60}, {-30, 20}}, opposite = {{-60, 60}, {30, -20}};
    omp_set_num_threads(1);
    struct mesh mesh = ventricle(1, &angles), other = ventricle(-1, &opposite);
    omp_set_num_threads(3);
    struct mesh again = ventricle(1, &angles);
    check_orthonormal(&mesh);
    CHECK(memcmp(mesh.fiber, again.fiber, (size_t)mesh.elements * 3 * sizeof(double)) == 0 &&
              memcmp(mesh.sheet, again.sheet, (size_t)mesh.elements * 3 * sizeof(double)) == 0,
          "threads change a bit");
    for (int64_t e = 0; e < mesh.elements; e++) {
        const double *f = mesh.fiber + 3 * e, *g = other.fiber + 3 * e;
        double cosine = -f[0] * g[0] + f[1] * g[1] + f[2] * g[2];
        CHECK(1 - fabs(cosine) < 1e-12, "element %lld: mirrored by %.17g", (long long)e, cosine);
        /* along the wall: across it points the gradient of x^2/a^2 + y^2/a^2 + z^2/c^2 midway */
        double n[3] = {centre(&mesh, e, 0) / 72, centre(&mesh, e, 1) / 72, centre(&mesh, e, 2) / 342};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        double out = (f[0] * n[0] + f[1] * n[1] + f[2] * n[2]) / length;
        if (centre(&mesh, e, 2) > -15)
            CHECK(fabs(out) < 0.25, "element %lld: %g across the wall", (long long)e, out);
    }
    mesh_free(&mesh);
    mesh_free(&other);
    mesh_free(&again);
}

/* lv at x = 0, rv at x = 2, epi at y = 1.5, and the base comes down there: nodes on two surfaces, and
 * elements with three of them. Solutions add up to 1, and fibres do not depend on how the corners are
 * numbered, that is on rounding.
 */
static void test_rim(void)
{
    const struct ldrb angles = ldrb_default();
    struct error error = {0};
    struct coordinates coordinates = {0};
    struct mesh mesh[2];
    uint8_t *on;
    int64_t both = 0, undefined = 0;
    for (int turned = 0; turned < 2; turned++) {
        mesh[turned] = wall(&on, HEART_RV);
        for (int64_t i = 0; i < mesh->nodes; i++) {
            const double *x = mesh[turned].point + 3 * i;
            if (x[1] == 1.5)
                put(on + i, HEART_EPI);
            if (x[1] == 1.5 && x[2] >= 0.75)
                put(on + i, HEART_BASE);
        }
        mesh_sample_bend(&mesh[turned], 0.03, 3);
        for (int64_t e = 0; e < mesh->elements && turned; e++) {
            int32_t *vertex = mesh[1].vertex + 4 * e, first = vertex[0];
            vertex[0] = vertex[1], vertex[1] = vertex[2], vertex[2] = first;
        }
        coordinates_free(&coordinates);
        CHECK_OK(ldrb_fibers(&mesh[turned], on, &coordinates, &angles, &error), error);
        for (int64_t i = 0; i < mesh->nodes; i++) {
            const double epi = coordinates.transmural[i], lv = coordinates.endocardium[0][i];
            CHECK(fabs(epi + lv + coordinates.endocardium[1][i] - 1) < 1e-9, "node %d: %g and %g", (int)i,
                  epi, lv);
            both += on[i] >> HEART_EPI & on[i] >> HEART_LV & 1;
            if (on[i] >> HEART_EPI & 1)
                CHECK(epi == 1 && lv == 0, "node %d belongs to the epicardium: %g, %g", (int)i, epi, lv);
        }
        free(on);
    }
    for (int64_t e = 0; e < mesh->elements; e++) {
        const double *f = mesh[0].fiber + 3 * e, *g = mesh[1].fiber + 3 * e;
        const double cosine = fabs(f[0] * g[0] + f[1] * g[1] + f[2] * g[2]);
        const bool none = f[0] == 0 && f[1] == 0 && f[2] == 0;
        undefined += none;
        CHECK(none ? g[0] == 0 && g[1] == 0 && g[2] == 0 : cosine > 1 - 1e-9, "element %d: %.12g", (int)e,
              cosine);
    }
    CHECK(both > 0 && undefined > 5 && undefined < 100, "%d nodes, %d elements", (int)both, (int)undefined);
    coordinates_free(&coordinates);
    mesh_free(&mesh[0]);
    mesh_free(&mesh[1]);
}

int main(void)
{
    const struct ldrb steep = {{60, -60}, {0, 0}}, paper = ldrb_default(), flat = {{0, 0}, {90, -90}};
    test_wall(&steep);
    test_wall(&paper);
    test_wall(&flat);
    test_septum();
    test_mirror();
    test_rim();
    return 0;
}
