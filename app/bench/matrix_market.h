/* matrix_market.h: sparse matrices in the Matrix Market exchange format (R. F. Boisvert, R. Pozo, K. A.
 * Remington, NISTIR 5935, 1996), plain or gzipped.
 *
 *   %%MatrixMarket matrix coordinate real|integer|pattern general|symmetric|skew-symmetric
 *   % comments
 *   rows columns entries
 *   i j value          one line an entry, numbered from 1
 *
 * Symmetric files hold the lower triangle, skew-symmetric ones without the diagonal. The entries of a pattern
 * are
 * 1. Entries that are given twice are added up, as the format asks. Not read: arrays (dense), complex,
 * hermitian. */
#ifndef CARDIAC_APP_BENCH_MATRIX_MARKET_H
#define CARDIAC_APP_BENCH_MATRIX_MARKET_H

#include <stdint.h>

#include "kernels/base/csr.h"
#include "kernels/base/error.h"

/* Columns ascend in a row, none twice. Errors: STATUS_INPUT with file:line:column; STATUS_RUN without memory.
 */
enum status matrix_market_read(struct csr *market, const char *path, struct error *error);

#endif
