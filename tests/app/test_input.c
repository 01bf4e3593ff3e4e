/* test_input.c: a file of the user's is read whole or refused: one that is too long, or none at all. */
#include "app/util/input.h"

#include <string.h>

#include "tests/support/check.h"

static void check_refused(const char *path, int most, const char *want)
{
    struct error error = {0};
    char *text;
    size_t length;
    enum status status = input_text(&text, &length, path, most, "no poem", NULL, &error);
    CHECK(status == STATUS_INPUT && !text && strstr(error.text, want), "%s: status %d, '%s'", path,
          (int)status, error.text);
}

int main(void)
{
    struct error error = {0};
    char *text;
    size_t length;
    FILE *file = fopen("plain.txt", "w");
    CHECK(file && fputs("a rose\n", file) >= 0 && fclose(file) == 0, "plain.txt");
    CHECK_OK(input_text(&text, &length, "plain.txt", 7, "no poem", NULL, &error), error);
    CHECK(length == 7 && strcmp(text, "a rose\n") == 0, "%zu bytes: %s", length, text);
    free(text);
    check_refused("plain.txt", 6, "plain.txt: longer than 6 bytes: no poem");
    check_refused(".", 6, ".: this is a directory");
    check_refused("missing.txt", 6, "missing.txt: No such file");
    return 0;
}
