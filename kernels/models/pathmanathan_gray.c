/* pathmanathan_gray.c: the unit of the cell of Pathmanathan and Gray. */
#define IONIC_FORMULA pathmanathan_gray
#define IONIC_TEXT "kernels/models/pathmanathan_gray.h"
#include "kernels/ionic/unit.h"

#ifdef IONIC_DESCRIPTIONS
IONIC_LISTS(pathmanathan_gray)
const struct ionic_model pathmanathan_gray_model = {
    .name = "pathmanathan-gray",
    .title = "cell model of an exact solution of the monodomain system (verification)",
    .reference = "Pathmanathan, Gray, Int. J. Numer. Meth. Biomed. Eng. 30:525, 2014, doi 10.1002/cnm.2615",
    .v_initial = 0,
    .capacitance = 1,
    .order = 2,
    IONIC_UNIT(pathmanathan_gray, pathmanathan_gray),
};
#endif
