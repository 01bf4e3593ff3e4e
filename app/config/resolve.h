/* resolve.h: checks keys against each other once all are read. */
#ifndef CARDIAC_APP_CONFIG_RESOLVE_H
#define CARDIAC_APP_CONFIG_RESOLVE_H

#include "app/config/value.h"

/* Checks what single keys cannot show, fills what depends on other keys, and collects warnings. */
enum status config_resolve(struct reader *reader);

/* Its parts in tissue.c */
enum status resolve_tissue(struct reader *reader);
enum status resolve_stimuli(struct reader *reader);
enum status resolve_conductor(struct reader *reader);

/* Warnings of values that a wrong unit gives (plausible.c) */
void resolve_plausible(struct reader *reader);
/* text <- "; 20 us was meant?" of the value at that path, or ""; returns text */
const char *resolve_unit_hint(char *text, size_t size, const struct reader *reader, const char *path);

#endif
