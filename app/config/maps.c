/* maps.c: the table of maps, and what the solver must record for each. */
#include "app/config/maps.h"

#include <stdlib.h>
#include <string.h>

enum { LATE = 90 }; /* % of repolarization at which an action potential ends by default */

static const struct maps_map maps[] = {
    {"activation_time", "ms", MAPS_ACTIVATION_TIME, 0},
    {"repolarization_time", "ms", MAPS_REPOLARIZATION_TIME, LATE},
    {"apd90", "ms", MAPS_APD, LATE},
    {"diastolic_interval", "ms", MAPS_DIASTOLIC_INTERVAL, LATE},
    {"cycle_length", "ms", MAPS_CYCLE_LENGTH, 0},
    {"dvdt_max", "mV/ms", MAPS_DVDT_MAX, 0},
    {"peak", "mV", MAPS_PEAK, 0},
    {"rest", "mV", MAPS_REST, 0},
    {"conduction_velocity", "m/s", MAPS_CONDUCTION_VELOCITY, 0},
    {"beats", "1", MAPS_BEATS, 0},
};

/* Usual names of maps, and ours */
static const char *const usual_names[][2] = {
    {"lat", "activation_time"},
    {"at", "activation_time"},
    {"activation", "activation_time"},
    {"rt", "repolarization_time"},
    {"apd", "apd90"},
    {"di", "diastolic_interval"},
    {"cl", "cycle_length"},
    {"cv", "conduction_velocity"},
    {"dvdt", "dvdt_max"},
    {"rmp", "rest"},
};

bool maps_find(struct maps_map *map, const char *name, struct suggestion *suggestion)
{
    const char *digit = name + 3;
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        if (suggestion)
            suggest_try(suggestion, maps[k].name);
        if (strcmp(name, maps[k].name) == 0) {
            *map = maps[k];
            return true;
        }
    }
    if (suggestion)
        suggest_usual(suggestion, usual_names, sizeof usual_names / sizeof *usual_names);
    if (strncmp(name, "apd", 3) != 0 || *digit < '1' || *digit > '9' || strlen(digit) > 2 ||
        strspn(digit, "0123456789") != strlen(digit))
        return false;
    *map = (struct maps_map){name, "ms", MAPS_APD, atoi(digit)};
    return true;
}

bool maps_ask(const char *const *name, int count, enum maps_kind kind)
{
    struct maps_map map;
    bool asks = false;
    for (int k = 0; k < count; k++)
        asks |= maps_find(&map, name[k], NULL) && map.kind == kind;
    return asks;
}

bool maps_stored(const struct params_maps *stored, const struct maps_map *map)
{
    int l = 0;
    while (l < stored->percents && stored->percent[l] != map->percent)
        l++;
    return map->kind == MAPS_PEAK       ? stored->peak
           : map->kind == MAPS_REST     ? stored->rest
           : map->kind == MAPS_DVDT_MAX ? stored->slope
           : map->percent > 0           ? l < stored->percents
                                        : true;
}

bool maps_keep(struct params_maps *stored, const struct maps_map *map)
{
    if (maps_stored(stored, map))
        return true;
    stored->peak = stored->peak || map->kind == MAPS_PEAK;
    stored->rest = stored->rest || map->kind == MAPS_REST;
    stored->slope = stored->slope || map->kind == MAPS_DVDT_MAX;
    if (map->percent > 0 && stored->percents == PARAMS_PERCENTS)
        return false;
    if (map->percent > 0)
        stored->percent[stored->percents++] = map->percent;
    return true;
}
