/* report.h: results of a tissue's set-up, printed by `check` and logged by `run`. */
#ifndef CARDIAC_SOLVER_REPORT_H
#define CARDIAC_SOLVER_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/ops/halo.h"
#include "solver/scheme.h"

/* Clusters of nodes that are solved as one unknown (solver/matrix/clusters.h) */
struct cluster_counts {
    int64_t clusters, nodes, largest;
    int64_t refused;      /* strong edges left out because their cluster would be too large */
    double refused_at[3]; /* mm, position of the strongest of them */
    int64_t dropped;      /* clusters dropped because their equations are nearly singular */
    double dropped_at[3]; /* mm, position of the first node of the first of them */
};

/* The node whose row is the stiffest (solver/step/stiffest.h) */
struct stiffest_node {
    int64_t node;          /* of the whole mesh; -1 = none */
    double rate, typical;  /* theta dt k_ii / m_i of this node, and the median of all nodes */
    double point[3], edge; /* mm; edge: its shortest edge */
    double angle;          /* smallest angle of its elements, degrees */
};

struct monodomain_report {
    struct scheme scheme;
    double element_low, element_high; /* element bounds on the spectrum of D^-1 A */
    double row_low, row_high;         /* row bounds on the same spectrum; the scheme uses the intersection */
    double explicit_limit;            /* explicit steps are stable up to this: 2/L, L >= lambda(M_L^-1 K),
                                         ms */
    double limit_of[4]; /* the same for the elements of each dimension, [0] for resistors, ms; infinity =
                           none */
    int64_t stiffest_resistor; /* element where limit_of[0] is attained; -1 = none */
    int beta_is_bound;         /* 1: the scheme's beta is a bound; 0: only an estimate (consistent mass) */
    double largest_rate;  /* max_i sum_j |e_ij| / m_i; times 2^-23 |x| it bounds the residual due to rounding
                             in fp32 rows */
    double whole32_share; /* fraction of slices whose product reads 32-bit entries */
    double padding;       /* stored entries / true entries */
    double index32_share; /* fraction of slices with 32-bit columns */
    int64_t entries;      /* off-diagonal entries of the matrix */
    int ranks;            /* number of ranks */
    int64_t nodes_least, nodes_most, border_most; /* per rank; the border is the nodes that it sends */
    struct halo_cost by_nccl, by_stores;          /* cost of exchanges between GPUs */
    bool uses_stores;
    double assembly_seconds, ordering_seconds, packing_seconds;
    enum method sweeping;                      /* the cheaper of jacobi and chebyshev */
    double sweeps;                             /* its forecast number of sweeps per step; infinite =
                                                  unknown */
    double passes_of_sweeps, passes_of_stages; /* passes over the matrix per time dt (solver/step/scheme.h) */
    struct cluster_counts clusters;            /* those in use */
    double typical_low, typical_high;          /* the spectral interval if the worst 1 % of the rows were
                                                  left out */
    int typical_stages;                        /* and the stages of rkl2 for it */
    double front_factor; /* upper bound, for 90 % of the rows, on the factor by which one sweep of jacobi
                            reduces the error near a front */
    double front_guess;  /* mV, the error of a step's initial guess there */
    struct stiffest_node stiffest;
    char bounds[128]; /* for checkpoints: clusters and bounds on which the bits of results depend */
};

/* Asymptotic factor by which a sweep reduces the error, for a spectrum in [low, high]; 1 = unknown */
static inline double report_factor(enum method method, double low, double high)
{
    double spread = (high - low) / (high + low);
    double factor = method == METHOD_JACOBI      ? fmax(1 - low, high - 1)
                    : method == METHOD_CHEBYSHEV ? spread / (1 + sqrt(1 - spread * spread))
                                                 : 1;
    return fmin(factor, 1);
}

/* Upper bound on the sweeps needed from an error of 1 mV to the tolerance; 0 = unknown */
static inline double report_sweeps(enum method method, double tolerance, double low, double high)
{
    double factor = report_factor(method, low, high);
    double left = method == METHOD_CHEBYSHEV ? tolerance / 2 : tolerance;
    return factor > 0 && factor < 1 && left < 1 ? 2 * ceil(log(left) / log(factor) / 2) : 0;
}

/* Mean number of sweeps per step while a front crosses the tissue; infinite = unknown. In 5 % of the steps
 * the front is assumed to be at the worst rows. The error of chebyshev is 2 factor^n at any row, and its
 * test allows half of the tolerance. Sweeps are tested in pairs. */
static inline double report_forecast(const struct monodomain_report *r, enum method method)
{
    const double sweeps = log(fmax(r->front_guess / r->scheme.tolerance, 1)),
                 more = method == METHOD_CHEBYSHEV ? log(4) : 0;
    const double worst = report_factor(method, r->scheme.length[0].low, r->scheme.length[0].high),
                 factor = method == METHOD_JACOBI ? fmin(r->front_factor, worst) : worst;
    if (worst == 1)
        return INFINITY;
    return fmax(2, 1 + (sweeps + more) * (0.95 / -log(factor) + 0.05 / -log(worst)));
}

#endif
