/* nearest.h: which of the known names did the user mean?
 *
 *   struct nearest nearest = nearest_to("tolerence");
 *   for (...) nearest_try(&nearest, name[i]);
 *   nearest_hint(&nearest, text, sizeof text);      " (did you mean 'tolerance'?)", or "" */
#ifndef CARDIAC_APP_UTIL_NEAREST_H
#define CARDIAC_APP_UTIL_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *word;
    const char *best; /* NULL while nothing is near enough */
    int distance;     /* edits between word and best */
};

struct nearest nearest_to(const char *word);
/* name is kept by reference. Near enough is at most 2 edits, or a third of the word's length. */
void nearest_try(struct nearest *nearest, const char *name);
/* text <- " (did you mean 'best'?)", or "" if nothing was near; returns text. */
const char *nearest_hint(const struct nearest *nearest, char *text, size_t size);

#endif
