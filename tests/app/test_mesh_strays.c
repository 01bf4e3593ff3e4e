/* test_mesh_strays.c: lines and triangles in a mesh of higher dimension, in every format: marks where they
 * are edges or faces of its elements, else tissue; where a format has marks in a place of their own, an error
 * that counts them and names their tags. */
#include "app/meshio/mesh_file.h"
#include "tests/support/mesh_sample.h"

#include <unistd.h>

static const char *const names[] = {"m.vtu", "m.vtk", "m.msh", "m.vtkhdf", "m.node", "m.pts"};

/* Faces of the mesh <- two of its sides with marks 5 and 6 and, with stray, two simplices of marks 7 and 9
 * between nodes that no element joins */
static void put_faces(struct mesh *mesh, bool stray)
{
    struct error error = {0};
    int corners = mesh->dimension;
    CHECK_OK(mesh_allocate_faces(mesh, stray ? 4 : 2, &error), error);
    for (int f = 0; f < 4 && f < mesh->faces; f++)
        for (int c = 0; c < corners; c++) {
            const int32_t *element = mesh->vertex + (corners + 1) * (mesh->elements - 1) * (f % 2);
            mesh->face[corners * f + c] = f < 2 ? element[c]
                                          : c   ? (int32_t)mesh->nodes - 1 - c
                                                : f % 2; /* across the whole mesh */
            mesh->mark[f] = f < 2 ? 5 + f : 7 + 2 * (f % 2);
        }
}

static bool has_own_marks(const char *path)
{
    return strstr(path, ".node") || strstr(path, ".pts") || strstr(path, ".vtkhdf");
}

/* The elements of `mesh`, then its last two faces; written in each format of mixed meshes they are read again
 */
static void check_mixed(const char *path, double scale, const struct mesh *mesh)
{
    static const char *const again[] = {"n.vtu", "n.vtk", "n.msh", "n.vtkhdf", "n.pts"};
    struct error error = {0};
    struct mesh read = {0}, copy = {0};
    const int d = mesh->dimension;
    CHECK_OK(mesh_read(&read, path, scale, NULL, NULL, &error), error);
    CHECK(read.dimension == d && read.elements == mesh->elements + 2 && read.faces == 2 &&
              mesh_is_mixed(&read),
          "%s: %lld elements, %lld faces", path, (long long)read.elements, (long long)read.faces);
    for (int f = 2; f < 4; f++) {
        int64_t e = mesh->elements + f - 2;
        const int32_t *vertex = read.vertex + e * (d + 1);
        CHECK(mesh_corners(&read, e) == d && vertex[d] == vertex[d - 1] && read.tag[e] == mesh->mark[f] &&
                  memcmp(vertex, mesh->face + f * d, (size_t)d * sizeof *vertex) == 0,
              "%s: element %lld", path, (long long)e);
    }
    CHECK(memcmp(read.vertex, mesh->vertex, (size_t)(mesh->elements * (d + 1)) * sizeof *read.vertex) == 0,
          "%s: other elements", path);
    read.faces = 0; /* a tag is of tissue, or of marks */
    for (size_t k = 0; k < sizeof again / sizeof *again; k++) {
        CHECK_OK(mesh_write(&read, again[k], true, &error), error);
        CHECK_OK(mesh_read(&copy, again[k], strcmp(again[k], "n.pts") ? 1 : 0, NULL, NULL, &error), error);
        check_same_mesh(&read, &copy);
        CHECK(memcmp(read.tag, copy.tag, (size_t)read.elements * sizeof *read.tag) == 0, "%s: tags",
              again[k]);
        mesh_free(&copy);
    }
    CHECK(mesh_write(&read, "n.node", true, &error) == STATUS_INPUT && strstr(error.text, "one dimension"),
          "%s", error.text);
    mesh_free(&read);
}

static void test_format(const char *path, int dimension)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_odd(dimension, LOCATION_NONE, false), read = {0};
    double scale = strcmp(path, "m.pts") ? 1 : 0;
    struct mesh_notes notes;
    const struct array_selection drop = {.drop_stray = true};
    put_faces(&mesh, false);
    CHECK_OK(mesh_write(&mesh, path, true, &error), error);
    CHECK_OK(mesh_read(&read, path, scale, NULL, NULL, &error), error);
    check_same_mesh(&mesh, &read);
    CHECK(read.faces == 2 && memcmp(read.mark, mesh.mark, 8) == 0 &&
              memcmp(read.face, mesh.face, 8 * (size_t)dimension) == 0,
          "%s: %lld faces", path, (long long)read.faces);
    mesh_free(&read);
    free(mesh.face);
    free(mesh.mark);
    put_faces(&mesh, true);
    CHECK_OK(mesh_write(&mesh, path, true, &error), error);
    if (has_own_marks(path))
        CHECK(mesh_read(&read, path, scale, NULL, NULL, &error) == STATUS_INPUT &&
                  strstr(error.text, dimension == 3
                                         ? "2 of 4 marked triangles are not faces of the mesh's tetrahedra: "
                                           "tag 7 (1), tag 9 (1)"
                                         : "2 of 4 marked lines are not edges of the mesh's triangles: "
                                           "tag 7 (1), tag 9 (1)"),
              "%s: %s", path, error.text);
    else
        check_mixed(path, scale, &mesh);
    CHECK_OK(mesh_read(&read, path, scale, &drop, &notes, &error), error);
    CHECK(read.faces == 2 && notes.strays[dimension - 1] == 2, "%s: %lld faces", path, (long long)read.faces);
    mesh_free(&read);
    mesh_free(&mesh);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

/* Lines between tetrahedra and before them, with and without tags, and a shell that stands out of them */
static void test_elements(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    write_text("t.pts", "6\n0 0 0\n1000 0 0\n0 1000 0\n0 0 1000\n1000 1000 1000\n2000 0 0\n");
    write_text("t.elem", "5\nLn 0 1\nTr 0 1 2\nTt 0 1 2 3\nTt 1 2 3 4\nLn 3 4 8\n");
    CHECK(mesh_load(&mesh, "t.pts", 0, NULL, &notes, &error) == STATUS_OK, "%s", error.text);
    /* openCARP's surfaces are in files of their own: its lines are tissue, on an edge too, in their order */
    CHECK(notes.dropped[1] == 0 && notes.dropped[2] == 1 && mesh.faces == 0 && mesh.elements == 4 &&
              mesh_corners(&mesh, 0) == 2 && mesh_corners(&mesh, 1) == 4 && mesh_corners(&mesh, 3) == 2 &&
              mesh.tag[3] == 8,
          "%lld elements", (long long)mesh.elements);
    mesh_free(&mesh);
    write_text("t.elem", "4\nTt 0 1 2 3\nTr 1 4 5 8\nTt 1 2 3 4\nTr 0 1 2 7\n");
    CHECK(mesh_load(&mesh, "t.pts", 0, NULL, &notes, &error) == STATUS_OK, "%s", error.text);
    CHECK(mesh.elements == 3 && mesh_corners(&mesh, 1) == 3 && mesh.faces == 1 && mesh.mark[0] == 7,
          "%lld elements", (long long)mesh.elements);
    mesh_free(&mesh);
    write_text("t.elem", "4\nTt 0 1 2 3\nTr 1 4 5 8\nTt 1 2 3 4\nTr 0 1 2 8\n");
    CHECK(mesh_load(&mesh, "t.pts", 0, NULL, NULL, &error) == STATUS_INPUT &&
              strstr(error.text,
                     "t.elem: of the triangles of tag 8 some are faces of tetrahedra and some are "
                     "not: 1 of all 2 are not."),
          "%s", error.text);
    write_text("t.elem", "2\nTt 0 1 2 3\nTr 1 4 4 8\n");
    CHECK(mesh_read(&mesh, "t.pts", 0, NULL, NULL, &error) == STATUS_INPUT &&
              strstr(error.text, "names one node twice"),
          "%s", error.text);
}

/* A line's physical group of Gmsh has a name of its own, and a field at elements follows its element. */
static void test_named_lines(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    const char *const all[] = {"act"};
    const struct array_selection selection = {.name = all, .names = 1};
    write_text(
        "p.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 5 \"his\"\n3 6 \"muscle\"\n"
        "$EndPhysicalNames\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 2 0 0\n6 3 0 0\n$EndNodes\n"
        "$Elements\n3\n11 1 2 5 1 2 5\n12 4 2 6 1 1 2 3 4\n13 1 2 5 1 5 6\n$EndElements\n"
        "$ElementData\n1\n\"act\"\n1\n0\n3\n0\n1\n3\n11 1.5\n12 2.5\n13 3.5\n$EndElementData\n");
    CHECK_OK(mesh_read(&mesh, "p.msh", 1, &selection, NULL, &error), error);
    const struct mesh_name *found;
    CHECK_OK(mesh_names_find(&mesh.names, "his", mesh_dimensions(&mesh), &found, &error), error);
    CHECK(mesh.elements == 3 && mesh_corners(&mesh, 0) == 2 && mesh_corners(&mesh, 1) == 4 && found &&
              found->tag == 5 && mesh.tag[0] == 5 && mesh.tag[1] == 6,
          "%lld elements", (long long)mesh.elements);
    const struct mesh_field *field = mesh_fields_find(&mesh.fields, "act", LOCATION_ELEMENT);
    CHECK(field && field->value && field->value[0] == 1.5 && field->value[1] == 2.5 && field->value[2] == 3.5,
          "the array of another element");
    mesh_free(&mesh);
}

int main(void)
{
    char directory[] = "mesh-strays-XXXXXX", command[64];
    CHECK(mkdtemp(directory) && chdir(directory) == 0, "no directory");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int dimension = 2; dimension <= 3; dimension++)
            test_format(names[k], dimension);
    test_elements();
    test_named_lines();
    CHECK(chdir("..") == 0, "chdir");
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) != 0;
}
