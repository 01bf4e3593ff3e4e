/* value.h: the values of a config, one by one: each form's reading and writing stand side by side. */
#ifndef CARDIAC_APP_CONFIG_VALUE_H
#define CARDIAC_APP_CONFIG_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/config/keys.h"
#include "app/config/reader.h"

/* base + key->offset <- the value of node. One of several parts also joins reader->stated under the key's path, as it
 * would stand in a config. */
enum status value_read(struct reader *reader, const struct key *key, const struct tree *node,
                       const char *name, void *base);

/* base + key->offset <- "not given": NaN, NULL, 0. */
void value_clear(const struct key *key, void *base);

/* Is there something to write? */
bool value_given(const struct key *key, const void *base, const struct tree *stated);
/* The value as it would stand in a config, in internal units; NULL without memory. Not of KEY_LIST. */
struct tree *value_tree(struct arena *arena, const struct key *key, const void *base,
                        const struct tree *stated);

/* *surface, zeroed before, <- the mark 3, the name `epi`, or the file nodes.txt; false where a number can be no mark */
bool value_surface(struct config_surface *surface, const char *text);

/* text <- the default of a key of KEY_SOLVER; returns it */
enum { VALUE_TEXT = 80 };
const char *value_of_solver(char text[VALUE_TEXT], const struct key *key);

/* Writes it on one line, paths from the root. */
void value_write(FILE *file, const struct tree *node);

/* Those that are one number, choice or text, or a vector of numbers (scalar.c) */

/* base + key->offset <- the value of node. */
enum status scalar_read(struct reader *reader, const struct key *key, const struct tree *node,
                        const char *name, void *base);
bool scalar_given(const struct key *key, const void *base);
struct tree *scalar_tree(struct arena *arena, const struct key *key, const void *base);

/* Values as they would stand in a config; NULL without memory */
struct tree *scalar_number_tree(struct arena *arena, double value, enum quantity quantity);
struct tree *scalar_whole_tree(struct arena *arena, int64_t value);
/* The text is not copied. file: it is a path */
struct tree *scalar_text_tree(struct arena *arena, const char *text, bool file);

/* *value <- a whole number in [low, high], or a text that is not empty */
enum status scalar_read_whole(struct reader *reader, const struct tree *node, const char *name, int64_t low,
                              int64_t high, int64_t *value);
enum status scalar_read_text(struct reader *reader, const struct tree *node, const char *name,
                             const char **value);

/* *where <- an expression of places */
enum status scalar_read_where(struct reader *reader, const struct tree *node, const char *name,
                              enum where_kind kind, const struct where **where);

/* text in quotes unless it is a plain word */
void scalar_write_text(FILE *file, const char *text);

/* The forms with files of their own (fiber_rule.c, cells.c): */

/* tissue's fibres <- the value of node, called `name`, which becomes what would stand in a config */
enum status fiber_rule_read(struct reader *reader, struct tree *node, const char *name,
                            struct config_tissue *tissue);

/* region <- the value of node, called `name`: parameters behind the model, the state behind both */
enum status cells_read_model(struct reader *reader, const struct tree *node, const char *name,
                             struct config_region *region);
enum status cells_read_parameters(struct reader *reader, const struct tree *node, const char *name,
                                  struct config_region *region);
/* Applies tissue.parameters to all regions, which have been read. */
enum status cells_apply_factors(struct reader *reader);
enum status cells_read_initial(struct reader *reader, const struct tree *node, const char *name,
                               struct config_region *region);

/* Whether a parameter has another value than the model's */
bool cells_parameters_given(const struct config_region *region);
/* As they would stand in a config; NULL without memory */
struct tree *cells_parameters_tree(struct arena *arena, const struct config_region *region);
struct tree *cells_initial_tree(struct arena *arena, const struct config_region *region);

#endif
