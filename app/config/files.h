/* files.h: the files that a config names. */
#ifndef CARDIAC_APP_CONFIG_FILES_H
#define CARDIAC_APP_CONFIG_FILES_H

#include "app/config/config.h"

/* Calls `visit` for each file path in config->resolved, with its node (which it may change) and its key. Stops
 * at the first error. */
enum status files_each(struct config *config,
                       enum status (*visit)(struct tree *file, const char *key, void *argument,
                                            struct error *error),
                       void *argument, struct error *error);
/* STATUS_INPUT if `output` would overwrite a file that the config names, another file of its mesh, or the
 * config itself */
enum status files_check_output(struct config *config, const char *output, struct error *error);
/* Whether the key of that path names a mesh, which may be several files */
bool files_is_mesh(const char *key);
/* Calls `visit` for each file that a key's value denotes: the path; for a mesh the path with or without ".gz",
 * whichever exists, then the other files of a TetGen or openCARP mesh, sorted by name */
void files_of(const char *path, const char *key, void (*visit)(const char *file, void *argument),
              void *argument);
/* The same for the files in a stored record */
void files_of_record(const struct inputs *record, const char *path, const char *key,
                     void (*visit)(const char *file, void *argument), void *argument);
/* *text <- a line "DIGEST  PATH" (the format of sha256sum) for each file that the config names; unreadable files
 * are omitted. The caller frees it. Errors: STATUS_RUN if out of memory. */
enum status files_record(char **text, struct config *config, struct error *error);

#endif
