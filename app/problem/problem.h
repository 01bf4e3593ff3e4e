/* problem.h: the solver's input from a config and its mesh: regions, stimuli, parameters. */
#ifndef CARDIAC_APP_PROBLEM_PROBLEM_H
#define CARDIAC_APP_PROBLEM_PROBLEM_H

#include "app/config/config.h"
#include "app/io/result/probes.h"
#include "app/meshio/mesh_file.h"
#include "app/problem/environment.h"
#include "app/problem/velocity.h"
#include "app/problem/volume.h"
#include "app/util/progress.h"
#include "kernels/base/sha256.h"
#include "solver/mesh/mesh.h"
#include "solver/mesh/network.h"
#include "solver/step/monodomain.h"
#include "solver/ranks/subdomain.h"

/* A mesh with its fibres, and the arrays that were computed on it for expressions */
struct problem_mesh {
    int made;        /* number of times it was made */
    char *made_from; /* the keys (CONFIG_MESH) and arrays that determine it; NULL = not made */
    struct mesh mesh;
    struct digest_blocks blocks; /* of a large mesh of a file */
    struct mesh_notes notes;
    struct environment environment;
    struct network_report *network; /* [networks of the config] */
    double read_seconds;
    int64_t filled_fibers;
    char sha256[SHA256_HEX]; /* "" = not computed yet */
};
/* *mesh <- the config's mesh with its arrays, fibres and networks; nothing to do if it is already that mesh. kept: it
 * may be reused by a later call */
enum status problem_mesh_make(struct problem_mesh *mesh, bool kept, const struct config *config,
                              struct progress *progress, struct faults *faults);
void problem_mesh_free(struct problem_mesh *mesh);

/* The initial states of regions that start from a paced cell (paced.c), one for the region or one for each node */
struct problem_paced {
    double **state; /* [config->tissue.regions] of regions that start paced, else NULL */
    int32_t *row;   /* [mesh.nodes] row of value[]; NULL: no region has phases */
    double *value;  /* [rows][width] V and states, padded to the largest model */
    int64_t rows;
    int width;
};

struct torso;

struct problem {
    struct mesh mesh;
    bool borrowed;                /* the mesh is owned by another struct */
    char mesh_sha256[SHA256_HEX]; /* its digest; "" = not computed yet */
    struct mesh_notes notes;
    struct network_report *network; /* [networks] owned like the mesh; rank 0 only */
    int networks;
    int64_t fused;              /* nodes shared by elements of several dimensions (lines.c) */
    double fused_share;         /* mean share of their mass that comes from elements of lower dimension */
    struct region *region;      /* [config->tissue.regions] */
    struct velocity_goal *goal; /* [config->tissue.regions] velocities, and the diffusion found for them */
    struct problem_paced paced;
    double (*thresholds)[2];   /* [config->tissue.regions] mV: threshold and rearm of activations */
    int32_t *element_region;   /* [mesh.elements] */
    int32_t *node_region;      /* [mesh.nodes]; NULL: no region has `where` or is of resistors */
    double *scale[3];          /* [mesh.elements] factors on the regions' diffusion, by direction; or NULL */
    struct stimulus *stimulus; /* [stimuli] the trains of all stimuli, in order, with their nodes */
    int *stimulus_from;        /* [stimuli] index of the config's stimulus */
    struct volume *stimulus_volume; /* [config->stimuli]; rank 0 only */
    int stimuli;
    struct torso *torso;             /* of the ECG (torso.h); NULL = none */
    struct probe *probe;             /* [config->output.probes] with their nodes */
    struct monodomain_params params; /* points at the above */
    double read_seconds;
    int64_t fibers_across; /* elements whose fibre has no effect (tensors_across) */
    int64_t filled_fibers; /* elements that copied the nearest fibre because the file had none */
};

/* Reads or generates the mesh and resolves on it what the config names. Errors: STATUS_INPUT with all faults: an
 * element's tag that is in no region, a region's or stimulus' tag that no element has, a stimulus without nodes, a
 * probe outside, a missing fibre; STATUS_RUN if a paced cell fails. Free *problem even then. progress: reports long
 * stages; NULL = none. */
enum status problem_create(struct problem *problem, const struct config *config, struct progress *progress,
                           struct error *error);
/* The same on *mesh, which is rebuilt only if the config describes another mesh. It must outlive the problem. */
enum status problem_create_on(struct problem *problem, struct problem_mesh *mesh, const struct config *config,
                              struct progress *progress, struct error *error);
/* Prints a line for each setting that is probably unintended or has no effect (warnings.c). */
void problem_warnings(FILE *file, const struct problem *problem, const struct config *config);
/* STATUS_INPUT if initial.file is missing. */
enum status problem_check_initial(const struct config *config, struct error *error);
/* Sends rank 0's problem to the other ranks: global data, and the nodes and elements of each rank's subdomain (with
 * all_nodes: all nodes). Rank 0 keeps everything. Errors, the same on all ranks: STATUS_RUN if out of memory. */
enum status problem_scatter(struct problem *problem, const struct config *config, struct subdomain *subdomain,
                            bool all_nodes, struct error *error);
/* On rank 0: reduces the problem to the nodes, elements and data of its own subdomain, to which params and regions
 * then point. Errors: STATUS_RUN if out of memory. */
enum status problem_keep(struct problem *problem, struct subdomain *subdomain, bool all_nodes,
                         struct error *error);
/* Frees the mesh except its points and its numbers of nodes and elements; for use once the tissue and its result
 * exist. */
void problem_drop_mesh(struct problem *problem);
void problem_free(struct problem *problem);

/* The activation threshold of a region, mV; infinite for a node in no region */
static inline double problem_threshold(const struct problem *problem, int32_t region)
{
    return region < problem->params.regions ? problem->thresholds[region][0] : HUGE_VAL;
}

/* Bytes of the mesh and of the problem's arrays */
double problem_bytes(const struct problem *problem);

/* The parts of problem_create(), one file each: */

/* regions.c */
/* problem->element_region[], and node_region[] if a region has `where` <- the first region that has the tag and whose
 * `where` holds; problem->scale[] <- the regions' factors. Faults: elements or nodes in no region, regions and tags
 * without elements, factors below 0. */
enum status regions_assign(struct problem *problem, const struct config *config,
                           struct environment *environment, struct faults *faults);
/* region[mesh.nodes] <- the region that gives each node its cell */
void regions_of_nodes(int32_t *region, const struct problem *problem);
/* Points a copied region's factors to the same directions of scale[]. */
void regions_renew_scale(struct region *region, double *const scale[3]);

/* lines.c: networks of lines, and the cross-sections of meshes of several dimensions */
/* Joins the config's networks to to->mesh; to->network <- a report on each */
enum status lines_join(struct problem_mesh *to, const struct config *config, struct faults *faults);

/* Checks that every element has the cross-section that it needs and every node mass. Resistors at one end of a
 * network share its conductance (problem->scale). Errors: STATUS_INPUT, all faults. */
enum status lines_check(struct problem *problem, const struct config *config, struct faults *faults);

/* Prints the networks, and the number of nodes shared by elements of several dimensions. */
void lines_describe(FILE *file, const struct problem *problem);

/* Prints a line if ends or trees of networks are not connected to the tissue. */
void lines_warning(FILE *file, const struct problem *problem);

/* protocol.c: times of a stimulus */
/* train[protocol_trains()] <- start, period, count and current of each train, in order; all but the first have
 * `phase` set */
int protocol_trains(const struct config_stimulus *stimulus);
void protocol_times(struct stimulus *train, const struct config_stimulus *stimulus);

/* *shape <- [*points] waveform in the file: time in ms, 0 or later and ascending, and fraction of the current. The
 * caller frees it. Errors: STATUS_INPUT with file:line:column. */
enum status protocol_pulse(double (**shape)[2], int *points, const char *path, struct inputs *inputs,
                           struct error *error);
/* *duration <- the duration of a stimulus' pulses, ms, given or from its waveform file. Errors: those of
 * protocol_pulse(). */
enum status protocol_duration(double *duration, const struct config_stimulus *stimulus, struct inputs *inputs,
                              struct error *error);

/* parameters.c: model parameters that vary between nodes */
/* problem->region[].field <- their values at the region's nodes, NaN at others; adds faults of the config */
enum status parameters_assign(struct problem *problem, const struct config *config,
                              struct environment *environment, struct faults *faults);
void parameters_free(struct problem *problem);
double parameters_bytes(const struct problem *problem);

/* Prints ", g_Ks 0.1 .. 0.4 by gks" for each such parameter of region r. */
void parameters_describe(FILE *file, const struct problem *problem, const struct config *config, int r);

/* paced.c: the states of paced cells, from which the nodes of a region start */
/* region[].initial <- V and states of one cell after its beats; with phases also problem->paced.row and
 * .value, whose node i starts
 *
 *   phase T after the last stimulus,  phase = the expression, or 1 - t / T with t of the file, modulo 1
 *
 * T: the period; a phase of 0 is the moment of the next stimulus, at which all nodes start without phases.
 * Does nothing if initial.file gives the states of the whole tissue. Adds faults of the config. */
enum status paced_assign(struct problem *problem, const struct config *config,
                         struct environment *environment, struct faults *faults);
void paced_free(struct problem *problem);
/* Prints a line if region r's cell starts depolarised, or is not paced by its model text's own protocol. */
void paced_warning(FILE *file, const struct problem *problem, const struct config *config, int r);

/* Sets the initial state of each node if any region has phases; collective over ranks. Errors: STATUS_RUN. */
enum status paced_start(struct monodomain *sim, const struct problem *problem, struct error *error);
bool paced_by_node(const struct config *config); /* whether a region has phases */

#endif
