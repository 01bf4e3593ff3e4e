/* fields.c: read quantities by name. */
#include "app/run/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/model_json.h"
#include "kernels/base/suggest.h"
#include "kernels/base/array.h"

/* The part of a name after "model/", or the name itself without one; NULL if it names another model */
static const char *name_within(const struct ionic_model *model, const char *name)
{
    const char *slash = strchr(name, '/');
    if (!slash)
        return name;
    size_t length = (size_t)(slash - name);
    return strncmp(model->name, name, length) == 0 && model->name[length] == 0 ? slash + 1 : NULL;
}

/* The unit of a state or current that some model has; NULL = none has it */
static const char *unit_of(const struct monodomain *sim, const char *name, struct suggestion *suggestion)
{
    for (int m = 0; m < monodomain_models(sim); m++) {
        const struct ionic_model *model = monodomain_model(sim, m);
        const char *own = name_within(model, name);
        int state = ionic_find_value(model->state, model->states, own);
        int current = ionic_find_value(model->current, model->currents, own);
        if (state >= 0)
            return model_unit(model->state[state].unit);
        if (current >= 0)
            return model_unit(model->current[current].unit);
        for (int k = 0; k < model->states; k++)
            suggest_try(suggestion, model->state[k].name);
        for (int k = 0; k < model->currents; k++)
            suggest_try(suggestion, model->current[k].name);
    }
    return NULL;
}

/* Index of the tissue's variable "<model>/<state>" */
static int variable_of(const struct monodomain *sim, const struct ionic_model *model, const char *state)
{
    char name[64];
    snprintf(name, sizeof name, "%s/%s", model->name, state);
    return monodomain_find(sim, name);
}

/* quantity[] <- the quantities that form the field of that name; returns their number */
static int list_quantities(const struct monodomain *sim, const char *name, struct snapshot_quantity *quantity)
{
    int count = 0;
    if (strcmp(name, "V") == 0)
        quantity[count++] = (struct snapshot_quantity){.variable = 0};
    for (int m = 0; m < monodomain_models(sim) && strcmp(name, "V") != 0; m++) {
        const struct ionic_model *model = monodomain_model(sim, m);
        const char *own = name_within(model, name);
        int current = ionic_find_value(model->current, model->currents, own);
        if (ionic_find_value(model->state, model->states, own) >= 0) {
            quantity[count++] = (struct snapshot_quantity){.variable = variable_of(sim, model, own)};
        } else if (current >= 0) {
            quantity[count++] = (struct snapshot_quantity){-1, m, current};
        }
    }
    return count;
}

enum status fields_find(const struct monodomain *sim, const char *name, struct snapshot_quantity *quantity,
                        int *count, const char **unit, struct error *error)
{
    const char *slash = strchr(name, '/');
    struct suggestion suggestion = suggest_for(slash ? slash + 1 : name);
    *unit = strcmp(name, "V") == 0 ? "mV" : unit_of(sim, name, &suggestion);
    *count = list_quantities(sim, name, quantity);
    return *unit ? STATUS_OK
                 : error_set(error, STATUS_INPUT,
                             "'%.80s' is neither V nor a state or current of a model in the tissue%s", name,
                             suggest_hint(&suggestion));
}

/* Appends a field and allocates its values. */
static enum status add_field(struct fields *fields, const struct monodomain *sim, const char *name,
                             struct snapshot_quantity *quantity, struct error *error)
{
    int k = fields->count, first = k > 0 ? fields->field[k - 1].end : 0, count;
    const char *unit;
    TRY(fields_find(sim, name, quantity + first, &count, &unit, error));
    enum status status = STATUS_OK;
    fields->value[k] = array_new(fields->nodes, sizeof **fields->value, "a field", &status, error);
    if (status)
        return status;
    fields->count = k + 1;
    fields->field[k] = (struct field){name, unit, first, first + count};
    return STATUS_OK;
}

enum status fields_create(struct fields *fields, struct monodomain *sim, const char **name, int count,
                          const int64_t *node, int64_t probes, struct error *error)
{
    memset(fields, 0, sizeof *fields);
    fields->nodes = monodomain_held(sim);
    fields->sim = sim;
    int64_t most = (int64_t)count * (monodomain_models(sim) + 1);
    enum status status = STATUS_OK;
    fields->field = array_zeroed(count, sizeof *fields->field, "the fields", &status, error);
    fields->value = array_zeroed(count, sizeof *fields->value, "the fields", &status, error);
    fields->at_probe = array_new(probes, sizeof *fields->at_probe, "the probes", &status, error);
    fields->probes = probes;
    struct snapshot_quantity *quantity = array_zeroed(most, sizeof *quantity, "the fields", &status, error);
    if (status)
        goto done;
    for (int k = 0; k < count; k++)
        TRY_DONE(add_field(fields, sim, name[k], quantity, error));
    for (int k = 0; k < count; k++)
        *(strcmp(name[k], "V") == 0 ? &fields->voltage : &fields->states) = true;
    const int all = count > 0 ? fields->field[count - 1].end : 0;
    TRY_DONE(snapshot_create(&fields->snapshot, sim, quantity, all, READBACK_SLOTS, error));
    status = snapshot_create_at(&fields->few, sim, quantity, all, node, probes, READBACK_MOST, error);
done:
    free(quantity);
    return status;
}

void fields_free(struct fields *fields)
{
    snapshot_free(fields->snapshot);
    snapshot_free(fields->few);
    free(fields->at_probe);
    for (int k = 0; k < fields->count; k++)
        free(fields->value[k]);
    free(fields->field);
    free(fields->value);
    memset(fields, 0, sizeof *fields);
}

enum status fields_take(struct fields *fields, int whole, int few, struct error *error)
{
    if (fields->states)
        TRY(monodomain_show(fields->sim, error));
    enum status status = whole < 0 ? STATUS_OK : snapshot_take(fields->snapshot, whole, error);
    if (!status)
        status = snapshot_take(fields->few, few, error);
    if (fields->states)
        monodomain_hide(fields->sim);
    return status;
}

enum status fields_arrive(struct fields *fields, int whole, int few, struct error *error)
{
    if (whole >= 0)
        TRY(snapshot_arrive(fields->snapshot, whole, error));
    return snapshot_arrive(fields->few, few, error);
}

void fields_gather_row(struct fields *fields, int few, double *row)
{
    for (int f = 0; f < fields->count; f++) {
        snapshot_read_at(fields->few, few, fields->field[f].first, fields->field[f].end, fields->at_probe);
        for (int64_t p = 0; p < fields->probes; p++)
            row[p * fields->count + f] = fields->at_probe[p];
    }
}

double fields_largest(const struct fields *fields, int few, int64_t *node)
{
    const double most = snapshot_largest(fields->few, few, node);
    return fields->voltage ? most : (double)NAN;
}

void fields_gather(struct fields *fields, int whole)
{
    for (int k = 0; k < fields->count; k++) {
        const struct field *field = fields->field + k;
        double *value = fields->value[k];
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < fields->nodes; i++)
            value[i] = (double)NAN;
        for (int q = field->first; q < field->end; q++)
            snapshot_read(fields->snapshot, whole, q, value);
        snapshot_collect(fields->snapshot, 1, value);
    }
}
