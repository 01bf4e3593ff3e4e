/* test_import.c: parameter files at random, most of them with values that a config cannot have: what import
 * prints is always a config, and each line of the file is in it or named. A line that is not named cannot go
 * without a trace. */
#include "app/commands/import.h"
#include "app/config/config.h"
#include "tests/support/mesh_sample.h"

#include <unistd.h>

enum { LINES_MOST = 60 };

static uint64_t seed;

static int dice(int sides)
{
    return (int)(test_random(seed++) * sides);
}

static const char *one_of(const char *const *choice, int count)
{
    return choice[dice(count)];
}

#define ONE_OF(list) one_of(list, (int)(sizeof(list) / sizeof *(list)))

/* Names, a # for the number of an item; some that no file has, some that are here only in part */
static const char *const names[] = {"meshname",
                                    "simID",
                                    "tend",
                                    "dt",
                                    "spacedt",
                                    "timedt",
                                    "parab_solve",
                                    "mass_lumping",
                                    "num_imp_regions",
                                    "num_gregions",
                                    "num_stim",
                                    "num_LATs",
                                    "num_gvecs",
                                    "bidm_eqv_mono",
                                    "prepacing_beats",
                                    "prepacing_bcl",
                                    "imp_region[#].im",
                                    "imp_region[#].im_param",
                                    "imp_region[#].ID",
                                    "imp_region[#].ID[#]",
                                    "imp_region[#].num_IDs",
                                    "imp_region[#].cellSurfVolRatio",
                                    "gregion[#].ID",
                                    "gregion[#].ID[#]",
                                    "gregion[#].num_IDs",
                                    "gregion[#].g_il",
                                    "gregion[#].g_it",
                                    "gregion[#].g_in",
                                    "gregion[#].g_el",
                                    "gregion[#].g_et",
                                    "gregion[#].g_mult",
                                    "stim[#].name",
                                    "stim[#].crct.type",
                                    "stim[#].pulse.strength",
                                    "stim[#].pulse.strength",
                                    "stim[#].ptcl.start",
                                    "stim[#].ptcl.duration",
                                    "stim[#].ptcl.npls",
                                    "stim[#].ptcl.bcl",
                                    "stim[#].elec.p0",
                                    "stim[#].elec.p1[#]",
                                    "stim[#].elec.geom_type",
                                    "stim[#].elec.radius",
                                    "stim[#].elec.geomID",
                                    "stim[#].elec.vtx_file",
                                    "stimulus[#].strength",
                                    "stimulus[#].x0",
                                    "stimulus[#].xd",
                                    "stimulus[#].ctr_def",
                                    "stimulus[#].duration",
                                    "lats[#].measurand",
                                    "lats[#].mode",
                                    "lats[#].method",
                                    "lats[#].threshold",
                                    "lats[#].all",
                                    "gvec[#].ID",
                                    "gvec[#].ID[0]",
                                    "phie_rec_ptf",
                                    "chkpt_intv",
                                    "cg_tol_parab",
                                    "adjustment[#].file",
                                    "phys_region[#].ptype"};

static const char *const values[] = {"0",
                                     "1",
                                     "2",
                                     "3",
                                     "-1",
                                     "0.5",
                                     "0.1",
                                     "7",
                                     "12",
                                     "25",
                                     "100",
                                     "400",
                                     "1e-9",
                                     "1e9",
                                     "1e300",
                                     "-1e300",
                                     "1e400",
                                     "nan",
                                     "inf",
                                     "",
                                     "x",
                                     "-0",
                                     "0x10",
                                     "1 2",
                                     "1, 2, 3",
                                     "21, 23, 25, 27",
                                     "1,,2",
                                     "1 2 x",
                                     "2.5",
                                     "100 200 300",
                                     "100 200 300 400",
                                     "1e20",
                                     "slab",
                                     "\"two words\"",
                                     "'it'",
                                     "\"with # sign\"",
                                     "a: b",
                                     "- x",
                                     "{",
                                     "[1",
                                     "&a",
                                     "*a",
                                     "!tag",
                                     "~",
                                     "null",
                                     "\xff\xfe",
                                     "\x01",
                                     "caf\xc3\xa9",
                                     "all",
                                     "S1",
                                     "S2",
                                     "leads",
                                     "corner",
                                     "Cai",
                                     "Ca_i",
                                     "V",
                                     "INa",
                                     "Nothing",
                                     "tenTusscherPanfilov",
                                     "tenTusscherPanfilov",
                                     "LuoRudy91",
                                     "OHara",
                                     "LRDII_F",
                                     "\"flags=ENDO,GNa*0.9,Gks-50%,GK1=5.0\"",
                                     "\"flags=NONE,GNa*-1\"",
                                     "GNa*2,GNa*3,GKr=nan,GKs/0,GKr+x,GNa*1e400",
                                     "GK1=-5,flags=EPI,flags=MCELL",
                                     "%s%n",
                                     "../../etc/passwd",
                                     "/"};

/* What suits the end of a name, so that not all is refused */
static const char *const fitting[][4] = {
    {"g_mult", "0.5", "2", "x"}, /* never 0, which hides others */

    {"strength", "50", "60.5", "20"}, {".im", "OHara", "LuoRudy91", "MitchellSchaeffer"},
    {"duration", "1", "2", "0.5"},    {"tend", "10", "20", "33"},
    {"num_stim", "1", "3", "4"},      {"npls", "2", "3", "4"},
    {"bcl", "300", "400", "500"},     {"im_param", "GNa*0.5", "GKr*2", "GNa=3"}};

struct file {
    char line[LINES_MOST][200];
    int lines;
};

static void make_line(char line[200])
{
    const char *name = ONE_OF(names), *value = ONE_OF(values);
    char full[120];
    int used = 0;
    for (const char *c = name; *c; c++)
        full[used++] = *c == '#' ? (char)('0' + dice(1 + dice(3))) : *c;
    full[used] = 0;
    for (size_t f = 0; f < sizeof fitting / sizeof *fitting; f++) {
        size_t length = strlen(full), end = strlen(fitting[f][0]);
        if (length >= end && strcmp(full + length - end, fitting[f][0]) == 0 && (f == 0 || dice(3)))
            value = fitting[f][1 + dice(3)];
    }
    snprintf(line, 200, "%s = %s", full, value);
}

/* With another line `at` */
static void write_file(const struct file *made, int at, const char *other)
{
    FILE *file = fopen("f.par", "w");
    CHECK(file, "f.par");
    for (int k = 0; k < made->lines; k++)
        fprintf(file, "%s\n", k == at ? other : made->line[k]);
    CHECK(fclose(file) == 0, "f.par");
}

struct result {
    char *text, *notes;
};

static struct result convert(void)
{
    struct result result;
    struct error error = {0};
    struct config config;
    size_t length, note_length;
    FILE *out = open_memstream(&result.text, &length), *notes = open_memstream(&result.notes, &note_length);
    CHECK(out && notes, "no memory");
    CHECK_OK(import_convert(out, notes, "f.par", &error), error);
    CHECK(fclose(out) == 0 && fclose(notes) == 0, "memory");
    FILE *file = fopen("f.yaml", "w");
    CHECK(file && fputs(result.text, file) >= 0 && fclose(file) == 0, "f.yaml");
    enum status status = config_read(&config, "f.yaml", NULL, 0, &error);
    CHECK(status == STATUS_OK, "the config is refused: %s\n%s%s", error.text, result.text, result.notes);
    config_free(&config);
    return result;
}

/* Whether line `number` is named, alone or in the list of those that change nothing */
static bool is_named(const char *notes, int number)
{
    char place[30];
    snprintf(place, sizeof place, "f.par:%d:", number);
    if (strstr(notes, place))
        return true;
    const char *list = strstr(notes, "lines without effect here: ");
    for (list = list ? strchr(list, ':') + 1 : ""; *list && *list != '\n'; list += *list == ',') {
        char *end;
        if (strtol(list, &end, 10) == number)
            return true;
        list = end;
    }
    return false;
}

/* Whether the config is another one without line k, or, if its value is a default, with another value */
static bool matters(const struct file *made, int k, const char *text)
{
    static const char *const others[] = {NULL, "0", "1", "2", "3.5", "corner", "LuoRudy91"};
    bool differs = false;
    for (size_t o = 0; o < sizeof others / sizeof *others && !differs; o++) {
        char line[260];
        snprintf(line, sizeof line, "%.*s= %s", (int)strcspn(made->line[k], "="), made->line[k],
                 others[o] ? others[o] : "");
        write_file(made, k, others[o] ? line : "#");
        struct result part = convert();
        differs = strcmp(text, part.text) != 0;
        free(part.text);
        free(part.notes);
    }
    return differs;
}

/* A count of items, how activation is found (another item may say the same), and the tags of a first region:
 * that one also has the elements of no list */
static bool says_nothing(const char *line)
{
    return strstr(line, "num_") || (strncmp(line, "lats[", 5) == 0 && !strstr(line, "threshold")) ||
           strncmp(line, "gregion[0].ID", 13) == 0 || strncmp(line, "imp_region[0].ID", 16) == 0;
}

static void try_file(int *tried, int *named)
{
    struct file made = {.lines = 1 + dice(LINES_MOST)};
    for (int k = 0; k < made.lines; k++)
        make_line(made.line[k]);
    write_file(&made, -1, "");
    struct result whole = convert();
    for (int k = 0; k < made.lines; k++) {
        bool is = is_named(whole.notes, k + 1);
        *named += is;
        if (is || says_nothing(made.line[k]) || dice(2))
            continue;
        ++*tried;
        CHECK(matters(&made, k, whole.text), "line %d, %s, goes without a trace:\n%s%s", k + 1, made.line[k],
              whole.text, whole.notes);
    }
    free(whole.text);
    free(whole.notes);
}

int main(int argc, char **argv)
{
    char directory[] = "import-XXXXXX", command[64];
    int files = argc > 1 ? atoi(argv[1]) : 300, tried = 0, named = 0;
    CHECK(mkdtemp(directory) && chdir(directory) == 0, "no directory");
    FILE *leads = fopen("leads.pts", "w");
    CHECK(leads && fputs("2\n0 0 0\n1000 0 1e300\n", leads) >= 0 && fclose(leads) == 0, "leads.pts");
    for (int k = 0; k < files; k++)
        try_file(&tried, &named);
    CHECK(chdir("..") == 0, "chdir");
    snprintf(command, sizeof command, "rm -r %s", directory);
    printf("%d files, %d lines named, %d lines taken out\n", files, named, tried);
    CHECK(tried > files / 4 && named > files, "hardly a line was tried");
    return system(command) != 0;
}
