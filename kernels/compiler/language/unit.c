/* unit.c: names of units, prefixes, and the arithmetic of powers. */
#include "kernels/compiler/language/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/elementary.h"
#include "kernels/compiler/language/expression.h"

/* log10 of the factor, powers of g, m, s, A, K, cd, mol; whether prefixes may stand before it */
static const struct known_unit {
    const char *name;
    bool prefixed;
    double factor;
    signed char power[MMT_UNIT_BASES];
} known[] = {
    {"1", false, 0, {0}},
    {"dimensionless", false, 0, {0}},
    {"g", true, 0, {1}},
    {"m", true, 0, {0, 1}},
    {"s", true, 0, {0, 0, 1}},
    {"A", true, 0, {0, 0, 0, 1}},
    {"K", true, 0, {0, 0, 0, 0, 1}},
    {"cd", true, 0, {0, 0, 0, 0, 0, 1}},
    {"mol", true, 0, {0, 0, 0, 0, 0, 0, 1}},
    {"V", true, 3, {1, 2, -3, -1}},
    {"C", true, 0, {0, 0, 1, 1}},
    {"F", true, -3, {-1, -2, 4, 2}},
    {"S", true, -3, {-1, -2, 3, 2}},
    {"Ohm", true, 3, {1, 2, -3, -2}},
    {"R", true, 3, {1, 2, -3, -2}},
    {"M", true, 3, {0, -3, 0, 0, 0, 0, 1}},
    {"L", true, -3, {0, 3}},
    {"J", true, 3, {1, 2, -2}},
    {"N", true, 3, {1, 1, -2}},
    {"Pa", true, 3, {1, -1, -2}},
    {"W", true, 3, {1, 2, -3}},
    {"Hz", true, 0, {0, 0, -1}},
    {"H", true, 3, {1, 2, -2, -2}},
    {"T", true, 3, {1, 0, -2, -1}},
    {"Wb", true, 3, {1, 2, -2, -1}},
};

struct mmt_unit mmt_unit_one(void)
{
    return (struct mmt_unit){.given = true};
}

struct mmt_unit mmt_unit_times(struct mmt_unit a, struct mmt_unit b, double power)
{
    struct mmt_unit unit = {.given = a.given && b.given, .factor = a.factor + power * b.factor};
    for (int k = 0; k < MMT_UNIT_BASES; k++)
        unit.power[k] = a.power[k] + power * b.power[k];
    return unit;
}

bool mmt_unit_comparable(struct mmt_unit a, struct mmt_unit b)
{
    for (int k = 0; k < MMT_UNIT_BASES; k++)
        if (fabs(a.power[k] - b.power[k]) > 1e-6)
            return false;
    return true;
}

bool mmt_unit_same(struct mmt_unit a, struct mmt_unit b)
{
    return mmt_unit_comparable(a, b) && fabs(a.factor - b.factor) < 1e-8;
}

/* Adds the named unit to `unit`; false: no such name */
static bool add_named(struct mmt_unit *unit, const char *name, int length, double power)
{
    static const char prefix[] = "yzafpnumcdhkMGTPEZY";
    static const int tenth[] = {-24, -21, -18, -15, -12, -9, -6, -3, -2, -1, 2, 3, 6, 9, 12, 15, 18, 21, 24};
    const bool micro = length > 2 && (!memcmp(name, "\u00b5", 2) || !memcmp(name, "\u03bc", 2));
    if (micro) {
        unit->factor -= 6 * power;
        name += 2;
        length -= 2;
    }
    for (int with = 0; with < 2 - micro && with < length; with++)
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            const struct known_unit *one = &known[k];
            const char *found = with ? memchr(prefix, name[0], sizeof prefix - 1) : NULL;
            if (strlen(one->name) != (size_t)(length - with) ||
                memcmp(one->name, name + with, (size_t)(length - with)) != 0 || (with && !found) ||
                ((with || micro) && !one->prefixed))
                continue;
            unit->factor += power * (one->factor + (with ? tenth[found - prefix] : 0));
            for (int b = 0; b < MMT_UNIT_BASES; b++)
                unit->power[b] += power * one->power[b];
            return true;
        }
    return false;
}

static void blanks(const char *text, int length, int *at)
{
    while (*at < length && (text[*at] == ' ' || text[*at] == '\t'))
        ++*at;
}

/* A number of the text at *at, which it passes; false: there is none */
static bool number_at(const char *text, int length, int *at, double *number)
{
    char copy[64];
    int n = 0;
    while (*at + n < length && n < 63 && text[*at + n] && strchr("+-.0123456789eE", text[*at + n]))
        copy[n] = text[*at + n], n++;
    copy[n] = 0;
    char *end;
    *number = strtod(copy, &end);
    *at += (int)(end - copy);
    return end > copy && isfinite(*number);
}

static bool no(char *why, size_t size, const char *what, const char *text, int length)
{
    snprintf(why, size, what, length < 40 ? length : 40, text);
    return false;
}

/* Whether the two bytes there are a superscript 2 or 3 */
static bool is_superscript(const char *text, int length, int at)
{
    return at + 1 < length && (memcmp(text + at, "\u00b2", 2) == 0 || memcmp(text + at, "\u00b3", 2) == 0);
}

static bool is_named(const char *text, int length, int at)
{
    return (text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z') || text[at] == '_' ||
           ((unsigned char)text[at] >= 0x80 && !is_superscript(text, length, at));
}

/* The power of a name at *at, which it passes: ^2, ^ -1, 2, -1 or a superscript; 1 where none is. false: ^
 * without a number */
static bool power_at(const char *text, int length, int *at, double *power)
{
    *power = 1;
    if (is_superscript(text, length, *at)) {
        *power = memcmp(text + *at, "\u00b2", 2) == 0 ? 2 : 3;
        *at += 2;
        return true;
    }
    bool direct = *at < length && text[*at] && strchr("-0123456789", text[*at]);
    if (!direct) {
        blanks(text, length, at);
        if (*at == length || text[*at] != '^')
            return true;
        ++*at;
        blanks(text, length, at);
    }
    return number_at(text, length, at, power) && fabs(*power) <= 100;
}

bool mmt_unit_read(struct mmt_unit *unit, const char *text, int length, int *at, char *why, size_t size)
{
    *unit = mmt_unit_one();
    *at = 0;
    double sign = 1;
    for (bool first = true;; first = false) {
        blanks(text, length, at);
        if (first && *at < length && text[*at] == '/') {
            ++*at;
            sign = -1;
            blanks(text, length, at);
        }
        int begin = *at;
        bool one = first && sign > 0 && *at < length && text[*at] == '1';
        *at += one;
        while (!one && *at < length && is_named(text, length, *at))
            ++*at;
        int end = *at;
        double power = 1;
        if (!one && !power_at(text, length, at, &power))
            return no(why, size, "a number is missing behind '^' in the unit [%.*s]", text, length);
        if (end == begin || !add_named(unit, text + begin, end - begin, sign * power)) {
            *at = begin;
            if (end == begin)
                return no(why, size, "a unit's name is missing in [%.*s]", text, length);
            return no(why, size, "no unit is named '%.*s'", text + begin, end - begin);
        }
        blanks(text, length, at);
        if (*at == length || (text[*at] != '*' && text[*at] != '/' && !is_named(text, length, *at)))
            break;
        sign = text[*at] == '/' ? -1 : 1;
        *at += text[*at] == '*' || text[*at] == '/';
    }
    if (*at < length && text[*at] == '(') {
        double factor;
        ++*at;
        blanks(text, length, at);
        if (!number_at(text, length, at, &factor) || !(factor > 0))
            return no(why, size, "the factor of the unit [%.*s] is no positive number", text, length);
        unit->factor += real_log_double(factor) * EXPRESSION_LOG10_E;
        blanks(text, length, at);
        if (*at == length || text[*at] != ')')
            return no(why, size, "')' is missing in the unit [%.*s]", text, length);
        ++*at;
        blanks(text, length, at);
    }
    if (*at < length)
        return no(why, size, "the unit [%.*s] goes on with what belongs to none", text, length);
    return true;
}

struct mmt_unit mmt_unit_named(const char *name)
{
    struct mmt_unit unit;
    char why[100];
    int at;
    mmt_unit_read(&unit, name, (int)strlen(name), &at, why, sizeof why);
    return unit;
}

double mmt_unit_ratio(struct mmt_unit a, struct mmt_unit b)
{
    double power = a.factor - b.factor, ratio = expression_power(10, power), whole = round(ratio);
    if (fabs(power - round(power)) < 1e-9) /* sums of logarithms round */
        return expression_power(10, round(power));
    return fabs(ratio - whole) < 1e-9 * ratio ? whole : ratio;
}

const char *mmt_unit_print(struct mmt_unit unit, char *text, size_t size)
{
    static const char *const usual[] = {
        "1",       "V",       "mV",  "ms",    "s",       "1/ms", "1/s",   "1/mV",    "V/s",      "mV/ms",
        "M",       "mM",      "uM",  "mM/ms", "uM/ms",   "mM/s", "1/mM",  "1/mM/ms", "A/F",      "uA/cm^2",
        "mS/cm^2", "uF/cm^2", "A",   "uA",    "nA",      "pA",   "F",     "uF",      "nF",       "pF",
        "S",       "mS",      "uS",  "nS",    "1/mV/ms", "C",    "C/mol", "J/mol/K", "mJ/mol/K", "K",
        "mol",     "m",       "mm",  "mm^2",  "cm",      "um",   "m^2",   "cm^2",    "um^2",     "L",
        "uL",      "pL",      "V*M", "mV*mM", "mV*ms",   "ms^2", "mV^2"};
    const char *near = NULL;
    for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++) {
        struct mmt_unit one = mmt_unit_named(usual[k]);
        near = near || !mmt_unit_comparable(unit, one) ? near : usual[k];
        if (mmt_unit_same(unit, one)) {
            snprintf(text, size, "%s", usual[k]);
            return text;
        }
    }
    if (near) {
        snprintf(text, size, "%s (%.9g)", near, mmt_unit_ratio(unit, mmt_unit_named(near)));
        return text;
    }
    static const char *const base[] = {"g", "m", "s", "A", "K", "cd", "mol"};
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < MMT_UNIT_BASES && used < size; k++)
        if (unit.power[k] != 0)
            used += (size_t)snprintf(text + used, size - used, unit.power[k] == 1 ? "%s%s" : "%s%s^%g",
                                     used ? "*" : "", base[k], unit.power[k]);
    if (!used)
        used += (size_t)snprintf(text, size, "1");
    if (fabs(unit.factor) > 1e-8 && used < size)
        snprintf(text + used, size - used, " (%.9g)", expression_power(10, unit.factor));
    return text;
}
