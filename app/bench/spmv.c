/* spmv.c: `bench spmv` and `bench jacobi`: their sections, for each matrix. */
#include <string.h>

#include "app/bench/case.h"

bool bench_wants(const struct bench *bench, const char *section)
{
    size_t length = strlen(section);
    for (const char *at = bench->section; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, section, length) == 0 && (at[length] == ',' || at[length] == 0))
            return true;
    return !bench->section;
}

static enum status spmv_of(struct bench *bench, const struct bench_matrix *matrix, struct error *error)
{
    enum status status = STATUS_OK;
    if (bench_wants(bench, "formats"))
        status = bench_formats(bench, matrix, false, error);
    if (!status && matrix->rows == matrix->columns && bench_wants(bench, "permutations"))
        status = bench_orders(bench, matrix, false, error);
    if (!status && matrix->explicit_step && bench_wants(bench, "updates"))
        status = bench_updates(bench, matrix, false, error);
    return status;
}

enum status bench_spmv(struct bench *bench, struct error *error)
{
    return bench_each_matrix(bench, true, true, spmv_of, error);
}

static enum status jacobi_of(struct bench *bench, const struct bench_matrix *matrix, struct error *error)
{
    if (matrix->no_sweep) {
        report_section(&bench->report, "jacobi", matrix->name, "formats");
        bench_blank(bench, "all", matrix->no_sweep);
        return STATUS_OK;
    }
    enum status status = STATUS_OK;
    if (bench_wants(bench, "formats"))
        status = bench_formats(bench, matrix, true, error);
    if (!status && bench_wants(bench, "permutations"))
        status = bench_orders(bench, matrix, true, error);
    if (!status && bench_wants(bench, "precision"))
        status = bench_precision(bench, matrix, error);
    if (!status && bench_wants(bench, "mixed_refinement"))
        status = bench_mixed_refinement(bench, matrix, error);
    if (!status && bench_wants(bench, "updates"))
        status = bench_updates(bench, matrix, true, error);
    if (!status && bench_wants(bench, "layouts"))
        status = bench_layouts(bench, matrix, error);
    if (!status && bench_wants(bench, "against_vendor"))
        status = bench_against_vendor(bench, matrix, error);
    return status;
}

enum status bench_jacobi(struct bench *bench, struct error *error)
{
    return bench_each_matrix(bench, true, false, jacobi_of, error);
}
