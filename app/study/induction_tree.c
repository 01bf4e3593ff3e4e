/* induction_tree.c: step S1 once, keep a copy after it and one near the intervals that are tested, and follow
 * each branch from there. */
#include "app/study/induction_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/stop.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"

static const double look_every = 20; /* ms, less than between two beats of a node */

/* How the study is to end before its next steps, STATUS_OK = not */
static enum status asked_to_stop(const struct induction_tree *tree, struct error *error)
{
    enum status status = study_stop(tree->request);
    return status ? error_set(error, status, "%s: the same command goes on",
                              status == STATUS_STOPPED ? "time is up" : "interrupted")
                  : STATUS_OK;
}

/* The tissue <- at the steps that end by `time` ms */
static enum status go_to(struct induction_tree *tree, double time, struct error *error)
{
    struct monodomain *sim = tree->setup.sim;
    int64_t before = monodomain_step(sim);
    enum status status = STATUS_OK;
    for (double to = monodomain_time(sim); to < time && !status;) {
        to = fmin(to + look_every, time);
        TRY(asked_to_stop(tree, error));
        status = branch_advance(&tree->branches, to, error);
        tree->steps += monodomain_step(sim) - before;
        before = monodomain_step(sim);
        if (!status)
            status = branch_look(&tree->branches, true, error);
    }
    return status;
}

static enum status take_copy(struct induction_tree *tree, struct induction_copy *copy, struct error *error)
{
    copy->time = NAN;
    TRY(simulation_copy_take(&copy->copy, &tree->setup, error));
    copy->time = monodomain_time(tree->setup.sim);
    return STATUS_OK;
}

static enum status create_copy(struct induction_tree *tree, struct induction_copy *copy, struct error *error)
{
    copy->time = NAN;
    return simulation_copy_create(&copy->copy, &tree->setup, error);
}

/* The tissue <- at `time` ms after the trunk's stimuli, from the nearest copy; a copy is left at `anchor` on
 * the way there */
static enum status return_to(struct induction_tree *tree, double time, double anchor, struct error *error)
{
    struct induction_copy *from = tree->near.time <= time ? &tree->near : &tree->trunk;
    if (from == &tree->trunk)
        tree->near.time = NAN; /* the waves up to then are lost */
    TRY(branch_restore(&tree->branches, &from->copy, error));
    if (anchor > from->time) {
        TRY(go_to(tree, anchor, error));
        TRY(take_copy(tree, &tree->near, error));
    }
    return go_to(tree, time, error);
}

void induction_tree_close(struct induction_tree *tree)
{
    simulation_copy_free(&tree->trunk.copy);
    simulation_copy_free(&tree->near.copy);
    branch_free(&tree->branches);
    if (tree->site >= 0)
        setup_free(&tree->setup);
    tree->site = -1;
}

/* The config of a site; the keys that this tree does not need have values that cost nothing, and that no
 * other key can contradict: 1e9 ms are a multiple of every step up to 1e-9 of them. */
enum status induction_tree_config(struct config *config, const struct study_request *request,
                                  struct error *error)
{
    static const char *const own[] = {"activation.beats=2",
                                      "activation.method=threshold",
                                      "output.maps=[activation_time]",
                                      "stop_when=never",
                                      "time.end=1e9 ms",
                                      "output.every=1e9 ms"};
    enum { OWN = sizeof own / sizeof *own };
    enum status status = STATUS_OK;
    const char **set = array_new(request->sets + OWN, sizeof *set, "the options", &status, error);
    TRY(status);
    for (int k = 0; k < request->sets; k++)
        set[k] = request->set[k];
    memcpy(set + request->sets, own, sizeof own);
    status = config_read_with(config, request->config, set, request->sets + OWN, request->option,
                              request->options, error);
    free(set);
    return status;
}

/* The tissue of a site at its start */
enum status induction_tree_open(struct induction_tree *tree, int site, struct error *error)
{
    induction_tree_close(tree);
    tree->site = site;
    tree->setup = (struct setup){.reuse = &tree->reuse,
                                 .comm = comm_alone(),
                                 .options = {.quiet = true, .mute = tree->steps > 0, .no_files = true}};
    TRY(induction_tree_config(&tree->setup.config, tree->request, error));
    TRY(induction_sites_apply(&tree->setup.config, tree->sites, site, error));
    TRY(branch_open(&tree->branches, &tree->setup, (int)tree->base->induction.extra, error));
    TRY(create_copy(tree, &tree->trunk, error));
    return create_copy(tree, &tree->near, error);
}

/* The trunk <- the tissue at the shortest interval after its last stimulus, at `start` ms */
static enum status set_trunk(struct induction_tree *tree, int extra, double start, struct error *error)
{
    TRY(go_to(tree, start + tree->base->induction.to, error));
    TRY(take_copy(tree, &tree->trunk, error));
    tree->near.time = NAN;
    tree->extra = extra;
    tree->start = start;
    return STATUS_OK;
}

/* The trunk <- S1 at that site and the first `extra` of the intervals */
enum status induction_tree_grow(struct induction_tree *tree, int site, const double *interval, int extra,
                                struct error *error)
{
    if (tree->site != site) {
        TRY(induction_tree_open(tree, site, error));
        TRY(set_trunk(tree, 0, branch_last(&tree->branches), error));
    }
    while (tree->extra < extra) {
        double start = tree->start + interval[tree->extra];
        TRY(return_to(tree, start, -HUGE_VAL, error));
        branch_move(&tree->branches, tree->extra, start);
        TRY(set_trunk(tree, tree->extra + 1, start, error));
    }
    return STATUS_OK;
}

/* Whether a wave of the last pulse of extra stimulus k, or of S1 (-1), has spread */
static bool has_captured(const struct induction_tree *tree, int k)
{
    const struct waves *waves = &tree->branches.forest.waves;
    const int train = branch_train(&tree->branches, k);
    const int64_t pulse = tree->setup.problem.stimulus[train].count - 1;
    bool captured = false;
    for (int32_t w = waves_of_pulse(waves, train, pulse); w >= 0; w = waves->wave[w].earlier)
        captured |= waves->wave[w].pulse == pulse && waves->wave[w].spread;
    return captured;
}

/* What has happened since the last stimulus of a branch */
struct findings {
    bool quiet, captured; /* neither a front nor an action potential is left; the last stimulus captured */
    int32_t wave;         /* of re-entry, or of unknown cause, that was activated last; -1 = none */
    double last;          /* ms of that activation; -infinite = none */
};

/* A wave that has come to a node again since `start`, or has begun without a stimulus */
static enum status find_reentry(struct findings *found, const struct induction_tree *tree, double start,
                                struct error *error)
{
    const struct waves *waves = &tree->branches.forest.waves;
    found->wave = -1;
    found->last = -HUGE_VAL;
    for (int32_t w = 0; w < waves->waves; w++) {
        const struct wave *wave = &waves->wave[w];
        double cycle = NAN, last = waves->activation[wave->last].time;
        if (last < start || last < found->last)
            continue;
        if (wave->returned >= 0)
            TRY(waves_cycle(&cycle, waves, w, start, error));
        if (!isnan(cycle) || (wave->stimulus < 0 && wave->start > start)) {
            found->wave = w;
            found->last = last;
        }
    }
    return STATUS_OK;
}

/* The tissue goes on to `end` ms. */
static enum status go_on(struct findings *found, struct induction_tree *tree, int intervals, double start,
                         double end, struct error *error)
{
    const int64_t before = tree->branches.forest.waves.activations;
    const struct stimulus *last = &tree->setup.problem.stimulus[branch_train(&tree->branches, intervals - 1)];
    bool excited = true;
    TRY(go_to(tree, end, error));
    if (tree->branches.forest.waves.activations == before && end >= start + last->duration)
        TRY(branch_is_excited(&excited, &tree->branches, error));
    found->quiet = !excited;
    found->captured = has_captured(tree, intervals - 1);
    return find_reentry(found, tree, start, error);
}

/* row->outcome <- of a response that is over or was followed until `enough` ms or later */
static void classify(struct induction_row *row, const struct findings *found, bool burst, double enough)
{
    bool alone = row->intervals == 0;
    row->outcome = found->wave < 0         ? INDUCTION_QUIET
                   : found->last >= enough ? INDUCTION_SUSTAINED
                                           : INDUCTION_NON_SUSTAINED;
    if (alone && (found->wave >= 0 || (!found->quiet && row->last >= enough)))
        row->outcome = INDUCTION_ACTIVE;
    else if (!found->captured && !(burst && row->captured > 0))
        row->outcome = INDUCTION_NO_CAPTURE;
    if (row->outcome == INDUCTION_ACTIVE)
        snprintf(row->message, sizeof row->message,
                 "the tissue is active after S1 alone: a pacemaker, or re-entry that S1 induces");
    else if (row->outcome != INDUCTION_SUSTAINED && !found->quiet)
        snprintf(row->message, sizeof row->message, "V was still above activation.rearm at the end");
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* *cycle <- the median over the nodes of the interval between their last two activations, both after `start`
 * ms; NaN = no node has two. Errors: STATUS_RUN without memory. */
static enum status find_cycle(double *cycle, const struct waves *waves, double start, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t count = 0;
    double *interval = array_new(waves->nodes, sizeof *interval, "the cycle lengths", &status, error);
    for (int64_t i = 0; i < waves->nodes && !status; i++) {
        int32_t a = waves->latest[i], before = a < 0 ? -1 : waves_before(waves, a, NULL);
        if (before >= 0 && waves->activation[before].time >= start)
            interval[count++] = waves->activation[a].time - waves->activation[before].time;
    }
    if (!status)
        qsort(interval, (size_t)count, sizeof *interval, compare_numbers);
    *cycle = count > 0 ? interval[count / 2] : (double)NAN;
    free(interval);
    return status;
}

/* row <- what the nodes have done since the last stimulus, at `start` ms */
static enum status measure(struct induction_row *row, struct induction_tree *tree,
                           const struct findings *found, double start, struct error *error)
{
    const struct waves *waves = &tree->branches.forest.waves;
    row->time = monodomain_time(tree->setup.sim);
    row->last = waves->activations > 0 ? waves->activation[waves->activations - 1].time : -HUGE_VAL;
    row->duration = row->last > start ? row->last - start : (double)NAN;
    row->captured = 0;
    for (int k = 0; k < row->intervals; k++)
        row->captured += has_captured(tree, k);
    if (found->wave < 0)
        return STATUS_OK;
    const struct wave *wave = &waves->wave[found->wave];
    int64_t node = waves->activation[wave->returned >= 0 ? wave->returned : wave->first].node;
    memcpy(row->earliest, tree->setup.problem.mesh.point + 3 * node, sizeof row->earliest);
    return find_cycle(&row->cycle, waves, start, error);
}

/* The tissue goes on after the last stimulus, at `start` ms, until the branch is decided. S1 alone is
 * followed for as long as re-entry has to last, so that a pacemaker is found. */
static enum status follow(struct induction_tree *tree, struct induction_row *row, double start,
                          struct error *error)
{
    const double enough = start + tree->base->induction.sustained, most = 2 * enough - start;
    struct findings found = {0};
    bool over = false;
    for (int k = 1; !over; k++) {
        const double end = fmin(start + look_every * k, most);
        TRY(go_on(&found, tree, row->intervals, start, end, error));
        over = end >= most || (found.quiet ? row->intervals > 0 || !found.captured || end >= enough
                                           : end >= enough && (found.last >= enough || !found.captured));
    }
    TRY(measure(row, tree, &found, start, error));
    classify(row, &found, tree->base->induction.protocol == INDUCTION_PROTOCOL_BURST, enough);
    return STATUS_OK;
}

/* Steps the branch of row->interval[], whose first `extra` are the trunk's; anchor: ms before its first other
 * stimulus at which to leave a copy */
enum status induction_tree_step(struct induction_tree *tree, struct induction_row *row, int extra,
                                double anchor, struct error *error)
{
    double start;
    enum status status;
    TRY_DONE(induction_tree_grow(tree, row->site, row->interval, extra, error));
    start = tree->start;
    if (extra == row->intervals)
        TRY_DONE(return_to(tree, start, -HUGE_VAL, error));
    for (int k = extra; k < row->intervals; k++) {
        start += row->interval[k];
        TRY_DONE(k == extra ? return_to(tree, start, start - anchor, error) : go_to(tree, start, error));
        branch_move(&tree->branches, k, start);
    }
    status = follow(tree, row, start, error);
done:
    for (int k = extra; k < row->intervals && tree->setup.sim; k++)
        branch_move(&tree->branches, k, INFINITY);
    return status;
}

/* *captures <- whether stimulus n captures at that interval after the trunk's. A copy is left at `low` ms,
 * an interval that does not capture. */
enum status induction_tree_test(bool *captures, struct induction_tree *tree, int n, double interval,
                                double low, struct error *error)
{
    const double start = tree->start + interval, enough = start + tree->base->induction.sustained;
    struct findings found = {0};
    enum status status;
    TRY_DONE(return_to(tree, start, tree->start + low, error));
    branch_move(&tree->branches, n - 1, start);
    for (int k = 1; !found.quiet && !found.captured && start + look_every * (k - 1) < enough; k++)
        TRY_DONE(go_on(&found, tree, n, start, start + look_every * k, error));
    *captures = found.captured;
done:
    branch_move(&tree->branches, n - 1, INFINITY);
    return status;
}
