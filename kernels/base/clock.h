/* clock.h: seconds, for what is timed and what is paced; nothing of a simulation's numbers depends on them.
 */
#ifndef CARDIAC_KERNELS_BASE_CLOCK_H
#define CARDIAC_KERNELS_BASE_CLOCK_H

/* Seconds since a moment that stays the same while the program runs; nobody sets this clock, it never goes
 * back. */
double clock_seconds(void);

#endif
