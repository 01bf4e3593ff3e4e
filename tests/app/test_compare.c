/* test_compare.c: `cardiac compare` and `cardiac info` through their own entry points, and readers that are
 * given damaged files. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/commands/difference.h"
#include "app/io/store/h5.h"
#include "app/io/result/output.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "app/meshio/mesh_file.h"
#include "app/util/command.h"
#include "tests/support/checkpoint_sample.h"
#include "tests/support/mesh_sample.h"

static const char file_a[] = "test_compare_a.vtkhdf", file_b[] = "test_compare_b.vtkhdf";

static void differences(void)
{
    double a[4] = {1, NAN, -0.0, 5}, b[4] = {1, NAN, 0.0, 2};
    struct difference d = difference_of(a, b, 4);
    CHECK(d.max == 3 && d.where == 3 && d.bits == 2 && difference_rms(&d) == 1.5, "max %g rms %g", d.max,
          difference_rms(&d));
    CHECK(difference_within(&d, 3) && !difference_within(&d, 2.9) && !difference_within(&d, 0), "within");
    d = difference_of(a, b, 3);
    CHECK(d.max == 0 && d.bits == 1 && !difference_within(&d, 0), "the sign of zero");
    b[1] = 7;
    d = difference_of(a, b, 3);
    CHECK(isinf(d.max) && d.where == 1 && !difference_within(&d, 1e300), "NaN against a number");
    a[0] = b[0] = INFINITY;
    b[1] = NAN;
    d = difference_of(a, b, 2);
    CHECK(d.bits == 0 && difference_within(&d, 0), "equal infinities");
}

/* A result of `frames` frames; V of node 5 is shifted in frame 1. */
static void write_result(const char *path, const struct mesh *mesh, int frames, double shift,
                         const char *second)
{
    struct error error = {0};
    struct output *out;
    const struct output_field fields[2] = {{"V", "mV", true}, {second, "mM", false}};
    struct output_params params = {.path = path,
                                   .mesh = mesh,
                                   .field = fields,
                                   .fields = 2,
                                   .config = "version: 1\n",
                                   .program = "cardiac",
                                   .libraries = "",
                                   .device = ""};
    CHECK_OK(output_create(&out, &params, true, &error), error);
    double *v = malloc((size_t)mesh->nodes * sizeof *v);
    for (int k = 0; k < frames; k++) {
        for (int64_t i = 0; i < mesh->nodes; i++)
            v[i] = (double)i + k + (k == 1 && i == 5 ? shift : 0);
        const double *value[2] = {v, v};
        CHECK_OK(output_append(out, 0.5 * k, value, &error), error);
    }
    free(v);
    CHECK_OK(output_close(out, NULL, 0, &error), error);
}

/* The command's status; its output goes to a file that is read back into text. */
static enum status call(enum status (*command)(int, char **, struct error *), char *text, size_t room,
                        struct error *error, const char *a, const char *b, const char *c, const char *d)
{
    static const char printed[] = "test_compare.txt";
    const char *given[] = {"command", a, b, c, d, NULL};
    char *argv[6] = {0};
    int argc = 0;
    while (given[argc]) {
        argv[argc] = strdup(given[argc]);
        argc++;
    }
    fflush(stdout);
    int keep = dup(1);
    CHECK(freopen(printed, "w", stdout), "freopen");
    enum status status = command(argc, argv, error);
    fflush(stdout);
    dup2(keep, 1);
    close(keep);
    FILE *in = fopen(printed, "r");
    text[fread(text, 1, room - 1, in)] = '\0';
    fclose(in);
    unlink(printed);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return status;
}

static void results(const struct mesh *mesh)
{
    char text[8000];
    struct error error = {0};
    write_result(file_a, mesh, 3, 0, "Cai");
    CHECK(!call(command_compare, text, sizeof text, &error, file_a, file_a, NULL, NULL), "%s", error.text);
    CHECK(strstr(text, "equal (8 compared)"), "%s", text);
    write_result(file_b, mesh, 3, 0.25, "Cai");
    CHECK(call(command_compare, text, sizeof text, &error, file_a, file_b, NULL, NULL) == STATUS_DIFFERS,
          "=");
    CHECK(strstr(text, "max 0.25") && strstr(text, "at node 5 (0.1, 0.2, 0) mm"), "%s", text);
    CHECK(strstr(error.text, "2 of 8"), "%s", error.text);
    CHECK(!call(command_compare, text, sizeof text, &error, file_a, file_b, "--tolerance", "0.25"), "0.25");
    CHECK(call(command_compare, text, sizeof text, &error, file_a, file_b, "--tolerance", "0.2") ==
              STATUS_DIFFERS,
          "0.2");
    CHECK(!call(command_compare, text, sizeof text, &error, file_a, file_b, "--field", "region"), "region");
    CHECK(call(command_compare, text, sizeof text, &error, file_a, file_b, "--field", "Cal") == STATUS_INPUT,
          "Cal");
    CHECK(strstr(error.text, "Cai"), "%s", error.text);
    CHECK(call(command_compare, text, sizeof text, &error, file_a, file_b, "--tolerance", "x") ==
              STATUS_INPUT,
          "x");
    write_result(file_b, mesh, 4, 0, "Nai");
    CHECK(call(command_compare, text, sizeof text, &error, file_a, file_b, NULL, NULL) == STATUS_DIFFERS,
          "=");
    CHECK(strstr(text, "1.5 ms is in test_compare_b.vtkhdf alone") && strstr(text, "Nai") &&
              strstr(text, "Cai"),
          "%s", text);
    struct mesh moved = mesh_sample_box(3, 4, 5);
    moved.point[7] += 1e-9;
    write_result(file_b, &moved, 3, 0, "Cai");
    mesh_free(&moved);
    CHECK(call(command_compare, text, sizeof text, &error, file_a, file_b, NULL, NULL) == STATUS_INPUT,
          "mesh");
    CHECK(strstr(error.text, "meshes differ"), "%s", error.text);
    CHECK(!call(command_info, text, sizeof text, &error, file_a, NULL, NULL, NULL), "%s", error.text);
    CHECK(strstr(text, "120 nodes, 360 tetrahedra") && strstr(text, "0 to 121 mV, mean 60.5"), "%s", text);
    CHECK(!call(command_info, text, sizeof text, &error, file_a, "--config", NULL, NULL), "%s", error.text);
    CHECK(!strcmp(text, "version: 1\n"), "%s", text);
    CHECK(!call(command_info, text, sizeof text, &error, NULL, NULL, NULL, NULL), "%s", error.text);
    CHECK(strstr(text, "HDF5"), "%s", text);
}

/* A fibre and its opposite are one conductivity; a turned one is not. */
static void opposite_fibers(const struct mesh *mesh)
{
    char text[8000];
    struct error error = {0};
    struct mesh other = mesh_sample_box(3, 4, 5);
    for (int64_t e = 0; e < other.elements; e += 2)
        for (int k = 0; k < 3; k++)
            other.fiber[3 * e + k] = -other.fiber[3 * e + k];
    write_result(file_a, mesh, 1, 0, "Cai");
    write_result(file_b, &other, 1, 0, "Cai");
    CHECK(!call(command_compare, text, sizeof text, &error, file_a, file_b, NULL, NULL), "%s", error.text);
    other.fiber[3] = -other.fiber[3];
    write_result(file_b, &other, 1, 0, "Cai");
    CHECK(call(command_compare, text, sizeof text, &error, file_a, file_b, "--field", "fiber") ==
              STATUS_DIFFERS,
          "a turned fibre");
    CHECK(strstr(text, "max 1.2") && strstr(text, "at cell 1 "), "%s", text);
    mesh_free(&other);
}

/* A run keeps its directory locked. */
static void growing(const struct mesh *mesh)
{
    char text[8000];
    struct error error = {0};
    write_result(file_a, mesh, 3, 0, "Cai");
    CHECK(!call(command_info, text, sizeof text, &error, file_a, NULL, NULL, NULL), "%s", error.text);
    CHECK(strstr(text, "3, 0 to 1 ms\n"), "%s", text);
    int directory = open(".", O_RDONLY | O_DIRECTORY);
    CHECK(flock(directory, LOCK_EX) == 0, "flock");
    CHECK(!call(command_info, text, sizeof text, &error, file_a, NULL, NULL, NULL), "%s", error.text);
    CHECK(strstr(text, "3, 0 to 1 ms; a run is writing more\n"), "%s", text);
    close(directory);
}

static void write_checkpoint(int64_t step, double x, char *path, size_t room)
{
    struct error error = {0};
    struct checkpoint *checkpoint;
    struct checkpoint_head head = {.step = step, .time = 1, .program = "p", .backend = "b"};
    strcpy(head.mesh_sha256, "m");
    strcpy(head.config_sha256, "c");
    double v[3] = {1, 2, x};
    float m[3] = {1, 2, NAN};
    CHECK_OK(checkpoint_create(&checkpoint, ".", &head, &error), error);
    checkpoint_sample_put(checkpoint, 0, "V", CHECKPOINT_DOUBLE, 3, v);
    checkpoint_sample_put(checkpoint, 1, "m/s", CHECKPOINT_FLOAT, 3, m);
    CHECK_OK(checkpoint_commit(checkpoint, 9, &error), error);
    checkpoint_close(checkpoint);
    char name[64];
    snprintf(name, sizeof name, "checkpoint-%d.h5", (int)step);
    snprintf(path, room, "test_compare_%d_%a.h5", (int)step, x);
    CHECK(rename(name, path) == 0, "rename");
}

static void checkpoints(void)
{
    char text[8000], a[64], b[64], c[64];
    struct error error = {0};
    write_checkpoint(770001, 3, a, sizeof a);
    write_checkpoint(770001, 3 + 0x1p-51, b, sizeof b);
    write_checkpoint(770002, 3, c, sizeof c);
    CHECK(!call(command_compare, text, sizeof text, &error, a, a, NULL, NULL), "%s", error.text);
    CHECK(call(command_compare, text, sizeof text, &error, a, b, NULL, NULL) == STATUS_DIFFERS, "one ulp");
    CHECK(strstr(text, "at value 2 of 3"), "%s", text);
    CHECK(!call(command_compare, text, sizeof text, &error, a, b, "--field", "m/s"), "%s", error.text);
    CHECK(call(command_compare, text, sizeof text, &error, a, c, NULL, NULL) == STATUS_DIFFERS, "steps");
    CHECK(call(command_compare, text, sizeof text, &error, a, file_a, NULL, NULL) == STATUS_INPUT, "kinds");
    CHECK(!call(command_info, text, sizeof text, &error, a, NULL, NULL, NULL), "%s", error.text);
    CHECK(strstr(text, "770001") && strstr(text, "m/s"), "%s", text);
    unlink(a);
    unlink(b);
    unlink(c);
}

/* One array of a good mesh file is replaced by values that cannot be: each is refused, none crashes. */
static void hostile(const struct mesh *mesh)
{
    static const struct {
        const char *name;
        int64_t rows, value;
    } bad[] = {
        {"/VTKHDF/NumberOfPoints", 1, -1},
        {"/VTKHDF/NumberOfPoints", 1, INT64_MAX},
        {"/VTKHDF/NumberOfPoints", 1, 121},
        {"/VTKHDF/NumberOfPoints", 2, 60},
        {"/VTKHDF/NumberOfCells", 1, INT64_MAX},
        {"/VTKHDF/NumberOfCells", 1, 359},
        {"/VTKHDF/Connectivity", 1440, 120},
        {"/VTKHDF/Connectivity", 1440, -1},
        {"/VTKHDF/Connectivity", 1440, (int64_t)1 << 32},
        {"/VTKHDF/Connectivity", 1439, 0},
        {"/VTKHDF/Offsets", 361, 4},
        {"/VTKHDF/Types", 360, 12},
        {"/VTKHDF/Points", 360, 0},
        {"/VTKHDF/CellData/region", 7, 0},
        {"/VTKHDF/CellData/fiber", 360, 0},
    };
    for (size_t t = 0; t < sizeof bad / sizeof *bad; t++) {
        struct error error = {0};
        struct h5_file file;
        struct mesh got = {0};
        CHECK_OK(vtkhdf_mesh_write(file_b, mesh, &error), error);
        CHECK_OK(h5_open(&file, file_b, true, &error), error);
        CHECK(H5Ldelete(file.id, bad[t].name, H5P_DEFAULT) >= 0, "delete");
        int64_t *value = malloc((size_t)bad[t].rows * sizeof *value);
        for (int64_t i = 0; i < bad[t].rows; i++)
            value[i] = bad[t].value;
        hsize_t rows = (hsize_t)bad[t].rows;
        CHECK_OK(h5_put(&file, bad[t].name, H5T_NATIVE_INT64, 1, &rows, value, NULL, 0, &error), error);
        free(value);
        CHECK_OK(h5_close(&file, &error), error);
        CHECK(mesh_read(&got, file_b, 1, NULL, NULL, &error) == STATUS_INPUT, "%s of %d was read",
              bad[t].name, (int)bad[t].value);
        CHECK(strstr(error.text, file_b) && !got.point, "%s", error.text);
    }
    /* An array that claims 8 TB and stores nothing; a link out of the file. */
    struct error error = {0};
    struct h5_file file;
    struct mesh got;
    hsize_t huge[2] = {(hsize_t)1 << 38, 3};
    int64_t points = (int64_t)1 << 30;
    CHECK_OK(vtkhdf_mesh_write(file_b, mesh, &error), error);
    CHECK_OK(h5_open(&file, file_b, true, &error), error);
    huge[0] = (hsize_t)points;
    H5Ldelete(file.id, "/VTKHDF/Points", H5P_DEFAULT);
    CHECK_OK(h5_put(&file, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, 2, huge, NULL, NULL, 0, &error), error);
    CHECK_OK(h5_rewrite(&file, "/VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, &points, &error), error);
    CHECK_OK(h5_close(&file, &error), error);
    CHECK(mesh_read(&got, file_b, 1, NULL, NULL, &error) == STATUS_INPUT, "24 GB were asked for");
    CHECK_OK(vtkhdf_mesh_write(file_b, mesh, &error), error);
    CHECK_OK(h5_open(&file, file_b, true, &error), error);
    H5Ldelete(file.id, "/VTKHDF/Points", H5P_DEFAULT);
    CHECK(H5Lcreate_external(file_a, "/VTKHDF/Points", file.id, "/VTKHDF/Points", H5P_DEFAULT, H5P_DEFAULT) >=
              0,
          "link");
    CHECK_OK(h5_close(&file, &error), error);
    CHECK(mesh_read(&got, file_b, 1, NULL, NULL, &error) == STATUS_INPUT,
          "a link out of the file was followed");
}

int main(void)
{
    struct mesh mesh = mesh_sample_box(3, 4, 5);
    differences();
    results(&mesh);
    opposite_fibers(&mesh);
    growing(&mesh);
    checkpoints();
    hostile(&mesh);
    mesh_free(&mesh);
    unlink(file_a);
    unlink(file_b);
    unlink("test_compare_a.xdmf");
    unlink("test_compare_b.xdmf");
    return 0;
}
