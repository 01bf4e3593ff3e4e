/* layouts.c: the sweep of a run in two orders, sorted in narrow and wide windows, by both vector updates,
 * with all rows in fp32, in 16 bits and in fp64. */
#include <stdlib.h>
#include <string.h>

#include "app/bench/as_run.h"

enum status bench_layouts(struct bench *bench, const struct bench_matrix *matrix, struct error *error)
{
    static const char *const name[] = {"rcm", "hilbert"};
    static const struct as_run_update fp32[] = {{"fp32 hybrid", PACKED_HYBRID}, {"fp32 fused", PACKED_FUSED}},
                                      int16[] = {{"16 bits hybrid", PACKED_HYBRID},
                                                 {"16 bits fused", PACKED_FUSED}},
                                      fp64 = {"fp64 swapped", PACKED_ALONE};
    const int64_t height = bench->queue->backend->slice_height;
    const int64_t window[] = {height, 8 * height, layout_window((int)height), 64 * height};
    struct bench_case c;
    size_t n = (size_t)matrix->rows + 1;
    report_section(&bench->report, "jacobi", matrix->name, "layouts");
    enum status status = bench_case_make(&c, bench, matrix, true, NULL, PERMUTED_SYMMETRIC, error);
    if (status)
        return status;
    int32_t *order = malloc(n * sizeof *order);
    uint8_t *all = malloc(n), *short_ones = malloc(n), *none = calloc(n, 1);
    if (!order || !all || !short_ones || !none) {
        status = error_memory(error, "the ordering", 7.0 * (double)n);
    } else {
        memset(all, PACKING_FP32, n);
        memset(short_ones, PACKING_FP32 | PACKING_INT16, n);
    }
    for (int k = 0; k < 2 && !status; k++) {
        const char *why;
        status = bench_order(matrix, name[k], order, &why, error);
        if (why)
            bench_blank(bench, name[k], why);
        for (int w = 0; w < 4 && !why && !status; w++) {
            struct as_run_order sorted = {name[k], order, window[w]};
            status = as_run_sweeps(bench, &c, all, &sorted, fp32, 2, error);
            AND(as_run_sweeps(bench, &c, short_ones, &sorted, int16, 2, error));
            AND(as_run_sweeps(bench, &c, none, &sorted, &fp64, 1, error));
        }
    }
    free(order);
    free(all);
    free(short_ones);
    free(none);
    bench_case_free(&c, bench);
    return status;
}
