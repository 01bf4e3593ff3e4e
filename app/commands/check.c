/* check.c: `cardiac check`: check a config and describe its run. `cardiac keys`: list the keys. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/measured.h"
#include "app/config/config.h"
#include "app/config/yaml.h"
#include "app/report/describe.h"
#include "app/run/device.h"
#include "app/study/study.h"
#include "app/problem/velocity.h"
#include "app/util/command.h"
#include "app/util/cores.h"
#include "app/util/json.h"
#include "app/util/options.h"
#include "app/util/text_media.h"
#include "app/util/watch.h"
#include "kernels/base/clock.h"
#include "kernels/device/cuda_device.h"
#include "solver/ranks/subdomain.h"

/* Prints each line of the text as a warning; closes and frees it. */
static void print_lines(struct printed *warnings)
{
    printed_close(warnings, NULL);
    if (!warnings->text)
        fputs("cardiac: warning: out of memory for warnings\n", stderr);
    for (char *line = warnings->text ? strtok(warnings->text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        text_media_line(stderr, "cardiac: warning: ", line);
    free(warnings->text);
}

static void print_warnings(const struct config *config)
{
    char text[200];
    cores_warning(config->threads, text, sizeof text);
    if (text[0])
        text_media_line(stderr, "cardiac: warning: threads: ", text);
    for (int i = 0; i < config->warnings; i++)
        text_media_line(stderr, "cardiac: warning: ", config->warning[i]);
}

/* Mean seconds of the first steps, after two that warm up the caches; times up to 100 steps or 0.3 s. *steps <- the
 * number timed; 0 s if there are none or a step fails, which `error` reports. */
static double time_steps(struct monodomain *sim, int64_t most, int64_t *steps, struct error *error)
{
    const double enough = 0.3;
    *steps = 0;
    if (monodomain_advance(sim, most < 2 ? most : 2, error))
        return 0;
    double began = clock_seconds(), now = began;
    while (*steps < 100 && *steps + 2 < most && now - began < enough) {
        if (monodomain_advance(sim, 1, error))
            return 0;
        ++*steps;
        now = clock_seconds();
    }
    return *steps > 0 ? (now - began) / (double)*steps : 0;
}

/* STATUS_INPUT if the first steps fail, with the place */
static enum status describe_duration(FILE *file, struct json *json, struct monodomain *sim,
                                     const struct mesh *mesh, const struct config *config,
                                     struct error *error)
{
    struct error failed = {0};
    int64_t timed;
    double each = time_steps(sim, config->steps, &timed, &failed);
    double whole = each * (double)config->steps;
    json_number(json, "step_seconds", timed > 0 ? each : (double)NAN);
    json_number(json, "run_seconds", timed > 0 ? whole : (double)NAN);
    const int64_t node = failed.status ? monodomain_failure(sim)->node : -1;
    if (failed.status && node >= 0)
        return error_set(error, STATUS_INPUT, "the first steps of the run fail: %.700s (%.6g, %.6g, %.6g mm)",
                         failed.text, mesh->point[3 * node], mesh->point[3 * node + 1],
                         mesh->point[3 * node + 2]);
    if (failed.status)
        return error_set(error, STATUS_INPUT, "the first steps of the run fail: %.800s", failed.text);
    if (timed > 0)
        fprintf(file,
                "duration: about %.3g %s on this machine: %lld steps of %.3g ms, as the first %lld took\n",
                whole < 100 ? whole : whole / (whole < 6000 ? 60 : 3600),
                whole < 100    ? "s"
                : whole < 6000 ? "min"
                               : "h",
                (long long)config->steps, 1e3 * each, (long long)timed);
    return STATUS_OK;
}

struct request {
    bool syntax, resolved, verbose, json;
    int ranks;
};

/* Describes the fronts. A failed measurement is not a fault of the config: the run will report it. */
static void describe_fronts(FILE *file, const struct problem *problem, const struct config *config,
                            bool verbose)
{
    struct velocities velocities = {0};
    struct error unknown = {0};
    struct printed warnings;
    if (!printed_open(&warnings, NULL) &&
        (velocities_create(&velocities, config, &problem->params, &problem->mesh,
                           problem->mesh_sha256[0] ? problem->mesh_sha256 : NULL, &unknown) ||
         velocity_describe(file, warnings.file, verbose, &velocities, problem->goal, &unknown)))
        fprintf(warnings.file, "the velocity of fronts is unknown: %s\n", unknown.text);
    velocities_free(&velocities);
    print_lines(&warnings);
}

/* The memory, disk and time that a run needs, its fronts and its matrix */
static enum status describe_run(FILE *file, struct json *json, const struct problem *problem,
                                const struct config *config, struct request request, struct error *error)
{
    struct queue *queue = NULL;
    struct monodomain *sim = NULL;
    struct monodomain_report shared = {0};
    char slow[200];
    int64_t nodes = problem->mesh.nodes;
    bool alone = request.ranks == 1;
    struct forecast whole = forecast_make(problem, config);
    struct forecast forecast = forecast_subdomain(problem, config, request.ranks);
    enum status status;
    TRY_DONE(subdomain_count(&shared, request.ranks, &problem->mesh, &problem->params, error));
    describe_ranks(file, &shared);
    describe_forecast(file, &forecast, nodes);
    forecast_disk(file, problem, config);
    describe_json(json, problem, config, &forecast);
    TRY_DONE(forecast_check_host(&whole, nodes, 1, error));
    /* the ranks' GPUs may be on other hosts, and one GPU may be too small for the whole */
    TRY_DONE(
        device_open(alone ? config->device : "cpu", cores_threads(config->threads, nodes), &queue, error));
    if (alone)
        TRY_DONE(forecast_check_device(&forecast, nodes, config, queue, error));
    TRY_DONE(user_model_load(config->models, queue, config_way(config), error));
    TRY_DONE(monodomain_create(&sim, &problem->mesh, &problem->params, queue, error));
    describe_fronts(file, problem, config, request.verbose);
    describe_compilations(file, config);
    describe_method(file, monodomain_report(sim), config);
    describe_slow_method(slow, sizeof slow, monodomain_report(sim), config);
    if (slow[0])
        text_media_line(stderr, "cardiac: warning: ", slow);
    if (request.verbose)
        describe_report(file, monodomain_report(sim));
    if (alone)
        status = describe_duration(file, json, sim, &problem->mesh, config, error);
done:
    monodomain_free(sim);
    queue_free(queue);
    return status;
}

/* Describes everything that depends on the mesh and on the first steps. */
static enum status describe(FILE *file, struct json *json, const struct config *config,
                            struct request request, struct error *error)
{
    struct problem problem = {0};
    struct printed warnings;
    enum status status;
    TRY_DONE(problem_check_initial(config, error));
    TRY_DONE(problem_create(&problem, config, NULL, error));
    TRY_DONE(printed_open(&warnings, error));
    problem_warnings(warnings.file, &problem, config);
    print_lines(&warnings);
    fprintf(file, "%s: %.10g ms in %lld steps of %g ms\n", config->title ? config->title : config->path,
            config->end, (long long)config->steps, config->physics.step);
    json_text(json, "title", config->title);
    json_number(json, "end", config->end);
    json_number(json, "step", config->physics.step);
    json_integer(json, "steps", config->steps);
    TRY_DONE(describe_mesh(file, &problem, config, error));
    TRY_DONE(measured_check(&problem, config, error));
    status = describe_run(file, json, &problem, config, request, error);
done:
    problem_free(&problem);
    return status;
}

/* Finds data given for each node of the config's mesh, which have no counterpart on a refined mesh. */
static enum status find_bound(const struct config *config, struct error *error)
{
    struct faults faults = {.error = error};
    for (int r = 0; r < config->tissue.regions; r++)
        if (config->tissue.region[r].phase_times)
            config_fault(&faults, config, config_key("tissue.regions[%d].initial", r).text,
                         "has a time for each node of this mesh");
    if (config->mesh.columns > 0)
        config_fault(&faults, config, "mesh.arrays", "has values at the nodes or elements of this mesh");
    if (config->mesh.networks > 0)
        config_fault(&faults, config, "mesh.network", "joins nodes of this mesh");
    if (config->ecg.fields)
        config_fault(&faults, config, "ecg.lead_fields", "has values at the nodes of this mesh");
    if (config->initial.file && !config_starts_from_result(config))
        config_fault(&faults, config, "initial.file",
                     "is a checkpoint, whose states belong to the nodes of this mesh");
    return faults.count > 0 ? STATUS_INPUT : STATUS_OK;
}

/* Writes "s1_duration", the duration of a pulse of the first stimulus, ms, and "short_interval", the fault of
 * induction.to if it is shorter than that or than the step. */
static enum status describe_first_stimulus(struct json *json, const struct config *config,
                                           struct error *error)
{
    struct error inner = {0}, interval = {0};
    struct faults faults = {.error = error}, of_interval = {.error = &interval};
    const double shortest = config->induction.to, step = config->physics.step;
    double duration = NAN;
    if (config->stimuli > 0 && protocol_duration(&duration, &config->stimulus[0], config->inputs, &inner))
        return config_fault_found(&faults, config, "stimuli[0].pulse", &inner);
    if (config->stimuli > 0 && shortest < fmax(duration, step))
        config_fault(&of_interval, config, "induction.to",
                     "%g ms is shorter than the stimulus (%g ms) or the step (%g ms)", shortest, duration,
                     step);
    json_number(json, "s1_duration", duration);
    json_text(json, "short_interval", interval.status ? interval.text : NULL);
    return STATUS_OK;
}

/* Writes the position of a key's value: "heart.yaml:12:20: induction.lesions[0].where". */
static void describe_place(struct json *json, const struct config *config, const char *key)
{
    struct error place = {0};
    struct faults faults = {.error = &place};
    config_fault(&faults, config, key, "%s", "");
    const size_t length = strlen(place.text);
    if (length >= 2)
        place.text[length - 2] = 0; /* ": " */
    json_text(json, key, place.text);
}

/* Writes the config, and facts about it for other programs, as JSON. */
static enum status describe_config(struct json *json, const struct config *config,
                                   const struct error *several, struct error *error)
{
    static const struct {
        const char *name;
        enum config_subset subset;
    } subsets[] = {{"mesh", CONFIG_MESH},
                   {"results", CONFIG_RESULTS},
                   {"induction", CONFIG_INDUCTION},
                   {"fit", CONFIG_FIT}};
    struct error bound = {0};
    struct printed all;
    char id[STUDY_ID], source[450];
    TRY(printed_open(&all, error));
    config_print_json(all.file, config);
    enum status status;
    TRY_DONE(printed_close(&all, error));
    all.text[strcspn(all.text, "\n")] = 0;
    json_value(json, "config", all.text);
    json_open(json, "ids", '{');
    for (size_t k = 0; k < sizeof subsets / sizeof *subsets; k++) {
        TRY_DONE(study_id(id, config, subsets[k].subset, error));
        json_text(json, subsets[k].name, id);
    }
    json_close(json);
    json_open(json, "inputs", '{'); /* files on which the ids depend */
    for (int64_t k = 0; k < config->inputs->count; k++)
        json_text(json, config->inputs->input[k].path, config->inputs->input[k].sha256);
    json_close(json);
    json_open(json, "places", '{'); /* of the keys of fit.parameters, of induction and its lesions */
    for (int k = 0; k < config->fit.parameters; k++) {
        const struct config_value *of = config->fit.parameter[k].bound;
        if (of->key_line > 0)
            snprintf(source, sizeof source, "%.400s:%d:%d", config->path, of->key_line, of->key_column);
        else
            snprintf(source, sizeof source, "--set fit.parameters");
        json_text(json, of->key, source);
    }
    if (yaml_tree_get(config->root, "induction"))
        describe_place(json, config, "induction");
    for (int k = 0; k < config->induction.lesions; k++)
        describe_place(json, config, config_key("induction.lesions[%d].where", k).text);
    json_close(json);
    json_integer(json, "order_in_time", config_order_in_time(config));
    json_text(json, "bound_to_mesh", find_bound(config, &bound) ? bound.text : NULL);
    TRY_DONE(describe_first_stimulus(json, config, error));
    json_text(json, "several_runs", several->status ? several->text : NULL);
    if (config->fit.parameters > 0 && strcmp(config->device, "auto") == 0)
        json_integer(json, "gpus", cuda_devices());
done:
    free(all.text);
    return status;
}

/* Prints each line of text, with "# " before it if a config follows. */
static void print_found(char *text, bool comment)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        text_media_line(stdout, comment ? "# " : "", line);
}

static void describe_lists(FILE *file, const struct config *config)
{
    int64_t runs = 1;
    for (int a = 0; a < config->axes; a++)
        runs *= config->axis[a].values;
    if (config->axes > 0)
        fprintf(file,
                "sweep: %lld runs, described without the values of its lists; `cardiac sweep --dry-run` "
                "forecasts all\n",
                (long long)runs);
}

/* Checks that each key of fit.parameters accepts both of its bounds. */
static enum status check_bounds(const struct config *config, const char *path, const struct option_list *sets,
                                struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < 2 * config->fit.parameters && !status; k++) {
        struct config tried = {0};
        const struct config_parameter *parameter = &config->fit.parameter[k / 2];
        const struct config_row row = {
            .path = config->path, .value = &parameter->bound[k % 2], .values = 1, .point = -1};
        status = config_read_row(&tried, path, sets->item, sets->count, NULL, 0, &row, error);
        config_free(&tried);
    }
    return status;
}

/* Checks that each value of a list of `sweep:` is valid for its key, with the first values of the other lists. */
static enum status check_lists(const struct config *config, const char *path, const struct option_list *sets,
                               struct error *error)
{
    enum status status = STATUS_OK;
    int64_t behind = 1;
    for (int a = config->axes - 1; a >= 0; a--) {
        const int values = config->axis[a].values;
        for (int k = 0; k < values && !status; k++) {
            struct config tried = {0};
            const struct config_row row = {.path = config->path, .point = k * behind};
            status = config_read_row(&tried, path, sets->item, sets->count, NULL, 0, &row, error);
            config_free(&tried);
        }
        if (__builtin_mul_overflow(behind, (int64_t)values, &behind))
            return status; /* `sweep` refuses so many */
    }
    return status;
}

static enum status check(const char *path, const struct option_list *sets, struct request request,
                         struct error *error)
{
    struct config config = {0}, alone = {0};
    struct error several = {0};              /* why this config describes several runs */
    struct printed words = {0}, facts = {0}; /* text and JSON; one of the two is printed */
    char *resolved = NULL;
    enum status status, closed[2];
    TRY_DONE(printed_open(&words, error));
    TRY_DONE(printed_open(&facts, error));
    const struct config_row row = {.point = -1}; /* of a study, without the values of its lists */
    TRY_DONE(config_read_row(&config, path, sets->item, sets->count, NULL, 0, &row, error));
    TRY_DONE(check_bounds(&config, path, sets, error));
    TRY_DONE(check_lists(&config, path, sets, error));
    describe_lists(words.file, &config);
    struct json json = json_line(facts.file);
    print_warnings(&config);
    json_open(&json, NULL, '{');
    if (request.json && config.axes > 0)
        config_read_with(&alone, path, sets->item, sets->count, NULL, 0, &several);
    if (request.json)
        TRY_DONE(describe_config(&json, &config, &several, error));
    if (!request.syntax)
        status = describe(words.file, &json, &config, request, error);
    json_close(&json);
    if (!status && request.resolved && !(resolved = config_printed(&config)))
        status = error_memory(error, "a config", 4096);
done:
    closed[0] = printed_close(&words, status ? NULL : error);
    closed[1] = printed_close(&facts, status ? NULL : error);
    status = status ? status : closed[0] ? closed[0] : closed[1];
    if (words.text && !request.json)
        print_found(words.text, request.resolved);
    if (!status && request.json)
        fputs(facts.text, stdout);
    if (!status && resolved)
        fputs(resolved, stdout);
    free(resolved);
    free(words.text);
    free(facts.text);
    config_free(&config);
    config_free(&alone);
    return status;
}

enum status command_check(int argc, char **argv, struct error *error)
{
    struct request request = {.ranks = 1};
    bool keys = false, help;
    int count;
    struct option_list sets = {0};
    const struct option options[] = {
        {"--set", "KEY=VALUE", "override a key, such as time.step=0.02 (may be repeated)", .list = &sets},
        {"--ranks", "N", "describe a run on N ranks: what each rank holds and needs",
         .number = &request.ranks},
        {"--syntax", NULL, "check keys and values only; the mesh and other files are not read",
         .flag = &request.syntax},
        {"--resolved", NULL,
         "also print the config with units and all defaults; the output is itself a config",
         .flag = &request.resolved},
        {"--verbose", NULL, "print details of the matrix and every front to warn of",
         .flag = &request.verbose},
        {"--json", NULL, "print the description as JSON", .flag = &request.json},
        {"--keys", NULL, "print the reference of all keys (Markdown)", .flag = &keys},
        {0},
    };
    const struct usage usage = {
        "check CONFIG [options] | check --keys",
        "Validates a config and prints what it describes: mesh, stimuli, probes, and the memory, disk space "
        "and time\nthat its run needs (measured on the first steps). All errors are reported at once. "
        "Warnings go to standard error\nand do not change the exit status.",
        options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (!status && !help) {
        if (request.ranks < 1)
            status = error_set(error, STATUS_INPUT, "--ranks %d: must be at least 1", request.ranks);
        else if (request.json && (keys || request.resolved || request.verbose))
            status = error_set(error, STATUS_INPUT,
                               "--json cannot be combined with --keys, --resolved or --verbose");
        else if (keys && count == 0)
            config_print_keys(stdout);
        else if (!keys && count == 1) {
            if (!request.json)
                watch_begin(WATCH_SILENCE);
            status = check(argv[1], &sets, request, error);
            watch_end();
        } else
            status = error_set(error, STATUS_INPUT, "expected a config, or --keys; usage: cardiac %s",
                               usage.synopsis);
    }
    free(sets.item);
    return status;
}

enum status command_keys(int argc, char **argv, struct error *error)
{
    bool help, json = false;
    int count;
    const struct option options[] = {
        {"--json", NULL, "print all keys as a JSON Schema, for editors", .flag = &json}, {0}};
    const struct usage usage = {
        "keys WORD | keys --json",
        "Lists the config keys whose name or meaning contains WORD, each with its "
        "value, default and meaning.\nEveryday words, such as bcl, scar or erp, find the keys or page that "
        "serve them.\n`cardiac check --keys` prints all keys.",
        options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        return status;
    if (json == (count == 1))
        return error_set(error, STATUS_INPUT, "expected a word, or --json; usage: cardiac %s",
                         usage.synopsis);
    if (json) {
        config_print_schema(stdout);
        return STATUS_OK;
    }
    if (config_search_keys(stdout, argv[1]) == 0)
        return error_set(error, STATUS_INPUT,
                         "no key matches '%.80s'; `cardiac check --keys` prints them all", argv[1]);
    return STATUS_OK;
}
