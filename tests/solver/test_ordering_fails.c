/* test_ordering_fails.c: a mesh that METIS cannot order is refused with what to do instead. */
#include "solver/matrix/ordering.h"

#include <string.h>

#include "tests/support/check.h"

/* In the place of METIS's (tests/solver/CMakeLists.txt): its METIS_ERROR, with whatever it is called */
int __wrap_METIS_PartGraphKway(void);

int __wrap_METIS_PartGraphKway(void)
{
    return -4;
}

/* A path of nodes, long enough to be divided */
int main(void)
{
    enum { NODES = 100 };
    struct error error = {0};
    int32_t column[2 * NODES], order[NODES];
    int64_t start[NODES + 1] = {0};
    for (int32_t i = 0; i < NODES; i++) {
        int64_t k = start[i];
        if (i > 0)
            column[k++] = i - 1;
        if (i < NODES - 1)
            column[k++] = i + 1;
        start[i + 1] = k;
    }
    const struct csr path = {.rows = NODES, .start = start, .column = column};
    if (!ordering_available(ORDERING_METIS))
        return 77;
    enum status status = ordering_make(ORDERING_METIS, &path, NULL, order, &error);
    CHECK(status == STATUS_RUN && strstr(error.text, "(its error -4); solver.ordering: rcm or hilbert"),
          "%d %s", status, error.text);
    return 0;
}
