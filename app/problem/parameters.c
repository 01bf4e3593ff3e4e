/* parameters.c: evaluate and check model parameters that expressions give at nodes. */
#include "app/problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/model.h"
#include "kernels/base/array.h"

struct range {
    double low, high;
};

static struct range range_of(const double *value, int64_t nodes)
{
    double low = INFINITY, high = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (int64_t i = 0; i < nodes; i++)
        if (!isnan(value[i])) {
            low = fmin(low, value[i]);
            high = fmax(high, value[i]);
        }
    return (struct range){low, high};
}

/* Checks value[] at the nodes of region r like a value of the parameter, applies a factor, and sets NaN elsewhere. */
static enum status check_field(double *value, const struct config_field *field,
                               const struct ionic_value *parameter, const int32_t *region, int r,
                               int64_t nodes, struct error *error)
{
    const double factor = field->factor ? parameter->value : 1;
    int64_t wrong = nodes;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (int64_t i = 0; i < nodes; i++)
        if (region[i] == r && i < wrong &&
            (!isfinite(factor * value[i]) || !model_allows_parameter(parameter, factor * value[i])))
            wrong = i;
    if (wrong < nodes)
        return error_set(error, STATUS_INPUT, "%s: '%.80s' gives %g at node %lld", parameter->name,
                         field->values->text, value[wrong], (long long)wrong);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < nodes; i++)
        value[i] = region[i] == r ? factor * value[i] : NAN;
    return STATUS_OK;
}

/* problem->region[r].field[] <- the parameters that are fields in region r */
static enum status assign_fields(struct problem *problem, const struct config_region *from,
                                 struct environment *environment, const int32_t *region, int r,
                                 struct error *error)
{
    const int64_t nodes = problem->mesh.nodes;
    enum status status = STATUS_OK;
    struct region_field *field = array_zeroed(from->fields, sizeof *field, "the parameters", &status, error);
    problem->region[r].field = field;
    problem->region[r].fields = status ? 0 : from->fields;
    for (int f = 0; f < from->fields && !status; f++) {
        const struct ionic_value *parameter = &from->model->parameter[from->field[f].parameter];
        struct error inner = {0};
        int at;
        double *value = array_new(nodes, sizeof *value, "the parameters", &status, error);
        field[f] = (struct region_field){from->field[f].parameter, value};
        if (status)
            break;
        status = environment_values(environment, from->field[f].values, LOCATION_NODE, value, &at, &inner);
        if (status)
            error_set(error, status, "%s: %.1000s", parameter->name, inner.text);
        if (!status)
            status = check_field(value, &from->field[f], parameter, region, r, nodes, error);
    }
    return status;
}

enum status parameters_assign(struct problem *problem, const struct config *config,
                              struct environment *environment, struct faults *faults)
{
    const struct mesh *mesh = &problem->mesh;
    enum status status = STATUS_OK;
    int any = 0;
    for (int r = 0; r < config->tissue.regions; r++)
        any += config->tissue.region[r].fields;
    if (!any)
        return STATUS_OK;
    int32_t *region = array_new(mesh->nodes, sizeof *region, "the regions", &status, faults->error);
    if (!status)
        regions_of_nodes(region, problem);
    for (int r = 0; r < config->tissue.regions && (!status || status == STATUS_INPUT); r++) {
        struct error inner = {0};
        if (assign_fields(problem, &config->tissue.region[r], environment, region, r, &inner))
            status = config_fault_found(faults, config, config_key("tissue.regions[%d].parameters", r).text,
                                        &inner);
    }
    free(region);
    return status;
}

double parameters_bytes(const struct problem *problem)
{
    double fields = 0;
    for (int r = 0; r < problem->params.regions; r++)
        fields += problem->region[r].fields;
    return 8 * fields * (double)problem->mesh.nodes;
}

void parameters_free(struct problem *problem)
{
    for (int r = 0; problem->region && r < problem->params.regions; r++) {
        for (int f = 0; problem->region[r].field && f < problem->region[r].fields; f++)
            free((void *)(uintptr_t)problem->region[r].field[f].value);
        free((void *)(uintptr_t)problem->region[r].field);
    }
}

void parameters_describe(FILE *file, const struct problem *problem, const struct config *config, int r)
{
    const struct config_region *from = &config->tissue.region[r];
    for (int f = 0; f < problem->region[r].fields; f++) {
        struct range range = range_of(problem->region[r].field[f].value, problem->mesh.nodes);
        if (range.low <= range.high) /* false if the region has no nodes */
            fprintf(file, ", %s %g .. %g by %s", from->model->parameter[from->field[f].parameter].name,
                    range.low, range.high, from->field[f].values->text);
    }
}
