/* isa.h: one source, compiled once per instruction set, so that one program runs well on every machine.
 *
 * CMake compiles each file listed after CLONED in a folder's CMakeLists.txt three times: CLONE = plain
 * (the baseline of the platform), avx2 (AVX2 and FMA) and avx512 (AVX-512 F, DQ, VL). Such a file names
 * its exported functions with CLONE_NAME, and its header declares all of them with CLONE_DECLARE; a table
 * in kernels/backends.c is chosen when the program starts. The clones give identical bits: fma() is exact
 * in each of them (in `plain` it may be a slow call) and the compiler does not contract expressions.
 * Without CARDIAC_CLONES_X86 only `plain` exists, without CARDIAC_CLONES_AVX512 no clone of AVX-512. The loops
 * over rows (kernels/ops and kernels/bench) have a fourth clone, avx512_loads: AVX-512 that gathers with single
 * loads (kernels/ops/gather_trial.h). */
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
