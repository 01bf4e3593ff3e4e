/* value.h: read and write single values of a config; for each form, reader and writer are next to each other. */
#ifndef CARDIAC_APP_CONFIG_VALUE_H
#define CARDIAC_APP_CONFIG_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/config/keys.h"
#include "app/config/reader.h"

/* base + key->offset <- the value of node. A value of several parts is also added to reader->stated under the key's
 * path, as a config would write it. */
enum status value_read(struct reader *reader, const struct key *key, const struct tree *node,
                       const char *name, void *base);

/* base + key->offset <- "not given": NaN, NULL, 0. */
void value_clear(const struct key *key, void *base);

/* Whether the key has a value to write */
bool value_given(const struct key *key, const void *base, const struct tree *stated);
/* The value as a config would write it, in internal units; NULL if out of memory. Not for KEY_LIST. */
struct tree *value_tree(struct arena *arena, const struct key *key, const void *base,
                        const struct tree *stated);

/* *surface (zeroed by the caller) <- a mark (3), a name (epi) or a node list (nodes.txt); false if text is a number
 * that cannot be a mark */
bool value_surface(struct config_surface *surface, const char *text);

/* text <- the default of a key whose fallback is KEY_SOLVER; returns text */
enum { VALUE_TEXT = 80 };
const char *value_of_solver(char text[VALUE_TEXT], const struct key *key);

/* Writes the value on one line, paths as absolute ones. */
void value_write(FILE *file, const struct tree *node);

/* Values that are one number, choice or text, or a vector of numbers (scalar.c) */

/* base + key->offset <- the value of node. */
enum status scalar_read(struct reader *reader, const struct key *key, const struct tree *node,
                        const char *name, void *base);
bool scalar_given(const struct key *key, const void *base);
struct tree *scalar_tree(struct arena *arena, const struct key *key, const void *base);

/* Values as a config would write them; NULL if out of memory */
struct tree *scalar_number_tree(struct arena *arena, double value, enum quantity quantity);
struct tree *scalar_whole_tree(struct arena *arena, int64_t value);
/* The text is not copied. file: the text is a path */
struct tree *scalar_text_tree(struct arena *arena, const char *text, bool file);

/* *value <- a whole number in [low, high], or a text that is not empty */
enum status scalar_read_whole(struct reader *reader, const struct tree *node, const char *name, int64_t low,
                              int64_t high, int64_t *value);
enum status scalar_read_text(struct reader *reader, const struct tree *node, const char *name,
                             const char **value);

/* *where <- the expression in node */
enum status scalar_read_where(struct reader *reader, const struct tree *node, const char *name,
                              enum where_kind kind, const struct where **where);

/* Writes text, quoted unless it is a plain word. */
void scalar_write_text(FILE *file, const char *text);

/* The forms with files of their own (fiber_rule.c, cells.c): */

/* The tissue's fibres <- the value of node, called `name`; node is completed with the defaults */
enum status fiber_rule_read(struct reader *reader, struct tree *node, const char *name,
                            struct config_tissue *tissue);

/* region <- the value of node, called `name`. Read the model first, then parameters, then the initial state. */
enum status cells_read_model(struct reader *reader, const struct tree *node, const char *name,
                             struct config_region *region);
enum status cells_read_parameters(struct reader *reader, const struct tree *node, const char *name,
                                  struct config_region *region);
/* Applies tissue.parameters to all regions, once these have been read. */
enum status cells_apply_factors(struct reader *reader);
enum status cells_read_initial(struct reader *reader, const struct tree *node, const char *name,
                               struct config_region *region);

/* Whether any parameter differs from the model's default */
bool cells_parameters_given(const struct config_region *region);
/* Parameters and initial state as a config would write them; NULL if out of memory */
struct tree *cells_parameters_tree(struct arena *arena, const struct config_region *region);
struct tree *cells_initial_tree(struct arena *arena, const struct config_region *region);

#endif
