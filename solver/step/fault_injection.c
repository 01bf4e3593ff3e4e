/* fault_injection.c: changes one entry of the packed matrix on the device. */
#include "solver/step/fault_injection.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "solver/step/monodomain_internal.h"

/* Position of one entry */
struct entry {
    struct slice slice;
    int64_t row, at, at64; /* packed row; index within the slice in arrays of fp32 values and columns (at),
                              and of fp64 values (at64) */
};

/* word <- or -> element `index` of a device array that is const in the matrix */
static enum status fetch_word(struct monodomain *sim, void *word, const void *array, int64_t index,
                              size_t size, struct error *error)
{
    return device_download(sim->queue, word, (const char *)array + (size_t)index * size, size, error);
}

static enum status store_word(struct monodomain *sim, const void *word, const void *array, int64_t index,
                              size_t size, struct error *error)
{
    char *base = (char *)(uintptr_t)array;
    return device_upload(sim->queue, base + (size_t)index * size, word, size, error);
}

static enum status find_entry(struct monodomain *sim, int64_t node, int k, struct entry *entry,
                              struct error *error)
{
    const struct packed *matrix = &sim->diffusion.packing.matrix;
    int64_t height = matrix->height;
    assert(node >= 0 && node < sim->layout.nodes);
    entry->row = sim->layout.row[node];
    TRY(fetch_word(sim, &entry->slice, matrix->slice, entry->row / height, sizeof entry->slice, error));
    assert(k >= 0 && k < entry->slice.width);
    entry->at = packed_index(k, entry->row % height, entry->slice.width, height, matrix->group);
    entry->at64 =
        packed_index(k, entry->row % height, entry->slice.width, height, packed_group64(matrix->group));
    return STATUS_OK;
}

/* *e <- *e + change, in fp32 */
static enum status change_single(struct monodomain *sim, int64_t index, double change, struct error *error)
{
    const struct packed *matrix = &sim->diffusion.packing.matrix;
    float e = 0;
    TRY(fetch_word(sim, &e, matrix->value32, index, sizeof e, error));
    e = (float)((double)e + change);
    return store_word(sim, &e, matrix->value32, index, sizeof e, error);
}

/* The same for the entry read by sweeps, unless the product shares it */
static enum status change_sweep(struct monodomain *sim, const struct entry *entry, double change,
                                struct error *error)
{
    const struct packed *matrix = &sim->diffusion.packing.matrix;
    int64_t index = entry->slice.value + entry->at64;
    if (entry->slice.fp32 == 1)
        return change_single(sim, entry->slice.value + entry->at, change, error);
    if (entry->slice.whole32 || matrix->value == matrix->product)
        return STATUS_OK;
    double e = 0;
    TRY(fetch_word(sim, &e, matrix->value, index, sizeof e, error));
    e += change;
    return store_word(sim, &e, matrix->value, index, sizeof e, error);
}

enum status fault_injection_entry(struct monodomain *sim, int64_t node, int k, double factor,
                                  struct error *error)
{
    const struct packed *matrix = &sim->diffusion.packing.matrix;
    struct entry entry;
    double r = 0, change = 0;
    TRY(find_entry(sim, node, k, &entry, error));
    if (entry.slice.whole32) {
        float quantum = 1;
        int32_t whole = 0;
        int64_t index = entry.slice.product + entry.at;
        TRY(fetch_word(sim, &quantum, matrix->quantum, entry.row, sizeof quantum, error));
        TRY(fetch_word(sim, &whole, matrix->whole32, index, sizeof whole, error));
        change = round(whole * (factor - 1)) * packed_quantum32(quantum);
        whole = (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, round(whole * factor)));
        TRY(store_word(sim, &whole, matrix->whole32, index, sizeof whole, error));
    } else {
        int64_t index = entry.slice.product + entry.at64;
        TRY(fetch_word(sim, &r, matrix->product, index, sizeof r, error));
        change = r * (factor - 1);
        r += change;
        TRY(store_word(sim, &r, matrix->product, index, sizeof r, error));
    }
    return change_sweep(sim, &entry, change, error);
}

enum status fault_injection_column(struct monodomain *sim, int64_t node, int k, struct error *error)
{
    const struct packed *matrix = &sim->diffusion.packing.matrix;
    struct entry entry;
    TRY(find_entry(sim, node, k, &entry, error));
    int64_t index = entry.slice.index + entry.at;
    for (int32_t row = 0; row < sim->layout.rows; row++) {
        int64_t apart = row - entry.row;
        if (sim->layout.node[row] >= 0)
            continue;
        if (entry.slice.index32)
            return store_word(sim, &row, matrix->column, index, sizeof row, error);
        int16_t offset = (int16_t)apart;
        if (apart >= INT16_MIN && apart <= INT16_MAX)
            return store_word(sim, &offset, matrix->offset, index, sizeof offset, error);
    }
    return error_set(error, STATUS_RUN, "no padding row is within a 16-bit offset of node %lld",
                     (long long)node);
}
