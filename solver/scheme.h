/* scheme.h: the scheme of a tissue's steps, decided once at its set-up (solver/step/scheme.h). Whatever depends
 * on the method, the splitting, the lengths of steps or the precision of rows asks it here. */
#ifndef CARDIAC_SOLVER_SCHEME_H
#define CARDIAC_SOLVER_SCHEME_H

#include "solver/params.h"

/* Steps of one length, dt 2^k */
struct scheme_length {
    double step;      /* ms */
    double lumping;   /* f of its mass; 1 in longer steps */
    double theta_dt;  /* ms, in the rows of A = M + theta dt K */
    double low, high; /* bounds on the spectrum of D^-1 A, of sweeps */
    double beta;      /* factor from max |r|/m to an error in mV, of sweeps */
    int stages;       /* of rkl2; 0 = more than RKL2_STAGES_MOST */
};

struct scheme {
    enum method method; /* in use: jacobi, chebyshev or rkl2 */
    bool staggered;     /* the cells take the staggered step of kernels/ionic/ionic.h */
    double theta;       /* of sweeps: Crank-Nicolson's, 1/2, or backward Euler's, 1; 1 with stages */
    bool ahead;         /* steps of dt diffuse V + theta dt s, s being what cells add in a step */
    bool source;        /* stages include what cells add */
    bool holds; /* longer steps compute the change by diffusion first, which cells then take in equal parts */
    struct scheme_length length[PARAMS_DOUBLINGS + 1]; /* [lengths] that steps may have: dt, 2 dt, 4 dt ... */
    int lengths;
    int max_sweeps;     /* of a step; even */
    double tolerance;   /* mV, that they may leave */
    bool mixed;         /* rows may be rounded: */
    double budget;      /* mV a time.step, by which rows in fp32 may move V, */
    double bound;       /* where x is at most this, mV */
    double limit;       /* mV, of V where entries of the product may be rounded; infinity = none may */
    double fp32_share;  /* share of rows whose sweeps read fp32 */
    enum update update; /* how x in fp32 is updated from x */
};

/* Whether the method may come into use */
static inline bool scheme_may(const struct monodomain_params *params, enum method method)
{
    const bool chosen = params->method == METHOD_AUTO &&
                        (method != METHOD_RKL2 || (!params->sweeps_alone && params->mass_lumping == 1));
    return chosen || params->method == method;
}

/* With that method, as far as bounds and rows do not decide */
static inline struct scheme scheme_of(const struct monodomain_params *params, enum method method)
{
    const bool staged = method == METHOD_RKL2, staggered = params->splitting == SPLITTING_STAGGERED,
               mixed = params->precision == PRECISION_MIXED;
    struct scheme scheme = {
        .method = method,
        .staggered = staggered,
        .theta = staggered && !staged ? 0.5 : 1,
        .ahead = staggered && !staged,
        .source = staggered && staged,
        .holds = staggered && params->doublings > 0,
        .lengths = params->doublings + 1,
        .mixed = mixed,
        .max_sweeps = params->max_sweeps,
        .tolerance = params->tolerance,
        /* stages have no error of sweeps: they may round by as much. A front raises V by less than 500 mV/ms
         * (464 measured), and a short stimulus by 20 mV. */
        .budget = staged ? fmax(params->precision_budget, params->tolerance) : params->precision_budget,
        .bound = params->precision_bound > 0 ? params->precision_bound : fmax(20, 500 * params->step),
        .limit = mixed && params->mass_lumping == 1 ? params->voltage_limit : (double)INFINITY,
        .update = params->update};
    for (int k = 0; k < scheme.lengths; k++) {
        struct scheme_length *of = &scheme.length[k];
        of->step = ldexp(params->step, k);
        of->lumping = k > 0 ? 1 : params->mass_lumping;
        of->theta_dt = scheme.theta * of->step;
    }
    return scheme;
}

#endif
