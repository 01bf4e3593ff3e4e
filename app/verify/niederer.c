/* niederer.c: the N-version benchmark of Niederer et al. 2011: nine activation times of a front through a slab
 * from one corner.
 *
 * Phil. Trans. R. Soc. A 369:4331, 2011 (doi 10.1098/rsta.2011.0139). Each time must lie within 0.2 % of our
 * stored one, which is narrow enough to detect D off by 1 %. With finer meshes and steps P8 converges to 42.33
 * +- 0.02 ms; these runs are too coarse to test that. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/config.h"
#include "app/problem/problem.h"
#include "app/util/cores.h"
#include "app/verify/verify.h"
#include "kernels/base/array.h"

enum { NIEDERER_POINTS = 9 };

/* Activation times of this program, ms; NaN = not activated before the run ends. */
struct niederer_stored {
    double spacing, step, lumping; /* mm, ms, f */
    double time[NIEDERER_POINTS];
};

/* Activation times of other codes at the same points, ms. */
struct niederer_other {
    const char *code;
    double spacing; /* mm */
    double time[NIEDERER_POINTS];
};

/* Output of `cardiac verify niederer niederer-0.1 --full --update`. After a change that is meant to alter the
 * figures, print and compare them again, and state in the commit why they changed. */
static const struct niederer_stored stored[] = {
    {0.5, 0.02, 1, {1.2560, 114.5557, 45.6977, 126.5401, 27.4770, 117.9724, 51.4089, 129.3414, 57.7329}},
    {0.5, 0.02, 0.5, {1.2528, 79.4512, 40.4735, 89.8073, 20.2824, 80.1939, 41.7905, 90.1531, 40.2245}},
    {0.5, 0.02, 0, {1.2500, 50.7911, 34.4834, 58.2099, 13.8198, 49.2471, 33.5831, 56.0041, 25.6915}},
    {0.2, 0.02, 1, {1.2543, 40.3675, 35.5566, 53.7847, 11.7612, 42.5113, 37.1468, 55.0185, 24.6642}},
    {0.2, 0.02, 0.5, {1.2539, 34.9980, 33.7393, 46.9462, 10.4388, 36.3505, 34.4104, 47.5864, 21.4416}},
    {0.2, 0.02, 0, {1.2532, 28.8437, 31.9157, 38.9407, 8.9022, 29.1004, 31.9529, 38.6754, 17.8844}},
    {0.1, 0.02, 1, {1.2541, 31.2452, 33.7611, 45.3200, 9.5115, 32.8974, 35.1076, 46.3943, 21.2853}},
    {0.1, 0.02, 0.5, {1.2540, 28.8922, 33.0987, 42.3061, 8.9131, 30.0713, 33.9965, 42.9556, 19.9061}},
};

/* P1 FEM: the demo of fenicsx-beat (MIT), consistent mass. Finite volumes: the test table of Cardioid (MIT).
 * Time steps as given there. Points in the order of points[]. */
static const struct niederer_other others[] = {
    {"P1 FEM consistent, dt 0.05", 0.5, {1.25, 51.1, 34.9, 58.9, 14.1, 49.5, 34.0, 56.65, 26.05}},
    {"fenicsx-beat, this mesh, dt 0.01", 0.5, {1.229, 50.88, 33.99, NAN, 14.00, 49.36, 33.10, 55.88, NAN}},
    {"finite volume, dt 0.005", 0.5, {1.23, 107.83, 44.21, 119.29, 20.74, 109.14, 47.00, 120.12, 55.18}},
    {"P1 FEM consistent, dt 0.01", 0.2, {1.24, 29.09, 31.25, 38.66, 9.34, 29.4, 31.29, 38.42, 18.14}},
    {"finite volume, dt 0.005", 0.2, {1.23, 39.63, 34.72, 52.73, 11.09, 41.34, 36.05, 53.65, 23.80}},
    {"P1 FEM consistent, dt 0.005", 0.1, {1.225, 25.5, 31.26, 37.81, 7.99, 26.09, 31.72, 37.93, 17.835}},
    {"finite volume, dt 0.005", 0.1, {1.23, 30.24, 32.64, 43.71, 8.82, 31.63, 33.78, 44.59, 20.43}},
    {"finite volume, dt 0.01", 0.1, {1.24, 30.52, 33.03, 44.24, 8.90, 31.94, 34.19, 45.13, 20.67}},
};

/* The stored times of the run with these parameters, or NULL */
static const struct niederer_stored *stored_times(double spacing, double step, double lumping)
{
    for (size_t k = 0; k < sizeof stored / sizeof *stored; k++)
        if (stored[k].spacing == spacing && stored[k].step == step && stored[k].lumping == lumping)
            return &stored[k];
    return NULL;
}

/* The k-th code with times at that spacing, or NULL */
static const struct niederer_other *other_times(double spacing, int k)
{
    for (size_t n = 0; n < sizeof others / sizeof *others; n++)
        if (others[n].spacing == spacing && k-- == 0)
            return &others[n];
    return NULL;
}

static const char config_text[] =
    "version: 1\n"
    "title: Niederer 2011 benchmark\n"
    "mesh: {slab: {size: [20 mm, 7 mm, 3 mm], spacing: 0.5 mm}}\n"
    "tissue:\n"
    "  surface_to_volume: 1400 /cm\n"
    "  capacitance: 1 uF/cm^2\n"
    "  fibers: [1, 0, 0]\n"
    "  regions:\n"
    "    - tags: all\n"
    "      model: tp06-epi\n"
    "      conductivity:\n"
    "        intra: {longitudinal: 0.17 S/m, transverse: 0.019 S/m}\n"
    "        extra: {longitudinal: 0.62 S/m, transverse: 0.24 S/m}\n"
    "stimuli:\n"
    "  - {box: {min: [0 mm, 0 mm, 0 mm], max: [1.5 mm, 1.5 mm, 1.5 mm]}, duration: 2 ms,\n"
    "     current: 50000 uA/cm^3}\n"
    "time: {end: 150 ms, step: 0.02 ms}\n";

static const double points[NIEDERER_POINTS][3] = {{0, 0, 0}, {0, 7, 0},  {20, 0, 0}, {20, 7, 0},    {0, 0, 3},
                                                  {0, 7, 3}, {20, 0, 3}, {20, 7, 3}, {10, 3.5, 1.5}};

struct run {
    const char *name; /* of the problem that consists of the runs of one spacing */
    double spacing, step, lumping, end;
    const char *method;
    enum extent extent; /* least extent at which the problem `niederer` includes it */
};

/* With a consistent mass matrix plain Jacobi diverges on tetrahedra. */
static const struct run runs[] = {
    {"niederer-0.5", 0.5, 0.02, 0.5, 150, "jacobi", EXTENT_QUICK},
    {"niederer-0.5", 0.5, 0.02, 1, 150, "jacobi", EXTENT_NORMAL},
    {"niederer-0.5", 0.5, 0.02, 0, 150, "chebyshev", EXTENT_NORMAL},
    {"niederer-0.2", 0.2, 0.02, 1, 60, "jacobi", EXTENT_NORMAL},
    {"niederer-0.2", 0.2, 0.02, 0.5, 60, "jacobi", EXTENT_NORMAL},
    {"niederer-0.2", 0.2, 0.02, 0, 60, "chebyshev", EXTENT_FULL},
    {"niederer-0.1", 0.1, 0.02, 1, 60, "jacobi", EXTENT_FULL},
    {"niederer-0.1", 0.1, 0.02, 0.5, 60, "jacobi", EXTENT_FULL},
};

/* Multilinear interpolation of value[nodes] on the slab's lattice at a point. */
static double at_point(const struct mesh *mesh, double spacing, const double *value, const double point[3])
{
    int64_t size[3], cell[3];
    double offset[3], sum = 0;
    for (int d = 0; d < 3; d++) {
        size[d] = (int64_t)floor(mesh->point[3 * (mesh->nodes - 1) + d] / spacing + 0.5) + 1;
        cell[d] = (int64_t)floor(point[d] / spacing + 1e-6);
        cell[d] = cell[d] > size[d] - 2 ? size[d] - 2 : cell[d];
        offset[d] = point[d] / spacing - (double)cell[d];
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int64_t node[3];
        for (int d = 0; d < 3; d++) {
            int high = corner >> d & 1;
            node[d] = cell[d] + high;
            weight *= high ? offset[d] : 1 - offset[d];
        }
        if (fabs(weight) > 1e-6)
            sum += weight * value[(node[2] * size[1] + node[1]) * size[0] + node[0]];
    }
    return sum;
}

/* Advances until every point is activated or run->end is reached. time[] <- activation times, ms; NaN = none */
static enum status advance_run(struct monodomain *sim, const struct problem *problem, const struct run *run,
                               double time[NIEDERER_POINTS], struct error *error)
{
    enum status status = STATUS_OK;
    double *map = array_new(problem->mesh.nodes, sizeof *map, "the activation map", &status, error);
    if (status)
        goto done;
    int variable = monodomain_find(sim, "activation_time");
    for (bool all = false; !all && monodomain_time(sim) < run->end - 1e-6;) {
        TRY_DONE(monodomain_advance(sim, (int64_t)(1 / run->step + 0.5), error));
        TRY_DONE(monodomain_get(sim, variable, map, error));
        all = true;
        for (int k = 0; k < NIEDERER_POINTS; k++) {
            time[k] = at_point(&problem->mesh, run->spacing, map, points[k]);
            all = all && !isnan(time[k]);
        }
    }
done:
    free(map);
    return status;
}

/* Simulates one run. time[] <- its nine activation times, ms; *work <- its counters */
static enum status simulate_run(struct verify *verify, const struct run *run, double time[NIEDERER_POINTS],
                                struct monodomain_work *work, struct error *error)
{
    char spacing[64], step[64], lumping[64], method[64];
    snprintf(spacing, sizeof spacing, "mesh.slab.spacing=%g mm", run->spacing);
    snprintf(step, sizeof step, "time.step=%g ms", run->step);
    snprintf(lumping, sizeof lumping, "solver.mass_lumping=%g", run->lumping);
    snprintf(method, sizeof method, "solver.method=%s", run->method);
    const char *sets[] = {spacing, step, lumping, method, "solver.splitting=godunov"};
    struct config config = {0};
    struct problem problem = {0};
    struct monodomain *sim = NULL;
    enum status status;
    TRY_DONE(config_parse(&config, "niederer.yaml", "", config_text, strlen(config_text), sets,
                          sizeof sets / sizeof *sets, error));
    TRY_DONE(problem_create(&problem, &config, NULL, error));
    for (int d = 0; d < 3; d++)
        problem.region->diffusion[d] *= verify_diffusion(verify);
    TRY_DONE(monodomain_create(&sim, &problem.mesh, &problem.params, verify->queue, error));
    monodomain_tune_threads(sim, cores_threads(0, problem.mesh.nodes));
    TRY_DONE(advance_run(sim, &problem, run, time, error));
    *work = monodomain_work(sim);
done:
    monodomain_free(sim);
    problem_free(&problem);
    config_free(&config);
    return status;
}

static void print_row(const struct run *run, const double time[NIEDERER_POINTS])
{
    printf("    {%g, %g, %g, {", run->spacing, run->step, run->lumping);
    for (int k = 0; k < NIEDERER_POINTS; k++)
        if (isnan(time[k]))
            printf("NAN%s", k < NIEDERER_POINTS - 1 ? ", " : "}},\n");
        else
            printf("%.4f%s", time[k], k < NIEDERER_POINTS - 1 ? ", " : "}},\n");
}

static void print_others(const struct run *run)
{
    const struct niederer_other *other;
    for (int n = 0; (other = other_times(run->spacing, n)); n++) {
        printf("    %-30s", other->code);
        for (int k = 0; k < NIEDERER_POINTS; k++)
            if (isnan(other->time[k]))
                printf("       -");
            else
                printf(" %7.2f", other->time[k]);
        printf("\n");
    }
}

static void check_times(struct verify *verify, const struct run *run, const double time[NIEDERER_POINTS])
{
    const struct niederer_stored *row = stored_times(run->spacing, run->step, run->lumping);
    for (int k = 0; k < NIEDERER_POINTS; k++) {
        char what[100];
        double want = row ? row->time[k] : NAN;
        snprintf(what, sizeof what, "P%d (%g, %g, %g) mm activated at, ms", k + 1, points[k][0], points[k][1],
                 points[k][2]);
        verify_interval(verify, what, time[k], want * 0.998, want * 1.002);
    }
    if (run->spacing == 0.5 && run->lumping == 0)
        verify_interval(verify, "P8 by another code on this mesh, 55.88 ms, to 0.5 %", time[7], 55.88 * 0.995,
                        55.88 * 1.005);
    verify_interval(verify, "P1 by codes with the right stimulus, ms", time[0], 1.22, 1.26);
}

enum status verify_niederer(struct verify *verify, struct error *error)
{
    bool by_extent = strcmp(verify->problem, "niederer") == 0;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        const struct run *run = runs + k;
        if (by_extent ? run->extent > verify->extent : strcmp(run->name, verify->problem) != 0)
            continue;
        double time[NIEDERER_POINTS];
        struct monodomain_work work;
        TRY(simulate_run(verify, run, time, &work, error));
        if (verify->update) {
            print_row(run, time);
            fflush(stdout);
            continue;
        }
        verify_case(verify, "dx %g mm, dt %g ms, f = %g (%s): %.2f sweeps a step", run->spacing, run->step,
                    run->lumping, run->method, (double)work.sweeps / (double)work.steps);
        check_times(verify, run, time);
        if (!verify->json)
            print_others(run);
    }
    return STATUS_OK;
}
