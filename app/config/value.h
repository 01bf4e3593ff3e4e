/* value.h: the values of a config, one by one: each form's reading and writing stand side by side. */
#ifndef CARDIAC_APP_CONFIG_VALUE_H
#define CARDIAC_APP_CONFIG_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/config/keys.h"
#include "app/config/reader.h"

/* base + key->offset <- the value of node. */
enum status value_read(struct reader *reader, const struct key *key, const struct tree *node,
                       const char *name, void *base);

/* base + key->offset <- "not given": NaN, NULL, 0. */
void value_clear(const struct key *key, void *base);

/* Is there something to write? */
bool value_given(const struct key *key, const void *base);

/* The value as it would stand in a config, on one line. KEY_LIST is not written here. */
void value_write(FILE *file, const struct key *key, const void *base);

/* Those that are one number, choice or text, or a vector of numbers (scalar.c) */

/* base + key->offset <- the value of node. */
enum status scalar_read(struct reader *reader, const struct key *key, const struct tree *node,
                        const char *name, void *base);
bool scalar_given(const struct key *key, const void *base);
void scalar_write(FILE *file, const struct key *key, const void *base);

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
void scalar_write_vector(FILE *file, const double *vector, size_t size, enum quantity quantity);

/* The forms with files of their own, each read and written there (fiber_rule.c, cells.c): */

/* tissue's fibres <- the value of node, called `name`; and as it would stand in a config */
enum status fiber_rule_read(struct reader *reader, const struct tree *node, const char *name,
                            struct config_tissue *tissue);
void fiber_rule_write(FILE *file, const struct config_tissue *tissue);

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
/* As they would stand in a config; units: with those of the model */
void cells_write_parameters(FILE *file, const struct config_region *region, bool units);
void cells_write_initial(FILE *file, const struct config_region *region);

#endif
