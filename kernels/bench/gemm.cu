/* gemm.cu: the steps of both designs, on CPUs and GPUs, and their expected results. */
#include "kernels/bench/terms.h"

BENCH_C_BEGIN
#include "kernels/bench/gemm.h"
BENCH_C_END

#ifdef HOST_PART

#include <math.h>

const char *gemm_title(enum gemm_step step)
{
    static const char *const title[] = {
#define X(name, title, cpu) title,
        GEMM_STEPS(X)
#undef X
    };
    return title[step];
}

bool gemm_on_cpu(enum gemm_step step)
{
    static const bool on_cpu[] = {
#define X(name, title, cpu) cpu,
        GEMM_STEPS(X)
#undef X
    };
    return on_cpu[step];
}

double gemm_expected(enum gemm_step step, const struct gemm *host, int64_t i, int64_t j, double *size)
{
    bool same_a = step == GEMM_NO_A || step == GEMM_NO_AB, same_b = step == GEMM_NO_B || step == GEMM_NO_AB;
    double sum = 0;
    *size = 0;
    if (step >= GEMM_WRITE && step <= GEMM_WRITE_WIDE)
        return 123;
    if (step == GEMM_NO_SUM) /* the row of A, loaded once, instead of the row of C */
        return (double)host->a[i * host->k + j % 16];
    for (int64_t k = 0; k < host->k; k++) {
        double a = (double)host->a[i * host->k + (same_a ? k % 16 : k)];
        double term = a * (double)host->b[(same_b ? k % 16 : k) * host->n + j];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

#endif
#ifdef CLONE

/* A tile of 64 x 16 as on a GPU: a local copy of a block of B, and part of a row of A and a row of C in
 * registers. */
#include <math.h>
#include <string.h>

enum { ROWS = 64, SIDE = 16 };

#ifdef __FMA__
#define MULTIPLY_ADD(a, b, c) fmaf((a), (b), (c))
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/* What a step omits */
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

/* `width` numbers of a tile's row at a time; bound: the same number, known to the compiler or not */
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
    volatile int bound = SIDE; /* unknown to the compiler */
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

#endif
#ifdef __CUDACC__

/* The first design */
enum { ROWS = 64, SIDE = 16 };

/* What a step omits or adds */
enum { NO_START = 1, NO_A = 2, NO_B = 4, NO_STORE = 8, BARRIERS = 16, UNROLLED = 32, WIDE = 64 };

/* Loads the 16 x 16 block of B whose first row is k, four numbers per thread */
template <int WHAT>
static __device__ __forceinline__ void load_b(float (*b)[SIDE], const gemm &g, int64_t k, int64_t column)
{
    if constexpr ((WHAT & WIDE) != 0) {
        int r = threadIdx.x / 4, c = threadIdx.x % 4 * 4;
        *(float4 *)&b[r][c] = *(const float4 *)(g.b + (k + r) * g.n + column + c);
    } else {
#pragma unroll
        for (int u = 0; u < 4; u++) {
            int r = threadIdx.x / SIDE + 4 * u, c = threadIdx.x % SIDE;
            b[r][c] = g.b[(k + r) * g.n + column + c];
        }
    }
}

/* Loads 16 numbers of the thread's row of A */
template <int WHAT> static __device__ __forceinline__ void load_a(float *a, const float *from)
{
    if constexpr ((WHAT & WIDE) != 0) {
#pragma unroll
        for (int u = 0; u < SIDE; u += 4) {
            float4 four = *(const float4 *)(from + u);
            a[u] = four.x, a[u + 1] = four.y, a[u + 2] = four.z, a[u + 3] = four.w;
        }
    } else {
#pragma unroll
        for (int u = 0; u < SIDE; u++)
            a[u] = from[u];
    }
}

static __device__ __forceinline__ void multiply(float *c, const float *a, const float (*b)[SIDE], bool starts)
{
#pragma unroll
    for (int k = 0; k < SIDE; k++)
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            c[j] = starts && k == 0 ? a[k] * b[k][j] : fmaf(a[k], b[k][j], c[j]);
}

template <int WHAT> static __device__ __forceinline__ void store(float *to, const float *c)
{
    if constexpr ((WHAT & WIDE) != 0) {
#pragma unroll
        for (int j = 0; j < SIDE; j += 4)
            *(float4 *)(to + j) = make_float4(c[j], c[j + 1], c[j + 2], c[j + 3]);
    } else {
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            to[j] = c[j];
    }
}

/* One block of k: the loads, unless omitted, then the sums */
template <int WHAT>
static __device__ __forceinline__ void advance(float *c, float *a, float (*b)[SIDE], const gemm &g,
                                               const float *row, int64_t column, int64_t k)
{
    if (WHAT & BARRIERS)
        __syncthreads();
    if (!(WHAT & NO_B)) {
        __syncthreads(); /* all threads have used the last block of B */
        load_b<WHAT>(b, g, k, column);
        __syncthreads();
    }
    if (WHAT & BARRIERS)
        __syncthreads();
    if (!(WHAT & NO_A))
        load_a<WHAT>(a, row + k);
    multiply(c, a, b, WHAT & NO_START && k == 0);
}

template <int WHAT> static __global__ void __launch_bounds__(ROWS) tile_16(const gemm g)
{
    __shared__ __align__(16) float b[SIDE][SIDE];
    float c[SIDE], a[SIDE];
    int64_t i = (int64_t)blockIdx.y * ROWS + threadIdx.x, column = (int64_t)blockIdx.x * SIDE;
    const float *row = g.a + i * g.k;
    if (!(WHAT & NO_START))
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            c[j] = 0;
    if (WHAT & NO_A)
        load_a<WHAT>(a, row);
    if (WHAT & NO_B) {
        load_b<WHAT>(b, g, 0, column);
        __syncthreads();
    }
    if (WHAT & UNROLLED) {
#pragma unroll 4
        for (int64_t k = 0; k < g.k; k += SIDE)
            advance<WHAT>(c, a, b, g, row, column, k);
    } else {
#pragma unroll 1
        for (int64_t k = 0; k < g.k; k += SIDE)
            advance<WHAT>(c, a, b, g, row, column, k);
    }
    if (!(WHAT & NO_STORE)) /* otherwise the compiler removes the sums, whose result is unused */
        store<WHAT>(g.c + i * g.n + column, c);
}

/* The next block of B and piece of A are loaded before the sums over the current ones. */
static __global__ void __launch_bounds__(ROWS) tile_16_ahead(const gemm g)
{
    __shared__ __align__(16) float b[2][SIDE][SIDE];
    float c[SIDE] = {0}, a[SIDE];
    int64_t i = (int64_t)blockIdx.y * ROWS + threadIdx.x, column = (int64_t)blockIdx.x * SIDE;
    const float *row = g.a + i * g.k;
    int now = 0;
    load_a<WIDE>(a, row);
    load_b<WIDE>(b[0], g, 0, column);
    __syncthreads();
    for (int64_t k = SIDE; k < g.k; k += SIDE) {
        float next[SIDE];
        load_a<WIDE>(next, row + k);
        load_b<WIDE>(b[now ^ 1], g, k, column);
        multiply(c, a, b[now], false);
        __syncthreads();
        now ^= 1;
#pragma unroll
        for (int u = 0; u < SIDE; u++)
            a[u] = next[u];
    }
    multiply(c, a, b[now], false);
    store<WIDE>(g.c + i * g.n + column, c);
}

/* No loads, no sums: the row of A that was loaded once stands for the row of C. */
static __global__ void __launch_bounds__(ROWS) copy_row(const gemm g)
{
    float a[SIDE];
    int64_t i = (int64_t)blockIdx.y * ROWS + threadIdx.x;
    load_a<0>(a, g.a + i * g.k);
    store<0>(g.c + i * g.n + (int64_t)blockIdx.x * SIDE, a);
}

enum { AT_RUN_TIME, IN_SOURCE, AS_UNROLLED, FOUR_AT_A_TIME };

template <int HOW> static __global__ void __launch_bounds__(ROWS) write_row(const gemm g, int bound)
{
    float *to = g.c + ((int64_t)blockIdx.y * ROWS + threadIdx.x) * g.n + (int64_t)blockIdx.x * SIDE;
    if (HOW == AT_RUN_TIME) {
#pragma unroll 1
        for (int j = 0; j < bound; j++)
            to[j] = 123.0f;
    } else if (HOW == IN_SOURCE) {
#pragma unroll 1
        for (int j = 0; j < SIDE; j++)
            to[j] = 123.0f;
    } else if (HOW == AS_UNROLLED) {
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            to[j] = 123.0f;
    } else {
#pragma unroll
        for (int j = 0; j < SIDE; j += 4)
            *(float4 *)(to + j) = make_float4(123.0f, 123.0f, 123.0f, 123.0f);
    }
}

/* The second design. A tile of TILE x TILE, DEEP columns of A at a time. Each thread computes EACH x EACH of
 * C: its rows and columns are EACH / 4 runs of four, 64 apart, so that adjacent threads read adjacent words
 * of shared memory. AHEAD: double buffering in shared memory; one is filled while the other is used. */
template <int TILE, int DEEP, bool AHEAD> struct square {
    static const int EACH = TILE / 16, COPIES = AHEAD ? 2 : 1, LOADS = TILE * DEEP / 4 / 256;
    float a[COPIES][DEEP][TILE + 4], b[COPIES][DEEP][TILE];

    /* The numbers of A and B that this thread copies: four at a time into registers ... */
    static __device__ __forceinline__ void fetch(float4 *of_a, float4 *of_b, const gemm &g, int64_t row,
                                                 int64_t column, int64_t k)
    {
#pragma unroll
        for (int u = 0; u < LOADS; u++) {
            int at = threadIdx.x + 256 * u;
            of_a[u] = *(const float4 *)(g.a + (row + at / (DEEP / 4)) * g.k + k + at % (DEEP / 4) * 4);
            of_b[u] = *(const float4 *)(g.b + (k + at / (TILE / 4)) * g.n + column + at % (TILE / 4) * 4);
        }
    }

    /* ... and from there into copy `to`, A transposed */
    __device__ __forceinline__ void put(int to, const float4 *of_a, const float4 *of_b)
    {
#pragma unroll
        for (int u = 0; u < LOADS; u++) {
            int at = threadIdx.x + 256 * u, r = at / (DEEP / 4), c = at % (DEEP / 4) * 4;
            a[to][c][r] = of_a[u].x;
            a[to][c + 1][r] = of_a[u].y;
            a[to][c + 2][r] = of_a[u].z;
            a[to][c + 3][r] = of_a[u].w;
            *(float4 *)&b[to][at / (TILE / 4)][at % (TILE / 4) * 4] = of_b[u];
        }
    }

    __device__ __forceinline__ void multiply(float (*c)[EACH], int from, int down, int across) const
    {
#pragma unroll
        for (int k = 0; k < DEEP; k++) {
            float left[EACH], right[EACH];
#pragma unroll
            for (int u = 0; u < EACH; u += 4) {
                *(float4 *)(left + u) = *(const float4 *)&a[from][k][16 * u + 4 * down];
                *(float4 *)(right + u) = *(const float4 *)&b[from][k][16 * u + 4 * across];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++)
                    c[i][j] = fmaf(left[i], right[j], c[i][j]);
        }
    }
};

template <int TILE, int DEEP, bool AHEAD>
static __global__ void __launch_bounds__(256) multiply_tiles(const gemm g)
{
    typedef square<TILE, DEEP, AHEAD> tiles;
    __shared__ __align__(16) tiles shared;
    __align__(16) float c[tiles::EACH][tiles::EACH] = {{0}};
    float4 of_a[tiles::LOADS], of_b[tiles::LOADS];
    int down = threadIdx.x / 16, across = threadIdx.x % 16, now = 0;
    int64_t row = (int64_t)blockIdx.y * TILE, column = (int64_t)blockIdx.x * TILE;
    tiles::fetch(of_a, of_b, g, row, column, 0);
    shared.put(0, of_a, of_b);
    __syncthreads();
    for (int64_t k = DEEP; k <= g.k; k += DEEP) {
        bool more = k < g.k;
        if (more)
            tiles::fetch(of_a, of_b, g, row, column, k);
        shared.multiply(c, now, down, across);
        if (!AHEAD)
            __syncthreads();
        if (more)
            shared.put(AHEAD ? now ^ 1 : 0, of_a, of_b);
        __syncthreads();
        now = AHEAD ? now ^ 1 : 0;
    }
#pragma unroll
    for (int i = 0; i < tiles::EACH; i++)
#pragma unroll
        for (int j = 0; j < tiles::EACH; j += 4) {
            int64_t r = row + i / 4 * 64 + 4 * down + i % 4;
            *(float4 *)(g.c + r * g.n + column + 16 * j + 4 * across) = *(const float4 *)&c[i][j];
        }
}

template <int TILE, int DEEP, bool AHEAD> static void launch_tiles(cudaStream_t stream, const gemm &g)
{
    dim3 grid((unsigned)(g.n / TILE), (unsigned)(g.m / TILE));
    multiply_tiles<TILE, DEEP, AHEAD><<<grid, 256, 0, stream>>>(g);
}

extern "C" void gemm_cuda(struct queue *queue, const struct gemm *gemm)
{
    const struct gemm g = *gemm;
    dim3 grid((unsigned)(g.n / SIDE), (unsigned)(g.m / ROWS));
    cudaStream_t s = cuda(queue)->stream;
    switch (g.step) {
    case GEMM_NO_START:
        tile_16<NO_START><<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_BARRIERS:
        tile_16<BARRIERS><<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_NO_B:
        tile_16<NO_B><<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_NO_A:
        tile_16<NO_A><<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_NO_AB:
        tile_16<NO_A | NO_B><<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_NO_SUM:
        copy_row<<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_TRAP:
        tile_16<NO_STORE><<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_WRITE:
        write_row<AT_RUN_TIME><<<grid, ROWS, 0, s>>>(g, SIDE);
        break;
    case GEMM_WRITE_BOUND:
        write_row<IN_SOURCE><<<grid, ROWS, 0, s>>>(g, SIDE);
        break;
    case GEMM_WRITE_UNROLLED:
        write_row<AS_UNROLLED><<<grid, ROWS, 0, s>>>(g, SIDE);
        break;
    case GEMM_WRITE_WIDE:
        write_row<FOUR_AT_A_TIME><<<grid, ROWS, 0, s>>>(g, SIDE);
        break;
    case GEMM_UNROLLED:
        tile_16<UNROLLED><<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_WIDE:
        tile_16<UNROLLED | WIDE><<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_BUFFERED:
        tile_16_ahead<<<grid, ROWS, 0, s>>>(g);
        break;
    case GEMM_TILE_64:
        launch_tiles<64, 16, false>(s, g);
        break;
    case GEMM_TILE_128:
        launch_tiles<128, 8, true>(s, g);
        break;
    default:
        tile_16<0><<<grid, ROWS, 0, s>>>(g);
    }
    CUDA_LAUNCHED(queue);
}

#endif
