/* leads.c: the weights stay on the device, the sums come back. Of a tissue that several ranks share rank 0
 * adds up all V, in the same order. */
#include "solver/step/leads.h"

#include "kernels/base/array.h"
#include "kernels/ops/weighted_sum.h"
#include "solver/step/monodomain_internal.h"

#include <stdlib.h>

struct leads {
    struct monodomain *sim;
    struct queue *queue; /* of the sums: the tissue's, or a CPU of their own */
    double *all;         /* [held] of V, where several ranks have them; else NULL */
    struct weighted_sum sums;
    double *weight; /* as in sums, to be filled */
    int32_t *row;
    int32_t *mesh_order; /* [nodes] rows of `all` */
};

/* A CPU's queue, and V in mesh order to come */
static enum status gather_first(struct leads *leads, struct error *error)
{
    int64_t nodes = monodomain_held(leads->sim);
    enum status status = STATUS_OK;
    leads->all = array_new(nodes, sizeof *leads->all, "the leads", &status, error);
    leads->mesh_order = array_new(nodes, sizeof *leads->mesh_order, "the leads", &status, error);
    for (int64_t i = 0; i < nodes && !status; i++)
        leads->mesh_order[i] = (int32_t)i;
    struct queue *queue = NULL;
    AND(queue_new(&queue, backend_find("cpu", NULL), 0, error));
    leads->queue = queue ? queue : leads->queue;
    return status;
}

enum status leads_create(struct leads **out, struct monodomain *sim, const double *weight, int count,
                         struct error *error)
{
    static const char what[] = "the leads";
    enum status status = STATUS_OK;
    int64_t nodes = sim->layout.nodes, shares = weighted_sum_shares(nodes);
    struct leads *leads = array_zeroed(1, sizeof *leads, what, &status, error);
    *out = NULL;
    if (status)
        return status;
    leads->sim = sim;
    leads->queue = sim->queue;
    if (sim->partition.owner)
        status = gather_first(leads, error);
    if (status) {
        leads_free(leads);
        return status;
    }
    struct queue *queue = leads->queue;
    *out = leads;
    if (sim->partition.comm->rank > 0)
        return STATUS_OK;
    leads->weight = device_array(queue, count * nodes, sizeof *leads->weight, what, &status, error);
    leads->row = device_array(queue, nodes, sizeof *leads->row, what, &status, error);
    leads->sums = (struct weighted_sum){.nodes = nodes,
                                        .count = count,
                                        .weight = leads->weight,
                                        .row = leads->row,
                                        .share = device_array(queue, count * shares, 8, what, &status, error),
                                        .sum = device_array(queue, count, 8, what, &status, error)};
    AND(device_upload(queue, leads->weight, weight, (size_t)(count * nodes) * sizeof *weight, error));
    AND(device_upload(queue, leads->row, leads->all ? leads->mesh_order : sim->layout.row,
                      (size_t)nodes * sizeof *leads->row, error));
    if (status) {
        leads_free(leads);
        *out = NULL;
    }
    return status;
}

void leads_free(struct leads *leads)
{
    if (!leads)
        return;
    struct queue *queue = leads->queue;
    device_release(queue, leads->weight);
    device_release(queue, leads->row);
    device_release(queue, leads->sums.share);
    device_release(queue, leads->sums.sum);
    if (queue != leads->sim->queue)
        queue_free(queue);
    free(leads->all);
    free(leads->mesh_order);
    free(leads);
}

double leads_bytes(double nodes, int count)
{
    return count > 0 ? nodes * (8 * count + 4) + 8 * count * (nodes / WEIGHTED_SUM_SHARE + 2) : 0;
}

enum status leads_read(struct leads *leads, double *value, struct error *error)
{
    struct queue *queue = leads->queue;
    leads->sums.v = leads->all ? leads->all : leads->sim->vectors.v;
    enum status status = leads->all ? monodomain_voltage(leads->sim, leads->all, error) : STATUS_OK;
    if (status || leads->sim->partition.comm->rank > 0)
        return status;
    queue->backend->weighted_sum(queue, &leads->sums);
    return device_download(queue, value, leads->sums.sum, (size_t)leads->sums.count * sizeof *value, error);
}
