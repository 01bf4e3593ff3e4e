/* passive.c: the unit of the linear leak. */
#define IONIC_FORMULA passive
#define IONIC_TEXT "kernels/models/passive.h"
#include "kernels/ionic/unit.h"

#ifdef IONIC_DESCRIPTIONS
IONIC_LISTS(passive)
const struct ionic_model passive_model = {
    .name = "passive",
    .title = "linear leak, each step exact",
    .reference = "dV/dt = -g (V - E), solved exactly",
    .v_initial = -85,
    .capacitance = 1,
    .order = 2,
    IONIC_UNIT(passive, passive),
};
#endif
