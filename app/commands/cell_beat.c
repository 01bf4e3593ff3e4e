/* cell_beat.c: what a stimulus evokes is the first action potential before the next one. */
#include "app/commands/cell_beat.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "app/util/json.h"

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
    double ca = calcium_of(cell, calcium);
    return (struct beat){.start = start,
                         .potential = {NAN, NAN, NAN, NAN, {NAN, NAN, NAN}, NAN},
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
    if (action_potentials_follow(&watch->potentials, n, cell->step, before, cell->v))
        watch->latest = beat && isnan(beat->potential.activation) ? beat : NULL;
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

void beat_json(FILE *file, const struct ionic_model *model, const struct beat *beat, int64_t beats)
{
    static const char *const apd[ACTION_POTENTIAL_LEVELS] = {"apd30", "apd50", "apd90"};
    for (int64_t k = 0; k < beats && !isnan(beat[k].start); k++) {
        struct json json = json_line(file);
        json_open(&json, NULL, '{');
        json_integer(&json, "beat", k + 1);
        json_number(&json, "start", beat[k].start);
        json_number(&json, "rest", beat[k].potential.rest);
        json_number(&json, "peak", beat[k].potential.peak);
        json_number(&json, "dvdt_max", beat[k].potential.slope);
        for (int which = 0; which < ACTION_POTENTIAL_LEVELS; which++)
            json_number(&json, apd[which], beat[k].potential.apd[which]);
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
        const struct action_potential *potential = &beat[k].potential;
        fprintf(file, "%4lld %11.5g", (long long)k + 1, beat[k].start);
        print_number(file, potential->rest, 10, 3);
        print_number(file, potential->peak, 10, 3);
        print_number(file, potential->slope, 18, 2);
        for (int which = 0; which < ACTION_POTENTIAL_LEVELS; which++)
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
