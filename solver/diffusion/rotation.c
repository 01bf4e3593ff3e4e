/* rotation.c: memory and turns of the vectors of a step. */
#include "solver/diffusion/rotation.h"

#include <string.h>

/* After as many turns every vector is back, whatever the depth: 2 and depth + 1 = 1 .. 4 divide it. */
enum { PERIOD = 12 };

enum status rotation_create(struct rotation *r, int depth, int64_t rows, struct queue *queue,
                            struct error *error)
{
    const char *what = "the voltages";
    enum status status = STATUS_OK;
    memset(r, 0, sizeof *r);
    r->depth = depth;
    r->v = device_array(queue, rows, sizeof *r->v, what, &status, error);
    r->u = device_array(queue, rows, sizeof *r->u, what, &status, error);
    r->x = device_array(queue, rows, sizeof *r->x, what, &status, error);
    for (int k = 0; k < depth; k++)
        r->history[k] = device_array(queue, rows, sizeof *r->history[k], what, &status, error);
    return status;
}

void rotation_free(struct rotation *r, struct queue *queue)
{
    device_release(queue, r->v);
    device_release(queue, r->u);
    device_release(queue, r->x);
    for (int k = 0; k < r->depth; k++)
        device_release(queue, r->history[k]);
    memset(r, 0, sizeof *r);
}

static void turn_once(struct rotation *r)
{
    double *before = r->v, *fresh = r->x;
    if (r->whole) {
        r->v = r->x;
        r->x = before;
        return;
    }
    r->v = r->u;
    r->u = before;
    for (int k = 0; k < r->depth; k++) {
        double *older = r->history[k];
        r->history[k] = fresh;
        fresh = older;
    }
    r->x = fresh;
}

void rotation_turn(struct rotation *r, int64_t steps)
{
    for (int64_t k = 0; k < steps % PERIOD; k++)
        turn_once(r);
    r->count = steps < r->depth - r->count ? r->count + (int32_t)steps : r->depth;
}
