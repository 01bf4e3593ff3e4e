/* plausible.c: warn about values that suggest a wrong unit, such as 0.14 /cm instead of 0.14 /um. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/config/keys.h"
#include "app/config/resolve.h"
#include "kernels/base/decimal.h"

enum { PATH = 120, UNITS = 4 };

/* The usual range of a key's value; a value of 0 is not checked */
static const struct usual {
    const char *path, *owner, *low, *high;
    const char *meant[UNITS]; /* units that may have been meant */
    bool bare;                /* check only numbers without a unit */
} usual[] = {
    {"tissue.surface_to_volume", "ventricular tissue", "500 /cm", "5000 /cm", {"/um", "/mm", "/m"}, false},
    {"tissue.capacitance", "a membrane", "0.2 uF/cm^2", "20 uF/cm^2", {"uF/mm^2", "F/m^2", "nF/cm^2"}, false},
    {"tissue.regions[].conductivity",
     "cardiac tissue",
     "0.0001 S/m",
     "5 S/m",
     {"mS/cm", "mS/m", "mS/mm"},
     false},
    {"tissue.regions[].velocity", "cardiac tissue", "0.01 m/s", "6 m/s", {"cm/s", "mm/s", "mm/ms"}, false},
    {"tissue.regions[].radius", "a fibre or bundle", "1 um", "10 mm", {"um", "mm", NULL}, false},
    {"tissue.regions[].conductance", "a junction", "0.0001 uS", "100000 uS", {"nS", "uS", "mS"}, false},
    {"mesh.network[].radius", "a junction", "0.001 mm", "50 mm", {"um", "mm", NULL}, false},
    {"ecg.conductivity", "the body", "0.005 S/m", "5 S/m", {"mS/m", "mS/cm", "mS/mm"}, false},
    {"ecg.conductor.regions[].conductivity",
     "the body",
     "0.0001 S/m",
     "5 S/m",
     {"mS/m", "mS/cm", "mS/mm"},
     false},
    {"tissue.regions[].initial", "a cell", "1 mV", "200 mV", {"mV", "V"}, false},
    {"activation.threshold", "a cell", "1 mV", "200 mV", {"mV", "V"}, false},
    {"stimuli[].current", "a stimulus", "0.1 uA/uF", "2000 uA/uF", {NULL}, false},
    {"stimuli[].duration", "a stimulus", "0.01 ms", "200 ms", {"ms", "us", "s"}, false},
    {"stimuli[].pulse", "a stimulus", "0.05 ms", "200 ms", {NULL}, false},
    {"stimuli[].delays", "tissue", "1 ms", "10 s", {NULL}, false},
    {"stimuli[].start", "a stimulus", "1 ms", "100 s", {"s"}, true},
    {"stimuli[].period", "pacing", "20 ms", "60 s", {"ms", "s"}, false},
    {"stimuli[].box.max", "a mesh", "0.01 mm", "1000 mm", {"um", "m"}, true},
    {"stimuli[].sphere.radius", "a stimulus", "0.01 mm", "100 mm", {"mm", "um", "m"}, false},
    {"ecg.electrodes", "the body", "0.5 mm", "2000 mm", {"mm", "um", "m"}, false},
    {"solver.tolerance", "a step", "1e-12 mV", "0.01 mV", {NULL}, false},
    {"solver.voltage_limit", "an action potential", "150 mV", "1000000 V", {NULL}, false},
    {"induction.sustained", "sustained re-entry", "100 ms", "1000 s", {"s"}, false},
    {"time.end", "a run", "5 ms", "1000 s", {"s"}, true},
    {"time.step", "a run", "0.0001 ms", "1 ms", {"us", "ns", "s"}, false},
    {"mesh.slab.spacing", "a mesh", "1 um", "5 mm", {"um", "cm", "m"}, false},
    {"mesh.sheet.spacing", "a mesh", "1 um", "5 mm", {"um", "cm", "m"}, false},
    {"mesh.cable.spacing", "a mesh", "1 um", "5 mm", {"um", "cm", "m"}, false},
    {"mesh.ellipsoid.edge", "a mesh", "1 um", "10 mm", {"um", "cm", "m"}, false},
    {"mesh.slab.size", "a mesh", "0.1 mm", "1000 mm", {"um", "cm", "m"}, false},
    {"mesh.sheet.size", "a mesh", "0.1 mm", "1000 mm", {"um", "cm", "m"}, false},
    {"mesh.cable.length", "a mesh", "0.1 mm", "1000 mm", {"um", "cm", "m"}, false},
    {"mesh.ellipsoid.size", "a mesh", "0.1 mm", "1000 mm", {"um", "cm", "m"}, false},
};

static bool is_usual(const struct usual *row, double value, enum quantity quantity)
{
    double low = 0, high = 0;
    struct error error;
    return units_read(&low, row->low, quantity, &error) || units_read(&high, row->high, quantity, &error) ||
           value == 0 || (fabs(value) >= low * (1 - 1e-9) && fabs(value) <= high * (1 + 1e-9));
}

/* text <- "; 0.14 /um was meant?" if the number would be in the usual range in another unit (of several, the
 * one that puts it nearest to the middle), else "" */
static const char *print_meant(char *text, size_t size, const struct usual *row, const char *written,
                               enum quantity quantity)
{
    double low, high, nearest = INFINITY;
    struct error error;
    text[0] = 0;
    if (units_read(&low, row->low, quantity, &error) || units_read(&high, row->high, quantity, &error))
        return text;
    for (int k = 0; k < UNITS && row->meant[k]; k++) {
        char other[80];
        double value;
        snprintf(other, sizeof other, "%.*s %s", (int)decimal_length(written), written, row->meant[k]);
        if (units_read(&value, other, quantity, &error) || value == 0 || !is_usual(row, value, quantity))
            continue;
        double away = fabs(log(fabs(value) / sqrt(low * high)));
        if (away < nearest)
            snprintf(text, size, "; %s was meant?", other);
        nearest = fmin(nearest, away);
    }
    return text;
}

/* The text of a scalar, or of the list item with the largest absolute value */
static const char *written_number(const struct tree *node, enum quantity quantity)
{
    const struct tree *item = node->kind == TREE_LIST ? node->child : node;
    const char *written = NULL;
    double most = -1;
    for (; item && item->kind == TREE_SCALAR; item = node->kind == TREE_LIST ? item->next : NULL) {
        double value;
        struct error error;
        if (!units_read(&value, item->text, quantity, &error) && fabs(value) > most) {
            most = fabs(value);
            written = item->text;
        }
    }
    return written;
}

/* Checks the value of a row's key at `path`, or those in a map there, such as conductivity.longitudinal. */
static void check_value(struct reader *reader, const struct usual *row, const struct tree *node,
                        enum quantity quantity, const char *path)
{
    char meant[80];
    double value;
    struct error error;
    if (node->kind == TREE_MAP) {
        for (const struct tree *child = node->child; child; child = child->next) {
            char inner[PATH + 80];
            snprintf(inner, sizeof inner, "%s.%.60s", path, child->key);
            check_value(reader, row, child, quantity, inner);
        }
        return;
    }
    const char *written = written_number(node, quantity);
    bool bare = written && !written[decimal_length(written)];
    if (!written || (row->bare && !bare) || units_read(&value, written, quantity, &error) ||
        is_usual(row, value, quantity))
        return;
    reader_doubt(reader, path, "is %s%s%s; %s has %s to %s%s", written, bare ? " " : "",
                 bare ? units_default(quantity) : "", row->owner, row->low, row->high,
                 print_meant(meant, sizeof meant, row, written, quantity));
}

/* Checks a stimulus current, already converted to uA/uF. */
static void check_current(struct reader *reader, const struct usual *row, double current, const char *path)
{
    if (current < 0)
        reader_doubt(reader, path,
                     "is negative (%g uA/uF), which hyperpolarises; an exciting current is positive",
                     current);
    else if (!is_usual(row, current, QUANTITY_CURRENT))
        reader_doubt(reader, path, "is %g uA/uF; %s has %s to %s", current, row->owner, row->low, row->high);
}

void resolve_plausible(struct reader *reader)
{
    const struct config *config = reader->config;
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
        const struct usual *row = &usual[k];
        const struct key *key = config_find_key(row->path);
        const char *brackets = strstr(row->path, "[]");
        int items = !brackets             ? 1
                    : row->path[0] == 's' ? config->stimuli
                    : row->path[0] == 'm' ? config->mesh.networks
                    : row->path[0] == 'e' ? config->ecg.passives
                                          : config->tissue.regions;
        for (int i = 0; i < items; i++) {
            char path[PATH];
            if (brackets)
                snprintf(path, sizeof path, "%.*s[%d]%s", (int)(brackets - row->path), row->path, i,
                         brackets + 2);
            else
                snprintf(path, sizeof path, "%s", row->path);
            if (key->type == KEY_INITIAL) /* of its map only V, which every model has */
                strcat(path, ".V");
            if (key->type == KEY_CURRENT)
                check_current(reader, row, config->stimulus[i].current, path);
            else if (key->type != KEY_PATH && reader_given(reader, path))
                check_value(reader, row, reader_node(reader->root, path, NULL), key->quantity, path);
        }
    }
}

/* Whether a path is the row's, ignoring indices */
static bool is_path_of(const struct usual *row, const char *path)
{
    const char *at = row->path;
    for (; *at && *at == *path; at++, path++)
        if (*at == '[')
            path += strspn(path + 1, "0123456789");
    return *at == *path;
}

void config_doubt(FILE *file, const char *path, double value)
{
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
        enum quantity quantity = config_find_key(usual[k].path)->quantity;
        if (is_path_of(&usual[k], path) && !is_usual(&usual[k], value, quantity))
            fprintf(file, "%s: is up to %g %s; %s has %s to %s\n", path, value, units_default(quantity),
                    usual[k].owner, usual[k].low, usual[k].high);
    }
}

const char *resolve_unit_hint(char *text, size_t size, const struct reader *reader, const char *path)
{
    const struct tree *node = reader_node(reader->root, path, NULL);
    double value;
    struct error error;
    text[0] = 0;
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) {
        enum quantity quantity = config_find_key(usual[k].path)->quantity;
        if (is_path_of(&usual[k], path) && node->kind == TREE_SCALAR &&
            !units_read(&value, node->text, quantity, &error) && !is_usual(&usual[k], value, quantity))
            print_meant(text, size, &usual[k], node->text, quantity);
    }
    return text;
}
