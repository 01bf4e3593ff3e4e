/* test_forecast.c: the forecast covers what the time loop takes on a device, and is no more than a quarter
 * above it, over precisions, methods, models, dimensions and slices; and what a whole run takes of the
 * machine, with frames on their way, maps and checkpoints. `test_forecast [full]`: some of these, or all. */
#include "app/problem/forecast.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/config/config.h"
#include "app/util/command.h"
#include "tests/support/check.h"

static const char path[] = "test_forecast.yaml";

static void write_config(void)
{
    FILE *file = fopen(path, "w");
    CHECK(file, "%s", path);
    fprintf(file, "version: 1\n"
                  "mesh: {slab: {size: [9 mm, 6.6 mm, 5 mm], spacing: 0.2 mm}}\n"
                  "tissue:\n"
                  "  surface_to_volume: 1400 /cm\n"
                  "  capacitance: 1 uF/cm^2\n"
                  "  regions:\n"
                  "    - {tags: all, model: tp06-epi, conductivity: 0.1 S/m}\n"
                  "stimuli:\n"
                  "  - {name: S1, box: {min: [0 mm, 0 mm, 0 mm], max: [1 mm, 1 mm, 1 mm]}, duration: 1 ms, "
                  "current: 50 uA/uF}\n"
                  "time: {end: 4 ms, step: 0.02 ms}\n"
                  "solver: {method: jacobi}\n"
                  "device: cpu\n"
                  "output: {directory: nowhere, fields: [V, Ca_i]}\n");
    CHECK(fclose(file) == 0, "%s", path);
}

/* The CPU's table with every byte counted that it is asked for */
static double allocated;
static const struct backend *cpu;

static void *counted_alloc(struct queue *queue, size_t bytes)
{
    allocated += (double)bytes;
    return cpu->alloc(queue, bytes);
}

static const char five[] =
    "tissue.regions[0].parameters={g_Na: {factor: 1 + z / (9 mm)}, g_CaL: {factor: 1 - x / "
    "(20 mm)}, g_Kr: {factor: 1 + x / (9 mm)}, g_Ks: {factor: 1 + y / (9 mm)}, g_to: "
    "{factor: 2 - x / (9 mm)}}";

/* Of a device */
struct bytes {
    double taken, forecast;
};

/* auto: it covers sweeps and stages, of which the latter take less. */
static struct bytes test_covers(const char *a, const char *b)
{
    struct error error = {0};
    struct config config;
    struct problem problem;
    struct queue *queue;
    struct monodomain *sim;
    const char *sets[] = {a, b};
    CHECK_OK(config_read(&config, path, sets, 2, &error), error);
    CHECK_OK(problem_create(&problem, &config, NULL, &error), error);
    cpu = backend_find("cpu", &error);
    CHECK(cpu, "%s", error.text);
    struct backend backend = *cpu;
    backend.alloc = counted_alloc;
    backend.slice_height = 32; /* as a GPU has them */
    CHECK_OK(queue_new(&queue, &backend, 1, &error), error);
    allocated = 8.0 * (double)problem.mesh.nodes * config.output.fields; /* a frame */
    CHECK_OK(monodomain_create(&sim, &problem.mesh, &problem.params, queue, &error), error);
    CHECK_OK(monodomain_advance(sim, (int64_t)1 << config.physics.doublings, &error), error);
    CHECK_OK(monodomain_show(sim, &error), error); /* for a frame of states */
    monodomain_hide(sim);
    for (int k = 0; k < monodomain_variables(sim); k++) { /* and a state on its way to a checkpoint */
        const struct variable *variable = monodomain_variable(sim, k);
        allocated += (variable->single ? 4.0 : 8.0) * (double)(variable->width * problem.mesh.nodes);
    }
    struct forecast forecast = forecast_make(&problem, &config);
    CHECK(allocated <= forecast.device, "%s, %s: %.0f bytes taken, forecast %.0f", a, b, allocated,
          forecast.device);
    CHECK(forecast.device <= 1.25 * allocated || problem.params.method == METHOD_AUTO,
          "%s, %s: %.0f bytes taken, forecast %.0f", a, b, allocated, forecast.device);
    printf("%s, %s: %.2f\n", a, b, forecast.device / allocated);
    monodomain_free(sim);
    queue_free(queue);
    problem_free(&problem);
    config_free(&config);
    return (struct bytes){allocated, forecast.device};
}

/* Five parameters that vary: the forecast of a device grows by what is allocated more for them, of as many rows as it
 * assumes. */
static void test_fields(const char *state)
{
    struct bytes of[2];
    of[0] = test_covers("tissue.regions[0].model=tp06-epi", state);
    of[1] = test_covers(five, state);
    const double taken = of[1].taken - of[0].taken, forecast = of[1].forecast - of[0].forecast;
    CHECK(taken > 0 && forecast >= taken && forecast <= 1.25 * taken,
          "%s: five fields take %.0f bytes more, forecast %.0f", state, taken, forecast);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* The peak of a run in a process of its own, which begins before this one has threads; 16 MB are the
 * program's.
 */
static void test_whole_run(const char *a, const char *b)
{
    char *argv[] = {"run",         (char *)(uintptr_t)path,
                    "--overwrite", "--quiet",
                    "--threads",   "1",
                    "--output",    "test_forecast.out",
                    "--set",       "time.end=0.1ms",
                    "--set",       "output.every=0.02ms",
                    "--set",       "checkpoint.every=0.04ms",
                    "--set",       (char *)(uintptr_t)a,
                    "--set",       (char *)(uintptr_t)b,
                    NULL};
    struct error error = {0};
    fflush(stdout);
    omp_set_num_threads(1); /* GNU OpenMP's do not survive in a child */
    pid_t child = fork();
    CHECK(child >= 0, "no process");
    if (child == 0) {
        omp_set_num_threads(2);
        _exit(command_run(18, argv, &error));
    }
    int status;
    struct rusage usage;
    CHECK(wait4(child, &status, 0, &usage) == child && status == 0, "%s, %s: ended with %d", a, b, status);
    struct config config;
    struct problem problem;
    const char *sets[] = {a, b};
    CHECK_OK(config_read(&config, path, sets, 2, &error), error);
    CHECK_OK(problem_create(&problem, &config, NULL, &error), error);
    struct forecast forecast = forecast_make(&problem, &config);
    double peak = 1024.0 * (double)usage.ru_maxrss, most = fmax(forecast.set_up, forecast.run);
    printf("%s, %s: %.1f MB taken, %.1f MB forecast\n", a, b, peak / 1e6, most / 1e6);
    CHECK(peak <= 1.1 * most + 16e6, "%s, %s: %.1f MB taken, forecast %.1f", a, b, peak / 1e6, most / 1e6);
    problem_free(&problem);
    config_free(&config);
}
#else
static void test_whole_run(const char *a, const char *b)
{
    printf("%s, %s: not measured beside a sanitizer's own memory\n", a, b);
}
#endif

int main(int argc, char **argv)
{
    const bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    char directory[] = "test-forecast-XXXXXX", command[64];
    CHECK(mkdtemp(directory) && chdir(directory) == 0, "no directory");
    write_config();
    test_whole_run("mesh.slab.spacing=0.2mm", "output.fields=[V, Ca_i, K_i]");
    test_whole_run(five, "activation.beats=1");
    test_fields("ionic.state=double");
    test_covers("solver.precision=mixed", "ionic.state=mixed");
    test_covers("solver.mass_lumping=0.5", "solver.method=chebyshev");
    test_covers("ionic.tables=on", "ionic.state=mixed");
    test_covers("solver.precision=mixed", "solver.method=auto");
    test_covers("solver={splitting: staggered, mass_lumping: 0.5}", "time.longest=0.04ms");
    test_covers("mesh={sheet: {size: [40 mm, 31 mm], spacing: 0.2 mm}}", "activation.beats=7");
    if (full) {
        test_whole_run("mesh.slab.spacing=0.2mm", "activation.beats=100");
        test_whole_run("solver.mass_lumping=0.5", "solver.method=chebyshev");
        test_whole_run("solver.splitting=staggered", "output.fields=[V, Ca_i, K_i]");
        test_fields("ionic.state=mixed");
        test_covers("solver.precision=mixed", "ionic.state=double");
        test_covers("solver.precision=double", "ionic.state=mixed");
        test_covers("solver.splitting=staggered", "time.longest=0.04ms");
        test_covers("solver.method=rkl2", "solver.precision_budget=1e-12mV"); /* too little to round K V */
        test_covers("solver.method=rkl2", "solver.precision=double");
        test_covers("mesh={cable: {length: 4000 mm, spacing: 0.1 mm}}", "tissue.regions[0].model=tp06-m");
    }
    CHECK(chdir("..") == 0, "chdir");
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) != 0;
}
