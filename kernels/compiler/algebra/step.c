/* step.c: builds the increments of states. */
#include "kernels/compiler/algebra/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

enum status step_begin(struct step *step, int states, struct error *error)
{
    enum status status = STATUS_OK;
    const int most = states < STEP_UNKNOWNS_MAX ? states : STEP_UNKNOWNS_MAX;
    *step = (struct step){0};
    step->increment = array_zeroed(states, sizeof *step->increment, "a model's step", &status, error);
    step->gate = array_zeroed(states, sizeof *step->gate, "a model's step", &status, error);
    step->unknown = array_zeroed(states, sizeof *step->unknown, "a model's step", &status, error);
    step->keeping = array_zeroed(states, sizeof *step->keeping, "a model's step", &status, error);
    step->right = array_zeroed(most, sizeof *step->right, "a model's step", &status, error);
    step->entry = array_zeroed((int64_t)most * most, sizeof *step->entry, "a model's step", &status, error);
    return status;
}

void step_free(struct step *step)
{
    free(step->increment);
    free(step->gate);
    free(step->unknown);
    free(step->keeping);
    free(step->right);
    free(step->entry);
    *step = (struct step){0};
}

/* Whether n > 0 at every point */
static bool is_positive(struct algebra *a, int n)
{
    bool positive = true;
    for (int k = 0; k < ALGEBRA_POINTS; k++)
        positive &= algebra_values(a, n)[k] > 1e-30;
    return positive;
}

static int state_of(struct algebra *a, int s)
{
    return expression_leaf(a->graph, EXPRESSION_STATE, s);
}

/* *at_zero, *b <- the coefficients of x' = at_zero - b x; returns whether the rate is a gate's */
static bool find_gate(int *at_zero, int *b, struct algebra *a, int s, int rate)
{
    const int x = state_of(a, s), zero = expression_number(a->graph, 0);
    *b = algebra_negative(a, algebra_derivative(a, rate, x));
    *at_zero = algebra_replace(a, rate, x, zero);
    return !((algebra_on(a, *b) | algebra_on(a, *at_zero)) & ~(unsigned)ALGEBRA_V) &&
           algebra_is_affine(a, rate, x) && is_positive(a, *b);
}

bool step_is_gate(struct algebra *a, int s, int rate)
{
    int at_zero, b;
    return find_gate(&at_zero, &b, a, s, rate);
}

/* Adds 1e-30 to a limit that is 0 at some V: a state that decays to 0 would become subnormal, and an
 * operation on subnormal numbers can take a hundred cycles. */
static int above_zero(struct algebra *a, int limit)
{
    double least = (double)INFINITY;
    for (int k = 0; k < ALGEBRA_POINTS; k++)
        least = fmin(least, algebra_values(a, limit)[k]);
    return least >= 0 && least < 1e-36 ? algebra_sum(a, limit, expression_number(a->graph, 1e-30)) : limit;
}

/* (x - at_zero / b) (e^(-b dt) - 1) */
static int gate_increment(struct algebra *a, int x, int at_zero, int b)
{
    int above, below, limit = above_zero(a, algebra_quotient(a, at_zero, b));
    algebra_fraction(a, b, &above, &below);
    b = algebra_quotient(a, above, below);
    int y = algebra_negative(a, algebra_product(a, expression_leaf(a->graph, EXPRESSION_STEP, -1), b));
    int rise = expression_one(a->graph, EXPRESSION_EXPM1, y);
    return algebra_product(a, algebra_difference(a, x, limit), rise);
}

/* depends[states][states] <- whether rate k depends on state j */
static void find_dependence(bool *depends, const struct algebra *a, const int *rate, int states,
                            bool *reached)
{
    const struct expression_graph *graph = a->graph;
    for (int k = 0; k < states; k++) {
        algebra_reach_from(graph, reached, rate[k], &rate[k], 1);
        for (int n = 0; n <= rate[k]; n++)
            if (reached[n] && graph->node[n].operation == EXPRESSION_STATE)
                depends[k * states + graph->node[n].leaf] = true;
    }
}

enum status step_slopes(int *slope, struct algebra *a, const int *rate, const bool *full, bool others,
                        int states, struct error *error)
{
    enum status status = STATUS_OK;
    bool *depends = array_zeroed((int64_t)states * states, sizeof *depends, "a model's step", &status, error);
    bool *reached = array_new(a->graph->nodes, sizeof *reached, "a model's step", &status, error);
    int *row = array_new(3 * (int64_t)states, sizeof *row, "a model's step", &status, error);
    int *root = row + states, *derivative = root + states;
    if (!status)
        find_dependence(depends, a, rate, states, reached);
    for (int j = 0; j < states && !status; j++) {
        int rows = 0;
        for (int k = 0; k < states; k++) {
            slope[k * states + j] = 0;
            const bool exchange = k == j || (depends[k * states + j] && depends[j * states + k]);
            if (full[j] ? depends[k * states + j] : others && exchange) {
                row[rows] = k;
                root[rows++] = rate[k];
            }
        }
        algebra_derivatives(a, derivative, root, rows, state_of(a, j));
        for (int k = 0; k < rows; k++)
            slope[row[k] * states + j] = derivative[k];
    }
    free(depends);
    free(reached);
    free(row);
    return status;
}

/* The number of remaining unknowns with an entry in common with k, including k */
static int degree(const bool *pattern, const bool *left, int n, int k)
{
    int count = 0;
    for (int j = 0; j < n; j++)
        count += left[j] && pattern[k * n + j];
    return count;
}

/* elimination[] <- the order of elimination (minimum degree): next is the unknown with the fewest remaining
 * entries, the first of equal ones */
static void eliminate(int *elimination, bool *pattern, int n)
{
    bool left[STEP_UNKNOWNS_MAX];
    memset(left, true, sizeof left);
    for (int k = 0; k < n; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (left[i] && (best < 0 || degree(pattern, left, n, i) < degree(pattern, left, n, best)))
                best = i;
        elimination[k] = best;
        left[best] = false;
        for (int i = 0; i < n; i++) /* its neighbours become neighbours of each other */
            for (int j = 0; j < n; j++)
                pattern[i * n + j] |= left[i] && left[j] && pattern[i * n + best] && pattern[best * n + j];
    }
}

/* Sets the unknowns, in the order of elimination, and their linear system */
static void make_system(struct step *step, struct algebra *a, const int *rate, const int *slope, int states)
{
    const int n = step->unknowns, dt = expression_leaf(a->graph, EXPRESSION_STEP, -1);
    const int one = expression_number(a->graph, 1);
    int elimination[STEP_UNKNOWNS_MAX], before[STEP_UNKNOWNS_MAX];
    bool pattern[STEP_UNKNOWNS_MAX * STEP_UNKNOWNS_MAX];
    memcpy(before, step->unknown, (size_t)n * sizeof *before);
    for (int k = 0; k < n * n; k++) {
        int i = before[k / n], j = before[k % n];
        pattern[k] = i == j || slope[i * states + j] || slope[j * states + i];
    }
    eliminate(elimination, pattern, n);
    for (int k = 0; k < n; k++)
        step->unknown[k] = before[elimination[k]];
    for (int k = 0; k < n; k++) {
        const int *row = slope + step->unknown[k] * states;
        step->right[k] = algebra_product(a, dt, rate[step->unknown[k]]);
        for (int j = 0; j < n; j++)
            step->entry[k * n + j] =
                algebra_difference(a, k == j ? one : 0, algebra_product(a, dt, row[step->unknown[j]]));
    }
}

/* dt f_s plus the terms of stiff states */
static int slow_increment(struct algebra *a, const struct step *step, int rate, const int *slope)
{
    for (int k = 0; k < step->unknowns; k++) {
        int change = expression_leaf(a->graph, EXPRESSION_CHANGE, step->unknown[k]);
        rate = algebra_sum(a, rate, algebra_product(a, slope[step->unknown[k]], change));
    }
    return algebra_product(a, expression_leaf(a->graph, EXPRESSION_STEP, -1), rate);
}

enum status step_make(struct step *step, struct algebra *a, const int *rate, const bool *stiff,
                      const struct sums *sums, int states, struct error *error)
{
    int at_zero, b;
    enum status status = STATUS_OK;
    int *slope = array_new((int64_t)states * states, sizeof *slope, "a model's step", &status, error);
    bool *unknown = array_zeroed(states, sizeof *unknown, "a model's step", &status, error);
    step->unknowns = 0;
    TRY_DONE(status);
    for (int s = 0; s < states; s++) {
        step->increment[s] = -1;
        step->gate[s] = find_gate(&at_zero, &b, a, s, rate[s]);
        if (step->gate[s])
            step->increment[s] = gate_increment(a, state_of(a, s), at_zero, b);
        else if (stiff[s]) {
            unknown[s] = true;
            step->unknown[step->unknowns++] = s;
        }
    }
    if (step->unknowns > STEP_UNKNOWNS_MAX)
        status = error_set(error, STATUS_INPUT, "%d states are stiff; at most %d can be stepped together",
                           step->unknowns, STEP_UNKNOWNS_MAX);
    TRY_DONE(status);
    TRY_DONE(step_slopes(slope, a, rate, unknown, false, states, error));
    make_system(step, a, rate, slope, states);
    for (int k = 0; k < step->unknowns; k++) {
        const int s = step->unknown[k];
        step->keeping[k] = sums_hold(sums, s);
        step->increment[s] =
            expression_leaf(a->graph, step->keeping[k] ? EXPRESSION_KEEPING : EXPRESSION_CHANGE, s);
    }
    for (int s = 0; s < states; s++)
        if (step->increment[s] < 0)
            step->increment[s] = slow_increment(a, step, rate[s], slope + s * states);
done:
    free(slope);
    free(unknown);
    return status;
}
