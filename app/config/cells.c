/* cells.c: a region's model, its parameters and its initial state. */
#include "app/config/value.h"

#include <math.h>
#include <string.h>

#include "app/config/model.h"
#include "app/config/states.h"

enum { MOST_BEATS = 100000 };

/* region->model <- that of region->text */
static enum status read_text_model(struct reader *reader, const struct tree *node, const char *name,
                                   struct config_region *region)
{
    const struct config_text *text = &region->text;
    const struct mmt_scale scale = {isnan(text->rest) ? 0 : text->rest,
                                    isnan(text->amplitude) ? 0 : text->amplitude,
                                    isnan(text->time_unit) ? 0 : text->time_unit, text->voltage};
    if (!text->file)
        return reader_error(reader, node, name, "file is missing");
    struct user_model *known = reader->config->models, *user;
    struct error found = {0};
    if (user_model_read(&reader->config->models, &user, text->file, text->variant, &scale,
                        reader->config->inputs, &found))
        return reader_error_of_text(reader, name, &found);
    for (int k = 0; k < user->cell.warnings && reader->config->models != known; k++)
        reader_warning(reader, name, "%s:%d:%d: %s", text->file, user->cell.warning[k].line,
                       user->cell.warning[k].column, user->cell.warning[k].text);
    region->model = &user->model;
    return STATUS_OK;
}

enum status cells_read_model(struct reader *reader, const struct tree *node, const char *name,
                             struct config_region *region)
{
    const char *word;
    if (node->kind == TREE_MAP)
        return read_text_model(reader, node, name, region);
    TRY(scalar_read_text(reader, node, name, &word));
    if (!ionic_find(word) && user_model_is_file(word))
        return reader_error(reader, node, name, "no ionic model '%.80s'; use {file: %.80s} for a text", word,
                            word);
    struct error reason = {0};
    if (model_find(&region->model, &reader->config->models, word, &reason))
        return reader_error(reader, node, name, "%s", reason.text);
    return STATUS_OK;
}

static enum status read_parameter(struct reader *reader, const struct tree *node, const char *name,
                                  const struct ionic_value *parameter, double *value)
{
    struct error reason = {.text = "expected a number"};
    if (node->kind != TREE_SCALAR || model_read_parameter(value, parameter, node->text, &reason))
        return reader_error(reader, node, name, "%s: %s", parameter->name, reason.text);
    char doubt[200];
    if (*model_parameter_doubt(doubt, sizeof doubt, parameter, node->text, *value))
        reader_doubt(reader, name, "%s", doubt);
    return STATUS_OK;
}

static enum status unknown_parameter(struct reader *reader, const struct tree *node, const char *name,
                                     const struct ionic_model *model)
{
    char hint[100];
    return reader_error(reader, node, name, "%s has no parameter '%.80s'%s; `cardiac models %s` lists them",
                        model->name, node->key, model_parameter_hint(hint, sizeof hint, model, node->key),
                        model->name);
}

/* {field: g_scale} or {factor: 1 - 0.5 * transmural} */
static enum status read_field(struct reader *reader, const struct tree *node, const char *name,
                              struct config_region *region, int parameter)
{
    const struct tree *value = yaml_tree_get(node, "field"), *factor = yaml_tree_get(node, "factor");
    const struct tree *values = value ? value : factor;
    struct config_field *field = &region->field[region->fields++];
    *field = (struct config_field){.parameter = parameter, .factor = !value};
    for (const struct tree *child = node->child; child; child = child->next)
        if (child != values)
            return reader_error(reader, child, name,
                                "unknown key '%.80s'; expected {field: EXPRESSION} or {factor: EXPRESSION}",
                                child->key);
    if (!values)
        return reader_error(
            reader, node, name,
            "field or factor is missing: the expression, such as an array's name, that gives %s at "
            "the nodes",
            node->key);
    return scalar_read_where(reader, values, name, WHERE_FACTOR, &field->values);
}

enum status cells_read_parameters(struct reader *reader, const struct tree *node, const char *name,
                                  struct config_region *region)
{
    const struct ionic_model *model = region->model;
    if (node->kind != TREE_MAP)
        return reader_error(reader, node, name, "expected a map, such as {g_Na: 14.8}");
    if (!model) /* already reported */
        return STATUS_OK;
    double *value = reader_allocate(reader, model->parameters, sizeof *value);
    region->field = reader_allocate(reader, node->children, sizeof *region->field);
    if (!value || !region->field)
        return STATUS_RUN;
    for (int k = 0; k < model->parameters; k++)
        value[k] = model->parameter[k].value;
    bool changed = false;
    for (const struct tree *child = node->child; child; child = child->next) {
        int k = ionic_find_value(model->parameter, model->parameters, child->key);
        if (k < 0)
            return unknown_parameter(reader, child, name, model);
        TRY(child->kind == TREE_MAP ? read_field(reader, child, name, region, k)
                                    : read_parameter(reader, child, name, &model->parameter[k], &value[k]));
        changed = changed || value[k] != model->parameter[k].value;
    }
    region->parameter = changed ? value : NULL;
    return STATUS_OK;
}

/* A factor on a parameter that no region's model has */
static enum status unknown_factor(struct reader *reader, const struct tree *node, const char *name)
{
    const struct config_tissue *tissue = &reader->config->tissue;
    const struct ionic_model *model = NULL;
    char hint[100] = "";
    for (int r = 0; r < tissue->regions && !*hint; r++)
        if (tissue->region[r].model) {
            model = tissue->region[r].model;
            model_parameter_hint(hint, sizeof hint, model, node->key);
        }
    return reader_error(reader, node, name,
                        "no region's model has a parameter '%.80s'%s; `cardiac models %s` lists some",
                        node->key, hint, model ? model->name : "NAME");
}

/* *found <- the index of the model's parameter of that name, with or without its component; -1 = none */
static enum status find_parameter(struct reader *reader, const struct tree *node, const char *name,
                                  const struct ionic_model *model, int *found)
{
    const bool whole = strchr(node->key, '.') != NULL;
    *found = -1;
    for (int k = 0; k < model->parameters; k++) {
        const char *const other = model->parameter[k].name;
        if (strcmp(other, node->key) == 0) {
            *found = k;
            return STATUS_OK;
        }
        if (whole || !model_same_parameter(other, node->key))
            continue;
        if (*found >= 0)
            return reader_error(reader, node, name, "%s has %s and %s; write one of them", model->name,
                                model->parameter[*found].name, other);
        *found = k;
    }
    return STATUS_OK;
}

/* Multiplies parameter k of the region, a value or a field, by a factor. */
static enum status multiply(struct reader *reader, const struct tree *node, const char *name,
                            struct config_region *region, int k, double factor)
{
    const struct ionic_value *parameter = region->model->parameter + k;
    struct config_field *field = NULL;
    for (int f = 0; f < region->fields; f++)
        if (region->field[f].parameter == k)
            field = region->field + f;
    if (field) {
        const char *const text = field->values->text, *const end = strchr(text, '#') ? "\n)" : ")";
        char *product = reader_allocate(reader, (int)strlen(text) + 40, 1);
        struct tree scaled = *node;
        if (!product)
            return STATUS_RUN;
        snprintf(product, strlen(text) + 40, "%.17g * (%s%s", factor, text, end);
        scaled.text = product;
        return scalar_read_where(reader, &scaled, name, WHERE_FACTOR, &field->values);
    }
    if (!region->parameter) {
        region->parameter = reader_allocate(reader, region->model->parameters, sizeof *region->parameter);
        if (!region->parameter)
            return STATUS_RUN;
        for (int p = 0; p < region->model->parameters; p++)
            region->parameter[p] = region->model->parameter[p].value;
    }
    region->parameter[k] *= factor;
    return model_allows_parameter(parameter, region->parameter[k])
               ? STATUS_OK
               : reader_error(reader, node, name, "%s: must be 0 or more", parameter->name);
}

enum status cells_apply_factors(struct reader *reader)
{
    static const char name[] = "tissue.parameters";
    const struct config_tissue *tissue = &reader->config->tissue;
    struct error reason = {0};
    enum status status = STATUS_OK;
    bool exact;
    const struct tree *node = reader_node(reader->root, name, &exact);
    if (exact && node->kind != TREE_MAP)
        return reader_error(reader, node, name, "expected a map, such as {g_Kr: x0.5}");
    for (const struct tree *child = exact ? node->child : NULL; child; child = child->next) {
        double factor;
        int changed = 0;
        if (child->kind != TREE_SCALAR || *child->text != 'x' ||
            units_read_as(&factor, child->text + 1, "1", &reason)) {
            FAULTS_TRY(reader_error(reader, child, name,
                                    "%.80s: expected a factor, such as x0.5; values belong to "
                                    "tissue.regions[].parameters",
                                    child->key));
            continue;
        }
        char doubt[200];
        if (*model_factor_doubt(doubt, sizeof doubt, child->key, factor))
            reader_doubt(reader, name, "%s", doubt);
        for (int r = 0; r < tissue->regions; r++) {
            struct config_region *region = tissue->region + r;
            int k = -1;
            if (region->model) /* a resistor's is not assigned yet */
                FAULTS_TRY(find_parameter(reader, child, name, region->model, &k));
            if (k >= 0)
                FAULTS_TRY(multiply(reader, child, name, region, k, factor));
            changed += k >= 0;
        }
        if (!changed)
            FAULTS_TRY(unknown_factor(reader, child, name));
    }
    return status;
}

/* region->initial <- the file's values; warns if other conditions differed when the file was saved. */
static enum status read_states_file(struct reader *reader, const struct tree *node, const char *name,
                                    struct config_region *region)
{
    static const struct key path = {.type = KEY_PATH, .offset = 0};
    struct states_record record = {.model = region->model,
                                   .user = user_model_of(reader->config->models, region->model)};
    const char *file;
    char note[300];
    struct error found = {0};
    enum status status = scalar_read(reader, &path, node, name, &file);
    double *parameter = reader_allocate(reader, region->model->parameters, sizeof *parameter);
    if (status || !parameter)
        return status ? status : STATUS_RUN;
    for (int k = 0; k < region->model->parameters; k++)
        parameter[k] = region->parameter ? region->parameter[k] : region->model->parameter[k].value;
    record.parameter = parameter;
    if (states_read_file(region->initial, &record, file, reader->config->inputs, note, sizeof note, &found))
        return reader_error_of_text(reader, name, &found);
    return *note ? reader_warning(reader, name, "%s was saved with %s", file, note) : STATUS_OK;
}

/* {.., phase: x / 20 mm} or {.., times: lats.dat}: where nodes start in the last beat */
static enum status read_phase(struct reader *reader, const struct tree *phase, const struct tree *times,
                              const char *name, struct config_region *region)
{
    static const struct key path = {.type = KEY_PATH, .offset = 0};
    if (phase && times)
        return reader_error(reader, times, name, "phase and times exclude each other");
    if (phase)
        return scalar_read_where(reader, phase, name, WHERE_FACTOR, &region->phase);
    return times ? scalar_read(reader, &path, times, name, &region->phase_times) : STATUS_OK;
}

/* {pace: 100, period: 1000 ms} */
static enum status read_pace(struct reader *reader, const struct tree *node, const char *name,
                             struct config_region *region)
{
    const struct tree *period = yaml_tree_get(node, "period"), *phase = yaml_tree_get(node, "phase"),
                      *times = yaml_tree_get(node, "times");
    struct error reason = {.text = "expected a time"};
    for (const struct tree *child = node->child; child; child = child->next)
        if (strcmp(child->key, "pace") != 0 && child != period && child != phase && child != times)
            return reader_error(reader, child, name,
                                "unknown key '%.80s'; the keys are pace and period, and phase or times",
                                child->key);
    TRY(scalar_read_whole(reader, yaml_tree_get(node, "pace"), name, 1, MOST_BEATS, &region->pace));
    if (!period)
        return reader_error(reader, node, name, "period is missing, as in {pace: 100, period: 1000 ms}");
    if (period->kind != TREE_SCALAR || units_read(&region->pace_period, period->text, QUANTITY_TIME, &reason))
        return reader_error(reader, period, name, "period: %s", reason.text);
    if (region->fields)
        reader_warning(reader, name, "paces one cell with %s as if it were uniform over the nodes",
                       region->model->parameter[region->field[0].parameter].name);
    if (region->pace_period <= 0)
        return reader_error(reader, period, name, "period: must be positive");
    return read_phase(reader, phase, times, name, region);
}

/* Warns about a gate outside [0, 1], or a concentration far from the model's own. */
static void doubt_state(struct reader *reader, const char *name, const struct ionic_value *state,
                        double value)
{
    const double most = 20, ratio = value / state->value;
    const bool plain = !*state->unit || strcmp(state->unit, "1") == 0;
    if (plain && (value < 0 || value > 1) && strstr(state->meaning, "activation"))
        reader_doubt(reader, name, "%s is %g; a gate has 0 to 1", state->name, value);
    else if (!plain && state->value > 0 && (ratio > most || ratio < 1 / most))
        reader_doubt(reader, name, "%s is %.3g times the model's own, %g %s", state->name, ratio,
                     state->value, state->unit);
}

enum status cells_read_initial(struct reader *reader, const struct tree *node, const char *name,
                               struct config_region *region)
{
    const struct tree *file = node->kind == TREE_MAP ? yaml_tree_get(node, "file") : NULL;
    if (node->kind != TREE_MAP || node->children == 0)
        return reader_error(
            reader, node, name,
            "expected a map, such as {file: epi.yaml}, {pace: 100, period: 1000 ms} or {V: -80 mV}");
    if (!region->model) /* already reported */
        return STATUS_OK;
    if (yaml_tree_get(node, "pace"))
        return read_pace(reader, node, name, region);
    region->initial = reader_allocate(reader, single_cell_values(region->model), sizeof *region->initial);
    if (!region->initial)
        return STATUS_RUN;
    single_cell_rest(region->initial, region->model);
    if (file && node->children > 1)
        return reader_error(reader, node, name, "file allows no other keys");
    if (file)
        return read_states_file(reader, file, name, region);
    enum status status = STATUS_OK;
    struct error reason = {0};
    for (const struct tree *child = node->child; child; child = child->next)
        if (states_read_entry(region->initial, region->model, child, &reason))
            FAULTS_TRY(reader_error(reader, child, name, "%s", reason.text));
    for (int k = 0; k < region->model->states && !status; k++)
        doubt_state(reader, name, &region->model->state[k], region->initial[1 + k]);
    return status;
}

bool cells_parameters_given(const struct config_region *region)
{
    bool given = region->fields > 0;
    for (int k = 0; region->parameter && k < region->model->parameters; k++)
        given = given || region->parameter[k] != region->model->parameter[k].value;
    return given;
}

/* Appends a child to map and returns map; NULL if map or value is NULL (out of memory) */
static struct tree *join(struct tree *map, const char *key, struct tree *value)
{
    if (map && value)
        yaml_tree_append(map, key, value);
    return value ? map : NULL;
}

struct tree *cells_parameters_tree(struct arena *arena, const struct config_region *region)
{
    struct tree *map = yaml_tree_new(arena, TREE_MAP, NULL);
    for (int f = 0; f < region->fields; f++) {
        const struct config_field *field = &region->field[f];
        struct tree *values = join(yaml_tree_new(arena, TREE_MAP, NULL), field->factor ? "factor" : "field",
                                   scalar_text_tree(arena, field->values->text, false));
        map = join(map, region->model->parameter[field->parameter].name, values);
    }
    for (int k = 0; region->parameter && k < region->model->parameters; k++) {
        const struct ionic_value *parameter = &region->model->parameter[k];
        if (region->parameter[k] != parameter->value)
            map = join(map, parameter->name, states_value_tree(arena, region->parameter[k], parameter->unit));
    }
    return map;
}

struct tree *cells_initial_tree(struct arena *arena, const struct config_region *region)
{
    struct tree *map = yaml_tree_new(arena, TREE_MAP, NULL);
    if (!region->pace) {
        for (int k = 0; k < single_cell_values(region->model); k++)
            map = join(map, states_name(region->model, k),
                       states_value_tree(arena, region->initial[k], states_unit(region->model, k)));
        return map;
    }
    map = join(map, "pace", scalar_whole_tree(arena, region->pace));
    map = join(map, "period", scalar_number_tree(arena, region->pace_period, QUANTITY_TIME));
    if (region->phase)
        map = join(map, "phase", scalar_text_tree(arena, region->phase->text, false));
    if (region->phase_times)
        map = join(map, "times", scalar_text_tree(arena, region->phase_times, true));
    return map;
}
