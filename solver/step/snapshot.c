/* snapshot.c: frames of packed arrays, whose permutation the reading thread undoes; or of their elements
 * at single nodes. */
#include "solver/step/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/ops/pick.h"
#include "solver/step/monodomain_internal.h"

/* One array of a frame; a quantity has one per span. */
struct piece {
    struct snapshot_quantity of;
    int span;                 /* of the tissue */
    int64_t column;           /* of a variable with several values per node */
    struct state_array array; /* for a current only count and index are set; the device array may change */
    size_t at;                /* byte offset in the frame */
};

struct snapshot {
    struct monodomain *sim;
    struct readback *fetch;
    struct piece *piece;
    int quantities;
    int *first; /* [quantities + 1] first piece of each quantity */
    const char *frame[READBACK_MOST];
    struct few *few; /* NULL = of all nodes */
};

/* The nodes of a snapshot at single nodes. A frame contains the elements of all pieces, then two words for
 * the largest V. */
struct few {
    int64_t nodes, chosen; /* chosen: number of elements of all pieces */
    int64_t *list;         /* [pieces + 1] the first element of each piece */
    bool *here;            /* [nodes] this rank has the node */
    int32_t *place;        /* [chosen] index of its node in here[] */
    int32_t *element;      /* [chosen] index in the piece's array, on the device */
    double *value;         /* [chosen + 2] on the device */
    struct pick_largest largest;
    int32_t *number; /* [rows] node number in the whole mesh, on the device */
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

/* row[nodes] <- the packed row of each node of the whole mesh, -1 = on another rank; wanted[rows] <- 1 for
 * these rows */
static void find_rows(const struct monodomain *sim, const int64_t *node, int64_t nodes, int64_t *row,
                      uint8_t *wanted)
{
    for (int64_t n = 0; n < nodes; n++) {
        const int64_t here = partition_find(&sim->partition, node[n]);
        row[n] = here >= 0 && partition_has(&sim->partition, here) ? sim->layout.row[here] : -1;
        if (row[n] >= 0)
            wanted[row[n]] = 1;
    }
}

/* few->place[], element[] (on the host) and list[] <- the positions of these rows in the pieces */
static void list_chosen(struct snapshot *snapshot, const int64_t *row, const uint8_t *wanted,
                        int32_t *element)
{
    struct few *few = snapshot->few;
    for (int p = 0; p < snapshot->first[snapshot->quantities]; p++) {
        const struct piece *piece = snapshot->piece + p;
        for (int64_t c = 0; c < piece->array.count; c++) {
            const int64_t own = piece->array.index ? piece->array.index[c] : c;
            for (int64_t n = 0; n < few->nodes && wanted[own]; n++)
                if (row[n] == own) {
                    few->place[few->chosen] = (int32_t)n;
                    element[few->chosen++] = (int32_t)c;
                }
        }
        few->list[p + 1] = few->chosen;
    }
}

/* number[rows] <- node number of each row in the whole mesh, -1 = none */
static void number_rows(const struct monodomain *sim, int32_t *number)
{
    for (int64_t r = 0; r < sim->layout.rows; r++) {
        const int32_t node = sim->layout.node[r];
        number[r] = node < 0 || !partition_has(&sim->partition, node)
                        ? -1
                        : (int32_t)partition_number(&sim->partition, node);
    }
}

static void free_few(struct snapshot *snapshot)
{
    struct few *few = snapshot->few;
    if (!few)
        return;
    device_release(snapshot->sim->queue, few->element);
    device_release(snapshot->sim->queue, few->value);
    device_release(snapshot->sim->queue, few->number);
    free(few->list);
    free(few->here);
    free(few->place);
    free(few);
}

/* snapshot->few <- for node[nodes]; *bytes <- size of a frame */
static enum status choose_nodes(struct snapshot *snapshot, const int64_t *node, int64_t nodes, size_t *bytes,
                                struct error *error)
{
    static const char what[] = "the probes";
    struct monodomain *sim = snapshot->sim;
    const int64_t pieces = snapshot->first[snapshot->quantities], most = nodes * pieces,
                  rows = sim->layout.rows;
    enum status status = STATUS_OK;
    struct few *few = array_zeroed(1, sizeof *few, what, &status, error);
    TRY(status);
    snapshot->few = few;
    few->nodes = nodes;
    few->list = array_zeroed(pieces + 1, sizeof *few->list, what, &status, error);
    few->here = array_zeroed(nodes, sizeof *few->here, what, &status, error);
    few->place = array_new(most, sizeof *few->place, what, &status, error);
    few->element = device_array(sim->queue, most, sizeof *few->element, what, &status, error);
    few->value = device_array(sim->queue, most + 2, sizeof *few->value, what, &status, error);
    few->number = device_array(sim->queue, rows, sizeof *few->number, what, &status, error);
    int32_t *host = array_new(most > rows ? most : rows, sizeof *host, what, &status, error);
    int64_t *row = array_new(nodes, sizeof *row, what, &status, error);
    uint8_t *wanted = array_zeroed(rows, sizeof *wanted, what, &status, error);
    TRY_DONE(status);
    number_rows(sim, host);
    TRY_DONE(device_upload(sim->queue, few->number, host, (size_t)rows * sizeof *host, error));
    find_rows(sim, node, nodes, row, wanted);
    list_chosen(snapshot, row, wanted, host);
    for (int64_t n = 0; n < nodes; n++)
        few->here[n] = row[n] >= 0;
    TRY_DONE(device_upload(sim->queue, few->element, host, (size_t)few->chosen * sizeof *host, error));
    few->largest = (struct pick_largest){
        .rows = rows, .node = few->number, .largest = (uint64_t *)(void *)(few->value + few->chosen)};
    *bytes = (size_t)(few->chosen + 2) * sizeof *few->value;
done:
    free(host);
    free(row);
    free(wanted);
    return status;
}

/* node NULL: a snapshot of all nodes */
static enum status create(struct snapshot **out, struct monodomain *sim,
                          const struct snapshot_quantity *quantity, int quantities, const int64_t *node,
                          int64_t nodes, int slots, struct error *error)
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
    if (node)
        TRY_DONE(choose_nodes(snapshot, node, nodes, &bytes, error));
    TRY_DONE(sim->queue->backend->readback_new(sim->queue, bytes, slots, &snapshot->fetch, error));
    *out = snapshot;
    return STATUS_OK;
done:
    snapshot_free(snapshot);
    return status;
}

enum status snapshot_create(struct snapshot **out, struct monodomain *sim,
                            const struct snapshot_quantity *quantity, int quantities, int slots,
                            struct error *error)
{
    return create(out, sim, quantity, quantities, NULL, 0, slots, error);
}

enum status snapshot_create_at(struct snapshot **out, struct monodomain *sim,
                               const struct snapshot_quantity *quantity, int quantities, const int64_t *node,
                               int64_t nodes, int slots, struct error *error)
{
    static const int64_t none;
    return create(out, sim, quantity, quantities, nodes > 0 ? node : &none, nodes, slots, error);
}

double snapshot_bytes_at(double nodes)
{
    return 4 * nodes;
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
    free_few(snapshot);
    free(snapshot->piece);
    free(snapshot->first);
    free(snapshot);
}

/* The current array of a piece */
static const void *find_array(const struct monodomain *sim, const struct piece *piece)
{
    if (piece->of.variable >= 0)
        return (const char *)monodomain_array(sim, piece->of.variable, piece->span).device +
               (size_t)piece->column * piece_bytes(piece);
    /* b serves as workspace for the currents, cell by cell: unlike u, every step recomputes it in all rows */
    sim->queue->backend->ionic_current(sim->queue, &sim->tissue.span[piece->span].cells, sim->vectors.v,
                                       piece->of.current, sim->diffusion.b);
    return sim->diffusion.b;
}

static void add_few(struct snapshot *snapshot, int slot)
{
    struct monodomain *sim = snapshot->sim;
    struct few *few = snapshot->few;
    const struct backend *backend = sim->queue->backend;
    for (int p = 0; p < snapshot->first[snapshot->quantities]; p++) {
        const struct piece *piece = snapshot->piece + p;
        const int64_t first = few->list[p], count = few->list[p + 1] - first;
        if (count == 0)
            continue;
        const struct pick pick = {find_array(sim, piece), piece->array.size, few->element + first, count,
                                  few->value + first};
        backend->pick(sim->queue, &pick);
    }
    few->largest.v = sim->vectors.v;
    backend->pick_largest(sim->queue, &few->largest);
    backend->readback_add(sim->queue, snapshot->fetch, slot, 0, few->value,
                          (size_t)(few->chosen + 2) * sizeof *few->value);
}

enum status snapshot_take(struct snapshot *snapshot, int slot, struct error *error)
{
    struct monodomain *sim = snapshot->sim;
    if (snapshot->few)
        add_few(snapshot, slot);
    for (int p = 0; p < snapshot->first[snapshot->quantities] && !snapshot->few; p++) {
        const struct piece *piece = snapshot->piece + p;
        sim->queue->backend->readback_add(sim->queue, snapshot->fetch, slot, piece->at,
                                          find_array(sim, piece), piece_bytes(piece));
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

void snapshot_read_at(const struct snapshot *snapshot, int slot, int first, int end, double *value)
{
    const struct few *few = snapshot->few;
    const double *picked = (const void *)snapshot->frame[slot];
    for (int64_t n = 0; n < few->nodes; n++)
        value[n] = few->here[n] ? (double)NAN : 0;
    for (int64_t c = few->list[snapshot->first[first]]; c < few->list[snapshot->first[end]]; c++)
        value[few->place[c]] = picked[c];
    partition_share(&snapshot->sim->partition, COMM_FILES, value, few->nodes);
}

double snapshot_largest(const struct snapshot *snapshot, int slot, int64_t *node)
{
    const struct comm *comm = snapshot->sim->partition.comm;
    const uint64_t *own = (const uint64_t *)(const void *)snapshot->frame[slot] + snapshot->few->chosen;
    uint64_t most = own[0], of_node;
    comm->engine->largest(comm, COMM_FILES, &most, 1);
    of_node = own[0] == most ? own[1] : 0;
    comm->engine->largest(comm, COMM_FILES, &of_node, 1);
    *node = (int64_t)~of_node;
    return pick_number(most);
}

void snapshot_collect(const struct snapshot *snapshot, int64_t width, double *value)
{
    partition_collect(&snapshot->sim->partition, COMM_FILES, width, value);
}
