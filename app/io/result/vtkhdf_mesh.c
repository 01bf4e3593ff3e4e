/* vtkhdf_mesh.c: writing a mesh as VTKHDF. */
#include "app/io/result/vtkhdf_mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/store/h5.h"
#include "app/io/result/vtkhdf_marks.h"
#include "solver/ranks/subdomain.h"

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

/* What is written block by block: a mesh, of which other ranks may have most elements */
struct source {
    const struct mesh *mesh;
    const struct subdomain *subdomain;
    const double *uniform;     /* [3] */
    enum location location;    /* of the directions */
    enum subdomain_rows which; /* of them */
    hid_t direction;           /* how they are stored */
    int deflate;
};

static void make_points(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    subdomain_rows(rows->subdomain, rows->mesh, SUBDOMAIN_POINTS, first, count, value);
}

static void make_vertices(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    int corners = rows->mesh->dimension + 1;
    subdomain_rows(rows->subdomain, rows->mesh, SUBDOMAIN_VERTICES, first / corners, count / corners, value);
}

/* 0, n, 2n, ... */
static void make_offsets(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    for (int64_t k = 0; k < count; k++)
        ((int64_t *)value)[k] = (first + k) * (rows->mesh->dimension + 1);
}

/* 3 line, 5 triangle, 10 tetrahedron */
static void make_types(const void *context, int64_t first, int64_t count, void *value)
{
    static const unsigned char vtk_type[4] = {0, 3, 5, 10};
    const struct source *rows = context;
    (void)first;
    memset(value, vtk_type[rows->mesh->dimension], (size_t)count);
}

static void make_tags(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    subdomain_rows(rows->subdomain, rows->mesh, SUBDOMAIN_TAGS, first, count, value);
}

static void make_directions(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    subdomain_rows(rows->subdomain, rows->mesh, rows->which, first, count, value);
}

/* The same unit vector everywhere */
static void make_uniform(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    const double *f = rows->uniform;
    double length = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    (void)first;
    for (int64_t k = 0; k < 3 * count; k++)
        ((float *)value)[k] = (float)(f[k % 3] / length);
}

static enum status put_cells(struct h5_file *file, const struct source *rows, struct error *error)
{
    int64_t cells = mesh_elements_whole(rows->mesh), corners = rows->mesh->dimension + 1;
    hsize_t offsets = (hsize_t)cells + 1, types = (hsize_t)cells, vertices = (hsize_t)(cells * corners);
    enum status status = h5_put_made(file, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, H5T_NATIVE_INT32, 1,
                                     &vertices, make_vertices, rows, corners, rows->deflate, error);
    AND(h5_put_made(file, "/VTKHDF/Offsets", H5T_NATIVE_INT64, H5T_NATIVE_INT64, 1, &offsets, make_offsets,
                    rows, 1, rows->deflate, error));
    AND(h5_put_made(file, "/VTKHDF/Types", H5T_NATIVE_UINT8, H5T_NATIVE_UINT8, 1, &types, make_types, rows, 1,
                    rows->deflate, error));
    AND(h5_put_made(file, "/VTKHDF/CellData/region", H5T_NATIVE_INT32, H5T_NATIVE_INT32, 1, &types, make_tags,
                    rows, 1, rows->deflate, error));
    return status ? status : h5_set_text(file, "/VTKHDF/CellData/region", "unit", "1", error);
}

enum location vtkhdf_fiber_location(const struct mesh *mesh, const double *fiber)
{
    return fiber && mesh->fiber_location == LOCATION_NONE ? LOCATION_ELEMENT : mesh->fiber_location;
}

/* /VTKHDF/.../name, one direction for each element or node */
static enum status put_direction(struct h5_file *file, struct source rows, const char *name, hid_t type,
                                 h5_rows_maker make, struct error *error)
{
    char path[64];
    bool nodes = rows.location == LOCATION_NODE;
    hsize_t dim[2] = {(hsize_t)(nodes ? mesh_nodes_whole(rows.mesh) : mesh_elements_whole(rows.mesh)), 3};
    snprintf(path, sizeof path, "/VTKHDF/%s/%s", nodes ? "PointData" : "CellData", name);
    rows.which = strcmp(name, "fiber") == 0 ? SUBDOMAIN_FIBERS : SUBDOMAIN_SHEETS;
    enum status status =
        h5_put_made(file, path, rows.direction, type, 2, dim, make, &rows, 1, rows.deflate, error);
    return status ? status : h5_set_text(file, path, "unit", "1", error);
}

static enum status put_directions(struct h5_file *file, const struct source *rows, struct error *error)
{
    const struct mesh *mesh = rows->mesh;
    enum status status = STATUS_OK;
    if (rows->uniform)
        status = put_direction(file, *rows, "fiber", H5T_NATIVE_FLOAT, make_uniform, error);
    else if (mesh->fiber_location != LOCATION_NONE && mesh->fiber)
        status = put_direction(file, *rows, "fiber", H5T_NATIVE_DOUBLE, make_directions, error);
    if (!status && mesh->fiber_location != LOCATION_NONE && mesh->sheet)
        status = put_direction(file, *rows, "sheet", H5T_NATIVE_DOUBLE, make_directions, error);
    return status;
}

static enum status put_mesh(struct h5_file *file, const struct source *rows, struct error *error)
{
    const struct mesh *mesh = rows->mesh;
    int64_t elements = mesh_elements_whole(mesh), nodes = mesh_nodes_whole(mesh);
    hsize_t points[2] = {(hsize_t)nodes, 3};
    enum status status = put_head(file, error);
    AND(put_count(file, "/VTKHDF/NumberOfPoints", nodes, error));
    AND(put_count(file, "/VTKHDF/NumberOfCells", elements, error));
    AND(put_count(file, "/VTKHDF/NumberOfConnectivityIds", elements * (mesh->dimension + 1), error));
    AND(h5_put_made(file, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 2, points, make_points,
                    rows, 1, rows->deflate, error));
    AND(h5_set_text(file, "/VTKHDF/Points", "unit", "mm", error));
    AND(put_cells(file, rows, error));
    return status ? status : put_directions(file, rows, error);
}

enum status vtkhdf_mesh_put(struct h5_file *file, const struct mesh *mesh, const struct subdomain *subdomain,
                            const double *fiber, int deflate, struct error *error)
{
    const struct source rows = {.mesh = mesh,
                                .subdomain = subdomain,
                                .uniform = fiber,
                                .location = vtkhdf_fiber_location(mesh, fiber),
                                .direction = H5T_NATIVE_FLOAT,
                                .deflate = deflate};
    return put_mesh(file, &rows, error);
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
    const struct source rows = {
        .mesh = mesh, .location = mesh->fiber_location, .direction = H5T_NATIVE_DOUBLE};
    AND(put_mesh(&file, &rows, error));
    AND(vtkhdf_marks_put(&file, mesh, error));
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
