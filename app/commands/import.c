/* import.c: `cardiac import`: a config from an openCARP parameter file, by the names of its manual. */
#include "app/commands/import.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/import_text.h"
#include "app/config/config.h"
#include "app/util/command.h"
#include "app/util/options.h"

/* Entries without effect here: counts of lists, labels, what always holds, names of openCARP's own files */
static const char *const silent[] = {
    "num_",   "timedt", "gridout_",   "bidm_eqv_mono", "output_level",       "phys_region[", "ellip_",
    "log_",   "pstrat", "parab_use_", ".name",         "phie_recovery_file", ".num_IDs",     ".units",
    ".bogus", ".dump",  ".ID_name",   "phie_rec_meth", "operator_splitting", ".num_IDS",
};

/* Why an entry has no counterpart, and what does the same here */
static const char *const reasons[][2] = {
    {".im_sv_init", "openCARP's state files are not read; `initial: {pace: 100, period: 1000 ms}` of a "
                    "region paces its cells"},
    {".im_sv_dumps", "`output.fields` writes states and currents"},
    {"external_imp[", "a library of a model cannot be loaded; `model: {file: my.mmt}` reads its equations"},
    {"tsav", "checkpoints follow each other evenly: `checkpoint.every`"},
    {"start_statef", "`initial: {file: checkpoint-<step>.h5}` starts from a checkpoint of this program"},
    {".pulse.file", "write the shape as times in ms and fractions of the current: `stimuli[].pulse`"},
    {".elemfile", "give these elements a tag in the mesh"},
    {"cg_", "sweeps stop by `solver.tolerance`, in mV"},
};

static const char *reason_of(const struct par_entry *entry)
{
    for (size_t k = 0; k < sizeof reasons / sizeof *reasons && !*entry->reason; k++) {
        const char *at = strstr(entry->name, reasons[k][0]);
        if (at == entry->name || (at && *reasons[k][0] == '.'))
            return reasons[k][1];
    }
    return entry->reason;
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
    for (size_t k = 0; k < sizeof silent / sizeof *silent && !*entry->reason; k++) {
        const char *at = strstr(entry->name, silent[k]);
        if (at == entry->name || (at && *silent[k] == '.'))
            return true;
    }
    return false;
}

static enum status write_config(struct import *import, struct error *error)
{
    double pulses = 1;
    TRY(import_begin(import, error));
    import->step = par_number(&import->par, 10, "dt") / 1000;
    par_forget(&import->par);
    const char *mesh = par_text(&import->par, "meshname");
    fputs("version: 1\n", import->out);
    import_file(import, "mesh: {file", mesh && *mesh ? mesh : "mesh", ".elem");
    fputs("}\n", import->out);
    TRY(import_settle(import, error));
    TRY(import_tissue(import, error));
    TRY(import_stimuli(import, &pulses, error));
    return import_run(import, pulses, error);
}

/* A fault of a config, "path:line:column: key: what"; returns where the next one begins, NULL = none. */
static const char *next_fault(const char *at, const char *path, int *line, char reason[200])
{
    size_t length = strlen(path);
    int column = 0, used = 0;
    *line = 0;
    if (strncmp(at, path, length) == 0)
        sscanf(at + length, ":%d:%d: %n", line, &column, &used);
    *line = used ? *line : 0;
    at += used ? length + (size_t)used : 0;
    snprintf(reason, 200, "%.*s", (int)strcspn(at, "\n"), at);
    at = strchr(at, '\n');
    return at ? at + 1 : NULL;
}

/* Refuses what the lines with faults were made from. Where these lines were made from nothing, all faults
 * follow from something else: then the first of them refuses what stands around it. */
static enum status refuse_faults(struct import *import, const char *path, const struct error *faults,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    bool found = false;
    int line;
    char reason[200];
    for (const char *at = faults->text; at && !status;) {
        at = next_fault(at, path, &line, reason);
        if (line) /* the last one may be cut */
            status = import_refuse_line(import, line, reason, &found, error);
    }
    next_fault(faults->text, path, &line, reason);
    if (line == 0)
        return error_set(error, STATUS_INPUT, "%s: its config: %s", import->path, reason);
    return found || status ? status : import_refuse_block(import, line, reason, error);
}

/* Whether `check` accepts the config; what it refuses is refused. */
static enum status check_config(struct import *import, bool *good, struct error *error)
{
    static const char path[] = "config";
    struct config config = {0};
    struct error faults = {0};
    char folder[IMPORT_PATH];
    snprintf(folder, sizeof folder, "%s", import->path);
    fflush(import->out);
    enum status status = config_parse(&config, path, strchr(folder, '/') ? dirname(folder) : "", import->text,
                                      import->length, NULL, 0, &faults);
    config_free(&config);
    *good = status == STATUS_OK;
    if (status == STATUS_INPUT)
        return refuse_faults(import, path, &faults, error);
    return status ? error_set(error, status, "%s", faults.text) : STATUS_OK;
}

/* Lists each line left out, with the reason, and the numbers of lines that change nothing. */
static void list_lost(const struct import *import, FILE *notes)
{
    const struct par_file *par = &import->par;
    int lost = 0, others = 0;
    for (int k = 0; k < par->entries; k++)
        lost += !par->entry[k].used && !says_nothing(&par->entry[k]);
    fprintf(notes, "%d of %d lines were not converted%s\n", lost, par->entries, lost ? ":" : "");
    for (int k = 0; k < par->entries; k++) {
        const struct par_entry *entry = &par->entry[k];
        if (entry->used || says_nothing(entry))
            continue;
        const struct par_entry *later = par_replaced(par, k);
        const char *reason = reason_of(entry);
        fprintf(notes, "%s:%d: %s = %s", import->path, entry->line, entry->name, entry->value);
        if (later && !*entry->reason)
            fprintf(notes, " (line %d replaces it)", later->line);
        else if (*reason)
            fprintf(notes, " (%s)", reason);
        fputc('\n', notes);
    }
    for (int k = 0; k < par->entries; k++)
        if (!par->entry[k].used && says_nothing(&par->entry[k]))
            fprintf(notes, "%s%d", others++ ? ", " : "lines without effect here: ", par->entry[k].line);
    if (others)
        fputc('\n', notes);
}

enum status import_convert(FILE *out, FILE *notes, const char *path, struct error *error)
{
    struct import import = {.path = path};
    bool good = false;
    enum status status = par_read(&import.par, path, error);
    while (!status && !good) {
        status = write_config(&import, error);
        if (!status && !import.par.changed)
            status = check_config(&import, &good, error);
    }
    if (!status) {
        fflush(import.notes);
        fwrite(import.text, 1, import.length, out);
        fwrite(import.note_text, 1, import.note_length, notes);
        list_lost(&import, notes);
    }
    import_free(&import);
    return status;
}

enum status command_import(int argc, char **argv, struct error *error)
{
    bool help;
    const struct option options[] = {{0}};
    const struct usage usage = {
        "import PARAMETERS.par",
        "Converts an openCARP parameter file to a config on standard output; save it in the same "
        "folder:\ncardiac import a.par > a.yaml. `cardiac check` accepts the config. Standard error lists "
        "each line that was not\nconverted, with the reason.",
        options, 1, 1};
    enum status status = options_read(&usage, argc, argv, NULL, &help, error);
    return status || help ? status : import_convert(stdout, stderr, argv[1], error);
}
