/* graph.h: operations recorded once and then replayed.
 *
 *   if (!graph_replay(queue, key, bytes)) {
 *       graph_begin(queue, key, bytes);
 *       ... operations ...
 *       graph_end(queue);
 *   }
 *
 * Equal keys must mean equal operations on equal arguments; an owner of settings includes in the key a
 * counter that each of its setters increments. Between begin and end no call may wait for the device. On a
 * GPU the operations become a CUDA graph, which avoids the gaps between their kernels; a CPU executes them
 * at once and replays nothing.
 *
 * A Debug build (CARDIAC_CHECK_GRAPHS) records every 16th replay again and asserts that it equals the
 * stored graph. */
#ifndef CARDIAC_KERNELS_DEVICE_GRAPH_H
#define CARDIAC_KERNELS_DEVICE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

struct queue;

enum { GRAPH_KEY_MOST = 128 }; /* bytes */

bool graph_replay_cpu(struct queue *queue, const void *key, size_t bytes);
void graph_begin_cpu(struct queue *queue, const void *key, size_t bytes);
void graph_end_cpu(struct queue *queue);
void graph_drop_cpu(struct queue *queue);

bool graph_replay_cuda(struct queue *queue, const void *key, size_t bytes);
void graph_begin_cuda(struct queue *queue, const void *key, size_t bytes);
void graph_end_cuda(struct queue *queue);
/* Frees all graphs of the queue. */
void graph_drop_cuda(struct queue *queue);

#endif
