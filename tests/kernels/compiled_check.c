/* compiled_check.c: a compiled text paced as its protocol says, against Myokit's own integration, in double,
 * in mixed state and with tables.
 *
 * compiled_check TRACE dt until bound: in steps of dt ms up to `until` V in double, 2 V(dt) - V(2 dt), is at
 * most `bound` mV from the trace: an error of the first order in dt is no fault of a formula. In steps of
 * 0.02 ms mixed state is within 0.2 mV of double, tables within 0.01 mV. COMPILED is the header that
 * compile_text made, its formula `text`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define IONIC_TEXT COMPILED
#include "kernels/ionic/formulas.h"
#include "tests/support/check.h"

enum { PER_MV = 10, ROWS = 400 * PER_MV + 1, SAMPLES = 4096 };

#define VALUE_OF(name, unit, meaning, value) value,
static const double parameter[] = {PARAMETERS_text(VALUE_OF) 0};

static struct text_parameters parameters(void)
{
    struct text_parameters result;
    memcpy(&result, parameter, sizeof result);
    return result;
}

/* As kernels/ionic/tables.c makes it */
static void make_table(struct ionic_table *table, bool mixed, double dt)
{
#ifdef IONIC_TABLED
    static double value[ROWS * COLUMNS_text * 2];
    static float single[ROWS * COLUMNS_text * 2];
    const struct text_parameters p = parameters();
    const struct text_constants_double c = text_constants_of_double(&p, dt);
    double first[COLUMNS_text], middle[COLUMNS_text], last[COLUMNS_text], *at = value;
    uint64_t jumps[COLUMNS_text];
    for (int r = 0; r < ROWS; r++) {
        const double v = -200 + r / (double)PER_MV, row = r + 1 < ROWS ? 1 / (double)PER_MV : 0;
        text_table_columns(first, jumps, &c, v);
        text_table_columns(middle, jumps, &c, v + 0.5 * row);
        text_table_columns(last, jumps, &c, row > 0 ? v + row - 0x1p-36 : v);
        for (int k = 0; k < COLUMNS_text; k++) {
            *at++ = first[k] - 2.0 / 3 * (0.5 * (first[k] + last[k]) - middle[k]);
            *at++ = last[k] - first[k];
        }
    }
    for (int k = 0; k < ROWS * COLUMNS_text * 2; k++)
        single[k] = (float)value[k];
    *table = (struct ionic_table){.value = mixed ? (const void *)single : value,
                                  .low = -200,
                                  .high = 200,
                                  .per_mV = PER_MV,
                                  .dt = dt,
                                  .rows = ROWS,
                                  .columns = COLUMNS_text};
#else
    (void)mixed, (void)dt;
    memset(table, 0, sizeof *table);
#endif
}

#ifdef IONIC_TABLED
#define STEP_TABLED(real, stimulus)                                                                          \
    if (table.value)                                                                                         \
        text_tabled_step_##real(&c, &table, (const real *)table.value, &cell, stimulus);                     \
    else
#else
#define STEP_TABLED(real, stimulus)
#endif

static double stimulus_at(double t)
{
    const double period = EVENT_PERIOD;
    double since = t - EVENT_START;
    if (since < 0)
        return 0;
    if (period > 0)
        since -= period * floor(since / period);
    return since < EVENT_DURATION ? STIMULUS : 0;
}

/* The last action potential that ended: when V passes -30 mV upward, ms, and from then until it has fallen by
 * 90 % of peak - rest; NAN before the first */
struct action_potential {
    double upstroke, apd90;
};

struct watch {
    double before, rest, peak, since;
    struct action_potential last;
};

static void watch_step(struct watch *w, double v, double t, double dt)
{
    if (w->before < -30 && v >= -30) {
        w->since = t - dt * (v + 30) / (v - w->before);
        w->peak = v;
    }
    w->peak = fmax(w->peak, v);
    double threshold = w->peak - 0.9 * (w->peak - w->rest);
    if (w->since >= 0 && v < threshold) {
        w->last = (struct action_potential){w->since, t - dt * (v - threshold) / (v - w->before) - w->since};
        w->since = -1;
        w->rest = v;
    }
    w->rest = w->since < 0 ? fmin(w->rest, v) : w->rest;
    w->before = v;
}

/* v[n] <- V at n ms */
#define DEFINE_BEAT(real)                                                                                    \
    static struct action_potential beat_##real(double *v, int count, double dt, struct ionic_table table)    \
    {                                                                                                        \
        const struct text_parameters p = parameters();                                                       \
        const struct text_constants_##real c = text_constants_of_##real(&p, dt);                             \
        struct text_cell_##real cell;                                                                        \
        struct watch watch = {V_INITIAL, V_INITIAL, V_INITIAL, -1, {NAN, NAN}};                              \
        const int64_t per_ms = (int64_t)round(1 / dt);                                                       \
        INITIAL(real)                                                                                        \
        for (int64_t n = 0; n < per_ms * (count - 1) + 1; n++) {                                             \
            if (n % per_ms == 0)                                                                             \
                v[n / per_ms] = cell.v;                                                                      \
            double stimulus = stimulus_at(((double)n + 0.5) * dt);                                           \
            STEP_TABLED(real, stimulus)                                                                      \
            text_step_##real(&c, &cell, stimulus);                                                           \
            watch_step(&watch, cell.v, (double)(n + 1) * dt, dt);                                            \
        }                                                                                                    \
        (void)table;                                                                                         \
        return watch.last;                                                                                   \
    }
#define SET_double(name, unit, meaning, value) cell.name = value;
#define SET_float(name, unit, meaning, value) cell.name = (float)(value);
#define INITIAL(real)                                                                                        \
    cell.v = V_INITIAL;                                                                                      \
    STATES_text(SET_##real, SET_double)
DEFINE_BEAT(double)
DEFINE_BEAT(float)

static double largest(const double *a, const double *b, int count)
{
    double most = 0;
    for (int n = 0; n < count; n++)
        most = fabs(a[n] - b[n]) <= most ? most : fabs(a[n] - b[n]);
    return most;
}

int main(int arguments, char **argument)
{
    static double want[SAMPLES], v[SAMPLES], other[SAMPLES];
    static const double steps[] = {0.05, 0.02};
    char line[200];
    int count = 0;
    if (arguments != 5)
        return 2;
    FILE *file = fopen(argument[1], "r");
    if (!file)
        return 77;
    double dt = atof(argument[2]), until = atof(argument[3]), bound = atof(argument[4]), t, value;
    while (fgets(line, sizeof line, file) && count < SAMPLES)
        if (sscanf(line, "%lf,%lf", &t, &value) == 2 && t <= until) {
            CHECK(fabs(t - count) < 1e-9, "sample %d is at %g ms", count, t);
            want[count++] = value;
        }
    fclose(file);
    struct ionic_table none = {0}, table;
    struct action_potential fine = beat_double(v, count, dt, none), got;
    double e = largest(v, want, count);
    printf("%d ms in steps of %g ms: |dV| %.4g mV", count - 1, dt, e);
    beat_double(other, count, 2 * dt, none);
    for (int n = 0; n < count; n++)
        other[n] = 2 * v[n] - other[n];
    e = largest(other, want, count);
    printf(", without its first order %.4g; APD90 %.2f ms", e, fine.apd90);
    CHECK(count > 1 && e <= bound, "%g mV from the trace", e);
    for (int k = 0; k < 2; k++) {
        got = beat_double(v, count, dt = steps[k], none);
        printf("; at %g ms upstroke %+.3f, APD90 %+.2f ms", dt, got.upstroke - fine.upstroke,
               got.apd90 - fine.apd90);
    }
    beat_float(other, count, dt, none);
    e = largest(v, other, count);
    printf(", mixed state %.4g mV from double", e);
    CHECK(e <= 0.2, "mixed state: %g mV from double", e);
    for (int mixed = 0; mixed < 2; mixed++) {
        make_table(&table, mixed, dt);
        if (!table.value)
            break;
        if (mixed)
            beat_float(other, count, dt, table);
        else
            beat_double(other, count, dt, table);
        e = largest(v, other, count);
        printf(", tables%s %.4g", mixed ? " in mixed state" : "", e);
        CHECK(e <= (mixed ? 0.2 : 0.01), "tables: %g mV from double", e);
    }
    printf("\n");
    return 0;
}
