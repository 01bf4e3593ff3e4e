/* vtkhdf.c: the mesh of a result file (.vtkhdf) as a mesh format; vtkhdf_mesh.h reads and writes the file. */
#include "app/meshio/format.h"

#include <stdio.h>
#include <string.h>

#include "app/io/store/h5.h"
#include "app/io/result/vtkhdf_mesh.h"

/* The result format is HDF5, which does not come gzipped. */
static enum status vtkhdf_path(char path[FORMAT_PATH + 16], const struct format_files *files,
                               struct error *error)
{
    snprintf(path, FORMAT_PATH + 16, "%s.vtkhdf", files->stem);
    if (files->gzipped)
        return error_set(error, STATUS_INPUT, "%s.gz: a result file cannot be gzipped as a whole", path);
    return STATUS_OK;
}

struct visit {
    struct h5_file *file;
    struct mesh_builder *builder;
    enum location location;
};

/* Whether the mesh has read the array as its own; it is read again only if a config names it. */
static bool is_own(const struct visit *visit, const char *name)
{
    return (visit->location == LOCATION_ELEMENT && strcmp(name, "region") == 0) ||
           (visit->location == visit->builder->fiber_location &&
            (strcmp(name, "fiber") == 0 || (strcmp(name, "sheet") == 0 && visit->builder->sheet)));
}

/* Reads an array with a row for each node or element; others, such as fields in time, are skipped. */
static enum status visit_array(void *context, const char *name, struct error *error)
{
    struct visit *visit = context;
    struct mesh_builder *builder = visit->builder;
    struct h5_array array = {0};
    struct mesh_field *field = NULL;
    struct error fault = {0};
    char path[300];
    int64_t rows = visit->location == LOCATION_NODE ? builder->nodes : builder->elements;
    snprintf(path, sizeof path, "/VTKHDF/%s/%.200s",
             visit->location == LOCATION_NODE ? "PointData" : "CellData", name);
    if (h5_array_open_any(&array, visit->file, path, 0, &fault))
        return fault.status == STATUS_INPUT ? STATUS_OK : error_set(error, fault.status, "%s", fault.text);
    enum status status = STATUS_OK;
    int components = array.rank == 2 ? (int)array.dim[1] : 1;
    if (array.rank < 3 && (int64_t)array.dim[0] == rows && components > 0) {
        if (is_own(visit, name) && !array_selection_names(builder->selection, name))
            TRY_DONE(mesh_fields_add(&builder->fields, name, visit->location, components, NULL, error));
        else
            TRY_DONE(builder_field(builder, name, visit->location, components, &field, error));
        if (field && field->value)
            TRY_DONE(h5_array_read(&array, visit->file, path, H5T_NATIVE_DOUBLE, field->value, error));
    }
done:
    h5_array_close(&array);
    return status;
}

/* The builder's fields <- the other arrays of the file */
static enum status visit_arrays(struct h5_file *file, struct mesh_builder *builder, struct error *error)
{
    for (int k = 0; k < 2; k++) {
        struct visit visit = {file, builder, k ? LOCATION_NODE : LOCATION_ELEMENT};
        const char *group = k ? "/VTKHDF/PointData" : "/VTKHDF/CellData";
        if (h5_exists(file, group))
            TRY(h5_each(file, group, visit_array, &visit, error));
    }
    return STATUS_OK;
}

static enum status vtkhdf_read(struct mesh_builder *builder, const struct format_files *files,
                               struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    char path[FORMAT_PATH + 16], digest[SHA256_HEX];
    struct mesh mesh = {0};
    struct h5_file file = {0};
    snprintf(notes->format, sizeof notes->format, "VTKHDF");
    enum status status = STATUS_OK;
    TRY_DONE(vtkhdf_path(path, files, error));
    if (files->inputs)
        TRY_DONE(inputs_digest(files->inputs, path, digest, error));
    TRY_DONE(h5_open(&file, path, false, error));
    TRY_DONE(vtkhdf_mesh_get(&file, &mesh, error));
    if (vtkhdf_rounded_fibers(&file))
        snprintf(notes->format, sizeof notes->format, "VTKHDF, of a result: fibres rounded to 0.012 degrees");
    for (int64_t i = 0; i < 3 * mesh.nodes; i++)
        mesh.point[i] = length_unit_to_mm(mesh.point[i], unit);
    builder_start(builder, &mesh);
    TRY_DONE(visit_arrays(&file, builder, error));
    if (files->inputs) /* not written to since */
        status = inputs_digest(files->inputs, path, digest, error);
done:
    h5_close(&file, NULL);
    return status;
}

static enum status vtkhdf_write(const struct mesh *mesh, const struct format_files *files,
                                struct error *error)
{
    char path[FORMAT_PATH + 16];
    TRY(vtkhdf_path(path, files, error));
    return vtkhdf_mesh_write(path, mesh, error);
}

const struct mesh_format format_vtkhdf = {.name = "VTKHDF",
                                          .extension = {".vtkhdf"},
                                          .scale_mm = 1,
                                          .read = vtkhdf_read,
                                          .write = vtkhdf_write,
                                          .fields = true,
                                          .faces = true,
                                          .names = true};
