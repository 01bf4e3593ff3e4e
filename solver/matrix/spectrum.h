/* spectrum.h: rigorous bounds, independent of the order of summation, on the spectra that determine which
 * method converges and how fast.
 *
 * Derived in docs/theory/numerics.md. Element bounds: A. J. Wathen, IMA J. Numer. Anal. 7 (1987) 449,
 * theorem 2.1: the eigenvalues of D^-1 A lie between the extremes over the elements of those of D_e^-1
 * A_e. Row bounds: solver/matrix/perron.h. */
#ifndef CARDIAC_SOLVER_MATRIX_SPECTRUM_H
#define CARDIAC_SOLVER_MATRIX_SPECTRUM_H

#include "solver/matrix/assembly.h"
#include "solver/matrix/tensor.h"

struct interval {
    double low, high;
};

/* Element bounds, with A_e = M_e + theta dt K_e, M_e = f M_lumped + (1 - f) M_consistent, D_e the diagonal
 * of A_e. Any m_i^e >= 0 that sum to m_i may serve as the lumped part. The masses are divided by the
 * elements' measure; if that interval is wide, it is intersected with those for a division by stiffness,
 * m_i k_ii^e / k_ii, never below min m_i / d_i, and for the mean of both. */
struct element_spectrum {
    struct interval jacobi; /* extremes of lambda(D_e^-1 A_e) */
    double lowest_mass;     /* least lambda(M_Le^-1 A_e): its inverse estimates the factor from a residual to
                               an error if there is no row bound */
    double rate;            /* largest lambda(M_Le^-1 K_e), 1/ms: with perron.rate it limits explicit steps */
    double
        rate_of[4];   /* the same for the elements of dimension [1] to [3], and for resistors [0]; 0 = none */
    int64_t resistor; /* the first of the stiffest resistors at the node where rate_of[0] is attained; -1 =
                         none */
};

/* *found <- the bounds of the whole mesh; resistors, which have no mass, widen them by their part of the
 * rows. Within a block of elements, an element within 1e-12 of the extremes so far is skipped, so the last
 * bits depend on these blocks. *sums is filled if it is needed and empty; the caller frees it. Errors:
 * STATUS_RUN if out of memory. */
struct node_sums;
enum status spectrum_elements(struct element_spectrum *found, const struct tensors *tensors,
                              const struct scheme_length *of, struct node_sums *sums, struct error *error);

/* elements->jacobi <- the bounds if D_e includes the blocks of A_e between corners with the same label >=
 * 0: they bound lambda(D^-1 A) if D includes the corresponding blocks of A. Nodes of resistors must not
 * have a label. Errors: as above. */
enum status spectrum_join(struct element_spectrum *elements, const struct tensors *tensors,
                          const int32_t *label, const struct scheme_length *of, struct node_sums *sums,
                          struct error *error);

/* Sums of each node, without resistors; not recomputed if *sums is filled. Errors: STATUS_RUN if out of
 * memory; free *sums even then. */
struct node_sums {
    double *mass, *stiffness; /* [nodes] m_i and the sum of k_ii^e */
};
enum status node_sums_find(struct node_sums *sums, const struct tensors *tensors, struct error *error);
void node_sums_free(struct node_sums *sums);

/* The first element of the whole mesh, resistors excepted, with the largest lambda(M_Le^-1 K_e); *rate <-
 * that, 1/ms */
int64_t spectrum_stiffest(const struct tensors *tensors, double *rate, const struct comm *comm);

#endif
