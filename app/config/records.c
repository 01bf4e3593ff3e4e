/* records.c: activation, maps, fields and the end of a config's run, once all keys are read. */
#include <math.h>
#include <string.h>

#include "app/config/maps.h"
#include "app/config/resolve.h"
#include "kernels/base/suggest.h"

/* name is a state or current of model, alone or as "model/name" */
static bool model_has(const struct ionic_model *model, const char *name, struct suggestion *suggestion)
{
    bool found = false;
    size_t length = strlen(model->name);
    if (strncmp(name, model->name, length) == 0 && name[length] == '/')
        name += length + 1;
    for (int k = 0; k < model->states; k++) {
        suggest_try(suggestion, model->state[k].name);
        found = found || strcmp(model->state[k].name, name) == 0;
    }
    for (int k = 0; k < model->currents; k++) {
        suggest_try(suggestion, model->current[k].name);
        found = found || strcmp(model->current[k].name, name) == 0;
    }
    return found;
}

/* physics.maps */
enum status resolve_maps(struct reader *reader)
{
    struct config *config = reader->config;
    char hint[100];
    for (int i = 0; i < config->output.maps; i++) {
        const char *name = config->output.map[i];
        struct suggestion suggestion = suggest_for(name);
        struct maps_map map;
        if (!maps_find(&map, name, &suggestion))
            return reader_error_at(reader, "output.maps",
                                   "'%.80s' is not a map%s; `cardiac keys maps` has them", name,
                                   suggest_hint(&suggestion, hint, sizeof hint));
        if ((map.kind == MAPS_CYCLE_LENGTH || map.kind == MAPS_DIASTOLIC_INTERVAL) &&
            config->physics.activation_beats == 1)
            reader_warning(reader, "output.maps", "%s has no values: activation.beats is 1", name);
        if (!maps_keep(&config->physics.maps, &map))
            return reader_error_at(reader, "output.maps",
                                   "'%s' would be level %d of repolarization; there may be %d", name,
                                   PARAMS_LEVELS + 1, PARAMS_LEVELS);
    }
    if (params_beats(&config->physics) && config->physics.activation == ACTIVATION_MAX_SLOPE)
        return reader_error_at(
            reader, "output.maps",
            "maps of beats need `method: threshold`; max-slope gives times of activation alone");
    return STATUS_OK;
}

/* physics.activation_rearm, as far as several beats are told apart at all */
enum status resolve_rearm(struct reader *reader)
{
    const struct config_tissue *tissue = &reader->config->tissue;
    struct monodomain_params *physics = &reader->config->physics;
    double threshold = physics->activation_threshold, rest = -HUGE_VAL;
    if (physics->activation_beats == 1 && !params_beats(physics)) {
        if (!isnan(physics->activation_rearm))
            reader_warning(reader, "activation.rearm", "has no effect: activation.beats is 1");
        physics->activation_rearm = NAN;
        return STATUS_OK;
    }
    for (int i = 0; i < tissue->regions; i++)
        rest = fmax(rest, tissue->region[i].model->v_initial);
    if (isnan(physics->activation_rearm))
        physics->activation_rearm = fmin(threshold, (threshold + rest) / 2);
    if (physics->activation_rearm > threshold)
        return reader_error_at(reader, "activation.rearm", "%g mV is above activation.threshold (%g mV)",
                               physics->activation_rearm, threshold);
    return STATUS_OK;
}

enum status resolve_activation(struct reader *reader)
{
    const struct monodomain_params *physics = &reader->config->physics;
    if (physics->activation != ACTIVATION_MAX_SLOPE)
        return STATUS_OK;
    if (physics->activation_beats > 1)
        return reader_error_at(
            reader, "activation.beats",
            "%lld, but `method: max-slope` keeps one time for each node, that of the steepest "
            "rise of the whole run; several beats need `method: threshold`",
            (long long)physics->activation_beats);
    if (physics->activation_threshold != 0 && reader->config->stop.when != STOP_WHEN_QUIESCENT)
        reader_warning(reader, "activation.threshold", "has no effect: the method is max-slope");
    return STATUS_OK;
}

enum status resolve_output(struct reader *reader)
{
    const struct config *config = reader->config;
    char hint[100];
    for (int i = 0; i < config->output.fields; i++) {
        const char *name = config->output.field[i];
        struct suggestion suggestion = suggest_for(name);
        suggest_try(&suggestion, "V");
        bool found = strcmp(name, "V") == 0;
        for (int k = 0; k < config->tissue.regions && !found; k++)
            found = model_has(config->tissue.region[k].model, name, &suggestion);
        if (!found)
            return reader_error_at(reader, "output.fields",
                                   "'%.80s' is neither V nor a state or current of a model in use%s", name,
                                   suggest_hint(&suggestion, hint, sizeof hint));
    }
    return STATUS_OK;
}

enum status resolve_stop(struct reader *reader)
{
    const struct config *config = reader->config;
    const struct config_output *output = &config->output;
    char hint[100];
    struct suggestion suggestion = suggest_for(config->stop.probe ? config->stop.probe : "");
    bool found = !config->stop.probe;
    for (int p = 0; p < output->probes && !found; p++) {
        found = strcmp(output->probe[p].name, config->stop.probe) == 0;
        suggest_try(&suggestion, output->probe[p].name);
    }
    if (!found)
        return reader_error_at(reader, "stop_when", "'%.80s' is not among output.probes%s",
                               config->stop.probe, suggest_hint(&suggestion, hint, sizeof hint));
    if (config->stop.beats > config->physics.activation_beats)
        return reader_error_at(reader, "stop_when", "%lld beats, of which activation.beats keeps %lld",
                               (long long)config->stop.beats, (long long)config->physics.activation_beats);
    return STATUS_OK;
}
