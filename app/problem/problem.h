/* problem.h: the problem of a config and its mesh as the solver needs it: regions, stimuli, parameters. */
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

/* A mesh with its fibres, and what was computed on it for expressions */
struct problem_mesh {
    int made;        /* number of times */
    char *made_from; /* the keys (CONFIG_MESH) and arrays that it was made by; NULL = not made */
    struct mesh mesh;
    struct digest_blocks blocks; /* of a large mesh of a file */
    struct mesh_notes notes;
    struct environment environment;
    struct network_report *network; /* [networks of the config] */
    double read_seconds;
    int64_t filled_fibers;
    char sha256[SHA256_HEX]; /* "" = not computed yet */
};
/* *mesh <- the config's mesh with its arrays, fibres and networks, unless it is that already; kept: it may be
 * asked for again */
enum status problem_mesh_make(struct problem_mesh *mesh, bool kept, const struct config *config,
                              struct progress *progress, struct faults *faults);
void problem_mesh_free(struct problem_mesh *mesh);

/* Where the cells of a region, or each of its nodes, start in the beats of a paced cell (paced.c) */
struct problem_paced {
    double **state; /* [config->tissue.regions] of regions that start paced, else NULL */
    int32_t *row;   /* [mesh.nodes] of the table; NULL: no region has phases */
    double *value;  /* [rows][width] V and states, padded to the most of any model */
    int64_t rows;
    int width;
};

struct torso;

struct problem {
    struct mesh mesh;
    bool borrowed;                /* the mesh is that of another struct */
    char mesh_sha256[SHA256_HEX]; /* its digest; "" = not computed yet */
    struct mesh_notes notes;
    struct network_report *network; /* [networks], as the mesh; on other ranks there are none */
    int networks;
    int64_t fused;              /* nodes of elements of several dimensions (lines.c) */
    double fused_share;         /* of their mass that is of lower ones, on average */
    struct region *region;      /* [config->tissue.regions] */
    struct velocity_goal *goal; /* [config->tissue.regions] velocities, and the conductivities found */
    struct problem_paced paced;
    double (*thresholds)[2]; /* [config->tissue.regions] mV: threshold and rearm of activations */
    int32_t *element_region; /* [mesh.elements] */
    int32_t *node_region;    /* [mesh.nodes]; NULL: no region says `where` or is of resistors */
    double *scale[3];        /* [mesh.elements] factors on the diffusion of regions, by direction; or NULL */
    struct stimulus
        *stimulus;      /* [stimuli] the trains of all, each behind the one before it, with their nodes */
    int *stimulus_from; /* [stimuli] which of the config's it is of */
    struct volume *stimulus_volume; /* [config->stimuli]; of rank 0 */
    int stimuli;
    struct torso *torso;             /* of the ECG (torso.h); NULL = none */
    struct probe *probe;             /* [config->output.probes] with their nodes */
    struct monodomain_params params; /* points at the above */
    double read_seconds;
    int64_t fibers_across; /* elements whose fibre does nothing (tensors_across) */
    int64_t filled_fibers; /* taken from the nearest, since the file had none there */
};

/* Reads or generates the mesh and finds in it what the config names. Errors: STATUS_INPUT when an element's
 * tag is in no region, a region's or stimulus' tag in no element, a stimulus on no node, a probe outside, a
 * fibre is missing: all such faults; STATUS_RUN when a paced cell is lost. *problem is to be freed in any
 * case. progress: reports what takes long; NULL = nothing is reported. */
enum status problem_create(struct problem *problem, const struct config *config, struct progress *progress,
                           struct error *error);
/* The same on *mesh, which is made again only if the config describes another one, and must outlive the
 * problem */
enum status problem_create_on(struct problem *problem, struct problem_mesh *mesh, const struct config *config,
                              struct progress *progress, struct error *error);
/* A line for each thing that is hardly meant or has no effect (warnings.c) */
void problem_warnings(FILE *file, const struct problem *problem, const struct config *config);
/* STATUS_INPUT if the file that the tissue is to start from is not there. */
enum status problem_check_initial(const struct config *config, struct error *error);
/* *problem of the other ranks <- rank 0's: data of the whole, and that of the nodes and elements of the
 * rank's subdomain, or of all nodes if requested; rank 0 keeps all. Errors, the same on all ranks: STATUS_RUN
 * without memory. */
enum status problem_scatter(struct problem *problem, const struct config *config, struct subdomain *subdomain,
                            bool all_nodes, struct error *error);
/* On rank 0: keeps the nodes, elements and data of its own subdomain alone; params and regions point to
 * these. Errors: STATUS_RUN without memory. */
enum status problem_keep(struct problem *problem, struct subdomain *subdomain, bool all_nodes,
                         struct error *error);
/* Once the tissue and its result are made: keeps of the mesh its points and the numbers of nodes and elements
 * of the whole. */
void problem_drop_mesh(struct problem *problem);
void problem_free(struct problem *problem);

/* The threshold of activations in that region, mV; in no region infinite */
static inline double problem_threshold(const struct problem *problem, int32_t region)
{
    return region < problem->params.regions ? problem->thresholds[region][0] : HUGE_VAL;
}

/* Bytes of the mesh and of the lists beside it */
double problem_bytes(const struct problem *problem);

/* Its parts, each found by a file of its own. */

/* regions.c */
/* problem->element_region[], node_region[] where a region says `where`, and the regions' scale <- the first
 * region that has the tag and whose `where` holds. Faults: elements or nodes that no region has, regions and
 * tags that nothing has, factors below 0. */
enum status regions_assign(struct problem *problem, const struct config *config,
                           struct environment *environment, struct faults *faults);
/* region[mesh.nodes] <- those whose cells the nodes have */
void regions_of_nodes(int32_t *region, const struct problem *problem);
/* The region's factors, which may be another copy's <- the same of these arrays */
void regions_renew_scale(struct region *region, double *const scale[3]);

/* lines.c: networks of lines, and the cross-sections of meshes of several dimensions */
/* to->mesh <- joined with the networks of the config, to->network <- what was found of each */
enum status lines_join(struct problem_mesh *to, const struct config *config, struct faults *faults);

/* Whether every element has a cross-section where one is needed, and every node mass; resistors that join one
 * end of a network share their conductance: problem->scale. Errors: STATUS_INPUT, all such faults. */
enum status lines_check(struct problem *problem, const struct config *config, struct faults *faults);

/* Prints what the networks are, and where elements of several dimensions share nodes. */
void lines_describe(FILE *file, const struct problem *problem);

/* A line where ends or trees of networks join nothing */
void lines_warning(FILE *file, const struct problem *problem);

/* protocol.c: a stimulus in time */
/* train[protocol_trains] <- their times, one after the other, and the current; those after the first are
 * phases */
int protocol_trains(const struct config_stimulus *stimulus);
void protocol_times(struct stimulus *train, const struct config_stimulus *stimulus);

/* *shape <- [*points] of the file, to be freed: ms, from 0 or later and ascending, and a share of the
 * current. STATUS_INPUT with file:line:column when the file is wrong. */
enum status protocol_pulse(double (**shape)[2], int *points, const char *path, struct inputs *inputs,
                           struct error *error);
/* *duration <- of each pulse of a stimulus, ms, also of one whose shape is in a file. Errors: those of
 * protocol_pulse(). */
enum status protocol_duration(double *duration, const struct config_stimulus *stimulus, struct inputs *inputs,
                              struct error *error);

/* parameters.c: parameters of models that expressions give at the nodes */
/* problem->region[].field <- their values at the regions' nodes, NaN at others; faults are those of the
 * config */
enum status parameters_assign(struct problem *problem, const struct config *config,
                              struct environment *environment, struct faults *faults);
void parameters_free(struct problem *problem);
double parameters_bytes(const struct problem *problem);

/* ", g_Ks 0.1 .. 0.4 by gks" for each of region r */
void parameters_describe(FILE *file, const struct problem *problem, const struct config *config, int r);

/* paced.c: the states of paced cells, from which the nodes of a region start */
/* region[].initial <- V and states of one cell after its beats; with phases also problem->paced.row and
 * .value, whose node i starts
 *
 *   phase T after the last stimulus,  phase = the expression, or 1 - t / T with t of the file, modulo 1
 *
 * T: the period; a phase of 0 is the moment of the next stimulus, at which all nodes start without phases.
 * Nothing is done where initial.file has the states of the whole tissue. Faults are those of the config. */
enum status paced_assign(struct problem *problem, const struct config *config,
                         struct environment *environment, struct faults *faults);
void paced_free(struct problem *problem);
/* Lines where a region's cell begins depolarised, or is not paced by its text's own protocol */
void paced_warning(FILE *file, const struct problem *problem, const struct config *config, int r);

/* The tissue at step 0 <- the state of each node, if a region has phases; all ranks call this. Errors:
 * STATUS_RUN. */
enum status paced_start(struct monodomain *sim, const struct problem *problem, struct error *error);
bool paced_by_node(const struct config *config); /* whether a region has phases */

#endif
