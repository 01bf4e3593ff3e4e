/* yaml.h: YAML text as a tree of scalars, lists and maps, each with its position in the file.
 *
 * Anchors, aliases and merge keys (<<) work: an alias becomes a copy of its target. Refused with their place,
 * since no config needs them and attacks use them: nesting beyond 64, more than 65536 values (aliases
 * expanded), scalars beyond 64 KiB, text beyond 1 MiB, several documents, tags, text that is not UTF-8,
 * duplicate keys. */
#ifndef CARDIAC_APP_CONFIG_YAML_H
#define CARDIAC_APP_CONFIG_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP };

enum { TREE_DEPTH = 64, TREE_VALUES = 65536, TREE_SCALAR_BYTES = 65536, TREE_TEXT_BYTES = 1 << 20 };
/* Bytes of memory that suffice for a text of that many values and what is made of it */
enum { TREE_MEMORY = 64 << 20 };

struct tree {
    enum tree_kind kind;
    bool quoted;        /* a scalar in quotes or a block: text, never "no value" */
    bool file;          /* of a resolved config: a scalar that is the path of a file */
    bool block;         /* of a resolved config: a group of keys, or a list of groups, a key a line */
    int line, column;   /* from 1; line 0 = not from a file */
    const char *source; /* file name, "--set key" or an option's name */
    const char *key;    /* its name in the map around it; NULL in a list */
    int key_line, key_column;
    const char *text; /* of a scalar */
    int lead; /* characters between column and the text, which the file holds as it is; -1: it does not */
    int children;
    struct tree *child, *last, *next; /* first and last child; next in the list or map around it */
};

/* *root <- the tree of text[0 .. length); memory belongs to arena, source is kept by reference. Errors:
 * STATUS_INPUT as source:line:column. */
enum status yaml_tree_parse(struct tree **root, struct arena *arena, const char *source, const char *text,
                            size_t length, struct error *error);

/* The value of that key of a map, or NULL. */
struct tree *yaml_tree_get(const struct tree *map, const char *key);

/* The i-th item of a list, or NULL. */
struct tree *yaml_tree_item(const struct tree *list, int i);

/* A node of no tree; NULL without memory. text: of a scalar, as it stands outside quotes; else NULL */
struct tree *yaml_tree_new(struct arena *arena, enum tree_kind kind, const char *text);
/* A copy with all below it, whose texts are shared; NULL without memory */
struct tree *yaml_tree_copy(struct arena *arena, const struct tree *node);
/* `child` becomes the last one of a list (key NULL) or a map. */
void yaml_tree_append(struct tree *parent, const char *key, struct tree *child);
/* The children of a map with these [count] keys come first, in this order. */
void yaml_tree_order(struct tree *map, const char *const *key, int count);

/* Removes the value of that key from the map and returns it; NULL = there is none. */
struct tree *yaml_tree_remove(struct tree *map, const char *key);
/* Moves the places of a text that begins so many lines, and its first line so many columns, further on */
void yaml_tree_move(struct tree *node, int lines, int columns);

/* What stands at `path` ("time.step", "stimuli[0].start") is replaced by *tree, or added: maps are made on
 * the way, and items appended when an index is the list's length. Errors, and those found later in the key,
 * are marked with the tree's source, key_line and key_column. */
enum status yaml_tree_graft(struct tree *root, struct arena *arena, const char *path, struct tree *tree,
                            struct error *error);

/* The same with the tree of `value` (YAML text). Errors are marked "--set path". */
enum status yaml_tree_set(struct tree *root, struct arena *arena, const char *path, const char *value,
                          struct error *error);

/* The same with a text that is not read as YAML. Errors are marked with the source, which is kept by
 * reference. */
enum status yaml_tree_put(struct tree *root, struct arena *arena, const char *source, const char *path,
                          const char *text, struct error *error);

/* A plain scalar without text: "key:", "~", "null". */
bool yaml_tree_is_null(const struct tree *node);

#endif
