/* points.h: dependence of the nodes of a graph, and their values at sample points.
 *
 * Both determine the normal form: factors with the same dependence can be put into a table or a constant,
 * and values keep denominators in the range of fp32. */
#ifndef CARDIAC_KERNELS_COMPILER_ALGEBRA_POINTS_H
#define CARDIAC_KERNELS_COMPILER_ALGEBRA_POINTS_H

#include <stdbool.h>

#include "kernels/compiler/language/cell.h"

/* What a node depends on; 0 = on parameters, the step, or nothing: it is constant for a model's cells */
enum { ALGEBRA_V = 1, ALGEBRA_STATE = 2, ALGEBRA_STIMULUS = 4, ALGEBRA_TIME = 8 };

/* Points at which nodes are known: V from -200 to 200 mV, states in the ranges given */
enum { ALGEBRA_POINTS = 64 };
struct algebra_point {
    double v, dt;
    double *state;           /* [cell->states] */
    const double *parameter; /* [cell->parameters] */
};

struct algebra {
    struct expression_graph *graph;
    int known, room; /* nodes whose entries here are made */
    unsigned char *on;
    bool *whole; /* an atomic factor: its own factors leave fp32 when raised to its power */
    double (*value)[ALGEBRA_POINTS];
    int *negated, *above, *below; /* -n and n as a fraction, -1 = not yet computed */
    struct algebra_point point[ALGEBRA_POINTS];
    bool split; /* functions of V are separate factors, also in denominators: for tables */
    void *memory;
};

/* Points with states between low and high [cell->states] */
enum status algebra_begin(struct algebra *algebra, struct cell *cell, const double *low, const double *high,
                          struct error *error);
void algebra_end(struct algebra *algebra);
/* From now on functions of V are separate factors */
void algebra_split(struct algebra *algebra);

/* Entries of the nodes that are new since the last call */
void algebra_evaluate_new(struct algebra *algebra);

unsigned algebra_on(struct algebra *a, int n);
bool algebra_constant(struct algebra *a, int n);
const double *algebra_values(struct algebra *a, int n);
bool algebra_number(struct algebra *a, int n, double number);
/* Whether n is 0 or well within the range of fp32 at every point */
bool algebra_in_range(struct algebra *a, int n);

static inline const struct expression_node *algebra_node(const struct algebra *a, int n)
{
    return &a->graph->node[n];
}

static inline enum expression_operation algebra_operation(const struct algebra *a, int n)
{
    return a->graph->node[n].operation;
}

#endif
