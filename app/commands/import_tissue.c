/* import_tissue.c: the regions of a config: models with their parameters, tags and conductivities. */
#include "app/commands/import_text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/model.h"
#include "kernels/base/array.h"

enum { REGIONS_MOST = 100, TAGS_MOST = 20000 };

/* Models of both: names there without signs and capitals, of openCARP and of older CARPs, and what each layer
 * of the wall is called here; the first is the default there */
static const struct {
    const char *there[3], *here[3];
} models[] = {
    {{"tentusscherpanfilov", "tt2", "tt2cai"}, {"tp06-epi", "tp06-endo", "tp06-m"}},
    {{"ohara", "ohararudy", "ord"}, {"ohara-endo", "ohara-epi", "ohara-m"}},
    {{"tomek", "torord", "tororddyncl"}, {"tor-ord-endo", "tor-ord-epi", "tor-ord-m"}},
    {{"grandi", "gpb"}, {"grandi-epi", "grandi-endo", NULL}},
    {{"mitchellschaeffer", "ms"}, {"mitchell-schaeffer", NULL, NULL}},
    {{"alievpanfilov"}, {"aliev-panfilov-1996", NULL, NULL}},
    {{"courtemanche", "courtemancheramireznattel", "crn"}, {"courtemanche-ra", NULL, NULL}},
    {{"luorudy91", "lr91", "lr1"}, {"luo-rudy-1991", NULL, NULL}},
    {{"maleckar"}, {"maleckar", NULL, NULL}},
    {{"stewart"}, {"stewart", NULL, NULL}},
    {{"fabbri"}, {"fabbri", NULL, NULL}},
};

/* What stands for a model that is not here */
static const char otherwise[] = "tp06-epi";

/* tag[] <- the whole numbers of text, a comma or blanks between; -1: it is no such list */
static int parse_tags(const char *list, int *tag, int room)
{
    char copy[sizeof((struct par_entry *)0)->value];
    int found = 0;
    snprintf(copy, sizeof copy, "%s", list);
    import_blank_lists(copy);
    for (const char *text = copy;;) {
        char *end;
        text += strspn(text, " ");
        if (!*text)
            return found;
        double value = strtod(text, &end);
        if (end == text || (*end && *end != ' ') || value != floor(value) || fabs(value) > INT_MAX ||
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
    char simple[80];
    import_simplify(simple, sizeof simple, name);
    for (int k = 0; k < (int)(sizeof models / sizeof *models); k++)
        for (int n = 0; n < 3 && models[k].there[n]; n++)
            if (strcmp(models[k].there[n], simple) == 0)
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
    bool rest;    /* some elements may be of no list */
    int retagged; /* shapes whose elements get another tag: */
    struct retag {
        int number, tag; /* tagreg[number] */
        struct import_shape shape;
    } retag[REGIONS_MOST];
};

/* Whether a shape gives this tag: then the mesh need not have it. */
static bool is_retagged(const struct tags *tags, int tag)
{
    for (int k = 0; k < tags->retagged; k++)
        if (tags->retag[k].tag == tag)
            return true;
    return false;
}

/* Whether tag k of the lists belongs to region c of the cells and g of the conductivities, by the mesh */
static bool is_of(const struct tags *tags, int k, int c, int g)
{
    return tags->cell[k] == c && tags->conductivity[k] == g && !is_retagged(tags, tags->tag[k]);
}

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

/* conductivity: and initial: of a region */
static enum status write_rest(struct import *import, int g, struct error *error)
{
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

/* A region here is one of the cells' and one of the conductivities' at once. */
static enum status write_region(struct import *import, const struct tags *tags, int c, int g,
                                struct error *error)
{
    bool last = c == 0 && g == 0 && tags->rest, any = last;
    for (int k = 0; k < tags->count && !any; k++)
        any = is_of(tags, k, c, g);
    if (!any)
        return STATUS_OK;
    TRY(write_model(import, c, error));
    for (int k = 0, found = 0; k <= tags->count && !last; k++)
        if (k == tags->count)
            fputs("]\n", import->out);
        else if (is_of(tags, k, c, g))
            fprintf(import->out, "%s%d", found++ ? ", " : "      tags: [", tags->tag[k]);
    TRY(import_settle(import, error));
    return write_rest(import, g, error);
}

/* The highest tag first, since it wins in openCARP, as the first region does here */
static int by_tag(const void *a, const void *b)
{
    const struct retag *x = a, *y = b;
    return x->tag != y->tag ? (x->tag < y->tag) - (x->tag > y->tag)
                            : (x->number > y->number) - (x->number < y->number);
}

/* The shapes of tagreg[]; one of an unknown kind is left out with a warning. */
static void read_retags(struct import *import, struct tags *tags)
{
    struct par_file *par = &import->par;
    int count = (int)fmin(fmax(par_number(par, 0, "num_tagreg"), 0), REGIONS_MOST);
    for (int k = 0; k < count; k++) {
        struct retag retag = {.number = k};
        double tag = par_number(par, NAN, "tagreg[%d].tag", k),
               kind = par_number(par, 2, "tagreg[%d].type", k);
        if (tag != floor(tag) || fabs(tag) > INT_MAX ||
            (kind != IMPORT_SHAPE_SPHERE && kind != IMPORT_SHAPE_BLOCK && kind != IMPORT_SHAPE_CYLINDER)) {
            import_warn(import, NULL,
                        isnan(tag) ? "tagreg[%d] is left out: it has no tag"
                                   : "tagreg[%d] is left out: only spheres, blocks and cylinders (types 1 to "
                                     "3) are supported",
                        k);
            continue;
        }
        char name[40];
        retag.tag = (int)tag;
        retag.shape.kind = (int)kind;
        snprintf(name, sizeof name, "tagreg[%d].p0", k);
        import_point(import, name, retag.shape.p0);
        snprintf(name, sizeof name, "tagreg[%d].p1", k);
        if (retag.shape.kind != IMPORT_SHAPE_SPHERE)
            import_point(import, name, retag.shape.p1);
        retag.shape.radius = par_number(par, 0, "tagreg[%d].radius", k);
        tags->retag[tags->retagged++] = retag;
    }
    if (tags->retagged) {
        qsort(tags->retag, (size_t)tags->retagged, sizeof *tags->retag, by_tag);
        import_warn(import, NULL,
                    "tagreg: an element belongs to a shape that its centre lies in, not one of its nodes");
    }
    par_forget(par); /* each is used where its region is written */
}

/* The region of a shape of tagreg[] */
static enum status write_retag(struct import *import, const struct tags *tags, const struct retag *retag,
                               struct error *error)
{
    static const char *const parts[] = {"tag",   "type",  "radius", "p0",    "p1",   "p0[0]",
                                        "p0[1]", "p0[2]", "p1[0]",  "p1[1]", "p1[2]"};
    int c = 0, g = 0;
    for (int k = 0; k < tags->count; k++)
        if (tags->tag[k] == retag->tag) {
            c = tags->cell[k];
            g = tags->conductivity[k];
        }
    TRY(write_model(import, c, error));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        par_text(&import->par, "tagreg[%d].%s", retag->number, parts[k]);
    fputs("      where: ", import->out);
    import_where(import->out, &retag->shape);
    fputc('\n', import->out);
    TRY(import_settle(import, error));
    return write_rest(import, g, error);
}

/* Values that vary in space would be an array of the mesh, which openCARP's meshes cannot hold: the reason
 * names the parameter here. */
static void refuse_adjustments(struct import *import)
{
    int count = (int)fmin(fmax(par_number(&import->par, 0, "num_adjustments"), 0), IMPORT_ITEMS);
    for (int k = 0; k < count; k++) {
        char name[60], there[80], here[80];
        const char *found = NULL;
        snprintf(name, sizeof name, "adjustment[%d].variable", k);
        struct par_entry *entry = par_find(&import->par, name);
        if (!entry)
            continue;
        import_simplify(there, sizeof there, entry->value);
        for (int m = 0; m < import->models; m++)
            for (int p = 0; p < import->model[m]->parameters && !found; p++) {
                import_simplify(here, sizeof here, import->model[m]->parameter[p].name);
                found = strcmp(here, there) == 0 ? import->model[m]->parameter[p].name : NULL;
            }
        if (found)
            par_refuse(
                &import->par, entry,
                "make its file an array of the mesh, by cardiac.mesh in Python, and write parameters: {%s: "
                "{field: NAME}}",
                found);
        else
            par_refuse(&import->par, entry,
                       "no parameter here; initial.file starts from states that vary in space");
    }
    par_settle(&import->par);
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
    read_retags(import, &tags);
    for (int k = 0; k < tags.retagged; k++)
        TRY_DONE(write_retag(import, &tags, &tags.retag[k], error));
    for (int c = cells - 1; c >= 0; c--)
        for (int g = conductivities - 1; g >= 0; g--)
            TRY_DONE(write_region(import, &tags, c, g, error));
    refuse_adjustments(import);
done:
    free(all);
    return status;
}
