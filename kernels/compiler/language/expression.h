/* expression.h: the formulas of a cell as one graph, in which equal expressions are one node.
 *
 * A node has a higher number than its operands, so ascending numbers are an order of evaluation. Nodes are
 * never changed or removed: a pass reads a graph and makes new nodes. Truth values are 1 and 0. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_EXPRESSION_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_EXPRESSION_H

#include <stdbool.h>

#include "kernels/base/error.h"

enum expression_operation {
    /* leaves */
    EXPRESSION_NUMBER,    /* the number */
    EXPRESSION_V,         /* membrane potential, mV */
    EXPRESSION_STATE,     /* state number `leaf`, in its own unit */
    EXPRESSION_PARAMETER, /* parameter number `leaf`, in its own unit */
    EXPRESSION_STIMULUS,  /* the stimulus as dV/dt, mV/ms, positive depolarises */
    EXPRESSION_TIME,      /* ms */
    EXPRESSION_STEP,      /* length of a sub-step, ms: only in compiled steps, never in a text */
    EXPRESSION_CHANGE,    /* d of state number `leaf` (step.h): likewise */
    EXPRESSION_KEEPING,   /* w of state number `leaf` (step.h): likewise */
    /* one operand */
    EXPRESSION_NEGATE,
    EXPRESSION_NOT,
    EXPRESSION_EXP,
    EXPRESSION_EXPM1, /* made by passes, as is X_OVER_EXPM1 (1 at 0) */
    EXPRESSION_X_OVER_EXPM1,
    EXPRESSION_LOG,
    EXPRESSION_LOG10,
    EXPRESSION_SQRT,
    EXPRESSION_ABS,
    EXPRESSION_FLOOR,
    EXPRESSION_CEIL,
    EXPRESSION_SIN,
    EXPRESSION_COS,
    EXPRESSION_TAN,
    EXPRESSION_ASIN,
    EXPRESSION_ACOS,
    EXPRESSION_ATAN,
    EXPRESSION_TANH, /* made by passes */
    /* two operands */
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_POWER,
    EXPRESSION_LESS,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_EQUAL,
    EXPRESSION_AND,
    EXPRESSION_OR,
    /* three operands */
    EXPRESSION_SELECT, /* operand 0 is true ? operand 1 : operand 2; both are computed */
    EXPRESSION_OPERATIONS
};

struct expression_node {
    enum expression_operation operation;
    int operand[3]; /* lower numbers; unused operands are -1 */
    int leaf;       /* index of a state or parameter, else -1 */
    double number;  /* of EXPRESSION_NUMBER, else 0 */
    int quantity;   /* 1 + index of the cell's quantity with this formula, whose name it has; 0 = none */
};

struct expression_graph {
    int nodes, room;
    struct expression_node *node;
    int slots; /* of the hash table that finds equal nodes: a power of two, > 2 nodes */
    int *slot;
    enum status status; /* of the first failure: out of memory, or more than EXPRESSION_NODES_MAX nodes;
                         * after it every new node is node 0, and the graph does not grow */
};

enum { EXPRESSION_NODES_MAX = 1 << 20 };

/* Number of operands of an operation, 0 .. 3. */
int expression_operands(enum expression_operation operation);

/* Whether the value is a truth value */
static inline bool expression_is_truth(enum expression_operation operation)
{
    return operation == EXPRESSION_NOT || (operation >= EXPRESSION_LESS && operation <= EXPRESSION_OR);
}

/* The value of an operation other than a leaf, computed with our own functions (kernels/base/elementary.h),
 * so that compiled texts do not depend on a library */
double expression_value(enum expression_operation operation, double a, double b, double c);

/* x^y: integer and half-integer y up to this size by multiplication and a square root; others by real_pow */
enum { EXPRESSION_POWER_MAX = 64 };
double expression_power(double x, double y);
#define EXPRESSION_LOG10_E 0.43429448190325182765 /* 1 / log 10 */

/* Makes a graph that contains only node 0, the number 0. */
enum status expression_begin(struct expression_graph *graph, struct error *error);
void expression_free(struct expression_graph *graph);

/* Returns the node with this meaning, created if necessary. Numbers are equal if their bits are. Operations
 * on numbers alone are folded (expression_value). Zeros and ones are removed from sums, products and
 * quotients, and -(-a) is a; nothing else is rewritten here. */
int expression_number(struct expression_graph *graph, double number);
int expression_leaf(struct expression_graph *graph, enum expression_operation operation, int leaf);
int expression_one(struct expression_graph *graph, enum expression_operation operation, int a);
int expression_two(struct expression_graph *graph, enum expression_operation operation, int a, int b);
int expression_select(struct expression_graph *graph, int condition, int when_true, int when_false);

/* Marks node n as this quantity, unless it is a leaf or already another quantity */
void expression_name(struct expression_graph *graph, int n, int quantity);
bool expression_is(const struct expression_graph *graph, int n, double number);

/* Whether node n depends on a leaf of this kind (EXPRESSION_V, EXPRESSION_STATE ...) */
bool expression_depends(struct expression_graph *graph, int n, enum expression_operation leaf);

struct expression_values {
    double v, stimulus, time, step;
    const double *state, *parameter;
};

/* value[n] <- the value of node n, for n < nodes */
void expression_evaluate(const struct expression_graph *graph, const struct expression_values *values,
                         int nodes, double *value);

/* on[n] <- bit EXPRESSION_X set where node n < nodes depends on a leaf of kind X */
void expression_leaves(const struct expression_graph *graph, unsigned *on, int nodes);
/* as[n] <- node n < nodes with `to` in place of that leaf; on[] is that of expression_leaves */
void expression_replace_leaf(struct expression_graph *graph, int *as, const unsigned *on, int nodes,
                             enum expression_operation leaf, int to);
/* The derivative of node n by that leaf; -1 if n is not linear in it. by[0 .. n] is workspace. */
int expression_slope(struct expression_graph *graph, int n, int *by, const unsigned *on,
                     enum expression_operation leaf);

#endif
