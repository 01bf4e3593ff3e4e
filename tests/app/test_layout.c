/* test_layout.c: everything that a result holds, object by object with types, shapes, attributes and values, and its sidecar, is what
 * layout.txt has: of a box with named groups and faces, and of a sheet whose run was resumed. `test_layout --write` makes that file anew;
 * read what has changed in it before it is committed. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/output.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "tests/support/mesh_sample.h"

static const char path[] = "test_layout.vtkhdf", sidecar[] = "test_layout.xdmf";

static void put_type(FILE *out, hid_t type)
{
    static const char *const kinds[] = {"integer",  "float",     "time", "text", "bits", "opaque",
                                        "compound", "reference", "enum", "list", "array"};
    const H5T_class_t kind = H5Tget_class(type);
    fprintf(out, "%s%s", kind == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE ? "unsigned " : "",
            kind >= 0 ? kinds[kind] : "?");
    if (kind == H5T_STRING && H5Tis_variable_str(type) > 0)
        fputs(" of any length", out);
    else if (kind != H5T_VLEN && kind != H5T_REFERENCE)
        fprintf(out, " %zu", 8 * H5Tget_size(type));
}

static void put_shape(FILE *out, hid_t space)
{
    hsize_t dim[H5S_MAX_RANK], most[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dim, most);
    fputs(" [", out);
    for (int d = 0; d < rank; d++) {
        fprintf(out, d ? ", %lld" : "%lld", (long long)dim[d]);
        if (most[d] == H5S_UNLIMITED)
            fputc('+', out);
        else if (most[d] != dim[d])
            fprintf(out, "<%lld", (long long)most[d]);
    }
    fputc(']', out);
}

static hid_t root; /* the file, for references */

static void put_name_of(FILE *out, const void *reference)
{
    char name[200] = "?";
    hid_t to = H5Rdereference2(root, H5P_DEFAULT, H5R_OBJECT, reference);
    if (to >= 0) {
        H5Iget_name(to, name, sizeof name);
        H5Oclose(to);
    }
    fprintf(out, " -> %s", name);
}

/* Writes the values, which `read` gets in this type of memory, as text */
static void put_values(FILE *out, hid_t id, bool attribute, hid_t type, hid_t space)
{
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const H5T_class_t kind = H5Tget_class(type);
    if (count <= 0)
        return;
    if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
        double *value = malloc((size_t)count * sizeof *value);
        CHECK((attribute ? H5Aread(id, H5T_NATIVE_DOUBLE, value)
                         : H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value)) >= 0,
              "values");
        for (hssize_t k = 0; k < count; k++)
            fprintf(out, " %.9g", value[k]);
        free(value);
    } else if (kind == H5T_STRING && H5Tis_variable_str(type) > 0) {
        char *text = NULL;
        hid_t as = H5Tcopy(type);
        CHECK((attribute ? H5Aread(id, as, &text) : H5Dread(id, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text)) >=
                  0,
              "a text");
        fprintf(out, " '%s'", text);
        H5free_memory(text);
        H5Tclose(as);
    } else if (kind == H5T_STRING) {
        const size_t size = H5Tget_size(type);
        char *text = calloc((size_t)count, size + 1);
        CHECK((attribute ? H5Aread(id, type, text)
                         : H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text)) >= 0,
              "texts");
        for (hssize_t k = 0; k < count; k++)
            fprintf(out, " '%.*s'", (int)size, text + (size_t)k * size);
        free(text);
    } else if (kind == H5T_VLEN && attribute) {
        hvl_t *list = calloc((size_t)count, sizeof *list);
        CHECK(H5Aread(id, type, list) >= 0, "lists");
        for (hssize_t k = 0; k < count; k++)
            for (size_t i = 0; i < list[k].len; i++)
                put_name_of(out, (hobj_ref_t *)list[k].p + i);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, list);
        free(list);
    } else if (kind == H5T_COMPOUND &&
               attribute) { /* REFERENCE_LIST: who uses a scale, and as which dimension */
        struct {
            hobj_ref_t reference;
            int dimension;
        } *use = calloc((size_t)count, sizeof *use);
        hid_t as = H5Tcreate(H5T_COMPOUND, sizeof *use);
        char *member[2] = {H5Tget_member_name(type, 0), H5Tget_member_name(type, 1)};
        H5Tinsert(as, member[0], 0, H5T_STD_REF_OBJ);
        H5Tinsert(as, member[1], sizeof(hobj_ref_t), H5T_NATIVE_INT);
        CHECK(H5Aread(id, as, use) >= 0, "uses");
        for (hssize_t k = 0; k < count; k++) {
            put_name_of(out, &use[k].reference);
            fprintf(out, " %d", use[k].dimension);
        }
        H5free_memory(member[0]);
        H5free_memory(member[1]);
        H5Tclose(as);
        free(use);
    }
}

static herr_t put_attribute(hid_t id, const char *name, const H5A_info_t *info, void *out)
{
    hid_t attribute = H5Aopen(id, name, H5P_DEFAULT), type = H5Aget_type(attribute),
          space = H5Aget_space(attribute);
    (void)info;
    if (strcmp(name, "_Netcdf4Dimid") != 0 || H5Tget_class(type) == H5T_INTEGER) {
        fprintf(out, "    @%s: ", name);
        put_type(out, type);
        put_shape(out, space);
        fputc(':', out);
        put_values(out, attribute, true, type, space);
        fputc('\n', out);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return 0;
}

static herr_t put_object(hid_t group, const char *name, const H5L_info_t *info, void *out)
{
    char full[300];
    if (info->type != H5L_TYPE_HARD) {
        fprintf(out, "%s: a link\n", name);
        return 0;
    }
    hid_t id = H5Oopen(group, name, H5P_DEFAULT);
    H5Iget_name(id, full, sizeof full);
    fprintf(out, "%s", full);
    if (H5Iget_type(id) == H5I_DATASET) {
        hid_t type = H5Dget_type(id), space = H5Dget_space(id), create = H5Dget_create_plist(id);
        hsize_t chunk[H5S_MAX_RANK];
        fputs(": ", out);
        put_type(out, type);
        put_shape(out, space);
        if (H5Pget_layout(create) == H5D_CHUNKED) {
            const int rank = H5Pget_chunk(create, H5S_MAX_RANK, chunk);
            for (int d = 0; d < rank; d++)
                fprintf(out, d ? " x %lld" : " in chunks of %lld", (long long)chunk[d]);
        }
        for (int f = 0; f < H5Pget_nfilters(create); f++)
            fprintf(out, ", filter %d",
                    (int)H5Pget_filter2(create, (unsigned)f, NULL, NULL, NULL, 0, NULL, NULL));
        fputc(':', out);
        put_values(out, id, false, type, space);
        fputc('\n', out);
        H5Tclose(type);
        H5Sclose(space);
        H5Pclose(create);
    } else {
        fputs("/\n", out);
    }
    H5Aiterate2(id, H5_INDEX_NAME, H5_ITER_INC, NULL, put_attribute, out);
    if (H5Iget_type(id) == H5I_GROUP)
        H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, NULL, put_object, out);
    H5Oclose(id);
    return 0;
}

static void put_file(FILE *out, const char *title)
{
    char line[2000];
    root = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(root >= 0, "%s", path);
    fprintf(out, "==== %s\n", title);
    hid_t top = H5Gopen2(root, "/", H5P_DEFAULT);
    H5Aiterate2(top, H5_INDEX_NAME, H5_ITER_INC, NULL, put_attribute, out);
    H5Literate(top, H5_INDEX_NAME, H5_ITER_INC, NULL, put_object, out);
    H5Gclose(top);
    H5Fclose(root);
    FILE *beside = fopen(sidecar, "r");
    while (beside && fgets(line, sizeof line, beside))
        fputs(line, out);
    if (beside)
        fclose(beside);
    unlink(sidecar);
}

static const struct output_field fields[2] = {{"V", "mV", false}, {"tp06-epi/Ca_i", "mM", true}};
static const struct output_map maps[2] = {{"activation_time", "ms", 2}, {"beats", "1", 1}};
static const struct table_column probes[4] = {{"a/V", "mV", {0.5, 0.25, 0}, 1},
                                              {"a/tp06-epi/Ca_i", "mM", {0.5, 0.25, 0}, 1},
                                              {"b/V", "mV", {1, 2, 3}, 4},
                                              {"b/tp06-epi/Ca_i", "mM", {1, 2, 3}, 4}},
                                 leads[1] = {{"I", "mV", {0, 0, 0}, -1}};
static double thresholds[2][2] = {{-40, -50}, {-45.5, -60.25}};

static struct output_params params_of(const struct mesh *mesh, int deflate)
{
    return (struct output_params){.path = path,
                                  .mesh = mesh,
                                  .field = fields,
                                  .fields = 2,
                                  .map = maps,
                                  .maps = 2,
                                  .thresholds = thresholds,
                                  .regions = 2,
                                  .column = {probes, leads},
                                  .columns = {4, 1},
                                  .config = "version: 1\nmesh: some\n",
                                  .inputs = "0123456789  a.msh\n",
                                  .log = "a line\n",
                                  .program = "cardiac 1",
                                  .libraries = "HDF5 some",
                                  .device = "cpu",
                                  .deflate = deflate,
                                  .frames = 4};
}

static void append(struct output *out, const struct mesh *mesh, int first, int last)
{
    double v[64], c[64];
    struct error error = {0};
    for (int k = first; k < last; k++) {
        for (int64_t i = 0; i < mesh->nodes; i++) {
            v[i] = -80 + (double)i + 10 * k;
            c[i] = 1e-4 * (double)(1 + i + k);
        }
        CHECK_OK(output_append(out, 0.5 * k, (const double *const[]){v, c}, &error), error);
        for (int r = 2 * k; r < 2 * k + 2; r++)
            CHECK_OK(output_row(out, OUTPUT_PROBES, 0.25 * r,
                                (const double[]){-80 + r, 1e-4 * r, -70 + r, 2e-4 * r}, &error),
                     error);
        CHECK_OK(output_row(out, OUTPUT_ECG, 0.5 * k, (const double[]){0.125 * k}, &error), error);
    }
}

static void end(struct output *out, const struct mesh *mesh)
{
    double value[2 * 64];
    struct error error = {0};
    const struct output_number number[2] = {{"steps", 100}, {"sweep_seconds", 1.25}};
    for (int64_t i = 0; i < 2 * mesh->nodes; i++)
        value[i] = i % 5 == 4 ? NAN : 0.25 * (double)i;
    for (int m = 0; m < 2; m++)
        CHECK_OK(output_map(out, m, value, 1.5, &error), error);
    CHECK_OK(output_end(out, &error), error);
    CHECK_OK(output_close(out, number, 2, &error), error);
}

static void put_all(FILE *out)
{
    struct error error = {0};
    struct output *output;
    struct mesh mesh = mesh_sample_straight(3, (const int[]){1, 1, 1});
    mesh.faces = 2;
    mesh.face = malloc(6 * sizeof *mesh.face);
    mesh.mark = malloc(2 * sizeof *mesh.mark);
    memcpy(mesh.face, (const int32_t[]){0, 1, 2, 1, 2, 3}, 6 * sizeof *mesh.face);
    memcpy(mesh.mark, (const int32_t[]){7, 9}, 2 * sizeof *mesh.mark);
    CHECK_OK(mesh_names_add(&mesh.names, "left wall", 3, 1, &error), error);
    CHECK_OK(mesh_names_add(&mesh.names, "base", 2, 9, &error), error);
    struct output_params params = params_of(&mesh, 0);
    CHECK_OK(output_create(&output, &params, true, &error), error);
    append(output, &mesh, 0, 3);
    end(output, &mesh);
    put_file(out, "a box");
    double value[8];
    for (int i = 0; i < 8; i++)
        value[i] = 0.5 * i;
    const struct vtkhdf_field field = {"scar", "1", value};
    CHECK_OK(vtkhdf_mesh_write_with(path, &mesh, &field, 1, &error), error);
    put_file(out, "its mesh with a field");
    mesh_free(&mesh);
    mesh = mesh_sample_straight(3, (const int[]){1, 1, 1});
    mesh.vertex[4 * 1 + 2] = mesh.vertex[4 * 1 + 3] = mesh.vertex[4 * 1 + 1]; /* a line */
    mesh.vertex[4 * 4 + 3] = mesh.vertex[4 * 4 + 2];                          /* a triangle */
    params = params_of(&mesh, 9);
    params.fiber = (const double[]){0.72, 0.96, 1.6};
    CHECK_OK(output_create(&output, &params, true, &error), error);
    append(output, &mesh, 0, 1);
    end(output, &mesh);
    put_file(out, "lines and triangles, with one direction");
    CHECK_OK(vtkhdf_mesh_write(path, &mesh, &error), error);
    put_file(out, "its mesh");
    mesh_free(&mesh);
    mesh = mesh_sample_straight(2, (const int[]){2, 1, 1});
    params = params_of(&mesh, 1);
    CHECK_OK(output_create(&output, &params, true, &error), error);
    append(output, &mesh, 0, 4);
    CHECK_OK(output_close(output, NULL, 0, &error), error);
    CHECK_OK(output_resume(&output, &params, 0.5, false, &error), error);
    append(output, &mesh, 2, 3);
    end(output, &mesh);
    put_file(out, "a sheet, resumed at 0.5 ms");
    mesh_free(&mesh);
}

int main(int argc, char **argv)
{
    char *text = NULL, *stored = calloc(1, 1 << 20);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    put_all(out);
    fclose(out);
    unlink(path);
    FILE *file = fopen(CARDIAC_SOURCE "/tests/app/layout.txt",
                       argc > 1 && strcmp(argv[1], "--write") == 0 ? "w" : "r");
    CHECK(file, "layout.txt");
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        fputs(text, file);
    } else {
        CHECK(fread(stored, 1, (1 << 20) - 1, file) > 0, "layout.txt");
        for (char *a = text, *b = stored; *a || *b; a += strcspn(a, "\n") + 1, b += strcspn(b, "\n") + 1) {
            const int of_a = (int)strcspn(a, "\n"), of_b = (int)strcspn(b, "\n");
            CHECK(of_a == of_b && memcmp(a, b, (size_t)of_a) == 0, "\n%.*s\nis not\n%.*s", of_a, a, of_b, b);
        }
    }
    fclose(file);
    free(text);
    free(stored);
    return 0;
}
