/* leads.c: the weights stay on the device, the sums come back. */
#include "solver/leads.h"

#include "kernels/base/array.h"
#include "kernels/ops/weighted_sum.h"
#include "solver/monodomain_internal.h"

#include <stdlib.h>

struct leads {
    struct monodomain *sim;
    struct weighted_sum sums;
    double *weight; /* as in sums, to be filled */
    int32_t *row;
};

enum status leads_create(struct leads **out, struct monodomain *sim, const double *weight, int count,
                         struct error *error)
{
    static const char what[] = "the leads";
    struct queue *queue = sim->queue;
    enum status status = STATUS_OK;
    int64_t nodes = sim->layout.nodes, shares = weighted_sum_shares(nodes);
    struct leads *leads = array_zeroed(1, sizeof *leads, what, &status, error);
    *out = NULL;
    if (status)
        return status;
    leads->sim = sim;
    leads->weight = device_array(queue, count * nodes, sizeof *leads->weight, what, &status, error);
    leads->row = device_array(queue, nodes, sizeof *leads->row, what, &status, error);
    leads->sums = (struct weighted_sum){.nodes = nodes,
                                        .count = count,
                                        .weight = leads->weight,
                                        .row = leads->row,
                                        .share = device_array(queue, count * shares, 8, what, &status, error),
                                        .sum = device_array(queue, count, 8, what, &status, error)};
    TRY(device_upload(queue, leads->weight, weight, (size_t)(count * nodes) * sizeof *weight, error));
    TRY(device_upload(queue, leads->row, sim->layout.row, (size_t)nodes * sizeof *leads->row, error));
    if (status)
        leads_free(leads);
    else
        *out = leads;
    return status;
}

void leads_free(struct leads *leads)
{
    if (!leads)
        return;
    struct queue *queue = leads->sim->queue;
    device_release(queue, leads->weight);
    device_release(queue, leads->row);
    device_release(queue, leads->sums.share);
    device_release(queue, leads->sums.sum);
    free(leads);
}

double leads_bytes(double nodes, int count)
{
    return count > 0 ? nodes * (8 * count + 4) + 8 * count * (nodes / WEIGHTED_SUM_SHARE + 2) : 0;
}

enum status leads_read(struct leads *leads, double *value, struct error *error)
{
    struct queue *queue = leads->sim->queue;
    leads->sums.v = leads->sim->vectors.v;
    queue->backend->weighted_sum(queue, &leads->sums);
    return device_download(queue, value, leads->sums.sum, (size_t)leads->sums.count * sizeof *value, error);
}
