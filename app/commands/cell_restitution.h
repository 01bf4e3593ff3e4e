/* cell_restitution.h: S1-S2: how long the action potential is that a stimulus evokes so and so long after the
 * last one of a train. */
#ifndef CARDIAC_APP_COMMANDS_CELL_RESTITUTION_H
#define CARDIAC_APP_COMMANDS_CELL_RESTITUTION_H

#include "app/commands/cell_trace.h"
#include "app/commands/times.h"

struct restitution {
    double interval; /* ms from the last S1 stimulus to S2 */
    double rested;   /* ms of diastole before the action potential of S2; NAN = none, as apd90 */
    double apd90;    /* ms; NAN = not captured, or longer than one period of S1 */
    bool captured;   /* V rises through the threshold, and the cell's own currents raise it by a fifth of what
                        they did at S1, or more */
};

/* row[times_range_count] <- of a cell whose last S1 begins where *outcome ends, *s1 <- that beat. The train
 * is stepped once; each S2 goes on from a copy of the cell. */
enum status restitution_run(struct restitution *row, struct beat *s1, const struct cell_protocol *protocol,
                            const struct cell_outcome *outcome, const struct times_range *intervals,
                            struct error *error);

/* CSV; what did not happen is empty. */
void restitution_json(FILE *file, const struct restitution *row, int64_t rows);
void restitution_print(FILE *file, const struct restitution *row, int64_t rows);

#endif
