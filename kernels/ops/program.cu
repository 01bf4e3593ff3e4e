/* program.cu: steps on the GPU as CUDA graphs.
 *
 * A graph of one step places as many sweeps as recent steps needed one after the other (each returns at once
 * when an earlier one has converged, about a microsecond), then the kernel that judges them and makes the
 * rest (kernels/ops/sweep_loop.cu). Graphs of several steps save the gap between launches. They are kept by
 * the shape they begin with, their length and the number of sweeps laid out. */
#include "kernels/ops/sweep_loop.cuh"

#include <stdlib.h>

extern "C" {
#include "kernels/device/cuda_device.h"
#include "kernels/ops/program.h"
}

enum { GRAPHS = 64, STEPS = 12, WINDOW = 8, FIRST_PAIRS = 4 };

struct recorded {
    int shape, length, pairs;
    cudaGraphExec_t graph;
};

struct recording {
    struct recorded graph[GRAPHS];
    int graphs;
    int pairs;            /* of sweeps laid out in a step */
    int most;             /* pairs that a step of the present window of runs needed */
    int runs, window;     /* in that window; its length: the first one is a single run */
    struct control *seen; /* pinned: control as a run left it, the last or the one before */
};

static struct recording *recording_new(struct queue *queue)
{
    struct recording *recording = (struct recording *)calloc(1, sizeof *recording);
    if (!recording)
        return NULL;
    recording->pairs = FIRST_PAIRS;
    recording->window = 1;
    if (cudaMallocHost((void **)&recording->seen, sizeof *recording->seen) != cudaSuccess) {
        queue_note(queue, cudaGetLastError(), "taking pinned memory");
        free(recording);
        return NULL;
    }
    memset(recording->seen, 0, sizeof *recording->seen);
    return recording;
}

static void drop_graphs(struct recording *recording)
{
    for (int k = 0; k < recording->graphs; k++)
        cudaGraphExecDestroy(recording->graph[k].graph);
    recording->graphs = 0;
}

/* Lays out as many pairs as the run last heard of needed at most; fewer only after a window of runs that
 * needed fewer.
 */
static void choose_pairs(struct recording *recording)
{
    int needed = (recording->seen->recent + 1) / 2;
    needed = needed < PAIRS_MOST ? needed : PAIRS_MOST;
    if (needed == 0)
        return;
    recording->most = needed > recording->most ? needed : recording->most;
    if (needed > recording->pairs)
        recording->pairs = needed;
    if (++recording->runs < recording->window)
        return;
    recording->pairs = recording->most;
    recording->most = recording->runs = 0;
    recording->window = WINDOW;
}

/* `length` steps, recorded; NULL after a failure, noted in the queue */
static cudaGraphExec_t record_steps(struct queue *queue, struct program *program, int length)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    queue->recording = 1;
    queue->last = NULL;
    queue->laid_out = program->recording->pairs;
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
        if (one->shape == shape && one->length == length && one->pairs == recording->pairs)
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
        struct recorded added = {shape, length, recording->pairs, graph};
        recording->graph[recording->graphs++] = added;
    }
    queue_note(queue, cudaGraphLaunch(graph, queue->stream), "launching a graph of steps");
    return length;
}

extern "C" enum status program_run_cuda(struct queue *queue, struct control *control, int64_t steps,
                                        struct program *program, struct error *error)
{
    if (!program->recording)
        program->recording = recording_new(queue);
    if (!program->recording)
        return error_memory(error, "the recorded steps", sizeof *program->recording);
    choose_pairs(program->recording);
    while (steps > 0 && queue->failed == cudaSuccess) {
        int shape = program->shape(program->argument);
        if (shape >= 0) {
            steps -= place_graph(queue, program, steps, shape);
        } else {
            program->place(program->argument);
            steps--;
        }
    }
    queue_note(queue,
               cudaMemcpyAsync(program->recording->seen, control, sizeof *control, cudaMemcpyDeviceToHost,
                               queue->stream),
               "reading what the steps left");
    return queue->failed == cudaSuccess ? STATUS_OK : cuda_wait(queue, error);
}

extern "C" void program_forget_cuda(struct queue *queue, struct program *program)
{
    struct recording *recording = program->recording;
    if (!recording)
        return;
    cudaStreamSynchronize(queue->stream);
    drop_graphs(recording);
    cudaFreeHost(recording->seen);
    free(recording);
    program->recording = NULL;
}

extern "C" void program_repeat_cuda(struct queue *queue, const struct control *control, int times,
                                    void (*body)(void *), void *argument)
{
    struct loop loop = {};
    (void)control;
    queue->loop = &loop;
    body(argument);
    queue->loop = NULL;
    if (queue->recording)
        loop.laid_out = times < queue->laid_out ? times : queue->laid_out;
    loop.most = times;
    for (queue->pair = 0; queue->pair < loop.laid_out; queue->pair++)
        body(argument);
    queue->pair = -1;
    loop_place(queue, &loop);
}
