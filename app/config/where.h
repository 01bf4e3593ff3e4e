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
 * Everything is fp64 and of our own elementary functions: a value depends on its node or element alone. */
#ifndef CARDIAC_APP_CONFIG_WHERE_H
#define CARDIAC_APP_CONFIG_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/sha256.h"

/* WHERE_BLOCK: nodes or elements that are evaluated together */
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

/* Tags of elements, ascending, and names that a mesh gives them */
struct tag_list {
    bool all;
    int count;
    int32_t *tag;       /* [count] */
    const char **name;  /* [count] the tag is unknown before the mesh is read; NULL = a number */
    uint8_t *dimension; /* [count] of the elements that a name stands for; 0 = of any: a number */
};

/* What a name in an expression stands for */
struct where_leaf {
    enum where_leaf_kind kind;
    int at; /* characters of the text before it */
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
    struct expression_node *node; /* a graph whose parameters are the leaves, */
    int root;                     /* and the node that is the value */
};

/* *where <- text (which is copied), in the arena. STATUS_INPUT: the error says what is wrong with what and
 * what would be right, and *at how many characters stand before it. */
enum status where_parse(struct where **where, struct arena *arena, const char *text, enum where_kind kind,
                        int *at, struct error *error);

/* The expression that is that leaf alone: a box, sphere, surface, list of tags or nodes of a config. NULL
 * without memory. */
const struct where *where_of_leaf(struct arena *arena, const struct where_leaf *leaf);

/* sha += what decides the expression's values on a given mesh; tags by their names or numbers */
void where_digest(struct sha256 *sha, const struct where *where);

/* What the names stand for at nodes or elements, numbered as in the mesh's file */
struct where_values {
    const void *data;
    double slack; /* mm by which boxes and balls are larger */
    /* out[count] <- of numbers first .. first + count - 1, for leaf k of the expression: a WHERE_COORDINATE,
     * WHERE_NAME, DISTANCE, SURFACE, SEGMENT, NODES or TAG; k = -1 - axis: a coordinate that no leaf is */
    void (*values)(const void *data, int k, int64_t first, int count, double *out);
};

/* out[count] <- the values at first .. first + count - 1; conditions are 1 or 0. STATUS_RUN without memory.
 */
enum status where_evaluate(const struct where *where, const struct where_values *values, int64_t first,
                           int64_t count, double *out, struct error *error);

/* Where in an element a condition holds, as far as the ranges of its names tell */
enum where_extent { WHERE_NOWHERE, WHERE_EVERYWHERE, WHERE_PERHAPS };

/* range[2] <- the least and largest value in an element of what leaf k, or the coordinate -1 - k, stands for
 */
struct where_ranges {
    const void *data;
    double slack;
    void (*range)(const void *data, int k, int64_t element, double range[2]);
};

/* extent[count] <- of the condition in elements first .. first + count - 1. STATUS_RUN without memory. */
enum status where_extents(const struct where *where, const struct where_ranges *ranges, int64_t first,
                          int64_t count, uint8_t *extent, struct error *error);

/* box[2][3] <- the least and largest coordinates of points where the condition may hold, as far as boxes and balls
 * that it requires tell; infinite along an axis where they tell nothing. STATUS_RUN without memory. */
enum status where_box(const struct where *where, double slack, double box[2][3], struct error *error);

/* *nearest <- of points[count][3] that nearest to the boxes and balls that the condition requires, the lowest of
 * equally near ones; *distance <- mm, at most what it is away from where the condition holds: 0 where it requires none.
 * STATUS_RUN without memory. */
enum status where_nearest(const struct where *where, const double *point, int64_t count, int64_t *nearest,
                          double *distance, struct error *error);

/* In [0, 1): number `k` of the sequence that SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, doi
 * 10.1145/2660193.2660195) gives from its own first number for the seed */
double where_random(uint64_t seed, int64_t k);

#endif
