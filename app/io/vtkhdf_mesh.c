/* vtkhdf_mesh.c: writing a mesh as VTKHDF. */
#include "app/io/vtkhdf_mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/h5.h"
#include "kernels/base/array.h"

/* The group with its two attributes. Readers want Type as exactly 16 bytes without a final zero. */
static enum status put_head(struct h5_file *file, struct error *error)
{
    static const char type_name[16] = "UnstructuredGrid";
    static const int64_t version[2] = {2, 0};
    hsize_t two = 2;
    enum status status = h5_group(file, "/VTKHDF", error);
    if (status)
        return status;
    hid_t group = H5Oopen(file->id, "/VTKHDF", H5P_DEFAULT), pair = H5Screate_simple(1, &two, NULL);
    hid_t scalar = H5Screate(H5S_SCALAR), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, sizeof type_name);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    hid_t a = H5Acreate2(group, "Version", H5T_STD_I64LE, pair, H5P_DEFAULT, H5P_DEFAULT);
    hid_t b = H5Acreate2(group, "Type", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
    if (a < 0 || b < 0 || H5Awrite(a, H5T_NATIVE_INT64, version) < 0 || H5Awrite(b, text, type_name) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot write the attributes of /VTKHDF");
    if (a >= 0)
        H5Aclose(a);
    if (b >= 0)
        H5Aclose(b);
    H5Tclose(text);
    H5Sclose(scalar);
    H5Sclose(pair);
    H5Oclose(group);
    return status;
}

static enum status put_count(struct h5_file *file, const char *name, int64_t count, struct error *error)
{
    hsize_t one = 1;
    return h5_put(file, name, H5T_NATIVE_INT64, H5T_NATIVE_INT64, 1, &one, &count, NULL, 0, error);
}

/* Offsets 0, n, 2n, ... and the cells' type (3 line, 5 triangle, 10 tetrahedron). */
static enum status put_cells(struct h5_file *file, const struct mesh *mesh, int deflate, struct error *error)
{
    static const unsigned char vtk_type[4] = {0, 3, 5, 10};
    int64_t cells = mesh->elements;
    enum status status = STATUS_OK;
    int64_t *offset = array_new(cells + 1, sizeof *offset, "the cells", &status, error);
    unsigned char *type = array_new(cells + 1, sizeof *type, "the cells", &status, error);
    hsize_t offsets = (hsize_t)cells + 1, types = (hsize_t)cells;
    hsize_t vertices = (hsize_t)(mesh->elements * (mesh->dimension + 1));
    for (int64_t i = 0; i <= cells && !status; i++) {
        offset[i] = i * (mesh->dimension + 1);
        type[i] = vtk_type[mesh->dimension];
    }
    TRY(h5_put(file, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, H5T_NATIVE_INT32, 1, &vertices, mesh->vertex,
               NULL, deflate, error));
    TRY(h5_put(file, "/VTKHDF/Offsets", H5T_NATIVE_INT64, H5T_NATIVE_INT64, 1, &offsets, offset, NULL,
               deflate, error));
    TRY(h5_put(file, "/VTKHDF/Types", H5T_NATIVE_UINT8, H5T_NATIVE_UINT8, 1, &types, type, NULL, deflate,
               error));
    free(offset);
    free(type);
    return status;
}

/* How directions are stored, and packed */
struct packing {
    hid_t direction;
    int deflate;
};

/* /VTKHDF/.../name <- direction, of the memory's `type`, one for each element or node */
static enum status put_direction(struct h5_file *file, const struct mesh *mesh, enum location location,
                                 const char *name, hid_t type, const void *direction, struct packing packing,
                                 struct error *error)
{
    char path[64];
    snprintf(path, sizeof path, "/VTKHDF/%s/%s", location == LOCATION_NODE ? "PointData" : "CellData", name);
    hsize_t dim[2] = {(hsize_t)(location == LOCATION_NODE ? mesh->nodes : mesh->elements), 3};
    enum status status =
        h5_put(file, path, packing.direction, type, 2, dim, direction, NULL, packing.deflate, error);
    return status ? status : h5_set_text(file, path, "unit", "1", error);
}

enum location vtkhdf_fiber_location(const struct mesh *mesh, const double *fiber)
{
    return fiber && mesh->fiber_location == LOCATION_NONE ? LOCATION_ELEMENT : mesh->fiber_location;
}

/* The same unit vector everywhere */
static enum status put_uniform(struct h5_file *file, const struct mesh *mesh, const double fiber[3],
                               struct packing packing, struct error *error)
{
    enum location location = vtkhdf_fiber_location(mesh, fiber);
    int64_t rows = location == LOCATION_NODE ? mesh->nodes : mesh->elements;
    double length = sqrt(fiber[0] * fiber[0] + fiber[1] * fiber[1] + fiber[2] * fiber[2]);
    enum status status = STATUS_OK;
    float *value = array_new(3 * rows, sizeof *value, "the fibres", &status, error);
    if (status)
        return status;
    for (int64_t k = 0; k < 3 * rows; k++)
        value[k] = (float)(fiber[k % 3] / length);
    status = put_direction(file, mesh, location, "fiber", H5T_NATIVE_FLOAT, value, packing, error);
    free(value);
    return status;
}

static enum status put_directions(struct h5_file *file, const struct mesh *mesh, const double *fiber,
                                  struct packing packing, struct error *error)
{
    enum location location = mesh->fiber_location;
    enum status status = STATUS_OK;
    if (fiber)
        status = put_uniform(file, mesh, fiber, packing, error);
    else if (location != LOCATION_NONE && mesh->fiber)
        status = put_direction(file, mesh, location, "fiber", H5T_NATIVE_DOUBLE, mesh->fiber, packing, error);
    if (!status && location != LOCATION_NONE && mesh->sheet)
        status = put_direction(file, mesh, location, "sheet", H5T_NATIVE_DOUBLE, mesh->sheet, packing, error);
    return status;
}

static enum status put_mesh(struct h5_file *file, const struct mesh *mesh, const int32_t *region,
                            const double *fiber, struct packing packing, struct error *error)
{
    int deflate = packing.deflate;
    hsize_t points[2] = {(hsize_t)mesh->nodes, 3}, cells = (hsize_t)mesh->elements;
    enum status status = put_head(file, error);
    TRY(put_count(file, "/VTKHDF/NumberOfPoints", mesh->nodes, error));
    TRY(put_count(file, "/VTKHDF/NumberOfCells", mesh->elements, error));
    TRY(put_count(file, "/VTKHDF/NumberOfConnectivityIds", mesh->elements * (mesh->dimension + 1), error));
    TRY(h5_put(file, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 2, points, mesh->point, NULL,
               deflate, error));
    TRY(h5_set_text(file, "/VTKHDF/Points", "unit", "mm", error));
    TRY(put_cells(file, mesh, deflate, error));
    TRY(h5_put(file, "/VTKHDF/CellData/region", H5T_NATIVE_INT32, H5T_NATIVE_INT32, 1, &cells,
               region ? region : mesh->tag, NULL, deflate, error));
    TRY(h5_set_text(file, "/VTKHDF/CellData/region", "unit", "1", error));
    return status ? status : put_directions(file, mesh, fiber, packing, error);
}

enum status vtkhdf_mesh_put(struct h5_file *file, const struct mesh *mesh, const int32_t *region,
                            const double *fiber, int deflate, struct error *error)
{
    return put_mesh(file, mesh, region, fiber, (struct packing){H5T_NATIVE_FLOAT, deflate}, error);
}

enum status vtkhdf_mesh_write(const char *path, const struct mesh *mesh, struct error *error)
{
    return vtkhdf_mesh_write_with(path, mesh, NULL, 0, error);
}

static enum status put_field(struct h5_file *file, const struct mesh *mesh, const struct vtkhdf_field *field,
                             struct error *error)
{
    char path[80];
    hsize_t nodes = (hsize_t)mesh->nodes;
    snprintf(path, sizeof path, "/VTKHDF/PointData/%.40s", field->name);
    enum status status =
        h5_put(file, path, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 1, &nodes, field->value, NULL, 1, error);
    return status ? status : h5_set_text(file, path, "unit", field->unit, error);
}

/* What the mesh's own file had beside it */
static enum status put_named(struct h5_file *file, const struct mesh *mesh, const struct mesh_field *field,
                             struct error *error)
{
    char path[200];
    bool nodes = field->location == LOCATION_NODE;
    hsize_t dim[2] = {(hsize_t)(nodes ? mesh->nodes : mesh->elements), (hsize_t)field->components};
    if (strchr(field->name, '/') || strlen(field->name) > 150)
        return error_set(error, STATUS_INPUT, "%s: HDF5 takes no array of the name '%.80s'", file->path,
                         field->name);
    snprintf(path, sizeof path, "/VTKHDF/%s/%s", nodes ? "PointData" : "CellData", field->name);
    return h5_put(file, path, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, field->components > 1 ? 2 : 1, dim,
                  field->value, NULL, 1, error);
}

enum status vtkhdf_mesh_write_with(const char *path, const struct mesh *mesh,
                                   const struct vtkhdf_field *field, int fields, struct error *error)
{
    struct h5_file file = {0};
    unlink(path);
    enum status status = h5_create(&file, path, false, error);
    TRY(put_mesh(&file, mesh, NULL, NULL, (struct packing){H5T_NATIVE_DOUBLE, 0}, error));
    for (int f = 0; f < mesh->fields.count && !status; f++)
        if (mesh->fields.item[f].value)
            status = put_named(&file, mesh, mesh->fields.item + f, error);
    for (int f = 0; f < fields && !status; f++)
        status = put_field(&file, mesh, field + f, error);
    if (!status && !h5_exists(&file, "/VTKHDF/PointData"))
        status = h5_group(&file, "/VTKHDF/PointData", error);
    enum status closed = h5_close(&file, status ? NULL : error);
    return status ? status : closed;
}
