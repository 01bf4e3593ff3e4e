/* case.h: one matrix under one permutation, with random vectors and the fp64 reference. */
#ifndef CARDIAC_APP_BENCH_CASE_H
#define CARDIAC_APP_BENCH_CASE_H

#include "app/bench/matrix.h"

enum permuted { PERMUTED_SYMMETRIC, PERMUTED_ROWS };

struct bench_case {
    const struct bench_matrix *matrix;
    bool sweep;                          /* y = (b - E x) / d, else y = A x */
    struct csr rows;                     /* permuted, host */
    const int32_t *order;                /* [rows] mesh number of each row; NULL = identity. Not owned. */
    int64_t longest;                     /* entries of the longest row */
    double *x, *b, *inverse;             /* host; b and inverse NULL unless sweep */
    double *want, *size;                 /* [rows] reference, and the sum of its terms' absolute values */
    double *y64, *x64, *b64, *inverse64; /* device */
    float *y32, *x32, *b32, *inverse32;
    uint64_t texture64, texture32;
};

/* *c <- a case with that order: order[k] = mesh number of the k-th row, NULL = identity. bench_release() frees it. */
enum status bench_case_make(struct bench_case **c, struct bench *bench, const struct bench_matrix *matrix,
                            bool sweep, const int32_t *order, enum permuted permuted, struct error *error);

/* Operands for that kind of numbers; with_y32: also write y rounded. */
struct operands bench_case_operands(const struct bench_case *c, enum numbers numbers, bool with_y32);

/* *found <- max_i |y_i - want_i| / size_i of y64, or of y32 if narrow; NaN if any y_i is NaN. */
enum status bench_case_error(const struct bench_case *c, struct bench *bench, bool narrow, double *found,
                             struct error *error);

/* Fills the fields of a trial that follow from the case: nan_fill, limit, flops, and the bytes that must be read and
 * written once, with index_bytes for an entry's column. */
void bench_case_trial(const struct bench_case *c, enum numbers numbers, double index_bytes,
                      struct measurement *trial);

/* The case's matrix in a format, with one way of reading x */
struct bench_product {
    struct bench *bench;
    const struct bench_case *c;
    struct stored matrix;
    struct way way;
    struct operands operands;
};
void bench_product_run(void *product);
enum status bench_product_check(void *product, struct bench *bench, double *found, struct error *error);
/* Measures it and adds its row; more_bytes: in addition to those of bench_case_trial() */
enum status bench_product_trial(struct bench_product *product, const char *variant, double index_bytes,
                                double more_bytes, struct error *error);

/* Adds rows of cuSPARSE on the same case, if available: CSR and sliced ELL, in fp64 and with fp32 values, with the
 * update kernel that a sweep needs; the second only CSR, its names ending in `suffix` */
enum status bench_rivals(struct bench *bench, const struct bench_case *c, struct error *error);
enum status bench_rival_csr(struct bench *bench, const struct bench_case *c, const char *suffix,
                            struct error *error);

/* Adds to the last row the cache lines that a load touches (kernels/bench/cachelines.h), with `lanes` lanes a row
 * (0 = slices), and the padding unless it is 0. */
enum status bench_add_lines(struct bench *bench, const struct bench_case *c, int lanes, double padding,
                            struct error *error);

#endif
