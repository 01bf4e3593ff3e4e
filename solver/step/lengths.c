/* lengths.c: the choice of a step length, and copies of the state on the device. */
#include "solver/step/lengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static void list_array(struct lengths *lengths, void *array, size_t bytes)
{
    if (array && bytes > 0)
        lengths->kept[lengths->arrays++] = (struct lengths_copy){.array = array, .bytes = bytes};
}

/* kept[] <- states, maps and points; copies are not allocated yet */
static void list_arrays(struct lengths *lengths, const struct tissue *tissue, const struct beats *beats,
                        int64_t rows)
{
    const struct observer *all = &beats->observer, *points = &beats->points.observer;
    int64_t followed = beats->points.points;
    for (int b = 0; b < tissue->batches; b++) {
        const struct ionic_cells *cells = &tissue->cells[b];
        int wide = ionic_states64(cells->model, cells->mixed), narrow = cells->model->states - wide;
        list_array(lengths, cells->state64, (size_t)(wide * cells->stride) * sizeof *cells->state64);
        list_array(lengths, cells->state32, (size_t)(narrow * cells->stride) * sizeof *cells->state32);
    }
    for (int k = 0; k < beats->maps; k++)
        if (beats->map[k].array != all->waits)
            list_array(lengths, beats->map[k].array,
                       (size_t)(beats->map[k].width * rows) * beats->map[k].size);
    list_array(lengths, all->count, (size_t)rows * sizeof *all->count);
    list_array(lengths, all->waits, (size_t)rows * sizeof *all->waits);
    if (followed > 0) {
        list_array(lengths, points->low, beats_points_bytes(beats));
        list_array(lengths, points->count, (size_t)followed * sizeof *points->count);
    }
}

void lengths_free(struct lengths *lengths, struct queue *queue)
{
    for (int k = 0; k < lengths->arrays; k++)
        device_release(queue, lengths->kept[k].copy);
    device_release(queue, lengths->v);
    device_release(queue, lengths->v_before);
    device_release(queue, lengths->largest);
    free(lengths->kept);
    memset(lengths, 0, sizeof *lengths);
}

enum status lengths_create(struct lengths *lengths, const struct tissue *tissue, const struct beats *beats,
                           int64_t rows, bool staggered, struct queue *queue, struct error *error)
{
    static const char what[] = "the copy of the state before a long step";
    enum status status = STATUS_OK;
    int most = 2 * tissue->batches + beats->maps + 4, level = lengths->level;
    lengths_free(lengths, queue);
    lengths->level = level;
    lengths->v = device_array(queue, rows, sizeof *lengths->v, what, &status, error);
    if (staggered)
        lengths->v_before = device_array(queue, rows, sizeof *lengths->v, what, &status, error);
    lengths->largest = device_array(queue, 2, sizeof *lengths->largest, what, &status, error);
    lengths->kept = array_zeroed(most, sizeof *lengths->kept, what, &status, error);
    TRY(status);
    list_arrays(lengths, tissue, beats, rows);
    for (int k = 0; k < lengths->arrays; k++)
        lengths->kept[k].copy = device_array(queue, (int64_t)lengths->kept[k].bytes, 1, what, &status, error);
    return status;
}

void lengths_keep(struct lengths *lengths, const double *v, const double *v_before, int64_t rows,
                  struct queue *queue)
{
    queue->backend->copy(queue, lengths->v, v, (size_t)rows * sizeof *v);
    if (lengths->v_before && lengths->level > 0)
        queue->backend->copy(queue, lengths->v_before, v_before, (size_t)rows * sizeof *v);
    for (int k = 0; k < lengths->arrays && lengths->level > 0; k++)
        queue->backend->copy(queue, lengths->kept[k].copy, lengths->kept[k].array, lengths->kept[k].bytes);
}

void lengths_return(const struct lengths *lengths, double *v, double *v_before, int64_t rows,
                    struct queue *queue)
{
    queue->backend->copy(queue, v, lengths->v, (size_t)rows * sizeof *v);
    if (lengths->v_before)
        queue->backend->copy(queue, v_before, lengths->v_before, (size_t)rows * sizeof *v);
    for (int k = 0; k < lengths->arrays; k++)
        queue->backend->copy(queue, lengths->kept[k].array, lengths->kept[k].copy, lengths->kept[k].bytes);
}

bool lengths_reject(int level, double share)
{
    return level > 0 && !(ldexp(share, level) <= 4 * LENGTHS_CHANGE);
}

int lengths_next(int level, int most, double share)
{
    if (level < most && ldexp(share, level + 1) <= 0.75 * LENGTHS_CHANGE)
        return level + 1;
    while (level > 0 && !(ldexp(share, level) <= LENGTHS_CHANGE))
        level--;
    return level;
}
