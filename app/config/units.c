/* units.c: decimal text and units; see units.h. */
#include "app/config/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/util/scan.h"
#include "kernels/base/decimal.h"

/* m^power[0] s^power[1] V^power[2] A^power[3] times 10^ten */
struct unit {
    int power[4];
    int ten;
};

struct kind {
    const char *name, *internal, *bare;
};

static const struct kind kinds[QUANTITY_COUNT] = {
    [QUANTITY_NUMBER] = {"a plain number", "", ""},
    [QUANTITY_LENGTH] = {"a length", "mm", "mm"},
    [QUANTITY_TIME] = {"a time", "ms", "ms"},
    [QUANTITY_VOLTAGE] = {"a voltage", "mV", "mV"},
    [QUANTITY_CONDUCTIVITY] = {"a conductivity", "S/m", "S/m"},
    [QUANTITY_VELOCITY] = {"a velocity", "m/s", "m/s"},
    [QUANTITY_SURFACE_TO_VOLUME] = {"a surface-to-volume ratio", "1/mm", "1/cm"},
    [QUANTITY_CAPACITANCE] = {"a capacitance per area", "uF/mm^2", "uF/cm^2"},
    [QUANTITY_CURRENT] = {"a current per capacitance", "uA/uF", ""},
    [QUANTITY_CURRENT_PER_AREA] = {"a current per area", "uA/mm^2", ""},
    [QUANTITY_CURRENT_PER_VOLUME] = {"a current per volume", "uA/mm^3", ""},
};

static const struct {
    char symbol;
    struct unit unit;
} bases[] = {
    {'m', {{1, 0, 0, 0}, 0}}, {'s', {{0, 1, 0, 0}, 0}},  {'V', {{0, 0, 1, 0}, 0}},
    {'A', {{0, 0, 0, 1}, 0}}, {'S', {{0, 0, -1, 1}, 0}}, {'F', {{0, 1, -1, 1}, 0}},
};

static const struct {
    const char *symbol;
    int ten;
} prefixes[] = {
    {"f", -15}, {"p", -12}, {"n", -9}, {"u", -6}, {"\u00b5", -6}, {"\u03bc", -6},
    {"m", -3},  {"c", -2},  {"d", -1}, {"k", 3},  {"M", 6},       {"G", 9},
};

const char *units_internal(enum quantity quantity)
{
    return kinds[quantity].internal;
}

const char *units_default(enum quantity quantity)
{
    return kinds[quantity].bare;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One base symbol that is the whole of text[0 .. length). */
static bool read_base(struct unit *unit, const char *text, size_t length)
{
    for (size_t i = 0; length == 1 && i < sizeof bases / sizeof *bases; i++)
        if (text[0] == bases[i].symbol) {
            *unit = bases[i].unit;
            return true;
        }
    return false;
}

/* "mm" -> milli, metre; a lone "m" is the metre. */
static bool read_symbol(struct unit *unit, const char *text, size_t length)
{
    if (read_base(unit, text, length))
        return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t skip = strlen(prefixes[i].symbol);
        if (length > skip && strncmp(text, prefixes[i].symbol, skip) == 0 &&
            read_base(unit, text + skip, length - skip)) {
            unit->ten += prefixes[i].ten;
            return true;
        }
    }
    return false;
}

/* "^2", "2", "^-1", "-1", "²", "³" or nothing (1) at *text, which is moved behind it; 0 if malformed. */
static int read_power(const char **text)
{
    if (strncmp(*text, "\u00b2", 2) == 0 || strncmp(*text, "\u00b3", 2) == 0) {
        int power = strncmp(*text, "\u00b2", 2) == 0 ? 2 : 3;
        *text += 2;
        return power;
    }
    const char *at = *text;
    bool marked = *at == '^';
    at += marked;
    int sign = *at == '-' ? -1 : 1;
    at += *at == '-';
    if (!is_digit(*at))
        return marked || sign < 0 ? 0 : 1;
    int power = sign * (*at - '0');
    *text = at + 1;
    return is_digit(at[1]) || power < -4 || power > 4 ? 0 : power;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

/* product of factors joined by '*', '/' or blanks; '/' divides by the factor that follows it */
static bool read_unit(struct unit *unit, const char *text)
{
    *unit = (struct unit){0};
    int sign = 1;
    if (*text == '1' && *skip_blanks(text + 1) == '/')
        text = skip_blanks(text + 1);
    if (*text == '/') {
        sign = -1;
        text = skip_blanks(text + 1);
    }
    for (int factors = 0; factors < 8; factors++) {
        struct unit factor;
        size_t length = strcspn(text, "^*/ \t-0123456789\xc2");
        if (strncmp(text, "\u00b5", 2) == 0) /* the micro sign begins with the byte of the superscripts */
            length = 2 + strcspn(text + 2, "^*/ \t-0123456789\xc2");
        if (!read_symbol(&factor, text, length))
            return false;
        text += length;
        int power = read_power(&text);
        if (power == 0)
            return false;
        for (int k = 0; k < 4; k++)
            unit->power[k] += sign * power * factor.power[k];
        unit->ten += sign * power * factor.ten;
        text = skip_blanks(text);
        if (!*text)
            return true;
        sign = *text == '/' ? -1 : 1;
        if (*text == '/' || *text == '*')
            text = skip_blanks(text + 1);
    }
    return false;
}

static bool same_dimension(const struct unit *a, const struct unit *b)
{
    return memcmp(a->power, b->power, sizeof a->power) == 0;
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

static enum status convert_number(double *value, const char *text, const struct number *number,
                                  const struct unit *unit, enum quantity quantity, struct error *error)
{
    struct unit internal = {0};
    if (*kinds[quantity].internal)
        read_unit(&internal, kinds[quantity].internal);
    if (!decimal_value(value, text, number->length, unit->ten - internal.ten))
        return error_set(error, STATUS_INPUT, "'%.80s' is too large or too small a number", text);
    return STATUS_OK;
}

static enum status bad_unit(const char *text, const char *unit, const char *wanted, struct error *error)
{
    struct unit known;
    if (read_unit(&known, unit))
        return error_set(error, STATUS_INPUT, "'%.80s' is not %s", text, wanted);
    return error_set(error, STATUS_INPUT, "'%.80s' is not %s: unknown unit '%.40s'", text, wanted, unit);
}

enum status units_read(double *value, const char *text, enum quantity quantity, struct error *error)
{
    struct number number;
    TRY(read_number(&number, text, error));
    const struct kind *kind = &kinds[quantity];
    char wanted[80];
    snprintf(wanted, sizeof wanted, *kind->internal ? "%s (%s)" : "%s", kind->name,
             *kind->bare ? kind->bare : kind->internal);
    struct unit unit = {0}, internal = {0};
    if (*kind->internal)
        read_unit(&internal, kind->internal);
    const char *written = *number.unit ? number.unit : kind->bare;
    bool given = *written != 0;
    if (given && (!read_unit(&unit, written) || !same_dimension(&unit, &internal) || !*kind->internal))
        return bad_unit(text, written, wanted, error);
    if (!given && *kind->internal)
        return error_set(error, STATUS_INPUT, "'%.80s' needs a unit: %s", text, wanted);
    return convert_number(value, text, &number, &unit, quantity, error);
}

enum status units_read_current(double *value, enum quantity *quantity, const char *text, struct error *error)
{
    static const char wanted[] =
        "a current per capacitance (uA/uF), per membrane area (uA/cm^2) or per volume (uA/cm^3)";
    struct number number;
    TRY(read_number(&number, text, error));
    if (!*number.unit)
        return error_set(error, STATUS_INPUT, "'%.80s' needs a unit: %s", text, wanted);
    struct unit unit;
    if (!read_unit(&unit, number.unit))
        return bad_unit(text, number.unit, wanted, error);
    for (*quantity = QUANTITY_CURRENT; *quantity <= QUANTITY_CURRENT_PER_VOLUME; (*quantity)++) {
        struct unit internal;
        read_unit(&internal, kinds[*quantity].internal);
        if (same_dimension(&unit, &internal))
            return convert_number(value, text, &number, &unit, *quantity, error);
    }
    return bad_unit(text, number.unit, wanted, error);
}

enum status units_read_as(double *value, const char *text, const char *unit, struct error *error)
{
    struct number number;
    TRY(read_number(&number, text, error));
    struct unit given = {0}, wanted = {0};
    bool plain = !*unit || strcmp(unit, "1") == 0;
    bool literal = !*number.unit || strcmp(number.unit, unit) == 0;
    if (!literal && (plain || !read_unit(&wanted, unit) || !read_unit(&given, number.unit) ||
                     !same_dimension(&given, &wanted)))
        return error_set(error, STATUS_INPUT, "'%.80s' is not a number%s%.40s", text,
                         plain ? " without a unit" : " in ", plain ? "" : unit);
    long shift = literal ? 0 : given.ten - wanted.ten;
    if (!decimal_value(value, text, number.length, shift))
        return error_set(error, STATUS_INPUT, "'%.80s' is too large or too small a number", text);
    return STATUS_OK;
}

const char *units_write(char *text, size_t size, double value, enum quantity quantity)
{
    char number[40];
    scan_value_text(number, value);
    snprintf(text, size, "%s%s%s", number, *units_internal(quantity) ? " " : "", units_internal(quantity));
    return text;
}
