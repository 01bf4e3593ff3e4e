/* ldrb.h: fibres and sheets by the rule of Bayer, Blake, Plank and Trayanova (Ann. Biomed. Eng. 40:2243,
 * 2012), for a left ventricle or both (docs/theory/heart.md).
 *
 * At each point axes follow the gradients of Laplace's solutions: e1 from apex to base, e2 across
 * the wall and normal to e1, e0 = e1 x e2 around it; fibre = cos a e0 + sin a e1, and the sheet, which is e2
 * if b = 0, is rotated about the fibre by b. The axes of both endocardia and of the epicardium are blended
 * as quaternions, their signs chosen so that they agree. This implementation differs from the paper in one
 * point: all three are rotated by the same angle a(p) = a_endo (1 - p) + a_epi p, p = 0 on the endocardia and 1
 * on the epicardium; towards the right ventricle by a(p) (1 - 2 d), d = p_rv / (p_lv + p_rv). So a is linear
 * through a free wall, where the published blend gives a_endo + p^2 (a_epi - a_endo) and, if a_endo - a_epi
 * exceeds 90 degrees, rotates the wrong way, through the longitudinal direction. */
#ifndef CARDIAC_SOLVER_HEART_LDRB_H
#define CARDIAC_SOLVER_HEART_LDRB_H

#include <stdint.h>

#include "kernels/base/error.h"
#include "solver/heart/coordinates.h"
#include "solver/mesh/mesh.h"

/* Angles in degrees: [0] on the endocardium, [1] on the epicardium */
struct ldrb {
    double fiber[2]; /* a */
    double sheet[2]; /* b */
};

/* The paper's angles: fibres 40 and -50, sheets -65 and 25 */
struct ldrb ldrb_default(void);

/* The coordinates that the rule needs; ldrb_fibers() computes those that are missing. */
enum { LDRB_COORDINATES = COORDINATES_UPWARD | COORDINATES_TRANSMURAL | COORDINATES_ENDOCARDIA };

/* Sets fibre and sheet directions of the elements, replacing any that the mesh has; zero where the axes
 * are undefined. on[nodes]: see heart/surfaces.h; base, epi and lv are required, an apex is marked if
 * there is none. Errors: STATUS_INPUT if a surface is missing, STATUS_RUN if out of memory or not
 * converged. */
enum status ldrb_fibers(struct mesh *mesh, uint8_t *on, struct coordinates *coordinates,
                        const struct ldrb *angles, struct error *error);

#endif
