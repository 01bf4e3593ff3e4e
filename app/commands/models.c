/* models.c: `cardiac models`: the ionic models, or one of them in full. */
#include "app/commands/models.h"

#include <stdio.h>

#include "app/util/command.h"
#include "app/util/nearest.h"
#include "app/util/options.h"

const struct ionic_model *models_find(const char *name, struct error *error)
{
    const struct ionic_model *model = ionic_find(name);
    if (model)
        return model;
    char hint[100];
    struct nearest nearest = nearest_to(name);
    for (int k = 0; k < ionic_models(); k++)
        nearest_try(&nearest, ionic_model(k)->name);
    nearest_hint(&nearest, hint, sizeof hint);
    error_set(error, STATUS_INPUT, "no ionic model '%.80s'%s", name, *hint ? hint : "; see cardiac models");
    return NULL;
}

enum models_step models_judge_step(char *text, size_t size, const struct ionic_model *model, bool mixed,
                                   double step)
{
    const double least_mixed = 0.005, slack = 1 + 1e-9;
    bool narrow = mixed && ionic_states64(model, true) < model->states;
    const char *what = NULL, *side = "beyond";
    double limit = model->step_largest;
    enum models_step judged = STEP_POOR;
    if (limit > 0 && step > limit * slack) {
        judged = STEP_TOO_LONG;
        what = "V overshoots what the currents can reach, and nothing is right";
    } else if (model->step_accurate > 0 && step > model->step_accurate * slack) {
        limit = model->step_accurate;
        what = "an action potential is off by more than 5 % of its height or 1 % of its duration";
    } else if (narrow && step * slack < least_mixed) {
        limit = least_mixed;
        side = "below";
        what = "states in single precision lose what they gain; take double ones";
    }
    if (!what)
        return STEP_GOOD;
    snprintf(text, size, "cells of %s step by %g ms; %s %g ms %s", model->name, step, side, limit, what);
    return judged;
}

static void print_values(const char *title, const struct ionic_value *value, int count, bool numbers)
{
    if (count)
        printf("\n%s:\n", title);
    for (int k = 0; k < count; k++) {
        printf("  %-10s ", value[k].name);
        if (numbers)
            printf("%12.8g ", value[k].value);
        printf("%-12s %s%s\n", value[k].unit, value[k].meaning,
               value[k].wide ? " (fp64 in mixed state too)" : "");
    }
}

static void print_model(const struct ionic_model *model)
{
    printf("%s: %s\n%s\n\norder %d in the step; V starts at %g mV; capacitance %g uF/cm^2\n", model->name,
           model->title, model->reference, model->order, model->v_initial, model->capacitance);
    if (model->step_largest > 0)
        printf("steps: good up to %g ms, refused beyond %g ms\n", model->step_accurate, model->step_largest);
    print_values("States with their initial values", model->state, model->states, true);
    print_values("Parameters with their defaults", model->parameter, model->parameters, true);
    print_values("Currents and derived quantities for output", model->current, model->currents, false);
}

enum status command_models(int argc, char **argv, struct error *error)
{
    int count;
    bool help;
    const struct option options[] = {{0}};
    const struct usage usage = {"models [NAME]",
                                "The ionic models, one a line; or one model's states, parameters with their "
                                "defaults, currents and reference.",
                                options, 0, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        return status;
    if (count) {
        const struct ionic_model *model = models_find(argv[1], error);
        if (!model)
            return STATUS_INPUT;
        print_model(model);
    } else
        for (int k = 0; k < ionic_models(); k++)
            printf("%-20s %s\n", ionic_model(k)->name, ionic_model(k)->title);
    fflush(stdout);
    return STATUS_OK;
}
