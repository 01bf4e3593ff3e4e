/* torso.h: the volume conductor of an ECG: its mesh, its part that is the tissue, and the positions of the tissue's
 * nodes and of the electrodes in it. */
#ifndef CARDIAC_APP_PROBLEM_TORSO_H
#define CARDIAC_APP_PROBLEM_TORSO_H

#include "app/problem/problem.h"
#include "solver/heart/conductor.h"

struct torso {
    struct mesh mesh;      /* with directions at elements; in the heart they are the tissue's */
    struct region *region; /* [regions] in S/m: sigma_i + sigma_e of the tissue's regions, then sigma of the
                              parts without cells */
    int regions;
    int32_t *element_region;              /* [mesh.elements] */
    double *scale[3];                     /* [mesh.elements] factors of regions that have them; or NULL */
    struct conductor_position *node;      /* [tissue's nodes], followed in the same array by */
    struct conductor_position *electrode; /* [config->ecg.positions] */
    double heart, tissue;                 /* mm^3: volume of the heart in the conductor; of the run's mesh */
};

/* problem->torso <- the conductor, read and matched with the tissue, whose regions and fibres must be known; nothing
 * if the config has no conductor. Faults: an unreadable file, tags that no element has, an element of the heart far
 * from the tissue, nodes of the tissue outside the conductor. */
enum status torso_create(struct problem *problem, const struct config *config, struct faults *faults);
void torso_free(struct torso *torso); /* NULL is accepted */

/* Prints a line: the size of the conductor and of its heart, and how far outside electrodes are. */
void torso_describe(FILE *file, const struct problem *problem, const struct config *config);
/* Prints a line if heart and tissue differ in volume, or electrodes are more than an edge outside. */
void torso_warning(FILE *file, const struct problem *problem, const struct config *config);

/* field[config->ecg.positions][mesh.nodes] <- the lead fields at the tissue's nodes, V/A. Errors: STATUS_RUN. */
enum status torso_fields(double *field, const struct problem *problem, const struct config *config,
                         struct error *error);

/* Bytes of the torso; bytes used while torso_fields() runs */
double torso_bytes(const struct problem *problem);
double torso_set_up_bytes(const struct problem *problem);

#endif
