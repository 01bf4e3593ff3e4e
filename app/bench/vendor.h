/* vendor.h: other people's libraries beside our formats, where they are there. */
#ifndef CARDIAC_APP_BENCH_VENDOR_H
#define CARDIAC_APP_BENCH_VENDOR_H

#include "app/bench/case.h"
#include "kernels/bench/csr.h"
#include "kernels/bench/sell.h"

/* cuSPARSE CSR and sliced ELL, in fp64 and with fp32 values, with the update kernel that a sweep needs */
enum status bench_rivals(struct bench *bench, const struct bench_case *c, struct error *error);

/* Its CSR alone; the names of the rows end in `suffix`. */
enum status bench_vendor_csr(struct bench *bench, const struct bench_case *c, const char *suffix,
                             struct error *error);

#endif
