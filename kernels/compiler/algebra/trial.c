/* trial.c: computes a beat by evaluating the formulas. */
#include "kernels/compiler/algebra/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/elementary.h"

static const double beat = 600, starts = 5, first_step = 0.02; /* ms */
static const double never = 1e-9; /* 1/ms: assumed rate of decay of a conserved quantity */
static const double first_tolerance = 0.004;
static const double least = 1e-30;    /* added to each range, so that subnormal numbers count as 0 */
static const double shortest = 0.025; /* ms per tolerance: where a rate jumps no step is short enough */
/* EVALUATIONS_MAX: of nodes, plus operations on systems: a few seconds */
enum { REFINEMENTS = 5, EVALUATIONS_MAX = 300000000 };

struct trial {
    const struct cell *cell;
    const struct trial_rates *rates;
    const struct sums *sums;
    double tolerance;
    int64_t work;
    int lost;      /* a sum that was not conserved, -1 = none */
    double *value; /* of each node */
    int *node;     /* nodes to evaluate, in ascending order */
    int nodes;
    double *state, *begun, *change, *half, *rest, *right, *lift, *solved; /* [states], and V */
    double amplitude;                                                     /* mV/ms, of the stimulus */
    double *matrix;                                                       /* [2][states][states] */
    int *stiff;                                                           /* states, in ascending order */
};

static enum status allocate_trial(struct trial *trial, struct error *error)
{
    const struct cell *cell = trial->cell;
    const struct expression_graph *graph = &cell->graph;
    const int64_t states = cell->states;
    enum status status = STATUS_OK;
    trial->value = array_zeroed(graph->nodes, sizeof *trial->value, "a model's beat", &status, error);
    trial->node = array_zeroed(graph->nodes, sizeof *trial->node, "a model's beat", &status, error);
    trial->state = array_new(8 * (states + 1), sizeof *trial->state, "a model's beat", &status, error);
    trial->matrix = array_new(2 * states * states, sizeof *trial->matrix, "a model's beat", &status, error);
    trial->stiff = array_new(states, sizeof *trial->stiff, "a model's beat", &status, error);
    if (status)
        return status;
    double **const array[] = {&trial->begun, &trial->change, &trial->half,  &trial->rest,
                              &trial->right, &trial->lift,   &trial->solved};
    for (int k = 0; k < 7; k++)
        *array[k] = trial->state + (k + 1) * (states + 1);
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

static void free_trial(struct trial *trial)
{
    free(trial->value);
    free(trial->node);
    free(trial->state);
    free(trial->matrix);
    free(trial->stiff);
}

static void evaluate(struct trial *trial, double stimulus, double time)
{
    trial->work += trial->nodes;
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
            value[n] = trial->state[trial->cell->states];
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
        default:
            value[n] = expression_value(node->operation, value[a[0]], a[1] < 0 ? 0 : value[a[1]],
                                        a[2] < 0 ? 0 : value[a[2]]);
        }
    }
}

/* df_i/dx_j; 0 if it is not finite */
static double slope(const struct trial *trial, int i, int j)
{
    double value = trial->value[trial->rates->slope[i * trial->cell->states + j]];
    return isfinite(value) ? value : 0;
}

static double state_rate(const struct trial *trial, int s)
{
    return trial->value[trial->cell->state[s].rate];
}

/* Solves matrix x = right for n unknowns, with pivots below 1 raised to 1; right <- the increments w of
 * step.h. Returns the number of operations. */
static int64_t solve(double *x, double *matrix, double *right, double *lift, int n)
{
    int64_t work = (int64_t)n * n;
    for (int k = 0; k < n; k++) {
        lift[k] = fmax(1 - matrix[k * n + k], 0);
        for (int i = k + 1; i < n; i++) {
            const double factor = matrix[i * n + k] / (matrix[k * n + k] + lift[k]);
            matrix[i * n + k] = factor;
            for (int j = k + 1; j < n && factor != 0; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
            right[i] -= factor * right[k];
            work += factor != 0 ? n - k : 0;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = right[k];
        for (int j = k + 1; j < n; j++)
            x[k] -= matrix[k * n + j] * x[j];
        x[k] /= matrix[k * n + k] + lift[k];
    }
    for (int k = 0; k < n; k++) {
        lift[k] *= x[k];
        right[k] = x[k] + lift[k];
        for (int i = 0; i < k; i++)
            right[k] += matrix[k * n + i] * lift[i];
    }
    return work;
}

/* The right half of matrix[n][2 n] <- the inverse of the left half, by elimination with pivoting. Returns the
 * number of operations. */
static int64_t invert(double *matrix, int n)
{
    const int width = 2 * n;
    int64_t work = 0;
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
            work += factor != 0 ? width - k : 0;
        }
    }
    for (int k = 0; k < n; k++)
        for (int j = n; j < width; j++)
            matrix[k * width + j] /= matrix[k * width + k];
    return work;
}

/* forgets += the current rate of decay, |1 / (J^-1)_ss|: a constant disturbance of a state's rate shifts the
 * state by 1 / forgets times that, while the states that it exchanges with also adjust. A single state decays
 * by -df/dx; a fast state whose partner stores what it loses and returns it may not decay at all. */
static void remember(struct trial *trial, struct trial_state *seen)
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
    trial->work += invert(matrix, n);
    for (int k = 0; k < n; k++) {
        double forgets = fabs(1 / matrix[k * 2 * n + n + k]);
        seen[member[k]].forgets += isfinite(forgets) ? forgets : 0;
    }
}

/* change[states + 1] <- the increments of a step of dt ms from the current values of the nodes (step.h); the
 * last is V's */
static void find_change(struct trial *trial, double *change, double dt)
{
    const int states = trial->cell->states;
    int *stiff = trial->stiff, n = 0;
    change[states] = dt * trial->value[trial->cell->v_rate];
    for (int s = 0; s < states; s++) {
        double b = -slope(trial, s, s);
        change[s] = dt * state_rate(trial, s);
        if (trial->rates->gate[s] && b > 0)
            change[s] *= -real_expm1_double(-dt * b) / (dt * b);
        else if (trial->rates->unknown[s])
            stiff[n++] = s;
    }
    for (int i = 0; i < n; i++) {
        trial->right[i] = change[stiff[i]];
        for (int j = 0; j < n; j++)
            trial->matrix[i * n + j] = (i == j) - dt * slope(trial, stiff[i], stiff[j]);
    }
    trial->work += solve(trial->solved, trial->matrix, trial->right, trial->lift, n);
    for (int s = 0; s < states && n; s++)
        for (int j = 0; j < n && !trial->rates->gate[s] && !trial->rates->unknown[s]; j++)
            change[s] += dt * slope(trial, s, stiff[j]) * trial->solved[j];
    for (int i = 0; i < n; i++)
        change[stiff[i]] = sums_hold(trial->sums, stiff[i]) ? trial->right[i] : trial->solved[i];
}

bool trial_missed(const struct trial_state *seen, const struct trial_rates *rates, int s)
{
    return seen[s].fastest > rates->stiff && !rates->gate[s] && !rates->unknown[s];
}

/* Whether trial_missed holds for any state */
static bool any_missed(const struct trial *trial, const struct trial_state *seen)
{
    bool any = false;
    for (int s = 0; s < trial->cell->states; s++)
        any |= trial_missed(seen, trial->rates, s);
    return any;
}

/* half[] <- the increments of two steps of dt / 2 from begun, change[] <- of one step of dt; the nodes must
 * have been evaluated at begun. Returns the largest difference, in tolerances of a state's range or value
 * and, for V, of 100 mV. */
static double try_step(struct trial *trial, const struct trial_state *seen, double stimulus, double t,
                       double dt)
{
    const int states = trial->cell->states;
    double most = 0;
    find_change(trial, trial->change, dt);
    find_change(trial, trial->half, dt / 2);
    for (int s = 0; s <= states; s++)
        trial->state[s] = trial->begun[s] + trial->half[s];
    evaluate(trial, stimulus, t + dt / 2);
    find_change(trial, trial->rest, dt / 2);
    for (int s = 0; s <= states; s++) {
        trial->half[s] += trial->rest[s];
        const double x = trial->begun[s], apart = fabs(trial->half[s] - trial->change[s]);
        const double far = fmax(fabs(x), fabs(x + trial->half[s]));
        const double size = s == states ? 100 : fmax(seen[s].high - seen[s].low, far);
        const double off = apart / ((size + least) * trial->tolerance);
        most = isfinite(off) ? fmax(most, off) : (double)INFINITY;
    }
    return most;
}

/* Extends the ranges and fastest rates in seen by the current values */
static void record_extremes(const struct trial *trial, struct trial_state *seen)
{
    for (int s = 0; s < trial->cell->states; s++) {
        seen[s].low = fmin(seen[s].low, trial->state[s]);
        seen[s].high = fmax(seen[s].high, trial->state[s]);
        seen[s].fastest = fmax(seen[s].fastest, -slope(trial, s, s));
    }
}

static void start(struct trial *trial, struct trial_state *seen)
{
    const struct cell *cell = trial->cell;
    for (int s = 0; s < cell->states; s++) {
        const double x = trial->state[s] = cell->state[s].initial;
        seen[s] = (struct trial_state){x, x, 0, 0};
    }
    trial->state[cell->states] = cell->v_initial;
    trial->lost = -1;
    evaluate(trial, 0, 0);
    trial->amplitude = trial->value[cell->stimulus];
    trial->amplitude =
        trial->amplitude == 0 ? 50 : trial->amplitude * (cell->events ? cell->event[0].level : 1);
}

/* seen <- results of a beat with the current tolerance. Steps end at each whole ms and at the end of the
 * stimulus. Returns false if the beat ends early. */
static bool run(struct trial *trial, struct trial_state *seen)
{
    const struct cell *cell = trial->cell;
    const double ends = starts + (cell->events ? cell->event[0].duration : 1);
    double t = 0, step = first_step;
    int samples = 0;
    start(trial, seen);
    while (t < beat && trial->work < EVALUATIONS_MAX && trial->lost < 0) {
        const bool on = t >= starts && t < ends;
        const double edge = on ? fmin(ends, floor(t) + 1) : floor(t) + 1;
        const double stimulus = on ? trial->amplitude : 0, dt = fmin(step, edge - t);
        memcpy(trial->begun, trial->state, (size_t)(cell->states + 1) * sizeof *trial->begun);
        evaluate(trial, stimulus, t);
        record_extremes(trial, seen);
        if (t == floor(t) && t >= samples) {
            remember(trial, seen);
            samples++;
        }
        if (any_missed(trial, seen))
            return false;
        const double off = try_step(trial, seen, stimulus, t, dt);
        const bool last = dt <= shortest * trial->tolerance, good = off <= 1 || (last && isfinite(off));
        step = fmax(dt * fmin(2, fmax(0.2, 0.9 / sqrt(off))), shortest * trial->tolerance);
        if (last && !good)
            break;
        for (int s = 0; s <= cell->states; s++)
            trial->state[s] = trial->begun[s] + (good ? trial->half[s] : 0);
        t = !good ? t : dt < edge - t ? t + dt : edge;
        trial->lost = sums_lost(trial->sums, trial->state, false);
    }
    for (int s = 0; s < cell->states && samples; s++)
        seen[s].forgets /= samples;
    return t >= beat;
}

/* Whether two beats agree (trial.h) */
static bool agree(const struct trial *trial, const struct trial_state *a, const struct trial_state *b)
{
    const double stiff = trial->rates->stiff;
    bool same = true;
    for (int s = 0; s < trial->cell->states; s++) {
        double most = 0.1 * (b[s].high - b[s].low);
        same = same && fabs(a[s].low - b[s].low) <= most && fabs(a[s].high - b[s].high) <= most &&
               (a[s].fastest > stiff) == (b[s].fastest > stiff);
    }
    return same;
}

static enum status refine(struct trial *trial, struct trial_state *seen, struct error *error)
{
    enum status status = STATUS_OK;
    char text[512];
    const size_t size = (size_t)trial->cell->states * sizeof *seen;
    struct trial_state *before = array_new(trial->cell->states, sizeof *before, "a beat", &status, error);
    bool whole = false, same = false;
    for (int k = 0; k <= REFINEMENTS && !same && !status; k++) {
        const bool had = whole;
        const int64_t work = trial->work;
        memcpy(before, seen, size);
        trial->tolerance = ldexp(first_tolerance, -2 * k);
        whole = run(trial, seen);
        same = had && whole && agree(trial, before, seen);
        if (any_missed(trial, seen) || trial->lost >= 0 || 3 * trial->work - 2 * work > EVALUATIONS_MAX)
            break;
    }
    if (!status && trial->lost >= 0) {
        sums_describe(text, sizeof text, trial->sums, trial->lost, trial->state);
        status =
            error_set(error, STATUS_INPUT, "%s during a beat, although the rates conserve that sum", text);
    }
    free(before);
    return status;
}

enum status trial_run(struct trial_state *seen, const struct cell *cell, const struct trial_rates *rates,
                      const struct sums *sums, struct error *error)
{
    struct trial trial = {.cell = cell, .rates = rates, .sums = sums};
    enum status status = allocate_trial(&trial, error);
    if (!status)
        status = refine(&trial, seen, error);
    free_trial(&trial);
    return status;
}
