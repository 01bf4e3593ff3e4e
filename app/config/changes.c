/* changes.c: in which keys two configs differ, from their texts. */
#include <stdio.h>
#include <string.h>

#include "app/config/config.h"
#include "app/config/yaml.h"

enum { PATH = 200 };

struct changes {
    char *text;
    size_t room;
    int count;
};

static const char *shown(const struct tree *node)
{
    return !node ? "not given" : node->kind == TREE_SCALAR ? node->text : "of another form";
}

static void add(struct changes *changes, const char *path, const struct tree *then, const struct tree *now)
{
    size_t used = strlen(changes->text);
    snprintf(changes->text + used, changes->room - used, "%s%s was %.60s and is %.60s",
             changes->count++ ? ", " : "", path, shown(then), shown(now));
}

static void compare(struct changes *changes, const char *path, const struct tree *then,
                    const struct tree *now);

/* Place i of a list, or the name of a child */
static void step_down(char inner[PATH], const char *path, const struct tree *parent, const struct tree *child,
                      int i)
{
    if (parent->kind == TREE_LIST)
        snprintf(inner, PATH, "%.180s[%d]", path, i);
    else
        snprintf(inner, PATH, "%.100s%s%.80s", path, *path ? "." : "", child->key);
}

static const struct tree *counterpart(const struct tree *other, const struct tree *child, int i)
{
    return other->kind == TREE_LIST ? yaml_tree_item(other, i) : yaml_tree_get(other, child->key);
}

static void compare_children(struct changes *changes, const char *path, const struct tree *then,
                             const struct tree *now)
{
    char inner[PATH];
    int i = 0;
    for (const struct tree *child = then->child; child; child = child->next, i++) {
        step_down(inner, path, then, child, i);
        compare(changes, inner, child, counterpart(now, child, i));
    }
    i = 0;
    for (const struct tree *child = now->child; child; child = child->next, i++)
        if (!counterpart(then, child, i)) {
            step_down(inner, path, now, child, i);
            compare(changes, inner, NULL, child);
        }
}

static void compare(struct changes *changes, const char *path, const struct tree *then,
                    const struct tree *now)
{
    if (then && now && then->kind == now->kind && then->kind != TREE_SCALAR)
        compare_children(changes, path, then, now);
    else if (!then || !now || then->kind != now->kind || strcmp(then->text, now->text) != 0)
        add(changes, path, then, now);
}

int config_changes(char *text, size_t room, const char *then, const char *now)
{
    struct arena memory = {.limit = 64 << 20};
    struct tree *before, *after;
    struct changes changes = {text, room, 0};
    text[0] = 0;
    if (!yaml_tree_parse(&before, &memory, "then", then, strlen(then), NULL) &&
        !yaml_tree_parse(&after, &memory, "now", now, strlen(now), NULL))
        compare(&changes, "", before, after);
    arena_free(&memory);
    return changes.count;
}
