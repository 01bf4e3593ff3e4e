/* scan.c: fast, correctly rounded, locale-independent numbers. */
#include "app/util/scan.h"

#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/decimal.h"

enum { EXACT_POWER = 22, WORD_MAX = 512 };

static const double power_of_ten[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

static bool at_end(const char *c)
{
    return *c == '\0' || is_blank(*c);
}

bool scan_integer(const char **cursor, int64_t *value)
{
    const char *c = *cursor;
    while (is_blank(*c))
        c++;
    *cursor = c;
    bool negative = *c == '-';
    if (*c == '-' || *c == '+')
        c++;
    if (!decimal_digit(*c))
        return false;
    uint64_t magnitude = 0;
    for (; decimal_digit(*c); c++) {
        if (magnitude > (uint64_t)INT64_MAX / 10 - 1)
            return false;
        magnitude = magnitude * 10 + (uint64_t)(*c - '0');
    }
    if (!at_end(c))
        return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    *cursor = c;
    return true;
}

/* The decimal exponent at *c ("e-12"), 0 if there is none; saturates far outside the range of double. */
static int scan_exponent(const char **c)
{
    const char *p = *c;
    if (*p != 'e' && *p != 'E')
        return 0;
    p++;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!decimal_digit(*p))
        return 0;
    int exponent = 0;
    for (; decimal_digit(*p); p++)
        if (exponent < 100000)
            exponent = exponent * 10 + (*p - '0');
    *c = p;
    return negative ? -exponent : exponent;
}

/* *value <- strtod() of word[length] with `shift` added to its exponent; false if it is no number */
static bool scan_slowly(const char *word, size_t length, int shift, double *value)
{
    char text[WORD_MAX + 16];
    if (length == 0 || length > WORD_MAX)
        return false;
    memcpy(text, word, length);
    text[length] = '\0';
    bool decimal = strspn(text, "0123456789+-.eE") == length;
    if (decimal) {
        size_t mantissa = strcspn(text, "eE");
        const char *e = text + mantissa;
        int exponent = shift + scan_exponent(&e);
        if (*e != '\0' || mantissa == 0)
            return false;
        snprintf(text + mantissa, sizeof text - mantissa, "e%d", exponent);
    } else if (strpbrk(text, "xX(")) {
        return false;
    }
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end = text;
    if (plain) {
        *value = strtod_l(text, &end, plain);
        freelocale(plain);
    }
    return end != text && *end == '\0';
}

bool scan_number(const char **cursor, int shift, double *value)
{
    const char *c = *cursor;
    while (is_blank(*c))
        c++;
    const char *word = *cursor = c;
    bool negative = *c == '-';
    if (*c == '-' || *c == '+')
        c++;
    uint64_t digits = 0;
    int count = 0, exponent = shift;
    bool any = false;
    for (; decimal_digit(*c); c++, any = true) {
        digits = digits * 10 + (uint64_t)(*c - '0');
        count += digits != 0;
    }
    if (*c == '.')
        for (c++; decimal_digit(*c); c++, any = true, exponent--) {
            digits = digits * 10 + (uint64_t)(*c - '0');
            count += digits != 0;
        }
    exponent += scan_exponent(&c);
    if (any && at_end(c) && count <= 18 && digits <= (uint64_t)1 << 53 && abs(exponent) <= EXACT_POWER) {
        double magnitude = (double)digits;
        magnitude = exponent < 0 ? magnitude / power_of_ten[-exponent] : magnitude * power_of_ten[exponent];
        *value = negative ? -magnitude : magnitude;
        *cursor = c;
        return true;
    }
    size_t length = strcspn(word, " \t\r\n\v\f");
    if (!scan_slowly(word, length, shift, value))
        return false;
    *cursor = word + length;
    return true;
}

struct length_unit length_unit(double mm)
{
    for (int k = 0; k <= 15; k++) {
        if (mm == power_of_ten[k])
            return (struct length_unit){k, 1};
        if (mm == 1 / power_of_ten[k])
            return (struct length_unit){-k, 1};
    }
    return (struct length_unit){0, mm};
}

double length_unit_to_mm(double value, struct length_unit unit)
{
    assert(abs(unit.shift) <= EXACT_POWER);
    value = unit.shift < 0 ? value / power_of_ten[-unit.shift] : value * power_of_ten[unit.shift];
    return value * unit.factor;
}

void scan_value_text(char text[40], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        char shown[40];
        snprintf(shown, sizeof shown, "%.*g", digits, value);
        memcpy(text, shown, sizeof shown);
        if (strtod(text, NULL) == value)
            break;
    }
    for (char *point = text; *point; point++)
        if (*point == ',') /* a locale's decimal comma */
            *point = '.';
}

/* text <- sign and digits, with the decimal point after the first `point` digits; returns its length */
static int place_point(char text[40], bool negative, const char *digits, int count, int point)
{
    static const char zeros[] = "00000000000000000";
    const char *sign = negative ? "-" : "";
    if (point < -3 || point > 17)
        return sprintf(text, "%s%c%s%se%d", sign, digits[0], count > 1 ? "." : "", digits + 1, point - 1);
    if (point <= 0)
        return sprintf(text, "%s0.%.*s%s", sign, -point, zeros, digits);
    if (point >= count)
        return sprintf(text, "%s%s%.*s", sign, digits, point - count, zeros);
    return sprintf(text, "%s%.*s.%s", sign, point, digits, digits + point);
}

int scan_number_text(char text[40], double value, int shift)
{
    assert(isfinite(value));
    char scientific[40];
    for (int precision = 14; precision <= 16; precision++) {
        snprintf(scientific, sizeof scientific, "%.*e", precision, value);
        if (strtod(scientific, NULL) == value)
            break;
    }
    char digits[20];
    int count = 0;
    bool negative = scientific[0] == '-';
    const char *c = scientific + negative;
    for (; *c != 'e'; c++)
        if (decimal_digit(*c))
            digits[count++] = *c;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    if (digits[0] == '0')
        return sprintf(text, "%s0", negative ? "-" : "");
    return place_point(text, negative, digits, count, atoi(c + 1) + 1 + shift);
}
