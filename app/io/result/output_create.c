/* output_create.c: a result file before its first frame: mesh, empty fields, maps at NaN, probes, and what
 * ran. */
#include "app/io/result/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/store/format.h"
#include "app/io/store/mesh_digest.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "kernels/base/array.h"

/* DIR/run.vtkhdf -> DIR/run.xdmf */
static char *sidecar_path(const char *path)
{
    size_t length = strlen(path), stem = length;
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    if (dot && (!slash || dot > slash + 1))
        stem = (size_t)(dot - path);
    char *sidecar = malloc(stem + sizeof ".xdmf");
    if (sidecar) {
        memcpy(sidecar, path, stem);
        strcpy(sidecar + stem, ".xdmf");
    }
    return sidecar;
}

static void add_array(struct output *out, const char *name, const char *place, struct xdmf_array kind)
{
    struct xdmf_array *array = &out->array[out->arrays++];
    *array = kind;
    snprintf(array->name, sizeof array->name, "%s", name);
    snprintf(array->place, sizeof array->place, "%s", place);
}

/* What the sidecar names. XDMF readers know scalars and vectors: of a map of several values a node each value
 * has a view and a name of its own, activation_time_1 and so on. */
static void list_arrays(struct output *out, const struct mesh *mesh, const double *fiber)
{
    char name[96], place[160];
    enum location fiber_location = vtkhdf_fiber_location(mesh, fiber);
    bool cell = fiber_location == LOCATION_ELEMENT, directed = fiber_location != LOCATION_NONE;
    for (int f = 0; f < out->fields; f++) {
        snprintf(place, sizeof place, "/views/%s", out->field[f].name);
        add_array(
            out, out->field[f].name, place,
            (struct xdmf_array){.in_time = true, .bytes = out->field[f].shape.wide ? 8 : 4, .width = 1});
    }
    for (int m = 0; m < out->maps; m++)
        for (int64_t w = 0; w < out->map[m].width; w++) {
            bool several = out->map[m].width > 1;
            snprintf(name, sizeof name, several ? "%s_%lld" : "%s", out->map[m].name, (long long)w + 1);
            snprintf(place, sizeof place, several ? "/views/%s/%06lld" : "/VTKHDF/PointData/%s",
                     out->map[m].name, (long long)w);
            add_array(out, name, place, (struct xdmf_array){.bytes = 4, .width = 1});
        }
    add_array(out, "region", "/VTKHDF/CellData/region",
              (struct xdmf_array){.cell = true, .integer = true, .bytes = 4, .width = 1});
    const struct xdmf_array direction = {.cell = cell, .bytes = 4, .width = 3};
    if (directed && (fiber || mesh->fiber))
        add_array(out, "fiber", cell ? "/VTKHDF/CellData/fiber" : "/VTKHDF/PointData/fiber", direction);
    if (mesh->fiber_location != LOCATION_NONE && mesh->sheet)
        add_array(out, "sheet", cell ? "/VTKHDF/CellData/sheet" : "/VTKHDF/PointData/sheet", direction);
}

static void name_arrays(struct output *out, const struct output_params *params)
{
    for (int f = 0; f < params->fields; f++) {
        struct time_field *field = &out->field[f];
        time_field_name(field->name, sizeof field->name, params->field[f].name);
        snprintf(field->unit, sizeof field->unit, "%s", params->field[f].unit);
        field->shape = frame_shape(out->nodes, params->field[f].wide);
        field->quantum = frame_quantum(params->field[f].round);
        field->deflate = params->deflate;
        field->frames = params->frames;
        field->threads = params->threads > 0 ? params->threads : 1;
    }
    for (int m = 0; m < params->maps; m++) {
        time_field_name(out->map[m].name, sizeof out->map[m].name, params->map[m].name);
        out->map[m].width = params->map[m].width;
    }
}

enum status output_prepare(struct output **made, const struct output_params *params, struct error *error)
{
    *made = NULL;
    const char *what = "the output";
    enum status status = STATUS_OK;
    struct output *out = array_zeroed(1, sizeof *out, what, &status, error);
    if (status)
        return status;
    out->dimension = params->mesh->dimension;
    out->nodes = mesh_nodes_whole(params->mesh);
    out->cells = mesh_elements_whole(params->mesh);
    out->fields = params->fields;
    out->maps = params->maps;
    for (int t = 0; t < OUTPUT_TABLES; t++) {
        static const char *const groups[] = {[OUTPUT_PROBES] = "/probes", [OUTPUT_ECG] = "/ecg"};
        out->table[t] = (struct table){.group = groups[t], .columns = params->columns[t]};
    }
    out->field = array_zeroed(out->fields, sizeof *out->field, what, &status, error);
    out->map = array_zeroed(out->maps, sizeof *out->map, what, &status, error);
    int64_t columns = 0;
    for (int m = 0; m < out->maps; m++)
        columns += params->map[m].width;
    out->array = array_zeroed(out->fields + columns + 3, sizeof *out->array, what, &status, error);
    if (!status && !(out->sidecar = sidecar_path(params->path)))
        status = error_memory(error, "a file name", (double)strlen(params->path));
    if (status) {
        out->fields = 0;
        output_abandon(out);
        return status;
    }
    name_arrays(out, params);
    list_arrays(out, params->mesh, params->fiber);
    *made = out;
    return STATUS_OK;
}

/* /views/<map>/<w>: value w of every node as a dataset that holds no data */
static enum status create_column(struct output *out, int m, int64_t w, struct error *error)
{
    char view[160], path[128];
    hsize_t dim[2] = {(hsize_t)out->nodes, (hsize_t)out->map[m].width}, start[2] = {0, (hsize_t)w};
    hsize_t count[2] = {(hsize_t)out->nodes, 1};
    snprintf(view, sizeof view, "/views/%s/%06lld", out->map[m].name, (long long)w);
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", out->map[m].name);
    hid_t whole = H5Screate_simple(2, dim, NULL), column = H5Screate_simple(1, dim, NULL), id = -1;
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    H5Sselect_hyperslab(whole, H5S_SELECT_SET, start, NULL, count, NULL);
    if (H5Pset_virtual(create, column, ".", path, whole) >= 0)
        id = H5Dcreate2(out->file.id, view, H5T_NATIVE_FLOAT, column, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(column);
    H5Sclose(whole);
    if (id < 0 || H5Dclose(id) < 0)
        return h5_error(&out->file, STATUS_RUN, error, "cannot create %s", view);
    return STATUS_OK;
}

static enum status create_map(struct output *out, int m, const struct output_map *map, int deflate,
                              struct error *error)
{
    char path[128];
    snprintf(path, sizeof path, "/VTKHDF/PointData/%s", out->map[m].name);
    float none = frame_nan32();
    hsize_t dim[2] = {(hsize_t)out->nodes, (hsize_t)map->width};
    if (h5_exists(&out->file, path))
        return error_set(error, STATUS_INPUT, "two arrays of the result would be called %s",
                         out->map[m].name);
    enum status status = h5_put(&out->file, path, H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT, map->width > 1 ? 2 : 1,
                                dim, NULL, &none, deflate, error);
    AND(h5_set_text(&out->file, path, "unit", map->unit, error));
    snprintf(path, sizeof path, "/views/%s", out->map[m].name);
    if (!status && map->width > 1)
        status = h5_group(&out->file, path, error);
    for (int64_t w = 0; w < map->width && map->width > 1 && !status; w++)
        status = create_column(out, m, w, error);
    return status;
}

/* Where the probes were asked for, and their nodes */
static enum status put_places(struct h5_file *file, const struct table_column *probe, int count,
                              struct error *error)
{
    enum status status = STATUS_OK;
    double *point = array_new(3 * (int64_t)count, sizeof *point, "the probes", &status, error);
    int64_t *node = array_new(count, sizeof *node, "the probes", &status, error);
    hsize_t dim[2] = {(hsize_t)count, 3};
    for (int i = 0; i < count && !status; i++) {
        memcpy(point + 3 * i, probe[i].point, sizeof probe[i].point);
        node[i] = probe[i].node;
    }
    AND(h5_put(file, "/probes/points", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 2, dim, point, NULL, 0, error));
    AND(h5_set_text(file, "/probes/points", "unit", "mm", error));
    AND(h5_put(file, "/probes/nodes", H5T_NATIVE_INT64, H5T_NATIVE_INT64, 1, dim, node, NULL, 0, error));
    free(point);
    free(node);
    return status;
}

static enum status create_tables(struct output *out, const struct output_params *params, struct error *error)
{
    enum status status = STATUS_OK;
    for (int t = 0; t < OUTPUT_TABLES && !status; t++)
        status = table_create(&out->table[t], &out->file, params->column[t], error);
    if (!status && params->columns[OUTPUT_PROBES])
        status = put_places(&out->file, params->column[OUTPUT_PROBES], params->columns[OUTPUT_PROBES], error);
    return status;
}

enum status output_describe(struct output *out, const struct output_params *params, struct error *error)
{
    struct h5_file *file = &out->file;
    enum status status = STATUS_OK;
    if (h5_exists(file, "/run/config") && H5Ldelete(file->id, "/run/config", H5P_DEFAULT) < 0)
        status = h5_error(file, STATUS_RUN, error, "cannot replace the config's text");
    AND(h5_put_text(file, "/run/config", params->config, error));
    AND(h5_set_text(file, "/run", "program", params->program, error));
    AND(h5_set_text(file, "/run", "libraries", params->libraries, error));
    AND(h5_set_text(file, "/run", "device", params->device, error));
    return status;
}

static enum status fill_new(struct output *out, const struct output_params *params, struct error *error)
{
    char digest[SHA256_HEX];
    if (!params->mesh_sha256)
        mesh_digest(params->mesh, digest);
    enum status status =
        vtkhdf_mesh_put(&out->file, params->mesh, params->subdomain, params->fiber, params->deflate, error);
    if (!status && !h5_exists(&out->file, "/VTKHDF/PointData"))
        status = h5_group(&out->file, "/VTKHDF/PointData", error);
    AND(steps_create(&out->steps, &out->file, error));
    AND(h5_group(&out->file, "/views", error));
    for (int f = 0; f < out->fields && !status; f++)
        status = time_field_create(&out->field[f], &out->file, params->field[f].name, error);
    for (int m = 0; m < out->maps && !status; m++)
        status = create_map(out, m, &params->map[m], params->deflate, error);
    AND(dimensions_create(&out->file, out->nodes, out->map, out->maps, error));
    AND(create_tables(out, params, error));
    AND(h5_group(&out->file, "/run/numbers", error));
    AND(format_put_result(&out->file, error));
    AND(h5_set_text(&out->file, "/run", "mesh_sha256", params->mesh_sha256 ? params->mesh_sha256 : digest,
                    error));
    AND(output_describe(out, params, error));
    AND(output_show(out, false, error));
    return status ? status : h5_sync(&out->file, error);
}

/* Removed, not emptied: who has the old result open keeps it. */
static enum status remove_old(const char *path, struct error *error)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return STATUS_OK;
    return error_set(error, STATUS_RUN, "%s: cannot be replaced: %s", path, strerror(errno));
}

enum status output_create(struct output **made, const struct output_params *params, bool overwrite,
                          struct error *error)
{
    *made = NULL;
    if (!overwrite && access(params->path, F_OK) == 0)
        return error_set(error, STATUS_INPUT,
                         "%s exists: use --overwrite to replace it or --resume to go on with it",
                         params->path);
    struct output *out;
    enum status status = output_prepare(&out, params, error);
    if (status)
        return status;
    char beside[4200]; /* until it is whole: readers, and a run that is killed, see a result or none */
    if (snprintf(beside, sizeof beside, "%s.new", params->path) >= (int)sizeof beside)
        status = error_set(error, STATUS_RUN, "%.200s...: the file name is too long", params->path);
    AND(remove_old(params->path, error));
    AND(remove_old(out->sidecar, error));
    AND(remove_old(beside, error));
    AND(h5_create(&out->file, beside, true, error));
    AND(fill_new(out, params, error));
    AND(h5_rename(&out->file, params->path, error));
    AND(output_sidecar(out, error));
    if (status)
        output_abandon(out);
    else
        *made = out;
    return status;
}
