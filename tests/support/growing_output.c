/* growing_output.c: `growing_output FILE FRAMES RATE [DEFLATE]` writes a result of a few nodes at RATE frames
 * a second (0 = as fast as it can) for whoever reads it meanwhile or asks what a frame costs. Frame k is at
 * k/2 ms, V of node i in it is 1000 k + i, Cai is 2000 k + i. At 1,000, 10,000, ... frames a line prints how
 * many bytes and seconds each of them took since the line before. */
#include <stdlib.h>
#include <time.h>

#include "app/io/result/output.h"
#include "kernels/base/clock.h"
#include "tests/support/mesh_sample.h"

static const struct output_field fields[2] = {{"V", "mV", false}, {"Cai", "mM", true}};
static const struct output_map maps[1] = {{"activation_time", "ms", 2}};
static const struct table_column probes[2] = {{"P1", "mV", {0, 0, 0}, 0}, {"P2", "mM", {0, 0, 0}, 0}};

/* Bytes given to write(2) and its like so far */
static double written(void)
{
    char line[100];
    double bytes = 0;
    FILE *in = fopen("/proc/self/io", "r");
    while (in && fgets(line, sizeof line, in))
        sscanf(line, "wchar: %lf", &bytes);
    if (in)
        fclose(in);
    return bytes;
}

static void append(struct output *out, int64_t nodes, double *const *value, int k)
{
    struct error error = {0};
    for (int64_t i = 0; i < nodes; i++) {
        value[0][i] = 1000.0 * k + (double)i;
        value[1][i] = 2000.0 * k + (double)i;
    }
    double row[2] = {value[0][0], value[1][0]};
    CHECK_OK(output_row(out, OUTPUT_PROBES, 0.5 * k, row, &error), error);
    CHECK_OK(output_append(out, 0.5 * k, (const double *const *)value, &error), error);
}

static void wait_until(double time)
{
    double left = time - clock_seconds();
    if (left > 0)
        nanosleep(&(struct timespec){(time_t)left, (long)(1e9 * (left - (double)(time_t)left))}, NULL);
}

int main(int argc, char **argv)
{
    CHECK(argc > 3, "usage: growing_output FILE FRAMES RATE [DEFLATE]");
    int frames = atoi(argv[2]), next = 1000, last = 0;
    double rate = atof(argv[3]);
    struct mesh mesh = mesh_sample_box(5, 4, 3);
    struct output_params params = {.path = argv[1],
                                   .mesh = &mesh,
                                   .field = fields,
                                   .fields = 2,
                                   .map = maps,
                                   .maps = 1,
                                   .column = {probes},
                                   .columns = {2},
                                   .frames = frames,
                                   .config = "version: 1\n",
                                   .program = "cardiac",
                                   .libraries = "none",
                                   .device = "none",
                                   .deflate = argc > 4 ? atoi(argv[4]) : 0};
    struct output *out;
    struct error error = {0};
    double *value[2] = {calloc((size_t)mesh.nodes, 8), calloc((size_t)mesh.nodes, 8)};
    CHECK(value[0] && value[1], "no memory");
    CHECK_OK(output_create(&out, &params, true, &error), error);
    double start = clock_seconds(), then = start, synced = start, bytes = written();
    for (int k = 0; k < frames; k++) {
        if (clock_seconds() >= synced + 1) { /* as a run does */
            CHECK_OK(output_sync(out, &error), error);
            synced = clock_seconds();
        }
        append(out, mesh.nodes, value, k);
        if (k + 1 == next || k + 1 == frames) {
            double now = clock_seconds(), all = written();
            printf("frames %d to %d: %.0f bytes and %.1f us each\n", last, k + 1,
                   (all - bytes) / (k + 1 - last), 1e6 * (now - then) / (k + 1 - last));
            fflush(stdout);
            last = k + 1;
            next *= 10;
            bytes = all;
            then = now;
        }
        if (rate > 0)
            wait_until(start + (k + 1) / rate);
    }
    CHECK_OK(output_close(out, NULL, 0, &error), error);
    free(value[0]);
    free(value[1]);
    mesh_free(&mesh);
    return 0;
}
