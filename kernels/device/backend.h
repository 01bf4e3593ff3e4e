/* backend.h: the table of operations in which the CPU and the GPU differ.
 *
 * A backend is a table of functions; every entry is filled in every table. Each function takes the
 * device's queue (kernels/device/queue.h) first and queues work on it in order; on the CPU the work is
 * done before the call returns. Operations return nothing: device errors are recorded in struct control or
 * reported by wait(). */
#ifndef CARDIAC_KERNELS_DEVICE_BACKEND_H
#define CARDIAC_KERNELS_DEVICE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"

struct queue;
struct packed;
struct pick;
struct pick_largest;
struct control;
struct halo;
struct readback;
struct rewind_change;
struct rewind_hold;
struct ionic_cells;
struct ionic_drive;
struct rhs;
struct step_end;
struct sweeps;
struct weighted_sum;

enum { BACKEND_EVENTS = 8 };

struct backend {
    const char *name; /* "cpu-avx512", "cpu-avx2", "cpu-plain", "cuda" */
    int slice_height; /* height of slices of the packed matrix */
    int group;        /* adjacent entries of a row (kernels/ops/packed.h) */
    int immediate;    /* 1: work is done when a call returns, so host clocks can time it */

    /* Called by queue_new and queue_free (kernels/device/queue.h) */
    enum status (*queue_new)(struct queue **queue, int ordinal, struct error *error);
    void (*queue_free)(struct queue *queue);
    enum status (*wait)(struct queue *queue, struct error *error);
    /* Bytes still available to alloc, and the peak in use; infinity and 0 if the system does not report
       them. */
    void (*memory)(struct queue *queue, double *available, double *peak);

    /* Device memory, zeroed; NULL if there is not enough. */
    void *(*alloc)(struct queue *queue, size_t bytes);
    void (*release)(struct queue *queue, void *memory);
    enum status (*upload)(struct queue *queue, void *device, const void *host, size_t bytes,
                          struct error *error);
    enum status (*download)(struct queue *queue, void *host, const void *device, size_t bytes,
                            struct error *error);

    /* Frames of arrays, copied to the host while the queue continues: kernels/device/readback.h */
    enum status (*readback_new)(struct queue *queue, size_t bytes, int slots, struct readback **readback,
                                struct error *error);
    void (*readback_free)(struct queue *queue, struct readback *readback);
    void (*readback_add)(struct queue *queue, struct readback *readback, int slot, size_t at,
                         const void *device, size_t bytes);
    enum status (*readback_send)(struct queue *queue, struct readback *readback, int slot,
                                 struct error *error);
    enum status (*readback_arrive)(struct readback *readback, int slot, const void **host,
                                   struct error *error);

    /* One cell model for one group of cells: kernels/ionic/ionic.h */
    void (*ionic_step)(struct queue *queue, const struct ionic_cells *cells, const struct ionic_drive *drive);
    void (*ionic_current)(struct queue *queue, const struct ionic_cells *cells, const double *v, int current,
                          double *out);

    /* For models compiled at run time. architecture: the compile target, such as 90 for compute capability
       9.0 (0: the device accepts none). load: kernel[count] <- the kernels of these names in a compiled
       image, for struct ionic_kernels; they stay loaded until the program ends. */
    int (*architecture)(struct queue *queue);
    enum status (*load)(struct queue *queue, const void *image, const char *const *name, const void **kernel,
                        int count, struct error *error);

    /* The operations of a diffusion step, declared in headers of the same names */
    void (*rhs)(struct queue *queue, const struct packed *matrix, const struct rhs *rhs);
    void (*solve)(struct queue *queue, const struct packed *matrix, const struct sweeps *sweeps);
    void (*step_end)(struct queue *queue, int64_t rows, const struct step_end *end);

    /* Exchange between ranks: kernels/ops/halo.h */
    enum status (*halo_open)(struct queue *queue, struct halo *halo, double *x, struct error *error);
    void (*halo_close)(struct queue *queue, struct halo *halo);
    void (*exchange)(struct queue *queue, const struct halo *halo, double *x, float *x32);

    /* Sums of V between steps: kernels/ops/weighted_sum.h */
    void (*weighted_sum)(struct queue *queue, const struct weighted_sum *sums);

    /* Values read at single nodes between steps: kernels/ops/pick.h */
    void (*pick)(struct queue *queue, const struct pick *pick);
    void (*pick_largest)(struct queue *queue, const struct pick_largest *pick);

    /* For long steps: kernels/ops/rewind.h */
    void (*hold)(struct queue *queue, const struct rewind_hold *hold);
    void (*change)(struct queue *queue, const struct rewind_change *change);
    void (*copy)(struct queue *queue, void *to, const void *from, size_t bytes);

    /* event_record sets mark k, 0 .. BACKEND_EVENTS - 1, when all work queued before it is done;
       event_elapsed returns the seconds from mark k to mark k + 1. */
    void (*event_record)(struct queue *queue, int k);
    double (*event_elapsed)(struct queue *queue, int k);

    /* Work recorded once and then replayed: kernels/device/graph.h */
    bool (*graph_replay)(struct queue *queue, const void *key, size_t bytes);
    void (*graph_begin)(struct queue *queue, const void *key, size_t bytes);
    void (*graph_end)(struct queue *queue);
    void (*graph_drop)(struct queue *queue);
};

/* The backend of that name; "cpu" is the fastest CPU table that this machine supports, "auto" the GPU if
 * there is one, else "cpu". If there is none of that name, returns NULL and sets STATUS_INPUT; the message
 * lists the names. */
const struct backend *backend_find(const char *name, struct error *error);
/* CPU table k of this build, fastest first, whether or not this machine supports it; NULL after the last */
const struct backend *backend_cpu(size_t k);

/* The ordinal for queue_new from a device name: N for "cuda:N" (0 for "cuda"), `threads` for a CPU */
int backend_ordinal(const struct backend *backend, const char *name, int threads);

#endif
