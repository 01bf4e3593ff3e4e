/* graph.c: a CPU keeps no graphs. */
#include "kernels/device/graph.h"

bool graph_replay_cpu(struct queue *queue, const void *key, size_t bytes)
{
    (void)queue, (void)key, (void)bytes;
    return false;
}

void graph_begin_cpu(struct queue *queue, const void *key, size_t bytes)
{
    (void)queue, (void)key, (void)bytes;
}

void graph_end_cpu(struct queue *queue)
{
    (void)queue;
}

void graph_drop_cpu(struct queue *queue)
{
    (void)queue;
}
