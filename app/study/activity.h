/* activity.h: how often each node of a tissue was activated, and when last, whatever the number of beats.
 *
 * The tissue records two activations of each node; they are read at looks, and the record is emptied before
 * it is full. */
#ifndef CARDIAC_APP_STUDY_ACTIVITY_H
#define CARDIAC_APP_STUDY_ACTIVITY_H

#include "solver/step/monodomain.h"

enum { ACTIVITY_BEATS = 2 }; /* activation.beats of the tissue */

/* Where nodes lie: stimulated by S1, which activates them whether or not it captures; or around these, where
 * only a front activates them: 2 to 4 mm away, along edges */
enum activity_zone { ACTIVITY_ELSEWHERE, ACTIVITY_STIMULATED, ACTIVITY_AROUND };

struct activity {
    int64_t nodes;
    uint8_t *zone;         /* [nodes] enum activity_zone */
    int32_t *count;        /* [nodes] activations */
    double *last, *before; /* [nodes] ms of the last one and the one before it; -infinite = none */
    double *map;           /* [nodes * ACTIVITY_BEATS] work */
};

/* What was new at one look or several */
struct activity_look {
    int64_t fresh; /* activations */
    int64_t node;  /* that was activated first, */
    double first;  /* at so many ms */
};

/* No activation yet, and no zone. Errors: STATUS_RUN without memory; free *activity in any case. */
enum status activity_create(struct activity *activity, int64_t nodes, struct error *error);
/* The zones <- of S1. Errors: STATUS_RUN without memory. */
enum status activity_mark(struct activity *activity, const struct mesh *mesh, const struct stimulus *s1,
                          struct error *error);
void activity_free(struct activity *activity);
void activity_copy(struct activity *to, const struct activity *from);

/* Count what was activated since the last look, which must be less than two beats ago, and add it to *look,
 * {0} at first. Errors: STATUS_RUN. */
enum status activity_look(struct activity *activity, struct monodomain *sim, struct activity_look *look,
                          struct error *error);

/* ms: the last activation of all nodes, -infinite = none */
double activity_last(const struct activity *activity);
/* The most activations of a node that S1 does not stimulate; *node <- the first of these in its last one */
int32_t activity_most(const struct activity *activity, int64_t *node);
/* Whether a node around S1's has been activated since `start` ms, or there is none */
bool activity_spreads(const struct activity *activity, double start);
/* *cycle <- the median over these nodes of the interval between their last two activations, both after
 * `start` ms; NaN = no node has two. Errors: STATUS_RUN without memory. */
enum status activity_cycle(double *cycle, const struct activity *activity, double start, struct error *error);

#endif
