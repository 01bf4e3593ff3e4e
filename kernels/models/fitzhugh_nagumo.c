/* fitzhugh_nagumo.c: the unit of FitzHugh-Nagumo. */
#define IONIC_FORMULA fitzhugh_nagumo
#define IONIC_TEXT "kernels/models/fitzhugh_nagumo.h"
#include "kernels/ionic/unit.h"

#ifdef IONIC_DESCRIPTIONS
IONIC_LISTS(fitzhugh_nagumo)
const struct ionic_model fitzhugh_nagumo_model = {
    .name = "fitzhugh-nagumo",
    .title = "cell in two variables, FitzHugh and Nagumo as modified by Rogers and McCulloch 1994",
    .reference = "Rogers, McCulloch, IEEE Trans. Biomed. Eng. 41:743, 1994, doi 10.1109/10.310090",
    .v_initial = -85,
    .capacitance = 1,
    .order = 1,
    .step_accurate = 0.8,
    .step_largest = 10,
    IONIC_UNIT(fitzhugh_nagumo, fitzhugh_nagumo),
};
#endif
