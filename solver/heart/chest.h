/* chest.h: where the electrodes of a human chest stand around a heart, by the heart's own axes
 * (docs/theory/ecg.md). */
#ifndef CARDIAC_SOLVER_HEART_CHEST_H
#define CARDIAC_SOLVER_HEART_CHEST_H

#include <stdint.h>

#include "solver/mesh/mesh.h"

enum { CHEST_ELECTRODES = 9 };

struct chest_electrode {
    const char *name; /* RA, LA, LL, V1 .. V6 */
    double point[3];  /* mm, in the mesh's coordinates */
};

/* A chest as large as the heart, which lies in it as hearts do. on[nodes]: heart/surfaces.h, with an apex.
 * Returns their number: CHEST_ELECTRODES, or 0 where apex, lv or rv is missing, or they lie on a line. */
int chest_place(struct chest_electrode electrode[CHEST_ELECTRODES], const struct mesh *mesh,
                const uint8_t *on);

#endif
