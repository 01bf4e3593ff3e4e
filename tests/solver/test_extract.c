/* test_extract.c: parts of a mesh add up to it and keep their data, its boundary is closed, and angles of
 * known shapes. */
#include "solver/mesh/check.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/extract.h"
#include "solver/mesh/stats.h"
#include "solver/mesh/surface.h"
#include "tests/support/mesh_sample.h"

#include <math.h>

/* Every node's place and an element's number, as fields */
static void label(struct mesh *mesh)
{
    struct error error = {0};
    double *position = malloc(24 * (size_t)mesh->nodes), *number = malloc(8 * (size_t)mesh->elements);
    CHECK(position && number, "no memory");
    memcpy(position, mesh->point, 24 * (size_t)mesh->nodes);
    for (int64_t e = 0; e < mesh->elements; e++)
        number[e] = (double)e;
    CHECK_OK(mesh_fields_add(&mesh->fields, "place", LOCATION_NODE, 3, position, &error), error);
    CHECK_OK(mesh_fields_add(&mesh->fields, "number", LOCATION_ELEMENT, 1, number, &error), error);
}

/* The elements of each tag, which together are the mesh */
static void test_submeshes(int dimension, enum location location)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_odd(dimension, location, true), submesh;
    int corners = dimension + 1;
    int64_t elements = 0;
    label(&mesh);
    uint8_t *keep = malloc((size_t)mesh.elements);
    CHECK(keep, "no memory");
    for (int32_t tag = 0; tag < 4; tag++) {
        for (int64_t e = 0; e < mesh.elements; e++)
            keep[e] = mesh.tag[e] == tag;
        if (!memchr(keep, 1, (size_t)mesh.elements))
            continue;
        CHECK_OK(mesh_extract(&submesh, &mesh, keep, NULL, &error), error);
        elements += submesh.elements;
        struct mesh_health health;
        CHECK_OK(mesh_check(&submesh, &health, &error), error);
        CHECK(health.loose == 0 && health.turned == 0, "%lld loose nodes", (long long)health.loose);
        check_same_array(submesh.fields.item[0].value, submesh.point, 24 * (size_t)submesh.nodes, "places");
        for (int64_t e = 0; e < submesh.elements; e++) {
            int64_t from = (int64_t)submesh.fields.item[1].value[e];
            CHECK(submesh.tag[e] == tag && mesh.tag[from] == tag, "element %lld", (long long)e);
            CHECK(e == 0 || from > (int64_t)submesh.fields.item[1].value[e - 1], "another order");
            for (int d = 0; d < 3 && location == LOCATION_ELEMENT; d++)
                CHECK(submesh.fiber[3 * e + d] == mesh.fiber[3 * from + d] &&
                          submesh.sheet[3 * e + d] == mesh.sheet[3 * from + d],
                      "the fibre of another element");
            for (int c = 0; c < corners; c++) {
                int64_t a = submesh.vertex[corners * e + c], b = mesh.vertex[corners * from + c];
                CHECK(memcmp(submesh.point + 3 * a, mesh.point + 3 * b, 24) == 0, "another node");
                CHECK(location != LOCATION_NODE || memcmp(submesh.sheet + 3 * a, mesh.sheet + 3 * b, 24) == 0,
                      "the sheet of another node");
            }
        }
        mesh_free(&submesh);
    }
    CHECK(elements == mesh.elements, "%lld elements in parts", (long long)elements);
    memset(keep, 0, (size_t)mesh.elements);
    CHECK(mesh_extract(&submesh, &mesh, keep, NULL, &error) == STATUS_INPUT, "nothing was kept");
    free(keep);
    mesh_free(&mesh);
}

/* A ventricle without its last element: the faces that were that element's alone are gone, though nodes of
 * theirs may all be there. */
static void test_faces(void)
{
    struct error error = {0};
    struct mesh mesh = {0}, submesh;
    CHECK_OK(mesh_ellipsoid(&mesh, (const double[]){7, 17, 3}, 2, &error), error);
    uint8_t *keep = malloc((size_t)mesh.elements);
    CHECK(keep, "no memory");
    int64_t lost = 0, odd = 0;
    for (int64_t gone = 0; gone < 40; gone++) {
        memset(keep, 1, (size_t)mesh.elements);
        keep[gone] = 0;
        int64_t own = 0; /* marked faces of that element */
        for (int64_t f = 0; f < mesh.faces; f++) {
            int shared = 0;
            for (int c = 0; c < 3; c++)
                for (int v = 0; v < 4; v++)
                    shared += mesh.face[3 * f + c] == mesh.vertex[4 * gone + v];
            own += shared == 3;
        }
        CHECK_OK(mesh_extract(&submesh, &mesh, keep, NULL, &error), error);
        CHECK(submesh.elements == mesh.elements - 1 && submesh.faces == mesh.faces - own,
              "%lld faces left of %lld, not %lld", (long long)submesh.faces, (long long)mesh.faces,
              (long long)(mesh.faces - own));
        const struct mesh_name *epi;
        CHECK(!mesh_names_find(&submesh.names, "epi", 1 << 2, &epi, &error) && epi, "no name");
        lost += own;
        odd += own > 0 && submesh.nodes == mesh.nodes;
        mesh_free(&submesh);
    }
    CHECK(lost > 0 && odd > 0, "no element has a marked face");
    free(keep);
    mesh_free(&mesh);
}

static void test_surface(void)
{
    struct error error = {0};
    struct mesh mesh = {0}, skin, rim;
    struct mesh_surface surface;
    double sum[3] = {0, 0, 0}, volume = 0, six = 0;
    CHECK_OK(mesh_ellipsoid(&mesh, (const double[]){7, 17, 3}, 2, &error), error);
    label(&mesh);
    CHECK_OK(mesh_extract_surface(&skin, &mesh, &error), error);
    CHECK(skin.dimension == 2 && skin.elements == mesh.faces, "%lld triangles", (long long)skin.elements);
    check_same_array(skin.fields.item[0].value, skin.point, 24 * (size_t)skin.nodes, "places");
    CHECK(skin.fields.count == 1, "a field of tetrahedra on triangles");
    int64_t marks[4] = {0}, tags[4] = {0};
    for (int64_t f = 0; f < mesh.faces; f++) {
        double normal[3];
        const double *corner = skin.point + 3 * (int64_t)skin.vertex[3 * f];
        const struct mesh_surface whole = {.faces = skin.elements, .face = skin.vertex};
        marks[mesh.mark[f]]++;
        tags[skin.tag[f]]++;
        mesh_surface_normal(&whole, &skin, f, normal);
        for (int d = 0; d < 3; d++) {
            sum[d] += normal[d];
            volume += corner[d] * normal[d] / 6; /* Gauss: of r / 3 */
        }
    }
    for (int64_t e = 0; e < mesh.elements; e++)
        six += mesh_measure(&mesh, e);
    CHECK(memcmp(marks, tags, sizeof marks) == 0 && tags[0] == 0, "tags are not the marks");
    CHECK(fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) < 1e-9, "the surface does not close: %g", sum[2]);
    CHECK(fabs(volume - six / 6) < 1e-10 * volume, "%g mm^3 inside, %g in elements", volume, six / 6);
    CHECK_OK(mesh_surface_create(&surface, &skin, NULL, &error), error);
    CHECK(surface.faces == 0, "%lld edges of one triangle", (long long)surface.faces);
    CHECK(mesh_extract_surface(&rim, &skin, &error) == STATUS_INPUT, "a closed surface has a boundary");
    mesh_surface_free(&surface);
    mesh_free(&skin);
    mesh_free(&mesh);
    mesh = mesh_sample_odd(2, LOCATION_NODE, false);
    CHECK_OK(mesh_extract_surface(&rim, &mesh, &error), error);
    CHECK(rim.dimension == 1 && rim.elements == 12 && rim.fiber, "%lld lines", (long long)rim.elements);
    mesh_free(&rim);
    mesh_free(&mesh);
}

/* A regular tetrahedron, the corner of a cube, a right triangle; and a sliver among good ones is found */
static void test_angles(void)
{
    static const double points[2][12] = {{1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1},
                                         {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
    int32_t vertex[4] = {0, 1, 2, 3};
    struct error error = {0};
    for (int k = 0; k < 2; k++) {
        double point[12];
        memcpy(point, points[k], sizeof point);
        struct mesh mesh = {.dimension = 3, .nodes = 4, .elements = 1, .point = point, .vertex = vertex};
        double expected = (k ? acos(1 / sqrt(3.0)) : acos(1 / 3.0)) * 180 / 3.14159265358979323846;
        CHECK_CLOSE(mesh_smallest_angle(&mesh, 0), expected, 1e-13);
        mesh.dimension = 2;
        CHECK_CLOSE(mesh_smallest_angle(&mesh, 0), k ? 45.0 : 60.0, 1e-13);
    }
    struct mesh mesh = mesh_sample_lattice(3, (const int[]){4, 2, 3}, (const double[]){1, 1, 1});
    struct mesh_shape shape;
    const int64_t sliver = 77;
    int32_t *corner = mesh.vertex + 4 * sliver;
    for (int d = 0; d < 3; d++) /* its last node nearly in the plane of the others */
        mesh.point[3 * corner[3] + d] = 0.01 * mesh.point[3 * corner[3] + d] +
                                        0.99 *
                                            (mesh.point[3 * corner[0] + d] + mesh.point[3 * corner[1] + d] +
                                             mesh.point[3 * corner[2] + d]) /
                                            3;
    CHECK_OK(mesh_shape_create(&shape, &mesh, &error), error);
    int64_t under = 0;
    double least = 180;
    for (int64_t e = 0; e < mesh.elements; e++) {
        double angle = mesh_smallest_angle(&mesh, e);
        under += angle < mesh_shape_bound[0];
        least = fmin(least, angle);
    }
    CHECK(shape.least == least && shape.under[0] == under && under > 0, "least %g of %g", shape.least, least);
    CHECK(shape.worsts == 3 && shape.worst[0].degrees == least && shape.worst[1].degrees >= least, "worst");
    CHECK(shape.least < 3 && shape.percent >= least && shape.median > 20, "median %g", shape.median);
    mesh_free(&mesh);
}

int main(void)
{
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int location = LOCATION_NODE; location <= LOCATION_ELEMENT; location++)
            test_submeshes(dimension, (enum location)location);
    test_faces();
    test_surface();
    test_angles();
    return 0;
}
