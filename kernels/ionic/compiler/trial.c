/* trial.c: a beat by the formulas themselves. */
#include "kernels/ionic/compiler/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"

static const double dt = 0.02, beat = 600, starts = 5; /* ms */
static const double never = 1e-9;     /* 1/ms: what keeps a sum for ever is taken to forget it so slowly */
enum { EVALUATIONS_MAX = 300000000 }; /* of nodes, and in systems: some seconds */

struct trial {
    const struct cell *cell;
    const struct trial_rates *rates;
    double *value; /* of each node */
    int *node;     /* those of use, ascending */
    int nodes;
    double *state, *change, *matrix, *right; /* [states], the matrix 2 states squared */
    int *stiff;                              /* states, in ascending order */
};

static enum status begin(struct trial *trial, struct error *error)
{
    const struct cell *cell = trial->cell;
    const struct expression_graph *graph = &cell->graph;
    const int64_t states = cell->states;
    enum status status = STATUS_OK;
    trial->value = array_zeroed(graph->nodes, sizeof *trial->value, "a model's beat", &status, error);
    trial->node = array_zeroed(graph->nodes, sizeof *trial->node, "a model's beat", &status, error);
    trial->state = array_new(3 * states, sizeof *trial->state, "a model's beat", &status, error);
    trial->matrix = array_new(2 * states * states, sizeof *trial->matrix, "a model's beat", &status, error);
    trial->stiff = array_new(states, sizeof *trial->stiff, "a model's beat", &status, error);
    if (status)
        return status;
    trial->change = trial->state + states;
    trial->right = trial->change + states;
    int *reached = trial->node;
    reached[cell->v_rate] = reached[cell->stimulus] = 1;
    for (int s = 0; s < cell->states; s++)
        reached[cell->state[s].rate] = 1;
    for (int64_t k = 0; k < states * states; k++)
        reached[trial->rates->slope[k]] = 1;
    for (int n = graph->nodes - 1; n >= 0; n--)
        for (int k = 0; k < 3 && reached[n]; k++)
            if (graph->node[n].operand[k] >= 0)
                reached[graph->node[n].operand[k]] = 1;
    for (int n = 0; n < graph->nodes; n++)
        if (reached[n])
            trial->node[trial->nodes++] = n;
    return STATUS_OK;
}

static void end(struct trial *trial)
{
    free(trial->value);
    free(trial->node);
    free(trial->state);
    free(trial->matrix);
    free(trial->stiff);
}

static void evaluate(struct trial *trial, double v, double stimulus, double time)
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
            value[n] = trial->state[node->leaf];
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

/* df/dx of state i's rate by state j, 0 where it is none */
static double slope(const struct trial *trial, int i, int j)
{
    double value = trial->value[trial->rates->slope[i * trial->cell->states + j]];
    return isfinite(value) ? value : 0;
}

static double rate(const struct trial *trial, int s)
{
    return trial->value[trial->cell->state[s].rate];
}

/* x with matrix x = right, n unknowns, in the place of right; pivots of what exchanges are 1 at least */
static void solve(double *matrix, double *right, int n)
{
    for (int k = 0; k < n; k++) {
        matrix[k * n + k] = fmax(matrix[k * n + k], 1);
        for (int i = k + 1; i < n; i++) {
            double factor = matrix[i * n + k] / matrix[k * n + k];
            for (int j = k + 1; j < n && factor != 0; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
            right[i] -= factor * right[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            right[k] -= matrix[k * n + j] * right[j];
        right[k] /= matrix[k * n + k];
    }
}

/* The right half of matrix[n][2 n] <- the inverse of the left one, by elimination with pivots */
static void invert(double *matrix, int n)
{
    const int width = 2 * n;
    for (int k = 0; k < n; k++) {
        double *row = matrix + k * width;
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(matrix[i * width + k]) > fabs(matrix[best * width + k]))
                best = i;
        for (int j = 0; j < width && best != k; j++) {
            double swap = row[j];
            row[j] = matrix[best * width + j];
            matrix[best * width + j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double factor = matrix[i * width + k] / row[k];
            for (int j = k; j < width && i != k && factor != 0; j++)
                matrix[i * width + j] -= factor * row[j];
        }
    }
    for (int k = 0; k < n; k++)
        for (int j = n; j < width; j++)
            matrix[k * width + j] /= matrix[k * width + k];
}

/* forgets += of this moment: a constant disturbance of a state's rate ends in its 1 / forgets fold, those
 * that it exchanges with moving, too: |1 / (J^-1)_ss|. One by itself forgets by -df/dx; one whose partner
 * keeps what it lost, and gives it back, may be fast and never forget. The work, in operations. */
static int64_t remember(struct trial *trial, struct trial_state *seen)
{
    const int states = trial->cell->states;
    int *member = trial->stiff, n = 0;
    double *matrix = trial->matrix;
    for (int s = 0; s < states; s++)
        if (trial->rates->gate[s])
            seen[s].forgets -= slope(trial, s, s);
        else
            member[n++] = s;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            matrix[i * 2 * n + j] = slope(trial, member[i], member[j]) - (i == j) * never;
            matrix[i * 2 * n + n + j] = i == j;
        }
    invert(matrix, n);
    for (int k = 0; k < n; k++) {
        double forgets = fabs(1 / matrix[k * 2 * n + n + k]);
        seen[member[k]].forgets += isfinite(forgets) ? forgets : 0;
    }
    return (int64_t)n * n * n;
}

/* change[] <- of the step at the present values (step.h); how many states are stiff */
static int step(struct trial *trial)
{
    const int states = trial->cell->states;
    int *stiff = trial->stiff, n = 0;
    for (int s = 0; s < states; s++) {
        double b = -slope(trial, s, s);
        trial->change[s] = dt * rate(trial, s);
        if (trial->rates->gate[s] && b > 0)
            trial->change[s] *= -real_expm1_double(-dt * b) / (dt * b);
        else if (!trial->rates->gate[s] && b > trial->rates->stiff)
            stiff[n++] = s;
    }
    for (int i = 0; i < n; i++) {
        trial->right[i] = trial->change[stiff[i]];
        for (int j = 0; j < n; j++)
            trial->matrix[i * n + j] = (i == j) - dt * slope(trial, stiff[i], stiff[j]);
    }
    solve(trial->matrix, trial->right, n);
    for (int s = 0; s < states && n; s++)
        for (int j = 0; j < n && !trial->rates->gate[s]; j++)
            trial->change[s] += dt * slope(trial, s, stiff[j]) * trial->right[j];
    for (int i = 0; i < n; i++)
        trial->change[stiff[i]] = trial->right[i];
    return n;
}

static void run(struct trial *trial, struct trial_state *seen)
{
    const struct cell *cell = trial->cell;
    double v = cell->v_initial, level = 50, lasts = cell->events ? cell->event[0].duration : 1;
    int64_t work = 0;
    int done = 0, samples = 0;
    for (int s = 0; s < cell->states; s++) {
        trial->state[s] = cell->state[s].initial;
        seen[s] = (struct trial_state){trial->state[s], trial->state[s], 0, 0};
    }
    evaluate(trial, v, 0, 0);
    if (trial->value[cell->stimulus] != 0)
        level = trial->value[cell->stimulus] * (cell->events ? cell->event[0].level : 1);
    for (; done * dt < beat && work < EVALUATIONS_MAX && isfinite(v); done++) {
        const double t = done * dt;
        evaluate(trial, v, t >= starts && t < starts + lasts ? level : 0, t);
        v += dt * trial->value[cell->v_rate];
        if (done % (int)(1 / dt) == 0) {
            work += remember(trial, seen);
            samples++;
        }
        const int64_t n = step(trial);
        work += trial->nodes + n * n * n / 3;
        for (int s = 0; s < cell->states; s++) {
            double b = -slope(trial, s, s);
            trial->state[s] += trial->change[s];
            if (!isfinite(trial->state[s]))
                continue;
            seen[s].low = fmin(seen[s].low, trial->state[s]);
            seen[s].high = fmax(seen[s].high, trial->state[s]);
            seen[s].fastest = fmax(seen[s].fastest, b);
        }
    }
    for (int s = 0; s < cell->states && samples; s++)
        seen[s].forgets /= samples;
}

enum status trial_run(struct trial_state *seen, const struct cell *cell, const struct trial_rates *rates,
                      struct error *error)
{
    struct trial trial = {.cell = cell, .rates = rates};
    enum status status = begin(&trial, error);
    if (!status)
        run(&trial, seen);
    end(&trial);
    return status;
}
