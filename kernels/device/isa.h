/* isa.h: one source, compiled once per instruction set, so that one program runs well on every machine.
 *
 * CMake compiles each file that a folder names behind CLONED three times: CLONE = plain (the base of the
 * platform), avx2 (AVX2 and FMA) and avx512 (AVX-512 F, DQ, VL). What such a file exports is named by
 * CLONE_NAME, and its header declares all three by CLONE_DECLARE; the tables in kernels/backends.c pick one
 * set when the program starts. The clones give identical bits: fma() is exact in each of them (in `plain` it
 * may be a slow call) and the compiler contracts nothing by itself. Where the compiler has no such
 * instruction sets (CARDIAC_CLONES_X86 undefined) only `plain` exists. The loops over rows have a fourth
 * clone, avx512_loads: AVX-512 that gathers by single loads (kernels/ops/gather_trial.h). */
#ifndef CARDIAC_KERNELS_DEVICE_ISA_H
#define CARDIAC_KERNELS_DEVICE_ISA_H

#define CLONE_PASTE(name, clone) name##_##clone
#define CLONE_EXPAND(name, clone) CLONE_PASTE(name, clone)

/* In a cloned source: ionic_step_cpu -> ionic_step_cpu_avx512 */
#define CLONE_NAME(name) CLONE_EXPAND(name, CLONE)

/* In its header: CLONE_DECLARE(void, ionic_step_cpu, (struct queue *queue, ...)); */
#define CLONE_DECLARE(type, name, arguments)                                                                 \
    type name##_plain arguments;                                                                             \
    type name##_avx2 arguments;                                                                              \
    type name##_avx512 arguments;                                                                            \
    type name##_avx512_loads arguments

#endif
