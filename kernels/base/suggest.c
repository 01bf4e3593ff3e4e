/* suggest.c: Damerau's edit distance (insertion, deletion, substitution, transposition), ignoring case. */
#include "kernels/base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int lower_case(const char *text, int i)
{
    return tolower((unsigned char)text[i]);
}

/* Number of edits that turn a into b; LONGEST if a word is longer than that */
static int distance(const char *a, const char *b)
{
    int na = (int)strnlen(a, LONGEST + 1), nb = (int)strnlen(b, LONGEST + 1);
    if (na > LONGEST || nb > LONGEST)
        return LONGEST;
    int row[3][LONGEST + 1];
    int *before = row[0], *above = row[1], *here = row[2];
    for (int j = 0; j <= nb; j++)
        above[j] = j;
    for (int i = 1; i <= na; i++) {
        here[0] = i;
        for (int j = 1; j <= nb; j++) {
            int change = above[j - 1] + (lower_case(a, i - 1) != lower_case(b, j - 1));
            here[j] = smaller(change, smaller(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && lower_case(a, i - 1) == lower_case(b, j - 2) &&
                lower_case(a, i - 2) == lower_case(b, j - 1))
                here[j] = smaller(here[j], before[j - 2] + 1);
        }
        int *spare = before;
        before = above;
        above = here;
        here = spare;
    }
    return above[nb];
}

struct suggestion suggest_for(const char *word)
{
    int allowed = (int)strnlen(word, LONGEST) / 3;
    return (struct suggestion){.word = word, .distance = (allowed > 2 ? allowed : 2) + 1};
}

bool suggest_try(struct suggestion *suggestion, const char *name)
{
    int edits = distance(suggestion->word, name);
    if (edits < suggestion->distance && edits < (int)strlen(name)) {
        suggestion->best = name;
        suggestion->distance = edits;
    }
    return strcmp(suggestion->word, name) == 0;
}

void suggest_usual(struct suggestion *suggestion, const char *const (*pair)[2], size_t pairs)
{
    for (size_t k = 0; k < pairs; k++)
        if (strcasecmp(suggestion->word, pair[k][0]) == 0)
            suggestion->best = pair[k][1];
}

const char *suggest_hint(struct suggestion *suggestion)
{
    snprintf(suggestion->hint, sizeof suggestion->hint, suggestion->best ? " (did you mean '%s'?)" : "",
             suggestion->best);
    return suggestion->hint;
}
