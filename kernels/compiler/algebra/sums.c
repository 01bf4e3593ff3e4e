/* sums.c: computes the null space of the rates at random elements of the field of 2^61 - 1 elements. */
#include "kernels/compiler/algebra/sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/base/printed.h"

static const double sum_tolerance = 1e-8, range_tolerance = 0.25;

static const uint64_t prime = (UINT64_C(1) << 61) - 1;
/* further points that verify c; largest numerator or denominator in c */
enum { CHECKS = 3, RATIONAL_MAX = 1 << 29 };

__extension__ typedef unsigned __int128 wide;

static uint64_t times(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
    return sum >= prime ? sum - prime : sum;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a + b >= prime ? a + b - prime : a + b;
}

static uint64_t minus(uint64_t a)
{
    return a ? prime - a : 0;
}

static uint64_t power(uint64_t x, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, x = times(x, x))
        result = exponent & 1 ? times(result, x) : result;
    return result;
}

static uint64_t inverse(uint64_t x) /* 0 for x = 0 */
{
    return power(x, prime - 2);
}

/* A pseudorandom element, determined by the three words */
static uint64_t element(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t word[] = {a, b, c}, x = 0x9e3779b97f4a7c15;
    for (int k = 0; k < 3; k++)
        x = bits_stir(x + word[k] + 0x9e3779b97f4a7c15);
    return x % prime;
}

/* The element of a number read as its decimal fraction, so that 0.1 + 0.2 is 0.3 */
static uint64_t of_number(double number)
{
    char text[40];
    uint64_t digits = 0;
    int exponent = 0;
    if (!isfinite(number))
        return element(1, (uint64_t)isnan(number), (uint64_t)(number > 0));
    snprintf(text, sizeof text, "%.14e", number);
    if (strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.16e", number);
    const char *e = strchr(text, 'e');
    for (const char *at = text; at < e; at++)
        if (*at >= '0' && *at <= '9') {
            digits = 10 * digits + (uint64_t)(*at - '0');
            exponent -= digits > 0 && strchr(text, '.') && at > strchr(text, '.');
        }
    exponent += (int)strtol(e + 1, NULL, 10);
    uint64_t scale = power(10, (uint64_t)abs(exponent));
    uint64_t size = times(digits % prime, exponent < 0 ? inverse(scale) : scale);
    return number < 0 ? minus(size) : size;
}

/* x^y for a small integer y, else the value of an unknown function of x and `as` */
static uint64_t power_of_number(const struct expression_node *y, uint64_t x, uint64_t as)
{
    double k = y->number;
    if (y->operation != EXPRESSION_NUMBER || k != floor(k) || fabs(k) > EXPRESSION_POWER_MAX)
        return element(2 + EXPRESSION_POWER, x, as);
    uint64_t whole = power(x, (uint64_t)fabs(k));
    return k < 0 ? inverse(whole) : whole;
}

/* value[n] <- the value of each node n with use[n] at a point */
static void evaluate(uint64_t *value, const struct expression_graph *graph, const bool *use, int nodes,
                     uint64_t point)
{
    for (int n = 0; n < nodes; n++) {
        const struct expression_node *node = &graph->node[n];
        const int *a = node->operand;
        if (!use[n])
            continue;
        uint64_t x = a[0] < 0 ? 0 : value[a[0]], y = a[1] < 0 ? 0 : value[a[1]], truth;
        switch (node->operation) {
        case EXPRESSION_NUMBER:
            value[n] = of_number(node->number);
            break;
        case EXPRESSION_NEGATE:
            value[n] = minus(x);
            break;
        case EXPRESSION_ADD:
            value[n] = plus(x, y);
            break;
        case EXPRESSION_SUBTRACT:
            value[n] = plus(x, minus(y));
            break;
        case EXPRESSION_MULTIPLY:
            value[n] = times(x, y);
            break;
        case EXPRESSION_DIVIDE:
            value[n] = times(x, inverse(y));
            break;
        case EXPRESSION_POWER:
            value[n] = power_of_number(&graph->node[a[1]], x, y);
            break;
        case EXPRESSION_SELECT: /* t y + (1 - t) z: t is 1 or 0 in a model, but any element here */
            truth = element(2 + EXPRESSION_SELECT, x, 0);
            value[n] = plus(times(truth, y), times(plus(1, minus(truth)), value[a[2]]));
            break;
        default:
            value[n] = expression_operands(node->operation) == 0
                           ? element(2 + (uint64_t)node->operation, (uint64_t)(node->leaf + 1), point)
                           : element(2 + (uint64_t)node->operation, x, y);
        }
    }
}

/* Reduces row[n] by the rows that have pivots and scales it; returns the column of its first nonzero entry,
 * now 1, or -1 */
static int reduce(uint64_t *row, uint64_t *const *reduced, const int *pivot, int rows, int n)
{
    int first = -1;
    for (int r = 0; r < rows; r++) {
        uint64_t share = minus(row[pivot[r]]);
        for (int k = 0; k < n && share; k++)
            row[k] = plus(row[k], times(share, reduced[r][k]));
    }
    for (int k = 0; k < n && first < 0; k++)
        first = row[k] ? k : -1;
    uint64_t scale = first < 0 ? 0 : inverse(row[first]);
    for (int k = 0; k < n && first >= 0; k++)
        row[k] = times(row[k], scale);
    return first;
}

/* *number <- the fraction with small numerator and denominator that x represents (Wang's rational
 * reconstruction); false if there is none */
static bool rational(double *number, uint64_t x)
{
    int64_t r[] = {(int64_t)prime, (int64_t)x}, t[] = {0, 1};
    while (r[1] > RATIONAL_MAX) {
        int64_t q = r[0] / r[1], rest = r[0] - q * r[1], next = t[0] - q * t[1];
        r[0] = r[1], r[1] = rest;
        t[0] = t[1], t[1] = next;
    }
    *number = t[1] ? (double)r[1] / (double)t[1] : 0;
    return t[1] != 0 && llabs(t[1]) <= RATIONAL_MAX;
}

/* Adds the sum of one state without a pivot and states with one; nothing if a factor is not a fraction, or if
 * the sum has only one state */
static void add_sum(struct sums *sums, uint64_t *const *reduced, const int *pivot, int rows, int own,
                    const int *member, const struct cell *cell)
{
    double *factor = sums->factor + (int64_t)sums->count * cell->states, start = 0;
    int terms = 1;
    bool good = true, shares = true;
    memset(factor, 0, (size_t)cell->states * sizeof *factor);
    factor[member[own]] = 1;
    for (int r = 0; r < rows && good; r++) {
        good = rational(&factor[member[pivot[r]]], minus(reduced[r][own]));
        terms += reduced[r][own] != 0;
    }
    for (int s = 0; s < cell->states && good; s++) {
        start += factor[s] * cell->state[s].initial;
        shares = shares && factor[s] >= 0 && factor[s] * cell->state[s].initial >= 0;
    }
    sums->start[sums->count] = start;
    sums->shares[sums->count] = shares && start > 0;
    sums->count += good && terms > 1 && isfinite(start);
}

/* Eliminates the entries above each pivot */
static void clear_above(uint64_t *const *reduced, const int *pivot, int rows, int n)
{
    for (int r = rows - 1; r >= 0; r--)
        for (int i = 0; i < r; i++) {
            uint64_t share = minus(reduced[i][pivot[r]]);
            for (int k = 0; k < n && share; k++)
                reduced[i][k] = plus(reduced[i][k], times(share, reduced[r][k]));
        }
}

/* Adds a row of rates per point until CHECKS points in succession add no independent row */
static void find(struct sums *sums, const struct cell *cell, const int *member, int n, const bool *use,
                 uint64_t *value, uint64_t **reduced, int *pivot)
{
    int rows = 0;
    uint64_t point = 0;
    for (int idle = 0; idle < CHECKS && rows < n; point++) {
        uint64_t *row = reduced[rows];
        evaluate(value, &cell->graph, use, cell->graph.nodes, point);
        for (int k = 0; k < n; k++)
            row[k] = value[cell->state[member[k]].rate];
        pivot[rows] = reduce(row, reduced, pivot, rows, n);
        idle = pivot[rows] < 0 ? idle + 1 : 0;
        rows += pivot[rows] >= 0;
    }
    clear_above(reduced, pivot, rows, n);
    for (int k = 0; k < n; k++) {
        bool has = false;
        for (int r = 0; r < rows; r++)
            has |= pivot[r] == k;
        if (!has)
            add_sum(sums, reduced, pivot, rows, k, member, cell);
    }
}

enum status sums_find(struct sums *sums, const struct cell *cell, const bool *apart, struct error *error)
{
    enum status status = STATUS_OK;
    const char *what = "a model's conserved sums";
    const int64_t states = cell->states, nodes = cell->graph.nodes;
    int n = 0;
    *sums = (struct sums){.cell = cell};
    sums->factor = array_new(states * states, sizeof *sums->factor, what, &status, error);
    sums->start = array_new(states, sizeof *sums->start, what, &status, error);
    sums->shares = array_new(states, sizeof *sums->shares, what, &status, error);
    int *member = array_new(2 * states + 1, sizeof *member, what, &status, error);
    bool *use = array_zeroed(nodes, sizeof *use, what, &status, error);
    uint64_t *value = array_zeroed(nodes, sizeof *value, what, &status, error);
    uint64_t *entry = array_new((states + 1) * states, sizeof *entry, what, &status, error);
    uint64_t **row = array_new(states + 1, sizeof *row, what, &status, error);
    for (int s = 0; s < states && !status; s++)
        if (!apart[s]) {
            member[n++] = s;
            use[cell->state[s].rate] = true;
        }
    for (int64_t k = nodes - 1; k >= 0 && !status; k--)
        for (int j = 0; j < 3 && use[k]; j++)
            if (cell->graph.node[k].operand[j] >= 0)
                use[cell->graph.node[k].operand[j]] = true;
    for (int r = 0; r <= n && !status; r++)
        row[r] = entry + (int64_t)r * n;
    if (!status && n)
        find(sums, cell, member, n, use, value, row, member + states);
    free(member);
    free(use);
    free(value);
    free(entry);
    free(row);
    return status;
}

void sums_free(struct sums *sums)
{
    free(sums->factor);
    free(sums->start);
    free(sums->shares);
    *sums = (struct sums){0};
}

bool sums_hold(const struct sums *sums, int s)
{
    bool holds = false;
    for (int k = 0; k < sums->count; k++)
        holds |= sums->factor[(int64_t)k * sums->cell->states + s] != 0;
    return holds;
}

/* *sum <- sum_s c_s x_s; returns whether it equals start, up to rounding */
static bool is_conserved(double *sum, const struct sums *sums, int k, const double *state)
{
    const double *factor = sums->factor + (int64_t)k * sums->cell->states;
    double size = fabs(sums->start[k]);
    *sum = 0;
    for (int s = 0; s < sums->cell->states; s++)
        if (factor[s] != 0) {
            *sum += factor[s] * state[s];
            size = fmax(size, fabs(factor[s] * state[s]));
        }
    return fabs(*sum - sums->start[k]) <= sum_tolerance * size;
}

/* Whether a part of a sum is between 0 and start, within a tolerance */
static bool is_share(double amount, double start)
{
    return amount >= -range_tolerance * start && amount <= (1 + range_tolerance) * start;
}

/* The first state whose part of sum k is outside its range, -1 = none */
static int state_out_of_range(const struct sums *sums, int k, const double *state)
{
    const double *factor = sums->factor + (int64_t)k * sums->cell->states;
    for (int s = 0; s < sums->cell->states && sums->shares[k]; s++)
        if (factor[s] != 0 && !is_share(factor[s] * state[s], sums->start[k]))
            return s;
    return -1;
}

void sums_reach(struct sums *sums, int s, double low, double high)
{
    for (int k = 0; k < sums->count; k++) {
        double factor = sums->factor[(int64_t)k * sums->cell->states + s];
        sums->shares[k] = sums->shares[k] && is_share(factor * low, sums->start[k]) &&
                          is_share(factor * high, sums->start[k]);
    }
}

int sums_lost(const struct sums *sums, const double *state, bool ranges)
{
    double sum;
    for (int k = 0; k < sums->count; k++)
        if (!is_conserved(&sum, sums, k, state) || (ranges && state_out_of_range(sums, k, state) >= 0))
            return k;
    return -1;
}

void sums_describe(char *text, size_t bytes, const struct sums *sums, int k, const double *state)
{
    const double *factor = sums->factor + (int64_t)k * sums->cell->states;
    double sum;
    const int s = is_conserved(&sum, sums, k, state) ? state_out_of_range(sums, k, state) : -1;
    const char *sign = "";
    text[0] = 0;
    for (int j = 0; j < sums->cell->states; j++) {
        char number[32] = "";
        if (factor[j] == 0)
            continue;
        if (fabs(factor[j]) != 1)
            snprintf(number, sizeof number, "%.6g ", fabs(factor[j]));
        sign = factor[j] > 0 ? sign : *sign ? " - " : "-";
        printed_add(text, bytes, "%s%s%s", sign, number, sums->cell->state[j].name);
        sign = " + ";
    }
    if (s >= 0)
        printed_add(text, bytes, " is %.6g, but %s is %.6g", sum, sums->cell->state[s].name, state[s]);
    else
        printed_add(text, bytes, " is %.6g, not %.6g", sum, sums->start[k]);
}
