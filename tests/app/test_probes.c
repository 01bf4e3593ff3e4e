/* test_probes.c: nearest nodes, probes outside, the CSV's exact text, and progress lines.
 */
#include "app/io/result/probes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/util/progress.h"
#include "tests/support/mesh_sample.h"

static const char path[] = "test_probes.csv";

static void locate(void)
{
    struct mesh mesh = mesh_sample_box(3, 4, 5); /* nodes at multiples of 0.1, 0.2, 0.3 mm */
    struct error error = {0};
    struct probe probe[3] = {{.name = "A", .point = {0.1, 0.4, 0.6}},
                             {.name = "B", .point = {0.16, 0.0, 0.0}},
                             {.name = "C", .point = {0.3, 0.8, 1.7}}};
    CHECK_OK(probes_locate(probe, 3, &mesh, &error), error);
    CHECK(probe[0].node == 1 + 2 * 4 + 2 * 20, "A at node %d", (int)probe[0].node);
    CHECK_CLOSE(probe[0].distance, 0.0, 1e-15);
    CHECK(probe[1].node == 2, "B at node %d", (int)probe[1].node);
    CHECK_CLOSE(probe[1].distance, 0.04, 1e-15);
    CHECK(probe[2].node == mesh.nodes - 1, "C at node %d", (int)probe[2].node);
    struct probe far = {.name = "far", .point = {0.3, 0.8, 1.9}}; /* 0.4 mm off; the longest edge has 0.374 */
    CHECK(probes_locate(&far, 1, &mesh, &error) == STATUS_INPUT && strstr(error.text, "far"), "%s",
          error.text);
    far.point[0] = NAN;
    CHECK(probes_locate(&far, 1, &mesh, &error) == STATUS_INPUT, "a point that is no number");
    mesh_free(&mesh);
}

static void check_text(const char *want)
{
    char got[500] = "";
    FILE *in = fopen(path, "r");
    CHECK(in, "no file");
    got[fread(got, 1, sizeof got - 1, in)] = '\0';
    fclose(in);
    CHECK(strcmp(got, want) == 0, "got:\n%swant:\n%s", got, want);
}

static void csv(void)
{
    static const struct table_column column[2] = {{.name = "P1", .unit = "mV"},
                                                  {.name = "a,\"b\"", .unit = "1"}};
    struct error error = {0};
    struct probes *probes;
    CHECK_OK(probes_create(&probes, path, column, 2, &error), error);
    CHECK_OK(probes_row(probes, 0, (double[2]){-85.23, 0.1}, &error), error);
    CHECK_OK(probes_row(probes, 1, (double[2]){1.0 / 3, NAN}, &error), error);
    check_text("time (ms),P1 (mV),\"a,\"\"b\"\"\"\n0,-85.23,0.1\n1,0.3333333333333333,nan\n");
    CHECK_OK(probes_row(probes, 1, (double[2]){5, 6}, &error), error);
    CHECK_OK(probes_sync(probes, &error), error);
    CHECK_OK(probes_close(probes, &error), error);
    check_text("time (ms),P1 (mV),\"a,\"\"b\"\"\"\n0,-85.23,0.1\n1,0.3333333333333333,nan\n");
}

/* Steps times their length come a bit above or below what is meant: they are written as meant. The file takes
 * the place of another. */
static void round_times(void)
{
    static const struct table_column column[2] = {{.name = "P1", .unit = "mV"}, {.name = "w", .unit = "1"}};
    const double above = 3 * 0.05, below = 100 * 4.35;
    struct error error = {0};
    struct probes *probes;
    CHECK(above > 0.15 && below < 435, "these are exact here");
    CHECK_OK(probes_create(&probes, path, column, 2, &error), error);
    CHECK_OK(probes_row(probes, above, (double[2]){3, 4}, &error), error);
    CHECK_OK(probes_row(probes, below, (double[2]){1e-300, -0.0}, &error), error);
    CHECK_OK(probes_close(probes, &error), error);
    check_text("time (ms),P1 (mV),w\n0.15,3,4\n435,1e-300,-0\n");
    unlink(path);
}

static void progress(void)
{
    char text[200];
    progress_text(text, sizeof text, 12.5, 60, 500, 2.5, 20);
    CHECK(!strcmp(text, "12.5 of 60 ms (20.8 %), 40 ms/step, 0.0005 x real time, 1:35 left"), "%s", text);
    progress_text(text, sizeof text, 0, 60, 0, 0, 0);
    CHECK(!strcmp(text, "0 of 60 ms (0.0 %)"), "%s", text);
    progress_text(text, sizeof text, 1, 7201, 10, 0, 1);
    CHECK(strstr(text, " 2:00:00 left"), "%s", text);
}

int main(void)
{
    locate();
    csv();
    round_times();
    progress();
    return 0;
}
