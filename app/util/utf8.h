/* utf8.h: checks whether a text is UTF-8 (RFC 3629, section 4), as YAML and HDF5 require; a path need not be.
 */
#ifndef CARDIAC_APP_UTIL_UTF8_H
#define CARDIAC_APP_UTIL_UTF8_H

#include <stdbool.h>

/* Bytes of the character at `at`, 1 to 4; 0 if it is none, or the end. */
int utf8_length(const char *at);
bool utf8_is(const char *text);

#endif
