/* listing.h: nodes as lines of C, each where it is first used.
 *
 * A product that is used once, in a sum, is part of an fma; what is divided by is inverted together with
 * others (quotients.h); what a table holds is read from it. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_LISTING_H
#define CARDIAC_KERNELS_COMPILER_EMIT_LISTING_H

#include "kernels/compiler/algebra/interval.h"
#include "kernels/compiler/algebra/quotients.h"
#include "kernels/compiler/emit/emit.h"
#include "kernels/compiler/language/cell.h"

/* What a cell's states, parameters and quantities are called in C: "ina_m" for ina.m.
 *
 * A name that is not unique then, too long, or that C, C++ or our own headers may use is a letter and its
 * number in place of that: s0, p0, q0. */

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
    bool wild;   /* a number that is none */
    int nodes;
    struct symbols symbols;
    int *field; /* of the constants, -1 = none */
    int fields;
    int *named, *named_field; /* [quantities] node that has the quantity's name in what is written now; among
                                 the fields; -1 = none */
    bool constants;           /* the text is that of the constants: double, from parameters */
    const struct emit_table *table; /* of what is written now, or NULL */
    const char *v;                  /* where V comes from in what is written now */
    struct interval *interval;      /* of each node */
    int *uses;                      /* of each node in what is written now */
    bool *done, *reached;
    int *order, ordered; /* nodes as they were written */
    struct quotients quotients;
};

void listing_put(struct listing *listing, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { LISTING_NAME = 96 };
/* out[LISTING_NAME] <- the constants' member for node n */
const char *listing_field(const struct listing *listing, int n, char *out);
/* out[LISTING_NAME] <- what stands for node n in a formula, as a number */
const char *listing_value(struct listing *listing, int n, char *out);

/* Whether n is a constant of the cells that is no literal; a leaf in what is written now; k of the table's
 * entry for it, -1 = none */
bool listing_is_field(const struct listing *listing, int n);
bool listing_is_given(struct listing *listing, int n);
int listing_column(const struct listing *listing, int n);

/* uses <- of each node below the roots; nothing is written yet */
void listing_count(struct listing *listing, const int *root, int roots);
/* The lines of n and of what it reads, as far as they are not written yet */
void listing_visit(struct listing *listing, int n);

#endif
