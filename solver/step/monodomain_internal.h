/* monodomain_internal.h: the contents of a tissue, for files of this folder only. */
#ifndef CARDIAC_SOLVER_MONODOMAIN_INTERNAL_H
#define CARDIAC_SOLVER_MONODOMAIN_INTERNAL_H

#include "kernels/ops/step_end.h"
#include "solver/cells/beats.h"
#include "solver/diffusion/diffusion.h"
#include "solver/matrix/halo.h"
#include "solver/step/lengths.h"
#include "solver/step/monodomain.h"
#include "solver/step/profile.h"
#include "solver/cells/tissue.h"
#include "solver/step/thread_tuner.h"

struct monodomain {
    struct queue *queue;
    struct monodomain_params params; /* after creation only `subdomain` of its pointers is used */
    struct monodomain_report report; /* includes the scheme */
    struct monodomain_work work;
    struct failure failure;
    struct control control; /* the host's copy, after each advance */
    int64_t settings;       /* incremented by every setter, so that steps recorded before it are not
                               replayed */
    int64_t origin;         /* the step that work counts from: 0, or that of the last restart */
    struct profile profile;
    struct thread_tuner tuner;
    int cpu_threads;            /* number of the queue before tuning; 0 = not tuned */
    struct partition partition; /* of the subdomain */
    struct layout layout;
    int32_t *local;    /* [packed rows] index of the row's node among the values that this rank reads, -1 =
                          none */
    struct halo *halo; /* NULL on a single rank */
    struct diffusion diffusion;
    struct tissue tissue;
    struct rotation vectors; /* V and the vectors of a step */
    double before;           /* length of the last step, ms; 0 = none */
    struct beats beats;
    struct lengths lengths;
    struct variable *variable;
    int variables;
    double *staging; /* [packed rows] (host) */
};

/* Computes bounds, method, precision classes and the packed matrix, on all ranks; frees the system in mesh
 * order */
enum status monodomain_create_matrix(struct monodomain *sim, const struct mesh *mesh, struct error *error);

/* Takes steps of dt 2^level from now on. Nothing is extrapolated from steps of another length. */
void monodomain_change_level(struct monodomain *sim, int level);

/* Allocates the copies for repeating long steps, if there are any; called again when more is recorded */
enum status monodomain_create_lengths(struct monodomain *sim, struct error *error);

/* variable[] <- the list of monodomain_variables() */
enum status monodomain_list_variables(struct monodomain *sim, struct error *error);

/* The device array of a variable: for an ionic state the cells of one span of the tissue with its model,
 * else every row, column after column */
struct state_array {
    void *device; /* [count] */
    size_t size;  /* of an element: uint8_t, float or double */
    int64_t count;
    const int32_t *index; /* [count] packed row of each; NULL = element i is row i */
};
struct state_array monodomain_array(const struct monodomain *sim, int k, int span);
/* Element i of such an array (on the host) */
double monodomain_element(const void *array, size_t size, int64_t i);

#endif
