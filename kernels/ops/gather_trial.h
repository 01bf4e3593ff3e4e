/* gather_trial.h: measures which of AVX-512's two ways to gather is faster on this processor. */
#ifndef CARDIAC_KERNELS_OPS_GATHER_TRIAL_H
#define CARDIAC_KERNELS_OPS_GATHER_TRIAL_H

#include "kernels/device/isa.h"

/* Seconds for 512 gathers of 8 values from the L1 cache, the shortest of 16 trials (some 30 us in all). A
 * sweep is 1.5 times as fast with the gather instruction on a Sapphire Rapids, and 1.6 times as fast with
 * single loads on a Zen 5. */
CLONE_DECLARE(double, gather_trial, (void));

#endif
