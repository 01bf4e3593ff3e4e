/* test_texts.c: messages of failures, whole and cut; decimal numbers in texts, where they end and their values. */
#include "kernels/base/decimal.h"

#include <errno.h>
#include <string.h>

#include "kernels/base/bits.h"
#include "kernels/base/cancel.h"
#include "kernels/base/error.h"
#include "tests/support/check.h"

enum { ROOM = sizeof((struct error *)0)->text };

static void expect(const struct error *error, enum status got, enum status status, int system,
                   const char *text)
{
    CHECK(got == status && error->status == status && error->system == system, "%d, %d, %d", (int)got,
          (int)error->status, error->system);
    CHECK(strcmp(error->text, text) == 0, "'%s', want '%s'", error->text, text);
}

static void test_messages(void)
{
    static struct error error;
    error.system = ENOSPC;
    enum status got = error_set(&error, STATUS_RUN, "%d of %s", 3, "seven");
    expect(&error, got, STATUS_RUN, 0, "3 of seven");
    got = error_system(&error, STATUS_INPUT, ENOENT, "%s", "a.yaml");
    expect(&error, got, STATUS_INPUT, ENOENT, "a.yaml: No such file or directory");
    got = error_at(&error, STATUS_INPUT, "a.yaml", 12, 7, "what %d", 5);
    expect(&error, got, STATUS_INPUT, 0, "a.yaml:12:7: what 5");
    got = error_at(&error, STATUS_INPUT, "a.yaml", 1, 1, "what");
    expect(&error, got, STATUS_INPUT, 0, "a.yaml:1:1: what");
    got = error_at(&error, STATUS_RUN, "a.yaml", 12, 0, "what");
    expect(&error, got, STATUS_RUN, 0, "a.yaml:12: what");
    got = error_at(&error, STATUS_RUN, "a.yaml", 0, 7, "what");
    expect(&error, got, STATUS_RUN, 0, "a.yaml: what");
    got = error_memory(&error, "the mesh", 1234567);
    expect(&error, got, STATUS_RUN, 0, "out of memory: the mesh needs 1.23 MB");
    CHECK(error_set(NULL, STATUS_RUN, "x") == STATUS_RUN &&
              error_system(NULL, STATUS_RUN, 1, "x") == STATUS_RUN &&
              error_at(NULL, STATUS_INPUT, "f", 1, 1, "x") == STATUS_INPUT,
          "without an error");
}

/* Texts about as long as there is room: whole, or the end replaced */
static void test_cuts(void)
{
    static char text[ROOM + 8], want[ROOM + 20];
    static struct {
        struct error error;
        char behind;
    } cut;
    cut.behind = '#';
    for (int length = ROOM - 6; length < ROOM + 4; length++)
        for (int at = 0; at < 2; at++) {
            memset(text, 'x', sizeof text);
            text[length] = '\0';
            snprintf(want, sizeof want, "%s%s", at ? "f:1: " : "", text);
            if (strlen(want) >= ROOM)
                memcpy(want + ROOM - 4, "...", 4);
            enum status got = at ? error_at(&cut.error, STATUS_RUN, "f", 1, 0, "%s", text)
                                 : error_set(&cut.error, STATUS_RUN, "%s", text);
            expect(&cut.error, got, STATUS_RUN, 0, want);
            CHECK(cut.behind == '#', "%d characters: written behind the text", length);
        }
}

static void test_first(void)
{
    struct error part = {STATUS_INPUT, 3, "the first"}, later = {STATUS_RUN, 4, "later"}, error = {0};
    enum status status = STATUS_OK;
    error_first(&status, &error, STATUS_OK, &later);
    CHECK(!status && !error.status && !*error.text, "a part that did not fail");
    error_first(&status, &error, STATUS_INPUT, &part);
    error_first(&status, &error, STATUS_RUN, &later);
    CHECK(status == STATUS_INPUT, "the status is %d", (int)status);
    expect(&error, error.status, STATUS_INPUT, 3, "the first");
    status = STATUS_OK;
    error_first(&status, NULL, STATUS_RUN, &later);
    CHECK(status == STATUS_RUN, "without an error: %d", (int)status);
}

static void test_cancel(void)
{
    struct error error = {0};
    int flag = 0, other = 0;
    CHECK(!cancel_watched() && !cancel_requested() && !cancel_check(&error), "nothing is watched");
    CHECK(cancel_watch(&flag) == NULL && cancel_watched() == &flag && !cancel_check(&error),
          "a flag not set");
    flag = 1;
    CHECK(cancel_requested(), "a flag that is set");
    expect(&error, cancel_check(&error), STATUS_STOPPED, 0, "stopped on request");
    CHECK(cancel_watch(&other) == &flag && !cancel_requested(), "another flag");
    CHECK(cancel_watch(NULL) == &other && !cancel_requested(), "none");
}

/* Numbers and what follows: their length, and their value times 10^shift as strtod reads it from a text written out */
static void test_numbers(void)
{
    static const struct {
        const char *text;
        int length;
    } table[] = {{"", 0},    {"+", 0},     {"-", 0},       {".", 0},    {"-.", 0},      {"e5", 0},
                 {".e5", 0}, {"0", 1},     {"9 mm", 1},    {"+12", 3},  {"-12", 3},     {"--1", 0},
                 {"+-1", 0}, {"1.", 2},    {".5", 2},      {"-.5x", 3}, {"1.5.2", 3},   {"1..2", 2},
                 {"1e5", 3}, {"1E+5", 4},  {"1e-05mm", 5}, {"1e", 1},   {"1e+", 1},     {"1e-x", 1},
                 {"1em", 1}, {"1e5.5", 3}, {"1f5", 1},     {"1.e5", 4}, {"0x10", 1},    {"1/2", 1},
                 {"1:2", 1}, {"2,5", 1},   {"1e+-5", 1},   {"1 e5", 1}, {"00.10e00", 8}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        CHECK(decimal_length(table[k].text) == (size_t)table[k].length, "'%s' is a number of %zu characters",
              table[k].text, decimal_length(table[k].text));
    char text[1200], want[1300];
    for (int length = 990; length < 1010; length++) { /* 1000 characters of digits and a point */
        memset(text, '7', sizeof text);
        text[0] = '-';
        text[5] = '.';
        text[1 + length] = '\0';
        CHECK(decimal_length(text) == (length > 1000 ? 0 : (size_t)length + 1), "%d digits", length);
        double value = 0;
        CHECK(length > 1000 ||
                  (decimal_value(&value, text, strlen(text), 2) && value == strtod(text, NULL) * 100),
              "%d digits: %.17g", length, value);
    }
    for (uint64_t k = 0; k < 2000; k++) {
        const int digits = 1 + (int)(17 * bits_random(3 * k)),
                  power = (int)(40 * bits_random_signed(3 * k + 1));
        const long shift = (long)(9 * bits_random_signed(3 * k + 2));
        double value = NAN;
        snprintf(text, sizeof text, "%.*f%c%d mm", digits, 99 * bits_random_signed(7 * k), k % 2 ? 'e' : 'E',
                 power);
        const size_t length = decimal_length(text);
        CHECK(length == strlen(text) - 3, "'%s': %zu characters", text, length);
        snprintf(want, sizeof want, "%.*s%ld", (int)strcspn(text, "eE") + 1, text, power + shift);
        CHECK(decimal_value(&value, text, length, shift) && value == strtod(want, NULL), "%s, 10^%ld: %.17g",
              text, shift, value);
        const size_t mantissa = strcspn(text, "eE"); /* what stands behind the number is not read */
        snprintf(want, sizeof want, "%.*se%ld", (int)mantissa, text, shift);
        CHECK(decimal_value(&value, text, mantissa, shift) && value == strtod(want, NULL),
              "%.*s, 10^%ld: %.17g", (int)mantissa, text, shift, value);
    }
}

static void test_range(void)
{
    static const struct {
        const char *text;
        long shift;
        bool fits;
    } table[] = {{"1e308", 0, true},
                 {"1e308", 1, false},
                 {"1e309", -1, true},
                 {"1e309", 0, false},
                 {"-1e309", 0, false},
                 {"1e-323", 0, true},
                 {"1e-323", -2, false},
                 {"1e-400", 0, false},
                 {"0e-400", 0, true},
                 {"0.00", -500, true},
                 {"0e999999999999", 0, true},
                 {"1e999999999999", 0, false},
                 {"1e100000", 0, false},
                 {"1e-999999999", 0, false},
                 {"0.0009e-400", 0, false},
                 {"9e-400", 0, false},
                 {"0e5", 0, true},
                 {"1e99999", -99999, true},
                 {"1e-100000", 100000, true},
                 {"1e100000", -100000, true}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        double value = NAN;
        CHECK(decimal_value(&value, table[k].text, strlen(table[k].text), table[k].shift) == table[k].fits,
              "%s, 10^%ld: %.17g", table[k].text, table[k].shift, value);
    }
}

int main(void)
{
    test_messages();
    test_cuts();
    test_first();
    test_cancel();
    test_numbers();
    test_range();
    return 0;
}
