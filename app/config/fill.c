/* fill.c: walks the tree beside the table of keys; see fill.h.
 *
 * A scope is a struct to fill with the keys that belong to it: the whole config (prefix ""), or one item of a
 * list (prefix "stimuli[]."). */
#include "app/config/fill.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/suggest.h"

enum { PATH = 400, MOST_ITEMS = 1000 };

static enum status fill_scope(struct reader *reader, const struct tree *map, const char *prefix,
                              const char *shown, void *base);

/* The key of that path that a scalar or list at it fills, or NULL. */
static const struct key *find_key(const char *path)
{
    int count;
    const struct key *key = config_keys(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(key[i].path, path) == 0)
            return &key[i];
    return NULL;
}

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

/* "unknown key", with the nearest of the names that may stand there, or all of them */
static enum status unknown_key(struct reader *reader, const struct tree *node, const char *prefix,
                               const char *shown)
{
    int count;
    char all[400] = "", hint[120], names[128][40];
    int found = 0;
    size_t length = strlen(prefix);
    const struct key *key = config_keys(&count);
    struct suggestion suggestion = suggest_for(node->key);
    for (int i = 0; i < count && found < 128; i++) {
        if (strncmp(key[i].path, prefix, length) != 0 || key[i].type == KEY_REMOVED)
            continue;
        size_t part = strcspn(key[i].path + length, ".[");
        snprintf(names[found], sizeof names[found], "%.*s", (int)part, key[i].path + length);
        if (found && strcmp(names[found], names[found - 1]) == 0)
            continue;
        suggest_try(&suggestion, names[found]);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", names[found]);
        found++;
    }
    struct tree at_key = *node;
    at_key.line = node->key_line;
    at_key.column = node->key_column;
    suggest_hint(&suggestion, hint, sizeof hint);
    if (*hint)
        return reader_error(reader, &at_key, shown, "unknown key%s", hint);
    return reader_error(reader, &at_key, shown, "unknown key; known here: %s", all);
}

static enum status fill_list(struct reader *reader, const struct key *key, const struct tree *node,
                             const char *shown, void *base)
{
    if (node->kind != TREE_LIST)
        return reader_error(reader, node, shown, "expected a list (each item begins with '- ')");
    if (node->children > MOST_ITEMS)
        return reader_error(reader, node, shown, "more than %d items", MOST_ITEMS);
    char *items = arena_take(&reader->config->memory, (size_t)node->children + 1, key->size);
    if (!items)
        return error_memory(reader->error, shown, (double)key->size * node->children);
    *(void **)(void *)((char *)base + key->offset) = items;
    *(int *)(void *)((char *)base + key->count_offset) = node->children;
    enum status status = STATUS_OK;
    int i = 0;
    for (const struct tree *item = node->child; item; item = item->next, i++) {
        char prefix[PATH], name[PATH];
        snprintf(prefix, sizeof prefix, "%s[].", key->path);
        snprintf(name, sizeof name, "%.300s[%d].", shown, i);
        FAULTS_TRY(fill_scope(reader, item, prefix, name, items + (size_t)i * key->size));
    }
    return status;
}

/* Every entry of map: a value, a list of structs, or a group of keys with a longer prefix. */
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
        const struct key *key = strpbrk(node->key, ".[]") ? NULL : find_key(path);
        bool group = !strpbrk(node->key, ".[]") && is_group(path);
        if (!key && !group)
            FAULTS_TRY(unknown_key(reader, node, prefix, name));
        else if (group && (node->kind == TREE_MAP || !key)) {
            if (node->kind != TREE_MAP)
                FAULTS_TRY(
                    reader_error(reader, node, name, "expected a map of keys, not a single value or a list"));
            else
                FAULTS_TRY(fill_map(reader, node, inner, inner_name, base));
        } else if (key->type == KEY_LIST)
            FAULTS_TRY(fill_list(reader, key, node, name, base));
        else if (key->type != KEY_PARAMETERS && key->type != KEY_INITIAL)
            /* these wait for their model, as that does for its text's keys */
            FAULTS_TRY(value_read(reader, key, node, name, base));
    }
    return status;
}

static enum status fill_default(struct reader *reader, const struct key *key, void *base)
{
    if (key->fallback == KEY_SOLVER)
        return STATUS_OK; /* there already */
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
    if (exact || node->kind != TREE_MAP) /* no map: a fault already */
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
        snprintf(name, sizeof name, "%.*s", (int)(strlen(shown) - (*shown != 0)), shown); /* no last dot */
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

enum status config_fill(struct reader *reader)
{
    reader->config->physics = monodomain_params_default();
    return fill_scope(reader, reader->root, "", "", reader->config);
}
