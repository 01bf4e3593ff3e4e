/* induction.c: pace each site by the protocol; step a branch unless the table has it. */
#include "app/study/induction.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/files.h"
#include "app/config/keys.h"
#include "app/io/result/vtkhdf_mesh.h"
#include "app/report/describe.h"
#include "app/run/stop.h"
#include "app/util/plain_file.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "solver/cells/stimulus.h"

static const double resolution = 1; /* ms, of the end of the refractory period in `peerp` */
enum { NEAR = 7 };                  /* intervals that follow from one copy near them */

/* "290", and not 29000 steps of 0.01 ms, as a config would have it */
static double decimal(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", value);
    return strtod(text, NULL);
}

/* ms: interval k of those that fall from `from` to `to` */
static double interval_at(const struct config_induction *protocol, int64_t k)
{
    return decimal(protocol->from - (double)k * protocol->by);
}

static int64_t count_intervals(const struct config_induction *protocol)
{
    return (int64_t)floor((protocol->from - protocol->to) / protocol->by * (1 + 1e-12) + 1e-9) + 1;
}

/* ---- rows ---- */

/* The row of that branch, or NULL; any: whatever its last interval is */
static const struct induction_row *find_row(const struct induction *study, int site, const double *interval,
                                            int intervals, bool any)
{
    for (int64_t r = 0; r < study->rows; r++) {
        const struct induction_row *row = &study->row[r];
        size_t same = (size_t)(any ? intervals - 1 : intervals);
        if (row->site == site && row->intervals == intervals &&
            memcmp(row->interval, interval, same * sizeof *interval) == 0)
            return row;
    }
    return NULL;
}

static enum status add_row(struct induction *study, const struct induction_row *row, struct error *error)
{
    TRY(array_grow((void **)&study->row, &study->room, study->rows, sizeof *study->row, "the table", error));
    study->row[study->rows++] = *row;
    return STATUS_OK;
}

/* *path <- DIR/site-3-290-240.vtkhdf, the maps of a branch, to be freed. Errors: STATUS_RUN without memory.
 */
static enum status name_maps(char **path, const struct induction *study, const struct induction_row *row,
                             struct error *error)
{
    char intervals[30 * INDUCTION_EXTRA];
    induction_table_intervals(intervals, sizeof intervals, row->interval, row->intervals);
    for (char *at = intervals; *at; at++)
        *at = *at == ' ' ? '-' : *at;
    if (asprintf(path, "%s/site-%d-%s.vtkhdf", study->directory, row->site + 1, intervals) >= 0)
        return STATUS_OK;
    *path = NULL;
    return error_memory(error, "a path", 1);
}

/* When the nodes of an induced tachycardia were activated last, and how often */
static enum status write_maps(const struct induction *study, const struct induction_row *row,
                              struct error *error)
{
    const struct waves *waves = &study->tree.branches.forest.waves;
    char *path = NULL;
    enum status status = STATUS_OK;
    double *last = array_new(waves->nodes, sizeof *last, "a map", &status, error);
    double *cycle = array_new(waves->nodes, sizeof *cycle, "a map", &status, error);
    TRY_DONE(status);
    for (int64_t i = 0; i < waves->nodes; i++) {
        int32_t a = waves->latest[i], before = a < 0 ? -1 : waves_before(waves, a, NULL);
        last[i] = a < 0 ? (double)NAN : waves->activation[a].time;
        cycle[i] = before < 0 ? (double)NAN : last[i] - waves->activation[before].time;
    }
    TRY_DONE(name_maps(&path, study, row, error));
    const struct vtkhdf_field field[] = {{"activation_time", "ms", last}, {"cycle_length", "ms", cycle}};
    status = vtkhdf_mesh_write_with(path, &study->tree.setup.problem.mesh, field, 2, error);
done:
    free(path);
    free(last);
    free(cycle);
    return status;
}

static bool has_maps(const struct induction_row *row)
{
    return row->outcome == INDUCTION_SUSTAINED || row->outcome == INDUCTION_NON_SUSTAINED;
}

/* With --results, a branch of the table has its maps. */
static enum status check_maps(const struct induction *study, const struct induction_row *row, int64_t k,
                              struct error *error)
{
    char *path = NULL;
    if (!study->request.results || !has_maps(row))
        return STATUS_OK;
    TRY(name_maps(&path, study, row, error));
    enum status status = study_table_check_file(&study->table, k, path, "this branch", error);
    free(path);
    return status;
}

/* With --overwrite the maps of an earlier study are removed; else they are refused where no table is that
 * they could belong to. */
static enum status clear_maps(const struct induction *study, struct error *error)
{
    const bool overwrite = study->request.overwrite;
    char *pattern = NULL;
    glob_t found = {0};
    enum status status = STATUS_OK;
    if (study->request.parts > 0 || (!overwrite && access(study->table.path, F_OK) == 0))
        return STATUS_OK;
    if (asprintf(&pattern, "%s/{vulnerability,site-[0-9]*-*}.vtkhdf", study->directory) < 0)
        return error_memory(error, "a path", 1);
    glob(pattern, GLOB_BRACE, NULL, &found);
    for (size_t k = 0; k < found.gl_pathc && !status; k++) {
        if (overwrite)
            unlink(found.gl_pathv[k]);
        else
            status = plain_file_claim(found.gl_pathv[k], NULL, study_table_elsewhere, error);
    }
    globfree(&found);
    free(pattern);
    return status;
}

static enum status store_row(struct induction *study, const struct induction_row *row, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory)
        induction_table_write(memory, &study->heading, row);
    enum status status = memory && fclose(memory) == 0 && text
                             ? study_table_append(&study->table, text, error)
                             : error_memory(error, "the table", 4096);
    free(text);
    TRY(status);
    if (study->request.json)
        induction_table_json(row, &study->heading);
    return add_row(study, row, error);
}

/* Whether a branch that ended so is a row of the table, and the study goes on */
static bool is_branch_failure(const struct induction *study, enum status status)
{
    return status == STATUS_RUN &&
           !(study->tree.setup.sim && monodomain_failure(study->tree.setup.sim)->kind == FAILURE_DEVICE);
}

static void fail_row(struct induction_row *row, const struct error *failed)
{
    row->outcome = INDUCTION_FAILED;
    snprintf(row->message, sizeof row->message, "%.290s", failed->text);
}

/* *row <- of the branch, from the table, or stepped and stored there. Its first `extra` intervals are the
 * trunk's. */
static enum status make_branch(struct induction *study, struct induction_row *row, int extra, double anchor,
                               struct error *error)
{
    const struct induction_row *found = find_row(study, row->site, row->interval, row->intervals, false);
    if (found) {
        *row = *found;
        return STATUS_OK;
    }
    row->duration = row->cycle = row->last = row->time = NAN;
    for (int c = 0; c < 3; c++)
        row->earliest[c] = NAN;
    struct error failed = {0};
    enum status status = induction_tree_step(&study->tree, row, extra, anchor, &failed);
    if (is_branch_failure(study, status))
        fail_row(row, &failed);
    else if (status)
        return error_set(error, status, "%s", failed.text);
    if (study->request.results && has_maps(row))
        TRY(write_maps(study, row, error));
    return store_row(study, row, error);
}

/* ---- protocols ---- */

/* Intervals of extra stimulus n fall until one does not capture; it then stays at the shortest that did, and
 * the next one is added, unless re-entry was sustained. */
static enum status pace_programmed(struct induction *study, int site, struct error *error)
{
    const struct config_induction *protocol = &study->base.induction;
    struct induction_row row = {.site = site};
    for (int n = 1; n <= protocol->extra; n++) {
        double shortest = NAN;
        bool induced = false, captures = true;
        for (int64_t k = 0; k < count_intervals(protocol) && captures; k++) {
            row.intervals = n;
            row.interval[n - 1] = interval_at(protocol, k);
            row.message[0] = 0;
            TRY(make_branch(study, &row, n - 1, NEAR * protocol->by, error));
            captures = row.outcome != INDUCTION_NO_CAPTURE;
            induced |= row.outcome == INDUCTION_SUSTAINED;
            if (captures && row.outcome != INDUCTION_FAILED)
                shortest = row.interval[n - 1];
        }
        if (induced || isnan(shortest))
            break;
        row.interval[n - 1] = shortest;
    }
    return STATUS_OK;
}

/* Trains of `extra` stimuli at falling cycle lengths */
static enum status pace_bursts(struct induction *study, int site, struct error *error)
{
    const struct config_induction *protocol = &study->base.induction;
    for (int64_t k = 0; k < count_intervals(protocol); k++) {
        struct induction_row row = {.site = site, .intervals = (int)protocol->extra};
        for (int n = 0; n < row.intervals; n++)
            row.interval[n] = interval_at(protocol, k);
        TRY(make_branch(study, &row, 0, NEAR * protocol->by, error));
    }
    return STATUS_OK;
}

/* row->interval[n - 1] <- the shortest interval of stimulus n that captures, to 1 ms, by bisection: those
 * that capture are taken to be longer than those that do not. The longest where none does. */
static enum status find_refractory_end(struct induction *study, struct induction_row *row, int n,
                                       struct error *error)
{
    const struct config_induction *protocol = &study->base.induction;
    int64_t low = 0, high = (int64_t)floor((protocol->from - protocol->to) / resolution + 1e-9);
    bool captures;
    TRY(induction_tree_grow(&study->tree, row->site, row->interval, n - 1, error));
    row->interval[n - 1] = decimal(protocol->to + (double)high * resolution);
    TRY(induction_tree_test(&captures, &study->tree, n, row->interval[n - 1], protocol->to, error));
    if (!captures)
        return STATUS_OK;
    TRY(induction_tree_test(&captures, &study->tree, n, protocol->to, protocol->to, error));
    if (captures)
        high = 0;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        TRY(induction_tree_test(&captures, &study->tree, n,
                                decimal(protocol->to + (double)middle * resolution),
                                protocol->to + (double)low * resolution, error));
        *(captures ? &high : &low) = middle;
    }
    row->interval[n - 1] = decimal(protocol->to + (double)high * resolution);
    return STATUS_OK;
}

/* Each extra stimulus at the end of the refractory period, until re-entry is sustained: Azzolin et al. 2021,
 * doi 10.3389/fphys.2021.656411 */
static enum status pace_peerp(struct induction *study, int site, struct error *error)
{
    struct induction_row row = {.site = site};
    for (int n = 1; n <= study->base.induction.extra; n++) {
        const struct induction_row *found = find_row(study, site, row.interval, n, true);
        struct error failed = {0};
        row.message[0] = 0;
        row.intervals = n;
        enum status status = found ? STATUS_OK : find_refractory_end(study, &row, n, &failed);
        if (found)
            row = *found;
        else if (!status)
            TRY(make_branch(study, &row, n - 1, 0, error));
        else if (is_branch_failure(study, status)) {
            fail_row(&row, &failed);
            TRY(store_row(study, &row, error));
        } else
            return error_set(error, status, "%s", failed.text);
        if (row.outcome != INDUCTION_QUIET && row.outcome != INDUCTION_NON_SUSTAINED)
            break;
    }
    return STATUS_OK;
}

static enum status pace_site(struct induction *study, int site, struct error *error)
{
    static enum status (*const pace[])(struct induction *, int,
                                       struct error *) = {[INDUCTION_PROTOCOL_PROGRAMMED] = pace_programmed,
                                                          [INDUCTION_PROTOCOL_BURST] = pace_bursts,
                                                          [INDUCTION_PROTOCOL_PEERP] = pace_peerp};
    struct induction_row s1 = {.site = site};
    TRY(make_branch(study, &s1, 0, 0, error));
    if (s1.outcome == INDUCTION_QUIET)
        TRY(pace[study->base.induction.protocol](study, site, error));
    struct induction_result result = induction_table_result(study->row, study->rows, site);
    if (study->request.json)
        induction_table_summary_json(&result, &study->sites.site[site]);
    else if (!study->request.quiet)
        induction_table_summary(&result, &study->sites.site[site]);
    fflush(stdout);
    return STATUS_OK;
}

/* ---- the study ---- */

/* S1 comes so often that the points have room for it, and an interval holds a stimulus */
static enum status check_protocol(const struct induction *study, struct error *error)
{
    const struct config *config = &study->base;
    struct faults faults = {.error = error};
    int64_t pulses, most = SITES_TIMES / 2;
    TRY(branch_pulses(&pulses, config, error));
    if (pulses + config->induction.extra > most)
        return error_set(error, STATUS_INPUT,
                         "%s: S1, stimulus %s, comes %lld times; with %lld extra stimuli at most %lld are "
                         "supported; start from a paced tissue (initial.file)",
                         config->path, config->stimulus->name, (long long)pulses,
                         (long long)config->induction.extra, (long long)(most - config->induction.extra));
    if (config->induction.to < config->stimulus->duration || config->induction.to < config->physics.step)
        return config_fault(&faults, config, "induction.to", "%g ms is shorter than the stimulus or the step",
                            config->induction.to);
    return STATUS_OK;
}

/* No stimulus but S1's comes after the last S1. */
static enum status check_stimuli(const struct induction *study, const struct problem *problem,
                                 struct error *error)
{
    double last = 0;
    for (int s = 0; s < problem->stimuli; s++) {
        const struct stimulus *stimulus = &problem->stimulus[s];
        const char *name = study->base.stimulus[problem->stimulus_from[s]].name;
        if (problem->stimulus_from[s] == 0)
            last = stimulus_start(stimulus, stimulus->count - 1);
        else if (stimulus_end(stimulus) > last)
            return error_set(
                error, STATUS_INPUT,
                "%s: stimulus %s comes after the last S1 (%g ms), and its response would count as "
                "re-entry; remove it",
                study->base.path, name, last);
    }
    return STATUS_OK;
}

enum status induction_open(struct induction *study, const struct study_request *request, struct error *error)
{
    struct problem problem = {0};
    *study = (struct induction){.request = *request, .table.file = -1};
    study->tree = (struct induction_tree){
        .request = &study->request, .base = &study->base, .sites = &study->sites, .site = -1};
    enum status status;
    TRY_DONE(induction_tree_config(&study->base, request, error));
    TRY_DONE(check_protocol(study, error));
    TRY_DONE(study_id(study->id, &study->base, CONFIG_INDUCTION, error));
    TRY_DONE(problem_create_on(&problem, &study->tree.reuse.mesh, &study->base, NULL, error));
    TRY_DONE(check_stimuli(study, &problem, error));
    TRY_DONE(induction_sites_find(&study->sites, &study->tree.reuse.mesh, &study->base, error));
    study->heading = (struct induction_heading){
        study->id, config_word("induction.protocol", (int)study->base.induction.protocol), &study->sites};
    TRY_DONE(study_directory(&study->directory, request, &study->base, error));
    TRY_DONE(study_table_name(&study->table, study->directory, request->part, request->parts, error));
    status = files_check_output(&study->base, study->table.path, error);
done:
    problem_free(&problem);
    return status;
}

void induction_free(struct induction *study)
{
    induction_tree_close(&study->tree);
    setup_reuse_free(&study->tree.reuse);
    study_table_free(&study->table);
    induction_sites_free(&study->sites);
    free(study->directory);
    free(study->row);
    config_free(&study->base);
}

static enum status open_table(struct induction *study, struct error *error)
{
    char *names = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&names, &length);
    if (memory)
        induction_table_names(memory);
    enum status status =
        memory && fclose(memory) == 0 && names ? STATUS_OK : error_memory(error, "the table", 4096);
    if (!status && !study->request.overwrite)
        status = clear_maps(study, error);
    if (!status)
        status = study_table_open(&study->table, study->directory, study->request.overwrite, names, error);
    free(names);
    if (!status && study->request.overwrite)
        status = clear_maps(study, error);
    for (int64_t k = 0; k < study->table.rows.rows && !status; k++) {
        struct induction_row row;
        status = induction_table_read(&row, &study->table.rows, k, &study->heading, error);
        if (!status)
            status = check_maps(study, &row, k, error);
        if (!status)
            status = add_row(study, &row, error);
    }
    return status;
}

/* The sites of this part */
static void choose_sites(const struct induction *study, int *first, int *end)
{
    int64_t sites = study->sites.sites, parts = study->request.parts > 0 ? study->request.parts : 1;
    int64_t part = study->request.parts > 0 ? study->request.part : 1;
    *first = (int)(sites * (part - 1) / parts);
    *end = (int)(sites * part / parts);
}

/* DIR/vulnerability.vtkhdf: at the stimulated nodes of sites that were tested 0, 1 with re-entry that was not
 * sustained, 2 where it was; elsewhere NaN */
static enum status write_vulnerability(const struct induction *study, struct error *error)
{
    const struct mesh *mesh = &study->tree.reuse.mesh.mesh;
    enum status status = STATUS_OK;
    char *path = NULL;
    double *value = array_new(mesh->nodes, sizeof *value, "a map", &status, error);
    TRY_DONE(status);
    for (int64_t i = 0; i < mesh->nodes; i++)
        value[i] = NAN;
    for (int s = 0; s < study->sites.sites; s++) {
        struct induction_result result = induction_table_result(study->row, study->rows, s);
        double level = result.induced > 0 ? 2 : result.worst == INDUCTION_NON_SUSTAINED ? 1 : 0;
        for (int64_t k = 0; k < study->sites.site[s].nodes && result.tested; k++) {
            double *at = &value[study->sites.site[s].node[k]];
            *at = *at >= level ? *at : level;
        }
    }
    if (asprintf(&path, "%s/vulnerability%.*s.vtkhdf", study->directory,
                 (int)(strlen(study->table.path) - strlen(study->directory) - 10),
                 study->table.path + strlen(study->directory) + 6) < 0)
        TRY_DONE(error_memory(error, "a path", 1));
    status =
        vtkhdf_mesh_write_with(path, mesh, &(struct vtkhdf_field){"vulnerability", "1", value}, 1, error);
done:
    free(path);
    free(value);
    return status;
}

/* Steps that a run of its own would take for each branch */
static int64_t count_single_steps(const struct induction *study)
{
    int64_t steps = 0;
    for (int64_t r = 0; r < study->rows; r++)
        if (isfinite(study->row[r].time))
            steps += (int64_t)floor(study->row[r].time / study->base.physics.step + 0.5);
    return steps;
}

static enum status end_study(const struct induction *study, struct error *error)
{
    int64_t failed = 0;
    int vulnerable = 0, tested = 0;
    for (int s = 0; s < study->sites.sites; s++) {
        struct induction_result result = induction_table_result(study->row, study->rows, s);
        failed += result.failed;
        tested += result.branches > 0;
        vulnerable += result.induced > 0;
    }
    if (!study->request.quiet && !study->request.json)
        printf("re-entry is sustained from %d of %d sites; %lld branches: %s; %lld steps, %lld in runs of "
               "their own\n",
               vulnerable, tested, (long long)study->rows, study->table.path, (long long)study->tree.steps,
               (long long)count_single_steps(study));
    return failed == 0 ? STATUS_OK
                       : error_set(error, STATUS_RUN, "%lld of %lld branches failed; %s has their messages",
                                   (long long)failed, (long long)study->rows, study->table.path);
}

enum status induction_make(struct induction *study, struct error *error)
{
    int first, end;
    stop_begin_steps();
    TRY(open_table(study, error));
    if (study->rows > 0 && !study->request.quiet && !study->request.json)
        printf("%lld branches are in %s\n", (long long)study->rows, study->table.path);
    choose_sites(study, &first, &end);
    for (int s = first; s < end; s++)
        TRY(pace_site(study, s, error));
    TRY(write_vulnerability(study, error));
    return end_study(study, error);
}

enum status induction_describe(struct induction *study, FILE *file, struct error *error)
{
    enum { TRIED = 100 }; /* after as many, in which threads are tuned */
    const struct config_induction *protocol = &study->base.induction;
    int first, end;
    choose_sites(study, &first, &end);
    if (first == end) {
        fprintf(file, "part %d of %d has no site: there are %d\n", study->request.part, study->request.parts,
                study->sites.sites);
        return STATUS_OK;
    }
    TRY(induction_tree_open(&study->tree, first, error));
    bool peerp = protocol->protocol == INDUCTION_PROTOCOL_PEERP,
         burst = protocol->protocol == INDUCTION_PROTOCOL_BURST;
    double branches = burst ? (double)count_intervals(protocol)
                            : (double)protocol->extra * (peerp ? 1 : (double)count_intervals(protocol));
    double tests = peerp ? ceil(log2((protocol->from - protocol->to) / resolution + 1)) + 2 : 0;
    double each = protocol->from * (burst ? (double)protocol->extra : 1 + tests) + 2 * protocol->sustained;
    double time = branch_last(&study->tree.branches) + protocol->sustained + branches * each, bytes = 0;
    for (int k = 0; k < monodomain_variables(study->tree.setup.sim); k++)
        bytes += 2 * 8.0 *
                 (double)(study->tree.branches.forest.waves.nodes *
                          monodomain_variable(study->tree.setup.sim, k)->width);
    describe_forecast(file, &study->tree.setup.forecast, study->tree.branches.forest.waves.nodes);
    fprintf(file,
            "%d sites, at most %.0f branches and %.6g ms each; copies of the tissue: %.4g MB of the host's "
            "memory\n",
            end - first, 1 + branches, time, bytes / 1e6);
    char text[40];
    TRY(monodomain_advance(study->tree.setup.sim, TRIED, error));
    double began = clock_seconds();
    TRY(monodomain_advance(study->tree.setup.sim, TRIED, error));
    double step = (clock_seconds() - began) / TRIED;
    progress_duration(text, sizeof text, (end - first) * time / study->base.physics.step * step);
    fprintf(file, "duration: at most about %s on this machine, as %d steps took %.3g ms each\n", text, TRIED,
            1e3 * step);
    return STATUS_OK;
}
