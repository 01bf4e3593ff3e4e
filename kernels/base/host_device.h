/* host_device.h: the few macros that let one source be read by gcc and by nvcc.
 *
 * HOST_DEVICE marks a pure function of numbers: `static inline` in C, and a host and device function in CUDA.
 */
#ifndef CARDIAC_KERNELS_BASE_HOST_DEVICE_H
#define CARDIAC_KERNELS_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define HOST_DEVICE static __host__ __device__ __forceinline__ __attribute__((unused))
#else
#define HOST_DEVICE static inline __attribute__((always_inline, unused))
#endif

#endif
