/* import_run.c: a config's time, solver, activation, output and electrodes. */
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/import_text.h"
#include "app/config/scalar.h"
#include "app/util/text_file.h"

enum { ELECTRODES_MOST = 1000 };

static enum status write_time(struct import *import, struct error *error)
{
    double end = par_number(&import->par, 100, "tend");
    fprintf(import->out, "time:\n  end: %.15g ms\n", import_time(import, "tend", end));
    enum status status = import_settle(import, error);
    fprintf(import->out, "  step: %.15g us\n", par_number(&import->par, 10, "dt"));
    return status ? status : import_settle(import, error);
}

static enum status write_solver(struct import *import, struct error *error)
{
    struct par_file *par = &import->par;
    double solve = par_number(par, -1, "parab_solve");
    enum status status = STATUS_OK;
    const char *head = "solver:\n";
    if (solve == 0 || solve == 1) {
        fprintf(import->out, "%s  %s\n", head, solve == 0 ? "method: explicit" : "theta: 0.5");
        head = "";
        status = import_settle(import, error);
    }
    par_forget(par);
    double lumping = par_number(par, NAN, "mass_lumping");
    if (!isnan(lumping))
        fprintf(import->out, "%s  mass_lumping: %.15g\n", head, lumping);
    return status ? status : import_settle(import, error);
}

/* activation: of the first rising one of V; *falls <- whether one falls. One of which a line is refused is
 * left out as a whole. */
static enum status write_times(struct import *import, int k, double pulses, bool *written, bool *falls,
                               struct error *error)
{
    struct par_file *par = &import->par;
    const struct par_entry *refused;
    char prefix[40];
    snprintf(prefix, sizeof prefix, "lats[%d].", k);
    par_count(par, prefix, &refused);
    if (refused)
        return STATUS_OK;
    double measurand = par_number(par, 0, "lats[%d].measurand", k),
           mode = par_number(par, 0, "lats[%d].mode", k);
    double method = par_number(par, 1, "lats[%d].method", k), threshold = 0, all;
    bool fall = mode == 1;
    par_text(par, "lats[%d].ID", k);
    if (measurand != 0 || (*written && !fall)) {
        par_forget(par); /* of what is no V, or a second one: all its lines are named */
        return STATUS_OK;
    }
    if (fall) {
        *falls = true;
        import_warn(import, NULL, "lats[%d]: falling crossings become the times of 90 %% repolarisation", k);
        par_settle(par);
        return STATUS_OK;
    }
    *written = true;
    if (method != 1) {
        fputs("activation:\n  method: max-slope\n", import->out);
        return import_settle(import, error);
    }
    threshold = par_number(par, 0, "lats[%d].threshold", k);
    all = par_number(par, 1, "lats[%d].all", k);
    fprintf(import->out, "activation: {threshold: %.15g mV, beats: %.0f}\n", threshold,
            all != 0 ? fmin(fmax(pulses, 1), 1000) : 1);
    return import_settle(import, error);
}

static enum status write_activation(struct import *import, double pulses, bool *falls, struct error *error)
{
    int count = (int)fmin(fmax(par_number(&import->par, 0, "num_LATs"), 0), IMPORT_ITEMS);
    bool written = false;
    par_settle(&import->par);
    for (int k = 0; k < count; k++)
        TRY(write_times(import, k, pulses, &written, falls, error));
    return STATUS_OK;
}

static const char *name_among(const struct ionic_value *value, int count, const char *word, bool exact)
{
    char simple[80];
    for (int k = 0; k < count; k++) {
        import_simplify(simple, sizeof simple, value[k].name);
        if (strcmp(exact ? value[k].name : simple, word) == 0)
            return value[k].name;
    }
    return NULL;
}

/* The state or current of a model in use that is named so, or else so but for signs and capitals; NULL = none
 */
static const char *field_of(const struct import *import, const char *text)
{
    char simple[80];
    import_simplify(simple, sizeof simple, text);
    const char *found = NULL;
    for (int exact = 1; exact >= 0; exact--)
        for (int m = 0; m < import->models && !found; m++) {
            const struct ionic_model *model = import->model[m];
            found = name_among(model->state, model->states, exact ? text : simple, exact);
            if (!found)
                found = name_among(model->current, model->currents, exact ? text : simple, exact);
        }
    return found;
}

/* A line of gvec, if it names a state or current here that no line before it does */
static enum status write_field(struct import *import, const char *text, const char **written, int *fields,
                               struct error *error)
{
    const char *name = text ? field_of(import, text) : NULL;
    for (int f = 0; f < *fields && name; f++)
        if (strcmp(written[f], name) == 0) {
            par_settle(&import->par);
            return STATUS_OK;
        }
    if (!name || *fields == IMPORT_ITEMS) {
        par_forget(&import->par);
        return STATUS_OK;
    }
    written[(*fields)++] = name;
    fputs("    - ", import->out);
    scalar_write_text(import->out, name);
    fputc('\n', import->out);
    return import_settle(import, error);
}

/* gvec[k].ID, or gvec[k].ID[r] of each region of the cells */
static enum status write_fields(struct import *import, struct error *error)
{
    struct par_file *par = &import->par;
    int count = (int)fmin(fmax(par_number(par, 0, "num_gvecs"), 0), IMPORT_ITEMS);
    int regions = (int)fmin(fmax(par_number(par, 1, "num_imp_regions"), 1), IMPORT_ITEMS);
    fputs("  fields:\n    - V\n", import->out);
    TRY(import_settle(import, error));
    const char *written[IMPORT_ITEMS];
    int fields = 0;
    for (int k = 0; k < count; k++) {
        TRY(write_field(import, par_text(par, "gvec[%d].ID", k), written, &fields, error));
        for (int r = 0; r < regions; r++)
            TRY(write_field(import, par_text(par, "gvec[%d].ID[%d]", k, r), written, &fields, error));
    }
    return STATUS_OK;
}

static enum status write_output(struct import *import, bool falls, struct error *error)
{
    struct par_file *par = &import->par;
    const char *directory = par_text(par, "simID");
    fputs("output:\n", import->out);
    if (directory && *directory) {
        fputs("  directory: ", import->out);
        scalar_write_text(import->out, directory);
        fputc('\n', import->out);
    }
    TRY(import_settle(import, error));
    fprintf(import->out, "  every: %.15g ms\n",
            import_time(import, "spacedt", par_number(par, 1, "spacedt")));
    TRY(import_settle(import, error));
    TRY(write_fields(import, error));
    if (falls)
        fputs("  maps: [activation_time, repolarization_time]\n", import->out);
    TRY(import_settle(import, error));
    double checkpoints = par_number(par, 0, "chkpt_intv");
    if (checkpoints != 0)
        fprintf(import->out, "checkpoint: {every: %.15g ms}\n",
                import_time(import, "chkpt_intv", checkpoints));
    return import_settle(import, error);
}

/* name.pts, beside the parameter file unless it begins with a slash */
static void path_beside(const struct import *import, const char *name, char path[2 * IMPORT_PATH])
{
    char folder[IMPORT_PATH];
    snprintf(folder, sizeof folder, "%s", import->path);
    snprintf(path, 2 * IMPORT_PATH, "%.900s%s%.900s.pts", *name == '/' ? "" : dirname(folder),
             *name == '/' ? "" : "/", name);
}

/* p[count][3] <- the points of a file, in um */
static enum status read_points(const char *path, double p[ELECTRODES_MOST][3], int *count,
                               struct error *error)
{
    struct text_file text = {0};
    int64_t points = 0;
    enum status status;
    TRY_DONE(text_open(&text, path, error));
    TRY_DONE(text_need(&text, "the number of points", error));
    TRY_DONE(text_integer(&text, &points, "the number of points", error));
    if (points < 1 || points > ELECTRODES_MOST)
        TRY_DONE(text_error(&text, error, "%lld points; there can be 1 to %d", (long long)points,
                            ELECTRODES_MOST));
    for (int64_t k = 0; k < points; k++) {
        TRY_DONE(text_need(&text, "a point", error));
        for (int c = 0; c < 3; c++)
            TRY_DONE(text_number(&text, 0, &p[k][c], "a coordinate", error));
    }
    *count = (int)points;
done:
    text_close(&text);
    return status;
}

/* ecg: of the points of a .pts file; if it cannot be read, the line is refused */
static enum status write_electrodes(struct import *import, struct error *error)
{
    static const char key[] = "phie_rec_ptf";
    struct par_entry *entry = par_find(&import->par, key);
    char path[2 * IMPORT_PATH];
    double p[ELECTRODES_MOST][3];
    int count = 0;
    struct error fault = {0};
    if (!entry)
        return STATUS_OK;
    path_beside(import, entry->value, path);
    if (read_points(path, p, &count, &fault)) {
        par_refuse(&import->par, entry, "%.190s", fault.text);
        return STATUS_OK;
    }
    par_text(&import->par, "%s", key);
    fputs("ecg:\n  electrodes:\n", import->out);
    for (int k = 0; k < count; k++)
        fprintf(import->out, "    E%d: [%.15g um, %.15g um, %.15g um]\n", k, p[k][0], p[k][1], p[k][2]);
    return import_settle(import, error);
}

enum status import_run(struct import *import, double pulses, struct error *error)
{
    bool falls = false;
    TRY(write_time(import, error));
    TRY(write_solver(import, error));
    TRY(write_activation(import, pulses, &falls, error));
    TRY(write_output(import, falls, error));
    return write_electrodes(import, error);
}
