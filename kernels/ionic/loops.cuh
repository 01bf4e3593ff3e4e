/* loops.cuh: the loops over cells on the GPU: one thread per cell, its state in registers during all
 * sub-steps. For nvcc and for NVRTC, which has no host headers; ionic.cu launches the kernels. */
#ifndef CARDIAC_KERNELS_IONIC_LOOPS_CUH
#define CARDIAC_KERNELS_IONIC_LOOPS_CUH

#include "kernels/device/pdl.cuh"

extern "C" {
#include "kernels/ionic/ionic.h"
#include "kernels/ops/control.h"
}

#include "kernels/ionic/formulas.h"

#pragma nv_diag_suppress 550 /* a model without states of a type never reads their counter */

/* Minimum blocks per multiprocessor, the most that leave each thread enough registers for its states and
 * temporaries: by default the compiler issues all loads first and uses a third more registers, hence fewer
 * warps. Even, because the warps of two blocks fill the four parts of a multiprocessor evenly. fp32 states
 * are read and written with evict-first hints, bypassing L1, which holds the tables: 3 % faster.
 * PAIRS: registers per thread if one pair of blocks runs; PAIRS_AT_ONCE: maximum number of pairs. */
enum { PAIRS = 65536 / (2 * IONIC_CUDA_CELLS), PAIRS_AT_ONCE = 8 };
#define ONE_STATE(...) +1
#define NEEDED_double(states) (56 + 4 * (states))
#define NEEDED_float(states) (40 + 5 * (states) / 2)
#define PAIRS_OF(needed)                                                                                     \
    (PAIRS < 2 * (needed) ? 1 : PAIRS / (needed) < PAIRS_AT_ONCE ? PAIRS / (needed) : PAIRS_AT_ONCE)
#define AT_ONCE(formula, real) (2 * PAIRS_OF(NEEDED_##real((0 STATES_##formula(ONE_STATE, ONE_STATE)))))

static __device__ __forceinline__ int64_t row_of(const struct ionic_cells &cells, int64_t at)
{
    return cells.index ? cells.index[at] : at;
}

/* uA/uF during this step in cells with this index */
static __device__ __forceinline__ double stimulus_of(const struct ionic_drive &drive, int entry)
{
    if (!drive.stimulus_class)
        return 0;
    const double *current = drive.stimulus_current;
    if (drive.stimulus_row)
        current += (drive.control->step - drive.control->first) * drive.stimulus_row;
    return current[entry];
}

/* mV, the change by diffusion over all sub-steps */
static __device__ __forceinline__ double held_of(const struct ionic_drive &drive, int64_t row)
{
    return drive.holds ? drive.dt * drive.substeps * drive.field[row] : 0;
}

/* Also true if the last step has just failed; both words are loaded at once */
static __device__ __forceinline__ bool stopped(const struct control *control)
{
    return control && ((unsigned)control->failure | control->beyond);
}

/* Load or store the next row of cell `at`: in state64 if the type is double or the state wide (layout.h),
 * else in state32 */
#define LOAD64(name, ...) cell.name = __ldcg(&cells.state64[k64++ * cells.stride + at]);
#define LOAD32(name, ...) cell.name = __ldcs(&cells.state32[k32++ * cells.stride + at]);
#define STORE64(name, ...) cells.state64[k64++ * cells.stride + at] = cell.name;
#define STORE32(name, ...) __stcs(&cells.state32[k32++ * cells.stride + at], cell.name);
#define LOAD_OWN(name) cell.name = own[k++ * cells.stride + at];
#define PICK(name, ...) value = which == number++ ? (double)i.name : value;

/* Loads the per-cell constants of cell `at` */
#define OWN(real)                                                                                            \
    {                                                                                                        \
        const real *__restrict__ own = (const real *)cells.own;                                              \
        int k = 0;                                                                                           \
        IONIC_OWN(LOAD_OWN)                                                                                  \
        (void)own, (void)k;                                                                                  \
    }

/* A cell's step, with functions of V computed or read from the table */
#define COMPUTED(formula, real) formula##_step_##real(&c, &cell, stimulus)
#define TABLED(formula, real) formula##_tabled_step_##real(&c, &table, value, &cell, stimulus)

#define GATES(formula, real) formula##_gates_##real(&c, &cell)

/* Both parts of a staggered step; in the first of several sub-steps the gates only if not IONIC_REST */
#define PARTS(gates, rest)                                                                                   \
    {                                                                                                        \
        if (step == 0)                                                                                       \
            before = drive.v_before[row];                                                                    \
        if (step > 0 || drive.subset != IONIC_REST)                                                          \
            gates;                                                                                           \
        const double ahead = ionic_ahead(cell.v, before, step > 0 ? 0.5 : drive.extrapolation);              \
        before = cell.v;                                                                                     \
        rest;                                                                                                \
        if (drive.field && step == drive.substeps - 1 && !halts)                                             \
            drive.field[row] = ionic_field(drive.v_in[row], cell.v, drive.theta, held_of(drive, row));       \
    }
#define STAGGERED(formula, real)                                                                             \
    PARTS(formula##_gates_##real(&c, &cell), formula##_rest_##real(&c, &cell, stimulus, ahead))
#define TABLED_STAGGERED(formula, real)                                                                      \
    PARTS(formula##_tabled_gates_##real(&c, &table, value, &cell),                                           \
          formula##_tabled_rest_##real(&c, &table, value, &cell, stimulus, ahead))

/* One step of the thread's cell `at`, if `live`, by `call`; `ready` waits for data shared by the block's
 * threads */
#define STEP_CELL(formula, call, real, load, store, ready)                                                   \
    int64_t row = 0;                                                                                         \
    struct formula##_cell_##real cell;                                                                       \
    const struct ionic_table &table = cells.table;                                                           \
    int k64 = 0, k32 = 0, entry = 0; /* of the stimuli */                                                    \
    if (live) {                                                                                              \
        row = row_of(cells, at);                                                                             \
        if (drive.stimulus_class)                                                                            \
            entry = drive.stimulus_class[row];                                                               \
        STATES_##formula(load, LOAD64) OWN(real)                                                             \
    }                                                                                                        \
    ready;                                                                                                   \
    pdl_wait();                                                                                              \
    if (!live)                                                                                               \
        return;                                                                                              \
    const bool halts = stopped(drive.control);                                                               \
    cell.v = drive.v_in[row];                                                                                \
    double stimulus = stimulus_of(drive, entry), before = 0;                                                 \
    if (drive.holds)                                                                                         \
        stimulus += drive.field[row];                                                                        \
    for (int step = 0; step < drive.substeps; step++)                                                        \
        call(formula, real);                                                                                 \
    if (halts) /* here, not earlier: V is being loaded meanwhile, and a needless step is harmless */         \
        return;                                                                                              \
    k64 = k32 = 0;                                                                                           \
    STATES_##formula(store, STORE64) drive.v_out[row] = cell.v;                                              \
    (void)k64, (void)k32, (void)table, (void)stimulus, (void)before;

/* One step of every cell, all with the same parameters, by `call`; `how` is part of the kernel's name */
#define DEFINE_STEP(formula, how, call, real, load, store)                                                   \
    extern "C" __global__ void __launch_bounds__(IONIC_CUDA_CELLS, AT_ONCE(formula, real))                   \
        formula##_##how##_cells_##real(const struct ionic_cells cells, const struct ionic_drive drive,       \
                                       const struct formula##_constants_##real c)                            \
    {                                                                                                        \
        const int64_t at = (int64_t)blockIdx.x * IONIC_CUDA_CELLS + threadIdx.x;                             \
        const bool live = at < cells.cells;                                                                  \
        const real *value = (const real *)cells.table.value;                                                 \
        STEP_CELL(formula, call, real, load, store, )                                                        \
        (void)value;                                                                                         \
    }

/* One step of every run, one block per run. Constants are read from shared memory at each use (volatile),
 * because loading them ahead displaces states from registers. */
#define DEFINE_RUNS(formula, how, call, real, load, store)                                                   \
    extern "C" __global__ void __launch_bounds__(IONIC_CUDA_CELLS, AT_ONCE(formula, real))                   \
        formula##_##how##_runs_##real(const struct ionic_cells cells, const struct ionic_drive drive,        \
                                      const struct ionic_runs runs)                                          \
    {                                                                                                        \
        enum { WORDS = (IONIC_SET_HEAD + sizeof(struct formula##_constants_##real)) / 8 };                   \
        __shared__ uint64_t parameter_set[WORDS];                                                            \
        const struct ionic_run run = runs.run[blockIdx.x];                                                   \
        _Pragma("unroll 1") for (int k = threadIdx.x; k < WORDS; k += IONIC_CUDA_CELLS) parameter_set[k] =   \
            __ldg((const uint64_t *)runs.parameter_set + run.parameter_set * WORDS + k);                     \
        const volatile struct formula##_constants_##real &c =                                                \
            *(const volatile struct formula##_constants_##real *)(parameter_set + IONIC_SET_HEAD / 8);       \
        const int64_t at = (int64_t)run.first + threadIdx.x;                                                 \
        const bool live = threadIdx.x < run.cells;                                                           \
        const real *value;                                                                                   \
        STEP_CELL(formula, call, real, load, store, __syncthreads(); value = (const real *)parameter_set[0]) \
        (void)value;                                                                                         \
    }

/* A named current of every cell */
#define DEFINE_CURRENT(formula, real, load)                                                                  \
    extern "C" __global__ void __launch_bounds__(IONIC_CUDA_CELLS, AT_ONCE(formula, real))                   \
        formula##_current_cells_##real(const struct ionic_cells cells, const struct ionic_runs runs,         \
                                       const double *v, int which, double *out,                              \
                                       const struct formula##_constants_##real given)                        \
    {                                                                                                        \
        const struct formula##_constants_##real *c = &given;                                                 \
        int64_t at = (int64_t)blockIdx.x * IONIC_CUDA_CELLS + threadIdx.x, end = cells.cells;                \
        if (runs.run) {                                                                                      \
            const struct ionic_run run = runs.run[blockIdx.x];                                               \
            at = run.first + (int64_t)threadIdx.x;                                                           \
            end = run.first + (int64_t)run.cells;                                                            \
            c = (const struct formula##_constants_##real *)((const char *)runs.parameter_set +               \
                                                            IONIC_SET_HEAD +                                 \
                                                            run.parameter_set *                              \
                                                                (IONIC_SET_HEAD + sizeof *c));               \
        }                                                                                                    \
        if (at >= end)                                                                                       \
            return;                                                                                          \
        struct formula##_cell_##real cell;                                                                   \
        int k64 = 0, k32 = 0, number = 0;                                                                    \
        double value = 0;                                                                                    \
        cell.v = v[row_of(cells, at)];                                                                       \
        STATES_##formula(load, LOAD64) OWN(real) struct formula##_currents_##real i =                        \
            formula##_currents_##real(c, &cell);                                                             \
        CURRENTS_##formula(PICK) out[at - runs.first] = value;                                               \
        (void)k64, (void)k32;                                                                                \
    }

#ifndef IONIC_LOADED
#define DEFINE_FORMULA(formula)                                                                              \
    DEFINE_STEP(formula, step, COMPUTED, double, LOAD64, STORE64)                                            \
    DEFINE_STEP(formula, step, COMPUTED, float, LOAD32, STORE32)                                             \
    DEFINE_RUNS(formula, step, COMPUTED, double, LOAD64, STORE64)                                            \
    DEFINE_RUNS(formula, step, COMPUTED, float, LOAD32, STORE32)                                             \
    DEFINE_CURRENT(formula, double, LOAD64)                                                                  \
    DEFINE_CURRENT(formula, float, LOAD32)
IONIC_APPLY(DEFINE_FORMULA, IONIC_FORMULA)

#ifdef IONIC_TABLED
#define DEFINE_TABLED(formula)                                                                               \
    DEFINE_STEP(formula, tabled, TABLED, double, LOAD64, STORE64)                                            \
    DEFINE_STEP(formula, tabled, TABLED, float, LOAD32, STORE32)                                             \
    DEFINE_RUNS(formula, tabled, TABLED, double, LOAD64, STORE64)                                            \
    DEFINE_RUNS(formula, tabled, TABLED, float, LOAD32, STORE32)
IONIC_APPLY(DEFINE_TABLED, IONIC_FORMULA)
#define IF_TABLED(kernels) kernels
#else
#define IF_TABLED(kernels)                                                                                   \
    {                                                                                                        \
        NULL, NULL                                                                                           \
    }
#endif

#define DEFINE_STAGGERED(formula)                                                                            \
    DEFINE_STEP(formula, gates, GATES, double, LOAD64, STORE64)                                              \
    DEFINE_STEP(formula, gates, GATES, float, LOAD32, STORE32)                                               \
    DEFINE_RUNS(formula, gates, GATES, double, LOAD64, STORE64)                                              \
    DEFINE_RUNS(formula, gates, GATES, float, LOAD32, STORE32)                                               \
    DEFINE_STEP(formula, staggered, STAGGERED, double, LOAD64, STORE64)                                      \
    DEFINE_STEP(formula, staggered, STAGGERED, float, LOAD32, STORE32)                                       \
    DEFINE_RUNS(formula, staggered, STAGGERED, double, LOAD64, STORE64)                                      \
    DEFINE_RUNS(formula, staggered, STAGGERED, float, LOAD32, STORE32)
IONIC_APPLY(DEFINE_STAGGERED, IONIC_FORMULA)

#ifdef IONIC_TABLED
#define DEFINE_TABLED_STAGGERED(formula)                                                                     \
    DEFINE_STEP(formula, tabled_staggered, TABLED_STAGGERED, double, LOAD64, STORE64)                        \
    DEFINE_STEP(formula, tabled_staggered, TABLED_STAGGERED, float, LOAD32, STORE32)                         \
    DEFINE_RUNS(formula, tabled_staggered, TABLED_STAGGERED, double, LOAD64, STORE64)                        \
    DEFINE_RUNS(formula, tabled_staggered, TABLED_STAGGERED, float, LOAD32, STORE32)
IONIC_APPLY(DEFINE_TABLED_STAGGERED, IONIC_FORMULA)
#endif

#define KERNELS(formula, how)                                                                                \
    {                                                                                                        \
        (const void *)formula##_##how##_double, (const void *)formula##_##how##_float                        \
    }
#define DEFINE_KERNELS(formula)                                                                              \
    extern "C" {                                                                                             \
    extern const struct ionic_kernels formula##_kernels;                                                     \
    const struct ionic_kernels formula##_kernels = {                                                         \
        KERNELS(formula, step_cells),                                                                        \
        IF_TABLED(KERNELS(formula, tabled_cells)),                                                           \
        KERNELS(formula, step_runs),                                                                         \
        IF_TABLED(KERNELS(formula, tabled_runs)),                                                            \
        KERNELS(formula, current_cells),                                                                     \
        KERNELS(formula, gates_cells),                                                                       \
        KERNELS(formula, gates_runs),                                                                        \
        KERNELS(formula, staggered_cells),                                                                   \
        IF_TABLED(KERNELS(formula, tabled_staggered_cells)),                                                 \
        KERNELS(formula, staggered_runs),                                                                    \
        IF_TABLED(KERNELS(formula, tabled_staggered_runs)),                                                  \
    };                                                                                                       \
    }
IONIC_APPLY(DEFINE_KERNELS, IONIC_FORMULA)
#endif

#endif
