/* version.h: what this program is called in logs and result files. */
#ifndef CARDIAC_APP_VERSION_H
#define CARDIAC_APP_VERSION_H

/* "cardiac 0.1.0" */
const char *version_text(void);

#endif
