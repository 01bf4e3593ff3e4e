/* suggest.h: the known names that are closest to a misspelt one.
 *
 *   struct suggestion suggestion = suggest_for("tolerence");
 *   for (...) suggest_try(&suggestion, name[i]);
 *   suggest_hint(&suggestion, text, sizeof text);      " (did you mean 'tolerance'?)", or "" */
#ifndef CARDIAC_KERNELS_BASE_SUGGEST_H
#define CARDIAC_KERNELS_BASE_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *word;
    const char *best; /* NULL while nothing is near enough */
    int distance;     /* edits between word and best */
};

struct suggestion suggest_for(const char *word);
/* name is kept by reference. Near enough is at most 2 edits, or a third of the word's length. */
void suggest_try(struct suggestion *suggestion, const char *name);
/* Where the word, whatever its case, is the first of a pair, the second is the best. */
void suggest_usual(struct suggestion *suggestion, const char *const (*pair)[2], size_t pairs);
/* text <- " (did you mean 'best'?)", or "" if nothing was near; returns text. */
const char *suggest_hint(const struct suggestion *suggestion, char *text, size_t size);

#endif
