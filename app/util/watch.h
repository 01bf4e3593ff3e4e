/* watch.h: a line on standard error whenever a command has printed nothing for a while: what it is doing.
 *
 * The thread that begins a watch says what it does; another one prints it. In threads without a watch, such as those of a
 * library's caller or of a parallel loop, these functions do nothing. */
#ifndef CARDIAC_APP_UTIL_WATCH_H
#define CARDIAC_APP_UTIL_WATCH_H

#define WATCH_SILENCE 10.0 /* s */

/* After so many seconds without watch_printed(); 0 = each text at once, and no thread. Without memory nothing is printed. */
void watch_begin(double silence);
/* By the thread that began it; without one nothing is done. */
void watch_end(void);
/* What is done from now on, such as "pacing a cell: beat 3 of 50". A text that stands for longer than the silence is followed
 * by its seconds. */
void watch_now(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What stands before it, such as "run 3: " of a study */
void watch_name(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Something else was printed. */
void watch_printed(void);

#endif
