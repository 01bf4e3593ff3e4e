/* version.h: the name and version of this program in logs and result files. */
#ifndef CARDIAC_APP_UTIL_VERSION_H
#define CARDIAC_APP_UTIL_VERSION_H

/* "cardiac 0.1.0" */
const char *version_text(void);

/* "gcc 12.2.0": what it was compiled with */
const char *version_compiler(void);

/* Versions of the libraries in use: "HDF5 1.10.8, libyaml 0.2.5, zlib 1.2.13"; the caller frees it. NULL if out of
 * memory */
char *version_libraries(void);

#endif
