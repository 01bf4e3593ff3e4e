/* records.c: activation, maps, fields and the end of a config's run, once all keys are read. */
#include <math.h>
#include <string.h>

#include "app/config/maps.h"
#include "app/config/resolve.h"
#include "kernels/base/suggest.h"
#include "kernels/compiler/language/unit.h"

/* The unit of a state or current of model, which name calls alone or as "model/name"; NULL = it has none */
static const char *unit_of(const struct ionic_model *model, const char *name, struct suggestion *suggestion)
{
    const char *unit = NULL;
    size_t length = strlen(model->name);
    if (strncmp(name, model->name, length) == 0 && name[length] == '/')
        name += length + 1;
    for (int k = 0; k < model->states; k++) {
        if (suggestion)
            suggest_try(suggestion, model->state[k].name);
        unit = strcmp(model->state[k].name, name) == 0 ? model->state[k].unit : unit;
    }
    for (int k = 0; k < model->currents; k++) {
        if (suggestion)
            suggest_try(suggestion, model->current[k].name);
        unit = strcmp(model->current[k].name, name) == 0 ? model->current[k].unit : unit;
    }
    return unit;
}

/* "A/F" is "uA/uF", and none is "1"; what is no unit is the same where it is the same word */
static bool same_unit(const char *a, const char *b)
{
    struct mmt_unit unit[2];
    const char *text[2] = {*a ? a : "1", *b ? b : "1"};
    char why[100];
    bool known = true;
    for (int k = 0; k < 2; k++) {
        int at = 0;
        known = mmt_unit_read(&unit[k], text[k], (int)strlen(text[k]), &at, why, sizeof why) && known;
    }
    return known ? mmt_unit_same(unit[0], unit[1]) : strcmp(text[0], text[1]) == 0;
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

double config_rearm(const struct config *config)
{
    double rest = -HUGE_VAL;
    for (int i = 0; i < config->tissue.regions; i++)
        rest = fmax(rest, config->tissue.region[i].model->v_initial);
    return isnan(config->physics.activation_rearm) ? params_rearm(config->physics.activation_threshold, rest)
                                                   : config->physics.activation_rearm;
}

/* physics.activation_rearm, as far as maps tell several beats apart */
enum status resolve_rearm(struct reader *reader)
{
    struct monodomain_params *physics = &reader->config->physics;
    double threshold = physics->activation_threshold;
    bool several = physics->activation_beats > 1 || params_beats(physics);
    if (!several && reader->config->output.probes == 0 && !isnan(physics->activation_rearm)) {
        reader_warning(reader, "activation.rearm", "has no effect: activation.beats is 1");
        physics->activation_rearm = NAN;
    }
    if (several)
        physics->activation_rearm = config_rearm(reader->config);
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

/* A field of the regions' models, which have it in one unit */
static enum status resolve_field(struct reader *reader, const char *name)
{
    const struct config_tissue *tissue = &reader->config->tissue;
    const struct ionic_model *first = NULL;
    struct suggestion suggestion = suggest_for(name);
    char hint[100];
    suggest_try(&suggestion, "V");
    for (int r = 0; r < tissue->regions; r++) {
        const struct ionic_model *model = tissue->region[r].model;
        const char *own = unit_of(model, name, &suggestion), *unit = first ? unit_of(first, name, NULL) : own;
        if (own && !same_unit(own, unit))
            return reader_error_at(reader, "output.fields",
                                   "'%.80s' is in %s in %s and in %s in %s; name one of them, as in %s/%.80s",
                                   name, *unit ? unit : "1", first->name, *own ? own : "1", model->name,
                                   first->name, name);
        first = own && !first ? model : first;
    }
    return first ? STATUS_OK
                 : reader_error_at(reader, "output.fields",
                                   "'%.80s' is neither V nor a state or current of a model in use%s", name,
                                   suggest_hint(&suggestion, hint, sizeof hint));
}

enum status resolve_output(struct reader *reader)
{
    const struct config_output *output = &reader->config->output;
    enum status status = STATUS_OK;
    for (int i = 0; i < output->fields && !status; i++)
        if (strcmp(output->field[i], "V") != 0)
            status = resolve_field(reader, output->field[i]);
    return status;
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
