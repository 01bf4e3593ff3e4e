/* scan.h: read and write numbers as text, with the results of strtod in the C locale, but faster.
 *
 * A decimal number whose digits fit in 53 bits and whose power of ten is exact in double (|e| <= 22) is one
 * correctly rounded product or quotient (Clinger 1990, "How to read floating point numbers accurately",
 * PLDI); everything else goes to strtod. A power of ten may be added to the exponent before rounding, so that
 * 1500 um and 1.5 mm are the same double. */
#ifndef CARDIAC_APP_UTIL_SCAN_H
#define CARDIAC_APP_UTIL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

/* *value <- the number at *cursor, after blanks; advances *cursor past it. It must be followed by a blank, a line end
 * or the end of the string. False, with *cursor at the word, if there is no number or it is out of range. "nan" and
 * "inf" are accepted: the caller refuses them with a better message. */
bool scan_integer(const char **cursor, int64_t *value);
bool scan_number(const char **cursor, int shift, double *value);

/* A length unit: multiply by 10^shift (exactly, in the text) and by factor to convert to mm. */
struct length_unit {
    int shift;
    double factor;
};

/* The unit of `mm` millimetres: a shift where mm is a power of ten, else a factor. */
struct length_unit length_unit(double mm);
/* value in that unit -> mm, rounded once */
double length_unit_to_mm(double value, struct length_unit unit);

/* text <- the shortest decimal of 15 to 17 digits that reads back as value, in any locale; also NaN and infinities */
void scan_value_text(char text[40], double value);

/* text <- the shortest decimal that reads back as value 10^shift, shift taken exactly; returns its length */
int scan_number_text(char text[40], double value, int shift);

#endif
