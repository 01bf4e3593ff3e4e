/* resolve.c: check the keys of the mesh, solver, maps and studies against each other. */
#include "app/config/resolve.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app/config/keys.h"
#include "app/config/maps.h"
#include "app/config/model.h"
#include "app/util/path.h"
#include "kernels/base/suggest.h"
#include "kernels/compiler/language/unit.h"

/* Checks that a network has the keys that its kind of junctions requires. */
static enum status resolve_network(struct reader *reader, int i)
{
    const struct config_network *network = &reader->config->mesh.network[i];
    const struct config_key junction = config_key("mesh.network[%d].junction_tag", i);
    if (network->junctions != NETWORK_NONE && isnan(network->radius))
        return reader_error_at(reader, config_key("mesh.network[%d].radius", i).text,
                               "is missing: how far an end reaches into the tissue");
    if (network->junctions == NETWORK_ENDS && network->junction_tag == 0)
        return reader_error_at(reader, junction.text,
                               "is missing: a region names this tag and gives the conductance");
    if (network->junctions == NETWORK_ENDS && network->junction_tag == network->tag)
        return reader_error_at(reader, junction.text, "is also the tag of the lines");
    return STATUS_OK;
}

const char *const config_mesh_keys[] = {[MESH_KIND_SLAB] = "mesh.slab",
                                        [MESH_KIND_SHEET] = "mesh.sheet",
                                        [MESH_KIND_CABLE] = "mesh.cable",
                                        [MESH_KIND_ELLIPSOID] = "mesh.ellipsoid",
                                        [MESH_KIND_FILE] = "mesh.file"};

/* mesh->surface[] <- the heart's among the named surfaces. Checks that names of fields can be variables. */
static enum status resolve_names(struct reader *reader)
{
    struct config_mesh *mesh = &reader->config->mesh;
    struct arena scratch = {0};
    enum status status = STATUS_OK;
    for (int k = 0; k < mesh->nameds; k++)
        for (int s = 0; s < HEART_SURFACES; s++)
            if (strcmp(mesh->named[k].key, heart_surface_name((enum heart_surface)s)) == 0)
                mesh->surface[s] = mesh->named[k];
    for (int k = 0; k < mesh->laplaces; k++) {
        const struct config_key key = config_key("mesh.laplace.%s", mesh->laplace[k].key);
        struct where *where = NULL;
        struct error unused = {0};
        int at;
        where_parse(&where, &scratch, mesh->laplace[k].key, WHERE_FACTOR, &at, &unused);
        if (!where || where->leaves != 1 || where->leaf->kind != WHERE_NAME ||
            strcmp(where->leaf->name, mesh->laplace[k].key) != 0)
            FAULTS_TRY(reader_error_at(reader, key.text,
                                       "is not a valid name: use letters, digits and _, and no name "
                                       "that expressions already use, such as x or tag"));
    }
    arena_free(&scratch);
    return status;
}

static enum status resolve_mesh(struct reader *reader)
{
    static const char *const needed[][2] = {{"mesh.slab.size", "mesh.slab.spacing"},
                                            {"mesh.sheet.size", "mesh.sheet.spacing"},
                                            {"mesh.cable.length", "mesh.cable.spacing"},
                                            {"mesh.ellipsoid.size", "mesh.ellipsoid.edge"},
                                            {"mesh.file", "mesh.file"}};
    int found = 0;
    for (int k = MESH_KIND_SLAB; k <= MESH_KIND_FILE; k++)
        if (reader_given(reader, config_mesh_keys[k])) {
            if (found++)
                return reader_error_at(reader, config_mesh_keys[k],
                                       "only one mesh can be given, and %s is given as well",
                                       config_mesh_keys[reader->config->mesh.kind]);
            reader->config->mesh.kind = (enum mesh_kind)k;
        }
    if (!found)
        return reader_error_at(reader, "mesh", "one of slab, sheet, cable, ellipsoid or file is required");
    for (int i = 0; i < 2; i++) {
        const char *key = needed[reader->config->mesh.kind][i];
        if (!reader_given(reader, key))
            return reader_error_at(reader, key, "is missing");
    }
    static const char *const of_file[] = {"mesh.scale", "mesh.tags", "mesh.fibers", "mesh.sheets"};
    for (int i = 0; i < 4; i++)
        if (reader_given(reader, of_file[i]) && reader->config->mesh.kind != MESH_KIND_FILE &&
            !(i >= 2 && config_array_find(reader->config, i == 2 ? reader->config->mesh.fibers
                                                                 : reader->config->mesh.sheets)))
            return reader_error_at(reader, of_file[i], "requires mesh.file, but the mesh is generated");
    for (int i = 2; i < 4; i++)
        if (reader_given(reader, of_file[i]) && reader_sound(reader, "tissue") &&
            reader->config->tissue.fibers != FIBERS_FROM_MESH)
            reader_warning(reader, of_file[i], "has no effect: tissue.fibers is not `from mesh`");
    for (int i = 0; i < reader->config->mesh.networks; i++)
        TRY(resolve_network(reader, i));
    return resolve_names(reader);
}

/* Checks the ionic step against the limits of every model in use. */
static enum status check_ionic_step(struct reader *reader)
{
    const struct config *config = reader->config;
    const char *path = reader_given(reader, "ionic.step") ? "ionic.step" : "time.step";
    for (int i = 0; i < config->tissue.regions; i++) {
        const struct ionic_model *model = config->tissue.region[i].model;
        char text[300], hint[80];
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen = seen || config->tissue.region[j].model == model;
        enum model_step verdict =
            seen ? MODEL_STEP_GOOD
                 : model_check_step(text, sizeof text, model, config->physics.ionic_mixed,
                                    config_way(config).staggered, config->ionic_step);
        if (verdict == MODEL_STEP_TOO_LONG)
            return reader_error_at(reader, path, "%s; use an ionic.step of %g ms%s", text,
                                   model_limits_of(model, config_way(config).staggered).accurate,
                                   resolve_unit_hint(hint, sizeof hint, reader, path));
        if (verdict == MODEL_STEP_POOR)
            reader_warning(reader, path, "%s", text);
    }
    return STATUS_OK;
}

/* Compiles the models that are not built in. An error is reported at the parameters that require the compiler,
 * if there are any. */
static enum status compile_models(struct reader *reader)
{
    const struct config *config = reader->config;
    struct error fault = {0};
    for (struct user_model *user = config->models; user; user = user->next) {
        if (!user_model_compile(user, config_way(config), &fault))
            continue;
        for (int r = 0; r < config->tissue.regions; r++)
            if (config->tissue.region[r].varied == &user->model)
                return reader_error_at(reader, config_key("tissue.regions[%d].parameters", r).text,
                                       "parameters that vary from node to node: %s; one value in each region "
                                       "needs no compiler",
                                       fault.text);
        return reader_error_of_text(reader, "ionic", &fault); /* not a fault of the regions' model names */
    }
    return STATUS_OK;
}

/* physics.ionic_substeps <- time.step / ionic.step */
static enum status resolve_ionic(struct reader *reader)
{
    struct config *config = reader->config;
    struct error fault = {0};
    for (int i = 0; config->physics.ionic_tables && i < config->tissue.regions; i++)
        if (ionic_table_known(config->tissue.region[i].model, &fault))
            return reader_error_at(reader, "ionic.tables", "%s", fault.text);
    TRY(compile_models(reader));
    double whole = config->physics.step;
    if (isnan(config->ionic_step))
        config->ionic_step = whole;
    double count = floor(whole / config->ionic_step + 0.5);
    if (count > 1e6)
        return reader_error_at(reader, "ionic.step", "divides time.step into more than a million parts");
    if (count >= 1 && fabs(whole - count * config->ionic_step) <= 1e-9 * whole) {
        config->physics.ionic_substeps = (int)count;
        return check_ionic_step(reader);
    }
    char nearest[60], written[60], all[60];
    units_write(nearest, sizeof nearest, whole / fmax(count, 1), QUANTITY_TIME);
    units_write(written, sizeof written, config->ionic_step, QUANTITY_TIME);
    units_write(all, sizeof all, whole, QUANTITY_TIME);
    return reader_error_at(reader, "ionic.step", "%s does not divide time.step (%s); the nearest is %s",
                           written, all, nearest);
}

/* Warns about given keys that have no effect in combination with the others. */
static void warn_idle(struct reader *reader)
{
    const struct monodomain_params *physics = &reader->config->physics;
    if (physics->precision != PRECISION_MIXED && physics->precision_budget != 1e-5)
        reader_warning(reader, "solver.precision_budget", "has no effect unless solver.precision is mixed");
    const struct config_output *output = &reader->config->output;
    if (output->probes == 0 && output->probes_every != output->every)
        reader_warning(reader, "output.probes_every", "has no effect: there are no output.probes");
}

int config_order_in_time(const struct config *config)
{
    return config_way(config).staggered ? 2 : 1;
}

static enum status resolve_solver(struct reader *reader)
{
    struct monodomain_params *physics = &reader->config->physics;
    if (physics->method == METHOD_RKL2 && physics->mass_lumping < 1)
        return reader_error_at(reader, "solver.mass_lumping",
                               "the method %s needs a lumped mass matrix (mass_lumping 1, not %g)",
                               config_word("solver.method", (int)physics->method), physics->mass_lumping);
    return STATUS_OK;
}

static enum status resolve_initial(struct reader *reader)
{
    const struct config *config = reader->config;
    if (!isnan(config->initial.time) && !config->initial.file)
        return reader_error_at(reader, "initial.time", "needs initial.file");
    if (!isnan(config->initial.time) && !config_starts_from_result(config))
        return reader_error_at(
            reader, "initial.time",
            "selects a frame of a result (.vtkhdf); %.200s is a checkpoint, which holds a single time",
            config->initial.file);
    for (int r = 0; r < config->tissue.regions && config->initial.file; r++) {
        const struct config_region *region = config->tissue.region + r;
        if (region->initial || region->pace)
            reader_warning(reader, config_key("tissue.regions[%d].initial", r).text,
                           "has no effect: initial.file has the states of the whole tissue");
    }
    return STATUS_OK;
}

struct source_way config_way(const struct config *config)
{
    return (struct source_way){config->physics.ionic_mixed, config->physics.ionic_tables,
                               config->physics.splitting == SPLITTING_STAGGERED};
}

bool config_starts_from_result(const struct config *config)
{
    return config->initial.file && path_ends_in(config->initial.file, ".vtkhdf");
}

/* The unit of the model's state or current called name, alone or as "model/name"; NULL = there is none */
static const char *unit_of(const struct ionic_model *model, const char *name, struct suggestion *suggestion)
{
    size_t length = strlen(model->name);
    if (strncmp(name, model->name, length) == 0 && name[length] == '/')
        name += length + 1;
    for (int k = 0; suggestion && k < model->states; k++)
        suggest_try(suggestion, model->state[k].name);
    for (int k = 0; suggestion && k < model->currents; k++)
        suggest_try(suggestion, model->current[k].name);
    int state = ionic_find_value(model->state, model->states, name),
        current = ionic_find_value(model->current, model->currents, name);
    return current >= 0 ? model->current[current].unit : state >= 0 ? model->state[state].unit : NULL;
}

/* Whether two units are equal: "A/F" = "uA/uF", "" = "1"; texts that are not units are compared as words */
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

/* physics.maps <- what output.maps requires */
static enum status resolve_maps(struct reader *reader)
{
    struct config *config = reader->config;
    for (int i = 0; i < config->output.maps; i++) {
        const char *name = config->output.map[i];
        struct suggestion suggestion = suggest_for(name);
        struct maps_map map;
        if (!maps_find(&map, name, &suggestion))
            return reader_error_at(reader, "output.maps",
                                   "'%.80s' is not a map%s; `cardiac keys maps` lists them", name,
                                   suggest_hint(&suggestion));
        if ((map.kind == MAPS_CYCLE_LENGTH || map.kind == MAPS_DIASTOLIC_INTERVAL) &&
            config->physics.activation_beats == 1)
            reader_warning(reader, "output.maps", "%s has no values: activation.beats is 1", name);
        if (!maps_keep(&config->physics.maps, &map))
            return reader_error_at(reader, "output.maps",
                                   "'%s' is repolarization level number %d; at most %d are supported", name,
                                   PARAMS_PERCENTS + 1, PARAMS_PERCENTS);
    }
    return STATUS_OK;
}

void config_thresholds(double thresholds[2], const struct config *config, int r, double own)
{
    const struct monodomain_params *physics = &config->physics;
    thresholds[0] = isnan(physics->activation_threshold) ? own : physics->activation_threshold;
    thresholds[1] = isnan(physics->activation_rearm)
                        ? params_rearm(thresholds[0], config->tissue.region[r].model->v_initial)
                        : fmin(thresholds[0], physics->activation_rearm);
}

static enum status check_rearm(struct reader *reader)
{
    const struct monodomain_params *physics = &reader->config->physics;
    if (physics->activation_rearm > physics->activation_threshold)
        return reader_error_at(reader, "activation.rearm", "%g mV is above activation.threshold (%g mV)",
                               physics->activation_rearm, physics->activation_threshold);
    return STATUS_OK;
}

/* Warns about an activation threshold that V does not cross. */
static void doubt_threshold(struct reader *reader)
{
    const struct config_tissue *tissue = &reader->config->tissue;
    const double threshold = reader->config->physics.activation_threshold, highest = 50;
    if (threshold > highest && threshold <= 200) /* beyond: a wrong unit, reported by plausible.c */
        reader_doubt(reader, "activation.threshold", "is %g mV; action potentials peak at 0 to %g mV",
                     threshold, highest);
    for (int r = 0; r < tissue->regions; r++)
        if (tissue->region[r].model && threshold <= tissue->region[r].model->v_initial) {
            reader_doubt(reader, "activation.threshold",
                         "is %g mV, but cells of %s rest at %g mV: V never rises through it", threshold,
                         tissue->region[r].model->name, tissue->region[r].model->v_initial);
            return;
        }
}

static enum status resolve_activation(struct reader *reader)
{
    doubt_threshold(reader);
    return STATUS_OK;
}

/* Checks that some model has the field, and that all models with it agree on its unit. */
static enum status resolve_field(struct reader *reader, const char *name)
{
    const struct config_tissue *tissue = &reader->config->tissue;
    const struct ionic_model *first = NULL;
    struct suggestion suggestion = suggest_for(name);
    static const char *const usual[][2] = {{"Vm", "V"}, {"u", "V"}, {"voltage", "V"}, {"potential", "V"}};
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
    suggest_usual(&suggestion, usual, sizeof usual / sizeof *usual);
    return first ? STATUS_OK
                 : reader_error_at(reader, "output.fields",
                                   "'%.80s' is neither V nor a state or current of a model in use%s", name,
                                   suggest_hint(&suggestion));
}

static enum status resolve_output(struct reader *reader)
{
    const struct config_output *output = &reader->config->output;
    for (int i = 0; i < output->fields; i++)
        if (strcmp(output->field[i], "V") != 0)
            TRY(resolve_field(reader, output->field[i]));
    return STATUS_OK;
}

static enum status resolve_stop(struct reader *reader)
{
    const struct config *config = reader->config;
    const struct config_output *output = &config->output;
    struct suggestion suggestion = suggest_for(config->stop.probe ? config->stop.probe : "");
    bool found = !config->stop.probe;
    for (int p = 0; p < output->probes && !found; p++)
        found = suggest_try(&suggestion, output->probe[p].name);
    if (!found)
        return reader_error_at(reader, "stop_when", "'%.80s' is not among output.probes%s",
                               config->stop.probe, suggest_hint(&suggestion));
    if (config->stop.beats > config->physics.activation_beats)
        return reader_error_at(reader, "stop_when", "%lld beats, but activation.beats records %lld",
                               (long long)config->stop.beats, (long long)config->physics.activation_beats);
    return STATUS_OK;
}

static enum status resolve_induction(struct reader *reader)
{
    const struct config_induction *induction = &reader->config->induction;
    if (induction->where && (induction->sites > 0 || induction->segments))
        return reader_error_at(reader, "induction.where", "cannot be combined with induction.sites");
    if (!isnan(induction->spacing) && !induction->where)
        return reader_error_at(reader, "induction.spacing",
                               "needs induction.where, the nodes among which "
                               "sites are chosen");
    if (induction->to > induction->from)
        return reader_error_at(reader, "induction.to",
                               "%g ms is longer than induction.from (%g ms), and intervals fall from there",
                               induction->to, induction->from);
    if ((induction->from - induction->to) / induction->by > 1000)
        return reader_error_at(reader, "induction.by", "gives more than 1000 intervals");
    for (int k = 1; k < induction->lesions; k++)
        for (int j = 0; j < k; j++)
            if (strcmp(induction->lesion[j].name, induction->lesion[k].name) == 0)
                return reader_error_at(reader, "induction.lesions", "'%.80s' is the name of two lesions",
                                       induction->lesion[k].name);
    return STATUS_OK;
}

static enum status check_file(struct reader *reader, const char *key, const char *path)
{
    return !path || access(path, R_OK) == 0 ? STATUS_OK
                                            : reader_error_at(reader, key, "%s: %s", path, strerror(errno));
}

/* Refuses a key that is used only with a target if there is no target. used: the key differs from its default,
 * which a printed config contains */
static enum status check_use(struct reader *reader, const char *key, bool used, const char *target)
{
    return !used || reader_given(reader, target)
               ? STATUS_OK
               : reader_error_at(reader, key, "needs %s, whose measured values it describes", target);
}

static enum status resolve_targets(struct reader *reader)
{
    enum status status = STATUS_OK;
    const struct config_fit *fit = &reader->config->fit;
    FAULTS_TRY(check_use(reader, "ecg.noise", fit->leads_noise > 0, "ecg.target"));
    FAULTS_TRY(check_use(reader, "ecg.lag", fit->leads_lag != SOLVED_NONE, "ecg.target"));
    FAULTS_TRY(check_use(reader, "ecg.gain", fit->leads_gain != SOLVED_NONE, "ecg.target"));
    FAULTS_TRY(check_use(reader, "activation.noise", fit->activation_noise > 0, "activation.target"));
    FAULTS_TRY(check_use(reader, "activation.lag", fit->activation_lag != SOLVED_NONE, "activation.target"));
    if (fit->leads && reader->config->ecg.electrodes == 0)
        return reader_error_at(reader, "ecg.target", "needs ecg.electrodes, from which leads are computed");
    FAULTS_TRY(check_file(reader, "ecg.target", fit->leads));
    FAULTS_TRY(check_file(reader, "activation.target", fit->activation));
    return status;
}

/* Whether no model has states, so that there is nothing to stagger and only V would be extrapolated */
static bool is_passive(const struct config *config)
{
    bool passive = config->tissue.regions > 0;
    for (int r = 0; r < config->tissue.regions; r++) {
        const struct ionic_model *model = config->tissue.region[r].model;
        passive = passive && model && model->states == 0;
    }
    return passive;
}

/* Each part runs only if the sections that it reads have no fault so far. */
enum status config_resolve(struct reader *reader)
{
    static const struct {
        const char *section[4];
        enum status (*resolve)(struct reader *reader);
    } parts[] = {{{"mesh"}, resolve_mesh},
                 {{"time"}, resolve_times},
                 {{"tissue"}, resolve_tissue},
                 {{"stimuli"}, resolve_stimuli},
                 {{"solver"}, resolve_solver},
                 {{"time", "solver", "tissue", "ionic"}, resolve_ionic},
                 {{"activation"}, resolve_activation},
                 {{"activation", "output"}, resolve_maps},
                 {{"tissue", "activation"}, check_rearm},
                 {{"tissue", "output"}, resolve_output},
                 {{"activation", "output", "stop_when"}, resolve_stop},
                 {{"ecg"}, resolve_ecg},
                 {{"ecg", "activation"}, resolve_targets},
                 {{"initial"}, resolve_initial},
                 {{"induction"}, resolve_induction}};
    struct monodomain_params *physics = &reader->config->physics;
    enum status status = STATUS_OK;
    if (is_passive(reader->config) && !reader_given(reader, "solver.splitting"))
        physics->splitting = SPLITTING_GODUNOV;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        bool sound = true;
        for (int k = 0; k < 4 && parts[p].section[k]; k++)
            sound = sound && reader_sound(reader, parts[p].section[k]);
        if (sound)
            FAULTS_TRY(parts[p].resolve(reader));
    }
    if (!status && !reader->faults.count) {
        resolve_plausible(reader);
        resolve_intervals(reader);
        warn_idle(reader);
    }
    return status;
}
