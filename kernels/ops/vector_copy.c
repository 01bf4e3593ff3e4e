/* vector_copy.c: the copy kernel on the CPU. */
#include "kernels/ops/vector_copy.h"

#include <stddef.h>

void vector_copy_cpu(struct queue *queue, int64_t rows, const struct vector_copy *copy)
{
    if (copy->control->sweep <= copy->sweep || copy->control->failure)
        return;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        if (copy->previous)
            copy->previous[i] = copy->x64[i];
        if (copy->x64)
            copy->x64[i] = copy->y64[i];
        if (copy->x32)
            copy->x32[i] = (float)copy->y64[i];
    }
}
