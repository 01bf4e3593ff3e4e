/* vtkhdf_marks.c: the group /mesh of a mesh file, written and read back. */
#include "app/io/result/vtkhdf_marks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char faces_name[] = "/mesh/faces", marks_name[] = "/mesh/marks", names_name[] = "/mesh/names";

static enum status put_names(struct h5_file *file, const struct mesh_names *names, struct error *error)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int k = 0; out && k < names->count; k++)
        if (!strchr(names->item[k].name, '\n'))
            fprintf(out, "%d %d %s\n", names->item[k].dimension, (int)names->item[k].tag,
                    names->item[k].name);
    if (!out || fclose(out) || !text) {
        free(text);
        return error_memory(error, "the names of the mesh", 4096);
    }
    enum status status = *text ? h5_put_text(file, names_name, text, error) : STATUS_OK;
    free(text);
    return status;
}

enum status vtkhdf_marks_put(struct h5_file *file, const struct mesh *mesh, struct error *error)
{
    hsize_t dim[2] = {(hsize_t)mesh->faces, (hsize_t)mesh->dimension};
    enum status status = STATUS_OK;
    if (mesh->faces) {
        status =
            h5_put(file, faces_name, H5T_NATIVE_INT32, H5T_NATIVE_INT32, 2, dim, mesh->face, NULL, 0, error);
        AND(h5_put(file, marks_name, H5T_NATIVE_INT32, H5T_NATIVE_INT32, 1, dim, mesh->mark, NULL, 0, error));
    }
    return !status && mesh->names.count ? put_names(file, &mesh->names, error) : status;
}

/* *value <- [rows][columns] whole numbers of 32 bits; rows < 0: as many as there are */
static enum status get_integers(struct h5_file *file, const char *name, int64_t rows, int64_t columns,
                                int64_t *found, int32_t **value, struct error *error)
{
    struct h5_array array;
    enum status status = h5_array_open(&array, file, name, false, columns > 1 ? 2 : 1, error);
    if (!status && ((rows >= 0 && (int64_t)array.dim[0] != rows) || (int64_t)array.dim[0] > INT32_MAX ||
                    (columns > 1 && (int64_t)array.dim[1] != columns)))
        status = error_set(error, STATUS_INPUT, "%s: %s has %lld rows, in a mesh whose faces have %lld nodes",
                           file->path, name, (long long)array.dim[0], (long long)columns);
    if (!status) {
        *found = (int64_t)array.dim[0];
        *value = malloc((size_t)(array.values ? array.values : 1) * sizeof **value);
        status = *value ? h5_array_read(&array, file, name, H5T_NATIVE_INT32, *value, error)
                        : error_memory(error, "the marked faces", 4.0 * (double)array.values);
    }
    h5_array_close(&array);
    return status;
}

static enum status get_faces(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    int64_t faces = 0;
    enum status status = get_integers(file, faces_name, -1, mesh->dimension, &faces, &mesh->face, error);
    AND(get_integers(file, marks_name, faces, 1, &faces, &mesh->mark, error));
    for (int64_t i = 0; i < faces * mesh->dimension && !status; i++)
        if (mesh->face[i] < 0 || mesh->face[i] >= mesh->nodes)
            status = error_set(error, STATUS_INPUT, "%s: %s: face %lld has node %d; there are %lld nodes",
                               file->path, faces_name, (long long)(i / mesh->dimension), (int)mesh->face[i],
                               (long long)mesh->nodes);
    if (!status)
        mesh->faces = faces;
    return status;
}

/* "DIMENSION TAG NAME" -> the mesh's names */
static enum status get_name(struct h5_file *file, struct mesh *mesh, const char *line, struct error *error)
{
    char *end;
    long dimension = strtol(line, &end, 10), tag = *end == ' ' ? strtol(end + 1, &end, 10) : 0;
    if (*end != ' ' || !end[1] || dimension < 0 || dimension > 3 || tag < INT32_MIN || tag > INT32_MAX)
        return error_set(error, STATUS_INPUT, "%s: %s: '%.80s' is not DIMENSION TAG NAME", file->path,
                         names_name, line);
    return mesh_names_add(&mesh->names, end + 1, (int)dimension, (int32_t)tag, error);
}

static enum status get_names(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    char *text = NULL, *rest = NULL;
    enum status status = h5_read_text(file, names_name, &text, error);
    for (char *line = status ? NULL : strtok_r(text, "\n", &rest); line && !status;
         line = strtok_r(NULL, "\n", &rest))
        status = get_name(file, mesh, line, error);
    free(text);
    return status;
}

enum status vtkhdf_marks_get(struct h5_file *file, struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    if (mesh->dimension > 1 && h5_exists(file, faces_name))
        status = get_faces(file, mesh, error);
    if (!status && h5_exists(file, names_name))
        status = get_names(file, mesh, error);
    return status;
}
