/* environment.h: what the names in an expression stand for on a mesh, and its values at nodes and elements.
 *
 * In an element, coordinates and arrays at nodes have the mean of its nodes, `rotational` the shorter way
 * round. At a node, a tag holds if any of its elements has it, and an array at elements has the value of the
 * first of them. */
#ifndef CARDIAC_APP_PROBLEM_ENVIRONMENT_H
#define CARDIAC_APP_PROBLEM_ENVIRONMENT_H

#include "app/config/config.h"
#include "app/problem/heart.h"
#include "solver/heart/coordinates.h"
#include "solver/heart/ldrb.h"
#include "solver/mesh/mesh.h"

/* What volume.h found for a condition on this mesh, in one allocation (weights.h) */
struct environment_weights {
    struct environment_weights *next;
    char condition[SHA256_HEX]; /* where_digest */
    double asked, given;
    int64_t count; /* of nodes whose weight is not 0 */
    struct {
        double weight;
        int64_t node; /* ascending */
    } of[];
};

struct environment {
    const struct mesh *mesh;
    const struct config_mesh *from;      /* its surfaces, as the config names them */
    struct inputs *inputs;               /* the list of the config's files */
    uint8_t *on;                         /* [nodes] bits 1 << enum heart_surface; NULL: not found yet */
    struct coordinates coordinates;      /* those that were needed so far */
    double **laplace;                    /* [from->laplaces][nodes] as well; NULL: none yet */
    struct heart_cache cache;            /* where they are stored */
    struct environment_weights *weights; /* the latest first: a simulation that is reopened has most again */
};

/* The diagonal of the mesh's bounding box, mm: boxes and balls are 1e-9 times that larger than written */
double environment_diagonal(const struct mesh *mesh);

/* What one leaf of an expression reads */
struct environment_array {
    const double *value; /* [nodes or elements] */
    enum location location;
    double *owned;
    bool periodic; /* of period 1: 0.99 and 0.01 are near each other */
};

/* An expression on nodes, or on elements, with what its names stand for */
struct environment_view {
    const struct mesh *mesh;
    const struct where *where;
    enum location location;
    double slack;                    /* mm by which boxes and balls are larger */
    struct environment_array *array; /* [where->leaves]; a coordinate, box, ball or random has none */
};

/* Errors as of environment_values; *view is to be freed in any case. */
enum status environment_view_make(struct environment_view *view, struct environment *environment,
                                  const struct where *where, enum location location, int *at,
                                  struct error *error);
void environment_view_free(struct environment_view *view);

/* out[elements or nodes] <- the expression's values. STATUS_INPUT where it names what the mesh does not have:
 * *at <- the number of characters before that in its text. */
enum status environment_values(struct environment *environment, const struct where *where,
                               enum location location, double *out, int *at, struct error *error);
/* tags->tag[] and dimension[] of those that have a name <- the mesh's. STATUS_INPUT where it has no elements
 * of that name, or several kinds of them. */
enum status environment_resolve_tags(const struct tag_list *tags, const struct mesh *mesh,
                                     struct error *error);
/* Whether an element has tag k of the list, which is resolved */
bool environment_tag_there(const struct tag_list *tags, int k, const struct mesh *mesh);
/* tagged[] <- which elements have one of the tags, or which nodes are theirs */
void environment_mark_tags(uint8_t *tagged, const struct mesh *mesh, const struct tag_list *tags,
                           enum location location);
/* environment->coordinates <- those of the heart in `set`, a sum of COORDINATES_, that are not there yet */
enum status environment_heart(struct environment *environment, unsigned set, struct error *error);
/* The field of mesh.laplace of that name; -1 = none */
int environment_find_laplace(const struct environment *environment, const char *name);
/* *value <- [nodes] field k of mesh.laplace, which the environment keeps. STATUS_INPUT where a surface is missing or the
 * name is taken. */
enum status environment_laplace(struct environment *environment, int k, const double **value,
                                struct error *error);
/* Fibres by fields, of the mesh of the environment. *filled <- in how many elements the gradient vanishes, which take the
 * nearest fibre. */
enum status environment_field_fibers(struct environment *environment, struct mesh *mesh,
                                     const struct config_tissue *from, int64_t *filled, struct error *error);
/* Fibres by rule, of the mesh of the environment; elements where the rule is undefined take the nearest
 * fibre. */
enum status environment_fibers(struct environment *environment, struct mesh *mesh, const struct ldrb *angles,
                               struct error *error);
void environment_free(struct environment *environment);

/* *names <- [returned] those in the config's expressions that arrays of the mesh may have; -1 without memory.
 * The caller frees the list. */
int environment_names(const char ***names, const struct config *config);

#endif
