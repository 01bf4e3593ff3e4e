/* import_stimuli.c: the stimuli of a config. One of which a line is refused is left out as a whole: with a
 * default in its place it would be another stimulus. */
#include <math.h>
#include <string.h>

#include "app/commands/import_text.h"
#include "app/config/scalar.h"

/* One stimulus of the file, in the older form or in the newer one */
struct par_stimulus {
    struct import *import;
    int number;
    bool older;
    const char *list; /* "stim" */
};

static double number_of(const struct par_stimulus *stimulus, double otherwise, const char *older,
                        const char *newer)
{
    return par_number(&stimulus->import->par, otherwise, "%s[%d].%s", stimulus->list, stimulus->number,
                      stimulus->older ? older : newer);
}

/* p[3] <- "elec.p0 = 1 2 3", refused if it is not so, or elec.p0[0] ... */
static void read_point(const struct par_stimulus *stimulus, const char *name, double p[3])
{
    struct par_file *par = &stimulus->import->par;
    char whole[80];
    int used;
    snprintf(whole, sizeof whole, "%s[%d].%s", stimulus->list, stimulus->number, name);
    struct par_entry *entry = par_find(par, whole);
    p[0] = p[1] = p[2] = 0;
    if (entry && (sscanf(entry->value, "%lf%*[ ,\t]%lf%*[ ,\t]%lf %n", p, p + 1, p + 2, &used) != 3 ||
                  entry->value[used] || !isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])))
        par_refuse(par, entry, "expected three numbers");
    else if (entry)
        par_text(par, "%s", whole);
    for (int k = 0; k < 3; k++)
        p[k] = par_number(par, p[k], "%s[%d].%s[%d]", stimulus->list, stimulus->number, name, k);
}

/* Of a box by its origin and widths */
static void read_box(const struct par_stimulus *stimulus, double low[3], double high[3])
{
    static const char *const origin[] = {"x0", "y0", "z0"}, *const widths[] = {"xd", "yd", "zd"};
    bool centred = number_of(stimulus, 0, "ctr_def", "") != 0;
    for (int k = 0; k < 3; k++) {
        double at = number_of(stimulus, 0, origin[k], ""), width = number_of(stimulus, 0, widths[k], "");
        low[k] = centred ? at - width / 2 : at;
        high[k] = low[k] + width;
    }
}

static void write_point(FILE *out, const char *key, const double p[3])
{
    fprintf(out, "%s: [%.15g um, %.15g um, %.15g um]", key, p[0], p[1], p[2]);
}

/* nodes:, tags:, box: or sphere: */
static void write_place(const struct par_stimulus *stimulus)
{
    struct import *import = stimulus->import;
    double low[3], high[3];
    const char *file = par_text(&import->par, stimulus->older ? "%s[%d].vtx_file" : "%s[%d].elec.vtx_file",
                                stimulus->list, stimulus->number);
    if (file && *file) {
        import_file(import, "    nodes", file, ".vtx");
        fputc('\n', import->out);
        return;
    }
    double tag = number_of(stimulus, -1, "geometry", "elec.geomID");
    if (tag >= 0) {
        fprintf(import->out, "    tags: [%.15g]\n", tag);
        return;
    }
    double type = stimulus->older ? 2 : number_of(stimulus, 2, "", "elec.geom_type");
    if (stimulus->older) {
        read_box(stimulus, low, high);
    } else {
        read_point(stimulus, "elec.p0", low);
        if (type != 1)
            read_point(stimulus, "elec.p1", high);
    }
    if (type != 1 && type != 2)
        import_warn(import, NULL, "stimulus %d: its shape (%.15g) is not supported; a box is used",
                    stimulus->number, type);
    if (type == 1) {
        write_point(import->out, "    sphere: {centre", low);
        fprintf(import->out, ", radius: %.15g um}\n", number_of(stimulus, 0, "", "elec.radius"));
    } else {
        write_point(import->out, "    box: {min", low);
        write_point(import->out, ", max", high);
        fputs("}\n", import->out);
    }
}

/* Whether the config has it; a warning says why not */
static bool is_here(const struct par_stimulus *stimulus)
{
    struct import *import = stimulus->import;
    char prefix[40], strength[60];
    const struct par_entry *refused;
    snprintf(prefix, sizeof prefix, "%s[%d].", stimulus->list, stimulus->number);
    snprintf(strength, sizeof strength, "%s%s", prefix, stimulus->older ? "strength" : "pulse.strength");
    int lines = par_count(&import->par, prefix, &refused);
    if (refused) {
        import_warn(import, refused, "stimulus %d is left out because this line is refused",
                    stimulus->number);
        return false;
    }
    double type = number_of(stimulus, 0, "stimtype", "crct.type");
    par_forget(&import->par);
    if (type != 0)
        import_warn(
            import, NULL,
            "stimulus %d is left out: its type is %.15g; only transmembrane currents (type 0) are supported",
            stimulus->number, type);
    else if (lines && !par_find(&import->par, strength))
        import_warn(import, NULL, "stimulus %d is left out: it has no strength", stimulus->number);
    return type == 0 && par_find(&import->par, strength);
}

static enum status write_stimulus(const struct par_stimulus *stimulus, double *pulses, struct error *error)
{
    struct import *import = stimulus->import;
    FILE *out = import->out;
    char number[20];
    snprintf(number, sizeof number, "S%d", stimulus->number + 1);
    const char *name = par_text(&import->par, "%s[%d].name", stimulus->list, stimulus->number);
    fputs("  - name: ", out);
    scalar_write_text(out, name && *name ? name : number);
    fputc('\n', out);
    TRY(import_settle(import, error));
    write_place(stimulus);
    TRY(import_settle(import, error));
    fprintf(out, "    start: %.15g ms\n", number_of(stimulus, 0, "start", "ptcl.start"));
    TRY(import_settle(import, error));
    fprintf(out, "    duration: %.15g ms\n", number_of(stimulus, 1, "duration", "ptcl.duration"));
    TRY(import_settle(import, error));
    double beats = number_of(stimulus, 1, "npls", "ptcl.npls");
    if (beats != 1)
        fprintf(out, "    count: %.15g\n", beats);
    TRY(import_settle(import, error));
    double period = beats == 1 ? NAN : number_of(stimulus, NAN, "bcl", "ptcl.bcl");
    if (!isnan(period)) /* without one it is refused, not forgotten */
        fprintf(out, "    period: %.15g ms\n", period);
    TRY(import_settle(import, error));
    fprintf(out, "    current: %.15g uA/cm^2\n", number_of(stimulus, 0, "strength", "pulse.strength"));
    number_of(stimulus, 0, "stimtype", "crct.type");
    *pulses = fmax(*pulses, beats);
    return import_settle(import, error);
}

enum status import_stimuli(struct import *import, double *pulses, struct error *error)
{
    struct par_file *par = &import->par;
    int count = (int)fmin(fmax(par_number(par, 2, "num_stim"), 0), IMPORT_ITEMS), written = 0;
    enum status status = STATUS_OK;
    par_settle(par);
    for (int s = 0; s < count && !status; s++) {
        char prefix[40];
        const struct par_entry *refused;
        snprintf(prefix, sizeof prefix, "stimulus[%d].", s);
        bool older = par_count(par, prefix, &refused) > 0;
        const struct par_stimulus stimulus = {import, s, older, older ? "stimulus" : "stim"};
        if (!is_here(&stimulus))
            continue;
        if (!written++)
            fputs("stimuli:\n", import->out);
        status = write_stimulus(&stimulus, pulses, error);
    }
    if (!written)
        fputs("stimuli: []\n", import->out);
    return status ? status : import_settle(import, error);
}
