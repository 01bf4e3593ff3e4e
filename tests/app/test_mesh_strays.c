/* test_mesh_strays.c: lines and triangles in a mesh of higher dimension, in every format: marks where they
 * are edges or faces of its elements, else an error that counts them and names their tags. */
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
    CHECK(mesh_read(&read, path, scale, NULL, NULL, &error) == STATUS_INPUT &&
              strstr(error.text, dimension == 3 ? "2 of 4 triangles are not faces of the mesh's tetrahedra: "
                                                  "tag 7 (1), tag 9 (1)"
                                                : "2 of 4 lines are not edges of the mesh's triangles: "
                                                  "tag 7 (1), tag 9 (1)"),
          "%s: %s", path, error.text);
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
    CHECK(notes.dropped[1] == 2 && notes.dropped[2] == 1 && mesh.faces == 0, "%lld lines",
          (long long)notes.dropped[1]);
    mesh_free(&mesh);
    write_text("t.elem", "5\nLn 0 5\nLn 0 4\nTt 0 1 2 3\nTt 1 2 3 4\nLn 3 4 8\n");
    CHECK(mesh_load(&mesh, "t.pts", 0, NULL, NULL, &error) == STATUS_INPUT &&
              strstr(error.text, "t.pts: 2 of 3 lines are not edges of the mesh's tetrahedra: tag 0 (2)."),
          "%s", error.text);
    write_text("t.elem", "3\nTt 0 1 2 3\nTt 1 2 3 4\nTr 1 4 5 8\n");
    CHECK(mesh_load(&mesh, "t.pts", 0, NULL, NULL, &error) == STATUS_INPUT &&
              strstr(error.text, "1 of 1 triangles are not faces of the mesh's tetrahedra: tag 8 (1)."),
          "%s", error.text);
    FILE *file = fopen("t.elem", "w");
    fprintf(file, "22\nTr 0 1 2 1\nTr 1 2 3 1\n");
    for (int k = 20; k > 0; k--)
        fprintf(file, "Ln 0 5 %d\n", k / 2);
    CHECK(fclose(file) == 0, "t.elem");
    CHECK(mesh_load(&mesh, "t.pts", 0, NULL, NULL, &error) == STATUS_INPUT &&
              strstr(error.text, "tag 0 (1), tag 1 (2), tag 2 (2)") &&
              strstr(error.text, "tag 7 (2) and 3 further tags."),
          "%s", error.text);
}

int main(void)
{
    char directory[] = "mesh-strays-XXXXXX", command[64];
    CHECK(mkdtemp(directory) && chdir(directory) == 0, "no directory");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int dimension = 2; dimension <= 3; dimension++)
            test_format(names[k], dimension);
    test_elements();
    CHECK(chdir("..") == 0, "chdir");
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) != 0;
}
