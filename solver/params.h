/* params.h: the parameters of a tissue and of its steps, as a config sets them.
 *
 * Units: mm, ms, mV; currents per capacitance (uA/uF = mV/ms); D = sigma / (chi Cm) in mm^2/ms. */
#ifndef CARDIAC_SOLVER_PARAMS_H
#define CARDIAC_SOLVER_PARAMS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/ionic/ionic.h"

/* METHOD_AUTO: jacobi, chebyshev or rkl2, by forecasts of their sweeps and stages from the bounds on the
 * spectrum of D^-1 A */
enum method { METHOD_JACOBI, METHOD_CHEBYSHEV, METHOD_RKL2, METHOD_AUTO };
/* SPLITTING_STAGGERED: as Godunov's, but the cells take the staggered step of kernels/ionic/ionic.h */
enum splitting { SPLITTING_GODUNOV, SPLITTING_STAGGERED };
enum precision { PRECISION_DOUBLE, PRECISION_MIXED };
/* How x in fp32 is updated from x; fused is faster on a GPU, and the bits are the same. */
enum update { UPDATE_BY_DEVICE, UPDATE_HYBRID, UPDATE_FUSED };

/* A parameter that differs from node to node */
struct region_field {
    int parameter;       /* index into model->parameter */
    const double *value; /* [mesh->nodes]; used at the region's nodes */
};

enum { PARAMS_PERCENTS = 4 };

/* What is recorded of each beat, besides its begin */
struct params_maps {
    bool rest, peak, slope;
    int percents;                 /* of repolarization */
    int percent[PARAMS_PERCENTS]; /* 1 .. 99 % of the way from peak to rest */
};

/* A part of the tissue with one ionic model and one conductivity. A node between two regions belongs to the
 * one listed first. */
struct region {
    const struct ionic_model *model;
    const struct ionic_model
        *varied;             /* the same in all regions of a model: it, with the parameters of all their
                                       * fields as values of each cell (user_model_vary); NULL = no fields */
    const double *parameter; /* [model->parameters] values; NULL = the model's defaults */
    const struct region_field *field; /* [fields] instead of those */
    int fields;
    const double *initial; /* [1 + model->states] V (mV) and the states at the start; NULL = the model's */
    double diffusion[3];   /* mm^2/ms along fibre, sheet, normal; all equal = isotropic (needs no fibre) */
    int isotropic;         /* 1: diffusion[0] in every direction */
    const double
        *scale[3];      /* [mesh->elements] factors on these, >= 0, all equal unless isotropic is 0; the first
                             * also on conductance; NULL = 1 */
    double section[4];  /* by dimension: mm^2 of lines, mm of triangles in a mixed mesh; 0 = 1 */
    double membrane;    /* its chi over the tissue's; 0 = 1 */
    bool resistor;      /* lines without membrane, with */
    double conductance; /* g / (chi Cm), mm^3/ms */
};

/* A current into a set of nodes, on during [t_k, t_k + duration), t_k = start + k period + change k (k - 1) /
 * 2, k = 0 .. count - 1; constant, or with a shape. */
struct stimulus {
    const int32_t *node; /* [nodes] ascending, no duplicates */
    int64_t nodes;
    double current;                 /* uA/uF = mV/ms, positive depolarises */
    double start, duration, period; /* ms; period is ignored when count is 1 */
    int64_t count;                  /* 0 = for ever; not with a change */
    double change;                  /* ms by which each interval is longer than the one before */
    const double (*shape)[2]; /* [shapes] ms since t_k, ascending, and the share of current, straight lines
                                 between; NULL = 1 */
    int shapes;
    const double *delay; /* [nodes] ms by which t_k is later there; NULL = none */
    const double
        *weight; /* [nodes] in (0, 1]: the share of the current there, see cells/stimulus.h; NULL = 1 */
    bool phase;  /* has the nodes, delays and weights of the stimulus before it, and continues its protocol */
};

/* Steps of dt 2^k where V changes slowly (solver/step/lengths.h), k at most this */
enum { PARAMS_DOUBLINGS = 6 };

struct monodomain_params {
    double step;         /* dt, ms */
    int doublings;       /* the largest k, 0 .. PARAMS_DOUBLINGS; 0 = all steps are of dt */
    double mass_lumping; /* f in M = f M_lumped + (1 - f) M_consistent, 0 .. 1 */
    enum splitting splitting;
    enum method method;
    bool
        sweeps_alone; /* METHOD_AUTO does not choose rkl2: conductivities are found from fronts of the other methods */
    int max_sweeps;   /* even */
    double tolerance; /* mV */
    enum precision precision;
    double precision_budget; /* mV a step */
    double precision_bound;  /* mV; 0 = by the step (solver/scheme.h) */
    enum update update;
    bool ionic_mixed;            /* states in fp32 that a model does not mark wide */
    bool ionic_tables;           /* functions of V from tables; every region's model must have them */
    int ionic_substeps;          /* ionic steps in dt, >= 1 */
    double activation_threshold; /* mV */
    double activation_rearm;     /* mV, at most the threshold: V falls below it before the next one counts */
    const double (*activation_thresholds)[2]; /* [regions] threshold and rearm of each; NULL = those above */
    int64_t activation_beats;                 /* activations stored per node, >= 1 */
    int64_t
        activation_slots; /* > activation_beats: as many are stored, with their ends, the last slot being the latest activation's; 0 = activation_beats, without ends */
    struct params_maps maps;
    double voltage_limit; /* mV; |V| beyond it (or NaN) is a blow-up */
    const struct region *region;
    int regions;
    const int32_t *element_region; /* [mesh->elements] index into region */
    const int32_t *node_region;    /* [mesh->nodes], for the cells; NULL = the first-listed of its elements */
    const double *fiber;           /* [3] one fibre direction everywhere; NULL = the mesh's own */
    const struct stimulus *stimulus;
    int stimuli;
    const struct subdomain
        *subdomain; /* of a tissue on several ranks (solver/ranks/subdomain.h); NULL = on one rank */
    const struct clusters_found *
        found; /* of clusters_find() for this mesh and these params (solver/matrix/clusters.h); NULL = it is computed, or the subdomain has it */
};

/* ms of a step of the cells */
static inline double params_cell_step(const struct monodomain_params *params)
{
    return params->step / params->ionic_substeps;
}

/* The defaults, without step, regions and stimuli */
static inline struct monodomain_params monodomain_params_default(void)
{
    return (struct monodomain_params){.splitting = SPLITTING_STAGGERED,
                                      .mass_lumping = 1,
                                      .method = METHOD_AUTO,
                                      .max_sweeps = 1000,
                                      .tolerance = 1e-4,
                                      .precision = PRECISION_MIXED,
                                      .precision_budget = 1e-5,
                                      .ionic_substeps = 1,
                                      .activation_beats = 1,
                                      .voltage_limit = 1000};
}

/* Whether whole beats are observed, not only their activation */
static inline bool params_beats(const struct monodomain_params *params)
{
    const struct params_maps *maps = &params->maps;
    return maps->rest || maps->peak || maps->slope || maps->percents > 0;
}

/* The activation times recorded per node: with whole beats one more than stored, which ends the last */
static inline int64_t params_times(const struct monodomain_params *params)
{
    int64_t least = params->activation_beats + params_beats(params);
    return params->activation_slots > least ? params->activation_slots : least;
}

/* The default activation_rearm of cells at rest at `rest`, mV */
static inline double params_rearm(double threshold, double rest)
{
    return fmin(threshold, (threshold + rest) / 2);
}

#endif
