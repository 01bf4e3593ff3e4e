/* model.h: an ionic model: the names, units and values of its states and parameters, and its code.
 *
 * The model compiler fills the description from a text; the code is known to kernels/ionic/ionic.h alone. */
#ifndef CARDIAC_KERNELS_BASE_MODEL_H
#define CARDIAC_KERNELS_BASE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ionic_loops;
struct ionic_kernels;

/* *constants <- the values that are equal in all cells, computed once per step, for sub-steps of dt */
enum { IONIC_CONSTANTS_BYTES = 1 << 14 };
typedef void ionic_constants_function(void *constants, const double *parameter, double dt);

/* rows[own][stride], column `at` <- the constants that differ from cell to cell */
typedef void ionic_own_function(void *rows, int64_t stride, int64_t at, const void *constants);

/* column[] <- the model's functions of V at v, for its table; *jumps <- bit mask of the true ones among
 * the conditions at which columns may jump */
typedef void ionic_columns_function(double *column, uint64_t *jumps, const double *parameter, double dt,
                                    double v);

struct ionic_value {
    const char *name, *unit;
    double value; /* initial value of a state, default of a parameter */
    bool fp64;    /* stored in fp64 even in mixed state (concentrations that drift: Na_i, K_i, Ca_SR) */
    const char *meaning;
};

struct ionic_model {
    const char *name;      /* as in a config: "tp06-epi" */
    const char *title;     /* one line */
    const char *reference; /* paper and equations */
    double v_initial;      /* mV */
    double capacitance;    /* uF/cm^2 of the published currents; a config with another value gets a warning */
    int order;             /* order in dt of the model's own step */
    double step_accurate;  /* ms: longest step that preserves the action potential */
    double step_largest;   /* ms: longest step that keeps V bounded (numerics.md, section 3); 0 = no limit */
    double staggered_accurate, staggered_largest; /* the same for staggered steps; 0 = unknown, or equal */
    int operations; /* operations per step, as counted by columns_operations; 0 = unknown */
    int states;     /* V excluded */
    const struct ionic_value *state;
    int parameters;
    const struct ionic_value *parameter;
    int currents; /* named currents and derived quantities for output; 0 is always "Iion" */
    const struct ionic_value *current;
    const char *source; /* name of a built-in text, else NULL */
    int columns;        /* columns of its table in V (kernels/base/lookup.h); 0 = no table */
    ionic_columns_function *columns_at;
    bool (*table_reads)(int parameter);     /* whether the table depends on that parameter */
    ionic_constants_function *constants[2]; /* [mixed] */
    size_t constants_bytes[2];              /* of *constants, a multiple of 8 */
    const int *varied; /* [varies] parameters that differ from cell to cell (user_model_vary), ascending */
    int varies;
    int own;                         /* number of constants that depend on these and so are stored per cell
                                        (ionic_cells.own) */
    bool own_of_gates;               /* gates read one of these that depends on dt */
    ionic_own_function *fill_own[2]; /* [mixed] */
    const struct ionic_loops *plain, *avx2, *avx512; /* by backend; NULL = not in this build */
    const struct ionic_kernels *cuda;
};

#endif
