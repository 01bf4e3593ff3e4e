/* stiffest.h: the stiffest node of a mesh, and whether it, or what all nodes share, is to blame for too many
 * sweeps or stages. */
#ifndef CARDIAC_SOLVER_STEP_STIFFEST_H
#define CARDIAC_SOLVER_STEP_STIFFEST_H

#include "solver/matrix/partition.h"
#include "solver/matrix/rows.h"
#include "solver/report.h"

enum { STIFFEST_TEXT = 400 };

/* *stiffest <- the node with the largest d_i / m_i = 1 + theta dt k_ii / m_i, of equal ones the lowest here,
 * as clusters leave it, and the median of all; the same on all ranks, which all call it. */
void stiffest_find(struct stiffest_node *stiffest, const struct rows *rows, const struct system *system,
                   const struct mesh *mesh, const struct partition *partition);

/* text <- what makes sweeps or stages too many: one node, named with its shortest edge and smallest angle, or
 * a step, conductivity or unit that makes all of them stiff; "" where it is neither. Returns text. */
const char *stiffest_blame(char text[STIFFEST_TEXT], const struct stiffest_node *stiffest);

#endif
