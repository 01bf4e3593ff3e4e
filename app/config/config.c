/* config.c: parse a file into a tree, apply overrides, and fill struct config by the table of keys. */
#include "app/config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/keys.h"
#include "app/config/resolve.h"
#include "app/config/resolved.h"
#include "app/config/value.h"
#include "app/util/cores.h"
#include "app/util/path.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/suggest.h"

enum { PATH = 400, MOST_ITEMS = 1000 };

/* Refuses an unsupported version first, before any unknown key of it. */
static enum status check_version(struct reader *reader)
{
    const struct tree *version =
        reader->root->kind == TREE_MAP ? yaml_tree_get(reader->root, "version") : NULL;
    char *end;
    if (version && version->kind == TREE_SCALAR) {
        long number = strtol(version->text, &end, 10);
        if (end != version->text && !*end && number >= 0 && number <= 1000000000 && number != 1)
            return reader_error(reader, version, "version",
                                "only version 1 is supported, not %.40s: see docs/user/config.md for its "
                                "keys, or use the program that this config was written for",
                                version->text);
    }
    return STATUS_OK;
}

static enum status fill_scope(struct reader *reader, const struct tree *map, const char *prefix,
                              const char *shown, void *base);

static bool is_group(const char *path)
{
    int count;
    size_t length = strlen(path);
    const struct key *key = config_keys(&count);
    for (int i = 0; i < count; i++)
        if (strncmp(key[i].path, path, length) == 0 && key[i].path[length] == '.')
            return true;
    return false;
}

/* Whether two texts are the same word or the same number */
static bool same_value(const char *a, const char *b)
{
    char *end_a, *end_b;
    double value_a = strtod(a, &end_a), value_b = strtod(b, &end_b);
    return strcmp(a, b) == 0 || (end_a != a && end_b != b && !*end_a && !*end_b && value_a == value_b);
}

/* Accepts a removed key that has the value every run now uses: earlier versions wrote all keys to their results. */
static enum status removed_key(struct reader *reader, const struct tree *node,
                               const struct removed_key *removed, const char *shown)
{
    if (node->kind == TREE_SCALAR &&
        ((removed->was && same_value(node->text, removed->was)) || config_removed(removed->path, node->text)))
        return STATUS_OK;
    return reader_error(reader, node, shown, "is no longer a key: %s%s%s%s",
                        removed->was ? "a run always uses " : "", removed->was ? removed->was : "",
                        removed->was ? "; " : "", removed->instead);
}

/* The path of the only key of that name: "time.end" for end; NULL = none, or several */
static const char *elsewhere(const char *name)
{
    int count;
    const char *path = NULL;
    const struct key *key = config_keys(&count);
    for (int i = 0; i < count; i++) {
        const char *last = strrchr(key[i].path, '.');
        if (strcmp(last ? last + 1 : key[i].path, name) != 0)
            continue;
        if (path)
            return NULL;
        path = key[i].path;
    }
    return path;
}

/* "unknown key", with the nearest allowed name, or all of them */
static enum status unknown_key(struct reader *reader, const struct tree *node, const char *prefix,
                               const char *shown)
{
    int count;
    char all[400] = "", names[128][40];
    const char *serves = NULL;
    int found = 0;
    size_t length = strlen(prefix);
    const struct key *key = config_keys(&count);
    struct suggestion suggestion = suggest_for(node->key);
    for (int i = 0; i < count && found < 128; i++) {
        if (strncmp(key[i].path, prefix, length) != 0)
            continue;
        if (!serves && config_serves(node->key, key[i].path))
            serves = key[i].path + length;
        size_t length_to_next = strcspn(key[i].path + length, ".[");
        snprintf(names[found], sizeof names[found], "%.*s", (int)length_to_next, key[i].path + length);
        if (found && strcmp(names[found], names[found - 1]) == 0)
            continue;
        suggest_try(&suggestion, names[found]);
        printed_item(all, sizeof all, "%s", names[found++]);
    }
    const char *same = elsewhere(node->key);
    if (serves || same)
        suggestion.best = serves ? serves : same;
    struct tree at_key = *node;
    at_key.line = node->key_line;
    at_key.column = node->key_column;
    const char *also =
        strstr(prefix, "conductivity.") ? "; factors at elements are `scale` of the region"
        : strstr(prefix, "velocity.")
            ? "; a velocity that varies is `scale` of the region, with the square of its factor"
            : "";
    if (strchr(node->key, ')') && !strchr(node->key, '('))
        return reader_error(reader, &at_key, shown,
                            "unknown key; inside { } YAML requires quotes around an expression with a comma");
    if (suggestion.best)
        return reader_error(reader, &at_key, shown, "unknown key%s%s", suggest_hint(&suggestion), also);
    return reader_error(reader, &at_key, shown, "unknown key; allowed here: %s%s", all, also);
}

static enum status fill_list(struct reader *reader, const struct key *key, const struct tree *node,
                             const char *shown, void *base)
{
    if (node->kind != TREE_LIST)
        return reader_error(reader, node, shown, "expected a list (each item begins with '- ')");
    if (node->children > MOST_ITEMS)
        return reader_error(reader, node, shown, "more than %d items", MOST_ITEMS);
    char *items = arena_allocate(&reader->config->memory, (size_t)node->children + 1, key->size);
    if (!items)
        return error_memory(reader->error, shown, (double)key->size * node->children);
    *(void **)(void *)((char *)base + key->offset) = items;
    *(int *)(void *)((char *)base + key->count_offset) = node->children;
    enum status status = STATUS_OK;
    struct tree *const outer = reader->stated,
                       *list = yaml_tree_new(&reader->config->memory, TREE_LIST, NULL);
    if (!list)
        return error_memory(reader->error, shown, sizeof *list);
    yaml_tree_append(outer, key->path, list);
    int i = 0;
    for (const struct tree *item = node->child; item; item = item->next, i++) {
        char prefix[PATH], name[PATH];
        snprintf(prefix, sizeof prefix, "%s[].", key->path);
        snprintf(name, sizeof name, "%.300s[%d].", shown, i);
        reader->stated = yaml_tree_new(&reader->config->memory, TREE_MAP, NULL);
        if (!reader->stated)
            return error_memory(reader->error, shown, sizeof *list);
        yaml_tree_append(list, NULL, reader->stated);
        FAULTS_TRY(fill_scope(reader, item, prefix, name, items + (size_t)i * key->size));
    }
    reader->stated = outer;
    return status;
}

/* The error for a value or list in place of a group of keys; prefix: of the group's paths, such as "mesh." */
static enum status expected_map(struct reader *reader, const struct tree *node, const char *prefix,
                                const char *name)
{
    int count, first = 0;
    char path[PATH];
    const struct key *key = config_keys(&count);
    snprintf(path, sizeof path, "%.200sfile", prefix);
    if (node->kind == TREE_SCALAR && config_find_key(path))
        return reader_error(reader, node, name, "expected a map of keys, such as {file: %.80s}", node->text);
    while (first + 1 < count && strncmp(key[first].path, prefix, strlen(prefix)) != 0)
        first++;
    const char *inside = key[first].path + strlen(prefix);
    return reader_error(reader, node, name,
                        "expected a map of keys, not a single value or a list, such as {%.*s: ..}",
                        (int)strcspn(inside, ".["), inside);
}

/* Reads every entry of map: a value, a list of structs, or a group of keys with a longer prefix. */
static enum status fill_map(struct reader *reader, const struct tree *map, const char *prefix,
                            const char *shown, void *base)
{
    enum status status = STATUS_OK;
    for (const struct tree *node = map->child; node; node = node->next) {
        char path[PATH], name[PATH], inner[PATH + 2], inner_name[PATH + 2];
        snprintf(path, sizeof path, "%.200s%.100s", prefix, node->key);
        snprintf(name, sizeof name, "%.200s%.100s", shown, node->key);
        snprintf(inner, sizeof inner, "%s.", path);
        snprintf(inner_name, sizeof inner_name, "%s.", name);
        const struct key *key = strpbrk(node->key, ".[]") ? NULL : config_find_key(path);
        bool group = !strpbrk(node->key, ".[]") && is_group(path);
        const struct removed_key *removed = config_removed(path, NULL);
        if (removed)
            FAULTS_TRY(removed_key(reader, node, removed, name));
        else if (!key && !group)
            FAULTS_TRY(unknown_key(reader, node, prefix, name));
        else if (group && (node->kind == TREE_MAP || !key)) {
            if (node->kind != TREE_MAP)
                FAULTS_TRY(expected_map(reader, node, inner, name));
            else
                FAULTS_TRY(fill_map(reader, node, inner, inner_name, base));
        } else if (group && node->kind == TREE_LIST)
            FAULTS_TRY(reader_error(reader, node, name, "expected one value, or a map of keys, not a list"));
        else if (key->type == KEY_LIST)
            FAULTS_TRY(fill_list(reader, key, node, name, base));
        else if (key->type != KEY_PARAMETERS && key->type != KEY_INITIAL)
            /* KEY_PARAMETERS and KEY_INITIAL follow their model, and a text's model its keys: read later */
            FAULTS_TRY(value_read(reader, key, node, name, base));
    }
    return status;
}

static enum status fill_default(struct reader *reader, const struct key *key, void *base)
{
    if (key->fallback == KEY_SOLVER)
        return STATUS_OK; /* set by monodomain_params_default() */
    value_clear(key, base);
    if (!key->fallback || key->fallback == KEY_REQUIRED)
        return STATUS_OK;
    struct tree node = {.kind = TREE_SCALAR, .source = "default", .text = key->fallback};
    return value_read(reader, key, &node, key->path, base);
}

static enum status check_required(struct reader *reader, const struct tree *map, const struct key *key,
                                  const char *prefix, const char *shown)
{
    bool exact;
    char name[PATH];
    const char *rest = key->path + strlen(prefix);
    const struct tree *node = reader_node(map, rest, &exact);
    if (exact || node->kind != TREE_MAP) /* not a map: already reported */
        return STATUS_OK;
    if (key->unless && yaml_tree_get(node, key->unless))
        return STATUS_OK;
    snprintf(name, sizeof name, "%.300s%.90s", shown, rest);
    return reader_error(reader, node, name, "is missing (%s)", key->meaning);
}

static enum status fill_scope(struct reader *reader, const struct tree *map, const char *prefix,
                              const char *shown, void *base)
{
    int count;
    const struct key *key = config_keys(&count);
    if (map->kind != TREE_MAP) {
        char name[PATH];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(shown) - (*shown != 0)), shown); /* no final dot */
        return reader_error(reader, map, *name ? name : "the config", "expected a map of keys");
    }
    enum status status = STATUS_OK;
    for (int i = 0; i < count && !status; i++)
        if (config_key_in_scope(&key[i], prefix))
            status = fill_default(reader, &key[i], base);
    FAULTS_TRY(fill_map(reader, map, prefix, shown, base));
    for (int i = 0; i < count; i++)
        if (key[i].fallback == KEY_REQUIRED && config_key_in_scope(&key[i], prefix))
            FAULTS_TRY(check_required(reader, map, &key[i], prefix, shown));
    for (int i = 0; i < count; i++) {
        bool exact;
        const struct tree *node;
        bool waits = key[i].type == KEY_PARAMETERS || key[i].type == KEY_INITIAL;
        if ((!waits && key[i].type != KEY_MODEL) || !config_key_in_scope(&key[i], prefix))
            continue;
        node = reader_node(map, key[i].path + strlen(prefix), &exact);
        if (exact && (waits || node->kind == TREE_MAP)) {
            char name[PATH];
            snprintf(name, sizeof name, "%.300s%s", shown, key[i].path + strlen(prefix));
            FAULTS_TRY(value_read(reader, &key[i], node, name, base));
        }
    }
    return status;
}

/* Fills reader->config from reader->root: defaults, then the tree. Unknown keys and missing required keys are
 * faults. */
static enum status fill_config(struct reader *reader)
{
    reader->config->physics = monodomain_params_default();
    reader->stated = yaml_tree_new(&reader->config->memory, TREE_MAP, NULL);
    if (!reader->stated)
        return error_memory(reader->error, "the config", sizeof *reader->stated);
    return fill_scope(reader, reader->root, "", "", reader->config);
}

/* Applies one --set argument, such as "time.step=0.02". */
static enum status override_key(struct reader *reader, const char *set)
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set)
        return error_set(reader->error, STATUS_INPUT,
                         "--set %.80s: expected key=value, such as --set time.step=0.02", set);
    const char *from = set + strspn(set, " "), *to = equals;
    while (to > from && to[-1] == ' ')
        to--;
    char *key = arena_text(&reader->config->memory, from, (size_t)(to - from));
    if (!key)
        return error_memory(reader->error, "--set", 0);
    return yaml_tree_set(reader->root, &reader->config->memory, key, equals + 1, reader->error);
}

struct overrides {
    const char *const *set;
    int sets;
    const struct config_option *option;
    int options;
    const struct config_row *row;       /* NULL = not part of a study */
    const struct config_source *source; /* NULL = not stepped by a caller */
};

/* Sets a key to the value in a table cell, which is YAML. */
static enum status override_cell(struct reader *reader, const char *source, const struct config_value *value)
{
    struct arena *memory = &reader->config->memory;
    struct error inner = {0};
    struct tree *tree;
    enum status status = yaml_tree_parse(&tree, memory, source, value->text, strlen(value->text), &inner);
    if (status == STATUS_INPUT)
        return error_at(reader->error, status, source, value->line, value->column,
                        "'%.80s' is not a value%.300s", value->text,
                        strstr(inner.text + strlen(source), ": "));
    if (status)
        return error_set(reader->error, status, "%s", inner.text);
    yaml_tree_move(tree, value->line - 1, value->column - 1);
    tree->key_line = value->key_line;
    tree->key_column = value->key_column;
    return yaml_tree_graft(reader->root, memory, value->key, tree, reader->error);
}

/* The value on one line; NULL if out of memory; the caller frees it */
static char *print_value(const struct tree *node)
{
    struct printed value;
    if (!printed_open(&value, NULL))
        value_write(value.file, node);
    printed_close(&value, NULL);
    return value.text;
}

/* The same, but a scalar without quotes */
static char *print_tree(const struct tree *node)
{
    return node->kind == TREE_SCALAR ? strdup(node->text) : print_value(node);
}

/* axis->text[] <- the values of a list of `sweep:` */
static enum status read_axis(struct reader *reader, const struct tree *list, struct config_axis *axis)
{
    struct arena *memory = &reader->config->memory;
    char name[PATH];
    snprintf(name, sizeof name, "sweep.%.300s", list->key);
    if (list->kind != TREE_LIST || list->children == 0)
        return reader_error(reader, list, name, "expected a list of values, such as [10 ms, 20 ms]");
    axis->key = list->key;
    axis->text = reader_allocate(reader, list->children, sizeof *axis->text);
    if (!axis->text)
        return error_memory(reader->error, name, 8.0 * list->children);
    for (const struct tree *item = list->child; item; item = item->next) {
        char *text = print_tree(item);
        axis->text[axis->values] = text ? arena_text(memory, text, strlen(text)) : NULL;
        free(text);
        if (!axis->text[axis->values++])
            return error_memory(reader->error, name, 64);
    }
    return STATUS_OK;
}

/* config->axis[] <- the lists of `sweep:` */
static enum status read_axes(struct reader *reader, const struct tree *sweep)
{
    struct config *config = reader->config;
    if (sweep->kind != TREE_MAP)
        return reader_error(reader, sweep, "sweep", "expected a map of keys, each with a list of values");
    config->axis = reader_allocate(reader, sweep->children, sizeof *config->axis);
    if (!config->axis)
        return error_memory(reader->error, "sweep", 8);
    for (const struct tree *list = sweep->child; list; list = list->next, config->axes++)
        TRY(read_axis(reader, list, &config->axis[config->axes]));
    return STATUS_OK;
}

/* Sets the keys of `sweep:` to their values at that point. */
static enum status override_axes(struct reader *reader, const struct tree *sweep, int64_t point)
{
    int axes = reader->config->axes;
    int64_t behind = 1;
    for (int a = 0; a < axes; a++)
        behind *= reader->config->axis[a].values;
    for (const struct tree *list = sweep->child; list; list = list->next) {
        behind /= list->children;
        struct tree item = *yaml_tree_item(list, (int)(point / behind % list->children));
        item.key_line = list->key_line;
        item.key_column = list->key_column;
        TRY(yaml_tree_graft(reader->root, &reader->config->memory, list->key, &item, reader->error));
    }
    return STATUS_OK;
}

/* Applies the values of one run of a study; removes `sweep:`, which is not a key of a run, from the tree. */
static enum status override_row(struct reader *reader, const struct config_row *row)
{
    const struct tree *sweep = yaml_tree_remove(reader->root, "sweep");
    if (sweep && !row)
        return reader_error(reader, sweep, "sweep",
                            "this config describes several runs; `cardiac sweep` makes them");
    if (sweep)
        TRY(read_axes(reader, sweep));
    for (int k = 0; row && k < row->values; k++)
        if (row->value[k].text)
            TRY(override_cell(reader, row->path, &row->value[k]));
    return sweep && row->point >= 0 ? override_axes(reader, sweep, row->point) : STATUS_OK;
}

static enum status override_source(struct reader *reader, const struct config_overrides *overrides)
{
    for (int k = 0; overrides && k < overrides->values; k++)
        TRY(override_cell(reader, "overrides", &overrides->value[k]));
    return STATUS_OK;
}

/* Checks the value that an option overrides, so that a wrong one is an error even then. */
static enum status check_hidden(struct reader *reader, const char *path)
{
    bool there;
    const struct tree *node = reader_node(reader->root, path, &there);
    const struct key *key = there ? config_find_key(path) : NULL;
    return key ? value_read(reader, key, node, path, reader->config) : STATUS_OK;
}

static enum status override_all(struct reader *reader, const struct overrides *over)
{
    for (int i = 0; i < over->sets; i++)
        TRY(override_key(reader, over->set[i]));
    if (over->source)
        TRY(override_source(reader, over->source->overrides));
    TRY(override_row(reader, over->row));
    for (int i = 0; i < over->options; i++) {
        const struct config_option *o = over->option + i;
        if (o->value)
            TRY(check_hidden(reader, o->key));
        if (o->value)
            TRY(yaml_tree_put(reader->root, &reader->config->memory, o->name, o->key, o->value,
                              reader->error));
    }
    return STATUS_OK;
}

static enum status parse_config(struct config *config, const char *path, const char *directory,
                                const char *text, size_t length, const struct overrides *over,
                                struct error *error)
{
    *config = (struct config){.memory.limit = TREE_MEMORY};
    if (over->source) {
        config->array = over->source->array;
        config->arrays = over->source->arrays;
    }
    struct reader reader = {.config = config, .directory = directory, .error = error, .faults.error = error};
    reader.stepped = over->source;
    config->path = arena_text(&config->memory, path, strlen(path));
    struct inputs *earlier = over->row ? over->row->inputs : over->source ? over->source->inputs : NULL;
    config->inputs = earlier ? inputs_share(earlier) : inputs_new();
    if (!config->path || !config->inputs)
        return error_memory(error, "the config", (double)strlen(path));
    bool marked = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* an editor's byte order mark */
    enum status status = STATUS_OK;
    TRY(yaml_tree_parse(&reader.root, &config->memory, config->path, text + 3 * marked,
                        length - 3 * (size_t)marked, error));
    TRY(override_all(&reader, over));
    TRY(check_version(&reader));
    config->root = reader.root;
    FAULTS_TRY(fill_config(&reader));
    if (reader.root->kind == TREE_MAP)
        FAULTS_TRY(config_resolve(&reader));
    if (over->source && !yaml_tree_get(reader.root, "threads"))
        config->threads = 1;
    return status ? status : resolved_create(&reader);
}

enum status config_parse(struct config *config, const char *path, const char *directory, const char *text,
                         size_t length, const char *const *sets, int count, struct error *error)
{
    const struct overrides over = {sets, count, NULL, 0, NULL, NULL};
    return parse_config(config, path, directory, text, length, &over, error);
}

enum status config_parse_source(struct config *config, const struct config_source *source,
                                struct error *error)
{
    const struct overrides over = {.source = source};
    TRY(parse_config(config, source->path, source->directory, source->text, strlen(source->text), &over,
                     error));
    cores_limit(config->threads);
    return STATUS_OK;
}

/* Appends a value and removes an earlier one of the same key. Takes ownership of `text`; NULL = out of memory. */
static enum status add_override(struct config_overrides *to, const char *key, char *text, struct error *error)
{
    int kept = 0;
    for (int k = 0; k < to->values; k++)
        if (strcmp(to->value[k].key, key) == 0) {
            free((void *)(uintptr_t)to->value[k].key);
            free((void *)(uintptr_t)to->value[k].text);
        } else {
            to->value[kept++] = to->value[k];
        }
    to->values = kept;
    struct config_value *larger = realloc(to->value, ((size_t)kept + 1) * sizeof *larger);
    char *copy = strdup(key);
    to->value = larger ? larger : to->value;
    if (!larger || !copy || !text) {
        free(copy);
        free(text);
        return error_memory(error, "the overrides", 64);
    }
    to->value[to->values++] = (struct config_value){.key = copy, .text = text};
    return STATUS_OK;
}

enum status config_overrides_add(struct config_overrides *to, const char *text, struct error *error)
{
    struct arena memory = {.limit = TREE_MEMORY};
    struct tree *map;
    enum status status;
    TRY_DONE(yaml_tree_parse(&map, &memory, "overrides", text, strlen(text), error));
    if (map->kind != TREE_MAP)
        TRY_DONE(error_set(error, STATUS_INPUT,
                           "overrides: expected an object of keys and values, such as "
                           "{\"time.end\": \"80 ms\"}"));
    for (const struct tree *child = map->child; child; child = child->next)
        TRY_DONE(add_override(to, child->key, print_value(child), error));
done:
    arena_free(&memory);
    return status;
}

enum status config_overrides_copy(struct config_overrides *to, const struct config_overrides *from,
                                  struct error *error)
{
    for (int k = 0; k < from->values; k++)
        TRY(add_override(to, from->value[k].key, strdup(from->value[k].text), error));
    return STATUS_OK;
}

void config_overrides_free(struct config_overrides *overrides)
{
    for (int k = 0; k < overrides->values; k++) {
        free((void *)(uintptr_t)overrides->value[k].key);
        free((void *)(uintptr_t)overrides->value[k].text);
    }
    free(overrides->value);
    *overrides = (struct config_overrides){0};
}

/* Reads one byte more than the limit, so that a longer file is refused. */
static enum status read_file(char **text, size_t *length, const char *path, struct error *error)
{
    const size_t room = TREE_TEXT_BYTES + 1;
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_at(error, STATUS_INPUT, path, 0, 0, "cannot be opened: %s", strerror(errno));
    enum status status = STATUS_OK;
    *text = array_new((int64_t)room + 1, 1, "the config", &status, error);
    if (!status) {
        *length = fread(*text, 1, room, file);
        (*text)[*length] = 0;
    }
    if (!status && ferror(file))
        status = error_at(error, STATUS_INPUT, path, 0, 0, "cannot be read: %s", strerror(errno));
    fclose(file);
    return status;
}

/* STATUS_INPUT if the file is obviously not a config: a mesh, a result, or openCARP parameters */
static enum status check_file(const char *path, const char *text, struct error *error)
{
    static const struct {
        const char *ending, *begin, *what;
    } known[] = {
        {".par", NULL, "openCARP parameters; `cardiac import` converts them to a config"},
        {".mmt", NULL, "a model's text; name it in a config as tissue.regions[].model.file"},
        {".pts", NULL, "a mesh; name it in a config as mesh.file"},
        {".elem", NULL, "a mesh; name it in a config as mesh.file"},
        {".node", NULL, "a mesh; name it in a config as mesh.file"},
        {".ele", NULL, "a mesh; name it in a config as mesh.file"},
        {NULL, "$MeshFormat", "a mesh; name it in a config as mesh.file"},
        {NULL, "# vtk DataFile", "a mesh; name it in a config as mesh.file"},
        {NULL, "<?xml", "a VTK file; name a mesh in a config as mesh.file"},
        {NULL, "<VTKFile", "a mesh; name it in a config as mesh.file"},
        {NULL, "cardiac result", "a result; `cardiac info` prints what it contains"},
        {NULL, "\x89HDF", "a result or a mesh in HDF5; `cardiac info` prints what it contains"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].ending ? path_ends_in(path, known[k].ending)
                            : strncmp(text, known[k].begin, strlen(known[k].begin)) == 0)
            return error_at(error, STATUS_INPUT, path, 0, 0, "not a config but %s", known[k].what);
    return STATUS_OK;
}

enum status config_read_text(char **text, size_t *length, const char *path, struct error *error)
{
    *text = NULL;
    TRY(read_file(text, length, path, error));
    return check_file(path, *text, error);
}

enum status config_read_row(struct config *config, const char *path, const char *const *sets, int count,
                            const struct config_option *options, int number, const struct config_row *row,
                            struct error *error)
{
    const struct overrides over = {sets, count, options, number, row, NULL};
    char *text = NULL;
    size_t length = 0;
    *config = (struct config){0};
    const char *slash = strrchr(path, '/');
    if (strncmp(path, "/dev/", 5) == 0) /* standard input or a pipe: relative to the working directory */
        slash = NULL;
    char *directory = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup("");
    enum status status = directory ? STATUS_OK : error_memory(error, "the config", 0);
    if (status)
        return status;
    TRY_DONE(config_read_text(&text, &length, path, error));
    TRY_DONE(parse_config(config, path, directory, text, length, &over, error));
    cores_limit(config->threads);
done:
    free(directory);
    free(text);
    return status;
}

enum status config_read_with(struct config *config, const char *path, const char *const *sets, int count,
                             const struct config_option *options, int number, struct error *error)
{
    return config_read_row(config, path, sets, count, options, number, NULL, error);
}

enum status config_read(struct config *config, const char *path, const char *const *sets, int count,
                        struct error *error)
{
    return config_read_with(config, path, sets, count, NULL, 0, error);
}

void config_free(struct config *config)
{
    arena_free(&config->memory);
    user_model_free(config->models);
    inputs_free(config->inputs);
    *config = (struct config){0};
}
