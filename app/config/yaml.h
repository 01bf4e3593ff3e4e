/* yaml.h: YAML text as a tree of scalars, lists and maps, each with its position in the file.
 *
 * Anchors, aliases and merge keys (<<) work: an alias becomes a copy of its target. Refused, with their position,
 * because no config needs them and attacks use them: nesting beyond 64, more than 65536 values (aliases
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
/* Upper bound on the bytes of a tree of TREE_VALUES values and of what is derived from it */
enum { TREE_MEMORY = 64 << 20 };

struct tree {
    enum tree_kind kind;
    bool quoted;        /* a scalar in quotes or a block: text, never "no value" */
    bool file;          /* of a resolved config: a scalar that is the path of a file */
    bool block;         /* of a resolved config: a group of keys or a list of groups, printed a key a line */
    int line, column;   /* from 1; line 0 = not from a file */
    const char *source; /* file name, "--set key" or an option's name */
    const char *key;    /* its key in the parent map; NULL in a list */
    int key_line, key_column;
    const char *text; /* of a scalar */
    int lead; /* characters from column to the text in the file; -1: the file does not hold it verbatim */
    int children;
    struct tree *child, *last, *next; /* first and last child; next sibling */
};

/* *root <- the tree of text[0 .. length); memory belongs to arena, source is kept by reference. Errors:
 * STATUS_INPUT as source:line:column. */
enum status yaml_tree_parse(struct tree **root, struct arena *arena, const char *source, const char *text,
                            size_t length, struct error *error);

/* The value of that key of a map, or NULL. */
struct tree *yaml_tree_get(const struct tree *map, const char *key);

/* The i-th item of a list, or NULL. */
struct tree *yaml_tree_item(const struct tree *list, int i);

/* A new node without parent; NULL if out of memory. text: a scalar's, unquoted; NULL for other kinds */
struct tree *yaml_tree_new(struct arena *arena, enum tree_kind kind, const char *text);
/* A deep copy that shares the texts; NULL if out of memory */
struct tree *yaml_tree_copy(struct arena *arena, const struct tree *node);
/* Appends `child` to a list (key NULL) or a map. */
void yaml_tree_append(struct tree *parent, const char *key, struct tree *child);
/* Moves the children with these keys to the front of the map, in the order of key[count]. */
void yaml_tree_order(struct tree *map, const char *const *key, int count);

/* Removes the value of that key from the map and returns it; NULL = there is none. */
struct tree *yaml_tree_remove(struct tree *map, const char *key);
/* Shifts the positions in a subtree: all by `lines`, those in its first line also by `columns`. */
void yaml_tree_move(struct tree *node, int lines, int columns);

/* Replaces the value at `path` ("time.step", "stimuli[0].start") by *tree, or adds it: missing maps are created,
 * and an index equal to the list's length appends an item. Errors, and later faults of the key, are reported at
 * the tree's source, key_line and key_column. */
enum status yaml_tree_graft(struct tree *root, struct arena *arena, const char *path, struct tree *tree,
                            struct error *error);

/* The same with the tree of `value` (YAML text). Errors are reported at "--set path". */
enum status yaml_tree_set(struct tree *root, struct arena *arena, const char *path, const char *value,
                          struct error *error);

/* The same with a plain text, not parsed as YAML. Errors are reported at `source`, which is kept by reference. */
enum status yaml_tree_put(struct tree *root, struct arena *arena, const char *source, const char *path,
                          const char *text, struct error *error);

/* A plain scalar without text: "key:", "~", "null". */
bool yaml_tree_is_null(const struct tree *node);

#endif
