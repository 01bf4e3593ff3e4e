/* resolved.c: build the tree of a resolved config, and write it. */
#include "app/config/resolved.h"

#include <string.h>

#include "app/config/value.h"

/* The number of consecutive keys, from key[0] on, that share its first `length` characters */
static int same_prefix(const struct key *key, int count, size_t length)
{
    int same = 0;
    while (same < count && strncmp(key[same].path, key[0].path, length) == 0)
        same++;
    return same;
}

/* A struct of the config: its values, and its multi-part values as read (reader.h) */
struct source {
    struct arena *arena;
    const void *base;
    const struct tree *stated;
};

static bool state_keys(struct tree *map, const struct source *from, const struct key *key, int count,
                       size_t skip);

/* The items of key[0], whose own keys are key[1 .. count) */
static struct tree *list_of(const struct source *from, const struct key *key, int count)
{
    const char *items = *(const char *const *)(const void *)((const char *)from->base + key->offset);
    const int length = *(const int *)(const void *)((const char *)from->base + key->count_offset);
    struct tree *list = yaml_tree_new(from->arena, TREE_LIST, NULL);
    const struct tree *stated = yaml_tree_item(yaml_tree_get(from->stated, key->path), 0);
    for (int i = 0; i < length && list; i++, stated = stated->next) {
        const struct source item = {from->arena, items + (size_t)i * key->size, stated};
        struct tree *map = yaml_tree_new(from->arena, TREE_MAP, NULL);
        if (!map || !state_keys(map, &item, key + 1, count - 1, strlen(key->path) + 3))
            return NULL;
        map->block = true;
        yaml_tree_append(list, NULL, map);
    }
    if (list)
        list->block = true;
    return list;
}

/* map <- key[0 .. count), each path without its first `skip` characters; false if out of memory */
static bool state_keys(struct tree *map, const struct source *from, const struct key *key, int count,
                       size_t skip)
{
    for (int i = 0, span; i < count; i += span) {
        const char *rest = key[i].path + skip;
        const size_t name = strcspn(rest, ".");
        const bool group = rest[name] == '.', list = !group && key[i].type == KEY_LIST;
        struct tree *node = NULL;
        span = group || list ? same_prefix(key + i, count - i, skip + name + group) : 1;
        if (!group && !value_given(&key[i], from->base, from->stated))
            continue;
        const char *own = group ? arena_text(from->arena, rest, name) : rest;
        node = group  ? yaml_tree_new(from->arena, TREE_MAP, NULL)
               : list ? list_of(from, key + i, span)
                      : value_tree(from->arena, &key[i], from->base, from->stated);
        if (!node || !own || (group && !state_keys(node, from, key + i, span, skip + name + 1)))
            return false;
        node->block = group || list;
        if (!group || node->child)
            yaml_tree_append(map, own, node);
    }
    return true;
}

enum status resolved_create(struct reader *reader)
{
    struct config *config = reader->config;
    int count;
    const struct key *key = config_keys(&count);
    const struct source whole = {&config->memory, config, reader->stated};
    config->resolved = yaml_tree_new(&config->memory, TREE_MAP, NULL);
    if (!config->resolved || !state_keys(config->resolved, &whole, key, count, 0))
        return error_memory(reader->error, "the config", sizeof *config->resolved);
    config->resolved->block = true;
    return STATUS_OK;
}

void resolved_path(char path[RESOLVED_PATH], const char *parent, const struct tree *node,
                   const struct tree *child)
{
    snprintf(path, RESOLVED_PATH, "%.100s%s%.80s", parent,
             node->kind == TREE_LIST ? "[]"
             : *parent               ? "."
                                     : "",
             child->key ? child->key : "");
}

static void write_block(FILE *file, const struct tree *map, int indent, bool item)
{
    for (const struct tree *child = map->child; child; child = child->next) {
        fprintf(file, "%*s%s%s:", item ? indent - 2 : indent, "", item ? "- " : "", child->key);
        item = false;
        if (!child->block) {
            fputc(' ', file);
            value_write(file, child);
        } else if (!child->child)
            fputs(" []", file);
        fputc('\n', file);
        if (child->block && child->kind == TREE_MAP)
            write_block(file, child, indent + 2, false);
        for (const struct tree *each = child->block && child->kind == TREE_LIST ? child->child : NULL; each;
             each = each->next)
            write_block(file, each, indent + 4, true);
    }
}

void resolved_write(FILE *file, const struct tree *resolved)
{
    write_block(file, resolved, 0, false);
}
