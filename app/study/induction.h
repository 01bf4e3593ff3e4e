/* induction.h: whether a tissue can be brought to re-entry: sites times a pacing protocol, as a tree of
 * branches.
 *
 * At each site S1 is stepped once; each branch goes on from a copy of the tissue, with the bits of a run of
 * its own, until the tissue is quiet or re-entry is sustained, and becomes a row of a table. */
#ifndef CARDIAC_APP_STUDY_INDUCTION_H
#define CARDIAC_APP_STUDY_INDUCTION_H

#include "app/study/induction_tree.h"
#include "app/study/study_table.h"

struct induction {
    struct study_request request;
    struct config base;
    struct induction_tree tree;
    struct induction_sites sites;
    struct induction_heading heading;
    char *directory;
    char id[STUDY_ID]; /* of the keys that the rows depend on */
    struct study_table table;
    struct induction_row *row; /* [rows] of the table */
    int64_t rows, room;
};

/* Reads the config and finds the sites. Errors: STATUS_INPUT. Free *induction in any case; what the request
 * points at must outlive it. */
enum status induction_open(struct induction *induction, const struct study_request *request,
                           struct error *error);
void induction_free(struct induction *induction);

/* Steps all branches that the table does not have. Errors: STATUS_INPUT where the table is of another study;
 * STATUS_RUN when branches failed, which ends none of the others, or a file cannot be written;
 * STATUS_STOPPED and STATUS_INTERRUPTED: the same call goes on. */
enum status induction_make(struct induction *induction, struct error *error);

/* What the study will take at most: sites, branches, time, memory */
enum status induction_describe(struct induction *induction, FILE *file, struct error *error);

#endif
