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

/* nodes:, tags:, box:, sphere: or where: */
static void write_place(const struct par_stimulus *stimulus)
{
    struct import *import = stimulus->import;
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
    struct import_shape shape = {.kind = IMPORT_SHAPE_BLOCK};
    char name[60];
    if (stimulus->older) {
        read_box(stimulus, shape.p0, shape.p1);
    } else {
        shape.kind = (int)number_of(stimulus, IMPORT_SHAPE_BLOCK, "", "elec.geom_type");
        snprintf(name, sizeof name, "%s[%d].elec.p0", stimulus->list, stimulus->number);
        import_point(import, name, shape.p0);
        snprintf(name, sizeof name, "%s[%d].elec.p1", stimulus->list, stimulus->number);
        if (shape.kind != IMPORT_SHAPE_SPHERE)
            import_point(import, name, shape.p1);
        if (shape.kind != IMPORT_SHAPE_BLOCK)
            shape.radius = number_of(stimulus, 0, "", "elec.radius");
    }
    if (shape.kind == IMPORT_SHAPE_SPHERE) {
        import_write_point(import->out, "    sphere: {centre: ", shape.p0);
        fprintf(import->out, ", radius: %.15g um}\n", shape.radius);
    } else if (shape.kind == IMPORT_SHAPE_CYLINDER) {
        fputs("    where: ", import->out);
        import_where(import->out, &shape);
        fputc('\n', import->out);
    } else {
        import_write_point(import->out, "    box: {min: ", shape.p0);
        import_write_point(import->out, ", max: ", shape.p1);
        fputs("}\n", import->out);
    }
}

/* What else openCARP stimulates with, by its number */
static const char *other_type(double type)
{
    static const char *const names[] = {
        [1] = "an extracellular current",
        [2] = "an extracellular voltage",
        [3] = "a ground electrode",
        [4] = "an intracellular current",
        [5] = "an extracellular voltage",
        [8] = "a prescribed activation time (`delays` of a current does this)",
        [9] = "a voltage clamp"};
    bool known = type > 0 && type < (double)(sizeof names / sizeof *names) && type == floor(type);
    const char *name = known ? names[(int)type] : NULL;
    return name ? name : "unknown";
}

/* Whether the config has it; a warning says why not */
static bool is_here(const struct par_stimulus *stimulus)
{
    struct import *import = stimulus->import;
    char prefix[40], strength[60], nodes[60];
    const struct par_entry *refused;
    snprintf(prefix, sizeof prefix, "%s[%d].", stimulus->list, stimulus->number);
    snprintf(strength, sizeof strength, "%s%s", prefix, stimulus->older ? "strength" : "pulse.strength");
    snprintf(nodes, sizeof nodes, "%selec.vtx_file", prefix);
    int lines = par_count(&import->par, prefix, &refused);
    if (refused) {
        import_warn(import, refused, "stimulus %d is left out because this line is refused",
                    stimulus->number);
        return false;
    }
    double type = number_of(stimulus, 0, "stimtype", "crct.type");
    double shape = stimulus->older || par_find(&import->par, nodes)
                       ? IMPORT_SHAPE_BLOCK
                       : number_of(stimulus, IMPORT_SHAPE_BLOCK, "", "elec.geom_type");
    par_forget(&import->par);
    if (type != 0)
        import_warn(import, NULL,
                    "stimulus %d is left out: its type %.15g is %s; only transmembrane currents (type 0) are "
                    "supported",
                    stimulus->number, type, other_type(type));
    else if (lines && !par_find(&import->par, strength))
        import_warn(import, NULL, "stimulus %d is left out: it has no strength", stimulus->number);
    else if (lines && shape != IMPORT_SHAPE_SPHERE && shape != IMPORT_SHAPE_BLOCK &&
             shape != IMPORT_SHAPE_CYLINDER)
        import_warn(import, NULL, "stimulus %d is left out: its shape (%.15g) is not supported",
                    stimulus->number, shape);
    else
        return par_find(&import->par, strength) != NULL;
    return false;
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
