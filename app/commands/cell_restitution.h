/* cell_restitution.h: the response of a cell to an S2 stimulus at given intervals after an S1 train. */
#ifndef CARDIAC_APP_COMMANDS_CELL_RESTITUTION_H
#define CARDIAC_APP_COMMANDS_CELL_RESTITUTION_H

#include <stdint.h>

#include "app/commands/cell_trace.h"
#include "kernels/base/error.h"

/* Steps: first, first -+ by, ... up to last */
struct times_range {
    int64_t first, last, by; /* by > 0 */
};

/* *value <- the option `name` in ms, 0 or more; `otherwise` if text is NULL. Errors: STATUS_INPUT. */
enum status times_read(double *value, const char *name, const char *text, double otherwise,
                       struct error *error);
/* *steps <- time / step; STATUS_INPUT, with the nearest valid time, if that is not a whole number. */
enum status times_steps(int64_t *steps, const char *name, double time, double step, struct error *error);

/* *range <- from text such as "500:250:10ms"; STATUS_INPUT also if a time is less than `shortest` ms. */
enum status times_range_read(struct times_range *range, const char *name, const char *text, double step,
                             double shortest, struct error *error);
/* The number of times in the range */
int64_t times_range_count(const struct times_range *range);

struct restitution {
    double interval; /* ms from the last S1 stimulus to S2 */
    double rested;   /* ms of diastole before the action potential of S2; NAN = none, as apd90 */
    double apd90;    /* ms; NAN = not captured, or longer than one period of S1 */
    bool captured;   /* V rises through the threshold, and the cell's own currents raise it by a fifth of what
                        they did at S1, or more */
};

/* row[times_range_count()] <- the responses to S2 of a cell whose last S1 begins where *outcome ends; *s1 <- the beat of
 * that S1. The train is simulated once; each S2 starts from a copy of the cell. */
enum status restitution_run(struct restitution *row, struct beat *s1, const struct cell_protocol *protocol,
                            const struct cell_outcome *outcome, const struct times_range *intervals,
                            struct error *error);

/* Write the rows: one line of JSON each, or CSV with empty cells for NaN. */
void restitution_json(FILE *file, const struct restitution *row, int64_t rows);
void restitution_print(FILE *file, const struct restitution *row, int64_t rows);

#endif
