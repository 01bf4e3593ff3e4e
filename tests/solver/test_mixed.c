/* test_mixed.c: lines, triangles, tetrahedra and resistors in one tissue. Bounds of random meshes hold
 * against the eigenvalues of the dense matrices; a cable next to a block that nothing joins is the cable
 * alone to the last bit; two shells, and two cables, joined by resistors relax at the exact rate; charge is
 * conserved. `test_mixed [BACKEND]` */
#include "tests/support/diffusion_case.h"

static const double pi = 3.14159265358979323846;

static const struct backend *backend;

enum { MOST = 40 };

/* The eigenvalues of a symmetric matrix by Jacobi's rotations: the least and the largest */
static struct interval dense_extremes(int n, double a[MOST][MOST])
{
    for (int round = 0; round < 12; round++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (a[p][q] * a[p][q] < 1e-34 * fabs(a[p][p] * a[q][q]))
                    continue;
                double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                }
            }
    struct interval found = {a[0][0], a[0][0]};
    for (int p = 1; p < n; p++) {
        found.low = fmin(found.low, a[p][p]);
        found.high = fmax(found.high, a[p][p]);
    }
    return found;
}

/* A mesh of all that there is, of random shapes and sections: elements share nodes, and every node has mass
 */
static void make_random(struct test_case *c, uint64_t seed, int dimension)
{
    memset(c, 0, sizeof *c);
    c->mesh = (struct mesh){.dimension = dimension, .nodes = 12 + (int64_t)(seed % 20), .elements = 0};
    const int64_t nodes = c->mesh.nodes, own = nodes - 2;
    c->mesh.elements = own + 8;
    struct error error = {0};
    CHECK_OK(mesh_allocate(&c->mesh, 0, &error), error);
    for (int64_t k = 0; k < 3 * nodes; k++)
        c->mesh.point[k] = bits_random(seed * 1000 + (uint64_t)k);
    case_furnish(c, "passive", 0);
    for (int64_t e = 0; e < c->mesh.elements; e++) {
        const bool resistor = e >= own;
        const int d = resistor ? 1 : 1 + (int)((e + (int64_t)seed) % dimension);
        int32_t *vertex = c->mesh.vertex + e * (dimension + 1);
        for (int a = 0; a <= dimension; a++) /* e, e + 1, ... and once the last; resistors anywhere */
            vertex[a] = a > d      ? vertex[d]
                        : resistor ? (int32_t)((5 * (e - own) + a * (3 + e - own)) % nodes)
                                   : (int32_t)((e + (a == d ? 2 : a)) % nodes);
        if (!resistor && d > 2)
            vertex[1] = (int32_t)((e + 1) % nodes), vertex[2] = (int32_t)((e + 5) % nodes);
        if (resistor && vertex[0] == vertex[1])
            for (int a = 1; a <= dimension; a++)
                vertex[a] = (int32_t)((vertex[0] + 1) % nodes);
        c->element_region[e] = resistor;
    }
    c->region[0].section[1] = 0.01 + bits_random(seed);
    c->region[0].section[2] = 0.05 + 3 * bits_random(seed + 1);
    c->region[0].membrane = 0.5 + bits_random(seed + 2);
    c->region[1] = (struct region){.model = c->region[0].model,
                                   .isotropic = 1,
                                   .resistor = true,
                                   .conductance = pow(10, 4 * bits_random(seed + 3) - 3)};
    c->params.regions = 2;
}

/* k[][] and the consistent mass from the elements, one by one */
static void assemble_dense(const struct test_case *c, double k[MOST][MOST], double mass[MOST][MOST],
                           double *lumped)
{
    const struct tensors tensors = {&c->mesh, c->region, c->element_region, NULL};
    for (int i = 0; i < MOST; i++) {
        lumped[i] = 0;
        for (int j = 0; j < MOST; j++)
            k[i][j] = mass[i][j] = 0;
    }
    for (int64_t e = 0; e < c->mesh.elements; e++) {
        const int n = mesh_corners(&c->mesh, e);
        const int32_t *vertex = c->mesh.vertex + e * (c->mesh.dimension + 1);
        double own[4][4], volume = tensor_stiffness(&tensors, e, own);
        CHECK((volume == 0) == (c->element_region[e] == 1), "volume %g", volume);
        for (int a = 0; a < n; a++) {
            lumped[vertex[a]] += volume / n;
            for (int b = 0; b < n; b++) {
                k[vertex[a]][vertex[b]] += own[a][b];
                mass[vertex[a]][vertex[b]] += volume * (a == b ? 2 : 1) / (n * (n + 1));
            }
        }
    }
}

static void check_random(uint64_t seed, int dimension, double lumping, double dt)
{
    static double k[MOST][MOST], m[MOST][MOST], a[MOST][MOST], s[MOST][MOST];
    double lumped[MOST];
    struct test_case c;
    struct error error = {0};
    struct system system;
    struct rows rows;
    struct perron perron;
    make_random(&c, seed, dimension);
    c.params.step = dt;
    c.params.mass_lumping = lumping;
    const int n = (int)c.mesh.nodes;
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    const struct scheme scheme = scheme_of(&c.params, c.params.method);
    assemble_dense(&c, k, m, lumped);
    CHECK_OK(system_assemble(&system, &tensors, lumping < 1, NULL, &error), error);
    CHECK_OK(rows_make(&rows, &system, scheme.length, &error), error);
    CHECK_OK(perron_bounds(&perron, &system, scheme.length, &rows, NULL, NULL, &error), error);
    for (int i = 0; i < n; i++) {
        CHECK(lumped[i] > 0 && fabs(system.lumped[i] - lumped[i]) < 1e-14 * lumped[i], "m of row %d", i);
        for (int j = 0; j < n; j++)
            a[i][j] = dt * k[i][j] + (1 - lumping) * m[i][j] + (i == j ? lumping * lumped[i] : 0);
        CHECK(fabs(rows.diagonal[i] - a[i][i]) < 1e-12 * a[i][i], "d of row %d: %g, not %g", i,
              rows.diagonal[i], a[i][i]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = system.k.start[i]; e < system.k.start[i + 1]; e++) {
            const int j = system.k.column[e];
            CHECK(j != i && fabs(system.k.value[e] - k[i][j]) <= 1e-12 * (fabs(k[i][i]) + fabs(k[j][j])),
                  "k_%lld_%d", (long long)i, j);
        }
    struct node_sums sums = {0};
    struct element_spectrum found;
    CHECK_OK(spectrum_elements(&found, &tensors, scheme.length, &sums, &error), error);
    node_sums_free(&sums);
    const struct interval from_rows = rows_interval(&rows, &system, lumping, perron.reach);
    for (int which = 0; which < 3; which++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                s[i][j] = which == 0   ? a[i][j] / sqrt(a[i][i] * a[j][j])
                          : which == 1 ? a[i][j] / sqrt(lumped[i] * lumped[j])
                                       : k[i][j] / sqrt(lumped[i] * lumped[j]);
        const struct interval exact = dense_extremes(n, s);
        if (which == 0) {
            CHECK(found.jacobi.low <= exact.low + 1e-12 && exact.high <= found.jacobi.high + 1e-12,
                  "%llu: elements [%g, %g], exact [%g, %g]", (unsigned long long)seed, found.jacobi.low,
                  found.jacobi.high, exact.low, exact.high);
            CHECK(from_rows.low <= exact.low + 1e-12 && exact.high <= from_rows.high + 1e-12,
                  "%llu: rows [%g, %g], exact [%g, %g]", (unsigned long long)seed, from_rows.low,
                  from_rows.high, exact.low, exact.high);
        } else if (which == 1)
            CHECK(found.lowest_mass <= exact.low * (1 + 1e-12), "lowest %g, exact %g", found.lowest_mass,
                  exact.low);
        else
            CHECK(exact.high <= found.rate * (1 + 1e-12) && exact.high <= perron.rate * (1 + 1e-12),
                  "rates %g and %g, exact %g", found.rate, perron.rate, exact.high);
    }
    rows_free(&rows);
    system_free(&system);
    case_free(&c);
}

/* Where memory does not suffice, no wider bounds are found, which another machine would not find. */
static void test_no_memory(void)
{
    struct test_case c;
    struct error error = {0};
    struct clusters_found found;
    make_random(&c, 1, 3);
    c.params.step = 0.001; /* no edge is strong */
    c.mesh.nodes = (int64_t)1 << 60;
    const struct tensors tensors = {&c.mesh, c.region, c.element_region, NULL};
    const enum status status = clusters_find(&found, &tensors, &c.params, &error);
    CHECK(status == STATUS_RUN && strstr(error.text, "out of memory"), "status %d: %s", status, error.text);
    case_free(&c);
}

/* to <- the two meshes side by side, then `links` lines between their nodes; the first has the higher
 * dimension */
static void join(struct mesh *to, const struct mesh *high, const struct mesh *low, int32_t (*link)[2],
                 int64_t links)
{
    struct error error = {0};
    const int corners = high->dimension + 1;
    *to = (struct mesh){.dimension = high->dimension,
                        .nodes = high->nodes + low->nodes,
                        .elements = high->elements + low->elements + links};
    CHECK_OK(mesh_allocate(to, 0, &error), error);
    memcpy(to->point, high->point, 3 * (size_t)high->nodes * sizeof *to->point);
    memcpy(to->point + 3 * high->nodes, low->point, 3 * (size_t)low->nodes * sizeof *to->point);
    memcpy(to->vertex, high->vertex, (size_t)(high->elements * corners) * sizeof *to->vertex);
    for (int64_t e = 0; e < low->elements; e++)
        for (int c = 0; c < corners; c++)
            to->vertex[(high->elements + e) * corners + c] =
                (int32_t)high->nodes +
                low->vertex[e * (low->dimension + 1) + (c < low->dimension ? c : low->dimension)];
    for (int64_t l = 0; l < links; l++)
        for (int c = 0; c < corners; c++)
            to->vertex[(high->elements + low->elements + l) * corners + c] =
                c ? (int32_t)high->nodes + link[l][1] : link[l][0];
}

/* A cable in a block, joined by resistors that do not conduct, and alone */
static void test_apart(void)
{
    struct error error = {0};
    struct test_case c, alone;
    struct mesh slab, cable, both;
    int32_t link[3][2] = {{0, 0}, {5, 20}, {9, 40}};
    CHECK_OK(mesh_slab(&slab, (double[]){2, 1, 1}, 0.25, &error), error);
    CHECK_OK(mesh_cable(&cable, 10, 0.25, &error), error);
    join(&both, &slab, &cable, link, 3);
    for (int two = 0; two < 2; two++) {
        struct test_case *to = two ? &alone : &c;
        memset(to, 0, sizeof *to);
        to->mesh = two ? cable : both;
        case_furnish(to, "mitchell-schaeffer", 0);
        for (int64_t e = 0; e < to->mesh.elements; e++)
            to->element_region[e] = !two && e >= slab.elements + cable.elements;
        to->region[0].section[1] = 0.003;
        to->region[0].membrane = 1.7;
        to->region[1] = (struct region){.model = to->region[0].model, .isotropic = 1, .resistor = true};
        to->params.method = METHOD_RKL2;
        to->params.stimuli = 1;
        const int32_t first = two ? 0 : (int32_t)slab.nodes;
        to->stimulated[0] = first;
        to->stimulated[1] = first + 1;
        to->stimulus[0].nodes = 2;
    }
    int64_t length, own;
    double *state = case_run(&c, backend, 2, 800, &length, NULL),
           *expected = case_run(&alone, backend, 1, 800, &own, NULL), least = 0;
    for (int64_t i = 0; i < cable.nodes; i++) {
        least = fmax(least, expected[i]);
        CHECK(state[slab.nodes + i] == expected[i], "node %lld: %.17g, alone %.17g", (long long)i,
              state[slab.nodes + i], expected[i]);
    }
    CHECK(least > -20, "nothing was excited: %g mV at most", least);
    CHECK(state[0] == state[slab.nodes - 1], "the block was moved");
    free(state);
    free(expected);
    mesh_free(&slab);
    case_free(&c);
    case_free(&alone);
}

static void put_cosine(double *v, const struct mesh *mesh, int64_t first, int64_t nodes, double k, double by)
{
    for (int64_t i = first; i < first + nodes; i++)
        v[i] = by * cos(k * mesh->point[3 * i]);
}

/* One implicit step of V; the sum of m V is kept */
static void step(struct diffusion_case *d, const struct mesh *mesh, double *v)
{
    double before = 0, after = 0, all = 0;
    for (int64_t i = 0; i < mesh->nodes; i++) {
        before += d->system.lumped[i] * v[i];
        all += d->system.lumped[i];
    }
    diffusion_case_step(d, v);
    for (int64_t i = 0; i < mesh->nodes; i++)
        after += d->system.lumped[i] * v[i];
    CHECK(fabs(after - before) <= 1e-11 * all, "charge: %.17g, before %.17g", after, before);
}

/* Two layers, node upon node, by resistors in proportion to the node's mass: of shells (dimension 2) a
 * uniform difference decays at k (1/m1 + 1/m2), of cables (1) also a cosine, at that and its own rate; joined
 * or not to a block by nothing. */
static void test_layers(int dimension)
{
    enum { LINKS = 400 };
    static int32_t link[LINKS][2];
    static double share[4 * LINKS];
    struct error error = {0};
    struct test_case c;
    struct diffusion_case d;
    struct mesh layer, other;
    const double h = 0.2, edges = 15, coupling = 3, dt = 0.05, area[2] = {0.5, 0.2};
    const double wave = dimension == 1 ? 3 * pi / (edges * h) : 0;
    memset(&c, 0, sizeof c);
    if (dimension == 2) {
        CHECK_OK(mesh_sheet(&layer, (double[]){edges * h, 1}, h, &error), error);
        CHECK_OK(mesh_sheet(&other, (double[]){edges * h, 1}, h, &error), error);
    } else {
        CHECK_OK(mesh_cable(&layer, edges * h, h, &error), error);
        CHECK_OK(mesh_cable(&other, edges * h, h, &error), error);
    }
    const int64_t nodes = layer.nodes;
    CHECK(nodes <= LINKS, "%lld nodes", (long long)nodes);
    for (int32_t i = 0; i < nodes; i++)
        link[i][0] = link[i][1] = i;
    join(&c.mesh, &layer, &other, link, nodes);
    case_furnish(&c, "passive", 0);
    struct region region[3] = {c.region[0], c.region[0], c.region[0]};
    for (int r = 0; r < 2; r++)
        region[r].section[1] = region[r].section[2] = area[r];
    region[2] = (struct region){.model = region[0].model,
                                .isotropic = 1,
                                .resistor = true,
                                .scale = {share},
                                .conductance = coupling};
    for (int64_t e = 0; e < c.mesh.elements; e++)
        c.element_region[e] = e < layer.elements ? 0 : e < 2 * layer.elements ? 1 : 2;
    /* share <- the mass of a node of the first layer with a section of 1 */
    struct system system;
    const struct tensors alone = {&layer, c.region, c.element_region, NULL};
    CHECK_OK(system_assemble(&system, &alone, false, NULL, &error), error);
    CHECK(c.mesh.elements <= 4 * LINKS, "%lld elements", (long long)c.mesh.elements);
    for (int64_t i = 0; i < nodes; i++)
        share[2 * layer.elements + i] = system.lumped[i];
    system_free(&system);
    c.params.region = region;
    c.params.regions = 3;
    c.params.step = dt;
    c.params.tolerance = 1e-11;
    c.params.method = METHOD_CHEBYSHEV;
    diffusion_case_make(&d, &c, NULL, backend);
    double *v = calloc((size_t)c.mesh.nodes, sizeof *v);
    CHECK(v, "no memory");
    /* weights such that the mean is kept: the difference is a mode alone */
    put_cosine(v, &c.mesh, 0, nodes, wave, area[1]);
    put_cosine(v, &c.mesh, nodes, nodes, wave, -area[0]);
    const double own = region[0].diffusion[0] * (2 - 2 * cos(wave * h)) / (h * h);
    const double rate = own + coupling * (1 / area[0] + 1 / area[1]);
    double expected = area[1];
    for (int n = 0; n < 20; n++) {
        step(&d, &c.mesh, v);
        expected /= 1 + dt * rate;
        for (int64_t i = 0; i < c.mesh.nodes; i++) {
            double exact = expected * cos(wave * c.mesh.point[3 * i]) * (i < nodes ? 1 : -area[0] / area[1]);
            CHECK(fabs(v[i] - exact) < 1e-9, "dimension %d, step %d, node %lld: %.12g, not %.12g", dimension,
                  n, (long long)i, v[i], exact);
        }
    }
    printf("dimension %d: %lld resistors, rate %.6g /ms\n", dimension, (long long)nodes, rate);
    free(v);
    diffusion_case_free(&d);
    mesh_free(&layer);
    mesh_free(&other);
    case_free(&c);
}

int main(int argc, char **argv)
{
    backend = test_backend(argc, argv);
    for (uint64_t seed = 1; seed <= 40 && argc == 1; seed++)
        for (int dimension = 1; dimension <= 3; dimension++)
            check_random(seed, dimension, seed % 2 ? 1 : 0.5, seed % 3 ? 0.02 : 2);
    test_no_memory();
    test_apart();
    test_layers(1);
    test_layers(2);
    return 0;
}
