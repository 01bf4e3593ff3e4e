/* stiffest.h: the stiffest node of a mesh, and whether it or a property of all nodes causes too many
 * sweeps or stages. */
#ifndef CARDIAC_SOLVER_STEP_STIFFEST_H
#define CARDIAC_SOLVER_STEP_STIFFEST_H

#include "solver/matrix/partition.h"
#include "solver/matrix/rows.h"
#include "solver/report.h"

enum { STIFFEST_TEXT = 400 };

/* *stiffest <- the node with the largest d_i / m_i = 1 + theta dt k_ii / m_i after clustering, the lowest
 * of equal ones, and the median of all nodes; called by all ranks, with the same result. */
void stiffest_find(struct stiffest_node *stiffest, const struct rows *rows, const struct system *system,
                   const struct mesh *mesh, const struct partition *partition);

/* text <- the cause of too many sweeps or stages: one node, named with its shortest edge and smallest
 * angle, or a step, conductivity or unit that makes all nodes stiff; "" if neither applies. Returns text. */
const char *stiffest_blame(char text[STIFFEST_TEXT], const struct stiffest_node *stiffest);

#endif
