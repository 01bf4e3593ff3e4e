/* step.h: a step in parts that can be left out. */
#ifndef CARDIAC_APP_BENCH_STEP_H
#define CARDIAC_APP_BENCH_STEP_H

#include "app/bench/packed.h"
#include "kernels/bench/ablation.h"
#include "kernels/ionic/ionic.h"
#include "kernels/ops/rhs.h"

enum { STEP_IONIC = 1, STEP_RHS = 2, STEP_SWEEPS = 4, STEP_END = 8, STEP_ALL = 15 };

struct step_parts {
    unsigned parts, what; /* what is done; what the sweeps leave out */
    bool alone;           /* one part by itself: u is left as it is */
    bool ablated;         /* sweeps by the kernel that can leave something out, whatever it leaves out */
    int sweeps;
    struct bench *bench;
    struct bench_case c;
    struct bench_packed packed;
    struct ionic_cells cells;
    double *parameter;         /* host */
    double *start, *u, *v, *b; /* device, packed; start: where every step begins */
    double *change[RHS_HISTORY];
    double *activation, *totals;
    struct control *converged; /* says so whatever the sweeps found */
    int32_t *activations;
    uint8_t *waits;
    double dt;
};

enum status step_parts_make(struct step_parts *p, struct bench *bench, const struct bench_problem *problem,
                            const struct bench_matrix *matrix, struct error *error);
void step_parts_free(struct step_parts *p, struct bench *bench);

/* One step of the present parts */
void step_run(void *parts);

/* `bench step --profile` */
enum status step_profile(struct bench *bench, const struct bench_problem *problem, struct error *error);

/* Trials: the step as a whole; each part alone */
enum status step_trial_whole(struct bench *bench, struct step_parts *p, const char *title, double *seconds,
                             struct error *error);
enum status step_trial_parts(struct bench *bench, struct step_parts *p, struct error *error);

#endif
