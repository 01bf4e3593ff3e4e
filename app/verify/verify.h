/* verify.h: problems with a known answer; each figure has an interval in which it must lie.
 *
 * A problem consists of cases; a case prints one line per figure. With `inject` every case runs with a small error
 * planted in its input and fails if it misses no interval. This shows that the intervals of each case are narrow
 * enough to detect that error. */
#ifndef CARDIAC_APP_VERIFY_VERIFY_H
#define CARDIAC_APP_VERIFY_VERIFY_H

#include <stdbool.h>

#include "kernels/base/error.h"
#include "kernels/device/queue.h"

enum extent { EXTENT_QUICK, EXTENT_NORMAL, EXTENT_FULL };

struct verify {
    struct queue *queue;
    enum extent extent;
    bool inject;
    bool update; /* niederer and exact print rows to be stored */
    bool json;   /* a line of JSON for each figure */
    const char *problem;
    char title[200];    /* of the current case */
    bool in_case;       /* between verify_case and verify_end */
    int checks, missed; /* of the current case */
    int cases, wrong;   /* so far; wrong: interval missed, or planted error not caught */
};

/* Begins a case and ends the previous one; printf-style title. */
void verify_case(struct verify *verify, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One figure of the case: prints it with its interval and ok or MISS. NaN misses. */
void verify_interval(struct verify *verify, const char *what, double value, double low, double high);

/* Ends the last case of a problem. */
void verify_end(struct verify *verify);

/* The factor that plants an error in D (or another input): 1, or 1.01 with `inject` */
double verify_diffusion(const struct verify *verify);

/* The problems. They return an error only if they cannot be run; missed intervals are counted in `verify`. */
enum status verify_niederer(struct verify *verify, struct error *error);
enum status verify_stimulus(struct verify *verify, struct error *error);
enum status verify_cell(struct verify *verify, struct error *error);
enum status verify_models(struct verify *verify, struct error *error);
enum status verify_fibers(struct verify *verify, struct error *error);
enum status verify_exact(struct verify *verify, struct error *error);
enum status verify_eigenmode(struct verify *verify, struct error *error);
enum status verify_conservation(struct verify *verify, struct error *error);
enum status verify_constant(struct verify *verify, struct error *error);
enum status verify_uniform(struct verify *verify, struct error *error);
enum status verify_front(struct verify *verify, struct error *error);
enum status verify_speed(struct verify *verify, struct error *error);
enum status verify_heart(struct verify *verify, struct error *error);
enum status verify_ecg(struct verify *verify, struct error *error);
enum status verify_leads(struct verify *verify, struct error *error);
enum status verify_torso(struct verify *verify, struct error *error);
enum status verify_helix(struct verify *verify, struct error *error);
enum status verify_maps(struct verify *verify, struct error *error);
enum status verify_protocols(struct verify *verify, struct error *error);
enum status verify_splitting(struct verify *verify, struct error *error);

#endif
