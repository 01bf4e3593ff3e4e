/* test_fronts.c: the forecast of a front's speed against the speed of fronts that run: along a cable, and
 * in sheets and slabs whose fibres stand askew to the lattice, and round a ventricle of uneven tetrahedra, at
 * edges that are fine and that are not; with `full`, in a heart that is tuned to its edges, too. */
#include "app/problem/velocity.h"

#include <stdlib.h>
#include <string.h>

#include "app/problem/problem.h"
#include "kernels/base/compare.h"
#include "solver/heart/velocity.h"
#include "tests/support/check.h"

/* A front that starts at n.x < first and is timed between n.x = low and high, within `aside` of the line
 * through `middle` */
struct course {
    double normal[3], middle[3], low, high, aside;
};

struct outcome {
    struct velocity velocity;
    double speed;
};

static double along(const struct course *course, const double *point)
{
    double s = 0;
    for (int c = 0; c < 3; c++)
        s += course->normal[c] * point[c];
    return s;
}

static bool near_line(const struct course *course, const double *point)
{
    double s = along(course, point) - along(course, course->middle), square = 0;
    for (int c = 0; c < 3; c++) {
        double d = point[c] - course->middle[c] - s * course->normal[c];
        square += d * d;
    }
    return square <= course->aside * course->aside;
}

/* Slope of the straight line through the activation times near the course's line */
static double fit(const struct mesh *mesh, const struct course *course, const double *time)
{
    double n = 0, s1 = 0, t1 = 0, spread = 0, common = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < mesh->nodes; i++) {
            const double *p = mesh->point + 3 * i;
            double s = along(course, p);
            if (s < course->low || s > course->high || !near_line(course, p))
                continue;
            CHECK(!isnan(time[i]), "node %d at %g mm was not activated", (int)i, s);
            if (pass == 0) {
                n++;
                s1 += s;
                t1 += time[i];
            } else {
                spread += (s - s1 / n) * (s - s1 / n);
                common += (s - s1 / n) * (time[i] - t1 / n);
            }
        }
    CHECK(n >= 5, "%g nodes are timed", n);
    return spread / common;
}

/* The median of 1 / |grad t| over the nodes that the front comes to after 5 ms */
static double middle(const struct mesh *mesh, double *time)
{
    struct error error = {0};
    int64_t count = 0;
    uint8_t *late = calloc((size_t)mesh->nodes, 1);
    for (int64_t i = 0; i < mesh->nodes; i++)
        late[i] = time[i] > 5;
    CHECK_OK(velocity_of_times(mesh, time, 1, &error), error);
    for (int64_t i = 0; i < mesh->nodes; i++)
        if (late[i] && !isnan(time[i]))
            time[count++] = time[i];
    free(late);
    CHECK(count > mesh->nodes / 2, "%d nodes are timed", (int)count);
    qsort(time, (size_t)count, sizeof *time, compare_double);
    return time[count / 2];
}

/* Runs the config, in which %s stands for its region, times the front along the course or, without one,
 * wherever it runs, and measures its speed in blocks of this mesh */
static struct outcome run(const char *format, const char *region, const struct course *course)
{
    char text[1500];
    struct config config;
    struct problem problem;
    struct outcome outcome;
    struct error error = {0};
    struct velocities velocities;
    struct queue *queue;
    struct monodomain *sim;
    snprintf(text, sizeof text, format, region);
    CHECK_OK(config_parse(&config, "velocity.yaml", "", text, strlen(text), NULL, 0, &error), error);
    CHECK_OK(problem_create(&problem, &config, NULL, &error), error);
    const struct monodomain_params *params = &problem.params;
    CHECK_OK(velocities_create(&velocities, &config, params, &problem.mesh, NULL, &error), error);
    CHECK_OK(velocity_measure(&outcome.velocity, &velocities, 0, 0, params->region->diffusion, &error),
             error);
    velocities_free(&velocities);
    CHECK_OK(queue_new(&queue, backend_find("cpu", &error), 1, &error), error);
    CHECK_OK(monodomain_create(&sim, &problem.mesh, params, queue, &error), error);
    CHECK_OK(monodomain_advance(sim, config.steps, &error), error);
    double *time = malloc((size_t)problem.mesh.nodes * sizeof *time);
    CHECK(time, "no memory");
    CHECK_OK(monodomain_get(sim, monodomain_find(sim, "activation_time"), time, &error), error);
    outcome.speed = course ? fit(&problem.mesh, course, time) : middle(&problem.mesh, time);
    free(time);
    monodomain_free(sim);
    queue_free(queue);
    problem_free(&problem);
    config_free(&config);
    return outcome;
}

static void expect(const char *name, double got, double want, double tolerance)
{
    printf("%s: %.4f m/s, want %.4f (%+.2f %%)\n", name, got, want, 100 * (got / want - 1));
    CHECK(fabs(got / want - 1) < tolerance, "%s", name);
}

#define TISSUE                                                                                               \
    "tissue:\n  surface_to_volume: 1400 /cm\n  fibers: [1, 1, 0]\n  regions: [{model: tp06-epi, %s}]\n"

static const char cable[] = "version: 1\nmesh: {cable: {length: 15 mm, spacing: 0.3 mm}}\n" TISSUE
                            "time: {end: 30 ms, step: 0.05 ms}\n"
                            "stimuli: [{where: x < 1.5 mm, duration: 1 ms, current: 100 uA/uF}]\n";
static const char fine_cable[] = "version: 1\nmesh: {cable: {length: 10 mm, spacing: 0.05 mm}}\n" TISSUE
                                 "time: {end: 20 ms, step: 0.05 ms}\n"
                                 "stimuli: [{where: x < 1.5 mm, duration: 1 ms, current: 100 uA/uF}]\n";
static const char slab[] =
    "version: 1\nmesh: {slab: {size: [8.8 mm, 8.8 mm, 0.4 mm], spacing: 0.2 mm}}\n" TISSUE
    "time: {end: 15 ms, step: 0.05 ms}\n"
    "stimuli: [{where: x + y < 4.1 mm, duration: 1 ms, current: 100 uA/uF}]\n";
static const struct course line = {{1, 0, 0}, {0, 0, 0}, 4, 9, 1};

/* The fibre stands at 45 degrees to the lattice and the front runs along it. */
static void test_slab(void)
{
    const double root = 0.70710678118654752;
    const struct course diagonal = {{root, root, 0}, {4.4, 4.4, 0.2}, 5, 8, 0.5};
    struct outcome given =
        run(slab, "conductivity: {longitudinal: 0.133 S/m, transverse: 0.0333 S/m}", &diagonal);
    expect("a slab's forecast", given.velocity.here, given.speed, 0.03);
    CHECK(1 - given.speed / given.velocity.fine > 0.06, "the mesh's own error is %g",
          1 - given.speed / given.velocity.fine);
    struct outcome tuned = run(slab, "velocity: {longitudinal: 0.6 m/s, transverse: 0.3 m/s}", &diagonal);
    expect("a slab tuned to its edges", tuned.speed, 0.6, 0.02);
}

static void test_cable(void)
{
    struct outcome given = run(cable, "conductivity: 0.1 S/m", &line);
    expect("a cable's forecast", given.velocity.here, given.speed, 0.01);
    CHECK(given.velocity.here < 0.9 * given.velocity.fine, "%g and %g", given.velocity.here,
          given.velocity.fine);
    expect("a cable tuned to its edges", run(cable, "velocity: 0.5 m/s", &line).speed, 0.5, 0.02);
    expect("a fine cable of a velocity",
           run(fine_cable, "velocity: {longitudinal: 0.5 m/s, transverse: 0.5 m/s, on: fine}", &line).speed,
           0.5, 0.02);
    expect("one of twice that, and of a factor", run(fine_cable, "scale: 0.25, velocity: 1 m/s", &line).speed,
           0.5, 0.02);
}

#define FROM_APEX                                                                                            \
    TISSUE "time: {end: 30 ms, step: 0.05 ms}\n"                                                             \
           "stimuli: [{where: distance_to(apex) < 3 mm, duration: 2 ms, current: 60 uA/uF}]\n"

static const char ventricle[] =
    "version: 1\nmesh: {ellipsoid: {size: [7 mm, 17 mm, 3 mm], edge: 1 mm}}\n" FROM_APEX;
static const char heart[] = "version: 1\nmesh: {file: " CARDIAC_SOURCE "/meshes/heart.msh.gz, scale: 1 mm, "
                            "surfaces: {base: 1, epi: 2, lv: 3, rv: 4}}\n" FROM_APEX;

/* A front that spreads from the apex is slower by about D / radius than a plane one. */
static void test_hearts(bool full)
{
    struct outcome given = run(ventricle, "conductivity: 0.7 S/m", NULL);
    expect("an ellipsoid's forecast", given.velocity.here, given.speed, 0.05);
    CHECK(1 - given.speed / given.velocity.fine > 0.15, "the mesh's own error is %g",
          1 - given.speed / given.velocity.fine);
    if (full)
        expect("a heart tuned to its edges", run(heart, "velocity: 1.2 m/s", NULL).speed, 1.2, 0.02);
}

int main(int argc, char **argv)
{
    test_hearts(argc > 1 && strcmp(argv[1], "full") == 0);
    test_cable();
    test_slab();
    return 0;
}
