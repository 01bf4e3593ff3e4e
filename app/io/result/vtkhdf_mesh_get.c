/* vtkhdf_mesh_get.c: reading a mesh back. Anyone may have written the file: counts, types, offsets and
 * indices are all checked against each other before one is used. */
#include "app/io/result/vtkhdf_mesh.h"

#include <math.h>
#include <stdlib.h>

#include "app/io/store/h5.h"
#include "app/io/result/vtkhdf_marks.h"
#include "kernels/base/array.h"

/* *count <- the one value of a (1) array */
static enum status get_count(struct h5_file *file, const char *name, int64_t most, int64_t *count,
                             struct error *error)
{
    struct h5_array array;
    enum status status = h5_array_open(&array, file, name, false, 1, error);
    if (!status && array.values != 1)
        status = error_set(error, STATUS_INPUT, "%s: %s has %lld values; meshes of one part are read",
                           file->path, name, (long long)array.values);
    AND(h5_array_read(&array, file, name, H5T_NATIVE_INT64, count, error));
    if (!status && (*count < 1 || *count > most))
        status = error_set(error, STATUS_INPUT, "%s: %s is %lld; 1 to %lld is possible", file->path, name,
                           (long long)*count, (long long)most);
    h5_array_close(&array);
    return status;
}

/* Opens, demands the shape (rows, columns; columns 0 = rank 1), and reads. */
static enum status get_array(struct h5_file *file, const char *name, bool real, int64_t rows, int64_t columns,
                             hid_t type, void *value, struct error *error)
{
    struct h5_array array;
    enum status status = h5_array_open(&array, file, name, real, columns ? 2 : 1, error);
    if (!status && ((int64_t)array.dim[0] != rows || (columns && (int64_t)array.dim[1] != columns)))
        status = error_set(error, STATUS_INPUT, "%s: %s has %lld rows, not %lld%s", file->path, name,
                           (long long)array.dim[0], (long long)rows, columns == 3 ? " of 3" : "");
    AND(h5_array_read(&array, file, name, type, value, error));
    h5_array_close(&array);
    return status;
}

/* Whether the array is there, of that shape: asked before memory is allocated for it. */
static enum status check_rows(struct h5_file *file, const char *name, bool real, int64_t rows,
                              int64_t columns, struct error *error)
{
    struct h5_array array;
    enum status status = h5_array_open(&array, file, name, real, columns ? 2 : 1, error);
    if (!status && ((int64_t)array.dim[0] != rows || (columns && (int64_t)array.dim[1] != columns)))
        status = error_set(error, STATUS_INPUT, "%s: %s has %lld rows, not %lld", file->path, name,
                           (long long)array.dim[0], (long long)rows);
    h5_array_close(&array);
    return status;
}

/* dimension <- from the cells' types, all one kind of simplex */
static enum status get_dimension(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    static const char name[] = "/VTKHDF/Types";
    enum status status = check_rows(file, name, false, mesh->elements, 0, error);
    unsigned char *type = array_new(mesh->elements, sizeof *type, "the cells' types", &status, error);
    if (status)
        return status;
    status = get_array(file, name, false, mesh->elements, 0, H5T_NATIVE_UINT8, type, error);
    for (int64_t i = 0; i < mesh->elements && !status; i++)
        if (type[i] != type[0] || (type[i] != 3 && type[i] != 5 && type[i] != 10))
            status = error_set(error, STATUS_INPUT,
                               "%s: cell %lld has VTK type %d; meshes of lines (3), triangles (5) or "
                               "tetrahedra (10) alone are read",
                               file->path, (long long)i, type[i]);
    if (!status)
        mesh->dimension = type[0] == 3 ? 1 : type[0] == 5 ? 2 : 3;
    free(type);
    return status;
}

static enum status check_offsets(struct h5_file *file, const struct mesh *mesh, struct error *error)
{
    static const char name[] = "/VTKHDF/Offsets";
    enum status status = check_rows(file, name, false, mesh->elements + 1, 0, error);
    int64_t *offset = array_new(mesh->elements + 1, sizeof *offset, "the cells' offsets", &status, error);
    if (status)
        return status;
    status = get_array(file, name, false, mesh->elements + 1, 0, H5T_NATIVE_INT64, offset, error);
    for (int64_t i = 0; i <= mesh->elements && !status; i++)
        if (offset[i] != i * (mesh->dimension + 1))
            status = error_set(error, STATUS_INPUT, "%s: %s[%lld] is %lld, not %lld", file->path, name,
                               (long long)i, (long long)offset[i], (long long)i * (mesh->dimension + 1));
    free(offset);
    return status;
}

static enum status get_vertices(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    static const char name[] = "/VTKHDF/Connectivity";
    int64_t vertices = mesh->elements * (mesh->dimension + 1);
    enum status status = get_array(file, name, false, vertices, 0, H5T_NATIVE_INT32, mesh->vertex, error);
    for (int64_t i = 0; i < vertices && !status; i++)
        if (mesh->vertex[i] < 0 || mesh->vertex[i] >= mesh->nodes)
            status = error_set(error, STATUS_INPUT, "%s: %s[%lld] is no node; there are %lld", file->path,
                               name, (long long)i, (long long)mesh->nodes);
    return status;
}

static enum status check_finite(struct h5_file *file, const char *name, const double *value, int64_t n,
                                struct error *error)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(value[i]))
            return error_set(error, STATUS_INPUT, "%s: %s of %lld is not finite", file->path, name,
                             (long long)(i / 3));
    return STATUS_OK;
}

static enum status get_directions(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    if (mesh->fiber_location == LOCATION_NONE)
        return STATUS_OK;
    bool nodes = mesh->fiber_location == LOCATION_NODE;
    int64_t rows = nodes ? mesh->nodes : mesh->elements;
    const char *fiber = nodes ? "/VTKHDF/PointData/fiber" : "/VTKHDF/CellData/fiber";
    const char *sheet = nodes ? "/VTKHDF/PointData/sheet" : "/VTKHDF/CellData/sheet";
    enum status status = get_array(file, fiber, true, rows, 3, H5T_NATIVE_DOUBLE, mesh->fiber, error);
    AND(check_finite(file, fiber, mesh->fiber, rows * 3, error));
    if (!status && mesh->sheet)
        status = get_array(file, sheet, true, rows, 3, H5T_NATIVE_DOUBLE, mesh->sheet, error);
    if (!status && mesh->sheet)
        status = check_finite(file, sheet, mesh->sheet, rows * 3, error);
    return status;
}

/* What the file claims, checked against its arrays' shapes before the mesh is allocated. */
static enum status check_shapes(struct h5_file *file, struct mesh *mesh, bool *sheet, struct error *error)
{
    char type[32] = "";
    if (!h5_get_text(file, "/VTKHDF", "Type", type, sizeof type))
        return error_set(error, STATUS_INPUT, "%s: not a VTKHDF file", file->path);
    enum status status = get_count(file, "/VTKHDF/NumberOfPoints", INT32_MAX, &mesh->nodes, error);
    AND(get_count(file, "/VTKHDF/NumberOfCells", INT32_MAX, &mesh->elements, error));
    AND(check_rows(file, "/VTKHDF/Points", true, mesh->nodes, 3, error));
    AND(get_dimension(file, mesh, error));
    AND(check_offsets(file, mesh, error));
    AND(check_rows(file, "/VTKHDF/Connectivity", false, mesh->elements * (mesh->dimension + 1), 0, error));
    bool cell = h5_exists(file, "/VTKHDF/CellData/fiber"), node = h5_exists(file, "/VTKHDF/PointData/fiber");
    mesh->fiber_location = cell ? LOCATION_ELEMENT : node ? LOCATION_NODE : LOCATION_NONE;
    *sheet = h5_exists(file, cell ? "/VTKHDF/CellData/sheet" : "/VTKHDF/PointData/sheet");
    if (!status && mesh->fiber_location)
        status = check_rows(file, cell ? "/VTKHDF/CellData/fiber" : "/VTKHDF/PointData/fiber", true,
                            cell ? mesh->elements : mesh->nodes, 3, error);
    return status;
}

enum status vtkhdf_mesh_get(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    *mesh = (struct mesh){0};
    bool sheet = false;
    struct mesh claim = {0};
    enum status status = check_shapes(file, &claim, &sheet, error);
    if (status)
        return status;
    *mesh = claim;
    status = mesh_allocate(mesh, sheet, error);
    if (status)
        return status;
    status = get_array(file, "/VTKHDF/Points", true, mesh->nodes, 3, H5T_NATIVE_DOUBLE, mesh->point, error);
    AND(check_finite(file, "/VTKHDF/Points", mesh->point, mesh->nodes * 3, error));
    AND(get_vertices(file, mesh, error));
    if (!status && h5_exists(file, "/VTKHDF/CellData/region"))
        status = get_array(file, "/VTKHDF/CellData/region", false, mesh->elements, 0, H5T_NATIVE_INT32,
                           mesh->tag, error);
    AND(get_directions(file, mesh, error));
    AND(vtkhdf_marks_get(file, mesh, error));
    if (status)
        mesh_free(mesh);
    return status;
}

enum status vtkhdf_mesh_read(const char *path, struct mesh *mesh, struct error *error)
{
    struct h5_file file;
    *mesh = (struct mesh){0};
    enum status status = h5_open(&file, path, false, error);
    AND(vtkhdf_mesh_get(&file, mesh, error));
    h5_close(&file, NULL);
    return status;
}
