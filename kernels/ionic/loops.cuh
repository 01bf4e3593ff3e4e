/* loops.cuh: the loops over cells on the GPU: one cell a thread, its state in registers during all sub-steps.
 * For nvcc, and for NVRTC, which knows no headers of the host: only the kernels are here, ionic.cu starts
 * them. */
#ifndef CARDIAC_KERNELS_IONIC_LOOPS_CUH
#define CARDIAC_KERNELS_IONIC_LOOPS_CUH

#include "kernels/device/pdl.cuh"

extern "C" {
#include "kernels/ionic/ionic.h"
#include "kernels/ops/control.h"
}

#include "kernels/ionic/formulas.h"

#pragma nv_diag_suppress 550 /* a model without states of a type never reads their counter */

/* Blocks of a multiprocessor at least, as many as leave each thread registers for its states and what is made
 * of them: left to itself the compiler asks for all loads first and takes a third more than it needs, at the
 * price of warps. In pairs, for the warps of two blocks are one in each part of a multiprocessor. States in
 * fp32 are read and written as what is not soon wanted again: past the first cache, which keeps the tables,
 * and first to leave the second. That is worth 3 %. */
enum { PAIRS = 65536 / (2 * IONIC_CUDA_CELLS), PAIRS_AT_ONCE = 8 }; /* registers of a pair's thread; pairs */
#define ONE_STATE(...) +1
#define NEEDED_double(states) (56 + 4 * (states))
#define NEEDED_float(states) (40 + 5 * (states) / 2)
#define PAIRS_OF(needed)                                                                                     \
    (PAIRS < 2 * (needed) ? 1 : PAIRS / (needed) < PAIRS_AT_ONCE ? PAIRS / (needed) : PAIRS_AT_ONCE)
#define AT_ONCE(formula, real) (2 * PAIRS_OF(NEEDED_##real((0 STATES_##formula(ONE_STATE, ONE_STATE)))))

static __device__ __forceinline__ int64_t row_of(const struct ionic_cells &cells, int64_t at)
{
    return cells.index ? cells.index[at] : cells.first + at;
}

/* uA/uF during this step into the cells that feel this entry */
static __device__ __forceinline__ double stimulus_of(const struct ionic_drive &drive, int entry)
{
    if (!drive.stimulus_class)
        return 0;
    const double *current = drive.stimulus_current;
    if (drive.stimulus_row)
        current += (drive.control->step - drive.control->first) * drive.stimulus_row;
    return current[entry];
}

/* Also by what the record of the last step has just seen; both words are asked for at once. */
static __device__ __forceinline__ bool stopped(const struct control *control)
{
    return control && ((unsigned)control->failure | control->beyond);
}

/* The next row of cell `at`: of state64 when the type is double, else what is wide there (layout.h). */
#define LOAD64(name, ...) cell.name = __ldcg(&cells.state64[k64++ * cells.stride + at]);
#define LOAD32(name, ...) cell.name = __ldcs(&cells.state32[k32++ * cells.stride + at]);
#define STORE64(name, ...) cells.state64[k64++ * cells.stride + at] = cell.name;
#define STORE32(name, ...) __stcs(&cells.state32[k32++ * cells.stride + at], cell.name);
#define PICK(name, ...) value = which == number++ ? (double)i.name : value;

/* How a cell is stepped: by the formula, or with its functions of V from the table. */
#define COMPUTED(formula, real) formula##_step_##real(&c, &cell, stimulus)
#define TABLED(formula, real) formula##_tabled_step_##real(&c, &table, value, &cell, stimulus)

/* Its step of every cell, where `how` names it and `call` is it */
#define DEFINE_STEP(formula, how, call, real, load, store)                                                   \
    extern "C" __global__ void __launch_bounds__(IONIC_CUDA_CELLS, AT_ONCE(formula, real))                   \
        formula##_##how##_cells_##real(const struct ionic_cells cells, const struct ionic_drive drive,       \
                                       const struct formula##_constants_##real c)                            \
    {                                                                                                        \
        int64_t at = (int64_t)blockIdx.x * IONIC_CUDA_CELLS + threadIdx.x, row = 0;                          \
        struct formula##_cell_##real cell;                                                                   \
        const struct ionic_table &table = cells.table;                                                       \
        const real *value = (const real *)table.value;                                                       \
        int k64 = 0, k32 = 0, entry = 0; /* of the stimuli */                                                \
        if (at < cells.cells) {                                                                              \
            row = row_of(cells, at);                                                                         \
            if (drive.stimulus_class)                                                                        \
                entry = drive.stimulus_class[row];                                                           \
            STATES_##formula(load, LOAD64)                                                                   \
        }                                                                                                    \
        pdl_wait();                                                                                          \
        if (at >= cells.cells)                                                                               \
            return;                                                                                          \
        const bool halts = stopped(drive.control);                                                           \
        cell.v = drive.v_in[row];                                                                            \
        double stimulus = stimulus_of(drive, entry);                                                         \
        for (int step = 0; step < drive.substeps; step++)                                                    \
            call(formula, real);                                                                             \
        if (halts) /* not before: V is on its way meanwhile, and a step in vain does no harm */              \
            return;                                                                                          \
        k64 = k32 = 0;                                                                                       \
        STATES_##formula(store, STORE64) drive.v_out[row] = cell.v;                                          \
        (void)k64, (void)k32, (void)value;                                                                   \
    }

/* Its currents of every cell */
#define DEFINE_CURRENT(formula, real, load)                                                                  \
    extern "C" __global__ void __launch_bounds__(IONIC_CUDA_CELLS, AT_ONCE(formula, real))                   \
        formula##_current_cells_##real(const struct ionic_cells cells, const double *v, int which,           \
                                       double *out, const struct formula##_constants_##real c)               \
    {                                                                                                        \
        int64_t at = (int64_t)blockIdx.x * IONIC_CUDA_CELLS + threadIdx.x;                                   \
        if (at >= cells.cells)                                                                               \
            return;                                                                                          \
        struct formula##_cell_##real cell;                                                                   \
        int k64 = 0, k32 = 0, number = 0;                                                                    \
        double value = 0;                                                                                    \
        cell.v = v[row_of(cells, at)];                                                                       \
        STATES_##formula(load, LOAD64) struct formula##_currents_##real i =                                  \
            formula##_currents_##real(&c, &cell);                                                            \
        CURRENTS_##formula(PICK) out[at] = value;                                                            \
        (void)k64, (void)k32;                                                                                \
    }

#ifndef IONIC_LOADED
#define DEFINE_FORMULA(formula)                                                                              \
    DEFINE_STEP(formula, step, COMPUTED, double, LOAD64, STORE64)                                            \
    DEFINE_STEP(formula, step, COMPUTED, float, LOAD32, STORE32)                                             \
    DEFINE_CURRENT(formula, double, LOAD64)                                                                  \
    DEFINE_CURRENT(formula, float, LOAD32)
IONIC_APPLY(DEFINE_FORMULA, IONIC_FORMULA)

#ifdef IONIC_TABLED
#define DEFINE_TABLED(formula)                                                                               \
    DEFINE_STEP(formula, tabled, TABLED, double, LOAD64, STORE64)                                            \
    DEFINE_STEP(formula, tabled, TABLED, float, LOAD32, STORE32)
IONIC_APPLY(DEFINE_TABLED, IONIC_FORMULA)
#define TABLED_KERNELS(formula)                                                                              \
    {                                                                                                        \
        (const void *)formula##_tabled_cells_double, (const void *)formula##_tabled_cells_float              \
    }
#else
#define TABLED_KERNELS(formula)                                                                              \
    {                                                                                                        \
        NULL, NULL                                                                                           \
    }
#endif

#define DEFINE_KERNELS(formula)                                                                              \
    extern "C" {                                                                                             \
    extern const struct ionic_kernels formula##_kernels;                                                     \
    const struct ionic_kernels formula##_kernels = {                                                         \
        {(const void *)formula##_step_cells_double, (const void *)formula##_step_cells_float},               \
        TABLED_KERNELS(formula),                                                                             \
        {(const void *)formula##_current_cells_double, (const void *)formula##_current_cells_float},         \
    };                                                                                                       \
    }
IONIC_APPLY(DEFINE_KERNELS, IONIC_FORMULA)
#endif

#endif
