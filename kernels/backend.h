/* backend.h: the one place where the CPU and the GPU part.
 *
 * A backend is a table of functions; every entry is filled in every table. Each function takes the device's
 * queue first: on the GPU it is the stream on which work is placed in order, on the CPU it holds the number
 * of threads and the work is done before the call returns. */
#ifndef CARDIAC_KERNELS_BACKEND_H
#define CARDIAC_KERNELS_BACKEND_H

#include <stddef.h>

#include "kernels/error.h"

struct queue;
struct packed;
struct sweep;
struct product;
struct ionic_cells;
struct ionic_drive;
struct record;

struct backend {
    const char *name; /* "cpu-avx512", "cpu-avx2", "cpu-plain", "cuda" */
    int slice_height; /* rows of a slice that suit it */

    /* place: threads of a CPU (0 = all), device number of a GPU */
    enum status (*queue_new)(struct queue **queue, int place, struct error *error);
    void (*queue_free)(struct queue *queue);
    enum status (*wait)(struct queue *queue, struct error *error);

    /* Device memory, zeroed; NULL when there is none left. */
    void *(*alloc)(struct queue *queue, size_t bytes);
    void (*release)(struct queue *queue, void *memory);
    enum status (*upload)(struct queue *queue, void *device, const void *host, size_t bytes,
                          struct error *error);
    enum status (*download)(struct queue *queue, void *host, const void *device, size_t bytes,
                            struct error *error);

    /* One cell model over one group of cells; see kernels/ionic.h. */
    void (*ionic_step)(struct queue *queue, const struct ionic_cells *cells, const struct ionic_drive *drive);
    void (*ionic_current)(struct queue *queue, const struct ionic_cells *cells, const double *v, int current,
                          double *out);
};

/* The backend of that name; "cpu" is the fastest CPU table that this machine can run, "auto" the GPU if there
 * is one, else "cpu". NULL and STATUS_INPUT, with the names that exist, if there is none such here. */
const struct backend *backend_find(const char *name, struct error *error);

#endif
