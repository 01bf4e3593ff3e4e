/* yaml.c: build a tree from libyaml's events, and replace single values in it. */
#include "app/config/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "app/util/text_media.h"
#include "kernels/base/array.h"

enum { TREE_ANCHORS = 1000, MERGE_WORK = 4000000 };

struct anchor {
    char *name;
    const struct tree *node; /* NULL while the anchored value is still open */
    struct anchor *next;
};

struct builder {
    struct arena *arena;
    struct error *error;
    const char *source;
    yaml_parser_t *parser;
    struct tree *open[TREE_DEPTH]; /* lists and maps that are not closed yet, outermost first */
    struct anchor *open_anchor[TREE_DEPTH];
    int depth;
    const char *key; /* last key read in the innermost map; its value comes next */
    int key_line, key_column;
    struct anchor *anchors; /* newest first */
    int values, anchor_count;
    long merge_work; /* keys compared for "<<"; bounded */
    struct tree *root;
};

static enum status refuse(struct builder *builder, yaml_mark_t mark, const char *what)
{
    return error_at(builder->error, STATUS_INPUT, builder->source, (int)mark.line + 1, (int)mark.column + 1,
                    "%s", what);
}

/* Adds a node to the innermost open list or map, there under builder->key. */
static enum status add(struct builder *builder, struct tree **out, enum tree_kind kind, yaml_mark_t mark)
{
    if (++builder->values > TREE_VALUES)
        return refuse(builder, mark, "too many values (aliases counted as often as they are used)");
    struct tree *node = arena_allocate(builder->arena, 1, sizeof *node);
    if (!node)
        return error_memory(builder->error, "the config", sizeof *node);
    *node = (struct tree){.kind = kind,
                          .source = builder->source,
                          .line = (int)mark.line + 1,
                          .column = (int)mark.column + 1,
                          .key = builder->key,
                          .key_line = builder->key_line,
                          .key_column = builder->key_column};
    builder->key = NULL;
    struct tree *parent = builder->depth ? builder->open[builder->depth - 1] : NULL;
    if (!parent)
        builder->root = node;
    else
        yaml_tree_append(parent, node->key, node);
    *out = node;
    return STATUS_OK;
}

static enum status name_anchor(struct builder *builder, const yaml_char_t *name, const struct tree *node,
                               struct anchor **out)
{
    *out = NULL;
    if (!name)
        return STATUS_OK;
    if (++builder->anchor_count > TREE_ANCHORS)
        return error_at(builder->error, STATUS_INPUT, builder->source, 0, 0, "more than %d anchors",
                        TREE_ANCHORS);
    struct anchor *anchor = arena_allocate(builder->arena, 1, sizeof *anchor);
    char *copy = arena_text(builder->arena, (const char *)name, strlen((const char *)name));
    if (!anchor || !copy)
        return error_memory(builder->error, "the config", sizeof *anchor);
    *anchor = (struct anchor){copy, node, builder->anchors};
    builder->anchors = anchor;
    *out = anchor;
    return STATUS_OK;
}

static void wait_for_value(struct builder *builder, const char *key, int line, int column)
{
    builder->key = key;
    builder->key_line = line;
    builder->key_column = column;
}

static bool expects_key(const struct builder *builder)
{
    return builder->depth && builder->open[builder->depth - 1]->kind == TREE_MAP && !builder->key;
}

/* Characters between a scalar's mark and its text: 0, or 1 for a quote; -1 if the text is folded or escaped */
static int lead_of(const yaml_event_t *event, const char *text)
{
    size_t characters = 0, quote = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1;
    for (; *text; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    bool same = event->start_mark.line == event->end_mark.line &&
                event->end_mark.column - event->start_mark.column == characters + 2 * quote;
    return same ? (int)quote : -1;
}

static enum status on_scalar(struct builder *builder, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    yaml_mark_t mark = event->start_mark;
    if (length > TREE_SCALAR_BYTES)
        return refuse(builder, mark, "a value of more than 64 KiB");
    if (memchr(text, 0, length))
        return refuse(builder, mark, "a value with a NUL character");
    if (event->data.scalar.tag)
        return refuse(builder, mark, "YAML tags (such as !!str) are not used in a config");
    char *copy = arena_text(builder->arena, text, length);
    if (!copy)
        return error_memory(builder->error, "the config", (double)length);
    if (expects_key(builder)) {
        if (event->data.scalar.anchor)
            return refuse(builder, mark, "an anchor on a key");
        wait_for_value(builder, copy, (int)mark.line + 1, (int)mark.column + 1);
        return STATUS_OK;
    }
    struct tree *node = NULL;
    struct anchor *anchor = NULL;
    TRY(add(builder, &node, TREE_SCALAR, mark));
    node->text = copy;
    node->lead = lead_of(event, copy);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return name_anchor(builder, event->data.scalar.anchor, node, &anchor);
}

static enum status on_open(struct builder *builder, enum tree_kind kind, const yaml_char_t *anchor_name,
                           const yaml_char_t *tag, yaml_mark_t mark)
{
    if (expects_key(builder))
        return refuse(builder, mark, "a key must be a name, not a list or a map");
    if (tag)
        return refuse(builder, mark, "YAML tags (such as !!map) are not used in a config");
    if (builder->depth == TREE_DEPTH)
        return refuse(builder, mark, "nested too deeply (more than 64 levels)");
    struct tree *node = NULL;
    struct anchor *anchor = NULL;
    TRY(add(builder, &node, kind, mark));
    TRY(name_anchor(builder, anchor_name, NULL, &anchor));
    builder->open[builder->depth] = node;
    builder->open_anchor[builder->depth++] = anchor;
    return STATUS_OK;
}

/* Adds a deep copy of node as the next value; positions remain those of the anchored text. */
static enum status add_copy(struct builder *builder, const struct tree *node, yaml_mark_t mark)
{
    struct tree *copy = NULL;
    enum status status = add(builder, &copy, node->kind, mark);
    if (status)
        return status;
    copy->quoted = node->quoted;
    copy->text = node->text;
    copy->lead = node->lead;
    copy->line = node->line;
    copy->column = node->column;
    if (node->kind == TREE_SCALAR)
        return STATUS_OK;
    if (builder->depth == TREE_DEPTH)
        return refuse(builder, mark, "nested too deeply (more than 64 levels)");
    builder->open[builder->depth++] = copy;
    for (const struct tree *child = node->child; child && !status; child = child->next) {
        wait_for_value(builder, child->key, child->key_line, child->key_column);
        status = add_copy(builder, child, mark);
    }
    builder->depth--;
    return status;
}

static enum status on_alias(struct builder *builder, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    if (expects_key(builder))
        return refuse(builder, event->start_mark, "a key must be a name, not an alias");
    const struct anchor *anchor = builder->anchors;
    while (anchor && strcmp(anchor->name, name) != 0)
        anchor = anchor->next;
    if (!anchor || !anchor->node)
        return error_at(builder->error, STATUS_INPUT, builder->source, (int)event->start_mark.line + 1,
                        (int)event->start_mark.column + 1,
                        anchor ? "alias '*%.40s' is inside its own anchor" : "no anchor '&%.40s' before this",
                        name);
    return add_copy(builder, anchor->node, event->start_mark);
}

static int by_key(const void *a, const void *b)
{
    const struct tree *x = *(struct tree *const *)a, *y = *(struct tree *const *)b;
    int order = strcmp(x->key, y->key);
    if (order)
        return order;
    return x->key_line != y->key_line ? x->key_line - y->key_line : x->key_column - y->key_column;
}

static enum status refuse_duplicates(struct builder *builder, const struct tree *map)
{
    size_t n = (size_t)map->children;
    if (n < 2)
        return STATUS_OK;
    enum status status = STATUS_OK;
    const struct tree **sorted = array_new((int64_t)n, sizeof *sorted, "the config", &status, builder->error);
    if (status)
        return status;
    size_t filled = 0;
    for (const struct tree *child = map->child; child; child = child->next)
        sorted[filled++] = child;
    qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 1; i < n && !status; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            status = error_at(builder->error, STATUS_INPUT, builder->source, sorted[i]->key_line,
                              sorted[i]->key_column, "key '%.80s' is given twice (first in line %d)",
                              sorted[i]->key, sorted[i - 1]->key_line);
    free(sorted);
    return status;
}

/* Appends to map the entries of source (a map) that map does not have. */
static enum status merge_map(struct builder *builder, struct tree *map, const struct tree *source,
                             yaml_mark_t mark)
{
    if (source->kind != TREE_MAP)
        return refuse(builder, mark, "'<<' merges maps only (an alias of a map, or a list of them)");
    for (const struct tree *child = source->child; child; child = child->next)
        if ((builder->merge_work += map->children) > MERGE_WORK)
            return refuse(builder, mark, "'<<' merges too large maps");
        else if (!yaml_tree_get(map, child->key)) {
            wait_for_value(builder, child->key, child->key_line, child->key_column);
            TRY(add_copy(builder, child, mark));
        }
    return STATUS_OK;
}

/* Removes "<<" from map, if present, and merges the maps that it names. The map must be the innermost open one. */
static enum status merge(struct builder *builder, struct tree *map, yaml_mark_t mark)
{
    const struct tree *merged = yaml_tree_remove(map, "<<");
    if (!merged)
        return STATUS_OK;
    if (merged->kind != TREE_LIST)
        return merge_map(builder, map, merged, mark);
    for (const struct tree *item = merged->child; item; item = item->next)
        TRY(merge_map(builder, map, item, mark));
    return STATUS_OK;
}

static enum status on_close(struct builder *builder, yaml_mark_t mark)
{
    struct tree *node = builder->open[builder->depth - 1];
    if (node->kind == TREE_MAP) {
        TRY(refuse_duplicates(builder, node));
        TRY(merge(builder, node, mark));
    }
    builder->depth--;
    if (builder->open_anchor[builder->depth])
        builder->open_anchor[builder->depth]->node = node;
    return STATUS_OK;
}

static enum status on_event(struct builder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(builder, TREE_LIST, event->data.sequence_start.anchor, event->data.sequence_start.tag,
                       event->start_mark);
    case YAML_MAPPING_START_EVENT:
        return on_open(builder, TREE_MAP, event->data.mapping_start.anchor, event->data.mapping_start.tag,
                       event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(builder, event->start_mark);
    case YAML_ALIAS_EVENT:
        return on_alias(builder, event);
    case YAML_DOCUMENT_START_EVENT:
        if (builder->root)
            return refuse(builder, event->start_mark, "a second document begins here; a config is one");
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

/* Whether the mark is at a bracket right after a name, as in {stimuli[0].start: 1 ms} */
static bool is_index(const char *text, size_t length, yaml_mark_t mark)
{
    const char *at = text, *const end = text + length;
    for (size_t line = 0; line < mark.line && at; line++)
        at = (at = memchr(at, '\n', (size_t)(end - at))) ? at + 1 : NULL;
    for (size_t column = 0; at && at < end && column < mark.column; at++)
        column += at + 1 >= end || ((unsigned char)at[1] & 0xc0) != 0x80;
    return at && at > text && at < end && *at == '[' && (unsigned char)at[-1] > ' ';
}

/* Reports libyaml's error. For a bad byte libyaml gives only an offset, so lines are counted here. */
static enum status syntax_error(struct builder *builder, const char *text, size_t length)
{
    yaml_parser_t *parser = builder->parser;
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_MEMORY_ERROR)
        return error_set(builder->error, STATUS_RUN, "out of memory while reading %s", builder->source);
    if (parser->error == YAML_READER_ERROR) {
        mark = (yaml_mark_t){0};
        for (size_t i = 0; i < parser->problem_offset && i < length; i++) {
            mark.column = text[i] == '\n' ? 0 : mark.column + 1;
            mark.line += text[i] == '\n';
        }
        return error_at(builder->error, STATUS_INPUT, builder->source, (int)mark.line + 1,
                        (int)mark.column + 1, "not UTF-8 text (%s)", parser->problem);
    }
    if (parser->context && strstr(parser->context, "flow mapping") && is_index(text, length, mark))
        return refuse(builder, mark,
                      "inside { }, a name with an index requires quotes: {\"stimuli[0].start\": ..}");
    return error_at(builder->error, STATUS_INPUT, builder->source, (int)mark.line + 1, (int)mark.column + 1,
                    "not valid YAML: %s%s%s%s", parser->problem ? parser->problem : "unknown error",
                    parser->context ? " " : "", parser->context ? parser->context : "",
                    parser->context && strstr(parser->context, "alias")
                        ? "; a text that begins with * requires quotes; a factor is written x0.5"
                        : "");
}

static enum status read_events(struct builder *builder, const char *text, size_t length)
{
    enum status status = STATUS_OK;
    for (bool more = true; more && !status;) {
        yaml_event_t event;
        if (!yaml_parser_parse(builder->parser, &event))
            return syntax_error(builder, text, length);
        status = on_event(builder, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return status;
}

enum status yaml_tree_parse(struct tree **root, struct arena *arena, const char *source, const char *text,
                            size_t length, struct error *error)
{
    yaml_parser_t parser;
    struct builder builder = {.arena = arena, .error = error, .source = source, .parser = &parser};
    *root = NULL;
    if (length > TREE_TEXT_BYTES)
        return error_at(error, STATUS_INPUT, source, 0, 0, "larger than 1 MiB; this is not a config");
    if (!yaml_parser_initialize(&parser))
        return error_memory(error, "the YAML parser", sizeof parser);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    enum status status = read_events(&builder, text, length);
    yaml_parser_delete(&parser);
    if (!status && !builder.root)
        status = error_at(error, STATUS_INPUT, source, 0, 0, "nothing in it");
    *root = builder.root;
    return status;
}

struct tree *yaml_tree_get(const struct tree *map, const char *key)
{
    if (!map || map->kind != TREE_MAP)
        return NULL;
    struct tree *child = map->child;
    while (child && strcmp(child->key, key) != 0)
        child = child->next;
    return child;
}

struct tree *yaml_tree_item(const struct tree *list, int i)
{
    if (!list || list->kind != TREE_LIST)
        return NULL;
    struct tree *child = list->child;
    while (child && i-- > 0)
        child = child->next;
    return child;
}

struct tree *yaml_tree_new(struct arena *arena, enum tree_kind kind, const char *text)
{
    struct tree *node = arena_allocate(arena, 1, sizeof *node);
    if (node)
        *node = (struct tree){.kind = kind, .text = text};
    return node;
}

void yaml_tree_append(struct tree *parent, const char *key, struct tree *child)
{
    child->key = key;
    child->next = NULL;
    *(parent->last ? &parent->last->next : &parent->child) = child;
    parent->last = child;
    parent->children++;
}

struct tree *yaml_tree_copy(struct arena *arena, const struct tree *node)
{
    struct tree *copy = yaml_tree_new(arena, node->kind, node->text);
    if (!copy)
        return NULL;
    *copy = *node;
    copy->child = copy->last = copy->next = NULL;
    copy->children = 0;
    for (const struct tree *child = node->child; child; child = child->next) {
        struct tree *inner = yaml_tree_copy(arena, child);
        if (!inner)
            return NULL;
        yaml_tree_append(copy, child->key, inner);
    }
    return copy;
}

void yaml_tree_order(struct tree *map, const char *const *key, int count)
{
    while (count-- > 0) {
        struct tree *node = yaml_tree_remove(map, key[count]);
        if (!node)
            continue;
        node->next = map->child;
        map->child = node;
        map->last = map->last ? map->last : node;
        map->children++;
    }
}

bool yaml_tree_is_null(const struct tree *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; node->kind == TREE_SCALAR && !node->quoted && i < sizeof words / sizeof *words; i++)
        if (strcmp(node->text, words[i]) == 0)
            return true;
    return false;
}

struct tree *yaml_tree_remove(struct tree *map, const char *key)
{
    struct tree *node = yaml_tree_get(map, key), *before = NULL;
    if (!node)
        return NULL;
    for (struct tree *child = map->child; child != node; child = child->next)
        before = child;
    *(before ? &before->next : &map->child) = node->next;
    if (map->last == node)
        map->last = before;
    map->children--;
    node->next = NULL;
    return node;
}

void yaml_tree_move(struct tree *node, int lines, int columns)
{
    node->column += node->line == 1 ? columns : 0;
    node->key_column += node->key_line == 1 ? columns : 0;
    node->line += lines;
    node->key_line += lines;
    for (struct tree *child = node->child; child; child = child->next)
        yaml_tree_move(child, lines, columns);
}

struct step {
    const char *key; /* NULL: an index */
    int index;
};

/* Reads the next step of *path, "name" or "[3]", and advances *path past it. origin: position of the key, for
 * errors */
static enum status next_step(struct step *step, const char **path, struct arena *arena,
                             const struct tree *origin, struct error *error)
{
    const char *at = *path;
    if (*at == '[') {
        char *end;
        size_t digits = strspn(at + 1, "0123456789");
        step->key = NULL;
        step->index = digits && digits < 7 ? (int)strtol(at + 1, &end, 10) : -1;
        if (step->index < 0 || at[1 + digits] != ']')
            return error_at(error, STATUS_INPUT, origin->source, origin->key_line, origin->key_column,
                            "an index is written [0], [1], ..., one item at a time");
        at += digits + 2;
    } else {
        size_t length = strcspn(at, ".[");
        if (length == 0)
            return error_at(error, STATUS_INPUT, origin->source, origin->key_line, origin->key_column,
                            "not a key (expected something like time.step or stimuli[0].start)");
        step->key = arena_text(arena, at, length);
        if (!step->key)
            return error_memory(error, "--set", (double)length);
        at += length;
    }
    if (*at == '.' && at[1])
        at++;
    else if (*at && *at != '[')
        return error_at(error, STATUS_INPUT, origin->source, origin->key_line, origin->key_column,
                        "not a key (expected '.' or '[' before '%.20s')", at);
    *path = at;
    return STATUS_OK;
}

/* Appends an empty value to a list or map. */
static struct tree *append_node(struct tree *parent, struct arena *arena, const struct tree *origin,
                                const char *key)
{
    struct tree *node = arena_allocate(arena, 1, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct tree){.kind = TREE_SCALAR,
                          .source = origin->source,
                          .line = origin->key_line,
                          .column = origin->key_column,
                          .key = key,
                          .key_line = origin->key_line,
                          .key_column = origin->key_column,
                          .text = ""};
    yaml_tree_append(parent, key, node);
    return node;
}

static enum status descend_path(struct tree **node, const struct step *step, struct arena *arena,
                                const struct tree *origin, struct error *error)
{
    struct tree *parent = *node;
    enum tree_kind wanted = step->key ? TREE_MAP : TREE_LIST;
    if (yaml_tree_is_null(parent)) {
        parent->kind = wanted;
        parent->text = NULL;
    }
    if (parent->kind != wanted)
        return error_at(error, STATUS_INPUT, origin->source, origin->key_line, origin->key_column,
                        "'%.40s' is not a %s", parent->key ? parent->key : "the value around it",
                        step->key ? "map" : "list");
    *node = step->key ? yaml_tree_get(parent, step->key) : yaml_tree_item(parent, step->index);
    if (!*node && !step->key && step->index > parent->children)
        return error_at(error, STATUS_INPUT, origin->source, origin->key_line, origin->key_column,
                        "there is no item [%d]; the list has %d", step->index, parent->children);
    if (!*node)
        *node = append_node(parent, arena, origin, step->key);
    return *node ? STATUS_OK : error_memory(error, "--set", sizeof **node);
}

/* Clears the positions of a value from the command line: its key identifies it. */
static void forget_origins(struct tree *node)
{
    node->line = node->column = node->key_line = node->key_column = 0;
    for (struct tree *child = node->child; child; child = child->next)
        forget_origins(child);
}

enum status yaml_tree_graft(struct tree *root, struct arena *arena, const char *path, struct tree *tree,
                            struct error *error)
{
    const struct tree origin = *tree;
    const char *rest = path;
    struct tree *node = root;
    int steps = 0;
    if (!text_is_utf8(path))
        return error_at(error, STATUS_INPUT, origin.source, origin.key_line, origin.key_column,
                        "a key that is not UTF-8 text");
    do {
        struct step step = {0};
        if (++steps > TREE_DEPTH)
            return error_at(error, STATUS_INPUT, origin.source, origin.key_line, origin.key_column,
                            "nested too deeply");
        TRY(next_step(&step, &rest, arena, &origin, error));
        TRY(descend_path(&node, &step, arena, &origin, error));
    } while (*rest);
    tree->key = node->key;
    tree->next = node->next;
    *node = *tree;
    return STATUS_OK;
}

enum status yaml_tree_set(struct tree *root, struct arena *arena, const char *path, const char *value,
                          struct error *error)
{
    if (!text_is_utf8(path))
        return error_at(error, STATUS_INPUT, "--set", 0, 0, "a key that is not UTF-8 text");
    const char *source = arena_print(arena, "--set %.200s", path);
    if (!source)
        return error_memory(error, "--set", 0);
    struct tree *tree;
    TRY(yaml_tree_parse(&tree, arena, source, value, strlen(value), error));
    forget_origins(tree);
    return yaml_tree_graft(root, arena, path, tree, error);
}

enum status yaml_tree_put(struct tree *root, struct arena *arena, const char *source, const char *path,
                          const char *text, struct error *error)
{
    if (!text_is_utf8(text))
        return error_at(error, STATUS_INPUT, source, 0, 0, "not UTF-8 text");
    struct tree tree = {.kind = TREE_SCALAR, .quoted = true, .source = source};
    tree.text = arena_text(arena, text, strlen(text));
    return tree.text ? yaml_tree_graft(root, arena, path, &tree, error)
                     : error_memory(error, source, (double)strlen(text));
}
