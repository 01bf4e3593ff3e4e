/* words.c: reports of a simulation and of the library as JSON. */
#include <math.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/models/bundled.h"
#include "app/models/model_json.h"
#include "app/util/json.h"

void cardiac_free(char *text)
{
    free(text);
}

static enum status print_report(FILE *file, struct cardiac *sim, struct error *error)
{
    struct results results = {0};
    enum status status = run_results(&sim->run, &results, error);
    if (!status)
        results_print_json(&results, sim->failed ? STATUS_RUN : STATUS_OK, NULL, NULL, sim->setup.progress,
                           file);
    results_free(&results);
    return status;
}

int cardiac_report(struct cardiac *sim, char **json)
{
    return handle_json(sim, json, print_report);
}

static enum status print_resolved(FILE *file, struct cardiac *sim, struct error *error)
{
    (void)error;
    config_print_json(file, &sim->setup.config);
    return STATUS_OK;
}

int cardiac_config(struct cardiac *sim, char **json)
{
    return handle_json(sim, json, print_resolved);
}

static void put_field(struct json *json, const char *name, const char *unit, const char *where, int64_t width,
                      bool writable)
{
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "unit", unit);
    json_text(json, "where", where);
    json_integer(json, "width", width);
    json_flag(json, "writable", writable);
    json_close(json);
}

/* Writes the field "leads", with the names of the leads. */
static void put_leads(struct json *json, const struct ecg *ecg)
{
    json_open(json, NULL, '{');
    json_text(json, "name", "leads");
    json_text(json, "unit", "mV");
    json_text(json, "where", "leads");
    json_integer(json, "width", ecg->columns);
    json_flag(json, "writable", false);
    json_open(json, "names", '[');
    for (int c = 0; c < ecg->columns; c++)
        json_text(json, NULL, ecg->name[c]);
    json_close(json);
    json_close(json);
}

static void put_model(struct json *json, const struct ionic_model *model)
{
    char name[200];
    for (int k = 0; k < model->varies; k++) {
        const struct ionic_value *value = &model->parameter[model->varied[k]];
        snprintf(name, sizeof name, "%s/%s", model->name, value->name);
        put_field(json, name, model_unit(value->unit), "nodes", 1, true);
    }
    for (int k = 0; k < model->states + model->currents; k++) {
        const struct ionic_value *value =
            k < model->states ? &model->state[k] : &model->current[k - model->states];
        snprintf(name, sizeof name, "%s/%s", model->name, value->name);
        put_field(json, name, model_unit(value->unit), "nodes", 1, k < model->states);
    }
}

static enum status print_fields(FILE *file, struct cardiac *sim, struct error *error)
{
    const struct config_output *output = &sim->setup.config.output;
    struct json json = json_line(file);
    struct maps_map map;
    bool named = false;
    (void)error;
    json_open(&json, NULL, '[');
    put_field(&json, "V", "mV", "nodes", 1, true);
    for (int m = 0; m < monodomain_models(sim->setup.sim); m++)
        put_model(&json, monodomain_model(sim->setup.sim, m));
    for (int k = 0; k < output->maps; k++) {
        maps_find(&map, output->map[k], NULL);
        named |= map.kind == MAPS_ACTIVATION_TIME;
        put_field(&json, output->map[k], map.unit, "nodes", map_values_width(&sim->run.values, &map), false);
    }
    if (!named)
        put_field(&json, "activation_time", "ms", "nodes", sim->setup.config.physics.activation_beats, false);
    if (sim->setup.ecg.columns > 0) {
        put_leads(&json, &sim->setup.ecg);
        put_field(&json, "lead_weights", "1", "nodes", sim->setup.ecg.columns, false);
    }
    json_close(&json);
    return STATUS_OK;
}

int cardiac_fields(struct cardiac *sim, char **json)
{
    return handle_json(sim, json, print_fields);
}

static enum status print_schema(FILE *file, struct cardiac *sim, struct error *error)
{
    (void)sim;
    (void)error;
    config_print_schema(file);
    return STATUS_OK;
}

static enum status print_models(FILE *file, struct cardiac *sim, struct error *error)
{
    struct json json = json_line(file);
    (void)sim;
    (void)error;
    json_open(&json, NULL, '[');
    for (int k = 0; k < ionic_models(); k++)
        model_json_put(&json, ionic_model(k));
    for (const struct bundled *model = bundled_models; model->name; model++) {
        json_open(&json, NULL, '{');
        json_text(&json, "name", model->name);
        json_text(&json, "title", model->title);
        json_close(&json);
    }
    json_close(&json);
    return STATUS_OK;
}

/* *json <- what `print` writes; runs in the caller's thread, in the C locale */
static int print_alone(char **json, handle_printer *print)
{
    struct error error = {0};
    if (!json)
        return STATUS_INPUT;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
    enum status status = handle_print(json, print, NULL, &error);
    uselocale(before);
    if (c != (locale_t)0)
        freelocale(c);
    return (int)status;
}

int cardiac_keys(char **json)
{
    return print_alone(json, print_schema);
}

int cardiac_models(char **json)
{
    return print_alone(json, print_models);
}
