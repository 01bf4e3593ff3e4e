/* files.h: the files that a config names. */
#ifndef CARDIAC_APP_CONFIG_FILES_H
#define CARDIAC_APP_CONFIG_FILES_H

#include "app/config/config.h"

/* Calls `visit` for the path of each file that the config names; it may set another path, which must live as
 * long as the config. Ends with the first error. */
enum status files_each(struct config *config,
                       enum status (*visit)(const char **path, const char *key, void *argument,
                                            struct error *error),
                       void *argument, struct error *error);
/* STATUS_INPUT if a file that is to be written is one that the config names, another file of its mesh, or the
 * config itself */
enum status files_check_output(struct config *config, const char *output, struct error *error);
/* Whether the key of that path names a mesh, which may be several files */
bool files_is_mesh(const char *key);
/* Calls `visit` for the other files of a mesh whose file lies at `path`, in the order of their names: those
 * of TetGen and openCARP. */
void files_each_sibling(const char *path, void (*visit)(const char *sibling, void *argument), void *argument);

#endif
