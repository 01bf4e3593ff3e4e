/* import_tissue.c: the regions of a config: models with their parameters, tags and conductivities. */
#include "app/commands/import_text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/model.h"
#include "kernels/base/array.h"

enum { REGIONS_MOST = 100, TAGS_MOST = 20000 };

/* Models of both, with what each layer of the wall is called here; the first is the default there */
static const struct {
    const char *there, *here[3];
} models[] = {
    {"tenTusscherPanfilov", {"tp06-epi", "tp06-endo", "tp06-m"}},
    {"OHara", {"ohara-endo", "ohara-epi", "ohara-m"}},
    {"Tomek", {"tor-ord-endo", "tor-ord-epi", "tor-ord-m"}},
    {"Grandi", {"grandi-epi", "grandi-endo", NULL}},
    {"MitchellSchaeffer", {"mitchell-schaeffer", NULL, NULL}},
    {"AlievPanfilov", {"aliev-panfilov-1996", NULL, NULL}},
    {"Courtemanche", {"courtemanche-ra", NULL, NULL}},
    {"LuoRudy91", {"luo-rudy-1991", NULL, NULL}},
    {"Maleckar", {"maleckar", NULL, NULL}},
    {"Stewart", {"stewart", NULL, NULL}},
    {"Fabbri", {"fabbri", NULL, NULL}},
};

/* What stands for a model that is not here */
static const char otherwise[] = "tp06-epi";

/* tag[] <- the whole numbers of text, a comma or blanks between; -1: it is no such list */
static int parse_tags(const char *text, int *tag, int room)
{
    int found = 0;
    for (;;) {
        char *end;
        text += strspn(text, " \t,");
        if (!*text)
            return found;
        double value = strtod(text, &end);
        if (end == text || !strchr(" \t,", *end) || value != floor(value) || fabs(value) > INT_MAX ||
            found == room)
            return -1;
        tag[found++] = (int)value;
        text = end;
    }
}

/* An entry's tags behind the `found` that are there; it is refused if it is no list of them. */
static int add_tags(struct import *import, const char *name, int *tag, int found)
{
    struct par_entry *entry = par_find(&import->par, name);
    int more = entry ? parse_tags(entry->value, tag + found, TAGS_MOST - found) : 0;
    if (more < 0)
        par_refuse(&import->par, entry, "expected a list of at most %d whole numbers", TAGS_MOST);
    else if (entry)
        par_text(&import->par, "%s", name);
    return found + (more > 0 ? more : 0);
}

/* tag[] <- those of gregion or imp_region r: all of ID, or ID[0] to ID[num_IDs - 1]; returns how many */
static int read_tags(struct import *import, const char *list, int r, int *tag)
{
    char name[80];
    snprintf(name, sizeof name, "%s[%d].ID", list, r);
    int found = add_tags(import, name, tag, 0);
    double count = par_number(&import->par, TAGS_MOST, "%s[%d].num_IDs", list, r);
    for (int k = 0; found == k && k < count; k++) {
        snprintf(name, sizeof name, "%s[%d].ID[%d]", list, r, k);
        found = add_tags(import, name, tag, found);
    }
    return found;
}

/* "GNa*0.5" or "GNa-50%" -> its parameter's name here and "x0.5", "GNa=7" -> "7"; false: it has none */
static bool translate(const struct ionic_model *model, const char *text, const char **name, char *value,
                      size_t room)
{
    char here[80], there[80], key[80], *end;
    size_t length = strcspn(text, "*/=+-");
    if (!text[length] || length >= sizeof key)
        return false;
    snprintf(key, sizeof key, "%.*s", (int)length, text);
    import_simplify(there, sizeof there, key);
    double number = strtod(text + length + 1, &end);
    bool percent = *end == '%' && end[1] == 0;
    char operation = text[length];
    if (end == text + length + 1 || (*end && !percent) || !isfinite(number) ||
        ((operation == '+' || operation == '-') != percent) || (operation == '/' && number == 0))
        return false;
    if (operation == '=')
        snprintf(value, room, "%.15g", number);
    else
        snprintf(value, room, "x%.15g",
                 operation == '*'   ? number
                 : operation == '/' ? 1 / number
                                    : 1 + (operation == '+' ? number : -number) / 100);
    *name = NULL;
    for (int k = 0; k < model->parameters; k++) {
        import_simplify(here, sizeof here, model->parameter[k].name);
        if (strcmp(here, there) != 0)
            continue;
        if (*name)
            return false;
        *name = model->parameter[k].name;
    }
    return *name != NULL;
}

/* *layer <- that of "flags=ENDO" among a model's; false: it has none of that name */
static bool find_layer(const char *const here[3], const char *flags, int *layer)
{
    static const char *const names[] = {"EPI", "ENDO", "MCELL"}, *const endings[] = {"-epi", "-endo", "-m"};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 3 && strcmp(flags, names[f]) == 0; k++) {
            size_t length = here[k] ? strlen(here[k]) : 0, end = strlen(endings[f]);
            if (length > end && strcmp(here[k] + length - end, endings[f]) == 0) {
                *layer = k;
                return true;
            }
        }
    return false;
}

/* The words of an entry's value, one after the other: word[] <- the next; false: there is none */
static bool next_word(const char **text, char word[IMPORT_WORD])
{
    size_t length;
    *text += strspn(*text, ", \t");
    length = strcspn(*text, ", \t");
    snprintf(word, IMPORT_WORD, "%.*s%s", (int)(length < IMPORT_WORD ? length : IMPORT_WORD - 4), *text,
             length < IMPORT_WORD ? "" : "..."); /* which no number ends in */
    *text += length;
    return length > 0;
}

/* parameters: the words of im_param but those of flags */
static enum status write_parameters(struct import *import, const struct ionic_model *model,
                                    struct par_entry *entry, struct error *error)
{
    char word[IMPORT_WORD], value[60];
    const char *text = entry->value, *parameter, *first = "      parameters:\n";
    while (next_word(&text, word)) {
        if (strncmp(word, "flags=", 6) == 0)
            continue;
        if (!translate(model, word, &parameter, value, sizeof value)) {
            import_warn(import, entry, "no equivalent of the parameter %s", word);
            continue;
        }
        const char *reason = import_refused(import, (int)(entry - import->par.entry), word);
        if (reason) {
            import_warn(import, entry, "%s is left out (%s)", word, reason);
            continue;
        }
        par_text(&import->par, "%s", entry->name);
        fprintf(import->out, "%s        %s: %s\n", first, parameter, value);
        first = "";
        TRY(import_settle_word(import, word, error));
    }
    return STATUS_OK;
}

/* The place of imp_region r's model in the list, -1 with a warning: there is none */
static int known_model(struct import *import, const char *name, struct par_entry *entry)
{
    for (int k = 0; k < (int)(sizeof models / sizeof *models); k++)
        if (strcmp(models[k].there, name) == 0)
            return k;
    import_warn(import, entry, "there is no equivalent of the model %s; the config uses %s", name, otherwise);
    return -1;
}

/* model: and parameters: of imp_region r */
static enum status write_model(struct import *import, int r, struct error *error)
{
    char name[80], word[IMPORT_WORD];
    int layer = 0;
    const struct ionic_model *model = NULL;
    snprintf(name, sizeof name, "imp_region[%d].im", r);
    struct par_entry *named = par_find(&import->par, name);
    /* theirs where none is named */
    int known = known_model(import, named ? named->value : "DrouhardRoberge", named);
    snprintf(name, sizeof name, "imp_region[%d].im_param", r);
    struct par_entry *parameters = known < 0 ? NULL : par_find(&import->par, name);
    for (const char *text = parameters ? parameters->value : ""; next_word(&text, word);) {
        if (strncmp(word, "flags=", 6) != 0)
            continue;
        if (find_layer(models[known].here, word + 6, &layer))
            par_text(&import->par, "%s", parameters->name);
        else
            import_warn(import, parameters, "no equivalent of the layer %s", word);
    }
    const char *here = known < 0 ? otherwise : models[known].here[layer];
    enum status status = model_find(&model, &import->list, here, error);
    if (status)
        return status;
    if (import->models < IMPORT_MODELS)
        import->model[import->models++] = model;
    fprintf(import->out, "    - model: %s\n", here);
    if (known >= 0)
        par_text(&import->par, "imp_region[%d].im", r);
    status = import_settle(import, error);
    return status || !parameters ? status : write_parameters(import, model, parameters, error);
}

/* conductivity: of gregion g; across the sheet where that is given, since else there are no sheets */
static enum status write_conductivity(struct import *import, int g, bool intra_alone, struct error *error)
{
    static const char *const sides[] = {"intra", "extra"}, *const axes[] = {"longitudinal", "transverse",
                                                                            "normal"};
    static const double defaults[2][3] = {{0.174, 0.0193, 0.0193}, {0.625, 0.236, 0.236}};
    const char *indent = intra_alone ? "        " : "          ";
    bool sheets = false;
    for (int s = 0; s < 2; s++) {
        char name[80];
        snprintf(name, sizeof name, "gregion[%d].g_%cn", g, "ie"[s]);
        sheets = sheets || ((s == 0 || !intra_alone) && par_find(&import->par, name));
    }
    fputs("      conductivity:\n", import->out);
    for (int s = 0; s < (intra_alone ? 1 : 2); s++) {
        if (!intra_alone)
            fprintf(import->out, "        %s:\n", sides[s]);
        TRY(import_settle(import, error));
        for (int k = 0; k < 2 + sheets; k++) {
            double times = par_number(&import->par, 1, "gregion[%d].g_mult", g);
            double value =
                par_number(&import->par, defaults[s][k], "gregion[%d].g_%c%c", g, "ie"[s], "ltn"[k]);
            fprintf(import->out, "%s%s: %.15g S/m\n", indent, axes[k], times * value);
            TRY(import_settle(import, error));
        }
    }
    return STATUS_OK;
}

/* Each tag with the region of the cells and of the conductivities that it belongs to */
struct tags {
    int count, *tag, *cell, *conductivity, *own;
    bool rest; /* some elements may be of no list */
};

/* Elements of no list belong to the first of each. */
static enum status list_tags(struct import *import, struct tags *tags, int cells, int conductivities,
                             struct error *error)
{
    bool listed[2] = {false, false}; /* whether the first of each names its tags */
    for (int side = 0; side < 2; side++)
        for (int r = 0; r < (side ? conductivities : cells); r++) {
            int count = read_tags(import, side ? "gregion" : "imp_region", r, tags->own);
            listed[side] = listed[side] || (r == 0 && count > 0);
            for (int k = 0; k < count; k++) {
                int at = 0;
                while (at < tags->count && tags->tag[at] != tags->own[k])
                    at++;
                if (at == TAGS_MOST)
                    return error_set(error, STATUS_INPUT, "%s: more than %d tags", import->path, TAGS_MOST);
                if (at == tags->count)
                    tags->tag[tags->count++] = tags->own[k];
                (side ? tags->conductivity : tags->cell)[at] = r;
            }
        }
    tags->rest = !listed[0] || !listed[1];
    return STATUS_OK;
}

/* A region here is one of the cells' and one of the conductivities' at once. */
static enum status write_region(struct import *import, const struct tags *tags, int c, int g,
                                struct error *error)
{
    bool last = c == 0 && g == 0 && tags->rest, any = last;
    for (int k = 0; k < tags->count && !any; k++)
        any = tags->cell[k] == c && tags->conductivity[k] == g;
    if (!any)
        return STATUS_OK;
    TRY(write_model(import, c, error));
    for (int k = 0, found = 0; k <= tags->count && !last; k++)
        if (k == tags->count)
            fputs("]\n", import->out);
        else if (tags->cell[k] == c && tags->conductivity[k] == g)
            fprintf(import->out, "%s%d", found++ ? ", " : "      tags: [", tags->tag[k]);
    TRY(import_settle(import, error));
    bool intra_alone = par_number(&import->par, 1, "bidm_eqv_mono") == 0;
    TRY(write_conductivity(import, g, intra_alone, error));
    double beats = par_number(&import->par, 0, "prepacing_beats"),
           period = par_number(&import->par, 0, "prepacing_bcl");
    if (beats == 0 || period == 0) {
        par_forget(&import->par);
        return STATUS_OK;
    }
    fprintf(import->out, "      initial: {pace: %.15g, period: %.15g ms", beats, period);
    const char *times = par_text(&import->par, "prepacing_lats");
    if (times && *times)
        import_file(import, ", times", times, "");
    fputs("}\n", import->out);
    return import_settle(import, error);
}

enum status import_tissue(struct import *import, struct error *error)
{
    struct par_file *par = &import->par;
    fprintf(import->out, "tissue:\n  surface_to_volume: %.15g /um\n",
            par_number(par, 0.14, "imp_region[0].cellSurfVolRatio"));
    TRY(import_settle(import, error));
    enum status status = STATUS_OK;
    int cells = (int)fmin(fmax(par_number(par, 1, "num_imp_regions"), 1), REGIONS_MOST);
    int conductivities = (int)fmin(fmax(par_number(par, 1, "num_gregions"), 1), REGIONS_MOST);
    struct tags tags = {0};
    int *all = array_zeroed(4 * TAGS_MOST, sizeof *all, "the tags", &status, error);
    TRY_DONE(status);
    tags.tag = all;
    tags.cell = all + TAGS_MOST;
    tags.conductivity = all + 2 * TAGS_MOST;
    tags.own = all + 3 * TAGS_MOST;
    TRY_DONE(list_tags(import, &tags, cells, conductivities, error));
    fputs("  regions:\n", import->out);
    TRY_DONE(import_settle(import, error));
    for (int c = cells - 1; c >= 0; c--)
        for (int g = conductivities - 1; g >= 0; g--)
            TRY_DONE(write_region(import, &tags, c, g, error));
done:
    free(all);
    return status;
}
