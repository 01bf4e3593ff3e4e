/* gemm.cu: the first design and its steps on the GPU; the second stands in gemm_tile.cu. */
#include "kernels/bench/gemm.cuh"

enum { ROWS = 64, SIDE = 16 };

/* What a step leaves out or adds */
enum { NO_START = 1, NO_A = 2, NO_B = 4, NO_STORE = 8, BARRIERS = 16, UNROLLED = 32, WIDE = 64 };

/* The 16 x 16 block of B whose first row is k, four numbers a thread */
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

/* 16 numbers of the thread's row of A */
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

/* One block of k: loads as far as they are not left out, then the sums */
template <int WHAT>
static __device__ __forceinline__ void advance(float *c, float *a, float (*b)[SIDE], const gemm &g,
                                               const float *row, int64_t column, int64_t k)
{
    if (WHAT & BARRIERS)
        __syncthreads();
    if (!(WHAT & NO_B)) {
        __syncthreads(); /* the last block of B has been used up */
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
    if (!(WHAT & NO_STORE)) /* else nothing depends on the sums, and the compiler sees that */
        store<WHAT>(g.c + i * g.n + column, c);
}

/* The next block of B and piece of A are asked for before the sums over the present ones. */
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
        gemm_tile_64(s, g);
        break;
    case GEMM_TILE_128:
        gemm_tile_128(s, g);
        break;
    default:
        tile_16<0><<<grid, ROWS, 0, s>>>(g);
    }
    CUDA_LAUNCHED(queue);
}
