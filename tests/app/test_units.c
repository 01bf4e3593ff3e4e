/* test_units.c: numbers with units: exact equality across prefixes, dimensions, and what is refused. */
#include "app/config/units.h"
#include "tests/support/check.h"

#include <locale.h>
#include <string.h>

static double read(const char *text, enum quantity quantity)
{
    struct error error = {0};
    double value = NAN;
    CHECK(units_read(&value, text, quantity, &error) == STATUS_OK, "%s: %s", text, error.text);
    return value;
}

/* All spellings of one row are the same double, bit for bit, and equal the number in internal units. */
static void test_same(void)
{
    static const struct {
        enum quantity quantity;
        double value;
        const char *text[8];
    } rows[] = {
        {QUANTITY_LENGTH, 1.5, {"0.15 cm", "1.5 mm", "1500 um", "1500um", "0.0015m", "1.5", "1.5e6 nm"}},
        {QUANTITY_LENGTH, 0.2, {"200 um", "200um", "2e2 \u00b5m", "0.2mm", ".2", "+0.02cm", "200\u03bcm"}},
        {QUANTITY_LENGTH, 0.7, {"700 um", "0.07 cm", "0.0007 m", "7e-4m", "7E-1 mm"}},
        {QUANTITY_LENGTH, -3.3, {"-3300 um", "-.33cm", "-3.3"}},
        {QUANTITY_TIME, 0.02, {"20 us", "0.02 ms", "2e-5 s", "20000ns", "0.02"}},
        {QUANTITY_VOLTAGE, -85.23, {"-85.23 mV", "-0.08523 V", "-85230 uV", "-85.23"}},
        {QUANTITY_CONDUCTIVITY,
         0.133417722,
         {"0.133417722 S/m", "1.33417722 mS/cm", "0.00133417722 S/cm", "133.417722 uS/mm", "0.133417722mS/mm",
          "0.133417722 A/V/m", "0.133417722 S m^-1"}},
        {QUANTITY_SURFACE_TO_VOLUME,
         140,
         {"1400 /cm", "1400 1/cm", "140 /mm", "140000 /m", "140/mm", "0.14 um^-1", "1400", "1400 cm-1"}},
        {QUANTITY_CAPACITANCE,
         0.01,
         {"1 uF/cm^2", "0.01 uF/mm^2", "0.01 F/m^2", "1 uF/cm2", "1", "1 uF cm^-2", "1 uF/cm\u00b2",
          "1 \u00b5F/cm\u00b2"}},
        {QUANTITY_CURRENT,
         35.7,
         {"35.7 uA/uF", "35.7 pA/pF", "35.7 mV/ms", "35.7 V/s", "35.7 A/F", "35.7A/F"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 8 && rows[i].text[k]; k++) {
            double value = read(rows[i].text[k], rows[i].quantity);
            CHECK(value == rows[i].value, "%s: %.17g is not %.17g", rows[i].text[k], value, rows[i].value);
        }
}

static void test_currents(void)
{
    static const struct {
        const char *text;
        enum quantity quantity;
        double value;
    } rows[] = {
        {"50 uA/uF", QUANTITY_CURRENT, 50},
        {"50000 uA/cm^3", QUANTITY_CURRENT_PER_VOLUME, 50},
        {"-52 pA/pF", QUANTITY_CURRENT, -52},
        {"5e4 A/m^3", QUANTITY_CURRENT_PER_VOLUME, 5e4 * 1e-3},
        {"50 uA/cm^2", QUANTITY_CURRENT_PER_AREA, 0.5},
        {"0.5 A/m^2", QUANTITY_CURRENT_PER_AREA, 0.5},
    };
    struct error error;
    enum quantity quantity;
    double value;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_OK(units_read_current(&value, &quantity, rows[i].text, &error), error);
        CHECK(quantity == rows[i].quantity && value == rows[i].value, "%s: kind %d, %.17g", rows[i].text,
              (int)quantity, value);
    }
    CHECK(units_read_current(&value, &quantity, "50", &error) == STATUS_INPUT, "a bare current was taken");
    CHECK(strstr(error.text, "needs a unit"), "%s", error.text);
    CHECK(units_read_current(&value, &quantity, "50 uA", &error) == STATUS_INPUT, "uA was taken");
    CHECK(units_read_current(&value, &quantity, "50 uA/cm^4", &error) == STATUS_INPUT, "uA/cm^4 was taken");
}

static void test_refused(void)
{
    static const struct {
        const char *text;
        enum quantity quantity;
        const char *message;
    } rows[] = {
        {"0.13 S", QUANTITY_CONDUCTIVITY, "'0.13 S' is not a conductivity (S/m)"},
        {"5 ms", QUANTITY_LENGTH, "'5 ms' is not a length (mm)"},
        {"5 mS", QUANTITY_TIME, "is not a time (ms)"},
        {"5 mm", QUANTITY_NUMBER, "is not a plain number"},
        {"5 furlong", QUANTITY_LENGTH, "unknown unit 'furlong'"},
        {"5 mm mm", QUANTITY_LENGTH, "is not a length"},
        {"5 mm^", QUANTITY_LENGTH, "unknown unit"},
        {"5 mm^12", QUANTITY_LENGTH, "is not a length (mm)"},
        {"5 mm/", QUANTITY_LENGTH, "unknown unit"},
        {"5 1", QUANTITY_LENGTH, "is not a length (mm)"},
        {"5 mm;", QUANTITY_LENGTH, "unknown unit"},
        {"5 \xc2", QUANTITY_LENGTH, "unknown unit"},
        {"inf", QUANTITY_LENGTH, "not a number"},
        {".inf", QUANTITY_LENGTH, "not a number"},
        {"nan mm", QUANTITY_LENGTH, "not a number"},
        {"0x10", QUANTITY_NUMBER, "unknown unit"},
        {"0x1p3 mm", QUANTITY_LENGTH, "unknown unit"},
        {"1,5 mm", QUANTITY_LENGTH, "decimals follow a point"},
        {"1.5.2", QUANTITY_LENGTH, "unknown unit"},
        {"", QUANTITY_LENGTH, "not a number"},
        {".", QUANTITY_LENGTH, "not a number"},
        {"-", QUANTITY_LENGTH, "not a number"},
        {"mm", QUANTITY_LENGTH, "not a number"},
        {"1e400 mm", QUANTITY_LENGTH, "too large"},
        {"1e-400 mm", QUANTITY_LENGTH, "too small"},
        {"1e99999999999999999999 mm", QUANTITY_LENGTH, "too large"},
        {"1e-99999999999999999999 m", QUANTITY_LENGTH, "too small"},
        {"1e308 m", QUANTITY_LENGTH, "too large"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {0};
        double value;
        CHECK(units_read(&value, rows[i].text, rows[i].quantity, &error) == STATUS_INPUT, "'%s' was taken",
              rows[i].text);
        CHECK(strstr(error.text, rows[i].message), "'%s': %s", rows[i].text, error.text);
    }
}

/* What is written reads back as the same double, for hard ones too. */
static void test_round_trip(void)
{
    static const double values[] = {0.1,
                                    1.0 / 3,
                                    1e-300,
                                    5e-324,
                                    1.7976931348623157e308,
                                    35.714285714285715,
                                    0.0,
                                    -0.02,
                                    123456789.123456789,
                                    1e22,
                                    2.2250738585072014e-308};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
            char text[80];
            units_write(text, sizeof text, values[i], (enum quantity)quantity);
            CHECK(read(text, (enum quantity)quantity) == values[i], "%.17g became '%s'", values[i], text);
        }
}

int main(void)
{
    test_same();
    test_currents();
    test_refused();
    test_round_trip();
    if (setlocale(LC_ALL, "de_DE.UTF-8")) /* a decimal comma must not matter, where such a locale exists */
        test_same();
    return 0;
}
