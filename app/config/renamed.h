/* renamed.h: what configs of other versions call differently: a version that is not read is refused before
 * its keys are looked at, and keys that had another name are taken with a warning. */
#ifndef CARDIAC_APP_CONFIG_RENAMED_H
#define CARDIAC_APP_CONFIG_RENAMED_H

#include "app/config/reader.h"

/* The tree with today's names. Errors: STATUS_INPUT, also when a key stands there under both. */
enum status config_rename(struct reader *reader);

#endif
