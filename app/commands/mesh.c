/* mesh.c: `cardiac mesh ...`: look at meshes, convert, generate and refine them. */
#include "app/util/command.h"

#include "app/commands/mesh.h"
#include "app/config/units.h"
#include "app/meshio/mesh_file.h"
#include "app/meshio/mesh_report.h"
#include "app/problem/node_list.h"
#include "app/util/options.h"
#include "kernels/base/array.h"
#include "solver/mesh/neighbours.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/refine.h"
#include "solver/mesh/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* size[count] <- "20 mm, 7 mm, 3 mm" */
static enum status read_size(double *size, int count, const char *text, struct error *error)
{
    for (int d = 0; d < count; d++) {
        char token[64];
        int length = text ? (int)strcspn(text, ",") : 0;
        if (length == 0 || length >= (int)sizeof token || (text[length] == ',') != (d + 1 < count))
            return error_set(error, STATUS_INPUT, "--size must be %d length%s, for example --size %s", count,
                             count == 1 ? "" : "s with commas between them",
                             count == 1   ? "20mm"
                             : count == 2 ? "20mm,7mm"
                                          : "20mm,7mm,3mm");
        snprintf(token, sizeof token, "%.*s", length, text);
        enum status status = mesh_source_length(&size[d], "--size", token, error);
        if (status)
            return status;
        text += length + 1;
    }
    return STATUS_OK;
}

static enum status info(int argc, char **argv, struct error *error)
{
    struct mesh_source source = {0};
    const struct option options[] = {MESH_SOURCE_OPTIONS(source), {.name = NULL}};
    const struct usage usage = {
        "mesh info FILE [options]",
        "Prints the statistics of a mesh, its faults, and whether it can be simulated.", options, 1, 1};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    struct error fault = {0};
    bool help;
    double mm;
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    TRY_DONE(mesh_source_length(&mm, "--scale", source.scale, error));
    TRY_DONE(mesh_load(&mesh, argv[1], mm, &source.selection, &notes, error));
    TRY_DONE(mesh_check(&mesh, &notes.health, error));
    if (notes.health.out_of_range || notes.health.not_finite || notes.health.repeated) {
        TRY_DONE(mesh_report_faults(stdout, &mesh, &notes.health, error));
    } else {
        TRY_DONE(mesh_report(stdout, &mesh, &notes, NULL, error));
        TRY_DONE(mesh_report_shape(stdout, &mesh, error));
    }
    status = mesh_health_verdict(&notes.health, &fault)
                 ? error_set(error, STATUS_INPUT, "%s: %s", argv[1], fault.text)
                 : STATUS_OK;
done:
    mesh_free(&mesh);
    return status;
}

static enum status convert(int argc, char **argv, struct error *error)
{
    struct mesh_source source = {0};
    bool to_elements = false, overwrite = false, help;
    const struct option options[] = {
        MESH_SOURCE_OPTIONS(source),
        {"--fibers-to-elements", NULL, "average fibres at nodes to the elements", .flag = &to_elements},
        MESH_SOURCE_OVERWRITE(overwrite),
        {.name = NULL}};
    const struct usage usage = {"mesh convert IN OUT [options]",
                                "Writes the mesh IN in the format of OUT's extension. Lengths in OUT are "
                                "millimetres, micrometres\nfor openCARP.",
                                options, 2, 2};
    struct mesh mesh = {0};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    TRY_DONE(mesh_source_read(&mesh, argv[1], &source, error));
    if (to_elements)
        TRY_DONE(mesh_fibers_to_elements(&mesh, error));
    status = mesh_source_write(&mesh, argv[2], argv[1], overwrite, error);
done:
    mesh_free(&mesh);
    return status;
}

/* Lists of nodes that follow a mesh as it is refined */
struct lists {
    const struct option_list *path;
    uint8_t **chosen; /* [path->count][nodes] */
};

static void free_lists(struct lists *lists)
{
    for (int k = 0; lists->chosen && k < lists->path->count; k++)
        free(lists->chosen[k]);
    free(lists->chosen);
}

static enum status read_lists(struct lists *lists, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    lists->chosen =
        array_zeroed(lists->path->count, sizeof *lists->chosen, "the lists of nodes", &status, error);
    for (int k = 0; k < lists->path->count && !status; k++) {
        lists->chosen[k] = array_zeroed(nodes, 1, "a list of nodes", &status, error);
        if (!status)
            status = node_list_read(lists->path->item[k], nodes, lists->chosen[k], NULL, error);
    }
    return status;
}

/* Adds to each list the midpoint of every edge whose two ends are in the list. */
static enum status refine_lists(struct lists *lists, const struct mesh *mesh, struct error *error)
{
    struct mesh_edges edges = {0};
    enum status status;
    TRY_DONE(mesh_edges_create(&edges, mesh, error));
    for (int k = 0; k < lists->path->count; k++) {
        const uint8_t *old = lists->chosen[k];
        uint8_t *chosen = array_zeroed(mesh->nodes + edges.count, 1, "a list of nodes", &status, error);
        TRY_DONE(status);
        memcpy(chosen, old, (size_t)mesh->nodes);
        for (int64_t a = 0; a < mesh->nodes; a++)
            for (int64_t j = edges.first[a]; j < edges.first[a + 1]; j++)
                chosen[mesh->nodes + j] = old[a] && old[edges.other[j]];
        free(lists->chosen[k]);
        lists->chosen[k] = chosen;
    }
done:
    mesh_edges_free(&edges);
    return status;
}

static enum status write_lists(const struct lists *lists, const char *to, int64_t nodes, bool overwrite,
                               struct error *error)
{
    char out[4096];
    bool gzipped;
    for (int k = 0; k < lists->path->count; k++) {
        mesh_source_list(out, to, lists->path->item[k], &gzipped);
        TRY(node_list_write(out, gzipped, lists->path->item[k], lists->chosen[k], nodes, overwrite, error));
    }
    return STATUS_OK;
}

/* Refines `times` times and then until the mean edge is at most `edge` mm. Checks first that the result fits in
 * memory. */
static enum status refine_to(struct mesh *mesh, struct lists *lists, double edge, int times,
                             struct error *error)
{
    double mean = 0;
    TRY(mesh_mean_edge(mesh, &mean, error));
    int most = mean > edge ? (int)ceil(log2(mean / edge)) : times < 100 ? times : 100;
    TRY(mesh_forecast(mesh->dimension, (double)mesh->nodes,
                      ldexp((double)mesh->elements, mesh->dimension * most), 0, error));
    TRY(read_lists(lists, mesh->nodes, error));
    for (int i = 0; i < times || mean > edge; i++) {
        struct mesh fine = {0};
        if (lists->path->count > 0)
            TRY(refine_lists(lists, mesh, error));
        enum status status = mesh_refine(&fine, mesh, error);
        mesh_free(mesh);
        *mesh = fine; /* empty after a failure */
        TRY(status);
        TRY(mesh_mean_edge(mesh, &mean, error));
    }
    if (edge < HUGE_VAL)
        printf("mean edge %.4g mm\n", mean);
    return STATUS_OK;
}

static enum status refine(int argc, char **argv, struct error *error)
{
    struct mesh_source source = {0};
    const char *edge_text = NULL;
    struct option_list paths = {0};
    struct lists lists = {.path = &paths};
    int times = -1;
    double edge;
    bool overwrite = false, help;
    const struct option options[] = {
        MESH_SOURCE_OPTIONS(source),
        {"--times", "N", "how often (1)", .number = &times},
        {"--edge", "LENGTH", "refine until the mean edge is at most LENGTH, e.g. 0.4mm", .text = &edge_text},
        {"--lists", "FILE",
         "write a list of nodes (.vtx or numbers), and the middles of edges between two of them, as "
         "OUT_FILE; "
         "repeatable",
         .list = &paths},
        MESH_SOURCE_OVERWRITE(overwrite),
        {.name = NULL}};
    const struct usage usage = {
        "mesh refine IN OUT [options]",
        "Halves every edge: two lines for one, four triangles, eight tetrahedra (the inner "
        "ones around the\nshortest diagonal). Tags, fibres and arrays are copied.",
        options, 2, 2};
    struct mesh mesh = {0};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        goto done;
    if (edge_text && times >= 0)
        TRY_DONE(error_set(error, STATUS_INPUT, "--times cannot be combined with --edge"));
    TRY_DONE(mesh_source_length(&edge, "--edge", edge_text, error));
    TRY_DONE(mesh_source_read(&mesh, argv[1], &source, error));
    TRY_DONE(refine_to(&mesh, &lists, edge_text ? edge : HUGE_VAL,
                       edge_text   ? 0
                       : times < 0 ? 1
                                   : times,
                       error));
    TRY_DONE(mesh_source_write(&mesh, argv[2], argv[1], overwrite, error));
    status = write_lists(&lists, argv[2], mesh.nodes, overwrite, error);
done:
    free_lists(&lists);
    free(paths.item);
    mesh_free(&mesh);
    return status;
}

/* `cardiac mesh cable`, `sheet` or `slab`, as argv[0] says */
static enum status generate(int argc, char **argv, struct error *error)
{
    static const struct {
        const char *name, *size, *synopsis, *summary;
    } kinds[] = {{"cable", "20mm", "mesh cable OUT --size LENGTH --spacing LENGTH", "Lines along x."},
                 {"sheet", "20mm,7mm", "mesh sheet OUT --size LENGTHS --spacing LENGTH",
                  "A rectangle of squares, each cut into two triangles."},
                 {"slab", "20mm,7mm,3mm", "mesh slab OUT --size LENGTHS --spacing LENGTH",
                  "A block of cubes, each cut into six tetrahedra."}};
    const char *size_text = NULL, *spacing_text = NULL;
    bool overwrite = false, help;
    int k = 0;
    while (strcmp(argv[0], kinds[k].name) != 0)
        k++;
    const struct option options[] = {
        {"--size", "LENGTHS", kinds[k].size, .text = &size_text},
        {"--spacing", "LENGTH", "distance between nodes, e.g. 0.5mm", .text = &spacing_text},
        MESH_SOURCE_OVERWRITE(overwrite),
        {.name = NULL}};
    const struct usage usage = {kinds[k].synopsis, kinds[k].summary, options, 1, 1};
    struct mesh mesh = {0};
    double size[3], spacing;
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    if (!spacing_text)
        return error_set(error, STATUS_INPUT, "--spacing is missing, for example --spacing 0.5mm");
    TRY_DONE(read_size(size, k + 1, size_text, error));
    TRY_DONE(mesh_source_length(&spacing, "--spacing", spacing_text, error));
    TRY_DONE(k == 0   ? mesh_cable(&mesh, size[0], spacing, error)
             : k == 1 ? mesh_sheet(&mesh, size, spacing, error)
                      : mesh_slab(&mesh, size, spacing, error));
    status = mesh_source_write(&mesh, argv[1], NULL, overwrite, error);
done:
    mesh_free(&mesh);
    return status;
}

static enum status ellipsoid(int argc, char **argv, struct error *error)
{
    const char *size_text = NULL, *edge_text = NULL;
    bool overwrite = false, help;
    const struct option options[] = {
        {"--size", "LENGTHS", "radius and depth of the cavity, thickness of the wall, e.g. 20mm,50mm,10mm",
         .text = &size_text},
        {"--edge", "LENGTH", "approximate edge length", .text = &edge_text},
        MESH_SOURCE_OVERWRITE(overwrite),
        {.name = NULL}};
    const struct usage usage = {
        "mesh ellipsoid OUT --size LENGTHS --edge LENGTH",
        "A left ventricle: half an ellipsoid and a quarter, cut flat at the base. Marked "
        "faces: 1 base,\n2 epicardium, 3 endocardium.",
        options, 1, 1};
    struct mesh mesh = {0};
    double size[3], edge;
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    if (status || help)
        return status;
    if (!edge_text)
        return error_set(error, STATUS_INPUT, "--edge is missing, for example --edge 2mm");
    TRY_DONE(read_size(size, 3, size_text, error));
    TRY_DONE(mesh_source_length(&edge, "--edge", edge_text, error));
    TRY_DONE(mesh_ellipsoid(&mesh, size, edge, error));
    status = mesh_source_write(&mesh, argv[1], NULL, overwrite, error);
done:
    mesh_free(&mesh);
    return status;
}

static const struct command commands[] = {
    {"info", "statistics of a mesh", info},
    {"convert", "convert a mesh to another format", convert},
    {"repair", "find the faults of a mesh and mend those that are named", mesh_repair_command},
    {"refine", "halve every edge of a mesh", refine},
    {"extract", "extract regions or a part of a mesh", mesh_extract_command},
    {"surface", "extract the boundary of a mesh", mesh_surface_command},
    {"coordinates", "compute the coordinates of a heart", mesh_heart_coordinates},
    {"fibers", "compute the fibres of a heart by rule", mesh_heart_fibers},
    {"ellipsoid", "generate a left ventricle of tetrahedra", ellipsoid},
    {"slab", "generate a block of tetrahedra", generate},
    {"sheet", "generate a rectangle of triangles", generate},
    {"cable", "generate a row of lines", generate},
    {0},
};

enum status command_mesh(int argc, char **argv, struct error *error)
{
    if (argc > 1 && strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0) {
        const struct command *command = command_find(commands, "mesh", argv[1], error);
        return command ? command->run(argc - 1, argv + 1, error) : STATUS_INPUT;
    }
    FILE *out = argc > 1 ? stdout : stderr;
    fprintf(out, "Usage: cardiac mesh COMMAND ...\n\n");
    command_print(out, commands);
    fprintf(
        out,
        "\nFormats by extension, plain or .gz: .msh (Gmsh 2.2, 4.1), .node/.ele/.face/.edge/.fib (TetGen),\n"
        ".pts/.elem/.lon/.surf (openCARP, micrometres), .vtk, .vtu, .vtp (VTK); .vtkhdf (results).\n"
        "cardiac mesh COMMAND --help   how to use one\n");
    return argc > 1 ? STATUS_OK : error_set(error, STATUS_INPUT, "mesh needs a command");
}
