/* velocity.h: the velocity of fronts in each region: in the limit of a fine mesh, and on the edges of this
 * one. */
#ifndef CARDIAC_APP_PROBLEM_VELOCITY_H
#define CARDIAC_APP_PROBLEM_VELOCITY_H

#include <stdio.h>

#include "app/config/config.h"
#include "app/models/upstroke.h"
#include "solver/step/front.h"
#include "solver/matrix/spacing.h"

/* By direction as in struct spacing; mm/ms = m/s. NaN: no such direction, or not measured; 0: no front */
struct velocity {
    double fine[3], here[3];
    double enough[3]; /* edges, mm, that lose 5 % */
    double lost[3];   /* the part of its speed that a front loses on this mesh; < 0: it is faster */
    double width[3];  /* mm, of the front */
    bool measured[3]; /* by cables; else estimated from the upstroke, */
    bool skew[3];     /* with edges that are too long where elements lie skew to the fibres */
    struct spacing spacing;
};

/* Cables of the config's regions, on a queue of the CPU of their own */
struct velocities {
    const struct config *config;
    const struct monodomain_params *params; /* with regions: their models and parameters */
    struct queue *queue;
    struct front *front; /* [regions] with what front_fine found */
    double left, share;  /* node steps that all of them may still take, and the one in hand */
};

/* front[r] for the regions, each model with its parameters measured once. most: node steps in all, of
 * which a region has a fifth. */
enum status velocities_create(struct velocities *velocities, const struct config *config,
                              const struct monodomain_params *params, double most, struct error *error);
void velocities_free(struct velocities *velocities);

/* *velocity <- of region r with this spacing */
enum status velocity_measure(struct velocity *velocity, const struct velocities *velocities, int r,
                             const struct spacing *spacing, struct error *error);

/* diffusion[3] <- those with which fronts of region r run so fast on the mesh's edges; NaN where these are
 * not known (solver/matrix/spacing.h), the region's own where the mesh has no such direction. A line of
 * progress for every search. STATUS_RUN where one fails. */
enum status velocity_tune(double diffusion[3], const struct velocities *velocities, int r,
                          const double speed[3], const struct mesh *mesh, FILE *progress,
                          struct error *error);

/* upstroke[regions] <- of their cells, each model with its parameters once: milliseconds */
enum status velocity_upstrokes(struct upstroke *upstroke, const struct config *config,
                               const struct monodomain_params *params, struct error *error);

/* A warning for every region and direction in which the mesh is too coarse for a front, estimated from the
 * upstrokes: no cable is stepped. */
enum status velocity_warn(FILE *warnings, const struct upstroke *upstroke, const struct mesh *mesh,
                          const struct monodomain_params *params, struct error *error);

/* Lines for every region, and the same warnings: from cables of VELOCITY_WORK node steps in all, a few tenths
 * of a second for a region of a large model, and estimated where those do not suffice. */
enum { VELOCITY_WORK = 10000000 };
enum status velocity_describe(FILE *file, FILE *warnings, const struct config *config,
                              const struct mesh *mesh, const struct monodomain_params *params,
                              struct error *error);

#endif
