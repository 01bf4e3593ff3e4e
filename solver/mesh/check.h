/* check.h: faults of a mesh.
 *
 * Errors: an index out of range, a number that is not finite, a repeated vertex, an element without length,
 * area or volume, an element given twice, tetrahedra that overlap at a face, a node that belongs to no
 * element (it would have no mass). Warnings: several components that no element joins, several nodes at one
 * position. Negative tetrahedra are turned and counted. */
#ifndef CARDIAC_SOLVER_MESH_CHECK_H
#define CARDIAC_SOLVER_MESH_CHECK_H

#include "kernels/base/error.h"
#include "solver/mesh/mesh.h"

/* Number of occurrences of each fault and its first example (nodes and elements counted from 0; -1 =
 * none). */
struct mesh_health {
    int64_t turned;                      /* tetrahedra that were negative and had two vertices swapped */
    int64_t out_of_range, range_element; /* vertices that are no node; the element with the first */
    int64_t not_finite, not_finite_node; /* nodes with a coordinate that is not finite or exceeds 1e9 mm */
    int64_t bad_fibers, bad_fiber;       /* directions that are not finite */
    int64_t repeated, repeated_element;  /* elements with the same node twice */
    int64_t flat, flat_element;          /* other elements without length, area or volume, up to rounding */
    int64_t duplicates, duplicate_element, duplicate_of; /* elements with the same nodes as an earlier one */
    int64_t loose, loose_node;                           /* nodes of no element */
    int64_t doubles, double_node, double_of;             /* nodes at the position of an earlier one */
    int64_t overlaps, overlap_element, overlap_other; /* faces where tetrahedra overlap, and two of these */
    int64_t components;                               /* connected components; nodes of no element are not
                                                         counted */
};

/* Finds the faults of the mesh and reverses negative tetrahedra. Later checks are skipped if indices or
 * coordinates are invalid. Returns only STATUS_OK or STATUS_RUN (memory). O(elements) time and memory. */
enum status mesh_check(struct mesh *mesh, struct mesh_health *health, struct error *error);

/* An error as a message with its remedy, and its first element or node (-1 = none) */
struct mesh_fault {
    char text[400];
    int64_t node, element;
};

/* *fault <- the next error, starting at *which = 0; false when there is no further one. */
bool mesh_health_fault(const struct mesh_health *health, int *which, struct mesh_fault *fault);

/* STATUS_INPUT with the first of the errors above, else STATUS_OK. */
enum status mesh_health_verdict(const struct mesh_health *health, struct error *error);

/* text <- the next warning, starting at *which = 0; false when there is no further one. */
int mesh_health_warning(const struct mesh_health *health, int *which, char text[256]);

/* Whether an element has the same node twice; whether its length, area or volume is 0 up to rounding; its
 * nodes in ascending order, as a key */
bool mesh_repeats_node(const struct mesh *mesh, int64_t element);
bool mesh_is_flat(const struct mesh *mesh, int64_t element);
void mesh_element_key(const struct mesh *mesh, int64_t element, uint64_t key[3]);

/* The measure times the factorial of the dimension: length, twice the area, six times the signed volume. */
double mesh_measure(const struct mesh *mesh, int64_t element);

/* Find items that equal an earlier one, such as nodes at one position. */

/* Number of duplicates, the first of them, and the first item that it equals (-1 = none) */
struct duplicates {
    int64_t count, first, first_of;
};

/* key <- the key of item i */
typedef void duplicates_key(const struct mesh *mesh, int64_t i, uint64_t key[3]);

/* again[items] (NULL = not needed) <- 1 if the item equals an earlier one, else 0. The result does not
 * depend on the number of threads. Returns only STATUS_OK or STATUS_RUN (memory); 8 bytes an item,
 * O(items) time. */
enum status duplicates_find(struct duplicates *duplicates, const struct mesh *mesh, int64_t items,
                            duplicates_key *key_of, uint8_t *again, struct error *error);

#endif
