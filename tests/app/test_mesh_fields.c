/* test_mesh_fields.c: arrays of a mesh file by their names: kept, left where nobody asks for them, and as
 * tags, fibres and sheets; through refinement and the loss of nodes. */
#include "app/meshio/mesh_file.h"
#include "solver/mesh/repair.h"
#include "solver/mesh/refine.h"
#include "tests/support/mesh_sample.h"

#include <unistd.h>

static const struct array_selection all = {.all = true};

/* What is written is what is read, when it is asked for */
static void test_round_trip(const char *path, enum location location)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_odd(3, location, true), read = {0};
    mesh_sample_fields(&mesh);
    CHECK_OK(mesh_write(&mesh, path, true, &error), error);
    CHECK_OK(mesh_read(&read, path, 1, &all, NULL, &error), error);
    check_same_mesh(&mesh, &read);
    check_same_fields(&mesh, &read);
    mesh_free(&read);
    CHECK_OK(mesh_read(&read, path, 1, NULL, NULL, &error), error);
    const struct mesh_field *field = mesh_fields_find(&read.fields, "pressure", LOCATION_NONE);
    CHECK(field && field->location == LOCATION_NODE && !field->value, "%s: listed, not read", path);
    mesh_free(&read);
    const char *const name[] = {"pressure"};
    const struct array_selection one = {.name = name, .names = 1};
    CHECK_OK(mesh_read(&read, path, 1, &one, NULL, &error), error);
    CHECK(mesh_fields_find(&read.fields, "pressure", LOCATION_NODE)->value, "%s: kept", path);
    CHECK(!mesh_fields_find(&read.fields, "of elements", LOCATION_NONE)->value, "%s: not asked for", path);
    mesh_free(&read);
    mesh_free(&mesh);
}

static void add(struct mesh *mesh, const char *name, enum location location, int components, double scale)
{
    struct error error = {0};
    int64_t count = components * (location == LOCATION_NODE ? mesh->nodes : mesh->elements);
    double *value = malloc((size_t)count * sizeof *value);
    CHECK(value, "no memory");
    for (int64_t i = 0; i < count; i++)
        value[i] = scale * (double)(i % 7);
    CHECK_OK(mesh_fields_add(&mesh->fields, name, location, components, value, &error), error);
}

struct refusal {
    struct array_selection selection;
    const char *said;
};

/* By name as tags, fibres and sheets, at nodes and at elements */
static void test_roles(const char *path)
{
    static const struct refusal refused[] = {
        {{.tags = "elemtag"}, "no array 'elemtag' (did you mean 'elemTags'?)"},
        {{.tags = "f0"}, "'f0' has 3 components, not 1"},
        {{.tags = "at nodes"}, "'at nodes' is at nodes; tags must be at elements"},
        {{.tags = "half"}, "0.5 of element 1 is not a whole number"},
        {{.fibers = "half"}, "'half' has 1 component, not 3"},
        {{.fibers = "f0", .sheets = "s1"}, "both be given at nodes or both at elements"},
        {{.sheets = "s0"}, "sheets without fibres"},
    };
    struct error error = {0};
    struct mesh mesh = mesh_sample_odd(3, LOCATION_NONE, false), read = {0};
    add(&mesh, "elemTags", LOCATION_ELEMENT, 1, -3);
    add(&mesh, "half", LOCATION_ELEMENT, 1, 0.5);
    add(&mesh, "at nodes", LOCATION_NODE, 1, 1);
    add(&mesh, "f0", LOCATION_NODE, 3, 0.25);
    add(&mesh, "s0", LOCATION_NODE, 3, 1e-3);
    add(&mesh, "s1", LOCATION_ELEMENT, 3, 1e-3);
    CHECK_OK(mesh_write(&mesh, path, true, &error), error);
    const char *const name[] = {"f0", "elemTags"};
    const struct array_selection selection = {"elemTags", "f0", "s0", .name = name, .names = 2};
    CHECK_OK(mesh_read(&read, path, 1, &selection, NULL, &error), error);
    for (int64_t e = 0; e < mesh.elements; e++)
        CHECK(read.tag[e] == -3 * (e % 7), "tag %d of element %lld", (int)read.tag[e], (long long)e);
    CHECK(read.fiber_location == LOCATION_NODE && read.sheet, "%s: directions at nodes", path);
    for (int64_t i = 0; i < 3 * mesh.nodes; i++)
        CHECK(read.fiber[i] == mesh.fields.item[3].value[i] && read.sheet[i] == mesh.fields.item[4].value[i],
              "direction %g", read.fiber[i]);
    check_same_array(mesh_fields_find(&read.fields, "f0", LOCATION_NODE)->value, read.fiber,
                     24 * (size_t)mesh.nodes, "a fibre that is kept as well");
    CHECK(!mesh_fields_find(&read.fields, "s0", LOCATION_NODE)->value, "the sheets are there twice");
    mesh_free(&read);
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        CHECK(mesh_read(&read, path, 1, &refused[k].selection, NULL, &error) == STATUS_INPUT &&
                  strstr(error.text, refused[k].said),
              "%s: %s", path, error.text);
    CHECK_OK(mesh_read(&read, path, 1, &(struct array_selection){.fibers = "s1"}, NULL, &error), error);
    CHECK(read.fiber_location == LOCATION_ELEMENT && !read.sheet, "%s: fibres of elements", path);
    mesh_free(&read);
    const char *const none[] = {"scar"};
    CHECK_OK(mesh_read(&read, path, 1, &(struct array_selection){.name = none, .names = 1}, NULL, &error),
             error);
    mesh_free(&read);
    mesh_free(&mesh);
}

/* Fibres and sheets that are the file's own, one of them replaced by an array; and named as they are named
 * anyway */
static void test_replaced(const char *path)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_odd(3, LOCATION_NODE, true), read = {0};
    size_t bytes = 24 * (size_t)mesh.nodes;
    add(&mesh, "f1", LOCATION_NODE, 3, 0.25);
    const double *f1 = mesh.fields.item[0].value;
    CHECK_OK(mesh_write(&mesh, path, true, &error), error);
    CHECK_OK(mesh_read(&read, path, 1, &(struct array_selection){.sheets = "f1"}, NULL, &error), error);
    check_same_array(read.fiber, mesh.fiber, bytes, "the file's own fibres");
    check_same_array(read.sheet, f1, bytes, "sheets by name");
    mesh_free(&read);
    CHECK_OK(mesh_read(&read, path, 1, &(struct array_selection){.fibers = "f1"}, NULL, &error), error);
    check_same_array(read.fiber, f1, bytes, "fibres by name");
    check_same_array(read.sheet, mesh.sheet, bytes, "the file's own sheets");
    mesh_free(&read);
    CHECK_OK(mesh_read(&read, path, 1, &(struct array_selection){"region", "fiber", "sheet", .all = true},
                       NULL, &error),
             error);
    check_same_mesh(&mesh, &read);
    mesh_free(&read);
    mesh_free(&mesh);
}

/* A linear function of place stays it, elements keep their parent's number, loose nodes go with theirs. */
static void test_preserved(void)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_odd(3, LOCATION_NONE, false), fine = {0};
    add(&mesh, "place", LOCATION_NODE, 3, 1);
    add(&mesh, "number", LOCATION_ELEMENT, 1, 2);
    memcpy(mesh.fields.item[0].value, mesh.point, 24 * (size_t)mesh.nodes);
    CHECK_OK(mesh_refine(&fine, &mesh, &error), error);
    check_same_array(fine.fields.item[0].value, fine.point, 24 * (size_t)fine.nodes, "places");
    for (int64_t e = 0; e < fine.elements; e++)
        CHECK(fine.fields.item[1].value[e] == 2 * (double)(e / 8 % 7), "the number of child %lld",
              (long long)e);
    struct mesh_repaired done;
    fine.elements /= 4;
    CHECK_OK(mesh_repair(&fine, &(struct mesh_repair){.loose = true}, &done, &error), error);
    CHECK(done.loose > 0, "no node is loose");
    mesh_repaired_free(&done);
    check_same_array(fine.fields.item[0].value, fine.point, 24 * (size_t)fine.nodes, "places");
    mesh_free(&fine);
    mesh_free(&mesh);
}

int main(void)
{
    static const char *const names[] = {"f.msh", "f.vtkhdf", "f.vtk", "f.vtu", "f.vtu.gz"};
    char directory[] = "mesh-fields-XXXXXX", path[100];
    CHECK(mkdtemp(directory), "no directory");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[k]);
        for (int location = LOCATION_NONE; location <= LOCATION_ELEMENT; location++)
            test_round_trip(path, (enum location)location);
        test_roles(path);
        if (k > 0) /* Gmsh has its tags elsewhere */
            test_replaced(path);
        unlink(path);
    }
    test_preserved();
    return rmdir(directory) != 0;
}
