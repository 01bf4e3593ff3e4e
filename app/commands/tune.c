/* tune.c: `cardiac tune`: prints the conductivities that give the velocities of a config. */
#include <stdio.h>
#include <stdlib.h>

#include "app/config/config.h"
#include "app/problem/problem.h"
#include "app/report/describe.h"
#include "app/util/command.h"
#include "app/util/options.h"
#include "app/util/watch.h"

static enum status tune(const struct problem *problem, const struct config *config, struct error *error)
{
    int found = 0;
    for (int r = 0; r < config->tissue.regions; r++) {
        if (!problem->goal[r].given)
            continue;
        found++;
        printf("region %d (%s):\n", r, problem->region[r].model->name);
        describe_velocity(stdout, problem, config, r);
    }
    if (found)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: no region gives a velocity, as in `velocity: {longitudinal: 0.6 m/s, transverse: "
                     "0.3 m/s}` instead of its conductivity",
                     config->path);
}

enum status command_tune(int argc, char **argv, struct error *error)
{
    struct config config = {0};
    struct problem problem = {0};
    bool help;
    struct option_list sets = {0};
    const struct option options[] = {
        {"--set", "KEY=VALUE", "override a key, such as time.step=0.01 (may be repeated)", .list = &sets},
        {0},
    };
    const struct usage usage = {"tune CONFIG [options]",
                                "Prints the conductivities that give the velocities of a config's regions, "
                                "on the config's mesh and on "
                                "a\nfine one, and marks those that a run uses.",
                                options, 1, 1};
    enum status status;
    TRY_DONE(options_read(&usage, argc, argv, NULL, &help, error));
    if (help)
        goto done;
    watch_begin(WATCH_SILENCE);
    TRY_DONE(config_read(&config, argv[1], sets.item, sets.count, error));
    TRY_DONE(problem_create(&problem, &config, NULL, error));
    status = tune(&problem, &config, error);
done:
    watch_end();
    problem_free(&problem);
    config_free(&config);
    free(sets.item);
    return status;
}
