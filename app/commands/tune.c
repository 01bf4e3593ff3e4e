/* tune.c: `cardiac tune`: which conductivities give the velocities that a config wants? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/config/config.h"
#include "app/problem/problem.h"
#include "app/problem/velocity.h"
#include "app/util/command.h"
#include "app/util/options.h"

static void print_line(const char *where, int r, const struct problem *problem, const struct config *config,
                       const double diffusion[3])
{
    static const char *const names[] = {"longitudinal", "transverse", "normal"};
    const struct region *region = problem->region + r;
    double unit = config->tissue.surface_to_volume * config->tissue.capacitance;
    int last = region->diffusion[1] != region->diffusion[2] ? 2 : 1;
    printf("region %d (%s) %s: conductivity: ", r, region->model->name, where);
    if (region->isotropic)
        printf("%.5g S/m\n", diffusion[0] * unit);
    for (int k = 0; k <= last && !region->isotropic; k++)
        printf("%s%s: %.5g S/m%s", k ? ", " : "{", names[k], diffusion[k] * unit, k == last ? "}\n" : "");
}

/* What is lost on coarse edges can be made up for by conductivity, but not without a price */
static void warn(int r, const double tissue[3], const double here[3], bool isotropic)
{
    const double many = 2;
    static const char *const names[] = {"longitudinal", "transverse", "normal"};
    for (int k = 0; k < (isotropic ? 1 : 3); k++)
        if (here[k] > many * tissue[k])
            fprintf(stderr,
                    "cardiac: warning: region %d%s%s: this mesh needs %.3g times the tissue's conductivity: "
                    "it is "
                    "too coarse for this velocity; stimuli, curved fronts and the ECG would differ from the "
                    "tissue's; use finer edges\n",
                    r, isotropic ? "" : " ", isotropic ? "" : names[k], here[k] / tissue[k]);
}

static enum status tune(const struct problem *problem, const struct config *config, struct error *error)
{
    const double work = 5e8; /* node steps: minutes at most */
    struct velocities velocities = {0};
    enum status status = velocities_create(&velocities, config, &problem->params, work, error);
    int found = 0;
    for (int r = 0; r < config->tissue.regions && !status; r++) {
        double speed[3], here[3];
        if (!config_velocity(speed, &config->tissue.region[r]))
            continue;
        found++;
        const double *tissue = problem->region[r].diffusion;
        print_line("on a fine mesh", r, problem, config, tissue);
        fflush(stdout);
        status = velocity_tune(here, &velocities, r, speed, &problem->mesh, stderr, error);
        if (!status && (isnan(here[0]) || isnan(here[1]) || isnan(here[2])))
            printf("region %d on this mesh: not known, its elements lie skew to the fibres\n", r);
        else if (!status) {
            print_line("on this mesh", r, problem, config, here);
            warn(r, tissue, here, problem->region[r].isotropic);
        }
    }
    velocities_free(&velocities);
    if (!status && !found)
        status =
            error_set(error, STATUS_INPUT,
                      "%s: no region says what its velocity is to be, as in `velocity: {longitudinal: 0.6 "
                      "m/s, transverse: 0.3 m/s}` instead of its conductivity",
                      config->path);
    return status;
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
    const struct usage usage = {
        "tune CONFIG [options]",
        "Prints the conductivities that give the velocities of a config's regions: on a fine mesh, which is "
        "what\na run takes, and on edges like those of the config's mesh.",
        options, 1, 1};
    enum status status;
    TRY_DONE(options_read(&usage, argc, argv, NULL, &help, error));
    if (help)
        goto done;
    TRY_DONE(config_read(&config, argv[1], sets.item, sets.count, error));
    TRY_DONE(problem_create(&problem, &config, NULL, error));
    status = tune(&problem, &config, error);
done:
    problem_free(&problem);
    config_free(&config);
    free(sets.item);
    return status;
}
