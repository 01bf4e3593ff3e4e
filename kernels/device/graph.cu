/* graph.cu: CUDA graphs of a queue, under their keys. */
#include "kernels/device/cuda.cuh"

#include <stdlib.h>

extern "C" {
#include "kernels/device/graph.h"
}

static struct graph *find_graph(struct queue *queue, const void *key, size_t bytes)
{
    for (int k = 0; k < cuda(queue)->graphs; k++)
        if (cuda(queue)->graph[k].bytes == bytes && memcmp(cuda(queue)->graph[k].key, key, bytes) == 0)
            return &cuda(queue)->graph[k];
    return NULL;
}

static void launch_graph(struct queue *queue, struct graph *graph)
{
    queue_note(queue, cudaGraphLaunch(graph->ready, cuda(queue)->stream), "launching a graph of steps");
}

#ifdef CARDIAC_CHECK_GRAPHS
enum { CHECK_EVERY = 16 }; /* replays */

static void assert_same_node(cudaGraphNode_t kept, cudaGraphNode_t fresh)
{
    cudaGraphNodeType kind, fresh_kind;
    assert(cudaGraphNodeGetType(kept, &kind) == cudaSuccess);
    assert(cudaGraphNodeGetType(fresh, &fresh_kind) == cudaSuccess);
    assert(kind == fresh_kind);
    if (kind != cudaGraphNodeTypeKernel)
        return;
    cudaKernelNodeParams a, b;
    size_t at, size;
    assert(cudaGraphKernelNodeGetParams(kept, &a) == cudaSuccess);
    assert(cudaGraphKernelNodeGetParams(fresh, &b) == cudaSuccess);
    assert(a.func == b.func && a.gridDim.x == b.gridDim.x && a.blockDim.x == b.blockDim.x);
    for (size_t k = 0; cudaFuncGetParamInfo(a.func, k, &at, &size) == cudaSuccess; k++)
        assert(memcmp(a.kernelParams[k], b.kernelParams[k], size) == 0);
    cudaGetLastError(); /* clears the error */
}

/* Nodes are in the order in which they were queued. */
static void assert_same(cudaGraph_t kept, cudaGraph_t fresh)
{
    size_t count = 0, fresh_count = 0;
    assert(cudaGraphGetNodes(kept, NULL, &count) == cudaSuccess);
    assert(cudaGraphGetNodes(fresh, NULL, &fresh_count) == cudaSuccess);
    assert(count == fresh_count);
    cudaGraphNode_t *node = (cudaGraphNode_t *)calloc(2 * count + 1, sizeof *node);
    assert(node);
    assert(cudaGraphGetNodes(kept, node, &count) == cudaSuccess);
    assert(cudaGraphGetNodes(fresh, node + count, &fresh_count) == cudaSuccess);
    for (size_t k = 0; k < count; k++)
        assert_same_node(node[k], node[count + k]);
    free(node);
}

static bool check_is_due(struct graph *graph)
{
    return ++graph->replays % CHECK_EVERY == 0;
}

/* Stores the graph under its key; returns whether there was one, which must be equal */
static bool keep_placed(struct queue *queue, struct graph *graph, cudaGraph_t placed)
{
    struct graph *kept = find_graph(queue, graph->key, graph->bytes);
    if (!kept) {
        graph->placed = placed;
        return false;
    }
    assert_same(kept->placed, placed);
    cudaGraphDestroy(placed);
    launch_graph(queue, kept);
    return true;
}
#else
static bool check_is_due(struct graph *graph)
{
    (void)graph;
    return false;
}

static bool keep_placed(struct queue *queue, struct graph *graph, cudaGraph_t placed)
{
    (void)queue, (void)graph, (void)placed;
    return false;
}
#endif

extern "C" bool graph_replay_cuda(struct queue *queue, const void *key, size_t bytes)
{
    struct graph *graph = find_graph(queue, key, bytes);
    if (cuda(queue)->failed != cudaSuccess) /* nothing queued would run */
        return true;
    if (!graph || check_is_due(graph))
        return false;
    launch_graph(queue, graph);
    return true;
}

extern "C" void graph_begin_cuda(struct queue *queue, const void *key, size_t bytes)
{
    assert(bytes <= sizeof cuda(queue)->graph->key && !cuda(queue)->recording);
    if (cuda(queue)->graphs == GRAPHS_MOST)
        graph_drop_cuda(queue);
    struct graph *graph = &cuda(queue)->graph[cuda(queue)->graphs];
    memset(graph, 0, sizeof *graph);
    memcpy(graph->key, key, bytes);
    graph->bytes = bytes;
    cuda(queue)->recording = 1;
    cuda(queue)->last = NULL;
    queue_note(queue, cudaStreamBeginCapture(cuda(queue)->stream, cudaStreamCaptureModeThreadLocal),
               "recording");
}

extern "C" void graph_end_cuda(struct queue *queue)
{
    struct graph *graph = &cuda(queue)->graph[cuda(queue)->graphs];
    cudaGraph_t placed = NULL;
    queue_note(queue, cudaStreamEndCapture(cuda(queue)->stream, &placed), "recording");
    cuda(queue)->recording = 0;
    if (cuda(queue)->failed == cudaSuccess && keep_placed(queue, graph, placed))
        return;
    if (cuda(queue)->failed == cudaSuccess)
        queue_note(queue, cudaGraphInstantiate(&graph->ready, placed, 0), "preparing a graph of steps");
    if (placed && !graph->placed)
        cudaGraphDestroy(placed);
    if (!graph->ready)
        return;
    launch_graph(queue, graph);
    cuda(queue)->graphs++;
}

extern "C" void graph_drop_cuda(struct queue *queue)
{
    if (cuda(queue)->graphs > 0)
        cudaStreamSynchronize(cuda(queue)->stream);
    for (int k = 0; k < cuda(queue)->graphs; k++) {
        cudaGraphExecDestroy(cuda(queue)->graph[k].ready);
        if (cuda(queue)->graph[k].placed)
            cudaGraphDestroy(cuda(queue)->graph[k].placed);
    }
    cuda(queue)->graphs = 0;
}
