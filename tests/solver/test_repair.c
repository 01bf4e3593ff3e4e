/* test_repair.c: meshes with planted duplicates, needles and loose nodes are repaired to ones that mesh_check
 * accepts, with their data at nodes and elements; a second repair changes nothing, and intended cuts and
 * layers stay. */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/mesh/check.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/repair.h"
#include "tests/support/check.h"

static struct error error;

static double random_fraction(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static double volume_of(const struct mesh *mesh)
{
    double sum = 0;
    for (int64_t e = 0; e < mesh->elements; e++)
        sum += fabs(mesh_measure(mesh, e));
    return sum;
}

/* The mesh with the places of its nodes as an array, and its tags as another */
static void make(struct mesh *mesh, int dimension)
{
    enum status status = STATUS_OK;
    const double size[3] = {4, 3, 2};
    mesh_free(mesh);
    CHECK_OK(dimension == 3 ? mesh_slab(mesh, size, 0.5, &error) : mesh_sheet(mesh, size, 0.5, &error),
             error);
    for (int64_t e = 0; e < mesh->elements; e++)
        mesh->tag[e] = mesh->point[3 * (int64_t)mesh->vertex[(dimension + 1) * e]] < 2 ? 1 : 2;
    double *position = array_new(3 * mesh->nodes, sizeof *position, "places", &status, &error);
    double *tag = array_new(mesh->elements, sizeof *tag, "tags", &status, &error);
    CHECK_OK(status, error);
    memcpy(position, mesh->point, 3 * (size_t)mesh->nodes * sizeof *position);
    for (int64_t e = 0; e < mesh->elements; e++)
        tag[e] = mesh->tag[e];
    CHECK_OK(mesh_fields_add(&mesh->fields, "place", LOCATION_NODE, 3, position, &error), error);
    CHECK_OK(mesh_fields_add(&mesh->fields, "its tag", LOCATION_ELEMENT, 1, tag, &error), error);
}

static void check_copied(const struct mesh *mesh)
{
    const struct mesh_field *position = mesh_fields_find(&mesh->fields, "place", LOCATION_NODE),
                            *tag = mesh_fields_find(&mesh->fields, "its tag", LOCATION_ELEMENT);
    CHECK(position && tag &&
              memcmp(position->value, mesh->point, 3 * (size_t)mesh->nodes * sizeof(double)) == 0,
          "places of nodes");
    for (int64_t e = 0; e < mesh->elements; e++)
        CHECK(tag->value[e] == mesh->tag[e], "the tag of element %lld", (long long)e);
}

/* Mends, and once more, which changes nothing; returns what the first did */
static struct mesh_repaired mend(struct mesh *mesh, const struct mesh_repair *wanted)
{
    struct mesh_repaired done, again;
    const int64_t before = mesh->nodes;
    CHECK_OK(mesh_repair(mesh, wanted, &done, &error), error);
    const struct mesh_field *old = mesh_fields_find(&mesh->fields, "old_node", LOCATION_NODE);
    for (int64_t i = 0; i < mesh->nodes && old; i++) {
        int64_t was = (int64_t)old->value[i];
        CHECK(was >= 0 && was < before && done.new_index[was] == i, "node %lld was %lld", (long long)i,
              (long long)was);
    }
    const int64_t nodes = mesh->nodes, elements = mesh->elements;
    size_t bytes = (size_t)elements * (size_t)(mesh->dimension + 1) * sizeof(int32_t);
    int32_t *vertex = malloc(bytes);
    CHECK(vertex, "no memory");
    memcpy(vertex, mesh->vertex, bytes);
    CHECK_OK(mesh_repair(mesh, wanted, &again, &error), error);
    CHECK(mesh->nodes == nodes && mesh->elements == elements && memcmp(vertex, mesh->vertex, bytes) == 0 &&
              !again.merged && !again.collapsed && !again.repeated && !again.flat && !again.duplicates &&
              !again.loose,
          "mended twice");
    for (int64_t i = 0; i < nodes; i++)
        CHECK(again.new_index[i] == i, "node %lld", (long long)i);
    mesh_repaired_free(&again);
    mesh_repaired_free(&done);
    free(vertex);
    return done;
}

static void check_good(struct mesh *mesh)
{
    struct mesh_health health;
    CHECK_OK(mesh_check(mesh, &health, &error), error);
    CHECK_OK(mesh_health_verdict(&health, &error), error);
    CHECK(health.turned == 0, "%lld were turned", (long long)health.turned);
}

/* Each element gets nodes of its own, moved by less than `by` */
static void separate_elements(struct mesh *mesh, double by)
{
    const int corners = mesh->dimension + 1;
    enum status status = STATUS_OK;
    const int64_t nodes = mesh->elements * corners;
    uint64_t seed = 1;
    double *point = array_new(3 * nodes, sizeof *point, "points", &status, &error);
    double *position = array_new(3 * nodes, sizeof *position, "places", &status, &error);
    CHECK_OK(status, error);
    for (int64_t i = 0; i < nodes; i++) {
        for (int d = 0; d < 3; d++)
            point[3 * i + d] =
                mesh->point[3 * (int64_t)mesh->vertex[i] + d] + by * (random_fraction(&seed) - 0.5);
        mesh->vertex[i] = (int32_t)i;
    }
    free(mesh->point);
    free(mesh->fields.item[0].value);
    memcpy(position, point, 3 * (size_t)nodes * sizeof *position);
    mesh->point = point;
    mesh->fields.item[0].value = position;
    mesh->nodes = nodes;
}

static void test_merge(int dimension)
{
    struct mesh whole = {0}, mesh = {0};
    make(&whole, dimension);
    for (int across = 0; across < 2; across++) {
        make(&mesh, dimension);
        separate_elements(&mesh, 1e-9);
        struct mesh_repaired done = mend(&mesh, &(struct mesh_repair){.merge = 1e-6, .across = across});
        CHECK(mesh.elements == whole.elements && fabs(volume_of(&mesh) - volume_of(&whole)) < 1e-6,
              "elements");
        /* without `across` the nodes between the tags stay duplicates */
        CHECK(across ? mesh.nodes == whole.nodes && done.apart == 0
                     : mesh.nodes > whole.nodes && done.apart > 0,
              "%lld nodes of %lld, %lld left", (long long)mesh.nodes, (long long)whole.nodes,
              (long long)done.apart);
        check_copied(&mesh);
        check_good(&mesh);
    }
    mesh_free(&mesh);
    mesh_free(&whole);
}

/* Some nodes are moved close to a neighbour: each must go, the lower staying where it is */
static void test_collapse(int dimension)
{
    uint64_t seed = 7;
    for (int run = 0; run < 20; run++) {
        struct mesh mesh = {0};
        make(&mesh, dimension);
        int64_t planted = 0;
        for (int64_t e = 0; e < mesh.elements; e += 17) {
            int32_t *node = mesh.vertex + (dimension + 1) * e;
            double *to = mesh.point + 3 * (int64_t)node[1];
            const double *from = mesh.point + 3 * (int64_t)node[0],
                         share = 1e-4 * (0.2 + random_fraction(&seed));
            double kept[3] = {to[0], to[1], to[2]};
            for (int d = 0; d < 3; d++)
                to[d] = from[d] + share * (to[d] - from[d]);
            bool good = true;
            for (int64_t k = 0; k < mesh.elements && good; k++)
                good = !mesh_is_flat(&mesh, k) && (dimension < 3 || mesh_measure(&mesh, k) > 0);
            if (!good)
                memcpy(to, kept, sizeof kept);
            planted += good;
        }
        memcpy(mesh.fields.item[0].value, mesh.point, 3 * (size_t)mesh.nodes * sizeof(double));
        CHECK(planted > 3, "%lld planted", (long long)planted);
        check_good(&mesh);
        const double whole = volume_of(&mesh);
        const int64_t before = mesh.nodes;
        struct mesh_repaired done = mend(&mesh, &(struct mesh_repair){.collapse = 1e-3});
        CHECK(done.collapsed > 0 && mesh.nodes == before - done.collapsed - done.orphans, "%lld of %lld",
              (long long)done.collapsed, (long long)planted);
        CHECK(done.collapsed + done.short_edges >= planted, "%lld, %lld", (long long)done.collapsed,
              (long long)done.short_edges);
        CHECK(fabs(volume_of(&mesh) - whole) < 1e-3 * whole, "%g of %g", volume_of(&mesh), whole);
        check_copied(&mesh);
        check_good(&mesh);
        mesh_free(&mesh);
    }
}

/* An element that names a node twice has no edge from that node to itself, which would collapse again and
 * again */
static void test_repeated(int dimension)
{
    struct mesh mesh = {0};
    make(&mesh, dimension);
    mesh.vertex[1] = mesh.vertex[0];
    struct mesh_repaired done = mend(&mesh, &(struct mesh_repair){.collapse = 1e-3});
    CHECK(done.collapsed == 0 && done.short_edges == 0, "%lld edges", (long long)done.collapsed);
    mesh_free(&mesh);
}

/* Elements given again, in another order of their nodes, and nodes of none */
static void test_drop(int dimension)
{
    struct mesh mesh = {0};
    make(&mesh, dimension);
    const int corners = dimension + 1;
    for (int64_t e = 10; e < mesh.elements; e += 10)
        for (int c = 0; c < corners; c++)
            mesh.vertex[corners * e + c] = mesh.vertex[corners * (e - 3) + (c + 1) % corners];
    struct mesh_repaired none;
    CHECK_OK(mesh_repair(&mesh, &(struct mesh_repair){0}, &none, &error), error);
    mesh_repaired_free(&none);
    CHECK(mesh.fields.count == 2, "an unmended mesh got arrays");
    const int64_t before = mesh.elements, copies = (mesh.elements - 1) / 10;
    struct mesh_repaired done = mend(&mesh, &(struct mesh_repair){.duplicates = true, .loose = true});
    CHECK(done.duplicates == copies && mesh.elements == before - copies, "%lld doubles",
          (long long)done.duplicates);
    check_copied(&mesh);
    check_good(&mesh);
    mesh_free(&mesh);
}

int main(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        test_merge(dimension);
        test_collapse(dimension);
        test_repeated(dimension);
        test_drop(dimension);
    }
    return 0;
}
