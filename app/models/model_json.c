/* model_json.c: states, parameters and currents of a model as JSON. */
#include "app/models/model_json.h"

#include <math.h>

const char *model_unit(const char *unit)
{
    return *unit ? unit : "1";
}

static void json_values(struct json *json, const char *key, const struct ionic_value *value, int count,
                        bool numbers)
{
    json_open(json, key, '[');
    for (int k = 0; k < count; k++) {
        json_open(json, NULL, '{');
        json_text(json, "name", value[k].name);
        json_text(json, "unit", model_unit(value[k].unit));
        json_text(json, "meaning", value[k].meaning);
        if (numbers)
            json_number(json, "value", value[k].value);
        json_close(json);
    }
    json_close(json);
}

void model_json_put(struct json *json, const struct ionic_model *model)
{
    json_open(json, NULL, '{');
    json_text(json, "name", model->name);
    json_text(json, "title", model->title);
    json_text(json, "reference", model->reference);
    json_integer(json, "order", model->order);
    json_number(json, "v_initial", model->v_initial);
    json_number(json, "capacitance", model->capacitance > 0 ? model->capacitance : (double)NAN);
    json_number(json, "step_accurate", model->step_largest > 0 ? model->step_accurate : (double)NAN);
    json_number(json, "step_largest", model->step_largest > 0 ? model->step_largest : (double)NAN);
    json_number(json, "staggered_accurate",
                model->staggered_largest > 0 ? model->staggered_accurate : (double)NAN);
    json_number(json, "staggered_largest",
                model->staggered_largest > 0 ? model->staggered_largest : (double)NAN);
    json_values(json, "states", model->state, model->states, true);
    json_values(json, "parameters", model->parameter, model->parameters, true);
    json_values(json, "currents", model->current, model->currents, false);
    json_close(json);
}
