/* gemm.h: C = A B in fp32, row-major, blocked as by R. Nath, S. Tomov, J. Dongarra ("An improved MAGMA GEMM
 * for Fermi GPUs", Int. J. High Perform. Comput. Appl. 24, 2010, 511), built up step by step and with parts
 * omitted, to measure the cost of each part.
 *
 * First design (GTX 280): 64 threads compute a 64 x 16 tile of C. Each thread holds one row of the tile, 16
 * numbers, in registers; it loads 16 columns of its row of A to registers, and the block loads 16 x 16 of B
 * to shared memory. Second design (Fermi): 16 x 16 threads compute a 64 x 64 (or 128 x 128) tile, with A and
 * B in shared memory and 4 x 4 (8 x 8) of C in each thread's registers. On a CPU a loop over the tile's rows
 * replaces the threads.
 *
 * Every step has a known result (gemm_expected), including those that omit something: a kernel whose work the
 * compiler has eliminated fails that check and is not timed. GEMM_TRAP is one, to test the check. */
#ifndef CARDIAC_KERNELS_BENCH_GEMM_H
#define CARDIAC_KERNELS_BENCH_GEMM_H

#include "kernels/bench/format.h"

/* X(name, title, 1 = also on the CPU) */
#define GEMM_STEPS(X)                                                                                        \
    X(NAIVE, "naive", true)                                                                                  \
    X(NO_START, "no initialisation of C", true)                                                              \
    X(BARRIERS, "more barriers around the copy of B", false)                                                 \
    X(NO_B, "B not loaded", true)                                                                            \
    X(NO_A, "A not loaded", true)                                                                            \
    X(NO_AB, "A and B not loaded", true)                                                                     \
    X(NO_SUM, "A and B not loaded, nothing computed", true)                                                  \
    X(TRAP, "all computed, nothing stored", true)                                                            \
    X(WRITE, "write 123 only, loop bound at run time", true)                                                 \
    X(WRITE_BOUND, "write only, loop bound in the source", true)                                             \
    X(WRITE_UNROLLED, "write only, unrolled", false)                                                         \
    X(WRITE_WIDE, "write only, four at a time", true)                                                        \
    X(UNROLLED, "naive, unrolled", true)                                                                     \
    X(WIDE, "unrolled, four at a time in and out", false)                                                    \
    X(BUFFERED, "the same, next tiles loaded ahead", false)                                                  \
    X(TILE_64, "64 x 64 tile, A and B shared, 4 x 4 each", true)                                             \
    X(TILE_128, "128 x 128 tile, 8 x 8 each, loaded ahead", false)

enum gemm_step {
#define X(name, title, cpu) GEMM_##name,
    GEMM_STEPS(X)
#undef X
        GEMM_COUNT
};

/* Arrays on the device; m, n multiples of GEMM_TILE, k of 16. */
struct gemm {
    enum gemm_step step;
    int64_t m, n, k;
    const float *a, *b; /* [m][k], [k][n] */
    float *c;           /* [m][n] */
};

enum { GEMM_TILE = 128 };

const char *gemm_title(enum gemm_step step);
bool gemm_on_cpu(enum gemm_step step);

/* Returns c_ij after a step, from host copies; *size <- the sum of the absolute terms. GEMM_TRAP: what it
 * should have stored. */
double gemm_expected(enum gemm_step step, const struct gemm *host, int64_t i, int64_t j, double *size);

CLONE_DECLARE(void, gemm_cpu, (struct queue * queue, const struct gemm *gemm));
void gemm_cuda(struct queue *queue, const struct gemm *gemm);

#endif
