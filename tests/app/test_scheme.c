/* test_scheme.c: the scheme that `auto` decides on. Stages read nearly all rows in fp32; longer steps count as
 * seldom as they are taken; refining time.step by four changes no method of the shipped configs. */
#include <string.h>

#include "app/config/config.h"
#include "app/problem/problem.h"
#include "solver/step/monodomain.h"
#include "tests/support/check.h"

/* The report of a config of configs/ with such keys; *step <- its time.step, ms */
static struct monodomain_report report_of(const char *name, const char *const *sets, int count, double *step)
{
    struct error error = {0};
    struct config config;
    struct problem problem;
    struct queue *queue;
    struct monodomain *sim;
    char path[1000];
    snprintf(path, sizeof path, "%s/configs/%s.yaml", CARDIAC_SOURCE, name);
    CHECK_OK(config_read(&config, path, sets, count, &error), error);
    CHECK_OK(problem_create(&problem, &config, NULL, &error), error);
    CHECK_OK(queue_new(&queue, backend_find("cpu", &error), 1, &error), error);
    CHECK_OK(monodomain_create(&sim, &problem.mesh, &problem.params, queue, &error), error);
    const struct monodomain_report report = *monodomain_report(sim);
    *step = config.physics.step;
    printf("%s, %g ms: method %d, %g and %g passes\n", name, *step, (int)report.scheme.method,
           report.passes_of_sweeps, report.passes_of_stages);
    CHECK(report.scheme.method != METHOD_RKL2 || report.scheme.fp32_share > 0.99,
          "%s: %g of the rows in fp32", name, report.scheme.fp32_share);
    monodomain_free(sim);
    queue_free(queue);
    problem_free(&problem);
    config_free(&config);
    return report;
}

/* A slab of edges of 0.1 mm, in steps of one length and of up to 0.8 ms */
static void test_passes(void)
{
    const char *sets[] = {"solver.method=auto",
                          "mesh.slab.size=[4 mm, 2 mm, 1 mm]",
                          "mesh.slab.spacing=0.1mm",
                          "output.probes={}",
                          "time.step=0.05ms",
                          "time.longest=0.8ms",
                          "output.every=0.8ms",
                          "checkpoint.every=0.8ms",
                          "time.end=8ms"};
    double step;
    const struct monodomain_report fixed = report_of("niederer", sets, 5, &step),
                                   longer = report_of("niederer", sets, 9, &step);
    const struct scheme *of = &longer.scheme;
    CHECK(fixed.scheme.method == METHOD_RKL2 && fixed.scheme.length[0].stages == 3 &&
              fixed.scheme.lengths == 1,
          "%d stages", fixed.scheme.length[0].stages);
    CHECK(fixed.passes_of_stages == 4 && fixed.passes_of_sweeps == fixed.sweeps + 1, "%g and %g passes",
          fixed.passes_of_stages, fixed.passes_of_sweeps);
    CHECK(of->method == METHOD_RKL2 && of->lengths == 5, "%d lengths", of->lengths);
    const double want = 0.25 * 4 + 0.75 * (of->length[4].stages + 1) / 16;
    CHECK(of->length[4].stages > 3 && longer.passes_of_stages == want, "%g passes, want %g",
          longer.passes_of_stages, want);
}

int main(void)
{
    static const char *const names[] = {"heart",       "induction", "niederer", "quickstart", "reentry",
                                        "restitution", "ventricle", "wedge",    "cable",      "fit"};
    int staged = 0;
    test_passes();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char shorter[64];
        const char *sets[] = {"solver.method=auto", shorter};
        double step, quarter;
        const enum method method = report_of(names[k], sets, 1, &step).scheme.method;
        snprintf(shorter, sizeof shorter, "time.step=%.17g ms", step / 4);
        staged += method == METHOD_RKL2;
        CHECK(report_of(names[k], sets, 2, &quarter).scheme.method == method,
              "%s: another method in steps of %g ms", names[k], step / 4);
    }
    CHECK(staged > 5, "stages are chosen %d times: nothing would be tested", staged);
    return 0;
}
