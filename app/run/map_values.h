/* map_values.h: compute the maps of a config from the beats that a tissue records. */
#ifndef CARDIAC_APP_RUN_MAP_VALUES_H
#define CARDIAC_APP_RUN_MAP_VALUES_H

#include "app/config/maps.h"
#include "app/io/checkpoint/checkpoint_monodomain.h"
#include "solver/mesh/mesh.h"
#include "solver/step/monodomain.h"

struct map_values {
    struct monodomain *sim;
    const struct mesh *mesh;
    int64_t nodes;        /* held (monodomain_held) */
    int64_t beats;        /* recorded for each node */
    double *time, *value; /* [nodes * beats] scratch */
};

/* Errors: STATUS_RUN if out of memory. */
enum status map_values_create(struct map_values *values, struct monodomain *sim, const struct mesh *mesh,
                              int64_t beats, struct error *error);
void map_values_free(struct map_values *values);

/* Number of values a node: the recorded beats, or 1 */
int64_t map_values_width(const struct map_values *values, const struct maps_map *map);

/* values->value[nodes * width] <- the map in mesh order, NaN = none; from the copied state or, if NULL, the current
 * one. Errors: STATUS_RUN. */
enum status map_values_make(struct map_values *values, const struct maps_map *map,
                            struct checkpoint_state *state, struct error *error);

#endif
