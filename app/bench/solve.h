/* solve.h: the sweeps of a step as a run does them, on a matrix of the bench. */
#ifndef CARDIAC_APP_BENCH_SOLVE_H
#define CARDIAC_APP_BENCH_SOLVE_H

#include "app/bench/packed.h"

enum { BENCH_SOLVE_SWEEPS = 8 }; /* in a step: about what a tolerance of 1e-4 mV takes */

/* `sweeps` of the plain method for the right side b, an even number, x64 -> y64 -> x64, as p->update says;
 * every second one is tested if p->test, and none converges. */
void bench_solve(const struct bench *bench, const struct bench_packed *p, const double *b, int sweeps);

#endif
