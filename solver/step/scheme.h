/* scheme.h: the scheme of a tissue's steps, decided once at its set-up: the method, the lengths of
 * its steps, the stages of each and the clusters of nodes.
 *
 * Stages of rkl2 are taken where they pass over the matrix at most as often as the sweeps of the cheaper of
 * jacobi and chebyshev. Over a whole run, of which a front is in the tissue for a quarter of the time,
 *
 *   passes for a time of dt = 1/4 (n + 1) + 3/4 (q + 1) / 2^k     (n + 1 with steps of one length)
 *
 * n being the sweeps or stages of a step of dt, q those of the longest step that the method may take, of dt
 * 2^k: q = n for sweeps. Stages add one product to n - 1 readings, and staggered ones a second; sweeps add one
 * (docs/theory/numerics.md, section 4). */
#ifndef CARDIAC_SOLVER_STEP_SCHEME_H
#define CARDIAC_SOLVER_STEP_SCHEME_H

#include "solver/matrix/clusters.h"
#include "solver/matrix/perron.h"
#include "solver/step/monodomain_internal.h"

/* The parts of a matrix, in mesh order */
struct assembly {
    struct tensors tensors;
    struct system system;
    struct rows rows;
    struct halo_nodes ghosts;
    struct clusters_found found;
    struct perron perron; /* of a step of sweeps */
};

/* The system of this rank and its exchange, clusters and the bounds by elements. Errors: STATUS_RUN without
 * memory, STATUS_INPUT for wrong tensors. */
enum status scheme_assemble(struct monodomain *sim, struct assembly *assembly, struct error *error);
void scheme_free(struct assembly *assembly);

/* The scheme -> sim->report, and the method -> sim->params; assembly->rows and the clusters of the
 * system are those of the scheme. By all ranks, with the same result, also on other devices and after a
 * resume. Errors: STATUS_RUN without memory. */
enum status scheme_decide(struct monodomain *sim, struct assembly *assembly, struct error *error);

#endif
