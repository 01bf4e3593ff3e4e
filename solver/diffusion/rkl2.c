/* rkl2.c: numbers of stages and their coefficients. */
#include "solver/diffusion/rkl2.h"

static double b_of(int j)
{
    return j < 2 ? 1.0 / 3 : (double)(j * j + j - 2) / (2 * j * (j + 1));
}

double rkl2_weight(int stages)
{
    return 4.0 / (stages * stages + stages - 2);
}

double rkl2_reach(int stages)
{
    return (stages % 2 ? 1 : 0.9) * (stages * stages + stages - 2) / 4;
}

int rkl2_stages(double dt, double limit)
{
    for (int stages = 2; stages <= RKL2_STAGES_MOST; stages++)
        if (dt <= rkl2_reach(stages) * limit)
            return stages;
    return 0;
}

void rkl2_coefficients(int stages, bool source, double *coefficient)
{
    double w = rkl2_weight(stages), before = 0, added = w / 3; /* c_{j-2} and c_{j-1} */
    for (int j = 2; j <= stages; j++, coefficient += RKL2_COEFFICIENTS) {
        double mu = (2 * j - 1) * b_of(j) / (j * b_of(j - 1)), nu = (1 - j) * b_of(j) / (j * b_of(j - 2));
        coefficient[0] = mu;
        coefficient[1] = nu;
        coefficient[2] = source ? b_of(j - 1) - added : b_of(j - 1);
        coefficient[3] = source ? added : 0;
        double next = mu * (added + b_of(j - 1) * w) + nu * before;
        before = added;
        added = next;
    }
}

/* The amplification of stage j is a polynomial in 1 - w z with the recurrence mu, nu, largest at z = 0, so
 * the sum obeys that recurrence. */
double rkl2_amplification(int stages)
{
    double coefficient[RKL2_STAGES_MOST][RKL2_COEFFICIENTS], before = 0, sum = 0;
    rkl2_coefficients(stages, false, coefficient[0]);
    for (int j = 2; j <= stages; j++) {
        const double *c = coefficient[j - 2];
        double next = c[0] * (sum + rkl2_weight(stages)) + c[1] * before;
        before = sum;
        sum = next;
    }
    return sum;
}
