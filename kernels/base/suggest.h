/* suggest.h: finds the known name closest to a misspelt one.
 *
 *   struct suggestion suggestion = suggest_for("tolerence");
 *   for (...)
 *       if (suggest_try(&suggestion, name[i]))
 *           return i;
 *   ... suggest_hint(&suggestion) ...      " (did you mean 'tolerance'?)", or "" */
#ifndef CARDIAC_KERNELS_BASE_SUGGEST_H
#define CARDIAC_KERNELS_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

struct suggestion {
    const char *word;
    const char *best; /* NULL = no name is near enough */
    int distance;     /* edits between word and best */
    char hint[300];
};

struct suggestion suggest_for(const char *word);
/* Returns whether name equals the word; stores a pointer to name if it is the closest so far, within 2
 * edits or a third of the word's length, whichever is more. */
bool suggest_try(struct suggestion *suggestion, const char *name);
/* If the word, ignoring case, is the first of a pair, suggests the second. */
void suggest_usual(struct suggestion *suggestion, const char *const (*pair)[2], size_t pairs);
/* Returns " (did you mean 'best'?)", or "" if there is no suggestion; stored in the suggestion. */
const char *suggest_hint(struct suggestion *suggestion);

#endif
