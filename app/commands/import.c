/* import.c: `cardiac import`: a config from an openCARP parameter file, by the names of its manual. */
#include <ctype.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/par_file.h"
#include "app/config/model.h"
#include "app/config/scalar.h"
#include "app/util/command.h"
#include "app/util/options.h"
#include "app/util/text_file.h"
#include "kernels/base/array.h"

enum { PATH = 1000, REGIONS_MOST = 100, TAGS_MOST = 20000, ITEMS_MOST = 1000 };

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

/* What says nothing here: counts of lists, labels, what is so in any case, how their own files are called */
static const char *const silent[] = {
    "num_",   "timedt", "gridout_",   "bidm_eqv_mono", "output_level",       "phys_region[", "ellip_",
    "log_",   "pstrat", "parab_use_", ".name",         "phie_recovery_file", ".num_IDs",     ".units",
    ".bogus", ".dump",  ".ID_name",   "phie_rec_meth", "operator_splitting",
};

/* One conversion: where it comes from, and where it goes */
struct import {
    struct par_file par;
    const char *path;
    FILE *out;
};

static bool exists(const struct import *import, const char *name)
{
    char *copy = strdup(import->path), path[4 * PATH];
    snprintf(path, sizeof path, "%s/%s", *name == '/' ? "" : copy ? dirname(copy) : ".", name);
    free(copy);
    return access(path, R_OK) == 0;
}

static void write_file(struct import *import, const char *key, const char *name, const char *ending)
{
    char whole[PATH];
    size_t length = strlen(name), end = strlen(ending);
    bool has = length > end && strcmp(name + length - end, ending) == 0;
    snprintf(whole, sizeof whole, "%s%s", name, has ? "" : ending);
    fprintf(import->out, "%s: ", key);
    scalar_write_text(import->out, whole);
}

/* A number of the file as an int: what is beyond all of them is the last one, which no list or mesh has */
static int whole(double value)
{
    return (int)fmin(fmax(value, -INT_MAX), INT_MAX);
}

/* tag[] <- those of gregion or imp_region r; returns how many */
static int read_tags(struct par_file *par, const char *list, int r, int *tag)
{
    int count = whole(par_number(par, 0, "%s[%d].num_IDs", list, r)), found = 0;
    const char *alone = par_text(par, "%s[%d].ID", list, r);
    char *end;
    for (; alone && *alone && found < TAGS_MOST; alone = end) {
        tag[found] = whole((double)strtol(alone, &end, 10));
        if (end == alone)
            break;
        found++;
    }
    for (int k = 0; k < count && k < TAGS_MOST && !alone; k++) {
        double value = par_number(par, NAN, "%s[%d].ID[%d]", list, r, k);
        if (isnan(value))
            break;
        tag[found++] = whole(value);
    }
    return found;
}

/* Letters and digits behind the last dot, in lower case */
static void simplify(char *to, size_t room, const char *name)
{
    size_t used = 0;
    const char *dot = strrchr(name, '.');
    for (name = dot ? dot + 1 : name; *name && used + 1 < room; name++)
        if (isalnum((unsigned char)*name))
            to[used++] = (char)tolower((unsigned char)*name);
    to[used] = 0;
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
    simplify(there, sizeof there, key);
    double number = strtod(text + length + 1, &end);
    bool percent = *end == '%' && end[1] == 0;
    char operation = text[length];
    if (end == text + length + 1 || (*end && !percent) ||
        ((operation == '+' || operation == '-') && !percent))
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
        simplify(here, sizeof here, model->parameter[k].name);
        if (strcmp(here, there) != 0)
            continue;
        if (*name)
            return false;
        *name = model->parameter[k].name;
    }
    return *name != NULL;
}

/* The layer that the flags name: 0 the default */
static int layer_of(const char *const here[3], const char *parameters)
{
    static const char *const flags[] = {"EPI", "ENDO", "MCELL"}, *const endings[] = {"-epi", "-endo", "-m"};
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 3 && parameters && strstr(parameters, flags[f]); k++) {
            size_t length = here[k] ? strlen(here[k]) : 0, end = strlen(endings[f]);
            if (length > end && strcmp(here[k] + length - end, endings[f]) == 0)
                return k;
        }
    return 0;
}

static void warn(const struct import *import, const char *what, const char *name)
{
    fprintf(stderr, "cardiac: warning: %s: %s %s\n", import->path, what, name);
}

/* model: and parameters: of imp_region r */
static enum status write_model(struct import *import, int r, struct error *error)
{
    const char *name = par_text(&import->par, "imp_region[%d].im", r),
               *text = par_text(&import->par, "imp_region[%d].im_param", r), *separator = "{";
    const struct ionic_model *model = NULL;
    struct user_model *list = NULL;
    size_t k = 0, count = sizeof models / sizeof *models;
    name = name ? name : "DrouhardRoberge"; /* theirs where none is named */
    while (k < count && strcmp(models[k].there, name) != 0)
        k++;
    if (k == count) {
        warn(import, "there is no model here for", name);
        fprintf(import->out, "    - model: %s # choose one of `cardiac models`\n", name);
        return STATUS_OK;
    }
    const char *here = models[k].here[layer_of(models[k].here, text)];
    enum status status = model_find(&model, &list, here, error);
    fprintf(import->out, "    - model: %s\n", here);
    char copy[400] = "", value[60];
    snprintf(copy, sizeof copy, "%s", text && !status ? text : "");
    for (char *word = strtok(copy, ", "); word; word = strtok(NULL, ", ")) {
        const char *parameter;
        if (strncmp(word, "flags=", 6) == 0)
            continue;
        if (!translate(model, word, &parameter, value, sizeof value)) {
            warn(import, "no parameter here for", word);
            continue;
        }
        fprintf(import->out, "%s%s: %s", *separator == '{' ? "      parameters: {" : ", ", parameter, value);
        separator = ", ";
    }
    if (*separator == ',')
        fputs("}\n", import->out);
    user_model_free(list);
    return status;
}

/* conductivity: of gregion g; across the sheet where that is given, since else there are no sheets */
static void write_conductivity(struct import *import, int g, bool intra_alone)
{
    static const char *const sides[] = {"intra", "extra"}, *const axes[] = {"longitudinal", "transverse",
                                                                            "normal"};
    static const double defaults[2][3] = {{0.174, 0.0193, 0.0193}, {0.625, 0.236, 0.236}};
    double times = par_number(&import->par, 1, "gregion[%d].g_mult", g), value[2][3];
    bool sheets = false;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3; k++) {
            double given = par_number(&import->par, NAN, "gregion[%d].g_%c%c", g, "ie"[s], "ltn"[k]);
            sheets = sheets || (k == 2 && !isnan(given));
            value[s][k] = times * (isnan(given) ? defaults[s][k] : given);
        }
    fputs("      conductivity:\n", import->out);
    for (int s = 0; s < (intra_alone ? 1 : 2); s++) {
        if (!intra_alone)
            fprintf(import->out, "        %s: {", sides[s]);
        for (int k = 0; k < 2 + sheets; k++)
            fprintf(import->out, "%s%s: %.10g S/m%s",
                    intra_alone ? "        "
                    : k         ? ", "
                                : "",
                    axes[k], value[s][k], intra_alone ? "\n" : "");
        if (!intra_alone)
            fputs("}\n", import->out);
    }
}

/* A region here is one of the cells' and one of the conductivities' at once. Elements of no list belong to
 * the first of each. */
static enum status write_regions(struct import *import, struct error *error)
{
    struct par_file *par = &import->par;
    int cells = (int)fmin(fmax(par_number(par, 1, "num_imp_regions"), 1), REGIONS_MOST);
    int conductivities = (int)fmin(fmax(par_number(par, 1, "num_gregions"), 1), REGIONS_MOST);
    bool intra_alone = par_number(par, 1, "bidm_eqv_mono") == 0;
    double beats = par_number(par, 0, "prepacing_beats"), period = par_number(par, 0, "prepacing_bcl");
    enum status status = STATUS_OK;
    int tags = 0, *tag = array_zeroed(4 * TAGS_MOST, sizeof *tag, "the tags", &status, error);
    if (status)
        return status;
    int *cell = tag + TAGS_MOST, *conductivity = cell + TAGS_MOST, *own = conductivity + TAGS_MOST;
    bool listed[2] = {false, false}; /* whether the first of each names its tags */
    for (int side = 0; side < 2; side++)
        for (int r = 0; r < (side ? conductivities : cells); r++) {
            int count = read_tags(par, side ? "gregion" : "imp_region", r, own);
            listed[side] = listed[side] || (r == 0 && count > 0);
            for (int k = 0; k < count; k++) {
                int at = 0;
                while (at < tags && tag[at] != own[k])
                    at++;
                if (at == TAGS_MOST)
                    break;
                if (at == tags) {
                    tag[tags] = own[k];
                    cell[tags] = conductivity[tags] = 0;
                    tags++;
                }
                (side ? conductivity : cell)[at] = r;
            }
        }
    bool rest = !listed[0] || !listed[1]; /* some elements may be of no list */
    for (int c = cells - 1; c >= 0 && !status; c--)
        for (int g = conductivities - 1; g >= 0 && !status; g--) {
            bool last = c == 0 && g == 0 && rest, any = last;
            for (int k = 0; k < tags && !any; k++)
                any = cell[k] == c && conductivity[k] == g;
            if (!any)
                continue;
            status = write_model(import, c, error);
            for (int k = 0, found = 0; k <= tags && !last; k++)
                if (k == tags)
                    fputs("]\n", import->out);
                else if (cell[k] == c && conductivity[k] == g)
                    fprintf(import->out, "%s%d", found++ ? ", " : "      tags: [", tag[k]);
            write_conductivity(import, g, intra_alone);
            if (beats > 0 && period > 0)
                fprintf(import->out, "      initial: {pace: %.0f, period: %.10g ms}\n", beats, period);
        }
    free(tag);
    return status;
}

/* p[3] <- "elec.p0 = 1 2 3" or elec.p0[0] ... */
static void read_point(struct par_file *par, const char *list, int s, const char *name, double p[3])
{
    const char *text = par_text(par, "%s[%d].%s", list, s, name);
    char *end = NULL;
    for (int k = 0; k < 3; k++) {
        double value = text ? strtod(end ? end : text, &end) : 0;
        p[k] = par_number(par, value, "%s[%d].%s[%d]", list, s, name, k);
    }
}

static void write_place(struct import *import, int s, bool older)
{
    struct par_file *par = &import->par;
    const char *list = older ? "stimulus" : "stim";
    const char *file = par_text(par, older ? "%s[%d].vtx_file" : "%s[%d].elec.vtx_file", list, s);
    double tag = par_number(par, -1, older ? "%s[%d].geometry" : "%s[%d].elec.geomID", list, s);
    double low[3], high[3], type = par_number(par, 2, "%s[%d].elec.geom_type", list, s);
    if (file && *file) {
        write_file(import, "    nodes", file, ".vtx");
        fputc('\n', import->out);
        return;
    }
    if (tag >= 0) {
        fprintf(import->out, "    tags: [%.0f]\n", tag);
        return;
    }
    if (older) {
        bool centred = par_number(par, 0, "%s[%d].ctr_def", list, s) != 0;
        for (int k = 0; k < 3; k++) {
            double at = par_number(par, 0, "%s[%d].%c0", list, s, "xyz"[k]),
                   width = par_number(par, 0, "%s[%d].%cd", list, s, "xyz"[k]);
            low[k] = centred ? at - width / 2 : at;
            high[k] = low[k] + width;
        }
    } else {
        read_point(par, list, s, "elec.p0", low);
        read_point(par, list, s, "elec.p1", high);
    }
    if (type != 1 && type != 2)
        fprintf(stderr, "cardiac: warning: %s: stimulus %d has no shape of here (%.0f), and is a box\n",
                import->path, s, type);
    if (type == 1) {
        double radius = par_number(par, 0, "%s[%d].elec.radius", list, s);
        fprintf(import->out, "    sphere: {centre: [%.10g um, %.10g um, %.10g um], radius: %.10g um}\n",
                low[0], low[1], low[2], radius);
    } else
        fprintf(import->out,
                "    box: {min: [%.10g um, %.10g um, %.10g um], max: [%.10g um, %.10g um, %.10g um]}\n",
                low[0], low[1], low[2], high[0], high[1], high[2]);
}

/* *pulses <- of the one with most */
static void write_stimuli(struct import *import, double *pulses)
{
    struct par_file *par = &import->par;
    int count = (int)fmin(fmax(par_number(par, 2, "num_stim"), 0), ITEMS_MOST);
    fprintf(import->out, "stimuli:%s\n", count ? "" : " []");
    for (int s = 0; s < count; s++) {
        char prefix[40];
        bool older = false;
        snprintf(prefix, sizeof prefix, "stimulus[%d].", s);
        for (int k = 0; k < par->entries; k++)
            older = older || strncmp(par->entry[k].name, prefix, strlen(prefix)) == 0;
        const char *list = older ? "stimulus" : "stim", *when = older ? "" : "ptcl.";
        const char *name = par_text(par, "%s[%d].name", list, s);
        double type = par_number(par, 0, older ? "%s[%d].stimtype" : "%s[%d].crct.type", list, s);
        double beats = par_number(par, 1, "%s[%d].%snpls", list, s, when),
               period = par_number(par, NAN, "%s[%d].%sbcl", list, s, when);
        if (type != 0) {
            fprintf(
                stderr,
                "cardiac: warning: %s: stimulus %d is left out: its type is %.0f, and currents through the "
                "membrane (0) are all there are here\n",
                import->path, s, type);
            continue;
        }
        fputs("  - name: ", import->out);
        char number[20];
        snprintf(number, sizeof number, "S%d", s + 1);
        scalar_write_text(import->out, name && *name ? name : number);
        fputc('\n', import->out);
        write_place(import, s, older);
        fprintf(import->out, "    start: %.10g ms\n    duration: %.10g ms\n",
                par_number(par, 0, "%s[%d].%sstart", list, s, when),
                par_number(par, 1, "%s[%d].%sduration", list, s, when));
        if (beats != 1) /* without a period it is refused, not forgotten */
            fprintf(import->out, "    count: %.0f\n", beats);
        if (beats != 1 && !isnan(period))
            fprintf(import->out, "    period: %.10g ms\n", period);
        fprintf(import->out, "    current: %.10g uA/cm^2\n",
                par_number(par, 0, older ? "%s[%d].strength" : "%s[%d].pulse.strength", list, s));
        *pulses = fmax(*pulses, beats);
    }
}

/* activation:, and the map of falls; times at several thresholds are one here */
static void write_activation(struct import *import, double pulses, bool *falls)
{
    struct par_file *par = &import->par;
    int count = whole(fmin(par_number(par, 0, "num_LATs"), ITEMS_MOST));
    bool written = false;
    for (int k = 0; k < count; k++) {
        const struct par_entry *first = NULL;
        char name[40];
        snprintf(name, sizeof name, "lats[%d].measurand", k);
        for (int e = 0; e < par->entries; e++)
            first = strcmp(par->entry[e].name, name) == 0 ? &par->entry[e] : first;
        if (first && strcmp(first->value, "0") != 0)
            continue; /* of what is no V: not here, all its lines are told */
        par_text(par, "lats[%d].measurand", k);
        par_text(par, "lats[%d].ID", k);
        bool fall = par_number(par, 0, "lats[%d].mode", k) == 1;
        double all = par_number(par, 1, "lats[%d].all", k), method = par_number(par, 1, "lats[%d].method", k);
        if (fall) {
            *falls = true;
            par_text(par, "lats[%d].threshold", k);
            warn(import, "the times of falls are those of 90 % repolarisation here:", name);
        }
        if (fall || written)
            continue;
        written = true;
        double threshold = par_number(par, 0, "lats[%d].threshold", k);
        fputs("activation: {", import->out);
        if (method == 1)
            fprintf(import->out, "threshold: %.10g mV, beats: %.0f}\n", threshold,
                    all != 0 ? fmin(fmax(pulses, 1), 1000) : 1);
        else
            fputs("method: max-slope}\n", import->out);
    }
}

/* ecg: of the points of a .pts file */
static enum status write_electrodes(struct import *import, struct error *error)
{
    struct text_file text = {0};
    char path[2 * PATH], *folder = strdup(import->path);
    const char *name = NULL;
    int64_t count = 0;
    for (int k = 0; k < import->par.entries; k++)
        if (strcmp(import->par.entry[k].name, "phie_rec_ptf") == 0)
            name = import->par.entry[k].value;
    if (!name || !folder) {
        free(folder);
        return folder ? STATUS_OK : error_memory(error, "a path", 1);
    }
    snprintf(path, sizeof path, "%.900s.pts", name);
    if (!exists(import, path)) {
        free(folder);
        return STATUS_OK; /* it is told with what has no counterpart */
    }
    snprintf(path, sizeof path, "%.900s%s%.900s.pts", *name == '/' ? "" : dirname(folder),
             *name == '/' ? "" : "/", name);
    free(folder);
    enum status status = text_open(&text, path, error);
    TRY(text_need(&text, "the number of points", error));
    TRY(text_integer(&text, &count, "the number of points", error));
    fputs("ecg:\n  electrodes:\n", import->out);
    for (int64_t k = 0; k < count && !status; k++) {
        double p[3] = {0};
        status = text_need(&text, "a point", error);
        for (int c = 0; c < 3; c++)
            TRY(text_number(&text, 0, &p[c], "a coordinate", error));
        if (!status)
            fprintf(import->out, "    E%lld: [%.10g um, %.10g um, %.10g um]\n", (long long)k, p[0], p[1],
                    p[2]);
    }
    text_close(&text);
    par_text(&import->par, "phie_rec_ptf");
    return status;
}

static void write_solver(struct import *import)
{
    struct par_file *par = &import->par;
    double solve = par_number(par, -1, "parab_solve"), lumping = par_number(par, -1, "mass_lumping");
    const char *way = solve == 0 ? "method: explicit" : solve == 1 ? "theta: 0.5" : "";
    if (!*way && !(lumping >= 0 && lumping <= 1))
        return;
    fprintf(import->out, "solver: {%s", way);
    if (lumping >= 0 && lumping <= 1)
        fprintf(import->out, "%smass_lumping: %.10g", *way ? ", " : "", lumping);
    fputs("}\n", import->out);
}

static void write_output(struct import *import, bool falls)
{
    struct par_file *par = &import->par;
    const char *directory = par_text(par, "simID");
    int fields = whole(fmin(par_number(par, 0, "num_gvecs"), ITEMS_MOST));
    double checkpoints = par_number(par, 0, "chkpt_intv");
    fputs("output:\n", import->out);
    if (directory) {
        fputs("  directory: ", import->out);
        scalar_write_text(import->out, directory);
        fputc('\n', import->out);
    }
    fprintf(import->out, "  every: %.10g ms\n", par_number(par, 1, "spacedt"));
    for (int k = 0; k < fields; k++) {
        const char *state = par_text(par, "gvec[%d].ID[0]", k);
        state = state ? state : par_text(par, "gvec[%d].ID", k);
        fputs(k ? ", " : "  fields: [V, ", import->out);
        scalar_write_text(import->out, state ? state : "?");
        if (k == fields - 1)
            fputs("]\n", import->out);
    }
    if (falls)
        fputs("  maps: [activation_time, repolarization_time]\n", import->out);
    if (checkpoints > 0)
        fprintf(import->out, "checkpoint: {every: %.10g ms}\n", checkpoints);
}

/* Whether nothing is lost with it */
static bool says_nothing(const struct par_entry *entry)
{
    static const char *const zero[] = {"bidomain", "experiment", "pulse.shape", "extracell_monodomain_stim"};
    for (size_t k = 0; k < sizeof zero / sizeof *zero; k++)
        if (strstr(entry->name, zero[k]) && strcmp(entry->value, "0") == 0)
            return true;
    if (strstr(entry->name, ".ptype") && strcmp(entry->value, "0") != 0 && strcmp(entry->value, "1") != 0)
        return false; /* neither tissue nor what is around it */
    for (size_t k = 0; k < sizeof silent / sizeof *silent; k++) {
        const char *at = strstr(entry->name, silent[k]);
        if (at == entry->name || (at && *silent[k] == '.'))
            return true;
    }
    return false;
}

static enum status convert(struct import *import, struct error *error)
{
    struct par_file *par = &import->par;
    const char *mesh = par_text(par, "meshname");
    double ratio = par_number(par, 0.14, "imp_region[0].cellSurfVolRatio"), pulses = 1;
    bool falls = false;
    fputs("version: 1\n", import->out);
    write_file(import, "mesh: {file", mesh ? mesh : "mesh", ".elem");
    fprintf(import->out, "}\ntissue:\n  surface_to_volume: %.10g /um\n  regions:\n", ratio);
    enum status status = write_regions(import, error);
    if (status)
        return status;
    write_stimuli(import, &pulses);
    fprintf(import->out, "time: {end: %.10g ms, step: %.10g us}\n", par_number(par, 100, "tend"),
            par_number(par, 10, "dt"));
    write_solver(import);
    write_activation(import, pulses, &falls);
    write_output(import, falls);
    status = write_electrodes(import, error);
    int lost = 0;
    for (int k = 0; k < par->entries; k++)
        lost += !par->entry[k].used && !says_nothing(&par->entry[k]);
    fprintf(stderr, "%d of %d lines have no counterpart here%s\n", lost, par->entries, lost ? ":" : "");
    for (int k = 0; k < par->entries; k++)
        if (!par->entry[k].used && !says_nothing(&par->entry[k]))
            fprintf(stderr, "%s:%d: %s = %s\n", import->path, par->entry[k].line, par->entry[k].name,
                    par->entry[k].value);
    return status;
}

enum status command_import(int argc, char **argv, struct error *error)
{
    bool help;
    int count;
    const struct option options[] = {{0}};
    const struct usage usage = {
        "import PARAMETERS.par",
        "Prints a config for an openCARP parameter file, to be kept beside it: cardiac import "
        "a.par > a.yaml. Lines\nwithout a counterpart here are listed on standard error.",
        options, 1, 1};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (!status && !help) {
        struct import import = {.path = argv[1], .out = stdout};
        status = par_read(&import.par, argv[1], error);
        TRY(convert(&import, error));
        par_free(&import.par);
    }
    return status;
}
