/* program.cu: steps on the GPU as CUDA graphs.
 *
 * Graphs of several steps save the gap between launches. They are kept by the shape they begin with and their
 * length. */
#include "kernels/device/cuda.cuh"

#include <stdlib.h>

extern "C" {
#include "kernels/device/cuda_device.h"
#include "kernels/ops/program.h"
}

enum { GRAPHS = 64, STEPS = 12 };

struct recorded {
    int shape, length;
    cudaGraphExec_t graph;
};

struct recording {
    struct recorded graph[GRAPHS];
    int graphs;
};

static void drop_graphs(struct recording *recording)
{
    for (int k = 0; k < recording->graphs; k++)
        cudaGraphExecDestroy(recording->graph[k].graph);
    recording->graphs = 0;
}

/* `length` steps, recorded; NULL after a failure, noted in the queue */
static cudaGraphExec_t record_steps(struct queue *queue, struct program *program, int length)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    queue->recording = 1;
    queue->last = NULL;
    queue_note(queue, cudaStreamBeginCapture(queue->stream, cudaStreamCaptureModeThreadLocal), "recording");
    for (int k = 0; k < length; k++)
        program->place(program->argument);
    queue_note(queue, cudaStreamEndCapture(queue->stream, &graph), "recording");
    queue->recording = 0;
    if (queue->failed == cudaSuccess)
        queue_note(queue, cudaGraphInstantiate(&ready, graph, 0), "preparing a graph of steps");
    if (graph)
        cudaGraphDestroy(graph);
    return ready;
}

static struct recorded *find_graph(struct recording *recording, int shape, int length)
{
    for (int k = 0; k < recording->graphs; k++) {
        struct recorded *one = recording->graph + k;
        if (one->shape == shape && one->length == length)
            return one;
    }
    return NULL;
}

/* Places up to `steps` steps as one graph; returns how many */
static int place_graph(struct queue *queue, struct program *program, int64_t steps, int shape)
{
    struct recording *recording = program->recording;
    int length = STEPS / program->period * program->period;
    length = length == 0 || steps < length ? 1 : length;
    struct recorded *found = find_graph(recording, shape, length);
    cudaGraphExec_t graph = found ? found->graph : NULL;
    if (found) {
        program->skip(program->argument, length);
    } else {
        graph = record_steps(queue, program, length);
        if (!graph)
            return length;
        if (recording->graphs == GRAPHS)
            drop_graphs(recording);
        struct recorded added = {shape, length, graph};
        recording->graph[recording->graphs++] = added;
    }
    queue_note(queue, cudaGraphLaunch(graph, queue->stream), "launching a graph of steps");
    return length;
}

extern "C" enum status program_run_cuda(struct queue *queue, struct control *control, int64_t steps,
                                        struct program *program, struct error *error)
{
    if (!program->recording)
        program->recording = (struct recording *)calloc(1, sizeof *program->recording);
    if (!program->recording)
        return error_memory(error, "the recorded steps", sizeof *program->recording);
    (void)control;
    while (steps > 0 && queue->failed == cudaSuccess) {
        int shape = program->shape(program->argument);
        if (shape >= 0) {
            steps -= place_graph(queue, program, steps, shape);
        } else {
            program->place(program->argument);
            steps--;
        }
    }
    return queue->failed == cudaSuccess ? STATUS_OK : cuda_wait(queue, error);
}

extern "C" void program_forget_cuda(struct queue *queue, struct program *program)
{
    struct recording *recording = program->recording;
    if (!recording)
        return;
    cudaStreamSynchronize(queue->stream);
    drop_graphs(recording);
    free(recording);
    program->recording = NULL;
}
