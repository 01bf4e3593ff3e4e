/* pdl.cuh: programmatic dependent launch, for every kernel of a step. */
#ifndef CARDIAC_KERNELS_DEVICE_PDL_CUH
#define CARDIAC_KERNELS_DEVICE_PDL_CUH

/* Waits for the end of the kernel before, then lets the next one start, so
 * that the start of a kernel, about a microsecond, falls into the end of the last. In every kernel of a step,
 * before it writes and before it reads what the kernel before wrote; what older ones wrote may be read
 * already, for that one has waited for them. No kernel may return before this. */
static __device__ __forceinline__ void pdl_wait(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

#endif
