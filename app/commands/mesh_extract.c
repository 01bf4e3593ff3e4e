/* mesh_extract.c: some regions or elements of a mesh, or its boundary, as a mesh. */
#include "app/commands/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/environment.h"
#include "kernels/base/array.h"
#include "solver/mesh/extract.h"

/* keep[] <- 1 for elements with a tag in a list such as "1,septum", by number or name */
static enum status keep_regions(uint8_t *keep, const struct mesh *mesh, const char *regions,
                                struct error *error)
{
    enum { MOST = 1000 };
    int32_t tag[MOST] = {0};
    const char *name[MOST] = {NULL};
    uint8_t dimension[MOST] = {0};
    struct tag_list tags = {.tag = tag, .name = name, .dimension = dimension};
    struct error inner = {0};
    enum status status = STATUS_OK;
    char *words = strdup(regions), *rest = words;
    if (!words)
        return error_memory(error, "--regions", (double)strlen(regions));
    for (char *word; (word = strsep(&rest, ",")) != NULL; tags.count++) {
        char *end;
        long number = strtol(word, &end, 10);
        if (!*word || tags.count == MOST)
            TRY_DONE(error_set(error, STATUS_INPUT, "--regions: expected a tag or a name at '%.40s'",
                               regions + (word - words)));
        if (*end || number < INT32_MIN || number > INT32_MAX)
            name[tags.count] = word;
        else
            tag[tags.count] = (int32_t)number;
    }
    if (environment_resolve_tags(&tags, mesh, &inner))
        TRY_DONE(error_set(error, STATUS_INPUT, "--regions: %.1000s", inner.text));
    for (int k = 0; k < tags.count && !status; k++)
        if (!environment_tag_there(&tags, k, mesh))
            status = error_set(error, STATUS_INPUT, "no element of the mesh has tag %d", (int)tag[k]);
    environment_mark_tags(keep, mesh, &tags, LOCATION_ELEMENT);
done:
    free(words);
    return status;
}

/* keep[] <- 0 for elements at whose centre the condition does not hold */
static enum status keep_where(uint8_t *keep, const struct mesh *mesh, const char *text, struct error *error)
{
    const struct config_mesh from = {.kind = MESH_KIND_FILE};
    struct environment environment = {.mesh = mesh, .from = &from};
    struct arena arena = {0};
    struct where *where = NULL;
    struct error inner = {0};
    int at = 0;
    int64_t selected = 0;
    enum status status = STATUS_OK;
    double *holds = array_new(mesh->elements, sizeof *holds, "the elements", &status, error);
    TRY_DONE(status);
    status = where_parse(&where, &arena, text, WHERE_CONDITION, &at, &inner);
    if (!status)
        status = environment_values(&environment, where, LOCATION_ELEMENT, holds, &at, &inner);
    if (status)
        TRY_DONE(error_set(error, status, "--where: %.1000s (at '%.40s')", inner.text, text + at));
    for (int64_t e = 0; e < mesh->elements; e++) {
        keep[e] = keep[e] && holds[e] != 0;
        selected += keep[e];
    }
    if (!selected)
        status = error_set(error, STATUS_INPUT, "--where: the condition holds in no element");
done:
    environment_free(&environment);
    arena_free(&arena);
    free(holds);
    return status;
}

enum status mesh_extract_command(int argc, char **argv, struct error *error)
{
    struct mesh_source source = {0};
    const char *regions = NULL, *where = NULL;
    bool overwrite = false, help;
    const struct option options[] = {
        MESH_SOURCE_OPTIONS(source),
        {"--regions", "TAGS", "tags or names separated by commas", .text = &regions},
        {"--where", "CONDITION",
         "a condition at the centres of elements, e.g. 'transmural < 0.3' (docs/user/where.md)",
         .text = &where},
        MESH_SOURCE_OVERWRITE(overwrite),
        {.name = NULL}};
    const struct usage usage = {
        "mesh extract IN OUT [--regions TAGS] [--where CONDITION]",
        "Writes the elements of the given regions, or those where a condition holds, with their data.",
        options, 2, 2};
    struct mesh mesh = {0}, submesh = {0};
    uint8_t *keep = NULL;
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    if (!regions && !where)
        return error_set(error, STATUS_INPUT,
                         "--regions or --where is missing, for example --regions 1,2 or --where 'z < 5 mm'");
    TRY_DONE(mesh_source_read(&mesh, argv[1], &source, error));
    keep = array_zeroed(mesh.elements, sizeof *keep, "the elements", &status, error);
    TRY_DONE(status);
    for (int64_t e = 0; e < mesh.elements && !regions; e++)
        keep[e] = 1;
    if (regions)
        TRY_DONE(keep_regions(keep, &mesh, regions, error));
    if (where)
        TRY_DONE(keep_where(keep, &mesh, where, error));
    TRY_DONE(mesh_extract(&submesh, &mesh, keep, NULL, error));
    status = mesh_source_write(&submesh, argv[2], argv[1], overwrite, error);
done:
    free(keep);
    mesh_free(&submesh);
    mesh_free(&mesh);
    return status;
}

enum status mesh_surface_command(int argc, char **argv, struct error *error)
{
    struct mesh_source source = {0};
    bool overwrite = false, help;
    const struct option options[] = {
        MESH_SOURCE_OPTIONS(source), MESH_SOURCE_OVERWRITE(overwrite), {.name = NULL}};
    const struct usage usage = {
        "mesh surface IN OUT",
        "Writes the boundary of IN, turned outwards, as a mesh of triangles (of lines, where IN is "
        "of triangles).\nMarks of faces become tags.",
        options, 2, 2};
    struct mesh mesh = {0}, skin = {0};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    TRY_DONE(mesh_source_read(&mesh, argv[1], &source, error));
    TRY_DONE(mesh_extract_surface(&skin, &mesh, error));
    status = mesh_source_write(&skin, argv[2], argv[1], overwrite, error);
done:
    mesh_free(&skin);
    mesh_free(&mesh);
    return status;
}
