/* snapshot.c: frames of packed arrays; the reading thread undoes the permutation. */
#include "solver/step/snapshot.h"

#include <stdlib.h>

#include "kernels/base/array.h"
#include "solver/step/monodomain_internal.h"

/* One array of a frame; a quantity has one for each span. */
struct piece {
    struct snapshot_quantity of;
    int span;                 /* of the tissue */
    int64_t column;           /* of a variable with several values per node */
    struct state_array array; /* of a current: only count and index; the device array may change */
    size_t at;                /* byte of the frame */
};

struct snapshot {
    struct monodomain *sim;
    struct readback *fetch;
    struct piece *piece;
    int quantities;
    int *first; /* [quantities + 1] first piece of each quantity */
    const char *frame[READBACK_SLOTS];
};

static size_t piece_bytes(const struct piece *piece)
{
    return (size_t)piece->array.count * piece->array.size;
}

/* piece[] <- the pieces of one quantity; returns how many */
static int list_pieces(const struct monodomain *sim, struct snapshot_quantity of, struct piece *piece)
{
    const struct tissue *tissue = &sim->tissue;
    int count = 0, model = of.variable < 0 ? of.model : sim->variable[of.variable].model;
    int64_t width = of.variable >= 0 && model < 0 ? sim->variable[of.variable].width : 0;
    for (int64_t column = 0; column < width; column++)
        piece[count++] = (struct piece){of, 0, column, monodomain_array(sim, of.variable, 0), 0};
    for (int p = 0; p < tissue->spans; p++) {
        const struct tissue_span *span = &tissue->span[p];
        if (span->model == model && of.variable >= 0)
            piece[count++] = (struct piece){of, p, 0, monodomain_array(sim, of.variable, p), 0};
        else if (span->model == model)
            piece[count++] =
                (struct piece){of, p, 0, {NULL, sizeof(double), span->cells.cells, span->row}, 0};
    }
    return count;
}

enum status snapshot_create(struct snapshot **out, struct monodomain *sim,
                            const struct snapshot_quantity *quantity, int quantities, int slots,
                            struct error *error)
{
    *out = NULL;
    int64_t most = (int64_t)quantities * (sim->tissue.spans + 1);
    for (int k = 0; k < quantities; k++)
        most += quantity[k].variable >= 0 ? sim->variable[quantity[k].variable].width : 0;
    size_t bytes = 0;
    enum status status = STATUS_OK;
    struct snapshot *snapshot = array_zeroed(1, sizeof *snapshot, "the frames", &status, error);
    TRY(status);
    snapshot->sim = sim;
    snapshot->quantities = quantities;
    snapshot->piece = array_zeroed(most, sizeof *snapshot->piece, "the frames", &status, error);
    snapshot->first = array_zeroed(quantities + 1, sizeof *snapshot->first, "the frames", &status, error);
    TRY_DONE(status);
    for (int k = 0; k < quantities; k++)
        snapshot->first[k + 1] =
            snapshot->first[k] + list_pieces(sim, quantity[k], snapshot->piece + snapshot->first[k]);
    for (int p = 0; p < snapshot->first[quantities]; p++) {
        snapshot->piece[p].at = bytes;
        bytes += (piece_bytes(snapshot->piece + p) + 63) / 64 * 64;
    }
    TRY_DONE(sim->queue->backend->readback_new(sim->queue, bytes, slots, &snapshot->fetch, error));
    *out = snapshot;
    return STATUS_OK;
done:
    snapshot_free(snapshot);
    return status;
}

double snapshot_bytes(double nodes, double values)
{
    return 8 * nodes * values;
}

void snapshot_free(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    snapshot->sim->queue->backend->readback_free(snapshot->sim->queue, snapshot->fetch);
    free(snapshot->piece);
    free(snapshot->first);
    free(snapshot);
}

enum status snapshot_take(struct snapshot *snapshot, int slot, struct error *error)
{
    struct monodomain *sim = snapshot->sim;
    for (int p = 0; p < snapshot->first[snapshot->quantities]; p++) {
        const struct piece *piece = snapshot->piece + p;
        const void *device;
        if (piece->of.variable >= 0) {
            device = (const char *)monodomain_array(sim, piece->of.variable, piece->span).device +
                     (size_t)piece->column * piece_bytes(piece);
        } else {
            /* b takes the currents, cell by cell: unlike u, every step computes it anew in all rows */
            sim->queue->backend->ionic_current(sim->queue, &sim->tissue.span[piece->span].cells,
                                               sim->vectors.v, piece->of.current, sim->diffusion.b);
            device = sim->diffusion.b;
        }
        sim->queue->backend->readback_add(sim->queue, snapshot->fetch, slot, piece->at, device,
                                          piece_bytes(piece));
    }
    return sim->queue->backend->readback_send(sim->queue, snapshot->fetch, slot, error);
}

enum status snapshot_arrive(struct snapshot *snapshot, int slot, struct error *error)
{
    const void *frame = NULL;
    enum status status = snapshot->sim->queue->backend->readback_arrive(snapshot->fetch, slot, &frame, error);
    snapshot->frame[slot] = frame;
    return status;
}

void snapshot_read(const struct snapshot *snapshot, int slot, int k, double *value)
{
    int variable = snapshot->piece[snapshot->first[k]].of.variable;
    int64_t width = variable < 0 ? 1 : snapshot->sim->variable[variable].width;
    for (int p = snapshot->first[k]; p < snapshot->first[k + 1]; p++) {
        const struct state_array *array = &snapshot->piece[p].array;
        const char *from = snapshot->frame[slot] + snapshot->piece[p].at;
        const int64_t column = snapshot->piece[p].column;
#pragma omp parallel for schedule(static)
        for (int64_t c = 0; c < array->count; c++) {
            int32_t local = snapshot->sim->local[array->index ? array->index[c] : c];
            if (local >= 0)
                value[local * width + column] = monodomain_element(from, array->size, c);
        }
    }
}

void snapshot_collect(const struct snapshot *snapshot, int64_t width, double *value)
{
    partition_collect(&snapshot->sim->partition, COMM_FILES, width, value);
}
