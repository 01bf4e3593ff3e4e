/* beats.h: the arrays in which a tissue records its beats (kernels/ops/observer.h). */
#ifndef CARDIAC_SOLVER_BEATS_H
#define CARDIAC_SOLVER_BEATS_H

#include "kernels/device/queue.h"
#include "kernels/ops/observer.h"
#include "solver/params.h"

enum { BEATS_MAPS = 12 + 2 * OBSERVER_PERCENTS };

/* One array, part of the state of a tissue */
struct beats_map {
    char name[32];
    void *array; /* [width][rows] packed order, on the device */
    size_t size; /* of an element: double, or 1 byte */
    int64_t width;
};

struct beats {
    int64_t rows;
    struct observer observer;
    struct beats_map map[BEATS_MAPS]; /* [maps] the first is "activation_time" */
    int maps;
    struct observer_points points; /* single nodes, recorded independently of the maps */
    int32_t *here;                 /* [points] their rows on the host, -1 = of another rank */
};

/* No beats recorded. by_row[2][rows]: the threshold and rearm of each, NULL = those of the params; rest[rows]:
 * mV, of their models. Errors: STATUS_RUN without memory. */
enum status beats_create(struct beats *beats, const struct monodomain_params *params, int64_t rows,
                         const double *by_row, const double *rest, struct queue *queue, struct error *error);
void beats_free(struct beats *beats, struct queue *queue);

enum { BEATS_PERCENT = 90 }; /* % of repolarization at which an action potential is over */
/* Also record peak, rest, BEATS_PERCENT repolarization and EADs of each beat in single rows: row[points], -1 =
 * of another rank, and rest[rows] as above; `times` activations, of which the last only ends a beat. Errors:
 * STATUS_RUN without memory. */
enum status beats_follow(struct beats *beats, const struct monodomain_params *params, int64_t times,
                         const int32_t *row, int64_t points, const double *rest, struct queue *queue,
                         struct error *error);
/* Doubles recorded per point of so many times; and the arrays in value[beats_values_at_point][points] */
int64_t beats_values_at_point(int64_t times);
struct observer beats_at_points(const struct monodomain_params *params, int64_t times, double *value,
                                int64_t points);
/* Bytes of their records on the device, which begin at points.observer.low */
size_t beats_points_bytes(const struct beats *beats);
/* value <- the records, 0 for points of other ranks; and the records <- value. Errors: STATUS_RUN. */
enum status beats_get_points(const struct beats *beats, double *value, struct queue *queue,
                             struct error *error);
enum status beats_set_points(struct beats *beats, const double *value, struct queue *queue,
                             struct error *error);

/* Values of all maps per node */
int64_t beats_values(const struct monodomain_params *params);

/* Whether the map holds activation times */
bool beats_are_times(const struct beats_map *map);
/* Counts the beats of each row after its activation times were set. In checkpoints of older versions the sign
 * bit of a row's first NaN says that it waits for rearm. Errors: STATUS_RUN. */
enum status beats_count(struct beats *beats, int64_t rows, double *staging, struct queue *queue,
                        struct error *error);

#endif
