/* where.h: a condition on nodes or elements, or a number at each.
 *
 * The language is that of the models' formulas (kernels/compiler/language/formula.h): + - * / ^,
 * comparisons, and, or, not, exp(), sqrt(), if() and the other functions; units follow numbers and are
 * checked. Chains a < b <= c mean a < b and b <= c, and `=` is `==`. Its names are
 *
 *   x y z              coordinates, lengths
 *   tag = 3, tag != scar, tag in [1, 2, scar]     whether an element has such a tag, by number or name
 *   surface(epi)       whether a node lies on that surface of the heart, or an element has such a node
 *   aha(7)             whether a node, or an element's centre, lies in that segment of the left ventricle
 *   distance_to(epi)   a length
 *   box([x, y, z], [x, y, z]), ball([x, y, z], radius)     closed; conditions
 *   random(p, seed)    true with probability p; a condition
 *   any other name, or one in quotes     an array of the mesh or a coordinate of the heart, a number
 *
 * All arithmetic is fp64 with our own elementary functions, so a value depends on its node or element alone. */
#ifndef CARDIAC_APP_CONFIG_WHERE_H
#define CARDIAC_APP_CONFIG_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/sha256.h"

/* WHERE_LONGEST: characters of a text; WHERE_BLOCK: nodes or elements evaluated together */
enum { WHERE_LONGEST = 4096, WHERE_BLOCK = 256 };

enum where_kind { WHERE_CONDITION, WHERE_FACTOR };

enum where_leaf_kind {
    WHERE_COORDINATE, /* x, y or z: `number` is 0, 1, 2 */
    WHERE_NAME,
    WHERE_DISTANCE, /* to the surface `name` */
    WHERE_SURFACE,  /* 1 on the heart's surface `name` */
    WHERE_SEGMENT,  /* 1 in segment `number` of the left ventricle, 1 to 17 */
    WHERE_NODES,    /* 1 at the nodes listed in the file `name` */
    WHERE_TAG,      /* 1 where the tag is one of `tags` */
    WHERE_BOX,      /* numbers[6]: low, high */
    WHERE_BALL,     /* numbers[4]: centre, radius */
    WHERE_RANDOM    /* in [0, 1), by the seed `number` */
};

/* Element tags, ascending, as numbers or as names that the mesh defines */
struct tag_list {
    bool all;
    int count;
    int32_t *tag;       /* [count] */
    const char **name;  /* [count] its tag[] is unknown until the mesh is read; NULL = a number */
    uint8_t *dimension; /* [count] of the elements of that name; 0 = any dimension (a number) */
};

/* A leaf of an expression: what a name or a call such as box() stands for */
struct where_leaf {
    enum where_leaf_kind kind;
    int at; /* its offset in the text, characters */
    double number;
    const double *numbers;
    const char *name;
    const struct tag_list *tags;
};

struct expression_node;

struct where {
    const char *text;
    const struct where_leaf *leaf; /* [leaves] */
    int leaves;
    struct expression_node *node; /* the expression graph; its parameters are the leaves */
    int root;                     /* index of the node that is the value */
};

/* *where <- the parsed text (copied), in the arena. Errors: STATUS_INPUT, with what is wrong and what would be
 * right; *at <- its offset in the text, characters. */
enum status where_parse(struct where **where, struct arena *arena, const char *text, enum where_kind kind,
                        int *at, struct error *error);

/* An expression that consists of that leaf only: a config's box, sphere, surface, list of tags or of nodes. NULL
 * if out of memory. */
const struct where *where_of_leaf(struct arena *arena, const struct where_leaf *leaf);

/* Adds to sha what determines the expression's values on a given mesh; tags by name or number. */
void where_digest(struct sha256 *sha, const struct where *where);

/* Callback that supplies the values of names at nodes or elements, in mesh order */
struct where_values {
    const void *data;
    double slack; /* tolerance added to boxes and balls, mm */
    /* out[count] <- leaf k of the expression at nodes or elements first .. first + count - 1. k is a
     * WHERE_COORDINATE, NAME, DISTANCE, SURFACE, SEGMENT, NODES or TAG; k = -1 - axis: that coordinate */
    void (*values)(const void *data, int k, int64_t first, int count, double *out);
};

/* out[count] <- the values at first .. first + count - 1; conditions are 1 or 0. Errors: STATUS_RUN if out of
 * memory. */
enum status where_evaluate(const struct where *where, const struct where_values *values, int64_t first,
                           int64_t count, double *out, struct error *error);

/* Where in an element a condition holds, decided by interval arithmetic on its names' ranges */
enum where_extent { WHERE_NOWHERE, WHERE_EVERYWHERE, WHERE_PERHAPS };

/* range[2] <- the least and largest value of leaf k, or of coordinate -1 - k, within an element */
struct where_ranges {
    const void *data;
    double slack;
    void (*range)(const void *data, int k, int64_t element, double range[2]);
};

/* extent[count] <- enum where_extent of elements first .. first + count - 1. Errors: STATUS_RUN if out of
 * memory. */
enum status where_extents(const struct where *where, const struct where_ranges *ranges, int64_t first,
                          int64_t count, uint8_t *extent, struct error *error);

/* box[2][3] <- a bounding box (low, high) of the points where the condition may hold, from the boxes and balls that
 * it requires; infinite along an axis that they do not bound. Errors: STATUS_RUN if out of memory. */
enum status where_box(const struct where *where, double slack, double box[2][3], struct error *error);

/* *nearest <- the point of point[count][3] nearest to the boxes and balls that the condition requires (ties: the
 * lowest index); *distance <- mm, a lower bound on its distance to where the condition holds, 0 if none is required.
 * Errors: STATUS_RUN if out of memory. */
enum status where_nearest(const struct where *where, const double *point, int64_t count, int64_t *nearest,
                          double *distance, struct error *error);

/* Uniform in [0, 1): number `k` of the sequence of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi
 * 10.1145/2660193.2660195) that starts from its first output for the seed */
double where_random(uint64_t seed, int64_t k);

#endif
