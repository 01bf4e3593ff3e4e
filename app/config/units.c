/* units.c: read and write numbers with their units. */
#include "app/config/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/util/scan.h"
#include "kernels/base/decimal.h"
#include "kernels/compiler/language/unit.h"

struct kind {
    const char *name, *internal, *bare;
};

static const struct kind kinds[QUANTITY_COUNT] = {
    [QUANTITY_NUMBER] = {"a plain number", "", ""},
    [QUANTITY_LENGTH] = {"a length", "mm", "mm"},
    [QUANTITY_TIME] = {"a time", "ms", "ms"},
    [QUANTITY_VOLTAGE] = {"a voltage", "mV", "mV"},
    [QUANTITY_CONDUCTIVITY] = {"a conductivity", "S/m", "S/m"},
    [QUANTITY_CONDUCTANCE] = {"a conductance", "mS", "uS"},
    [QUANTITY_VELOCITY] = {"a velocity", "m/s", "m/s"},
    [QUANTITY_SURFACE_TO_VOLUME] = {"a surface-to-volume ratio", "1/mm", "1/cm"},
    [QUANTITY_CAPACITANCE] = {"a capacitance per area", "uF/mm^2", "uF/cm^2"},
    [QUANTITY_CURRENT] = {"a current per capacitance", "uA/uF", ""},
    [QUANTITY_CURRENT_PER_AREA] = {"a current per area", "uA/mm^2", ""},
    [QUANTITY_CURRENT_PER_VOLUME] = {"a current per volume", "uA/mm^3", ""},
};

const char *units_default(enum quantity quantity)
{
    return kinds[quantity].bare;
}

static const char *skip_blanks(const char *text)
{
    for (size_t blank = 1; blank; text += blank)
        blank = *text == ' ' || *text == '\t'           ? 1
                : strncmp(text, "\xc2\xa0", 2) == 0     ? 2 /* no-break space */
                : strncmp(text, "\xe2\x80\xaf", 3) == 0 ? 3 /* narrow no-break space */
                                                        : 0;
    return text;
}

/* *unit <- text; false unless it is a unit that differs from a product of SI base units by a power of ten */
static bool read_unit(struct mmt_unit *unit, const char *text)
{
    char why[200];
    int at;
    return mmt_unit_read(unit, text, (int)strlen(text), &at, why, sizeof why) &&
           fabs(unit->factor - round(unit->factor)) < 1e-9;
}

/* What to add to a number's decimal exponent to convert it from one unit to the other */
static long shift_of(const struct mmt_unit *from, const struct mmt_unit *to)
{
    return lround(from->factor - to->factor);
}

struct number {
    size_t length;
    const char *unit; /* what follows, without blanks; "" if nothing */
};

static enum status read_number(struct number *number, const char *text, struct error *error)
{
    const char *start = skip_blanks(text);
    *number = (struct number){decimal_length(start), ""};
    if (number->length == 0 || start != text)
        return error_set(error, STATUS_INPUT, "'%.80s' is not a number", text);
    number->unit = skip_blanks(start + number->length);
    return STATUS_OK;
}

/* *value <- the number times 10^shift */
static enum status convert_number(double *value, const char *text, const struct number *number, long shift,
                                  struct error *error)
{
    if (!decimal_value(value, text, number->length, shift))
        return error_set(error, STATUS_INPUT, "'%.80s' is too large or too small a number", text);
    return STATUS_OK;
}

static enum status bad_unit(const char *text, const char *unit, const char *expected, struct error *error)
{
    struct mmt_unit known;
    if (*unit == ',')
        return error_set(error, STATUS_INPUT, "'%.80s' is not %s: decimals follow a point, not a comma", text,
                         expected);
    double hertz = 0;
    if (strcmp(unit, "Hz") == 0 && strncmp(expected, "a time", 6) == 0 &&
        decimal_value(&hertz, text, decimal_length(text), 0) && hertz > 0)
        return error_set(error, STATUS_INPUT, "'%.80s' is not %s; the period of %.80s is %.6g ms", text,
                         expected, text, 1000 / hertz);
    if (read_unit(&known, unit))
        return error_set(error, STATUS_INPUT, "'%.80s' is not %s", text, expected);
    return error_set(error, STATUS_INPUT, "'%.80s' is not %s: unknown unit '%.40s'", text, expected, unit);
}

enum status units_read(double *value, const char *text, enum quantity quantity, struct error *error)
{
    struct number number;
    TRY(read_number(&number, text, error));
    const struct kind *kind = &kinds[quantity];
    char expected[80];
    snprintf(expected, sizeof expected, *kind->internal ? "%s (%s)" : "%s", kind->name,
             *kind->bare ? kind->bare : kind->internal);
    struct mmt_unit unit = {0}, internal = {0};
    if (*kind->internal)
        read_unit(&internal, kind->internal);
    const char *written = *number.unit ? number.unit : kind->bare;
    bool given = *written != 0;
    if (given && (!read_unit(&unit, written) || !mmt_unit_comparable(unit, internal) || !*kind->internal))
        return bad_unit(text, written, expected, error);
    if (!given && *kind->internal)
        return error_set(error, STATUS_INPUT, "'%.80s' needs a unit: %s", text, expected);
    return convert_number(value, text, &number, shift_of(&unit, &internal), error);
}

enum status units_read_current(double *value, enum quantity *quantity, const char *text, struct error *error)
{
    static const char expected[] =
        "a current per capacitance (uA/uF), per membrane area (uA/cm^2) or per volume (uA/cm^3)";
    struct number number;
    TRY(read_number(&number, text, error));
    if (!*number.unit)
        return error_set(error, STATUS_INPUT, "'%.80s' needs a unit: %s", text, expected);
    struct mmt_unit unit;
    if (!read_unit(&unit, number.unit))
        return bad_unit(text, number.unit, expected, error);
    for (*quantity = QUANTITY_CURRENT; *quantity <= QUANTITY_CURRENT_PER_VOLUME; (*quantity)++) {
        struct mmt_unit internal;
        read_unit(&internal, kinds[*quantity].internal);
        if (mmt_unit_comparable(unit, internal))
            return convert_number(value, text, &number, shift_of(&unit, &internal), error);
    }
    return bad_unit(text, number.unit, expected, error);
}

enum status units_read_as(double *value, const char *text, const char *unit, struct error *error)
{
    struct number number;
    TRY(read_number(&number, text, error));
    struct mmt_unit given = {0}, expected = {0};
    bool plain = !*unit || strcmp(unit, "1") == 0;
    bool literal = !*number.unit || strcmp(number.unit, unit) == 0;
    if (!literal && (plain || !read_unit(&expected, unit) || !read_unit(&given, number.unit) ||
                     !mmt_unit_comparable(given, expected)))
        return error_set(error, STATUS_INPUT, "'%.80s' is not a number%s%.40s", text,
                         plain ? " without a unit" : " in ", plain ? "" : unit);
    return convert_number(value, text, &number, literal ? 0 : shift_of(&given, &expected), error);
}

const char *units_write(char *text, size_t size, double value, enum quantity quantity)
{
    char number[40];
    const char *unit = kinds[quantity].internal; /* "mm"; "" for plain numbers */
    scan_value_text(number, value);
    snprintf(text, size, "%s%s%s", number, *unit ? " " : "", unit);
    return text;
}
