/* test_config.c: every config of configs/ reads and survives printing; the same config in other units is the
 * same struct; overrides, anchors and defaults do what they say. */
#include "app/config/config.h"
#include "app/config/keys.h"
#include "kernels/base/printed.h"
#include "tests/support/check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char slab[] = "version: 1\n"
                           "title: Niederer 2011 benchmark\n"
                           "mesh: {slab: {size: [20 mm, 7 mm, 3 mm], spacing: 0.2 mm}}\n"
                           "tissue:\n"
                           "  surface_to_volume: 1400 /cm\n"
                           "  capacitance: 1 uF/cm^2\n"
                           "  fibers: [1, 0, 0]\n"
                           "  regions:\n"
                           "    - {tags: all, model: tp06-epi, conductivity: {longitudinal: 0.133417722 S/m, "
                           "transverse: 0.017606178 S/m}}\n"
                           "stimuli:\n"
                           "  - {name: S1, box: {min: [0 mm, 0 mm, 0 mm], max: [1.5 mm, 1.5 mm, 1.5 mm]}, "
                           "start: 0 ms, duration: 2 ms, "
                           "current: 50000 uA/cm^3}\n"
                           "time: {end: 60 ms, step: 0.02 ms}\n"
                           "output: {every: 1 ms, probes: {P8: [20 mm, 7 mm, 3 mm]}}\n"
                           "checkpoint: {every: 10 ms}\n";

/* The same in SI units, in centimetres, and in micrometres and microseconds. */
static const char slab_si[] =
    "version: 1\n"
    "title: Niederer 2011 benchmark\n"
    "mesh: {slab: {size: [0.02 m, 0.007 m, 0.003 m], spacing: 0.0002 m}}\n"
    "tissue:\n"
    "  surface_to_volume: 140000 1/m\n"
    "  capacitance: 0.01 F/m^2\n"
    "  fibers: [1, 0, 0]\n"
    "  regions:\n"
    "    - {model: tp06-epi, conductivity: {longitudinal: 133.417722 mS/m, transverse: 17.606178 mS/m}}\n"
    "stimuli:\n"
    "  - {name: S1, box: {min: [0 m, 0 m, 0 m], max: [0.0015 m, 0.0015 m, 1.5e-3 m]}, duration: 0.002 s, "
    "current: 50000 A/m^3}\n"
    "time: {end: 0.06 s, step: 2e-5 s}\n"
    "output: {every: 0.001 s, probes: {P8: [0.02 m, 0.007 m, 0.003 m]}}\n"
    "checkpoint: {every: 0.01 s}\n";
static const char slab_mixed[] =
    "version: 1\n"
    "title: Niederer 2011 benchmark\n"
    "mesh: {slab: {size: [2 cm, 7000um, 3], spacing: 200 um}}\n"
    "tissue:\n"
    "  surface_to_volume: 0.14 /um\n"
    "  capacitance: 1\n"
    "  fibers: [1, 0, 0]\n"
    "  regions:\n"
    "    - {model: tp06-epi, conductivity: {longitudinal: 1.33417722 mS/cm, transverse: 17.606178 uS/mm}}\n"
    "stimuli:\n"
    "  - {name: S1, box: {min: [0, 0, 0], max: [0.15 cm, 1500 um, 1.5]}, duration: 2000 us, "
    "current: 50 uA/mm^3}\n"
    "time: {end: 60000 us, step: 20 us}\n"
    "output: {every: 1000 us, probes: {P8: [2 cm, 0.7 cm, 3000 um]}}\n"
    "checkpoint: {every: 10}\n";

static void parse(struct config *config, const char *text, const char *const *sets, int count)
{
    struct error error = {0};
    CHECK_OK(config_parse(config, "test.yaml", "", text, strlen(text), sets, count, &error), error);
}

/* Numbers that reach the solver; the printed texts, compared too, hold all others with every digit. */
static void check_same_physics(const struct config *a, const struct config *b)
{
    CHECK(a->physics.step == b->physics.step && a->physics.ionic_substeps == b->physics.ionic_substeps,
          "steps differ");
    CHECK(a->physics.tolerance == b->physics.tolerance && a->physics.splitting == b->physics.splitting,
          "solvers differ");
    CHECK(a->steps == b->steps && a->end == b->end, "times differ");
    CHECK(a->tissue.surface_to_volume == b->tissue.surface_to_volume, "chi differs");
    CHECK(a->tissue.capacitance == b->tissue.capacitance, "Cm differs");
    CHECK(a->stimuli == b->stimuli && a->tissue.regions == b->tissue.regions, "counts differ");
    for (int i = 0; i < a->stimuli; i++)
        CHECK(a->stimulus[i].current == b->stimulus[i].current, "current %d: %.17g, %.17g", i,
              a->stimulus[i].current, b->stimulus[i].current);
    for (int i = 0; i < a->tissue.regions; i++) {
        double x[3], y[3];
        config_conductivity(x, &a->tissue.region[i]);
        config_conductivity(y, &b->tissue.region[i]);
        CHECK(memcmp(x, y, sizeof x) == 0, "conductivities of region %d differ", i);
    }
}

/* The JSON of a config is one, too: it reads back to what is printed. */
static void check_json(const struct config *config, const char *printed)
{
    struct config again;
    struct printed json;
    struct error error = {0};
    CHECK_OK(printed_open(&json, &error), error);
    config_print_json(json.file, config);
    CHECK_OK(printed_close(&json, &error), error);
    parse(&again, json.text, NULL, 0);
    char *text = config_printed(&again);
    CHECK(strcmp(text, printed) == 0, "%s reads back to\n%s, not\n%s", json.text, text, printed);
    free(text);
    free(json.text);
    config_free(&again);
}

/* print -> parse -> print gives the same text and the same numbers */
static void check_printed(const struct config *config)
{
    struct config again;
    char *first = config_printed(config), *numbers = config_subset_text(config, CONFIG_NUMBERS);
    parse(&again, first, NULL, 0);
    char *second = config_printed(&again), *numbers_again = config_subset_text(&again, CONFIG_NUMBERS);
    CHECK(strcmp(first, second) == 0, "printed\n%s\nthen\n%s", first, second);
    CHECK(numbers && strcmp(numbers, numbers_again) == 0, "numbers differ");
    check_same_physics(config, &again);
    free(first);
    free(second);
    free(numbers);
    free(numbers_again);
    config_free(&again);
}

static const char heart[] = "version: 1\n"
                            "mesh: {file: heart.vtu, scale: 1 mm}\n"
                            "tissue:\n"
                            "  surface_to_volume: 1400 /cm\n"
                            "  regions: [{model: tp06-epi, conductivity: {intra: 0.3 S/m, extra: 0.6 S/m}}]\n"
                            "stimuli: [{where: x < 1 mm, duration: 2 ms, current: 50 uA/uF}]\n"
                            "time: {end: 60 ms, step: 0.02 ms}\n"
                            "activation: {beats: 5}\n"
                            "output: {probes: {P8: [20 mm, 7 mm, 3 mm]}}\n";

static void check_round_trip(const struct config *config)
{
    char *printed = config_printed(config);
    check_printed(config);
    check_json(config, printed);
    free(printed);
}

/* Every default, given as it stands in the table, is what is printed without it; every word of a choice reads back. */
static void test_every_key(void)
{
    struct config plain, given;
    int count, defaults = 0;
    const struct key *key = config_keys(&count);
    parse(&plain, heart, NULL, 0);
    char *want = config_printed(&plain);
    for (int k = 0; k < count; k++) {
        char set[200], path[100];
        struct error error = {0};
        const char *brackets = strstr(key[k].path, "[]");
        const int before = brackets ? (int)(brackets - key[k].path) : (int)strlen(key[k].path);
        snprintf(path, sizeof path, "%.*s%s%s", before, key[k].path, brackets ? "[0]" : "",
                 brackets ? brackets + 2 : "");
        /* lists that the config lacks, and what depends on them, are among the forms below */
        const bool absent = strstr(path, "[]") || strncmp(path, "mesh.network", 12) == 0 ||
                            strncmp(path, "induction.lesions[", 18) == 0 ||
                            strncmp(path, "ecg.conductor.regions[", 22) == 0;
        if (absent)
            continue;
        const bool solver = key[k].fallback == KEY_SOLVER;
        if (key[k].fallback && !solver && key[k].fallback != KEY_REQUIRED) {
            const char *sets[] = {set};
            snprintf(set, sizeof set, "%s=%s", path, key[k].fallback);
            parse(&given, heart, sets, 1);
            char *got = config_printed(&given);
            CHECK(strcmp(got, want) == 0, "%s is no default:\n%s", set, got);
            free(got);
            config_free(&given);
            defaults++;
        }
        for (int c = 0; key[k].choice && key[k].choice[c]; c++) {
            const char *sets[] = {set};
            snprintf(set, sizeof set, "%s=%s", path, key[k].choice[c]);
            if (config_parse(&given, "test.yaml", "", heart, sizeof heart - 1, sets, 1, &error) == STATUS_OK)
                check_round_trip(&given);
            else
                CHECK(strstr(error.text, "solver.") || strstr(error.text, "ionic.") ||
                          strstr(error.text, "activation.beats") || strstr(error.text, ".target, whose"),
                      "%s: %s", set, error.text);
            config_free(&given);
        }
    }
    CHECK(defaults > 20, "%d defaults", defaults);
    free(want);
    config_free(&plain);
}

/* Each form of each value that is more than a number */
static void test_forms(void)
{
    static const char *const forms[] = {
        "title=\"a: b\"",
        "title=\"- x\"",
        "title=\"null\"",
        "title=\"true\"",
        "title=\"1e5\"",
        "title=\"-0.5\"",
        "title=\"\\u00e9 \\\\ \\\"\"",
        "title=\"# no\"",
        "title=\" lead \"",
        "title=\"*a &b !c %d @e `f\"",
        "title=\"{[\"",
        "title=\"yes\"",
        "title=\"~\"",
        "title=\"\\x7f\\t\"",
        "tissue.regions[0].tags=all",
        "tissue.regions[0].tags=3",
        "tissue.regions[0].tags=[2, 1, -7]",
        "tissue.regions[0].tags=[septum, 4, \"a b\"]",
        "tissue.regions[0].where=x < 3 mm",
        "tissue.regions[0].where='tag in [1, scar] and not surface(epi)'",
        "tissue.regions[0].where=\"x < 3 mm # the left\\n or y > 1 mm\"",
        "tissue.regions[0].scale=0.5",
        "tissue.regions[0].scale=1 - 0.5 * fibrosis",
        "tissue.fibers=from mesh",
        "tissue.fibers=[0, 3, 4]",
        "tissue.fibers={across: z, from: 60 deg, to: -60}",
        "tissue.fibers={rule: ldrb}",
        "tissue.fibers={rule: ldrb, fiber: [41 deg, -50 deg], sheet: [-65, 25]}",
        "tissue.fibers={missing: nearest}",
        "mesh.surfaces={epi: 3, lv: -2}",
        "mesh.surfaces={epi: outer, rv: \"a b\"}",
        "mesh.surfaces={epi: ./epi.txt}",
        "mesh.surfaces={mitral: opening(1), lspv: \"opening([1.5 mm, -2 mm, 3 um])\", \"a b\": 7}",
        "mesh.laplace={up: {from: epi, to: [lv, rv]}, round: {from: [1], to: 2}}",
        "mesh.arrays={gks: g.dat, \"a b\": a/b.dat.gz}",
        "tissue.fibers={rule: field, field: up, angle: 30 deg}",
        "tissue.fibers=[{rule: field, field: up, where: x < 1 mm, angle: 90 * up}, {rule: field, field: "
        "round}]",
        "mesh.surfaces={base: \"a/b c.txt\", apex: /x.vtx}",
        "tissue.regions[0].initial={V: -80 mV}",
        "tissue.regions[0].initial={V: -80 mV, Ca_i: 2e-4 mM}",
        "tissue.regions[0].initial={pace: 2, period: 0.3 s}",
        "tissue.regions[0].initial={pace: 2, period: 300 ms, phase: x / (20 mm)}",
        "tissue.regions[0].initial={pace: 2, period: 300 ms, times: lats.dat}",
        "tissue.regions[0].parameters={g_Na: 14}",
        "tissue.regions[0].parameters={g_Na: x0.5, K_o: 4 mM}",
        "tissue.regions[0].parameters={g_Na: x1}",
        "tissue.regions[0].parameters={}",
        "tissue.regions[0].parameters={g_Ks: {field: gks}}",
        "tissue.regions[0].parameters={g_Ks: {factor: 1 + x / (1 m)}, g_Na: 14}",
        "tissue.parameters={g_Na: x0.5}",
        "tissue.parameters={g_Na: x1}",
        "tissue.parameters={}",
        "tissue.regions[0].model=ohara-endo",
        "stimuli[0].current=50 uA/uF",
        "stimuli[0].current=10 uA/cm^2",
        "stimuli[0].current=-5 pA/pF",
        "stop_when=never",
        "stop_when=activated",
        "stop_when={activated: P8}",
        "stop_when={beats: 3}",
        "stop_when={beats: 1}",
        "stop_when=quiescent",
        "stop_when={quiescent: 0.2 s}",
        "stop_when={quiescent: 0 ms}",
        "output.fields=V",
        "output.fields=[V, Ca_i]",
        "output.fields=[tp06-epi/Ca_i]",
        "output.fields=[]",
        "output.maps=activation_time",
        "output.maps=[apd90, peak]",
        "output.maps=[]",
        "output.probes={}",
        "output.probes={\"a b\": [1 mm, 2e-3 m, 0], \"1\": [0, 0, 0], \"null\": [1, 1, 1]}",
        "output.probes={\"x: y\": [1, 1, 1]}",
        "ecg.electrodes={RA: [-50 mm, 0, 0], LA: [50 mm, 0, 0], LL: [0, 0, -90 mm]}",
        "induction={sites: aha17}",
        "induction={sites: {apex: [1 mm, 1 mm, 1 mm]}}",
        "induction={where: x < 2 mm}",
        "induction={lesions: [{name: a line, where: x < 1 mm}]}",
        "fit={parameters: {\"stimuli[0].start\": {from: 0 ms, to: 20 ms}}}",
        "fit={parameters: {\"stimuli[0].sphere.centre\": {on: surface(epi)}}}",
        "stimuli=[]",
        "stimuli=[{sphere: {centre: [1, 1, 1], radius: 1 mm}, duration: 1 ms, current: 5 uA/uF}]",
        "stimuli=[{tags: [2, 1], duration: 1 ms, current: 5 uA/uF, count: 0, period: 10 ms}]",
        "stimuli=[{nodes: \"a b.vtx\", pulse: p.txt, current: 5 uA/uF, protocol: [{count: 3, period: 10 ms}, "
        "{count: 4, "
        "period: 8 ms, to: 6 ms, after: 9 ms}]}]",
        "stimuli=[{delays: /d.txt, name: \"S 1\", duration: 1 ms, current: 5 uA/uF}]",
        "device=cuda:1",
        "device=cpu-avx2",
        "time.longest=0.04 ms"};
    int read = 0;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        struct config config;
        parse(&config, heart, &forms[k], 1);
        check_round_trip(&config);
        config_free(&config);
        read++;
    }
    CHECK(read >= 75, "%d forms", read);
}

/* The interval of frames that no key gives is one that steps reach. */
static void test_intervals(void)
{
    static const struct {
        const char *time;
        double every;
    } cases[] = {{"time={end: 60 ms, step: 0.02 ms}", 1},
                 {"time={end: 60 ms, step: 0.25 ms, longest: 1 ms}", 1},
                 {"time={end: 60 ms, step: 0.05 ms, longest: 0.8 ms}", 1.6},
                 {"time={end: 96 ms, step: 0.1 ms, longest: 3.2 ms}", 3.2},
                 {"time={end: 60 ms, step: 0.03 ms}", 1.02}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const sets[] = {cases[k].time, "ecg.electrodes={a: [0, 0, 9 mm]}",
                                    "tissue.regions[0].model=passive"};
        struct config config;
        parse(&config, heart, sets, 3);
        CHECK(config.output.every == cases[k].every && config.ecg.every == cases[k].every &&
                  config.output.probes_every == cases[k].every,
              "%s: every %.17g ms and %.17g ms", cases[k].time, config.output.every, config.ecg.every);
        check_round_trip(&config);
        config_free(&config);
    }
}

static void test_slab(void)
{
    struct config config;
    parse(&config, slab, NULL, 0);
    CHECK(config.mesh.kind == MESH_KIND_SLAB && config.mesh.slab_size[1] == 7, "mesh");
    CHECK(config.tissue.surface_to_volume == 140 && config.tissue.capacitance == 0.01, "chi, Cm");
    CHECK_CLOSE(config.stimulus[0].current, 50000.0 / 1400, 1e-15);
    CHECK(config.steps == 3000 && config.output.every_steps == 50, "steps");
    CHECK(config.checkpoint.every_steps == 500 && config.checkpoint.keep == 2, "checkpoint");
    CHECK(config.physics.ionic_substeps == 1 && config.ionic_step == 0.02, "ionic step");
    CHECK(config.physics.tolerance == 1e-4, "solver");
    CHECK(config.output.probes == 1 && config.output.probe[0].point[2] == 3, "probe");
    CHECK(config.output.fields == 1 && strcmp(config.output.field[0], "V") == 0, "fields");
    CHECK(config.warnings == 0, "%s", config.warning[0]);
    check_round_trip(&config);
    config_free(&config);
}

static void test_other_units(void)
{
    const char *const texts[] = {slab_si, slab_mixed};
    struct config config;
    parse(&config, slab, NULL, 0);
    char *want = config_printed(&config);
    for (int i = 0; i < 2; i++) {
        struct config other;
        parse(&other, texts[i], NULL, 0);
        char *got = config_printed(&other);
        check_same_physics(&config, &other);
        CHECK(strcmp(got, want) == 0, "got\n%s\nwant\n%s", got, want);
        free(got);
        config_free(&other);
    }
    free(want);
    config_free(&config);
}

/* si se / (si + se), each axis; Niederer's values */
static void test_conductivity(void)
{
    static const char *const sets[] = {
        "tissue.regions[0].conductivity={intra: {longitudinal: 0.17, transverse: 0.019}, "
        "extra: {longitudinal: 0.62, transverse: 0.24, normal: 0.12}}"};
    struct config config;
    double sigma[3];
    parse(&config, slab, sets, 1);
    CHECK(!config_conductivity(sigma, &config.tissue.region[0]), "isotropic");
    CHECK_CLOSE(sigma[0], 0.17 * 0.62 / 0.79, 1e-15);
    CHECK_CLOSE(sigma[1], 0.019 * 0.24 / 0.259, 1e-15);
    CHECK_CLOSE(sigma[2], 0.019 * 0.12 / 0.139, 1e-15);
    check_round_trip(&config);
    config_free(&config);
    static const char *const iso[] = {"tissue.regions[0].conductivity={intra: 0.3 S/m, extra: 0.6 S/m}"};
    parse(&config, slab, iso, 1);
    CHECK(config_conductivity(sigma, &config.tissue.region[0]), "anisotropic");
    CHECK_CLOSE(sigma[0], 0.2, 1e-15);
    CHECK(sigma[0] == sigma[1] && sigma[1] == sigma[2], "isotropic values differ");
    check_round_trip(&config);
    config_free(&config);
}

static void test_overrides(void)
{
    static const char *const sets[] = {
        "solver.precision=double",
        "stimuli[0].start=10 ms",
        "stimuli[0]={box: {min: [0,0,0], max: [1,1,1]}, duration: 1, current: 2 mV/ms}",
        ("stimuli[1]={sphere: {centre: [1, 2, 3], radius: 4 mm}, duration: 1 ms, "
         "current: 1 uA/cm^2, count: 3, period: 0.02 s}"),
        "stimuli[1].start=5",
        "solver.splitting=godunov",
        "ionic.step=0.005",
        "title=\"a \\\"b\\\" \\x07 \u00fc\"",
        "tissue.regions[0].parameters.g_to=73 pS/pF",
        "output.fields=[V, Ca_i, tp06-epi/INa]",
        "output.probes.a b=[1, 2, 3]"};
    struct config config;
    parse(&config, slab, sets, sizeof sets / sizeof *sets);
    CHECK(config.physics.precision == PRECISION_DOUBLE, "precision");
    CHECK(config.stimuli == 2 && config.stimulus[0].start == 0 && config.stimulus[0].current == 2, "S1");
    CHECK(strcmp(config.stimulus[1].name, "S2") == 0 && config.stimulus[1].shape == STIMULUS_SHAPE_SPHERE,
          "S2");
    CHECK(config.stimulus[1].current == 1 && config.stimulus[1].period == 20, "S2's current, period");
    CHECK(config.stimulus[1].start == 5, "S2's start");
    CHECK(config.physics.ionic_substeps == 4, "a step of 0.02 holds %d of 0.005",
          config.physics.ionic_substeps);
    const struct config_region *region = &config.tissue.region[0];
    int changed = 0;
    for (int k = 0; k < region->model->parameters; k++)
        if (region->parameter[k] != region->model->parameter[k].value) {
            CHECK(strcmp(region->model->parameter[k].name, "g_to") == 0 && region->parameter[k] == 0.073,
                  "%s = %g", region->model->parameter[k].name, region->parameter[k]);
            changed++;
        }
    CHECK(changed == 1, "%d parameters changed", changed);
    CHECK(config.output.probes == 2 && config.output.fields == 3, "output");
    CHECK(config.warnings == 0, "%d warnings", config.warnings);
    check_round_trip(&config);
    config_free(&config);
}

/* Factors of the whole tissue are those of each region that has the parameter, on top of its own. */
static void test_tissue_factors(void)
{
    static const char *const regions =
        "tissue.regions=[{where: x < 3 mm, model: ohara-endo, conductivity: 0.1 "
        "S/m, parameters: {ikr.g_Kr: x0.5}}, {where: x < 6 mm, model: tp06-epi, "
        "conductivity: 0.1 S/m, parameters: {g_Kr: {factor: '1 + x / (1 m) # more'}}}, "
        "{where: x < 9 mm, model: tp06-m, conductivity: 0.1 S/m}, "
        "{model: passive, conductivity: 0.1 S/m}]";
    const char *const given[] = {regions, "tissue.parameters={GKr: x0.5, g_Na: x1}"};
    const char *const written[] = {"tissue.regions=[{where: x < 3 mm, model: ohara-endo, conductivity: 0.1 "
                                   "S/m, parameters: {ikr.g_Kr: x0.25}}, "
                                   "{where: x < 6 mm, model: tp06-epi, conductivity: 0.1 S/m, parameters: "
                                   "{g_Kr: {factor: \"0.5 * (1 + x / (1 "
                                   "m) # more\\n)\"}}}, {where: x < 9 mm, model: tp06-m, conductivity: 0.1 "
                                   "S/m, parameters: {g_Kr: x0.5}}, "
                                   "{model: passive, conductivity: 0.1 S/m}]"};
    struct config a, b;
    parse(&a, slab, given, 2);
    parse(&b, slab, written, 1);
    char *one = config_subset_text(&a, CONFIG_NUMBERS), *other = config_subset_text(&b, CONFIG_NUMBERS);
    CHECK(strcmp(one, other) == 0, "%s is not %s", one, other);
    check_round_trip(&a);
    free(one);
    free(other);
    config_free(&a);
    config_free(&b);
}

/* A factor of 1, the first dose of a drug, changes nothing, and nothing is printed of it. */
static void test_unchanged(void)
{
    static const char *const sets[] = {"tissue.parameters={g_Na: x1}"};
    struct config config;
    parse(&config, slab, sets, 1);
    char *whole = config_printed(&config);
    CHECK(!strstr(whole, "parameters"), "%s", whole);
    check_round_trip(&config);
    free(whole);
    config_free(&config);
}

/* A factor is the product with the default, and what is printed and compared is that product. */
static void test_factor(void)
{
    static const char *const factor[] = {"tissue.regions[0].parameters={g_Ks: x0.25, K_o: x1}"};
    static const char *const absolute[] = {"tissue.regions[0].parameters={g_Ks: 0.098 nS/pF}"};
    struct config a, b;
    parse(&a, slab, factor, 1);
    parse(&b, slab, absolute, 1);
    char *one = config_subset_text(&a, CONFIG_NUMBERS), *other = config_subset_text(&b, CONFIG_NUMBERS);
    CHECK(strstr(one, "parameters: {g_Ks: 0.098 nS/pF}"), "%s", one);
    char *whole = config_printed(&a);
    CHECK(strstr(whole, "parameters: {g_Ks: 0.098 nS/pF}"), "%s", whole);
    free(whole);
    CHECK(strcmp(one, other) == 0, "%s is not %s", one, other);
    check_round_trip(&a);
    free(one);
    free(other);
    config_free(&a);
    config_free(&b);
}

/* States that are named are those of the config, the others the model's; printed they keep every bit. */
static void test_initial(void)
{
    static const char *const sets[] = {
        "tissue.regions[0].initial={V: -0.0801 V, Ca_i: 1.0000000000000002e-4, m: 0}"};
    static const char *const paced[] = {"tissue.regions[0].initial={pace: 20, period: 0.6 s}"};
    struct config config, again, none;
    parse(&config, slab, sets, 1);
    const struct config_region *region = &config.tissue.region[0];
    const struct ionic_model *model = region->model;
    CHECK(region->initial && region->initial[0] == -80.1 && !region->pace, "V");
    for (int k = 0; k < model->states; k++) {
        double want = strcmp(model->state[k].name, "Ca_i") == 0 ? 0x1.a36e2eb1c432ep-14
                      : strcmp(model->state[k].name, "m") == 0  ? 0
                                                                : model->state[k].value;
        CHECK(region->initial[1 + k] == want, "%s: %.17g, want %.17g", model->state[k].name,
              region->initial[1 + k], want);
    }
    char *text = config_subset_text(&config, CONFIG_NUMBERS);
    const char *line = text ? strstr(text, "initial: {") : NULL;
    CHECK(line, "%s", text);
    char set[4000];
    snprintf(set, sizeof set, "tissue.regions[0].initial=%.*s", (int)strcspn(line + 9, "\n"), line + 9);
    const char *const printed[] = {set};
    parse(&again, slab, printed, 1);
    CHECK(memcmp(again.tissue.region[0].initial, region->initial,
                 (size_t)(1 + model->states) * sizeof *region->initial) == 0,
          "%s", set);
    check_round_trip(&config);
    parse(&none, slab, paced, 1);
    CHECK(none.tissue.region[0].pace == 20 && none.tissue.region[0].pace_period == 600, "pace");
    check_round_trip(&none);
    free(text);
    config_free(&config);
    config_free(&again);
    config_free(&none);
}

/* Aliases copy: an override of one use leaves the other alone; merged keys do not replace given ones. */
static void test_anchors(void)
{
    static const char text[] = "version: 1\n"
                               "mesh: {sheet: {size: &size [10 mm, 10 mm], spacing: 0.5 mm}}\n"
                               "tissue:\n"
                               "  surface_to_volume: 1400\n"
                               "  regions:\n"
                               "    - &base {tags: [3, 1], model: mitchell-schaeffer, conductivity: 0.2 S/m, "
                               "parameters: &p {tau_in: 0.4}}\n"
                               "    - {<<: *base, tags: 2}\n"
                               "    - <<: [*base, {model: tp06-m}]\n"
                               "      tags: all\n"
                               "      conductivity: 0.1\n"
                               "stimuli: [{tags: [2, 1], duration: 1 ms, current: 1 uA/uF}]\n"
                               "time: {end: 5 ms, step: 0.05 ms}\n";
    static const char *const sets[] = {"tissue.regions[1].parameters.tau_in=0.5"};
    struct config config;
    parse(&config, text, sets, 1);
    const struct config_region *region = config.tissue.region;
    CHECK(config.tissue.regions == 3 && region[0].tags.tag[0] == 1 && region[0].tags.tag[1] == 3, "tags");
    CHECK(region[1].tags.count == 1 && region[1].tags.tag[0] == 2, "merged tags");
    CHECK(region[2].tags.all && region[2].monodomain.isotropic == 0.1, "third region");
    CHECK(strcmp(region[2].model->name, "mitchell-schaeffer") == 0, "the first of a merge list goes before");
    CHECK(region[0].parameter[0] == 0.4 && region[1].parameter[0] == 0.5 && region[2].parameter[0] == 0.4,
          "%g %g %g", region[0].parameter[0], region[1].parameter[0], region[2].parameter[0]);
    check_round_trip(&config);
    config_free(&config);
}

/* Trains and ends of a run are printed as they are read. */
static void test_protocols(void)
{
    static const char *const sets[][3] = {
        {"stimuli[0].protocol=[{count: 8, period: 600 ms}, {after: 320.5 ms}, {count: 0, period: 1 s}]",
         "activation.beats=5", "stop_when={beats: 5}"},
        {"stimuli[0].protocol=[{count: 8, period: 0.6 s, to: 300 ms}]", "output.probes={a b: [0, 0, 0]}",
         "stop_when={activated: a b}"},
        {"stimuli[0]={where: surface(lv), pulse: a.txt, current: 1 uA/uF}", "title=x",
         "stop_when={quiescent: 2 s}"},
        {"stimuli[0]={delays: b.txt, duration: 1, current: 1 uA/uF}", "title=x", "stop_when=activated"}};
    struct config config;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        parse(&config, slab, sets[k], 3);
        if (k == 0)
            CHECK(config.stimulus[0].phases == 3 && config.stimulus[0].phase[1].after == 320.5 &&
                      config.stop.beats == 5,
                  "%d trains", config.stimulus[0].phases);
        check_round_trip(&config);
        config_free(&config);
    }
}

/* What changes no number is not in the fingerprint; what does, is. */
static void test_numbers(void)
{
    static const char *const same[] = {"title=x",
                                       "device=cpu",
                                       "threads=3",
                                       "time.end=80",
                                       "output.every=2",
                                       "checkpoint.every=5",
                                       "stimuli[0].name=other",
                                       "stop_when=activated"};
    static const char *const other[] = {"solver.splitting=godunov",
                                        "tissue.fibers=[0, 1, 0]",
                                        "tissue.fibers={rule: ldrb}",
                                        "time.step=0.04",
                                        "stimuli[0].duration=1",
                                        "solver.tolerance=1e-5 mV",
                                        "stimuli[0].protocol=[{count: 2, period: 10}]",
                                        "ionic.tables=on",
                                        "activation.threshold=-10 mV",
                                        "tissue.regions[0].tags=[0]"};
    struct config config, changed;
    parse(&config, slab, NULL, 0);
    char *want = config_subset_text(&config, CONFIG_NUMBERS);
    CHECK(config.physics.splitting == SPLITTING_STAGGERED && config_order_in_time(&config) == 2,
          "the default");
    parse(&changed, slab, (const char *const[]){"tissue.regions[0].model=passive"}, 1);
    CHECK(changed.physics.splitting == SPLITTING_GODUNOV && config_order_in_time(&changed) == 1,
          "of passive");
    config_free(&changed);
    for (size_t i = 0; i < sizeof same / sizeof *same + sizeof other / sizeof *other; i++) {
        bool is_same = i < sizeof same / sizeof *same;
        const char *set = is_same ? same[i] : other[i - sizeof same / sizeof *same];
        parse(&changed, slab, &set, 1);
        char *got = config_subset_text(&changed, CONFIG_NUMBERS);
        CHECK((strcmp(got, want) == 0) == is_same, "%s: %s", set, got);
        free(got);
        config_free(&changed);
    }
    free(want);
    config_free(&config);
}

/* The levels of a region whose model has a threshold of -40 mV: a number in the config holds for all, and
 * what rearms is half-way to the cells' initial V, never above the threshold */
static void test_thresholds(void)
{
    static const char *const sets[][2] = {{"activation.beats=1", "title=x"},
                                          {"activation.threshold=-30 mV", "title=x"},
                                          {"activation.threshold=-90 mV", "title=x"},
                                          {"tissue.regions[0].model=passive", "title=x"},
                                          {"activation.rearm=-30 mV", "title=x"},
                                          {"activation.threshold=-30 mV", "activation.rearm=-50 mV"}};
    const double epi = ionic_find("tp06-epi")->v_initial, passive = ionic_find("passive")->v_initial;
    const double want[][2] = {{-40, (epi - 40) / 2},
                              {-30, (epi - 30) / 2},
                              {-90, -90},
                              {-40, (passive - 40) / 2},
                              {-40, -40},
                              {-30, -50}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct config config;
        double got[2];
        parse(&config, slab, sets[i], 2);
        config_thresholds(got, &config, 0, -40);
        CHECK(got[0] == want[i][0] && got[1] == want[i][1], "%zu: %g and %g mV, want %g and %g mV", i, got[0],
              got[1], want[i][0], want[i][1]);
        check_round_trip(&config);
        config_free(&config);
    }
}

/* What has no effect, or is hardly meant, is said at its place and in one line; nothing else is. */
static void test_warnings(void)
{
    static const char *const rows[][3] = {
        {"tissue.fibers={across: y, from: -1e-3, to: 30 deg}", NULL, NULL},
        {"tissue.fibers={rule: ldrb}", "mesh={ellipsoid: {size: [7, 17, 3], edge: 1 mm}}", NULL},
        {"tissue.fibers={rule: ldrb, sheet: [1, -2.5], fiber: [60 deg, -1e-3]}",
         "mesh.surfaces={base: -3, epi: e.vtx, lv: '7 8', apex: 1}", NULL},
        {"tissue.fibers={missing: nearest}", "mesh={file: a.msh}", NULL},
        {"solver.precision_budget=1e-7 mV", "solver.precision=double",
         "solver.precision_budget: has no effect unless solver.precision is mixed"},
        {"activation.threshold=-40 mV", "activation.beats=7", NULL},
        {"activation.rearm=-50 mV", "activation.beats=7", NULL},
        {"activation.rearm=-50 mV", NULL, NULL},
        {"activation.rearm=-50 mV", "output.probes={}", NULL},
        {"tissue.capacitance=2 uF/cm^2", NULL,
         "tissue.capacitance: 2 uF/cm^2, but the currents of tp06-epi were published with 1 uF/cm^2"},
        {"stimuli[0].period=20 ms", NULL, "stimuli[0].period: has no effect: count is 1"},
        {"stimuli[0].start=60 ms", NULL,
         "stimuli[0].start: is not before time.end: this stimulus is never applied"},
        {"stimuli[0].current=0 uA/uF", NULL, "stimuli[0].current: is 0: this stimulus does nothing"},
        {"stimuli[0]={tags: all, duration: 1, current: 1 uA/uF, period: 90, count: 0}", "stop_when=quiescent",
         "stop_when: has no effect: stimuli[0] is repeated without end"},
        {"stimuli[0]={tags: all, duration: 1, current: 1 uA/uF, period: 20, count: 3}", "stop_when=quiescent",
         NULL},
        {"stimuli[0]={tags: all, duration: 1, current: 1 uA/uF, period: 20, count: 4}", NULL,
         "stimuli[0].count: 3 of 4 pulses come before time.end (60 ms)"},
        {"stimuli[1]={name: S1, tags: all, duration: 1, current: 1 uA/uF}", NULL,
         "stimuli[1].name: S1 is stimuli[0], too"},
        {"stimuli=[]", NULL, "stimuli: no stimulus is given, and the tissue starts at rest"},
        {"stimuli=[]", "initial.file=a.h5", NULL},
        {"output.every=61 ms", NULL,
         "output.every: is beyond time.end (60 ms): only the state at 0 ms is stored"},
        {"output.every=7 ms", NULL,
         "output.every: does not divide time.end: the last frame is at 56 ms, and the state at 60 ms"},
        {"output.every=7 ms", "output.fields=[]", NULL},
        {"output.every=60 ms", NULL, NULL},
        {"output.probes_every=61 ms", NULL,
         "output.probes_every: is beyond time.end (60 ms): only the state at 0 ms is stored"},
        {"ecg.every=61 ms", "ecg.electrodes={A: [0, 0, 9]}",
         "ecg.every: is beyond time.end (60 ms): only the state at 0 ms is stored"},
        {"checkpoint.every=61 ms", NULL,
         "checkpoint.every: is beyond time.end (60 ms): no checkpoint is written"},
        {"checkpoint.every=60 ms", NULL, NULL},
        {"time.step=0.05 ms", NULL, NULL},
        {"time.step=0.2 ms", NULL,
         "time.step: cells of tp06-epi step by 0.2 ms; beyond 0.1 ms an action potential is off by more"},
        {"time.step=0.1 ms", NULL, NULL},
        {"time.step=0.1 ms", "solver.splitting=godunov",
         "time.step: cells of tp06-epi step by 0.1 ms; beyond 0.05 ms an action potential is off by more"},
        {"time.step=0.2 ms", "ionic.step=0.1 ms", NULL},
        {"time.step=0.5 ms", "ionic.step=0.125 ms", "ionic.step: cells of tp06-epi step by 0.125 ms; beyond"},
        {"time.step=1 ms", "tissue.regions[0].model=passive", NULL},
        {"time.step=0.2 ms", "tissue.regions[0].model=mitchell-schaeffer", NULL},
        {"ionic.state=mixed", "time.step=0.005 ms", NULL},
        {"ionic.state=mixed", "ionic.step=0.004 ms",
         "ionic.step: cells of tp06-epi step by 0.004 ms; below 0.005 ms increments vanish in single"},
        {"tissue.surface_to_volume=0.14 /cm", "stimuli[0].current=50 uA/uF",
         "tissue.surface_to_volume: is 0.14 /cm; ventricular tissue has 500 /cm to 5000 /cm; 0.14 /um was "
         "meant?"},
        {"tissue.surface_to_volume=0.14 /um", "stimuli[0].current=50 uA/uF", NULL},
        {"tissue.surface_to_volume=14", "stimuli[0].current=50 uA/uF",
         "is 14 1/cm; ventricular tissue has 500 /cm to 5000 /cm"},
        {"tissue.regions[0].conductivity={longitudinal: 150 S/m, transverse: 0.1}", NULL,
         "conductivity.longitudinal: is 150 S/m; cardiac tissue has 0.0001 S/m to 5 S/m; 150 mS/m was "
         "meant?"},
        {"tissue.regions[0].conductivity={longitudinal: 150 mS/m, transverse: 0}", NULL, NULL},
        {"tissue.regions[0].radius=1 m", NULL,
         "tissue.regions[0].radius: is 1 m; a fibre or bundle has 1 um to 10 mm; 1 mm was meant?"},
        {"tissue.regions=[{tags: [1], conductance: 1e9 uS}, {model: passive, conductivity: 0.1}]", NULL,
         "tissue.regions[0].conductance: is 1e9 uS; a junction has 0.0001 uS to 100000 uS"},
        {"tissue.regions=[{tags: [1], conductance: 1e-300 uS}, {model: passive, conductivity: 0.1}]", NULL,
         "tissue.regions[0].conductance: is 1e-300 uS; a junction has"},
        {"mesh.network=[{file: t.vtk, scale: 1 mm, tag: 5, radius: 1e9 mm, junction_tag: 6}]", NULL,
         "mesh.network[0].radius: is 1e9 mm; a junction has 0.001 mm to 50 mm"},
        {"stimuli[0].current=-50 uA/uF", NULL, "stimuli[0].current: is negative (-50 uA/uF), which hyperpol"},
        {"stimuli[0].current=5000 uA/uF", NULL, "stimuli[0].current: is 5000 uA/uF; a stimulus has"},
        {"mesh.slab.size=[60 um, 60 um, 60 um]", "mesh.slab.spacing=20 um",
         "mesh.slab.size: is 60 um; a mesh has 0.1 mm to 1000 mm; 60 cm was meant?"},
        {"tissue.regions[0].parameters={g_Kr: 0.5}", NULL,
         "tissue.regions[0].parameters: g_Kr is 3.27 times the default, 0.153 nS/pF; a factor is written "
         "x0.5"},
        {"tissue.regions[0].parameters={g_Kr: 0.05}", NULL, "g_Kr is 0.327 times the default"},
        {"tissue.regions[0].parameters={g_Kr: 0.052, g_Ks: 0, g_to: x9, K_o: 16 mM}", NULL, NULL},
        {"tissue.regions[0].parameters={g_Kr: 0.5 nS/pF}", NULL, NULL},
        {"tissue.regions[0].parameters={K_o: 54}", NULL, "K_o is 10 times the default, 5.4 mM"},
        {"tissue.regions[0].conductivity={longitudinal: 0.01, transverse: 0.13}", NULL,
         "tissue.regions[0].conductivity: is greater across the fibres than along them: 0.13 and 0.01"},
        {"tissue.regions[0].conductivity={longitudinal: 0.13, transverse: 0.13}", NULL, NULL},
        {"tissue.regions[0]={model: tp06-epi, velocity: {longitudinal: 0.2, transverse: 0.6}}", NULL,
         "tissue.regions[0].velocity: is greater across"},
        {"stimuli[0].duration=2 s", NULL,
         "stimuli[0].duration: is 2 s; a stimulus has 0.01 ms to 200 ms; 2 ms was meant?"},
        {"stimuli[0].duration=0.002", NULL,
         "is 0.002 ms; a stimulus has 0.01 ms to 200 ms; 0.002 s was meant?"},
        {"stimuli[0].start=0.3", NULL,
         "stimuli[0].start: is 0.3 ms; a stimulus has 1 ms to 100 s; 0.3 s was"},
        {"stimuli[0].start=0.3 ms", NULL, NULL},
        {"stimuli[0]={tags: all, duration: 1, current: 1 uA/uF, period: 600 s, count: 2}", "time.end=700 s",
         "period: is 600 s; pacing has 20 ms to 60 s; 600 ms was"},
        {"stimuli[0].box.max=[1500, 7000, 3000]", NULL,
         "stimuli[0].box.max: is 7000 mm; a mesh has 0.01 mm to 1000 mm; 7000 um was meant?"},
        {"stimuli[0].box.max=[0.001, 7000 um, 3]", NULL, NULL},
        {"stimuli[0]={sphere: {centre: [0, 0, 0], radius: 1500}, duration: 2, current: 50 uA/uF}", NULL,
         "stimuli[0].sphere.radius: is 1500 mm; a stimulus has 0.01 mm to 100 mm; 1500 um was meant?"},
        {"time.end=1", "checkpoint={}", "time.end: is 1 ms; a run has 5 ms to 1000 s; 1 s was meant?"},
        {"ecg.electrodes={a: [60 m, 0, -1]}", NULL,
         "ecg.electrodes.a: is 60 m; the body has 0.5 mm to 2000 mm; 60 mm was meant?"},
        {"ecg.electrodes={a: [0.06, 0.1, 0]}", NULL, "ecg.electrodes.a: is 0.1 mm; the body has 0.5 mm"},
        {"ecg.electrodes={RA: [9, 9, 9], LA: [-9, 9, 9], LL: [0, -9, 9], v1: [0, 0, 9]}", NULL,
         "ecg.electrodes: 'v1' makes no standard lead; the electrode's name there is V1"},
        {"ecg.electrodes={r: [9, 9, 9], LA: [-9, 9, 9], LL: [0, -9, 9], V1: [0, 0, 9]}", NULL,
         "'r' makes no"},
        {"ecg.electrodes={RA: [9, 9, 9], LA: [-9, 9, 9], F: [0, -9, 9]}", NULL, "name there is LL"},
        {"ecg.electrodes={RA: [9, 9, 9], LA: [-9, 9, 9], V1: [0, 0, 9]}", NULL,
         "ecg.electrodes: LL is missing: without it there are no standard leads"},
        {"ecg.electrodes={R: [9, 9, 9], a: [-9, 9, 9], v1: [0, 0, 9]}", NULL, NULL},
        {"tissue.regions[0].conductivity={longitudinal: 1.3 S/cm, transverse: 0.1}", NULL,
         "is 1.3 S/cm; cardiac tissue has 0.0001 S/m to 5 S/m; 1.3 mS/cm was meant?"},
        {"tissue.regions[0].initial={V: -85 V}", NULL,
         "tissue.regions[0].initial.V: is -85 V; a cell has 1 mV to 200 mV; -85 mV was meant?"},
        {"tissue.regions[0].initial={V: -0.085}", NULL,
         "is -0.085 mV; a cell has 1 mV to 200 mV; -0.085 V was"},
        {"tissue.regions[0].initial={V: -85, Ca_i: 0.0001}", NULL, NULL},
        {"activation.threshold=20 V", NULL,
         "activation.threshold: is 20 V; a cell has 1 mV to 200 mV; 20 mV was meant?"},
        {"activation.threshold=0", NULL, NULL},
        {"activation.threshold=60", NULL,
         "activation.threshold: is 60 mV; action potentials peak at 0 to 50 mV"},
        {"activation.threshold=-90", NULL, "is -90 mV, but cells of tp06-epi rest at -85.23 mV"},
        {"solver.tolerance=1 mV", NULL, "solver.tolerance: is 1 mV; a step has 1e-12 mV to 0.01 mV"},
        {"solver.voltage_limit=20 mV", NULL,
         "solver.voltage_limit: is 20 mV; an action potential has 150 mV"},
        {"induction.sustained=1", NULL, "sustained re-entry has 100 ms to 1000 s; 1 s was meant?"},
        {"tissue.regions[0].initial={m: 5}", NULL, "tissue.regions[0].initial: m is 5; a gate has 0 to 1"},
        {"tissue.regions[0].initial={Na_i: 8000}", NULL, "Na_i is 930 times the model's own, 8.604 mM"},
        {"tissue.regions[0].initial={m: 1, h: 0, Na_i: 12}", NULL, NULL},
        {"tissue.fibers={across: y, from: -1.05, to: 1.05}", NULL,
         "tissue.fibers: from, to: -1.05 and 1.05 are in degrees, and so nearly no angles"},
        {"ecg.electrodes={a: [9, 9, 9], b: [9, 0, 9], c: [9, 9, 9]}", NULL,
         "ecg.electrodes: a and c are at the same place"},
        {"ecg={electrodes: {a: [9, 9, 9]}, conductivity: 0.2 mS/m}", NULL,
         "ecg.conductivity: is 0.2 mS/m; the body has 0.005 S/m to 5 S/m; 0.2 mS/mm was meant?"},
        {"tissue.regions[0]={model: tp06-epi, velocity: 18}", NULL,
         "velocity: is 18 m/s; cardiac tissue has 0.01 m/s to 6 m/s; 18 cm/s was meant?"},
        {"output.probes_every=0.2 ms", "output.probes={}", "output.probes_every: has no effect"},
        {"output.probes_every=0.2 ms", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config config;
        parse(&config, slab, rows[i], rows[i][1] ? 2 : 1);
        const char *got = config.warnings ? config.warning[0] : "";
        CHECK(config.warnings == (rows[i][2] != NULL), "%s: %d warnings: %s", rows[i][0], config.warnings,
              got);
        check_round_trip(&config);
        CHECK(!rows[i][2] || (strstr(got, rows[i][2]) && !strchr(got, '\n')), "%s: '%s'", rows[i][0], got);
        config_free(&config);
    }
}

/* Texts with characters that YAML takes only as escapes, and names of any script, print as texts that read
 * the same. */
static void test_characters(void)
{
    static const char *const sets[] = {
        "title=\"a\\x80b\\x9f\\x85\\x1b\\x7f\\\\\\\"\\ufffe\\uffff\\ufeff\\u2028\\U0010ffff\\xa0\"",
        "output.probes.\xc3\xa4\xe2\x82\xac\xf0\x9f\xab\x80=[1, 2, 3]"};
    struct config config;
    parse(&config, slab, sets, 2);
    CHECK(strncmp(config.title,
                  "a\xc2\x80"
                  "b\xc2\x9f\xc2\x85\x1b\x7f\\\"\xef\xbf\xbe\xef\xbf\xbf",
                  18) == 0,
          "title %s", config.title);
    CHECK(strcmp(config.output.probe[1].name, "\xc3\xa4\xe2\x82\xac\xf0\x9f\xab\x80") == 0, "%s",
          config.output.probe[1].name);
    check_printed(&config); /* JSON may hold U+FFFE as it is, YAML may not */
    struct config again;
    char *text = config_printed(&config);
    parse(&again, text, NULL, 0);
    CHECK(strcmp(again.title, config.title) == 0, "'%s', then '%s'", config.title, again.title);
    free(text);
    config_free(&again);
    config_free(&config);
}

/* Every file of configs/, read as a user does. */
static void test_files(const char *folder)
{
    DIR *directory = opendir(folder);
    CHECK(directory, "no folder %s", folder);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        struct config config;
        struct error error = {0};
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        CHECK_OK(config_read(&config, path, NULL, 0, &error), error);
        CHECK(config.warnings == 0, "%s", config.warning[0]);
        CHECK(!config.mesh.file || strncmp(config.mesh.file, folder, strlen(folder)) == 0,
              "mesh path %s is not relative to the config", config.mesh.file);
        check_round_trip(&config);
        config_free(&config);
        files++;
    }
    closedir(directory);
    CHECK(files >= 4, "%d configs in %s", files, folder);
}

int main(int argc, char **argv)
{
    test_intervals();
    test_slab();
    test_every_key();
    test_forms();
    test_other_units();
    test_conductivity();
    test_overrides();
    test_factor();
    test_unchanged();
    test_tissue_factors();
    test_initial();
    test_anchors();
    test_protocols();
    test_numbers();
    test_thresholds();
    test_warnings();
    test_characters();
    test_files(argc > 1 ? argv[1] : CARDIAC_SOURCE "/configs");
    return 0;
}
