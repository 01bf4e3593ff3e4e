/* format.h: sparse formats for the bench only, each in one file: its layout, its CPU loops, its CUDA kernels
 * and its rows of the bench.
 *
 * Every format computes y = E x, or one Jacobi sweep y = (b - E x) / d, from the same compressed rows, and
 * may sum in any order (rule 1 of docs/theory/numerics.md applies to simulations only). format_reference
 * specifies the result. To add a format, add a file <name>.cu like kernels/bench/jds.cu and an entry in
 * FORMATS. The file is compiled as C for its layout, as C once per instruction set for its loops
 * (kernels/device/isa.h), and as CUDA if a compiler is available. */
#ifndef CARDIAC_KERNELS_BENCH_FORMAT_H
#define CARDIAC_KERNELS_BENCH_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/csr.h"
#include "kernels/device/isa.h"
#include "kernels/device/queue.h"

#define FORMATS(X) X(csr) X(jds) X(sell) X(csr_classes) X(csr_split)

/* Types of values, vectors and sums: all fp64; values and x fp32, sums fp64; the same, but x stored in fp64
 * and rounded when read; all fp32 */
enum numbers { NUMBERS_DOUBLE, NUMBERS_MIXED, NUMBERS_CAST, NUMBERS_SINGLE, NUMBERS_KINDS };

/* How x is read: by ordinary loads; through the read-only cache; as a texture; from a window in shared memory
 * loaded by a block of rows. CPUs support the first only. */
enum reads { READS_PLAIN, READS_CACHED, READS_TEXTURE, READS_SHARED };

/* Vectors have this many words more than the matrix has rows, which padding reads. */
enum { FORMAT_SLACK = 256 };

/* Arrays on the device. y_i = sum_j e_ij x_j if b is NULL, else (b_i - sum_j e_ij x_j) inverse_i. */
struct operands {
    const double *x64;
    const float *x32;
    double *y64; /* not written by NUMBERS_SINGLE */
    float *y32;  /* y rounded; NULL = not written */
    const double *b, *inverse;
    const float *b32, *inverse32; /* the same for NUMBERS_SINGLE */
    int64_t columns;              /* length of x */
    uint64_t texture;             /* of x, for READS_TEXTURE */
};

/* What the layout of a matrix depends on */
struct shape {
    int height, group;     /* SELL: rows per slice, 0 = all; adjacent entries of a row: 1, 2 or 4 */
    const uint8_t *single; /* 1 = fp32: [rows] of csr_classes, [entries] of csr_split */
    int64_t separator;     /* csr_classes: rows below it are fp32, -1 = each row has a flag */
};

/* How kernels read a matrix */
struct way {
    enum numbers numbers;
    enum reads reads;
    int lanes;     /* CSR: 1, 2, 4, ... 32 threads per row */
    bool constant; /* CSR: row starts from constant memory */
    bool narrow;   /* SELL: 16-bit offsets */
};

/* A matrix in a format. Arrays are on the device; those unused by the format are NULL. */
enum format_array {
    FORMAT_START,
    FORMAT_SLICE,
    FORMAT_ROW,
    FORMAT_FLAG,
    FORMAT_COLUMN,
    FORMAT_OFFSET,
    FORMAT_VALUE,
    FORMAT_SINGLE,
    FORMAT_START32,
    FORMAT_COLUMN32,
    FORMAT_ARRAYS
};
struct stored {
    const struct format *format;
    struct shape shape;
    int64_t rows, entries;
    int64_t padded;  /* entries, including padding */
    int64_t singles; /* entries in fp32, if a matrix has both kinds */
    int64_t slices;
    int32_t diagonals;
    int32_t height; /* rows per slice */
    union {
        struct { /* in the order of enum format_array */
            int32_t *start;
            int64_t *slice;
            int32_t *row;
            uint8_t *flag;
            int32_t *column;
            int16_t *offset; /* column minus row; NULL unless all fit 16 bits */
            double *value;
            float *single; /* value, rounded */
            int32_t *start32, *column32;
        };
        void *array[FORMAT_ARRAYS];
    };
};

/* A row of the bench */
struct variant {
    char name[80];
    struct way way;
    int index_bytes;     /* per column index */
    int lines;           /* lanes whose cache lines are counted (kernels/bench/cachelines.h), -1 = none */
    const char *missing; /* why it cannot be measured, or NULL */
};

typedef void format_run(struct queue *queue, const struct stored *matrix, const struct way *way,
                        const struct operands *operands);

enum format_code { FORMAT_PLAIN, FORMAT_AVX2, FORMAT_AVX512, FORMAT_AVX512_LOADS, FORMAT_CUDA, FORMAT_CODES };

/* A matrix under construction, with arrays on the host */
struct draft {
    struct stored host;
    size_t bytes[FORMAT_ARRAYS];
};

struct format {
    format_run *run[FORMAT_CODES];
    /* Fills a draft in which format, shape, rows and entries are set. Errors: STATUS_RUN if out of memory,
     * STATUS_INPUT if padding would exceed ten times the entries. */
    enum status (*fill)(struct draft *draft, const struct csr *from, struct error *error);
    const struct shape *shapes; /* for the section `formats`; NULL = not part of it */
    int shape_count;
    void (*title)(const struct shape *shape, char title[40]);
    /* *variant <- row k of the bench of a matrix; false after the last. slice_height: a simulation's on this
     * device. */
    bool (*variant)(struct variant *variant, int k, const struct stored *matrix, int slice_height);
};

#define FORMAT_DECLARE(name)                                                                                 \
    extern const struct format format_##name;                                                                \
    CLONE_DECLARE(void, format_##name,                                                                       \
                  (struct queue * queue, const struct stored *matrix, const struct way *way,                 \
                   const struct operands *operands));                                                        \
    format_run format_##name##_cuda;
FORMATS(FORMAT_DECLARE)

/* Copies the row starts of that matrix to constant memory, for way.constant (kernels/bench/csr.cu). */
void format_constant_cuda(struct queue *queue, const struct stored *matrix);

#ifdef CARDIAC_CUDA
#define FORMAT_GPU(name) [FORMAT_CUDA] = format_##name##_cuda,
#else
#define FORMAT_GPU(name)
#endif
#ifdef CARDIAC_CLONES_AVX512
#define FORMAT_WIDE(name)                                                                                    \
    [FORMAT_AVX512] = format_##name##_avx512, [FORMAT_AVX512_LOADS] = format_##name##_avx512_loads,
#else
#define FORMAT_WIDE(name)
#endif
#ifdef CARDIAC_CLONES_X86
#define FORMAT_X86(name) [FORMAT_AVX2] = format_##name##_avx2, FORMAT_WIDE(name)
#else
#define FORMAT_X86(name)
#endif
/* .run of a format */
#define FORMAT_RUNS(name)                                                                                    \
    {                                                                                                        \
        FORMAT_GPU(name) FORMAT_X86(name)[FORMAT_PLAIN] = format_##name##_plain                              \
    }

/* *matrix <- `from` in a format, on the device; shape NULL = the format has none. On failure nothing needs to
 * be freed. */
enum status format_make(struct stored *matrix, const struct format *format, const struct csr *from,
                        const struct shape *shape, struct queue *queue, struct error *error);

/* Allocates a draft's array of count items on the host */
enum status format_room(struct draft *draft, enum format_array array, int64_t count, size_t size,
                        struct error *error);
/* Copies start and column of `from` */
enum status format_copy_pattern(struct draft *draft, const struct csr *from, struct error *error);

/* 2, 4, ... 32 lanes per row: the smallest power of two that is at least the mean row length */
int format_lanes(int64_t rows, int64_t entries);

/* y[rows] <- E x, or (b - E x) inverse if b is not NULL, in fp64 in the order of the entries; size[rows] <-
 * the sum of the absolute terms, 1 for an empty row */
void format_reference(double *y, double *size, const struct csr *from, const double *x, const double *b,
                      const double *inverse);

/* Returns a copy of host[count] on the device; host NULL = zeroed memory. Does nothing if *status is an
 * error. */
void *format_upload(struct queue *queue, const void *host, int64_t count, size_t size, enum status *status,
                    struct error *error);

#endif
