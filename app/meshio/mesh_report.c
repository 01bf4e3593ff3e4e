/* mesh_report.c: the output of `cardiac mesh info`. */
#include "app/meshio/mesh_report.h"

#include <stdlib.h>

#include "app/meshio/split.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "solver/mesh/openings.h"
#include "solver/mesh/stats.h"

enum { TAGS_SHOWN = 40 };

const char *mesh_elements_name(int dimension)
{
    static const char *const name[] = {"points", "lines", "triangles", "tetrahedra"};
    return name[dimension];
}

const char *mesh_elements_text(char text[120], const struct mesh *mesh)
{
    int64_t count[4];
    mesh_count_dimensions(mesh, count);
    return mesh_counts_text(text, count);
}

const char *mesh_counts_text(char text[120], const int64_t count[4])
{
    text[0] = 0;
    for (int d = 3; d > 0; d--)
        if (count[d] > 0)
            printed_item(text, 120, "%lld %s", (long long)count[d], mesh_elements_name(d));
    return text;
}

/* "3", or "3 (septum)" */
static const char *tag_text(char text[120], const struct mesh *mesh, int dimension, int64_t tag)
{
    const char *name = mesh_names_of(&mesh->names, dimension, (int32_t)tag);
    snprintf(text, 120, name ? "%lld (%.90s)" : "%lld", (long long)tag, name);
    return text;
}

static void report_regions(FILE *out, const struct mesh_stats *stats, const struct mesh *mesh)
{
    int dimension = mesh->dimension;
    char text[120];
    static const char *const unit[] = {"", "mm", "mm^2", "mm^3"};
    static const char *const measure[] = {"", "length", "area", "volume"};
    fprintf(out, "%-10s %.9g %s\n", measure[dimension], stats->measure, unit[dimension]);
    for (int t = 0; t < stats->tags && t < TAGS_SHOWN; t++) {
        const struct tag_stats *tag = &stats->tag[t];
        fprintf(out, "%-10s tag %s: %lld %s, %.9g %s\n", t == 0 ? "regions" : "",
                tag_text(text, mesh, tag->dimension, tag->tag), (long long)tag->elements,
                mesh_elements_name(tag->dimension), tag->measure, unit[tag->dimension]);
    }
    if (stats->tags > TAGS_SHOWN)
        fprintf(out, "%-10s and %d further tags\n", "", stats->tags - TAGS_SHOWN);
}

/* The lowest mark above `last`; INT64_MAX if there is none */
static int64_t next_mark(const struct mesh *mesh, int64_t last)
{
    int64_t next = INT64_MAX;
    for (int64_t f = 0; f < mesh->faces; f++)
        if (mesh->mark[f] > last && mesh->mark[f] < next)
            next = mesh->mark[f];
    return next;
}

/* The rims of a shell */
static enum status report_openings(FILE *out, const struct mesh *mesh, struct error *error)
{
    struct openings openings;
    enum status status = mesh->dimension == 2 ? openings_find(&openings, mesh, error) : STATUS_OK;
    if (mesh->dimension != 2)
        return STATUS_OK;
    for (int k = 0; k < openings.all && k < TAGS_SHOWN && !status; k++) {
        const struct opening *rim = &openings.item[k];
        if (rim->closed)
            fprintf(out, "%-10s opening(%d): ", k ? "" : "openings", k + 1);
        else
            fprintf(out, "%-10s a rim that is not closed: ", k ? "" : "openings");
        fprintf(out, "%.4g mm long, centre at (%.5g, %.5g, %.5g) mm, %lld nodes\n", rim->perimeter,
                rim->centre[0], rim->centre[1], rim->centre[2], (long long)rim->nodes);
    }
    if (openings.all > TAGS_SHOWN)
        fprintf(out, "%-10s and %d more\n", "", openings.all - TAGS_SHOWN);
    openings_free(&openings);
    return status;
}

static void report_marks(FILE *out, const struct mesh *mesh)
{
    int64_t mark = INT64_MIN;
    char text[120];
    for (int shown = 0; shown < TAGS_SHOWN && (mark = next_mark(mesh, mark)) != INT64_MAX; shown++) {
        int64_t faces = 0;
        for (int64_t f = 0; f < mesh->faces; f++)
            faces += mesh->mark[f] == mark;
        fprintf(out, "%-10s mark %s: %lld %s\n", shown ? "" : "surfaces",
                tag_text(text, mesh, mesh->dimension - 1, mark), (long long)faces,
                mesh_elements_name(mesh->dimension - 1));
    }
}

/* given: description of the fibres from a config, NULL = derived from the mesh */
static void report_fibers(FILE *out, const struct mesh *mesh, const char *given)
{
    static const char *const given_at[] = {"none", "one per node", "one per element"};
    int64_t count = mesh->fiber_location == LOCATION_NODE ? mesh->nodes : mesh->elements, zero = 0;
    bool sheets = false;
    if (given) {
        fprintf(out, "%-10s %s\n", "fibres", given);
        return;
    }
    for (int64_t i = 0; mesh->sheet && i < 3 * count && !sheets; i++)
        sheets = mesh->sheet[i] != 0;
    for (int64_t i = 0; mesh->fiber && i < count; i++)
        zero += mesh->fiber[3 * i] == 0 && mesh->fiber[3 * i + 1] == 0 && mesh->fiber[3 * i + 2] == 0;
    if (mesh->fiber && zero == count) {
        fprintf(out, "%-10s none: all are zero\n", "fibres");
        return;
    }
    fprintf(out, "%-10s %s%s", "fibres", given_at[mesh->fiber_location],
            sheets ? ", with sheet directions" : "");
    if (zero)
        fprintf(out, ", %lld of them zero", (long long)zero);
    fprintf(out, "\n");
}

static void report_fields(FILE *out, const struct mesh *mesh)
{
    for (int f = 0; f < mesh->fields.count; f++) {
        const struct mesh_field *field = mesh->fields.item + f;
        fprintf(out, "%-10s %s, %s", f ? "" : "arrays", field->name,
                field->location == LOCATION_NODE ? "at nodes" : "at elements");
        fprintf(out, field->components > 1 ? ", %d components\n" : "\n", field->components);
    }
}

int64_t mesh_notes_left(const struct mesh_notes *notes, const struct mesh *mesh, int dimension)
{
    return notes->dropped[dimension] - (dimension + 1 == mesh->dimension ? mesh->faces : 0);
}

static void report_notes(FILE *out, const struct mesh_notes *notes, const struct mesh *mesh)
{
    for (int d = 0; d < 3; d++)
        if (mesh_notes_left(notes, mesh, d))
            fprintf(out, "%-10s %lld %s of the file left out: not tissue%s%s\n", "note",
                    (long long)mesh_notes_left(notes, mesh, d), mesh_elements_name(d),
                    d == 1 && notes->lines[0] ? ": " : "", d == 1 ? notes->lines : "");
    for (int type = 0; type < SPLIT_TYPES; type++)
        if (notes->split[type])
            fprintf(out, "%-10s %lld %s split into %s\n", "note", (long long)notes->split[type],
                    split_shape(type).name, mesh_elements_name(split_shape(type).dimension));
    if (notes->ignored[0])
        fprintf(out, "%-10s not used: %s\n", "note", notes->ignored);
}

/* The part with the fewest nodes */
static enum status report_smallest_component(FILE *out, const struct mesh *mesh, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t least = -1;
    int32_t *component = array_new(mesh->nodes, sizeof *component, "the parts of the mesh", &status, error);
    int64_t *count = array_zeroed(mesh->nodes, sizeof *count, "the parts of the mesh", &status, error);
    TRY_DONE(status);
    mesh_components(component, mesh);
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (component[i] >= 0)
            count[component[i]]++;
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (count[i] && (least < 0 || count[i] < count[least]))
            least = i;
    if (least >= 0)
        fprintf(out, "%-10s the smallest part has %lld nodes and is at (%.6g, %.6g, %.6g) mm\n", "",
                (long long)count[least], mesh->point[3 * least], mesh->point[3 * least + 1],
                mesh->point[3 * least + 2]);
done:
    free(component);
    free(count);
    return status;
}

enum status mesh_report_faults(FILE *out, const struct mesh *mesh, const struct mesh_health *health,
                               struct error *error)
{
    struct mesh_fault fault;
    char text[256];
    const bool usable = !health->out_of_range && !health->not_finite;
    for (int which = 0; mesh_health_fault(health, &which, &fault);) {
        int64_t node =
            fault.element >= 0 && usable ? mesh->vertex[(mesh->dimension + 1) * fault.element] : fault.node;
        fprintf(out, "%-10s %s\n", "fault", fault.text);
        if (node >= 0 && usable)
            fprintf(out, "%-10s the first is at (%.6g, %.6g, %.6g) mm\n", "", mesh->point[3 * node],
                    mesh->point[3 * node + 1], mesh->point[3 * node + 2]);
    }
    for (int which = 0; mesh_health_warning(health, &which, text);)
        fprintf(out, "%-10s %s\n", "warning", text);
    return usable && health->components > 1 ? report_smallest_component(out, mesh, error) : STATUS_OK;
}

enum status mesh_report(FILE *out, const struct mesh *mesh, const struct mesh_notes *notes,
                        const char *fibers, struct error *error)
{
    struct mesh_stats stats;
    char text[120];
    TRY(mesh_stats_create(&stats, mesh, error));
    if (notes)
        fprintf(out, "%-10s %s\n", "format", notes->format);
    fprintf(out, "%-10s %lld\n%-10s %s\n", "nodes", (long long)mesh->nodes, "elements",
            mesh_elements_text(text, mesh));
    fprintf(out, "%-10s x %.6g to %.6g, y %.6g to %.6g, z %.6g to %.6g mm\n", "box", stats.low[0],
            stats.high[0], stats.low[1], stats.high[1], stats.low[2], stats.high[2]);
    fprintf(out, "%-10s %lld, from %.4g to %.4g mm, median %.4g mm\n", "edges", (long long)stats.edges,
            stats.edge_min, stats.edge_max, stats.edge_median);
    fprintf(out, "%-10s least %.4g, median %.4g (mean ratio, 1 = regular)\n", "quality", stats.quality_min,
            stats.quality_median);
    report_regions(out, &stats, mesh);
    report_marks(out, mesh);
    enum status status = report_openings(out, mesh, error);
    report_fibers(out, mesh, fibers);
    report_fields(out, mesh);
    if (stats.short_edges)
        fprintf(out,
                "%-10s %lld edge%s below %.3g mm, a tenth of the median, the shortest at node %d at (%.6g, "
                "%.6g, %.6g) mm; "
                "`cardiac mesh repair IN OUT --collapse %.2gmm` shrinks them\n",
                "needles", (long long)stats.short_edges, stats.short_edges == 1 ? "" : "s",
                stats.edge_median / 10, stats.shortest, mesh->point[3 * (int64_t)stats.shortest],
                mesh->point[3 * (int64_t)stats.shortest + 1], mesh->point[3 * (int64_t)stats.shortest + 2],
                stats.edge_median / 10);
    if (notes)
        report_notes(out, notes, mesh);
    mesh_stats_free(&stats);
    if (notes && !status)
        status = mesh_report_faults(out, mesh, &notes->health, error);
    return status;
}

enum status mesh_report_shape(FILE *out, const struct mesh *mesh, struct error *error)
{
    struct mesh_shape shape;
    if (mesh->dimension == 1)
        return STATUS_OK;
    TRY(mesh_shape_create(&shape, mesh, error));
    fprintf(out, "%-10s least %.4g degrees, 1 %% under %.4g, median %.4g (the smallest%s of each element)\n",
            "angles", shape.least, shape.percent, shape.median,
            mesh->dimension == 3 ? " between two faces" : "");
    fprintf(out, "%-10s", "");
    for (int k = 0; k < MESH_SHAPE_BOUNDS; k++)
        fprintf(out, "%s %lld under %g", k ? "," : "", (long long)shape.under[k], mesh_shape_bound[k]);
    fprintf(out, " degrees\n");
    for (int k = 0; k < shape.worsts; k++)
        fprintf(out, "%-10s element %lld at (%.6g, %.6g, %.6g) mm: %.4g degrees, mean ratio %.4g\n",
                k ? "" : "worst", (long long)shape.worst[k].element, shape.worst[k].centre[0],
                shape.worst[k].centre[1], shape.worst[k].centre[2], shape.worst[k].degrees,
                shape.worst[k].quality);
    return STATUS_OK;
}
