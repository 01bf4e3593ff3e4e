/* trial.c: a beat by the formulas themselves. */
#include "kernels/ionic/compiler/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"

static const double dt = 0.01, beat = 600, starts = 5; /* ms */
enum { EVALUATIONS_MAX = 300000000 };                  /* of nodes: some seconds */

struct trial {
    const struct cell *cell;
    double *value; /* of each node */
    int *node;     /* those of use, ascending */
    int nodes;
};

static enum status begin(struct trial *trial, const int *decay, struct error *error)
{
    const struct cell *cell = trial->cell;
    const struct expression_graph *graph = &cell->graph;
    enum status status = STATUS_OK;
    trial->value = array_zeroed(graph->nodes, sizeof *trial->value, "a model's beat", &status, error);
    trial->node = array_zeroed(graph->nodes, sizeof *trial->node, "a model's beat", &status, error);
    if (status)
        return status;
    int *reached = trial->node;
    reached[cell->v_rate] = reached[cell->stimulus] = 1;
    for (int s = 0; s < cell->states; s++)
        reached[cell->state[s].rate] = reached[decay[s]] = 1;
    for (int n = graph->nodes - 1; n >= 0; n--)
        for (int k = 0; k < 3 && reached[n]; k++)
            if (graph->node[n].operand[k] >= 0)
                reached[graph->node[n].operand[k]] = 1;
    for (int n = 0; n < graph->nodes; n++)
        if (reached[n])
            trial->node[trial->nodes++] = n;
    return STATUS_OK;
}

static void evaluate(struct trial *trial, double v, const double *state, double stimulus, double time)
{
    const struct expression_graph *graph = &trial->cell->graph;
    for (int i = 0; i < trial->nodes; i++) {
        const int n = trial->node[i];
        const struct expression_node *node = &graph->node[n];
        const int *a = node->operand;
        double *value = trial->value;
        switch (node->operation) {
        case EXPRESSION_NUMBER:
            value[n] = node->number;
            break;
        case EXPRESSION_V:
            value[n] = v;
            break;
        case EXPRESSION_STATE:
            value[n] = state[node->leaf];
            break;
        case EXPRESSION_PARAMETER:
            value[n] = trial->cell->parameter[node->leaf].value;
            break;
        case EXPRESSION_STIMULUS:
            value[n] = stimulus;
            break;
        case EXPRESSION_TIME:
            value[n] = time;
            break;
        case EXPRESSION_STEP:
            value[n] = dt;
            break;
        default:
            value[n] = expression_value(node->operation, value[a[0]], a[1] < 0 ? 0 : value[a[1]],
                                        a[2] < 0 ? 0 : value[a[2]]);
        }
    }
}

/* What a step adds to a state: exact where the rate is a line */
static double increment(double rate, double decay)
{
    double y = -dt * decay;
    return decay > 0 ? rate * dt * real_expm1_double(y) / y : rate * dt;
}

static void run(struct trial *trial, struct trial_state *seen, const int *decay, double *state)
{
    const struct cell *cell = trial->cell;
    double v = cell->v_initial, level = 50, lasts = cell->events ? cell->event[0].duration : 1;
    int steps = (int)(beat / dt), most = EVALUATIONS_MAX / (trial->nodes + 1), done = 0;
    steps = steps < most ? steps : most;
    for (int s = 0; s < cell->states; s++) {
        state[s] = cell->state[s].initial;
        seen[s] = (struct trial_state){state[s], state[s], 0, 0};
    }
    evaluate(trial, v, state, 0, 0);
    if (trial->value[cell->stimulus] != 0)
        level = trial->value[cell->stimulus] * (cell->events ? cell->event[0].level : 1);
    for (int n = 0; n < steps && isfinite(v); n++) {
        double t = n * dt;
        evaluate(trial, v, state, t >= starts && t < starts + lasts ? level : 0, t);
        v += dt * trial->value[cell->v_rate];
        for (int s = 0; s < cell->states; s++) {
            double b = trial->value[decay[s]];
            state[s] += increment(trial->value[cell->state[s].rate], b);
            if (!isfinite(b) || !isfinite(state[s]))
                continue;
            seen[s].low = fmin(seen[s].low, state[s]);
            seen[s].high = fmax(seen[s].high, state[s]);
            seen[s].fastest = fmax(seen[s].fastest, b);
            seen[s].mean += b;
        }
        done++;
    }
    for (int s = 0; s < cell->states && done; s++)
        seen[s].mean /= done;
}

enum status trial_run(struct trial_state *seen, const struct cell *cell, const int *decay,
                      struct error *error)
{
    struct trial trial = {.cell = cell};
    enum status status = begin(&trial, decay, error);
    double *state = array_new(cell->states, sizeof *state, "a model's beat", &status, error);
    if (!status)
        run(&trial, seen, decay, state);
    free(state);
    free(trial.value);
    free(trial.node);
    return status;
}
