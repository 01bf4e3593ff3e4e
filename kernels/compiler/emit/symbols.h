/* symbols.h: what a cell's states, parameters and quantities are called in C: "ina_m" for ina.m.
 *
 * A name that is not unique then, too long, or that C, C++ or our own headers may use is a letter and its
 * number in place of that: s0, p0, q0. */
#ifndef CARDIAC_KERNELS_COMPILER_EMIT_SYMBOLS_H
#define CARDIAC_KERNELS_COMPILER_EMIT_SYMBOLS_H

#include "kernels/compiler/language/cell.h"

enum { SYMBOLS_LENGTH = 48 };
typedef char symbols_name[SYMBOLS_LENGTH];

struct symbols {
    symbols_name *state, *parameter, *quantity; /* one array, to be freed: state */
};

enum status symbols_make(struct symbols *symbols, const struct cell *cell, struct error *error);

#endif
