/* device_cells.h: cells of an ionic model taken from the host to a backend, and back. */
#ifndef CARDIAC_TESTS_DEVICE_CELLS_H
#define CARDIAC_TESTS_DEVICE_CELLS_H

#include "kernels/ionic/ionic.h"
#include "tests/support/case.h"

struct device_cells {
    struct queue *queue;
    struct ionic_cells cells; /* arrays on the device */
    double *v;                /* [rows] */
    int64_t rows;
};

/* A copy of bytes on the device; NULL stays NULL */
static inline void *device_copy(struct queue *queue, const void *host, size_t bytes)
{
    struct error error = {0};
    void *device = host ? queue->backend->alloc(queue, bytes + 1) : NULL;
    CHECK(device || !host, "no memory");
    if (device)
        CHECK_OK(device_upload(queue, device, host, bytes, &error), error);
    return device;
}

/* Bytes of the fp64 and of the fp32 states */
static inline size_t device_cells_bytes64(const struct ionic_cells *cells)
{
    return sizeof(double) * (size_t)(ionic_states64(cells->model, cells->mixed) * cells->stride);
}

static inline size_t device_cells_bytes32(const struct ionic_cells *cells)
{
    return sizeof(float) * (size_t)(cells->model->states * cells->stride) -
           sizeof(float) * (size_t)(ionic_states64(cells->model, cells->mixed) * cells->stride);
}

static inline void device_cells_put(struct device_cells *d, struct queue *queue,
                                    const struct ionic_cells *host, const double *v, int64_t rows)
{
    *d = (struct device_cells){.queue = queue, .cells = *host, .rows = rows};
    d->cells.index = device_copy(queue, host->index, sizeof(int32_t) * (size_t)host->cells);
    d->cells.state64 = device_copy(queue, host->state64, device_cells_bytes64(host));
    d->cells.state32 = device_copy(queue, host->mixed ? host->state32 : NULL, device_cells_bytes32(host));
    d->cells.table.value = device_copy(
        queue, host->table.value,
        host->table.value ? ionic_table_bytes(host->model, host->mixed, (int)host->table.per_mV) : 0);
    d->v = device_copy(queue, v, sizeof *v * (size_t)rows);
}

/* The states and v (NULL = not needed) as they are now; the device's arrays are released. */
static inline void device_cells_fetch(struct device_cells *d, const struct ionic_cells *host, double *v)
{
    struct error error = {0};
    CHECK_OK(device_download(d->queue, host->state64, d->cells.state64, device_cells_bytes64(host), &error),
             error);
    if (host->mixed)
        CHECK_OK(
            device_download(d->queue, host->state32, d->cells.state32, device_cells_bytes32(host), &error),
            error);
    if (v)
        CHECK_OK(device_download(d->queue, v, d->v, sizeof *v * (size_t)d->rows, &error), error);
    device_release(d->queue, d->cells.index);
    device_release(d->queue, d->cells.state64);
    device_release(d->queue, d->cells.state32);
    device_release(d->queue, d->cells.table.value);
    device_release(d->queue, d->v);
}

/* Steps of every cell, whose rows feel current[2] by class[rows] (NULL = none); v_in -> v_out, which may be
 * the same */
static inline void device_cells_step(struct queue *queue, const struct ionic_cells *host, double dt,
                                     int substeps, const uint16_t *class, const double *current,
                                     const double *v_in, double *v_out, int64_t rows)
{
    struct error error = {0};
    struct device_cells d;
    device_cells_put(&d, queue, host, v_in, rows);
    uint16_t *of_row = device_copy(queue, class, sizeof *class * (size_t)rows);
    double *strength = device_copy(queue, class ? current : NULL, 2 * sizeof *current);
    double *out = device_copy(queue, v_out, sizeof *out * (size_t)rows);
    struct ionic_drive drive = {.dt = dt,
                                .substeps = substeps,
                                .stimulus_class = of_row,
                                .stimulus_current = strength,
                                .v_in = d.v,
                                .v_out = v_in == v_out ? d.v : out};
    queue->backend->ionic_step(queue, &d.cells, &drive);
    CHECK_OK(device_download(queue, v_out, drive.v_out, sizeof *out * (size_t)rows, &error), error);
    device_cells_fetch(&d, host, NULL);
    device_release(queue, of_row);
    device_release(queue, strength);
    device_release(queue, out);
}

/* out[cells] <- a named current */
static inline void device_cells_current(struct queue *queue, const struct ionic_cells *host, const double *v,
                                        int current, double *out)
{
    struct error error = {0};
    struct device_cells d;
    size_t bytes = sizeof *out * (size_t)host->cells;
    device_cells_put(&d, queue, host, v, host->cells);
    double *device = queue->backend->alloc(queue, bytes);
    CHECK(device, "no memory");
    queue->backend->ionic_current(queue, &d.cells, d.v, current, device);
    CHECK_OK(device_download(queue, out, device, bytes, &error), error);
    device_cells_fetch(&d, host, NULL);
    device_release(queue, device);
}

#endif
