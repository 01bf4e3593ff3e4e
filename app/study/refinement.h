/* refinement.h: the runs by which the error of a config is estimated: a table of half edges and steps, and
 * the meshes and node lists that it names.
 *
 * Each run differs from another one in one thing alone: the tolerance and the precision from the config, the
 * step from the config, the mesh from the run with half the step. So the differences of step and mesh add up
 * to that of a run with half of both. */
#ifndef CARDIAC_APP_STUDY_REFINEMENT_H
#define CARDIAC_APP_STUDY_REFINEMENT_H

#include <stdio.h>

#include "app/study/study_request.h"

enum refinement_kind {
    REFINEMENT_NONE, /* the config itself */
    REFINEMENT_TOLERANCE,
    REFINEMENT_ROUNDING,
    REFINEMENT_STEP,
    REFINEMENT_MESH,
    REFINEMENT_KINDS
};

enum { REFINEMENT_LEVELS = 3, REFINEMENT_RUNS = 3 + 2 * (REFINEMENT_LEVELS - 1) };

struct refinement_run {
    enum refinement_kind kind;
    int edge, step; /* halved so often */
};

struct refinement {
    const struct config *base;
    struct refinement_run run[REFINEMENT_RUNS];
    int halvings[REFINEMENT_RUNS]; /* of edges: run[].edge */
    int runs;
    int levels;                           /* 2: half the edge and step; 3: a quarter, too */
    char *directory;                      /* where files are written, absolute */
    char mesh_id[STUDY_ID], id[STUDY_ID]; /* of the mesh, and of all that is computed */
    bool by_file;                         /* the finer meshes are files, made from the config's mesh */
    bool lists;                           /* of nodes, which are refined, too */
};

/* *plan <- the runs: as many levels of the step, and with `mesh` of the edges. Errors: STATUS_INPUT where the
 * config holds what has no counterpart on a finer mesh; STATUS_RUN. base must outlive it. Free *plan in any
 * case. */
enum status refinement_plan(struct refinement *plan, const struct config *base, const char *directory,
                            int levels, bool mesh, struct error *error);
void refinement_free(struct refinement *plan);

/* The table of the runs, as `cardiac sweep --table` reads it, to a file */
enum status refinement_write_table(const struct refinement *plan, const char *path, struct error *error);
/* The finer meshes and node lists, unless they are there. Errors: STATUS_INPUT, STATUS_RUN. */
enum status refinement_write_meshes(const struct refinement *plan, struct error *error);

/* What moves to finer meshes in another way than by the config's own rules, a line each */
void refinement_notes(const struct refinement *plan, FILE *file);

#endif
