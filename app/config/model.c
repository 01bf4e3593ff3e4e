/* model.c: find models by name, read their parameters and check their steps. */
#include "app/config/model.h"

#include <math.h>
#include <stdio.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/model_names.h"
#include "app/config/units.h"
#include "kernels/base/decimal.h"
#include "kernels/base/printed.h"
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
    TRY(user_model_foreign(name, error));
    struct suggestion suggestion = suggest_for(name);
    for (int k = 0; k < ionic_models(); k++)
        suggest_try(&suggestion, ionic_model(k)->name);
    for (bundled = bundled_models; bundled->name; bundled++)
        suggest_try(&suggestion, bundled->name);
    const char *lacking = NULL, *usual = model_names_find(name, &lacking);
    if (lacking)
        return error_set(
            error, STATUS_INPUT,
            "no ionic model '%.80s', a model of %s; `cardiac models` lists all, and a text of it is read by "
            "{file: NAME.mmt}",
            name, lacking);
    suggestion.best = usual ? usual : suggestion.best;
    return error_set(error, STATUS_INPUT, "no ionic model '%.80s'%s; `cardiac models` lists them", name,
                     suggest_hint(&suggestion));
}

bool model_same_parameter(const char *a, const char *b)
{
    const char *const end_a = strrchr(a, '.'), *const end_b = strrchr(b, '.');
    a = end_a ? end_a + 1 : a;
    b = end_b ? end_b + 1 : b;
    for (;; a++, b++) {
        a += strspn(a, "_");
        b += strspn(b, "_");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

const char *model_parameter_hint(char *text, size_t size, const struct ionic_model *model, const char *name)
{
    struct suggestion suggestion = suggest_for(name);
    for (int k = 0; k < model->parameters; k++)
        suggest_try(&suggestion, model->parameter[k].name);
    for (int k = model->parameters - 1; k >= 0; k--)
        if (model_same_parameter(name, model->parameter[k].name))
            suggestion.best = model->parameter[k].name;
    snprintf(text, size, "%s", suggest_hint(&suggestion));
    return text;
}

bool model_allows_parameter(const struct ionic_value *parameter, double value)
{
    bool amount = strcmp(parameter->unit, "mV") != 0 && strcmp(parameter->unit, "1") != 0;
    return value >= 0 || parameter->value < 0 || !amount;
}

/* hint <- "; a factor of the default is written x0.5" for text such as 50%, *0.5 or 0.5x; else "" */
static const char *factor_hint(char *hint, size_t size, const char *text)
{
    const char *number = text + strspn(text, "* ");
    char *end;
    double value = strtod(number, &end);
    const char *rest = end + strspn(end, " ");
    bool percent = strcmp(rest, "%") == 0, times = strcmp(rest, "x") == 0 || number > text;
    hint[0] = 0;
    if (end > number && (percent || times))
        snprintf(hint, size, "; a factor of the default is written x%g", percent ? value / 100 : value);
    return hint;
}

enum status model_read_parameter(double *value, const struct ionic_value *parameter, const char *text,
                                 struct error *error)
{
    struct error reason;
    char hint[80];
    const bool factor = *text == 'x';
    enum status status = units_read_as(value, text + factor, factor ? "1" : parameter->unit, &reason);
    if (status && factor)
        return error_set(error, status, "'%.80s' is not a factor of the default, such as x0.5", text);
    if (status)
        return error_set(error, status, "%s%s", reason.text, factor_hint(hint, sizeof hint, text));
    if (factor)
        *value *= parameter->value;
    if (!model_allows_parameter(parameter, *value))
        return error_set(error, STATUS_INPUT, "'%.80s' must be 0 or more", text);
    return STATUS_OK;
}

const char *model_factor_doubt(char *text, size_t size, const char *name, double factor)
{
    const double most = 10;
    text[0] = 0;
    if (factor >= most)
        snprintf(text, size, "%s is %.4g times the default; %.4g %% of it is written x%.4g", name, factor,
                 factor, factor / 100);
    return text;
}

const char *model_parameter_doubt(char *text, size_t size, const struct ionic_value *parameter,
                                  const char *written, double value)
{
    const double usual = 3, ratio = fabs(value / parameter->value);
    const bool bare = *written != 'x' && !written[decimal_length(written)];
    const char *unit = strcmp(parameter->unit, "1") == 0 ? "" : parameter->unit;
    text[0] = 0;
    if (*written == 'x')
        return model_factor_doubt(text, size, parameter->name, ratio);
    if (!bare || value == 0 || parameter->value == 0 || (ratio <= usual && ratio >= 1 / usual))
        return text;
    snprintf(text, size, "%s is %.3g times the default, %g%s%s; a factor is written x%s", parameter->name,
             value / parameter->value, parameter->value, *unit ? " " : "", unit, written);
    if (*unit)
        printed_add(text, size, ", and %s %s is taken as meant", written, unit);
    return text;
}

struct model_limits model_limits_of(const struct ionic_model *model, bool staggered)
{
    return staggered && model->staggered_largest > 0
               ? (struct model_limits){model->staggered_accurate, model->staggered_largest}
               : (struct model_limits){model->step_accurate, model->step_largest};
}

enum model_step model_check_step(char *text, size_t size, const struct ionic_model *model, bool mixed,
                                 bool staggered, double step)
{
    const double least_mixed = 0.005, slack = 1 + 1e-9;
    bool narrow = mixed && ionic_states64(model, true) < model->states;
    const char *what = NULL, *side = "beyond";
    const struct model_limits limits = model_limits_of(model, staggered);
    double limit = limits.largest;
    enum model_step verdict = MODEL_STEP_POOR;
    if (limit > 0 && step > limit * slack) {
        verdict = MODEL_STEP_TOO_LONG;
        what = "V overshoots what the currents can reach, or occupancies leave their range, so results are "
               "meaningless";
    } else if (limits.accurate > 0 && step > limits.accurate * slack) {
        limit = limits.accurate;
        what = "an action potential is off by more than 5 % of its height or 1 % of its duration";
    } else if (narrow && step * slack < least_mixed) {
        limit = least_mixed;
        side = "below";
        what = "increments vanish in single precision; use double states";
    }
    if (!what)
        return MODEL_STEP_GOOD;
    snprintf(text, size, "cells of %s step by %g ms; %s %g ms %s", model->name, step, side, limit, what);
    return verdict;
}
