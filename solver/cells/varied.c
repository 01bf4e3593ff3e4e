/* varied.c: takes the values from the params and computes each cell's constants with the model's own
 * function. */
#include "solver/cells/varied.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/device/queue.h"
#include "solver/matrix/partition.h"
#include "solver/ranks/subdomain.h"

static const char what[] = "parameters of the cells";

/* value[cells] of parameter k <- the region's field, else the region's constant */
static void place_field(double *value, const struct batch *batch, int k, const struct batch_group *group,
                        const int *region, const struct monodomain_params *params,
                        const struct layout *layout)
{
    const struct partition alone = {0},
                           *partition = params->subdomain ? &params->subdomain->partition : &alone;
    for (int64_t i = 0; i < batch->cells; i++) {
        const int64_t node = layout->node[batch->row ? batch->row[i] : i];
        const struct region *own = &params->region[region[batch->group[i]]];
        value[i] = group[batch->group[i]].parameter[k];
        for (int f = 0; f < own->fields && node >= 0; f++)
            if (own->field[f].parameter == k)
                value[i] = own->field[f].value[partition_number(partition, node)];
    }
}

enum status varied_create(struct varied *varied, struct ionic_cells *cells, const struct batch *batch,
                          const struct batch_group *group, const int *region,
                          const struct monodomain_params *params, const struct layout *layout,
                          struct queue *queue, struct error *error)
{
    const struct ionic_model *model = cells->model;
    enum status status = STATUS_OK;
    *varied = (struct varied){0};
    varied->value = array_new(model->varies * batch->cells, sizeof *varied->value, what, &status, error);
    varied->set = array_zeroed(model->varies, sizeof *varied->set, what, &status, error);
    TRY(status);
    for (int k = 0; k < model->varies; k++)
        place_field(varied->value + k * batch->cells, batch, model->varied[k], group, region, params, layout);
    return varied_fill(varied, cells, batch, group, params_cell_step(params), queue, error);
}

void varied_free(struct varied *varied)
{
    free(varied->value);
    free(varied->config);
    free(varied->set);
    *varied = (struct varied){0};
}

enum status varied_fill(const struct varied *varied, struct ionic_cells *cells, const struct batch *batch,
                        const struct batch_group *group, double dt, struct queue *queue, struct error *error)
{
    const struct ionic_model *model = cells->model;
    const int mixed = cells->mixed;
    const size_t size = mixed ? sizeof(float) : sizeof(double);
    const int64_t count = model->own * cells->stride;
    enum status status = STATUS_OK;
    char *own = array_zeroed(count, size, what, &status, error);
    if (!cells->own && !status)
        cells->own = device_array(queue, count, size, what, &status, error);
    TRY_DONE(status);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < batch->cells; i++) {
        _Alignas(64) unsigned char constants[IONIC_CONSTANTS_BYTES];
        double parameter[model->parameters];
        memcpy(parameter, group[batch->group[i]].parameter, sizeof parameter);
        for (int k = 0; k < model->varies; k++)
            parameter[model->varied[k]] = varied->value[k * batch->cells + i];
        model->constants[mixed](constants, parameter, dt);
        model->fill_own[mixed](own, cells->stride, i, constants);
    }
    status = device_upload(queue, (void *)(uintptr_t)cells->own, own, (size_t)count * size, error);
done:
    free(own);
    return status;
}

enum status varied_begin(struct varied *varied, const struct ionic_model *model, int k, int64_t cells,
                         struct error *error)
{
    const int64_t count = model->varies * cells;
    enum status status = STATUS_OK;
    if (!varied->config) {
        varied->config = array_new(count, sizeof *varied->config, what, &status, error);
        TRY(status);
        memcpy(varied->config, varied->value, (size_t)count * sizeof *varied->config);
    }
    varied->set[k] = true;
    return STATUS_OK;
}
