/* mmt.h: a model's text in Myokit's language becomes a cell.
 *
 * M. Clerx, P. Collins, E. de Lange, P. G. A. Volders, Myokit: a simple interface to cardiac cellular
 * electrophysiology, Prog. Biophys. Mol. Biol. 120, 2016, doi 10.1016/j.pbiomolbio.2015.12.008. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_MMT_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_MMT_H

#include <stddef.h>

#include "kernels/compiler/language/cell.h"

/* Properties that a text may not state */
struct mmt_scale {
    double rest, amplitude; /* mV: V = rest + amplitude u where V has no dimension; amplitude 0 = not given */
    double time_unit;       /* ms of a time without a unit; 0 = not given */
    const char
        *voltage; /* "membrane.V", where no variable is labelled membrane_potential; NULL = not given */
};

/* *cell <- the text of `length` bytes; `file` is its name in errors, which give line and column:
 * STATUS_INPUT. On failure nothing needs to be freed. */
enum status mmt_read(struct cell *cell, const char *text, size_t bytes, const char *file,
                     const struct mmt_scale *scale, struct error *error);

#endif
