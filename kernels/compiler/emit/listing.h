/* listing.h: nodes as lines of C, each where it is first used.
 *
 * A product that is used once, in a sum, is part of an fma; denominators are inverted together
 * (quotients.h); columns are read from the table. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_LISTING_H
#define CARDIAC_KERNELS_COMPILER_EMIT_LISTING_H

#include "kernels/compiler/algebra/interval.h"
#include "kernels/compiler/algebra/quotients.h"
#include "kernels/compiler/emit/emit.h"
#include "kernels/compiler/language/cell.h"

/* Identifiers of a cell's states, parameters and quantities in C: "ina_m" for ina.m.
 *
 * If that is not unique, too long, or may be used by C, C++ or our own headers, it is a letter and its
 * number: s0, p0, q0. */

enum { SYMBOLS_LENGTH = 48 };
typedef char symbols_name[SYMBOLS_LENGTH];

struct symbols {
    symbols_name *state, *parameter, *quantity; /* one array, to be freed: state */
};

enum status symbols_make(struct symbols *symbols, const struct cell *cell, struct error *error);

struct listing {
    struct algebra *algebra;
    const struct emit_model *model;
    char *text;
    size_t length, room;
    bool failed; /* no memory */
    bool wild;   /* NaN */
    int nodes;
    struct symbols symbols;
    int *field; /* of the constants, -1 = none */
    int fields;
    int *named, *named_field; /* [quantities] node with the quantity's name in the present text; among the
                               * fields; -1 = none */
    bool constants;           /* the constants are being written: double, from parameters */
    const struct emit_table *table; /* of the present text, or NULL */
    const char *v, *c;              /* source of V, and of constants, in the present text */
    struct interval *interval;      /* of each node */
    int *uses;                      /* of each node in the present text */
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

/* Whether n is a constant of the cells but no literal; a leaf in the present text; k of the table's entry
 * for it, -1 = none */
bool listing_is_field(const struct listing *listing, int n);
bool listing_is_given(struct listing *listing, int n);
int listing_column(const struct listing *listing, int n);

/* uses <- of each node below the roots; nothing is written yet */
void listing_count(struct listing *listing, const int *root, int roots);
/* Writes the lines of n and its operands that are not written yet */
void listing_visit(struct listing *listing, int n);

#endif
