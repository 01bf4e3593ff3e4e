/* csr.h: a sparse matrix in compressed sparse row format, on the host. */
#ifndef CARDIAC_KERNELS_BASE_CSR_H
#define CARDIAC_KERNELS_BASE_CSR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct csr {
    int64_t rows, columns;
    int64_t *start;  /* [rows + 1] first entry of each row */
    int32_t *column; /* [entries] ascending in a row */
    double *value;   /* [entries]; NULL: pattern only */
    bool borrowed;   /* start and column are owned by another matrix, which outlives this one */
};

/* A zeroed struct is accepted. */
static inline void csr_free(struct csr *csr)
{
    if (!csr->borrowed) {
        free(csr->start);
        free(csr->column);
    }
    free(csr->value);
    memset(csr, 0, sizeof *csr);
}

#endif
