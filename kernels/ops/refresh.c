/* refresh.c: the copy kernel on the CPU. */
#include "kernels/ops/refresh.h"

#include <stddef.h>

void refresh_cpu(struct queue *queue, int64_t rows, const struct refresh *refresh)
{
    if (refresh->control->sweep <= refresh->sweep || refresh->control->failure)
        return;
#pragma omp parallel for num_threads(queue_threads(queue)) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        if (refresh->previous)
            refresh->previous[i] = refresh->x64[i];
        if (refresh->x64)
            refresh->x64[i] = refresh->y64[i];
        if (refresh->x32)
            refresh->x32[i] = (float)refresh->y64[i];
    }
}
