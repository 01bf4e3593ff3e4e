/* pdl.cuh: programmatic dependent launch, for every kernel of a step. */
#ifndef CARDIAC_KERNELS_DEVICE_PDL_CUH
#define CARDIAC_KERNELS_DEVICE_PDL_CUH

/* Waits for the end of the previous kernel, then lets the next one start, so that the start of a kernel,
 * about a microsecond, overlaps the end of the previous one. Every kernel of a step calls it before it
 * writes, before it reads what the previous kernel wrote, and before it returns. Data written by older
 * kernels may be read before the call, because the previous kernel has waited for them. */
static __device__ __forceinline__ void pdl_wait(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

#endif
