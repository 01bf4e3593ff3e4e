/* huxley.c: the unit of Huxley's cubic reaction. */
#define IONIC_FORMULA huxley
#define IONIC_TEXT "kernels/models/huxley.h"
#include "kernels/ionic/unit.h"

#ifdef IONIC_DESCRIPTIONS
IONIC_LISTS(huxley)
const struct ionic_model huxley_model = {
    .name = "huxley",
    .title = "cubic reaction with an exact travelling front (verification)",
    .reference =
        "Nagumo, Arimoto, Yoshizawa, Proc. IRE 50:2061, 1962, doi 10.1109/JRPROC.1962.288235, without "
        "recovery",
    .v_initial = -85,
    .capacitance = 1,
    .order = 2,
    IONIC_UNIT(huxley, huxley),
};
#endif
