/* problem_mesh.c: read or generate the mesh of a config, with the caller's arrays, its fibres and its networks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/problem/problem.h"
#include "kernels/base/array.h"
#include "app/problem/node_list.h"
#include "app/util/path.h"
#include "kernels/base/clock.h"
#include "kernels/base/printed.h"
#include "solver/mesh/fibers.h"
#include "solver/mesh/generate.h"

/* Tags of regions of lines: in a mesh of tetrahedra, lines with such a tag are tissue */
struct line_tags {
    int32_t *tag; /* [count] */
    int64_t count, room;
};

static enum status list_lines(struct line_tags *lines, const struct config *config, struct error *error)
{
    *lines = (struct line_tags){0};
    for (int r = 0; r < config->tissue.regions; r++) {
        const struct config_region *region = &config->tissue.region[r];
        const bool is = !isnan(region->radius) || config_is_resistor(region);
        for (int k = 0; k < region->tags.count && is; k++) {
            if (region->tags.name[k]) /* unknown until the mesh is read; named lines are always tissue */
                continue;
            TRY(array_grow((void **)&lines->tag, &lines->room, lines->count, sizeof *lines->tag, "the tags",
                           error));
            lines->tag[lines->count++] = region->tags.tag[k];
        }
    }
    return STATUS_OK;
}

static enum status make_mesh(struct problem_mesh *to, const struct config *config, struct error *error)
{
    const struct config_mesh *from = &config->mesh;
    switch (from->kind) {
    case MESH_KIND_SLAB:
        return mesh_slab(&to->mesh, from->slab_size, from->slab_spacing, error);
    case MESH_KIND_SHEET:
        return mesh_sheet(&to->mesh, from->sheet_size, from->sheet_spacing, error);
    case MESH_KIND_CABLE:
        return mesh_cable(&to->mesh, from->cable_length, from->cable_spacing, error);
    case MESH_KIND_ELLIPSOID:
        return mesh_ellipsoid(&to->mesh, from->ellipsoid_size, from->ellipsoid_edge, error);
    case MESH_KIND_FILE:
        break;
    }
    const char **names;
    struct line_tags lines;
    int count = environment_names(&names, config);
    if (count < 0)
        return error_memory(error, "the names of arrays", 8);
    enum status status = list_lines(&lines, config, error);
    const char *fibers = config_array_find(config, from->fibers) ? NULL : from->fibers,
               *sheets = config_array_find(config, from->sheets) ? NULL : from->sheets;
    const struct array_selection selection = {.tags = from->tags,
                                              .fibers = fibers,
                                              .sheets = sheets,
                                              .name = names,
                                              .names = count,
                                              .line = lines.tag,
                                              .lines = (int)lines.count,
                                              .inputs = config->inputs,
                                              .blocks = &to->blocks};
    const double scale = isnan(from->scale) ? 0 : from->scale;
    if (!status)
        status = mesh_read(&to->mesh, from->file, scale, &selection, &to->notes, error);
    free(names);
    free(lines.tag);
    return status;
}

static enum status copy_values(double **to, const struct config_array *array, struct error *error)
{
    enum status status = STATUS_OK;
    *to = array_new(array->values, sizeof **to, "an array", &status, error);
    if (!status)
        memcpy(*to, array->value, (size_t)array->values * sizeof **to);
    return status;
}

/* *location <- nodes or elements, by the number of values (nodes if both numbers are equal) */
static enum status find_location(enum location *location, const struct mesh *mesh,
                                 const struct config_array *array, struct error *error)
{
    int64_t rows = array->values / array->components;
    *location = rows == mesh->nodes ? LOCATION_NODE : LOCATION_ELEMENT;
    if (rows * array->components == array->values && (rows == mesh->nodes || rows == mesh->elements))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "array '%.60s' has %lld values; with %d for each, the mesh needs %lld (nodes) or %lld "
                     "(elements)",
                     array->name, (long long)array->values, array->components,
                     (long long)(mesh->nodes * array->components),
                     (long long)(mesh->elements * array->components));
}

static enum status add_array(struct mesh *mesh, const struct config_array *array, struct error *error)
{
    enum location location;
    double *value;
    TRY(find_location(&location, mesh, array, error));
    if (mesh_fields_find(&mesh->fields, array->name, LOCATION_NODE) ||
        mesh_fields_find(&mesh->fields, array->name, LOCATION_ELEMENT))
        return error_set(error, STATUS_INPUT,
                         "array '%.60s': the mesh has an array of that name; choose another one",
                         array->name);
    TRY(copy_values(&value, array, error));
    return mesh_fields_add(&mesh->fields, array->name, location, array->components, value, error);
}

/* Adds a file's numbers, one for each node or element, as an array of the mesh. */
static enum status add_column(struct mesh *mesh, const struct config_column *column, struct inputs *inputs,
                              struct error *error)
{
    const bool of_nodes = path_ends_in(column->file, ".adj") || path_ends_in(column->file, ".adj.gz");
    const int64_t most = of_nodes || mesh->nodes > mesh->elements ? mesh->nodes : mesh->elements;
    struct config_array array = {.name = column->key, .components = 1};
    enum status status = STATUS_OK;
    array.value = array_new(most, sizeof *array.value, "an array", &status, error);
    if (!status)
        status = node_list_read_values(column->file, most, array.value, &array.values, inputs, error);
    if (!status)
        status = add_array(mesh, &array, error);
    free(array.value);
    return status;
}

/* *to <- the directions of an array that mesh.fibers or mesh.sheets names */
static enum status take_directions(double **to, struct mesh *mesh, const struct config_array *array,
                                   struct error *error)
{
    enum location location;
    if (array->components != 3)
        return error_set(error, STATUS_INPUT, "array '%.60s' is used as directions, which have 3 components",
                         array->name);
    TRY(find_location(&location, mesh, array, error));
    if (to == &mesh->sheet && mesh->fiber_location != location)
        return error_set(error, STATUS_INPUT,
                         "array '%.60s': fibres and sheets must both be given at nodes or both at elements",
                         array->name);
    if (mesh->fiber_location != location) {
        free(mesh->sheet);
        mesh->sheet = NULL;
    }
    mesh->fiber_location = location;
    free(*to);
    return copy_values(to, array, error);
}

/* Adds the caller's arrays and those in files to the mesh. Arrays of the caller that mesh.fibers and mesh.sheets name
 * become its fibres and sheets. Errors: STATUS_INPUT if a length is wrong or a name is already in use. */
static enum status add_arrays(struct mesh *mesh, const struct config *config, struct error *error)
{
    const struct config_array *fibers = config_array_find(config, config->mesh.fibers),
                              *sheets = config_array_find(config, config->mesh.sheets);
    for (int k = 0; k < config->arrays; k++)
        TRY(add_array(mesh, &config->array[k], error));
    for (int k = 0; k < config->mesh.columns; k++)
        TRY(add_column(mesh, &config->mesh.column[k], config->inputs, error));
    if (fibers)
        TRY(take_directions(&mesh->fiber, mesh, fibers, error));
    return sheets ? take_directions(&mesh->sheet, mesh, sheets, error) : STATUS_OK;
}

/* Generates fibres by a rule, or fills in those that the mesh lacks. */
static enum status make_fibers(struct problem_mesh *to, const struct config_tissue *from, struct error *error)
{
    if (from->fibers == FIBERS_TURNING)
        return mesh_turn_fibers(&to->mesh, from->fiber_across, from->fiber_degrees, error);
    if (from->fibers == FIBERS_LDRB)
        return environment_fibers(&to->environment, &to->mesh, &from->ldrb, error);
    if (from->fibers == FIBERS_FIELD)
        return environment_field_fibers(&to->environment, &to->mesh, from, &to->filled_fibers, error);
    return from->fill_missing ? mesh_fill_fibers(&to->mesh, &to->filled_fibers, error) : STATUS_OK;
}

/* *text <- everything that determines the mesh; the caller frees it */
static enum status list_sources(char **text, const struct config *config, struct error *error)
{
    const char **names = NULL;
    struct printed sources;
    struct line_tags lines;
    TRY(printed_open(&sources, error));
    enum status status = list_lines(&lines, config, error);
    char *keys = config_subset_text(config, CONFIG_MESH);
    int count = environment_names(&names, config);
    fputs(keys ? keys : "", sources.file);
    for (int k = 0; k < count; k++)
        fprintf(sources.file, "%s\n", names[k]);
    for (int k = 0; k < config->arrays; k++)
        fprintf(sources.file, "%s %d %s\n", config->array[k].name, config->array[k].components,
                config->array[k].sha256);
    for (int64_t k = 0; k < lines.count; k++)
        fprintf(sources.file, "lines of tag %d\n", (int)lines.tag[k]);
    free(lines.tag);
    enum status closed = printed_close(&sources, error);
    status = status ? status : closed;
    if (!keys || count < 0)
        status = error_memory(error, "the config's text", 4096);
    free(names);
    free(keys);
    *text = sources.text;
    return status;
}

static void begin_environment(struct problem_mesh *to, const struct config *config)
{
    to->environment = (struct environment){
        .mesh = &to->mesh, .from = &config->mesh, .inputs = config->inputs, .cache = {.blocks = &to->blocks}};
}

void problem_mesh_free(struct problem_mesh *to)
{
    environment_free(&to->environment);
    mesh_free(&to->mesh);
    digest_blocks_free(&to->blocks);
    free(to->made_from);
    free(to->network);
    *to = (struct problem_mesh){0};
}

enum status problem_mesh_make(struct problem_mesh *to, bool kept, const struct config *config,
                              struct progress *progress, struct faults *faults)
{
    struct error inner = {0};
    double begin = clock_seconds();
    char *sources = NULL;
    enum status status = kept ? list_sources(&sources, config, faults->error) : STATUS_OK;
    if (!status && to->made_from && strcmp(sources, to->made_from) == 0) {
        to->environment.from = &config->mesh;
        to->environment.inputs = config->inputs;
        free(sources);
        return STATUS_OK;
    }
    int made = to->made;
    problem_mesh_free(to);
    TRY_DONE(status);
    if (make_mesh(to, config, &inner))
        TRY_DONE(config_fault_found(faults, config, config_mesh_keys[config->mesh.kind], &inner));
    if (add_arrays(&to->mesh, config, &inner))
        TRY_DONE(config_fault_found(faults, config, config->mesh.columns ? "mesh.arrays" : "mesh", &inner));
    begin_environment(to, config);
    progress_stage(progress, "mesh");
    if (make_fibers(to, &config->tissue, &inner))
        TRY_DONE(config_fault_found(faults, config, "tissue.fibers", &inner));
    progress_stage(progress, "fibres");
    if (config->mesh.networks > 0) {
        TRY_DONE(lines_join(to, config, faults));
        environment_free(&to->environment); /* its arrays lack the networks' nodes */
        digest_blocks_free(&to->blocks);
        begin_environment(to, config);
    }
    if (to->blocks.count > 0)
        digest_mesh(&to->mesh, &to->blocks, to->sha256);
    to->read_seconds = clock_seconds() - begin;
    to->made_from = sources;
    to->made = made + 1;
    return STATUS_OK;
done:
    free(sources);
    return status;
}
