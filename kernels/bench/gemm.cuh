/* gemm.cuh: between gemm.cu and gemm_tile.cu. */
#ifndef CARDIAC_KERNELS_BENCH_GEMM_CUH
#define CARDIAC_KERNELS_BENCH_GEMM_CUH

#include "kernels/device/cuda.cuh"

extern "C" {
#include "kernels/bench/gemm.h"
}

/* C = A B by tiles of 64 x 64, and of 128 x 128 with the next tiles loaded ahead */
void gemm_tile_64(cudaStream_t stream, const gemm &g);
void gemm_tile_128(cudaStream_t stream, const gemm &g);

#endif
