/* vtkhdf_mesh.c: the mesh of a VTKHDF file, written (vtkhdf_mesh_read.c reads it). */
#include "app/io/result/vtkhdf_mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/io/result/range.h"
#include "app/io/result/vtkhdf_names.h"
#include "app/io/store/h5.h"
#include "app/io/store/journal.h"
#include "app/util/own_file.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/vec3.h"
#include "solver/ranks/subdomain.h"

static enum status put_names(struct h5_file *file, const struct mesh_names *names, struct error *error)
{
    struct printed lines;
    TRY(printed_open(&lines, error));
    for (int k = 0; k < names->count; k++)
        if (!strchr(names->item[k].name, '\n'))
            fprintf(lines.file, "%d %d %s\n", names->item[k].dimension, (int)names->item[k].tag,
                    names->item[k].name);
    TRY(printed_close(&lines, error));
    enum status status = *lines.text ? h5_put_text(file, vtkhdf_names, lines.text, error) : STATUS_OK;
    free(lines.text);
    return status;
}

/* Writes marked faces and names, if there are any. */
static enum status put_marks(struct h5_file *file, const struct mesh *mesh, struct error *error)
{
    hsize_t dim[2] = {(hsize_t)mesh->faces, (hsize_t)mesh->dimension};
    if (mesh->faces) {
        TRY(h5_put(file, vtkhdf_faces, H5T_NATIVE_INT32, 2, dim, mesh->face, NULL, 0, error));
        TRY(h5_put(file, vtkhdf_marks, H5T_NATIVE_INT32, 1, dim, mesh->mark, NULL, 0, error));
    }
    return mesh->names.count ? put_names(file, &mesh->names, error) : STATUS_OK;
}

/* The group with its two attributes. Readers require Type as exactly 16 bytes without a NUL. */
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
    h5_release(a);
    h5_release(b);
    H5Tclose(text);
    H5Sclose(scalar);
    H5Sclose(pair);
    H5Oclose(group);
    return status;
}

static enum status put_count(struct h5_file *file, const char *name, int64_t count, struct error *error)
{
    hsize_t one = 1;
    return h5_put(file, name, H5T_NATIVE_INT64, 1, &one, &count, NULL, 0, error);
}

/* The mesh to be written block by block; other ranks may have most of its elements */
struct source {
    const struct mesh *mesh;
    const struct subdomain *subdomain;
    const double *uniform;     /* [3] */
    enum location location;    /* of the directions */
    enum subdomain_rows which; /* of them */
    hid_t direction;           /* their stored type */
    const int64_t *end;        /* [elements + 1] where each element's nodes begin; NULL = not a mixed mesh */
    bool kinds;                /* write XDMF's kind before the nodes */
};

/* An element in the file: its nodes, for XDMF after its kind and, of a line, the number 2 */
struct record {
    int32_t value[6];
    int count;
};

static struct record make_record(const struct source *rows, int64_t e, const int32_t *vertex)
{
    static const int32_t kind[5] = {0, 0, 2, 4, 6};
    const int corners = (int)(rows->end[e + 1] - rows->end[e]);
    struct record record = {.count = 0};
    if (rows->kinds)
        record.value[record.count++] = kind[corners];
    if (rows->kinds && corners == 2)
        record.value[record.count++] = 2;
    for (int c = 0; c < corners; c++)
        record.value[record.count++] = vertex[c];
    return record;
}

static void make_points(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    subdomain_rows(rows->subdomain, rows->mesh, SUBDOMAIN_POINTS, first, count, value);
}

/* Position in the nodes of a mixed mesh, which are requested block by block in order */
struct walk {
    struct source source;
    int64_t element, at; /* the next element, and where its record begins */
};

static void make_records(const void *context, int64_t first, int64_t count, void *value)
{
    enum { AHEAD = 1024 };
    struct walk *walk = (struct walk *)(uintptr_t)context;
    const struct source *rows = &walk->source;
    const int64_t cells = mesh_elements_whole(rows->mesh);
    const int stride = rows->mesh->dimension + 1;
    int32_t vertex[4 * AHEAD], *to = value;
    while (walk->at < first + count && walk->element < cells) {
        int64_t some = cells - walk->element < AHEAD ? cells - walk->element : AHEAD;
        subdomain_rows(rows->subdomain, rows->mesh, SUBDOMAIN_VERTICES, walk->element, some, vertex);
        for (int64_t k = 0; k < some; k++) {
            const struct record record = make_record(rows, walk->element, vertex + k * stride);
            for (int c = 0; c < record.count; c++)
                if (walk->at + c >= first && walk->at + c < first + count)
                    to[walk->at + c - first] = record.value[c];
            if (walk->at + record.count > first + count)
                return; /* its rest begins the next block */
            walk->at += record.count;
            walk->element++;
        }
    }
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
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < count; k++)
        ((int64_t *)value)[k] = rows->end ? rows->end[first + k] : (first + k) * (rows->mesh->dimension + 1);
}

/* 3 line, 5 triangle, 10 tetrahedron */
static void make_types(const void *context, int64_t first, int64_t count, void *value)
{
    static const unsigned char vtk_type[4] = {0, 3, 5, 10};
    const struct source *rows = context;
    memset(value, vtk_type[rows->mesh->dimension], (size_t)count);
    for (int64_t k = 0; k < count && rows->end; k++)
        ((unsigned char *)value)[k] = vtk_type[rows->end[first + k + 1] - rows->end[first + k] - 1];
}

static void make_tags(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    subdomain_rows(rows->subdomain, rows->mesh, SUBDOMAIN_TAGS, first, count, value);
}

static const double direction_step = 0x1p-12; /* of components in a result: 0.012 degrees at most */

static void make_directions(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    const bool rounded = rows->direction == H5T_NATIVE_FLOAT; /* a call of HDF5 at each use */
    double *component = value;
    subdomain_rows(rows->subdomain, rows->mesh, rows->which, first, count, value);
#pragma omp parallel for schedule(static) if (rounded)
    for (int64_t k = 0; k < (rounded ? 3 * count : 0); k++)
        component[k] = nearbyint(component[k] / direction_step) * direction_step;
}

/* The same unit vector everywhere */
static void make_uniform(const void *context, int64_t first, int64_t count, void *value)
{
    const struct source *rows = context;
    const double *f = rows->uniform, length = vec3_length(f);
    const float unit[3] = {(float)(f[0] / length), (float)(f[1] / length), (float)(f[2] / length)};
    (void)first;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < count; k++)
        memcpy((float *)value + 3 * k, unit, sizeof unit);
}

/* Rows of an array and the range of their stored values */
struct ranged {
    h5_rows_maker make;
    const void *context;
    hid_t stored, type;
    int64_t width;
    struct range *range;
};

static void make_ranged(const void *context, int64_t first, int64_t count, void *value)
{
    const struct ranged *of = context;
    of->make(of->context, first, count, value);
}

static void view_ranged(const void *context, int64_t count, const void *value)
{
    enum { SOME = 512 };
    const struct ranged *of = context;
    const double *made = value;
    float some[SOME];
    const bool rounded = of->stored == H5T_NATIVE_FLOAT && of->type == H5T_NATIVE_DOUBLE;
    for (int64_t k = 0; rounded && k < count * of->width; k += SOME) {
        const int64_t n = count * of->width - k < SOME ? count * of->width - k : SOME;
        for (int64_t i = 0; i < n; i++)
            some[i] = (float)made[k + i];
        range_widen(of->range, H5T_NATIVE_FLOAT, some, n);
    }
    if (!rounded)
        range_widen(of->range, of->type, value, count * of->width);
}

static enum status put_ranged(struct h5_file *file, const char *name, hid_t stored, hid_t type, int64_t rows,
                              int64_t width, h5_rows_maker make, const void *context, struct error *error)
{
    const hsize_t dim[2] = {(hsize_t)rows, (hsize_t)width};
    struct range range = range_empty;
    const struct ranged of = {make, context, stored, type, width, &range};
    TRY(h5_put_made(file, name, stored, type, width > 1 ? 2 : 1, dim, make_ranged, view_ranged, &of, 1,
                    error));
    TRY(range_put(file, name, &range, error));
    return h5_set_text(file, name, "unit", "1", error);
}

/* The box around the points */
struct boxed {
    const struct source *rows;
    double *low, *high; /* [3] */
};

static void make_boxed(const void *context, int64_t first, int64_t count, void *value)
{
    const struct boxed *of = context;
    make_points(of->rows, first, count, value);
}

static void view_boxed(const void *context, int64_t count, const void *value)
{
    const struct boxed *of = context;
    const double *point = value;
    for (int64_t k = 0; k < 3 * count; k++) {
        of->low[k % 3] = fmin(of->low[k % 3], point[k]);
        of->high[k % 3] = fmax(of->high[k % 3], point[k]);
    }
}

/* Whether every coordinate is a float32 */
static bool are_single(const struct source *rows)
{
    enum { SOME = 512 };
    const int64_t nodes = mesh_nodes_whole(rows->mesh);
    double point[3 * SOME];
    bool single = true;
    for (int64_t first = 0; first < nodes && single; first += SOME) {
        const int64_t count = nodes - first < SOME ? nodes - first : SOME;
        make_points(rows, first, count, point);
        for (int64_t k = 0; k < 3 * count; k++)
            single = single && (float)point[k] == point[k];
    }
    return single;
}

static enum status put_points(struct h5_file *file, const struct source *rows, struct error *error)
{
    const char *name = vtkhdf_points;
    const hid_t stored =
        rows->direction == H5T_NATIVE_FLOAT && are_single(rows) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const hsize_t dim[2] = {(hsize_t)mesh_nodes_whole(rows->mesh), 3};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const struct boxed of = {rows, low, high};
    TRY(h5_put_made(file, name, stored, H5T_NATIVE_DOUBLE, 2, dim, make_boxed, view_boxed, &of, 1, error));
    for (int k = 0; k < 3; k++) {
        TRY(h5_set_number(file, name, vtkhdf_low[k], low[k], error));
        TRY(h5_set_number(file, name, vtkhdf_high[k], high[k], error));
    }
    return h5_set_text(file, name, "unit", "mm", error);
}

static enum status put_types(struct h5_file *file, const struct source *rows, struct error *error)
{
    static const char name[] = "/VTKHDF/Types";
    const hsize_t cells = (hsize_t)mesh_elements_whole(rows->mesh);
    int64_t count[4] = {0};
    for (int64_t e = 0; rows->end && e < (int64_t)cells; e++)
        count[rows->end[e + 1] - rows->end[e] - 1]++;
    if (!rows->end)
        count[rows->mesh->dimension] = (int64_t)cells;
    TRY(h5_put_made(file, name, H5T_NATIVE_UINT8, H5T_NATIVE_UINT8, 1, &cells, make_types, NULL, rows, 1,
                    error));
    for (int d = 1; d < 4; d++)
        TRY(h5_set_integer(file, name, vtkhdf_count[d], count[d], error));
    return STATUS_OK;
}

static int64_t count_vertices(const struct source *rows)
{
    int64_t cells = mesh_elements_whole(rows->mesh);
    return rows->end ? rows->end[cells] : cells * (rows->mesh->dimension + 1);
}

/* The cells of a mixed mesh for XDMF */
static enum status put_topology(struct h5_file *file, const struct source *rows, struct error *error)
{
    struct walk walk = {.source = *rows};
    int64_t cells = mesh_elements_whole(rows->mesh), length = rows->end[cells] + cells;
    for (int64_t e = 0; e < cells; e++)
        length += rows->end[e + 1] - rows->end[e] == 2;
    hsize_t dim = (hsize_t)length;
    walk.source.kinds = true;
    return h5_put_made(file, vtkhdf_topology, H5T_NATIVE_INT32, H5T_NATIVE_INT32, 1, &dim, make_records, NULL,
                       &walk, 1, error);
}

/* *end <- source.end, to be freed */
static enum status find_ends(int64_t **end, const struct source *rows, struct error *error)
{
    enum { AHEAD = 1024 };
    const struct mesh *mesh = rows->mesh;
    const int64_t cells = mesh_elements_whole(mesh);
    const int stride = mesh->dimension + 1;
    int32_t vertex[4 * AHEAD];
    enum status status = STATUS_OK;
    *end = NULL;
    if (!mesh->number && !mesh_is_mixed(mesh))
        return STATUS_OK;
    *end = array_zeroed(cells + 1, sizeof **end, "the cells of the result", &status, error);
    for (int64_t e = 0; e < cells && !status; e += AHEAD) {
        const int64_t some = cells - e < AHEAD ? cells - e : AHEAD;
        const struct mesh some_elements = {.dimension = mesh->dimension, .elements = some, .vertex = vertex};
        subdomain_rows(rows->subdomain, mesh, SUBDOMAIN_VERTICES, e, some, vertex);
        for (int64_t k = 0; k < some; k++)
            (*end)[e + k + 1] = (*end)[e + k] + mesh_corners(&some_elements, k);
    }
    if (!status && (*end)[cells] == cells * stride) {
        free(*end);
        *end = NULL;
    }
    return status;
}

static enum status put_cells(struct h5_file *file, const struct source *rows, struct error *error)
{
    int64_t cells = mesh_elements_whole(rows->mesh), corners = rows->mesh->dimension + 1;
    hsize_t offsets = (hsize_t)cells + 1, vertices = (hsize_t)count_vertices(rows);
    struct walk walk = {.source = *rows};
    TRY(h5_put_made(file, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, H5T_NATIVE_INT32, 1, &vertices,
                    rows->end ? make_records : make_vertices, NULL, rows->end ? (const void *)&walk : rows,
                    rows->end ? 1 : corners, error));
    if (rows->end)
        TRY(put_topology(file, rows, error));
    TRY(h5_put_made(file, "/VTKHDF/Offsets", H5T_NATIVE_INT64, H5T_NATIVE_INT64, 1, &offsets, make_offsets,
                    NULL, rows, 1, error));
    TRY(put_types(file, rows, error));
    return put_ranged(file, "/VTKHDF/CellData/region", H5T_NATIVE_INT32, H5T_NATIVE_INT32, cells, 1,
                      make_tags, rows, error);
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
    int64_t count = nodes ? mesh_nodes_whole(rows.mesh) : mesh_elements_whole(rows.mesh);
    snprintf(path, sizeof path, "/VTKHDF/%s/%s", nodes ? "PointData" : "CellData", name);
    rows.which = strcmp(name, "fiber") == 0 ? SUBDOMAIN_FIBERS : SUBDOMAIN_SHEETS;
    TRY(put_ranged(file, path, rows.direction, type, count, 3, make, &rows, error));
    return rows.direction == H5T_NATIVE_FLOAT && !rows.uniform
               ? h5_set_number(file, path, vtkhdf_step, direction_step, error)
               : STATUS_OK;
}

static enum status put_directions(struct h5_file *file, const struct source *rows, struct error *error)
{
    const struct mesh *mesh = rows->mesh;
    if (rows->uniform)
        TRY(put_direction(file, *rows, "fiber", H5T_NATIVE_FLOAT, make_uniform, error));
    else if (mesh->fiber_location != LOCATION_NONE && mesh->fiber)
        TRY(put_direction(file, *rows, "fiber", H5T_NATIVE_DOUBLE, make_directions, error));
    if (mesh->fiber_location != LOCATION_NONE && mesh->sheet)
        TRY(put_direction(file, *rows, "sheet", H5T_NATIVE_DOUBLE, make_directions, error));
    return STATUS_OK;
}

static enum status put_arrays(struct h5_file *file, const struct source *rows, struct error *error)
{
    const struct mesh *mesh = rows->mesh;
    int64_t elements = mesh_elements_whole(mesh), nodes = mesh_nodes_whole(mesh);
    TRY(put_head(file, error));
    TRY(put_count(file, "/VTKHDF/NumberOfPoints", nodes, error));
    TRY(put_count(file, "/VTKHDF/NumberOfCells", elements, error));
    TRY(put_count(file, "/VTKHDF/NumberOfConnectivityIds", count_vertices(rows), error));
    TRY(put_points(file, rows, error));
    TRY(put_cells(file, rows, error));
    return put_directions(file, rows, error);
}

static enum status put_mesh(struct h5_file *file, const struct source *from, struct error *error)
{
    struct source rows = *from;
    int64_t *end = NULL;
    enum status status = find_ends(&end, from, error);
    rows.end = end;
    if (!status)
        status = put_arrays(file, &rows, error);
    free(end);
    return status;
}

enum status vtkhdf_mesh_put(struct h5_file *file, const struct mesh *mesh, const struct subdomain *subdomain,
                            const double *fiber, struct error *error)
{
    const struct source rows = {.mesh = mesh,
                                .subdomain = subdomain,
                                .uniform = fiber,
                                .location = vtkhdf_fiber_location(mesh, fiber),
                                .direction = H5T_NATIVE_FLOAT};
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
    TRY(h5_put(file, path, H5T_NATIVE_DOUBLE, 1, &nodes, field->value, NULL, 1, error));
    return h5_set_text(file, path, "unit", field->unit, error);
}

/* A field of the mesh */
static enum status put_named(struct h5_file *file, const struct mesh *mesh, const struct mesh_field *field,
                             struct error *error)
{
    char path[200];
    bool nodes = field->location == LOCATION_NODE;
    hsize_t dim[2] = {(hsize_t)(nodes ? mesh->nodes : mesh->elements), (hsize_t)field->components};
    if (strchr(field->name, '/') || strlen(field->name) > 150)
        return error_set(error, STATUS_INPUT, "%s: HDF5 does not allow an array named '%.80s'", file->path,
                         field->name);
    snprintf(path, sizeof path, "/VTKHDF/%s/%s", nodes ? "PointData" : "CellData", field->name);
    return h5_put(file, path, H5T_NATIVE_DOUBLE, field->components > 1 ? 2 : 1, dim, field->value, NULL, 1,
                  error);
}

enum status vtkhdf_mesh_claim(const char *path, struct error *error)
{
    static const char instead[] = "remove it, or name another file";
    char start[4096]; /* of HDF5's own, whose first names follow its head */
    TRY(own_file_claim(path, "", instead, error));
    FILE *file = fopen(path, "r");
    size_t got = file ? fread(start, 1, sizeof start, file) : 0;
    if (file)
        fclose(file);
    if (got == 0 || (got > 4 && memcmp(start, "\211HDF", 4) == 0 && memmem(start, got, "VTKHDF", 6)))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%.300s exists and holds something else than a mesh; %s", path,
                     instead);
}

enum status vtkhdf_mesh_write_with(const char *path, const struct mesh *mesh,
                                   const struct vtkhdf_field *field, int fields, struct error *error)
{
    struct own_file own;
    struct h5_file file = {0};
    enum status status;
    TRY(own_file_begin(&own, path, "", error));
    TRY_DONE(h5_create(&file, own.beside, false, error));
    const struct source rows = {
        .mesh = mesh, .location = mesh->fiber_location, .direction = H5T_NATIVE_DOUBLE};
    TRY_DONE(put_mesh(&file, &rows, error));
    TRY_DONE(put_marks(&file, mesh, error));
    for (int f = 0; f < mesh->fields.count; f++)
        if (mesh->fields.item[f].value)
            TRY_DONE(put_named(&file, mesh, mesh->fields.item + f, error));
    for (int f = 0; f < fields; f++)
        TRY_DONE(put_field(&file, mesh, field + f, error));
    if (!h5_exists(&file, "/VTKHDF/PointData"))
        TRY_DONE(h5_group(&file, "/VTKHDF/PointData", error));
done:
    if (status)
        h5_close(&file, NULL);
    else
        status = h5_close(&file, error);
    status = own_file_end(&own, status, error);
    if (!status)
        journal_remove(path); /* of an earlier file */
    return status;
}
