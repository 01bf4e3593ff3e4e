/* step.h: what one step adds to each state: gates by their exact exponential, the rest forward Euler. */
#ifndef CARDIAC_KERNELS_IONIC_COMPILER_STEP_H
#define CARDIAC_KERNELS_IONIC_COMPILER_STEP_H

#include "kernels/ionic/compiler/algebra.h"

/* increment <- the node of what a step adds to state s, whose rate is `rate`
 *
 * x' = a - b x with a and b free of x: (x - a / b) (e^(-b dt) - 1), exact while a and b stand still, where b
 * depends on V alone (Hodgkin-Huxley's gates; S. Rush, H. Larsen, IEEE Trans. Biomed. Eng. 25:389, 1978) or
 * `stiff` says that Euler's step is not stable; other stiff rates f: f dt (e^y - 1) / y, y = dt df/dx; the
 * rest: f dt. */
int step_increment(struct algebra *a, int s, int rate, bool stiff);

#endif
