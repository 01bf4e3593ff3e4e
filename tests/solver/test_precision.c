/* test_precision.c [MESH]: the budget is kept. One diffusion step of a front from the same state, with the
 * same fixed number of sweeps, in mixed and in double precision: no V may differ by more than
 * solver.precision_budget: at budgets that leave about 100, 50 and 5 % of the rows to fp32, and at larger
 * and smaller ones than the default with what reads fp64 in 32 bits. On a bent slab, and on a mesh file in mm
 * when one is named. */
#include <unistd.h>

#include "app/meshio/mesh_file.h"
#include "kernels/base/compare.h"
#include "solver/diffusion/diffusion.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/spectrum.h"
#include "solver/matrix/perron.h"
#include "tests/support/case.h"

enum { SWEEPS = 8 };

/* The matrix of a case, ready to be packed in any precision */
struct setting {
    struct test_case c;
    struct system system;
    struct rows rows;
    struct scheme scheme;
    int32_t *order;
    const struct backend *backend;
    struct queue *queue;
};

static void setting_make(struct setting *s)
{
    struct error error = {0};
    struct monodomain_params *p = &s->c.params;
    p->precision_bound = 20;
    struct tensors tensors = {&s->c.mesh, s->c.region, s->c.element_region, NULL};
    s->scheme = scheme_of(p, p->method);
    struct scheme_length *of = s->scheme.length;
    CHECK_OK(system_assemble(&s->system, &tensors, false, NULL, &error), error);
    CHECK_OK(rows_make(&s->rows, &s->system, of, &error), error);
    struct perron perron;
    CHECK_OK(perron_bounds(&perron, &s->system, of, &s->rows, NULL, NULL, &error), error);
    of->beta = perron.factor;
    of->low = 0.5;
    of->high = 1.5;
    CHECK(of->beta > 0, "a row is not dominant: beta is no bound");
    s->order = calloc((size_t)s->system.k.rows, sizeof *s->order);
    CHECK(s->order, "no memory");
    CHECK_OK(ordering_make(&s->system.k, s->order, &error), error);
}

static void setting_free(struct setting *s)
{
    free(s->order);
    rows_free(&s->rows);
    system_free(&s->system);
}

/* x[nodes] <- the sweeps' result for a front of 120 mV along x, reading rows of class single[] in fp32 */
static void one_step(struct setting *s, const uint8_t *single, double *x)
{
    struct error error = {0};
    struct layout layout;
    struct diffusion d;
    int64_t n = s->system.k.rows, singles = 0;
    for (int64_t i = 0; i < n; i++)
        singles += single[i] & PACKING_FP32;
    s->scheme.fp32_share = (double)singles / (double)n;
    s->scheme.tolerance = -1; /* never met: the number of sweeps is fixed */
    s->scheme.max_sweeps = SWEEPS;
    CHECK_OK(layout_make(&layout, &s->system, s->order, single, 8, 256, &error), error);
    CHECK_OK(diffusion_create(&d, &s->scheme, &s->system, &s->rows, &layout, NULL, s->queue, &error), error);
    struct rotation vectors;
    CHECK_OK(rotation_create(&vectors, diffusion_depth(&s->scheme), layout.rows, s->queue, &error), error);
    double *u = calloc((size_t)layout.rows, sizeof *u);
    CHECK(u, "no memory");
    for (int64_t i = 0; i < n; i++)
        u[layout.row[i]] = -25 - 60 * tanh(2 * (s->c.mesh.point[3 * i] - 1.1));
    CHECK_OK(device_upload(s->queue, vectors.u, u, (size_t)layout.rows * sizeof *u, &error), error);
    diffusion_rhs(&d, &vectors, NULL);
    diffusion_solve(&d, vectors.x, NULL);
    struct control control;
    CHECK_OK(device_download(s->queue, &control, d.control, sizeof control, &error), error);
    CHECK(control.sweep == SWEEPS && !control.failure, "%d sweeps, failure %d", control.sweep,
          control.failure);
    CHECK_OK(device_download(s->queue, u, vectors.x, (size_t)layout.rows * sizeof *u, &error), error);
    for (int64_t i = 0; i < n; i++)
        x[i] = u[layout.row[i]];
    rotation_free(&vectors, s->queue);
    diffusion_free(&d);
    layout_free(&layout);
    free(u);
}

/* The budget under which `share` of the rows read fp32 */
static double budget_for(const struct setting *s, double share)
{
    int64_t n = s->system.k.rows;
    double *need = calloc((size_t)n, sizeof *need);
    CHECK(need, "no memory");
    for (int64_t i = 0; i < n; i++)
        need[i] = 0x1p-23 * (s->rows.offdiag_abs_sum[i] / s->system.lumped[i]) * s->c.params.precision_bound *
                  s->scheme.length[0].beta;
    qsort(need, (size_t)n, sizeof *need, compare_double);
    double budget = need[(int64_t)(share * (double)(n - 1))];
    free(need);
    return budget;
}

/* That each row may be read in what its sums say, all its errors together being within the budget */
static void check_classes(const struct setting *s, const struct rounding *r, const uint8_t *classes)
{
    for (int64_t i = 0; i < s->system.k.rows; i++) {
        double m = s->system.lumped[i], sum = 0, largest = 0;
        for (int64_t k = s->system.k.start[i]; k < s->system.k.start[i + 1]; k++)
            largest = fmax(largest, fabs(system_sweep(&s->system, s->scheme.length, k)));
        double quantum = (double)nextafterf((float)(largest / 32767), INFINITY);
        for (int64_t k = s->system.k.start[i]; k < s->system.k.start[i + 1]; k++) {
            double e = system_sweep(&s->system, s->scheme.length, k);
            sum += fabs(e);
        }
        double entries = (double)(s->system.k.start[i + 1] - s->system.k.start[i]);
        double half = (1 + 0x1p-20) * entries * quantum * 0x1p-17 / m; /* of what an entry counts */
        double x = 0x1p-24 * sum / m * r->bound * s->scheme.length[0].beta, product = half * r->product;
        double single = 2 * x;
        bool rounds = single <= r->budget;
        if (!rounds)
            product += half * r->sweeps;
        bool counts = r->product > 0 && (rounds ? single : 0) + product <= r->budget;
        int want = (rounds ? PACKING_FP32 : 0) | (counts ? PACKING_WHOLE32 : 0);
        CHECK(classes[i] == want, "row %lld: class %d, not %d", (long long)i, classes[i], want);
    }
}

/* whole: 32 bits, too */
static void check_budget(struct setting *s, double budget, bool whole, const char *name)
{
    const struct rounding rounding = {.bound = s->c.params.precision_bound,
                                      .factor = s->scheme.length[0].beta,
                                      .sweeps = s->scheme.length[0].beta * s->c.params.precision_bound,
                                      .product = whole ? 2 * s->c.params.voltage_limit *
                                                             s->scheme.length[0].beta *
                                                             fabs(diffusion_scale(&s->scheme))
                                                       : 0,
                                      .budget = budget};
    int64_t n = s->system.k.rows;
    uint8_t *single = calloc((size_t)n, 1);
    double *want = calloc((size_t)n, sizeof *want), *got = calloc((size_t)n, sizeof *got), most = 0;
    CHECK(single && want && got, "no memory");
    one_step(s, single, want);
    int64_t count = rows_classify(&s->rows, &s->system, s->scheme.length, &rounding, single), products = 0,
            sweeps = 0;
    for (int64_t i = 0; i < n; i++) {
        products += (single[i] & PACKING_WHOLE32) != 0;
        sweeps += single[i] == PACKING_WHOLE32;
    }
    check_classes(s, &rounding, single);
    CHECK(count + products > 0, "no row reads fp32 at a budget of %g mV", budget);
    one_step(s, single, got);
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(got[i] - want[i]));
    printf("%s: budget %.3g mV, %.1f %% of the rows swept in fp32 and %.1f %% in 32 bits, %.1f "
           "%% of the products in 32, largest |dV| of a step %.3g mV\n",
           name, budget, 100 * (double)count / (double)n, 100 * (double)sweeps / (double)n,
           100 * (double)products / (double)n, most);
    CHECK(most <= budget, "%s: %g mV", name, most);
    CHECK(most > 0, "%s: rounded rows changed nothing", name);
    free(single);
    free(want);
    free(got);
}

static void test_mesh(struct setting *s, const char *name)
{
    const double shares[] = {1, 0.5, 0.05};
    setting_make(s);
    for (int k = 0; k < 3; k++)
        check_budget(s, budget_for(s, shares[k]), false, name);
    for (double budget = 0.05; budget > 3e-7; budget /= 3)
        check_budget(s, budget, true, name);
    setting_free(s);
}

int main(int argc, char **argv)
{
    struct error error = {0};
    if (argc > 1 && access(argv[1], R_OK) != 0)
        return 77;
    struct setting s = {.backend = backend_find("cpu", NULL)};
    CHECK_OK(queue_new(&s.queue, s.backend, 2, &error), error);
    case_make(&s.c, 3, "passive", 0);
    test_mesh(&s, "bent slab");
    if (argc > 1) {
        mesh_free(&s.c.mesh);
        free(s.c.element_region);
        CHECK_OK(mesh_read(&s.c.mesh, argv[1], 1, NULL, NULL, &error), error);
        s.c.element_region = calloc((size_t)s.c.mesh.elements, sizeof *s.c.element_region);
        CHECK(s.c.element_region, "no memory");
        s.c.params.element_region = s.c.element_region;
        test_mesh(&s, argv[1]);
    }
    case_free(&s.c);
    queue_free(s.queue);
    return 0;
}
