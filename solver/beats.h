/* beats.h: the arrays in which a tissue notes its beats (kernels/ops/observer.h). */
#ifndef CARDIAC_SOLVER_BEATS_H
#define CARDIAC_SOLVER_BEATS_H

#include "kernels/device/queue.h"
#include "kernels/ops/observer.h"
#include "solver/params.h"

enum { BEATS_MAPS = 6 + 2 * OBSERVER_LEVELS };

/* One of them, part of the tissue's state */
struct beats_map {
    char name[32];
    double *array; /* [width][rows] packed order, on the device */
    int64_t width;
};

struct beats {
    struct observer observer;
    struct beats_map map[BEATS_MAPS]; /* [maps] the first is "activation_time" */
    int maps;
};

/* Every place empty. Errors: STATUS_RUN without memory. */
enum status beats_create(struct beats *beats, const struct monodomain_params *params, int64_t rows,
                         struct queue *queue, struct error *error);
void beats_free(struct beats *beats, struct queue *queue);

/* Values of all maps a node */
int64_t beats_values(const struct monodomain_params *params);

/* Whether the map holds beginnings of beats, whose NaNs say more than that nothing is there */
bool beats_are_times(const struct beats_map *map);
/* How many beats each row has <- the beginnings, which were set. Errors: STATUS_RUN. */
enum status beats_count(struct beats *beats, int64_t rows, double *staging, struct queue *queue,
                        struct error *error);

#endif
