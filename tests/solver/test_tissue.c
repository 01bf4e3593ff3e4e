/* test_tissue.c: groups, states, parameters and stimulus classes are in packed order where a plain loop over
 * the mesh puts them: three regions, one of them without a node, another model and parameter, overlapping
 * stimuli, double and mixed states; a step equals that of each node's model. `test_tissue [BACKEND]` */
#include "solver/matrix/ordering.h"
#include "solver/cells/tissue.h"
#include "tests/support/case.h"

enum { REGIONS = 3, EMPTY = 1, MOST = 2000 };

static struct region region[REGIONS];
static double parameter[64]; /* of the last region */

/* The regions of elements: 0 below x = 1.5 mm, 2 above it, and one element of 1 among those of 0 */
static void make_regions(struct test_case *c, const char *other)
{
    const struct mesh *mesh = &c->mesh;
    for (int64_t e = 0; e < mesh->elements; e++)
        c->element_region[e] = mesh->point[3 * mesh->vertex[4 * e]] < 1.5 ? 0 : 2;
    c->element_region[0] = EMPTY;
    for (int k = 0; k < REGIONS; k++)
        region[k] = c->region[0];
    region[2].model = ionic_find(other);
    for (int k = 0; k < region[2].model->parameters; k++)
        parameter[k] = region[2].model->parameter[k].value;
    parameter[1] *= 1.5;
    region[2].parameter = parameter;
    c->params.region = region;
    c->params.regions = REGIONS;
}

/* Of node i: the first-listed region among its elements */
static int region_of(const struct test_case *c, int64_t i)
{
    int found = REGIONS;
    for (int64_t k = 0; k < 4 * c->mesh.elements; k++)
        if (c->mesh.vertex[k] == i && c->element_region[k / 4] < found)
            found = c->element_region[k / 4];
    return found;
}

/* uA/uF on node i from t0 to t1 */
static double current_of(const struct test_case *c, int64_t i, double t0, double t1)
{
    double sum = 0;
    for (int s = 0; s < c->params.stimuli; s++)
        for (int64_t k = 0; k < c->stimulus[s].nodes; k++)
            if (c->stimulus[s].node[k] == i)
                sum += c->stimulus[s].current * stimulus_overlap(c->stimulus + s, t0, t1);
    return sum;
}

static void *fetch(const struct tissue *t, const void *device, size_t bytes)
{
    struct error error = {0};
    void *host = calloc(1, bytes);
    CHECK(host, "no memory");
    CHECK_OK(device_download(t->queue, host, device, bytes, &error), error);
    return host;
}

/* V of a cell of that region after dt from v, alone on the plain table of the CPU */
static double step_alone(const struct test_case *c, int r, double dt, double v, double current)
{
    static struct queue *queue;
    const struct backend *plain = backend_find("cpu-plain", NULL);
    const struct ionic_model *model = region[r].model;
    double state64[64], own[64], drive_current[2] = {0, current};
    float state32[64];
    const uint16_t class = 1;
    queue = queue ? queue : test_queue(plain, 1);
    ionic_initial(state64, state32, model, c->params.ionic_mixed, 1, 1);
    for (int k = 0; k < model->parameters; k++)
        own[k] = region[r].parameter ? region[r].parameter[k] : model->parameter[k].value;
    struct ionic_cells cell = {.model = model,
                               .cells = 1,
                               .stride = 1,
                               .mixed = c->params.ionic_mixed,
                               .state64 = state64,
                               .state32 = state32,
                               .parameter = own};
    struct ionic_drive drive = {.dt = dt,
                                .substeps = 1,
                                .stimulus_class = &class,
                                .stimulus_current = drive_current,
                                .v_in = &v,
                                .v_out = &v};
    queue->backend->ionic_step(queue, &cell, &drive);
    return v;
}

/* States of group g are the model's initial ones in every cell, each where ionic_layout says */
static void check_states(const struct tissue *t, int g)
{
    const struct ionic_cells *cells = t->cells + g;
    for (int s = 0; s < cells->model->states; s++) {
        struct ionic_layout at = ionic_layout(cells->model, cells->mixed, s);
        double want = cells->model->state[s].value;
        CHECK(at.fp32 == (cells->mixed && !cells->model->state[s].fp64), "state %d", s);
        if (at.fp32) {
            float *value = fetch(t, cells->state32 + at.row * cells->stride, (size_t)cells->cells * 4);
            for (int64_t i = 0; i < cells->cells; i++)
                CHECK(value[i] == (float)want, "group %d, state %d, cell %lld: %g", g, s, (long long)i,
                      value[i]);
            free(value);
        } else {
            double *value = fetch(t, cells->state64 + at.row * cells->stride, (size_t)cells->cells * 8);
            for (int64_t i = 0; i < cells->cells; i++)
                CHECK(value[i] == want, "group %d, state %d, cell %lld: %g", g, s, (long long)i, value[i]);
            free(value);
        }
    }
}

/* of_node[nodes]: region of each. Rows of a group ascend and are those of its region's nodes; parameters are
 * the region's. */
static void check_groups(const struct tissue *t, const struct layout *layout, const int *of_node)
{
    static uint8_t seen[MOST];
    const int region_of_group[] = {0, 2};
    memset(seen, 0, sizeof seen);
    for (int g = 0; g < t->groups; g++) {
        const struct region *own = region + region_of_group[g];
        const struct ionic_cells *cells = t->cells + g;
        int32_t *row = fetch(t, cells->index, (size_t)cells->cells * sizeof *row);
        CHECK(cells->model == own->model, "group %d: %s", g, cells->model->name);
        for (int k = 0; k < own->model->parameters; k++)
            CHECK(cells->parameter[k] ==
                      (own->parameter ? own->parameter[k] : own->model->parameter[k].value),
                  "group %d: parameter %d is %g", g, k, cells->parameter[k]);
        for (int64_t i = 0; i < cells->cells; i++) {
            int32_t node = layout->node[row[i]];
            CHECK(i == 0 || row[i] > row[i - 1], "group %d: rows do not ascend", g);
            CHECK(node >= 0 && !seen[node]++ && of_node[node] == region_of_group[g],
                  "group %d: node %d of region %d", g, node, node < 0 ? -1 : of_node[node]);
            CHECK(t->group_of_node[node] == g, "node %d: group %d", node, t->group_of_node[node]);
        }
        free(row);
        check_states(t, g);
    }
    for (int64_t i = 0; i < layout->nodes; i++)
        CHECK(seen[i], "node %lld is in no group", (long long)i);
}

static void test_tissue(const char *other, bool mixed, const struct backend *backend)
{
    static int of_node[MOST];
    static double v[MOST], after[MOST];
    struct error error = {0};
    struct test_case c;
    struct system system;
    struct layout layout;
    struct tissue t;
    struct queue *queue = test_queue(backend, 2);
    case_make(&c, 3, "mitchell-schaeffer", 1);
    make_regions(&c, other);
    c.params.ionic_mixed = mixed;
    int64_t n = c.mesh.nodes;
    int32_t *order = calloc((size_t)n, sizeof *order);
    uint8_t *single = calloc((size_t)n, 1);
    CHECK(order && single, "no memory");
    for (int64_t i = 0; i < n; i++)
        of_node[i] = region_of(&c, i), single[i] = i % 7 == 0;
    struct tensors tensors = {&c.mesh, region, c.element_region, NULL};
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    CHECK_OK(ordering_make(&system.k, order, &error), error);
    CHECK_OK(layout_make(&layout, &system, order, single, backend->slice_height,
                         layout_window(backend->slice_height), &error),
             error);
    CHECK(layout.rows > n && layout.rows <= MOST, "%lld rows pad nothing", (long long)layout.rows);
    CHECK_OK(tissue_create(&t, &c.mesh, &c.params, &layout, queue, &error), error);
    CHECK(t.groups == REGIONS - 1, "%d groups", t.groups);
    check_groups(&t, &layout, of_node);

    /* the step in whose middle the second stimulus begins; the bits in mixed state are each backend's own */
    const int step = 16;
    const double dt = c.params.step, t0 = step * dt, on = 60;
    struct control control = {.step = step, .first = step - 3};
    size_t bytes = (size_t)layout.rows * sizeof(double);
    double *device[2] = {queue->backend->alloc(queue, bytes), queue->backend->alloc(queue, bytes)};
    struct control *on_device = queue->backend->alloc(queue, sizeof control);
    CHECK(device[0] && device[1] && on_device, "no memory");
    tissue_rest(&t, &layout, v);
    CHECK_OK(device_upload(queue, device[0], v, bytes, &error), error);
    CHECK_OK(device_upload(queue, on_device, &control, sizeof control, &error), error);
    CHECK_OK(tissue_prepare(&t, control.first, 7, c.params.step, &error), error);
    tissue_step(&t, dt, 1, (struct tissue_staggered){0}, device[0], device[1], on_device);
    CHECK_OK(device_download(queue, after, device[1], bytes, &error), error);
    int currents = 0;
    for (int64_t i = 0; i < n; i++) {
        double rest = region[of_node[i]].model->v_initial, current = current_of(&c, i, t0, t0 + dt);
        double want = step_alone(&c, of_node[i], dt, rest, current), got = after[layout.row[i]];
        CHECK(v[layout.row[i]] == rest, "node %lld rests at %g", (long long)i, v[layout.row[i]]);
        CHECK(mixed && !backend->immediate ? fabs(got - want) < 1e-4 : got == want,
              "%s, node %lld of region %d, %g uA/uF: %.17g mV, want %.17g", other, (long long)i, of_node[i],
              current, got, want);
        currents |= current == 0 ? 1 : current == 50 ? 2 : fabs(current - on) < 1e-9 ? 4 : 8;
    }
    CHECK(currents == 7, "currents are not 0, 50 and %g uA/uF: %d", on, currents);
    for (int k = 0; k < 2; k++)
        device_release(queue, device[k]);
    device_release(queue, on_device);
    tissue_free(&t);
    layout_free(&layout);
    system_free(&system);
    free(order);
    free(single);
    queue_free(queue);
    case_free(&c);
}

/* Two regions share a table in V unless it depends on the one parameter that differs; their cells read theirs. */
static void test_tables(const struct ionic_model *model, int differs, const struct backend *backend)
{
    struct test_case c;
    struct error error = {0};
    struct system system;
    struct layout layout;
    struct tissue t;
    struct queue *queue = test_queue(backend, 1);
    double values[64];
    case_make_small(&c, 2, 8, model->name, 1);
    for (int k = 0; k < model->parameters; k++)
        values[k] = model->parameter[k].value * (k == differs ? 1.01 : 1);
    c.region[1].parameter = values;
    c.params.ionic_tables = true;
    int32_t *order = calloc((size_t)c.mesh.nodes, sizeof *order);
    uint8_t *single = calloc((size_t)c.mesh.nodes, 1);
    CHECK(order && single && model->parameters <= 64, "no memory");
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    CHECK_OK(ordering_make(&system.k, order, &error), error);
    CHECK_OK(layout_make(&layout, &system, order, single, backend->slice_height,
                         layout_window(backend->slice_height), &error),
             error);
    CHECK_OK(tissue_create(&t, &c.mesh, &c.params, &layout, queue, &error), error);
    CHECK(t.groups == 2 && t.group[0].table && t.group[1].table, "no tables of %d groups", t.groups);
    CHECK((t.group[0].table == t.group[1].table) == !model->table_reads(differs),
          "%s: tables with another parameter %d", model->name, differs);
    for (int g = 0; g < 2; g++) {
        const struct ionic_table *own = &t.cells[t.group[g].batch].table;
        CHECK(own->rows > 0 && (own->value == t.group[0].table || own->value == t.group[1].table),
              "%s, parameter %d: cells of group %d read no table", model->name, differs, g);
    }
    tissue_free(&t);
    layout_free(&layout);
    system_free(&system);
    free(order);
    free(single);
    queue_free(queue);
    case_free(&c);
}

/* Where a region names the values at the start, its nodes have them: V and each state. */
static void test_initial(const char *model, const struct backend *backend)
{
    enum { VALUES = 40 };
    struct test_case c;
    struct error error = {0};
    struct queue *queue = test_queue(backend, 1);
    struct monodomain *sim;
    double initial[VALUES];
    case_make_small(&c, 2, 8, model, 1);
    for (int k = 0; k < VALUES; k++)
        initial[k] = k ? 0.01 * (k + 1) : -71;
    c.region[1].initial = initial;
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    double *value = calloc((size_t)c.mesh.nodes, sizeof *value);
    bool *second =
        malloc((size_t)c.mesh.nodes * sizeof *second); /* nodes between regions are the first one's */
    memset(second, true, (size_t)c.mesh.nodes * sizeof *second);
    for (int64_t k = 0; k < 3 * c.mesh.elements; k++)
        second[c.mesh.vertex[k]] = second[c.mesh.vertex[k]] && c.element_region[k / 3];
    CHECK(value && c.region[0].model->states < VALUES, "no memory");
    int states = 0;
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const bool state = monodomain_variable(sim, k)->model >= 0;
        if (k > 0 && !state)
            continue;
        CHECK_OK(monodomain_get(sim, k, value, &error), error);
        for (int64_t i = 0; i < c.mesh.nodes; i++) {
            const struct ionic_model *own = c.region[0].model;
            const double begun = state ? own->state[states].value : own->v_initial,
                         want = second[i] ? initial[state ? 1 + states : 0] : begun;
            CHECK(value[i] == want, "%s: %s of node %lld is %.17g, want %.17g", model,
                  monodomain_variable(sim, k)->name, (long long)i, value[i], want);
        }
        states += state;
    }
    CHECK(states == c.region[0].model->states, "%d states", states);
    free(value);
    free(second);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    test_initial("tp06-epi", backend);
    const struct ionic_model *tabled = ionic_find("luo-rudy-1991");
    for (int k = 0; k < tabled->parameters; k += 5)
        if (tabled->parameter[k].value != 0)
            test_tables(tabled, k, backend);
    for (int mixed = 0; mixed < 2; mixed++) {
        test_tissue("tp06-epi", mixed, backend);
        test_tissue("fitzhugh-nagumo", mixed, backend);
    }
    return 0;
}
