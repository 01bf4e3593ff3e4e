/* step_profile.c: `bench step --profile`: run the problem itself for 2000 steps, and report the time of a step, of
 * its parts (solver/step/profile.h), of the set-up and of the first step.
 *
 * After the first frame of 50 steps V is compared with a run in fp64 without tables and with a thousandth of the
 * tolerance. Only a correct run, in which V varies between nodes, is timed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/bench/matrix.h"
#include "kernels/base/clock.h"
#include "kernels/base/compare.h"
#include "solver/step/monodomain.h"

enum { FRAMES = 39, FRAME = 50, FRAMES_QUICK = 3, FRAME_QUICK = 5 };

/* mV: largest error of V allowed after the first ms, in which V rises by 100 mV, from mixed states, tables and a loose
 * tolerance */
static const double LIMIT = 0.05;

struct profile_run {
    struct bench *bench;
    const struct bench_problem *problem;
    struct monodomain *sim;
    int frames, frame;
    double *v, *want; /* [nodes] mV */
};

/* run->want <- V after the first frame, as accurate as the program can compute it */
static enum status compute_reference(struct profile_run *run, struct error *error)
{
    const struct bench *bench = run->bench;
    struct monodomain_params params = run->problem->problem.params;
    struct monodomain *sim = NULL;
    params.method = monodomain_report(run->sim)->scheme.method; /* `auto` would depend on the tolerance */
    params.precision = PRECISION_DOUBLE;
    params.ionic_mixed = params.ionic_tables = false;
    params.tolerance *= 1e-3;
    params.max_sweeps = 100000;
    enum status status;
    TRY_DONE(monodomain_create(&sim, &run->problem->problem.mesh, &params, bench->queue, error));
    TRY_DONE(monodomain_advance(sim, run->frame, error));
    status = monodomain_voltage(sim, run->want, error);
done:
    monodomain_free(sim);
    return status;
}

/* *right <- whether V after the first frame is correct; *moves <- whether V varies by more than 1 mV between nodes */
static enum status validate_frame(struct profile_run *run, bool *right, bool *moves, struct error *error)
{
    int64_t n = run->problem->problem.mesh.nodes;
    double low = INFINITY, high = -INFINITY, apart = 0;
    TRY(monodomain_voltage(run->sim, run->v, error));
    TRY(compute_reference(run, error));
    if (run->bench->inject)
        run->v[n / 2] += 1;
    for (int64_t i = 0; i < n; i++) {
        apart = bench_worse(apart, fabs(run->v[i] - run->want[i]));
        low = fmin(low, run->v[i]);
        high = fmax(high, run->v[i]);
    }
    *right = apart <= LIMIT;
    *moves = high - low > 1;
    return bench_verdict(run->bench, "V in mV after the first frame", *right, false, apart, error)
               ? STATUS_OK
               : STATUS_RUN;
}

static struct bench_row *add_time(struct bench *bench, const char *variant, double seconds)
{
    struct bench_row *row = bench_add_row(bench, variant, "ok");
    bench_figure(row, "us", 1e6 * seconds);
    return row;
}

static void add_phases(struct bench *bench, double step, const struct monodomain_work *work)
{
    static const char *const phase[] = {"its ionic step", "its rhs", "its sweeps", "its rest"};
    double seconds[] = {work->ionic_seconds, work->product_seconds, work->sweep_seconds, work->rest_seconds};
    double all = seconds[0] + seconds[1] + seconds[2] + seconds[3];
    if (!work->split)
        bench_blank(bench, "its parts", "too short a run to have timed a step by itself");
    for (int k = 0; k < 4 && work->split; k++)
        bench_figure(add_time(bench, phase[k], step * seconds[k] / all), "share %", 100 * seconds[k] / all);
}

/* Times the frames after the first: a step and its parts. */
static enum status time_frames(struct profile_run *run, struct error *error)
{
    struct bench *bench = run->bench;
    double frame[FRAMES], begin = clock_seconds();
    for (int k = 0; k < run->frames; k++) {
        double at = clock_seconds();
        TRY(monodomain_advance(run->sim, run->frame, error));
        frame[k] = (clock_seconds() - at) / run->frame;
    }
    double step = (clock_seconds() - begin) / (run->frames * run->frame);
    struct monodomain_work work = monodomain_work(run->sim);
    struct bench_row *row = add_time(bench, "a step", step);
    bench_figure(row, "sweeps", (double)work.sweeps / (double)work.steps);
    bench_figure(row, "most", work.sweeps_max);
    bench_figure(row, "fp32 %", 100 * monodomain_report(run->sim)->scheme.fp32_share);
    qsort(frame, (size_t)run->frames, sizeof *frame, compare_double);
    add_time(bench, "a step of the median frame", frame[run->frames / 2]);
    add_phases(bench, step, &work);
    return STATUS_OK;
}

static enum status profile_run(struct profile_run *run, struct error *error)
{
    struct bench *bench = run->bench;
    bool right = false, moves = false;
    double available, peak, begin = clock_seconds();
    TRY(monodomain_create(&run->sim, &run->problem->problem.mesh, &run->problem->problem.params, bench->queue,
                          error));
    TRY(bench->queue->backend->wait(bench->queue, error));
    double created = clock_seconds();
    TRY(monodomain_advance(run->sim, 1, error));
    double first = clock_seconds();
    TRY(monodomain_advance(run->sim, run->frame - 1, error));
    bench->queue->backend->memory(bench->queue, &available, &peak);
    TRY(validate_frame(run, &right, &moves, error));
    if (!right || bench->inject)
        return STATUS_OK;
    if (!moves) {
        bench_blank(bench, "a step", "not timed: nothing is stimulated in the first frame");
        return STATUS_OK;
    }
    TRY(time_frames(run, error));
    double done = clock_seconds();
    TRY(monodomain_voltage(run->sim, run->v, error));
    add_time(bench, "V to the host in mesh order", clock_seconds() - done);
    add_time(bench, "the first step", first - created);
    struct bench_row *row = add_time(bench, "set-up", created - begin);
    if (peak > 0)
        bench_figure(row, "GB", 1e-9 * peak);
    return STATUS_OK;
}

enum status bench_step_profile(struct bench *bench, const struct bench_problem *problem, struct error *error)
{
    int64_t nodes = problem->problem.mesh.nodes;
    struct profile_run run = {.bench = bench,
                              .problem = problem,
                              .frames = bench->quick ? FRAMES_QUICK : FRAMES,
                              .frame = bench->quick ? FRAME_QUICK : FRAME,
                              .v = bench_array(bench, nodes, sizeof *run.v),
                              .want = bench_array(bench, nodes, sizeof *run.want)};
    char title[80];
    snprintf(title, sizeof title, "%.40s, %lld nodes", problem->config.title, (long long)nodes);
    bench_section(bench, "step", title, "profile");
    TRY(bench_check(bench, error));
    enum status status = profile_run(&run, error);
    monodomain_free(run.sim);
    return status;
}
