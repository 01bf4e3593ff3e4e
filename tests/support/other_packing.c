/* other_packing.c: the program with another place of every row in memory, linked with it before queue_new and
 * halo_order (--wrap): slices of PACKING_HEIGHT rows, and an order in which neighbours are far apart. No
 * result may depend on either. */
#include <stdint.h>
#include <stdlib.h>

#include "kernels/device/queue.h"
#include "solver/matrix/halo.h"

enum status __real_queue_new(struct queue **queue, const struct backend *backend, int ordinal,
                             struct error *error);
enum status __wrap_queue_new(struct queue **queue, const struct backend *backend, int ordinal,
                             struct error *error);
enum status __real_halo_order(struct layout_order *of, const struct partition *p, const struct csr *pattern,
                              int32_t *order, struct error *error);
enum status __wrap_halo_order(struct layout_order *of, const struct partition *p, const struct csr *pattern,
                              int32_t *order, struct error *error);

enum status __wrap_queue_new(struct queue **queue, const struct backend *backend, int ordinal,
                             struct error *error)
{
    static struct backend other;
    const char *height = getenv("PACKING_HEIGHT");
    enum status status = __real_queue_new(queue, backend, ordinal, error);
    if (status || !height)
        return status;
    other = *backend;
    other.slice_height = atoi(height);
    (*queue)->backend = &other;
    return STATUS_OK;
}

/* After Fisher and Yates' shuffle, the same for each number of rows */
enum status __wrap_halo_order(struct layout_order *of, const struct partition *p, const struct csr *pattern,
                              int32_t *order, struct error *error)
{
    uint64_t any = 1;
    for (int64_t k = pattern->rows - 1; k > 0 && getenv("PACKING_HEIGHT"); k--) {
        any = any * 6364136223846793005U + 1442695040888963407U;
        int64_t other = (int64_t)((any >> 33) % (uint64_t)(k + 1));
        int32_t kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
    return __real_halo_order(of, p, pattern, order, error);
}
