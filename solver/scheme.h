/* scheme.h: the scheme of a tissue's steps, decided once during the set-up (solver/step/scheme.h). Code
 * that depends on the method, the splitting, the lengths of steps or the precision of rows reads it from
 * here. */
#ifndef CARDIAC_SOLVER_SCHEME_H
#define CARDIAC_SOLVER_SCHEME_H

#include "solver/params.h"

/* Steps of one length, dt 2^k */
struct scheme_length {
    double step;      /* ms */
    double lumping;   /* f of the mass matrix; 1 for k > 0 */
    double theta_dt;  /* theta times step, ms: A = M + theta dt K */
    double low, high; /* bounds on the spectrum of D^-1 A, for sweeps */
    double beta;      /* factor from max |r|/m to an error in mV, for sweeps */
    int stages;       /* stages of rkl2; 0 = more than RKL2_STAGES_MOST */
};

struct scheme {
    enum method method; /* in use: jacobi, chebyshev or rkl2 */
    bool staggered;     /* the cells take the staggered step of kernels/ionic/ionic.h */
    double theta;       /* 1/2 (Crank-Nicolson) or 1 (backward Euler) for sweeps; 1 for stages */
    bool ahead;         /* steps of dt diffuse V + theta dt s, where dt s is the change by the cells in a
                           step */
    bool source;        /* the stages include the change by the cells */
    bool holds; /* longer steps compute the change by diffusion first; the cells then add it in equal parts */
    struct scheme_length length[PARAMS_DOUBLINGS + 1]; /* [lengths] allowed: dt, 2 dt, 4 dt ... */
    int lengths;
    int max_sweeps;     /* per step; even */
    double tolerance;   /* mV, error allowed after the sweeps */
    bool mixed;         /* rows may be read in fp32, such that */
    double budget;      /* they change V by at most this in a time.step, mV */
    double bound;       /* as long as |x| is at most this, mV */
    double limit;       /* |V| up to which entries of the product may be rounded, mV; infinity: none may */
    double fp32_share;  /* fraction of rows whose sweeps read fp32 */
    enum update update; /* how x in fp32 is updated from x */
};

/* Whether the method is chosen or may be chosen */
static inline bool scheme_may(const struct monodomain_params *params, enum method method)
{
    const bool chosen = params->method == METHOD_AUTO &&
                        (method != METHOD_RKL2 || (!params->sweeps_alone && params->mass_lumping == 1));
    return chosen || params->method == method;
}

/* The scheme with that method; bounds and stages are not set yet */
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
        /* stages have no sweep error, so they may round by as much. A front raises V by less than 500
           mV/ms (464 measured), a short stimulus by 20 mV. */
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
