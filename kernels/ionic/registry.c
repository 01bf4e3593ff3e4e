/* registry.c: the list of the ionic models, and initial states. */
#include <string.h>

#include "kernels/ionic/ionic.h"

/* Every model once, in the order of `cardiac models`: kernels/models/ defines <name>_model. */
#define MODELS(X)                                                                                            \
    X(tp06_epi)                                                                                              \
    X(tp06_endo)                                                                                             \
    X(tp06_m)                                                                                                \
    X(luo_rudy_1991)                                                                                         \
    X(ohara_endo)                                                                                            \
    X(ohara_epi)                                                                                             \
    X(ohara_m)                                                                                               \
    X(tp04_epi)                                                                                              \
    X(tp04_endo)                                                                                             \
    X(tp04_m)                                                                                                \
    X(stewart)                                                                                               \
    X(courtemanche_ra)                                                                                       \
    X(courtemanche_af)                                                                                       \
    X(courtemanche_ct)                                                                                       \
    X(courtemanche_raa)                                                                                      \
    X(courtemanche_la)                                                                                       \
    X(bueno_orovio_epi)                                                                                      \
    X(bueno_orovio_endo)                                                                                     \
    X(bueno_orovio_m)                                                                                        \
    X(bueno_orovio_pb)                                                                                       \
    X(bueno_orovio_tnnp)                                                                                     \
    X(fenton_karma_br)                                                                                       \
    X(fenton_karma_mbr)                                                                                      \
    X(fenton_karma_mlr)                                                                                      \
    X(fenton_karma_gp)                                                                                       \
    X(aliev_panfilov_1996)                                                                                   \
    X(mitchell_schaeffer)                                                                                    \
    X(modified_mitchell_schaeffer)                                                                           \
    X(fitzhugh_nagumo)                                                                                       \
    X(passive)                                                                                               \
    X(huxley)                                                                                                \
    X(pathmanathan_gray)                                                                                     \
    X(splitting_test)

#define DECLARE(name) extern const struct ionic_model name##_model;
MODELS(DECLARE)

#define ENTRY(name) &name##_model,
static const struct ionic_model *const models[] = {MODELS(ENTRY)};

int ionic_models(void)
{
    return sizeof models / sizeof *models;
}

const struct ionic_model *ionic_model(int k)
{
    return models[k];
}

const struct ionic_model *ionic_find(const char *name)
{
    for (int k = 0; k < ionic_models(); k++)
        if (strcmp(ionic_model(k)->name, name) == 0)
            return ionic_model(k);
    return NULL;
}

int ionic_find_value(const struct ionic_value *value, int count, const char *name)
{
    for (int k = 0; name && k < count; k++)
        if (strcmp(value[k].name, name) == 0)
            return k;
    return -1;
}

bool ionic_same_code(const struct ionic_model *a, const struct ionic_model *b)
{
    return a == b || (a->constants[0] == b->constants[0] && a->constants[1] == b->constants[1] &&
                      a->states == b->states && a->parameters == b->parameters);
}

size_t ionic_set_bytes(const struct ionic_model *model, bool mixed)
{
    return IONIC_SET_HEAD + model->constants_bytes[mixed];
}

void ionic_set_fill(void *parameter_set, const struct ionic_model *model, bool mixed, const double *parameter,
                    double dt, const void *table)
{
    memset(parameter_set, 0, IONIC_SET_HEAD);
    memcpy(parameter_set, &table, sizeof table);
    model->constants[mixed]((char *)parameter_set + IONIC_SET_HEAD, parameter, dt);
}

void ionic_initial(double *state64, float *state32, const struct ionic_model *model, bool mixed,
                   int64_t cells, int64_t stride)
{
    for (int k = 0; k < model->states; k++) {
        struct ionic_layout at = ionic_layout(model, mixed, k);
        for (int64_t i = 0; i < cells && at.fp32; i++)
            state32[at.row * stride + i] = (float)model->state[k].value;
        for (int64_t i = 0; i < cells && !at.fp32; i++)
            state64[at.row * stride + i] = model->state[k].value;
    }
}
