/* test_weighted_sum.c: the sums have the bits of a plain loop over lanes, for any order of the rows and
 * number of threads, and the right value. */
#include "kernels/ops/weighted_sum.h"
#include "tests/support/case.h"

enum { COUNT = 3, MOST = 3 * WEIGHTED_SUM_SHARE + 77 };

/* By halves, from the outside in: lane k takes lane k + half */
static double halves(const double *term, int64_t terms)
{
    double lane[WEIGHTED_SUM_LANES] = {0};
    for (int64_t k = 0; k < terms; k++)
        lane[k % WEIGHTED_SUM_LANES] += term[k];
    for (int half = WEIGHTED_SUM_LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++)
            lane[k] = lane[k] + lane[k + half];
    return lane[0];
}

static void *upload(struct queue *queue, const void *host, size_t bytes)
{
    struct error error = {0};
    void *device = queue->backend->alloc(queue, bytes);
    CHECK(device, "no memory");
    CHECK_OK(device_upload(queue, device, host, bytes, &error), error);
    return device;
}

static void test_sums(const struct backend *backend, int threads, int64_t nodes, int64_t stride)
{
    static double weight[COUNT * MOST], v[MOST], term[MOST], packed[MOST];
    static int32_t row[MOST];
    struct error error = {0};
    struct queue *queue = test_queue(backend, threads);
    double zero[COUNT * 8] = {0}, got[COUNT + 1], share[8];
    int64_t shares = weighted_sum_shares(nodes);
    for (int64_t i = 0; i < nodes; i++) {
        row[i] = (int32_t)(i * stride % nodes);
        v[i] = -80 + 100 * bits_random((uint64_t)i);
        packed[row[i]] = v[i];
        for (int l = 0; l < COUNT; l++)
            weight[l * nodes + i] = l - 1 + bits_random((uint64_t)(i * COUNT + l));
    }
    struct weighted_sum sums = {nodes,
                                COUNT,
                                upload(queue, weight, (size_t)(COUNT * nodes) * 8),
                                upload(queue, row, (size_t)nodes * 4),
                                upload(queue, packed, (size_t)nodes * 8),
                                upload(queue, zero, (size_t)(COUNT * shares) * 8),
                                upload(queue, (const double[COUNT + 1]){[COUNT] = -1}, sizeof got)};
    queue->backend->weighted_sum(queue, &sums);
    CHECK_OK(device_download(queue, got, sums.sum, sizeof got, &error), error);
    for (int l = 0; l < COUNT; l++) {
        double plain = 0, size = 0;
        for (int64_t i = 0; i < nodes; i++) {
            term[i] = weight[l * nodes + i] * v[i];
            plain += term[i];
            size += fabs(term[i]);
        }
        for (int64_t k = 0; k < shares; k++)
            share[k] = halves(term + k * WEIGHTED_SUM_SHARE,
                              k < shares - 1 ? WEIGHTED_SUM_SHARE : nodes - k * WEIGHTED_SUM_SHARE);
        double want = halves(share, shares);
        CHECK(got[l] == want, "%lld nodes, sum %d: %.17g, want %.17g", (long long)nodes, l, got[l], want);
        CHECK_CLOSE(got[l], plain, 1e-13 * size);
    }
    CHECK(got[COUNT] == -1, "%g behind the sums", got[COUNT]);
    device_release(queue, (void *)(uintptr_t)sums.weight);
    device_release(queue, (void *)(uintptr_t)sums.row);
    device_release(queue, (void *)(uintptr_t)sums.v);
    device_release(queue, sums.share);
    device_release(queue, sums.sum);
    queue_free(queue);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    const int64_t sizes[] = {1, 100, WEIGHTED_SUM_LANES, WEIGHTED_SUM_SHARE, WEIGHTED_SUM_SHARE + 1, MOST};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int threads = 1; threads <= 3; threads++)
            test_sums(backend, threads, sizes[k], threads == 1 ? 1 : 997);
    printf("%d sums of up to %d nodes\n", COUNT, MOST);
    return 0;
}
