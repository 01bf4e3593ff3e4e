/* sample_output.c: `sample_output FILE [frames [shift [deflate]]]` writes a small result, a wave
 * running through a box, for tests of what reads it. Its cells have 1 to 3 as region; V is shifted by `shift`
 * mV in the last frame at node 5. */
#include <stdlib.h>
#include <string.h>

#include "app/io/result/output.h"
#include "tests/support/mesh_sample.h"

static const struct output_field fields[2] = {{"V", "mV", false}, {"tp06-epi/Cai", "mM", true}};
static const struct output_map maps[2] = {{"activation_time", "ms", 1}, {"beats", "ms", 2}};

int main(int argc, char **argv)
{
    CHECK(argc > 1, "usage: sample_output FILE [frames [shift [deflate]]]");
    int frames = argc > 2 ? atoi(argv[2]) : 11;
    double shift = argc > 3 ? atof(argv[3]) : 0;
    struct mesh mesh = mesh_sample_box(20, 8, 4);
    for (int64_t e = 0; e < mesh.elements; e++)
        mesh.tag[e]++;
    for (int64_t k = 0; k < 3 * mesh.nodes; k++)
        mesh.point[k] = (float)mesh.point[k]; /* stored as such */
    struct output_params params = {.path = argv[1],
                                   .mesh = &mesh,
                                   .field = fields,
                                   .fields = 2,
                                   .map = maps,
                                   .maps = 2,
                                   .config = "version: 1\n",
                                   .program = "cardiac",
                                   .libraries = "none",
                                   .device = "none",
                                   .deflate = argc > 4 ? atoi(argv[4]) : 0};
    struct output *out;
    struct error error = {0};
    CHECK_OK(output_create(&out, &params, true, &error), error);
    double *v = calloc((size_t)mesh.nodes, sizeof *v), *c = calloc((size_t)mesh.nodes, sizeof *c);
    for (int k = 0; k < frames; k++) {
        for (int64_t i = 0; i < mesh.nodes; i++) {
            double x = mesh.point[3 * i];
            v[i] = -85 + 115 / (1 + exp(20 * (x - 0.2 * k + 0.05 * mesh.point[3 * i + 1])));
            c[i] = 1e-4 * (1 + x + k);
        }
        if (k == frames - 1)
            v[5] += shift;
        const double *value[2] = {v, c};
        CHECK_OK(output_append(out, k, value, &error), error);
    }
    for (int64_t i = 0; i < mesh.nodes; i++)
        v[i] = 5 * mesh.point[3 * i];
    v[mesh.nodes - 1] = NAN;
    CHECK_OK(output_map(out, 0, v, frames - 1, &error), error);
    struct output_number number = {"steps", 100};
    CHECK_OK(output_close(out, &number, 1, &error), error);
    free(v);
    free(c);
    mesh_free(&mesh);
    return 0;
}
