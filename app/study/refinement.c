/* refinement.c: plan the runs, write their table, refine the mesh, and its node lists. */
#include "app/study/refinement.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/units.h"
#include "app/meshio/mesh_file.h"
#include "app/problem/node_list.h"
#include "app/run/setup.h"
#include "app/util/csv.h"
#include "app/util/plain_file.h"
#include "kernels/base/array.h"
#include "solver/heart/surfaces.h"
#include "solver/mesh/edges.h"
#include "solver/mesh/ellipsoid.h"
#include "solver/mesh/generate.h"
#include "solver/mesh/refine.h"

static const double tighter = 0.1; /* times the tolerance */

/* ---- the plan ---- */

static void add_run(struct refinement *plan, enum refinement_kind kind, int step, int edge)
{
    plan->run[plan->runs] = (struct refinement_run){kind, edge, step};
    plan->halvings[plan->runs++] = edge;
}

static bool is_rounded(const struct monodomain_params *physics)
{
    return physics->precision == PRECISION_MIXED || physics->ionic_mixed || physics->ionic_tables;
}

static void choose_runs(struct refinement *plan, bool mesh)
{
    const struct monodomain_params *physics = &plan->base->physics;
    add_run(plan, REFINEMENT_NONE, 0, 0);
    if (!params_explicit(physics))
        add_run(plan, REFINEMENT_TOLERANCE, 0, 0);
    if (is_rounded(physics))
        add_run(plan, REFINEMENT_ROUNDING, 0, 0);
    for (int k = 1; k < plan->levels; k++)
        add_run(plan, REFINEMENT_STEP, k, 0);
    for (int k = 1; k < plan->levels && mesh; k++)
        add_run(plan, REFINEMENT_MESH, 1, k);
}

/* What is given for each node of the config's mesh, and has no counterpart on a finer one */
static enum status check_counterparts(const struct config *config, struct error *error)
{
    static const char more[] =
        "on a finer mesh there is nothing like it; --fixed-mesh leaves the mesh as it is";
    struct faults faults = {.error = error};
    char key[60];
    for (int r = 0; r < config->tissue.regions; r++)
        if (config->tissue.region[r].phase_times) {
            snprintf(key, sizeof key, "tissue.regions[%d].initial", r);
            config_fault(&faults, config, key, "has a time for each node of this mesh: %s", more);
        }
    if (config->mesh.networks > 0)
        config_fault(&faults, config, "mesh.network", "joins nodes of this mesh: %s", more);
    if (config->ecg.fields)
        config_fault(&faults, config, "ecg.lead_fields", "has values at the nodes of this mesh: %s", more);
    if (config->initial.file && !config_starts_from_result(config))
        config_fault(
            &faults, config, "initial.file",
            "is a checkpoint, whose states belong to the nodes of this mesh: %s; a result (.vtkhdf) that "
            "holds all states can be moved there",
            more);
    return faults.count > 0 ? STATUS_INPUT : STATUS_OK;
}

static bool has_lists(const struct config *config)
{
    bool lists = false;
    for (int s = 0; s < config->stimuli; s++)
        lists |= config->stimulus[s].nodes || config->stimulus[s].delays;
    for (int s = 0; s < HEART_SURFACES; s++)
        lists |= config->mesh.surface[s].nodes != NULL;
    return lists;
}

enum status refinement_plan(struct refinement *plan, const struct config *base, const char *directory,
                            int levels, bool mesh, struct error *error)
{
    char place[PATH_MAX];
    *plan = (struct refinement){.base = base, .levels = levels};
    choose_runs(plan, mesh);
    if (mesh)
        TRY(check_counterparts(base, error));
    plan->lists = has_lists(base);
    plan->by_file =
        plan->lists || base->mesh.kind == MESH_KIND_FILE || base->mesh.kind == MESH_KIND_ELLIPSOID;
    TRY(study_id(plan->mesh_id, base, CONFIG_MESH, error));
    TRY(study_id(plan->id, base, CONFIG_RESULTS, error));
    bool whole = directory[0] == '/' || getcwd(place, sizeof place);
    if (!whole)
        return error_set(error, STATUS_RUN, "the working directory has no path");
    if (asprintf(&plan->directory, directory[0] == '/' ? "%s%s" : "%s/%s", directory[0] == '/' ? "" : place,
                 directory) < 0)
        plan->directory = NULL;
    return plan->directory ? STATUS_OK : error_memory(error, "a path", 1);
}

void refinement_free(struct refinement *plan)
{
    free(plan->directory);
    plan->directory = NULL;
}

/* ---- the table ---- */

/* "mesh-half-0123.vtkhdf" of the plan's directory */
static void name_file(char *path, size_t room, const struct refinement *plan, const char *what, int edge,
                      const char *id, const char *end)
{
    snprintf(path, room, "%s/%s-%s-%s%s", plan->directory, what, edge == 1 ? "half" : "quarter", id, end);
}

static void name_mesh(char path[PATH_MAX], const struct refinement *plan, int edge)
{
    name_file(path, PATH_MAX, plan, "mesh", edge, plan->mesh_id, ".vtkhdf");
}

static void name_list(char path[PATH_MAX], const struct refinement *plan, const char *what, int edge)
{
    name_file(path, PATH_MAX, plan, what, edge, plan->id, ".txt");
}

/* A text in YAML's single quotes */
static void put_quoted(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text; text++)
        fputs(*text == '\'' ? "''" : (char[]){*text, 0}, file);
    fputc('\'', file);
}

static void put_surfaces(FILE *file, const struct refinement *plan, int edge)
{
    bool more = false;
    for (int s = 0; s < HEART_SURFACES; s++) {
        const struct config_surface *surface = &plan->base->mesh.surface[s];
        const char *name = heart_surface_name((enum heart_surface)s);
        char path[PATH_MAX];
        if (!surface->mark && !surface->name && !surface->nodes)
            continue;
        fprintf(file, "%s%s: ", more ? ", " : ", surfaces: {", name);
        name_list(path, plan, name, edge);
        if (surface->mark)
            fprintf(file, "%d", surface->mark);
        else
            put_quoted(file, surface->nodes ? path : surface->name);
        more = true;
    }
    if (more)
        fputc('}', file);
}

/* One column of the table; value: of a run, an empty text where it keeps that of the config */
struct column {
    const char *key;
    void (*value)(FILE *file, const struct refinement *plan, const struct refinement_run *run);
};

static void put_time(FILE *file, double time, int halved)
{
    char text[60];
    if (halved > 0)
        fputs(units_write(text, sizeof text, ldexp(time, -halved), QUANTITY_TIME), file);
}

static void put_step(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    put_time(file, plan->base->physics.step, run->step);
}

static void put_longest(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    put_time(file, plan->base->longest, run->step);
}

static void put_ionic_step(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    put_time(file, plan->base->ionic_step, run->step);
}

static void put_tolerance(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    char text[60];
    if (run->kind == REFINEMENT_TOLERANCE)
        fputs(units_write(text, sizeof text, plan->base->physics.tolerance * tighter, QUANTITY_VOLTAGE),
              file);
}

static void put_double(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    (void)plan;
    fputs(run->kind == REFINEMENT_ROUNDING ? "double" : "", file);
}

static void put_budget(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    (void)plan;
    fputs(run->kind == REFINEMENT_ROUNDING ? "1e-05 mV" : "", file); /* the default, which warns of nothing */
}

static void put_off(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    (void)plan;
    fputs(run->kind == REFINEMENT_ROUNDING ? "off" : "", file);
}

static void put_nearest(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    (void)plan;
    fputs(run->edge > 0 ? "nearest" : "", file);
}

static void put_mesh(FILE *file, const struct refinement *plan, const struct refinement_run *run)
{
    const struct config_mesh *mesh = &plan->base->mesh;
    double spacing = mesh->kind == MESH_KIND_SLAB    ? mesh->slab_spacing
                     : mesh->kind == MESH_KIND_SHEET ? mesh->sheet_spacing
                                                     : mesh->cable_spacing;
    char text[PATH_MAX];
    if (run->edge == 0)
        return;
    if (!plan->by_file) {
        fputs(units_write(text, sizeof text, ldexp(spacing, -run->edge), QUANTITY_LENGTH), file);
        return;
    }
    name_mesh(text, plan, run->edge);
    fputs("{file: ", file);
    put_quoted(file, text);
    put_surfaces(file, plan, run->edge);
    fprintf(file, ", cache: %s}", mesh->cache ? "on" : "off");
}

static const char *mesh_key(const struct refinement *plan)
{
    enum mesh_kind kind = plan->base->mesh.kind;
    return plan->by_file             ? "mesh"
           : kind == MESH_KIND_SLAB  ? "mesh.slab.spacing"
           : kind == MESH_KIND_SHEET ? "mesh.sheet.spacing"
                                     : "mesh.cable.spacing";
}

/* column[] <- those in which a run differs from the config; returns how many */
enum { COLUMNS = 9 };
static int choose_columns(struct column column[COLUMNS], const struct refinement *plan)
{
    const struct config *base = plan->base;
    const struct monodomain_params *physics = &base->physics;
    int count = 0;
    bool rounded = is_rounded(physics), finer = plan->run[plan->runs - 1].edge > 0;
    const struct {
        bool needed;
        struct column column;
    } all[COLUMNS] = {
        {true, {"time.step", put_step}},
        {!isnan(base->longest), {"time.longest", put_longest}},
        {physics->ionic_substeps > 1, {"ionic.step", put_ionic_step}},
        {!params_explicit(physics), {"solver.tolerance", put_tolerance}},
        {rounded && physics->precision == PRECISION_MIXED, {"solver.precision", put_double}},
        {rounded && physics->precision == PRECISION_MIXED, {"solver.precision_budget", put_budget}},
        {rounded && physics->ionic_mixed, {"ionic.state", put_double}},
        {rounded && physics->ionic_tables, {"ionic.tables", put_off}},
        {finer && base->initial.file, {"initial.interpolate", put_nearest}}};
    for (int c = 0; c < COLUMNS; c++)
        if (all[c].needed)
            column[count++] = all[c].column;
    return count;
}

/* The cell of a list of nodes; run NULL = the name of its column */
static void put_list(FILE *file, const struct refinement *plan, int s, const struct refinement_run *run)
{
    char name[40], path[PATH_MAX] = "";
    snprintf(name, sizeof name, "stimulus-%d", s);
    if (run && run->edge > 0) { /* quoted: # and : mean something in YAML */
        char quoted[2 * PATH_MAX] = "";
        name_list(path, plan, name, run->edge);
        FILE *text = fmemopen(quoted, sizeof quoted, "w");
        if (text) {
            put_quoted(text, path);
            fclose(text);
        }
        csv_put(file, quoted);
    } else if (run)
        csv_put(file, "");
    else
        fprintf(file, "stimuli[%d].nodes", s);
}

static enum status put_cell(FILE *file, const struct refinement *plan, const struct column *column,
                            const struct refinement_run *run, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory)
        column->value(memory, plan, run);
    if (!memory || fclose(memory) || !text)
        return error_memory(error, "a table", 4096);
    csv_put(file, text);
    free(text);
    return STATUS_OK;
}

static enum status put_row(FILE *file, const struct refinement *plan, const struct column *column,
                           int columns, const struct refinement_run *run, struct error *error)
{
    bool finer = plan->run[plan->runs - 1].edge > 0;
    for (int c = 0; c < columns; c++) {
        fputs(c ? "," : "", file);
        if (run)
            TRY(put_cell(file, plan, &column[c], run, error));
        else
            fputs(column[c].key, file);
    }
    if (finer) {
        const struct column mesh = {mesh_key(plan), put_mesh};
        fputc(',', file);
        if (run)
            TRY(put_cell(file, plan, &mesh, run, error));
        else
            fputs(mesh.key, file);
    }
    for (int s = 0; s < plan->base->stimuli && finer; s++)
        if (plan->base->stimulus[s].nodes) {
            fputc(',', file);
            put_list(file, plan, s, run);
        }
    fputc('\n', file);
    return STATUS_OK;
}

enum status refinement_write_table(const struct refinement *plan, const char *path, struct error *error)
{
    struct column column[COLUMNS];
    int columns = choose_columns(column, plan);
    FILE *file = NULL;
    TRY(plain_file_stream(&file, path, O_WRONLY | O_CREAT | O_TRUNC, "w", error));
    enum status status = put_row(file, plan, column, columns, NULL, error);
    for (int k = 0; k < plan->runs && !status; k++)
        status = put_row(file, plan, column, columns, &plan->run[k], error);
    if (fclose(file) && !status)
        status = error_set(error, STATUS_RUN, "%s: cannot be written", path);
    return status;
}

/* ---- meshes and lists ---- */

static enum status read_mesh(struct mesh *mesh, const struct config_mesh *from, struct error *error)
{
    const struct array_selection selection = {
        .tags = from->tags, .fibers = from->fibers, .sheets = from->sheets, .all = true};
    switch (from->kind) {
    case MESH_KIND_SLAB:
        return mesh_slab(mesh, from->slab_size, from->slab_spacing, error);
    case MESH_KIND_SHEET:
        return mesh_sheet(mesh, from->sheet_size, from->sheet_spacing, error);
    case MESH_KIND_CABLE:
        return mesh_cable(mesh, from->cable_length, from->cable_spacing, error);
    case MESH_KIND_ELLIPSOID:
        return mesh_ellipsoid(mesh, from->ellipsoid_size, from->ellipsoid_edge, error);
    default:
        return mesh_read(mesh, from->file, isnan(from->scale) ? 0 : from->scale, &selection, NULL, error);
    }
}

/* A file under a temporary name, which gets its own once it is whole */
static enum status write_whole(const struct mesh *mesh, const char *path, struct error *error)
{
    char other[PATH_MAX];
    snprintf(other, sizeof other, "%.*s-new.vtkhdf", (int)(strlen(path) - strlen(".vtkhdf")), path);
    TRY(mesh_write(mesh, other, true, error));
    return rename(other, path) ? error_set(error, STATUS_RUN, "%s: cannot be renamed", other) : STATUS_OK;
}

static enum status write_list(const uint8_t *chosen, int64_t nodes, const char *path, struct error *error)
{
    FILE *file = NULL;
    char other[PATH_MAX + 8];
    if (access(path, F_OK) == 0)
        return STATUS_OK;
    snprintf(other, sizeof other, "%s-new", path); /* until it is whole */
    TRY(plain_file_stream(&file, other, O_WRONLY | O_CREAT | O_TRUNC, "w", error));
    for (int64_t i = 0; i < nodes; i++)
        if (chosen[i])
            fprintf(file, "%lld\n", (long long)i);
    return fclose(file) || rename(other, path) ? error_set(error, STATUS_RUN, "%s: cannot be written", path)
                                               : STATUS_OK;
}

/* The nodes of a list on the finer mesh: its own, and those in the middle of edges between two of them */
static enum status refine_list(const struct refinement *plan, const char *from, const char *what,
                               int64_t nodes, const struct mesh_edges edges[], int64_t most,
                               struct error *error)
{
    enum status status = STATUS_OK;
    char path[PATH_MAX];
    uint8_t *chosen = array_zeroed(most, 1, "a node list", &status, error);
    TRY(status);
    TRY_DONE(node_list_read(from, nodes, chosen, error));
    for (int k = 1; k < plan->levels; k++) {
        const struct mesh_edges *e = &edges[k - 1];
        for (int64_t a = 0; a < nodes; a++)
            for (int64_t j = e->first[a]; j < e->first[a + 1]; j++)
                chosen[nodes + j] = chosen[a] && chosen[e->other[j]];
        nodes += e->count;
        name_list(path, plan, what, k);
        TRY_DONE(write_list(chosen, nodes, path, error));
    }
done:
    free(chosen);
    return status;
}

static enum status refine_lists(const struct refinement *plan, int64_t nodes, const struct mesh_edges edges[],
                                struct error *error)
{
    const struct config *base = plan->base;
    int64_t most = nodes;
    char what[40];
    for (int k = 1; k < plan->levels; k++)
        most += edges[k - 1].count;
    for (int s = 0; s < base->stimuli; s++)
        if (base->stimulus[s].nodes) {
            snprintf(what, sizeof what, "stimulus-%d", s);
            TRY(refine_list(plan, base->stimulus[s].nodes, what, nodes, edges, most, error));
        }
    for (int s = 0; s < HEART_SURFACES; s++)
        if (base->mesh.surface[s].nodes)
            TRY(refine_list(plan, base->mesh.surface[s].nodes, heart_surface_name((enum heart_surface)s),
                            nodes, edges, most, error));
    return STATUS_OK;
}

enum status refinement_write_meshes(const struct refinement *plan, struct error *error)
{
    struct mesh mesh = {0};
    struct mesh_edges edges[REFINEMENT_LEVELS - 1] = {{0}};
    enum status status;
    char path[PATH_MAX];
    if (!plan->by_file || plan->run[plan->runs - 1].edge == 0)
        return STATUS_OK;
    TRY(setup_make_directory(plan->directory, error));
    TRY_DONE(read_mesh(&mesh, &plan->base->mesh, error));
    int64_t nodes = mesh.nodes;
    for (int k = 1; k < plan->levels; k++) {
        struct mesh fine = {0};
        TRY_DONE(mesh_edges_create(&edges[k - 1], &mesh, error));
        TRY_DONE(mesh_refine(&fine, &mesh, error));
        mesh_free(&mesh);
        mesh = fine;
        name_mesh(path, plan, k);
        if (access(path, F_OK) != 0)
            TRY_DONE(write_whole(&mesh, path, error));
    }
    if (plan->lists)
        status = refine_lists(plan, nodes, edges, error);
done:
    mesh_free(&mesh);
    for (int k = 0; k < REFINEMENT_LEVELS - 1; k++)
        mesh_edges_free(&edges[k]);
    return status;
}

/* ---- notes ---- */

void refinement_notes(const struct refinement *plan, FILE *file)
{
    const struct config *base = plan->base;
    double speed[3];
    bool velocity = false;
    if (plan->run[plan->runs - 1].edge == 0)
        return;
    for (int r = 0; r < base->tissue.regions; r++)
        velocity |=
            config_velocity(speed, &base->tissue.region[r]) && !config_velocity_fine(&base->tissue.region[r]);
    if (plan->by_file)
        fprintf(file, "Split elements keep the outline of the coarse mesh: the error of its shape is not in "
                      "these differences.\n");
    if (velocity)
        fprintf(file,
                "`velocity` is met on each mesh anew, with other conductivities: it hides the error of the "
                "mesh in the velocities.\n");
    for (int s = 0; s < base->stimuli; s++)
        if (base->stimulus[s].nodes)
            fprintf(file,
                    "Stimulus %s: the nodes of its list, and those in the middle of edges between two of "
                    "them.\n",
                    base->stimulus[s].name);
        else if (base->stimulus[s].delays || base->stimulus[s].shape == STIMULUS_SHAPE_SURFACE)
            fprintf(file,
                    "Stimulus %s: at the same places, where a node of the finer mesh holds less tissue.\n",
                    base->stimulus[s].name);
    if (base->ecg.torso)
        fprintf(file, "ecg.conductor keeps its mesh: the error of that is not in these differences.\n");
    if (base->initial.file)
        fprintf(file, "initial.file: each node of the finer mesh takes the state of the nearest node.\n");
}
