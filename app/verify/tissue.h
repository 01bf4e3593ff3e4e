/* tissue.h: what the problems simulate: a tissue of one region, the tissue of a config, or a single cell. */
#ifndef CARDIAC_APP_VERIFY_TISSUE_H
#define CARDIAC_APP_VERIFY_TISSUE_H

#include "app/config/config.h"
#include "app/problem/problem.h"
#include "app/verify/verify.h"
#include "kernels/ionic/ionic.h"
#include "solver/mesh/mesh.h"
#include "solver/step/monodomain.h"

enum { VERIFY_PARAMETERS_MAX = 128 };

/* Created by verify_tissue_make(); its fields may be changed until verify_tissue_start(). */
struct verify_tissue {
    struct mesh mesh;
    struct region region;
    double parameter[VERIFY_PARAMETERS_MAX];
    double fiber[3];
    double diffusion_factor; /* on D; 1, or verify_diffusion() to plant the error there */
    int32_t *element_region;
    struct monodomain_params params; /* fp64 throughout, tolerance 1e-11 mV, step 0.02 ms */
    struct monodomain *sim;
    double *v;    /* [nodes] mV: read by start, written by advance */
    double *mass; /* [nodes] lumped, mm^dimension, after start */
};

/* A lattice in 1, 2 or 3 dimensions with these sizes (mm), the model's default parameters, isotropic D = 0.1 mm^2/ms,
 * and v at the model's rest. Free *tissue even after an error. */
enum status verify_tissue_make(struct verify_tissue *tissue, int dimension, const double size[3],
                               double spacing, const char *model, struct error *error);
/* The same with spacing 0.1 mm, nodes displaced by verify_tissue_bend(0.02), and D = 0.1 mm^2/ms along fibres
 * oblique to every axis, 0.02 across them */
enum status verify_tissue_make_oblique(struct verify_tissue *tissue, int dimension, const double size[3],
                                       const char *model, struct error *error);
void verify_tissue_free(struct verify_tissue *tissue);

/* Displaces each node at random by up to `amount` mm along each of the mesh's dimensions, so that no two elements
 * are congruent. */
void verify_tissue_bend(struct verify_tissue *tissue, double amount);

/* Sets D along and across the fibre, mm^2/ms, and one fibre direction for all elements. */
void verify_tissue_fiber(struct verify_tissue *tissue, double along, double across, double x, double y,
                         double z);

/* The model's parameter of that name <- value */
void verify_tissue_parameter(struct verify_tissue *tissue, const char *name, double value);

/* Creates the simulation, with D times diffusion_factor and V = v. */
enum status verify_tissue_start(struct verify *verify, struct verify_tissue *tissue, struct error *error);

/* Set or get the model's state of that name, value[nodes]; only after verify_tissue_start(). */
enum status verify_tissue_set(struct verify_tissue *tissue, const char *state, const double *value,
                              struct error *error);
enum status verify_tissue_get(struct verify_tissue *tissue, const char *state, double *value,
                              struct error *error);

/* Advances by `steps` steps; then v <- V. */
enum status verify_tissue_advance(struct verify_tissue *tissue, int64_t steps, struct error *error);

/* One eigenvector of K v = lambda M v, to rounding error, for a small mesh (mode.c).
 * value[nodes]: in, a guess; out, an eigenvector with max |value| = 1. *lambda <- its eigenvalue, 1/ms, for
 * the tissue's D (no planted error) and mass f M_lumped + (1 - f) M_consistent. *residual <- max |K v -
 * lambda M v| / max |K v|. Inverse iteration with Rayleigh's quotient as shift (J. W. S. Rayleigh; B. N.
 * Parlett, The Symmetric Eigenvalue Problem, 1998, section 4.6) by dense elimination. */
enum status verify_mode(const struct verify_tissue *tissue, double *value, double *lambda, double *residual,
                        struct error *error);

/* The order of convergence: log2 of the ratio of two errors, the second with half the step */
double verify_order(double coarse, double fine);

/* A config with its problem and simulation */
struct verify_study {
    struct config config;
    struct problem problem;
    struct monodomain *sim; /* NULL until verify_study_start */
};

/* study->config and problem <- from the text of a config; set: a KEY=VALUE that overrides it, NULL = none. Free
 * *study even after an error. */
enum status verify_study_make(struct verify_study *study, const char *text, const char *set,
                              struct error *error);
/* Creates study->sim on verify->queue. */
enum status verify_study_start(const struct verify *verify, struct verify_study *study, struct error *error);
void verify_study_free(struct verify_study *study);

/* One cell on the device, stepped by the kernel that steps tissue */
struct verify_single {
    struct queue *queue;
    struct ionic_cells cells; /* one, in fp64 */
    uint16_t *class;          /* device */
    double *current, *v;      /* device */
    double *u;                /* device; V before the last step */
    bool staggered;           /* staggered steps (kernels/ionic/ionic.h); set before the first step */
    double last;              /* ms, length of the last step; 0 = none yet */
    double stimulus;          /* uA/uF, the value in `current` */
};

/* A cell in the model's initial state; parameter[model->parameters] must outlive it. Free *single even after an
 * error. */
enum status verify_single_make(struct verify_single *single, const struct verify *verify,
                               const struct ionic_model *model, const double *parameter, struct error *error);
void verify_single_free(struct verify_single *single);

/* Makes `substeps` steps of dt (ms) with this stimulus (uA/uF). */
enum status verify_single_step(struct verify_single *single, double dt, int substeps, double stimulus,
                               struct error *error);

/* *v <- V, mV; state[model->states] <- the states, unless NULL */
enum status verify_single_get(const struct verify_single *single, double *v, double *state,
                              struct error *error);

#endif
