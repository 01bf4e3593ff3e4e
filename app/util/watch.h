/* watch.h: print what a command is doing on standard error whenever it has printed nothing for a while.
 *
 * The thread that begins a watch describes its work; another thread prints it. In threads without a watch, such as
 * those of a library's caller or of a parallel loop, these functions do nothing. */
#ifndef CARDIAC_APP_UTIL_WATCH_H
#define CARDIAC_APP_UTIL_WATCH_H

#define WATCH_SILENCE 10.0 /* s */

/* Begins a watch that prints after `silence` seconds without watch_printed(); 0 = print each text at once, without a
 * thread. If out of memory, nothing is printed. */
void watch_begin(double silence);
/* Ends the watch of this thread, if it has one. */
void watch_end(void);
/* Sets the description of the current work, such as "pacing a cell: beat 3 of 50". If it has lasted longer than the
 * silence, its seconds are printed as well. */
void watch_now(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Sets a prefix for the descriptions, such as "run 3: " in a study. */
void watch_name(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Records that something else was printed. */
void watch_printed(void);

#endif
