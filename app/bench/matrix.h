/* matrix.h: the matrices to measure: the simulator's own, implicit and explicit, or one from a file. */
#ifndef CARDIAC_APP_BENCH_MATRIX_H
#define CARDIAC_APP_BENCH_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "app/bench/bench.h"
#include "app/config/config.h"
#include "app/problem/problem.h"
#include "kernels/base/csr.h"
#include "kernels/base/error.h"
#include "solver/matrix/assembly.h"
#include "solver/matrix/ordering.h"

/* The problem of a config (without --config: the bench's own slab), refined as requested. */
struct bench_problem {
    struct config config;
    struct problem problem;
    int32_t *element_region; /* of the split mesh */
};

enum status bench_problem_open(struct bench_problem *problem, struct bench *bench, struct error *error);
void bench_problem_free(struct bench_problem *problem);

/* Host arrays, mesh (or file) order. */
struct bench_matrix {
    char name[80];
    int64_t rows, columns;
    struct csr full;      /* with the diagonal */
    struct csr off;       /* without it; of square matrices */
    double *diagonal;     /* [rows] a_ii; NULL if sweeps are impossible */
    const char *no_sweep; /* why they are */
    bool explicit_step;   /* the product is a time step, which can be repeated */
    double *rate;         /* [rows] sum_j |e_ij| / m_i, for the budget in mV; NULL for files */
    double bound, beta;   /* of the budget, as in the solver */
    double budget;        /* mV a step */
    struct csr pattern; /* symmetric, off-diagonal, for orderings; for a mesh's matrix equal to that of off */
    struct mesh mesh;   /* for Hilbert's curve; empty for files */
};

/* A = M + theta dt K of that problem (implicit), or the explicit step I - dt M^-1 K */
enum status bench_matrix_own(struct bench_matrix *matrix, const struct bench_problem *problem, bool implicit,
                             struct error *error);
void bench_matrix_free(struct bench_matrix *matrix);

/* Calls run(bench, matrix, sweep, error) for the file's matrix, or for the problem's implicit one and, unless sweep,
 * its explicit one. */
enum status bench_each_matrix(struct bench *bench, bool sweep,
                              enum status (*run)(struct bench *bench, const struct bench_matrix *matrix,
                                                 bool sweep, struct error *error),
                              struct error *error);

/* Sparse matrices in the Matrix Market exchange format (R. F. Boisvert, R. Pozo, K. A.
 * Remington, NISTIR 5935, 1996), plain or gzipped.
 *
 *   %%MatrixMarket matrix coordinate real|integer|pattern general|symmetric|skew-symmetric
 *   % comments
 *   rows columns entries
 *   i j value          one line an entry, numbered from 1
 *
 * Symmetric files contain the lower triangle, skew-symmetric ones without the diagonal. The entries of a pattern are
 * 1. Entries that are given twice are added, as the format requires. Not supported: arrays (dense), complex,
 * hermitian. */

/* *market <- the matrix; columns ascend in each row, without duplicates. Errors: STATUS_INPUT with file:line:column;
 * STATUS_RUN if out of memory. */
enum status matrix_market_read(struct csr *market, const char *path, struct error *error);

#endif
