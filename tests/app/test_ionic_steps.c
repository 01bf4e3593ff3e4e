/* test_ionic_steps.c: the longest steps that models declare, each paced at 1 Hz at four places of the
 * stimulus between two steps; those of other texts are what steps_find says of a user's. Up to step_accurate
 * the second beat has its peak within 5 % of the height and APD90 within 1 %, in steps half as long again not
 * so; up to step_largest V stays below what the currents can drive it to, in steps half as long again no
 * more. `test_ionic_steps [full]`: three models, or all. */
#include <string.h>

#include "app/commands/cell_trace.h"
#include "app/config/model.h"
#include "app/models/steps.h"
#include "tests/support/check.h"

enum { BEATS = 2, PHASES = 4, STATES_MAX = 100 };

static const double *parameters_of(const struct ionic_model *model)
{
    static double parameter[64];
    CHECK(model->parameters <= 64, "%s", model->name);
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = model->parameter[k].value;
    return parameter;
}

static double value_of(const struct ionic_value *value, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(value[k].name, name) == 0)
            return value[k].value;
    CHECK(0, "no %s", name);
    return NAN;
}

/* Where no sum of the currents is inward, mV: sodium's reversal potential, or the upper rest of simple models
 */
static double ceiling_of(const struct ionic_model *model)
{
    const struct ionic_value *p = model->parameter;
    int n = model->parameters;
    if (strcmp(model->name, "mitchell-schaeffer") == 0)
        return value_of(p, n, "V_max");
    if (strcmp(model->name, "fitzhugh-nagumo") == 0)
        return value_of(p, n, "V_peak");
    double inside = value_of(model->state, model->states, "Na_i");
    return 8314.472 * value_of(p, n, "T") / 96485.3415 * log(value_of(p, n, "Na_o") / inside);
}

/* *last <- the second beat, *top <- the highest peak of all */
static void pace(struct action_potential *last, double *top, const struct ionic_model *model, double step,
                 int phase)
{
    struct cell_outcome outcome;
    struct error error;
    double initial[STATES_MAX];
    single_cell_rest(initial, model);
    const struct stimulus stimulus = {.current = 52,
                                      .start = step * (ceil(10 / step) + (double)phase / PHASES),
                                      .duration = 1,
                                      .period = step * floor(1000 / step + 0.5),
                                      .count = BEATS};
    const struct cell_protocol protocol = {.model = model,
                                           .parameter = parameters_of(model),
                                           .initial = initial,
                                           .pacing = {.step = step, .stimulus = stimulus},
                                           .steps = (int64_t)((1000 * BEATS - 200) / step),
                                           .every = 1};
    CHECK_OK(cell_outcome_new(&outcome, &protocol, &error), error);
    CHECK_OK(cell_trace(&protocol, NULL, &outcome, &error), error);
    *last = outcome.beat[BEATS - 1].potential;
    for (int k = 0; k < BEATS; k++)
        *top = fmax(*top, outcome.beat[k].potential.peak);
    cell_outcome_free(&outcome);
}

/* The most that peak and APD90 differ from those in steps of 0.01 ms, in units of 5 % of the height and 1 %:
 * of all places, or up to the first that is too far */
static double distance(const struct ionic_model *model, double step, const struct action_potential *want)
{
    double most = 0, top = -INFINITY;
    for (int phase = 0; phase < PHASES && most <= 1; phase++) {
        struct action_potential got;
        pace(&got, &top, model, step, phase);
        most = fmax(most, fabs(got.peak - want->peak) / (0.05 * (want->peak - want->rest)));
        if (phase == 0) /* of the others the rest is not that before the stimulus */
            most = fmax(most, fabs(got.apd[ACTION_POTENTIAL_90] - want->apd[ACTION_POTENTIAL_90]) /
                                  (0.01 * want->apd[ACTION_POTENTIAL_90]));
    }
    return most;
}

/* Of all places, or up to the first above the ceiling */
static double highest(const struct ionic_model *model, double step, double ceiling)
{
    double top = -INFINITY;
    for (int phase = 0; phase < PHASES && top <= ceiling; phase++) {
        struct action_potential last;
        pace(&last, &top, model, step, phase);
    }
    return top;
}

/* Those of staggered steps are what steps_find finds. */
static void check_staggered(const struct ionic_model *model)
{
    struct ionic_model found = *model;
    struct error error;
    CHECK_OK(steps_find(&found, NULL, true, &error), error);
    printf("%s: staggered %g %g\n", model->name, found.staggered_accurate, found.staggered_largest);
    CHECK(found.staggered_accurate == model->staggered_accurate &&
              found.staggered_largest == model->staggered_largest,
          "%s: staggered %g %g, not %g %g", model->name, found.staggered_accurate, found.staggered_largest,
          model->staggered_accurate, model->staggered_largest);
}

int main(int argc, char **argv)
{
    const bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    int limited = 0;
    for (int k = 0; k < ionic_models(); k++) {
        const struct ionic_model *model = ionic_model(k);
        double good = model->step_accurate, most = model->step_largest;
        CHECK((good > 0) == (most > 0) && good <= most, "%s", model->name);
        if (!(most > 0))
            continue;
        limited++;
        if (!full && strcmp(model->name, "tp06-epi") != 0 && strcmp(model->name, "luo-rudy-1991") != 0 &&
            strcmp(model->name, "mitchell-schaeffer") != 0)
            continue;
        check_staggered(model);
        if (model->source && strncmp(model->name, "tp06", 4) != 0) {
            struct ionic_model found = *model;
            struct error error;
            CHECK_OK(steps_find(&found, NULL, false, &error), error);
            CHECK(found.step_accurate == good && found.step_largest == most, "%s: %g %g, not %g %g",
                  model->name, found.step_accurate, found.step_largest, good, most);
            continue;
        }
        struct action_potential want;
        double ceiling = ceiling_of(model), top = -INFINITY;
        pace(&want, &top, model, 0.01, 0);
        double near = distance(model, good, &want), far = distance(model, 1.5 * good, &want);
        double below = highest(model, most, ceiling), above = highest(model, 1.5 * most, ceiling);
        printf("%s: at %g ms %.2f of what is allowed, at %g %.2f; peaks at %g ms %.1f mV, at %g %.1f, "
               "ceiling %.1f\n",
               model->name, good, near, 1.5 * good, far, most, below, 1.5 * most, above, ceiling);
        CHECK(near <= 1 && far > 1, "%s: step_accurate", model->name);
        CHECK(below <= ceiling && above > ceiling, "%s: step_largest", model->name);
    }
    CHECK(limited == 29, "%d models have limits", limited);
    return 0;
}
