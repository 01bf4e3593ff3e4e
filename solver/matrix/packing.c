/* packing.c: the layout of the rows, then the entries of every slice. */
#include "solver/matrix/packing.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

int64_t layout_window(int height)
{
    return height > 16 ? 16 * (int64_t)height : 256;
}

static int64_t row_length(const struct system *system, int32_t node)
{
    return node < 0 ? 0 : system->k.start[node + 1] - system->k.start[node];
}

/* What determines a layout, and arrays shared by its passes */
struct laying {
    const struct system *system;
    const uint8_t *classes;
    struct layout_order of; /* rows, sorted by class within stretches */
    int64_t window, longest;
    uint8_t *far;
    int height;
};

/* far[nodes] <- whether a row has a column more than 16 bits away in the order: one such row gives its
 * slice 32-bit columns, so these rows are grouped */
static void find_far(const struct laying *by, int32_t *position)
{
    const struct csr *k = &by->system->k;
    int64_t rows = by->of.interior + by->of.border;
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < rows + by->of.ghosts; r++)
        position[by->of.node[r]] = (int32_t)r;
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        int32_t i = by->of.node[r];
        by->far[i] = 0;
        for (int64_t e = k->start[i]; e < k->start[i + 1]; e++)
            by->far[i] |= llabs(position[k->column[e]] - r) > INT16_MAX - 2 * by->window;
    }
}

/* Sorting key of a row in a window: by descending length, then far rows first */
static int64_t key_of(const struct laying *by, int32_t node)
{
    return 2 * (by->longest - row_length(by->system, node)) + !by->far[node];
}

static int64_t buckets(const struct laying *by)
{
    return 2 * by->longest + 3;
}

/* out[] <- the rows of a window sorted by their keys (stable counting sort in bucket[]) */
static void sort_window(const struct laying *by, const int32_t *order, int64_t count, int64_t *bucket,
                        int32_t *out)
{
    memset(bucket, 0, (size_t)buckets(by) * sizeof *bucket);
    for (int64_t k = 0; k < count; k++)
        bucket[key_of(by, order[k]) + 1]++;
    for (int64_t key = 1; key < buckets(by); key++)
        bucket[key] += bucket[key - 1];
    for (int64_t k = 0; k < count; k++)
        out[bucket[key_of(by, order[k])]++] = order[k];
}

/* Rows [from, from + count) of an order, packed from row `at` on. Each class fills whole slices; stretches
 * are long enough that padding a small class costs little, and short enough that its rows stay near their
 * neighbours. */
enum { STRETCH_WINDOWS = 16 };
struct stretch {
    int64_t from, count, at;
};

/* stretch[] <- `count` rows of an order from `from` on; returns the number of stretches */
static int64_t list_stretches(struct stretch *stretch, int64_t from, int64_t count, int64_t window)
{
    int64_t most = STRETCH_WINDOWS * window, n = 0;
    for (int64_t k = 0; k < count; k += most)
        stretch[n++] = (struct stretch){from + k, k + most < count ? most : count - k, 0};
    return n;
}

/* parted[] <- the rows of a stretch by class, highest first, otherwise in their order; returns the number
 * of its packed rows */
static int64_t part_classes(const struct stretch *stretch, const int32_t *order, const uint8_t *classes,
                            int height, int32_t *parted)
{
    int64_t counts[PACKING_CLASSES] = {0}, at[PACKING_CLASSES], next = stretch->from, rows = 0;
    for (int64_t k = stretch->from; k < stretch->from + stretch->count; k++)
        counts[classes[order[k]]]++;
    for (int class = PACKING_CLASSES - 1; class >= 0; class --) {
        at[class] = next;
        next += counts[class];
        rows += (counts[class] + height - 1) / height * height;
    }
    for (int64_t k = stretch->from; k < stretch->from + stretch->count; k++)
        parted[at[classes[order[k]]]++] = order[k];
    return rows;
}

/* node[] <- the rows of a stretch: each class sorted window by window, its last slice filled up with -1 */
static void lay_stretch(const struct laying *by, const struct stretch *stretch, int64_t *bucket,
                        int32_t *node)
{
    const int32_t *row = by->of.node + stretch->from, *end = row + stretch->count;
    int64_t at = stretch->at;
    while (row < end) {
        int class = by->classes[*row];
        int64_t count = 1;
        while (count < by->window && row + count < end && by->classes[row[count]] == class)
            count++;
        sort_window(by, row, count, bucket, node + at);
        at += count;
        row += count;
        if (row == end || by->classes[*row] != class)
            while (at % by->height)
                node[at++] = -1;
    }
}

/* Allocates and fills the arrays of a layout whose sizes are set */
static enum status lay_rows(struct layout *layout, struct laying *by, const struct stretch *stretch,
                            int64_t stretches, struct error *error)
{
    int64_t n = by->system->k.rows, own = by->of.interior + by->of.border,
            all = layout->rows + layout->ghosts;
    enum status status = STATUS_OK;
    layout->node = array_new(all, sizeof *layout->node, "the permutation", &status, error);
    layout->row = array_new(n, sizeof *layout->row, "the permutation", &status, error);
    layout->classes =
        array_new(layout->rows / by->height, sizeof *layout->classes, "the permutation", &status, error);
    by->far = array_new(n, sizeof *by->far, "the permutation", &status, error);
    int64_t *bucket =
        array_new(buckets(by) * omp_get_max_threads(), sizeof *bucket, "the permutation", &status, error);
    TRY_DONE(status);
    find_far(by, layout->row);
#pragma omp parallel for schedule(dynamic)
    for (int64_t s = 0; s < stretches; s++)
        lay_stretch(by, &stretch[s], bucket + omp_get_thread_num() * buckets(by), layout->node);
#pragma omp parallel for schedule(static)
    for (int64_t s = 0; s < layout->rows / by->height; s++)
        layout->classes[s] = by->classes[layout->node[s * by->height]]; /* -1 in padding */
    memcpy(layout->node + layout->rows, by->of.node + own, (size_t)layout->ghosts * sizeof *layout->node);
    memset(layout->row, -1, (size_t)n * sizeof *layout->row);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < all; k++)
        if (layout->node[k] >= 0)
            layout->row[layout->node[k]] = (int32_t)k;
done:
    free(bucket);
    free(by->far);
    return status;
}

enum status layout_make_subdomain(struct layout *layout, const struct system *system, struct layout_order of,
                                  const uint8_t *classes, int height, int64_t window, struct error *error)
{
    int64_t n = system->k.rows, own = of.interior + of.border, longest = 0;
    memset(layout, 0, sizeof *layout);
    if (height < PACKED_LOWEST || height & (height - 1) || window < height || window % height)
        return error_set(
            error, STATUS_INPUT,
            "slices of %d rows in windows of %lld: the height of a slice must be %d times a power of "
            "two, and a window a multiple of it",
            height, (long long)window, PACKED_LOWEST);
#pragma omp parallel for schedule(static) reduction(max : longest)
    for (int64_t i = 0; i < n; i++)
        longest = row_length(system, (int32_t)i) > longest ? row_length(system, (int32_t)i) : longest;
    enum status status = STATUS_OK;
    int32_t *parted = array_new(own + of.ghosts, sizeof *parted, "the permutation", &status, error);
    struct stretch *stretch =
        array_new(own / (STRETCH_WINDOWS * window) + 2, sizeof *stretch, "the permutation", &status, error);
    TRY_DONE(status);
    int64_t inner = list_stretches(stretch, 0, of.interior, window);
    int64_t stretches = inner + list_stretches(stretch + inner, of.interior, of.border, window);
#pragma omp parallel for schedule(static)
    for (int64_t s = 0; s < stretches; s++)
        stretch[s].at = part_classes(&stretch[s], of.node, classes, height, parted);
    for (int64_t s = 0; s < stretches; s++) {
        int64_t rows = stretch[s].at;
        stretch[s].at = layout->rows;
        layout->rows += rows;
        layout->interior += s < inner ? rows : 0;
    }
    memcpy(parted + own, of.node + own, (size_t)of.ghosts * sizeof *parted);
    layout->ghosts = of.ghosts;
    layout->nodes = n;
    of.node = parted;
    struct laying by = {system, classes, of, window, longest, NULL, height};
    status = layout->rows + layout->ghosts > INT32_MAX
                 ? error_set(error, STATUS_INPUT, "the matrix has %lld rows; at most %d are supported",
                             (long long)(layout->rows + layout->ghosts), INT32_MAX)
                 : lay_rows(layout, &by, stretch, stretches, error);
done:
    free(parted);
    free(stretch);
    if (status)
        layout_free(layout);
    return status;
}

enum status layout_make(struct layout *layout, const struct system *system, const int32_t *order,
                        const uint8_t *classes, int height, int64_t window, struct error *error)
{
    return layout_make_subdomain(layout, system, (struct layout_order){order, system->k.rows, 0, 0}, classes,
                                 height, window, error);
}

void layout_free(struct layout *layout)
{
    free(layout->node);
    free(layout->row);
    free(layout->classes);
    memset(layout, 0, sizeof *layout);
}

/* Each further class in a stretch adds at most a slice of padding. */
double layout_rows(double nodes, int height, int64_t window, int classes)
{
    double stretches = ceil(nodes / (double)(STRETCH_WINDOWS * window));
    return ceil(nodes / height) * height + (classes - 1) * stretches * height;
}

double layout_bytes(double rows)
{
    return 8 * rows + rows / PACKED_LOWEST;
}

float packing_quantum(const struct scheme_length *of, const struct system *system, int64_t node)
{
    double largest = 0;
    for (int64_t k = system->k.start[node]; k < system->k.start[node + 1]; k++)
        largest = fmax(largest, fabs(system_sweep(system, of, k)));
    return nextafterf((float)(largest / INT16_MAX), INFINITY);
}

/* Host arrays of a packing under construction. */
struct draft {
    struct slice *slice;
    int16_t *offset;
    int32_t *column;
    int32_t *whole32;
    float *quantum, *value32;
    double *value, *product;
    int64_t narrow, wide, wholes, quanta, singles, doubles, products; /* lengths of the arrays above */
    int64_t entries;
};

static void draft_free(struct draft *draft)
{
    free(draft->slice);
    free(draft->offset);
    free(draft->column);
    free(draft->whole32);
    free(draft->quantum);
    free(draft->value32);
    free(draft->value);
    free(draft->product);
}

/* Whether every column of a slice is within 16 bits of its row */
static int is_narrow(const struct system *system, const struct layout *layout, int64_t s, int height)
{
    for (int64_t i = s * height; i < (s + 1) * height; i++) {
        int32_t node = layout->node[i];
        for (int64_t k = 0; k < row_length(system, node); k++) {
            int64_t apart = layout->row[system->k.column[system->k.start[node] + k]] - i;
            if (apart < INT16_MIN || apart > INT16_MAX)
                return 0;
        }
    }
    return 1;
}

/* Width, storage and offsets of every slice */
static void plan_slices(struct draft *draft, const struct system *system, const struct layout *layout,
                        int height, int group, int shared, int levels)
{
    int64_t slices = layout->rows / height;
#pragma omp parallel for schedule(static)
    for (int64_t s = 0; s < slices; s++) {
        int64_t width = 0;
        for (int64_t i = s * height; i < (s + 1) * height; i++)
            width = row_length(system, layout->node[i]) > width ? row_length(system, layout->node[i]) : width;
        if (height % group) /* otherwise the words of slices of small height would not be aligned */
            width = (width + group - 1) / group * group;
        draft->slice[s].width = (int32_t)width;
        draft->slice[s].fp32 = layout->classes[s] & PACKING_FP32 ? 1 : 0;
        draft->slice[s].whole32 = shared && layout->classes[s] & PACKING_WHOLE32;
        if (draft->slice[s].fp32 && draft->slice[s].whole32 && layout->classes[s] & PACKING_SHARED)
            draft->slice[s].fp32 = 2;
        draft->slice[s].index32 = !is_narrow(system, layout, s, height);
    }
    for (int64_t s = 0; s < slices; s++) {
        struct slice *slice = draft->slice + s;
        int64_t size = (int64_t)slice->width * height;
        int64_t *index = slice->index32 ? &draft->wide : &draft->narrow;
        int64_t *value = slice->fp32 == 1 ? &draft->singles : &draft->doubles;
        int64_t *product = slice->whole32 ? &draft->wholes : &draft->products;
        const bool cluster = layout->classes[s] == PACKING_CLUSTER;
        slice->index = *index;
        slice->product = *product;
        slice->value = shared && slice->fp32 != 1 ? slice->product : *value;
        *index += size;
        *value += size;
        *product += size;
        if (cluster && shared)
            slice->value += size;
        if (cluster && (shared || levels > 1)) /* for each level entries of the product, then of sweeps */
            *product += (2 * levels - 1) * size;
        draft->entries += size;
        draft->quanta = slice->whole32 ? layout->rows : draft->quanta;
    }
}

/* Fills the entries of slice s; padding refers to its own row with +0.0 */
static void fill_slice(struct draft *draft, const struct system *system, const struct layout *layout,
                       const struct scheme_length *of, int64_t s, int height, int group)
{
    const struct slice *slice = draft->slice + s;
    for (int r = 0; r < height; r++) {
        int64_t i = s * height + r;
        int32_t node = layout->node[i];
        bool counts = slice->whole32 && node >= 0;
        float quantum = counts ? packing_quantum(of, system, node) : 1;
        if (draft->quantum)
            draft->quantum[i] = quantum;
        for (int64_t k = 0; k < slice->width; k++) {
            int64_t at = packed_index(k, r, slice->width, height, group);
            int64_t at64 = packed_index(k, r, slice->width, height, packed_group64(group));
            int is_entry = k < row_length(system, node);
            int64_t entry = is_entry ? system->k.start[node] + k : 0;
            int32_t row = is_entry ? layout->row[system->k.column[entry]] : (int32_t)i;
            double e = is_entry ? system_sweep(system, of, entry) : 0.0;
            double product = is_entry ? system_product(system, of, entry) : 0.0;
            if (slice->index32)
                draft->column[slice->index + at] = row;
            else
                draft->offset[slice->index + at] = (int16_t)(row - i);
            if (slice->fp32 == 1)
                draft->value32[slice->value + at] = (float)e;
            else if (!slice->fp32 && draft->value)
                draft->value[slice->value + at64] = e;
            if (slice->whole32)
                draft->whole32[slice->product + at] = (int32_t)lrint(product / packed_quantum32(quantum));
            else
                draft->product[slice->product + at64] = product;
        }
    }
}

/* Fills slice s of cluster rows for level k: entries for dt 2^k divided by 2^k */
static void fill_cluster(struct draft *draft, const struct system *system, const struct layout *layout,
                         const struct cluster_rows *clustered, int k, bool shared, int64_t s, int height,
                         int group)
{
    const struct slice *slice = draft->slice + s;
    const int64_t size = (int64_t)slice->width * height;
    double *product = draft->product + slice->product + 2 * k * size;
    double *value = shared || k > 0 ? product + size : draft->value + slice->value;
    for (int r = 0; r < height; r++) {
        const int32_t node = layout->node[s * height + r];
        for (int64_t j = 0; j < slice->width; j++) {
            const int64_t at = packed_index(j, r, slice->width, height, packed_group64(group));
            const bool is_entry = j < row_length(system, node);
            value[at] = is_entry ? ldexp(cluster_row(clustered, clustered->sweep, node)[j], -k) : 0;
            product[at] = is_entry ? ldexp(cluster_row(clustered, clustered->product, node)[j], -k) : 0;
        }
    }
}

/* A copy of host[count] on the device */
static void *upload_array(const void *host, int64_t count, size_t size, struct queue *queue,
                          enum status *status, struct error *error)
{
    void *device = device_array(queue, count, size, "the packed matrix", status, error);
    if (!*status)
        *status = device_upload(queue, device, host, (size_t)count * size, error);
    return device;
}

/* Allocates the draft's arrays by the counts of its slices, and fills them */
static enum status fill_draft(struct draft *draft, const struct system *system, const struct layout *layout,
                              const struct scheme_length *of, const struct cluster_rows *clustered,
                              int levels, int height, int group, struct error *error)
{
    const bool shared = of->lumping == 1;
    const char *what = "the packed matrix";
    enum status status = STATUS_OK;
    draft->offset = array_new(draft->narrow, sizeof *draft->offset, what, &status, error);
    draft->column = array_new(draft->wide, sizeof *draft->column, what, &status, error);
    draft->whole32 = array_new(draft->wholes, sizeof *draft->whole32, what, &status, error);
    if (draft->quanta)
        draft->quantum = array_new(draft->quanta, sizeof *draft->quantum, what, &status, error);
    draft->value32 = array_new(draft->singles, sizeof *draft->value32, what, &status, error);
    if (!shared)
        draft->value = array_new(draft->doubles, sizeof *draft->value, what, &status, error);
    draft->product = array_new(draft->products, sizeof *draft->product, what, &status, error);
    TRY(status);
#pragma omp parallel for schedule(static)
    for (int64_t s = 0; s < layout->rows / height; s++)
        fill_slice(draft, system, layout, of, s, height, group);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t s = 0; s < layout->rows / height; s++)
        for (int k = 0; k < levels && layout->classes[s] == PACKING_CLUSTER; k++)
            fill_cluster(draft, system, layout, &clustered[k], k, shared, s, height, group);
    return STATUS_OK;
}

/* Makes a slice for dt 2^k, k > 0, from that for half the length: sweeps read product[], because its mass
 * is lumped. Slices of clusters refer to their entries for that length. */
static void lengthen(struct slice *slice, bool cluster, bool shared, int height)
{
    const int64_t size = (int64_t)slice->width * height;
    if (!shared)
        slice->fp32 = 0;
    if (cluster)
        slice->product += 2 * size;
    if (cluster)
        slice->value = slice->product + size;
    else if (!shared)
        slice->value = slice->product;
}

/* level[k] <- the slices of dt 2^k */
static enum status upload_levels(struct packing *packing, struct draft *draft, const struct layout *layout,
                                 int levels, bool clusters, bool shared, struct queue *queue,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < levels; k++) {
        const bool differs = k == 0 || clusters || (k == 1 && !shared);
        for (int64_t s = 0; s < packing->matrix.slices && k > 0 && differs; s++)
            lengthen(&draft->slice[s], layout->classes[s] == PACKING_CLUSTER, shared, packing->matrix.height);
        packing->level[k] = differs ? upload_array(draft->slice, packing->matrix.slices, sizeof *draft->slice,
                                                   queue, &status, error)
                                    : packing->level[k - 1];
    }
    packing->matrix.slice = packing->level[0];
    return status;
}

/* Uploads the draft; each host array is freed as soon as it is uploaded, because the set-up's peak memory
 * is here. */
static enum status upload_draft(struct packed *matrix, struct draft *draft, bool shared, struct queue *queue,
                                struct error *error)
{
    enum status status = STATUS_OK;
#define MOVE(field, count)                                                                                   \
    do {                                                                                                     \
        matrix->field = upload_array(draft->field, count, sizeof *draft->field, queue, &status, error);      \
        free(draft->field);                                                                                  \
        draft->field = NULL;                                                                                 \
    } while (0)
    MOVE(offset, draft->narrow);
    MOVE(column, draft->wide);
    MOVE(whole32, draft->wholes);
    if (draft->quantum)
        MOVE(quantum, draft->quanta);
    MOVE(value32, draft->singles);
    MOVE(product, draft->products);
    if (!shared)
        MOVE(value, draft->doubles);
#undef MOVE
    if (shared)
        matrix->value = matrix->product;
    return status;
}

enum status packing_make(struct packing *packing, const struct system *system, const struct layout *layout,
                         const struct scheme_length *of, const struct cluster_rows *clustered, int levels,
                         int height, struct queue *queue, struct error *error)
{
    int64_t slices = layout->rows / height;
    int group = queue->backend->group;
    bool shared = of->lumping == 1;
    struct draft draft = {0};
    struct packed *matrix = &packing->matrix;
    memset(packing, 0, sizeof *packing);
    *matrix = (struct packed){.rows = layout->rows, .slices = slices, .height = height, .group = group};
    enum status status = STATUS_OK;
    draft.slice = array_zeroed(slices, sizeof *draft.slice, "the slices", &status, error);
    TRY_DONE(status);
    plan_slices(&draft, system, layout, height, group, shared, levels);
    TRY_DONE(fill_draft(&draft, system, layout, of, clustered, levels, height, group, error));
    for (int64_t k = 0; k < layout->rows; k++)
        packing->entries += row_length(system, layout->node[k]);
    packing->stored = draft.entries;
    for (int64_t s = 0; s < slices; s++) {
        packing->index32_slices += draft.slice[s].index32;
        packing->whole32_slices += draft.slice[s].whole32;
    }
    TRY_DONE(upload_levels(packing, &draft, layout, levels, system->clusters != NULL, shared, queue, error));
    status = upload_draft(matrix, &draft, shared, queue, error);
done:
    if (status)
        packing_free(packing, queue);
    draft_free(&draft);
    return status;
}

void packing_free(struct packing *packing, struct queue *queue)
{
    struct packed *matrix = &packing->matrix;
    if (matrix->value != matrix->product)
        device_release(queue, matrix->value);
    for (int k = 0; k <= PARAMS_DOUBLINGS; k++)
        if (k == 0 || packing->level[k] != packing->level[k - 1])
            device_release(queue, packing->level[k]);
    device_release(queue, matrix->offset);
    device_release(queue, matrix->column);
    device_release(queue, matrix->whole32);
    device_release(queue, matrix->quantum);
    device_release(queue, matrix->value32);
    device_release(queue, matrix->product);
    memset(packing, 0, sizeof *packing);
}

/* Slices of rows with different lengths are padded by up to 4 % with the windows of layout_window. Columns
 * are within 16 bits of their row unless the band of the order is wider; it is about a cross-section of
 * the mesh. */
double packing_bytes(const struct scheme_length *of, double rows, double entries, bool fp32)
{
    const double padding = 1.06;
    double column = cbrt(rows) * cbrt(rows) > INT16_MAX / 4 ? 4 : 2;
    double sweeps = of->lumping < 1 ? 8 : fp32 ? 4 : 0;
    return padding * entries * (8 + column + sweeps) + rows / PACKED_LOWEST * (double)sizeof(struct slice);
}
