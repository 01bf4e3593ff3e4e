/* decimal.c: reads decimal numbers from text, independently of the locale. */
#include "kernels/base/decimal.h"

#include <locale.h>
#include <math.h>
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
    long exponent = mantissa < length ? strtol(text + mantissa + 1, NULL, 10) : 0; /* strtol saturates */
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
