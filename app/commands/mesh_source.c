/* mesh_source.c: the mesh that a command of `cardiac mesh` reads, and the one that it writes. */
#include "app/commands/mesh.h"

#include <stdio.h>
#include <string.h>

#include "app/config/units.h"
#include "app/meshio/mesh_report.h"

enum status mesh_source_length(double *mm, const char *name, const char *text, struct error *error)
{
    struct error fault = {0};
    *mm = 0;
    if (!text)
        return STATUS_OK;
    if (units_read(mm, text, QUANTITY_LENGTH, &fault))
        return error_set(error, STATUS_INPUT, "%s: %s", name, fault.text);
    if (!(*mm > 0))
        return error_set(error, STATUS_INPUT, "%s: '%.60s' is not a positive length", name, text);
    return STATUS_OK;
}

enum status mesh_source_write(const struct mesh *mesh, const char *path, const char *input, bool overwrite,
                              struct error *error)
{
    char left[1000], text[120];
    if (input && overwrite && mesh_replaces(path, input))
        return error_set(error, STATUS_INPUT,
                         "%s: the output would replace %s, which is read; choose another name", path, input);
    enum status status = mesh_write(mesh, path, overwrite, error);
    if (status)
        return status;
    printf("%s: %lld nodes, %s\n", path, (long long)mesh->nodes, mesh_elements_text(text, mesh));
    mesh_left_out(mesh, path, left);
    if (left[0])
        printf("note: this format cannot store %s\n", left);
    return status;
}

static void print_warnings(const struct mesh_health *health)
{
    char text[256];
    for (int which = 0; mesh_health_warning(health, &which, text);)
        printf("warning: %s\n", text);
}

enum status mesh_source_read(struct mesh *mesh, const char *path, struct mesh_source *source,
                             struct error *error)
{
    struct mesh_notes notes;
    double scale_mm;
    TRY(mesh_source_length(&scale_mm, "--scale", source->scale, error));
    source->selection.all = true;
    source->selection.keep_lines = true;
    TRY(mesh_read(mesh, path, scale_mm, &source->selection, &notes, error));
    if (notes.dropped[0])
        printf("note: points are left out: %lld\n", (long long)notes.dropped[0]);
    print_warnings(&notes.health);
    return STATUS_OK;
}

void mesh_source_list(char out[4096], const char *to, const char *list, bool *gzipped)
{
    const char *slash = strrchr(to, '/'), *dot = strchr(slash ? slash : to, '.'), *name = strrchr(list, '/');
    name = name ? name + 1 : list;
    size_t length = strlen(name);
    *gzipped = length > 3 && strcmp(name + length - 3, ".gz") == 0;
    snprintf(out, 4096, "%.*s_%.*s", dot ? (int)(dot - to) : (int)strlen(to), to,
             (int)(length - (*gzipped ? 3 : 0)), name);
}
