/* unit.c: symbols and names of units, prefixes, and the arithmetic of powers. */
#include "kernels/compiler/language/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/elementary.h"
#include "kernels/base/printed.h"
#include "kernels/compiler/language/expression.h"

/* Symbols, which may have a prefix: log10 of the factor, powers of g, m, s, A, K, cd, mol */
static const struct symbol {
    const char *name;
    double factor;
    signed char power[MMT_UNIT_BASES];
} symbols[] = {
    {"g", 0, {1}},
    {"m", 0, {0, 1}},
    {"s", 0, {0, 0, 1}},
    {"A", 0, {0, 0, 0, 1}},
    {"K", 0, {0, 0, 0, 0, 1}},
    {"cd", 0, {0, 0, 0, 0, 0, 1}},
    {"mol", 0, {0, 0, 0, 0, 0, 0, 1}},
    {"V", 3, {1, 2, -3, -1}},
    {"C", 0, {0, 0, 1, 1}},
    {"F", -3, {-1, -2, 4, 2}},
    {"S", -3, {-1, -2, 3, 2}},
    {"Ohm", 3, {1, 2, -3, -2}},
    {"R", 3, {1, 2, -3, -2}},
    {"M", 3, {0, -3, 0, 0, 0, 0, 1}},
    {"L", -3, {0, 3}},
    {"J", 3, {1, 2, -2}},
    {"N", 3, {1, 1, -2}},
    {"Pa", 3, {1, -1, -2}},
    {"W", 3, {1, 2, -3}},
    {"Hz", 0, {0, 0, -1}},
    {"H", 3, {1, 2, -2, -2}},
    {"T", 3, {1, 0, -2, -1}},
    {"Wb", 3, {1, 2, -2, -1}},
    {"lm", 0, {0, 0, 0, 0, 0, 1}},
    {"lx", 0, {0, -2, 0, 0, 0, 1}},
    {"Bq", 0, {0, 0, -1}},
    {"Gy", 0, {0, 2, -2}},
    {"Sv", 0, {0, 2, -2}},
    {"kat", 0, {0, 0, -1, 0, 0, 0, 1}},
    {"Da", -23.7797509565690042, {1}}, /* 1.66053886e-24 g (CODATA 2002) */
};

/* Names without a prefix, defined by symbols. Customary units are those of Myokit, with its values; its
 * nautical mile is the Admiralty's. */
static const char *const names[][2] = {
    {"1", ""},
    {"dimensionless", ""},
    {"rad", ""},
    {"radian", ""},
    {"sr", ""},
    {"steradian", ""},
    {"kilogram", "kg"},
    {"metre", "m"},
    {"meter", "m"},
    {"second", "s"},
    {"ampere", "A"},
    {"kelvin", "K"},
    {"candela", "cd"},
    {"mole", "mol"},
    {"hertz", "Hz"},
    {"newton", "N"},
    {"pascal", "Pa"},
    {"joule", "J"},
    {"watt", "W"},
    {"coulomb", "C"},
    {"volt", "V"},
    {"farad", "F"},
    {"ohm", "Ohm"},
    {"siemens", "S"},
    {"weber", "Wb"},
    {"tesla", "T"},
    {"henry", "H"},
    {"lumen", "lm"},
    {"lux", "lx"},
    {"becquerel", "Bq"},
    {"gray", "Gy"},
    {"sievert", "Sv"},
    {"katal", "kat"},
    {"molar", "M"},
    {"liter", "L"},
    {"litre", "L"},
    {"cc", "cm^3"},
    {"dalton", "Da"},
    {"tonne", "kg (1000)"},
    {"bar", "kPa (100)"},
    {"atm", "Pa (101325)"},
    {"torr", "Pa (133.322368421052632)"},
    {"minute", "s (60)"},
    {"hour", "s (3600)"},
    {"hr", "s (3600)"},
    {"h", "s (3600)"},
    {"day", "s (86400)"},
    {"week", "s (604800)"},
    {"wk", "s (604800)"},
    {"forthnight", "s (1209600)"},
    {"julian_year", "s (31557600)"},
    {"year", "s (31557600)"},
    {"yr", "s (31557600)"},
    {"dog_year", "s (4508228.57142857143)"},
    {"parsec", "m (3.0857e16)"},
    {"pc", "m (3.0857e16)"},
    {"light_year", "m (9.4605284e15)"},
    {"ly", "m (9.4605284e15)"},
    {"angstrom", "m (1e-10)"},
    {"smoot", "m (1.7018)"},
    {"thou", "m (2.54e-5)"},
    {"inches", "m (0.0254)"},
    {"feet", "m (0.3048)"},
    {"yards", "m (0.9144)"},
    {"links", "m (0.201168)"},
    {"rods", "m (5.0292)"},
    {"chains", "m (20.1168)"},
    {"furlongs", "m (201.168)"},
    {"miles", "m (1609.344)"},
    {"leagues", "m (4828.032)"},
    {"fathoms", "m (1.853184)"},
    {"cables", "m (185.3184)"},
    {"nautical_miles", "m (1853.184)"},
    {"perches", "m^2 (25.29285264)"},
    {"roods", "m^2 (1011.7141056)"},
    {"acres", "m^2 (4046.8564224)"},
    {"hectare", "m^2 (1e4)"},
    {"fluid_ounces", "L (0.0284130625)"},
    {"floz", "L (0.0284130625)"},
    {"gills", "L (0.1420653125)"},
    {"half_pints", "L (0.284130625)"},
    {"pints", "L (0.56826125)"},
    {"quarts", "L (1.1365225)"},
    {"gallons", "L (4.54609)"},
    {"grains", "g (0.06479891)"},
    {"drachms", "g (1.7718451953125)"},
    {"ounces", "g (28.349523125)"},
    {"oz", "g (28.349523125)"},
    {"pounds", "g (453.59237)"},
    {"lb", "g (453.59237)"},
    {"stones", "g (6350.29318)"},
    {"quarters", "g (12700.58636)"},
    {"hundredweights", "g (50802.34544)"},
    {"imp_tons", "g (1016046.9088)"},
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

/* *unit <- the unit with this name; false if there is none. A name of four letters or more may be
 * capitalised (Volt). */
static bool find_name(struct mmt_unit *unit, const char *name, int length)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *known = names[k][0];
        if (strlen(known) == (size_t)length && memcmp(known + 1, name + 1, (size_t)length - 1) == 0 &&
            (known[0] == name[0] || (length > 3 && known[0] == name[0] - 'A' + 'a'))) {
            *unit = names[k][1][0] ? mmt_unit_named(names[k][1]) : mmt_unit_one();
            return true;
        }
    }
    return false;
}

/* *unit <- the unit of a symbol without a prefix; false: no such symbol */
static bool find_symbol(struct mmt_unit *unit, const char *name, int length)
{
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++)
        if (strlen(symbols[k].name) == (size_t)length && memcmp(symbols[k].name, name, (size_t)length) == 0) {
            *unit = (struct mmt_unit){.given = true, .factor = symbols[k].factor};
            for (int b = 0; b < MMT_UNIT_BASES; b++)
                unit->power[b] = symbols[k].power[b];
            return true;
        }
    return false;
}

/* Multiplies `unit` by the named unit raised to `power`; false: no such name */
static bool add_named(struct mmt_unit *unit, const char *name, int length, double power)
{
    static const char prefix[] = "yzafpnumcdhkMGTPEZY";
    static const int tenth[] = {-24, -21, -18, -15, -12, -9, -6, -3, -2, -1, 2, 3, 6, 9, 12, 15, 18, 21, 24};
    const bool micro = length > 2 && (!memcmp(name, "\u00b5", 2) || !memcmp(name, "\u03bc", 2));
    struct mmt_unit one;
    if (length < 1)
        return false;
    if (micro) {
        if (!find_symbol(&one, name + 2, length - 2))
            return false;
        one.factor -= 6;
    } else if (!find_symbol(&one, name, length) && !find_name(&one, name, length)) {
        const char *found = memchr(prefix, name[0], sizeof prefix - 1);
        if (!found || !find_symbol(&one, name + 1, length - 1))
            return false;
        one.factor += tenth[found - prefix];
    }
    *unit = mmt_unit_times(*unit, one, power);
    return true;
}

static void blanks(const char *text, int length, int *at)
{
    while (*at < length && (text[*at] == ' ' || text[*at] == '\t'))
        ++*at;
}

/* Reads a number of the text at *at; false: none */
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

static bool refuse(char *why, size_t size, const char *what, const char *text, int length)
{
    snprintf(why, size, what, length < 40 ? length : 40, text);
    return false;
}

/* Whether the two bytes at `at` are a superscript 2 or 3 */
static bool is_superscript(const char *text, int length, int at)
{
    return at + 1 < length && (memcmp(text + at, "\u00b2", 2) == 0 || memcmp(text + at, "\u00b3", 2) == 0);
}

static bool is_named(const char *text, int length, int at)
{
    return (text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z') || text[at] == '_' ||
           ((unsigned char)text[at] >= 0x80 && !is_superscript(text, length, at));
}

/* Reads the power of a name at *at: ^2, ^ -1, 2, -1 or a superscript; 1 if there is none. false: ^ without
 * a number */
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
            return refuse(why, size, "a number is missing after '^' in the unit [%.*s]", text, length);
        if (end == begin || !add_named(unit, text + begin, end - begin, sign * power)) {
            *at = begin;
            if (end == begin)
                return refuse(why, size, "a unit's name is missing in [%.*s]", text, length);
            return refuse(why, size, "no unit is named '%.*s'", text + begin, end - begin);
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
            return refuse(why, size, "the factor of the unit [%.*s] is no positive number", text, length);
        unit->factor += real_log_double(factor) * EXPRESSION_LOG10_E;
        blanks(text, length, at);
        if (*at == length || text[*at] != ')')
            return refuse(why, size, "')' is missing in the unit [%.*s]", text, length);
        ++*at;
        blanks(text, length, at);
    }
    if (*at < length)
        return refuse(why, size, "the unit [%.*s] has characters after its end", text, length);
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
    if (fabs(power - round(power)) < 1e-9) /* sums of logarithms are rounded */
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
    text[0] = 0;
    for (int k = 0; k < MMT_UNIT_BASES; k++)
        if (unit.power[k] != 0)
            printed_add(text, size, unit.power[k] == 1 ? "%s%s" : "%s%s^%g", *text ? "*" : "", base[k],
                        unit.power[k]);
    printed_add(text, size, "%s", *text ? "" : "1");
    if (fabs(unit.factor) > 1e-8)
        printed_add(text, size, " (%.9g)", expression_power(10, unit.factor));
    return text;
}
