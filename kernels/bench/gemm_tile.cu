/* gemm_tile.cu: the second design: A and B both in shared memory, a square of C in the registers of each of
 * 16 x 16 threads. */
#include "kernels/bench/gemm.cuh"

/* A tile of TILE x TILE, DEEP columns of A at a time; each thread has EACH x EACH of C, its rows and columns
 * EACH / 4 runs of four, 64 apart, so that threads side by side read shared memory side by side. AHEAD: two
 * copies of the tiles in shared memory, one being filled while the other is used. */
template <int TILE, int DEEP, bool AHEAD> struct square {
    static const int EACH = TILE / 16, COPIES = AHEAD ? 2 : 1, LOADS = TILE * DEEP / 4 / 256;
    float a[COPIES][DEEP][TILE + 4], b[COPIES][DEEP][TILE];

    /* The numbers of A and B that this thread brings, four at a time, into registers ... */
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

void gemm_tile_64(cudaStream_t stream, const gemm &g)
{
    multiply_tiles<64, 16, false><<<dim3((unsigned)(g.n / 64), (unsigned)(g.m / 64)), 256, 0, stream>>>(g);
}

void gemm_tile_128(cudaStream_t stream, const gemm &g)
{
    multiply_tiles<128, 8, true><<<dim3((unsigned)(g.n / 128), (unsigned)(g.m / 128)), 256, 0, stream>>>(g);
}
