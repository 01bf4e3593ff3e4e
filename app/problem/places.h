/* places.h: the meaning of an expression's names on a mesh, and its values at nodes and elements.
 *
 * An element stands at the mean of its nodes' places, and what is known at nodes has their mean there. At a
 * node a tag is had by any of its elements, and an array of elements has the value of the first of them. */
#ifndef CARDIAC_APP_PROBLEM_PLACES_H
#define CARDIAC_APP_PROBLEM_PLACES_H

#include "app/config/config.h"
#include "solver/heart/coordinates.h"
#include "solver/heart/ldrb.h"
#include "solver/mesh/mesh.h"

struct places {
    const struct mesh *mesh;
    const struct config_mesh *from; /* its surfaces, as the config names them */
    uint8_t *on;                    /* [nodes] bits 1 << enum heart_surface; NULL: not asked for yet */
    struct coordinates coordinates; /* those that were asked for */
};

/* The length of the diagonal of the mesh's bounding box, mm, by which boxes and balls are larger than they
 * say times 1e-9 */
double places_diagonal(const struct mesh *mesh);

/* out[elements or nodes] <- the expression's values. STATUS_INPUT where it names what the mesh has not: *at
 * <- how many characters of its text stand before that. */
enum status places_values(struct places *places, const struct where *where, enum location location,
                          double *out, int *at, struct error *error);
/* *on <- [nodes] whose bit *surface says which nodes lie on the surface of that name. STATUS_INPUT where
 * there is none. */
enum status places_surface(struct places *places, const char *name, enum heart_surface *surface,
                           const uint8_t **on, struct error *error);
/* tags->tag[] of those that have a name <- the mesh's. STATUS_INPUT where it has none of that name. */
enum status places_resolve_tags(const struct tag_list *tags, const struct mesh *mesh, struct error *error);
/* tagged[] <- which elements have one of the tags, or which nodes are theirs */
void places_mark_tags(uint8_t *tagged, const struct mesh *mesh, const struct tag_list *tags,
                      enum location location);
/* Fibres of the mesh, which is *places' own, by rule; elements where that says nothing take the nearest's. */
enum status places_fibers(struct places *places, struct mesh *mesh, const struct ldrb *angles,
                          struct error *error);
void places_free(struct places *places);

/* *names <- [returned] those in the config's expressions that arrays of the mesh may have; -1 without memory.
 * The caller frees the list. */
int places_names(const char ***names, const struct config *config);

#endif
