/* vtkhdf.c: the mesh of a result file (.vtkhdf) as one more mesh format; the file itself is
 * vtkhdf_mesh's. */
#include "app/meshio/format.h"

#include <stdio.h>

#include "app/io/vtkhdf_mesh.h"

/* The result format is HDF5, which does not come gzipped. */
static enum status vtkhdf_path(char path[FORMAT_PATH + 16], const struct format_files *place,
                               struct error *error)
{
    snprintf(path, FORMAT_PATH + 16, "%s.vtkhdf", place->stem);
    if (place->gzipped)
        return error_set(error, STATUS_INPUT, "%s.gz: a result file cannot be gzipped as a whole", path);
    return STATUS_OK;
}

static enum status vtkhdf_read(struct mesh_builder *builder, const struct format_files *place,
                               struct length_unit unit, struct mesh_notes *notes, struct error *error)
{
    char path[FORMAT_PATH + 16];
    struct mesh mesh = {0};
    snprintf(notes->format, sizeof notes->format, "VTKHDF");
    enum status status = vtkhdf_path(path, place, error);
    TRY(vtkhdf_mesh_read(path, &mesh, error));
    if (status)
        return status;
    for (int64_t i = 0; i < 3 * mesh.nodes; i++)
        mesh.point[i] = length_unit_to_mm(mesh.point[i], unit);
    builder_start(builder, &mesh);
    return STATUS_OK;
}

static enum status vtkhdf_write(const struct mesh *mesh, const struct format_files *place,
                                struct error *error)
{
    char path[FORMAT_PATH + 16];
    enum status status = vtkhdf_path(path, place, error);
    return status ? status : vtkhdf_mesh_write(path, mesh, error);
}

const struct mesh_format format_vtkhdf = {"VTKHDF", {".vtkhdf"}, 1, vtkhdf_read, vtkhdf_write};
