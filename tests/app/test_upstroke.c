/* test_upstroke.c: the front that one cell's upstroke makes, against Huxley's exact one and against fronts on
 * cables from fine edges to those that block; and what a search for a diffusion may cost;
 * thresholds are found once. */
#include "app/models/upstroke.h"

#include <stdlib.h>
#include <string.h>

#include "app/models/pacing.h"
#include "app/problem/problem.h"
#include "app/problem/velocity.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"

struct tissue {
    struct config config;
    struct problem problem;
    struct velocities velocities;
    struct upstroke upstroke;
};

/* Of one region on a cable: `region` is what follows its model's name */
static void open_tissue(struct tissue *tissue, const char *model, const char *region, double lumping,
                        double step)
{
    static const char format[] = "version: 1\nmesh: {cable: {length: 6 mm, spacing: 2 mm}}\n"
                                 "tissue: {surface_to_volume: 1400 /cm, regions: [{model: %s, %s}]}\n"
                                 "time: {end: 1 ms, step: %g ms}\nsolver: {mass_lumping: %g}\n"
                                 "stimuli: [{where: x < 1 mm, duration: 1 ms, current: 50 uA/uF}]\n";
    char text[1000];
    struct error error = {0};
    snprintf(text, sizeof text, format, model, region, step, lumping);
    CHECK_OK(config_parse(&tissue->config, "upstroke.yaml", "", text, strlen(text), NULL, 0, &error), error);
    CHECK_OK(problem_create(&tissue->problem, &tissue->config, NULL, &error), error);
    CHECK_OK(velocity_upstrokes(&tissue->upstroke, &tissue->config, &tissue->problem.params, &error), error);
    CHECK_OK(velocities_create(&tissue->velocities, &tissue->config, &tissue->problem.params,
                               &tissue->problem.mesh, NULL, &error),
             error);
}

static void close_tissue(struct tissue *tissue)
{
    velocities_free(&tissue->velocities);
    problem_free(&tissue->problem);
    config_free(&tissue->config);
}

/* V = rest + 100 mV / (1 + exp(-nu t)), nu = k / 2 (1 - 2 a): lambda = nu (1 - 2 a), and with s = (V - rest)
 * / 100 mV the sums of the loss are beta functions: for a = 0.1 their ratio is 1.25^2 (1 - 4 0.168) */
static void test_huxley(void)
{
    const double a = 0.1, speed = sqrt(0.5) * (1 - 2 * a), ratio = 1.5625 * (1 - 4 * 0.168);
    struct tissue tissue;
    open_tissue(&tissue, "huxley", "parameters: {k: 1, a: 0.1}, conductivity: 0.1 S/m", 1, 0.02);
    const struct upstroke *u = &tissue.upstroke;
    printf("huxley: speed %.4f of %.4f, bend %.5f of %.5f, width %.3f of %.3f\n", u->speed, speed, u->bend,
           (1.5 * ratio - 0.5) / 12, u->width, 4 * (1 - 2 * a));
    CHECK(fabs(u->speed / speed - 1) < 0.01, "%g", u->speed);
    CHECK(fabs(u->bend / ((1.5 * ratio - 0.5) / 12) - 1) < 0.05, "%g", u->bend);
    CHECK(fabs(u->width / (4 * (1 - 2 * a)) - 1) < 0.1, "%g", u->width);
    close_tissue(&tissue);
}

/* Of a front with D = 1 in a block of a cable; 0: it blocks */
static double speed_on_edges(const struct front *front, double edge)
{
    const double diffusion[3] = {1, 1, 1}, unit = fmax(edge, 2 / front->fine);
    const int elements = (int)ceil(16 * unit / edge);
    const struct block_place place = {
        .element = elements / 2, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .edge = edge, .unit = unit};
    struct mesh mesh;
    struct block block;
    struct error error = {0};
    double speed = NAN;
    CHECK_OK(mesh_cable(&mesh, elements * edge, edge, &error), error);
    CHECK_OK(blocks_cut((struct block *[]){&block}, &mesh, (const struct block_place *[]){&place}, 1, &error),
             error);
    CHECK_OK(block_speed(&speed, &block, front, diffusion, 1, &error), error);
    CHECK(block.copies == 1, "%d copies", block.copies);
    block_free(&block);
    mesh_free(&mesh);
    return speed;
}

/* What the pages promise: up to a loss of 2 % no warning, beyond one of 12 % always one */
static void test_cables(const char *model, double lumping, double *coarsest)
{
    static const double edges[] = {0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 31};
    struct tissue tissue;
    open_tissue(&tissue, model, "conductivity: 0.1 S/m", lumping, 0.02);
    const struct front *front = tissue.velocities.front;
    printf("%s, f = %g: speed %.4f, cables %.4f\n", model, lumping, tissue.upstroke.speed, front->fine);
    CHECK(fabs(tissue.upstroke.speed / front->fine - 1) < 0.1, "%s", model);
    for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
        double speed, guess = upstroke_lost(&tissue.upstroke, edges[k], lumping);
        speed = speed_on_edges(front, edges[k] / front->fine);
        double lost = 1 - speed / front->fine;
        printf("  edges of %g D / c: %.1f %% lost, estimated %.1f %%\n", edges[k], 100 * lost, 100 * guess);
        CHECK(fabs(lost) > 0.02 || !(fabs(guess) > 0.05), "%s: warned at %g %%", model, 100 * lost);
        CHECK(fabs(lost) < 0.12 || fabs(guess) > 0.05, "%s: no warning at %g %%", model, 100 * lost);
        if (speed > 0)
            *coarsest = fmax(*coarsest, edges[k]);
    }
    close_tissue(&tissue);
}

static void test_passive(void)
{
    struct tissue tissue;
    open_tissue(&tissue, "passive", "conductivity: 0.1 S/m", 1, 0.02);
    CHECK(tissue.upstroke.speed == 0, "%g", tissue.upstroke.speed);
    close_tissue(&tissue);
}

/* A front a tenth as fast as the cables' first guess */
static void test_slow(void)
{
    struct tissue tissue;
    open_tissue(&tissue, "fitzhugh-nagumo", "conductivity: 0.1 S/m", 1, 0.2);
    double fine = tissue.velocities.front->fine;
    CHECK(fabs(tissue.upstroke.speed / fine - 1) < 0.03, "%g, cables %g", tissue.upstroke.speed, fine);
    close_tissue(&tissue);
}

/* On edges of 2 mm no conductivity gives 0.1 m/s, and the error names edges that do; one gives 0.5 m/s */
static void test_search(void)
{
    struct tissue tissue;
    struct velocity velocity;
    struct error error = {0};
    char *end;
    open_tissue(&tissue, "luo-rudy-1991", "velocity: 0.5 m/s", 1, 0.02);
    const double *diffusion = tissue.problem.region[0].diffusion;
    CHECK_OK(velocity_measure(&velocity, &tissue.velocities, 0, 0, diffusion, &error), error);
    CHECK(fabs(velocity.here / 0.5 - 1) < 5e-3, "%g", velocity.here);
    CHECK(velocity.reflected == 1 && velocity.blocked == 0, "%d, %d", velocity.reflected, velocity.blocked);
    double speed[3] = {0.1, 0.1, 0.1}, found[3];
    CHECK(velocity_tune(found, &tissue.velocities, 0, speed, &error) == STATUS_INPUT, "D = %g", found[0]);
    CHECK(strstr(error.text, "this mesh cannot carry a front of 0.1 m/s: on its edges of 2 mm"), "%s",
          error.text);
    const char *edges = strstr(error.text, "edges of ");
    edges = edges ? strstr(edges + 1, "; edges of ") : NULL;
    CHECK(edges, "%s", error.text);
    double edge = strtod(edges + strlen("; edges of "), &end);
    const struct front *front = tissue.velocities.front;
    double blocked = speed[0] / front->fine,
           high = 8 * blocked; /* roots of D; the front runs from one in between on */
    for (int k = 0; k < 8; k++) {
        double root = sqrt(blocked * high);
        *(speed_on_edges(front, edge / root) * root < speed[0] ? &blocked : &high) = root;
    }
    double passed = speed_on_edges(front, edge / high) * high;
    CHECK(passed > 0 && passed < 1.15 * speed[0], "%g m/s on %g mm", passed, edge);
    close_tissue(&tissue);
}

/* Conductivities of many speeds from fronts at a few diffusions: each as right as the pages promise, and the
 * same bits whatever speeds came before */
static void test_grid(void)
{
    struct tissue tissue, fresh;
    struct error error = {0};
    double found[3], again[3];
    open_tissue(&tissue, "tp06-epi", "velocity: 3.6 m/s", 1, 0.02);
    struct velocities *velocities = &tissue.velocities;
    int64_t first = -1;
    for (int k = 0; k <= 20; k++) {
        const double c = 3.6 + 0.05 * k, speed[3] = {c, c, c};
        struct velocity velocity;
        CHECK_OK(velocity_tune(found, velocities, 0, speed, &error), error);
        CHECK_OK(velocity_measure(&velocity, velocities, 0, 0, found, &error), error);
        CHECK(fabs(velocity.here / c - 1) < 5e-3, "%g m/s: %g", c, velocity.here);
        first = first < 0 ? velocities->grid->corners : first;
    }
    CHECK(velocities->grid->corners <= first + 4, "%d corners", (int)velocities->grid->corners);
    open_tissue(&fresh, "tp06-epi", "velocity: 4.6 m/s", 1, 0.02);
    const double speed[3] = {4.6, 4.6, 4.6};
    CHECK_OK(velocity_tune(again, &fresh.velocities, 0, speed, &error), error);
    CHECK_OK(velocity_tune(found, velocities, 0, speed, &error), error);
    CHECK(found[0] == again[0], "%.17g and %.17g", found[0], again[0]);
    close_tissue(&fresh);
    close_tissue(&tissue);
}

/* A cell of the same model, parameters, way and step is not stepped a second time. */
static void test_threshold(void)
{
    const struct ionic_model *model = ionic_find("tp06-epi");
    struct pacing_cell cell = {.model = model, .step = 0.02};
    struct pacing_thresholds known = {0};
    struct error error = {0};
    double threshold, other, parameter[100];
    CHECK(model && model->parameters < 100, "no tp06-epi");
    CHECK_OK(pacing_threshold(&threshold, &cell, &known, &error), error);
    CHECK(threshold == floor(threshold / 5) * 5 && threshold > model->v_initial && known.count == 1, "%g mV",
          threshold);
    known.of[0].threshold = 1;
    CHECK_OK(pacing_threshold(&other, &cell, &known, &error), error);
    CHECK(other == 1 && known.count == 1, "%g mV", other);
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = model->parameter[k].value;
    cell.parameter = parameter;
    CHECK_OK(pacing_threshold(&other, &cell, &known, &error), error);
    CHECK(other == 1 && known.count == 1, "%g mV", other);
    cell.step = 0.01;
    CHECK_OK(pacing_threshold(&other, &cell, &known, &error), error);
    CHECK(other == threshold && known.count == 2, "%g mV", other);
    for (int k = 0; k < model->parameters; k++)
        parameter[k] *= 1.0001;
    CHECK_OK(pacing_threshold(&other, &cell, &known, &error), error);
    CHECK(known.count == 3, "%d", known.count);
}

int main(void)
{
    static const char *const models[] = {"tp06-epi", "luo-rudy-1991", "ohara-endo", "bueno-orovio-epi",
                                         "mitchell-schaeffer"};
    double coarsest = 0;
    test_threshold();
    test_huxley();
    test_passive();
    test_slow();
    test_search();
    test_grid();
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        test_cables(models[k], 1, &coarsest);
    test_cables("tp06-epi", 0.5, &coarsest);
    test_cables("tp06-epi", 0, &coarsest);
    CHECK(coarsest < UPSTROKE_BLOCKS, "%g", coarsest);
    return 0;
}
