/* torso.h: the conductor of a config in which the ECG is taken: its mesh, which parts of it are the tissue's,
 * and where the tissue's nodes and the electrodes are in it. */
#ifndef CARDIAC_APP_PROBLEM_TORSO_H
#define CARDIAC_APP_PROBLEM_TORSO_H

#include "app/problem/problem.h"
#include "solver/heart/conductor.h"

struct torso {
    struct mesh mesh;      /* with directions at elements: in the heart the tissue's */
    struct region *region; /* [regions] sigma_i + sigma_e in S/m of the tissue's, then of the parts without
                              cells */
    int regions;
    int32_t *element_region;              /* [mesh.elements] */
    double *scale[3];                     /* [mesh.elements] of regions that have factors; or NULL */
    struct conductor_position *node;      /* [the tissue's nodes], and behind them */
    struct conductor_position *electrode; /* [config->ecg.positions] */
    double heart, tissue;                 /* mm^3: its elements that are the heart's, and the run's mesh */
};

/* problem->torso <- read and found in the tissue, whose regions and fibres are known; nothing where the
 * config has no conductor. Faults: a file that cannot be read, tags that no element has, an element of the
 * heart that is far from the tissue, nodes of the tissue outside the conductor. */
enum status torso_create(struct problem *problem, const struct config *config, struct faults *faults);
void torso_free(struct torso *torso); /* NULL is accepted */

/* A line: its size, its heart's, and how far electrodes lie outside */
void torso_describe(FILE *file, const struct problem *problem, const struct config *config);
/* A line where heart and tissue differ in volume, or electrodes lie more than an edge outside */
void torso_warning(FILE *file, const struct problem *problem, const struct config *config);

/* field[config->ecg.positions][mesh.nodes] <- the lead fields at the tissue's nodes, V/A. Errors: STATUS_RUN.
 * */
enum status torso_fields(double *field, const struct problem *problem, const struct config *config,
                         struct error *error);

/* Bytes of it; of finding the fields */
double torso_bytes(const struct problem *problem);
double torso_set_up_bytes(const struct problem *problem);

#endif
