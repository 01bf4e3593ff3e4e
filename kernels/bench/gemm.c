/* gemm.c: the steps on the CPU. A tile of 64 x 16 goes through the same motions as on a GPU: a block of B
 * into a local copy, a piece of a row of A, a row of C in registers. */
#include "kernels/bench/gemm.h"

#include <math.h>
#include <string.h>

#include "kernels/bench/terms.h"

enum { ROWS = 64, SIDE = 16 };

#ifdef __FMA__
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/* What a step leaves out */
enum { NO_START = 1, NO_A = 2, NO_B = 4, NO_STORE = 8, UNROLLED = 16 };

TERM_FN void load_b(float into[SIDE][SIDE], const struct gemm *g, int64_t k, int64_t column)
{
    for (int r = 0; r < SIDE; r++)
        memcpy(into[r], g->b + (k + r) * g->n + column, sizeof into[r]);
}

TERM_FN void multiply_row(float *c, const float *a, float b[SIDE][SIDE], const int unrolled)
{
    if (unrolled) {
        BENCH_SIMD for (int j = 0; j < SIDE; j++)
        {
            float sum = c[j];
#pragma GCC unroll 16
            for (int k = 0; k < SIDE; k++)
                sum = MULTIPLY_ADD(a[k], b[k][j], sum);
            c[j] = sum;
        }
        return;
    }
    for (int k = 0; k < SIDE; k++)
        BENCH_SIMD for (int j = 0; j < SIDE; j++) c[j] = MULTIPLY_ADD(a[k], b[k][j], c[j]);
}

TERM_FN void tile(const struct gemm *g, int64_t row, int64_t column, const int what)
{
    float c[ROWS][SIDE], b[SIDE][SIDE], a[SIDE];
    if (!(what & NO_START))
        memset(c, 0, sizeof c);
    if (what & NO_B)
        load_b(b, g, 0, column);
    for (int64_t k = 0; k < g->k; k += SIDE) {
        if (!(what & NO_B))
            load_b(b, g, k, column);
        for (int r = 0; r < ROWS; r++) {
            if (what & NO_START && k == 0) /* the first products start the sums */
                for (int j = 0; j < SIDE; j++)
                    c[r][j] = 0.0f;
            memcpy(a, g->a + (row + r) * g->k + (what & NO_A ? 0 : k), sizeof a);
            multiply_row(c[r], a, b, what & UNROLLED);
        }
    }
    if (what & NO_STORE)
        return;
    for (int r = 0; r < ROWS; r++)
        memcpy(g->c + (row + r) * g->n + column, c[r], sizeof c[r]);
}

TERM_FN void all_tiles(struct queue *queue, const struct gemm *g, const int what)
{
    int64_t across = g->n / SIDE, tiles = g->m / ROWS * across;
    BENCH_PARALLEL for (int64_t t = 0; t < tiles; t++) tile(g, t / across * ROWS, t % across * SIDE, what);
}

/* No loads, no sums: the row of A that was loaded once stands for the row of C. */
static void copy_rows(struct queue *queue, const struct gemm *g)
{
    BENCH_PARALLEL for (int64_t i = 0; i < g->m; i++)
    {
        float row[SIDE];
        memcpy(row, g->a + i * g->k, sizeof row);
        for (int64_t j = 0; j < g->n; j += SIDE)
            memcpy(g->c + i * g->n + j, row, sizeof row);
    }
}

/* `width` numbers of a tile's row at a time; bound: how many that is, known to the compiler or not */
TERM_FN void write_tiles(struct queue *queue, const struct gemm *g, const int bound, const int wide)
{
    int64_t across = g->n / SIDE, tiles = g->m / ROWS * across;
    BENCH_PARALLEL for (int64_t t = 0; t < tiles; t++)
    {
        float *c = g->c + t / across * ROWS * g->n + t % across * SIDE;
        for (int r = 0; r < ROWS; r++, c += g->n)
            if (wide)
                BENCH_SIMD for (int j = 0; j < bound; j++) c[j] = 123.0f;
            else
                for (int j = 0; j < bound; j++)
                    c[j] = 123.0f;
    }
}

/* A tile of 64 x 64: 4 x 16 of C at a time in registers, A and B both copied first */
static void tile_64(struct queue *queue, const struct gemm *g)
{
    int64_t across = g->n / ROWS, tiles = g->m / ROWS * across;
    BENCH_PARALLEL for (int64_t t = 0; t < tiles; t++)
    {
        float a[ROWS][SIDE], b[SIDE][ROWS], c[ROWS][ROWS];
        int64_t row = t / across * ROWS, column = t % across * ROWS;
        memset(c, 0, sizeof c);
        for (int64_t k = 0; k < g->k; k += SIDE) {
            for (int r = 0; r < ROWS; r++)
                memcpy(a[r], g->a + (row + r) * g->k + k, sizeof a[r]);
            for (int r = 0; r < SIDE; r++)
                memcpy(b[r], g->b + (k + r) * g->n + column, sizeof b[r]);
            for (int r = 0; r < ROWS; r += 4)
                for (int j = 0; j < ROWS; j += SIDE) {
                    float sum[4][SIDE];
                    for (int i = 0; i < 4; i++)
                        memcpy(sum[i], &c[r + i][j], sizeof sum[i]);
                    for (int s = 0; s < SIDE; s++)
                        for (int i = 0; i < 4; i++)
                            BENCH_SIMD for (int l = 0; l < SIDE; l++) sum[i][l] =
                                MULTIPLY_ADD(a[r + i][s], b[s][j + l], sum[i][l]);
                    for (int i = 0; i < 4; i++)
                        memcpy(&c[r + i][j], sum[i], sizeof sum[i]);
                }
        }
        for (int r = 0; r < ROWS; r++)
            memcpy(g->c + (row + r) * g->n + column, c[r], sizeof c[r]);
    }
}

void CLONE_NAME(gemm_cpu)(struct queue *queue, const struct gemm *gemm)
{
    volatile int bound = SIDE; /* for the step whose bound the compiler must not know */
    switch (gemm->step) {
    case GEMM_NO_START:
        all_tiles(queue, gemm, NO_START);
        break;
    case GEMM_NO_A:
        all_tiles(queue, gemm, NO_A);
        break;
    case GEMM_NO_B:
        all_tiles(queue, gemm, NO_B);
        break;
    case GEMM_NO_AB:
        all_tiles(queue, gemm, NO_A | NO_B);
        break;
    case GEMM_NO_SUM:
        copy_rows(queue, gemm);
        break;
    case GEMM_TRAP:
        all_tiles(queue, gemm, NO_STORE);
        break;
    case GEMM_WRITE:
        write_tiles(queue, gemm, bound, 0);
        break;
    case GEMM_WRITE_BOUND:
        write_tiles(queue, gemm, SIDE, 0);
        break;
    case GEMM_WRITE_WIDE:
        write_tiles(queue, gemm, SIDE, 1);
        break;
    case GEMM_UNROLLED:
        all_tiles(queue, gemm, UNROLLED);
        break;
    case GEMM_TILE_64:
        tile_64(queue, gemm);
        break;
    default:
        all_tiles(queue, gemm, 0);
    }
}
