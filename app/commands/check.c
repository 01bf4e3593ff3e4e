/* check.c: `cardiac check`: is this config right, and what does it say once all defaults are filled in? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/config.h"
#include "app/run/describe.h"
#include "app/run/device.h"
#include "app/util/command.h"
#include "app/util/cores.h"
#include "app/util/options.h"

static void print_fibers_warning(const struct problem *problem)
{
    char text[200];
    problem_fibers_warning(problem, text, sizeof text);
    if (text[0])
        fprintf(stderr, "cardiac: warning: %s\n", text);
}

static void print_warnings(const struct config *config)
{
    fflush(stdout);
    for (int i = 0; i < config->warnings; i++)
        fprintf(stderr, "cardiac: warning: %s\n", config->warning[i]);
}

/* Everything that only mesh and matrix can tell */
static enum status describe(FILE *file, const struct config *config, struct error *error)
{
    struct problem problem = {0};
    struct queue *queue = NULL;
    struct monodomain *sim = NULL;
    enum status status = problem_check_initial(config, error);
    TRY(problem_create(&problem, config, error));
    if (!status)
        print_fibers_warning(&problem);
    TRY(describe_mesh(file, &problem, config, error));
    struct forecast forecast = {0};
    if (!status) {
        forecast = forecast_make(&problem, config);
        describe_forecast(file, &forecast, problem.mesh.nodes);
        status = forecast_check_host(&forecast, problem.mesh.nodes, error);
    }
    TRY(device_open(config->device, cores_threads(config->threads, problem.mesh.nodes), &queue, error));
    TRY(forecast_check_device(&forecast, problem.mesh.nodes, config, queue, error));
    TRY(monodomain_create(&sim, &problem.mesh, &problem.params, queue, error));
    if (!status)
        describe_report(file, monodomain_report(sim), config);
    monodomain_free(sim);
    queue_free(queue);
    problem_free(&problem);
    return status;
}

/* text, each line behind "# ", so that what `check` prints stays a config */
static void print_as_comment(char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        printf("# %s\n", line);
}

static enum status check(const char *path, const struct option_list *sets, struct error *error)
{
    struct config config;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    enum status status = file ? config_read(&config, path, sets->item, sets->count, error)
                              : error_memory(error, "a description", 4096);
    if (!file)
        return status;
    if (!status) {
        config_print(stdout, &config);
        print_warnings(&config);
        status = describe(file, &config, error);
    }
    fclose(file);
    if (text)
        print_as_comment(text);
    else
        TRY(error_memory(error, "a description", 4096));
    free(text);
    config_free(&config);
    return status;
}

enum status command_check(int argc, char **argv, struct error *error)
{
    bool keys = false, help;
    int count;
    struct option_list sets = {0};
    const struct option options[] = {
        {"--set", "KEY=VALUE", "override a key, such as solver.theta=0.5 (may be repeated)", .list = &sets},
        {"--keys", NULL, "print the reference of all keys (Markdown)", .flag = &keys},
        {0},
    };
    const struct usage usage = {
        "check CONFIG [options] | check --keys",
        "Validates a config and prints it with units and all defaults: again a valid "
        "config,\nwith the mesh's numbers, stability and memory as comments behind it. "
        "Warnings go to standard error and do not change the exit status.",
        options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (!status && !help) {
        if (keys && count == 0)
            config_print_keys(stdout);
        else if (!keys && count == 1)
            status = check(argv[1], &sets, error);
        else
            status = error_set(error, STATUS_INPUT, "expected a config, or --keys; usage: cardiac %s",
                               usage.synopsis);
    }
    free(sets.item);
    return status;
}
