/* induction_tree.h: the tissue of one site, paced by S1 once, and branches that go on from copies of it. */
#ifndef CARDIAC_APP_STUDY_INDUCTION_TREE_H
#define CARDIAC_APP_STUDY_INDUCTION_TREE_H

#include "app/study/branch.h"
#include "app/study/induction_table.h"
#include "app/study/study_request.h"

/* A copy of the tissue */
struct induction_copy {
    struct simulation_copy copy;
    double time; /* ms; NaN = not taken */
};

struct induction_tree {
    const struct study_request *request;
    const struct config *base;
    const struct induction_sites *sites;
    struct setup_reuse reuse;
    int site; /* that is stepped, -1 = none */
    struct setup setup;
    struct branches branches;
    struct induction_copy trunk; /* after S1 and so many extra stimuli, the last one at `start` ms */
    int extra;
    double start;
    struct induction_copy near; /* a later time, without more stimuli */
    int64_t steps;              /* of all sites */
};

/* *config <- of the request; keys that a study does not need have values that cost nothing. Errors:
 * STATUS_INPUT. */
enum status induction_tree_config(struct config *config, const struct study_request *request,
                                  struct error *error);
/* The tissue of a site at its start. Errors: STATUS_INPUT, STATUS_RUN. */
enum status induction_tree_open(struct induction_tree *tree, int site, struct error *error);
void induction_tree_close(struct induction_tree *tree);

/* The trunk <- S1 at that site and the first `extra` of the intervals, of which it has some. Errors:
 * STATUS_RUN, STATUS_STOPPED, STATUS_INTERRUPTED. */
enum status induction_tree_grow(struct induction_tree *tree, int site, const double *interval, int extra,
                                struct error *error);
/* Steps the branch of row->interval[], whose first `extra` are the trunk's; anchor: ms before its first other
 * stimulus at which to leave a copy. Errors as above. */
enum status induction_tree_step(struct induction_tree *tree, struct induction_row *row, int extra,
                                double anchor, struct error *error);
/* *captures <- whether stimulus n captures at that interval after the trunk's. A copy is left at `low` ms, an
 * interval that does not capture. Errors as above. */
enum status induction_tree_test(bool *captures, struct induction_tree *tree, int n, double interval,
                                double low, struct error *error);

#endif
