/* beats.h: the arrays in which a tissue records its beats (kernels/ops/observer.h). */
#ifndef CARDIAC_SOLVER_BEATS_H
#define CARDIAC_SOLVER_BEATS_H

#include "kernels/device/queue.h"
#include "kernels/ops/observer.h"
#include "solver/params.h"

enum { BEATS_MAPS = 12 + 2 * OBSERVER_PERCENTS };

/* One array of a tissue's state */
struct beats_map {
    char name[32];
    void *array; /* [width][rows] packed order, on the device */
    size_t size; /* of an element: 8 (double) or 1 */
    int64_t width;
};

struct beats {
    int64_t rows;
    struct observer observer;
    struct beats_map map[BEATS_MAPS]; /* [maps] the first is "activation_time" */
    int maps;
    struct observer_points points; /* single nodes, recorded in addition to the maps */
    int32_t *here;                 /* [points] row of each (host), -1 = on another rank */
};

/* Allocates the maps selected by the params, with no beats recorded. by_row[2][rows]: threshold and rearm
 * of each row, NULL = those of the params; rest[rows]: resting potential of each row's model, mV. Errors:
 * STATUS_RUN if out of memory. */
enum status beats_create(struct beats *beats, const struct monodomain_params *params, int64_t rows,
                         const double *by_row, const double *rest, struct queue *queue, struct error *error);
void beats_free(struct beats *beats, struct queue *queue);

enum { BEATS_PERCENT = 90 }; /* % of repolarization at which an action potential ends */
/* Also records peak, rest, BEATS_PERCENT repolarization and EADs of each beat in single rows: row[points],
 * -1 = on another rank; rest[rows] as above; `times` activations, the last of which only ends a beat.
 * Errors: STATUS_RUN if out of memory. */
enum status beats_follow(struct beats *beats, const struct monodomain_params *params, int64_t times,
                         const int32_t *row, int64_t points, const double *rest, struct queue *queue,
                         struct error *error);
/* Doubles recorded per point for `times` activations; and an observer whose arrays are in
 * value[beats_values_at_point()][points] */
int64_t beats_values_at_point(int64_t times);
struct observer beats_at_points(const struct monodomain_params *params, int64_t times, double *value,
                                int64_t points);
/* Bytes of the points' records on the device, which begin at points.observer.low */
size_t beats_points_bytes(const struct beats *beats);
/* value <- the records, 0 for points on other ranks; and the records <- value. Errors: STATUS_RUN. */
enum status beats_get_points(const struct beats *beats, double *value, struct queue *queue,
                             struct error *error);
enum status beats_set_points(struct beats *beats, const double *value, struct queue *queue,
                             struct error *error);

/* Values of all maps per node */
int64_t beats_values(const struct monodomain_params *params);

/* Whether the map contains activation times */
bool beats_are_times(const struct beats_map *map);
/* Counts the beats of each row after its activation times have been set. In checkpoints of older versions
 * the sign bit of a row's first NaN means that the row waits for rearm. Errors: STATUS_RUN. */
enum status beats_count(struct beats *beats, int64_t rows, double *staging, struct queue *queue,
                        struct error *error);

#endif
