/* test_memory.c: the forecast of a tissue's memory on its device is at least what it allocates, and little more; all of it is given back: rows
 * are padded, and with rows in fp32 there are more kinds of them. */
#include "solver/cells/tissue.h"
#include "tests/support/case.h"

static size_t allocated;
static int64_t arrays; /* in use */

static void *counting_alloc(struct queue *queue, size_t bytes)
{
    allocated += bytes;
    arrays++;
    return backend_find("cpu", NULL)->alloc(queue, bytes);
}

static void counting_release(struct queue *queue, void *memory)
{
    arrays -= memory != NULL;
    backend_find("cpu", NULL)->release(queue, memory);
}

/* bits of `kind`: rows in fp32, staggered steps, long steps, whole beats, cells in fp32, two regions,
 * their thresholds, tp06, its tables. Returns the forecast, with *taken. */
static double test_kind(double *taken, const struct backend *backend, enum method method, int kind)
{
    static const double levels[2][2] = {{-20, -60}, {-30, -70}};
    struct error error = {0};
    struct test_case c;
    struct queue *queue;
    struct monodomain *sim;
    case_mesh(&c, 3, (const int[]){20, 14, 10});
    case_furnish(&c, kind & 128 ? "tp06-epi" : "mitchell-schaeffer", 1);
    c.params.method = method;
    c.params.precision = kind & 1 ? PRECISION_MIXED : PRECISION_DOUBLE;
    c.params.splitting = kind & 2 ? SPLITTING_STAGGERED : SPLITTING_GODUNOV;
    c.params.doublings = kind & 4 ? 3 : 0;
    c.params.maps = (struct params_maps){.slope = kind & 8, .percents = kind & 8 ? 1 : 0, .percent = {90}};
    c.params.ionic_mixed = kind & 16;
    c.params.regions = kind & 32 ? 2 : 1;
    c.params.ionic_tables = kind & 256;
    c.params.activation_thresholds = kind & 64 ? levels : NULL;
    for (int64_t e = 0; e < c.mesh.elements && c.params.regions == 1; e++)
        c.element_region[e] = 0;
    CHECK_OK(queue_new(&queue, backend, 2, &error), error);
    const double bytes = monodomain_bytes(&c.mesh, &c.params).device;
    allocated = 0;
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    const double share = bytes / (double)allocated;
    printf("method %d, kind %d: %zu bytes, forecast %.3f of them\n", (int)method, kind, allocated, share);
    CHECK(share >= 1 && share <= (kind & 1 ? 1.45 : 1.12), "method %d, kind %d: %zu bytes, forecast %.0f",
          (int)method, kind, allocated, bytes);
    monodomain_free(sim);
    CHECK(arrays == 0, "method %d, kind %d: %lld arrays are left", (int)method, kind, (long long)arrays);
    queue_free(queue);
    case_free(&c);
    *taken = (double)allocated;
    return bytes;
}

/* Parameters that differ from cell to cell, in either region: their numbers are kept per row, the constants made of them on the device, too,
 * also in rows that only pad a region; the most that any region has counts */
static void test_varied(bool mixed)
{
    const struct ionic_model other = {.own = 5, .varies = 2}, more = {.own = 7, .varies = 1};
    const double rows = 10000, each = mixed ? 4 : 8;
    for (int regions = 1; regions <= 2; regions++)
        for (int which = 1; which < 1 << (2 * regions); which++) {
            struct region region[2] = {{.model = ionic_find("tp06-epi")}, {.model = ionic_find("tp06-endo")}};
            struct monodomain_params params = monodomain_params_default();
            double own = 0, fields = 0;
            params.region = region;
            params.regions = regions;
            params.ionic_mixed = mixed;
            const double device = tissue_bytes(&params, rows), host = tissue_host_bytes(&params, rows);
            for (int r = 0; r < regions; r++) {
                region[r].varied = which >> 2 * r & 1 ? &other : which >> 2 * r & 2 ? &more : NULL;
                own = region[r].varied ? fmax(own, region[r].varied->own * each) : own;
                fields = region[r].varied ? fmax(fields, 4 + 8 * region[r].varied->varies) : fields;
            }
            CHECK_CLOSE(tissue_bytes(&params, rows) - device, (rows + IONIC_RUN * regions) * own, 1e-12);
            CHECK_CLOSE(tissue_host_bytes(&params, rows) - host, rows * (own + fields), 1e-12);
        }
}

int main(void)
{
    static const int kinds[] = {0, 2, 6 + 32, 1, 1 + 2 + 16, 1 + 8 + 4 + 32 + 64};
    static const struct {
        int to, bit;
        double most;
    } added[] = {{0, 2, 1.03},   {0, 4, 1.3},  {0, 8, 1.03},    {0, 16, 1.03},
                 {32, 64, 1.03}, {6, 8, 1.06}, {128, 256, 1.03}};
    double taken[2], forecast[2];
    test_varied(false);
    test_varied(true);
    struct backend counting = *backend_find("cpu", NULL);
    counting.alloc = counting_alloc;
    counting.release = counting_release;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        test_kind(taken, &counting, (enum method)(METHOD_JACOBI + k % 3), kinds[k]);
    for (size_t k = 0; k < sizeof added / sizeof *added; k++) {
        for (int with = 0; with < 2; with++)
            forecast[with] =
                test_kind(&taken[with], &counting, METHOD_RKL2, added[k].to + with * added[k].bit);
        const double share = (forecast[1] - forecast[0]) / (taken[1] - taken[0]);
        CHECK(share >= 1 && share <= added[k].most, "kind %d takes %g bytes more, forecast %.3f of them",
              added[k].to + added[k].bit, taken[1] - taken[0], share);
    }
    return 0;
}
