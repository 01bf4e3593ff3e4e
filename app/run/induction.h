/* induction.h: whether a tissue can be brought to re-entry: sites times a pacing protocol, as a tree of
 * branches.
 *
 * At each site S1 is stepped once; each branch goes on from a copy of the tissue, with the bits of a run of
 * its own, until the tissue is quiet or re-entry is sustained, and becomes a row of a table. */
#ifndef CARDIAC_APP_RUN_INDUCTION_H
#define CARDIAC_APP_RUN_INDUCTION_H

#include "app/run/activity.h"
#include "app/run/branch.h"
#include "app/run/induction_table.h"
#include "app/run/study_table.h"

/* What is asked for */
struct induction_request {
    const char *config, *directory; /* directory: NULL = the config's output.directory */
    const char *const *set;         /* [sets] of --set */
    int sets;
    const struct config_option *option; /* [options] */
    int options;
    int part, parts; /* part 1 .. parts of the sites; parts 0 = all */
    bool results;    /* also a file of maps for each branch with re-entry */
    bool overwrite, quiet, json;
    double began, stop_after; /* seconds */
};

/* A copy of the tissue, and when its nodes were activated */
struct induction_copy {
    struct branch_copy copy;
    struct activity activity;
    double time; /* ms; NaN = not taken */
};

struct induction {
    struct induction_request request;
    struct config base;
    struct setup_reuse reuse;
    struct induction_sites sites;
    struct induction_heading heading;
    char *directory;
    char id[13]; /* of the keys that the rows depend on */
    struct study_table table;
    struct induction_row *row; /* [rows] of the table */
    int64_t rows, room;

    /* The site that is stepped; -1 = none */
    int site;
    struct setup setup;
    struct branches branches;
    struct activity activity;
    struct induction_copy trunk; /* after S1 and so many extra stimuli, the last one at `start` ms */
    int extra;
    double start;
    struct induction_copy near; /* a later time, without more stimuli */
    struct activity_look *look; /* [looks] since the last stimulus of a branch */
    int64_t looks;
    int64_t steps; /* of all sites */
};

/* Reads the config and finds the sites. Errors: STATUS_INPUT. Free *induction in any case; what the request
 * points at must outlive it. */
enum status induction_open(struct induction *induction, const struct induction_request *request,
                           struct error *error);
void induction_free(struct induction *induction);

/* Steps all branches that the table does not have. Errors: STATUS_INPUT where the table is of another study;
 * STATUS_RUN when branches failed, which ends none of the others, or a file cannot be written;
 * STATUS_STOPPED and STATUS_INTERRUPTED: the same call goes on. */
enum status induction_make(struct induction *induction, struct error *error);

/* What the study will take at most: sites, branches, time, memory */
enum status induction_describe(struct induction *induction, FILE *file, struct error *error);

#endif
