/* leads.c: weighted sums, with the weights on the device. With several ranks, rank 0 collects V and sums
 * in the same order. */
#include "solver/step/leads.h"

#include "kernels/base/array.h"
#include "kernels/ops/weighted_sum.h"
#include "solver/step/monodomain_internal.h"

#include <stdlib.h>

struct leads {
    struct monodomain *sim;
    struct queue *queue; /* queue of the sums: the tissue's, or with several ranks a CPU queue */
    double *all;         /* [held] V in mesh order with several ranks; else NULL */
    struct weighted_sum sums;
    double *weight; /* as in sums, not const */
    int32_t *row;
    int32_t *mesh_order; /* [nodes] rows of `all` */
};

/* Sums on a CPU queue from V in mesh order */
static enum status use_mesh_order(struct leads *leads, struct error *error)
{
    int64_t nodes = monodomain_held(leads->sim);
    enum status status = STATUS_OK;
    leads->all = array_new(nodes, sizeof *leads->all, "the leads", &status, error);
    leads->mesh_order = array_new(nodes, sizeof *leads->mesh_order, "the leads", &status, error);
    TRY(status);
    for (int64_t i = 0; i < nodes; i++)
        leads->mesh_order[i] = (int32_t)i;
    struct queue *queue = NULL;
    TRY(queue_new(&queue, backend_find("cpu", NULL), 0, error));
    leads->queue = queue;
    return STATUS_OK;
}

enum status leads_create(struct leads **out, struct monodomain *sim, const double *weight, int count,
                         struct error *error)
{
    static const char what[] = "the leads";
    enum status status = STATUS_OK;
    int64_t nodes = sim->layout.nodes, shares = weighted_sum_shares(nodes);
    struct leads *leads = array_zeroed(1, sizeof *leads, what, &status, error);
    *out = NULL;
    TRY(status);
    leads->sim = sim;
    leads->queue = sim->queue;
    if (sim->partition.owner)
        TRY_DONE(use_mesh_order(leads, error));
    struct queue *queue = leads->queue;
    if (sim->partition.comm->rank > 0) {
        *out = leads;
        return STATUS_OK;
    }
    leads->weight = device_array(queue, count * nodes, sizeof *leads->weight, what, &status, error);
    leads->row = device_array(queue, nodes, sizeof *leads->row, what, &status, error);
    leads->sums = (struct weighted_sum){.nodes = nodes,
                                        .count = count,
                                        .weight = leads->weight,
                                        .row = leads->row,
                                        .share = device_array(queue, count * shares, 8, what, &status, error),
                                        .sum = device_array(queue, count, 8, what, &status, error)};
    TRY_DONE(status);
    TRY_DONE(device_upload(queue, leads->weight, weight, (size_t)(count * nodes) * sizeof *weight, error));
    TRY_DONE(device_upload(queue, leads->row, leads->all ? leads->mesh_order : sim->layout.row,
                           (size_t)nodes * sizeof *leads->row, error));
    *out = leads;
    return STATUS_OK;
done:
    leads_free(leads);
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
    if (leads->all)
        TRY(monodomain_voltage(leads->sim, leads->all, error));
    if (leads->sim->partition.comm->rank > 0)
        return STATUS_OK;
    queue->backend->weighted_sum(queue, &leads->sums);
    return device_download(queue, value, leads->sums.sum, (size_t)leads->sums.count * sizeof *value, error);
}

enum status leads_weights(const struct leads *leads, double *weight, struct error *error)
{
    const size_t bytes = (size_t)(leads->sums.count * leads->sums.nodes) * sizeof *weight;
    return device_download(leads->queue, weight, leads->weight, bytes, error);
}
