/* value.c: the forms that are more than a number or a text: tags, fibres, models with their parameters and
 * initial states, stimulus currents, names and probes. */
#include "app/config/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/model.h"
#include "app/config/scalar.h"
#include "app/config/states.h"
#include "kernels/base/suggest.h"

enum { MOST_BEATS = 100000 };

static void *take(struct reader *reader, int count, size_t size)
{
    void *memory = arena_take(&reader->config->memory, count ? (size_t)count : 1, size);
    if (!memory)
        error_memory(reader->error, "the config", (double)size * count);
    return memory;
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* all, 3, or [1, 2, septum] -> ascending tags, then names */
static enum status read_tags(struct reader *reader, const struct tree *node, const char *name,
                             struct tag_list *tags)
{
    if (node->kind == TREE_SCALAR && strcmp(node->text, "all") == 0) {
        *tags = (struct tag_list){.all = true};
        return STATUS_OK;
    }
    const struct tree *item = node->kind == TREE_LIST ? node->child : node;
    *tags = (struct tag_list){.count = node->kind == TREE_LIST ? node->children : 1};
    if (node->kind == TREE_MAP || tags->count == 0)
        return reader_error(reader, node, name, "expected `all` or a list of tags, such as [1, 2]");
    int numbers = 0, names = tags->count;
    tags->tag = take(reader, tags->count, sizeof *tags->tag);
    tags->name = take(reader, tags->count, sizeof *tags->name);
    if (!tags->tag || !tags->name)
        return STATUS_RUN;
    for (int i = 0; i < tags->count; i++, item = item->next) {
        int64_t tag = 0;
        bool word = item->kind == TREE_SCALAR && isalpha((unsigned char)*item->text);
        enum status status = word ? scalar_read_text(reader, item, name, &tags->name[--names])
                                  : scalar_read_whole(reader, item, name, INT32_MIN, INT32_MAX, &tag);
        if (status)
            return status;
        if (!word)
            tags->tag[numbers++] = (int32_t)tag;
    }
    qsort(tags->tag, (size_t)numbers, sizeof *tags->tag, by_value);
    for (int i = 1; i < numbers; i++)
        if (tags->tag[i] == tags->tag[i - 1])
            return reader_error(reader, node, name, "tag %d stands in it twice", (int)tags->tag[i]);
    return STATUS_OK;
}

static enum status read_where(struct reader *reader, const struct tree *node, const char *name,
                              enum where_kind kind, const struct where **where)
{
    struct error found = {.text = "expected an expression, such as transmural < 0.3"};
    struct where *read = NULL;
    int at = 0;
    if (node->kind == TREE_SCALAR &&
        !where_parse(&read, &reader->config->memory, node->text, kind, &at, &found)) {
        *where = read;
        return STATUS_OK;
    }
    if (found.status == STATUS_RUN)
        return error_set(reader->error, STATUS_RUN, "%s", found.text);
    return reader_error_within(reader, node, name, at, found.text);
}

/* 3, epi, or nodes.txt */
static enum status read_surface(struct reader *reader, const struct tree *node, const char *name,
                                struct config_surface *surface)
{
    static const struct key path = {.type = KEY_PATH, .offset = offsetof(struct config_surface, nodes)};
    char *end;
    int64_t mark = node->kind == TREE_SCALAR ? strtoll(node->text, &end, 10) : 0;
    *surface = (struct config_surface){0};
    if (node->kind != TREE_SCALAR || !*node->text || strpbrk(node->text, "./"))
        return scalar_read(reader, &path, node, name, surface);
    if (*end)
        return scalar_read_text(reader, node, name, &surface->name);
    if (mark == 0 || mark < INT32_MIN || mark > INT32_MAX)
        return reader_error(reader, node, name, "%.80s is no mark of a face", node->text);
    surface->mark = (int32_t)mark;
    return STATUS_OK;
}

/* {across: z, from: 60 deg, to: -60 deg} */
static enum status read_turning(struct reader *reader, const struct tree *node, const char *name,
                                struct config_tissue *tissue)
{
    static const char *const keys[] = {"across", "from", "to"};
    int found[3] = {0};
    char hint[100];
    for (const struct tree *child = node->child; child; child = child->next) {
        struct error reason = {.text = "expected a number"};
        struct suggestion suggestion = suggest_for(child->key);
        int k = 0;
        while (k < 3 && strcmp(child->key, keys[k]) != 0)
            suggest_try(&suggestion, keys[k++]);
        if (k == 3)
            return reader_error(reader, child, name, "unknown key '%.80s'%s; a rule has across, from and to",
                                child->key, suggest_hint(&suggestion, hint, sizeof hint));
        found[k] = 1;
        if (k == 0) {
            const char *axis =
                child->kind == TREE_SCALAR && strlen(child->text) == 1 ? strstr("xyz", child->text) : NULL;
            if (!axis)
                return reader_error(reader, child, name, "across is one of x, y, z");
            tissue->fiber_across = (int)(strlen("xyz") - strlen(axis));
            continue;
        }
        double *angle = &tissue->fiber_degrees[k - 1];
        if (child->kind != TREE_SCALAR || units_read_as(angle, child->text, "deg", &reason))
            return reader_error(reader, child, name, "%s: %s", keys[k], reason.text);
        if (!(fabs(*angle) <= 360))
            return reader_error(reader, child, name, "%s: %g deg is beyond a full turn", keys[k], *angle);
    }
    for (int k = 0; k < 3; k++)
        if (!found[k])
            return reader_error(reader, node, name,
                                "%s is missing, as in {across: z, from: 60 deg, to: -60 deg}", keys[k]);
    tissue->fibers = FIBERS_TURNING;
    return STATUS_OK;
}

/* [60 deg, -60 deg] */
static enum status read_angles(struct reader *reader, const struct tree *node, const char *name,
                               double degrees[2])
{
    const struct tree *item = node->kind == TREE_LIST && node->children == 2 ? node->child : NULL;
    if (!item)
        return reader_error(
            reader, node, name,
            "%s: expected two angles, on endocardium and epicardium, such as [60 deg, -60 deg]", node->key);
    for (int k = 0; k < 2; k++, item = item->next) {
        struct error reason = {.text = "expected a number"};
        if (item->kind != TREE_SCALAR || units_read_as(&degrees[k], item->text, "deg", &reason))
            return reader_error(reader, item, name, "%s: %s", node->key, reason.text);
        if (!(fabs(degrees[k]) <= 90))
            return reader_error(reader, item, name, "%s: %g deg is beyond a right angle", node->key,
                                degrees[k]);
    }
    return STATUS_OK;
}

static bool is_word(const struct tree *node, const char *word)
{
    return node->kind == TREE_SCALAR && strcmp(node->text, word) == 0;
}

/* {rule: ldrb, fiber: [...], sheet: [...]}, {missing: nearest}, or {across: ...} */
static enum status read_rule(struct reader *reader, const struct tree *node, const char *name,
                             struct config_tissue *tissue)
{
    const struct tree *rule = yaml_tree_get(node, "rule"), *missing = yaml_tree_get(node, "missing");
    if (!rule && !missing)
        return read_turning(reader, node, name, tissue);
    if (rule && !is_word(rule, "ldrb"))
        return reader_error(reader, rule, name, "the only rule of a name is ldrb");
    if (missing && !is_word(missing, "nearest"))
        return reader_error(reader, missing, name, "missing can only be nearest");
    tissue->fibers = rule ? FIBERS_LDRB : FIBERS_FROM_MESH;
    tissue->fill_missing = !rule;
    for (const struct tree *child = node->child; child; child = child->next) {
        enum status status = STATUS_OK;
        if (rule && strcmp(child->key, "fiber") == 0)
            status = read_angles(reader, child, name, tissue->ldrb.fiber);
        else if (rule && strcmp(child->key, "sheet") == 0)
            status = read_angles(reader, child, name, tissue->ldrb.sheet);
        else if (child != rule && (rule || child != missing))
            return reader_error(reader, child, name, "unknown key '%.80s'; %s", child->key,
                                rule ? "ldrb has fiber and sheet" : "nothing goes beside missing");
        if (status)
            return status;
    }
    return STATUS_OK;
}

static enum status read_fibers(struct reader *reader, const struct tree *node, const char *name,
                               struct config_tissue *tissue)
{
    tissue->ldrb = ldrb_default();
    tissue->fill_missing = false;
    if (node->kind == TREE_MAP)
        return read_rule(reader, node, name, tissue);
    if (node->kind == TREE_SCALAR && strcmp(node->text, "from mesh") == 0) {
        tissue->fibers = FIBERS_FROM_MESH;
        return STATUS_OK;
    }
    if (node->kind != TREE_LIST || node->children != 3)
        return reader_error(reader, node, name,
                            "expected `from mesh`, a direction, such as [1, 0, 0], or a rule, such as "
                            "{across: z, from: 60 deg, to: -60 deg}");
    tissue->fibers = FIBERS_UNIFORM;
    double largest = 0;
    int i = 0;
    for (const struct tree *item = node->child; item; item = item->next, i++) {
        struct error reason = {.text = "expected a number"};
        if (item->kind != TREE_SCALAR || units_read(&tissue->fiber[i], item->text, QUANTITY_NUMBER, &reason))
            return reader_error(reader, item, name, "%s", reason.text);
        largest = fmax(largest, fabs(tissue->fiber[i]));
    }
    if (!(largest > 1e-100 && largest < 1e100)) /* its length, squared, must be a normal number */
        return reader_error(reader, node, name, "a fibre direction must not be [0, 0, 0] or beyond 1e100");
    return STATUS_OK;
}

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
    if (user_model_read(&reader->config->models, &user, text->file, &scale, &found))
        return reader_error_of_text(reader, name, &found);
    for (int k = 0; k < user->cell.warnings && reader->config->models != known; k++)
        reader_warning(reader, name, "%s:%d:%d: %s", text->file, user->cell.warning[k].line,
                       user->cell.warning[k].column, user->cell.warning[k].text);
    region->model = &user->model;
    return STATUS_OK;
}

static enum status read_model(struct reader *reader, const struct tree *node, const char *name,
                              struct config_region *region)
{
    const char *word;
    if (node->kind == TREE_MAP)
        return read_text_model(reader, node, name, region);
    enum status status = scalar_read_text(reader, node, name, &word);
    if (status)
        return status;
    if (!ionic_find(word) && user_model_is_file(word))
        return reader_error(reader, node, name, "no ionic model '%.80s'; {file: %.80s} reads a text", word,
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
    return STATUS_OK;
}

static enum status unknown_parameter(struct reader *reader, const struct tree *node, const char *name,
                                     const struct ionic_model *model)
{
    char hint[100];
    struct suggestion suggestion = suggest_for(node->key);
    for (int k = 0; k < model->parameters; k++)
        suggest_try(&suggestion, model->parameter[k].name);
    return reader_error(reader, node, name, "%s has no parameter '%.80s'%s; `cardiac models %s` lists them",
                        model->name, node->key, suggest_hint(&suggestion, hint, sizeof hint), model->name);
}

/* {field: g_scale, levels: 64} or {factor: 1 - 0.5 * transmural} */
static enum status read_field(struct reader *reader, const struct tree *node, const char *name,
                              struct config_region *region, int parameter)
{
    const struct tree *value = yaml_tree_get(node, "field"), *factor = yaml_tree_get(node, "factor");
    const struct tree *values = value ? value : factor, *levels = yaml_tree_get(node, "levels");
    struct config_field *field = &region->field[region->fields++];
    int64_t count = 0;
    *field = (struct config_field){.parameter = parameter, .factor = !value};
    for (const struct tree *child = node->child; child; child = child->next)
        if (child != values && child != levels)
            return reader_error(
                reader, child, name,
                "unknown key '%.80s'; it is {field: EXPRESSION} or {factor: EXPRESSION}, with levels",
                child->key);
    if (!values)
        return reader_error(
            reader, node, name,
            "field or factor is missing: the expression, such as an array's name, that gives %s at "
            "the nodes",
            node->key);
    enum status status = read_where(reader, values, name, WHERE_FACTOR, &field->values);
    if (!status && levels)
        status = scalar_read_whole(reader, levels, name, 2, PARAMS_GROUPS, &count);
    field->levels = (int)count;
    return status;
}

static enum status read_parameters(struct reader *reader, const struct tree *node, const char *name,
                                   struct config_region *region)
{
    const struct ionic_model *model = region->model;
    if (node->kind != TREE_MAP)
        return reader_error(reader, node, name, "expected a map, such as {g_Na: 14.8}");
    if (!model) /* a fault already */
        return STATUS_OK;
    double *value = take(reader, model->parameters, sizeof *value);
    region->field = take(reader, node->children, sizeof *region->field);
    if (!value || !region->field)
        return STATUS_RUN;
    for (int k = 0; k < model->parameters; k++)
        value[k] = model->parameter[k].value;
    bool changed = false;
    for (const struct tree *child = node->child; child; child = child->next) {
        int k = 0;
        while (k < model->parameters && strcmp(model->parameter[k].name, child->key) != 0)
            k++;
        if (k == model->parameters)
            return unknown_parameter(reader, child, name, model);
        enum status status = child->kind == TREE_MAP
                                 ? read_field(reader, child, name, region, k)
                                 : read_parameter(reader, child, name, &model->parameter[k], &value[k]);
        if (status)
            return status;
        changed = changed || value[k] != model->parameter[k].value;
    }
    region->parameter = changed ? value : NULL;
    return STATUS_OK;
}

/* region->initial <- of the file; what was otherwise when it was saved is a warning */
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
    double *parameter = take(reader, region->model->parameters, sizeof *parameter);
    if (status || !parameter)
        return status ? status : STATUS_RUN;
    for (int k = 0; k < region->model->parameters; k++)
        parameter[k] = region->parameter ? region->parameter[k] : region->model->parameter[k].value;
    record.parameter = parameter;
    if (states_read_file(region->initial, &record, file, note, sizeof note, &found))
        return reader_error_of_text(reader, name, &found);
    return *note ? reader_warning(reader, name, "%s was saved with %s", file, note) : STATUS_OK;
}

/* {pace: 100, period: 1000 ms} */
static enum status read_pace(struct reader *reader, const struct tree *node, const char *name,
                             struct config_region *region)
{
    const struct tree *period = yaml_tree_get(node, "period");
    struct error reason = {.text = "expected a time"};
    for (const struct tree *child = node->child; child; child = child->next)
        if (strcmp(child->key, "pace") != 0 && child != period)
            return reader_error(reader, child, name, "unknown key '%.80s'; pace has period beside it",
                                child->key);
    enum status status =
        scalar_read_whole(reader, yaml_tree_get(node, "pace"), name, 1, MOST_BEATS, &region->pace);
    if (status)
        return status;
    if (!period)
        return reader_error(reader, node, name, "period is missing, as in {pace: 100, period: 1000 ms}");
    if (period->kind != TREE_SCALAR || units_read(&region->pace_period, period->text, QUANTITY_TIME, &reason))
        return reader_error(reader, period, name, "period: %s", reason.text);
    if (region->fields)
        reader_warning(reader, name, "paces one cell with %s as if it were the same at all nodes",
                       region->model->parameter[region->field[0].parameter].name);
    return region->pace_period > 0 ? STATUS_OK
                                   : reader_error(reader, period, name, "period: must be positive");
}

static enum status read_initial(struct reader *reader, const struct tree *node, const char *name,
                                struct config_region *region)
{
    const struct tree *file = node->kind == TREE_MAP ? yaml_tree_get(node, "file") : NULL;
    if (node->kind != TREE_MAP || node->children == 0)
        return reader_error(
            reader, node, name,
            "expected a map, such as {file: epi.yaml}, {pace: 100, period: 1000 ms} or {V: -80 mV}");
    if (!region->model) /* a fault already */
        return STATUS_OK;
    if (yaml_tree_get(node, "pace"))
        return read_pace(reader, node, name, region);
    region->initial = take(reader, single_cell_values(region->model), sizeof *region->initial);
    if (!region->initial)
        return STATUS_RUN;
    single_cell_rest(region->initial, region->model);
    if (file && node->children > 1)
        return reader_error(reader, node, name, "nothing goes beside file");
    if (file)
        return read_states_file(reader, file, name, region);
    enum status status = STATUS_OK;
    struct error reason = {0};
    for (const struct tree *child = node->child; child; child = child->next)
        if (states_read_entry(region->initial, region->model, child, &reason))
            FAULTS_TRY(reader_error(reader, child, name, "%s", reason.text));
    return status;
}

static enum status read_current(struct reader *reader, const struct tree *node, const char *name,
                                struct config_stimulus *stimulus)
{
    struct error reason = {.text = "expected a current, such as 50 uA/uF"};
    enum quantity kind;
    if (node->kind != TREE_SCALAR || units_read_current(&stimulus->current, &kind, node->text, &reason))
        return reader_error(reader, node, name, "%s", reason.text);
    stimulus->current_kind = (int)kind;
    return STATUS_OK;
}

/* V, or [V, Ca_i] */
static enum status read_names(struct reader *reader, const struct tree *node, const char *name,
                              const char ***names, int *count)
{
    const struct tree *item = node->kind == TREE_LIST ? node->child : node;
    *count = node->kind == TREE_LIST ? node->children : 1;
    *names = take(reader, *count, sizeof **names);
    if (!*names)
        return STATUS_RUN;
    for (int i = 0; i < *count; i++, item = item->next) {
        enum status status = scalar_read_text(reader, item, name, &(*names)[i]);
        if (status)
            return status;
        if (!*(*names)[i] || *(*names)[i] == '.')
            return reader_error(reader, item, name, "'%.80s' is not a name of a field", item->text);
        for (int k = 0; k < i && i < 1000; k++)
            if (strcmp((*names)[k], (*names)[i]) == 0)
                return reader_error(reader, item, name, "'%.80s' stands in it twice", item->text);
    }
    return *count <= 1000 ? STATUS_OK : reader_error(reader, node, name, "more than 1000 names");
}

static enum status read_probes(struct reader *reader, const struct tree *node, const char *name,
                               struct config_probe **probes, int *count)
{
    static const struct key point = {.type = KEY_VECTOR, .quantity = QUANTITY_LENGTH, .size = 3};
    if (node->kind != TREE_MAP)
        return reader_error(reader, node, name,
                            "expected a map of points, such as {apex: [1 mm, 2 mm, 3 mm]}");
    *count = node->children;
    *probes = take(reader, *count, sizeof **probes);
    if (!*probes)
        return STATUS_RUN;
    struct config_probe *probe = *probes;
    for (const struct tree *child = node->child; child; child = child->next, probe++) {
        if (!*child->key || strlen(child->key) > 60 || strpbrk(child->key, ",\"\n\r\t"))
            return reader_error(reader, child, name,
                                "'%.80s' is not a name for a point (1 to 60 characters, no commas or quotes)",
                                child->key);
        char inner[400];
        snprintf(inner, sizeof inner, "%.200s.%.100s", name, child->key);
        probe->name = arena_text(&reader->config->memory, child->key, strlen(child->key));
        if (!probe->name)
            return error_memory(reader->error, name, 100);
        enum status status = scalar_read(reader, &point, child, inner, probe->point);
        if (status)
            return status;
    }
    return STATUS_OK;
}

/* never, activated, {activated: P8}, {beats: 5}, quiescent or {quiescent: 200 ms} */
static enum status read_stop(struct reader *reader, const struct tree *node, const char *name,
                             struct config_stop *stop)
{
    static const char *const words[] = {"never", "activated", "quiescent", "beats"};
    const struct tree *child = node->kind == TREE_MAP && node->children == 1 ? node->child : NULL;
    const char *word = child ? child->key : node->kind == TREE_SCALAR ? node->text : "";
    struct suggestion suggestion = suggest_for(word);
    struct error reason = {.text = "expected a time"};
    char hint[100];
    int k = child ? 1 : 0, end = child ? 4 : 3;
    for (; k < end && strcmp(word, words[k]) != 0; k++)
        suggest_try(&suggestion, words[k]);
    if (k == end)
        return reader_error(reader, node, name,
                            "expected never, activated, {activated: PROBE}, {beats: 5}, quiescent or "
                            "{quiescent: 200 ms}%s",
                            suggest_hint(&suggestion, hint, sizeof hint));
    *stop = (struct config_stop){k == 3 ? STOP_WHEN_ACTIVATED : (enum stop_when)k, NULL, 0, 1};
    if (!child)
        return STATUS_OK;
    if (k == 1)
        return scalar_read_text(reader, child, name, &stop->probe);
    if (k == 3)
        return scalar_read_whole(reader, child, name, 1, 1000, &stop->beats);
    if (child->kind != TREE_SCALAR || units_read(&stop->quiet, child->text, QUANTITY_TIME, &reason))
        return reader_error(reader, child, name, "%s", reason.text);
    return stop->quiet >= 0 ? STATUS_OK : reader_error(reader, child, name, "must be 0 or more");
}

enum status value_read(struct reader *reader, const struct key *key, const struct tree *node,
                       const char *name, void *base)
{
    void *field = (char *)base + key->offset;
    int *count = (int *)(void *)((char *)base + key->count_offset);
    if (scalar_type(key->type))
        return scalar_read(reader, key, node, name, base);
    if (yaml_tree_is_null(node))
        return reader_error(reader, node, name, "has no value");
    switch (key->type) {
    case KEY_TAGS:
        return read_tags(reader, node, name, field);
    case KEY_WHERE:
    case KEY_FACTOR:
        return read_where(reader, node, name, key->type == KEY_WHERE ? WHERE_CONDITION : WHERE_FACTOR, field);
    case KEY_SURFACE:
        return read_surface(reader, node, name, field);
    case KEY_FIBERS:
        return read_fibers(reader, node, name, field);
    case KEY_MODEL:
        return read_model(reader, node, name, base);
    case KEY_PARAMETERS:
        return read_parameters(reader, node, name, base);
    case KEY_INITIAL:
        return read_initial(reader, node, name, base);
    case KEY_CURRENT:
        return read_current(reader, node, name, base);
    case KEY_NAMES:
        return read_names(reader, node, name, field, count);
    case KEY_STOP:
        return read_stop(reader, node, name, field);
    default:
        return read_probes(reader, node, name, field, count);
    }
}

bool value_given(const struct key *key, const void *base)
{
    const void *field = (const char *)base + key->offset;
    const struct tag_list *tags = field;
    const struct config_surface *surface = field;
    if (scalar_type(key->type))
        return scalar_given(key, base);
    switch (key->type) {
    case KEY_TAGS:
        return tags->all || tags->count;
    case KEY_SURFACE:
        return surface->mark || surface->name || surface->nodes;
    case KEY_MODEL:
        return !((const struct config_region *)base)->text.file;
    case KEY_INITIAL:
        return ((const struct config_region *)base)->initial || ((const struct config_region *)base)->pace;
    case KEY_PARAMETERS:
        return ((const struct config_region *)base)->parameter ||
               ((const struct config_region *)base)->fields;
    case KEY_WHERE:
    case KEY_FACTOR:
    case KEY_LIST:
    case KEY_PROBES:
        return *(void *const *)field != NULL;
    default:
        return true;
    }
}

static void write_tags(FILE *file, const struct tag_list *tags)
{
    if (tags->all)
        fputs("all", file);
    for (int i = 0; i < tags->count; i++) {
        fputs(i ? ", " : "[", file);
        if (tags->name[i])
            scalar_write_text(file, tags->name[i]);
        else
            fprintf(file, "%d", (int)tags->tag[i]);
    }
    if (tags->count)
        fputc(']', file);
}

static void write_vector(FILE *file, const double vector[3], enum quantity quantity)
{
    char text[80];
    for (int i = 0; i < 3; i++)
        fprintf(file, "%s%s", i ? ", " : "[", units_write(text, sizeof text, vector[i], quantity));
    fputc(']', file);
}

static void write_angles(FILE *file, const char *name, const double degrees[2])
{
    char endo[80], epi[80];
    fprintf(file, ", %s: [%s deg, %s deg]", name, units_write(endo, sizeof endo, degrees[0], QUANTITY_NUMBER),
            units_write(epi, sizeof epi, degrees[1], QUANTITY_NUMBER));
}

static void write_surface(FILE *file, const struct config_surface *surface)
{
    static const struct key path = {.type = KEY_PATH, .offset = offsetof(struct config_surface, nodes)};
    if (surface->nodes)
        scalar_write(file, &path, surface);
    else if (surface->name)
        scalar_write_text(file, surface->name);
    else
        fprintf(file, "%d", (int)surface->mark);
}

static void write_fibers(FILE *file, const struct config_tissue *tissue)
{
    char from[80], to[80];
    if (tissue->fibers == FIBERS_FROM_MESH)
        fputs(tissue->fill_missing ? "{missing: nearest}" : "from mesh", file);
    else if (tissue->fibers == FIBERS_LDRB) {
        fputs("{rule: ldrb", file);
        write_angles(file, "fiber", tissue->ldrb.fiber);
        write_angles(file, "sheet", tissue->ldrb.sheet);
        fputc('}', file);
    } else if (tissue->fibers == FIBERS_UNIFORM)
        write_vector(file, tissue->fiber, QUANTITY_NUMBER);
    else
        fprintf(file, "{across: %c, from: %s deg, to: %s deg}", "xyz"[tissue->fiber_across],
                units_write(from, sizeof from, tissue->fiber_degrees[0], QUANTITY_NUMBER),
                units_write(to, sizeof to, tissue->fiber_degrees[1], QUANTITY_NUMBER));
}

static void write_parameters(FILE *file, const struct config_region *region)
{
    const char *separator = "{";
    char text[80];
    for (int f = 0; f < region->fields; f++) {
        const struct config_field *field = &region->field[f];
        fprintf(file, "%s%s: {%s: ", separator, region->model->parameter[field->parameter].name,
                field->factor ? "factor" : "field");
        scalar_write_text(file, field->values->text);
        if (field->levels)
            fprintf(file, ", levels: %d", field->levels);
        fputc('}', file);
        separator = ", ";
    }
    for (int k = 0; k < region->model->parameters; k++) {
        const struct ionic_value *parameter = &region->model->parameter[k];
        if (!region->parameter || region->parameter[k] == parameter->value)
            continue;
        fprintf(file, "%s%s: %s", separator, parameter->name,
                units_write(text, sizeof text, region->parameter[k], QUANTITY_NUMBER));
        separator = ", ";
    }
    fputc('}', file);
}

static void write_initial(FILE *file, const struct config_region *region)
{
    char period[80];
    if (region->pace) {
        fprintf(file, "{pace: %" PRId64 ", period: %s}", region->pace,
                units_write(period, sizeof period, region->pace_period, QUANTITY_TIME));
        return;
    }
    for (int k = 0; k < single_cell_values(region->model); k++) {
        fputs(k ? ", " : "{", file);
        states_write_entry(file, region->model, region->initial, k);
    }
    fputc('}', file);
}

static void write_probes(FILE *file, const struct config_probe *probe, int count)
{
    fputc('{', file);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", file);
        scalar_write_text(file, probe[i].name);
        fputs(": ", file);
        write_vector(file, probe[i].point, QUANTITY_LENGTH);
    }
    fputc('}', file);
}

static void write_names(FILE *file, const char *const *name, int count)
{
    fputc('[', file);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", file);
        scalar_write_text(file, name[i]);
    }
    fputc(']', file);
}

static void write_stop(FILE *file, const struct config_stop *stop)
{
    static const char *const words[] = {"never", "activated", "quiescent"};
    char text[80];
    if (stop->probe) {
        fputs("{activated: ", file);
        scalar_write_text(file, stop->probe);
        fputc('}', file);
    } else if (stop->quiet > 0)
        fprintf(file, "{quiescent: %s}", units_write(text, sizeof text, stop->quiet, QUANTITY_TIME));
    else if (stop->beats > 1)
        fprintf(file, "{beats: %" PRId64 "}", stop->beats);
    else
        fputs(words[stop->when], file);
}

void value_write(FILE *file, const struct key *key, const void *base)
{
    const void *field = (const char *)base + key->offset;
    int count = *(const int *)(const void *)((const char *)base + key->count_offset);
    char text[80];
    if (scalar_type(key->type)) {
        scalar_write(file, key, base);
        return;
    }
    switch (key->type) {
    case KEY_TAGS:
        write_tags(file, field);
        break;
    case KEY_WHERE:
    case KEY_FACTOR:
        scalar_write_text(file, (*(const struct where *const *)field)->text);
        break;
    case KEY_SURFACE:
        write_surface(file, field);
        break;
    case KEY_FIBERS:
        write_fibers(file, field);
        break;
    case KEY_MODEL:
        fputs((*(const struct ionic_model *const *)field)->name, file);
        break;
    case KEY_PARAMETERS:
        write_parameters(file, base);
        break;
    case KEY_INITIAL:
        write_initial(file, base);
        break;
    case KEY_CURRENT:
        fputs(units_write(text, sizeof text, *(const double *)field, QUANTITY_CURRENT), file);
        break;
    case KEY_STOP:
        write_stop(file, field);
        break;
    case KEY_NAMES:
        write_names(file, *(const char *const *const *)field, count);
        break;
    default:
        write_probes(file, *(const struct config_probe *const *)field, count);
    }
}

void value_clear(const struct key *key, void *base)
{
    double *number = (void *)((char *)base + key->offset);
    if (key->type == KEY_NUMBER)
        *number = NAN;
    for (size_t i = 0; key->type == KEY_VECTOR && i < key->size; i++)
        number[i] = NAN;
}
