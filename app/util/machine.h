/* machine.h: what the machine is that this program runs on. */
#ifndef CARDIAC_APP_UTIL_MACHINE_H
#define CARDIAC_APP_UTIL_MACHINE_H

#include <stddef.h>

/* name <- the processor's name as the system gives it, or "unknown" */
void machine_processor(char *name, size_t room);

#endif
