/* ionic.c: one step of every cell on the CPU, with the loops of the cells' model. Cells are stepped in
 * blocks: V and the stimulus of a block are gathered by index, each sub-step is one loop of the model over
 * the block with its state in cache, then V is scattered. */
#include "kernels/ionic/ionic.h"

#include <assert.h>
#include <string.h>

#include "kernels/device/cpu.h"
#include "kernels/ops/control.h"

#define PARALLEL _Pragma("omp parallel for num_threads(threads) schedule(static) if (blocks > 1)")

struct gathered {
    double v[IONIC_BLOCK], stimulus[IONIC_BLOCK];
    double before[IONIC_BLOCK], ahead[IONIC_BLOCK];
};

/* Cells stepped together: of one run, or of one block if all have the same parameters */
struct batch {
    int64_t begin;
    int cells;
};

static int64_t count_batches(const struct ionic_cells *cells)
{
    return cells->runs ? cells->runs->runs : (cells->cells + IONIC_BLOCK - 1) / IONIC_BLOCK;
}

static struct batch batch_of(const struct ionic_cells *cells, int64_t b)
{
    if (cells->runs)
        return (struct batch){cells->runs->run[b].first, cells->runs->run[b].cells};
    int64_t left = cells->cells - b * IONIC_BLOCK;
    return (struct batch){b * IONIC_BLOCK, left < IONIC_BLOCK ? (int)left : IONIC_BLOCK};
}

/* The parameter set of a batch; NULL = all cells have the same parameters */
static const char *parameter_set_of(const struct ionic_cells *cells, int64_t b)
{
    const struct ionic_runs *runs = cells->runs;
    return runs ? (const char *)runs->parameter_set +
                      runs->run[b].parameter_set * ionic_set_bytes(cells->model, cells->mixed)
                : NULL;
}

static int64_t row_of(const struct ionic_cells *cells, int64_t cell)
{
    return cells->index ? cells->index[cell] : cell;
}

/* Bytes per constant */
static size_t constant_bytes(const struct ionic_cells *cells)
{
    return cells->mixed ? sizeof(float) : sizeof(double);
}

/* Makes the block of these cells; V is gathered from `from` */
static struct ionic_block gather(struct gathered *at, const struct ionic_cells *cells, const double *v,
                                 struct batch batch)
{
    struct ionic_block block = {
        .cells = batch.cells,
        .stride = cells->stride,
        .v = at->v,
        .stimulus = at->stimulus,
        .ahead = at->ahead,
        .own = cells->own ? (const char *)cells->own + (size_t)batch.begin * constant_bytes(cells) : NULL,
        .state64 = cells->state64 ? cells->state64 + batch.begin : NULL,
        .state32 = cells->state32 ? cells->state32 + batch.begin : NULL};
    for (int i = 0; i < block.cells; i++)
        at->v[i] = v[row_of(cells, batch.begin + i)];
    return block;
}

static void gather_stimulus(struct gathered *at, const struct ionic_cells *cells,
                            const struct ionic_drive *drive, struct batch batch)
{
    const double *current = drive->stimulus_current;
    memset(at->stimulus, 0, sizeof at->stimulus);
    if (drive->stimulus_row && drive->stimulus_class)
        current += (drive->control->step - drive->control->first) * drive->stimulus_row;
    for (int i = 0; i < batch.cells && drive->stimulus_class; i++)
        at->stimulus[i] = current[drive->stimulus_class[row_of(cells, batch.begin + i)]];
    for (int i = 0; i < batch.cells && drive->holds; i++)
        at->stimulus[i] += drive->field[row_of(cells, batch.begin + i)];
}

/* A model's step and its arguments, except the cells */
struct stepper {
    ionic_step_function *step;
    ionic_step_function *gates, *rest; /* used instead in a staggered step */
    enum ionic_subset subset;
    double extrapolation;
    int substeps, lanes, rows64, rows32, own;
    size_t constant; /* bytes per constant */
    const void *constants;
    const struct ionic_table *table;
};

/* ahead[] <- V in the middle of the next step */
static void extrapolate(const struct ionic_block *block, double *before, double *ahead, double extrapolation)
{
    for (int i = 0; i < block->cells; i++) {
        ahead[i] = ionic_ahead(block->v[i], before[i], extrapolation);
        before[i] = block->v[i];
    }
}

/* before, ahead: arrays of the block's cells, for staggered steps */
static void run_block(const struct stepper *by, const struct ionic_block *block, double *before,
                      double *ahead)
{
    for (int k = 0; k < by->substeps; k++) {
        if (by->step)
            by->step(block, by->constants, by->table);
        if (by->gates && (k > 0 || by->subset != IONIC_REST))
            by->gates(block, by->constants, by->table);
        if (by->rest) {
            extrapolate(block, before, ahead, k > 0 ? 0.5 : by->extrapolation);
            by->rest(block, by->constants, by->table);
        }
    }
}

/* Steps the remaining cells, fewer than lanes, from `first` on: as a separate block, padded with copies of
 * the first */
static void run_rest(const struct stepper *by, const struct ionic_block *block, const double *before,
                     int first)
{
    const int count = block->cells - first, lanes = by->lanes;
    const int64_t stride = block->stride;
    double v[IONIC_LANES_MAX], stimulus[IONIC_LANES_MAX], state64[by->rows64 * lanes + 1];
    double earlier[IONIC_LANES_MAX], ahead[IONIC_LANES_MAX];
    float state32[by->rows32 * lanes + 1];
    double own[by->own * lanes + 1]; /* or float, if mixed */
    const struct ionic_block rest = {lanes, lanes, v, stimulus, state64, state32, ahead, own};
    for (int i = 0; i < lanes; i++) {
        const int from = first + (i < count ? i : 0);
        v[i] = block->v[from];
        stimulus[i] = block->stimulus[from];
        earlier[i] = before[from];
        for (int k = 0; k < by->own; k++)
            memcpy((char *)own + (size_t)(k * lanes + i) * by->constant,
                   (const char *)block->own + (size_t)(k * stride + from) * by->constant, by->constant);
        for (int k = 0; k < by->rows64; k++)
            state64[k * lanes + i] = block->state64[k * stride + from];
        for (int k = 0; k < by->rows32; k++)
            state32[k * lanes + i] = block->state32[k * stride + from];
    }
    run_block(by, &rest, earlier, ahead);
    for (int i = 0; i < count; i++) {
        block->v[first + i] = v[i];
        for (int k = 0; k < by->rows64; k++)
            block->state64[k * stride + first + i] = state64[k * lanes + i];
        for (int k = 0; k < by->rows32; k++)
            block->state32[k * stride + first + i] = state32[k * lanes + i];
    }
}

/* The same stepper with the parameters of a parameter set */
static struct stepper with_parameter_set(struct stepper by, struct ionic_table *table,
                                         const char *parameter_set)
{
    if (!parameter_set)
        return by;
    memcpy(&table->value, parameter_set, sizeof table->value);
    by.table = table;
    by.constants = parameter_set + IONIC_SET_HEAD;
    return by;
}

/* The loops that step the cells, and their arguments except constants */
static struct stepper stepper_of(const struct ionic_loops *loops, const struct ionic_cells *cells,
                                 const struct ionic_drive *drive)
{
    const int rows64 = ionic_states64(cells->model, cells->mixed), mixed = cells->mixed;
    const bool gates = drive->subset == IONIC_GATES, tabled = cells->table.value && !gates;
    struct stepper by = {.substeps = drive->substeps,
                         .lanes = loops->lanes,
                         .rows64 = rows64,
                         .rows32 = cells->model->states - rows64,
                         .own = cells->model->own,
                         .constant = constant_bytes(cells),
                         .subset = drive->subset,
                         .extrapolation = drive->extrapolation,
                         .table = &cells->table};
    if (drive->v_before) {
        by.gates = (tabled ? loops->tabled_gates : loops->gates)[mixed];
        by.rest = gates ? NULL : (tabled ? loops->tabled_rest : loops->rest)[mixed];
    } else {
        by.step = (tabled ? loops->tabled : loops->step)[mixed];
    }
    return by;
}

void CLONE_NAME(ionic_step_cpu)(struct queue *queue, const struct ionic_cells *cells,
                                const struct ionic_drive *drive)
{
    const struct ionic_loops *loops = cells->model->CLONE;
    if (drive->control && drive->control->failure)
        return;
    assert(!cells->table.value || drive->subset == IONIC_GATES || cells->table.dt == drive->dt);
    assert(!cells->runs || cells->runs->dt == drive->dt);
    _Alignas(64) unsigned char constants[IONIC_CONSTANTS_BYTES];
    if (!cells->runs)
        cells->model->constants[cells->mixed](constants, cells->parameter, drive->dt);
    struct stepper all = stepper_of(loops, cells, drive);
    all.constants = constants;
    const int threads = cpu_threads(queue);
    const int64_t blocks = count_batches(cells);
    PARALLEL for (int64_t b = 0; b < blocks; b++)
    {
        struct gathered at;
        struct ionic_table table = cells->table;
        const struct stepper by = with_parameter_set(all, &table, parameter_set_of(cells, b));
        const struct batch batch = batch_of(cells, b);
        const struct ionic_block block = gather(&at, cells, drive->v_in, batch);
        gather_stimulus(&at, cells, drive, batch);
        for (int i = 0; i < block.cells; i++)
            at.before[i] = drive->v_before ? drive->v_before[row_of(cells, batch.begin + i)] : 0;
        struct ionic_block whole = block;
        whole.cells -= whole.cells % by.lanes;
        run_block(&by, &whole, at.before, at.ahead);
        if (whole.cells < block.cells)
            run_rest(&by, &block, at.before, whole.cells);
        for (int i = 0; i < block.cells && drive->subset != IONIC_GATES; i++) {
            const int64_t row = row_of(cells, batch.begin + i);
            if (drive->field) {
                const double held = drive->holds ? drive->dt * drive->substeps * drive->field[row] : 0;
                drive->field[row] = ionic_field(drive->v_in[row], at.v[i], drive->theta, held);
            }
            drive->v_out[row] = at.v[i];
        }
    }
}

void CLONE_NAME(ionic_current_cpu)(struct queue *queue, const struct ionic_cells *cells, const double *v,
                                   int current, double *out)
{
    assert(current >= 0 && current < cells->model->currents);
    _Alignas(64) unsigned char constants[IONIC_CONSTANTS_BYTES];
    if (!cells->runs)
        cells->model->constants[cells->mixed](constants, cells->parameter, 0);
    const struct ionic_loops *loops = cells->model->CLONE;
    ionic_current_function *compute =
        (loops->current[cells->mixed] ? loops : cells->model->avx2)->current[cells->mixed];
    const int threads = cpu_threads(queue);
    const int64_t blocks = count_batches(cells);
    PARALLEL for (int64_t b = 0; b < blocks; b++)
    {
        struct gathered at;
        const char *parameter_set = parameter_set_of(cells, b);
        const struct batch batch = batch_of(cells, b);
        const struct ionic_block block = gather(&at, cells, v, batch);
        compute(&block, parameter_set ? parameter_set + IONIC_SET_HEAD : (const char *)constants, current,
                out + batch.begin - (cells->runs ? cells->runs->first : 0));
    }
}
