/* bench_rivals.c: rows of libraries that are opened while running. */
#include "app/bench_rivals.h"

enum status bench_rivals(struct bench *bench, const struct bench_case *c, struct error *error)
{
    (void)c, (void)error;
    if (bench->device->reads >> READS_CACHED & 1)
        bench_blank(bench, "cuSPARSE", "not in this build");
    return STATUS_OK;
}
