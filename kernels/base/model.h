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

/* All that no cell changes, worked out once a step: *constants <- those of the formulas, for sub-steps of dt
 */
enum { IONIC_CONSTANTS_BYTES = 1 << 14 };
typedef void ionic_constants_function(void *constants, const double *parameter, double dt);

/* column[] <- the model's functions of V at v, for its table; turns[] <- of the conditions that each may jump
 * on, those that are true, as bits */
typedef void ionic_columns_function(double *column, uint64_t *turns, const double *parameter, double dt,
                                    double v);

struct ionic_value {
    const char *name, *unit;
    double value; /* initial value of a state, default of a parameter */
    bool fp64;    /* a state that stays fp64 in mixed state (concentrations that drift: Na_i, K_i, Ca_SR) */
    const char *meaning;
};

struct ionic_model {
    const char *name;      /* as in a config: "tp06-epi" */
    const char *title;     /* one line */
    const char *reference; /* paper and equations */
    double v_initial;      /* mV */
    double capacitance;    /* uF/cm^2 that the model's currents were published with; a config with another one
                              warns */
    int order;             /* order in dt of the model's own step */
    double step_accurate;  /* ms: up to it the action potential is kept, and */
    double step_largest; /* ms: V stays where currents can drive it (numerics.md, section 3); 0 = no limit */
    double staggered_accurate,
        staggered_largest; /* the same of staggered steps; 0 = not known, or the same */
    int operations;        /* of a step, as columns_operations counts them; 0 = unknown */
    int states;            /* V not counted */
    const struct ionic_value *state;
    int parameters;
    const struct ionic_value *parameter;
    int currents; /* named currents and derived quantities for output; 0 is always "Iion" */
    const struct ionic_value *current;
    const char *source; /* of a text that is built in: its name; else NULL */
    int columns;        /* of its table in V (kernels/base/lookup.h), 0 = it has none */
    ionic_columns_function *columns_at;
    bool (*table_reads)(int parameter);              /* whether that parameter matters to the table */
    ionic_constants_function *constants[2];          /* [mixed] */
    size_t constants_bytes[2];                       /* of what they fill, a multiple of 8 */
    const struct ionic_loops *plain, *avx2, *avx512; /* by backend; NULL = not in this build */
    const struct ionic_kernels *cuda;
};

#endif
