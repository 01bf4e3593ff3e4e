/* registry.c: the descriptions of the ionic models, and initial states. */
#include "kernels/ionic/ionic.h"

#include <string.h>

#define IONIC_DESCRIPTIONS
#define IONIC_NARROW(name, unit, meaning, value) {#name, unit, value, false, meaning},
#define IONIC_WIDE(name, unit, meaning, value) {#name, unit, value, true, meaning},
#define IONIC_VALUE(name, unit, meaning, value) {#name, unit, value, false, meaning},
#define IONIC_NAME(name, unit, meaning) {#name, unit, 0, false, meaning},
#define IONIC_COUNT(array) (int)(sizeof(array) / sizeof *(array))
#include "kernels/ionic/formulas.h"

struct family {
    const struct ionic_model *model;
    int models;
};

static const struct family families[IONIC_KINDS] = {
#define FAMILY(formula) [KIND_##formula] = {formula##_models, IONIC_COUNT(formula##_models)},
    IONIC_FORMULAS(FAMILY)
#undef FAMILY
};

int ionic_models(void)
{
    int count = 0;
    for (int k = 0; k < IONIC_KINDS; k++)
        count += families[k].models;
    return count;
}

const struct ionic_model *ionic_model(int k)
{
    int kind = 0;
    while (k >= families[kind].models)
        k -= families[kind++].models;
    return &families[kind].model[k];
}

const struct ionic_model *ionic_find(const char *name)
{
    for (int k = 0; k < ionic_models(); k++)
        if (strcmp(ionic_model(k)->name, name) == 0)
            return ionic_model(k);
    return NULL;
}

int ionic_states64(const struct ionic_model *model, bool mixed)
{
    int count = 0;
    for (int k = 0; k < model->states; k++)
        count += !mixed || model->state[k].fp64;
    return count;
}

void ionic_initial(double *state64, float *state32, const struct ionic_model *model, bool mixed,
                   int64_t cells, int64_t stride)
{
    for (int k = 0; k < model->states; k++) {
        double value = model->state[k].value;
        if (mixed && !model->state[k].fp64) {
            for (int64_t i = 0; i < cells; i++)
                state32[i] = (float)value;
            state32 += stride;
        } else {
            for (int64_t i = 0; i < cells; i++)
                state64[i] = value;
            state64 += stride;
        }
    }
}
