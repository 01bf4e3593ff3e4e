/* test_printed.c: texts printed into memory and into arrays, and failures of memory. */
#include "kernels/base/printed.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

int main(void)
{
    struct error error = {0};
    struct printed printed;
    CHECK_OK(printed_open(&printed, &error), error);
    for (int k = 0; k < 10000; k++)
        fprintf(printed.file, "%04d", k);
    CHECK_OK(printed_close(&printed, &error), error);
    CHECK(printed.length == 40000 && strlen(printed.text) == 40000, "%zu bytes", printed.length);
    CHECK(memcmp(printed.text + 39996, "9999", 5) == 0, "it ends in %s", printed.text + 39996);
    CHECK(printed_close(&printed, &error) == STATUS_OK && printed.text, "closed twice");
    free(printed.text);

    CHECK_OK(printed_open(&printed, &error), error);
    CHECK_OK(printed_close(&printed, &error), error);
    CHECK(printed.text && !*printed.text, "nothing was printed");
    free(printed.text);

    CHECK_OK(printed_open(&printed, &error), error);
    CHECK(fclose(printed.file) == 0, "no text");
    printed.file = fopen("/dev/full", "w"); /* as a stream that finds no memory */
    CHECK(printed.file && fputs("lost", printed.file) >= 0, "no /dev/full");
    CHECK(printed_close(&printed, &error) == STATUS_RUN && strstr(error.text, "memory"), "'%s'", error.text);
    CHECK(!printed.text && !printed.file, "a text that was lost");

    char text[16] = "";
    printed_item(text, sizeof text, "tag %d", 1);
    printed_item(text, sizeof text, "tag %d", 2);
    CHECK(strcmp(text, "tag 1, tag 2") == 0, "%s", text);
    printed_add(text, sizeof text, "%s", "?");
    CHECK(strcmp(text, "tag 1, tag 2?") == 0, "%s", text);
    for (int k = 3; k < 9; k++)
        printed_item(text, sizeof text, "tag %d", k);
    CHECK(strcmp(text, "tag 1, tag 2...") == 0, "%s", text);

    for (size_t size = 8; size < 20;
         size++) { /* what is not cut is whole; "..." takes the place of the end */
        char cut[24], want[24] = "12345, 789012";
        memset(cut, '#', sizeof cut);
        *cut = '\0';
        printed_item(cut, size, "%d", 12345);
        printed_item(cut, size, "%s", "789012");
        if (strlen(want) >= size)
            memcpy(want + size - 4, "...", 4);
        CHECK(strcmp(cut, want) == 0 && cut[size] == '#', "in %zu characters: %s", size, cut);
    }
    return 0;
}
