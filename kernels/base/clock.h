/* clock.h: seconds, to time and pace work. No result of a simulation depends on them. */
#ifndef CARDIAC_KERNELS_BASE_CLOCK_H
#define CARDIAC_KERNELS_BASE_CLOCK_H

/* Seconds of a monotonic clock, since an arbitrary moment before the program began. */
double clock_seconds(void);

#endif
