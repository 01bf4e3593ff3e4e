/* loops.h: the loops over a block of cells on the CPU, compiled for each model once per instruction set
 * (kernels/device/isa.h).
 *
 * Every cell is computed with the same operations wherever it is in its block, so neither threads nor
 * vector width change a bit. */
#ifndef CARDIAC_KERNELS_IONIC_LOOPS_H
#define CARDIAC_KERNELS_IONIC_LOOPS_H

#include "kernels/ionic/formulas.h"

/* Load or store the next row of cell `at`: in state64 if the type is double or the state wide (layout.h),
 * else in state32 */
#define LOAD64(name, ...) cell.name = state64[k64++ * stride + at];
#define LOAD32(name, ...) cell.name = state32[k32++ * stride + at];
#define STORE64(name, ...) state64[k64++ * stride + at] = cell.name;
#define STORE32(name, ...) state32[k32++ * stride + at] = cell.name;
#define LOAD_OWN(name) cell.name = own[k++ * stride + at];
#define PICK(name, ...) value = which == number++ ? (double)i.name : value;

#define SIMD _Pragma("omp simd")

/* Blocks are multiples of a vector: otherwise compilers add two loops for the remaining cells, each as
 * long as this one */
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
#define IONIC_LANES 1
#elif defined(__AVX512F__)
#define IONIC_LANES 16
#elif defined(__AVX2__)
#define IONIC_LANES 8
#else
#define IONIC_LANES 4
#endif

/* A cell's step, with functions of V computed or read from the table */
#define COMPUTED(formula, real) formula##_step_##real(&c, &cell, stimulus[at])
#define TABLED(formula, real) formula##_tabled_step_##real(&c, &table, value, &cell, stimulus[at])

#define GATES(formula, real) formula##_gates_##real(&c, &cell)
#define REST(formula, real) formula##_rest_##real(&c, &cell, stimulus[at], ahead[at])
#define TABLED_GATES(formula, real) formula##_tabled_gates_##real(&c, &table, value, &cell)
#define TABLED_REST(formula, real)                                                                           \
    formula##_tabled_rest_##real(&c, &table, value, &cell, stimulus[at], ahead[at])

/* The arrays of a block; a model may leave some unused */
#define ARRAYS                                                                                               \
    const int64_t stride = block->stride;                                                                    \
    double *const state64 = block->state64;                                                                  \
    float *const state32 = block->state32;                                                                   \
    (void)state64, (void)state32, (void)stride;

/* The array of per-cell constants, and loading those of one cell */
#define ROWS(real)                                                                                           \
    const real *const own = block->own;                                                                      \
    (void)own;
#define OWN                                                                                                  \
    {                                                                                                        \
        int k = 0;                                                                                           \
        IONIC_OWN(LOAD_OWN)                                                                                  \
        (void)k;                                                                                             \
    }

/* One step of every cell by `call`; `how` is part of the function's name */
#define DEFINE_STEP(formula, how, call, real, load, store)                                                   \
    static void formula##_##how##_block_##real(const struct ionic_block *block, const void *constants,       \
                                               const struct ionic_table *from)                               \
    {                                                                                                        \
        const struct formula##_constants_##real c = *(const struct formula##_constants_##real *)constants;   \
        const struct ionic_table table = *from;                                                              \
        const real *value = table.value;                                                                     \
        double *const v = block->v;                                                                          \
        const double *const stimulus = block->stimulus, *const ahead = block->ahead;                         \
        const int cells = block->cells & -IONIC_LANES;                                                       \
        ARRAYS ROWS(real) SIMD for (int at = 0; at < cells; at++)                                            \
        {                                                                                                    \
            struct formula##_cell_##real cell;                                                               \
            int k64 = 0, k32 = 0;                                                                            \
            cell.v = v[at];                                                                                  \
            STATES_##formula(load, LOAD64) OWN call(formula, real);                                          \
            k64 = k32 = 0;                                                                                   \
            STATES_##formula(store, STORE64) v[at] = cell.v;                                                 \
            (void)k64, (void)k32, (void)value, (void)stimulus, (void)ahead;                                  \
        }                                                                                                    \
    }

/* A named current of every cell */
#define DEFINE_CURRENT(formula, real, load)                                                                  \
    static void formula##_current_block_##real(const struct ionic_block *block, const void *constants,       \
                                               int which, double *out)                                       \
    {                                                                                                        \
        const struct formula##_constants_##real c = *(const struct formula##_constants_##real *)constants;   \
        ARRAYS ROWS(real) for (int at = 0; at < block->cells; at++)                                          \
        {                                                                                                    \
            struct formula##_cell_##real cell;                                                               \
            int k64 = 0, k32 = 0, number = 0;                                                                \
            double value = 0;                                                                                \
            cell.v = block->v[at];                                                                           \
            STATES_##formula(load, LOAD64) OWN struct formula##_currents_##real i =                          \
                formula##_currents_##real(&c, &cell);                                                        \
            CURRENTS_##formula(PICK) out[at] = value;                                                        \
            (void)k64, (void)k32;                                                                            \
        }                                                                                                    \
    }

#ifndef IONIC_LOADED
#define DEFINE_FORMULA(formula)                                                                              \
    DEFINE_STEP(formula, step, COMPUTED, double, LOAD64, STORE64)                                            \
    DEFINE_STEP(formula, step, COMPUTED, float, LOAD32, STORE32)
IONIC_APPLY(DEFINE_FORMULA, IONIC_FORMULA)

#ifdef __AVX512F__
#define CURRENT_LOOPS(formula) NULL, NULL /* those of avx2 */
#else
#define DEFINE_CURRENTS(formula)                                                                             \
    DEFINE_CURRENT(formula, double, LOAD64)                                                                  \
    DEFINE_CURRENT(formula, float, LOAD32)
IONIC_APPLY(DEFINE_CURRENTS, IONIC_FORMULA)
#define CURRENT_LOOPS(formula) formula##_current_block_double, formula##_current_block_float
#endif

#ifdef IONIC_TABLED
#define DEFINE_TABLED(formula)                                                                               \
    DEFINE_STEP(formula, tabled, TABLED, double, LOAD64, STORE64)                                            \
    DEFINE_STEP(formula, tabled, TABLED, float, LOAD32, STORE32)
IONIC_APPLY(DEFINE_TABLED, IONIC_FORMULA)
#define TABLED_LOOPS(formula) formula##_tabled_block_double, formula##_tabled_block_float
#else
#define TABLED_LOOPS(formula) NULL, NULL
#endif

#define DEFINE_STAGGERED(formula)                                                                            \
    DEFINE_STEP(formula, gates, GATES, double, LOAD64, STORE64)                                              \
    DEFINE_STEP(formula, gates, GATES, float, LOAD32, STORE32)                                               \
    DEFINE_STEP(formula, rest, REST, double, LOAD64, STORE64)                                                \
    DEFINE_STEP(formula, rest, REST, float, LOAD32, STORE32)
IONIC_APPLY(DEFINE_STAGGERED, IONIC_FORMULA)
#define SUBSET_LOOPS(formula, subset) formula##_##subset##_block_double, formula##_##subset##_block_float

#ifdef IONIC_TABLED
#define DEFINE_TABLED_PARTS(formula)                                                                         \
    DEFINE_STEP(formula, tabled_gates, TABLED_GATES, double, LOAD64, STORE64)                                \
    DEFINE_STEP(formula, tabled_gates, TABLED_GATES, float, LOAD32, STORE32)                                 \
    DEFINE_STEP(formula, tabled_rest, TABLED_REST, double, LOAD64, STORE64)                                  \
    DEFINE_STEP(formula, tabled_rest, TABLED_REST, float, LOAD32, STORE32)
IONIC_APPLY(DEFINE_TABLED_PARTS, IONIC_FORMULA)
#define TABLED_SUBSET_LOOPS(formula, subset) SUBSET_LOOPS(formula, tabled_##subset)
#else
#define TABLED_SUBSET_LOOPS(formula, subset) NULL, NULL
#endif

#define DEFINE_LOOPS(formula)                                                                                \
    extern const struct ionic_loops CLONE_NAME(formula##_loops);                                             \
    const struct ionic_loops CLONE_NAME(formula##_loops) = {                                                 \
        .lanes = IONIC_LANES,                                                                                \
        .step = {formula##_step_block_double, formula##_step_block_float},                                   \
        .tabled = {TABLED_LOOPS(formula)},                                                                   \
        .gates = {SUBSET_LOOPS(formula, gates)},                                                             \
        .rest = {SUBSET_LOOPS(formula, rest)},                                                               \
        .tabled_gates = {TABLED_SUBSET_LOOPS(formula, gates)},                                               \
        .tabled_rest = {TABLED_SUBSET_LOOPS(formula, rest)},                                                 \
        .current = {CURRENT_LOOPS(formula)},                                                                 \
    };
IONIC_APPLY(DEFINE_LOOPS, IONIC_FORMULA)
#endif

#endif
