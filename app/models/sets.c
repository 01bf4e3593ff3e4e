/* sets.c: lines of names, steps and values. */
#include "app/models/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/scan.h"
#include "kernels/base/array.h"
#include "kernels/base/suggest.h"

static const char blanks[] = " \t\r";

/* The next word of a line, cut off; "" at its end */
static char *word_of(char **line)
{
    char *word = *line + strspn(*line, blanks), *end = word + strcspn(word, blanks);
    *line = end + (*end != 0);
    *end = 0;
    return word;
}

/* A finite number that is the whole word */
static bool is_number(const char *word, double *value)
{
    return scan_number(&word, 0, value) && !*word && isfinite(*value);
}

/* Small letters, digits and - */
static bool is_name(const char *name)
{
    return *name && strlen(name) < 64 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static enum status read_model(struct sets *sets, char *line, int number, struct error *error)
{
    const char *name = word_of(&line), *accurate = word_of(&line), *largest = word_of(&line);
    if (sets->models == SETS_MODELS)
        return error_at(error, STATUS_INPUT, sets->path, number, 0, "more than %d models", SETS_MODELS);
    struct sets_model *model = &sets->model[sets->models];
    if (!is_name(name))
        return error_at(error, STATUS_INPUT, sets->path, number, 0,
                        "'%.80s' is no name of a model: small letters, digits and -", name);
    for (int k = 0; k < sets->models; k++)
        if (strcmp(sets->model[k].name, name) == 0)
            return error_at(error, STATUS_INPUT, sets->path, number, 0, "a second '%s'", name);
    *model = (struct sets_model){.name = name, .title = line + strspn(line, blanks), .first = sets->changes};
    if (!is_number(accurate, &model->step_accurate) || !is_number(largest, &model->step_largest) ||
        !(model->step_accurate >= 0 && model->step_accurate <= model->step_largest) ||
        (model->step_accurate == 0 && model->step_largest > 0))
        return error_at(error, STATUS_INPUT, sets->path, number, 0,
                        "expected two steps in ms behind '%s', the accurate and the largest, or 0 0", name);
    sets->models++;
    return STATUS_OK;
}

static enum status read_changes(struct sets *sets, char *line, int number, struct error *error)
{
    if (!sets->models)
        return error_at(error, STATUS_INPUT, sets->path, number, 0, "values before the name of a model");
    struct sets_model *model = &sets->model[sets->models - 1];
    for (char *word; *(word = word_of(&line));) {
        struct sets_change change = {.name = word, .line = number};
        char *equals = strchr(word, '=');
        if (sets->changes == SETS_CHANGES)
            return error_at(error, STATUS_INPUT, sets->path, number, 0, "more than %d values", SETS_CHANGES);
        if (!equals || equals == word || !is_number(equals + 1, &change.value))
            return error_at(error, STATUS_INPUT, sets->path, number, 0, "'%.80s' is no NAME=VALUE", word);
        *equals = 0;
        for (int k = model->first; k < sets->changes; k++)
            if (strcmp(sets->change[k].name, word) == 0)
                return error_at(error, STATUS_INPUT, sets->path, number, 0, "a second '%.80s'", word);
        sets->change[sets->changes++] = change;
        model->changes++;
    }
    return STATUS_OK;
}

enum status sets_read(struct sets *sets, char *text, size_t bytes, const char *path, struct error *error)
{
    enum status status = STATUS_OK;
    int number = 1;
    memset(sets, 0, sizeof *sets);
    sets->path = path;
    if (strlen(text) != bytes)
        return error_at(error, STATUS_INPUT, path, 0, 0, "a NUL: no text");
    for (char *line = text, *next; !status && line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        size_t length = strcspn(line, "#");
        while (length > 0 && strchr(blanks, line[length - 1]))
            length--;
        line[length] = 0;
        if (!length)
            continue;
        if (*line == ' ' || *line == '\t')
            status = read_changes(sets, line, number, error);
        else if (strcmp(line, "names short") != 0)
            status = read_model(sets, line, number, error);
        else if (sets->models || sets->short_names)
            status = error_at(error, STATUS_INPUT, path, number, 0, "'names short' stands once, before all");
        else
            sets->short_names = true;
    }
    if (!status && !sets->models)
        status = error_at(error, STATUS_INPUT, path, 0, 0, "names no model");
    return status;
}

enum status sets_apply(struct ionic_model *model, struct ionic_value *values, const struct sets *sets, int k,
                       struct error *error)
{
    const struct sets_model *set = &sets->model[k];
    model->name = set->name;
    if (*set->title)
        model->title = set->title;
    model->step_accurate = set->step_accurate;
    model->step_largest = set->step_largest;
    for (const struct sets_change *change = &sets->change[set->first];
         change < &sets->change[set->first + set->changes]; change++) {
        struct suggestion suggestion = suggest_for(change->name);
        char hint[200];
        double *value = strcmp(change->name, "V") == 0             ? &model->v_initial
                        : strcmp(change->name, "capacitance") == 0 ? &model->capacitance
                                                                   : NULL;
        for (int n = 0; n < model->states + model->parameters && !value; n++) {
            suggest_try(&suggestion, values[n].name);
            value = strcmp(values[n].name, change->name) == 0 ? &values[n].value : NULL;
        }
        if (!value)
            return error_at(error, STATUS_INPUT, sets->path, change->line, 0,
                            "'%.80s' is no state or parameter of the text%s", change->name,
                            suggest_hint(&suggestion, hint, sizeof hint));
        *value = change->value;
    }
    return STATUS_OK;
}

/* A name without its component */
static const char *inner(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? dot + 1 : name;
}

enum status sets_shorten(struct ionic_value *values, int count, struct error *error)
{
    enum status status = STATUS_OK;
    bool *taken = array_zeroed(count, sizeof *taken, "names of a model", &status, error);
    for (int k = 0; k < count && !status; k++) {
        taken[k] = strcmp(inner(values[k].name), "V") == 0;
        for (int n = 0; n < count; n++)
            taken[k] |= n != k && (strcmp(inner(values[k].name), values[n].name) == 0 ||
                                   strcmp(inner(values[k].name), inner(values[n].name)) == 0);
    }
    for (int k = 0; k < count && !status; k++)
        values[k].name = taken[k] ? values[k].name : inner(values[k].name);
    free(taken);
    return status;
}
