/* bench_kernels.c: how fast a backend's operations and whole steps are; not a test.
 *
 *   bench_kernels BACKEND [layouts] [slab:SPACING | heart:FILE:SPLITS] ... [tp06:CELLS]
 * [steps:SPACING:TOLERANCE:METHOD] ...
 *
 * Every time is the median of REPEATS runs between two waits for the device, of graphs of many operations
 * where the backend makes them. Bytes of a sweep: true entries times (value + 16-bit offset), b, 1/d, y, x
 * once, its rounded copy written, x in fp64 where a sweep under test reads it; neither padding nor copy
 * kernels are counted, though their time is. A second number stands behind each: the part of the copy's rate
 * in the same run. */

#include "app/meshio/mesh_file.h"
#include "kernels/base/clock.h"
#include "kernels/bench/bench.h"
#include "solver/diffusion.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/spectrum.h"
#include "solver/mesh/refine.h"
#include "tests/bench_reference.h"
#include "tests/support/case.h"

enum { REPEATS = 11, PAIRS = 4 };

static const struct backend *backend;
static struct queue *queue;
static struct error error;
static double copy_rate; /* bytes/s */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, ascending);
    return value[count / 2];
}

/* Seconds of one place(argument) */
static double time_program(void (*place)(void *), void *argument, struct control *control, int64_t steps)
{
    (void)control;
    double taken[REPEATS];
    for (int k = -1; k < REPEATS; k++) {
        CHECK_OK(backend->wait(queue, &error), error);
        double begin = clock_seconds();
        if (!backend->graph_replay(queue, &argument, sizeof argument)) {
            backend->graph_begin(queue, &argument, sizeof argument);
            for (int64_t step = 0; step < steps; step++)
                place(argument);
            backend->graph_end(queue);
        }
        CHECK_OK(backend->wait(queue, &error), error);
        if (k >= 0)
            taken[k] = (clock_seconds() - begin) / (double)steps;
    }
    backend->graph_drop(queue);
    return median(taken, REPEATS);
}

struct copy {
    double *from, *to;
    int64_t rows;
};

static void place_copy(void *argument)
{
    struct copy *copy = argument;
    bench_device(backend)->copy(queue, copy->rows, copy->from, copy->to, NULL);
}

static void bench_copy(void)
{
    int64_t rows = backend->immediate ? 1 << 23 : 1 << 27;
    double *from = backend->alloc(queue, (size_t)rows * 8), *to = backend->alloc(queue, (size_t)rows * 8);
    struct control *control = backend->alloc(queue, sizeof *control), sweeping = {.sweep = 1};
    CHECK(from && to && control, "no memory");
    CHECK_OK(backend->upload(queue, control, &sweeping, sizeof sweeping, &error), error);
    struct copy copy = {from, to, rows};
    double seconds = time_program(place_copy, &copy, control, 12);
    copy_rate = 16.0 * (double)rows / seconds;
    printf("copy: %.0f GB/s by our copy kernel (read and write, %.1f GB)", copy_rate / 1e9,
           16e-9 * (double)rows);
#ifdef BENCH_REFERENCE
    if (!backend->immediate)
        copy_rate = reference_copy(16.0 * (double)rows);
#endif
    printf("; %.0f GB/s is the ceiling\n", copy_rate / 1e9);
    backend->release(queue, from);
    backend->release(queue, to);
    backend->release(queue, control);
}

/* Niederer et al. 2011: slab and conductivities; the cube at the corner is stimulated */
static void niederer(struct test_case *c, double spacing)
{
    const double size[3] = {20, 7, 3};
    memset(c, 0, sizeof *c);
    CHECK_OK(mesh_slab(&c->mesh, size, spacing, &error), error);
}

static void heart(struct test_case *c, char *place)
{
    char *colon = strrchr(place, ':');
    struct mesh_notes notes;
    memset(c, 0, sizeof *c);
    CHECK(colon, "%s: FILE:SPLITS is wanted", place);
    *colon = 0;
    CHECK_OK(mesh_read(&c->mesh, place, 1, &notes, &error), error);
    for (int k = atoi(colon + 1); k > 0; k--) {
        struct mesh fine;
        CHECK_OK(mesh_refine(&fine, &c->mesh, &error), error);
        mesh_free(&c->mesh);
        c->mesh = fine;
    }
}

static const double along_x[3] = {1, 0, 0};

static void set_up(struct test_case *c)
{
    c->element_region = calloc((size_t)c->mesh.elements, sizeof *c->element_region);
    c->stimulated = calloc((size_t)c->mesh.nodes, sizeof *c->stimulated);
    CHECK(c->element_region && c->stimulated, "no memory");
    double low = INFINITY;
    for (int64_t i = 0; i < c->mesh.nodes; i++)
        low = fmin(low, c->mesh.point[3 * i]);
    c->stimulus[0] =
        (struct stimulus){.node = c->stimulated, .current = 50000 / 1400.0, .duration = 2, .count = 1};
    for (int64_t i = 0; i < c->mesh.nodes; i++) {
        const double *p = c->mesh.point + 3 * i;
        if (p[0] <= low + 1.5 + 1e-9 && (low != 0 || (p[1] <= 1.5 + 1e-9 && p[2] <= 1.5 + 1e-9)))
            c->stimulated[c->stimulus[0].nodes++] = (int32_t)i;
    }
    c->region[0] = (struct region){.model = ionic_find("tp06-epi"),
                                   .diffusion = {0.133417722 / 1.4, 0.017606178 / 1.4, 0.017606178 / 1.4}};
    c->params = (struct monodomain_params){.step = 0.02,
                                           .theta = 1,
                                           .mass_lumping = 1,
                                           .damping = 1,
                                           .max_sweeps = 200,
                                           .tolerance = 1e-4,
                                           .precision = PRECISION_MIXED,
                                           .precision_budget = 1e-6,
                                           .precision_bound = 20,
                                           .ionic_substeps = 1,
                                           .activation_beats = 1,
                                           .voltage_limit = 500,
                                           .region = c->region,
                                           .regions = 1,
                                           .element_region = c->element_region,
                                           .fiber = along_x,
                                           .stimulus = c->stimulus,
                                           .stimuli = 1};
}

struct kv {
    struct diffusion *diffusion;
    struct rotation vectors;
};

static void place_sweeps(void *argument)
{
    struct kv *kv = argument;
    diffusion_solve(kv->diffusion, kv->vectors.x);
}

static void place_product(void *argument)
{
    struct kv *kv = argument;
    diffusion_rhs(kv->diffusion, &kv->vectors);
}

/* A vector without a pattern: zeros would be timed too well */
static void fill(double *device, int64_t n, double scale)
{
    double *value = malloc((size_t)n * sizeof *value);
    CHECK(value, "no memory");
    for (int64_t i = 0; i < n; i++)
        value[i] = scale * (test_random((uint64_t)i) - 0.5);
    CHECK_OK(backend->upload(queue, device, value, (size_t)n * sizeof *value, &error), error);
    free(value);
}

static void print_rate(const char *what, double seconds, double bytes)
{
    printf("  %-34s %8.2f us  %6.0f GB/s  %4.1f %% of the copy\n", what, 1e6 * seconds, bytes / seconds / 1e9,
           100 * bytes / seconds / copy_rate);
}

static void bench_layout(struct test_case *c, const struct system *system, const struct rows *rows,
                         const uint8_t *single, const struct layout *layout)
{
    const char *names[] = {"hybrid", "naive", "cast", "fused"};
    int64_t n = layout->rows;
    int is_single = single[0];
    for (int u = 0; u < (is_single ? 4 : 2); u++) {
        struct diffusion d;
        struct monodomain_report report = {.low = 0.5, .high = 1.5, .beta = 1, .fp32_share = is_single};
        struct control zero = {0};
        char what[64];
        c->params.update = is_single ? (enum update)u : u ? UPDATE_FUSED : UPDATE_NAIVE;
        CHECK_OK(diffusion_create(&d, &c->params, system, rows, layout, &report, backend, queue, &error),
                 error);
        if (u == 0)
            printf("  %s: %lld entries, padding %.3f, %.1f %% wide slices, %.2f GB\n",
                   is_single ? "fp32" : "fp64", (long long)d.packing.entries,
                   (double)d.packing.stored / (double)d.packing.entries,
                   100 * (double)d.packing.index32_slices / (double)d.packing.matrix.slices, 1e-9 * d.bytes);
        fill(d.b, n, 1);
        struct kv kv = {.diffusion = &d};
        CHECK_OK(rotation_create(&kv.vectors, diffusion_depth(&c->params), n, backend, queue, &error), error);
        fill(kv.vectors.x, n, 1);
        d.tolerance = -1; /* sweeps go on, also where nothing is left to do */
        d.bound = INFINITY;
        d.max_sweeps = 2 * PAIRS;
        CHECK_OK(backend->upload(queue, d.control, &zero, sizeof zero, &error), error);
        double seconds = time_program(place_sweeps, &kv, d.control, 24) / (2 * PAIRS);
        double entries = (double)d.packing.entries * (is_single ? 6 : 10);
        double vectors = (double)n * (is_single ? 24 + 4 + 4 + 4 : 24 + 8);
        snprintf(what, sizeof what, "sweep %s, %s", is_single ? "fp32" : "fp64",
                 is_single ? names[u]
                 : u       ? "swapped"
                           : "naive");
        print_rate(what, seconds, entries + vectors);
        if (u == 0) {
            fill(kv.vectors.u, n, 100);
            kv.vectors.count = kv.vectors.depth;
            seconds = time_program(place_product, &kv, d.control, 24);
            print_rate("K V and guess, fp64", seconds,
                       (double)d.packing.entries * 10 + (double)n * (8 * 7 + 4));
        }
        rotation_free(&kv.vectors, backend, queue);
        diffusion_free(&d);
    }
}

static void bench_reference(const struct system *system, const struct coefficients *coefficients)
{
#ifdef BENCH_REFERENCE
    int64_t entries = system->start[system->rows];
    double *value = malloc((size_t)entries * sizeof *value);
    CHECK(value, "no memory");
    for (int64_t k = 0; k < entries; k++)
        value[k] = coefficient_sweep(coefficients, system, k);
    for (int single = 0; single <= 1 && !backend->immediate; single++)
        printf("  cuSPARSE CSR %s and update %17.2f us\n", single ? "fp32" : "fp64",
               1e6 * reference_sweep(system->rows, system->start, system->column, value, single));
    free(value);
#else
    (void)system, (void)coefficients;
#endif
}

/* every_layout: both orderings with four windows; else what a run takes by default */
static void bench_mesh(struct test_case *c, const char *name, int every_layout)
{
    const char *orderings[] = {"rcm", "hilbert"};
    struct tensors tensors = {&c->mesh, c->region, c->element_region, along_x};
    struct coefficients coefficients = diffusion_coefficients(&c->params);
    struct system system;
    struct rows rows;
    CHECK_OK(system_assemble(&system, &c->mesh, &tensors, 0, &error), error);
    CHECK_OK(rows_make(&rows, &system, &coefficients, 1, c->params.step, &error), error);
    uint8_t *single = calloc((size_t)system.rows, 1);
    int32_t *order = malloc((size_t)system.rows * sizeof *order);
    CHECK(single && order, "no memory");
    bench_reference(&system, &coefficients);
    for (int o = 0; o < 1 + every_layout; o++) {
        CHECK_OK(ordering_make((enum ordering)o, &system, &c->mesh, order, &error), error);
        int64_t height = backend->slice_height, usual = layout_window(backend->slice_height);
        for (int64_t window = every_layout ? height : usual; window <= (every_layout ? 64 * height : usual);
             window *= 8) {
            struct layout layout;
            printf("%s, %lld nodes, %s, window %lld\n", name, (long long)system.rows, orderings[o],
                   (long long)window);
            for (int is_single = 1; is_single >= 0; is_single--) {
                memset(single, is_single, (size_t)system.rows);
                CHECK_OK(layout_make(&layout, &system, order, single, backend->slice_height, window, &error),
                         error);
                bench_layout(c, &system, &rows, single, &layout);
                layout_free(&layout);
            }
        }
    }
    free(single);
    free(order);
    rows_free(&rows);
    system_free(&system);
}

struct cells {
    struct ionic_cells cells;
    struct ionic_drive drive;
};

static void place_cells(void *argument)
{
    struct cells *cells = argument;
    backend->ionic_step(queue, &cells->cells, &cells->drive);
}

static void bench_ionic(int64_t count)
{
    const struct ionic_model *model = ionic_find("tp06-epi");
    for (int kind = 0; kind < 4; kind++) {
        bool mixed = kind & 1, tables = kind & 2;
        int wide = ionic_states64(model, mixed);
        size_t n = (size_t)count, states = (size_t)model->states;
        double *state64 = malloc(n * states * 8), *v = malloc(n * 8);
        float *state32 = malloc(n * states * 4);
        CHECK(state64 && v && state32, "no memory");
        double parameter[128];
        struct cells c = {.cells = {.model = model, .cells = count, .stride = count, .mixed = mixed}};
        ionic_initial(state64, state32, model, mixed, count, count);
        for (int64_t i = 0; i < count; i++)
            v[i] = -90 + 130 * test_random((uint64_t)i / 64); /* neighbours are alike */
        for (int k = 0; k < model->parameters; k++)
            parameter[k] = model->parameter[k].value;
        c.cells.parameter = parameter;
        struct ionic_table table = {0};
        void *values = NULL;
        if (tables) {
            CHECK_OK(ionic_table_build(&table, model, parameter, mixed, 0.02, IONIC_TABLE_PER_MV, &error),
                     error);
            values = backend->alloc(queue, table.bytes);
            CHECK(values, "no memory");
            CHECK_OK(backend->upload(queue, values, table.value, table.bytes, &error), error);
            c.cells.table = table;
            c.cells.table.value = values;
        }
        c.cells.state64 = backend->alloc(queue, n * (size_t)wide * 8);
        c.cells.state32 = backend->alloc(queue, n * states * 4);
        double *device = backend->alloc(queue, n * 8), *out = backend->alloc(queue, n * 8);
        struct control *control = backend->alloc(queue, sizeof *control);
        CHECK(c.cells.state64 && c.cells.state32 && device && out && control, "no memory");
        CHECK_OK(backend->upload(queue, c.cells.state64, state64, n * (size_t)wide * 8, &error), error);
        CHECK_OK(backend->upload(queue, c.cells.state32, state32, n * (states - (size_t)wide) * 4, &error),
                 error);
        CHECK_OK(backend->upload(queue, device, v, n * 8, &error), error);
        c.drive = (struct ionic_drive){.dt = 0.02, .substeps = 1, .v_in = device, .v_out = out};
        double seconds = time_program(place_cells, &c, control, 12);
        char what[64];
        snprintf(what, sizeof what, "tp06 %s%s, per 1e6 cells", mixed ? "mixed" : "double",
                 tables ? ", tables" : "");
        double bytes = 2.0 * ((double)wide * 8 + (double)(model->states - wide) * 4) + 16;
        print_rate(what, seconds * 1e6 / (double)count, bytes * 1e6);
        ionic_table_free(&table);
        backend->release(queue, values);
        free(state64);
        free(v);
        free(state32);
        backend->release(queue, c.cells.state64);
        backend->release(queue, c.cells.state32);
        backend->release(queue, device);
        backend->release(queue, out);
        backend->release(queue, control);
    }
}

/* 40 ms in frames of 1 ms: ms per step */
static void bench_steps(struct test_case *c, const char *name)
{
    struct monodomain *sim;
    double begin = clock_seconds();
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, backend, queue, &error), error);
    CHECK_OK(backend->wait(queue, &error), error);
    double created = clock_seconds(), frame[40];
    CHECK_OK(monodomain_advance(sim, 1, &error), error);
    double first = clock_seconds();
    CHECK_OK(monodomain_advance(sim, 49, &error), error);
    double start = clock_seconds();
    for (int k = 0; k < 39; k++) {
        double at = clock_seconds();
        CHECK_OK(monodomain_advance(sim, 50, &error), error);
        frame[k] = (clock_seconds() - at) / 50;
    }
    double all = (clock_seconds() - start) / 1950;
    struct monodomain_work work = monodomain_work(sim);
    double available, peak;
    backend->memory(queue, &available, &peak);
    double *v = malloc((size_t)c->mesh.nodes * sizeof *v);
    CHECK(v, "no memory");
    double mark = clock_seconds();
    CHECK_OK(monodomain_voltage(sim, v, &error), error);
    printf("%s: %.0f %% of rows in fp32, %.4f ms a step (median frame %.4f), %.2f sweeps, most %d; set-up "
           "%.2f s, first step %.1f ms, "
           "V out "
           "%.2f ms, %.2f GB\n",
           name, 100 * monodomain_report(sim)->fp32_share, 1e3 * all, 1e3 * median(frame, 39),
           (double)work.sweeps / (double)work.steps, work.sweeps_max, created - begin,
           1e3 * (first - created), 1e3 * (clock_seconds() - mark), 1e-9 * peak);
    free(v);
    monodomain_free(sim);
}

static void bench_slab_steps(char *words)
{
    struct test_case c;
    char *spacing = strtok(words, ":"), *tolerance = strtok(NULL, ":"), *word, name[128];
    CHECK(spacing && tolerance, "steps:SPACING:TOLERANCE[:word...]");
    niederer(&c, atof(spacing));
    set_up(&c);
    snprintf(name, sizeof name, "steps %s mm, %lld nodes, %s mV", spacing, (long long)c.mesh.nodes,
             tolerance);
    c.params.tolerance = atof(tolerance);
    c.params.precision_budget = 1e-5; /* the default of a config */
    while ((word = strtok(NULL, ":"))) {
        if (strcmp(word, "double") == 0)
            c.params.precision = PRECISION_DOUBLE;
        else if (strcmp(word, "gates") == 0)
            c.params.ionic_mixed = true;
        else if (strcmp(word, "chebyshev") == 0)
            c.params.method = METHOD_CHEBYSHEV;
        else if (strcmp(word, "tables") == 0)
            c.params.ionic_mixed = c.params.ionic_tables = true;
        else if (strcmp(word, "extrapolate") == 0)
            c.params.guess = GUESS_EXTRAPOLATE;
        else if (strcmp(word, "fused") == 0)
            c.params.update = UPDATE_FUSED;
        else if (strcmp(word, "long") == 0)
            c.params.step = 0.05;
        else if (strcmp(word, "eight") == 0)
            c.params.max_sweeps = 8; /* all laid out from the first step on */
        else
            CHECK(0, "what is '%s'?", word);
        strncat(strncat(name, ", ", sizeof name - strlen(name) - 1), word, sizeof name - strlen(name) - 3);
    }
    bench_steps(&c, name);
    case_free(&c);
}

int main(int argc, char **argv)
{
    struct test_case c;
    int every_layout = 0;
    backend = test_backend(argc, argv);
    CHECK_OK(backend->queue_new(&queue, backend_ordinal(backend, argc > 1 ? argv[1] : "cpu", 0), &error),
             error);
    bench_copy();
    for (int k = 2; k < argc; k++) {
        char *colon = strchr(argv[k], ':');
        if (strcmp(argv[k], "layouts") == 0) {
            every_layout = 1;
            continue;
        }
        CHECK(colon, "%s: see the head of bench_kernels.c", argv[k]);
        if (strncmp(argv[k], "tp06:", 5) == 0) {
            bench_ionic(atoll(colon + 1));
        } else if (strncmp(argv[k], "steps:", 6) == 0) {
            bench_slab_steps(colon + 1);
        } else {
            if (strncmp(argv[k], "slab:", 5) == 0)
                niederer(&c, atof(colon + 1));
            else
                heart(&c, colon + 1);
            set_up(&c);
            bench_mesh(&c, argv[k], every_layout);
            case_free(&c);
        }
        fflush(stdout);
    }
    backend->queue_free(queue);
    return 0;
}
