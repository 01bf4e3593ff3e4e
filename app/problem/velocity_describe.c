/* velocity_describe.c: print the velocity of fronts, and warn if the mesh changes it. */
#include <math.h>

#include "app/problem/environment.h"
#include "app/problem/velocity.h"

static const double much = 2; /* factor on the tissue's conductivity above which a mesh is too coarse */

/* One warning about several fronts: the worst in full, and the edge length that suffices for all */
struct doubts {
    FILE *each;          /* where to print each front in full; NULL = nowhere */
    int fronts, regions; /* number of fronts known to need finer edges, and of their regions */
    int unmeasured;      /* number of other fronts, not measured */
    int region;          /* of the last front, so that each region is counted once */
    double worst;        /* severity of the worst: > 0 measured, -1 to 0 by edges alone, -2 not measured */
    double enough;       /* mm, the smallest edge required; HUGE_VAL = unknown */
    bool below;          /* current edges equal `enough` as printed: they must be shorter */
    char head[300], tail[200];
};

static const struct doubts no_doubts = {.region = -1, .worst = -HUGE_VAL, .enough = HUGE_VAL};
static const double unmeasured = -2;

/* Adds a front. by: its severity (doubts->worst); enough, edge: required and current edge, mm, HUGE_VAL = unknown */
static void doubt(struct doubts *doubts, int r, double by, double enough, double edge, const char *head,
                  const char *tail)
{
    if (doubts->each)
        fprintf(doubts->each, "%s%s\n", head, tail);
    if (by > doubts->worst) {
        doubts->worst = by;
        snprintf(doubts->head, sizeof doubts->head, "%s", head);
        snprintf(doubts->tail, sizeof doubts->tail, "%s", tail);
    }
    if (fmin(enough, edge) < doubts->enough) {
        doubts->enough = fmin(enough, edge);
        doubts->below = !(enough < edge);
    }
    if (by == unmeasured) {
        doubts->unmeasured++;
        return;
    }
    doubts->fronts++;
    doubts->regions += doubts->region != r;
    doubts->region = r;
}

static void print_doubts(FILE *warnings, const struct doubts *doubts)
{
    const int more = doubts->fronts > 0 ? doubts->unmeasured : doubts->unmeasured - 1;
    const bool several = doubts->fronts + doubts->unmeasured > 1;
    if (doubts->fronts + doubts->unmeasured == 0)
        return;
    fputs(doubts->head, warnings);
    if (doubts->fronts > 1)
        fprintf(warnings, ", the worst of %d such fronts in %d region%s", doubts->fronts, doubts->regions,
                doubts->regions == 1 ? "" : "s");
    if (more > 0)
        fprintf(warnings, "; %d more %s not measured", more, more == 1 ? "is" : "are");
    if (several && doubts->fronts > 0 && doubts->enough < HUGE_VAL)
        fprintf(warnings, "; to stay within %g %% everywhere, use %s%.2g mm", 100 * FRONT_TOLERANCE,
                doubts->below ? "less than " : "", doubts->enough);
    else
        fputs(doubts->tail, warnings);
    fputs(several && !doubts->each ? "; cardiac check --verbose prints each\n" : "\n", warnings);
}

/* An edge <= enough that is also less than edge when printed (result with 2 digits, edge with 3); mm, enough < edge */
static double shorter(double enough, double edge)
{
    const double two = pow(10, floor(log10(enough)) - 1), three = pow(10, floor(log10(edge)) - 2);
    return fmin(enough, three * rint(edge / three) - 0.51 * two);
}

/* Adds a front whose measured velocity is off by more than FRONT_TOLERANCE. width: of the front; enough: edge for that
 * tolerance; mm */
static void doubt_measured(struct doubts *doubts, int r, const char *direction, const struct velocity *v,
                           double width, double enough)
{
    const double coarse = 0.2, none = 0.9, lost = 1 - v->here / v->fine;
    char head[300], tail[100], change[80] = "blocks on this mesh", use[40] = "finer ones";
    if (!(fabs(lost) > FRONT_TOLERANCE))
        return;
    if (!(lost > none))
        snprintf(change, sizeof change, "runs %.2g %% %s on this mesh than on a fine one", 100 * fabs(lost),
                 lost > 0 ? "slower" : "faster");
    if (enough < v->edge) {
        enough = shorter(enough, v->edge);
        snprintf(use, sizeof use, "%.2g mm", enough);
    }
    snprintf(head, sizeof head,
             "tissue.regions[%d]: %sa front %s %s: it is %.2g mm wide and edges are %.3g mm there", r,
             lost > coarse ? "too coarse: " : "", direction, change, width, v->edge);
    snprintf(tail, sizeof tail, "; to stay within %g %%, use %s", 100 * FRONT_TOLERANCE, use);
    doubt(doubts, r, fabs(log(v->here / v->fine)), enough, v->edge, head, tail);
}

/* Adds a front that was not sent if its edges are longer than enough. *how: how to measure it, "" = impossible */
static void doubt_edge(struct doubts *doubts, int r, const char *direction, double width, double edge,
                       double enough, const char *how)
{
    char head[300], tail[200];
    if (!(edge > enough))
        return;
    const double use = shorter(enough, edge);
    snprintf(head, sizeof head,
             "tissue.regions[%d]: edges of %.3g mm are long for a front %s, which is %.2g mm wide", r, edge,
             direction, width);
    snprintf(tail, sizeof tail, ": to stay within %g %% of its velocity, use %.2g mm%s",
             100 * FRONT_TOLERANCE, use, how);
    doubt(doubts, r, -enough / edge, use, edge, head, tail);
}

/* Adds a front whose velocity could not be measured. enough: mm */
static void doubt_unmeasured(struct doubts *doubts, int r, const char *direction, const struct velocity *v,
                             double enough)
{
    char head[300];
    int length =
        snprintf(head, sizeof head,
                 "tissue.regions[%d]: the speed of a front %s is not measured on this mesh: ", r, direction);
    if (v->apart)
        snprintf(head + length, sizeof head - (size_t)length, "it is %.3g to %.3g m/s in %d blocks", v->low,
                 v->high, v->blocks);
    else
        snprintf(head + length, sizeof head - (size_t)length, "no straight path is long enough");
    doubt(doubts, r, unmeasured, v->edge > enough ? enough : HUGE_VAL, HUGE_VAL, head,
          v->apart ? "; use elements of more even size and shape" : "");
}

/* Adds a direction in which compensating for coarse edges needs more than `much` times the tissue's conductivity. */
static void doubt_much(struct doubts *doubts, int r, const char *direction, double times)
{
    char head[300];
    if (!(times > much))
        return;
    snprintf(head, sizeof head,
             "tissue.regions[%d]: %s this mesh needs %.3g times the tissue's conductivity for its velocity",
             r, direction, times);
    doubt(doubts, r, times, HUGE_VAL, HUGE_VAL, head,
          ": it is too coarse; stimuli, curved fronts and the ECG differ from the tissue's; use finer edges");
}

/* Whether the region's conductivities are tuned to its velocity on this mesh; never for lines */
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

/* Advice on the blend of mass matrices that reduces the loss of velocity along the fibres of a lumped mesh; NULL =
 * none. The figures are for a slab of tp06 with those spacings and steps of 0.05 ms (docs/theory/numerics.md, section
 * 2); mean edges of 0.18 mm separate the two. */
static const char *lumping_advice(const struct velocity *v, double lumping, bool isotropic)
{
    static const char *const advice[2][2] = {
        {"activation maps: solver.mass_lumping: 0.5 loses less (on 0.1 mm 0.7 % along and 5.9 % across the "
         "fibres, 1 loses 2.5 and 14 %)\n",
         "activation maps: solver.mass_lumping: 0.333 loses less (on 0.2 mm 1.9 % along and 21 % across the "
         "fibres, 1 loses 8.7 and 44 %), but V falls up to 5 mV below rest ahead of fronts\n"},
        {"activation maps: solver.mass_lumping: 0.5 loses less (on 0.1 mm 0.7 % with 0.13 S/m, where 1 loses "
         "2.5 %)\n",
         "activation maps: solver.mass_lumping: 0.333 loses less (on 0.2 mm 1.9 % with 0.13 S/m, where 1 "
         "loses 8.7 %), but V falls up to 5 mV below rest ahead of fronts\n"}};
    if (lumping < 1 || v->apart || !(1 - v->here / v->fine > FRONT_TOLERANCE))
        return NULL;
    return advice[isotropic][v->edge > 0.18];
}

/* The two warnings: velocity lost on coarse edges, and conductivity needed to compensate for it */
struct warned {
    struct doubts coarse, much;
    const char *advice; /* printed last */
};

/* Adds the warnings of one direction that need no measurement: by its edges, or by the diffusion of a tuned region. */
static enum status doubt_direction(struct warned *warned, struct velocities *velocities,
                                   const struct velocity_goal *goal, int r, int k, const char *how,
                                   struct error *error)
{
    const struct region *region = &velocities->params->region[r];
    const struct front_speed *front = &velocities->front[r];
    const char *direction = velocity_direction(region, k);
    const double root = sqrt(region->diffusion[k]);
    double edge = 0;
    if (is_tuned(velocities, goal, r)) {
        doubt_much(&warned->much, r, direction, goal[r].mesh[k] / goal[r].fine[k]);
        return STATUS_OK;
    }
    TRY(velocity_edge(&edge, velocities, r, k, error));
    doubt_edge(&warned->coarse, r, direction, 2 * root / front->fine, edge, root * front_enough(front), how);
    return STATUS_OK;
}

static enum status describe_direction(FILE *file, struct warned *warned, struct velocities *velocities,
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
    const char *advice = k == 0 && v.blocks > 0 && !(v.length > 0)
                             ? lumping_advice(&v, velocities->params->mass_lumping, region->isotropic)
                             : NULL;
    if (advice && advice != warned->advice)
        fputs(warned->advice = advice, file);
    if (tuned || lines || v.length > 0)
        return doubt_direction(warned, velocities, goal, r, k, "", error);
    const double enough = root * front_enough(front);
    if (v.apart || (v.blocks == 0 && v.dropped > 0))
        doubt_unmeasured(&warned->coarse, r, direction, &v, enough);
    else if (v.blocks > 0)
        doubt_measured(&warned->coarse, r, direction, &v, 2 * root / front->fine, enough);
    return STATUS_OK;
}

/* Whether fronts can travel in that region and direction */
static bool is_described(const struct velocities *velocities, int r, int k)
{
    const struct region *region = &velocities->params->region[r];
    return !region->resistor && k < velocity_directions(region) && velocities->front[r].fine > 0 &&
           region->diffusion[k] > 0;
}

/* Warns about a mesh file smaller than its shortest front, which would be excited all at once: a wrong length unit. */
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
    enum status status = STATUS_OK;
    struct warned warned = {no_doubts, no_doubts, NULL};
    warn_scale(warnings, velocities);
    for (int r = 0; r < velocities->params->regions; r++) {
        const bool lines = velocity_on_lines(velocities->mesh, &velocities->params->region[r]);
        const char *how = lines ? "" : "; cardiac check measures it on this mesh";
        for (int k = 0; k < 3; k++)
            if (is_described(velocities, r, k))
                TRY_DONE(doubt_direction(&warned, velocities, goal, r, k, how, error));
    }
done:
    print_doubts(warnings, &warned.coarse);
    print_doubts(warnings, &warned.much);
    return status;
}

enum status velocity_describe(FILE *file, FILE *warnings, bool verbose, struct velocities *velocities,
                              const struct velocity_goal *goal, struct error *error)
{
    enum status status = STATUS_OK;
    struct warned warned = {no_doubts, no_doubts, NULL};
    warned.coarse.each = warned.much.each = verbose ? file : NULL;
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
                TRY_DONE(describe_direction(file, &warned, velocities, goal, r, k, error));
    }
done:
    print_doubts(warnings, &warned.coarse);
    print_doubts(warnings, &warned.much);
    return status;
}
