/* test_mesh_files.c: what is written is what is read, to the last bit, in every format, dimension and place
 * of the fibres, plain and gzipped; so is every variant of Gmsh's format. */
#include "app/meshio/mesh_file.h"
#include "app/meshio/gmsh/gmsh_numbers.h"
#include "tests/support/gmsh_sample.h"
#include "tests/support/mesh_sample.h"

#include <unistd.h>

static const char *const given_at[] = {"none", "nodes", "elements"};

static void test_round_trip(const char *directory, const char *extension, double scale, int dimension,
                            enum location location, int with_sheet)
{
    struct error error = {0};
    struct mesh mesh = {0}, read = {0};
    struct mesh_notes notes;
    char path[300];
    snprintf(path, sizeof path, "%s/trip-%d-%s-%d%s", directory, dimension, given_at[location], with_sheet,
             extension);
    mesh = mesh_sample_odd(dimension, location, with_sheet);
    CHECK_OK(mesh_write(&mesh, path, false, &error), error);
    CHECK(mesh_write(&mesh, path, false, &error) == STATUS_INPUT && strstr(error.text, "--overwrite"), "%s",
          error.text);
    CHECK_OK(mesh_write(&mesh, path, true, &error), error);
    CHECK_OK(mesh_read(&read, path, scale, NULL, &notes, &error), error);
    check_same_mesh(&mesh, &read);
    CHECK(notes.health.turned == 0 && notes.dropped[1] == 0 && notes.ignored[0] == '\0', "ignored: %s",
          notes.ignored);
    mesh_free(&read);
    mesh_free(&mesh);
}

static void test_round_trips(const char *directory)
{
    for (int dimension = 1; dimension <= 3; dimension++)
        for (int given = 0; given < 3; given++)
            for (int with_sheet = 0; with_sheet < (given ? 2 : 1); with_sheet++) {
                test_round_trip(directory, ".msh", 1, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, "-z.msh.gz", 1, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, ".vtk", 1, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, ".vtu", 1, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, "-z.vtk.gz", 1, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, "-z.vtu.gz", 1, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, ".vtkhdf", 1, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, ".ele", 1, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, "-z.node.gz", 1, dimension, (enum location)given, with_sheet);
                if (given == LOCATION_NODE)
                    continue;
                test_round_trip(directory, ".pts", 0, dimension, (enum location)given, with_sheet);
                test_round_trip(directory, "-z.elem.gz", 0, dimension, (enum location)given, with_sheet);
            }
}

static void test_gmsh(const char *directory, struct sample sample, enum location location, int with_sheet)
{
    struct error error = {0};
    struct mesh mesh = {0}, read = {0};
    struct mesh_notes notes;
    char path[300];
    snprintf(path, sizeof path, "%s/variant.msh", directory);
    mesh = mesh_sample_odd(3, location, with_sheet);
    sample.file = fopen(path, "wb");
    CHECK(sample.file, "%s", path);
    gmsh_sample(&sample, &mesh);
    fclose(sample.file);
    CHECK_OK(mesh_read(&read, path, 1, NULL, &notes, &error), error);
    check_same_mesh(&mesh, &read);
    CHECK(notes.dropped[2] == 1, "%lld triangles dropped", (long long)notes.dropped[2]);
    CHECK(strcmp(notes.ignored, "$Periodic") == 0, "%s", notes.ignored);
    CHECK(mesh_fields_find(&read.fields, "pressure", LOCATION_NODE), "no array pressure");
    mesh_free(&read);
    mesh_free(&mesh);
}

static void test_gmsh_variants(const char *directory)
{
    for (int version = 2; version <= 4; version += 2)
        for (int kind = 0; kind < 3; kind++)
            for (int given = 0; given < 3; given++)
                test_gmsh(directory, (struct sample){NULL, version, kind > 0, kind > 1}, (enum location)given,
                          given);
}

static void write_text(const char *directory, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

/* A cube, a prism on it and a pyramid under it, each as Gmsh orders its nodes: their parts fill the same
 * space, none turned, and have their cell's numbers; the two halves of a square are faces. */
static void test_gmsh_cells(const char *directory)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    char path[300];
    static const char *const name[] = {"number"};
    const struct array_selection selection = {.name = name, .names = 1};
    double volume[5] = {0};
    write_text(directory, "cells.msh",
               "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 7 \"wall\"\n2 9 \"front\"\n"
               "$EndPhysicalNames\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n"
               "7 1 1 1\n8 0 1 1\n9 0 0 2\n10 1 0 2\n11 0 1 2\n12 0.5 0.5 -1\n$EndNodes\n$Elements\n4\n"
               "1 3 2 9 1 1 2 6 5\n2 5 2 7 1 1 2 3 4 5 6 7 8\n3 6 2 7 1 5 6 8 9 10 11\n"
               "4 7 2 8 1 1 4 3 2 12\n$EndElements\n$ElementData\n1\n\"number\"\n1\n0\n3\n0\n1\n3\n"
               "2 2.5\n3 3.5\n4 4.5\n$EndElementData\n");
    snprintf(path, sizeof path, "%s/cells.msh", directory);
    CHECK_OK(mesh_read(&mesh, path, 1, &selection, &notes, &error), error);
    const double *number = mesh_fields_find(&mesh.fields, "number", LOCATION_ELEMENT)->value;
    CHECK(notes.health.turned == 0 && mesh.elements == 11, "%lld turned", (long long)notes.health.turned);
    for (int64_t e = 0; e < mesh.elements; e++) {
        CHECK(number[e] == 2.5 || number[e] == 3.5 || number[e] == 4.5, "%g", number[e]);
        CHECK(mesh.tag[e] == (number[e] == 4.5 ? 8 : 7), "tag %d", (int)mesh.tag[e]);
        volume[(int)number[e]] += mesh_measure(&mesh, e) / 6;
    }
    CHECK_CLOSE(volume[2], 1.0, 1e-14);
    CHECK_CLOSE(volume[3], 0.5, 1e-14);
    CHECK_CLOSE(volume[4], 1.0 / 3, 1e-14);
    const struct mesh_name *front;
    CHECK_OK(mesh_names_find(&mesh.names, "front", 1 << 2, &front, &error), error);
    CHECK(mesh.faces == 2 && mesh.mark[1] == 9 && front && front->tag == 9, "%lld faces",
          (long long)mesh.faces);
    CHECK(notes.split[12] == 1 && notes.split[13] == 1 && notes.split[14] == 1 && notes.split[9] == 1,
          "%lld hexahedra", (long long)notes.split[12]);
    mesh_free(&mesh);
}

static void test_tetgen_dialect(const char *directory)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    char path[300];
    write_text(directory, "one.node",
               "# from 1, with attributes, a comment and a marker\n5 3 2 1\n\n1 0 0 0 9.5 9 1 # here\n"
               "2 1e0 0 0 1 1 0\r\n  3 0 +1.0 0 1 1 0\n4 0 0 1. 1 1 0\n5 1 1 1 2 2 -1\n");
    write_text(directory, "one.ele", "2 4 2\n1 1 2 3 4 8 5\n2 2 4 3 5 8 -7.0\n");
    write_text(directory, "one.face", "1 1\n1 1 2 3 4");
    write_text(directory, "one.fib", "2\n1 0 0\n0 1 0\n");
    snprintf(path, sizeof path, "%s/one", directory);
    CHECK_OK(mesh_read(&mesh, path, 0.5, NULL, &notes, &error), error);
    CHECK(mesh.nodes == 5 && mesh.elements == 2, "%lld nodes", (long long)mesh.nodes);
    CHECK(mesh.tag[0] == 5 && mesh.tag[1] == -7, "tags %d and %d", mesh.tag[0], mesh.tag[1]);
    CHECK(mesh.vertex[0] == 0 && mesh.vertex[7] + mesh.vertex[6] == 6, "vertices from 1 stay so");
    CHECK(notes.dropped[2] == 1 && notes.health.turned == 1, "%lld turned", (long long)notes.health.turned);
    CHECK(mesh.fiber_location == LOCATION_ELEMENT && mesh.fiber[4] == 1, "fibre %g", mesh.fiber[4]);
    CHECK(mesh.point[3] == 0.5, "scaled to %g", mesh.point[3]);
    mesh_free(&mesh);
}

static void test_opencarp_dialect(const char *directory)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    char path[300];
    write_text(directory, "carp.pts", "4\n0 0 0\n1500 0 0\n0 150.7 0\n0 0 0.1\n");
    write_text(directory, "carp.elem", "3\nLn 0 1\nTt 0 1 2 3 42\nTr 0 1 2 7\n");
    write_text(directory, "carp.lon", "0 0 1\n1 0 0\n0 1 0\n");
    snprintf(path, sizeof path, "%s/carp.lon", directory);
    CHECK_OK(mesh_read(&mesh, path, 0, NULL, &notes, &error), error);
    CHECK(mesh.elements == 2 && mesh_corners(&mesh, 0) == 2 && mesh.tag[1] == 42, "tag %d", mesh.tag[1]);
    CHECK(mesh.point[3] == 1.5 && mesh.point[7] == 0.1507 && mesh.point[11] == 0.0001,
          "um to mm is not exact: %.17g", mesh.point[7]);
    CHECK(mesh.fiber[2] == 1 && mesh.fiber[3] == 1, "the fibre of another element");
    CHECK(notes.dropped[1] == 0 && notes.dropped[2] == 1, "%lld lines", (long long)notes.dropped[1]);
    mesh_free(&mesh);
    CHECK(mesh_read(&mesh, path, -1, NULL, &notes, &error) == STATUS_INPUT, "a negative scale");
    CHECK_OK(mesh_read(&mesh, path, 1, NULL, &notes, &error), error);
    CHECK(mesh.point[3] == 1500, "scaled to %g", mesh.point[3]);
    mesh_free(&mesh);
}

/* The largest number a file can hold, and the smallest behind it */
static void test_numbers(void)
{
    struct number_map map = {0};
    struct error error = {0};
    int64_t twice;
    CHECK_OK(number_map_add(&map, INT64_MAX - 1, &error), error);
    CHECK_OK(number_map_add(&map, INT64_MAX, &error), error);
    CHECK(map.consecutive && number_map_find(&map, INT64_MAX) == 1, "INT64_MAX is not found");
    CHECK_OK(number_map_add(&map, INT64_MIN, &error), error);
    CHECK(!number_map_close(&map, &twice), "%lld twice", (long long)twice);
    CHECK(number_map_find(&map, INT64_MIN) == 2 && number_map_find(&map, INT64_MAX) == 1,
          "INT64_MIN is item %lld", (long long)number_map_find(&map, INT64_MIN));
    number_map_free(&map);
}

int main(void)
{
    char directory[] = "mesh-files-XXXXXX", command[64];
    test_numbers();
    CHECK(mkdtemp(directory), "no directory");
    test_round_trips(directory);
    test_gmsh_variants(directory);
    test_gmsh_cells(directory);
    test_tetgen_dialect(directory);
    test_opencarp_dialect(directory);
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) != 0;
}
