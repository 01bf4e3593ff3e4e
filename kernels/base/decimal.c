/* decimal.c: decimal numbers of a text and as text, whatever the locale. */
#include "kernels/base/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t decimal_length(const char *text)
{
    const char *at = text + (*text == '+' || *text == '-');
    const char *first = at;
    int digits = 0, points = 0;
    for (; decimal_digit(*at) || (*at == '.' && !points); at++)
        *at == '.' ? points++ : digits++;
    if (!digits || at - first > 1000)
        return 0;
    const char *mark = at + 1;
    if ((*at == 'e' || *at == 'E') &&
        (decimal_digit(*mark) || ((*mark == '+' || *mark == '-') && decimal_digit(mark[1]))))
        for (at = mark + 1; decimal_digit(*at); at++)
            ;
    return (size_t)(at - text);
}

bool decimal_value(double *value, const char *text, size_t length, long shift)
{
    char decimal[1100];
    size_t mantissa = strcspn(text, "eE");
    mantissa = mantissa < length ? mantissa : length;
    long exponent = mantissa < length ? strtol(text + mantissa + 1, NULL, 10) : 0; /* saturates */
    if (exponent > 100000 || exponent < -100000)
        exponent = exponent > 0 ? 100000 : -100000; /* and so does the double */
    snprintf(decimal, sizeof decimal, "%.*se%ld", (int)mantissa, text, exponent + shift);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return false;
    *value = strtod_l(decimal, NULL, c);
    freelocale(c);
    bool zero = strcspn(text, "123456789") >= mantissa;
    return isfinite(*value) && (zero || *value != 0);
}

/* As printf writes it; any number, but slow */
static size_t print_text(char text[DECIMAL_TEXT], double value)
{
    const int length = snprintf(text, DECIMAL_TEXT, "%.*g", DECIMAL_DIGITS, value);
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    return (size_t)length;
}

/* text <- the number of these digits and this exponent of the first, without zeros at the end */
static size_t place_digits(char text[DECIMAL_TEXT], bool negative, uint64_t digits, int exponent)
{
    char digit[DECIMAL_DIGITS], *to = text;
    int count = DECIMAL_DIGITS;
    for (int k = DECIMAL_DIGITS - 1; k >= 0; k--, digits /= 10)
        digit[k] = (char)('0' + digits % 10);
    while (count > 1 && digit[count - 1] == '0')
        count--;
    const bool scientific = exponent < -4 || exponent >= DECIMAL_DIGITS;
    const int whole = scientific ? 1 : exponent + 1; /* digits before the point */
    if (negative)
        *to++ = '-';
    if (whole <= 0) {
        *to++ = '0';
        *to++ = '.';
        for (int k = whole; k < 0; k++)
            *to++ = '0';
    }
    for (int k = 0; k < count || k < whole; k++) {
        if (k == whole && k > 0)
            *to++ = '.';
        *to++ = k < count ? digit[k] : '0';
    }
    if (scientific)
        to += sprintf(to, "e%+03d", exponent);
    *to = 0;
    return (size_t)(to - text);
}

/* 12 digits are a whole number below 2^40, so 24 bits of a long double's 64 are left for what follows them: that
 * decides how they are rounded, unless it is within the error of one multiplication of a half. */
size_t decimal_text(char text[DECIMAL_TEXT], double value)
{
    static const long double power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                        1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                        1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L}; /* exact */
    enum { MOST = sizeof power / sizeof *power - 1 };
    const long double least = power[DECIMAL_DIGITS - 1], most = power[DECIMAL_DIGITS], close = 0x1p-20L;
    int binary;
    frexp(value, &binary);
    int exponent = (int)floor((binary - 1) * 0.30102999566398120); /* of the first digit, or one less */
    for (int again = 0; again < 2 && isfinite(value) && value != 0; again++, exponent++) {
        const int shift = DECIMAL_DIGITS - 1 - exponent;
        if (shift > MOST || shift < -MOST || LDBL_MANT_DIG < 64)
            break;
        const long double scaled =
            shift >= 0 ? fabsl((long double)value) * power[shift] : fabsl((long double)value) / power[-shift];
        if (scaled >= most)
            continue;
        uint64_t digits = (uint64_t)scaled;
        const long double rest = scaled - (long double)digits;
        if (scaled < least || fabsl(rest - 0.5L) < close)
            break;
        digits += rest > 0.5L;
        const bool next = digits == (uint64_t)most;
        return place_digits(text, value < 0, next ? digits / 10 : digits, exponent + next);
    }
    return print_text(text, value);
}
