/* cell_steady.h: whether one beat of a cell is as the one before: by how much V and every state have changed
 * from the start of a beat to that of the next, of their range during the beat. */
#ifndef CARDIAC_APP_COMMANDS_CELL_STEADY_H
#define CARDIAC_APP_COMMANDS_CELL_STEADY_H

#include "app/models/single_cell.h"

struct steady {
    double *start, *low, *high; /* [values of the cell] when the beat began, and since */
    double change;              /* the largest, of its range; 1 before the second beat */
    int changing;               /* whose that is */
};

enum status steady_new(struct steady *steady, const struct single_cell *cell, struct error *error);
void steady_free(struct steady *steady);

/* A beat begins: change and changing <- of the one that ends. What is less than four of a value's last bits
 * is no change. */
void steady_begin(struct steady *steady, const struct single_cell *cell);
/* A step is done */
void steady_follow(struct steady *steady, const struct single_cell *cell);

#endif
