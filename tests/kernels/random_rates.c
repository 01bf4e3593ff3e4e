/* random_rates.c: what one step adds to V and to each state of a compiled text, in its four ways.
 *
 * random_rates LIBRARY dt < POINTS > INCREMENTS: LIBRARY is made of random_unit.c. POINTS are doubles: how
 * many sets of parameters and how many points there are, then of each set its parameters, and of each point V
 * and the states. INCREMENTS are those of double, mixed, double with tables and mixed with tables, each for
 * every set and point. */
#include <dlfcn.h>
#include <stdlib.h>

#include "kernels/ionic/ionic.h"
#include "tests/support/check.h"

static void read_doubles(double *out, size_t count)
{
    CHECK(fread(out, sizeof *out, count, stdin) == count, "the points end too early");
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    CHECK(memory, "no memory");
    return memory;
}

/* One step of cells at points[count][1 + states], and what it adds, to stdout */
static void step(const struct ionic_model *model, const double *parameter, bool mixed, bool tables, double dt,
                 const double *points, int count)
{
    _Alignas(64) static unsigned char constants[IONIC_CONSTANTS_BYTES];
    const int states = model->states, lanes = model->plain->lanes;
    const size_t stride = (size_t)((count + lanes - 1) / lanes * lanes), rows = (size_t)states;
    double *v = zeroed(stride, sizeof *v), *stimulus = zeroed(stride, sizeof *stimulus);
    double *state64 = zeroed(rows * stride, sizeof *state64);
    float *state32 = zeroed(rows * stride, sizeof *state32);
    struct ionic_table table = {0};
    struct error error;
    if (tables && model->columns)
        CHECK_OK(ionic_table_build(&table, model, parameter, mixed, dt, IONIC_TABLE_PER_MV, &error), error);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            const double *at = points + i * (1 + states);
            double out = v[i] - at[0];
            CHECK(pass == 0 || fwrite(&out, sizeof out, 1, stdout) == 1, "no output");
            v[i] = at[0];
            for (int s = 0; s < states; s++) {
                struct ionic_layout layout = ionic_layout(model, mixed, s);
                const size_t k = (size_t)layout.row * stride + (size_t)i;
                out = (layout.fp32 ? (double)state32[k] : state64[k]) - at[1 + s];
                CHECK(pass == 0 || fwrite(&out, sizeof out, 1, stdout) == 1, "no output");
                if (layout.fp32)
                    state32[k] = (float)at[1 + s];
                else
                    state64[k] = at[1 + s];
            }
        }
        const struct ionic_block block = {(int)stride, (int64_t)stride, v,    stimulus,
                                          state64,     state32,         NULL, NULL};
        model->constants[mixed](constants, parameter, dt);
        if (pass == 0)
            (table.value ? model->plain->tabled : model->plain->step)[mixed](&block, constants, &table);
    }
    ionic_table_free(&table);
    free(v), free(stimulus), free(state64), free(state32);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3, "random_rates LIBRARY dt");
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library, "%s", dlerror());
    const struct ionic_model *model = dlsym(library, "random_model");
    CHECK(model, "%s", dlerror());
    double counts[2];
    read_doubles(counts, 2);
    const size_t sets = (size_t)counts[0], count = (size_t)counts[1], values = 1 + (size_t)model->states;
    double *parameter = zeroed(sets * (size_t)model->parameters, sizeof *parameter);
    double *points = zeroed(sets * count * values, sizeof *points);
    read_doubles(parameter, sets * (size_t)model->parameters);
    read_doubles(points, sets * count * values);
    for (int way = 0; way < 4; way++)
        for (size_t s = 0; s < sets; s++)
            step(model, parameter + s * (size_t)model->parameters, way % 2, way / 2, strtod(argv[2], NULL),
                 points + s * count * values, (int)count);
    free(parameter);
    free(points);
    return 0;
}
