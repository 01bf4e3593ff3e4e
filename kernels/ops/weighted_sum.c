/* weighted_sum.c: weighted sums on the CPU, a range of nodes per thread. */
#include "kernels/ops/weighted_sum.h"

enum { LANES = WEIGHTED_SUM_LANES };

static double sum_lanes(double *lane)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] += lane[k + half];
    return lane[0];
}

/* The sum over nodes `begin` .. `end` - 1 */
static double sum_share(const struct weighted_sum *sums, const double *weight, int64_t begin, int64_t end)
{
    double lane[LANES] = {0};
    for (int64_t i = begin; i < end; i++)
        lane[(i - begin) % LANES] += weight[i] * sums->v[sums->row[i]];
    return sum_lanes(lane);
}

void weighted_sum_cpu(struct queue *queue, const struct weighted_sum *sums)
{
    int64_t nodes = sums->nodes, shares = weighted_sum_shares(nodes), all = shares * sums->count;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t k = 0; k < all; k++) {
        int64_t begin = k % shares * WEIGHTED_SUM_SHARE, end = begin + WEIGHTED_SUM_SHARE;
        sums->share[k] = sum_share(sums, sums->weight + k / shares * nodes, begin, end < nodes ? end : nodes);
    }
    for (int l = 0; l < sums->count; l++) {
        double lane[LANES] = {0};
        for (int64_t k = 0; k < shares; k++)
            lane[k % LANES] += sums->share[l * shares + k];
        sums->sum[l] = sum_lanes(lane);
    }
}
