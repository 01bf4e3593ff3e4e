/* test_suggest.c: the nearest of known names, names that other programs use, and no suggestion if all are
 * far. */
#include "kernels/base/suggest.h"

#include <ctype.h>
#include <string.h>

#include "kernels/base/bits.h"
#include "tests/support/check.h"

static void check_hint(const char *word, const char *want)
{
    static const char *const known[] = {"theta", "tolerance", "threads"}, *const usual[][2] = {
                                                                              {"eps", "tolerance"}};
    struct suggestion suggestion = suggest_for(word);
    int found = -1;
    for (int k = 0; k < 3; k++)
        found = suggest_try(&suggestion, known[k]) ? k : found;
    suggest_usual(&suggestion, usual, 1);
    const char *hint = suggest_hint(&suggestion);
    CHECK(strcmp(hint, want) == 0, "%s: '%s', want '%s'", word, hint, want);
    CHECK((found == 1) == (strcmp(word, "tolerance") == 0), "%s is number %d", word, found);
}

/* The formula of the distance, on all prefixes: edits[i][j] turn the first i letters of a into the first j of b */
static int plain_distance(const char *a, const char *b)
{
    enum { MOST = 72 };
    static int edits[MOST][MOST];
    const int na = (int)strlen(a), nb = (int)strlen(b);
    for (int i = 0; i <= na; i++)
        for (int j = 0; j <= nb; j++) {
            int least = i + j;
            if (i > 0 && edits[i - 1][j] + 1 < least)
                least = edits[i - 1][j] + 1;
            if (j > 0 && edits[i][j - 1] + 1 < least)
                least = edits[i][j - 1] + 1;
            if (i > 0 && j > 0) {
                const int changed = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
                least = edits[i - 1][j - 1] + changed < least ? edits[i - 1][j - 1] + changed : least;
            }
            if (i > 1 && j > 1 && tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == tolower((unsigned char)b[j - 1]) &&
                edits[i - 2][j - 2] + 1 < least)
                least = edits[i - 2][j - 2] + 1;
            edits[i][j] = least;
        }
    return edits[na][nb];
}

/* Random words of few letters: the first of the names that are nearest is suggested, within 2 edits or a third of the word, never one
 * all of whose letters differ */
static void test_words(void)
{
    char word[80], name[6][80];
    for (uint64_t turn = 0; turn < 800; turn++) {
        const int length = (int)(30 * bits_random(1000 * turn)) % (turn % 3 ? 9 : 29) + 1;
        for (int k = 0; k < length; k++)
            word[k] = "abcABCd"[(int)(7 * bits_random(1000 * turn + (uint64_t)k + 1))];
        word[length] = '\0';
        struct suggestion suggestion = suggest_for(word);
        const int allowed = length / 3 > 2 ? length / 3 : 2;
        const char *best = NULL;
        int least = allowed + 1;
        for (uint64_t n = 0; n < 6; n++) {
            int at = 0;
            for (int k = 0; k < length; k++) { /* letters left out, doubled, changed and exchanged */
                const double dice = bits_random(1000 * turn + 100 * (n + 1) + (uint64_t)k);
                if (dice > 0.1)
                    name[n][at++] = dice < 0.2 ? 'z' : word[k];
                if (dice > 0.9 && at < 70)
                    name[n][at++] = word[k];
                if (dice > 0.8 && dice < 0.9 && at > 1) {
                    const char last = name[n][at - 1];
                    name[n][at - 1] = name[n][at - 2];
                    name[n][at - 2] = last;
                }
            }
            name[n][at] = '\0';
            const int distance = plain_distance(word, name[n]);
            if (distance < least && distance < at) {
                best = name[n];
                least = distance;
            }
            CHECK(suggest_try(&suggestion, name[n]) == !strcmp(word, name[n]), "%s, %s", word, name[n]);
            CHECK(suggestion.best == best && suggestion.distance == least, "%s: %s, %d edits, want %s, %d",
                  word, suggestion.best ? suggestion.best : "none", suggestion.distance, best ? best : "none",
                  least);
        }
    }
    /* Words of 64 letters are compared; of longer ones it is only known whether they are equal */
    for (int length = 63; length <= 66; length++) {
        memset(word, 'a', (size_t)length);
        word[length] = '\0';
        memcpy(name[0], word, (size_t)length + 1);
        name[0][length / 2] = 'b';
        struct suggestion suggestion = suggest_for(word);
        CHECK(!suggest_try(&suggestion, name[0]) && suggest_try(&suggestion, word), "%d letters", length);
        CHECK((suggestion.best != NULL) == (length <= 64), "%d letters", length);
    }
}

int main(void)
{
    test_words();
    check_hint("tolerence", " (did you mean 'tolerance'?)");
    check_hint("Theta", " (did you mean 'theta'?)");
    check_hint("tolerance", " (did you mean 'tolerance'?)");
    check_hint("EPS", " (did you mean 'tolerance'?)");
    check_hint("ecg", "");
    return 0;
}
