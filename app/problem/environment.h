/* environment.h: resolve the names in an expression on a mesh, and evaluate it at nodes and elements.
 *
 * In an element, coordinates and node arrays have the mean over its nodes; `rotational` is averaged along the
 * shorter arc. At a node, a tag holds if any of its elements has it, and an element array has the value of its
 * first element. */
#ifndef CARDIAC_APP_PROBLEM_ENVIRONMENT_H
#define CARDIAC_APP_PROBLEM_ENVIRONMENT_H

#include "app/config/config.h"
#include "app/problem/heart.h"
#include "solver/heart/coordinates.h"
#include "solver/heart/ldrb.h"
#include "solver/mesh/mesh.h"

/* The node weights of a condition on this mesh (volume.h), in one allocation (weights.h) */
struct environment_weights {
    struct environment_weights *next;
    char condition[SHA256_HEX]; /* where_digest */
    double asked, given;        /* struct volume */
    int64_t count;              /* of nodes whose weight is not 0 */
    struct {
        double weight;
        int64_t node; /* ascending */
    } of[];
};

struct environment {
    const struct mesh *mesh;
    const struct config_mesh *from;      /* surfaces and fields as the config names them */
    struct inputs *inputs;               /* record of the config's files */
    uint8_t *on;                         /* [nodes] bits 1 << enum heart_surface; NULL: not found yet */
    struct coordinates coordinates;      /* computed when first needed */
    double **laplace;                    /* [from->laplaces][nodes] also when first needed; NULL: none yet */
    struct heart_cache cache;            /* cache of the coordinates and fields */
    struct environment_weights *weights; /* list, latest first; reused when a simulation is reopened */
};

/* The diagonal of the mesh's bounding box, mm; boxes and balls are enlarged by 1e-9 of it */
double environment_diagonal(const struct mesh *mesh);

/* What one leaf of an expression reads */
struct environment_array {
    const double *value; /* [nodes or elements] */
    enum location location;
    double *owned;
    bool periodic; /* with period 1, so 0.99 and 0.01 are close */
};

/* An expression bound to the nodes or elements of a mesh */
struct environment_view {
    const struct mesh *mesh;
    const struct where *where;
    enum location location;
    double slack;                    /* tolerance added to boxes and balls, mm */
    struct environment_array *array; /* [where->leaves]; unused for a coordinate, box, ball or random() */
};

/* Errors: those of environment_values(). Free *view even then. */
enum status environment_view_make(struct environment_view *view, struct environment *environment,
                                  const struct where *where, enum location location, int *at,
                                  struct error *error);
void environment_view_free(struct environment_view *view);

/* out[elements or nodes] <- the expression's values. Errors: STATUS_INPUT if a name cannot be resolved on the mesh;
 * *at <- its offset in the text, characters. */
enum status environment_values(struct environment *environment, const struct where *where,
                               enum location location, double *out, int *at, struct error *error);
/* tags->tag[] and dimension[] of named tags <- those that the mesh defines. Errors: STATUS_INPUT if the mesh has no
 * elements of that name, or elements of several dimensions. */
enum status environment_resolve_tags(const struct tag_list *tags, const struct mesh *mesh,
                                     struct error *error);
/* Whether any element has tag k of the resolved list */
bool environment_tag_there(const struct tag_list *tags, int k, const struct mesh *mesh);
/* tagged[] <- 1 for elements with one of the tags, or for nodes of such elements */
void environment_mark_tags(uint8_t *tagged, const struct mesh *mesh, const struct tag_list *tags,
                           enum location location);
/* Computes the heart's coordinates in `set`, a sum of COORDINATES_, that are still missing. */
enum status environment_heart(struct environment *environment, unsigned set, struct error *error);
/* The field of mesh.laplace of that name; -1 = none */
int environment_find_laplace(const struct environment *environment, const char *name);
/* *value <- [nodes] field k of mesh.laplace, owned by the environment. Errors: STATUS_INPUT if a surface is missing
 * or the field's name is already in use. */
enum status environment_laplace(struct environment *environment, int k, const double **value,
                                struct error *error);
/* mesh->fiber <- fibres by `rule: field`; mesh is the environment's. *filled <- the number of elements in which the
 * gradient vanishes; these copy the nearest fibre. */
enum status environment_field_fibers(struct environment *environment, struct mesh *mesh,
                                     const struct config_tissue *from, int64_t *filled, struct error *error);
/* mesh->fiber <- fibres by `rule: ldrb`; mesh is the environment's. Elements where the rule is undefined copy the
 * nearest fibre. */
enum status environment_fibers(struct environment *environment, struct mesh *mesh, const struct ldrb *angles,
                               struct error *error);
void environment_free(struct environment *environment);

/* *names <- the names in the config's expressions that may denote mesh arrays. Returns their number, -1 if out of
 * memory. The caller frees the list. */
int environment_names(const char ***names, const struct config *config);

#endif
