/* instantiate.h: instantiates one ionic model: its loops over cells, compiled once per instruction set,
 * and its description, compiled once.
 *
 * The build generates <name>.c for each model. It defines IONIC_FORMULA and IONIC_TEXT, includes this
 * header and, if IONIC_DESCRIPTIONS is defined, fills a struct ionic_model. <name>.cu includes
 * kernels/ionic/loops.cuh in the same way. */
#ifndef CARDIAC_KERNELS_IONIC_INSTANTIATE_H
#define CARDIAC_KERNELS_IONIC_INSTANTIATE_H

#ifdef CLONE
#include "kernels/ionic/loops.h"
#else
#define IONIC_DESCRIPTIONS
#include "kernels/ionic/formulas.h"

#define IONIC_NARROW(name, unit, meaning, value) {#name, unit, value, false, meaning},
#define IONIC_WIDE(name, unit, meaning, value) {#name, unit, value, true, meaning},
#define IONIC_NAME(name, unit, meaning) {#name, unit, 0, false, meaning},

/* A list ends with an empty entry, so that a model without states is valid C */
#define IONIC_LIST(list, ...) static const struct ionic_value list[] = {__VA_ARGS__{0}};
#define IONIC_COUNT(list) ((int)(sizeof(list) / sizeof *(list)) - 1)

#ifdef CARDIAC_CLONES_X86
#define IONIC_IF_X86(value) value
#else
#define IONIC_IF_X86(value) 0
#endif

#ifdef CARDIAC_CLONES_AVX512
#define IONIC_IF_AVX512(value) value
#else
#define IONIC_IF_AVX512(value) 0
#endif

#ifdef CARDIAC_CUDA
#define IONIC_IF_CUDA(value) value
#else
#define IONIC_IF_CUDA(value) 0
#endif

/* The constants of the formula for one type */
#define IONIC_PREPARE(formula, real)                                                                         \
    static struct formula##_constants_##real formula##_prepare_##real(const double *parameter, double dt)    \
    {                                                                                                        \
        struct formula##_parameters parameters;                                                              \
        memcpy(&parameters, parameter, sizeof parameters);                                                   \
        return formula##_constants_of_##real(&parameters, dt);                                               \
    }                                                                                                        \
                                                                                                             \
    static void formula##_constants_##real(void *constants, const double *parameter, double dt)              \
    {                                                                                                        \
        _Static_assert(sizeof(struct formula##_constants_##real) <= IONIC_CONSTANTS_BYTES, #formula);        \
        const struct formula##_constants_##real c = formula##_prepare_##real(parameter, dt);                 \
        memcpy(constants, &c, sizeof c);                                                                     \
    }
#define IONIC_DEFINE_CONSTANTS(formula)                                                                      \
    IONIC_PREPARE(formula, double)                                                                           \
    IONIC_PREPARE(formula, float)
IONIC_APPLY(IONIC_DEFINE_CONSTANTS, IONIC_FORMULA)

#ifdef IONIC_TABLED
#define IONIC_IF_TABLED(value) value
#define IONIC_DEFINE_COLUMNS(formula)                                                                        \
    static void formula##_columns_at(double *column, uint64_t *jumps, const double *parameter, double dt,    \
                                     double v)                                                               \
    {                                                                                                        \
        const struct formula##_constants_double c = formula##_prepare_double(parameter, dt);                 \
        formula##_table_columns(column, jumps, &c, v);                                                       \
    }
IONIC_APPLY(IONIC_DEFINE_COLUMNS, IONIC_FORMULA)
#else
#define IONIC_IF_TABLED(value) 0
#endif

#define IONIC_DECLARE_LOOPS(formula)                                                                         \
    extern const struct ionic_loops formula##_loops_plain, formula##_loops_avx2, formula##_loops_avx512;     \
    extern const struct ionic_kernels formula##_kernels;
IONIC_APPLY(IONIC_DECLARE_LOOPS, IONIC_FORMULA)

/* Fields of a struct ionic_model that the host computes, whichever device steps the cells */
#define IONIC_CODE(formula)                                                                                  \
    .columns = IONIC_IF_TABLED(COLUMNS_##formula), .columns_at = IONIC_IF_TABLED(formula##_columns_at),      \
    .table_reads = IONIC_IF_TABLED(formula##_table_reads),                                                   \
    .constants = {formula##_constants_double, formula##_constants_float},                                    \
    .constants_bytes = {sizeof(struct formula##_constants_double), sizeof(struct formula##_constants_float)}

/* The same, and the loops of every backend in this build */
#define IONIC_LOOPS(formula)                                                                                 \
    IONIC_CODE(formula), .plain = &formula##_loops_plain, .avx2 = IONIC_IF_X86(&formula##_loops_avx2),       \
                         .avx512 = IONIC_IF_AVX512(&formula##_loops_avx512),                                 \
                         .cuda = IONIC_IF_CUDA(&formula##_kernels)

/* The lists of a formula that serves one model */
#define IONIC_LISTS(formula)                                                                                 \
    IONIC_LIST(formula##_state, STATES_##formula(IONIC_NARROW, IONIC_WIDE))                                  \
    IONIC_LIST(formula##_parameter, PARAMETERS_##formula(IONIC_NARROW))                                      \
    IONIC_LIST(formula##_current, CURRENTS_##formula(IONIC_NAME))

/* The model of a formula that is code: its lists and its header's description */
#define IONIC_MODEL(formula)                                                                                 \
    IONIC_LISTS(formula)                                                                                     \
    const struct ionic_model formula##_model = {DESCRIPTION_##formula,                                       \
                                                .states = IONIC_COUNT(formula##_state),                      \
                                                .state = formula##_state,                                    \
                                                .parameters = IONIC_COUNT(formula##_parameter),              \
                                                .parameter = formula##_parameter,                            \
                                                .currents = IONIC_COUNT(formula##_current),                  \
                                                .current = formula##_current,                                \
                                                IONIC_LOOPS(formula)};
#endif

#endif
