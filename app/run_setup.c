/* run_setup.c: from a config to a tissue at its first step, and to open files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/checkpoint_monodomain.h"
#include "app/describe.h"
#include "app/device.h"
#include "app/mesh_digest.h"
#include "app/mesh_report.h"
#include "app/run.h"
#include "app/version.h"

char *run_path(const struct run *run, const char *name)
{
    const char *directory = run->config.output.directory;
    size_t length = strlen(directory) + strlen(name) + 2;
    char *path = malloc(length);
    if (path)
        snprintf(path, length, "%s/%s", directory, name);
    return path;
}

/* mkdir -p */
static enum status make_directory(const char *directory, struct error *error)
{
    char *path = strdup(directory);
    if (!path)
        return error_memory(error, "a path", (double)strlen(directory));
    enum status status = STATUS_OK;
    for (char *at = path + 1; !status; at++) {
        char kept = *at;
        if (kept && kept != '/')
            continue;
        *at = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            status = error_set(error, STATUS_RUN, "%s: cannot make the directory: %s", path, strerror(errno));
        *at = kept;
        if (!kept)
            break;
    }
    free(path);
    return status;
}

/* Results are replaced or continued only when that was asked for; said before any work is done. */
static enum status check_existing(const struct run *run, struct error *error)
{
    char *path = run_path(run, "run.vtkhdf");
    if (!path)
        return error_memory(error, "a path", 1);
    int exists = access(path, F_OK) == 0;
    enum status status = STATUS_OK;
    if (exists && !run->options.overwrite && !run->options.resume && !run->options.dry_run)
        status = error_set(
            error, STATUS_INPUT,
            "%s exists; --overwrite replaces it, --resume goes on with it, --output chooses another place",
            path);
    free(path);
    return status;
}

/* What a memory stream holds goes to the log */
static void say_text(struct run *run, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        progress_say(run->progress, "%s", line);
}

static enum status say_description(struct run *run, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return error_memory(error, "a description", 4096);
    describe_counts(file, &run->problem, &run->config);
    struct forecast forecast = problem_forecast(&run->problem, &run->config);
    describe_forecast(file, &forecast, run->problem.mesh.nodes);
    describe_report(file, monodomain_report(run->sim), &run->config);
    describe_set_up(file, monodomain_report(run->sim));
    fclose(file);
    say_text(run, text);
    free(text);
    return STATUS_OK;
}

/* What the reader of the mesh noticed */
static void say_mesh_notes(struct run *run)
{
    const struct mesh_notes *notes = &run->problem.notes;
    char text[256];
    int which = 0;
    if (run->config.mesh.kind != MESH_FILE)
        return;
    while (mesh_health_warning(&notes->health, &which, text))
        progress_warn(run->progress, "mesh: %s", text);
    if (notes->health.turned > 0)
        progress_say(run->progress, "mesh: %lld elements were turned to positive volume",
                     (long long)notes->health.turned);
    for (int d = 0; d < 3; d++)
        if (notes->dropped[d] > 0)
            progress_say(run->progress, "mesh: %lld %s of the file left out: they are no tissue",
                         (long long)notes->dropped[d], d == 0 ? "points" : mesh_elements_name(d));
    if (notes->ignored[0])
        progress_say(run->progress, "mesh: not used: %s", notes->ignored);
}

static void say_warnings(struct run *run)
{
    for (int k = 0; k < run->config.warnings; k++)
        progress_warn(run->progress, "%s", run->config.warning[k]);
}

/* A run that cannot fit is refused before it makes the machine swap. */
static enum status check_memory(const struct run *run, struct error *error)
{
    struct forecast forecast = problem_forecast(&run->problem, &run->config);
    double need = forecast.set_up > forecast.run ? forecast.set_up : forecast.run;
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (need <= have)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%lld nodes would need about %.1f GB of memory and this machine has %.1f GB; take a "
                     "coarser mesh or a "
                     "larger machine",
                     (long long)run->problem.mesh.nodes, need / 1e9, have / 1e9);
}

/* Fingerprints of what a checkpoint of this run belongs to */
static enum status fingerprint(struct run *run, struct error *error)
{
    run->numbers = config_numbers(&run->config);
    if (!run->numbers)
        return error_memory(error, "the config's text", 4096);
    sha256_of(run->numbers, strlen(run->numbers), run->head.config_sha256);
    mesh_digest(&run->problem.mesh, run->head.mesh_sha256);
    snprintf(run->head.program, sizeof run->head.program, "%s", version_text());
    snprintf(run->head.backend, sizeof run->head.backend, "%s", run->backend->name);
    return STATUS_OK;
}

enum status run_tissue(struct run *run, struct error *error)
{
    const struct config *config = &run->config;
    enum status status = check_existing(run, error);
    if (!status && !run->options.dry_run)
        status = make_directory(config->output.directory, error);
    char *log = run_path(run, "run.log");
    if (!status)
        status = progress_open(&run->progress, run->options.dry_run ? NULL : log, run->options.resume,
                               run->options.quiet, error);
    free(log);
    if (status)
        return status;
    progress_say(run->progress, "%s: %s", version_text(), config->title ? config->title : config->path);
    status = problem_create(&run->problem, config, error);
    if (!status)
        status = check_memory(run, error);
    if (!status)
        status = device_open(config->device, config->threads, &run->backend, &run->queue, error);
    if (!status) {
        progress_say(run->progress, "device %s; mesh ready in %.2f s", run->backend->name,
                     run->problem.read_seconds);
        say_warnings(run);
        say_mesh_notes(run);
        status = monodomain_create(&run->sim, &run->problem.mesh, &run->problem.params, run->backend,
                                   run->queue, error);
    }
    if (!status)
        status = say_description(run, error);
    if (!status)
        status = fingerprint(run, error);
    if (!status)
        status = fields_create(&run->fields, run->sim, run->problem.mesh.nodes, config->output.field,
                               config->output.fields, error);
    return status;
}

static int ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* V and all states of another run, at step 0 */
static enum status start_from_file(struct run *run, struct error *error)
{
    const char *file = run->config.initial.file;
    int64_t nodes = run->problem.mesh.nodes;
    if (ends_with(file, ".vtkhdf"))
        return result_start_from(run->sim, nodes, file, run->config.initial.time, run->head.mesh_sha256,
                                 error);
    struct checkpoint *checkpoint = NULL;
    enum status status = checkpoint_open(&checkpoint, file, error);
    if (!status)
        status = checkpoint_start_from(run->sim, nodes, checkpoint, run->head.mesh_sha256, error);
    checkpoint_close(checkpoint);
    return status;
}

/* The newest good checkpoint, if --resume finds one: run->from */
static enum status resume(struct run *run, struct error *error)
{
    char passed[1024] = "";
    enum status status =
        checkpoint_latest(&run->from, run->config.output.directory, passed, sizeof passed, error);
    if (status)
        return status;
    if (passed[0])
        progress_warn(run->progress, "%s", passed);
    if (!run->from) {
        progress_say(run->progress, "no checkpoint in %s: starting from the beginning",
                     run->config.output.directory);
        return STATUS_OK;
    }
    status = checkpoint_fits(run->from, run->head.config_sha256, run->head.mesh_sha256, error);
    if (!status)
        status = checkpoint_restore(run->sim, run->problem.mesh.nodes, run->from, error);
    if (status)
        return status;
    const struct checkpoint_head *head = checkpoint_head(run->from);
    if (run->config.physics.precision != PRECISION_DOUBLE && strcmp(head->backend, run->backend->name) != 0)
        progress_warn(run->progress,
                      "the checkpoint was made on %s and the sweeps read fp32: on %s the result may differ "
                      "within solver.precision_budget",
                      head->backend, run->backend->name);
    run->checkpoint_step = head->step;
    progress_say(run->progress, "resumed from %s at %.10g ms", checkpoint_path(run->from), head->time);
    return STATUS_OK;
}

/* Names of the columns of probes.csv: the probe for V, probe.quantity for others; NULL without memory */
static char **probe_columns(const struct run *run)
{
    const struct config_output *output = &run->config.output;
    int count = output->probes * run->fields.count;
    char **column = calloc((size_t)count + 1, sizeof *column);
    for (int p = 0, k = 0; column && p < output->probes; p++)
        for (int f = 0; f < run->fields.count; f++, k++) {
            const char *field = run->fields.field[f].name;
            size_t room = strlen(output->probe[p].name) + strlen(field) + 2;
            column[k] = malloc(room);
            if (column[k])
                snprintf(column[k], room, strcmp(field, "V") == 0 ? "%s" : "%s.%s", output->probe[p].name,
                         field);
        }
    return column;
}

static void free_columns(char **column, int count)
{
    for (int k = 0; column && k < count; k++)
        free(column[k]);
    free(column);
}

/* run->probe[]: the nodes of the probes */
static enum status locate_probes(struct run *run, struct error *error)
{
    const struct config_output *output = &run->config.output;
    run->probe = calloc((size_t)output->probes + 1, sizeof *run->probe);
    run->row = calloc((size_t)(output->probes * run->fields.count) + 1, sizeof *run->row);
    if (!run->probe || !run->row)
        return error_memory(error, "the probes", 128.0 * output->probes);
    for (int p = 0; p < output->probes; p++) {
        snprintf(run->probe[p].name, sizeof run->probe[p].name, "%s", output->probe[p].name);
        memcpy(run->probe[p].point, output->probe[p].point, sizeof run->probe[p].point);
    }
    enum status status = probes_locate(run->probe, output->probes, &run->problem.mesh, error);
    for (int p = 0; p < output->probes && !status; p++)
        if (run->probe[p].distance > 0)
            progress_say(run->progress, "probe %s reads node %lld, %.3g mm away", run->probe[p].name,
                         (long long)run->probe[p].node, run->probe[p].distance);
    return status;
}

static enum status open_probes(struct run *run, char **column, struct error *error)
{
    char *path = run_path(run, "probes.csv");
    int columns = run->config.output.probes * run->fields.count;
    enum status status;
    if (!path)
        return error_memory(error, "a path", 1);
    if (run->from)
        status = probes_resume(&run->probes, path, (const char *const *)column, columns,
                               monodomain_time(run->sim), error);
    else
        status = probes_create(&run->probes, path, (const char *const *)column, columns,
                               run->options.overwrite || run->options.resume, error);
    free(path);
    return status;
}

/* run.vtkhdf, new or continued */
static enum status open_output(struct run *run, char **column, struct error *error)
{
    const struct config_output *from = &run->config.output;
    int columns = from->probes * run->fields.count;
    struct output_field *field = calloc((size_t)run->fields.count + 1, sizeof *field);
    struct output_probe *probe = calloc((size_t)columns + 1, sizeof *probe);
    struct output_map *map = calloc((size_t)from->maps + 1, sizeof *map);
    char *path = run_path(run, "run.vtkhdf"), *text = NULL, *libraries = version_libraries();
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    enum status status = STATUS_OK;
    if (!field || !probe || !map || !path || !file || !libraries) {
        status = error_memory(error, "the result file", 4096);
        goto done;
    }
    config_print(file, &run->config);
    fflush(file);
    for (int f = 0; f < run->fields.count; f++)
        field[f] = (struct output_field){run->fields.field[f].name, run->fields.field[f].unit,
                                         from->precision == OUTPUT_FLOAT64,
                                         strcmp(run->fields.field[f].name, "V") == 0 ? from->round : 0};
    for (int k = 0; k < columns; k++) {
        const struct probe *p = run->probe + k / run->fields.count;
        probe[k] = (struct output_probe){column[k],
                                         run->fields.field[k % run->fields.count].unit,
                                         {p->point[0], p->point[1], p->point[2]},
                                         p->node};
    }
    for (int k = 0; k < from->maps; k++)
        map[k] = (struct output_map){from->map[k], "ms", run->config.physics.activation_beats};
    struct output_params params = {.path = path,
                                   .mesh = &run->problem.mesh,
                                   .field = field,
                                   .fields = run->fields.count,
                                   .map = map,
                                   .maps = from->maps,
                                   .probe = probe,
                                   .probes = columns,
                                   .config = text,
                                   .program = version_text(),
                                   .libraries = libraries,
                                   .device = run->backend->name,
                                   .deflate = from->compress,
                                   .threads = run->config.threads};
    if (run->from)
        status = output_resume(
            &run->output, &params, monodomain_time(run->sim),
            run->config.physics.precision == PRECISION_DOUBLE && !run->config.physics.ionic_mixed, error);
    else
        status = output_create(&run->output, &params, run->options.overwrite || run->options.resume, error);
done:
    if (file)
        fclose(file);
    free(text);
    free(path);
    free(libraries);
    free(field);
    free(probe);
    free(map);
    return status;
}

enum status run_files(struct run *run, struct error *error)
{
    const struct config_output *output = &run->config.output;
    size_t nodes = (size_t)run->problem.mesh.nodes;
    enum status status = STATUS_OK;
    run->map = malloc((nodes * (size_t)run->config.physics.activation_beats + 1) * sizeof *run->map);
    run->before = calloc(nodes + 1, sizeof *run->before);
    if (!run->map || !run->before)
        status = error_memory(error, "the maps", 16.0 * (double)nodes);
    if (!status && run->options.resume)
        status = resume(run, error);
    if (!status && !run->from && run->config.initial.file)
        status = start_from_file(run, error);
    if (!status && !run->from)
        status = checkpoint_remove_all(output->directory, error);
    if (!status)
        status = locate_probes(run, error);
    if (status)
        return status;
    char **column = probe_columns(run);
    if (!column)
        return error_memory(error, "the probes", 64.0 * output->probes);
    status = open_output(run, column, error);
    if (!status && output->probes > 0)
        status = open_probes(run, column, error);
    free_columns(column, output->probes * run->fields.count);
    return status;
}
