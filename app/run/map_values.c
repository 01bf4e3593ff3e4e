/* map_values.c: compute maps from the recorded times, or from the mesh. */
#include "app/run/map_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "solver/heart/velocity.h"

enum status map_values_create(struct map_values *values, struct monodomain *sim, const struct mesh *mesh,
                              int64_t beats, struct error *error)
{
    enum status status = STATUS_OK;
    *values = (struct map_values){.sim = sim, .mesh = mesh, .nodes = monodomain_held(sim), .beats = beats};
    values->time = array_new(values->nodes * beats, sizeof *values->time, "the maps", &status, error);
    values->value = array_new(values->nodes * beats, sizeof *values->value, "the maps", &status, error);
    return status;
}

void map_values_free(struct map_values *values)
{
    free(values->time);
    free(values->value);
    *values = (struct map_values){0};
}

int64_t map_values_width(const struct map_values *values, const struct maps_map *map)
{
    return map->kind == MAPS_BEATS ? 1 : values->beats;
}

static enum status fetch(const struct map_values *values, const char *name, int percent,
                         struct checkpoint_state *state, double *value, struct error *error)
{
    char full[64];
    snprintf(full, sizeof full, percent ? "%s_%d" : "%s", name, percent);
    int k = monodomain_find(values->sim, full);
    if (!state)
        return monodomain_get(values->sim, k, value, error);
    memcpy(value, checkpoint_state_value(state, k), (size_t)(values->nodes * values->beats) * sizeof *value);
    return STATUS_OK;
}

/* value of beat b <- late of beat b - early of beat b - back */
static void subtract(const struct map_values *values, const double *late, const double *early, int64_t back)
{
    int64_t beats = values->beats;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < values->nodes; i++)
        for (int64_t b = beats - 1; b >= 0; b--)
            values->value[i * beats + b] = b < back ? NAN : late[i * beats + b] - early[i * beats + b - back];
}

/* value <- NaN for beats without an activation time */
static void drop_failed(const struct map_values *values)
{
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < values->nodes * values->beats; k++)
        if (isnan(values->time[k]))
            values->value[k] = NAN;
}

/* value[nodes] <- the number of activation times */
static void count(const struct map_values *values)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < values->nodes; i++) {
        int64_t found = 0;
        for (int64_t b = 0; b < values->beats; b++)
            found += !isnan(values->time[i * values->beats + b]);
        values->value[i] = (double)found;
    }
}

enum status map_values_make(struct map_values *values, const struct maps_map *map,
                            struct checkpoint_state *state, struct error *error)
{
    static const char time[] = "activation_time", over[] = "repolarization";
    double *value = values->value;
    switch (map->kind) {
    case MAPS_ACTIVATION_TIME:
    case MAPS_PEAK:
    case MAPS_REST:
        return fetch(values, map->name, 0, state, value, error);
    case MAPS_REPOLARIZATION_TIME:
        return fetch(values, over, map->percent, state, value, error);
    case MAPS_CONDUCTION_VELOCITY:
        TRY(fetch(values, time, 0, state, value, error));
        for (int64_t b = 0; b < values->beats && values->nodes == values->mesh->nodes; b++)
            TRY(velocity_of_times(values->mesh, value + b, values->beats, error));
        return STATUS_OK;
    default:
        TRY(fetch(values, time, 0, state, values->time, error));
        if (map->kind == MAPS_DVDT_MAX)
            TRY(fetch(values, map->name, 0, state, value, error));
        if (map->percent)
            TRY(fetch(values, over, map->percent, state, value, error));
        if (map->kind == MAPS_APD)
            subtract(values, value, values->time, 0);
        else if (map->kind == MAPS_DIASTOLIC_INTERVAL)
            subtract(values, values->time, value, 1);
        else if (map->kind == MAPS_CYCLE_LENGTH)
            subtract(values, values->time, values->time, 1);
        else if (map->kind == MAPS_DVDT_MAX)
            drop_failed(values);
        else
            count(values);
        return STATUS_OK;
    }
}
