/* layout.c: rows in the order of the model's states. */
#include "kernels/ionic/layout.h"

#include "kernels/ionic/ionic.h"

static bool is_fp32(const struct ionic_model *model, bool mixed, int s)
{
    return mixed && !model->state[s].fp64;
}

/* Number of states with this precision among the first s */
static int count_rows(const struct ionic_model *model, bool mixed, int s, bool fp32)
{
    int rows = 0;
    for (int k = 0; k < s; k++)
        rows += is_fp32(model, mixed, k) == fp32;
    return rows;
}

struct ionic_layout ionic_layout(const struct ionic_model *model, bool mixed, int s)
{
    if (!mixed)
        return (struct ionic_layout){false, s};
    bool fp32 = is_fp32(model, mixed, s);
    return (struct ionic_layout){fp32, count_rows(model, mixed, s, fp32)};
}

int ionic_states64(const struct ionic_model *model, bool mixed)
{
    return count_rows(model, mixed, model->states, false);
}

size_t ionic_state_bytes(const struct ionic_model *model, bool mixed)
{
    int rows64 = ionic_states64(model, mixed), rows32 = model->states - rows64;
    return sizeof(double) * (size_t)rows64 + sizeof(float) * (size_t)rows32;
}
