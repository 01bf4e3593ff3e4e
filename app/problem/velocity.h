/* velocity.h: the velocity of fronts in each region: in the limit of a fine mesh, and on this one. */
#ifndef CARDIAC_APP_PROBLEM_VELOCITY_H
#define CARDIAC_APP_PROBLEM_VELOCITY_H

#include <stdio.h>

#include "app/config/config.h"
#include "app/problem/front_memory.h"
#include "kernels/base/sha256.h"
#include "solver/step/front_block_positions.h"

/* What a region gives as velocity instead of a conductivity, and what was found for it */
struct velocity_goal {
    bool given;
    double speed[3];         /* mm/ms along fibre, sheet, normal */
    double fine[3], mesh[3]; /* mm^2/ms for a fine mesh and for this one; NaN: this one cannot carry it */
};

/* Whether fibres of region r differ in direction by more than 10 degrees */
bool velocity_fibers_turn(const struct mesh *mesh, const struct monodomain_params *params, int r);

/* Measurements of one direction that a search may take, each a front through every block; most steps of a node
 * that a front may take in one block, some seconds; seconds between two lines of progress */
enum { VELOCITY_SEARCH = 40, VELOCITY_WORK = 100000000, VELOCITY_SILENT = 1 };

/* The blocks of a region and of one direction */
struct velocity_blocks {
    bool chosen, cut; /* of the first direction: the positions and the blocks of all, for fronts with */
    double base[3];   /* this diffusion on a fine mesh */
    int count;        /* 0: the mesh has no such direction, or all blocks were too short, */
    int dropped;      /* so many of them */
    double edge;      /* mm, of velocity_edge: whatever was dropped */
    struct front_block_position position[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES];
    struct front_block block[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES];
    int axis[FRONT_BLOCK_POSITIONS * FRONT_BLOCK_POSITIONS_AXES]; /* 0 fibre, 1 sheet, 2 normal */
};

/* In all blocks of a direction, mm/ms = m/s */
struct velocity {
    double fine;      /* on a fine mesh; 0: no front */
    double here;      /* the median; 0: most fronts block */
    bool apart;       /* their quartiles differ by more than a fifth, so that the median is of no use */
    double low, high; /* the slowest, the fastest */
    int blocks, blocked, reflected;
    int dropped;   /* blocks that are too short to measure in */
    double length; /* mm, of a block in which a front would take more than VELOCITY_WORK; 0: none */
    int64_t nodes; /* measured in one block, the fewest */
    double edge;   /* mm, the median */
};

/* What the regions of a config are measured by, on queues of the CPU of their own */
struct velocities {
    const struct config *config;
    const struct monodomain_params *params; /* with regions: their models and parameters */
    const struct mesh *mesh;
    struct queue *queue;
    struct front_speed *front;           /* [regions] on a fine mesh */
    struct velocity_blocks (*blocks)[3]; /* [regions] by direction: along, across in the sheet, across sheets;
                                            those of equal conductivity are in the first of them */
    struct front_memory memory;          /* what was measured */
    const char *mesh_sha256;             /* NULL = not known */
    char tissue[SHA256_HEX];             /* of the mesh, regions and fibre; "" = not computed yet */
    double told;                         /* clock_seconds() from which on a terminal is told of progress */
};

/* Measures fronts on fine cables, each model with its parameters once, unless they are in the cache.
 * mesh_sha256: the digest of the mesh, which stays the caller's; NULL = computed if it is needed.
 * *velocities is to be freed in any case. Errors: STATUS_RUN. */
enum status velocities_create(struct velocities *velocities, const struct config *config,
                              const struct monodomain_params *params, const struct mesh *mesh,
                              const char *mesh_sha256, struct error *error);
void velocities_free(struct velocities *velocities);

/* The directions of a region with this diffusion: 1 to 3, those that it names apart */
int velocity_directions(const struct region *region);
/* "along the fibres" */
const char *velocity_direction(const struct region *region, int k);
/* Whether the region is of lines in a mesh of other elements, in which no block can be cut */
bool velocity_on_lines(const struct mesh *mesh, const struct region *region);

/* *velocity <- of direction k of region r with diffusion[3], through the cache. velocity->blocks is 0 where
 * the mesh has no such direction. Errors: STATUS_RUN when a front fails. */
enum status velocity_measure(struct velocity *velocity, struct velocities *velocities, int r, int k,
                             const double diffusion[3], struct error *error);

/* The same in blocks that are cut for fronts with diffusion base[3] */
enum status velocity_measure_in(struct velocity *velocity, struct velocities *velocities, int r, int k,
                                const double diffusion[3], const double base[3], struct error *error);

/* *edge <- mm: how long edges are along a front in direction k, without one, through the cache on a large mesh;
 * 0 = the mesh has no such direction.
 * Errors: STATUS_RUN without memory. */
enum status velocity_edge(double *edge, struct velocities *velocities, int r, int k, struct error *error);

/* diffusion[3] <- those with which fronts of region r run so fast on a fine mesh: (speed / fine)^2 */
void velocity_fine(double diffusion[3], const struct velocities *velocities, int r, const double speed[3]);
/* diffusion[3] <- those with which they run so fast on this mesh, within half a percent (3 % where no
 * diffusion is nearer), by the grid. Errors: STATUS_INPUT where the mesh cannot carry such a front or has
 * no block to measure it in, STATUS_RUN. */
enum status velocity_tune(double diffusion[3], struct velocities *velocities, int r, const double speed[3],
                          struct error *error);

/* goal[regions] <- of the regions that give velocities; speeds and what is found for both meshes. In
 * `on: fine` a mesh that cannot carry them is no error. *bad <- the region at fault. */
enum status velocity_find(struct velocity_goal *goal, const struct config *config,
                          const struct monodomain_params *params, const struct mesh *mesh, int *bad,
                          struct error *error);

/* Measures fronts on this mesh: a line in `file` for every region and direction, and one warning for all that
 * are slower than in tissue; if `verbose`, a line in `file` for each of these. Errors: STATUS_RUN. */
enum status velocity_describe(FILE *file, FILE *warnings, bool verbose, struct velocities *velocities,
                              const struct velocity_goal *goal, struct error *error);
/* Measures none: one warning of all edges too long for a front, and one of a mesh too small. Errors: STATUS_RUN. */
enum status velocity_warn(FILE *warnings, struct velocities *velocities, const struct velocity_goal *goal,
                          struct error *error);

/* Whether a run measures the velocity of its waves, for which rank 0 has the whole mesh: where the config
 * names velocities or their map, and on meshes of so few elements that it costs nothing */
bool velocity_measured(const struct config *config, int64_t elements);

#endif
