/* info.h: the three things that `cardiac info` describes. */
#ifndef CARDIAC_APP_COMMANDS_INFO_H
#define CARDIAC_APP_COMMANDS_INFO_H

#include "kernels/base/error.h"

void info_devices(void);                                                         /* info_devices.c */
void info_build(void);                                                           /* info_build.c */
enum status info_result(const char *path, int with_config, struct error *error); /* info_result.c */
enum status info_checkpoint(const char *path, struct error *error);              /* info_checkpoint.c */

#endif
