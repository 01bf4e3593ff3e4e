/* halo.cu: ghosts on GPUs: border values are gathered, sent, and stored where they are read.
 *
 * Between GPUs that can address each other's memory each value travels as two flagged stores of 8 bytes, from
 * the GPU that owns it into the exchange buffer of the GPU that reads it (as in NCCL's LL protocol):
 *
 *   halves of a value          | low, number | high, number |
 *
 * A store of 8 bytes is never seen in part, so a half with this exchange's number belongs to it, without
 * further flags. One kernel stores what others need, then waits for what it reads itself. All its blocks run
 * at once, so that none waits for a block that cannot start. Exchanges use two halves of the buffer in turn:
 * a GPU that stores exchange n + 2 has read n + 1 from a GPU that had read n. */
#include "kernels/device/cuda.cuh"

#include <stdlib.h>

extern "C" {
#include "kernels/base/array.h"
#include "kernels/base/bits.h"
#include "kernels/device/cuda_device.h"
#include "kernels/device/exchange_buffer.h"
#include "kernels/ops/convergence.h"
#include "kernels/ops/halo.h"
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    gather_border(int64_t border, const int32_t *row, const double *x, double *out)
{
    int64_t k = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    int32_t at = k < border ? row[k] : 0;
    pdl_wait();
    if (k < border)
        out[k] = x[at];
}

static __global__ void __launch_bounds__(BLOCK_THREADS) round_rows(int64_t rows, const double *x, float *x32)
{
    int64_t k = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    pdl_wait();
    if (k < rows)
        x32[k] = (float)x[k];
}

/* Records an NCCL error for the next wait; the next kernel waits until NCCL's kernels are complete. */
static void note(struct queue *queue, const char *failure)
{
    if (failure)
        queue_note(queue, cudaErrorUnknown, failure);
    cuda(queue)->last = NULL;
}

static void exchange_by_nccl(struct queue *queue, const struct halo *halo, double *x, float *x32, bool rounds)
{
    int64_t first = rounds ? 0 : halo->rows, end = halo->rows + halo->ghosts;
    if (halo->links > 0) {
        launch_kernel(queue, gather_border, blocks_for(halo->border, BLOCK_THREADS), BLOCK_THREADS,
                      halo->border, halo->row, x, halo->out);
        note(queue, halo->comm->engine->device_exchange(halo->comm, cuda(queue)->stream, halo->link,
                                                        halo->links, halo->out, x + halo->rows));
    }
    if (x32 && end > first)
        launch_kernel(queue, round_rows, blocks_for(end - first, BLOCK_THREADS), BLOCK_THREADS, end - first,
                      x + first, x32 + first);
}

struct flagged {
    uint64_t low, high; /* half of a value << 32 | sequence number of the exchange */
};

enum { MAXIMA = 2 };

/* What a GPU needs for the flagged stores of its rank. An exchange buffer holds the maxima of two
 * exchanges, used in turn, [2][ranks][MAXIMA], then the ghosts of two, [2][room]. */
struct route {
    int64_t border, ghosts, room;
    const int32_t *row;           /* [border] as in struct halo */
    struct flagged **destination; /* [border] destination of each value, in the first of the two halves */
    struct flagged **of;          /* [ranks] their exchange buffers */
    const struct flagged *own;    /* this rank's exchange buffer */
    uint32_t *number; /* [blocks + 1] sequence number of the last exchange, which each block counts itself;
                         and of the last maximum */
    uint32_t *lost;   /* host: 1 if the values of a rank have not arrived */
    int rank, ranks;
    int blocks; /* blocks that store and wait, the first ones of the kernel, all running at the same time */
};

struct halo_stores {
    struct exchange_buffer buffer;
    struct route route;
};

/* Time after which another rank is considered lost: much longer than a file system may delay it, because
 * the launcher, not a kernel, notices a rank that has ended. */
static __device__ const uint64_t patience = UINT64_C(600000000000); /* ns */

static __device__ __forceinline__ void post(struct flagged *to, uint64_t bits, uint32_t number)
{
    uint64_t low = bits << 32 | number, high = bits >> 32 << 32 | number;
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(low), "l"(high) : "memory");
}

static __device__ __forceinline__ bool has_come(const struct flagged *from, uint32_t number, uint64_t *bits)
{
    uint64_t low, high;
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(low), "=l"(high)
                 : "l"(from)
                 : "memory");
    *bits = high >> 32 << 32 | low >> 32;
    return (uint32_t)low == number && (uint32_t)high == number;
}

static __device__ __forceinline__ uint64_t nanoseconds(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __device__ uint64_t wait_for(const struct flagged *from, uint32_t number, uint32_t *lost)
{
    uint64_t bits, since = 0;
    for (uint32_t tries = 1; !has_come(from, number, &bits); tries++) {
        if (tries % 4096)
            continue;
        since = since ? since : nanoseconds();
        if (nanoseconds() - since > patience) {
            *lost = 1;
            __threadfence_system();
            __trap();
        }
    }
    return bits;
}

/* Two numbers of 8 bytes or of 4 */
struct maxima {
    void *value; /* NULL: not needed */
    int bytes;
};

static __device__ __forceinline__ uint64_t maximum_of(const struct maxima &maxima, int k)
{
    return maxima.bytes == 8 ? ((const uint64_t *)maxima.value)[k] : ((const uint32_t *)maxima.value)[k];
}

/* value[k] <- the maximum over all ranks; must be called by all threads of one block */
static __device__ __forceinline__ void share_maxima(const struct route &route, const struct maxima &maxima,
                                                    uint32_t *counter)
{
    uint32_t number = *counter + 1;
    int half_offset = (int)(number % 2) * route.ranks * MAXIMA, own = threadIdx.x;
    for (int t = threadIdx.x; t < route.ranks * MAXIMA; t += BLOCK_THREADS)
        if (t / MAXIMA != route.rank)
            post(route.of[t / MAXIMA] + half_offset + route.rank * MAXIMA + t % MAXIMA,
                 maximum_of(maxima, t % MAXIMA), number);
    __syncthreads();
    if (own < MAXIMA) {
        uint64_t most = maximum_of(maxima, own);
        for (int r = 0; r < route.ranks; r++) {
            if (r == route.rank)
                continue;
            uint64_t other = wait_for(route.own + half_offset + r * MAXIMA + own, number, route.lost);
            most = other > most ? other : most;
        }
        if (maxima.bytes == 8)
            ((uint64_t *)maxima.value)[own] = most;
        else
            ((uint32_t *)maxima.value)[own] = (uint32_t)most;
    }
    if (threadIdx.x == 0)
        *counter = number;
}

/* The other blocks meanwhile round this rank's own rows. */
static __global__ void __launch_bounds__(BLOCK_THREADS)
    exchange_flagged(const struct route route, double *x, float *x32, int64_t rows,
                     const struct convergence_gate gate, const struct maxima maxima)
{
    int64_t first = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x,
            all = (int64_t)route.blocks * BLOCK_THREADS;
    bool stores = blockIdx.x < route.blocks, posts = stores && first < route.border;
    int64_t row = posts ? route.row[first] : stores ? 0 : first - all;
    struct flagged *destination = posts ? route.destination[first] : NULL;
    pdl_wait();
    uint32_t number =
        stores ? route.number[blockIdx.x] + 1 : 0; /* loaded at the same time as the gate, not after it */
    double value = row < rows ? x[row] : 0;
    if (!convergence_open(&gate))
        return;
    if (!stores) {
        if (row < rows)
            x32[row] = (float)value;
        return;
    }
    int64_t half_offset = number % 2 * route.room;
    if (posts)
        post(destination + half_offset, bits_of(value), number);
    for (int64_t k = first + all; k < route.border; k += all)
        post(route.destination[k] + half_offset, bits_of(x[route.row[k]]), number);
    if (maxima.value && blockIdx.x == 0)
        share_maxima(route, maxima, route.number + route.blocks);
    const struct flagged *ghost = route.own + 2 * MAXIMA * route.ranks + half_offset;
    for (int64_t k = first; k < route.ghosts; k += all) {
        value = bits_to_real(wait_for(ghost + k, number, route.lost));
        x[rows + k] = value;
        if (x32)
            x32[rows + k] = (float)value;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        route.number[blockIdx.x] = number;
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    largest_flagged(const struct route route, const struct maxima maxima, uint32_t *counter)
{
    pdl_wait();
    share_maxima(route, maxima, counter);
}

extern "C" void halo_exchange_along_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32,
                                         const struct halo_along *along)
{
    if (!halo)
        return;
    struct maxima maxima = {along->largest, 8};
    if (halo->stores) {
        const struct route *route = &halo->stores->route;
        unsigned rounding = along->rounds ? blocks_for(halo->rows, BLOCK_THREADS) : 0;
        launch_kernel(queue, exchange_flagged, (unsigned)route->blocks + rounding, BLOCK_THREADS, *route, x,
                      x32, halo->rows, along->gate ? *along->gate : convergence_gate{}, maxima);
        return;
    }
    if (along->largest)
        halo_largest_cuda(queue, halo, along->largest, sizeof *along->largest);
    exchange_by_nccl(queue, halo, x, x32, along->rounds);
}

extern "C" void halo_exchange_cuda(struct queue *queue, const struct halo *halo, double *x, float *x32)
{
    const struct halo_along nothing = {};
    halo_exchange_along_cuda(queue, halo, x, x32, &nothing);
}

extern "C" void halo_largest_cuda(struct queue *queue, const struct halo *halo, void *value, size_t size)
{
    if (!halo)
        return;
    struct maxima maxima = {value, (int)size};
    if (halo->stores)
        launch_kernel(queue, largest_flagged, 1, BLOCK_THREADS, halo->stores->route, maxima,
                      halo->stores->route.number + halo->stores->route.blocks);
    else
        note(queue, halo->comm->engine->device_largest(halo->comm, cuda(queue)->stream, value, MAXIMA, size));
}

extern "C" bool halo_is_last(struct queue *queue)
{
    return cuda(queue)->last == (const void *)exchange_flagged ||
           cuda(queue)->last == (const void *)largest_flagged;
}

/* destination[border] <- where the values go: in each rank's buffer, after the values of lower ranks;
 * begin[ranks]: workspace */
static void find_destinations(const struct halo *halo, const struct exchange_buffer *buffer,
                              struct flagged **destination, int64_t *begin)
{
    const struct comm *comm = halo->comm;
    const struct comm_link *link = halo->link, *end = link + halo->links;
    for (int r = 0; r < comm->size; r++) {
        int64_t ghosts = 0;
        for (int k = 0; k < halo->links && r == comm->rank; k++) {
            begin[halo->link[k].rank] = ghosts;
            ghosts += halo->link[k].received;
        }
        comm->engine->broadcast(comm, COMM_STEPS, r, begin, (size_t)comm->size * sizeof *begin);
        if (link == end || link->rank != r)
            continue;
        struct flagged *first = (struct flagged *)buffer->of[r] + 2 * MAXIMA * comm->size + begin[comm->rank];
        for (int64_t k = 0; k < link->sent; k++)
            *destination++ = first + k;
        link++;
    }
}

static void close_stores(struct queue *queue, const struct halo *halo, struct halo_stores *stores)
{
    exchange_buffer_close_cuda(queue, halo->comm, &stores->buffer);
    cuda_release(queue, stores->route.destination);
    cuda_release(queue, stores->route.of);
    cuda_release(queue, stores->route.number);
    cudaFreeHost(stores->route.lost);
    cuda(queue)->lost = NULL;
    free(stores);
}

/* The number of blocks that run at the same time even if other processes use the GPU */
static int blocks_of(struct queue *queue, const struct halo *halo)
{
    int multiprocessors = 1;
    queue_note(queue,
               cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, cuda(queue)->device),
               "planning exchanges");
    int64_t most = halo->border > halo->ghosts ? halo->border : halo->ghosts;
    int needed = (int)blocks_for(most, BLOCK_THREADS);
    return needed > multiprocessors ? multiprocessors : needed ? needed : 1;
}

/* Creates the parts of *stores that belong to this rank alone */
static enum status make_stores(struct queue *queue, const struct halo *halo, struct halo_stores *stores,
                               struct error *error)
{
    static const char what[] = "the ranks' rows";
    enum status status = STATUS_OK;
    struct route *route = &stores->route;
    route->blocks = blocks_of(queue, halo);
    route->border = halo->border;
    route->ghosts = halo->ghosts;
    route->row = halo->row;
    route->rank = halo->comm->rank;
    route->ranks = halo->comm->size;
    route->destination = (struct flagged **)device_array(queue, halo->border + 1, sizeof *route->destination,
                                                         what, &status, error);
    route->of = (struct flagged **)device_array(queue, route->ranks, sizeof *route->of, what, &status, error);
    route->number =
        (uint32_t *)device_array(queue, route->blocks + 1, sizeof *route->number, what, &status, error);
    if (!status && cudaMallocHost((void **)&route->lost, sizeof *route->lost) != cudaSuccess)
        status = error_memory(error, what, sizeof *route->lost);
    if (!status)
        *route->lost = 0;
    return status;
}

/* Then creates the parts that other ranks need; destination and begin: workspace as in find_destinations */
static enum status join_stores(struct queue *queue, const struct halo *halo, struct halo_stores *stores,
                               struct flagged **destination, int64_t *begin, struct error *error)
{
    const struct comm *comm = halo->comm;
    uint64_t room = (uint64_t)halo->ghosts;
    comm->engine->largest(comm, COMM_STEPS, &room, 1);
    stores->route.room = (int64_t)room;
    if (!exchange_buffer_open_cuda(
            queue, comm, 2 * (MAXIMA * (size_t)comm->size + room) * sizeof(struct flagged), &stores->buffer))
        return STATUS_OK;
    stores->route.own = (const struct flagged *)stores->buffer.own;
    find_destinations(halo, &stores->buffer, destination, begin);
    TRY(device_upload(queue, stores->route.destination, destination,
                      (size_t)halo->border * sizeof *destination, error));
    return device_upload(queue, stores->route.of, stores->buffer.of, (size_t)comm->size * sizeof *destination,
                         error);
}

/* Sets halo->stores; NULL if ranks cannot access each other's memory */
static enum status open_stores(struct queue *queue, struct halo *halo, struct error *error)
{
    static const char what[] = "the ranks' rows";
    enum status status = STATUS_OK;
    struct halo_stores *stores = (struct halo_stores *)array_zeroed(1, sizeof *stores, what, &status, error);
    struct flagged **destination =
        (struct flagged **)array_new(halo->border + 1, sizeof *destination, what, &status, error);
    int64_t *begin = (int64_t *)array_zeroed(halo->comm->size, sizeof *begin, what, &status, error);
    if (!status)
        status = make_stores(queue, halo, stores, error);
    status = comm_agree(halo->comm, COMM_STEPS, status, error);
    if (!status)
        status = join_stores(queue, halo, stores, destination, begin, error);
    status = comm_agree(halo->comm, COMM_STEPS, status, error);
    free(destination);
    free(begin);
    if (stores && (status || stores->buffer.ranks == 0)) {
        close_stores(queue, halo, stores);
        return status;
    }
    halo->stores = stores;
    if (stores)
        cuda(queue)->lost = stores->route.lost;
    return status;
}

enum { TOGETHER = 10, REPLAYS = 10 };

/* Microseconds per exchange within a series, the maximum over all ranks. Maxima are those of zeros. A
 * first exchange before the series creates the links. */
static enum status measure_one(struct queue *queue, const struct halo *halo, double *x, bool tested,
                               double *cost, struct error *error)
{
    const int key[] = {halo->stores != NULL, tested};
    const struct halo_along along = {NULL, tested ? cuda(queue)->seen : NULL, false};
    halo_exchange_along_cuda(queue, halo, x, NULL, &along);
    enum status status = cuda_wait(queue, error);
    for (int r = 0; r <= REPLAYS; r++) { /* the first is not counted */
        if (r == 1) {
            if (!status)
                status = cuda_wait(queue, error);
            comm_meet(halo->comm);
            cuda_event_record(queue, 0);
        }
        if (graph_replay_cuda(queue, key, sizeof key))
            continue;
        graph_begin_cuda(queue, key, sizeof key);
        for (int k = 0; k < TOGETHER; k++)
            halo_exchange_along_cuda(queue, halo, x, NULL, &along);
        graph_end_cuda(queue);
    }
    cuda_event_record(queue, 1);
    if (!status)
        status = cuda_wait(queue, error);
    if (status) /* other devices would wait for these rows */
        comm_give_up(halo->comm, error);
    *cost = status ? 0 : 1e6 * cuda_event_elapsed(queue, 0) / (TOGETHER * REPLAYS);
    comm_most(halo->comm, cost, 1);
    return status;
}

static enum status measure(struct queue *queue, const struct halo *halo, double *x, struct halo_cost *cost,
                           struct error *error)
{
    enum status status = measure_one(queue, halo, x, false, &cost->alone, error);
    if (!status)
        status = measure_one(queue, halo, x, true, &cost->tested, error);
    return comm_agree(halo->comm, COMM_STEPS, status, error);
}

extern "C" enum status halo_open_cuda(struct queue *queue, struct halo *halo, double *x, struct error *error)
{
    if (!halo)
        return STATUS_OK;
    enum status status = measure(queue, halo, x, &halo->by_nccl, error);
    if (!status)
        status = open_stores(queue, halo, error);
    if (!status && halo->stores)
        status = measure(queue, halo, x, &halo->by_stores, error);
    if (halo->by_stores.alone + halo->by_stores.tested > halo->by_nccl.alone + halo->by_nccl.tested)
        halo_close_cuda(queue, halo);
    graph_drop_cuda(queue);
    return status;
}

extern "C" void halo_close_cuda(struct queue *queue, struct halo *halo)
{
    if (halo && halo->stores)
        close_stores(queue, halo, halo->stores);
    if (halo)
        halo->stores = NULL;
}
