/* model.c: names and steps against the registry of models. */
#include "app/config/model.h"

#include <stdio.h>
#include <string.h>

#include "app/config/units.h"
#include "kernels/base/suggest.h"

enum status model_find(const struct ionic_model **model, struct user_model **list, const char *name,
                       struct error *error)
{
    const struct bundled *bundled = bundled_find(name);
    struct user_model *user = NULL;
    *model = ionic_find(name);
    if (*model)
        return STATUS_OK;
    if (bundled) {
        enum status status = user_model_bundled(list, &user, bundled, error);
        *model = status ? NULL : &user->model;
        return status;
    }
    char hint[100];
    struct suggestion suggestion = suggest_for(name);
    for (int k = 0; k < ionic_models(); k++)
        suggest_try(&suggestion, ionic_model(k)->name);
    for (bundled = bundled_models; bundled->name; bundled++)
        suggest_try(&suggestion, bundled->name);
    return error_set(error, STATUS_INPUT, "no ionic model '%.80s'%s; `cardiac models` lists them", name,
                     suggest_hint(&suggestion, hint, sizeof hint));
}

bool model_allows_parameter(const struct ionic_value *parameter, double value)
{
    bool amount = strcmp(parameter->unit, "mV") != 0 && strcmp(parameter->unit, "1") != 0;
    return value >= 0 || parameter->value < 0 || !amount;
}

enum status model_read_parameter(double *value, const struct ionic_value *parameter, const char *text,
                                 struct error *error)
{
    struct error reason;
    bool factor = *text == 'x';
    enum status status = factor ? units_read_as(value, text + 1, "1", &reason)
                                : units_read_as(value, text, parameter->unit, error);
    if (factor && status)
        return error_set(error, STATUS_INPUT, "'%.80s' is no factor of the default, such as x0.5", text);
    if (factor)
        *value *= parameter->value;
    if (!status && !model_allows_parameter(parameter, *value))
        status = error_set(error, STATUS_INPUT, "'%.80s' must be 0 or more", text);
    return status;
}

enum model_step model_judge_step(char *text, size_t size, const struct ionic_model *model, bool mixed,
                                 double step)
{
    const double least_mixed = 0.005, slack = 1 + 1e-9;
    bool narrow = mixed && ionic_states64(model, true) < model->states;
    const char *what = NULL, *side = "beyond";
    double limit = model->step_largest;
    enum model_step judged = MODEL_STEP_POOR;
    if (limit > 0 && step > limit * slack) {
        judged = MODEL_STEP_TOO_LONG;
        what = "V overshoots what the currents can reach, or occupancies leave their range, so results mean "
               "nothing";
    } else if (model->step_accurate > 0 && step > model->step_accurate * slack) {
        limit = model->step_accurate;
        what = "an action potential is off by more than 5 % of its height or 1 % of its duration";
    } else if (narrow && step * slack < least_mixed) {
        limit = least_mixed;
        side = "below";
        what = "states in single precision lose what they gain; take double ones";
    }
    if (!what)
        return MODEL_STEP_GOOD;
    snprintf(text, size, "cells of %s step by %g ms; %s %g ms %s", model->name, step, side, limit, what);
    return judged;
}
