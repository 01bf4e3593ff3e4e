/* test_sentences.c: where each number of a run stands in its sentences and in the line of `run --json`: all of them differ. */
#include "app/report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/progress.h"
#include "kernels/base/printed.h"
#include "tests/support/check.h"

enum { NODES = 6, REGIONS = 3, BEATS = 2, PROBES = 2, STIMULI = 6 };

/* A run of which all can be said */
struct run {
    struct ionic_model model[REGIONS];
    struct config_region regions[REGIONS];
    struct config_stimulus stimuli[STIMULI + 1];
    struct config_probe probes[PROBES];
    struct config config;
    struct region region[REGIONS];
    struct stimulus stimulus[STIMULI + 1];
    int from[STIMULI + 1];
    struct probe probe[PROBES];
    struct problem problem;
    int32_t node_region[NODES], latest[NODES];
    struct sites_cells cells;
    struct waves_activation activation[4];
    struct waves_owner owner[3];
    struct wave wave[4];
    struct waves waves;
    double map[NODES * BEATS], column[RESULTS_COLUMNS][PROBES * BEATS];
    struct results_column columns[RESULTS_COLUMNS];
    struct results_name together[2];
    struct results_pulse pulse[9];
    struct results_stimulus results_stimulus[STIMULI + 1];
    int64_t activated[REGIONS][BEATS];
    struct results_quartiles apd90[REGIONS][4];
    struct results_region results_region[REGIONS];
    struct results_stop stop[4];
    struct results_return back[2];
    struct monodomain_report set_up;
    struct results results;
};

static void make_waves(struct run *run)
{
    run->activation[0] = (struct waves_activation){.time = 1.5, .node = 0, .before = -1};
    run->activation[1] = (struct waves_activation){.time = 2.5, .node = 1, .before = -1};
    run->activation[2] = (struct waves_activation){.time = 301.25, .node = 2, .before = -1};
    run->activation[3] = (struct waves_activation){.time = 345.75, .node = 3, .before = -1};
    for (int i = 0; i < NODES; i++)
        run->latest[i] = i < 4 ? i : -1;
    run->owner[0] = (struct waves_owner){.stimulus = 0, .pulse = 0, .next = 1, .earlier = -1};
    run->owner[1] = (struct waves_owner){.stimulus = 2, .pulse = 1, .next = -1, .earlier = -1};
    run->owner[2] = (struct waves_owner){.stimulus = 1, .pulse = 0, .next = -1, .earlier = -1};
    run->wave[0] = (struct wave){.owner = 0,
                                 .start = 11,
                                 .first = 0,
                                 .last = 2,
                                 .activations = 61,
                                 .outside = 62,
                                 .again = 63,
                                 .steady = true};
    run->wave[1] = (struct wave){
        .owner = WAVES_ITSELF, .start = 140.5, .first = 1, .last = 1, .again = 1, .steady = true};
    run->wave[2] =
        (struct wave){.owner = WAVES_UNKNOWN, .start = 150.5, .first = 2, .last = 2, .steady = true};
    run->wave[3] = (struct wave){.owner = 2,
                                 .repeat = 1,
                                 .start = 21,
                                 .first = 2,
                                 .last = 3,
                                 .activations = 71,
                                 .outside = 72,
                                 .again = 73,
                                 .late = true,
                                 .steady = false};
    run->waves = (struct waves){.activation = run->activation,
                                .activations = 4,
                                .latest = run->latest,
                                .nodes = NODES,
                                .wave = run->wave,
                                .waves = 4,
                                .owner = run->owner,
                                .owners = 3,
                                .speed = 0.75,
                                .until = 400};
    run->wave[3].longest = 60; /* runs */
}

static struct results_pulse pulse_of(double start, struct waves_response response)
{
    return (struct results_pulse){.start = start, .response = response};
}

static void make_stimuli(struct run *run)
{
    static const char *const names[STIMULI + 1] = {"S1", "S2", "train", "weak", "none", "other", "seventh"};
    struct results_pulse *p = run->pulse;
    for (int s = 0; s <= STIMULI; s++) {
        run->stimuli[s].name = names[s];
        run->stimulus[s] = (struct stimulus){.start = 11 + 10 * s, .period = 100, .count = 3};
        run->from[s] = s;
        run->results_stimulus[s] = (struct results_stimulus){
            .name = names[s], .nodes = 81 + s, .pulses = 1, .pulse = &p[s < 3 ? s : s + 2]};
    }
    run->together[0] = (struct results_name){"S2", 21};
    run->together[1] = (struct results_name){"train", 131.5};
    p[0] = pulse_of(11, (struct waves_response){
                            .end = WAVES_CAPTURED,
                            .own = 12,
                            .rose = 10,
                            .nodes = 31,
                            .first = 1.25,
                            .last = 7.5,
                            .reach = 4.5,
                            .around = 9,
                            .held = 5,
                            .repeats = 2,
                            .running = true,
                            .rest = {.nodes = 10, .up = 2, .early = 4, .rested = 12.5, .rose = 100.25}});
    p[0].together = run->together;
    p[0].togethers = 2;
    p[1] = pulse_of(21, (struct waves_response){.end = WAVES_FADED,
                                                .nodes = 1,
                                                .first = 2.25,
                                                .last = 8.5,
                                                .reach = 2.345,
                                                .late = true,
                                                .repeats = 1});
    p[2] = pulse_of(31, (struct waves_response){.end = WAVES_CAPTURED, .nodes = 41});
    p[3] = pulse_of(131, (struct waves_response){.end = WAVES_NOT_RECORDED});
    p[4] = pulse_of(231, (struct waves_response){.end = WAVES_NOTHING,
                                                 .reason = WAVES_REFRACTORY,
                                                 .rest = {.nodes = 3, .up = 3, .rested = -1, .rose = 200.5}});
    run->results_stimulus[2].pulses = 3;
    run->results_stimulus[0].captured = run->results_stimulus[2].captured = 1;
    p[5] = pulse_of(41, (struct waves_response){.end = WAVES_NOTHING, .reason = WAVES_WEAK});
    p[6] = pulse_of(
        51, (struct waves_response){.end = WAVES_NOTHING,
                                    .reason = WAVES_NONE_FOLLOWED,
                                    .own = 14,
                                    .rose = 13,
                                    .rest = {.nodes = 4, .up = 1, .early = 2, .rested = -1, .rose = NAN}});
    p[7] = pulse_of(61, (struct waves_response){.end = WAVES_NOTHING, .reason = WAVES_ANOTHER, .other = 3});
    p[8] = pulse_of(71, (struct waves_response){.end = WAVES_NOTHING, .reason = WAVES_PASSIVE});
}

static void make_regions(struct run *run)
{
    static const char *const models[REGIONS] = {"epi", "endo", "scar"};
    for (int r = 0; r < REGIONS; r++) {
        struct results_region *to = &run->results_region[r];
        run->model[r].name = models[r];
        run->regions[r].model = &run->model[r];
        run->region[r].isotropic = r == 1;
        *to = (struct results_region){
            .nodes = 2 + 10 * r, .excitable = r < 2, .activated = run->activated[r], .apd90 = run->apd90[r]};
        for (int b = 0; b < 4; b++)
            run->apd90[r][b] =
                (struct results_quartiles){r == 0             ? 21 - b
                                           : r == 1 && b == 0 ? 17
                                                              : 0,
                                           201 + b + 10 * r, 202.5 + b + 10 * r, 203.75 + b + 10 * r};
        for (int k = 0; k < VELOCITY_DIRECTIONS; k++) {
            to->velocity[k] = to->velocity_last[k] = (struct velocity_spread){0, NAN, NAN, NAN};
            to->asked[k] = NAN;
        }
    }
    run->activated[0][0] = 1;
    run->activated[0][1] = 7;
    run->activated[1][0] = 3;
    run->region[0].fields = 1;
    run->results_region[0].velocity[0] = (struct velocity_spread){501, 0.61, 0.62, 0.63};
    run->results_region[0].velocity[1] = (struct velocity_spread){502, 0.21, 0.22, 0.23};
    run->results_region[0].velocity_last[1] = (struct velocity_spread){503, 0.11, 0.12, 0.13};
    run->results_region[0].asked[0] = 0.7;
    run->results_region[1].velocity[0] = (struct velocity_spread){504, 0.405, 0.41, 0.42};
    run->results_region[1].asked[0] = 0.5;
    run->results_region[0].recovery = (struct results_recovery){33, 32, 3, 31, 455.5};
}

static void make_stops(struct run *run)
{
    run->stop[0] = (struct results_stop){.cause = RESULTS_AGAIN,
                                         .wave = 0,
                                         .reached = 91,
                                         .time = 97.5,
                                         .node = 2,
                                         .position = {1.5, 2.5, 1e-7},
                                         .rested = -1};
    run->stop[1] = (struct results_stop){.cause = RESULTS_AGAIN,
                                         .wave = 1,
                                         .reached = 92,
                                         .time = 98.5,
                                         .node = 3,
                                         .position = {3.5, 4.5, 5.5},
                                         .rested = 6.5};
    run->stop[2] = (struct results_stop){.cause = RESULTS_FAILED,
                                         .wave = 3,
                                         .time = 99.5,
                                         .node = 3,
                                         .rested = 6.5}; /* not steady: captured nothing */
    run->stop[3] = (struct results_stop){.cause = RESULTS_COARSE,
                                         .wave = 2,
                                         .reached = 93,
                                         .never = 1,
                                         .time = 199.5,
                                         .node = 4,
                                         .position = {6.5, 7.5, 8.5},
                                         .edge = 0.55,
                                         .enough = 0.25};
    run->back[0] = (struct results_return){
        .wave = 0, .time = 310.5, .cycle = 121.5, .node = 5, .position = {9.5, 10.5, 11.5}, .running = true};
    run->back[1] = (struct results_return){
        .wave = 1, .time = 320.5, .cycle = 122.5, .node = 1, .position = {12.5, 13.5, 14.5}};
}

static void make(struct run *run)
{
    struct results *to = &run->results;
    *run = (struct run){.waves = {0}};
    make_waves(run);
    make_stimuli(run);
    make_regions(run);
    make_stops(run);
    for (int i = 0; i < NODES; i++) {
        run->node_region[i] = i < 4 ? 0 : i - 3;
        for (int b = 0; b < BEATS; b++)
            run->map[i * BEATS + b] = i < 3 ? 1.5 + i + 100 * b : (double)NAN;
    }
    run->map[1] = 1.25; /* before it was activated at 1.5 ms, and so not its last one */
    run->map[3 * BEATS] = 5.5;
    run->map[3 * BEATS + 1] = 345.5; /* and once more at 345.75 ms */
    for (int p = 0; p < PROBES; p++) {
        run->probes[p].name = p ? "base" : "apex";
        run->probe[p].node = p ? 4 : 0;
        snprintf(run->probe[p].name, sizeof run->probe[p].name, "%s", run->probes[p].name);
    }
    static const struct front_speed front[REGIONS] = {{.rest = 1}, {.rest = 1}, {.rest = 0}};
    run->cells = (struct sites_cells){run->node_region, REGIONS, front};
    for (int c = 0; c < RESULTS_COLUMNS; c++) {
        run->columns[c].value = run->column[c];
        for (int k = 0; k < PROBES * BEATS; k++)
            run->column[c][k] = k < 2 ? 100 * c + k + 0.25 : (double)NAN;
    }
    run->column[RESULTS_APD][1] = NAN;
    run->problem = (struct problem){.mesh = {.nodes = NODES, .dimension = 3},
                                    .region = run->region,
                                    .stimulus = run->stimulus,
                                    .stimuli = STIMULI,
                                    .stimulus_from = run->from,
                                    .probe = run->probe,
                                    .params = {.region = run->region},
                                    .read_seconds = 0.5};
    run->config = (struct config){.tissue = {.region = run->regions, .regions = REGIONS},
                                  .stimulus = run->stimuli,
                                  .stimuli = STIMULI,
                                  .output = {.probe = run->probes, .probes = PROBES},
                                  .physics = {.activation_beats = BEATS, .activation_threshold = -3.5},
                                  .suspect = "a doubt"};
    *to = (struct results){
        .config = &run->config,
        .problem = &run->problem,
        .cells = &run->cells,
        .ended = "",
        .time = 400,
        .step = 8,
        .waves = &run->waves,
        .map = run->map,
        .excitable = 5,
        .activated = 4,
        .first = 1.5,
        .last = 5.5,
        .followed = run->map,
        .column = run->columns,
        .columns = RESULTS_COLUMNS,
        .stimulus = run->results_stimulus,
        .stimuli = STIMULI,
        .region = run->results_region,
        .regions = REGIONS,
        .apd_beats = 4,
        .stop = run->stop,
        .stops = 4,
        .back = run->back,
        .backs = 2,
        .unknown = 2,
        .unknown_at = 41.5,
        .itself_at = 42.5,
        .slots = 55,
        .dropped = 1,
        .peak = {75.5, 43.5, NAN, 3, {15.5, 16.5, 17.5}},
        .set_up = &run->set_up,
        .intervals =
            {.begin = 2, .qrs = 3.5, .t_peak = 250.5, .qt = 301.5, .axis = 44.75, .highest = 1.75, .lead = 1},
        .work = {.steps = 8, .sweeps = 20}};
}

static void check(const char *got, const char *want)
{
    CHECK(strcmp(got, want) == 0, "%s\nis not\n%s", got, want);
}

/* A line of each sentence of that name, NULL = of all: "NAME WHICH: SENTENCE", behind a ! if it warns; without the first `skip` of them */
static void expect_after(int skip, const struct results *results, const char *name, const char *want)
{
    struct facts facts = {0};
    struct printed found;
    struct error error = {0};
    CHECK_OK(facts_tell(&facts, results, &error), error);
    CHECK_OK(printed_open(&found, &error), error);
    for (int64_t k = 0; k < facts.facts; k++) {
        const struct fact *fact = &facts.fact[k];
        if ((!name || strcmp(name, fact->name) == 0) && skip-- <= 0)
            fprintf(found.file, "%s%s %d: %s\n", fact->warning ? "!" : "", fact->name, fact->which,
                    fact->sentence);
    }
    CHECK_OK(printed_close(&found, &error), error);
    check(found.text, want);
    free(found.text);
    facts_free(&facts);
}

static void expect(const struct results *results, const char *name, const char *want)
{
    expect_after(0, results, name, want);
}

/* In parts of at most 4 kB, which every compiler takes, with ' for " */
static void expect_json(const struct results *results, enum status ended, const char *message,
                        const char *const want[3])
{
    struct printed found;
    struct error error = {0};
    CHECK_OK(printed_open(&found, &error), error);
    results_print_json(results, ended, "out/run.vtkhdf", message, NULL, found.file);
    CHECK_OK(printed_close(&found, &error), error);
    char *whole = malloc(strlen(want[0]) + strlen(want[1]) + strlen(want[2]) + 1);
    CHECK(whole, "no memory");
    strcat(strcat(strcpy(whole, want[0]), want[1]), want[2]);
    for (char *at = whole; (at = strchr(at, '\'')); *at = '"')
        ;
    check(found.text, whole);
    free(whole);
    free(found.text);
}

/* Ends of a pulse that `make` has not */
static void test_ends(struct run *run)
{
    struct results_pulse *p = run->pulse;
    make(run);
    p[0] = pulse_of(11, (struct waves_response){.end = WAVES_CAPTURED, .own = 12});
    p[1] = pulse_of(21, (struct waves_response){.end = WAVES_CAPTURED,
                                                .late = true,
                                                .nodes = 1,
                                                .first = 3.5,
                                                .last = 4,
                                                .held = 1,
                                                .around = 2,
                                                .rest = {.nodes = 4, .up = 1, .early = 1}});
    p[4].response = (struct waves_response){.end = WAVES_CAPTURED, .nodes = 2};
    p[2].response = (struct waves_response){
        .end = WAVES_NOTHING, .reason = WAVES_REFRACTORY, .rest = {.rested = 0, .rose = 99.5}};
    p[5] = pulse_of(41, (struct waves_response){.end = WAVES_NOTHING, .reason = WAVES_WRONG_SIGN});
    p[6] = pulse_of(51, (struct waves_response){.end = WAVES_NOTHING,
                                                .reason = WAVES_NONE_FOLLOWED,
                                                .own = 14,
                                                .rose = 13,
                                                .rest = {.nodes = 4, .up = 1, .early = 1}});
    p[7] = pulse_of(61, (struct waves_response){.end = WAVES_NOT_APPLIED});
    run->results_stimulus[2].captured = 2;
    expect(
        &run->results, "stimulus",
        "stimulus 0: stimulus S1 at 11 ms: captured: all of its 12 nodes rose; none beside them was left\n"
        "stimulus 1: stimulus S2 at 21 ms: captured, late: 1 node followed, 3.5 to 4 ms after it; blocked at "
        "1 of the 2 nodes next to it\n"
        "!stimulus 2: stimulus train: 2 of 3 pulses from 31 to 231 ms captured, 1 unknown; the pulse at 31 "
        "ms: captured nothing, refractory (last activated at 99.5 ms, repolarized 0 ms before the pulse)\n"
        "!stimulus 3: stimulus weak at 41 ms: captured nothing, wrong sign: a negative current "
        "hyperpolarises\n"
        "!stimulus 4: stimulus none at 51 ms: captured nothing: 13 of its 14 nodes rose, none beside them; "
        "possible cause: a doubt\n"
        "!stimulus 5: stimulus other at 61 ms: was not applied: the run ended before\n");
    p[5].response = (struct waves_response){.end = WAVES_NOTHING, .reason = WAVES_WEAK};
    p[6].response = (struct waves_response){
        .end = WAVES_NOTHING, .reason = WAVES_REFRACTORY, .rest = {.rested = 0.25, .rose = 98.5}};
    run->config.physics.activation_threshold = NAN;
    run->config.suspect = NULL;
    run->config.stimuli = run->results.stimuli = STIMULI + 1; /* those that captured have no line */
    expect(
        &run->results, "stimulus",
        "!stimulus 2: stimulus train: 2 of 3 pulses from 31 to 231 ms captured, 1 unknown; the pulse at 31 "
        "ms: captured nothing, refractory (last activated at 99.5 ms, repolarized 0 ms before the pulse)\n"
        "!stimulus 3: stimulus weak at 41 ms: captured nothing, too weak or too short: it raised none of its "
        "84 nodes through the threshold in the 359 ms until the run ended\n"
        "!stimulus 4: stimulus none at 51 ms: captured nothing, refractory (last activated at 98.5 ms, "
        "repolarized 0.25 ms before the pulse)\n"
        "!stimulus 5: stimulus other at 61 ms: was not applied: the run ended before\n"
        "!stimulus 6: stimulus seventh at 71 ms: captured nothing, passive: none of its 87 nodes has cells "
        "that carry a front\n");
    expect(&run->results, "stimuli", "stimuli 0: stimuli: 2 of 7 captured\n");
    run->config.stimuli = run->results.stimuli = 0;
    expect(&run->results, "stimuli",
           "stimuli 0: no stimulus: the tissue was activated by itself, or by its initial state\n");
    expect(&run->results, "activated_by_itself", "");
    expect(&run->results, "unknown_cause",
           "unknown_cause 0: not recorded: 1 nodes were activated more than 55 times; of these the first "
           "ones and the last are recorded\n");
    run->results.activated = 0;
    run->results.excitable = NODES;
    expect(&run->results, "stimuli", "stimuli 0: no stimulus: nothing was activated\n");
    expect(&run->results, "activation", "activation 0: activated: no node\n");
    expect(&run->results, "not_activated", "");
}

/* Of one region, whose nodes are all activated */
static void test_one_region(struct run *run)
{
    struct results *results = &run->results;
    make(run);
    results->regions = 1;
    results->activated = results->excitable = NODES;
    results->apd_everywhere = true;
    results->dropped = results->unknown = 0;
    results->itself_at = NAN;
    run->region[0].fields = 0;
    run->results_region[0].velocity[0].median = NAN;
    run->results_region[0].asked[1] = 0.2101; /* is met */
    run->results_region[0].recovery = (struct results_recovery){.nodes = 36, .late = 1, .waited = 456.5};
    for (int b = 2; b < 4; b++)
        run->apd90[0][b].nodes = 0;
    results->peak.value = 60;
    results->intervals.axis = NAN;
    results->intervals.qt = NAN;
    run->config.ecg.torso = "torso.vtu";
    results->stops = results->backs = 0;
    for (int i = 0; i < NODES; i++)
        run->latest[i] = -1;
    expect(results, NULL,
           "stimulus 0: stimulus S1 at 11 ms: captured: 31 nodes followed, 1.25 to 7.5 ms after it; together "
           "with S2 at 21 ms and train at 131.5 ms; blocked at 5 of the 9 nodes next to it, refractory (last "
           "activated at 100.25 ms, repolarized 12.5 ms before the pulse); 2 more waves while it lasted; "
           "still running at the end\n"
           "!stimulus 1: stimulus S2 at 21 ms: faded, late: 1 node followed, 2.25 to 8.5 ms after it, up to "
           "2.3 mm away, each step slower than the one before; possible cause: a doubt; 1 more wave while it "
           "lasted\n"
           "!stimulus 2: stimulus train: 1 of 3 pulses from 31 to 231 ms captured, 1 unknown; the pulse at "
           "231 ms: captured nothing, refractory (activated at 200.5 ms, not repolarized yet)\n"
           "!stimulus 3: stimulus weak at 41 ms: captured nothing, too weak or too short: it raised none of "
           "its 84 nodes through the threshold (activation.threshold, -3.5 mV) in the 359 ms until the run "
           "ended; possible cause: a doubt\n"
           "!stimulus 4: stimulus none at 51 ms: captured nothing: 13 of its 14 nodes rose, none beside them "
           "(not repolarized since the beginning)\n"
           "!stimulus 5: stimulus other at 61 ms: captured nothing: another wave, that of 21 ms, activated "
           "its nodes while it was on\n"
           "activation 0: activated: 6 of 6 nodes, the first at 1.5 ms, the last at 5.5 ms (within 4 ms)\n"
           "velocity 0: velocity: 0.22 m/s across the fibres (quartiles 0.21 to 0.23; asked for 0.21)\n"
           "apd90 0: APD90: beat 1 202.5 ms (quartiles 201 to 203.75), beat 2 203.5 ms (quartiles 202 to "
           "204.75)\n"
           "!not_repolarised 0: region 0 (epi) had not repolarised: 1 of 36 nodes, up to 456.5 ms after "
           "their last activation\n"
           "probe_activation 0: probes activated at, ms: apex 0.25 1.25, base never\n"
           "probe_apd90 0: APD90 at the probes, ms: apex 300.25 -, base never\n"
           "ecg 0: ECG: QRS 3.5 ms, the tissue was activated for 4 ms, QT unknown: T does not end\n");
    results->apd_beats = 1;
    run->problem.mesh.dimension = 1;
    run->results_region[0].velocity[1].high = 0.2201;
    run->results_region[0].velocity[1].low = 0.2199;
    run->results_region[0].asked[1] = 0.2;
    results->unknown = 1;
    results->intervals.qrs = 1.5; /* less than half of 4 ms */
    results->peak.value = 61;
    results->peak.time = NAN;
    results->followed = NULL;
    expect(results, NULL,
           "stimulus 0: stimulus S1 at 11 ms: captured: 31 nodes followed, 1.25 to 7.5 ms after it; together "
           "with S2 at 21 ms and train at 131.5 ms; blocked at 5 of the 9 nodes next to it, refractory (last "
           "activated at 100.25 ms, repolarized 12.5 ms before the pulse); 2 more waves while it lasted; "
           "still running at the end\n"
           "!stimulus 1: stimulus S2 at 21 ms: faded, late: 1 node followed, 2.25 to 8.5 ms after it, up to "
           "2.3 mm away, each step slower than the one before; possible cause: a doubt; 1 more wave while it "
           "lasted\n"
           "!stimulus 2: stimulus train: 1 of 3 pulses from 31 to 231 ms captured, 1 unknown; the pulse at "
           "231 ms: captured nothing, refractory (activated at 200.5 ms, not repolarized yet)\n"
           "!stimulus 3: stimulus weak at 41 ms: captured nothing, too weak or too short: it raised none of "
           "its 84 nodes through the threshold (activation.threshold, -3.5 mV) in the 359 ms until the run "
           "ended; possible cause: a doubt\n"
           "!stimulus 4: stimulus none at 51 ms: captured nothing: 13 of its 14 nodes rose, none beside them "
           "(not repolarized since the beginning)\n"
           "!stimulus 5: stimulus other at 61 ms: captured nothing: another wave, that of 21 ms, activated "
           "its nodes while it was on\n"
           "activation 0: activated: 6 of 6 nodes, the first at 1.5 ms, the last at 5.5 ms (within 4 ms)\n"
           "unknown_cause 0: 1 activation by neither a stimulus nor a neighbour, the first at 41.5 ms\n"
           "!velocity 0: velocity: 0.22 m/s (quartiles 0.22 to 0.22; asked for 0.2)\n"
           "apd90 0: APD90: 202.5 ms (quartiles 201 to 203.75)\n"
           "!not_repolarised 0: region 0 (epi) had not repolarised: 1 of 36 nodes, up to 456.5 ms after "
           "their last activation\n"
           "probe_activation 0: probes activated at, ms: apex 0.25 1.25, base never\n"
           "!ecg 0: ECG: 1.5 ms, not a QRS: the tissue was activated for 4 ms, QT unknown: T does not end\n"
           "largest_v 0: largest V in frames, rows of probes and recorded beats: 61 mV at node 3 (15.5, "
           "16.5, 17.5 mm), more than cells reach by themselves: a strong stimulus, or too long a step\n");
    results->intervals.qrs = NAN;
    expect(results, "ecg", "ecg 0: ECG: QRS not over, QT unknown: T does not end\n");
    run->config.ecg.torso = NULL;
    run->config.ecg.fields = "fields.h5";
    expect(results, "ecg", "ecg 0: ECG: QRS not over, QT unknown: T does not end\n");
    results->intervals.begin = NAN;
    expect(results, "ecg", "");
    run->apd90[0][0].nodes = 0;
    run->config.output.maps = 1;
    run->config.output.map = (const char *[]){"apd90"};
    expect(results, "apd90",
           "!apd90 0: output.maps: no node has an APD90: none repolarized before the run ended\n");
    results->apd_everywhere = false;
    expect(results, "apd90", "");
}

/* Waves that were not stopped, or are too many for lines of their own */
static void test_waves(struct run *run)
{
    struct results *results = &run->results;
    struct results_stop stop[9];
    struct results_return back[9];
    make(run);
    results->stops = 3;
    results->running = true;
    expect(results, "not_activated",
           "!not_activated 0: 1 of 5 nodes were not activated; probes that never were: base; the front was "
           "still running at the end (last activation at 345.75 ms); set a later time.end\n");
    results->running = false;
    expect(results, "not_activated",
           "!not_activated 0: 1 of 5 nodes were not activated; probes that never were: base\n");
    results->stops = 4;
    run->stop[3] = (struct results_stop){.cause = RESULTS_DISCONNECTED, .wave = -1, .time = 96.5, .node = -1};
    expect(results, "blocked",
           "!blocked 0: 1 of 5 nodes were not activated; probes that never were: base; the front ended at "
           "96.5 ms: no element connects the remaining nodes\n"
           "!blocked 0: the wave of S1 at 11 ms and train at 131 ms was blocked at 97.5 ms at node 2 (1.5, "
           "2.5, 0 mm): refractory, nodes ahead were not repolarized yet; it activated 91 of 5 nodes\n"
           "!blocked 0: the wave that began by itself at 140.5 ms was blocked at 98.5 ms at node 3 (3.5, "
           "4.5, 5.5 mm): refractory, nodes ahead had been repolarized for 6.5 ms at least; it activated 92 "
           "of 5 nodes\n");
    for (int k = 0; k < 9; k++) {
        stop[k] = run->stop[1];
        stop[k].cause = RESULTS_BEHIND;
        back[k] = run->back[0];
    }
    results->stop = stop;
    results->back = back;
    results->stops = 9;
    results->backs = 8;
    expect_after(6, results, "blocked", "blocked 0: 3 more waves were blocked\n");
    expect_after(6, results, "reentry", "reentry 0: re-entry: 2 more waves\n");
    results->stops = results->backs = 6;
    expect_after(
        5, results, "blocked",
        "!blocked 0: the wave that began by itself at 140.5 ms was blocked at 98.5 ms at node 3 (3.5, 4.5, "
        "5.5 mm): passive, the remaining nodes are enclosed by passive tissue; it activated 92 of 5 nodes\n");
    expect_after(5, results, "reentry",
                 "reentry 0: re-entry: the wave of S1 at 11 ms and train at 131 ms activated nodes again 63 "
                 "times, first node 5 (9.5, 10.5, 11.5 mm) at 310.5 ms, at intervals of 121.5 ms; it was "
                 "still running at the end\n");
}

static void test_json(struct run *run)
{
    struct results *results = &run->results;
    struct error error = {0};
    make(run);
    run->config.ecg.electrodes = 1;
    results->followed = NULL;
    results->stimuli = 3;
    results->regions = 2;
    results->intervals_last = (struct intervals){.qrs = 4.5, .qt = 302.5, .highest = 2.75};
    CHECK_OK(facts_make(&results->facts, results, &error), error);
    CHECK_OK(facts_tell(&results->facts, results, &error), error);
    const int64_t all = results->facts.facts;
    results->facts.facts = 24; /* the other sentences are those of the log */
    expect_json(
        results, STATUS_OK, NULL,
        (const char *[3]){
            "{'status': 0, 'result': 'out/run.vtkhdf', 'time': 400, 'nodes': 6, 'excitable': 5, 'activated': "
            "4, "
            "'first_activation': 1.5, 'last_activation': 5.5, 'total_activation_time': 4, "
            "'facts': [{'name': 'time', 'unit': 'ms', 'value': 400}, {'name': 'pulses', 'value': 5}, "
            "{'name': 'captured', 'value': 2}, {'name': 'activated', 'unit': '%', 'value': 80}, "
            "{'name': 'first_activation', 'unit': 'ms', 'value': 1.5}, {'name': 'last_activation', 'unit': "
            "'ms', "
            "'value': 5.5}, {'name': 'total_activation', 'unit': 'ms', 'value': 4}, {'name': 'apd90', "
            "'unit': 'ms', 'region': 0, 'value': [202.5, 205.5]}, {'name': 'apd90', 'unit': 'ms', 'region': "
            "1, "
            "'value': [212.5, 212.5]}, {'name': 'eads', 'region': 0, 'value': 3}, {'name': 'eads', 'region': "
            "1, "
            "'value': null}, {'name': 'not_repolarised', 'unit': '%', 'region': 0, 'value': "
            "93.93939393939394}, "
            "{'name': 'not_repolarised', 'unit': '%', 'region': 1, 'value': null}, {'name': "
            "'velocity_along', "
            "'unit': 'm/s', 'region': 0, 'value': [0.62, null]}, {'name': 'velocity_along', 'unit': 'm/s', "
            "'region': 1, 'value': [0.41, null]}, {'name': 'velocity_across', 'unit': 'm/s', 'region': 0, "
            "'value': [0.22, 0.12]}, {'name': 'velocity_across', 'unit': 'm/s', 'region': 1, 'value': [null, "
            "null]}, {'name': 'qrs', 'unit': 'ms', 'value': [3.5, 4.5]}, {'name': 'qt', 'unit': 'ms', "
            "'value': [301.5, 302.5]}, {'name': 'ecg_peak', 'unit': 'mV', 'value': [1.75, 2.75]}, "
            "{'name': 'activation', 'unit': 'ms', 'probe': 'apex', 'value': [null, null]}, {'name': "
            "'activation', "
            "'unit': 'ms', 'probe': 'base', 'value': [null, null]}, {'name': 'sweeps', 'value': 20}, "
            "{'name': 'stimulus', 'stimulus': 'S1', "
            "'sentence': 'stimulus S1 at 11 ms: captured: 31 nodes followed, "
            "1.25 to 7.5 ms after it; together with S2 at 21 ms and train at 131.5 ms; blocked at 5 of the 9 "
            "nodes next to it, refractory (last activated"
            " at 100.25 ms, "
            "repolarized 12.5 ms before the pulse); 2 more waves while it lasted; still running at the "
            "end', ",
            "'severity': 'note'}], 'stimuli': [{'name': 'S1', 'nodes': 81, 'captured': 1, 'pulses': "
            "[{'start': 11, "
            "'end': 'captured', 'nodes': 31, 'latency': 1.25, 'last': 7.5, 'reach': 4.5, 'held': 5, "
            "'around': 9, "
            "'together': [{'stimulus': 'S2', 'start': 21}, {'stimulus': 'train', 'start': 131.5}], 'late': "
            "false, "
            "'running': true, 'repeats': 2, 'rested': 12.5}]}, {'name': 'S2', 'nodes': 82, 'captured': 0, "
            "'pulses': [{'start': 21, 'end': 'faded', 'nodes': 1, 'latency': 2.25, 'last': 8.5, 'reach': "
            "2.345, "
            "'held': 0, 'around': 0, 'together': [], 'late': true, 'running': false, 'repeats': 1, 'rested': "
            "0}]}, "
            "{'name': 'train', 'nodes': 83, 'captured': 1, 'pulses': [{'start': 31, 'end': 'captured', "
            "'nodes': 41, 'latency': 0, 'last': 0, 'reach': 0, 'held': 0, 'around': 0, 'together': [], "
            "'late': false, 'running': false, 'repeats': 0, 'rested': 0}, {'start': 131, 'end': 'not "
            "recorded', "
            "'nodes': 0, 'latency': 0, 'last': 0, 'reach': 0, 'held': 0, 'around': 0, 'together': [], "
            "'late': false, 'running': false, 'repeats': 0, 'rested': 0}, {'start': 231, 'end': 'nothing', "
            "'why': 'refractory', 'nodes': 0, 'latency': 0, 'last': 0, 'reach': 0, 'held': 0, 'around': 0, "
            "'together': [], 'late': false, 'running': false, 'repeats': 0, 'rested': -1}]}], "
            "'regions': [{'model': 'epi', 'nodes': 2, 'excitable': true, 'activated': [1, 7], "
            "'velocity': {'along': {'elements': 501, 'low': 0.61, 'median': 0.62, 'high': 0.63, 'asked': "
            "0.7}, "
            "'across': {'elements': 502, 'low': 0.21, 'median': 0.22, 'high': 0.23, 'asked': null}}, "
            "'apd90': [{'count': 21, 'low': 201, 'median': 202.5, 'high': 203.75}, {'count': 20, 'low': 202, "
            "'median': 203.5, 'high': 204.75}, {'count': 19, 'low': 203, 'median': 204.5, 'high': 205.75}, "
            "{'count': 18, 'low': 204, 'median': 205.5, 'high': 206.75}], 'followed': 33, 'ead_nodes': 32, "
            "'eads': 3, 'not_repolarised': 31}, {'model': 'endo', 'nodes': 12, 'excitable': true, "
            "'activated': [3, "
            "0], 'velocity': {'along': {'elements': 504, 'low': 0.405, 'median': 0.41, 'high': 0.42, "
            "'asked': 0.5}, 'across': {'elements': 0, 'low': null, 'median': null, 'high': null, 'asked': "
            "null}}, "
            "'apd90': [{'count': 17, 'low': 211, 'median': 212.5, 'high': 213.75}], 'followed': 0, "
            "'ead_nodes': 0, ",
            "'eads': 0, 'not_repolarised': 0}], 'running': false, 'stopped': [{'stimulus': 'S1', 'start': "
            "11, "
            "'repeat': 0, 'activated': 91, 'time': 97.5, 'node': 2, 'place': [1.5, 2.5, 1e-7], "
            "'cause': 'refractory'}, {'start': 140.5, 'repeat': 0, 'activated': 92, 'time': 98.5, 'node': 3, "
            "'place': [3.5, 4.5, 5.5], 'cause': 'refractory'}, {'stimulus': 'S2', 'start': 21, 'repeat': 1, "
            "'activated': 0, 'time': 99.5, 'node': 3, 'place': [0, 0, 0], 'cause': 'too little current'}, "
            "{'start': 150.5, 'repeat': 0, 'activated': 93, 'time': 199.5, 'node': 4, 'place': [6.5, 7.5, "
            "8.5], "
            "'cause': 'too coarse'}], 'waves': [{'stimulus': 'S1', 'start': 11, 'repeat': 0, 'late': false, "
            "'activations': 61, 'outside': 62, 'again': 63, 'first': 1.5, 'last': 301.25, 'running': false}, "
            "{'stimulus': 'S2', 'start': 21, 'repeat': 1, 'late': true, 'activations': 71, 'outside': 72, "
            "'again': 73, 'first': 301.25, 'last': 345.75, 'running': true}], 'reentry': [{'stimulus': 'S1', "
            "'start': 11, 'repeat': 0, 'time': 310.5, 'node': 5, 'place': [9.5, 10.5, 11.5], 'cycle': 121.5, "
            "'running': true}, {'start': 140.5, 'repeat': 0, 'time': 320.5, 'node': 1, 'place': [12.5, 13.5, "
            "14.5], 'cycle': 122.5, 'running': false}], 'unknown_causes': 2, 'not_recorded': 1, 'fastest': "
            "0.75, "
            "'ecg': {'begin': 2, 'qrs': 3.5, 'relative': false, 'doubted': false, 'qt': 301.5, 't_peak': "
            "250.5, "
            "'axis': 44.75}, 'largest_v': {'value': 75.5, 'time': 43.5, 'node': 3, 'place': [15.5, 16.5, "
            "17.5]}, "
            "'steps': 8, 'sweeps': 20, 'loop_seconds': 0, 'step_seconds': 0, 'ionic_seconds': 0, "
            "'product_seconds': 0, 'sweep_seconds': 0, 'rest_seconds': 0, 'output_wait_seconds': 0, "
            "'mesh_seconds': 0.5, 'assembly_seconds': 0, 'ordering_seconds': 0, 'packing_seconds': 0, "
            "'fp32_share': 0, 'warnings': [], 'message': null, 'ended': null}\n"});
    results->facts.facts = all;
    facts_free(&results->facts);
    results->waves = NULL;
    results->regions = results->stimuli = 0;
    results->peak.value = NAN;
    results->work.steps = 0;
    results->ended = "activated";
    expect_json(
        results, STATUS_RUN, "it \"failed\"",
        (const char *[3]){
            "{'status': 3, 'result': 'out/run.vtkhdf', 'time': 400, 'nodes': 6, 'excitable': 5, 'activated': "
            "4, "
            "'first_activation': 1.5, 'last_activation': 5.5, 'total_activation_time': 4, 'facts': [], "
            "'stimuli': [], 'regions': [], 'ecg': {'begin': 2, 'qrs': 3.5, 'relative': false, 'doubted': "
            "false, "
            "'qt': 301.5, 't_peak': 250.5, 'axis': 44.75}, 'warnings': [], 'message': 'it \\'failed\\'', "
            "'ended': 'activated'}\n",
            "", ""});
}

int main(void)
{
    static struct run run;
    make(&run);
    expect(
        &run.results, NULL,
        "stimulus 0: stimulus S1 at 11 ms: captured: 31 nodes followed, 1.25 to 7.5 ms after it; together "
        "with S2 at 21 ms and train at 131.5 ms; blocked at 5 of the 9 nodes next to it, refractory (last "
        "activated at 100.25 ms, repolarized 12.5 ms before the pulse); 2 more waves while it lasted; still "
        "running at the end\n"
        "!stimulus 1: stimulus S2 at 21 ms: faded, late: 1 node followed, 2.25 to 8.5 ms after it, up to 2.3 "
        "mm away, each step slower than the one before; possible cause: a doubt; 1 more wave while it "
        "lasted\n"
        "!stimulus 2: stimulus train: 1 of 3 pulses from 31 to 231 ms captured, 1 unknown; the pulse at 231 "
        "ms: captured nothing, refractory (activated at 200.5 ms, not repolarized yet)\n"
        "!stimulus 3: stimulus weak at 41 ms: captured nothing, too weak or too short: it raised none of its "
        "84 nodes through the threshold (activation.threshold, -3.5 mV) in the 359 ms until the run ended; "
        "possible cause: a doubt\n"
        "!stimulus 4: stimulus none at 51 ms: captured nothing: 13 of its 14 nodes rose, none beside them "
        "(not repolarized since the beginning)\n"
        "!stimulus 5: stimulus other at 61 ms: captured nothing: another wave, that of 21 ms, activated its "
        "nodes while it was on\n"
        "activation 0: activated: 4 of 5 nodes, the first at 1.5 ms, the last at 5.5 ms (within 4 ms) (1 "
        "passive nodes are left out)\n"
        "activation 0: activated by region: 0 epi 50 %, 1 endo 25 %, 2 scar passive\n"
        "!blocked 0: 1 of 5 nodes were not activated; probes that never were: base; the front stopped at "
        "199.5 ms at node 4 (6.5, 7.5, 8.5 mm): too coarse, edges there are 0.55 mm long; to stay within 5 "
        "%, use 0.25 mm\n"
        "!blocked 0: the wave of S1 at 11 ms and train at 131 ms was blocked at 97.5 ms at node 2 (1.5, 2.5, "
        "0 mm): refractory, nodes ahead were not repolarized yet; it activated 91 of 5 nodes\n"
        "!blocked 0: the wave that began by itself at 140.5 ms was blocked at 98.5 ms at node 3 (3.5, 4.5, "
        "5.5 mm): refractory, nodes ahead had been repolarized for 6.5 ms at least; it activated 92 of 5 "
        "nodes\n"
        "reentry 0: re-entry: the wave of S1 at 11 ms and train at 131 ms activated nodes again 63 times, "
        "first node 5 (9.5, 10.5, 11.5 mm) at 310.5 ms, at intervals of 121.5 ms; it was still running at "
        "the end\n"
        "reentry 0: re-entry: the wave that began by itself at 140.5 ms activated nodes again 1 time, first "
        "node 1 (12.5, 13.5, 14.5 mm) at 320.5 ms, at intervals of 122.5 ms; its last activation was at 2.5 "
        "ms\n"
        "activated_by_itself 0: the tissue was activated by itself, first at 42.5 ms\n"
        "unknown_cause 0: 2 activations by neither a stimulus nor a neighbour, the first at 41.5 ms\n"
        "unknown_cause 0: not recorded: 1 nodes were activated more than 55 times; of these the first ones "
        "and the last are recorded\n"
        "!not_recorded 0: 3 nodes were activated more often than the 2 times that activation.beats keeps: "
        "later activations are in no map\n"
        "!velocity 0: velocity in region 0 (epi): 0.62 m/s along the fibres (quartiles 0.61 to 0.63; asked "
        "for 0.7 in cells with uniform parameters), 0.22 m/s across them (quartiles 0.21 to 0.23)\n"
        "!velocity 1: velocity in region 1 (endo): 0.41 m/s (quartiles 0.405 to 0.42; asked for 0.5)\n"
        "apd90 0: APD90 in region 0 (epi): beat 1 202.5 ms (quartiles 201 to 203.75), beat 2 203.5 ms "
        "(quartiles 202 to 204.75), ... beat 4 205.5 ms (quartiles 204 to 206.75), at 21 recorded nodes\n"
        "apd90 1: APD90 in region 1 (endo): beat 1 212.5 ms (quartiles 211 to 213.75), at 17 recorded nodes\n"
        "!eads 0: early afterdepolarisations in region 0 (epi): at 32 of 33 nodes, up to 3 in a beat\n"
        "!not_repolarised 0: region 0 (epi) had not repolarised: 31 of 33 nodes, up to 455.5 ms after their "
        "last activation\n"
        "probe_activation 0: probes activated at, ms: apex 0.25 1.25, base never\n"
        "probe_apd90 0: APD90 at the probes, ms: apex 300.25 -, base never\n"
        "ecg 0: ECG: QRS 3.5 ms, the tissue was activated for 4 ms, QT 301.5 ms, axis 45 degrees (in an "
        "unbounded conductor)\n"
        "largest_v 0: largest V in frames, rows of probes and recorded beats: 75.5 mV at node 3 (15.5, 16.5, "
        "17.5 mm) at 43.5 ms, more than cells reach by themselves: a strong stimulus, or too long a step\n");
    test_ends(&run);
    test_one_region(&run);
    test_waves(&run);
    test_json(&run);
    return 0;
}
