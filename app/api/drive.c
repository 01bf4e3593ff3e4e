/* drive.c: moved pulses, and currents set by the caller. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/problem/problem.h"
#include "kernels/base/array.h"
#include "solver/cells/stimulus.h"

enum { PULSES_MOST = 2000 };

void drive_free(struct drive *drive)
{
    free(drive->move);
    free(drive->current);
    *drive = (struct drive){0};
}

enum status drive_copy(struct drive *to, const struct drive *from, int64_t nodes, struct error *error)
{
    enum status status = STATUS_OK;
    *to = (struct drive){.moves = from->moves};
    to->move = array_new(from->moves, sizeof *to->move, "the stimuli", &status, error);
    if (from->current)
        to->current = array_new(nodes, sizeof *to->current, "a current", &status, error);
    if (status) {
        drive_free(to);
        return status;
    }
    if (from->moves > 0)
        memcpy(to->move, from->move, (size_t)from->moves * sizeof *to->move);
    if (from->current)
        memcpy(to->current, from->current, (size_t)nodes * sizeof *to->current);
    return STATUS_OK;
}

/* The stimuli to apply: the trains (as single pulses if one of their pulses is moved), then one stimulus for each
 * distinct value of the currents */
struct plan {
    struct stimulus *train; /* [trains + currents] */
    int *from;              /* [trains] */
    int trains, currents;
    int32_t *node; /* [nodes] with a current, sorted by value */
};

/* The move of pulse number `pulse` of a stimulus; NULL = none */
static const struct drive_move *find_move(const struct drive *drive, int stimulus, int64_t pulse)
{
    for (int k = 0; k < drive->moves; k++)
        if (drive->move[k].stimulus == stimulus && drive->move[k].pulse == pulse)
            return &drive->move[k];
    return NULL;
}

static bool is_moved(const struct drive *drive, int stimulus, int64_t first, int64_t count)
{
    for (int k = 0; k < drive->moves; k++)
        if (drive->move[k].stimulus == stimulus && drive->move[k].pulse >= first &&
            drive->move[k].pulse < first + count)
            return true;
    return false;
}

/* Adds train t, or its single pulses if one is moved. first: number of its first pulse within the stimulus */
static void add_train(struct plan *plan, const struct cardiac *sim, const struct drive *drive, int t,
                      int64_t first)
{
    const struct stimulus *train = &sim->train[t];
    const int stimulus = sim->train_from[t];
    bool split = train->count > 0 && is_moved(drive, stimulus, first, train->count);
    for (int64_t k = 0; k < (split ? train->count : 1); k++) {
        struct stimulus *to = &plan->train[plan->trains];
        const struct drive_move *move = find_move(drive, stimulus, first + k);
        *to = *train;
        to->phase = train->phase || k > 0;
        if (split) {
            to->count = 1;
            to->change = 0;
            to->start = move ? move->start : stimulus_start(train, k);
        }
        plan->from[plan->trains++] = stimulus;
    }
}

static int by_value(const void *a, const void *b, void *current)
{
    const double *value = current, x = value[*(const int32_t *)a], y = value[*(const int32_t *)b];
    return x != y ? (x > y) - (x < y)
                  : (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

/* plan->node <- the nodes with a current, sorted by its value; returns their number */
static int64_t sort_currents(struct plan *plan, double *current, int64_t nodes)
{
    int64_t count = 0;
    for (int64_t i = 0; i < nodes && current; i++)
        if (current[i] != 0)
            plan->node[count++] = (int32_t)i;
    if (count > 0)
        qsort_r(plan->node, (size_t)count, sizeof *plan->node, by_value, current);
    plan->currents = count > 0;
    for (int64_t k = 1; k < count; k++)
        plan->currents += current[plan->node[k]] != current[plan->node[k - 1]];
    return count;
}

static void add_currents(struct plan *plan, const double *current, int64_t count)
{
    struct stimulus *to = plan->train + plan->trains;
    for (int64_t k = 0, first = 0; k < count; k++)
        if (k + 1 == count || current[plan->node[k + 1]] != current[plan->node[k]]) {
            *to++ = (struct stimulus){.node = plan->node + first,
                                      .nodes = k + 1 - first,
                                      .current = current[plan->node[k]],
                                      .duration = INFINITY,
                                      .count = 1};
            first = k + 1;
        }
}

static enum status make_plan(struct plan *plan, const struct cardiac *sim, const struct drive *drive,
                             struct error *error)
{
    const int64_t nodes = sim->setup.problem.mesh.nodes;
    int64_t pulses = sim->trains, count = 0, first = 0;
    enum status status = STATUS_OK;
    for (int t = 0; t < sim->trains; t++)
        pulses += drive->moves > 0 ? sim->train[t].count : 0;
    plan->node = array_new(drive->current ? nodes : 0, sizeof *plan->node, "a current", &status, error);
    if (!status)
        count = sort_currents(plan, drive->current, nodes);
    if (!status && plan->currents > UINT16_MAX)
        return error_set(error, STATUS_INPUT, "the current has %d different values; at most %d are supported",
                         plan->currents, UINT16_MAX);
    plan->train = array_new(pulses + plan->currents, sizeof *plan->train, "the stimuli", &status, error);
    plan->from = array_new(pulses, sizeof *plan->from, "the stimuli", &status, error);
    TRY(status);
    for (int t = 0; t < sim->trains; t++) {
        first = t > 0 && sim->train_from[t] == sim->train_from[t - 1] ? first + sim->train[t - 1].count : 0;
        add_train(plan, sim, drive, t, first);
    }
    add_currents(plan, drive->current, count);
    return STATUS_OK;
}

/* train[plan->trains] <- the sites of each stimulus, assigned to its first train */
static void place_sites(struct sites_train *train, const struct plan *plan, const struct problem *problem,
                        const struct sites *sites)
{
    int before = 0;
    for (int t = 0; t < plan->trains; t++) {
        if (plan->train[t].phase)
            continue;
        while (problem->stimulus[before].phase)
            before++;
        train[t] = sites->train[before++];
    }
}

enum status drive_apply(struct cardiac *sim, struct drive *next, struct error *error)
{
    struct problem *problem = &sim->setup.problem;
    struct sites *sites = &sim->setup.sites;
    struct plan plan = {0};
    enum status status = make_plan(&plan, sim, next, error);
    struct sites_train *train = array_zeroed(plan.trains, sizeof *train, "the stimuli", &status, error);
    if (!status)
        status = monodomain_set_stimuli(sim->setup.sim, plan.train, plan.trains + plan.currents, error);
    free(plan.node); /* no longer needed: the tissue stores classes */
    if (status) {
        free(plan.train);
        free(plan.from);
        free(train);
        return status;
    }
    place_sites(train, &plan, problem, sites);
    waves_leave_drive(sim);
    free(sites->train);
    sites->train = train;
    sites->trains = plan.trains;
    free(problem->stimulus);
    free(problem->stimulus_from);
    problem->stimulus = plan.train;
    problem->stimulus_from = plan.from;
    problem->stimuli = plan.trains;
    problem->params.stimulus = plan.train;
    problem->params.stimuli = plan.trains;
    sim->started = true;
    drive_free(&sim->drive);
    sim->drive = *next;
    *next = (struct drive){0};
    return waves_follow_drive(sim, error);
}

struct drive_call {
    struct cardiac *sim;
    const char *stimulus;
    int64_t pulse;
    double start;
    const int64_t *node;
    const double *value;
    int64_t nodes;
};

/* *stimulus <- the index of the stimulus of that name */
static enum status find_stimulus(int *stimulus, const struct config *config, const char *name,
                                 struct error *error)
{
    struct suggestion suggestion = suggest_for(name);
    for (*stimulus = 0; *stimulus < config->stimuli; ++*stimulus)
        if (suggest_try(&suggestion, config->stimulus[*stimulus].name))
            return STATUS_OK;
    return error_set(error, STATUS_INPUT, "the config has no stimulus '%.60s'%s", name,
                     suggest_hint(&suggestion));
}

static enum status check_pulse(const struct cardiac *sim, int stimulus, int64_t pulse, struct error *error)
{
    const char *name = sim->setup.config.stimulus[stimulus].name;
    int64_t pulses = 0;
    for (int t = 0; t < sim->trains; t++)
        if (sim->train_from[t] == stimulus && sim->train[t].count == 0)
            return error_set(error, STATUS_INPUT,
                             "stimulus '%.60s' comes for ever; to move its pulses, give it a count", name);
        else if (sim->train_from[t] == stimulus)
            pulses += sim->train[t].count;
    if (pulses > PULSES_MOST)
        return error_set(error, STATUS_INPUT,
                         "stimulus '%.60s' comes %lld times; pulses of at most %d can be moved", name,
                         (long long)pulses, PULSES_MOST);
    return pulse >= 0 && pulse < pulses
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "stimulus '%.60s' has no pulse %lld; it has pulses 0 to %lld",
                           name, (long long)pulse, (long long)pulses - 1);
}

static enum status move(void *argument, struct error *error)
{
    const struct drive_call *call = argument;
    struct cardiac *sim = call->sim;
    struct drive next = {0};
    const double now = monodomain_time(sim->setup.sim);
    int stimulus;
    TRY(handle_check_pointer(call->stimulus, "the name of the stimulus", error));
    TRY(find_stimulus(&stimulus, &sim->setup.config, call->stimulus, error));
    TRY(check_pulse(sim, stimulus, call->pulse, error));
    if (isnan(call->start) || call->start < now * (1 - 1e-9))
        return error_set(error, STATUS_INPUT, "a pulse cannot be moved to %.10g ms; it is %.10g ms",
                         call->start, now);
    TRY(drive_copy(&next, &sim->drive, sim->setup.problem.mesh.nodes, error));
    struct drive_move *at = (struct drive_move *)(uintptr_t)find_move(&next, stimulus, call->pulse);
    if (!at) {
        struct drive_move *larger = realloc(next.move, ((size_t)next.moves + 1) * sizeof *larger);
        if (!larger) {
            drive_free(&next);
            return error_memory(error, "the stimuli", sizeof *larger);
        }
        next.move = larger;
        at = &next.move[next.moves++];
    }
    *at = (struct drive_move){stimulus, call->pulse, call->start};
    enum status status = drive_apply(sim, &next, error);
    drive_free(&next);
    return status;
}

int cardiac_move(struct cardiac *sim, const char *stimulus, int64_t pulse, double start)
{
    return handle_call(
        sim, HANDLE_SOUND, move,
        &(struct drive_call){.sim = sim, .stimulus = stimulus, .pulse = pulse, .start = start});
}

static enum status set_current(void *argument, struct error *error)
{
    const struct drive_call *call = argument;
    struct cardiac *sim = call->sim;
    const int64_t nodes = sim->setup.problem.mesh.nodes;
    struct drive next = {0};
    enum status status;
    TRY(handle_check_nodes(call->node, call->nodes, nodes, error));
    if (call->nodes > 0)
        TRY(handle_check_pointer(call->value, "the array", error));
    for (int64_t k = 0; k < call->nodes; k++)
        if (!isfinite(call->value[k]))
            return error_set(error, STATUS_INPUT, "the current of node %lld is not finite",
                             (long long)call->node[k]);
    TRY_DONE(drive_copy(&next, &sim->drive, nodes, error));
    if (!next.current)
        next.current = array_zeroed(nodes, sizeof *next.current, "a current", &status, error);
    TRY_DONE(status);
    for (int64_t k = 0; k < call->nodes; k++)
        next.current[call->node[k]] = call->value[k];
    status = drive_apply(sim, &next, error);
done:
    drive_free(&next);
    return status;
}

int cardiac_current(struct cardiac *sim, const int64_t *node, int64_t nodes, const double *value)
{
    return handle_call(sim, HANDLE_SOUND, set_current,
                       &(struct drive_call){.sim = sim, .node = node, .nodes = nodes, .value = value});
}
