/* decimal.h: converts decimal text, times a power of ten, with a single rounding.
 *
 * A unit's prefix shifts the exponent before the conversion to binary: 0.15 cm, 1.5 mm and 1500 um are the
 * same double. */
#ifndef CARDIAC_KERNELS_BASE_DECIMAL_H
#define CARDIAC_KERNELS_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

static inline bool decimal_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The length of the number at the start of text: [+-] digits [. digits] [e [+-] digits], at most 1000
 * digits; 0 = no number */
size_t decimal_length(const char *text);

/* *value <- the number of that length times 10^shift, in any locale. false if it is outside the range of a
 * double */
bool decimal_value(double *value, const char *text, size_t length, long shift);

#endif
