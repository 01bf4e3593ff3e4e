/* host_device.h: macros with which one source compiles with gcc and with nvcc.
 *
 * HOST_DEVICE marks a pure function of numbers: `static inline` in C, a host and device function in CUDA. */
#ifndef CARDIAC_KERNELS_BASE_HOST_DEVICE_H
#define CARDIAC_KERNELS_BASE_HOST_DEVICE_H

#ifdef __CUDACC__
#define HOST_DEVICE static __host__ __device__ __forceinline__ __attribute__((unused))
#else
#define HOST_DEVICE static inline __attribute__((always_inline, unused))
#endif

#endif
