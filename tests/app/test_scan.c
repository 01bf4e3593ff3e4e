/* test_scan.c: numbers in text are those of strtod, and what is written reads back as the same double. */
#include "app/util/scan.h"
#include "tests/support/mesh_sample.h"

static void check_number(const char *text)
{
    double value = 12345;
    const char *cursor = text;
    CHECK(scan_number(&cursor, 0, &value) && *cursor == '\0', "'%s' is not read", text);
    double want = strtod(text, NULL);
    CHECK(memcmp(&value, &want, sizeof value) == 0 || (isnan(value) && isnan(want)), "'%s' is read as %.17g",
          text, value);
}

static void check_no_number(const char *text)
{
    double value;
    int64_t integer;
    const char *cursor = text;
    CHECK(!scan_number(&cursor, 0, &value), "'%s' is read as %g", text, value);
    CHECK(!scan_integer(&cursor, &integer), "'%s' is read as %lld", text, (long long)integer);
}

/* Doubles of every magnitude, printed with 1 to 20 digits */
static void check_random(void)
{
    char text[64];
    for (int i = 0; i < 100000; i++) {
        double x = (2 * bits_random(2 * (uint64_t)i) - 1) *
                   pow(10, 300 * (2 * bits_random(2 * (uint64_t)i + 1) - 1) * (i % 3) / 2.0);
        snprintf(text, sizeof text, i % 2 ? "%.*e" : "%.*g", i % 20 + 1, x);
        check_number(text);
        const char *cursor = text;
        double value;
        int length = scan_number_text(text, x, 0);
        CHECK(length == (int)strlen(text) && length < 40, "'%s' has %d bytes", text, length);
        CHECK(scan_number(&cursor, 0, &value) && value == x, "%.17g is written %s", x, text);
        cursor = text;
        scan_number_text(text, x, 3);
        CHECK(scan_number(&cursor, -3, &value) && value == x, "%.17g mm is written %s um", x, text);
    }
}

int main(void)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "+1",
                                       "1.",
                                       ".5",
                                       "-.5e-3",
                                       "1e22",
                                       "1e23",
                                       "9007199254740993",
                                       "0.1",
                                       "123456789012345678",
                                       "1234567890123456789012",
                                       "1e-400",
                                       "1e400",
                                       "4.9e-324",
                                       "2.2250738585072011e-308",
                                       "nan",
                                       "-inf",
                                       "Infinity",
                                       "0.000000000000000000000000000001",
                                       "1E5",
                                       "00000000000000000000001",
                                       "1e-22",
                                       "8.5e-23",
                                       "1e99999999999999"};
    static const char *const bad[] = {"",      "-",      "+",   ".",     "e5",      "1e",
                                      "1e+",   "--1",    "1-2", "1.2.3", "0x10",    "1,5",
                                      "12abc", "nan(1)", "e",   "1d5",   "infinite"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        check_number(good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_no_number(bad[i]);
    check_random();
    int64_t integer;
    const char *cursor = " -42 7";
    CHECK(scan_integer(&cursor, &integer) && integer == -42 && scan_integer(&cursor, &integer) &&
              integer == 7,
          "%lld", (long long)integer);
    cursor = "99999999999999999999";
    CHECK(!scan_integer(&cursor, &integer), "an overflow is read");
    CHECK(length_unit_to_mm(1507, length_unit(1e-3)) == 1.507 &&
              length_unit_to_mm(3, length_unit(25.4)) == 3 * 25.4,
          "units");
    return 0;
}
