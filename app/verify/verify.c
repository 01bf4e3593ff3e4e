/* verify.c: `cardiac verify`: the table of problems; select, run and summarise them. */
#include "app/verify/verify.h"

#include <stdio.h>
#include <string.h>

#include "app/run/device.h"
#include "app/util/command.h"
#include "app/util/json.h"
#include "kernels/base/suggest.h"
#include "app/util/options.h"
#include "kernels/base/clock.h"

struct problem_entry {
    const char *name, *summary, *planted;
    enum status (*run)(struct verify *verify, struct error *error);
    bool alone; /* a part or a larger version of another problem; excluded from `all` */
};

static const char diffusion_planted[] = "D too large by 1 %";

static const struct problem_entry problems[] = {
    {"stimulus", "a current in three kinds of unit, and its charge", "current too large by 1 %",
     verify_stimulus, false},
    {"cell", "tp06 cells at 1 Hz against their CellML texts", "g_Ks too large by 1 %", verify_cell, false},
    {"models", "the ionic models against integrations of their texts", "a clock slow by 1 %", verify_models,
     false},
    {"nodal-fibers", "fibres at nodes have no sign, and their mean is that at the centroid",
     "directions averaged without turning them to one side", verify_fibers, false},
    {"heart", "coordinates and fibres by rule on a piece of a spherical shell",
     "a wall and a height 1 % larger than the solution's, the angles 5 %", verify_heart, false},
    {"constant", "a constant field stays constant to the last bit", "one term of K V reads another V",
     verify_constant, false},
    {"uniform", "uniform tissue is a single cell, bit for bit", "V of one node off by one ulp",
     verify_uniform, false},
    {"conservation", "diffusion keeps sum m_i V_i", "one k_ij off by 1 %, not its mirror nor the diagonal",
     verify_conservation, false},
    {"eigenmode", "one mode decays by the scheme's own factor", diffusion_planted, verify_eigenmode, false},
    {"exact", "exact solution of Pathmanathan and Gray 2014 in 1, 2 and 3 dimensions", diffusion_planted,
     verify_exact, false},
    {"front", "speed of Huxley's front across slanted fibres", diffusion_planted, verify_front, false},
    {"speed", "speed of a front as cables find it", "k of the cells too large by 1 %", verify_speed, false},
    {"ecg", "potentials around an evenly polarised ball", diffusion_planted, verify_ecg, false},
    {"leads", "the twelve leads of a dipole", "V larger by 1 %", verify_leads, false},
    {"torso", "a dipole in bounded conductors: concentric balls, and one so large that it has no bounds",
     "conductivities of inner and outer ball swapped", verify_torso, false},
    {"helix", "the default fibres by rule on an ellipsoid", "angles 5 % larger", verify_helix, false},
    {"maps", "every map of three beats whose V is known", "a leak larger by 1 %", verify_maps, false},
    {"protocols", "trains, ramps and S2 after S1: when each stimulus comes", "intervals longer by 1 %",
     verify_protocols, false},
    {"splitting", "Godunov is first order, staggered second", diffusion_planted, verify_splitting, false},
    {"niederer", "benchmark of Niederer et al. 2011: 0.5 and 0.2 mm", diffusion_planted, verify_niederer,
     false},
    {"niederer-0.5", "the same at 0.5 mm", diffusion_planted, verify_niederer, true},
    {"niederer-0.2", "the same at 0.2 mm", diffusion_planted, verify_niederer, true},
    {"niederer-0.1", "the same at 0.1 mm (minutes)", diffusion_planted, verify_niederer, true},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static void print_list(void)
{
    for (int k = 0; k < PROBLEMS; k++)
        printf("%-14s %s\n%-14s   planted by --inject: %s\n", problems[k].name, problems[k].summary, "",
               problems[k].planted);
}

static void print_end(const struct verify *verify, int cases, int wrong, double seconds)
{
    if (verify->json) {
        struct json json = json_line(stdout);
        json_open(&json, NULL, '{');
        json_text(&json, "problem", verify->problem);
        json_integer(&json, "cases", cases);
        json_integer(&json, "wrong", wrong);
        json_flag(&json, "passed", wrong == 0);
        json_number(&json, "seconds", seconds);
        json_close(&json);
    } else
        printf("  %s: %s, %d of %d cases, %.1f s\n\n", verify->problem,
               wrong            ? "FAILED"
               : verify->inject ? "caught"
                                : "passed",
               cases - wrong, cases, seconds);
}

static enum status run_problem(struct verify *verify, const struct problem_entry *problem,
                               struct error *error)
{
    verify->problem = problem->name;
    if (!verify->json)
        printf("%s: %s\n", problem->name, problem->summary);
    if (verify->inject && !verify->json)
        printf("  planted: %s\n", problem->planted);
    double begin = clock_seconds();
    int cases = verify->cases, wrong = verify->wrong;
    enum status status = problem->run(verify, error);
    verify_end(verify);
    if (!status && verify->cases > cases)
        print_end(verify, verify->cases - cases, verify->wrong - wrong, clock_seconds() - begin);
    fflush(stdout);
    return status;
}

/* chosen[k] <- true if a name selects problem k */
static enum status choose_problems(int count, char **names, bool chosen[PROBLEMS], struct error *error)
{
    for (int n = 0; n < count; n++) {
        int found = 0;
        struct suggestion suggestion = suggest_for(names[n]);
        for (int k = 0; k < PROBLEMS; k++) {
            bool named = suggest_try(&suggestion, problems[k].name);
            if (named || (strcmp(names[n], "all") == 0 && !problems[k].alone)) {
                chosen[k] = true;
                found++;
            }
        }
        if (!found)
            return error_set(error, STATUS_INPUT, "no problem '%.80s'%s", names[n],
                             suggestion.best ? suggest_hint(&suggestion) : "; see cardiac verify --list");
    }
    return STATUS_OK;
}

static enum status run_chosen(struct verify *verify, const bool chosen[PROBLEMS], struct error *error)
{
    int failed = 0, total = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        if (!chosen[k])
            continue;
        int wrong = verify->wrong;
        TRY(run_problem(verify, problems + k, error));
        failed += verify->wrong > wrong;
        total++;
    }
    if (failed)
        return error_set(error, STATUS_DIFFERS,
                         verify->inject ? "%d of %d problems missed the error planted in them"
                                        : "%d of %d problems missed an interval",
                         failed, total);
    if (verify->update || verify->json)
        return STATUS_OK;
    printf(verify->inject ? "All %d problems caught the errors planted in them.\n"
                          : "All %d problems passed.\n",
           total);
    return STATUS_OK;
}

enum status command_verify(int argc, char **argv, struct error *error)
{
    struct verify verify = {.extent = EXTENT_NORMAL};
    bool list = false, quick = false, full = false, help = false, chosen[PROBLEMS] = {false};
    const char *device = "auto";
    int threads = 0, count;
    const struct option options[] = {
        {"--list", NULL, "the problems and the errors that --inject plants", .flag = &list},
        {"--inject", NULL, "plant a small error in each case; it must be caught", .flag = &verify.inject},
        {"--quick", NULL, "coarse meshes only", .flag = &quick},
        {"--full", NULL, "finest meshes too, Niederer at 0.1 mm (long)", .flag = &full},
        {"--update", NULL, "niederer, exact: print figures as rows to be stored", .flag = &verify.update},
        {"--json", NULL, "for programs: a line of JSON a figure, and one a problem", .flag = &verify.json},
        {"--threads", "N", "threads of the CPU, 0 = by its cores", .number = &threads},
        {"--device", "NAME", "auto, cpu, cuda or cuda:N", .text = &device},
        {0}};
    const struct usage usage = {
        "verify all|NAME... [options]",
        "Solve problems with a known answer and compare: each figure has an interval.", options, .least = 0,
        .most = PROBLEMS + 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        return status;
    if (list && verify.json)
        return error_set(error, STATUS_INPUT, "--list cannot be combined with --json");
    if (list) {
        print_list();
        return STATUS_OK;
    }
    if (count == 0)
        return error_set(error, STATUS_INPUT,
                         "name what to verify: all, or names from cardiac verify --list");
    if (quick && full)
        return error_set(error, STATUS_INPUT, "--quick cannot be combined with --full");
    if (verify.json && verify.update)
        return error_set(error, STATUS_INPUT, "--json cannot be combined with --update");
    verify.extent = quick ? EXTENT_QUICK : full ? EXTENT_FULL : EXTENT_NORMAL;
    TRY(choose_problems(count, argv + 1, chosen, error));
    TRY(device_open(device, threads, &verify.queue, error));
    status = run_chosen(&verify, chosen, error);
    queue_free(verify.queue);
    return status;
}
