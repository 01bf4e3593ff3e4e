/* induction_table.h: the branches of a study of induction as rows of a table, as JSON and in a summary. */
#ifndef CARDIAC_APP_STUDY_INDUCTION_TABLE_H
#define CARDIAC_APP_STUDY_INDUCTION_TABLE_H

#include "app/study/induction_sites.h"
#include "app/util/csv.h"

enum { INDUCTION_EXTRA = 40 }; /* most extra stimuli */

enum induction_outcome {
    INDUCTION_NO_CAPTURE,    /* the last stimulus evoked nothing */
    INDUCTION_QUIET,         /* it did, and each node followed once at most */
    INDUCTION_NON_SUSTAINED, /* a node was activated more often than stimuli captured */
    INDUCTION_SUSTAINED,     /* and activity went on for `induction.sustained` */
    INDUCTION_ACTIVE,        /* that after S1 alone: the site is not tested */
    INDUCTION_FAILED,
    INDUCTION_OUTCOMES
};

/* A branch: S1 at a site, then so many extra stimuli. Numbers that there are not are NaN. */
struct induction_row {
    int site;
    double interval[INDUCTION_EXTRA]; /* [intervals] ms since the stimulus before */
    int intervals;
    int captured; /* of the extra stimuli */
    enum induction_outcome outcome;
    double duration;    /* ms from the last stimulus to the last activation */
    double cycle;       /* ms, the median over the nodes, of re-entry */
    double last;        /* ms, the last activation */
    double earliest[3]; /* mm: where the last beat of re-entry began */
    double time;        /* ms at which the branch ended */
    char message[300];
};

/* What all rows have in common */
struct induction_heading {
    const char *id, *protocol;
    const struct induction_sites *sites;
};

/* text <- "290 240" */
void induction_table_intervals(char *text, size_t room, const double *interval, int intervals);

/* The line of the columns, and that of a row */
void induction_table_names(FILE *file);
void induction_table_write(FILE *file, const struct induction_heading *heading,
                           const struct induction_row *row);
/* *row <- row k of the table. Errors: STATUS_INPUT with its place where it belongs to another study. */
enum status induction_table_read(struct induction_row *row, const struct csv *table, int64_t k,
                                 const struct induction_heading *heading, struct error *error);
/* The row as a line of JSON */
void induction_table_json(const struct induction_row *row, const struct induction_heading *heading);

/* The result of a site: of all its rows */
struct induction_result {
    int64_t branches, failed, induced; /* induced: sustained */
    bool tested;                       /* by a stimulus after S1, in a branch that did not fail */
    enum induction_outcome worst;      /* of the branches that did not fail */
    double shortest;                   /* ms, the shortest S2 that captured; NaN = none */
    const struct induction_row *first; /* with the worst outcome; NULL = no branch */
};
struct induction_result induction_table_result(const struct induction_row *row, int64_t rows, int site);
/* In words, or as a line of JSON */
void induction_table_summary(const struct induction_result *result, const struct induction_site *site);
void induction_table_summary_json(const struct induction_result *result, const struct induction_site *site);

#endif
