/* states.c: read and write the file of a cell's states. */
#include "app/config/states.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/model.h"
#include "app/config/value.h"
#include "app/config/units.h"
#include "app/util/own_file.h"
#include "app/util/scan.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/suggest.h"

const char *states_name(const struct ionic_model *model, int k)
{
    return k == 0 ? "V" : model->state[k - 1].name;
}

const char *states_unit(const struct ionic_model *model, int k)
{
    return k == 0 ? "mV" : model->state[k - 1].unit;
}

enum status states_read_entry(double *value, const struct ionic_model *model, const struct tree *entry,
                              struct error *error)
{
    struct error reason = {.text = "expected a number"};
    struct suggestion suggestion = suggest_for(entry->key);
    int k = 0;
    while (k < single_cell_values(model) && !suggest_try(&suggestion, states_name(model, k)))
        k++;
    suggest_usual(&suggestion, (const char *const[][2]){{"Vm", "V"}, {"V_m", "V"}, {"v", "V"}}, 3);
    if (k == single_cell_values(model))
        return error_set(error, STATUS_INPUT, "%s has no state '%.80s'%s; `cardiac models %s` lists them",
                         model->name, entry->key, suggest_hint(&suggestion), model->name);
    if (entry->kind != TREE_SCALAR || units_read_as(&value[k], entry->text, states_unit(model, k), &reason))
        return error_set(error, STATUS_INPUT, "%s: %s", entry->key, reason.text);
    return STATUS_OK;
}

/* The unit as written after a number: "" if it is "1" or if YAML would need quotes for it. The reader assumes the
 * model's unit in both cases. */
static const char *written_unit(const char *unit)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/*^-.() ";
    return strcmp(unit, "1") == 0 || strspn(unit, plain) < strlen(unit) ? "" : unit;
}

struct tree *states_value_tree(struct arena *arena, double value, const char *unit)
{
    char number[40];
    scan_value_text(number, value);
    unit = written_unit(unit);
    char *text = arena_print(arena, "%s%s%s", number, *unit ? " " : "", unit);
    return text ? yaml_tree_new(arena, TREE_SCALAR, text) : NULL;
}

/* Writes "g_Na: 7.4 nS/pF"; the unit is omitted if YAML would need quotes for it. */
static void write_value(FILE *file, const char *name, double value, const char *unit)
{
    char number[40];
    scan_value_text(number, value);
    unit = written_unit(unit);
    scalar_write_text(file, name);
    fprintf(file, ": %s%s%s", number, *unit ? " " : "", unit);
}

/* Writes value k as "V: -85.23 mV", with enough digits to read back the same bits. */
static void write_entry(FILE *file, const struct ionic_model *model, const double *value, int k)
{
    write_value(file, states_name(model, k), value[k], states_unit(model, k));
}

static void write_parameters(FILE *file, const struct states_record *record)
{
    const char *separator = "parameters: {";
    for (int k = 0; k < record->model->parameters; k++) {
        const struct ionic_value *parameter = &record->model->parameter[k];
        if (record->parameter[k] == parameter->value)
            continue;
        fputs(separator, file);
        write_value(file, parameter->name, record->parameter[k], parameter->unit);
        separator = ", ";
    }
    if (*separator == ',')
        fputs("}\n", file);
}

enum { SCALES = 3 };

/* A voltage or time scale that the model's text does not contain; value 0 = not given */
struct scale {
    const char *name, *unit;
    double value;
};

static void scales_of(struct scale scale[SCALES], const struct user_model *user)
{
    const struct mmt_scale none = {0}, *given = user ? &user->scale : &none;
    scale[0] = (struct scale){"voltage.rest", "mV", given->rest};
    scale[1] = (struct scale){"voltage.amplitude", "mV", given->amplitude};
    scale[2] = (struct scale){"time_unit", "ms", given->time_unit};
}

static void write_scales(FILE *file, const struct user_model *user)
{
    struct scale scale[SCALES];
    scales_of(scale, user);
    for (int k = 0; k < SCALES; k++)
        if (scale[k].value != 0) {
            write_value(file, scale[k].name, scale[k].value, scale[k].unit);
            fputc('\n', file);
        }
}

const char states_mark[] = "model: ";

static void write_record(FILE *file, const struct states_record *record)
{
    const struct stimulus *stimulus = &record->pacing->stimulus;
    fputs(states_mark, file);
    scalar_write_text(file, record->model->name);
    fputc('\n', file);
    if (record->user)
        fprintf(file, "text: %s\n", record->user->equations);
    write_scales(file, record->user);
    write_parameters(file, record);
    fprintf(file, "state: %s\ntables: %s\n", record->way.mixed ? "mixed" : "double",
            record->way.tables ? "on" : "off");
    const struct {
        const char *name, *unit;
        double value;
    } protocol[] = {{"step", "ms", record->pacing->step},
                    {"beats", "", (double)record->beats},
                    {"period", "ms", stimulus->period},
                    {"stimulus", "uA/uF", stimulus->current},
                    {"duration", "ms", stimulus->duration}};
    for (size_t k = 0; k < sizeof protocol / sizeof *protocol; k++) {
        write_value(file, protocol[k].name, protocol[k].value, protocol[k].unit);
        fputc('\n', file);
    }
    fputs("states:\n", file);
    for (int k = 0; k < single_cell_values(record->model); k++) {
        fputs("  ", file);
        write_entry(file, record->model, record->value, k);
        fputc('\n', file);
    }
}

enum status states_write_file(const struct states_record *record, const char *path, struct error *error)
{
    struct own_file file;
    TRY(own_file_begin(&file, path, states_mark, error));
    write_record(file.out, record);
    return own_file_end(&file, STATUS_OK, error);
}

static enum status file_fault(const struct tree *node, struct error *error, const char *text)
{
    return error_at(error, STATUS_INPUT, node->source, node->line, node->column, "%s", text);
}

/* Appends to note whether the model's text differs between the file and the record. */
static enum status compare_text(const struct states_record *record, const struct tree *node, char *note,
                                size_t size)
{
    if (node->kind != TREE_SCALAR || !record->user || strcmp(node->text, record->user->equations) != 0)
        printed_item(note, size, "a different text of the model");
    return STATUS_OK;
}

/* Appends "voltage.rest -80, which is -70 here" to note. */
static void add_change(char *note, size_t size, const char *name, double then, double now)
{
    char before[40], here[40];
    scan_value_text(before, then);
    scan_value_text(here, now);
    printed_item(note, size, "%.80s %s, which is %s here", name, before, here);
}

static enum status compare_scales(const struct states_record *record, const struct tree *root, char *note,
                                  size_t size, struct error *error)
{
    struct scale scale[SCALES];
    scales_of(scale, record->user);
    for (int k = 0; k < SCALES; k++) {
        struct error reason = {.text = "expected a number"};
        const struct tree *node = yaml_tree_get(root, scale[k].name);
        double then = 0;
        if (node && (node->kind != TREE_SCALAR || units_read_as(&then, node->text, scale[k].unit, &reason)))
            return file_fault(node, error, reason.text);
        if (then != scale[k].value)
            add_change(note, size, scale[k].name, then, scale[k].value);
    }
    return STATUS_OK;
}

/* Appends to note the parameters that differ between the file and the record. */
static enum status compare_parameters(const struct states_record *record, const struct tree *node, char *note,
                                      size_t size, struct error *error)
{
    const struct ionic_model *model = record->model;
    struct error reason = {.text = "expected a map of parameters"};
    const struct tree *wrong = node->kind == TREE_MAP ? NULL : node;
    for (const struct tree *child = node->child; child && !wrong; child = child->next) {
        const bool known = ionic_find_value(model->parameter, model->parameters, child->key) >= 0;
        if (!known)
            snprintf(reason.text, sizeof reason.text, "%s has no parameter '%.80s'", model->name, child->key);
        if (!known || child->kind != TREE_SCALAR)
            wrong = child;
    }
    for (int k = 0; k < model->parameters && !wrong; k++) {
        double value = model->parameter[k].value;
        const struct tree *child = yaml_tree_get(node, model->parameter[k].name);
        if (child && model_read_parameter(&value, &model->parameter[k], child->text, &reason))
            wrong = child;
        if (!wrong && value != record->parameter[k])
            add_change(note, size, model->parameter[k].name, value, record->parameter[k]);
    }
    return wrong ? file_fault(wrong, error, reason.text) : STATUS_OK;
}

static enum status check_model(const struct states_record *record, const struct tree *node,
                               struct error *error)
{
    char text[200];
    if (node->kind == TREE_SCALAR && strcmp(node->text, record->model->name) == 0)
        return STATUS_OK;
    snprintf(text, sizeof text, "a cell of %.60s, not of %.60s",
             node->kind == TREE_SCALAR ? node->text : "no model", record->model->name);
    return file_fault(node, error, text);
}

/* Reads the states in the file; missing ones keep their values and are noted. */
static enum status read_states(double *value, const struct states_record *record, const struct tree *node,
                               char *note, size_t size, struct error *error)
{
    struct error reason = {0};
    if (node->kind != TREE_MAP)
        return file_fault(node, error, "expected a map of states");
    for (const struct tree *child = node->child; child; child = child->next)
        if (states_read_entry(value, record->model, child, &reason))
            return file_fault(child, error, reason.text);
    const char *first = NULL;
    int missing = 0;
    for (int k = 0; k < single_cell_values(record->model); k++)
        if (!yaml_tree_get(node, states_name(record->model, k)) && missing++ == 0)
            first = states_name(record->model, k);
    if (missing)
        printed_item(note, size, "no %.80s%s", first, missing > 1 ? " and others" : "");
    return STATUS_OK;
}

static enum status unknown_key(const struct tree *node, struct error *error)
{
    static const char *const known[] = {
        "model", "text",  "voltage.rest", "voltage.amplitude", "time_unit", "parameters", "state", "tables",
        "step",  "beats", "period",       "stimulus",          "duration",  "states",     NULL};
    struct suggestion suggestion = suggest_for(node->key);
    char text[200];
    for (int k = 0; known[k]; k++)
        if (suggest_try(&suggestion, known[k]))
            return STATUS_OK;
    snprintf(text, sizeof text, "unknown key '%.60s'%s", node->key, suggest_hint(&suggestion));
    return file_fault(node, error, text);
}

static enum status read_record(double *value, const struct states_record *record, const struct tree *root,
                               char *note, size_t size, struct error *error)
{
    static const struct tree none = {.kind = TREE_MAP};
    if (root->kind != TREE_MAP)
        return file_fault(root, error, "expected what `cardiac cell --save` writes");
    const struct tree *model = yaml_tree_get(root, "model"), *states = yaml_tree_get(root, "states");
    const struct tree *text = yaml_tree_get(root, "text"), *parameters = yaml_tree_get(root, "parameters");
    for (const struct tree *child = root->child; child; child = child->next)
        TRY(unknown_key(child, error));
    if (!model || !states)
        return file_fault(root, error, model ? "states are missing" : "model is missing");
    TRY(check_model(record, model, error));
    TRY(read_states(value, record, states, note, size, error));
    if (text || record->user)
        TRY(compare_text(record, text ? text : &none, note, size));
    TRY(compare_scales(record, root, note, size, error));
    return compare_parameters(record, parameters ? parameters : &none, note, size, error);
}

enum status states_read_file(double *value, const struct states_record *record, const char *path,
                             struct inputs *inputs, char *note, size_t size, struct error *error)
{
    struct arena memory = {.limit = TREE_MEMORY};
    struct tree *root = NULL;
    char *text = NULL;
    size_t length;
    enum status status;
    note[0] = 0;
    TRY_DONE(input_text(&text, &length, path, TREE_TEXT_BYTES, "these are not the states of a cell", inputs,
                        error));
    TRY_DONE(yaml_tree_parse(&root, &memory, path, text, length, error));
    status = read_record(value, record, root, note, size, error);
done:
    free(text);
    arena_free(&memory);
    return status;
}
