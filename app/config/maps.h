/* maps.h: the maps over the whole run that a config may name in output.maps. */
#ifndef CARDIAC_APP_CONFIG_MAPS_H
#define CARDIAC_APP_CONFIG_MAPS_H

#include <stdbool.h>

#include "kernels/base/suggest.h"
#include "solver/params.h"

enum maps_kind {
    MAPS_ACTIVATION_TIME,
    MAPS_REPOLARIZATION_TIME, /* from here on beats must be distinguished */
    MAPS_APD,
    MAPS_DIASTOLIC_INTERVAL,
    MAPS_DVDT_MAX,
    MAPS_PEAK,
    MAPS_REST,
    MAPS_CYCLE_LENGTH, /* from here on activation times are enough */
    MAPS_CONDUCTION_VELOCITY,
    MAPS_BEATS
};

struct maps_map {
    const char *name, *unit;
    enum maps_kind kind;
    int percent; /* repolarization level that it requires, %; 0 = none */
};

/* *map <- the map of that name, such as apd90; false: there is none. suggestion may be NULL. */
bool maps_find(struct maps_map *map, const char *name, struct suggestion *suggestion);

/* Whether any of these map names is of that kind */
bool maps_ask(const char *const *name, int count, enum maps_kind kind);

/* Adds to *stored what the solver must record for the map; false if that exceeds PARAMS_PERCENTS levels. */
bool maps_keep(struct params_maps *stored, const struct maps_map *map);
/* Whether everything that the map is computed from is recorded */
bool maps_stored(const struct params_maps *stored, const struct maps_map *map);

#endif
