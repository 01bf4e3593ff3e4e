/* test_suggest.c: the nearest of known names, names that other programs use, and no suggestion if all are
 * far. */
#include "kernels/base/suggest.h"

#include <string.h>

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

int main(void)
{
    check_hint("tolerence", " (did you mean 'tolerance'?)");
    check_hint("Theta", " (did you mean 'theta'?)");
    check_hint("tolerance", " (did you mean 'tolerance'?)");
    check_hint("EPS", " (did you mean 'tolerance'?)");
    check_hint("ecg", "");
    return 0;
}
