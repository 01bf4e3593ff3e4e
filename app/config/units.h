/* units.h: "1.5 mm" -> a number in internal units, with its dimension checked.
 *
 * A unit is one of the models' language (kernels/compiler/language/unit.h): "uA/cm^2", "1/mm", "cm^-1",
 * "pA/pF", "cm2". Those of one dimension differ by powers of ten only, so a conversion shifts the decimal
 * exponent of the text before it is read as binary: 0.15 cm, 1.5 mm and 1500 um become the same double. */
#ifndef CARDIAC_APP_CONFIG_UNITS_H
#define CARDIAC_APP_CONFIG_UNITS_H

#include <stddef.h>

#include "kernels/base/error.h"

enum quantity {
    QUANTITY_NUMBER,             /* no unit */
    QUANTITY_LENGTH,             /* mm */
    QUANTITY_TIME,               /* ms */
    QUANTITY_VOLTAGE,            /* mV */
    QUANTITY_CONDUCTIVITY,       /* S/m = mS/mm */
    QUANTITY_CONDUCTANCE,        /* mS */
    QUANTITY_VELOCITY,           /* m/s = mm/ms */
    QUANTITY_SURFACE_TO_VOLUME,  /* 1/mm */
    QUANTITY_CAPACITANCE,        /* uF/mm^2 */
    QUANTITY_CURRENT,            /* per capacitance, uA/uF = mV/ms */
    QUANTITY_CURRENT_PER_AREA,   /* of membrane, uA/mm^2 */
    QUANTITY_CURRENT_PER_VOLUME, /* of tissue, uA/mm^3 */
    QUANTITY_COUNT
};

/* *value <- text in the internal unit of quantity. A bare number has the quantity's default unit
 * (units_default). Errors (STATUS_INPUT) name the text and what would be right: not a number, unknown unit,
 * wrong dimension, inf, nan, hexadecimal, too large or small for a double. */
enum status units_read(double *value, const char *text, enum quantity quantity, struct error *error);

/* The same for a stimulus current: *quantity <- the kind of current, inferred from the unit. A bare number is
 * an error. */
enum status units_read_current(double *value, enum quantity *quantity, const char *text, struct error *error);

/* *value <- text converted to `unit`: a bare number, or one with a unit of the same dimension ("0.3" or "300 us"
 * for "ms"). If `unit` is not a unit of the language (such as "deg"), the number is bare or has that very word. */
enum status units_read_as(double *value, const char *text, const char *unit, struct error *error);

const char *units_default(enum quantity quantity); /* the unit of a bare number: "1/cm"; "" = none */

/* text <- value with enough digits (15 to 17) to read back the same double, then the internal unit. Returns
 * text. */
const char *units_write(char *text, size_t size, double value, enum quantity quantity);

#endif
