/* lists.h: values of a config that are more than a number or a text: tags, fibres, models with their
 * parameters, stimulus currents, names and probes. Called by value.c only. */
#ifndef CARDIAC_APP_CONFIG_LISTS_H
#define CARDIAC_APP_CONFIG_LISTS_H

#include "app/config/value.h"

enum status list_read(struct reader *reader, const struct key *key, const struct tree *node, const char *name,
                      void *base);
bool list_given(const struct key *key, const void *base);
void list_write(FILE *file, const struct key *key, const void *base);

/* Of value.c, shared with the lists. */
enum status value_read_whole(struct reader *reader, const struct tree *node, const char *name, int64_t low,
                             int64_t high, int64_t *value);
enum status value_read_text(struct reader *reader, const struct tree *node, const char *name,
                            const char **value);

#endif
