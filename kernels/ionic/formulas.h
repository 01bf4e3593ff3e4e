/* formulas.h: the formulas of one ionic model, for two arithmetic types from one source.
 *
 * IONIC_TEXT, a header in kernels/models/, is included twice: REAL is double and TYPED(name) name_double,
 * then float and name_float. The float version is for mixed state: NARROW states are stored and computed
 * in fp32; V and WIDE states stay fp64, with their increments. A formula F defines
 *
 *   STATES_F(NARROW, WIDE)  PARAMETERS_F(X)  CURRENTS_F(X)     lists X(name, unit, meaning, value ...)
 *   struct F_constants_REAL, F_constants_of_REAL(parameters, dt)     everything that is equal in all cells
 *   F_currents_REAL(constants, cell)               every named current in the cell's current state
 *   F_step_REAL(constants, cell, stimulus)         one sub-step of one cell, V included
 *   F_gates_REAL(constants, cell)                  staggered (ionic.h): the gates, at V
 *   F_rest_REAL(constants, cell, stimulus, ahead)  staggered: V and all other states, with rates at V = ahead
 *
 * The structs F_parameters, F_cell_REAL and F_currents_REAL are generated from the lists here. A formula
 * that is code, not compiled from a text (instantiate.h), also defines DESCRIPTION_F, the fields of its
 * struct ionic_model that do not follow from lists and loops. A formula with a table in V defines
 * IONIC_TABLED and
 *
 *   F_table_columns(column[], jumps[], constants, v)   its COLUMNS_F functions of V, in double; jumps: the true ones
 *                                                  among the conditions at which columns may jump
 *   F_table_reads(k)                               whether the columns depend on parameter k
 *   F_tabled_step_REAL(constants, table, value, cell, stimulus)   F_step_REAL with columns read from the table
 *   F_tabled_gates_REAL, F_tabled_rest_REAL        the same for gates and rest
 *
 * A text whose constants differ from cell to cell (app/models/source.h) lists these in IONIC_OWN(X) and
 * reads them from the cell; without a list, all cells share the constants. */
#ifndef CARDIAC_KERNELS_IONIC_FORMULAS_H
#define CARDIAC_KERNELS_IONIC_FORMULAS_H

#include <stdbool.h>
#include <string.h>

#include "kernels/base/elementary.h"
#include "kernels/base/lookup.h"
#include "kernels/ionic/ionic.h"

#ifndef IONIC_OWN
#define IONIC_OWN(X)
#endif

#define IONIC_NARROW_FIELD(name, ...) REAL name;
#define IONIC_WIDE_FIELD(name, ...) double name;
#define IONIC_REAL_FIELD(name, ...) REAL name;
#define IONIC_DOUBLE_FIELD(name, ...) double name;

/* One cell: V in mV, the states, and its own constants; and its currents */
#define IONIC_STRUCTS(formula)                                                                               \
    struct TYPED(formula##_cell) {                                                                           \
        double v;                                                                                            \
        STATES_##formula(IONIC_NARROW_FIELD, IONIC_WIDE_FIELD) IONIC_OWN(IONIC_REAL_FIELD)                   \
    };                                                                                                       \
    struct TYPED(formula##_currents) {                                                                       \
        CURRENTS_##formula(IONIC_REAL_FIELD)                                                                 \
    };

/* The parameters that a user can set, in the order of ionic_model.parameter */
#define IONIC_PARAMETERS(formula)                                                                            \
    struct formula##_parameters {                                                                            \
        PARAMETERS_##formula(IONIC_DOUBLE_FIELD)                                                             \
    };

/* IONIC_FUNCTION: a function that reads its constants in place. On the GPU the constants of a run are in
 * shared memory (loops.cuh); the same text serves both. */
#ifdef __CUDACC__
#define IONIC_FUNCTION template <class constants> HOST_DEVICE
#define IONIC_CONSTANTS(formula) constants
#else
#define IONIC_FUNCTION HOST_DEVICE
#define IONIC_CONSTANTS(formula) const struct TYPED(formula##_constants)
#endif

/* A literal of the arithmetic type, so that float formulas do not widen to double. */
#define N(x) ((REAL)(x))

#define REAL double
#define TYPED(name) name##_double
#include IONIC_TEXT
#undef REAL
#undef TYPED

#define REAL float
#define TYPED(name) name##_float
#include IONIC_TEXT
#undef REAL
#undef TYPED
#undef N

/* X(F) of IONIC_FORMULA's value F */
#define IONIC_APPLY(X, formula) X(formula)

#endif
