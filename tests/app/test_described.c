/* test_described.c: all that `info` says of results and checkpoints, and `compare` of two of them, in words and as JSON: of files drawn at
 * random, whose texts are worked out, whole, from the numbers that were written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/io/result/output.h"
#include "app/util/command.h"
#include "app/util/json.h"
#include "tests/support/checkpoint_sample.h"
#include "tests/support/mesh_sample.h"

enum { FRAMES = 4, NODES = 64, ARRAYS = 6, PROBES = 2, LONG = 1 << 16 };

/* What a file holds. Arrays: V and m/Cai in time, two maps, fiber and region of the cells; a width of 0: none */
struct drawn {
    const char *path;
    struct mesh mesh;
    int frames, rows, width[ARRAYS]; /* rows of the probes */
    double time[FRAMES], value[ARRAYS][FRAMES][6 * NODES];
    double probe_time[FRAMES], probe[FRAMES * PROBES], valid_to;
    const char *unit;
    double thresholds[2][2];
    int regions;
};

static const char *const name[ARRAYS] = {"V", "activation_time", "apd90", "m/Cai", "fiber", "region"};
static uint64_t number;

static int draw(int below)
{
    return (int)(bits_random(++number) * below);
}

/* A number that prints and adds up without rounding */
static double eighths(void)
{
    return 0.125 * (draw(400) - 200);
}

static bool in_time(int a)
{
    return a == 0 || a == 3;
}

static int64_t values_of(const struct drawn *d, int a)
{
    return d->width[a] * (a < 4 ? d->mesh.nodes : d->mesh.elements);
}

static void draw_file(struct drawn *d, const char *path)
{
    const int dimension = 1 + draw(3), edges[3] = {1 + draw(3), 1 + draw(2), 1 + draw(2)};
    *d = (struct drawn){.path = path,
                        .mesh = mesh_sample_lattice(dimension, edges, (const double[]){0.25, 0.5, 0.75}),
                        .frames = 1 + draw(FRAMES),
                        .rows = draw(FRAMES),
                        .width = {1, 1, 2, 1, 3, 1},
                        .valid_to = 0.5 * draw(9),
                        .unit = draw(2) ? "mM" : "1",
                        .regions = draw(3)};
    mesh_sample_directions(&d->mesh, LOCATION_ELEMENT, false);
    for (int64_t e = 0; e < d->mesh.elements; e++)
        d->mesh.fiber[3 * e] = 1;
    for (int k = 0; k < FRAMES; k++) {
        d->time[k] = 0.5 * k;
        d->probe_time[k] = 0.25 * k;
        for (int p = 0; p < PROBES; p++)
            d->probe[k * PROBES + p] = eighths();
    }
    for (int r = 0; r < 2; r++)
        d->thresholds[r][0] = -40.5 + r, d->thresholds[r][1] = -50;
    const int none = draw(3); /* of ten values of a map; 2: all */
    for (int a = 0; a < ARRAYS; a++)
        for (int k = 0; k < (in_time(a) ? d->frames : 1); k++)
            for (int64_t i = 0; i < values_of(d, a); i++)
                d->value[a][k][i] = a == 4                                                 ? i % 3 == 0
                                    : a == 5                                               ? d->mesh.tag[i]
                                    : (a == 1 || a == 2) && (none == 2 || draw(10) < none) ? NAN
                                                                                           : eighths();
}

static void write_file(const struct drawn *d)
{
    struct error error = {0};
    struct output *out;
    const struct output_field field[2] = {{"V", "mV", true}, {"m/Cai", d->unit, true}};
    const struct output_map map[2] = {{"activation_time", "ms", d->width[1]}, {"apd90", "ms", d->width[2]}};
    const struct table_column column[PROBES] = {{"a", "mV", {0, 0, 0}, 0}, {"b", "mV", {1, 0, 0}, 1}};
    double thresholds[2][2];
    memcpy(thresholds, d->thresholds, sizeof thresholds);
    struct output_params params = {.path = d->path,
                                   .mesh = &d->mesh,
                                   .field = field,
                                   .fields = 2,
                                   .map = map,
                                   .maps = d->width[2] > 0 ? 2 : 1,
                                   .thresholds = thresholds,
                                   .regions = d->regions,
                                   .column = {column},
                                   .columns = {d->rows > 0 ? PROBES : 0},
                                   .config = "version: 1\n# all\n",
                                   .program = "cardiac 7",
                                   .libraries = "some",
                                   .device = "cpu-x"};
    CHECK_OK(output_create(&out, &params, true, &error), error);
    for (int k = 0; k < d->frames; k++)
        CHECK_OK(
            output_append(out, d->time[k], (const double *const[]){d->value[0][k], d->value[3][k]}, &error),
            error);
    for (int k = 0; k < d->rows; k++)
        CHECK_OK(output_row(out, OUTPUT_PROBES, d->probe_time[k], d->probe + (ptrdiff_t)k * PROBES, &error),
                 error);
    for (int m = 0; m < params.maps; m++)
        CHECK_OK(output_map(out, m, d->value[1 + m][0], d->valid_to, &error), error);
    const struct output_number numbers[2] = {{"steps", 4711}, {"sweeps", 12.25}};
    CHECK_OK(output_close(out, numbers, 2, &error), error);
}

/* The command's output in text; its status */
static enum status call(enum status (*command)(int, char **, struct error *), char *text, struct error *error,
                        const char *const *word)
{
    char *argv[10] = {(char[]){"command"}};
    int argc = 1;
    for (; *word; word++)
        argv[argc++] = (char *)(uintptr_t)*word;
    fflush(stdout);
    const int kept = dup(1);
    CHECK(freopen("described.txt", "w", stdout), "freopen");
    *error = (struct error){0};
    const enum status status = command(argc, argv, error);
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    FILE *in = fopen("described.txt", "r");
    text[fread(text, 1, LONG - 1, in)] = 0;
    fclose(in);
    unlink("described.txt");
    return status;
}

static void same(const char *got, const char *want)
{
    CHECK(strcmp(got, want) == 0, "\n%s\nis not\n%s", got, want);
}

struct sum {
    double low, high, sum;
    int64_t none, values;
};

static struct sum sum_of(const struct drawn *d, int a)
{
    struct sum s = {INFINITY, -INFINITY, 0, 0, 0};
    for (int k = 0; k < (in_time(a) ? d->frames : 1); k++)
        for (int64_t i = 0; i < values_of(d, a); i++) {
            const double v = d->value[a][k][i];
            s.values++;
            if (isnan(v)) {
                s.none++;
                continue;
            }
            s.low = v < s.low ? v : s.low;
            s.high = v > s.high ? v : s.high;
            s.sum += v;
        }
    return s;
}

static const char *unit_of(const struct drawn *d, int a)
{
    return a == 0 ? "mV" : a < 3 ? "ms" : a == 3 ? d->unit : "1";
}

static void expect_info(const struct drawn *d)
{
    static char got[LONG], want[LONG];
    static const char *const kind[4] = {"", "line", "triangle", "tetrahedron"};
    static const char *const kinds[4] = {"", "lines", "triangles", "tetrahedra"};
    struct stat file;
    struct error error;
    double low[3] = {0}, high[3] = {0};
    for (int64_t i = 0; i < 3 * d->mesh.nodes; i++)
        high[i % 3] = fmax(high[i % 3], d->mesh.point[i]);
    CHECK(stat(d->path, &file) == 0, "%s", d->path);
    FILE *out = fmemopen(want, sizeof want, "w");
    fprintf(out, "result       %s, %.3g MB\nprogram      cardiac 7\nlibraries    some\ndevice       cpu-x\n",
            d->path, (double)file.st_size / 1e6);
    fprintf(out, "mesh         %lld nodes, %lld %s, (%g, %g, %g) to (%g, %g, %g) mm\n",
            (long long)d->mesh.nodes, (long long)d->mesh.elements,
            (d->mesh.elements == 1 ? kind : kinds)[d->mesh.dimension], low[0], low[1], low[2], high[0],
            high[1], high[2]);
    fprintf(out, "frames       %d, 0 to %g ms\narrays\n", d->frames, d->time[d->frames - 1]);
    for (int a = 0; a < ARRAYS; a++) {
        const struct sum s = sum_of(d, a);
        const char *unit = unit_of(d, a);
        if (d->width[a] == 0)
            continue;
        fprintf(out, "  %-20s %-10s", name[a], in_time(a) ? "in time" : a < 4 ? "points" : "cells");
        if (s.none < s.values)
            fprintf(out, " %.6g to %.6g%s%s, mean %.6g", s.low, s.high, strcmp(unit, "1") ? " " : "",
                    strcmp(unit, "1") ? unit : "", s.sum / (double)(s.values - s.none));
        if (s.none > 0)
            fprintf(out, "%s %lld of %lld without a value", s.none < s.values ? "," : "", (long long)s.none,
                    (long long)s.values);
        if (a == 1 || a == 2) {
            fprintf(out, ", up to %g ms", d->valid_to);
            for (int r = 0; r < d->regions; r++)
                fprintf(out, r ? ", %g mV" : ", threshold %g mV", d->thresholds[r][0]);
        }
        fputc('\n', out);
    }
    fputs("numbers\n  steps                        4711\n  sweeps                       12.25\n(its config: "
          "cardiac info --config)\n",
          out);
    fclose(out);
    CHECK_OK(call(command_info, got, &error, (const char *[]){d->path, NULL}), error);
    same(got, want);
    CHECK_OK(call(command_info, got, &error, (const char *[]){d->path, "--config", NULL}), error);
    same(got, "version: 1\n# all\n");
    CHECK_OK(call(command_info, got, &error, (const char *[]){d->path, "--json", NULL}), error);
    char *sha = strstr(got, ", \"mesh_sha256\": \""), hex[65] = "";
    CHECK(sha && strspn(sha + 18, "0123456789abcdef") == 64, "%s", got);
    memcpy(hex, sha + 18, 64);
    out = fmemopen(want, sizeof want, "w");
    struct json json = json_line(out);
    json_open(&json, NULL, '{');
    json_text(&json, "result", d->path);
    json_number(&json, "bytes", (double)file.st_size);
    json_text(&json, "program", "cardiac 7");
    json_text(&json, "libraries", "some");
    json_text(&json, "device", "cpu-x");
    json_text(&json, "mesh_sha256", hex);
    json_integer(&json, "nodes", d->mesh.nodes);
    json_integer(&json, "elements", d->mesh.elements);
    json_integer(&json, "dimension", d->mesh.dimension);
    json_open(&json, "box", '[');
    for (int k = 0; k < 6; k++)
        json_number(&json, NULL, k < 3 ? low[k] : high[k - 3]);
    json_close(&json);
    json_flag(&json, "growing", false);
    json_open(&json, "times", '[');
    for (int k = 0; k < d->frames; k++)
        json_number(&json, NULL, d->time[k]);
    json_close(&json);
    json_open(&json, "arrays", '[');
    for (int a = 0; a < ARRAYS; a++) {
        const struct sum s = sum_of(d, a);
        if (d->width[a] == 0)
            continue;
        json_open(&json, NULL, '{');
        json_text(&json, "name", name[a]);
        json_text(&json, "unit", unit_of(d, a));
        json_flag(&json, "in_time", in_time(a));
        json_text(&json, "at", a < 4 ? "points" : "cells");
        json_integer(&json, "components", d->width[a]);
        json_number(&json, "low", s.low);
        json_number(&json, "high", s.high);
        json_number(&json, "mean", s.none < s.values ? s.sum / (double)(s.values - s.none) : NAN);
        json_integer(&json, "values", s.values);
        json_integer(&json, "without_value", s.none);
        if (a == 1 || a == 2)
            json_number(&json, "valid_to", d->valid_to);
        if ((a == 1 || a == 2) && d->regions > 0) {
            json_open(&json, "thresholds", '[');
            for (int r = 0; r < d->regions; r++)
                json_number(&json, NULL, d->thresholds[r][0]);
            json_close(&json);
        }
        json_close(&json);
    }
    json_close(&json);
    json_open(&json, "numbers", '{');
    json_number(&json, "steps", 4711);
    json_number(&json, "sweeps", 12.25);
    json_close(&json);
    json_close(&json);
    fclose(out);
    same(got, want);
}

/* What two rows of values differ by: the largest, the first place of it, the sum of squares, how many have other bits */
struct apart {
    double max, sum;
    int64_t where, bits;
};

static struct apart apart_of(const double *x, const double *y, int64_t n)
{
    struct apart d = {0, 0, -1, 0};
    for (int64_t i = 0; i < n; i++) {
        const double by = isnan(x[i]) && isnan(y[i])   ? 0
                          : isnan(x[i]) || isnan(y[i]) ? INFINITY
                                                       : fabs(x[i] - y[i]);
        if (by == 0 && (isnan(x[i]) || signbit(x[i]) == signbit(y[i])))
            continue;
        d.bits++;
        d.sum += by * by;
        if (d.where < 0 || by > d.max) {
            d.max = by;
            d.where = i;
        }
    }
    return d;
}

/* One comparison as it is printed, without what follows in words; counts it */
static void put_apart(FILE *out, bool as_json, const char *array, double time, const struct apart *d,
                      int64_t n, double tolerance, int64_t counts[2])
{
    const bool within = tolerance > 0 ? d->max <= tolerance : d->bits == 0;
    const double rms = sqrt(d->sum / (double)n);
    counts[0]++;
    counts[1] += !within;
    if (as_json) {
        struct json json = json_line(out);
        json_open(&json, NULL, '{');
        json_text(&json, "array", array);
        json_number(&json, "time", time);
        json_number(&json, "max", d->max);
        json_number(&json, "rms", rms);
        json_integer(&json, "where", d->where);
        json_integer(&json, "bits", d->bits);
        json_flag(&json, "within", within);
        json_close(&json);
        return;
    }
    if (isnan(time))
        fprintf(out, "%-20s %15s", array, "");
    else
        fprintf(out, "%-20s %12.10g ms", array, time);
    fprintf(out, "  max %-12.6g rms %-12.6g", d->max, rms);
    if (d->bits > 0 && d->max == 0)
        fputs(" only the sign of zero differs", out);
}

static void put_alone(FILE *out, bool as_json, int64_t counts[2], const char *text)
{
    counts[0]++;
    counts[1]++;
    if (as_json)
        fprintf(out, "{\"alone\": \"%s\", \"within\": false}\n", text);
    else
        fprintf(out, "%s\n", text);
}

static void expect_verdict(FILE *out, char want[4096], bool as_json, const char *a, const char *b,
                           double tolerance, const int64_t counts[2])
{
    if (as_json) {
        struct json json = json_line(out);
        json_open(&json, NULL, '{');
        json_flag(&json, "equal", counts[1] == 0);
        json_number(&json, "tolerance", tolerance);
        json_integer(&json, "compared", counts[0]);
        json_integer(&json, "apart", counts[1]);
        json_close(&json);
    } else if (counts[1] == 0) {
        if (tolerance > 0)
            fprintf(out, "equal within %g (%lld compared)\n", tolerance, (long long)counts[0]);
        else
            fprintf(out, "equal (%lld compared)\n", (long long)counts[0]);
    }
    fclose(out);
    *want = 0;
    if (counts[1] > 0 && tolerance > 0)
        snprintf(want, 4096, "%s and %s differ: %lld of %lld comparisons exceed %g", a, b,
                 (long long)counts[1], (long long)counts[0], tolerance);
    else if (counts[1] > 0)
        snprintf(want, 4096, "%s and %s differ: %lld of %lld comparisons are not bit-identical", a, b,
                 (long long)counts[1], (long long)counts[0]);
}

static void expect_compare(const struct drawn *a, const struct drawn *b, double tolerance, int only,
                           bool as_json)
{
    static char got[LONG], want[LONG];
    char text[300], message[4096], tolerated[40];
    int64_t counts[2] = {0, 0};
    struct error error;
    FILE *out = fmemopen(want, sizeof want, "w");
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (k ? b : a)->frames; i++) {
            const struct drawn *one = k ? b : a, *other = k ? a : b;
            bool has = false;
            for (int j = 0; j < other->frames; j++)
                has |= other->time[j] == one->time[i];
            snprintf(text, sizeof text, "%.10g ms is in %s alone", one->time[i], one->path);
            if (!has)
                put_alone(out, as_json, counts, text);
        }
    for (int r = 0; r < ARRAYS; r++) {
        if ((only >= 0 && only != r) || a->width[r] == 0)
            continue;
        if (b->width[r] == 0) {
            snprintf(text, sizeof text, "%-20s is in %s alone", name[r], a->path);
            put_alone(out, as_json, counts, text);
            continue;
        }
        if (a->width[r] != b->width[r]) {
            snprintf(text, sizeof text, "%-20s is another kind of array in the two files", name[r]);
            put_alone(out, as_json, counts, text);
            continue;
        }
        if (strcmp(unit_of(a, r), unit_of(b, r)) != 0) {
            snprintf(text, sizeof text, "%-20s is in '%s' in %s, in '%s' in %s", name[r], unit_of(a, r),
                     a->path, unit_of(b, r), b->path);
            put_alone(out, as_json, counts, text);
        }
        for (int k = 0; k < (in_time(r) ? a->frames : 1); k++) {
            int j = 0;
            while (in_time(r) && j < b->frames && b->time[j] != a->time[k])
                j++;
            if (in_time(r) && j == b->frames)
                continue;
            const int64_t n = values_of(a, r);
            const struct apart d = apart_of(a->value[r][k], b->value[r][j], n);
            put_apart(out, as_json, name[r], in_time(r) ? a->time[k] : NAN, &d, n, tolerance, counts);
            if (!as_json && d.where >= 0) {
                const int64_t row = d.where / a->width[r],
                              i = r < 4 ? row : a->mesh.vertex[row * (a->mesh.dimension + 1)];
                fprintf(out, " at %s %lld (%.6g, %.6g, %.6g) mm", r < 4 ? "node" : "cell", (long long)row,
                        a->mesh.point[3 * i], a->mesh.point[3 * i + 1], a->mesh.point[3 * i + 2]);
            }
            if (!as_json)
                fputc('\n', out);
        }
    }
    for (int r = 0; r < ARRAYS; r++)
        if ((only < 0 || only == r) && a->width[r] == 0 && b->width[r] > 0) {
            snprintf(text, sizeof text, "%-20s is in %s alone", name[r], b->path);
            put_alone(out, as_json, counts, text);
        }
    if (only < 0 && a->rows + b->rows > 0) {
        const int64_t n = (int64_t)a->rows * PROBES;
        if (a->rows == 0 || b->rows == 0) {
            snprintf(text, sizeof text, "%-20s is in %s alone", "probes", a->rows > 0 ? a->path : b->path);
            put_alone(out, as_json, counts, text);
        } else if (a->rows != b->rows ||
                   memcmp(a->probe_time, b->probe_time, (size_t)a->rows * sizeof(double)) != 0) {
            snprintf(text, sizeof text, "%-20s has other columns or times in %s and %s", "probes", a->path,
                     b->path);
            put_alone(out, as_json, counts, text);
        } else {
            const struct apart d = apart_of(a->probe, b->probe, n);
            put_apart(out, as_json, "probes", NAN, &d, n, tolerance, counts);
            if (!as_json && d.where >= 0)
                fprintf(out, " in column %lld at %.10g ms", (long long)(d.where % PROBES) + 1,
                        a->probe_time[d.where / PROBES]);
            if (!as_json)
                fputc('\n', out);
        }
    }
    expect_verdict(out, message, as_json, a->path, b->path, tolerance, counts);
    const char *word[10] = {a->path, b->path};
    int words = 2;
    snprintf(tolerated, sizeof tolerated, "%g", tolerance);
    if (tolerance > 0)
        word[words++] = "--tolerance", word[words++] = tolerated;
    if (only >= 0)
        word[words++] = "--field", word[words++] = name[only];
    if (as_json)
        word[words++] = "--json";
    const enum status status = call(command_compare, got, &error, word);
    same(got, want);
    CHECK(status == (counts[1] > 0 ? STATUS_DIFFERS : STATUS_OK), "status %d", status);
    same(error.text, message);
}

/* b <- a with some values, times, units, widths and rows changed, at random */
static void vary(struct drawn *b, const struct drawn *a)
{
    const char *path = b->path;
    *b = *a;
    b->path = path;
    for (int k = draw(5); k > 0; k--) {
        const int r = draw(5), frame = in_time(r) ? draw(b->frames) : 0;
        const int64_t i = r == 4 ? draw((int)b->mesh.elements) * 3 : draw((int)values_of(b, r));
        double *v = &b->value[r == 4 ? 5 : r][frame][r == 4 ? i / 3 : i];
        if (r == 4) { /* a region's number */
            *v += 1;
            b->mesh.tag[i / 3]++;
        } else {
            *v = draw(6) == 0 ? NAN : *v == 0 && draw(2) ? -*v : *v + 0.125 * (1 + draw(8));
        }
    }
    if (draw(3) == 0)
        b->value[0][0][0] = -b->value[0][0][0];
    if (draw(5) == 0)
        b->frames = 1 + draw(a->frames);
    if (draw(5) == 0)
        b->time[b->frames - 1] += 0.25;
    if (draw(5) == 0)
        b->unit = strcmp(a->unit, "1") ? "1" : "mM";
    if (draw(5) == 0)
        b->width[2] = 0;
    if (draw(5) == 0)
        b->rows = draw(FRAMES);
    if (draw(6) == 0)
        b->probe_time[0] -= 0.125;
    if (draw(2))
        b->probe[draw(FRAMES * PROBES)] += 0.5;
}

static void check_results(void)
{
    static struct drawn a, b;
    for (int k = 0; k < 14; k++) {
        draw_file(&a, "described_a.vtkhdf");
        if (draw(4) == 0) /* of zeros, whose sign may differ */
            a.value[0][0][0] = 0;
        write_file(&a);
        if (k % 3 == 0)
            expect_info(&a);
        b.path = "described_b.vtkhdf";
        struct mesh mesh = a.mesh;
        const size_t bytes = (size_t)mesh.elements * sizeof *mesh.tag;
        int32_t *tag = malloc(bytes);
        memcpy(tag, mesh.tag, bytes);
        vary(&b, &a); /* shares the mesh, whose tags it changes */
        write_file(&b);
        memcpy(mesh.tag, tag, bytes);
        free(tag);
        const int only = draw(3) ? -1 : draw(2) ? 0 : 5;
        expect_compare(&a, &b, draw(2) ? 0 : 0.125 * (1 + draw(6)), only, k % 2);
        if (b.width[2] > 0 || only >= 0)
            expect_compare(&b, &a, 0, only, !(k % 2));
        mesh_free(&mesh);
    }
    unlink(a.path);
    unlink(b.path);
    unlink("described_a.xdmf");
    unlink("described_b.xdmf");
}

/* Arrays of a checkpoint: of doubles, floats and whole numbers; probe_beats, of which others are not compared; count 0: none */
enum { STATES = 4 };

struct state {
    char path[60];
    struct checkpoint_head head;
    int count[STATES];
    double value[STATES][NODES];
};

static const char *const state_name[STATES] = {"V", "m/h", "count", "probe_beats"};
static const enum checkpoint_type state_type[STATES] = {CHECKPOINT_DOUBLE, CHECKPOINT_FLOAT, CHECKPOINT_INT32,
                                                        CHECKPOINT_DOUBLE};

static void write_state(struct state *s, const char *folder)
{
    struct checkpoint *checkpoint;
    struct error error = {0};
    float single[NODES];
    int32_t whole[NODES];
    mkdir(folder, 0777);
    snprintf(s->path, sizeof s->path, "%s/checkpoint-%lld.h5", folder, (long long)s->head.step);
    unlink(s->path);
    CHECK_OK(checkpoint_create(&checkpoint, folder, &s->head, &error), error);
    for (int r = 0, k = 0; r < STATES; r++) {
        for (int i = 0; i < s->count[r]; i++) {
            single[i] = (float)s->value[r][i];
            whole[i] = r == 2 ? (int32_t)s->value[r][i] : 0;
        }
        if (s->count[r] > 0)
            checkpoint_sample_put(checkpoint, k++, state_name[r], state_type[r], s->count[r],
                                  r == 1   ? (const void *)single
                                  : r == 2 ? (const void *)whole
                                           : (const void *)s->value[r]);
    }
    CHECK_OK(checkpoint_commit(checkpoint, 1, &error), error);
    checkpoint_close(checkpoint);
}

static void expect_info_of(const struct state *s)
{
    static char got[LONG], want[LONG], list[LONG];
    static const char *const types[] = {"float64", "float32", "int32"};
    struct error error;
    FILE *out = fmemopen(want, sizeof want, "w"), *as_json = fmemopen(list, sizeof list, "w");
    struct json json = json_line(as_json);
    json_open(&json, NULL, '{');
    json_text(&json, "checkpoint", s->path);
    json_integer(&json, "step", s->head.step);
    json_number(&json, "time", s->head.time);
    json_text(&json, "program", s->head.program);
    json_text(&json, "device", s->head.backend);
    json_text(&json, "config_sha256", s->head.config_sha256);
    json_text(&json, "mesh_sha256", s->head.mesh_sha256);
    json_open(&json, "arrays", '[');
    fprintf(out,
            "checkpoint   %s, undamaged\nstep         %lld, %g ms, %d increments of history\nprogram      "
            "%s, %s\n",
            s->path, (long long)s->head.step, s->head.time, s->head.history, s->head.program,
            s->head.backend);
    fprintf(out, "config       %s\nmesh         %s\narrays\n", s->head.config_sha256, s->head.mesh_sha256);
    for (int r = 0; r < STATES; r++) {
        double low = INFINITY, high = -INFINITY, sum = 0;
        int64_t none = 0;
        for (int i = 0; i < s->count[r]; i++) {
            const double v = s->value[r][i];
            none += isnan(v);
            low = v < low ? v : low;
            high = v > high ? v : high;
            sum += isnan(v) ? 0 : v;
        }
        if (s->count[r] == 0)
            continue;
        fprintf(out, "  %-24s %-8s %10d", state_name[r], types[state_type[r]], s->count[r]);
        if (none < s->count[r] && r != 2)
            fprintf(out, "  %.6g to %.6g", low, high);
        fputc('\n', out);
        json_open(&json, NULL, '{');
        json_text(&json, "name", state_name[r]);
        json_text(&json, "type", types[state_type[r]]);
        json_number(&json, "low", low);
        json_number(&json, "high", high);
        json_number(&json, "mean", sum / (double)(s->count[r] - none));
        json_integer(&json, "values", s->count[r]);
        json_integer(&json, "without_value", none);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    fclose(out);
    fclose(as_json);
    CHECK_OK(call(command_info, got, &error, (const char *[]){s->path, NULL}), error);
    same(got, want);
    CHECK_OK(call(command_info, got, &error, (const char *[]){s->path, "--json", NULL}), error);
    same(got, list);
}

static void expect_states(const struct state *a, const struct state *b, double tolerance, int only,
                          bool as_json)
{
    static char got[LONG], want[LONG];
    char text[300], message[4096], tolerated[40];
    const char *word[10] = {a->path, b->path};
    int words = 2;
    int64_t counts[2] = {0, 0};
    struct error error;
    FILE *out = fmemopen(want, sizeof want, "w");
    snprintf(tolerated, sizeof tolerated, "%g", tolerance);
    if (tolerance > 0)
        word[words++] = "--tolerance", word[words++] = tolerated;
    if (only >= 0)
        word[words++] = "--field", word[words++] = state_name[only];
    if (as_json)
        word[words++] = "--json";
    if (only >= 0 && (a->count[only] == 0 || b->count[only] == 0)) {
        fclose(out);
        CHECK(call(command_compare, got, &error, word) == STATUS_INPUT, "not refused");
        snprintf(message, sizeof message, "%s has no variable '%s'", a->count[only] == 0 ? a->path : b->path,
                 state_name[only]);
        same(error.text, message);
        return;
    }
    if (a->head.step != b->head.step || a->head.time != b->head.time) {
        snprintf(text, sizeof text, "step %lld (%g ms) in %s, %lld (%g ms) in %s", (long long)a->head.step,
                 a->head.time, a->path, (long long)b->head.step, b->head.time, b->path);
        put_alone(out, as_json, counts, text);
    }
    if (a->head.history != b->head.history) {
        snprintf(text, sizeof text, "%d increments of history in %s, %d in %s", a->head.history, a->path,
                 b->head.history, b->path);
        put_alone(out, as_json, counts, text);
    }
    const bool others = a->count[3] != b->count[3];
    if (others && !as_json)
        fprintf(out, "%-20s of other nodes: not compared\n", "probe_beats");
    for (int r = 0; r < STATES; r++) {
        if ((only >= 0 && only != r) || a->count[r] == 0 || (r == 3 && others && only < 0))
            continue;
        if (b->count[r] == 0) {
            snprintf(text, sizeof text, "%-20s is in %s alone", state_name[r], a->path);
            put_alone(out, as_json, counts, text);
            continue;
        }
        if (a->count[r] != b->count[r]) {
            snprintf(text, sizeof text, "%-20s has %d values in %s, %d in %s", state_name[r], a->count[r],
                     a->path, b->count[r], b->path);
            put_alone(out, as_json, counts, text);
            continue;
        }
        const struct apart d = apart_of(a->value[r], b->value[r], a->count[r]);
        put_apart(out, as_json, state_name[r], NAN, &d, a->count[r], tolerance, counts);
        if (!as_json && d.where >= 0)
            fprintf(out, " at value %lld of %d", (long long)d.where, a->count[r]);
        if (!as_json)
            fputc('\n', out);
    }
    for (int r = 0; r < STATES; r++)
        if (only < 0 && a->count[r] == 0 && b->count[r] > 0 && r < 3) {
            snprintf(text, sizeof text, "%-20s is in %s alone", state_name[r], b->path);
            put_alone(out, as_json, counts, text);
        }
    expect_verdict(out, message, as_json, a->path, b->path, tolerance, counts);
    const enum status status = call(command_compare, got, &error, word);
    same(got, want);
    CHECK(status == (counts[1] > 0 ? STATUS_DIFFERS : STATUS_OK), "status %d", status);
    same(error.text, message);
}

static void check_checkpoints(void)
{
    static struct state a, b;
    char got[LONG];
    struct error error;
    for (int k = 0; k < 16; k++) {
        a = (struct state){
            .head = {.step = 100 + k, .time = 12.5 * k, .history = draw(3), .ids = CHECKPOINT_IDS}};
        snprintf(a.head.program, sizeof a.head.program, "cardiac %d", k);
        snprintf(a.head.backend, sizeof a.head.backend, "cpu-%d", k);
        snprintf(a.head.config_sha256, sizeof a.head.config_sha256, "%064d", k);
        snprintf(a.head.mesh_sha256, sizeof a.head.mesh_sha256, "%064d", 7);
        for (int r = 0; r < STATES; r++) {
            a.count[r] = draw(5) ? 1 + draw(NODES) : r < 1;
            const bool none = draw(6) == 0;
            for (int i = 0; i < a.count[r]; i++)
                a.value[r][i] = r == 2 ? draw(1000) - 500 : none || draw(9) == 0 ? NAN : eighths();
        }
        write_state(&a, "described_a");
        expect_info_of(&a);
        b = a;
        if (draw(4) == 0)
            b.head.step += 5, b.head.time += draw(2);
        if (draw(4) == 0)
            b.head.history++;
        for (int r = 0; r < STATES; r++) {
            if (draw(5) == 0)
                b.count[r] = r > 0 ? draw(2) * draw(NODES) : b.count[r];
            if (b.count[r] > 0 && draw(2))
                b.value[r][draw(b.count[r])] += r == 2 ? 1 : 0.125 * (1 + draw(6));
        }
        write_state(&b, "described_b");
        expect_states(&a, &b, draw(2) ? 0 : 0.125 * (1 + draw(6)), draw(2) ? -1 : draw(STATES), k % 2);
        expect_states(&b, &a, 0, -1, !(k % 2));
        unlink(b.path);
    }
    b.head.mesh_sha256[5] = '9';
    write_state(&b, "described_b");
    CHECK(call(command_compare, got, &error, (const char *[]){a.path, b.path, NULL}) == STATUS_INPUT,
          "another mesh");
    char want[300];
    snprintf(want, sizeof want, "the meshes of %s and %s differ", a.path, b.path);
    same(error.text, want);
    unlink(a.path);
    unlink(b.path);
    rmdir("described_a");
    rmdir("described_b");
}

int main(void)
{
    check_results();
    check_checkpoints();
    return 0;
}
