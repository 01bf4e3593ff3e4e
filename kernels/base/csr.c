/* csr.c: see csr.h. */
#include "kernels/base/csr.h"

#include <stdlib.h>
#include <string.h>

void csr_free(struct csr *csr)
{
    free(csr->start);
    free(csr->column);
    free(csr->value);
    memset(csr, 0, sizeof *csr);
}
