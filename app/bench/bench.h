/* bench.h: `cardiac bench`: every format, order, precision and update scheme, validated and then timed.
 *
 * A bench consists of sections (one table each), a section of rows (one variant each). A variant is run once
 * on random data and compared with an fp64 reference; only one that is right is timed. Vectors that a variant
 * writes are filled with NaN first, so that an element which nobody wrote is found. */
#ifndef CARDIAC_APP_BENCH_BENCH_H
#define CARDIAC_APP_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "app/bench/report.h"
#include "kernels/bench/bench.h"
#include "kernels/device/queue.h"

struct bench_matrix;
struct option_list;

struct bench {
    struct queue *queue;
    const struct bench_device *device;
    struct bench_report report;
    bool quick;             /* small sizes, few repeats */
    bool vendor;            /* beside, what the vendor's libraries reach: its copy, its CSR prepared */
    bool profile;           /* of a step only what a run of it tells */
    bool inject;            /* plant an error into what every variant reads: each must be found wrong */
    double percent, range;  /* of Tezcan et al.'s row choice; NaN = a list of them */
    double budget;          /* mV a step; NaN = a list */
    double spacing;         /* mm, of the bench's own slab; NaN = by device */
    const char *config;     /* matrices from this config's mesh, or NULL */
    const char *const *set; /* [sets] "key=value" over the config, or over the bench's own */
    int sets;
    const char *file;    /* a Matrix Market file, or NULL */
    const char *section; /* those of spmv and jacobi, separated by commas; NULL = all */
    char *const *text;   /* [texts] files with models: ionic measures those in place of the built-in ones */
    int texts;
    const struct option_list *said; /* what they lack (app/commands/text_model.h) */
    bool progress;                  /* say on the error output what has been measured */
    double begun;                   /* s, by kernels/base/clock.h */
    int refine;                     /* times that the config's mesh is split */
    double copy, fma64, fma32;      /* ceilings once measured: bytes/s, flop/s; 0 = not yet */
    int wrong, right;               /* variants so far */
};

/* One variant of a section. */
struct measurement {
    const char *variant;
    void (*body)(void *argument); /* what is timed, and `sweeps` of what the bytes and flops count */
    void *argument;
    int sweeps; /* 0 = 1 */
    /* *error <- how far what body left is from the reference, after one run; NaN fails */
    enum status (*check)(void *argument, struct bench *bench, double *error_found, struct error *error);
    double limit;
    void *nan_fill[2]; /* device memory that body must write, filled with NaN before */
    size_t nan_fill_bytes[2];
    double bytes, flops; /* needed by one sweep: each word that must come or go once */
    bool expect_wrong;   /* a trap: being found wrong is right */
};

/* Validates, and times if right; adds a row. *seconds (may be NULL) <- of one sweep, NaN if not timed. The
 * row can be added to by report_figure until the next. */
enum status bench_trial(struct bench *bench, const struct measurement *trial, double *seconds,
                        struct error *error);
/* A row that says whether a variant is right, and counts it; expect_wrong: being found wrong is right. NULL
 * without memory. */
struct bench_row *bench_verdict(struct bench *bench, const char *variant, bool right, bool expect_wrong,
                                double error_found, struct error *error);
/* A row without measurement: why there is none */
void bench_blank(struct bench *bench, const char *variant, const char *why);

/* All of the program: the benches that argv names, argv[0] being how it is called in messages. */
enum status bench_command(int argc, char **argv, struct error *error);

/* The benches. */
enum status bench_spmv(struct bench *bench, struct error *error);
enum status bench_jacobi(struct bench *bench, struct error *error);
enum status bench_ionic(struct bench *bench, struct error *error);
enum status bench_gemm(struct bench *bench, struct error *error);
enum status bench_step(struct bench *bench, struct error *error);

/* Parts of them, one matrix each */
enum status bench_formats(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                          struct error *error);
enum status bench_orders(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                         struct error *error);
enum status bench_precision(struct bench *bench, const struct bench_matrix *matrix, struct error *error);
enum status bench_mixed_refinement(struct bench *bench, const struct bench_matrix *matrix,
                                   struct error *error);
enum status bench_updates(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                          struct error *error);
enum status bench_layouts(struct bench *bench, const struct bench_matrix *matrix, struct error *error);
enum status bench_against_vendor(struct bench *bench, const struct bench_matrix *matrix, struct error *error);
enum status bench_ceilings(struct bench *bench, struct error *error);

/* Whether a section of spmv or jacobi is asked for: formats, permutations, precision,
 * mixed_refinement, updates, layouts, against_vendor */
bool bench_wants(const struct bench *bench, const char *section);

/* A number in [-1, 1) from an integer, the same on every machine */
double bench_random(uint64_t seed);

#endif
