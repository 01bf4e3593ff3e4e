/* value.c: values of more than one number or text: tags, surfaces, stimulus currents, names, probes and stop
 * conditions; cells and fibres have files of their own. */
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

/* fit.parameters: the keys that a fit varies */

static struct config_value value_of(const struct tree *item, const char *text, const struct tree *at)
{
    return (struct config_value){.key = item->key,
                                 .text = text,
                                 .line = at->line,
                                 .column = at->column,
                                 .key_line = item->key_line,
                                 .key_column = item->key_column};
}

/* Checks that two bounds are numbers with the same unit, the lower one first. */
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

static enum status read_parameter(struct reader *reader, struct tree *item, const char *name,
                                  struct config_parameter *parameter)
{
    static const char *const ends[] = {"from", "to"};
    static const char origin[] = "[0 mm, 0 mm, 0 mm]";
    struct tree *from = yaml_tree_get(item, "from"), *to = yaml_tree_get(item, "to"),
                *on = yaml_tree_get(item, "on");
    if (on && item->children == 1) {
        on->quoted = true;
        parameter->bound[0] = parameter->bound[1] = value_of(item, origin, item);
        return scalar_read_where(reader, on, name, WHERE_CONDITION, &parameter->on);
    }
    if (!from || !to || item->children != 2 || from->kind != TREE_SCALAR || to->kind != TREE_SCALAR)
        return reader_error(
            reader, item, name,
            "expected {from: .., to: ..}, two values of the key, or of a point {on: CONDITION}");
    yaml_tree_order(item, ends, 2);
    from->quoted = to->quoted = true;
    parameter->bound[0] = value_of(item, from->text, from);
    parameter->bound[1] = value_of(item, to->text, to);
    return check_pair(reader, item, name, parameter->bound);
}

/* *parameter <- the [*count] keys of the map `node`, called `name`. The bounds are checked against each key when a
 * config with them is read. */
static enum status bounds_read(struct reader *reader, struct tree *node, const char *name,
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
    for (struct tree *item = node->child; item; item = item->next) {
        char inner[400];
        snprintf(inner, sizeof inner, "%.100s.%.250s", name, item->key);
        TRY(read_parameter(reader, item, inner, &(*parameter)[k++]));
    }
    return STATUS_OK;
}

/* Turns a scalar into a list of that one item. */
static enum status make_list(struct reader *reader, struct tree *node)
{
    if (node->kind != TREE_SCALAR)
        return STATUS_OK;
    struct tree *item = yaml_tree_copy(&reader->config->memory, node);
    if (!item)
        return error_memory(reader->error, "the config", sizeof *item);
    node->kind = TREE_LIST;
    yaml_tree_append(node, NULL, item);
    return STATUS_OK;
}

/* all, 3, or [1, 2, septum] -> ascending tags, then names */
static enum status read_tags(struct reader *reader, struct tree *node, const char *name,
                             struct tag_list *tags)
{
    if (node->kind == TREE_SCALAR && strcmp(node->text, "all") == 0) {
        *tags = (struct tag_list){.all = true};
        return STATUS_OK;
    }
    TRY(make_list(reader, node));
    struct tree *item = node->child;
    *tags = (struct tag_list){.count = node->children};
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
    item = node->child;
    for (int i = 0; i < tags->count; i++, item = item->next) {
        char tag[20];
        snprintf(tag, sizeof tag, "%d", (int)tags->tag[i]);
        TRY(reader_restate(reader, item, tags->name[i] ? tags->name[i] : tag));
        item->quoted = tags->name[i] != NULL;
    }
    return STATUS_OK;
}

/* opening(1), or opening([1 mm, 2 mm, 3 mm]) */
static enum status read_opening(struct reader *reader, struct tree *node, const char *name,
                                struct config_surface *surface)
{
    static const struct key point = {.type = KEY_VECTOR, .quantity = QUANTITY_LENGTH, .size = 3};
    struct tree *inside;
    struct error found = {0};
    const char *text = strchr(node->text, '(') + 1, *end = strrchr(text, ')');
    if (!end || end[1] ||
        yaml_tree_parse(&inside, &reader->config->memory, node->source, text, (size_t)(end - text), &found))
        return reader_error(
            reader, node, name,
            "expected opening(1), a rank, or opening([1 mm, 2 mm, 3 mm]), the position of its centre");
    node->quoted = true;
    inside->line = node->line;
    inside->column = node->column;
    surface->opening = -1;
    return inside->kind == TREE_LIST
               ? scalar_read(reader, &point, inside, name, surface->centre)
               : scalar_read_whole(reader, inside, name, 1, INT32_MAX, &surface->opening);
}

bool value_surface(struct config_surface *surface, const char *text)
{
    char *end;
    const int64_t mark = strtoll(text, &end, 10);
    if (!*text || strpbrk(text, "./"))
        surface->nodes = text;
    else if (*end)
        surface->name = text;
    else if (mark == 0 || mark < INT32_MIN || mark > INT32_MAX)
        return false;
    else
        surface->mark = (int32_t)mark;
    return true;
}

/* 3, epi, nodes.txt, or an opening */
static enum status read_surface(struct reader *reader, struct tree *node, const char *name, void *to)
{
    static const struct key path = {.type = KEY_PATH, .offset = offsetof(struct config_surface, nodes)};
    struct config_surface *surface = to;
    char number[20];
    *surface = (struct config_surface){0};
    if (node->kind == TREE_SCALAR && strncmp(node->text, "opening(", 8) == 0)
        return read_opening(reader, node, name, surface);
    if (node->kind == TREE_SCALAR && !value_surface(surface, node->text))
        return reader_error(reader, node, name, "%.80s is not the mark of a face", node->text);
    if (node->kind != TREE_SCALAR || surface->nodes) {
        TRY(scalar_read(reader, &path, node, name, surface));
        node->text = surface->nodes;
        node->quoted = node->file = true;
        return STATUS_OK;
    }
    node->quoted = true;
    if (surface->name)
        return scalar_read_text(reader, node, name, &surface->name);
    snprintf(number, sizeof number, "%d", (int)surface->mark);
    return reader_restate(reader, node, number);
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
static enum status read_names(struct reader *reader, struct tree *node, const char *name, const char ***names,
                              int *count)
{
    if (node->kind == TREE_MAP)
        return reader_error(reader, node, name, "expected a name, or a list of names");
    TRY(make_list(reader, node));
    struct tree *item = node->child;
    *count = node->children;
    *names = reader_allocate(reader, *count, sizeof **names);
    if (!*names)
        return STATUS_RUN;
    for (int i = 0; i < *count; i++, item = item->next) {
        TRY(scalar_read_text(reader, item, name, &(*names)[i]));
        item->quoted = true;
        if (!*(*names)[i] || *(*names)[i] == '.')
            return reader_error(reader, item, name, "'%.80s' is not a name of a field", item->text);
        for (int k = 0; k < i && i < 1000; k++)
            if (strcmp((*names)[k], (*names)[i]) == 0)
                return reader_error(reader, item, name, "'%.80s' is listed twice", item->text);
    }
    return *count <= 1000 ? STATUS_OK : reader_error(reader, node, name, "more than 1000 names");
}

/* *name <- the name of an item of the map at `path`; where <- "path.name", for messages */
static enum status read_item_name(struct reader *reader, const struct tree *item, const char *path,
                                  char where[400], const char **name)
{
    snprintf(where, 400, "%.200s.%.100s", path, item->key);
    if (!*item->key || strlen(item->key) > 60 || strpbrk(item->key, ",\"\n\r\t[]()"))
        return reader_error(reader, item, path,
                            "'%.80s' is not a name (1 to 60 characters, no commas, brackets or quotes)",
                            item->key);
    *name = arena_text(&reader->config->memory, item->key, strlen(item->key));
    return *name ? STATUS_OK : error_memory(reader->error, path, 100);
}

/* *items <- a map from names to items of `size` bytes. An item begins with its name; read_one reads the rest. */
static enum status read_named(struct reader *reader, struct tree *node, const char *name, const char *example,
                              enum status (*read_one)(struct reader *reader, struct tree *item,
                                                      const char *where, void *to),
                              size_t size, void **items, int *count)
{
    char where[400];
    if (node->kind != TREE_MAP)
        return reader_error(reader, node, name, "expected a map from names, such as %s", example);
    *count = 0;
    *items = reader_allocate(reader, node->children, size);
    if (!*items)
        return STATUS_RUN;
    for (struct tree *child = node->child; child; child = child->next) {
        void *to = (char *)*items + (size_t)(*count)++ * size;
        const char *key;
        TRY(read_item_name(reader, child, name, where, &key));
        if (yaml_tree_is_null(child))
            return reader_error(reader, child, where, "has no value");
        TRY(read_one(reader, child, where, to));
        *(const char **)to = key;
    }
    return STATUS_OK;
}

static enum status read_point(struct reader *reader, struct tree *node, const char *name, void *to)
{
    static const struct key point = {.type = KEY_VECTOR, .quantity = QUANTITY_LENGTH, .size = 3};
    struct config_probe *probe = to;
    TRY(scalar_read(reader, &point, node, name, probe->point));
    return reader_restate_numbers(reader, node, probe->point, QUANTITY_LENGTH);
}

static enum status read_probes(struct reader *reader, struct tree *node, const char *name,
                               struct config_probe **probes, int *count)
{
    return read_named(reader, node, name, "{apex: [1 mm, 2 mm, 3 mm]}", read_point, sizeof **probes,
                      (void **)probes, count);
}

/* {from: mitral, to: [lspv, rspv]} */
static enum status read_laplace(struct reader *reader, struct tree *node, const char *name, void *to)
{
    struct config_laplace *laplace = to;
    struct tree *ends[] = {node->kind == TREE_MAP ? yaml_tree_get(node, "from") : NULL,
                           node->kind == TREE_MAP ? yaml_tree_get(node, "to") : NULL};
    if (!ends[0] || !ends[1] || node->children != 2 || yaml_tree_is_null(ends[0]) ||
        yaml_tree_is_null(ends[1]))
        return reader_error(reader, node, name,
                            "expected {from: SURFACES, to: SURFACES}: where it is 0, and where it is 1");
    TRY(read_names(reader, ends[0], name, &laplace->from, &laplace->froms));
    return read_names(reader, ends[1], name, &laplace->to, &laplace->tos);
}

static enum status read_column(struct reader *reader, struct tree *node, const char *name, void *to)
{
    static const struct key path = {.type = KEY_PATH, .offset = offsetof(struct config_column, file)};
    TRY(scalar_read(reader, &path, node, name, to));
    node->text = ((struct config_column *)to)->file;
    node->quoted = node->file = true;
    return STATUS_OK;
}

/* {name: point}, or aha17 */
static enum status read_sites(struct reader *reader, struct tree *node, const char *name,
                              struct config_induction *induction)
{
    induction->segments = node->kind == TREE_SCALAR && strcmp(node->text, "aha17") == 0;
    if (node->kind == TREE_SCALAR && !induction->segments)
        return reader_error(reader, node, name, "'%.80s': expected aha17, or a map of points", node->text);
    return induction->segments ? STATUS_OK
                               : read_probes(reader, node, name, &induction->site, &induction->sites);
}

/* never, activated, {activated: P8}, {beats: 5}, quiescent or {quiescent: 200 ms} */
static enum status read_stop(struct reader *reader, struct tree *node, const char *name,
                             struct config_stop *stop)
{
    static const char *const words[] = {"never", "activated", "quiescent", "beats"};
    struct tree *child = node->kind == TREE_MAP && node->children == 1 ? node->child : NULL;
    const char *word = child ? child->key : node->kind == TREE_SCALAR ? node->text : "";
    struct suggestion suggestion = suggest_for(word);
    struct error reason = {.text = "expected a time"};
    char text[80];
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
    child->quoted = k == 1;
    if (k == 1)
        return scalar_read_text(reader, child, name, &stop->probe);
    if (k == 3) {
        TRY(scalar_read_whole(reader, child, name, 1, 1000, &stop->beats));
        snprintf(text, sizeof text, "%" PRId64, stop->beats);
    } else if (child->kind != TREE_SCALAR || units_read(&stop->quiet, child->text, QUANTITY_TIME, &reason))
        return reader_error(reader, child, name, "%s", reason.text);
    else if (!(stop->quiet >= 0))
        return reader_error(reader, child, name, "must be 0 or more");
    else
        units_write(text, sizeof text, stop->quiet, QUANTITY_TIME);
    if (stop->beats > 1 || stop->quiet > 0)
        return reader_restate(reader, child, text);
    node->kind = TREE_SCALAR; /* {beats: 1}, {quiescent: 0 ms}: state the word alone */
    node->child = node->last = NULL;
    return reader_restate(reader, node, words[stop->when]);
}

static bool has_parts(const struct key *key)
{
    return key->type == KEY_TAGS || key->type == KEY_SURFACES || key->type == KEY_LAPLACE ||
           key->type == KEY_COLUMNS || key->type == KEY_FIBERS || key->type == KEY_NAMES ||
           key->type == KEY_BOUNDS || key->type == KEY_STOP || key->type == KEY_SITES ||
           key->type == KEY_PROBES;
}

/* Reads a value of several parts, and rewrites the node as a config would state it. */
static enum status read_parts(struct reader *reader, const struct key *key, struct tree *node,
                              const char *name, void *base)
{
    void *field = (char *)base + key->offset;
    int *count = (int *)(void *)((char *)base + key->count_offset);
    switch (key->type) {
    case KEY_TAGS:
        return read_tags(reader, node, name, field);
    case KEY_SURFACES:
        return read_named(reader, node, name, "{epi: 2}", read_surface, sizeof(struct config_surface), field,
                          count);
    case KEY_LAPLACE:
        return read_named(reader, node, name, "{roof: {from: mitral, to: [lspv, rspv]}}", read_laplace,
                          sizeof(struct config_laplace), field, count);
    case KEY_COLUMNS:
        return read_named(reader, node, name, "{fibrosis: fibrosis.dat}", read_column,
                          sizeof(struct config_column), field, count);
    case KEY_FIBERS:
        return fiber_rule_read(reader, node, name, field);
    case KEY_NAMES:
        return read_names(reader, node, name, field, count);
    case KEY_BOUNDS:
        return bounds_read(reader, node, name, field, count);
    case KEY_STOP:
        return read_stop(reader, node, name, field);
    case KEY_SITES:
        return read_sites(reader, node, name, field);
    default:
        return read_probes(reader, node, name, field, count);
    }
}

enum status value_read(struct reader *reader, const struct key *key, const struct tree *node,
                       const char *name, void *base)
{
    void *field = (char *)base + key->offset;
    if (yaml_tree_is_null(node))
        return reader_error(reader, node, name, "has no value");
    switch (key->type) {
    case KEY_WHERE:
    case KEY_FACTOR:
        return scalar_read_where(reader, node, name, key->type == KEY_WHERE ? WHERE_CONDITION : WHERE_FACTOR,
                                 field);
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
    default:
        if (!has_parts(key))
            return scalar_read(reader, key, node, name, base);
    }
    struct tree *parts = yaml_tree_copy(&reader->config->memory, node);
    if (!parts)
        return error_memory(reader->error, "the config", sizeof *parts);
    TRY(read_parts(reader, key, parts, name, base));
    yaml_tree_remove(reader->stated, key->path); /* that of the default, read before */
    if (reader->stated)
        yaml_tree_append(reader->stated, key->path, parts);
    return STATUS_OK;
}

bool value_given(const struct key *key, const void *base, const struct tree *stated)
{
    const struct config_region *region = base;
    switch (key->type) {
    case KEY_MODEL:
        return !region->text.file && !config_is_resistor(region);
    case KEY_FACTORS:
        return false;
    case KEY_INITIAL:
        return region->initial || region->pace;
    case KEY_PARAMETERS:
        return cells_parameters_given(region);
    default:
        return has_parts(key) ? yaml_tree_get(stated, key->path) != NULL : scalar_given(key, base);
    }
}

struct tree *value_tree(struct arena *arena, const struct key *key, const void *base,
                        const struct tree *stated)
{
    struct tree *form = yaml_tree_get(stated, key->path);
    return form                          ? yaml_tree_copy(arena, form)
           : key->type == KEY_PARAMETERS ? cells_parameters_tree(arena, base)
           : key->type == KEY_INITIAL    ? cells_initial_tree(arena, base)
                                         : scalar_tree(arena, key, base);
}

const char *value_of_solver(char text[VALUE_TEXT], const struct key *key)
{
    const struct config solver = {.physics = monodomain_params_default()};
    struct arena memory = {0};
    const struct tree *node = scalar_tree(&memory, key, &solver);
    snprintf(text, VALUE_TEXT, "%s", node ? node->text : "");
    arena_free(&memory);
    return text;
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
