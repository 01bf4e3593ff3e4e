/* files.h: the files that a config names. */
#ifndef CARDIAC_APP_CONFIG_FILES_H
#define CARDIAC_APP_CONFIG_FILES_H

#include "app/config/config.h"

/* Calls `visit` for each path of a file in config->resolved, whose node it may change, and the key that it belongs to. Ends
 * with the first error. */
enum status files_each(struct config *config,
                       enum status (*visit)(struct tree *file, const char *key, void *argument,
                                            struct error *error),
                       void *argument, struct error *error);
/* STATUS_INPUT if a file that is to be written is one that the config names, another file of its mesh, or the
 * config itself */
enum status files_check_output(struct config *config, const char *output, struct error *error);
/* Whether the key of that path names a mesh, which may be several files */
bool files_is_mesh(const char *key);
/* Calls `visit` for the files of a key with that value: the path itself, or the path with or without ".gz" where a mesh is
 * there, and the other files of a mesh, those of TetGen and openCARP, in the order of their names */
void files_of(const char *path, const char *key, void (*visit)(const char *file, void *argument),
              void *argument);
/* The same of the files that a stored record lists */
void files_of_record(const struct inputs *record, const char *path, const char *key,
                     void (*visit)(const char *file, void *argument), void *argument);
/* *text <- a line "DIGEST  PATH" for each file that the config names, as sha256sum prints them, to be freed; those that
 * cannot be read are left out. Errors: STATUS_RUN without memory. */
enum status files_record(char **text, struct config *config, struct error *error);

#endif
