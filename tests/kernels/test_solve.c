/* test_solve.c: the sweeps of a step equal those of a plain loop over the rows in mesh order: the same
 * iterate, number and tested error to the last bit, for every method and update scheme, with rows in fp32, in
 * 32 bits and in fp64. They stop after the first even sweep that passes the test, and each failure has its
 * kind. The stages of rkl2 equal a plain loop, too. `test_solve [BACKEND]` */
#include "kernels/ops/convergence.h"
#include "kernels/ops/step_end.h"
#include "tests/support/diffusion_case.h"

/* e_ij as sweeps read it, but for the row's quantum, which *quantum is <- */
struct stored {
    double e, quantum;
    bool rounds;
};

static struct stored stored(const struct diffusion_case *d, int64_t i, int64_t k)
{
    const struct scheme_length *of = d->scheme.length;
    const struct system *s = &d->system;
    int classes = d->layout.classes[d->layout.row[i] / d->diffusion.packing.matrix.height];
    double e = system_sweep(s, of, k), largest = 0;
    bool rounds = classes & PACKING_FP32;
    bool whole = classes & PACKING_WHOLE32 && (!rounds || classes & PACKING_SHARED);
    if (!whole || of->lumping < 1)
        return (struct stored){rounds ? (double)(float)e : e, 1, rounds};
    for (int64_t j = s->k.start[i]; j < s->k.start[i + 1]; j++)
        largest = fmax(largest, fabs(system_sweep(s, of, j)));
    double quantum = (double)nextafterf((float)(largest / 32767), INFINITY) / 65536;
    return (struct stored){round(e / quantum), quantum, rounds};
}

/* classes[nodes] <- which rows may be read in what: fp32 here and there, the rest in whole regions */
static uint8_t *choose_classes(const struct mesh *mesh, bool stages)
{
    uint8_t *classes = calloc((size_t)mesh->nodes, 1);
    CHECK(classes, "no memory");
    for (int64_t i = 0; i < mesh->nodes; i++) {
        double x = mesh->point[3 * i];
        classes[i] = bits_random((uint64_t)i) < 0.6 ? PACKING_FP32 : 0;
        classes[i] |= x < 0.7 || x >= 1.6 ? 0 : PACKING_WHOLE32 | (stages && x >= 1.1 ? PACKING_SHARED : 0);
    }
    return classes;
}

/* That some slices of the case are read in each way */
static void check_classes(const struct diffusion_case *d)
{
    const struct packing *packing = &d->diffusion.packing;
    int64_t fp32 = 0;
    for (int64_t k = 0; k < packing->matrix.slices; k++)
        fp32 += d->layout.classes[k] & PACKING_FP32;
    CHECK(fp32 > 0 && fp32 < packing->matrix.slices, "%lld of %lld slices in fp32", (long long)fp32,
          (long long)packing->matrix.slices);
}

struct outcome {
    int sweeps;
    bool converged;
    double tested;
};

/* x[nodes] <- what sweeps make of it */
static struct outcome sweep_plainly(const struct diffusion_case *d, const struct monodomain_params *p,
                                    const double *b, double *x)
{
    const struct system *s = &d->system;
    int64_t n = s->k.rows;
    bool momentum = p->method == METHOD_CHEBYSHEV;
    double low = d->scheme.length[0].low, high = d->scheme.length[0].high, gamma = 2 / (low + high), rho = 1;
    double spread = (high - low) / (high + low);
    double *y = calloc((size_t)n, sizeof *y), *previous = calloc((size_t)n, sizeof *previous);
    struct outcome outcome = {0};
    CHECK(y && previous, "no memory");
    while (outcome.sweeps < p->max_sweeps && !outcome.converged) {
        double residual = 0, change = 0;
        if (outcome.sweeps > 0)
            rho = 1 / (1 - spread * spread * (outcome.sweeps == 1 ? 0.5 : rho / 4));
        for (int64_t i = 0; i < n; i++) {
            double sum = 0, quantum = 1, mass = s->lumped[i], diagonal = d->rows.diagonal[i];
            for (int64_t k = s->k.start[i]; k < s->k.start[i + 1]; k++) {
                struct stored entry = stored(d, i, k);
                double of = x[s->k.column[k]];
                sum += entry.e * (entry.rounds ? (double)(float)of : of);
                quantum = entry.quantum;
            }
            double z = (b[i] - quantum * sum) * (1 / diagonal);
            y[i] = z;
            if (momentum)
                y[i] = x[i] + rho * gamma * (z - x[i]) + (rho - 1) * (x[i] - previous[i]);
            residual = fmax(residual, fabs((z - x[i]) * nextafterf((float)(diagonal / mass), INFINITY)));
            change = fmax(change, fabs(y[i] - x[i]));
        }
        memcpy(previous, x, (size_t)n * sizeof *x);
        memcpy(x, y, (size_t)n * sizeof *x);
        outcome.tested = d->scheme.length[0].beta * residual + (momentum ? change : 0);
        outcome.converged = ++outcome.sweeps % 2 == 0 && outcome.tested <= p->tolerance;
    }
    free(y);
    free(previous);
    return outcome;
}

/* V of a front with some unevenness -> the right side and the starting guess, zeros */
static double *begin(struct diffusion_case *d, const struct mesh *mesh)
{
    double *v = calloc((size_t)mesh->nodes, sizeof *v);
    CHECK(v, "no memory");
    for (int64_t i = 0; i < mesh->nodes; i++)
        v[i] = -25 - 60 * tanh(3 * (mesh->point[3 * i] - 1.1)) + bits_random((uint64_t)i);
    diffusion_case_set(d, d->vectors.u, v);
    diffusion_rhs(&d->diffusion, &d->vectors, NULL);
    return v;
}

static void make_case(struct test_case *c, enum method method, enum update update)
{
    case_make(c, 3, "passive", 1);
    c->params.method = method;
    c->params.update = update;
    c->params.mass_lumping = method == METHOD_CHEBYSHEV ? 0.5 : 1;
    c->params.step = 0.05;
    c->params.tolerance = 1e-6;
    c->params.precision_bound = 20;
}

/* From a tolerance of 1e-6 mV on, at what that left, and just below it, where more sweeps are due */
static void test_sweeps(enum method method, enum update update, bool mixed, const struct backend *backend)
{
    struct test_case c;
    struct diffusion_case d;
    make_case(&c, method, update);
    int64_t n = c.mesh.nodes;
    uint8_t *classes = choose_classes(&c.mesh, false);
    double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b),
           *got = calloc((size_t)n, sizeof *got);
    CHECK(x && b && got, "no memory");
    diffusion_case_make(&d, &c, mixed ? classes : NULL, backend);
    if (mixed)
        check_classes(&d);
    struct outcome want = {0};
    for (int k = 0; k < 3; k++) {
        int before = want.sweeps;
        d.scheme.tolerance = c.params.tolerance = k == 0   ? 1e-6
                                                  : k == 1 ? want.tested
                                                           : nextafter(want.tested, 0);
        free(begin(&d, &c.mesh));
        diffusion_case_get(&d, d.diffusion.b, b);
        diffusion_case_get(&d, d.vectors.x, x);
        want = sweep_plainly(&d, &c.params, b, x);
        CHECK(want.converged && (k < 2 ? k == 0 || want.sweeps == before : want.sweeps > before),
              "%d sweeps left %g mV", want.sweeps, want.tested);
        diffusion_solve(&d.diffusion, d.vectors.x, NULL);
        struct control control = diffusion_case_outcome(&d);
        diffusion_case_get(&d, d.vectors.x, got);
        CHECK(!control.failure && control.converged && control.sweep == want.sweeps,
              "method %d, update %d, mixed %d: %d sweeps, failure %d, want %d", method, update, mixed,
              control.sweep, control.failure, want.sweeps);
        int64_t at = first_difference(got, x, n);
        CHECK(at < 0, "method %d, update %d, mixed %d: node %lld is %.17g, want %.17g", method, update, mixed,
              (long long)at, got[at], x[at]);
        CHECK(control.tested == convergence_tested(d.diffusion.at->beta, method == METHOD_CHEBYSHEV,
                                                   control.residual, control.change),
              "method %d: the maxima of the last test are lost", method);
        CHECK(control.tested == want.tested, "method %d, update %d, mixed %d: %.17g mV, want %.17g", method,
              update, mixed, control.tested, want.tested);
    }
    free(classes);
    free(x);
    free(b);
    free(got);
    diffusion_case_free(&d);
    case_free(&c);
}

/* x[nodes] <- delta_s of rkl2, or with b2 eps_s */
static void stage_plainly(const struct diffusion_case *d, int stages, const double *b, const double *b2,
                          double *x)
{
    const struct system *s = &d->system;
    int64_t n = s->k.rows;
    double c[RKL2_STAGES_MOST][RKL2_COEFFICIENTS], w = rkl2_weight(stages);
    double *y = calloc((size_t)n, sizeof *y), *previous = calloc((size_t)n, sizeof *previous);
    CHECK(y && previous, "no memory");
    rkl2_coefficients(stages, b2 != NULL, c[0]);
    for (int64_t i = 0; i < n; i++)
        x[i] = 1.0 / 3 * (b[i] * (w / s->lumped[i]));
    for (int j = 2; j <= stages; j++) {
        const double *of = c[j - 2];
        for (int64_t i = 0; i < n; i++) {
            double sum = 0, quantum = 1;
            for (int64_t k = s->k.start[i]; k < s->k.start[i + 1]; k++) {
                struct stored entry = stored(d, i, k);
                double other = x[s->k.column[k]];
                float apart = (float)other - (float)x[i];
                sum += entry.e * (entry.rounds ? (double)apart : other - x[i]);
                quantum = entry.quantum;
            }
            double right = of[2] * b[i];
            if (b2)
                right += of[3] * b2[i];
            y[i] = of[0] * (x[i] + (right - quantum * sum) * (w / s->lumped[i])) + of[1] * previous[i];
        }
        memcpy(previous, x, (size_t)n * sizeof *x);
        memcpy(x, y, (size_t)n * sizeof *x);
    }
    free(y);
    free(previous);
}

/* Two steps, where the second finds what the first left, and NaN in all that no stage may read */
static void test_stages(int stages, enum update update, bool mixed, bool source,
                        const struct backend *backend)
{
    struct test_case c;
    struct diffusion_case d;
    make_case(&c, METHOD_RKL2, update);
    if (source)
        c.params.splitting = SPLITTING_STAGGERED;
    int64_t n = c.mesh.nodes;
    uint8_t *classes = choose_classes(&c.mesh, true);
    double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b),
           *got = calloc((size_t)n, sizeof *got), *b2 = calloc((size_t)n, sizeof *b2);
    CHECK(x && b && got && b2, "no memory");
    diffusion_case_make_stages(&d, &c, mixed ? classes : NULL, stages, backend);
    if (mixed)
        check_classes(&d);
    for (int step = 0; step < 2; step++) {
        for (int64_t i = 0; i < n; i++)
            got[i] = NAN;
        diffusion_case_set(&d, d.vectors.x, got);
        diffusion_case_set(&d, d.diffusion.y, got);
        for (int64_t i = 0; i < n; i++)
            got[i] = -80 + 100 * bits_random((uint64_t)(i + n * step));
        diffusion_case_set(&d, d.vectors.v, got);
        free(begin(&d, &c.mesh));
        diffusion_case_get(&d, d.diffusion.b, b);
        if (source)
            diffusion_case_get(&d, d.diffusion.b2, b2);
        stage_plainly(&d, stages, b, source ? b2 : NULL, x);
        diffusion_solve(&d.diffusion, d.vectors.x, NULL);
        struct control control = diffusion_case_outcome(&d);
        diffusion_case_get(&d, d.vectors.x, got);
        CHECK(!control.failure && control.converged && control.sweep == stages - 1,
              "%d stages, update %d, mixed %d: %d sweeps, failure %d", stages, update, mixed, control.sweep,
              control.failure);
        int64_t at = first_difference(got, x, n);
        CHECK(at < 0, "%d stages, update %d, mixed %d: node %lld is %.17g, want %.17g", stages, update, mixed,
              (long long)at, got[at], x[at]);
    }
    free(classes);
    free(x);
    free(b);
    free(b2);
    free(got);
    diffusion_case_free(&d);
    case_free(&c);
}

/* What a step is said to have failed of; it leaves V as it was. */
static void test_failure(enum method method, enum failure_kind kind, const struct backend *backend)
{
    struct test_case c;
    make_case(&c, method, UPDATE_HYBRID);
    struct diffusion_case d;
    int64_t n = c.mesh.nodes;
    uint8_t *single = calloc((size_t)n, 1);
    double *after = calloc((size_t)n, sizeof *after);
    CHECK(single && after, "no memory");
    memset(single, 1, (size_t)n);
    if (kind == FAILURE_SWEEPS)
        c.params.max_sweeps = 4;
    diffusion_case_make(&d, &c, single, backend);
    double *v = begin(&d, &c.mesh);
    if (kind == FAILURE_VOLTAGE) {
        diffusion_case_get(&d, d.diffusion.b, after);
        after[n / 2] = NAN;
        diffusion_case_set(&d, d.diffusion.b, after);
    }
    if (kind == FAILURE_DEVICE) /* of an earlier step: nothing is swept any more */
        diffusion_case_control(&d, (struct control){.failure = kind});
    diffusion_solve(&d.diffusion, d.vectors.x, NULL);
    struct step_end end = {
        .u = d.vectors.u, .x = d.vectors.x, .limit = INFINITY, .control = d.diffusion.control};
    d.queue->backend->step_end(d.queue, d.layout.rows, &end);
    struct control control = diffusion_case_outcome(&d);
    CHECK((enum failure_kind)control.failure == kind, "failure %d, want %d", control.failure, kind);
    CHECK(kind != FAILURE_DEVICE || control.sweep == 0, "%d sweeps after a failure", control.sweep);
    diffusion_case_get(&d, d.vectors.u, after);
    if (method != METHOD_RKL2 || kind != FAILURE_VOLTAGE) /* seen by the end of the step, as it writes u */
        CHECK(first_difference(v, after, n) < 0, "failure %d: V has changed", kind);
    free(v);
    free(after);
    free(single);
    diffusion_case_free(&d);
    case_free(&c);
}

/* A value that is larger than what rows in fp32 are chosen for is noted, and changes no bit. */
static void test_passed(enum method method, const struct backend *backend)
{
    struct test_case c;
    make_case(&c, method, UPDATE_HYBRID);
    int64_t n = c.mesh.nodes;
    uint8_t *single = calloc((size_t)n, 1);
    double *x = calloc(2 * (size_t)n, sizeof *x), largest = 0;
    CHECK(single && x, "no memory");
    memset(single, 1, (size_t)n);
    for (int tight = 0; tight < 2; tight++) {
        struct diffusion_case d;
        if (tight)
            c.params.precision_bound = method == METHOD_RKL2 ? 2 : 1; /* a sweep passes it, not the guess */
        diffusion_case_make(&d, &c, single, backend);
        free(begin(&d, &c.mesh));
        diffusion_solve(&d.diffusion, d.vectors.x, NULL);
        struct control control = diffusion_case_outcome(&d);
        diffusion_case_get(&d, d.vectors.x, x + n * tight);
        for (int64_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(x[i]));
        double passed = bits_to_real(control.passed);
        CHECK(!control.failure && control.converged, "failure %d", control.failure);
        CHECK(tight ? passed >= largest && passed < 20 : passed == 0, "%g mV of %g", passed, largest);
        diffusion_case_free(&d);
    }
    CHECK(first_difference(x + n, x, n) < 0, "x depends on the bound");
    free(single);
    free(x);
    case_free(&c);
}

int main(int argc, char **argv)
{
    const struct backend *backend = test_backend(argc, argv);
    const enum method methods[] = {METHOD_JACOBI, METHOD_CHEBYSHEV};
    for (int m = 0; m < 2; m++)
        for (int update = UPDATE_HYBRID; update <= UPDATE_FUSED; update++)
            for (int mixed = 0; mixed < 2; mixed++)
                test_sweeps(methods[m], (enum update)update, mixed, backend);
    for (int stages = 2; stages <= 6; stages++)
        for (int update = UPDATE_HYBRID; update <= UPDATE_FUSED; update++)
            for (int mixed = 0; mixed < 2; mixed++)
                for (int source = 0; source < 2; source++)
                    test_stages(stages, (enum update)update, mixed, source, backend);
    for (int kind = FAILURE_SWEEPS; kind <= FAILURE_DEVICE; kind++) {
        test_failure(METHOD_CHEBYSHEV, (enum failure_kind)kind, backend);
        if (kind != FAILURE_SWEEPS)
            test_failure(METHOD_RKL2, (enum failure_kind)kind, backend);
    }
    test_passed(METHOD_CHEBYSHEV, backend);
    test_passed(METHOD_RKL2, backend);
    return 0;
}
