/* times.h: times on a command line, and as whole steps. */
#ifndef CARDIAC_APP_COMMANDS_TIMES_H
#define CARDIAC_APP_COMMANDS_TIMES_H

#include <stdint.h>

#include "kernels/base/error.h"

/* Steps: first, first -+ by, ... as far as last */
struct times_range {
    int64_t first, last, by; /* by > 0 */
};

/* *value <- ms of the option `name`, from 0 on; `otherwise` if text is NULL. Errors: STATUS_INPUT. */
enum status times_read(double *value, const char *name, const char *text, double otherwise,
                       struct error *error);
/* *steps <- time in whole steps; STATUS_INPUT, with the nearest, where it is none. */
enum status times_steps(int64_t *steps, const char *name, double time, double step, struct error *error);

/* *range <- "500:250:10ms"; STATUS_INPUT also where one is less than `shortest` ms. */
enum status times_range_read(struct times_range *range, const char *name, const char *text, double step,
                             double shortest, struct error *error);
/* How many there are, 0 where there is none between; and the k-th */
int64_t times_range_count(const struct times_range *range);
int64_t times_range_at(const struct times_range *range, int64_t k);

#endif
