/* yaml_set.c: one value put into a tree by its path, as `--set path=value` and `--output DIR` do. */
#include "app/config/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "app/util/utf8.h"

struct step {
    const char *key; /* NULL: an index */
    int index;
};

/* The next step at *path, which is moved behind it: "name" or "[3]". */
static enum status next_step(struct step *step, const char **path, struct arena *arena, const char *source,
                             struct error *error)
{
    const char *at = *path;
    if (*at == '[') {
        char *end;
        size_t digits = strspn(at + 1, "0123456789");
        step->key = NULL;
        step->index = digits && digits < 7 ? (int)strtol(at + 1, &end, 10) : -1;
        if (step->index < 0 || at[1 + digits] != ']')
            return error_at(error, STATUS_INPUT, source, 0, 0, "an index is written [0], [1], ...");
        at += digits + 2;
    } else {
        size_t length = strcspn(at, ".[");
        if (length == 0)
            return error_at(error, STATUS_INPUT, source, 0, 0,
                            "not a key (expected something like solver.theta or stimuli[0].start)");
        step->key = arena_text(arena, at, length);
        if (!step->key)
            return error_memory(error, "--set", (double)length);
        at += length;
    }
    if (*at == '.' && at[1])
        at++;
    else if (*at && *at != '[')
        return error_at(error, STATUS_INPUT, source, 0, 0, "not a key (expected '.' or '[' before '%.20s')",
                        at);
    *path = at;
    return STATUS_OK;
}

/* An empty value at the end of a list or map. */
static struct tree *append(struct tree *parent, struct arena *arena, const char *source, const char *key)
{
    struct tree *node = arena_take(arena, 1, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct tree){.kind = TREE_SCALAR, .source = source, .key = key, .text = ""};
    *(parent->last ? &parent->last->next : &parent->child) = node;
    parent->last = node;
    parent->children++;
    return node;
}

static enum status descend(struct tree **node, const struct step *step, struct arena *arena,
                           const char *source, struct error *error)
{
    struct tree *parent = *node;
    enum tree_kind wanted = step->key ? TREE_MAP : TREE_LIST;
    if (yaml_tree_is_null(parent)) {
        parent->kind = wanted;
        parent->text = NULL;
    }
    if (parent->kind != wanted)
        return error_at(error, STATUS_INPUT, source, 0, 0, "'%.40s' is not a %s",
                        parent->key ? parent->key : "the value around it", step->key ? "map" : "list");
    *node = step->key ? yaml_tree_get(parent, step->key) : yaml_tree_item(parent, step->index);
    if (!*node && !step->key && step->index > parent->children)
        return error_at(error, STATUS_INPUT, source, 0, 0, "there is no item [%d]; the list has %d",
                        step->index, parent->children);
    if (!*node)
        *node = append(parent, arena, source, step->key);
    return *node ? STATUS_OK : error_memory(error, "--set", sizeof **node);
}

/* Values of the command line have no line: the key says enough. */
static void forget_places(struct tree *node)
{
    node->line = node->column = node->key_line = node->key_column = 0;
    for (struct tree *child = node->child; child; child = child->next)
        forget_places(child);
}

/* What stands at `path` becomes *tree. */
static enum status replace(struct tree *node, struct arena *arena, const char *source, const char *path,
                           struct tree *tree, struct error *error)
{
    const char *rest = path;
    int steps = 0;
    do {
        struct step step = {0};
        if (++steps > TREE_DEPTH)
            return error_at(error, STATUS_INPUT, source, 0, 0, "nested too deeply");
        enum status status = next_step(&step, &rest, arena, source, error);
        AND(descend(&node, &step, arena, source, error));
        if (status)
            return status;
    } while (*rest);
    tree->key = node->key;
    tree->next = node->next;
    *node = *tree;
    return STATUS_OK;
}

enum status yaml_tree_set(struct tree *root, struct arena *arena, const char *path, const char *value,
                          struct error *error)
{
    const char *source = arena_print(arena, "--set %.200s", path);
    if (!source)
        return error_memory(error, "--set", 0);
    struct tree *tree;
    enum status status = yaml_tree_parse(&tree, arena, source, value, strlen(value), error);
    if (status)
        return status;
    forget_places(tree);
    if (!utf8_is(path))
        return error_at(error, STATUS_INPUT, "--set", 0, 0, "a key that is not UTF-8 text");
    return replace(root, arena, source, path, tree, error);
}

enum status yaml_tree_put(struct tree *root, struct arena *arena, const char *source, const char *path,
                          const char *text, struct error *error)
{
    if (!utf8_is(text))
        return error_at(error, STATUS_INPUT, source, 0, 0, "not UTF-8 text");
    struct tree tree = {.kind = TREE_SCALAR, .quoted = true, .source = source};
    tree.text = arena_text(arena, text, strlen(text));
    return tree.text ? replace(root, arena, source, path, &tree, error)
                     : error_memory(error, source, (double)strlen(text));
}
