/* mitchell_schaeffer.c: the unit of Mitchell and Schaeffer. */
#define IONIC_FORMULA mitchell_schaeffer
#define IONIC_TEXT "kernels/models/mitchell_schaeffer.h"
#include "kernels/ionic/unit.h"

#ifdef IONIC_DESCRIPTIONS
IONIC_LISTS(mitchell_schaeffer)
const struct ionic_model mitchell_schaeffer_model = {
    .name = "mitchell-schaeffer",
    .title = "ventricular cell in two variables, Mitchell and Schaeffer 2003",
    .reference = "Mitchell, Schaeffer, Bull. Math. Biol. 65:767, 2003, doi 10.1016/S0092-8240(03)00041-7",
    .v_initial = -80,
    .capacitance = 1,
    .order = 1,
    .step_accurate = 0.6,
    .step_largest = 0.6,
    IONIC_UNIT(mitchell_schaeffer, mitchell_schaeffer),
};
#endif
