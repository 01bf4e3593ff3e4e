/* step.h: `cardiac bench step --profile`, a part of `bench step`. */
#ifndef CARDIAC_APP_BENCH_STEP_H
#define CARDIAC_APP_BENCH_STEP_H

#include "app/bench/matrix.h"

/* The sections of a problem's own run: what its steps take */
enum status step_profile(struct bench *bench, const struct bench_problem *problem, struct error *error);

#endif
