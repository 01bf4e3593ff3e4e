/* bench.h: the program cardiac-bench: every format, order, precision and update scheme, validated and then
 * timed.
 *
 * A bench consists of sections (one table each), a section of rows (one variant each). A variant runs once on
 * random data and is compared with an fp64 reference; only one that is right is timed. Vectors that a variant
 * writes are filled with NaN before, so that an element which nothing writes is found. */
#ifndef CARDIAC_APP_BENCH_BENCH_H
#define CARDIAC_APP_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "app/util/json.h"
#include "kernels/bench/bench.h"
#include "kernels/device/queue.h"

struct bench_case;
struct bench_problem;
struct option_list;

enum { BENCH_FIGURES = 16 };

struct bench_row {
    char variant[80];
    char verdict[16]; /* "ok", "WRONG", "caught", "-" */
    char note[160];
    struct {
        const char *name; /* "us", "GB/s": also the key in JSON */
        double value;     /* NaN = blank */
    } figure[BENCH_FIGURES];
    int figures;
};

/* Something to be given back on the queue that it was made on */
struct bench_piece {
    void (*release)(struct queue *queue, void *what);
    struct queue *queue;
    void *what;
};

/* The section that is being measured: a table, or in JSON one object a row with the same figures */
struct bench_report {
    bool json, open;
    struct json out;
    char bench[16], matrix[80], title[120];
    struct bench_row *row; /* of the section */
    int rows, room;
    double baseline; /* seconds of the section's first timed variant; 0 = none yet, -1 = not compared */
};

struct bench {
    struct queue *queue;
    const struct bench_device *device;
    bool is_cpu;
    struct bench_report report;
    struct bench_piece *piece; /* of memory.c */
    int64_t pieces, room;
    struct error lack;      /* of the calls of memory.c since bench_check */
    bool quick;             /* small sizes, few repeats */
    bool vendor;            /* also the vendor's libraries: its copy, its CSR prepared */
    bool profile;           /* of a step only its profile */
    bool inject;            /* plant an error into what every variant reads: each must be found wrong */
    double percent, range;  /* of Tezcan et al.'s row choice; NaN = a list of them */
    double budget;          /* mV a step; NaN = a list */
    double spacing;         /* mm, of the bench's own slab; NaN = by device */
    const char *config;     /* matrices from this config's mesh, or NULL */
    const char *const *set; /* [sets] "key=value" over the config, or over the bench's own */
    int sets;
    const char *file;    /* a Matrix Market file, or NULL */
    const char *section; /* of spmv and jacobi, separated by commas; NULL = all */
    char *const *text;   /* [texts] files with models, which ionic measures instead of the built-in ones */
    int texts;
    const struct option_list *model_options; /* --model of the texts (app/commands/text_model.h) */
    bool progress;                           /* print each variant to the error output as it is measured */
    double begun;                            /* s, by kernels/base/clock.h */
    int refine;                              /* times that the config's mesh is split */
    double copy;                             /* bytes/s, once measured; 0 = not yet */
    int wrong, right;                        /* variants so far */
};

/* One variant of a section. */
struct measurement {
    const char *variant;
    void (*body)(void *argument); /* what is timed, and `sweeps` of what the bytes and flops count */
    void *argument;
    int sweeps; /* 0 = 1 */
    /* *found <- how far the result of one run of body is from the reference; NaN fails */
    enum status (*check)(void *argument, struct bench *bench, double *found, struct error *error);
    double limit;
    void *nan_fill[2]; /* device memory that body must write, filled with NaN before */
    size_t nan_fill_bytes[2];
    double bytes, flops; /* needed by one sweep: each word that must come or go once */
    bool expect_wrong;   /* a trap, which must be found wrong */
};

/* Validates, and times if right; adds a row. *seconds (may be NULL) <- of one sweep, NaN if not timed. */
enum status bench_trial(struct bench *bench, const struct measurement *trial, double *seconds,
                        struct error *error);
/* Adds a row that reports whether a variant is right, and counts it. NULL without memory. */
struct bench_row *bench_verdict(struct bench *bench, const char *variant, bool right, bool expect_wrong,
                                double error_found, struct error *error);
/* A row without measurement: why there is none */
void bench_blank(struct bench *bench, const char *variant, const char *why);
/* The same if status is STATUS_INPUT, since padding would be excessive; returns STATUS_OK then, other
 * statuses as they are. */
enum status bench_blank_input(struct bench *bench, const char *variant, enum status status,
                              struct error *error);

/* {"program": ..., "device": ..., "rows": [ */
void bench_begin(struct bench *bench, int threads);
void bench_end(struct bench *bench);
/* Begins a section, and ends the one before, which prints its table. */
void bench_section(struct bench *bench, const char *name, const char *matrix, const char *title);
/* A new row of the section; NULL without memory. Valid until the next. */
struct bench_row *bench_add_row(struct bench *bench, const char *variant, const char *verdict);
struct bench_row *bench_last_row(struct bench *bench);                    /* NULL if there is none */
void bench_figure(struct bench_row *row, const char *name, double value); /* row NULL: does nothing */
/* That figure of the row, NaN where it has none */
double bench_value(const struct bench_row *row, const char *name);

/* The larger of two distances, NaN if one is */
double bench_worse(double found, double apart);

/* Memory of a section (memory.c). Nothing is freed alone: bench_release gives back all that was made since
 * pieces had that number, the last first; 0 = all. The first failure makes these calls return NULL until
 * bench_check has returned it. */
/* what; NULL and released, if it cannot be kept */
void *bench_keep(struct bench *bench, struct queue *queue, void (*release)(struct queue *queue, void *what),
                 void *what);
void bench_release(struct bench *bench, int64_t pieces);
enum status bench_check(struct bench *bench, struct error *error);
/* Zeroed, on the host */
void *bench_array(struct bench *bench, int64_t count, size_t size);
/* On the device of a queue, NULL = the bench's: a copy of host[count], NULL = zeros */
void *bench_upload(struct bench *bench, struct queue *queue, const void *host, int64_t count, size_t size);
/* A copy on the host of count items of the device; of a check, for as long as it lasts */
void *bench_fetch(struct bench *bench, const void *device, int64_t count, size_t size);
/* format_make. Errors: also STATUS_INPUT, where padding would be excessive */
enum status bench_store(struct bench *bench, struct stored *matrix, const struct format *format,
                        const struct csr *from, const struct shape *shape, struct error *error);

/* All of the program: the benches that argv names, argv[0] being how it is called in messages. */
enum status bench_command(int argc, char **argv, struct error *error);

/* The benches. */
enum status bench_ceilings(struct bench *bench, struct error *error);
enum status bench_ionic(struct bench *bench, struct error *error);
enum status bench_gemm(struct bench *bench, struct error *error);
enum status bench_step(struct bench *bench, struct error *error);
/* The sections of `bench step --profile`: what the steps of a problem's own run take */
enum status bench_step_profile(struct bench *bench, const struct bench_problem *problem, struct error *error);

/* Sections of spmv and jacobi, of the product or the sweep of a case in mesh order */
enum status bench_formats(struct bench *bench, struct bench_case *c, struct error *error);
enum status bench_permutations(struct bench *bench, struct bench_case *c, struct error *error);
enum status bench_precision(struct bench *bench, struct bench_case *c, struct error *error);
enum status bench_mixed_refinement(struct bench *bench, struct bench_case *c, struct error *error);
enum status bench_updates(struct bench *bench, struct bench_case *c, struct error *error);
enum status bench_layouts(struct bench *bench, struct bench_case *c, struct error *error);
enum status bench_against_vendor(struct bench *bench, struct bench_case *c, struct error *error);

#endif
