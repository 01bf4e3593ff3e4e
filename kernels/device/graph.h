/* graph.h: work that is placed on a queue once and replayed from then on.
 *
 *   if (!graph_replay(queue, key, bytes)) {
 *       graph_begin(queue, key, bytes);
 *       ... operations ...
 *       graph_end(queue);
 *   }
 *
 * The key is all that tells these operations from others of this queue: equal keys, equal operations on equal
 * arguments. Between begin and end nothing may wait for the device. On a GPU they become a CUDA graph, which
 * saves the gaps between their kernels; on a CPU they are done as they come, and nothing is ever replayed.
 *
 * A build of type Debug (CARDIAC_CHECK_GRAPHS) now and then says that nothing was replayed though it could
 * be, and asserts that what is then placed is what was kept. */
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
/* Forgets all of the queue's, for arrays or numbers that the keys do not tell are no longer what they were.
 */
void graph_drop_cuda(struct queue *queue);

#endif
