/* ionic.h: one step of every cell, for each ionic model.
 *
 *   dw/dt = g(V, w) and dV/dt = -Iion(V, w) + Istim over one (sub-)step, V in mV, currents in uA/uF
 *
 * or in two parts, with the gates y staggered against V and the other states C. Before a step of dt the
 * gates lag V by h / 2, where h is the last step (0 in the first step):
 *
 *   gates   y over (h + dt) / 2 at V(t)                afterwards in the middle of the step, for any h
 *   rest    V and C over dt, rates at V + dt / 2h (V(t) - V(t - h)) and y
 *
 * A model is a set of pure functions of one cell in kernels/models/, compiled by gcc and by nvcc as a
 * separate unit; the loops over cells are in loops.h and loops.cuh and nowhere else. State is a structure
 * of arrays, state-major, in packed order. */
#ifndef CARDIAC_KERNELS_IONIC_IONIC_H
#define CARDIAC_KERNELS_IONIC_IONIC_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "kernels/base/host_device.h"
#include "kernels/base/lookup.h"
#include "kernels/base/model.h"
#include "kernels/device/isa.h"
#include "kernels/ionic/layout.h"

struct queue;
struct control;
struct ionic_cells;
struct ionic_drive;

/* A block of adjacent cells on the CPU that fits into cache: state k of cell i is state64[k * stride + i] */
enum { IONIC_BLOCK = 128, IONIC_LANES_MAX = 16 };
struct ionic_block {
    int cells;
    int64_t stride;
    double *v;
    const double *stimulus;
    double *state64;
    float *state32;
    const double *ahead; /* V extrapolated to the middle of a staggered step */
    const void *own;     /* [model->own][stride] per-cell constants, double, or float if mixed */
};

/* A model's loops over a block on the CPU: [0] in fp64, [1] in mixed state. step requires a multiple of
 * `lanes` cells. */
typedef void ionic_step_function(const struct ionic_block *block, const void *constants,
                                 const struct ionic_table *table);
typedef void ionic_current_function(const struct ionic_block *block, const void *constants, int current,
                                    double *out);
struct ionic_loops {
    int lanes; /* <= IONIC_LANES_MAX */
    ionic_step_function *step[2];
    ionic_step_function *tabled[2]; /* with functions of V read from a table; NULL: the model has none */
    ionic_step_function *gates[2], *rest[2]; /* the parts of a staggered step */
    ionic_step_function *tabled_gates[2], *tabled_rest[2];
    ionic_current_function *current[2]; /* NULL in avx512: output uses the avx2 version */
};

/* A model's kernels on the GPU, as cudaLaunchKernelExC expects them: from the program or from a library
 * loaded later; the _runs versions are for cells in runs (struct ionic_cells) */
enum { IONIC_CUDA_CELLS = 64 }; /* cells per block, one per thread */
struct ionic_kernels {
    const void *step[2], *tabled[2], *step_runs[2], *tabled_runs[2], *current[2];
    const void *gates[2], *gates_runs[2]; /* never tabled */
    const void *staggered[2], *tabled_staggered[2], *staggered_runs[2], *tabled_staggered_runs[2];
};

int ionic_models(void);
const struct ionic_model *ionic_model(int k);
/* The model of that name, or NULL. */
const struct ionic_model *ionic_find(const char *name);
/* The index of the state, parameter or current of that name; -1 if there is none or name is NULL */
int ionic_find_value(const struct ionic_value *value, int count, const char *name);

/* Sets every cell of host arrays, laid out as in struct ionic_cells, to the model's initial state. state32
 * may be NULL unless mixed. */
void ionic_initial(double *state64, float *state32, const struct ionic_model *model, bool mixed,
                   int64_t cells, int64_t stride);

enum { IONIC_TABLE_PER_MV = 10 }; /* rows per mV of a run's tables */

/* STATUS_INPUT if the model has no table in V */
enum status ionic_table_known(const struct ionic_model *model, struct error *error);

/* *table <- the model's functions of V in steps of 1 / per_mV, for sub-steps of dt. `value` is on the
 * host; it is NULL, and functions of V are then computed, if with these parameters one of them is not
 * linear between two rows; this is checked only for the spacing used in runs. The error of linear
 * interpolation falls as 1 / per_mV^2. Errors: ionic_table_known, memory. */
enum status ionic_table_build(struct ionic_table *table, const struct ionic_model *model,
                              const double *parameter, bool mixed, double dt, int per_mV,
                              struct error *error);
void ionic_table_free(struct ionic_table *table);
/* Bytes of a table; 0 for a model without one */
size_t ionic_table_bytes(const struct ionic_model *model, bool mixed, int per_mV);

/* Adjacent cells with the same parameter set. If parameters vary in space, cells are stepped run by run,
 * each with the constants of its parameter set, all in one launch. */
enum { IONIC_RUN = IONIC_CUDA_CELLS }; /* maximum cells per run */
struct ionic_run {
    int32_t first;
    uint16_t cells, parameter_set;
};
struct ionic_runs {
    const struct ionic_run *run; /* [runs] on the device */
    const void *parameter_set;   /* [parameter_sets] of ionic_set_bytes each, on the device */
    double dt;                   /* ms, the sub-step for which the parameter sets were computed */
    int runs;
    int32_t first; /* first cell of the first run; runs cover all cells from there on */
};

/* A parameter set: the address of its table in V, and at IONIC_SET_HEAD bytes its constants */
enum { IONIC_SET_HEAD = 16 };
size_t ionic_set_bytes(const struct ionic_model *model, bool mixed);
/* parameter_set[ionic_set_bytes] <- the constants for these parameters and sub-steps of dt; table: `value`
 * of a struct ionic_table on the cells' device */
void ionic_set_fill(void *parameter_set, const struct ionic_model *model, bool mixed, const double *parameter,
                    double dt, const void *table);
/* Whether both use the same code, so that only parameters and initial values differ */
bool ionic_same_code(const struct ionic_model *a, const struct ionic_model *b);

/* Cells stepped by one launch: of one model, or of several with the same code. Arrays are on the device.
 * At most 128 bytes: nvcc holds no member of a larger struct in a register, and a step then executes 7 %
 * more instructions. */
struct ionic_cells {
    const struct ionic_model *model;
    int64_t cells;
    int64_t stride;                /* distance between two states, >= cells */
    const int32_t *index;          /* [cells] packed row of each cell; NULL = cell i is row i */
    const struct ionic_runs *runs; /* on the host; NULL = all cells use `parameter` and `table`; else only
                                      table.value differs between parameter sets, and it is NULL in all or
                                      none */
    bool mixed;                    /* mixed state */
    double *state64;               /* [rows of layout.h][stride] */
    float *state32;                /* [rows of layout.h][stride], NULL unless mixed */
    const void *own;               /* [model->own][stride] per-cell constants, double, or float if mixed */
    const double *parameter;       /* [model->parameters] on the host */
    struct ionic_table table; /* for the model, these parameters, dt and `mixed`; value on the device, NULL
                                 = functions of V are computed */
};

#ifdef __cplusplus
static_assert(sizeof(struct ionic_cells) <= 128, "its members must fit into registers");
#endif

/* Parts of a staggered step: both, only the rest (first sub-step), or only the gates */
enum ionic_subset { IONIC_BOTH, IONIC_REST, IONIC_GATES };

/* Input of a step: dt, sub-steps, stimulus, and the arrays of V read and written (may be the same) */
struct ionic_drive {
    double dt; /* ms of one sub-step */
    int substeps;
    const uint16_t *stimulus_class; /* [packed rows] index into stimulus_current of each row; NULL = no
                                       stimulus */
    const double *stimulus_current; /* [classes] uA/uF during this step (device); entry 0 is 0 */
    const double *v_in;             /* [packed rows] mV */
    double *v_out;                  /* [packed rows] mV */
    const struct control *control;  /* after a failure a step does nothing; NULL = no control */
    const double *v_before;         /* [packed rows] mV: V(t - h); NULL = the step is not staggered */
    double extrapolation;           /* dt / 2h; 0 if h is 0 */
    double *field; /* [packed rows] mV <- V + theta (v_out - V - change by diffusion); NULL = not needed,
                      or not staggered */
    double theta;
    bool holds; /* on entry field is dV/dt by diffusion, mV/ms, which is added to the cells' currents */
    enum ionic_subset subset;
    int64_t stimulus_row; /* with control: row length of stimulus_current, of which step n reads row n -
                             control->first. 0 = one row for all steps */
};

/* V in the middle of a step, extrapolated from V now and before the last step */
HOST_DEVICE double ionic_ahead(double v, double before, double extrapolation)
{
    return v + extrapolation * (v - before);
}

/* V plus theta of the change by the cells, i.e. without the change by diffusion, `held` */
HOST_DEVICE double ionic_field(double v, double after, double theta, double held)
{
    return v + theta * (after - v - held);
}

/* Advances every cell by `substeps` steps; with IONIC_GATES only the gates, by dt, without a table. Bits
 * do not depend on the number of threads or the clone. */
CLONE_DECLARE(void, ionic_step_cpu,
              (struct queue * queue, const struct ionic_cells *cells, const struct ionic_drive *drive));

/* out[cells] (with runs: starting at the first run) <- current model->current[current] in the present
 * state and at v, computed without a table */
CLONE_DECLARE(void, ionic_current_cpu,
              (struct queue * queue, const struct ionic_cells *cells, const double *v, int current,
               double *out));

void ionic_step_cuda(struct queue *queue, const struct ionic_cells *cells, const struct ionic_drive *drive);
void ionic_current_cuda(struct queue *queue, const struct ionic_cells *cells, const double *v, int current,
                        double *out);

#endif
