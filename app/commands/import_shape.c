/* import_shape.c: points and shapes of a parameter file: spheres, blocks and cylinders, in um. */
#include "app/commands/import_text.h"

#include <math.h>
#include <string.h>

void import_point(struct import *import, const char *name, double p[3])
{
    struct par_file *par = &import->par;
    struct par_entry *entry = par_find(par, name);
    char text[sizeof entry->value];
    int used = 0;
    p[0] = p[1] = p[2] = 0;
    if (entry) {
        snprintf(text, sizeof text, "%s", entry->value);
        import_blank_lists(text);
        if (sscanf(text, "%lf %lf %lf %n", p, p + 1, p + 2, &used) != 3 || text[used] || !isfinite(p[0]) ||
            !isfinite(p[1]) || !isfinite(p[2]))
            par_refuse(par, entry, "expected three numbers");
        else
            par_text(par, "%s", name);
    }
    for (int k = 0; k < 3; k++)
        p[k] = par_number(par, p[k], "%s[%d]", name, k);
}

void import_write_point(FILE *out, const char *key, const double p[3])
{
    fprintf(out, "%s[%.15g um, %.15g um, %.15g um]", key, p[0], p[1], p[2]);
}

/* 0 <= t <= length and |x - p0|^2 - t^2 <= radius^2 for t = (x - p0) . axis */
static void write_cylinder(FILE *out, const double p0[3], const double p1[3], double radius)
{
    double axis[3], length = hypot(hypot(p1[0] - p0[0], p1[1] - p0[1]), p1[2] - p0[2]);
    char along[400];
    size_t used = 0;
    for (int k = 0; k < 3; k++) {
        axis[k] = length > 0 ? (p1[k] - p0[k]) / length : 0;
        used += (size_t)snprintf(along + used, sizeof along - used, "%s(%c - (%.15g um)) * (%.15g)",
                                 k ? " + " : "", "xyz"[k], p0[k], axis[k]);
    }
    fprintf(out, "0 um <= %s <= %.15g um and ", along, length);
    for (int k = 0; k < 3; k++)
        fprintf(out, "%s(%c - (%.15g um))^2", k ? " + " : "", "xyz"[k], p0[k]);
    fprintf(out, " - (%s)^2 <= (%.15g um)^2", along, radius);
}

bool import_where(FILE *out, const struct import_shape *shape)
{
    switch (shape->kind) {
    case IMPORT_SHAPE_SPHERE:
        import_write_point(out, "ball(", shape->p0);
        fprintf(out, ", %.15g um)", shape->radius);
        return true;
    case IMPORT_SHAPE_BLOCK:
        import_write_point(out, "box(", shape->p0);
        import_write_point(out, ", ", shape->p1);
        fputc(')', out);
        return true;
    case IMPORT_SHAPE_CYLINDER:
        write_cylinder(out, shape->p0, shape->p1, shape->radius);
        return true;
    default:
        return false;
    }
}
