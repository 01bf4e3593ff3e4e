/* convergence.h: the stopping test of every method (docs/theory/numerics.md, "Stopping"). */
#ifndef CARDIAC_KERNELS_OPS_CONVERGENCE_H
#define CARDIAC_KERNELS_OPS_CONVERGENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/bits.h"
#include "kernels/base/host_device.h"
#include "kernels/ops/control.h"

/* mV: beta max|r_i|/m_i, with momentum plus max|y_i - x_i|, from the bit patterns of both maxima */
HOST_DEVICE double convergence_tested(double beta, bool momentum, uint64_t residual, uint64_t change)
{
    double tested = beta * bits_to_real(residual);
    return momentum ? tested + bits_to_real(change) : tested;
}

/* The result of a test, for work queued after it, which is skipped once the test holds: the bit patterns
 * of both maxima */
struct convergence_gate {
    const uint64_t *seen; /* [2] device; NULL: no test */
    double beta, tolerance;
    bool momentum; /* the change is added */
};

/* False once converged, or if the residual is NaN */
HOST_DEVICE bool convergence_open(const struct convergence_gate *gate)
{
    return !gate->seen ||
           convergence_tested(gate->beta, gate->momentum, gate->seen[0], gate->seen[1]) > gate->tolerance;
}

/* Whether it has converged; NaN is a failure. */
HOST_DEVICE bool convergence_reached(double tested, double tolerance, int32_t *failure)
{
    if (tested != tested)
        *failure = FAILURE_VOLTAGE;
    return tested <= tolerance;
}

#endif
