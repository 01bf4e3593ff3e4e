/* bench.h: the program cardiac-bench: validate and time every format, order, precision and update scheme.
 *
 * A bench consists of sections (one table each), a section of rows (one variant each). A variant runs once on
 * random data and is compared with an fp64 reference; only correct variants are timed. Vectors that a variant
 * writes are filled with NaN before, so that an element that is not written is detected. */
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

/* A resource to be released on the queue on which it was created */
struct bench_piece {
    void (*release)(struct queue *queue, void *what);
    struct queue *queue;
    void *what;
};

/* The current section: a table, or in JSON one object a row with the same figures */
struct bench_report {
    bool json, open;
    struct json out;
    char bench[16], matrix[80], title[120];
    struct bench_row *row; /* [rows] of the section */
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
    struct error lack;      /* first error of the calls of memory.c since bench_check() */
    bool quick;             /* small sizes, few repeats */
    bool vendor;            /* measure the vendor's libraries too: its copy, its preprocessed CSR */
    bool profile;           /* measure only the profile of a step */
    bool inject;            /* plant an error into every variant's input: each must be found wrong */
    double percent, range;  /* of Tezcan et al.'s row choice; NaN = several defaults */
    double budget;          /* mV a step; NaN = several defaults */
    double spacing;         /* mm, of the bench's own slab; NaN = depends on the device */
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
    int refine;                              /* number of refinements of the config's mesh */
    double copy;                             /* measured copy bandwidth, bytes/s; 0 = not yet */
    int wrong, right;                        /* number of variants so far */
};

/* One variant of a section. */
struct measurement {
    const char *variant;
    void (*body)(void *argument); /* what is timed; does `sweeps` times the work of `bytes` and `flops` */
    void *argument;
    int sweeps; /* 0 = 1 */
    /* *found <- distance of the result of one run of body from the reference; NaN fails */
    enum status (*check)(void *argument, struct bench *bench, double *found, struct error *error);
    double limit;
    void *nan_fill[2]; /* device memory that body must write, filled with NaN before */
    size_t nan_fill_bytes[2];
    double bytes, flops; /* of one sweep: every word that must be read or written, once */
    bool expect_wrong;   /* a deliberately wrong variant, which must be found wrong */
};

/* Validates the variant, times it if correct, and adds a row. *seconds (may be NULL) <- of one sweep, NaN if not
 * timed. */
enum status bench_trial(struct bench *bench, const struct measurement *trial, double *seconds,
                        struct error *error);
/* Adds a row that reports whether a variant is correct, and counts it. NULL if out of memory. */
struct bench_row *bench_verdict(struct bench *bench, const char *variant, bool right, bool expect_wrong,
                                double error_found, struct error *error);
/* Adds a row without measurement, with the reason. */
void bench_blank(struct bench *bench, const char *variant, const char *why);
/* The same if status is STATUS_INPUT (excessive padding), and returns STATUS_OK; returns any other status unchanged. */
enum status bench_blank_input(struct bench *bench, const char *variant, enum status status,
                              struct error *error);

/* {"program": ..., "device": ..., "rows": [ */
void bench_begin(struct bench *bench, int threads);
void bench_end(struct bench *bench);
/* Begins a section, and ends the one before, which prints its table. */
void bench_section(struct bench *bench, const char *name, const char *matrix, const char *title);
/* Adds a row to the section; NULL if out of memory. Valid until the next call. */
struct bench_row *bench_add_row(struct bench *bench, const char *variant, const char *verdict);
struct bench_row *bench_last_row(struct bench *bench);                    /* NULL if there is none */
void bench_figure(struct bench_row *row, const char *name, double value); /* row NULL: does nothing */
/* The figure of that name in the row; NaN = none */
double bench_value(const struct bench_row *row, const char *name);

/* The larger of two distances, NaN if one is */
double bench_worse(double found, double apart);

/* Memory of a section (memory.c). Nothing is freed individually: bench_release(bench, pieces) releases everything
 * allocated since bench->pieces had that value, in reverse order; 0 = everything. After a failure these functions
 * return NULL until bench_check() has returned the error. */
/* Registers a resource and returns it; if that fails, releases it and returns NULL */
void *bench_keep(struct bench *bench, struct queue *queue, void (*release)(struct queue *queue, void *what),
                 void *what);
void bench_release(struct bench *bench, int64_t pieces);
enum status bench_check(struct bench *bench, struct error *error);
/* Zeroed, on the host */
void *bench_array(struct bench *bench, int64_t count, size_t size);
/* On the device of a queue, NULL = the bench's: a copy of host[count], NULL = zeros */
void *bench_upload(struct bench *bench, struct queue *queue, const void *host, int64_t count, size_t size);
/* A host copy of count items on the device; in a check it is released when the check ends */
void *bench_fetch(struct bench *bench, const void *device, int64_t count, size_t size);
/* format_make(). Errors: also STATUS_INPUT if padding would be excessive */
enum status bench_store(struct bench *bench, struct stored *matrix, const struct format *format,
                        const struct csr *from, const struct shape *shape, struct error *error);

/* The whole program: runs the benches named in argv; argv[0]: the program's name for messages. */
enum status bench_command(int argc, char **argv, struct error *error);

/* The benches. */
enum status bench_ceilings(struct bench *bench, struct error *error);
enum status bench_ionic(struct bench *bench, struct error *error);
enum status bench_gemm(struct bench *bench, struct error *error);
enum status bench_step(struct bench *bench, struct error *error);
/* The sections of `bench step --profile`: times of the steps in a real run of the problem */
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
