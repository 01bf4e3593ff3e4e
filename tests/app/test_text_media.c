/* test_text_media.c: what a terminal would obey, a spreadsheet compute or a parser end at is written so that
 * it does not. */
#include "app/util/text_media.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

static void check_put(enum text_medium medium, const char *text, const char *want)
{
    char *got;
    size_t length;
    FILE *file = open_memstream(&got, &length);
    CHECK(file, "no memory");
    text_media_put(file, medium, text);
    CHECK(fclose(file) == 0 && strcmp(got, want) == 0, "medium %d: '%s', want '%s'", (int)medium, got, want);
    free(got);
}

static void check_cell(const char *name, const char *unit, const char *want)
{
    char *got;
    size_t length;
    FILE *file = open_memstream(&got, &length);
    CHECK(file, "no memory");
    text_media_cell(file, name, unit);
    CHECK(fclose(file) == 0 && strcmp(got, want) == 0, "cell '%s', want '%s'", got, want);
    free(got);
}

int main(void)
{
    /* ESC, BEL, CR, DEL, CSI (U+009B), a byte that is no UTF-8; letters beyond ASCII */
    static const char odd[] = "\x1b\a\r\x7f\xc2\x9b\xff \xc3\xa9\xe2\x82\xac";
    check_put(TEXT_TERMINAL, odd, "\\x1b\\x07\\x0d\\x7f\\xc2\\x9b\\xff \xc3\xa9\xe2\x82\xac");
    check_put(TEXT_TERMINAL, "a\tb\n<\"&\\", "a\tb\n<\"&\\");
    check_put(TEXT_JSON, odd, "\\u001b\\u0007\\u000d\\u007f\\u009b\\ufffd \xc3\xa9\xe2\x82\xac");
    check_put(TEXT_JSON, "\"\\\n", "\\\"\\\\\\u000a");
    check_put(TEXT_XML, "\x1b\x7f<a b=\"&\">\n",
              "\xef\xbf\xbd\xef\xbf\xbd&lt;a b=&quot;&amp;&quot;&gt;&#10;");
    check_cell("near", "mV", "near (mV)");
    check_cell("@SUM(1)", "mV", "'@SUM(1) (mV)");
    check_cell("=1,\"2\"", NULL, "\"'=1,\"\"2\"\"\"");
    check_cell("a\x1b\nb", NULL, "a\\x1b\\x0ab");
    return 0;
}
