/* test_results.c: what is found of a run, of random activations, repolarizations, pulses and cells: each count, quartile and time against
 * an evaluation of its definition in results.h. */
#include "app/report/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/progress.h"
#include "kernels/base/bits.h"
#include "kernels/base/compare.h"
#include "kernels/base/printed.h"
#include "solver/cells/beats.h"
#include "solver/cells/stimulus.h"
#include "solver/mesh/neighbours.h"
#include "tests/support/check.h"

enum {
    NODES = 40,
    REGIONS = 3,
    BEATS = 3,
    TIMES = 5,
    MOST = 6,
    PROBES = 3,
    WAVES = 5,
    POINTS = 8,
    TRAINS = 3,
    PULSES = 300,
    DRAWS = 150
};

static const char path[] = "test_results.csv";

static uint64_t drawn;
static int runs;

/* In [low, high) */
static double draw(double low, double high)
{
    return low + (high - low) * bits_random(++drawn);
}

/* A run: its nodes' activations time[NODES][MOST], of which the map has the first BEATS, and the points' in their own layout */
struct run {
    double time[NODES][MOST];
    int count[NODES];
    int32_t region[NODES];
    double map[NODES * BEATS], apd90[NODES * BEATS], eads[NODES * BEATS];
    int64_t node[POINTS];
    struct probe probe[PROBES];
    struct stimulus stimulus[TRAINS];
    struct front_speed front[REGIONS];
    struct waves_activation activation[NODES * MOST];
    int32_t latest[NODES];
    struct wave wave[WAVES];
    int64_t start[NODES + 1];
    int32_t beside[2 * NODES];
    struct csr neighbours; /* a ring of all nodes */
    double point[3 * NODES];
    struct waves waves;
    struct sites sites;
    struct sites_cells cells;
    struct problem problem;
    struct config config;
    struct config_region regions[REGIONS];
    struct config_probe probes[PROBES];
    struct results results;
    struct observer o; /* at the points */
};

static int by_time(const void *a, const void *b)
{
    const struct waves_activation *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void make_waves(struct run *run)
{
    struct waves *waves = &run->waves;
    *waves = (struct waves){.neighbours = &run->neighbours,
                            .activation = run->activation,
                            .latest = run->latest,
                            .nodes = NODES,
                            .wave = run->wave,
                            .waves = WAVES,
                            .until = run->results.time};
    for (int32_t i = 0; i < NODES; i++) {
        run->latest[i] = -1;
        for (int k = 0; k < run->count[i]; k++)
            run->activation[waves->activations++] =
                (struct waves_activation){.time = run->time[i][k], .node = i};
    }
    qsort(run->activation, (size_t)waves->activations, sizeof *run->activation, by_time);
    for (int32_t a = 0; a < waves->activations; a++) {
        run->activation[a].before = run->latest[run->activation[a].node];
        run->latest[run->activation[a].node] = a;
    }
    for (int32_t i = 0; i < NODES; i++) {
        run->start[i] = 2 * i;
        run->beside[2 * i] = (i + NODES - 1) % NODES;
        run->beside[2 * i + 1] = (i + 1) % NODES;
    }
    run->start[NODES] = 2 * NODES;
    run->neighbours = (struct csr){.rows = NODES, .start = run->start, .column = run->beside};
    for (int w = 0; w < WAVES; w++)
        run->wave[w] = (struct wave){.owner = draw(0, 1) < 0.5 ? WAVES_UNKNOWN : WAVES_ITSELF,
                                     .start = draw(0, 900),
                                     .longest = draw(0, 30)};
    for (int32_t a = 0; a < waves->activations; a++) {
        run->activation[a].wave = (uint32_t)draw(0, WAVES) & 7;
        run->wave[run->activation[a].wave].last = a;
        if (run->activation[a].before >= 0 && draw(0, 1) < 0.1)
            run->activation[a].before = -2 - run->activation[a].before; /* some between were not recorded */
    }
}

/* Of one to three pulses, or for ever; now and then two begin together */
static void draw_trains(struct run *run)
{
    for (int s = 0; s < TRAINS; s++)
        run->stimulus[s] = (struct stimulus){
            .start = draw(0, 900), .period = draw(50, 400), .count = (int64_t)draw(0, 4), .duration = 1};
    if (drawn % 3 == 0)
        run->stimulus[2].start = run->stimulus[0].start;
}

/* The pulses of all trains that begin up to some time: when, and of which train */
struct pulses {
    double start[TRAINS * PULSES];
    int train[TRAINS * PULSES], count;
};

static struct pulses pulses_of(const struct run *run, double until)
{
    static struct pulses all;
    all.count = 0;
    for (int s = 0; s < TRAINS; s++) {
        const struct stimulus *of = &run->stimulus[s];
        for (int k = 0; (of->count == 0 || k < of->count) && of->start + k * of->period <= until; k++) {
            all.start[all.count] = of->start + k * of->period;
            all.train[all.count++] = s;
        }
    }
    return all;
}

/* ms that cells have after an activation: 1000, or of a train of several the time to its next pulse, or 1.5 of its periods if none began */
static double limit_after(const struct run *run, double at)
{
    struct pulses before = pulses_of(run, at);
    int last = -1;
    for (int k = 0; k < before.count; k++)
        if (last < 0 || before.start[k] > before.start[last] ||
            (before.start[k] == before.start[last] && before.train[k] > before.train[last]))
            last = k;
    if (last < 0 || run->stimulus[before.train[last]].count == 1)
        return 1000;
    const struct stimulus *of = &run->stimulus[before.train[last]];
    struct pulses all = pulses_of(run, run->results.time);
    for (int k = 0; k < all.count; k++)
        if (all.train[k] == before.train[last] && all.start[k] > at)
            return of->period;
    return 1.5 * of->period;
}

static void draw_run(struct run *run)
{
    struct error error = {0};
    *run = (struct run){.sites = {.node = run->node, .points = POINTS, .times = TIMES},
                        .cells = {run->region, REGIONS, run->front},
                        .front = {{.rest = 1}, {.rest = 0}, {.rest = 0.5}}};
    const int most = ++runs % 3 ? MOST : 2; /* activations of a node, and one more */
    struct results *results = &run->results;
    run->problem = (struct problem){
        .mesh = {.nodes = NODES}, .stimulus = run->stimulus, .stimuli = TRAINS, .probe = run->probe};
    run->config.tissue.region = run->regions;
    run->config.tissue.regions = REGIONS;
    run->config.physics.activation_beats = BEATS;
    run->config.output.probe = run->probes;
    run->config.output.probes = PROBES;
    *results = (struct results){.config = &run->config,
                                .problem = &run->problem,
                                .sites = &run->sites,
                                .cells = &run->cells,
                                .waves = &run->waves,
                                .map = run->map,
                                .time = draw(900, 1600),
                                .ended = ""};
    results->point = run->point;
    for (int k = 0; k < 3 * NODES; k++)
        run->point[k] = draw(-9, 9);
    draw_trains(run);
    for (int i = 0; i < NODES; i++) {
        run->region[i] = (int32_t)draw(0, REGIONS + 1); /* REGIONS: in no element */
        run->count[i] = sites_excitable(&run->cells, i) ? (int)draw(0, most) : 0;
        for (int k = 0; k < run->count[i]; k++)
            run->time[i][k] = draw(0, results->time);
        if (run->count[i] == 1 && i % 2) /* so that it has waited for hardly longer than it may */
            run->time[i][0] = fmax(results->time - limit_after(run, run->time[i][0]) - 0.25, 0.1);
        qsort(run->time[i], (size_t)run->count[i], sizeof(double), compare_double);
        for (int b = 0; b < BEATS; b++) {
            bool has = b < run->count[i];
            run->map[i * BEATS + b] = has ? run->time[i][b] : (double)NAN;
            run->apd90[i * BEATS + b] = has && draw(0, 1) < 0.6 ? draw(1, 400) : (double)NAN;
            run->eads[i * BEATS + b] = has ? floor(draw(0, 4)) : (double)NAN;
        }
    }
    make_waves(run);
    CHECK_OK(results_allocate(results, POINTS * beats_values_at_point(TIMES), &error), error);
    run->o = beats_at_points(&run->config.physics, TIMES, results->followed, POINTS);
    for (int k = 0; k < POINTS; k++) {
        int i = (int)draw(0, NODES);
        run->node[k] = i;
        for (int b = 0; b < TIMES; b++) {
            const int at = b * POINTS + k;
            bool has = b < run->count[i];
            run->o.time[at] = has ? run->time[i][b] : (double)NAN;
            if (b == TIMES - 1)
                continue;
            run->o.repolarized[0][at] =
                has && draw(0, 1) < 0.6 ? run->time[i][b] + draw(1, 400) : (double)NAN;
            run->o.eads[at] = has ? floor(draw(0, 4)) : (double)NAN;
            run->o.peak.value[at] = has ? draw(0, 50) : (double)NAN;
            run->o.rest.value[at] = draw(-90, -70);
        }
    }
    for (int p = 0; p < PROBES; p++) {
        static const char *const names[PROBES] = {"apex", "base, left", "septum"};
        run->probe[p].node = run->node[p];
        snprintf(run->probe[p].name, sizeof run->probe[p].name, "%s", names[p]);
        run->probes[p].name = names[p];
    }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* As the definition counts: the value below which there are `rank` others */
static double ranked(const double *value, int count, int rank)
{
    for (int k = 0; k < count; k++) {
        int below = 0, equal = 0;
        for (int j = 0; j < count; j++) {
            below += value[j] < value[k];
            equal += value[j] == value[k];
        }
        if (below <= rank && rank < below + equal)
            return value[k];
    }
    return NAN;
}

static void check_activation(struct run *run)
{
    struct results *results = &run->results;
    int excitable = 0, activated = 0, in_region[REGIONS] = {0}, beat[REGIONS][BEATS] = {{0}};
    double first = INFINITY, last = -INFINITY, second = INFINITY;
    struct error error = {0};
    for (int i = 0; i < NODES; i++) {
        int r = run->region[i];
        bool able = r == 0 || r == 2;
        excitable += able;
        activated += run->count[i] > 0;
        if (r < REGIONS)
            in_region[r]++;
        for (int b = 0; b < BEATS && r < REGIONS; b++)
            beat[r][b] += run->count[i] > b;
        if (run->count[i] > 0) {
            first = fmin(first, run->time[i][0]);
            last = fmax(last, run->time[i][0]);
        }
        if (run->count[i] > 1)
            second = fmin(second, run->time[i][1]);
    }
    results_find_activation(results);
    CHECK(results->excitable == excitable && results->activated == activated && results->first == first &&
              results->last == last,
          "%lld of %lld nodes, %g to %g ms; %d of %d, %g to %g", (long long)results->activated,
          (long long)results->excitable, results->first, results->last, activated, excitable, first, last);
    struct pulses all = pulses_of(run, 5000);
    for (int k = 0; k < all.count; k++)
        if (all.start[k] > last)
            second = fmin(second, all.start[k]);
    CHECK(fabs(results_second_beat(results) - second) < 1e-9 || results_second_beat(results) == second,
          "second beat %g, want %g", results_second_beat(results), second);
    CHECK_OK(results_find_regions(results, &error), error);
    for (int r = 0; r < REGIONS; r++) {
        const struct results_region *region = &results->region[r];
        CHECK(region->nodes == in_region[r] && region->excitable == (r != 1),
              "region %d: %lld nodes, want %d", r, (long long)region->nodes, in_region[r]);
        for (int b = 0; b < BEATS; b++)
            CHECK(region->activated[b] == beat[r][b], "region %d, beat %d: %lld, want %d", r, b,
                  (long long)region->activated[b], beat[r][b]);
    }
}

/* Waves of no stimulus; where all stopped, of tissue that no wave could reach */
static void check_waves(struct run *run)
{
    struct results *results = &run->results;
    struct error error = {0};
    int unknown = 0, dropped = 0;
    double unknown_at = NAN, itself_at = NAN;
    for (int w = WAVES - 1; w >= 0; w--) {
        unknown += run->wave[w].owner == WAVES_UNKNOWN;
        *(run->wave[w].owner == WAVES_UNKNOWN ? &unknown_at : &itself_at) = run->wave[w].start;
    }
    for (int i = 0; i < NODES; i++)
        dropped += run->count[i] > 0 && run->activation[run->latest[i]].before < -1;
    CHECK_OK(results_find_waves(results, &error), error);
    CHECK(results->unknown == unknown && same(results->unknown_at, unknown_at) &&
              same(results->itself_at, itself_at),
          "%lld waves, the first at %g ms, by itself at %g; want %d, %g and %g", (long long)results->unknown,
          results->unknown_at, results->itself_at, unknown, unknown_at, itself_at);
    CHECK(results->dropped == dropped, "%lld nodes not recorded, want %d", (long long)results->dropped,
          dropped);
    const int all = (int)run->waves.activations;
    const bool running = all > 0 && results->time - run->activation[all - 1].time <=
                                        run->wave[run->activation[all - 1].wave].longest;
    CHECK(results->running == running, "running %d", results->running);
    const bool left = results->activated < results->excitable && results->activated > 0 && !running;
    CHECK(results->stops == left && results->backs == 0, "%d stops", results->stops);
    if (!left)
        return;
    int a = all - 1;
    while (a >= 0 && sites_excitable(&run->cells, (run->activation[a].node + 1) % NODES) &&
           sites_excitable(&run->cells, (run->activation[a].node + NODES - 1) % NODES))
        a--;
    const struct results_stop *stop = results->stop;
    CHECK(stop->wave == -1 && isnan(stop->rested), "of wave %d", stop->wave);
    if (a < 0)
        CHECK(stop->cause == RESULTS_DISCONNECTED && stop->node == -1 && stop->time == results->last,
              "cause %d at node %lld", stop->cause, (long long)stop->node);
    else
        CHECK(stop->cause == RESULTS_BEHIND && stop->node == run->activation[a].node &&
                  stop->time == run->activation[a].time &&
                  memcmp(stop->position, run->point + 3 * stop->node, sizeof stop->position) == 0,
              "cause %d at node %lld at %g ms", stop->cause, (long long)stop->node, stop->time);
}

/* The beats of what is followed: of all nodes by the maps, whose APD90 begins with the activation, or of the points */
struct followed {
    int node, beats;
    double time[TIMES], over[TIMES], eads[TIMES];
};

static int follow(struct followed *of, const struct run *run, bool everywhere)
{
    const int count = everywhere ? NODES : POINTS;
    for (int k = 0; k < count; k++) {
        of[k] = (struct followed){.node = everywhere ? k : (int)run->node[k],
                                  .beats = everywhere ? BEATS : TIMES - 1};
        for (int b = 0; b < of[k].beats; b++) {
            const int at = everywhere ? k * BEATS + b : b * POINTS + k;
            of[k].time[b] = (everywhere ? run->map : run->o.time)[at];
            of[k].over[b] = everywhere ? run->map[at] + run->apd90[at] : run->o.repolarized[0][at];
            of[k].eads[b] = (everywhere ? run->eads : run->o.eads)[at];
        }
    }
    return count;
}

/* Pulses between two times */
static int pulses_within(const struct run *run, double from, double to)
{
    struct pulses all = pulses_of(run, 5000);
    int count = 0;
    for (int k = 0; k < all.count; k++)
        count += all.start[k] > from && all.start[k] < to;
    return count;
}

static void check_repolarization(struct run *run, bool everywhere)
{
    struct results *results = &run->results;
    struct followed of[NODES];
    struct error error = {0};
    const int count = follow(of, run, everywhere);
    for (int r = 0; r < results->regions; r++) {
        free(results->region[r].apd90);
        results->region[r].recovery = (struct results_recovery){0};
    }
    CHECK_OK(results_find_apd(results, everywhere ? run->apd90 : NULL, &error), error);
    CHECK_OK(
        results_find_recovery(results, everywhere ? run->apd90 : NULL, everywhere ? run->eads : NULL, &error),
        error);
    CHECK(results->apd_beats == (everywhere ? BEATS : TIMES - 1) && results->apd_everywhere == everywhere,
          "%lld beats", (long long)results->apd_beats);
    for (int r = 0; r < REGIONS; r++) {
        struct results_recovery want = {0};
        for (int b = 0; b < results->apd_beats; b++) {
            double value[NODES];
            int values = 0;
            for (int k = 0; k < count; k++)
                if (run->region[of[k].node] == r && r != 1 && !isnan(of[k].over[b]))
                    value[values++] = of[k].over[b] - of[k].time[b];
            const struct results_quartiles *got = &results->region[r].apd90[b];
            CHECK(got->nodes == values, "APD90 of %lld nodes, want %d", (long long)got->nodes, values);
            const double low = ranked(value, values, (values - 1) / 4),
                         high = ranked(value, values, 3 * (values - 1) / 4);
            CHECK(values == 0
                      ? isnan(got->low) && isnan(got->median) && isnan(got->high)
                      : fabs(got->low - low) + fabs(got->median - ranked(value, values, (values - 1) / 2)) +
                                fabs(got->high - high) <
                            1e-9,
                  "APD90 %g, %g, %g of %d", got->low, got->median, got->high, values);
        }
        for (int k = 0; k < count; k++) {
            const struct followed *f = &of[k];
            double most = 0;
            int n = 0;
            for (; n < f->beats && !isnan(f->time[n]); n++) {
                double next = n + 1 < f->beats ? f->time[n + 1] : (double)NAN,
                       until = !isnan(f->over[n]) ? f->over[n]
                               : isnan(next)      ? results->time
                                                  : next;
                double rises = f->eads[n] + (isnan(f->over[n]) &&
                                             !isnan(next)); /* the pulse of the next beat is none of its */
                if (f->eads[n] > 0)
                    most = fmax(most, rises - pulses_within(run, f->time[n], until));
            }
            if (n == 0 || r == 1 || run->region[f->node] != r)
                continue;
            const double at = f->time[n - 1], waited = results->time - at;
            want.nodes++;
            want.early += most > 0;
            want.eads = fmax(want.eads, most);
            if (isnan(f->over[n - 1]) && run->time[f->node][run->count[f->node] - 1] <= at &&
                waited > limit_after(run, at)) {
                want.late++;
                want.waited = fmax(want.waited, waited);
            }
        }
        const struct results_recovery *got = &results->region[r].recovery;
        CHECK(got->nodes == want.nodes && got->early == want.early && got->eads == want.eads &&
                  got->late == want.late && got->waited == want.waited,
              "region %d: followed %lld of %lld, early %lld of %lld, up to %g of %g, late %lld of %lld, "
              "waited %g of %g",
              r, (long long)got->nodes, (long long)want.nodes, (long long)got->early, (long long)want.early,
              got->eads, want.eads, (long long)got->late, (long long)want.late, got->waited, want.waited);
    }
}

/* The table of the beats at the probes: as long as each has activations */
static void check_table(struct run *run)
{
    struct error error = {0};
    struct printed want;
    static char got[20000];
    CHECK_OK(printed_open(&want, &error), error);
    fputs("probe,beat,activation_time (ms),cycle_length (ms),diastolic_interval (ms),apd90 (ms),peak "
          "(mV),rest (mV)\n",
          want.file);
    for (int p = 0; p < PROBES; p++)
        for (int b = 0; b < BEATS && b < run->count[run->node[p]]; b++) {
            const int at = b * POINTS + p;
            const double begin = run->o.time[at], over = run->o.repolarized[0][at],
                         rested = b > 0 ? run->o.repolarized[0][at - POINTS] : (double)NAN;
            const double value[] = {begin,
                                    b > 0 ? begin - run->o.time[at - POINTS] : (double)NAN,
                                    begin - rested,
                                    over - begin,
                                    run->o.peak.value[at],
                                    run->o.rest.value[at]};
            fprintf(want.file, p == 1 ? "\"%s\",%d" : "%s,%d", run->probe[p].name, b + 1);
            for (int c = 0; c < 6; c++)
                if (isnan(value[c]))
                    fputc(',', want.file);
                else
                    fprintf(want.file, ",%.10g", value[c]);
            fputc('\n', want.file);
        }
    CHECK_OK(printed_close(&want, &error), error);
    results_read_followed(&run->results);
    CHECK_OK(results_write_beats(&run->results, path, &error), error);
    FILE *file = fopen(path, "r");
    CHECK(file, "%s", path);
    got[fread(got, 1, sizeof got - 1, file)] = 0;
    fclose(file);
    CHECK(strcmp(got, want.text) == 0, "%s\nis not\n%s", got, want.text);
    free(want.text);
    remove(path);
}

/* Column `name` of the facts; the config of the table has the probes in another order */
static double column(const struct run *run, const char *name)
{
    struct config_probe turned[PROBES];
    struct config of = run->config;
    char text[FACTS_COLUMN];
    for (int p = 0; p < PROBES; p++)
        turned[p] = run->probes[PROBES - 1 - p];
    of.output.probe = turned;
    for (int k = 0; k < facts_columns(&of); k++) {
        facts_column_name(text, NULL, &of, k);
        if (strcmp(text, name) == 0)
            return facts_column(&of, k, &run->results.facts, &run->config);
    }
    CHECK(false, "no column %s", name);
    return NAN;
}

static void check_facts(struct run *run)
{
    struct error error = {0};
    struct results *results = &run->results;
    char name[FACTS_COLUMN];
    CHECK_OK(facts_make(&results->facts, results, &error), error);
    for (int r = 0; r < REGIONS; r++) {
        const struct results_region *region = &results->region[r];
        double first = region->apd90[0].median, last = first;
        for (int b = 1; b < results->apd_beats && region->apd90[b].nodes > 0; b++)
            last = region->apd90[b].median;
        for (int of_last = 0; of_last < 2; of_last++) {
            snprintf(name, sizeof name, "apd90_%s[%d]", of_last ? "last" : "first", r);
            CHECK(same(column(run, name), of_last ? last : first), "%s is %g", name, column(run, name));
        }
        snprintf(name, sizeof name, "not_repolarised[%d]", r);
        CHECK(same(column(run, name), region->recovery.nodes ? 100. * (double)region->recovery.late /
                                                                   (double)region->recovery.nodes
                                                             : (double)NAN),
              "%s is %g", name, column(run, name));
        snprintf(name, sizeof name, "eads[%d]", r);
        CHECK(same(column(run, name), region->recovery.nodes ? region->recovery.eads : (double)NAN),
              "%s is %g", name, column(run, name));
    }
    for (int p = 0; p < PROBES; p++) {
        const int i = (int)run->node[p], n = run->count[i];
        snprintf(name, sizeof name, "activation_first[%s]", run->probe[p].name);
        CHECK(same(column(run, name), n ? run->time[i][0] : (double)NAN), "%s is %g", name,
              column(run, name));
        snprintf(name, sizeof name, "activation_last[%s]", run->probe[p].name);
        CHECK(same(column(run, name), n && n < TIMES ? run->time[i][n - 1] : (double)NAN), "%s is %g of %d",
              name, column(run, name), n);
    }
    CHECK(same(column(run, "activated"), results->excitable
                                             ? 100. * (double)results->activated / (double)results->excitable
                                             : (double)NAN),
          "activated %g", column(run, "activated"));
    CHECK(same(column(run, "total_activation"),
               results->activated ? results->last - results->first : (double)NAN),
          "total %g", column(run, "total_activation"));
}

static void check_peak(struct run *run)
{
    struct results *results = &run->results;
    results->peak =
        (struct results_peak){.value = drawn % 2 ? draw(0, 50) : (double)NAN, .time = NAN, .node = 7};
    struct results_peak want = results->peak;
    for (int b = 0; b < TIMES - 1; b++)
        for (int k = 0; k < POINTS; k++) {
            const int at = b * POINTS + k;
            if (!isnan(run->o.peak.value[at]) && !(run->o.peak.value[at] <= want.value))
                want = (struct results_peak){
                    .value = run->o.peak.value[at], .time = run->o.time[at], .node = run->node[k]};
        }
    results_find_peak(results);
    CHECK(same(results->peak.value, want.value) && same(results->peak.time, want.time) &&
              results->peak.node == want.node,
          "%g mV at node %lld, want %g at %lld", results->peak.value, (long long)results->peak.node,
          want.value, (long long)want.node);
}

static void test_random(void)
{
    static struct run run;
    for (int k = 0; k < DRAWS; k++) {
        draw_run(&run);
        check_activation(&run);
        check_waves(&run);
        check_repolarization(&run, true);
        check_repolarization(&run, false);
        check_table(&run);
        check_facts(&run);
        check_peak(&run);
        results_free(&run.results);
    }
}

/* One tetrahedron, activated at node 0 alone: the front was blocked on its three edges there. In direction n it needs edges of at most twice
 * sqrt((n, D n)) front_enough, D = across I + (along - across) f f^T for the oblique fibre f, and stopped as too coarse where most exceed that. */
static void test_coarse(double scale, int coarse)
{
    static double point[12] = {0, 0, 0, 1, 0.25, 0, 0, 1, 0.5, 0.5, 0, 1}, fiber[3] = {0.36, 0.48, 0.8};
    static int32_t vertex[4] = {0, 1, 2, 3}, zero[4] = {0}, tag[1] = {0};
    static const struct front_speed front[1] = {{.rest = 1, .fine = 1, .bend = 0.2}};
    const double along = 0.3, across = 0.1;
    double stretched[12], record[4] = {1, NAN, NAN, NAN}, edges = 0, enough = 0;
    struct region region = {.diffusion = {along, across, across}};
    const struct stimulus stimulus = {.node = zero, .nodes = 1, .current = 50, .duration = 2, .count = 1};
    struct problem problem = {.mesh = {.dimension = 3,
                                       .nodes = 4,
                                       .elements = 1,
                                       .point = stretched,
                                       .vertex = vertex,
                                       .tag = tag,
                                       .fiber = fiber,
                                       .fiber_location = LOCATION_ELEMENT},
                              .region = &region,
                              .element_region = zero,
                              .params = {.region = &region, .element_region = zero}};
    const struct sites_cells cells = {zero, 1, front};
    struct results results = {
        .problem = &problem, .cells = &cells, .point = stretched, .excitable = 4, .activated = 1};
    struct csr neighbours;
    struct waves waves;
    struct error error = {0};
    int longer = 0;
    for (int k = 0; k < 12; k++)
        stretched[k] = scale * point[k];
    for (int b = 1; b < 4; b++) {
        const double *to = stretched + 3 * b;
        const double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
        const double part = (fiber[0] * to[0] + fiber[1] * to[1] + fiber[2] * to[2]) / length;
        const double fits = sqrt(across + (along - across) * part * part) * front_enough(front);
        if (length > 2 * fits) {
            longer++;
            edges += length;
            enough += fits;
        }
    }
    CHECK(longer == coarse, "%d long edges", longer);
    CHECK_OK(mesh_neighbours_create(&neighbours, &problem.mesh, NULL, 0, &error), error);
    CHECK_OK(waves_create(&waves, &neighbours, stretched, &stimulus, 1, 1, &error), error);
    CHECK_OK(waves_add(&waves, &(struct waves_record){record, (double[4]){300, NAN, NAN, NAN}, 1, NULL}, 400,
                       &error),
             error);
    results.waves = &waves;
    CHECK_OK(results_find_waves(&results, &error), error);
    CHECK(results.stops == 1 && results.stop->node == 0 && results.stop->time == 1 &&
              results.stop->reached == 1,
          "%d stops", results.stops);
    CHECK(results.stop->cause == (longer >= 2 ? RESULTS_COARSE : RESULTS_FAILED),
          "%d of 3 edges are long: cause %d", longer, results.stop->cause);
    if (longer >= 2)
        CHECK(fabs(results.stop->edge - edges / longer) + fabs(results.stop->enough - enough / longer) < 1e-9,
              "edges of %g mm, %g would do; want %g and %g", results.stop->edge, results.stop->enough,
              edges / longer, enough / longer);
    free(results.stop);
    free(results.back);
    waves_free(&waves);
    csr_free(&neighbours);
}

int main(void)
{
    test_random();
    test_coarse(0.1, 0);
    test_coarse(0.38, 1);
    test_coarse(0.43, 2);
    test_coarse(0.5, 3);
    printf("%d runs\n", DRAWS);
    return 0;
}
