/* splitting_test.c: the unit of the cell that tests splittings. */
#define IONIC_FORMULA splitting_test
#define IONIC_TEXT "kernels/models/splitting_test.h"
#include "kernels/ionic/unit.h"

#ifdef IONIC_DESCRIPTIONS
IONIC_LISTS(splitting_test)
const struct ionic_model splitting_test_model = {
    .name = "splitting-test",
    .title = "linear cell with a source, to measure the order of a splitting (verification)",
    .reference = "manufactured: V = phi e^t sin t",
    .v_initial = 0,
    .capacitance = 1,
    .order = 2,
    IONIC_UNIT(splitting_test, splitting_test),
};
#endif
