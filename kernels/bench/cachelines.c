/* cachelines.c: see cachelines.h. */
#include "kernels/bench/cachelines.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/compare.h"

enum { WARP = 32 };

/* The addresses of one load */
struct load {
    int64_t address[WARP];
    int count;
};

static int64_t distinct(int64_t *address, int64_t count, int line)
{
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++)
        found += k == 0 || address[k] / line != address[k - 1] / line;
    return found;
}

/* Counts of a warp's loads until now */
struct warp {
    double x_128, x_32, matrix_128, matrix_32;
    int64_t loads;
    int64_t *touched; /* sectors of x, with repeats */
    int64_t touches, room;
};

static enum status note_touches(struct warp *warp, const struct load *x, struct error *error)
{
    if (warp->touches + WARP > warp->room) {
        int64_t room = 2 * warp->room + 4096;
        int64_t *grown = realloc(warp->touched, (size_t)room * sizeof *grown);
        if (!grown)
            return error_memory(error, "counting lines", 8.0 * (double)room);
        warp->touched = grown;
        warp->room = room;
    }
    for (int k = 0; k < x->count; k++)
        warp->touched[warp->touches++] = x->address[k];
    return STATUS_OK;
}

/* Counts one load by a warp; entry[]: the entries' numbers, stored[]: their positions in the format */
static enum status count_load(struct warp *warp, const struct csr *from, const int64_t *entry,
                              const int64_t *stored, int count, int value_bytes, int x_bytes,
                              struct error *error)
{
    struct load x = {.count = count}, value = {.count = count}, column = {.count = count};
    if (!count)
        return STATUS_OK;
    for (int k = 0; k < count; k++) {
        x.address[k] = (int64_t)from->column[entry[k]] * x_bytes;
        value.address[k] = stored[k] * value_bytes;
        column.address[k] = stored[k] * 4;
    }
    struct load *loads[] = {&x, &value, &column};
    for (int k = 0; k < 3; k++)
        qsort(loads[k]->address, (size_t)count, sizeof(int64_t), compare_int64);
    warp->x_128 += (double)distinct(x.address, count, 128);
    warp->x_32 += (double)distinct(x.address, count, 32);
    warp->matrix_128 += (double)(distinct(value.address, count, 128) + distinct(column.address, count, 128));
    warp->matrix_32 += (double)(distinct(value.address, count, 32) + distinct(column.address, count, 32));
    warp->loads++;
    return note_touches(warp, &x, error);
}

/* Counts all loads of the warp that processes `rows` rows from `row` on, with `lanes` lanes each */
static enum status count_warp(struct warp *warp, const struct csr *from, int64_t row, int rows, int lanes,
                              bool sell, int value_bytes, int x_bytes, struct error *error)
{
    int64_t entry[WARP], stored[WARP], longest = 0;
    enum status status = STATUS_OK;
    int64_t end = row + rows < from->rows ? row + rows : from->rows;
    for (int64_t i = row; i < end; i++)
        longest =
            from->start[i + 1] - from->start[i] > longest ? from->start[i + 1] - from->start[i] : longest;
    for (int64_t k = 0; k < longest && !status; k += lanes) {
        int count = 0;
        for (int64_t i = row; i < end; i++)
            for (int l = 0; l < lanes; l++)
                if (from->start[i] + k + l < from->start[i + 1]) {
                    entry[count] = from->start[i] + k + l;
                    stored[count] = sell ? (from->start[row] / WARP + k) * WARP + (i - row) : entry[count];
                    count++;
                }
        status = count_load(warp, from, entry, stored, count, value_bytes, x_bytes, error);
    }
    return status;
}

enum status lines_count(struct lines *lines, const struct csr *from, int lanes, int value_bytes, int x_bytes,
                        struct error *error)
{
    bool sell = lanes == 0;
    int rows = sell ? WARP : WARP / lanes;
    int64_t warps = (from->rows + rows - 1) / rows, sampled = warps < LINES_WARPS ? warps : LINES_WARPS;
    struct warp warp = {0};
    double sectors = 0;
    enum status status = STATUS_OK;
    memset(lines, 0, sizeof *lines);
    for (int64_t w = 0; w < sampled && !status; w++) {
        int64_t row = w * warps / sampled * rows;
        warp.touches = 0;
        status = count_warp(&warp, from, row, rows, sell ? 1 : lanes, sell, value_bytes, x_bytes, error);
        if (warp.touches)
            qsort(warp.touched, (size_t)warp.touches, sizeof *warp.touched, compare_int64);
        sectors += (double)distinct(warp.touched, warp.touches, 32);
    }
    free(warp.touched);
    if (status || !warp.loads)
        return status;
    double loads = (double)warp.loads;
    *lines = (struct lines){warp.x_128 / loads,     warp.x_32 / loads,         warp.matrix_128 / loads,
                            warp.matrix_32 / loads, sectors / (double)sampled, loads / (double)sampled};
    return STATUS_OK;
}
