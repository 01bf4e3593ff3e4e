/* sites.h: the nodes from which a run decides and reports what each stimulus captured: stimulated nodes, their
 * neighbours, and a few of each region. */
#ifndef CARDIAC_APP_PROBLEM_SITES_H
#define CARDIAC_APP_PROBLEM_SITES_H

#include "app/problem/problem.h"
#include "solver/step/front.h"

/* The sites of one train; all trains of a protocol share those of the first. Passive nodes, which carry no front,
 * are excluded. */
struct sites_train {
    int32_t *own;  /* [owns] stimulated nodes, at most SITES_OF_TRAIN */
    int32_t *next; /* [nexts] other nodes of elements with stimulated nodes, at most SITES_OF_TRAIN */
    int64_t owns, nexts;
};

enum { SITES_OF_TRAIN = 32, SITES_OF_REGION = 16, SITES_TIMES = 64 };

struct sites {
    struct sites_train *train; /* [trains] */
    int trains;
    int64_t *node; /* [points] nodes whose beats are recorded: the probes, then the sites */
    int64_t points;
    int64_t times; /* activations recorded at each */
};

/* The cells of each node */
struct sites_cells {
    const int32_t *region; /* [nodes] their region; `regions` = none, of a node in no element */
    int regions;
    const struct front_speed *front; /* [regions] NULL = unknown: every region carries fronts */
};

/* Whether the cells of a region, or of a node, carry a front: a property of the model starting from rest, not of the
 * tissue's current state */
static inline bool sites_carries(const struct sites_cells *cells, int32_t region)
{
    return region < cells->regions && (!cells->front || cells->front[region].rest > 0);
}
static inline bool sites_excitable(const struct sites_cells *cells, int64_t node)
{
    return sites_carries(cells, cells->region[node]);
}

/* Number of activations recorded at each point; upper bound on the number of points */
int64_t sites_times(const struct config *config);
int64_t sites_points_most(const struct problem *problem, const struct config *config);

/* *sites <- the sites in the whole mesh. Errors: STATUS_RUN if out of memory; free *sites even then. */
enum status sites_find(struct sites *sites, const struct problem *problem, const struct config *config,
                       const struct sites_cells *cells, struct error *error);
void sites_free(struct sites *sites);

#endif
