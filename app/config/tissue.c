/* tissue.c: check regions and stimuli once all keys are read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/reader.h"
#include "app/config/resolve.h"
#include "app/models/user_model.h"
#include "kernels/base/compare.h"

/* sigma[3] <- values along fibre, sheet and normal, given by direction or as one for all */
static void axes(double sigma[3], const struct conductivity *given)
{
    sigma[0] = isnan(given->isotropic) ? given->longitudinal : given->isotropic;
    sigma[1] = isnan(given->isotropic) ? given->transverse : given->isotropic;
    sigma[2] = isnan(given->normal) ? sigma[1] : given->normal;
}

static bool is_given(const struct conductivity *form)
{
    return !isnan(form->isotropic) || !isnan(form->longitudinal) || !isnan(form->transverse) ||
           !isnan(form->normal);
}

/* sigma[3] <- 0: a resistor has a conductance instead. Returns true (isotropic). */
static bool conducts_nothing(double sigma[3])
{
    sigma[0] = sigma[1] = sigma[2] = 0;
    return true;
}

bool config_conductivity(double sigma[3], const struct config_region *region)
{
    double inner[3], outer[3];
    if (config_is_resistor(region))
        return conducts_nothing(sigma);
    if (is_given(&region->velocity)) {
        sigma[0] = sigma[1] = sigma[2] = NAN;
        return !isnan(region->velocity.isotropic);
    }
    if (is_given(&region->monodomain)) {
        axes(sigma, &region->monodomain);
        return !isnan(region->monodomain.isotropic);
    }
    axes(inner, &region->intra);
    axes(outer, &region->extra);
    for (int k = 0; k < 3; k++) /* 0 in a direction in which either space does not conduct */
        sigma[k] = inner[k] > 0 && outer[k] > 0 ? inner[k] * outer[k] / (inner[k] + outer[k]) : 0;
    return !isnan(region->intra.isotropic) && !isnan(region->extra.isotropic);
}

bool config_bulk(double sigma[3], const struct config_region *region)
{
    double outer[3];
    if (config_is_resistor(region))
        return conducts_nothing(sigma);
    axes(sigma, &region->intra);
    axes(outer, &region->extra);
    for (int k = 0; k < 3; k++)
        sigma[k] += outer[k];
    return !isnan(region->intra.isotropic) && !isnan(region->extra.isotropic);
}

bool config_passive(double sigma[3], const struct config_passive *passive)
{
    axes(sigma, &passive->conductivity);
    return !isnan(passive->conductivity.isotropic);
}

bool config_intracellular(double sigma[3], bool *intra, const struct config_region *region)
{
    *intra = is_given(&region->intra);
    if (config_is_resistor(region))
        return conducts_nothing(sigma);
    const struct conductivity *form = *intra ? &region->intra : &region->monodomain;
    axes(sigma, form);
    return !isnan(form->isotropic);
}

bool config_velocity(double speed[3], const struct config_region *region)
{
    axes(speed, &region->velocity);
    return is_given(&region->velocity);
}

bool config_velocity_fine(const struct config_region *region)
{
    return region->velocity_on && strcmp(region->velocity_on, "fine") == 0;
}

static enum status complete(struct reader *reader, const struct conductivity *form, const char *path)
{
    if (isnan(form->isotropic) && isnan(form->longitudinal))
        return reader_error_at(reader, path, "longitudinal is missing (along the fibre)");
    if (isnan(form->isotropic) && isnan(form->transverse))
        return reader_error_at(
            reader, path,
            "transverse is missing (across the fibre); for isotropic tissue give one value, "
            "such as `conductivity: 0.1 S/m`");
    if (form->longitudinal < form->transverse)
        reader_warning(reader, path, "is greater across the fibres than along them: %g and %g",
                       form->transverse, form->longitudinal);
    return STATUS_OK;
}

double config_surface_to_volume(const struct config_tissue *tissue, const struct config_region *region)
{
    return isnan(region->surface_to_volume) ? tissue->surface_to_volume : region->surface_to_volume;
}

bool config_is_resistor(const struct config_region *region)
{
    return !isnan(region->conductance);
}

/* Checks a region of resistors, which have no membrane, and lends it the model of another region (no node uses
 * it). */
static enum status resolve_resistor(struct reader *reader, struct config_region *region, int i)
{
    static const char *const others[] = {"model",     "conductivity",      "velocity", "radius",
                                         "thickness", "surface_to_volume", "initial",  "parameters"};
    const struct config_tissue *tissue = &reader->config->tissue;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const struct config_key key = config_key("tissue.regions[%d].%s", i, others[k]);
        if (reader_given(reader, key.text))
            return reader_error_at(reader, key.text, "is given with conductance: a resistor has no membrane");
    }
    for (int r = 0; r < tissue->regions; r++)
        if (!config_is_resistor(&tissue->region[r]))
            region->model = tissue->region[r].model;
    return region->model ? STATUS_OK
                         : reader_error_at(reader, config_key("tissue.regions[%d].conductance", i).text,
                                           "no region has a model: resistors join tissue");
}

static enum status resolve_conductivity(struct reader *reader, const struct config_region *region, int i)
{
    const struct config_key key = config_key("tissue.regions[%d].conductivity", i),
                            velocity = config_key("tissue.regions[%d].velocity", i);
    const char *path = key.text;
    bool one = is_given(&region->monodomain), intra = is_given(&region->intra),
         extra = is_given(&region->extra);
    if (reader_given(reader, velocity.text)) {
        if (one || intra || extra)
            return reader_error_at(reader, path, "is given with velocity: give one of them");
        if (region->velocity_on && strcmp(region->velocity_on, "mesh") != 0 && !config_velocity_fine(region))
            return reader_error_at(reader, config_key("%s.on", velocity.text).text,
                                   "'%s': must be mesh or fine", region->velocity_on);
        if (region->scale)
            reader_warning(reader, velocity.text,
                           "is the velocity where `scale` is 1; elsewhere it is about the square "
                           "root of `scale` times that");
        return complete(reader, &region->velocity, velocity.text);
    }
    if (!one && !intra && !extra)
        return reader_error_at(reader, path,
                               "is missing (one value, {longitudinal, transverse}, or {intra, extra}), or "
                               "velocity");
    if (one && (intra || extra))
        return reader_error_at(reader, path, "give monodomain values or {intra, extra}, not both");
    if (one)
        return complete(reader, &region->monodomain, path);
    if (!intra || !extra)
        return reader_error_at(reader, path, "%s is missing; both are required", intra ? "extra" : "intra");
    TRY(complete(reader, &region->intra, config_key("%s.intra", path).text));
    return complete(reader, &region->extra, config_key("%s.extra", path).text);
}

enum status resolve_conductor(struct reader *reader)
{
    const struct config_ecg *ecg = &reader->config->ecg;
    const struct config_tissue *tissue = &reader->config->tissue;
    enum status status = STATUS_OK;
    double sigma[3];
    for (int r = 0; r < tissue->regions; r++) {
        const struct config_key key = config_key("tissue.regions[%d].conductivity", r);
        if (config_is_resistor(&tissue->region[r]))
            continue; /* the ECG's conductor has no line elements */
        if (!is_given(&tissue->region[r].intra) || !is_given(&tissue->region[r].extra)) {
            FAULTS_TRY(
                reader_error_at(reader, key.text,
                                "{intra: .., extra: ..} is required with ecg.conductor: the conductor's "
                                "heart conducts by their sum, and its currents by intra"));
            continue;
        }
        config_bulk(sigma, &tissue->region[r]);
        for (int k = 0; k < 3; k++)
            if (sigma[k] == 0) {
                FAULTS_TRY(reader_error_at(reader, key.text,
                                           "intra and extra are both 0 in a direction, and ecg.conductor "
                                           "must conduct everywhere"));
                break;
            }
    }
    for (int p = 0; p < ecg->passives; p++) {
        const struct config_key key = config_key("ecg.conductor.regions[%d].conductivity", p);
        FAULTS_TRY(is_given(&ecg->passive[p].conductivity)
                       ? complete(reader, &ecg->passive[p].conductivity, key.text)
                       : reader_error_at(reader, key.text, "is missing"));
        if (ecg->passive[p].tags.all)
            FAULTS_TRY(reader_error_at(reader, config_key("ecg.conductor.regions[%d].tags", p).text,
                                       "must be a list of tags; elements whose tag is in no list are the "
                                       "heart's"));
    }
    return status;
}

struct tagged {
    int64_t tag, region;
};

/* Checks that each tag is in at most one region without `where`, and that `all` comes last. */
static enum status resolve_tags(struct reader *reader)
{
    const struct config_tissue *tissue = &reader->config->tissue;
    int count = 0;
    for (int i = 0; i < tissue->regions; i++) {
        count += tissue->region[i].where ? 0 : tissue->region[i].tags.count;
        if (tissue->region[i].tags.all && !tissue->region[i].where && i + 1 < tissue->regions)
            return reader_error_at(reader, config_key("tissue.regions[%d].tags", i).text,
                                   "`all` leaves nothing for the regions after this one; put it last");
    }
    struct tagged *tagged = arena_allocate(&reader->config->memory, (size_t)count + 1, sizeof *tagged);
    if (!tagged)
        return error_memory(reader->error, "the config", (double)sizeof *tagged * count);
    int filled = 0;
    for (int i = 0; i < tissue->regions; i++)
        for (int t = 0; !tissue->region[i].where && t < tissue->region[i].tags.count; t++)
            if (!tissue->region[i].tags.name[t])
                tagged[filled++] = (struct tagged){tissue->region[i].tags.tag[t], i};
    qsort(tagged, (size_t)filled, sizeof *tagged, compare_int64_pair);
    for (int t = 1; t < filled; t++)
        if (tagged[t].tag == tagged[t - 1].tag)
            return reader_error_at(reader, config_key("tissue.regions[%d].tags", (int)tagged[t].region).text,
                                   "tag %d is already in tissue.regions[%d]", (int)tagged[t].tag,
                                   (int)tagged[t - 1].region);
    return STATUS_OK;
}

/* Checks factors by direction, which require an anisotropic conductivity; normal <- transverse if not given */
static enum status resolve_scale(struct reader *reader, struct config_region *region, int i)
{
    const struct config_key key = config_key("tissue.regions[%d].scale", i);
    const struct where **axis = region->scale_axis;
    double sigma[3];
    if (!axis[0] && !axis[1] && !axis[2])
        return region->scale || !reader_given(reader, key.text)
                   ? STATUS_OK
                   : reader_error_at(reader, key.text,
                                     "is empty: one factor, or {longitudinal: .., transverse: ..}");
    if (config_velocity(sigma, region))
        return reader_error_at(
            reader, key.text,
            "by direction is a factor on a conductivity, and this region has a velocity; one "
            "factor for all directions is possible");
    if (config_is_resistor(region) || config_conductivity(sigma, region))
        return reader_error_at(
            reader, key.text,
            "by direction needs a conductivity by direction, such as {longitudinal: 0.3 S/m, "
            "transverse: 0.1 S/m}; one factor is possible for all directions");
    axis[2] = axis[2] ? axis[2] : axis[1];
    return STATUS_OK;
}

/* vary[] <- the model's parameters that are fields in some region, ascending; returns their number */
static int list_varied(int *vary, const struct config_tissue *tissue, const struct ionic_model *model)
{
    int count = 0;
    for (int k = 0; k < model->parameters; k++) {
        bool varies = false;
        for (int r = 0; r < tissue->regions; r++)
            for (int f = 0; tissue->region[r].model == model && f < tissue->region[r].fields; f++)
                varies |= tissue->region[r].field[f].parameter == k;
        if (varies)
            vary[count++] = k;
    }
    return count;
}

/* region->varied <- one model for all regions of a model, with the fields of all of them, so that a state has the
 * same name in each */
static enum status resolve_fields(struct reader *reader)
{
    struct config_tissue *tissue = &reader->config->tissue;
    for (int i = 0; i < tissue->regions; i++) {
        const struct ionic_model *model = tissue->region[i].model, *varied;
        struct error reason = {0};
        if (!model || tissue->region[i].fields == 0 || tissue->region[i].varied)
            continue;
        int *vary = reader_allocate(reader, model->parameters, sizeof *vary);
        if (!vary)
            return STATUS_RUN;
        if (user_model_vary(&reader->config->models, &varied, model, vary, list_varied(vary, tissue, model),
                            &reason))
            return reader_error_at(reader, config_key("tissue.regions[%d].parameters", i).text, "%s",
                                   reason.text);
        for (int r = 0; r < tissue->regions; r++)
            if (tissue->region[r].model == model)
                tissue->region[r].varied = varied;
    }
    return STATUS_OK;
}

static void warn_capacitance(struct reader *reader, const struct ionic_model *model)
{
    double given = reader->config->tissue.capacitance * 100; /* uF/cm^2 */
    if (model->capacitance > 0 && fabs(given - model->capacitance) > 1e-9 * given)
        reader_warning(reader, "tissue.capacitance",
                       "%g uF/cm^2, but the currents of %s were published with %g uF/cm^2; they are per "
                       "capacitance and are not rescaled",
                       given, model->name, model->capacitance);
}

/* Refuses conductivities that overflow in the matrix, and velocities that no step resolves. */
static enum status check_conduction(struct reader *reader, const struct config_region *region, int i)
{
    const struct config_tissue *tissue = &reader->config->tissue;
    const double most = 1e9, fastest = 20,
                 unit = config_surface_to_volume(tissue, region) * tissue->capacitance;
    double sigma[3], speed[3];
    char hint[80];
    bool by_speed = config_velocity(speed, region);
    const struct config_key key =
        config_key("tissue.regions[%d].%s", i, by_speed ? "velocity" : "conductivity");
    config_conductivity(sigma, region);
    for (int k = 0; k < 3; k++) {
        if (by_speed && speed[k] > fastest)
            return reader_error_at(reader, key.text, "%g m/s is out of range (%g)%s", speed[k], fastest,
                                   resolve_unit_hint(hint, sizeof hint, reader, key.text));
        if (!by_speed && sigma[k] / unit > most)
            return reader_error_at(
                reader, key.text,
                "%g S/m over surface_to_volume and capacitance is a diffusion of %g mm^2/ms, "
                "out of range (%g)",
                sigma[k], sigma[k] / unit, most);
    }
    return STATUS_OK;
}

enum status resolve_tissue(struct reader *reader)
{
    struct config *config = reader->config;
    const struct config_tissue *tissue = &config->tissue;
    if (tissue->regions == 0)
        return reader_error_at(reader, "tissue.regions", "at least one region is needed");
    enum status status = resolve_tags(reader);
    FAULTS_TRY(cells_apply_factors(reader));
    for (int i = 0; i < tissue->regions; i++) {
        double sigma[3];
        const bool resistor = config_is_resistor(&tissue->region[i]);
        enum status good = resistor ? resolve_resistor(reader, &tissue->region[i], i)
                                    : resolve_conductivity(reader, &tissue->region[i], i);
        good = good ? good : resolve_scale(reader, &tissue->region[i], i);
        status = good ? good : status;
        if (good || resistor)
            continue;
        config->physics.sweeps_alone |= config_velocity(sigma, &tissue->region[i]);
        FAULTS_TRY(check_conduction(reader, &tissue->region[i], i));
        bool isotropic = config_conductivity(sigma, &tissue->region[i]);
        bool alike = sigma[0] == sigma[1] && sigma[0] == sigma[2];
        if (!isotropic && tissue->fibers == FIBERS_FROM_MESH && config->mesh.kind != MESH_KIND_FILE &&
            !config_array_find(config, config->mesh.fibers))
            FAULTS_TRY(
                reader_error_at(reader, "tissue.fibers",
                                "tissue.regions[%d] is %s and a generated mesh has no fibres; give %sa "
                                "direction, such as [1, 0, 0]",
                                i, alike ? "given by axes" : "anisotropic",
                                alike ? "it one value, such as `conductivity: 0.1 S/m`, or " : ""));
        if (i == 0 || tissue->region[i].model != tissue->region[i - 1].model)
            warn_capacitance(reader, tissue->region[i].model);
    }
    FAULTS_TRY(resolve_fields(reader));
    return status;
}

static enum status resolve_box(struct reader *reader, const struct config_stimulus *stimulus, int i)
{
    const struct config_key min = config_key("stimuli[%d].box.min", i),
                            max = config_key("stimuli[%d].box.max", i);
    if (!reader_given(reader, min.text) || !reader_given(reader, max.text))
        return reader_error_at(reader, reader_given(reader, min.text) ? max.text : min.text, "is missing");
    for (int k = 0; k < 3; k++)
        if (stimulus->box_min[k] > stimulus->box_max[k])
            return reader_error_at(reader, max.text, "%c is less than that of box.min: the box is empty",
                                   "xyz"[k]);
    return STATUS_OK;
}

/* stimulus->selection <- its shape as a condition */
static enum status resolve_selection(struct reader *reader, struct config_stimulus *stimulus)
{
    struct arena *arena = &reader->config->memory;
    struct where_leaf leaf = {.tags = &stimulus->tags};
    double *numbers = arena_allocate(arena, 6, sizeof *numbers);
    if (!numbers)
        return error_memory(reader->error, "the config", 6 * sizeof *numbers);
    leaf.numbers = numbers;
    switch (stimulus->shape) {
    case STIMULUS_SHAPE_WHERE:
        stimulus->selection = stimulus->where;
        return STATUS_OK;
    case STIMULUS_SHAPE_DELAYS:
        return STATUS_OK;
    case STIMULUS_SHAPE_BOX:
        leaf.kind = WHERE_BOX;
        memcpy(numbers, stimulus->box_min, sizeof stimulus->box_min);
        memcpy(numbers + 3, stimulus->box_max, sizeof stimulus->box_max);
        break;
    case STIMULUS_SHAPE_SPHERE:
        leaf.kind = WHERE_BALL;
        memcpy(numbers, stimulus->centre, sizeof stimulus->centre);
        numbers[3] = stimulus->radius;
        break;
    case STIMULUS_SHAPE_TAGS:
        leaf.kind = WHERE_TAG;
        break;
    case STIMULUS_SHAPE_NODES:
        leaf.kind = WHERE_NODES;
        leaf.name = stimulus->nodes;
        break;
    }
    stimulus->selection = where_of_leaf(arena, &leaf);
    return stimulus->selection ? STATUS_OK : error_memory(reader->error, "the config", sizeof leaf);
}

static enum status resolve_shape(struct reader *reader, struct config_stimulus *stimulus, int i)
{
    static const char *const shapes[] = {"where", "box", "sphere", "tags", "nodes", "delays"};
    int found = 0;
    for (int k = STIMULUS_SHAPE_WHERE; k <= STIMULUS_SHAPE_DELAYS; k++) {
        const struct config_key key = config_key("stimuli[%d].%s", i, shapes[k]);
        if (!reader_given(reader, key.text))
            continue;
        if (found++)
            return reader_error_at(reader, key.text, "a stimulus has only one shape, and %s is given as well",
                                   shapes[stimulus->shape]);
        stimulus->shape = (enum stimulus_shape)k;
    }
    if (!found)
        return reader_error_at(reader, config_key("stimuli[%d]", i).text,
                               "one of where, box, sphere, tags, nodes or delays is required");
    if (stimulus->shape == STIMULUS_SHAPE_BOX && resolve_box(reader, stimulus, i))
        return STATUS_INPUT;
    const bool centre = !isnan(stimulus->centre[0]);
    if (stimulus->shape == STIMULUS_SHAPE_SPHERE && !(centre && stimulus->radius > 0))
        return reader_error_at(
            reader, config_key("stimuli[%d].sphere.%s", i, centre ? "radius" : "centre").text, "is missing");
    return resolve_selection(reader, stimulus);
}

/* Checks an interval of a stimulus: pulses must not overlap, and must begin at least a step apart. */
static enum status check_interval(struct reader *reader, const struct config_stimulus *stimulus,
                                  const char *path, double interval)
{
    double step = reader->config->physics.step;
    char hint[80];
    if (interval < stimulus->duration)
        return reader_error_at(
            reader, path, "an interval is shorter than the duration: the stimulus would overlap itself%s",
            resolve_unit_hint(hint, sizeof hint, reader, path));
    return interval < step * (1 - 1e-9)
               ? reader_error_at(reader, path, "an interval is shorter than time.step (%g ms)", step)
               : STATUS_OK;
}

/* Checks the trains of stimulus i, in order. */
static enum status resolve_protocol(struct reader *reader, struct config_stimulus *stimulus, int i)
{
    if (stimulus->count != 1 || !isnan(stimulus->period))
        return reader_error_at(
            reader, config_key("stimuli[%d].%s", i, stimulus->count != 1 ? "count" : "period").text,
            "belongs to the items of the protocol");
    if (stimulus->phases == 0)
        return reader_error_at(reader, config_key("stimuli[%d].protocol", i).text,
                               "expected a list of trains, such as [{count: 8, period: 600 ms}]");
    for (int k = 0; k < stimulus->phases; k++) {
        const struct config_phase *phase = &stimulus->phase[k];
        bool ramp = !isnan(phase->to), alone = isnan(phase->after) && k > 0;
        double shortest = ramp ? fmin(phase->to, phase->period) : phase->period;
        const struct config_key key = config_key("stimuli[%d].protocol[%d]", i, k);
        const char *path = key.text;
        if (phase->count == 0 && k < stimulus->phases - 1)
            return reader_error_at(reader, path, "is repeated without end, so the next train never begins");
        if (k == 0 && !isnan(phase->after))
            return reader_error_at(reader, path,
                                   "the first train begins at `start`; `after` is for the others");
        if (isnan(phase->period) && (phase->count != 1 || alone))
            return reader_error_at(reader, path, "period%s is missing", alone ? " or after" : "");
        if (ramp && phase->count - !alone < 2)
            return reader_error_at(reader, path, "a ramp requires at least two intervals");
        TRY(check_interval(reader, stimulus, path, fmin(shortest, phase->after)));
        if (phase->count == 1 && !isnan(phase->period) && !alone)
            reader_warning(reader, path, "period has no effect: count is 1");
    }
    return STATUS_OK;
}

static enum status resolve_period(struct reader *reader, struct config_stimulus *stimulus, int i)
{
    const struct config_key key = config_key("stimuli[%d].period", i);
    if (stimulus->count == 1) {
        if (!isnan(stimulus->period))
            reader_warning(reader, key.text, "has no effect: count is 1");
        stimulus->period = NAN;
    } else if (isnan(stimulus->period))
        return reader_error_at(reader, key.text, "is missing: the stimulus is applied more than once");
    return check_interval(reader, stimulus, key.text, stimulus->period);
}

static enum status resolve_pacing(struct reader *reader, struct config_stimulus *stimulus, int i)
{
    if (!isnan(stimulus->duration) && stimulus->pulse)
        return reader_error_at(reader, config_key("stimuli[%d].duration", i).text,
                               "a pulse has its own duration");
    TRY(stimulus->phase ? resolve_protocol(reader, stimulus, i) : resolve_period(reader, stimulus, i));
    int64_t count = stimulus->phases ? stimulus->phase[stimulus->phases - 1].count : stimulus->count;
    if (count == 0 && reader->config->stop.when == STOP_WHEN_QUIESCENT)
        reader_warning(reader, "stop_when",
                       "has no effect: stimuli[%d] is repeated without end, so the tissue is never quiet", i);
    const double end = reader->config->end;
    if (stimulus->start >= end)
        reader_warning(reader, config_key("stimuli[%d].start", i).text,
                       "is not before time.end: this stimulus is never applied");
    else if (!stimulus->phases && stimulus->count > 1 &&
             stimulus->start + (double)(stimulus->count - 1) * stimulus->period >= end)
        reader_warning(reader, config_key("stimuli[%d].count", i).text,
                       "%lld of %lld pulses come before time.end (%.10g ms)",
                       (long long)ceil((end - stimulus->start) / stimulus->period),
                       (long long)stimulus->count, end);
    return STATUS_OK;
}

/* stimulus->current <- uA/uF: a current per membrane area is divided by Cm, one per volume by chi Cm */
static enum status resolve_current(struct reader *reader, struct config_stimulus *stimulus, int i)
{
    const struct config_tissue *tissue = &reader->config->tissue;
    const struct config_key key = config_key("stimuli[%d].current", i);
    if (stimulus->current_kind == QUANTITY_CURRENT_PER_AREA)
        stimulus->current /= tissue->capacitance;
    for (int r = 0; r < tissue->regions && stimulus->current_kind == QUANTITY_CURRENT_PER_VOLUME; r++)
        if (!isnan(tissue->region[r].surface_to_volume))
            return reader_error_at(reader, key.text,
                                   "a current per volume is ambiguous where a region has its own "
                                   "surface_to_volume; give it per capacitance (uA/uF)");
    if (stimulus->current_kind == QUANTITY_CURRENT_PER_VOLUME)
        stimulus->current /= tissue->surface_to_volume * tissue->capacitance;
    stimulus->current_kind = QUANTITY_CURRENT;
    if (!(fabs(stimulus->current) <= 1e9))
        return reader_error_at(reader, key.text, "%g uA/uF is out of range (1e9)", stimulus->current);
    if (stimulus->current == 0)
        return reader_warning(reader, key.text, "is 0: this stimulus does nothing");
    return STATUS_OK;
}

enum status resolve_stimuli(struct reader *reader)
{
    struct config *config = reader->config;
    bool timed = reader_sound(reader, "time"), tissue = reader_sound(reader, "tissue");
    enum status status = STATUS_OK;
    for (int i = 0; i < config->stimuli; i++) {
        struct config_stimulus *stimulus = &config->stimulus[i];
        if (!stimulus->name)
            stimulus->name = arena_print(&config->memory, "S%d", i + 1);
        if (!stimulus->name)
            return error_memory(reader->error, "the config", 8);
        for (int j = 0; j < i; j++)
            if (strcmp(config->stimulus[j].name, stimulus->name) == 0)
                reader_warning(reader, config_key("stimuli[%d].name", i).text,
                               "%s is stimuli[%d], too: the log does not tell them apart", stimulus->name, j);
        FAULTS_TRY(resolve_shape(reader, stimulus, i));
        if (timed)
            FAULTS_TRY(resolve_pacing(reader, stimulus, i));
        if (tissue)
            FAULTS_TRY(resolve_current(reader, stimulus, i));
    }
    bool phases = false;
    for (int r = 0; r < config->tissue.regions; r++)
        phases = phases || config->tissue.region[r].phase || config->tissue.region[r].phase_times;
    if (config->stimuli == 0 && !config->initial.file && !phases && !reader->stepped)
        reader_warning(reader, "stimuli", "no stimulus is given, and the tissue starts at rest");
    return status;
}

bool config_tag_listed(const struct tag_list *tags, int32_t tag, int dimension)
{
    bool listed = tags->all;
    for (int k = 0; k < tags->count && !listed; k++)
        listed = tags->tag[k] == tag &&
                 (dimension == 0 || tags->dimension[k] == 0 || tags->dimension[k] == dimension);
    return listed;
}

int config_region_of_tag(const struct config *config, int32_t tag, int dimension)
{
    for (int r = 0; r < config->tissue.regions; r++)
        if (config_tag_listed(&config->tissue.region[r].tags, tag, dimension))
            return config->tissue.region[r].where ? -1 : r;
    return -1;
}

bool config_regions_by_position(const struct config *config)
{
    bool any = false;
    for (int r = 0; r < config->tissue.regions; r++)
        any = any || config->tissue.region[r].where;
    return any;
}
