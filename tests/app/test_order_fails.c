/* test_order_fails.c: a mesh that METIS cannot order is refused; so are all where it is missing. */
#include "app/bench/order.h"

#include <string.h>

#include "tests/support/check.h"

/* In the place of METIS's (tests/bench/CMakeLists.txt): its METIS_ERROR, with whatever it is called */
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
    for (int32_t i = 0; i < NODES; i++)
        order[i] = i;
    enum status status = order_by_parts(&path, order, &error);
    CHECK(status == (order_has_metis() ? STATUS_RUN : STATUS_INPUT), "%d %s", status, error.text);
    CHECK(strstr(error.text, order_has_metis() ? "(its error -4)" : "this build has no METIS"), "%s",
          error.text);
    return 0;
}
