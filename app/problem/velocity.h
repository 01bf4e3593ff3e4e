/* velocity.h: measure the velocity of fronts in each region, in the limit of a fine mesh and on this mesh. */
#ifndef CARDIAC_APP_PROBLEM_VELOCITY_H
#define CARDIAC_APP_PROBLEM_VELOCITY_H

#include <stdio.h>

#include "app/config/config.h"
#include "app/problem/front_memory.h"
#include "kernels/base/sha256.h"
#include "solver/step/front_block_positions.h"

/* A velocity that a region gives instead of a conductivity, and the diffusion found for it */
struct velocity_goal {
    bool given;
    double speed[3];         /* mm/ms along fibre, sheet, normal */
    double fine[3], mesh[3]; /* D in mm^2/ms for a fine mesh and this one; NaN: this mesh cannot carry it */
};

/* Whether the fibre directions in region r differ by more than 10 degrees */
bool velocity_fibers_turn(const struct mesh *mesh, const struct monodomain_params *params, int r);

/* Limits: measurements in the search for one direction's diffusion (each sends a front through every block); node
 * steps of a front in one block (some seconds); seconds between two progress lines */
enum { VELOCITY_SEARCH = 40, VELOCITY_WORK = 100000000, VELOCITY_SILENT = 1 };

/* The blocks of a region for one direction */
struct velocity_blocks {
    bool chosen, cut; /* whether positions are chosen and blocks cut for all directions; set in direction 0 */
    double base[3];   /* for fronts with this diffusion on a fine mesh */
    int count;        /* 0: the mesh has no such direction, or all blocks were too short */
    int dropped;      /* number of blocks that were too short */
    double edge;      /* mm, velocity_edge(): over all positions, before any is dropped */
    struct front_block_position position[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES];
    struct front_block block[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES];
    int axis[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES]; /* 0 fibre, 1 sheet, 2 normal */
};

/* Velocity in one direction, from all its blocks, mm/ms = m/s */
struct velocity {
    double fine;      /* on a fine mesh; 0: no front */
    double here;      /* median on this mesh; 0: most fronts block */
    bool apart;       /* the quartiles differ by more than a fifth: the median is not meaningful */
    double low, high; /* minimum and maximum */
    int blocks, blocked, reflected; /* all; those without a front; those extended by reflected copies */
    int dropped;                    /* blocks that were too short to measure in */
    double length;                  /* mm, of a block in which a front would exceed VELOCITY_WORK; 0: none */
    int64_t nodes;                  /* the fewest measured in one block */
    double edge;                    /* mm, the median */
};

/* The state of measuring the regions of a config, always on the CPU */
struct velocities {
    const struct config *config;
    const struct monodomain_params *params; /* with regions: their models and parameters */
    const struct mesh *mesh;
    struct queue *queue;
    struct front_speed *front;           /* [regions] on a fine mesh */
    struct velocity_blocks (*blocks)[3]; /* [regions] by direction: along, across in the sheet, across sheets;
                                            directions of equal conductivity share the first of them */
    struct front_memory memory;          /* results of earlier measurements */
    const char *mesh_sha256;             /* not owned; NULL = unknown */
    char tissue[SHA256_HEX];             /* digest of the mesh, regions and fibre; "" = not computed yet */
    double told;                         /* clock_seconds() from which the next progress line is due */
};

/* Measures fronts on fine cables, once for each model with its parameters, unless they are in the cache.
 * mesh_sha256: the digest of the mesh, owned by the caller; NULL = computed when needed. Errors: STATUS_RUN. Free
 * *velocities even then. */
enum status velocities_create(struct velocities *velocities, const struct config *config,
                              const struct monodomain_params *params, const struct mesh *mesh,
                              const char *mesh_sha256, struct error *error);
void velocities_free(struct velocities *velocities);

/* The number of different directions of a region, 1 to 3 */
int velocity_directions(const struct region *region);
/* "along the fibres" */
const char *velocity_direction(const struct region *region, int k);
/* Whether the region consists of lines in a mesh of other elements, so that no block can be cut from it */
bool velocity_on_lines(const struct mesh *mesh, const struct region *region);

/* *velocity <- that of direction k of region r with diffusion[3]; uses the cache. velocity->blocks is 0 if the mesh
 * has no such direction. Errors: STATUS_RUN if a front fails. */
enum status velocity_measure(struct velocity *velocity, struct velocities *velocities, int r, int k,
                             const double diffusion[3], struct error *error);

/* The same in blocks cut for fronts with diffusion base[3] */
enum status velocity_measure_in(struct velocity *velocity, struct velocities *velocities, int r, int k,
                                const double diffusion[3], const double base[3], struct error *error);

/* *edge <- the length of edges along direction k, mm, without sending a front; uses the cache on a large mesh. 0 = the
 * mesh has no such direction. Errors: STATUS_RUN if out of memory. */
enum status velocity_edge(double *edge, struct velocities *velocities, int r, int k, struct error *error);

/* diffusion[3] <- D that gives fronts of region r these speeds on a fine mesh: (speed / fine)^2 */
void velocity_fine(double diffusion[3], const struct velocities *velocities, int r, const double speed[3]);
/* diffusion[3] <- D that gives these speeds on this mesh, within 0.5 % (3 % if no diffusion is closer), interpolated on
 * the grid of velocity_tune.c. Errors: STATUS_INPUT if the mesh cannot carry such a front or has no block to measure
 * it in; STATUS_RUN. */
enum status velocity_tune(double diffusion[3], struct velocities *velocities, int r, const double speed[3],
                          struct error *error);

/* goal[regions] <- speeds, and the diffusion found for a fine mesh and this one, of the regions that give velocities.
 * With `on: fine` it is no error if this mesh cannot carry them. *bad <- the region at fault. */
enum status velocity_find(struct velocity_goal *goal, const struct config *config,
                          const struct monodomain_params *params, const struct mesh *mesh, int *bad,
                          struct error *error);

/* Measures fronts on this mesh, and prints a line to `file` for every region and direction. Prints the warnings of
 * velocity_warn() to `warnings`, but by measured velocities instead of edges where possible; verbose: also a line to
 * `file` for each direction that they concern. Errors: STATUS_RUN. */
enum status velocity_describe(FILE *file, FILE *warnings, bool verbose, struct velocities *velocities,
                              const struct velocity_goal *goal, struct error *error);
/* Without measuring: prints one warning about a mesh that is too small, one about all edges too long for a front, and
 * one about all conductivities raised too much to compensate for coarse edges. Errors: STATUS_RUN. */
enum status velocity_warn(FILE *warnings, struct velocities *velocities, const struct velocity_goal *goal,
                          struct error *error);

/* Whether a run measures the velocity of its waves, which requires the whole mesh on rank 0: if the config gives
 * velocities or requests their map, or if the mesh has few enough elements that it is cheap */
bool velocity_measured(const struct config *config, int64_t elements);

#endif
