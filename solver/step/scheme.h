/* scheme.h: decides the scheme of a tissue's steps, once during the set-up: the method, the lengths of
 * steps, the number of stages of each, and the clusters of nodes.
 *
 * rkl2 is chosen if its stages pass over the matrix at most as often as the sweeps of the cheaper of
 * jacobi and chebyshev. Over a whole run, with a front in the tissue for a quarter of the time,
 *
 *   passes for a time of dt = 1/4 (n + 1) + 3/4 (q + 1) / 2^k     (n + 1 with steps of one length)
 *
 * where n is the number of sweeps or stages of a step of dt, and q that of the longest step that the
 * method may take, of length dt 2^k; for sweeps q = n. Stages need one product in addition to n - 1
 * readings, and a second one if staggered; sweeps need one (docs/theory/numerics.md, section 4). */
#ifndef CARDIAC_SOLVER_STEP_SCHEME_H
#define CARDIAC_SOLVER_STEP_SCHEME_H

#include "solver/matrix/clusters.h"
#include "solver/matrix/perron.h"
#include "solver/step/monodomain_internal.h"

/* The parts from which the matrix is built, in mesh order */
struct assembly {
    struct tensors tensors;
    struct system system;
    struct rows rows;
    struct halo_nodes ghosts;
    struct clusters_found found;
    struct perron perron; /* for a step with sweeps */
};

/* Assembles this rank's system and its exchange, clusters and element bounds. Errors: STATUS_RUN if out of
 * memory, STATUS_INPUT for invalid tensors. */
enum status scheme_assemble(struct monodomain *sim, struct assembly *assembly, struct error *error);
void scheme_free(struct assembly *assembly);

/* sim->report <- the scheme, sim->params <- the method; assembly->rows and the clusters of the system are
 * those of the scheme. Called by all ranks, with the same result on all of them, on any device, and after
 * a resume. Errors: STATUS_RUN if out of memory. */
enum status scheme_decide(struct monodomain *sim, struct assembly *assembly, struct error *error);

#endif
