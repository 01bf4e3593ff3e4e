/* vtkhdf_mesh_read.c: the mesh of a VTKHDF file, read and described. */
#include "app/io/result/vtkhdf_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/result/vtkhdf_names.h"
#include "app/io/store/h5.h"
#include "kernels/base/array.h"

/* *value <- [*found][columns] integers; rows: expected, < 0 = any number */
static enum status get_integers(struct h5_file *file, const char *name, int64_t rows, int64_t columns,
                                int64_t *found, int32_t **value, struct error *error)
{
    struct h5_array array;
    enum status status = STATUS_OK;
    TRY_DONE(h5_array_open(&array, file, name, false, columns > 1 ? 2 : 1, error));
    if ((rows >= 0 && (int64_t)array.dim[0] != rows) || (int64_t)array.dim[0] > INT32_MAX ||
        (columns > 1 && (int64_t)array.dim[1] != columns))
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: %s has %lld rows, in a mesh whose faces have %lld nodes",
                           file->path, name, (long long)array.dim[0], (long long)columns));
    *found = (int64_t)array.dim[0];
    *value = array_new(array.values, sizeof **value, "the marked faces", &status, error);
    if (*value)
        status = h5_array_read(&array, file, name, H5T_NATIVE_INT32, *value, error);
done:
    h5_array_close(&array);
    return status;
}

static enum status get_faces(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    int64_t faces = 0;
    TRY(get_integers(file, vtkhdf_faces, -1, mesh->dimension, &faces, &mesh->face, error));
    TRY(get_integers(file, vtkhdf_marks, faces, 1, &faces, &mesh->mark, error));
    for (int64_t i = 0; i < faces * mesh->dimension; i++)
        if (mesh->face[i] < 0 || mesh->face[i] >= mesh->nodes)
            return error_set(error, STATUS_INPUT, "%s: %s: face %lld has node %d; there are %lld nodes",
                             file->path, vtkhdf_faces, (long long)(i / mesh->dimension), (int)mesh->face[i],
                             (long long)mesh->nodes);
    mesh->faces = faces;
    return STATUS_OK;
}

/* "DIMENSION TAG NAME" -> the mesh's names */
static enum status get_name(struct h5_file *file, struct mesh *mesh, const char *line, struct error *error)
{
    char *end;
    long dimension = strtol(line, &end, 10), tag = *end == ' ' ? strtol(end + 1, &end, 10) : 0;
    if (*end != ' ' || !end[1] || dimension < 0 || dimension > 3 || tag < INT32_MIN || tag > INT32_MAX)
        return error_set(error, STATUS_INPUT, "%s: %s: '%.80s' is not DIMENSION TAG NAME", file->path,
                         vtkhdf_names, line);
    return mesh_names_add(&mesh->names, end + 1, (int)dimension, (int32_t)tag, error);
}

static enum status get_names(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    char *text = NULL, *rest = NULL;
    enum status status = STATUS_OK;
    TRY_DONE(h5_read_text(file, vtkhdf_names, &text, error));
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        TRY_DONE(get_name(file, mesh, line, error));
done:
    free(text);
    return status;
}

/* mesh->faces and names <- the file's, if any; nodes and dimension of the mesh are set before. */
static enum status get_marks(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    if (mesh->dimension > 1 && h5_exists(file, vtkhdf_faces))
        TRY(get_faces(file, mesh, error));
    if (h5_exists(file, vtkhdf_names))
        TRY(get_names(file, mesh, error));
    return STATUS_OK;
}

int64_t vtkhdf_topology_length(const struct h5_file *file)
{
    hid_t data = h5_exists(file, vtkhdf_topology) ? H5Dopen2(file->id, vtkhdf_topology, H5P_DEFAULT) : -1;
    hid_t space = data < 0 ? -1 : H5Dget_space(data);
    int64_t length = space < 0 ? 0 : (int64_t)H5Sget_simple_extent_npoints(space);
    if (space >= 0)
        H5Sclose(space);
    if (data >= 0)
        H5Dclose(data);
    return length > 0 ? length : 0;
}

int vtkhdf_points_width(const struct h5_file *file)
{
    hid_t data = H5Dopen2(file->id, vtkhdf_points, H5P_DEFAULT), type = data < 0 ? -1 : H5Dget_type(data);
    const int width = type < 0 ? 0 : (int)H5Tget_size(type);
    h5_release(type);
    h5_release(data);
    return width;
}

bool vtkhdf_rounded_fibers(const struct h5_file *file)
{
    double step;
    return h5_get_number(file, "/VTKHDF/CellData/fiber", vtkhdf_step, &step) ||
           h5_get_number(file, "/VTKHDF/PointData/fiber", vtkhdf_step, &step);
}

/* *count <- the one value of a (1) array */
static enum status get_count(struct h5_file *file, const char *name, int64_t *count, struct error *error)
{
    struct h5_array array;
    enum status status = STATUS_OK;
    TRY_DONE(h5_array_open(&array, file, name, false, 1, error));
    if (array.values != 1)
        TRY_DONE(error_set(error, STATUS_INPUT,
                           "%s: %s has %lld values; only meshes of one part are supported", file->path, name,
                           (long long)array.values));
    TRY_DONE(h5_array_read(&array, file, name, H5T_NATIVE_INT64, count, error));
    if (*count < 1 || *count > INT32_MAX)
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: %s is %lld; expected 1 to %d", file->path, name,
                           (long long)*count, INT32_MAX));
done:
    h5_array_close(&array);
    return status;
}

/* Opens an array, which must have shape (rows, columns), or (rows) if columns is 0. */
static enum status open_rows(struct h5_array *array, struct h5_file *file, const char *name, bool real,
                             int64_t rows, int64_t columns, struct error *error)
{
    TRY(h5_array_open(array, file, name, real, columns ? 2 : 1, error));
    if ((int64_t)array->dim[0] == rows && (!columns || (int64_t)array->dim[1] == columns))
        return STATUS_OK;
    int64_t found = (int64_t)array->dim[0];
    h5_array_close(array);
    return error_set(error, STATUS_INPUT, "%s: %s has %lld rows, not %lld%s", file->path, name,
                     (long long)found, (long long)rows, columns == 3 ? " of 3" : "");
}

static enum status get_array(struct h5_file *file, const char *name, bool real, int64_t rows, int64_t columns,
                             hid_t type, void *value, struct error *error)
{
    struct h5_array array;
    TRY(open_rows(&array, file, name, real, rows, columns, error));
    enum status status = h5_array_read(&array, file, name, type, value, error);
    h5_array_close(&array);
    return status;
}

/* STATUS_INPUT unless the array exists with that shape; called before its memory is allocated */
static enum status check_rows(struct h5_file *file, const char *name, bool real, int64_t rows,
                              int64_t columns, struct error *error)
{
    struct h5_array array;
    TRY(open_rows(&array, file, name, real, rows, columns, error));
    h5_array_close(&array);
    return STATUS_OK;
}

/* Of a VTK type; 0 = not read */
static int dimension_of(unsigned char type)
{
    return type == 3 ? 1 : type == 5 ? 2 : type == 10 ? 3 : 0;
}

/* mesh->dimension <- the highest of the cells' types; *end <- [elements + 1] where each one's nodes begin, to
 * be freed */
static enum status get_types(struct h5_file *file, struct mesh *mesh, int64_t **end, struct error *error)
{
    static const char name[] = "/VTKHDF/Types";
    enum status status = STATUS_OK;
    TRY(check_rows(file, name, false, mesh->elements, 0, error));
    unsigned char *type = array_new(mesh->elements, sizeof *type, "the cells' types", &status, error);
    if (!type)
        return status;
    *end = array_new(mesh->elements + 1, sizeof **end, "the cells' offsets", &status, error);
    TRY_DONE(status);
    TRY_DONE(get_array(file, name, false, mesh->elements, 0, H5T_NATIVE_UINT8, type, error));
    int64_t wrong = mesh->elements;
    int least = 3, most = 0;
#pragma omp parallel for schedule(static) reduction(min : wrong, least) reduction(max : most)
    for (int64_t i = 0; i < mesh->elements; i++) {
        const int dimension = dimension_of(type[i]);
        wrong = dimension == 0 && i < wrong ? i : wrong;
        least = dimension < least ? dimension : least;
        most = dimension > most ? dimension : most;
    }
    if (wrong < mesh->elements)
        TRY_DONE(error_set(error, STATUS_INPUT,
                           "%s: cell %lld has VTK type %d; only lines (3), triangles (5) and tetrahedra "
                           "(10) are read",
                           file->path, (long long)wrong, type[wrong]));
    mesh->dimension = most;
#pragma omp parallel for schedule(static) if (least == most)
    for (int64_t i = 0; i <= mesh->elements; i++)
        (*end)[i] = i * (most + 1);
    for (int64_t i = 0; i < mesh->elements && least < most; i++)
        (*end)[i + 1] = (*end)[i] + dimension_of(type[i]) + 1;
done:
    free(type);
    return status;
}

static enum status check_offsets(struct h5_file *file, const struct mesh *mesh, const int64_t *end,
                                 struct error *error)
{
    static const char name[] = "/VTKHDF/Offsets";
    enum status status = STATUS_OK;
    TRY(check_rows(file, name, false, mesh->elements + 1, 0, error));
    int64_t *offset = array_new(mesh->elements + 1, sizeof *offset, "the cells' offsets", &status, error);
    if (!offset)
        return status;
    TRY_DONE(get_array(file, name, false, mesh->elements + 1, 0, H5T_NATIVE_INT64, offset, error));
    int64_t wrong = mesh->elements + 1;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (int64_t i = 0; i <= mesh->elements; i++)
        wrong = offset[i] != end[i] && i < wrong ? i : wrong;
    if (wrong <= mesh->elements)
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: %s[%lld] is %lld, not %lld", file->path, name,
                           (long long)wrong, (long long)offset[wrong], (long long)end[wrong]));
done:
    free(offset);
    return status;
}

/* Whether a cell repeats the last of its nodes, by which elements of a lower dimension are recognised */
static bool repeats_last(const int32_t *vertex, int count)
{
    return count > 2 && vertex[count - 1] == vertex[count - 2];
}

static enum status name_repeated(const struct h5_file *file, int64_t cell, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: cell %lld names one node twice", file->path, (long long)cell);
}

/* Moves each cell's nodes to its row, from the last cell to the first, unless all are there already. Rows of lower cells
 * are filled by repeating the last node; a cell that repeats it in the file is an error. */
static enum status spread_vertices(struct h5_file *file, struct mesh *mesh, const int64_t *end,
                                   struct error *error)
{
    const int corners = mesh->dimension + 1;
    const bool spread = end[mesh->elements] == mesh->elements * corners;
    int64_t repeated = -1;
#pragma omp parallel for schedule(static) reduction(max : repeated) if (spread)
    for (int64_t e = 0; e < (spread ? mesh->elements : 0); e++)
        repeated = repeats_last(mesh->vertex + e * corners, corners) ? e : repeated;
    if (repeated >= 0)
        return name_repeated(file, repeated, error);
    for (int64_t e = spread ? -1 : mesh->elements - 1; e >= 0; e--) {
        int32_t *to = mesh->vertex + e * corners, own[4];
        const int count = (int)(end[e + 1] - end[e]);
        memcpy(own, mesh->vertex + end[e], (size_t)count * sizeof *own);
        if (repeats_last(own, count))
            return name_repeated(file, e, error);
        for (int c = 0; c < corners; c++)
            to[c] = own[c < count ? c : count - 1];
    }
    return STATUS_OK;
}

static enum status get_vertices(struct h5_file *file, struct mesh *mesh, const int64_t *end,
                                struct error *error)
{
    static const char name[] = "/VTKHDF/Connectivity";
    int64_t vertices = end[mesh->elements];
    TRY(get_array(file, name, false, vertices, 0, H5T_NATIVE_INT32, mesh->vertex, error));
    int64_t wrong = vertices;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (int64_t i = 0; i < vertices; i++)
        wrong = (mesh->vertex[i] < 0 || mesh->vertex[i] >= mesh->nodes) && i < wrong ? i : wrong;
    if (wrong < vertices)
        return error_set(error, STATUS_INPUT, "%s: %s[%lld] is no node; there are %lld", file->path, name,
                         (long long)wrong, (long long)mesh->nodes);
    return spread_vertices(file, mesh, end, error);
}

static enum status check_finite(struct h5_file *file, const char *name, const double *value, int64_t n,
                                struct error *error)
{
    int64_t wrong = n;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (int64_t i = 0; i < n; i++)
        wrong = !isfinite(value[i]) && i < wrong ? i : wrong;
    return wrong == n ? STATUS_OK
                      : error_set(error, STATUS_INPUT, "%s: %s of %lld is not finite", file->path, name,
                                  (long long)(wrong / 3));
}

static enum status get_directions(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    if (mesh->fiber_location == LOCATION_NONE)
        return STATUS_OK;
    bool nodes = mesh->fiber_location == LOCATION_NODE;
    int64_t rows = nodes ? mesh->nodes : mesh->elements;
    const char *fiber = nodes ? "/VTKHDF/PointData/fiber" : "/VTKHDF/CellData/fiber";
    const char *sheet = nodes ? "/VTKHDF/PointData/sheet" : "/VTKHDF/CellData/sheet";
    TRY(get_array(file, fiber, true, rows, 3, H5T_NATIVE_DOUBLE, mesh->fiber, error));
    TRY(check_finite(file, fiber, mesh->fiber, rows * 3, error));
    if (!mesh->sheet)
        return STATUS_OK;
    TRY(get_array(file, sheet, true, rows, 3, H5T_NATIVE_DOUBLE, mesh->sheet, error));
    return check_finite(file, sheet, mesh->sheet, rows * 3, error);
}

static enum status get_counts(struct h5_file *file, int64_t *nodes, int64_t *elements, struct error *error)
{
    char type[32] = "";
    if (!h5_get_text(file, "/VTKHDF", "Type", type, sizeof type))
        return error_set(error, STATUS_INPUT, "%s: not a VTKHDF file", file->path);
    TRY(get_count(file, "/VTKHDF/NumberOfPoints", nodes, error));
    TRY(get_count(file, "/VTKHDF/NumberOfCells", elements, error));
    return check_rows(file, "/VTKHDF/Points", true, *nodes, 3, error);
}

enum status vtkhdf_mesh_describe(struct vtkhdf_facts *facts, struct h5_file *file, struct error *error)
{
    TRY(get_counts(file, &facts->nodes, &facts->elements, error));
    facts->known = true;
    for (int k = 0; k < 3; k++)
        facts->known = facts->known && h5_get_number(file, "/VTKHDF/Points", vtkhdf_low[k], &facts->low[k]) &&
                       h5_get_number(file, "/VTKHDF/Points", vtkhdf_high[k], &facts->high[k]);
    for (int d = 1; d < 4; d++)
        facts->known =
            facts->known && h5_get_integer(file, "/VTKHDF/Types", vtkhdf_count[d], &facts->count[d]);
    return STATUS_OK;
}

/* Checks the declared counts against the shapes of the arrays before the mesh is allocated. */
static enum status check_shapes(struct h5_file *file, struct mesh *mesh, int64_t **end, bool *sheet,
                                struct error *error)
{
    TRY(get_counts(file, &mesh->nodes, &mesh->elements, error));
    TRY(get_types(file, mesh, end, error));
    TRY(check_offsets(file, mesh, *end, error));
    TRY(check_rows(file, "/VTKHDF/Connectivity", false, (*end)[mesh->elements], 0, error));
    bool cell = h5_exists(file, "/VTKHDF/CellData/fiber"), node = h5_exists(file, "/VTKHDF/PointData/fiber");
    mesh->fiber_location = cell ? LOCATION_ELEMENT : node ? LOCATION_NODE : LOCATION_NONE;
    *sheet = h5_exists(file, cell ? "/VTKHDF/CellData/sheet" : "/VTKHDF/PointData/sheet");
    if (mesh->fiber_location)
        TRY(check_rows(file, cell ? "/VTKHDF/CellData/fiber" : "/VTKHDF/PointData/fiber", true,
                       cell ? mesh->elements : mesh->nodes, 3, error));
    return STATUS_OK;
}

enum status vtkhdf_mesh_get(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    bool sheet = false;
    struct mesh claim = {0};
    int64_t *end = NULL;
    enum status status;
    *mesh = claim;
    TRY_DONE(check_shapes(file, &claim, &end, &sheet, error));
    *mesh = claim;
    TRY_DONE(mesh_allocate(mesh, sheet, error));
    TRY_DONE(get_array(file, "/VTKHDF/Points", true, mesh->nodes, 3, H5T_NATIVE_DOUBLE, mesh->point, error));
    TRY_DONE(check_finite(file, "/VTKHDF/Points", mesh->point, mesh->nodes * 3, error));
    TRY_DONE(get_vertices(file, mesh, end, error));
    if (h5_exists(file, "/VTKHDF/CellData/region"))
        TRY_DONE(get_array(file, "/VTKHDF/CellData/region", false, mesh->elements, 0, H5T_NATIVE_INT32,
                           mesh->tag, error));
    TRY_DONE(get_directions(file, mesh, error));
    TRY_DONE(get_marks(file, mesh, error));
done:
    free(end);
    if (status)
        mesh_free(mesh);
    return status;
}
