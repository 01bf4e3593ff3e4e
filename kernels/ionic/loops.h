/* loops.h: the loops over cells on the CPU, compiled for each model once per instruction set
 * (kernels/device/isa.h).
 *
 * Cells are taken in blocks: V and the stimulus of a block are gathered by index, each sub-step is one
 * vectorised loop over the block with its state in cache, then V is scattered. Every cell is computed by the
 * same operations wherever it lies, so neither threads nor vector width change a bit. */
#ifndef CARDIAC_KERNELS_IONIC_LOOPS_H
#define CARDIAC_KERNELS_IONIC_LOOPS_H

#include <stddef.h>
#include <string.h>

#include "kernels/device/cpu.h"
#include "kernels/ionic/formulas.h"
#include "kernels/ops/control.h"

enum { BLOCK = 128 };

struct block {
    int64_t begin;
    int cells;
    double v[BLOCK], stimulus[BLOCK];
};

static int64_t row_of(const struct ionic_cells *cells, int64_t cell)
{
    return cells->index ? cells->index[cell] : cells->first + cell;
}

static void gather_v(struct block *block, const struct ionic_cells *cells, const double *v, int64_t number)
{
    block->begin = number * BLOCK;
    int64_t left = cells->cells - block->begin;
    block->cells = left < BLOCK ? (int)left : BLOCK;
    for (int i = 0; i < block->cells; i++)
        block->v[i] = v[row_of(cells, block->begin + i)];
}

static void gather_stimulus(struct block *block, const struct ionic_cells *cells,
                            const struct ionic_drive *drive)
{
    memset(block->stimulus, 0, sizeof block->stimulus);
    if (!drive->stimulus_class)
        return;
    const double *current = drive->stimulus_current;
    if (drive->stimulus_row)
        current += (drive->control->step - drive->control->first) * drive->stimulus_row;
    for (int i = 0; i < block->cells; i++)
        block->stimulus[i] = current[drive->stimulus_class[row_of(cells, block->begin + i)]];
}

static void scatter_v(double *v, const struct block *block, const struct ionic_cells *cells)
{
    for (int i = 0; i < block->cells; i++)
        v[row_of(cells, block->begin + i)] = block->v[i];
}

/* The next row of cell `at`: of state64 when the type is double, else what is wide there (layout.h). */
#define LOAD64(name, ...) cell.name = state64[k64++ * stride + at];
#define LOAD32(name, ...) cell.name = state32[k32++ * stride + at];
#define STORE64(name, ...) state64[k64++ * stride + at] = cell.name;
#define STORE32(name, ...) state32[k32++ * stride + at] = cell.name;
#define PICK(name, ...) value = which == number++ ? (double)i.name : value;

#define SIMD _Pragma("omp simd")
#define PARALLEL _Pragma("omp parallel for num_threads(threads) schedule(static) if (blocks > 1)")

/* How a cell is stepped: by the formula, or with its functions of V from the table. */
#define COMPUTED(formula, real) formula##_step_##real(&c, &cell, block->stimulus[at])
#define TABLED(formula, real) formula##_tabled_step_##real(&c, &table, value, &cell, block->stimulus[at])

/* Its step of every cell, where `how` names it and `call` is it */
#define DEFINE_STEP(formula, how, call, real, load, store)                                                   \
    static void formula##_##how##_block_##real(                                                              \
        struct block *block, double *state64, float *state32, int64_t stride,                                \
        const struct formula##_constants_##real *given, const struct ionic_table *from)                      \
    {                                                                                                        \
        const struct formula##_constants_##real c = *given;                                                  \
        const struct ionic_table table = *from;                                                              \
        const real *value = table.value;                                                                     \
        SIMD for (int at = 0; at < block->cells; at++)                                                       \
        {                                                                                                    \
            struct formula##_cell_##real cell;                                                               \
            int k64 = 0, k32 = 0;                                                                            \
            cell.v = block->v[at];                                                                           \
            STATES_##formula(load, LOAD64) call(formula, real);                                              \
            k64 = k32 = 0;                                                                                   \
            STATES_##formula(store, STORE64) block->v[at] = cell.v;                                          \
            (void)k64, (void)k32, (void)value, (void)state64, (void)state32, (void)stride;                   \
        }                                                                                                    \
    }                                                                                                        \
                                                                                                             \
    static void formula##_##how##_all_##real(struct queue *queue, const struct ionic_cells *cells,           \
                                             const struct ionic_drive *drive)                                \
    {                                                                                                        \
        const struct formula##_constants_##real c =                                                          \
            formula##_prepare_##real(cells->model, cells->parameter, drive->dt);                             \
        const int threads = cpu_threads(queue);                                                              \
        const int64_t blocks = (cells->cells + BLOCK - 1) / BLOCK;                                           \
        PARALLEL for (int64_t b = 0; b < blocks; b++)                                                        \
        {                                                                                                    \
            struct block block;                                                                              \
            gather_v(&block, cells, drive->v_in, b);                                                         \
            gather_stimulus(&block, cells, drive);                                                           \
            for (int step = 0; step < drive->substeps; step++)                                               \
                formula##_##how##_block_##real(&block, cells->state64 ? cells->state64 + block.begin : NULL, \
                                               cells->state32 ? cells->state32 + block.begin : NULL,         \
                                               cells->stride, &c, &cells->table);                            \
            scatter_v(drive->v_out, &block, cells);                                                          \
        }                                                                                                    \
    }

/* Its currents of every cell */
#define DEFINE_CURRENT(formula, real, load)                                                                  \
    static void formula##_current_all_##real(struct queue *queue, const struct ionic_cells *cells,           \
                                             const double *v, int which, double *out)                        \
    {                                                                                                        \
        const struct formula##_constants_##real c =                                                          \
            formula##_prepare_##real(cells->model, cells->parameter, 0);                                     \
        const int threads = cpu_threads(queue);                                                              \
        const int64_t stride = cells->stride, blocks = (cells->cells + BLOCK - 1) / BLOCK;                   \
        const double *state64 = cells->state64;                                                              \
        const float *state32 = cells->state32;                                                               \
        PARALLEL for (int64_t b = 0; b < blocks; b++)                                                        \
        {                                                                                                    \
            struct block block;                                                                              \
            gather_v(&block, cells, v, b);                                                                   \
            for (int64_t at = block.begin; at < block.begin + block.cells; at++) {                           \
                struct formula##_cell_##real cell;                                                           \
                int k64 = 0, k32 = 0, number = 0;                                                            \
                double value = 0;                                                                            \
                cell.v = block.v[at - block.begin];                                                          \
                STATES_##formula(load, LOAD64) struct formula##_currents_##real i =                          \
                    formula##_currents_##real(&c, &cell);                                                    \
                CURRENTS_##formula(PICK) out[at] = value;                                                    \
                (void)k64, (void)k32, (void)state64, (void)state32, (void)stride;                            \
            }                                                                                                \
        }                                                                                                    \
    }

#define DEFINE_FORMULA(formula)                                                                              \
    IONIC_PREPARE(formula, double)                                                                           \
    IONIC_PREPARE(formula, float)                                                                            \
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
#define TABLED_LOOPS(formula) formula##_tabled_all_double, formula##_tabled_all_float
#else
#define TABLED_LOOPS(formula) NULL, NULL
#endif

#define DEFINE_LOOPS(formula)                                                                                \
    extern const struct ionic_loops CLONE_NAME(formula##_loops);                                             \
    const struct ionic_loops CLONE_NAME(formula##_loops) = {                                                 \
        .step = {formula##_step_all_double, formula##_step_all_float},                                       \
        .tabled = {TABLED_LOOPS(formula)},                                                                   \
        .current = {formula##_current_all_double, formula##_current_all_float},                              \
    };
IONIC_APPLY(DEFINE_LOOPS, IONIC_FORMULA)

#endif
