/* mesh_repair.c: `cardiac mesh repair`: prints the faults of a mesh, and mends those that are named. */
#include "app/commands/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/meshio/mesh_report.h"
#include "app/problem/node_list.h"
#include "kernels/base/array.h"
#include "solver/mesh/repair.h"
#include "solver/mesh/stats.h"

struct repair {
    struct mesh_source source;
    struct mesh_repair wanted;
    const char *merge, *collapse;
    struct option_list lists;
    bool overwrite;
};

static enum status read_lengths(struct repair *repair, const struct mesh *mesh, struct error *error)
{
    const double lengths[] = {repair->wanted.merge, repair->wanted.collapse};
    double mean = 0;
    TRY(mesh_mean_edge(mesh, &mean, error));
    for (int k = 0; k < 2; k++)
        if (lengths[k] > mean / 2)
            return error_set(error, STATUS_INPUT,
                             "%s %s: more than half of the mean edge, %.4g mm; is the unit right?",
                             k ? "--collapse" : "--merge", k ? repair->collapse : repair->merge, mean);
    return STATUS_OK;
}

static const char *position_text(char text[100], const double *point, int64_t node)
{
    snprintf(text, 100, "node %lld (counted from 0) at (%.6g, %.6g, %.6g) mm", (long long)node, point[0],
             point[1], point[2]);
    return text;
}

static void print_count(int64_t count, const char *one, const char *many)
{
    if (count)
        printf("%lld %s\n", (long long)count, count == 1 ? one : many);
}

/* Returns whether anything was changed */
static bool print_done(const struct mesh_repaired *done, const struct mesh *mesh)
{
    char position[100];
    print_count(done->merged, "node merged with another", "nodes merged with others");
    if (done->apart)
        printf("%lld node%s left where another is near: an element joins them, or their elements have "
               "different tags "
               "(--across merges them, too); the first is %s\n",
               (long long)done->apart, done->apart == 1 ? "" : "s",
               position_text(position, mesh->point + 3 * done->apart_node, done->apart_node));
    print_count(done->collapsed, "edge collapsed", "edges collapsed");
    if (done->short_edges)
        printf("%lld short edge%s left: an element would be folded or a hole closed, or tags differ "
               "(--across); the "
               "shortest is at %s\n",
               (long long)done->short_edges, done->short_edges == 1 ? "" : "s",
               position_text(position, mesh->point + 3 * done->edge_node, done->edge_node));
    print_count(done->repeated, "element removed: two of its nodes are one",
                "elements removed: two of their nodes are one");
    print_count(done->flat, "element removed: no length, area or volume",
                "elements removed: no length, area or volume");
    print_count(done->duplicates, "element removed: given twice", "elements removed: given twice");
    print_count(done->loose, "loose node dropped", "loose nodes dropped");
    print_count(done->orphans, "node removed with its last element",
                "nodes removed with their last elements");
    return done->merged || done->collapsed || done->repeated || done->flat || done->duplicates || done->loose;
}

/* Checks the lists. Errors: STATUS_INPUT if one does not fit the original mesh, which has `nodes` nodes */
static enum status check_lists(const struct option_list *lists, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    uint8_t *chosen = array_zeroed(nodes, 1, "a list of nodes", &status, error);
    for (int k = 0; k < lists->count && !status; k++)
        status = node_list_read(lists->item[k], nodes, chosen, NULL, error);
    free(chosen);
    return status;
}

/* Writes the list of nodes at `path` again, with the node numbers of the repaired mesh. */
static enum status move_list(const char *path, const char *to, const struct mesh_repaired *done,
                             int64_t nodes, const struct mesh *mesh, bool overwrite, struct error *error)
{
    char out[4096];
    bool gzipped;
    enum status status = STATUS_OK;
    int64_t before = 0, after = 0;
    uint8_t *chosen = array_zeroed(nodes, 1, "a list of nodes", &status, error);
    uint8_t *moved = array_zeroed(mesh->nodes, 1, "a list of nodes", &status, error);
    TRY_DONE(status);
    TRY_DONE(node_list_read(path, nodes, chosen, NULL, error));
    mesh_source_list(out, to, path, &gzipped);
    for (int64_t i = 0; i < nodes; i++) {
        before += chosen[i];
        if (chosen[i] && done->new_index[i] >= 0)
            moved[done->new_index[i]] = 1;
    }
    for (int64_t i = 0; i < mesh->nodes; i++)
        after += moved[i];
    TRY_DONE(node_list_write(out, gzipped, path, moved, mesh->nodes, overwrite, error));
    printf("%s%s: %lld nodes, of %lld in %s\n", out, gzipped ? ".gz" : "", (long long)after,
           (long long)before, path);
done:
    free(chosen);
    free(moved);
    return status;
}

static enum status mend(struct repair *repair, struct mesh *mesh, const char *in, const char *out,
                        struct error *error)
{
    struct mesh_repaired done = {0};
    struct mesh_health health;
    const int64_t nodes = mesh->nodes;
    enum status status = STATUS_OK;
    TRY_DONE(read_lengths(repair, mesh, error));
    TRY_DONE(check_lists(&repair->lists, nodes, error));
    TRY_DONE(mesh_repair(mesh, &repair->wanted, &done, error));
    if (!print_done(&done, mesh))
        printf("nothing to mend by these options\n");
    TRY_DONE(mesh_check(mesh, &health, error));
    TRY_DONE(mesh_report_faults(stdout, mesh, &health, error));
    TRY_DONE(mesh_source_write(mesh, out, in, repair->overwrite, error));
    for (int k = 0; k < repair->lists.count; k++)
        TRY_DONE(move_list(repair->lists.item[k], out, &done, nodes, mesh, repair->overwrite, error));
done:
    mesh_repaired_free(&done);
    return status;
}

/* Reads and checks the mesh, then repairs it or only reports its faults */
static enum status read_and_mend(struct repair *repair, const char *in, const char *out, bool named,
                                 struct error *error)
{
    struct mesh mesh = {0};
    struct mesh_notes notes;
    double scale_mm;
    enum status status = STATUS_OK;
    repair->source.selection.all = true;
    repair->source.selection.keep_lines = true;
    TRY_DONE(mesh_source_length(&scale_mm, "--scale", repair->source.scale, error));
    TRY_DONE(mesh_source_length(&repair->wanted.merge, "--merge", repair->merge, error));
    TRY_DONE(mesh_source_length(&repair->wanted.collapse, "--collapse", repair->collapse, error));
    TRY_DONE(mesh_load(&mesh, in, scale_mm, &repair->source.selection, &notes, error));
    TRY_DONE(mesh_check(&mesh, &notes.health, error));
    if (notes.health.out_of_range || notes.health.not_finite)
        TRY_DONE(mesh_health_verdict(&notes.health, error));
    print_count(notes.health.turned, "tetrahedron with a negative volume turned",
                "tetrahedra with negative volumes turned");
    for (int d = 1; d < 3; d++)
        if (notes.strays[d])
            printf("%lld %s removed: not a side of any element\n", (long long)notes.strays[d],
                   mesh_elements_name(d));
    if (named) {
        TRY_DONE(mend(repair, &mesh, in, out, error));
        goto done;
    }
    TRY_DONE(mesh_report_faults(stdout, &mesh, &notes.health, error));
    printf("nothing was written: name the repairs and OUT\n");
done:
    mesh_free(&mesh);
    return status;
}

enum status mesh_repair_command(int argc, char **argv, struct error *error)
{
    struct repair repair = {0};
    bool help;
    int count = 0;
    const struct option options[] = {
        {"--merge", "LENGTH", "join nodes at most LENGTH apart that no element joins, such as 1nm",
         .text = &repair.merge},
        {"--collapse", "LENGTH", "shrink edges below LENGTH to a node, and remove flat elements",
         .text = &repair.collapse},
        {"--drop-duplicates", NULL, "keep one of elements with the same nodes",
         .flag = &repair.wanted.duplicates},
        {"--drop-loose", NULL, "remove nodes that belong to no element", .flag = &repair.wanted.loose},
        {"--drop-stray", NULL, "remove lines and triangles that are not a side of an element",
         .flag = &repair.source.selection.drop_stray},
        {"--across", NULL, "join also nodes whose elements have different tags or that an element joins",
         .flag = &repair.wanted.across},
        {"--lists", "FILE", "rewrite a list of nodes (.vtx or numbers) as OUT_FILE; repeatable",
         .list = &repair.lists},
        MESH_SOURCE_OPTIONS(repair.source),
        MESH_SOURCE_OVERWRITE(repair.overwrite),
        {.name = NULL}};
    const struct usage usage = {"mesh repair IN [OUT] [options]",
                                "Prints the faults of a mesh: without a named part nothing is written. The "
                                "first of nodes that become one "
                                "keeps\nits place and number of old; OUT has the old numbers as the arrays "
                                "old_node and old_element. Repairing "
                                "OUT again\nchanges nothing.",
                                options, 1, 2};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        goto done;
    bool named = repair.merge || repair.collapse || repair.wanted.duplicates || repair.wanted.loose ||
                 repair.source.selection.drop_stray;
    if (named && count < 2)
        status =
            error_set(error, STATUS_INPUT, "mesh repair: OUT is missing: where the mended mesh is written");
    else if (!named && (repair.lists.count || repair.wanted.across))
        status = error_set(error, STATUS_INPUT,
                           "mesh repair: nothing is named that changes the mesh, such as --merge 1nm");
    else
        status = read_and_mend(&repair, argv[1], argv[2], named, error);
done:
    free(repair.lists.item);
    return status;
}
