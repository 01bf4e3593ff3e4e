/* probes.h: nodes nearest to named points, and their values over time as CSV.
 *
 * A probe reads the node nearest to its point, so that its value is one that the solver computed. */
#ifndef CARDIAC_APP_IO_RESULT_PROBES_H
#define CARDIAC_APP_IO_RESULT_PROBES_H

#include <stdbool.h>

#include "app/io/result/table.h"
#include "solver/mesh/mesh.h"

struct probe {
    char name[64];
    double point[3]; /* mm, as requested */
    int64_t node;    /* nearest node; the lowest of equally near ones */
    double distance; /* mm, from point to node */
};

/* node and distance <- name and point. A point farther from its node than the longest edge there is an error
 * (STATUS_INPUT): it lies outside the mesh. */
enum status probes_locate(struct probe *probe, int probes, const struct mesh *mesh, struct error *error);

/* The CSV: a header "time (ms),<column> (<unit>),..." and a row per call, flushed when it returns. Values are the
 * shortest that read back as the same double. Times have 15 digits, so 3 steps of 0.05 are 0.15, not
 * 0.15000000000000002. */
struct probes;

/* Replaces an existing file. Errors: STATUS_RUN. */
enum status probes_create(struct probes **out, const char *path, const struct table_column *column,
                          int columns, struct error *error);
/* Ignored unless later than the last row */
enum status probes_row(struct probes *probes, double time, const double *value, struct error *error);
/* Brings every row to the disk (fsync). */
enum status probes_sync(struct probes *probes, struct error *error);
enum status probes_close(struct probes *probes, struct error *error); /* NULL is accepted */

#endif
