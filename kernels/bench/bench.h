/* bench.h: what a backend can measure: formats, sweeps with parts omitted, roofline ceilings and vector
 * operations; and its clock. */
#ifndef CARDIAC_KERNELS_BENCH_BENCH_H
#define CARDIAC_KERNELS_BENCH_BENCH_H

#include "kernels/bench/ablation.h"
#include "kernels/bench/format.h"
#include "kernels/bench/gemm.h"
#include "kernels/bench/stream.h"
#include "kernels/bench/vendor.h"

struct bench_device {
    const char *name;      /* of its backend */
    enum format_code code; /* format->run of its kernels */
    unsigned reads;        /* bit 1 << r for each supported enum reads r */

    /* One sweep of a simulation with a part omitted (kernels/bench/ablation.h) */
    void (*ablation)(struct queue *queue, const struct ablation *sweep);

    /* out64 and out32 (each may be NULL) <- in; out[i] <- in[order[i]] */
    void (*copy)(struct queue *queue, int64_t count, const double *in, double *out64, float *out32);
    void (*gather)(struct queue *queue, int64_t count, const int32_t *order, const double *in, double *out);

    void (*stream)(struct queue *queue, const struct stream *stream);
    void (*gemm)(struct queue *queue, const struct gemm *gemm);

    /* kernels/bench/vendor.h; the products of a sparse matrix are NULL on a CPU */
    const char *blas_name;
    struct vendor_blas *(*blas_open)(struct queue *queue);
    void (*blas_close)(struct vendor_blas *blas);
    void (*blas_gemm)(struct vendor_blas *blas, const struct gemm *gemm);
    void (*vendor_copy)(struct queue *queue, size_t bytes, const void *from, void *to);
    struct vendor *(*vendor_new)(struct queue *queue, const struct stored *matrix, int64_t columns,
                                 enum numbers numbers, bool prepared);
    void (*vendor_run)(struct queue *queue, struct vendor *rival, const struct operands *operands);
    void (*vendor_free)(struct vendor *rival);

    /* Mean seconds per call of body(argument) over `runs` calls (on a GPU as one graph); NaN if the device
     * failed. */
    double (*time)(struct queue *queue, void (*body)(void *), void *argument, int runs);

    /* Copies the matrix's row starts to constant memory, for way.constant; NULL on a CPU. */
    void (*constant)(struct queue *queue, const struct stored *matrix);
    /* Makes a texture over count words of size 4 or 8 at memory; 0 = failure */
    uint64_t (*texture)(struct queue *queue, const void *memory, int64_t count, int size);
    void (*texture_free)(struct queue *queue, uint64_t texture);
    /* Registers per thread, and bytes spilled to memory */
    void (*kernel_takes)(const void *kernel, int *registers, int *spilled);
};

/* The bench operations of a backend */
const struct bench_device *bench_device(const struct backend *backend);

/* The formats of FORMATS, the last followed by NULL */
extern const struct format *const format_list[];

/* Operations of the GPU; the contracts are those of struct bench_device. */
void bench_copy_cuda(struct queue *queue, int64_t count, const double *in, double *out64, float *out32);
void bench_gather_cuda(struct queue *queue, int64_t count, const int32_t *order, const double *in,
                       double *out);
uint64_t bench_texture_cuda(struct queue *queue, const void *memory, int64_t count, int size);
void bench_texture_free_cuda(struct queue *queue, uint64_t texture);
double bench_time_cuda(struct queue *queue, void (*body)(void *), void *argument, int runs);
void bench_kernel_takes_cuda(const void *kernel, int *registers, int *spilled);

#endif
