/* velocity_describe.c: what is said of the velocity of fronts, and warnings where the mesh takes from it. */
#include <math.h>

#include "app/problem/environment.h"
#include "app/problem/velocity.h"

static const double much = 2; /* times the tissue's conductivity: beyond that a mesh is too coarse */

/* width and enough, the edge for that tolerance: mm */
static void warn(FILE *warnings, int r, const char *direction, const struct velocity *v, double width,
                 double enough)
{
    const double coarse = 0.2, none = 0.9, lost = 1 - v->here / v->fine;
    if (!(fabs(lost) > FRONT_TOLERANCE))
        return;
    fprintf(warnings, "tissue.regions[%d]: %sa front %s ", r, lost > coarse ? "too coarse: " : "", direction);
    if (lost > none)
        fputs("blocks on this mesh", warnings);
    else
        fprintf(warnings, "runs %.2g %% %s on this mesh than on a fine one", 100 * fabs(lost),
                lost > 0 ? "slower" : "faster");
    fprintf(warnings, ": it is %.2g mm wide and edges are %.3g mm there; to stay within %g %%, use ", width,
            v->edge, 100 * FRONT_TOLERANCE);
    if (enough < v->edge)
        fprintf(warnings, "%.2g mm\n", enough);
    else
        fputs("finer ones\n", warnings);
}

/* Where no front is sent. *how: to measure it, "" = it cannot be */
static void warn_unmeasured(FILE *warnings, int r, const char *direction, double width, double edge,
                            double enough, const char *how)
{
    if (edge > enough)
        fprintf(
            warnings,
            "tissue.regions[%d]: edges of %.3g mm are long for a front %s, which is %.2g mm wide: to stay "
            "within %g %% of its velocity, use %.2g mm%s\n",
            r, edge, direction, width, 100 * FRONT_TOLERANCE, enough, how);
}

/* What is lost on coarse edges can be made up for by conductivity, but not without a price */
static void warn_much(FILE *warnings, int r, const char *direction, double times)
{
    if (times > much)
        fprintf(
            warnings,
            "tissue.regions[%d]: %s this mesh needs %.3g times the tissue's conductivity for its velocity: "
            "it is too coarse; stimuli, curved fronts and the ECG differ from the tissue's; use finer "
            "edges\n",
            r, direction, times);
}

/* Whether the region's conductivities are for its velocity on this mesh: not those of lines */
static bool is_tuned(const struct velocities *velocities, const struct velocity_goal *goal, int r)
{
    return goal[r].given && !config_velocity_fine(&velocities->config->tissue.region[r]) &&
           !velocity_on_lines(velocities->mesh, &velocities->params->region[r]);
}

static void print_blocks(FILE *file, const struct velocity *v)
{
    if (v->here > 0)
        fprintf(file, "%.3g to %.3g m/s", v->low, v->high);
    if (v->here > 0 ? v->blocked > 0 : v->blocked < v->blocks)
        fprintf(file, "%sin %d of", v->here > 0 ? ", blocked " : "", v->blocked);
    else
        fprintf(file, "%sin", v->here > 0 ? " " : "");
    fprintf(file, " %d block%s", v->blocks, v->blocks == 1 ? "" : "s");
    if (v->reflected > 0)
        fprintf(file, ", %d reflected", v->reflected);
    fprintf(file, ", %lld nodes each; ", (long long)v->nodes);
}

static void print_velocity(FILE *file, int r, const char *direction, const struct velocity *v, bool lines)
{
    fprintf(file, "front in region %d %s: %.3g m/s", r, direction, v->fine);
    if (v->length > 0) {
        fprintf(file, "; not measured on this mesh (over %.3g mm, in more than %.0e steps of nodes)\n",
                v->length, (double)VELOCITY_WORK);
        return;
    }
    if (v->blocks == 0) {
        fputs(lines            ? "; not measured in lines of this mesh\n"
              : v->dropped > 0 ? "; no straight path on this mesh is long enough to measure it\n"
                               : "; this mesh does not extend in that direction\n",
              file);
        return;
    }
    if (v->apart)
        fputs("; not measured on this mesh (", file);
    else if (v->here > 0)
        fprintf(file, ", %.3g m/s on this mesh (%+.2g %%; ", v->here, 100 * (v->here / v->fine - 1));
    else
        fputs("; on this mesh it blocks (", file);
    print_blocks(file, v);
    fprintf(file, "edges of %.3g mm)\n", v->edge);
}

/* The blend of mass matrices that loses less along the fibres of a lumped mesh. Figures of a slab of tp06 at
 * those spacings in steps of 0.05 ms (docs/theory/numerics.md, section 2); 0.18 mm is the mean edge between them. */
static void advise_lumping(FILE *file, const struct velocity *v, double lumping, bool isotropic)
{
    if (lumping < 1 || v->apart || !(1 - v->here / v->fine > FRONT_TOLERANCE))
        return;
    if (isotropic)
        fputs(v->edge > 0.18
                  ? "activation maps: solver.mass_lumping: 0.333 loses less (on 0.2 mm 1.9 % with 0.13 S/m, "
                    "where 1 loses 8.7 %), but V falls up to 5 mV below rest ahead of fronts\n"
                  : "activation maps: solver.mass_lumping: 0.5 loses less (on 0.1 mm 0.7 % with 0.13 S/m, "
                    "where 1 loses 2.5 %)\n",
              file);
    else
        fputs(v->edge > 0.18
                  ? "activation maps: solver.mass_lumping: 0.333 loses less (on 0.2 mm 1.9 % along and 21 % "
                    "across the fibres, 1 loses 8.7 and 44 %), but V falls up to 5 mV below rest ahead of "
                    "fronts\n"
                  : "activation maps: solver.mass_lumping: 0.5 loses less (on 0.1 mm 0.7 % along and 5.9 % "
                    "across "
                    "the fibres, 1 loses 2.5 and 14 %)\n",
              file);
}

/* A warning of edges alone, and one of a tuned region */
static enum status warn_direction(FILE *warnings, struct velocities *velocities,
                                  const struct velocity_goal *goal, int r, int k, const char *how,
                                  struct error *error)
{
    const struct region *region = &velocities->params->region[r];
    const struct front_speed *front = &velocities->front[r];
    const char *direction = velocity_direction(region, k);
    const double root = sqrt(region->diffusion[k]);
    double edge = 0;
    if (is_tuned(velocities, goal, r)) {
        warn_much(warnings, r, direction, goal[r].mesh[k] / goal[r].fine[k]);
        return STATUS_OK;
    }
    TRY(velocity_edge(&edge, velocities, r, k, error));
    warn_unmeasured(warnings, r, direction, 2 * root / front->fine, edge, root * front_enough(front), how);
    return STATUS_OK;
}

static enum status describe_direction(FILE *file, FILE *warnings, struct velocities *velocities,
                                      const struct velocity_goal *goal, int r, int k, struct error *error)
{
    const struct region *region = &velocities->params->region[r];
    const struct front_speed *front = &velocities->front[r];
    const char *direction = velocity_direction(region, k);
    const double root = sqrt(region->diffusion[k]);
    const bool tuned = is_tuned(velocities, goal, r), lines = velocity_on_lines(velocities->mesh, region);
    struct velocity v;
    TRY(velocity_measure(&v, velocities, r, k, region->diffusion, error));
    print_velocity(file, r, direction, &v, lines);
    if (k == 0 && v.blocks > 0 && !(v.length > 0))
        advise_lumping(file, &v, velocities->params->mass_lumping, region->isotropic);
    if (tuned || lines || v.length > 0)
        return warn_direction(warnings, velocities, goal, r, k, "", error);
    if (v.apart)
        fprintf(warnings,
                "tissue.regions[%d]: the speed of a front %s is not measured on this mesh: it is %.3g to "
                "%.3g m/s in "
                "%d blocks; use elements of more even size and shape\n",
                r, direction, v.low, v.high, v.blocks);
    else if (v.blocks > 0)
        warn(warnings, r, direction, &v, 2 * root / front->fine, root * front_enough(front));
    else if (v.dropped > 0)
        fprintf(warnings,
                "tissue.regions[%d]: the speed of a front %s is not measured on this mesh: no straight path "
                "is long enough\n",
                r, direction);
    return STATUS_OK;
}

/* Whether fronts can travel in that region and direction */
static bool is_described(const struct velocities *velocities, int r, int k)
{
    const struct region *region = &velocities->params->region[r];
    return !region->resistor && k < velocity_directions(region) && velocities->front[r].fine > 0 &&
           region->diffusion[k] > 0;
}

/* A mesh file smaller than the shortest of its fronts, all of which is then excited at once, has the wrong unit */
static void warn_scale(FILE *warnings, const struct velocities *velocities)
{
    const struct config_mesh *mesh = &velocities->config->mesh;
    const double across = environment_diagonal(velocities->mesh);
    double shortest = HUGE_VAL;
    for (int r = 0; r < velocities->params->regions; r++)
        for (int k = 0; k < 3; k++)
            if (is_described(velocities, r, k))
                shortest = fmin(shortest, 2 * sqrt(velocities->params->region[r].diffusion[k]) /
                                              velocities->front[r].fine);
    if (mesh->kind != MESH_KIND_FILE || !(across < shortest) || isinf(shortest))
        return;
    fprintf(warnings,
            "mesh.scale: the mesh is %.3g mm across, less than an upstroke, which is %.2g mm long in it%s\n",
            across, shortest,
            !(mesh->scale >= 1) ? ": is it in mm? then write `scale: 1 mm`" : "; is its unit right?");
}

enum status velocity_warn(FILE *warnings, struct velocities *velocities, const struct velocity_goal *goal,
                          struct error *error)
{
    warn_scale(warnings, velocities);
    for (int r = 0; r < velocities->params->regions; r++) {
        const bool lines = velocity_on_lines(velocities->mesh, &velocities->params->region[r]);
        const char *how = lines ? "" : "; cardiac check measures it on this mesh";
        for (int k = 0; k < 3; k++)
            if (is_described(velocities, r, k))
                TRY(warn_direction(warnings, velocities, goal, r, k, how, error));
    }
    return STATUS_OK;
}

enum status velocity_describe(FILE *file, FILE *warnings, struct velocities *velocities,
                              const struct velocity_goal *goal, struct error *error)
{
    warn_scale(warnings, velocities);
    for (int r = 0; r < velocities->params->regions; r++) {
        const struct region *region = &velocities->params->region[r];
        if (!region->resistor && !(velocities->front[r].fine > 0))
            fprintf(file,
                    front_is_lifted(region)
                        ? "front in region %d: not measured from this initial state of %s\n"
                        : "front in region %d: none travels in %s\n",
                    r, region->model->name);
        for (int k = 0; k < 3; k++)
            if (is_described(velocities, r, k))
                TRY(describe_direction(file, warnings, velocities, goal, r, k, error));
    }
    return STATUS_OK;
}
