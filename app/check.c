/* check.c: `cardiac check`: is this config right, and what does it say once all defaults are filled in? */
#include <stdio.h>
#include <stdlib.h>

#include "app/command.h"
#include "app/config.h"
#include "app/options.h"

static void print_warnings(const struct config *config)
{
    fflush(stdout);
    for (int i = 0; i < config->warnings; i++)
        fprintf(stderr, "cardiac: warning: %s\n", config->warning[i]);
}

static enum status check(const char *path, const struct option_list *sets, struct error *error)
{
    struct config config;
    enum status status = config_read(&config, path, sets->item, sets->count, error);
    if (!status) {
        config_print(stdout, &config);
        print_warnings(&config);
    }
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
    const struct usage usage = {"check CONFIG [options] | check --keys",
                                "Validates a config and prints it with units and all defaults: again a valid "
                                "config.\nWarnings go to standard error and do not change the exit status.",
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
