/* rewind.c: copies, the largest change, and the change by diffusion that cells add in parts, on the CPU. */
#include "kernels/ops/rewind.h"

#include <math.h>
#include <string.h>

#include "kernels/base/bits.h"

void rewind_change_cpu(struct queue *queue, const struct rewind_change *change)
{
    uint64_t top = 0, top_x = 0;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static) reduction(max : top, top_x)
    for (int64_t i = 0; i < change->rows; i++) {
        bool node = change->weight[i] > 0;
        uint64_t bits = node ? bits_of(fabs(change->after[i] - change->before[i])) : 0;
        uint64_t bits_x = node ? bits_of(rewind_increment(change, i)) : 0;
        top = bits > top ? bits : top;
        top_x = bits_x > top_x ? bits_x : top_x;
    }
    change->largest[0] = top;
    change->largest[1] = top_x;
}

void rewind_hold_cpu(struct queue *queue, const struct rewind_hold *hold)
{
    struct control *control = hold->control;
    if (hold->x && !control->converged && !control->failure)
        control->failure = FAILURE_SWEEPS;
    if (control->failure)
        return;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (int64_t i = 0; i < hold->rows; i++)
        rewind_hold_row(hold, i);
}

void rewind_copy_cpu(struct queue *queue, void *to, const void *from, size_t bytes)
{
    const size_t piece = 1 << 16; /* bytes per task */
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static)
    for (size_t at = 0; at < bytes; at += piece)
        memcpy((char *)to + at, (const char *)from + at, bytes - at < piece ? bytes - at : piece);
}
