/* spectrum.h: rigorous, order-free bounds on the spectra that decide which method converges, and how fast.
 *
 * Derived in docs/theory/numerics.md. Element bounds: A. J. Wathen, IMA J. Numer. Anal. 7 (1987) 449,
 * theorem 2.1: the eigenvalues of D^-1 A lie between the extremes over the elements of those of D_e^-1 A_e.
 * Row bounds: solver/matrix/perron.h. */
#ifndef CARDIAC_SOLVER_MATRIX_SPECTRUM_H
#define CARDIAC_SOLVER_MATRIX_SPECTRUM_H

#include "solver/matrix/assembly.h"
#include "solver/matrix/tensor.h"

struct interval {
    double low, high;
};

/* Bounds by the elements, with A_e = M_e + theta dt K_e, M_e = f M_lumped + (1 - f) M_consistent, D_e the
 * diagonal of A_e. Any m_i^e >= 0 that add up to m_i may be the lumped part. They are divided by the
 * elements' measure; if that interval is wide, it is intersected with those of a division by stiffness, m_i
 * k_ii^e / k_ii, never below min m_i / d_i, and of the mean of both. */
struct element_spectrum {
    struct interval jacobi; /* extremes of lambda(D_e^-1 A_e) */
    double lowest_mass; /* least lambda(M_Le^-1 A_e): 1 / it estimates the factor from a residual to an error
                           when no row bound exists */
    double rate;        /* largest lambda(M_Le^-1 K_e), 1/ms: with perron.rate the limit of explicit steps */
    double
        rate_of[4]; /* its parts: [1] to [3] of the elements of that dimension, [0] of resistors; 0 = none */
    int64_t resistor; /* the first of the largest ones at the node where [0] is reached; -1 = none */
};

/* *found <- of the whole mesh; resistors, which have no mass, widen the bounds by their part of the rows.
 * Within a block of elements, one within 1e-12 of the extremes so far is passed over, so that the last bits
 * depend on these blocks. *sums is filled if it is needed and empty; the caller frees it. Errors: STATUS_RUN
 * without memory. */
struct node_sums;
enum status spectrum_elements(struct element_spectrum *found, const struct tensors *tensors,
                              const struct scheme_length *of, struct node_sums *sums, struct error *error);

/* elements->jacobi <- of D_e with the blocks of A_e whose corners have one label, >= 0: these bound
 * lambda(D^-1 A) where D has the blocks of A. No node of a resistor has a label. Errors: as above. */
enum status spectrum_join(struct element_spectrum *elements, const struct tensors *tensors,
                          const int32_t *label, const struct scheme_length *of, struct node_sums *sums,
                          struct error *error);

/* Sums of each node, without resistors; not computed again if *sums has them. Errors: STATUS_RUN without
 * memory; free *sums in any case. */
struct node_sums {
    double *mass, *stiffness; /* [nodes] m_i and the sum of k_ii^e */
};
enum status node_sums_find(struct node_sums *sums, const struct tensors *tensors, struct error *error);
void node_sums_free(struct node_sums *sums);

/* The first element of the whole mesh, except resistors, with the largest lambda(M_Le^-1 K_e), and that in
 * *rate, 1/ms */
int64_t spectrum_stiffest(const struct tensors *tensors, double *rate, const struct comm *comm);

#endif
