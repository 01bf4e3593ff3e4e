/* mmt.h: reads a model's text in Myokit's language into a cell.
 *
 * M. Clerx, P. Collins, E. de Lange, P. G. A. Volders, Myokit: a simple interface to cardiac cellular
 * electrophysiology, Prog. Biophys. Mol. Biol. 120, 2016, doi 10.1016/j.pbiomolbio.2015.12.008. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_MMT_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_MMT_H

#include <stddef.h>

#include "kernels/compiler/language/cell.h"

/* Properties that a text may omit */
struct mmt_scale {
    double rest, amplitude; /* mV: V = rest + amplitude u if V is dimensionless; amplitude 0 = not given */
    double time_unit;       /* ms per unit of time, if time has no unit; 0 = not given */
    const char *voltage; /* "membrane.V", if no variable is labelled membrane_potential; NULL = not given */
};

/* *cell <- the model in a text of `bytes` bytes; `file` is its name in messages. Errors: STATUS_INPUT with
 * line and column. On failure nothing needs to be freed. */
enum status mmt_read(struct cell *cell, const char *text, size_t bytes, const char *file,
                     const struct mmt_scale *scale, struct error *error);

#endif
