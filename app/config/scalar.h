/* scalar.h: a value of a config that is one number, choice or text, or a vector of numbers. */
#ifndef CARDIAC_APP_CONFIG_SCALAR_H
#define CARDIAC_APP_CONFIG_SCALAR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/config/keys.h"
#include "app/config/reader.h"

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

#endif
