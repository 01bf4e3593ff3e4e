/* vendor.c: rows of libraries that are opened while running. */
#include "app/bench/vendor.h"

#include <stdio.h>
#include <string.h>

struct work {
    struct bench *bench;
    const struct bench_case *c;
    struct vendor *rival;
    struct operands operands;
    enum numbers numbers;
};

static void run(void *argument)
{
    struct work *work = argument;
    work->bench->device->vendor_run(work->bench->queue, work->rival, &work->operands);
}

static enum status check(void *argument, struct bench *bench, double *found, struct error *error)
{
    struct work *work = argument;
    return bench_case_error(work->c, bench, work->numbers == NUMBERS_SINGLE, found, error);
}

static enum status try_library(struct bench *bench, const struct bench_case *c, const char *name,
                               const struct csr_device *csr, const struct sell *sell, enum numbers numbers,
                               bool prepared, struct error *error)
{
    struct work work = {.bench = bench, .c = c, .numbers = numbers};
    struct measurement trial = {.variant = name, .body = run, .argument = &work, .check = check};
    work.rival = bench->device->vendor_new(bench->queue, csr, sell, c->matrix->columns, numbers, prepared);
    if (!work.rival) {
        bench_blank(bench, name, "not installed, or it cannot do this");
        return STATUS_OK;
    }
    work.operands = bench_case_operands(c, numbers, false);
    bench_case_trial(c, numbers, 4, &trial);
    enum status status = bench_trial(bench, &trial, NULL, error);
    bench->device->vendor_free(work.rival);
    return status;
}

enum status bench_vendor_csr(struct bench *bench, const struct bench_case *c, const char *suffix,
                             struct error *error)
{
    static const char *const name[] = {"cuSPARSE CSR", "cuSPARSE CSR, values fp32", "cuSPARSE CSR, all fp32"};
    static const enum numbers numbers[] = {NUMBERS_DOUBLE, NUMBERS_CAST, NUMBERS_SINGLE};
    struct csr_device csr = {0};
    if (!bench->device->vendor_new)
        return STATUS_OK;
    enum status status = csr_device_make(&csr, &c->rows, bench->queue, error);
    for (int k = 0; k < (bench->vendor ? 6 : 3) && !status; k++) {
        char variant[80];
        bool prepared = k >= 3;
        snprintf(variant, sizeof variant, "%s%s%s", name[k % 3], prepared ? ", prepared" : "", suffix);
        status = try_library(bench, c, variant, &csr, NULL, numbers[k % 3], prepared, error);
    }
    csr_device_free(&csr, bench->queue);
    return status;
}

enum status bench_rivals(struct bench *bench, const struct bench_case *c, struct error *error)
{
    struct sell sell = {0};
    if (!bench->device->vendor_new)
        return STATUS_OK;
    enum status status = bench_vendor_csr(bench, c, "", error);
    AND(sell_make(&sell, &c->rows, 32, 1, bench->queue, error));
    AND(try_library(bench, c, "cuSPARSE sliced ELL", NULL, &sell, NUMBERS_DOUBLE, false, error));
    AND(try_library(bench, c, "cuSPARSE sliced ELL, all fp32", NULL, &sell, NUMBERS_SINGLE, false, error));
    sell_free(&sell, bench->queue);
    if (status == STATUS_INPUT && error) { /* too much padding */
        bench_blank(bench, "cuSPARSE sliced ELL", error->text);
        memset(error, 0, sizeof *error);
        status = STATUS_OK;
    }
    return status;
}
