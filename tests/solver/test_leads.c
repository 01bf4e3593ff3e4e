/* test_leads.c: potentials of electrodes. uniform V gives none, up to rounding; the potentials equal their
 * integrals, summed over elements; a wave towards an electrode raises its potential, one away from it lowers
 * it; threads, orderings, devices and a restart change no bit. */
#include "solver/heart/electrodes.h"
#include "solver/step/leads.h"
#include "solver/matrix/ordering.h"
#include "solver/matrix/simplex.h"
#include "tests/support/case.h"

enum { COUNT = 4, STEPS = 120, EVERY = 40, TIMES = STEPS / EVERY };

static const double points[COUNT][3] = {{30, 1, 1}, {-25, 2, 0}, {1.7, 0.9, 0.5}, {2, 8, -3}};
static const double conductivity = 0.2; /* S/m */

static double *make_weights(const struct test_case *c, struct electrode *electrode)
{
    struct error error = {0};
    double *weight = calloc((size_t)(COUNT * c->mesh.nodes), sizeof *weight);
    struct tensors tensors = {&c->mesh, c->region, c->element_region, NULL};
    CHECK(weight, "no memory");
    for (int e = 0; e < COUNT; e++)
        memcpy(electrode[e].point, points[e], sizeof points[e]);
    CHECK_OK(electrodes_weights(electrode, COUNT, weight, &tensors, conductivity, &error), error);
    return weight;
}

/* -1/(4 pi s) sum over elements of |e| grad V . sigma grad(1/r), both linear in the element */
static double by_elements(const struct test_case *c, const struct electrode *electrode, const double *v)
{
    struct tensors tensors = {&c->mesh, c->region, c->element_region, NULL};
    int corners = c->mesh.dimension + 1;
    double total = 0;
    for (int64_t e = 0; e < c->mesh.elements; e++) {
        double sigma[6], gradient[4][3], of_v[3] = {0}, of_r[3] = {0};
        double volume = simplex_gradients(&c->mesh, e, gradient);
        CHECK(tensor_of_element(&tensors, e, sigma), "no fibre");
        for (int a = 0; a < corners; a++) {
            int32_t i = c->mesh.vertex[e * corners + a];
            const double *p = c->mesh.point + 3 * (int64_t)i, *x = electrode->point;
            double r = sqrt((p[0] - x[0]) * (p[0] - x[0]) + (p[1] - x[1]) * (p[1] - x[1]) +
                            (p[2] - x[2]) * (p[2] - x[2]));
            for (int d = 0; d < 3; d++) {
                of_v[d] += gradient[a][d] * v[i];
                of_r[d] += gradient[a][d] / fmax(r, electrode->least);
            }
        }
        const double flux[3] = {sigma[0] * of_v[0] + sigma[1] * of_v[1] + sigma[2] * of_v[2],
                                sigma[1] * of_v[0] + sigma[3] * of_v[1] + sigma[4] * of_v[2],
                                sigma[2] * of_v[0] + sigma[4] * of_v[1] + sigma[5] * of_v[2]};
        total += volume * (flux[0] * of_r[0] + flux[1] * of_r[1] + flux[2] * of_r[2]);
    }
    return -total / (4 * acos(-1) * conductivity);
}

static void test_weights(const struct test_case *c, const struct electrode *electrode, const double *weight)
{
    int64_t nodes = c->mesh.nodes;
    double *v = calloc((size_t)nodes, sizeof *v);
    CHECK(v, "no memory");
    for (int64_t i = 0; i < nodes; i++)
        v[i] = 60 * bits_random((uint64_t)i) - 50;
    for (int e = 0; e < COUNT; e++) {
        double sum = 0, rest = 0, size = 0;
        for (int64_t i = 0; i < nodes; i++) {
            sum += weight[e * nodes + i] * v[i];
            rest += weight[e * nodes + i] * -85;
            size += fabs(weight[e * nodes + i] * 85);
        }
        CHECK(size > 1e-4 && fabs(rest) < 1e-13 * size,
              "electrode %d: %g mV of tissue at rest, its weights %g", e, rest, size);
        CHECK_CLOSE(sum, by_elements(c, &electrode[e], v), 1e-11 * size);
    }
    free(v);
}

/* value[TIMES][COUNT] <- of a run; resumed = another tissue goes on with it half-way */
static void run(const struct test_case *c, const struct backend *backend, int threads, bool resumed,
                const double *weight, double *value)
{
    struct error error = {0};
    struct queue *queue = test_queue(backend, threads);
    struct monodomain *sim, *next;
    struct leads *leads;
    CHECK_OK(monodomain_create(&sim, &c->mesh, &c->params, queue, &error), error);
    CHECK_OK(leads_create(&leads, sim, weight, COUNT, &error), error);
    for (int k = 0; k < TIMES; k++) {
        if (resumed && k == 1) {
            double *state = calloc((size_t)(c->mesh.nodes * c->params.activation_beats), sizeof *state);
            CHECK(state, "no memory");
            CHECK_OK(monodomain_create(&next, &c->mesh, &c->params, queue, &error), error);
            for (int n = 0; n < monodomain_variables(sim); n++) {
                CHECK_OK(monodomain_get(sim, n, state, &error), error);
                CHECK_OK(monodomain_set(next, n, state, &error), error);
            }
            CHECK_OK(monodomain_restart(next, monodomain_step(sim), monodomain_history(sim), &error), error);
            free(state);
            leads_free(leads);
            monodomain_free(sim);
            sim = next;
            CHECK_OK(leads_create(&leads, sim, weight, COUNT, &error), error);
        }
        CHECK_OK(monodomain_advance(sim, EVERY, &error), error);
        CHECK_OK(leads_read(leads, value + k * COUNT, &error), error);
    }
    leads_free(leads);
    monodomain_free(sim);
    queue_free(queue);
}

int main(int argc, char **argv)
{
    const struct backend *other = test_backend(argc, argv), *cpu = backend_find("cpu", NULL);
    for (int dimension = 1; dimension <= 3; dimension++) {
        struct test_case c;
        struct electrode electrode[COUNT];
        double want[TIMES * COUNT], got[TIMES * COUNT];
        case_make(&c, dimension, "tp06-epi", dimension > 1);
        double *weight = make_weights(&c, electrode);
        test_weights(&c, electrode, weight);
        run(&c, cpu, 1, false, weight, want);
        for (int k = 1; k < TIMES; k++) /* it runs along x */
            CHECK(want[k * COUNT] > 0 && want[k * COUNT + 1] < 0,
                  "%d-D: %g mV before the wave, %g mV behind it", dimension, want[k * COUNT],
                  want[k * COUNT + 1]);
        for (int k = 0; k < 6; k++) {
            run(&c, k < 3 ? other : cpu, 1 + k % 3, k % 2, weight, got);
            for (int t = 0; t < TIMES * COUNT; t++)
                CHECK(got[t] == want[t], "%d-D, variation %d: value %d is %.17g, want %.17g", dimension, k, t,
                      got[t], want[t]);
        }
        printf("%d-D: %.4g mV before the wave, %.4g mV behind it\n", dimension, want[COUNT], want[COUNT + 1]);
        free(weight);
        case_free(&c);
    }
    return 0;
}
