/* cell_beat.c: levels and times between steps by linear interpolation. */
#include "app/commands/cell_beat.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "app/util/json.h"
static const double fallen[BEAT_APDS] = {0.3, 0.5, 0.9};

/* name is `word` but for case and underscores */
static bool is_called(const char *name, const char *word)
{
    for (; *name; name++)
        if (*name != '_' && tolower((unsigned char)*name) != *word++)
            return false;
    return !*word;
}

int beat_calcium(const struct ionic_model *model)
{
    for (int k = 0; k < model->states; k++) {
        const char *dot = strrchr(model->state[k].name, '.'), *name = dot ? dot + 1 : model->state[k].name;
        if (is_called(name, "cai") || is_called(name, "cacyt"))
            return k;
    }
    return -1;
}

static double calcium_of(const struct single_cell *cell, int calcium)
{
    return calcium < 0 ? (double)NAN : single_cell_value(cell, 1 + calcium);
}

struct beat beat_begin(double start, const struct single_cell *cell)
{
    int calcium = beat_calcium(cell->cells.model);
    double ca = calcium_of(cell, calcium), v = cell->v;
    return (struct beat){.start = start,
                         .rest = v,
                         .first = v,
                         .peak = v,
                         .slope = -INFINITY,
                         .slope_time = NAN,
                         .apd = {NAN, NAN, NAN},
                         .ca_rest = ca,
                         .ca_peak = ca,
                         .calcium = calcium};
}

/* the time in the step from (t, before) to (t + dt, v) at which V passes `level` downwards, or NAN */
static double fall_through(double level, double t, double dt, double before, double v)
{
    return before > level && v <= level ? t + dt * (before - level) / (before - v) : (double)NAN;
}

static void follow_calcium(struct beat *beat, double ca, double t)
{
    if (ca > beat->ca_peak) {
        beat->ca_peak = ca;
        beat->ca_time = t - beat->start;
    }
}

void beat_follow(struct beat *beat, const struct single_cell *cell, double t, double before, double stimulus)
{
    double v = cell->v, dt = cell->step;
    follow_calcium(beat, calcium_of(cell, beat->calcium), t + dt);
    beat->charge += stimulus * dt;
    beat->own = fmax(beat->own, v - beat->first - beat->charge);
    if ((v - before) / dt > beat->slope) {
        beat->slope = (v - before) / dt;
        beat->slope_time = t + 0.5 * dt;
    }
    if (v > beat->peak) {
        beat->peak = v;
        for (int k = 0; k < BEAT_APDS; k++)
            beat->apd[k] = NAN;
        return;
    }
    for (int k = 0; k < BEAT_APDS; k++)
        if (isnan(beat->apd[k]))
            beat->apd[k] =
                fall_through(beat->peak - fallen[k] * (beat->peak - beat->rest), t, dt, before, v) -
                beat->slope_time;
}

static void print_number(FILE *file, double value, int width, int digits)
{
    if (isnan(value))
        fprintf(file, " %*s", width, "-");
    else
        fprintf(file, " %*.*f", width, digits, value);
}

void beat_json(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats)
{
    static const char *const apd[BEAT_APDS] = {"apd30", "apd50", "apd90"};
    for (int64_t k = 0; k < beats && !isnan(beat[k].start); k++) {
        struct json json = json_line(file);
        json_open(&json, NULL, '{');
        json_integer(&json, "beat", k + 1);
        json_number(&json, "start", beat[k].start);
        json_number(&json, "rest", beat[k].rest);
        json_number(&json, "peak", beat[k].peak);
        json_number(&json, "dvdt_max", beat[k].slope);
        for (int which = 0; which < BEAT_APDS; which++)
            json_number(&json, apd[which], beat[k].apd[which]);
        if (beat_calcium(model) >= 0) {
            json_text(&json, "calcium", model->state[beat_calcium(model)].name);
            json_number(&json, "calcium_rest", beat[k].ca_rest);
            json_number(&json, "calcium_peak", beat[k].ca_peak);
            json_number(&json, "calcium_time", beat[k].ca_time);
        }
        json_close(&json);
    }
}

void beat_print(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats)
{
    int calcium = beat_calcium(model);
    fputs("beat  start (ms)  rest (mV)  peak (mV)  dV/dt max (mV/ms)  APD30 (ms)  APD50 (ms)  APD90 (ms)  "
          "APD90-30 (ms)",
          file);
    if (calcium >= 0)
        fprintf(file, "  %s amplitude (%s)   peak (%s)  to peak (ms)", model->state[calcium].name,
                model->state[calcium].unit, model->state[calcium].unit);
    fputc('\n', file);
    for (int64_t k = 0; k < beats && !isnan(beat[k].start); k++) {
        fprintf(file, "%4lld %11.5g %10.3f %10.3f %18.2f", (long long)k + 1, beat[k].start, beat[k].rest,
                beat[k].peak, beat[k].slope);
        for (int which = 0; which < BEAT_APDS; which++)
            print_number(file, beat[k].apd[which], 11, 3);
        print_number(file, beat[k].apd[BEAT_APD90] - beat[k].apd[BEAT_APD30], 14, 3);
        if (calcium >= 0) {
            fprintf(file, " %*.6g %11.6g", (int)strlen(model->state[calcium].name) + 17,
                    beat[k].ca_peak - beat[k].ca_rest, beat[k].ca_peak);
            print_number(file, beat[k].ca_time, 13, 2);
        }
        fputc('\n', file);
    }
}
