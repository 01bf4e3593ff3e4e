/* advance.c: steps of a tissue, frames of steps, and the explanation of a failure. The host waits only at the
 * end of a frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/device/cpu.h"
#include "kernels/ops/rewind.h"
#include "solver/step/monodomain_internal.h"
#include "solver/step/stiffest.h"

/* Current length of steps, ms: a power of two times that of the params. control.step counts steps of this
 * length, so that t = n dt holds for these, too. */
static double step_length(const struct monodomain *sim)
{
    return ldexp(sim->params.step, sim->lengths.level);
}

/* Whether the change by diffusion is computed before the cells' step, from the change by the cells in the
 * previous step, and the cells then add it in equal parts: in long staggered steps */
static bool holds(const struct monodomain *sim)
{
    return sim->vectors.field && sim->lengths.level > 0;
}

/* Parameters of staggered steps of the cells */
static struct tissue_staggered staggered_of(const struct monodomain *sim)
{
    const struct scheme *scheme = &sim->report.scheme;
    return scheme->staggered ? (struct tissue_staggered){sim->before, rotation_before(&sim->vectors),
                                                         sim->vectors.field, scheme->theta, holds(sim)}
                             : (struct tissue_staggered){0};
}

/* Whether the next step is the first staggered one, before which gates are at the time of V */
static bool is_first(const struct monodomain *sim)
{
    return sim->report.scheme.staggered && sim->before == 0;
}

/* Number of sub-steps of the cells, whose length is the same for all lengths of a step */
static int substeps(const struct monodomain *sim)
{
    return sim->params.ionic_substeps << sim->lengths.level;
}

/* Parameters of the end of a diffusion step (x), of a time step (v), or of both; V is in u */
static struct step_end step_end_of(const struct monodomain *sim, double *u, double *x, const double *v)
{
    const struct monodomain_params *p = &sim->params;
    return (struct step_end){.u = u,
                             .x = x,
                             .keeps = sim->report.scheme.lengths > 1,
                             .predictor_weight = sim->diffusion.at->predictor_weight,
                             .b = sim->diffusion.b,
                             .inverse = sim->diffusion.at->inverse,
                             .v = v,
                             .dt = step_length(sim),
                             .limit = p->voltage_limit,
                             .observer = sim->beats.observer,
                             .points = sim->beats.points.points ? &sim->beats.points : NULL,
                             .halo = sim->halo,
                             .control = sim->diffusion.control};
}

/* First call (x NULL): field <- V plus the cells' change in the last step, or plus theta times it, scaled to
 * this step's length. Second call: field <- the change by diffusion x per time, mV/ms */
static void hold(struct monodomain *sim, double *x)
{
    const struct rewind_hold hold = {.rows = sim->layout.rows,
                                     .field = sim->vectors.field,
                                     .v = sim->vectors.v,
                                     .before = rotation_before(&sim->vectors),
                                     .ratio = sim->before > 0 ? step_length(sim) / sim->before : 0,
                                     .x = x,
                                     .rate = 1 / step_length(sim),
                                     .share = sim->diffusion.at->predictor_weight,
                                     .b = sim->diffusion.b,
                                     .inverse = sim->diffusion.at->inverse,
                                     .control = sim->diffusion.control};
    sim->queue->backend->hold(sim->queue, &hold);
}

static void enqueue_cells(struct monodomain *sim, double *from)
{
    tissue_step(&sim->tissue, step_length(sim), substeps(sim), staggered_of(sim), from, sim->vectors.u,
                sim->diffusion.control);
    profile_end(&sim->profile, PROFILE_IONIC);
}

/* The first of two backward Euler half-steps; the second starts from u. This step is not repeated. */
static void enqueue_first_half(struct monodomain *sim)
{
    const struct step_end end = step_end_of(sim, sim->vectors.u, sim->vectors.x, NULL);
    sim->diffusion.span = DIFFUSION_FIRST_HALF;
    diffusion_rhs(&sim->diffusion, &sim->vectors, NULL);
    diffusion_solve(&sim->diffusion, sim->vectors.x, NULL);
    sim->queue->backend->step_end(sim->queue, sim->layout.rows, &end);
    sim->diffusion.span = DIFFUSION_SECOND_HALF;
}

/* The diffusion step, followed by the cells if they add its change in equal parts */
static void enqueue_diffusion(struct monodomain *sim)
{
    const struct scheme *scheme = &sim->report.scheme;
    const struct rotation *vectors = &sim->vectors;
    struct profile *profile = &sim->profile;
    bool held = holds(sim);
    bool within = scheme->method == METHOD_RKL2 && !held; /* the last stage also ends the step */
    struct step_end end = step_end_of(sim, vectors->u, vectors->x, vectors->v);
    if (is_first(sim) && scheme->ahead)
        enqueue_first_half(sim);
    diffusion_rhs(&sim->diffusion, vectors, within ? &end : NULL);
    profile_end(profile, PROFILE_RHS);
    diffusion_solve(&sim->diffusion, vectors->x, within ? &end : NULL);
    sim->diffusion.span = DIFFUSION_WHOLE;
    profile_end(profile, PROFILE_SWEEPS);
    if (held)
        hold(sim, vectors->x);
    else if (!within)
        sim->queue->backend->step_end(sim->queue, sim->layout.rows, &end);
    profile_end(profile, PROFILE_REST);
    if (held) {
        enqueue_cells(sim, vectors->v);
        end = step_end_of(sim, vectors->u, NULL, vectors->v);
        sim->queue->backend->step_end(sim->queue, sim->layout.rows, &end);
        profile_end(profile, PROFILE_REST);
    }
    rotation_advance(&sim->vectors, 1);
    sim->before = step_length(sim);
    if (!sim->queue->backend->immediate)
        return;
    profile_collect(profile);
    if (sim->cpu_threads && sim->lengths.level == 0) /* only these times are comparable */
        cpu_set_threads(sim->queue, thread_tuner_step(&sim->tuner, profile->last));
}

/* I(dt) D(dt), or if the change by diffusion is computed first, D(dt) I(dt). The stimulus is a current of
 * the cells. */
static void enqueue_step(struct monodomain *sim)
{
    profile_begin(&sim->profile);
    if (holds(sim))
        hold(sim, NULL);
    else
        enqueue_cells(sim, sim->vectors.v);
    enqueue_diffusion(sim);
}

/* The lowest mesh node whose V in a vector exceeds the limit or is NaN; -1 = none */
static int64_t find_culprit(struct monodomain *sim, const double *vector, double *value)
{
    const struct layout *layout = &sim->layout;
    const struct partition *partition = &sim->partition;
    struct error ignored;
    bool there = !device_download(sim->queue, sim->staging, vector,
                                  (size_t)layout->rows * sizeof *sim->staging, &ignored);
    uint64_t own = 0, above; /* ~node of the lowest, 0 = none */
    for (int64_t k = 0; k < layout->rows && there; k++)
        if (layout->node[k] >= 0 && !(fabs(sim->staging[k]) <= sim->params.voltage_limit) &&
            ~(uint64_t)partition_number(partition, layout->node[k]) > own) {
            own = ~(uint64_t)partition_number(partition, layout->node[k]);
            *value = sim->staging[k];
        }
    above = own;
    partition->comm->engine->largest(partition->comm, COMM_STEPS, &above, 1);
    uint64_t root = own == above ? (uint64_t)partition->comm->rank : 0;
    partition->comm->engine->largest(partition->comm, COMM_STEPS, &root, 1);
    partition->comm->engine->broadcast(partition->comm, COMM_STEPS, (int)root, value, sizeof *value);
    return above == 0 ? -1 : (int64_t)~above;
}

/* 2^-23 max_i(sum_j |e_ij| / m_i) max|x|, mV: the residual due to rounding to fp32 that may remain after
 * any number of sweeps; x is the last iterate of the failed step. 0 if nothing is read in fp32. */
static double rounding_floor(struct monodomain *sim)
{
    const struct comm *comm = sim->partition.comm;
    uint64_t top = 0;
    struct error ignored;
    if (sim->report.scheme.fp32_share == 0)
        return 0;
    bool there = !device_download(sim->queue, sim->staging, sim->vectors.x,
                                  (size_t)sim->layout.rows * sizeof *sim->staging, &ignored);
    for (int64_t k = 0; k < sim->layout.rows && there; k++)
        if (sim->layout.node[k] >= 0 && !isnan(sim->staging[k]) && bits_of(fabs(sim->staging[k])) > top)
            top = bits_of(fabs(sim->staging[k]));
    comm->engine->largest(comm, COMM_STEPS, &top, 1);
    return 0x1p-23 * sim->report.largest_rate * bits_to_real(top);
}

/* Reports that the step's sweeps did not reach the tolerance */
static enum status explain_sweeps(struct monodomain *sim, struct error *error)
{
    const struct control *control = &sim->control;
    char hint[160] = "", blame[STIFFEST_TEXT];
    double floor = rounding_floor(sim);
    bool capped = sim->halo && !sim->queue->backend->immediate && control->sweep >= SWEEPS_EXPECTED_MOST &&
                  control->sweep < sim->diffusion.at->max_sweeps;
    if (floor > 0)
        snprintf(hint, sizeof hint,
                 " (rounding of fp32 rows alone leaves about %.2g mV; solver.precision: double avoids it)",
                 floor);
    if (!capped && *stiffest_blame(blame, &sim->report.stiffest))
        return error_set(
            error, STATUS_RUN,
            "step %lld (t = %.10g ms): %d sweeps left an error of %.3g mV, the tolerance is %g mV; %s",
            (long long)control->step, sim->failure.time, control->sweep, control->tested,
            sim->params.tolerance, blame);
    return error_set(
        error, STATUS_RUN,
        "step %lld (t = %.10g ms): %d sweeps left an error of %.3g mV, the tolerance is %g mV; "
        "%s%s",
        (long long)control->step, sim->failure.time, control->sweep, control->tested, sim->params.tolerance,
        capped ? "several GPUs do no more a step: use solver.method: rkl2, a smaller time.step or a larger "
                 "solver.tolerance"
               : "raise solver.tolerance or shorten time.step",
        hint);
}

/* Of the failed step: V before and after it; threshold and rearm, number of activations and waits flag of
 * each row */
struct undoing {
    double *v, *u, *by_row;
    int32_t *count;
    uint8_t *waits;
};

/* Removes from time[rows] and over[rows] (NULL = not recorded) of activation `beat` what the failed step,
 * from V to u, recorded */
static void undo_beat(struct monodomain *sim, const struct undoing *undoing, int32_t beat, double *time,
                      double *over)
{
    const int64_t step = sim->control.step;
    for (int64_t i = 0; i < sim->layout.rows; i++) {
        double v = undoing->v[i], u = undoing->u[i], dt = sim->params.step;
        double threshold = undoing->by_row ? undoing->by_row[i] : sim->beats.observer.threshold;
        double crossing = observer_crossing(threshold, v, u, step, dt);
        if (undoing->count[i] != beat + 1)
            continue;
        if (v < threshold && u >= threshold && time[i] == crossing) {
            time[i] = NAN;
            undoing->count[i] = beat;
            undoing->waits[i] &= OBSERVER_DROPPED;
        }
        if (over && v >= threshold && u < threshold && over[i] == crossing)
            over[i] = NAN;
    }
}

/* Removes the activations recorded by the failed step: on a GPU a row records its crossing before another
 * row is known to blow up. Rows rearmed by the step stay rearmed, and values overwritten by the latest
 * activation are lost, because the run ends here. */
static enum status remove_activations(struct monodomain *sim)
{
    size_t rows = (size_t)sim->layout.rows, bytes = rows * sizeof(double);
    const struct observer *o = &sim->beats.observer;
    struct error ignored;
    enum status status = STATUS_OK;
    double *time_block = array_new(5 * sim->layout.rows, sizeof *time_block, "V", &status, &ignored);
    struct undoing undoing = {
        .count = array_new(sim->layout.rows, sizeof(int32_t), "the activation map", &status, &ignored),
        .waits = array_new(sim->layout.rows, sizeof(uint8_t), "the activation map", &status, &ignored)};
    double *time = sim->staging, *over = o->over ? time_block + 4 * rows : NULL;
    TRY_DONE(status);
    undoing.v = time_block;
    undoing.u = time_block + rows;
    undoing.by_row = o->by_row ? time_block + 2 * rows : NULL;
    TRY_DONE(device_download(sim->queue, undoing.v, sim->vectors.v, bytes, &ignored));
    TRY_DONE(device_download(sim->queue, undoing.u, sim->vectors.u, bytes, &ignored));
    if (o->by_row)
        TRY_DONE(device_download(sim->queue, undoing.by_row, o->by_row, 2 * bytes, &ignored));
    TRY_DONE(device_download(sim->queue, undoing.count, o->count, rows * sizeof(int32_t), &ignored));
    TRY_DONE(device_download(sim->queue, undoing.waits, o->waits, rows * sizeof(uint8_t), &ignored));
    for (int32_t beat = 0; beat < o->beats; beat++) {
        const size_t column = (size_t)beat * rows;
        TRY_DONE(device_download(sim->queue, time, o->time + column, bytes, &ignored));
        if (over)
            TRY_DONE(device_download(sim->queue, over, o->over + column, bytes, &ignored));
        undo_beat(sim, &undoing, beat, time, over);
        TRY_DONE(device_upload(sim->queue, o->time + column, time, bytes, &ignored));
        if (over)
            TRY_DONE(device_upload(sim->queue, o->over + column, over, bytes, &ignored));
    }
    TRY_DONE(device_upload(sim->queue, o->count, undoing.count, rows * sizeof(int32_t), &ignored));
    status = device_upload(sim->queue, o->waits, undoing.waits, rows * sizeof(uint8_t), &ignored);
done:
    free(time_block);
    free(undoing.count);
    free(undoing.waits);
    return status;
}

static enum status explain_failure(struct monodomain *sim, struct error *error)
{
    const struct monodomain_params *p = &sim->params;
    const struct control *control = &sim->control;
    struct failure *failure = &sim->failure;
    const char *late = "";
    const double low = 150; /* mV, action potentials stay below this */
    bool recorded = !sim->queue->backend->immediate && observer_can_withdraw(&sim->beats.observer);
    if (recorded && control->failure == FAILURE_VOLTAGE && remove_activations(sim))
        late = "; the activation map may hold times of this step";
    *failure = (struct failure){.node = -1, .time = (double)control->step * p->step, .variable = "V"};
    switch (control->failure) {
    case FAILURE_SWEEPS:
        failure->kind = FAILURE_SWEEPS;
        failure->value = control->tested;
        return explain_sweeps(sim, error);
    default:
        failure->kind = FAILURE_VOLTAGE;
        failure->value = NAN;
        failure->node = find_culprit(sim, sim->vectors.u, &failure->value);
        char limit[120] = "";
        if (p->voltage_limit < low && fabs(failure->value) < low)
            snprintf(limit, sizeof limit,
                     "beyond solver.voltage_limit, %g mV, which action potentials pass: ", p->voltage_limit);
        if (failure->node < 0)
            return error_set(error, STATUS_RUN,
                             "blow-up in step %lld (t = %.10g ms): the change by diffusion is not a number%s",
                             (long long)control->step, failure->time, late);
        return error_set(error, STATUS_RUN, "blow-up in step %lld (t = %.10g ms): %sV = %g mV at node %lld%s",
                         (long long)control->step, failure->time, limit, failure->value,
                         (long long)failure->node, late);
    }
}

/* Steps replayed as one graph: a multiple of the rotation's period, so that few graphs are recorded; in
 * blocks, whose numbers of steps are powers of two, also the remainder */
enum { TOGETHER = 12 };

static int64_t steps_together(const struct monodomain *sim, int64_t left)
{
    return left >= TOGETHER ? TOGETHER : sim->report.scheme.lengths > 1 ? left : 1;
}

/* What distinguishes one recorded step from another (the graph's key) */
struct step_key {
    struct rotation vectors;
    double before;
    int64_t settings;
    int32_t expected, timed;
    int64_t level, steps;
};

static void enqueue_steps(struct monodomain *sim, int64_t steps)
{
    for (int64_t done = 0, length; done < steps; done += length) {
        length = steps_together(sim, steps - done);
        struct step_key key = {
            sim->vectors,    sim->before,        sim->settings, sim->diffusion.at->expected,
            sim->profile.on, sim->lengths.level, length};
        if (sim->queue->backend->graph_replay(sim->queue, &key, sizeof key)) {
            rotation_advance(&sim->vectors, length);
            sim->before = step_length(sim);
            continue;
        }
        sim->queue->backend->graph_begin(sim->queue, &key, sizeof key);
        for (int64_t k = 0; k < length; k++)
            enqueue_step(sim);
        sim->queue->backend->graph_end(sim->queue);
    }
}

/* All steps of a frame. On a GPU the last may be enqueued separately to be timed: after the others, so that
 * its first phase does not wait for the host. */
static enum status enqueue_frame(struct monodomain *sim, int64_t steps, struct error *error)
{
    int64_t alone = profile_is_due(&sim->profile) ? 1 : 0;
    enqueue_steps(sim, steps - alone);
    if (!alone)
        return STATUS_OK;
    sim->profile.on = true;
    enqueue_steps(sim, 1);
    sim->profile.on = false;
    TRY(sim->queue->backend->wait(sim->queue, error));
    profile_collect(&sim->profile);
    return STATUS_OK;
}

/* Whether the last step failed only because too few sweeps were enqueued: on GPUs of several ranks, where
 * no kernel can add sweeps. After its ionic step it has changed neither V nor a state. */
static bool needs_sweeps(const struct monodomain *sim)
{
    return sim->control.failure == FAILURE_SWEEPS && !sim->queue->backend->immediate && sim->halo &&
           sim->control.sweep < sim->diffusion.at->max_sweeps / 2 * 2 &&
           sim->control.sweep < SWEEPS_EXPECTED_MOST;
}

/* Repeats that step from its diffusion on with more sweeps, then the steps after it */
static enum status repeat_step(struct monodomain *sim, const struct rotation *begun, int64_t steps,
                               struct error *error)
{
    struct control *control = &sim->control;
    int64_t done = control->step - control->first;
    sim->vectors = *begun;
    rotation_advance(&sim->vectors, done);
    diffusion_expect(&sim->diffusion, 2 * control->sweep, 0);
    control->sweeps -= control->sweep;
    control->sweep = control->failure = 0;
    TRY(device_upload(sim->queue, sim->diffusion.control, control, sizeof *control, error));
    enqueue_diffusion(sim);
    enqueue_steps(sim, steps - done - 1);
    return device_download(sim->queue, control, sim->diffusion.control, sizeof *control, error);
}

/* Enqueues `steps` steps and waits for them; sim->control <- their result */
static enum status run_frame(struct monodomain *sim, const struct rotation *begun, int64_t steps,
                             struct error *error)
{
    struct control *control = sim->diffusion.control;
    TRY(tissue_prepare(&sim->tissue, sim->control.first, steps, step_length(sim), error));
    if (is_first(sim))
        TRY(tissue_gates(&sim->tissue, params_cell_step(&sim->params) / 2, sim->vectors.v, error));
    TRY(device_upload(sim->queue, control, &sim->control, sizeof sim->control, error));
    TRY(enqueue_frame(sim, steps, error));
    TRY(device_download(sim->queue, &sim->control, control, sizeof sim->control, error));
    while (needs_sweeps(sim))
        TRY(repeat_step(sim, begun, steps, error));
    return STATUS_OK;
}

static double seconds_of_exchange(const struct monodomain *sim)
{
    return sim->halo ? *sim->halo->seconds : 0;
}

/* Up to TISSUE_FRAME steps; a failure reaches the host at their end, in sim->control. */
static enum status advance_by_dt(struct monodomain *sim, int64_t steps, struct error *error)
{
    const struct rotation begun = sim->vectors;
    int64_t first = sim->control.step;
    double began = clock_seconds(), exchanged = seconds_of_exchange(sim);
    diffusion_expect(&sim->diffusion, sim->control.recent, first - sim->control.first);
    sim->control.first = first;
    sim->control.recent = 0;
    enum status status = run_frame(sim, &begun, steps, error);
    if (status)
        sim->failure =
            (struct failure){.kind = FAILURE_DEVICE, .node = -1, .time = (double)first * step_length(sim)};
    control_finish_step(&sim->control);
    sim->work.exchange_seconds += seconds_of_exchange(sim) - exchanged;
    profile_advanced(&sim->profile, began);
    if (status || !sim->control.failure)
        return status;
    /* The vectors were rotated for every enqueued step; only those before the failure count. */
    sim->vectors = begun;
    rotation_advance(&sim->vectors, sim->control.step - first);
    diffusion_forget(&sim->diffusion, sim->vectors.v, sim->layout.rows);
    return STATUS_OK;
}

static enum status advance_frame(struct monodomain *sim, int64_t steps, struct error *error)
{
    sim->work.by_level[0] += steps;
    TRY(advance_by_dt(sim, steps, error));
    return sim->control.failure ? explain_failure(sim, error) : STATUS_OK;
}

/* *share <- the change of V per dt in a block of 2^doublings steps of dt, on all nodes of all ranks: the
 * larger of the largest change over the block and a quarter of the largest change by diffusion alone in its
 * last step; infinite if a step longer than dt changed V by diffusion by more than the bound of rows in
 * fp32 */
static enum status find_share(struct monodomain *sim, double *share, struct error *error)
{
    const struct comm *comm = sim->partition.comm;
    const struct diffusion *diffusion = &sim->diffusion;
    uint64_t bits[3] = {0, 0, sim->lengths.level > 0 ? sim->control.passed : 0};
    const struct diffusion_level *level = diffusion->at;
    const struct rotation *vectors = &sim->vectors;
    const struct rewind_change change = {
        .rows = sim->layout.rows,
        .before = sim->lengths.v,
        .after = vectors->v,
        .x = vectors->depth > 0 ? vectors->history[0] : vectors->x,
        .share = level->predictor_weight,
        .b = diffusion->b,
        .inverse = level->inverse,
        .weight = level->weight,
        .largest = sim->lengths.largest,
    };
    sim->queue->backend->change(sim->queue, &change);
    enum status status = device_download(sim->queue, bits, sim->lengths.largest, 2 * sizeof *bits, error);
    if (status) {
        sim->failure = (struct failure){.kind = FAILURE_DEVICE, .node = -1};
        return status;
    }
    comm->engine->largest(comm, COMM_STEPS, bits, 3);
    double moved = ldexp(bits_to_real(bits[0]), -sim->params.doublings),
           spread = ldexp(bits_to_real(bits[1]) / 4, -sim->lengths.level);
    *share = isnan(moved) || moved >= spread ? moved : spread;
    if (bits[2])
        *share = INFINITY;
    return STATUS_OK;
}

/* Advances by the current block in longer steps; *share as above, NaN after a failure, which is not
 * reported */
static enum status advance_longer(struct monodomain *sim, double *share, struct error *error)
{
    struct lengths *lengths = &sim->lengths;
    int level = lengths->level;
    int64_t steps = (int64_t)1 << (sim->params.doublings - level);
    sim->control.step >>= level;
    sim->control.first >>= level;
    sim->control.passed = 0; /* of this block */
    enum status status = advance_by_dt(sim, steps, error);
    sim->control.step <<= level;
    sim->control.first <<= level;
    *share = NAN;
    TRY(status);
    if (!sim->control.failure)
        TRY(find_share(sim, share, error));
    sim->control.passed = lengths->control.passed;
    if (lengths_reject(level, *share)) {
        sim->work.rejected++;
        sim->work.rejected_sweeps += sim->control.sweeps - lengths->control.sweeps;
    } else {
        sim->work.by_level[level] += steps;
    }
    return STATUS_OK;
}

/* Advances by a block in steps of the length chosen before it, or of dt if stimuli change in it or that
 * length was too long */
static enum status advance_time_block(struct monodomain *sim, struct error *error)
{
    struct lengths *lengths = &sim->lengths;
    const int64_t steps = (int64_t)1 << sim->params.doublings;
    double share = NAN;
    if (is_first(sim) || !tissue_stimuli_constant(&sim->tissue, sim->control.step, steps, sim->params.step))
        monodomain_change_level(sim, 0);
    lengths->control = sim->control;
    lengths->before = sim->before;
    lengths_keep(lengths, sim->vectors.v, staggered_of(sim).v, sim->layout.rows, sim->queue);
    if (lengths->level > 0)
        TRY(advance_longer(sim, &share, error));
    if (lengths_reject(lengths->level, share)) {
        lengths_return(lengths, sim->vectors.v, rotation_before(&sim->vectors), sim->layout.rows, sim->queue);
        monodomain_change_level(sim, 0);
        sim->before = lengths->before;
        sim->control = lengths->control;
        sim->control.recent = 0;
    }
    if (lengths->level == 0) {
        TRY(advance_frame(sim, steps, error));
        TRY(find_share(sim, &share, error));
    }
    monodomain_change_level(sim, lengths_next(lengths->level, sim->report.scheme.lengths - 1, share));
    return STATUS_OK;
}

/* Advances by steps of dt up to a multiple of 2^doublings or the end, or by the block that begins here */
static enum status advance_some(struct monodomain *sim, int64_t most, int64_t *advanced, struct error *error)
{
    const int64_t time_block = (int64_t)1 << sim->params.doublings, beyond = sim->control.step % time_block;
    const bool longer = sim->report.scheme.lengths > 1;
    if (longer && beyond == 0 && most >= time_block) {
        *advanced = time_block;
        return advance_time_block(sim, error);
    }
    if (longer && most > time_block - beyond)
        most = time_block - beyond;
    *advanced = most < TISSUE_FRAME ? most : TISSUE_FRAME;
    monodomain_change_level(sim, 0);
    return advance_frame(sim, *advanced, error);
}

enum status monodomain_advance(struct monodomain *sim, int64_t steps, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t advanced = 0; steps > 0 && !status; steps -= advanced)
        status = advance_some(sim, steps, &advanced, error);
    sim->work.steps = sim->control.step - sim->origin;
    sim->work.sweeps = sim->control.sweeps;
    sim->work.sweeps_max = sim->control.most;
    return status;
}
