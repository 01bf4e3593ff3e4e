/* listing.h: writes nodes as lines of C, each at its first use.
 *
 * A product used only once, in a sum, becomes part of an fma; denominators are inverted together
 * (quotients.h); columns are read from the table. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_LISTING_H
#define CARDIAC_KERNELS_COMPILER_EMIT_LISTING_H

#include "kernels/compiler/algebra/interval.h"
#include "kernels/compiler/algebra/quotients.h"
#include "kernels/compiler/emit/emit.h"
#include "kernels/compiler/language/cell.h"

/* C identifiers of a cell's states, parameters and quantities: "ina_m" for ina.m.
 *
 * If that name is not unique, is too long, or may be used by C, C++ or our own headers, the identifier is a
 * letter and the item's number: s0, p0, q0. */

enum { SYMBOLS_LENGTH = 48 };
typedef char symbols_name[SYMBOLS_LENGTH];

struct symbols {
    symbols_name *state, *parameter, *quantity; /* one array; free(state) frees it */
};

enum status symbols_make(struct symbols *symbols, const struct cell *cell, struct error *error);

struct listing {
    struct algebra *algebra;
    const struct emit_model *model;
    char *text;
    size_t length, room;
    bool failed; /* out of memory */
    bool wild;   /* a number is not finite */
    int nodes;
    struct symbols symbols;
    int *field; /* of each node: its index among the constants, -1 = none */
    int fields;
    /* [quantities] node that has the quantity's name in the current function; among the fields; -1 = none */
    int *named, *named_field;
    bool constants;                 /* writing the constants: computed in double from parameters */
    const struct emit_table *table; /* of the current function, or NULL */
    const char *v, *c;         /* names of the sources of V and of the constants in the current function */
    struct interval *interval; /* of each node */
    int *uses;                 /* of each node in the current function */
    bool *done, *reached;
    int *order, ordered; /* nodes in the order written */
    struct quotients quotients;
};

void listing_put(struct listing *listing, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { LISTING_NAME = 96 };
/* out[LISTING_NAME] <- the constants' member for node n */
const char *listing_field(const struct listing *listing, int n, char *out);
/* out[LISTING_NAME] <- node n in a formula, as a number */
const char *listing_value(struct listing *listing, int n, char *out);

/* Whether n is a constant of the cells but not a literal; whether n is a leaf in the current function; index
 * of the table's column for n, -1 = none */
bool listing_is_field(const struct listing *listing, int n);
bool listing_is_given(struct listing *listing, int n);
int listing_column(const struct listing *listing, int n);

/* uses <- the number of uses of each node below the roots; marks all nodes as not yet written */
void listing_count(struct listing *listing, const int *root, int roots);
/* Writes the lines of n and of its operands, except those already written */
void listing_visit(struct listing *listing, int n);

#endif
