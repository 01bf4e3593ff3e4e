/* test_stiffest.c: of two equal knots in a cable the first is the stiffest node, with its rate and shortest edge; what is blamed. */
#include "solver/step/stiffest.h"
#include "tests/support/case.h"

enum { EDGES = 37 };

int main(void)
{
    const double h = 0.2, close = 0.02;
    struct error error = {0};
    struct monodomain *sim;
    struct test_case c = {0};
    struct queue *queue = test_queue(test_backend(0, NULL), 1);
    c.mesh = mesh_sample_lattice(1, (const int[]){EDGES, 0, 0}, (const double[]){h, h, h});
    case_furnish(&c, "passive", 0);
    c.region[1] = c.region[0];
    for (int node = 11; node < EDGES; node += 11)
        c.mesh.point[3 * node] -= h - close;
    CHECK_OK(monodomain_create(&sim, &c.mesh, &c.params, queue, &error), error);
    struct stiffest_node s = monodomain_report(sim)->stiffest;
    /* k_ii / m_i = D (1/a + 1/b) / ((a + b) / 2) with edges a and b */
    double knot = (1 / h + 1 / close) / ((h + close) / 2), even = 2 / (h * h);
    CHECK(s.node == 10 && fabs(s.point[0] - 10 * h) < 1e-12 && s.point[1] == 0 && s.point[2] == 0,
          "node %lld at (%g, %g, %g)", (long long)s.node, s.point[0], s.point[1], s.point[2]);
    CHECK(fabs(s.edge / close - 1) < 1e-9, "edge %g", s.edge);
    double reach = monodomain_report(sim)->scheme.length[0].theta_dt * c.region[0].diffusion[0];
    CHECK(fabs(s.rate / (reach * knot) - 1) < 1e-9, "rate %g, not %g", s.rate, reach * knot);
    CHECK(fabs(s.typical / (reach * even) - 1) < 0.03, "typical %g, not %g", s.typical, reach * even);

    char text[STIFFEST_TEXT];
    CHECK(!*stiffest_blame(text, &s), "%s", text);
    s.typical = 2;
    s.rate = 42;
    CHECK(strstr(stiffest_blame(text, &s), "node 10 at (2, 0, 0)") && strstr(text, "21 times as stiff"), "%s",
          text);
    s.rate = 39;
    CHECK(!*stiffest_blame(text, &s), "%s", text);
    s.typical = 144;
    s.rate = 150;
    CHECK(strstr(stiffest_blame(text, &s), "over 12 edges, such as those of 0.02 mm at node 10"), "%s", text);
    monodomain_free(sim);
    queue_free(queue);
    case_free(&c);
    return 0;
}
