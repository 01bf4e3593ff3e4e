/* test_studies.c: `sweep` in this process, of lists and tables drawn at random: the order of the runs, each row, the maps, the parts, the
 * lines of text and of JSON, the warnings, the forecast and what a second call makes, each worked out from the same runs alone. */
#include "app/study/study.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/result.h"
#include "app/run/run.h"
#include "app/run/stop.h"
#include "app/util/command.h"
#include "app/util/own_file.h"
#include "kernels/base/bits.h"
#include "tests/support/check.h"

enum {
    AXES = 2,
    VALUES = 3,
    COLUMNS = 2,
    KEYS = 4,
    RUNS = 36,
    NODES = 13,
    LONG = 1 << 16,
    MAPS = 2,
    WARNINGS = 12
};

static const char config_text[] =
    "version: 1\n"
    "mesh: {cable: {length: 3 mm, spacing: 0.25 mm}}\n"
    "tissue: {surface_to_volume: 1400 /cm, regions: [{model: mitchell-schaeffer, conductivity: 0.2 S/m}]}\n"
    "stimuli: [{name: S1, where: x < 0.8 mm, duration: 1 ms, current: 60 uA/uF}]\n"
    "time: {end: 2 ms, step: 0.1 ms}\n"
    "activation: {beats: 2}\n"
    "output: {every: 1 ms, maps: [activation_time, peak], probes: {a: [1 mm, 0 mm, 0 mm]}}\n"
    "device: cpu\n"
    "threads: 1\n";

/* Keys and values to draw from; the last current is a blow-up. */
static const char *const key[KEYS] = {"stimuli[0].duration", "stimuli[0].current", "time.end",
                                      "tissue.regions[0].conductivity"};
static const char *const value[KEYS][VALUES] = {{"1 ms", "0.5 ms", "2 ms"},
                                                {"60 uA/uF", "1 uA/uF", "1900 uA/uF"},
                                                {"2 ms", "6 ms", "3.5 ms"},
                                                {"0.2 S/m", "0.3 S/m", "0.02 S/m"}};

/* A study as drawn: `axis` keys and numbers of values of the lists, `column` keys of the table and its rows' values */
struct drawn {
    int axes, axis[AXES], values[AXES], columns, column[COLUMNS], rows, cell[VALUES][COLUMNS];
    int64_t runs, points;
};

/* What one run is alone */
struct alone {
    int chosen[KEYS]; /* value of each key; -1 = the config's own */
    char id[STUDY_ID], message[4100];
    enum status status;
    double fact[200], map[MAPS][NODES], activated, last;
    int warnings;
    int64_t steps;
    char warning[WARNINGS][1000];
};

static uint64_t number;

static int draw(int below)
{
    return (int)(bits_random(++number) * below);
}

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", name);
}

static void get_file(char *text, const char *name)
{
    FILE *file = fopen(name, "r");
    CHECK(file, "%s", name);
    text[fread(text, 1, LONG - 1, file)] = 0;
    fclose(file);
}

/* Calls `sweep` with up to 12 words; its standard output and error in out and err */
static enum status sweep(char *out, char *err, struct error *error, const char *const *word)
{
    char *argv[20] = {(char[]){"sweep"}};
    int argc = 1, kept[2];
    for (; *word; word++)
        argv[argc++] = (char *)(uintptr_t)*word;
    fflush(stdout);
    for (int k = 0; k < 2; k++) {
        int file = open(k ? "studies.err" : "studies.out", O_RDWR | O_CREAT | O_TRUNC, 0600);
        kept[k] = dup(1 + k);
        CHECK(file >= 0 && kept[k] >= 0 && dup2(file, 1 + k) == 1 + k, "no capture");
        close(file);
    }
    *error = (struct error){0};
    const enum status status = command_sweep(argc, argv, error);
    fflush(stdout);
    for (int k = 0; k < 2; k++) {
        dup2(kept[k], 1 + k);
        close(kept[k]);
    }
    get_file(out, "studies.out");
    get_file(err, "studies.err");
    return status;
}

/* The run of these values by itself, with what the study is to say of it */
static void run_alone(struct alone *to)
{
    char text[KEYS][100];
    const char *set[KEYS], *warning;
    int sets = 0;
    struct setup setup = {.comm = comm_alone(),
                          .options = {.mute = true, .no_files = true, .stop_after = INFINITY}};
    struct run run = {0};
    struct error error = {0};
    for (int k = 0; k < KEYS; k++)
        if (to->chosen[k] >= 0) {
            snprintf(text[sets], sizeof *text, "%s=%s", key[k], value[k][to->chosen[k]]);
            set[sets] = text[sets];
            sets++;
        }
    CHECK_OK(config_read(&setup.config, "studies.yaml", set, sets, &error), error);
    CHECK_OK(study_id(to->id, &setup.config, CONFIG_RESULTS, &error), error);
    to->steps = setup.config.steps;
    to->status = run_simulate(&run, &setup, &error);
    CHECK(run.results.config && facts_columns(&setup.config) <= 200, "nothing was computed");
    for (int c = 0; c < facts_columns(&setup.config); c++)
        to->fact[c] = facts_column(&setup.config, c, &run.results.facts, &setup.config);
    to->activated = 100 * (double)run.results.activated / NODES;
    to->last = run.results.last;
    for (to->warnings = 0; (warning = progress_warning(setup.progress, to->warnings)); to->warnings++) {
        CHECK(to->warnings < WARNINGS, "too many warnings");
        snprintf(to->warning[to->warnings], sizeof *to->warning, "%s", warning);
    }
    snprintf(to->message, sizeof to->message, "%s",
             to->status         ? error.text
             : to->warnings > 0 ? to->warning[to->warnings - 1]
                                : "");
    for (int m = 0; m < MAPS; m++) {
        struct map_values values;
        struct maps_map map;
        CHECK_OK(map_values_create(&values, setup.sim, &setup.problem.mesh, 2, &error), error);
        CHECK(maps_find(&map, setup.config.output.map[m], NULL), "no map");
        CHECK_OK(map_values_make(&values, &map, NULL, &error), error);
        for (int i = 0; i < NODES; i++)
            to->map[m][i] = to->status ? NAN : values.value[i * map_values_width(&values, &map)];
        map_values_free(&values);
    }
    run_free(&run);
    setup_free(&setup);
}

static void draw_study(struct drawn *d, bool fails)
{
    int order[KEYS] = {0, 1, 2, 3};
    for (int k = KEYS - 1; k > 0; k--) {
        const int other = draw(k + 1), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
    *d = (struct drawn){.axes = draw(AXES + 1), .columns = draw(COLUMNS + 1), .rows = 1, .points = 1};
    d->columns += d->axes + d->columns == 0;
    for (int a = 0; a < d->axes; a++) {
        d->axis[a] = order[a];
        d->values[a] = 1 + draw(fails || order[a] != 1 ? VALUES : VALUES - 1);
        d->points *= d->values[a];
    }
    if (d->columns > 0)
        d->rows = 1 + draw(fails ? VALUES : VALUES - 1);
    for (int c = 0; c < d->columns; c++)
        d->column[c] = order[AXES + c];
    for (int r = 0; r < d->rows; r++)
        for (int c = 0; c < d->columns; c++)
            d->cell[r][c] = c == 0 ? r : draw(2); /* the first column makes rows unlike */
    d->runs = d->rows * d->points;
}

static void put_study(const struct drawn *d)
{
    char text[LONG];
    int at = snprintf(text, sizeof text, "%s", config_text);
    for (int a = 0; a < d->axes; a++) {
        at +=
            snprintf(text + at, sizeof text - (size_t)at, "%s  %s: [", a ? "" : "sweep:\n", key[d->axis[a]]);
        for (int v = 0; v < d->values[a]; v++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", v ? ", " : "", value[d->axis[a]][v]);
        at += snprintf(text + at, sizeof text - (size_t)at, "]\n");
    }
    put_file("studies.yaml", text);
    at = 0;
    for (int r = -1; r < d->rows && d->columns > 0; r++)
        for (int c = 0; c < d->columns; c++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%s%s",
                           r < 0 ? key[d->column[c]] : value[d->column[c]][d->cell[r][c]],
                           c + 1 < d->columns ? "," : "\n", "");
    put_file("studies.csv", at ? text : "");
}

/* run[runs] <- each run alone: rows one after the other, of the lists the last the fastest */
static void make_alone(struct alone *run, const struct drawn *d)
{
    int64_t k = 0;
    for (int r = 0; r < d->rows; r++)
        for (int v = 0; v < (d->axes > 0 ? d->values[0] : 1); v++)
            for (int w = 0; w < (d->axes > 1 ? d->values[1] : 1); w++) {
                struct alone *to = &run[k++];
                for (int i = 0; i < KEYS; i++)
                    to->chosen[i] = -1;
                for (int c = 0; c < d->columns; c++)
                    to->chosen[d->column[c]] = d->cell[r][c];
                if (d->axes > 0)
                    to->chosen[d->axis[0]] = v;
                if (d->axes > 1)
                    to->chosen[d->axis[1]] = w;
                run_alone(to);
            }
    CHECK(k == d->runs, "%lld runs", (long long)k);
}

/* The table of runs first .. first + runs, whole, and where its row k + 1 ends */
static void expect_table(char *text, size_t *end, const struct drawn *d, const struct alone *run,
                         int64_t first, int64_t runs)
{
    FILE *file = fmemopen(text, LONG, "w");
    struct config config;
    struct error error = {0};
    char name[FACTS_COLUMN];
    const char *unit;
    CHECK_OK(config_read(&config, "studies_plain.yaml", NULL, 0, &error), error);
    const int columns = facts_columns(&config);
    fputs("run,id", file);
    for (int c = 0; c < d->columns; c++)
        fprintf(file, ",%s", key[d->column[c]]);
    for (int a = 0; a < d->axes; a++)
        fprintf(file, ",%s", key[d->axis[a]]);
    fputs(",status", file);
    for (int c = 0; c < columns; c++) {
        facts_column_name(name, &unit, &config, c);
        const char *quote = strpbrk(name, ",\"") ? "\"" : "";
        fprintf(file, unit ? ",%s%s (%s)%s" : ",%s%s%s%s", quote, name, unit ? unit : quote,
                unit ? quote : "");
    }
    fputs(",message\n", file);
    fflush(file);
    end[0] = (size_t)ftell(file);
    for (int64_t k = first; k < first + runs; k++) {
        fprintf(file, "%lld,%s", (long long)k + 1, run[k].id);
        for (int c = 0; c < d->columns; c++)
            fprintf(file, ",%s", value[d->column[c]][run[k].chosen[d->column[c]]]);
        for (int a = 0; a < d->axes; a++)
            fprintf(file, ",%s", value[d->axis[a]][run[k].chosen[d->axis[a]]]);
        fprintf(file, ",%d", (int)run[k].status);
        for (int c = 0; c < columns; c++) {
            fputc(',', file);
            if (!isnan(run[k].fact[c]))
                fprintf(file, "%.12g", run[k].fact[c]);
        }
        const bool quoted = strpbrk(run[k].message, ",\"") != NULL;
        fputs(quoted ? ",\"" : ",", file);
        for (const char *at = run[k].message; *at; at++)
            fprintf(file, *at == '"' ? "\"\"" : "%c", *at);
        fputs(quoted ? "\"\n" : "\n", file);
        fflush(file);
        end[k - first + 1] = (size_t)ftell(file);
    }
    fclose(file);
    config_free(&config);
}

/* Copies the text with one letter in place of each number: of warnings that differ only in numbers, one is
 * printed */
static void strip(char *to, const char *text)
{
    while (*text)
        if (*text >= '0' && *text <= '9') {
            *to++ = 'N';
            text += strspn(text, "0123456789.e+-");
        } else {
            *to++ = *text++;
        }
    *to = 0;
}

/* Standard error of a call that made the runs `from` .. `to` of a part that ends at `last` */
static void expect_warnings(const char *err, const struct alone *run, int64_t from, int64_t to, int64_t first,
                            int64_t last)
{
    static char want[LONG], seen[RUNS * WARNINGS][1000], whole[RUNS * WARNINGS][1000], now[1000];
    int64_t rows[RUNS * WARNINGS] = {0};
    int count = 0, at = 0;
    want[0] = 0;
    for (int64_t k = from; k < to; k++)
        for (int w = 0; w < run[k].warnings; w++) {
            int same = 0;
            strip(now, run[k].warning[w]);
            while (same < count && strcmp(seen[same], now) != 0)
                same++;
            rows[same]++;
            if (same < count)
                continue;
            strcpy(seen[count], now);
            strcpy(whole[count++], run[k].warning[w]);
            at += snprintf(want + at, sizeof want - (size_t)at, "cardiac: warning: run %lld: %s\n",
                           (long long)k + 1, run[k].warning[w]);
        }
    for (int w = 0; w < count && to - from > 1; w++)
        if (rows[w] >= to - from)
            at += snprintf(want + at, sizeof want - (size_t)at,
                           "cardiac: warning: in all %lld rows%s: %.60s%s\n", (long long)(to - from),
                           to - from < last - first ? " of this call" : "", whole[w],
                           strlen(whole[w]) > 60 ? "..." : "");
    CHECK(strcmp(err, want) == 0, "standard error\n%sis not\n%s", err, want);
}

/* The lines of text of a call that found `done` of the part's runs in the table, and makes the others */
static void expect_lines(const char *out, const struct alone *run, int64_t first, int64_t runs, int64_t done,
                         const char *table)
{
    char want[3000], text[LONG], *line, *rest;
    int64_t failed = 0;
    strcpy(text, out);
    line = strtok_r(text, "\n", &rest);
    if (done > 0) {
        snprintf(want, sizeof want, "%lld of %lld runs are in %s", (long long)done, (long long)runs, table);
        CHECK(line && strcmp(line, want) == 0, "%s is not %s", line, want);
        line = strtok_r(NULL, "\n", &rest);
    }
    for (int64_t k = first; k < first + runs; k++) {
        const struct alone *of = &run[k];
        double seconds;
        int length, minutes, second, more = 0;
        failed += of->status != STATUS_OK;
        if (k < first + done)
            continue;
        if (of->status)
            length = snprintf(want, sizeof want, "run %lld (%lld of %lld): failed: %s", (long long)k + 1,
                              (long long)(k - first + 1), (long long)runs, of->message);
        else if (of->activated > 0)
            length = snprintf(want, sizeof want,
                              "run %lld (%lld of %lld): %.4g %% activated, the last at %s ms; steps took ",
                              (long long)k + 1, (long long)(k - first + 1), (long long)runs, of->activated,
                              time_text(of->last).text);
        else
            length = snprintf(want, sizeof want, "run %lld (%lld of %lld): nothing activated; steps took ",
                              (long long)k + 1, (long long)(k - first + 1), (long long)runs);
        CHECK(line && strncmp(line, want, (size_t)length) == 0, "%s is not %s", line, want);
        if (of->status)
            CHECK(!line[length], "%s", line);
        else
            CHECK(sscanf(line + length, "%lf s, %d:%d left%n", &seconds, &minutes, &second, &more) == 3 &&
                      !line[length + more] && seconds > 0 && seconds < 10 && minutes < 2,
                  "%s", line);
        line = strtok_r(NULL, "\n", &rest);
    }
    int length = snprintf(want, sizeof want, "%lld run%s, %lld failed: %s; they share ", (long long)runs,
                          runs == 1 ? "" : "s", (long long)failed, table);
    CHECK(line && strncmp(line, want, (size_t)length) == 0, "%s is not %s", line, want);
    CHECK(!strtok_r(NULL, "\n", &rest), "lines after the last");
}

/* Lines of JSON: a run each, up to the seconds that are left */
static void expect_json(const char *out, const struct alone *run, int64_t first, int64_t runs)
{
    char text[LONG], *line, *rest;
    struct config config;
    struct error error = {0};
    strcpy(text, out);
    line = strtok_r(text, "\n", &rest);
    CHECK_OK(config_read(&config, "studies_plain.yaml", NULL, 0, &error), error);
    for (int64_t k = first; k < first + runs; k++) {
        char want[LONG] = "", name[FACTS_COLUMN];
        FILE *file = fmemopen(want, sizeof want, "w");
        struct json json = json_line(file);
        json_open(&json, NULL, '{');
        json_integer(&json, "run", k + 1);
        json_text(&json, "id", run[k].id);
        json_integer(&json, "status", run[k].status);
        for (int c = 0; c < facts_columns(&config); c++) {
            facts_column_name(name, NULL, &config, c);
            json_number(&json, name, run[k].fact[c]);
        }
        json_text(&json, "message", *run[k].message ? run[k].message : NULL);
        json_integer(&json, "runs", runs);
        json_integer(&json, "done", k - first + 1);
        fputs(", \"seconds_left\": ", file);
        fclose(file);
        double left = -1;
        CHECK(line && strncmp(line, want, strlen(want)) == 0, "%s\nis not\n%s", line, want);
        CHECK(sscanf(line + strlen(want), "%lf}", &left) == 1 && left >= 0 && left < 100 &&
                  (left > 0) == (k + 1 < first + runs),
              "%s", line);
        line = strtok_r(NULL, "\n", &rest);
    }
    CHECK(!line, "lines after the last run: %s", line);
    config_free(&config);
}

/* Frame k of the maps is run first + k + 1, at that time */
static void expect_maps(const char *path, const struct alone *run, int64_t first, int64_t runs)
{
    struct result result;
    struct error error = {0};
    CHECK_OK(result_open(&result, path, &error), error);
    CHECK(result.frames == runs, "%lld frames of %lld runs", (long long)result.frames, (long long)runs);
    for (int m = 0; m < MAPS; m++) {
        const int at = result_find(&result, m ? "peak" : "activation_time");
        CHECK(at >= 0 && result_values(&result, at) == NODES, "map %d", m);
        for (int64_t k = 0; k < runs; k++) {
            double got[NODES];
            CHECK(result.time[k] == (double)(first + k + 1), "frame %lld at %g", (long long)k,
                  result.time[k]);
            CHECK_OK(result_get(&result, at, k, got, &error), error);
            for (int i = 0; i < NODES; i++)
                CHECK(isnan(got[i]) ? isnan(run[first + k].map[m][i])
                                    : got[i] == (double)(float)run[first + k].map[m][i],
                      "map %d of run %lld, node %d: %.9g, not %.9g", m, (long long)(first + k + 1), i, got[i],
                      run[first + k].map[m][i]);
        }
    }
    result_close(&result);
}

static enum status worst(const struct alone *run, int64_t first, int64_t runs)
{
    for (int64_t k = first; k < first + runs; k++)
        if (run[k].status)
            return STATUS_RUN;
    return STATUS_OK;
}

/* The names of a study's files; parts 0: of a whole one */
static void name_files(char table[100], char maps[100], int part, int parts)
{
    snprintf(table, 100, parts ? "studies.dir/table-%d-of-%d.csv" : "studies.dir/table.csv", part, parts);
    snprintf(maps, 100, parts ? "studies.dir/maps-%d-of-%d.vtkhdf" : "studies.dir/maps.vtkhdf", part, parts);
}

static void remove_study(const char *table, const char *maps)
{
    char beside[200];
    unlink(table);
    snprintf(beside, sizeof beside, "%.*s.inputs", (int)(strlen(table) - 4), table);
    unlink(beside);
    unlink(maps);
    snprintf(beside, sizeof beside, "%.*s.xdmf", (int)(strlen(maps) - 7), maps);
    unlink(beside);
}

static void remove_all(void)
{
    static const char *const names[] = {"studies.yaml", "studies_plain.yaml", "studies.csv", "studies.out",
                                        "studies.err"};
    char table[100], maps[100];
    for (int parts = 0; parts < 4; parts++)
        for (int part = 1; part <= (parts ? parts : 1); part++) {
            name_files(table, maps, part, parts);
            remove_study(table, maps);
        }
    rmdir("studies.dir");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        unlink(names[k]);
}

static void check_study(bool fails)
{
    static struct alone run[RUNS];
    static char out[LONG], err[LONG], want[LONG], got[LONG];
    static size_t end[RUNS + 1];
    struct drawn d;
    struct error error;
    char table[100], maps[100], part_text[40];
    draw_study(&d, fails);
    CHECK(d.runs <= RUNS, "%lld runs", (long long)d.runs);
    put_file("studies.yaml", config_text);
    make_alone(run, &d);
    put_study(&d);
    const int parts = draw(4), part = parts ? 1 + draw(parts) : 1;
    const int64_t first = parts ? d.runs * (part - 1) / parts : 0,
                  runs = parts ? d.runs * part / parts - first : d.runs;
    snprintf(part_text, sizeof part_text, "%d/%d", part, parts);
    name_files(table, maps, part, parts);
    remove_study(table, maps);
    const bool json = draw(2);
    const char *word[20] = {"studies.yaml", "--output", "studies.dir", "--maps"};
    int words = 4;
    if (d.columns > 0)
        word[words++] = "--table", word[words++] = "studies.csv";
    if (parts)
        word[words++] = "--part", word[words++] = part_text;
    if (json)
        word[words++] = "--json";
    expect_table(want, end, &d, run, first, runs);
    enum status status = sweep(out, err, &error, word);
    CHECK(status == worst(run, first, runs), "status %d: %s", status, error.text);
    get_file(got, table);
    CHECK(strcmp(got, want) == 0, "table\n%sis not\n%s", got, want);
    expect_warnings(err, run, first, first + runs, first, first + runs);
    if (json)
        expect_json(out, run, first, runs);
    else
        expect_lines(out, run, first, runs, 0, table);
    if (runs > 0)
        expect_maps(maps, run, first, runs);
    if (status) {
        int64_t failed = 0, at = -1;
        for (int64_t k = first; k < first + runs; k++) {
            failed += run[k].status != STATUS_OK;
            at = run[k].status && at < 0 ? k : at;
        }
        snprintf(got, sizeof got, "%lld of %lld runs failed: %.600s; %s has their messages",
                 (long long)failed, (long long)runs, run[at].message, table);
        CHECK(strcmp(error.text, got) == 0, "%s is not %s", error.text, got);
    }
    if (runs < 2)
        return;
    /* cut within a row: that one and those after it are made again */
    const int64_t done = 1 + draw((int)runs - 1);
    CHECK(truncate(table, (off_t)(end[done] + 5)) == 0, "%s", table);
    word[words - json] = NULL; /* in words, and without the old maps */
    CHECK(sweep(out, err, &error, word) == status, "again: %s", error.text);
    get_file(got, table);
    CHECK(strcmp(got, want) == 0, "the table completed\n%sis not\n%s", got, want);
    expect_lines(out, run, first, runs, done, table);
    expect_warnings(err, run, first + done, first + runs, first, first + runs);
    expect_maps(maps, run, first, runs);
    /* nothing is left to do */
    CHECK(sweep(out, err, &error, word) == status, "once more: %s", error.text);
    expect_lines(out, run, first, runs, runs, table);
    CHECK(!*err, "%s", err);
    /* the forecast: of steps and shared set-ups; a mesh whose edges are halved h times has 2^h the work */
    int64_t steps = 0, matrices = 1, halved = first + draw((int)runs);
    double work = 0;
    for (int64_t k = first; k < first + runs; k++) {
        steps += run[k].steps;
        work += (double)run[k].steps * (k == halved ? 8 : 1);
        matrices += k > first && run[k].chosen[3] != run[k - 1].chosen[3] &&
                    run[k].chosen[3] + run[k - 1].chosen[3] != -1;
    }
    char halvings[3 * RUNS] = "", line[300];
    for (int64_t k = 0; k < d.runs; k++)
        strcat(halvings, k == halved ? k ? ",3" : "3" : k ? ",0" : "0");
    word[words - json] = "--dry-run", word[words - json + 1] = "--halvings",
                 word[words - json + 2] = halvings;
    word[words - json + 3] = NULL;
    CHECK_OK(sweep(out, err, &error, word), error);
    int length = snprintf(
        line, sizeof line,
        "%lld of %lld runs; they share 1 mesh and %lld matri%s; %lld steps\n%.4g times the work of run %lld "
        "alone, and 8 times its memory\n",
        (long long)runs, (long long)d.runs, (long long)matrices, matrices == 1 ? "x" : "ces",
        (long long)steps, work / (double)run[first].steps, (long long)first + 1);
    CHECK(strncmp(out, line, (size_t)length) == 0, "%s is not %s", out, line);
    snprintf(line, sizeof line, "disk: about %.4g MB in studies.dir\n", 300e-6 * (double)runs);
    CHECK(strstr(out, line), "%s lacks %s", out, line);
    snprintf(line, sizeof line, "as the first %lld steps of run %lld took ",
             (long long)(run[first].steps < 40 ? run[first].steps : 40), (long long)first + 1);
    CHECK(run[first].status || strstr(out, line), "%s lacks %s", out, line);
}

/* A message whole */
static void refused(const char *table, const char *text, const char *const *more)
{
    static char out[LONG], err[LONG];
    struct error error;
    const char *word[20] = {"studies.yaml", "--output", "studies.none", "--table", "studies.csv"};
    put_file("studies.csv", table);
    for (int k = 0; more && more[k]; k++)
        word[5 + k] = more[k];
    CHECK(sweep(out, err, &error, word) == STATUS_INPUT, "not refused: %s", table);
    CHECK(strcmp(error.text, text) == 0, "'%s' is not '%s'", error.text, text);
    CHECK(!*out && access("studies.none", F_OK) != 0, "it began: %s", out);
}

static void check_refusals(void)
{
    put_file("studies.yaml", config_text);
    refused("time.end\n1 ms\n2 ms\n3 ms\n2.0 ms\n", "studies.yaml: runs 2 and 4 are the same", NULL);
    refused("time.end\n1 ms\n2 ms\n3 ms\n4 ms\n3.0 ms\n5 ms\n", "studies.yaml: runs 3 and 5 are the same",
            (const char *[]){"--part", "1/1", NULL});
    refused("mesh.cable.spacing\n0.25 mm\n0.25 mm\n0.5 mm\n", "studies.yaml: runs 1 and 2 are the same",
            NULL);
    refused("mesh.cable.spacing,time.end\n0.25 mm,1 ms\n0.25 mm,2 ms\n0.5 mm,1 ms\n",
            "--maps: run 3 has another mesh than run 1; one file holds the maps of one mesh",
            (const char *[]){"--maps", NULL});
    refused("tissue.regions\n\"[{model: mitchell-schaeffer, conductivity: 0.2 S/m}]\"\n"
            "\"[{where: x < 1 mm, model: mitchell-schaeffer, conductivity: 0.2 S/m}, {model: "
            "mitchell-schaeffer, conductivity: 0.1 "
            "S/m}]\"\n",
            "studies.yaml: run 2 has 2 regions and run 1 has 1; a table has a column for each, so runs of a "
            "study need equally many",
            NULL);
    refused("time.end\n1 mm\n2 ms\n1 mm\n3 mm\n",
            "studies.csv:2:1: time.end: '1 mm' is not a time (ms)\n"
            "studies.csv:4:1: time.end: '1 mm' is not a time (ms)\n"
            "studies.csv:5:1: time.end: '3 mm' is not a time (ms)",
            NULL);
    refused("time.end\n", "studies.csv:2:1: no row follows the names", NULL);
    refused("time.end,time\n1 ms,{end: 2 ms}\n",
            "studies.csv:1:10: 'time' and 'time.end' give the same value", NULL);
    refused("time.end\n1 ms\n2 ms\n3 ms\n", "--set stimuli[0].duration: '1 mm' is not a time (ms)", /* once */
            (const char *[]){"--set", "stimuli[0].duration=1 mm", NULL});
    static const char *const bad[] = {"0/3", "4/3", "1", "1/3x", "1/"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[200];
        snprintf(text, sizeof text, "--part: '%s' is not a part such as 3/64, from 1/64 on", bad[k]);
        refused("time.end\n1 ms\n", text, (const char *[]){"--part", bad[k], NULL});
    }
    static const char *const halvings[] = {"0", "0,0,0", "0,x", "0;0"};
    for (size_t k = 0; k < sizeof halvings / sizeof *halvings; k++)
        refused("time.end\n1 ms\n2 ms\n", "--halvings: a number for each run",
                (const char *[]){"--halvings", halvings[k], NULL});
    static char out[LONG], err[LONG];
    struct error error;
    CHECK(sweep(out, err, &error,
                (const char *[]){"studies.yaml", "--set", "sweep={time.end: [1 ms, 2 mm]}", NULL}) ==
                  STATUS_INPUT &&
              strcmp(error.text, "--set sweep: time.end: '2 mm' is not a time (ms)") == 0,
          "%s", error.text);
    CHECK(sweep(out, err, &error, (const char *[]){"studies.yaml", NULL}) == STATUS_INPUT &&
              strcmp(error.text, "studies.yaml: describes one run; --table RUNS.csv gives the values of "
                                 "several, or lists in `sweep:`") == 0,
          "%s", error.text);
}

int main(void)
{
    put_file("studies_plain.yaml", config_text);
    for (int k = 0; k < 14; k++)
        check_study(k % 4 == 3);
    check_refusals();
    remove_all();
    return 0;
}
