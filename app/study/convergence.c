/* convergence.c: make the runs of a refinement as a study, and compare their tables and maps. */
#include "app/study/convergence.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/maps.h"
#include "app/config/units.h"
#include "app/io/result/result.h"
#include "app/report/results.h"
#include "app/run/setup.h"
#include "app/study/study.h"
#include "kernels/base/array.h"
#include "solver/mesh/nearest.h"

static const char what[] = "a comparison";
static const double slowest = 0.05; /* mm/ms: no front is slower */
static const double latency = 20;   /* ms until a neighbour of a stimulus rises */
static const double safety = 1.25;  /* of the grid convergence index of three levels */
static const double orders_apart = 0.3;

struct convergence_sequence convergence_judge(double first, double second, double expected)
{
    struct convergence_sequence of = {first, second, NAN, expected, false, NAN, NAN};
    if (!(first / second > 0) || second == 0)
        return of;
    of.order = log2(first / second);
    of.asymptotic = fabs(of.order - expected) <= orders_apart * expected;
    if (of.asymptotic) {
        of.rest = second / (exp2(fmin(of.order, expected)) - 1);
        of.bar = safety * fabs(of.rest);
    }
    return of;
}

/* ---- the study ---- */

/* output.maps of the config with those that are compared in any case */
static enum status print_maps(char **text, const struct config *config, struct error *error)
{
    static const char *const more[] = {"activation_time", "conduction_velocity", "apd90"};
    bool beats = config->physics.activation == ACTIVATION_THRESHOLD;
    size_t length = 0;
    FILE *file = open_memstream(text, &length);
    if (!file)
        return error_memory(error, what, 4096);
    fputs("output.maps=[", file);
    for (int m = 0; m < config->output.maps; m++)
        fprintf(file, "%s%s", m ? ", " : "", config->output.map[m]);
    for (int k = 0; k < (beats ? 3 : 2); k++) {
        bool there = false;
        for (int m = 0; m < config->output.maps; m++)
            there |= strcmp(config->output.map[m], more[k]) == 0;
        if (!there)
            fprintf(file, "%s%s", config->output.maps + k > 0 ? ", " : "", more[k]);
    }
    fputc(']', file);
    return fclose(file) ? error_memory(error, what, 4096) : STATUS_OK;
}

/* set[] <- of the request, then a frame at the start and the end alone, and the maps */
static enum status choose_sets(struct convergence *c, struct error *error)
{
    struct config config;
    char end[60];
    enum status status = config_read_with(&config, c->request.config, c->request.set, c->request.sets,
                                          c->request.option, c->request.options, error);
    TRY_DONE(status);
    TRY_DONE(print_maps(&c->text[0], &config, error));
    units_write(end, sizeof end, config.end, QUANTITY_TIME);
    for (int k = 1; k < 3; k++)
        if (asprintf(&c->text[k], "output.%s=%s", k == 1 ? "every" : "probes_every", end) < 0) {
            c->text[k] = NULL;
            TRY_DONE(error_memory(error, what, 1));
        }
    int own = config.output.probes > 0 ? 3 : 2;
    c->set = array_new(c->request.sets + own, sizeof *c->set, what, &status, error);
    TRY_DONE(status);
    for (int k = 0; k < c->request.sets; k++)
        c->set[k] = c->request.set[k];
    for (int k = 0; k < own; k++)
        c->set[c->request.sets++] = c->text[k];
    c->request.set = c->set;
done:
    config_free(&config);
    return status;
}

enum status convergence_open(struct convergence *c, const struct study_request *request, int levels,
                             bool mesh, struct error *error)
{
    *c = (struct convergence){.request = *request};
    c->request.results = true;
    TRY(choose_sets(c, error));
    TRY(config_read_with(&c->base, request->config, c->request.set, c->request.sets, request->option,
                         request->options, error));
    const char *directory = request->directory ? request->directory : c->base.output.directory;
    if (asprintf(&c->directory, request->directory ? "%s" : "%s/converge", directory) < 0) {
        c->directory = NULL;
        return error_memory(error, "a path", 1);
    }
    c->request.directory = c->directory;
    if (asprintf(&c->table_path, "%s/table.csv", c->directory) < 0)
        c->table_path = NULL;
    TRY(c->table_path ? STATUS_OK : error_memory(error, "a path", 1));
    return refinement_plan(&c->plan, &c->base, c->directory, levels, mesh, error);
}

void convergence_free(struct convergence *c)
{
    refinement_free(&c->plan);
    config_free(&c->base);
    csv_free(&c->given);
    csv_free(&c->table);
    for (int k = 0; k < 3; k++)
        free(c->text[k]);
    free(c->set);
    free(c->directory);
    free(c->table_path);
    free(c->quantity);
    free(c->map);
}

/* A study of the rows of a table that lies at `path` */
static enum status open_study(struct study *study, struct convergence *c, const char *path,
                              struct error *error)
{
    csv_free(&c->given);
    c->given = (struct csv){0};
    TRY(refinement_write_table(&c->plan, path, error));
    TRY(csv_read(&c->given, path, error));
    TRY(study_open(study, &c->request, &c->given, error));
    study->halvings = c->plan.halvings;
    return STATUS_OK;
}

/* The same of a table under a temporary name, which replaces none of the user's */
static enum status open_plan(struct study *study, struct convergence *c, struct error *error)
{
    char path[PATH_MAX];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/cardiac-XXXXXX", folder && *folder ? folder : "/tmp");
    int place = mkstemp(path);
    if (place < 0)
        return error_set(error, STATUS_RUN, "%s: cannot be made", path);
    close(place);
    enum status status = open_study(study, c, path, error);
    unlink(path);
    return status;
}

enum status convergence_describe(struct convergence *c, FILE *file, struct error *error)
{
    struct study study = {.table.file = -1};
    enum status status = open_plan(&study, c, error);
    if (!status)
        status = study_describe(&study, file, error);
    study_free(&study);
    return status;
}

/* ---- numbers of the runs ---- */

int convergence_reference(const struct convergence *c, int run)
{
    const struct refinement_run *of = &c->plan.run[run];
    for (int k = run - 1; k > 0; k--) {
        const struct refinement_run *other = &c->plan.run[k];
        if (of->kind == REFINEMENT_STEP ? other->kind == of->kind && other->step + 1 == of->step
            : of->kind == REFINEMENT_MESH
                ? other->step == of->step && other->edge + 1 == of->edge &&
                      (other->kind == REFINEMENT_MESH || other->kind == REFINEMENT_STEP)
                : false)
            return k;
    }
    return 0;
}

static double read_cell(const struct csv *table, int64_t row, int column)
{
    const char *text = row >= 0 && column >= 0 ? csv_at(table, row, column)->text : "";
    return *text ? strtod(text, NULL) : (double)NAN;
}

/* row[] <- of the runs that did not fail. Errors: STATUS_RUN where the config itself failed. */
static enum status find_rows(struct convergence *c, struct error *error)
{
    int status = csv_column(&c->table, "status"), run = csv_column(&c->table, "run");
    for (int k = 0; k < c->plan.runs; k++) {
        c->row[k] = -1;
        for (int64_t r = 0; r < c->table.rows; r++)
            if (read_cell(&c->table, r, run) == k + 1 && read_cell(&c->table, r, status) == 0)
                c->row[k] = r;
    }
    return c->row[0] >= 0
               ? STATUS_OK
               : error_set(error, STATUS_RUN, "the config itself failed: %.800s",
                           c->table.rows > 0 ? csv_at(&c->table, 0, csv_column(&c->table, "message"))->text
                                             : "no run");
}

static double value_of(const struct convergence *c, int run, const char *name)
{
    for (int q = 0; q < c->quantities; q++)
        if (strcmp(c->quantity[q].name, name) == 0)
            return c->quantity[q].value[run];
    return NAN;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* "apd90_last" or "apd90_last[1]" */
static bool is_of_last(const char *name)
{
    static const char last[] = "_last";
    size_t length = strcspn(name, "[");
    return length >= sizeof last - 1 && begins(name + length - (sizeof last - 1), last);
}

const struct convergence_quantity *convergence_other_beat(const struct convergence *c, const char *name)
{
    char other[sizeof c->quantity->name];
    const char *own = is_of_last(name) ? "_last" : "_first", *its = is_of_last(name) ? "_first" : "_last";
    const char *at = strstr(name, own);
    if (!at)
        return NULL;
    snprintf(other, sizeof other, "%.*s%s%s", (int)(at - name), name, its, at + strlen(own));
    for (int q = 0; q < c->quantities; q++)
        if (strcmp(c->quantity[q].name, other) == 0)
            return &c->quantity[q];
    return NULL;
}

/* ms of the run from which on a quantity is settled */
static double settled(const struct convergence *c, const struct convergence_quantity *quantity, int run)
{
    const char *name = quantity->name;
    double value = quantity->value[run], last = value_of(c, run, "last_activation"),
           first = value_of(c, run, "first_activation");
    return begins(name, "first_activation") || begins(name, "activation_first[") ? value
           : begins(name, "apd90_first")                                         ? last + value
           : begins(name, "qt_first")                                            ? first + value
           : quantity->event || begins(name, "ecg_peak") || is_of_last(name)
               ? read_cell(&c->table, c->row[run], csv_column(&c->table, "time (ms)"))
               : last;
}

bool convergence_is_cut(const struct convergence *c, int run)
{
    double time = read_cell(&c->table, c->row[run], csv_column(&c->table, "time (ms)"));
    return value_of(c, run, "activated") < 100 && value_of(c, run, "last_activation") > time - 5 /* ms */;
}

/* Run less its reference; NaN where a front had broken before both were settled, or was still running */
static double difference(const struct convergence *c, const struct convergence_quantity *quantity, int run)
{
    int from = run < 0 ? -1 : convergence_reference(c, run);
    if (run < 0 || c->row[run] < 0 || c->row[from] < 0)
        return NAN;
    bool of_end = begins(quantity->name, "last_activation") || begins(quantity->name, "total_activation");
    if (of_end && (convergence_is_cut(c, run) || convergence_is_cut(c, from)))
        return NAN;
    double time = fmax(settled(c, quantity, run), settled(c, quantity, from));
    return time > c->broken[run].time ? (double)NAN : quantity->value[run] - quantity->value[from];
}

/* The run of that kind and level, -1 = none */
static int find_run(const struct convergence *c, enum refinement_kind kind, int level)
{
    for (int k = 0; k < c->plan.runs; k++)
        if (c->plan.run[k].kind == kind && level-- == 0)
            return k;
    return -1;
}

static void judge_quantity(struct convergence *c, struct convergence_quantity *quantity)
{
    for (int kind = REFINEMENT_TOLERANCE; kind < REFINEMENT_KINDS; kind++) {
        double expected = kind == REFINEMENT_MESH   ? 2
                          : kind == REFINEMENT_STEP ? config_order_in_time(&c->base)
                                                    : (double)NAN;
        int first = find_run(c, (enum refinement_kind)kind, 0),
            second = find_run(c, (enum refinement_kind)kind, 1);
        quantity->of[kind] =
            convergence_judge(difference(c, quantity, first), difference(c, quantity, second), expected);
    }
}

/* Whether a quantity of the last beat is that of the first: there is one beat */
static bool is_of_first(const struct convergence *c, const struct convergence_quantity *quantity)
{
    const struct convergence_quantity *first = convergence_other_beat(c, quantity->name);
    bool same = first;
    for (int k = 0; k < c->plan.runs && same; k++)
        same = first->value[k] == quantity->value[k] || (isnan(first->value[k]) && isnan(quantity->value[k]));
    return same;
}

/* quantity[] <- the columns of results */
static enum status read_quantities(struct convergence *c, struct error *error)
{
    static const char *const left_out[] = {"time (ms)", "sweeps"}, *const events[] = {"pulses", "captured",
                                                                                      "activated (%)"};
    int first = csv_column(&c->table, "status") + 1, end = csv_column(&c->table, "message");
    enum status status = STATUS_OK;
    c->quantity = array_zeroed(end - first, sizeof *c->quantity, what, &status, error);
    TRY(status);
    for (int column = first; column < end; column++) {
        struct convergence_quantity *quantity = &c->quantity[c->quantities];
        const char *name = csv_at(&c->table, -1, column)->text, *unit = strrchr(name, '(');
        bool skip = false;
        for (int k = 0; k < 2; k++)
            skip |= strcmp(name, left_out[k]) == 0;
        for (int k = 0; k < 3; k++)
            quantity->event |= strcmp(name, events[k]) == 0;
        if (skip)
            continue;
        unit = unit && unit > name ? unit : NULL;
        snprintf(quantity->name, sizeof quantity->name, "%.*s", unit ? (int)(unit - name - 1) : 190, name);
        snprintf(quantity->unit, sizeof quantity->unit, "%.*s", unit ? (int)strcspn(unit + 1, ")") : 0,
                 unit ? unit + 1 : "");
        for (int k = 0; k < c->plan.runs; k++)
            quantity->value[k] = read_cell(&c->table, c->row[k], column);
        c->quantities += !(is_of_last(quantity->name) && is_of_first(c, quantity));
    }
    return STATUS_OK;
}

/* ---- maps ---- */

/* A result, read at the nodes of the config's mesh */
struct sampled {
    struct result result;
    int64_t *node;      /* [base nodes] in its own mesh; NULL = the same */
    double *own;        /* [its nodes * width] work */
    double *activation; /* [base nodes * beats] ms */
    double *value;      /* [base nodes * beats] of a map */
};

static void free_sampled(struct sampled *sampled)
{
    if (sampled->result.file.path)
        result_close(&sampled->result);
    free(sampled->node);
    free(sampled->own);
    free(sampled->activation);
    free(sampled->value);
}

/* node[] <- where the nodes of the config's mesh are in the finer one */
static enum status find_nodes(struct sampled *sampled, const struct mesh *base, struct error *error)
{
    const struct mesh *mesh = &sampled->result.mesh;
    struct nearest nearest = {0};
    enum status status = STATUS_OK;
    int32_t *item = array_new(mesh->nodes, sizeof *item, what, &status, error);
    sampled->node = array_new(base->nodes, sizeof *sampled->node, what, &status, error);
    TRY_DONE(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        item[i] = (int32_t)i;
    TRY_DONE(nearest_create(&nearest, mesh->point, item, 1, mesh->nodes, error));
    for (int64_t i = 0; i < base->nodes && !status; i++) {
        double distance;
        sampled->node[i] = nearest_find(&nearest, base->point + 3 * i, -1, &distance);
        if (distance > 1e-5)
            status = error_set(error, STATUS_RUN, "%s: its mesh has no node of the config's node %lld",
                               sampled->result.file.path, (long long)i);
    }
done:
    nearest_free(&nearest);
    free(item);
    return status;
}

/* value[nodes * width] <- the map of that name; *there <- whether it has it */
static enum status sample_map(double *value, struct sampled *sampled, const char *name, int64_t nodes,
                              int64_t width, bool *there, struct error *error)
{
    int k = result_find(&sampled->result, name);
    const struct result_array *array = k >= 0 ? &sampled->result.array[k] : NULL;
    *there = array && !array->in_time && !array->cell && array->width == width;
    if (!*there)
        return STATUS_OK;
    TRY(result_get(&sampled->result, k, 0, sampled->own, error));
    for (int64_t i = 0; i < nodes; i++)
        memcpy(value + i * width, sampled->own + (sampled->node ? sampled->node[i] : i) * width,
               (size_t)width * sizeof *value);
    return STATUS_OK;
}

/* Run k's result, with its activation times. base: the config's mesh, NULL = this run's own is */
static enum status open_sampled(struct sampled *sampled, const struct convergence *c, int run,
                                const struct mesh *base, struct error *error)
{
    int64_t beats = c->base.physics.activation_beats;
    char path[PATH_MAX];
    bool there;
    snprintf(path, sizeof path, "%s/%s/run.vtkhdf", c->directory,
             csv_at(&c->table, c->row[run], csv_column(&c->table, "id"))->text);
    TRY(result_open(&sampled->result, path, error));
    const struct mesh *mesh = &sampled->result.mesh;
    int64_t nodes = base ? base->nodes : mesh->nodes;
    enum status status = STATUS_OK;
    sampled->own = array_new(mesh->nodes * beats, sizeof *sampled->own, what, &status, error);
    sampled->activation = array_new(nodes * beats, sizeof *sampled->activation, what, &status, error);
    sampled->value = array_new(nodes * beats, sizeof *sampled->value, what, &status, error);
    TRY(status);
    if (c->plan.run[run].edge > 0)
        TRY(find_nodes(sampled, base, error));
    TRY(sample_map(sampled->activation, sampled, "activation_time", nodes, beats, &there, error));
    return there ? STATUS_OK : error_set(error, STATUS_RUN, "%s: has no activation times", path);
}

/* Where first a node is activated, and a neighbour that can be is not, for longer than any front takes.
 * Others: of the run that this one is compared with. */
static struct convergence_break find_break(const struct convergence *c, int run, const struct mesh *mesh,
                                           const double *time, const double *others)
{
    struct convergence_break found = {.time = HUGE_VAL};
    int64_t beats = c->base.physics.activation_beats;
    int corners = mesh->dimension + 1;
    double end = read_cell(&c->table, c->row[run], csv_column(&c->table, "time (ms)"));
    for (int64_t e = 0; e < mesh->elements; e++)
        for (int pair = 0; pair < corners * corners; pair++) {
            int64_t i = mesh->vertex[e * corners + pair / corners],
                    j = mesh->vertex[e * corners + pair % corners];
            if (i == j || (isnan(time[j * beats]) && isnan(others[j * beats])))
                continue;
            double edge = 0, wait;
            for (int x = 0; x < 3; x++)
                edge += pow(mesh->point[3 * i + x] - mesh->point[3 * j + x], 2);
            wait = latency + sqrt(edge) / slowest;
            for (int64_t b = 0; b < beats; b++) {
                double here = time[i * beats + b], there = time[j * beats + b];
                bool late = isnan(there) ? here < end - wait : there > here + wait;
                if (late && here < found.time) {
                    found.time = here;
                    memcpy(found.place, mesh->point + 3 * i, sizeof found.place);
                }
            }
        }
    return found;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ms after its activation at which a value is settled */
static double settles(const struct maps_map *map, double value)
{
    return map->kind == MAPS_APD ? value : 0;
}

/* map->of[kind] <- of two runs */
static enum status compare_map(struct convergence_map *map, enum refinement_kind kind, struct sampled *a,
                               struct sampled *b, int64_t values, double broken, struct error *error)
{
    enum status status = STATUS_OK;
    struct maps_map of = {0};
    int64_t count = 0;
    double *apart = array_new(values, sizeof *apart, what, &status, error);
    TRY(status);
    maps_find(&of, map->name, NULL);
    for (int64_t k = 0; k < values; k++) {
        double x = a->value[k], y = b->value[k];
        if (isnan(x) || isnan(y))
            continue;
        double time = fmax(a->activation[k] + settles(&of, x), b->activation[k] + settles(&of, y));
        if (of.kind == MAPS_REPOLARIZATION_TIME)
            time = fmax(x, y);
        if (time > broken)
            map->of[kind].left_out++;
        else
            apart[count++] = fabs(x - y);
    }
    qsort(apart, (size_t)count, sizeof *apart, by_size);
    map->of[kind].compared = count;
    map->of[kind].median = count > 0 ? apart[(count - 1) / 2] : (double)NAN;
    map->of[kind].p95 = count > 0 ? apart[(count - 1) * 95 / 100] : (double)NAN;
    map->of[kind].largest = count > 0 ? apart[count - 1] : (double)NAN;
    free(apart);
    return STATUS_OK;
}

/* The maps of a run and of the one that it is compared with; broken[run] <- of both */
static enum status compare_maps(struct convergence *c, int run, const struct mesh *base, struct error *error)
{
    struct sampled a = {0}, b = {0};
    int from = convergence_reference(c, run);
    int64_t beats = c->base.physics.activation_beats, values = base->nodes * beats;
    enum status status;
    TRY_DONE(open_sampled(&a, c, from, base, error));
    TRY_DONE(open_sampled(&b, c, run, base, error));
    struct convergence_break one = find_break(c, from, base, a.activation, b.activation),
                             other = find_break(c, run, base, b.activation, a.activation);
    c->broken[run] = other.time < one.time ? other : one;
    bool first = find_run(c, c->plan.run[run].kind, 0) == run;
    for (int m = 0; m < c->maps && first; m++) {
        struct convergence_map *map = &c->map[m];
        bool there, too;
        TRY_DONE(sample_map(a.value, &a, map->name, base->nodes, beats, &there, error));
        TRY_DONE(sample_map(b.value, &b, map->name, base->nodes, beats, &too, error));
        if (there && too)
            TRY_DONE(compare_map(map, c->plan.run[run].kind, &a, &b, values, c->broken[run].time, error));
    }
done:
    free_sampled(&a);
    free_sampled(&b);
    return status;
}

static enum status compare_runs(struct convergence *c, struct error *error)
{
    struct sampled base = {0};
    enum status status = STATUS_OK;
    c->map = array_zeroed(c->base.output.maps, sizeof *c->map, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(open_sampled(&base, c, 0, NULL, error));
    for (int m = 0; m < c->base.output.maps; m++) {
        struct maps_map map = {0};
        maps_find(&map, c->base.output.map[m], NULL);
        snprintf(c->map[m].name, sizeof c->map[m].name, "%s", c->base.output.map[m]);
        snprintf(c->map[m].unit, sizeof c->map[m].unit, "%s", map.unit ? map.unit : "");
        c->maps++;
    }
    c->broken[0] = find_break(c, 0, &base.result.mesh, base.activation, base.activation);
    for (int k = 1; k < c->plan.runs; k++) {
        c->broken[k] = c->broken[0];
        if (c->row[k] >= 0 && c->row[convergence_reference(c, k)] >= 0)
            TRY_DONE(compare_maps(c, k, &base.result.mesh, error));
    }
done:
    free_sampled(&base);
    return status;
}

/* ---- all of it ---- */

static enum status compare(struct convergence *c, struct error *error)
{
    TRY(csv_read(&c->table, c->table_path, error));
    TRY(find_rows(c, error));
    TRY(read_quantities(c, error));
    TRY(compare_runs(c, error));
    for (int q = 0; q < c->quantities; q++)
        judge_quantity(c, &c->quantity[q]);
    return STATUS_OK;
}

enum status convergence_make(struct convergence *c, struct error *error)
{
    struct study study = {.table.file = -1};
    enum status status;
    TRY(setup_make_directory(c->directory, error));
    TRY(refinement_write_meshes(&c->plan, error));
    TRY_DONE(open_plan(&study, c, error));
    status = study_make(&study, error);
done:
    study_free(&study); /* unlocks the table */
    if (status && status != STATUS_RUN)
        return status;
    struct error other = {0};
    enum status compared = compare(c, status ? &other : error);
    return status ? status : compared;
}
