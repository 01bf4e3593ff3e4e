/* compare.h: what `cardiac compare` is asked and what it finds. */
#ifndef CARDIAC_APP_COMMANDS_COMPARE_H
#define CARDIAC_APP_COMMANDS_COMPARE_H

#include "app/commands/difference.h"
#include "kernels/base/error.h"

struct compare {
    const char *a, *b; /* files */
    double tolerance;  /* 0 = the same bits */
    const char *field; /* the only one; NULL = all */
    int64_t compared;  /* arrays and frames looked at */
    int64_t apart;     /* of them beyond the tolerance, or found in one file alone */
};

/* Prints a line per array and time; counts in *compare. Errors: STATUS_INPUT when a file cannot be read or
 * the meshes differ. */
enum status compare_results(struct compare *compare, struct error *error);     /* compare_results.c */
enum status compare_checkpoints(struct compare *compare, struct error *error); /* compare_checkpoints.c */

/* Counts a difference and prints the numbers that all lines have in common. */
void compare_count(struct compare *compare, const struct difference *difference);
/* Something that only one file has, or that cannot be compared. */
void compare_alone(struct compare *compare, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
