/* test_describe.c: where each number stands in the lines of `check --verbose` and of a log's end: all of them differ. The sweeps that are
 * forecast are those of report.h, worked out here by their formulas. */
#include "app/report/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/results.h"
#include "app/util/progress.h"
#include "kernels/base/printed.h"
#include "tests/support/check.h"

static struct monodomain_report report;
static struct config config;

static struct monodomain_report made(void)
{
    struct monodomain_report r = {.element_low = 0.11,
                                  .element_high = 1.21,
                                  .row_low = 0.13,
                                  .row_high = 1.31,
                                  .explicit_limit = 0.4321,
                                  .limit_of = {INFINITY, INFINITY, INFINITY, 0.17},
                                  .stiffest_resistor = 77,
                                  .beta_is_bound = 1,
                                  .padding = 1.256,
                                  .index32_share = 0.321,
                                  .entries = 4711,
                                  .ranks = 1,
                                  .nodes_least = 21,
                                  .nodes_most = 23,
                                  .border_most = 1500,
                                  .assembly_seconds = 1.125,
                                  .ordering_seconds = 2.25,
                                  .packing_seconds = 4.5,
                                  .sweeping = METHOD_CHEBYSHEV,
                                  .sweeps = 7.5,
                                  .passes_of_sweeps = 6.5,
                                  .passes_of_stages = 8.5,
                                  .typical_low = 0.5,
                                  .typical_high = 1.5,
                                  .typical_stages = 3,
                                  .front_factor = 0.25,
                                  .front_guess = 2,
                                  .stiffest = {.node = 99, .rate = 12, .typical = 4, .edge = 0.0625}};
    r.scheme = (struct scheme){.method = METHOD_CHEBYSHEV,
                               .lengths = 1,
                               .tolerance = 0.001,
                               .fp32_share = 0.457,
                               .update = UPDATE_HYBRID};
    r.scheme.length[0] = (struct scheme_length){
        .step = 0.02, .lumping = 1, .low = 0.2, .high = 1.8, .beta = 1.75, .stages = 5};
    return r;
}

enum part { METHOD, REPORT, RANKS, SET_UP };

static void expect(enum part part, const char *text)
{
    struct printed found;
    struct error error = {0};
    CHECK_OK(printed_open(&found, &error), error);
    if (part == METHOD)
        describe_method(found.file, &report, &config);
    else if (part == REPORT)
        describe_report(found.file, &report);
    else if (part == RANKS)
        describe_ranks(found.file, &report);
    else
        describe_set_up(found.file, &report);
    CHECK_OK(printed_close(&found, &error), error);
    CHECK(strcmp(found.text, text) == 0, "%s\nis not\n%s", found.text, text);
    free(found.text);
}

/* In [low, high] Chebyshev's factor is s / (1 + sqrt(1 - s^2)), s = (high - low) / (high + low), and a bound is 2 ceil(log(tol / 2) / log(factor) / 2):
 * s = 0.8: 1/2, 12 sweeps; s = 0.5: 0.268, 6. Of 2 mV in front of 0.001 the forecast is 1 + log(8000) / log(2) = 14 */
static void test_method(void)
{
    report = made();
    config.physics.method = METHOD_CHEBYSHEV;
    expect(METHOD,
           "method: chebyshev, about 14.0 sweeps a step while a steep front crosses, 2 where none does\n"
           "rkl2 would take 5 stages, the first by the product and 4 by sweeps; chebyshev takes at most 12 "
           "sweeps from an error of 1 mV "
           "to the tolerance\n");
    config.physics.method = METHOD_AUTO;
    config.physics.mass_lumping = 1;
    report.scheme.length[0].stages =
        2; /* jacobi's factor is 0.8, and 0.25 at most rows: 1 + log(2000) (0.95 / log(4) + 0.05 / log(1.25)) = 7.9 */
    expect(METHOD, "method: chebyshev, about 14.0 sweeps a step while a steep front crosses, 2 where none "
                   "does; jacobi would take about 7.9 sweeps; "
                   "rkl2 would take 2 stages: 6.5 passes over the matrix in 0.02 ms instead of 8.5\n"
                   "rkl2 would take 2 stages, the first by the product and 1 by a sweep; chebyshev takes at "
                   "most 12 sweeps from an error of 1 mV "
                   "to the tolerance\n");
    report.scheme.length[0].high = 2;
    report.scheme.length[0].low = 2. / 9; /* s = 0.8 */
    report.passes_of_stages = INFINITY;
    report.scheme.length[0].stages = 0;
    expect(METHOD, "method: chebyshev, about 14.0 sweeps a step while a steep front crosses, 2 where none "
                   "does; jacobi may diverge, since the "
                   "spectrum ends at 2.0000\n");
    report = made();
    report.scheme.method = METHOD_RKL2;
    report.clusters = (struct cluster_counts){.clusters = 3,
                                              .nodes = 8,
                                              .largest = 4,
                                              .refused = 5,
                                              .refused_at = {1.5, 2.5, 3.5},
                                              .dropped = 2,
                                              .dropped_at = {4.5, 5.5, 6.5}};
    config.physics.doublings = 2;
    report.scheme.lengths = 2;
    report.scheme.length[1] = (struct scheme_length){.step = 0.04, .stages = 7};
    report.scheme.length[2].step = 0.08;
    expect(METHOD,
           "method: rkl2, 5 stages a step; chebyshev would take about 7.5 sweeps while a steep front "
           "crosses: 8.5 passes over the matrix in "
           "0.02 ms instead of 6.5\n"
           "clusters: 3 of 8 nodes with edges too short for the step, the largest of 4; V within one lags by "
           "up to about 0.005 ms (an "
           "estimate)\n"
           "clusters: 5 edges too short for the step are in no cluster, the strongest at (1.5, 2.5, 3.5) mm: "
           "a chain or a region of them; "
           "`cardiac mesh repair IN OUT --collapse LENGTH` removes edges below LENGTH\n"
           "clusters: 2 of nodes with edges too short for the step are not used, since the equations are "
           "nearly singular; the first is at "
           "(4.5, 5.5, 6.5) mm\n"
           "rkl2 takes 5 stages, the first by the product and 4 by sweeps\n"
           "steps of 0.02 and 0.04 ms, as V changes; their stages: 5, 7; too many stages for 0.08 ms\n");
    config.physics.method = METHOD_CHEBYSHEV;
    report.scheme.method = METHOD_CHEBYSHEV;
    report.scheme.lengths = 3;
    report.scheme.length[0].lumping = 0.5;
    report.clusters = (struct cluster_counts){
        .clusters = 1, .nodes = 8, .largest = 4, .dropped = 1, .dropped_at = {4.5, 5.5, 6.5}};
    expect(METHOD,
           "method: chebyshev, about 14.0 sweeps a step while a steep front crosses, 2 where none does\n"
           "clusters: 1 of 8 nodes with edges too short for the step, the largest of 4; a sweep solves each "
           "exactly\n"
           "clusters: 1 of nodes with edges too short for the step is not used, since the equations are "
           "nearly singular; the first is at "
           "(4.5, 5.5, 6.5) mm\n"
           "steps of 0.02, 0.04 and 0.08 ms, as V changes\n");
    config.physics.doublings = 0;
}

/* 3 times the least work and no less: rkl2's 6 stages of jacobi's sweeps, which are at least 2 */
static void test_slow(void)
{
    char text[200];
    report = made();
    config.physics.method = METHOD_CHEBYSHEV;
    report.scheme.length[0].stages = 5;
    describe_slow_method(text, sizeof text, &report, &config);
    CHECK(strcmp(text, "") == 0, "2.8 times: %s", text);
    report.scheme.length[0].stages = 4;
    describe_slow_method(text, sizeof text, &report, &config);
    CHECK(
        strcmp(text,
               "solver.method: chebyshev takes about 14.0 sweeps a step, 3.5 times the 4.0 stages of rkl2") ==
            0,
        "%s", text);
    report.scheme.length[0].lumping = 0.5; /* has no stages, and jacobi takes 7.9 sweeps */
    describe_slow_method(text, sizeof text, &report, &config);
    CHECK(strcmp(text, "") == 0, "1.8 times: %s", text);
    report.scheme.length[0].lumping = 1;
    config.physics.method = METHOD_RKL2;
    report.front_guess = 1e-3; /* 2 sweeps */
    report.scheme.length[0].stages = 6;
    describe_slow_method(text, sizeof text, &report, &config);
    CHECK(strcmp(text,
                 "solver.method: rkl2 takes about 6.0 stages a step, 3.0 times the 2.0 sweeps of jacobi") ==
              0,
          "%s", text);
    config.physics.method = METHOD_AUTO;
    describe_slow_method(text, sizeof text, &report, &config);
    CHECK(strcmp(text, "") == 0, "auto: %s", text);
}

static void test_report(void)
{
    report = made();
    expect(REPORT,
           "spectrum of D^-1 A: within [0.2000, 1.8000] (elements [0.1100, 1.2100], rows [0.1300, 1.3100])\n"
           "explicit steps would be stable up to 0.4321 ms; the step is 0.02 ms\n"
           "without the worst 1 % of the rows: at most 6 sweeps; with them 12\n"
           "stiffest node: 99, 3 times as stiff as the median, its shortest edge 0.0625 mm\n"
           "error of V per residual: at most 1.75\n"
           "matrix: 4711 off-diagonal entries, 25.6 % padding, 32.1 % of the slices with 32-bit columns, "
           "45.7 % of the rows read in fp32, "
           "update hybrid\n");
    report.scheme.method = METHOD_RKL2;
    report.scheme.update = UPDATE_FUSED;
    report.beta_is_bound = 0;
    report.whole32_share = 0.625;
    report.limit_of[0] = 0.14;
    report.limit_of[1] = 0.15;
    expect(REPORT,
           "spectrum of D^-1 A: within [0.2000, 1.8000] (elements [0.1100, 1.2100], rows [0.1300, 1.3100])\n"
           "explicit steps would be stable up to 0.4321 ms; the step is 0.02 ms\n"
           "without the worst 1 % of the rows: 3 stages; with them 5\n"
           "stiffest node: 99, 3 times as stiff as the median, its shortest edge 0.0625 mm\n"
           "explicit steps of elements by themselves: lines 0.15 ms, tetrahedra 0.17 ms, resistors 0.14 ms, "
           "the stiffest element 77\n"
           "error of V per residual: estimated at 1.75\n"
           "matrix: 4711 off-diagonal entries, 25.6 % padding, 32.1 % of the slices with 32-bit columns, "
           "45.7 % of the rows read in fp32, "
           "update fused\n"
           "budget: K V of 62.5 % of the slices formed from entries in 32 bits\n");
    expect(SET_UP, "set-up: assembly 1.125 s, ordering 2.250 s, packing 4.500 s\n");
}

static void test_ranks(void)
{
    report = made();
    expect(RANKS, "");
    report.ranks = 2;
    expect(RANKS, "nodes of a rank: 21 to 23; to others it sends 1500 values at most an exchange, 12 kB\n");
    report.by_nccl = (struct halo_cost){11.5, 12.5};
    expect(RANKS, "nodes of a rank: 21 to 23; to others it sends 1500 values at most an exchange, 12 kB\n"
                  "exchange: by NCCL; NCCL takes 11.5 us, 12.5 with the maximum of a test in it; these GPUs "
                  "do not reach each other's memory\n");
    report.by_stores = (struct halo_cost){6.5, 8.5};
    report.uses_stores = true;
    expect(RANKS, "nodes of a rank: 21 to 23; to others it sends 1500 values at most an exchange, 12 kB\n"
                  "exchange: by stores into the other GPUs' memory; NCCL takes 11.5 us, 12.5 with the "
                  "maximum of a test in it, stores 6.5 and 8.5\n");
}

static void test_forecast(void)
{
    struct printed found;
    struct error error = {0};
    const struct forecast forecast = {.set_up = 40e6, .run = 50e6, .device = 20e6, .others = 30e6},
                          other = {60e6, 50e6, 20e6, 0};
    CHECK_OK(printed_open(&found, &error), error);
    describe_forecast(found.file, &forecast, 100000);
    describe_forecast(found.file, &other, 100000);
    CHECK_OK(printed_close(&found, &error), error);
    CHECK(strcmp(found.text,
                 "memory: at most about 50.0 MB (500 bytes a node), 20.0 MB of it on the device; of each "
                 "rank but the first 30.0 MB\n"
                 "memory: at most about 60.0 MB (600 bytes a node), 20.0 MB of it on the device\n") == 0,
          "%s", found.text);
    free(found.text);
}

/* A model that was compiled for more than 3 s */
static void test_compilations(void)
{
    struct user_model other = {.model.name = "other", .source.seconds = 3.5},
                      own = {.model.name = "own", .source.seconds = 3, .next = &other};
    const struct config of = {.models = &own};
    struct printed found;
    struct error error = {0};
    CHECK_OK(printed_open(&found, &error), error);
    describe_compilations(found.file, &of);
    CHECK_OK(printed_close(&found, &error), error);
    CHECK(strcmp(found.text, "model other: compiled in 3.5 s; the next start loads it from the cache\n") == 0,
          "%s", found.text);
    free(found.text);
}

/* Of two regions, with chi C = 50 and 75: the first has three directions and is met on a fine mesh, the second is isotropic */
static void test_velocity(void)
{
    struct config_region regions[2] = {{.surface_to_volume = NAN, .velocity_on = "fine"},
                                       {.surface_to_volume = 150}};
    struct region region[2] = {{.diffusion = {3, 2, 1}},
                               {.diffusion = {1, 1, 1}, .isotropic = true, .fields = 1}};
    struct velocity_goal goal[2] = {{.given = true, .mesh = {0.01, 0.02, 0.03}, .fine = {0.04, 0.05, 0.06}},
                                    {.given = true, .mesh = {0.1, 0.2, 0.3}, .fine = {NAN, NAN, NAN}}};
    const struct problem problem = {.region = region, .goal = goal};
    const struct config of = {.tissue = {.region = regions, .surface_to_volume = 100, .capacitance = 0.5}};
    static const char *const expected[2] = {
        "  velocity on this mesh: conductivity: {longitudinal: 0.5 S/m, transverse: 1 S/m, normal: 1.5 S/m}\n"
        "  velocity on a fine mesh, used: conductivity: {longitudinal: 2 S/m, transverse: 2.5 S/m, normal: 3 "
        "S/m}\n",
        "  velocity on this mesh, used: conductivity: 7.5 S/m\n"
        "  velocity on a fine mesh: no conductivity gives it\n"
        "  for cells with the region's uniform parameters: those given at nodes may change the velocity\n"};
    for (int r = 0; r < 2; r++) {
        struct printed found;
        struct error error = {0};
        CHECK_OK(printed_open(&found, &error), error);
        describe_velocity(found.file, &problem, &of, r);
        CHECK_OK(printed_close(&found, &error), error);
        CHECK(strcmp(found.text, expected[r]) == 0, "%s\nis not\n%s", found.text, expected[r]);
        free(found.text);
    }
}

/* Two tetrahedra in regions of their own, two stimuli, the second of which continues with a phase, and two probes */
static void test_problem(void)
{
    static double point[15] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 2, 3, 4};
    static int32_t vertex[8] = {0, 1, 2, 3, 4, 1, 2, 3}, tag[2] = {7, 8}, element_region[2] = {0, 1},
                   nodes[3] = {0, 1, 4};
    static double fiber[6] = {0, 0, 1, 0, 0, 0};
    struct ionic_model model[2] = {{.name = "epi"}, {.name = "endo"}};
    struct config_region regions[2] = {
        {.model = &model[0], .surface_to_volume = NAN, .pace = 7, .pace_period = 650},
        {.model = &model[1], .surface_to_volume = 150, .pace = 1, .pace_period = 500}};
    struct region region[2] = {{.diffusion = {3, 2, 1}, .section = {1, 1, 1, 1}},
                               {.diffusion = {1, 1, 1}, .isotropic = true}};
    struct velocity_goal goal[2] = {{.given = true, .mesh = {0.01, 0.02, 0.03}, .fine = {0.04, 0.05, 0.06}}};
    struct config_stimulus stimuli[2] = {{.name = "S1"}, {.name = "S2"}};
    struct config_probe probes[2] = {{.name = "apex"}, {.name = "base"}};
    struct probe probe[2] = {{.name = "apex", .node = 3, .distance = 0.25},
                             {.name = "base", .node = 4, .distance = 0.125}};
    struct stimulus stimulus[3] = {{.node = nodes, .nodes = 2, .current = 50.5, .count = 1},
                                   {.node = nodes, .nodes = 3, .current = 25.5, .count = 1},
                                   {.node = nodes, .nodes = 3, .current = 26.5, .count = 1, .phase = true}};
    int from[3] = {0, 1, 1};
    struct volume volume[2] = {{.asked = 1.5, .given = 1.75}, {.asked = NAN, .given = 2.5}};
    struct problem problem = {.mesh = {.dimension = 3,
                                       .nodes = 5,
                                       .elements = 2,
                                       .point = point,
                                       .vertex = vertex,
                                       .tag = tag,
                                       .fiber = fiber,
                                       .fiber_location = LOCATION_ELEMENT},
                              .notes = {.format = "a format"},
                              .filled_fibers = 3,
                              .fused = 4,
                              .fused_share = 0.215,
                              .region = region,
                              .goal = goal,
                              .element_region = element_region,
                              .stimulus = stimulus,
                              .stimulus_from = from,
                              .stimulus_volume = volume,
                              .stimuli = 3,
                              .probe = probe,
                              .params = {.region = region, .element_region = element_region}};
    struct config of = {.mesh = {.kind = MESH_KIND_FILE},
                        .tissue = {.region = regions,
                                   .regions = 2,
                                   .surface_to_volume = 100,
                                   .capacitance = 0.5,
                                   .fibers = FIBERS_UNIFORM,
                                   .fiber = {0.5, 0.25, 0.75}},
                        .stimulus = stimuli,
                        .stimuli = 2,
                        .steps = 100,
                        .physics = {.activation_beats = 2},
                        .output = {.every_steps = 10,
                                   .probes_every_steps = 5,
                                   .probe = probes,
                                   .probes = 2,
                                   .fields = 1,
                                   .maps = 1}};
    const struct forecast forecast = {.set_up = 40, .run = 50, .device = 20};
    struct printed found;
    struct error error = {0};
    CHECK_OK(printed_open(&found, &error), error);
    CHECK_OK(describe_mesh(found.file, &problem, &of, &error), error);
    struct json json = json_line(found.file);
    json_open(&json, NULL, '{');
    describe_json(&json, &problem, &of, &forecast);
    json_close(&json);
    CHECK_OK(printed_close(&found, &error), error);
    CHECK(strcmp(
              found.text,
              "format     a format\n"
              "nodes      5\n"
              "elements   2 tetrahedra\n"
              "box        x 0 to 2, y 0 to 3, z 0 to 4 mm\n"
              "edges      9, from 2 to 5 mm, median 4 mm\n"
              "quality    least 0.723, median 0.7918 (mean ratio, 1 = regular)\n"
              "volume     12 mm^3\n"
              "regions    tag 7: 1 tetrahedra, 4 mm^3\n"
              "           tag 8: 1 tetrahedra, 8 mm^3\n"
              "fibres     [0.5, 0.25, 0.75] everywhere (tissue.fibers)\n"
              "fibres     3 were missing and are those of the nearest that has one\n"
              "fused: 4 nodes belong to tetrahedra and to elements of a lower dimension, on average 21.5 % "
              "of their mass\n"
              "region 0: epi, 1 elements, after 7 beats of 650 ms\n"
              "  velocity on this mesh, used: conductivity: {longitudinal: 0.5 S/m, transverse: 1 S/m, "
              "normal: 1.5 S/m}\n"
              "  velocity on a fine mesh: conductivity: {longitudinal: 2 S/m, transverse: 2.5 S/m, normal: 3 "
              "S/m}\n"
              "region 1: endo, 1 elements, after 1 beat of 500 ms\n"
              "stimulus S1: 2 nodes, 1.75 mm^3 (shape: 1.5 mm^3), 50.5 uA/uF\n"
              "stimulus S2: 3 nodes, 25.5 uA/uF\n"
              "probe apex: node 3, 0.25 mm away\n"
              "probe base: node 4, 0.125 mm away\n"
              "{\"nodes\": 5, \"elements\": 2, \"dimension\": 3, \"regions\": [{\"model\": \"epi\", "
              "\"elements\": 1, \"conductivity\": [150, 100, 50], \"velocity_on\": \"mesh\", "
              "\"conductivity_on_mesh\": [0.5, 1, 1.5], \"conductivity_on_fine\": [2, 2.5, 3]}, "
              "{\"model\": \"endo\", \"elements\": 1, \"conductivity\": [75, 75, 75]}], "
              "\"stimuli\": [{\"name\": \"S1\", \"nodes\": 2, \"volume\": 1.75, \"shape_volume\": 1.5, "
              "\"current\": 50.5}, {\"name\": \"S2\", \"nodes\": 3, \"volume\": 2.5, \"shape_volume\": null, "
              "\"current\": 25.5}], \"probes\": [{\"name\": \"apex\", \"node\": 3, \"distance\": 0.25}, "
              "{\"name\": \"base\", \"node\": 4, \"distance\": 0.125}], \"memory_bytes\": 50, "
              "\"device_bytes\": 20, \"disk_bytes\": 13850}\n") == 0,
          "%s", found.text);
    free(found.text);
    of.mesh.kind = MESH_KIND_SLAB; /* which has no format */
    of.tissue.fibers = FIBERS_FROM_MESH;
    CHECK_OK(printed_open(&found, &error), error);
    describe_counts(found.file, &problem, &of);
    CHECK_OK(describe_mesh(found.file, &problem, &of, &error), error);
    CHECK_OK(printed_close(&found, &error), error);
    CHECK(strncmp(found.text, "mesh: 5 nodes, 2 tetrahedra\nfused: 4 ", 37) == 0 &&
              strstr(found.text, "25.5 uA/uF\nnodes      5\n") &&
              strstr(found.text, "\nfibres     one per element, 1 of them zero\n"),
          "%s", found.text);
    free(found.text);

    /* A frame's values, a map, a row of leads: what the disk takes more for each, and no more */
    const double n = 5, beats = 2, frames = 11, single = forecast_disk_bytes(&problem, &of);
    of.output.precision = OUTPUT_PRECISION_FLOAT64;
    CHECK(forecast_disk_bytes(&problem, &of) - single == 4 * n * frames, "float64: %g of %g",
          forecast_disk_bytes(&problem, &of), single);
    of.output.maps = 3;
    CHECK(forecast_disk_bytes(&problem, &of) - single == 4 * n * frames + 2 * 4 * n * beats, "maps: %g of %g",
          forecast_disk_bytes(&problem, &of), single);
    of.ecg.electrodes = 2;
    of.ecg.every_steps = 60; /* at 0 and 60 */
    const double leads = forecast_disk_bytes(&problem, &of);
    of.ecg.every_steps = 30; /* at 0, 30, 60 and 90 */
    CHECK(forecast_disk_bytes(&problem, &of) - leads == leads - single - 4 * n * frames - 2 * 4 * n * beats,
          "leads: %g, %g of %g", forecast_disk_bytes(&problem, &of), leads, single);
}

/* The end of a log: 8 steps, 20 sweeps, 1000 nodes */
static void test_log(void)
{
    struct problem problem = {.mesh = {.nodes = 1000}, .read_seconds = 21};
    struct config of = {.physics = {.doublings = 2, .step = 0.02}, .output = {.directory = "out"}};
    struct results results = {.config = &of,
                              .problem = &problem,
                              .set_up = &report,
                              .step = 17,
                              .checkpoint_step = 15,
                              .work = {.steps = 8,
                                       .sweeps = 20,
                                       .sweeps_max = 6,
                                       .by_level = {3, 5, 7},
                                       .rejected = 2,
                                       .rejected_sweeps = 9,
                                       .seconds = 0.16,
                                       .split = true,
                                       .ionic_seconds = 0.08,
                                       .product_seconds = 0.04,
                                       .sweep_seconds = 0.024,
                                       .rest_seconds = 0.016},
                              .exchange_least = 0.008,
                              .exchange_most = 0.032,
                              .exchange_share_least = 0.125,
                              .exchange_share_most = 0.5,
                              .device_peak = 12.5e6,
                              .waited = 0.5,
                              .loop_seconds = 4,
                              .frames = {.equal = 1, .replaced = 2, .dropped = 3}};
    struct output_number number[RESULTS_NUMBERS];
    struct progress *progress;
    struct error error = {0};
    CHECK_OK(progress_open(&progress, NULL, false, PROGRESS_QUIET, &error), error);
    CHECK_OK(results_log(&results, true, false, progress, &error), error);
    results.work.rejected = 1;
    results.waited = 0.2; /* 5 % is not told */
    results.work.split = false;
    results.exchange_most = results.device_peak = 0;
    results.frames = (struct output_resumed){.kept = 4};
    CHECK_OK(results_log(&results, true, false, progress, &error), error);
    results_log_end(&results, STATUS_OK, progress);
    results_log_end(&results, STATUS_RUN, progress); /* which its message tells */
    results_log_end(&results, STATUS_STOPPED, progress);
    results_log_end(&results, STATUS_INTERRUPTED + 2, progress);
    const char
        *found = progress_lines(progress),
        *expected =
            "frames after the checkpoint: 1 computed again and equal, 2 replaced, 3 dropped\n"
            "output was the limit for 0.5 s (12.5 % of the time): the steps waited until earlier frames, "
            "rows or "
            "checkpoints were written\n"
            "time a step: 20 ms = ionic 10 + K V 5 + sweeps 3 + rest 2 ms\n"
            "sweeps: 2.50 a step, at most 6 a solve; 1.2e+03 ns a row and sweep, 1e+04 ns a cell and step\n"
            "steps taken: 15 for 8 of time.step: 3 of 0.02 ms, 5 of 0.04 ms, 7 of 0.08 ms; 2 blocks of 0.08 "
            "ms repeated in steps of "
            "0.02 ms after 9 sweeps\n"
            "exchange with other ranks: 1 to 4 ms a step (12.5 to 50 %), waits for slower ranks included\n"
            "device memory: 12.5 MB at the most\n"
            "time a step: 20 ms\n"
            "sweeps: 2.50 a step, at most 6 a solve\n"
            "steps taken: 15 for 8 of time.step: 3 of 0.02 ms, 5 of 0.04 ms, 7 of 0.08 ms; 1 block of 0.08 "
            "ms repeated in steps of "
            "0.02 ms after 9 sweeps\n"
            "results: out/run.vtkhdf and run.xdmf\n"
            "time is up: checkpoint-15.h5 written; go on with --resume\n"
            "interrupted: checkpoint-15.h5 written; go on with --resume\n";
    CHECK(strcmp(found, expected) == 0, "%s\nis not\n%s", found, expected);
    progress_close(progress);

    CHECK(results_numbers(&results, number) == RESULTS_NUMBERS - 1, "no device");
    results.device_peak = 12.5e6;
    CHECK(results_numbers(&results, number) == RESULTS_NUMBERS, "a device");
    const double values[RESULTS_NUMBERS] = {17,  20, 4,     0.16, 0.08, 0.04,  0.024, 0.016,
                                            0.2, 21, 1.125, 2.25, 4.5,  0.457, 12.5e6};
    for (int k = 0; k < RESULTS_NUMBERS; k++)
        CHECK(number[k].value == values[k] && strcmp(number[k].name, results_number_name[k]) == 0, "%s: %g",
              number[k].name, number[k].value);
}

int main(void)
{
    test_velocity();
    test_problem();
    test_compilations();
    test_method();
    test_slow();
    test_report();
    test_ranks();
    test_forecast();
    test_log();
    return 0;
}
