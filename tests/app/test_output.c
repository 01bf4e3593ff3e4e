/* test_output.c: what is written is what is read: frames, maps, probes, mesh and texts; resume; refusals. */
#include "app/io/result/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/store/h5.h"
#include "app/io/result/result.h"
#include "app/io/result/time_field.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "app/meshio/mesh_file.h"
#include "tests/support/mesh_sample.h"

static const char path[] = "test_output.vtkhdf", sidecar[] = "test_output.xdmf";

static const struct output_field fields[3] = {
    {"V", "mV", false}, {"tp06-epi/Cai", "mM", true}, {"rough", "mV", false}};
static const struct output_map maps[3] = {
    {"activation_time", "ms", 1}, {"beats", "ms", 2}, {"peak", "mV", 1}};
static const struct table_column probes[2] = {{"P1", "mV", {0, 0, 0}, 0}, {"P2", "mV", {1, 2, 3}, 7}};

static const struct table_column leads[1] = {{.name = "II", .unit = "mV"}};

static struct output_params params(const struct mesh *mesh, int deflate)
{
    return (struct output_params){.path = path,
                                  .mesh = mesh,
                                  .field = fields,
                                  .fields = 3,
                                  .map = maps,
                                  .maps = 3,
                                  .column = {probes, leads},
                                  .columns = {2, 1},
                                  .config = "version: 1\ntitle: \"a < b & c\"\n",
                                  .program = "cardiac 0",
                                  .libraries = "HDF5",
                                  .device = "cpu",
                                  .deflate = deflate};
}

/* The value of field f at node i in frame k; irregular, one NaN with a payload now and then. */
static double truth(int f, int k, int64_t i)
{
    if ((i + k) % 97 == 5)
        return -nan("0x123");
    return -85 + 140 * sin(0.37 * (double)i + 1.7 * k + f);
}

static void append(struct output *out, const struct mesh *mesh, int k, double shift)
{
    struct error error = {0};
    double *value[3];
    for (int f = 0; f < 3; f++) {
        value[f] = malloc((size_t)mesh->nodes * sizeof(double));
        for (int64_t i = 0; i < mesh->nodes; i++)
            value[f][i] = truth(f, k, i) + shift;
    }
    double row[2] = {value[0][0], value[0][7]};
    CHECK_OK(output_row(out, OUTPUT_PROBES, 0.5 * k, row, &error), error);
    CHECK_OK(output_row(out, OUTPUT_ECG, 0.5 * k, row + 1, &error), error);
    CHECK_OK(output_append(out, 0.5 * k, (const double *const *)value, &error), error);
    for (int f = 0; f < 3; f++)
        free(value[f]);
}

static void *read_all(struct h5_file *file, const char *name, bool real, hid_t type, int64_t *values)
{
    struct error error = {0};
    struct h5_array array;
    CHECK_OK(h5_array_open(&array, file, name, real, 0, &error), error);
    double *value = malloc((size_t)array.values * 8 + 1);
    CHECK_OK(h5_array_read(&array, file, name, type, value, &error), error);
    *values = array.values;
    h5_array_close(&array);
    return value;
}

/* Frame k of field f through its view, as any reader of the sidecar would take it. */
static void check_view(struct h5_file *file, const struct mesh *mesh, int f, int k)
{
    static const char *const names[3] = {"V", "tp06-epi_Cai", "rough"};
    char view[64];
    snprintf(view, sizeof view, "/views/%s/%06d", names[f], k);
    hid_t data = H5Dopen2(file->id, view, H5P_DEFAULT), space = H5Dget_space(data);
    CHECK(H5Sget_simple_extent_npoints(space) == mesh->nodes, "%s has another size", view);
    double *value = malloc((size_t)mesh->nodes * sizeof *value);
    CHECK(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0, "%s", view);
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double want = truth(f, k, i), got = value[i];
        if (isnan(want))
            CHECK(isnan(got), "%s[%d] is %g", view, (int)i, got);
        else
            CHECK(got == (f == 1 ? want : (double)(float)want), "%s[%d]: got %.9g, want %.9g", view, (int)i,
                  got, want);
    }
    free(value);
    H5Sclose(space);
    H5Dclose(data);
}

static void check_file(const struct mesh *mesh, int frames, double valid_to)
{
    struct error error = {0};
    struct h5_file file;
    CHECK_OK(h5_open(&file, path, false, &error), error);
    int64_t n, steps = -1;
    CHECK(h5_get_integer(&file, "/VTKHDF/Steps", "NSteps", &steps) && steps == frames, "%d steps",
          (int)steps);
    double *time = read_all(&file, "/VTKHDF/Steps/Values", true, H5T_NATIVE_DOUBLE, &n);
    CHECK(n == frames, "%d times", (int)n);
    int64_t *offset = read_all(&file, "/VTKHDF/Steps/PointDataOffsets/V", false, H5T_NATIVE_INT64, &n);
    CHECK(n == frames, "%d offsets", (int)n);
    uint32_t *flat = read_all(&file, "/VTKHDF/PointData/V", true, H5T_NATIVE_FLOAT, &n);
    CHECK(n % frames == 0 && n / frames >= mesh->nodes, "%d values", (int)n);
    for (int k = 0; k < frames; k++) {
        CHECK(time[k] == 0.5 * k, "time %d is %g", k, time[k]);
        CHECK(offset[k] == k * (n / frames), "offset %d", k);
        for (int64_t i = 0; i < mesh->nodes; i++)
            if (isnan(truth(0, k, i)))
                CHECK(flat[offset[k] + i] == 0x7fc00000u, "NaN is %x", flat[offset[k] + i]);
        for (int f = 0; f < 3; f++)
            check_view(&file, mesh, f, k);
    }
    free(time);
    free(offset);
    free(flat);
    double *probe = read_all(&file, "/probes/values", true, H5T_NATIVE_DOUBLE, &n);
    CHECK(n == 2 * frames, "%d probe values", (int)n);
    for (int k = 0; k < frames; k++)
        CHECK(probe[2 * k + 1] == truth(0, k, 7) || isnan(truth(0, k, 7)), "probe row %d", k);
    free(probe);
    double *lead = read_all(&file, "/ecg/values", true, H5T_NATIVE_DOUBLE, &n);
    CHECK(n == frames, "%d values of a lead", (int)n);
    for (int k = 0; k < frames; k++)
        CHECK(lead[k] == truth(0, k, 7) || isnan(truth(0, k, 7)), "row %d of a lead", k);
    free(lead);
    double valid = -1;
    float *map = read_all(&file, "/VTKHDF/PointData/beats", true, H5T_NATIVE_FLOAT, &n);
    CHECK(n == 2 * mesh->nodes, "%d map values", (int)n);
    bool written = h5_get_number(&file, "/VTKHDF/PointData/beats", "valid_to", &valid);
    CHECK(written == (valid_to > 0) && (!written || valid == valid_to), "valid_to %g", valid);
    CHECK(written ? map[3] == 3 : (bool)isnan(map[3]), "map[3] = %g", (double)map[3]);
    free(map);
    char *text, unit[8] = "";
    CHECK_OK(h5_read_text(&file, "/run/config", &text, &error), error);
    CHECK(strcmp(text, "version: 1\ntitle: \"a < b & c\"\n") == 0, "config text %s", text);
    free(text);
    CHECK(h5_get_text(&file, "/VTKHDF/PointData/tp06-epi_Cai", "unit", unit, sizeof unit), "no unit");
    CHECK(strcmp(unit, "mM") == 0, "unit %s", unit);
    h5_close(&file, NULL);
}

/* netCDF's dimensions: nodes of all maps, and beats of those that have several; these alone have views of beats */
static void check_dimensions(const struct mesh *mesh)
{
    struct error error = {0};
    struct h5_file file;
    int64_t beats;
    CHECK_OK(h5_open(&file, path, false, &error), error);
    for (int m = 0; m < 3; m++) {
        char name[80];
        snprintf(name, sizeof name, "/VTKHDF/PointData/%s", maps[m].name);
        hid_t list = H5Aopen_by_name(file.id, name, "DIMENSION_LIST", H5P_DEFAULT, H5P_DEFAULT),
              space = H5Aget_space(list);
        CHECK(H5Sget_simple_extent_npoints(space) == maps[m].width, "%s has %d dimensions", name,
              (int)H5Sget_simple_extent_npoints(space));
        H5Sclose(space);
        H5Aclose(list);
        snprintf(name, sizeof name, "/views/%s", maps[m].name);
        CHECK(h5_exists(&file, name) == (maps[m].width > 1), "%s", name);
    }
    free(read_all(&file, "/beat", true, H5T_NATIVE_DOUBLE, &beats));
    CHECK(beats == 2, "%d beats", (int)beats);
    CHECK(vtkhdf_topology_length(&file) == 0, "a topology of %d nodes", (int)mesh->nodes);
    h5_close(&file, NULL);
}

/* Points are float32 where that is exact, in the sidecar as well */
static void check_points(const struct mesh *mesh)
{
    struct error error = {0};
    struct h5_file file;
    char line[200] = "", want[60];
    bool single = true, found = false;
    for (int64_t k = 0; k < 3 * mesh->nodes; k++)
        single = single && (float)mesh->point[k] == mesh->point[k];
    CHECK_OK(h5_open(&file, path, false, &error), error);
    const int width = vtkhdf_points_width(&file);
    h5_close(&file, NULL);
    CHECK(width == (single ? 4 : 8), "points of %d bytes in a mesh of %s ones", width,
          single ? "single" : "double");
    FILE *in = fopen(sidecar, "r");
    CHECK(in, "%s", sidecar);
    snprintf(want, sizeof want, "Precision=\"%d\" Dimensions=\"%d 3\"", width, (int)mesh->nodes);
    while (!found && fgets(line, sizeof line, in))
        found = strstr(line, want) && strstr(line, "/VTKHDF/Points");
    fclose(in);
    CHECK(found, "no line with %s", want);
}

static void check_mesh(const struct mesh *mesh)
{
    struct error error = {0};
    struct mesh_notes notes;
    struct mesh got;
    CHECK_OK(mesh_read(&got, path, 1, NULL, &notes, &error), error);
    CHECK(got.nodes == mesh->nodes && got.elements == mesh->elements && got.dimension == mesh->dimension,
          "counts");
    CHECK(!memcmp(got.point, mesh->point, (size_t)mesh->nodes * 24), "points");
    CHECK(!memcmp(got.vertex, mesh->vertex,
                  (size_t)(mesh->elements * (mesh->dimension + 1)) * sizeof *mesh->vertex),
          "vertices");
    CHECK(!memcmp(got.tag, mesh->tag, (size_t)mesh->elements * 4), "tags");
    for (int64_t k = 0; k < 3 * mesh->elements; k++)
        CHECK(fabs(got.fiber[k] - mesh->fiber[k]) <= 0x1p-13 &&
                  got.fiber[k] * 4096 == nearbyint(got.fiber[k] * 4096),
              "fibre %g for %g", got.fiber[k], mesh->fiber[k]);
    CHECK(strstr(notes.format, "fibres rounded"), "%s", notes.format);
    mesh_free(&got);
}

/* A range is stored of each array but maps never written and, unless `fields`, those in time; it is that of
 * the values. */
static void check_ranges(bool fields_have)
{
    struct error error = {0};
    struct result result;
    CHECK_OK(result_open(&result, path, &error), error);
    CHECK(result.facts.known && result.facts.count[result.facts.count[3] ? 3 : 2] == result.facts.elements,
          "no counts");
    CHECK_OK(result_mesh(&result, &error), error);
    for (int64_t i = 0; i < 3 * result.mesh.nodes; i++)
        CHECK(result.mesh.point[i] >= result.facts.low[i % 3] &&
                  result.mesh.point[i] <= result.facts.high[i % 3],
              "a point beyond the box");
    for (int k = 0; k < result.arrays; k++) {
        const struct result_array *array = &result.array[k];
        const int64_t values = result_values(&result, k);
        struct range stored, range = range_empty;
        bool found = result_range(&result, k, &stored),
             unwritten = strcmp(array->name, "activation_time") == 0 || strcmp(array->name, "peak") == 0;
        CHECK(found == (array->in_time ? fields_have : !unwritten), "range of %s: %d", array->name, found);
        double *value = malloc((size_t)values * sizeof *value);
        for (int64_t f = 0; found && f < (array->in_time ? result.frames : 1); f++) {
            CHECK_OK(result_get(&result, k, f, value, &error), error);
            range_widen(&range, H5T_NATIVE_DOUBLE, value, values);
        }
        free(value);
        CHECK(!found || (stored.low == range.low && stored.high == range.high && stored.sum == range.sum &&
                         stored.none == range.none && stored.values == range.values),
              "%s: %g to %g, %lld none", array->name, stored.low, stored.high, (long long)stored.none);
    }
    result_close(&result);
}

static void round_trip(const struct mesh *mesh, int deflate)
{
    struct error error = {0};
    struct output *out;
    struct output_params p = params(mesh, deflate);
    CHECK_OK(output_create(&out, &p, true, &error), error);
    for (int k = 0; k < 5; k++)
        append(out, mesh, k, 0);
    double *map = malloc((size_t)mesh->nodes * 16);
    for (int64_t i = 0; i < 2 * mesh->nodes; i++)
        map[i] = (double)i;
    CHECK_OK(output_map(out, 1, map, 2, &error), error);
    free(map);
    struct output_number number = {"sweep_seconds", 1.25};
    CHECK_OK(output_close(out, &number, 1, &error), error);
    check_file(mesh, 5, 2);
    check_mesh(mesh);
    check_dimensions(mesh);
    check_points(mesh);
    check_ranges(true);
    CHECK(output_create(&out, &p, false, &error) == STATUS_INPUT, "an existing result was replaced");
    CHECK(strstr(error.text, "--overwrite") && !out, "%s", error.text);
}

/* Frames 3 and 4 come again after the checkpoint at 1 ms: the same bits stay, others stop or are replaced. */
static void resume(const struct mesh *mesh, int deflate)
{
    struct error error = {0};
    struct output *out;
    struct output_params p = params(mesh, deflate);
    CHECK_OK(output_resume(&out, &p, 1.0, true, &error), error);
    for (int k = 3; k < 7; k++)
        append(out, mesh, k, 0);
    struct output_resumed what = output_resumed(out);
    CHECK(what.kept == 3 && what.equal == 2 && !what.replaced && !what.dropped, "kept %d equal %d",
          (int)what.kept, (int)what.equal);
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    check_file(mesh, 7, 2);
    check_ranges(true);

    CHECK_OK(output_resume(&out, &p, 2.0, false, &error), error);
    append(out, mesh, 5, 1e-3);
    CHECK(output_resumed(out).replaced == 1, "not replaced");
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    check_ranges(false);

    CHECK_OK(output_resume(&out, &p, 2.0, true, &error), error);
    double *v = calloc((size_t)mesh->nodes, sizeof *v);
    const double *all[3] = {v, v, v};
    CHECK(output_append(out, 2.5, all, &error) == STATUS_RUN && strstr(error.text, "differs"), "%s",
          error.text);
    CHECK_OK(output_append(out, 2.75, all, &error), error); /* another interval: later frames go */
    CHECK(output_resumed(out).dropped == 2, "dropped %d", (int)output_resumed(out).dropped);
    free(v);
    CHECK_OK(output_close(out, NULL, 0, &error), error);
}

/* A field in chunks of another size, as an earlier version wrote them, is continued in these. */
static void other_chunks(void)
{
    enum { NODES = 50000 };
    struct error error = {0};
    struct h5_file file;
    const struct frame_shape one = {NODES, NODES, 1, NODES, false}, ours = frame_shape(NODES, false);
    CHECK(ours.chunks == 2 && ours.stride == NODES, "%d chunks", (int)ours.chunks);
    double *v = malloc(NODES * sizeof *v), was, is;
    for (int64_t i = 0; i < NODES; i++)
        v[i] = truth(0, 0, i);
    struct time_field before = {.name = "V", .unit = "mV", .shape = one, .deflate = 1, .frames = 3};
    unlink(path);
    CHECK_OK(h5_create(&file, path, false, &error), error);
    CHECK_OK(h5_group(&file, "/VTKHDF/PointData", &error), error);
    CHECK_OK(h5_group(&file, "/views", &error), error);
    CHECK_OK(time_field_create(&before, &file, "V", &error), error);
    for (int64_t k = 0; k < 2; k++)
        CHECK_OK(time_field_write(&before, &file, k, v, &error), error);
    time_field_free(&before);
    CHECK_OK(h5_close(&file, &error), error);

    struct time_field field = {.name = "V", .unit = "mV", .shape = ours, .frames = 3};
    CHECK_OK(h5_open(&file, path, true, &error), error);
    CHECK_OK(time_field_open(&field, &file, &error), error);
    CHECK(field.shape.chunk == NODES && time_field_frames(&field) == 2, "%d chunks, %d frames",
          (int)field.shape.chunks, (int)time_field_frames(&field));
    CHECK_OK(time_field_write(&field, &file, 2, v, &error), error);
    for (int64_t k = 0, node; k < 3; k++) {
        CHECK_OK(time_field_differs(&field, &file, k, v, &node, &was, &is, &error), error);
        CHECK(node == -1, "frame %d differs at node %d", (int)k, (int)node);
    }
    time_field_free(&field);
    CHECK_OK(h5_close(&file, &error), error);
    free(v);
}

static void refused(const struct mesh *mesh)
{
    struct error error = {0};
    struct output *out;
    struct output_params p = params(mesh, 0);
    struct mesh other = mesh_sample_box(2, 2, 2);
    p.mesh = &other;
    CHECK(output_resume(&out, &p, 1, true, &error) == STATUS_INPUT && !out, "another mesh");
    p = params(mesh, 0);
    struct output_field changed[3] = {fields[0], fields[1], {"W", "mV", false}};
    p.field = changed;
    CHECK(output_resume(&out, &p, 1, true, &error) == STATUS_INPUT && strstr(error.text, "W"), "%s",
          error.text);
    changed[2] = (struct output_field){"V", "mV", false};
    CHECK(output_create(&out, &p, true, &error) == STATUS_INPUT && !out, "two fields V");
    mesh_free(&other);
    FILE *junk = fopen(path, "w");
    fputs("not HDF5", junk);
    fclose(junk);
    p = params(mesh, 0);
    CHECK(output_resume(&out, &p, 1, true, &error) == STATUS_INPUT, "junk was continued");
    struct mesh none;
    CHECK(mesh_read(&none, path, 1, NULL, NULL, &error) == STATUS_INPUT, "junk was read");
}

static int64_t occurrences(const char *text, const char *word)
{
    int64_t found = 0;
    for (; (text = strstr(text, word)); text++)
        found++;
    return found;
}

/* The sidecar names `dataset` as the fibres; what does not change in time stands in the first of its frames
 * alone. */
static void check_sidecar(const char *dataset, int64_t frames)
{
    char text[8192] = "";
    FILE *file = fopen(sidecar, "r");
    CHECK(file && fread(text, 1, sizeof text - 1, file) > 0, "no sidecar");
    fclose(file);
    CHECK(strstr(text, dataset), "%s is not in the sidecar:\n%s", dataset, text);
    CHECK(!strstr(text, "/mesh/topology") && strstr(text, "Precision=\"4\"") &&
              !strstr(text, "Precision=\"5\""),
          "%s", text);
    CHECK(occurrences(text, "<Time ") == frames && occurrences(text, "<xi:include ") == frames - 1 &&
              occurrences(text, "</Topology>") == 1 && occurrences(text, "/PointData/activation_time<") == 1,
          "%lld frames in the sidecar:\n%s", (long long)frames, text);
}

/* One fibre for all: it takes the place of the mesh's own, and stands at elements when the mesh has none. */
static void uniform_fiber(enum location location, int frames)
{
    struct error error = {0};
    struct output *out;
    struct mesh mesh = mesh_sample_box(2, 3, 4), got;
    struct output_params p = params(&mesh, 0);
    const double fiber[3] = {-3, 0, 4};
    mesh.fiber_location = location; /* of the elements' directions the first serve as the nodes' */
    p.fiber = fiber;
    CHECK_OK(output_create(&out, &p, true, &error), error);
    for (int frame = 0; frame < frames; frame++)
        append(out, &mesh, frame, 0);
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    check_sidecar(location == LOCATION_NODE ? ":/VTKHDF/PointData/fiber<" : ":/VTKHDF/CellData/fiber<",
                  frames);
    CHECK_OK(mesh_read(&got, path, 1, NULL, NULL, &error), error);
    CHECK(got.fiber_location == (location == LOCATION_NODE ? LOCATION_NODE : LOCATION_ELEMENT),
          "location %d for %d", got.fiber_location, location);
    for (int64_t e = 0; e < (location == LOCATION_NODE ? mesh.nodes : mesh.elements); e++)
        CHECK(got.fiber[3 * e] == (double)-0.6f && got.fiber[3 * e + 1] == 0 &&
                  got.fiber[3 * e + 2] == (double)0.8f,
              "fibre %lld is %g %g %g", (long long)e, got.fiber[3 * e], got.fiber[3 * e + 1],
              got.fiber[3 * e + 2]);
    mesh_free(&got);
    mesh_free(&mesh);
}

/* An array in several chunks of whole rows, with and without deflate, has the values that were written last. */
static void rewritten(int deflate)
{
    enum { ROWS = 50001, WIDTH = 2 };
    const float none = NAN;
    const hsize_t dim[2] = {ROWS, WIDTH};
    struct error error = {0};
    struct h5_file file;
    float *value = malloc(ROWS * WIDTH * sizeof *value);
    int64_t n;
    unlink(path);
    CHECK_OK(h5_create(&file, path, true, &error), error);
    CHECK_OK(h5_put(&file, "/map", H5T_NATIVE_FLOAT, 2, dim, NULL, &none, deflate, &error), error);
    for (int round = 0; round < 2; round++) {
        for (int64_t k = 0; k < ROWS * WIDTH; k++)
            value[k] = k % 7 == 3 ? none : (float)(k / 8 + round);
        CHECK_OK(h5_rewrite(&file, "/map", H5T_NATIVE_FLOAT, value, &error), error);
        CHECK_OK(h5_flush(&file, &error), error);
    }
    hid_t data = H5Dopen2(file.id, "/map", H5P_DEFAULT);
    const hsize_t stored = H5Dget_storage_size(data), all = ROWS * WIDTH * sizeof *value;
    CHECK(deflate ? stored < all / 3 : stored == all, "%d bytes of %d", (int)stored, (int)all);
    H5Dclose(data);
    float *got = read_all(&file, "/map", true, H5T_NATIVE_FLOAT, &n);
    CHECK(n == ROWS * WIDTH && !memcmp(got, value, all), "not what was written");
    free(got);
    free(value);
    CHECK_OK(h5_close(&file, &error), error);
}

/* Two names, and the faces of two elements */
static void mark(struct mesh *mesh)
{
    struct error error = {0};
    CHECK_OK(mesh_names_add(&mesh->names, "left wall", 3, 1, &error), error);
    CHECK_OK(mesh_names_add(&mesh->names, "base", 2, -7, &error), error);
    mesh->faces = 2;
    mesh->face = calloc(6, sizeof *mesh->face);
    mesh->mark = calloc(2, sizeof *mesh->mark);
    CHECK(mesh->face && mesh->mark, "no memory");
    for (int k = 0; k < 6; k++)
        mesh->face[k] = mesh->vertex[k / 3 * 4 + k % 3];
    mesh->mark[1] = -7;
}

/* Views of all frames, of which more are made for the 65th; then times that are a table are refused. */
static void many_frames(void)
{
    struct error error = {0};
    struct output *out;
    struct mesh mesh = mesh_sample_box(1, 1, 2);
    struct output_params p = params(&mesh, 0);
    CHECK_OK(output_create(&out, &p, true, &error), error);
    for (int k = 0; k < 65; k++)
        append(out, &mesh, k, 0);
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    check_file(&mesh, 65, 0);

    const hsize_t dim[2] = {65, 2};
    const double times[65 * 2] = {0};
    struct h5_file file;
    struct result result;
    CHECK_OK(h5_open(&file, path, true, &error), error);
    CHECK(H5Ldelete(file.id, "/frames/times", H5P_DEFAULT) >= 0, "no times");
    CHECK_OK(h5_put(&file, "/frames/times", H5T_NATIVE_DOUBLE, 2, dim, times, NULL, 0, &error), error);
    CHECK_OK(h5_close(&file, &error), error);
    CHECK(result_open(&result, path, &error) == STATUS_INPUT &&
              strstr(error.text, "/frames/times has 2 dimensions, not 1"),
          "%s", error.text);
    result_close(&result);
    mesh_free(&mesh);
}

/* A mesh alone, with its names and marked faces; then one value of an array is wrong: which, and what is said of it */
static void mesh_alone(struct mesh *mesh)
{
    static const struct {
        const char *array;
        int64_t at;
        double value;
        const char *said;
    } wrong[] = {{"/VTKHDF/Offsets", 3, 99, "/VTKHDF/Offsets[3] is 99, not 12"},
                 {"/mesh/faces", 4, 5000, "/mesh/faces: face 1 has node 5000; there are 120 nodes"},
                 {"/mesh/faces", 2, -1, "/mesh/faces: face 0 has node -1;"},
                 {"/VTKHDF/Points", 8, NAN, " of 2 is not finite"}};
    struct error error = {0};
    struct h5_file file;
    struct mesh got;
    mark(mesh);
    CHECK_OK(vtkhdf_mesh_write(path, mesh, &error), error);
    CHECK_OK(h5_open(&file, path, false, &error), error);
    CHECK_OK(vtkhdf_mesh_get(&file, &got, &error), error);
    h5_close(&file, NULL);
    CHECK(got.names.count == mesh->names.count, "%d names", got.names.count);
    for (int k = 0; k < mesh->names.count; k++) {
        const struct mesh_name *name = &got.names.item[k], *want = &mesh->names.item[k];
        CHECK(strcmp(name->name, want->name) == 0 && name->dimension == want->dimension &&
                  name->tag == want->tag,
              "name %d is %s of %d, %d", k, name->name, name->dimension, (int)name->tag);
    }
    CHECK(got.faces == mesh->faces && memcmp(got.face, mesh->face, 6 * sizeof *got.face) == 0 &&
              memcmp(got.mark, mesh->mark, 2 * sizeof *got.mark) == 0,
          "%d faces", (int)got.faces);
    mesh_free(&got);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        int64_t n;
        CHECK_OK(vtkhdf_mesh_write(path, mesh, &error), error);
        CHECK_OK(h5_open(&file, path, true, &error), error);
        double *value = read_all(&file, wrong[k].array, k == 3, H5T_NATIVE_DOUBLE, &n);
        hid_t data = H5Dopen2(file.id, wrong[k].array, H5P_DEFAULT);
        value[wrong[k].at] = wrong[k].value;
        CHECK(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0, "%s",
              wrong[k].array);
        free(value);
        H5Dclose(data);
        CHECK_OK(h5_close(&file, &error), error);
        CHECK(mesh_read(&got, path, 1, NULL, NULL, &error) == STATUS_INPUT &&
                  strstr(error.text, wrong[k].said),
              "%s: %s", wrong[k].array, error.text);
    }
}

int main(void)
{
    struct mesh small = mesh_sample_box(3, 4, 5), large = mesh_sample_sheet(300, 250); /* one chunk; three */
    rewritten(0);
    rewritten(1);
    other_chunks();
    uniform_fiber(LOCATION_NONE, 1);
    uniform_fiber(LOCATION_NODE, 3);
    uniform_fiber(LOCATION_ELEMENT, 2);
    for (int deflate = 0; deflate <= 9; deflate += 9) {
        round_trip(&small, deflate);
        resume(&small, deflate);
    }
    many_frames();
    mesh_alone(&small);
    for (int64_t k = 0; k < 3 * large.nodes; k++)
        large.point[k] = (float)large.point[k];
    round_trip(&large, 1);
    resume(&large, 1);
    refused(&large);
    mesh_free(&small);
    mesh_free(&large);
    unlink(path);
    unlink(sidecar);
    return 0;
}
