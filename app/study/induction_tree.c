/* induction_tree.c: step S1 once, keep a copy after it and one near the intervals that are tested, and follow
 * each branch from there. */
#include "app/study/induction_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/results.h"
#include "app/run/stop.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"

static const double look_every = 20; /* ms, less than between two beats of a node */
/* ms in which a response leaves its site: 4 mm at 0.1 m/s and a latency */
static const double spread_most = 50;

/* How the study is to end before its next steps, STATUS_OK = not */
static enum status asked_to_stop(const struct induction_tree *tree, struct error *error)
{
    enum status status = study_stop(tree->request);
    return status ? error_set(error, status, "%s: the same command goes on",
                              status == STATUS_STOPPED ? "time is up" : "interrupted")
                  : STATUS_OK;
}

/* The tissue <- at the steps that end by `time` ms; *look <- what was new on the way */
static enum status go_to(struct induction_tree *tree, double time, struct activity_look *look,
                         struct error *error)
{
    struct monodomain *sim = tree->setup.sim;
    int64_t before = monodomain_step(sim);
    enum status status = STATUS_OK;
    *look = (struct activity_look){0};
    for (double to = monodomain_time(sim); to < time && !status;) {
        to = fmin(to + look_every, time);
        TRY(asked_to_stop(tree, error));
        status = branch_advance(&tree->branches, to, error);
        tree->steps += monodomain_step(sim) - before;
        before = monodomain_step(sim);
        if (!status)
            status = activity_look(&tree->activity, sim, look, error);
    }
    return status;
}

static enum status take_copy(struct induction_tree *tree, struct induction_copy *copy, struct error *error)
{
    copy->time = NAN;
    TRY(simulation_copy_take(&copy->copy, &tree->setup, error));
    activity_copy(&copy->activity, &tree->activity);
    copy->time = monodomain_time(tree->setup.sim);
    return STATUS_OK;
}

static enum status restore_copy(struct induction_tree *tree, const struct induction_copy *copy,
                                struct error *error)
{
    activity_copy(&tree->activity, &copy->activity);
    return simulation_copy_restore(&copy->copy, &tree->setup, error);
}

static enum status create_copy(struct induction_tree *tree, struct induction_copy *copy, struct error *error)
{
    copy->time = NAN;
    TRY(activity_create(&copy->activity, tree->activity.nodes, error));
    return simulation_copy_create(&copy->copy, &tree->setup, error);
}

/* The tissue <- at `time` ms after the trunk's stimuli, from the nearest copy; a copy is left at `anchor` on
 * the way there */
static enum status return_to(struct induction_tree *tree, double time, double anchor, struct error *error)
{
    struct activity_look look;
    TRY(restore_copy(tree, tree->near.time <= time ? &tree->near : &tree->trunk, error));
    if (anchor > monodomain_time(tree->setup.sim)) {
        TRY(go_to(tree, anchor, &look, error));
        TRY(take_copy(tree, &tree->near, error));
    }
    return go_to(tree, time, &look, error);
}

void induction_tree_close(struct induction_tree *tree)
{
    struct induction_copy *const copy[] = {&tree->trunk, &tree->near};
    for (int k = 0; k < 2; k++) {
        simulation_copy_free(&copy[k]->copy);
        activity_free(&copy[k]->activity);
    }
    activity_free(&tree->activity);
    free(tree->look);
    tree->look = NULL;
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
    const struct problem *problem = &tree->setup.problem;
    enum status status = STATUS_OK;
    tree->look = array_new((int64_t)ceil(2 * tree->base->induction.sustained / look_every) + 2,
                           sizeof *tree->look, "the activations", &status, error);
    TRY(status);
    TRY(activity_create(&tree->activity, problem->mesh.nodes, error));
    TRY(activity_mark(&tree->activity, &problem->mesh, problem->stimulus, error));
    TRY(create_copy(tree, &tree->trunk, error));
    return create_copy(tree, &tree->near, error);
}

/* The trunk <- the tissue at the shortest interval after its last stimulus, at `start` ms */
static enum status set_trunk(struct induction_tree *tree, int extra, double start, struct error *error)
{
    struct activity_look look;
    TRY(go_to(tree, start + tree->base->induction.to, &look, error));
    TRY(take_copy(tree, &tree->trunk, error));
    tree->near.time = NAN;
    tree->extra = extra;
    tree->start = start;
    return STATUS_OK;
}

/* What the stimuli have captured. The last one must also send a front away from its site. */
struct captures {
    bool known, last;   /* whether it can be known yet if the last one captured; if it did */
    bool spreads, lost; /* its response has left the site; there is none, or none that leaves */
    int extra;          /* captured of the extra stimuli */
    int64_t all;        /* of all stimuli */
};

static enum status find_captures(struct captures *captures, struct induction_tree *tree, int intervals,
                                 struct error *error)
{
    const struct setup *setup = &tree->setup;
    struct results results = {.config = &setup->config,
                              .problem = &setup->problem,
                              .sites = &setup->sites,
                              .cells = &setup->cells,
                              .time = monodomain_time(setup->sim),
                              .step = monodomain_step(setup->sim)};
    enum status status = STATUS_OK;
    results.followed = array_new(monodomain_followed_values(setup->sim), sizeof *results.followed,
                                 "the records at points", &status, error);
    TRY_DONE(status);
    TRY_DONE(monodomain_followed(setup->sim, results.followed, error));
    TRY_DONE(results_find_captures(&results, error));
    const struct results_stimulus *s1 = results.stimulus;
    captures->extra = 0;
    captures->all = 0;
    for (int k = 0; k < intervals; k++)
        captures->extra += s1->pulse[s1->pulses - 1 - k].end <= RESULTS_PARTLY;
    captures->last = s1->pulse[s1->pulses - 1].end <= RESULTS_PARTLY;
    captures->known = s1->pulse[s1->pulses - 1].end != RESULTS_CUT;
    for (int s = 0; s < results.stimuli; s++)
        captures->all += results.stimulus[s].captured;
done:
    results_free(&results);
    return status;
}

/* tree->surplus <- of the tissue at the last S1: a wave of its initial state, or nodes that another stimulus
 * excited without a capture. What goes on by itself adds to it later. */
static enum status find_surplus(struct induction_tree *tree, struct error *error)
{
    struct activity_look look;
    struct captures captures = {0};
    int64_t node;
    tree->surplus = 0;
    TRY(go_to(tree, branch_last(&tree->branches), &look, error));
    int64_t most = activity_most(&tree->activity, &node);
    if (most > 0)
        TRY(find_captures(&captures, tree, 0, error));
    tree->surplus = most > captures.all ? most - captures.all : 0;
    return STATUS_OK;
}

/* The trunk <- S1 at that site and the first `extra` of the intervals */
enum status induction_tree_grow(struct induction_tree *tree, int site, const double *interval, int extra,
                                struct error *error)
{
    if (tree->site != site) {
        TRY(induction_tree_open(tree, site, error));
        TRY(find_surplus(tree, error));
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

/* *captures <- as far as it is known by now, of stimuli of which the last came at `start` ms */
static enum status look_at_captures(struct captures *captures, struct induction_tree *tree, int intervals,
                                    double start, struct error *error)
{
    if (!captures->known)
        TRY(find_captures(captures, tree, intervals, error));
    captures->spreads |= activity_spreads(&tree->activity, start);
    bool late = monodomain_time(tree->setup.sim) > start + spread_most;
    captures->lost = captures->known && (!captures->last || (!captures->spreads && late));
    return STATUS_OK;
}

/* Whether neither a front nor an action potential is left */
static enum status is_quiet(bool *quiet, struct induction_tree *tree, const struct activity_look *look,
                            struct error *error)
{
    bool excited = true;
    if (look->fresh == 0)
        TRY(branch_is_excited(&excited, &tree->branches, error));
    *quiet = !excited;
    return STATUS_OK;
}

/* Where the last beat began: of re-entry that has ended, the node with the most activations that had its last
 * one first; of one that goes on, the node that was activated first after the pause of its last cycle, the
 * look with the fewest activations; -1 = none */
static int64_t find_earliest(const struct induction_tree *tree, bool ended, double cycle)
{
    int64_t first = tree->looks - 1 - (int64_t)ceil(cycle / look_every), pause = -1, node;
    activity_most(&tree->activity, &node);
    if (ended)
        return node;
    for (int64_t k = first > 0 ? first : 0; k < tree->looks; k++)
        if (pause < 0 || tree->look[k].fresh < tree->look[pause].fresh)
            pause = k;
    for (int64_t k = pause + 1; k < tree->looks; k++)
        if (tree->look[k].fresh > 0)
            return tree->look[k].node;
    return pause >= 0 ? tree->look[pause].node : -1;
}

/* row <- what the nodes have done since the last stimulus, at `start` ms */
static enum status measure(struct induction_tree *tree, struct induction_row *row, double start, bool reentry,
                           struct error *error)
{
    row->last = activity_last(&tree->activity);
    row->duration = row->last > start ? row->last - start : (double)NAN;
    if (!reentry)
        return STATUS_OK;
    TRY(activity_cycle(&row->cycle, &tree->activity, start, error));
    if (isnan(row->cycle) && row->outcome == INDUCTION_NON_SUSTAINED)
        row->outcome = INDUCTION_QUIET;
    int64_t node =
        isnan(row->cycle) ? -1 : find_earliest(tree, row->outcome == INDUCTION_NON_SUSTAINED, row->cycle);
    if (node >= 0)
        memcpy(row->earliest, tree->setup.problem.mesh.point + 3 * node, sizeof row->earliest);
    return STATUS_OK;
}

/* A response that does not leave its site is none */
static enum status note_loss(struct induction_row *row, const struct captures *captures)
{
    if (captures->last) {
        row->captured -= row->intervals > 0;
        snprintf(row->message, sizeof row->message, "tissue next to the site rose, but no front left it");
    }
    return STATUS_OK;
}

/* row->outcome <- of a response that is over or was followed long enough; reentry: a node was activated more
 * often than stimuli captured; lasts: a node was activated after induction.sustained */
static void classify(struct induction_row *row, bool reentry, bool lasts, bool quiet)
{
    bool alone = row->intervals == 0;
    row->outcome = reentry ? (lasts ? INDUCTION_SUSTAINED : INDUCTION_NON_SUSTAINED) : INDUCTION_QUIET;
    if (alone && (reentry || (lasts && !quiet)))
        row->outcome = INDUCTION_ACTIVE;
    if (row->outcome == INDUCTION_ACTIVE)
        snprintf(row->message, sizeof row->message,
                 "the tissue is active after S1 alone: a pacemaker, or re-entry that S1 induces");
    else if (row->outcome != INDUCTION_SUSTAINED && !quiet)
        snprintf(row->message, sizeof row->message, "V was still above activation.threshold at the end");
}

/* The tissue goes on after the last stimulus, at `start` ms, until the branch is decided. S1 alone is
 * followed for as long as re-entry has to last, so that a pacemaker is found. */
static enum status follow(struct induction_tree *tree, struct induction_row *row, double start,
                          struct error *error)
{
    const double enough = start + tree->base->induction.sustained, most = 2 * enough - start;
    bool quiet = false, reentry = false, lasts = false, over = false, alone = row->intervals == 0;
    struct captures captures = {0};
    int64_t node;
    tree->looks = 0;
    for (double end = start; end < most && !over;) {
        struct activity_look *look = &tree->look[tree->looks++];
        end = fmin(start + look_every * (double)tree->looks, most);
        TRY(go_to(tree, end, look, error));
        TRY(look_at_captures(&captures, tree, row->intervals, start, error));
        bool bursts = tree->base->induction.protocol == INDUCTION_PROTOCOL_BURST && captures.extra > 0;
        row->time = monodomain_time(tree->setup.sim);
        row->captured = captures.extra;
        row->outcome = INDUCTION_NO_CAPTURE;
        if (captures.lost && !bursts && !alone)
            return note_loss(row, &captures);
        TRY(is_quiet(&quiet, tree, look, error));
        if (captures.lost && alone && quiet) /* else the tissue may be busy with a wave of its own */
            return note_loss(row, &captures);
        reentry = captures.known && activity_most(&tree->activity, &node) > captures.all + tree->surplus;
        lasts = activity_last(&tree->activity) >= enough;
        over = quiet ? (captures.spreads || captures.lost) && (!alone || end >= enough)
                     : (reentry || captures.lost) && lasts;
    }
    classify(row, reentry, lasts, quiet);
    if (captures.lost && alone && row->outcome == INDUCTION_QUIET)
        row->outcome = INDUCTION_NO_CAPTURE;
    return measure(tree, row, start, reentry, error);
}

/* Steps the branch of row->interval[], whose first `extra` are the trunk's; anchor: ms before its first other
 * stimulus at which to leave a copy */
enum status induction_tree_step(struct induction_tree *tree, struct induction_row *row, int extra,
                                double anchor, struct error *error)
{
    struct activity_look look;
    double start;
    enum status status;
    TRY_DONE(induction_tree_grow(tree, row->site, row->interval, extra, error));
    start = tree->start;
    if (extra == row->intervals)
        TRY_DONE(return_to(tree, start, -HUGE_VAL, error));
    for (int k = extra; k < row->intervals; k++) {
        start += row->interval[k];
        TRY_DONE(k == extra ? return_to(tree, start, start - anchor, error)
                            : go_to(tree, start, &look, error));
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
    double start = tree->start + interval;
    struct captures found = {0};
    struct activity_look look;
    enum status status;
    TRY_DONE(return_to(tree, start, tree->start + low, error));
    branch_move(&tree->branches, n - 1, start);
    for (int k = 1; !found.lost && !(found.last && found.spreads); k++) {
        TRY_DONE(go_to(tree, start + k * look_every, &look, error));
        TRY_DONE(look_at_captures(&found, tree, n, start, error));
    }
    *captures = !found.lost;
done:
    branch_move(&tree->branches, n - 1, INFINITY);
    return status;
}
