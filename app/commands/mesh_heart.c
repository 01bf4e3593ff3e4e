/* mesh_heart.c: a mesh as a heart: where in its walls the nodes are, and fibres by rule. */
#include "app/commands/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/units.h"
#include "app/config/value.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "app/meshio/mesh_file.h"
#include "app/meshio/mesh_report.h"
#include "app/problem/heart.h"
#include "app/problem/problem.h"
#include "app/util/options.h"
#include "app/util/own_file.h"
#include "app/util/path.h"
#include "kernels/base/array.h"
#include "solver/heart/electrodes.h"
#include "solver/heart/coordinates.h"
#include "solver/heart/rotation.h"
#include "solver/mesh/fibers.h"

struct heart_options {
    const char *scale, *surface[HEART_SURFACES];
    bool overwrite;
};

/* Options of both commands */
#define HEART_OPTIONS(given)                                                                                 \
    {"--scale", "LENGTH", "length of one unit in IN, e.g. 1mm", .text = &(given).scale},                     \
        {"--base", "MARK", "mark or name of the base's faces, or a file of node numbers",                    \
         .text = &(given).surface[HEART_BASE]},                                                              \
        {"--epi", "MARK", "the same for the epicardium", .text = &(given).surface[HEART_EPI]},               \
        {"--lv", "MARK", "the same for the endocardium of the left ventricle",                               \
         .text = &(given).surface[HEART_LV]},                                                                \
        {"--rv", "MARK",                                                                                     \
         "the same for the right ventricle; with none of these, surfaces are found by shape",                \
         .text = &(given).surface[HEART_RV]},                                                                \
        {"--apex", "MARK", "the same for the apex of a piece of wall",                                       \
         .text = &(given).surface[HEART_APEX]},                                                              \
        MESH_SOURCE_OVERWRITE((given).overwrite)

/* *mesh <- the file's mesh, *on <- its surfaces; prints a line for each surface */
static enum status read_heart(struct mesh *mesh, uint8_t **on, const char *path,
                              const struct heart_options *given, const struct array_selection *selection,
                              struct error *error)
{
    struct config_mesh from = {.kind = MESH_KIND_FILE};
    struct mesh_notes notes;
    double scale;
    TRY(mesh_source_length(&scale, "--scale", given->scale, error));
    for (int s = 0; s < HEART_SURFACES; s++)
        if (given->surface[s] && !value_surface(&from.surface[s], given->surface[s]))
            return error_set(error, STATUS_INPUT, "--%s: %.80s is not the mark of a face",
                             heart_surface_name((enum heart_surface)s), given->surface[s]);
    TRY(mesh_read(mesh, path, scale, selection, &notes, error));
    TRY(heart_surfaces(on, mesh, &from, NULL, error));
    for (int s = 0; s < HEART_SURFACES; s++) {
        enum heart_surface surface = (enum heart_surface)s;
        if (heart_surfaces_count(*on, mesh->nodes, surface))
            printf("%-5s %lld nodes\n", heart_surface_name(surface),
                   (long long)heart_surfaces_count(*on, mesh->nodes, surface));
    }
    return STATUS_OK;
}

static enum status write_coordinates(const char *path, const struct mesh *mesh, const uint8_t *on,
                                     const struct coordinates *coordinates, struct error *error)
{
    static const char *const distance[] = {"distance_base", "distance_epi", "distance_lv", "distance_rv",
                                           "distance_apex"};
    struct vtkhdf_field field[5 + HEART_SURFACES];
    enum status status = STATUS_OK;
    double *segment = NULL;
    int fields = 0;
    if (coordinates->transmural)
        field[fields++] = (struct vtkhdf_field){"transmural", "1", coordinates->transmural};
    if (coordinates->apicobasal)
        field[fields++] = (struct vtkhdf_field){"apicobasal", "1", coordinates->apicobasal};
    if (coordinates->interventricular)
        field[fields++] = (struct vtkhdf_field){"interventricular", "1", coordinates->interventricular};
    if (coordinates->rotational) {
        segment = array_new(mesh->nodes, sizeof *segment, "the segments", &status, error);
        TRY(status);
        TRY_DONE(rotation_segments(segment, coordinates, mesh, on, LOCATION_NODE, error));
        field[fields++] = (struct vtkhdf_field){"rotational", "1", coordinates->rotational};
        field[fields++] = (struct vtkhdf_field){"aha", "1", segment};
    }
    for (int s = 0; s < HEART_SURFACES; s++)
        if (coordinates->distance[s])
            field[fields++] = (struct vtkhdf_field){distance[s], "mm", coordinates->distance[s]};
    TRY_DONE(vtkhdf_mesh_write_with(path, mesh, field, fields, error));
    printf("%s: %lld nodes,", path, (long long)mesh->nodes);
    for (int f = 0; f < fields; f++)
        printf(" %s%s", field[f].name, f + 1 < fields ? "," : "\n");
done:
    free(segment);
    return status;
}

/* Prints electrodes in the format of a config, with three digits. */
static void print_electrodes(const struct mesh *mesh, const uint8_t *on)
{
    struct chest_electrode electrode[CHEST_ELECTRODES];
    int count = chest_electrodes_place(electrode, mesh, on);
    for (int e = 0; e < count; e++)
        printf("%s%s: [%.3g mm, %.3g mm, %.3g mm]%s", e ? ", " : "electrodes: {", electrode[e].name,
               electrode[e].point[0], electrode[e].point[1], electrode[e].point[2],
               e + 1 < count ? "" : "}\n");
}

/* Writes the mesh of a config with the fields of mesh.laplace */
static enum status write_fields(const char *path, const char *to, struct error *error)
{
    struct config config = {0};
    struct problem_mesh from = {0};
    struct faults faults = {.error = error};
    struct vtkhdf_field *field = NULL;
    enum status status;
    TRY_DONE(config_read(&config, path, NULL, 0, error));
    config.tissue.fibers = FIBERS_UNIFORM; /* the fibre rules are not needed */
    config.tissue.fiber_rules = 0;
    if (config.mesh.laplaces == 0)
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: mesh.laplace names no field", path));
    TRY_DONE(problem_mesh_make(&from, false, &config, NULL, &faults));
    field = array_zeroed(config.mesh.laplaces, sizeof *field, "the fields", &status, error);
    TRY_DONE(status);
    for (int k = 0; k < config.mesh.laplaces; k++) {
        const struct config_laplace *laplace = &config.mesh.laplace[k];
        field[k] = (struct vtkhdf_field){laplace->key, "1", NULL};
        TRY_DONE(environment_laplace(&from.environment, k, &field[k].value, error));
        printf("%s: 0 on", laplace->key);
        for (int s = 0; s < laplace->froms; s++)
            printf("%s %s", s ? "," : "", laplace->from[s]);
        printf("; 1 on");
        for (int s = 0; s < laplace->tos; s++)
            printf("%s %s", s ? "," : "", laplace->to[s]);
        putchar('\n');
    }
    TRY_DONE(vtkhdf_mesh_write_with(to, &from.mesh, field, config.mesh.laplaces, error));
    printf("%s: %lld nodes\n", to, (long long)from.mesh.nodes);
done:
    free(field);
    problem_mesh_free(&from);
    config_free(&config);
    return status;
}

enum status mesh_heart_coordinates(int argc, char **argv, struct error *error)
{
    struct heart_options given = {0};
    const struct option options[] = {HEART_OPTIONS(given), {.name = NULL}};
    const struct usage usage = {
        "mesh coordinates IN OUT.vtkhdf [options]",
        "Writes the heart IN with coordinates at its nodes: transmural (0 endocardium, 1 epicardium), "
        "apicobasal\n(0 apex, 1 base), interventricular (0 left, 1 right), rotational (once around the left "
        "ventricle), "
        "its 17 segments\n(aha) and the distance to each surface. Prints positions of chest electrodes "
        "around the "
        "heart for an ECG.\n"
        "Of a config (IN.yaml), writes its mesh with the fields of mesh.laplace instead.",
        options, 2, 2};
    struct mesh mesh = {0};
    struct coordinates coordinates = {0};
    uint8_t *on = NULL;
    bool help;
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    size_t length = strlen(argv[2]);
    if (length < 8 || strcmp(argv[2] + length - 7, ".vtkhdf") != 0)
        return error_set(error, STATUS_INPUT, "%s: coordinates are written to .vtkhdf", argv[2]);
    if (!given.overwrite && access(argv[2], F_OK) == 0)
        return error_set(error, STATUS_INPUT, "%s exists; --overwrite replaces it", argv[2]);
    if (own_file_same(argv[1], argv[2]))
        return error_set(error, STATUS_INPUT, "%s: the output would replace the mesh; choose another name",
                         argv[2]);
    if (path_ends_in(argv[1], ".yaml")) {
        for (int s = 0; s < HEART_SURFACES; s++)
            if (given.surface[s] || given.scale)
                return error_set(error, STATUS_INPUT,
                                 "options name surfaces and the scale of a mesh; a config has its own");
        return write_fields(argv[1], argv[2], error);
    }
    TRY_DONE(read_heart(&mesh, &on, argv[1], &given, NULL, error));
    TRY_DONE(coordinates_make(&coordinates, &mesh, on, COORDINATES_ALL, error));
    TRY_DONE(write_coordinates(argv[2], &mesh, on, &coordinates, error));
    print_electrodes(&mesh, on);
done:
    coordinates_free(&coordinates);
    mesh_free(&mesh);
    free(on);
    return status;
}

/* angle[2] <- "60deg,-60deg" */
static enum status read_angles(double angle[2], const char *name, const char *text, struct error *error)
{
    char token[2][40] = {"", ""};
    struct error fault = {0};
    if (!text)
        return STATUS_OK;
    size_t length = strcspn(text, ",");
    snprintf(token[0], sizeof token[0], "%.*s", (int)(length < 39 ? length : 39), text);
    snprintf(token[1], sizeof token[1], "%.39s", text[length] ? text + length + 1 : "");
    for (int k = 0; k < 2; k++)
        if (units_read_as(&angle[k], token[k], "deg", &fault) || !(fabs(angle[k]) <= 90))
            return error_set(error, STATUS_INPUT,
                             "%s must be two angles of at most 90 deg, for example %s 60deg,-60deg", name,
                             name);
    return STATUS_OK;
}

enum status mesh_heart_fibers(int argc, char **argv, struct error *error)
{
    static const struct array_selection all = {.all = true, .keep_lines = true};
    struct heart_options given = {0};
    struct ldrb angles = ldrb_default();
    const char *fiber = NULL, *sheet = NULL;
    const struct option options[] = {
        HEART_OPTIONS(given),
        {"--fiber", "ANGLES", "angles of the fibres on endo- and epicardium (40deg,-50deg)", .text = &fiber},
        {"--sheet", "ANGLES", "angles of the sheets (-65deg,25deg)", .text = &sheet},
        {.name = NULL}};
    const struct usage usage = {
        "mesh fibers IN OUT [options]",
        "Writes the heart IN with rule-based fibres and sheets (Bayer et al. 2012), one per element.",
        options, 2, 2};
    struct mesh mesh = {0};
    struct coordinates coordinates = {0};
    uint8_t *on = NULL;
    int64_t filled;
    bool help;
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    TRY_DONE(read_angles(angles.fiber, "--fiber", fiber, error));
    TRY_DONE(read_angles(angles.sheet, "--sheet", sheet, error));
    TRY_DONE(read_heart(&mesh, &on, argv[1], &given, &all, error));
    TRY_DONE(ldrb_fibers(&mesh, on, &coordinates, &angles, error));
    TRY_DONE(mesh_fill_fibers(&mesh, &filled, error));
    if (filled)
        printf("%lld elements where the rule is undefined take the fibres of the nearest element\n",
               (long long)filled);
    status = mesh_source_write(&mesh, argv[2], argv[1], given.overwrite, error);
done:
    coordinates_free(&coordinates);
    mesh_free(&mesh);
    free(on);
    return status;
}
