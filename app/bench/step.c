/* step.c: `bench step`: where the time of a step goes, by leaving parts of it out.
 *
 * The step is put together from the run's own operations: ionic step, right-hand side, as many sweeps as a
 * real run of the same problem takes, step end. Each row leaves one part out; of the sweeps also the gather
 * of x, the values, the columns or the writes (kernels/bench/ablation.h), against a step whose sweeps that
 * kernel makes whole. Then every part alone against the ceilings measured before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/step.h"
#include "app/bench/vendor.h"
#include "kernels/base/clock.h"

/* Runs the problem itself for a few steps: its time a step, and how many sweeps it takes. */
static enum status run_itself(struct bench *bench, const struct bench_problem *problem, int *sweeps,
                              struct error *error)
{
    struct monodomain *sim = NULL;
    int64_t steps = bench->quick ? 4 : 100; /* as many before, so that graphs of this length are there */
    enum status status =
        monodomain_create(&sim, &problem->problem.mesh, &problem->problem.params, bench->queue, error);
    AND(monodomain_advance(sim, steps, error));
    int64_t before = status ? 0 : monodomain_work(sim).sweeps;
    double begin = clock_seconds();
    AND(monodomain_advance(sim, steps, error));
    AND(bench->queue->backend->wait(bench->queue, error));
    double taken = clock_seconds() - begin;
    if (!status) {
        double mean = (double)(monodomain_work(sim).sweeps - before) / (double)steps;
        *sweeps = (int)fmax(2, 2 * round(mean / 2));
        struct bench_row *row = report_row(&bench->report, "as a run executes it", "ok");
        report_figure(row, "us", 1e6 * taken / (double)steps);
        report_figure(row, "sweeps", mean);
    }
    monodomain_free(sim);
    return status;
}

static const struct {
    const char *title;
    unsigned parts, what;
    bool ablated;
} rows[] = {
    {"whole step", STEP_ALL, ABLATION_NOTHING, false},
    {"minus ionic", STEP_ALL & ~(unsigned)STEP_IONIC, ABLATION_NOTHING, false},
    {"minus rhs", STEP_ALL & ~(unsigned)STEP_RHS, ABLATION_NOTHING, false},
    {"minus sweeps", STEP_ALL & ~(unsigned)STEP_SWEEPS, ABLATION_NOTHING, false},
    {"minus step end", STEP_ALL & ~(unsigned)STEP_END, ABLATION_NOTHING, false},
    {"whole step, sweeps of the ablation", STEP_ALL, ABLATION_NOTHING, true},
    {"minus gather", STEP_ALL, ABLATION_GATHER, true},
    {"minus values", STEP_ALL, ABLATION_VALUES, true},
    {"minus columns", STEP_ALL, ABLATION_COLUMNS, true},
    {"minus writes", STEP_ALL, ABLATION_WRITES, true},
};

static enum status leave_out(struct bench *bench, struct step_parts *parts, struct error *error)
{
    double whole = 0, seconds;
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof rows / sizeof *rows && !status; k++) {
        parts->parts = rows[k].parts;
        parts->what = rows[k].what;
        parts->ablated = rows[k].ablated;
        status = step_trial_whole(bench, parts, rows[k].title, &seconds, error);
        if (!(seconds > 0) || status)
            continue;
        if (rows[k].parts == STEP_ALL && rows[k].what == ABLATION_NOTHING)
            whole = seconds; /* each kind of sweeps against its own */
        struct bench_row *row = &bench->report.row[bench->report.rows - 1];
        report_figure(row, "saves %", 100 * (1 - seconds / whole));
        report_figure(row, "sweeps", parts->sweeps);
    }
    return status;
}

static enum status measure_parts(struct bench *bench, const struct bench_problem *problem,
                                 const struct bench_matrix *matrix, struct error *error)
{
    struct step_parts parts = {.sweeps = 6};
    report_section(&bench->report, "step", matrix->name, "a run");
    enum status status = run_itself(bench, problem, &parts.sweeps, error);
    AND(step_parts_make(&parts, bench, problem, matrix, error));
    report_section(&bench->report, "step", matrix->name, "parts against the ceilings");
    AND(step_trial_parts(bench, &parts, error));
    report_section(&bench->report, "step", matrix->name, "ablation");
    AND(leave_out(bench, &parts, error));
    step_parts_free(&parts, bench);
    return status;
}

/* A sweep by the vendor's library, on the rows as the mesh has them */
static enum status measure_vendor(struct bench *bench, const struct bench_matrix *matrix, struct error *error)
{
    struct bench_case c;
    report_section(&bench->report, "step", matrix->name, "a sweep by the vendor");
    if (!bench->device->vendor_new) {
        bench_blank(bench, "sparse products", "this device has no library of them");
        return STATUS_OK;
    }
    enum status status = bench_case_make(&c, bench, matrix, true, NULL, PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    status = bench_rivals(bench, &c, error);
    bench_case_free(&c, bench);
    return status;
}

enum status bench_step(struct bench *bench, struct error *error)
{
    struct bench_problem problem;
    struct bench_matrix matrix;
    bool kernels = !bench->profile || bench->vendor; /* are measured, too */
    if (bench->file) {
        report_section(&bench->report, "step", bench->file, "ablation");
        bench_blank(bench, "whole step", "a file's matrix has no cells; use --config");
        return STATUS_OK;
    }
    enum status status = kernels ? bench_ceilings(bench, error) : STATUS_OK;
    AND(bench_problem_open(&problem, bench, error));
    if (status)
        return status;
    if (bench->profile)
        status = step_profile(bench, &problem, error);
    if (!status && kernels)
        status = bench_matrix_own(&matrix, &problem, true, error);
    if (!status && kernels) {
        if (!bench->profile)
            status = measure_parts(bench, &problem, &matrix, error);
        if (!status && bench->vendor)
            status = measure_vendor(bench, &matrix, error);
        bench_matrix_free(&matrix);
    }
    bench_problem_free(&problem);
    return status;
}
