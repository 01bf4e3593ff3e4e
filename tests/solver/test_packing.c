/* test_packing.c: orderings are permutations, layouts keep every row once, and the packed products are those
 * of the rows in mesh order, bit for bit, for any ordering, slice height and window, in fp64 and, if all rows
 * of a slice allow it, in fp32. */
#include "kernels/ops/rhs.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/packing.h"
#include "tests/support/case.h"

/* max_k |k - position of a neighbour|: the half bandwidth under an order */
static int64_t bandwidth(const struct csr *pattern, const int32_t *order)
{
    int32_t *new_index = calloc((size_t)pattern->rows, sizeof *new_index);
    int64_t widest = 0;
    CHECK(new_index, "no memory");
    for (int64_t k = 0; k < pattern->rows; k++)
        new_index[order[k]] = (int32_t)k;
    for (int64_t i = 0; i < pattern->rows; i++)
        for (int64_t k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
            int64_t apart = llabs((long long)new_index[i] - new_index[pattern->column[k]]);
            widest = apart > widest ? apart : widest;
        }
    free(new_index);
    return widest;
}

static void check_permutation(const int32_t *order, int64_t n)
{
    uint8_t *seen = calloc((size_t)n, 1);
    CHECK(seen, "no memory");
    for (int64_t k = 0; k < n; k++) {
        CHECK(order[k] >= 0 && order[k] < n && !seen[order[k]], "order[%lld] = %d", (long long)k, order[k]);
        seen[order[k]] = 1;
    }
    free(seen);
}

/* Every entry of a slice has a place of its own, and the entries of a word stand on its boundary side by side
 */
static void check_order(int width, int height, int group)
{
    int over = width % group;
    uint8_t *used = calloc((size_t)(width * height) + 1, 1);
    CHECK(used, "no memory");
    for (int r = 0; r < height; r++)
        for (int k = 0; k < width; k++) {
            int64_t at = packed_index(k, r, width, height, group);
            CHECK(at >= 0 && at < (int64_t)width * height && !used[at],
                  "%d x %d by %d: entry %d of row %d at %lld", width, height, group, k, r, (long long)at);
            used[at] = 1;
            CHECK(k < over || (k - over) % group == 0 ||
                      at == packed_index(k - 1, r, width, height, group) + 1,
                  "%d x %d by %d: entry %d of row %d stands apart", width, height, group, k, r);
            CHECK(k < over || (k - over) % group || at % group == 0,
                  "%d x %d by %d: word %d of row %d is across a boundary", width, height, group, k, r);
        }
    free(used);
}

/* b = -dt K v by the packed product equals the row sums in mesh order */
static void check_product(const struct system *system, const struct layout *layout,
                          const struct packing *packing, const struct scheme_length *of, struct queue *queue)
{
    int64_t rows = layout->rows;
    struct error error = {0};
    double *v = calloc((size_t)rows, sizeof *v), *b = calloc((size_t)rows, sizeof *b);
    double *device[3] = {0};
    struct control zero = {0};
    struct control *control = queue->backend->alloc(queue, sizeof *control);
    CHECK(v && b && control, "no memory");
    for (int64_t k = 0; k < rows; k++)
        v[k] = layout->node[k] < 0 ? 0 : 100 * bits_random((uint64_t)layout->node[k]) - 80;
    for (int k = 0; k < 3; k++)
        device[k] = queue->backend->alloc(queue, (size_t)rows * sizeof *v);
    CHECK_OK(device_upload(queue, device[0], v, (size_t)rows * sizeof *v, &error), error);
    CHECK_OK(device_upload(queue, control, &zero, sizeof zero, &error), error);
    struct rhs rhs = {.v = device[0],
                      .scale = -1,
                      .b = device[1],
                      .x64 = device[2],
                      .bound = INFINITY,
                      .limit = INFINITY,
                      .control = control};
    queue->backend->rhs(queue, &packing->matrix, &rhs);
    CHECK_OK(device_download(queue, b, device[1], (size_t)rows * sizeof *b, &error), error);
    for (int64_t i = 0; i < system->k.rows; i++) {
        double sum = 0, own = v[layout->row[i]];
        bool whole = layout->classes[layout->row[i] / packing->matrix.height] & PACKING_WHOLE32;
        double largest = 0, quantum = 1;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1] && whole; k++)
            largest = fmax(largest, fabs(system_product(system, of, k)));
        if (whole)
            quantum = (double)nextafterf((float)(largest / 32767), INFINITY) / 65536;
        for (int64_t k = system->k.start[i]; k < system->k.start[i + 1]; k++) {
            double r = system_product(system, of, k);
            sum += (whole ? round(r / quantum) : r) * (v[layout->row[system->k.column[k]]] - own);
        }
        CHECK(b[layout->row[i]] == -1 * (quantum * sum), "row %lld: %.17g, want %.17g", (long long)i,
              b[layout->row[i]], -quantum * sum);
    }
    for (int k = 0; k < 3; k++)
        device_release(queue, device[k]);
    device_release(queue, control);
    free(v);
    free(b);
}

/* Rows of one length, of which one in 64 has a column on the other side of a ring: their slices are few */
static void test_far(void)
{
    enum { NODES = 200000, HEIGHT = 32, WINDOW = 512 };
    struct system system = {.k.rows = NODES};
    struct layout layout;
    struct error error = {0};
    int64_t *start = system.k.start = calloc(NODES + 1, sizeof *start);
    int32_t *column = system.k.column = calloc(3 * NODES, sizeof *column);
    int32_t *order = calloc(NODES, sizeof *order);
    uint8_t *classes = calloc(NODES, 1);
    CHECK(start && column && order && classes, "no memory");
    for (int32_t i = 0; i < NODES; i++) {
        order[i] = i;
        start[i + 1] = 3 * ((int64_t)i + 1);
        column[3 * i] = (i + NODES - 1) % NODES;
        column[3 * i + 1] = (i + 1) % NODES;
        column[3 * i + 2] = (i + (i % 64 ? 2 : NODES / 2)) % NODES;
    }
    CHECK_OK(layout_make(&layout, &system, order, classes, HEIGHT, WINDOW, &error), error);
    int64_t far = 0, slices = layout.rows / HEIGHT;
    for (int64_t s = 0; s < slices; s++) {
        bool wide = false;
        for (int64_t k = s * HEIGHT; k < (s + 1) * HEIGHT; k++)
            for (int64_t e = 0; e < 3 && layout.node[k] >= 0; e++)
                wide |= llabs(layout.row[column[3 * layout.node[k] + e]] - k) > INT16_MAX;
        far += wide;
    }
    CHECK(far > 0 && far * WINDOW < 1.1 * (double)slices * HEIGHT, "%lld of %lld slices", (long long)far,
          (long long)slices);
    layout_free(&layout);
    free(start);
    free(column);
    free(order);
    free(classes);
}

/* One row in a hundred of a class of its own, whose last slices cost 16 windows together less than one row in a
 * hundred, and no row is far from its place in the order */
static void test_rare(void)
{
    enum { NODES = 50000, HEIGHT = 32, WINDOW = 512, STRETCH = 16 * WINDOW };
    struct system system = {.k.rows = NODES};
    struct layout layout;
    struct error error = {0};
    system.k.start = calloc(NODES + 1, sizeof *system.k.start);
    int32_t *order = calloc(NODES, sizeof *order);
    uint8_t *classes = calloc(NODES, 1);
    CHECK(system.k.start && order && classes, "no memory");
    for (int32_t i = 0; i < NODES; i++) {
        order[i] = i;
        classes[i] = i % 100 != 37;
    }
    CHECK_OK(layout_make(&layout, &system, order, classes, HEIGHT, WINDOW, &error), error);
    CHECK(layout.rows >= NODES && (double)layout.rows < 1.01 * NODES, "%lld rows", (long long)layout.rows);
    CHECK((double)layout.rows <= layout_rows(NODES, HEIGHT, WINDOW, 2), "%lld rows are more than forecast",
          (long long)layout.rows);
    for (int32_t i = 0; i < NODES; i++)
        CHECK(llabs((long long)layout.row[i] - i) < STRETCH + layout.rows - NODES, "node %d in row %d", i,
              layout.row[i]);
    layout_free(&layout);
    free(system.k.start);
    free(order);
    free(classes);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    test_far();
    test_rare();
    struct test_case c;
    struct error error = {0};
    struct system system;
    struct queue *queue;
    for (int width = 0; width < 14; width++)
        for (int group = 1; group <= 4; group *= 2)
            for (int height = 4; height <= 64; height *= 2)
                check_order(width, height, group);
    case_make(&c, 3, "passive", 1);
    struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    queue = test_queue(backend, 2);
    CHECK_OK(system_assemble(&system, &tensors, false, NULL, &error), error);
    int64_t n = system.k.rows;
    int32_t *order = calloc((size_t)n, sizeof *order);
    uint8_t *classes = calloc((size_t)n, 1);
    CHECK(order && classes, "no memory");
    for (int64_t i = 0; i < n; i++)
        classes[i] = (uint8_t)((bits_random((uint64_t)i) < 0.6) | (i / 300 % 2 ? PACKING_WHOLE32 : 0));
    for (int64_t i = 0; i < n; i++)
        classes[i] |= classes[i] == 3 && i / 200 % 2 ? PACKING_SHARED : 0;
    for (int64_t k = 0; k < n; k++)
        order[k] = (int32_t)k;
    int64_t plain = bandwidth(&system.k, order);
    /* the loops of a card are made for its own height */
    const int lowest = queue->backend->immediate ? 8 : queue->backend->slice_height;
    const int highest = queue->backend->immediate ? 32 : lowest;

    for (int o = 0; o < 3; o++)
        for (int height = lowest; height <= highest; height *= 2)
            for (int64_t window = height; window <= 64 * height; window *= 8) {
                struct layout layout;
                struct packing packing;
                const struct scheme_length of = {.lumping = 1, .theta_dt = 0.02};
                int64_t products = 0;
                for (int64_t k = 0; k < n; k++) /* as in the mesh, or far apart */
                    order[k] = (int32_t)(o == 0 ? k : k * 1009 % n);
                if (o == 1)
                    CHECK_OK(ordering_make(&system.k, order, &error), error);
                check_permutation(order, n);
                if (o == 1)
                    CHECK(bandwidth(&system.k, order) <= plain, "RCM widens the band");
                CHECK_OK(layout_make(&layout, &system, order, classes, height, window, &error), error);
                for (int64_t k = 0; k < layout.rows; k++) {
                    int32_t node = layout.node[k];
                    CHECK(node < 0 || layout.row[node] == k, "row %lld and node %d disagree", (long long)k,
                          node);
                    CHECK(node < 0 || classes[node] == layout.classes[k / height], "class of node %d", node);
                }
                for (int64_t s = 0; s < layout.rows / height; s++) {
                    int all = 7;
                    for (int64_t k = s * height; k < (s + 1) * height; k++)
                        all &= layout.node[k] < 0 ? 7 : classes[layout.node[k]];
                    CHECK(all == layout.classes[s], "slice %lld: %d, not %d", (long long)s, layout.classes[s],
                          all);
                    products += (all & 2) == 2;
                }
                CHECK_OK(packing_make(&packing, &system, &layout, &of, NULL, 1, height, queue, &error),
                         error);
                CHECK(packing.entries == system.k.start[n] && packing.stored >= packing.entries,
                      "entries were lost");
                CHECK(packing.whole32_slices == products, "%lld products in 32",
                      (long long)packing.whole32_slices);
                CHECK(o != 0 || products > 0, "none of a class");
                check_product(&system, &layout, &packing, &of, queue);
                packing_free(&packing, queue);
                layout_free(&layout);
            }
    const int refused[][2] = {{0, 64}, {1, 64}, {2, 64}, {4, 64}, {12, 36}, {16, 8}, {16, 40}};
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct layout layout;
        CHECK(layout_make(&layout, &system, order, classes, refused[k][0], refused[k][1], &error) ==
                  STATUS_INPUT,
              "slices of %d rows in windows of %d were taken", refused[k][0], refused[k][1]);
    }
    free(order);
    free(classes);
    system_free(&system);
    queue_free(queue);
    case_free(&c);
    return 0;
}
