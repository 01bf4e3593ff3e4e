/* bench.h: formats, access ways and vector schemes that a run never uses, to measure the run's own against.
 *
 * Every format computes the same thing, y = E x or one Jacobi sweep y = (b - E x) / d, from the same
 * compressed rows; it is free to sum in any order (docs/theory/numerics.md, rule 1, binds what a run uses,
 * not what is measured here). Host arrays are turned into a format by its own *_make; kernels of a format
 * stand in its .c and .cu. */
#ifndef CARDIAC_KERNELS_BENCH_BENCH_H
#define CARDIAC_KERNELS_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/csr.h"
#include "kernels/device/queue.h"

/* Values, vectors, sums: all fp64; values and x in fp32, sums in fp64; the same with x rounded as it is read;
 * all fp32. */
enum numbers { NUMBERS_DOUBLE, NUMBERS_MIXED, NUMBERS_CAST, NUMBERS_SINGLE, NUMBERS_KINDS };

/* How x is read: as any memory; through the read-only path; as a texture; from shared memory where a block of
 * rows has loaded a window of it. A CPU knows the first only. */
enum reads { READS_PLAIN, READS_CACHED, READS_TEXTURE, READS_SHARED, READS_KINDS };

/* Vectors hold this many words more than the matrix has rows: what fills up a slice reads there. */
enum { BENCH_SLACK = 256 };

/* Arrays on the device. y_i = sum_j e_ij x_j where b is NULL, else (b_i - sum_j e_ij x_j) inverse_i. */
struct operands {
    const double *x64;
    const float *x32;
    double *y64; /* not written by NUMBERS_SINGLE */
    float *y32;  /* y rounded; NULL = not written */
    const double *b, *inverse;
    const float *b32, *inverse32; /* the same for NUMBERS_SINGLE */
    int64_t columns;              /* length of x */
    uint64_t texture;             /* of the x that is read, for READS_TEXTURE */
};

struct blas;
struct csr_device;
struct csr_classes;
struct csr_split;
struct csr_way;
struct gemm;
struct jds;
struct vendor;
struct sell;
struct sell_way;
struct stream;
struct ablation;

struct bench_device {
    const char *name; /* of the backend that it belongs to */
    unsigned reads;   /* bit 1 << enum reads of each way it has */

    void (*csr)(struct queue *queue, const struct csr_device *matrix, const struct csr_way *way,
                const struct operands *operands);
    void (*csr_classes)(struct queue *queue, const struct csr_classes *matrix, int lanes,
                        const struct operands *operands);
    void (*csr_split)(struct queue *queue, const struct csr_split *matrix, int lanes,
                      const struct operands *operands);
    void (*jds)(struct queue *queue, const struct jds *matrix, enum numbers numbers,
                const struct operands *operands);
    void (*sell)(struct queue *queue, const struct sell *matrix, const struct sell_way *way,
                 const struct operands *operands);

    /* One sweep of a run with a part left out: kernels/bench/ablation.h */
    void (*ablation)(struct queue *queue, const struct ablation *sweep);

    /* out64 and out32 (each may be NULL) <- in; out[i] <- in[order[i]] */
    void (*copy)(struct queue *queue, int64_t count, const double *in, double *out64, float *out32);
    void (*gather)(struct queue *queue, int64_t count, const int32_t *order, const double *in, double *out);

    void (*stream)(struct queue *queue, const struct stream *stream);
    void (*gemm)(struct queue *queue, const struct gemm *gemm);

    /* The row starts of that matrix become what csr_way.constant reads (it must have few enough rows). */
    void (*csr_constant)(struct queue *queue, const struct csr_device *matrix);

    /* The library that the matrix product is compared with; NULL where it is not installed:
     * kernels/bench/blas.h */
    const char *blas_name;
    struct blas *(*blas_open)(struct queue *queue);
    void (*blas_close)(struct blas *blas);
    void (*blas_gemm)(struct blas *blas, const struct gemm *gemm);

    /* to <- from by the driver, or the C library */
    void (*vendor_copy)(struct queue *queue, size_t bytes, const void *from, void *to);
    /* A library's own format of a matrix: kernels/bench/vendor.h; NULL on a CPU */
    struct vendor *(*vendor_new)(struct queue *queue, const struct csr_device *csr, const struct sell *sell,
                                 int64_t columns, enum numbers numbers, bool prepared);
    void (*vendor_run)(struct queue *queue, struct vendor *rival, const struct operands *operands);
    void (*vendor_free)(struct vendor *rival);

    /* A texture over count words of size 4 or 8 at memory; 0 = there is none */
    uint64_t (*texture)(struct queue *queue, const void *memory, int64_t count, int size);
    void (*texture_free)(struct queue *queue, uint64_t texture);

    /* Seconds of body(argument) as the device executes it: `runs` times in a row (on a GPU as one graph),
     * their mean. NaN when the device failed. */
    double (*time)(struct queue *queue, void (*body)(void *), void *argument, int runs);
    /* Registers of a thread, and bytes that it has no registers for; NULL on a CPU */
    void (*kernel_takes)(const void *kernel, int *registers, int *spilled);
};

/* What belongs to that backend */
const struct bench_device *bench_device(const struct backend *backend);

/* A copy of host[count] on the device, in *device; NULL host = zeroed memory. Sticks to the first error:
 * does nothing if *status is one. Returns what it put into *device. */
void *bench_upload(struct queue *queue, const void *host, int64_t count, size_t size, enum status *status,
                   struct error *error);
/* The row starts as 32 bits */
int32_t *bench_upload_starts(struct queue *queue, const struct csr *from, enum status *status,
                             struct error *error);

#endif
