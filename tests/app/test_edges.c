/* test_edges.c: what edges of cables do to fronts, from fine ones to those that block, and what is said of
 * it; cells that carry none; what a search for a diffusion may cost; edges found once; thresholds of activations. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/pacing.h"
#include "app/problem/problem.h"
#include "app/problem/velocity.h"
#include "app/util/cache.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"

struct tissue {
    struct config config;
    struct problem problem;
    struct velocities velocities;
};

/* Of one region: `mesh` ends in what precedes it, `region` is what follows its model's name, `more` further keys */
static void open_mesh(struct tissue *tissue, const char *mesh, const char *model, const char *region,
                      const char *more)
{
    static const char format[] = "version: 1\nmesh: {%s"
                                 "surface_to_volume: 1400 /cm, regions: [{model: %s, %s}]}\n"
                                 "time: {end: 1 ms, step: 0.02 ms}\n%s"
                                 "stimuli: [{where: x < 1 mm, duration: 1 ms, current: 50 uA/uF}]\n";
    char text[1000];
    struct error error = {0};
    snprintf(text, sizeof text, format, mesh, model, region, more);
    CHECK_OK(config_parse(&tissue->config, "edges.yaml", "", text, strlen(text), NULL, 0, &error), error);
    CHECK_OK(problem_create(&tissue->problem, &tissue->config, NULL, &error), error);
    CHECK_OK(velocities_create(&tissue->velocities, &tissue->config, &tissue->problem.params,
                               &tissue->problem.mesh, NULL, &error),
             error);
}

static void open_tissue(struct tissue *tissue, const char *model, const char *region, const char *more)
{
    open_mesh(tissue, "cable: {length: 6 mm, spacing: 2 mm}}\ntissue: {", model, region, more);
}

static void close_tissue(struct tissue *tissue)
{
    velocities_free(&tissue->velocities);
    problem_free(&tissue->problem);
    config_free(&tissue->config);
}

static struct front front_of(const struct velocities *velocities)
{
    return (struct front){.params = velocities->params,
                          .region = velocities->params->region,
                          .queue = velocities->queue,
                          .speed = *velocities->front};
}

/* Of a front with D = 1 in a block of a cable; 0: it blocks */
static double speed_on_edges(const struct velocities *velocities, double edge)
{
    const struct front front = front_of(velocities);
    const double diffusion[3] = {1, 1, 1}, scale = fmax(edge, 2 / front.speed.fine);
    const int elements = (int)ceil(16 * scale / edge);
    const struct front_block_position position = {
        .element = elements / 2, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .edge = edge, .scale = scale};
    struct mesh mesh;
    struct front_block block;
    struct error error = {0};
    double speed = NAN;
    CHECK_OK(mesh_cable(&mesh, elements * edge, edge, &error), error);
    CHECK_OK(front_blocks_cut((struct front_block *[]){&block}, &mesh,
                              (const struct front_block_position *[]){&position}, 1, &error),
             error);
    CHECK_OK(front_block_speed(&speed, &block, &front, diffusion, 1, &error), error);
    CHECK(block.copies == 1, "%d copies", block.copies);
    front_block_free(&block);
    mesh_free(&mesh);
    return speed;
}

/* The edge that is named for a loss of 5 % is that of one of 3 to 7 %, and no front runs on edges of 32 D /
 * c; edges twice as long as that, on which a stop is put down to the mesh, lose a tenth or more. */
static void test_cables(const char *model)
{
    struct tissue tissue;
    open_tissue(&tissue, model, "conductivity: 0.1 S/m", "");
    const struct front_speed *front = tissue.velocities.front;
    const double enough = front_enough(front), edges[] = {enough, 2 * enough, 32 / front->fine};
    double lost[3];
    for (int k = 0; k < 3; k++)
        lost[k] = 1 - speed_on_edges(&tissue.velocities, edges[k]) / front->fine;
    printf("%s: g(0) = %.4f, edges of %.3f D / c lose %.1f %%, of twice that %.1f %%\n", model, front->fine,
           enough * front->fine, 100 * lost[0], 100 * lost[1]);
    CHECK(lost[0] > 0.03 && lost[0] < 0.07, "%s: %g %%", model, 100 * lost[0]);
    CHECK(lost[1] > 0.1 && lost[1] < 0.3, "%s: %g %%", model, 100 * lost[1]);
    CHECK(lost[2] == 1, "%s: %g %%", model, 100 * lost[2]);
    close_tissue(&tissue);
}

/* No front: no current, one that is outward alone, and one that is too weak; half of it is enough */
static void test_carriers(void)
{
    static const struct {
        const char *model, *parameters;
        bool carries;
    } cells[] = {{"passive", "conductivity: 0.1 S/m", false},
                 {"tp06-epi", "conductivity: 0.1 S/m, parameters: {g_Na: 0, g_CaL: 0}", false},
                 {"tp06-epi", "conductivity: 0.1 S/m, parameters: {g_Na: 0.3, g_CaL: 0}", false},
                 {"tp06-epi", "conductivity: 0.1 S/m, parameters: {g_Na: 7.4}", true}};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        struct tissue tissue;
        open_tissue(&tissue, cells[k].model, cells[k].parameters, "");
        CHECK((tissue.velocities.front->fine > 0) == cells[k].carries, "%s, %s: %g", cells[k].model,
              cells[k].parameters, tissue.velocities.front->fine);
        close_tissue(&tissue);
    }
}

/* On edges of 2 mm no conductivity gives 0.1 m/s, and the error names edges that do; one gives 0.5 m/s */
static void test_search(void)
{
    struct tissue tissue;
    struct velocity velocity;
    struct error error = {0};
    char *end;
    open_tissue(&tissue, "luo-rudy-1991", "velocity: 0.5 m/s", "");
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
    double blocked = speed[0] / tissue.velocities.front->fine,
           high = 8 * blocked; /* roots of D; the front runs from one in between on */
    for (int k = 0; k < 8; k++) {
        double root = sqrt(blocked * high);
        *(speed_on_edges(&tissue.velocities, edge / root) * root < speed[0] ? &blocked : &high) = root;
    }
    double passed = speed_on_edges(&tissue.velocities, edge / high) * high;
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
    open_tissue(&tissue, "tp06-epi", "velocity: 3.6 m/s", "");
    struct velocities *velocities = &tissue.velocities;
    int64_t first = -1;
    for (int k = 0; k <= 20; k++) {
        const double c = 3.6 + 0.05 * k, speed[3] = {c, c, c};
        struct velocity velocity;
        CHECK_OK(velocity_tune(found, velocities, 0, speed, &error), error);
        CHECK_OK(velocity_measure(&velocity, velocities, 0, 0, found, &error), error);
        CHECK(fabs(velocity.here / c - 1) < 5e-3, "%g m/s: %g", c, velocity.here);
        first = first < 0 ? velocities->memory.entries : first;
    }
    const int64_t more = velocities->memory.entries - first - 20; /* the checks above are some, too */
    CHECK(more <= 4, "%d fronts", (int)more);
    open_tissue(&fresh, "tp06-epi", "velocity: 4.6 m/s", "");
    const double speed[3] = {4.6, 4.6, 4.6};
    CHECK_OK(velocity_tune(again, &fresh.velocities, 0, speed, &error), error);
    CHECK_OK(velocity_tune(found, velocities, 0, speed, &error), error);
    CHECK(found[0] == again[0], "%.17g and %.17g", found[0], again[0]);
    close_tissue(&fresh);
    close_tissue(&tissue);
}

/* A model has a threshold where its own current carries a beat higher than the stimulus does. */
static void test_thresholds(void)
{
    static const struct {
        const char *model;
        double threshold;
    } known[] = {
        {"tp06-epi", -40},         {"ohara-endo", -35},         {"stewart", -25}, {"fitzhugh-nagumo", -45},
        {"bueno-orovio-epi", -35}, {"mitchell-schaeffer", -45}, {"huxley", -50},  {"passive", 0}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const struct pacing_cell cell = {.model = ionic_find(known[k].model), .step = 0.02};
        struct error error = {0};
        double threshold = NAN;
        CHECK_OK(pacing_threshold(&threshold, &cell, &error), error);
        CHECK(threshold == known[k].threshold, "%s: %g mV", known[k].model, threshold);
    }
}

/* *name <- of the entry of a threshold in the cache, to be freed; returns how many there are */
static int entries(const struct cache *cache, char **name)
{
    DIR *folder = opendir(cache->path);
    int count = 0;
    *name = NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strstr(entry->d_name, ".rise")) {
            free(*name);
            *name = strdup(entry->d_name);
            count++;
        }
    if (folder)
        closedir(folder);
    return count;
}

/* A cache of the test's own, and the end of it */
struct own_cache {
    char folder[30], *usual;
};

static void begin_cache(struct own_cache *own)
{
    const char *usual = getenv("XDG_CACHE_HOME");
    own->usual = usual ? strdup(usual) : NULL;
    strcpy(own->folder, "/tmp/test_edges.XXXXXX");
    CHECK(mkdtemp(own->folder) && !setenv("XDG_CACHE_HOME", own->folder, 1), "no folder");
}

static void end_cache(struct own_cache *own)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", own->folder);
    CHECK(system(command) == 0, "%s remains", own->folder);
    if (own->usual)
        setenv("XDG_CACHE_HOME", own->usual, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(own->usual);
}

/* mm, of a region of that mesh; *found <- whether its blocks were placed for that */
static double edge_of(const struct tissue *tissue, const struct mesh *mesh, const int32_t *region,
                      const char *sha256, bool *found)
{
    struct monodomain_params params = tissue->problem.params;
    struct velocities velocities;
    struct error error = {0};
    double edge = 0;
    params.element_region = region;
    CHECK_OK(velocities_create(&velocities, &tissue->config, &params, mesh, sha256, &error), error);
    CHECK_OK(velocity_edge(&edge, &velocities, 0, 0, &error), error);
    *found = velocities.blocks[0][0].chosen;
    velocities_free(&velocities);
    return edge;
}

/* The edges of a large mesh are found once; another mesh or other regions have their own. */
static void test_remembered_edges(void)
{
    enum { ELEMENTS = 100000 };
    struct tissue tissue;
    struct mesh mesh;
    struct own_cache own;
    struct error error = {0};
    bool found;
    int32_t *region = calloc(ELEMENTS, sizeof *region);
    CHECK(region, "no memory");
    begin_cache(&own);
    open_tissue(&tissue, "mitchell-schaeffer", "conductivity: 0.1 S/m", "");
    CHECK_OK(mesh_cable(&mesh, ELEMENTS * 0.5, 0.5, &error), error);
    const double edge = edge_of(&tissue, &mesh, region, NULL, &found);
    CHECK(fabs(edge - 0.5) < 1e-9 && found, "%.17g mm", edge);
    const double again = edge_of(&tissue, &mesh, region, NULL, &found);
    CHECK(again == edge && !found, "%.17g mm, found %d", again, found);
    edge_of(&tissue, &mesh, region, "another", &found);
    CHECK(found, "another mesh");
    region[ELEMENTS - 1] = 1;
    edge_of(&tissue, &mesh, region, NULL, &found);
    CHECK(found, "other regions");
    mesh_free(&mesh);
    close_tissue(&tissue);
    end_cache(&own);
    free(region);
}

/* The edges of a direction are the same after its blocks, too short for a front, were dropped. */
static void test_dropped(void)
{
    struct tissue tissue;
    struct velocity velocity;
    struct own_cache own;
    struct error error = {0};
    double before = 0, after = 0;
    begin_cache(&own);
    open_mesh(&tissue, "slab: {size: [8 mm, 4 mm, 0.5 mm], spacing: 0.5 mm}}\ntissue: {fibers: [1, 0, 2], ",
              "mitchell-schaeffer", "conductivity: {longitudinal: 0.1 S/m, transverse: 0.05 S/m}", "");
    CHECK_OK(velocity_edge(&before, &tissue.velocities, 0, 0, &error), error);
    CHECK_OK(velocity_measure(&velocity, &tissue.velocities, 0, 0, tissue.problem.region->diffusion, &error),
             error);
    CHECK_OK(velocity_edge(&after, &tissue.velocities, 0, 0, &error), error);
    CHECK(velocity.dropped > 0 && before > 0.5 && after == before, "%d dropped, %g and %g mm",
          velocity.dropped, before, after);
    close_tissue(&tissue);
    end_cache(&own);
}

/* A cell of the same model, parameters, way and step is not stepped a second time: the cache's value is taken. */
static void test_threshold(void)
{
    const struct ionic_model *model = ionic_find("tp06-epi");
    struct pacing_cell cell = {.model = model, .step = 0.02};
    struct cache cache = {.folder = -1};
    struct error error = {0};
    double threshold, other, parameter[100];
    const double planted = 1;
    struct own_cache own;
    char *name;
    begin_cache(&own);
    CHECK(model && model->parameters < 100, "no tp06-epi");
    CHECK_OK(pacing_threshold(&threshold, &cell, &error), error);
    CHECK(threshold == floor(threshold / 5) * 5 && threshold > model->v_initial, "%g mV", threshold);
    CHECK_OK(cache_open(&cache, &error), error);
    CHECK(entries(&cache, &name) == 1, "%d entries", entries(&cache, &name));
    CHECK_OK(cache_write(&cache, name, &planted, sizeof planted, &error), error);
    CHECK_OK(pacing_threshold(&other, &cell, &error), error);
    CHECK(other == planted, "%g mV", other);
    for (int k = 0; k < model->parameters; k++)
        parameter[k] = model->parameter[k].value;
    cell.parameter = parameter;
    CHECK_OK(pacing_threshold(&other, &cell, &error), error);
    CHECK(other == planted, "%g mV", other);
    cell.step = 0.01;
    CHECK_OK(pacing_threshold(&other, &cell, &error), error);
    CHECK(other == threshold, "%g mV", other);
    for (int k = 0; k < model->parameters; k++)
        parameter[k] *= 1.0001;
    CHECK_OK(pacing_threshold(&other, &cell, &error), error);
    parameter[ionic_find_value(model->parameter, model->parameters, "g_Na")] = NAN;
    CHECK_OK(pacing_threshold(&other, &cell, &error), error);
    CHECK(isnan(other) && strstr(error.text, "V is "), "lost: %g mV: %s", other, error.text);
    free(name);
    CHECK(entries(&cache, &name) == 3, "%d entries", entries(&cache, &name));
    free(name);
    cache_close(&cache);
    end_cache(&own);
}

/* `full`: two more models, which take as long as all else */
int main(int argc, char **argv)
{
    static const char *const models[] = {"tp06-epi", "luo-rudy-1991", "mitchell-schaeffer", "tor-ord-endo",
                                         "bueno-orovio-epi"};
    const int count = argc > 1 && strcmp(argv[1], "full") == 0 ? 5 : 3;
    test_threshold();
    test_remembered_edges();
    test_dropped();
    test_thresholds();
    test_carriers();
    test_search();
    test_grid();
    for (int k = 0; k < count; k++)
        test_cables(models[k]);
    return 0;
}
