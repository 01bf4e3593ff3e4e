/* path.h: the parts of a path. */
#ifndef CARDIAC_APP_UTIL_PATH_H
#define CARDIAC_APP_UTIL_PATH_H

#include <stdbool.h>

/* Whether text ends in `end` and is longer than it */
bool path_ends_in(const char *text, const char *end);
/* The part after the last slash; the whole path if there is none */
const char *path_base_name(const char *path);

enum { PATH_WHOLE = 8192 };
/* whole <- the absolute path; returns whole */
const char *path_whole(char whole[PATH_WHOLE], const char *path);

#endif
