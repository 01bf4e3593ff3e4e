/* cell_trace.c: steps one cell, writes its table and measures its action potentials. */
#include "app/commands/cell_trace.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/csv.h"
#include "app/util/json.h"
#include "app/util/progress.h"
#include "app/util/watch.h"
#include "kernels/base/array.h"

static void print_header(FILE *table, const struct cell_protocol *protocol)
{
    fputs("t (ms),V (mV)", table);
    for (int k = 0; k < protocol->columns; k++) {
        const int number = protocol->column[k], values = single_cell_values(protocol->model);
        const struct ionic_value *value = number < values ? &protocol->model->state[number - 1]
                                                          : &protocol->model->current[number - values];
        fprintf(table, ",%s (%s)", value->name, value->unit);
    }
    fputc('\n', table);
}

/* column: workspace [columns] */
static void print_line(FILE *table, const struct cell_protocol *protocol, const struct single_cell *cell,
                       int64_t n, double *column)
{
    single_cell_columns(cell, protocol->column, protocol->columns, column);
    fprintf(table, "%.12g,%.12g", (double)n * cell->step, cell->v);
    for (int k = 0; k < protocol->columns; k++)
        fprintf(table, ",%.12g", column[k]);
    putc('\n', table);
    if (table == stdout)
        watch_printed();
}

struct action_potentials cell_potentials(const struct cell_protocol *protocol)
{
    struct action_potentials potentials;
    action_potentials_start(&potentials, protocol->threshold,
                            params_rearm(protocol->threshold, protocol->model->v_initial),
                            protocol->model->v_initial);
    return potentials;
}

enum status cell_begin(struct single_cell *cell, const struct cell_protocol *protocol, struct error *error)
{
    TRY(single_cell_new(cell, protocol->model, protocol->parameter, protocol->way, protocol->pacing.step,
                        error));
    single_cell_set(cell, protocol->initial);
    return STATUS_OK;
}

enum status cell_outcome_new(struct cell_outcome *outcome, const struct cell_protocol *protocol,
                             struct error *error)
{
    int64_t beats = protocol->pacing.stimulus.count;
    enum status status = STATUS_OK;
    *outcome = (struct cell_outcome){.change = NAN, .watch.potentials = cell_potentials(protocol)};
    outcome->beat = array_zeroed(beats, sizeof *outcome->beat, "the beats", &status, error);
    outcome->value = array_zeroed(single_cell_values(protocol->model), sizeof *outcome->value,
                                  "the cell's state", &status, error);
    if (status)
        return status;
    for (int64_t k = 0; k < beats; k++)
        outcome->beat[k].start = outcome->beat[k].potential.activation = NAN;
    return STATUS_OK;
}

void cell_outcome_free(struct cell_outcome *outcome)
{
    free(outcome->beat);
    free(outcome->value);
}

/* Steady state of a cell: the change of V and of every state from the start of a beat to that of the next, relative to
 * their range during the beat */
struct steady {
    double *start, *low, *high; /* [single_cell_values] at the start of the beat; their range since */
    double *now;                /* workspace of the same size */
    double change;              /* the largest change over range; 1 before the second beat */
    int changing;               /* the value with that change */
};

static enum status steady_new(struct steady *steady, const struct single_cell *cell, struct error *error)
{
    int values = single_cell_values(cell->cells.model);
    enum status status = STATUS_OK;
    *steady = (struct steady){.change = 1};
    steady->start = array_zeroed(4 * (int64_t)values, sizeof(double), "a beat's ranges", &status, error);
    if (status)
        return status;
    steady->low = steady->start + values;
    steady->high = steady->low + values;
    steady->now = steady->high + values;
    for (int k = 0; k < values; k++)
        steady->start[k] = NAN;
    return STATUS_OK;
}

static void steady_free(struct steady *steady)
{
    free(steady->start);
    *steady = (struct steady){0};
}

/* |now - start| over the range; 0 if the change is at most 4 epsilon |now| in the value's own type */
static double change_of(const struct steady *steady, const struct single_cell *cell, int k, double now)
{
    bool fp32 = k > 0 && ionic_layout(cell->cells.model, cell->cells.mixed, k - 1).fp32;
    double change = fabs(now - steady->start[k]), range = steady->high[k] - steady->low[k];
    double rounding = 4 * (fp32 ? (double)FLT_EPSILON : DBL_EPSILON) * fabs(now);
    return change > rounding ? change / range : 0;
}

/* Call at the start of a beat: change and changing <- of the beat that ends. Rounding is ignored (change_of()). */
static void steady_begin(struct steady *steady, const struct single_cell *cell)
{
    bool first = isnan(steady->start[0]);
    steady->change = first ? 1 : 0;
    steady->changing = 0;
    single_cell_get(cell, steady->now);
    for (int k = 0; k < single_cell_values(cell->cells.model); k++) {
        double now = steady->now[k], change = first ? 0 : change_of(steady, cell, k, now);
        if (change > steady->change) {
            steady->change = change;
            steady->changing = k;
        }
        steady->start[k] = steady->low[k] = steady->high[k] = now;
    }
}

/* Call after a step: updates the range. */
static void steady_follow(struct steady *steady, const struct single_cell *cell)
{
    single_cell_get(cell, steady->now);
    for (int k = 0; k < single_cell_values(cell->cells.model); k++) {
        double now = steady->now[k];
        steady->low[k] = fmin(steady->low[k], now);
        steady->high[k] = fmax(steady->high[k], now);
    }
}

/* Call when a beat has ended; returns whether the cell is steady */
static bool end_beat(const struct cell_protocol *protocol, struct cell_outcome *outcome,
                     struct steady *steady, const struct single_cell *cell, int64_t beats)
{
    outcome->beats = beats;
    if (!(protocol->steady > 0))
        return false;
    steady_begin(steady, cell);
    outcome->change = steady->change;
    outcome->changing = steady->changing;
    return steady->change < protocol->steady;
}

/* The step number n, measured as part of a beat if one has begun */
static enum status step_measured(const struct cell_protocol *protocol, struct single_cell *cell,
                                 struct beat_watch *watch, struct beat *beat, int64_t n, struct error *error)
{
    double before = cell->v;
    enum status status = pacing_step(&protocol->pacing, cell, n, error);
    beat_follow(watch, beat, cell, n, before, beat ? pacing_current(&protocol->pacing, n) : 0);
    return status;
}

enum status cell_trace(const struct cell_protocol *protocol, FILE *table, struct cell_outcome *outcome,
                       struct error *error)
{
    const int64_t count = protocol->pacing.stimulus.count;
    struct single_cell cell;
    struct steady steady = {0};
    int64_t now = -1;
    enum status status;
    double *column = NULL;
    TRY_DONE(cell_begin(&cell, protocol, error));
    TRY_DONE(steady_new(&steady, &cell, error));
    column = array_new(protocol->columns, sizeof *column, "a line", &status, error);
    TRY_DONE(status);
    if (table) {
        print_header(table, protocol);
        print_line(table, protocol, &cell, 0, column);
    }
    for (int64_t n = 0;; n++) {
        int64_t at = pacing_beat(&protocol->pacing, n);
        bool begins = at > now && at <= count;
        outcome->time = (double)n * cell.step;
        if (begins && end_beat(protocol, outcome, &steady, &cell, now = at))
            break;
        if (n == protocol->steps)
            break;
        if (begins && now < count) {
            outcome->beat[now] = beat_begin(outcome->time, &cell);
            watch_now("beat %lld of %lld", (long long)now + 1, (long long)count);
        }
        struct beat *beat = now < 0 ? NULL : &outcome->beat[now < count ? now : count - 1];
        TRY_DONE(step_measured(protocol, &cell, &outcome->watch, beat, n, error));
        if (protocol->steady > 0)
            steady_follow(&steady, &cell);
        if (table && (n + 1) % protocol->every == 0)
            print_line(table, protocol, &cell, n + 1, column);
    }
    if (table && (fflush(table) || ferror(table)))
        TRY_DONE(error_set(error, STATUS_RUN, "the table cannot be written"));
    single_cell_get(&cell, outcome->value);
done:
    free(column);
    steady_free(&steady);
    single_cell_free(&cell);
    return status;
}

/* Whether name is `word`, ignoring case and underscores */
static bool is_called(const char *name, const char *word)
{
    for (; *name; name++)
        if (*name != '_' && tolower((unsigned char)*name) != *word++)
            return false;
    return !*word;
}

/* The state of a model that is cytosolic calcium, by its name (Ca_i, cai, component.Cai); -1 if there is none
 * */
static int find_calcium(const struct ionic_model *model)
{
    for (int k = 0; k < model->states; k++) {
        const char *dot = strrchr(model->state[k].name, '.'), *name = dot ? dot + 1 : model->state[k].name;
        if (is_called(name, "cai") || is_called(name, "cacyt"))
            return k;
    }
    return -1;
}

/* Cytosolic calcium; single_cell_stored() is valid because it is not a gate (currents also depend on it) */
static double calcium_of(const struct single_cell *cell, int calcium)
{
    return calcium < 0 ? (double)NAN : single_cell_stored(cell, 1 + calcium);
}

struct beat beat_begin(double start, const struct single_cell *cell)
{
    int calcium = find_calcium(cell->cells.model);
    double ca = calcium_of(cell, calcium);
    return (struct beat){.start = start,
                         .potential = {NAN, NAN, NAN, NAN, {NAN, NAN, NAN}, NAN, NAN},
                         .ca_rest = ca,
                         .ca_peak = ca,
                         .first = cell->v,
                         .calcium = calcium};
}

static void follow_calcium(struct beat *beat, double ca, double t)
{
    if (ca > beat->ca_peak) {
        beat->ca_peak = ca;
        beat->ca_time = t - beat->start;
    }
}

void beat_follow(struct beat_watch *watch, struct beat *beat, const struct single_cell *cell, int64_t n,
                 double before, double stimulus)
{
    struct beat *latest = watch->latest;
    const bool lasts = latest && isnan(latest->potential.apd[ACTION_POTENTIAL_90]);
    if (lasts && beat != latest && beat->start == (double)n * cell->step)
        latest->later++;
    if (action_potentials_follow(&watch->potentials, n, cell->step, before, cell->v)) {
        if (lasts && beat != latest)
            latest->later--;
        watch->latest = beat && isnan(beat->potential.activation) ? beat : NULL;
    }
    if (watch->latest)
        watch->latest->potential = action_potentials_latest(&watch->potentials);
    if (!beat)
        return;
    follow_calcium(beat, calcium_of(cell, beat->calcium), (double)(n + 1) * cell->step);
    beat->charge += stimulus * cell->step;
    beat->own = fmax(beat->own, cell->v - beat->first - beat->charge);
}

static void print_number(FILE *file, double value, int width, int digits)
{
    if (isnan(value))
        fprintf(file, " %*s", width, "-");
    else
        fprintf(file, " %*.*f", width, digits, value);
}

/* Early afterdepolarisations: recorded rises minus those that stimuli may have caused; NaN = no action potential */
static double count_eads(const struct beat *beat)
{
    return isnan(beat->potential.eads) ? (double)NAN : fmax(0, beat->potential.eads - (double)beat->later);
}

void beat_warn(FILE *file, const struct beat *beat, int64_t beats, double time, double period)
{
    for (int64_t k = 0; k < beats && !isnan(beat[k].start); k++) {
        const struct action_potential *potential = &beat[k].potential;
        const double eads = count_eads(&beat[k]);
        if (eads > 0)
            fprintf(file, "cardiac: warning: beat %lld: %g early afterdepolarisation%s\n", (long long)k + 1,
                    eads, eads == 1 ? "" : "s");
        if (!isnan(potential->activation) && isnan(potential->apd[ACTION_POTENTIAL_90]) &&
            (beat[k].later > 0 || time - potential->activation > (period > 0 ? 1.5 * period : 1000)))
            fprintf(file,
                    "cardiac: warning: beat %lld: the cell had not repolarised %s ms after its upstroke\n",
                    (long long)k + 1,
                    time_text((beat[k].later > 0 ? beat[k + 1].start : time) - potential->activation).text);
    }
}

void beat_json(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats)
{
    static const char *const apd[ACTION_POTENTIAL_PERCENTS] = {"apd30", "apd50", "apd90"};
    for (int64_t k = 0; k < beats && !isnan(beat[k].start); k++) {
        struct json json = json_line(file);
        json_open(&json, NULL, '{');
        json_integer(&json, "beat", k + 1);
        json_number(&json, "start", beat[k].start);
        json_number(&json, "rest", beat[k].potential.rest);
        json_number(&json, "peak", beat[k].potential.peak);
        json_number(&json, "dvdt_max", beat[k].potential.slope);
        for (int which = 0; which < ACTION_POTENTIAL_PERCENTS; which++)
            json_number(&json, apd[which], beat[k].potential.apd[which]);
        json_number(&json, "eads", count_eads(&beat[k]));
        if (find_calcium(model) >= 0) {
            json_text(&json, "calcium", model->state[find_calcium(model)].name);
            json_number(&json, "calcium_rest", beat[k].ca_rest);
            json_number(&json, "calcium_peak", beat[k].ca_peak);
            json_number(&json, "calcium_time", beat[k].ca_time);
        }
        json_close(&json);
    }
}

void beat_table(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats)
{
    const int calcium = find_calcium(model);
    fprintf(file,
            "%srest (mV),peak (mV),dvdt_max (mV/ms),apd30 (ms),apd50 (ms),apd90 (ms),"
            "diastolic_interval (ms),eads",
            beat_mark);
    if (calcium >= 0)
        fprintf(file, ",calcium_rest (%s),calcium_peak (%s),calcium_time (ms)", model->state[calcium].unit,
                model->state[calcium].unit);
    fputc('\n', file);
    for (int64_t k = 0; k < beats && !isnan(beat[k].start); k++) {
        const struct action_potential *potential = &beat[k].potential;
        fprintf(file, "%lld", (long long)k + 1);
        csv_put_number(file, beat[k].start);
        csv_put_number(file, potential->rest);
        csv_put_number(file, potential->peak);
        csv_put_number(file, potential->slope);
        for (int which = 0; which < ACTION_POTENTIAL_PERCENTS; which++)
            csv_put_number(file, potential->apd[which]);
        csv_put_number(file, potential->rested);
        csv_put_number(file, count_eads(&beat[k]));
        if (calcium >= 0) {
            csv_put_number(file, beat[k].ca_rest);
            csv_put_number(file, beat[k].ca_peak);
            csv_put_number(file, beat[k].ca_time);
        }
        fputc('\n', file);
    }
}

void beat_print(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats)
{
    int calcium = find_calcium(model);
    fputs("beat  start (ms)  rest (mV)  peak (mV)  dV/dt max (mV/ms)  APD30 (ms)  APD50 (ms)  APD90 (ms)  "
          "APD90-30 (ms)",
          file);
    if (calcium >= 0)
        fprintf(file, "  %s amplitude (%s)   peak (%s)  to peak (ms)", model->state[calcium].name,
                model->state[calcium].unit, model->state[calcium].unit);
    fputc('\n', file);
    for (int64_t k = 0; k < beats && !isnan(beat[k].start); k++) {
        const struct action_potential *potential = &beat[k].potential;
        fprintf(file, "%4lld %11.5g", (long long)k + 1, beat[k].start);
        print_number(file, potential->rest, 10, 3);
        print_number(file, potential->peak, 10, 3);
        print_number(file, potential->slope, 18, 2);
        for (int which = 0; which < ACTION_POTENTIAL_PERCENTS; which++)
            print_number(file, potential->apd[which], 11, 3);
        print_number(file, potential->apd[ACTION_POTENTIAL_90] - potential->apd[ACTION_POTENTIAL_30], 14, 3);
        if (calcium >= 0) {
            fprintf(file, " %*.6g %11.6g", (int)strlen(model->state[calcium].name) + 17,
                    beat[k].ca_peak - beat[k].ca_rest, beat[k].ca_peak);
            print_number(file, beat[k].ca_time, 13, 2);
        }
        fputc('\n', file);
    }
}
