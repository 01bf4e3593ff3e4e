/* induction_sites.h: the places at which a tissue is stimulated, one after the other. */
#ifndef CARDIAC_APP_STUDY_INDUCTION_SITES_H
#define CARDIAC_APP_STUDY_INDUCTION_SITES_H

#include "app/problem/problem.h"

struct induction_site {
    char name[64];
    double point[3]; /* mm: of the ball, or the mean of its nodes */
    int32_t *node;   /* [nodes] that are stimulated */
    int64_t nodes;
};

struct induction_sites {
    struct induction_site *site; /* [sites] */
    int sites;
    enum { INDUCTION_SITES_S1, INDUCTION_SITES_WHERE, INDUCTION_SITES_BALLS } kind;
};

/* *sites <- those of the config: its list, its condition, places within that, or where S1 is. Errors:
 * STATUS_INPUT where one selects no node. Free *sites in any case. */
enum status induction_sites_find(struct induction_sites *sites, struct problem_mesh *mesh,
                                 struct config *config, struct error *error);
void induction_sites_free(struct induction_sites *sites);

/* S1 of the config <- site k. Errors: STATUS_RUN. */
enum status induction_sites_apply(struct config *config, const struct induction_sites *sites, int k,
                                  struct error *error);

#endif
