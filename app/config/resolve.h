/* resolve.h: one key against another, once all are read. */
#ifndef CARDIAC_APP_CONFIG_RESOLVE_H
#define CARDIAC_APP_CONFIG_RESOLVE_H

#include "app/config/value.h"

/* Checks what single keys cannot show, fills what depends on other keys, and collects warnings. */
enum status config_resolve(struct reader *reader);

/* Their parts: resolve.c (mesh, time, solver, output) and tissue.c (tissue, stimuli). */
enum status resolve_tissue(struct reader *reader);
enum status resolve_stimuli(struct reader *reader);

/* The error of the key at that path, marked in the file as near to it as can be. */
enum status resolve_error(struct reader *reader, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One more line of config->warning. */
enum status resolve_warning(struct reader *reader, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool resolve_given(const struct reader *reader, const char *path);

#endif
