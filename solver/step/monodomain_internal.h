/* monodomain_internal.h: what the files monodomain*.c share; nobody else includes it. */
#ifndef CARDIAC_SOLVER_MONODOMAIN_INTERNAL_H
#define CARDIAC_SOLVER_MONODOMAIN_INTERNAL_H

#include "kernels/ops/step_end.h"
#include "solver/cells/beats.h"
#include "solver/diffusion/diffusion.h"
#include "solver/matrix/halo.h"
#include "solver/step/monodomain.h"
#include "solver/step/profile.h"
#include "solver/diffusion/rotation.h"
#include "solver/cells/tissue.h"
#include "solver/step/thread_tuner.h"

struct monodomain {
    struct queue *queue;
    struct monodomain_params params; /* pointers in it but share are not used after creation */
    struct monodomain_report report;
    struct monodomain_work work;
    struct failure failure;
    struct control control; /* the host's copy, after each advance */
    int64_t origin;         /* the step that work counts from: 0, or that of the last restart */
    struct profile profile;
    struct thread_tuner tuner;
    int cpu_threads;            /* of the queue before it was tuned; 0 = it is not */
    struct partition partition; /* the share's (params.h) */
    struct layout layout;
    int32_t *local;    /* [packed rows] where their nodes stand in what this rank holds, -1 for padding */
    struct halo *halo; /* NULL: there are no other ranks */
    struct diffusion diffusion;
    struct tissue tissue;
    struct rotation vectors; /* V and what a step makes of it */
    struct beats beats;
    struct variable *variable;
    int variables;
    double *staging; /* [packed rows] (host) */
};

/* variable[] <- the list of monodomain_variables() */
enum status monodomain_list_variables(struct monodomain *sim, struct error *error);

/* Places one step on the queue; and one without what comes before its diffusion. */
void monodomain_place_step(struct monodomain *sim);
void monodomain_place_diffusion(struct monodomain *sim);

/* Where a variable lives: the cells of group g when it is a state, else every row, column after column */
struct array_place {
    void *device; /* [count] */
    size_t size;  /* of an element: uint8_t, float or double */
    int64_t count;
    const int32_t *index; /* [count] packed row of each; NULL = its own number */
};
struct array_place monodomain_place(const struct monodomain *sim, int k, int g);
/* Element i of such an array (on the host) */
double monodomain_element(const void *array, size_t size, int64_t i);
/* The first group with the same model as group g */
int monodomain_first_like(const struct monodomain *sim, int g);

/* Fills failure and error from the latched control; returns STATUS_RUN. */
enum status monodomain_explain(struct monodomain *sim, struct error *error);

#endif
