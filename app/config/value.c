/* value.c: the forms that are more than a number or a text: tags, surfaces, stimulus currents, names, probes
 * and ends; cells and fibres have files of their own. */
#include "app/config/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/reader.h"
#include "kernels/base/compare.h"
#include "kernels/base/suggest.h"

/* The keys that a fit varies, as the value of fit.parameters. */

static struct config_value value_of(const struct tree *item, const char *text, const struct tree *at)
{
    return (struct config_value){.key = item->key,
                                 .text = text,
                                 .line = at->line,
                                 .column = at->column,
                                 .key_line = item->key_line,
                                 .key_column = item->key_column};
}

/* Two numbers of one unit, the lower one first */
static enum status check_pair(struct reader *reader, const struct tree *item, const char *name,
                              const struct config_value bound[2])
{
    char *unit[2];
    double low = strtod(bound[0].text, &unit[0]), high = strtod(bound[1].text, &unit[1]);
    for (int k = 0; k < 2; k++)
        if (unit[k] == bound[k].text)
            return reader_error(reader, item, name, "'%.80s' is not a number with its unit", bound[k].text);
    if (strcmp(unit[0] + strspn(unit[0], " "), unit[1] + strspn(unit[1], " ")) != 0)
        return reader_error(reader, item, name, "%.80s and %.80s are not in the same unit", bound[0].text,
                            bound[1].text);
    return low < high ? STATUS_OK
                      : reader_error(reader, item, name, "from (%.80s) must be less than to (%.80s)",
                                     bound[0].text, bound[1].text);
}

static enum status read_parameter(struct reader *reader, const struct tree *item, const char *name,
                                  struct config_parameter *parameter)
{
    static const char origin[] = "[0 mm, 0 mm, 0 mm]";
    const struct tree *from = item->kind == TREE_MAP ? yaml_tree_get(item, "from") : NULL,
                      *to = from ? yaml_tree_get(item, "to") : NULL,
                      *on = item->kind == TREE_MAP ? yaml_tree_get(item, "on") : NULL;
    if (on && item->children == 1) {
        parameter->bound[0] = parameter->bound[1] = value_of(item, origin, item);
        return scalar_read_where(reader, on, name, WHERE_CONDITION, &parameter->on);
    }
    if (!from || !to || item->children != 2 || from->kind != TREE_SCALAR || to->kind != TREE_SCALAR)
        return reader_error(
            reader, item, name,
            "expected {from: .., to: ..}, two values of the key, or of a point {on: CONDITION}");
    parameter->bound[0] = value_of(item, from->text, from);
    parameter->bound[1] = value_of(item, to->text, to);
    return check_pair(reader, item, name, parameter->bound);
}

/* *parameter <- the [*count] keys of the map `node`, called `name`; and as they would stand in a config.
 * Whether a key takes its bounds is known once a config with them is read. */
static enum status bounds_read(struct reader *reader, const struct tree *node, const char *name,
                               struct config_parameter **parameter, int *count)
{
    if (node->kind != TREE_MAP || node->children == 0)
        return reader_error(
            reader, node, name,
            "expected a map of keys with bounds, such as {stimuli[0].start: {from: 0 ms, to: 20 ms}}");
    *count = node->children;
    *parameter = reader_allocate(reader, *count, sizeof **parameter);
    if (!*parameter)
        return STATUS_RUN;
    int k = 0;
    for (const struct tree *item = node->child; item; item = item->next) {
        char inner[400];
        snprintf(inner, sizeof inner, "%.100s.%.250s", name, item->key);
        TRY(read_parameter(reader, item, inner, &(*parameter)[k++]));
    }
    return STATUS_OK;
}

static void bounds_write(FILE *file, const struct config_parameter *parameter, int count)
{
    for (int i = 0; i < count; i++) {
        const struct config_value *bound = parameter[i].bound;
        fputs(i ? ", " : "{", file);
        scalar_write_text(file, bound->key);
        fputs(parameter[i].on ? ": {on: " : ": {from: ", file);
        scalar_write_text(file, parameter[i].on ? parameter[i].on->text : bound[0].text);
        if (!parameter[i].on) {
            fputs(", to: ", file);
            scalar_write_text(file, bound[1].text);
        }
        fputc('}', file);
    }
    fputs(count > 0 ? "}" : "{}", file);
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
    tags->tag = reader_allocate(reader, tags->count, sizeof *tags->tag);
    tags->name = reader_allocate(reader, tags->count, sizeof *tags->name);
    tags->dimension = reader_allocate(reader, tags->count, sizeof *tags->dimension);
    if (!tags->tag || !tags->name || !tags->dimension)
        return STATUS_RUN;
    for (int i = 0; i < tags->count; i++, item = item->next) {
        int64_t tag = 0;
        bool word = item->kind == TREE_SCALAR && isalpha((unsigned char)*item->text);
        TRY(word ? scalar_read_text(reader, item, name, &tags->name[--names])
                 : scalar_read_whole(reader, item, name, INT32_MIN, INT32_MAX, &tag));
        if (!word)
            tags->tag[numbers++] = (int32_t)tag;
    }
    qsort(tags->tag, (size_t)numbers, sizeof *tags->tag, compare_int32);
    qsort(tags->name + numbers, (size_t)(tags->count - numbers), sizeof *tags->name, compare_text);
    for (int i = 1; i < numbers; i++)
        if (tags->tag[i] == tags->tag[i - 1])
            return reader_error(reader, node, name, "tag %d is listed twice", (int)tags->tag[i]);
    return STATUS_OK;
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
        return reader_error(reader, node, name, "%.80s is not the mark of a face", node->text);
    surface->mark = (int32_t)mark;
    return STATUS_OK;
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
    *names = reader_allocate(reader, *count, sizeof **names);
    if (!*names)
        return STATUS_RUN;
    for (int i = 0; i < *count; i++, item = item->next) {
        TRY(scalar_read_text(reader, item, name, &(*names)[i]));
        if (!*(*names)[i] || *(*names)[i] == '.')
            return reader_error(reader, item, name, "'%.80s' is not a name of a field", item->text);
        for (int k = 0; k < i && i < 1000; k++)
            if (strcmp((*names)[k], (*names)[i]) == 0)
                return reader_error(reader, item, name, "'%.80s' is listed twice", item->text);
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
    *probes = reader_allocate(reader, *count, sizeof **probes);
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
        TRY(scalar_read(reader, &point, child, inner, probe->point));
    }
    return STATUS_OK;
}

/* {name: point}, or aha17 */
static enum status read_sites(struct reader *reader, const struct tree *node, const char *name,
                              struct config_induction *induction)
{
    induction->segments = node->kind == TREE_SCALAR && strcmp(node->text, "aha17") == 0;
    if (node->kind == TREE_SCALAR && !induction->segments)
        return reader_error(reader, node, name, "'%.80s': expected aha17, or a map of points", node->text);
    return induction->segments ? STATUS_OK
                               : read_probes(reader, node, name, &induction->site, &induction->sites);
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
    int k = child ? 1 : 0, end = child ? 4 : 3;
    while (k < end && !suggest_try(&suggestion, words[k]))
        k++;
    if (k == end)
        return reader_error(reader, node, name,
                            "expected never, activated, {activated: PROBE}, {beats: 5}, quiescent or "
                            "{quiescent: 200 ms}%s",
                            suggest_hint(&suggestion));
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
    if (yaml_tree_is_null(node))
        return reader_error(reader, node, name, "has no value");
    switch (key->type) {
    case KEY_TAGS:
        return read_tags(reader, node, name, field);
    case KEY_WHERE:
    case KEY_FACTOR:
        return scalar_read_where(reader, node, name, key->type == KEY_WHERE ? WHERE_CONDITION : WHERE_FACTOR,
                                 field);
    case KEY_SURFACE:
        return read_surface(reader, node, name, field);
    case KEY_FIBERS:
        return fiber_rule_read(reader, node, name, field);
    case KEY_MODEL:
        return cells_read_model(reader, node, name, base);
    case KEY_PARAMETERS:
        return cells_read_parameters(reader, node, name, base);
    case KEY_FACTORS:
        return STATUS_OK;
    case KEY_INITIAL:
        return cells_read_initial(reader, node, name, base);
    case KEY_CURRENT:
        return read_current(reader, node, name, base);
    case KEY_NAMES:
        return read_names(reader, node, name, field, count);
    case KEY_BOUNDS:
        return bounds_read(reader, node, name, field, count);
    case KEY_STOP:
        return read_stop(reader, node, name, field);
    case KEY_SITES:
        return read_sites(reader, node, name, field);
    case KEY_PROBES:
        return read_probes(reader, node, name, field, count);
    default:
        return scalar_read(reader, key, node, name, base);
    }
}

bool value_given(const struct key *key, const void *base)
{
    const void *field = (const char *)base + key->offset;
    const struct tag_list *tags = field;
    const struct config_surface *surface = field;
    switch (key->type) {
    case KEY_TAGS:
        return tags->all || tags->count;
    case KEY_SURFACE:
        return surface->mark || surface->name || surface->nodes;
    case KEY_MODEL:
        return !((const struct config_region *)base)->text.file && !config_is_resistor(base);
    case KEY_FACTORS:
        return false;
    case KEY_SITES:
        return ((const struct config_induction *)field)->site ||
               ((const struct config_induction *)field)->segments;
    case KEY_INITIAL:
        return ((const struct config_region *)base)->initial || ((const struct config_region *)base)->pace;
    case KEY_PARAMETERS:
        return cells_parameters_given(base);
    case KEY_WHERE:
    case KEY_FACTOR:
    case KEY_LIST:
    case KEY_BOUNDS:
    case KEY_PROBES:
        return *(void *const *)field != NULL;
    case KEY_FIBERS:
    case KEY_CURRENT:
    case KEY_NAMES:
    case KEY_STOP:
        return true;
    default:
        return scalar_given(key, base);
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

static void write_probes(FILE *file, const struct config_probe *probe, int count)
{
    fputc('{', file);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", file);
        scalar_write_text(file, probe[i].name);
        fputs(": ", file);
        scalar_write_vector(file, probe[i].point, 3, QUANTITY_LENGTH);
    }
    fputc('}', file);
}

static void write_sites(FILE *file, const struct config_induction *induction)
{
    if (induction->segments)
        fputs("aha17", file);
    else
        write_probes(file, induction->site, induction->sites);
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
        fiber_rule_write(file, field);
        break;
    case KEY_MODEL:
        fputs((*(const struct ionic_model *const *)field)->name, file);
        break;
    case KEY_PARAMETERS:
        cells_write_parameters(file, base, false);
        break;
    case KEY_INITIAL:
        cells_write_initial(file, base);
        break;
    case KEY_CURRENT:
        fputs(units_write(text, sizeof text, *(const double *)field, QUANTITY_CURRENT), file);
        break;
    case KEY_BOUNDS:
        bounds_write(file, *(const struct config_parameter *const *)field, count);
        break;
    case KEY_STOP:
        write_stop(file, field);
        break;
    case KEY_SITES:
        write_sites(file, field);
        break;
    case KEY_NAMES:
        write_names(file, *(const char *const *const *)field, count);
        break;
    case KEY_PROBES:
        write_probes(file, *(const struct config_probe *const *)field, count);
        break;
    default:
        scalar_write(file, key, base);
    }
}

void value_clear(const struct key *key, void *base)
{
    double *number = (void *)((char *)base + key->offset);
    if (key->type == KEY_NUMBER)
        *number = NAN;
    if (key->type == KEY_INT)
        *(int *)(void *)number = INT_MIN;
    for (size_t i = 0; key->type == KEY_VECTOR && i < key->size; i++)
        number[i] = NAN;
}
